"""Working memory: seven things in mind, three ways to let go, nothing on disk."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import memdb
from memdb.working import Eviction, WorkingMemory

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def mind(eviction: Eviction, *texts: str, capacity: int = 3) -> WorkingMemory:
    working = WorkingMemory(capacity, eviction, lambda: NOON)
    for text in texts:
        working.add(text)
    return working


def texts(working: WorkingMemory) -> list[str]:
    return [item.text for item in working]


def test_fifo_lets_go_of_what_came_first() -> None:
    working = mind("fifo", "one", "two", "three")
    working.touch("one")
    gone = working.add("four")
    assert gone is not None
    assert (gone.text, texts(working)) == ("one", ["two", "three", "four"])


def test_lru_lets_go_of_what_was_used_longest_ago() -> None:
    working = mind("lru", "one", "two", "three")
    working.touch("one")
    working.add("four")
    assert texts(working) == ["one", "three", "four"]


def test_importance_lets_go_of_what_matters_least_even_if_it_is_new() -> None:
    working = mind("importance", "one", "two", "three")
    gone = working.add("trifle", importance=0.1)
    assert gone is not None
    assert (gone.text, texts(working)) == ("trifle", ["one", "two", "three"])
    working.add("fire", importance=0.9)
    assert texts(working) == ["two", "three", "fire"]


@pytest.mark.parametrize("eviction", ["fifo", "lru", "importance"])
def test_what_the_file_has_goes_before_what_it_has_not(eviction: Eviction) -> None:
    working = mind(eviction, "one")
    for fact in ("two", "three"):
        working.add(fact, importance=0.9, kept=True)
    for text in ("four", "five"):
        gone = working.add(text)
        assert gone is not None
        assert gone.kept
    assert texts(working) == ["one", "four", "five"]


@pytest.mark.parametrize("eviction", ["fifo", "lru", "importance"])
def test_the_same_text_is_in_mind_once(eviction: Eviction) -> None:
    working = mind(eviction, "one", "two")
    assert working.add("one", importance=0.9) is None
    assert sorted(texts(working)) == ["one", "two"]
    for again in (0.9, 0.2):  # what matters once matters
        working.add("one", importance=again)
        assert {item.text: item.importance for item in working.items}["one"] == 0.9


@pytest.mark.parametrize("eviction", ["fifo", "lru", "importance"])
def test_it_never_holds_more_than_its_capacity(eviction: Eviction) -> None:
    working = mind(eviction, *(f"thought {number}" for number in range(100)), capacity=7)
    assert len(working) == 7


def test_what_was_dropped_is_not_there_to_be_used() -> None:
    working = mind("lru", "one", "two")
    assert working.drop("one")
    assert not working.drop("one")
    assert not working.touch("one")
    assert "one" not in working
    working.clear()
    assert len(working) == 0


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"text": " "}, "text is empty"),
        ({"text": "\ud800"}, "half a surrogate pair"),
        ({"text": "x", "kind": "rumour"}, "kind is 'rumour'; give one of note"),
        ({"text": "x", "key": "Lives In"}, "is not a key"),
        ({"text": "x", "importance": 2.0}, "importance is 2.0"),
        ({"text": "x", "kept": "no"}, "kept is 'no'; give True or False"),
        ({"text": "x", "kept": True, "kind": 5}, "kind is int, not text"),
        ({"text": "x", "fact_id": NOON}, "fact_id is datetime, not text"),
    ],
)
def test_what_could_not_be_kept_cannot_come_to_mind(item: dict[str, Any], says: str) -> None:
    working = mind("fifo")
    with pytest.raises(memdb.InputError, match=says):
        working.add(**item)
    assert len(working) == 0


def test_what_is_in_mind_takes_no_id_that_could_not_be_looked_up() -> None:
    working = mind("fifo", "one")
    for take in (working.add, working.keep):
        with pytest.raises(memdb.InputError, match="fact_id is datetime, not text"):
            take("one", fact_id=NOON)  # type: ignore[arg-type]
    assert working.items[0].fact_id is None


def test_what_comes_to_mind_again_has_come_last() -> None:
    working = mind("fifo", "one", "two", "three")
    working.add("one")
    working.add("four")
    assert texts(working) == ["three", "one", "four"]
