"""Household events become first-person memories: safe at once, told once, true, and found again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memdb
from memdb.embed import HashingEmbedder
from memdb.household import emotion_of, household_rules, located, stated, type_of
from memdb.recording import keep_calls
from memdb.records import EVER, Event, ModelCall, parts_of
from memdb.steps.narrate import narrate
from memdb.store import Store

ROOT = Path(__file__).parent.parent
LATER = "2025-06-01T00:00:00Z"
DAY = "2025-03-03"  # a Monday


def coffee(mem: memdb.Memory, day: str = DAY) -> None:
    """Rui's morning, over in twenty minutes."""
    for clock, said in (("07:00", "Rui made coffee"), ("07:10", "Rui listened to the news"), ("07:20", "Rui left for the office")):
        mem.event(said, user_id="home", timestamp=f"{day}T{clock}:00Z", participants=["Rui"], location="kitchen", event_id=f"{day}{clock}")


def told(mem: memdb.Memory) -> memdb.Fact:
    (fact,) = mem.narrate(now=LATER)
    return fact


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    store = Store(path, memdb.Config(), vectors=False)
    found: list[tuple[object, ...]] = store.database().connection.execute(sql).fetchall()
    store.close()
    return found


# events


def test_an_event_is_safe_when_event_returns(tmp_path: Path) -> None:
    code = """
import memdb, os, sys
mem = memdb.open(sys.argv[1], embedder=None)
mem.event("Rui made coffee", user_id="home", timestamp="2025-03-03T07:00:00Z", event_id="e1")
os.kill(os.getpid(), 9)
"""
    process = subprocess.run([sys.executable, "-c", code, tmp_path / "mem.db"], cwd=ROOT, check=False)
    assert process.returncode == -signal.SIGKILL
    assert rows(tmp_path / "mem.db", "select event_id, description from events") == [("e1", "Rui made coffee")]


def test_the_same_event_again_changes_nothing_and_another_under_its_name_is_refused(mem: memdb.Memory) -> None:
    coffee(mem)
    coffee(mem)
    assert len(mem.sources(told(mem).fact_id).events) == 3
    coffee(mem)
    assert mem.narrate(now=LATER) == []
    with pytest.raises(memdb.ConflictError, match="User 'home' already has another event '2025-03-0307:00'; give this one an id"):
        mem.event("Rui made tea", user_id="home", timestamp="2025-03-03T07:00:00Z", event_id="2025-03-0307:00")


def test_what_happened_at_one_instant_is_told_in_the_order_in_which_it_came_in(mem: memdb.Memory) -> None:
    happened = ["Rui made coffee", "Rui burned the toast", "Rui laughed", "Rui fed the cat", "Rui left home"]
    for place, said in enumerate(happened):
        mem.event(said, user_id="home", timestamp=f"{DAY}T07:00:00Z", event_id=f"e{9 - place}")
    mem.event("Rui came home", user_id="home", timestamp=f"{DAY}T07:00:00Z", event_id="e0")
    first, second = mem.narrate(now=LATER)  # a departure ends the one, and an arrival the other
    assert [event.description for event in mem.sources(first.fact_id).events] == happened
    assert [event.description for event in mem.sources(second.fact_id).events] == ["Rui came home"]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"description": "  "}, "description is empty"),
        ({"user_id": ""}, "user_id is empty"),
        ({"importance": 1.5}, "importance is 1.5; give a number between 0 and 1"),
        ({"participants": [""]}, "participants is empty"),
        ({"timestamp": "soon"}, "'soon' is not a time"),
        ({"trigger": "doorbell"}, "cannot be stored: field trigger"),
        ({"location": "\ud800"}, "half a surrogate pair"),
        ({"timestamp": "0001-01-01T00:00:00Z"}, "timestamp is in the year 1; give a time between the years 1000 and 9000"),
        ({"timestamp": "9999-12-31T23:00:00Z"}, "timestamp is in the year 9999"),
        ({"timestamp": "9999-12-31T23:00:00-12:00"}, "lies outside the years that can be stored; give one between 1000 and 9000"),
    ],
)
def test_an_event_that_cannot_be_used_is_refused_in_one_sentence(mem: memdb.Memory, wrong: dict[str, object], match: str) -> None:
    given: dict[str, object] = {"description": "Rui made coffee", "user_id": "home"}
    with pytest.raises(memdb.InputError, match=match):
        mem.event(**{**given, **wrong})  # type: ignore[arg-type]
    assert mem.narrate(now=LATER) == []


