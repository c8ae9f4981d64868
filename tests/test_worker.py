"""The background work never hangs on a damaged file, nor on a turn that ends whoever touches it."""

from __future__ import annotations

import json
import math
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

import memdb
from memdb import store
from memdb.embed import HashingEmbedder
from memdb.identity import is_gone, new_identity
from memdb.llm import ModelRequest
from memdb.tidying import take_tidying
from memdb.times import to_text, utc_now
from memdb.worker import heed_clock, take_turn
from tests.disk import FullDisk

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


def test_a_turn_that_finds_no_room_is_told_and_waits_until_there_is_some(tmp_path: Path) -> None:
    with FullDisk() as disk, memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto. I like jazz.", user_id="ana", turn_id="t1")
        for _ in range(8):
            mem._store.database().checkpoint()
            with pytest.raises(memdb.StoreError, match="is full"), disk.full(at=20 * 4_096):  # room to begin it, and to put it back
                mem.drain()
            assert mem.stats().turns_by_status == {"queued": 1}
        assert mem.drain()
        assert {fact.object for fact in mem.facts("ana")} == {"Porto", "jazz"}


def test_a_turn_by_which_very_much_is_over_holds_the_file_for_a_part_of_it_at_a_time(tmp_path: Path) -> None:
    over = {"user_id": "ana", "key": "user.likes", "timestamp": "2025-01-01", "valid_to": "2025-02-01"}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.remember_many(over | {"value_text": f"Likes song {place}"} for place in range(1_030))
        mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-01")
        connection, written = mem._store.database().connection, [0]

        def noted() -> bool:
            written.append(connection.total_changes())
            return False

        connection.set_commit_hook(noted)
        mem.drain()
        assert len(mem.facts("ana", statuses=["expired"])) == 1_030
        assert len([change for change in mem.history(user_id="ana") if change.operation == "expire"]) == 1_030
        assert max(then - before for before, then in pairwise(written[1:])) < 1_000


def test_a_turn_that_meets_a_failing_disk_waits_and_is_never_set_aside_for_that(tmp_path: Path) -> None:
    with FullDisk() as disk, memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto. I like jazz.", user_id="ana", turn_id="t1")
        for _ in range(8):
            mem._store.database().checkpoint()
            with pytest.raises(memdb.StoreError, match="check the disk") as caught, disk.failing(at=20 * 4_096):
                mem.drain()
            assert caught.value.failing
            assert mem.stats().turns_by_status == {"queued": 1}
        assert mem.drain()
        assert {fact.object for fact in mem.facts("ana")} == {"Porto", "jazz"}


def test_vectors_that_a_failing_disk_does_not_take_wait_without_a_failure_counted(tmp_path: Path) -> None:
    with FullDisk() as disk, memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        mem.remember_many({"value_text": f"Likes song {place}", "user_id": "ana"} for place in range(40))
        for _ in range(8):
            mem._store.database().checkpoint()
            with pytest.raises(memdb.StoreError, match="check the disk"), disk.failing(at=2 * 4_096):
                mem.drain()
            assert (mem.vectors().waiting, mem.vectors().dead) == (40, 0)
        assert mem.drain()
        assert (mem.vectors().waiting, mem.vectors().written) == (0, 40)


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
    assert time.monotonic() - started < 60  # and not only when the turn's lease is over
    assert len(mem.turns()) == 3
    with pytest.raises(memdb.StoreError, match="is damaged") if table == "profiles" else memdb.open(tmp_path / "other.db", embedder=None):
        mem.close()


def test_a_turn_is_held_for_as_long_as_its_model_thinks(tmp_path: Path) -> None:
    asked: list[str] = []

    def think(request: ModelRequest) -> str:
        asked.append(request.user)
        time.sleep(2.5 if len(asked) == 1 else 0.0)  # longer than the lease
        return '{"facts": []}'

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="slow")
    config = {"lease_seconds": 2.0}  # which a busy machine does not sleep through
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as one:
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as other:
            one.observe("What a day! " * 1_200, user_id="ana")
            assert one.drain(30)
            assert other.drain(30)
        assert (len(asked), one.turns()[0].attempts) == (3, 1)


