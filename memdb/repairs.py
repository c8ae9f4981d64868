"""What somebody puts right in the same breath: "I live in Porto, I mean Braga" says "I live in Braga"."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from functools import cache

from memdb.english_rules import compiled, rules
from memdb.when import find_times

_NEGATIVE = re.compile(r"\b(?:no|not|never|neither|without)\b", re.IGNORECASE)  # "I have no eggs, no milk" puts nothing right
_PREPOSITION = re.compile(r"^(?:on|in|at|to) ", re.IGNORECASE)
_SMALL_NAME = re.compile(r"(?P<before>.*\b(?:in|at|from|to|called|named) )[a-z][\w'&-]+$")
_END = " ,.;:!–—-"


def repaired(sentence: str, *, at: datetime, zone: tzinfo, small: bool) -> str:
    """Return a sentence with what it puts right in place of what was wrong, or as it is: "I'm 34, no, 35" is "I'm 35".

    The right word replaces the last one of its kind before it: a time a time, a name a name, a number a number, a relative a relative.
    In what is typed in `small` letters, a word of no kind may be a name.
    """
    sentence = compiled(rules().takes_back.anew).sub("", sentence)
    found = _repair().search(sentence)
    if found is None or _NEGATIVE.search(sentence, 0, found.start()):
        return sentence
    said, right = sentence[: found.start()], found["right"]
    mended = _with_right(said, right, at=at, zone=zone)
    if mended is None and small and (named := _SMALL_NAME.match(said.rstrip(_END))) and _PREPOSITION.match(right) is None:
        mended = f"{named['before']}{right}"
    return sentence if mended is None else f"{mended}{sentence[found.end() :]}"


def repaired_before(before: str, sentence: str, *, at: datetime, zone: tzinfo) -> str | None:
    """Return the sentence `before` as this one puts it right, if it does nothing else: "Sorry, 35" after "I'm 34"; None if it does not."""
    found = _repaired_first().fullmatch(sentence.strip(_END))
    if found is None or _NEGATIVE.search(before):
        return None
    return _with_right(before, found["right"], at=at, zone=zone)


def _with_right(said: str, right: str, *, at: datetime, zone: tzinfo) -> str | None:
    """A text with its last word of the kind of the right one replaced by that; None where there is none, or it may be another."""
    said, right = said.rstrip(_END), right.strip(_END)
    if _is_time(right, at=at, zone=zone):
        times = find_times(said, at=at, zone=zone)
        return f"{said[: times[0].start]}{right}{said[times[0].end :]}" if len(times) == 1 else None
    right = _PREPOSITION.sub("", right, count=1)
    for alike in rules().takes_back.alike:
        if compiled(alike).fullmatch(right):
            wrong = list(compiled(rf"(?<![\w'-])(?:{alike})(?![\w'-])").finditer(said))
            if not wrong or wrong[-1].group() == right or _is_time(wrong[-1].group(), at=at, zone=zone):
                continue
            if wrong[-1].end() == len(said) or (len(wrong) == 1 and not wrong[0].group().istitle()):
                return f"{said[: wrong[-1].start()]}{right}{said[wrong[-1].end() :]}"
    return None


def _is_time(text: str, *, at: datetime, zone: tzinfo) -> bool:
    spans = find_times(text, at=at, zone=zone)
    return len(spans) == 1 and spans[0].text == text


@cache
def _repair() -> re.Pattern[str]:
    words = rules().takes_back
    return compiled(words.repair.replace("{lead}", words.lead))


@cache
def _repaired_first() -> re.Pattern[str]:
    words = rules().takes_back
    return compiled(words.repair_first.replace("{lead}", words.lead))
