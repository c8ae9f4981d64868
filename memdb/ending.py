"""What is done where Python ends while memories are open: the work in the background ends before it, between two steps."""

from __future__ import annotations

import atexit
import logging
import os
from threading import main_thread
from time import monotonic
from typing import Protocol
from weakref import WeakSet, finalize

from memdb import forking

log = logging.getLogger("memdb")

PATIENCE_SECONDS = 1.0  # for the steps at hand; one that waits for a language model may take a minute, and is begun again next time


class Ending(Protocol):
    """Something with threads."""

    def leave(self) -> None:
        """Have them end after the steps at hand, and do not wait for that."""

    def gone(self, timeout: float) -> bool:
        """Wait so many seconds until they have ended; return whether they have."""


def interrupted(error: BaseException | None) -> bool:
    """Return whether Ctrl-C is why something ends: that itself, or what failed while it was heeded."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


_watched: WeakSet[Ending] = WeakSet()


def watch(one: Ending) -> None:
    """Have it end before Python does."""
    _watched.add(one)


def _end() -> None:
    log.addFilter(lambda told: told.thread == main_thread().ident)  # what fails in the background now fails since the process ends
    at_work = list(_watched)
    for one in at_work:
        one.leave()
    deadline = monotonic() + PATIENCE_SECONDS
    for one in at_work:
        one.gone(max(deadline - monotonic(), 0.0))
    forking.hold()


finalize(Ending, lambda: None)  # so that what PyTorch, imported even then, leaves to be done at the end is done after that
atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watched.clear)  # the threads are the parent's
