"""An embedder that nobody waits for longer than so many seconds; the last vectors that it made are remembered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from memdb import forking
from memdb.config import Config
from memdb.embed import Embedder, check_vectors
from memdb.errors import ModelUnavailable
from memdb.patience import Callers, Rest, TooLateError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEMBERED = 256  # texts


class Patient:
    """Another embedder, waited for so many seconds: afterwards asking it fails, at once if an earlier answer has been out for as long.

    It remembers the last vectors: what was new a moment ago is soon compared with what comes next. `rest` is how long the background work
    leaves the other one alone when it is down: an answer ends it.
    """

    def __init__(self, embedder: Embedder, seconds: float, *, rest: Rest) -> None:
        self.name, self.dimension = embedder.name, embedder.dimension
        self._embedder, self._seconds = embedder, seconds
        self.rest = rest
        self._callers = Callers("memdb-embedding")
        self._late: tuple[threading.Thread, float] | None = None
        self._last: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self._prepared = False

    def prepare(self) -> None:
        """Have the embedder load what it needs, which may take long the first time; one that cannot says so when it is asked."""
        if not self._prepared:
            self._prepared = True
            with suppress(Exception):  # foreign code
                self._ask([], self._seconds)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text.

        Raises:
            ModelUnavailable: the embedder takes too long. What it raises itself is raised here, too.
        """
        return self.embed_within(self._seconds, texts)

    def embed_within(self, seconds: float, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, if that takes no longer than `seconds`."""
        with forking.foreign.entered():
            import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            known = {text: self._last[text] for text in texts if text in self._last}
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            made = check_vectors(self._ask(new, seconds), count=len(new), dimension=self.dimension, embedder=self.name)
            self.rest.end()
            known |= dict(zip(new, made, strict=True))
            with self._lock:
                self._last |= {text: known[text] for text in new}
                while len(self._last) > _REMEMBERED:
                    self._last.popitem(last=False)
        return np.stack([known[text] for text in texts])

    def forget(self) -> None:
        """Let go of what it remembers."""
        with self._lock:
            self._last.clear()

    def close(self) -> None:
        """Let go of the threads that the other embedder is asked in."""
        self._callers.close()

    def _ask(self, texts: Sequence[str], seconds: float) -> NDArray[np.float32]:
        until = monotonic() + seconds
        if self._late is not None:
            thread, since = self._late
            thread.join(max(0.0, since + seconds - monotonic()))
            if thread.is_alive():
                raise ModelUnavailable(f"The embedder {self.name} is still at an earlier question; words alone decide until it answers.")
        asked = monotonic()
        try:
            return self._callers.call(lambda: self._embedder.embed(texts), max(0.0, until - asked))
        except TooLateError as error:
            self._late = error.thread, asked
            raise ModelUnavailable(
                f"The embedder {self.name} took longer than {seconds:.2g} seconds, perhaps since it is being loaded; words alone decide."
            ) from None


def patiently(embedder: Embedder | None, config: Config) -> Patient | None:
    """Return the embedder as one that a turn waits for only so long."""
    if embedder is None:
        return None
    rest = Rest(pause=config.retry_base_seconds, longest=config.retry_max_seconds)
    return Patient(embedder, config.embed_patience_seconds, rest=rest)


class Hurried:
    """A patient embedder that all the questions of one write wait for only so many seconds."""

    def __init__(self, patient: Patient, seconds: float) -> None:
        self.name, self.dimension = patient.name, patient.dimension
        self._patient, self._until = patient, monotonic() + seconds

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text.

        Raises:
            ModelUnavailable: the time is over. What the embedder raises itself is raised here, too.
        """
        left = self._until - monotonic()
        if left <= 0:
            raise ModelUnavailable(f"The embedder {self.name} takes too long to wait for it any more; words alone decide.")
        return self._patient.embed_within(left, texts)
