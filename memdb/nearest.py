"""Exact nearest neighbours in memory: the vectors of one collection as a matrix, and the distances that Chroma knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Space = Literal["l2", "cosine", "ip"]
Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_BLOCK = 2048  # rows: few enough to be copied at every change, too many for their number to be felt
_CHUNK = 256  # rows: they fit into the processor's cache, and are too few for numpy to spread over threads that wait for each other


class Vectors:
    """Vectors by the number of their record, in rising order. What was handed out never changes; `changed` gives a new one.

    They stand in blocks, of which those that nothing happened to are shared: one vector more costs the same however many there are.
    """

    def __init__(self, blocks: Sequence[_Block] = (), *, version: int = -1, erased: int = 0) -> None:
        self.blocks = blocks
        self.version = version
        self.erased = erased

    @property
    def size(self) -> int:
        """How many bytes the vectors take."""
        return sum(block.rows.nbytes + block.records.nbytes for block in self.blocks)

    @cached_property
    def records(self) -> Numbers:
        """The numbers of all records."""
        return np.concatenate([np.empty(0, dtype=np.int64), *(block.records for block in self.blocks)])

    def changed(self, records: Numbers, rows: Floats, *, gone: Numbers, version: int, erased: int) -> Vectors:
        """Return these vectors with some added or replaced, and without those of the records that are gone."""
        if (np.diff(records) < 0).any():
            order = np.argsort(records)
            records, rows = records[order], rows[order]
        gone = np.sort(gone)
        firsts = np.array([block.records[0] for block in self.blocks[1:]], dtype=np.int64)
        blocks: list[_Block] = []
        for block, new, old in zip(self.blocks, _cuts(records, firsts), _cuts(gone, firsts), strict=False):
            touched = new.start < new.stop or old.start < old.stop
            blocks += block.changed(records[new], rows[new], gone=gone[old]) if touched else [block]
        return Vectors(blocks if self.blocks else _blocks(records, rows), version=version, erased=erased)

    def nearest(self, query: Floats, k: int, *, space: Space, among: Numbers | None = None) -> list[tuple[int, float]]:
        """Return the k nearest records with their distances, nearest first; of equally near ones, the older first.

        The distance of "l2" is squared, that of "cosine" and "ip" is one less the similarity.
        """
        places = None if among is None else np.searchsorted(self.records, among)
        if not len(self.records) or (places is not None and not len(places)):
            return []
        if places is None or 4 * len(places) > len(self.records):  # scanning everything costs less than copying much of it
            found = np.concatenate([_distances(block.rows, block.lengths, query, space) for block in self.blocks])
            found = found if places is None else found[places]
        else:
            found = _distances(*self._at(places), query, space)
        best = _smallest(found, k)
        records = self.records[best if places is None else places[best]]
        return [(int(record), float(distance)) for record, distance in zip(records, found[best], strict=True)]

    def _at(self, places: Numbers) -> tuple[Floats, Floats]:
        """The vectors at some places, in rising order, and their lengths."""
        rows, lengths = np.empty((len(places), self.blocks[0].rows.shape[1]), dtype=np.float32), np.empty(len(places), dtype=np.float32)
        start = 0
        ends = np.cumsum([len(block.records) for block in self.blocks]).tolist()
        for block, end, cut in zip(self.blocks, ends, _cuts(places, np.array(ends[:-1], dtype=np.int64)), strict=True):
            if cut.start < cut.stop:
                within = places[cut] - start
                block.rows.take(within, axis=0, out=rows[cut], mode="clip")  # "clip" for speed: all of them are within
                block.lengths.take(within, out=lengths[cut], mode="clip")
            start = end
        return rows, lengths


class _Block:
    """Some of the vectors, in the rising order of their records. It never changes."""

    def __init__(self, records: Numbers, rows: Floats) -> None:
        self.records, self.rows = records, rows

    def changed(self, records: Numbers, rows: Floats, *, gone: Numbers) -> list[_Block]:
        """Return what becomes of it with some vectors added or replaced, and without some."""
        kept = ~np.isin(self.records, np.concatenate([records, gone]))
        all_records, all_rows = np.concatenate([self.records[kept], records]), np.concatenate([self.rows[kept], rows])
        order = np.argsort(all_records)
        return _blocks(all_records[order], all_rows[order])

    @cached_property
    def lengths(self) -> Floats:
        """The length of every vector."""
        return np.sqrt(_by_chunks(self.rows, _squares))


def to_rows(blobs: Sequence[bytes], dimension: int) -> Floats:
    """Return stored vectors as the rows of a matrix."""
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(-1, dimension).astype(np.float32, copy=False)


def _blocks(records: Numbers, rows: Floats) -> list[_Block]:
    return [_Block(records[start : start + _BLOCK], rows[start : start + _BLOCK]) for start in range(0, len(records), _BLOCK)]


def _cuts(numbers: Numbers, firsts: Numbers) -> list[slice]:
    """Where rising numbers fall into blocks, of which these are the first numbers of all but the first."""
    ends = np.searchsorted(numbers, firsts).tolist()
    return [slice(start, end) for start, end in zip([0, *ends], [*ends, len(numbers)], strict=True)]


def _distances(rows: Floats, lengths: Floats, query: Floats, space: Space) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):  # to a query that is not finite, no distance is
        if space == "l2":  # by differences: |x|² + |q|² − 2xq loses small distances of long vectors to rounding
            return _by_chunks(rows, lambda part: _squares(part - query))
        similarity = _by_chunks(rows, lambda part: np.dot(part, query))
        if space == "cosine":
            similarity /= np.maximum(lengths * np.sqrt(np.dot(query, query)), np.float32(1e-30))
        return np.float32(1) - similarity


def _by_chunks(rows: Floats, measure: Callable[[Floats], Floats]) -> Floats:
    found = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _CHUNK):
        found[start : start + _CHUNK] = measure(rows[start : start + _CHUNK])
    return found


def _squares(rows: Floats) -> Floats:
    squares: Floats = np.einsum("ij,ij->i", rows, rows)
    return squares


def _smallest(values: Floats, k: int) -> Numbers:
    if k < len(values):
        near = np.flatnonzero(~(values > np.partition(values, k - 1)[k - 1]))  # with all that are as far as the last
        return near[np.argsort(values[near], kind="stable")][:k]
    return np.argsort(values, kind="stable")[:k]
