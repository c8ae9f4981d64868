"""How near everything of a user is to a question: the vectors as the file holds them, what was last asked for kept in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from memdb.candidates import Near
from memdb.chunks import Block, Marked, marked, read_codes, read_some, read_vectors
from memdb.codes import at_most, encode, products
from memdb.database import Database
from memdb.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EMPTY_BYTES = 1024  # what keeping track of a user costs, so that those who have nothing are bounded, too
_PLACES_BYTES = 8 * 1024 * 1024  # for what stands where, of those whose vectors are not kept

Thing = TypeVar("Thing", bound="_Sized")


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


class _Of(Generic[Thing]):
    """What is kept of a user, as it was at a version: something of each shelf that was asked for, None for one that holds nothing.

    `stale` are shelves as they were before, that nobody has asked for since.
    """

    def __init__(self, version: int | None, shelves: Mapping[str, Thing | None], stale: Mapping[str, Thing | None] = {}) -> None:
        self.version, self.shelves, self.stale = version, shelves, stale
        self.size = _EMPTY_BYTES + sum(one.size for one in (*shelves.values(), *stale.values()) if one is not None)


class _Recent(Generic[Thing]):
    """What is kept of the users last asked about, as much of it as fits into a number of bytes. For all threads."""

    def __init__(self, room: int) -> None:
        self.room, self.size = room, 0
        self._kept: OrderedDict[str, _Of[Thing]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, user_id: str) -> _Of[Thing] | None:
        """What is kept of a user."""
        with self._lock:
            if (one := self._kept.get(user_id)) is not None:
                self._kept.move_to_end(user_id)
            return one

    def keep(self, user_id: str, one: _Of[Thing]) -> None:
        """Keep it instead of what was kept of the user; who was not asked about for longest makes room."""
        with self._lock:
            self._drop(user_id)
            self._kept[user_id] = one
            self.size += one.size
            while self.size > self.room:
                self._drop(next(iter(self._kept)))

    def forget(self, user_id: str) -> None:
        """Let go of what is kept of a user."""
        with self._lock:
            self._drop(user_id)

    def _drop(self, user_id: str) -> None:
        if (dropped := self._kept.pop(user_id, None)) is not None:
            self.size -= dropped.size


@dataclass(frozen=True)
class _Places:
    """Where the vectors of a shelf stand, and whose they are: its chunks of `width` slots each, those that have codes first.

    `ids` are those of the taken slots, in order (of windows, those of their messages), and `slots` says which these are, None if all as
    they stand. `steps` and `off` belong to the codes. `marked` is what all this was made of.
    """

    chunks: NDArray[np.int64]
    width: int
    ids: NDArray[np.int64]
    slots: NDArray[np.intp] | None
    steps: NDArray[np.float64]
    off: NDArray[np.float64]
    marked: Marked

    @property
    def size(self) -> int:
        slots = self.slots.nbytes if self.slots is not None else 0
        return self.chunks.nbytes + self.ids.nbytes + slots + self.steps.nbytes + self.off.nbytes + self.marked.size

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of codes."""
        return self.marked.blocks

    @property
    def loose(self) -> NDArray[np.int64]:
        """The chunks without codes."""
        return self.chunks[len(self.steps) // self.width :] if self.width else self.chunks

    def near(
        self,
        db: Database,
        shelf: str,
        question: NDArray[np.float32],
        codes: Iterable[NDArray[np.int8]],
        vectors: Iterable[NDArray[np.float32]],
    ) -> Near:
        """How near each vector is to the question, a unit vector, given the codes of the blocks and the vectors of the loose chunks.

        Where there are codes, it is told how near it can be at most; the vectors of those whose cosines are asked for then are read from
        the file.
        """
        cosines = [products(part, question) for part in vectors]
        if not self.blocks:
            return Near(shelf, self.ids, self._taken(_joined(cosines)))
        asked = encode(question)
        bounds = at_most(_joined([products(part, asked.codes) for part in codes]), self.steps, self.off, asked)
        return Near(shelf, self.ids, self._taken(_joined([bounds, *cosines])), lambda places: self._exact(db, places, question))

    def _taken(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self.slots is None else values[self.slots]

    def _exact(self, db: Database, places: NDArray[np.intp], question: NDArray[np.float32]) -> NDArray[np.float64]:
        slots = places if self.slots is None else self.slots[places]
        vectors = read_some(db, self.chunks[slots // self.width], slots % self.width, self.width, len(question))
        return products(vectors, question)


@dataclass(frozen=True)
class _Shelf:
    """What is kept of a shelf: the codes of its blocks, and the vectors of its loose chunks."""

    places: _Places
    codes: NDArray[np.int8]
    vectors: NDArray[np.float32]

    @property
    def size(self) -> int:
        return self.places.size + self.codes.nbytes + self.vectors.nbytes


class VectorCache:
    """Compares a question with all of a user's vectors, and keeps in memory what is compared, that fits into so many megabytes.

    What is kept is used only while the file says that no vector of the user has changed since, whichever process changes them; then what
    changed is read again. The users who were not asked about for longest make room. Of those who would not fit it is kept where their
    vectors stand, which pass by at every question. For all threads.
    """

    def __init__(self, megabytes: float) -> None:
        self._kept: _Recent[_Shelf] = _Recent(int(megabytes * 1024 * 1024))
        self._passing: _Recent[_Places] = _Recent(_PLACES_BYTES)

    def near(
        self, db: Database, question: NDArray[np.float32], *, user_id: str, shelves: Sequence[str], embedder: str | None = None
    ) -> list[Near]:
        """Return how near every vector of these shelves is to the question, a unit vector; shelves that hold none are left out.

        The caller holds a snapshot of the file, so that the version and the vectors belong together.

        Raises:
            ModelUnavailable: the question's vector was made by `embedder`, and another process has changed the file to another since.
        """
        [(told, made_by)] = db.kept("scan.version", user_id=user_id)
        version = cast(int | None, told)
        if embedder is not None and made_by not in (None, embedder):
            raise ModelUnavailable("this file has vectors of another embedder by now; open it again")
        held, passed = self._kept.of(user_id), self._passing.of(user_id)
        kept = held.shelves if held is not None and held.version == version else {}
        passing = passed.shelves if passed is not None and passed.version == version is not None else {}
        if missing := [shelf for shelf in shelves if shelf not in kept and shelf not in passing]:
            before = {**held.stale, **held.shelves} if held is not None else {}
            stood = {shelf: one.places for shelf, one in before.items() if one is not None}
            if passed is not None:
                stood |= {shelf: one for shelf, one in passed.shelves.items() if one is not None}
            found = marked(db, user_id, missing, before={shelf: one.marked for shelf, one in stood.items()})
            places = {shelf: _places(found[shelf]) if shelf in found else None for shelf in missing}
            if version is not None and self._fit(kept, places, len(question)):
                read = {shelf: None if one is None else _read(db, one, before.get(shelf), len(question)) for shelf, one in places.items()}
                kept = {**kept, **read}
                self._keep(user_id, version, kept, before)
            else:
                passing = {**passing, **places}
                self._passing.keep(user_id, _Of(version, passing))
        near = []
        for shelf in shelves:
            if (whole := kept.get(shelf)) is not None:
                near.append(whole.places.near(db, shelf, question, [whole.codes], [whole.vectors]))
            elif (one := passing.get(shelf)) is not None:
                codes, vectors = read_codes(db, one.blocks, len(question)), read_vectors(db, one.loose, one.width, len(question))
                near.append(one.near(db, shelf, question, codes, vectors))
        return near

    def forget(self, user_id: str) -> None:
        """Let go of what is kept of a user."""
        self._kept.forget(user_id)
        self._passing.forget(user_id)

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return self._kept.size + self._passing.size

    def _fit(self, kept: Mapping[str, _Shelf | None], new: Mapping[str, _Places | None], dimension: int) -> bool:
        """Whether there is room for all of this; shelves of a user too large for it would only drive out all others."""
        needed = _Of(None, kept).size
        for one in new.values():
            if one is not None:
                needed += one.size + len(one.steps) * dimension + len(one.loose) * one.width * dimension * 4
        return 0 < self._kept.room >= needed

    def _keep(self, user_id: str, version: int, kept: Mapping[str, _Shelf | None], before: Mapping[str, _Shelf | None]) -> None:
        """Keep these shelves of a user and, where there is room, the others as they were before: much of them is as it was."""
        stale = {shelf: one for shelf, one in before.items() if shelf not in kept}
        whole = _Of(version, kept, stale)
        self._kept.keep(user_id, whole if whole.size <= self._kept.room else _Of(version, kept))


def _joined(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """These one after the other, without a copy if all but one are empty."""
    import numpy as np

    filled = [part for part in parts if len(part)]
    return filled[0] if len(filled) == 1 else np.concatenate(parts)


def _places(one: Marked) -> _Places | None:
    """Where the vectors stand in these chunks; None where none does."""
    import numpy as np

    if not len(one.chunks):
        return None
    coded = np.zeros(len(one.chunks), np.bool_)
    for block in one.blocks:
        coded[block.first : block.first + block.chunks] = True
    order = np.concatenate([np.flatnonzero(coded), np.flatnonzero(~coded)])
    chunks, marks, width = one.chunks[order], one.marks[order], one.width
    taken = np.unpackbits(marks[:, : width // 8], bitorder="little", axis=1).ravel()
    if not taken.any():
        return None
    ids = np.ascontiguousarray(marks[:, width // 8 :]).view("<i8").ravel()
    slots = None if taken.all() else np.flatnonzero(taken)
    order = np.abs(ids if slots is None else ids[slots])
    if np.any(order[1:] < order[:-1]):
        places = np.argsort(order, kind="stable")  # quick where most stand in order
        slots = (np.arange(len(ids)) if slots is None else slots)[places]
    steps = np.concatenate([np.zeros(0), *(block.steps for block in one.blocks)])
    off = np.concatenate([np.zeros(0), *(block.off for block in one.blocks)])
    return _Places(chunks, width, ids if slots is None else ids[slots], slots, steps, off, one)


def _read(db: Database, places: _Places, before: _Shelf | None, dimension: int) -> _Shelf:
    """Read what is compared of a shelf; the codes of before where they are those of the same rows, which never change."""
    import numpy as np

    loose = (part.copy() for part in read_vectors(db, places.loose, places.width, dimension))
    vectors = np.concatenate([np.zeros((0, dimension), np.float32), *loose])
    held = _by_row(before.places, before.codes) if before is not None else {}
    if before is not None and list(held) == [block.row for block in places.blocks]:
        return _Shelf(places, before.codes, vectors)
    codes = np.empty((len(places.steps), dimension), np.int8)
    parts = _by_row(places, codes)
    for row in held.keys() & parts.keys():
        parts[row][:] = held[row]
    new = [block for block in places.blocks if block.row not in held]
    for block, read in zip(new, read_codes(db, new, dimension), strict=True):
        parts[block.row][:] = read
    return _Shelf(places, codes, vectors)


def _by_row(places: _Places, codes: NDArray[np.int8]) -> dict[int, NDArray[np.int8]]:
    """The part of the codes that each block has."""
    ends = accumulate(len(block.steps) for block in places.blocks)
    return {block.row: codes[end - len(block.steps) : end] for block, end in zip(places.blocks, ends, strict=True)}
