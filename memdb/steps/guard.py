"""Decide whether a proposed change may happen by itself: mem-skill's Confidence Policy and Safety Requirements."""

from __future__ import annotations

from collections.abc import Mapping

from memdb.config import Config
from memdb.keys import predicate_of
from memdb.privacy import topic_of
from memdb.records import Action, Consent, Fact, Predicate, Source

_RELIABLE: dict[Source, int] = {"user_message": 5, "tool": 4, "system": 3, "inferred": 2, "assistant_message": 2, "web": 1}
_RISKY_TOPICS = ("health", "money")


def guard(
    action: Action,
    target: Fact | None,
    *,
    predicates: Mapping[str, Predicate],
    config: Config,
    consent: Consent | None = None,
    source: Source = "user_message",
) -> Action:
    """Return the action as it may be applied: itself, or a question to the user in its place.

    A change of belief becomes `mark_pending_confirmation`, with both sides kept, when what is said is itself uncertain, when it is a
    single contradiction of a fact of high confidence, when it comes from a less reliable `source` than what it contradicts, or when the key
    is high risk (identity, health, finance, by the vocabulary or by its words) and the change was not stated as such with a confidence of
    at least `config.high_risk_confidence`. A pending fact of high risk that is merely said again
    stays pending until its confidence reaches that mark. Where `consent` says to ask, a fact on a sensitive topic is kept pending until it
    is confirmed, however often it is said.
    """
    said = action.candidate
    if consent is not None and consent.sensitive_topics == "ask" and said is not None and not said.negated and (topic := topic_of(said)):
        if action.type == "supersede" or (action.type == "insert" and target is None):
            return action.model_copy(update={"type": "mark_pending_confirmation", "reason": f"about {topic}: waits for leave to be kept"})
        if action.type == "update" and target is not None and target.status == "pending_confirmation":
            return action.model_copy(update={"type": "noop", "reason": f"said again, but about {topic}: waits for leave to be kept"})
    if target is None or said is None:
        return action
    risky = predicate_of(target.key, predicates).high_risk or target.category in ("identity", "health") or topic_of(said) in _RISKY_TOPICS
    stated = said.explicit and said.confidence >= config.high_risk_confidence
    raised = target.confidence + action.confidence_delta
    waits = target.status == "pending_confirmation" and risky and not stated and raised < config.high_risk_confidence
    if action.type == "update" and waits:
        return action.model_copy(update={"type": "noop", "reason": "said again, but of high risk: waits for an explicit confirmation"})
    if action.type == "update" and risky and said.confidence < config.certain_confidence:
        return action.model_copy(update={"type": "noop", "confidence_delta": 0.0, "reason": "too uncertain to refine a fact of high risk"})
    if action.type not in ("supersede", "expire"):
        return action
    doubt = _doubt(action, target, risky=risky, stated=stated, config=config)
    if doubt is None and _RELIABLE[source] < _RELIABLE[target.source]:
        doubt = f"from a less reliable source ({source}), against {target.object!r}"
    return action if doubt is None else action.model_copy(update={"type": "mark_pending_confirmation", "reason": doubt})


def _doubt(action: Action, target: Fact, *, risky: bool, stated: bool, config: Config) -> str | None:
    said = action.candidate
    assert said is not None
    against = f"against {target.object!r}"
    if said.confidence < config.certain_confidence:
        return f"too uncertain to change a belief, {against}"
    if said.negated:  # a plain denial by the user is as explicit as can be
        return f"of high risk and not said plainly, {against}" if risky and said.confidence < config.high_risk_confidence else None
    if risky and not stated:
        return f"of high risk and not said to have changed, {against}"
    if target.confidence >= config.high_confidence and not said.explicit:
        return f"a single contradiction of something well known, {against}"
    return None
