"""Check what a model wrote against what it was given: no invented person, place or time comes into memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from functools import cache
from typing import NamedTuple

from memdb.clock import clock_times
from memdb.daytime import hours_of
from memdb.household import compiled, household_rules, telling_words

_NUMBER = re.compile(r"\d+")
_DATED = re.compile(r"\b(?:in|of|on|last|next|since|early|late|mid|until|every|through)\W+$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CAPITAL = re.compile(r"[^\W\d_a-zß-öø-ÿ]")
_SENTENCE_END = re.compile(r"[.!?:…][^\w\s]*\s*[^\w\s]*\s*$")
_POSSESSIVE = re.compile(r"['’](?:s|d|ll|ve|re|m|t)$", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?…\n]+")
_OWN = re.compile(  # how somebody speaks who was there and made something of it
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|seem(?:s|ed)?|feels?|felt|perhaps|maybe|probably|somehow)\b", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:\bhttps?://|\bwww\.)[^\s\"'<>)\]]+", re.IGNORECASE)
_PARTICLE = re.compile(r"\s+(?:out|up|off|me|him|them|it|like|how|of|my|our|their)\b")  # "Turns out", "Makes me": no name goes before these
_PART = re.compile(r"[\n,;:.!?…]|\b(?:and|but|then|while|because|so)\b", re.IGNORECASE)
_AFTER_ALL = r"\s*(?:(?:only|just|merely|wait|forget|stop|mind|miss)\b|help\s+(?:\w+ing|but|it|(?:him|her|my|them)sel\w+)\b)"
_ASKED_FOR = r"(?:(?:ask|beg|call|long|look|pay|reach|search|send|wish)(?:ed|ing)?\s+(?:for|at)\s+)"  # what is denied stands behind it
_SO_AFTER_ALL = re.compile(_AFTER_ALL, re.IGNORECASE)  # "could not wait", "did not stop"
_NOT_SO = re.compile(
    r"(?:\b(?:not|never|no longer|nobody|no one|(?:refus(?:ed|es|ing)|forgot)(?:\s+to)?)|n['’]t)"
    rf"(?!{_AFTER_ALL}|\s+(?:else|but|except)\b)\s+({_ASKED_FOR}?\w+(?:\s+(?:(?:a|an|the|any|to|my|his|her|their)\s+)*\w+)?)",
    re.IGNORECASE,
)
_DISLIKED = re.compile(r"\b(?:dislikes?|disliked|hates?|hated)\s+((?:(?:a|an|the|to)\s+)?\w+(?:\s+\w+)?)", re.IGNORECASE)
_FEW = 3  # telling words of a part of a memory, one of which tells of what it speaks
_UNTIL = frozenset(("until", "till"))
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
    of those who were there, neither leave out a "not" of theirs nor put one in, and say of nobody what was of others; and it must not be an
    example of the `prompt`.
    """
    text = "\n".join(given)
    known = {part for word in _WORD.findall(text) for part in (word.casefold(), _bare(word))}
    if not content.strip():
        return "it says nothing"
    if not _OWN.search(content):
        return "it is not in the first person; write what you noticed, beginning with I"
    if again := said_again_and_again(content):
        return f"it says {again!r} again and again"
    if prompt and (example := example_in(content, prompt, given=text)):
        return f"it repeats the example {example!r}; write of the events"
    if address := address_in(content, text):
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
    told = denials(happened, names=who)
    return (
        leaves_out_a_not(content, told, names=who) or puts_in_a_not(content, told, names=who) or _of_another(content, happened, names=who)
    )


def said_again_and_again(content: str) -> str | None:
    """Return four words in a row that a text has three times or more, as very small models write without end; None if it has none."""
    words = [word.casefold() for word in _WORD.findall(content)]
    round_and_round = Counter(zip(words, words[1:], words[2:], words[3:], strict=False)).most_common(1)
    return " ".join(round_and_round[0][0]) if round_and_round and round_and_round[0][1] > 2 else None


