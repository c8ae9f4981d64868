"""What was planned for one day is on another: which thing, and which day is meant."""

from __future__ import annotations

from datetime import date

import pytest

import memdb
from memdb.putting_off import Way, moved_from, moved_to_a_day


def planned(mem: memdb.Memory, *said: str) -> dict[str, str]:
    """What is planned for which day after turns of the user in a May."""
    for place, text in enumerate(said):
        mem.observe(text, user_id="ana", session_id="s", timestamp=f"2025-05-05T10:{place:02}:00Z")
    mem.drain()
    facts = mem.facts("ana", statuses=["active"], key="user.plans", now="2025-05-05T11:00:00Z")
    return {fact.object: f"{fact.event_time:%-d %b}" for fact in facts if fact.event_time}


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("it's been moved to Monday, same time", "12 May"),
        ("moved to Monday", "12 May"),
        ("oh, they pushed it back to the 26th", "26 May"),
        ("got postponed to 3 June", "3 Jun"),
        ("moved to Leeds in 2019", "9 May"),
        ("my sister moved to Hull on Monday", "9 May"),
        ("has it been moved to Monday?", "9 May"),
    ],
)
def test_what_was_just_planned_is_moved_without_its_name(mem: memdb.Memory, said: str, day: str) -> None:
    assert planned(mem, "My dentist appointment is on Friday at 3.", said) == {"dentist appointment": day}


def test_what_is_moved_without_its_name_is_nothing_where_two_things_were_planned(mem: memdb.Memory) -> None:
    before = "My driving test is on 12 May. My interview is on 13 May."
    assert planned(mem, before, "it's been moved to 20 May") == {"driving test": "12 May", "interview": "13 May"}


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("test got pushed back to the 26th", "26 Jun"),
        ("My driving test has been put off until the 3rd", "3 Jul"),
        ("They've brought my driving test forward to the 3rd", "3 Jun"),
        ("My driving test has been moved to the 14th", "14 Jun"),
    ],
)
def test_a_day_by_its_number_is_next_to_the_one_that_was_planned(mem: memdb.Memory, said: str, day: str) -> None:
    assert planned(mem, "My driving test is on 12 June.", said) == {"driving test": day}


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("it was postponed to the 3rd", "later"),
        ("they brought it forward to the 3rd", "sooner"),
        ("it's moved to the 3rd", "either"),
        ("it's moved to the 3rd of June", None),
        ("it's on the 3rd", None),
    ],
)
def test_what_moves_something_to_a_day_by_its_number(text: str, way: Way | None) -> None:
    assert moved_to_a_day(text) == way


def test_nothing_is_moved_to_a_day_that_has_gone_by() -> None:
    assert moved_from(date(2025, 5, 12), day=3, way="sooner", now=date(2025, 5, 5)) is None
    assert moved_from(date(2025, 1, 31), day=31, way="later", now=date(2025, 1, 5)) == date(2025, 3, 31)


@pytest.mark.parametrize(
    ("said", "begins"),
    [
        ("The move is pushed to the summer.", "06-01"),
        ("The move was moved to late summer.", "08-01"),
        ("We've postponed the move to the autumn.", "09-01"),
        ("The move is postponed until autumn.", "09-01"),
        ("The move has been brought forward to April.", "04-01"),
    ],
)
def test_a_move_is_put_off_to_a_season_and_brought_forward(mem: memdb.Memory, said: str, begins: str) -> None:
    for day, text in (("2025-03-01", "I live in Lisbon. I'm moving to Porto in May."), ("2025-03-20", said)):
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
    held = {fact.object: fact for fact in mem.facts("ana", key="user.lives_in", now="2025-03-21")}
    assert (f"{held['Porto'].valid_from:%m-%d}", f"{held['Lisbon'].valid_to:%m-%d}") == (begins, begins)


def test_what_is_put_off_to_a_season_that_has_begun_is_not_so_yet(mem: memdb.Memory) -> None:
    for day, text in (
        ("2025-03-01", "I live in Lisbon. I'm moving to Porto in July."),
        ("2025-06-10", "The move is pushed to the summer."),
    ):
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
    assert [entry.value for entry in mem.profile("ana", now="2025-06-11").identity["user.lives_in"]] == ["Lisbon"]


@pytest.mark.parametrize("said", ["The wedding is pushed to the autumn.", "We've moved the wedding to the autumn."])
def test_what_is_put_off_to_a_season_is_some_day_of_it(mem: memdb.Memory, said: str) -> None:
    assert planned(mem, "I'm getting married in June.", said) == {"getting married": "1 Sep"}
