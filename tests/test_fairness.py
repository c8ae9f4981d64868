"""Who has little waiting is served soon, whatever others have waiting."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder
from memdb.identity import new_identity
from memdb.keeper import take_segment
from memdb.times import to_text, utc_now
from memdb.upkeep import take_upkeep
from memdb.worker import take_turn

LATER = datetime(2100, 1, 1, tzinfo=UTC)
BEFORE_AND_BEHIND = ("abe", "cy")  # by name, of the one who has much waiting
MANY = [{"text": f"I like song {place}.", "session_id": f"s{place}"} for place in range(30)]


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[memdb.Memory]:
    """A memory in which one user has much waiting, and two others come before that and after."""
    config = {"worker": False, "embed_batch": 8}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=config) as mem:
        mem.observe("I like tea.", user_id="abe")
        mem.load(MANY, user_id="bob")
        mem.observe("I like tea.", user_id="cy")
        yield mem


def take(mem: memdb.Memory, turns: int) -> list[str]:
    """Take some turns; return whose were done, in the order of their ids."""
    for _ in range(turns):
        take_turn(mem._store, mem.config, None, None, identity=new_identity())
    return [turn.user_id for turn in mem.turns() if turn.status == "done"]


def test_users_take_turns(busy: memdb.Memory) -> None:
    assert take(busy, 3) == ["abe", "bob", "cy"]
    busy.observe("I like rice.", user_id="cy")
    busy.observe("I like rice.", user_id="abe")
    assert take(busy, 3) == ["abe", "bob", "bob", "cy", "cy", "abe"]


def test_of_one_user_the_turns_are_taken_in_the_order_they_came(busy: memdb.Memory) -> None:
    take(busy, 12)
    assert [turn.user_input for turn in busy.turns("bob") if turn.status == "done"] == [str(one["text"]) for one in MANY[:10]]


def test_who_has_just_come_begins_with_who_has_waited_longest(busy: memdb.Memory) -> None:
    take(busy, 1)
    busy.observe("I like rice.", user_id="abe")
    busy._store.served.clear()
    assert take(busy, 1) == ["abe", "bob"]


def test_whose_turn_waits_for_its_next_attempt_is_passed_over_and_not_forgotten(busy: memdb.Memory) -> None:
    db = busy._store.database()
    db.connection.execute("update turns set next_attempt_at = '2125-01-01T00:00:00.000Z' where user_id in ('bob', 'cy')")
    assert take(busy, 3) == ["abe"]
    db.connection.execute("update turns set next_attempt_at = null")
    assert take(busy, 2) == ["abe", "bob", "cy"]


def due(mem: memdb.Memory) -> list[object]:
    """Whose lines, and which, are to be embedded next."""
    after = mem._store.served.get("vectors")
    return [row["id"] for row in mem._store.database().all("sync.due", now=to_text(utc_now()), batch=8, up_to=None, after=after)]


@pytest.mark.parametrize("user_id", BEFORE_AND_BEHIND)
def test_vectors_of_one_message_do_not_wait_for_those_of_a_large_import(busy: memdb.Memory, user_id: str) -> None:
    for _ in range(3):
        busy._background._embed()
    assert busy._store.database().connection.execute("select id from outbox where user_id = ?", (user_id,)).fetchall() == []


def test_batches_are_as_large_as_they_may_be_and_have_nothing_twice(busy: memdb.Memory) -> None:
    waits, sizes = busy.vectors().waiting, []
    while rows := due(busy):
        assert len(set(rows)) == len(rows)
        sizes.append(len(rows))
        busy._background._embed()
    assert (set(sizes[:-1]), sum(sizes)) == ({8}, waits)


def test_of_a_user_the_newest_are_embedded_first(busy: memdb.Memory) -> None:
    busy._store.served["vectors"] = "abe"
    [(newest,)] = busy._store.database().connection.execute("select max(id) from facts where user_id = 'bob'")
    assert due(busy) == [*range(newest, newest - 8, -1)]


def test_sessions_are_summarised_for_everybody_in_turn(busy: memdb.Memory) -> None:
    assert busy.drain(60, vectors=False)
    db = busy._store.database()
    db.connection.execute("update sessions set ended_at = last_turn_at")
    for _ in range(3):
        take_upkeep(db, user_id=None, now=LATER, config=busy.config, llm=None, served=busy._store.served)
    assert db.connection.execute("select user_id from sessions where summarised > 0").fetchall() == [("abe",), ("bob",), ("cy",)]


def test_users_are_reflected_upon_in_turn(busy: memdb.Memory) -> None:
    assert busy.drain(60, vectors=False)
    db = busy._store.database()
    db.connection.execute("update sessions set summarised = turns")
    db.connection.execute("update upkeep set turns_since = 40")
    served, order = {"upkeep": "bob"}, []
    for _ in range(3):
        take_upkeep(db, user_id=None, now=LATER, config=busy.config, llm=None, served=served)
        order.append(served["upkeep"])
    assert order == ["cy", "abe", "bob"]


def test_memories_are_told_of_everybody_in_turn(busy: memdb.Memory) -> None:
    for user_id in ("abe", "bob", "cy"):
        for day in range(1, 4):
            busy.event("Swept the yard.", user_id=user_id, timestamp=f"2025-03-0{day}T12:00:00Z")
    for _ in range(3):
        take_segment(busy._store, busy.config, None, now=LATER)
    [told] = busy._store.database().connection.execute("select group_concat(user_id) from (select user_id from segments order by user_id)")
    assert told == ("abe,bob,cy",)
