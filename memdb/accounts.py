"""The accounts of a user's sessions and days: erased with what they quote, and told anew of what is left. Never commits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime

from memdb.config import Config
from memdb.database import Database
from memdb.reading import read_consent
from memdb.steps.snapshot import snapshot

Told = tuple[str | None, date | None]
"""Whose account it is: a session's, by its id, or a day's."""


def untell(db: Database, *, user_id: str, key: str | None) -> list[Told]:
    """Erase the accounts of a user, since a `key` is forgotten, or all that they have, and return which are to be told anew."""
    rows = db.all("session.untell", user_id=user_id)
    gone = [row["fact_id"] for row in (*rows, *db.all("session.untell_archived", user_id=user_id))]
    db.run("forget.allow", user_id=user_id, key=key)
    db.run("forget.unquote_derived", user_id=user_id, derived=json.dumps(gone))  # what somebody decided about one has its words
    db.run("forget.disallow")
    return [_of(row["session_id"], row["day"]) for row in rows if not row["has_ended"] and row["key"] != key]


def retell(db: Database, told: Sequence[Told], *, user_id: str, now: datetime, config: Config) -> None:
    """Tell accounts anew, of what is there by now."""
    consent = read_consent(db, user_id=user_id, config=config)
    for session_id, day in told:
        snapshot(db, user_id=user_id, session_id=session_id, day=day, consent=consent, zone=config.zone, now=now)


def correct(db: Database, *, user_id: str, cause: str, now: datetime, config: Config) -> None:
    """Tell anew what accounts tell of facts that were changed for a `cause`: what was taken back, or was never so, was not learned."""
    consent = read_consent(db, user_id=user_id, config=config)
    for row in db.all("session.telling", user_id=user_id, cause=cause):
        session_id, day = _of(row["session_id"], row["day"])
        told = snapshot(db, user_id=user_id, session_id=session_id, day=day, consent=consent, zone=config.zone, now=now)
        if told is None:
            db.run("session.drop_account", fact_id=row["fact_id"])
        db.run("session.unsupport", fact_id=row["fact_id"], told_before=row["facts"])


def _of(session_id: object, day: object) -> Told:
    return (None, date.fromisoformat(str(day))) if day else (str(session_id), None)
