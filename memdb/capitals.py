"""Names that are told by what stands before them: typed without a capital ("my sister lena"), or taken for granted in a question."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from pydantic import field_validator

from memdb.called import called
from memdb.english_rules import compiled, relation_words, rules
from memdb.files import read
from memdb.fitting import any_of
from memdb.languages import fold
from memdb.records import Record

_MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
_AND = re.compile(r", (?:and )?| and ")
_AND_OR = re.compile(r"(, (?:and )?| and )")
_WORD = re.compile(r"\b(?!and\b)\w+")
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5}
_SMALL = r"[^\W\d_A-Z]{2,}(?![\w-]|['’](?!s\b))"  # a word that may be a name without a capital
_AFTER_CALLED = frozenset("in off out back up to as by for on at after over about again me us you it that this something".split())
_UNKNOWN = re.compile(r"[^\W\d_a-zß-ÿ][^\W\d_A-Z]{2,}")
_MAY_END = re.compile(r"$|[,.;?!)]| [a-z]|'s ")


_LEADS_TO = re.compile(  # somebody: "give my son Calpol" names nobody
    r"(?:^|\b(?:for|with|to|about|from|than|like|can|could|should|will|would|does|did|is|was|has|wish|if|unless|that|when|because|and"
    r"|or)) $",
    re.IGNORECASE,
)
_MODELS = re.compile(r"\(\?-i:([A-Z][^()]*)\)")  # kinds of cars that are told from words by their capitals
_NO_NAME = r"\w+ing|{no_name}|{nationality}|{language}|{month}|{weekday}|christmas|easter|diwali|eid|hanukkah|ramadan|i"


_AT_HOME = frozenset(("lives_in", "staying_in", "hometown", "born_in"))


class _Names(Record):
    people: frozenset[str]
    places: frozenset[str]
    pets: frozenset[str]
    no_name: frozenset[str]
    kept: str
    title: str
    made_up: str
    gone: str
    former: str
    asks: str
    made_for: str

    @field_validator("people", "places", "pets", "no_name", mode="before")
    @classmethod
    def _split(cls, words: str) -> list[str]:
        return words.split()


def with_capitals(sentence: str, *, small: bool) -> str:
    """Return a sentence in which names have capitals after whoever bears them: "my boss karen", "two cats, miso and pickle", "I am tiago".

    Where the writer uses no capitals at all (`small`), whatever a list of so many animals or children names is a name.
    """
    if _MINE.search(sentence):
        sentence = _of_somebody().sub(_if_named, sentence)
        if "," in sentence or "(" in sentence:
            for pattern in _apart():
                sentence = pattern.sub(_if_named, sentence)
        if small:
            sentence = _doing().sub(_if_may_be, sentence)
    sentence = _of_oneself().sub(_if_named, sentence)
    if small:
        sentence = _titled().sub(_named, sentence)
        sentence = _without_my().sub(_if_named, sentence)
        sentence = _bound_to().sub(_if_named, sentence)
        sentence = _where().sub(_named, sentence)
        sentence = _introduced().sub(_unless_no_name, sentence)
        sentence = _counted().sub(_listed, sentence)
        sentence = _driven().sub(_named, sentence)
    return sentence


def presupposed(sentence: str, *, question: bool) -> list[str]:
    """Return what a question or a request takes for granted: "my wife is called Sara", of "What shall I get my wife Sara?".

    Of whoever serves one and whom it begins with, a statement does as well: "My therapist, Dr Weiss, suggested it".
    """
    if not _MINE.search(sentence) or is_made_up(sentence):
        return []
    said, asked = list[str](), question or compiled(_names().asks).match(sentence) is not None
    for found in _of_whom().finditer(sentence):
        if found["name"] and fold(found["first"].lower()) not in _known(animal=found["animal"] is not None):
            may_be = _UNKNOWN.fullmatch(found["first"]) and _MAY_END.match(sentence, found.end()) and _may_be_a_name(found["name"])
            if not (may_be and _LEADS_TO.search(sentence, 0, found.start())):
                continue
        who, titled = found["who"].lower(), found["titled"]
        served = who in called().attributes["person"]
        if not asked and (not served or found.start() > 0 or compiled(_names().gone).match(sentence, found.end())):
            continue
        if served and compiled(_names().former).search(found[0]):
            continue
        if served or titled is None:
            name = found["titled"] or found["name"]
            name = name if served else f"called {name}"
            said.append(f"my {who} is {name}")
    return said


def is_made_up(sentence: str) -> bool:
    """Tell whether a sentence speaks of somebody who may be made up, or is a text to work on: a story, a joke, what one supposes."""
    return compiled(_names().made_up).search(compiled(_names().made_for).sub("", sentence)) is not None


def _may_be_a_name(words: str) -> bool:
    return compiled(_NO_NAME).fullmatch(words) is None


def is_a_name(word: str) -> bool:
    """Tell whether a word in small letters is what somebody is called, and nothing else."""
    return word in _names().people or fold(word.lower()) in _names().people


def is_known_for_a_name(words: str, predicate: str) -> bool:
    """Tell whether words in small letters are what somebody is called, and nothing else; or, under such a predicate, a town or a firm."""
    if predicate == "works_at":
        return compiled("{employer}|{known_bank}|{known_network}").fullmatch(words) is not None
    return is_a_name(words) or (predicate in _AT_HOME and is_a_place(words))


def is_a_place(words: str) -> bool:
    """Tell whether words are what a town or a country is called that is widely known, and nothing else."""
    return words.lower().replace(" ", "-") in _names().places


def _named(found: re.Match[str]) -> str:
    return found["before"] + _WORD.sub(lambda word: word[0].capitalize(), found["names"])


def _known(*, animal: bool) -> frozenset[str]:
    """What people are called, or animals, which have the names of people as well."""
    return _every_name() if animal else _names().people


@cache
def _every_name() -> frozenset[str]:
    return _names().people | _names().pets


def _if_named(found: re.Match[str]) -> str:
    """What was found, with capitals for as many of the words as are known for names, from the first."""
    people = _names().people
    first, *others = _AND_OR.split(found["names"])
    if first not in _known(animal=found.groupdict().get("animal") is not None):
        return found.group()
    known = first.capitalize()
    for joint, name in zip(others[::2], others[1::2], strict=True):
        if name not in people:
            break
        known += f"{joint}{name.capitalize()}"
    return f"{found['before']}{known}{found['names'][len(known) :]}"


def _if_may_be(found: re.Match[str]) -> str:
    """A word with its capital where no other than a name can stand, unless it may be an adverb, or makes another noun."""
    word = found["names"]
    none = _NO_NAME_THERE.fullmatch(word) or word in _names().no_name or compiled(_NO_NAME).fullmatch(word)
    return found.group() if none or _narrows(found.string[: found.start()]) else _named(found)


def _narrows(before: str) -> bool:
    """Whether what follows may tell more of what stands before it, so that it is a verb: "the only thing | my son eats is rice"."""
    near = before[-_NEAR:].rstrip()
    return _ASKS_WHAT.search(near) is not None or compiled(rules().phrase["narrowed_by"]).search(near) is not None


_NEAR = 60  # characters before somebody, in which the noun stands that is told more of
_ASKS_WHAT = re.compile(r"\b(?:what(?:ever)?|all|where|how|when|as|than|that|which)$")


_NO_NAME_THERE = re.compile(
    r"\w+(?:ly|ed|er)|also|just|still|always|never|even|now|often|only|already|who|that|which|both|all|then|there|here|thing|side|stuff"
    r"|and|or"
    r"|apparently|honestly|tbh|atm|lol|too|once|alone|himself|herself|maybe|perhaps|today|recently|sometimes|situation|problem|birthday|party"
    r"|wedding|house|car|job|school|room|phone|name|surname|age|life|drama|visit|relationship|abroad|upstairs|downstairs|in|at|with|from|for"
)


def _unless_no_name(found: re.Match[str]) -> str:
    """A name with its capital, unless it is a word that is none: "my dog is called the boss", "a guy named as heir"."""
    words = _AND.split(found["names"])
    none = not _names().no_name.isdisjoint(words) or any(compiled(_NO_NAME).fullmatch(word) or word in _AFTER_CALLED for word in words)
    return found.group() if none else _named(found)


def _listed(found: re.Match[str]) -> str:
    """A list with capitals, if it names as many as there are."""
    names = _AND.split(found["names"])
    count = _NUMBERS.get(found["number"]) or int(found["number"])
    may_be = _names().no_name.isdisjoint(names) if found["apart"] else _names().people.issuperset(names)
    return _named(found) if may_be and len(names) == len(set(names)) == count else found[0]


@cache
def _names() -> _Names:
    return _Names.model_validate(tomllib.loads(read("rules/names.toml")))


@cache
def _of_somebody() -> re.Pattern[str]:
    """A relative, or an animal, and what may be their name, or theirs, typed without a capital."""
    told = r",? (?:called |named |is (?:called |named )?)?"
    return re.compile(
        rf"(?P<before>\b(?i:my|our) (?:(?:{_names().kept})[ -])*"
        rf"(?:(?P<animal>{compiled('{animal}').pattern})|{relation_words()}|boy|lad"
        rf"|{any_of(frozenset(called().attributes['person']))}){told})"
        rf"(?P<names>{_SMALL}(?:(?:, (?:and )?| and ){_SMALL})*)"
    )


@cache
def _apart() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A relative and what may be their name, set apart from each other: "my friend at work, lena,", "my son (leo)", "tom, my brother,"."""
    who = rf"\b(?i:my|our) (?:[\w-]+ )??(?:{relation_words()})"
    where = r" (?:from|at|on|in|across|upstairs|downstairs|next door)(?: [a-z'-]+){0,4}"
    return (
        re.compile(rf"(?P<before>{who}(?:{where}, | \())(?P<names>{_SMALL})(?=[,)])"),
        re.compile(rf"(?P<before>^|, |\band |\bwith )(?P<names>{_SMALL})(?=, {who},| \({who}\))"),
    )


