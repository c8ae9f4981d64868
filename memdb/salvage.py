"""What can still be read of a file whose pages are damaged, put into a new one: its rows, table by table, and what was lost of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple, TextIO

from memdb import driver, tables
from memdb.answers import Lost
from memdb.config import Config
from memdb.database import Database
from memdb.driver import NO_UTF_8, ZEROED
from memdb.errors import ConflictError, SchemaError
from memdb.records import Damage
from memdb.store import Store, tell_clocks, tell_meanings
from memdb.trees import Entry, Garbled, Object, Pages, Part, Value, is_zeroed

_TYPES: dict[str, tuple[type, ...]] = {"INTEGER": (int,), "REAL": (int, float), "TEXT": (str, Garbled), "BLOB": (bytes,)}
_SHAPES = (  # of texts, by table and column: what lies on another table's page has others
    (re.compile(r".*\.(.*_at|timestamp)"), re.compile(r"\d{4}-\d\d-\d\dT")),
    (re.compile(r"applied_actions\.action_hash"), re.compile(r"[0-9a-f]{16}")),
)
_WITHOUT_ROWS = (  # what takes out rows that refer to others which were lost, by the table that it takes them out of
    "mend.no_links", "mend.no_outcomes", "mend.no_feedback", "mend.no_collection_records", "mend.no_collection_vectors",
    "mend.no_collection_metadata",
)  # fmt: skip
_ENOUGH = 10  # tables and indexes that begin where a new file's do, for the others to do so, too
_PECULIAR = 5  # columns
_LISTINGS = 3  # indexes of a table that its rows are held against; each costs memory

Row = tuple[Value, ...]


class _Column(NamedTuple):
    name: str
    type: str
    required: bool
    may_lack: bool
    is_rowid: bool
    shape: re.Pattern[str] | None


class _Index(NamedTuple):
    """An index, and the columns that its lines hold; None is the row's id. `plain`: they rise, and are compared as they are."""

    name: str
    columns: tuple[str | None, ...]
    plain: bool


class _Table(NamedTuple):
    """A table, and its columns in the order in which they lie on a page. `keyed`: its rows have no ids, but are named by `key`; `plain`:
    that rises, and is compared as it is.
    """

    name: str
    keyed: bool
    plain: bool
    columns: tuple[_Column, ...]
    key: tuple[str, ...]
    indexes: tuple[_Index, ...]

    @property
    def is_peculiar(self) -> bool:
        """Whether its rows can be told from those of others by what they look like."""
        return any(one.shape is not None for one in self.columns) or len(self.columns) >= _PECULIAR

    def names(self, row: Row) -> list[str]:
        """Return the names of a row's columns: one that is older than the last of them has fewer values."""
        return [one.name for one in self.columns[: len(row)]]

    def row(self, entry: Entry) -> Row | None:
        """Return the row that an entry is, None if it can be none of this table's."""
        if entry.torn or len(entry.values) > len(self.columns) or not all(one.may_lack for one in self.columns[len(entry.values) :]):
            return None
        row = tuple(entry.rowid if one.is_rowid else value for one, value in zip(self.columns, entry.values, strict=False))
        return row if all(self._may_hold(*held) for held in zip(self.columns, row, strict=False)) else None

    def looks_like(self, entry: Entry) -> bool:
        """Whether an entry may be a row of this table, and its texts are of the shapes that they have here."""
        row = self.row(entry) or ()
        shaped = [(one.shape, value) for one, value in zip(self.columns, row, strict=False) if one.shape is not None and value is not None]
        return bool(row) and all(isinstance(value, str) and shape.match(value) for shape, value in shaped)

    def _may_hold(self, column: _Column, value: Value) -> bool:
        if value is None:
            return not column.required
        return isinstance(value, _TYPES.get(column.type, (object,))) and not (column.type == "BLOB" and isinstance(value, Garbled))


