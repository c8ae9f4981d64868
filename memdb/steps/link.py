"""Link two facts of one user, by hand."""

from __future__ import annotations

from datetime import datetime

from memdb.database import Database
from memdb.errors import InputError
from memdb.records import Fact, Link, Relation
from memdb.times import to_text


def link(db: Database, source: Fact, target: Fact, *, relation: Relation, strength: float, now: datetime) -> Link:
    """Write a link, or give one that exists another strength, within the caller's transaction.

    Raises:
        InputError: the two are the same, or of different users.
    """
    if source.fact_id == target.fact_id:
        raise InputError(f"The fact {source.fact_id!r} cannot be linked to itself; give two facts.")
    if source.user_id != target.user_id:
        raise InputError(f"{source.fact_id!r} and {target.fact_id!r} are of different users; link only facts of one user.")
    made = Link(source_id=source.fact_id, target_id=target.fact_id, relation=relation, strength=strength)
    db.run("links.put", **made.model_dump(), now=to_text(now))
    return made
