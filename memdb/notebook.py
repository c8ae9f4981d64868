"""What was asked and recalled, noted while reading and written down later: reading never waits for the write lock."""

from __future__ import annotations

import threading
from collections import deque
from datetime import datetime
from time import monotonic

from memdb import checks, stored
from memdb.answers import Hits
from memdb.config import Config
from memdb.database import SqlValue
from memdb.errors import StoreError
from memdb.keeper import reinforce
from memdb.store import Store
from memdb.times import to_text

_ASKED = 1_000  # questions that are noted at most; older ones are let go of


class Notebook:
    """The notes of one process. For all threads."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store, self._config = store, config
        self._read_only = store.read_only
        self._asked: deque[tuple[float, dict[str, SqlValue]]] = deque(maxlen=_ASKED)  # each with when, by the clock that nobody sets
        self._forgotten_before = store.told.forgotten
        self._recalled: dict[str, tuple[int, datetime]] = {}
        self._lock = threading.Lock()

    def note(self, query: str, hits: Hits, *, user_id: str, weights: str, at: datetime, prompt_tokens: int | None = None) -> None:
        """Note what was asked, unless the setting `record_retrievals` is off, and which first-person memories it recalled.

        In a file that can be read only, nothing is noted.
        """
        recalled = [hit.fact.fact_id for hit in hits if hit.fact.kind == "narrative"]
        if self._read_only or (not recalled and not self._config.record_retrievals):
            return
        entry: dict[str, SqlValue] = {
            "user_id": user_id,
            "query": checks.searchable(query)[:1_000],
            "weights": weights,
            "lexical_hits": hits.lexical,
            # each row is some way off in meaning: only what is as near as bears on a question was found by it
            "vector_hits": sum(hit.parts.get("cosine", 0.0) >= self._config.bearing_match for hit in hits) if hits.semantic else 0,
            "returned": len(hits),
            "decision": hits.verdict.decision if hits.verdict else None,
            "degraded": hits.degraded,
            "elapsed_ms": hits.elapsed_ms,
            "prompt_tokens": prompt_tokens,
            "now": to_text(at),
        }
        with self._lock:
            for fact_id in recalled:
                times, last = self._recalled.get(fact_id, (0, at))
                self._recalled[fact_id] = (times + 1, max(last, at))
            if self._config.record_retrievals:
                self._asked.append((monotonic(), entry))

    def forget(self, user_id: str) -> None:
        """Let go of what was noted of a user's questions."""
        with self._lock:
            self._asked = deque((noted for noted in self._asked if noted[1]["user_id"] != user_id), maxlen=_ASKED)

    def write_down_asked(self) -> None:
        """Write down what was asked. What was noted before another process forgot somebody may name what is forgotten, and is left out.

        That is told by the clock that runs since the machine was started, the same one in all processes. What was forgotten before this one
        opened the file, perhaps before the machine was started, is of no concern.

        Raises:
            StoreError: the file cannot be written, as on a full disk; what was noted is kept.
        """
        if not self._asked:
            return
        db = self._store.database()
        asked: deque[tuple[float, dict[str, SqlValue]]] = deque()
        try:
            with db.transaction():
                forgotten = stored.meta(db).get("forgotten")
                with self._lock:
                    asked, self._asked = self._asked, deque(maxlen=_ASKED)
                since = float(forgotten) if forgotten is not None and forgotten != self._forgotten_before else 0.0
                db.run_many("stats.asked", [entry for noted_at, entry in asked if noted_at > since])
        except StoreError:
            with self._lock:
                self._asked = deque([*asked, *self._asked], maxlen=_ASKED)
            raise

    def recalled(self) -> dict[str, tuple[int, datetime]]:
        """Which memories were recalled and are still to be reinforced, how often and when last."""
        with self._lock:
            return dict(self._recalled)

    def write_down_recalled(self) -> None:
        """Reinforce what was recalled.

        Raises:
            StoreError: another process writes, or the disk is full; what was noted is kept.
        """
        if self._recalled:
            with self._lock:
                recalled, self._recalled = self._recalled, {}
            db = self._store.database()
            try:
                with db.transaction():
                    reinforce(db, recalled, config=self._config)
            except StoreError:
                with self._lock:
                    for fact_id, (times, last) in recalled.items():
                        more, later = self._recalled.get(fact_id, (0, last))
                        self._recalled[fact_id] = (times + more, max(last, later))
                raise
