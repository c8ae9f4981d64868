"""Python's own sqlite3 beside an open memory in one process: neither loses, damages or misses what the other has written."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

import memdb
from memdb.errors import BusyError

ROOT = Path(__file__).parent.parent
QUIET = {"worker": False, "busy_timeout_ms": 100}
WEIGH = "update weights set value = value + 1 where name = 'default' and feature = 'lexical'"

pytestmark = pytest.mark.skipif(not apsw.using_amalgamation, reason="the two may be the same library here")


def seen(shell: sqlite3.Connection) -> int:
    """How many turns `sqlite3` sees."""
    return int(shell.execute("select count(*) from turns").fetchone()[0])


def look(path: Path) -> int:
    """The same by a connection of its own, closed right after it."""
    with closing(sqlite3.connect(path)) as shell:
        return seen(shell)


def held(mem: memdb.Memory) -> object:
    """How many turns memdb itself sees."""
    return mem._store.database().connection.execute("select count(*) from turns").fetchall()[0][0]


def write(path: Path) -> None:
    with closing(sqlite3.connect(path)) as shell, shell:
        shell.execute(WEIGH)


def run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run this in a process of its own, with the memory at `path` opened there."""
    begin = (
        "import gc, os, signal, sqlite3, sys, memdb\n"
        "mem = memdb.open(sys.argv[1], embedder=None, config={'worker': False})\n"
        "say = lambda text: mem.observe(text, user_id='ana')\n"
        "look = lambda: (shell := sqlite3.connect(sys.argv[1])).execute('select count(*) from turns').fetchone() + (shell.close(),)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", begin + code, str(path)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )


def test_each_look_sees_all_that_was_said_before_it(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None) as mem:
        for number in range(1, 11):
            mem.observe(f"My favourite number is {number}.", user_id="ana")
            assert look(path) == number
        assert mem.drain()
        assert mem.check() == []
    assert look(path) == 10


def test_what_is_written_beside_a_memory_is_seen_and_both_go_on(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None) as mem:
        before = mem.weights()["lexical"]
        for number in range(1, 6):
            mem.observe(f"I live in Porto, at number {number}.", user_id="ana")
            assert mem.drain()
            write(path)
            assert mem.weights()["lexical"] == before + number
        assert mem.check() == []
    with memdb.open(path, embedder=None) as mem:
        assert (held(mem), mem.weights()["lexical"], mem.check()) == (5, before + 5, [])


