"""The statements in sql/: they prepare, want exactly their parameters, use their indexes, and run unchanged outside memdb."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import apsw.ext
import pytest

import memdb
from memdb import files
from memdb.answers import Question
from memdb.asked import match_expression
from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.embed import HashingEmbedder, to_blob
from memdb.files import parameter_order
from memdb.records import FACT_COLUMNS, RELIABILITY
from memdb.scoring import FEATURES
from memdb.store import Store
from memdb.weight_sets import COLUMNS, chosen_set

Ask = Callable[[dict[str, SqlValue]], list[tuple[SqlValue, ...]]]
STATEMENTS = sorted(file if name == file else f"{file}.{name}" for file in files.statement_files() for name in files.statements(file))
EMBEDDER = HashingEmbedder(32)
NOW = "2025-06-01T00:00:00.000Z"
SURE = {"sure_confidence", "sure_match", "sure_agreement", "sure_source_reliability", "by_confidence"}
NO_FEATURES = {"bm25_body", "bm25_reply", "bm25_context", "bm25_date", "bm25_half", "k_lex", "k_vec", "near", "top"} | SURE


@pytest.fixture(params=[False, True], ids=["words only", "with vectors"], scope="module")
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A file in which nothing is yet, for tests that only ask how statements would be run."""
    store = Store(tmp_path_factory.mktemp("empty") / "mem.db", Config(), vectors=request.param)
    if request.param:
        store.bind_embedder(EMBEDDER.name, EMBEDDER.dimension)
    store.database().run("insert.incoming")  # the others of that file write there
    yield store.database()
    store.close()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of two users with facts, messages, history and vectors, closed."""
    path = tmp_path_factory.mktemp("told") / "mem.db"
    with memdb.open(path, embedder=EMBEDDER) as mem:
        for user in ("ana", "bob"):
            messages = [f"I like {thing}." for thing in ("jazz", "tea", "old maps", "swimming", "the sea")]
            messages += ["I live in Porto.", "I moved to Lisbon.", "I'm allergic to peanuts.", "My sister is called Rita."]
            turns = [{"text": text, "timestamp": f"2025-03-{day:02}T10:00:00Z"} for day, text in enumerate(messages, start=1)]
            mem.load(turns, user_id=user)
        assert mem.drain(30)
        mem.remember("Writes weekly", user_id="ana", kind="episode", timestamp="2025-03-20T10:00:00Z")
        assert mem.drain(30)
    return path


# the statements


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_prepares_and_names_its_parameters(database: Database, name: str) -> None:
    sql = files.statement(name)
    info = apsw.ext.query_info(database.connection, sql, explain=True)
    assert tuple(info.bindings_names) == parameter_order(sql)
    assert not info.has_vdbe or info.explain
    assert re.sub(r"--[^\n]*", "", info.query_remaining or "").strip() == ""  # one statement, and then only the next one's comment


def test_every_statement_is_run_by_its_whole_name() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(memdb.__file__).parent.rglob("*.py"))
    run = set(re.findall(r'"(\w+(?:\.\w+)?)"', code))
    assert [name for name in STATEMENTS if name not in run] == []


def test_keywords_are_lower_case_and_text_is_never_glued_in() -> None:
    keywords = re.compile(r"\b(SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|CREATE|JOIN|ORDER|GROUP|AND|OR|NOT|NULL)\b")
    for file in [*files.statement_files(), "schema", "triggers", "views", "seeds"]:
        bare = re.sub(r"--[^\n]*|'(?:[^']|'')*'", " ", files.read(f"sql/{file}.sql"))
        assert not keywords.search(bare), file
        assert not re.search(r"[{}%?]", bare), file


@pytest.mark.parametrize(
    "parameters", [{}, {"fact_id": "f", "user_id": "ana"}, {"user_id": "ana"}], ids=["missing", "spare", "another one"]
)
def test_missing_and_spare_parameters_are_refused(database: Database, parameters: dict[str, SqlValue]) -> None:
    with pytest.raises(memdb.StoreError, match=r"Statement believe\.by_id wants the parameters \['fact_id'\] and was given"):
        database.all("believe.by_id", **parameters)
    assert database.all("believe.by_id", fact_id="f") == []


# what ranks


def weight_step(statement: str) -> str:
    """How a statement comes by the weights."""
    step = re.search(r"\nweight as (?:not )?materialized \((.*?)\n\),", laid_out(statement), re.DOTALL)
    assert step
    return step[1]


def weights_by(database: Database, step: str, **parameters: SqlValue) -> dict[str, SqlValue]:
    """What such a step makes of a set."""
    cursor = database.connection.execute(step, parameters)
    names = [column[0] for column in cursor.get_description()]
    return dict(zip(names, *cursor, strict=True))


def test_the_weight_step_reads_every_feature_and_nothing_else(database: Database) -> None:
    step = weight_step("retrieve")
    columns = [*weights_by(database, step, weights="default", k_lex=None, k_vec=None)]
    assert set(columns) == set(FEATURES) | NO_FEATURES
    read = re.findall(r"w ->> '(\w+)'", step)
    assert read == columns


@pytest.mark.parametrize("weights", ["default", "mem-skill", "first-person"])
def test_what_was_found_beforehand_is_ranked_by_the_weights_that_the_set_has(database: Database, weights: str) -> None:
    chosen, _, _ = chosen_set(database, weights)
    read = weights_by(database, weight_step("retrieve"), weights=weights, k_lex=None, k_vec=None)
    ranking = set(FEATURES) | NO_FEATURES - {"k_lex", "k_vec", *COLUMNS}
    assert weights_by(database, weight_step("rank"), **chosen.bound) == {name: read[name] for name in ranking}


def test_what_was_found_beforehand_is_ranked_by_the_same_steps_and_looks_for_nothing_else(database: Database) -> None:
    written, shorter = laid_out("retrieve"), laid_out("rank")
    steps = [step[0] for step in re.finditer(r"^(\w+)(?: \([\w, ]+\))? as .*?^\)", written, re.DOTALL | re.MULTILINE)]
    left = [step.split(" ")[0] for step in steps if step not in shorter]
    assert left == ["weight", "matched", "lexical", "nearest", "semantic", "gathered", "candidate"]
    assert shorter.endswith(written[written.rindex(steps[-1]) + len(steps[-1]) :])
    assert [any("RECURSIVE" in line for line in plan(database, name)) for name in ("retrieve", "rank")] == [True, False]


def test_a_statement_like_another_has_its_steps_but_for_those_that_nobody_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "whole": {
            "whole": "-- a\nwith\na as (\nselect 1\n),\nb as (\nselect 2 as a from a\n),\nc as (\nselect 3 from b join d\n)\nselect 1 from c -- from a\n"
        },
        "part": {"part": "-- less\n-- like: whole\nb as (\nselect 4\n)\n"},
    }
    monkeypatch.setattr(files, "_written", told.__getitem__)
    expected = "with\nb as (\nselect 4\n),\nc as (\nselect 3 from b join d\n)\nselect 1 from c -- from a\n"
    assert files.statements("part") == {"part": f"-- less\n{expected}"}


def test_every_weight_that_is_shipped_is_one_that_ranks(database: Database) -> None:
    ranking = "select distinct feature from weights where name not in ('calibration', 'calibration-words')"
    shipped = {str(row[0]) for row in database.connection.execute(ranking)}
    assert shipped <= set(FEATURES) | NO_FEATURES | {"legs"}  # which says what is ranked, not how
    assert {"lexical", "cosine"} <= shipped


def laid_out(name: str) -> str:
    """A statement as it is written, without comments and indents."""
    file, _, part = name.partition(".")
    lines = re.sub(r"--.*", "", files.statements(file)[part or file]).splitlines()
    return "\n".join(filter(None, map(str.strip, lines)))


def conditions(statement: str, step: str | None = None) -> set[str]:
    """The conditions on a row of facts that a statement, or a step of it, lays down, each on one line; whatever row is meant is `f`."""
    sql = " ".join(laid_out(statement).split())
    begins = rf" {step} as (?:not )?materialized \(" if step else r"\) select " if sql.startswith("with ") else "select "
    sql = re.split(begins, sql, maxsplit=1)[1]
    sql = re.sub(r"\brecord ->> '(\w+)'|(?<![\w.:])(valid_from|valid_to|status|user_id)\b", r"f.\1\2", sql)
    parts: list[str] = []
    depth = 0
    for piece in re.split(r"('(?:[^']|'')*'|[()]|;|\bwhere\b|\band\b|\border by\b)", sql):
        depth += (piece == "(") - (piece == ")")
        if depth < 0 or (depth == 0 and piece in (";", "order by")):
            break
        if depth == 0 and (piece == "where" or (piece == "and" and parts)):
            parts.append("")
        elif parts:
            parts[-1] += piece
    return {part.strip() for part in parts}


def test_the_filters_of_a_search_say_the_same_wherever_they_stand() -> None:
    matched = conditions("retrieve", "matched")
    (taken_back,) = (one for one in conditions("retrieve", "eligible") if "'reject'" in one)
    assert len(matched) == 2
    assert conditions("scan.words") == matched
    assert conditions("scan.closed") == {taken_back}  # the rows it looks at are those of the user and of the kinds already


def test_a_statement_takes_over_a_step_of_another_as_it_stands_there() -> None:
    step = re.search(r"^eligible as .*?^\)", files.statements("retrieve")["retrieve"], re.DOTALL | re.MULTILINE)
    assert step
    assert [name for name, sql in files.statements("scan").items() if step[0] in sql] == ["words", "eligible"]


def test_the_archive_is_filtered_as_the_rest_is() -> None:
    bounds = [one for one in conditions("scan.archived") if ":until" in one or ":since" in one]
    (told,) = (one for one in conditions("retrieve", "eligible") if ":since" in one)
    assert len(bounds) == 2
    assert all(one in told for one in bounds)


def test_the_statement_returns_every_feature_beside_the_score(told: Path) -> None:
    with memdb.open(told, embedder=EMBEDDER, config={"worker": False}) as mem:
        hit = mem.search("Where does she live?", user_id="ana", now=NOW)[0]
    assert set(hit.parts) == set(FEATURES)
    assert hit.score == pytest.approx(sum(hit.contributions.values()))


# the plans


def plan(database: Database, name: str) -> list[str]:
    parameters = dict.fromkeys(parameter_order(files.statement(name)))
    rows = database.connection.execute(f"explain query plan {files.statement(name)}", parameters)
    return [str(row[3]) for row in rows]


PLANS = [
    ("believe.under_keys", "SEARCH f USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.among", "SCAN facts_fts VIRTUAL TABLE INDEX 0:M"),
    ("believe.among", "SEARCH f USING INDEX facts_apart (user_id=? AND key=?)"),
    ("believe.among", "SEARCH f USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.are_many", "SEARCH facts USING COVERING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.by_id", "SEARCH f USING INDEX sqlite_autoindex_facts_1 (fact_id=?)"),
    ("believe.current", "SEARCH facts USING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("believe.count_current", "SEARCH facts USING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("believe.current_of_key", "SEARCH facts USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.count_current_of_key", "SEARCH facts USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.as_of", "SEARCH a USING PRIMARY KEY (fact_id=?)"),
    ("believe.history", "SEARCH fact_history USING COVERING INDEX fact_history_turn (user_id=? AND turn_id=?)"),
    ("believe.count_history", "SEARCH fact_history USING COVERING INDEX fact_history_turn (user_id=?)"),
    ("queue.records", "SEARCH turns USING COVERING INDEX turns_user (user_id=?)"),
    ("queue.count_records", "SEARCH turns USING COVERING INDEX turns_user (user_id=?)"),
    ("queue.calls", "SEARCH model_calls USING COVERING INDEX model_calls_turn (user_id=? AND turn_id=?)"),
    ("apply.over", "SEARCH facts USING INDEX facts_due (user_id=? AND valid_to>? AND valid_to<?)"),
    ("queue.find", "SEARCH turns USING INDEX sqlite_autoindex_turns_1 (user_id=? AND turn_id=?)"),
    ("queue.claim", "SEARCH o USING INDEX turns_open (user_id>?)"),
    ("queue.claim", "SEARCH o USING INDEX turns_open (user_id=?)"),
    ("queue.claim", "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)"),
    ("queue.first", "SCAN turns USING INDEX turns_next"),
    ("queue.last", "SEARCH turns USING INDEX turns_next"),
    ("queue.ready", "SEARCH t USING INDEX turns_next (id<?)"),
    ("queue.ready", "SEARCH earlier USING INDEX turns_open (user_id=? AND id<?)"),
    ("sync.due", "SEARCH n USING COVERING INDEX outbox_user (user_id>?)"),
    ("sync.due", "SEARCH o USING INDEX outbox_user (user_id=? AND id>? AND id<?)"),
    ("upkeep.session", "SEARCH s USING INDEX sessions_over (user_id>?)"),
    ("upkeep.session", "SEARCH s USING INDEX sessions_over (user_id=? AND ended_at>?)"),
    ("queue.coming", "SEARCH turns USING INDEX turns_open (user_id=? AND id>?)"),
    ("upkeep.lately", "SEARCH facts USING COVERING INDEX facts_said (user_id=? AND valid_from>?)"),
    ("upkeep.lately", "SEARCH f USING COVERING INDEX facts_said (user_id=? AND valid_from>?)"),
    ("upkeep.lately", "SEARCH f USING COVERING INDEX facts_user_id (user_id=? AND kind=? AND status=? AND rowid<?)"),
    ("queue.previous_session", "SEARCH turns USING INDEX turns_user (user_id=? AND id<?)"),
    ("profile.entries", "SEARCH f USING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("retrieve", "SCAN facts_fts VIRTUAL TABLE INDEX 0:M"),
    ("retrieve", "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)"),
    ("retrieve", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"),
    ("retrieve", "SEARCH t USING INDEX fact_history_turn (user_id=? AND turn_id=? AND operation=?)"),
    ("retrieve", "SEARCH a USING PRIMARY KEY (fact_id=?) LEFT-JOIN"),
    ("retrieve", "SEARCH e USING INDEX fact_history_fact (fact_id=?)"),
    ("rank", "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)"),
    ("rank", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"),
    ("understand.last_talk", "SEARCH facts USING COVERING INDEX facts_said (user_id=? AND valid_from<?)"),
    ("understand.first_talk", "SEARCH facts USING COVERING INDEX facts_said (user_id=?)"),
    ("scan.words", "SCAN facts_fts VIRTUAL TABLE INDEX 0:M"),
    ("scan.words", "SEARCH facts USING COVERING INDEX"),
    ("scan.matches", "SCAN facts_fts VIRTUAL TABLE INDEX 0:M"),
    ("scan.told", "SEARCH facts USING INDEX facts_traits (id=?)"),
    ("scan.waiting", "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)"),
    ("scan.ending", "SEARCH facts USING INDEX facts_due (user_id=? AND valid_to>?)"),
    ("scan.closed", "SEARCH facts USING COVERING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("scan.closed", "SEARCH facts USING INDEX facts_due (user_id=? AND valid_to>? AND valid_to<?)"),
    ("scan.codes", "SEARCH c USING INDEX vector_codes_shelf (user_id=? AND shelf=? AND first>?)"),
    ("scan.blocks", "SEARCH vector_codes USING COVERING INDEX vector_codes_shelf (user_id=? AND shelf=?)"),
    ("scan.version", "SEARCH vector_versions USING PRIMARY KEY (user_id=?)"),
    ("forget.delete_facts", "SEARCH facts USING COVERING INDEX facts_key (key=? AND user_id=?)"),
    ("forget.delete_messages", "SEARCH f USING COVERING INDEX facts_turn (user_id=? AND source_turn_id=?)"),
    ("insert.added", "SEARCH facts USING INTEGER PRIMARY KEY (rowid>?)"),
    ("reindex.settled", "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)"),
    ("insert.left_over", "SEARCH outbox USING INTEGER PRIMARY KEY (rowid>?)"),
    ("mirror.kinds", "SEARCH f EXISTS USING COVERING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("mirror.kinds", "SEARCH f USING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("mirror.hits", "SEARCH f USING INDEX sqlite_autoindex_facts_1 (fact_id=?)"),
    ("mirror.records", "SEARCH f USING INDEX sqlite_autoindex_facts_1 (fact_id=?)"),
    ("mirror.due", "SEARCH f USING INDEX sqlite_autoindex_facts_1 (fact_id=?)"),
    ("scan.eligible", "SEARCH facts USING COVERING INDEX facts_user_id (user_id=? AND kind=? AND status=?)"),
    ("believe.gave_way", "SEARCH a USING INDEX facts_archive_user (user_id=? AND key=?)"),
    ("believe.gave_way", "SEARCH f USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.lasts_into", "SEARCH a USING INDEX facts_archive_user (user_id=? AND key=?)"),
    ("believe.lasts_into", "SEARCH f USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.beside", "SEARCH o USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("believe.before_it", "SEARCH a USING INDEX facts_archive_user (user_id=? AND key=?)"),
    ("believe.before_it", "SEARCH f USING INDEX facts_key (key=? AND user_id=? AND status=?)"),
    ("scan.eligible", "SEARCH facts USING INDEX facts_due (user_id=? AND valid_to>? AND valid_to<?)"),
    ("scan.eligible", "SEARCH facts USING COVERING INDEX facts_said (user_id=? AND valid_from>?)"),
    ("scan.aside", "SEARCH facts USING COVERING INDEX facts_said (user_id=?)"),
    ("understand.participants", "SEARCH f USING COVERING INDEX facts_speaker (user_id=? AND speaker>?)"),
    ("undo.changes", "SEARCH h USING INDEX fact_history_turn (user_id=? AND turn_id=?"),
    ("select.equal", "COVERING INDEX collection_metadata_value (collection=? AND key=? AND type=? AND value=? AND place=?)"),
    ("select.compare", "COVERING INDEX collection_metadata_value (collection=? AND key=? AND type=?)"),
    ("select.everything", "COVERING INDEX collection_records_order (collection=?)"),
    ("collections.vectors", "INDEX collection_vectors_version (collection=? AND version>?)"),
    ("collections.metadata_clear", "PRIMARY KEY (record=? AND key=?)"),
]


@pytest.mark.parametrize(("name", "step"), PLANS)
def test_a_frequent_statement_uses_its_index(database: Database, name: str, step: str) -> None:
    assert any(step in line for line in plan(database, name)), plan(database, name)


@pytest.mark.parametrize("name", sorted({name for name, _ in PLANS}))
def test_a_frequent_statement_never_reads_a_whole_table(database: Database, name: str) -> None:
    whole = [line for line in plan(database, name) if re.match(r"SCAN (f|facts|turns|t|h|fact_history|earlier|p)\b(?!.* INDEX)", line)]
    assert whole == []


@pytest.mark.parametrize("column", ["memory_type", "effective_importance", "created_at"])
def test_who_looks_at_memories_in_a_shell_does_not_wait_for_all_facts(database: Database, column: str) -> None:
    steps = database.connection.execute(f"explain query plan select * from narrative where {column} = ?", (1,)).fetchall()
    assert any(re.match(rf"SEARCH f USING INDEX facts_narrative\w* \({column}=\?\)", str(step[3])) for step in steps), steps


@pytest.mark.parametrize("name", ["retrieve", "rank"])
def test_what_ranks_counts_votes_once_and_makes_an_index_only_of_what_is_returned(database: Database, name: str) -> None:
    steps = plan(database, name)
    assert [line for line in steps if line in ("SCAN one", "SCAN other")] == ["SCAN one", "SCAN other"]
    made = [line for line in steps if "AUTOMATIC" in line]
    assert made == [
        f"SEARCH {name} COVERING INDEX (id=?)" for name in ("placed USING AUTOMATIC PARTIAL", "r USING AUTOMATIC")
    ]  # the one where the last is asked for


def test_what_messages_are_like_is_told_without_reading_their_texts(database: Database) -> None:
    steps = database.connection.execute("explain select id, is_question, length, has_number, is_reaction from message_traits where id = 1")
    assert {str(row[5]) for row in steps if row[1] == "Function"} == {"ln(1)", "min(-3)"}


def test_the_vectors_are_asked_within_the_user_s_own_shelf(tmp_path: Path) -> None:
    store = Store(tmp_path / "mem.db", Config(), vectors=True)
    store.bind_embedder(EMBEDDER.name, EMBEDDER.dimension)
    (knn,) = [line for line in plan(store.database(), "retrieve") if line.startswith("SCAN v VIRTUAL TABLE INDEX 0:3")]
    assert knn
    marks = plan(store.database(), "scan.marks")
    assert any("facts_vec_partition (partition00=? AND partition01=? AND rowid>?)" in line for line in marks), marks
    assert not any("TEMP B-TREE" in line for line in marks), marks  # the index gives them in the order that is wanted
    due = plan(store.database(), "quantize.due")
    assert any("SEARCH k USING COVERING INDEX facts_vec_partition (partition00=?)" in line for line in due), due
    assert any("SEARCH c USING COVERING INDEX vector_codes_shelf (user_id=? AND shelf=?)" in line for line in due), due
    store.close()


# outside memdb


def parameters_of(asked: Question, *, vectors: bool) -> dict[str, SqlValue]:
    """The parameters of `retrieve` as a person at a shell would write them."""
    kinds = ["episode", "fact", "message", "narrative", "note", "procedure", "task"]
    given: dict[str, SqlValue] = dict.fromkeys(parameter_order(files.statement("retrieve")))
    return given | {
        "user_id": "ana",
        "terms": match_expression(asked),
        "embedding": to_blob(EMBEDDER.embed([asked.meaning])[0]) if vectors else None,
        "hits": "[]",
        "actor": asked.actor,
        "asks_when": asked.intent == "time",
        "asks_now": asked.present,
        "nearly": 0.8,
        "asks_former": asked.former,
        "times": json.dumps([[begins.isoformat(), ends.isoformat()] for begins, ends in asked.times]),
        "kinds": json.dumps(kinds),
        "statuses": json.dumps(["active", "pending_confirmation"]),
        "shelves": json.dumps([*kinds, "window"] if vectors else []),
        "now": NOW,
        "weights": "default",
        "limit": 10,
    }


@pytest.fixture(params=["sqlite3", "pysqlite3.dbapi2"])
def elsewhere(request: pytest.FixtureRequest, told: Path) -> Ask:
    """Ask the same file through an SQLite that is not memdb's: Python's own, and one from a package, with sqlite-vec loaded.

    sqlite-vec serves the SQLite that loaded it last, so that memdb's must be closed before.
    """
    driver = pytest.importorskip(request.param)
    if driver.sqlite_version_info < (3, 43):
        pytest.skip(f"this SQLite is {driver.sqlite_version}; the full-text index needs 3.43")
    if not hasattr(driver.Connection, "enable_load_extension"):
        pytest.skip("this SQLite was built without loadable extensions")

    def retrieve(parameters: dict[str, SqlValue]) -> list[tuple[SqlValue, ...]]:
        connection = driver.connect(told)
        connection.enable_load_extension(True)
        connection.load_extension(pytest.importorskip("sqlite_vec").loadable_path())
        rows: list[tuple[SqlValue, ...]] = connection.execute(files.statement("retrieve"), parameters).fetchall()
        connection.close()
        return rows

    return retrieve


@pytest.mark.parametrize(
    "query", ["Where does she live?", "jazz, tea and the sea", "When did I move, in March?", "peanuts; drop table facts --", "''", "of the"]
)
def test_retrieve_gives_the_same_outside_memdb(told: Path, elsewhere: Ask, query: str) -> None:
    with memdb.open(told, embedder=EMBEDDER, config={"worker": False}) as mem:
        hits = mem.search(query, user_id="ana", now=NOW)
    rows = elsewhere(parameters_of(hits.question, vectors=True))
    assert hits
    assert hits.degraded is None
    assert [row[0] for row in rows] == [hit.fact.fact_id for hit in hits]
    assert [row[len(FACT_COLUMNS)] for row in rows] == pytest.approx([hit.score for hit in hits])


def test_retrieve_works_on_words_alone_outside_memdb(told: Path, elsewhere: Ask) -> None:
    with memdb.open(told, embedder=None, config={"worker": False}) as mem:
        hits = mem.search("peanuts", user_id="ana", now=NOW)
    rows = elsewhere(parameters_of(hits.question, vectors=False))
    assert [row[0] for row in rows] == [hit.fact.fact_id for hit in hits] != []


def test_every_kind_has_a_view_that_any_sqlite_reads(told: Path) -> None:
    shell = sqlite3.connect(told)
    kinds = [row[0] for row in shell.execute("select kind from kinds")]
    assert {"fact", "message", "episode", "note", "task"} <= set(kinds)
    for kind in kinds:
        (stored,) = shell.execute("select count(*) from facts where kind = ?", (kind,)).fetchone()
        assert len(shell.execute(f"select * from {kind}").fetchall()) == stored
    assert shell.execute("select object from fact where user_id = 'ana' and key = 'user.lives_in' and status = 'active'").fetchall() == [
        ("Lisbon",)
    ]
    shell.close()


PROFILE = "id user_id text embedding_id type predicate subject object valid_from valid_to first_seen last_seen seen_count source tags"
EPISODE = "id user_id session_id turn_range summary raw_excerpt embedding_id timestamp_start timestamp_end source tags"
NARRATIVE = """
    id content memory_type importance effective_importance emotion family_members location time_of_day day_type tags embedding_id
    source_event_ids segment_start segment_end created_at last_accessed access_count consolidated archived
