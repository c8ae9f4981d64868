"""Move rows no longer believed into the archive, where only questions about the past find them."""

from __future__ import annotations

from datetime import datetime

from memdb.database import Database
from memdb.times import to_text


def compact(db: Database, *, user_id: str | None, before: datetime, now: datetime, most: int) -> int:
    """Archive at most so many closed facts last changed by `before`, and return how many; their vectors go with the next sync."""
    which, at = {"user_id": user_id, "before": to_text(before)}, to_text(now)
    moved = db.all("compact.archive", **which, now=at, most=most)
    db.run("compact.history", **which, reason="long believed no longer: moved into the archive", turn_id=f"compact-{at}", now=at)
    db.run("compact.clear", **which)
    return len(moved)
