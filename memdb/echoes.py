"""What only asked the same before, as who asks twice finds it again: no answer, though nothing is nearer to the question."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import cast

from memdb import files
from memdb.candidates import Near, Words
from memdb.database import Database

_LEAST = 0.6  # of a cosine, or of the best match of words; below it two questions ask for different things
_MOST = 64  # messages that are looked at


def echoing(db: Database, near: Sequence[Near], words: Words, hits: str | None) -> dict[int, float]:
    """Return how much each of these messages asks only what is asked now, 0 to 1; and so for the answers to it that nothing is known.

    How near they are is told by `near`, or by the `hits` of another index, or else, also of what has no vector yet, by `words`: 0 at
    `_LEAST`, 1 for the very same.
    """
    if any(one.shelf == "message" for one in near):
        alike = [pair for one in near if one.shelf == "message" for pair in _nearest(one)]
        alike += _worded(words, max((int(one.ids[-1]) for one in near if len(one.ids)), default=0))
    elif hits is not None:
        alike = [(id, 1.0 - distance) for id, distance in json.loads(hits) if id > 0 and 1.0 - distance > _LEAST]
    else:
        alike = _worded(words, 0)
    if not alike:
        return {}
    highest = sorted(alike, key=lambda pair: pair[1], reverse=True)[:_MOST]
    asked = json.dumps([[id, (min(1.0, cosine) - _LEAST) / (1.0 - _LEAST)] for id, cosine in highest])
    found: dict[int, float] = {}
    for id, nearness in cast(list[tuple[int, float]], db.tuples("scan.echoes", near=asked, refusals=_refusals())):
        found[id] = max(found.get(id, 0.0), nearness)
    return found


@cache
def _refusals() -> str:
    """What an answer says that knows nothing, in any language, as JSON."""
    said = tomllib.loads(files.read("rules/languages/refusals.toml"))
    return json.dumps([phrase for phrases in said.values() for phrase in phrases], ensure_ascii=False)


def _nearest(one: Near) -> list[tuple[int, float]]:
    """The ids and cosines of what is nearer than `_LEAST`."""
    places = (one.cosines > _LEAST).nonzero()[0]
    if not len(places):
        return []
    cosines = one.cosines[places] if one.exact is None else one.exact(places)
    return [(int(id), float(cosine)) for id, cosine in zip(one.ids[places], cosines, strict=True) if cosine > _LEAST]


def _worded(words: Words, after: int) -> list[tuple[int, float]]:
    """The ids of the messages behind a row that have more than `_LEAST` of the words of the best match, and how much of them each has."""
    if not words.ids or words.ids[-1] <= after or (best := min(words.bm25)) >= 0:
        return []
    most = _LEAST * best  # what matches has a bm25 below 0
    found = [(id, bm25 / best) for id, bm25 in zip(words.ids, words.bm25, strict=True) if bm25 < most and id > after]
    return [(id, share) for id, share in found if words.kind_of(id) == "message"]
