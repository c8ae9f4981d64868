"""Who is at work on a file: one process of one machine among others, by a name that tells whether it still lives."""

from __future__ import annotations

import os
import socket
import sys
import uuid


def new_identity() -> str:
    """Return a name for one that claims turns: the machine, the process, and something to tell two in it apart."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def is_gone(claimant: str) -> bool:
    """Whether a claimant was a process of this machine that lives no more. One of another machine may live: its lease decides.

    Windows cannot be asked, so that the lease decides there, too.
    """
    host, pid, _ = claimant.rsplit(":", 2)
    if host != socket.gethostname() or sys.platform == "win32":  # where a signal of 0 is no question: it interrupts
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