def address_in(content: str, given: str) -> str | None:
    """Return the address of a page that a text has and what was given has not; None if there is none."""
    found = (address.rstrip(".,;:!?") for address in _ADDRESS.findall(content))
    return next((address for address in found if address.casefold() not in given.casefold()), None)


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


def example_in(content: str, prompt: str, *, given: str) -> str | None:
    """Return words that a text has from the prompt and from nowhere else: a sentence, or five words one after the other; None for none."""
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


class Denials(NamedTuple):
    """The telling words of events: those behind a "not", those that stand elsewhere, and those that nobody is said not to like."""

    denied: Set[str]
    plain: Set[str]
    liked: Set[str]


def leaves_out_a_not(content: str, told: Denials, *, names: tuple[str, ...]) -> str | None:
    """Return in a few words what a text says without the "not" that the events have wherever they tell of it; None for nothing."""
    for sentence in _SENTENCE.findall(content):
        left_out = [word for word in telling_words(sentence, names=names) if word in told.denied - told.plain]
        if left_out and not _may_deny(sentence):
            return f"it leaves out that it was not so: {left_out[0]!r}"
    return None


def puts_in_a_not(content: str, told: Denials, *, names: tuple[str, ...]) -> str | None:
    """Return in a few words what a text says with a "not", or that it was not liked, where the events have none; None for nothing."""
    for pattern, so in ((_NOT_SO, told.plain - told.denied), (_DISLIKED, told.liked - told.denied)):
        for match in pattern.finditer(content):
            if put_in := [word for word in telling_words(match[1], names=names) if word in so]:
                return f"it says that it was not so: {put_in[0]!r}"
    return None


def denials(events: str, *, names: tuple[str, ...]) -> Denials:
    """Return what events deny; `names` tell nothing."""
    denied, plain, liked = set[str](), set[str](), set[str]()
    for part in _PART.split(events):
        before, found, behind = _denied(part)
        plain |= set(telling_words(before, names=names))
        (denied if found else plain).update(telling_words(behind, names=names))
        liked.update(() if found or _may_deny(part, ("disliked",)) else telling_words(part, names=names))
    times = _check_words()["names_of_times"] | _UNTIL
    return Denials(denied - times, plain - times, liked - times)


def _of_another(content: str, events: str, *, names: tuple[str, ...]) -> str | None:
    """What a memory says of one of those who were there that the events say of others only."""
    times = _check_words()["names_of_times"] | _UNTIL
    told = list(_who_and_what(events, names))
    for who, words in _who_and_what(content, names):
        words = words - times
        most = max((len(words & theirs) for _others, theirs in told), default=0)
        of = [others for others, theirs in told if len(words & theirs) == most] if len(who) == 1 and most else []
        if of and all(others and who.isdisjoint(others) for others in of) and (most > 1 or len(words) <= _FEW):
            return f"it tells of {next(iter(who))!r} what was of {next(iter(of[0]))!r}"
    return None


def _who_and_what(text: str, names: tuple[str, ...]) -> Iterator[tuple[frozenset[str], Set[str]]]:
    """Who is named in each part of a text, or was right before in the same sentence, and the telling words from there on."""
    for sentence in _SENTENCE.findall(text):
        before: frozenset[str] = frozenset()
        for part in _PART.split(sentence):
            found = {name: match.start() for name in names if (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", part, re.IGNORECASE))}
            before = frozenset(found) or before
            yield before, set(telling_words(part[min(found.values(), default=0) :], names=names))


def _may_deny(sentence: str, by: Sequence[str] = _MEANS_NOT) -> bool:
    rules = household_rules()
    return any(compiled(rule).search(sentence) for rule in (rules.check.denying, *(rules.apart[name] for name in by)))


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
    check = household_rules().check.model_dump(exclude={"hours", "people", "denying"})
    return {name: frozenset(str(words).split()) for name, words in check.items()}


@cache
def _people() -> dict[str, frozenset[str]]:
    """The words for people whose names are not said, each with all that mean the same."""
    groups = [frozenset(line.split()) for line in household_rules().check.people.splitlines()]
    return {word: group for group in groups for word in group}
