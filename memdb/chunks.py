"""How the file keeps vectors: in chunks of vec0, and beside those of large users their codes, many chunks to a block."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, cast

from memdb.database import Database, listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNKS_AT_ONCE = 64  # few enough vectors to stay in the processor's cache, enough of them that Python costs little


class Block(NamedTuple):
    """A row of `vector_codes`: of which chunks of its shelf it has the codes, the first and how many; and what tells how near they come."""

    row: int
    first: int
    chunks: int
    steps: NDArray[np.float32]
    off: NDArray[np.float32]


@dataclass(frozen=True)
class Marked:
    """The chunks of a shelf in the order in which they were begun, and of each a row that says which slots are taken, by which ids.

    `blocks` have codes of what is there now, in the same order; the rows `stale` have codes of what was there before.
    """

    chunks: NDArray[np.int64]
    marks: NDArray[np.uint8]
    blocks: tuple[Block, ...]
    stale: tuple[int, ...]

    @property
    def width(self) -> int:
        """How many vectors a chunk has room for: each has a bit that says whether it is taken, and 64 of an id."""
        return int(self.marks.shape[1]) * 8 // 65

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return self.chunks.nbytes + self.marks.nbytes + sum(block.steps.nbytes + block.off.nbytes for block in self.blocks)

    def up_to_last_of(self, rows: Sequence[int]) -> Marked | None:
        """Return what stands in the first blocks without a gap that have these rows, in this order, but for the last of them; None where
        there is no more than one such block.
        """
        blocks: list[Block] = []
        for block, row in zip(self.blocks, rows, strict=False):
            if block.row != row or block.first != (blocks[-1].first + blocks[-1].chunks if blocks else 0):
                break
            blocks.append(block)
        if len(blocks) < 2:
            return None
        end = blocks[-1].first
        return Marked(self.chunks[:end], self.marks[:end], tuple(blocks[:-1]), ())

    def followed_by(self, other: Marked) -> Marked:
        """Return what stands here, and behind it the other."""
        import numpy as np

        if not len(other.chunks):
            return Marked(self.chunks, self.marks, self.blocks, other.stale)
        chunks, marks = np.concatenate([self.chunks, other.chunks]), np.concatenate([self.marks, other.marks])
        more = (block._replace(first=len(self.chunks) + block.first) for block in other.blocks)
        return Marked(chunks, marks, (*self.blocks, *more), other.stale)


def marked(db: Database, user_id: str, shelves: Sequence[str], *, before: Mapping[str, Marked]) -> dict[str, Marked]:
    """Return what stands where on these shelves of a user; shelves that hold nothing are left out.

    Of what stood there `before`, at any time of the same file, those blocks are not read again whose row is still there: it would be gone
    if a vector of theirs had been taken away, and one is put only into the last chunk of a shelf, which is read.
    """
    kept: dict[str, Marked] = {}
    if coded := [shelf for shelf in shelves if shelf in before and len(before[shelf].blocks) > 1]:
        there = cast(list[tuple[str, int]], db.tuples("scan.blocks", user_id=user_id, shelves=listed(coded)))
        for shelf, rows in groupby(there, key=itemgetter(0)):
            if part := before[shelf].up_to_last_of([row for _, row in rows]):
                kept[shelf] = part
    found = marked_since(db, user_id, {shelf: int(kept[shelf].chunks[-1]) + 1 if shelf in kept else 0 for shelf in shelves})
    return {**found, **{shelf: part.followed_by(found.get(shelf, _nothing())) for shelf, part in kept.items()}}


def marked_since(db: Database, user_id: str, since: Mapping[str, int]) -> dict[str, Marked]:
    """Return what stands where on shelves of a user, on each from a chunk on; those that hold nothing there are left out."""
    import numpy as np

    wanted = json.dumps(since, sort_keys=True)
    found: dict[str, Marked] = {}
    if rows := db.tuples("scan.marks", user_id=user_id, since=wanted):
        columns = cast(tuple[tuple[str, ...], tuple[int, ...], tuple[bytes, ...], tuple[bytes, ...]], tuple(zip(*rows, strict=True)))
        shelf_of, chunk_of, validity, ids = columns
        chunks = np.array(chunk_of, np.int64)
        marks = np.concatenate([np.frombuffer(b"".join(part), np.uint8).reshape(len(rows), -1) for part in (validity, ids)], axis=1)
        for shelf in set(shelf_of):
            part = slice(bisect_left(shelf_of, shelf), bisect_right(shelf_of, shelf))
            found[shelf] = Marked(chunks[part], marks[part], (), ())
    for shelf, of_shelf in groupby(db.tuples("scan.codes", user_id=user_id, since=wanted), key=lambda row: str(row[0])):
        found[shelf] = _with_codes(found.get(shelf, _nothing()), [row[1:] for row in of_shelf])
    return found


def read_vectors(db: Database, chunks: NDArray[np.int64], width: int, dimension: int) -> Iterator[NDArray[np.float32]]:
    """Read the vectors of all slots of these chunks, some chunks at a time; each part takes the place of the one before in memory."""
    import numpy as np

    few = np.empty((_CHUNKS_AT_ONCE, width, dimension), np.dtype("<f4"))
    for start in range(0, len(chunks), _CHUNKS_AT_ONCE):
        these = chunks[start : start + _CHUNKS_AT_ONCE]
        part = few[: len(these)]
        size = part[0].nbytes
        _read(db, ((chunk, 0, offset) for chunk, offset in zip(these.tolist(), range(0, part.nbytes, size), strict=True)), part, size, size)
        yield part.reshape(-1, dimension)


def read_some(db: Database, chunks: NDArray[np.int64], slots: NDArray[np.intp], width: int, dimension: int) -> NDArray[np.float32]:
    """Read a vector of each of these chunks, the one in its slot."""
    import numpy as np

    vectors = np.empty((len(chunks), dimension), np.dtype("<f4"))
    size = dimension * vectors.itemsize
    places = zip(chunks.tolist(), (slots * size).tolist(), range(0, vectors.nbytes, size), strict=True)
    _read(db, places, vectors, size, width * size)
    return vectors


def read_codes(db: Database, blocks: Iterable[Block], dimension: int) -> Iterator[NDArray[np.int8]]:
    """Read the codes of all slots of these blocks, one after the other; each takes the place of the one before in memory."""
    import numpy as np

    for slots, alike in groupby(blocks, key=lambda block: len(block.steps)):
        codes = np.empty((slots, dimension), np.int8)
        for block in alike:
            db.read_blobs("vector_codes", "codes", [(block.row, 0, 0)], codes.data.cast("B"), codes.nbytes, length=codes.nbytes)
            yield codes


def _read(db: Database, places: Iterable[tuple[int, int, int]], vectors: NDArray[np.float32], size: int, length: int) -> None:
    if len(vectors):
        db.read_blobs("facts_vec_vector_chunks00", "vectors", places, vectors.data.cast("B"), size, length=length)


def _nothing() -> Marked:
    import numpy as np

    return Marked(np.zeros(0, np.int64), np.zeros((0, 0), np.uint8), (), ())


def _with_codes(one: Marked, rows: Iterable[Sequence[object]]) -> Marked:
    """The same with its blocks; the marks that a block was made of tell whether something was put in or taken out since."""
    import numpy as np

    blocks, stale = [], []
    for row, first, marks, steps, off in cast(Iterable[tuple[int, int, bytes, bytes, bytes]], rows):
        at = int(np.searchsorted(one.chunks, first))
        count = len(marks) // max(1, one.marks.shape[1])
        if count and one.marks[at : at + count].tobytes() == marks:
            blocks.append(Block(row, at, count, np.frombuffer(steps, "<f4"), np.frombuffer(off, "<f4")))
        else:
            stale.append(row)
    return Marked(one.chunks, one.marks, tuple(blocks), tuple(stale))
