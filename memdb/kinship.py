"""Relatives of one's relatives as what they are to oneself: "my sister's husband" is one's brother-in-law."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memdb.called import called
from memdb.english_rules import compiled, relation_words


def as_ones_own(sentence: str, people: Mapping[str, str]) -> str:
    """Return a sentence with relatives of relatives said as one's own: "Lisa's husband Mark" is "my son-in-law Mark".

    `people` are those who are known by name, each with what they are to the user ("daughter"). Who is nothing to oneself by that, as a
    sister's friend is not, stays.
    """
    named: list[str] = []

    def said(found: re.Match[str]) -> str:
        groups, relations = found.groupdict(), called().relations
        whose = (groups["whose"] or people.get(groups["known"] or "", "")).lower()
        theirs = called().of_relatives.get(relations.get(whose, ""), {}).get(relations[groups["who"].lower()])
        if theirs is None:
            return found.group()
        named.extend(f", my {whose} is called {name}" for name in (groups["name"],) if name)
        return f"my {groups['how']}{theirs}"

    if "'s " in sentence:
        sentence = _possessed().sub(said, sentence)
    if " of my " in sentence or " of our " in sentence:
        sentence = _of().sub(said, sentence)
    return f"{sentence}{''.join(named)}"


def as_anothers(sentence: str, said: str) -> str:
    """Return a sentence that begins with "Dad" as told of somebody else's where only theirs was spoken of in what was `said` before."""
    if (found := compiled(r"{elder}(?=(?-i:'s )| [a-z])").match(sentence)) is None or not sentence[0].isupper():
        return sentence
    elder = re.escape(found.group())
    whose = [mine is not None for mine in (compiled(_MINE).match(one.group()) for one in compiled(_WHOSE + elder + r"\b").finditer(said))]
    return f"their {sentence[0].lower()}{sentence[1:]}" if whose and not any(whose) else sentence


_WHOSE = r"\b(?:my|our|his|her|their|[\w-]+'s) (?:own |real |old |biological )?"
_MINE = r"(?:my|our)\b"
_HOW = r"(?P<how>(?:(?:older|younger|elder|eldest|oldest|youngest|little|big|new) )*)"
_NOBODY = r"(?![\w-])(?! (?:tongue|country|language|ship|board|figure|in[ -]law)\b)"
_NAME = r"(?-i:[A-Z][\w-]+(?: [A-Z][\w-]+)?)"


@cache
def _possessed() -> re.Pattern[str]:
    """Somebody's somebody: "my sister's husband", "Lisa's husband"."""
    return compiled(
        rf"\b(?:(?:my|our) {{kin_how}}(?P<whose>{relation_words()})(?:,? (?P<name>{_NAME}))?|(?P<known>{_NAME}))'s "
        rf"{_HOW}(?P<who>{relation_words()}){_NOBODY}"
    )


@cache
def _of() -> re.Pattern[str]:
    """And as it is said elsewhere: "the mother of my wife"."""
    return compiled(
        rf"\b(?:the )?{_HOW}(?P<who>{relation_words()}) of (?:my|our) {{kin_how}}(?P<whose>{relation_words()})"
        rf"(?P<known>(?!))?(?P<name>(?!))?{_NOBODY}"
    )
