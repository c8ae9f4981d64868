"""Store facts as they are, many at once, with their vectors if these are ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from memdb.records import NewFact
from memdb.store import Database, SqlValue
from memdb.times import to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Reckon = Callable[[datetime | str | None], datetime]
"""Turns a time as it was given, or None for the present, into one in UTC."""

_COLUMNS = (
    "fact_id", "user_id", "kind", "key", "value_text", "value_json", "category", "memory_type", "confidence", "importance", "source",
    "event_time", "valid_from", "valid_to", "source_turn_id", "source_excerpt", "session_id", "tags", "now",
)  # fmt: skip
_VECTOR = ("id", "embedding", "user_id", "shelf")


def insert(db: Database, facts: Sequence[NewFact], *, vectors: NDArray[np.float32] | None, time: Reckon, turn_id: str) -> int:
    """Write facts within the caller's transaction, and return how many were new. `vectors` are unit vectors, one a fact; without them
    the outbox has the facts embedded later.
    """
    last = int((db.one("insert.last") or {})["id"] or 0)
    ready = vectors is not None and db.has_vectors
    db.run("insert.clear")
    db.run_rows("insert.stage", _COLUMNS, (_row(fact, time, turn_id) for fact in facts))
    added = db.run("insert.facts", last=last, ready=ready)
    db.run("insert.clear")
    if vectors is not None and ready and added:
        places = range(len(facts)) if added == len(facts) else [int(row["place"] or 0) - 1 for row in db.all("insert.added", last=last)]
        for row in db.all("insert.left_over", last=last):
            db.run("sync.remove", id=row["id"])
            db.run("sync.settled", id=row["id"])
        blobs = vectors.astype("<f4", copy=False)
        rows = ((last + place + 1, blobs[place].data, facts[place].user_id, facts[place].kind) for place in places)
        db.run_rows("sync.write", _VECTOR, rows)
        db.run("insert.changed", last=last)
    return added


def _row(fact: NewFact, time: Reckon, turn_id: str) -> tuple[SqlValue, ...]:
    said_at = to_text(time(fact.timestamp))
    details = None
    if fact.object is not None or fact.value_json is not None:
        subject, _, predicate = fact.key.partition(".")
        given = fact.value_json if isinstance(fact.value_json, dict) else {} if fact.value_json is None else {"value": fact.value_json}
        details = json.dumps({**given, "subject": subject, "predicate": predicate, "object": fact.object or fact.value_text})
    return (
        fact.fact_id or str(uuid4()),
        fact.user_id,
        fact.kind,
        fact.key,
        fact.value_text,
        details,
        fact.category,
        fact.memory_type,
        fact.confidence,
        fact.importance,
        fact.source,
        to_text(time(fact.event_time)) if fact.event_time is not None else None,
        to_text(time(fact.valid_from)) if fact.valid_from is not None else said_at,
        to_text(time(fact.valid_to)) if fact.valid_to is not None else None,
        fact.turn_id or turn_id,
        fact.value_text,
        fact.session_id,
        json.dumps(fact.tags) if fact.tags else "[]",
        said_at,
    )
