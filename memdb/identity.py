"""Who is at work on a file: one process of one machine among others, by a name that tells whether it still lives."""

from __future__ import annotations

import os
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

_at_work: set[str] = set()


def new_identity() -> str:
    """Return a name for one that claims turns, or holds a session: the machine, the process, and something to tell two in it apart."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def begin_work(identity: str) -> None:
    """Be at work under a name from now on: what it claims or holds is its own until `end_work`."""
    _at_work.add(identity)


def end_work(identity: str) -> None:
    """Be at work under a name no longer: what it has claimed by then could not be put back, as on a full disk, and is open to the next."""
    _at_work.discard(identity)


@contextmanager
def at_work(identity: str) -> Iterator[None]:
    """Be at work under a name for as long as this lasts."""
    begin_work(identity)
    try:
        yield
    finally:
        end_work(identity)


def is_gone(claimant: str) -> bool:
    """Whether a claimant is at work no longer in this process, or was a process of this machine that lives no more.

    A process that was started anew may have the number of the one before, and is another. One of another machine may live: its lease
    decides. Windows cannot be asked, so that the lease decides there, too. What is no name of a process, as damage leaves it, is nobody.
    """
    host, pid, _ = claimant.rsplit(":", 2) if claimant.count(":") >= 2 else ("", "", "")
    if not pid.isdecimal():
        return True
    if host != socket.gethostname():
        return False
    if pid == str(os.getpid()):
        return claimant not in _at_work
    if sys.platform == "win32":  # where a signal of 0 is no question: it interrupts
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False
