"""The file: what is opened and what is refused, two processes at once, a full disk, a damaged page."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

import memdb
from memdb import driver, files
from memdb.config import Config
from memdb.driver import APPLICATION_ID, SCHEMA_VERSION
from memdb.edge import write_folder
from memdb.embed import HashingEmbedder
from memdb.errors import InputError
from memdb.llm import ModelRequest
from memdb.store import Store
from tests.commands import output_of

ROOT = Path(__file__).parent.parent
QUIET = {"worker": False}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a memory of one turn lies, closed."""
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
        mem.drain()
    return path


@pytest.fixture
def connection(path: Path) -> Iterator[apsw.Connection]:
    """A plain connection to that memory, as any program has one."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(30_000)
    yield connection
    connection.close()


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process, which imports memdb before it does anything else."""
    command = [sys.executable, "-c", f"import sys, memdb\n{code}", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], told: str = "") -> str:
    out, err = process.communicate(told, timeout=60)
    assert process.returncode == 0, err
    return out


def contents(folder: Path) -> dict[str, str]:
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.rglob("*")) if file.is_file()}


def refused(path: Path, error: type[memdb.MdbError], match: str, *, embedder: HashingEmbedder | None = None) -> None:
    """Opening gives exactly this error, in one sentence that names the file, and changes nothing in the folder."""
    before = contents(path.parent)
    with pytest.raises(memdb.MdbError, match=match) as caught:
        memdb.open(path, embedder=embedder)
    assert type(caught.value) is error
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert contents(path.parent) == before


# the schema


def test_the_migrations_lead_to_the_schema_of_a_new_file(connection: apsw.Connection) -> None:
    migrated, fresh = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    for _, sql in files.migrations():
        migrated.execute("pragma writable_schema = on")
        migrated.execute(sql)
    fresh.execute(files.schema())
    listing = "select type, name, tbl_name, sql from sqlite_schema order by type, name"
    assert migrated.execute(listing).fetchall() == fresh.execute(listing).fetchall() == connection.execute(listing).fetchall()
    for (table,) in fresh.execute("select name from sqlite_schema where type = 'table'"):
        rows = sorted(fresh.execute(f"select * from {table}"), key=repr)
        assert sorted(migrated.execute(f"select * from {table}"), key=repr) == rows, table
        assert rows or table not in ("kinds", "memory_types", "predicates", "sections", "weights", "tag_importance"), table


def test_a_new_file_says_what_it_is(connection: apsw.Connection) -> None:
    assert connection.execute("pragma application_id").fetchall() == [(APPLICATION_ID,)]
    assert connection.execute("select value from meta where name = 'schema_version'").fetchall() == [(str(SCHEMA_VERSION),)]
    assert [number for number, _ in files.migrations()] == list(range(1, SCHEMA_VERSION + 1))


