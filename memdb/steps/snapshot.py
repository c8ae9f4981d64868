"""Tell what happened in a session, or on a day, as an episode: who said how much, what was learned, what changed."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, tzinfo

from memdb import stored
from memdb.database import Database, Row
from memdb.ids import ACCOUNTS, id_of
from memdb.keys import slug
from memdb.privacy import quotable
from memdb.quoting import in_short
from memdb.records import Consent, Fact
from memdb.times import in_zone, to_text, to_utc
from memdb.wording import told_when

_QUOTED = 160  # characters of the first message
_TOLD = 20  # changes an account tells; the history holds them all
_IMPORTANCE = {"session": 0.3, "day": 0.2}
_SUPPORT = 0.5  # how strongly an account is linked to what was learned in it


def snapshot(
    db: Database, *, user_id: str, session_id: str | None, day: date | None, consent: Consent, zone: tzinfo, now: datetime
) -> Fact | None:  # fmt: skip
    """Write the account of a session, or of a day in `zone`, within the caller's transaction, and return it; None if nothing was said.

    Told again it replaces what was told before; one that somebody has rejected or ended stays as it was, and is None in the archive. The
    account is linked to what was learned in it. No model is needed: it is a projection of the turns and of the history. What it quotes it
    quotes without secrets, unless `consent` lets them be kept.
    """
    begins = ends = None
    if day is not None:
        midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
        begins, ends = to_text(midnight), to_text(midnight + timedelta(days=1))
    within = {"user_id": user_id, "session_id": session_id, "begins": begins, "ends": ends}
    said = db.one("session.said", **within)
    learned = db.all("session.learned", **within)
    if said is None or not (said["turns"] or learned):
        return None
    opening = quotable(str(said["opening"] or ""), consent)
    origin = "session" if day is None else "day"
    named = session_id if day is None else day.isoformat()
    starts = str(said["begins"] or said["started"] or begins or to_text(now))
    details = {
        "origin": origin,
        "day": None if day is None else day.isoformat(),
        "turns": said["turns"],
        "turn_range": [said["first_turn"], said["last_turn"]],
        "timestamp_start": starts,
        "timestamp_end": said["ends"] or starts,
        "facts": [row["fact_id"] for row in learned],
    }
    fact_id = id_of(ACCOUNTS, user_id, origin, named)
    text = _account(said, opening, learned, starts=to_utc(starts), day=day, zone=zone)
    db.run(
        "session.tell",
        fact_id=fact_id,
        user_id=user_id,
        key=f"{origin}.{slug(str(named))}",
        value_text=text,
        value_json=json.dumps(details, ensure_ascii=False),
        importance=_IMPORTANCE[origin],
        valid_from=str(said["ends"] or starts),  # as old as its last word
        source_turn_id=str(said["last_turn"] or f"{origin}-{named}"),
        source_excerpt=in_short(opening or text, most=_QUOTED),
        session_id=session_id,
        tags=json.dumps([origin]),
        now=to_text(now),
    )
    told = db.one("believe.by_id", fact_id=fact_id)
    if told is not None and origin == "session":
        for row in learned:
            db.run("links.put", source_id=fact_id, target_id=row["fact_id"], relation="supports", strength=_SUPPORT, now=to_text(now))
    return stored.fact(db, told["record"]) if told else None


def _account(said: Row, opening: str, learned: list[Row], *, starts: datetime, day: date | None, zone: tzinfo) -> str:
    named = f"Session of {in_zone(starts, zone):%d %B %Y, %H:%M}" if day is None else f"{day:%A, %d %B %Y}"
    counts = [(int(said["sessions"] or 0), "session")] * (day is not None) + [(int(said["turns"] or 0), "turn")]
    counted = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)
    parts = [f"{named}: {counted}." if counted else f"{named}."]
    if day is None and opening:
        parts.append(f"It began with “{in_short(opening, most=_QUOTED)}”.")
    new = [row for row in learned if row["operation"] in ("insert", "update", "confirm")]
    ended = [row for row in learned if row["operation"] in ("supersede", "expire", "reject")]
    doubtful = [row for row in learned if row["operation"] == "mark_pending_confirmation"]
    for label, rows in (("Learned", new), ("No longer so", ended), ("Waits for a word", doubtful)):
        if rows:
            more = f"; and {len(rows) - _TOLD} more" if len(rows) > _TOLD else ""
            parts.append(f"{label}: {'; '.join(_told(row, zone) for row in rows[:_TOLD])}{more}.")
    return " ".join(parts)


def _told(row: Row, zone: tzinfo) -> str:
    """What was learned, and since when it was to be so; or what has ended."""
    is_over = row["operation"] in ("supersede", "expire", "reject")
    text = in_short(str(row["before" if is_over else "after"]), most=_QUOTED)
    if row["kind"] != "fact":
        return text
    begins, ends, event = (to_utc(str(time)) if time else None for time in (row["valid_from"], row["valid_to"], row["event_time"]))
    told = told_when(None if is_over else event, None if is_over else ends, zone, begins=begins, now=to_utc(str(row["changed_at"])))
    return f"{text}{told}"
