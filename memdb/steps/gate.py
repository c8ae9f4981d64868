"""Decide whether what a turn says is written down at all: confidence, privacy, novelty."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memdb.config import Config
from memdb.embed import Embedder, check_vectors
from memdb.keys import normalise, predicate_of, says_no_more, telling
from memdb.privacy import secret_in, topic_of, without_secrets
from memdb.records import Action, Candidate, Case, Consent, Fact, Note, Predicate

log = logging.getLogger("memdb")


@dataclass(frozen=True, slots=True)
class Gated:
    """What may pass, each with the repetition that it is, or None; and what may not, with the reason."""

    cases: tuple[tuple[Case, Action | None], ...]
    notes: tuple[Note, ...]


def gate(
    cases: Sequence[Case],
    related: Sequence[Fact],
    *,
    consent: Consent,
    embedder: Embedder | None,
    predicates: Mapping[str, Predicate],
    config: Config,
) -> Gated:
    """Return the cases that are worth a decision.

    Refused are secrets and sensitive topics, as far as `consent` does not allow them, and new facts that the extractor is less sure of
    than `config.gate_confidence`; a doubt about something believed passes, since it may become a question. What only repeats a belief in
    other words is a noop that refreshes it. A fact repeats another if their meanings are as near as `config.novelty_cosine` and its
    object says no more: near in meaning are "lives in Lisbon" and "lives in Porto", too. Without an embedder, or when it fails, every
    fact passes as new.
    """
    passed: list[tuple[Case, Action | None]] = []
    notes: list[Note] = []
    for case in cases:
        why = _refusal(case, consent, predicate_of(case.candidate.key, predicates), config)
        if why is not None:
            notes.append(Note(step="gate", key=case.candidate.key, why=why))
            continue
        said, single = case.candidate, predicate_of(case.candidate.key, predicates).cardinality == "one"
        if consent.secrets == "refuse" and said.excerpt != (excerpt := without_secrets(said.excerpt)):
            case = case.model_copy(update={"candidate": said.model_copy(update={"excerpt": excerpt})})
        passed.append((case, _repetition(case.candidate, [*case.beliefs, *related], embedder, config, single=single)))
    return Gated(tuple(passed), tuple(notes))


def _refusal(case: Case, consent: Consent, predicate: Predicate, config: Config) -> str | None:
    said = case.candidate
    if consent.secrets == "refuse" and (secret := secret_in(said)):
        return f"it holds a secret ({secret}), and none is to be kept"
    if consent.sensitive_topics == "refuse" and not said.negated and (topic := topic_of(said)):
        return f"it is about {topic}, of which nothing is to be kept"
    if said.confidence < config.gate_confidence and not said.negated and not _is_doubt(case, predicate):
        return f"the extractor is only {said.confidence:.2f} sure of it, and {config.gate_confidence:.2f} is wanted"
    return None


def _is_doubt(case: Case, predicate: Predicate) -> bool:
    """Whether a candidate bears on something that is believed, rather than being new beside it."""
    said = normalise(case.candidate.object)
    return any(predicate.cardinality == "one" or normalise(fact.object) == said for fact in case.beliefs)


def _repetition(said: Candidate, known: Sequence[Fact], embedder: Embedder | None, config: Config, *, single: bool) -> Action | None:
    """The refreshing of the nearest fact that a candidate says again in other words, or None."""
    bounded = said.negated or said.denies or said.temporary or said.event_time is not None or said.valid_to is not None
    if embedder is None or bounded or any(_is_same(said, fact) for fact in known):  # what is said in the same words needs no vectors
        return None
    alike = [fact for fact in known if _may_repeat(said, fact, single=single)]
    nearness = _cosines(said.value_text, [fact.value_text for fact in alike], embedder) if alike else []
    near = [(cosine, fact) for cosine, fact in zip(nearness, alike, strict=True) if cosine >= config.novelty_cosine]
    if not near:
        return None
    cosine, nearest = max(near, key=lambda pair: (pair[0], pair[1].fact_id))
    return Action(
        type="noop",
        key=nearest.key,
        new_value_text=said.value_text,
        new_value_json=said.value_json,
        target_fact_id=nearest.fact_id,
        valid_to=nearest.valid_to,
        confidence_delta=round((1.0 - nearest.confidence) * config.confirmation_rate, 6),
        reason=f"said again in other words (cosine {cosine:.2f})",
        candidate=said,
    )


def _is_same(said: Candidate, fact: Fact) -> bool:
    return fact.key == said.key and normalise(fact.object) == normalise(said.object)


def _may_repeat(said: Candidate, fact: Fact, *, single: bool) -> bool:
    """Whether the words leave a fact to be the same: of the same key, or of another key in the same sentence."""
    if fact.status != "active" or fact.denies or fact.valid_to is not None or fact.event_time is not None:
        return False
    if fact.key == said.key:
        plain = single and set(normalise(said.object).split()) <= set(normalise(fact.object).split())  # which the rules see by themselves
        return not plain and says_no_more(said.object, fact.object)
    same_subject = fact.key.partition(".")[0] == said.subject
    return same_subject and telling(said.value_text) == telling(fact.value_text) and says_no_more(said.object, fact.object)


def _cosines(text: str, others: Sequence[str], embedder: Embedder) -> list[float]:
    """How near each text is to the first. Both are embedded here, so that the answer does not depend on what is already indexed."""
    texts = [text, *others]
    try:
        vectors = check_vectors(embedder.embed(texts), count=len(texts), dimension=embedder.dimension, embedder=embedder.name)
    except Exception as error:  # an embedder is foreign code; whatever it raises must not cost the user a fact
        log.warning("whether a fact is new was decided by its words alone, since the embedder failed: %s", error)
        return [0.0] * len(others)
    first = [float(value) for value in vectors[0]]
    return [sum(mine * float(theirs) for mine, theirs in zip(first, vector, strict=True)) for vector in vectors[1:]]
