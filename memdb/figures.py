"""Numbers as they are kept, and as a sentence tells them."""

from __future__ import annotations

_DECIMALS = 17  # beyond these no two numbers of a share differ
_TOLD = 2  # decimals in a sentence
_KEPT = 6  # decimals of a confidence or an importance that was reckoned: 0.85 + 0.075 is 0.925, not 0.9249999999999999


def to_share(value: float) -> float:
    """Return a confidence, or an importance, as it is kept: within 0 and 1, without what sums of binary fractions leave behind."""
    return max(0.0, min(1.0, round(value, _KEPT)))


def closer(confidence: float, rate: float) -> float:
    """Return what a confirmation adds: it closes a share of the gap to 1.00, c' = c + (1 - c)·rate (mem-skill, Confidence Policy)."""
    return (1.0 - confidence) * rate


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers in as few decimals as tell them apart, but at least two: that "0.70 is below 0.70" is true of no two."""
    enough = next((places for places in range(_TOLD, _DECIMALS) if f"{one:.{places}f}" != f"{other:.{places}f}"), _DECIMALS)
    return _figure(one, enough), _figure(other, enough)


def _figure(value: float, decimals: int) -> str:
    whole, point, rest = f"{value:.{decimals}f}".partition(".")
    return whole + point + rest[:_TOLD] + rest[_TOLD:].rstrip("0")
