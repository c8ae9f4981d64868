"""Killed at any moment, a memory loses no accepted turn and doubles none."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder

KILLS = 200
CHUNK = 20
SAYINGS = (
    "I live in Porto.", "I moved to Lisbon.", "I like jazz.", "I don't like jazz any more.", "My sister Clara lives in Faro.",
    "I'm allergic to peanuts.", "For this week I'm staying in Berlin.", "What a day!", "I still live in Lisbon.", "I like tea and books.",
)  # fmt: skip
MESSAGES = [
    {
        "text": SAYINGS[number * 7 % len(SAYINGS)] if number % 3 == 0 else f"Nothing new, number {number}.",
        "turn_id": f"t{number}",
        "session_id": f"s{number // 50}",
        "timestamp": f"2025-{1 + number // 56:02}-{1 + number // 2 % 28:02}T10:{number % 60:02}:00Z",
    }
    for number in range(600)
]


def load_all(path: Path, acknowledge: int | None = None) -> None:
    with memdb.open(path, embedder=HashingEmbedder(64), llm=None) as mem:
        for start in range(0, len(MESSAGES), CHUNK):
            mem.load(MESSAGES[start : start + CHUNK], user_id="ana")
            if acknowledge is not None:
                os.write(acknowledge, b".")
        mem.drain(timeout=60)


def killed_load(path: Path, delay: float) -> int:
    """Load in a child process, kill it after a while, and return how many messages it had said were safe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with contextlib.suppress(BaseException):
            load_all(path, writing)
        os._exit(0)
    os.close(writing)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    acknowledged = 0
    while said := os.read(reading, 4096):
        acknowledged += len(said) * CHUNK
    os.close(reading)
    return acknowledged


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    shell = sqlite3.connect(path)
    try:
        return shell.execute(sql).fetchall()
    finally:
        shell.close()


def outcome(path: Path) -> list[list[tuple[object, ...]]]:
    return [
        rows(path, "select turn_id, user_input, status from turns order by turn_id"),
        rows(
            path, "select fact_id, key, value_text, status, confidence, seen_count, valid_from, valid_to, created_at from facts order by 1"
        ),
        rows(path, "select fact_id, key, operation, before, after, reason, turn_id, action_hash, changed_at from fact_history order by id"),
        rows(path, "select * from links order by 1, 2"),
    ]


@pytest.mark.slow
def test_two_hundred_kills_lose_no_accepted_turn_and_double_none(tmp_path: Path) -> None:
    chance = random.Random(20250301)
    straight = tmp_path / "straight.db"
    load_all(straight)
    kills = files = 0
    while kills < KILLS:
        files += 1
        path = tmp_path / f"killed{files}.db"
        for _ in range(20):
            acknowledged = killed_load(path, delay=chance.uniform(0.0, 0.25))
            kills += 1
            if not path.exists() or not rows(path, "select 1 from sqlite_schema where name = 'turns'"):
                assert acknowledged == 0
                continue
            turns = [turn for (turn,) in rows(path, "select turn_id from turns order by id")]
            messages = rows(path, "select source_turn_id from facts where kind = 'message' order by id")
            assert len(turns) == len(set(turns)) >= acknowledged
            assert turns[:acknowledged] == [message["turn_id"] for message in MESSAGES[:acknowledged]]
            assert messages == [(turn,) for turn in turns]
            assert rows(path, "pragma integrity_check") == [("ok",)] or sqlite3.sqlite_version_info < (3, 43)
        load_all(path)
        assert outcome(path) == outcome(straight)


def test_a_turn_whose_worker_was_killed_is_taken_over_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)  # a process that is gone for certain
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
    shell = sqlite3.connect(path)
    claimed = f"{os.uname().nodename}:{child}:dead"
    shell.execute("update turns set status = 'working', claimed_by = ?, claimed_until = '2999-01-01T00:00:00.000Z'", (claimed,))
    shell.commit()
    shell.close()
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        assert mem.drain(timeout=5)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
