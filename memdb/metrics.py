"""How good an answer is: the usual measures of a ranking against what was known to be relevant."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

MEASURES = ("any@1", "any@5", "any@10", "any@20", "rec@10", "rec@20", "all@10", "nDCG@10", "MRR")
"""What `judge` returns, in the order of a report."""


def judge(found: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """Return the measures of one ranking, each in 0..1; `found` is best first, `relevant` is not empty.

    any@k: something relevant is among the first k. rec@k: the share of what is relevant that is. all@10: all of it is.
    nDCG@10: the gain 1/log2(place + 1) of each relevant one, over that of the best possible ranking. MRR: one over the first place, 0 where
    none of those found is relevant.
    """
    wanted = set(relevant)
    places = [place for place, one in enumerate(found, start=1) if one in wanted]
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(wanted)) + 1))
    result = {f"any@{k}": float(any(place <= k for place in places)) for k in (1, 5, 10, 20)}
    result |= {f"rec@{k}": sum(place <= k for place in places) / len(wanted) for k in (10, 20)}
    result["all@10"] = float(result["rec@10"] == 1.0)
    result["nDCG@10"] = sum(1 / math.log2(place + 1) for place in places if place <= 10) / ideal
    result["MRR"] = 1 / places[0] if places else 0.0
    return result


def average(judged: Iterable[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over one question or more."""
    rows = list(judged)
    return {measure: fmean(row[measure] for row in rows) for measure in MEASURES}
