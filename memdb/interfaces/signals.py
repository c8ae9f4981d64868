"""The signals that end a program, by its terminal or by whoever started it: what is open is closed, and what was noted is written."""

import os
import re
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

SIGNALLED = 128
"""This and the number of the signal is the code that a program ends with which a signal ended: 130 after Ctrl-C."""

_TOLD = re.compile(r"^ *(?:KeyboardInterrupt|Ended): (?P<number>\d*)", re.MULTILINE)


class Ended(KeyboardInterrupt):
    """The program is told to end by a signal, and does so as by Ctrl-C: what is open is closed, and what was noted is written."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def signal_of(interruption: KeyboardInterrupt) -> signal.Signals:
    """Return the signal by which a program was interrupted."""
    return signal.Signals(interruption.number) if isinstance(interruption, Ended) else signal.SIGINT


def signal_behind(error: Exception) -> signal.Signals | None:
    """Return the signal of which an error tells, if it does.

    Python 3.11 makes an error of its own of one that comes while a class is made, pydantic of one while it makes what checks a record, and
    keeps its words alone.
    """
    if isinstance(error.__cause__, KeyboardInterrupt):
        return signal_of(error.__cause__)
    told = _TOLD.search(str(error)) if type(error).__module__.startswith("pydantic_core") else None
    return signal.Signals(int(told["number"] or signal.SIGINT)) if told is not None else None


def ending_signals() -> list[signal.Signals]:
    """Return the signals besides Ctrl-C by which a program is told to end: by whoever started it, or since its terminal is closed.

    One that whoever started it has it pass over, as `nohup` does, is left out.
    """
    known = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    return [one for one in known if one is not None and signal.getsignal(one) not in (signal.SIG_IGN, None)]


def heed_signals() -> None:
    """Let those signals end the program as Ctrl-C does."""
    for one in ending_signals():
        signal.signal(one, _end)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    for one in ending_signals():  # a shell that is closed says so twice, and what is being closed by then is not cut short
        signal.signal(one, signal.SIG_DFL if one == signal.SIGTERM else signal.SIG_IGN)
    raise Ended(number)


def leave(told_by: signal.Signals) -> NoReturn:
    """End after a signal, at once: Python would wait for a thread that imports PyTorch, and the memory is closed already.

    Whoever sent another one than Ctrl-C is told that it was heeded, as a program is that does nothing about it.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads it any more
            stream.flush()
    if told_by != signal.SIGINT:
        signal.signal(told_by, signal.SIG_DFL)
        signal.raise_signal(told_by)
    os._exit(SIGNALLED + told_by)
