"""The tables of a file as SQLite has them, whosever they are: rows taken out, put in, or written as SQL; files made and copied whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from memdb import files
from memdb.driver import APPLICATION_ID, NO_UTF_8, SCHEMA_VERSION, ZEROED, first
from memdb.errors import ConflictError
from memdb.trees import is_zeroed

_PAGES_AT_ONCE = 1024
_LONGEST_RULE = 100  # characters, of one that is told
_OF_RULES = re.compile(r"'(?:[^']|'')*'|--[^\n]*|\bcheck\s*\(|[()]", re.IGNORECASE)
_BREAKS = re.compile(r"(?:CHECK constraint failed in|[\w-]+ value in) (\w+)")
_ADDED = re.compile(r"\balter table (\w+) add column (\w+)")
_THERE_IS_ONE = (apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID, apsw.SQLITE_CONSTRAINT_UNIQUE)


class NamedRow(NamedTuple):
    """A row by the values that name it, texts as bytes, and whose it is, if anybody's."""

    table: str
    key: Mapping[str, apsw.SQLiteValue]
    user_id: str | None

    @property
    def name(self) -> str:
        """What it is called, as far as that can be read."""
        return " of ".join(f"{name} {_readable(value)!r}" for name, value in reversed(list(self.key.items())))

    @property
    def named(self) -> dict[str, bytes]:
        """The values as bytes, all of them."""
        return {name: _bytes(value) for name, value in self.key.items()}


class Reference(NamedTuple):
    """Which columns of a table name rows of another table, by which of its columns; `goes`: a row goes with the one that it names."""

    table: str
    columns: tuple[str, ...]
    parent: str
    names: tuple[str, ...]
    goes: bool


def rows_as_sql(connection: apsw.Connection, table: str, named: Mapping[str, bytes]) -> list[str]:
    """Return the rows of a table that have these values in these columns, each as the SQL that writes it, to the byte."""
    columns = _columns(connection, table)
    shown = ", ".join(f"""iif(typeof({name}) = 'text', cast({name} as blob), {name}), typeof({name}) = 'text'""" for name in columns)
    rows = connection.execute(f"select {shown} from {_quoted(table)} where {_are(named)}", tuple(named.values())).fetchall()
    return [_written(table, columns, map(_literal, row[::2], row[1::2])) for row in rows]


def row_as_sql(table: str, names: Iterable[str], values: Iterable[apsw.SQLiteValue]) -> str:
    """Return the SQL that writes a row with these values; a text that is no UTF-8 comes as bytes of a class of its own."""
    return _written(table, map(_quoted, names), (_literal(value, type(value) not in (bytes, int, float)) for value in values))


def delete_rows(connection: apsw.Connection, table: str, named: Mapping[str, bytes]) -> int:
    """Delete the rows of a table that have these values in these columns, and return how many there were."""
    connection.execute(f"delete from {_quoted(table)} where {_are(named)}", tuple(named.values()))
    return connection.changes()


def drop(connection: apsw.Connection, kind: str, name: str) -> None:
    """Drop an index, a view or a trigger, if it is there: a trigger goes with the view that it is of."""
    connection.execute(f"drop {kind} if exists main.{_quoted(name)}")


def insert_row(connection: apsw.Connection, table: str, names: Iterable[str], values: Sequence[apsw.SQLiteValue]) -> bool:
    """Insert a row, unless there is one with its key; return whether it was."""
    columns, places = ", ".join(map(_quoted, names)), ", ".join("?" * len(values))
    try:
        connection.execute(f"insert into {_quoted(table)} ({columns}) values ({places})", tuple(values))
    except apsw.ConstraintError as error:
        if getattr(error, "extendedresult", None) in _THERE_IS_ONE:
            return False
        raise
    except apsw.SQLError as error:  # such as of JSON that an index is to be made of and that is none
        raise ConflictError(f"{table} refused the row ({error}).") from error
    return True


def count(connection: apsw.Connection, table: str) -> int:
    """Return how many rows a table has."""
    return int(str(first(connection, f"select count(*) from {_quoted(table)}")))


