"""The command `memdb`. Its verbs stand in `commands`; this is what it needs before they can be had."""

import gc
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

SIGNALLED = 128
"""This and the number of the signal is the code that a program ends with which a signal ended: 130 after Ctrl-C."""

_DIGITS = 4  # no terminal has more than thousands of columns


class Ended(KeyboardInterrupt):
    """The program is told to end by a signal, and does so as by Ctrl-C: what is open is closed, and what was noted is written."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> None:
    """Run the command line; without its packages, say what to install. Ctrl-C ends it without a word, also before a command begins."""
    try:
        _run()
    except KeyboardInterrupt as interruption:
        leave(signal_of(interruption))


def signal_of(interruption: KeyboardInterrupt) -> signal.Signals:
    """Return the signal by which a program was interrupted."""
    return signal.Signals(getattr(interruption, "number", signal.SIGINT))  # an Ended of this very module, which may be run by its name


def ending_signals() -> list[signal.Signals]:
    """Return the signals besides Ctrl-C by which a program is told to end: by whoever started it, or since its terminal is closed.

    One that whoever started it has it pass over, as `nohup` does, is left out.
    """
    known = (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP"))
    return [one for one in known if one is not None and signal.getsignal(one) not in (signal.SIG_IGN, None)]


def _heed_signals() -> None:
    for one in ending_signals():
        signal.signal(one, _end)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    for one in ending_signals():  # a shell that is closed says so twice, and what is being closed by then is not cut short
        signal.signal(one, signal.SIG_DFL if one == signal.SIGTERM else signal.SIG_IGN)
    raise Ended(number)


def _run() -> None:
    _heed_signals()
    _open_closed_streams()
    _leave_out_a_width_of_no_terminal()
    gc.disable()  # what is imported stays: to look through it for garbage takes a fifth of a command's time
    try:
        from memdb.interfaces.commands import app_for
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich", "yaml"):
            raise
        print(f"memdb: The command line needs {error.name}; install it with: pip install 'memdb[cli]'", file=sys.stderr)
        sys.exit(1)
    gc.freeze()
    gc.enable()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign shows another, and the command goes on
    sys.unraisablehook = _pass_over_broken_pipes
    try:
        try:
            app_for(sys.argv[1:])(prog_name="memdb")
        except SystemExit as ended:
            if isinstance(ended.code, int) and ended.code > SIGNALLED:
                leave(signal.Signals(ended.code - SIGNALLED))
            raise
        finally:
            sys.stdout.flush()
    except OSError as error:  # the memory tells its own errors: this is the output's
        if not isinstance(error, BrokenPipeError):  # whoever read it has read enough
            with suppress(OSError):
                print(f"memdb: The output cannot be written ({error.strerror}); check the disk, or where the output goes.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left of it would be told again at the exit
        sys.exit(1)


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


def _pass_over_broken_pipes(told: "sys.UnraisableHookArgs") -> None:
    """Say nothing of what could not be written in the end since nobody reads it any more: Python 3.13 does so of every stream."""
    if not isinstance(told.exc_value, BrokenPipeError):
        sys.__unraisablehook__(told)


def _open_closed_streams() -> None:
    """Let a stream that whoever started the program had closed (`memdb facts >&-`) be an empty one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # for as long as the program runs


def _leave_out_a_width_of_no_terminal() -> None:
    """Let no help be drawn for no columns, which leaves it empty, nor for billions: rich takes COLUMNS at its word."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and (len(told) > _DIGITS or int(told) == 0):
        del os.environ["COLUMNS"]


if __name__ == "__main__":
    main()
