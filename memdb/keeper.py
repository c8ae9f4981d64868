"""The chain of first-person memories: events are gathered, told, consolidated and in time forgotten; it can be killed at any moment."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from memdb.config import Config
from memdb.daytime import day_type, part_of_day
from memdb.errors import ConflictError
from memdb.household import likeness, telling_words
from memdb.llm import LanguageModel, calls_of
from memdb.records import Event, Fact, Maintained, ModelCall, Narrative, NarrativeDetail, Turn
from memdb.steps.classify import classify
from memdb.steps.compose import compose
from memdb.steps.consolidate import Pattern, consolidate
from memdb.steps.decay import decay
from memdb.steps.generalize import generalize
from memdb.steps.narrate import narrate
from memdb.steps.segment import Segment, segment
from memdb.store import Database, Row, Store
from memdb.times import to_text, to_utc, utc_now

log = logging.getLogger("memdb")

EXPERIENCE = "household.experience"
PATTERN = "household.pattern"

_NAMESPACE = uuid.UUID("6d656d64-6500-5000-8000-000000000000")
_EXCERPT = 4_000  # characters of the events kept beside a memory
_CONFIDENCE = 0.7  # a memory is how it seemed


class _Withdrawn(Exception):
    """Ends a transaction whose work is not to be kept."""


def gather(db: Database, event: Event) -> bool:
    """Put an event where it waits for its segment, within the caller's transaction. Return False if it is there already.

    Raises:
        ConflictError: another event of this user has the same id and says something else.
    """
    existing = db.one("events.find", user_id=event.user_id, event_id=event.event_id)
    if existing is not None:
        if (existing["description"], existing["timestamp"]) != (event.description, to_text(event.timestamp)):
            raise ConflictError(f"User {event.user_id!r} already has another event {event.event_id!r}; give this one an id of its own.")
        return False
    db.run(
        "events.add",
        event_id=event.event_id,
        user_id=event.user_id,
        description=event.description,
        timestamp=to_text(event.timestamp),
        participants=json.dumps(list(event.participants), ensure_ascii=False),
        location=event.location,
        importance=event.importance,
        break_trigger=event.trigger,
        turn_id=event.turn_id,
    )
    return True


def gather_turn(db: Database, turn: Turn) -> None:
    """Let what was said in a turn count as an event, within the caller's transaction."""
    speaker = turn.speaker or turn.user_id
    if turn.user_input.strip():
        said = " ".join(turn.user_input.split())
        gather(
            db,
            Event(
                event_id=f"turn-{turn.turn_id}",
                user_id=turn.user_id,
                description=f"{speaker} said: {said}",
                timestamp=turn.timestamp,
                participants=(speaker,),
                turn_id=turn.turn_id,
            ),
        )


def events_due(db: Database, config: Config, *, now: datetime) -> bool:
    """Whether a segment is over and waits to be told."""
    return next(_due(db, config, now), None) is not None


def take_segment(store: Store, config: Config, llm: LanguageModel | None, *, now: datetime) -> str | None:
    """Tell the next segment that is over by `now` and write the memory. Return its id, or None if there was none.

    The time of a memory follows from its events alone, so that it makes no difference when, or how often, this is called.
    """
    db = store.database()
    found = next(_due(db, config, now), None)
    if found is None:
        return None
    part, ready_at = found
    narrative, calls, error = _tell(db, part, ready_at, llm, config)
    segment_id = uuid.uuid5(_NAMESPACE, json.dumps([part.events[0].user_id, [event.event_id for event in part.events]])).hex
    try:
        with db.transaction():
            _write_segment(db, part, segment_id, ready_at=ready_at, written_by=narrative.written_by, error=error)
            _keep_calls(db, calls, user_id=part.events[0].user_id, turn_id=segment_id, config=config)
            _write_memory(db, part, segment_id, narrative, ready_at=ready_at, config=config)
    except _Withdrawn:
        pass  # somebody else was first, perhaps with an event that came late
    return _memory_id(segment_id)


