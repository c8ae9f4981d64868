"""What was planned for one day is on another: which thing, and which day is meant."""

from __future__ import annotations

from datetime import date

import pytest

import memdb
from memdb.clock import later
from memdb.english_rules import rules
from memdb.putting_off import Way, meant_by, moved_from, moved_to_a_day, shifted


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
        ("the receptionist rang, they've rescheduled it for the 20th", "20 May"),
        ("they had to move it to the 21st of May", "21 May"),
        ("it's on Monday now", "12 May"),
        ("we're going on Saturday now instead of Friday", "10 May"),
        ("it's been delayed by a week", "16 May"),
        ("it's been brought forward two days", "7 May"),
        ("we moved for a year", "9 May"),
        ("he almost moved it to Monday", "9 May"),
        ("it's cold now", "9 May"),
    ],
)
def test_what_was_just_planned_is_moved_without_its_name(mem: memdb.Memory, said: str, day: str) -> None:
    assert planned(mem, "My dentist appointment is on Friday at 3.", said) == {"dentist appointment": day}


@pytest.mark.parametrize(
    ("said", "plan"),
    [
        ("The dentist is at 2 instead of 10.", "dentist appointment at 2"),
        ("My dentist appointment has been moved to 4pm.", "dentist appointment at 4pm"),
        ("The dentist has been brought forward an hour.", "dentist appointment at 9am"),
        ("Ana pushed my dentist appointment back to half past two.", "dentist appointment at half past two"),
        ("it's been moved to 4pm", "dentist appointment at 4pm"),
        ("ugh, they rang, it's at 2 now", "dentist appointment at 2"),
        ("it's been pushed back by 30 minutes", "dentist appointment at 10:30am"),
        ("The dentist moved to 5 Main Street.", "dentist appointment at 10am"),
        ("they moved it to room 4", "dentist appointment at 10am"),
        ("If the dentist is moved to 3 I can't go.", "dentist appointment at 10am"),
        ("My sister's dentist is at 2 instead of 10.", "dentist appointment at 10am"),
        ("Please move my dentist appointment to 3pm.", "dentist appointment at 10am"),
    ],
)
def test_what_is_at_another_hour_is_on_the_same_day(mem: memdb.Memory, said: str, plan: str) -> None:
    assert planned(mem, "I have a dentist appointment on 20 May at 10am.", said) == {plan: "20 May"}


def test_what_an_application_keeps_with_its_hour_is_at_the_other_hour(mem: memdb.Memory) -> None:
    at = "2025-05-20T10:00:00Z"
    mem.remember(
        "Plans a dentist appointment", user_id="ana", key="user.plans", object="dentist appointment", event_time=at, timestamp="2025-05-01"
    )
    planned(mem, "My dentist appointment has been moved to 2.")
    (fact,) = mem.facts("ana", statuses=["active"], key="user.plans", now="2025-05-05T11:00:00Z")
    assert (fact.object, f"{fact.event_time:%d %H:%M}") == ("dentist appointment at 2", "20 14:00")


@pytest.mark.parametrize(
    ("words", "minutes", "then"),
    [
        ("8am", 60, "9am"),
        ("12pm", 60, "1pm"),
        ("11", 60, "12"),
        ("12", 60, "1"),
        ("15:30", -45, "14:45"),
        ("9.30 am", -30, "9:00 am"),
        ("11pm", 90, None),
        ("half past two", 60, None),
    ],
)
def test_the_hour_is_told_as_it_was(words: str, minutes: int, then: str | None) -> None:
    assert later(words, minutes) == then


@pytest.mark.parametrize(
    ("said", "is_off"),
    [
        ("it's been cancelled", True),
        ("ugh, they rang, it's off", True),
        ("We had to call it off", True),
        ("they cancelled on me", True),
        ("it's not going ahead because of the strike", True),
        ("it's off to a good start", False),
        ("they might cancel it", False),
        ("Can I cancel it?", False),
        ("she cancelled her gym membership", False),
        ("they called on me yesterday", False),
    ],
)
def test_what_was_just_planned_is_off_without_its_name(mem: memdb.Memory, said: str, is_off: bool) -> None:
    assert planned(mem, "My dentist appointment is on Friday at 3.", said) == ({} if is_off else {"dentist appointment": "9 May"})


