"""Fit the weights of a set to questions whose answers are known."""

from __future__ import annotations

import random
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdb.errors import ConfigError, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEPS = (0.3, 0.15, 0.07)  # how far a weight is moved at a time, coarse to fine
_ROUNDS = 4  # over all weights, for each step
_DEPTH = 10  # places that count
_NOTHING = 1e-9  # a gain that is none, but rounding


@dataclass(frozen=True)
class Example:
    """A question's candidates: `gains` holds 1 for a relevant one and -1 for a wrong one, `parts` their rows, one after the other.

    A row is a number a feature. Both are arrays: lists of hundreds of candidates take four times as much memory, question by question.
    `relevant` counts what is relevant, found or not; `group` names what must not be torn apart between fitting and testing: a user.
    """

    group: str
    parts: array[float]
    gains: array[float]
    relevant: int


@dataclass(frozen=True)
class Fit:
    """Fitted weights, and the mean of any@10, rec@10 and nDCG@10 before and after, on what was fitted and on what was held out."""

    weights: dict[str, float]
    fitted: int
    held_out: int
    fitted_before: float
    fitted_after: float
    held_out_before: float | None
    held_out_after: float | None


def tune(examples: Sequence[Example], *, start: Mapping[str, float], anchor: str, held_out: float, seed: int = 0) -> Fit:
    """Return weights that rank the examples better than `start`, found by coordinate ascent.

    A weight is moved where what is gained is more than one standard error of it, question by question: what may as well be chance is left
    as it was, and a fit carries further beyond its examples.

    `start` names the features in the order of the examples' rows; the weight of `anchor` stays, since only proportions matter. The share
    `held_out` of the groups (or of the questions, where there are fewer than three groups) is kept out of the fit and only measured.

    Raises:
        InputError: there is too little to fit to.
        ConfigError: numpy is not installed.
    """
    try:
        import numpy
    except ImportError as error:
        raise ConfigError("Tuning needs numpy; install memdb[vectors].") from error
    if len(examples) < 4:
        raise InputError(f"A fit takes at least four labelled questions, not {len(examples)}; give more by feedback() or in a file.")
    groups = sorted({example.group for example in examples})
    units = groups if len(groups) >= 3 else list(range(len(examples)))
    out = set(random.Random(seed).sample(units, round(held_out * len(units))))
    kept = [place for place, example in enumerate(examples) if (example.group if len(groups) >= 3 else place) not in out]
    tables = [(numpy.asarray(example.parts).reshape(-1, len(start)), example) for example in examples]  # views: nothing is copied
    fit = [tables[place] for place in kept]
    test = [tables[place] for place in range(len(examples)) if place not in set(kept)]
    if not fit:
        raise InputError(f"Holding out {held_out:.0%} leaves nothing to fit to; hold out less.")
    names = list(start)
    first = numpy.array([start[name] for name in names], dtype="f8")
    last = _ascend(fit, first, still=names.index(anchor))
    return Fit(
        weights={name: round(float(value), 4) for name, value in zip(names, last, strict=True)},
        fitted=len(fit),
        held_out=len(test),
        fitted_before=float(_quality(fit, first).mean()),
        fitted_after=float(_quality(fit, last).mean()),
        held_out_before=float(_quality(test, first).mean()) if test else None,
        held_out_after=float(_quality(test, last).mean()) if test else None,
    )


def _ascend(tables: Sequence[tuple[NDArray[np.float64], Example]], start: NDArray[np.float64], *, still: int) -> NDArray[np.float64]:
    weights, best = start.copy(), _quality(tables, start)
    for step in _STEPS:
        for _ in range(_ROUNDS):
            better = False
            for place in range(len(weights)):
                for move in (step, -step) if place != still else ():
                    tried = weights.copy()
                    tried[place] += move
                    quality = _quality(tables, tried)
                    gained = quality - best
                    if gained.mean() > max(_NOTHING, gained.std() / len(tables) ** 0.5):
                        weights, best, better = tried, quality, True
                        break
            if not better:
                break
    return weights


def _quality(tables: Sequence[tuple[NDArray[np.float64], Example]], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What `_one` gives to each."""
    import numpy

    return numpy.array([_one(table, example, weights) for table, example in tables])


def _one(table: NDArray[np.float64], example: Example, weights: NDArray[np.float64]) -> float:
    """The mean of any@10, rec@10 and nDCG@10; a wrong one takes away the gain that a relevant one brings in its place."""
    import numpy

    scores = table @ weights
    first = numpy.argsort(-scores, kind="stable")[:_DEPTH]
    gains = numpy.asarray(example.gains)[first]
    discounts = 1.0 / numpy.log2(numpy.arange(len(first)) + 2.0)
    ideal = (1.0 / numpy.log2(numpy.arange(min(_DEPTH, max(1, example.relevant))) + 2.0)).sum()
    gained = float((gains * discounts).sum() / ideal)
    if not example.relevant:
        return gained
    right = float((gains > 0).sum())
    return (float(right > 0) + right / example.relevant + gained) / 3
