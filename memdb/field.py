"""All rows that may be among the best for a question, and the most that each can score: which of them are worth scoring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, repeat
from operator import add, sub
from typing import Protocol

MOST = 800
"""How many rows at most are worth scoring for one question."""

_FEW = 64  # rows that are looked at first where text, speaker and time tell nothing
_BESIDES = 16  # rows scored beside those wanted, to learn what the others must reach; of more, what is held of them is read first
_COMPARED = 4 * MOST  # vectors that are compared exactly, at most, where all that is known is the most that their cosines can be
_HARDLY = 0.75  # a row whose features beside words and meaning miss more of what they can give is hardly among the best; 0.6 is usual
_SURELY = 0.25  # the same of a row of which it is known what is held of it; 0.2 is usual
_ROUNDING = 1e-6  # what a cosine in 32 bits may be off by, and more

Found = tuple[int, float, float, float]
"""A row as `retrieve.sql` takes it in `:found`: id, bm25, distance, the window's distance; not-a-number is what it does not have."""


class Reader(Protocol):
    """Reads of rows, by their ids, what their scores are made of: at a fraction of the price of a score."""

    def adds(self, ids: list[int]) -> Mapping[int, float]:
        """Return what text, speaker and time add to the score of each."""

    def held(self, ids: list[int]) -> Mapping[int, float]:
        """Return what is held of each adds to its score at most."""


class Field(ABC):
    """All rows that words or meaning found, each at a place of its own.

    `_open` is how much of what a row can score is not known before it is scored, `_held` how much of that is for what is held of it;
    `_settled` says that what text, speaker and time add at most is the same for all. `_best_match` is the place of what bm25 is measured
    by. `always` are places of rows that are scored in any case.
    """

    _open: float
    _held: float
    _settled: bool
    _best_match: int | None

    def __init__(self) -> None:
        self._told: dict[int, float] = {}
        self._lacking: dict[int, float] = {}
        self.always: Sequence[int] = ()

    @abstractmethod
    def ids(self, places: Sequence[int]) -> list[int]:
        """Return the ids of the rows at these places."""

    @abstractmethod
    def places(self, ids: Sequence[int]) -> list[int]:
        """Return the places of those of these rows that were found."""

    @abstractmethod
    def legs(self) -> list[int]:
        """Return the places of the best matches and of the nearest, so many of each kind."""

    @abstractmethod
    def near(self, score: float, near_by: float) -> list[int]:
        """Return the places of the rows that may score this much, and are so near by words and meaning together, as `ranked` counts it."""

    @abstractmethod
    def _rows(self, places: Sequence[int]) -> list[Found]:
        """The rows at these places, as far as they are known."""

    @abstractmethod
    def _best_first(self, count: int) -> list[int]:
        """The places of those that can score most, those of newer rows first among equals."""

    @abstractmethod
    def _reaching(self, score: float) -> list[int]:
        """The places of those that can score this much."""

    @abstractmethod
    def _all(self, places: Sequence[int]) -> list[float]:
        """The most that each can score, with what its text, speaker and time add at most."""

    @abstractmethod
    def _bare(self, places: Sequence[int]) -> list[float]:
        """The most that each can score but for what its text, speaker and time add."""

    @abstractmethod
    def _refine(self, places: list[int]) -> bool:
        """Make their cosines exact where they are only bounds, and what they can score with them; return whether there were such."""

    def found(self, places: Iterable[int]) -> list[Found]:
        """Return the rows at these places and those that are scored in any case, each once."""
        once = list(dict.fromkeys([*places, *self.always]))
        self._refine(once)
        return self._rows(once)

    def first(self, count: int) -> list[int]:
        """Return the places of the `count` most promising rows, and of the best match of the words, which bm25 is measured by."""
        return self.with_best_match(self._best_first(min(count, MOST)))

    def with_best_match(self, places: Iterable[int]) -> list[int]:
        """Return these places and that of the best match of the words, which bm25 is measured by; each once."""
        kept = dict.fromkeys(places)
        if self._best_match is not None:
            kept[self._best_match] = None
        return list(kept)

    def likely(self, goal: int, reader: Reader) -> list[int]:
        """Return the places of rows that most likely have the `goal` best among them, as far as is told of them, and the best match."""
        if self._settled:
            # where cosines are only bounds, they are so near that it is not worth while to make these exact
            likely = self._best_first(_FEW)
            most = self._all(likely)
        else:
            told = self._at_most(self._best_first(4 * (goal + _BESIDES)), reader)
            likely, most = [*told], [*told.values()]
        likely, most = _reaching(likely, most, goal, less=_HARDLY * self._open)
        if len(likely) > goal + _BESIDES:
            ids = self.ids(likely)
            lacking = [*map(sub, repeat(self._held), map(reader.held(ids).get, ids, repeat(self._held)))]
            self._lacking = dict(zip(likely, lacking, strict=True))
            likely, _ = _reaching(likely, [*map(sub, most, lacking)], goal, less=_SURELY * self._open)
        return self.with_best_match(likely)

    def able(self, score: float, reader: Reader) -> list[int]:
        """Return the places of the rows that may score this much, as far as is told of them; what is beyond `MOST` is left out."""
        least = score - _ROUNDING
        if len(places := self._reaching(least)) > _COMPARED:
            places = self._best_first(_COMPARED)
        able = places
        if self._refine(places):
            able = [place for place, most in zip(places, self._all(places), strict=True) if most >= least]
        if len(able) > MOST:
            able = self._best_first(MOST)
        if self._settled and not self._lacking:
            return able
        most = self._all(able) if self._settled else self._at_most(able, reader).values()
        return [*compress(able, map(least.__le__, map(sub, most, map(self._lacking.get, able, repeat(0.0)))))]

    def _at_most(self, places: list[int], reader: Reader) -> dict[int, float]:
        """What each of these can score at most, given what its text, speaker and time add, which is read once."""
        self._refine(places)
        if new := [place for place in places if place not in self._told]:
            ids = self.ids(new)
            self._told.update(zip(new, map(add, self._bare(new), map(reader.adds(ids).__getitem__, ids)), strict=True))
        return dict(zip(places, map(self._told.__getitem__, places), strict=True))


def _reaching(places: list[int], most: list[float], goal: int, *, less: float) -> tuple[list[int], list[float]]:
    """Those, with the most that each can score, that reach what the `goal` best can score at most, or not this much less."""
    best = sorted(most)[-goal:]
    least = best[0] - less if best else 0.0
    if min(most, default=least) >= least:
        return places, most
    reach = [*map(least.__le__, most)]  # a third of the time that a comprehension takes
    return [*compress(places, reach)], [*compress(most, reach)]
