"""The chain that judges, explains and tunes the ranking: labelled questions in, measures and weight sets out."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import Literal, Protocol, Unpack, cast

from memdb import checks, reading, stored
from memdb.answers import Explanation, Hit, Hits, Tuned
from memdb.calibration import (
    BY_MEANING,
    BY_WORDS,
    EVIDENCE,
    JUDGING,
    Calibration,
    evidence_of,
    judging_set,
    measure,
    probability_of,
    threshold_of,
)
from memdb.calibration import fit as fit_probability
from memdb.database import Database
from memdb.errors import InputError
from memdb.filters import Narrowed
from memdb.metrics import average, judge
from memdb.records import EVER, LIVE, Fact, Labelled, Status
from memdb.scoring import FEATURES
from memdb.steps.explain import explain
from memdb.steps.tune import Example, tune
from memdb.times import to_text, to_utc, utc_now

Search = Callable[[Labelled, str, int], Hits]
"""Asks a labelled question with a weight set and returns at most so many hits."""


class Ask(Protocol):
    """The question that is explained, to be asked again."""

    def __call__(self, *, limit: int, **narrowed: Unpack[Narrowed]) -> Hits:
        """Ask it, narrowed so, and return at most so many hits."""


_ANCHOR = "lexical"  # proportions are what matters, so one weight stands still: this one, or the largest of a set without it
_ALL = 1_000_000
_COUNTS = ("k_lex", "k_vec", "top")
_OTHERS = (
    "bm25_body", "bm25_reply", "bm25_context", "bm25_date", "bm25_half", "by_confidence", "k_lex", "k_vec", "legs", "near",
    "sure_agreement", "sure_confidence", "sure_match", "sure_source_reliability", "threshold", "top",
)  # fmt: skip
"""What a weight set may hold beside the parts of a score and of a probability."""
_MOST = 1_000_000  # of a weight, as the table has it, too

SHIPPED = (*JUDGING, "default", "first-person", "lexical-only", "mem-skill", "priority", "procedural", "vector-only")
"""The weight sets of a new file. The memory itself judges, recalls and compares by them, so that none is fitted over."""


def weights_of(db: Database, name: str) -> dict[str, float]:
    """Return a weight set.

    Raises:
        InputError: there is no such set.
    """
    found = _read(db, name)
    if not found:
        raise InputError(f"There is no weight set {name!r}; the sets are {', '.join(_names(db))}.")
    return found


def weight_sets(db: Database) -> dict[str, dict[str, float]]:
    """Return every weight set of the file by name."""
    return {name: _read(db, name) for name in _names(db)}


def set_weights(db: Database, sets: Mapping[str, Mapping[str, float]]) -> None:
    """Put weight sets into the file, each as a whole, in one transaction.

    Raises:
        InputError: a set is empty, has a feature that does not rank, or a number that cannot weigh.
    """
    if not isinstance(sets, Mapping) or not all(isinstance(features, Mapping) for features in sets.values()):
        raise InputError("The weight sets are no tables; give a dict such as {'mine': {'lexical': 1.0}}.")
    known = {*FEATURES, *EVIDENCE, *_OTHERS}
    for name, features in sets.items():
        unknown = sorted(set(features) - known)
        if unknown or not features:
            what = f"has the feature {unknown[0]!r}" if unknown else "is empty"
            raise InputError(f"The weight set {name!r} {what}; the features are {', '.join(sorted(known))}.")
        for feature, value in features.items():
            if not _weighs(feature, value):
                raise InputError(
                    f"The weight set {name!r} gives {feature} {value!r}; give a number from -{_MOST} to {_MOST}, "
                    f"and a whole one, not below 0, for {', '.join(_COUNTS)}."
                )
        checks.name(name, "the name of a weight set")
    write_weights(db, sets)


def _weighs(feature: str, value: float) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return -_MOST <= value <= _MOST and (feature not in _COUNTS or (value >= 0 and value == int(value)))
    except TypeError:  # it is no number at all
        return False


def write_weights(db: Database, sets: Mapping[str, Mapping[str, float]]) -> None:
    """Write weight sets as they are, each as a whole, in one transaction."""
    with db.transaction():
        for name, features in sets.items():
            _put(db, name, features)


def explain_search(
    db: Database,
    ask: Ask,
    narrowed: Narrowed,
    fact: Fact | None,
    *,
    limit: int,
    weights: str,
    statuses: Sequence[Status] | None,
    as_of: datetime | None,
    now: datetime,
    embeds: bool,
) -> Explanation:
    """Return why a question finds what it finds, and of a fact why it stands where it stands, and what would lift it.

    `ask` asks it by the weight set `weights`. Each weight that is told was tried, in a set that nobody else sees. None is, where meaning
    took no part although the memory `embeds`: the next time it may find other things.
    """
    hits = ask(limit=_ALL, **narrowed)
    weight = weights_of(db, weights)
    failed = embeds and hits.degraded is not None

    def tries(changed: Mapping[str, float], within: int | None) -> Hits:
        if failed:
            return Hits([], question=hits.question)
        _put(db, weights, {**weight, **changed})
        found = ask(limit=_ALL if within is None else within, **narrowed)
        _put(db, weights, weight)
        return found

    then = as_of or hits.question.as_of
    given = [name for name, value in narrowed.items() if name != "kinds" and value is not None]  # of its kind the step tells by itself
    with db.supposing() if fact is not None else nullcontext():
        return explain(
            hits,
            fact,
            limit=limit,
            weights=weights,
            given=weight,
            statuses=(EVER if then or hits.question.past else LIVE) if statuses is None else statuses,
            kinds=narrowed.get("kinds"),
            now=now,
            as_of=then,
            tries=tries,
            without={name: partial(ask, limit=_ALL, **cast(Narrowed, {**narrowed, name: None})) for name in given},
        )


def read_labels(given: Iterable[Labelled | Mapping[str, object]]) -> list[Labelled]:
    """Return labelled questions as records.

    Raises:
        InputError: a label cannot be used.
    """
    checks.records(given, "labelled")
    return [checks.record(Labelled, one, what=f"Label {place} cannot be used") for place, one in enumerate(given, start=1)]


def give_feedback(db: Database, query: str, fact_id: str, *, user_id: str | None, good: bool) -> None:
    """Note that a fact was right for a question, or wrong; the last word counts, and spaces tell no two questions apart.

    Raises:
        NotFoundError: there is no such fact, or none of this user.
        InputError: there is no question, it is not said by True or False, or the fact lies in the archive.
    """
    asked, right = " ".join(checks.searchable(checks.filled(query, "query")).split()), checks.truth(good, "good")
    with db.transaction():
        given = reading.fact(db, fact_id) if user_id is None else reading.fact_of_user(db, fact_id, user_id=checks.name(user_id, "user_id"))
        reading.in_place(db, given)
        db.run("feedback.give", user_id=given.user_id, query=asked, fact_id=fact_id, good=int(right), now=to_text(utc_now()))


def labels_of(db: Database) -> list[Labelled]:
    """Return the questions that feedback was given on, each once, with what was right and what was wrong."""
    gathered: dict[tuple[str, str], dict[str, list[str]]] = {}
    newest: dict[tuple[str, str], str] = {}
    for row in db.all("feedback.all"):
        asked = (str(row["user_id"]), str(row["query"]))
        gathered.setdefault(asked, {"relevant": [], "wrong": []})["relevant" if row["good"] else "wrong"].append(str(row["fact_id"]))
        newest[asked] = max(newest.get(asked, ""), str(row["given_at"]))
    with stored.reading(db):
        return [
            Labelled(user_id=user, query=query, relevant=tuple(ids["relevant"]), wrong=tuple(ids["wrong"]), now=to_utc(newest[user, query]))
            for (user, query), ids in gathered.items()
        ]


def evaluate(db: Database, labelled: Sequence[Labelled], *, search: Search, weights: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the mean measures of each weight set over the questions that something is relevant to; see `memdb.metrics.judge`.

    Raises:
        InputError: there is no such set that ranks, or no question that tells what is relevant.
    """
    checks.several(weights, "weights")
    checks.lists(weights=weights)
    ranking = _names(db, "weights.ranking")
    if unknown := [name for name in weights if name not in ranking]:
        raise InputError(f"There is no weight set {unknown[0]!r} that ranks; the sets are {', '.join(ranking)}.")
    judged = [one for one in labelled if one.relevant]
    if not judged:
        raise InputError("There is nothing to measure with: no question tells what is relevant; give more by feedback() or in a file.")
    return {name: average(judge(_found(search(one, name, 20), one), one.relevant) for one in judged) for name in weights}


