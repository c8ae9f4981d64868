"""Check what a model tells of a conversation against what was said in it: who, when and how many, and that it was so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

from memdb.borne_out import is_english
from memdb.called import called
from memdb.capitals import is_a_name
from memdb.clock import clock_times
from memdb.english_rules import relatives
from memdb.figures import FIGURE, digits
from memdb.household import household_rules
from memdb.languages import language_of
from memdb.stop_words import STOP_WORDS
from memdb.truth import Denials, address_in, denials, example_in, leaves_out_a_not, puts_in_a_not, said_again_and_again
from memdb.unspaced import is_unspaced, words_of

_STEM = 4  # letters that two forms of a word mostly share
_SHORTEST = 3  # letters of a word that tells something
_NEAR = 2  # letters by which a name and what is named after it may differ at the end: "Portugal", "Portuguese"
_COUNTED = 12  # up to which numbers are mostly written as words
_UNTOLD = frozenset(("1", "2"))  # numbers that may be told of what was only listed
_ALIKE = 2  # words that two sentences share which may tell the same
_MOST_OF = 0.6  # of the words of what is told of somebody, so many stand in what was said of whom it is
_NOUN = re.compile(r"[ -]?([^\W\d_]{3,})")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"[^.!?…\n]+")
_BEGINNING = re.compile(r"(?:^|[.!?:…\n])[^\w\n]*$")
_PART = re.compile(r"[\n,;:.!?…]|\b(?:and|but|then|while|because|so|whereas)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\W*(?:(?i:the) )?(?P<who>(?i:user|assistant)|[^\W\d_a-z]\w+)(?: [^\W\d_a-z]\w+)?(?!\w|['’]s\b)(?P<rest> .*)", re.DOTALL
)
_WHOSE = re.compile(r"(?P<who>\w+)['’]s (?:\w+ )?(?P<kin>[a-z]+)\b")
_OTHERS = re.compile(r"\b(?:s?he|him|her|hers|his|they|them|their|who|whom|whose)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:i|we|me|us)\b", re.IGNORECASE)
_MINE, _YOURS = re.compile(r"\b(?:my|our)\b", re.IGNORECASE), re.compile(r"\b(?:you|your)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"\W*(?:(?i:my|our|s?he|they|his|her|their)\b|(?!(?i:the|a|an|this|that|it)\b)[^\W\d_a-z]\w+ (?:is|was|has|does|did|can|\w+s)\b)"
)
_INTRODUCED = re.compile(r"\b(?:i['’]?m|i am|my name is|call me)\s+(\w+)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]|(?<!\w)['\u2018][^'\u2018’]*['’](?!\w)")
_OWN = re.compile(r"\b(?:i|we|me|my|mine|our|ours|myself)\b", re.IGNORECASE)
_ROLES = ("user", "assistant")


class Line(NamedTuple):
    """What somebody said."""

    speaker: str
    text: str


def what_was_not_said(text: str, *, said: Sequence[Line], prompt: str, owner: str = "") -> str | None:
    """Return in a few words why a model's account of what was said cannot be kept, or None.

    It must not go round in circles, have no page's address and no number in digits that was not said, and be no example of the `prompt`.
    In English it must be told in the third person and name nobody else, and no other day or month; no number may be told of what another
    one was said of, nothing of somebody that was said of somebody else, and a "not" must neither be left out nor put in. What is told in
    other words is let through. `owner` is another name of the user.
    """
    told = "\n".join(line.text for line in said)
    if again := said_again_and_again(text):
        return f"it says {again!r} again and again"
    if example := example_in(text, prompt, given=told):
        return f"it repeats the example {example!r}"
    if address := address_in(text, told):
        return f"it names the address {address!r}, which nobody told"
    if not is_told_in_english(text):
        strange = {match[0] for match in re.finditer(r"\d+", text)} - {match[0] for match in re.finditer(r"\d+", told)}
        return f"it names the number {min(strange)!r}, which nobody said" if strange else None
    if own := _OWN.search(_QUOTED.sub(" ", text)):
        return f"it says {own[0]!r}; write in the third person"
    speakers = {line.speaker.casefold() for line in said}
    known = (
        {_bare(word) for word in _WORD.findall(told)}
        | {part for name in speakers for part in name.split()}
        | {*_ROLES, owner.casefold(), "i", "ai"}
    )
    if not is_told_in_english(told):
        return _named_anew(text, known, related=False) or _miscounted(text, told, few=True)
    return (
        _named_anew(text, known, related=True)
        or _untimely(text, told, known)
        or _miscounted(text, told, few=False)
        or _displaced(text, said)
        or _left_out(text, said, names=tuple(speakers))
        or puts_in_a_not(text, denials(told, names=tuple(speakers)), names=tuple(speakers))
        or _of_somebody_else(text, said, owner=owner.casefold())
    )


def stems(text: str) -> set[str]:
    """Return the words of a text that tell something by their first letters, which their forms share."""
    words = set(words_of(text)) - STOP_WORDS
    return {word[:_STEM] for word in words if len(word) >= _SHORTEST or is_unspaced(word)}


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text in digits, but for one and two."""
    return {number for number, _noun in _counted(text)} - _UNTOLD


