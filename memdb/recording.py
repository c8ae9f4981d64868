"""What becomes of a stored fact: settled, ended, merged, dismissed or revived, each change recorded with its reason. Never commits."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.figures import to_share
from memdb.keys import canonical_key, normalise, predicate_of
from memdb.records import (
    DECIDABLE,
    RELIABILITY,
    UNDECIDED,
    Fact,
    MemoryType,
    ModelCall,
    Operation,
    Predicate,
    Record,
    Source,
    Status,
    TaskState,
)
from memdb.times import to_text

_MOOT = "what it doubted has ended"
_LAST = "\uffff"  # behind all ids
_AT_ONCE = 500  # facts that end by one statement


class Origin(Record):
    """Where a decision comes from: the turn and its circumstances. `now` is the turn's time, so that a replay gives the same rows.

    What comes `late` is weighed by what has ended since then, too.
    """

    user_id: str
    turn_id: str
    now: datetime
    session_id: str | None = None
    speaker: str | None = None
    source: Source = "user_message"
    kind: str = "fact"
    importance: float | None = None
    tags: tuple[str, ...] = ()
    confidence: float | None = None
    memory_type: MemoryType | None = None
    late: bool = False


def read_fact(db: Database, fact_id: str) -> Fact | None:
    """Return a fact by its id, or None."""
    row = db.one("believe.by_id", fact_id=fact_id)
    return stored.fact(db, row["record"]) if row else None


def bring_back(db: Database, fact_id: str) -> Fact | None:
    """Return a fact by its id, or None; one that had been moved into the archive stands among the others again, for who changes it."""
    fact = read_fact(db, fact_id)
    if fact is None and db.run("compact.bring_back", fact_id=fact_id):
        db.run("compact.leave", fact_id=fact_id)
        fact = read_fact(db, fact_id)
    return fact


def changed_since(db: Database, changes: Iterable[tuple[SqlValue, SqlValue]], *, undone: Iterable[str] = ()) -> set[int]:
    """Return which facts something else has changed since, by their places: each is given with the id of a change, 0 for all there are.

    What turns did that are `undone` does not count.
    """
    rows = db.tuples("undo.later", changes=json.dumps([*changes]), undone=json.dumps([*undone]))
    return {int(str(place)) for (place,) in rows}


def action_hash_of(*parts: JsonValue) -> str:
    """Return a short stable digest of JSON values."""
    told = json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")  # what cannot be stored is refused later
    return hashlib.sha256(told).hexdigest()[:32]


class Closing(NamedTuple):
    """One of many facts that end: how it stands from then on, until when it was so, and the digest of what ends it."""

    fact_id: str
    status: Status
    valid_to: str
    digest: str


class Log:
    """Runs a changing statement on a fact and records it before and after."""

    def __init__(self, db: Database, origin: Origin, digest: str) -> None:
        self.db, self.origin, self.digest = db, origin, digest

    def change(self, fact_id: str, operation: Operation, reason: str, statement: str, **values: SqlValue) -> None:
        """Run a statement that changes one fact, given its `fact_id`, `now` and the `values`, and record it."""
        before = self.db.tuples("believe.by_id", fact_id=fact_id)
        self.db.run(statement, fact_id=fact_id, now=to_text(self.origin.now), **values)
        self.record(fact_id, operation, reason, before=str(before[0][0]) if before else None)

    def record(self, fact_id: str, operation: Operation, reason: str, *, before: str | None) -> None:
        """Record a change that has been made; `before` is the fact as JSON, None for one that is new."""
        recorded = self.db.run(
            "apply.history",
            fact_id=fact_id,
            operation=operation,
            before=before,
            reason=reason,
            turn_id=self.origin.turn_id,
            action_hash=self.digest,
            session_id=self.origin.session_id,
            now=to_text(self.origin.now),
        )
        assert recorded


def close_many(db: Database, closings: Sequence[Closing], *, operation: Operation, reason: str, origin: Origin) -> None:
    """End thousands of facts, no two of them the same, and record each: a statement for many takes a fifth of the time of as many."""
    for start in range(0, len(closings), _AT_ONCE):
        part = closings[start : start + _AT_ONCE]
        before = {
            str(fact_id): record for fact_id, record in db.tuples("believe.by_ids", fact_ids=json.dumps([one.fact_id for one in part]))
        }
        closes = json.dumps([[one.fact_id, one.status, one.valid_to] for one in part])
        changes = json.dumps([[one.fact_id, one.digest, before[one.fact_id]] for one in part], ensure_ascii=False)
        db.run("apply.close_many", closings=closes, now=to_text(origin.now))
        db.run(
            "apply.history_many",
            changes=changes,
            operation=operation,
            reason=reason,
            turn_id=origin.turn_id,
            session_id=origin.session_id,
            now=to_text(origin.now),
        )


class GaveWay:
    """What has given way under a key since a time, or ended there, by when it began: read once, however much gives way after that."""

    def __init__(self, db: Database, fact: Fact, *, since: datetime) -> None:
        rows = db.tuples("believe.gave_way", user_id=fact.user_id, key=fact.key, kind=fact.kind, since=to_text(since))
        self._begun = [(str(began), str(fact_id), str(said)) for began, fact_id, said in rows]

    def first_within(self, fact: Fact) -> str | None:
        """The id of the first that began while a fact lasted, and was said after it, if there is one."""
        assert fact.valid_to is not None
        ends, said = to_text(fact.valid_to), _said_last(fact)
        for place in range(bisect_right(self._begun, (to_text(fact.valid_from), _LAST)), len(self._begun)):
            began, fact_id, when = self._begun[place]
            if began >= ends:
                return None
            if when > said:
                return fact_id
        return None

    def add(self, fact: Fact) -> None:
        """Have a fact among them that has given way since."""
        assert fact.valid_to is not None
        if fact.valid_from < fact.valid_to:
            insort(self._begun, (to_text(fact.valid_from), fact.fact_id, _said_last(fact)))


def _said_last(fact: Fact) -> str:
    return to_text(fact.last_mentioned_at or fact.created_at)


def record(db: Database, fact_id: str, operation: Operation, reason: str, *, origin: Origin, before: str | None = None) -> None:
    """Record what was done with nobody deciding about it, such as the telling of a memory: the turn stands for the action, as in all
    that is done so."""
    Log(db, origin, origin.turn_id).record(fact_id, operation, reason, before=before)


def promote(db: Database, fact: Fact, *, origin: Origin, reason: str) -> None:
    """Let a fact that recurs stand in the profile as a preference."""
    Log(db, origin, origin.turn_id).change(fact.fact_id, "update", reason, "upkeep.promote")


def doubt(db: Database, fact: Fact, *, origin: Origin, reason: str) -> None:
    """Believe a fact half as much, and only where it is asked for."""
    Log(db, origin, action_hash_of("doubt", fact.fact_id, origin.turn_id)).change(fact.fact_id, "update", reason, "upkeep.doubt")


def archive(db: Database, fact: Fact, *, origin: Origin, reason: str) -> None:
    """Put a note away."""
    Log(db, origin, origin.turn_id).change(fact.fact_id, "archive", reason, "upkeep.archive")


def record_archived(db: Database, memory: Row, reason: str, *, now: datetime) -> None:
    """Record that a night has put a first-person memory away."""
    owned = {name: memory[name] for name in ("fact_id", "user_id", "key")}
    db.run("maintain.history", **owned, reason=reason, turn_id=f"maintain-{to_text(now)}", now=to_text(now))


def keep_calls(db: Database, calls: Sequence[ModelCall], *, user_id: str, turn_id: str, now: datetime, config: Config) -> None:
    """Keep the calls of a language model, within the caller's transaction, unless the setting `keep_model_calls` is off."""
    for call in calls if config.keep_model_calls else ():
        db.run("apply.model_call", user_id=user_id, turn_id=turn_id, now=to_text(now), **call.model_dump())


