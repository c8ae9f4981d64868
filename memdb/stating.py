"""What an application states by itself: kept as far as its user lets it be, weighed like what a turn says, and never twice."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import cast, get_args

from pydantic import JsonValue, ValidationError

from memdb import checks, reading, stored
from memdb.answers import Rejected, Written
from memdb.beliefs import case_of
from memdb.config import Config
from memdb.database import Database
from memdb.deciding import set_task
from memdb.denial import as_meant, undenied
from memdb.embed import Embedder
from memdb.errors import BusyError, InputError, ModelUnavailable
from memdb.keys import normalise, predicate_of, slug
from memdb.observer import decide
from memdb.privacy import secret_in_text
from memdb.reading import read_consent
from memdb.recording import Origin, action_hash_of, read_fact
from memdb.records import (
    LIVE,
    Action,
    Candidate,
    Case,
    Category,
    Consent,
    Fact,
    Item,
    MemoryType,
    Predicate,
    Procedure,
    Source,
    TaskState,
    as_parts,
    parts_of,
    state_of,
)
from memdb.since import comes_late
from memdb.steps.admit import admit
from memdb.steps.decay import reckon
from memdb.steps.gate import gate
from memdb.steps.sync import sync
from memdb.thinking import compare_meanings
from memdb.times import instant, span_of, to_text, utc_now
from memdb.wording import value_behind

_LEARNED = 0.6  # how much a way of doing something counts where nobody says


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """What an application states of a user, as it was given; `Memory.remember` explains each of it."""

    value_text: str
    user_id: str
    key: str | None = None
    kind: str = "fact"
    object: str | None = None
    value_json: JsonValue = None
    category: Category | None = None
    memory_type: MemoryType | None = None
    confidence: float | None = None
    importance: float | None = None
    source: Source = "user_message"
    event_time: date | str | None = None
    valid_from: date | str | None = None
    valid_to: date | str | None = None
    tags: Sequence[str] = ()
    session_id: str | None = None
    turn_id: str | None = None
    timestamp: date | str | None = None


def remember(db: Database, given: Statement, *, embedder: Embedder | None, config: Config) -> Fact:
    """Store a fact that the application states, and return the row that stands afterwards.

    Raises:
        InputError: the key, the kind or a value cannot be used, it would end before it begins, or the user does not let it be kept.
    """
    said_at = checks.lived(instant(given.timestamp, "timestamp", zone=config.zone), "timestamp")
    key = _usable(db, given)
    predicates = stored.predicates(db)
    try:
        said = _candidate(given, predicate_of(key, predicates), key=key, said_at=said_at, zone=config.zone)
        origin = _origin(given, said_at=said_at, config=config)
    except ValidationError as error:
        raise InputError(f"The fact {given.value_text[:60]!r} cannot be stored: {checks.fault(error)}.") from error
    fact = state(
        db,
        said,
        origin=origin,
        once=given.turn_id is not None,
        named=bool(given.object),
        predicates=predicates,
        embedder=embedder,
        config=config,
    )
    if fact is None:
        turn = {"user_id": given.user_id, "turn_id": origin.turn_id}
        rows = db.all("believe.ever_said", key=key, kind=given.kind, value_text=given.value_text, **turn)
        return stored.fact(db, rows[0]["record"])
    details = as_parts(given.value_json)
    return _moved(db, fact, _wanted(details), given.timestamp, config) if given.kind == "task" and details.get("state") else fact


def _usable(db: Database, given: Statement) -> str:
    """Check what is stated as far as it can be by itself, and return the key that it is kept under."""
    checks.filled(given.value_text, "value_text")
    checks.storable(given.value_json)
    checks.names(session_id=given.session_id, turn_id=given.turn_id)
    checks.texts(kind=given.kind, object=given.object)
    key = checks.key(_key_of(given.kind) if given.key is None else given.key)
    kinds = stored.kinds_but_messages(db)
    if given.kind not in kinds:
        raise InputError(f"{given.kind!r} cannot be remembered; the kinds are {', '.join(kinds)} (messages come in by observe and load).")
    return key


def _candidate(given: Statement, predicate: Predicate, *, key: str, said_at: datetime, zone: tzinfo) -> Candidate:
    """What is stated as what a turn says plainly would be read, with the times that its details tell."""
    subject, _, named = key.partition(".")
    value = given.object or (value_behind(predicate.label, given.value_text) if given.kind == "fact" else None) or given.value_text
    parts: dict[str, JsonValue] = {"subject": subject, "predicate": named, "object": value}
    details = as_parts(given.value_json)
    span = span_of(given.kind, details, zone=zone)
    checks.details(given.kind, given.value_json)
    begins = _time(given.valid_from, "valid_from", zone) or max(span.values(), default=None)
    ends = _time(given.valid_to, "valid_to", zone)
    checks.in_order(to_text(begins or said_at), to_text(ends) if ends else None)
    return Candidate(
        key=key,
        value_text=given.value_text,
        object=value,
        category=predicate.category if given.category is None else given.category,
        confidence=1.0,
        excerpt=given.value_text,
        value_json={**details, **{name: to_text(at) for name, at in span.items()}, **parts},
        event_time=_time(given.event_time, "event_time", zone) or min(span.values(), default=None),
        valid_from=begins,
        valid_to=ends,
        temporary=ends is not None,
        until=ends is not None,
        explicit=True,
        stated=True,
    )


def _origin(given: Statement, *, said_at: datetime, config: Config) -> Origin:
    """Where and when it was stated, and how much it counts; a memory no more than one told here may."""
    importance = checks.share(given.importance, "importance")
    if importance is not None and given.kind == "narrative":
        importance = min(config.max_importance, importance)
    return Origin(
        user_id=checks.name(given.user_id, "user_id"),
        turn_id=given.turn_id or f"remember-{uuid.uuid4().hex}",
        now=said_at,
        session_id=given.session_id,
        source=given.source,
        kind=given.kind,
        importance=importance,
        tags=checks.tags(given.tags),
        confidence=checks.share(given.confidence, "confidence"),
        memory_type=given.memory_type,
    )


def _time(given: date | str | None, argument: str, zone: tzinfo) -> datetime | None:
    return None if given is None else instant(given, argument, zone=zone)


def learn(
    db: Database,
    trigger: str,
    steps: Sequence[str],
    *,
    user_id: str,
    embedder: Embedder | None,
    config: Config,
    title: str | None,
    importance: float | None,
    session_id: str | None,
    turn_id: str | None,
    timestamp: date | str | None,
) -> Procedure:
    """Remember how something is done, and return it.

    Raises:
        InputError: the trigger or a step is empty, or there are no steps.
    """
    checks.several(steps, "steps")
    checks.texts(title=title)
    checks.filled(trigger, "trigger")
    wanted = [checks.filled(step, f"step {place}") for place, step in enumerate(steps, start=1)]
    if not wanted:
        raise InputError("There are no steps; give at least one.")
    key = checks.key(f"procedure.{slug(trigger)}")
    known = reading.facts(db, checks.name(user_id, "user_id"), key=key, kinds=["procedure"], now=utc_now())
    named = next((parts_of(fact.value_json).get("title") for fact in known), None)
    done = "; ".join(f"{place}. {' '.join(step.split())}" for place, step in enumerate(wanted, start=1))
    stated = Statement(
        value_text=f"To {trigger.strip()}: {done}",
        user_id=user_id,
        key=key,
        kind="procedure",
        object=done,
        value_json={"title": title or named or trigger, "trigger": trigger, "steps": list(wanted)},
        importance=_LEARNED if importance is None and not known else importance,
        session_id=session_id,
        turn_id=turn_id,
        timestamp=timestamp,
    )
    fact = remember(db, stated, embedder=embedder, config=config)
    return reading.procedures(db, {fact.fact_id: None})[0]


def write(
    db: Database,
    items: Iterable[Item | Mapping[str, object]],
    *,
    user_id: str,
    timestamp: date | str | None,
    hurried: Callable[[], Embedder | None],
    config: Config,
) -> Written:
    """Keep what is new and sure enough of what is stated; return what was kept, and what was not and why.

    `hurried` gives the embedder as one that a single write waits for.

    Raises:
        InputError: the user or the time cannot be used; or an item has unknown or unusable fields, and those before it are kept.
    """
    checks.records(items, "items")
    checks.lived(instant(timestamp, "timestamp", zone=config.zone), "timestamp")
    predicates = stored.predicates(db)
    consent = read_consent(db, user_id=checks.name(user_id, "user_id"), config=config)
    accepted: list[str] = []
    rejected: list[Rejected] = []
    for given in items:
        item = checks.record(Item, given, what="An item cannot be written")
        key = item.key or _key_of(item.kind)
        try:
            checks.filled(item.text, "text")
            if item.kind == "task":
                _wanted(item.details)  # before anything is kept
            embedder = hurried()
            if embedder is not None and db.has_vectors:  # what it is about to be compared with; what fails waits, as ever
                with suppress(BusyError, ModelUnavailable):
                    sync(db, embedder=embedder, now=utc_now(), config=config, user_id=user_id, kind=item.kind)
            if item.kind == "task" and item.confidence >= config.gate_confidence and (known := _task_called(db, item.text, user_id)):
                accepted.append(_retold(db, known, item, timestamp=timestamp, embedder=hurried(), config=config).fact_id)
                continue
            reason = admit(
                db,
                item,
                key,
                user_id=user_id,
                consent=consent,
                predicate=predicate_of(key, predicates),
                embedder=embedder,
                config=config,
                now=instant(timestamp, "timestamp", zone=config.zone),
            )
            if reason is None:
                kept = _keep(db, item, key, user_id=user_id, timestamp=timestamp, embedder=hurried(), config=config)
                accepted.append((_moved(db, kept, _wanted(item.details), timestamp, config) if item.kind == "task" else kept).fact_id)
        except InputError as error:
            reason = str(error)
        if reason is not None:
            rejected.append(Rejected(item=item, reason=reason))
    return Written(accepted=tuple(dict.fromkeys(accepted)), rejected=tuple(rejected))


def state(
    db: Database,
    said: Candidate,
    *,
    origin: Origin,
    once: bool,
    named: bool,
    predicates: Mapping[str, Predicate],
    embedder: Embedder | None,
    config: Config,
) -> Fact | None:
    """Write a fact that an application states, in one transaction, and return the one that stands; None if this turn wrote it before.

    With `once`, what the turn has stated is not weighed again: told once more by one who did not hear the answer, it would confirm itself,
    or win over what has been said since.

    What repeats a fact under the same key, in the same words or in others, confirms that one. Under another key it is another fact: an
    application means the key that it gives. Whether its object is `named` by the application, or was read from its words, matters where
    a belief has the very same words: then it is the object of that one.

    Raises:
        InputError: the user does not let it be kept.
    """
    known: dict[str, Fact] = {}
    case = case_of(db, said, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind, known=known, exactly=True)
    if not named:
        case = case.model_copy(update={"candidate": _as_held(case)})
    if (meant := as_meant(case, kind=origin.kind, predicates=predicates)) is not said:
        case = case_of(
            db, meant, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind, known=known, exactly=True
        )
    allowed, _ = _allowed(db, case, origin=origin, predicates=predicates, config=config)
    (repeats,) = compare_meanings(
        db, [allowed], user_id=origin.user_id, now=origin.now, embedder=embedder, predicates=predicates, config=config, kind=origin.kind
    )
    repeats = repeats or undenied(case, kind=origin.kind, config=config)
    with db.transaction():
        if once and not db.run(
            "apply.claim_action", user_id=origin.user_id, turn_id=origin.turn_id, key=said.key, action_hash=_named(said, origin)
        ):
            return None
        allowed, consent = _allowed(db, case, origin=origin, predicates=predicates, config=config)  # they may just have chosen anew
        if comes_late(db, user_id=origin.user_id, now=origin.now):
            origin = origin.model_copy(update={"late": True})
        if repeats is not None and not _still_holds(db, repeats, case):
            repeats = None
        results = decide(
            db, allowed.candidate, origin=origin, predicates=predicates, config=config, proposed=repeats, consent=consent, known=known
        )
        # what it ends beside is not what it states
        for action, fact_id in sorted(reversed(results), key=lambda result: result[0].type == "expire"):
            fact = read_fact(db, fact_id or action.target_fact_id or "")
            if fact is not None and fact.kind == "narrative":
                reckon(db, [fact.fact_id], since=fact.created_at, now=origin.now, config=config)
                fact = read_fact(db, fact.fact_id)
            if fact is not None:
                return fact
    return None


def _as_held(case: Case) -> Candidate:
    """What is stated, with the object of a belief that has the same words: an older file may have the whole text there."""
    said, words = case.candidate, normalise(case.candidate.value_text)
    for fact in case.beliefs:
        if fact.key == said.key and not fact.denies and fact.object != said.object and normalise(fact.value_text) == words:
            return said.model_copy(update={"object": fact.object, "value_json": {**parts_of(said.value_json), "object": fact.object}})
    return said


def _named(said: Candidate, origin: Origin) -> str:
    """What tells one statement of a turn under a key from another."""
    times = (to_text(time) if time else None for time in (said.event_time, said.valid_from, said.valid_to))
    return action_hash_of("state", origin.kind, said.value_text, said.object, *times)


def _allowed(db: Database, case: Case, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> tuple[Case, Consent]:
    consent = read_consent(db, user_id=origin.user_id, config=config)
    gated = gate([case], consent=consent, predicates=predicates, config=config)
    tagged = next(filter(None, map(secret_in_text, origin.tags)), None) if consent.secrets == "refuse" else None
    if gated.notes or tagged:
        why = gated.notes[0].why if gated.notes else f"a tag holds a secret ({tagged}), and none is to be kept"
        raise InputError(f"What is stated of user {origin.user_id!r} cannot be kept, since {why}; note their leave with consent().")
    return gated.cases[0], consent


def _still_holds(db: Database, repeats: Action, case: Case) -> bool:
    """Whether the fact that is repeated has the same key, and is believed as it was."""
    target = read_fact(db, repeats.target_fact_id or "")
    seen = next((fact for fact in case.beliefs if target is not None and fact.fact_id == target.fact_id), None)
    return target is not None and seen is not None and target.key == case.candidate.key and _held(target) == _held(seen)


def _held(fact: Fact) -> tuple[object, ...]:
    return fact.status, fact.object, fact.denies, fact.valid_to


def _keep(
    db: Database, item: Item, key: str, *, user_id: str, timestamp: date | str | None, embedder: Embedder | None, config: Config
) -> Fact:
    given = item.model_dump(exclude={"text", "details", "key"})
    stated = Statement(value_text=item.text, user_id=user_id, key=key, value_json=item.details, timestamp=timestamp, **given)
    return remember(db, stated, embedder=embedder, config=config)


def _task_called(db: Database, title: str, user_id: str) -> Fact | None:
    """The latest task of this title, open or done; one that was rejected is none."""
    held = reading.facts(db, user_id, kinds=["task"], statuses=(*LIVE, "expired"), now=utc_now())
    tasks = [task for task in held if task.status in LIVE or state_of(task.value_json) == "done"]
    return next((fact for fact in reversed(tasks) if normalise(fact.value_text) == normalise(title)), None)


def _retold(
    db: Database, task: Fact, item: Item, *, timestamp: date | str | None, embedder: Embedder | None, config: Config
) -> Fact:  # fmt: skip
    """A task that is told of once more, with what is told of it anew: when it is due, its marks, and where it stands."""
    if task.status not in LIVE and _wanted(item.details) == "done":
        return task
    due = instant(item.event_time, "event_time", zone=config.zone) if item.event_time else task.event_time
    tells_more = due != task.event_time or set(item.tags) - set(task.tags) or item.importance not in (None, task.importance)
    if tells_more:
        if task.status not in LIVE:  # what is over is held no longer, and would be one more
            task = _moved(db, task, "active", timestamp, config)
        again = item.model_copy(update={"text": task.value_text, "object": task.object})
        task = _keep(db, again, task.key, user_id=task.user_id, timestamp=timestamp, embedder=embedder, config=config)
    return _moved(db, task, _wanted(item.details), timestamp, config)


def _moved(db: Database, task: Fact, state: TaskState, timestamp: date | str | None, config: Config) -> Fact:
    """A task as it stands by what is said of it."""
    stands = state == state_of(task.value_json) and (state == "done") == (task.status == "expired")
    return task if stands else set_task(db, task.fact_id, state, now=checks.lived(instant(timestamp, "timestamp", zone=config.zone), "now"))


def _key_of(kind: str) -> str:
    """The key of what is stated under none: that under which what is said of such a kind stands, too."""
    return {"task": "user.task", "episode": "user.episode"}.get(kind, "user.note")


def _wanted(details: Mapping[str, JsonValue]) -> TaskState:
    return cast(TaskState, checks.one_of(str(details.get("state") or "active"), get_args(TaskState), "state"))