def row_ids(connection: apsw.Connection, table: str) -> Iterator[int]:
    """Go through the ids of a table's rows."""
    return (int(str(rowid)) for (rowid,) in connection.execute(f"select rowid from {_quoted(table)}"))


def keep_rows(connection: apsw.Connection, table: str) -> int:
    """Take a table's rows out of it, to be put back later; return how many there were."""
    connection.execute(f"create temp table {_quoted('kept ' + table)} as select * from main.{_quoted(table)}")
    connection.execute(f"delete from main.{_quoted(table)}")
    return connection.changes()


def put_back_rows(connection: apsw.Connection, table: str) -> None:
    """Put back those of a table's rows whose keys are not in it again."""
    connection.execute(f"insert or ignore into main.{_quoted(table)} select * from temp.{_quoted('kept ' + table)}")


def can_make(connection: apsw.Connection, sql: str | None) -> bool:
    """Make a table, an index, a view or a trigger by its SQL, if it can be."""
    try:
        if sql is None or sql.lower().startswith("create virtual"):
            return False
        connection.execute(sql)
    except apsw.SQLError:
        return False
    except apsw.ConstraintError:  # the rows that are left contradict a unique index
        return False
    return True


def copy_file(path: Path, to: Path) -> None:
    """Copy a file page by page, whatever is in it, to another one that is empty."""
    original, copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE), apsw.Connection(str(to))
    try:
        with copy.backup("main", original, "main") as pages:
            while not pages.done:
                pages.step(_PAGES_AT_ONCE)
    finally:
        copy.close()
        original.close()


@contextmanager
def overwriting(connection: apsw.Connection, by: Path) -> Iterator[Callable[[], None]]:
    """Hold the write lock on a file until it is overwritten by another one, all of it or nothing, which is when what is given is called.

    The connection itself is not to be used meanwhile. The other file is an empty one at first, and may be filled meanwhile.
    """
    other = apsw.Connection(str(by))
    try:
        other.execute(f"pragma page_size = {first(connection, 'pragma page_size')}; create table if not exists begun (a)")
        with connection.backup("main", other, "main") as pages:
            pages.step(0)

            def overwrite() -> None:
                while not pages.done:
                    pages.step(-1)

            yield overwrite
    finally:
        other.close()


def fresh() -> apsw.Connection:
    """Return a connection to a memory of its own with nothing in it but what every new one has."""
    connection = apsw.Connection(":memory:")
    connection.execute(files.schema())
    return connection


def objects_of_a_new_file() -> list[tuple[str, str, int]]:
    """Return the tables and indexes of a new file: which of the two, the name, and the page where it begins."""
    new = fresh()
    try:
        rows = new.execute("select type, name, rootpage from sqlite_schema where rootpage > 0").fetchall()
    finally:
        new.close()
    return [(str(kind), str(name), int(str(root))) for kind, name, root in rows]


def make(path: Path, *, version: int, page_size: int) -> None:
    """Make a file of a version, with nothing in it but what every new one of it has."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute(f"pragma page_size = {page_size}; drop table if exists begun; vacuum; pragma writable_schema = on; begin")
        for sql in [files.schema()] if version == SCHEMA_VERSION else [sql for number, sql in files.migrations() if number <= version]:
            connection.execute(sql)
        connection.execute("insert into meta (name, value) values ('schema_version', ?)", (str(version),))
        connection.execute(f"commit; pragma application_id = {APPLICATION_ID}")
    finally:
        connection.close()


def added_columns() -> set[tuple[str, str]]:
    """Return the tables and columns that came later, and that rows which are older may lack."""
    return {named for _, sql in files.migrations() for named in _ADDED.findall(sql)}


def garbled_rows(
    connection: apsw.Connection, table: str, *, texts: Iterable[str], key: Sequence[str], owned: bool
) -> list[tuple[NamedRow, str]]:
    """Return the rows of a table with a text in these columns that is none, and why; `owned` is whether it says whose they are.

    A run of zeros is no damage in a collection, which keeps whatever an application gives.
    """
    held = ", ".join(f"iif(typeof({name}) = 'text', {name}, null)" for name in map(_quoted, texts))
    rows = connection.execute(f"select cast(concat_ws(' ', {held}) as blob), {_naming(key, owned)} from main.{_quoted(table)}")
    kept = table.startswith("collection")
    return [(_named(table, key, named), fault) for text, *named in rows if (fault := _fault(text)) and not (kept and fault == ZEROED)]


def rows_against_rules(connection: apsw.Connection, table: str, *, key: Sequence[str], owned: bool) -> list[tuple[NamedRow, str]]:
    """Return the rows of a table that hold what its own rules keep out, and what is wrong; a row perhaps twice.

    A rule that cannot be asked, since a text is no JSON, is passed over: that row is told for it.
    """
    rules = _rules(connection, table)
    try:
        return _against(connection, table, rules, key=key, owned=owned)
    except apsw.SQLError:
        found: list[tuple[NamedRow, str]] = []
        for rule in rules:
            with suppress(apsw.SQLError):
                found += _against(connection, table, [rule], key=key, owned=owned)
        return found


def table_against_rules(line: str) -> str | None:
    """Return of which table a line of SQLite's own check says that a row holds what its rules keep out, if it is one that says so."""
    told = _BREAKS.fullmatch(line.partition(".")[0])
    return None if told is None else told[1]


