"""Work that takes long, with a bar on standard error where a person watches: storing a conversation, what follows, and more."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import memdb
from memdb import InputError, MdbError, Memory, Vectors
from memdb.conversations import Exchange
from memdb.disk import files_of, take_away
from memdb.interfaces.show import say

_LOOK_SECONDS = 0.2  # how often the bars are brought up to date


def make_room(path: Path, is_own: Callable[[Memory], bool], *, force: bool) -> None:
    """Remove the file of an earlier demo: one that holds what this demo makes, by `is_own`, and no collections; any other by `force`.

    Raises:
        InputError: it holds more, or is a folder.
    """
    if not os.path.exists(path):  # nor where it may not be looked at: opening it tells so
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file with --db.")
    if not force and not _holds_only(path, is_own):
        raise InputError(f"{path} exists and holds more than this demo; name another file with --db, or overwrite it with --force.")
    take_away(*files_of(path))


def _holds_only(path: Path, is_own: Callable[[Memory], bool]) -> bool:
    try:
        with memdb.open(path, config={"worker": False}, embedder=None) as memory:
            return not memory.stats().collections and is_own(memory)
    except MdbError:
        return False


def store(memory: Memory, turns: Sequence[Exchange], *, user_id: str) -> int:
    """Put a conversation into memory, answers with the messages they answer; return how many messages or exchanges were new.

    Raises:
        InputError: one of them cannot be used; those before it are kept.
    """
    with _bars() as bars:
        task = bars.add_task(f"storing {user_id}", total=len(turns))
        try:
            if not any(turn.assistant for turn in turns):
                return memory.load(turns, user_id=user_id, progress=lambda done: bars.update(task, completed=done))
            known = memory.turns(user_id, limit=1).total
            for place, turn in enumerate(turns, start=1):
                observe(memory, turn, user_id=user_id)
                bars.update(task, completed=place)
            return memory.turns(user_id, limit=1).total - known
        except KeyboardInterrupt:
            stored = int(bars.tasks[task].completed)
            say(f"At least {stored} of the {len(turns)} messages of {user_id} are stored; load them again to add the rest.")
            raise


def observe(memory: Memory, turn: Exchange, *, user_id: str) -> str:
    """Put one exchange into memory and return its turn's id."""
    return memory.observe(
        turn.text,
        turn.assistant,
        user_id=user_id,
        turn_id=turn.turn_id,
        timestamp=turn.timestamp,
        session_id=turn.session_id,
        speaker=turn.speaker,
    )


def drain(memory: Memory) -> bool:
    """Wait until all that was observed is thought about, written and embedded; see `Memory.drain`."""
    with _bars() as bars, _watched(memory, bars):
        return memory.drain()


def finish(memory: Memory) -> bool:
    """Wait as `drain` does, and say so where some of it was not to be done."""
    done = drain(memory)
    if not done:
        say("Some of the work failed and waits to be tried again; `memdb stats` counts it, `memdb drain` tries it again.")
    return done


def reindex(memory: Memory, embedder: str) -> Vectors:
    """Change the file's embedder; see `Memory.reindex`."""
    with _bars() as bars:
        task = bars.add_task("embedding", total=None)
        return memory.reindex(embedder, progress=lambda done, wanted: bars.update(task, completed=done, total=wanted))


@contextmanager
def going(what: str) -> Iterator[None]:
    """Show that the body is at work, and for how long, where nobody can say how much of it is left."""
    with _bars(counted=False) as bars:
        bars.add_task(what, total=None)
        yield


def _bars(*, counted: bool = True) -> Progress:
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *([MofNCompleteColumn()] if counted else []),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def _watched(memory: Memory, bars: Progress) -> Iterator[None]:
    """Keep the bars up to date while the body waits."""
    if bars.disable:
        yield
        return
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(memory, bars, over.wait), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _watch(memory: Memory, bars: Progress, over: Callable[[float], bool]) -> None:
    tasks = {name: bars.add_task(name, total=None) for name in ("thinking", "embedding")}
    most = dict.fromkeys(tasks, 0)
    while not over(_LOOK_SECONDS):
        try:
            numbers = memory.stats()
        except MdbError:
            continue  # a look that fails is no reason to stop waiting
        left = {
            "thinking": sum(numbers.turns_by_status.get(status, 0) for status in ("queued", "working")),
            "embedding": numbers.outbox_waiting if memory.embedder is not None else 0,
        }
        for name, task in tasks.items():
            most[name] = max(most[name], left[name])
            bars.update(task, total=most[name], completed=most[name] - left[name])
