"""What somebody is, one thing beside another: "I'm Ana, 34, divorced, two kids" says four things."""

from __future__ import annotations

import re

from memdb.english_rules import compiled, rules

_AND = re.compile(r"(,? and |, )")
_LISTING = re.compile(r"(?:also |now |currently )?(?:allergic|intolerant) to ", re.IGNORECASE)
_FROM = re.compile(r" (?:originally )?from [A-Z][\w'-]+(?: [A-Z][\w'-]+)?(?=$|, | and )")
_AGE = re.compile(
    r"\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ]\w+)?"
)
_NO_AGE = re.compile(r"an? (?:half|bit|quarter|third|few)\b|(?:three )?quarters|counting|over|under|up\b", re.IGNORECASE)
_DOES = re.compile(  # what one is beside an age ends in "ed" as well
    r"(?:(?:also|still|already|now|just|never|always) )*(?:has|went|got|[a-z]{3,}s"
    r"|(?!(?:obsess|interest|retir|marri|divorc|engag|addict|scar|terrifi|widow|tir|bor)ed)[a-z]+ed)\b",
    re.IGNORECASE,
)
_NAME_OR_JOB = re.compile(  # "I'm a nurse and vegan", "I'm Ana, 34"
    r"an? [\w -]+|(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?", re.IGNORECASE
)


def states_in(being: str) -> list[tuple[str, bool]]:
    """Return each thing that is said behind "I am", and whether it is one that somebody has; [] where that is one thing.

    "34, vegan and allergic to nuts and eggs" are three. Of what one can be only one of, such as a diet, no two are told apart: those are
    said of one thing.
    """
    pattern = compiled(rules().clauses["states"])
    first, *others = _AND.split(_from_there(being, pattern))
    if others and others[0] != ", " and _AGE.fullmatch(first) and not pattern.fullmatch(others[1]):
        more = "".join(others[1:])  # "84 and beats everyone at cards" tells the age, too
        return [] if _NO_AGE.match(more) else [(first, False)] if _DOES.match(more) else [(first, False), (more, False)]
    states = [first]
    if not (pattern.fullmatch(first) or _NAME_OR_JOB.fullmatch(first)):
        return []
    for joint, piece in zip(others[::2], others[1::2], strict=True):
        stated = pattern.fullmatch(piece)
        eaten = stated is not None and piece.islower() and stated["nationality"] and _LISTING.match(states[-1])  # "nuts and kiwi"
        if stated and not eaten and not (stated["home"] and pattern.fullmatch(states[-1]) is None):
            states.append(piece)  # but "I'm Tom, from Siemens"
        elif _LISTING.match(states[-1]):
            states[-1] += joint + piece  # "allergic to nuts" goes on with "and eggs"
        elif len(states) > 1:
            break  # "I'm 34, divorced, at weekends with the kids"
        else:
            return []
    said = [found.groupdict() if (found := pattern.fullmatch(state)) else {} for state in states]
    only_one = [name for each in said for name, value in each.items() if value and name != "has"]
    if len(states) == 1 or len(only_one) > len(set(only_one)):
        return []
    return [(each.get("has") or state, bool(each.get("has"))) for state, each in zip(states, said, strict=True)]


def _from_there(being: str, state: re.Pattern[str]) -> str:
    """What somebody is, with where they are from set off from it: "a nurse from Porto" is "a nurse, from Porto"."""
    found = _FROM.search(being) if " from " in being else None
    what = being[: found.start()].rpartition(", ")[2] if found else ""
    return f"{being[: found.start()]},{being[found.start() :]}" if found and state.fullmatch(what) else being
