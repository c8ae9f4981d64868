"""Follow links from a fact."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memdb.records import Fact, Linked, Relation, Status
from memdb.store import Database, Row


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
    """Return the facts that links lead to within `depth` steps, nearest and strongest first; links are followed both ways."""
    rows = db.all(
        "links.walk",
        fact_id=fact_id,
        depth=depth,
        relations=None if relations is None else json.dumps(list(relations)),
        statuses=json.dumps(list(statuses)),
        min_strength=min_strength,
        limit=max(0, limit),
    )
    return [_linked(row) for row in rows]


def _linked(row: Row) -> Linked:
    fact = Fact.model_validate_json(str(row["record"]))
    rest = {name: row[name] for name in ("depth", "relation", "strength")}
    return Linked.model_validate({"fact": fact, "path": json.loads(str(row["path"])), "outward": bool(row["outward"]), **rest})
