"""Tell what waits for a word of the user, and what to ask: mem-skill's Confidence Policy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from memdb.answers import Doubt, Hit
from memdb.config import Config
from memdb.database import Database, Row
from memdb.privacy import is_high_risk
from memdb.quoting import in_marks
from memdb.times import in_zone, to_text, to_utc

_MOST = 100
_ASKED_WITHIN = timedelta(days=7)  # who has been asked and has said nothing to it is left in peace for so long


def clarify(db: Database, hits: Sequence[Hit], *, user_id: str, now: datetime, said_by: datetime, config: Config) -> list[Doubt]:
    """Return what waits for a word of the user, first what bears on a question by its `hits`, then what is of the highest value.

    Worth a question whatever is spoken of are identity, health, money, whatever is at least as important as `config.clarify_importance`,
    and leave to remember. Other conflicts are minor: they are asked about where an answer depends on them, and settle themselves in time
    otherwise. What the assistant has asked word for word within a week is worth no question by itself. What was so when it was said, until
    `said_by`, is none that is to come.
    """
    bearing = [hit.fact.fact_id for hit in hits if hit.bears(config.bearing_match)]
    rows = db.all("clarify", user_id=user_id, now=to_text(now), said_by=to_text(said_by), bearing=json.dumps(bearing), limit=_MOST)
    since = to_text(now - _ASKED_WITHIN)
    told = db.tuples("believe.told_lately", user_id=user_id, since=since, now=to_text(now)) if rows else ()
    lately = "\n".join(" ".join(str(text).split()) for (text,) in told)
    doubts = [_doubt(row, config) for row in rows]
    return [one.model_copy(update={"worth": False}) if one.question in lately else one for one in doubts]


def _doubt(row: Row, config: Config) -> Doubt:
    begins = f" (from {in_zone(to_utc(str(row['begins'])), config.zone):%Y-%m-%d})" if row["begins"] else ""
    believed, said = in_marks(str(row["believed"] or "")), in_marks(str(row["said"] or "") + begins)
    against = str(row["against"]) if row["against"] else None
    conflict = f"Which is right now: {believed}, as held so far, or {said}, as said since?"
    alone = f"Shall I remember this: {said}?" if row["leave"] else f"Is this right now: {said}?"
    risky = row["category"] in ("identity", "health") or is_high_risk(str(row["key"]))
    return Doubt(
        fact_id=str(row["fact_id"]),
        against=against,
        question=conflict if against else alone,
        leave=bool(row["leave"]),
        worth=bool(row["leave"]) or risky or float(row["importance"] or 0.0) >= config.clarify_importance,
    )
