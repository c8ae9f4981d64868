"""How threads wake each other, so that Ctrl-C at any moment leaves nothing locked.

Events and conditions of `threading` are written in Python: where the main thread is interrupted within one, its lock may stay taken, and
whoever asks for it next, such as the closing that follows, waits for ever. A queue of C's is whole at every moment.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue


class Wake:
    """What one thread waits for: to be told once by any other, now or before it began to wait."""

    def __init__(self) -> None:
        self._told: SimpleQueue[None] = SimpleQueue()

    def tell(self) -> None:
        """Let the thread go on, now or where it waits next."""
        if self._told.empty():
            self._told.put(None)

    def wait(self, seconds: float) -> None:
        """Wait until told, so many seconds at most; what was told until then counts once."""
        with suppress(Empty):
            self._told.get(timeout=seconds)
            while True:
                self._told.get_nowait()


class Progress:
    """What any number of threads wait for together: that something was done after they began to wait."""

    def __init__(self) -> None:
        self._waiting: deque[Wake] = deque()

    def tell(self) -> None:
        """Let all go on that wait."""
        with suppress(IndexError):
            while True:
                self._waiting.popleft().tell()

    def wait(self, seconds: float) -> None:
        """Wait until something is done, so many seconds at most."""
        wake = Wake()
        self._waiting.append(wake)
        try:
            wake.wait(seconds)
        finally:
            with suppress(ValueError):
                self._waiting.remove(wake)
