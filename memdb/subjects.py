"""Who a clause is about: the writer, a relative of theirs, "she" or "he", or somebody who is known by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memdb.english_rules import compiled, relation_words, rules
from memdb.keys import without_accents

MINE = re.compile(r"(?:i|we|my|our)\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[\w,] )(?<! is )(?<!called )(?<!named )(?!I\b)[A-Z]\w+")  # not the first word, nor what somebody is called
_NAMED = re.compile(  # a name, and what the one who has it does
    r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?P<rest>(?:(?:just|also|now|still|recently|never|finally|actually|already|no longer) )?"
    r"(?:is|has|was|will|does|can|did|got|went|took|left|lost|quit|found|became|began|bought|sold|gave|had|grew|broke|[a-z]+(?:s|ed))\b.*)",
    re.DOTALL,
)
_NAMED_SHORT = re.compile(r"(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+)?)'s (?P<rest>\S.*)", re.DOTALL)


@cache
def subjects() -> re.Pattern[str]:
    """What a clause begins with that says whom it is about (`i`, `rel` with `name`, `pron`), and the `rest`."""
    relation = relation_words()
    qualified = (
        r"(?:(?:older|younger|elder|eldest|oldest|youngest|little|lil|big|twin|baby|half|teenage|grown[ -]up|dear|lovely|new|best)[ -])*"
    )
    verb = "|".join(  # which some write with a capital, too
        "is was has had does did went got said says told asked asks wants wanted needs needed likes liked "
        "loves loved hates hated gave made took thinks thought came comes works worked lives lived left calls also never always".split()
    )
    name = rf"(?!(?:{verb})\b)(?-i:[A-Z][\w'-]+(?:\ [A-Z][\w'-]+)?)"
    return re.compile(
        rf"""(?P<whole>
         (?:(?:me\ and\ )?(?:my|our)\ {qualified}(?:{relation})(?:,?\ {name},?)?\ and\ |{name}\ and\ |me\ and\ (?:my\ )?\w+,?\ )?(?P<i>i|we)
        |(?:my|our)\ (?P<how>{qualified})(?P<rel>{relation})(?!\ tongue\b)
         (?:(?P<of>'s|s(?=\ (?:name\ is|birthday|favou?rite
          |an?(?!\ (?:few|lot|bit)\b)|allergic|vegan|vegetarian|pregnant|diabetic|coeliac|lactose)\b))
          |,?\ (?:called\ |named\ )?(?P<name>{name}(?<!'s)),?|(?=\ |$))
        |(?P<pron>she|he|they|who))(?:\ +(?P<rest>.+)|$)""",
        re.IGNORECASE | re.VERBOSE | re.DOTALL,
    )


def by_name(text: str, people: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Whom of these people a clause begins with, what they are to the user, and what is said of them."""
    short = _NAMED_SHORT.match(text) if people else None
    if short and (name := _known(short["name"], people)):  # "Rui's a nurse", "Rui's quit his job", but not "Rui's job"
        phrase, rest = rules().phrase, short["rest"]
        verb = next((verb for verb in ("is", "has") if compiled(phrase[f"name_{verb}"]).match(rest)), "")
        return (name, people[name], f"{verb} {rest}") if verb else None
    found = _NAMED.match(text) if people else None
    return (name, people[name], found["rest"]) if found and (name := _known(found["name"], people)) else None


def _known(name: str, people: Mapping[str, str]) -> str:
    """A name as it is known: it may have been told without its accents; "" if it is not."""
    if name in people or name.isascii():
        return name if name in people else ""
    plain = without_accents(name)
    return plain if plain in people and all(plain == other or without_accents(other) != plain for other in people) else ""


def is_relative(text: str) -> bool:
    """Whether a text names a relative and says nothing of them."""
    found = subjects().fullmatch(text)
    return found is not None and bool(found.group("rel")) and not found.group("of") and not found.group("rest")


@cache
def somebody_else() -> re.Pattern[str]:
    """A word that speaks of anybody but the writer alone."""
    return re.compile(
        rf"\b(?:{relation_words()}|our|your|his|her|their|he|she|they|you|who|we|with (?-i:[A-Z])|and (?-i:[A-Z]))\b", re.IGNORECASE
    )


def names_another(text: str, name: str) -> bool:
    """Whether somebody is named in a part of a sentence who may be somebody else."""
    return any(word not in name.split() for word in _PROPER.findall(text))
