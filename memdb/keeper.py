"""The chain that makes first-person memories: events are gathered and told; it can be killed at any moment."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row
from memdb.daytime import day_type, part_of_day
from memdb.errors import ConflictError
from memdb.household import likeness
from memdb.ids import MEMORIES, id_of
from memdb.llm import calls_of
from memdb.names import one_each, spelled
from memdb.narratives import Narrative, NarrativeDetail
from memdb.narrator import Narrator
from memdb.people import with_people, with_subject
from memdb.privacy import quotable_together
from memdb.reading import read_consent
from memdb.recording import Origin, keep_calls, record
from memdb.records import Event, ModelCall, Turn, source_of
from memdb.steps.classify import classify
from memdb.steps.compose import compose
from memdb.steps.decay import reckon
from memdb.steps.keep import keep
from memdb.steps.narrate import narrate
from memdb.steps.segment import Segment, segment
from memdb.store import Store
from memdb.times import to_text, to_utc, utc_now
from memdb.words_apart import words_apart

log = logging.getLogger("memdb")

EXPERIENCE = "household.experience"

_LOOKED_BACK = 400  # memories among which something like a new one is looked for
_EARLIER, _LIKE = 3, 0.2  # earlier memories that a model is shown, and how much of their words they have in common with the events
_EXCERPT = 4_000  # characters of the events kept beside a memory


class _Withdrawn(Exception):
    """Ends a transaction whose work is not to be kept."""


def gather(db: Database, event: Event, *, dated: bool = True) -> bool:
    """Put an event where it waits for its segment, within the caller's transaction. Return False if it is there already.

    Whoever takes it again need not say again what is left out the second time; without `dated`, nor when it happened.

    Raises:
        ConflictError: another event of this user has the same id and says something else.
    """
    existing = db.one("events.find", user_id=event.user_id, event_id=event.event_id)
    if existing is not None:
        (known,) = _events(db, [{**existing, "user_id": event.user_id, "event_id": event.event_id}])
        said = {name for name, value in event if value not in (None, ())} - (set() if dated else {"timestamp"})
        if any(getattr(known, name) != getattr(event, name) for name in said):
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
    """Let what a person said in a turn count as an event, within the caller's transaction; it is the assistant who remembers it."""
    speaker = turn.speaker if turn.speaker and turn.speaker.casefold() != "user" else turn.user_id
    if turn.user_input.strip() and source_of(speaker) == "user_message":
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
    return next(_due(db, config, now, None), None) is not None


def take_segment(store: Store, config: Config, narrator: Narrator | None, *, now: datetime) -> str | None:
    """Tell the next segment that is over by `now` and write the memory. Return its id, or None if there was none. Users take turns.

    The time of a memory follows from its events alone, so that it makes no difference when, or how often, this is called.
    """
    db = store.database()
    found = next(_due(db, config, now, store.served.get("segments")), None)
    if found is None:
        return None
    part, ready_at = found
    store.served["segments"] = part.events[0].user_id
    shown: dict[str, str] = {}
    part = _peopled(db, _sayable(db, part, config), ready_at, config)
    narrative, calls, error = _tell(db, part, ready_at, narrator, config, shown)
    segment_id = id_of(MEMORIES, part.events[0].user_id, [event.event_id for event in part.events]).replace("-", "")
    try:
        with db.transaction():
            if (db.one("events.still_there", fact_ids=json.dumps(list(shown))) or {})["there"] != len(shown):
                raise _Withdrawn  # what the model was shown is forgotten by now
            _write_segment(db, part, segment_id, ready_at=ready_at, written_by=narrative.written_by, error=error)
            keep_calls(db, calls, user_id=part.events[0].user_id, turn_id=segment_id, now=utc_now(), config=config)
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


def _due(db: Database, config: Config, now: datetime, after: str | None) -> Iterator[tuple[Segment, datetime]]:
    """The first segment of each user that is over, with the instant its memory is due by the cooldown: first of those behind `after`."""
    users = db.all("events.waiting_users", before=to_text(now - timedelta(minutes=config.event_buffer_minutes)))
    for user in users if after is None else sorted(users, key=lambda user: str(user["user_id"]) <= after):
        rows = db.all("events.waiting", user_id=user["user_id"], now=to_text(now), max_events=config.max_events_per_segment)
        happened = [with_subject(event) for event in _events(db, rows)]
        for part in segment(happened, now=now, zone=config.zone, config=config)[:1]:
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


def _events(db: Database, rows: Sequence[Row]) -> list[Event]:
    return stored.rows_as(Event, db, rows, parsed=("participants",))