@cache
def _doing() -> re.Pattern[str]:
    """A relative, and a word that can only be their name by what follows: "my brother jakub is"."""
    young = (
        r"(?:step)?(?:brother|sister|son|daughter)|husband|hubby|wife|boyfriend|girlfriend|partner|cousin|uncle|aunt|nephew|niece|flatmate"
    )
    does = r"(?:is|has|was|lives|works|loves|likes|hates|plays|goes|wants|moved|got|just|and (?:i|my))"
    return re.compile(rf"(?P<before>\b(?i:my|our) (?:(?:{_names().kept})[ -])*(?:{young}) )(?P<names>{_SMALL})(?= (?:{does}) )")


@cache
def _of_whom() -> re.Pattern[str]:
    """A relative, an animal or whom else one has, and what may be their name, or has a title."""
    served = any_of(frozenset(called().attributes["person"]))
    title = "|".join(word.capitalize() for word in _names().title.split("|"))
    return re.compile(
        rf"\b(?i:my|our) (?:(?:{_names().kept})[ -])*"
        rf"(?P<who>(?P<animal>(?i:{compiled('{animal}').pattern}))|(?i:{relation_words()}|{served})),? "
        rf"(?:called |named )?(?:(?P<titled>(?:{title})\.? [A-Z][\w'-]+)|(?P<name>(?P<first>[A-Z][^\W\d_]+)(?: [A-Z][a-z]+)?))(?![\w-])"
    )


