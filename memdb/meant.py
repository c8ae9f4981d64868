"""Which of what is believed is meant by what is said of it: "Helen", "the Fiesta", "my gym", "the sailing"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from memdb.called import attribute_of, called
from memdb.english_rules import compiled, relation_words, rules
from memdb.keys import slug, telling

DETERMINER = re.compile(
    r"(?:(?:both|all)\s+(?:of\s+)?(?:(?:the|my|our)\s+)?|(?:the|my|our|a|an|this|that)\s+)(?:(?:old|poor|dear|trusty|beloved|lovely|whole)\s+)*",
    re.IGNORECASE,
)
"""What may stand before a noun that means something known."""

_OF_THEIR_OWN = ("relatives", "homes", "tastes", "conditions", "abstentions", "debts")  # sorts that nothing ends which ends anything
_WHERE = re.compile(r"\s(?:in|at|from|near)\s[A-Z].*")
_ALLERGY = re.compile(r"(?P<to>.+) (?:allergy|allergies|intolerance)|(?:allergy|intolerance) to (?P<too>.+)", re.IGNORECASE)
LEADING = re.compile(r"^(?:an?|the|my|their|our|by|to|going to) ", re.IGNORECASE)
"""What may stand before the name of a thing in a value."""

_DOING = re.compile(r"(?P<verb>[a-z]{3,})ing")
_WITH_WHOM = re.compile(r"\S+(?= (?:appointment|check-?up)$)")
_SHORTEST = 3  # letters of a part of a name
_NAME = re.compile(r"(?<![\w'’-])(?:[A-Z]|\d+[A-Z])[\w&-]+")
_FORMS = (  # a trade by what it is called: "accountant", "accountancy"
    (re.compile(r"(?<=\w{3})ant$"), r"an(?:t|cy|ting)"),
    (re.compile(r"(?<=\w{3})ist$"), r"is(?:t|try|m)"),
    (re.compile(r"(?<=\w{2})(\w)\1er$"), r"\1\1?(?:er|ing)"),
    (re.compile(r"(?<=\w{3})er$"), r"(?:er|ing)"),
    (re.compile(r"(?<=\w{3})se$"), r"s(?:e|ing)"),
    (re.compile(r"(?<=\w{2})(ef|ook|oach|ard)$"), r"\1(?:f?ing)?"),
)
_CAPITAL = re.compile(r"(?<!\w)(?:[A-Z]|\d+[A-Za-z])")


def meant_by(said: str, believed: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what is believed by a name, or a part of it that tells, or by what it is to one: "Helen", "the Fiesta", "my gym"."""
    determined = DETERMINER.match(said)
    bare = said[determined.end() :] if determined else said
    words = telling(bare)
    if not words or compiled(rules().over.aside).fullmatch(bare):
        return []
    believed = list(believed)
    if suffers := _ALLERGY.fullmatch(bare):
        to = telling(suffers["to"] or suffers["too"])
        return [(key, value) for key, value in believed if predicate_in(key) in rules().over.conditions and telling(value) == to]
    told = [(key, value, telling(value)) for key, value in believed]
    exact = [(key, value) for key, value, known in told if words == known]
    if exact:
        return exact
    part = [(key, value) for key, value, known in told if words <= known]
    general = not determined and compiled(rules().over.general).fullmatch(bare)
    if part and not general and (_CAPITAL.search(bare) or all(_head(value) & words for _, value in part)):
        return part
    if part and determined and all(value.casefold().startswith(f"their {bare.casefold()} ") for _, value in part):
        return part
    if related := _related(said, believed):
        return related
    trades = [(key, value) for key, value, _ in told if value.islower() and " " not in value]  # "nursing", of a nurse
    if formed := [(key, value) for key, value in trades if any(name.fullmatch(bare) for name in names_of(value))]:
        return formed
    if (doing := _DOING.fullmatch(bare)) is not None:  # "the sailing", of who plans to learn to sail
        done = {doing["verb"], f"{doing['verb']}e", doing["verb"][:-1]}
        if meant := [(key, value) for key, value, _ in told if predicate_in(key) in rules().over.plans and value.split(" ")[-1] in done]:
            return meant
    names = {slug(bare), attribute(bare.lower())} if determined else {f"{slug(bare)}_a_day"}
    named = [(key, value) for key, value, _ in told if predicate_in(key) in names]
    head = _WHERE.sub("", said)
    return named if named or head == said or not determined else meant_by(head, believed)  # "the flat in Hackney"


