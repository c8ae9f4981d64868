"""What words and meaning find, brought together: the most that each row's score can be, so that only the promising ones are scored."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memdb.answers import Question
from memdb.candidates import Bounds, Legs, Near, Words
from memdb.field import Field, Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUITS = 0.1
"""What a taste is worth to a request that it is not near at all, as a share of one that is as near as can be: as `retrieve.sql` has it."""

_GROUPS, _IN_A_GROUP = 4, 8  # groups for each wanted, and of how many values at least, by which the highest are found sooner


def fuse(
    words: Words,
    near: Sequence[Near],
    *,
    bounds: Bounds,
    half: float,
    question: Question,
    legs: Legs,
    of_kind: Words,
    tastes: Words,
    besides: Sequence[int],
) -> Field:
    """Return the rows of both, with the most that each can score within these bounds whatever else is true of it, but for those `besides`,
    which are scored in any case.

    `half` is the bm25 of a best match that counts as half of one that says everything, as `retrieve.sql` has it; `of_kind` is what tells of
    things of the kind that is asked for, and `tastes` what tells of a taste, where a suggestion is asked for.
    """
    matches = words.matching()
    asked = (bounds, half, question, legs, of_kind.matching(), tastes)
    field = _Meaning(matches, near, *asked) if near else _WordsAlone(matches, *asked)
    field.always = field.places(besides)
    return field


class _WordsAlone(Field):
    """What the words found, where there are no vectors to ask."""

    _ids: Sequence[int]
    _bm25: Sequence[float]
    _most: list[float]

    def __init__(self, words: Words, bounds: Bounds, half: float, question: Question, legs: Legs, of_kind: Words, tastes: Words) -> None:
        super().__init__()
        self._words, self._limits = words if legs.lexical else Words(), legs
        self._ids, kinds, self._bm25 = self._words.ids, self._words.kinds, self._words.bm25
        for besides in (of_kind, tastes):
            worded = set(self._ids) if besides.ids else set()
            others = [id for id in besides.ids if id not in worded]
            self._ids, kinds = [*self._ids, *others], [*kinds, *map(besides.kind_of, others)]
            self._bm25 = [*self._bm25, *(0.0 for _ in others)]
        shares = of_kind.shares()
        self._best_match = min(range(len(self._words.ids)), key=self._bm25.__getitem__) if self._words.ids else None
        said = {kind: bounds.said(question, kind) for kind in set(kinds)}
        lexical = bounds.lexical / (self._bm25[self._best_match] - half if self._best_match is not None else 1.0)
        self._open, self._held, self._settled = bounds.open(question), bounds.held, bounds.is_settled(question, said)
        self._said = [said[kind] for kind in kinds]
        self._most = [lexical * bm25 + self._open + said for bm25, said in zip(self._bm25, self._said, strict=True)]
        if shares:
            self._most = [most + bounds.hyponym * shares.get(id, 0.0) for id, most in zip(self._ids, self._most, strict=True)]
        if tastes.ids:
            telling, best = set(tastes.ids), self._bm25[self._best_match] if self._best_match is not None else 1.0
            suits = [
                bounds.preference * (SUITS + (1.0 - SUITS) * bm25 / best) if id in telling else 0.0
                for id, bm25 in zip(self._ids, self._bm25, strict=True)
            ]
            self._most = [most + suit for most, suit in zip(self._most, suits, strict=True)]

    def ids(self, places: Sequence[int]) -> list[int]:
        return [self._ids[place] for place in places]

    def places(self, ids: Sequence[int]) -> list[int]:
        wanted = set(ids)
        return [place for place, id in enumerate(self._ids) if id in wanted] if wanted else []

    def _rows(self, places: Sequence[int]) -> list[Found]:
        return [(self._ids[place], self._bm25[place], math.nan, math.nan) for place in places]

    def _best_first(self, count: int) -> list[int]:
        return heapq.nlargest(count, range(len(self._ids)), key=lambda place: (self._most[place], self._ids[place]))

    def _reaching(self, score: float) -> list[int]:
        return [place for place, most in enumerate(self._most) if most >= score]

    def _all(self, places: Sequence[int]) -> list[float]:
        return [self._most[place] for place in places]

    def _bare(self, places: Sequence[int]) -> list[float]:
        return [self._most[place] - self._said[place] for place in places]

    def near(self, score: float, near_by: float) -> list[int]:
        best = self._bm25[self._best_match] if self._best_match is not None else 1.0  # words do for the meaning, too
        return [place for place in self._reaching(score) if 2 * self._bm25[place] / best >= near_by]

    def legs(self) -> list[int]:
        return _lexical_leg(self._words, range(len(self._words.ids)), self._limits)

    def _refine(self, places: list[int]) -> bool:
        return False


class _Meaning(Field):
    """What the meaning found, and the words with it: everything that has a vector, or part of the question's words.

    Not-a-number stands for a bm25 or cosine that a row does not have. `_windows` is None if there are none.
    """

    def __init__(
        self, words: Words, near: Sequence[Near], bounds: Bounds, half: float, question: Question, legs: Legs, of_kind: Words, tastes: Words
    ) -> None:
        import numpy as np

        super().__init__()
        self._words, self._near, self._bounds, self._limits, self._besides = words, near, bounds, legs, (of_kind, tastes)
        self._own = [one for one in near if one.shelf != "window"]
        self._window = next((one for one in near if one.shelf == "window"), None)
        word_ids = np.array(words.ids, np.int64)
        others = [word_ids] if legs.lexical else []
        others += [np.array(one.ids, np.int64) for one in self._besides if one.ids]  # which words find, too
        if self._window is not None:
            others.append(-self._window.ids)
        self._ids, self._source, found = _together(self._own, others)
        self._words_at, self._words_known = found[0] if legs.lexical else _at(self._ids, word_ids)
        self._cosines = _joined([one.cosines for one in self._own], self._source)
        self._windows: NDArray[np.float64] | None = None
        if self._window is not None:
            self._windows_at, self._windows_known = found[-1]
            self._windows = np.full(len(self._ids), np.nan)
            self._windows[self._windows_at[self._windows_known]] = self._window.cosines[self._windows_known]
        matched, bm25 = self._words_at, np.array(words.bm25)
        if not np.logical_and.reduce(self._words_known):
            matched, bm25 = matched[self._words_known], bm25[self._words_known]
        self._bm25 = np.full(len(self._ids), np.nan)
        self._bm25[matched] = bm25
        best = int(bm25.argmin()) if len(matched) else None
        self._best_bm25 = float(bm25[best]) if best is not None else 1.0
        self._scale = self._best_bm25 - (half if best is not None else 0.0)
        self._best_match = int(matched[best]) if best is not None and legs.lexical else None
        self._open, self._held = bounds.open(question), bounds.held
        self._said = self._all_said(question)
        lone = self._source is not None and (self._source < 0).any()
        self._settled = not lone and bounds.is_settled(question, [one.shelf for one in self._own])
        self._shared: NDArray[np.float64] | None = None  # what it gives each to tell of things of the kind that is asked for
        if of_kind.ids:
            self._shared = np.zeros(len(self._ids))
            self._shared[found[1][0]] = bounds.hyponym * np.array([*of_kind.shares().values()])
        self._suits: NDArray[np.float64] | None = None  # what it gives each to tell of a taste, if it is as near as can be
        if tastes.ids:
            self._suits = np.zeros(len(self._ids))
            self._suits[_at(self._ids, np.array(tastes.ids, np.int64))[0]] = bounds.preference
        exact = all(one.exact is None for one in near)
        self._compared = None if exact else np.zeros(len(self._ids), np.bool_)
        # the most that a cosine can be says what a row can score at most where nearness does not make it score less
        least = -math.inf if exact else 0.0
        self._most = self._scores(slice(None), 0.0, least)
        self._most[matched] = self._scores(matched, bm25 / self._scale, least)
        self._first: NDArray[np.intp] | None = None  # of all others none can score more than `_others`
        self._others = math.inf

    def ids(self, places: Sequence[int]) -> list[int]:
        found: list[int] = self._ids[places].tolist()
        return found

    def places(self, ids: Sequence[int]) -> list[int]:
        import numpy as np

        places, known = _at(self._ids, np.array(ids, np.int64))
        found: list[int] = places[known].tolist()
        return found

    def _rows(self, places: Sequence[int]) -> list[Found]:
        windows = [math.nan] * len(places) if self._windows is None else (1.0 - self._windows[places]).tolist()
        distances = (1.0 - self._cosines[places]).tolist()
        return list(zip(self.ids(places), self._bm25[places].tolist(), distances, windows, strict=True))

    def _best_first(self, count: int) -> list[int]:
        import numpy as np

        places = _top(self._most, min(count, len(self._most)))
        most = self._most[places]
        if len(places):
            self._first, self._others = places, float(np.minimum.reduce(most))
        highest: list[int] = places[np.lexsort((-self._ids[places], -most))].tolist()
        return highest

    def _reaching(self, score: float) -> list[int]:
        if self._first is not None and score > self._others:
            able: list[int] = self._first[self._most[self._first] >= score].tolist()
            return able
        places: list[int] = (self._most >= score).nonzero()[0].tolist()
        return places

    def _all(self, places: Sequence[int]) -> list[float]:
        most: list[float] = self._most[places].tolist()
        return most

    def _bare(self, places: Sequence[int]) -> list[float]:
        bare: list[float] = (self._most[places] - self._said_of(places)).tolist()
        return bare

    def near(self, score: float, near_by: float) -> list[int]:
        import numpy as np

        places = self._reaching(score)
        lexical, cosines = np.nan_to_num(self._bm25[places] / self._best_bm25), np.nan_to_num(self._cosines[places])
        return [place for place, nearness in zip(places, (lexical + cosines).tolist(), strict=True) if nearness >= near_by]

    def legs(self) -> list[int]:
        import numpy as np

        near = [np.abs(one.ids[_nearest(one, self._limits.semantic)]) for one in self._near]
        nearest = _at(self._ids, _distinct(near))[0].tolist()
        may = self._words_known
        if self._limits.nearest:
            may = may & (self._source[self._words_at] < 0) if self._source is not None else np.zeros_like(may)
        places = [place if found else None for place, found in zip(self._words_at.tolist(), may, strict=True)]
        return [*_lexical_leg(self._words, places, self._limits), *nearest]

    def _refine(self, places: list[int]) -> bool:
        import numpy as np

        if self._compared is None:
            return False
        at = np.array(places, np.intp)
        if not len(at := at[~self._compared[at]]):
            return False
        self._compared[at] = True
        if self._source is None and len(self._own) == 1:
            if (exact := self._own[0].exact) is not None:
                self._cosines[at] = exact(at)
        else:
            source, start = self._source[at] if self._source is not None else at, 0
            for one in self._own:
                these = (source >= start) & (source < start + len(one.ids))
                if one.exact is not None and these.any():
                    self._cosines[at[these]] = one.exact(source[these] - start)
                start += len(one.ids)
        if self._window is not None and self._windows is not None and self._window.exact is not None:
            windows_at = np.full(len(self._ids), -1)
            windows_at[self._windows_at[self._windows_known]] = np.flatnonzero(self._windows_known)
            these = windows_at[at] >= 0
            self._windows[at[these]] = self._window.exact(windows_at[at[these]])
        lexical = self._bm25[at]
        lexical /= self._scale
        lexical[np.isnan(lexical)] = 0.0
        self._most[at] = self._scores(at, lexical)
        return True

    def _scores(
        self, places: slice | NDArray[np.intp], lexical: float | NDArray[np.float64], least: float = -math.inf
    ) -> NDArray[np.float64]:
        """The most that these can score; no weight of nearness counts as less than `least`. `lexical` is that of retrieve.sql."""
        import numpy as np

        bounds = self._bounds
        by_cosine: float | NDArray[np.float64] = lexical * bounds.both + bounds.cosine
        others = lexical * bounds.lexical + (self._open + self._said_of(places))
        if self._shared is not None:
            others += self._shared[places]
        if self._suits is not None:
            by_cosine = by_cosine + (1.0 - SUITS) * self._suits[places]
            others += (SUITS if any(len(one.ids) for one in self._own) else 1.0) * self._suits[places]  # else words do for the meaning
        meaning = np.maximum(self._cosines[places], 0.0)
        if least < 0.0:  # else more than 1 makes none score too little
            np.minimum(meaning, 1.0, out=meaning)  # many as they may be, they are written where they are
        if self._source is not None:  # some may have no vector
            meaning[np.isnan(meaning)] = 0.0
        if self._windows is None:
            meaning *= _at_least(by_cosine + bounds.window, least)
            meaning += others
            return meaning
        among = self._windows[places]
        among = np.where(np.isnan(among), meaning, np.minimum(np.maximum(among, 0.0), 1.0))
        return _at_least(by_cosine, least) * meaning + max(bounds.window, least) * among + others

    def _said_of(self, places: Sequence[int] | slice | NDArray[np.intp]) -> float | NDArray[np.float64]:
        return self._said if isinstance(self._said, float) else self._said[places]

    def _all_said(self, question: Question) -> float | NDArray[np.float64]:
        """What `Bounds.said` gives to each, or to all."""
        import numpy as np

        if self._source is None and len(self._own) == 1:
            return self._bounds.said(question, self._own[0].shelf)
        lone = self._ids[self._source < 0].tolist() if self._source is not None else []
        kinds = {id: words.kind_of(id) for words in (*self._besides, self._words) for id in words.ids} if lone else {}
        alone = [self._bounds.said(question, kinds.get(id, "message")) for id in lone]
        said = [np.full(len(one.ids), self._bounds.said(question, one.shelf)) for one in self._own]
        return _joined(said, self._source, alone)


def _lexical_leg(words: Words, places: Sequence[int | None], legs: Legs) -> list[int]:
    """The places of the best matches of each kind; None is the place of what is not to be found."""
    kinds: dict[str, list[tuple[float, int, int]]] = {}
    for id, kind, bm25, place in zip(words.ids, words.kinds, words.bm25, places, strict=True):
        if place is not None:
            kinds.setdefault(kind, []).append((bm25, -id, place))
    return [place for found in kinds.values() for _, _, place in heapq.nsmallest(legs.lexical, found)]


def _together(
    own: Sequence[Near], others: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.intp] | None, list[tuple[NDArray[np.intp], NDArray[np.bool_]]]]:
    """All ids in order; where each stands among the vectors of these shelves, one after the other; and what `_at` tells of the others.

    Where an id has no vector, it stands at -1; None stands for them all if they stand there in the same order.
    """
    import numpy as np

    ids = own[0].ids if len(own) == 1 else np.concatenate([one.ids for one in own]) if own else np.zeros(0, np.int64)
    source = None
    if len(own) > 1 and np.any(ids[1:] < ids[:-1]):
        source = np.argsort(ids, kind="stable")
        ids = ids[source]
    found = [_at(ids, one) for one in others]
    lone = [one[~known] for one, (_, known) in zip(others, found, strict=True) if not known.all()]
    if lone:  # not embedded yet, or only in part
        extra = _distinct(lone)
        source = np.concatenate([np.arange(len(ids)) if source is None else source, np.full(len(extra), -1)])
        ids = np.concatenate([ids, extra])
        order = np.argsort(ids, kind="stable")
        ids, source = ids[order], source[order]
        found = [_at(ids, one) for one in others]
    return ids, source, found


def _at_least(weight: float | NDArray[np.float64], least: float) -> float | NDArray[np.float64]:
    import numpy as np

    return max(weight, least) if isinstance(weight, float) else np.maximum(weight, least)


def _joined(parts: Sequence[NDArray[np.float64]], source: NDArray[np.intp] | None, alone: Sequence[float] = ()) -> NDArray[np.float64]:
    """The values of the shelves' vectors in the order of the ids, those of what has none from `alone`, or not a number."""
    import numpy as np

    joined = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.zeros(0)
    if source is None:
        return joined
    joined = np.append(joined, np.nan)[source]
    if alone:
        joined[source < 0] = alone
    return joined


