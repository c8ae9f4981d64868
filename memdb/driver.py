"""What SQLite's driver tells of a file: whether it is a mem.db, of which version, whether it is still there, and what its errors mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memdb import files
from memdb.disk import too_many_error
from memdb.errors import BusyError, ConflictError, InputError, MdbError, SchemaError, StoreError

APPLICATION_ID = 0x6D656D64  # "memd": tells a mem.db from any other SQLite file
SCHEMA_VERSION = files.schema_version()
_LACKING = re.compile(r"^no such (table|index|column)\b|\bbecause it is a view$")
_INDEXED = ("facts_fts", "facts_vec")  # whose own tables have names that begin so
NO_UTF_8 = "a text in it is no UTF-8"
"""What is wrong with a row of which no text can be read."""
ZEROED = "a text in it has a run of zeros, as what was lost on a disk reads"
"""What is wrong with a row that is whole but for that."""


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


def check_tables(connection: apsw.Connection, path: Path) -> None:
    """Refuse a mem.db with a view in place of one of its tables: such a view may have no end, and whoever reads it would never return."""
    views = {str(name).lower() for (name,) in connection.execute("select name from sqlite_schema where type = 'view'")}
    instead = sorted(name for name in views if name in files.table_names() or name.startswith(_INDEXED))
    if instead and first(connection, "pragma application_id") == APPLICATION_ID:
        told = f"{path} has a view in place of the table {instead[0]}, which nothing is read of; restore a copy"
        raise SchemaError(f"{told}, or have what can still be read saved with `memdb check --repair`.")


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
    error = StoreError(f"The disk that holds {path} is full; nothing of this write was kept, so free some space and repeat it.")
    error.full = True
    return error


def _failing_error(path: Path, detail: str) -> StoreError:
    error = StoreError(f"Reading or writing {path} failed ({detail}); check the disk, then repeat the call.")
    error.failing = True
    return error


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
        case apsw.IOError() | apsw.FullError() if os.path.exists(path) and not os.path.isfile(path):
            return StoreError(f"{path} is a device or a pipe, not a file; give the path of a file.")
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
            return damaged_error(path, NO_UTF_8)
        case apsw.SQLError() if _LACKING.search(detail):
            return StoreError(f"{path} lacks something of memdb's own ({detail}); have it made anew with `memdb check --repair`.")
        case apsw.IOError():
            return _failing_error(path, detail)
        case _:
            return StoreError(f"{path}: {detail}.")