def dangling_rows(
    connection: apsw.Connection, reference: Reference, *, key: Sequence[str], owned: bool
) -> list[tuple[NamedRow, dict[str, bytes]]]:
    """Return the rows that name one of another table which is not there, and what it would be named by."""
    meant = " and ".join(
        f"p.{_quoted(name)} = t.{_quoted(column)}" for column, name in zip(reference.columns, reference.names, strict=True)
    )
    told = ", ".join(f"cast({_quoted(column)} as blob)" for column in reference.columns)
    rows = connection.execute(
        f"select {told}, {_naming(key, owned)} from main.{_quoted(reference.table)} t where "
        + " and ".join(f"{_quoted(column)} is not null" for column in reference.columns)
        + f" and not exists (select 1 from main.{_quoted(reference.parent)} p where {meant})"
    )
    count = len(reference.columns)
    return [(_named(reference.table, key, row[count:]), dict(zip(reference.names, map(_bytes, row[:count]), strict=True))) for row in rows]


def is_named(connection: apsw.Connection, references: Sequence[Reference], table: str, named: Mapping[str, bytes]) -> bool:
    """Whether any row of another table names those of this one that have these values."""
    return any(
        connection.execute(f"select 1 from main.{_quoted(one.table)} where {_are(theirs)} limit 1", tuple(theirs.values())).fetchall()
        for one in references
        if one.parent == table
        for theirs in _naming_rows(connection, one, named)
    )


def dependents_as_sql(connection: apsw.Connection, references: Sequence[Reference], table: str, named: Mapping[str, bytes]) -> list[str]:
    """Return the rows that go with those of a table which have these values, and what goes with them, each as the SQL that writes it."""
    written: list[str] = []
    for one in references:
        if one.parent == table and one.goes:
            for theirs in _naming_rows(connection, one, named):
                written += rows_as_sql(connection, one.table, theirs)
                written += dependents_as_sql(connection, references, one.table, theirs)
    return written


def unreadable_tables(connection: apsw.Connection) -> list[str]:
    """Return the tables not even whose beginning can be read; SQLite's own check passes over some where another one's empty page stands."""
    found = []
    for (name,) in connection.execute("select name from pragma_table_list where schema = 'main' and type = 'table'").fetchall():
        try:
            connection.execute(f"select * from main.{_quoted(str(name))} limit 1").fetchall()
        except apsw.CorruptError:
            found.append(str(name))
    return found


def is_todays(tables: Mapping[str, str]) -> bool:
    """Whether tables, given by their names with the SQL that makes them, are as in a new file, as far as that has them."""
    new, told = fresh(), apsw.Connection(":memory:")
    ours = [str(name) for (name,) in new.execute("select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'")]
    try:
        for name in ours:
            if name in tables:
                told.execute(tables[name])
                if _columns(told, name) != _columns(new, name):
                    return False
    except apsw.SQLError:
        return False
    finally:
        new.close()
        told.close()
    return True


