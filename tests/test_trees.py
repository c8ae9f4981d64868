"""The pages of a file, read without SQLite, hold what SQLite reads from them, and no damage makes the reading of them fail."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdb.trees import Entry, Garbled, Pages, is_zeroed

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-129, -128, -1, 0, 1, 2, 127, 128, 2**15, 2**23, 2**31, 2**47, -(2**47)])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
LONG = st.builds(lambda part, times: part * times, st.text("ab é", min_size=1, max_size=3), st.integers(1, 3000))
VALUES = st.none() | INTEGERS | st.floats(allow_nan=False) | TEXTS | LONG | st.binary(max_size=600)
TABLES = {
    "with row ids": "create table t (k integer primary key, a, b, c)",
    "named by a key": "create table t (k, a, b, c, primary key (k, a)) without rowid",
}


def made(path: Path, table: str, rows: list[tuple[Any, ...]], *, size: int = 512, reserved: int = 0) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.reserve_bytes("main", reserved)  # at the end of each page, for who stores something of his own there
    connection.execute(f"pragma page_size = {size}; {TABLES[table]}; create index i on t (a, b)")
    with connection:
        connection.executemany("insert or ignore into t values (?, ?, ?, ?)", rows)
    return connection


def entries(pages: Pages, name: str, *, keyed: bool) -> list[Entry]:
    (root,) = (one.root for one in pages.schema() or () if one.name == name)
    return [entry for part in pages.parts(root, keyed=keyed) for entry in part.entries or ()]


def rows_of(pages: Pages, table: str) -> list[tuple[Any, ...]]:
    keyed = table != "with row ids"
    return [one.values if keyed else (one.rowid, *one.values[1:]) for one in entries(pages, "t", keyed=keyed)]


def shown(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(map(repr, rows))  # -0.0 is another than 0.0, and 1 than 1.0


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(INTEGERS, VALUES, VALUES, VALUES), max_size=40, unique_by=lambda row: row[0]),
    table=st.sampled_from(sorted(TABLES)),
    size=st.sampled_from([512, 1024, 4096, 65536]),
    reserved=st.sampled_from([0, 0, 8, 32]),
)
def test_a_file_is_read_as_sqlite_reads_it(rows: list[tuple[Any, ...]], table: str, size: int, reserved: int) -> None:
    rows = [(key, "" if a is None and table != "with row ids" else a, b, c) for key, a, b, c in rows]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        with made(path, table, rows, size=size, reserved=reserved) as connection:
            held = connection.execute("select * from t").fetchall()
            lines = connection.execute("select a, b, k from t").fetchall()
        connection.close()
        pages = Pages(path.read_bytes())
    assert pages.size == size
    assert shown(rows_of(pages, table)) == shown(held)
    assert not any(entry.torn for entry in entries(pages, "i", keyed=True))
    assert shown([entry.values for entry in entries(pages, "i", keyed=True)]) == shown(lines)


@pytest.fixture(scope="module", params=[512, 4096])
def logged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A file and its log: transactions that stand in the log alone, over those that stood in it before it was begun anew."""
    path = tmp_path_factory.mktemp("logged") / "a.db"
    connection = made(path, "with row ids", [(n, f"row {n}", "x" * 40, None) for n in range(200)], size=request.param)
    connection.execute("pragma journal_mode = wal; pragma wal_autocheckpoint = 0")
    for n in range(12):
        connection.execute("insert into t values (?, ?, ?, null)", (1000 + n, f"later {n}", "y" * 900))
        connection.execute("update t set b = ? where k % 7 = ?", (f"new {n}", n % 7))
        if n == 5:
            connection.execute("pragma wal_checkpoint(restart)").fetchall()
    held = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    connection.close()
    return held