def test_turns_are_events_where_the_setting_says_so(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        mem.observe("I baked bread.", user_id="ana", turn_id="t1", timestamp="2025-03-03T08:00:00Z")
        mem.load([{"text": "It smells good.", "speaker": "Rui", "timestamp": "2025-03-03T08:20:00Z", "turn_id": "t2"}], user_id="ana")
        assert mem.drain()
        (fact,) = mem.facts("ana", kinds=["narrative"])
        assert [event.turn_id for event in mem.sources(fact.fact_id).events] == ["t1", "t2"]
        assert "I noticed that ana said “I baked bread” and Rui said “It smells good”." in fact.value_text


def test_a_user_is_one_person_however_what_she_says_comes_in(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        mem.observe("I like red lights.", user_id="ana", timestamp="2025-03-03T08:00:00Z")
        mem.observe("I like green lights.", user_id="ana", speaker="User", timestamp="2025-03-03T08:05:00Z")
        mem.load([{"role": "user", "content": "I like blue lights.", "timestamp": "2025-03-03T08:10:00Z"}], user_id="ana")
        mem.load([{"speaker": "Ana", "text": "I like dim lights.", "timestamp": "2025-03-03T08:20:00Z"}], user_id="ana")
        assert mem.drain()
        (fact,) = mem.facts("ana", kinds=["narrative"])
        assert isinstance(fact.value_json, dict)
        assert fact.value_json["participants"] == ["ana"]
        assert fact.value_text.endswith("It seems to be how ana likes it.")
        for name in ("ana", "Ana"):
            hits = mem.search("lights", user_id="ana", participants=[name], limit=20)
            assert {hit.fact.value_text[-7:-1] for hit in hits if hit.fact.kind == "message"} == {"lights"}
            assert len([hit for hit in hits if hit.fact.kind == "message"]) == 4
            assert fact in [hit.fact for hit in hits]


def test_what_the_assistant_says_itself_is_nothing_that_it_noticed(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        said = (("I baked bread.", None), ("How lovely!", "Assistant"), ("It smells good.", "Rui"))
        mem.load(
            [{"text": text, "speaker": speaker, "timestamp": f"2025-03-03T08:0{place}:00Z"} for place, (text, speaker) in enumerate(said)],
            user_id="ana",
        )
        assert mem.drain()
        (fact,) = mem.facts("ana", kinds=["narrative"])
    assert isinstance(fact.value_json, dict)
    assert ("lovely" in fact.value_text, fact.value_json["participants"]) == (False, ["Rui", "ana"])


def test_a_household_of_which_nothing_is_told_yet_is_one_that_the_file_holds_something_of(mem: memdb.Memory) -> None:
    mem.event("Rui made coffee", user_id="home", timestamp="2025-03-03T07:00:00Z")
    assert (mem.users(), mem.stats().users) == ({"home": 0}, 1)
    mem.forget("home")
    assert (mem.users(), mem.stats().users) == ({}, 0)


def test_a_memory_keeps_no_secret_of_what_happened(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        mem.observe("My password is hunter2, and I baked bread.", user_id="ana", turn_id="t1", timestamp="2025-03-03T08:00:00Z")
        mem.event("Rui said: my password is hunter3", user_id="ana", timestamp="2025-03-03T08:20:00Z")
        assert mem.drain()
        (fact,) = mem.facts("ana", kinds=["narrative"])
    assert "baked bread" in fact.value_text
    assert "hunter" not in fact.value_text + fact.source_excerpt


def test_turns_are_no_events_otherwise(tell: Callable[..., memdb.Memory]) -> None:
    assert tell("I baked bread.", "I live in Porto.").facts("ana", kinds=["narrative"]) == []


# memories by rules


def test_a_memory_is_told_in_the_first_person_with_when_where_who_and_how_sure(mem: memdb.Memory) -> None:
    coffee(mem)
    assert told(mem).value_text == (
        "On Monday morning, in the kitchen, I noticed that Rui made coffee, listened to the news and left for the office. "
        "It seems to belong to the usual rhythm of this household."
    )


def test_what_happened_on_a_day_at_no_hour_that_is_known_is_told_of_that_day(mem: memdb.Memory) -> None:
    mem.event("Rui baked a cake", user_id="home", timestamp="2025-03-04", participants=["Rui"])
    assert told(mem).value_text.startswith("On Tuesday I noticed that Rui baked a cake")


def test_a_feeling_is_told_of_and_an_earlier_time_like_it(mem: memdb.Memory) -> None:
    for week in ("03", "10"):
        mem.event("Mila and Rui were dancing", user_id="home", timestamp=f"2025-03-{week}T18:00:00Z", participants=["Mila", "Rui"])
    first, second = mem.narrate(now=LATER)
    assert "It seemed to do Mila and Rui good" in first.value_text
    assert "before" not in first.value_text
    assert second.value_text.endswith("I have noticed something like it once before.")
    assert isinstance(second.value_json, dict)
    assert (second.value_json["emotion"], second.value_json["time_of_day"], second.value_json["day_type"]) == (
        "positive",
        "evening",
        "weekday",
    )


@pytest.mark.parametrize(
    ("first", "then"),
    [("Rui turned the heating up", "Rui turned the heating down"), ("Rui thanked Mila for the tea", "Mila thanked Rui for the tea")],
)
def test_the_opposite_was_not_noticed_before(mem: memdb.Memory, first: str, then: str) -> None:
    for day, said in ((3, first), (4, then), (5, then)):
        mem.event(said, user_id="home", timestamp=f"2025-03-{day:02}T18:00:00Z", participants=["Mila", "Rui"])
    assert ["before" in fact.value_text for fact in mem.narrate(now=LATER)] == [False, False, True]


@pytest.mark.parametrize(
    ("said", "given", "who"),
    [
        ("Thom came home", [], ["Thom"]),
        ("Person arrived home: Thom", [], ["Thom"]),
        ("Thom and Elizabeth Fife cooked", [], ["Elizabeth Fife", "Thom"]),
        ("Thom turned the heating up", [], ["Thom"]),
        ("Dinner was ready. Thom laughed", ["Rui"], ["Rui", "Thom"]),
        ("Penelope drew a picture", [], ["Penelope"]),
        ("Thom played chess with Elizabeth", [], ["Thom"]),
        ("Thom tidied the garage", [], ["Thom"]),
        ("Roomba cleaned the floor", [], []),
        ("Sonos played the radio", [], []),
        ("Toaster burned the bread", [], []),
        ("Mila sang", ["Mila Silva"], ["Mila Silva"]),
        ("Rui helped ana and Joana", ["Rui"], ["Joana", "Rui"]),
        ("The cake was for Joana’s guests", ["Rui"], ["Joana", "Rui"]),
        ("Pedro made tea", [], ["Pedro Costa"]),
        ("Rui called Pedro", ["Rui"], ["Rui"]),
        ("Kitchen lights turned on", [], []),
        ("Grandma left", [], []),
        ("Yesterday nobody came home", [], []),
        ("Router diagnostics completed", [], []),
        ("Rui said: Joana laughed. Thom came home", ["Rui"], ["Rui"]),
        ("The assistant dimmed the lights", [], []),
    ],
)
def test_who_is_named_plainly_took_part(mem: memdb.Memory, said: str, given: list[str], who: list[str]) -> None:
    mem.event("They danced", user_id="home", timestamp=f"{DAY}T08:00:00Z", participants=["Joana", "Pedro Costa", "ana"])
    mem.event(said, user_id="home", timestamp=f"{DAY}T14:00:00Z", participants=given)
    _earlier, fact = mem.narrate(now=LATER)
    assert isinstance(fact.value_json, dict)
    assert fact.value_json["participants"] == who
    assert list(mem.sources(fact.fact_id).events[0].participants) == given
    for name in who:
        assert fact in [hit.fact for hit in mem.recall(said, user_id="home", participants=[name], min_score=0, now=LATER)]


def test_two_people_who_act_together_are_never_told_as_one(mem: memdb.Memory) -> None:
    for clock, said in (("18:00", "Rui and Mila cooked"), ("18:05", "Rui washed up"), ("18:20", "Rui and Mila danced")):
        mem.event(said, user_id="home", timestamp=f"{DAY}T{clock}:00Z", participants=["Rui", "Mila"])
    assert "Rui and Mila cooked, Rui washed up and Rui and Mila danced" in told(mem).value_text


@pytest.mark.parametrize(
    "hostile", ["'; drop table facts; --", "{who} {0} %s", "\x00\n\t", "🎂" * 300, "a" * 5_000, "?!", "...", " ;,. ", "\u200b"]
)
def test_hostile_words_are_only_words(mem: memdb.Memory, hostile: str) -> None:
    mem.event(hostile, user_id="home", timestamp=f"{DAY}T08:00:00Z", participants=[hostile[:40] + "x"], location="{household}")
    assert told(mem).user_id == "home"
    assert len(told_again := mem.facts("home")) == 1
    assert len(told_again[0].value_text) < 1_000


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=60).filter(str.strip),
            st.lists(st.text(max_size=12).filter(str.strip), max_size=3),
            st.none() | st.text(max_size=9),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_whatever_happens_can_be_told(happened: list[tuple[str, list[str], str | None]]) -> None:
    at = datetime(2025, 3, 3, 7, tzinfo=UTC)
    events = [
        Event(event_id=str(place), user_id="home", description=text, timestamp=at, participants=tuple(who), location=where)
        for place, (text, who, where) in enumerate(happened)
    ]
    narrative = narrate(events, seen_before=1, zone=UTC, config=memdb.Config())
    assert narrative.content.startswith("On Monday morning")
    assert narrative.content.endswith("before.")


def test_a_crowd_is_counted_and_a_name_of_several_lines_is_one_line(mem: memdb.Memory) -> None:
    mem.event("Mila blew out the candles", user_id="home", timestamp=f"{DAY}T15:00:00Z", participants=["Mila\nSilva"])
    mem.event("They danced", user_id="home", timestamp=f"{DAY}T15:20:00Z", participants=[f"Guest {number:03}" for number in range(200)])
    text = told(mem).value_text
    assert "Guest 005 and 194 others" in text
    assert mem.facts("home")[0].value_json["participants"][-1] == "Mila Silva"  # type: ignore[index,call-overload]


def test_words_that_repeat_without_end_take_no_longer_than_others() -> None:
    started = time.perf_counter()
    assert type_of("won went to every " * 200_000) == ("OBSERVATION", 0.5)
    assert emotion_of("asked me " * 200_000, "night") is None
    assert emotion_of("no " * 200_000, "night") is None
    assert time.perf_counter() - started < 1


def test_a_turn_of_another_age_is_refused_before_it_holds_anybody_up(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        with pytest.raises(memdb.InputError, match="timestamp is in the year 1; give a time between"):
            mem.observe("I baked bread.", user_id="ana", timestamp="0001-01-01T00:00:00Z")
        mem.observe("I baked bread.", user_id="rui", timestamp="2025-03-03T08:00:00Z")
        assert mem.drain()
        assert len(mem.facts("rui", kinds=["narrative"])) == 1


def test_an_event_of_its_own_importance_is_as_important_as_it_says(mem: memdb.Memory) -> None:
    mem.event("Rui opened a letter", user_id="home", timestamp=f"{DAY}T08:00:00Z", importance=0.95)
    fact = told(mem)
    assert (fact.memory_type, fact.importance) == ("SIGNIFICANT", 0.95)


def test_every_rule_knows_its_examples() -> None:
    for rule in household_rules().type:
        assert rule.examples
        for example in rule.examples:
            assert type_of(example) == (rule.type, rule.importance), example
    for feeling in household_rules().emotion:
        assert feeling.examples
        for example in feeling.examples:
            assert emotion_of(example, (feeling.at or ("morning",))[0]) == feeling, example
    for rule_of_place in household_rules().place:
        for place, said in rule_of_place.examples:
            assert located(place) == said


def test_what_a_machine_wrote_down_is_said_plainly_and_every_rule_knows_its_examples() -> None:
    for rule in household_rules().plain:
        for written, said in rule.examples:
            assert stated(written) == said


@pytest.mark.parametrize(
    "text",
    [
        "Rui said the bedtime routine started",
        "Rui set the alarm to 6:30",
        "Rui left: nobody knows why he did it",
        "Users prefer warm light",
        "Mila asked for the lights turned on",
        'Joana said: "one" and "two"',
        "{who} {0} %s",
    ],
)
def test_what_is_plain_already_is_told_as_it_is(text: str) -> None:
    assert stated(text) == text


@pytest.mark.parametrize(
    ("said", "who", "says"),
    [
        ("Asked for warmer lights", ["Rui"], "I noticed that Rui asked for warmer lights."),
        ("came home", ["Rui", "Mila"], "I noticed that Mila and Rui came home."),
        ("is asleep", ["Mila"], "I noticed that Mila is asleep."),
        ("Read a story to Mila", ["Rui", "Mila"], "I noticed that Rui read a story to Mila."),
        ("turned on by the timer", ["Rui"], "I noticed this: turned on by the timer."),
        ("Turned off at nine", ["Rui"], "I noticed this: Turned off at nine."),
        ("is asleep", ["Mila", "Rui"], "I noticed this: is asleep."),
        ("Back door opened", ["Rui"], "I noticed this: Back door opened."),
        ("Left: Rui", ["Rui"], "I noticed that Rui left home."),
        ("came home", [], "I noticed this: came home."),
    ],
)
def test_who_took_part_did_what_is_told_of_nobody(mem: memdb.Memory, said: str, who: list[str], says: str) -> None:
    mem.event(said, user_id="home", timestamp=f"{DAY}T07:30:00Z", participants=who)
    fact = told(mem)
    assert says in fact.value_text
    assert [event.description for event in mem.sources(fact.fact_id).events] == [said]


def test_a_place_is_told_as_it_is_spoken_of_and_kept_as_it_was_given(mem: memdb.Memory) -> None:
    mem.event("Rui made tea", user_id="home", timestamp=f"{DAY}T07:30:00Z", location="Living_Room")
    mem.event("Rui drank it", user_id="home", timestamp=f"{DAY}T07:40:00Z", location="Living Room")
    fact = told(mem)
    assert fact.value_text.startswith("On Monday morning, in the living room, I noticed that Rui made tea and drank it.")
    assert parts_of(fact.value_json)["location"] == "Living_Room"


@pytest.mark.parametrize("said", ['Rui: "I am home."', 'Rui said: "I am home."', "Rui said “I am home.”"])
def test_what_was_said_ends_with_one_point(mem: memdb.Memory, said: str) -> None:
    mem.event(said, user_id="home", timestamp=f"{DAY}T07:30:00Z")
    assert ".”" not in told(mem).value_text.replace('"', "”")


def test_a_memory_of_devices_and_of_what_was_said_reads_like_one(mem: memdb.Memory) -> None:
    for minute, said in enumerate(
        ("Temperature set to 20.5 degrees at 7:30 AM", "Motion detected in garage", "Rui said: where are my keys?")
    ):
        mem.event(said, user_id="home", timestamp=f"{DAY}T07:3{minute}:00Z", participants=["Rui"])
    assert told(mem).value_text.startswith(
        "On Monday morning I noticed that the temperature was set to 20.5 degrees at 7:30 am, there was movement in the garage and "
        "Rui said “where are my keys?”."
    )


KINDS = {
    "SIGNIFICANT": (
        "The family celebrated Penelope's birthday today. The joy in the house was palpable.",
        "Rui mentioned they're expecting another child. This will change everything.",
        "Joana got the promotion she's been working toward. She was so happy.",
        "Joana gave birth to a girl",
        "Rui's operation went well",
        "Rui was let go after twelve years",
        "Rui asked Joana to marry him",
        "Mila passed her driving test",
        "They sold their flat in Porto",
        "Rui crashed his motorbike on the way home",
        "Joana called the police",
        "The couple next door adopted a little boy",
        "Tom started university in Lisbon",
        "Joana broke up with Pedro",
        "Rui handed in his notice",
        "They decided to adopt a child",
        "Tomás was accepted at the conservatory",
        "The kitchen caught fire",
        "It was Mila's first day at school",
    ),
    "PREFERENCE": (
        "I've noticed Rui consistently asks for warmer lights after sunset.",
        "Joana prefers the house cooler than Rui—around 68°F seems right for her.",
        "The kids like the living room lights at full brightness during playtime.",
        "Every evening Rui asks for dimmer lights.",
        "Joana asked for some fado in the kitchen",
        "Joana asked for 18 degrees in the bedroom",
        "Rui asked for 20° in the study",
        "Rui asked to have the lights dimmed",
        "Rui turned the heating down to 19 degrees",
        "Joana set the thermostat to 21",
        "Rui wants it cooler in the bedroom",
        "Rui'd like warmer light",
        "Mila loves the smell of bread",
        "Joana favours jazz while cooking",
        "Mila always wants the night light on",
    ),
    "ROUTINE": (
        "The household rhythm shifts around 8:30 on school nights.",
        "Every weekday morning around 7, Rui heads to his office.",
        "Sundays seem to be family movie nights—they gather in the living room after dinner.",
        "As always, Rui locked the door.",
        "Mila reads on the sofa on weekends.",
        "Rui took out the bins",
        "Rui left home",
        "Rui always drinks tea at nine",
    ),
    "OBSERVATION": (
        "The house has been quieter than usual this week.",
        "There's been more activity in the garage lately—maybe a project underway.",
        "The kids seem to be getting along better these days.",
        "Rui looked out of the window this morning.",
        "Rui asked for help with the shelf",
        "Joana asked for her glasses",
        "Rui turned up with flowers",
        "Joana turned down the offer",
        "Rui set the vase on the shelf",
        "Mila behaved like an angel",
        "A noise like thunder came from the attic",
        "Rui would like to know who rang",
        "It was rather quiet",
        "It got warmer outside",
        "Joana wrote a love letter",
        "The boys ran around like wild animals",
        "The delivery man let go of the box",
        "Rui came home later than usual",
        "Rui skipped his usual coffee routine and headed straight to his office",
        "The breakfast burned",
        "Rui hung up his coat",
        "Rui always wanted to learn Spanish",
        "Rui will always remember this",
        "The lamp was always there",
    ),
    "TRANSIENT": (
        "Someone left the garage door open briefly this afternoon.",
        "The doorbell rang but nobody was there—probably a delivery.",
        "Rui asked me the time while passing through the kitchen.",
        "The lights flickered",
        "The fridge door was left open for a minute.",
        "Somebody rang and hung up",
        "Joana sneezed twice while walking past",
        "Rui asked what day it is",
    ),
}


@pytest.mark.parametrize(("memory_type", "text"), [(name, text) for name, texts in KINDS.items() for text in texts])
def test_the_type_of_a_memory_is_known_by_its_words(memory_type: str, text: str) -> None:
    assert type_of(text)[0] == memory_type


@pytest.mark.parametrize(
    "text",
    [
        "Flood lights turned on",
        "Front door deadbolt engaged",
        "Somebody moved in the hallway",
        "Motion: Rui moved in garage",
        "Router diagnostics completed",
        "The remote's battery died",
        "The dishwasher won't clean the cup",
        "Rui moved out of the way",
        "Fire alarm test completed",
        "Rui switched the lights off by accident",
        "Elizabeth did not get the promotion",
        "Elizabeth didn't get the long awaited promotion",
        "Rui was not promoted",
        "It is nobody's birthday today",
        "The birthday party was cancelled",
        "Rui and Joana called off the wedding",
        "Rui watched a hospital series",
        "Mila read a story about a wedding",
        "No accident on the way home",
        "Rui is no longer in hospital",
        "Mila was not in an accident",
        "Rui almost won the cup",
        "Rui retired to bed at nine",
        "Rui got the job done before noon",
        "The gun in the film was fired",
        "They adopted a new timetable",
        "Rui passed the test strip to Joana",
        "Rui had a stroke of luck",
        "Mila drew a police car",
        "They sold the house plants",
        "Rui let go of the rope",
        "School started with a song",
        "Rui was fired up about the match",
        "Grandpa died laughing at the joke",
    ],
)
def test_what_only_sounds_like_a_great_event_or_did_not_take_place_is_kept_like_any_other(text: str) -> None:
    assert type_of(text)[0] != "SIGNIFICANT"


@pytest.mark.parametrize(
    "text",
    [
        "Rui did not cry at the wedding",
        "Nobody knew that Joana was pregnant",
        "Rui won't forget: Mila won the cup",
        "Rui was not there when Mila was born",
        "Mila watched TV, and grandpa died",
        "Rui could not come because of an accident",
        "Rui saw his daughter graduate",
        "Joana watched a film when grandpa died",
    ],
)
def test_what_took_place_is_significant_whatever_else_did_not(text: str) -> None:
    assert type_of(text)[0] == "SIGNIFICANT"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Thom didn't like the soup", "It does not seem to be how Thom likes it."),
        ("Rui hates loud music", "It does not seem to be how Rui likes it."),
        ("Rui doesn’t want the lights on", "It does not seem to be how Rui likes it."),
        ("Rui and Joana cannot stand jazz", "It does not seem to be how Joana and Rui like it."),
        ("Everybody disliked the noise", "It does not seem to be how it is liked here."),
        ("Rui likes jazz", "It seems to be how Rui likes it."),
    ],
)
def test_what_is_not_liked_is_a_preference_and_told_as_one(mem: memdb.Memory, text: str, says: str) -> None:
    mem.event(text, user_id="home", timestamp=f"{DAY}T18:00:00Z")
    fact = told(mem)
    assert fact.memory_type == "PREFERENCE"
    assert fact.value_text.endswith(says)


def test_what_several_asked_for_each_by_themself_is_how_they_all_like_it(mem: memdb.Memory) -> None:
    for said in ("Rui asked for warmer lights", "Mila hates the blue lamp", "Joana asked for colder air", "Rui made coffee"):
        mem.event(said, user_id="home", timestamp=f"{DAY}T19:00:00Z", participants=["Joana", "Mila", "Rui"])
    assert told(mem).value_text.endswith("It seems to be how Joana and Rui like it.")
    mem.event("Rui asked for warmer lights", user_id="home", timestamp="2025-03-04T19:00:00Z")
    mem.event("The lights were turned up, as somebody prefers it", user_id="home", timestamp="2025-03-04T19:20:00Z")
    assert told(mem).value_text.endswith("It seems to be how it is liked here.")


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("It is nobody's birthday", None),
        ("Rui watched a hospital series", None),
        ("Mila sang a song", "positive"),
        ("Mila laughed", "positive"),
        ("Rui was stressed", "negative"),
        ("Motion in the garage", "concerned"),
        ("Mila asked why", "curious"),
        ("Nobody was home when the smoke alarm went off", "concerned"),
        ("Rui made coffee", None),
        ("Mila fell asleep on the couch", None),
        ("The printer won't start", None),
        ("Mila was not happy about dinner", None),
        ("Mila didn't enjoy the party", None),
        ("Rui did not get the promotion", None),
        ("Nobody was hurt", None),
        ("No motion in the hallway for 10 minutes", None),
        ("Rui set the alarm for 6:30", None),
        ("Rui got fired", "negative"),
        ("Joana passed the exam", "positive"),
        ("Rui called the police", "concerned"),
        ("Lost connection to the sensor", None),
        ("Mila cried with laughter", "positive"),
        ("Rui laughed so hard that he cried", "positive"),
        ("Joana cried tears of joy", "positive"),
        ("Mila burst out laughing", "positive"),
        ("Mila burst into tears", "concerned"),
        ("A pipe burst in the cellar", "concerned"),
        ("Mila was not at all tired", None),
        ("Rui fired up the grill", None),
        ("Mila's fever is gone", None),
        ("Mila lost her first tooth", None),
        ("Rui was lost in a book", None),
        ("Rui lost his keys", "negative"),
        ("Rui missed a call from Joana", None),
        ("Rui missed the bus", "negative"),
        ("The children made fun of Mila", None),
        ("Rui cancelled the timer", None),
        ("The trip was cancelled", "negative"),
        ("Rui's alarm rang at seven", None),
        ("Rui's car alarm rang at seven", "concerned"),
        ("Joana came home from her shift at the hospital", None),
        ("Rui was taken to the hospital", "concerned"),
        ("Rui shouted for joy", "positive"),
        ("Rui fell for the joke", None),
        ("Rui had a stress-free day", None),
        ("Rui's back hurts", "concerned"),
        ("The dinner was wonderful", "positive"),
        ("Mila wondered who rang", "curious"),
    ],
)
def test_a_feeling_is_known_by_its_words(text: str, emotion: str | None) -> None:
    found = emotion_of(text, "night")
    assert (found and found.emotion) == emotion


