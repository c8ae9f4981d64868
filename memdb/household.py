"""What plain words say about events: their type, their feeling, what is telling in them; from `rules/household.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence, Set
from functools import cache, lru_cache

from memdb.config import Config
from memdb.files import read
from memdb.names import one_each, same_name
from memdb.records import BreakTrigger, Emotion, Event, MemoryType, PartOfDay, Record

ARTICLES = frozenset({"the", "a", "an", "somebody", "someone", "everybody", "everyone", "nobody", "both", "all", "there"})
"""Words that may begin a sentence about people or things, and lose their capital within another."""

_LONGEST = 240  # characters of one event as it is told
_LOOKED_AT = 2_000  # characters of a text that tell its type and feeling
_USUAL = 0.5  # how important something is that no rule knows
_ABBREVIATION = 3  # letters of a word that has capitals of its own: TV, AC
_NAMED = 6  # people named one by one; the others are counted
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ENDING = re.compile(r"(?<=\w{3})(?:'s|’s|ing|ed|es|s)$")
_POSSESSIVE = re.compile(r"(?:'s|’s|s'|s’)$")
_OF_PLACE = re.compile(r"\b[^\W\d_]+(?:['’][^\W\d_]*)?")
_HALF_OF_DAY = re.compile(r"\b(\d{1,2})(?::00|(:\d{2}))? ?([AP])\.?M\b\.?")
_END_OF_QUOTE = re.compile(r"(?<!\.)\.([\"”])$")
_EMPTY = frozenset(
    """
    a about after again all also am an and any are as asked at be because been before being but by can could did do does down for
    from had has have he her hers him his how i if in into is it its just me more my no not of off on one or our out over own said
    she so some somebody someone that the their them then there they this those to told too under up us was we went were what when
    where which while who will with would you your yeah yes oh well really pm
    """.split()
)


class TypeRule(Record):
    """By which words a memory type is known, and how important such an event is unless it says so itself."""

    type: MemoryType
    match: str
    importance: float
    examples: tuple[str, ...]


class EmotionRule(Record):
    """By which words a feeling is known, at which parts of the day if not at all, and what is said of it, with and without people there."""

    emotion: Emotion
    match: str
    at: tuple[PartOfDay, ...] = ()
    says: str
    nobody: str
    examples: tuple[str, ...]


class SayingRule(Record):
    """How what matches is said: what a machine wrote down, in plain words, or that something happened at a place."""

    match: str
    says: str
    examples: tuple[tuple[str, str], ...]


class TriggerRule(Record):
    """By which words an event is known that ends a segment."""

    trigger: BreakTrigger
    match: str
    examples: tuple[str, ...]


class CheckWords(Record):
    """Words by which a memory written by a model is checked."""

    things: str
    places: str
    names_of_times: str
    verbs_too: str
    schedules: str
    people: str
    names_too: str
    endings: str
    openers: str
    denying: str
    hours: dict[str, tuple[int, int]]


class HouseholdRules(Record):
    """The whole of `rules/household.toml`."""

    look_alikes: tuple[str, ...]
    negated: tuple[str, ...]
    unhappened: tuple[str, ...]
    unfelt: tuple[str, ...]
    unusual: str
    dislikes: str
    subjects: tuple[str, ...]
    of_places: str
    apart: dict[str, str]
    type: tuple[TypeRule, ...]
    emotion: tuple[EmotionRule, ...]
    type_says: dict[str, str]
    plain: tuple[SayingRule, ...]
    trigger: tuple[TriggerRule, ...]
    place: tuple[SayingRule, ...]
    check: CheckWords


@cache
def household_rules() -> HouseholdRules:
    """Return the rules, read once."""
    return HouseholdRules.model_validate(tomllib.loads(read("rules/household.toml")))


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the rules, ready to match."""
    return re.compile(pattern, re.IGNORECASE)


def type_of(text: str) -> tuple[MemoryType, float]:
    """Return the memory type of what a text tells, and how important that is."""
    return _type_of(text[:_LOOKED_AT])


@lru_cache(maxsize=1_024)  # an event is looked at again as long as it waits for its segment
def _type_of(text: str) -> tuple[MemoryType, float]:
    rules = household_rules()
    meant = _without(rules.look_alikes + rules.unhappened + rules.negated, text)
    dislikes = is_disliked(text)
    for rule in rules.type:
        if rule.type == "ROUTINE" and compiled(rules.unusual).search(text):
            continue
        if compiled(rule.match).search(meant) or (dislikes and rule.type == "PREFERENCE"):
            return rule.type, rule.importance
    return "OBSERVATION", _USUAL


def is_disliked(text: str) -> bool:
    """Whether a text says that somebody does not like something."""
    return compiled(household_rules().dislikes).search(text[:_LOOKED_AT]) is not None


def liking(who: Sequence[str], texts: Iterable[str], *, together: bool) -> str:
    """Return how sure it is that this is how people like it, or do not: all of them where they acted `together`, or else one alone."""
    rule = "DISLIKE" if any(map(is_disliked, texts)) else "PREFERENCE"
    ending = "_ONE" if len(who) == 1 else "" if who and together else "_NOBODY"
    return household_rules().type_says[rule + ending].format(who=named(who))


