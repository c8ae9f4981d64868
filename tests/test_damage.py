"""Damage within a row: whatever cannot be read of what is stored is told with its table and row, by whoever reads it and by `memdb check`."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from typer.testing import CliRunner

import memdb
from memdb.embed import HashingEmbedder
from memdb.interfaces import chroma
from memdb.interfaces.commands import app
from memdb.mending import mend
from memdb.times import to_utc

QUIET: dict[str, bool] = {"worker": False}
EARLY, LATER = "2025-03-01T12:00:00Z", "2025-03-20T10:00:00Z"
Damage = Callable[[str], memdb.Memory]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory with a fact that took another's place, an archive, events and what came of them."""
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        for day, text in enumerate(("I live in Porto.", "I moved to Lisbon.", "I moved to Braga."), start=1):
            mem.observe(text, user_id="ana", turn_id=f"turn-{day}", session_id="s", timestamp=f"2025-03-0{day}T10:00:00Z")
        mem.event("Ana laughed with Rui", user_id="ana", participants=["Rui"], timestamp="2025-03-01T19:00:00Z", event_id="e1")
        mem.narrate(now="2025-03-09T10:00:00Z")
        mem.remember("Ana plays chess", user_id="ana", tags=["game"], timestamp="2025-03-01T10:00:00Z")
        mem.drain()
        mem.compact()
    return path


@pytest.fixture
def damaged(path: Path) -> Iterator[Damage]:
    """Have the memory hold what its rules keep out, and open it."""
    opened: list[memdb.Memory] = []

    def harm(sql: str) -> memdb.Memory:
        connection = apsw.Connection(str(path))
        made = [
            (kind, name, text)
            for kind, name, text in connection.execute("select type, name, sql from sqlite_schema where sql is not null")
            if kind == "trigger" or name == "facts_apart"
        ]
        for kind, name, _ in made:
            connection.execute(f"drop {kind} {name}")
        connection.execute("pragma ignore_check_constraints = on")
        connection.execute(sql)
        assert connection.changes()
        for kind, _, text in made:
            if kind == "trigger":
                connection.execute(text)
            else:
                with suppress(apsw.SQLError):  # where the JSON that it is made of is none
                    connection.execute(text)
        connection.close()
        opened.append(memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET))
        return opened[0]

    yield harm
    for mem in opened:
        mem.close()


UNREADABLE = {
    "value_json": ("update facts set value_json = '{\"a'", "facts, fact_id '.*': value_json is no JSON"),
    "half a surrogate": ('update facts set value_json = \'{"a": "\\ud800"}\'', "facts, fact_id '.*': value_json cannot be read"),
    "a number without end": (f"update facts set value_json = '{'9' * 5000}'", "facts, fact_id '.*': value_json cannot be read"),
    "tags": ("update facts set tags = '[\"a'", "facts, fact_id '.*': tags is no JSON"),
    "tags that are numbers": ("update facts set tags = '[1]'", r"facts, fact_id '.*': field tags\.0"),
    "a year that no clock has": ("update facts set valid_from = '0000-01-01T00:00:00.000Z'", "facts, fact_id '.*': field valid_from"),
    "a time": ("update facts set created_at = 'x', updated_at = 'x'", "facts, fact_id '.*': field created_at"),
}


