"""How the file keeps vectors: in chunks of vec0, and beside those of large users their codes, many chunks to a block."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
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


def marked(db: Database, user_id: str, shelves: Sequence[str], *, since: int = 0) -> dict[str, Marked]:
    """Return what stands where on these shelves of a user, from the chunk `since` on; shelves that hold nothing are left out."""
    import numpy as np

    wanted = listed(shelves)
    found: dict[str, Marked] = {}
    if rows := db.tuples("scan.marks", user_id=user_id, shelves=wanted, since=since):
        columns = cast(tuple[tuple[str, ...], tuple[int, ...], tuple[bytes, ...], tuple[bytes, ...]], tuple(zip(*rows, strict=True)))
        shelf_of, chunk_of, validity, ids = columns
        chunks = np.array(chunk_of, np.int64)
        marks = np.concatenate([np.frombuffer(b"".join(part), np.uint8).reshape(len(rows), -1) for part in (validity, ids)], axis=1)
        for shelf in set(shelf_of):
            part = slice(bisect_left(shelf_of, shelf), bisect_right(shelf_of, shelf))
            found[shelf] = Marked(chunks[part], marks[part], (), ())
    codes = db.tuples("scan.codes", user_id=user_id, shelves=wanted, since=since)
    for shelf, of_shelf in groupby(codes, key=lambda row: str(row[0])):
        none = Marked(np.zeros(0, np.int64), np.zeros((0, 0), np.uint8), (), ())
        found[shelf] = _with_codes(found.get(shelf, none), [row[1:] for row in of_shelf])
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
