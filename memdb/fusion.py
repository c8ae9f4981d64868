"""What words and meaning find, brought together: the most that each row's score can be, so that only the promising ones are scored."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memdb.records import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 800
"""How many rows at most are worth scoring for one question."""

_OPEN = (
    "type_weight",
    "decay",
    "recency",
    "access_bonus",
    "importance",
    "confidence",
    "frequency",
    "source_reliability",
    "match",
    "goal",
    "emotion",
    "intrinsic_importance",
    "agreement",
)
_FEW = 128  # so many rows are scored at once if that is most likely all: asking twice would take longer
_BESIDES = 16  # otherwise rows scored beside those wanted, to learn what the others must reach
_HARDLY = 0.75  # a row whose features beside words and meaning miss more of what they can give is hardly among the best; 0.6 is usual
_SAYS = ("is_question", "length", "has_number", "is_reaction")
_ROUNDING = 1e-6  # what a cosine in 32 bits may be off by, and more

Found = tuple[int, float | None, float | None, float | None, int]
"""A row as `retrieve.sql` takes it in `:found`: id, bm25, distance, the window's distance, whether it is among the nearest."""

Adds = Callable[[list[int]], Mapping[int, float]]
"""Reads what their text, speaker and time add to the scores of rows."""

Word = tuple[int, str, float]
"""A row that has words of the question: id, kind, bm25."""


@dataclass(frozen=True)
class Near:
    """The ids of a shelf's vectors and the cosine of each to the question; a window has its message's id with a minus."""

    shelf: str
    ids: NDArray[np.int64]
    cosines: NDArray[np.float32]


@dataclass(frozen=True)
class Legs:
    """How many candidates a kind the words and the meaning give at least.

    `given` if nothing but these is to be ranked, `linked` if links count.
    """

    lexical: int
    semantic: int
    given: bool = False
    linked: bool = False


class Field:
    """All rows that words or meaning found. Not-a-number stands for a bm25 or cosine that a row does not have.

    `bare` is the most that each can score but for what its text, speaker and time add, which is known beforehand if it is `settled`;
    `open_` is how much of that is not known before a row is scored.
    """

    def __init__(
        self,
        ids: Sequence[int] | NDArray[np.int64],
        bm25: Sequence[float] | NDArray[np.float64],
        cosines: Sequence[float] | NDArray[np.float64],
        windows: Sequence[float] | NDArray[np.float64],
        *,
        bare: Sequence[float] | NDArray[np.float64],
        open_: float,
        settled: bool,
        best_first: Callable[[int], Sequence[int]],
        reaching: Callable[[float], int],
        highest: Callable[[int], float],
        nearest: Sequence[bool] | NDArray[np.bool_],
        best_matches: Callable[[], list[int]],
        best_match: int | None,
    ) -> None:
        self._ids, self._bm25, self._cosines, self._windows = ids, bm25, cosines, windows
        self._bare, self._open, self._settled = bare, open_, settled
        self._best_first, self._reaching, self._highest, self._nearest = best_first, reaching, highest, nearest
        self._best_matches, self._best_match = best_matches, best_match
        self._most: dict[int, float] = {}

    def first(self, count: int) -> list[Found]:
        """Return the `count` most promising rows, and the best match of the words, which bm25 is measured by."""
        return self._with_best_match(self._best_first(min(count, MOST)))

    def likely(self, goal: int, adds: Adds) -> list[Found]:
        """Return rows that most likely have the `goal` best among them, given what their texts add."""
        if self._settled:
            count = self._promising(self._highest(goal) - _HARDLY * self._open) if goal <= len(self) else len(self)
            return self.first(count if count <= _FEW else goal + _BESIDES)
        places = self._best_first(2 * (goal + _BESIDES))
        most = self._told(places, adds)
        least = min(heapq.nlargest(goal, (most[place] for place in places)), default=0.0) - _HARDLY * self._open
        return self._with_best_match(place for place in places if most[place] >= least)

    def able(self, score: float, adds: Adds) -> list[Found]:
        """Return the rows that may score this much, given what their texts add; what is beyond `MOST` is left out."""
        places = self._best_first(self._promising(score))
        if not self._settled:
            most = self._told(places, adds)
            places = [place for place in places if most[place] >= score - _ROUNDING]
        return self._with_best_match(places)

    def legs(self) -> list[Found]:
        """Return the first of each leg, and nothing else."""
        places = dict.fromkeys(self._best_matches()) | dict.fromkeys(place for place, near in enumerate(self._nearest) if near)
        return self._found(list(places))

    def __len__(self) -> int:
        return len(self._ids)

    def _promising(self, score: float) -> int:
        return min(MOST, self._reaching(score - _ROUNDING))

    def _told(self, places: Sequence[int], adds: Adds) -> dict[int, float]:
        """What each of these can score at most, read once."""
        if new := [place for place in places if place not in self._most]:
            added = adds([int(self._ids[place]) for place in new])
            self._most |= {place: float(self._bare[place]) + added.get(int(self._ids[place]), math.inf) for place in new}
        return self._most

    def _with_best_match(self, places: Iterable[int]) -> list[Found]:
        kept = dict.fromkeys(places)
        if self._best_match is not None:
            kept[self._best_match] = None
        return self._found(list(kept))

    def _found(self, places: Sequence[int]) -> list[Found]:
        found = [_at_places(values, places) for values in (self._ids, self._bm25, self._cosines, self._nearest)]
        windows = _at_places(self._windows, places) if len(self._windows) else [math.nan] * len(places)
        return [
            (
                id,
                None if math.isnan(bm25) else bm25,
                None if math.isnan(cosine) else 1.0 - cosine,
                None if math.isnan(window) else 1.0 - window,
                int(near),
            )
            for id, bm25, cosine, near, window in zip(*found, windows, strict=True)
        ]