class Loading(HashingEmbedder):
    """Tells how the turns of a file stood when it was first used, which is when a model is loaded."""

    def __init__(self, path: Path) -> None:
        super().__init__(16)
        self.path = path
        self.found: list[str] | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.found is None:
            connection = apsw.Connection(str(self.path))
            self.found = [str(status) for (status,) in connection.execute("select status from turns order by id")]
            connection.close()
        return super().embed(texts)


@pytest.mark.parametrize("worker", [True, False], ids=["by a thread", "at once"])
def test_no_turn_is_begun_before_its_embedder_is_loaded(tmp_path: Path, worker: bool) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=HashingEmbedder(16), llm=None) as mem:
        mem.observe("I like tea.", user_id="ana")
        assert mem.drain(30)
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I like jazz.", user_id="ana")
        connection = mem._store.database().connection
        connection.execute("delete from outbox")  # only the turn asks the embedder
    embedder = Loading(path)
    with memdb.open(path, embedder=embedder, llm=None, config={"worker": worker}) as mem:
        assert mem.drain(30)
        assert embedder.found == ["done", "queued"]
        assert [turn.attempts for turn in mem.turns()] == [1, 1]


@pytest.fixture
def gone() -> str:
    """The name of a worker whose process is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return f"{socket.gethostname()}:{process.pid}:gone"


def test_where_asking_for_a_process_would_end_it_the_lease_decides(gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_gone(gone)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("os.kill", lambda *_: pytest.fail("there, the signal 0 is Ctrl-C"))
    assert not is_gone(gone)


def killed(_: ModelRequest) -> str:
    raise KeyboardInterrupt  # like a kill, it leaves the turn as it is


def test_a_turn_is_not_set_aside_because_workers_are_killed_young(tmp_path: Path, gone: str) -> None:
    llm = memdb.LanguageModel(memdb.ScriptedModel(killed), name="killed")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I like tea.", user_id="ana")
        mem._store.opened_at = math.inf  # a life that has only begun
        for _ in range(30):
            with suppress(KeyboardInterrupt):
                take_turn(mem._store, mem.config, llm, None, identity=gone)
        assert [turn.attempts for turn in mem.turns()] == [10]
        assert not mem.drain(0.1)
        mem._store.opened_at = 0.0
        assert mem.drain(30)
        assert [(turn.status, turn.attempts) for turn in mem.turns()] == [("done", 11)]
        assert [fact.object for fact in mem.facts("ana")] == ["tea"]


def test_workers_that_were_killed_are_no_failures_of_the_turn(tmp_path: Path, gone: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:

        def consent(_: ModelRequest) -> str:
            mem.consent("ana", secrets="keep")  # meanwhile, so that the turn is put back
            return '{"facts": []}'

        mem.observe("I like tea.", user_id="ana")
        for think in (*[killed] * 4, consent):
            with suppress(KeyboardInterrupt):
                take_turn(mem._store, mem.config, memdb.LanguageModel(memdb.ScriptedModel(think), name="scripted"), None, identity=gone)
        assert [(turn.status, turn.attempts, turn.failures) for turn in mem.turns()] == [("queued", 5, 1)]
        assert mem.drain(30)
        assert [fact.object for fact in mem.facts("ana")] == ["tea"]


def test_a_living_worker_keeps_its_turn_and_its_user_s_next_one_while_those_of_others_are_taken(tmp_path: Path, gone: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for turn_id, user_id in (("first", "ana"), ("second", "ana"), ("third", "bob")):
            mem.observe("I like tea.", user_id=user_id, turn_id=turn_id)
        meanwhile: dict[str, str] = {}

        def think(_: ModelRequest) -> str:
            with suppress(KeyboardInterrupt):
                take_turn(mem._store, mem.config, memdb.LanguageModel(memdb.ScriptedModel(killed), name="killed"), None, identity=gone)
            while take_turn(mem._store, mem.config, None, None, identity=new_identity()):
                pass
            meanwhile.update({turn.turn_id: turn.status for turn in mem.turns()})
            return '{"facts": []}'

        assert take_turn(
            mem._store, mem.config, memdb.LanguageModel(memdb.ScriptedModel(think), name="slow"), None, identity=new_identity()
        )
        assert meanwhile == {"first": "working", "second": "queued", "third": "done"}


def test_a_worker_that_lost_its_turn_to_another_writes_nothing(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "lease_seconds": 60}) as mem:
        mem.observe("I like tea.", user_id="ana")
        found = {"key": "user.likes", "object": "jazz", "excerpt": "I like tea.", "value_text": "User likes jazz", "confidence": 0.95}

        def think(_: ModelRequest) -> str:  # so slowly that its lease runs out
            mem._store.database().connection.execute("update turns set claimed_until = '2025-01-01T00:00:00.000Z'")
            assert take_turn(mem._store, mem.config, None, None, identity=new_identity())
            return json.dumps({"facts": [found]})

        take_turn(mem._store, mem.config, memdb.LanguageModel(memdb.ScriptedModel(think), name="slow"), None, identity=new_identity())
        assert [fact.object for fact in mem.facts("ana")] == ["tea"]
        assert [(turn.status, turn.extracted_by) for turn in mem.turns()] == [("done", "rules")]


ENDS_ITS_PROCESS = """
import os, sys, memdb
def think(request):
    os._exit(9) if "poison" in request.user else None
    return '{"facts": []}'
