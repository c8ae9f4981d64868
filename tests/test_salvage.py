"""Damage of whole pages: whatever can still be read is kept, what is lost is told, and nothing is made up; what a killed mending left is tidied."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from typer.testing import CliRunner

import memdb
from memdb.disk import UNFINISHED, finish
from memdb.embed import HashingEmbedder
from memdb.interfaces import chroma
from memdb.interfaces.commands import app
from memdb.mending import mend_closed
from memdb.tables import copy_file
from memdb.times import to_utc
from memdb.trees import Pages, is_zeroed

SIZE = 4096
QUIET: dict[str, bool] = {"worker": False}
MADE_ANEW = (
    "dictionary",
    "vector_versions",
    "vector_codes",
    "outbox",
    "reindexed",
    "related",
    "merged",
    "clocks",
    "facts_fts",
    "facts_vec",
)
Rows = dict[str, set[tuple[object, ...]]]


def opened(path: Path) -> memdb.Memory:
    return memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET)


def rows_of(path: Path) -> Rows:
    """What the tables hold but for what follows from other rows."""
    connection = apsw.Connection(str(path))
    found: Rows = {}
    names = "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
    for table in [str(name) for (name,) in connection.execute(names).fetchall()]:
        if not table.startswith(MADE_ANEW):
            kept = [
                str(name)
                for (name,) in connection.execute("select name from pragma_table_info(?)", (table,))
                if name != "embedding_id" and (table, name) != ("events", "segment_id")  # which an event loses with its segment
            ]
            found[table] = set(connection.execute(f"select {', '.join(map(repr, kept))} from {table}".replace("'", '"')).fetchall())
    connection.close()
    found["meta"] = {row for row in found["meta"] if row[0] != "mended"}
    return found


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of two users, with texts longer than a page, tables of several pages, links, events and an archive."""
    path = tmp_path_factory.mktemp("sound") / "mem.db"
    with opened(path) as mem:
        for number in range(24):
            text = f"My friend Bo{number} lives in Porto. " + "A long tale. " * (700 if number % 7 == 5 else 10)
            when = f"2025-03-{number % 28 + 1:02}T10:00:00Z"
            mem.observe(text, user_id=f"user {number % 2}", turn_id=f"t{number}", session_id=f"s{number % 5}", timestamp=when)
            mem.remember(f"Game {number} is fun", user_id=f"user {number % 2}", key="user.likes", object=f"game {number}", tags=["game"])
        mem.event("Ana laughed with Rui", user_id="user 0", participants=["Rui"], timestamp="2025-03-01T19:00:00Z")
        mem.narrate(now="2025-03-09T10:00:00Z")
        mem.drain()
        first, second = mem.facts("user 0")[:2]
        mem.link(first.fact_id, second.fact_id)
        assert mem.check() == []
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "mem.db"))


def page_of(path: Path, name: str) -> int:
    connection = apsw.Connection(str(path))
    [(page,)] = connection.execute("select rootpage from sqlite_schema where name = ?", (name,))
    connection.close()
    return int(str(page))


def overwrite(path: Path, page: int, by: bytes) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * SIZE)
        file.write(by)