@pytest.mark.parametrize(
    ("before", "said", "what", "day"),
    [
        ("We're going to Norway in July.", "The Norway trip got moved to August", "going to Norway", "1 Aug"),
        ("We're going to Norway in July.", "Norway's been put back to next month", "going to Norway", "1 Jun"),
        ("We're going to Norway in July.", "We had to postpone the holiday until September", "going to Norway", "1 Sep"),
        ("We're going to Norway in July.", "My trip to Norway is in October now", "going to Norway", "1 Oct"),
        ("I'm flying to Oslo on 20 May.", "flight was delayed by a day", "flying to Oslo", "21 May"),
        ("I'm getting married in July.", "They are pushing our wedding to September", "getting married", "1 Sep"),
        ("I'm getting married in July.", "The wedding has been postponed by two months", "getting married", "1 Sep"),
        ("My hip operation is on 12 May.", "The hospital pulled my op forward to the 9th", "hip operation", "9 May"),
        ("My dentist appointment is on 12 May.", "The dentist moved me to 14 May", "dentist appointment", "14 May"),
        ("I have an exam on 12 May.", "they've pushed the exam back a week", "exam", "19 May"),
        ("I have an exam on 12 May.", "they brought the exam forward by three days", "exam", "9 May"),
        # … and nothing is
        ("I have an exam on 12 May.", "they moved the exam to room 12", "exam", "12 May"),
        ("I have an exam on 12 May.", "they changed the exam on Tuesday", "exam", "12 May"),
        ("I have an exam on 12 May.", "they moved the exam a week ago", "exam", "12 May"),
        ("I have an exam on 12 May.", "My friend's exam was moved to 20 May", "exam", "12 May"),
        ("I have an exam on 12 May.", "They moved her exam to 20 May", "exam", "12 May"),
        ("I have an exam on 12 May.", "They nearly moved the exam to 20 May", "exam", "12 May"),
        ("I have an exam on 12 May.", "They haven't moved the exam to 20 May", "exam", "12 May"),
        ("I have an exam on 12 May.", "My mum wants to move the exam to 20 May", "exam", "12 May"),
        ("My dentist appointment is on 12 May.", "the dentist has moved to a new building on 14 May", "dentist appointment", "12 May"),
        ("We're going to Norway in July.", "My brother moved to Norway in August", "going to Norway", "1 Jul"),
        ("We're going to Norway in July.", "The flight was delayed by two hours", "going to Norway", "1 Jul"),
        ("We're going to Norway in July.", "What if the trip gets moved to August?", "going to Norway", "1 Jul"),
    ],
)
def test_what_is_planned_is_moved_whatever_it_is_called(mem: memdb.Memory, before: str, said: str, what: str, day: str) -> None:
    assert planned(mem, before, said).get(what) == day


@pytest.mark.parametrize("said", ["The Norway trip got moved to August", "The Norway trip got moved forward to June"])
def test_a_change_tells_that_what_is_planned_is_at_another_time(mem: memdb.Memory, said: str) -> None:
    planned(mem, "We're going to Norway in July.", said)
    assert [change.reason for change in mem.history(user_id="ana")][-1] == "its time was said anew"


@pytest.mark.parametrize("said", ["Rita's wedding got pushed to August", "My sister's wedding has been moved to August"])
def test_what_a_relative_plans_is_moved(mem: memdb.Memory, said: str) -> None:
    assert planned(mem, "My sister Rita is getting married in July.", said) == {}
    moved = mem.facts("ana", key="sister.plans", now="2025-05-05T11:00:00Z")
    assert [(fact.object, f"{fact.event_time:%-d %b}") for fact in moved] == [("getting married", "1 Aug")]


def test_of_two_that_may_be_meant_none_is_moved(mem: memdb.Memory) -> None:
    assert meant_by("my exam", ["French exam", "maths exam"]) is None
    assert meant_by("the maths exam", ["French exam", "maths exam"]) == "maths exam"
    before = "My French exam is on 12 May. My maths exam is on 13 May."
    assert planned(mem, before, "They moved the maths exam to 20 May") == {"French exam": "12 May", "maths exam": "20 May"}


