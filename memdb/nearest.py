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

_CHUNK = 256  # rows: they fit into the processor's cache, and are too few for numpy to spread over threads that wait for each other


class Vectors:
    """Vectors by the number of their record, in rising order. What was handed out never changes; `changed` gives a new one."""

    def __init__(self, records: Numbers, rows: Floats, *, version: int = -1, erased: int = 0) -> None:
        self.records = records
        self.rows = rows
        self.version = version
        self.erased = erased

    @property
    def size(self) -> int:
        """How many bytes the vectors take."""
        return self.rows.nbytes + self.records.nbytes

    def changed(self, records: Numbers, rows: Floats, *, alive: Numbers | None, version: int, erased: int) -> Vectors:
        """Return these vectors with some added or replaced; where `alive` is given, only the records it names stay."""
        kept = ~np.isin(self.records, records)
        if alive is not None:
            kept &= np.isin(self.records, alive)
        all_records, all_rows = self.records, self.rows
        if not kept.all():
            all_records, all_rows = all_records[kept], all_rows[kept]
        if len(records):
            all_records = np.concatenate([all_records, records])
            all_rows = np.concatenate([all_rows, rows]) if len(all_rows) else rows
            if (np.diff(all_records) < 0).any():
                order = np.argsort(all_records)
                all_records, all_rows = all_records[order], all_rows[order]
        return Vectors(all_records, all_rows, version=version, erased=erased)

    def nearest(self, query: Floats, k: int, *, space: Space, among: Numbers | None = None) -> list[tuple[int, float]]:
        """Return the k nearest records with their distances, nearest first; of equally near ones, the older first.

        The distance of "l2" is squared, that of "cosine" and "ip" is one less the similarity.
        """
        places = None if among is None else np.searchsorted(self.records, among)
        if not len(self.records) or (places is not None and not len(places)):
            return []
        if places is None or 4 * len(places) > len(self.records):  # scanning everything costs less than copying much of it
            found = self._distances(self.rows, self.lengths, query, space)
            found = found if places is None else found[places]
        else:
            found = self._distances(self.rows[places], self.lengths[places], query, space)
        best = _smallest(found, k)
        records = self.records[best if places is None else places[best]]
        return [(int(record), float(distance)) for record, distance in zip(records, found[best], strict=True)]

    @cached_property
    def lengths(self) -> Floats:
        """The length of every vector."""
        return np.sqrt(_by_chunks(self.rows, _squares))

    @staticmethod
    def _distances(rows: Floats, lengths: Floats, query: Floats, space: Space) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):  # to a query that is not finite, no distance is
            if space == "l2":  # by differences: |x|² + |q|² − 2xq loses small distances of long vectors to rounding
                return _by_chunks(rows, lambda part: _squares(part - query))
            similarity = _by_chunks(rows, lambda part: np.dot(part, query))
            if space == "cosine":
                similarity /= np.maximum(lengths * np.sqrt(np.dot(query, query)), np.float32(1e-30))
            return np.float32(1) - similarity


def empty(dimension: int) -> Vectors:
    """Return no vectors, of a dimension."""
    return Vectors(np.empty(0, dtype=np.int64), np.empty((0, dimension), dtype=np.float32))


def to_rows(blobs: Sequence[bytes], dimension: int) -> Floats:
    """Return stored vectors as the rows of a matrix."""
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(-1, dimension).astype(np.float32, copy=False)


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
