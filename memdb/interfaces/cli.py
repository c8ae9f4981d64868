"""The command `memdb`. Its verbs stand in `commands`; this is what it needs before they can be had."""

import gc
import os
import signal
import sys
from contextlib import suppress

from memdb.interfaces.signals import SIGNALLED, heed_signals, leave, signal_behind, signal_of

_DIGITS = 4  # no terminal has more than thousands of columns


def main() -> None:
    """Run the command line; without its packages, say what to install. Ctrl-C ends it without a word, also before a command begins."""
    try:
        _run()
    except KeyboardInterrupt as interruption:
        leave(signal_of(interruption))
    except Exception as error:
        if (told_by := signal_behind(error)) is None:
            raise
        leave(told_by)


def _run() -> None:
    heed_signals()
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