def test_a_file_of_the_first_schema_is_brought_up_to_date_and_used(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    old.execute(files.migrations()[0][1])
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert into meta values ('schema_version', '1')")
    old.execute(
        "insert into turns (turn_id, user_id, user_input, timestamp, received_at)"
        " values ('t1', 'ana', 'I live in Porto.', '2025-03-01T10:00:00.000Z', '2025-03-01T10:00:00.000Z')"
    )
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        assert mem.drain()
        assert mem.stats().schema_version == SCHEMA_VERSION
        assert [(turn.status, turn.notes) for turn in mem.turns("ana")] == [("done", ())]
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def test_what_was_asked_before_decisions_were_kept_is_kept(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    for number, text in files.migrations():
        if number == 24:
            old.execute(
                "insert into retrievals values (7, 'ana', 'Porto?', 'default', 1, 2, 3, 'why', 0.5, 60, '2025-03-01T10:00:00.000Z')"
            )
        old.execute(text)
    row = old.execute("select id, query, returned, decision, degraded, prompt_tokens, asked_at from retrievals").fetchall()
    assert row == [(7, "Porto?", 3, None, "why", 60, "2025-03-01T10:00:00.000Z")]


def test_a_new_file_keeps_to_its_schema_from_the_first_row(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem:
        connection = mem._store.database().connection
        written = connection.execute("select sql from sqlite_schema where name = 'facts'").fetchall()[0][0]
        assert "check (valid_from is created_at or " in str(written)
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        with pytest.raises(apsw.SQLError, match="may not be modified"):
            connection.execute("update sqlite_schema set sql = sql")


def test_the_day_of_every_month_is_found_in_words(mem: memdb.Memory) -> None:
    days = {"January": "01", "May": "05", "June": "06", "September": "09", "November": "11", "December": "12"}
    mem.remember_many(
        {"value_text": f"Walked {number}", "user_id": "ana", "timestamp": "2025-01-02", "event_time": f"2024-{number}-29"}
        for number in days.values()
    )
    words = mem._store.database().connection.execute("select body, date from fact_words").fetchall()
    assert words == [(f"Walked {number} user note", f"29 {month} 2024") for month, number in days.items()]


@pytest.mark.parametrize(
    ("before", "after"), [(0.8, {"cosine": 1.2, "both": -0.6, "bm25_context": 0.375}), (0.9, {"cosine": 0.9, "bm25_context": 0.3})]
)
def test_weights_that_somebody_has_set_stay(connection: apsw.Connection, before: float, after: dict[str, float]) -> None:
    connection.execute("delete from weights where name = 'default'")
    connection.execute("insert into weights values ('default', 'cosine', ?), ('default', 'bm25_context', 0.3)", (before,))
    connection.execute(dict(files.migrations())[18])
    assert dict(connection.execute("select feature, value from weights where name = 'default'")) == after


@pytest.mark.parametrize(
    ("number", "feature", "fitted"), [(18, "rival", (-3.79, 0.71, -3.83, 0.68, 0.34)), (20, "actor", (1.63, 0.68, 1.38, 0.7, 0.32))]
)
@pytest.mark.parametrize("own", [None, "threshold", "weight"])
def test_a_calibration_of_ones_own_stays(
    connection: apsw.Connection, number: int, feature: str, fitted: tuple[float, float, float, float, float], own: str | None
) -> None:
    weight, threshold, weight_then, threshold_then, bias_then = fitted
    weight, threshold = -2.0 if own == "weight" else weight, 0.5 if own == "threshold" else threshold
    connection.execute("delete from weights where name = 'calibration'")
    given = {feature: weight, "threshold": threshold, "bias": 0.1}
    connection.executemany("insert into weights values ('calibration', ?, ?)", given.items())
    connection.execute(dict(files.migrations())[number])
    after = {feature: weight_then, "threshold": 0.5 if own == "threshold" else threshold_then, "bias": bias_then}
    assert dict(connection.execute("select feature, value from weights where name = 'calibration'")) == (
        given if own == "weight" else after
    )


@pytest.mark.parametrize("own", [False, True])
def test_the_default_set_is_weighed_anew_only_as_it_came(connection: apsw.Connection, own: bool) -> None:
    came = {"lexical": 1.0, "cosine": 1.2, "window": 1.4, "both": -0.6, "actor": 0.35, "is_question": -0.275, "length": 0.5}
    came |= {"has_number": 0.25, "is_reaction": -0.1, "has_time": 0.65, "date": 3.0 if own else 1.0}
    connection.execute("delete from weights where name = 'default'")
    connection.executemany("insert into weights values ('default', ?, ?)", came.items())
    for _ in range(2):
        connection.execute(dict(files.migrations())[60])
        after = dict(connection.execute("select feature, value from weights where name = 'default'"))
        assert after == came if own else (after["lexical"], after["bm25_half"], after["date"]) == (2.1, 8.0, 0.625)


@pytest.mark.parametrize("own", [False, True])
def test_the_calibration_is_fitted_anew_only_as_it_came(connection: apsw.Connection, own: bool) -> None:
    came = {"bias": 0.32, "match": 0.94, "window": 0.3, "coverage": -0.09, "actor": 1.38, "rival": -3.83, "relevance": 0.32}
    came |= {"confidence": 0.58, "margin": 1.69, "threshold": 0.6 if own else 0.7}
    connection.execute("delete from weights where name = 'calibration'")
    connection.executemany("insert into weights values ('calibration', ?, ?)", came.items())
    for _ in range(2):
        connection.execute(dict(files.migrations())[63])
        after = dict(connection.execute("select feature, value from weights where name = 'calibration'"))
        assert after == came if own else (len(after), after["named"], after["threshold"]) == (13, 0.33, 0.69)


@pytest.mark.parametrize("own", [False, True])
def test_the_calibration_learns_whose_words_lead_only_as_it_came(connection: apsw.Connection, own: bool) -> None:
    came = {
        "bias": -0.82,
        "match": 0.95,
        "window": 0.68,
        "coverage": 0.13,
        "actor": 1.62,
        "rival": -3.89,
        "relevance": 1.01,
        "confidence": 0.47,
    }
    came |= {"margin": 2.53, "named": 0.33, "both": 1.98, "out_of_vocabulary": -2.22, "threshold": 0.6 if own else 0.69}
    connection.execute("delete from weights where name = 'calibration'")
    connection.executemany("insert into weights values ('calibration', ?, ?)", came.items())
    for _ in range(2):
        connection.execute(dict(files.migrations())[74])
        after = dict(connection.execute("select feature, value from weights where name = 'calibration'"))
        assert after == came if own else (len(after), after["lead"] > 1, after["asks"] < -1) == (17, True, True)


@pytest.mark.parametrize("own", [False, True])
def test_words_get_a_calibration_where_they_have_none(connection: apsw.Connection, own: bool) -> None:
    came = dict(connection.execute("select feature, value from weights where name = 'calibration-words'"))
    connection.execute("delete from weights where name = 'calibration-words'")
    if own:
        connection.execute("insert into weights select 'calibration-words', ?, 0.5", ("threshold",))
    for _ in range(2):
        connection.execute(dict(files.migrations())[84])
        after = dict(connection.execute("select feature, value from weights where name = 'calibration-words'"))
        assert after == came | ({"threshold": 0.5} if own else {})


def test_what_a_system_and_a_tool_said_in_an_older_file_is_theirs(mem: memdb.Memory) -> None:
    mem.load([{"text": "You are here now", "speaker": name} for name in ("System", "developer", "tool", "function", "Ana")], user_id="ana")
    connection = mem._store.database().connection
    connection.execute("update facts set source = 'user_message'")
    for _ in range(2):
        connection.execute(dict(files.migrations())[79])
        sources = connection.execute("select source from facts order by id").fetchall()
        assert [source for (source,) in sources] == ["system", "system", "tool", "tool", "user_message"]
    assert connection.execute("select count(*) from message_updates").fetchall() == [(1,)]


def test_a_weight_of_questions_of_ones_own_stays(connection: apsw.Connection) -> None:
    of_questions = "select value from weights where name = 'default' and feature = 'is_question'"
    for before, after in ((-0.35, -0.275), (-0.5, -0.5)):
        connection.execute("update weights set value = ? where name = 'default' and feature = 'is_question'", (before,))
        connection.execute(dict(files.migrations())[20])
        assert connection.execute(of_questions).fetchall() == [(after,)]


def test_goals_and_dates_get_a_third_of_what_meaning_weighs_unless_they_have_a_weight(connection: apsw.Connection) -> None:
    found = "select value from weights where (name, feature) in (('default', 'goal'), ('priority', 'date')) order by name"
    connection.execute("delete from weights where name in ('default', 'priority')")
    connection.execute("insert into weights values ('default', 'cosine', 0.9), ('default', 'goal', 0), ('priority', 'match', 0.9)")
    connection.execute(dict(files.migrations())[23])
    assert connection.execute(found).fetchall() == [(0.0,), (0.3,)]


@pytest.mark.parametrize("change", ["", "value = 0.3 where feature = 'decay' and", "feature = 'goal' where feature = 'access_bonus' and"])
def test_a_first_person_set_of_ones_own_stays(connection: apsw.Connection, change: str) -> None:
    connection.execute("delete from weights where (name, feature) = ('first-person', 'legs')")
    connection.execute("update weights set feature = 'cosine' where (name, feature) = ('first-person', 'match')")
    if change:
        connection.execute(f"update weights set {change} name = 'first-person'")
    before = connection.execute("select * from weights where name = 'first-person'").fetchall()
    connection.execute(dict(files.migrations())[23])
    after = connection.execute("select * from weights where name = 'first-person'").fetchall()
    assert set(after) - set(before) == (set() if change else {("first-person", "match", 0.4), ("first-person", "legs", 1.0)})


@pytest.mark.parametrize("change", ["update weights set value = {}", "insert into weights values ('mine', 'lexical', {})"])
@pytest.mark.parametrize("value", ["9e999", "-9e999", "1e300"])
def test_no_weight_is_beyond_what_can_be_reckoned_with(connection: apsw.Connection, change: str, value: str) -> None:
    with pytest.raises(apsw.ConstraintError, match="a weight is a number from -1000000 to 1000000"):
        connection.execute(change.format(value))


def test_a_weight_set_by_sql_takes_the_features_that_set_weights_takes_and_tells_them(mem: memdb.Memory) -> None:
    connection = mem._store.database().connection
    with pytest.raises(memdb.InputError) as refused:
        mem.set_weights({"mine": {"lexcal": 1.0}})
    features = str(refused.value).rsplit("the features are ", 1)[1].rstrip(".").split(", ")
    connection.executemany("insert into weights values ('mine', ?, 1)", [(feature,) for feature in features])
    for change in ("insert into weights values ('mine', 'lexcal', 1)", "update weights set feature = 'Lexical' where name = 'mine'"):
        with pytest.raises(apsw.ConstraintError) as told:
            connection.execute(change)
        assert sorted(re.findall("'(.*?)'", str(told.value))) == features


def test_a_misspelt_weight_of_an_earlier_version_goes_and_all_others_stay(tmp_path: Path) -> None:
    others = "select * from weights where name not in ('default', 'calibration', 'calibration-words') order by 1, 2"  # fitted anew
    old = apsw.Connection(str(tmp_path / "old.db"))
    for _number, sql in files.migrations()[:53]:
        old.execute(sql)
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert or replace into meta values ('schema_version', '53')")
    before = old.execute(others).fetchall()
    old.execute("insert into weights values ('mem-skill', 'lexcal', 1), ('mine', 'Cosine', 1)")
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        connection = mem._store.database().connection
        assert connection.execute(others).fetchall() == before
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_an_infinite_weight_of_an_earlier_version_becomes_a_large_one(connection: apsw.Connection) -> None:
    connection.execute("drop trigger weights_insert; drop trigger weights_update")
    connection.execute("update weights set value = 9e999 where (name, feature) = ('default', 'lexical')")
    connection.execute(next(sql for _, sql in files.migrations() if "trigger weights_insert" in sql))
    assert connection.execute("select value from weights where (name, feature) = ('default', 'lexical')").get == 1e6


@pytest.mark.parametrize("read", ["fact_traits", "nothing_that_is_there", "facts_vec"])
def test_a_view_of_ones_own_that_reads_what_is_not_there_hinders_no_upgrade(tmp_path: Path, read: str) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    for _number, sql in files.migrations()[:20]:
        old.execute(sql)
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert or replace into meta values ('schema_version', '20')")
    old.execute(f"create view my_own as select * from {read}")
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        connection = mem._store.database().connection
        assert mem.stats().schema_version == SCHEMA_VERSION
        assert connection.execute("select sql from sqlite_schema where name = 'my_own'").fetchall() == [
            (f"CREATE VIEW my_own as select * from {read}",)
        ]
        with pytest.raises(apsw.SQLError, match="may not be modified"):
            connection.execute("update sqlite_schema set sql = sql")


def test_indexes_and_triggers_of_ones_own_outlive_an_upgrade_that_makes_their_table_anew(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    for _number, sql in files.migrations()[:22]:
        old.execute(sql)
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert or replace into meta values ('schema_version', '22')")
    old.execute("insert into retrievals values (7, 'ana', 'Porto?', 'default', 1, 2, 3, null, 0.5, 60, '2025-03-01T10:00:00.000Z')")
    own = "select type, name, tbl_name, sql from sqlite_schema where name like 'my_%' order by name"
    old.execute(
        "create table my_questions (query text); create index my_index on retrievals (query);"
        "create trigger my_trigger after insert on retrievals begin insert into my_questions values (new.query); end"
    )
    before = old.execute(own).fetchall()
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        connection = mem._store.database().connection
        assert connection.execute(own).fetchall() == before
        assert connection.execute("select * from my_questions").fetchall() == []  # what was there is not asked anew
        mem.search("Lisbon", user_id="ana")
    again = apsw.Connection(str(tmp_path / "old.db"))
    assert again.execute("select * from my_questions").fetchall() == [("Lisbon",)]


def test_tags_of_an_older_file_are_words_to_find_and_nothing_else_is_indexed_anew(tmp_path: Path) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    for _number, sql in files.migrations()[:22]:
        old.execute(sql)
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert or replace into meta values ('schema_version', '22')")
    for fact_id, text, kind, tags in (("a", "Ana keeps a diary", "fact", '["gardening"]'), ("b", "Ana reads", "fact", "[]"),
                                      ("c", "Ana is sad", "message", '["emotion:sad"]')):  # fmt: skip
        old.execute(
            "insert into facts (fact_id, user_id, kind, key, value_text, confidence, valid_from, status, source_turn_id, source_excerpt, tags,"
            " created_at, updated_at) values (?1, 'ana', ?3, 'user.note', ?2, 1, ?5, 'active', 't', '', ?4, ?5, ?5)",
            (fact_id, text, kind, tags, "2025-03-01T10:00:00.000Z"),
        )
    old.execute("delete from facts_fts where rowid > 1")  # what is not indexed anew stays away
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        assert [hit.fact.fact_id for hit in mem.search("gardening", user_id="ana")] == ["a"]
        assert mem.search("reads sad emotion", user_id="ana") == []


def test_what_an_older_file_has_from_the_web_has_the_source_by_its_new_name_and_can_be_undone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        mem.remember("Ana drives a Fiat", user_id="ana", key="user.drives", object="Fiat", source="web_scraped", turn_id="t1")
        mem.remember("Ana drives a Volvo", user_id="ana", key="user.drives", object="Volvo", source="web_scraped", turn_id="t2")
    old = apsw.Connection(str(tmp_path / "old.db"))
    old.execute("pragma ignore_check_constraints = on; drop trigger fact_history_no_update; pragma writable_schema = on")
    old.execute("update sqlite_schema set sql = replace(sql, 'web_scraped', 'web') where name = 'facts'; pragma writable_schema = reset")
    for table, column in (("facts", "source"), ("fact_history", "before"), ("fact_history", "after")):
        old.execute(f"update {table} set {column} = replace({column}, 'web_scraped', 'web')")
    trigger = next(sql.split(";\n\n")[-1] for number, sql in files.migrations() if number == 67)
    old.execute(f"update meta set value = '66' where name = 'schema_version'; {trigger}")
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        mem.undo(turn_id="t2", user_id="ana")
        assert [(fact.object, fact.source) for fact in mem.facts("ana")] == [("Fiat", "web_scraped")]
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            mem._store.database().connection.execute("update fact_history set after = null")


@pytest.mark.parametrize(("before", "after"), [(30, 7), (12, 12)])
def test_links_of_an_older_file_get_a_time_by_themselves_and_memories_the_recency_of_episodes(
    tmp_path: Path, before: int, after: int
) -> None:
    old = apsw.Connection(str(tmp_path / "old.db"))
    for number, sql in files.migrations():
        if number <= 41:
            old.execute(sql)
    old.execute(f"pragma application_id = {APPLICATION_ID}; insert or replace into meta values ('schema_version', '41')")
    old.execute("update kinds set tau_days = ? where kind = 'narrative'", (before,))
    for fact_id in ("a", "b"):
        old.execute(
            "insert into facts (fact_id, user_id, kind, key, value_text, confidence, valid_from, status, source_turn_id, source_excerpt,"
            " created_at, updated_at) values (?1, 'ana', 'fact', 'user.note', ?1, 1, ?2, 'active', 't', '', ?2, ?2)",
            (fact_id, "2025-03-01T10:00:00.000Z"),
        )
    old.execute("insert into links values ('a', 'b', 'supports', 0.5, '2025-03-01T10:00:00.000Z')")
    old.close()
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        assert [(link.fact.fact_id, link.strength) for link in mem.links("a")] == [("b", 0.5)]
    shell = apsw.Connection(str(tmp_path / "old.db"))
    shell.execute("insert into links (source_id, target_id, relation) values ('b', 'a', 'extends')")
    made = shell.execute(
        "select created_at, created_at is strftime('%Y-%m-%dT%H:%M:%fZ', created_at) from links order by created_at"
    ).fetchall()
    assert made[0][0] == "2025-03-01T10:00:00.000Z"
    assert [told for _, told in made] == [1, 1]
    assert str(made[1][0]) > str(made[0][0])
    assert shell.execute("select tau_days from kinds where kind = 'narrative'").fetchall() == [(after,)]


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with memdb.open(tmp_path / "empty.db", embedder=None) as mem:
        assert mem.stats().schema_version == SCHEMA_VERSION


def test_the_tables_are_known_by_their_names(connection: apsw.Connection) -> None:
    ordinary = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
    assert files.table_names() == {name for (name,) in connection.execute(ordinary)}


def test_every_table_but_the_virtual_ones_is_strict(connection: apsw.Connection) -> None:
    loose = "select name from pragma_table_list where schema = 'main' and type = 'table' and not strict and name not like 'sqlite_%'"
    assert connection.execute(loose).fetchall() == []


def test_triggers_that_were_left_out_wait_again_after_an_error(mem: memdb.Memory) -> None:
    db = mem._store.database()
    with pytest.raises(ZeroDivisionError), db.untriggered():
        raise ZeroDivisionError
    mem.remember_many([{"value_text": "Likes tea", "user_id": "ana"}])
    assert db.connection.execute("select (select count(*) from outbox), (select count(*) from facts_fts_docsize)").fetchall() == [(1, 1)]


BAD_VALUES = [
    ("facts", "user_id", "''"),
    ("facts", "key", "''"),
    ("facts", "kind", "'rumour'"),
    ("facts", "category", "'gossip'"),
    ("facts", "memory_type", "'VAGUE'"),
    ("facts", "confidence", "1.01"),
    ("facts", "confidence", "'sure'"),
    ("facts", "confidence", "null"),
    ("facts", "importance", "-0.1"),
    ("facts", "status", "'deleted'"),
    ("facts", "source", "'dream'"),
    ("facts", "valid_from", "'2025-03-01'"),
    ("facts", "valid_from", "'yesterday'"),
    ("facts", "valid_to", "'2025-03-01T10:00:00Z'"),
    ("facts", "event_time", "'2025-13-01T10:00:00.000Z'"),
    ("facts", "value_json", "'{'"),
    ("facts", "tags", "'{}'"),
    ("facts", "seen_count", "-1"),
    ("facts", "seen_count", "1.5"),
    ("turns", "status", "'asleep'"),
    ("turns", "user_id", "''"),
    ("turns", "timestamp", "'soon'"),
    ("turns", "attempts", "'many'"),
    ("weights", "value", "'high'"),
    ("kinds", "half_life_days", "0"),
    ("predicates", "cardinality", "'some'"),
]


@pytest.mark.parametrize(("table", "column", "value"), BAD_VALUES)
def test_a_bad_value_is_refused_by_the_file_itself(connection: apsw.Connection, table: str, column: str, value: str) -> None:
    connection.execute("pragma foreign_keys = on")
    before = connection.execute(f"select * from {table}").fetchall()
    assert before
    with pytest.raises(apsw.ConstraintError):
        connection.execute(f"update {table} set {column} = {value}")
    assert connection.execute(f"select * from {table}").fetchall() == before


@pytest.mark.parametrize("value", ["'yesterday'", "'2025-03-01'", "'2025-13-01T10:00:00.000Z'", "''", "null"])
def test_a_time_is_checked_though_others_be_the_same(connection: apsw.Connection, value: str) -> None:
    before = connection.execute("select * from facts").fetchall()
    for columns in (("created_at", "valid_from"), ("created_at", "updated_at", "last_mentioned_at"), ("valid_from", "updated_at")):
        with pytest.raises(apsw.ConstraintError):
            connection.execute(f"update facts set {', '.join(f'{column} = {value}' for column in columns)}")
    assert connection.execute("select * from facts").fetchall() == before != []


def test_the_same_turn_cannot_stand_in_the_queue_twice(connection: apsw.Connection) -> None:
    with pytest.raises(apsw.ConstraintError, match=r"turns\.user_id, turns\.turn_id"):
        connection.execute(
            "insert into turns (turn_id, user_id, user_input, timestamp, received_at)"
            " select turn_id, user_id, user_input, timestamp, received_at from turns"
        )


@pytest.mark.parametrize(
    "change",
    [
        "update fact_history set reason = 'none'",
        "delete from fact_history",
        "insert or replace into fact_history select * from fact_history",
        "replace into fact_history select id, fact_id, user_id, key, operation, before, after, 'none', turn_id, action_hash, changed_at, session_id from fact_history",
        "insert into fact_history select -1, fact_id, user_id, key, operation, before, after, reason, turn_id, action_hash, changed_at, session_id from fact_history",
        "insert into erasures (user_id, key) values ('bea', null); update fact_history set reason = 'none'",
    ],
)
def test_history_refuses_change_in_plain_sql(connection: apsw.Connection, change: str) -> None:
    before = connection.execute("select * from fact_history").fetchall()
    assert before
    with pytest.raises(apsw.ConstraintError, match="fact_history is append-only"):
        connection.execute(change)
    assert connection.execute("select * from fact_history").fetchall() == before


def test_history_refuses_change_from_another_driver_too(path: Path) -> None:
    shell = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        shell.execute("delete from fact_history where user_id = 'ana'")
    shell.close()


# files of earlier versions


@pytest.fixture(params=sorted((ROOT / "tests" / "samples").glob("mem-*.db")), ids=lambda path: path.stem)
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of a file that an earlier version wrote: Ana's three turns, with vectors, and a weight set by hand."""
    return Path(shutil.copy(request.param, tmp_path / "mem.db"))


def test_a_file_of_an_earlier_version_is_brought_up_to_date_and_loses_nothing(sample: Path) -> None:
    before = sqlite3.connect(sample)
    columns = {
        table: ", ".join(row[1] for row in before.execute(f"pragma table_info({table})")) for table in ("facts", "fact_history", "turns")
    }
    kept = {table: before.execute(f"select {names} from {table} order by 1").fetchall() for table, names in columns.items()}
    before.close()
    with memdb.open(sample, embedder=HashingEmbedder(16), config=QUIET) as mem:
        assert mem.drain()
        assert mem.stats().schema_version == SCHEMA_VERSION
        connection = mem._store.database().connection
        for table, rows in kept.items():
            assert connection.execute(f"select {columns[table]} from {table} order by 1").fetchall() == rows
        assert connection.execute("select value from weights where name = 'default' and feature = 'cosine'").fetchall() == [(0.9,)]
        assert mem.check() == []


def test_an_earlier_file_is_searched_as_a_new_one_is(sample: Path) -> None:
    with memdb.open(sample, embedder=HashingEmbedder(16), config=QUIET) as mem:
        assert mem.drain()
        hits = mem.search("the best library", user_id="ana", kinds=["message"])
        answer = next(hit for hit in hits if hit.fact.value_text == "It is in the old town.")
        assert answer.parts["lexical"] > 0
        connection = mem._store.database().connection
        windows = "select count(*) from facts_vec where rowid < 0"
        assert connection.execute(windows).fetchall() == connection.execute("select count(*) from message").fetchall() == [(5,)]


# what is no mem.db is refused and left alone


@pytest.mark.parametrize(
    "content",
    [b"a shopping list\n" * 400, b"milk", random.Random(1).randbytes(9_000), b"SQLite format 3\0" + b"\7" * 5_000],
    ids=["text", "a word", "random bytes", "a broken header"],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list.txt").write_bytes(content)
    refused(tmp_path / "list.txt", memdb.SchemaError, "is not an SQLite database; give the path of a mem.db or of a new file")


@pytest.mark.parametrize("name", ["a\0b.db", "\ud800.db"])
def test_a_path_that_none_can_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(memdb.StoreError, match=r"b?\.db' is no path that SQLite can open \(.*\); give another"):
        memdb.open(tmp_path / name, embedder=None)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_another_program_s_database_is_refused_and_left_alone(tmp_path: Path, journal: str) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute(f"pragma journal_mode = {journal}")
    other.execute("create table facts (id integer primary key, words text)")
    other.commit()
    other.close()
    refused(tmp_path / "other.db", memdb.SchemaError, "is an SQLite database of another program")


def test_an_empty_database_of_another_program_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("pragma application_id = 4711")
    other.close()
    refused(tmp_path / "other.db", memdb.SchemaError, "is an SQLite database of another program")


def test_a_newer_schema_is_refused_and_left_alone(path: Path, connection: apsw.Connection) -> None:
    connection.execute("update meta set value = '999' where name = 'schema_version'")
    connection.close()
    refused(path, memdb.SchemaError, f"schema version 999, newer than the {SCHEMA_VERSION} known here; upgrade memdb")


@pytest.mark.parametrize(
    "harm",
    [
        "update meta set value = 'two' where name = 'schema_version'",
        "update meta set value = '0' where name = 'schema_version'",
        "delete from meta where name = 'schema_version'",
        "drop table meta",
    ],
)
def test_a_file_without_a_schema_version_is_refused(path: Path, connection: apsw.Connection, harm: str) -> None:
    connection.execute(harm)
    connection.close()
    refused(path, memdb.SchemaError, "tells no schema version; restore a copy")


def test_another_embedder_s_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64)) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.drain()
    refused(tmp_path / "mem.db", memdb.ConfigError, r"holds vectors of the embedder hashing-64", embedder=HashingEmbedder(32))
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64)) as mem:
        assert mem.search("Porto", user_id="ana").degraded is None


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    refused(tmp_path / "folder", memdb.StoreError, r"folder is a folder; give the path of a file in it, such as .*folder/mem\.db")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(memdb.StoreError, match="pipe is a device or a pipe, not a file; give the path of a file"):
        memdb.open(tmp_path / "pipe", embedder=None)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device here")
def test_a_device_on_which_nothing_can_be_written_is_no_full_disk() -> None:
    with pytest.raises(memdb.StoreError, match="/dev/full is a device or a pipe, not a file; give the path of a file"):
        memdb.open("/dev/full", embedder=None)


def test_a_path_in_a_missing_folder_is_refused_and_the_folder_not_made(tmp_path: Path) -> None:
    refused(tmp_path / "missing" / "mem.db", memdb.StoreError, "cannot be opened; check that its folder exists")
    assert not (tmp_path / "missing").exists()


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / ("x" * 300), memdb.StoreError, "cannot be opened; check that its folder exists")