@pytest.mark.parametrize(("sql", "where"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_fact_that_cannot_be_read_is_told_by_whoever_reads_it(damaged: Damage, sql: str, where: str) -> None:
    mem = damaged(sql)
    questions: list[Callable[[], object]] = [
        lambda: mem.facts("ana", kinds=["message", "fact", "note"]),
        lambda: mem.search("Where does Ana live? Porto, Lisbon, Braga", user_id="ana", now=LATER),
        lambda: mem.context("Where does Ana live?", user_id="ana", now=LATER),
        lambda: mem.remember("Ana lives in Evora", user_id="ana", key="user.lives_in", timestamp=LATER),
    ]
    for ask in questions:
        with pytest.raises(memdb.StoreError, match=rf"^A row of .*mem\.db is damaged \({where}.*\); restore a copy") as caught:
            ask()
        assert caught.value.__cause__ is not None
        assert not caught.value.damaged  # what is of others can still be thought about


ROWS: dict[str, tuple[str, str, Callable[[memdb.Memory], object]]] = {
    "history before": (
        "fact_history set before = '{' where before is not null",
        "fact_history, id .*: before",
        lambda m: m.history(user_id="ana"),
    ),
    "history after": ("fact_history set after = '{}'", r"fact_history, id .*: field after\.", lambda m: m.history(user_id="ana")),
    "undo": ("fact_history set after = '[]'", "fact_history, id .*: field after", lambda m: m.undo(turn_id="turn-3")),
    "archive": (
        "facts_archive set record = json_set(record, '$.tags', 5)",
        r"facts_archive, fact_id '.*': field record\.tags",
        lambda m: m.facts("ana", as_of=EARLY),
    ),
    "events": ("events set participants = '[1]'", "events, event_id 'e1' of user_id 'ana': field participants", lambda m: narrated(m)),
    "turns": ("turns set timestamp = 'x'", "turns, turn_id 'turn-1' of user_id 'ana': field timestamp", lambda m: m.turns("ana")),
    "weights": ("weights set value = 9e999", "weights, feature '.*' of name '.*': field value", lambda m: m.search("x", user_id="ana")),
    "predicates": (
        "predicates set cardinality = 'x'",
        "predicates, predicate '.*': field cardinality",
        lambda m: m.remember("I live in Faro", user_id="ana"),
    ),
}


def narrated(mem: memdb.Memory) -> object:
    return [mem.sources(fact.fact_id) for fact in mem.facts("ana", kinds=["narrative"], statuses=["active", "archived"])]


@pytest.mark.parametrize(("update", "where", "ask"), ROWS.values(), ids=ROWS)
def test_a_row_of_any_table_that_cannot_be_read_is_told(
    damaged: Damage, update: str, where: str, ask: Callable[[memdb.Memory], object]
) -> None:
    mem = damaged(f"update {update}")
    with pytest.raises(memdb.StoreError, match=rf"^A row of .*mem\.db is damaged \({where}"):
        ask(mem)


def test_what_is_told_is_the_row_that_was_met(damaged: Damage) -> None:
    mem = damaged("update facts set tags = '[1]'")
    told = [one.row for one in mem.check() if one.table == "facts"]
    for row in told[-2:]:
        assert row is not None
        with pytest.raises(memdb.StoreError) as caught:
            mem.fact(row.split("'")[1])
        assert f"facts, {row}:" in str(caught.value)


@pytest.mark.parametrize("tags", ["[1]", '["a'])
def test_nobody_is_told_of_another_s_row(damaged: Damage, tags: str) -> None:
    mem = damaged(f"update facts set tags = '{tags}', user_id = iif(key = 'user.lives_in', 'rui', user_id)")
    for user in ("ana", "rui"):
        with pytest.raises(memdb.StoreError, match="facts, fact_id") as caught:
            mem.facts(user, kinds=["message", "fact", "note"])
        assert caught.value.user_id == user


def test_a_check_lists_each_damaged_row_once(damaged: Damage) -> None:
    found = damaged("update facts set tags = '[\"a' where key = 'user.lives_in'").check()
    rows = [one for one in found if one.table]
    assert {(one.table, one.fault) for one in rows} == {("facts", "tags is no JSON")}
    assert len({one.row for one in rows}) == len(rows)


def test_a_check_holds_some_rows_at_a_time(tmp_path: Path) -> None:
    """However much a file holds; all of this one's are some 24 MB."""
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem:
        mem.remember_many(memdb.NewFact(value_text=f"{place} " + "word " * 800, user_id="ana", object="it") for place in range(6_000))
        tracemalloc.start()
        assert mem.check() == []
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
        tracemalloc.stop()


FLIPPED = {
    "json": (b'["game"]', b'["game" ', "tags is no JSON"),
    "a byte of a text": (b"Ana plays chess", b"Ana plays ches\xf3", "a text in it is no UTF-8"),
    "a byte of a name": (b"turn-3", b"turn-\xff", "a text in it is no UTF-8"),
    "a time": (b"2025-03-02T10", b"2025-99-02T10", "field valid_from"),
}


def flipped(path: Path, old: bytes, new: bytes) -> memdb.Memory:
    """Change bytes of the file as a bad disk does, indexes and all, and open it."""
    held = path.read_bytes()
    assert old in held
    path.write_bytes(held.replace(old, new))
    return memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET)


@pytest.mark.parametrize(("old", "new", "why"), FLIPPED.values(), ids=FLIPPED)
def test_mending_sets_aside_what_cannot_be_read_and_makes_the_rest_sound(path: Path, old: bytes, new: bytes, why: str) -> None:
    path.chmod(0o600)
    with flipped(path, old, new) as mem:
        before = path.read_bytes()
        found = mem.check()
        assert any(why in one.fault for one in found)
        mended = mem.mend()
        assert {one.row for one in mended.set_aside} == {one.row for one in found if one.row}
        assert mended.left == ()
        assert mem.check() == []
        assert mended.copy_of_before is not None
        assert mended.kept_in is not None
        assert Path(mended.copy_of_before).read_bytes()[100:] == before[100:]  # SQLite counts its changes in the header
        assert len(mem.search("Where does Ana live?", user_id="ana", kinds=["fact", "note", "message"], now=LATER)) > 0
        mem._store.database().connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")
        mem.drain()
        assert mem.vectors().waiting == 0
    assert [file.stat().st_mode & 0o777 for file in (path, Path(mended.kept_in), Path(mended.copy_of_before))] == [0o600] * 3


GARBLED = {
    "who made a memory": ("update segments set written_by = 'rul' || cast(x'ff' as text)", "segments", None),
    "whose an event is": ("update events set user_id = 'an' || cast(x'ff' as text)", "events", "event_id 'e1' of user_id 'an\ufffd'"),
    "where its users are": ("update meta set value = cast(x'ff' as text) where name = 'timezone'", "meta", "name 'timezone'"),
    "who has claimed a turn": (
        "update turns set claimed_by = cast(x'ff' as text) where turn_id = 'turn-2'",
        "turns",
        "turn_id 'turn-2' of user_id 'ana'",
    ),
    "when a session was begun": (
        "update sessions set started_at = cast(x'ff' as text) where session_id = 's'",
        "sessions",
        "session_id 's' of user_id 'ana'",
    ),
    "what was asked": (
        "insert into feedback select 'ana', cast(x'ff' as text), fact_id, 1, created_at from facts where value_text = 'Ana plays chess'",
        "feedback",
        None,
    ),
    "a database of collections": ("insert into tenants values (cast(x'ff' as text))", "tenants", "name '\ufffd'"),
}


@pytest.mark.parametrize(("sql", "table", "row"), GARBLED.values(), ids=GARBLED)
def test_a_text_that_is_none_is_told_and_set_aside_wherever_it_stands(damaged: Damage, sql: str, table: str, row: str | None) -> None:
    mem = damaged(sql)
    (one,) = mem.check()
    assert (one.table, one.fault) == (table, "a text in it is no UTF-8")
    assert row in (None, one.row)
    assert mem.mend().set_aside == (one,)
    assert mem.check() == []


def test_a_vector_that_waits_in_a_line_that_cannot_be_read_is_made(damaged: Damage) -> None:
    mem = damaged("insert into outbox select id, cast(x'ff' as text), 0, null, 0, null from facts where value_text = 'Ana plays chess'")
    mem._store.database().connection.execute("update facts set embedding_id = null where value_text = 'Ana plays chess'")
    mem.mend()
    mem.drain()
    (fact,) = (fact for fact in mem.facts("ana") if fact.value_text == "Ana plays chess")
    assert fact.embedding_id is not None


def test_of_two_rows_with_one_key_one_is_kept_and_the_other_told_as_lost(path: Path) -> None:
    with flipped(path, b"turn-1", b"turn-2") as mem:
        assert ("turns", 1) in [(one.table, one.rows) for one in mem.mend().lost]
        assert mem.check() == []
        assert [turn.turn_id for turn in mem.turns("ana")] == ["turn-2", "turn-3"]


def test_of_two_facts_with_one_id_one_is_kept_and_the_other_told_as_lost(path: Path) -> None:
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        one, other = (fact.fact_id for fact in mem.facts("ana", kinds=["message"])[:2])
    with flipped(path, one.encode(), other.encode()) as mem:
        assert [(lost.table, lost.rows) for lost in mem.mend().lost] == [("facts", 1)]
        assert mem.check() == []


def test_what_was_set_aside_can_be_put_right_and_back(path: Path) -> None:
    with flipped(path, b"Ana plays chess", b"Ana plays ches\xf3") as mem:
        kept_in = mem.mend().kept_in
    assert kept_in is not None
    lines = Path(kept_in).read_text()
    for written, text in re.findall(r"(cast\(X'([0-9A-F]+)' as text\))", lines):
        lines = lines.replace(written, "'" + bytes.fromhex(text).replace(b"\xf3", b"s").decode().replace("'", "''") + "'")
    connection = apsw.Connection(str(path))
    connection.execute(lines)
    connection.close()
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        assert mem.check() == []
        assert "Ana plays chess" in [fact.value_text for fact in mem.facts("ana")]


def test_what_refers_to_a_row_is_set_aside_with_it(path: Path) -> None:
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        ids = {fact.value_text: fact.fact_id for fact in mem.facts("ana")}
        other = ids["User lives in Braga"]
        mem.link(ids["Ana plays chess"], other)
    with flipped(path, b'["game"]', b'["game" ') as mem:
        kept_in = mem.mend().kept_in
    assert kept_in is not None
    told, *rows = Path(kept_in).read_text().splitlines()
    assert told == f"-- facts, fact_id {ids['Ana plays chess']!r}: tags is no JSON"
    (line,) = (line for line in rows if line.startswith('insert into "links"'))
    assert other in line


def test_a_kind_that_every_file_has_is_as_in_a_new_one_and_its_facts_stay(damaged: Damage) -> None:
    mem = damaged("update kinds set description = cast(x'ff' as text) where kind = 'fact'")
    before = mem.facts("ana", kinds=["fact"])
    mended = mem.mend()
    assert ([one.table for one in mended.set_aside], mended.left, mem.check()) == (["kinds"], (), [])
    assert mem.facts("ana", kinds=["fact"]) == before


def test_a_number_that_every_file_has_is_as_in_a_new_one(damaged: Damage) -> None:
    mem = damaged("update weights set value = 9e999 where name = 'default' and feature = 'cosine'")
    (one,) = mem.mend().set_aside
    assert one.table == "weights"
    with memdb.open(":memory:", embedder=None, llm=None, config=QUIET) as new:
        assert mem.weights("default") == new.weights("default")


def test_what_others_write_meanwhile_is_no_damage(path: Path) -> None:
    with (
        memdb.open(path, embedder=None, llm=None, config=QUIET) as mem,
        memdb.open(path, embedder=None, llm=None, config=QUIET) as other,
    ):
        for number in range(30):
            assert mem.search("Braga", user_id="ana")
            for place in range(5):
                other.remember(f"Ana likes thing {number} and {place}", user_id="ana", key="user.likes", object=f"{number} {place}")
            assert mem.check() == []


def test_files_that_another_one_made_are_left_alone(path: Path) -> None:
    now = to_utc("2025-03-20T10:00:00Z")
    with flipped(path, b'["game"]', b'["game" ') as mem:
        others = path.with_name("mem.db.20250320T100000000000Z.aside.sql")
        others.write_text("insert …")
        with pytest.raises(memdb.StoreError, match="nothing was changed"):
            mend(mem._store.database(), now=now)
        assert (others.read_text(), list(path.parent.glob("mem.db.*Z.*"))) == ("insert …", [others])
        assert mem.check() != []


def test_a_fact_of_a_kind_that_there_is_none_of_is_damaged(damaged: Damage) -> None:
    mem = damaged("update facts set kind = 'fabt' where value_text = 'Ana plays chess'")
    (one,) = (one for one in mem.check() if one.table == "facts")
    assert (one.fault, one.user_id) == ("what it names of the table kinds is not there", "ana")
    assert mem.mend().set_aside == (one,)
    assert mem.check() == []


def test_what_only_names_a_row_stays_when_that_is_set_aside(damaged: Damage) -> None:
    mem = damaged("update segments set written_by = 'rul' || cast(x'ff' as text)")
    kept_in = mem.mend().kept_in
    assert kept_in is not None
    assert re.findall('insert into "(\\w+)"', Path(kept_in).read_text()) == ["segments"]
    assert mem._store.database().all("check.events") != []


LACKING = {
    "a kind": "update kinds set kind = 'fabt' where kind = 'fact'",
    "a memory type": "update memory_types set memory_type = 'SIGNIFICAMT' where memory_type = 'SIGNIFICANT'",
    "a segment": "update segments set segment_id = 'x'",
    "a tenant": "update tenants set name = 'default_tenamt'",
    "a database": "update databases set name = 'default_databbse'",
    "where a collection stands": "update collections set tenant = 'x'",
    "the id of a database": "update databases set database_id = 'x'",
    "the id of a collection": "update collections set collection_id = 'x'",
    "a part of the id of a database": "update databases set database_id = 'ab'",
    "a part of the id of a collection": "update collections set collection_id = 'ab'",
    "letters of the id of a database": "update databases set database_id = 'x' || substr(database_id, 2)",
    "letters of the id of a collection": "update collections set collection_id = 'x' || substr(collection_id, 2)",
}


@pytest.mark.parametrize("sql", LACKING.values(), ids=LACKING)
def test_what_rows_name_and_is_gone_is_there_again_and_no_row_goes(path: Path, damaged: Damage, sql: str) -> None:
    with chroma.PersistentClient(path) as client:
        client.create_collection("things").add(ids=["x"], embeddings=[[1.0, 0.0]])
    mem = damaged(sql)
    before = mem.facts("ana", kinds=None)
    assert mem.check() != []
    mended = mem.mend()
    assert (mended.set_aside, mended.left, mended.lost, mem.check()) == ((), (), (), [])
    assert {fact.fact_id for fact in mem.facts("ana")} >= {fact.fact_id for fact in before}
    mem.remember("Ana plays go", user_id="ana")
    with chroma.PersistentClient(path) as client:
        client.set_tenant("x" if "tenant = 'x'" in sql else "default_tenant")
        assert client.get_collection("things").count() == 1


@pytest.mark.parametrize("kind", ["task", "message"])
def test_a_prompt_does_without_a_kind_that_somebody_has_deleted(damaged: Damage, kind: str) -> None:
    mem = damaged(f"delete from kinds where kind = '{kind}'")
    assert "User lives in Braga" in mem.context("Where do I live?", user_id="ana", now=LATER).text


@pytest.mark.parametrize("sql", ["update tenants set name = 'x'", "update databases set name = 'x' where name = 'default_database'"])
def test_what_several_rows_name_and_is_gone_is_there_again_once(path: Path, damaged: Damage, sql: str) -> None:
    with chroma.PersistentClient(path) as client:
        for name in ("things", "others"):
            client.create_collection(name)
    shell(path, "insert into databases select tenant, 'second', '1' || substr(database_id, 2) from databases")
    mem = damaged(sql)
    mended = mem.mend()
    assert (mended.set_aside, mended.left, mended.lost, mem.check()) == ((), (), (), [])
    mem.drain()
    assert mem.search("Does Ana play chess?", user_id="ana", now=LATER)[0].contributions["cosine"] > 0
    with chroma.PersistentClient(path) as client:
        assert client.count_collections() == 2


@pytest.mark.parametrize("value", ["", "2025-99-01T00:00:00.000Z"])
def test_a_night_that_was_last_at_no_time_is_taken_for_tonight(damaged: Damage, value: str) -> None:
    mem = damaged(f"insert or replace into meta values ('maintained_at', '{value}'), ('tidied_at', '{value}')")
    mem.drain()
    mem.maintain(now=LATER)
    told = mem._store.database().all("meta.all")
    assert value not in [row["value"] for row in told]


@pytest.mark.parametrize("sql", ["name = 'x'", "value = 'x'", "value = cast(x'ff' as text)", "value = ''"])
def test_a_file_that_does_not_tell_whose_its_vectors_are_takes_the_next_embedder(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"update meta set {sql} where name = 'dimension'")
    connection.close()
    memdb.mend(path)
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        assert mem.check() == []
        assert mem.drain()
        assert mem.search("Does Ana play chess?", user_id="ana", now=LATER)[0].contributions["cosine"] > 0


def test_a_file_that_tells_a_wrong_length_of_its_vectors_tells_the_right_one_again(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("update meta set value = '33' where name = 'dimension'")
    connection.close()
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert [(one.table, one.row) for one in mem.check()] == [("meta", "name 'dimension'")]
    assert memdb.mend(path).set_aside == ()
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        assert mem.check() == []
        assert mem.search("Does Ana play chess?", user_id="ana", now=LATER)[0].contributions["cosine"] > 0


@pytest.mark.parametrize("dimension", [32, 384])  # of which eight take less than a page, and more, the last of which is empty
def test_vectors_and_words_stay_as_they_are_when_another_row_is_mended(tmp_path: Path, dimension: int) -> None:
    path, counted = tmp_path / "mem.db", "select block from facts_fts_data where id = 1"  # the rows and the words of the index
    with memdb.open(path, embedder=HashingEmbedder(dimension), llm=None, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t", timestamp=EARLY)
        mem.drain()
    connection = apsw.Connection(str(path))
    connection.execute("update meta set value = '999' where name = 'dimension'")
    before = connection.execute(counted).fetchall()
    connection.close()
    memdb.mend(path)
    with memdb.open(path, embedder=HashingEmbedder(dimension), llm=None, config=QUIET) as mem:
        assert mem.check() == []
        assert mem.search("Porto", user_id="ana", now=LATER)[0].contributions["cosine"] > 0
        assert mem._store.database().connection.execute(counted).fetchall() == before


@pytest.mark.parametrize(("embedder", "error"), [("auto", memdb.StoreError), (HashingEmbedder(33), memdb.ConfigError)])
def test_where_a_wrong_length_is_told_the_embedder_is_blamed_only_if_it_is_another(
    path: Path, embedder: Any, error: type[Exception]
) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("update meta set value = '999' where name = 'dimension'")
    connection.close()
    with pytest.raises(error) as caught:
        memdb.open(path, embedder=embedder, llm=None, config=QUIET)
    assert ("memdb check --repair" in str(caught.value)) is (error is memdb.StoreError)


def test_where_all_is_saved_into_a_new_file_its_vectors_are_as_long_as_before(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("update meta set value = 'x' where name = 'dimension'")
    connection.close()
    memdb.mend(path)
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        told = {str(row["name"]): row["value"] for row in mem._store.database().all("meta.all")}
    assert (told["embedder"], told["dimension"]) == ("hashing-32", "32")


def test_where_the_index_does_not_tell_how_long_its_vectors_are_the_file_does(path: Path) -> None:
    shell(
        path,
        "pragma writable_schema = on; update sqlite_schema set sql = 'create view facts_vec as select 1 as x', type = 'view' where name = 'facts_vec'",
    )
    memdb.mend(path)
    with memdb.open(path, embedder="auto", llm=None, config=QUIET) as mem:
        assert (mem.embedder.name if mem.embedder else None, mem.check()) == ("hashing-32", [])


NAMELESS = {
    "links": "insert into links (source_id, target_id, relation) select fact_id, 'gone', 'supports' from facts limit 1",
    "outcomes": "insert into outcomes values (1, 'gone', 't', 1, '', '2025-03-01T10:00:00.000Z')",
    "feedback": "insert into feedback values ('ana', 'Where?', 'gone', 1, '2025-03-01T10:00:00.000Z')",
    "collection_vectors": "insert into collection_vectors values (7, 1, 1, x'00')",
}


@pytest.mark.parametrize(("table", "sql"), NAMELESS.items(), ids=NAMELESS)
def test_a_row_that_names_another_which_is_not_there_is_told_and_set_aside(damaged: Damage, table: str, sql: str) -> None:
    mem = damaged(sql)
    (one,) = mem.check()
    assert (one.table, one.fault.endswith("is not there")) == (table, True)
    assert mem.mend().set_aside == (one,)
    assert mem.check() == []


def test_what_goes_with_a_row_of_a_collection_is_set_aside_with_it(path: Path, damaged: Damage) -> None:
    with chroma.PersistentClient(path) as client:
        client.create_collection("things").add(ids=["x"], embeddings=[[1.0, 0.0]], documents=["one"], metadatas=[{"colour": "teal"}])
    kept_in = damaged("update collection_records set document = cast(x'ff' as text)").mend().kept_in
    assert kept_in is not None
    lines = [line.split('"')[1] for line in Path(kept_in).read_text().splitlines() if line.startswith("insert into")]
    assert lines == ["collection_records", "collection_metadata", "collection_vectors"]


def test_a_vector_of_a_collection_that_is_too_short_is_told_and_set_aside(path: Path, damaged: Damage) -> None:
    with chroma.PersistentClient(path) as client:
        client.create_collection("things").add(ids=["x", "y"], embeddings=[[1.0, 0.0], [0.0, 1.0]])
    mem = damaged("update collection_vectors set embedding = x'0000803f' where record = 1")
    with (
        chroma.PersistentClient(path) as client,
        pytest.raises(memdb.StoreError, match="damaged \\(collection_vectors, record 1: it is not as long"),
    ):
        client.get_collection("things").query(query_embeddings=[[1.0, 0.0]])
    assert [one.table for one in mem.mend().set_aside] == ["collection_vectors"]
    with chroma.PersistentClient(path) as client:
        assert client.get_collection("things").query(query_embeddings=[[1.0, 0.0]])["ids"] == [["y"]]


TIMELESS: dict[str, tuple[str, str, Callable[[memdb.Memory], object]]] = {
    "a label": (
        "insert into feedback select 'ana', 'Where?', fact_id, 1, 'x' from facts where value_text = 'Ana plays chess'",
        "feedback, fact_id '.*' of query 'Where\\?' of user_id 'ana': field given_at",
        lambda mem: mem.labels(),
    ),
    "a link": (
        "insert into links (source_id, target_id, relation) select min(fact_id), max(fact_id), 'knows' from facts where kind <> 'message'",
        "links, relation 'knows' of target_id '.*' of source_id '.*': field relation",
        lambda mem: [mem.links(fact.fact_id) for fact in mem.facts("ana")],
    ),
    "a day": (
        "update sessions set day = 'x', summarised = 0, ended_at = last_turn_at",
        "sessions, session_id 's' of user_id 'ana': field day",
        lambda mem: mem.maintain(now=LATER),
    ),
    "an event": (
        "insert into events (event_id, user_id, description, timestamp) values ('e2', 'ana', ' ', '2025-03-01T19:00:00.000Z')",
        "events, event_id 'e2' of user_id 'ana': field description",
        lambda mem: mem.narrate(now=LATER),
    ),
}


@pytest.mark.parametrize(("sql", "where", "ask"), TIMELESS.values(), ids=TIMELESS)
def test_what_is_no_record_of_facts_is_told_by_whoever_reads_it_too(
    damaged: Damage, sql: str, where: str, ask: Callable[[memdb.Memory], object]
) -> None:
    mem = damaged(sql)
    with pytest.raises(memdb.StoreError, match=rf"^A row of .*mem\.db is damaged \({where}"):
        ask(mem)
    assert len(mem.mend().set_aside) == 1
    ask(mem)
    assert mem.check() == []


def test_a_kind_of_somebody_s_own_that_is_damaged_stays_with_its_facts(damaged: Damage) -> None:
    mem = damaged("insert into kinds values ('own', 0.5, 30, 30, 4, cast(x'ff' as text), 'mine')")
    mem._store.database().connection.execute("update facts set kind = 'own' where value_text = 'Ana plays chess'")
    mended = mem.mend()
    (left,) = mended.left
    assert (left.table, left.row) == ("kinds", "kind 'own'")
    assert (mended.copy_of_before, list(mem._store.path.parent.glob("mem.db.*"))) == (None, [])  # since nothing was changed
    assert mem._store.database().connection.execute("select value_text from facts where kind = 'own'").fetchall() == [("Ana plays chess",)]


def test_what_a_killed_mending_has_left_is_told_also_where_nothing_can_be_set_aside(path: Path, damaged: Damage) -> None:
    mem = damaged("insert into kinds values ('own', 0.5, 30, 30, 4, cast(x'ff' as text), 'mine')")
    mem._store.database().connection.execute("update facts set kind = 'own' where value_text = 'Ana plays chess'")
    killed = path.with_name("mem.db.20250320T100000000000Z.damaged.unfinished")
    killed.write_bytes(b"what there was before")
    mended = mem.mend()
    assert (mended.kept_before, [one.table for one in mended.left]) == ((str(killed.with_suffix("")),), ["kinds"])


def test_what_is_left_damaged_is_told_beside_what_is_set_aside(damaged: Damage) -> None:
    mem = damaged("insert into kinds values ('own', 0.5, 30, 30, 4, cast(x'ff' as text), 'mine')")
    connection = mem._store.database().connection
    connection.execute("update facts set kind = 'own' where value_text = 'Ana plays chess'")
    connection.execute("insert into turn_notes (user_id, turn_id, step, why) values ('ana', 'turn-1', 'gate', cast(x'ff' as text))")
    mended = mem.mend()
    assert [one.table for one in mended.set_aside] == ["turn_notes"]
    assert [(one.table, one.row) for one in mended.left] == [("kinds", "kind 'own'")]
    assert tuple(mem.check()) == mended.left


def test_a_sound_file_is_not_even_copied(path: Path) -> None:
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        assert mem.mend() == memdb.Mended()
    assert list(path.parent.glob("mem.db.*")) == []


def test_the_command_asks_before_it_mends(path: Path) -> None:
    flipped(path, b'["game"]', b'["game" ').close()
    asked = CliRunner().invoke(app, ["check", "--repair", "--db", str(path)], input="n\n")
    assert (asked.exit_code, "rows aside" in asked.stderr, list(path.parent.glob("mem.db.*"))) == (1, True, [])
    done = CliRunner().invoke(app, ["check", "--repair", "--yes", "--db", str(path)])
    assert done.exit_code == 0, done.output
    assert ".aside.sql" in done.stdout
    assert CliRunner().invoke(app, ["check", "--db", str(path)]).exit_code == 0


def test_a_turn_that_meets_a_damaged_row_does_not_hold_up_those_of_others(damaged: Damage) -> None:
    mem = damaged("update facts set tags = '[1]'")
    mem.observe("I moved to Faro.", user_id="ana", turn_id="a")
    mem.observe("I live in Rome.", user_id="rui", turn_id="r")
    mem.drain()
    assert [fact.object for fact in mem.facts("rui")] == ["Rome"]
    (turn,) = mem.turns("ana", turn_id="a")
    assert turn.error is not None
    assert "is damaged (facts, fact_id" in turn.error


def test_a_damaged_turn_in_the_queue_is_told_by_draining(damaged: Damage) -> None:
    mem = damaged("update turns set timestamp = 'x', status = 'queued'")
    with pytest.raises(memdb.StoreError, match=r"turns, turn_id 'turn-1' of user_id 'ana': field timestamp"):
        mem.drain()


def test_the_command_ends_with_a_code_of_its_own_where_something_is_damaged(path: Path, damaged: Damage) -> None:
    assert CliRunner().invoke(app, ["check", "--db", str(path)]).exit_code == 0
    damaged("update facts_archive set record = '{}'").close()
    done = CliRunner().invoke(app, ["check", "--db", str(path)])
    assert done.exit_code == 1
    assert done.stdout.startswith("facts_archive\tfact_id '")


ZEROED = {
    "facts": "value_text = value_text || cast(zeroblob(200) as text) where value_text = 'Ana plays chess'",
    "turns": "user_input = user_input || cast(zeroblob(16) as text) where turn_id = 'turn-1'",
    "fact_history": "reason = reason || cast(zeroblob(200) as text) where id = 1",
}


@pytest.mark.parametrize(("table", "sql"), ZEROED.items(), ids=ZEROED)
def test_a_text_part_of_which_was_lost_on_the_disk_is_told_and_set_aside(damaged: Damage, table: str, sql: str) -> None:
    mem = damaged(f"update {table} set {sql}")
    (one,) = (one for one in mem.check() if one.table)
    assert (one.table, one.fault) == (table, "a text in it has a run of zeros, as what was lost on a disk reads")
    assert mem.mend().set_aside == (one,)
    assert mem.check() == []


AGAINST_RULES = {
    "a number": ("update facts set seen_count = -5 where value_text = 'Ana plays chess'", "facts", "seen_count >= 0"),
    "one of a few": ("insert into outbox (id, user_id, dead) values (1, 'ana', 7)", "outbox", "dead in (0, 1)"),
    "beside what is no JSON": (
        "update facts set access_count = -1 where value_text = 'Ana plays chess'; update facts set tags = '[' where key = 'user.lives_in'",
        "facts",
        "access_count >= 0",
    ),
}


@pytest.mark.parametrize(("sql", "table", "rule"), AGAINST_RULES.values(), ids=AGAINST_RULES)
def test_a_row_that_breaks_a_rule_of_its_table_is_told_and_set_aside(damaged: Damage, sql: str, table: str, rule: str) -> None:
    mem = damaged(sql)
    (one,) = (one for one in mem.check() if "no JSON" not in one.fault)
    assert (one.table, one.fault) == (table, f"it breaks the rule {rule}")
    assert one.row
    assert one in mem.mend().set_aside
    assert mem.check() == []


@pytest.mark.parametrize("value", ["null", "x'00'"])
def test_a_value_of_another_type_than_its_column_s_is_told_with_its_row(damaged: Damage, value: str) -> None:
    loose = "update sqlite_schema set sql = replace(replace(sql, ' not null', ''), 'strict', '') where name = 'outbox'"
    sql = f"create temp table told as select sql from main.sqlite_schema where name = 'outbox'; pragma writable_schema = on; {loose}"
    sql += f"; pragma writable_schema = reset; pragma writable_schema = on; insert into outbox (id, user_id, attempts) values (1, 'ana', {value})"
    mem = damaged(f"{sql}; update sqlite_schema set sql = (select sql from told) where name = 'outbox'")
    (one,) = mem.check()
    assert (one.table, one.row, one.user_id, one.fault) == ("outbox", "id 1", "ana", "attempts is no INTEGER")


def test_zeros_that_an_application_keeps_in_a_collection_are_no_damage(tmp_path: Path) -> None:
    with chroma.PersistentClient(tmp_path) as client:
        client.create_collection("kept").add(ids=["a"], documents=["\0" * 20], embeddings=[[1.0]], metadatas=[{"zeros": "\0" * 20}])
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None) as mem:
        assert mem.check() == []


def test_a_file_without_its_usual_ranking_is_damaged(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("delete from weights")
    connection.close()
    with pytest.raises(memdb.StoreError, match="weight set 'default' is gone") as caught:
        memdb.open(path, embedder=None, llm=None, config=QUIET)
    assert caught.value.damaged
    memdb.mend(path)
    memdb.open(path, embedder=None, llm=None, config=QUIET).close()


OTHERWISE = {
    "drop trigger facts_fts_insert": "the trigger facts_fts_insert is gone",
    "drop trigger facts_fts_insert; create trigger facts_fts_insert after insert on facts begin select 1; end": (
        "the trigger facts_fts_insert is not as memdb makes it"
    ),
    "drop view fact_words; create view fact_words as select id, '' as body, '' as reply, '' as context, '' as date from facts": (
        "the view fact_words is not as memdb makes it"
    ),
    "drop index facts_session": "the index facts_session is gone",
    "drop index facts_session; create index facts_session on turns (session_id)": "the index facts_session is not as memdb makes it",
}


def shell(path: Path, sql: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(("sql", "fault"), OTHERWISE.items(), ids=OTHERWISE.values())
def test_what_is_gone_or_different_of_the_schema_is_told_and_made_anew(path: Path, sql: str, fault: str) -> None:
    shell(path, sql)
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        made = mem.stats().vectors
        assert [one.fault for one in mem.check()] == [fault]
        assert mem.mend().left == ()
        assert (mem.check(), mem.stats().vectors) == ([], made)  # which a new file would be without


def test_a_table_that_is_gone_is_there_again_with_its_index(path: Path) -> None:
    shell(path, "drop table upkeep")
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert mem.mend().left == ()
        assert mem.check() == []


def test_a_trigger_goes_and_comes_again_with_the_view_that_it_is_of(path: Path) -> None:
    shell(path, "drop view beside_words; create view beside_words as select 1 as id, 'ana' as user_id, 's' as session_id")
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert mem.mend().left == ()
        assert mem.check() == []


def test_what_came_while_triggers_were_gone_is_found_after_mending(path: Path) -> None:
    shell(path, "drop trigger facts_fts_insert; drop trigger outbox_insert")
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        fact = mem.remember("Ana collects stamps", user_id="ana", timestamp=LATER)
        mem.mend()
        assert mem.drain()
        hits = mem.search("stamps", user_id="ana", now=LATER)
        assert hits[0].fact.fact_id == fact.fact_id
        assert hits[0].parts["lexical"] > 0
        assert hits[0].fact.embedding_id is not None


ENDLESS = "with recursive n (i) as (select 1 union all select i + 1 from n) select i as name, i as value from n where abs(random()) = -1"


@pytest.mark.parametrize("table", ["meta", "WEIGHTS", "facts_vec", "facts_fts_config"])
def test_a_view_without_an_end_in_the_place_of_a_table_hangs_nobody_and_gives_way(path: Path, table: str) -> None:
    gone = f"delete from sqlite_schema where lower('{table}') in (tbl_name, name)"
    made = f"insert into sqlite_schema values ('view', '{table}', '{table}', 0, 'create view {table} as {ENDLESS}')"
    shell(path, f"pragma writable_schema = on; {gone}; {made}")
    with pytest.raises(memdb.SchemaError, match=f"a view in place of the table {table.lower()}, .*check --repair"):
        memdb.open(path, embedder=None, llm=None, config=QUIET)
    told = CliRunner().invoke(app, ["check", "--repair", "--yes", "--db", str(path)])
    assert (told.exit_code, f"a view in place of the table {table.lower()}" in " ".join(told.output.split())) == (0, True)
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert mem.check() == []


def test_what_a_view_in_the_place_of_a_table_kept_from_it_is_told_as_lost(path: Path) -> None:
    shell(path, "alter table kinds rename to mine; create view kinds as select * from mine")
    assert [one.table for one in memdb.mend(path).lost] == ["kinds"]


def test_a_table_of_somebody_s_own_is_lost_where_the_words_that_make_it_cannot_be_read(path: Path) -> None:
    shell(path, "create table mine (a); pragma writable_schema = on; update sqlite_schema set sql = x'ff' where name = 'mine'")
    assert [one.table for one in memdb.mend(path).lost] == ["mine"]
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert mem.check() == []


def test_what_somebody_made_beside_the_schema_is_no_damage(path: Path) -> None:
    shell(
        path, "alter table facts add column mine text; create index mine_too on facts (mine); create view my_view as select mine from facts"
    )
    shell(
        path, "create table my_log (text); create trigger my_trigger after insert on facts begin insert into my_log values (new.mine); end"
    )
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert mem.check() == []


def test_who_needs_what_is_gone_of_the_schema_is_told_how_to_have_it_again(path: Path) -> None:
    shell(path, "drop index facts_session")
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        with pytest.raises(memdb.StoreError, match=r"lacks something of memdb's own \(no such index: facts_session\); .*check --repair"):
            mem.forget("ana", key="user.lives_in")
        mem.mend()
        mem.forget("ana", key="user.lives_in")


def test_a_file_that_does_not_say_what_its_tables_hold_is_told_and_says_so_once_it_is_mended(path: Path) -> None:
    def told() -> list[tuple[object, ...]]:
        return apsw.Connection(str(path)).execute("select * from dictionary order by table_name, column_name").fetchall()

    before = told()
    shell(path, "delete from dictionary; insert into feedback values ('ana', 'Where?', 'gone', 1, '2025-03-01T10:00:00.000Z')")
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        assert [one.fault.partition(",")[0] for one in mem.check()] == ["the table dictionary is empty"]
        mended = mem.mend()
        assert [one.table for one in mended.set_aside] == ["feedback"]  # what is looked for by what it says is found then
        assert (mended.left, mem.check(), told()) == ((), [], before)


def test_a_damaged_memory_without_a_file_is_not_mended_since_it_cannot_be_copied() -> None:
    with memdb.open(":memory:", embedder=None, llm=None, config=QUIET) as mem:
        mem.remember("Ana plays chess", user_id="ana")
        assert mem.mend() == memdb.Mended()
        text = "update facts set value_text = value_text || cast(zeroblob(200) as text)"
        mem._store.database().connection.execute(text)
        assert mem.check() != []
        with pytest.raises(memdb.InputError, match="cannot be copied"):
            mem.mend()