def _at(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each id stands among the ordered ones, and whether it does."""
    import numpy as np

    if not len(ids) or not len(wanted):
        return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), np.bool_)
    first, last = int(ids[0]), len(ids) - 1
    if ids[-1] - first == last:  # one after the other, as those of a user who is alone in the file
        places = wanted - first
        if np.minimum.reduce(places) >= 0 and np.maximum.reduce(places) <= last:
            return places, np.ones(len(wanted), np.bool_)
    places = np.minimum(np.searchsorted(ids, wanted), last)
    return places, ids[places] == wanted


def _distinct(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """All ids, each once, in order. `np.unique` would import all of numpy.ma, which takes longer than the first search."""
    import numpy as np

    return np.array(sorted({id for part in parts for id in part.tolist()}), np.int64)


def _nearest(one: Near, count: int) -> NDArray[np.intp]:
    """The places of the `count` nearest vectors of a shelf."""
    count = taken = min(count, len(one.ids))
    while True:
        taken = min(2 * taken, len(one.ids))
        places = _top(one.cosines, taken)
        cosines = one.cosines[places] if one.exact is None else one.exact(places)
        nearest = _top(cosines, count)
        if taken in (count, len(one.ids)) or cosines[nearest].min() >= one.cosines[places].min():  # which no other can pass
            return places[nearest]


def _top(values: NDArray[Any], count: int) -> NDArray[np.intp]:
    """The places of the `count` highest, in no order."""
    import numpy as np

    if not 0 < count < len(values):
        return np.arange(count)
    # The highest of each of some groups: so many of these as are wanted are at least so high, and few others are. A sixth of the time at
    # 10,000 values, and a tenth at 100,000.
    groups = _GROUPS * count
    if len(values) >= _IN_A_GROUP * groups:
        highest: NDArray[Any] = np.maximum.reduce(values[: len(values) - len(values) % groups].reshape(-1, groups), axis=0)
        highest.partition(groups - count)
        among: NDArray[np.intp] = (values >= highest[groups - count]).nonzero()[0]
        if len(among) >= count:  # which they are not where some are not a number
            return among[_top_of(values[among], count)]
    return _top_of(values, count)


def _top_of(values: NDArray[Any], count: int) -> NDArray[np.intp]:
    places: NDArray[np.intp] = values.argpartition(len(values) - count)
    return places[len(values) - count :]