CANNOT = "StoreError {} cannot be written; make the file and its folder writable, or work on a copy of it elsewhere."
AS_NOBODY = """
import os, urllib.parse  # nobody may not read where this Python lies, from which pathlib would import it late
if os.geteuid() == 0:
    os.setuid(65534)
try:
    with memdb.open(sys.argv[1], embedder="hashing-32") as mem:
        print("read", mem.facts("ana")[0].object, len(mem.search("Porto", user_id="ana")))
        mem.observe("I like jazz.", user_id="ana")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "expected"),
    [
        (0o000, 0o755, ["StoreError {} cannot be opened; check that its folder exists and that both may be read and written."]),
        (0o644, 0o000, ["StoreError {} cannot be opened; check that its folder exists and that both may be read and written."]),
        (0o444, 0o555, ["read Porto 2", CANNOT]),
        (0o444, 0o777, ["read Porto 2", CANNOT]),
    ],
    ids=["unreadable", "in a folder that may not be entered", "read-only", "read-only in a writable folder"],
)
def test_a_file_without_permission_is_one_clear_sentence(path: Path, file_mode: int, folder_mode: int, expected: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:  # not below tmp_path, which other users may not enter
        locked = Path(folder) / "mem.db"
        locked.write_bytes(path.read_bytes())
        locked.chmod(file_mode)
        Path(folder).chmod(folder_mode)
        told = finish(child(AS_NOBODY, locked))
        Path(folder).chmod(0o755)
        assert told.splitlines() == [line.format(locked) for line in expected]
        locked.chmod(0o644)
        assert locked.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_file_of_an_earlier_version_that_cannot_be_written_says_why_it_would_have_to(path: Path, folder_mode: int) -> None:
    with contextlib.closing(apsw.Connection(str(path))) as shell:
        shell.execute("update meta set value = '90' where name = 'schema_version'")
    with tempfile.TemporaryDirectory() as folder:
        locked = Path(folder) / "mem.db"
        locked.write_bytes(path.read_bytes())
        locked.chmod(0o444)
        Path(folder).chmod(folder_mode)
        told = finish(child(AS_NOBODY, locked))
        Path(folder).chmod(0o755)
        why = (
            f"has schema version 90, older than the {SCHEMA_VERSION} wanted here, and cannot be brought up to date as it cannot be written"
        )
        assert told.startswith(f"StoreError {locked} {why}; make the file and its folder writable, or work on a copy")
        assert locked.read_bytes() == path.read_bytes()


def test_what_bars_a_file_from_being_written_after_it_was_read_only_is_named(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mem.db"
        file.write_bytes(path.read_bytes())
        file.chmod(0o444)
        Path(folder).chmod(0o777)
        finish(child(AS_NOBODY, file))
        file.chmod(0o666)
        assert f"{file} cannot be written as long as {file}-shm cannot; make that writable, too." in finish(child(AS_NOBODY, file))


# several processes

OPENS = """
for path in sys.stdin:
    with memdb.open(path.strip(), embedder="hashing-32") as mem:
        mem.observe(f"I like tune {sys.argv[1]}.", user_id="ana", turn_id=sys.argv[1])
    print("closed", flush=True)
