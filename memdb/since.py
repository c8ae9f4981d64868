"""What has been said and decided since something was said that comes in late: what ended it, rejected it, or took its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row
from memdb.figures import closer
from memdb.ids import FACTS, id_of
from memdb.keys import canonical_key, is_same, names_another, normalise, predicate_of, says_the_same
from memdb.recording import Log, Origin, action_hash_of, bring_back, read_fact
from memdb.records import Action, Candidate, Fact, Predicate, Status
from memdb.times import to_text, to_utc, utc_now

REJECTED, DENIED = "rejected by the user", "said not to be so, when asked"
"""Why a user's own word dismisses what is believed."""

REFUSED = "it was said before the user rejected it"
"""Why something that comes in late is not believed."""

Ends = Sequence[tuple[Candidate, Origin]]


def comes_late(db: Database, *, user_id: str, now: datetime) -> bool:
    """Whether anything of a user has ended, or was said to, since an instant; if not, all else here tells nothing."""
    return db.tuples("since.anything", user_id=user_id, now=to_text(now)) == [(1,)]


def note_end(db: Database, said: Candidate, *, origin: Origin) -> None:
    """Keep what is said to be so no longer, for what was said before that and comes in later; not the words in which it was said."""
    told = said.model_copy(update={"excerpt": said.value_text, "former": False})  # what was so once is kept once
    db.run(
        "since.put",
        user_id=origin.user_id,
        key=said.key,
        turn_id=origin.turn_id,
        said_at=to_text(origin.now),
        source=origin.source,
        said=told.model_dump_json(exclude_defaults=True),
    )


def note_end_of(db: Database, fact: Fact, *, ends: datetime, origin: Origin) -> None:
    """The same of a fact that is ended; of a denial, it is that something is not so which is so no longer."""
    if fact.kind != "fact":
        return
    said = Candidate(
        key=fact.key,
        value_text=fact.value_text,
        object=fact.object,
        category=fact.category,
        confidence=1.0,
        excerpt="",
        value_json=fact.value_json,
        valid_from=ends,
        negated=True,
        explicit=True,
    )
    note_end(db, said, origin=origin)


def ended(db: Database, said: Candidate, *, origin: Origin) -> Ends:
    """Return what ends what is said, and has been said since, with where that came from; the first first."""
    found: list[tuple[Candidate, Origin]] = []
    at = {"now": to_text(origin.now), "present": to_text(utc_now())}
    for row in db.all("since.ends", user_id=origin.user_id, key=said.key, **at):
        with stored.reading(db, user_id=origin.user_id):
            end = Candidate.model_validate_json(str(row["said"]))
            since = {"turn_id": row["turn_id"], "now": to_utc(str(row["said_at"])), "source": row["source"]}
            told = Origin.model_validate({"user_id": origin.user_id, **since})
        if end.undenies == said.denies and _names(end, said.object):
            found.append((end, told))
    return found


def parted(beliefs: Sequence[Fact], said: Candidate, ends: Ends) -> tuple[Fact, ...]:
    """Return what is believed, but for what says the same and was first said with or after the first of the ends: that began anew."""
    sure = [origin.now for end, origin in ends if _ends(end, said.object)]
    return tuple(fact for fact in beliefs if not sure or fact.created_at < sure[0] or not is_same(said.object, fact.object))


def cut_off(db: Database, end: Candidate, *, origin: Origin) -> None:
    """What has given way or ended since it was said to be over, and was said before that, lasted no longer than until then."""
    until = end.valid_from or end.valid_to or origin.now
    for row, fact in _closed(db, [end.key], origin=origin):
        said_last = fact.last_mentioned_at or fact.created_at
        if (
            fact.denies != end.undenies
            or row["ran_out"]
            or not _ends(end, fact.object)
            or said_last > origin.now
            or (fact.valid_to or until) <= until
        ):
            continue
        if bring_back(db, fact.fact_id) is not None:
            log = Log(db, origin, action_hash_of("cut off", fact.fact_id, origin.turn_id))
            reason = end.because or "said to be so no longer"
            log.change(fact.fact_id, "expire", reason, "apply.close", status="expired", valid_to=to_text(until))


