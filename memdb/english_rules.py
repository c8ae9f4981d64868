"""The rules by which English is read, as `rules/english.toml` holds them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from typing import Literal

from pydantic import Field, field_validator

from memdb.called import attribute_of, called
from memdb.files import read
from memdb.fitting import Needs, any_of, fragments
from memdb.records import Record

_MACRO = re.compile(r"\{(?P<name>[a-z]\w*)\}")


Sort = Literal[
    "any", "persons", "partners", "places", "things", "gadgets", "plans", "courses", "pets", "relatives", "homes", "tastes",
    "conditions", "abstentions", "debts", "activities", "favourites"
]  # fmt: skip
"""What is believed, by how it may end; rules/english.toml says under which predicates each is held."""


class Kind(Record):
    """What an object of some kind may look like: at most `max_words`, cut at `cut`, without `strip`, refused by `deny` but for `allow`;
    what begins with `narrowed` belongs to it."""

    max_words: int
    split: bool = False  # a list: "jazz, blues and rock" is three objects
    any: bool = False  # may begin with any word
    proper: bool = False  # a name: capitals are expected
    title: bool = False  # and given where they are missing
    strip: str | None = None
    cut: str | None = None
    need: str | None = None
    deny: str | None = None
    allow: str | None = None  # taken, whatever else refuses it
    narrowed: str | None = None  # which may make it three times as long


class Also(Record):
    """A second fact that the same words state."""

    key: str
    object: str
    kind: str
    negated: bool = False


class Pattern(Record):
    """A way of saying something; rules/english.toml says how the fields are meant and used."""

    match: str
    key: str
    kind: str
    scope: Literal["subject", "my", "clause", "any"] = "subject"
    object: str = "{o}"
    confidence: float = 0.92
    explicit: bool = False
    negated: bool = False
    negative: str = "ends"
    time: Literal["none", "state", "event", "change", "moved"] = "none"
    needs_time: bool = False
    goes_on: bool = False
    raw: bool = False
    similar: bool = False
    others: bool = False
    surely: bool = False
    bygone: bool = False
    couple: bool = False
    alone: bool = False
    single: bool = False
    replaces: bool = False
    needs: str | None = None
    deny: str | None = None
    unless: str | None = None
    names: dict[str, str] = Field(default_factory=dict)
    also: tuple[Also, ...] = ()
    examples: tuple[tuple[str, str, str], ...]


class Answer(Record):
    """What a short answer to a question states; rules/english.toml says how the fields are meant and used."""

    asks: str
    says: str
    needs: str | None = None
    strip: str | None = None
    lower: bool = False
    examples: tuple[tuple[str, str, str, str], ...]


class Elided(Record):
    """How a turn begins whose writer has left out "I" or "my", and what belongs before it; `own`: "Mum" needs no "my" to be one's own."""

    begins: str
    says: str
    own: bool = False


class Plainly(Record):
    """A construction of its own, and how what it says is said plainly; rules/english.toml says how the fields are meant and used."""

    within: Literal["clause", "sentence", "granted"]
    words: tuple[frozenset[str], ...]
    match: str
    says: str
    examples: tuple[tuple[str, str, str], ...]

    @field_validator("words", mode="before")
    @classmethod
    def _split(cls, words: list[str]) -> list[list[str]]:
        return [alternatives.split() for alternatives in words]


class Exchange(Record):
    """How one says that `from` is over and `o` is so instead, or `o` "again", or "over"; an example begins with what was said before.

    `of`: under which predicates alone.
    """

    match: str
    means: Literal["instead", "again", "over"] = "instead"
    of: tuple[str, ...] = ()
    confidence: float = 0.92
    examples: tuple[tuple[str, str, str, str], ...]


class Instead(Record):
    """How one goes on after what is so no more, and what is so then; rules/english.toml says how the fields are meant and used."""

    predicates: tuple[str, ...]
    alone: tuple[str, ...]
    places: tuple[str, ...]
    sorts: tuple[str, ...]
    returned: tuple[str, ...]
    left: tuple[str, ...]
    taken_to: str
    changed: str
    at: str
    sees: str
    took: str
    serves: str
    gets: str
    comes_in: str
    busy_at: str
    works_on: str
    will_do: str
    gotten: tuple[str, ...]
    does: str
    it: str
    goes_on: dict[str, str]
    bare: str
    named: str
    next: str
    elided: str
    nowadays: str
    lower: str
    no_name: str
    none: str


class Swap(Record):
    """How a sentence that names only `from`, which is over, and `o`, or `new`, which is so instead, goes on after its `lead`."""

    lead: str
    matches: tuple[str, ...]
    examples: tuple[tuple[str, str, str, str], ...]


