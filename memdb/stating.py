"""What an application states by itself: kept as far as its user lets it be, weighed like what a turn says, and never twice."""

from __future__ import annotations

from collections.abc import Mapping

from memdb.config import Config
from memdb.embed import Embedder
from memdb.errors import InputError
from memdb.observer import decide, read_consent
from memdb.records import Action, Candidate, Case, Consent, Fact, Predicate
from memdb.steps.apply import Origin, read_fact
from memdb.steps.gate import gate
from memdb.store import Database
from memdb.thinking import case_of, compare_meanings


def state(
    db: Database, said: Candidate, *, origin: Origin, predicates: Mapping[str, Predicate], embedder: Embedder | None, config: Config
) -> Fact | None:
    """Write a fact that an application states, in one transaction, and return the one that stands; None if this turn wrote it before.

    What repeats a fact under the same key, in the same words or in others, confirms that one. Under another key it is another fact: an
    application means the key that it gives.

    Raises:
        InputError: the user does not let it be kept.
    """
    known: dict[str, Fact] = {}
    case = case_of(db, said, user_id=origin.user_id, now=origin.now, predicates=predicates, known=known)
    allowed, _ = _allowed(db, case, origin=origin, predicates=predicates, config=config)
    (repeats,) = compare_meanings(
        db, [allowed], user_id=origin.user_id, now=origin.now, embedder=embedder, predicates=predicates, config=config, kind=origin.kind
    )
    with db.transaction():
        allowed, consent = _allowed(db, case, origin=origin, predicates=predicates, config=config)  # they may just have chosen anew
        if repeats is not None and not _still_holds(db, repeats, case):
            repeats = None
        results = decide(
            db, allowed.candidate, origin=origin, predicates=predicates, config=config, proposed=repeats, consent=consent, known=known
        )
    for action, fact_id in reversed(results):
        fact = read_fact(db, fact_id or action.target_fact_id or "")
        if fact is not None:
            return fact
    return None


def _allowed(db: Database, case: Case, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> tuple[Case, Consent]:
    consent = read_consent(db, user_id=origin.user_id, config=config)
    gated = gate([case], consent=consent, predicates=predicates, config=config)
    if gated.notes:
        why = gated.notes[0].why
        raise InputError(f"What is stated of user {origin.user_id!r} cannot be kept, since {why}; note their leave with consent().")
    return gated.cases[0], consent


def _still_holds(db: Database, repeats: Action, case: Case) -> bool:
    """Whether the fact that is repeated has the same key, and is believed as it was."""
    target = read_fact(db, repeats.target_fact_id or "")
    seen = next((fact for fact in case.beliefs if target is not None and fact.fact_id == target.fact_id), None)
    return target is not None and seen is not None and target.key == case.candidate.key and _held(target) == _held(seen)


def _held(fact: Fact) -> tuple[object, ...]:
    return fact.status, fact.object, fact.denies, fact.valid_to
