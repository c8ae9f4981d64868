"""The commands about procedures, links, memory.md and the vector index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memdb
from memdb import Link, Procedure, Vectors
from memdb.embed import HashingEmbedder
from tests.commands import ok, run


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=HashingEmbedder(64), config={"worker": False}) as mem:
        for text in ("jazz in Porto tonight", "jazz in Porto tomorrow", "bread and water"):
            mem.remember(text, user_id="ana")
        assert mem.drain()
    return path


def ids(db: Path) -> list[str]:
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        return [fact.fact_id for fact in mem.facts("ana")]


def test_link_links_and_unlink(db: Path) -> None:
    a, b, c = ids(db)
    made = Link.model_validate_json(ok("link", a, c, "--relation", "supports", "--strength", 0.5, "--db", db, "--json"))
    assert (made.relation, made.strength) == ("supports", 0.5)
    assert ok("relate", "--user", "ana", "--db", db) == "links made\t1\n"
    rows = [line.split("\t") for line in ok("links", b, "--depth", 2, "--db", db).splitlines()]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("1", "relates-to", "jazz in Porto tonight"),
        ("2", "supports", "bread and water"),
    ]
    assert ok("unlink", a, c, "--db", db) == "links removed\t1\n"
    assert len(json.loads(ok("links", b, "--depth", 2, "--db", db, "--json"))) == 1


def test_a_link_that_cannot_be_is_one_sentence_and_exit_code_two(db: Path) -> None:
    a, b, _ = ids(db)
    result = run("link", a, b, "--relation", "likes", "--db", db)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "relation is 'likes'; give one of relates-to, contradicts, supports, extends." in result.stderr
    assert "no memory at" in run("links", a, "--db", db.parent / "other.db").stderr


def test_learn_procedures_and_outcome(db: Path) -> None:
    (learned,) = json.loads(ok("learn", "cook rice", "wash it", "boil it", "--user", "ana", "--db", db, "--json"))
    ok("outcome", learned["fact_id"], "--worked", "--db", db)
    ok("outcome", learned["fact_id"], "--failed", "--note", "too much water", "--db", db)
    (found,) = json.loads(ok("procedures", "how do I cook rice?", "--user", "ana", "--db", db, "--json"))
    procedure = Procedure.model_validate(found)
    assert (procedure.steps, procedure.success_rate) == (("wash it", "boil it"), 0.5)
    assert ok("procedures", "cook rice", "--user", "ana", "--db", db, "--embedder", "none").startswith(
        "cook rice\twash it; boil it\t0.50\t"
    )


def test_page_prints_memory_md(db: Path) -> None:
    assert "- bread and water\n" in ok("page", "--user", "ana", "--db", db)
    assert json.loads(ok("page", "--user", "bob", "--db", db, "--json"))["page"].startswith("# What is remembered of bob\n")


def test_reindex_changes_the_embedder(db: Path) -> None:
    assert Vectors.model_validate_json(ok("vectors", "--db", db, "--json")).embedder == "hashing-64"
    state = Vectors.model_validate_json(ok("reindex", "--embedder", "hashing-32", "--db", db, "--json"))
    assert (state.embedder, state.dimension, state.written, state.waiting) == ("hashing-32", 32, 3, 0)
    assert run("reindex", "--embedder", "nonsense", "--db", db).exit_code == 2
    assert "embedder\thashing-32\n" in ok("vectors", "--db", db)
