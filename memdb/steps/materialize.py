"""Project what is held of a user into a profile: mem-skill's stage 5."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memdb import stored
from memdb.answers import Profile, ProfileChange, ProfileEntry
from memdb.config import Config
from memdb.database import Database, listed
from memdb.privacy import topic_in
from memdb.times import to_text

_COLUMNS = ("fact_id", "value", "confidence", "status", "valid_from", "valid_to", "updated_at", "last_mentioned_at", "state", "due")


def materialize(
    db: Database, *, user_id: str, now: datetime, said_by: datetime, config: Config, others: bool = True, tags: Sequence[str] | None = None
) -> Profile:
    """Return the profile as of `now`: active and valid facts only, each with its confidence and times.

    Also what was said after `now` and until `said_by` counts as said: who asks of the present names all times (`EVER`), for where the clock
    is behind what it was, nobody is to be told that less is known.
    Its sensitive topics are health and, with `others`, whatever else is of no category: what somebody earns, owes or believes in. A prompt
    has no use for these unless they are asked about. With `tags`, a task that has none of them, but others, is left out.
    """
    sections: dict[str, dict[str, list[ProfileEntry]]] = {}
    rows = db.tuples("profile.entries", user_id=user_id, now=to_text(now), said_by=to_text(said_by), others=others, tags=listed(tags))
    with stored.reading(db, user_id=user_id):
        for category, key, text, *rest in rows:
            if category == "other" and topic_in(str(key), str(text)) is None:
                continue  # most of what is of no category is nothing: it is made no record
            entry = ProfileEntry.model_validate({"key": key, "text": text, **dict(zip(_COLUMNS, rest, strict=True))})
            sections.setdefault(str(category), {}).setdefault(entry.key, []).append(entry)
    since = now - timedelta(days=config.recent_change_days)
    times = {"now": to_text(now), "said_by": to_text(said_by), "since": to_text(since)}
    changes = db.all("profile.changes", user_id=user_id, **times, limit=config.recent_changes)
    return Profile(
        identity=sections.get("identity", {}),
        hard_preferences=sections.get("hard_preference", {}),
        soft_preferences=sections.get("soft_preference", {}),
        current_tasks=[entry for entries in sections.get("task_context", {}).values() for entry in entries],
        recent_changes=stored.rows_as(ProfileChange, db, changes),
        sensitive_topics=[entry for name in ("health", "other") for entries in sections.get(name, {}).values() for entry in entries],
    )