def reinforce(db: Database, accesses: Mapping[str, tuple[int, datetime]], *, config: Config) -> None:
    """Write down which memories were recalled, how often and when last, within the caller's transaction; each access makes one stronger."""
    for fact_id, (times, at) in accesses.items():
        db.run(
            "maintain.reinforce",
            fact_id=fact_id,
            times=times,
            at=to_text(at),
            max_importance=config.max_importance,
            access_reinforcement=config.access_reinforcement,
        )


def nights_due(db: Database, config: Config, *, now: datetime) -> list[datetime]:
    """Return the nights whose maintenance is still to be done by `now`, missed ones included, oldest first."""
    meta = {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}
    since = meta.get("maintained_at")
    if since is None:
        oldest = db.one("maintain.oldest")
        if oldest is None or oldest["created_at"] is None:
            return []
        since = str(oldest["created_at"])
    return list(nights_between(to_utc(since), now, config))


def take_night(
    store: Store,
    config: Config,
    llm: LanguageModel | None,
    *,
    user_id: str | None = None,
    now: datetime,
    scheduled: bool,
    dry_run: bool = False,
) -> Maintained:
    """Do one night's maintenance as of `now` for a user, or for everybody, in one transaction: consolidate, fade, archive, delete.

    Killed half-way, nothing of the night was done. A `scheduled` night that another process has done meanwhile is left out.
    """
    db = store.database()
    rows = db.all("maintain.repeatable", user_id=user_id, now=to_text(now))
    patterns = consolidate([Fact.model_validate_json(str(row["record"])) for row in rows], zone=config.zone, config=config)
    told = [_tell_pattern(one, None if dry_run else llm, config) for one in patterns]
    done = Maintained()
    try:
        with db.transaction():
            meta = {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}
            if scheduled and meta.get("maintained_at", "") >= to_text(now):
                return done
            into = [_write_pattern(db, pattern, *what, now=now, config=config) for pattern, what in zip(patterns, told, strict=True)]
            faded = decay(db, user_id=user_id, now=now, config=config)
            done = faded.model_copy(
                update={"nights": 1, "consolidated": sum(into), "patterns": sum(1 for count in into if count), "dry_run": dry_run}
            )
            if scheduled:
                db.run("meta.put", name="maintained_at", value=to_text(now))
            if dry_run:
                raise _Withdrawn
    except _Withdrawn:
        pass
    return done


def nights_between(since: datetime, now: datetime, config: Config) -> Iterator[datetime]:
    """Yield the instants of nightly maintenance after `since`, up to `now`."""
    day = since.astimezone(config.zone).date()
    while True:
        night = to_utc(datetime(day.year, day.month, day.day, config.consolidation_schedule_hour), zone=config.zone)
        if night > now:
            return
        if night > since:
            yield night
        day += timedelta(days=1)


def _due(db: Database, config: Config, now: datetime) -> Iterator[tuple[Segment, datetime]]:
    """The first segment of each user that is over, with the instant its memory is due by the cooldown."""
    for user in db.all("events.waiting_users"):
        rows = db.all("events.waiting", user_id=user["user_id"], now=to_text(now), max_events=config.max_events_per_segment)
        for part in segment([_event(row) for row in rows], now=now, zone=config.zone, config=config)[:1]:
            ready_at = _cooled(db, str(user["user_id"]), part.ready_at, config)
            if ready_at <= now:
                yield part, ready_at


def _cooled(db: Database, user_id: str, ready_at: datetime, config: Config) -> datetime:
    cooldown = timedelta(seconds=config.generation_cooldown_seconds)
    while cooldown:
        row = db.one("events.ready_between", user_id=user_id, after=to_text(ready_at - cooldown), until=to_text(ready_at))
        if row is None or row["ready_at"] is None:
            break
        ready_at = to_utc(str(row["ready_at"])) + cooldown
    return ready_at


def _event(row: Row) -> Event:
    return Event.model_validate({**row, "participants": json.loads(str(row["participants"]))})


