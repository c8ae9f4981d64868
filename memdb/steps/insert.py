"""Store facts as they are, many at once, with their vectors if these are ready."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import date
from typing import TYPE_CHECKING
from uuid import uuid4

from memdb import checks
from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.filling import fill
from memdb.household import as_remembered
from memdb.quantize import quantize
from memdb.records import NewFact, as_parts, state_of
from memdb.segments import newest
from memdb.times import SPANS, span_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Reckon = Callable[[date | str | None, str], str]
"""Turns a time as it was given, or None for the present, and the name of its field into its stored form."""

Incoming = tuple[SqlValue, ...]
"""A fact as it is stored: the values of `_COLUMNS`. Python's garbage collector passes over plain tuples, not over thousands of records."""

_COLUMNS = (
    "fact_id", "user_id", "kind", "key", "value_text", "value_json", "category", "memory_type", "confidence", "importance", "source",
    "event_time", "valid_from", "valid_to", "source_turn_id", "source_excerpt", "session_id", "tags", "now",
)  # fmt: skip
_FACT_ID, _USER_ID, _KIND, _NOW = 0, 1, 2, -1
_MANY_FACTS = 500  # for fewer, the triggers are quicker than planning every statement anew


def insert(db: Database, facts: Sequence[Incoming], *, vectors: NDArray[np.float32] | None) -> int:
    """Write facts within the caller's transaction, and return how many were new. `vectors` are unit vectors, one a fact; without them
    the outbox has the facts embedded later.
    """
    db.run("insert.incoming")
    last = newest(db)
    ready = vectors is not None and db.has_vectors
    db.run_rows("insert.stage", _COLUMNS, facts)
    many = len(facts) >= _MANY_FACTS and not db.all("insert.strange")
    with db.untriggered() if many else nullcontext():
        added = db.run("insert.facts", last=last, ready=ready)
    for instead in ("insert.words", *(() if ready else ("insert.waiting",)), "insert.mirrored") if many else ():
        db.run(instead, last=last)
    db.run("insert.clear")
    if vectors is not None and ready and added:
        places = range(len(facts)) if added == len(facts) else [int(row["place"] or 0) - 1 for row in db.all("insert.added", last=last)]
        _put(db, facts, vectors, places, last=last)
        users = sorted({str(facts[place][_USER_ID]) for place in places})
        db.run("insert.changed", users=json.dumps(users))
        quantize(db, dimension=vectors.shape[1], users=users, gaps=False)
    return added


def narratives(facts: Sequence[Incoming]) -> dict[str, str]:
    """Return the first-person memories among facts by their ids, each with when it was made; what they weigh is still to be reckoned."""
    return {str(fact[_FACT_ID]): str(fact[_NOW]) for fact in facts if fact[_KIND] == "narrative"}


def incoming(fact: NewFact, *, object: str | None, time: Reckon, turn_id: str, config: Config) -> Incoming:
    """Return a fact, whose `value_json` can be stored, as it is stored; `object` is the bare value that it has, if one is known."""
    said = vars(fact)  # a record takes longer to tell each of twenty fields
    said_at = time(said["timestamp"], "timestamp")
    span = span_of(said["kind"], fact.value_json, zone=config.zone).values() if said["kind"] in SPANS else ()
    happened = said["event_time"] if said["event_time"] is not None else min(span, default=None)
    began = said["valid_from"] if said["valid_from"] is not None else max(span, default=None)
    begins = time(began, "valid_from") if began is not None else said_at
    ends = time(said["valid_to"], "valid_to") if said["valid_to"] is not None else None
    if ends is None and said["kind"] == "task" and state_of(fact.value_json) == "done":
        ends = max(begins, said_at)  # what is done is over, also where nobody says since when
    checks.in_order(begins, ends)
    memory_type, importance = said["memory_type"], said["importance"]
    if said["kind"] == "narrative":
        stated = importance if "importance" in fact.model_fields_set else None
        memory_type, importance = as_remembered(fact.value_text, memory_type, stated, config=config)
    details = None
    if object is not None or said["value_json"] is not None:
        subject, _, predicate = fact.key.partition(".")
        given = as_parts(fact.value_json)
        parts = {**given, "subject": subject, "predicate": predicate, "object": object or fact.value_text}
        details = json.dumps(parts, ensure_ascii=False)
    return (
        said["fact_id"] or str(uuid4()),
        said["user_id"],
        said["kind"],
        said["key"],
        said["value_text"],
        details,
        said["category"],
        memory_type,
        said["confidence"],
        importance,
        said["source"],
        time(happened, "event_time") if happened is not None else None,
        begins,
        ends,
        said["turn_id"] or turn_id,
        said["value_text"],
        said["session_id"],
        json.dumps(said["tags"], ensure_ascii=False) if said["tags"] else "[]",
        said_at,
    )


def user_by_user(facts: list[Incoming]) -> tuple[list[Incoming], list[int] | None]:
    """Return facts so that those of a user stand together, in the order they had, and where each stood, None if they stood so before; of
    those with one id, the first.
    """
    first: dict[SqlValue, int] = {}
    for place, fact in enumerate(facts):
        first.setdefault(fact[_FACT_ID], place)
    order = sorted(first.values(), key=lambda place: str(facts[place][_USER_ID]))
    return (facts, None) if order == list(range(len(facts))) else ([facts[place] for place in order], order)


def _put(db: Database, facts: Sequence[Incoming], vectors: NDArray[np.float32], places: Sequence[int], *, last: int) -> None:
    """Put the vectors of new facts into the index, shelf by shelf."""
    for row in db.all("insert.left_over", last=last):
        db.run("sync.remove", id=row["id"])
        db.run("sync.settled", id=row["id"])
        db.run("sync.changed", user_id=row["user_id"])
        db.run("sync.gone_user", user_id=row["user_id"])
    ids = [last + place + 1 for place in places]
    wanted = vectors if len(places) == len(vectors) else vectors[list(places)]
    fill(db, ids, wanted, [(facts[place][_USER_ID], facts[place][_KIND]) for place in places])