def work(path):
    with memdb.open(path, embedder=None, llm=memdb.LanguageModel(memdb.ScriptedModel(think), name="deadly"), config={"worker": False}) as mem:
        mem.drain()
with memdb.open(":memory:", embedder=None, llm=None, config={"worker": False}) as warm:  # what a turn takes is read once, and not by each
    warm.observe("I like tea.", user_id="ana")
    warm.drain()
for _ in range(22):
    child = os.fork()
    if not child:
        work(sys.argv[1])
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
def test_a_turn_that_ends_its_process_is_set_aside_after_twenty_of_them(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        for text in ("I like tea.", "I like poison.", "I like jazz."):
            mem.observe(text, user_id="ana", turn_id=text)
    command = [sys.executable, "-c", ENDS_ITS_PROCESS, str(path)]
    ends = [int(code) for code in subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300).stdout.split()]
    assert ends == [9] * 20 + [0, 0]
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        assert [turn.status for turn in mem.turns()] == ["done", "failed", "done"]
        assert mem.turns(turn_id="I like poison.")[0].error == "It was begun 20 times and never finished: whoever works on it ends."
        assert mem.retry() == 1
        assert mem.drain()
        assert [turn.status for turn in mem.turns()] == ["done", "done", "done"]


def test_an_embedder_that_hangs_does_not_keep_a_memory_from_closing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    asked, answer = threading.Event(), threading.Event()

    class Hanging(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if threading.current_thread().name == "memdb-vectors":
                asked.set()
                answer.wait(60)
            return super().embed(texts)

    before = set(threading.enumerate())
    mem = memdb.open(tmp_path / "mem.db", embedder=Hanging(16), config={"embed_patience_seconds": 0.05})
    mem.observe("I like tea.", user_id="ana")
    assert asked.wait(30)
    mem.close()
    assert not answer.is_set()
    answer.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    assert [record.message.partition(" and is left alone")[0] for record in caplog.records] == [
        "the embedder has not answered for 0.05 seconds"
    ]
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16)) as again:
        assert again.drain(30)
        assert again.vectors().waiting == 0