def settle(
    db: Database,
    fact: Fact,
    *,
    origin: Origin,
    reason: str,
    confidence: float,
    predicates: Mapping[str, Predicate],
    seen: int = 0,
) -> None:
    """Make a pending or uncertain fact the belief, or an active one surer.

    What was believed and it contradicted is superseded, and under a key with one value everything else that is held for good; what was
    pending beside it was never true.
    """
    log = Log(db, origin, action_hash_of("confirm", fact.fact_id, origin.turn_id))
    rivals = {rival.fact_id: rival for rival in _facts(db, "believe.contradicted_by", fact.fact_id)}
    rivals |= {rival.fact_id: rival for rival in (*beside(db, fact, predicates), *opposed(db, fact, predicates))}
    gave_way: dict[str, GaveWay] = {}
    for rival in rivals.values():
        why = f"{reason}: {fact.object!r}"
        if rival.status == "pending_confirmation":
            dismiss(db, rival, origin=origin, reason=why, but=fact.fact_id)
        else:
            log.change(rival.fact_id, "supersede", why, "apply.close", **closed(rival, "superseded", fact.valid_from, origin))
            if _gives_way(rival, predicates):
                if rival.key not in gave_way:
                    first = min(one.valid_from for one in rivals.values() if one.key == rival.key)
                    gave_way[rival.key] = GaveWay(db, rival, since=first)
                cut_short(db, rival.fact_id, log, predicates, gave_way=gave_way[rival.key])
        dismiss_denials(db, rival.fact_id, origin, but=fact.fact_id)
    log.change(fact.fact_id, "confirm", reason, "apply.activate", confidence=to_share(confidence), source=surer(origin, fact), seen=seen)
    reject_rivals(db, fact.fact_id, log, reason=f"{reason}: {fact.object!r}")
    shorten(db, fact.fact_id, log, predicates, ended=False)  # or who ended something could not take that back