"""

OBSERVES = """
sys.stdin.readline()
with memdb.open(sys.argv[1], embedder="hashing-32") as mem:
    for number in range(50):
        for user in ("both", sys.argv[2]):
            mem.observe(f"I like tune {number} of {sys.argv[2]}.", user_id=user, turn_id=f"{sys.argv[2]}-{number}")
    print(mem.drain(60))
"""


def at_once(code: str, path: Path, names: list[str]) -> list[str]:
    """Start processes, let them all import first, and set them off together."""
    processes = [child(code, path, name) for name in names]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    return [finish(process) for process in processes]


def test_processes_may_create_the_same_file_at_once(tmp_path: Path) -> None:
    processes = [child(OPENS, name) for name in ("1", "2", "3", "4")]
    for attempt in range(4):  # in the first one they are not all done with importing
        path = tmp_path / f"{attempt}.db"
        for process in processes:
            assert process.stdin
            process.stdin.write(f"{path}\n")
            process.stdin.flush()
        assert [process.stdout and process.stdout.readline() for process in processes] == ["closed\n"] * 4
        with memdb.open(path, embedder=HashingEmbedder(32)) as mem:
            assert mem.drain(30)
            assert sorted(fact.object for fact in mem.facts("ana")) == ["tune 1", "tune 2", "tune 3", "tune 4"]
    for process in processes:
        finish(process)


def test_a_file_that_another_process_makes_while_it_is_looked_at_is_no_other_program_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, look = tmp_path / "mem.db", driver.first

    def made_meanwhile(connection: apsw.Connection, sql: str) -> object:
        seen = look(connection, sql)
        monkeypatch.setattr(driver, "first", look)
        with contextlib.suppress(memdb.BusyError):  # while a file is looked at, nobody else makes it
            Store(path, Config(busy_timeout_ms=10), vectors=False).close()
        return seen

    monkeypatch.setattr(driver, "first", made_meanwhile)
    store = Store(path, Config(), vectors=False)
    assert store.database().one("meta.embedder") is not None
    store.close()


@pytest.mark.slow
def test_two_writers_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    assert at_once(OBSERVES, path, ["ana", "bob"]) == ["True\n", "True\n"]
    store = Store(path, Config(), vectors=False)
    rows = store.database().connection.execute("select user_id, turn_id, status from turns").fetchall()
    wanted = {(user, f"{name}-{number}", "done") for name in ("ana", "bob") for user in ("both", name) for number in range(50)}
    assert len(rows) == len(wanted) == 200
    assert set(rows) == wanted
    store.close()
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        for user, names in {"ana": ["ana"], "bob": ["bob"], "both": ["ana", "bob"]}.items():
            liked = Counter(fact.object for fact in mem.facts(user))
            assert liked == Counter(f"tune {number} of {name}" for number in range(50) for name in names)
            assert Counter(change.fact_id for change in mem.history(user_id=user)).most_common(1)[0][1] == 1
            assert len(mem.facts(user, kinds=["message"])) == 50 * len(names)


def test_a_memory_that_a_newer_version_has_brought_up_to_date_meanwhile_is_written_no_more(path: Path, connection: apsw.Connection) -> None:
    newer = re.escape(f"{path} has schema version {SCHEMA_VERSION + 1}, newer than the {SCHEMA_VERSION} known here; upgrade memdb")
    with memdb.open(path, embedder=None) as mem:
        assert mem.facts("ana")
        mem.observe("I like jazz.", user_id="ana", turn_id="t2")
        assert mem.drain(30)
        connection.execute("update meta set value = value + 1 where name = 'schema_version'")
        before = connection.execute("select * from turns").fetchall()
        with pytest.raises(memdb.SchemaError, match=newer):
            mem.observe("I like figs.", user_id="ana", turn_id="t3")
        with pytest.raises(memdb.SchemaError, match=newer):
            mem.forget("ana")
        connection.execute("drop view message_traits")
        with pytest.raises(memdb.SchemaError, match=newer):
            mem.search("Porto", user_id="ana")
        connection.execute("update turns set status = 'queued'")  # a turn is left to those who know the schema, not set aside
        with pytest.raises(memdb.SchemaError, match=newer):
            mem.drain(30)
    connection.execute("update turns set status = 'done'")
    assert connection.execute("select * from turns").fetchall() == before


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
def test_a_file_that_is_no_longer_there_is_written_no_more(path: Path, tmp_path: Path, how: str) -> None:
    other = tmp_path / "other.db"
    memdb.open(other, embedder=None, config=QUIET).close()
    gone = re.escape(f"{path} was moved, deleted or replaced while it was open, so nothing was written; close it and open it again.")
    with memdb.open(path, embedder=None, config=QUIET) as mem, ThreadPoolExecutor(1) as pool:
        if how == "replaced":
            other.replace(path)
        else:
            path.rename(tmp_path / "moved.db")
            if how == "deleted":
                (tmp_path / "moved.db").unlink()
        with pytest.raises(memdb.StoreError, match=gone):
            mem.observe("I like jazz.", user_id="ana", turn_id="t2")
        with pytest.raises(memdb.StoreError, match=gone):  # another thread begins no memory of its own there
            pool.submit(mem.facts, "ana").result()
        with pytest.raises(memdb.StoreError, match=gone):  # nor is another file given this one's embedder
            mem.reindex("hashing-32")
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
    assert path.exists() == (how == "replaced")


FORKED = """
import os
mem = memdb.open(sys.argv[1], embedder="hashing-32")
if pid := os.fork():
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    with mem:
        mem.observe("I like jazz.", user_id="ana", turn_id="t2")
        print(mem.drain(30))
