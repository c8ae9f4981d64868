"""Events are gathered into segments by the parameters alone, and how often that is asked changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdb.config import Config
from memdb.daytime import part_ends, part_of_day
from memdb.household import household_rules, trigger_of
from memdb.records import BreakTrigger, Event
from memdb.steps.segment import Segment, segment

MORNING = datetime(2025, 3, 3, 8, tzinfo=UTC)
MUCH_LATER = MORNING + timedelta(days=40)


def event(minute: float, *, trigger: BreakTrigger | None = None, importance: float | None = None) -> Event:
    at = MORNING + timedelta(minutes=minute)
    return Event(event_id=f"{minute:09.2f}", user_id="home", description="Rui did it", timestamp=at, trigger=trigger, importance=importance)


def segments(events: Sequence[Event], *, now: datetime = MUCH_LATER, zone: str = "UTC", **settings: object) -> list[Segment]:
    return segment(events, now=now, zone=ZoneInfo(zone), config=Config.model_validate(settings))


def minutes(found: Sequence[Segment]) -> list[tuple[list[float], str]]:
    return [([(one.timestamp - MORNING).total_seconds() / 60 for one in part.events], part.closed_by) for part in found]


def test_an_event_waits_for_ten_minutes_for_what_belongs_to_it() -> None:
    events = [event(0), event(20)]
    assert segments(events, now=MORNING + timedelta(minutes=29.9)) == []
    (found,) = segments(events, now=MORNING + timedelta(minutes=30))
    assert (found.closed_by, found.ready_at) == ("duration", MORNING + timedelta(minutes=30))


def test_fifteen_minutes_make_a_memory_and_less_waits_for_more() -> None:
    assert segments([event(0), event(14)], now=MORNING + timedelta(minutes=120)) == []
    assert minutes(segments([event(0), event(14), event(100)]))[0] == ([0, 14, 100], "duration")
    assert minutes(segments([event(0), event(15), event(100)]))[0] == ([0, 15], "duration")


def test_what_goes_on_without_a_pause_is_one_memory_up_to_the_maximum() -> None:
    found = minutes(segments([event(5 * number) for number in range(120)], segment_break_triggers=(), max_events_per_segment=200))
    assert [(len(part), why) for part, why in found] == [(96, "maximum"), (24, "duration")]


def test_however_little_there_is_it_is_told_after_eight_hours() -> None:
    events = [event(0)]
    assert segments(events, now=MORNING + timedelta(minutes=479), segment_break_triggers=()) == []
    assert minutes(segments(events, now=MORNING + timedelta(minutes=480), segment_break_triggers=())) == [([0], "maximum")]


def test_no_memory_is_made_of_more_than_fifty_events() -> None:
    found = minutes(segments([event(number / 10) for number in range(101)]))
    assert [(len(part), why) for part, why in found] == [(50, "max_events"), (50, "max_events"), (1, "time_of_day_change")]


@pytest.mark.parametrize("trigger", ["person_departed_home", "person_arrived_home", "significant_event"])
def test_a_break_trigger_ends_the_segment_with_its_event(trigger: BreakTrigger) -> None:
    found = segments([event(0), event(2, trigger=trigger), event(4), event(30)])
    assert minutes(found) == [([0, 2], trigger), ([4, 30], "duration")]
    assert found[0].ready_at == MORNING + timedelta(minutes=12)
    assert minutes(segments([event(0), event(2, trigger=trigger), event(30)], segment_break_triggers=())) == [([0, 2, 30], "duration")]


@pytest.mark.parametrize(
    ("said", "trigger"),
    [(example, rule.trigger) for rule in household_rules().trigger for example in rule.examples]
    + [
        (said, None)
        for said in (
            "Rui did not leave home", "Rui has not left home yet", "Nobody came home", "Nobody left home", "Rui said: Mila left home", "Rui left home-made bread",
            "Rui left the house keys on the table", "Rui never came home", "Rui left the lights on", "Rui made coffee", "Rui called home",
            "ana said: I came home", "Rui went to work on the fence", "Rui went to the kitchen", "The lights went out", "The power is back",
            "Rui returned the book", "The call came from school", "Rui headed to his office", "Rui did not get back from work",
            "The cat left the house", "Everyone left the table", "The guests left a bottle of wine", "Rui came back from the kitchen", "The parcel arrived",
            "Mila got back from Rui's room", "Rui took the kids to bed", "Everyone has left the lights on", "The lights were left on", "Rui is off to bed",
        )
    ],
)  # fmt: skip
def test_who_leaves_home_or_comes_home_ends_a_segment_by_the_words_alone(said: str, trigger: BreakTrigger | None) -> None:
    gone = event(2).model_copy(update={"description": said})
    wanted = [([0, 2], trigger), ([4, 30], "duration")] if trigger else [([0, 2, 4, 30], "duration")]
    assert minutes(segments([event(0), gone, event(4), event(30)])) == wanted
    assert minutes(segments([event(0), gone, event(30)], segment_break_triggers=())) == [([0, 2, 30], "duration")]


@pytest.mark.parametrize(
    ("did", "trigger"), [("left home", "person_departed_home"), ("came home", "person_arrived_home"), ("had soup", None)]
)
def test_a_crowd_of_names_is_read_in_one_way_only(did: str, trigger: BreakTrigger | None) -> None:
    crowd = event(0).model_copy(update={"description": "Rui and " * 27 + f"Mila {did}"})  # in two ways a name, it had no end
    assert trigger_of(crowd) == trigger


def test_an_importance_above_the_mark_is_a_significant_event_and_the_mark_itself_is_not() -> None:
    assert minutes(segments([event(0, importance=0.81), event(20)]))[0] == ([0], "significant_event")
    assert minutes(segments([event(0, importance=0.8), event(20)]))[0] == ([0, 20], "duration")


def test_an_event_that_the_rules_find_significant_is_one_unless_it_says_otherwise() -> None:
    promoted = event(2).model_copy(update={"description": "Joana got the promotion she had been working toward"})
    assert minutes(segments([event(0), promoted, event(20)]))[0] == ([0, 2], "significant_event")
    modest = promoted.model_copy(update={"importance": 0.4})
    assert minutes(segments([event(0), modest, event(20)]))[0] == ([0, 2, 20], "duration")
    assert minutes(segments([event(0), promoted, event(20)], significant_importance=0.95))[0] == ([0, 2, 20], "duration")


def test_the_part_of_the_day_ends_a_segment_in_the_user_s_own_time_zone() -> None:
    events = [event(235), event(245)]  # 11:55 and 12:05 in UTC, both of the afternoon in Lisbon's summer and of the morning in New York
    assert minutes(segments(events)) == [([235], "time_of_day_change"), ([245], "time_of_day_change")]
    assert segments([event(238)], now=MORNING + timedelta(minutes=247)) == []  # the turn of the day has come, the buffer is not over
    assert minutes(segments(events, zone="America/New_York")) == [([235, 245], "time_of_day_change")]


@pytest.mark.parametrize(
    ("clock", "part"),
    [("04:59", "night"), ("05:00", "morning"), ("11:59", "morning"), ("12:00", "afternoon"), ("16:59", "afternoon"), ("17:00", "evening"),
     ("20:59", "evening"), ("21:00", "night"), ("00:00", "night")],
)  # fmt: skip
def test_the_parts_of_the_day_begin_at_five_twelve_seventeen_and_twenty_one(clock: str, part: str) -> None:
    at = datetime.fromisoformat(f"2025-03-03T{clock}:00+00:00")
    assert part_of_day(at, UTC) == part
    assert part_of_day(part_ends(at, UTC), UTC) != part


def test_a_night_is_one_part_of_the_day_over_midnight() -> None:
    assert minutes(segments([event(15 * 60), event(18 * 60)])) == [([900, 1080], "duration")]


EVENTS = st.lists(
    st.builds(
        event,
        st.integers(0, 3_000).map(float),
        trigger=st.sampled_from([None, None, None, "person_departed_home", "person_arrived_home", "significant_event"]),
        importance=st.sampled_from([None, 0.3, 0.9]),
    ),
    max_size=40,
    unique_by=lambda one: one.event_id,
)


@settings(max_examples=60)
@given(EVENTS, st.integers(1, 300))
def test_it_makes_no_difference_how_often_it_is_asked(events: list[Event], step: int) -> None:
    at_once = [one.events for one in segments(events)]
    waiting, told = list(events), []
    for minute in range(0, 5_000, step):
        for part in segments(waiting, now=MORNING + timedelta(minutes=minute)):
            told.append(part.events)
            waiting = [one for one in waiting if one not in part.events]
    told += [part.events for part in segments(waiting)]
    assert told == at_once


@settings(max_examples=60)
@given(EVENTS)
def test_every_event_is_told_once_and_no_segment_is_longer_or_fuller_than_allowed(events: list[Event]) -> None:
    found = segments(events, max_events_per_segment=7)
    assert sorted(one.event_id for part in found for one in part.events) == sorted(one.event_id for one in events)
    assert all(len(part.events) <= 7 and part.ended_at - part.started_at < timedelta(minutes=480) for part in found)
    assert all(part.ready_at >= part.ended_at + timedelta(minutes=10) for part in found)
