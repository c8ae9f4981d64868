"""Decide whether what is said may be written down at all: confidence and privacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from memdb.config import Config
from memdb.figures import told_apart
from memdb.keys import normalise, predicate_of
from memdb.privacy import holds, not_allowed, quotable
from memdb.records import Case, Consent, Note, Predicate


@dataclass(frozen=True, slots=True)
class Gated:
    """What may pass, and what may not, with the reason."""

    cases: tuple[Case, ...]
    notes: tuple[Note, ...]


def gate(
    cases: Sequence[Case], *, consent: Consent, predicates: Mapping[str, Predicate], config: Config, told: Set[str] = frozenset()
) -> Gated:
    """Return the cases that are worth a decision.

    Refused are secrets and sensitive topics, as far as `consent` does not allow them, and new facts that the extractor is less sure of
    than `config.gate_confidence`; a doubt about something believed passes, since it may become a question. What is `told` to be a secret
    is one under whatever key it comes. What only repeats something is `liken`'s business.
    """
    passed: list[Case] = []
    notes: list[Note] = []
    for case in cases:
        said = case.candidate
        why = _refusal(case, consent, predicate_of(said.key, predicates), config, told)
        if why is not None:
            notes.append(Note(step="gate", key=said.key, why=why))
            continue
        if said.excerpt != (excerpt := quotable(said.excerpt, consent)):
            case = case.model_copy(update={"candidate": said.model_copy(update={"excerpt": excerpt})})
        passed.append(case)
    return Gated(tuple(passed), tuple(notes))


def _refusal(case: Case, consent: Consent, predicate: Predicate, config: Config, told: Set[str]) -> str | None:
    said = case.candidate
    if (why := not_allowed(said, consent)) is not None:
        return why
    if consent.secrets == "refuse" and any(holds(f"{said.object}\n{said.value_json}", secret) for secret in told):
        return "it holds what is named as a secret beside it, and none is to be kept"
    if said.confidence < config.gate_confidence and not said.negated and not _is_doubt(case, predicate):
        confidence, least = told_apart(said.confidence, config.gate_confidence)
        return f"the extractor is only {confidence} sure of it, and {least} is wanted"
    return None


def _is_doubt(case: Case, predicate: Predicate) -> bool:
    """Whether a candidate bears on something that is believed, rather than being new beside it."""
    said = normalise(case.candidate.object)
    return any(predicate.cardinality == "one" or normalise(fact.object) == said for fact in case.beliefs)
