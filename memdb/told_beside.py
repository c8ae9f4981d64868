"""What a sentence tells of somebody in passing: a name told afterwards, an age in between. Each is put where it is looked for."""

from __future__ import annotations

import re
from functools import cache

from memdb.english_rules import compiled, relation_words, rules


def prepare() -> None:
    """Compile what this needs, so that the first text is read as fast as the others."""
    _aged()
    _somebody()


def with_name(sentence: str, before: str = "") -> str | None:
    """Return a sentence with the name that is told in it ("…, and his name is Rex") beside who has it, where it is clear who that is.

    That may be somebody of the sentence `before`, which is returned with it then.
    """
    named = compiled(rules().phrase["named"]).search(sentence)
    if named is None or bool(before) != (named.start() == 0):
        return None
    told, pronoun = before or sentence[: named.start()], next(filter(None, named.group("whose", "who", "whom"))).lower()
    kept = [found for found in _somebody().finditer(told) if _may_be(found["who"].lower(), pronoun)]
    if len(kept) != 1 or compiled(rules().phrase["besides"]).search(told, kept[0].end()):
        return None
    end = kept[0].end()
    return f"{told[:end]}{' ' if kept[0]['whose'] else ' called '}{named['name']}{told[end:]}{sentence[named.end() :]}"


def _may_be(noun: str, pronoun: str) -> bool:
    """Whether a pronoun may stand for a relative or an animal."""
    groups, relations = rules().groups, rules().relations
    if pronoun[0] == "i":
        return relations.get(noun, noun) in groups["pets"] or noun not in relations
    same, other = (groups["he"], groups["she"]) if pronoun in ("he", "his", "him") else (groups["she"], groups["he"])
    return noun in same or noun not in other


def with_age(sentence: str) -> str:
    """Return a sentence with an age in between said by itself: "my son (8) loves …" is "my son is 8, my son loves …"."""
    return _aged().sub(lambda found: f"{found['who']} is {found['age']}, {found['who']}", sentence)


@cache
def _aged() -> re.Pattern[str]:
    """A relative with their age in between: "my son (8) loves", "my sister Ana, 34, lives"."""
    who = rf"\b(?:my|our) (?:[\w-]+ )??(?:{relation_words()})(?: (?-i:[A-Z][\w'-]+))?"
    return re.compile(
        rf"(?P<who>{who})(?: ?\(|, )(?:aged? )?(?P<age>\d{{1,3}})(?: years? old)?(?:\)|,)"
        r"(?= (?:is|was|has|had|will|can|does|did|just|also|[a-z]+(?:s|ed)|went|got|came)\b)",
        re.IGNORECASE,
    )


@cache
def _somebody() -> re.Pattern[str]:
    """A relative or a pet without a name."""
    who = f"{relation_words()}|{rules().macros['animal']}"
    return re.compile(
        rf"\b(?:an?|another|(?P<whose>my|our)) (?:[\w-]+ ){{0,2}}?(?P<who>{who})(?!\w)(?!'s|,? (?:called |named )?(?-i:[A-Z]))",
        re.IGNORECASE,
    )
