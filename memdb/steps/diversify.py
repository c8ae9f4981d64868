"""Choose hits that do not all say the same: maximal marginal relevance."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from memdb.answers import Hit
from memdb.codes import products
from memdb.database import Database
from memdb.household import likeness

_WORD = re.compile(r"\w+")


def diversify(db: Database, hits: Sequence[Hit], *, limit: int, balance: float, most: Mapping[str, int]) -> list[Hit]:
    """Return at most `limit` hits, each chosen for `balance` × its score less (1 − `balance`) × its likeness to one chosen before.

    Likeness is the cosine of the vectors, or without them the share of words in common. A balance of 1 keeps the order of the scores.
    `most` says how many of a kind are chosen at most.
    """
    vectors = dict(cast(list[tuple[int, bytes]], db.tuples("diversify", fact_ids=json.dumps([hit.fact.fact_id for hit in hits]))))
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
        alike = _cosines(vectors, place)
        for other in left:
            near = alike.get(other)
            nearest[other] = max(nearest[other], likeness(words[place], words[other]) if near is None else near)
    return chosen


def _cosines(vectors: Mapping[int, bytes], place: int) -> dict[int, float]:
    """The cosine of the vector at a place to each that there is; nothing if there is none at that place."""
    if place not in vectors:
        return {}
    import numpy as np

    rows = np.frombuffer(b"".join(vectors.values()), "<f4").reshape(len(vectors), -1)
    return dict(zip(vectors, products(rows, np.frombuffer(vectors[place], "<f4")).tolist(), strict=True))