def _at_places(values: Sequence[Any] | NDArray[Any], places: Sequence[int]) -> list[Any]:
    return [values[place] for place in places] if isinstance(values, Sequence) else values[places].tolist()


def fuse(words: Sequence[Word], near: Sequence[Near], *, weight: Mapping[str, float], question: Question, legs: Legs) -> Field:
    """Return the rows of both, with the most that each can score under these weights whatever else is true of it."""
    matches = [word for word in words if word[2] < 0]
    return _with_meaning(matches, near, weight, question, legs) if near else _words_alone(matches, weight, question, legs)


def only(near: Sequence[Near], ids: Sequence[int]) -> list[Near]:
    """Return what is near, cut down to these rows and their windows."""
    import numpy as np

    wanted = np.array(ids, np.int64)
    masks = [np.isin(np.abs(one.ids), wanted) for one in near]
    return [Near(one.shelf, one.ids[mask], one.cosines[mask]) for one, mask in zip(near, masks, strict=True)]


def _open(weight: Mapping[str, float], question: Question) -> float:
    """The most that the features beside words, meaning, and those that `_said` counts can give to a row."""
    total = sum(_most(weight, feature) for feature in _OPEN)
    total += _most(weight, "date") if question.times else 0.0
    return total


def _said(weight: Mapping[str, float], question: Question, kind: str) -> float:
    """The most that its text, speaker and time can give to a row of a kind."""
    says = sum(_most(weight, feature) for feature in _SAYS)
    written = 0.6 * weight.get("length", 0.0)  # what is no message asks nothing and counts as one of ten words
    told = _most(weight, "actor") if question.actor is not None else 0.0
    told += _most(weight, "has_time") if question.intent == "time" else 0.0
    return told + (says if kind == "message" else max(says, written) if kind == "closed" else written)


def _most(weight: Mapping[str, float], feature: str) -> float:
    return max(0.0, weight.get(feature, 0.0))


def _is_settled(weight: Mapping[str, float], question: Question, kinds: Iterable[str]) -> bool:
    """Whether what `_said` counts is the same for all rows of these kinds: there are no messages, and it is not asked who or when."""
    asks = (question.actor is not None and weight.get("actor")) or (question.intent == "time" and weight.get("has_time"))
    return not asks and not {"message", "closed"} & set(kinds)


def _words_alone(words: Sequence[Word], weight: Mapping[str, float], question: Question, legs: Legs) -> Field:
    if not legs.lexical:
        words = []
    ids, bm25 = [id for id, _, _ in words], [bm25 for _, _, bm25 in words]
    best = min(range(len(words)), key=bm25.__getitem__) if words else None
    said = {kind: _said(weight, question, kind) for kind in {kind for _, kind, _ in words}}
    lexical, others = weight.get("lexical", 0.0) / (bm25[best] if best is not None else 1.0), _open(weight, question)
    bare = [lexical * bm25 + others for bm25 in bm25]
    most = [one + said[kind] for one, (_, kind, _) in zip(bare, words, strict=True)]
    unknown = [math.nan] * len(words)
    return Field(
        ids,
        bm25,
        unknown,
        unknown,
        bare=bare,
        open_=others,
        settled=_is_settled(weight, question, said),
        best_first=lambda count: heapq.nlargest(count, range(len(words)), key=lambda place: (most[place], ids[place])),
        reaching=lambda score: sum(1 for ceiling in most if ceiling >= score),
        highest=lambda place: heapq.nlargest(place, most)[-1],
        nearest=[False] * len(words),
        best_matches=lambda: _lexical_leg(words, range(len(words)), legs),
        best_match=best,
    )


def _lexical_leg(words: Sequence[Word], places: Sequence[int], legs: Legs) -> list[int]:
    """The places of the best matches of each kind."""
    kinds: dict[str, list[tuple[float, int, int]]] = {}
    for (id, kind, bm25), place in zip(words, places, strict=True):
        kinds.setdefault(kind, []).append((bm25, -id, place))
    return [place for found in kinds.values() for _, _, place in heapq.nsmallest(legs.lexical, found)]