else:
    try:
        mem.observe("I like figs.", user_id="ana", turn_id="t3")
    except memdb.StoreError as error:
        print(error, flush=True)
    mem.close()
    with memdb.open(sys.argv[1], embedder="hashing-32") as mine:
        mine.observe("I like plums.", user_id="ana", turn_id="t4")
        mine.drain(30)
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_the_memory_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told = finish(child(FORKED, path)).splitlines()
    assert told == [f"The memory {path} was opened before this process was forked; open it again here with memdb.open().", "0", "True"]
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        assert sorted(fact.object for fact in mem.facts("ana")) == ["jazz", "plums"]


FORKED_WHILE_WRITING = """
import os
def live(mem, name):
    with mem:
        for number in range(10):
            mem.observe(f"I like tune {number} of {name}.", user_id="ana", turn_id=f"{name}-{number}")
        assert mem.drain(60)
    os.write(1, f"lived {name}\\n".encode())  # in one piece: others write there, too
mem = memdb.open(sys.argv[1], embedder="hashing-32")
children = []
for child in range(8):
    for number in range(5):
        mem.observe(f"I like song {number} of {child}.", user_id="ana", turn_id=f"parent-{child}-{number}")
    if pid := os.fork():
        children.append(pid)
    elif child % 2:
        os._exit(0)  # as most do that are forked: it never meant to use memdb
    else:
        live(memdb.open(sys.argv[1], embedder="hashing-32"), child)
        os._exit(0)
live(mem, "parent")
live(memdb.open(sys.argv[1], embedder="hashing-32"), "heir")  # it may find the children still at work
assert {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children} == {0}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_process_may_be_forked_while_its_threads_write(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told = finish(child(FORKED_WHILE_WRITING, path)).splitlines()
    lived = [*map(str, range(0, 8, 2)), "parent", "heir"]
    assert sorted(told) == sorted(f"lived {name}" for name in lived)
    with memdb.open(path, embedder="hashing-32", config=QUIET) as mem:
        liked = Counter(fact.object for fact in mem.facts("ana"))
        assert liked == Counter(
            [f"tune {number} of {name}" for name in lived for number in range(10)]
            + [f"song {number} of {name}" for name in range(8) for number in range(5)]
        )
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]


FORKED_WITHIN = """
import os, threading
from memdb import forking
forking._PATIENCE_SECONDS = 0.2
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
begun, go_on = threading.Event(), threading.Event()
def write():
    database = mem._store.database()
    with database.transaction():
        begun.set()
        go_on.wait(30)
        mem.observe("I like jazz.", user_id="ana", turn_id="t1")
writer = threading.Thread(target=write)
writer.start()
begun.wait(30)
if not (pid := os.fork()):
    os._exit(0)
