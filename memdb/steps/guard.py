"""Decide whether a proposed change may happen by itself: mem-skill's Confidence Policy and Safety Requirements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from memdb.config import Config
from memdb.keys import predicate_of
from memdb.privacy import is_high_risk, topic_of
from memdb.records import RELIABILITY, UNDECIDED, Action, Candidate, Consent, Fact, Predicate, Source

_RISKY_TOPICS = ("health", "money")
_LONG_BEFORE = timedelta(days=365)
_TOLERANCE = 0.11  # what a tool has verified counts as much as what the user says, an inference as much as the web


def guard(
    action: Action,
    target: Fact | None,
    *,
    predicates: Mapping[str, Predicate],
    config: Config,
    consent: Consent | None = None,
    source: Source = "user_message",
    confidence: float | None = None,
) -> Action:
    """Return the action as it may be applied: itself, or a question to the user in its place.

    A change of belief becomes `mark_pending_confirmation`, with both sides kept, when what is said is itself uncertain, when it is a
    single contradiction of a fact of high confidence whose source is not clearly less reliable, when it is of a change or an end long
    before the belief was first stated ("I moved to Rome in 2010", by somebody who lives in Lisbon), when it comes from a `source` that is
    clearly less reliable than the belief's, such as the web against the user, or when the key is high risk (identity, health, finance, by
    the vocabulary or by its words) and the change was not stated as such with a confidence of at least `config.high_risk_confidence`. Who
    says since when something is so states a change, where that is after the other was said last.

    A pending or uncertain fact of high risk that is merely said again stays so until its confidence reaches that mark, and one that only
    such sources say stays so, too; where it answers a question, it is no longer merely said. Where `consent` says to ask, a fact on a
    sensitive topic, or a detail that would turn one towards it, is kept pending until it is confirmed, however often it is said.
    `confidence` is how sure an application is of what it states, where it says so.
    """
    said = action.candidate
    if said is not None and confidence is not None and confidence < said.confidence:
        said = said.model_copy(update={"confidence": confidence})
        action = action.model_copy(update={"candidate": said})
    if consent is not None and consent.sensitive_topics == "ask" and said is not None and not said.negated:
        waiting = _waits_for_leave(action, said, target)
        if waiting is not None:
            return waiting
    if target is None or said is None:
        return action
    risky = predicate_of(target.key, predicates).high_risk or target.category in ("identity", "health")
    risky = risky or topic_of(said) in _RISKY_TOPICS or is_high_risk(target.key)
    plain = said.explicit or _begun_since(said, target) or (said.answered and target.status in UNDECIDED)
    stated = plain and said.confidence >= config.high_risk_confidence
    raised = target.confidence + action.confidence_delta
    waits = target.status in UNDECIDED and risky and not stated and raised < config.high_risk_confidence
    if action.type == "update" and target.status in UNDECIDED and _weaker(source, "user_message"):
        return action.model_copy(update={"type": "noop", "reason": "said again, but not by the user: waits for a confirmation"})
    if (
        action.type == "update"
        and target.status == "pending_confirmation"
        and _long_ago(said, target)
        and said.valid_from == target.valid_from
    ):
        return action.model_copy(update={"type": "noop", "reason": "said again, but so long ago that it may be what was before"})
    if action.type == "update" and waits:
        return action.model_copy(update={"type": "noop", "reason": "said again, but of high risk: waits for an explicit confirmation"})
    if action.type == "update" and risky and said.confidence < config.certain_confidence:
        return action.model_copy(update={"type": "noop", "confidence_delta": 0.0, "reason": "too uncertain to refine a fact of high risk"})
    if action.type not in ("supersede", "expire"):
        return action
    doubt = _doubt(action, target, risky=risky, plain=plain, stated=stated, surer=_weaker(target.source, source), config=config)
    if doubt is None and _weaker(source, target.source):
        doubt = f"the source ({source}) is less reliable than that of {target.object!r} ({target.source})"
    return action if doubt is None else action.model_copy(update={"type": "mark_pending_confirmation", "reason": doubt})


def _waits_for_leave(action: Action, said: Candidate, target: Fact | None) -> Action | None:
    """What becomes of an action that would keep something on a sensitive topic that was not kept before; None if it would not."""
    topic, known = topic_of(said), None if target is None else topic_of(target)
    if action.type == "update" and target is not None and target.status in UNDECIDED and (topic or known):
        return action.model_copy(update={"type": "noop", "reason": f"said again, but about {topic or known}: waits for leave to be kept"})
    new = action.type in ("supersede", "insert") or (action.type == "update" and known is None)  # also what was so once
    if topic is None or not new:
        return None
    return action.model_copy(update={"type": "mark_pending_confirmation", "reason": f"about {topic}: waits for leave to be kept"})


def _weaker(source: Source, than: Source) -> bool:
    """Whether one source is so much less reliable than another that being more recent does not make up for it."""
    return RELIABILITY[source] < RELIABILITY[than] - _TOLERANCE


def _long_ago(said: Candidate, target: Fact) -> bool:
    """Whether a change is told that was long before something else was first stated, which may be what came after."""
    return said.explicit and said.valid_from is not None and said.valid_from < target.created_at - _LONG_BEFORE


def _begun_since(said: Candidate, target: Fact) -> bool:
    """Whether something is said to have begun after the other was said last: "in York since May", of who lived in Leeds in March."""
    last = target.last_mentioned_at or target.created_at
    return said.valid_from is not None and said.valid_from > last and not (said.temporary or said.negated)


def _doubt(action: Action, target: Fact, *, risky: bool, plain: bool, stated: bool, surer: bool, config: Config) -> str | None:
    said = action.candidate
    assert said is not None
    against = f"against {target.object!r}"
    if said.confidence < config.certain_confidence:
        return f"too uncertain to change a belief, {against}"
    if said.negated and _long_ago(said, target) and target.status == "active":  # "I left Siemens in 2012", and may be back since
        return f"so long ago that it may have begun anew, {against}"
    if said.negated and (said.explicit or target.status == "pending_confirmation"):  # "not any more" is as plain as can be
        return f"of high risk and not said plainly, {against}" if risky and said.confidence < config.high_risk_confidence else None
    if risky and not stated:
        return f"of high risk and not {'said plainly' if plain else 'said to have changed'}, {against}"
    if _long_ago(said, target):
        return f"so long ago that it may be what was before, {against}"
    if target.confidence >= config.high_confidence and not (said.explicit or _begun_since(said, target)) and not surer:
        return f"a single contradiction of something well known, {against}"
    return None
