"""Foreign code, called so that nobody waits for it longer than he is willing to, and left alone for a while when it fails."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar

from memdb.config import Config
from memdb.times import to_text

Result = TypeVar("Result")

_LEAST_PAUSE = 0.1  # seconds
_MOST_DOUBLINGS = 30  # of a pause; beyond a thousand no float holds them
_ENDS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class TooLateError(Exception):
    """No answer came in time. `thread` is still at it; what it finds is lost."""

    def __init__(self, thread: threading.Thread) -> None:
        super().__init__("no answer came in time")
        self.thread = thread


@contextmanager
def panics_told() -> Iterator[None]:
    """Have what is no Exception, such as a panic of Rust's, raised as a RuntimeError: a thread would end with it.

    In the main thread Ctrl-C and `sys.exit` are what they are; in any other one they can only come from the foreign code itself.
    """
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if isinstance(error, _ENDS) and threading.current_thread() is threading.main_thread():
            raise
        raise RuntimeError(repr(error)) from error


class Callers:
    """Threads that do what they are given; each waits for its next task, as starting one takes longer than many a task. For all threads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: list[_Caller] = []
        self._lock = threading.Lock()
        self._closed = False

    def call(self, act: Callable[[], Result], timeout: float) -> Result:
        """Return what `act` returns.

        Raises:
            TooLateError: it took longer than `timeout` seconds.
            Exception: whatever it raises; what is no Exception, such as a panic of Rust's, as a RuntimeError.
        """
        done: list[Result] = []
        caller: _Caller | None = None
        try:
            with self._lock:
                caller = self._idle.pop() if self._idle else None
            caller = caller or _Caller(self._name)
            failure = caller.call(lambda: done.append(act()), timeout)
        except Empty:
            assert caller is not None
            caller.end()
            raise TooLateError(caller.thread) from None
        except BaseException:  # interrupted while waiting
            if caller is not None:
                caller.end()
            raise
        with self._lock:
            if self._closed:
                caller.end()
            else:
                self._idle.append(caller)
        if failure is not None:
            raise failure if isinstance(failure, Exception) else RuntimeError(repr(failure))
        return done[0]

    def __del__(self) -> None:
        for caller in self._idle:
            caller.end()

    def close(self) -> None:
        """Let go of the threads; one that is at work ends after it."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for caller in idle:
            caller.end()


def pause_after(failures: int, *, first: float, longest: float) -> float:
    """Return how many seconds to leave alone what has failed so often: `first`, twice as long each time up to `longest`, with jitter."""
    return min(longest, first * 2.0 ** min(failures - 1, _MOST_DOUBLINGS)) * random.uniform(0.5, 1.0)


def postponed(attempts: int, error: str, *, now: datetime, config: Config) -> dict[str, str | int]:
    """Return when to try again what has failed once more than so often, as a statement takes it: when, how often at most, and why."""
    pause = pause_after(attempts + 1, first=config.retry_base_seconds, longest=config.retry_max_seconds)
    at = to_text(now + timedelta(seconds=pause))
    return {"next_attempt_at": at, "max_attempts": config.embed_max_attempts, "error": error[:500]}


class Rest:
    """How long background work leaves alone what failed: `pause` seconds, twice as long each time up to `longest`, until it works again.

    `error` tells what failed, and is None while it works. For all threads.
    """

    def __init__(self, *, pause: float, longest: float) -> None:
        self._pause, self._longest = pause, longest
        self._failures, self._until = 0, 0.0
        self.error: str | None = None

    @property
    def lasts(self) -> bool:
        """Whether it is to be left alone still."""
        return monotonic() < self._until

    def begin(self, error: str) -> None:
        """Leave it alone from now on, since it failed."""
        self._failures += 1
        pause = pause_after(self._failures, first=self._pause, longest=self._longest)
        self._until, self.error = monotonic() + max(_LEAST_PAUSE, pause), error

    def interrupt(self) -> None:
        """Let it be tried at once, though nobody knows whether it works."""
        self._until = 0.0

    def end(self) -> None:
        """It works."""
        self._failures, self._until, self.error = 0, 0.0, None


class _Caller:
    def __init__(self, name: str) -> None:
        self._given: SimpleQueue[tuple[Callable[[], None], SimpleQueue[BaseException | None]] | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def call(self, act: Callable[[], None], timeout: float) -> BaseException | None:
        answer: SimpleQueue[BaseException | None] = SimpleQueue()
        self._given.put((act, answer))
        return answer.get(timeout=timeout)

    def end(self) -> None:
        self._given.put(None)

    def _run(self) -> None:
        while (given := self._given.get()) is not None:
            act, answer = given
            failure: BaseException | None = None
            try:
                act()
            except BaseException as error:  # told to the thread that waits
                failure = error
            answer.put(failure)
            del given, act, answer, failure  # or what was found would be kept until the next task
