"""What a fork of the process takes: no thread within SQLite or an import at that moment, and no connection that the child goes on with.

A thread that holds one of SQLite's own locks is not there in the child, which would wait for it for ever, even where it does no more than
end. What a thread has begun to import nobody ends there. And a connection that came along relies on locks of the parent's on the file.
"""

from __future__ import annotations

import logging
import os
from threading import Lock, RLock
from time import monotonic
from typing import Protocol
from weakref import WeakSet

log = logging.getLogger("memdb")

_PATIENCE_SECONDS = 60.0


class Forkable(Protocol):
    """A connection, used with its lock held from the first line of what belongs together to the last."""

    lock: RLock

    @property
    def writing(self) -> bool:
        """Whether a transaction has begun and is not over."""

    def close(self) -> None:
        """End it; with no transaction begun, that touches nothing of the file."""


gate = RLock()
"""Held while a connection is begun or ended; who holds it takes no other lock."""

imports = RLock()
"""Held while a thread in the background may import something, which others may take their time for."""

_forking = Lock()
_watched: WeakSet[Forkable] = WeakSet()
_locked: list[RLock] = []
_held: set[Forkable] = set()
_busy: set[Forkable] = set()  # writing for longer than there is patience: left alone in the child, and never ended there


def watch(one: Forkable) -> None:
    """Have forks wait for it; to be called with the gate held."""
    _watched.add(one)


def _before() -> None:
    _forking.acquire()
    deadline = monotonic() + _PATIENCE_SECONDS
    if imports.acquire(timeout=_PATIENCE_SECONDS):
        _locked.append(imports)
    while True:
        gate.acquire()
        new = set(_watched) - _held - _busy
        if not new:
            break
        gate.release()  # whoever is at work may have to begin a connection, or to end one
        for one in new:
            quiet = one.lock.acquire(timeout=max(deadline - monotonic(), 0))
            (_held if quiet else _busy).add(one)
            if quiet and one.writing:  # in this very thread
                _busy.add(one)
    if _busy:
        log.warning("this process is forked while a memory is written; do not use memdb in the one that comes of it")


def _in_parent() -> None:
    _busy.clear()
    _release()


def _in_child() -> None:
    for one in _held - _busy:
        one.close()
    _release()


def _release() -> None:
    for one in _held:
        one.lock.release()
    _held.clear()
    gate.release()
    for lock in _locked:
        lock.release()
    _locked.clear()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