def _tell(
    db: Database, part: Segment, ready_at: datetime, llm: LanguageModel | None, config: Config
) -> tuple[Narrative, tuple[ModelCall, ...], str | None]:
    """Tell a segment, with the model where there is one; when it fails in any way, the rules take its place and the record says so."""
    events = part.events
    names = sorted({name for event in events for name in event.participants})
    words = frozenset(telling_words("\n".join(event.description for event in events), names=names))
    rows = db.all(
        "events.like_it",
        user_id=events[0].user_id,
        time_of_day=part_of_day(part.started_at, config.zone),
        participants=json.dumps(names, ensure_ascii=False),
        now=to_text(ready_at),
    )
    alike = (likeness(words, frozenset(telling_words(str(row["source_excerpt"]), names=names))) for row in rows)
    seen_before = sum(one >= config.consolidation_similarity for one in alike)
    if llm is None:
        return narrate(events, seen_before=seen_before, zone=config.zone, config=config), (), None
    try:
        narrative, calls = compose(events, seen_before=seen_before, llm=llm, zone=config.zone, config=config)
        return narrative, calls, None
    except Exception as failure:  # a transport is foreign code; whatever it raises must not cost the user the memory
        log.warning("a memory of user %s is told by rules: %s", events[0].user_id, failure)
        plain = narrate(events, seen_before=seen_before, zone=config.zone, config=config)
        calls = calls_of(failure)
        try:
            sorted_in, more = classify(plain.content, llm=llm, config=config)
            update = {"memory_type": sorted_in.memory_type, "importance": sorted_in.importance}
            return plain.model_copy(update=update), (*calls, *more), str(failure)[:500]
        except Exception as again:
            return plain, (*calls, *calls_of(again)), str(failure)[:500]


def _memory_id(segment_id: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, segment_id))


def _write_segment(db: Database, part: Segment, segment_id: str, *, ready_at: datetime, written_by: str, error: str | None) -> None:
    user_id, event_ids = part.events[0].user_id, [event.event_id for event in part.events]
    written = db.run(
        "events.add_segment",
        segment_id=segment_id,
        user_id=user_id,
        started_at=to_text(part.started_at),
        ended_at=to_text(part.ended_at),
        closed_by=part.closed_by,
        ready_at=to_text(ready_at),
        written_by=written_by,
        error=error,
    )
    if not written or db.run("events.assign", user_id=user_id, segment_id=segment_id, event_ids=json.dumps(event_ids)) != len(event_ids):
        raise _Withdrawn


def _write_memory(db: Database, part: Segment, segment_id: str, narrative: Narrative, *, ready_at: datetime, config: Config) -> None:
    places = [event.location for event in part.events if event.location]
    detail = NarrativeDetail(
        emotion=narrative.emotion,
        participants=narrative.participants,
        location=max(places, key=places.count) if places else None,
        time_of_day=part_of_day(part.started_at, config.zone),
        day_type=day_type(part.started_at, config.zone),
        source_event_ids=tuple(event.event_id for event in part.events),
        segment_id=segment_id,
        segment_start=part.started_at,
        segment_end=part.ended_at,
        written_by=narrative.written_by,
    )
    _insert(
        db,
        narrative,
        detail,
        fact_id=_memory_id(segment_id),
        user_id=part.events[0].user_id,
        key=EXPERIENCE,
        source=segment_id,
        excerpt="\n".join(dict.fromkeys(" ".join(event.description.split()) for event in part.events))[:_EXCERPT],
        at=ready_at,
        config=config,
    )


def _tell_pattern(one: Pattern, llm: LanguageModel | None, config: Config) -> tuple[Narrative, tuple[ModelCall, ...]]:
    if one.pattern is not None:
        known = NarrativeDetail.model_validate(one.pattern.value_json)
        if known.written_by != "rules":  # a model's words say no number, and stay true when it is seen again
            kept = {"content": one.pattern.value_text, "tags": one.pattern.tags, "written_by": known.written_by}
            return one.narrative.model_copy(update=kept), ()
    if llm is None:
        return one.narrative, ()
    try:
        memories = [memory.value_text for memory in one.sources][:10]
        return generalize(one.narrative, memories=memories, detail=one.detail, llm=llm, config=config)
    except Exception as failure:  # as above
        log.warning("a pattern of user %s is told by rules: %s", one.user_id, failure)
        return one.narrative, calls_of(failure)


