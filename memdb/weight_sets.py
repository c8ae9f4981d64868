"""Weight sets as they are used: what a set ranks by, and what the set `priority` makes of the parts of a score."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from memdb import stored
from memdb.calibration import JUDGING
from memdb.candidates import Bounds
from memdb.database import Database
from memdb.errors import InputError
from memdb.scoring import FEATURES

COLUMNS = {"bm25_body": 1.0, "bm25_reply": 0.0, "bm25_context": 0.0, "bm25_date": 0.0}
"""What the columns of words weigh where a set says nothing."""

_BOUND = dict.fromkeys(FEATURES, 0.0) | {
    "sure_confidence": 0.0,
    "sure_match": 0.0,
    "sure_agreement": 0.0,
    "sure_source_reliability": 0.0,
    "by_confidence": 0.0,
    "near": 0.8,
    "top": 50.0,
    "bm25_half": 0.0,
}
"""What ranks, and what it is where a set says nothing, as the step `weight` of `retrieve.sql` has it."""


class WeightSet(NamedTuple):
    """A weight set as it is used: the kinds that there are, its weights, those of `FEATURES`, and those of the columns of words.

    `bound` is what ranks, under the names by which `rank.sql` takes it. `bounds` are the most that it lets the parts of a score give,
    `aimed` the same where somebody is after something.
    """

    kinds: tuple[str, ...]
    weight: Mapping[str, float]
    ranking: Mapping[str, float]
    bound: Mapping[str, float]
    columns: Mapping[str, float]
    bounds: Bounds
    aimed: Bounds


def chosen_set(db: Database, weights: str) -> tuple[WeightSet, str | None, int]:
    """Return a weight set, the name of the embedder whose vectors the file has, and the newest row.

    Raises:
        InputError: there is no such set.
    """
    [(of_kinds, of_set, of_vectors, newest)] = db.kept("scan.first", weights=weights)
    with stored.reading(db):
        chosen = _read(str(of_kinds), str(of_set))
    if not chosen.weight or weights in JUDGING:
        names = ", ".join(str(row["name"]) for row in db.all("weights.ranking"))
        raise InputError(f"There is no weight set {weights!r}; the sets are {names}.")
    return chosen, cast(str | None, of_vectors), cast(int | None, newest) or 0


@lru_cache(maxsize=64)  # the text tells whether they are still the same, and takes a tenth of the time to compare
def _read(kinds: str, weights: str) -> WeightSet:
    """A weight set, from JSON."""
    weight = {str(feature): float(value or 0) for feature, value in json.loads(weights).items()}
    if not all(map(math.isfinite, weight.values())):
        raise ValueError("a weight is no finite number")
    return WeightSet(
        kinds=tuple(json.loads(kinds)),
        weight=weight,
        ranking={feature: weight.get(feature, 0.0) for feature in FEATURES},
        bound={f"w_{name}": weight.get(name, usual) for name, usual in _BOUND.items()},
        columns={name: weight.get(name, usual) for name, usual in COLUMNS.items()},
        bounds=Bounds.of(weight, aimed=False),
        aimed=Bounds.of(weight, aimed=True),
    )


class Judge(NamedTuple):
    """What the set `priority` makes of the parts of a score: the place in `FEATURES` of each that weighs, and how much."""

    relevance: list[tuple[int, float]]
    confidence: list[tuple[int, float]]


def read_judge(db: Database) -> Judge | None:
    """Return what judges, if the set `priority` weighs anything."""
    weight = {str(feature): float(value or 0) for feature, value in db.kept("weights.of", weights="priority")}
    ways = ([(place, weight.get(mark + feature, 0.0)) for place, feature in enumerate(FEATURES)] for mark in ("", "sure_"))
    return Judge(*([(place, value) for place, value in way if value] for way in ways)) if weight else None
