"""Check what a model wrote against what it was given: no invented person, place or time comes into memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from memdb.household import household_rules

_HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CLOCK = re.compile(
    r"\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2}\s?(?:[ap]\.m\.|[ap]m\b|h\b|-?ish\b)|\bo['’]?clock\b|\b(?:half|quarter) (?:past|to)\b"
    r"|\b(?:at|around|about|by|before|after|past|until|till|since) \d{1,2}\b(?![:.]\d|\s?(?:[ap]\.?m\b|%|°|degrees?\b|[a-z]+s\b))"
    rf"|\b(?:at|around|about|by|before|after|past|nearly|almost|until|till|since|half) {_HOUR}"
    r"(?= ?(?:[.,;:!?—–]|$|in the|this|every|each|sharp|on\b|when\b|as\b|i\b))"
    rf"|\b{_HOUR}[- ](?:ish|fifteen|twenty|thirty|forty|fifty)\b|\b{_HOUR}ish\b|\b(?:to|past) {_HOUR}\b(?= ?(?:[.,;:!?—–]|$|when\b|in the))"
    rf"|\b{_HOUR} in the (?:morning|afternoon|evening)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_DATED = re.compile(r"\b(?:in|of|on|last|next|since|early|late|mid|until|every|through)\W+$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CAPITAL = re.compile(r"[^\W\d_a-zß-öø-ÿ]")
_SENTENCE_END = re.compile(r"[.!?:…][^\w\s]*\s*[^\w\s]*\s*$")
_POSSESSIVE = re.compile(r"['’](?:s|d|ll|ve|re|m|t)$", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself)\b", re.IGNORECASE)


def what_is_untrue(content: str, *, given: Iterable[str]) -> str | None:
    """Return in a few words why a memory cannot be kept, or None.

    `given` is all that may be named: the events, who and where they were, when, and the persona. It must be in the first person, name no
    clock time, no number in digits, no person, place or thing by a proper name, no room and no part of time that is not in what was given.
    """
    text = "\n".join(given)
    known = {part for word in _WORD.findall(text) for part in (word.casefold(), _bare(word))}
    if not content.strip():
        return "it says nothing"
    if not _FIRST_PERSON.search(content):
        return "it is not in the first person"
    for match in _CLOCK.finditer(content):
        if match[0].casefold() not in text.casefold():
            return f"it names the time {match[0]!r}, which is in no event; name the part of the day"
    numbers = set(_NUMBER.findall(text))
    for match in _NUMBER.finditer(content):
        if match[0] not in numbers:
            return f"it names the number {match[0]!r}, which is in no event"
    words = _check_words()
    for match in _WORD.finditer(content):
        word = _bare(match[0])
        if word in known or word.rstrip("s") in known or f"{word}s" in known:
            continue
        if word in words["places"]:
            return f"it names the place {match[0]!r}, which is in no event"
        begins = match.start() == 0 or bool(_SENTENCE_END.search(content[: match.start()]))
        capital = bool(_CAPITAL.match(match[0]))
        if word in words["verbs_too"] and not (capital and not begins) and not _DATED.search(content[: match.start()]):
            continue  # "it may be" is no month
        if word in words["names_of_times"] and not (word == "bedtime" and "bed" in known):
            return f"it names the time {match[0]!r}, which is not when it was"
        common = word in words["openers"] or word.endswith(("ing", "ly")) or bool(re.search(rf"\b{word}\b", content))
        if capital and not (begins and common) and word not in ("i", "ai"):
            return f"it names {match[0]!r}, who or which is in no event"
    return None


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())


@cache
def _check_words() -> dict[str, frozenset[str]]:
    check = household_rules().check
    return {name: frozenset(str(words).split()) for name, words in check.model_dump().items()}