def by_sqlite(folder: Path, file: bytes, log: bytes) -> list[tuple[Any, ...]]:
    (folder / "a.db").write_bytes(file)
    (folder / "a.db-wal").write_bytes(log)
    connection = apsw.Connection(str(folder / "a.db"))
    held = connection.execute("select * from t").fetchall()
    connection.close()
    return held


def cut_logs(log: bytes) -> Iterator[bytes]:
    chance = random.Random(1)
    yield log
    yield b""
    for at in (31, 32, 33, *(chance.randrange(len(log)) for _ in range(20))):
        yield log[:at]
    for at in (0, 3, 9, 16, 20, 24, 28, 33, 36, 40, 44, 48, 52, *(chance.randrange(len(log)) for _ in range(20))):
        yield log[:at] + bytes([log[at] ^ 1]) + log[at + 1 :]


def test_of_a_log_that_is_cut_off_or_spoilt_as_much_counts_as_to_sqlite(logged: tuple[bytes, bytes], tmp_path: Path) -> None:
    file, log = logged
    for part in cut_logs(log):
        assert shown(rows_of(Pages(file, part), "with row ids")) == shown(by_sqlite(tmp_path, file, part))


def test_a_file_without_its_beginning_is_read_by_its_log(logged: tuple[bytes, bytes]) -> None:
    file, log = logged
    pages = Pages(bytes(100) + file[100:], log)
    assert shown(rows_of(pages, "with row ids")) == shown(rows_of(Pages(file, log), "with row ids"))


@pytest.mark.parametrize("table", sorted(TABLES))
def test_no_byte_that_is_wrong_keeps_the_other_pages_from_being_read(table: str, tmp_path: Path) -> None:
    """What is read of another page than the one that is damaged was there, and none of it is missing where that leads to no other."""
    rows: list[tuple[Any, ...]] = [(n, f"row {n}", "x" * (n % 50), n / 2) for n in range(120)]
    made(tmp_path / "a.db", table, rows).close()
    file, keyed, chance = (tmp_path / "a.db").read_bytes(), table != "with row ids", random.Random(2)
    (root, other) = (one.root for one in Pages(file).schema() or ())
    there = {part.page: part.entries for part in Pages(file).parts(root, keyed=keyed)}
    # what leads to these by mistake cannot be told by the pages alone
    beside = {part.page: part.entries for part in Pages(file).parts(other, keyed=True)}
    for place in range(400):
        at = chance.randrange(512, len(file))
        at -= at % 512 - chance.randrange(24) if place % 2 else 0  # the head of a page says most about it
        spoilt = file[:at] + bytes([file[at] ^ 1 << chance.randrange(8)]) + file[at + 1 :]
        found = {part.page: part.entries for part in Pages(spoilt).parts(root, keyed=keyed)}
        for page, held in found.items():
            assert held is None or page == at // 512 + 1 or held == (there | beside)[page]
        if not keyed and at // 512 + 1 in there:
            assert found.keys() == there.keys()


def test_text_that_is_none_and_zeros_are_told() -> None:
    assert is_zeroed("a" + "\0" * 16)
    assert not any(map(is_zeroed, ("a" + "\0" * 15, b"\0" * 16, 0, None)))


def test_a_text_that_is_no_utf_8_comes_as_it_lies_there(tmp_path: Path) -> None:
    connection = made(tmp_path / "a.db", "with row ids", [])
    connection.execute("insert into t values (1, cast(x'61ff62' as text), x'61ff62', 'ok')")
    connection.close()
    [(_, garbled, blob, text)] = rows_of(Pages((tmp_path / "a.db").read_bytes()), "with row ids")
    assert (type(garbled), garbled, type(blob), blob, text) == (Garbled, b"a\xffb", bytes, b"a\xffb", "ok")


