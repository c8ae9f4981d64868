"""How long each of several processes waits that write into one file without pause.

    python bench/writers.py --writers 6 --seconds 8

Every process calls `observe()` again and again, each for a user of its own. "as SQLite waits" is the same with the waiting that SQLite
does by itself (`sqlite3_busy_timeout`), which looks at a lock ever more seldom. The two take turns, a new file each time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import memdb

PATIENCE_MS = 60_000
WAYS = ("memdb", "as SQLite waits")


def write(path: Path, way: str, number: int, seconds: float, pipe: Connection) -> None:
    """Tell that the file is open, and when told to begin, write for some time; tell how many milliseconds each call took."""
    choose, taken = random.Random(number), []
    with memdb.open(path, embedder=None, llm=None, config={"worker": False, "busy_timeout_ms": PATIENCE_MS}) as mem:
        if way != "memdb":
            mem._store.database().connection.set_busy_timeout(PATIENCE_MS)
        pipe.send(None)
        pipe.recv()
        until = time.perf_counter() + seconds
        while (started := time.perf_counter()) < until:
            mem.observe(f"I like song number {choose.randrange(10**6)}.", user_id=f"user {number}")
            taken.append((time.perf_counter() - started) * 1000)
        pipe.send(taken)


def measure(way: str, writers: int, seconds: float) -> list[list[float]]:
    """What each of the processes told."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mem.db"
        memdb.open(path, embedder=None, llm=None).close()
        pipes = [context.Pipe() for _ in range(writers)]
        processes = [context.Process(target=write, args=(path, way, number, seconds, theirs)) for number, (_, theirs) in enumerate(pipes)]
        for process in processes:
            process.start()
        for ours, _ in pipes:
            ours.recv()
        for ours, _ in pipes:
            ours.send(None)
        told: list[list[float]] = [ours.recv() for ours, _ in pipes]
        for process in processes:
            process.join()
    return told


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--writers", type=int, default=6)
    arguments.add_argument("--seconds", type=float, default=8.0)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    told: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for place in range(given.rounds):
        for way in WAYS if place % 2 else reversed(WAYS):
            told[way] += measure(way, given.writers, given.seconds)
    print(f"{given.writers} writers, {given.rounds} rounds of {given.seconds:g} s each, milliseconds\n")
    print("| | calls/s | median | p99 | p99.9 | longest | calls of a process, fewest to most |\n|---|---|---|---|---|---|---|")
    for way, each in told.items():
        taken, counts = sorted(one for times in each for one in times), sorted(map(len, each))
        p99, p999 = (taken[min(len(taken) - 1, int(len(taken) * share))] for share in (0.99, 0.999))
        rate = len(taken) / (given.rounds * given.seconds)
        figures = f"{rate:,.0f} | {statistics.median(taken):.2f} | {p99:.0f} | {p999:.0f} | {taken[-1]:,.0f}"
        print(f"| {way} | {figures} | {counts[0]:,} to {counts[-1]:,} |")


if __name__ == "__main__":
    main()
