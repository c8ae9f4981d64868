"""Every statement prepares; parameters, weights and columns have one name; the indexes are used; any shell can read the file."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import apsw
import pytest
import sqlite_vec

import memdb
from memdb import files
from memdb.config import Config
from memdb.errors import StoreError
from memdb.steps.retrieve import FEATURES
from memdb.store import Store, new_schema, parameter_names

STATEMENTS = [f"{file}.{name}" for file in files.statement_files() for name in files.statements(file)]


def connect(*, vectors: bool) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute(new_schema())
    if vectors:
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
        connection.execute(files.read("sql/vectors.sql"))
    else:
        connection.execute(files.read("sql/no_vectors.sql"))
        connection.create_scalar_function("vec_distance_cosine", lambda *_: None, 2)
    return connection


def plan(statement: str) -> str:
    sql = files.statement(statement)
    rows = connect(vectors=True).execute(f"explain query plan {sql}", dict.fromkeys(parameter_names(sql))).fetchall()
    return "\n".join(row[3] for row in rows)


@pytest.mark.parametrize("vectors", [True, False], ids=["with vectors", "words only"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_prepares(statement: str, vectors: bool) -> None:
    sql = files.statement(statement)
    connect(vectors=vectors).execute(f"explain {sql}", dict.fromkeys(parameter_names(sql))).fetchall()


def test_a_missing_and_a_spare_parameter_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path / "mem.db", Config(), vectors=False)
    for parameters in ({}, {"fact_id": "x", "other": "y"}):
        with pytest.raises(StoreError, match="wants the parameters"):
            store.database().all("believe.by_id", **parameters)
    store.close()


def test_a_weight_a_feature_and_a_column_have_one_name() -> None:
    sql = files.statement("retrieve")
    pivoted = set(re.findall(r"where feature = '(\w+)'\)", sql))
    seeded = {str(feature) for (feature,) in connect(vectors=False).execute("select distinct feature from weights")}
    assert set(FEATURES) <= pivoted
    assert seeded <= pivoted
    assert all(name in FEATURES or name.startswith(("bm25_", "k_")) for name in pivoted)


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        ("believe.under_keys", "facts_key"),
        ("believe.current", "facts_"),
        ("believe.by_id", "sqlite_autoindex_facts"),
        ("apply.over", "facts_due"),
        ("queue.claim", "turns_open"),
        ("queue.find", "sqlite_autoindex_turns"),
        ("queue.previous_session", "turns_user"),
        ("retrieve", "INTEGER PRIMARY KEY"),
    ],
)
def test_the_indexes_are_used(statement: str, index: str) -> None:
    told = plan(statement)
    assert index in told
    assert not re.search(r"^SCAN (f|facts|t|turns)( |$)(?!.*USING)", told, re.MULTILINE), told


def test_another_shell_reads_what_was_written(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem:
        mem.observe("I live in Porto.", "Lovely!", user_id="ana", turn_id="t1")
        mem.drain()
    shell = sqlite3.connect(tmp_path / "mem.db")
    assert shell.execute("select key, subject, predicate, object, status from fact").fetchall() == [
        ("user.lives_in", "user", "lives_in", "Porto", "active")
    ]
    assert shell.execute("select speaker, text from message order by speaker").fetchall() == [
        ("assistant", "Lovely!"), ("user", "I live in Porto."),
    ]  # fmt: skip
    for view in ("episode", "narrative", "note", "task", "procedure", "metrics", "fact_record", "fact_ever", "fact_words"):
        shell.execute(f"select * from {view}").fetchall()


def test_the_one_query_gives_the_same_in_a_bare_shell(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem:
        for text in ("I live in Porto.", "I like jazz.", "My dog is called Bica."):
            mem.observe(text, user_id="ana", timestamp="2025-03-01T10:00:00Z")
        mem.drain()
        expected = [(hit.fact.fact_id, hit.score) for hit in mem.search("Where do I live?", user_id="ana", now="2025-04-01")]
        assert mem.embedder is not None
        vector = mem.embedder.embed(["Where do I live?"])[0].tobytes()
    shell = apsw.Connection(str(tmp_path / "mem.db"))
    shell.enable_load_extension(True)
    shell.load_extension(sqlite_vec.loadable_path())
    kinds = '["fact", "message", "episode", "narrative", "note", "task", "procedure"]'
    sql = files.statement("retrieve")
    given = {
        "user_id": "ana", "terms": '"live"', "embedding": vector, "hits": "[]", "kinds": kinds, "shelves": kinds,
        "statuses": '["active", "pending_confirmation"]', "now": "2025-04-01T00:00:00.000Z", "weights": "default", "limit": 10,
    }  # fmt: skip
    rows = shell.execute(sql, dict.fromkeys(parameter_names(sql)) | given).fetchall()
    assert [(row[0], row[2]) for row in rows] == expected
    shell.close()
