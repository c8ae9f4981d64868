"""What SQLite's driver tells of a file: whether it is a mem.db, of which version, whether it is still there, and what its errors mean."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from memdb import files
from memdb.disk import too_many_error
from memdb.errors import BusyError, ConflictError, InputError, MdbError, SchemaError, StoreError

APPLICATION_ID = 0x6D656D64  # "memd": tells a mem.db from any other SQLite file
SCHEMA_VERSION = files.schema_version()
_PAGES_AT_ONCE = 1024
_ADDED = re.compile(r"\balter table (\w+) add column (\w+)")
_THERE_IS_ONE = (apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID, apsw.SQLITE_CONSTRAINT_UNIQUE)


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


def drop_index(connection: apsw.Connection, name: str) -> None:
    """Drop an index."""
    connection.execute(f"drop index {_quoted(name)}")


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
    """Whether tables, given by their names with the SQL that makes them, are as in a new file, and all of those are there."""
    new, told = fresh(), apsw.Connection(":memory:")
    ours = [str(name) for (name,) in new.execute("select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'")]
    try:
        for name in ours:
            if name in tables and not name.startswith("facts_fts"):
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


def _columns(connection: apsw.Connection, table: str) -> list[str]:
    return [_quoted(str(name)) for (name,) in connection.execute("select name from pragma_table_info(?)", (table,))]


def _are(named: Iterable[str]) -> str:
    return " and ".join(f"cast({_quoted(name)} as blob) = ?" for name in named)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: apsw.SQLiteValue, is_text: object) -> str:
    if not is_text or not isinstance(value, bytes):
        return apsw.format_sql_value(value)
    try:
        return apsw.format_sql_value(value.decode())
    except UnicodeDecodeError:
        return f"cast({apsw.format_sql_value(value)} as text)"


def first(connection: apsw.Connection, sql: str) -> object:
    """Return the first value of the first row, or None."""
    rows = connection.execute(sql).fetchall()
    return rows[0][0] if rows else None


def check_version(connection: apsw.Connection, path: Path) -> int:
    """Return the file's schema version, 0 for an empty file; refuse any file that is not a mem.db of a version known here."""
    application_id = first(connection, "pragma application_id")
    tables = first(connection, "select 1 from sqlite_schema limit 1")
    if not tables and application_id in (0, APPLICATION_ID):
        return 0
    if application_id != APPLICATION_ID:
        raise SchemaError(f"{path} is an SQLite database of another program; give the path of a mem.db or of a new file.")
    try:
        version = int(str(first(connection, "select value from meta where name = 'schema_version'")))
        if version < 1:
            raise ValueError(version)
    except (ValueError, apsw.SQLError) as error:
        raise SchemaError(f"{path} is marked as a mem.db but tells no schema version; restore a copy of it.") from error
    if version > SCHEMA_VERSION:
        raise SchemaError(f"{path} has schema version {version}, newer than the {SCHEMA_VERSION} known here; upgrade memdb to open it.")
    return version


def file_at(path: Path) -> tuple[int, int] | None:
    """Which file lies at a path, None if there is none, or it is in memory."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def moved_error(path: Path) -> StoreError:
    """The error to raise where a file is not the one any more that was opened."""
    return StoreError(f"{path} was moved, deleted or replaced while it was open, so nothing was written; close it and open it again.")


def damaged_error(path: Path, detail: str) -> StoreError:
    """The error to raise where a file holds what it cannot hold."""
    damage = StoreError(f"{path} is damaged ({detail}); restore a copy, or have what can still be read saved with `memdb check --repair`.")
    damage.damaged = True
    return damage


def row_error(path: Path, detail: str, *, user_id: str | None = None) -> StoreError:
    """The error to raise where a row holds what it cannot hold; all others are as they were, so that who does not need it goes on.

    `user_id` is whose row is named, if it is anybody's.
    """
    error = StoreError(
        f"A row of {path} is damaged ({detail}); restore a copy, or set it aside with `memdb check --repair`. "
        f"`memdb check` lists what is damaged."
    )
    error.user_id = user_id
    return error


def _full_error(path: Path) -> StoreError:
    return StoreError(f"The disk that holds {path} is full; nothing of this write was kept, so free some space and repeat it.")


def closed_error(path: Path) -> StoreError:
    """The error to raise where a memory is used after it was closed."""
    return StoreError(f"The memory {path} is closed; open it again with memdb.open().")


def _barred(path: Path) -> str | None:
    """What lies beside a file that can be written and bars it from that: SQLite gives it the file's permissions of when it was made."""
    beside = [f"{path}{suffix}" for suffix in ("-wal", "-shm")]
    return next((name for name in beside if os.access(path, os.W_OK) and os.path.exists(name) and not os.access(name, os.W_OK)), None)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn the driver's errors about files made beside a memory into memdb's."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error


def translate(error: Exception, path: Path) -> MdbError:
    """Return the driver's error in memdb's words: what happened, to which file, and what to do."""
    detail = str(error)
    match error:
        case UnicodeEncodeError():
            return InputError(f"A text holds half a surrogate pair at position {error.start}; decode it properly first.")
        case OverflowError():
            return InputError("A number is larger than any that the file can hold; give a smaller one.")
        case apsw.ConnectionClosedError() | apsw.ThreadingViolationError():
            return closed_error(path)
        case apsw.BusyError() | apsw.LockedError():
            return BusyError(f"{path} is locked by another process; try again, or raise busy_timeout_ms.")
        case apsw.NotADBError():
            return SchemaError(f"{path} is not an SQLite database; give the path of a mem.db or of a new file.")
        case apsw.ConstraintError():
            return ConflictError(f"{path} refused the write ({detail}); nothing was changed.")
        case apsw.FullError():
            return _full_error(path)
        case apsw.IOError() if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_SHMSIZE:
            return _full_error(path)
        case apsw.ReadOnlyError() if barred := _barred(path):
            return StoreError(f"{path} cannot be written as long as {barred} cannot; make that writable, too.")
        case apsw.ReadOnlyError():
            return StoreError(f"{path} cannot be written; make the file and its folder writable, or work on a copy of it elsewhere.")
        case apsw.CantOpenError() if too_many := too_many_error(path):
            return too_many
        case apsw.CantOpenError() if os.path.isdir(path):
            return StoreError(f"{path} is a folder; give the path of a file in it, such as {path / 'mem.db'}.")
        case apsw.CantOpenError():
            return StoreError(f"{path} cannot be opened; check that its folder exists and that both may be read and written.")
        case apsw.CorruptError():
            return damaged_error(path, detail)
        case UnicodeDecodeError():
            return damaged_error(path, "a text in it is no UTF-8")
        case apsw.IOError() if os.path.exists(path) and not os.path.isfile(path):
            return StoreError(f"{path} is a device or a pipe, not a file; give the path of a file.")
        case apsw.IOError():
            return StoreError(f"Reading or writing {path} failed ({detail}); check the disk, then repeat the call.")
        case _:
            return StoreError(f"{path}: {detail}.")