def sayings(db: Database, fact: Fact) -> list[datetime]:
    """Return when a fact was said, the first first."""
    return [to_utc(str(row["changed_at"])) for row in db.all("since.sayings", fact_id=fact.fact_id)]


def divide(db: Database, fact: Fact, *, until: datetime, status: Status, reason: str, origin: Origin) -> datetime | None:
    """Of what was said before something that comes in late, and again after it, believe that it was so until then, and anew since it was
    said again; return when that was, None where it is no such thing.
    """
    times = sayings(db, fact)
    before, after = [time for time in times if time <= origin.now], [time for time in times if time > origin.now]
    if not before or not after or not fact.valid_from < until <= after[0] or (fact.valid_to is not None and fact.valid_to <= after[0]):
        return None
    if bring_back(db, fact.fact_id) is None:
        return None
    log = Log(db, origin, action_hash_of("divide", fact.fact_id, origin.turn_id))
    part_id = id_of(FACTS, origin.user_id, origin.turn_id, fact.key, log.digest)
    ended: dict[str, str] = {"valid_to": to_text(until), "status": status, "mentioned": to_text(before[-1])}
    db.run("since.part", fact_id=fact.fact_id, part_id=part_id, seen=len(after), **ended)
    log.record(part_id, "insert", reason, before=None)
    anew = "said again, after it was over"
    log.change(fact.fact_id, "update", anew, "since.begin_anew", valid_from=to_text(after[0]), seen=len(after))
    return after[0]


def begin_when_first_said(db: Database, fact: Fact, *, origin: Origin) -> None:
    """Let a fact that was said at several times begin with the first of them, unless it was said since when it is so."""
    times = sayings(db, fact)
    if fact.valid_from in times[1:]:
        log = Log(db, origin, action_hash_of("begin", fact.fact_id, origin.turn_id))
        began, why = to_text(times[0]), "it was said before that, too"
        log.change(fact.fact_id, "update", why, "since.begin_anew", valid_from=began, seen=fact.seen_count)


def divide_ended(db: Database, end: Candidate, beliefs: Sequence[Fact], *, origin: Origin) -> None:
    """Divide what was said both before and after it was said to be over, whether it is believed or has given way since."""
    until, reason = end.valid_from or end.valid_to or origin.now, end.because or "said to be so no longer"
    closed = [fact for row, fact in _closed(db, [end.key], origin=origin) if not row["ran_out"]] if origin.late else []
    for fact in (*(belief for belief in beliefs if belief.status == "active"), *closed):
        said_since = (fact.last_mentioned_at or fact.created_at) > origin.now
        if said_since and fact.key == end.key and fact.denies == end.undenies and _ends(end, fact.object):
            divide(db, fact, until=until, status="expired", reason=reason, origin=origin)


def stood_then(db: Database, said: Candidate, *, origin: Origin) -> Fact | None:
    """Return what has given way since, and was believed when something was said that comes in late and says otherwise."""
    for row, fact in _closed(db, [said.key], origin=origin):
        believed = fact.status == "superseded" and fact.valid_from <= origin.now and fact.created_at <= origin.now
        if believed and not fact.denies and not row["ran_out"] and not is_same(said.object, fact.object):
            return fact
    return None


def rejected(db: Database, said: Candidate, *, origin: Origin) -> Fact | None:
    """Return what the user has rejected since it was said, if that is what is said."""
    asked = {"user_id": origin.user_id, "key": said.key, "kind": origin.kind, "now": to_text(origin.now)}
    found = stored.facts(db, db.all("since.rejected", reasons=json.dumps([REJECTED, DENIED]), **asked))
    return next((fact for fact in found if fact.denies == said.denies and is_same(said.object, fact.object)), None)


