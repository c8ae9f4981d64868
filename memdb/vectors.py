"""How near everything of a user is to a question: the vectors as the file holds them, what was last asked for kept in memory."""

from __future__ import annotations

import json
import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from memdb.codes import Codes, at_most, encode, products
from memdb.fusion import Near
from memdb.store import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Marked = tuple[NDArray[np.int64], NDArray[np.uint8]]

_CHUNKS_AT_ONCE = 64  # few enough vectors to stay in the processor's cache, enough of them that Python costs little
_BLOCK = 128  # chunks that are kept, and brought up to date, together; of more than these, codes are kept

_EMPTY_BYTES = 1024  # what keeping track of a shelf costs, so that empty ones are bounded, too
_MARKS_BYTES = 8 * 1024 * 1024  # for what stands where, of those whose vectors are not kept

Thing = TypeVar("Thing", bound="_Sized")


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


class _Recent(Generic[Thing]):
    """What was last asked for of the shelves of users, as much of it as fits into a number of bytes. For all threads."""

    def __init__(self, room: int) -> None:
        self.room, self.size = room, 0
        self._kept: OrderedDict[tuple[str, str], Thing] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, user_id: str, shelves: Sequence[str]) -> dict[str, Thing]:
        """What is kept of these shelves of a user."""
        with self._lock:
            held = {shelf: self._kept[user_id, shelf] for shelf in shelves if (user_id, shelf) in self._kept}
            for shelf in held:
                self._kept.move_to_end((user_id, shelf))
        return held

    def keep(self, user_id: str, shelf: str, one: Thing) -> None:
        """Keep it instead of what was kept of the shelf; what was not asked for for longest makes room."""
        with self._lock:
            self._drop((user_id, shelf))
            self._kept[user_id, shelf] = one
            self.size += one.size
            while self.size > self.room:
                self._drop(next(iter(self._kept)))

    def forget(self, user_id: str) -> None:
        """Let go of what is kept of a user."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == user_id]:
                self._drop(key)

    def _drop(self, key: tuple[str, str]) -> None:
        if (dropped := self._kept.pop(key, None)) is not None:
            self.size -= dropped.size


@dataclass(frozen=True)
class _Places:
    """Where the vectors of a shelf stand, and whose they are: its chunks of `width` slots each, and which of all slots are taken.

    `slots` is None if all are.
    """

    version: int | None
    chunks: NDArray[np.int64]
    width: int
    ids: NDArray[np.int64]
    slots: NDArray[np.intp] | None

    @property
    def size(self) -> int:
        return _EMPTY_BYTES + self.chunks.nbytes + self.ids.nbytes + (self.slots.nbytes if self.slots is not None else 0)

    def taken(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of the values of all slots, those of the taken."""
        return values if self.slots is None else values[self.slots]


@dataclass(frozen=True)
class _Block:
    """Consecutive chunks: which slots are taken, by which ids, as vec0 writes it; and the vectors of all slots, or their codes."""

    marks: NDArray[np.uint8]
    vectors: NDArray[np.float32] | None
    codes: Codes | None

    @property
    def size(self) -> int:
        held = self.vectors if self.vectors is not None else self.codes
        return self.marks.nbytes + (held.nbytes if held is not None else 0)


