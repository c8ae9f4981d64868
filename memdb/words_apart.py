"""What a text about events says, as words that tell it from everything else that is said in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from hashlib import blake2b

from memdb.household import compiled, household_rules, telling_words
from memdb.people import capitals

_KEPT = 1_000  # characters; the words of a longer text are looked for each time
_LONGEST = 400  # characters beside a word
_PARTS = re.compile(r"[,;:.!?…](?!\d)|\b(?:and|but|then|while)\b", re.IGNORECASE)


def words_apart(text: str, *, names: Iterable[str]) -> frozenset[str]:
    """Return the telling words of events, one a line, each with what makes another event of it.

    That is who did it to whom, and what stands beside it: "off" is not "on", nor "no coffee" coffee. What says something else has none of
    these words in common, however many of its words are the same. `names` are of those who were there.
    """
    told = tuple(names)
    return _known(text, told) if len(text) <= _KEPT else _read(text, told)


@lru_cache(maxsize=32_768)  # every night looks at the same memories again, and at their lines
def _known(text: str, names: tuple[str, ...]) -> frozenset[str]:
    return _read(text, names)


def _read(text: str, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for line in text.split("\n") for word in _of_line(line, names))


def _of_line(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    parts = [(part, _short(_apart(part))) for part in _PARTS.split(line)]
    who = " ".join("+".join(group) for group in capitals(line, names=(*names, *household_rules().check.people.split())))
    of_line = _short("|".join(filter(None, (who, *(apart for _part, apart in parts)))))
    return tuple("|".join(filter(None, (word, apart, of_line))) for part, apart in parts for word in telling_words(part, names=names))


def _short(told: str) -> str:
    """What stands beside every word of a line, or what stands for it: of a line without end that would be its length squared."""
    return told if len(told) <= _LONGEST else blake2b(told.encode(), digest_size=16).hexdigest()


def _apart(part: str) -> str:
    """What makes another event of a part of one, in the order of its words."""
    if not _any_apart().search(part):
        return ""
    found = [(match.start(), name) for name, rule in household_rules().apart.items() for match in compiled(rule).finditer(part)]
    return " ".join(name for _place, name in sorted(found))


@cache
def _any_apart() -> re.Pattern[str]:
    """What finds any of it, at one look."""
    return compiled("|".join(f"(?:{rule})" for rule in household_rules().apart.values()))
