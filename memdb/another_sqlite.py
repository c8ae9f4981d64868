"""Python's own SQLite beside memdb's in one process: neither sees the other's locks on a file, and what either writes damages it."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit
from weakref import WeakKeyDictionary

log = logging.getLogger("memdb")

File = tuple[int, int]
_open: WeakKeyDictionary[object, tuple[Path, File, int]] = WeakKeyDictionary()  # with the process: what it forks has not opened them


def watch(holder: object, path: Path, file: File) -> None:
    """Warn from here on whenever `sqlite3` opens this file, until `holder` is gone or lets go of it."""
    _open[holder] = path, file, os.getpid()
    _listen()


def let_go(holder: object) -> None:
    """Say that a file is not open any more."""
    _open.pop(holder, None)


@cache
def _listen() -> None:
    """Have Python tell what `sqlite3` opens; there is no other way to know it, and none to end that again."""
    sys.addaudithook(_heed)


def _heed(event: str, arguments: tuple[object, ...]) -> None:
    if event != "sqlite3.connect" or not _open:
        return
    opened = _file_of(arguments[0])
    with suppress(RuntimeError):  # another thread opens or closes a memory at this moment
        for path, file, process in list(_open.values()):
            if (file, process) == (opened, os.getpid()):
                log.warning("sqlite3 opens %s beside memdb in one process, which damages it; use apsw, or another process", path)
                break


def _file_of(database: object) -> File | None:
    """Which file is meant, by its path or by an address such as file:mem.db?mode=ro."""
    if not isinstance(database, (str, bytes, os.PathLike)):
        return None
    path = os.fsdecode(database)
    for one in (path, unquote(urlsplit(path).path) if path.startswith("file:") else path):
        with suppress(OSError, ValueError):
            found = os.stat(one)
            return found.st_dev, found.st_ino
    return None