class _Listing:
    """What an index says that there is in its table.

    It is `whole` if all of it can be read, and `trusted` if it is, and has some row of the table's: it is this table's own then.
    """

    def __init__(self, table: _Table, index: _Index, parts: Iterable[Part]) -> None:
        self.table, self.index = table, index
        self.lines: set[int] = set()
        self.rowids: set[int] = set()
        self.whole, self.trusted = True, False
        for part in parts:
            if part.entries is None:
                self.whole = False
            for entry in part.entries or ():
                if entry.torn or len(entry.values) != len(index.columns):
                    self.whole = False
                    continue
                self.lines.add(hash(entry.values))
                self.rowids.update(
                    int(value) for name, value in zip(index.columns, entry.values, strict=True) if name is None and isinstance(value, int)
                )

    def has(self, entry: Entry) -> bool:
        """Whether a row stands in it as it is."""
        if (row := self.table.row(entry)) is None:
            return False
        values = dict(zip(self.table.names(row), row, strict=True))
        return hash(tuple(entry.rowid if name is None else values.get(name) for name in self.index.columns)) in self.lines


class _Copy:
    """One table on its way into the new file, and what is missing of it."""

    def __init__(self, db: Database, table: _Table, listings: list[_Listing], aside: TextIO) -> None:
        self.db, self.table, self.listings, self._file = db, table, listings, aside
        self.missing: list[Part] = []
        self.damaged: list[Damage] = []
        self._aside: set[int | None] = set()
        self._torn: list[int | None] = []
        self.taken = self._adopted = 0

    def take(self, part: Part) -> bool:
        """Put the rows of a page that stands in its place into the new file; return whether it is this table's."""
        entries = part.entries
        if entries is not None and self._is_ours(entries) and self._put(entries):
            return True
        self.missing.append(part)
        return False

    def adopt(self, part: Part) -> bool:
        """Put the rows of a page that nothing leads to into the new file, if an index has them; return whether there were any."""
        entries = [entry for entry in part.entries or () if self._is_listed(entry)]
        self._adopted += len(entries)
        return bool(entries) and self._put(entries)

    def made_up(self) -> _Copy:
        """Give a table of which something is missing what it has in a new file, as far as it is without it."""
        if self.missing:
            with self.db.translated():
                tables.put_back_rows(self.db.connection, self.table.name)
        return self

    def misses(self, part: Part) -> None:
        """Count a page that is in no tree as missing here, if all says that it is this table's."""
        if not self.missing and self.table.is_peculiar and all(map(self.table.looks_like, part.entries or ())):
            self.missing.append(part)

    def lost(self) -> Lost | None:
        """Return what is lost of the table, as exactly as can be told; None if nothing is."""
        there = set(tables.row_ids(self.db.connection, self.table.name)) if not self.table.keyed else set()
        whole = sorted((one for one in self.listings if one.whole), key=lambda one: not one.trusted)
        # one that is empty where the table is not is none of its own
        told = next((one for one in whole if one.trusted or (self.missing and (one.lines or not self.taken))), None)
        if told is not None and not self.table.keyed:
            gone = told.rowids - there - self._aside
            return Lost(table=self.table.name, rows=len(gone), ids=_ranges(gone)) if gone else None
        if told is not None:
            rows = len(told.lines) - tables.count(self.db.connection, self.table.name) - len(self.damaged)
            return Lost(table=self.table.name, rows=rows) if rows > 0 else None
        if not self.missing and not self._torn:
            return None
        if self.table.keyed:
            return Lost(table=self.table.name, rows=None if self.missing else len(self._torn))
        between = [(part.above, part.up_to) for part in self.missing]
        ids = [((above if isinstance(above, int) else 0) + 1, up_to if isinstance(up_to, int) else None) for above, up_to in between]
        ids += [(rowid, rowid) for rowid in self._torn if rowid is not None]
        most = [last - first + 1 for first, last in ids if last is not None]
        return Lost(
            table=self.table.name,
            rows=max(sum(most) - self._adopted, 0) if len(most) == len(ids) else None,
            ids=tuple(sorted(ids, key=lambda one: one[0])),
        )

    def _is_listed(self, entry: Entry) -> bool:
        return any(listing.has(entry) for listing in self.listings)

    def _is_ours(self, entries: list[Entry]) -> bool:
        if any(listing.trusted for listing in self.listings):
            return any(map(self._is_listed, entries))
        return any(map(self.table.looks_like, entries))

    def _put(self, entries: list[Entry]) -> bool:
        """Put the rows of a page into the new file, or aside; return False for what is no page of this table's."""
        done = 0
        torn: list[int | None] = []
        refused: list[tuple[Entry, Row, str]] = []
        for entry in entries:
            if (row := self.table.row(entry)) is None:
                torn.append(entry.rowid)
                continue
            try:
                done += self._insert(row)
            except ConflictError as error:
                refused.append((entry, row, str(error.__cause__ or error)))
        if not done and not any(self._is_listed(entry) for entry in entries):
            return False
        self.taken += done
        self._torn += torn
        for entry, row, fault in refused:
            self._set_aside(entry, row, fault)
        return True

    def _insert(self, row: Row) -> bool:
        """Insert a row, unless there is one with its key; return whether it was.

        Raises:
            ConflictError: it cannot be read, or holds what no row of the table may hold.
        """
        if any(isinstance(value, Garbled) for value in row):
            raise ConflictError(NO_UTF_8)
        if any(map(is_zeroed, row)):
            raise ConflictError(ZEROED)
        with self.db.translated():
            return tables.insert_row(self.db.connection, self.table.name, self.table.names(row), row)

    def _set_aside(self, entry: Entry, row: Row, fault: str) -> None:
        held = dict(zip(self.table.names(row), row, strict=True))
        called = " of ".join(f"{name} {held.get(name)!r}" for name in self.table.key) or f"rowid {entry.rowid}"
        owner = held.get("user_id")
        one = Damage(table=self.table.name, row=called, user_id=owner if isinstance(owner, str) else None, fault=fault)
        print(f"-- {one.table}, {one.row}: {fault}".replace("\n", " "), file=self._file)
        print(tables.row_as_sql(self.table.name, self.table.names(row), row), file=self._file)
        self.damaged.append(one)
        self._aside.add(entry.rowid)