go_on.set()
writer.join()
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), len(mem.turns("ana")))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_does_not_wait_for_ever_and_leaves_what_is_being_written_to_the_parent(tmp_path: Path) -> None:
    process = child(FORKED_WITHIN, tmp_path / "mem.db")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "0 1\n"), err
    assert "this process is forked while a memory is written" in err


FORK_INTERRUPTED = """
import os, signal, threading, time
from memdb import forking
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
begun, go_on = threading.Event(), threading.Event()
def write():
    with mem._store.database().transaction():
        begun.set()
        while forking.foreign._closed_by is None:
            time.sleep(0.01)
        time.sleep(0.2)  # by then the fork waits for this thread
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        go_on.wait(30)
def fork():
    if not (pid := os.fork()):
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
writer = threading.Thread(target=write)
writer.start()
begun.wait(30)
codes = [fork()]
go_on.set()
writer.join()
mem.observe("I like jazz.", user_id="ana")
print(codes + [fork()], len(mem.turns("ana")))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_an_interrupted_fork_leaves_nothing_locked(tmp_path: Path) -> None:
    assert finish(child(FORK_INTERRUPTED, tmp_path / "mem.db")) == "[0, 0] 1\n"


class Interrupted:
    """A connection within whose next transaction somebody presses Ctrl-C as soon as it has begun."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self.connection, name)

    def execute(self, sql: str, *bindings: object) -> object:
        result = self.connection.execute(sql, *bindings)  # type: ignore[arg-type]
        if sql.startswith("begin"):
            raise KeyboardInterrupt
        return result


@pytest.mark.parametrize("begun", ["transaction", "snapshot"])
def test_no_transaction_that_is_interrupted_as_it_begins_stays_open(mem: memdb.Memory, monkeypatch: pytest.MonkeyPatch, begun: str) -> None:
    database = mem._store.database()
    with monkeypatch.context() as patched:
        patched.setattr(database, "connection", Interrupted(database.connection))
        with pytest.raises(KeyboardInterrupt), getattr(database, begun)():
            pass
    assert not database.writing
    mem.observe("I like jazz.", user_id="ana")
    with contextlib.closing(apsw.Connection(str(mem._store.path))) as connection:
        assert connection.execute("select user_input from turns").fetchall() == [("I like jazz.",)]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
@pytest.mark.parametrize("within", ["with", "closing", "its end"])
def test_who_closes_a_memory_because_of_ctrl_c_does_not_wait_for_what_is_at_hand(tmp_path: Path, within: str) -> None:
    asked, answer = threading.Event(), threading.Event()

    def think(_: ModelRequest) -> str:
        asked.set()
        answer.wait(60)
        return '{"facts": []}'

    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    mem = memdb.open(tmp_path / "mem.db", embedder=None, llm=memdb.LanguageModel(memdb.ScriptedModel(think), name="slow"))
    try:
        with pytest.raises(KeyboardInterrupt), contextlib.closing(mem) if within == "closing" else mem:
            mem.observe("I live in Porto.", user_id="ana")
            assert asked.wait(30)
            if within != "its end":
                raise KeyboardInterrupt
            threading.Timer(0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT]).start()
        assert not answer.is_set()
    finally:
        answer.set()
        signal.signal(signal.SIGINT, usual)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None) as again:  # in the same process, which lives on
        assert again.drain(30)
        assert [(turn.status, turn.attempts) for turn in again.turns()] == [("done", 1)]
        assert [fact.object for fact in again.facts("ana")] == ["Porto"]


def test_a_close_with_patience_undoes_what_is_being_written(mem: memdb.Memory) -> None:
    held, closed = threading.Event(), threading.Event()

    def write() -> None:
        db = mem._store.database()
        with contextlib.suppress(memdb.StoreError), db.transaction():
            db.run("meta.put", name="half", value="done")
            held.set()
            closed.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    assert held.wait(30)
    mem.close(patience=0)
    closed.set()
    writer.join()
    with contextlib.closing(apsw.Connection(str(mem._store.path))) as connection:
        assert connection.execute("select 1 from meta where name = 'half'").fetchall() == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
def test_ctrl_c_is_heard_within_a_statement(mem: memdb.Memory) -> None:
    database = mem._store.database()
    pressed = threading.Timer(0.2, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pressed.start()
        with pytest.raises(KeyboardInterrupt), database.transaction():
            database.run("meta.put", name="half", value="done")
            database.connection.execute("with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n").fetchall()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert not database.writing
    assert "half" not in {row["name"] for row in database.all("meta.all")}


@pytest.mark.parametrize(
    "wrong",
    [{"weights": "zz"}, {"embedder": "zz"}, {"vectors": object()}, {"config": {"rival_weights": "zz"}}, {"config": {"link_kinds": ["zz"]}}],
)
def test_what_a_new_file_cannot_be_opened_with_leaves_none_behind(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(memdb.MdbError):
        memdb.open(tmp_path / "new.db", **{"embedder": HashingEmbedder(32), **wrong})  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


ENDED_WITHIN_A_MODEL = """
import os, threading, time
from memdb import ending
from memdb.embed import MiniLM
class Model:
    def encode(self, texts, **settings):
        import numpy
        begun.set()
        time.sleep(0.3)  # which a thread that Python has stopped would not wake from
        os.write(1, b"counted ")
        return numpy.ones((len(texts), 384), numpy.float32)
ending._PATIENCE_SECONDS = 0
MiniLM._load = staticmethod(Model)
begun = threading.Event()
mem = memdb.open(sys.argv[1], embedder=MiniLM())
mem.observe("I like jazz.", user_id="ana")
assert begun.wait(30)
"""


def test_a_process_does_not_end_while_a_thread_is_within_a_model(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    process = child(ENDED_WITHIN_A_MODEL, tmp_path / "mem.db")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "counted ", "")


ENDED_WITHIN_A_TRANSACTION = """
import os, threading, time
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
def write():
    with mem._store.database().transaction():
        begun.set()
        time.sleep(0.3)
        mem.observe("I like jazz.", user_id="ana")
begun = threading.Event()
threading.Thread(target=write, daemon=True).start()
assert begun.wait(30)
"""


def test_a_process_ends_after_the_transaction_of_a_thread(tmp_path: Path) -> None:
    assert finish(child(ENDED_WITHIN_A_TRANSACTION, tmp_path / "mem.db")) == ""
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        assert len(mem.turns()) == 1


CLOSED_AT_THE_END = """
import atexit, os, sys, threading
atexit.register(lambda: (mem.close(), os.write(1, b"closed")))  # after what memdb itself does at the end
import memdb
from memdb import ending
from memdb.embed import HashingEmbedder
class Hanging(HashingEmbedder):
    def embed(self, texts):
        begun.set()
        threading.Event().wait()
ending._PATIENCE_SECONDS = 0
begun = threading.Event()
mem = memdb.open(sys.argv[1], embedder=Hanging(32))
mem.observe("I like jazz.", user_id="ana")
assert begun.wait(30)
"""


def test_a_process_ends_though_an_embedder_does_not_and_may_close_its_memory_then(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CLOSED_AT_THE_END, str(tmp_path / "mem.db")]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stdout, told.stderr) == (0, "closed", "")


@pytest.mark.parametrize(("first", "told"), [("memdb", "False [(1,)]"), ("apsw", "True [(1,)]")])
def test_sqlite_counts_memory_only_for_who_imported_it_before(first: str, told: str) -> None:
    code = f"import {first}, apsw; mine = apsw.Connection(''); mine.execute('create table t (a)'); mine.execute('insert into t values (1)')"
    assert output_of(f"{code}; import memdb; print(apsw.memory_used() > 0, mine.execute('select a from t').fetchall())") == told


FAILS_AT_THE_END = """
import threading, time
from memdb.embed import HashingEmbedder
class Ended(HashingEmbedder):
    def embed(self, texts):
        begun.set()
        threading.main_thread().join()
        time.sleep(0.2)
        raise RuntimeError("the process ends")
begun = threading.Event()
mem = memdb.open(sys.argv[1], embedder=Ended(32))
mem.observe("I like jazz.", user_id="ana")
assert begun.wait(30)
"""


def test_what_fails_since_the_process_ends_is_not_told(tmp_path: Path) -> None:
    command = [sys.executable, "-c", f"import sys, memdb\n{FAILS_AT_THE_END}", str(tmp_path / "mem.db")]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_a_memory_that_nobody_has_any_more_ends_its_threads_and_closes_its_file(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    mem = memdb.open(tmp_path / "mem.db", embedder="hashing-32")
    mem.observe("I like jazz.", user_id="ana")
    assert mem.drain(30)
    assert mem.search("jazz", user_id="ana")
    store = weakref.ref(mem._store)
    began = set(threading.enumerate()) - before
    assert len(began) == 4
    del mem
    for thread in began:
        thread.join(30)
        assert not thread.is_alive()
    gc.collect()
    assert store() is None


def test_a_file_locked_for_too_long_is_said_to_be_busy(path: Path, connection: apsw.Connection) -> None:
    with memdb.open(path, embedder=None, config={"worker": False, "busy_timeout_ms": 20}) as mem:
        connection.execute("begin immediate")
        with pytest.raises(memdb.BusyError, match="is locked by another process; try again, or raise busy_timeout_ms"):
            mem.observe("I like jazz.", user_id="ana", turn_id="t2")
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
        connection.execute("rollback")
        mem.observe("I like jazz.", user_id="ana", turn_id="t2")
        assert mem.drain()
        assert mem.stats().turns_by_status == {"done": 2}


WAITS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is not heard otherwise
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False, "busy_timeout_ms": 300_000})
print("waiting", flush=True)
try:
    mem.observe("I like jazz.", user_id="ana", turn_id="t2")
