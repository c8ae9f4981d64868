"""Episodes of what was said, and notes upon it, one session or user at a time; killed, it is done again, and no model is asked twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache

from memdb import stored
from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.identity import at_work, is_gone, new_identity
from memdb.ids import EPISODES, id_of
from memdb.llm import LanguageModel
from memdb.observer import decide
from memdb.privacy import quotable, quotable_together
from memdb.reading import read_consent
from memdb.recording import Origin, keep_calls, read_fact
from memdb.records import Candidate, Case, Consent, Fact
from memdb.steps.gate import gate
from memdb.steps.reflect import Reflection, Said, reflect
from memdb.steps.summarize import Summary, summarize
from memdb.times import in_zone, to_text, to_utc, utc_now

_MOOD = "emotion:"
_MOST_READ = 5_000  # messages for a reflection: fifty-five a day over ninety days


def take_upkeep(
    db: Database, *, user_id: str | None, now: datetime, config: Config, llm: LanguageModel | None, served: dict[str, str] | None = None
) -> Maintained | None:  # fmt: skip
    """Summarise one session, or reflect upon one user, if that is due by `now`; return what was done, or None if nothing was due.

    Users take turns where `served` tells whom the step before was for (see `Store.served`). Whoever does it holds the user meanwhile.
    Killed, it is done again by whoever comes next; written is all of it or nothing.
    """
    hot, worker = to_text(now - timedelta(days=config.hot_days)), new_identity()
    gone = [row for row in db.all("upkeep.claimants") if is_gone(str(row["claimed_by"]))]
    after = None if served is None else served.get("upkeep")
    if not gone and not _due(db, user_id, hot, config, after):  # a look costs no lock
        return None
    with at_work(worker):
        with db.transaction():
            for row in gone:
                db.run("upkeep.release", user_id=row["user_id"], worker=row["claimed_by"])
            due = _due(db, user_id, hot, config, after)
            if due is None:
                return None
            lease = max(config.lease_seconds, config.model_timeout_seconds * config.model_attempts)
            db.run("upkeep.claim", user_id=due["user_id"], worker=worker, until=to_text(utc_now() + timedelta(seconds=lease)))
        if served is not None:
            served["upkeep"] = str(due["user_id"])
        return (_summarise if "session_id" in due else _reflect)(db, due, worker, config, llm)


def _due(db: Database, user_id: str | None, hot: str, config: Config, after: str | None) -> Row | None:
    at = to_text(utc_now())
    session = db.one("upkeep.session", user_id=user_id, hot=hot, now=at, after=after)
    return session or db.one("upkeep.unreflected", user_id=user_id, turns=config.reflect_every_turns, now=at, after=after)


def _summarise(db: Database, session: Row, worker: str, config: Config, llm: LanguageModel | None) -> Maintained:
    """Write the episode of a session, if it says anything that no message says alone, and has not gone on meanwhile."""
    owner, name = str(session["user_id"]), str(session["session_id"])
    consent = read_consent(db, user_id=owner, config=config)  # a secret that is cut in two is none any more: it is looked for in the whole
    said = _messages(db, session, config)
    texts = quotable_together([message.value_text for message in said], consent)
    messages = [message.model_copy(update={"value_text": text}) for message, text in zip(said, texts, strict=True)]
    summary = summarize(messages, llm=llm)
    with db.transaction():
        if not db.all("upkeep.release", user_id=owner, worker=worker):
            return Maintained()  # it took too long, and somebody else is at it
        keep_calls(db, summary.calls, user_id=owner, turn_id=f"episode-{name}", now=utc_now(), config=config)
        if not db.all("upkeep.summarised", user_id=owner, session_id=name, turns=session["turns"]) or not summary.text:
            return Maintained()
        if summary.repeats and read_fact(db, _episode_id(owner, name)) is None:
            return Maintained()  # a search would find the same words twice
        told = _tell(db, summary, messages, name, read_consent(db, user_id=owner, config=config), config)
    return Maintained(episodes=told)


def _messages(db: Database, session: Row, config: Config) -> list[Fact]:
    """What was said in a session, or on a day in no session."""
    begins = ends = None
    if session["day"] is not None:
        with stored.reading(db, rows=(session,)):
            day = date.fromisoformat(str(session["day"]))
        midnights = [datetime(one.year, one.month, one.day, tzinfo=config.zone) for one in (day, day + timedelta(days=1))]
        begins, ends = map(to_text, midnights)
    named = None if begins else session["session_id"]
    return stored.facts(db, db.all("upkeep.messages", user_id=session["user_id"], session_id=named, begins=begins, ends=ends))


def _tell(db: Database, summary: Summary, messages: Sequence[Fact], session_id: str, consent: Consent, config: Config) -> int:
    first, last = messages[0], messages[-1]
    text = quotable(summary.text, consent)
    details = {
        "subject": "user", "predicate": "episode", "object": text,
        "turn_range": [first.source_turn_id, last.source_turn_id], "timestamp_start": to_text(first.valid_from),
        "timestamp_end": to_text(last.valid_from), "by": summary.by, "session": session_id,
    }  # fmt: skip
    return db.run(
        "upkeep.tell",
        fact_id=_episode_id(first.user_id, session_id),
        user_id=first.user_id,
        value_text=text,
        value_json=json.dumps(details, ensure_ascii=False),
        confidence=config.reflection_confidence,
        event_time=to_text(first.valid_from),
        valid_from=to_text(last.valid_from),
        source_turn_id=f"episode-{session_id}",
        session_id=first.session_id,
        tags=json.dumps(sorted({tag for message in messages for tag in message.tags}), ensure_ascii=False),
    )


def _episode_id(user_id: str, session_id: str) -> str:
    return id_of(EPISODES, user_id, session_id)


def _reflect(db: Database, user: Row, worker: str, config: Config, llm: LanguageModel | None) -> Maintained:
    """Draw notes from what a user had said lately; the same note drawn again is agreement, which makes it count for more."""
    owner, every = str(user["user_id"]), config.reflect_every_turns
    turn = db.one("upkeep.reflection_at", user_id=owner, reflected_id=user["reflected_id"], turns=every) or {}
    drawn, at = Reflection(notes=(), by="rules"), utc_now()
    if turn:
        at = to_utc(str(turn["timestamp"]))
        since = to_text(at - timedelta(days=config.reflect_days))
        rows = db.tuples("upkeep.lately", user_id=owner, since=since, id=turn["id"], reflected_id=user["reflected_id"], most=_MOST_READ)
        consent = read_consent(db, user_id=owner, config=config)
        with stored.reading(db, user_id=owner):
            told = [_said(row, config.zone) for row in rows]
        drawn = reflect(told, days=config.promote_days, consent=consent, llm=llm)
    origin, cause = "rules" if drawn.by == "rules" else "llm_reflection", f"reflection-{turn.get('turn_id')!s}"
    written = 0
    with db.transaction():
        if not db.all("upkeep.release", user_id=owner, worker=worker):
            return Maintained()  # as above
        keep_calls(db, drawn.calls, user_id=owner, turn_id=cause, now=utc_now(), config=config)
        for note in drawn.notes:
            cited = Origin(
                user_id=owner, turn_id=cause, now=at, kind="note", source="inferred", confidence=config.reflection_confidence
            )  # fmt: skip
            written += _note(db, note, {"origin": origin, "by": drawn.by}, origin=cited, config=config)
        db.run("upkeep.reflected", user_id=owner, id=turn.get("id", user["reflected_id"]))
    return Maintained(notes=written)


def _said(row: Sequence[SqlValue], zone: tzinfo) -> Said:
    """What a row of upkeep.lately tells."""
    text, at, tags, fresh = row
    return Said(str(text), _day_of(str(at), zone), _moods_of(str(tags)), bool(fresh))


@lru_cache(maxsize=16_384)  # one reflection after the other reads the same messages
def _day_of(at: str, zone: tzinfo) -> str:
    return in_zone(to_utc(at), zone).date().isoformat()


@lru_cache(maxsize=4_096)
def _moods_of(tags: str) -> tuple[str, ...]:
    return tuple(tag.removeprefix(_MOOD) for tag in json.loads(tags) if tag.startswith(_MOOD))


def _note(db: Database, text: str, told: Mapping[str, str], *, origin: Origin, config: Config) -> bool:
    """Keep a note, within the caller's transaction, if its user lets it be kept; return whether. No embedder is asked under the lock."""
    consent, predicates = read_consent(db, user_id=origin.user_id, config=config), stored.predicates(db)
    candidate = Candidate(
        key="user.note", value_text=text, object=text, category="other", confidence=1.0, excerpt=text, explicit=True,
        value_json={**told, "subject": "user", "predicate": "note", "object": text},
    )  # fmt: skip
    passed = gate([Case(candidate=candidate, beliefs=())], consent=consent, predicates=predicates, config=config).cases
    for case in passed:
        decide(db, case.candidate, origin=origin, predicates=predicates, config=config, consent=consent)
    return bool(passed)
