"""What `observe()` costs: timed against a bare commit of a row of the same size, one after the other in one run.

    python bench/observe.py

The bare commit is `begin immediate; insert; commit` into a table of one text column, in a file of its own beside mem.db, through the same
driver with the same settings (WAL, the same `synchronous`). The two take turns at being first, so that both meet the same disk and the same
noise. "with the worker" has the background worker think about the turns at the same time, by rules; "in a chat" has each turn thought
about, embedded and answered by a context before the next, in the same thread, none of which is timed. Then messages that are loaded two
hundred at once take turns with as many that are observed one by one, each in a file of its own.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import apsw

import memdb

WORDS = (
    "I you we live work like moved think about the a new house city garden music tea train with my sister in Porto and Lisbon today".split()
)
AT_ONCE = 200
MODES = [("NORMAL", ""), ("NORMAL", "with the worker"), ("NORMAL", "in a chat"), ("FULL", "")]


def exchanges(count: int) -> list[tuple[str, str]]:
    """Messages of some twenty words and answers to them, always the same."""
    choose = random.Random(7)
    return [(" ".join(choose.choices(WORDS, k=20)) + ".", " ".join(choose.choices(WORDS, k=20)) + ".") for _ in range(count)]


def bare(path: Path, synchronous: str) -> Callable[[str], None]:
    """Return what commits one row."""
    connection = apsw.Connection(str(path))
    connection.execute("pragma journal_mode = wal")
    connection.execute(f"pragma synchronous = {synchronous}")
    connection.execute("create table said (id integer primary key, words text not null)")

    def commit(words: str) -> None:
        connection.execute("begin immediate")
        connection.execute("insert into said (words) values (?)", (words,))
        connection.execute("commit")

    return commit


def timed(act: Callable[[], object]) -> float:
    """How long something takes, in milliseconds."""
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def measure(folder: Path, turns: int, synchronous: str, beside: str) -> tuple[list[float], list[float]]:
    """The milliseconds of each observe and of each bare commit, the first tenth left out."""
    commit = bare(folder / "bare.db", synchronous)
    ours: list[float] = []
    theirs: list[float] = []
    config = {"worker": beside == "with the worker", "synchronous": synchronous}
    with memdb.open(folder / "mem.db", embedder="hashing-384" if beside == "in a chat" else None, llm=None, config=config) as mem:
        for place, (said, answered) in enumerate(exchanges(turns)):
            pair = [
                (ours, lambda said=said, answered=answered: mem.observe(said, answered, user_id="ana", session_id="s")),
                (theirs, lambda said=said, answered=answered: commit(said + answered)),
            ]
            for times, act in pair if place % 2 else reversed(pair):
                times.append(timed(act))
            if beside == "in a chat":
                mem.drain(60)
                mem.context(said, user_id="ana")
    return ours[turns // 10 :], theirs[turns // 10 :]


def at_once(folder: Path, messages: Sequence[str]) -> tuple[list[float], list[float]]:
    """The milliseconds a message of each two hundred that are loaded at once, and of as many that are observed one by one."""
    loaded: list[float] = []
    observed: list[float] = []
    config = {"worker": False}
    with (
        memdb.open(folder / "loaded.db", embedder=None, llm=None, config=config) as one,
        memdb.open(folder / "observed.db", embedder=None, llm=None, config=config) as other,
    ):

        def observe(part: Sequence[str]) -> None:
            for text in part:
                other.observe(text, user_id="ana", session_id="s")

        for start in range(0, len(messages), AT_ONCE):
            part = messages[start : start + AT_ONCE]
            given = [{"text": text, "session_id": "s"} for text in part]
            loaded.append(timed(partial(one.load, given, user_id="ana")) / len(part))
            observed.append(timed(partial(observe, part)) / len(part))
    return loaded, observed


def p95(times: list[float]) -> float:
    """The time that 95 of 100 stay below."""
    return statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--turns", type=int, default=2_000)
    turns = arguments.parse_args().turns
    print(f"{turns} turns, milliseconds\n")
    print("| | observe median | observe p95 | bare commit median | bare commit p95 | ratio of medians |\n|---|---|---|---|---|---|")
    for synchronous, beside in MODES:
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = measure(Path(folder), turns, synchronous, beside)
        name = ", ".join(filter(None, (synchronous, beside)))
        mine, bare_one = statistics.median(ours), statistics.median(theirs)
        print(f"| {name} | {mine:.3f} | {p95(ours):.3f} | {bare_one:.3f} | {p95(theirs):.3f} | {mine / bare_one:.1f} |")
    with tempfile.TemporaryDirectory() as folder:
        times = at_once(Path(folder), [text for pair in exchanges(turns) for text in pair])
    loaded, observed = map(statistics.median, times)
    print(f"\nLoaded with others, a message takes {loaded:.3f}; observed by itself, {observed:.3f}, {observed / loaded:.1f} times as long")


if __name__ == "__main__":
    main()