def _related(said: str, believed: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The names that are known of a relative or a friend who is spoken of as such: "my sister Rita", "grandma"."""
    told = relative_in(said)
    if told is None:
        return []
    relation, name = told
    return [(key, value) for key, value in believed if predicate_in(key) == relation and telling(name) <= telling(value)]


def relative_in(said: str) -> tuple[str, str] | None:
    """Return what a relative or a friend is to one who is spoken of as such, and how they are called, "" if that is not told."""
    match = _relative().fullmatch(said)
    return (called().relations[(match["rel"] or match["own"]).lower()], match["name"] or "") if match is not None else None


@cache
def _relative() -> re.Pattern[str]:
    own = r"(?:mum|mom|mam|dad|gran|granny|grandma|grandpa|gran(?:d)?dad|nan|nana|(?:aunt|uncle)(?= ))"
    name = r"(?: (?P<name>[\w'-]+(?: [\w'-]+)?))?"
    return re.compile(
        rf"(?:(?:my|our) (?:(?:old|poor|dear|beloved|late|lovely|older|younger|big|little|elder|twin|best) )*(?P<rel>{relation_words()})"
        rf"|(?P<own>{own})){name}",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1024)
def names_of(value: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of what a value may be spoken of by: all of it first, then its parts that tell."""
    said = LEADING.sub("", value.rpartition(" called ")[2])
    names = [re.escape(said.removesuffix("s")) + "s?" if said.islower() and len(said) > _SHORTEST else re.escape(said)]
    bare = _without_days(said)
    if capitals := [part for part in _NAME.findall(bare) if len(part) >= _SHORTEST]:
        names += map(re.escape, capitals if len(said.split()) > 1 else [])
    else:
        last = bare.split(" ")[-1]
        names += [re.escape(last)] if " " in said and len(last) > _SHORTEST else []
        names += [form.sub(other, re.escape(last)) for form, other in _FORMS if form.search(last)]
    return tuple(re.compile(rf"(?<![\w'’-]){name}(?![\w-])", re.IGNORECASE) for name in names if name)


def _head(value: str) -> frozenset[str]:
    """The last word that says what a value is of: of "have piano lessons on Tuesdays", "lessons"; and with whom an appointment is."""
    said = _without_days(value)
    return telling(said.split(" ")[-1]) | telling("".join(_WITH_WHOM.findall(said)))


def _without_days(value: str) -> str:
    """What is done, without on which days or how often: "go to yoga on Tuesdays" is "go to yoga"."""
    return compiled(r" (?:(?:on|every) {weekdays}|{often})$").sub("", value)


def attribute(noun: str) -> str:
    """Return the predicate under which what is called by a noun is held: "dentist", "mobile" of a phone."""
    return attribute_of().get(noun) or called().relations.get(noun) or slug(noun)


def predicate_in(key: str) -> str:
    """Return the predicate of a key that says of whom it is."""
    return key.partition(".")[2]


@cache
def sorts_of(predicate: str) -> frozenset[str]:
    """Return of which sorts what is held under a predicate may be; what has no sort of its own may be a place or a thing."""
    over, people = rules().over, called().attributes["person"].values()
    first = predicate.split("_")[0]
    if own := {sort for sort in _OF_THEIR_OWN if {predicate, first} & {*getattr(over, sort)}}:
        return frozenset(own)
    if predicate in over.kept or first in over.kept:
        return frozenset()
    sorts = {sort for sort in ("persons", "partners", "places", "things", "plans", "pets") if {predicate, first} & {*getattr(over, sort)}}
    if predicate in people:
        sorts.add("persons")
    if predicate in called().attributes["firm"].values() or predicate in called().attributes["place"].values():
        sorts.add("places")
    if predicate in called().attributes["thing"].values():
        sorts.add("gadgets")
    if first == "favourite":
        sorts.add("favourites")
    if predicate in over.activities:
        sorts.add("activities")
    if predicate in over.courses:
        sorts |= {"courses", "places", "things"}
    return frozenset({"any", *(sorts or {"places", "things"})})
