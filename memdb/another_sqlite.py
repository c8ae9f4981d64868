"""Python's own SQLite beside memdb's in one process: the system keeps locks for the process, so that neither sees the other's on a file.

What Python's opens is kept open there as well, by a guard. So no connection of it that is closed takes itself for the last, which would
delete the log that memdb writes, and drop the locks that memdb holds; and by the guard's lock the writers of both wait for each other.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Protocol
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from memdb import forking
from memdb.errors import BusyError

log = logging.getLogger("memdb")

File = tuple[int, int]
_LOG_PAGES = 500  # how long the log gets, if nobody reads: at 1,000 any connection of Python's would move it, whoever of memdb's reads
_LONG_LOG_PAGES = 4_000  # and if somebody always does
_PATIENCE_SECONDS = 5.0  # for what the other threads are at


class Movable(Protocol):
    """A connection as the driver has it, whose log can be moved into the file."""

    def wal_checkpoint(self) -> object:
        """Move it as far as readers allow."""


class Holder(Protocol):
    """A connection of memdb's own, used with its lock held from the first line of what belongs together to the last."""

    path: Path
    file: File | None
    guard: Guard | None
    lock: threading.RLock

    @property
    def at_rest(self) -> bool:
        """Whether it neither reads nor writes."""

    def heed_guard(self, guard: Guard) -> None:
        """Write and move the log by this guard from here on, and let go of it when closed."""


class Guard:
    """A connection of Python's SQLite to a file that memdb has open, kept until all of memdb's are closed: then it ends the log itself.

    Unless, that is, another one of Python's is open still, or another process has the file open.
    """

    def __init__(self, path: str, file: File) -> None:
        import sqlite3  # it is there: it has told of itself

        self._busy, self._error = sqlite3.SQLITE_BUSY, sqlite3.Error
        self._lock = threading.Lock()
        self._file, self._pages, self._process = file, 0, os.getpid()
        self._connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
        had = _size(f"{path}-shm")
        self._connection.execute("pragma schema_version").fetchall()  # from here on it holds its locks, and those of all in the process
        if _size(f"{path}-shm") < had:  # it takes itself for the first, and makes anew what it knows of; memdb goes by more
            os.truncate(f"{path}-shm", had)  # by name: to open and close it would drop the locks
        self._connection.execute("pragma busy_timeout = 0")

    def __del__(self) -> None:
        if not hasattr(self, "_connection"):
            return
        if self._process != os.getpid():  # the locks are the parent's, and its threads may have been within SQLite
            _of_parents.append(self._connection)
            return
        with suppress(self._error):
            self._connection.close()

    @contextmanager
    def alone(self, path: Path, patience: Callable[[int], bool]) -> Iterator[None]:
        """Keep Python's SQLite from writing; `patience` says whether to look again, after so many looks.

        Raises:
            BusyError: it is writing for longer than there is patience.
        """
        looks = 0
        while not self._taken():
            if not patience(looks):
                raise BusyError(f"{path} is locked by another thread, or by sqlite3 in this process; try again, or raise busy_timeout_ms.")
            looks += 1
        try:
            yield
        finally:
            try:
                with suppress(self._error):
                    if self._connection.in_transaction:
                        self._connection.execute("rollback")
                    if self._pages >= _LOG_PAGES:
                        self._move()
            finally:
                self._lock.release()

    def heed(self, connection: Movable, _name: str, pages: int) -> int:
        """Take in how long the log is, as SQLite tells it after each of memdb's transactions."""
        self._pages = pages
        if pages >= _LONG_LOG_PAGES:
            connection.wal_checkpoint()
        return 0

    def move_log(self) -> None:
        """Move the log into the file, as far as readers allow."""
        if self._lock.acquire(timeout=_PATIENCE_SECONDS):
            try:
                with suppress(self._error):
                    self._move()
            finally:
                self._lock.release()

    def _move(self) -> None:
        """Have Python's SQLite move the log: it heeds who reads by itself, and nobody may read by memdb's. Two at once would do harm."""
        with ExitStack() as held:
            for one in _holders(self._file):
                if not one.lock.acquire(blocking=False):
                    return
                held.callback(one.lock.release)
                if not one.at_rest:
                    return
            self._connection.execute("pragma wal_checkpoint(passive)").fetchall()
            self._pages = 0

    def _taken(self) -> bool:
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._connection.execute("begin immediate")
        except self._error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == self._busy:
                self._lock.release()
                return False
        except BaseException:
            self._lock.release()
            raise
        return True  # also where the file cannot be written: by neither


_open: WeakSet[Holder] = WeakSet()
_seen: set[File] = set()  # what Python's SQLite has opened beside memdb, and may have open still
_of_parents: list[object] = []  # guards that a process got from the one that forked it, never to be closed here
_thread = threading.local()


def watch(holder: Holder) -> None:
    """Have a guard wherever `sqlite3` opens the file that `holder` has open; to be called with the gate held, before it is read."""
    _listen()
    guard = next((one.guard for one in _open if one.file == holder.file and one.guard is not None), None)
    if guard is None and holder.file in _seen:
        guard = _new_guard(holder)
    if guard is not None:
        holder.heed_guard(guard)
    _open.add(holder)


def let_go(holder: Holder) -> None:
    """Say that a connection is closed; to be called with the gate held."""
    _open.discard(holder)


@cache
def _listen() -> None:
    """Have Python tell what `sqlite3` opens; there is no other way to know it, and none to end that again."""
    sys.addaudithook(_heed)


def _heed(event: str, arguments: tuple[object, ...]) -> None:
    if event != "sqlite3.connect" or not _open or getattr(_thread, "opens_guard", False):
        return
    opened = _file_of(arguments[0])
    if opened is None or all(one.guard is not None for one in _holders(opened)):
        return
    with _at_rest(opened) as holders:
        unguarded = [one for one in holders if one.guard is None]
        if not unguarded:  # another thread was first
            return
        _seen.add(opened)
        guard = _new_guard(unguarded[0])
        if guard is not None:
            for one in unguarded:
                one.heed_guard(guard)
    if guard is None:
        log.warning("sqlite3 opens %s beside memdb in one process, which may damage it; use apsw, or another process", unguarded[0].path)


def _new_guard(holder: Holder) -> Guard | None:
    _thread.opens_guard = True
    try:
        path = os.path.realpath(holder.path)
        return Guard(path, holder.file) if holder.file is not None and _file_of(path) == holder.file else None
    except Exception:  # where the file cannot be opened so, `sqlite3` will tell who wants to
        return None
    finally:
        _thread.opens_guard = False


def _holders(file: File) -> list[Holder]:
    with forking.gate:
        return [one for one in _open if one.file == file]


@contextmanager
def _at_rest(file: File) -> Iterator[list[Holder]]:
    """Have no thread within memdb's SQLite with this file, unless it takes too long: what they know of the log is about to be made anew."""
    deadline = monotonic() + _PATIENCE_SECONDS
    asked: set[Holder] = set()
    with ExitStack() as held:
        while True:
            with forking.gate:
                holders = _holders(file)
                new = set(holders) - asked
                if not new:
                    yield holders
                    return
            for one in new:  # without the gate: whoever is at work may have to begin a connection, or to end one
                if one.lock.acquire(timeout=max(deadline - monotonic(), 0.0)):
                    held.callback(one.lock.release)
            asked |= new


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.clear)  # the connections are the parent's