def test_somebody_moves_in_a_home_by_day_and_only_at_night_is_that_unusual(mem: memdb.Memory) -> None:
    for clock in ("14:00", "14:20", "23:00", "23:20"):
        mem.event(f"Motion detected in hallway at {clock}", user_id="home", timestamp=f"{DAY}T{clock}:00Z")
    by_day, at_night = mem.narrate(now=LATER)
    assert "unusual" not in by_day.value_text
    assert "unusual" in at_night.value_text


def test_a_place_is_told_only_of_what_happened_there(mem: memdb.Memory) -> None:
    mem.event("Rui put the film on", user_id="home", timestamp=f"{DAY}T18:00:00Z", participants=["Rui"])
    mem.event("Mila waited", user_id="home", timestamp=f"{DAY}T18:20:00Z", participants=["Mila"], location="Mila's room")
    assert "On Monday evening I noticed that Rui put the film on and Mila waited in Mila's room." in told(mem).value_text


def test_what_one_of_them_asked_for_is_not_said_to_be_how_all_of_them_like_it(mem: memdb.Memory) -> None:
    mem.event("Rui asked for warmer lights", user_id="home", timestamp=f"{DAY}T18:00:00Z", participants=["Mila", "Rui"])
    mem.event("Mila and Rui asked for warmer lights", user_id="home", timestamp=f"{DAY}T22:00:00Z", participants=["Mila", "Rui"])
    assert [each.value_text.partition(". ")[2] for each in mem.narrate(now=LATER)] == [
        "It seems to be how Rui likes it.",
        "It seems to be how Mila and Rui like it.",
    ]


