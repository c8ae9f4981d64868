"""How near everything of a user is to a question: the vectors as the file holds them, those last asked for kept in memory."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memdb.fusion import Near
from memdb.store import Database, SqlValue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNKS_AT_ONCE = 16  # few enough vectors to stay in the processor's cache, enough of them that Python costs little
_BLOCK = 128  # chunks that are kept, and brought up to date, together

_EMPTY_BYTES = 1024  # what keeping track of a shelf costs, so that empty ones are bounded, too


@dataclass(frozen=True)
class _Block:
    """Consecutive chunks: of each the slots that are taken and their ids, as vec0 writes them, and the vectors of all slots."""

    marks: NDArray[np.uint8]
    taken: NDArray[np.bool_]
    ids: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def cosines(self, question: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of every vector to the question, a unit vector."""
        import numpy as np

        cosines: NDArray[np.float32] = np.einsum("ij,j->i", self.vectors, question)
        return cosines if len(self.ids) == len(cosines) else cosines[self.taken]


@dataclass(frozen=True)
class _Shelf:
    """What is kept of a shelf. `made` is another number once the index was made anew, when chunks have other contents under old names."""

    version: int
    made: int
    chunks: NDArray[np.int64]
    blocks: tuple[_Block, ...]

    @property
    def size(self) -> int:
        return _EMPTY_BYTES + self.chunks.nbytes + sum(one.marks.nbytes + one.ids.nbytes + one.vectors.nbytes for one in self.blocks)


class VectorCache:
    """Compares a question with all of a user's vectors, exactly, and keeps those in memory that fit into so many megabytes.

    What is kept is used only while the file says that no vector of the user has changed since, whichever process changes them; then what
    changed is read again. The users who were not asked about for longest make room. For all threads.
    """

    def __init__(self, megabytes: float, *, block: int = _BLOCK) -> None:
        self._block = block
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
        held = self._of(user_id, shelves)
        kept = {shelf: one for shelf, one in held.items() if one.version == version}
        missing = [shelf for shelf in shelves if shelf not in kept]
        if missing and version is not None and self._fit(db, user_id, missing, question):
            made = int((db.one("scan.made") or {})["schema_version"] or 0)
            for shelf, one in _current(
                db, user_id, missing, held, version=version, made=made, question=question, block=self._block
            ).items():
                kept[shelf] = one
                self._keep(user_id, shelf, one)
            missing = []
        found = [
            Near(shelf, np.concatenate([one.ids for one in blocks]), np.concatenate([one.cosines(question) for one in blocks]))
            for shelf in shelves
            if shelf in kept and (blocks := kept[shelf].blocks)
        ]
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

    def _of(self, user_id: str, shelves: Sequence[str]) -> dict[str, _Shelf]:
        with self._lock:
            held = {shelf: self._kept[user_id, shelf] for shelf in shelves if (user_id, shelf) in self._kept}
            for shelf in held:
                self._kept.move_to_end((user_id, shelf))
        return held

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


def _current(
    db: Database,
    user_id: str,
    shelves: Sequence[str],
    held: dict[str, _Shelf],
    *,
    version: int,
    made: int,
    question: NDArray[np.float32],
    block: int,
) -> dict[str, _Shelf]:
    """Each shelf as the file has it now; of what is held only the chunks that changed are read again."""
    import numpy as np

    chunks: dict[str, list[int]] = {shelf: [] for shelf in shelves}
    marks: dict[str, list[bytes]] = {shelf: [] for shelf in shelves}
    for batch in db.batches("scan.marks", 1_000, user_id=user_id, shelves=json.dumps(shelves)):
        for shelf, chunk, validity, rowids in cast(list[tuple[str, int, bytes, bytes]], batch):
            chunks[shelf].append(chunk)
            marks[shelf].append(validity + rowids)
    current = {}
    for shelf in shelves:
        there = np.array(chunks[shelf], np.int64)
        before = held.get(shelf)
        usable = before is not None and before.made == made and np.array_equal(there[: len(before.chunks)], before.chunks)
        current[shelf] = _Shelf(
            version, made, there, tuple(_blocks(db, there, marks[shelf], before if usable else None, len(question), block))
        )
    return current


def _blocks(
    db: Database, chunks: NDArray[np.int64], marks: Sequence[bytes], before: _Shelf | None, dimension: int, size: int
) -> Iterator[_Block]:
    """The blocks of a shelf, those of before where nothing in them changed.

    vec0 writes new vectors into the last chunk, also into the slots of those taken away there, and into chunks after it. Before the chunk
    that was the last one then, a slot can only be given up, and its mark tells.
    """
    import numpy as np

    last = len(before.chunks) - 1 if before is not None else -1
    for number, start in enumerate(range(0, len(chunks), size)):
        now = np.frombuffer(b"".join(marks[start : start + size]), np.uint8).reshape(len(chunks[start : start + size]), -1)
        old = before.blocks[number] if before is not None and number < len(before.blocks) else None
        slots = now.shape[1] * 8 // 65  # a bit that says whether it is taken, and 64 of an id
        same = np.zeros(len(now), np.bool_)
        if old is not None:
            shared = min(len(old.marks), len(now))
            same[:shared] = (old.marks[:shared] == now[:shared]).all(axis=1)
            same[max(0, last - start) :] = False
            if same.all() and len(old.marks) == len(now):
                yield old
                continue
        vectors = np.empty((len(now), slots, dimension), np.float32)
        if old is not None:
            kept = np.flatnonzero(same)
            vectors[kept] = old.vectors.reshape(-1, slots, dimension)[kept]
        place = {int(chunks[start + at]): at for at in np.flatnonzero(~same).tolist()}
        for batch in db.batches("scan.vectors", _CHUNKS_AT_ONCE, chunks=json.dumps(list(place))):
            for chunk, blob in cast(list[tuple[int, bytes]], batch):
                vectors[place[chunk]] = np.frombuffer(blob, "<f4").reshape(slots, dimension)
        taken = np.unpackbits(now[:, : slots // 8], bitorder="little", axis=1).astype(np.bool_).ravel()
        ids = np.ascontiguousarray(now[:, slots // 8 :]).view("<i8").ravel()
        yield _Block(now, taken, ids[taken], vectors.reshape(-1, dimension))


def _passing(db: Database, user_id: str, shelves: Sequence[str], question: NDArray[np.float32]) -> Iterable[Near]:
    """The cosines of each shelf; the vectors pass by and are not kept."""
    import numpy as np

    parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float32]]]] = {}
    for batch in db.batches("scan.chunks", _CHUNKS_AT_ONCE, user_id=user_id, shelves=json.dumps(shelves)):
        for shelf, ids, taken, vectors in _joined_chunks(batch, len(question)):
            parts.setdefault(shelf, []).append((ids[taken], np.einsum("ij,j->i", vectors, question)[taken]))
    for shelf, blocks in parts.items():
        yield Near(shelf, np.concatenate([ids for ids, _ in blocks]), np.concatenate([cosines for _, cosines in blocks]))


def _joined_chunks(
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
