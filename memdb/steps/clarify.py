"""Offer the one question that is worth asking: mem-skill's Confidence Policy."""

from __future__ import annotations

from datetime import datetime

from memdb.config import Config
from memdb.store import Database
from memdb.times import to_text


def clarify(db: Database, *, user_id: str, now: datetime, config: Config) -> str | None:
    """Return a question about the pending conflict of highest value, or for leave to remember; None if there is none worth asking.

    Minor conflicts settle themselves in time.

    Of high value are identity, health, and whatever is at least as important as `config.clarify_importance`.
    """
    row = db.one("clarify", user_id=user_id, now=to_text(now), min_importance=config.clarify_importance)
    if row is None:
        return None
    believed, said = (" ".join(str(row[side] or "").split()) for side in ("believed", "said"))  # stored text cannot forge a second line
    if not believed:
        return f"Shall I remember this: “{said}”?"
    return f"Which is right now: “{believed}”, as held so far, or “{said}”, as said since?"
