"""Forgetting is forgetting: not a byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder

RARE = "zanzibarquux"


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes().lower() for path in folder.iterdir())


def fill(path: Path, **more: object) -> memdb.Memory:
    mem = memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False})
    mem.observe(f"I live in {RARE.title()}.", "How nice!", user_id="ana", turn_id="t1", session_id="s")
    mem.observe("I like jazz.", user_id="ana", turn_id="t2", session_id="s")
    mem.observe("I live in Porto.", user_id="bea", turn_id="t1")
    mem.drain()
    mem.search(f"{RARE} where", user_id="ana")
    mem.stats()
    return mem


@pytest.mark.parametrize("key", [None, "user.lives_in"], ids=["the user", "one key"])
def test_no_byte_of_it_stays_in_any_file(key: str | None, tmp_path: Path) -> None:
    mem = fill(tmp_path / "mem.db")
    mem._store.database().checkpoint()
    assert RARE.encode() in bytes_of(tmp_path)
    mem.forget("ana", key=key)
    mem.drain()
    assert RARE.encode() not in bytes_of(tmp_path)
    assert RARE[:7].encode() not in bytes_of(tmp_path)
    mem.close()
    assert RARE.encode() not in bytes_of(tmp_path)


def test_forgetting_a_user_leaves_the_others(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        forgotten = mem.forget("ana")
        assert (forgotten.facts, forgotten.messages, forgotten.turns, forgotten.vectors) == (2, 3, 2, 5)
        assert not mem.facts("ana")
        assert not mem.history(user_id="ana")
        assert not mem.search("jazz", user_id="ana")
        assert [fact.object for fact in mem.facts("bea")] == ["Porto"]
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(2,)]


def test_forgetting_a_key_keeps_what_else_is_known(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana", key="user.lives_in")
        assert [fact.object for fact in mem.facts("ana")] == ["jazz"]
        assert list(mem.search(RARE, user_id="ana", weights="lexical-only")) == []
        assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == ["I like jazz."]


def test_vectors_wait_where_there_is_no_index_to_remove_them_from(tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.forget("ana").vectors_pending == 5
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(2,)]


def test_a_forgotten_user_can_begin_anew(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana")
        mem.observe("I live in Faro.", user_id="ana", turn_id="t1")
        mem.drain()
        assert [fact.object for fact in mem.facts("ana")] == ["Faro"]