class Over(Record):
    """Which predicates a way of saying that something is over may end, sort by sort; the verbs by which what was to do is `done`, each with
    how it was to do; and how one says that what was `to_come` is `given_up`, or has `come`; rules/english.toml says how."""

    done: dict[str, str]
    to_come: tuple[str, ...]
    wished: tuple[str, ...]
    given_up: str
    come: str
    not_to_come: str
    not_yet: str
    not_now: str
    gets_to: dict[str, str]
    gets: tuple[str, ...]
    kept: tuple[str, ...]
    persons: tuple[str, ...]
    partners: tuple[str, ...]
    places: tuple[str, ...]
    things: tuple[str, ...]
    plans: tuple[str, ...]
    pets: tuple[str, ...]
    relatives: tuple[str, ...]
    homes: tuple[str, ...]
    tastes: tuple[str, ...]
    conditions: tuple[str, ...]
    abstentions: tuple[str, ...]
    debts: tuple[str, ...]
    courses: tuple[str, ...]
    activities: tuple[str, ...]
    once: tuple[str, ...]
    left: tuple[str, ...]
    but: str
    passing: str
    unreal: str
    by_pronoun: tuple[str, ...]
    begins: str
    general: str
    aside: str


class Ending(Record):
    """How one says that `o` is over, and what is so instead, `new`, if it is told; of which sorts it may be ("any" of all), or under which
    predicates `what` is over then, where the value of the first is such.

    `first_person`: it follows "I", or where "I" was left out; `final`: it does not go on after all, whatever else is said beside it;
    `negative`: it is over where this is "not" so "any more"; `planned`: it may be over before it has begun.
    """

    match: str
    of: tuple[Sort, ...] = ()
    what: dict[str, str] = Field(default_factory=dict)
    first_person: bool = False
    final: bool = False
    negative: bool = False
    planned: bool = False
    examples: tuple[tuple[str, str, str], ...]


class ChangedTo(Record):
    """How one says what one has changed `to`, or has "now" or `since` some time, without saying from what; and of what `sorts` it is known
    to be then.
    """

    to: str
    now: str
    since: str
    sorts: tuple[str, ...]
    examples: tuple[tuple[str, str, str, str], ...]


class PutOff(Record):
    """How one says that what `o` names is on another day now: by what is done with it, `passive` or `active`; by whoever it is with,
    `host`; by when it is `now`, or one is `going`; or that nobody knows when it is, `undated`; or that it is at another hour `at` of its
    day, `hours`, or so many hours sooner or later. `by` tells how far it is moved, and `alike` which plans may be meant by what such a
    thing is called."""

    undated: tuple[str, ...]
    hours: tuple[str, ...]
    passive: str
    active: str
    host: str
    going: str
    now: str
    by: str
    alike: dict[str, str]
    examples: tuple[tuple[str, str, str, str], ...]


class Moved(Record):
    """How one says that what `o` names, or what "we" do, is on other `days` now, or is another `amount`, of which `unit` is a part; or that
    one is `doing` `what` one does as `often`, or what a `noun` names so many `times`."""

    match: str
    examples: tuple[tuple[str, str, str, str], ...]


class Wording(Record):
    """Another way of saying what `says` says, where something is believed of what it calls `attr`, or under the predicate `of`; `dated`: of
    "I", with the time when, and meant so only where it is sure; `final`: whatever else is said beside it; `others`: what is matched is said
    of a relative, `who`, of whom it is believed; `whole`: the whole sentence says it; `beside`: the turn must speak of
    this, too; `unless`: it speaks of this; `known`: such is one value
    that is believed under `of`, and its groups are filled in as well."""

    match: str
    says: str
    of: str = ""
    known: str = ""
    final: bool = False
    dated: bool = False
    others: bool = False
    whole: bool = False
    beside: str = ""
    unless: str = ""
    examples: tuple[tuple[str, str, str, str], ...]


class Surmise(Record):
    """How one speaks of what may be over, `§`, and of what is so instead, `new`, if it is told; of which sorts it may be. An example
    has no value where nothing is so instead.

    `sure`: it is over; else it may be, and one is asked.
    """

    match: str
    of: tuple[Sort, ...] = ("any", "homes", "tastes", "conditions")
    sure: bool = False
    whole: bool = False
    examples: tuple[tuple[str, str, str, str], ...]


class Supposed(Record):
    """By which words, `cue`, something may be so instead of what is believed of its sort, beside those of `changed_to`; none of them
    `against` it."""

    cue: str
    against: str
    sorts: tuple[str, ...]
    examples: tuple[tuple[str, str, str, str], ...]


