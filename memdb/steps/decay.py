"""Let first-person memories fade: importance reckoned anew, the faded archived, the long archived deleted."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database, Row
from memdb.figures import told_apart
from memdb.recording import record_archived
from memdb.times import to_text


def reckon(db: Database, fact_ids: Collection[str], *, since: datetime | str, now: datetime | None, config: Config) -> None:
    """Reckon what memories made since an instant weigh `now`, or else weighed when each was made, within the caller's transaction."""
    begins = since if isinstance(since, str) else to_text(since)
    _reckon(db, user_id=None, fact_ids=json.dumps(list(fact_ids)), since=begins, now=to_text(now) if now else None, config=config)


def decay(db: Database, *, user_id: str | None, now: datetime, config: Config) -> Maintained:
    """Do one night's fading, of a user or of everybody, within the caller's transaction, and return how much it was.

    Each archiving and each deletion leaves a line in the history, which loses the text: what is deleted is gone.
    """
    processed = _reckon(db, user_id=user_id, fact_ids=None, since="", now=to_text(now), config=config)
    archived = db.all("maintain.archive", user_id=user_id, now=to_text(now), archive_threshold=config.archive_threshold)
    for row in archived:
        weighs, least = told_apart(float(row["effective_importance"] or 0), config.archive_threshold)
        record_archived(db, row, f"faded to {weighs}, below {least}", now=now)
    before = to_text(now - timedelta(days=config.delete_archived_after_days))
    db.run("maintain.deleted", user_id=user_id, before=before, turn_id=f"maintain-{to_text(now)}", now=to_text(now))
    deleted = db.all("maintain.delete", user_id=user_id, before=before)
    if deleted:
        _unquote(db, deleted)
    return Maintained(processed=processed, archived=len(archived), deleted=len(deleted))


def _unquote(db: Database, deleted: Sequence[Row]) -> None:
    """Leave of what is deleted only when it was made, changed and deleted, and neither its words nor those of the model that told it."""
    users = json.dumps(sorted({str(row["user_id"]) for row in deleted}))
    db.run("maintain.allow", users=users)
    db.run("maintain.unquote", fact_ids=json.dumps([row["fact_id"] for row in deleted]))
    db.run("forget.disallow")
    told = [value for row in deleted for value in (row["fact_id"], row["segment_id"]) if value is not None]
    db.run("maintain.delete_calls", users=users, told=json.dumps(told))


def _reckon(db: Database, *, user_id: str | None, fact_ids: str | None, since: str, now: str | None, config: Config) -> int:
    return db.run(
        "maintain.decay",
        user_id=user_id,
        since=since,
        now=now,
        fact_ids=fact_ids,
        minimum_importance=config.minimum_importance,
        max_importance=config.max_importance,
        base_half_life_days=config.base_half_life_days,
    )
