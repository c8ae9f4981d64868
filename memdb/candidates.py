"""What words and meaning find for a question, how much of it is wanted, and what a weight set lets it score at most."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from memdb.answers import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OTHERS = (
    "outdated",
    "type_weight",
    "decay",
    "recency",
    "access_bonus",
    "importance",
    "confidence",
    "frequency",
    "source_reliability",
    "match",
    "emotion",
    "intrinsic_importance",
    "agreement",
)
SAYS = ("is_question", "length", "has_number", "is_reaction")
"""The parts of a score that tell what a message is like as an answer."""

HELD = ("type_weight", "importance", "confidence")
"""Those that tell what is held of a row, whatever is asked: of what type it is, how much it matters, how sure it is."""


class Words(NamedTuple):
    """The rows that have words of the question: the id and bm25 of each, and what tells the kind of a row by its id."""

    ids: Sequence[int] = ()
    bm25: Sequence[float] = ()
    kind_of: Callable[[int], str] = str

    @property
    def kinds(self) -> list[str]:
        """The kind of each: seldom wanted, and there may be thousands."""
        return [self.kind_of(id) for id in self.ids]

    def without(self, ids: Container[int]) -> Words:
        """Those of all other rows."""
        return self._only([id not in ids for id in self.ids])

    def matching(self) -> Words:
        """Those whose words say something: one that half of all rows have speaks against a row."""
        if not self.bm25 or max(self.bm25) < 0:
            return self
        return self._only([bm25 < 0 for bm25 in self.bm25])

    def _only(self, kept: Sequence[bool]) -> Words:
        return Words([*compress(self.ids, kept)], [*compress(self.bm25, kept)], self.kind_of)

    def shares(self) -> dict[int, float]:
        """How much of the best match each of them is that matches, 0 to 1."""
        found = self.matching()
        best = min(found.bm25, default=0.0)
        return {id: bm25 / best for id, bm25 in zip(found.ids, found.bm25, strict=True)}


class Bounds(NamedTuple):
    """What weights let the parts of a score give at most: words and meaning by how much there is of them, all else whatever it is.

    `says` is for what a message is like, `written` for what is no message. `held` is the share of `others` that is for the features `HELD`.
    A part that is weighed against a row gives nothing at most.
    """

    lexical: float
    cosine: float
    window: float
    both: float
    others: float
    held: float
    former: float
    date: float
    hyponym: float
    preference: float
    actor: float
    has_time: float
    says: float
    written: float

    @classmethod
    def of(cls, weight: Mapping[str, float], *, aimed: bool) -> Bounds:
        """Return those of a weight set; where nobody is after anything, `goal` lets no row score more."""

        def most(feature: str) -> float:
            return max(0.0, weight.get(feature, 0.0))

        return cls(
            lexical=weight.get("lexical", 0.0),
            cosine=weight.get("cosine", 0.0),
            window=weight.get("window", 0.0),
            both=weight.get("both", 0.0),
            others=sum(most(feature) for feature in _OTHERS) + (most("goal") if aimed else 0.0),
            held=sum(most(feature) for feature in HELD),
            former=most("former"),
            date=most("date"),
            hyponym=weight.get("hyponym", 0.0),
            preference=weight.get("preference", 0.0),
            actor=most("actor"),
            has_time=most("has_time"),
            says=sum(most(feature) for feature in SAYS),
            written=0.6 * weight.get("length", 0.0),  # what is no message asks nothing and counts as one of ten words
        )

    def open(self, question: Question) -> float:
        """The most that the features beside words, meaning, and those that `said` counts can give to a row."""
        return self.others + (self.date if question.times else 0.0) + (self.former if question.former else 0.0)

    def said(self, question: Question, kind: str) -> float:
        """The most that its text, speaker and time can give to a row of a kind."""
        says = self.says if kind == "message" else max(self.says, self.written) if kind == "closed" else self.written
        return self._told(question) + says

    def is_settled(self, question: Question, kinds: Iterable[str]) -> bool:
        """Whether that is the same for all rows of these kinds: there are no messages, and it is not asked who or when."""
        return not self._told(question) and "message" not in kinds and "closed" not in kinds

    def _told(self, question: Question) -> float:
        told = self.actor if question.actor is not None else 0.0
        return told + self.has_time if question.intent == "time" else told


@dataclass(frozen=True)
class Near:
    """The ids of a shelf's vectors, in order, and the cosine of each to the question; a window has its message's id with a minus.

    With `exact`, `cosines` are only the most that each can be, and `exact` tells those of the vectors at some places.
    """

    shelf: str
    ids: NDArray[np.int64]
    cosines: NDArray[np.float64]
    exact: Callable[[NDArray[np.intp]], NDArray[np.float64]] | None = None


class Legs(NamedTuple):
    """How many candidates a kind the words and the meaning give at least.

    `given` if nothing but these is to be ranked, `nearest` if of these the words give only what has no vector yet, `linked` if links count,
    `voted` if votes do, `placed` if the place in time does.
    """

    lexical: int
    semantic: int
    given: bool
    nearest: bool
    linked: bool
    placed: bool
    voted: bool


def only(near: Sequence[Near], ids: Sequence[int]) -> list[Near]:
    """Return what is near, cut down to these rows and their windows."""
    import numpy as np

    wanted = np.array(ids, np.int64)
    return [_some(one, np.flatnonzero(np.isin(np.abs(one.ids), wanted))) for one in near]


def _some(one: Near, kept: NDArray[np.intp]) -> Near:
    exact = one.exact
    return Near(one.shelf, one.ids[kept], one.cosines[kept], exact and (lambda places: exact(kept[places])))
