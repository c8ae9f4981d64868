"""Decide whether what was found is good enough to answer from: answer, clarify, verify, or abstain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memdb.answers import STILL_RIGHT, STILL_RIGHT_MOST, Doubt, Hit, Hits, Question, Verdict
from memdb.calibration import elsewhere, evidence_of, probability_of, topics_told
from memdb.config import Config
from memdb.figures import told_apart
from memdb.naming import nameless
from memdb.of_others import whose
from memdb.records import Decision

_CHECKABLE = ("tool", "web_scraped", "system")
_UNANSWERED = "Nothing remembered answers this by itself: heed what stands here, say what is missing, do not guess."
_PLAINLY = "The memory may not hold the answer to this; if it does not say it plainly, say so."
_SUITING = "A suggestion is asked for: heed what stands here of what the user likes, avoids or cannot have."
_OF_OTHERS = "What stands here of this is told of others, not of the user; say that the user has not told it, do not guess."
_EVEN = 0.5  # where a calibration has no threshold


def judge(hits: Hits, *, doubts: Sequence[Doubt], calibration: Mapping[str, float], config: Config) -> Verdict:
    """Return the verdict on what was found for a question, which must have been retrieved as `judged`.

    Where the item of highest priority bears on the question (`config.abstain_relevance`) but is not sure (`config.abstain_confidence`), the
    user is asked if the user can tell, a tool is called if it came from one, and otherwise nothing is claimed. The user is also asked where
    one of `doubts` is about what is nearest to the question and both its sides bear on it, or where the best item is pending itself.
    What is of something else (`calibration.elsewhere`) or of somebody else (`of_others.whose`) does not bear on it, nor does what names
    nobody (`naming.nameless`) where a name is asked for. Nothing is claimed either where nothing bears on the question, where what
    tells of it is told of somebody else, or where the calibrated probability of an answer is below `config.abstain_probability`, or if
    that is not set below the `threshold` that was fitted with the calibration; but of what is held under a key that the question asks for
    it is claimed whatever the probability and whoever else it is told of. Who asks for a suggestion needs no answer, only what is to suit.
    """
    bearing = [hit for hit in hits if hit.bears(config.bearing_match) and not _of_its_day_alone(hits.question, hit, config.bearing_match)]
    of = whose(hits)
    if other := elsewhere(hits).union(of.of_others, nameless(hits)):
        bearing = [hit for hit in bearing if hit.fact.fact_id not in other]
    is_held = any(hit.is_asked_for for hit in bearing)
    is_to_suit = any(hit.suits for hit in hits)
    if of.only and not is_held:
        return _verdict("abstain", "what was found is told of somebody else", None, None, _OF_OTHERS)
    if not bearing:
        return _verdict("abstain", "nothing remembered bears on it", None, None, _SUITING if is_to_suit else _UNANSWERED)
    top = max(bearing, key=lambda hit: (hit.priority or 0.0, hit.score))
    probability = probability_of(evidence_of(hits), calibration)
    relevance, confidence = top.relevance or 0.0, top.confidence_now or 0.0
    doubt = _concerned(bearing, top, doubts)
    if doubt is not None:
        waits = "what fits best waits for leave to be remembered" if doubt.leave else "what fits best was never confirmed"
        why = "two memories contradict each other" if doubt.against else waits
        told = "Do not decide between them" if doubt.against else "Do not rely on it yet"
        return _verdict("clarify", why, top, probability, f"{told}; ask: {doubt.question}", doubt.question)
    if relevance > config.abstain_relevance and confidence < config.abstain_confidence:
        why = f"what fits best is not sure enough ({' < '.join(told_apart(confidence, config.abstain_confidence))})"
        if top.fact.source in _CHECKABLE:
            return _verdict("verify", why, top, probability, "Check the marked memory with a tool before relying on it.")
        if top.fact.source in ("user_message", "inferred") and top.fact.kind != "message":
            asked = STILL_RIGHT.format(said=" ".join(top.fact.value_text.split())[:STILL_RIGHT_MOST])
            return _verdict("clarify", why, top, probability, f"Ask before relying on it: {asked}", asked)
        return _verdict("abstain", why, top, probability, "The memory is not sure about this; say so, do not guess.")
    least = calibration.get("threshold", _EVEN) if config.abstain_probability is None else config.abstain_probability
    if probability is not None and probability < least and not is_held:
        why = f"what was found hardly answers it (probability {probability:.2f})"
        return _verdict("abstain", why, top, probability, _SUITING if is_to_suit else _PLAINLY)
    sure = config.hedge_confidence
    unsure = f", but is not sure ({' < '.join(told_apart(confidence, sure))})" if confidence < sure else ""
    return _verdict("answer", f"what was found bears on it{unsure}", top, probability, None)


def _of_its_day_alone(question: Question, hit: Hit, least: float) -> bool:
    """Whether a hit shares the day with a question that asks for more than what there was on that day, and nothing else."""
    if not question.days or not question.topics or hit.parts.get("date", 0.0) < 1.0 or hit.parts.get("cosine", 0.0) >= least:
        return False
    return not topics_told(question, hit.fact.value_text)


def _concerned(bearing: Sequence[Hit], top: Hit, doubts: Sequence[Doubt]) -> Doubt | None:
    """The doubt that an answer would depend on. A message is no side of it: that something was said is beyond doubt."""
    found = {hit.fact.fact_id for hit in bearing if hit.fact.kind != "message"}
    nearest = max(bearing, key=lambda hit: (hit.fact.fact_id in found, _nearness(hit), hit.score)).fact.fact_id
    for doubt in doubts:
        sides = {doubt.fact_id, doubt.against or doubt.fact_id}
        if nearest in sides and sides <= found and (doubt.against or not doubt.leave):
            return doubt
    return next((doubt for doubt in doubts if doubt.fact_id == top.fact.fact_id), None)


def _nearness(hit: Hit) -> float:
    """How near a hit is to the question, by words and by meaning; how sure or how important it is does not count."""
    return hit.parts.get("lexical", 0.0) + hit.parts.get("match", 0.0)


def _verdict(
    decision: Decision, reason: str, top: Hit | None, probability: float | None, instruction: str | None, question: str | None = None
) -> Verdict:
    return Verdict(
        decision=decision,
        reason=reason,
        relevance=(top.relevance or 0.0) if top else 0.0,
        confidence=(top.confidence_now or 0.0) if top else 0.0,
        probability=probability,
        fact_id=top.fact.fact_id if top else None,
        instruction=instruction,
        question=question,
    )
