"""Foreign code, called so that nobody waits for it longer than he is willing to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

Result = TypeVar("Result")


class TooLateError(Exception):
    """No answer came in time. `thread` is still at it; what it finds is lost."""

    def __init__(self, thread: threading.Thread) -> None:
        super().__init__("no answer came in time")
        self.thread = thread


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
        with self._lock:
            caller = self._idle.pop() if self._idle else _Caller(self._name)
        done: list[Result] = []
        try:
            failure = caller.call(lambda: done.append(act()), timeout)
        except Empty:
            caller.end()
            raise TooLateError(caller.thread) from None
        except BaseException:  # interrupted while waiting
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

    def close(self) -> None:
        """Let go of the threads; one that is at work ends after it."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for caller in idle:
            caller.end()


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
