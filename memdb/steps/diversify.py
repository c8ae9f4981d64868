"""Choose hits that do not all say the same: maximal marginal relevance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from memdb.answers import Hit
from memdb.database import Database

_WORD = re.compile(r"\w+")


def diversify(db: Database, hits: Sequence[Hit], *, limit: int, balance: float, most: Mapping[str, int]) -> list[Hit]:
    """Return at most `limit` hits, each chosen for `balance` × its score less (1 − `balance`) × its likeness to one chosen before.

    Likeness is the cosine of the vectors, or without them the share of words in common. A balance of 1 keeps the order of the scores.
    `most` says how many of a kind are chosen at most.
    """
    pairs = db.all("diversify", fact_ids=json.dumps([hit.fact.fact_id for hit in hits]))
    alike = {frozenset((str(row["one"]), str(row["other"]))): float(row["similarity"] or 0) for row in pairs}
    best = max((abs(hit.score) for hit in hits), default=0.0) or 1.0
    nearest = [0.0] * len(hits)  # how like each is to what was chosen
    words = [set(_WORD.findall(hit.fact.value_text.casefold())) for hit in hits]
    left = [place for place, hit in enumerate(hits) if most.get(hit.fact.kind) != 0]
    chosen: list[Hit] = []
    while left and len(chosen) < limit:
        place = max(left, key=lambda one: (balance * hits[one].score / best - (1 - balance) * nearest[one], -one))
        left.remove(place)
        chosen.append(hits[place])
        kind = hits[place].fact.kind
        if sum(hit.fact.kind == kind for hit in chosen) == most.get(kind):
            left = [other for other in left if hits[other].fact.kind != kind]
        for other in left:
            nearest[other] = max(nearest[other], _likeness(hits[place], hits[other], alike, words[place], words[other]))
    return chosen


def _likeness(one: Hit, other: Hit, alike: Mapping[frozenset[str], float], words: set[str], theirs: set[str]) -> float:
    known = alike.get(frozenset((one.fact.fact_id, other.fact.fact_id)))
    return known if known is not None else len(words & theirs) / max(1, len(words | theirs))
