"""Check what a model wrote against what it was given: no invented person, place or time comes into memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from memdb.household import household_rules, telling_words

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
_SENTENCE = re.compile(r"[^.!?…]+")
_FIRST_PERSON = re.compile(r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself)\b", re.IGNORECASE)


def what_is_untrue(
    content: str, *, given: Iterable[str], events: Iterable[str] = (), names: Iterable[str] = (), prompt: str = ""
) -> str | None:
    """Return in a few words why a memory cannot be kept, or None.

    It must be in the first person, must not go round in circles, and must name no clock time, no number in digits, no person, place or
    thing by a proper name, no room and no part of time that is not `given`: in the events, in who and where they were, when, and the
    persona. Where there are `events`, it must tell of something in them besides the `names` of those who were there; and it must not be an
    example of the `prompt`.
    """
    text = "\n".join(given)
    known = {part for word in _WORD.findall(text) for part in (word.casefold(), _bare(word))}
    if not content.strip():
        return "it says nothing"
    if not _FIRST_PERSON.search(content):
        return "it is not in the first person; write what you noticed, beginning with I"
    words = [word.casefold() for word in _WORD.findall(content)]
    round_and_round = Counter(zip(words, words[1:], words[2:], words[3:], strict=False)).most_common(1)
    if round_and_round and round_and_round[0][1] > 2:
        return f"it says {' '.join(round_and_round[0][0])!r} again and again"
    if prompt and (example := _example(content, prompt, given=text)):
        return f"it repeats the example {example!r}; write of the events"
    for match in _CLOCK.finditer(content):
        if match[0].casefold() not in text.casefold():
            return f"it names the time {match[0]!r}, which is in no event; name the part of the day"
    numbers = set(_NUMBER.findall(text))
    for match in _NUMBER.finditer(content):
        if match[0] not in numbers:
            return f"it names the number {match[0]!r}, which is in no event"
    check = _check_words()
    for match in _WORD.finditer(content):
        word = _bare(match[0])
        if word in known or word.rstrip("s") in known or f"{word}s" in known:
            continue
        if word in check["places"]:
            return f"it names the place {match[0]!r}, which is in no event"
        begins = match.start() == 0 or bool(_SENTENCE_END.search(content[: match.start()]))
        capital = bool(_CAPITAL.match(match[0]))
        if word in check["verbs_too"] and not (capital and not begins) and not _DATED.search(content[: match.start()]):
            continue  # "it may be" is no month
        if word in check["names_of_times"] and not (word == "bedtime" and "bed" in known):
            return f"it names the time {match[0]!r}, which is not when it was"
        common = word in check["openers"] or word.endswith(("ing", "ly")) or bool(re.search(rf"\b{word}\b", content))
        if capital and not (begins and common) and word not in ("i", "ai"):
            return f"it names {match[0]!r}, who or which is in no event"
    if events and not _tells_of(content, "\n".join(events), names=tuple(names)):
        return "it tells of nothing that happened"
    return None


def _example(content: str, prompt: str, *, given: str) -> str | None:
    """Words that a memory has from the prompt and from nowhere else: a sentence, or five words one after the other."""
    shown, happened = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (prompt, given))
    for sentence in _SENTENCE.findall(content):
        words = _WORD.findall(sentence.casefold())
        parts = [words[place : place + 5] for place in range(len(words) - 4)] or ([words] if len(words) == 4 else [])
        for part in parts:
            said = f" {' '.join(part)} "
            if said in shown and said not in happened:
                return said.strip()
    return None


def whole(content: str) -> str:
    """Return a text in one line, without the end of it that is no sentence any more, where it was cut off in the middle."""
    text = " ".join(content.split())
    end = max(text.rfind(mark) for mark in ".!?…")
    return text if end < 0 or not text[end + 1 :].strip("\"'”’»)*") else text[: end + 1]


def _tells_of(content: str, events: str, *, names: Sequence[str]) -> bool:
    happened = set(telling_words(events, names=names))
    return not happened or not happened.isdisjoint(telling_words(content, names=names))


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())


@cache
def _check_words() -> dict[str, frozenset[str]]:
    check = household_rules().check
    return {name: frozenset(str(words).split()) for name, words in check.model_dump().items()}
