"""What is told of somebody behind "who", and of whom: "my aunt, who lives in Porto, turns 90 in May"."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from memdb.clause import Clause
from memdb.english_rules import relation_words

_GOES_ON = re.compile(  # after what is said of somebody in between; a list goes on with "and" or "or"
    r",\s+(?=(?:is|was|has|had|will|would|can|could|does|did|just|also|[a-z]+(?<!s)s|[a-z]+ed|came|got|went)\s(?!(?:and|or)\b))"
)
_GOES_ON_AT_ONCE = re.compile(  # "my sister who lives in Cork is getting married in May": a second verb, not beside the first
    r"(?<=\w)(?<!\bthat)(?<!\bwhat)(?<!\bit)(?<!\bhe)(?<!\bshe)(?<!\bwho)(?<!\bnot)(?<!\bthere)(?<!\band)(?<!\bor)\s+"
    r"(?P<rest>(?:is|was|has|will|would|can|lives|works|loves|hates|likes|wants|needs|plays|eats)\s.+)",
    re.IGNORECASE,
)
_OF_SOMEBODY = re.compile(r"\b(?i:of|about|by|from|with|for|to) [A-Z][\w'-]+(?: [A-Z][\w'-]+)?$")  # "it is the memory of Ana, who died"
_HAVING = re.compile(r"(?:i|we) (?:also )?(?:have|have got|got) an? ", re.IGNORECASE)


def by_who(clause: Clause, whom: str, *, goes_on: bool) -> list[Clause]:
    """What a clause with "who" tells of somebody, and what follows it, if that `goes_on` with them."""
    said, rest = _told_of(whom, clause.text[len("who") :])
    told = [replace(clause, text=said)]
    if rest and goes_on:
        told.append(replace(clause, text=f"{whom} {rest}"))  # "my aunt, who lives in Porto, turns 90 in May"
    return told


def _told_of(whom: str, told: str) -> tuple[str, str]:
    """What is told of somebody behind "who", and what is said of them after it, if it goes on ("who lives in Porto, turns 90 in May")."""
    said, _, goes_on = _GOES_ON.sub("\n", f"{whom}{told}", count=1).partition("\n")
    if not goes_on and (verb := _GOES_ON_AT_ONCE.search(said, len(whom) + 1)):
        return said[: verb.start()], verb.group("rest")
    return said, goes_on


def last_named(text: str) -> str | None:
    """Whom "who" after a clause is about: the person that the clause ends with; "who" itself where it says what somebody is; None else."""
    if re.search(r"\b(?:is|was|am) (?:an? |the )[\w -]+$", text) and not _OF_SOMEBODY.search(text):
        return "who"
    found = _named_at_the_end().search(text)
    if found and found["had"]:
        return f"my {found['had']}" if " " in found["had"] or _HAVING.match(text) else None
    return found.group() if found else None


@cache
def _named_at_the_end() -> re.Pattern[str]:
    """Somebody with whom a clause ends: a relative, one whom somebody `had`, or a name."""
    relation = relation_words()
    name = r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
    return re.compile(
        rf"\b(?:an? (?:\w+ )??(?P<had>(?:{relation})(?:,? (?:(?:called|named) )?{name})?)"
        rf"|(?:my|our) (?:\w+ )??(?:{relation})(?:,? (?:called |named )?{name})?|{name})$",
        re.IGNORECASE,
    )


@cache
def of_ones_own() -> re.Pattern[str]:
    """What ends with somebody of whom "who …" tells, whatever is asked or supposed before: "any ideas for my sister, who …"."""
    return re.compile(rf"\b(?:my|our) (?:[\w-]+ )??(?:{relation_words()})(?:,? [A-Z][\w'-]+)?$", re.IGNORECASE)
