"""Say why a fact stands where it stands for a question, and what would change that."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, islice

from memdb.answers import Explanation, Hit, Hits, WeightChange
from memdb.records import LIVE, Fact, Status, by_the_clock

_MARGIN = 1e-5  # by how much a score must pass another's, beyond what rounding or the next minutes could undo
_PARTS = 1000  # a weight that is told has three decimals, so that it holds as it is printed
_FARTHEST = 10.0  # times the largest weight of the set: beyond that nothing else would count any more
_TRIES = 3  # weights tried for each feature
_LOOKS = (-0.03, 0.03, -0.1, 0.1, -0.3, 0.3, -1.0, 1.0)  # where else the scores are looked at, as shares of the farthest
_UNCOUNTED = ("linked", "agreement", "window", "goal", "lexical")  # worked out, or looked for, only where they are weighed
_LITTLE = 0.001  # a weight that has them worked out and changes next to nothing
_COUNTS = ("k_lex", "k_vec")
_LEG = 20.0  # of each, where a set says nothing
_MOST = 2000  # candidates a kind that are looked through for what is none

Tries = Callable[[Mapping[str, float], int | None], Hits]
"""Asks with these weights changed for so many hits, or for all candidates; finds nothing where that would tell nothing."""


def explain(
    hits: Hits,
    fact: Fact | None,
    *,
    limit: int,
    weights: str,
    given: Mapping[str, float],
    statuses: Sequence[Status],
    kinds: Collection[str] | None,
    now: datetime,
    as_of: datetime | None,
    tries: Tries,
    without: Mapping[str, Callable[[], Hits]],
) -> Explanation:
    """Return the first `limit` of all candidates, and of a named fact its place, what it lacks, and the single weights that would lift it.

    `hits` are all candidates, best first, by the weight set `weights`, whose numbers are `given`. What a fact lacks is told against the
    last hit within the limit, or where it is among them, against the hit just above it. `without` asks again without one of the filters
    that were given; `as_of` is the time asked about, where one is.
    """
    explained = partial(
        Explanation,
        question=hits.question,
        weights=weights,
        degraded=hits.degraded,
        candidates=len(hits),
        hits=tuple(hits[:limit]),
        fact=fact,
    )
    if fact is None:
        return explained()
    place = _place(hits, fact)
    if place is None:
        return explained(
            reason=_absent(fact, hits, statuses=statuses, kinds=kinds, now=now, as_of=as_of, without=without),
            changes=tuple(_changes(fact, hits, limit=limit, given=given, tries=tries)),
        )
    own = hits[place - 1]
    rival = None if place == 1 else hits[place - 2] if place <= limit else hits[limit - 1]
    lacks = {} if rival is None else _lacks(own, rival)
    return explained(
        place=place,
        hit=own,
        rival=rival,
        lacks=lacks,
        reason=_reason(place, rival, lacks),
        changes=() if rival is None else tuple(_changes(fact, hits, limit=1 if place <= limit else limit, given=given, tries=tries)),
    )


def _place(hits: Sequence[Hit], fact: Fact) -> int | None:
    return next((place for place, hit in enumerate(hits, start=1) if hit.fact.fact_id == fact.fact_id), None)


def _lacks(own: Hit, rival: Hit) -> dict[str, float]:
    """How much more of the score each feature gives to the rival, the most first; negative where it gives less."""
    gaps = {name: weight * (_counted(rival, name) - _counted(own, name)) for name, weight in own.weights.items()}
    return {name: gap for name, gap in sorted(gaps.items(), key=lambda item: -item[1]) if abs(gap) >= 0.0005}


def _counted(hit: Hit, name: str) -> float:
    """A part as far as the score of its hit counts it."""
    return hit.parts[name] * hit.factor


def _reason(place: int, rival: Hit | None, lacks: dict[str, float]) -> str:
    if rival is None:
        return "It is the first."
    worst = [f"{name} ({gap:+.3f})" for name, gap in lacks.items() if gap > 0][:3]
    by = ", ".join(worst) if worst else "nothing: the scores are equal, and the newer row stands first"
    return f"It is number {place}; what {rival.fact.value_text[:60]!r} has before it: {by}."


def _absent(
    fact: Fact,
    hits: Hits,
    *,
    statuses: Sequence[Status],
    kinds: Collection[str] | None,
    now: datetime,
    as_of: datetime | None,
    without: Mapping[str, Callable[[], Hits]],
) -> str:
    if as_of is None and "expired" in statuses:
        fact = by_the_clock(fact, now)
    if kinds is not None and fact.kind not in kinds:
        return f"It is of kind {fact.kind}, which was not asked for."
    if fact.status not in statuses:
        return f"It is {fact.status}; only {', '.join(statuses)} were asked for."
    bound = as_of is not None or fact.status in LIVE  # what is believed no longer is found, over or not, by who asks for that
    if bound and fact.valid_to is not None and fact.valid_to <= (as_of or now):
        return f"It was true until {fact.valid_to:%Y-%m-%d %H:%M} UTC; ask with as_of for an earlier time."
    if as_of is not None and fact.valid_from > as_of:
        return f"It is true from {fact.valid_from:%Y-%m-%d %H:%M} UTC on; ask about a later time."
    for name, ask in without.items():
        if place := _place(ask(), fact):
            return f"It is left out by {name}; without that it would be number {place}."
    if not bound and fact.valid_to is not None and fact.valid_to <= fact.valid_from:
        return "It lasted for no time: what was taken back, or gave way at once, was never true, and no question finds it."
    terms = ", ".join(hits.question.terms) or "none"
    near = "and meaning took no part" if hits.degraded or not hits.semantic else "and others are nearer in meaning"
    return f"It is no candidate: too few of the question's telling words ({terms}) are in it, {near}."


def _changes(fact: Fact, hits: Hits, *, limit: int, given: Mapping[str, float], tries: Tries) -> list[WeightChange]:
    """Return for each feature the nearest weight that, changed alone, brings the fact within the limit; those that cannot are left out.

    The scores tell which weights may. Another weight also finds other candidates, so that each is tried before it is told.
    """
    is_candidate = _place(hits, fact) is not None
    wider = {} if is_candidate or given.get("legs") else dict.fromkeys(_COUNTS, float(_MOST))
    all_hits = tries(wider, None) if wider else hits
    weights = all_hits[0].weights if all_hits else {}
    farthest = _FARTHEST * max(map(abs, weights.values()), default=0.0)
    changes = [] if is_candidate else list(_counts(fact, limit=limit, given=given, tries=tries))
    for name, weight in weights.items():
        seen = all_hits if weight or name not in _UNCOUNTED else tries({**wider, name: _LITTLE}, None)
        # a link lends by what the others score: where links count, the parts themselves change with a weight, and are looked at there
        there = [weight + farthest * share for share in _LOOKS] if given.get("linked") else []
        for around in chain([seen], (tries({**wider, name: at}, None) for at in there)):
            wanted = _lifting(fact, around, name, weight=weight, limit=limit, farthest=farthest, tries=tries)
            if wanted is not None:
                changes.append(WeightChange(feature=name, weight=weight, wanted=wanted))
                break
    return sorted(changes, key=lambda change: abs(change.wanted - change.weight))


def _lifting(fact: Fact, around: Hits, name: str, *, weight: float, limit: int, farthest: float, tries: Tries) -> float | None:
    """The weight of a feature, tried, that brings the fact within the limit; the parts of the scores are those of `around`."""
    place = _place(around, fact)
    if place is None:  # only a link could find it
        return None
    promising = _promising(around[place - 1], around, name, weight=weight, limit=limit, farthest=farthest)
    return next((wanted for wanted in islice(promising, _TRIES) if _place(tries({name: wanted}, limit), fact) is not None), None)


def _counts(fact: Fact, *, limit: int, given: Mapping[str, float], tries: Tries) -> Iterator[WeightChange]:
    """How many candidates a kind the words, or the meaning, would have to give so that the fact is one and within the limit."""
    for name in _COUNTS:
        weight = given.get(name, _LEG)
        too_few, enough = int(weight), _MOST
        if too_few >= enough or _place(tries({name: enough}, limit), fact) is None:
            continue
        while enough - too_few > 1:
            between = (too_few + enough) // 2
            too_few, enough = (too_few, between) if _place(tries({name: between}, limit), fact) is not None else (between, enough)
        yield WeightChange(feature=name, weight=weight, wanted=enough)


def _promising(own: Hit, hits: Sequence[Hit], name: str, *, weight: float, limit: int, farthest: float) -> Iterator[float]:
    """The weights of a feature that would do if the candidates stayed the same, the nearest to `weight` first."""
    at = own.weights[name]  # which may be another one
    leads = [(own.score - rival.score, _counted(own, name) - _counted(rival, name)) for rival in hits if rival is not own]
    above = sum(gap < 0 for gap, lead in leads if not lead)  # whatever the weight
    passed = sorted((_MARGIN / 2 - gap) / lead for gap, lead in leads if lead > 0)  # beyond each of these it is before one more
    lost = sorted((_MARGIN / 2 - gap) / lead for gap, lead in leads if lead < 0)  # and beyond these behind
    told = set()
    turns = [at, *(at + (_MARGIN - gap) / lead for gap, lead in leads if lead)]
    for turn in sorted(turns, key=lambda turn: abs(turn - weight)):
        wanted = _outward(turn, up=turn > weight)
        if wanted in told or wanted == weight or abs(wanted) > farthest:
            continue
        told.add(wanted)
        step = wanted - at
        if above + len(passed) - bisect_right(passed, step) + bisect_left(lost, step) < limit:
            yield wanted


def _outward(value: float, *, up: bool) -> float:
    """A number in few decimals that is no nearer to where it came from."""
    scaled = value * _PARTS
    return (math.ceil(scaled) if up else math.floor(scaled)) / _PARTS
