"""Tell by the words of what is said whether it denies what is believed: applications and small models seldom say so beside it."""

from __future__ import annotations

from collections.abc import Mapping

from memdb.config import Config
from memdb.figures import closer
from memdb.keys import is_denial, is_said_again, negates
from memdb.records import Action, Candidate, Case, Predicate, parts_of

_DENIED = ("fact", "note")  # what else is to be done, or happened


def as_meant(case: Case, *, kind: str, predicates: Mapping[str, Predicate]) -> Candidate:
    """Return what is said, marked as a denial where its words deny what is believed, or what its key and its object say.

    An object alone does not tell: "User does not live in Porto" is said of Porto, too. What denies a belief by its words denies it whatever
    object it is given.
    """
    said = case.candidate
    parts = parts_of(said.value_json)
    if kind not in _DENIED or said.denies or said.negated or "polarity" in parts or not negates(said.value_text):
        return said
    vocabulary = predicates.get(said.predicate)
    whole = said.object == said.value_text
    denied = None if vocabulary is None or whole or not is_denial(said.value_text, f"{vocabulary.label} {said.object}") else said.object
    for fact in case.beliefs:
        again = is_said_again(said.value_text, fact.value_text) if fact.denies else is_denial(said.value_text, fact.value_text)
        if denied is None and again and fact.key == said.key:
            denied = fact.object
    if denied is None:
        return said
    return said.model_copy(update={"object": denied, "value_json": {**parts, "object": denied, "polarity": "negative"}})


def undenied(case: Case, *, kind: str, config: Config) -> Action | None:
    """Return the change from a belief that denies, by its words alone, what is said; None if there is none."""
    said = case.candidate
    if kind not in _DENIED or said.denies or said.negated or negates(said.value_text):
        return None
    for fact in case.beliefs:
        if fact.key == said.key and fact.status == "active" and not fact.denies and is_denial(fact.value_text, said.value_text):
            return Action(
                type="supersede",
                key=said.key,
                new_value_text=said.value_text,
                new_value_json=said.value_json,
                target_fact_id=fact.fact_id,
                valid_from=said.valid_from,
                valid_to=said.valid_to,
                confidence_delta=round(closer(config.first_confidence, config.confirmation_rate), 6),
                reason=f"denied so far: {fact.value_text!r}",
                candidate=said,
            )
    return None
