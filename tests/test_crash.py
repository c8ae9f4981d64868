"""Killed at any moment, memdb loses nothing it acknowledged, doubles nothing, and ends where an undisturbed run ends.

Run as a program (`python -m tests.test_crash`), this module is the process that forks the children to be killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

import memdb
from memdb.config import Config
from memdb.embed import HashingEmbedder
from memdb.store import Store
from memdb.upkeep import take_upkeep

ROOT = Path(__file__).parent.parent
EMBEDDER = HashingEmbedder(32)
KILLS = 200
LONGEST_LIFE = 0.25  # seconds; a child needs about 0.02 to open the file
FINISHED_WITHIN = 1800  # seconds; whatever else the machine has to do
OVERLAP = 30  # messages that a restarted child loads again, as an application would that is not sure

SAYINGS = (
    "I live in {place}.",
    "I like {thing}.",
    "I moved to {place}.",
    "I don't like {thing} any more.",
    "I work at {place} Bank.",
    "What shall we eat tonight?",
    "My sister is called Rita{number}.",
    "I'm allergic to {thing}.",
)
PLACES = ("Porto", "Lisbon", "Faro", "Braga", "Évora")
THINGS = ("jazz", "tea", "old maps", "peanuts", "swimming", "the sea", "chess")


def messages(count: int = 400) -> list[dict[str, str]]:
    """A conversation that states, repeats, contradicts and confirms; always the same."""
    choose = random.Random(7)
    return [
        {
            "text": choose.choice(SAYINGS).format(place=choose.choice(PLACES), thing=choose.choice(THINGS), number=number % 5),
            "timestamp": f"2025-{1 + number // 28 % 12:02}-{1 + number % 28:02}T{number // 336 % 24:02}:00:00Z",
            "session_id": f"s{number // 20}",
            "turn_id": f"t{number}",
        }
        for number in range(count)
    ]


def load_all(mem: memdb.Memory, *, first: int, acknowledge: Callable[[int], None]) -> None:
    """Load the messages from the given one on, by every way in, in pieces of many sizes."""
    todo = messages()
    choose = random.Random()
    while first < len(todo):
        piece = todo[first : first + choose.choices((1, 2, 5, 20, 250), weights=(10, 10, 10, 4, 1))[0]]  # 250 are two transactions
        if len(piece) > 2:
            start = first
            mem.load(piece, user_id="ana", progress=lambda n, start=start: acknowledge(start + n))  # type: ignore[misc]
        else:
            for place, said in enumerate(piece, start=1):
                mem.observe(
                    said["text"], user_id="ana", turn_id=said["turn_id"], timestamp=said["timestamp"], session_id=said["session_id"]
                )
                acknowledge(first + place)
        first += len(piece)
        if choose.random() < 0.5:
            mem.drain(0.05)  # so that kills also meet turns and vectors at work


class ForkServer:
    """A process that has imported memdb already and forks a child for every life to be cut short."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.test_crash"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def live(self, path: Path, *, first: int, seconds: float) -> tuple[int, bool]:
        """Let a child load from a message on and kill it; return how many messages it acknowledged and whether it was cut short."""
        assert self.process.stdin
        self.process.stdin.write(f"{first} {path}\n")
        pid = int(self.line())
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)  # the server has not waited for it yet, so that the number is still its own
        self.process.stdin.write("reap\n")
        acknowledged = first
        while not (line := self.line()).startswith("ended"):
            acknowledged = int(line)
        return acknowledged, line == "ended by a signal"

    def line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        assert line, "the fork server ended"
        return line

    def close(self) -> None:
        self.process.communicate(timeout=30)


def serve() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem,
    ):
        load_all(mem, first=0, acknowledge=lambda _: None)
        mem.drain()  # so that the short lives are spent on work, not on compiling what reading needs
    for line in sys.stdin:
        first, _, path = line.strip().partition(" ")
        pid = os.fork()
        if pid == 0:
            os.write(1, f"{os.getpid()}\n".encode())  # by the child, so that no message it acknowledges is taken for its number
            live(Path(path), int(first))
            os._exit(0)
        sys.stdin.readline()
        _, status = os.waitpid(pid, 0)
        os.write(1, b"ended by a signal\n" if os.WIFSIGNALED(status) else b"ended by itself\n")


def live(path: Path, first: int) -> None:
    def acknowledge(count: int) -> None:
        os.write(1, f"{max(count, first)}\n".encode())

    with memdb.open(path, embedder=EMBEDDER) as mem:
        load_all(mem, first=max(0, first - OVERLAP), acknowledge=acknowledge)
        mem.drain(30)


@contextmanager
def plain(path: Path) -> Iterator[apsw.Connection]:
    store = Store(path, Config(), vectors=True)
    yield store.database().connection
    store.close()


def stored(path: Path) -> set[str]:
    """Return the turns in the file, each of which is there once, with exactly one message."""
    with plain(path) as connection:
        turns = Counter(row[0] for row in connection.execute("select turn_id from turns"))
        said = Counter(row[0] for row in connection.execute("select source_turn_id from facts where kind = 'message'"))
    assert turns == said
    assert set(turns.values()) <= {1}
    return set(turns)


