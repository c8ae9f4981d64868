"""Follow links from a fact."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memdb.answers import Linked
from memdb.database import Database, Row
from memdb.records import Fact, Relation, Status


def walk(
    db: Database,
    fact_id: str,
    *,
    depth: int,
    relations: Sequence[Relation] | None,
    statuses: Sequence[Status],
    min_strength: float,
    limit: int,
) -> list[Linked]:
    """Return the facts that links lead to within `depth` steps, nearest and strongest first; links are followed both ways.

    Where as many as are wanted are near, nothing is looked at beyond.
    """
    wanted = None if relations is None else json.dumps(list(relations))
    levels, frontier = {fact_id: 0}, [fact_id]
    with db.snapshot():
        for step in range(1, depth + 1):
            if not frontier or (
                min_strength <= 0 and len(levels) > limit
            ):  # what is weak on the whole way may leave room for what is further
                break
            found = db.all(
                "links.beside",
                fact_id=fact_id,
                facts=json.dumps(frontier),
                relations=wanted,
                statuses=json.dumps(list(statuses)),
                min_strength=min_strength,
            )
            frontier = [name for row in found if (name := str(row["fact_id"])) not in levels]
            levels |= dict.fromkeys(frontier, step)
        told = json.dumps(list(levels.items()))
        rows = db.all("links.walk", levels=told, relations=wanted, min_strength=min_strength, limit=max(0, limit))
    return [_linked(row) for row in rows]


def _linked(row: Row) -> Linked:
    fact = Fact.model_validate_json(str(row["record"]))
    rest = {name: row[name] for name in ("depth", "relation", "strength")}
    return Linked.model_validate({"fact": fact, "path": json.loads(str(row["path"])), "outward": bool(row["outward"]), **rest})
