"""Which rows of a user a search may find, told from where their vectors stand, so that hardly a row has to be read for it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

from memdb.fusion import Near, Word, only
from memdb.records import LIVE, Status
from memdb.store import Database

_MANY = 2_000  # rows that wait for their vectors; fewer are looked at one by one
_WIDE = 1_000_000  # bytes that a map of what may be found has at most, one for each row from the first to the last


@dataclass(frozen=True)
class Eligible:
    """What may be found: a byte a row from the one after `before`, 0 or the place of its kind; and the vectors of just that, or of more.

    Of the vectors, those that belong to the living may be more: what ended since is left out by the ranking.
    """

    kinds: Sequence[str]
    marks: bytes
    before: int
    near: Sequence[Near]

    def words(self, db: Database, terms: str, *, columns: Mapping[str, float]) -> list[Word]:
        """What the words find of it; `columns` weighs those of the full-text index."""
        found = chain.from_iterable(db.batches("scan.matches", 10_000, terms=terms, mine=self.marks, before=self.before, **columns))
        return [(id, self.kinds[mark[0]], bm25) for id, mark, bm25 in cast(Iterable[tuple[int, bytes, float]], found)]


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
    wanted = json.dumps(list(kinds))
    waiting = list(chain.from_iterable(db.batches("scan.waiting", _MANY, user_id=user_id, kinds=wanted, now=now, limit=_MANY)))
    closed = []
    if others := sorted(set(statuses) - set(LIVE)):
        closed = list(chain.from_iterable(db.batches("scan.closed", _MANY, user_id=user_id, kinds=wanted, statuses=json.dumps(others))))
        ids = [cast(int, id) for id, _ in closed]
        near = [only([one], ids)[0] if one.shelf == "closed" else one for one in near]
    ids_of = [*(one.ids for one in living), *(np.array([id for id, _ in rows], np.int64) for rows in (waiting, closed))]
    present = [ids for ids in ids_of if len(ids)]
    if len(waiting) == _MANY or not present:
        return None
    first, last = min(int(ids.min()) for ids in present), max(int(ids.max()) for ids in present)
    if last - first >= _WIDE:
        return None
    marks, places = np.zeros(last - first + 1, np.uint8), {kind: place for place, kind in enumerate(kinds, 1)}
    for one in living:
        marks[one.ids - first] = places[one.shelf]
    for (id,) in chain.from_iterable(db.batches("scan.over", _MANY, user_id=user_id, now=now)):
        if first <= cast(int, id) <= last:
            marks[cast(int, id) - first] = 0
    for id, kind in chain(waiting, closed):
        marks[cast(int, id) - first] = places[str(kind)] if kind is not None else 0
    return Eligible(["", *kinds], marks.tobytes(), first - 1, near)