def outcome(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all that must not depend on when the process was killed; row ids and the hour of embedding may."""
    aside = "'$.embedding_id'"
    with plain(path) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        queries = {
            "facts": f"select json_remove(record, {aside}) from fact_record order by fact_id",
            "history": "select fact_id, operation, reason, turn_id, action_hash, changed_at,"
            f" json_remove(before, {aside}), json_remove(after, {aside}) from fact_history"
            " order by turn_id like 'reflection-%', id",  # notes are drawn while turns come in
            "turns": "select turn_id, user_input, timestamp, session_id, status, error from turns order by id",
            "sessions": "select * from sessions order by session_id",
            "profile": "select profile from profiles",
            "links": "select source_id, target_id, relation from links order by 1, 2, 3",
            "vectors": "select f.fact_id, v.user_id, v.shelf, v.embedding from facts_vec v left join facts f on f.id = v.rowid order by 1",
            "words": "select f.fact_id from facts_fts left join facts f on f.id = facts_fts.rowid"
            " where facts_fts match 'jazz OR context : porto' order by 1",
            "outbox": "select * from outbox",
        }
        return {name: connection.execute(sql).fetchall() for name, sql in queries.items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    path = tmp_path_factory.mktemp("undisturbed") / "mem.db"
    with memdb.open(path, embedder=EMBEDDER) as mem:
        mem.load(messages(), user_id="ana")
        assert mem.drain(FINISHED_WITHIN)
    keep_up(path)
    return outcome(path)


def keep_up(path: Path) -> None:
    """Finish what the worker does when nobody waits: episodes and notes."""
    with memdb.open(path, embedder=EMBEDDER, config={"worker": False}) as mem:
        while take_upkeep(mem._store.database(), user_id=None, now=datetime(2100, 1, 1, tzinfo=UTC), config=mem.config, llm=None):
            pass
        assert mem.drain(FINISHED_WITHIN)


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing_and_double_nothing(tmp_path: Path, undisturbed: dict[str, list[tuple[object, ...]]]) -> None:
    choose = random.Random(20250301)
    server = ForkServer()
    path, kills, lives, acknowledged, finished = tmp_path / "0.db", 0, 0, 0, 0
    try:
        while kills < KILLS or (not finished and kills < 5 * KILLS):
            longest = LONGEST_LIFE * (1 if finished else max(1, kills // 30))  # a busy machine gets little done in a life
            acknowledged, killed = server.live(path, first=acknowledged, seconds=choose.uniform(0.0, longest))
            lives, kills = lives + 1, kills + killed
            assert {f"t{number}" for number in range(acknowledged)} <= stored(path)
            if acknowledged == len(messages()) and (not killed or choose.random() < 0.1):
                finish_and_compare(path, undisturbed)
                finished, acknowledged, path = finished + 1, 0, tmp_path / f"{finished + 1}.db"
    finally:
        server.close()
    finish_and_compare(path, undisturbed)
    assert finished >= 1
    assert lives - kills <= lives // 2


def finish_and_compare(path: Path, undisturbed: dict[str, list[tuple[object, ...]]]) -> None:
    with memdb.open(path, embedder=EMBEDDER) as mem:
        mem.load(messages(), user_id="ana")
        assert mem.drain(FINISHED_WITHIN)
    keep_up(path)
    for name, rows in outcome(path).items():
        assert rows == undisturbed[name], f"{name} of {path.name}"


THINKS_FOR_LONG = """
import sys, time, memdb
def think(request):
    print("thinking", flush=True)
    time.sleep(600)
with memdb.open(sys.argv[1], embedder=None, llm=memdb.LanguageModel(think, name="slow")) as mem:
    mem.observe("I live in Porto.", user_id="ana", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
    time.sleep(600)
"""


def test_a_turn_whose_worker_was_killed_is_taken_over_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    process = subprocess.Popen([sys.executable, "-c", THINKS_FOR_LONG, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout
        assert process.stdout.readline() == "thinking\n"
        process.kill()
    with plain(path) as connection:
        assert connection.execute("select status, attempts from turns").fetchall() == [("working", 1)]
    with memdb.open(path, embedder=None) as mem:
        assert mem.config.lease_seconds > 60
        assert mem.drain(60)
        assert [fact.object for fact in mem.facts("ana", kinds=["fact"])] == ["Porto"]
    with plain(path) as connection:
        assert connection.execute("select status, attempts from turns").fetchall() == [("done", 2)]


def test_a_turn_whose_worker_lives_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    process = subprocess.Popen([sys.executable, "-c", THINKS_FOR_LONG, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout
        assert process.stdout.readline() == "thinking\n"
        with memdb.open(path, embedder=None) as mem:
            assert not mem.drain(1)
            assert mem.facts("ana", kinds=["fact"]) == []
        process.kill()


if __name__ == "__main__":
    serve()
