"""A collection outside the file as the index: chromadb's, embedded and behind its server, and memdb's own; up, down, and back."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import numpy as np
import pytest

import memdb
import memdb.interfaces.chroma as own_chroma
from memdb.calibration import JUDGING
from memdb.database import SqlValue
from memdb.embed import HashingEmbedder

chromadb = pytest.importorskip("chromadb")
EMBEDDER = HashingEmbedder(64)
QUIET: dict[str, object] = {"worker": False, "retry_base_seconds": 0}
SETTINGS = {"anonymized_telemetry": False}
KEYS = {"fact_id", "user_id", "key", "category", "status", "valid_from", "confidence", "updated_at", "kind"}


class Server:
    """chromadb's own server on this machine; it can be killed, and started again on the same data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def start(self) -> None:
        command = [sys.executable, "-c", "from chromadb.cli.cli import app; app()", "run", "--path", str(self._folder)]
        command += ["--host", "127.0.0.1", "--port", str(self.port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env={**os.environ, "ANONYMIZED_TELEMETRY": "False"}, **quiet)  # type: ignore[call-overload]
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                self.client()
                return
            except Exception:
                time.sleep(0.1)
        raise AssertionError("chromadb's server did not start within a minute")

    def client(self) -> Any:
        return chromadb.HttpClient(host="127.0.0.1", port=self.port, settings=chromadb.Settings(**SETTINGS))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def started(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    server.start()
    yield server
    server.process.send_signal(signal.SIGCONT)
    server.kill()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """One that may be killed."""
    with started(tmp_path / "server") as server:
        yield server


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that all share who leave it running."""
    with started(tmp_path_factory.mktemp("running")) as server:
        yield server


@pytest.fixture(
    params=["ephemeral", "persistent", "own", pytest.param("server", marks=pytest.mark.slow)],
)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A client of each kind; where others share its data, a collection has a name that no other has."""
    match request.param:
        case "ephemeral":
            yield chromadb.EphemeralClient(settings=chromadb.Settings(**SETTINGS))
        case "persistent":
            yield chromadb.PersistentClient(str(tmp_path / "chroma"), settings=chromadb.Settings(**SETTINGS))
        case "own":
            with own_chroma.PersistentClient(tmp_path / "own.db") as client:
                yield client
        case _:
            yield request.getfixturevalue("running").client()


def made(client: Any, space: str = "cosine", name: str | None = None) -> memdb.VectorCollection:
    name = name or f"facts-{uuid4().hex[:8]}"  # ephemeral clients of one process share their collections
    return cast(memdb.VectorCollection, client.create_collection(name, metadata={"hnsw:space": space}, embedding_function=None))


@pytest.fixture
def collection(client: Any) -> memdb.VectorCollection:
    return made(client)


@pytest.fixture
def near(tmp_path: Path) -> Iterator[memdb.VectorCollection]:
    """A collection that is quickly at hand, for what does not depend on whose it is."""
    with own_chroma.PersistentClient(tmp_path / "near.db") as client:
        yield made(client)


def opened(path: Path, collection: object | None, **settings: object) -> memdb.Memory:
    vectors = cast("memdb.VectorCollection | None", collection)
    return memdb.open(path / "mem.db", embedder=EMBEDDER, llm=None, config={**QUIET, **settings}, vectors=vectors)


def said(mem: memdb.Memory, *texts: str, user_id: str = "ana") -> memdb.Memory:
    for place, text in enumerate(texts):
        mem.observe(text, user_id=user_id, timestamp=f"2025-03-{1 + place:02}T10:00:00Z")
    assert mem.drain(60)
    return mem


def held(collection: Any) -> dict[str, dict[str, object]]:
    """What a collection holds: the metadata of each document."""
    found = collection.get(include=["documents", "metadatas"])
    return dict(zip(found["documents"], found["metadatas"], strict=True))


def waiting(mem: memdb.Memory) -> int:
    return mem.vectors().collection_waiting


# what the collection holds


def test_the_collection_holds_every_believed_fact_as_the_file_does(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
        [fact] = mem.facts("ana")
        record = collection.get(ids=[fact.fact_id], include=["documents", "metadatas", "embeddings"])
        assert record["documents"] == [fact.value_text]
        assert np.allclose(record["embeddings"][0], EMBEDDER.embed([fact.value_text])[0], atol=1e-6)
        [metadata] = record["metadatas"]
        assert set(metadata) == KEYS  # valid_to is null, so that it has no key
        stored = json.loads(fact.model_dump_json())
        assert {name: metadata[name] for name in KEYS - {"valid_from", "updated_at"}} == {
            name: stored[name] for name in KEYS - {"valid_from", "updated_at"}
        }
        assert set(held(collection)) == {"User lives in Porto", "I live in Porto."}


def test_a_superseded_fact_leaves_the_collection_and_the_new_one_comes(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.", "I moved to Lisbon.")
        assert "User lives in Porto" not in held(collection)
        assert "User lives in Lisbon" in held(collection)


def test_a_pending_fact_is_there_with_its_status_and_a_rejected_one_is_not(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection, sensitive_topics="ask") as mem:
        said(mem, "I'm allergic to peanuts.")
        [fact] = mem.facts("ana")
        assert held(collection)[fact.value_text]["status"] == fact.status == "pending_confirmation"
        mem.reject(fact.fact_id)
        assert mem.drain(60)
        assert fact.value_text not in held(collection)


def test_confidence_and_validity_are_brought_up_to_date_without_embedding_anew(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        fact = mem.remember("Ana stays in Berlin", user_id="ana", key="user.staying_in", valid_to="2099-01-01")
        assert mem.drain(60)
        before = held(collection)["Ana stays in Berlin"]
        assert str(before["valid_to"]).startswith("2099-01-01")
        mem.confirm(fact.fact_id)
        assert mem.stats().outbox_waiting == 0
        assert waiting(mem) == 1
        assert mem.drain(60)
        assert float(str(held(collection)["Ana stays in Berlin"]["confidence"])) > float(str(before["confidence"]))


def test_a_change_of_text_is_embedded_and_told_anew(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        fact = mem.remember("Ana stays in Berlin", user_id="ana", kind="note")
        assert mem.drain(60)
        mem._store.database().connection.execute("update facts set value_text = 'Ana stays in Vienna'")
        assert mem.drain(60)
        record = collection.get(ids=[fact.fact_id], include=["documents", "embeddings"])
        assert record["documents"] == ["Ana stays in Vienna"]
        assert np.allclose(record["embeddings"][0], EMBEDDER.embed(["Ana stays in Vienna"])[0], atol=1e-6)


def test_a_fact_waits_until_its_vector_is_made(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        mem.remember("Ana stays in Berlin", user_id="ana")
        assert not mem._background.mirror()
        assert held(near) == {}
        assert mem.drain(60)
        assert set(held(near)) == {"Ana stays in Berlin"}


def test_a_text_that_changes_just_before_it_would_be_sent_waits_for_its_vector(
    tmp_path: Path, near: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, near) as mem, opened(tmp_path, None) as other:
        fact = mem.remember("Ana stays in Berlin", user_id="ana", kind="note")
        assert mem._background.work()  # embeds it
        db = mem._store.database()
        begin = db.transaction

        def begin_late() -> AbstractContextManager[None]:
            monkeypatch.undo()  # another process writes between the look at what is due and the lock
            other._store.database().connection.execute("update facts set value_text = 'Ana stays in Vienna'")
            return begin()

        monkeypatch.setattr(db, "transaction", begin_late)
        assert not mem._background.mirror()
        assert mem.drain(60)
        record = near.get(ids=[fact.fact_id], include=["documents", "embeddings"])
        assert record["documents"] == ["Ana stays in Vienna"]
        assert np.allclose(record["embeddings"][0], EMBEDDER.embed(["Ana stays in Vienna"])[0], atol=1e-6)


def test_a_null_takes_its_key_away_again(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        mem.remember("Ana stays in Berlin", user_id="ana", valid_to="2099-01-01")
        assert mem.drain(60)
        mem._store.database().connection.execute("update facts set valid_to = null")
        assert mem.drain(60)
        assert "valid_to" not in held(collection)["Ana stays in Berlin"]


FORGETTING: Mapping[str, Callable[[memdb.Memory], object]] = {
    "a user": lambda mem: mem.forget("ana"),
    "a key": lambda mem: mem.forget("ana", key="user.lives_in"),
    "undo": lambda mem: mem.undo(user_id="ana", turn_id=mem.facts("ana")[0].source_turn_id),
    "its end": lambda mem: mem.end(mem.facts("ana")[0].fact_id),
    "doubt": lambda mem: mem.doubt(mem.facts("ana")[0].fact_id),
}


@pytest.mark.parametrize("way", FORGETTING)
def test_what_is_no_longer_believed_is_taken_out_of_the_collection(tmp_path: Path, near: Any, way: str) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
        said(mem, "I like tea.", user_id="bob")
        assert "User lives in Porto" in held(near)
        FORGETTING[way](mem)
        assert mem.drain(60)
        assert "User lives in Porto" not in held(near)
        assert {"I like tea.", "User likes tea"} <= set(held(near))


def test_compaction_finds_nothing_left_to_take_away(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I moved to Lisbon.")
        before = held(near)
        assert mem.compact(now="2027-01-01") == 1
        assert waiting(mem) == 0
        assert held(near) == before


def test_windows_and_what_is_closed_stay_in_the_file(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I moved to Lisbon.")
        live = [fact.fact_id for fact in mem.facts("ana", kinds=["fact", "message"])]
        assert sorted(near.get()["ids"]) == sorted(live)
        assert mem.search("Porto", user_id="ana", as_of="2025-03-01T12:00:00Z", kinds=["fact"])[0].fact.object == "Porto"


# what is asked of it


TEXTS = [
    f"{who} {what} {thing}"
    for who in ("Rita", "Paulo", "Marta")
    for what in ("bought", "lost")
    for thing in ("a bicycle", "tea", "an old map")
]
QUESTIONS = ["Who lost the map?", "the bicycle that Paulo bought", "tea"]


def asked(mem: memdb.Memory) -> dict[tuple[str, str], memdb.Hits]:
    """What each weight set finds for each question."""
    sets = [name for name in mem.weight_sets() if name not in JUDGING]
    return {(name, text): mem.search(text, user_id="ana", weights=name, now="2025-04-01") for name in sets for text in QUESTIONS}


@pytest.mark.parametrize("space", ["cosine", "l2", "ip"])
def test_a_collection_finds_what_the_file_s_own_index_finds(tmp_path: Path, client: Any, space: str) -> None:
    with opened(tmp_path, made(client, space)) as mem:
        for place, text in enumerate(TEXTS):
            mem.remember(text, user_id="ana", kind="note", key=f"note.n{place}", timestamp="2025-03-01")
        said(mem, *TEXTS[::3])
        found = asked(mem)
    with opened(tmp_path, None) as mem:
        for question, expected in asked(mem).items():
            assert found[question].degraded is None
            assert [hit.fact.fact_id for hit in found[question]] == [hit.fact.fact_id for hit in expected] != [], question
            assert [hit.score for hit in found[question]] == pytest.approx([hit.score for hit in expected], abs=1e-5)


def test_by_meaning_alone_only_what_the_collection_found_is_ranked(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near, top_k_vec=2) as mem:
        for text in TEXTS:
            mem.remember(text, user_id="ana", kind="note")
        assert mem.drain(60)
        hits = mem.search("an old map", user_id="ana", weights="vector-only")
        assert {hit.fact.value_text for hit in hits} <= {text for text in TEXTS if text.endswith("an old map")}
        assert (len(hits), hits.semantic) == (2, 2)


def test_the_collection_is_asked_for_this_user_s_live_rows_of_these_kinds(tmp_path: Path, near: Any) -> None:
    asked: list[Mapping[str, object]] = []

    class Listening(Wrapped):
        def query(self, **arguments: Any) -> Any:
            asked.append(arguments)
            return near.query(**arguments)

    with opened(tmp_path, Listening(near), top_k_vec=7) as mem:
        said(mem, "I live in Porto.")
        asked.clear()
        mem.search("Porto", user_id="ana", kinds=["fact", "message", "note"])
        mem.search("Porto", user_id="ana", kinds=["note"])  # of which there are none
    statuses = {"status": {"$in": ["active", "pending_confirmation"]}}
    assert [arguments["where"] for arguments in asked] == [
        {"$and": [{"user_id": "ana"}, statuses, {"kind": {"$in": [kind]}}]} for kind in ("fact", "message")
    ]
    assert {arguments["n_results"] for arguments in asked} == {7}


def test_another_user_s_rows_are_never_found(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
        said(mem, "I live in Porto too.", user_id="bob")
        assert {hit.fact.user_id for hit in mem.search("Porto", user_id="bob")} == {"bob"}


def test_what_the_collection_was_not_told_yet_is_found_by_meaning_too(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I like tea.")
        fact = mem.remember("Rita bought an old map", user_id="ana", kind="note")
        assert mem._background.work()  # embeds it
        assert waiting(mem) == 1
        hits = mem.search("an old map that Rita bought", user_id="ana", weights="vector-only")
        assert (hits[0].fact.fact_id, hits.degraded) == (fact.fact_id, None)


def test_what_says_something_else_by_now_is_not_found_by_what_the_collection_still_has(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        mem.remember("Ana stays in Berlin", user_id="ana", kind="note")
        assert mem.drain(60)
        mem._store.database().connection.execute("update facts set value_text = 'Rita keeps bees'")
        assert mem._background.work()  # embeds it; the collection is not told yet
        [hit] = mem.search("Ana stays in Berlin", user_id="ana", weights="vector-only")
        assert hit.score < 0.5


def test_while_the_collection_is_being_filled_the_file_s_own_index_serves(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, None) as mem:
        mem.remember_many([{"value_text": f"note {number}", "user_id": "ana"} for number in range(300)])
        assert mem.drain(60)
        expected = [hit.fact.fact_id for hit in mem.search("note 7", user_id="ana", weights="vector-only")]
    with opened(tmp_path, near) as mem:
        hits = mem.search("note 7", user_id="ana", weights="vector-only")
        assert near.count() == 0
        assert ([hit.fact.fact_id for hit in hits], hits.degraded) == (expected, None)


def test_a_collection_that_is_behind_shows_nothing_that_is_believed_no_longer(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
        [fact] = mem.facts("ana")
        mem.end(fact.fact_id)
        assert "User lives in Porto" in held(near)  # nobody has told it yet
        assert fact.fact_id not in {hit.fact.fact_id for hit in mem.search("Porto", user_id="ana")}


@pytest.mark.parametrize(
    "narrowed",
    [
        {"tags": ["travel"]}, {"as_of": "2025-03-02"}, {"statuses": ["superseded"]}, {"max_age_days": 9000}, {"must": ["Porto"]},
        {"since": "2025-01-01"}, {"until": "2025-01-01"},
    ],
)  # fmt: skip
def test_what_a_collection_cannot_tell_is_asked_of_the_file(tmp_path: Path, near: Any, narrowed: Mapping[str, Any]) -> None:
    class Unasked(Wrapped):
        def query(self, **arguments: Any) -> Any:
            assert arguments["where"] == {"user_id": ""}, arguments  # that is how it is seen to be there
            return near.query(**arguments)

    with opened(tmp_path, Unasked(near)) as mem:
        said(mem, "I live in Porto.")
        assert mem.search("Porto", user_id="ana", **narrowed).degraded is None


def test_a_context_is_made_of_what_the_collection_finds_and_says_when_it_fails(tmp_path: Path, near: Any) -> None:
    collection = Wrapped(near)
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
        whole = mem.context("Where do I live?", user_id="ana")
        assert whole.degraded is None
        collection.broken = True
        alone = mem.context("Where do I live?", user_id="ana")
        assert "nobody answers" in str(alone.degraded)
        assert alone.text == whole.text
        assert "Porto" in whole.text


# down, and back


class Wrapped:
    """A collection that can be out of order."""

    def __init__(self, collection: Any) -> None:
        self.collection, self.broken = collection, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.collection, name)

    def _or_fail(self, name: str, *given: Any, **arguments: Any) -> Any:
        if self.broken:
            raise ConnectionError("nobody answers")
        return getattr(self.collection, name)(*given, **arguments)

    def upsert(self, *given: Any, **arguments: Any) -> Any:
        return self._or_fail("upsert", *given, **arguments)

    def delete(self, *given: Any, **arguments: Any) -> Any:
        return self._or_fail("delete", *given, **arguments)

    def count(self) -> Any:
        return self._or_fail("count")

    def query(self, **arguments: Any) -> Any:
        return self._or_fail("query", **arguments)


class Picky(Wrapped):
    """One that refuses every batch with a record that is poison to it, until it is hungry."""

    hungry, refused = False, 0

    def upsert(self, ids: list[str], **arguments: Any) -> Any:
        if not self.hungry and any("poison" in document for document in arguments["documents"]):
            self.refused += len(ids) == 1
            raise ValueError("not this one")
        return super().upsert(ids, **arguments)


def test_a_collection_that_failed_is_asked_again_by_the_next_search(tmp_path: Path, near: Any) -> None:
    collection = Wrapped(near)
    with opened(tmp_path, collection, retry_base_seconds=3600, retry_max_seconds=3600) as mem:
        said(mem, "I live in Porto.")
        collection.broken = True
        assert mem.search("Porto", user_id="ana").degraded
        collection.broken = False
        assert mem.search("Porto", user_id="ana").degraded is None
        assert mem.vectors().collection_error is None


@pytest.mark.parametrize("distance", [float("nan"), float("inf"), float("-inf")])
def test_what_is_found_at_no_distance_is_found_by_the_file_s_own_vectors(tmp_path: Path, near: Any, distance: float) -> None:
    class Broken(Wrapped):
        def query(self, **arguments: Any) -> Any:
            found = super().query(**arguments)
            return {**found, "distances": [[distance] * len(found["distances"][0])]}

    with opened(tmp_path, Broken(near)) as mem:
        said(mem, "I live in Porto.")
        hits = mem.search("something else", user_id="ana", weights="vector-only")
        assert (bool(hits), "found fewer records" in (hits.degraded or "")) == (True, True)


@pytest.mark.slow
def test_a_killed_server_costs_no_answer_and_no_write_and_is_made_up_for(tmp_path: Path, server: Server) -> None:
    collection = made(server.client(), name="facts")
    with opened(tmp_path, collection, worker=True, retry_base_seconds=0.2) as mem:
        said(mem, "I live in Porto.")
        assert mem.search("Porto", user_id="ana").degraded is None
        server.kill()
        started = time.monotonic()
        mem.observe("I moved to Lisbon.", user_id="ana", timestamp="2025-03-05T10:00:00Z")
        assert time.monotonic() - started < 1
        assert not mem.drain(3)  # the facts are there, the collection is not
        hits = mem.search("Where does she live? Lisbon", user_id="ana")
        assert "User lives in Lisbon" in {hit.fact.value_text for hit in hits}
        assert "the file's own vectors: the collection facts failed" in str(hits.degraded)
        assert hits.semantic > 0
        assert waiting(mem) >= 3
        assert "collection facts failed" in str(mem.vectors().collection_error)
        server.start()
        assert mem.drain(60)
        assert mem.search("Lisbon", user_id="ana").degraded is None
        assert mem.vectors().collection_error is None
        assert "User lives in Lisbon" in held(collection)
        assert "User lives in Porto" not in held(collection)


@pytest.mark.slow
def test_a_server_that_hangs_is_waited_for_once(tmp_path: Path, server: Server) -> None:
    collection = made(server.client())
    with opened(tmp_path, collection, collection_timeout_seconds=0.5, retry_base_seconds=60) as mem:
        said(mem, "I live in Porto.")
        server.process.send_signal(signal.SIGSTOP)
        times = []
        for _ in range(3):
            started = time.monotonic()
            assert "gave no answer for 0.5 s" in str(mem.search("Porto", user_id="ana").degraded)
            times.append(time.monotonic() - started)
        assert times[0] >= 0.5 > max(times[1:])


def test_a_deleted_collection_is_told_and_another_one_takes_its_place(tmp_path: Path, client: Any) -> None:
    collection = made(client)
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
        client.delete_collection(collection.name)
        hits = mem.search("Porto", user_id="ana")
        assert hits
        assert "does not exist" in str(hits.degraded)
        said_later = mem.observe("I like tea.", user_id="ana")
        assert not mem.drain()
        assert mem.turns("ana", turn_id=said_later)[0].status == "done"
    again = made(client)
    with opened(tmp_path, again) as mem:
        assert mem.drain(60)
        assert {"User lives in Porto", "User likes tea"} <= set(held(again))


def test_while_the_collection_is_down_changes_wait_and_none_is_set_aside(tmp_path: Path, near: Any) -> None:
    collection = Wrapped(near)
    with opened(tmp_path, collection, embed_max_attempts=1) as mem:
        said(mem, "I live in Porto.")
        collection.broken = True
        mem.forget("ana", key="user.lives_in")
        for _ in range(3):
            assert not mem.drain()
            time.sleep(0.11)
        assert (mem.vectors().collection_waiting > 0, mem.vectors().collection_dead) == (True, 0)
        assert "User lives in Porto" in held(near)
        collection.broken = False
        assert mem.drain(60)
        assert held(near) == {}


def test_a_record_that_is_refused_holds_up_no_other_and_retry_gives_it_another_chance(tmp_path: Path, near: Any) -> None:
    collection = Picky(near)
    with opened(tmp_path, collection, embed_max_attempts=2) as mem:
        for text in ("One", "Here is poison", "Three"):
            mem.remember(text, user_id="ana", kind="note")
        assert mem.drain(60)
        assert set(held(near)) == {"One", "Three"}
        assert (mem.vectors().collection_dead, mem.vectors().collection_waiting) == (1, 0)
        assert "not this one" in str(mem.vectors().collection_error)
        collection.hungry = True
        assert mem.retry() == 1
        assert mem.drain(60)
        assert len(held(near)) == 3


def test_a_record_that_is_refused_waits_is_tried_at_once_if_that_is_asked_for_and_is_set_aside_in_the_end(
    tmp_path: Path, near: Any
) -> None:
    collection = Picky(near)
    with opened(tmp_path, collection, embed_max_attempts=2, retry_base_seconds=3600, retry_max_seconds=3600) as mem:
        said(mem, "One")
        mem.remember("Here is poison", user_id="ana", kind="note")
        told = []
        for again in (False, False, True, True):
            revived = mem.retry() if again else 0
            mem.drain()
            told.append((revived, collection.refused, mem.vectors().collection_waiting, mem.vectors().collection_dead))
    assert told == [(0, 2, 1, 0), (0, 2, 1, 0), (0, 4, 0, 1), (1, 6, 1, 0)]  # with the others, and alone


@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
def test_a_collection_that_only_answers_sets_no_record_aside(tmp_path: Path, near: Any, filled: bool) -> None:
    class ReadOnly(Wrapped):
        full = not filled

        def upsert(self, ids: list[str], **arguments: Any) -> Any:
            if self.full:
                raise OSError("no space left on device")
            return near.upsert(ids, **arguments)

    collection = ReadOnly(near)
    with opened(tmp_path, collection, embed_max_attempts=1) as mem:
        mem.remember("Zero", user_id="ana", kind="note")
        assert mem.drain() is filled
        collection.full = True
        for text in ("One", "Two"):
            mem.remember(text, user_id="ana", kind="note")
        for _ in range(3):
            assert not mem.drain()
        assert (mem.vectors().collection_dead, mem.vectors().collection_waiting) == (0, 3)
        collection.full = False
        assert mem.drain(60)
        assert set(held(near)) == {"Zero", "One", "Two"}


def test_another_collection_is_sent_what_the_one_before_refused(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, Picky(near), embed_max_attempts=1) as mem:
        for text in ("Good", "Here is poison"):
            mem.remember(text, user_id="ana", kind="note")
        assert mem.drain(60)
        assert mem.vectors().collection_dead == 1
    with own_chroma.PersistentClient(tmp_path / "other.db") as client:
        another: Any = made(client)
        with opened(tmp_path, another) as mem:
            assert mem.drain(60)
            assert set(held(another)) == {"Good", "Here is poison"}


def test_many_records_that_are_refused_cost_no_good_one(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, Picky(near), embed_max_attempts=1) as mem:
        mem.remember("Good", user_id="ana", kind="note")
        assert mem.drain(60)
        for place in range(12):
            mem.remember(f"poison {place}" if place < 9 else f"Good {place}", user_id="ana", kind="note")
        assert mem.drain(60)
        assert set(held(near)) == {"Good", "Good 9", "Good 10", "Good 11"}
        assert (mem.vectors().collection_dead, mem.vectors().collection_waiting) == (9, 0)


@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_records_that_are_refused_hold_up_no_other_wherever_they_stand(
    tmp_path: Path, near: Any, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    def row(text: str, number: int) -> dict[str, object]:
        return {"value_text": text, "user_id": "ana", "kind": "note", "fact_id": f"{number:08x}-0000-4000-8000-000000000000"}

    monkeypatch.setattr("memdb.steps.mirror.random.sample", lambda rows, _count: list(rows))
    good = 99 if first else 0
    with opened(tmp_path, Picky(near), embed_max_attempts=1) as mem:
        mem.remember_many([row("Good", good)])
        assert mem.drain(60)
        mem.remember_many([*(row(f"poison {number}", number) for number in range(10, 19)), row("Good, too", good + 1)])
        assert mem.drain(10)
        assert set(held(near)) == {"Good", "Good, too"}
        assert (mem.vectors().collection_dead, mem.vectors().collection_waiting) == (9, 0)


def test_a_file_whose_first_records_are_all_refused_comes_to_the_others(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, Picky(near), embed_max_attempts=1) as mem:
        texts = [*(f"poison {number}" for number in range(6)), "Good", "Good, too"]
        mem.remember_many(
            [
                {"value_text": text, "user_id": "ana", "kind": "note", "fact_id": f"{place:08x}-0000-4000-8000-000000000000"}
                for place, text in enumerate(texts)
            ]
        )
        assert mem.drain(30)
        assert set(held(near)) == {"Good", "Good, too"}


def test_what_is_forgotten_while_the_collection_is_down_is_said_to_be_pending(tmp_path: Path, near: Any) -> None:
    collection = Wrapped(near)
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
        collection.broken = True
        assert mem.forget("ana").vectors_pending == 2  # the fact and the message
    with opened(tmp_path, None) as mem:  # opened without it, nothing of this is lost
        said(mem, "I like tea.", user_id="bob")
    collection.broken = False
    with opened(tmp_path, collection) as mem:
        assert mem.drain(60)
        assert set(held(near)) == {"I like tea.", "User likes tea"}


def test_a_change_that_comes_while_a_record_is_sent_is_sent_too(tmp_path: Path, near: Any) -> None:
    class Slow(Wrapped):
        memory: memdb.Memory | None = None

        def upsert(self, ids: list[str], **arguments: Any) -> Any:
            memory, self.memory = self.memory, None
            if memory is not None:
                memory.forget("ana")  # after it was read, and before it arrives
            return near.upsert(ids, **arguments)

    collection = Slow(near)
    with opened(tmp_path, collection) as mem:
        collection.memory = mem
        mem.remember("A secret", user_id="ana")
        assert mem.drain(60)
        assert held(near) == {}


def test_a_late_record_of_one_process_does_not_bring_back_what_another_took_away(tmp_path: Path, near: Any) -> None:
    arrived, go = threading.Event(), threading.Event()

    class Late(Wrapped):
        def upsert(self, ids: list[str], **arguments: Any) -> Any:
            arrived.set()
            assert go.wait(30)
            return near.upsert(ids, **arguments)

    with opened(tmp_path, Late(near), collection_timeout_seconds=60) as slow, opened(tmp_path, near) as quick:
        quick.remember("A secret", user_id="ana")
        assert slow._background.work()  # embeds it
        sending = threading.Thread(target=slow._background.mirror)
        sending.start()
        assert arrived.wait(30)
        quick.forget("ana")
        lapsed: tuple[SqlValue, ...] = ("2000-01-01T00:00:00.000Z",)
        quick._store.database().connection.execute("update mirror_outbox set claimed_until = ?", lapsed)  # it takes too long
        assert quick.drain(60)
        go.set()
        sending.join()
        assert set(held(near)) == {"A secret"}  # for a moment
        assert quick.drain(60)
        assert held(near) == {}


# with, without, and with again


def test_a_file_that_had_its_own_index_fills_the_collection_in_the_background(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, None) as mem:
        mem.remember_many([{"value_text": f"note {number}", "user_id": "ana"} for number in range(600)])
        assert mem.drain(60)
    with opened(tmp_path, collection) as mem:
        left = [waiting(mem)]
        while mem._background.mirror():
            left.append(waiting(mem))
        assert left == [600, 344, 88, 0]
        assert collection.count() == 600


def test_a_collection_that_comes_later_is_told_what_waits_to_be_confirmed_too(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, None, sensitive_topics="ask") as mem:
        said(mem, "I'm allergic to peanuts.")
    with opened(tmp_path, near) as mem:
        assert mem.drain(60)
        assert held(near)["User is allergic to peanuts"]["status"] == "pending_confirmation"


def test_without_the_collection_the_file_s_own_index_serves_and_nothing_is_missing_afterwards(tmp_path: Path, collection: Any) -> None:
    with opened(tmp_path, collection) as mem:
        said(mem, "I live in Porto.")
    with opened(tmp_path, None) as mem:
        said(mem, "I moved to Lisbon.")
        hits = mem.search("Lisbon", user_id="ana")
        assert hits.degraded is None
        assert "User lives in Lisbon" in {hit.fact.value_text for hit in hits}
    with opened(tmp_path, collection) as mem:
        assert waiting(mem) == 3  # not everything anew: what came, what changed, what went
        assert mem.drain(60)
        assert "User lives in Lisbon" in held(collection)
        assert "User lives in Porto" not in held(collection)


@pytest.mark.slow
def test_killed_while_it_fills_the_collection_the_next_one_goes_on(tmp_path: Path) -> None:
    code = """
import sys, time
import memdb, memdb.interfaces.chroma as chroma
class Slow:
    def __init__(self, collection): self.collection = collection
    def __getattr__(self, name): return getattr(self.collection, name)
    def upsert(self, ids, **arguments):
        if self.collection.count():
            print("goes on", flush=True)
            time.sleep(600)
        self.collection.upsert(ids, **arguments)
collection = chroma.PersistentClient(sys.argv[2]).get_or_create_collection("facts", embedding_function=None)
mem = memdb.open(sys.argv[1], embedder="hashing-64", llm=None, config={"collection_timeout_seconds": 5}, vectors=Slow(collection))
mem.drain()
"""
    with opened(tmp_path, None) as mem:
        mem.remember_many([{"value_text": f"note {number}", "user_id": "ana"} for number in range(900)])
        assert mem.drain(60)
    command = [sys.executable, "-c", code, str(tmp_path / "mem.db"), str(tmp_path / "own.db")]
    with subprocess.Popen(command, cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "goes on\n"
        child.kill()
    with own_chroma.PersistentClient(tmp_path / "own.db") as client:
        collection = client.get_collection("facts", embedding_function=None)
        assert 0 < collection.count() < 900
        with opened(tmp_path, collection) as mem:
            assert 0 < waiting(mem) < 900
            assert mem.drain(60)
            assert collection.count() == 900


def test_a_collection_that_lost_records_is_filled_again_at_the_next_opening(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
        before = held(near)
    near.delete(ids=near.get()["ids"])
    with opened(tmp_path, near) as mem:
        assert mem.drain(60)  # the first thing that is asked
        assert held(near) == before


def test_records_that_somebody_else_deletes_while_it_serves_come_back(tmp_path: Path, near: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I like jazz.")
        before = held(near)
        near.delete(ids=near.get()["ids"][:1])
        assert mem.drain(60)
        assert held(near) != before
        clock = time.monotonic
        monkeypatch.setattr("memdb.mirroring.monotonic", lambda: clock() + 601)
        mem._background.mirror()
        assert mem.drain(60)
        assert held(near) == before


def test_what_somebody_else_deletes_while_it_serves_is_found_by_the_file_s_own_vectors(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I like jazz.")
        before = [hit.fact.fact_id for hit in mem.search("an old map", user_id="ana", weights="vector-only")]
        near.delete(ids=near.get()["ids"][:1])
        hits = mem.search("an old map", user_id="ana", weights="vector-only")
        assert "found fewer records of this file than it was told of" in (hits.degraded or "")
        assert [hit.fact.fact_id for hit in hits] == before


def test_another_file_s_records_in_the_same_collection_do_not_crowd_out_one_s_own(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near, top_k_vec=3) as mem:
        mem.remember("an old map", user_id="ana", kind="note")
        assert mem.drain(60)
        (tmp_path / "other").mkdir()
        with opened(tmp_path / "other", near) as other:
            for text in TEXTS:
                other.remember(text, user_id="ana", kind="note")
            assert other.drain(60)
        assert [hit.fact.value_text for hit in mem.search("Rita lost tea", user_id="ana", weights="vector-only")] == ["an old map"]


def test_a_collection_that_found_too_few_is_looked_after_soon(tmp_path: Path, near: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I like jazz.")
        before = held(near)
        near.delete(ids=near.get()["ids"])
        mem.search("an old map", user_id="ana")
        clock = time.monotonic
        monkeypatch.setattr("memdb.mirroring.monotonic", lambda: clock() + 10)
        mem._background.mirror()
        assert mem.drain(60)
        assert held(near) == before
        assert mem.search("an old map", user_id="ana").degraded is None


def test_what_somebody_else_brings_back_is_taken_away_again(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
        [lived] = mem.facts("ana")
        record = near.get(ids=[lived.fact_id], include=["embeddings", "documents"])
        said(mem, "I moved to Lisbon.")
    near.add(ids=record["ids"], embeddings=record["embeddings"], documents=record["documents"])
    with opened(tmp_path, near) as mem:
        assert mem.drain(60)
        assert "User lives in Porto" not in held(near)


def test_beside_another_s_records_nothing_is_told_again(tmp_path: Path, near: Any) -> None:
    told: list[object] = []

    class Noted(Wrapped):
        def upsert(self, *given: Any, **arguments: Any) -> Any:
            told.extend(given)
            return super().upsert(*given, **arguments)

    near.add(ids=["another's"], embeddings=[[1.0] * 64], documents=["a text"])
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
    with opened(tmp_path, Noted(near)) as mem:
        assert mem.drain(60)
        assert told == []


def restored(collection: Any, copy: Mapping[str, Any]) -> None:
    """Make a collection what it was when the copy was made."""
    collection.delete(ids=collection.get()["ids"])
    collection.add(**{name: copy[name] for name in ("ids", "embeddings", "documents", "metadatas")})


@pytest.mark.parametrize("later", ["I like jazz no longer.", "I like jazz no longer. I have a dog.", "I moved to Lisbon."])
def test_an_older_copy_of_the_collection_is_brought_up_to_date(tmp_path: Path, near: Any, later: str) -> None:
    """Though it may have as many records as the newer one: also what was forgotten since goes again."""
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I like jazz.", "My sister is Rita.")
        copy = near.get(include=["embeddings", "documents", "metadatas"])
        mem.observe(later, user_id="ana", timestamp="2025-03-09T10:00:00Z")
        assert mem.drain(60)
        mem.forget("ana", key="user.sister")
        assert mem.drain(60)
        believed = held(near)
    restored(near, copy)
    with opened(tmp_path, near) as mem:
        assert mem.drain(60)
        assert held(near) == believed
        assert not [text for text in held(near) if "Rita" in text]


def test_records_that_somebody_else_changes_are_told_again(tmp_path: Path, near: Any) -> None:
    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.")
        before = held(near)
        first = near.get()["ids"][0]
    near.update(ids=[first], documents=["something else"], embeddings=[[1.0] * 64])
    with opened(tmp_path, near) as mem:
        assert mem.drain(60)
        assert held(near) == before


def test_a_collection_in_which_nobody_changed_anything_is_told_nothing_again(tmp_path: Path, near: Any) -> None:
    told: list[object] = []

    class Noted(Wrapped):
        def _or_fail(self, name: str, *given: Any, **arguments: Any) -> Any:
            told.extend(given)
            return super()._or_fail(name, *given, **arguments)

    with opened(tmp_path, near) as mem:
        said(mem, "I live in Porto.", "I moved to Lisbon.", "I like tea.", "My sister is Rita.")
        mem.forget("ana", key="user.sister")
        assert mem.drain(60)
        assert near.count()
    with opened(tmp_path, Noted(near)) as mem:
        assert mem.drain(60)
        assert told == []


def test_a_collection_that_only_tells_how_many_it_holds_is_looked_after_as_well(tmp_path: Path, near: Any) -> None:
    """Records cannot be asked of it by their ids: it has a `get` of its own."""

    class Bare(Wrapped):
        def get(self, name: str) -> object:
            return name

    with opened(tmp_path, Bare(near)) as mem:
        said(mem, "I live in Porto.")
        before = held(near)
    near.delete(ids=near.get()["ids"])
    with opened(tmp_path, Bare(near)) as mem:
        assert mem.drain(60)
        assert held(near) == before


def test_a_file_without_a_collection_keeps_no_account_of_changes(tmp_path: Path) -> None:
    with opened(tmp_path, None) as mem:
        said(mem, "I live in Porto.")
        assert mem._store.database().connection.execute("select count(*) from mirror_outbox").fetchall() == [(0,)]
        assert mem.vectors().collection is None


@pytest.mark.slow
def test_two_processes_and_a_server_that_is_killed_end_with_what_is_believed(tmp_path: Path, server: Server) -> None:
    code = """
import sys, memdb, chromadb
client = chromadb.HttpClient(host="127.0.0.1", port=int(sys.argv[2]), settings=chromadb.Settings(anonymized_telemetry=False))
collection = client.get_collection("facts", embedding_function=None)
with memdb.open(sys.argv[1], embedder="hashing-64", llm=None, config={"retry_base_seconds": 0.2}, vectors=collection) as mem:
    for number in range(60):
        fact = mem.remember(f"{sys.argv[3]} {number}", user_id=sys.argv[3], kind="note", key=f"note.n{number}")
        if number % 3 == 0:
            mem.end(fact.fact_id)
        if number % 20 == 19:
            print(number, flush=True)
            mem.forget(sys.argv[3], key=f"note.n{number}")
    mem.drain(60)
"""
    collection = made(server.client(), name="facts")
    opened(tmp_path, collection).close()
    command = [sys.executable, "-c", code, str(tmp_path / "mem.db"), str(server.port)]
    children = [
        subprocess.Popen([*command, name], cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True) for name in ("one", "two")
    ]
    for child in children:  # both found the server before it is killed
        assert child.stdout is not None
        assert child.stdout.readline() == "19\n"
    server.kill()
    server.start()
    assert [child.wait(120) for child in children] == [0, 0]
    with opened(tmp_path, collection) as mem:
        assert mem.drain(60)
        live = {fact.fact_id for user in ("one", "two") for fact in mem.facts(user, kinds=["note"])}
        assert len(live) > 60
        assert set(cast(Any, collection).get()["ids"]) == live


# what cannot serve


@pytest.mark.parametrize("wrong", ["facts", 7, {"name": "facts"}, object()])
def test_what_is_no_collection_is_refused(tmp_path: Path, wrong: object) -> None:
    with pytest.raises(memdb.ConfigError, match=r"`vectors` is \w+, which has no '\w+'; give a Chroma collection, or None"):
        opened(tmp_path, wrong)


def test_a_collection_of_another_dimension_is_refused(tmp_path: Path, collection: Any) -> None:
    collection.upsert(["a"], embeddings=[[1.0, 0.0, 0.0]], documents=["a"])
    with pytest.raises(memdb.ConfigError, match=r"dimension of 3.* Give one for vectors of 64 dimensions"):
        opened(tmp_path, collection)
    assert memdb.open(tmp_path / "mem.db", embedder=EMBEDDER).close() is None  # type: ignore[func-returns-value]


def test_a_collection_of_another_distance_is_refused(tmp_path: Path, near: Any) -> None:
    class Odd(Wrapped):
        configuration_json = {"hnsw": {"space": "hamming"}}  # noqa: RUF012

    with pytest.raises(memdb.ConfigError, match="distance 'hamming'; make one with cosine, l2 or ip"):
        opened(tmp_path, Odd(near))


def test_a_collection_of_an_asynchronous_client_is_refused(tmp_path: Path, near: Any) -> None:
    class Waiting(Wrapped):
        async def query(self, **arguments: Any) -> Any:
            return near.query(**arguments)

    with pytest.raises(memdb.ConfigError, match="give one of a synchronous client"):
        opened(tmp_path, Waiting(near))


def test_a_deleted_collection_cannot_be_opened_with(tmp_path: Path, client: Any) -> None:
    collection = made(client)
    client.delete_collection(collection.name)
    with pytest.raises(memdb.ConfigError, match="does not exist"):
        opened(tmp_path, collection)


def test_a_collection_that_is_out_of_reach_does_not_keep_the_file_from_opening(tmp_path: Path, near: Any) -> None:
    collection = Wrapped(near)
    collection.broken = True
    with opened(tmp_path, collection) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert not mem.drain(1)
        assert mem.search("Porto", user_id="ana")
        collection.broken = False
        assert mem.drain(60)
        assert "User lives in Porto" in held(near)


def test_a_collection_needs_an_embedder_and_keeps_it(tmp_path: Path, near: Any) -> None:
    with pytest.raises(memdb.ConfigError, match="needs an embedder"):
        memdb.open(tmp_path / "words.db", embedder=None, vectors=near)
    with opened(tmp_path, near) as mem, pytest.raises(memdb.ConfigError, match=r"open .* without it, reindex"):
        mem.reindex("hashing-32")


# what it answers


def answering(collection: Wrapped, method: str, answer: object) -> None:
    """Have a collection answer one method with something else than it should."""
    setattr(collection, method, lambda *_, **__: answer)


ODD: list[object] = [
    None, "x", {}, {"ids": None, "distances": [[0.1]]}, {"ids": ["a"], "distances": [[0.1]]}, {"ids": [], "distances": []},
    {"ids": [["a"]], "distances": [["near"]]}, {"ids": [["a", "b"]], "distances": [[0.1]]}, {"ids": [[1]], "distances": [[0.1]]},
    {"ids": [["a"]], "distances": [[10**400]]},
]  # fmt: skip


@pytest.mark.parametrize("answer", ODD)
def test_an_answer_that_cannot_be_used_is_told_in_one_sentence_and_made_up_for(
    tmp_path: Path, near: memdb.VectorCollection, answer: object
) -> None:
    with opened(tmp_path, odd := Wrapped(near)) as mem:
        said(mem, "I live in Porto.")
        answering(odd, "query", answer)
        hits = mem.search("Where do I live? Porto", user_id="ana")
    told = "answered query() with something else than `ids` and `distances`, a list of each for the question; give a collection that answers as"
    assert hits.degraded is not None
    assert told in hits.degraded
    assert "searched by words and the file's own vectors" in hits.degraded
    assert hits.semantic > 0


@pytest.mark.parametrize("answer", [None, "x", -1, 1.5, float("nan")])
def test_a_count_that_is_none_is_told_as_if_the_collection_were_down(tmp_path: Path, near: memdb.VectorCollection, answer: object) -> None:
    answering(odd := Wrapped(near), "count", answer)
    with opened(tmp_path, odd) as mem:
        mem.remember("Ana lives in Porto", user_id="ana")
        assert not mem.drain(1)
        assert "answered count() with something else than a number of records" in str(mem.vectors().collection_error)


@pytest.mark.parametrize("settings", ["x", [1], {"hnsw": "x"}, {"hnsw": {"space": ["l2"]}}])
def test_a_collection_whose_distance_cannot_be_told_is_refused(tmp_path: Path, near: memdb.VectorCollection, settings: object) -> None:
    odd = Wrapped(near)
    odd.configuration_json = settings  # type: ignore[attr-defined]
    with pytest.raises(memdb.ConfigError, match="has the distance"):
        opened(tmp_path, odd)


@pytest.mark.parametrize("worker", [True, False], ids=["by threads", "at once"])
def test_draining_ends_though_others_write_faster_than_a_collection_is_told(tmp_path: Path, near: Any, worker: bool) -> None:
    def write(mem: memdb.Memory, user_id: str, count: int) -> None:
        texts = [f"{user_id} said {uuid4()}" for _ in range(count)]
        mem.remember_many([{"value_text": text, "user_id": user_id} for text in texts], vectors=EMBEDDER.embed(texts))

    with opened(tmp_path, None) as other:

        class Slow:
            def __getattr__(self, name: str) -> Any:
                return getattr(near, name)

            def upsert(self, *args: Any, **named: Any) -> None:
                near.upsert(*args, **named)
                write(other, "ben", 500)  # about twice as many as go at once

        with opened(tmp_path, Slow(), worker=worker) as mem:
            write(mem, "ana", 300)
            assert mem.drain(60)
            assert len(near.get(where={"user_id": "ana"}, include=[])["ids"]) == 300
            assert mem.vectors().collection_waiting