class Added(Record):
    """How one adds to a list that ended the message before, under which predicates, and which words do not go on with it."""

    says: str
    predicates: tuple[str, ...]
    no_more: str


class Mentioned(Record):
    """What one `says` by the way who speaks of somebody as theirs, `unless` something is known under these predicates, or was."""

    says: str
    unless: tuple[str, ...]


class Form(Record):
    """How one fills in a form about oneself; rules/english.toml says how."""

    lead: str
    between: str
    names: tuple[str, ...]
    personal: tuple[str, ...]
    born: tuple[str, ...]
    card: tuple[str, ...]
    places: tuple[str, ...]
    no_value: str
    of_others: str
    fields: dict[str, str]


class TakesBack(Record):
    """How one takes back what one said: by correcting a slip, or by asking to forget it; rules/english.toml says how."""

    lead: str
    slip: tuple[str, ...]
    bare: tuple[str, ...]
    anew: str
    repair: str
    repair_first: str
    alike: tuple[str, ...]
    instead: str
    by_now: str
    beside: tuple[str, ...]
    clear: str
    begins: str
    no_word: str
    forget: str
    ignore: str
    about: str
    trail: str
    said_of: str
    for_now: str
    joke: str
    ignored: str
    unsaid: str
    off: str
    over: str
    denied: str


class Rules(Record):
    """The whole of rules/english.toml."""

    expand: dict[str, str]
    groups: dict[str, tuple[str, ...]]
    spelling: dict[str, str]
    clauses: dict[str, str]
    elided: tuple[Elided, ...]
    plainly: tuple[Plainly, ...]
    leads: dict[str, str]
    block: dict[str, str]
    takes_back: TakesBack
    play: dict[str, str]
    added: Added
    mentioned: dict[str, Mentioned]
    form: Form
    pointed: dict[str, str]
    forgotten: dict[str, tuple[str, ...]]
    forgotten_of: dict[str, tuple[str, ...]]
    phrase: dict[str, str]
    kinds: dict[str, Kind]
    macros: dict[str, str]
    pattern: tuple[Pattern, ...]
    instead: Instead
    exchange: tuple[Exchange, ...]
    swap: Swap
    over: Over
    ending: tuple[Ending, ...]
    changed_to: ChangedTo
    moved: tuple[Moved, ...]
    put_off: PutOff
    wording: tuple[Wording, ...]
    surmise: tuple[Surmise, ...]
    supposed: Supposed
    answer: tuple[Answer, ...]


@cache
def rules() -> Rules:
    """Return the rules as shipped."""
    return Rules.model_validate(tomllib.loads(read("rules/english.toml")))


def literal(value: str) -> str:
    """Return a value as the `object` of a pattern, which is filled in."""
    return value.replace("{", "{{").replace("}", "}}")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the rules, its macros filled in, ready to match."""
    return re.compile(filled_in(pattern), re.IGNORECASE)


Finds = Callable[[str], re.Match[str] | None]
"""Looks for a pattern in a text."""


def finder(pattern: Pattern) -> Finds:
    """Return what looks for a pattern in a text: one for anywhere in all of it, any other where it begins."""
    regex = compiled(pattern.match)
    return regex.search if pattern.scope == "any" and not pattern.match.startswith("^") else regex.match


@cache
def needs(pattern: str) -> Needs:
    """Return what a text holds that a pattern of the rules matches: of each of these a fragment."""
    return fragments(pattern, macro=_needs_of)


@cache
def _needs_of(name: str) -> Needs:
    return needs(_macro(name))


def filled_in(pattern: str) -> str:
    """Return a pattern of the rules with its macros filled in."""
    for _ in range(3):  # a macro may hold another, which holds a third
        pattern = _MACRO.sub(lambda found: _macro(found["name"]) or found.group(), pattern)
    return pattern


@cache
def _macro(name: str) -> str:
    """What takes the place of "{name}" in a pattern, "" where nothing does: of nouns, what one has one of, {person} is of those who are
    persons, and {attribute} all, as alternatives, the longest first."""
    if written := rules().macros.get(name):
        return written
    nouns = attribute_of() if name == "attribute" else called().attributes.get(name, {})
    return f"(?:{any_of(nouns)})" if nouns else ""


@cache
def relation_words() -> str:
    """Return how relatives, friends and pets are called, as alternatives of a pattern, the longest first."""
    return any_of(called().relations)


@cache
def relatives() -> frozenset[str]:
    """Return what relatives are to somebody who are women, or are men: "a child" may be told of a son, and a friend of nearly everybody."""
    groups = rules().groups
    return frozenset(called().relations.values()) & (set(groups["she"]) ^ set(groups["he"]))
