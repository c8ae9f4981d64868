"""Which of many patterns may fit a text at all, so that the others are neither tried nor made ready."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import TypeVar

Tried = TypeVar("Tried")
Ready = TypeVar("Ready")
Fragments = frozenset[str]
"""Small letters in a row, of which one at least stands in whatever a pattern matches, or beside it."""
Needs = tuple[Fragments, ...]
"""What every text holds that a pattern matches: of each a fragment."""

_TOKEN = re.compile(  # characters that stand for themselves are one token, and only the last may be repeated
    r"[^\\\[\](){}|?*+.^$]+|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?(?:P<\w+>|[a-z]*-?[a-z]*:|<?[=!]|P=\w+\))?|\{[a-z]\w*\}"
    r"|\{\d*,?\d*\}|.",
    re.DOTALL,
)
_REPEATED = re.compile(r"[?*+]|\{\d*,?\d*\}")
_MAY_LACK = re.compile(r"[?*]|\{0?[,}]")
_UNSPELLED = frozenset(r"\[](){}|?*+.^$")  # with which no token begins whose characters stand for themselves
_PASSED_OVER = ("(?!", "(?<!", "(?")  # groups of what must not be there, or of a kind that is not understood
_WORD = re.compile(r"[a-z]{2,}")
_LONGEST = 4  # letters of a fragment
_MOST = 4  # of what is needed: more would seldom tell more
_CHANCES = {2: 0.15, 3: 0.01, 4: 0.001}  # of fragments to stand in a text, by their letters; roughly
_CHANCE_OF_GRAMMAR = 0.3  # of a word of it
_HARDLY_EVER = 1.0  # does a text hold none of what has so good a chance
_OF_GRAMMAR = frozenset(
    """
    have has had is was are am been just finally sadly recently the my our his her their and it that this an to of for in at on from
    we me us they he she as be so by or also officially suddenly all now with not
    """.split()
)
_AS_SMALL = str.maketrans("\u0130\u0131\u017f", "iis")  # which are the same to `re.IGNORECASE`, but not to `str.lower`


def any_of(words: Iterable[str]) -> str:
    """Return these words as alternatives of a pattern, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def fragments(pattern: str, *, macro: Callable[[str], Needs]) -> Needs:
    """Return what every text holds that a pattern matches: of each of these a fragment, those first that the fewest texts hold.

    The pattern is one for `re.IGNORECASE`; `macro` gives what is needed by what takes the place of "{name}" in it, which is one part of it,
    without alternatives of its own. What is not understood needs nothing.
    """
    tokens = [*_TOKEN.findall(pattern), ")"]
    found, end = _of_one_of(tokens, 0, macro)
    return found[:_MOST] if end == len(tokens) else ()


def _of_one_of(tokens: list[str], at: int, macro: Callable[[str], Needs]) -> tuple[Needs, int]:
    """What alternatives need, up to the end of their group, and where it ends: if they are several, one of what each needs first."""
    alternatives, needed = list[Needs](), list[Fragments]()
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in ("|", ")"):
            alternatives.append(_in_order(needed))
            if token == ")":
                break
            needed = []
            continue
        found: Needs = ()
        if token in _PASSED_OVER:
            at = _behind(tokens, at)
        elif token[0] == "(" and token[-1] != ")":
            found, at = _of_one_of(tokens, at, macro)
        elif token[0] == "{" and token[1:2].isalpha():
            found = macro(token[1:-1])
        if at < len(tokens) and tokens[at][0] in "?*+{" and _REPEATED.fullmatch(tokens[at]):
            if _MAY_LACK.match(tokens[at]):
                found, token = (), token[:-1]
            while at < len(tokens) and _REPEATED.fullmatch(tokens[at]):
                at += 1
        needed += _of_letters(token) if token and token[0] not in _UNSPELLED else found
    if len(alternatives) == 1:
        return alternatives[0], at
    return (_in_order([frozenset().union(*(one[0] for one in alternatives))]) if all(alternatives) else ()), at


def _behind(tokens: list[str], at: int) -> int:
    """Where what follows a group begins."""
    depth = 1
    while depth and at < len(tokens):
        token = tokens[at]
        if token == ")":
            depth -= 1
        elif token[0] == "(" and token[-1] != ")":
            depth += 1
        at += 1
    return at


def _in_order(needed: list[Fragments]) -> Needs:
    """What is needed without what tells nothing, the best first."""
    if len(needed) > 1:
        needed = sorted(needed, key=_likelihood)
    while needed and _likelihood(needed[-1]) >= _HARDLY_EVER:
        needed.pop()
    return tuple(needed)


@cache
def _likelihood(needed: Fragments) -> float:
    return sum(map(_chance, needed))


@cache
def _of_letters(spelled: str) -> Needs:
    """What is spelled out: how each of its words begins, but for single letters, which tell nothing."""
    return tuple(frozenset((word[:_LONGEST],)) for word in _WORD.findall(spelled.lower()))


@cache
def _chance(fragment: str) -> float:
    return _CHANCE_OF_GRAMMAR if fragment in _BEGINNINGS_OF_GRAMMAR else _CHANCES[len(fragment)]


_BEGINNINGS_OF_GRAMMAR = frozenset(word[:_LONGEST] for word in _OF_GRAMMAR if len(word) > 2)


@lru_cache(maxsize=32)  # the same clause is looked at for one thing after another
def held(text: str) -> Fragments:
    """Return every fragment that a text holds."""
    small = text.translate(_AS_SMALL).lower()
    places = range(len(small))
    return frozenset([small[at : at + 4] for at in places] + [small[at : at + 3] for at in places] + [small[at : at + 2] for at in places])


def by_fragments(
    tried: Iterable[Tried], *, needing: Callable[[Tried], Needs], made_ready: Callable[[Tried], Ready]
) -> Callable[[str], list[Ready]]:
    """Return what gives, of all that is tried with a text, what may match it, in the same order; `needing` tells the `fragments` of each.

    It is made ready when it is first wanted: most of it never is in a process that reads a few texts. What matches no more than a part of
    a text, or one of several, may be looked for with all of it, or with all of them in one.
    """
    every = list(tried)
    besides, ready = list[Needs](), dict[int, Ready]()
    holding: dict[str, list[int]] = {}
    always = set[int]()
    for place, one in enumerate(every):
        needed = needing(one)
        if not needed:
            always.add(place)
        for fragment in needed[0] if needed else ():
            holding.setdefault(fragment, []).append(place)
        besides.append(needed[1:])

    def that_may_match(text: str) -> list[Ready]:
        there = held(text)
        places = always.union(*(holding[fragment] for fragment in holding.keys() & there))
        places = {place for place in places if not any(map(there.isdisjoint, besides[place]))}
        for place in places - ready.keys():
            ready[place] = made_ready(every[place])
        return [ready[place] for place in sorted(places)]

    return that_may_match
