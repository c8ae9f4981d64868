"""Which rows of a user a search may find, told from where their vectors stand, so that hardly a row has to be read for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from memdb.candidates import Near, Words, only
from memdb.database import Database, listed
from memdb.records import LIVE, Status

_MANY = 2_000  # rows that wait for their vectors; fewer are looked at one by one
_WIDE = 1_000_000  # bytes that a map of what may be found has at most, one for each row from the first to the last

_ENDING = 64  # rows that are believed until some time, that are looked at first


@dataclass(frozen=True)
class Eligible:
    """What may be found: a byte a row from the one after `before`, 0 or the place of its kind; and the vectors of just that, or of more.

    Of the vectors, those that belong to the living may be more: what ended since is left out by the ranking.
    """

    kinds: Sequence[str]
    marks: bytes
    before: int
    near: Sequence[Near]

    def words(self, db: Database, terms: str, *, columns: Mapping[str, float]) -> Words:
        """What the words find of it; `columns` weighs those of the full-text index."""
        found = cast(list[tuple[int, float]], db.tuples("scan.matches", terms=terms, mine=self.marks, before=self.before, **columns))
        if not found:
            return Words()
        ids, bm25 = cast(tuple[tuple[int, ...], tuple[float, ...]], tuple(zip(*found, strict=True)))
        return Words(ids, bm25, self._kind_of)

    def holds(self, kind: str) -> bool:
        """Return whether any row of this kind may be found."""
        return kind in self.kinds and self.kinds.index(kind) in self.marks

    def _kind_of(self, id: int) -> str:
        return self.kinds[self.marks[id - self.before - 1]]


def eligible(
    db: Database, near: Sequence[Near], *, user_id: str, kinds: Sequence[str], statuses: Sequence[Status], now: str
) -> Eligible | None:
    """Return what may be found of these kinds now, the living and what has one of the other statuses, however old.

    `near` holds the vectors of the user on the shelves of these kinds, on `closed` where other statuses are asked for, and windows.
    A vector stands on the shelf of its row's kind while the row is believed; what was changed since stands in the outbox. None where that
    is too much to look at, or the map would take too much room.
    """
    import numpy as np

    living = [one for one in near if one.shelf not in ("window", "closed")]
    wanted = listed(kinds)
    waiting = cast(list[tuple[int, str | None, str | None]], db.kept("scan.waiting", user_id=user_id, kinds=wanted, limit=_MANY))
    ended = _ended(db, user_id, now)
    found = [(id, kind) for id, kind, ends in waiting if kind is not None and (ends is None or ends > now)]
    if others := sorted(set(statuses) - set(LIVE)):
        closed = cast(list[tuple[int, str]], db.tuples("scan.closed", user_id=user_id, kinds=wanted, statuses=listed(others), now=now))
        near = [only([one], [id for id, _ in closed])[0] if one.shelf == "closed" else one for one in near]
        found += closed
    ends = [*(int(end) for one in living for end in (one.ids[0], one.ids[-1])), *(id for id, _ in found)]
    if len(waiting) == _MANY or not ends:
        return None
    first, last = min(ends), max(ends)
    if last - first >= _WIDE:
        return None
    marks, places = np.zeros(last - first + 1, np.uint8), {kind: place for place, kind in enumerate(kinds, 1)}
    for one in living:
        is_run = one.ids[-1] - one.ids[0] == len(one.ids) - 1
        marks[slice(one.ids[0] - first, one.ids[-1] - first + 1) if is_run else one.ids - first] = places[one.shelf]
    for id in (*(id for id, _, _ in waiting), *ended):
        if first <= id <= last:
            marks[id - first] = 0
    for id, kind in found:
        marks[id - first] = places[kind]
    return Eligible(["", *kinds], marks.tobytes(), first - 1, near)


def _ended(db: Database, user_id: str, now: str) -> list[int]:
    """What is believed no longer by its own time, though nobody has ended it yet."""
    limit = _ENDING
    while True:
        ending = cast(list[tuple[int, str]], db.kept("scan.ending", user_id=user_id, limit=limit))
        ended = [id for id, ends in ending if ends <= now]
        if len(ended) < limit:
            return ended
        limit *= 16