def as_remembered(text: str, memory_type: MemoryType | None, importance: float | None, *, config: Config) -> tuple[MemoryType, float]:
    """Return the type of a memory that somebody states and how important it is: as they say, within the settings, or by the rules."""
    by_rules, usual = type_of(text)
    if memory_type not in (None, by_rules):
        usual = next((rule.importance for rule in household_rules().type if rule.type == memory_type), _USUAL)
    return memory_type or by_rules, min(config.max_importance, usual if importance is None else importance)


def kind_of(event: Event, *, significant: float) -> tuple[MemoryType, float]:
    """Return the memory type of an event and how important it is: above `significant` it is a significant one.

    What it says of its own importance goes before the rules.
    """
    memory_type, importance = type_of(event.description)
    if event.importance is not None:
        importance = event.importance
    if event.trigger == "significant_event" or importance > significant:
        return "SIGNIFICANT", max(importance, significant)
    return memory_type, importance


def trigger_of(event: Event) -> BreakTrigger | None:
    """Return what an event ends a segment by: as it says itself, or because somebody leaves home or comes home by its words."""
    return event.trigger or _trigger_of(event.description[:_LOOKED_AT])


@lru_cache(maxsize=1_024)
def _trigger_of(text: str) -> BreakTrigger | None:
    said = stated(text)
    return next((rule.trigger for rule in household_rules().trigger if compiled(rule.match).search(said)), None)


def emotion_of(text: str, part: PartOfDay | None) -> EmotionRule | None:
    """Return the feeling in a text that tells of this part of the day, None where nobody knows of which, or None for a neutral one."""
    rules = household_rules()
    meant = _without(rules.look_alikes + rules.negated + rules.unfelt, text[:_LOOKED_AT])
    return next((rule for rule in rules.emotion if (not rule.at or part in rule.at) and compiled(rule.match).search(meant)), None)


def _without(passed_over: Sequence[str], text: str) -> str:
    return compiled("|".join(passed_over)).sub(" … ", text)


def telling_words(text: str, *, names: Iterable[str] = ()) -> list[str]:
    """Return the words that tell something, without endings, in order and once each; `names` are left out."""
    return list(_told(text, tuple(names)))


def words_to_find_by(text: str, *, names: Iterable[str]) -> list[str]:
    """Return the telling words as they stand in the text, each in the first of its forms."""
    return list(_told(text, tuple(names)).values())


@lru_cache(maxsize=1_024)
def _told(text: str, names: tuple[str, ...]) -> dict[str, str]:
    left_out = {part for name in names for part in _WORD.findall(same_name(name))}
    told: dict[str, str] = {}
    for word in _WORD.findall(same_name(text)):
        bare = _ENDING.sub("", word)
        if word not in _EMPTY and not word.isdigit() and len(bare) > 1 and not {word, bare} & left_out:
            told.setdefault(bare, _POSSESSIVE.sub("", word))
    return told


def likeness(one: Set[str], other: Set[str]) -> float:
    """Return how much two sets of words have in common: 0 nothing, 1 everything."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def participants_of(events: Iterable[Event]) -> tuple[str, ...]:
    """Return who took part, in the order of the alphabet, so that the same people are always named the same way."""
    return tuple(sorted(one_each(name for event in events for name in event.participants)))


def named(names: Sequence[str]) -> str:
    """Return people as they are spoken of, however many they are: the first by name, the others by number."""
    shown = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]} …" for name in names[:_NAMED]]
    return listed([*shown, *([f"{len(names) - _NAMED} others"] if len(names) > _NAMED else [])])


def listed(names: Sequence[str]) -> str:
    """Return names as they are said: "Ana", "Ana and Rui", "Ana, Rui and Mila"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def placed(place: str) -> str:
    """Return a place in the words that it has within a sentence: "Living Room" and "living_room" are the living room.

    A name that is not only of rooms and the like keeps its capitals: "Central Park" is no park of the home.
    """
    known = _words_of_places()
    words = place.replace("_", " ").split()
    if all(word.lower() in known or _POSSESSIVE.search(word) for word in _OF_PLACE.findall(" ".join(words))):
        words = [word if _POSSESSIVE.search(word) or (word.isupper() and len(word) <= _ABBREVIATION) else word.lower() for word in words]
    return " ".join(words) or place


@cache
def _words_of_places() -> frozenset[str]:
    rules = household_rules()
    return frozenset((*rules.of_places.split(), *rules.check.places.split(), *rules.check.things.split()))


def located(place: str) -> str:
    """Return a place as it is spoken of: "in the kitchen", "at home", "in Mila's room"."""
    words = placed(place)
    says, found = next((rule.says, found) for rule in household_rules().place if (found := compiled(rule.match).search(words)))
    return says.format(**found.groupdict())


def stated(description: str) -> str:
    """Return an event's words as they stand within a sentence, and plainer where a machine wrote them down."""
    words = " ".join(description.split())
    text = _plain(_END_OF_QUOTE.sub(r"\1", words.rstrip(" .;,")) or words)
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0] + " …"
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}".strip() if first.casefold() in ARTICLES else text


def _plain(text: str) -> str:
    """Say what a machine wrote down as people do; nothing is added, and nothing but its manner left out."""
    if len(text) > _LONGEST:
        return text
    for rule in household_rules().plain:
        if found := compiled(rule.match).search(text):
            parts = found.groupdict()
            what = parts.get("what") or ""
            parts["what"] = what if what[:2].isupper() else what[:1].lower() + what[1:]
            text = rule.says.format(**parts, was="were" if what.endswith("s") else "was")
    return _HALF_OF_DAY.sub(lambda found: f"{found[1]}{found[2] or ''} {found[3].lower()}m", text)