def test_the_tags_of_a_memory_are_words(mem: memdb.Memory) -> None:
    mem.event("Mila celebrated grandpa's birthday at 6:30 PM", user_id="home", timestamp=f"{DAY}T18:30:00Z", participants=["Mila"])
    assert told(mem).tags == ("celebrated", "grandpa", "birthday")


@pytest.mark.parametrize(
    "text", ["They lost the toy dinosaur and asked for help", "Rui turned up late", "Rui left for the office later than usual"]
)
def test_a_memory_does_not_claim_a_liking_or_a_rhythm_that_its_event_does_not_show(mem: memdb.Memory, text: str) -> None:
    mem.event(text, user_id="home", timestamp=f"{DAY}T18:00:00Z")
    assert told(mem).value_text.endswith("I do not know yet whether it means anything.")


def test_a_memory_is_one_sentence_after_another_whatever_was_said(mem: memdb.Memory) -> None:
    mem.event("Mila's new bike!", user_id="home", timestamp=f"{DAY}T08:00:00Z", participants=["Mila"])
    mem.event("James said: I am home.", user_id="home", timestamp=f"{DAY}T13:00:00Z", participants=["James"])
    mem.event("James made coffee", user_id="home", timestamp=f"{DAY}T13:20:00Z", participants=["James"])
    first, second = (each.value_text for each in mem.narrate(now=LATER))
    assert first.startswith("On Monday morning I noticed this: Mila's new bike! ")
    assert second.startswith("On Monday afternoon I noticed that James said “I am home” and made coffee. ")


