"""How near everything of a user is to a question: the vectors as the file holds them, those last asked for kept in memory."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdb.fusion import Near
from memdb.store import Database, SqlValue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNKS_AT_ONCE = 16  # few enough vectors to stay in the processor's cache, enough of them that Python costs little

_EMPTY_BYTES = 1024  # what keeping track of a shelf costs, so that empty ones are bounded, too


@dataclass(frozen=True)
class _Shelf:
    version: int
    ids: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @property
    def size(self) -> int:
        return _EMPTY_BYTES + self.ids.nbytes + self.vectors.nbytes


class VectorCache:
    """Compares a question with all of a user's vectors, exactly, and keeps those in memory that fit into so many megabytes.

    What is kept is used only while the file says that no vector of the user has changed since, whichever process changes them. The users
    who were not asked about for longest make room. For all threads.
    """

    def __init__(self, megabytes: float) -> None:
        self._room = int(megabytes * 1024 * 1024)
        self._kept: OrderedDict[tuple[str, str], _Shelf] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def near(self, db: Database, question: NDArray[np.float32], *, user_id: str, shelves: Sequence[str]) -> list[Near]:
        """Return the cosine of every vector of these shelves to the question, a unit vector; shelves that hold none are left out.

        The caller holds a snapshot of the file, so that the version and the vectors belong together.
        """
        import numpy as np

        version = self._version(db, user_id)
        kept = self._of(user_id, shelves, version)
        missing = [shelf for shelf in shelves if shelf not in kept]
        if missing and version is not None and self._fit(db, user_id, missing, question):
            for shelf, ids, vectors in _read(db, user_id, missing, question):
                kept[shelf] = _Shelf(version, ids, vectors)
            for shelf in missing:
                empty = _Shelf(version, np.zeros(0, np.int64), np.zeros((0, len(question)), np.float32))
                self._keep(user_id, shelf, kept.setdefault(shelf, empty))
            missing = []
        found = [Near(shelf, one.ids, np.einsum("ij,j->i", one.vectors, question)) for shelf, one in kept.items() if len(one.ids)]
        return found + (list(_passing(db, user_id, missing, question)) if missing else [])

    def forget(self, user_id: str) -> None:
        """Let go of what is kept of a user."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == user_id]:
                self._drop(key)

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._size

    def _version(self, db: Database, user_id: str) -> int | None:
        row = db.one("scan.version", user_id=user_id) if self._room else None
        return int(row["version"] or 0) if row else None

    def _of(self, user_id: str, shelves: Sequence[str], version: int | None) -> dict[str, _Shelf]:
        with self._lock:
            held = {shelf: self._kept[user_id, shelf] for shelf in shelves if (user_id, shelf) in self._kept}
            for shelf, one in held.items():
                if one.version == version:
                    self._kept.move_to_end((user_id, shelf))
                else:
                    self._drop((user_id, shelf))
        return {shelf: one for shelf, one in held.items() if one.version == version}

    def _fit(self, db: Database, user_id: str, shelves: Sequence[str], question: NDArray[np.float32]) -> bool:
        """Whether there is room for these shelves; those of a user too large for it would only drive out all others."""
        slots = sum(int(row["slots"] or 0) for row in db.all("scan.sizes", user_id=user_id, shelves=json.dumps(shelves)))
        return slots * (8 + question.nbytes) <= self._room

    def _keep(self, user_id: str, shelf: str, one: _Shelf) -> None:
        with self._lock:
            self._drop((user_id, shelf))
            self._kept[user_id, shelf] = one
            self._size += one.size
            while self._size > self._room:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, str]) -> None:
        if (dropped := self._kept.pop(key, None)) is not None:
            self._size -= dropped.size


def _read(
    db: Database, user_id: str, shelves: Sequence[str], question: NDArray[np.float32]
) -> Iterable[tuple[str, NDArray[np.int64], NDArray[np.float32]]]:
    """The ids and vectors of each shelf, whole."""
    import numpy as np

    parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float32]]]] = {}
    for batch in db.batches("scan.chunks", _CHUNKS_AT_ONCE, user_id=user_id, shelves=json.dumps(shelves)):
        for shelf, ids, taken, vectors in _blocks(batch, len(question)):
            parts.setdefault(shelf, []).append((ids[taken], vectors[taken]))
    for shelf, blocks in parts.items():
        yield shelf, np.concatenate([ids for ids, _ in blocks]), np.concatenate([vectors for _, vectors in blocks])


def _passing(db: Database, user_id: str, shelves: Sequence[str], question: NDArray[np.float32]) -> Iterable[Near]:
    """The cosines of each shelf; the vectors pass by and are not kept."""
    import numpy as np

    parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float32]]]] = {}
    for batch in db.batches("scan.chunks", _CHUNKS_AT_ONCE, user_id=user_id, shelves=json.dumps(shelves)):
        for shelf, ids, taken, vectors in _blocks(batch, len(question)):
            parts.setdefault(shelf, []).append((ids[taken], np.einsum("ij,j->i", vectors, question)[taken]))
    for shelf, blocks in parts.items():
        yield Near(shelf, np.concatenate([ids for ids, _ in blocks]), np.concatenate([cosines for _, cosines in blocks]))


def _blocks(
    batch: list[tuple[SqlValue, ...]], dimension: int
) -> Iterable[tuple[str, NDArray[np.int64], NDArray[np.bool_], NDArray[np.float32]]]:
    """Consecutive chunks of a shelf brought together: ids, which slots are taken, and vectors, little-endian as vec0 writes them."""
    import numpy as np

    by_shelf: dict[str, list[tuple[SqlValue, ...]]] = {}
    for row in batch:
        by_shelf.setdefault(str(row[0]), []).append(row)
    for shelf, rows in by_shelf.items():
        taken = np.unpackbits(np.frombuffer(_joined(rows, 1), np.uint8), bitorder="little").astype(np.bool_)
        yield (
            shelf,
            np.frombuffer(_joined(rows, 2), "<i8"),
            taken,
            np.frombuffer(_joined(rows, 3), "<f4").reshape(-1, dimension),
        )


def _joined(rows: list[tuple[SqlValue, ...]], place: int) -> bytes:
    return b"".join(value for row in rows if isinstance(value := row[place], bytes))