def spoilt(held: bytes, how: str, chance: random.Random) -> bytes:
    """A file some of whose pages were overwritten."""
    pages = [held[at : at + SIZE] for at in range(0, len(held), SIZE)]
    for _ in range(chance.choice((1, 2, 6))):
        one, other = chance.randrange(len(pages)), chance.randrange(1, len(pages))
        match how:
            case "zeros":
                pages[one] = bytes(SIZE)
            case "noise":
                pages[one] = chance.randbytes(SIZE)
            case "half":
                pages[one] = pages[one][: SIZE // 2] + chance.randbytes(SIZE // 2)
            case "swapped":
                one = max(one, 1)
                pages[one], pages[other] = pages[other], pages[one]
            case "twice":
                pages[max(one, 1)] = pages[other]
            case "cut off":
                return held[: chance.randrange(len(held) // 3, len(held))]
    return b"".join(pages)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("how", ["zeros", "noise", "half", "swapped", "twice", "cut off"])
def test_no_row_is_made_up_and_what_is_lost_is_told(path: Path, how: str, seed: int) -> None:
    before = rows_of(path)
    path.write_bytes(spoilt(path.read_bytes(), how, random.Random(f"{how} {seed}")))
    mended = memdb.mend(path)
    after = rows_of(path)
    for table, rows in after.items():
        assert rows <= before[table], table
    told = {one.table: one.rows for one in mended.lost}
    for table, rows in before.items():
        gone = len(rows - after[table]) - sum(1 for one in mended.set_aside if one.table == table)
        most = told.get(table, 0)
        assert most is None or gone <= most, table
    with opened(path) as mem:
        assert mem.check() == []
        mem.drain()
        assert mem.vectors().waiting == 0


def test_a_text_may_hold_some_zeros() -> None:
    assert [is_zeroed("Porto" + "\0" * count) for count in (0, 2, 15, 16, 200)] == [False, False, False, True, True]


def test_a_page_of_no_rows_costs_none(path: Path) -> None:
    before = rows_of(path)
    for index in ("facts_user_id", "facts_traits", "fact_history_user"):
        overwrite(path, page_of(path, index), bytes(SIZE))
    assert memdb.mend(path).lost == ()
    assert rows_of(path) == before


def test_rows_that_nothing_leads_to_any_more_are_found_by_an_index(path: Path) -> None:
    before = rows_of(path)
    for table in ("facts", "turns", "fact_history"):
        overwrite(path, page_of(path, table), b"\xff" * SIZE)
    assert memdb.mend(path).lost == ()
    assert rows_of(path) == before


def test_an_index_that_is_empty_where_its_table_is_not_does_not_tell_what_is_lost(path: Path) -> None:
    last = [*Pages(path.read_bytes()).parts(page_of(path, "facts"), keyed=False)][-1]
    overwrite(path, last.page, bytes(SIZE))
    overwrite(path, page_of(path, "facts_key"), b"\x0a\0\0\0\0" + SIZE.to_bytes(2, "big") + bytes(SIZE - 7))
    [told] = [lost for lost in memdb.mend(path).lost if lost.table == "facts"]
    assert told.rows == len(last.entries or ()) > 0


def test_what_is_lost_is_told_to_the_row(path: Path) -> None:
    held = path.read_bytes()
    pages = Pages(held)
    parts = [part for part in pages.parts(page_of(path, "fact_history"), keyed=False) if part.entries]
    overwrite(path, parts[3].page, bytes(SIZE))
    ids = [entry.rowid for entry in parts[3].entries or ()]
    (lost,) = memdb.mend(path).lost
    assert (lost.table, lost.rows, lost.ids) == ("fact_history", len(ids), ((ids[0], ids[-1]),))


def test_how_many_rows_are_lost_at_most_is_told_where_no_index_tells_it(path: Path) -> None:
    connection = apsw.Connection(str(path))
    leaves = connection.execute("select pageno, ncell from dbstat where name = 'turns' and pagetype = 'leaf' order by path").fetchall()
    indexes = "select pageno from dbstat where name in (select name from sqlite_schema where type = 'index' and tbl_name = 'turns')"
    index_pages = [int(str(page)) for (page,) in connection.execute(indexes)]
    connection.close()
    (page, rows) = leaves[1]
    for one in (int(str(page)), *index_pages):
        overwrite(path, one, b"\xff" * SIZE)
    (lost,) = (one for one in memdb.mend(path).lost if one.table == "turns")
    assert (lost.rows, [last - first + 1 for first, last in lost.ids if last is not None]) == (rows, [rows])


def test_what_refers_to_a_lost_row_goes_and_is_told(path: Path) -> None:
    with opened(path) as mem:
        lost = mem.learn("bake bread", ["mix it", "bake it"], user_id="user 0").fact_id
        mem.outcome(lost, True)
        mem.feedback("How is bread baked?", lost)
        kept = mem.facts("user 0", kinds=["message"])[0].fact_id
        mem.link(lost, kept)
        mem.link(kept, lost)
    connection = apsw.Connection(str(path))
    [(id_,)] = connection.execute("select id from facts where fact_id = ?", (lost,))
    connection.close()
    (part,) = (p for p in Pages(path.read_bytes()).parts(page_of(path, "facts"), keyed=False) if id_ in [e.rowid for e in p.entries or ()])
    overwrite(path, part.page, bytes(SIZE))
    told = {one.table: one.rows for one in memdb.mend(path).lost}
    assert [told[table] for table in ("links", "outcomes", "feedback")] == [2, 1, 1]


def test_every_row_and_every_window_of_a_message_has_its_vector_again(path: Path) -> None:
    def vectors() -> list[tuple[object, ...]]:
        return apsw.Connection(str(path)).execute("select rowid from facts_vec_rowids order by rowid").fetchall()

    before = vectors()
    overwrite(path, page_of(path, "links"), b"\xff" * SIZE)
    memdb.mend(path)
    with opened(path) as mem:
        assert mem.stats().vectors == 0
        assert mem.drain()
    assert vectors() == before


LOST = {
    "a collection": ("collections where name = 'things'", {"collection_records": 2}),  # with which the rest of them goes
    "a record": ("collection_records where record_id = 'x'", {"collection_vectors": 1, "collection_metadata": 1}),
}


@pytest.mark.parametrize(("rows", "gone"), LOST.values(), ids=LOST)
def test_what_is_of_a_lost_collection_or_record_goes_and_is_told(path: Path, rows: str, gone: dict[str, int]) -> None:
    with chroma.PersistentClient(path) as client:
        client.create_collection("things").add(ids=["x", "y"], embeddings=[[1.0, 0.0], [0.0, 1.0]], metadatas=[{"a": 1}, {"a": 2}])
        client.create_collection("others").add(ids=["z"], embeddings=[[1.0]])
    connection = apsw.Connection(str(path))
    connection.execute(f"pragma foreign_keys = off; delete from {rows}")
    connection.close()
    overwrite(path, page_of(path, "links"), b"\xff" * SIZE)
    told = {one.table: one.rows for one in memdb.mend(path).lost}
    assert {table: count for table, count in told.items() if table.startswith("collection")} == gone
    with opened(path) as mem, chroma.PersistentClient(path) as client:
        assert (mem.check(), client.get_collection("others").count()) == ([], 1)


def test_a_page_that_leads_to_what_was_cut_off_still_leads_to_the_rest(path: Path) -> None:
    held, root = path.read_bytes(), page_of(path, "facts")
    pages = sorted(part.page for part in Pages(held).parts(root, keyed=False) if part.entries)
    cut = pages[len(pages) // 2]
    left = Pages(held[: (cut - 1) * SIZE]).parts(root, keyed=False)
    assert sorted(part.page for part in left if part.entries) == [page for page in pages if page < cut]


@pytest.mark.parametrize("head", [bytes(100), bytes(SIZE), b"\xff" * SIZE, b"SQLite format 3\0"[::-1]])
def test_a_file_without_its_header_is_told_by_what_is_left_of_it(path: Path, head: bytes) -> None:
    before = rows_of(path)
    overwrite(path, 1, head)
    held = path.read_bytes()
    mended = memdb.mend(path)
    assert mended.copy_of_before is not None
    assert (mended.lost, mended.left, Path(mended.copy_of_before).read_bytes()) == ((), (), held)
    assert rows_of(path) == before


def test_what_stands_in_the_log_alone_is_kept(path: Path, tmp_path: Path) -> None:
    with opened(path) as mem:
        mem.remember("Ana plays chess", user_id="user 0", timestamp="2025-03-01T10:00:00Z")
        mem.remember("Ana plays go", user_id="user 0", timestamp="2025-03-01T11:00:00Z")
        torn = Path(shutil.copy(path, tmp_path / "torn.db"))
        log = path.with_name("mem.db-wal").read_bytes()
    torn.with_name("torn.db-wal").write_bytes(log[:-100])
    overwrite(torn, 1, bytes(SIZE))
    memdb.mend(torn)
    assert list(torn.parent.glob("torn.db-*")) == []
    texts = {str(row[0]) for row in apsw.Connection(str(torn)).execute("select value_text from facts")}
    assert ("Ana plays chess" in texts, "Ana plays go" in texts) == (True, False)


def test_a_log_that_nobody_could_open_goes_with_the_file_that_it_was_of(path: Path, tmp_path: Path) -> None:
    with opened(path) as mem:  # what changes no page but a table's, so that the log tells nothing of the file
        mem._store.database().connection.execute("update facts set confidence = 0.125 where value_text = 'Game 3 is fun'")
        torn = Path(shutil.copy(path, tmp_path / "torn.db"))
        shutil.copy(path.with_name("mem.db-wal"), torn.with_name("torn.db-wal"))
    overwrite(torn, 1, bytes(SIZE))
    memdb.mend(torn)
    assert list(torn.parent.glob("torn.db-*")) == []
    found = "select confidence from facts where value_text = 'Game 3 is fun'"
    assert apsw.Connection(str(torn)).execute(found).fetchall() == [(0.125,)]


def test_a_file_whose_tables_cannot_be_found_is_left_as_it_is(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(20 * SIZE))
    held = path.read_bytes()
    with pytest.raises(memdb.SchemaError, match="not an SQLite database"):
        memdb.mend(path)
    assert (path.read_bytes(), list(path.parent.glob("mem.db.*"))) == (held, [])


def test_a_file_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("create table facts (a); create table turns (a); create table meta (a); insert into facts values (1)")
    connection.close()
    with pytest.raises(memdb.SchemaError, match="another program"):
        memdb.mend(path)
    assert list(tmp_path.iterdir()) == [path]


def test_the_open_memory_goes_on_with_what_is_left(path: Path) -> None:
    overwrite(path, page_of(path, "facts"), b"\xff" * SIZE)
    with opened(path) as mem, opened(path) as other:
        mended = mem.mend()
        assert (mended.lost, mem.check()) == ((), [])
        for one in (mem, other):
            one.drain()
            assert one.search("Which game is fun?", user_id="user 0")[0].fact.user_id == "user 0"
        other.remember("Ana plays chess", user_id="user 1")
        assert mem.facts("user 1")[-1].value_text == "Ana plays chess"


def test_an_open_memory_is_mended_where_an_index_cannot_be_read(path: Path) -> None:
    overwrite(path, page_of(path, "ends_said"), b"\xff" * SIZE)
    with opened(path) as mem:
        mended = mem.mend()
        assert (mended.lost, mended.set_aside, mem.check()) == ((), (), [])
        assert [str(one) for one in path.parent.glob("mem.db.*")] == [mended.copy_of_before]


def test_who_made_tables_and_indexes_beside_ours_has_them_still(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("create table own (a integer primary key, b); insert into own values (7, 'x'); create index own_b on own (b)")
    connection.close()
    overwrite(path, page_of(path, "facts"), bytes(SIZE))
    memdb.mend(path)
    connection = apsw.Connection(str(path))
    assert connection.execute("select a, b from own indexed by own_b where b = 'x'").fetchall() == [(7, "x")]


@pytest.mark.parametrize("key", ["a desc, b", "b collate nocase, a", "b desc, a"])
def test_rows_of_somebody_s_own_that_stand_in_another_order_are_kept(path: Path, key: str) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"create table own (a integer, b text, primary key ({key})) without rowid; create index own_b on own (b desc)")
    rows = {(number, name) for number in range(300) for name in ("a", "B", "c")}
    connection.executemany("insert into own values (?, ?)", rows)
    connection.close()
    with opened(path) as mem:
        assert mem.check() == []
    overwrite(path, page_of(path, "facts"), bytes(SIZE))
    assert all(lost.table != "own" for lost in memdb.mend(path).lost)
    assert set(apsw.Connection(str(path)).execute("select a, b from own")) == rows


def shell(path: Path, sql: str) -> None:
    """Have the file hold what its rules keep out."""
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    connection.execute(f"pragma ignore_check_constraints = on; {sql}")
    connection.close()


REFUSED = {
    "zeros": ("value_text = value_text || cast(zeroblob(20) as text)", "a run of zeros"),
    "no text": ("value_text = cast(x'ff' as text)", "no UTF-8"),
    "against a rule": ("seen_count = -5", "CHECK constraint failed: seen_count >= 0"),
    "no JSON": ("tags = '['", "malformed JSON"),
}


@pytest.mark.parametrize(("sql", "fault"), REFUSED.values(), ids=REFUSED)
def test_a_row_that_cannot_be_read_is_set_aside_where_pages_are_damaged_too(path: Path, sql: str, fault: str) -> None:
    shell(path, f"update facts set {sql} where value_text = 'Game 3 is fun'")
    overwrite(path, page_of(path, "links"), b"\xff" * SIZE)
    mended = memdb.mend(path)
    assert [(one.table, fault in one.fault) for one in mended.set_aside] == [("facts", True)]
    assert mended.kept_in is not None
    assert [line.split('"')[1] for line in Path(mended.kept_in).read_text().splitlines() if line.startswith("insert")] == ["facts"]
    with opened(path) as mem:
        assert mem.check() == []


def test_what_refers_to_a_row_is_set_aside_with_it_where_pages_are_damaged_too(path: Path) -> None:
    shell(path, "update facts set tags = '[1]' where fact_id = (select source_id from links)")
    overwrite(path, page_of(path, "model_calls"), b"\xff" * SIZE)
    mended = memdb.mend(path)
    assert ([one.table for one in mended.set_aside], rows_of(path)["links"]) == (["facts"], set())


def test_a_file_that_is_made_anew_tells_what_its_tables_hold_and_is_checked_as_before(path: Path) -> None:
    def told() -> list[tuple[object, ...]]:
        return apsw.Connection(str(path)).execute("select * from dictionary order by table_name, column_name").fetchall()

    before = told()
    overwrite(path, page_of(path, "model_calls"), b"\xff" * SIZE)
    memdb.mend(path)
    assert told() == before
    shell(path, "insert into feedback values ('user 0', 'Where?', 'gone', 1, '2025-03-01T10:00:00.000Z')")
    with opened(path) as mem:
        assert [(one.table, one.fault.endswith("is not there")) for one in mem.check()] == [("feedback", True)]


def test_what_rows_name_and_is_gone_is_there_again_where_pages_are_damaged_too(path: Path) -> None:
    shell(path, "pragma foreign_keys = off; update kinds set kind = 'fabt' where kind = 'fact'")
    overwrite(path, page_of(path, "model_calls"), b"\xff" * SIZE)
    mended = memdb.mend(path)
    assert (mended.set_aside, mended.left) == ((), ())
    assert apsw.Connection(str(path)).execute("pragma foreign_key_check").fetchall() == []


def test_a_log_beside_a_file_that_cannot_be_opened_is_read_and_copied_with_it(path: Path, tmp_path: Path) -> None:
    with opened(path) as mem:
        mem._store.database().connection.execute("update facts set confidence = 0.125 where value_text = 'Game 3 is fun'")
        torn = Path(shutil.copy(path, tmp_path / "torn.db"))
        log = Path(shutil.copy(path.with_name("mem.db-wal"), torn.with_name("torn.db-wal"))).read_bytes()
    overwrite(torn, 1, b"x" * SIZE)
    mended = mend_closed(torn, now=to_utc("2025-03-20"))
    assert Path(f"{mended.copy_of_before}-wal").read_bytes() == log
    assert list(torn.parent.glob("torn.db-*")) == []
    found = "select confidence from facts where value_text = 'Game 3 is fun'"
    assert apsw.Connection(str(torn)).execute(found).fetchall() == [(0.125,)]


def test_a_list_of_free_pages_that_is_wrong_is_made_anew(path: Path) -> None:
    before = rows_of(path)
    with path.open("r+b") as file:
        file.seek(36)  # of the header: how many pages are free
        file.write(b"\0\0\0\7")
    assert memdb.mend(path).lost == ()
    assert rows_of(path) == before
    with opened(path) as mem:
        assert mem.check() == []


@pytest.mark.parametrize("told", ["0", "1234567"])
def test_a_length_that_no_vector_has_is_not_kept(path: Path, told: str) -> None:
    shell(path, f"update meta set value = '{told}' where name = 'dimension'")
    overwrite(path, page_of(path, "links"), b"\xff" * SIZE)
    memdb.mend(path)
    with opened(path) as mem:
        assert (mem.drain(), mem.check()) == (True, [])


def test_a_page_of_another_table_with_more_columns_is_none_of_a_table_s(path: Path) -> None:
    held = path.read_bytes()
    leaf = next(part.page for part in Pages(held).parts(page_of(path, "facts"), keyed=False) if part.entries)
    overwrite(path, page_of(path, "model_calls"), held[(leaf - 1) * SIZE : leaf * SIZE])
    mended = memdb.mend(path)
    assert ([one.table for one in mended.set_aside], rows_of(path)["model_calls"]) == ([], set())


def test_an_index_of_somebody_s_own_that_the_rows_contradict_is_left_out(path: Path) -> None:
    shell(path, "create table own (a); insert into own values ('this one'), ('that one'); create unique index own_a on own (a)")
    path.write_bytes(path.read_bytes().replace(b"that one", b"this one"))
    overwrite(path, page_of(path, "links"), b"\xff" * SIZE)
    memdb.mend(path)
    connection = apsw.Connection(str(path))
    assert connection.execute("select a from own").fetchall() == [("this one",)] * 2
    assert connection.execute("select name from sqlite_schema where name = 'own_a'").fetchall() == []


def test_a_file_of_a_version_that_is_not_known_is_left_as_it_is(path: Path) -> None:
    shell(path, "update meta set value = '9999' where name = 'schema_version'")
    overwrite(path, page_of(path, "facts"), bytes(SIZE))
    held = path.read_bytes()
    with pytest.raises(memdb.SchemaError, match="schema version 9999, newer than"):
        memdb.mend(path)
    assert (path.read_bytes(), list(path.parent.glob("mem.db.*"))) == (held, [])


@pytest.mark.parametrize(
    "sql",
    [
        "alter table facts add column mine text",
        "pragma writable_schema = on; update sqlite_schema set sql = 'create table facts (' where name = 'facts'",
    ],
)
def test_a_file_that_does_not_tell_its_version_is_read_only_if_it_looks_like_today_s(path: Path, sql: str) -> None:
    page = page_of(path, "meta")
    shell(path, sql)
    overwrite(path, page, bytes(SIZE))
    with pytest.raises(memdb.SchemaError, match="of which version it is cannot be read any more"):
        memdb.mend(path)


def test_the_command_mends_what_cannot_be_opened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: -4 * SIZE])
    told = CliRunner().invoke(app, ["check", "--db", str(path)])
    assert (told.exit_code, "memdb check --repair" in told.stderr) == (1, True)
    asked = CliRunner().invoke(app, ["check", "--repair", "--db", str(path)], input="n\n")
    assert (asked.exit_code, "save what can still be read of it" in asked.stderr) == (1, True)
    done = CliRunner().invoke(app, ["check", "--repair", "--yes", "--db", str(path)])
    assert done.exit_code == 0, done.output
    assert "the file as it was" in done.stdout
    assert CliRunner().invoke(app, ["check", "--db", str(path)]).exit_code == 0


LEFT = "mem.db.20250320T100000000000Z"
LONG = "insert into models values ('m', 'f', 0, randomblob(1500000))"  # more than is compared at once


def test_the_copy_of_a_killed_mending_goes_where_the_file_is_still_the_same(path: Path) -> None:
    shell(path, LONG)
    path.write_bytes(path.read_bytes().replace(b'["game"]', b'["game" '))
    left = path.with_name(f"{LEFT}.damaged.unfinished")
    with opened(path) as mem:
        copy_file(path, left)
        path.with_name(f"{LEFT}.aside.sql.unfinished").write_text("insert …")
        mended = mem.mend()
    assert mended.kept_before == ()
    assert {str(one) for one in path.parent.glob("mem.db.*")} == {mended.copy_of_before, mended.kept_in}


CHANGED: dict[str, Callable[[bytes], bytes]] = {
    "it was longer": lambda held: held + bytes(SIZE),
    "at the beginning": lambda held: held.replace(b"Game 3 is fun", b"Game 3 is fan"),
    "at the end": lambda held: held[:-1] + bytes([held[-1] ^ 1]),
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
def test_the_copy_of_a_killed_mending_is_kept_where_the_file_has_changed_since(path: Path, changed: Callable[[bytes], bytes]) -> None:
    shell(path, LONG)
    path.write_bytes(path.read_bytes().replace(b'["game"]', b'["game" '))
    path.with_name(f"{LEFT}.damaged.unfinished").write_bytes(changed(path.read_bytes()))
    with opened(path) as mem:
        assert mem.mend().kept_before == (str(path.with_name(f"{LEFT}.damaged")),)


def test_the_copy_of_a_killed_mending_is_kept_where_the_file_is_another(path: Path) -> None:
    left = path.with_name(f"{LEFT}.damaged.unfinished")
    left.write_bytes(b"what there was before")
    with opened(path) as mem:
        assert mem.mend().kept_before == (str(path.with_name(f"{LEFT}.damaged")),)
        assert mem.mend() == memdb.Mended()
    assert path.with_name(f"{LEFT}.damaged").read_bytes() == b"what there was before"


def test_what_was_set_aside_is_kept_where_the_mending_was_killed_after_it(path: Path) -> None:
    for name, text in (("damaged", b"before"), ("aside.sql", b"insert"), ("new", b"")):
        path.with_name(f"{LEFT}.{name}.unfinished").write_bytes(text)
    with opened(path) as mem:
        mem._store.database().run("meta.put", name="mended", value="20250320T100000000000Z")
        assert mem.mend().kept_before == tuple(str(path.with_name(f"{LEFT}.{name}")) for name in ("aside.sql", "damaged"))


@pytest.mark.parametrize("pages", [False, True], ids=["a row", "all that can be read"])
def test_a_mending_tells_in_the_file_that_it_has_changed_it(pages: bool, path: Path) -> None:
    """So that what it has set aside is not taken for what one that was killed had only begun."""
    with opened(path) as mem:
        connection = mem._store.database().connection
        connection.execute("drop trigger fact_history_no_update")
        connection.execute("update fact_history set after = '[]' where id = 1")
    if pages:
        overwrite(path, 1, b"x" * 100)
    mended = memdb.mend(path)
    aside, copy = (Path(str(name)) for name in (mended.kept_in, mended.copy_of_before))
    aside.rename(f"{aside}.unfinished")  # as where it was killed then
    copy.unlink()
    with opened(path) as mem:
        assert mem.mend().kept_before == (str(aside),)


def test_a_copy_that_is_not_whole_is_taken_away(path: Path) -> None:
    for name in ("damaged.unfinished", "damaged.unfinished-journal"):
        path.with_name(f"{LEFT}.{name}").write_bytes(b"half")
    with opened(path) as mem:
        assert mem.mend() == memdb.Mended()
    assert list(path.parent.glob("mem.db.*")) == []


def test_what_a_killed_mending_of_a_file_that_cannot_be_opened_has_left_goes_with_the_next(path: Path) -> None:
    overwrite(path, 1, b"x" * 100)
    shutil.copy(path, path.with_name(f"{LEFT}.damaged.unfinished"))
    for name in ("aside.sql.unfinished", "new.unfinished", "new.unfinished-journal"):
        path.with_name(f"{LEFT}.{name}").write_bytes(b"half")
    mended = memdb.mend(path)
    assert ([str(one) for one in path.parent.glob("mem.db.*")], mended.kept_before) == ([mended.copy_of_before], ())


def test_what_nobody_else_may_read_is_mended_into_what_nobody_else_may_read(path: Path) -> None:
    overwrite(path, 1, b"x" * 100)
    path.chmod(0o600)
    mended = memdb.mend(path)
    assert mended.copy_of_before is not None
    assert [file.stat().st_mode & 0o777 for file in (path, Path(mended.copy_of_before))] == [0o600] * 2
    assert [str(beside) for beside in path.parent.glob("mem.db.*")] == [mended.copy_of_before]  # nothing was set aside


def test_nobody_writes_while_a_file_is_about_to_be_overwritten(path: Path) -> None:
    with opened(path) as mem, mem._store.database().overwritten(by=path.with_name("new.db")):
        other = apsw.Connection(str(path))
        with pytest.raises(apsw.BusyError):
            other.execute("insert into meta values ('a', 'b')")
        assert other.execute("select count(*) from turns").fetchall() == [(24,)]


def test_a_log_gets_its_name_with_the_file_that_it_belongs_to(tmp_path: Path) -> None:
    part = tmp_path / f"mem.db{UNFINISHED}"
    for path in (part, Path(f"{part}-wal")):
        path.write_text(path.name, encoding="utf-8")
    assert finish(part) == tmp_path / "mem.db"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mem.db", "mem.db-wal"]