"""


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("fact", f"{PROFILE} confidence_base intrinsic_importance"),
        ("episode", EPISODE),
        ("note", "id user_id text embedding_id origin confidence_base tags"),
        ("task", "id user_id title state due embedding_id created_at updated_at tags"),
        ("narrative", NARRATIVE),
    ],
)
def test_the_view_of_a_kind_shows_what_is_told_of_one(view: str, columns: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=EMBEDDER, llm=None, config={"worker": False}) as mem:
        told = mem.remember("Ana waters the plants", user_id="ana", kind=view)
        mem.drain()
    shell = sqlite3.connect(tmp_path / "mem.db")
    assert shell.execute(f"select {', '.join(columns.split())} from {view}").fetchall()
    assert shell.execute(f"select id, embedding_id from {view}").fetchall() == [(told.fact_id, told.fact_id)]
    shell.close()


def test_every_view_is_readable_by_any_sqlite(told: Path) -> None:
    shell = sqlite3.connect(told)
    views = [row[0] for row in shell.execute("select name from sqlite_schema where type = 'view'")]
    assert {"fact_record", "fact_words", "fact_ever", "metrics"} <= set(views)
    for view in views:
        shell.execute(f"select * from {view}").fetchall()
    shell.close()


def test_no_sqlite_takes_a_whole_file_for_damaged(told: Path) -> None:
    shell = sqlite3.connect(told)  # 3.40 counts the columns of a key as if they stood first, and so they do
    assert shell.execute("pragma integrity_check").fetchall() == [("ok",)]
    without_rowid = [
        name for (name,) in shell.execute("select name from pragma_table_list where schema = 'main' and wr and type = 'table'")
    ]
    assert "databases" in without_rowid
    for name in without_rowid:
        keys = [pk for (pk,) in shell.execute("select pk from pragma_table_info(?) order by cid", (name,))]
        assert sorted(keys[: max(keys)]) == [*range(1, max(keys) + 1)], name
    shell.close()


@pytest.mark.parametrize("name", ["retrieve", "rank", "upkeep.recurring"])
def test_each_statement_believes_a_source_as_far_as_the_rest_does(name: str) -> None:
    [written] = re.findall(r"case f\.source(.*?)end", files.statement(name), re.DOTALL)
    told = {source: float(share) for source, share in re.findall(r"when '(\w+)' then (\S+)", written)}
    assert {"web_scraped": float(written.split("else")[1])} | told == RELIABILITY


@pytest.mark.parametrize("file", files.statement_files())
def test_every_statement_is_short_enough_to_stay_prepared(file: str) -> None:
    connection = apsw.Connection(":memory:")
    longest = connection.cache_stats()["max_cacheable_bytes"]
    for name in files.statements(file):
        assert len(files.statement(name if name == file else f"{file}.{name}").encode()) < longest


def test_what_ranks_leaves_room_for_what_comes_next(database: Database) -> None:
    assert len(files.statement("retrieve").encode()) < 15_500  # of the 16,384 that stay prepared
    database.connection.limit(apsw.SQLITE_LIMIT_EXPR_DEPTH, 800)  # SQLite allows 1,000, unless it was built otherwise
    assert plan(database, "retrieve")


def test_a_statement_keeps_dashes_within_quotes_and_loses_comments() -> None:
    assert files.bare("select '--', 'it''s --' -- why\n  -- what\n  from a") == "select '--','it''s --'\nfrom a"
