"""What a search keeps of what it read before: never longer than it is so, whoever changes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

import memdb
from memdb.answers import Hit
from memdb.database import Database
from memdb.records import made
from memdb.store import IN_MEMORY

CHANGE = "update weights set value = 7 where name = 'default' and feature = 'lexical'"


@pytest.fixture
def db(mem: memdb.Memory) -> Database:
    """The connection of a memory, of which a weight set was read before."""
    database = mem._store.database()
    lexical(database)
    return database


def lexical(db: Database) -> float:
    """How much words weigh, by what is kept."""
    [(_, weights, _, _)] = db.kept("scan.first", weights="default")
    return float(json.loads(str(weights))["lexical"])


def changed_by_itself(db: Database) -> None:
    db.connection.execute(CHANGE)


def changed_by_another(db: Database) -> None:
    with apsw.Connection(str(db.path)) as other:
        other.execute(CHANGE)


@pytest.mark.parametrize("change", [changed_by_itself, changed_by_another])
def test_what_has_changed_is_read_anew(db: Database, change: Callable[[Database], None]) -> None:
    before = lexical(db)
    change(db)
    assert before != lexical(db) == 7


def test_what_has_not_changed_is_not_read_again(db: Database) -> None:
    assert db.kept("scan.first", weights="default") is db.kept("scan.first", weights="default")


def test_what_is_asked_with_other_parameters_is_another_thing(db: Database) -> None:
    assert db.kept("scan.first", weights="default") != db.kept("scan.first", weights="mem-skill")


def test_within_a_snapshot_it_stays_as_it_was_and_is_new_after_it(db: Database) -> None:
    with db.snapshot():
        before = lexical(db)
        changed_by_another(db)
        assert lexical(db) == before
    assert lexical(db) == 7


def test_what_was_read_of_a_change_that_is_undone_is_not_kept(db: Database) -> None:
    before = lexical(db)
    with suppress(ZeroDivisionError), db.transaction():
        changed_by_itself(db)
        assert lexical(db) == 7
        raise ZeroDivisionError
    assert lexical(db) == before


def test_what_was_only_supposed_is_not_kept(db: Database) -> None:
    before = lexical(db)
    with db.supposing():
        changed_by_itself(db)
        assert lexical(db) == 7
    assert lexical(db) == before


def test_what_was_asked_of_a_thousand_users_is_not_read_again(db: Database) -> None:
    first, second = ([db.kept("understand.participants", user_id=f"user{number}") for number in range(1_000)] for _ in range(2))
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_only_so_much_is_kept(db: Database) -> None:
    for number in range(20_000):
        db.kept("understand.participants", user_id=f"user{number}")
    assert 3_000 < len(db._kept) <= 16_384


def test_a_parameter_too_many_is_an_error_here_too(db: Database) -> None:
    with pytest.raises(memdb.StoreError, match="wants the parameters"):
        db.kept("scan.first", weights="default", spare=1)


def test_a_database_in_memory_keeps_it_too() -> None:
    with memdb.open(IN_MEMORY, embedder=None, config={"worker": False}) as mem:
        before = lexical(mem._store.database())
        mem._store.database().connection.execute(CHANGE)
        assert before != lexical(mem._store.database()) == 7


def test_who_speaks_is_known_as_soon_as_they_have_spoken(tmp_path: Path) -> None:
    with (
        memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem,
        memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as other,
    ):
        assert mem.search("What did Rui say?", user_id="ana").question.participants == ()
        other.load([{"text": "Hello!", "speaker": "Rui"}], user_id="ana")
        assert mem.search("What did Rui say?", user_id="ana").question.participants == ("Rui",)


def test_a_search_prepares_nothing_again_after_a_turn_of_hundreds_of_statements(mem: memdb.Memory) -> None:
    mem.remember("I live in Porto", user_id="ana")
    for _ in range(2):
        mem.search("Porto", user_id="ana")
    connection = mem._store.database().connection
    before = connection.cache_stats()["misses"]
    for _ in range(400):
        connection.execute("select 1").fetchall()
    mem.search("Porto", user_id="ana")
    assert connection.cache_stats()["misses"] == before + 1  # the one that is not of a search


def test_a_hit_is_the_same_record_as_one_that_was_checked(mem: memdb.Memory) -> None:
    mem.remember("I live in Porto", user_id="ana")
    [hit] = mem.search("Porto", user_id="ana")
    checked = Hit.model_validate(dict(hit))
    assert hit == checked == made(Hit, dict(hit))
    assert hit.model_fields_set == checked.model_fields_set
    assert hit.model_dump_json() == checked.model_dump_json()
    with pytest.raises(ValueError, match="frozen"):
        hit.score = 1.0  # type: ignore[misc]