def test_two_memories_of_a_file_go_on_after_a_look(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as one, memdb.open(path, embedder=None, config=QUIET) as other:
        for number in range(5):
            one.observe(f"I like tea number {number}.", user_id="ana")
            write(path)
            other.observe(f"I like cake number {number}.", user_id="bea")
            assert look(path) == 2 * number + 2
        one.close()
        other.observe("I live in Porto.", user_id="bea")
        assert look(path) == held(other) == 11


def test_who_is_killed_after_a_look_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    ended = run("say('I live in Porto.'), look(), say('I like tea.'), os.kill(os.getpid(), signal.SIGKILL)", path)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        assert held(mem) == look(path) == 2


def test_after_a_look_another_process_still_sees_that_the_file_is_open(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert look(path) == 1
        ended = run("say('I like tea.'), mem.close()", path)
        assert ended.returncode == 0, ended.stderr
        assert (tmp_path / "mem.db-wal").exists()
        mem.observe("I like cake.", user_id="ana")
        assert held(mem) == look(path) == 3


def test_threads_that_observe_and_one_that_writes_beside_them_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"

    def say(user: str) -> None:
        for number in range(25):
            mem.observe(f"My favourite number is {number}.", user_id=user)

    with memdb.open(path, embedder=None) as mem, ThreadPoolExecutor(4) as threads:
        before = mem.weights()["lexical"]
        saying = [threads.submit(say, user) for user in ("ana", "bea", "cem", "dan")]
        for _ in range(20):
            look(path)
            write(path)
        for one in saying:
            one.result()
        assert mem.drain()
        assert (look(path), mem.weights()["lexical"], mem.check()) == (100, before + 20, [])


def test_each_waits_until_the_other_has_written(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem, closing(sqlite3.connect(path, timeout=0)) as shell:
        shell.execute(WEIGH)
        with pytest.raises(BusyError, match="sqlite3"):
            mem.observe("I live in Porto.", user_id="ana")
        shell.commit()
        mem.observe("I live in Porto.", user_id="ana")
        with mem._store.database().transaction(), pytest.raises(sqlite3.OperationalError, match="locked"):
            shell.execute(WEIGH)
        shell.execute(WEIGH)


def test_who_writes_beside_one_memory_holds_up_none_of_another_file(tmp_path: Path) -> None:
    path, *others = (tmp_path / f"{name}.db" for name in ("one", "other", "later"))
    with (
        memdb.open(path, embedder=None, config=QUIET) as one,
        memdb.open(others[0], embedder=None, config=QUIET) as other,
        closing(sqlite3.connect(path, timeout=0)) as shell,
        memdb.open(others[1], embedder=None, config=QUIET) as later,
    ):
        shell.execute(WEIGH)
        for mem in (other, later):
            mem.observe("I live in Porto.", user_id="ana")
        with pytest.raises(BusyError, match="sqlite3"):
            one.observe("I live in Porto.", user_id="ana")


def test_a_shell_that_outlives_a_memory_goes_on_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    memdb.open(path, embedder=None, config=QUIET).close()
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        shell = sqlite3.connect(path)
        mem.observe("I live in Porto.", user_id="ana")
        assert seen(shell) == 1
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        mem.observe("I like tea.", user_id="ana")
        assert seen(shell) == 2
        shell.close()
        mem.observe("I like cake.", user_id="ana")
        assert look(path) == 3


def test_whoever_is_the_last_to_close_the_file_ends_its_log(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        shell = sqlite3.connect(path)
        mem.observe("I live in Porto.", user_id="ana")
        assert seen(shell) == look(path) == 1
    assert sorted(os.listdir(tmp_path)) == ["mem.db", "mem.db-shm", "mem.db-wal"]
    shell.close()
    assert os.listdir(tmp_path) == ["mem.db"]


def test_the_log_is_moved_into_the_file_also_after_a_look(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        look(path)
        db = mem._store.database()
        db.connection.execute("create table other (bytes)")
        for _ in range(50):
            with db.transaction():
                db.connection.execute("insert into other values (zeroblob(400000))")
        assert (tmp_path / "mem.db-wal").stat().st_size < 8_000_000 < path.stat().st_size


def test_a_look_at_a_log_that_was_long_ends_no_process(tmp_path: Path) -> None:
    long = "db.connection.execute('insert into other values (zeroblob(20000000))')\n"
    code = f"db = mem._store.database()\ndb.connection.execute('create table other (bytes)')\n{long}db.checkpoint()\nlook()\n{long}"
    ended = run(f"{code}print(*look(), mem.check())", tmp_path / "mem.db")
    assert (ended.returncode, ended.stdout) == (0, "0 None []\n"), ended.stderr


def test_a_forked_process_leaves_alone_what_its_parent_looked_with(tmp_path: Path) -> None:
    code = (
        "say('I live in Porto.'), look(), say('I like tea.')\n"
        "if pid := os.fork():\n"
        "    assert os.waitpid(pid, 0)[1] == 0\n"
        "    say('I like cake.')\n"
        "    print(*look(), mem.check())\n"
        "else:\n"
        "    del mem; gc.collect()\n"
        "    mem = memdb.open(sys.argv[1], embedder=None, config={'worker': False})\n"
        "    say('I like ale.'), look()\n"
        "    mem.close()\n"
    )
    ended = run(code, tmp_path / "mem.db")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "4 None []\n", "")


def test_who_cannot_be_guarded_is_warned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET):
        for told in (tmp_path / "mem.db", f"file:{tmp_path}/mem.db?mode=ro", ":memory:", tmp_path / "other.db"):
            sqlite3.connect(told, uri=True).close()
    assert caplog.records == []
    with memdb.open(tmp_path / "mem2.db", embedder=None, config=QUIET):
        (tmp_path / "mem2.db").rename(tmp_path / "moved.db")
        sqlite3.connect(tmp_path / "moved.db").close()
    assert [record.args for record in caplog.records] == [(tmp_path / "mem2.db",)]
