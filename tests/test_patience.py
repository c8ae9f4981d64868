"""Foreign code is waited for so long and no longer."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from memdb.patience import Callers, Rest, TooLateError


def test_what_is_called_gives_its_answer_or_its_error() -> None:
    callers = Callers("test-calls")
    assert callers.call(lambda: 7, 10) == 7
    with pytest.raises(KeyError, match="lost"):
        callers.call(lambda: dict[str, int]()["lost"], 10)
    assert callers.call(lambda: "still there", 10) == "still there"
    callers.close()


def test_what_is_no_error_of_its_own_kind_is_told_as_one() -> None:
    def leave() -> None:
        raise SystemExit("panic")

    callers = Callers("test-panics")
    with pytest.raises(RuntimeError, match="panic"):
        callers.call(leave, 10)
    callers.close()


def test_one_thread_serves_one_call_after_the_other_and_ends_with_closing() -> None:
    callers = Callers("test-threads")
    first = callers.call(threading.current_thread, 10)
    assert callers.call(threading.current_thread, 10) is first
    callers.close()
    first.join(10)
    assert not first.is_alive()
    after = callers.call(threading.current_thread, 10)
    after.join(10)
    assert not after.is_alive()


def test_calls_at_the_same_time_do_not_wait_for_each_other() -> None:
    callers, both = Callers("test-together"), threading.Barrier(2)
    other = threading.Thread(target=lambda: callers.call(lambda: both.wait(10), 20))
    other.start()
    callers.call(lambda: both.wait(10), 20)
    other.join(10)
    assert not both.broken
    callers.close()


def test_what_comes_too_late_is_given_up_and_others_are_served() -> None:
    callers, go_on = Callers("test-late"), threading.Event()
    with pytest.raises(TooLateError) as late:
        callers.call(lambda: go_on.wait(30), 0.01)
    assert late.value.thread.is_alive()
    assert callers.call(lambda: 1, 10) == 1
    go_on.set()
    late.value.thread.join(10)
    assert not late.value.thread.is_alive()
    callers.close()


def left(rest: Rest) -> float:
    return rest._until - monotonic() if rest.lasts else 0.0


def test_what_fails_is_left_alone_twice_as_long_each_time_until_it_works() -> None:
    rest = Rest(pause=100, longest=300)
    assert left(rest) == 0
    for whole in (100, 200, 300, 300):
        rest.begin("out of order")
        assert whole * 0.5 - 1 < left(rest) <= whole
    rest.end()
    rest.begin("once more")
    assert left(rest) <= 100


def test_a_rest_that_is_interrupted_goes_on_where_it_was_after_the_next_failure() -> None:
    rest = Rest(pause=100, longest=300)
    for _ in range(3):
        rest.begin("out of order")
    rest.interrupt()
    assert (left(rest), rest.error) == (0, "out of order")
    rest.begin("still out of order")
    assert left(rest) > 149
