"""The write-ahead log, moved into the file beside whoever writes: in a thread of its own, over a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable

_LONG = 16 * 1024  # pages: 64 MiB


class LogMover:
    """Moves the log by `move`, in a thread of its own. What it fails to move is safe in the log, and is moved later."""

    def __init__(self, move: Callable[[], None]) -> None:
        self._move = move
        self._pages = 0  # in the log, by the last transaction
        self._thread: threading.Thread | None = None

    def heed(self, pages: int) -> None:
        """Take in how long the log is: SQLite tells it after each transaction, however far the thread has come meanwhile."""
        self._pages = pages

    def go_on(self) -> None:
        """Begin to move what is there now, unless the thread is still at work; wait for it if the log is long."""
        if self._thread is not None:
            if self._thread.is_alive() and self._pages < _LONG:
                return
            self._thread.join()
            if self._pages >= _LONG:
                self._move()  # to the end, while nobody writes: then the log is begun anew, which would grow without bounds otherwise
                self._thread = None
                return
        self._thread = threading.Thread(target=self._move, name="memdb-log", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Move all that is left."""
        if self._thread is not None:
            self._thread.join()
        self._move()
