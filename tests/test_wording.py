"""How a fact is worded, so that it reads as English."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memdb
from memdb.wording import without_article, worded

Tell = Callable[..., memdb.Memory]


@pytest.mark.parametrize(
    ("label", "value", "text"),
    [
        ("works as", "nurse", "works as a nurse"),
        ("works as", "actress", "works as an actress"),
        ("works as", "UX designer", "works as a UX designer"),
        ("works as", "HR manager", "works as an HR manager"),
        ("works as", "university lecturer", "works as a university lecturer"),
        ("works as", "the manager", "works as the manager"),
        ("works as", "head of sales", "works as head of sales"),
        ("works as", "freelance writer", "works as a freelance writer"),
        ("works as", "freelance", "works as freelance"),
        ("works as", "teachers", "works as teachers"),
        ("works as", "manager of two shops", "works as a manager of two shops"),
        ("works as", "retired nurse", "is a retired nurse"),
        ("wants", "opening a bookshop", "dreams of opening a bookshop"),
        ("is working on", "training for a marathon", "is training for a marathon"),
        ("is working on", "painting of a ship", "is working on painting of a ship"),
        ("is working on", "a novel", "is working on a novel"),
        ("wants", "a tattoo", "wants a tattoo"),
        ("has children:", "children", "has children"),
        ("has children:", "two sons", "has children: two sons"),
        ("works as", "unemployed", "is unemployed"),
        ("works as", "on maternity leave", "is on maternity leave"),
        ("drives", "Audi", "drives an Audi"),
        ("eats", "vegan", "eats vegan"),
        ("eats", "Mediterranean diet", "eats a Mediterranean diet"),
        ("drives", "cars", "drives cars"),
        ("owns", "own studio", "owns their own studio"),
        ("owns", "three houses", "owns three houses"),
        ("lives in", "near Porto", "lives near Porto"),
        ("has a budget for the trip", "1500 euros", "has a budget for the trip of 1500 euros"),
        ("lives in", "Porto", "lives in Porto"),
        ("plans", "race", "plans a race"),
        ("plans", "dentist appointment", "plans a dentist appointment"),
        ("plans", "marathon in Berlin", "plans a marathon in Berlin"),
        ("plans", "coffee with Tom", "plans coffee with Tom"),
        ("is a member of", "running club", "is a member of a running club"),
        ("is a member of", "Friends of the Earth", "is a member of Friends of the Earth"),
        ("plans", "a trip to Rome", "plans a trip to Rome"),
        ("plans", "getting married", "plans on getting married"),
        ("plans", "to see Rome", "plans to see Rome"),
        ("plans", "team meeting", "plans a team meeting"),
        ("is a member of", "book club", "is a member of a book club"),
        ("is a member of", "LGBTQ activist group", "is a member of an LGBTQ activist group"),
        ("is a member of", "Amnesty International", "is a member of Amnesty International"),
        ("has children:", "no children", "has no children"),
        ("has children:", "two kids", "has children: two kids"),
        ("works as", "", "works as"),
    ],
)
def test_a_fact_reads_as_english(label: str, value: str, text: str) -> None:
    assert worded(label, value) == text


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("works as", "nurse"),
        ("drives", "Audi"),
        ("owns", "own studio"),
        ("lives in", "The Hague"),
        ("plans", "race"),
        ("plans", "getting married"),
        ("is a member of", "book club"),
    ],
)
def test_the_value_is_found_again_in_the_words(label: str, value: str) -> None:
    assert without_article(label, worded(label, value).removeprefix(f"{label} ")) == value


def test_what_is_denied_or_said_of_several_is_put_so() -> None:
    assert worded("owns", "car", denied=True) == "does not own a car"
    assert worded("works as", "teachers", several=True) == "work as teachers"
    assert worded("works as", "retired", denied=True) == "is not retired"


def test_what_is_owed_to_ones_own_is_told_from_outside(tell: Tell) -> None:
    assert [fact.value_text for fact in tell("I owe my brother 200 euros.").facts("ana")] == ["User owes their brother 200 euros"]


@pytest.mark.parametrize(
    ("said", "key", "text"),
    [
        ("I play bass in a covers band called The Lampposts", "user.band", "User is in the band The Lampposts"),
        ("My brass band is called The Puffers", "user.band", "User is in the band The Puffers"),
        ("I'm in a running club called The Hares", "user.running_club", "User is in the running club The Hares"),
        ("We run a café called Mimo", "user.cafe", "User has the cafe Mimo"),
    ],
)
def test_one_is_in_a_band_and_does_not_have_it(tell: Tell, said: str, key: str, text: str) -> None:
    assert [fact.value_text for fact in tell(said).facts("ana", key=key)] == [text]