def is_told_in_english(text: str) -> bool:
    """Tell whether a text is in English, as far as can be told."""
    words = words_of(text.casefold())
    return (text.isascii() or is_english(text)) and language_of(words) is None and not any(map(is_unspaced, words))


def _named_anew(text: str, known: Set[str], *, related: bool) -> str | None:
    """A name whom nobody spoke of, or, where `related` tells to look for them, a relative."""
    relations = called().relations
    spoken = {relations[word] for word in known if word in relations} | {relations[word[:-1]] for word in known if word[:-1] in relations}
    for match in _WORD.finditer(text):
        word = _bare(match[0])
        if word in known or word.rstrip("s") in known or f"{word}s" in known:
            continue
        kin = relations.get(word)
        if related and kin in relatives() and kin not in spoken:
            return f"it names the {word!r}, of whom nobody spoke"
        begins = _BEGINNING.search(text[: match.start()]) is not None
        if not match[0][0].isupper() or word in _times() or any(map(_near(word).match, known)):
            continue
        if not begins or is_a_name(word):
            return f"it names {match[0]!r}, of whom or which nobody spoke"
    return None


def _untimely(text: str, told: str, known: Set[str]) -> str | None:
    """A day, a month or a part of the day that nobody named."""
    parts = bool(clock_times(told))
    ambiguous = frozenset(household_rules().check.verbs_too.split())
    for match in _WORD.finditer(text):
        word = _bare(match[0]).rstrip("s") if _bare(match[0]) not in _times() else _bare(match[0])
        if word not in _times() or word in known or f"{word}s" in known or (word in ambiguous and match[0][0].islower()):
            continue
        if any(len(one) >= _SHORTEST and one != "day" and (word.startswith(one) or word.endswith(one)) for one in known):
            continue  # "Tues", and "after noon"
        month = _months().index(word) + 1 if word in _months() else 0
        if month and re.search(rf"\d[-/.]0?{month}\b|\b0?{month}[-/.]\d", told):
            continue
        if parts and word not in _months() and not word.endswith("day"):
            continue
        return f"it names the time {match[0]!r}, of which nobody spoke"
    return None


def _miscounted(text: str, told: str, *, few: bool) -> str | None:
    """A number that nobody said, or that nobody said of what it is told of; `few` may be said in words that are not known."""
    said, of = set[str](), dict[str, set[str]]()
    for number, noun in _counted(told):
        said.add(number)
        of.setdefault(noun, set()).add(number)
    for number, noun in _counted(text):
        if number not in said and number not in _UNTOLD and not (few and int(number) <= _COUNTED):
            return f"it names the number {number}, which nobody said"
        others = of.get(noun, {number}) if noun else {number}
        if number not in others and not few:
            return f"it tells of {number} {noun}…, of which {' or '.join(sorted(others))} was said"
    return None


def _displaced(text: str, said: Sequence[Line]) -> str | None:
    """A number, a day or a month that was said of nothing else of what is told in the same sentence."""
    where: dict[str, list[int]] = {}
    for place, line in enumerate(said):
        for anchor in _anchors(line.text):
            where.setdefault(anchor, []).append(place)
    near: dict[int, set[str]] = {}
    for match in _SENTENCE.finditer(text):
        anchors = _anchors(match[0])
        rest = {one for one in stems(FIGURE.sub(" ", match[0])) if one not in {anchor[:_STEM] for anchor in anchors} and one not in _ROLES}
        for anchor in anchors if rest else ():
            places = where.get(anchor, [])
            for place in places:
                if place not in near:
                    near[place] = stems(" ".join(line.text for line in said[max(0, place - 1) : place + 2]))
            if places and all(rest.isdisjoint(near[place]) for place in places):
                return f"it tells {anchor!r} of what it was not said of"
    return None


def _anchors(text: str) -> set[str]:
    days = {_bare(match[0]) for match in _WORD.finditer(text) if match[0][0].isupper()} & _times()
    return days | numbers_in(text)


def _left_out(text: str, said: Sequence[Line], *, names: tuple[str, ...]) -> str | None:
    """What is told without the "not" of what was said in mostly the same words."""
    sentences = [(sentence[0], stems(sentence[0])) for line in said for sentence in _SENTENCE.finditer(line.text)]
    denied: dict[int, Denials] = {}
    for part in _PART.split(text):
        words = stems(part) - {*_ROLES, *(name[:_STEM] for name in names)}
        least = max(min(_ALIKE, len(words)), len(words) / 2, 1)
        of_it = [place for place, (_sentence, theirs) in enumerate(sentences) if len(words & theirs) >= least]
        for place in of_it:
            if place not in denied:
                denied[place] = denials(sentences[place][0], names=names)
        told = Denials(*(frozenset().union(*words) for words in zip(*(denied[place] for place in of_it), strict=True))) if of_it else None
        if told is not None and (wrong := leaves_out_a_not(part, told, names=names)):
            return wrong
    return None