def of_its_time(db: Database, action: Action, ends: Ends, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> Action:
    """An action, unless what it would believe is known to have ended, or to have given way, since it was said.

    Where it was so when that was said, or began only then, it was said once more, of the time before it ended; else it lasted until the
    first thing began that was said after it.
    """
    said = action.candidate
    if not origin.late or said is None or said.negated or said.valid_to is not None or not _may_be_over(db, action, origin):
        return action
    alike, others = _over(db, said, ends, origin=origin, predicates=predicates)
    begins = max(said.valid_from or origin.now, origin.now)
    known = next((fact for fact in alike if fact.valid_from <= origin.now and fact.valid_to and fact.valid_to > begins), None)
    then = min((fact for fact in (*alike, *others) if fact.created_at > origin.now), key=lambda fact: fact.created_at, default=None)
    if known is None and then in alike:
        known = then
    if action.type == "insert" and known is not None and bring_back(db, known.fact_id) is not None:
        delta = closer(known.confidence, config.confirmation_rate)
        told = {
            "type": "noop",
            "target_fact_id": known.fact_id,
            "confidence_delta": delta,
            "reason": "said again, of the time before it ended",
        }
        return action.model_copy(update=told)
    if then is None or then in alike or bring_back(db, then.fact_id) is None:
        return action
    gave_way = {"type": "insert", "target_fact_id": then.fact_id, "reason": f"so until {then.object!r} began", "confidence_delta": 0.0}
    return action.model_copy(update=gave_way | {"valid_to": max(said.valid_from or origin.now, then.valid_from)})


def _may_be_over(db: Database, action: Action, origin: Origin) -> bool:
    """Whether an action would believe something, or confirm what was first said later."""
    if action.type == "insert":
        return True
    target = read_fact(db, action.target_fact_id) if action.type in ("noop", "update") and action.target_fact_id else None
    return target is not None and target.status == "active" and target.created_at > origin.now


def _over(
    db: Database, said: Candidate, ends: Ends, *, origin: Origin, predicates: Mapping[str, Predicate]
) -> tuple[list[Fact], list[Fact]]:
    """What has ended or given way since something was said, the last to end first: what says the same, and what cannot be so beside it.

    Where the end is yet to come by the clock, that was ahead when it was told, and what comes in now was said after it. What was to be so
    for a time only takes nothing's place.
    """
    predicate = predicate_of(said.key, predicates)
    opposite = [canonical_key(said.subject, predicate.opposite)] if predicate.opposite else []
    alike: list[Fact] = []
    others: list[Fact] = []
    for row, fact in _closed(db, [said.key, *opposite], origin=origin):
        same = is_same(said.object, fact.object)
        if same and (fact.key, fact.denies, fact.event_time) == (said.key, said.denies, said.event_time):
            alike.append(fact)
        elif not row["ran_out"] and (same or (predicate.cardinality == "one" and fact.key == said.key and not said.denies)):
            others.append(fact)
    return list(parted(alike, said, ends)), others


def _closed(db: Database, keys: Sequence[str], *, origin: Origin) -> list[tuple[Row, Fact]]:
    at = {"now": to_text(origin.now), "present": to_text(utc_now())}
    rows = db.all("since.over", user_id=origin.user_id, keys=json.dumps(keys), kind=origin.kind, **at)
    return list(zip(rows, stored.facts(db, rows), strict=True))


def _names(end: Candidate, value: str) -> bool:
    """Whether an end may be one of a value."""
    said, held = set(normalise(end.object).split()), set(normalise(value).split())
    return (said <= held or held <= said) and not names_another(end.object, value)


def _ends(end: Candidate, value: str) -> bool:
    """Whether an end is surely one of a value."""
    return not end.object or says_the_same(end.object, value)