@pytest.mark.parametrize("by", ["embedder", "model"])
def test_an_embedder_or_a_model_may_close_the_memory_that_asks_it(tmp_path: Path, caplog: pytest.LogCaptureFixture, by: str) -> None:
    closed = threading.Event()

    class Closing(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if threading.current_thread().name == "memdb-vectors":
                close()
            return super().embed(texts)

    def close() -> None:
        mem.close()
        closed.set()

    def think(request: ModelRequest) -> str:
        close()
        return '{"facts": []}'

    before = set(threading.enumerate())
    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="closing") if by == "model" else None
    mem = memdb.open(tmp_path / "mem.db", embedder=Closing(16) if by == "embedder" else None, llm=llm)
    mem.observe("I like tea.", user_id="ana")
    assert closed.wait(30)
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    assert not caplog.records
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as again:
        assert len(again.turns()) == 1


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_a_model_that_would_end_the_thread_it_is_asked_in_has_failed(raised: type[BaseException], tmp_path: Path) -> None:
    def leave(_: ModelRequest) -> str:
        raise raised("it wants to go")

    llm = memdb.LanguageModel(memdb.ScriptedModel(leave), name="leaving", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm) as mem:
        for text in ("I live in Porto.", "I like tea."):
            mem.observe(text, user_id="ana")
            assert mem.drain(30)
        assert [(turn.status, "wants to go" in str(turn.error)) for turn in mem.turns()] == [("done", True)] * 2
        assert sorted(fact.object for fact in mem.facts("ana")) == ["Porto", "tea"]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_an_embedder_that_would_end_the_thread_it_is_asked_in_has_failed(raised: type[BaseException], tmp_path: Path) -> None:
    class Leaving(HashingEmbedder):
        leaves = True

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.leaves:
                raise raised("it wants to go")
            return super().embed(texts)

    embedder = Leaving()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"retry_base_seconds": 0.01}) as mem:
        mem.remember("Likes figs", user_id="ana")
        assert not mem.drain(2)
        assert "wants to go" in str(mem.vectors().error)
        embedder.leaves = False
        assert mem.drain(30)
        assert (mem.vectors().written, mem.vectors().waiting) == (1, 0)


def test_a_clock_that_was_put_back_holds_up_nothing(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32), llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.remember("Call the dentist", user_id="ana", key="user.task", kind="task", timestamp="2025-03-01")
        db = mem._store.database()
        db.connection.execute("update turns set next_attempt_at = '2125-01-01T00:00:00.000Z'")
        db.connection.execute("update outbox set next_attempt_at = '2125-01-01T00:00:00.000Z'")
        db.run("meta.put", name="tidied_at", value="2125-01-01T00:00:00.000Z")
        assert mem.drain()
        assert [fact.object for fact in mem.facts("ana", kinds=["fact"])] == ["Porto"]
        assert take_tidying(db, now=utc_now() + timedelta(days=1), config=mem.config)


def test_where_no_clock_was_ahead_the_file_is_only_looked_at(mem: memdb.Memory) -> None:
    db = mem._store.database()
    for name in ("tidied_at", "maintained_at"):
        db.run("meta.put", name=name, value=to_text(utc_now() - timedelta(days=1)))
    assert not heed_clock(db, now=utc_now(), config=mem.config)


