"""Embeddings from an OpenAI-compatible endpoint: asked only by name, checked, and never in the way when it fails."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import numpy as np
import pytest

import memdb
from memdb.chat import openai_transport
from memdb.embed import HashingEmbedder, choose_embedder
from memdb.endpoint import EndpointEmbedder
from memdb.errors import ConfigError, ModelOutputError, ModelUnavailable
from memdb.llm import ModelRequest
from memdb.pieces import READS, unit
from tests.commands import ok
from tests.hostile_server import HostileServer, LoopbackServer, send, trickle

pytest.importorskip("openai")
AT_ONCE: dict[str, object] = {"worker": False, "retry_base_seconds": 0}
Rows = list[dict[str, object]]


class Embeddings(LoopbackServer):
    """A server on loopback that makes hashed vectors of 16 numbers; `limit` is how many characters it reads, `spoil` what it makes of its answer."""

    def __init__(
        self, *, limit: int = 10**9, spoil: Callable[[Rows], object] | None = None, status: int = 200, retry_after: str | None = None
    ) -> None:
        super().__init__()
        self.retry_after = retry_after
        self.limit, self.spoil, self.status = limit, spoil, status
        self.asked: list[list[str]] = []
        self.keys: list[str | None] = []

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        assert (handler.path, request["model"]) == ("/v1/embeddings", "tiny")
        self.asked.append(request["input"])
        self.keys.append(handler.headers["Authorization"])
        if self.status != 200:
            return send(handler, self.status, {"error": {"message": "out of order"}}, retry_after=self.retry_after)
        if any(len(text) > self.limit for text in request["input"]):
            return send(handler, 400, {"error": {"message": f"This model's maximum context length is {self.limit} tokens."}})
        vectors = HashingEmbedder(16).embed(request["input"]) * 3  # of another length than 1
        rows: Rows = [{"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(vectors)]
        if self.spoil is not None:
            return send(handler, 200, self.spoil(rows))
        send(handler, 200, {"object": "list", "data": rows[::-1], "model": "tiny", "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def embedder(self, dimension: int | None = 16, *, timeout: float = 10) -> EndpointEmbedder:
        return EndpointEmbedder("tiny", dimension=dimension, base_url=self.base_url, timeout=timeout)


def spoilt(spoil: Callable[[Rows], object]) -> Callable[[Rows], object]:
    return lambda rows: {"data": spoil(rows)}


def test_a_memory_is_searched_by_meaning_with_a_model_at_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Embeddings() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        with memdb.open(tmp_path / "mem.db", embedder="endpoint:tiny", config=AT_ONCE) as mem:
            mem.observe("I live in Porto.", user_id="ana")
            assert mem.drain()
            hits = mem.search("Porto", user_id="ana")
            assert (hits.degraded, hits[0].parts["cosine"] > 0.3) == (None, True)
            assert (mem.vectors().embedder, mem.vectors().dimension) == ("endpoint:tiny", 16)
        asked = len(server.asked)
        with memdb.open(tmp_path / "mem.db", config=AT_ONCE) as mem:  # the file knows the name, and how long its vectors are
            assert len(server.asked) == asked
            assert mem.search("Porto", user_id="ana").degraded is None
        assert set(server.keys) == {"Bearer secret"}


def test_vectors_are_in_the_order_of_the_texts_and_of_unit_length() -> None:
    texts = [f"text {place}" for place in range(600)]
    with Embeddings() as server:
        made = server.embedder(None).embed(texts)
        assert np.allclose(made, HashingEmbedder(16).embed(texts), atol=1e-6)
        assert [len(asked) for asked in server.asked] == [256, 256, 88]
        assert server.embedder(None).dimension == 16


def test_a_text_that_is_too_long_is_read_in_halves_and_has_the_mean_of_their_vectors() -> None:
    halves = ["She lives in Porto, by the river. ", "He reads slowly, and works at sea."]
    with Embeddings(limit=40) as server:
        made = server.embedder().embed(["short", "".join(halves), "brief", "terse"])
    mean = unit(HashingEmbedder(16).embed(halves).sum(axis=0, keepdims=True))
    assert np.allclose(made, [*HashingEmbedder(16).embed(["short"]), *mean, *HashingEmbedder(16).embed(["brief", "terse"])], atol=1e-6)


def test_a_text_that_is_much_too_long_is_read_in_pieces_that_end_where_a_sentence_or_a_word_does() -> None:
    text = "She lives in Porto, by the river. " * 30
    with Embeddings(limit=200) as server:
        made = server.embedder().embed([text])
        pieces = [piece for asked in server.asked for piece in asked if len(piece) <= 200]
    assert "".join(pieces) == text
    assert all(piece[-1].isspace() for piece in pieces)
    assert np.allclose(made, HashingEmbedder(16).embed([text]), atol=0.01)


def test_a_text_without_end_that_is_too_long_is_read_up_to_its_twenty_thousandth_character() -> None:
    with Embeddings(limit=9_000) as server:
        server.embedder().embed(["x" * 300_000])
        assert sum(len(piece) for asked in server.asked for piece in asked if len(piece) <= 9_000) == READS


def test_an_endpoint_that_finds_every_text_too_long_is_told_as_refusing() -> None:
    with Embeddings(limit=0) as server, pytest.raises(ModelUnavailable, match="refused the call"):
        server.embedder().embed(["word " * 10_000])
    assert len(server.asked) < 40


def test_any_text_can_be_asked_for() -> None:
    with Embeddings() as server:
        server.embedder().embed(["", "half \ud800 a pair", "x" * 300_000])
        assert [len(text) for text in server.asked[0]] == [1, 13, 100_000]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: "<html>proxy error</html>",
        lambda rows: [],
        lambda rows: {"data": None},
        lambda rows: {"error": "no"},
        spoilt(lambda rows: rows[:-1]),
        spoilt(lambda rows: [*rows, *rows]),
        spoilt(lambda rows: [rows[0]] * len(rows)),
        spoilt(lambda rows: [{**row, "index": "one"} for row in rows]),
        spoilt(lambda rows: [{**row, "index": float("inf")} for row in rows]),
        spoilt(lambda rows: [{**row, "embedding": [10**400] * 16} for row in rows]),
        spoilt(lambda rows: [{"index": row["index"]} for row in rows]),
        spoilt(lambda rows: [{**row, "embedding": "AAAA"} for row in rows]),
        spoilt(lambda rows: [{**row, "embedding": [[1.0], [2.0]]} for row in rows]),
        spoilt(lambda rows: [{**row, "embedding": [1.0] * place} for place, row in enumerate(rows, 1)]),
        spoilt(lambda rows: [{**row, "embedding": {"a": 1}} for row in rows]),
        spoilt(lambda rows: ["one", "two"]),
    ],
)
def test_what_is_no_vector_for_each_text_is_told_in_one_sentence(spoil: Callable[[Rows], object]) -> None:
    with Embeddings(spoil=spoil) as server, pytest.raises(ModelOutputError, match="The model tiny answered with something else than one"):
        server.embedder().embed(["one", "two"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e60", "0.0", "null"])
@pytest.mark.parametrize("length", [16, 8])
def test_a_vector_that_cannot_be_compared_is_never_kept(tmp_path: Path, number: str, length: int) -> None:
    def spoil(rows: Rows) -> str:
        vector = ", ".join([number] * length) if length == 16 else ", ".join(["1.0"] * length)
        return '{"data": [' + ", ".join(f'{{"index": {row["index"]}, "embedding": [{vector}]}}' for row in rows) + "]}"

    with Embeddings(spoil=spoil) as server, memdb.open(tmp_path / "mem.db", embedder=server.embedder(), config=AT_ONCE) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert not mem.drain()
        hits = mem.search("Porto", user_id="ana")
        assert hits
        assert any(says in str(hits.degraded) for says in ("not finite", "the shape (1, 8) instead of (1, 16)"))
        server.spoil = None
        assert mem.drain()
        assert mem.search("Porto", user_id="ana").degraded is None


@pytest.mark.parametrize(
    ("status", "says", "passing"),
    [
        (401, "refused the call", False), (404, "refused the call", False), (429, "overloaded", True), (503, "overloaded", True),
    ],
)  # fmt: skip
def test_a_refusal_is_told_in_one_sentence(status: int, says: str, passing: bool) -> None:
    with Embeddings(status=status) as server, pytest.raises(ModelUnavailable, match=says) as caught:
        server.embedder().embed(["one"])
    assert (caught.value.passing, "out of order" in str(caught.value)) == (passing, True)


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        ("2", 2, 2), ("-1", 0, 0), ("Fri, 01 Jan 2100 00:00:00 GMT", 1e8, 1e10), ("Mon, 01 Jan 2001 00:00:00 GMT", 0, 0),
    ],
)  # fmt: skip
def test_how_long_a_server_asks_to_wait_is_told_in_seconds(asked: str, least: float, most: float) -> None:
    with Embeddings(status=429, retry_after=asked) as server, pytest.raises(ModelUnavailable) as caught:
        server.embedder().embed(["one"])
    assert caught.value.retry_after is not None
    assert least <= caught.value.retry_after <= most


@pytest.mark.parametrize("asked", [None, "", "soon", "nan", "inf", "Mon, 99 Foo 2026 00:00:00 GMT", "9" * 5_000])
def test_what_a_server_says_otherwise_of_waiting_is_passed_over(asked: str | None) -> None:
    with Embeddings(status=503, retry_after=asked) as server, pytest.raises(ModelUnavailable) as caught:
        server.embedder().embed(["one"])
    assert caught.value.retry_after is None


def test_an_endpoint_that_is_away_costs_no_answer_and_its_return_is_noticed(tmp_path: Path) -> None:
    with Embeddings() as server:
        address = server.base_url
    with memdb.open(tmp_path / "mem.db", embedder=EndpointEmbedder("tiny", dimension=16, base_url=address), config=AT_ONCE) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert not mem.drain()
        assert "could not be reached" in str(mem.search("Porto", user_id="ana").degraded)


def test_an_endpoint_that_is_slow_is_waited_for_so_long() -> None:
    go_on = threading.Event()

    def wait(rows: Rows) -> object:
        go_on.wait(30)
        return {}

    with Embeddings(spoil=wait) as server:
        with pytest.raises(ModelUnavailable, match="gave no answer in time; check the server, or wait longer"):
            server.embedder(timeout=0.2).embed(["one"])
        go_on.set()


@pytest.mark.parametrize(("patience", "seen"), [(None, [2]), ("0.2", [1, 1])])
def test_a_command_waits_for_an_embedder_that_takes_long_to_load_unless_it_is_told_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: str | None, seen: list[int]
) -> None:
    def alike(rows: Rows) -> object:
        time.sleep(1)
        return {"data": [{**row, "embedding": [1.0] * 16} for row in rows]}

    if patience is not None:
        monkeypatch.setenv("MEMDB_WRITE_PATIENCE_SECONDS", patience)
    with Embeddings(spoil=alike) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        for dog in ("dog called Bica", "dog named Bica"):
            file, one = ("--db", tmp_path / "mem.db", "--embedder", "endpoint:tiny"), ("--key", "user.pet", "--object", dog)
            ok("remember", f"User has a {dog}", "--user", "ana", *one, *file)
    with memdb.open(tmp_path / "mem.db", embedder=None, config=AT_ONCE) as mem:
        assert [fact.seen_count for fact in mem.facts("ana")] == seen


class Trickling(LoopbackServer):
    """A server that goes on answering for ever."""

    def __init__(self, *, status: int = 200, at_once: int = 1) -> None:
        super().__init__()
        self.done, self.status, self.at_once = threading.Event(), status, at_once

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        trickle(handler, self.done, status=self.status, at_once=self.at_once)


@pytest.mark.parametrize("status", [200, 500, 400, 307])
def test_an_answer_that_does_not_end_is_waited_for_so_long(status: int) -> None:
    with Trickling(status=status) as server:
        embedder = EndpointEmbedder("tiny", dimension=16, base_url=server.base_url, timeout=1)
        with pytest.raises(ModelUnavailable, match="took longer than 1 seconds") as caught:
            embedder.embed(["one"])
        assert caught.value.passing
        ask = openai_transport(model="tiny", base_url=server.base_url, timeout=1)
        with pytest.raises(ModelUnavailable, match="took longer than 1 seconds") as caught:
            ask(ModelRequest(system="", user="", mode="text", schema_=None, max_tokens=1))
        assert caught.value.passing
        server.done.set()


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_is_longer_than_any_is_read_no_further(status: int) -> None:
    with Trickling(status=status, at_once=4_000_000) as server:
        ask = openai_transport(model="tiny", base_url=server.base_url, timeout=30)
        with pytest.raises(ModelUnavailable, match="answered with more than 8,388,608 bytes; check the server"):
            ask(ModelRequest(system="", user="", mode="text", schema_=None, max_tokens=1))
        server.done.set()


class Elsewhere(LoopbackServer):
    """A server that says that what is asked for is at another one."""

    def __init__(self, status: int, place: str) -> None:
        super().__init__()
        self.status, self.place = status, place

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.send_response(self.status)
        handler.send_header("Location", self.place)
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@pytest.mark.parametrize("status", [302, 307, 308])
def test_what_is_asked_is_sent_to_nobody_else(status: int) -> None:
    with HostileServer(lambda _: "hi") as other, Elsewhere(status, f"{other.base_url}/chat/completions") as server:
        ask = openai_transport(model="tiny", base_url=server.base_url, timeout=10)
        with pytest.raises(ModelUnavailable, match=r"said to be elsewhere \(http://127.*nothing is sent unasked; set OPENAI_BASE_URL"):
            ask(ModelRequest(system="", user="I live in Porto.", mode="text", schema_=None, max_tokens=1))
        with pytest.raises(ModelUnavailable, match="said to be elsewhere"):
            EndpointEmbedder("tiny", dimension=16, base_url=server.base_url, timeout=10).embed(["I live in Porto."])
        assert other.modes == []


def test_where_the_length_of_the_vectors_is_not_known_opening_says_that_it_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Embeddings() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    with pytest.raises(ModelUnavailable, match="could not be reached"):
        memdb.open(tmp_path / "mem.db", embedder="endpoint:tiny")
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.vectors().embedder is None


def test_only_who_names_it_has_an_endpoint_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert choose_embedder("auto", remembered="endpoint:tiny", dimension=16) is None
    named = choose_embedder("endpoint:tiny", remembered="endpoint:tiny", dimension=16)
    assert named is not None
    assert (named.name, named.dimension) == ("endpoint:tiny", 16)
    monkeypatch.delenv("OPENAI_API_KEY")
    for name in ("endpoint:tiny", "endpoint:"):
        with pytest.raises(ConfigError, match="set OPENAI_BASE_URL"):
            choose_embedder(name, remembered=None)


def test_a_file_changes_to_a_model_at_an_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Embeddings() as server, memdb.open(tmp_path / "mem.db", embedder="hashing-64", config=AT_ONCE) as mem:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain()
        state = mem.reindex("endpoint:tiny")
        assert (state.embedder, state.dimension, state.waiting) == ("endpoint:tiny", 16, 0)
        assert mem.search("Porto", user_id="ana").degraded is None
