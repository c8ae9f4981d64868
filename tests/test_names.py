"""Somebody is one person, whichever way the name is written."""

from __future__ import annotations

import unicodedata

import pytest

import memdb
from memdb.names import one_each, same_name, spelled

NFD = unicodedata.normalize("NFD", "José")
SPELLINGS = [("Ana", "ANA", "ana"), ("José", NFD, "JOSÉ"), ("Νίκος", unicodedata.normalize("NFD", "Νίκος"), "ΝΊΚΟΣ")]


def coffee(mem: memdb.Memory, day: int, *names: str) -> None:
    said = f"{names[0]} made coffee and read the paper"
    mem.event(said, user_id="home", timestamp=f"2025-03-0{day}T07:00:00Z", participants=names)


@pytest.mark.parametrize("names", SPELLINGS, ids=["case", "accent", "neither Latin"])
def test_who_is_written_in_another_way_has_one_pattern(names: tuple[str, ...], mem: memdb.Memory) -> None:
    for day, name in enumerate(names, start=3):
        coffee(mem, day, name)
    told = mem.narrate(now="2025-03-06")
    assert [fact.value_text.endswith(words) for fact, words in zip(told, (".", "once before.", "twice before."), strict=True)] == [True] * 3
    assert mem.maintain(user_id="home", now="2025-03-06").patterns == 1
    (pattern,) = mem.facts("home", key="household.pattern")
    coffee(mem, 7, names[1])
    mem.narrate(now="2025-03-08")
    assert mem.maintain(user_id="home", now="2025-03-08").consolidated == 1
    assert [fact.fact_id for fact in mem.facts("home", kinds=["narrative"])] == [pattern.fact_id]


@pytest.mark.parametrize("names", SPELLINGS, ids=["case", "accent", "neither Latin"])
def test_who_is_written_in_another_way_is_found(names: tuple[str, ...], mem: memdb.Memory) -> None:
    for day, name in enumerate((*names, "Rui"), start=3):
        coffee(mem, day, name)
    mem.narrate(now="2025-03-08")
    for name in names:
        assert len(mem.search("coffee", user_id="home", participants=[name], kinds=["narrative"], now="2025-03-08")) == 3
        assert len(mem.recall("coffee", user_id="home", participants=[name], now="2025-03-08")) == 3


def test_in_one_memory_somebody_is_named_once(mem: memdb.Memory) -> None:
    mem.event("Ana and Rui danced", user_id="home", timestamp="2025-03-03T07:00:00Z", participants=["Ana", "Rui", "ana"])
    mem.event("Ana left", user_id="home", timestamp="2025-03-03T07:30:00Z", participants=["ANA"])
    (fact,) = mem.narrate(now="2025-03-04")
    assert isinstance(fact.value_json, dict)
    assert fact.value_json["participants"] == ["Ana", "Rui"]


def test_the_usual_spelling_stands_for_the_others() -> None:
    assert one_each(["ana", "Rui", "Ana", "Ana", "RUI"]) == ["Ana", "Rui"]


def test_names_that_differ_stay_apart() -> None:
    assert len({same_name(name) for name in ("Ana", "Anna", "Añá", "José", "Jose")}) == 5


def test_a_blank_name_is_spelled_in_no_way() -> None:
    assert spelled(["  ", " Ana  Maria "]) == ["Ana Maria"]