def test_what_is_over_is_told_though_others_before_and_after_it_still_wait(mem: memdb.Memory) -> None:
    for user, clock in (("ana", "23:59"), ("home", "07:00"), ("rui", "23:59")):
        mem.event("The kettle was on", user_id=user, timestamp=f"{DAY}T{clock}:00Z")
    assert [fact.user_id for fact in mem.narrate(now=f"{DAY}T23:59:30Z")] == ["home"]


def test_memories_of_a_user_are_five_minutes_apart_however_fast_things_happen(mem: memdb.Memory) -> None:
    for second in range(4):
        mem.event("Alarm", user_id="home", timestamp=f"{DAY}T08:00:0{second}Z", trigger="significant_event")
    assert [f"{fact.created_at:%H:%M:%S}" for fact in mem.narrate(now=LATER)] == ["08:10:00", "08:15:00", "08:20:00", "08:25:00"]


def test_it_makes_no_difference_when_memories_are_told(tmp_path: Path) -> None:
    found = []
    for name, times in (("often", [f"{DAY}T{hour:02}:00:00Z" for hour in range(24)]), ("once", [])):
        with memdb.open(tmp_path / f"{name}.db", embedder=None, llm=None, config={"worker": False}) as mem:
            coffee(mem)
            mem.event("Joana asked for warmer lights", user_id="home", timestamp=f"{DAY}T20:00:00Z", event_id="lights")
            for at in [*times, LATER]:
                mem.narrate(now=at)
            found.append(mem.facts("home"))
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_the_worker_tells_memories_by_itself(tmp_path: Path) -> None:
    stays = {"archive_threshold": 0.0}  # or the first upkeep may have moved it away by then
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=stays) as mem:
        coffee(mem)
        assert mem.drain(20)
        assert [fact.kind for fact in mem.facts("home")] == ["narrative"]
        assert mem.stats().outbox_waiting == 0


def test_what_is_loaded_long_after_it_happened_is_told_together(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"archive_threshold": 0.0}) as mem:
        for minute in range(0, 20, 4):
            mem.event(f"Rui fed hen {minute}", user_id="home", timestamp=f"{DAY}T08:{minute:02}:00Z", participants=["Rui"])
            time.sleep(0.2)  # the worker looks around meanwhile
        assert mem.drain(20)
        (fact,) = mem.facts("home")
        assert len(mem.sources(fact.fact_id).events) == 5


def test_killed_while_telling_every_event_is_told_once(tmp_path: Path) -> None:
    code = """
import memdb, sys
mem = memdb.open(sys.argv[1], embedder=None, llm=None, config={"worker": False})
print("open", flush=True)
mem.narrate(now="2026-01-01T00:00:00Z")
"""
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        for number in range(200):
            mem.event(f"Thing {number}", user_id="home", timestamp=f"2025-03-{1 + number // 10:02}T{8 + number % 10:02}:00:00Z")
    for life in range(6):
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout
        process.stdout.readline()
        time.sleep(0.01 * life)
        process.kill()
        process.wait()
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        mem.narrate(now="2026-01-01T00:00:00Z")
        memories = mem.facts("home")
        events = [event.event_id for fact in memories for event in mem.sources(fact.fact_id).events]
    assert len(events) == len(set(events)) == 200
    assert rows(path, "select count(*) from segments") == [(len(memories),)]


