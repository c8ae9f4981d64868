"""How near everything of a user is to a question: the vectors as the file holds them, those last asked for kept in memory."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, cast

from memdb.fusion import Near
from memdb.store import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Marked = tuple[NDArray[np.int64], NDArray[np.uint8]]

_CHUNKS_AT_ONCE = 64  # few enough vectors to stay in the processor's cache, enough of them that Python costs little
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
        passing: list[Near] = []
        if missing := [shelf for shelf in shelves if shelf not in kept]:
            marked = _marks(db, user_id, missing)
            if version is not None and self._fit(marked, question):
                made = int((db.one("scan.made") or {})["schema_version"] or 0)
                none = np.zeros(0, np.int64), np.zeros((0, 0), np.uint8)
                for shelf in missing:
                    chunks, marks = marked.get(shelf, none)
                    before = held.get(shelf)
                    usable = before is not None and before.made == made and np.array_equal(chunks[: len(before.chunks)], before.chunks)
                    current = tuple(_blocks(db, chunks, marks, before if usable else None, len(question), self._block))
                    kept[shelf] = _Shelf(version, made, chunks, current)
                    self._keep(user_id, shelf, kept[shelf])
            else:
                passing = [_pass(db, shelf, chunks, marks, question) for shelf, (chunks, marks) in marked.items()]
        return passing + [
            Near(shelf, np.concatenate([one.ids for one in blocks]), np.concatenate([one.cosines(question) for one in blocks]))
            for shelf in shelves
            if shelf in kept and (blocks := kept[shelf].blocks)
        ]

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

    def _fit(self, marked: Mapping[str, _Marked], question: NDArray[np.float32]) -> bool:
        """Whether there is room for these shelves; those of a user too large for it would only drive out all others."""
        slots = sum(_slots(marks) * len(marks) for _, marks in marked.values())
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


def _marks(db: Database, user_id: str, shelves: Sequence[str]) -> dict[str, _Marked]:
    """The chunks of each shelf in the order in which they were begun, and of each a row that says which slots are taken, by which ids.

    A shelf that has none is left out.
    """
    import numpy as np

    rows = list(chain.from_iterable(db.batches("scan.marks", 10_000, user_id=user_id, shelves=json.dumps(shelves))))
    if not rows:
        return {}
    columns = cast(tuple[tuple[str, ...], tuple[int, ...], tuple[bytes, ...], tuple[bytes, ...]], tuple(zip(*rows, strict=True)))
    shelf_of, chunk_of, validity, ids = columns
    chunks = np.array(chunk_of, np.int64)
    marks = np.concatenate([np.frombuffer(b"".join(part), np.uint8).reshape(len(rows), -1) for part in (validity, ids)], axis=1)
    ends = {shelf: bisect_right(shelf_of, shelf) for shelf in set(shelf_of)}
    return {shelf: (chunks[start:end], marks[start:end]) for shelf, end in ends.items() for start in (bisect_left(shelf_of, shelf),)}


def _slots(marks: NDArray[np.uint8]) -> int:
    """How many vectors a chunk has room for: each has a bit that says whether it is taken, and 64 of an id."""
    return int(marks.shape[1]) * 8 // 65


def _taken(marks: NDArray[np.uint8]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which slots of these chunks are taken, and the ids of those."""
    import numpy as np

    slots = _slots(marks)
    taken = np.unpackbits(marks[:, : slots // 8], bitorder="little", axis=1).astype(np.bool_).ravel()
    return taken, np.ascontiguousarray(marks[:, slots // 8 :]).view("<i8").ravel()[taken]


def _blocks(
    db: Database, chunks: NDArray[np.int64], marks: NDArray[np.uint8], before: _Shelf | None, dimension: int, size: int
) -> Iterator[_Block]:
    """The blocks of a shelf, those of before where nothing in them changed.

    vec0 writes new vectors into the last chunk, also into the slots of those taken away there, and into chunks after it. Before the chunk
    that was the last one then, a slot can only be given up, and its mark tells.
    """
    import numpy as np

    last = len(before.chunks) - 1 if before is not None else -1
    for number, start in enumerate(range(0, len(chunks), size)):
        now = marks[start : start + size]
        old = before.blocks[number] if before is not None and number < len(before.blocks) else None
        same = np.zeros(len(now), np.bool_)
        if old is not None:
            shared = min(len(old.marks), len(now))
            same[:shared] = (old.marks[:shared] == now[:shared]).all(axis=1)
            same[max(0, last - start) :] = False
            if same.all() and len(old.marks) == len(now):
                yield old
                continue
        vectors = np.empty((len(now), _slots(now), dimension), np.dtype("<f4"))
        if old is not None:
            kept = np.flatnonzero(same)
            vectors[kept] = old.vectors.reshape(-1, *vectors.shape[1:])[kept]
        _read(db, chunks[start : start + size], vectors, np.flatnonzero(~same))
        taken, ids = _taken(now)
        yield _Block(now, taken, ids, vectors.reshape(-1, dimension))


def _pass(db: Database, shelf: str, chunks: NDArray[np.int64], marks: NDArray[np.uint8], question: NDArray[np.float32]) -> Near:
    """The cosines of a shelf; the vectors pass by and are not kept."""
    import numpy as np

    slots = _slots(marks)
    few = np.empty((_CHUNKS_AT_ONCE, slots, len(question)), np.dtype("<f4"))
    cosines = np.empty((len(chunks), slots), np.float32)
    for start in range(0, len(chunks), _CHUNKS_AT_ONCE):
        part = chunks[start : start + _CHUNKS_AT_ONCE]
        _read(db, part, few, np.arange(len(part)))
        np.einsum("ijk,k->ij", few[: len(part)], question, out=cosines[start : start + len(part)])
    taken, ids = _taken(marks)
    return Near(shelf, ids, cosines.ravel()[taken])


def _read(db: Database, chunks: NDArray[np.int64], vectors: NDArray[np.float32], places: NDArray[np.intp]) -> None:
    """Read the vectors of the chunks at these places into the same places of an array."""
    size = vectors[0].nbytes
    db.read_blobs(
        "facts_vec_vector_chunks00",
        "vectors",
        zip(chunks[places].tolist(), (places * size).tolist(), strict=True),
        vectors.data.cast("B"),
        size,
    )
