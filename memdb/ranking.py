"""The chain that judges and tunes the ranking: labelled questions in, measures and weight sets out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memdb.errors import InputError
from memdb.metrics import average, judge
from memdb.records import Hit, Hits, Labelled, Tuned
from memdb.steps.retrieve import FEATURES
from memdb.steps.tune import Example, tune
from memdb.store import Database
from memdb.times import to_utc

Search = Callable[[Labelled, str, int], Hits]
"""Asks a labelled question with a weight set and returns at most so many hits."""

_ANCHOR = "lexical"  # proportions are what matters, so one weight stands still: this one, or the largest of a set without it
_ALL = 1_000_000

SHIPPED = ("calibration", "default", "first-person", "lexical-only", "mem-skill", "priority", "procedural", "vector-only")
"""The weight sets of a new file. The memory itself judges, recalls and compares by them, so that none is fitted over."""


def labels_of(db: Database) -> list[Labelled]:
    """Return the questions that feedback was given on, each once, with what was right and what was wrong."""
    gathered: dict[tuple[str, str], dict[str, list[str]]] = {}
    newest: dict[tuple[str, str], str] = {}
    for row in db.all("feedback.all"):
        asked = (str(row["user_id"]), str(row["query"]))
        gathered.setdefault(asked, {"relevant": [], "wrong": []})["relevant" if row["good"] else "wrong"].append(str(row["fact_id"]))
        newest[asked] = max(newest.get(asked, ""), str(row["given_at"]))
    return [
        Labelled(user_id=user, query=query, relevant=tuple(ids["relevant"]), wrong=tuple(ids["wrong"]), now=to_utc(newest[user, query]))
        for (user, query), ids in gathered.items()
    ]


def evaluate(labelled: Sequence[Labelled], *, search: Search, weights: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the mean measures of each weight set over the questions that something is relevant to; see `memdb.metrics.judge`."""
    return {name: average(judge(_found(search(one, name, 20), one), one.relevant) for one in labelled if one.relevant) for name in weights}


def fit(db: Database, labelled: Sequence[Labelled], *, name: str, base: str, search: Search, held_out: float, seed: int) -> Tuned:
    """Fit a copy of the weight set `base` to the labelled questions; nothing is written.

    Raises:
        InputError: `name` is a set that every file has, there is no set `base`, it weighs one feature alone, or there is too little to
            fit to.
    """
    if name in SHIPPED:
        raise InputError(f"{name!r} is a weight set that every memory has and needs; give the fitted copy another name.")
    before = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights=base)}
    start = {feature: before[feature] for feature in FEATURES if before.get(feature)}
    if base == "calibration" or not before:
        names = ", ".join(str(row["name"]) for row in db.all("weights.names"))
        raise InputError(f"There is no weight set {base!r} that ranks; the sets are {names}.")
    if len(start) < 2:
        raise InputError(f"The weight set {base!r} weighs one feature alone, so that there is nothing to fit; tune another one.")
    examples = [_example(search(one, base, _ALL), one, list(start)) for one in labelled if one.relevant or one.wrong]
    anchor = _ANCHOR if _ANCHOR in start else max(start, key=lambda feature: abs(start[feature]))
    found = tune(examples, start=start, anchor=anchor, held_out=held_out, seed=seed)
    return Tuned(
        name=name,
        base=base,
        weights={**before, **found.weights},
        fitted=found.fitted,
        held_out=found.held_out,
        fitted_before=found.fitted_before,
        fitted_after=found.fitted_after,
        held_out_before=found.held_out_before,
        held_out_after=found.held_out_after,
    )


def _example(hits: Iterable[Hit], one: Labelled, features: Sequence[str]) -> Example:
    rows = list(hits)
    return Example(
        group=one.user_id,
        parts=[[hit.parts[feature] * hit.factor for feature in features] for hit in rows],
        gains=[float(_named(hit, one.relevant) is not None) - float(_named(hit, one.wrong) is not None) for hit in rows],
        relevant=len(set(one.relevant)),
    )


def _found(hits: Iterable[Hit], one: Labelled) -> list[str]:
    """The ids of the hits, each as the label names it: the fact's, or its turn's. What a turn's rows say of it counts once."""
    return list(dict.fromkeys(_named(hit, one.relevant) or hit.fact.fact_id for hit in hits))


def _named(hit: Hit, ids: Sequence[str]) -> str | None:
    return next((name for name in (hit.fact.fact_id, hit.fact.source_turn_id) if name in ids), None)
