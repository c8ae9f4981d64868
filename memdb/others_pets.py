"""The pets of the people one knows: whose it is of which a sentence says something, "my sister's dog Rex", "Ana's cat", "Rex"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from memdb.acquaintances import name_keys
from memdb.called import called
from memdb.claims import Circumstances, Held, about_whom, of_owner
from memdb.clause import Clause
from memdb.english_rules import relation_words, rules
from memdb.keys import canonical_key, is_same, telling

_THEIRS = re.compile(r"(?:her|his|their)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:the|her|his|their|its) (?:(?:poor|old|dear|beloved|little|lovely) )*", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s?$")
_WORD = re.compile(r"[\w-]+")
_PROPER = re.compile(r"[A-Z][\w'’-]*")


def whose(text: str) -> tuple[str, str]:
    """Return whose pet a text begins with, and the text without that: "my sister's", "the dog Rex died"; "" where it does not say."""
    found = _whose().match(text)
    return (text[: found.start("rest")].strip(), f"the {found['rest']}") if found is not None else ("", text)


def pet_meant(name: str, owner: str, here: Circumstances) -> tuple[Clause, str] | None:
    """Return the one pet that may be meant by a name, with a clause that is about whom it belongs to; None where that is not clear.

    `owner` is whose it is said to be; without that, a pet is meant by its own name only, which no other pet and nobody else has.
    """
    words = telling(_ARTICLE.sub("", name))
    if here.held is None or not words or not (owner or _PROPER.fullmatch(name)):
        return None
    known = _known(here.held, here)
    own = "" if owner else here.owner.slug
    pets = here.held([canonical_key(who, "pet") for who in (*known, *filter(None, [own]))])
    found = {(key.partition(".")[0], value) for key, value in pets if words <= telling(value if owner else value.partition(" called ")[2])}
    found = {(who, value) for who, value in found if who == own or _is_theirs(owner, who, known, here.text)}
    if len(found) != 1 or (not owner and any(_is_called(name, other) for other in known.values())):
        return None
    who, value = found.pop()
    return (known[who], value) if who in known else None


def _known(held: Held, here: Circumstances) -> Mapping[str, Clause]:
    """Those who are known to the one who speaks, by the subject of what is held of them: each as a clause about them."""
    pets, by_name = rules().groups["pets"], rules().groups["by_name"]
    keys = name_keys(here.owner.slug)
    nobody = Clause(excerpt="", text="")
    found: dict[str, Clause] = {}
    for relation in {*called().relations.values()} - {*pets, *by_name}:
        found[of_owner(relation, here).slug] = replace(nobody, subject=relation)
    for key, name in held(list(keys)):
        clause = replace(nobody, subject=keys[key], name=name)
        about = about_whom(clause, here) if keys[key] else None
        if about is not None:
            found[about.slug] = clause
    return found


def _is_theirs(owner: str, who: str, known: Mapping[str, Clause], text: str) -> bool:
    """Whether a pet that is said to be an owner's may be somebody's: of "her cat", that of whom the text speaks of."""
    one = known[who]
    if not owner:
        return True
    if _THEIRS.match(owner):
        return any(_relation(word) == one.subject or _is_called(word, one) for word in _WORD.findall(text))
    said = _named().match(owner)
    if said is None:
        bare = _POSSESSIVE.sub("", owner)
        return _is_called(bare, one) or _relation(bare) == one.subject
    if _relation(said["rel"]) != one.subject:
        return False
    if said["name"] is not None and one.name:
        return _is_called(said["name"], one)
    return one.subject not in rules().groups["by_name"] or sum(other.subject == one.subject for other in known.values()) == 1


def _is_called(word: str, who: Clause) -> bool:
    return bool(who.name) and is_same(word, who.name.split(" ")[0])


def _relation(word: str) -> str:
    return called().relations.get(word.lower(), "")


@cache
def _whose() -> re.Pattern[str]:
    own = r"(?:mum|mom|mam|dad|gran|granny|grandma|grandpa|nan|nana)"
    return re.compile(
        rf"(?:(?:my|our) (?:(?:\w+er|poor|dear|best|little|big|twin) )*(?:{relation_words()})(?: (?-i:[A-Z])[\w-]+)?(?:['’]s|(?<=s)['’])"
        rf"|(?:{own}|(?-i:[A-Z])[\w-]+)['’]s|her|his|their) (?P<rest>(?!(?:is|was|has|not)\b)\w.+)",
        re.IGNORECASE,
    )


@cache
def _named() -> re.Pattern[str]:
    return re.compile(
        rf"(?:my|our) (?:(?:\w+er|poor|dear|best|little|big|twin) )*(?P<rel>{relation_words()})(?: (?P<name>(?-i:[A-Z])[\w-]+?))?['’]s?$",
        re.IGNORECASE,
    )
