"""What tells two events of nearly the same words apart: on and off, locked and unlocked, done and not done, who did it to whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import cache, lru_cache

from memdb.household import household_rules
from memdb.names import same_name

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT = re.compile(r"no|not|never|nobody|none|nothing|neither|without|cannot|\w+n['’]t")
_TOGETHER = re.compile(r"(?:[\s,&]|\band\b|\bwith\b)*")


def sense_of(text: str, *, names: Iterable[str] = ()) -> frozenset[str]:
    """Return by what a text could say the opposite of another: marks, for `opposed`. `names` are those of the people in it."""
    return _sense_of(text, tuple(names))


def opposed(one: Set[str], other: Set[str]) -> bool:
    """Whether two texts of these senses say the opposite of each other: one of a pair of words each, a negation in one of them, or the
    same people the other way round.
    """
    if ("not" in one) is not ("not" in other):
        return True
    return any(_mirrored(mark) in other for mark in one - other if _mirrored(mark) not in one)


def _mirrored(mark: str) -> str:
    first, sign, second = mark.partition(">")
    return f"{second}>{first}" if sign else mark


@lru_cache(maxsize=1_024)
def _sense_of(text: str, names: tuple[str, ...]) -> frozenset[str]:
    told = same_name(text)
    words = set(_WORD.findall(told))
    sides = _sides()
    marks = {sides[word] for word in words if word in sides}
    if any(map(_NOT.fullmatch, words)):
        marks.add("not")
    groups: list[list[str]] = []  # of people who did something together, in the order of the text
    end = 0
    for start, name in sorted((found.start(), name) for name in set(map(same_name, names)) if (found := _whole(name).search(told))):
        if groups and _TOGETHER.fullmatch(told, end, start):
            groups[-1].append(name)
        else:
            groups.append([name])
        end = start + len(name)
    for place, group in enumerate(groups):
        marks |= {f"{first}>{second}" for later in groups[place + 1 :] for first in group for second in later}
    return frozenset(marks)


@cache
def _sides() -> dict[str, str]:
    """The mark of each word that has an opposite: "on>off" of all that say on, "off>on" of all that say off."""
    marks: dict[str, str] = {}
    for one, other in household_rules().opposites:
        first, second = one.split(), other.split()
        marks |= dict.fromkeys(first, f"{first[0]}>{second[0]}") | dict.fromkeys(second, f"{second[0]}>{first[0]}")
    return marks


@lru_cache(maxsize=1_024)
def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
