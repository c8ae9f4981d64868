"""Check what a model wrote against what it was given: no invented person, place or time comes into memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from datetime import datetime
from functools import cache

from memdb.clock import clock_times
from memdb.daytime import hours_of
from memdb.household import compiled, household_rules, telling_words

_NUMBER = re.compile(r"\d+")
_DATED = re.compile(r"\b(?:in|of|on|last|next|since|early|late|mid|until|every|through)\W+$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CAPITAL = re.compile(r"[^\W\d_a-zß-öø-ÿ]")
_SENTENCE_END = re.compile(r"[.!?:…][^\w\s]*\s*[^\w\s]*\s*$")
_POSSESSIVE = re.compile(r"['’](?:s|d|ll|ve|re|m|t)$", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?…]+")
_OWN = re.compile(  # how somebody speaks who was there and made something of it
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|seem(?:s|ed)?|feels?|felt|perhaps|maybe|probably|somehow)\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:\bhttps?://|\bwww\.)[^\s\"'<>)\]]+", re.IGNORECASE)
_PARTICLE = re.compile(r"\s+(?:out|up|off|me|him|them|it|like|how|of|my|our|their)\b")  # "Turns out", "Makes me": no name goes before these
_PART = re.compile(r"[\n,;:.!?…]|\b(?:and|but|then|while|because|so)\b", re.IGNORECASE)
_SO_AFTER_ALL = re.compile(r"\s*(?:only|just|merely|help|wait|forget|stop|mind|miss)\b", re.IGNORECASE)  # "could not wait", "did not stop"
_NOT_SO = re.compile(
    r"(?:\b(?:not|never|no longer)|n['’]t)(?!\s*(?:only|just|merely|help|wait|forget|stop|mind|miss)\b)\s+(\w+(?:\s+\w+)?)", re.IGNORECASE
)
_MEANS_NOT = ("not", "off", "away", "ended", "lost", "disliked", "less", "un")  # rules for words any of which may stand for a "not"
_SCHEDULE = re.compile(r"\s+(?:days?|nights?|mornings?|afternoons?|evenings?|weeks?|year|term|hours|run)\b", re.IGNORECASE)


def what_is_untrue(
    content: str,
    *,
    given: Iterable[str],
    events: Iterable[str] = (),
    names: Iterable[str] = (),
    at: Iterable[datetime] = (),
    prompt: str = "",
) -> str | None:
    """Return in a few words why a memory cannot be kept, or None.

    It must be told by somebody who was there, must not go round in circles, and must name no number in digits, no person, place or thing by
    a proper name, no other people, no room, no page's address and no part of time that is not `given`: in the events, in who and where they
    were, when, and the persona. A time of the clock must be one that the events name or happened `at`, by the household's clocks; it may be
    rounded. Words such as sunset must go with the hour. Where there are `events`, it must tell of something in them besides the `names`
    of those who were there, and neither leave out a "not" of theirs nor put one in; and it must not be an example of the `prompt`.
    """
    text = "\n".join(given)
    known = {part for word in _WORD.findall(text) for part in (word.casefold(), _bare(word))}
    if not content.strip():
        return "it says nothing"
    if not _OWN.search(content):
        return "it is not in the first person; write what you noticed, beginning with I"
    if again := said_again_and_again(content):
        return f"it says {again!r} again and again"
    if prompt and (example := _example(content, prompt, given=text)):
        return f"it repeats the example {example!r}; write of the events"
    for address in _ADDRESS.findall(content):
        if address.rstrip(".,;:!?").casefold() not in text.casefold():
            return f"it names the address {address!r}, which is in no event"
    happened_at = list(at)
    if wrong := _untimely(content, text, happened_at):
        return wrong
    hours = {one.hour for one in happened_at} or {hour for part in known for hour in hours_of(part)}
    for match in _WORD.finditer(content):
        if wrong := _unknown(content, match, known, hours, prompt=prompt):
            return wrong
    happened, who = "\n".join(events), tuple(names)
    if events and not _tells_of(content, happened, names=who):
        return "it tells of nothing that happened"
    return _turned_round(content, happened, names=who)


def said_again_and_again(content: str) -> str | None:
    """Return four words in a row that a text has three times or more, as very small models write without end; None if it has none."""
    words = [word.casefold() for word in _WORD.findall(content)]
    round_and_round = Counter(zip(words, words[1:], words[2:], words[3:], strict=False)).most_common(1)
    return " ".join(round_and_round[0][0]) if round_and_round and round_and_round[0][1] > 2 else None


def _untimely(content: str, text: str, at: Sequence[datetime]) -> str | None:
    """What is wrong with the times of the clock and the other numbers of a memory."""
    minutes = {one.hour * 60 + one.minute for one in at}
    for said in clock_times(text):
        if said.minute is not None:
            minutes |= {said.minute, said.minute + said.round}
    rest = content
    for said in clock_times(content):
        if said.words.casefold() not in text.casefold() and not said.fits(minutes):
            return f"it names the time {said.words!r}, which is in no event; name the part of the day"
        end = said.start + len(said.words)
        rest = rest[: said.start] + " " * len(said.words) + rest[end:]
    numbers = set(_NUMBER.findall(text))
    return next(
        (f"it names the number {match[0]!r}, which is in no event" for match in _NUMBER.finditer(rest) if match[0] not in numbers), None
    )


def _unknown(content: str, match: re.Match[str], known: Set[str], hours: Set[int], *, prompt: str) -> str | None:
    """What is wrong with a word of a memory that nobody gave."""
    check = _check_words()
    word = _bare(match[0])
    if word in known or word.rstrip("s") in known or f"{word}s" in known:
        return None
    if word in check["places"] and not (word in check["schedules"] and _SCHEDULE.match(content, match.end())):
        return f"it names the place {match[0]!r}, which is in no event"
    begins = match.start() == 0 or bool(_SENTENCE_END.search(content[: match.start()]))
    capital = bool(_CAPITAL.match(match[0]))
    if word in check["verbs_too"] and not (capital and not begins) and not _DATED.search(content[: match.start()]):
        return None  # "it may be" is no month
    if word in check["names_of_times"]:
        since, until = household_rules().check.hours.get(word, (0, 0))
        fits = any(since <= hour < until or since <= hour + 24 < until for hour in hours)
        return None if fits else f"it names the time {match[0]!r}, which is not when it was"
    if (group := _people().get(word)) is not None and group.isdisjoint(known):
        return f"it names {match[0]!r}, who or which is in no event"
    if not capital or word in ("i", "ai", "am", "pm") or (begins and _is_common(word, content, match.end(), prompt=prompt)):
        return None
    return f"it names {match[0]!r}, who or which is in no event"


def _is_common(word: str, content: str, end: int, *, prompt: str) -> bool:
    """Whether a word at the beginning of a sentence is no name."""
    check = _check_words()
    if (
        word in check["openers"]
        or (word.endswith("s") and _PARTICLE.match(content, end))
        or re.search(rf"\b{word}\b", f"{content}\n{prompt}")
    ):
        return True
    return word not in check["names_too"] and len(word) > 4 and word.endswith(tuple(check["endings"]))


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
    told = {*telling_words(content, names=names), *_NUMBER.findall(content)}
    return not happened or not told.isdisjoint({*happened, *_NUMBER.findall(events)})


def _turned_round(content: str, events: str, *, names: tuple[str, ...]) -> str | None:
    """What a memory says without the "not" that the events have wherever they tell of it, or with one that they have nowhere."""
    denied, plain = set[str](), set[str]()
    for part in _PART.split(events):
        before, found, behind = _denied(part)
        plain |= set(telling_words(before, names=names))
        (denied if found else plain).update(telling_words(behind, names=names))
    times = _check_words()["names_of_times"]
    for sentence in _SENTENCE.findall(content):
        left_out = [word for word in telling_words(sentence, names=names) if word in denied - plain - times]
        if left_out and not any(compiled(household_rules().apart[name]).search(sentence) for name in _MEANS_NOT):
            return f"it leaves out that it was not so: {left_out[0]!r}"
        for match in _NOT_SO.finditer(sentence):
            if put_in := [word for word in telling_words(match[1], names=names) if word in plain - denied - times]:
                return f"it says that it was not so: {put_in[0]!r}"
    return None


def _denied(part: str) -> tuple[str, str, str]:
    """A part of an event as what stands before a negation, that, and what it denies; all of it is the last where there is none."""
    found = compiled(household_rules().apart["not"]).search(part)
    if found is None or _SO_AFTER_ALL.match(part, found.end()):
        return "", "", part
    return part[: found.start()], found[0], part[found.end() :]


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.casefold())


@cache
def _check_words() -> dict[str, frozenset[str]]:
    check = household_rules().check.model_dump(exclude={"hours", "people"})
    return {name: frozenset(str(words).split()) for name, words in check.items()}


@cache
def _people() -> dict[str, frozenset[str]]:
    """The words for people whose names are not said, each with all that mean the same."""
    groups = [frozenset(line.split()) for line in household_rules().check.people.splitlines()]
    return {word: group for group in groups for word in group}