def fit(db: Database, labelled: Sequence[Labelled], *, name: str, base: str, search: Search, held_out: float, seed: int) -> Tuned:
    """Fit a copy of the weight set `base` to the labelled questions; nothing is written.

    Raises:
        InputError: `name` is a set that every file has, there is no set `base`, it weighs one feature alone, or there is too little to
            fit to.
    """
    if name in SHIPPED:
        raise InputError(f"{name!r} is a weight set that every memory has and needs; give the fitted copy another name.")
    before = _read(db, base)
    start = {feature: before[feature] for feature in FEATURES if before.get(feature)}
    if base in JUDGING or not before:
        raise InputError(f"There is no weight set {base!r} that ranks; the sets are {', '.join(_names(db, 'weights.ranking'))}.")
    if len(start) < 2:
        raise InputError(f"The weight set {base!r} weighs one feature alone, so that there is nothing to fit; tune another one.")
    examples = [_example(search(one, base, _ALL), one, list(start)) for one in labelled if one.relevant or one.wrong]
    anchor = _ANCHOR if _ANCHOR in start else max(start, key=lambda feature: abs(start[feature]))
    found = tune(examples, start=start, anchor=anchor, held_out=held_out, seed=seed)
    return Tuned(name=name, base=base, **{**vars(found), "weights": {**before, **found.weights}})