def _tell(
    db: Database, part: Segment, ready_at: datetime, narrator: Narrator | None, config: Config, shown: dict[str, str]
) -> tuple[Narrative, tuple[ModelCall, ...], str | None]:
    """Tell a segment, with the model where there is one that may be asked; the earlier memories that it is `shown` are noted there.

    When it may not, or fails in any way, the rules take its place and the record says so.
    """
    events = part.events
    names = sorted(one_each(name for event in events for name in event.participants))
    words = words_apart("\n".join(event.description for event in events), names=names)
    rows = db.all(
        "events.like_it",
        user_id=events[0].user_id,
        time_of_day=part_of_day(part.started_at, config.zone),
        people=len(names),
        spelled=json.dumps(spelled(names), ensure_ascii=False),
        now=to_text(ready_at),
        looked_back=_LOOKED_BACK,
    )
    alike = (likeness(words, words_apart(str(row["source_excerpt"]), names=names)) for row in rows)
    seen_before = sum(one >= config.consolidation_similarity for one in alike)
    plain = narrate(events, seen_before=seen_before, zone=config.zone, config=config)
    if narrator is None:
        return plain, (), None
    if why := narrator.refuses(events[0].user_id):
        return plain, (), why
    llm = narrator.llm
    try:
        shown |= _earlier(db, events[0].user_id, words, names=names, now=ready_at)
        narrative, calls = compose(events, seen_before=seen_before, earlier=list(shown.values()), llm=llm, zone=config.zone, config=config)
        narrator.heard(usable=True)
        return _settled(narrative, plain, events, config), calls, None
    except Exception as failure:  # a transport is foreign code; whatever it raises must not cost the user the memory
        log.warning("a memory of user %s is told by rules: %s", events[0].user_id, failure)
        calls = calls_of(failure)
        usable = bool(calls) and calls[-1].error is None  # it answered, only not the truth
        narrator.heard(usable=usable)
        if not usable:
            return plain, calls, str(failure)[:500]
        try:
            sorted_in, more = classify(plain.content, llm=llm, config=config)
            update = {"memory_type": sorted_in.memory_type, "importance": sorted_in.importance}
            settled = _settled(plain.model_copy(update=update), plain, events, config)
            anew = narrate(events, seen_before=seen_before, zone=config.zone, config=config, sorted_as=settled.memory_type)
            return settled.model_copy(update={"content": anew.content}), (*calls, *more), str(failure)[:500]
        except Exception as again:
            return plain, (*calls, *calls_of(again)), str(failure)[:500]


def _earlier(db: Database, user_id: str, words: Set[str], *, names: Sequence[str], now: datetime) -> dict[str, str]:
    """By their ids, the memories whose events are likest to these words, the likest first, of the like ones the latest; told alike, one."""
    rows = db.all("events.earlier", user_id=user_id, now=to_text(now), looked_back=_LOOKED_BACK)
    alike = [(likeness(words, words_apart(str(row["source_excerpt"]), names=names)), row) for row in rows]
    ordered = sorted((one for one in alike if one[0] >= _LIKE), key=lambda one: -one[0])
    first: dict[str, str] = {}  # of each text
    for _share, row in ordered:
        first.setdefault(str(row["value_text"]), str(row["fact_id"]))
    return {fact_id: text for text, fact_id in list(first.items())[:_EARLIER]}


def _settled(narrative: Narrative, plain: Narrative, events: Sequence[Event], config: Config) -> Narrative:
    """Hold how a model sorts a memory against what is known: what an event says of its own importance, and what SIGNIFICANT means."""
    stated = [event.importance for event in events if event.importance is not None]
    guessed = [narrative.importance] if len(stated) < len(events) else []
    importance, memory_type = max([*guessed, *stated]), narrative.memory_type
    if any(event.trigger == "significant_event" for event in events) or max(stated, default=0.0) > config.significant_importance:
        importance, memory_type = max(importance, config.significant_importance), "SIGNIFICANT"
    elif memory_type == "SIGNIFICANT" and importance <= config.significant_importance:
        memory_type = plain.memory_type  # small models find everything significant, and only half mean it
    return narrative.model_copy(update={"memory_type": memory_type, "importance": importance, "tags": narrative.tags or plain.tags})


def _sayable(db: Database, part: Segment, config: Config) -> Segment:
    """A segment whose events are told without secrets, unless their user lets them be kept; the events themselves stay as they came."""
    consent = read_consent(db, user_id=part.events[0].user_id, config=config)
    texts = quotable_together([event.description for event in part.events], consent)
    told = [event.model_copy(update={"description": text}) for event, text in zip(part.events, texts, strict=True)]
    return part.model_copy(update={"events": tuple(told)})


def _peopled(db: Database, part: Segment, ready_at: datetime, config: Config) -> Segment:
    """A segment whose events tell all who took part, and not only those given; the events themselves stay as they came."""
    rows = db.all("events.people", user_id=part.events[0].user_id, now=to_text(ready_at), looked_back=_LOOKED_BACK)
    known = one_each([*(name for event in part.events for name in event.participants), *(str(row["name"]) for row in rows)])
    events = tuple(with_people(event, known=known, persona=config.persona_name) for event in part.events)
    return part.model_copy(update={"events": events})


def _memory_id(segment_id: str) -> str:
    return str(uuid.uuid5(MEMORIES, segment_id))


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
    fact_id, user_id = _memory_id(segment_id), part.events[0].user_id
    keep(
        db,
        narrative,
        detail,
        fact_id=fact_id,
        user_id=user_id,
        key=EXPERIENCE,
        source=segment_id,
        excerpt="\n".join(dict.fromkeys(" ".join(event.description.split()) for event in part.events))[:_EXCERPT],
        at=ready_at,
        config=config,
    )
    reckon(db, [fact_id], since=ready_at, now=ready_at, config=config)
    record(db, fact_id, "insert", f"told by {narrative.written_by}", origin=Origin(user_id=user_id, turn_id=segment_id, now=ready_at))
