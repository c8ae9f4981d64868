"""Which keys hold what a question asks for, if it is believed: "Where do I live?" asks for `user.lives_in`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from string import digits
from types import MappingProxyType
from typing import NamedTuple

from memdb import files
from memdb.called import alike, called, held_as, predicates
from memdb.claims_abroad import spoken_in
from memdb.keys import canonical_key, slug
from memdb.languages import Language, all_verbs, fold
from memdb.names import mention
from memdb.records import Record, is_oneself
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS

_LONGEST = 150  # characters: what asks for one thing takes no more
_WHOSE = frozenset("i i'm i’m my we our".split())
_ONESELF = frozenset({"me", "myself"})  # who asks, where all that is known of them is asked for
_SOMEBODY = "§"  # stands for the name of who speaks in the memory
_RELATED = "{related}"  # whatever somebody is to the user
_USER = "user"
_NOBODY: Mapping[str, str] = MappingProxyType({})
_THE_USER = re.compile(r"\bthe (?=user\b)", re.IGNORECASE)  # as an assistant calls who speaks with it
_OF_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][^\W\d_]+(?= |\W|$)")  # behind another word: the first of a question has a capital anyway
_SHORT = re.compile(r"\b(?P<word>what|who|where|when|how|which|it)'?s\b|\b(?P<be>i)'m\b|\b(?P<not>do|does|did|is|are|was|were|ca)n'?t\b")
_ASKS = re.compile(r"(?:what|who|whose|where|when|how|which|why)\b")
_LEADS = re.compile(
    r"(?:(?:and|so|but|ok|okay|hey|hi|hello|well|oh|um|please|also|actually|quick question|just checking|sorry|memdb)[,:]? "
    r"|(?:(?:do|can|could|would|will) you (?:please |still |happen to |even )*)?(?:know|remember|recall|tell me|remind me|say)(?: again)?"
    r",? (?={asks})|i(?:'ve| have)? (?:forgot|forgotten|forget|(?:can not|can't|cannot|do not|don't) (?:remember|recall)) (?={asks})"
    r"|did i (?:ever |already )?(?:tell you|say|mention) (?={asks}))".replace("{asks}", _ASKS.pattern)
)
_TAILS = re.compile(
    r",? (?:now|nowadays|these days|currently|right now|at the moment|at present|today|again|still|any ?more|any longer|before|previously"
    r"|formerly|earlier|originally|in the past|once|back then|at first|please|exactly|actually|by the way|anyway|then|ever|so far|right)$"
)
_AND = re.compile(r",? and (?=(?:what|where|who|when|which|how)\b)|\? (?=\w)")
_SOFT = re.compile(r"\b(?:currently|now|still|actually|usually|previously|originally|again|use to|used to|ever|last|first) (?=\w)")
_MACROS = {
    "do": r"(?:do|does|did)",
    "be": r"(?:am|is|are|was|were)",
    "what": r"(?:what|who|which|when|where|how much|how long|how big|how tall)",
    "animal": r"(?P<attr>dog|puppy|cat|kitten|rabbit|bunny|parrot|horse|hamster|pony|tortoise|budgie|fish)s?",
    "occasion": r"(?:[a-z-]+ )?(?:appointment|operation|surgery|wedding|exam|interview|flight|viva|graduation|party|trip|holiday|test"
    r"|check-?up|scan|meeting|presentation|concert|race|marathon|audition|recital|conference|course|match|tournament|move)",
    "who": r"(?P<who>i|we|(?:my|our) (?:(?:older|younger|elder|little|big|new|old) )?[a-z][a-z-]*(?: [a-z-]+)?|§)",
    "whose": r"(?P<who>(?:my|our) (?:(?:older|younger|elder|little|big|new|old) )?[a-z][a-z-]*(?: [a-z-]+)?'s?|§'s|my|our)",
}
_MACRO = re.compile(r"\{(\w+)\}")
_GROUP = re.compile(r"\(\?P<(who|attr)>")
_PERSON = re.compile(r"\b(?:my|our) [a-z-]+\b|§")
_PRONOUN = re.compile(r"\b(?:she|he|they)\b")
_OWN = re.compile(r"^(?:my|our) |'s?$")
_SORTED = re.compile(r"^(?:older|younger|elder|little|big|new|old|current|usual|main|former|previous) ")


class Asked(Record):
    """One way of asking; rules/asked.toml says how the fields are meant and used."""

    words: frozenset[str]
    asks: str
    of: tuple[str, ...]
    value: bool = False
    examples: tuple[tuple[str, ...], ...]


class _Rules(Record):
    whose: dict[str, str]
    asked: tuple[Asked, ...]


@cache
def rules() -> _Rules:
    """Return the rules as shipped."""
    return _Rules.model_validate(tomllib.loads(files.read("rules/asked.toml")))


class Somebody(NamedTuple):
    """Who is named in a question, and under whose keys it is held what is told of them."""

    name: str
    subject: str


def keys_in(
    text: str, words: Iterable[str], named: Sequence[str], *, user_id: str, people: Mapping[str, str] = _NOBODY
) -> tuple[tuple[str, str | None], ...]:
    """Return the keys that hold what a question in English asks for, each with what its value must speak of, or None.

    `words` are those of the text, `named` who speaks in the memory and is named in it, and `people` those whom the user knows by name, each
    with what is the subject of their keys: "Where does Henrik live?" asks for `son.lives_in`, where that is their son. () where the
    question asks for nothing that has a key of its own, or for more than that: "Where did I live in 2010?" is left to the search.
    """
    known = set(words)
    if len(text) > _LONGEST or len(named) > 1:
        return ()
    speaker = Somebody(named[0], _USER if is_oneself(named[0], user_id) else slug(named[0])) if named else None
    somebody = speaker or somebody_in(text, people, user_id=user_id, anybody=not says_whose(known))
    if somebody is None and known.isdisjoint(_WHOSE | _ONESELF):
        return ()
    ways = [asked for asked in rules().asked if not asked.words or asked.words & known]
    found: dict[tuple[str, str | None], None] = {}
    person = ""
    for question in map(_trimmed, _AND.split(_plain(text, somebody))):
        question = _PRONOUN.sub(person, question) if person else question  # "Who is my sister, and where does she live?"
        person = last[-1] if (last := _PERSON.findall(question)) else person
        matches = ((asked, _compiled(asked.asks).fullmatch(question)) for asked in ways)
        if first := next(((asked, match) for asked, match in matches if match is not None), None):
            found |= dict.fromkeys(_keys(*first, somebody))
    return tuple(found)


def says_whose(words: Iterable[str]) -> bool:
    """Return whether the words of a question say "I" or "my", or the like."""
    return not _WHOSE.isdisjoint(words)


def may_ask(text: str, words: Iterable[str]) -> bool:
    """Return whether a text may ask for what has a key of its own, by its length and its words."""
    return len(text) <= _LONGEST and not _ways_of_asking().isdisjoint(words)


@cache
def _ways_of_asking() -> frozenset[str]:
    """One of these words is in every question for what has a key, also in those that may be in any words ("Who is Ana's landlord?")."""
    return frozenset(("name", "names", "called", "who", "whose", "what", "what's", "who's")).union(
        *(asked.words for asked in rules().asked)
    )


def somebody_in(text: str, people: Mapping[str, str], *, user_id: str = "", anybody: bool = True) -> Somebody | None:
    """Return the one of these people whom a question names, or the user where it speaks of "the user", or else, where it may be `anybody`,
    who has the one name in it, which may be that of the user; None where it names nobody, or more than one.

    Where it may not, it says "I" or "my", so that the user's name is a word like any other: "What is my favourite rose?", of Rose.
    """
    known = [name for name, subject in people.items() if (anybody or subject != _USER) and mention(name).search(text)]
    known = [name for name in known if not any(name != other and name in other.split() for other in known)]  # "Ana", of "Ana Silva"
    if len(known) == 1:
        return Somebody(known[0], people[known[0]])
    if not known and _THE_USER.search(text):
        return Somebody(_USER, _USER)
    names = dict.fromkeys(_OF_NAME.findall(text)) if anybody and not known else {}
    if len(names) != 1:
        return None
    name = next(iter(names))
    return Somebody(name, _USER if is_oneself(name, user_id) else slug(name))


def keys_abroad(text: str, language: Language) -> tuple[tuple[str, str | None], ...]:
    """Return the same for a question in a language whose questions of this kind are known; () in others."""
    ways = language.questions
    if ways is None or len(text) > _LONGEST:
        return ()
    folded = fold(text.lower().replace("ß", "ss").replace("’", "'"))
    asides, plain = set(ways.asides.split()), " ".join(folded.split()).strip(" ?!.,¿¡")
    led = re.match(ways.leads, plain)  # "Tu te souviens de moi ?" is none that leads into something
    for asked in dict.fromkeys((plain[led.end() :] if led else plain, plain)):
        question = " ".join(word for word in asked.split() if word not in asides).strip(" ,")
        for way, keys in language.asking:
            if (match := way.fullmatch(question)) is not None:
                told = (one.format(**_meant(match, language)).partition("=") for one in keys)
                return tuple((key, value or None) for key, _, value in told)
    return ()


def _meant(match: re.Match[str], language: Language) -> dict[str, str]:
    """What the slots of a question say in English, each as it stands in a key: a "Freundin" is a partner."""
    said = {name.rstrip(digits): word for name, word in match.groupdict().items() if word}
    english = {name: language.asked_of(name)[word] for name, word in said.items()}
    return {name: slug(called().relations.get(word, word)) for name, word in english.items()}


def asked_in(text: str, words: Sequence[str]) -> Language | None:
    """Return the language of a question that no grammar tells, if its verb does, and it asks for what has a key ("Dove lavoro?")."""
    if len(text) > _LONGEST or not ONLY_ENGLISH.isdisjoint(words) or all_verbs().isdisjoint(words):
        return None
    language = spoken_in(text)
    return language if language is not None and keys_abroad(text, language) else None


def _keys(asked: Asked, found: re.Match[str], somebody: Somebody | None) -> tuple[tuple[str, str | None], ...]:
    """What a way of asking asks for, of whom it asks."""
    parts = found.groupdict()
    who = next((value for name, value in parts.items() if name.startswith("who") and value), "my")
    thing = next((value for name, value in parts.items() if name.startswith("attr") and value), "")
    thing = thing.split()[-1] if asked.value and thing else thing  # the "operation", however it is called beside
    predicates = [_predicate(thing) if name == "{attr}" else name for name in asked.of]
    if _RELATED in asked.of:
        named = somebody.name.split()[0].lower() if somebody is not None and somebody.subject != _USER else ""
        return tuple((canonical_key(_USER, relation), named) for relation in _relations()) if named else ()
    subject = _subject(who, somebody)
    if not subject or not all(predicates):
        return ()
    values = alike(thing) if asked.value else (None,)
    return tuple((canonical_key(subject, predicate), value) for predicate in predicates for value in values)


@cache
def _relations() -> tuple[str, ...]:
    """The predicates that hold the names of those whom one knows."""
    return tuple(dict.fromkeys(relation for relation in called().relations.values() if relation not in ("dog", "cat")))


def _subject(who: str, somebody: Somebody | None) -> str:
    """Under whose keys it is held: the user's, one of the user's people's, or somebody's who is named."""
    if who.startswith(_SOMEBODY):
        return somebody.subject if somebody is not None else ""
    person = _OWN.sub("", _OWN.sub("", who)) if " " in who else ""
    return _predicate(person) if person else _USER


def _predicate(thing: str) -> str:
    """The predicate that holds a thing, by its name."""
    bare = _SORTED.sub("", thing)
    if known := held_as(bare) or held_as(bare.removesuffix("s")):  # "Who are my flatmates?"
        return known
    words = bare.split()
    return "" if not STOP_WORDS.isdisjoint(words) else slug(" ".join(held_as(word) or word for word in words))  # "my plan for Friday"


def _plain(text: str, somebody: Somebody | None) -> str:
    """A question in small letters, its short forms written out."""
    text = _THE_USER.sub("", text.replace(_SOMEBODY, " "))
    if somebody is not None:
        text = mention(somebody.name).sub(_SOMEBODY, text)
        text = mention(somebody.name.split()[0]).sub(_SOMEBODY, text)
    plain = " ".join(text.lower().replace("’", "'").split()).strip(" ?!.,")
    return _SHORT.sub(_spelled, plain)


def _trimmed(plain: str) -> str:
    """A question without what leads into it and follows it."""
    while led := _LEADS.match(plain):
        plain = plain[led.end() :]
    while followed := _TAILS.search(plain):
        plain = plain[: followed.start()].rstrip(" ,")
    return _SOFT.sub("", plain)


def _spelled(found: re.Match[str]) -> str:
    if found["word"]:
        return f"{found['word']} is"
    return f"{found['be']} am" if found["be"] else f"{'can' if found['not'] == 'ca' else found['not']} not"


@cache
def _compiled(asks: str) -> re.Pattern[str]:
    """A pattern of the rules, its macros filled in; each group has a number behind its name, as there may be several."""
    numbers = count()
    filled = _MACRO.sub(lambda found: _MACROS.get(found[1], found[0]), asks)
    return re.compile(_GROUP.sub(lambda found: f"(?P<{found[1]}{next(numbers)}>", filled))


@cache
def _of_their_own() -> frozenset[str]:
    return frozenset(name for asked in rules().asked for name in asked.of) | predicates()


def led_by(text: str) -> int:
    """Return how many characters at the beginning of a text only lead into what it asks: "Can you remind me " of "where I parked"."""
    plain, begins = text.lower().replace("’", "'"), 0
    while led := _LEADS.match(plain, begins):
        begins = led.end()
    return begins if len(plain) == len(text) and _ASKS.match(plain, begins) else 0


def has_question(key: str) -> bool:
    """Whether there is a question of its own for what is held under a key, whoever's it is."""
    return key.rpartition(".")[2] in _of_their_own()