def _write_pattern(db: Database, one: Pattern, narrative: Narrative, calls: Sequence[ModelCall], *, now: datetime, config: Config) -> int:
    """Write a pattern and archive what went into it; return how many memories that were, none if one of them has changed meanwhile."""
    source_ids = sorted(memory.fact_id for memory in one.sources)
    wanted = [*source_ids, *([one.pattern.fact_id] if one.pattern else [])]
    active = db.one("maintain.still_active", fact_ids=json.dumps(wanted))
    if active is None or active["active"] != len(wanted):
        return 0
    detail = one.detail.model_copy(update={"written_by": narrative.written_by})
    fact_id = one.pattern.fact_id if one.pattern else str(uuid.uuid5(_NAMESPACE, json.dumps([one.user_id, source_ids])))
    if one.pattern is None:
        _insert(
            db, narrative, detail, fact_id=fact_id, user_id=one.user_id, key=PATTERN, source=f"maintain-{to_text(now)}",
            excerpt="\n".join(one.lines), at=now, config=config,
        )  # fmt: skip
    _keep_calls(db, calls, user_id=one.user_id, turn_id=fact_id, config=config)
    for memory in one.sources:
        db.run("apply.link", source_id=memory.fact_id, target_id=fact_id, relation="supports", now=to_text(now))
    db.run(  # after the links, so that the words of the new memories are indexed too
        "maintain.grow",
        fact_id=fact_id,
        value_text=narrative.content,
        value_json=detail.model_dump_json(),
        seen_count=one.seen,
        importance=narrative.importance,
        now=to_text(now),
    )
    gone = db.all("maintain.consolidated", fact_ids=json.dumps(source_ids), now=to_text(now))
    for row in gone:
        db.run(
            "maintain.history",
            fact_id=row["fact_id"],
            user_id=row["user_id"],
            key=row["key"],
            reason=f"consolidated into the pattern {fact_id}",
            turn_id=f"maintain-{to_text(now)}",
            now=to_text(now),
        )
    return len(gone)


def _insert(
    db: Database,
    narrative: Narrative,
    detail: NarrativeDetail,
    *,
    fact_id: str,
    user_id: str,
    key: str,
    source: str,
    excerpt: str,
    at: datetime,
    config: Config,
) -> None:
    db.run(
        "apply.insert_fact",
        fact_id=fact_id,
        user_id=user_id,
        kind="narrative",
        key=key,
        value_text=narrative.content,
        value_json=detail.model_dump_json(),
        category="other",
        memory_type=narrative.memory_type,
        confidence=_CONFIDENCE,
        importance=min(config.max_importance, narrative.importance),
        source="inferred",
        speaker=None,
        event_time=to_text(detail.segment_start),
        valid_from=to_text(detail.segment_start),
        valid_to=None,
        status="active",
        source_turn_id=source,
        source_excerpt=excerpt or narrative.content,
        session_id=None,
        tags=json.dumps(list(narrative.tags), ensure_ascii=False),
        now=to_text(at),
    )
    db.run(
        "maintain.decay",
        user_id=user_id,
        now=to_text(at),
        fact_id=fact_id,
        minimum_importance=config.minimum_importance,
        max_importance=config.max_importance,
        base_half_life_days=config.base_half_life_days,
    )


def _keep_calls(db: Database, calls: Sequence[ModelCall], *, user_id: str, turn_id: str, config: Config) -> None:
    if config.keep_model_calls:
        for call in calls:
            db.run("apply.model_call", user_id=user_id, turn_id=turn_id, now=to_text(utc_now()), **call.model_dump())
