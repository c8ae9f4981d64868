"""What erased rows left behind elsewhere in the file, overwritten: copies from when they were moved from page to page.

`secure_delete` leaves them. No row changes, so they are overwritten past the log, which has to be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import apsw

from memdb.database import Database
from memdb.remains import TREES, is_told_apart, remains
from memdb.segments import merge_erased

_LOG_WAIT = 0.02  # seconds
_PAGES_AT_ONCE = 256


def overwrite_remains(db: Database, *, patience: float = 0.0) -> bool:
    """Overwrite what erased rows left behind, if that is still to be done; return whether it was.

    Before that, their words leave the full-text index. Where others read, or write, for longer than `patience` seconds, it stays to be
    done. A file that somebody has given `auto_vacuum` or bytes of their own on each page is left as it is.

    Raises:
        StoreError: the file cannot be read or written.
    """
    if db.file is None or not db.all("forget.overwrites"):  # in memory, it goes with the memory
        return False
    while merge_erased(db):
        pass
    db.move_log()  # others may write meanwhile, but not while it is emptied
    until = monotonic() + patience
    found: list[int] | None = None
    while True:
        if _emptied_log(db):
            if found is None:  # from then on there are no more such pages, and only overwriting them holds up writers
                found = _with_remains(db)
            with db.transaction():
                if not _log_size(db):
                    _overwrite(db, found)
                    db.run("forget.overwritten")  # any write has all others read the pages anew
                    return True
        if monotonic() >= until:
            return False
        sleep(_LOG_WAIT)


def _emptied_log(db: Database) -> bool:
    """Move the log into the file and empty it, unless somebody reads or writes: whoever waits for that holds up all writers."""
    usual = db.patience.seconds
    db.patience.seconds = _LOG_WAIT
    try:
        db.checkpoint()
    finally:
        db.patience.seconds = usual
    return not _log_size(db)


def _log_size(db: Database) -> int:
    log = Path(f"{db.path}-wal")
    return log.stat().st_size if log.exists() else 0


def _with_remains(db: Database) -> list[int]:
    """Where in the file the pages begin that hold such copies."""
    size, found = db.setting("page_size"), []
    with _file(db) as file:
        end = file.xFileSize()
        for start in range(0, end, size * _PAGES_AT_ONCE):
            pages = file.xRead(min(size * _PAGES_AT_ONCE, end - start), start)
            likely = [at for at in range(0, len(pages), size) if pages[at] in TREES or not start + at]  # the first has a header before it
            found += [start + at for at in likely if any(remains(pages[at : at + size], first=not start + at))]
    return found


def _overwrite(db: Database, found: Sequence[int]) -> None:
    size = db.setting("page_size")
    with _file(db) as file:
        end = file.xFileSize()
        if is_told_apart(file.xRead(size, 0), end // size):
            for start in found:
                if start < end:  # nobody has made the file shorter meanwhile
                    for begins, ends in remains(file.xRead(size, start), first=not start):
                        file.xWrite(bytes(ends - begins), start + begins)
            file.xSync(apsw.SQLITE_SYNC_NORMAL)
        db.connection.execute("pragma shrink_memory")  # this connection is to read the pages anew, too


@contextmanager
def _file(db: Database) -> Iterator[apsw.VFSFile]:
    """SQLite's own way to the file: closing another one would give up the locks that this process holds on it."""
    with db.translated():
        file = apsw.VFSFile("", str(db.path.resolve()), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0])
        try:
            yield file
        finally:
            file.xClose()
