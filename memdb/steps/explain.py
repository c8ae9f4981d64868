"""Say why a fact stands where it stands for a question, and what would change that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from memdb.records import Explanation, Fact, Hit, Hits, Status, WeightChange

_MARGIN = 1e-7  # by how much a score must pass another's, beyond what rounding could undo


def explain(
    hits: Hits,
    fact: Fact | None,
    *,
    limit: int,
    statuses: Sequence[Status],
    kinds: Collection[str] | None,
    now: datetime,
) -> Explanation:
    """Return the first `limit` of all candidates, and of a named fact its place, what it lacks, and the single weights that would lift it.

    `hits` are all candidates, best first. What a fact lacks is told against the last hit within the limit, or where it is among them,
    against the hit just above it.
    """
    place = next((place for place, hit in enumerate(hits, start=1) if fact is not None and hit.fact.fact_id == fact.fact_id), None)
    shown = tuple(hits[:limit])
    if fact is None:
        return Explanation(question=hits.question, degraded=hits.degraded, candidates=len(hits), hits=shown)
    if place is None:
        why = _absent(fact, hits, statuses=statuses, kinds=kinds, now=now)
        return Explanation(question=hits.question, degraded=hits.degraded, candidates=len(hits), hits=shown, fact=fact, reason=why)
    own = hits[place - 1]
    rival = None if place == 1 else hits[place - 2] if place <= limit else hits[limit - 1]
    lacks = {} if rival is None else _lacks(own, rival)
    return Explanation(
        question=hits.question,
        degraded=hits.degraded,
        candidates=len(hits),
        hits=shown,
        fact=fact,
        place=place,
        hit=own,
        rival=rival,
        lacks=lacks,
        reason=_reason(place, rival, lacks),
        changes=tuple(_changes(own, hits, limit=1 if place <= limit else limit)) if rival is not None else (),
    )


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


def _absent(fact: Fact, hits: Hits, *, statuses: Sequence[Status], kinds: Collection[str] | None, now: datetime) -> str:
    if kinds is not None and fact.kind not in kinds:
        return f"It is of kind {fact.kind}, which was not asked for."
    if fact.status not in statuses:
        return f"It is {fact.status}; only {', '.join(statuses)} were asked for."
    if fact.valid_to is not None and fact.valid_to <= now:
        return f"It was true until {fact.valid_to:%Y-%m-%d %H:%M} UTC; ask with as_of for an earlier time."
    terms = ", ".join(hits.question.terms) or "none"
    near = "and meaning took no part" if hits.degraded else "and others are nearer in meaning"
    return f"It is no candidate: too few of the question's telling words ({terms}) are in it, {near}."


def _changes(own: Hit, hits: Sequence[Hit], *, limit: int) -> list[WeightChange]:
    """Return for each feature the nearest weight that, changed alone, brings the hit within the limit; those that cannot are left out."""
    changes = []
    for name, weight in own.weights.items():
        steps = []
        for rival in hits:
            lead = _counted(own, name) - _counted(rival, name)
            if rival is not own and lead:
                steps.append((rival.score - own.score + _MARGIN) / lead)
        for nudged in sorted(steps, key=abs):
            above = sum(
                rival is not own and rival.score + nudged * _counted(rival, name) > own.score + nudged * _counted(own, name)
                for rival in hits
            )
            if above < limit:
                changes.append(WeightChange(feature=name, weight=weight, wanted=weight + nudged))
                break
    return sorted(changes, key=lambda change: abs(change.wanted - change.weight))