except KeyboardInterrupt:
    print("interrupted", flush=True)
sys.stdin.readline()
mem.observe("I like jazz.", user_id="ana", turn_id="t2")
print(sorted(turn.turn_id for turn in mem.turns("ana")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
def test_who_waits_for_another_writer_may_be_interrupted_and_goes_on(path: Path, connection: apsw.Connection) -> None:
    connection.execute("begin immediate")
    process = child(WAITS, path)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.3)  # it is waiting by then; if not, it is interrupted all the sooner
        process.send_signal(signal.SIGINT)
        told, _, _ = select.select([process.stdout], [], [], 60)
        assert told, "it waits for the lock, not for the signal"
        assert process.stdout.readline() == "interrupted\n"
        connection.execute("rollback")
        assert finish(process, "\n") == "['t1', 't2']\n"
    finally:
        process.kill()


def test_no_statement_can_load_an_extension_once_a_memory_is_open(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), llm=None, config=QUIET) as mem:
        shell = mem._store.database().connection
        with pytest.raises(apsw.SQLError, match="not authorized"):
            shell.execute("select load_extension('vec0')")


# a full disk, a damaged file

LIMITED = """
import resource
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, resource.RLIM_INFINITY))
kept = []
try:
    for number in range(500):
        kept.append(mem.observe(f"I like tune {number}. " + "la " * 200, user_id="ana", turn_id=f"t{number}"))
except memdb.StoreError as error:
    print(type(error).__name__, error)
assert 0 < len(kept) < 500
assert {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])} == set(kept)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
mem.observe("There is room again.", user_id="ana", turn_id="again")
assert {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])} == {*kept, "again"}
mem.close()
print(len(kept))
"""


