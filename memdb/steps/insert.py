"""Store facts as they are, many at once, with their vectors if these are ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from memdb.embed import to_blob
from memdb.records import NewFact
from memdb.store import Database, SqlValue
from memdb.times import to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Reckon = Callable[[datetime | str | None], datetime]
"""Turns a time as it was given, or None for the present, into one in UTC."""


def insert(db: Database, facts: Sequence[NewFact], *, vectors: NDArray[np.float32] | None, time: Reckon, turn_id: str) -> int:
    """Write facts within the caller's transaction, and return how many were new. `vectors` are unit vectors, one a fact; without them
    the outbox has the facts embedded later.
    """
    last = db.one("insert.last")
    rows = [_row(fact, time, turn_id) for fact in facts]
    db.run_many("apply.insert_fact", rows)
    names = [str(row["fact_id"]) for row in rows]
    added = db.all("insert.added", last=last["id"] if last else 0, fact_ids=json.dumps(names))
    if vectors is not None and db.has_vectors:
        place = {name: number for number, name in enumerate(names)}
        db.run_many(
            "sync.write",
            [
                {
                    "id": row["id"],
                    "embedding": to_blob(vectors[place[str(row["fact_id"])]]),
                    "user_id": row["user_id"],
                    "shelf": row["kind"],
                }
                for row in added
            ],
        )
        ids = json.dumps([row["id"] for row in added])
        db.run("insert.embedded", ids=ids)
        db.run("insert.settled", ids=ids)
        db.run_many("sync.changed", [{"user_id": user_id} for user_id in {row["user_id"] for row in added}])
    return len(added)


def _row(fact: NewFact, time: Reckon, turn_id: str) -> dict[str, SqlValue]:
    said_at = to_text(time(fact.timestamp))
    subject, _, predicate = fact.key.partition(".")
    details = None
    if fact.object is not None or fact.value_json is not None:
        given = fact.value_json if isinstance(fact.value_json, dict) else {} if fact.value_json is None else {"value": fact.value_json}
        details = json.dumps({**given, "subject": subject, "predicate": predicate, "object": fact.object or fact.value_text})
    return {
        "fact_id": fact.fact_id or str(uuid4()),
        "user_id": fact.user_id,
        "kind": fact.kind,
        "key": fact.key,
        "value_text": fact.value_text,
        "value_json": details,
        "category": fact.category,
        "memory_type": fact.memory_type,
        "confidence": fact.confidence,
        "importance": fact.importance,
        "source": fact.source,
        "speaker": None,
        "event_time": to_text(time(fact.event_time)) if fact.event_time is not None else None,
        "valid_from": to_text(time(fact.valid_from)) if fact.valid_from is not None else said_at,
        "valid_to": to_text(time(fact.valid_to)) if fact.valid_to is not None else None,
        "status": "active",
        "source_turn_id": fact.turn_id or turn_id,
        "source_excerpt": fact.value_text,
        "session_id": fact.session_id,
        "tags": json.dumps(fact.tags),
        "now": said_at,
    }