def test_a_shell_sees_who_was_there_and_which_events_a_memory_and_a_pattern_were_made_of(mem: memdb.Memory, tmp_path: Path) -> None:
    for day in ("2025-03-03", "2025-03-04", "2025-03-05"):
        coffee(mem, day)
    mem.narrate(now="2025-03-06T00:00:00Z")
    mem.drain()
    mem.maintain(now="2025-03-06T12:00:00Z")
    found = rows(
        tmp_path / "mem.db",
        "select family_members, json_array_length(source_event_ids), source_event_ids ->> 3, embedding_id is not null, consolidated from narrative order by 2",
    )
    assert found == [('["Rui"]', 3, None, 1, 1)] * 3 + [('["Rui"]', 9, "2025-03-0407:00", 0, 0)]


# recall


@pytest.fixture
def house(mem: memdb.Memory) -> memdb.Memory:
    """Five evenings of Joana and Rui, with a memory of each, by the sixth of March at noon."""
    said = (
        "Joana played jazz in the kitchen",
        "Rui asked for warmer lights",
        "Joana baked a cake",
        "Rui repaired the bicycle",
        "Joana got promoted",
    )
    for day, text in enumerate(said, start=1):
        mem.event(text, user_id="home", timestamp=f"2025-03-{day:02}T18:00:00Z", participants=[text.split()[0]])
    mem.narrate(now="2025-03-06T12:00:00Z")
    mem.drain()
    return mem


NOON = "2025-03-06T12:00:00Z"


def test_recall_filters_by_people_type_age_score_and_number(house: memdb.Memory) -> None:
    def found(**filters: object) -> set[str]:
        given: dict[str, object] = {"min_score": 0.0, "limit": 10, **filters}
        hits = house.recall("what happened with jazz and lights", user_id="home", now=NOON, **given)  # type: ignore[arg-type]
        return {hit.fact.value_text.split(" noticed that ")[1].split()[0] + hit.fact.valid_from.strftime("%d") for hit in hits}

    assert found() == {"Joana01", "Rui02", "Joana03", "Rui04", "Joana05"}
    assert found(participants=["rui"]) == {"Rui02", "Rui04"}
    assert found(participants=["Rui", "Joana"]) == found()
    assert found(participants=[]) == set()
    assert found(memory_types=["SIGNIFICANT"]) == {"Joana05"}
    assert found(max_age_days=2.5) == {"Rui04", "Joana05"}
    assert found(max_age_days=0) == found()
    assert found(min_score=0.99) == set()
    assert len(found(limit=2)) == 2


@pytest.mark.parametrize(("most", "told"), [(9, True), (0.1, False), (0, True)])
def test_a_context_tells_memories_as_old_as_the_setting_lets_them_be(house: memdb.Memory, most: float, told: bool) -> None:
    path = Path(str(house.stats().path))
    with memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False, "max_age_days": most}) as again:
        made = again.context("What did Joana get?", user_id="home", now="2025-03-07T12:00:00Z")
    assert ("Joana" in made.text) is told


def test_search_may_be_limited_to_what_certain_people_said_or_took_part_in(house: memdb.Memory) -> None:
    house.load([{"text": "I sang of jazz", "speaker": "Rui"}, {"text": "I heard the jazz", "speaker": "Mila"}], user_id="home")
    house.drain()
    hits = house.search("jazz", user_id="home", participants=["RUI"], limit=20)
    assert {hit.fact.speaker for hit in hits if hit.fact.kind == "message"} == {"Rui"}
    assert all("Rui" in hit.fact.value_text for hit in hits if hit.fact.kind == "narrative")
    assert [hit.fact.speaker for hit in house.search("jazz", user_id="home", participants=["Mila"])] == ["Mila"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["Elizabeth"], {"Elizabeth read"}),
        (["elizabeth  fife "], {"Elizabeth read"}),
        (["José"], {"José cooked"}),
        (["JOSÉ"], {"José cooked"}),
        (["jose\u0301"], {"José cooked"}),  # the accent apart, as some keyboards write it
        (["Fife", "josé"], {"Elizabeth read", "José cooked"}),
        (["Eliza"], set()),
        (["Elizabeth Silva"], set()),
        ([""], set()),
        (["%"], set()),
        (["O’Neil"], {"Sara called"}),
        (["o'neil"], {"Sara called"}),
        (["Mary"], {"Mary-Ann sang"}),
        (["mary-ann"], {"Mary-Ann sang"}),
        (["Mary Ann"], {"Mary-Ann sang"}),
        (["D'Arc"], {"Mary-Ann sang"}),
        (["-"], set()),
    ],
)
def test_people_are_found_by_a_word_of_their_names_however_it_is_written(mem: memdb.Memory, asked: list[str], found: set[str]) -> None:
    mem.event("José cooked", user_id="home", timestamp=f"{DAY}T08:00:00Z", participants=["José"])
    mem.event("Elizabeth read", user_id="home", timestamp=f"{DAY}T14:00:00Z", participants=["Elizabeth Fife"])
    mem.event("Sara called", user_id="home", timestamp=f"{DAY}T18:00:00Z", participants=["Sara O'Neil"])
    mem.event("Mary-Ann sang", user_id="home", timestamp=f"{DAY}T22:00:00Z", participants=["Mary-Ann D’Arc"])
    mem.narrate(now=LATER)
    for ask in (mem.recall, mem.search):
        hits = ask("cooked or read or called or sang", user_id="home", participants=asked, min_score=0, now=LATER)
        assert {hit.fact.source_excerpt for hit in hits} == found


def test_a_recalled_memory_is_as_hot_or_cold_as_the_settings_say(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "hot_days": 1, "warm_days": 3}) as mem:
        mem.event("Rui asked for warmer lights", user_id="casa", timestamp="2025-03-01T09:00:00Z", importance=0.9)
        mem.narrate(now="2025-03-01T21:00:00Z")
        hits = mem.recall("lights", user_id="casa", now="2025-03-03T09:00:00Z")
        assert [hit.tier for hit in hits] == ["warm"]


def test_recall_by_a_type_that_there_is_not_is_refused(house: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="memory_types is 'HABIT'; give one of SIGNIFICANT, PREFERENCE"):
        house.recall("dinner", user_id="home", memory_types=["HABIT"])  # type: ignore[list-item]


def test_what_still_lies_in_the_buffer_is_not_recalled(mem: memdb.Memory) -> None:
    coffee(mem)
    (fact,) = mem.narrate(now=f"{DAY}T07:31:00Z")
    assert mem.recall("coffee", user_id="home", now=f"{DAY}T07:39:00Z", min_score=0.0) == []
    assert [hit.fact.fact_id for hit in mem.recall("coffee", user_id="home", now=f"{DAY}T07:40:00Z", min_score=0.0)] == [fact.fact_id]


def test_the_score_is_the_specified_sum(house: memdb.Memory) -> None:
    hit = house.recall("Rui asked for warmer lights", user_id="home", now=NOON, min_score=0.0)[0]
    parts = hit.parts
    assert parts["importance"] == pytest.approx(hit.fact.importance * parts["type_weight"] * parts["decay"])
    assert parts["match"] == parts["cosine"] > 0
    wanted = 0.40 * parts["cosine"] + 0.25 * parts["importance"] + 0.20 * parts["decay"] + 0.15 * parts["access_bonus"]
    assert hit.score == pytest.approx(wanted)


