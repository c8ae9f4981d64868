"""Follow links from a fact."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, cast

from memdb import stored
from memdb.answers import Linked
from memdb.database import Database
from memdb.records import Relation, Status, by_the_clock
from memdb.times import to_text

_Step = tuple[str, str, Relation, int, float]  # a row of links.step


class _Way(NamedTuple):
    """How a fact is reached; the fields are those of `Linked`."""

    depth: int
    relation: Relation
    outward: bool
    strength: float
    path: tuple[str, ...]


def walk(
    db: Database,
    fact_id: str,
    *,
    depth: int,
    relations: Sequence[Relation] | None,
    statuses: Sequence[Status],
    min_strength: float,
    limit: int,
    now: datetime,
) -> list[Linked]:
    """Return the facts that links lead to within `depth` steps, nearest and strongest first; links are followed both ways.

    Each is told once, by the strongest of the shortest ways that are strong enough. Where as many as are wanted are near, nothing is
    looked at beyond.
    """
    asked = {
        "relations": None if relations is None else json.dumps(list(relations)),
        "statuses": json.dumps(list(statuses)),
        "now": to_text(now),
    }
    ways: dict[str, _Way] = {}
    frontier = {fact_id: 1.0}
    with db.snapshot():
        for step in range(1, depth + 1):
            if not frontier or len(ways) >= limit:
                break
            facts = json.dumps(list(frontier.items()))
            found = cast(list[_Step], db.tuples("links.step", **asked, fact_id=fact_id, facts=facts, min_strength=min_strength))
            frontier = {}
            for name, by, relation, outward, strength in found:
                if name != fact_id and name not in ways:
                    path = ways[by].path if by in ways else (fact_id,)
                    ways[name] = _Way(step, relation, bool(outward), strength, (*path, name))
                    frontier[name] = strength
        led = json.dumps([(name, way.depth, way.strength) for name, way in ways.items()])
        reached = stored.facts(db, db.all("links.reached", ways=led, limit=max(0, limit)))
        with stored.reading(db, rows=({"fact_id": fact_id},)):
            return [Linked(fact=by_the_clock(fact, now), **ways[fact.fact_id]._asdict()) for fact in reached]
