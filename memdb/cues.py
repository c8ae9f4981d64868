"""What a question says about time without naming a date: that it is about the past, and which change it counts from."""

from __future__ import annotations

import re

from memdb.records import Record

_PAST = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|in the past|back then|at that time|originally|in those days|once|no longer|any ?more"
    r"|last time|the old)\b"
    r"|\b(?:before|until|till) (?:i|we|you|he|she|they|the|my|our)\b"
    r"|^\W*(?:where|what|who|which|how|whose|whom)\b[^?]*\b(?:did|was|were|had)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?P<way>before|until|till|prior to|after|since)\s+(?:(?:i|we|you|he|she|they|(?-i:[A-Z])\w+)\s+(?:had |have |has |'d |ever )?"
    r"|(?:my|our|the|his|her|their|getting|being)\s+|(?=[a-z]{2,}ing\b))(?P<what>[a-z]+)",
    re.IGNORECASE,
)
_STEMS = re.compile(r"(?:ing|ed|es|s|e)$")


class Change(Record):
    """A change that a question counts from: "before I moved" is {way: "before", stem: "mov"}, and "since moving" is "after" it."""

    way: str
    stem: str


def asks_past(text: str) -> bool:
    """Whether a question asks for what was, so that what is believed no longer may answer it."""
    return bool(_PAST.search(text))


def change_in(text: str) -> Change | None:
    """Return the change that a question counts from, or None."""
    match = _CHANGE.search(text)
    if match is None:
        return None
    way = "after" if match["way"].lower() in ("after", "since") else "before"
    stem = _STEMS.sub("", match["what"].lower())
    return Change(way=way, stem=stem) if len(stem) > 2 else None