def end(db: Database, fact: Fact, *, ends: datetime, origin: Origin, reason: str) -> None:
    """End a fact at an instant; what is asked of the time before still finds it."""
    log = Log(db, origin, action_hash_of("end", fact.fact_id, to_text(ends)))
    status: Status = "expired" if ends <= origin.now else fact.status
    log.change(fact.fact_id, "expire", reason, "apply.close", status=status, valid_to=to_text(ends))
    let_last(db, fact, log)
    dismiss_moot(db, user_id=fact.user_id, ended=fact.fact_id, origin=origin, now=origin.now)


def let(db: Database, fact: Fact, *, origin: Origin, reason: str) -> None:
    """Believe what waited for leave alone. Nobody has said it again, or decided about it, so that its turn can still be taken back."""
    Log(db, origin, origin.turn_id).change(fact.fact_id, "update", reason, "apply.let")


def move(db: Database, fact: Fact, *, state: TaskState, origin: Origin, reason: str, decided: bool = True) -> None:
    """Say where a task stands; one that is done is over. Unless somebody `decided` that, its turn can still be taken back."""
    log = Log(db, origin, action_hash_of("move", fact.fact_id, state, origin.turn_id) if decided else origin.turn_id)
    log.change(fact.fact_id, "expire" if state == "done" else "update", reason, "task.move", state=state)


def dismiss(db: Database, fact: Fact, *, origin: Origin, reason: str, but: str = "") -> None:
    """End a fact as never true: its validity becomes empty, so that no question about the past finds it either.

    What it contradicted stays linked with it, so that it doubts the same once more if this is taken back. A denial of it ends, too, `but`
    for the one that is just being settled.
    """
    log = Log(db, origin, action_hash_of("reject", fact.fact_id, origin.turn_id))
    log.change(fact.fact_id, "reject", reason, "apply.close", status="expired", valid_to=to_text(fact.valid_from))
    let_last(db, fact, log)
    dismiss_moot(db, user_id=fact.user_id, ended=fact.fact_id, origin=origin, now=origin.now, but=but)