def _written(table: str, columns: Iterable[str], literals: Iterable[str]) -> str:
    return f"insert into {_quoted(table)} ({', '.join(columns)}) values ({', '.join(literals)});"


def _against(
    connection: apsw.Connection, table: str, rules: Iterable[tuple[str, str]], *, key: Sequence[str], owned: bool
) -> list[tuple[NamedRow, str]]:
    cases = " ".join(f"when {broken} then {apsw.format_sql_value(fault)}" for broken, fault in rules)
    rows = connection.execute(
        f"select fault, {_naming(key, owned)} from (select *, case {cases} end as fault from main.{_quoted(table)}) where fault is not null"
    )
    return [(_named(table, key, named), str(fault)) for fault, *named in rows]


def _rules(connection: apsw.Connection, table: str) -> list[tuple[str, str]]:
    """What breaks each rule of a table, as SQL, and what is told then."""
    found: list[tuple[str, str]] = []
    columns = connection.execute("select name, type, \"notnull\" or pk from pragma_table_info(?, 'main')", (table,)).fetchall()
    for name, kind, required in columns:
        if kind in ("INTEGER", "REAL", "TEXT", "BLOB"):
            types = [str(kind).lower(), *([] if required else ["null"])]
            broken = f"typeof({_quoted(str(name))}) not in ({', '.join(map(apsw.format_sql_value, types))})"
            found.append((broken, f"{name} is no {kind}"))
    sql = str(first(connection, f"select sql from sqlite_schema where type = 'table' and name = {apsw.format_sql_value(table)}"))
    depth, begins = 0, None
    for token in _OF_RULES.finditer(sql):
        if token[0][-1] == "(":
            depth += 1
            if token[0] != "(" and begins is None:
                begins = token.end(), depth
        elif token[0] == ")":
            if begins is not None and begins[1] == depth:
                rule = sql[begins[0] : token.start()]
                told = " ".join(rule.split())
                told = told if len(told) <= _LONGEST_RULE else f"{told[:_LONGEST_RULE]} …"
                found.append((f"not ({rule}\n)", f"it breaks the rule {told}"))
                begins = None
            depth -= 1
    return found


def _columns(connection: apsw.Connection, table: str) -> list[str]:
    return [_quoted(str(name)) for (name,) in connection.execute("select name from pragma_table_info(?)", (table,))]


def _are(named: Iterable[str]) -> str:
    return " and ".join(f"cast({_quoted(name)} as blob) = ?" for name in named)


def _naming_rows(connection: apsw.Connection, reference: Reference, named: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    """By which values other rows name those that have these values."""
    told = ", ".join(f"cast({_quoted(name)} as blob)" for name in reference.names)
    rows = connection.execute(f"select {told} from main.{_quoted(reference.parent)} where {_are(named)}", tuple(named.values())).fetchall()
    return [dict(zip(reference.columns, map(_bytes, row), strict=True)) for row in rows]


def _naming(key: Iterable[str], owned: bool) -> str:
    """The columns to ask for to name rows."""
    return ", ".join(
        ("cast(user_id as blob)" if owned else "null", *(f"iif(typeof({n}) = 'text', cast({n} as blob), {n})" for n in map(_quoted, key)))
    )


def _named(table: str, key: Sequence[str], row: Sequence[apsw.SQLiteValue]) -> NamedRow:
    """The row that these columns of it name."""
    owner, *values = row
    return NamedRow(table, dict(zip(key, values, strict=True)), None if owner is None else str(_readable(owner)))


def _bytes(value: apsw.SQLiteValue) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _readable(value: apsw.SQLiteValue) -> apsw.SQLiteValue:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _fault(text: apsw.SQLiteValue) -> str | None:
    """What is wrong with a text, as bytes, if anything is."""
    try:
        return ZEROED if isinstance(text, bytes) and is_zeroed(text.decode()) else None
    except UnicodeDecodeError:
        return NO_UTF_8


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: apsw.SQLiteValue, is_text: object) -> str:
    if not is_text or not isinstance(value, bytes):
        return apsw.format_sql_value(value)
    try:
        return apsw.format_sql_value(value.decode())
    except UnicodeDecodeError:
        return f"cast({apsw.format_sql_value(value)} as text)"