@pytest.mark.parametrize("example", rules().put_off.examples)
def test_the_examples_of_the_rules_are_moved(mem: memdb.Memory, example: tuple[str, str, str, str]) -> None:
    before, said, what, day = example
    assert planned(mem, before, said) == {what: day}


def test_how_far_something_is_moved() -> None:
    assert shifted("it was put back a month", date(2025, 1, 31)) == date(2025, 2, 28)
    assert shifted("it was brought forward by a couple of weeks", date(2025, 5, 20)) == date(2025, 5, 6)
    assert shifted("it was moved", date(2025, 5, 20)) is None


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
        ("they moved it up to the 3rd", "sooner"),
        ("it's moved to the 3rd", "either"),
        ("it's moved to the 3rd of June", None),
        ("it's on the 3rd", None),
    ],
)
def test_what_moves_something_to_a_day_by_its_number(text: str, way: Way | None) -> None:
    assert moved_to_a_day(text) == way


def test_what_is_moved_up_to_a_weekday_is_sooner(mem: memdb.Memory) -> None:
    assert planned(mem, "I have a job interview on Friday 16 May.", "They moved my interview up to Monday.") == {"job interview": "12 May"}


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


@pytest.mark.parametrize(
    ("said", "what", "day"),
    [
        ("My new job starts in June", "starting their new job", "1 Jun"),
        ("Our course begins on the 19th", "starting their course", "19 May"),
        ("I move into my new flat on the 23rd", "moving into their new flat", "23 May"),
        ("I graduate on the 23rd of June", "graduating", "23 Jun"),
        ("I go back to work on 20 May", "going back to work", "20 May"),
        ("We get the keys on Friday", "getting the keys", "9 May"),
        ("We're having a baby in October", "having a baby", "1 Oct"),
        ("I have a baby due in June", "having a baby", "1 Jun"),
        # … and nothing is
        ("My yoga class starts at 9 on Monday", "", ""),
        ("I go back to work on Mondays", "", ""),
        ("My sister is having a baby in October", "", ""),
        ("My sister's baby is due in October", "", ""),
        ("When does my course start?", "", ""),
        ("If my new job starts in June, I'll need a car", "", ""),
    ],
)
def test_what_begins_on_a_day_to_come_is_planned(mem: memdb.Memory, said: str, what: str, day: str) -> None:
    assert planned(mem, said) == ({what: day} if what else {})


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("My maternity leave ends in September", "maternity leave ends"),
        ("my course finishes in September", "course finishes"),
        ("Our car insurance is up for renewal in September", "car insurance is up for renewal"),
        ("My free trial expires in September", "free trial expires"),
        ("My lunch finishes in September", ""),
        ("My maternity leave ended in April", ""),
    ],
)
def test_what_ends_on_a_day_to_come_is_a_deadline(mem: memdb.Memory, said: str, what: str) -> None:
    mem.observe(said, user_id="ana", timestamp="2025-05-05")
    mem.drain()
    held = mem.facts("ana", key="user.deadline", now="2025-05-06")
    assert [(fact.object, fact.event_time and fact.event_time.month) for fact in held] == ([(what, 9)] if what else [])


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("I stop working at Acme at the end of June", "2025-07-01"),
        ("I finish at Acme on 30 May", "2025-05-31"),
        ("I'm done at Acme on 30 May", "2025-05-31"),
        ("I usually finish at Acme on Friday", None),
        ("I finish at Acme at 5 on Friday", None),
        ("My sister finishes at Acme on 30 May", None),
    ],
)
def test_who_stops_on_a_day_to_come_works_there_until_then(mem: memdb.Memory, said: str, until: str | None) -> None:
    for day, text in (("2025-05-01", "I work at Acme."), ("2025-05-05", said)):
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
    (held,) = mem.facts("ana", key="user.works_at", now="2025-05-06")
    assert held.valid_to is None if until is None else held.valid_to is not None and f"{held.valid_to:%Y-%m-%d}" == until
