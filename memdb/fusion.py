"""What words and meaning find, brought together: the most that each row's score can be, so that only the promising ones are scored."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memdb.field import Field
from memdb.records import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
_SAYS = ("is_question", "length", "has_number", "is_reaction")

Word = tuple[int, str, float]
"""A row that has words of the question: id, kind, bm25."""


@dataclass(frozen=True)
class Near:
    """The ids of a shelf's vectors and the cosine of each to the question; a window has its message's id with a minus.

    With `exact`, `cosines` are only the most that each can be, and `exact` tells those of the vectors at some places.
    """

    shelf: str
    ids: NDArray[np.int64]
    cosines: NDArray[np.float64]
    exact: Callable[[NDArray[np.intp]], NDArray[np.float64]] | None = None


@dataclass(frozen=True)
class Legs:
    """How many candidates a kind the words and the meaning give at least.

    `given` if nothing but these is to be ranked, `linked` if links count.
    """

    lexical: int
    semantic: int
    given: bool = False
    linked: bool = False


def fuse(words: Sequence[Word], near: Sequence[Near], *, weight: Mapping[str, float], question: Question, legs: Legs) -> Field:
    """Return the rows of both, with the most that each can score under these weights whatever else is true of it."""
    matches = [word for word in words if word[2] < 0]
    return _with_meaning(matches, near, weight, question, legs) if near else _words_alone(matches, weight, question, legs)


def only(near: Sequence[Near], ids: Sequence[int]) -> list[Near]:
    """Return what is near, cut down to these rows and their windows."""
    import numpy as np

    wanted = np.array(ids, np.int64)
    return [_some(one, np.flatnonzero(np.isin(np.abs(one.ids), wanted))) for one in near]


def _some(one: Near, kept: NDArray[np.intp]) -> Near:
    exact = one.exact
    return Near(one.shelf, one.ids[kept], one.cosines[kept], exact and (lambda places: exact(kept[places])))


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
        most=most,
        open_=others,
        settled=_is_settled(weight, question, said),
        best_first=lambda count: heapq.nlargest(count, range(len(words)), key=lambda place: (most[place], ids[place])),
        reaching=lambda score: [place for place, ceiling in enumerate(most) if ceiling >= score],
        refine=lambda places: None,
        nearest=list,
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
    window = next((one for one in near if one.shelf == "window"), None)
    word_ids = np.array([id for id, _, _ in words], np.int64)
    window_ids = -window.ids if window is not None else np.zeros(0, np.int64)
    ids, source = _together(own, [window_ids, *([word_ids] if legs.lexical else [])])
    cosines = _joined([one.cosines for one in own], source)
    windows = np.full(len(ids) if window is not None else 0, np.nan)
    window_place, known = _at(ids, window_ids)
    if window is not None:
        windows[window_place[known]] = window.cosines[known]
    bm25, lexical = np.full(len(ids), np.nan), np.zeros(len(ids))  # the latter as in retrieve.sql
    word_place, there = _at(ids, word_ids)
    matched_at = word_place[there]
    bm25[matched_at] = np.array([bm25 for _, _, bm25 in words])[there]
    best = int(matched_at[np.argmin(bm25[matched_at])]) if len(matched_at) else None
    if best is not None:
        lexical[matched_at] = bm25[matched_at] / bm25[best]
    others = lexical * weight.get("lexical", 0.0) + _open(weight, question)
    by_cosine, by_window = lexical * weight.get("both", 0.0) + weight.get("cosine", 0.0), weight.get("window", 0.0)

    def score(places: slice | NDArray[np.intp], *, least: float = -math.inf) -> NDArray[np.float64]:
        meaning = np.clip(cosines[places], 0.0, 1.0)
        if source is not None:  # some may have no vector
            meaning = np.nan_to_num(meaning)
        if window is None:
            return np.maximum(by_cosine[places] + by_window, least) * meaning + others[places]
        among = windows[places]
        among = np.where(np.isnan(among), meaning, np.clip(among, 0.0, 1.0))
        return np.maximum(by_cosine[places], least) * meaning + max(by_window, least) * among + others[places]

    kinds = {id: kind for id, kind, _ in words} if source is not None else {}
    alone = [_said(weight, question, kinds.get(id, "message")) for id in ids[source < 0].tolist()] if source is not None else []
    said = _joined([np.full(len(one.ids), _said(weight, question, one.shelf)) for one in own], source, alone)
    compared = np.full(len(ids), all(one.exact is None for one in near))
    # the most that a cosine can be says what a row can score at most where nearness does not make it score less
    bare = score(slice(None), least=-math.inf if compared.all() else 0.0)
    most = bare + said

    def refine(places: list[int]) -> None:
        at = np.array(places, np.intp)
        if not len(at := at[~compared[at]]):
            return
        compared[at] = True
        places_of = source[at] if source is not None else at
        start = 0
        for one in own:
            these = (places_of >= start) & (places_of < start + len(one.ids))
            if one.exact is not None and these.any():
                cosines[at[these]] = one.exact(places_of[these] - start)
            start += len(one.ids)
        if window is not None and window.exact is not None:
            windows_at = np.full(len(ids), -1)
            windows_at[window_place[known]] = np.flatnonzero(known)
            these = windows_at[at] >= 0
            windows[at[these]] = window.exact(windows_at[at[these]])
        bare[at] = score(at)
        most[at] = bare[at] + said[at]

    def nearest() -> list[int]:
        near_ids = [np.abs(one.ids[_nearest(one, legs.semantic)]) for one in near]
        places: list[int] = _at(ids, np.unique(np.concatenate(near_ids)))[0].tolist()
        return places

    return Field(
        ids,
        bm25,
        cosines,
        windows,
        bare=bare,
        most=most,
        open_=_open(weight, question),
        settled=not alone and _is_settled(weight, question, (one.shelf for one in own)),
        best_first=lambda count: _highest(most, ids, count),
        reaching=lambda score: np.flatnonzero(most >= score).tolist(),
        refine=refine,
        nearest=nearest,
        best_matches=lambda: _lexical_leg([word for word, one in zip(words, there, strict=True) if one], matched_at.tolist(), legs),
        best_match=best if legs.lexical else None,
    )


def _together(own: Sequence[Near], others: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.intp] | None]:
    """All ids in order, and where each stands among the vectors of these shelves, one after the other; -1 if it has none.

    None instead of the latter if they stand there in the same order.
    """
    import numpy as np

    ids = np.concatenate([one.ids for one in own]) if own else np.zeros(0, np.int64)
    source = None
    if np.any(ids[1:] < ids[:-1]):
        source = np.argsort(ids, kind="stable")
        ids = ids[source]
    lone = [one[~there] for one in others if not (there := _at(ids, one)[1]).all()]
    if lone:  # not embedded yet, or only in part
        extra = np.unique(np.concatenate(lone))
        source = np.concatenate([np.arange(len(ids)) if source is None else source, np.full(len(extra), -1)])
        ids = np.concatenate([ids, extra])
        order = np.argsort(ids, kind="stable")
        ids, source = ids[order], source[order]
    return ids, source


def _joined(parts: Sequence[NDArray[np.float64]], source: NDArray[np.intp] | None, alone: Sequence[float] = ()) -> NDArray[np.float64]:
    """The values of the shelves' vectors in the order of the ids, those of what has none from `alone`, or not a number."""
    import numpy as np

    joined = np.concatenate(parts) if parts else np.zeros(0)
    if source is None:
        return joined
    joined = np.append(joined, np.nan)[source]
    if alone:
        joined[source < 0] = alone
    return joined


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

    places = _top(most, min(count, len(most)))
    highest: list[int] = places[np.lexsort((-ids[places], -most[places]))].tolist()
    return highest


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

    return np.argpartition(values, len(values) - count)[len(values) - count :] if 0 < count < len(values) else np.arange(count)
