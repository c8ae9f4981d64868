"""The language model that tells memories, and when it may be asked: neither a backlog nor a model of no use may run away with calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from memdb.llm import LanguageModel, ReplayModel

_IN_A_ROW = 3  # answers of no use, after which it is left alone
_PAUSE, _LONGEST_PAUSE = 60.0, 3_600.0  # seconds; a pause doubles until it is asked with success


class Narrator:
    """A model, and when it may be asked to tell a memory; several threads may share one.

    Of each user it tells `burst` memories at once, and then one each `cooldown` seconds of real time. After three answers in a row that
    were of no use it is left alone for a minute, then for two, and so on up to an hour. Rules tell what it may not.
    """

    def __init__(self, llm: LanguageModel, *, cooldown: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self.llm = llm
        self._cooldown, self._burst, self._clock = cooldown, burst, clock
        self._spent: dict[str, tuple[float, float]] = {}  # of each user: how many of the burst were told, as of when
        self._failed, self._pause, self._asked_again_at = 0, 0.0, 0.0
        self._lock = threading.Lock()

    def refuses(self, user_id: str) -> str | None:
        """Return why the model is not asked for a memory of a user now, or None; then it counts as asked."""
        if isinstance(self.llm, ReplayModel):
            return None  # what was answered once costs nothing, and is told as it was told then
        with self._lock:
            now = self._clock()
            if now < self._asked_again_at:
                return f"The model {self.llm.name} was of no use {self._failed} times in a row; it is asked again in a while."
            if self._cooldown:
                spent, since = self._spent.get(user_id, (0.0, now))
                spent = max(0.0, spent - (now - since) / self._cooldown)
                if spent > self._burst - 1:
                    return f"The model {self.llm.name} has told {self._burst} memories at once; raise generation_burst, or give it time."
                self._spent[user_id] = (spent + 1, now)
            return None

    def heard(self, *, usable: bool) -> None:
        """Take note of whether an answer was of any use."""
        with self._lock:
            self._failed = 0 if usable else self._failed + 1
            if usable:
                self._pause = 0.0
            elif self._failed >= _IN_A_ROW:
                self._pause = min(_LONGEST_PAUSE, max(_PAUSE, self._pause * 2))
                self._asked_again_at = self._clock() + self._pause