@pytest.mark.parametrize(("claimed", "thought"), [(timedelta(days=365), True), (timedelta(minutes=5), False)])
def test_a_claim_of_another_machine_whose_clock_was_ahead_holds_up_nothing(tmp_path: Path, claimed: timedelta, thought: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        claim = {"worker": "elsewhere:7:abcdef01", "until": to_text(utc_now() + claimed)}
        db = mem._store.database()
        db.run("queue.claim", most=None, after=None, now=to_text(utc_now()), **claim)
        db.run("upkeep.claim", user_id="ana", **claim)
        assert mem.drain(0.1) == thought
        assert (db.all("upkeep.claimants") == []) == thought


def test_a_pause_that_goes_by_the_clock_is_kept(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32), llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        later = to_text(utc_now() + timedelta(seconds=50))
        mem._store.database().connection.execute("update turns set next_attempt_at = ?", (later,))
        assert not mem.drain()


@pytest.mark.parametrize("worker", [True, False], ids=["by threads", "at once"])
@pytest.mark.parametrize("slower", ["the thinking", "the embedding"])
def test_draining_ends_though_others_write_faster_than_is_worked(tmp_path: Path, slower: str, worker: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as other:

        def write(*, during: str) -> None:
            for _ in range(4 if during == slower else 0):
                other.observe("I like tea and the sea.", user_id="ben")

        class Hashing(HashingEmbedder):
            def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
                write(during="the embedding")
                return super().embed(texts)

        def think(_: ModelRequest) -> str:
            write(during="the thinking")
            return '{"facts": []}'

        llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="scripted")
        config = {"worker": worker, "embed_batch": 2}
        with memdb.open(tmp_path / "mem.db", embedder=Hashing(64), llm=llm, config=config) as mem:
            for place in range(6):
                mem.observe(f"I like thing {place} and the wind.", user_id="ana", session_id="s")
            assert mem.drain(60)
            assert {turn.status for turn in mem.turns("ana")} == {"done"}
            assert all(fact.embedding_id for fact in mem.facts("ana", kinds=["message"]))
            assert mem.turns("ben")


@pytest.mark.parametrize("stays", ["nobody", "who came before"])
def test_draining_waits_for_the_vectors_of_who_is_gone(tmp_path: Path, stays: str) -> None:
    """Also where no fact that is left has so high a number, and there is more to take out than one look allows."""
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32), llm=None, config={"worker": False, "embed_batch": 1}) as mem:
        if stays != "nobody":
            mem.remember("Likes figs", user_id="ana")
        facts = [{"value_text": f"Likes thing {place}", "user_id": "ben"} for place in range(500)]
        mem.remember_many(facts, vectors=HashingEmbedder(32).embed([str(fact["value_text"]) for fact in facts]))
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as words:  # which cannot take them out
            words.forget("ben")
        assert mem.vectors().waiting >= 500
        assert mem.drain(60)
        assert mem.vectors().waiting == 0


