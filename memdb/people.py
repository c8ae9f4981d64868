"""Who is named in the words of what happened: by a capital, and by what only people do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from memdb.household import ARTICLES, compiled, household_rules, named, stated
from memdb.names import one_each, same_name
from memdb.records import Event

_LOOKED_AT = 2_000  # characters of a text in which people are looked for
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$|(?<=s)['’]$", re.IGNORECASE)
_TOGETHER = re.compile(  # between people who are named in one breath
    r"\s*(?:,|&|,?\s*\band\b)?\s*(?:\b(?:the|his|her|their|my)\b)?\s*", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?:^|[.!?…;])\W*$")
_SPEECH = re.compile(r"[“\"][^“”\"]*(?:[”\"]|$)|: .*")
_AND = re.compile(r",? and |, ")
_BY_ITSELF = re.compile(  # "turned off at nine", "opened by the timer": a thing was, and no person did so
    r"\w+(?: (?:on|off|up|down|all))? by\b"
    r"|(?:turn|switch)(?:s|ed) (?:on|off|up|down)(?: (?:at|in|after|before|for|again|automatically)\b|\W*$)"
)


def capitals(text: str, *, names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return who seems to be named, in the order of the words, those in one breath together; `names` are known whatever their letters."""
    return _capitals(unicodedata.normalize("NFC", text[:_LOOKED_AT]), tuple(names))


@lru_cache(maxsize=1_024)
def _capitals(text: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    known = _parts_of(names)
    groups: list[set[str]] = []
    end = 0
    for found in _WORD.finditer(text):
        bare = _POSSESSIVE.sub("", found[0])
        name = same_name(bare)
        if not (name in known or (_begins_with_capital(bare) and not is_ordinary(bare))):
            continue
        if groups and _TOGETHER.fullmatch(text, end, found.start()):
            groups[-1].add(name)
        else:
            groups.append({name})
        end = found.end()
    return tuple(tuple(sorted(group)) for group in groups)


@lru_cache(maxsize=1_024)
def _parts_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(part for name in names for part in _WORD.findall(same_name(name)))


def with_subject(event: Event) -> Event:
    """Return an event with who did it before its words, where these begin with what only people do: "came home" of Rui is "Rui came home".

    Those who took part did it, but for whom the words name: "read a story to Mila" is what the other one did. What somebody says in a turn
    is told as said.
    """
    words = " ".join(event.description.split())
    words = words[:1].lower() + words[1:]
    if event.turn_id is not None or not event.participants or not _lacks_subject(words[:_LOOKED_AT]):
        return event
    there = set(_WORD.findall(same_name(words[:_LOOKED_AT])))
    who = sorted(name for name in one_each(event.participants) if there.isdisjoint(_WORD.findall(same_name(name))))
    if not who or (len(who) > 1 and words.split(" ")[0].endswith("s")):  # "is asleep" is said of one
        return event
    return event.model_copy(update={"description": f"{named(who)} {words}"})


def _lacks_subject(words: str) -> bool:
    """Whether a text is a sentence about a person as soon as one stands before it."""
    found = (compiled(rule).match(f"Somebody {words}") for rule in household_rules().subjects)
    return not _BY_ITSELF.match(words) and any(one is not None and one["who"] == "Somebody" for one in found)


def with_people(event: Event, *, known: Sequence[str], persona: str) -> Event:
    """Return an event with all who took part in it: those given, and those whom its words name plainly.

    These are the `known` whose names stand in them, and who does what only people do. What somebody says in a turn names whom it likes.
    """
    if event.turn_id is not None:
        return event
    text = _SPEECH.sub("“”", unicodedata.normalize("NFC", stated(event.description)))
    there = {word for name in (*event.participants, persona) for word in _WORD.findall(same_name(name))}
    others = [name for name in _named(text, known) if same_name(name) not in there and same_name(name.split()[0]) not in there]
    return event.model_copy(update={"participants": tuple(one_each([*event.participants, *others]))}) if others else event


def _named(text: str, known: Sequence[str]) -> Iterator[str]:
    words = {same_name(_POSSESSIVE.sub("", word)) for word in _WORD.findall(text) if _begins_with_capital(word)}
    yield from (name for name in known if words.intersection(_WORD.findall(same_name(name))) and stands_in(name, text))
    for rule in household_rules().subjects:
        for subject in compiled(rule).finditer(text):
            for name in _AND.split(subject["who"]) if _SENTENCE.search(text[: subject.start()]) else ():
                if not is_ordinary(name.split()[0]):
                    called = [one for one in known if same_name(one).split()[:1] == [same_name(name)]]
                    yield called[0] if len(called) == 1 else name


def stands_in(name: str, text: str) -> str | None:
    """Return a name as it stands in a text, as whole words that begin with a capital, or None."""
    folded = re.escape(unicodedata.normalize("NFC", name)).replace("'", "['’]").replace("’", "['’]")
    return next((found[0] for found in re.finditer(rf"(?<!\w){folded}(?!\w)", text, re.IGNORECASE) if _begins_with_capital(found[0])), None)


def is_ordinary(word: str) -> bool:
    """Whether a word is no name though it has a capital: it may begin a sentence, is a time, a room or a thing of a house."""
    return len(word) < 2 or word.isupper() or same_name(word) in _ordinary_words()


def _begins_with_capital(word: str) -> bool:
    return word[:1].isupper()


@cache
def _ordinary_words() -> frozenset[str]:
    check = household_rules().check
    return ARTICLES.union(*(words.split() for words in (check.openers, check.names_of_times, check.places, check.people, check.things)))