@dataclass(frozen=True)
class _Shelf:
    """What is kept of a shelf: the vectors of a few, the codes of many. `steps` and `off` are those of the codes, without the free slots.

    `made` is another number once the index was made anew, when chunks have other contents under old names.
    """

    made: int
    places: _Places
    blocks: tuple[_Block, ...]
    steps: NDArray[np.float32]
    off: NDArray[np.float32]

    @property
    def size(self) -> int:
        return self.places.size + self.steps.nbytes + self.off.nbytes + sum(one.size for one in self.blocks)

    def near(self, db: Database, shelf: str, question: NDArray[np.float32]) -> Near:
        """How near each vector is to the question, a unit vector: of a few the cosines, of many the most that they can be.

        The vectors of those whose cosines are asked for then are read from the file.
        """
        import numpy as np

        if self.blocks[0].vectors is not None:
            return Near(shelf, self.places.ids, self.places.taken(products(_rows(self.blocks[0].vectors), question)))
        asked = encode(question)
        found = np.concatenate([products(_rows(one.codes.codes), asked.codes) for one in self.blocks if one.codes is not None])
        most = at_most(self.places.taken(found), self.steps, self.off, asked)
        return Near(shelf, self.places.ids, most, lambda places: products(self._vectors(db, places, len(question)), question))

    def _vectors(self, db: Database, places: NDArray[np.intp], dimension: int) -> NDArray[np.float32]:
        import numpy as np

        slots = places if self.places.slots is None else self.places.slots[places]
        vectors = np.empty((len(places), dimension), np.dtype("<f4"))
        _read(db, self.places.chunks[slots // self.places.width], vectors, self.places.width, slots % self.places.width)
        return vectors


class VectorCache:
    """Compares a question with all of a user's vectors, and keeps those in memory, or their codes, that fit into so many megabytes.

    What is kept is used only while the file says that no vector of the user has changed since, whichever process changes them; then what
    changed is read again. The users who were not asked about for longest make room. Of those who would not fit it is kept where their
    vectors stand, which pass by at every question. For all threads.
    """

    def __init__(self, megabytes: float, *, block: int = _BLOCK) -> None:
        self._block = block
        self._kept: _Recent[_Shelf] = _Recent(int(megabytes * 1024 * 1024))
        self._passing: _Recent[_Places] = _Recent(_MARKS_BYTES)

    def near(self, db: Database, question: NDArray[np.float32], *, user_id: str, shelves: Sequence[str]) -> list[Near]:
        """Return how near every vector of these shelves is to the question, a unit vector; shelves that hold none are left out.

        The caller holds a snapshot of the file, so that the version and the vectors belong together.
        """
        row = db.one("scan.version", user_id=user_id)
        version = int(row["version"] or 0) if row else None
        held = self._kept.of(user_id, shelves)
        kept = {shelf: one for shelf, one in held.items() if one.places.version == version}
        passing = {shelf: one for shelf, one in self._passing.of(user_id, shelves).items() if one.version == version is not None}
        if missing := [shelf for shelf in shelves if shelf not in kept and shelf not in passing]:
            marked = _marks(db, user_id, missing)
            if version is not None and self._fit(marked, question):
                kept |= self._load(db, marked, held, user_id=user_id, version=version, dimension=len(question))
            else:
                for shelf in missing:
                    passing[shelf] = _places(version, *marked[shelf])
                    self._passing.keep(user_id, shelf, passing[shelf])
        return [_pass(db, shelf, places, question) for shelf, places in passing.items() if len(places.ids)] + [
            one.near(db, shelf, question) for shelf, one in kept.items() if len(one.places.ids)
        ]

    def forget(self, user_id: str) -> None:
        """Let go of what is kept of a user."""
        self._kept.forget(user_id)
        self._passing.forget(user_id)

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._kept.size + self._passing.size

    def _fit(self, marked: Mapping[str, _Marked], question: NDArray[np.float32]) -> bool:
        """Whether there is room for these shelves; those of a user too large for it would only drive out all others."""
        needed = sum(
            _slots(marks) * len(marks) * (40 + (len(question) if len(chunks) > self._block else question.nbytes))
            for chunks, marks in marked.values()
        )
        return 0 < self._kept.room >= needed

    def _load(
        self,
        db: Database,
        marked: Mapping[str, _Marked],
        held: Mapping[str, _Shelf],
        *,
        user_id: str,
        version: int,
        dimension: int,
    ) -> dict[str, _Shelf]:
        """Read shelves, as far as they are not what was held of them, and keep them."""
        import numpy as np

        made = int((db.one("scan.made") or {})["schema_version"] or 0)
        read = {}
        for shelf, (chunks, marks) in marked.items():
            before = held.get(shelf)
            if before is not None and (
                before.made != made or not np.array_equal(chunks[: len(before.places.chunks)], before.places.chunks)
            ):
                before = None
            blocks = tuple(_blocks(db, chunks, marks, before, dimension, self._block))
            places = _places(version, chunks, marks)
            coded = [one.codes for one in blocks if one.codes is not None]
            steps, off = (
                places.taken(np.concatenate([part.ravel() for part in parts])) if coded else np.zeros(0, np.float32)
                for parts in ([one.steps for one in coded], [one.off for one in coded])
            )
            read[shelf] = _Shelf(made, places, blocks, steps, off)
            self._kept.keep(user_id, shelf, read[shelf])
        return read


def _marks(db: Database, user_id: str, shelves: Sequence[str]) -> dict[str, _Marked]:
    """The chunks of each shelf in the order in which they were begun, and of each a row that says which slots are taken, by which ids."""
    import numpy as np

    none = np.zeros(0, np.int64), np.zeros((0, 0), np.uint8)
    rows = list(chain.from_iterable(db.batches("scan.marks", 10_000, user_id=user_id, shelves=json.dumps(shelves))))
    if not rows:
        return dict.fromkeys(shelves, none)
    columns = cast(tuple[tuple[str, ...], tuple[int, ...], tuple[bytes, ...], tuple[bytes, ...]], tuple(zip(*rows, strict=True)))
    shelf_of, chunk_of, validity, ids = columns
    chunks = np.array(chunk_of, np.int64)
    marks = np.concatenate([np.frombuffer(b"".join(part), np.uint8).reshape(len(rows), -1) for part in (validity, ids)], axis=1)
    ends = {shelf: bisect_right(shelf_of, shelf) for shelf in set(shelf_of)}
    starts = {shelf: bisect_left(shelf_of, shelf) for shelf in ends}
    parts = {shelf: slice(starts[shelf], ends[shelf]) for shelf in ends}
    return {shelf: (chunks[parts[shelf]], marks[parts[shelf]]) if shelf in parts else none for shelf in shelves}


def _slots(marks: NDArray[np.uint8]) -> int:
    """How many vectors a chunk has room for: each has a bit that says whether it is taken, and 64 of an id."""
    return int(marks.shape[1]) * 8 // 65


def _places(version: int | None, chunks: NDArray[np.int64], marks: NDArray[np.uint8]) -> _Places:
    import numpy as np

    if not len(chunks):
        return _Places(version, chunks, 0, np.zeros(0, np.int64), None)
    width = _slots(marks)
    taken = np.unpackbits(marks[:, : width // 8], bitorder="little", axis=1).ravel()
    ids = np.ascontiguousarray(marks[:, width // 8 :]).view("<i8").ravel()
    if taken.all():
        return _Places(version, chunks, width, ids, None)
    slots = np.flatnonzero(taken)
    return _Places(version, chunks, width, ids[slots], slots)


def _blocks(
    db: Database, chunks: NDArray[np.int64], marks: NDArray[np.uint8], before: _Shelf | None, dimension: int, size: int
) -> Iterator[_Block]:
    """The blocks of a shelf, those of before where nothing in them changed.

    vec0 writes new vectors into the last chunk, also into the slots of those taken away there, and into chunks after it. Before the chunk
    that was the last one then, a slot can only be given up, and its mark tells.
    """
    import numpy as np

    last, coded = len(before.places.chunks) - 1 if before is not None else -1, len(chunks) > size
    for number, start in enumerate(range(0, len(chunks), size)):
        now = marks[start : start + size]
        old = before.blocks[number] if before is not None and number < len(before.blocks) else None
        same = np.zeros(len(now), np.bool_)
        if old is not None and coded == (old.codes is not None):
            shared = min(len(old.marks), len(now))
            same[:shared] = (old.marks[:shared] == now[:shared]).all(axis=1)
            same[max(0, last - start) :] = False
            if same.all() and len(old.marks) == len(now):
                yield old
                continue
        changed = chunks[start : start + size][~same]
        vectors = np.empty((len(changed), _slots(now), dimension), np.dtype("<f4"))
        _read(db, changed, vectors)
        if coded:
            new, former = encode(vectors), old.codes if old is not None else None
            codes, steps, off = (_mixed(new[part], former[part] if former is not None else None, same) for part in range(3))
            yield _Block(now, None, Codes(codes, steps, off))
        else:
            yield _Block(now, _mixed(vectors, old.vectors if old is not None else None, same), None)


def _mixed(new: NDArray[Any], old: NDArray[Any] | None, same: NDArray[np.bool_]) -> NDArray[Any]:
    """What is to be kept of chunks: of those that are the same the old, of the others the new."""
    import numpy as np

    if old is None or not same.any():
        return new
    mixed = np.empty((len(same), *new.shape[1:]), new.dtype)
    mixed[same], mixed[~same] = old[: len(same)][same[: len(old)]], new
    return mixed


def _rows(values: NDArray[Any]) -> NDArray[Any]:
    return values.reshape(-1, values.shape[-1])


def _pass(db: Database, shelf: str, places: _Places, question: NDArray[np.float32]) -> Near:
    """The cosines of a shelf; the vectors pass by and are not kept."""
    import numpy as np

    few = np.empty((_CHUNKS_AT_ONCE, places.width, len(question)), np.dtype("<f4"))
    parts = []
    for start in range(0, len(places.chunks), _CHUNKS_AT_ONCE):
        chunks = places.chunks[start : start + _CHUNKS_AT_ONCE]
        _read(db, chunks, few[: len(chunks)])
        parts.append(products(_rows(few[: len(chunks)]), question))
    return Near(shelf, places.ids, places.taken(np.concatenate(parts)))


def _read(
    db: Database, chunks: NDArray[np.int64], vectors: NDArray[np.float32], width: int = 1, slots: NDArray[np.intp] | None = None
) -> None:
    """Read the vectors of chunks, one after the other; with `slots` only one vector of each chunk, which has `width` of them."""
    if not len(chunks):
        return
    size = vectors[0].nbytes
    starts = (slots * size).tolist() if slots is not None else [0] * len(chunks)
    places = zip(chunks.tolist(), starts, range(0, len(chunks) * size, size), strict=True)
    db.read_blobs("facts_vec_vector_chunks00", "vectors", places, vectors.data.cast("B"), size, length=width * size)
