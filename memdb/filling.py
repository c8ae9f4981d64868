"""Put many vectors into the index at once, in whole chunks as vec0 keeps them: one by one they take more than twice as long."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memdb.database import Database, SqlValue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_VECTOR = ("id", "embedding", "user_id", "shelf")
_CHUNK = ("size", "user_id", "shelf", "validity", "rowids")
_CHUNK_VECTORS = ("chunk_id", "vectors")
_MANY = 16  # vectors; for fewer, looking at the last chunks of their shelves is not worth it

Shelf = tuple[SqlValue, SqlValue]
"""Whose vectors they are, and on which shelf they stand."""


def fill(db: Database, ids: Sequence[int], vectors: NDArray[np.float32], shelves: Sequence[Shelf]) -> None:
    """Put unit vectors under ids that the index does not have onto their shelves, within the caller's transaction; one of each a vector."""
    stored = vectors.astype("<f4", copy=False)
    if len(ids) < _MANY:
        _write(db, ids, stored, shelves, range(len(ids)))
        return
    _write(db, ids, stored, shelves, range(1))  # now there is a chunk, which tells how large they are
    on_shelves: dict[Shelf, list[int]] = {}
    for place in range(1, len(ids)):
        on_shelves.setdefault(shelves[place], []).append(place)
    size = int((db.one("filling.last_chunk") or {})["size"] or 0)
    chunks: list[tuple[Shelf, list[int]]] = []
    for (shelf, on_it), (taken,) in zip(on_shelves.items(), db.tuples("filling.taken", shelves=json.dumps(list(on_shelves))), strict=True):
        room = size - int.from_bytes(taken).bit_count() if isinstance(taken, bytes) else 0
        _write(db, ids, stored, shelves, on_it[:room])  # what there is room for in its last chunk is left to vec0
        chunks += [(shelf, on_it[start : start + size]) for start in range(room, len(on_it), size)]
    pack = struct.Struct(f"<{size}q").pack
    named = [[ids[place] for place in on_it] for _, on_it in chunks]
    marks = [((1 << held) - 1).to_bytes(size // 8, "little") for held in range(size + 1)]
    rows = (
        (size, *shelf, marks[len(held)], pack(*held, *[0] * (size - len(held)))) for (shelf, _), held in zip(chunks, named, strict=True)
    )
    db.run_rows("filling.chunk", _CHUNK, rows)
    first = int((db.one("filling.last_chunk") or {})["chunk_id"] or 0) - len(chunks) + 1
    blocks = ((name, _block(stored, on_it, size)) for name, (_, on_it) in enumerate(chunks, first))
    db.run_rows("filling.chunk_vectors", _CHUNK_VECTORS, blocks)
    db.run("filling.slots", first=first, ids=json.dumps(named))


def _write(db: Database, ids: Sequence[int], stored: NDArray[np.float32], shelves: Sequence[Shelf], places: Sequence[int]) -> None:
    db.run_rows("sync.write", _VECTOR, ((ids[place], stored[place].data, *shelves[place]) for place in places))


def _block(stored: NDArray[np.float32], places: Sequence[int], size: int) -> bytes | memoryview:
    """The vectors of these places as one blob of so many; a whole one of those that stand one after another is not copied."""
    if places[-1] - places[0] == size - 1 == len(places) - 1:
        return stored[places[0] : places[-1] + 1].data.cast("B")
    return stored[list(places)].tobytes().ljust(size * stored[0].nbytes, b"\0")
