"""Working memory: what a session has in mind. It lives in the process alone, holds few things, and lets the others go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal

from memdb import checks
from memdb.records import Record

Eviction = Literal["fifo", "lru", "importance"]


class WorkingItem(Record):
    """One thing in mind. `kept` ones are in the file already, `fact_id` under this id; the others are lost unless they are flushed."""

    text: str
    kind: str = "note"
    key: str | None = None
    importance: float = 0.5
    fact_id: str | None = None
    kept: bool = False
    added_at: datetime
    used_at: datetime


class WorkingMemory:
    """At most `capacity` items, oldest first. When it is full, what is kept in the file goes before what is not, and `eviction` says which.

    "fifo" lets go of what came first, "lru" of what was used longest ago, "importance" of what matters least (of equals, what came first).
    All methods may be called from any thread.
    """

    def __init__(self, capacity: int, eviction: Eviction, clock: Callable[[], datetime], *, kinds: Sequence[str] = ("note",)) -> None:
        self.capacity, self.eviction, self.kinds = capacity, eviction, kinds
        self._clock = clock
        self._items: list[WorkingItem] = []  # in the order they came
        self._uses: dict[str, int] = {}  # counts up with every use: two uses within a clock's tick are told apart
        self._lock = threading.RLock()

    def add(
        self,
        text: str,
        *,
        kind: str = "note",
        key: str | None = None,
        importance: float = 0.5,
        fact_id: str | None = None,
        kept: bool = False,
    ) -> WorkingItem | None:
        """Take something into mind and return what had to go for it, if anything; that may be the new one itself.

        The same text again is a use of what is there, which has come last then. A flush keeps the item as a row of `kind`, under `key`,
        unless it is `kept`.

        Raises:
            InputError: the text is empty or no valid Unicode, there is no such kind, or another argument cannot be used: what could not be
                flushed cannot come to mind.
        """
        checks.filled(text, "text")
        checks.share(importance, "importance")
        if not checks.truth(kept, "kept"):
            checks.one_of(kind, self.kinds, "kind")
        checks.text(kind, "kind")
        if fact_id is not None:
            checks.name(fact_id, "fact_id")
        if key is not None:
            checks.key(key)
        now = self._clock()
        with self._lock:
            known = self._find(text)
            if known is not None:
                raised = max(known.importance, importance)
                changed = {"importance": raised, "fact_id": fact_id or known.fact_id, "kept": kept or known.kept, "used_at": now}
                self._replace(known, changed)
                if self.eviction == "fifo":  # it came again, and last of all
                    self._items.append(self._items.pop(self._items.index(self._find(text) or known)))
                return None
            item = WorkingItem(text=text, kind=kind, key=key, importance=importance, fact_id=fact_id, kept=kept, added_at=now, used_at=now)
            self._items.append(item)
            self._use(item)
            return self._let_go() if len(self._items) > self.capacity else None

    def touch(self, text: str) -> bool:
        """Note that something was used; return whether it is in mind."""
        with self._lock:
            known = self._find(text)
            if known is None:
                return False
            self._replace(known, {"used_at": self._clock()})
            return True

    def keep(self, text: str, fact_id: str) -> None:
        """Note that something is in the file now.

        Raises:
            InputError: `fact_id` is none that there can be.
        """
        checks.name(fact_id, "fact_id")
        with self._lock:
            known = self._find(text)
            if known is not None:
                self._replace(known, {"fact_id": fact_id, "kept": True})

    def drop(self, text: str) -> bool:
        """Let something go; return whether it was in mind."""
        with self._lock:
            known = self._find(text)
            if known is None:
                return False
            self._items.remove(known)
            self._uses.pop(text, None)
            return True

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            self._items.clear()
            self._uses.clear()

    @property
    def items(self) -> tuple[WorkingItem, ...]:
        """What is in mind, oldest first."""
        with self._lock:
            return tuple(self._items)

    def __len__(self) -> int:
        """How many items are in mind."""
        return len(self._items)

    def __iter__(self) -> Iterator[WorkingItem]:
        """Iterate over what is in mind, oldest first."""
        return iter(self.items)

    def __contains__(self, text: object) -> bool:
        """Whether a text is in mind."""
        return any(item.text == text for item in self.items)

    def _find(self, text: str) -> WorkingItem | None:
        return next((item for item in self._items if item.text == text), None)

    def _replace(self, known: WorkingItem, changed: Mapping[str, object]) -> None:
        item = known.model_copy(update=changed)
        self._items[self._items.index(known)] = item
        self._use(item)

    def _use(self, item: WorkingItem) -> None:
        self._uses[item.text] = max(self._uses.values(), default=0) + 1

    def _let_go(self) -> WorkingItem:
        kept = [item for item in self._items if item.kept] or self._items  # the file has these: nothing is lost with them
        if self.eviction == "lru":
            gone = min(kept, key=lambda item: self._uses[item.text])
        elif self.eviction == "importance":
            gone = min(kept, key=lambda item: item.importance)  # of equals the first, which came first
        else:
            gone = kept[0]
        self._items.remove(gone)
        self._uses.pop(gone.text, None)
        return gone