def dismiss_moot(
    db: Database, *, user_id: str | None, ended: str | None = None, origin: Origin | None = None, now: datetime, but: str = ""
) -> None:  # fmt: skip
    """End the denials that have nothing left to decide, since nothing of what they doubted is held any more.

    Of one fact that has just `ended`, of a user, or of everybody. Another value stays: that may be true all the same.
    """
    for doubt in stored.facts(db, db.all("believe.moot", user_id=user_id, ended=ended)):
        if doubt.fact_id == but:
            continue
        why = origin or Origin(user_id=doubt.user_id, turn_id=doubt.source_turn_id, now=now)  # so that it is taken back with its turn
        dismiss(db, doubt, origin=why, reason=_MOOT, but=but)


def dismiss_denials(db: Database, fact_id: str, origin: Origin, *, but: str = "") -> None:
    """End the denials that contradict a fact, `but` for one: there is nothing left that they could end."""
    for doubt in _facts(db, "believe.contradicting", fact_id):
        if doubt.denies and doubt.fact_id != but:
            dismiss(db, doubt, origin=origin, reason=_MOOT, but=but)


def expire_over(db: Database, *, user_id: str, now: datetime, most: int = -1) -> int:
    """Expire what a user's facts say is over by now, `most` of them at once unless that is negative, and return how many.

    What nobody had decided by then is not known to have been so.
    """
    rows = db.all("apply.over", user_id=user_id, now=to_text(now), most=most)
    for fact in stored.facts(db, rows):
        assert fact.valid_to is not None
        origin = Origin(user_id=user_id, turn_id=fact.source_turn_id, now=now)
        log = Log(db, origin, action_hash_of("expire", fact.fact_id, to_text(fact.valid_to)))
        ends = fact.valid_from if fact.status in UNDECIDED else fact.valid_to
        log.change(fact.fact_id, "expire", "its time is over", "apply.close", status="expired", valid_to=to_text(ends))
        dismiss_moot(db, user_id=user_id, ended=fact.fact_id, now=now)
    return len(rows)


def reject_rivals(
    db: Database, fact_id: str, log: Log, *, reason: str, except_id: str | None = None, said_by: datetime | None = None
) -> list[Fact]:  # fmt: skip
    """What was waiting to replace a fact is refuted when that fact is said again, or replaced by something else.

    Return what still waits: a turn that arrives late refutes nothing said after it, and what is so now nothing that is to begin.
    """
    rivals = [rival for rival in _facts(db, "believe.contradicting", fact_id) if rival.fact_id != except_id]
    late = [rival for rival in rivals if said_by is not None and max(rival.created_at, rival.valid_from) > said_by]
    for rival in rivals:
        if rival not in late:
            dismiss(db, rival, origin=log.origin, reason=reason)
    return late


def shorten(db: Database, fact_id: str, log: Log, predicates: Mapping[str, Predicate], *, ended: bool = True) -> None:
    """Under a key with one value, what gave way, or `ended`, lasted only until the next thing began, in whatever order they were told."""
    (fact,) = _facts(db, "believe.by_id", fact_id)
    if not _gives_way(fact, predicates) or (fact.status == "active" and fact.valid_to is not None):
        return  # nor does what is so for a time take another's place
    for earlier in stored.facts(db, db.all("believe.lasts_into", fact_id=fact_id, user_id=fact.user_id, key=fact.key, ended=int(ended))):
        if not earlier.denies and bring_back(db, earlier.fact_id):
            starts = to_text(fact.valid_from)
            log.change(earlier.fact_id, "update", f"until {fact.object!r} began", "apply.close", status=earlier.status, valid_to=starts)
    cut_short(db, fact_id, log, predicates)


def cut_short(db: Database, fact_id: str, log: Log, predicates: Mapping[str, Predicate], *, gave_way: GaveWay | None = None) -> None:
    """Where a fact has given way, it lasted only until the first thing began that was said after it and has given way, too, whichever was
    told first.

    `gave_way` is what has done so under its key, for who has many of them give way; the fact is among that from then on.
    """
    (fact,) = _facts(db, "believe.by_id", fact_id)
    if fact.status != "superseded" or not _gives_way(fact, predicates):
        return
    gave_way = gave_way or GaveWay(db, fact, since=fact.valid_from)
    if later := gave_way.first_within(fact):
        (other,) = _facts(db, "believe.ever_by_id", later)
        ends = to_text(other.valid_from)
        log.change(fact_id, "update", f"until {other.object!r} began", "apply.close", status=fact.status, valid_to=ends)
    gave_way.add(fact)


