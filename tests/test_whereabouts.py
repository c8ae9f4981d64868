"""Since when somebody lives or works at a place, said later, or without naming it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memdb
from memdb.whereabouts import last_day_there

Tell = Callable[..., memdb.Memory]
PORTO, BOSCH = "I live in Porto.", "I work at Bosch."
ASKED = "How long have you lived there?"


def began(path: Path, *said: str) -> dict[str, str]:
    """Since when each place is held; what begins with "A: " is the answer to what was said before it."""
    with memdb.open(path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "UTC"}) as mem:
        turns = [(text, said[place + 1][3:] if said[place + 1 : place + 2] and said[place + 1].startswith("A: ") else "Noted.")
                 for place, text in enumerate(said) if not text.startswith("A: ")]  # fmt: skip
        for place, (text, answer) in enumerate(turns):
            mem.observe(text, answer, user_id="ana", session_id="s", turn_id=f"t{place}", timestamp=f"2025-03-01T10:{place:02}:00Z")
            mem.drain()
        assert not any(turn.error for turn in mem.turns("ana"))
        return {fact.object: f"{fact.valid_from:%Y-%m-%d}" for fact in mem.facts("ana", now="2025-03-02")}


TODAY = "2025-03-01"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I got the job at Acme! I start on March 10th", {"Acme": "2025-03-10"}),
        ("I got the job at Acme, I start on Monday.", {"Acme": "2025-03-03"}),
        ("I got a job at Acme. My first day is 17 March, so happy", {"Acme": "2025-03-17"}),
        ("I got a job at Acme (starting March 10th)", {"Acme": "2025-03-10"}),
        ("I got a job at Acme, first day on Monday", {"Acme": "2025-03-03"}),
        ("I start March 10th at Acme", {"Acme": "2025-03-10"}),
        ("I'm starting a new job on Monday at Acme!", {"Acme": "2025-03-03"}),
        ("I got a job at Acme. Do I start on Monday?", {"Acme": TODAY}),
        ("I bought a house in Leeds, moving in on June 1st", {"house": TODAY}),
        ("We bought a house and move in on June 1st", {"house": TODAY}),
        ("I got engaged, wedding in June", {"engaged": TODAY}),
        ("I got married in June, honeymoon was lovely", {"married": "2024-06-01"}),
    ],
)
def test_a_day_that_is_told_with_a_change_is_that_of_what_happens_then(said: str, expected: dict[str, str], tmp_path: Path) -> None:
    found = began(tmp_path, said)
    assert {name: day for name, day in found.items() if name in expected} == expected


def test_what_is_to_begin_ends_the_old_job_no_sooner(tmp_path: Path) -> None:
    assert began(tmp_path, BOSCH, "I got the job at Acme! I start on March 10th") == {"Bosch": TODAY, "Acme": "2025-03-10"}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([PORTO, "I've lived here for ten years."], {"Porto": "2015-03-02"}),
        ([PORTO, "I moved here in 2019."], {"Porto": "2019-01-01"}),
        ([PORTO, "Any tips? We moved here three years ago."], {"Porto": "2022-03-01"}),
        ([PORTO, "I've been here since 2019."], {"Porto": "2019-01-01"}),
        (["I live in Porto. I've lived there since May 2018."], {"Porto": "2018-05-01"}),
        ([BOSCH, "I've worked there for ten years."], {"Bosch": "2015-03-02"}),
        ([BOSCH, "I started there in 2012."], {"Bosch": "2012-01-01"}),
        (["I work at Bosch. I started there in 2012."], {"Bosch": "2012-01-01"}),
        (["I live in Porto and work at Bosch.", "I've been there for ten years."], {"Porto": TODAY, "Bosch": "2015-03-02"}),
        ([PORTO, BOSCH, "I've worked there since 2012. I've lived here since 2010."], {"Porto": "2010-01-01", "Bosch": "2012-01-01"}),
        ([PORTO, "Hi!", f"A: {ASKED}", "Since 2019."], {"Porto": "2019-01-01"}),
        ([PORTO, "Hi!", f"A: {ASKED}", "About ten years"], {"Porto": "2015-03-02"}),
        (
            ["I live in Porto and I work at a nursery", "A: How long have you been there?", "three years"],
            {"Porto": TODAY, "a nursery": "2022-03-01"},
        ),
        ([PORTO, "I've lived here since May 2015.", "I've lived here for ten years."], {"Porto": "2015-05-01"}),
        ([PORTO, "I've lived here for ten years.", "I've lived here since 2012."], {"Porto": "2012-01-01"}),
        ([BOSCH, "Hi!", "A: How long have you been at Bosch?", "I've been there since 2012."], {"Bosch": "2012-01-01"}),
    ],
)
def test_it_is_known_since_when(tmp_path: Path, said: list[str], expected: dict[str, str]) -> None:
    assert began(tmp_path, *said) == expected


@pytest.mark.parametrize(
    "said",
    [
        ["Tell me about Paris.", "I've lived there for ten years."],
        ["I've been to Rome. I've been there for two days."],
        ["If I had moved here in 2010 I'd speak the language."],
        ["How long have I lived here, for ten years?"],
        ["My sister moved here in 2015."],
        ["She said 'I moved here in 2015'."],
        ["I've been here since 8 am."],
        ["My boss lives in Faro.", "He's lived there since 2010. I've lived there for a year, too."],
        ["I moved here."],
        ["Hi!", "A: How long have you been waiting here?", "Since 2019."],
    ],
)
def test_nothing_is_dated_by_what_is_said_of_something_else(tmp_path: Path, said: list[str]) -> None:
    assert began(tmp_path, PORTO, *said)["Porto"] == TODAY


def test_of_two_homes_none_is_dated(tmp_path: Path) -> None:
    assert began(tmp_path, PORTO, "I think I live in Braga.", "I've lived here for ten years.") == {"Porto": TODAY, "Braga": TODAY}


def until(path: Path, *said: str) -> dict[str, str]:
    """Until when each place is held, where that is known."""
    with memdb.open(path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "UTC"}) as mem:
        for place, text in enumerate(said):
            speaker, text = ("assistant", text[3:]) if text.startswith("A: ") else (None, text)
            mem.observe(text, user_id="ana", session_id="s", speaker=speaker, timestamp=f"2025-03-01T10:{place:02}:00Z")
            mem.drain()
        held = mem.facts("ana", key="user.works_at", statuses=("active", "expired"), now="2025-03-01T11:00:00Z")
        return {fact.object: f"{fact.valid_to:%Y-%m-%d}" for fact in held if fact.valid_to is not None}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([BOSCH, "Today is my last day at Bosch"], {"Bosch": "2025-03-02"}),
        ([BOSCH, "Today is my last day!"], {"Bosch": "2025-03-02"}),
        ([BOSCH, "My last day is 30 April"], {"Bosch": "2025-05-01"}),
        ([BOSCH, "I handed in my notice. My last day will be 30 April."], {"Bosch": "2025-05-01"}),
        ([BOSCH, "so my last day's 30 April and then I'm free"], {"Bosch": "2025-05-01"}),
        ([BOSCH, "A: When is your last day?", "30 April"], {"Bosch": "2025-05-01"}),
        ([BOSCH, "it's my last day at work"], {"Bosch": "2025-03-02"}),
        (["I work at a bakery", "Yesterday was my last day"], {"a bakery": TODAY}),
        ([BOSCH, "My last day of work is 30 April, then we go on holiday"], {"Bosch": "2025-05-01"}),
    ],
)
def test_a_job_ends_with_its_last_day(tmp_path: Path, said: list[str], expected: dict[str, str]) -> None:
    assert until(tmp_path, *said) == expected


@pytest.mark.parametrize(
    "said",
    [
        ["We're on holiday in Spain.", "My last day is 30 April"],
        ["My last day is 30 April, then I fly home from my trip"],
        ["If my last day is 30 April, when am I paid?"],
        ["Is my last day 30 April?"],
        ["Tomorrow is my last day as a 29 year old"],
        ["My last day was amazing"],
        ["My boss says my last day is 30 April"],
        ["Her last day is 30 April"],
        ["A: When is your last day of school?", "30 April"],
        ["It's my last day of school"],
    ],
)
def test_a_last_day_of_something_else_ends_no_job(tmp_path: Path, said: list[str]) -> None:
    assert until(tmp_path, BOSCH, *said) == {}


def test_a_last_day_is_of_a_job_that_is_known() -> None:
    assert list(last_day_there("My last day is Friday.", {"lives_in": "Porto"}, "")) == []


@pytest.mark.parametrize(
    ("said", "then", "expected"),
    [
        ("I'm moving to York soon.", "We're in York now.", {"user.lives_in": "York"}),
        ("I live in Hull and I'm moving to Bath in September.", "So we're in Bath now.", {"user.lives_in": "Bath"}),
        ("I'm staying in Leeds. I'm moving to York soon.", "We're in York now.", {"user.lives_in": "York"}),
        ("I live in York. I'm staying in Leeds.", "I'm in York.", {"user.lives_in": "York"}),
        ("I live in Hull.", "I'm in York now.", {"user.lives_in": "Hull", "user.staying_in": "York"}),
        ("I live in York. I moved to Leeds.", "I'm in York.", {"user.lives_in": "Leeds", "user.staying_in": "York"}),
        ("I'm moving to Porto soon.", "I'm in Porto now to look at flats.", {"user.plans": "moving to Porto", "user.staying_in": "Porto"}),
    ],
)
def test_whoever_is_where_they_live_is_on_no_visit_there(tell: Tell, said: str, then: str, expected: dict[str, str]) -> None:
    assert {fact.key: fact.object for fact in tell(said, then).facts("ana", now="2025-03-02T12:00:00Z")} == expected


@pytest.mark.parametrize(
    ("said", "key", "until"),
    [
        ("My contract with Nokia ends on 31 March.", "user.works_at", "2025-04-01"),
        ("My contract at the hospital finishes in May.", "user.works_at", "2025-06-01"),
        ("My job at Asda finishes on Friday.", "user.works_at", "2025-03-08"),
        ("I'm temping at Aldi for two weeks.", "user.works_at", "2025-03-15"),
        ("We're renting in Lisbon for three months.", "user.lives_in", "2025-06-01"),
        ("This week I'm getting up at 5.", "user.gets_up_at", "2025-03-03"),
        ("I'm working from home until Friday.", "user.works_from", "2025-03-08"),
    ],
)
def test_what_is_so_for_a_while_ends_then(tell: Tell, said: str, key: str, until: str) -> None:
    (fact,) = tell(said).facts("ana", now="2025-03-01T12:00:00Z")
    assert (fact.key, f"{fact.valid_to:%Y-%m-%d}") == (key, until)
