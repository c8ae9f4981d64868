"""The upkeep chain: episodes, open loops, reflection, promotion, and the archive. Every part may be repeated safely."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

from memdb.config import Config
from memdb.llm import LanguageModel
from memdb.records import Fact, Item, Maintained, Operation, Turn
from memdb.steps.apply import Origin, move, put, read_fact
from memdb.steps.loops import loops
from memdb.steps.reflect import reflect
from memdb.steps.summarize import summarize
from memdb.store import Database, Row
from memdb.times import to_text

Keep = Callable[[Item, str, str, datetime], Fact | None]
"""Stores an item of a user, as learned from a turn at a time, and returns the fact that stands for it; None if it may not be kept."""

_SESSIONS = 1_000  # a run
_TURNS = 5_000


def maintain(
    db: Database, *, user_id: str | None, keep: Keep, now: datetime, config: Config, llm: LanguageModel | None
) -> Maintained:  # fmt: skip
    """Do what is due for a user, or for everybody, and return how much it was. A model is asked outside any transaction."""
    opened, done = _loops(db, user_id, keep, now, config)
    return Maintained(
        episodes=_episodes(db, user_id, keep, now, config, llm),
        tasks_opened=opened,
        tasks_done=done,
        tasks_stalled=_stall(db, user_id, now, config),
        notes=_reflect(db, user_id, keep, now, config, llm),
        promoted=_each(db, "recurring", "promote", "update", "said again on several days", now, user_id=user_id, now=to_text(now),
                       days=config.promote_days, priority=config.promote_priority),
        notes_archived=_each(db, "surplus", "archive", "archive", "more notes than are kept", now, user_id=user_id, now=to_text(now),
                             keep=config.reflection_limit),
        versions_archived=_versions(db, user_id, now, config),
    )  # fmt: skip


def _episodes(db: Database, user_id: str | None, keep: Keep, now: datetime, config: Config, llm: LanguageModel | None) -> int:
    """Summarise the sessions that are over, or have become warm."""
    written = 0
    hot = to_text(now - timedelta(days=config.hot_days))
    for session in db.all("upkeep.sessions", user_id=user_id, hot=hot, limit=_SESSIONS):
        owner, name = str(session["user_id"]), str(session["session_id"])
        messages = _facts(db.all("upkeep.messages", user_id=owner, session_id=name))
        summary = summarize(messages, llm=llm)
        if summary is None:
            continue
        first, last = messages[0], messages[-1]
        item = Item(
            kind="episode", key="user.episode", text=summary.text, confidence=config.reflection_confidence, source="inferred",
            session_id=name, event_time=first.valid_from, tags=tuple(sorted({tag for message in messages for tag in message.tags})),
            details={
                "turn_range": [first.source_turn_id, last.source_turn_id], "timestamp_start": to_text(first.valid_from),
                "timestamp_end": to_text(last.valid_from), "by": summary.by,
            },
        )  # fmt: skip
        written += keep(item, owner, f"episode-{name}", last.valid_from) is not None
    return written


def _loops(db: Database, user_id: str | None, keep: Keep, now: datetime, config: Config) -> tuple[int, int]:
    """Open and close tasks by what the turns say that were not looked through yet."""
    opened = closed = 0
    for row in db.all("upkeep.unlooped", user_id=user_id, limit=_TURNS):
        turn = Turn.model_validate(row)
        found = loops(turn, _facts(db.all("upkeep.open_tasks", user_id=turn.user_id)), zone=config.zone)
        for loop in found.opened:
            details = {"state": "active", "origin": "promise" if loop.promised else "open_loop"}
            item = Item(
                kind="task", key="user.task", text=loop.title, confidence=config.reflection_confidence, event_time=loop.due,
                session_id=turn.session_id, source="assistant_message" if loop.promised else "user_message", details={**details},
            )  # fmt: skip
            opened += keep(item, turn.user_id, f"loop-{turn.turn_id}", turn.timestamp) is not None
        with db.transaction():
            for fact_id in found.done:
                _move(db, fact_id, "done", f"said to be done in turn {turn.turn_id}", turn.timestamp)
                closed += 1
            db.run("upkeep.looped", user_id=turn.user_id, id=row["id"])
    return opened, closed


def _stall(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    before = to_text(now - timedelta(days=config.task_stalls_after_days))
    with db.transaction():
        rows = db.all("task.stalled", user_id=user_id, before=before, now=to_text(now))
        for row in rows:
            _move(db, str(row["fact_id"]), "stalled", "nobody spoke of it for long, or its day has gone by", now)
    return len(rows)


def _move(db: Database, fact_id: str, state: str, reason: str, now: datetime) -> None:
    fact = read_fact(db, fact_id)
    assert fact is not None
    origin = Origin(user_id=fact.user_id, turn_id=f"maintain-{uuid.uuid4().hex}", now=now)
    move(db, fact, state="done" if state == "done" else "stalled", origin=origin, reason=reason)


def _reflect(db: Database, user_id: str | None, keep: Keep, now: datetime, config: Config, llm: LanguageModel | None) -> int:
    """Draw notes from what a user said lately; the same note drawn again is agreement, which makes it count for more."""
    written = 0
    since = to_text(now - timedelta(days=config.reflect_days))
    for row in db.all("upkeep.unreflected", user_id=user_id, turns=config.reflect_every_turns):
        owner = str(row["user_id"])
        messages = _facts(db.all("upkeep.lately", user_id=owner, since=since, now=to_text(now)))
        drawn = reflect(messages, days=config.promote_days, llm=llm)
        origin = "rules" if drawn.by == "rules" else "llm_reflection"
        for note in drawn.notes:
            told = {"origin": origin, "by": drawn.by}
            item = Item(kind="note", text=note, confidence=config.reflection_confidence, source="inferred", details={**told})
            written += keep(item, owner, f"reflection-{to_text(now)}", now) is not None
        with db.transaction():
            db.run("upkeep.reflected", user_id=owner, now=to_text(now))
    return written


def _each(db: Database, which: str, change: str, operation: Operation, reason: str, at: datetime, **values: str | float | None) -> int:
    with db.transaction():
        rows = db.all(f"upkeep.{which}", **values)
        for row in rows:
            fact = read_fact(db, str(row["fact_id"]))
            assert fact is not None
            origin = Origin(user_id=fact.user_id, turn_id=f"maintain-{uuid.uuid4().hex}", now=at)
            put(db, fact, change, origin=origin, operation=operation, reason=reason)
    return len(rows)


def _versions(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    with db.transaction():
        moved = db.all("upkeep.old_versions", user_id=user_id, keep=config.fact_versions, now=to_text(now))
        db.run("upkeep.drop_archived", user_id=user_id)
    return len(moved)


def _facts(rows: list[Row]) -> list[Fact]:
    return [Fact.model_validate_json(str(row["record"])) for row in rows]