def _with_meaning(words: Sequence[Word], near: Sequence[Near], weight: Mapping[str, float], question: Question, legs: Legs) -> Field:
    import numpy as np

    own = [one for one in near if one.shelf != "window"]
    ids = np.concatenate([one.ids for one in own]) if own else np.zeros(0, np.int64)
    cosines = np.concatenate([one.cosines for one in own]).astype(np.float64) if own else np.zeros(0)
    said = np.concatenate([np.full(len(one.ids), _said(weight, question, one.shelf)) for one in own]) if own else np.zeros(0)
    nearest = np.concatenate([_nearest(one, legs.semantic) for one in own]) if own else np.zeros(0, np.bool_)
    if np.any(ids[1:] < ids[:-1]):
        order = np.argsort(ids, kind="stable")
        ids, cosines, said, nearest = ids[order], cosines[order], said[order], nearest[order]
    window = next((one for one in near if one.shelf == "window"), None)
    window_ids = -window.ids if window is not None else np.zeros(0, np.int64)
    word_ids = np.array([id for id, _, _ in words], np.int64)
    lone = [(one, _at(ids, one)[1]) for one in (window_ids, *([word_ids] if legs.lexical else []))]
    extra = sorted({id for one, there in lone if not there.all() for id in one[~there].tolist()})
    if extra:  # not embedded yet, or only in part
        kinds = {id: kind for id, kind, _ in words}
        highest = [_said(weight, question, kinds.get(id, "message")) for id in extra]
        order = np.argsort(np.concatenate([ids, np.array(extra, np.int64)]), kind="stable")
        ids = np.concatenate([ids, np.array(extra, np.int64)])[order]
        cosines = np.concatenate([cosines, np.full(len(extra), np.nan)])[order]
        said = np.concatenate([said, highest])[order]
        nearest = np.concatenate([nearest, np.zeros(len(extra), np.bool_)])[order]
    bm25, windows = np.full(len(ids), np.nan), np.full(len(ids) if window is not None else 0, np.nan)
    places, there = _at(ids, word_ids)
    matched_at = places[there]
    bm25[matched_at] = np.array([bm25 for _, _, bm25 in words])[there]
    meaning = np.clip(np.nan_to_num(cosines) if extra else cosines, 0.0, 1.0)
    if window is not None:
        at, known = _at(ids, window_ids)
        windows[at[known]] = window.cosines[known]
        nearest[at[known]] |= _nearest(window, legs.semantic)[known]
        among = np.where(np.isnan(windows), meaning, np.clip(windows, 0.0, 1.0))
        bare = weight.get("cosine", 0.0) * meaning + weight.get("window", 0.0) * among
    else:
        bare = (weight.get("cosine", 0.0) + weight.get("window", 0.0)) * meaning
    best = int(matched_at[np.argmin(bm25[matched_at])]) if len(matched_at) else None
    bare += _open(weight, question)
    if best is not None:
        bare[matched_at] += bm25[matched_at] / bm25[best] * weight.get("lexical", 0.0)
    most = bare + said
    matched = words if there.all() else [word for word, one in zip(words, there, strict=True) if one]
    return Field(
        ids,
        bm25,
        cosines,
        windows,
        bare=bare,
        open_=_open(weight, question),
        settled=not extra and _is_settled(weight, question, (one.shelf for one in own)),
        best_first=lambda count: _highest(most, ids, count),
        reaching=lambda score: int(np.count_nonzero(most >= score)),
        highest=lambda place: float(np.partition(most, len(most) - place)[len(most) - place]),
        nearest=nearest,
        best_matches=lambda: _lexical_leg(matched, places[there].tolist(), legs),
        best_match=best if legs.lexical else None,
    )


def _at(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each id stands among the ordered ones, and whether it does."""
    import numpy as np

    if not len(ids):
        return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), np.bool_)
    places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return places, ids[places] == wanted


def _highest(most: NDArray[np.float64], ids: NDArray[np.int64], count: int) -> list[int]:
    """The places of the highest, those of newer rows first among equals."""
    import numpy as np

    if not count:
        return []
    order = np.argpartition(most, len(most) - count)[len(most) - count :] if len(most) > count else np.arange(len(most))
    highest: list[int] = order[np.lexsort((-ids[order], -most[order]))].tolist()
    return highest


def _nearest(one: Near, count: int) -> NDArray[np.bool_]:
    """Which vectors of a shelf are the `count` nearest."""
    import numpy as np

    if len(one.ids) <= count:
        return np.ones(len(one.ids), np.bool_)
    chosen = np.zeros(len(one.ids), np.bool_)
    if count:
        chosen[np.argpartition(one.cosines, len(one.ids) - count)[len(one.ids) - count :]] = True
    return chosen