@cache
def _titled() -> re.Pattern[str]:
    return re.compile(rf"(?P<before>\b)(?P<names>(?:{_names().title})\.? (?!who\b|no\b)[a-z]{{3,}})(?![\w-])")


@cache
def _of_oneself() -> re.Pattern[str]:
    return re.compile(
        r"^(?P<before>(?:(?:hi+|hey+|hello|hiya|yo)(?: there)?[,!]? )?(?:so |and |ok |well |um )?(?:i am|I am|this is|it is) )"
        rf"(?P<names>{_SMALL})(?=$|[,.!;]| and i\b| I (?:am|have|live|work)\b| from\b| btw\b| by the way\b)"
    )


@cache
def _without_my() -> re.Pattern[str]:
    """A relative without "my", as a line may begin, and what they are called: "wife is anna"."""
    return re.compile(
        rf"^(?P<before>(?:(?:and|so|oh|well|new) )?(?:{relation_words()}),? (?:called |named |is (?:called |named )?)?)(?P<names>{_SMALL})"
    )


@cache
def _bound_to() -> re.Pattern[str]:
    """Whom somebody is married to, or will be."""
    return re.compile(
        rf"(?P<before>\b(?:married to|engaged to|divorced from|(?:am|is|been) dating|(?:am|is) marrying) )(?P<names>{_SMALL})"
    )