def test_without_vectors_the_memory_with_most_of_the_words_comes_to_mind_first(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        said = "repaired the music box;sold the music stand;won the music prize;lost the music sheet;asked for music;packed the music case"
        for day, text in enumerate(["played jazz music in the kitchen", *said.split(";")], start=1):
            mem.event(f"Joana {text}", user_id="home", timestamp=f"2025-03-{day:02}T12:00:00Z", participants=["Joana"])
        mem.narrate(now="2025-03-20T12:00:00Z")
        hits = mem.recall("Joana jazz music kitchen", user_id="home", now="2025-03-20T12:00:00Z")
    assert "jazz" in hits[0].fact.value_text
    assert hits[0].score == pytest.approx(sum(hits[0].contributions.values()))
    assert hits[0].contributions["match"] == 0.4


def test_what_is_recalled_is_reinforced_once_a_time_and_reading_writes_nothing(house: memdb.Memory) -> None:
    before = {fact.fact_id: fact for fact in house.facts("home")}
    hits = [house.recall("warmer lights", user_id="home", limit=1, min_score=0.0, now=NOON)[0] for _ in range(3)]
    assert {fact.fact_id: fact for fact in house.facts("home")} == before
    house.maintain(now=NOON)
    after = next(fact for fact in house.facts("home") if fact.fact_id == hits[0].fact.fact_id)
    assert (after.access_count, f"{after.last_accessed:%m-%d %H}") == (3, "03-06 12")
    assert after.importance == pytest.approx(min(1.0, before[after.fact_id].importance + 0.3))
    assert sum(fact.access_count for fact in house.facts("home")) == 3


def test_reading_never_waits_for_a_writer_and_what_was_recalled_is_kept_at_closing(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        coffee(mem)
        mem.narrate(now=LATER)
        writer = Store(path, memdb.Config(), vectors=False)
        writer.database().connection.execute("begin immediate")
        started = time.perf_counter()
        assert mem.recall("coffee", user_id="home", now=LATER, min_score=0.0)
        assert time.perf_counter() - started < 1.0
        writer.database().connection.execute("rollback")
        writer.close()
    assert rows(path, "select access_count from facts") == [(1,)]


def test_what_was_recalled_is_noted_while_the_memory_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None) as mem:
        now = datetime.now(UTC)  # a memory of long ago would be gone with the night's maintenance
        mem.event("Joana drank coffee", user_id="home", participants=["Joana"], timestamp=now - timedelta(hours=2))
        mem.narrate(now=now + timedelta(days=1))
        assert mem.recall("coffee", user_id="home", now=now + timedelta(days=1), min_score=0.0)
        until = time.monotonic() + 60
        while rows(path, "select access_count from facts") != [(1,)] and time.monotonic() < until:
            time.sleep(0.05)
        assert rows(path, "select access_count from facts") == [(1,)]


@pytest.fixture
def mornings(mem: memdb.Memory) -> memdb.Memory:
    """Twelve days on which Rui did something else each, the oldest 500 days before 20 March 2025 at noon, the newest twenty minutes."""
    told = (
        "baked bread;fed the cat;lost a glove;called Mila;packed a bag;sold a lamp;sang in the hall;dug a hole;made jam;read a map".split(
            ";"
        )
    )
    for place, text in enumerate(["found the key at sea", *told, "found the key at home"]):
        at = {0: "2023-11-06T12:00:00Z", 11: "2025-03-20T11:40:00Z"}.get(place, f"2025-03-{place + 1:02}T12:00:00Z")
        mem.event(f"Rui {text}", user_id="home", timestamp=at, participants=["Rui"], importance=0.9)
    assert len(mem.narrate(now="2025-03-20T11:55:00Z")) == 12
    mem.drain()
    return mem


@pytest.mark.parametrize(("now", "young"), [("2025-03-20T11:45:00Z", 0), ("2025-03-20T12:10:00Z", 1)])
def test_a_context_is_given_as_many_and_as_old_memories_as_recall_gives(mornings: memdb.Memory, now: str, young: int) -> None:
    asked = "Where did Rui find the key?"
    for facts in ([item.fact_id for item in mornings.context(asked, user_id="home", now=now).items],
                  [hit.fact.fact_id for hit in mornings.assess(asked, user_id="home", now=now)]):  # fmt: skip
        texts = [fact.value_text for fact in mornings.facts("home") if fact.fact_id in facts]
        assert len(texts) == 5
        assert sum("at home" in text for text in texts) == young
        assert not any("at sea" in text for text in texts)


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ("2025-03-01T12:09:59.999Z", False),
        ("2025-03-01T12:10:00Z", True),  # out of the buffer
        ("2026-03-01T12:00:00Z", True),  # 365 days old
        ("2026-03-01T12:00:00.001Z", False),
    ],
)
def test_a_context_and_recall_know_the_same_limits_of_age(tmp_path: Path, now: str, found: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.remember("Rui likes warm lights", user_id="home", kind="narrative", timestamp="2025-03-01T12:00:00Z")
        assert bool(mem.recall("warm lights", user_id="home", now=now)) is found
        assert bool(mem.assess("warm lights", user_id="home", now=now)) is found


def test_only_the_memories_that_a_context_shows_count_as_recalled(mornings: memdb.Memory) -> None:
    now = "2025-03-20T12:10:00Z"
    shown = mornings.context("What did Rui do?", user_id="home", now=now, max_tokens=120).items
    mornings.maintain(user_id="home", now=now)
    assert 0 < len(shown) < 5
    assert {fact.fact_id for fact in mornings.facts("home") if fact.access_count} == {item.fact_id for item in shown}


def test_what_is_seen_again_and_again_is_as_young_as_it_was_seen_last(mem: memdb.Memory) -> None:
    for day in (1, 2, 3, 4, 20):
        coffee(mem, f"2025-03-{day:02}")
        mem.narrate(now=f"2025-03-{day:02}T23:00:00Z")
        if day > 3:
            assert mem.maintain(user_id="home", now=f"2025-03-{day:02}T23:30:00Z").consolidated
    (hit,) = mem.recall("coffee", user_id="home", now="2025-03-21T12:00:00Z", max_age_days=10)
    assert f"{hit.fact.created_at:%m-%d}" == "03-04"
    assert mem.recall("coffee", user_id="home", now="2025-03-31T12:00:00Z", max_age_days=10) == []


def test_a_memory_is_found_by_the_words_of_its_events_too(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for number in range(30):
            mem.event(f"Rui carried box number{number} of very many different heavy things", user_id="home",
                      timestamp=f"{DAY}T08:{number:02}:00Z", participants=["Rui"])  # fmt: skip
        fact = told(mem)
        missing = next(number for number in range(30) if f"number{number} " not in fact.value_text)
        assert [hit.fact.fact_id for hit in mem.search(f"number{missing}", user_id="home", now=LATER)] == [fact.fact_id]


# forgetting


def test_forgetting_what_a_turn_taught_erases_the_memories_that_tell_of_it(tmp_path: Path) -> None:
    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=config) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1", timestamp="2025-03-03T08:00:00Z")
        mem.observe("I like jazz.", user_id="ana", turn_id="t2", timestamp="2025-03-03T08:20:00Z")
        mem.drain()
        assert "Porto" in mem.facts("ana", kinds=["narrative"])[0].value_text
        mem.forget("ana", key="user.lives_in")
        mem.drain()
        (again,) = mem.facts("ana", kinds=["narrative"])
        assert "jazz" in again.value_text
    assert b"Porto" not in (tmp_path / "mem.db").read_bytes()


def test_what_went_into_a_pattern_with_what_is_forgotten_stands_by_itself_again(tmp_path: Path) -> None:
    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=config) as mem:
        for day in (3, 4, 5):
            mem.observe("I had coffee with Rita.", user_id="ana", turn_id=f"t{day}", timestamp=f"2025-03-0{day}T08:00:00Z")
        mem.remember("Ana knows Rita", user_id="ana", key="user.knows", turn_id="t4", timestamp="2025-03-04T08:00:00Z")
        mem.drain()
        assert mem.maintain(now="2025-03-10T00:00:00Z").consolidated == 3
        mem.forget("ana", key="user.knows")
        left = mem.facts("ana", kinds=["narrative"], statuses=["active", "archived"])
        assert [(one.status, one.valid_from.day, parts_of(one.value_json)["consolidated"]) for one in left] == [
            ("active", 3, 0),
            ("active", 5, 0),
        ]


