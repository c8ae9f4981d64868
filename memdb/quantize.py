"""Write codes of large users' vectors beside them: a quarter of the bytes to read for a search."""

from __future__ import annotations

import json
from collections.abc import Collection

from memdb.chunks import Marked, marked_since, read_vectors
from memdb.codes import encode
from memdb.database import Database

LEAST = 128
"""Chunks that a shelf has more of before it gets codes: fewer vectors are read as fast as their codes and then some of themselves."""

SIZE = 64
"""Chunks of a block: so many are left without codes at most, and so many are made anew when a vector of theirs is taken away."""


def quantize(db: Database, *, dimension: int, users: Collection[str], gaps: bool = True, least: int = LEAST, size: int = SIZE) -> int:
    """Give codes to what has none of the large shelves of these users, within the caller's transaction.

    Returns how many vectors got codes. Those that do not fill a block wait for others, but for the gaps that were left where some were
    taken away; who only adds need not look for `gaps`, which are found then when a block is due.
    """
    due = db.all("quantize.due", users=json.dumps(list(users)), gaps=gaps, least=least, size=size)
    if due:
        db.run("quantize.follow")
    return sum(
        _quantize(db, str(row["user_id"]), str(row["shelf"]), since=int(row["since"] or 0), dimension=dimension, size=size) for row in due
    )


def _quantize(db: Database, user_id: str, shelf: str, *, since: int, dimension: int, size: int) -> int:
    one = marked_since(db, user_id, {shelf: since}).get(shelf)
    if one is None:
        return 0
    for row in one.stale:
        db.run("quantize.remove", id=row)
    coded = 0
    for at, count in _gaps(one, size):
        chunks = one.chunks[at : at + count]
        parts = [encode(part) for part in read_vectors(db, chunks, one.width, dimension)]
        db.run(
            "quantize.write",
            user_id=user_id,
            shelf=shelf,
            first=int(chunks[0]),
            last=int(chunks[-1]),
            chunks=count,
            marks=one.marks[at : at + count].tobytes(),
            steps=b"".join(part.steps.tobytes() for part in parts),
            off=b"".join(part.off.tobytes() for part in parts),
            codes=b"".join(part.codes.tobytes() for part in parts),
        )
        coded += count * one.width
    return coded


def _gaps(one: Marked, size: int) -> list[tuple[int, int]]:
    """Where there are chunks without codes, and how many, `size` at most; of the last, into which vec0 writes, and those before it only
    whole blocks.
    """
    gaps, at, end = [], 0, len(one.chunks) - 1
    for block in one.blocks:
        gaps += [(start, min(size, block.first - start)) for start in range(at, block.first, size)]
        at = block.first + block.chunks
    return gaps + [(start, size) for start in range(at, end - size + 1, size)]
