"""Waking threads: what is told is heard once, and Ctrl-C at any moment leaves nothing locked."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import memdb
from memdb.waking import Progress, Wake

LONG = 60.0


def beside(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread


def test_what_is_told_before_the_wait_ends_it_once() -> None:
    wake = Wake()
    wake.tell()
    wake.tell()
    wake.wait(LONG)
    began = time.monotonic()
    wake.wait(0.05)
    assert time.monotonic() - began >= 0.05


def test_who_waits_is_woken_by_another_thread() -> None:
    wake = Wake()
    waiting = beside(lambda: wake.wait(LONG))
    wake.tell()
    waiting.join(LONG / 2)
    assert not waiting.is_alive()


def test_all_that_wait_for_progress_are_woken_and_nobody_by_what_was_done_before() -> None:
    progress = Progress()
    progress.tell()
    waiting = [beside(lambda: progress.wait(LONG)) for _ in range(3)]
    time.sleep(0.05)
    assert all(thread.is_alive() for thread in waiting)
    while any(thread.is_alive() for thread in waiting):  # one of them may have come late
        progress.tell()
        time.sleep(0.01)


def test_who_waited_in_vain_is_waited_for_no_more() -> None:
    progress = Progress()
    for _ in range(3):
        progress.wait(0.0)
    assert not progress._waiting


@pytest.fixture
def alarms() -> Iterator[Callable[[float], None]]:
    """Have the main thread interrupted as by Ctrl-C, so many seconds later."""

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGALRM, interrupt)

    def alarm(seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    yield alarm
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, usual)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
@pytest.mark.parametrize("act", ["tell", "wait", "progress"])
def test_ctrl_c_at_any_moment_leaves_nothing_locked(alarms: Callable[[float], None], act: str) -> None:
    wake, progress = Wake(), Progress()
    acts: dict[str, Callable[[], None]] = {"tell": wake.tell, "wait": lambda: wake.wait(0.0), "progress": lambda: progress.wait(0.0)}
    for turn in range(400):
        with pytest.raises(KeyboardInterrupt):
            alarms(0.0002 + turn * 0.000001)
            while True:
                acts[act]()
        others = [beside(wake.tell), beside(progress.tell), beside(lambda: wake.wait(0.0))]
        for other in others:
            other.join(LONG / 2)
        assert not any(other.is_alive() for other in others)


def test_a_memory_closes_in_about_a_second_also_where_ctrl_c_made_something_else_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_it, over = threading.Event(), threading.Event()

    def think(*_: object, **__: object) -> None:
        at_it.set()
        over.wait(LONG)

    monkeypatch.setattr("memdb.worker.process", think)
    with pytest.raises(RuntimeError, match="release"), memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        at_it.wait(LONG)
        began = time.monotonic()
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("cannot release a lock that is not taken") from None
    assert time.monotonic() - began < LONG / 2  # nobody waited for what is thought
    over.set()
