"""Numbers as they are kept, and as a sentence tells them."""

from __future__ import annotations

import re

_DECIMALS = 17  # beyond these no two numbers of a share differ
_TOLD = 2  # decimals in a sentence
_KEPT = 6  # decimals of a confidence or an importance that was reckoned: 0.85 + 0.075 is 0.925, not 0.9249999999999999
_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_LONGEST = 300  # digits of a number that is read
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
FIGURE = re.compile(
    rf"(?P<digits>\d+(?:,\d{{3}})*)"
    rf"|\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<and>{'|'.join(_ONES[:9])}))?|(?P<ones>{'|'.join(_ONES)}|twice))\b",
    re.IGNORECASE,
)
"""A number in English, in digits or, up to ninety-nine, as a word; `digits` tells which."""


def digits(match: re.Match[str]) -> str:
    """Return a `FIGURE` that was found in digits."""
    if match["digits"]:
        number = match["digits"].replace(",", "")
        return str(int(number)) if len(number) <= _LONGEST else number  # Python refuses to read a number of thousands of digits
    if match["ones"]:
        word = match["ones"].casefold()
        return "2" if word == "twice" else str(_ONES.index(word) + 1)
    ones = _ONES.index(match["and"].casefold()) + 1 if match["and"] else 0
    return str((_TENS.index(match["tens"].casefold()) + 2) * 10 + ones)


def in_digits(text: str) -> str:
    """Return a text with its numbers in digits: "thirty-three" as "33"."""
    return FIGURE.sub(digits, text)


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
