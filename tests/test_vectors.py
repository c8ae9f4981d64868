"""Vectors kept in memory: the same answers, never stale, within their bounds."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import memdb
from memdb.candidates import Near
from memdb.database import Database
from memdb.embed import HashingEmbedder, to_blob
from memdb.quantize import quantize
from memdb.vectors import VectorCache

ROOT = Path(__file__).parent.parent


def opened(path: Path, megabytes: float = 8) -> memdb.Memory:
    return memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False, "vector_cache_mb": megabytes})


def filled(path: Path, megabytes: float = 8, users: tuple[str, ...] = ("ana", "bea")) -> memdb.Memory:
    mem = opened(path, megabytes)
    for user in users:
        mem.remember_many({"value_text": f"Keeps thing {number} of {user}", "user_id": user} for number in range(200))
        mem.load(({"text": f"I saw bird {number}", "session_id": "s"} for number in range(50)), user_id=user)
    assert mem.drain(60)
    return mem


def found(mem: memdb.Memory, query: str, user: str = "ana") -> list[tuple[str, float, float]]:
    hits = mem.search(query, user_id=user, now="2025-06-01")
    return [(hit.fact.value_text, round(hit.score, 6), hit.parts["cosine"]) for hit in hits]


def test_what_is_kept_answers_as_the_file_does(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as kept, opened(tmp_path / "mem.db", 0) as reading:
        for query in ("thing 7", "bird 12", "a walrus"):
            assert found(kept, query) == found(kept, query) == found(reading, query) != []
        assert kept._answering.cache.size > 300 * 64 * 4 > reading._answering.cache.size > 0


@pytest.mark.parametrize("megabytes", [0, 8])
def test_vectors_that_are_cut_short_are_damage_and_no_answer(tmp_path: Path, megabytes: float) -> None:
    with filled(tmp_path / "mem.db", megabytes) as mem:
        mem._store.database().connection.execute("update facts_vec_vector_chunks00 set vectors = substr(vectors, 9)")
        with pytest.raises(memdb.StoreError, match=r"is damaged .*; restore a copy"):
            mem.search("thing 7", user_id="ana")


def test_large_users_of_one_file_find_what_is_theirs_also_before_it_is_embedded(tmp_path: Path) -> None:
    facts = [{"value_text": f"Keeps thing {number}", "user_id": user} for user in ("ana", "bea") for number in range(2_100)]
    embedder = HashingEmbedder(512)  # with fewer dimensions, words that have nothing in common share some
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        mem.remember_many(facts, vectors=embedder.embed([fact["value_text"] for fact in facts]))
        mem.remember_many([{"value_text": "Keeps a walrus", "user_id": "bea"}, {"value_text": "Keeps one walrus", "user_id": "ana"}])
        for query in ("walrus", "thing 7"):
            hits = mem.search(query, user_id="bea", limit=3)
            assert {hit.fact.user_id for hit in hits} == {"bea"}
            assert hits[0].fact.value_text in ("Keeps a walrus", "Keeps thing 7")


def test_another_process_s_write_is_seen_by_the_next_search(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as mem:
        found(mem, "thing 7")
        code = (
            "import memdb, sys\n"
            "with memdb.open(sys.argv[1], embedder='hashing-64', llm=None, config={'worker': False}) as other:\n"
            "    other.remember('A zeppelin in the sky', user_id='ana')\n"
            "    assert other.drain(30)\n"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path / "mem.db")], check=True, cwd=ROOT, timeout=60)
        text, _, cosine = found(mem, "zeppelin sky")[0]
        assert (text, cosine > 0.3) == ("A zeppelin in the sky", True)


def test_another_thread_s_write_is_seen_by_the_next_search(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as mem:
        found(mem, "thing 7")

        def write() -> None:
            mem.remember("A zeppelin in the sky", user_id="ana")
            assert mem.drain(30)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert found(mem, "zeppelin sky")[0][2] > 0.3


def kept_of(mem: memdb.Memory, user_id: str) -> Mapping[str, object]:
    """The shelves of a user that are kept in memory."""
    kept = mem._answering.cache._kept.of(user_id)
    return {} if kept is None else {**kept.stale, **kept.shelves}


def test_the_write_of_one_user_leaves_what_is_kept_of_others(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as mem:
        found(mem, "thing 7", "ana")
        before = kept_of(mem, "ana")["fact"]
        mem.remember("A zeppelin in the sky", user_id="bea")
        assert mem.drain(30)
        found(mem, "thing 7", "ana")
        assert kept_of(mem, "ana")["fact"] is before
        mem.remember("A balloon in the sky", user_id="ana")
        assert mem.drain(30)
        found(mem, "thing 7", "ana")
        assert kept_of(mem, "ana")["fact"] is not before


def test_what_is_kept_of_a_shelf_that_is_not_asked_for_stays_after_a_write_to_another(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as mem:
        found(mem, "thing 7")
        before = kept_of(mem, "ana")["fact"]
        mem.remember("A zeppelin in the sky", user_id="ana", kind="note")
        assert mem.drain(30)
        assert mem.search("zeppelin", user_id="ana", kinds=["note"])
        assert kept_of(mem, "ana")["fact"] is before


def exact(near: Near) -> NDArray[np.float64]:
    return near.cosines if near.exact is None else near.exact(np.arange(len(near.ids))).astype(np.float64)


CHANGE = st.tuples(st.sampled_from(["write", "remove"]), st.integers(1, 60), st.sampled_from(["fact", "note"]))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(st.lists(CHANGE, max_size=40), min_size=1, max_size=6), size=st.sampled_from([1, 2, 128]))
def test_what_is_compared_is_what_the_file_holds_whatever_is_written(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[tuple[str, int, str]]], size: int
) -> None:
    numbers, question = np.random.default_rng(0), np.full(64, 0.125, np.float32)
    kept, reading = VectorCache(8), VectorCache(0)
    with opened(tmp_path_factory.mktemp("any") / "mem.db") as mem:
        mem.remember("One", user_id="ana")
        db = mem._store.database()
        for changes in rounds:
            for change, id, shelf in changes:
                db.run("sync.remove", id=id)
                if change == "write":
                    vector = numbers.standard_normal(64).astype(np.float32)
                    db.run("sync.write", id=id, embedding=to_blob(vector / np.linalg.norm(vector)), user_id="ana", shelf=shelf)
            db.run("sync.changed", user_id="ana")
            assert coded(db) <= set(db.connection.execute("select shelf, rowid from facts_vec"))
            quantize(db, dimension=64, users=["ana"], least=size, size=size)
            rows: list[Any] = db.connection.execute("select shelf, rowid, embedding from facts_vec order by rowid").fetchall()
            for shelf in ("fact", "note"):
                vectors = {id: np.frombuffer(vector, np.float32) for on, id, vector in rows if on == shelf}
                for cache in (kept, reading):
                    with db.snapshot():
                        near = cache.near(db, question, user_id="ana", shelves=[shelf])
                        found = {id: cosine for one in near for id, cosine in zip(one.ids.tolist(), exact(one).tolist(), strict=True)}
                    assert sorted(found) == list(vectors)
                    assert found == pytest.approx({id: float(vector @ question) for id, vector in vectors.items()}, abs=1e-6)
                    assert all(np.all((exact(one) <= one.cosines) & (one.cosines < exact(one) + 0.05)) for one in near)


def coded(db: Database) -> set[tuple[str, int]]:
    """The ids that codes are of, with their shelf."""
    blocks: list[Any] = db.connection.execute("select shelf, chunks, marks from vector_codes").fetchall()
    ids = [(shelf, np.frombuffer(marks, np.uint8).reshape(chunks, -1)[:, 1:].copy().view("<i8").ravel()) for shelf, chunks, marks in blocks]
    return {(shelf, id) for shelf, on_it in ids for id in on_it.tolist() if id}


def test_what_is_forgotten_is_not_kept(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db") as mem, opened(tmp_path / "mem.db") as other:
        for one in (mem, other):
            found(one, "thing 7")
        mem.forget("ana")
        assert mem._answering.cache.size == 0
        assert found(mem, "thing 7") == found(other, "thing 7") == []
        mem.remember("Back again", user_id="ana")
        assert mem.drain(30)
        assert [text for text, _, _ in found(other, "thing 7")] == ["Back again"]


@pytest.mark.parametrize("users", [6, 12])
def test_the_least_recently_asked_make_room(tmp_path: Path, users: int) -> None:
    names = tuple(f"user{number}" for number in range(users))
    with filled(tmp_path / "mem.db", 0.3, names) as mem:
        answers = [found(mem, "thing 7", user) for user in names]
        assert 0 < mem._answering.cache._kept.size <= 0.3 * 1024 * 1024
        kept = {user for user in names if kept_of(mem, user)}
        assert names[-1] in kept
        assert len(kept) < users
        assert [found(mem, "thing 7", user) for user in names] == answers


def test_one_who_would_not_fit_is_read_and_not_kept(tmp_path: Path) -> None:
    with filled(tmp_path / "mem.db", 0.05) as mem, opened(tmp_path / "mem.db") as roomy:
        assert found(mem, "thing 7") == found(mem, "thing 7") == found(roomy, "thing 7") != []
        assert mem._answering.cache._kept.size == 0


def test_the_name_of_a_forgotten_user_stands_nowhere_among_the_versions(tmp_path: Path) -> None:
    def versions(mem: memdb.Memory) -> list[object]:
        return [row[0] for row in mem._store.database().connection.execute("select user_id from vector_versions order by user_id")]

    with filled(tmp_path / "mem.db") as mem:
        assert versions(mem) == ["ana", "bea"]
        mem.forget("ana")
        assert versions(mem) == ["bea"]
        with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as words:
            words.forget("bea")
        assert mem.drain(30)
        assert versions(mem) == []


def test_a_statement_is_planned_once_whatever_is_bound_to_it(tmp_path: Path) -> None:
    import apsw

    with opened(tmp_path / "mem.db") as mem:
        assert mem._store.database().connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1