@cache
def _where() -> re.Pattern[str]:
    """Where somebody is, or will be, by a name that is widely known: "i'm in leeds for work"."""
    known = any_of(frozenset(name.replace("-", " ") for name in _names().places))
    behind = r"today|tonight|tomorrow|now|right|just|at|on|for|from|until|till|til|with|and|but|so|near|visiting|because|this|next|all|over"
    return re.compile(
        r"(?P<before>\b(?:[iI] am|we are|[iI] will be|we will be) "
        r"(?:(?:now|currently|here|over|out|down|up|back|just|actually|both|still) )*in )"
        rf"(?P<names>{known})(?=[,.;!?)]|$| (?:{behind}|by|btw|lol|if|which|where|too|as|between|again|alone|together)\b)"
    )


@cache
def _introduced() -> re.Pattern[str]:
    """Whoever is said to be called so, or is given a name: "a girl named priya", "my son named him waffles"."""
    somebody = rf"{relation_words()}|{compiled('{animal}').pattern}|girl|boy|guy|man|woman|lady|lad|bloke|fella|chap|lass"
    who = rf"\b(?:an?|my|our|the|this|new|some|another) (?:[\w-]+ ){{0,3}}?(?:{somebody})(?: is|'s)? (?:called|named) "
    return re.compile(
        rf"(?P<before>{who}|\bnamed (?:him|her|it|them) "
        rf"|\b(?:his|her|its) name is (?!not\b|also\b|so\b|on\b|in\b))(?P<names>{_SMALL}(?: and {_SMALL})?)"
    )


@cache
def _counted() -> re.Pattern[str]:
    """So many animals or children, and as many names."""
    return re.compile(
        rf"(?P<before>\b(?P<number>{'|'.join(_NUMBERS)}|[2-5]) (?:[\w-]+ ){{0,2}}?"
        rf"(?:{compiled('{animal}').pattern}|kids|children|sons|daughters|boys|girls|sisters|brothers)(?P<apart>,|:| -| called| named|) )"
        r"(?P<names>[a-z]{2,12}(?:(?:, (?:and )?| and )[a-z]{2,12}){1,4})(?=$|[.!,;]| who\b| aged\b)"
    )


@cache
def _driven() -> re.Pattern[str]:
    """A car, and what its kind is called."""
    models = "|".join(names.lower() for names in _MODELS.findall(compiled("{carmodel}").pattern))
    return re.compile(
        r"(?P<before>\b(?:(?:car|van|truck|motor|scooter)(?: is|'s)|(?:i|we) (?:drive|have(?: got)?|bought|got)|drives|bought"
        r"|new (?:car|van|truck),?) "
        r"an? (?:(?:old|new|little|used|blue|red|black|white|silver|\d{4}) )*)"
        rf"(?P<names>(?!bmw\b|vw\b|byd\b|gmc\b)(?:{compiled('{carmaker}').pattern}(?: (?:{models})\b)?|(?:{models})\b(?: custom\b)?))"
    )
