"""Where a clause begins that nothing marks: "im 34 i live in hull my wife is a nurse" is written with commas."""

from __future__ import annotations

import re
from functools import cache

from memdb.english_rules import compiled, filled_in, rules

_LABEL = 2  # words, which may say who speaks
_NEAR, _NEXT = 60, 24  # characters before a clause, in which the noun stands that it may tell more of, and the words that it may belong to
_DIGIT = re.compile(r"\d")


def with_commas(sentence: str) -> str:
    """Return a sentence with a comma wherever a clause begins in it that no comma and no "and" stands before.

    A clause is told by its beginning, "i live in" or "my wife is". Where it may belong to what stands before it ("I think | i live in",
    "the house | i live in"), none begins.
    """
    small = sentence.lower()
    if len(small) != len(sentence):  # a letter that is two in small letters: places would not agree
        return sentence
    parts, end = list[str](), 0
    for found in _begins().finditer(small):
        if not _belongs(small, found):
            if not parts and _is_anothers(small[: found.start()]):
                return sentence
            parts.append(sentence[end : found.start()])
            end = found.start()
    sentence = ",".join((*parts, sentence[end:])) if parts else sentence
    return compiled(rules().phrase["age_unmarked"]).sub(r"\g<said>,", sentence) if _DIGIT.search(sentence) else sentence


def _is_anothers(before: str) -> bool:
    """Whether what follows the beginning of a sentence may be another's words, or a text to work on: "draft a message | i am"."""
    if before.count(" ") < _LABEL and _like("no_label").match(before) is None:
        return True
    return _like("others_words").search(before) is not None


def _belongs(small: str, found: re.Match[str]) -> bool:
    """Whether what looks like a clause of its own goes with the words before it."""
    near = small[max(0, found.start() - _NEAR) : found.start()]
    if _like("leads_on").search(near[-_NEXT:]) is not None:
        return True
    if found["bids"]:
        return _like("leads_on_to_bid").search(near[-_NEXT:]) is not None
    return found["gap"] is not None and _like("narrowed_by").search(near) is not None


@cache
def _like(name: str) -> re.Pattern[str]:
    """A pattern of the rules for a text in small letters, in which it is found much sooner than in any."""
    return re.compile(filled_in(rules().phrase[name]))


@cache
def _begins() -> re.Pattern[str]:
    return re.compile(filled_in(rf" (?<=\w )(?=(?:{rules().phrase['begins_so']})\b)(?=(?:{_ways()})(?!\w))"))


def _ways() -> str:
    phrase = rules().phrase
    return f"{phrase['begins_unmarked']}|(?P<gap>{phrase['begins_or_narrows']})|(?P<bids>{phrase['begins_to_bid']})"
