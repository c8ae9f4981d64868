"""Times of the clock in plain words: "around 7", "8:30", "half past seven", "11:47 PM"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_HALF_DAY, _DAY = 12 * 60, 24 * 60  # minutes
_NOON = 12
_IN_DIGITS = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?:(?P<blank> ?)(?P<half>[ap])\.?m\.?)?", re.IGNORECASE)
_EXACT, _NEAR, _ROUNDED, _ABOUT = 1, 5, 15, 30  # minutes by which a time may be off: 7:12, 7:10, "at seven", "around seven"
_HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MINUTES = {"five": 5, "ten": 10, "quarter": 15, "fifteen": 15, "twenty": 20, "half": 30, "thirty": 30, "forty": 40, "fifty": 50}
_HOUR = f"(?:{'|'.join(_HOURS)})"
_AFTER = (  # what shows that a number in words is an hour: who or what is told of then, with a capital if it is a name
    r"(?= ?(?:[.,;:!?—–]|$|in the|this|every|each|sharp|at night|on\b|when\b|as\b|i\b|(?:he|she|they|we|it|the)\b|(?-i:[A-Z][a-z])))"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})\b(?:\s?(?P<half>[ap])(?:\.m\.|m\b))?",
        rf"\b(?P<minute>half|quarter) (?P<side>past|to)\b(?: (?P<hour>\d{{1,2}}|{_HOUR})\b)?",
        rf"\b(?P<minute>five|ten|twenty)(?: minutes)? (?P<side>past|to) (?P<hour>{_HOUR})\b(?= ?(?:[.,;:!?—–]|$|when\b|in the))",
        rf"\b(?P<hour>\d{{1,2}}|{_HOUR})(?: ?(?P<about>-?ish\b)| ?o['’]?clock\b|\s?(?P<half>[ap])(?:\.m\.|m\b))",
        r"\b(?P<hour>\d{1,2}) ?h\b",
        rf"\b(?P<hour>{_HOUR})[- ](?P<minute>fifteen|twenty|thirty|forty|fifty)\b",
        r"\b(?:at|(?P<about>around|about|by|before|after|past|until|till|since)) (?P<hour>\d{1,2})\b"
        r"(?![:.]\d|\s?(?:[ap]\.?m\b|%|°|degrees?\b|[a-z]+s\b))",
        rf"\b(?P<minute>half) (?P<hour>{_HOUR}){_AFTER}",
        rf"(?<!\bone )\b(?:at|(?P<about>around|about|by|before|after|past|nearly|almost|until|till|since)) (?P<hour>{_HOUR}){_AFTER}",
        rf"\b(?P<about>to) (?P<hour>{_HOUR})\b(?= ?(?:[.,;:!?—–]|$|when\b|in the))",
        rf"\b(?P<hour>{_HOUR}) in the (?:morning|afternoon|evening)\b",
        r"\bo['’]?clock\b",
    )
)
_NOT_QUITE = re.compile(r"\b(?:around|about|by|before|after|past|nearly|almost|until|till|since|toward|towards)\s+$", re.IGNORECASE)


class ClockTime(NamedTuple):
    """A time in somebody's words, which `start` there: the minute of the day, None if unknown, `round` the clock, give or take `within`."""

    words: str
    start: int
    minute: int | None
    round: int
    within: int

    def fits(self, minutes: Iterable[int]) -> bool:
        """Whether one of the minutes of a day may be spoken of in these words."""
        return self.minute is not None and any(
            min((self.minute - one) % self.round, (one - self.minute) % self.round) <= self.within for one in minutes
        )


def clock_times(text: str) -> list[ClockTime]:
    """Return the times of the clock that a text names. Without "am" or "pm", 7 may be either."""
    found: list[ClockTime] = []
    for form in _FORMS:
        for match in form.finditer(text):
            if not any(one.start < match.end() and match.start() < one.start + len(one.words) for one in found):
                found.append(_read(match, about=bool(_NOT_QUITE.search(text[max(0, match.start() - 10) : match.start()]))))
    return sorted(found, key=lambda one: one.start)


def later(words: str, minutes: int) -> str | None:
    """Return the time of the clock so many minutes after another, told as that is: "9am" an hour after "8am", "11" before "12"; None for
    one that is not told in digits, or where it would be another day's."""
    found = _IN_DIGITS.fullmatch(words)
    if found is None:
        return None
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    bare = not half and hour <= _NOON  # of the morning or of the afternoon
    at = (hour % 12 if half or bare else hour) * 60 + int(found["minute"] or 0) + (_HALF_DAY if half == "p" else 0) + minutes
    at = at % _HALF_DAY if bare else at
    if not 0 <= at < _DAY:
        return None
    told = at // 60 if not (half or bare) else (at // 60 - 1) % 12 + 1
    shown = f"{told}:{at % 60:02}" if at % 60 or found["minute"] else str(told)
    return f"{shown}{found['blank']}{'ap'[at >= _HALF_DAY]}m" if half else shown


def _read(match: re.Match[str], *, about: bool) -> ClockTime:
    said = {name: value.casefold() for name, value in match.groupdict().items() if value}
    hour, minute = _number(said.get("hour", "")), _number(said.get("minute", "")) or 0
    if hour is None or hour > 24 or minute > 59:
        return ClockTime(match[0], match.start(), None, _DAY, 0)
    half = said.get("half")
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    at = hour * 60 + (-minute if said.get("side") == "to" else minute)
    shown = said.get("minute", "").isdigit()
    within = _ABOUT if about or "about" in said else _EXACT if minute % 5 else _NEAR if shown else _ROUNDED
    return ClockTime(match[0], match.start(), at % _DAY, _DAY if half or hour > 12 else _HALF_DAY, within)


def _number(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    return _HOURS.index(word) + 1 if word in _HOURS else _MINUTES.get(word)
