"""Move rows no longer believed into the archive, where only questions about the past find them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from memdb.database import Database
from memdb.times import to_text


def compact(db: Database, fact_ids: Sequence[str], *, reason: str, turn_id: str, now: datetime) -> int:
    """Archive those of some facts that are closed still, and return how many; their vectors go with the next sync."""
    at = to_text(now)
    moved = json.dumps([str(row["fact_id"]) for row in db.all("compact.archive", fact_ids=json.dumps(fact_ids), now=at)])
    db.run("compact.history", fact_ids=moved, reason=reason, turn_id=turn_id, now=at)
    return db.run("compact.clear", fact_ids=moved)