def _of_somebody_else(text: str, said: Sequence[Line], *, owner: str) -> str | None:
    """Whom something is told of that was said of others only."""
    sentences = [
        (place, line.speaker.casefold(), sentence[0], stems(sentence[0]))
        for place, line in enumerate(said)
        for sentence in _SENTENCE.finditer(line.text)
    ]
    speakers = {line.speaker.casefold() for line in said}
    names = {name.casefold(): line.speaker.casefold() for line in said for name in _INTRODUCED.findall(line.text)}
    if owner and owner not in speakers:
        names[owner] = "user"
    people = {part for name in speakers for part in name.split()} | names.keys()

    def speaks_of(who: str, place: int, speaker: str, sentence: str) -> bool:
        words = {_bare(word) for word in _WORD.findall(sentence)}
        if who in words or (_YOURS.search(sentence) and speaker != who and who in speakers):
            return True
        if speaker == who:
            return bool(_SPEAKER.search(sentence)) or not _OF_ANOTHER.match(sentence)
        return bool(_OTHERS.search(sentence)) and any(
            who in map(_bare, _WORD.findall(line.text)) for line in said[max(0, place - 2) : place + 1]
        )

    for match in _WHOSE.finditer(text):
        kin, who = match["kin"], names.get(match["who"].casefold(), match["who"].casefold())
        if called().relations.get(kin) not in relatives() or (who not in people and not is_a_name(who)):
            continue
        spoken = [one for one in sentences if _kin_in(one[2], called().relations[kin])]
        if spoken and not any(
            (_MINE.search(sentence) and speaker == who) or (speaker != who and speaks_of(who, place, speaker, sentence))
            for place, speaker, sentence, _ in spoken
        ):
            return f"it names a {kin} of {match['who']!r}, where somebody else's was spoken of"
    for who, rest in _told_of(text, people):
        who = names.get(who, who)
        words = stems(FIGURE.sub(" ", rest)) - {time[:_STEM] for time in _times()}
        shared = [(len(words & theirs), place, speaker, sentence) for place, speaker, sentence, theirs in sentences]
        most = max((one[0] for one in shared), default=0)
        if most < min(_ALIKE, len(words)) or most < _MOST_OF * len(words) or not most:
            continue
        if not any(speaks_of(who, place, speaker, sentence) for count, place, speaker, sentence in shared if count == most):
            return f"it tells of {who!r} what was said of somebody else"
    return None


def _told_of(text: str, people: Set[str]) -> Iterator[tuple[str, str]]:
    """Of whom a part of a text tells something that nobody else has part in, and what."""
    before = ""
    for part in _PART.split(text):
        together, before = before.strip(), part
        found = _SUBJECT.match(part)
        if (
            found is None or _OTHERS.search(found["rest"]) or (together and together.istitle() and len(together.split()) < 3)
        ):  # "Ana and Rui ran"
            continue
        who = found["who"].casefold()
        others = {_bare(word) for word in _WORD.findall(found["rest"])} - {who}
        if (who in people or is_a_name(who)) and not any(one in people or is_a_name(one) or one in called().relations for one in others):
            yield who, found["rest"]


def _kin_in(sentence: str, relation: str) -> bool:
    return any(called().relations.get(word.casefold()) == relation for word in _WORD.findall(sentence))


def _counted(text: str) -> Iterator[tuple[str, str]]:
    """The numbers of a text in digits, each with the beginning of the word behind it, if that may be what it counts."""
    for match in FIGURE.finditer(text):
        noun = _NOUN.match(text, match.end())
        word = noun[1].casefold() if noun else ""
        yield digits(match), word[:_STEM] if word not in STOP_WORDS and word not in _times() else ""


@lru_cache(maxsize=256)
def _near(word: str) -> re.Pattern[str]:
    """What the name of a place begins with, or what is named after it."""
    return re.compile(re.escape(word[: max(_STEM, len(word) - _NEAR - 1)]) if len(word) > _STEM else rf"{re.escape(word)}\Z")


def _bare(word: str) -> str:
    return re.sub(r"['’](?:s|d|ll|ve|re|m|t)$", "", word.casefold())


@cache
def _times() -> frozenset[str]:
    return frozenset(household_rules().check.names_of_times.split())


@cache
def _months() -> tuple[str, ...]:
    return tuple("january february march april may june july august september october november december".split())
