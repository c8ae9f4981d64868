"""Codes of large users' vectors: made when there are enough, gone with their vectors."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import memdb
from memdb import bulk, chunks, log_moving
from memdb.codes import encode
from memdb.database import Database
from memdb.embed import HashingEmbedder
from memdb.quantize import LEAST, SIZE
from memdb.vectors import VectorCache

EMBEDDER = HashingEmbedder(64)
LARGE = 8 * (LEAST + 1) + 8  # vectors of a user who has codes


def opened(path: Path, embedder: HashingEmbedder | None = EMBEDDER) -> memdb.Memory:
    return memdb.open(path, embedder=embedder, llm=None, config={"worker": False})


def facts(count: int, user: str = "ana", first: int = 0) -> list[dict[str, object]]:
    return [
        {"value_text": f"Keeps thing {n}", "user_id": user, "fact_id": f"{user}{n}", "key": f"user.thing_{n}"}
        for n in range(first, first + count)
    ]


def vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    found = np.random.default_rng(seed).standard_normal((count, 64)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def blocks(mem: memdb.Memory) -> list[tuple[str, str, int]]:
    return list(mem._store.database().connection.execute("select user_id, shelf, chunks from vector_codes order by user_id, shelf, first"))


def check_codes(mem: memdb.Memory) -> None:
    """Every code is that of the vector which stands there."""
    connection = mem._store.database().connection
    for first, last, user, shelf, codes in connection.execute("select first, last, user_id, shelf, codes from vector_codes").fetchall():
        chunks = connection.execute(
            "select v.vectors from facts_vec_chunks k join facts_vec_vector_chunks00 v on v.rowid = k.chunk_id"
            " where k.chunk_id between ? and ? and k.partition00 = ? and k.partition01 = ? order by k.chunk_id",
            (first, last, user, shelf),
        )
        there = np.frombuffer(b"".join(row[0] for row in chunks), np.float32).reshape(-1, 64)
        assert encode(there).codes.tobytes() == codes


@pytest.mark.parametrize("way", ["in bulk", "in the background"])
def test_only_who_has_many_vectors_has_codes(tmp_path: Path, way: str) -> None:
    with opened(tmp_path / "mem.db") as mem:
        for user, count in (("ana", LARGE), ("bea", 8 * LEAST)):
            mem.remember_many(facts(count, user), vectors=vectors(count) if way == "in bulk" else None)
        assert mem.drain(60)
        assert blocks(mem) == [("ana", "fact", SIZE)] * (LEAST // SIZE)
        check_codes(mem)


def test_with_codes_it_finds_what_it_finds_without(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE + 700))
        assert mem.drain(60)
        assert len(blocks(mem)) == 3
        answers = []
        for _ in range(2):
            for cache in ("kept", "file"):
                mem._answering.cache = VectorCache(8 if cache == "kept" else 0)
                hits = mem.search("things that ana keeps, 77", user_id="ana", now="2025-06-01")
                answers.append([(hit.fact.fact_id, hit.score) for hit in hits])
            mem._store.database().connection.execute("delete from vector_codes")
            mem._store.database().run("sync.changed", user_id="ana")
        assert len(answers[0]) == 10
        assert answers == answers[:1] * 4


def test_a_code_goes_with_its_vector_and_the_others_of_its_block_get_theirs_anew(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE), vectors=vectors(LARGE))
        ids = "select id from vector_codes order by first"
        first, second = mem._store.database().connection.execute(ids).fetchall()
        mem.forget("ana", key="user.thing_3")
        assert mem._store.database().connection.execute(ids).fetchall() == [second]
        mem.remember("Something new", user_id="ana")
        assert mem.drain(60)
        anew = mem._store.database().connection.execute(ids).fetchall()
        assert (len(anew), anew[1], anew[0] != first) == (2, second, True)
        check_codes(mem)


def test_what_has_codes_is_not_read_again_when_more_comes_unless_some_of_it_is_gone(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        db = mem._store.database()
        mem.remember_many(facts(LARGE), vectors=vectors(LARGE))
        [(last,)] = db.connection.execute("select max(first) from vector_codes")
        mem.remember_many(facts(8 * SIZE, first=LARGE), vectors=vectors(8 * SIZE, seed=1))
        assert blocks(mem) == [("ana", "fact", SIZE)] * (LEAST // SIZE + 1)
        check_codes(mem)
        [(since,)] = db.connection.execute("select max(first) from vector_codes")
        assert since > last
        assert db.all("quantize.due", users='["ana"]', gaps=True, least=LEAST, size=0) == [
            {"user_id": "ana", "shelf": "fact", "since": since}
        ]
        db.connection.execute("delete from facts_vec where rowid = 3")
        assert db.all("quantize.due", users='["ana"]', gaps=True, least=LEAST, size=0) == [{"user_id": "ana", "shelf": "fact", "since": 0}]


def test_what_comes_with_its_vectors_fills_gaps_no_sooner_than_a_block_is_due(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE), vectors=vectors(LARGE))
        mem._store.database().connection.execute("delete from facts_vec where rowid = 3")
        for first, count, made in ((LARGE, 8, 1), (LARGE + 8, 8 * SIZE, 3)):
            mem.remember_many(facts(count, first=first), vectors=vectors(count, seed=first))
            assert blocks(mem) == [("ana", "fact", SIZE)] * made
            check_codes(mem)


@pytest.mark.parametrize("gone", [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_codes_are_due_where_so_many_chunks_have_none_in_gaps_and_at_the_end_together(tmp_path: Path, gone: tuple[int, ...]) -> None:
    with opened(tmp_path / "mem.db") as mem:
        count = LARGE + 8 * SIZE + 8 * 20
        mem.remember_many(facts(count) + facts(LARGE, "bea"), vectors=vectors(count + LARGE))
        db = mem._store.database()
        made = db.connection.execute("select id, first from vector_codes where user_id = 'ana' order by first").fetchall()
        assert len(made) == 3
        db.connection.executemany("delete from vector_codes where id = ?", [(made[place][0],) for place in gone])
        [(bare,)] = db.connection.execute(
            "select count(*) from facts_vec_chunks where partition00 = 'ana'"
            " and not exists (select 1 from vector_codes where user_id = 'ana' and chunk_id between first and last)"
        )
        for size, is_due in ((bare - 2, True), (bare - 1, True), (bare, False)):
            due = db.all("quantize.due", users='["bea", "ana", "nobody"]', gaps=True, least=LEAST, size=size)
            assert ("ana" in {row["user_id"] for row in due}) is is_due
        left = [place for place in range(3) if place not in gone]
        since = made[left[-1]][1] if left and left == list(range(len(left))) else 0
        assert db.all("quantize.due", users='["ana"]', gaps=True, least=LEAST, size=0) == [
            {"user_id": "ana", "shelf": "fact", "since": since}
        ]


def test_whoever_takes_a_vector_out_takes_its_code_out(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE), vectors=vectors(LARGE))
        mem._store.database().connection.execute("delete from facts_vec where rowid = 700")
        assert blocks(mem) == [("ana", "fact", SIZE)]


def test_nothing_is_left_of_who_is_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        for user in ("ana", "bea"):
            mem.remember_many(facts(LARGE, user), vectors=vectors(LARGE))
        mem.forget("ana")
        assert {user for user, _, _ in blocks(mem)} == {"bea"}
        with opened(tmp_path / "mem.db", None) as words:  # which cannot take out vectors
            words.forget("bea")
        assert mem.drain(60)
        assert blocks(mem) == []


def test_another_embedder_s_vectors_have_codes_of_their_own(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE))
        assert mem.drain(60)
        before = blocks(mem)
        mem.reindex(HashingEmbedder(96))
        assert blocks(mem) == before != []
        [(size,)] = mem._store.database().connection.execute("select distinct length(codes) from vector_codes")
        assert size == SIZE * 8 * 96


def test_what_was_put_into_the_room_of_a_coded_vector_is_found(tmp_path: Path) -> None:
    """The index fills the room that is left in the last chunk of a shelf, which may have been in the middle when it got its codes."""
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(facts(LARGE), vectors=vectors(LARGE))
        mem.forget("ana", key=f"user.thing_{8 * LEAST - 1}")
        mem.remember("Something new", user_id="ana")
        assert mem.drain(60)
        assert len(blocks(mem)) == 2
        connection = mem._store.database().connection
        connection.execute("delete from facts_vec where rowid > ?", (8 * LEAST,))  # now the chunk with room is the last
        assert len(blocks(mem)) == 2
        mem.remember_many([{"value_text": "A zeppelin", "user_id": "ana"}], vectors=EMBEDDER.embed(["A zeppelin"]))
        for cache in (8, 0):
            mem._answering.cache = VectorCache(cache)
            hit = mem.search("A zeppelin", user_id="ana", weights="vector-only")[0]  # by its words it is found whatever its code
            assert hit.fact.value_text == "A zeppelin"
            assert hit.parts["cosine"] == pytest.approx(1)


@pytest.mark.parametrize("megabytes", [0, 8])
def test_a_question_after_a_turn_reads_of_a_large_user_only_where_something_was_put(
    tmp_path: Path, megabytes: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem._answering.cache = VectorCache(megabytes)
        mem.remember_many(facts(LARGE + 8 * SIZE), vectors=vectors(LARGE + 8 * SIZE))
        assert len(blocks(mem)) == 3
        db = mem._store.database()
        [(first,)] = db.connection.execute("select max(first) from vector_codes")
        from_where: list[int] = []
        read = chunks.marked_since

        def noted(db: Database, user_id: str, since: Mapping[str, int]) -> dict[str, chunks.Marked]:
            from_where.append(since["fact"])
            return read(db, user_id, since)

        monkeypatch.setattr(chunks, "marked_since", noted)
        for number, text in enumerate(("A zeppelin", "A canoe")):
            mem.remember_many([{"value_text": text, "user_id": "ana"}], vectors=EMBEDDER.embed([text]))
            hit = mem.search(text, user_id="ana", weights="vector-only")[0]
            assert hit.fact.value_text == text
            assert hit.parts["cosine"] == pytest.approx(1)
            assert from_where.pop() == (first if number else 0)
        db.connection.execute("delete from facts_vec where rowid = 3")  # whose block has no codes from now on
        db.run("sync.changed", user_id="ana")
        assert mem.search("A zeppelin", user_id="ana", weights="vector-only")[0].fact.value_text == "A zeppelin"
        assert from_where == [0]


# the log


@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_the_log_stays_short_however_much_is_stored_and_slowly_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pause: float
) -> None:  # fmt: skip
    move = Database.move_log

    def slowly(db: Database) -> None:
        time.sleep(pause)
        move(db)

    monkeypatch.setattr(Database, "move_log", slowly)
    monkeypatch.setattr(bulk, "_INSERTED", 100)
    monkeypatch.setattr(log_moving, "_LONG", 200)
    with opened(tmp_path / "mem.db") as mem:
        connection = mem._store.database().connection
        usual = connection.execute("pragma wal_autocheckpoint").fetchall()
        assert mem.remember_many(facts(5_000), vectors=vectors(5_000)) == 5_000
        assert connection.execute("pragma wal_autocheckpoint").fetchall() == usual != [(0,)]
        [(_, pages, moved)] = connection.execute("pragma wal_checkpoint(passive)")
        assert pages == moved
        # a transaction is of some fifty pages; where nothing is moved meanwhile, the log holds all of the file, and more
        assert (tmp_path / "mem.db-wal").stat().st_size < 400 * 4096 < (tmp_path / "mem.db").stat().st_size
        assert mem.search("thing 4321", user_id="ana", weights="lexical-only")[0].fact.fact_id == "ana4321"


def test_a_wrong_fact_leaves_what_came_before_and_the_log_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_TAKEN", 100)
    monkeypatch.setattr(bulk, "_INSERTED", 50)
    with opened(tmp_path / "mem.db") as mem, pytest.raises(memdb.InputError, match="Fact 251 "):
        try:
            mem.remember_many([*facts(250), {"value_text": "", "user_id": "ana"}])
        finally:
            assert mem.stats().rows_by_kind["fact"] == 200
            assert mem._store.database().connection.execute("pragma wal_autocheckpoint").fetchall() != [(0,)]


def test_who_reads_meanwhile_keeps_nobody_from_storing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "_INSERTED", 100)
    monkeypatch.setattr(log_moving, "_LONG", 50)
    with opened(tmp_path / "mem.db") as mem, opened(tmp_path / "mem.db") as reader:
        mem.remember("Here first", user_id="ana")
        with reader._store.database().snapshot():
            assert reader.stats().rows_by_kind["fact"] == 1
            assert mem.remember_many(facts(1_000)) == 1_000
            assert reader.stats().rows_by_kind["fact"] == 1
        assert reader.stats().rows_by_kind["fact"] == 1_001


def test_the_log_is_moved_when_it_is_long_and_no_sooner(tmp_path: Path) -> None:
    log = tmp_path / "mem.db-wal"
    with opened(tmp_path / "mem.db") as mem:
        sizes = []
        for first in range(0, 9_000, 100):
            mem.remember_many(facts(100, first=first), vectors=vectors(100, seed=first))
            sizes.append(log.stat().st_size)
        longest = max(sizes)
        assert 15 * 2**20 < longest < 20 * 2**20
        assert sizes.index(longest) < len(sizes) - 10  # and was begun anew since
        assert (tmp_path / "mem.db").stat().st_size > 4 * 2**20
        assert mem.search("thing 4321", user_id="ana", weights="lexical-only")[0].fact.fact_id == "ana4321"
    assert not log.exists()