def test_of_which_program_a_file_is_stands_in_its_beginning(tmp_path: Path) -> None:
    connection = made(tmp_path / "a.db", "with row ids", [], size=4096)  # as is taken of one that does not tell
    connection.execute("pragma application_id = 1298416177")
    connection.close()
    file = (tmp_path / "a.db").read_bytes()
    assert [Pages(held).application_id for held in (file, bytes(16) + file[16:], file[:100], b"")] == [1298416177, None, None, None]


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_page_that_nothing_leads_to_is_known_by_what_it_holds(table: str, tmp_path: Path) -> None:
    made(tmp_path / "a.db", table, [(n, f"row {n}", "x" * 40, None) for n in range(60)]).close()
    file, keyed = (tmp_path / "a.db").read_bytes(), table != "with row ids"
    pages, there = Pages(file), {}
    for one in pages.schema() or ():
        for part in pages.parts(one.root, keyed=keyed or one.kind == "index"):
            there[part.page] = (one.kind == "index" or keyed, part.entries)
    inner = {one.root for one in pages.schema() or ()} - there.keys()  # of a table with row ids: it leads to the rows, and holds none
    for page in range(2, pages.count + 1):
        for asked in (False, True):
            found = pages.part(page, keyed=asked)
            assert (found.entries if found else None) == (there[page][1] if page not in inner and there[page][0] is asked else None)
    assert pages.part(pages.count + 1, keyed=keyed) is None


def test_a_page_whose_rows_are_out_of_order_is_one_of_keys_that_have_an_order_of_their_own(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "a.db"))
    connection.execute("create table t (a); create index i on t (a desc); insert into t values (1), (2), (3)")
    connection.close()
    pages = Pages((tmp_path / "a.db").read_bytes())
    (root,) = (one.root for one in pages.schema() or () if one.name == "i")
    assert pages.part(root, keyed=True) is None
    part = pages.part(root, keyed=True, plain=False)
    assert part is not None
    assert [entry.values[0] for entry in part.entries or ()] == [3, 2, 1]


@pytest.fixture
def many(tmp_path: Path) -> bytes:
    """A file whose schema takes several pages."""
    connection = apsw.Connection(str(tmp_path / "many.db"))
    connection.execute("pragma page_size = 512")
    for n in range(30):
        connection.execute(f"create table table_{n} (a, b, c)")
    connection.close()
    return (tmp_path / "many.db").read_bytes()


def test_the_schema_is_told_by_its_other_pages_where_the_first_is_damaged(many: bytes) -> None:
    known = Pages(many).schema() or []
    assert [one.name for one in known] == [f"table_{n}" for n in range(30)]
    pages = Pages(many[:100] + bytes(412) + many[512:])
    assert sorted(pages.schema() or ()) == sorted(known)


def test_a_schema_that_two_pages_tell_otherwise_is_none(many: bytes) -> None:
    pages = Pages(many)
    (leaf, *_) = [part for part in pages.parts(1, keyed=False)]
    old = many[(leaf.page - 1) * 512 : leaf.page * 512]
    (root,) = (one.root for one in pages.schema() or () if one.name == "table_0")
    place = old.index(b"table_0table_0") + len(b"table_0table_0")
    assert old[place] == root
    assert Pages(many[:100] + bytes(412) + many[512:] + old[:place] + bytes([root + 1]) + old[place + 1 :]).schema() is None


