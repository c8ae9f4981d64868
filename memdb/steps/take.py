"""Take turns in: each waits to be thought about, and what was said in it is remembered at once, as messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from memdb.database import Database, SqlValue
from memdb.emotions import mood_of
from memdb.errors import ConflictError
from memdb.ids import MESSAGES, id_of
from memdb.keys import canonical_key
from memdb.records import Turn, source_of
from memdb.segments import newest
from memdb.times import in_zone, to_text
from memdb.told_times import days_told, told_in

_MANY = 16  # messages; for fewer, the triggers are quicker than planning every statement anew


def take(db: Database, turns: Sequence[Turn], *, received_at: datetime, zone: tzinfo) -> list[Turn]:
    """Queue turns and remember their messages, within the caller's transaction; return those that were not there already.

    Raises:
        ConflictError: another turn of this user has the same id and says something else.
    """
    new = [turn for turn in turns if _queue(db, turn, received_at=received_at, zone=zone)]
    messages = [message for turn in new for message in _messages(turn, zone=zone)]
    if len(messages) >= _MANY and not db.all("insert.strange"):
        _remember_at_once(db, messages)
    else:
        db.run_many("apply.insert_fact", messages)
    return new


def _queue(db: Database, turn: Turn, *, received_at: datetime, zone: tzinfo) -> bool:
    existing = db.one("queue.find", user_id=turn.user_id, turn_id=turn.turn_id)
    if existing is not None:
        if (existing["user_input"], existing["assistant_response"]) != (turn.user_input, turn.assistant_response):
            raise ConflictError(f"User {turn.user_id!r} already has another turn {turn.turn_id!r}; give this one an id of its own.")
        return False
    db.run(
        "queue.add",
        turn_id=turn.turn_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        speaker=turn.speaker,
        user_input=turn.user_input,
        assistant_response=turn.assistant_response,
        timestamp=to_text(turn.timestamp),
        now=to_text(received_at),
    )
    day = None if turn.session_id is not None else in_zone(turn.timestamp, zone).date().isoformat()
    named = turn.session_id or f"day-{day}"
    db.run("queue.touch_session", user_id=turn.user_id, session_id=named, timestamp=to_text(turn.timestamp), day=day)
    return True


def _messages(turn: Turn, *, zone: tzinfo) -> Iterator[dict[str, SqlValue]]:
    if turn.user_input:
        yield _message(turn, turn.speaker or "user", turn.user_input, zone=zone)
    if turn.assistant_response:
        yield _message(turn, "assistant", turn.assistant_response, zone=zone)


def _message(turn: Turn, speaker: str, text: str, *, zone: tzinfo) -> dict[str, SqlValue]:
    language = told_in(text)
    tells_of, also_on = days_told(text, language, at=turn.timestamp, zone=zone)
    mood = mood_of(text, language)
    return {
        "fact_id": str(id_of(MESSAGES, turn.user_id, turn.turn_id, speaker)),
        "user_id": turn.user_id,
        "kind": "message",
        "key": canonical_key(speaker, "said"),
        "value_text": text,
        "value_json": json.dumps({"also_on": [str(day) for day in also_on]}) if also_on else None,  # what else it tells of
        "category": "other",
        "memory_type": None,
        "confidence": 1.0,
        "importance": 0.2,
        "source": source_of(speaker),
        "speaker": speaker,
        "event_time": to_text(tells_of) if tells_of else None,  # what it tells of; when it was said is valid_from
        "valid_from": to_text(turn.timestamp),
        "valid_to": None,
        "status": "active",
        "source_turn_id": turn.turn_id,
        "source_excerpt": text,
        "session_id": turn.session_id,
        "tags": json.dumps([f"emotion:{mood}"] if mood else []),
        "now": to_text(turn.timestamp),
    }


def _remember_at_once(db: Database, messages: Sequence[dict[str, SqlValue]]) -> None:
    """Write messages, and do for all of them together what the triggers do for each: those write the words of a message three times."""
    last = newest(db)
    with db.untriggered():
        db.run_many("apply.insert_fact", messages)
    before = [(row["id"], row["one_before"]) for row in db.all("take.before", last=last)]
    words = json.dumps([id for ids in before for id in ids])
    db.run("take.gone", before=words)
    db.run("take.words", before=words, last=last)
    db.run("take.waiting", before=json.dumps([id for id, _ in before]), last=last)
    db.run("insert.mirrored", last=last)