def test_a_turn_is_open_again_when_its_lease_or_its_pause_is_over(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1")
        db, (early, noon, late) = mem._store.database(), (f"2125-01-01T{hour}:00:00.000Z" for hour in ("10", "12", "14"))

        def claimed(now: str) -> list[object]:
            return [row["attempts"] for row in db.all("queue.claim", worker="w", now=now, until=noon, most=None, after=None)]

        assert [claimed(now) for now in (early, early, noon)] == [[1], [], [2]]
        [(place,)] = db.connection.execute("select id from turns")
        db.run("queue.put_back", id=place, worker="w", status="queued", next_attempt_at=late, error="")
        assert [claimed(now) for now in (noon, late)] == [[], [3]]


def test_a_turn_that_fails_is_set_aside_after_five_tries_and_gets_another_chance(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        shell = mem._store.database().connection
        shell.execute("create temp trigger no before insert on facts when new.kind = 'fact' begin select raise(abort, 'no'); end")
        mem.observe("I live in Porto.", user_id="ana")
        found = []
        for _ in range(6):
            take_turn(mem._store, mem.config, None, None, identity=new_identity())
            found += [(turn.status, turn.failures) for turn in mem.turns()]
            shell.execute("update turns set next_attempt_at = null")
        assert found == [("queued", 1), ("queued", 2), ("queued", 3), ("queued", 4), ("failed", 5), ("failed", 5)]
        shell.execute("drop trigger no")
        assert (mem.retry(), mem.drain(30), [fact.object for fact in mem.facts("ana")]) == (1, True, ["Porto"])


@pytest.mark.parametrize("does", ["release", "unclaim", "renew", "done", "put_back"])
def test_what_a_worker_does_leaves_the_turn_that_another_has_claimed(mem: memdb.Memory, does: str) -> None:
    for user in ("ana", "bob"):
        mem.observe("I like tea.", user_id=user)
    db, later = mem._store.database(), "9999-01-01T00:00:00.000Z"
    claim: dict[str, str | None] = {"now": "2025-03-01T00:00:00.000Z", "until": "2125-01-01T00:00:00.000Z", "most": None, "after": None}
    own, others = (db.all("queue.claim", worker=worker, **claim)[0]["id"] for worker in ("mine", "theirs"))
    held = db.connection.execute("select * from turns where id = ?", (others,)).fetchall()
    told: dict[str, dict[str, str | None]] = {
        "renew": {"until": later},
        "done": {"now": later, "extracted_by": "rules", "error": None},
        "put_back": {"status": "failed", "next_attempt_at": later, "error": "no"},
    }
    for named in ({"id": others}, {"id": own}) if does in told else ({},):
        db.run(f"queue.{does}", worker="mine", **named, **told.get(does, {}))
    assert db.connection.execute("select * from turns where id = ?", (others,)).fetchall() == held
    assert db.connection.execute("select count(*) from turns where claimed_by = 'mine' and claimed_until < ?", (later,)).fetchall() == [
        (0,)
    ]


def test_a_turn_whose_worker_was_not_let_finish_was_never_begun(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I like tea.", user_id="ana")
        db, later = mem._store.database(), "9999-01-01T00:00:00.000Z"
        for _ in range(30):
            assert db.one("queue.claim", worker="w", now="2025-03-01T00:00:00.000Z", until=later, most=20, after=None)
            db.run("queue.unclaim", worker="w")
        assert [(turn.status, turn.attempts) for turn in mem.turns("ana")] == [("queued", 0)]


def test_a_session_is_as_late_as_its_latest_turn_in_whatever_order_they_come(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for hour in (11, 12, 10):
            mem.observe(f"It is {hour}.", user_id="ana", session_id="s", timestamp=f"2025-03-01T{hour}:00:00Z")
        [(last, turns)] = mem._store.database().connection.execute("select last_turn_at, turns from sessions")
        assert (last, turns) == ("2025-03-01T12:00:00.000Z", 3)


def test_what_is_open_is_counted_by_what_it_waits_for(tmp_path: Path) -> None:
    now, later = "2125-01-01T10:00:00.000Z", "2125-01-01T12:00:00.000Z"
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.remember_many([{"value_text": f"Likes thing {place}", "user_id": "ana"} for place in range(4)])
        for user in ("ana", "ana", "bea"):
            mem.observe("I live in Porto.", user_id=user)
        db = mem._store.database()
        db.connection.execute("delete from outbox where id not between 1 and 4")
        db.connection.execute("update outbox set next_attempt_at = ?, dead = id = 1 where id in (1, 2, 4)", (later,))
        db.connection.execute("update turns set next_attempt_at = ? where id = 1", (later,))  # Ana's second waits for it

        def count(*, turn: int, fact: int | None, embeds: int = 1) -> tuple[object, ...]:
            return tuple((db.one("queue.open", now=now, embeds=embeds, turn=turn, fact=fact) or {}).values())

        newest = db.connection.execute("select max(id) from facts").fetchall()[0][0]
        assert count(turn=3, fact=None) == (3, 2, 3, 2, newest)
        assert count(turn=1, fact=3) == (1, 1, 2, 1, newest)
        assert count(turn=3, fact=None, embeds=0) == (3, 2, 0, 0, newest)


def test_who_observes_does_not_wait_for_the_log_to_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LOG_PAGES_BESIDE", 200)
    log = tmp_path / "mem.db-wal"
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None) as mem:
        for number in range(100):
            mem.observe(f"I have {number} cats", user_id="ana")
            mem.drain()
        assert 200 * 4096 < log.stat().st_size < 1_000 * 4096
        assert mem._store.database().connection.execute("pragma wal_autocheckpoint").fetchall() == [(store._LOG_PAGES,)]
