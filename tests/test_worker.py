"""The background work never hangs on a damaged file, nor on a turn that ends whoever touches it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memdb
from memdb.llm import ModelRequest

ROOT = Path(__file__).parent.parent


def damage(path: Path, table: str) -> None:
    """Overwrite the root page of a table."""
    connection = sqlite3.connect(path)
    connection.execute("pragma wal_checkpoint(truncate)")
    ((page,),) = connection.execute("select rootpage from sqlite_schema where name = ?", (table,)).fetchall()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xa5" * 3_900)


@pytest.mark.parametrize("worker", [True, False], ids=["by a thread", "at once"])
@pytest.mark.parametrize("table", ["fact_history", "applied_actions", "profiles", "model_calls"])
def test_draining_a_damaged_file_is_an_error_at_once(tmp_path: Path, table: str, worker: bool) -> None:
    path = tmp_path / "mem.db"
    llm = memdb.LanguageModel(memdb.ScriptedModel(lambda _: '{"facts": []}'), name="scripted") if table == "model_calls" else None
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        for place in range(3):
            mem.observe(f"I like thing{place}.", user_id="ana", session_id=f"s{place}")
    damage(path, table)
    mem = memdb.open(path, embedder=None, llm=llm, config={"worker": worker})
    started = time.monotonic()
    with pytest.raises(memdb.StoreError, match="is damaged") as caught:
        mem.drain()
    assert caught.value.damaged
    assert time.monotonic() - started < 5
    assert len(mem.turns()) == 3
    with pytest.raises(memdb.StoreError, match="is damaged") if table == "profiles" else memdb.open(tmp_path / "other.db", embedder=None):
        mem.close()


def test_a_turn_is_held_for_as_long_as_its_model_thinks(tmp_path: Path) -> None:
    asked: list[str] = []

    def think(request: ModelRequest) -> str:
        asked.append(request.user)
        time.sleep(0.8)  # longer than the lease
        return '{"facts": []}'

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="slow")
    config = {"lease_seconds": 0.5}  # which a busy machine does not sleep through
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as one:
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as other:
            one.observe("What a day! " * 1_200, user_id="ana")
            assert one.drain(30)
            assert other.drain(30)
        assert (len(asked), one.turns()[0].attempts) == (3, 1)


ENDS_ITS_PROCESS = """
import os, sys, memdb
def think(request):
    os._exit(9) if "poison" in request.user else None
    return '{"facts": []}'
with memdb.open(sys.argv[1], embedder=None, llm=memdb.LanguageModel(memdb.ScriptedModel(think), name="deadly"), config={"worker": False}) as mem:
    mem.drain()
"""


@pytest.mark.slow
def test_a_turn_that_ends_its_process_is_set_aside_after_twenty_of_them(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        for text in ("I like tea.", "I like poison.", "I like jazz."):
            mem.observe(text, user_id="ana", turn_id=text)
    command = [sys.executable, "-c", ENDS_ITS_PROCESS, str(path)]
    ends = [subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode for _ in range(22)]
    assert ends == [9] * 20 + [0, 0]
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        assert [turn.status for turn in mem.turns()] == ["done", "failed", "done"]
        assert mem.turns(turn_id="I like poison.")[0].error == "It was begun 20 times and never finished: whoever works on it ends."
        assert mem.retry() == 1
        assert mem.drain()
        assert [turn.status for turn in mem.turns()] == ["done", "done", "done"]