def salvage(pages: Pages, to: Path, aside: TextIO) -> tuple[list[Lost], list[Damage]]:
    """Put every row that can be read into a new file, with indexes made anew; return what was lost, and the rows written to `aside` as SQL.

    A page is a table's if it stands in its place in the table, and the table's indexes have rows of it; one that nothing leads to any
    more is if an index has its rows.

    Raises:
        SchemaError: there is no telling what the file held, or it is of a newer version.
        StoreError: the new file cannot be written.
    """
    if pages.application_id not in (None, driver.APPLICATION_ID):
        raise SchemaError("it is of another program")
    objects = _objects(pages)
    if not {"facts", "turns", "meta"} <= objects.keys():
        raise SchemaError("where its tables begin cannot be read any more")
    version = _version(pages, objects)
    tables.make(to, version=version, page_size=pages.size)
    db = Database(to)
    try:
        with db.untriggered(), db.transaction():
            ours = {table.name for table in _tables(db, ())}
            lost = [Lost(table=name) for name in _make_what_is_of_others(db, objects, "table")]
            copies = _copy(db, pages, objects, aside, ours)
            lost += [told for copy in copies if (told := copy.lost()) is not None]
            _make_what_is_of_others(db, objects, "index", "view", "trigger")
            db.run("meta.put", name="schema_version", value=str(version))
            db.run("mend.dimension", sql=objects["facts_vec"].sql if "facts_vec" in objects else None)
    finally:
        db.close()
    return lost + _finish(to), [damage for copy in copies for damage in copy.damaged]


def is_needed(db: Database, pages: Pages) -> bool:
    """Whether pages of a file are not what should stand in their places; an index that is out of order is made anew without that."""
    for tree in db.all("mend.trees"):
        most = int(str(tree["columns"]))
        for part in pages.parts(int(str(tree["root"])), keyed=bool(tree["keyed"]), plain=bool(tree["plain"])):
            if any(len(entry.values) > most for entry in part.entries or ()):
                return True
            entries = part.entries if tree["of"] == "table" else []
            if entries is None or any(entry.torn and not (entry.blank and tree["roomy"]) for entry in entries):
                return True
    return False