def calibrate(
    db: Database, labelled: Iterable[Labelled], *, assess: Callable[[Labelled], Hits]
) -> tuple[Calibration | None, Calibration]:  # fmt: skip
    """Fit the probability of an answer to labelled questions and write it; return how well it fitted them before, if it did, and after.

    Where words alone judge what was found for any of them, they judge all.

    Raises:
        InputError: there are not both kinds of questions.
    """
    judging = BY_MEANING
    told: list[dict[str, dict[str, float]]] = []
    right: list[bool] = []
    for one in labelled:
        hits = assess(one)
        judging = BY_WORDS if judging_set(hits) == BY_WORDS else judging
        told.append({name: evidence_of(hits, judged_by=name) for name in JUDGING})
        right.append(bool(one.relevant) if one.answerable is None else one.answerable)
    found = [one[judging] for one in told]
    if len(set(right)) < 2:
        raise InputError("Calibration needs questions that the memory answers and such that it does not; give at least one of each.")
    old = _read(db, judging)
    before = measure([probability_of(one, old) or 0.0 for one in found], right) if old else None
    weights = fit_probability(found, right)
    fitted = [probability_of(one, weights) or 0.0 for one in found]
    threshold = threshold_of(fitted, right)
    set_weights(db, {judging: {**weights, "threshold": threshold}})
    return before, measure(fitted, right).model_copy(update={"weights": judging, "threshold": threshold})


def _put(db: Database, name: str, features: Mapping[str, float]) -> None:
    db.run("weights.clear", name=name)
    db.run_many("weights.put", [{"name": name, "feature": feature, "value": float(value)} for feature, value in features.items()])


def _read(db: Database, name: str) -> dict[str, float]:
    checks.text(name, "the name of a weight set")
    return stored.weights(db, name)


def _names(db: Database, statement: Literal["weights.names", "weights.ranking"] = "weights.names") -> list[str]:
    return [str(row["name"]) for row in db.all(statement)]


def _example(hits: Iterable[Hit], one: Labelled, features: Sequence[str]) -> Example:
    rows = list(hits)
    return Example(
        group=one.user_id,
        parts=array("d", (hit.parts[feature] * hit.factor for hit in rows for feature in features)),
        gains=array("d", ((_named(hit, one.relevant) is not None) - (_named(hit, one.wrong) is not None) for hit in rows)),
        relevant=len(set(one.relevant)),
    )


def _found(hits: Iterable[Hit], one: Labelled) -> list[str]:
    """The ids of the hits, each as the label names it: the fact's, or its turn's. What a turn's rows say of it counts once."""
    return list(dict.fromkeys(_named(hit, one.relevant) or hit.fact.fact_id for hit in hits))


def _named(hit: Hit, ids: Sequence[str]) -> str | None:
    return next((name for name in (hit.fact.fact_id, hit.fact.source_turn_id) if name in ids), None)
