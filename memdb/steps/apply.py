"""Write decisions down: mem-skill's stage 3. Called inside the caller's transaction; never commits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta

from memdb.config import Config
from memdb.database import Database
from memdb.figures import to_share
from memdb.household import as_remembered
from memdb.ids import FACTS, id_of
from memdb.keys import negates, predicate_of
from memdb.recording import (
    Log,
    Origin,
    action_hash_of,
    closed,
    cut_short,
    dismiss_denials,
    let_last,
    move,
    read_fact,
    reject_rivals,
    settle,
    shorten,
    surer,
)  # fmt: skip
from memdb.records import DECIDABLE, RELIABILITY, UNDECIDED, Action, Candidate, Fact, Operation, Predicate, Status, parts_of, state_of
from memdb.retelling import tells_since
from memdb.times import to_text

_EVENT_LASTS = timedelta(days=1)  # a plan is over the day after its event began


def apply(db: Database, action: Action, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> str | None:
    """Apply one action, once: a repetition of (turn, key, action) changes nothing. Return the id of the fact that stands now.

    Insert, refine in place, end and insert, end, refresh, or keep both sides: each leaves a row in `fact_history` with the fact before
    and after. Ids and times follow from the turn alone.
    """
    digest = _action_hash(action)
    claimed = db.run("apply.claim_action", user_id=origin.user_id, turn_id=origin.turn_id, key=action.key, action_hash=digest)
    if not claimed:
        return None
    log = Log(db, origin, digest)
    target = read_fact(db, action.target_fact_id) if action.target_fact_id else None
    match action.type:
        case "insert":
            # an insert that points at a fact is an earlier truth, which that fact ended
            status: Status = "superseded" if target else "active"
            inserted = _insert(db, action, log, predicates, config, status=status)
            shorten(db, inserted, log, predicates)
            return inserted
        case "supersede":
            new_id = _fact_id(action, origin, digest)
            assert target is not None
            starts = action.valid_from or origin.now
            log.change(target.fact_id, "supersede", action.reason, "apply.close", **closed(target, "superseded", starts, origin))
            cut_short(db, target.fact_id, log, predicates)
            late = reject_rivals(db, target.fact_id, log, reason=action.reason, except_id=new_id, said_by=origin.now)
            _insert(db, action, log, predicates, config, status="active")
            for source, contradicted in ((new_id, target.fact_id), *((rival.fact_id, new_id) for rival in late)):
                db.run("apply.link", source_id=source, target_id=contradicted, relation="contradicts", now=to_text(origin.now))
            shorten(db, new_id, log, predicates)
            return new_id
        case "expire":
            assert target is not None
            if target.status in DECIDABLE:  # the same turn may have refuted it already
                ends = closed(target, "expired", action.valid_to or origin.now, origin)
                log.change(target.fact_id, "expire", action.reason, "apply.close", **ends)
                let_last(db, target, log)
                dismiss_denials(db, target.fact_id, origin)
            return target.fact_id
        case "mark_pending_confirmation":
            new_id = _insert(db, action, log, predicates, config, status="pending_confirmation", doubted=target)
            for rival in (target.fact_id, *action.also) if target is not None else ():
                db.run("apply.link", source_id=new_id, target_id=rival, relation="contradicts", now=to_text(origin.now))
            return new_id
        case "update" | "noop":
            assert target is not None
            return _keep(db, action, target, log, predicates, config)


def _action_hash(action: Action) -> str:
    """Return what identifies an action within its turn and key (mem-skill, stage 3): what it does, to which fact, with which value."""
    return action_hash_of(
        action.type,
        action.target_fact_id,
        action.new_value_text,
        action.new_value_json,
        to_text(action.valid_from) if action.valid_from else None,
        to_text(action.valid_to) if action.valid_to else None,
    )


def _fact_id(action: Action, origin: Origin, digest: str) -> str:
    return id_of(FACTS, origin.user_id, origin.turn_id, action.key, digest)


def _insert(
    db: Database,
    action: Action,
    log: Log,
    predicates: Mapping[str, Predicate],
    config: Config,
    *,
    status: Status,
    doubted: Fact | None = None,
) -> str:
    origin, said = log.origin, action.candidate
    assert said is not None
    predicate = predicate_of(said.key, predicates)
    fact_id = _fact_id(action, origin, log.digest)
    policy = to_share(config.first_confidence + (action.confidence_delta if status == "active" else 0.0))
    confidence = policy if origin.confidence is None else origin.confidence  # what the application states is taken as it is
    text, value = said.value_text, said.value_json
    if said.negated:  # a doubted denial is kept beside what it denies
        text, value = _denied_text(said, doubted), {**parts_of(value), "polarity": "negative"}
    if origin.kind == "narrative":  # where it is not said, it is by the rules
        memory_type, importance = as_remembered(text, origin.memory_type, origin.importance, config=config)
    else:
        memory_type = origin.memory_type or predicate.memory_type
        importance = _importance(db, said.key, origin.tags, predicates) if origin.importance is None else origin.importance
    db.run(
        "apply.insert_fact",
        fact_id=fact_id,
        user_id=origin.user_id,
        kind=origin.kind,
        key=said.key,
        value_text=text,
        value_json=None if value is None else json.dumps(value, ensure_ascii=False),
        category=said.category,
        memory_type=memory_type,
        confidence=confidence,
        importance=importance,
        source=origin.source,
        speaker=origin.speaker,
        event_time=to_text(said.event_time) if said.event_time else None,
        valid_from=to_text(said.valid_from or origin.now),
        valid_to=_ends(action, said, status, kind=origin.kind),
        status=status,
        source_turn_id=origin.turn_id,
        source_excerpt=said.excerpt,
        session_id=origin.session_id,
        tags=json.dumps(list(origin.tags), ensure_ascii=False),
        now=to_text(origin.now),
    )
    operation: Operation = "mark_pending_confirmation" if status == "pending_confirmation" else "insert"
    log.record(fact_id, operation, action.reason, before=None)
    return fact_id


def _importance(db: Database, key: str, tags: Sequence[str], predicates: Mapping[str, Predicate]) -> float:
    """How much a fact counts, where it is not said: as its key says, or its tags, where they say more or its key says nothing."""
    predicate = predicate_of(key, predicates)
    row = db.one("apply.tag_importance", tags=json.dumps(list(tags))) if tags else None
    if row is None or row["importance"] is None:
        return predicate.importance
    tagged = float(row["importance"])
    telling = predicate.category != "other" or (bool(predicate.label) and predicate.predicate in predicates)
    return max(tagged, predicate.importance) if telling else tagged


def _ends(action: Action, said: Candidate, status: Status, *, kind: str) -> str | None:
    if action.valid_to is not None and status == "superseded":
        return to_text(action.valid_to)
    if said.valid_to is not None:
        return to_text(said.valid_to)
    if said.event_time is not None and said.category == "task_context" and kind != "task":  # a task is due then, not over
        return to_text(said.event_time + _EVENT_LASTS)
    return None


def _keep(db: Database, action: Action, target: Fact, log: Log, predicates: Mapping[str, Predicate], config: Config) -> str:
    """Refresh or refine a fact in place; saying an undecided one again settles it, saying an active one again refutes its rivals."""
    confidence = to_share(target.confidence + action.confidence_delta)
    said = action.candidate
    anew = _told_anew(db, said, target, log.origin, predicates, config)
    source = None if said is not None and said.confidence < config.certain_confidence else surer(log.origin, target)
    if action.type == "noop":
        if any(value is not None for value in anew.values()):
            standing: dict[str, str | float | None] = {
                "value_text": target.value_text,
                "value_json": None if target.value_json is None else json.dumps(target.value_json, ensure_ascii=False),
                "event_time": None,
                "valid_to": None if target.valid_to is None else to_text(target.valid_to),
            }
            reason = f"{action.reason}, and {'more of it' if anew['valid_from'] is None else 'since when it is so'}"
            log.change(target.fact_id, "update", reason, "apply.refine", confidence=confidence, source=source, **standing, **anew)
        else:
            log.change(target.fact_id, "noop", action.reason, "apply.mention", confidence=confidence, source=source)
        if target.kind == "task" and state_of(target.value_json) == "stalled":
            move(db, target, state="active", origin=log.origin, reason="spoken of again")
    elif target.status in UNDECIDED:
        settle(db, target, origin=log.origin, reason=action.reason, confidence=confidence, predicates=predicates, seen=1)
        return target.fact_id
    else:
        assert said is not None
        assert action.new_value_text is not None
        told = action.new_value_json
        details = {**parts_of(target.value_json), **told} if isinstance(told, dict) else told
        log.change(
            target.fact_id,
            "update",
            action.reason,
            "apply.refine",
            value_text=action.new_value_text,
            value_json=None if details is None else json.dumps(details, ensure_ascii=False),
            event_time=to_text(said.event_time) if said.event_time else None,
            valid_to=_ends(action, said, "active", kind=target.kind) or (to_text(action.valid_to) if action.valid_to else None),
            confidence=confidence,
            source=source,
            **anew,
        )
    if target.status == "active":
        reject_rivals(db, target.fact_id, log, reason=f"said again: {target.object!r}", said_by=log.origin.now)
    if anew["valid_from"] is not None:
        shorten(db, target.fact_id, log, predicates)
    return target.fact_id


def _told_anew(
    db: Database, said: Candidate | None, target: Fact, origin: Origin, predicates: Mapping[str, Predicate], config: Config
) -> dict[str, str | float | None]:
    """What saying a fact again tells: since when it is, or was, so, and its marks by an application if it is; None for what stays."""
    anew: dict[str, str | float | None] = dict.fromkeys(("valid_from", "tags", "memory_type", "importance"))
    if said is None or target.status in UNDECIDED:
        return anew
    if _tells_its_beginning(db, said, target, origin, predicates, config):
        anew["valid_from"] = to_text(said.valid_from or origin.now)
    if target.status != "active":
        return anew
    if set(origin.tags) - set(target.tags):
        tags = tuple(dict.fromkeys((*target.tags, *origin.tags)))
        anew["tags"] = json.dumps(tags, ensure_ascii=False)
        if target.kind != "narrative" and target.importance == _importance(db, target.key, target.tags, predicates):  # nobody said how much
            anew["importance"] = _importance(db, target.key, tags, predicates)
    if origin.memory_type not in (None, target.memory_type):
        anew["memory_type"] = origin.memory_type
    if origin.importance not in (None, target.importance):
        anew["importance"] = origin.importance
    return anew


def _tells_its_beginning(
    db: Database, said: Candidate, target: Fact, origin: Origin, predicates: Mapping[str, Predicate], config: Config
) -> bool:
    """Whether a fact is from now on held to have begun when it is said to; not where something else is known of that time."""
    if said.confidence < config.certain_confidence or RELIABILITY[origin.source] < RELIABILITY[target.source]:
        return False
    if not tells_since(said, target, now=origin.now, zone=config.zone):
        return False
    if target.kind != "fact" or target.denies or predicate_of(target.key, predicates).cardinality == "many":
        return True
    at = {"fact_id": target.fact_id, "user_id": target.user_id, "key": target.key, "now": to_text(origin.now)}
    return not db.all("believe.before_it", begins=to_text(said.valid_from or origin.now), **at)


def _denied_text(said: Candidate, doubted: Fact | None) -> str:
    """What is denied, in words: where it is not named ("I left the job"), that is what is believed. A model may have denied it in words."""
    told = said.value_text if said.object or doubted is None else doubted.value_text
    return told if negates(told) and not negates(said.predicate.replace("_", " ")) else f"No longer so: {told}"