def _objects(pages: Pages) -> dict[str, Object]:
    """The file's tables and indexes by name; where some cannot be read any more and all others begin where a new file's do, so do these."""
    objects = {one.name: one for one in pages.schema() or ()}
    new = {name: Object(kind, name, root, None) for kind, name, root in tables.objects_of_a_new_file()}
    known = [name for name in new if name in objects]
    if len(known) >= _ENOUGH and all(objects[name].root == new[name].root for name in known):
        return new | objects
    return objects


def _version(pages: Pages, objects: dict[str, Object]) -> int:
    """Which version the file is of: what it says itself, or today's if it looks like that."""
    for part in pages.parts(objects["meta"].root, keyed=True):
        for name, value in (entry.values for entry in part.entries or () if len(entry.values) == 2 and not entry.torn):
            if name == "schema_version" and isinstance(value, str) and value.isdecimal() and int(value):
                if int(value) > driver.SCHEMA_VERSION:
                    raise SchemaError(f"it has schema version {value}, newer than the {driver.SCHEMA_VERSION} known here; upgrade memdb")
                return int(value)
    if not tables.is_todays({one.name: one.sql for one in objects.values() if one.kind == "table" and one.sql is not None}):
        raise SchemaError("of which version it is cannot be read any more")
    return driver.SCHEMA_VERSION


def _copy(db: Database, pages: Pages, objects: dict[str, Object], aside: TextIO, ours: Collection[str]) -> list[_Copy]:
    """Copy each table: what stands in its place, then what nothing leads to any more; and tell of which table other pages are missing."""
    copies = [_Copy(db, table, list(islice(_listings(pages, objects, table), _LISTINGS)), aside) for table in _tables(db, ours)]
    used: set[int] = set()
    for copy in copies:
        used |= _in_place(db, copy, pages, objects.get(copy.table.name))
    for copy in copies:
        if copy.missing and any(listing.lines for listing in copy.listings):
            for page in range(2, pages.count + 1):
                part = pages.part(page, keyed=copy.table.keyed, plain=copy.table.plain) if page not in used else None
                if part is not None and copy.adopt(part):
                    used.add(page)
    used |= _in_other_trees(db, pages, objects)
    left = [page for page in range(2, pages.count + 1) if page not in used]
    for page, keyed in product(left, (False, True)):
        if (part := pages.part(page, keyed=keyed)) is not None and part.entries:
            for copy in copies:
                if copy.table.keyed is keyed:
                    copy.misses(part)
    return [copy.made_up() for copy in copies]


def _in_place(db: Database, copy: _Copy, pages: Pages, told: Object | None) -> set[int]:
    """Copy what stands in the place of a table, and return on which pages that is; `told` is where it begins in the old file."""
    table, used = copy.table, set[int]()
    with db.translated():
        usual = tables.keep_rows(db.connection, table.name)
    if told is not None:
        for listing in copy.listings:
            entries = _entries(pages.parts(told.root, keyed=table.keyed, plain=table.plain))
            listing.trusted = listing.whole and any(map(listing.has, entries))
        used.update(part.page for part in pages.parts(told.root, keyed=table.keyed, plain=table.plain) if copy.take(part))
    if not copy.missing and (told is None or (usual and not copy.taken)):
        copy.missing.append(Part(0, None, None, None))
    return used


def _in_other_trees(db: Database, pages: Pages, objects: dict[str, Object]) -> set[int]:
    """The pages of indexes, and of what is made anew, as far as their lines may be of these."""
    trees = {str(tree["name"]): tree for tree in db.all("mend.trees")}
    columns = {name: int(str(tree["columns"])) for name, tree in trees.items()}
    copied = {table.name for table in _tables(db, ())}
    return {
        part.page
        for one in objects.values()
        if one.root and one.name not in copied
        for keyed in ((True,) if one.kind == "index" else (False, True))
        for part in pages.parts(one.root, keyed=keyed, plain=one.name not in trees or bool(trees[one.name]["plain"]))
        if part.entries and all(len(entry.values) == columns.get(one.name, len(entry.values)) for entry in part.entries)
    }