def _gives_way(fact: Fact, predicates: Mapping[str, Predicate]) -> bool:
    """Whether a fact is one of which only one can be so at a time."""
    return fact.kind == "fact" and not fact.denies and predicate_of(fact.key, predicates).cardinality == "one"


def let_last(db: Database, fact: Fact, log: Log) -> None:
    """Where a fact has ended that was still to begin, what it would have taken the place of lasts as it did before, or as that would."""
    if fact.status != "active" or fact.valid_from <= log.origin.now:
        return
    (ended,) = _facts(db, "believe.by_id", fact.fact_id)
    if ended.valid_to is None or ended.valid_to > ended.valid_from:
        return
    for row in db.all("believe.waits_to_end", fact_id=fact.fact_id):
        other = stored.fact(db, row["record"])
        lasts = [str(row["lasted"])] if row["lasted"] is not None else []
        lasts += [to_text(fact.valid_to)] if fact.valid_to is not None else []  # when what gives way to the other begins
        log.change(other.fact_id, "update", f"{fact.object!r} is not to be", "apply.last_on", valid_to=min(lasts, default=None))


def closed(target: Fact, status: Status, ends: datetime, origin: Origin) -> dict[str, str]:
    """How a fact that ends stands from now on: what ends later is believed until then, and what was only pending was never true."""
    if target.status == "pending_confirmation":
        return {"status": status, "valid_to": to_text(target.valid_from)}
    lasts = target.status == "active" and ends > max(origin.now, target.valid_from)
    if lasts and target.valid_to is not None:
        ends = min(ends, target.valid_to)
    return {"status": target.status if lasts else status, "valid_to": to_text(ends)}


def surer(origin: Origin, target: Fact) -> Source | None:
    """Who says a fact again, if that is more to be relied on than who said it so far; of what is drawn or told, it stays who drew it."""
    return origin.source if target.kind == "fact" and RELIABILITY[origin.source] > RELIABILITY[target.source] else None


def beside(db: Database, fact: Fact, predicates: Mapping[str, Predicate], *, statuses: Sequence[Status] = DECIDABLE) -> list[Fact]:
    """What cannot be true beside a fact, linked with it or not: of a key with one value, the other values, and this one once more.

    All that is held, or what has one of some `statuses`.
    """
    if fact.kind != "fact" or fact.denies or fact.valid_to is not None or predicate_of(fact.key, predicates).cardinality == "many":
        return []
    said = normalise(fact.object)
    return [other for other in held_beside(db, fact, statuses=statuses) if not other.denies or normalise(other.object) == said]


def opposed(db: Database, fact: Fact, predicates: Mapping[str, Predicate], *, statuses: Sequence[Status] = DECIDABLE) -> list[Fact]:
    """What is held for good, and says the opposite of a fact, linked with it or not."""
    opposite = predicate_of(fact.key, predicates).opposite
    if opposite is None or fact.kind != "fact" or fact.denies or fact.valid_to is not None:
        return []
    key, said = canonical_key(fact.key.partition(".")[0], opposite), normalise(fact.object)
    return [other for other in held_beside(db, fact, key=key, statuses=statuses) if not other.denies and normalise(other.object) == said]


def held_beside(db: Database, fact: Fact, *, key: str | None = None, statuses: Sequence[Status] = DECIDABLE) -> list[Fact]:
    """What else than a fact is held for good under its key, or another one: all of it, or what has one of some `statuses`."""
    asked = {"fact_id": fact.fact_id, "user_id": fact.user_id, "key": key or fact.key, "kind": fact.kind, "statuses": json.dumps(statuses)}
    return stored.facts(db, db.all("believe.beside", **asked))


def _facts(db: Database, statement: str, fact_id: str) -> list[Fact]:
    return stored.facts(db, db.all(statement, fact_id=fact_id))