def test_where_a_file_was_cut_off_what_is_left_of_a_tree_is_read(tmp_path: Path) -> None:
    made(tmp_path / "a.db", "with row ids", [(n, None, "x" * 100, None) for n in range(60)]).close()
    file = (tmp_path / "a.db").read_bytes()
    held, left = rows_of(Pages(file), "with row ids"), rows_of(Pages(file[: len(file) // 1024 * 512]), "with row ids")
    assert set(left) < set(held)
    assert len(left) > len(held) // 4


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_page_in_another_s_place_is_told_by_where_it_stands(table: str, tmp_path: Path) -> None:
    made(tmp_path / "a.db", table, [(n, f"row {n}", "x" * 40, None) for n in range(60)]).close()
    file, keyed = (tmp_path / "a.db").read_bytes(), table != "with row ids"
    root, index = (one.root for one in Pages(file).schema() or ())
    leaves = [part for part in Pages(file).parts(root, keyed=keyed) if part.page != root]
    strange = next(part.page for part in Pages(file).parts(index, keyed=True) if part.page != index)
    one, other = leaves[1].page, leaves[-2].page
    pages = {page: file[(page - 1) * 512 : page * 512] for page in (one, other, strange)}
    for put in ({one: pages[other], other: pages[one]}, {one: pages[strange], other: bytes(512)}):
        spoilt = b"".join(put.get(page, file[(page - 1) * 512 : page * 512]) for page in range(1, len(file) // 512 + 1))
        parts = [*Pages(spoilt).parts(root, keyed=keyed)]
        assert {part.page for part in parts if part.entries is None} == {one, other}
        assert [part for part in parts if part.page not in put] == [
            part for part in Pages(file).parts(root, keyed=keyed) if part.page not in put
        ]
        missing = {part.page: (part.above, part.up_to) for part in parts if part.entries is None}
        assert missing == {part.page: (part.above, part.up_to) for part in leaves if part.page in put}


SPOILT_PAGES = {  # as they would stand last in a table whose rows are numbered up to 60
    "no rows": bytes([13, 0, 0, 0, 0, 2, 0, 0]),
    "two rows that lie over each other": bytes([13, 0, 0, 0, 2, 0, 0, 0, 1, 0xF6, 1, 0xF8]) + bytes(490) + bytes([8, 100, 6, 101]),
    "a row that lies where the rows are told": bytes([13, 0, 0, 0, 2, 0, 0, 0, 0, 10, 1, 0xF8]) + bytes(492) + bytes([3, 0x81, 0x80]),
}


@pytest.mark.parametrize("page", SPOILT_PAGES.values(), ids=SPOILT_PAGES)
def test_a_page_that_sqlite_would_not_have_written_is_missing_from_its_table(page: bytes, tmp_path: Path) -> None:
    made(tmp_path / "a.db", "with row ids", [(n, f"row {n}", "x" * 40, None) for n in range(60)]).close()
    file = (tmp_path / "a.db").read_bytes()
    (root,) = (one.root for one in Pages(file).schema() or () if one.name == "t")
    *_, last = Pages(file).parts(root, keyed=False)
    spoilt = file[: (last.page - 1) * 512] + page.ljust(512, b"\0") + file[last.page * 512 :]
    assert [part.page for part in Pages(spoilt).parts(root, keyed=False) if part.entries is None] == [last.page]


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_row_of_any_length_is_read_whole(table: str, tmp_path: Path) -> None:
    """From what fits onto a page to the byte, to what takes several more of them."""
    rows: list[tuple[Any, ...]] = [(n, "", bytes([n % 251]) * n, None) for n in range(1100)]
    made(tmp_path / "a.db", table, rows).close()
    held = rows_of(Pages((tmp_path / "a.db").read_bytes()), table)
    assert sorted(held, key=lambda row: row[0]) == rows


def test_a_value_whose_following_pages_are_empty_is_torn(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "a.db"))
    connection.execute(f"pragma page_size = 512; {TABLES['with row ids']}; insert into t values (1, 'one', null, null)")
    connection.execute("insert into t values (2, ?, null, null)", ("x" * 2000,))
    connection.close()
    file = (tmp_path / "a.db").read_bytes()
    for page in range(3, len(file) // 512 + 1):
        spoilt = file[: (page - 1) * 512] + bytes(512) + file[page * 512 :]
        assert [(one.rowid, one.torn) for one in entries(Pages(spoilt), "t", keyed=False)] == [(1, False), (2, True)]
        assert [one.blank for one in entries(Pages(spoilt), "t", keyed=False)] == [False, page * 512 == len(file)]
    assert [one.torn for one in entries(Pages(file), "t", keyed=False)] == [False, False]
