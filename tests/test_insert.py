"""Many facts at once: stored as they are, found like any other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import memdb
from memdb.embed import HashingEmbedder

FACTS = [{"value_text": f"Likes tune number {number}", "user_id": "ana", "fact_id": f"f{number}"} for number in range(2_100)]


def test_many_facts_are_stored_once_and_found(mem: memdb.Memory) -> None:
    assert (mem.remember_many(FACTS), mem.remember_many(FACTS)) == (2_100, 0)
    assert mem.search("tune 1234", user_id="ana")[0].fact.fact_id == "f1234"
    assert mem.stats().outbox_waiting == 2_100  # they are embedded in the background
    assert mem.search("tune 1234", user_id="bea") == []


def test_vectors_that_are_ready_are_taken_as_they_are(mem: memdb.Memory) -> None:
    vectors = np.eye(64, dtype=np.float32)
    facts = [{"value_text": f"Something {place}", "user_id": "ana", "kind": "note"} for place in range(64)]
    assert mem.remember_many(facts, vectors=3 * vectors) == 64
    assert (mem.stats().vectors, mem.stats().outbox_waiting) == (64, 0)
    hits = mem.search("Something 7", user_id="ana", weights="vector-only", limit=64)
    assert {hit.fact.kind for hit in hits} == {"note"}


def test_a_fact_may_say_all_that_a_remembered_one_does(mem: memdb.Memory) -> None:
    mem.remember_many(
        [
            {
                "value_text": "Lives in Porto", "user_id": "ana", "key": "user.lives_in", "object": "Porto", "category": "identity",
                "confidence": 0.9, "valid_from": "2024-01-01", "valid_to": "2024-06-01", "tags": ["home"], "timestamp": "2024-01-02",
            }
        ]
    )  # fmt: skip
    [fact] = mem.facts("ana", as_of="2024-03-01")
    assert (fact.object, fact.confidence, fact.tags, fact.created_at.isoformat()) == ("Porto", 0.9, ("home",), "2024-01-02T00:00:00+00:00")
    assert mem.facts("ana", now="2024-07-01") == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"value_text": ""}, "Fact 2 cannot be stored: field value_text"),
        ({"valeu": 1}, "Fact 2 cannot be stored: field valeu"),
        ({"confidence": 2}, "Fact 2 cannot be stored: field confidence"),
        ({"key": "Home"}, "Fact 2 has the key 'Home'"),
        ({"kind": "message"}, "Fact 2 is of kind 'message'"),
        ({"user_id": " "}, "user_id is empty"),
    ],
)
def test_a_wrong_fact_is_named_and_nothing_of_its_thousand_is_kept(mem: memdb.Memory, wrong: dict[str, object], told: str) -> None:
    with pytest.raises(memdb.InputError, match=told):
        mem.remember_many([FACTS[0], {**FACTS[1], **wrong}])
    assert mem.facts("ana") == []


def test_wrong_vectors_are_refused(mem: memdb.Memory, tmp_path: Path) -> None:
    for vectors in (np.zeros((1, 64), np.float32), np.ones((1, 3), np.float32), np.ones((0, 64), np.float32)):
        with pytest.raises(memdb.ModelOutputError):
            mem.remember_many(FACTS[:1], vectors=vectors)
    assert mem.facts("ana") == []
    with memdb.open(tmp_path / "words.db", embedder=None) as words, pytest.raises(memdb.ConfigError, match="without an embedder"):
        words.remember_many(FACTS[:1], vectors=HashingEmbedder(64).embed(["x"]))
