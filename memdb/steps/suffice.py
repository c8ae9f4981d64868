"""Decide whether what was found among the hot and the warm is enough, or the cold is to be asked, too."""

from __future__ import annotations

from memdb.answers import Hits, Verdict
from memdb.calibration import topics_told
from memdb.config import Config


def suffice(hits: Hits, *, config: Config) -> bool:
    """Return whether hits that are judged answer their question so surely that nobody need look further.

    By words alone they do so only where what fits best speaks of all that is asked about: something always fits, even what shares one word
    of several.
    """
    verdict = hits.verdict
    if verdict is None or verdict.decision != "answer":
        return False
    if verdict.relevance <= config.abstain_relevance or verdict.confidence < config.abstain_confidence:
        return False
    return hits.semantic > 0 or _speaks_of_all(hits, verdict)


def _speaks_of_all(hits: Hits, verdict: Verdict) -> bool:
    best = next((hit for hit in hits if hit.fact.fact_id == verdict.fact_id), None)
    return best is not None and (best.is_asked_for or topics_told(hits.question, best.fact.value_text) == 1.0)
