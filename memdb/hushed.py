"""Ctrl-C while `python -m memdb` imports the package: it ends without a word, as the command does, though nothing of that runs yet."""

from __future__ import annotations

import os
import signal
import sys


def _is_sought() -> bool:
    """Whether Python imports this to run it: until it has found what is to be run, "-m" stands for its path."""
    given = sys.orig_argv[1:]
    return sys.argv[:1] == ["-m"] and "-m" in given and given[given.index("-m") + 1 :][:1] == ["memdb"]


if _is_sought() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # nothing is open yet that would have to be closed