def test_a_file_that_may_not_grow_loses_nothing_acknowledged_and_works_again(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told, kept = finish(child(LIMITED, path)).splitlines()
    assert told == f"StoreError Reading or writing {path} failed (disk I/O error); check the disk, then repeat the call."
    with memdb.open(path, embedder=None) as mem:
        assert mem.drain(30)
        assert mem.stats().turns_by_status == {"done": int(kept) + 1}


NO_FILE_LEFT = """
import os, resource, threading
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
mem.observe("I live in Porto.", user_id="ana", turn_id="t1")
usual = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1, usual[1]))
def ask():
    try:
        mem.search("Porto", user_id="ana")
    except memdb.StoreError as error:
        print(error)
ask()
thread = threading.Thread(target=ask)
thread.start()
thread.join()
resource.setrlimit(resource.RLIMIT_NOFILE, usual)
mem.drain()
print(mem.search("Porto", user_id="ana", kinds=["fact"])[0].fact.object)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="its files are counted where Linux shows them")
def test_that_no_file_can_be_opened_any_more_is_told_and_passes(tmp_path: Path) -> None:
    *told, found = finish(child(NO_FILE_LEFT, tmp_path / "mem.db")).splitlines()
    names = [
        line.partition(" cannot be opened, since too many files are open; close some, or raise their limit, and repeat")[0] for line in told
    ]
    assert (names[0].startswith("sql/"), names[1]) == (True, str(tmp_path / "mem.db"))
    assert found == "Porto"


FULL_WHILE_THINKING = """
import resource, threading
full = threading.Event()
def think(request):
    if not full.is_set():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        full.set()
    raise memdb.ModelUnavailable("The model is away.")
_, path, worker, anew = sys.argv
def opened():
    return memdb.open(path, embedder=None, llm=memdb.LanguageModel(think, name="away"), config={"worker": worker == "True"})
mem = opened()
mem.observe("I live in Porto.", user_id="ana", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
if worker == "True":
    full.wait(60)
try:
    mem.drain(60)
except memdb.StoreError as error:
    print(error)
print(mem.stats().turns_by_status)
if anew == "True":
    mem.close()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
if anew == "True":
    mem = opened()
try:
    done = mem.drain(60)
except memdb.StoreError:  # which the worker met once more before there was room
    done = mem.drain(60)
print(done, mem.stats().turns_by_status, mem.facts("ana", kinds=["fact"])[0].object)
mem.close()
"""


@pytest.mark.parametrize("anew", [False, True], ids=["", "opened anew"])
@pytest.mark.parametrize("worker", [True, False], ids=["by a thread", "at once"])
def test_a_turn_that_met_a_full_disk_is_taken_up_again_when_there_is_room(tmp_path: Path, worker: bool, anew: bool) -> None:
    path = tmp_path / "mem.db"
    why, *told = finish(child(FULL_WHILE_THINKING, path, worker, anew)).splitlines()
    assert why == f"Reading or writing {path} failed (disk I/O error); check the disk, then repeat the call."
    assert told == ["{'working': 1}", "True {'done': 1} Porto"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def observe_until_full(mem: memdb.Memory, kept: list[str]) -> None:
    for number in range(500):
        kept.append(mem.observe(f"I like tune {number}. " + "la " * 200, user_id="ana", turn_id=f"t{number}"))


def test_a_full_disk_loses_nothing_acknowledged_and_works_again(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 1_000_000)
    mem = memdb.open(small_disk / "mem.db", embedder=None, config=QUIET)
    kept: list[str] = []
    with pytest.raises(memdb.StoreError, match=r"The disk that holds .* is full; nothing of this write was kept, so free some space"):
        observe_until_full(mem, kept)
    assert kept
    assert {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])} == set(kept)
    ballast.unlink()
    mem.observe("There is room again.", user_id="ana", turn_id="again")
    assert {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])} == {*kept, "again"}
    mem.close()


def test_draining_on_a_full_disk_says_so_and_does_not_flood_the_log(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, ballast = small_disk / "mem.db", small_disk / "ballast"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem._store.database().connection.execute("pragma wal_checkpoint(truncate)")
    room = os.statvfs(small_disk)
    ballast.write_bytes(b"x" * (room.f_bavail * room.f_frsize - 45_000))  # there is room to open it, not to think about the turn
    with memdb.open(path, embedder=None) as mem:
        for _ in range(3):
            with pytest.raises(memdb.StoreError, match="is full"):
                mem.drain(30)
        assert mem.search("Porto", user_id="ana")
        ballast.unlink()
        assert mem.drain(60)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
    assert sum("met an error" in record.message for record in caplog.records) <= 2


def test_a_question_is_answered_on_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.remember("Ana lives in Porto", user_id="ana")
    room = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(b"x" * (room.f_bavail * room.f_frsize - 40_000))
    with memdb.open(path, embedder=None, config=QUIET) as mem:  # closing cannot note what was asked
        (small_disk / "more").write_bytes(b"x" * (os.statvfs(small_disk).f_bavail * room.f_frsize))
        assert [hit.fact.value_text for hit in mem.search("Porto", user_id="ana")] == ["Ana lives in Porto"]


def test_the_state_is_told_on_a_full_disk_and_what_was_asked_is_noted_when_there_is_room(small_disk: Path) -> None:
    with memdb.open(small_disk / "mem.db", embedder=None, config=QUIET) as mem:
        mem.search("Porto", user_id="ana")
        room = os.statvfs(small_disk)
        (small_disk / "ballast").write_bytes(b"x" * (room.f_bavail * room.f_frsize))
        assert mem.stats().retrievals == 0
        (small_disk / "ballast").unlink()
        assert mem.stats().retrievals == 1


def test_a_page_that_finds_no_room_says_so_and_is_written_when_there_is_some(small_disk: Path) -> None:
    with memdb.open(small_disk / "mem.db", embedder=None, config=QUIET) as mem, mem.session("ana", "s") as session:
        session.observe("I live in Porto. " + "la " * 9_000)
        mem.drain()
        mem._store.database().move_log()  # the log is as long as before, and written from its beginning
        room = os.statvfs(small_disk)
        (small_disk / "ballast").write_bytes(b"x" * (room.f_bavail * room.f_frsize))
        with pytest.raises(memdb.StoreError, match=r"^There is no room for .*memory\.md; free some space and repeat it"):
            session.flush()
        (small_disk / "ballast").unlink()
        session.flush()
        assert "Porto" in next(small_disk.glob("*memory.md")).read_text()


@pytest.mark.parametrize("room", [300_000, 700_000])
def test_a_file_that_cannot_be_opened_is_as_it_was_where_the_disk_has_no_room_to_mend_it(small_disk: Path, room: int) -> None:
    path, ballast = small_disk / "mem.db", small_disk / "ballast"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.remember("Ana lives in Porto", user_id="ana")
    path.write_bytes(held := b"x" * 100 + path.read_bytes()[100:])
    free = os.statvfs(small_disk)
    ballast.write_bytes(b"x" * (free.f_bavail * free.f_frsize - room))
    with pytest.raises(memdb.StoreError, match=r"is full; nothing|cannot be written \(No space left on device\); nothing was changed"):
        memdb.mend(path)
    assert (path.read_bytes(), {one.name for one in small_disk.iterdir()}) == (held, {"mem.db", "ballast"})
    ballast.unlink()
    memdb.mend(path)
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        assert (mem.check(), [fact.value_text for fact in mem.facts("ana")]) == ([], ["Ana lives in Porto"])


def test_a_disk_too_full_to_open_a_memory_is_told_as_full(small_disk: Path) -> None:
    path = small_disk / "mem.db"
    memdb.open(path, embedder=None, config=QUIET).close()
    free = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(b"x" * (free.f_bavail * free.f_frsize - 8_192))
    with pytest.raises(memdb.StoreError, match=r"The disk that holds .* is full"):
        memdb.open(path, embedder=None, config=QUIET)


def test_a_model_that_is_written_is_kept_though_the_disk_has_no_room_to_move_it_out_of_the_log(small_disk: Path, tmp_path: Path) -> None:
    files = {"model.onnx": b"x" * 900_000, "tokenizer.json": b"{}"}
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    about = {"name": "all-MiniLM-L6-v2", "dimension": 384, "max_tokens": 256, "precision": "int8", "source": "x", "cosine": 1, "overlap": 1}
    card = memdb.ModelCard.model_validate({**about, "bytes": 900_002, "files": hashes})
    for name, data in {**files, "model.json": card.model_dump_json().encode()}.items():
        (tmp_path / name).write_bytes(data)
    memdb.open(small_disk / "mem.db", embedder=None, config=QUIET).close()
    with memdb.open(small_disk / "mem.db", embedder=None, config=QUIET) as mem:
        assert mem.carry_model(tmp_path) == card
        assert mem.carried_model() == card
        assert (small_disk / "mem.db-wal").stat().st_size > 900_000  # there was no room


def test_a_model_in_a_folder_stays_where_there_is_no_room_for_another(small_disk: Path) -> None:
    old = {"model.onnx": b"old", "model.json": b"{}"}
    write_folder(small_disk, old)
    with pytest.raises(memdb.StoreError, match="give a folder that has room"):
        write_folder(small_disk, {"model.onnx": b"x" * 3_000_000, "model.json": b"{}"})
    assert {path.name: path.read_bytes() for path in small_disk.iterdir()} == old


@pytest.mark.parametrize("damaged", ["sqlite_schema", "facts", "facts_fts_data", "turns"])
def test_a_damaged_page_is_told_in_memdb_s_own_words(path: Path, connection: apsw.Connection, damaged: str) -> None:
    rows = connection.execute("select rootpage from sqlite_schema where name = ?", (damaged,)).fetchall()
    start = (int(str(rows[0][0])) - 1) * 4096 if rows else 100  # the first page begins with the file's own header
    connection.close()
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xa5" * 3_900)
    with pytest.raises(
        memdb.StoreError, match=re.escape(str(path)) + r".* is damaged \(.*\); restore a copy, or have what can still be read saved"
    ) as caught:
        use_everything(path)
    assert type(caught.value) is memdb.StoreError
    assert isinstance(caught.value.__cause__, apsw.Error)


def test_a_text_that_is_no_utf_8_is_told_as_damage(path: Path, connection: apsw.Connection) -> None:
    connection.execute("update facts set value_text = cast(x'ff' as text)")
    with pytest.raises(memdb.StoreError, match=r"is damaged \(facts, fact_id '.*': a text in it is no UTF-8\)"):
        use_everything(path)


def use_everything(path: Path) -> None:
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.facts("ana", kinds=["message"])
        mem.search("Porto", user_id="ana")
        mem.observe("I like jazz.", user_id="ana", turn_id="t2")


def test_a_closed_store_says_how_to_go_on(path: Path) -> None:
    store = Store(path, Config(), vectors=False)
    store.close()
    store.close()
    with pytest.raises(memdb.StoreError, match=r"is closed; open it again with memdb\.open\(\)"):
        store.database()


def test_of_a_transaction_within_another_only_the_outer_one_commits(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        db = mem._store.database()
        with db.transaction():
            db.run("meta.put", name="outer", value="kept")
            with contextlib.suppress(InputError), db.transaction():
                db.run("meta.put", name="inner", value="lost")
                raise InputError("the inner one fails")
        assert {"outer"} == {"outer", "inner"} & {str(row["name"]) for row in db.all("meta.all")}


# what the file says of itself


@pytest.mark.parametrize("origin", ["new", "older"])
def test_the_dictionary_has_a_line_for_every_table_view_and_column_and_no_other(tmp_path: Path, origin: str) -> None:
    path = tmp_path / "mem.db"
    if origin == "older":
        shutil.copy(ROOT / "tests" / "samples" / "mem-1.db", path)
    with memdb.open(path, embedder="hashing-32" if origin == "new" else None, config={"worker": False}):
        pass
    store = Store(path, Config(), vectors=True)
    connection = store.database().connection
    shadows = {"sqlite_schema", "sqlite_sequence"} | {
        str(name) for (name,) in connection.execute("select name from pragma_table_list where schema = 'main' and type = 'shadow'")
    }
    held: list[tuple[object, ...]] = [
        (name, None) for (name,) in connection.execute("select name from pragma_table_list where schema = 'main'")
    ]
    held += connection.execute(
        "select t.name, c.name from pragma_table_list t join pragma_table_info(t.name) c where t.schema = 'main' and t.name <> 'facts_vec'"
    ).fetchall()  # which a shell cannot read
    own = [(table, column) for table, column in held if table not in shadows and not str(table).startswith("facts_vec_")]
    told = connection.execute("select table_name, column_name, meaning, unit from dictionary").fetchall()
    vectors = [] if ("facts_vec", None) in own else [("facts_vec", None)]  # a file without any has none of that
    assert sorted(((table, column) for table, column, _, _ in told), key=repr) == sorted([*own, *vectors], key=repr)
    assert [line for line in told if not re.fullmatch(r"[^=].+\.", str(line[2]))] == []
    store.close()


def test_the_dictionary_names_the_words_that_a_column_may_hold(connection: apsw.Connection) -> None:
    """As the table's own check has them, but where there are too many to be told."""
    for table, sql in connection.execute("select name, sql from sqlite_schema where type = 'table'").fetchall():
        for column, words in re.findall(r"check \((\w+) in \(('[^)]*)\)\)", str(sql)):
            if (table, column) != ("weights", "feature"):
                (unit,) = connection.execute(
                    "select unit from dictionary where table_name = ? and column_name = ?", (table, column)
                ).fetchall()[0]
                named = re.findall(r"'(\w[\w-]*)'", words)
                assert set(named) == set(str(unit).split(", ")) or unit == "as segments.closed_by", (table, column)


def test_what_somebody_wrote_into_the_dictionary_goes_when_the_file_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None):
        pass
    shell = apsw.Connection(str(path))
    count = shell.execute("select count(*) from dictionary").fetchall()
    shell.execute("update meta set value = '69' where name = 'schema_version'")
    shell.execute("insert into dictionary values ('facts', 'gone', 'What there is no more.', null)")
    shell.close()
    with memdb.open(path, embedder=None):
        pass
    assert apsw.Connection(str(path)).execute("select count(*) from dictionary").fetchall() == count
