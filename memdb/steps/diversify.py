"""Choose hits that do not all say the same: maximal marginal relevance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from memdb.answers import Hit
from memdb.database import Database

_WORD = re.compile(r"\w+")


def diversify(db: Database, hits: Sequence[Hit], *, limit: int, balance: float, most: Mapping[str, int]) -> list[Hit]:
    """Return at most `limit` hits, each chosen for `balance` × its score less (1 − `balance`) × its likeness to one chosen before.

    Likeness is the cosine of the vectors, or without them the share of words in common. A balance of 1 keeps the order of the scores.
    `most` says how many of a kind are chosen at most.
    """
    pairs = db.tuples("diversify", fact_ids=json.dumps([hit.fact.fact_id for hit in hits]))
    alike: list[list[float | None]] = [[None] * len(hits) for _ in hits]
    for one, other, similarity in cast(list[tuple[int, int, float | None]], pairs):
        alike[one][other] = alike[other][one] = similarity or 0.0
    best = max((abs(hit.score) for hit in hits), default=0.0) or 1.0
    worth = [balance * hit.score / best for hit in hits]
    nearest = [0.0] * len(hits)  # how like each is to what was chosen
    words = [set(_WORD.findall(hit.fact.value_text.casefold())) for hit in hits]
    left = [place for place, hit in enumerate(hits) if most.get(hit.fact.kind) != 0]
    chosen: list[Hit] = []
    while left and len(chosen) < limit:
        place = max(left, key=lambda one: (worth[one] - (1 - balance) * nearest[one], -one))
        left.remove(place)
        chosen.append(hits[place])
        kind = hits[place].fact.kind
        if sum(hit.fact.kind == kind for hit in chosen) == most.get(kind):
            left = [other for other in left if hits[other].fact.kind != kind]
        known = alike[place]
        for other in left:
            likeness = known[other]
            if likeness is None:
                likeness = _in_common(words[place], words[other])
            if likeness > nearest[other]:
                nearest[other] = likeness
    return chosen


def _in_common(words: set[str], theirs: set[str]) -> float:
    return len(words & theirs) / max(1, len(words | theirs))
