"""What a fork of the process takes, and its end: no thread within SQLite, an import or a model at that moment.

A thread that holds one of SQLite's own locks is not there in the child, which would wait for it for ever, even where it does no more than
end. What a thread has begun to import, or counts with PyTorch, nobody ends there. And a connection that came along relies on locks of the
parent's on the file. Where Python ends, it stops every thread that asks for its lock: within PyTorch that ends the process with a crash.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, RLock, get_ident
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


class Foreign:
    """Any number of threads are within it at once, or wait while one has closed it to the others. Who is within may enter again."""

    def __init__(self) -> None:
        self._lock = RLock()  # taken by itself: Ctrl-C while a condition takes it would leave it taken
        self._condition = Condition(self._lock)
        self._within: dict[object, int] = {}
        self._closed_by: int | None = None

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Be within it, as soon as it is open."""
        me, entry = get_ident(), object()
        try:
            with self._lock:
                while self._closed_by not in (None, me) and me not in self._within.values():
                    self._condition.wait()
                self._within[entry] = me
            yield
        finally:
            with self._lock:
                self._within.pop(entry, None)
                self._condition.notify_all()

    def close(self, timeout: float) -> None:
        """Let no other thread in, and wait for those within."""
        with self._lock:
            self._closed_by = get_ident()
            self._condition.wait_for(lambda: {*self._within.values()} <= {get_ident()}, timeout)

    def open(self) -> None:
        """Let everybody in."""
        with self._lock:
            self._closed_by = None
            self._condition.notify_all()

    def begin_anew(self) -> None:
        """Open it in a process where this thread is the only one."""
        self._lock, self._closed_by = RLock(), None
        self._condition = Condition(self._lock)
        self._within = {entry: thread for entry, thread in self._within.items() if thread == get_ident()}


gate = RLock()
"""Held while a connection is begun or ended; who holds it takes no other lock."""

foreign = Foreign()
"""A thread is within it while it imports what takes long or is within a model's own code; who holds a connection's lock does not enter."""

_forking = RLock()
_watched: WeakSet[Forkable] = WeakSet()
_held: set[Forkable] = set()
_busy: set[Forkable] = set()  # writing for longer than there is patience
_left: set[Forkable] = set()  # in the child, what was busy: kept for ever, since ending it would undo what the parent writes


def watch(one: Forkable) -> None:
    """Have forks wait for it; to be called with the gate held."""
    _watched.add(one)


def hold() -> None:
    """At the end of the process: stop the other threads where they next enter SQLite, an import or a model, once they have left it."""
    with _forking:
        interruption = _take()
        _held.clear()
        _busy.clear()
    if interruption is not None:
        raise interruption


def _before() -> None:
    _forking.acquire()
    interruption = _take()
    if _busy:
        log.warning("this process is forked while a memory is written; do not use memdb in the one that comes of it")
    if interruption is not None:
        raise interruption  # Python tells it, and forks


def _take() -> BaseException | None:
    """Take everything, the gate last; return what interrupted it, such as Ctrl-C: that ends the patience."""
    interruption: BaseException | None = None
    deadline = monotonic() + _PATIENCE_SECONDS
    try:
        foreign.close(_PATIENCE_SECONDS)
    except BaseException as error:
        interruption, deadline = error, 0.0
    while True:
        try:
            gate.acquire()
        except BaseException as error:
            interruption, deadline = error, 0.0
            continue
        new = set(_watched) - _held - _busy
        if not new:
            return interruption
        gate.release()  # whoever is at work may have to begin a connection, or to end one
        for one in new:
            try:
                quiet = one.lock.acquire(timeout=max(deadline - monotonic(), 0))
            except BaseException as error:
                interruption, deadline, quiet = error, 0.0, False
            (_held if quiet else _busy).add(one)
            if quiet and one.writing:  # in this very thread
                _busy.add(one)


def _in_parent() -> None:
    _busy.clear()
    _release()
    foreign.open()
    _forking.release()


def _in_child() -> None:
    for one in _held - _busy:
        one.close()
    _left.update(_busy)
    _watched.clear()
    _busy.clear()
    _release()
    foreign.begin_anew()
    _forking.release()


def _release() -> None:
    for one in _held:
        one.lock.release()
    _held.clear()
    gate.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
