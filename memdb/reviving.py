"""What stands again where what had ended it was never so or is taken back, and what has been believed since. Never commits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.keys import is_same, predicate_of
from memdb.merging import merge
from memdb.recording import Log, Origin, action_hash_of, beside, bring_back, changed_since, closed, held_beside, opposed, read_fact
from memdb.records import Fact, Predicate
from memdb.times import to_text


def revive(db: Database, fact: Fact, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> None:
    """Let what a fact had taken the place of stand again as before, since that fact has just been dismissed.

    What one action changed stays as it is if something of that was changed since, or if something else is held there by now. What waits
    to take the fact's place waits to take that of the earlier one, and so does what had waited for that before. What went into a pattern
    stands by itself again, and goes into no other.
    """
    log = Log(db, origin, action_hash_of("reject", fact.fact_id, origin.turn_id))
    for row in db.all("undo.parts", fact_id=fact.fact_id):
        log.change(str(row["fact_id"]), "update", f"the pattern {fact.fact_id} was never so", "undo.release")
    actions: dict[tuple[SqlValue, SqlValue], list[Row]] = {}
    for row in db.all("undo.displaced", fact_id=fact.fact_id):
        actions.setdefault((row["turn_id"], row["action_hash"]), []).append(row)
    for (turn_id, _), changes in actions.items():
        latest = {str(row["fact_id"]): row for row in reversed(changes)}
        if changed_since(db, [(fact_id, row["id"]) for fact_id, row in latest.items()]):
            continue
        earlier = {str(row["fact_id"]): stored.fact(db, row["before"]) for row in changes}
        if any(_is_displaced(db, one, predicates) for one in earlier.values()) or not all(bring_back(db, fact_id) for fact_id in earlier):
            continue
        waited = {str(row["fact_id"]): row for one in earlier for row in db.all("undo.dismissed", fact_id=one, turn_id=turn_id)}
        for row in (*changes, *waited.values()):
            reason, stood = f"{fact.object!r} was never so", {"before": row["before"], "after": row["after"]}
            if bring_back(db, str(row["fact_id"])) is not None:
                log.change(str(row["fact_id"]), "update", reason, "undo.restore", **stood)
        for fact_id in waited:
            doubt_anew(db, fact_id, predicates=predicates, now=origin.now)
        for rival in stored.facts(db, db.all("believe.contradicting", fact_id=fact.fact_id)):
            for one in earlier.values():
                if one.key == rival.key and predicate_of(one.key, predicates).cardinality == "one":
                    db.run("apply.link", source_id=rival.fact_id, target_id=one.fact_id, relation="contradicts", now=to_text(origin.now))
        for fact_id in earlier:
            take_up(db, fact_id, origin=origin, config=config)


def make_way(db: Database, fact_id: str, *, predicates: Mapping[str, Predicate], now: datetime) -> None:
    """Where a fact stands again and something was believed since that cannot be true beside it, what was said first gives way to the other.

    It does so as a part of what made the other a belief, so that it stands again if that is taken back.
    """
    fact = read_fact(db, fact_id)
    for other in _believed_against(db, fact, predicates) if fact is not None and fact.status == "active" else ():
        assert fact is not None
        first, then = sorted((fact, other), key=lambda one: one.last_mentioned_at or one.created_at)
        became = db.one("undo.became", fact_id=then.fact_id) or {"turn_id": then.source_turn_id, "action_hash": then.fact_id}
        origin = Origin(user_id=fact.user_id, turn_id=str(became["turn_id"]), now=now)
        ends = closed(first, "superseded", then.valid_from, origin)
        Log(db, origin, str(became["action_hash"])).change(
            first.fact_id, "supersede", f"{then.object!r} has taken its place", "apply.close", **ends
        )
        if first is fact:
            return


def take_up(db: Database, fact_id: str, *, origin: Origin, config: Config) -> None:
    """Where a fact stands again, what waits and says the same was that fact said again, while something else was believed."""
    fact = read_fact(db, fact_id)
    if fact is None or fact.status != "active" or fact.kind != "fact":
        return
    waits = [other for other in held_beside(db, fact, statuses=["pending_confirmation"]) if other.denies == fact.denies]
    if same := [other for other in waits if is_same(other.object, fact.object)]:
        merge(db, fact, same, origin=origin, reason="said again, while something else was believed", config=config)


def doubt_anew(db: Database, fact_id: str, *, predicates: Mapping[str, Predicate], now: datetime) -> None:
    """Link what waits again with what it contradicts, where it is linked with nothing: what lay in the archive has no links any more."""
    fact = read_fact(db, fact_id)
    if fact is None or fact.status != "pending_confirmation" or stored.facts(db, db.all("believe.contradicted_by", fact_id=fact_id)):
        return
    single = predicate_of(fact.key, predicates).cardinality == "one"
    for other in held_beside(db, fact, statuses=["active"]):
        if not other.denies and (is_same(fact.object, other.object) if fact.denies else single):
            db.run("apply.link", source_id=fact_id, target_id=other.fact_id, relation="contradicts", now=to_text(now))


def _is_displaced(db: Database, fact: Fact, predicates: Mapping[str, Predicate]) -> bool:
    """Whether something is believed that a fact cannot be believed beside."""
    return fact.status == "active" and bool(_believed_against(db, fact, predicates))


def _believed_against(db: Database, fact: Fact, predicates: Mapping[str, Predicate]) -> list[Fact]:
    return [*beside(db, fact, predicates, statuses=["active"]), *opposed(db, fact, predicates, statuses=["active"])]