def _entries(parts: Iterable[Part]) -> Iterator[Entry]:
    return (entry for part in parts for entry in part.entries or ())


def _listings(pages: Pages, objects: dict[str, Object], table: _Table) -> Iterator[_Listing]:
    for index in table.indexes:
        if index.name in objects:
            yield _Listing(table, index, pages.parts(objects[index.name].root, keyed=True, plain=index.plain))


def _tables(db: Database, ours: Collection[str]) -> list[_Table]:
    """The tables of the new file whose rows are copied: all but those that follow from others. `ours` are those that are no one else's."""
    columns: dict[str, list[dict[str, object]]] = {}
    for column in db.all("mend.columns"):
        columns.setdefault(str(column["table"]), []).append(dict(column))
    indexes: dict[str, dict[str, _Index]] = {}
    for line in db.all("mend.indexes"):
        of_table = indexes.setdefault(str(line["table"]), {})
        index = of_table.get(str(line["index"]), _Index(str(line["index"]), (), True))
        named = None if line["column"] is None else str(line["column"])
        of_table[index.name] = _Index(index.name, (*index.columns, named), index.plain and bool(line["plain"]))
    found: list[_Table] = []
    for name, told in columns.items():
        keyed = bool(told[0]["keyed"])
        key = sorted((column for column in told if column["pk"]), key=lambda column: int(str(column["pk"])))
        alias = key[0] if not keyed and len(key) == 1 and key[0]["type"] == "INTEGER" else None
        added, shapes = tables.added_columns(), _SHAPES if name in ours else ()
        ordered = [*key, *(column for column in told if not column["pk"])] if keyed else told
        found.append(
            _Table(
                name,
                keyed,
                bool(told[0]["plain"]),
                tuple(
                    _Column(
                        name=str(one["name"]),
                        type=str(one["type"]),
                        required=bool(one["required"]) and one is not alias,
                        may_lack=(name, str(one["name"])) in added,
                        is_rowid=one is alias,
                        shape=next((shape for names, shape in shapes if names.fullmatch(f"{name}.{one['name']}")), None),
                    )
                    for one in ordered
                ),
                tuple(str(one["name"]) for one in key),
                tuple(indexes.get(name, {}).values()),
            )
        )
    return found


def _make_what_is_of_others(db: Database, objects: dict[str, Object], *kinds: str) -> list[str]:
    """Make what somebody had made of their own in the old file; return the names of what cannot be."""
    ours = {str(row["name"]) for row in db.all("mend.objects")}
    failed = []
    for one in objects.values():
        if one.kind not in kinds or one.name in ours or one.name.startswith(("sqlite_", "facts_vec", "facts_fts")):
            continue
        if not tables.can_make(db.connection, one.sql):
            failed.append(one.name)
    return failed


def _finish(path: Path) -> list[Lost]:
    """Bring the new file up to date, take out what refers to rows that were lost, and make what follows from the rows."""
    store = Store(path, Config(), vectors=None)
    try:
        db = store.database()
        db.run("mend.no_embedder")
        embedder = store.embedder()
        if embedder is not None:
            store.equip(vectors=True)
        with db.untriggered(), db.transaction():
            if embedder is not None:
                db.make_index(embedder[1])
            lost = [Lost(table=told.removeprefix("mend.no_"), rows=rows) for told in _WITHOUT_ROWS if (rows := db.run(told))]
            for statement in ("mend.no_vectors", "mend.wanted", "mend.no_words", "mend.words"):
                db.run(statement)
            tell_meanings(db)
            tell_clocks(db, Config().zone)
        db.checkpoint()
    finally:
        store.close()
    return lost


def _ranges(ids: set[int]) -> tuple[tuple[int, int | None], ...]:
    """Ids as ranges, from first to last."""
    found: list[list[int]] = []
    for one in sorted(ids):
        if found and found[-1][1] == one - 1:
            found[-1][1] = one
        else:
            found.append([one, one])
    return tuple((first, last) for first, last in found)