def test_what_was_taken_back_is_not_told_after_what_was_told_with_it_is_forgotten(tmp_path: Path) -> None:
    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=config) as mem:
        mem.observe("I live in Porto.", user_id="ana", session_id="s", timestamp="2025-03-03T08:00:00Z")
        mem.observe("I like jazz.", user_id="ana", session_id="s", timestamp="2025-03-03T08:20:00Z")
        mem.drain()
        mem.undo(user_id="ana", session_id="s", now="2025-03-04T00:00:00Z")
        mem.forget("ana", key="user.lives_in")
        mem.drain()
        assert mem.facts("ana", kinds=["narrative"], statuses=EVER) == []


def test_the_calls_that_told_what_is_forgotten_go_too(tmp_path: Path) -> None:
    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=config) as mem:
        mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-03T08:00:00Z")
        mem.drain()
        (memory,) = mem.facts("ana", kinds=["narrative"])
        call = ModelCall(
            purpose="compose", prompt_hash="0", model="m", mode="text", attempt=1, elapsed_ms=1.0, raw="Ana told me where she is."
        )
        keep_calls(mem._store.database(), [call], user_id="ana", turn_id=memory.source_turn_id, now=memory.created_at, config=mem.config)
        mem.forget("ana", key="user.lives_in")
        assert mem.calls("ana") == []


@pytest.mark.parametrize("key", [None, "household.experience"])
def test_forgetting_a_household_leaves_no_word_of_it_in_the_file(tmp_path: Path, key: str | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config={"worker": False}) as mem:
        for day in range(1, 6):
            coffee(mem, f"2025-03-{day:02}")
        mem.drain()
        mem.maintain(now="2025-03-10T00:00:00Z")
        mem.recall("coffee", user_id="home", now="2025-03-10T00:00:00Z")
        mem.forget("home", key=key)
        mem.drain()
        assert mem.facts("home", statuses=["active", "archived"]) == []
    content = (tmp_path / "mem.db").read_bytes()
    assert b"coffee" not in content
    assert rows(
        tmp_path / "mem.db", "select (select count(*) from events), (select count(*) from segments), (select count(*) from links)"
    ) == [(0, 0, 0)]


def test_with_a_forgotten_pattern_goes_what_went_into_it_and_nothing_else(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config={"worker": False}) as mem:
        for day in range(1, 6):
            coffee(mem, f"2025-03-{day:02}")
        mem.event("Rui painted the fence", user_id="home", participants=["Rui"], timestamp="2025-03-06T15:00:00Z")
        mem.drain()
        assert mem.maintain(now="2025-03-10T00:00:00Z").consolidated == 5
        mem.forget("home", key="household.pattern")
        mem.drain()
        assert (mem.maintain(now="2025-03-11T00:00:00Z").patterns, mem.narrate(now="2025-03-11T00:00:00Z")) == (0, [])
        (left,) = mem.facts("home", kinds=["narrative"], statuses=["active", "archived"])
        assert "fence" in left.value_text
    assert b"coffee" not in (tmp_path / "mem.db").read_bytes()


def test_an_event_taken_again_need_not_be_told_in_full_but_not_otherwise(mem: memdb.Memory) -> None:
    mem.event("Rui came home", user_id="home", event_id="e1", participants=["Rui"], importance=0.6)
    assert mem.event("Rui came home", user_id="home", event_id="e1") == "e1"  # when it is taken is no part of it
    assert mem.event("Rui came home", user_id="home", event_id="e1", participants=["Rui"], importance=0.6) == "e1"
    for other in (
        {"participants": ["Mila"]},
        {"importance": 0.9},
        {"location": "hall"},
        {"trigger": "person_arrived_home"},
        {"timestamp": DAY},
    ):
        with pytest.raises(memdb.ConflictError, match="already has another event 'e1'"):
            mem.event("Rui came home", user_id="home", event_id="e1", **other)


def test_what_becomes_a_pattern_comes_to_mind_all_the_time(mem: memdb.Memory) -> None:
    for day in (3, 4, 5):
        coffee(mem, f"2025-03-0{day}")
    mem.narrate(now="2025-03-05T22:00:00Z")
    after = "2025-03-05T22:00:01Z"
    assert len(mem.recall("coffee", user_id="home", now=after)) == 3
    assert mem.maintain(user_id="home", now="2025-03-05T22:00:00Z").patterns == 1
    (found,) = mem.recall("coffee", user_id="home", now=after)
    assert isinstance(found.fact.value_json, dict)
    assert found.fact.value_json["pattern"] == 1
    assert found.fact.fact_id in {item.fact_id for item in mem.context("Who makes coffee?", user_id="home", now=after).items}


def test_a_pattern_comes_to_mind_though_the_last_of_what_went_into_it_lies_in_the_buffer(mem: memdb.Memory) -> None:
    for day in (3, 4, 5):
        coffee(mem, f"2025-03-0{day}")
    (*_, last) = mem.narrate(now="2025-03-05T22:00:00Z")
    after = last.created_at + timedelta(minutes=1)
    assert len(mem.recall("coffee", user_id="home", now=after)) == 2
    assert mem.maintain(user_id="home", now=after).patterns == 1
    (found,) = mem.recall("coffee", user_id="home", now=after)
    assert found.fact.key == "household.pattern"
    assert found.fact.fact_id in {item.fact_id for item in mem.context("Who makes coffee?", user_id="home", now=after).items}


def test_memories_that_are_said_never_to_fade_do_not(mem: memdb.Memory) -> None:
    mem._store.database().connection.execute("update kinds set half_life_days = null where kind = 'narrative'")
    coffee(mem)
    before = told(mem).effective_importance
    mem.maintain(now="2027-06-01T00:00:00Z")
    (after,) = mem.facts("home", kinds=["narrative"])
    assert after.effective_importance == before > 0.1
