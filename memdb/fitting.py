"""Which of many patterns may fit a text at all, so that the others are never tried."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import TypeVar

Tried = TypeVar("Tried")
Ready = TypeVar("Ready")

_UNSPOKEN = re.compile(r"\\.|\[[^\]]*\]|\(\?P<\w+>|\{\w+\}|\(\?[:!=<-]*")
_SPELLED = re.compile(r"[a-z]+")
_OF_GRAMMAR = frozenset(
    """
    have has had is was are am been just finally sadly recently the my our his her their and it that this an to of for in at on from
    we me us they he she as be so by or also officially suddenly all
    """.split()
)


def any_of(words: Iterable[str]) -> str:
    """Return these words as alternatives of a pattern, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


@cache
def hints(pattern: str) -> frozenset[str]:
    """Return the beginnings of the words that a pattern spells out: what it matches has one of them, but for words of mere grammar."""
    words = _SPELLED.findall(_UNSPOKEN.sub(" ", pattern).lower())
    return frozenset(word[:_HINT] for word in words if len(word) > 1 and word not in _OF_GRAMMAR)


@lru_cache(maxsize=256)  # the same clause is looked at for one thing after another
def hinted(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, one of which is in the `hints` of whatever pattern matches it."""
    words = _SPELLED.findall(text.lower())
    return frozenset(word[:length] for word in words for length in (2, _HINT))


_HINT = 3  # letters


def by_hint(tried: Iterable[tuple[Tried, frozenset[str] | None]]) -> Callable[[frozenset[str]], list[Tried]]:
    """Return what gives, of all that is tried with a text, each with its hints, what has one of them in common with a text, in the same
    order; and what has none, as it is tried with every text."""
    every = list(tried)
    hinting: dict[str, list[int]] = {}
    for place, (_, words) in enumerate(every):
        for word in words or ():
            hinting.setdefault(word, []).append(place)
    always = [place for place, (_, words) in enumerate(every) if words is None]

    def that_may_match(clues: frozenset[str]) -> list[Tried]:
        return [every[place][0] for place in sorted({*always, *(place for word in clues for place in hinting.get(word, ()))})]

    return that_may_match


_TOKEN = re.compile(  # characters that stand for themselves are one token, and only the last may be repeated
    r"[^\\\[\](){}|?*+.^$]+|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:P<\w+>|[imsx]*-?[imsx]*:|[=!]|<[=!])|\(.{0,2}|\{\d*,?\d*\}|.", re.DOTALL
)
_REPEATED = re.compile(r"[?*+]|\{\d*,?\d*\}")
_MAY_LACK = re.compile(r"[?*]|\{0?[,}]")
_ASSERTING = ("(?=", "(?!", "(?<=", "(?<!")
_PLACES = ("^", "$", r"\b", r"\B", r"\A", r"\Z")
_ENDS = ("|", ")")
_ANY = frozenset(map(chr, range(128)))
_NONE = frozenset[str]()
_CLASSES = {r"\d": frozenset(string.digits), r"\s": frozenset(filter(str.isspace, _ANY))}


@cache
def beginnings(pattern: str) -> frozenset[str] | None:
    """Return the ASCII characters with which a text must begin for a pattern to match there; None where it may match without any.

    The pattern is one for `re.IGNORECASE`. Whatever is not understood may begin with anything; and a text that begins with a letter that
    is not ASCII may be in any case, so that it is not told.
    """
    tokens = _TOKEN.findall(pattern)
    found, lacks, end = _of_one_of(tokens, 0, small=True)
    if end < len(tokens):
        return _ANY
    return None if lacks else found


def by_beginning(tried: Iterable[tuple[Tried, str]], *, made_ready: Callable[[Tried], Ready]) -> Callable[[str], tuple[Ready, ...]]:
    """Return what gives, of all that is tried with a text, each with its pattern, what may match where it begins, in the same order, made
    ready when it is first wanted: most of it never is in a process that reads a few texts.
    """
    known = [(one, beginnings(pattern)) for one, pattern in tried]

    @lru_cache(maxsize=256)
    def that_may_match(first: str) -> tuple[Ready, ...]:
        return tuple(made_ready(one) for one, begins in known if begins is None or not first.isascii() or first in begins)

    return lambda text: that_may_match(text[:1])


def _of_one_of(tokens: list[str], at: int, *, small: bool) -> tuple[frozenset[str], bool, int]:
    """The beginnings of alternatives, up to the end of their group, whether one may match nothing, and where they end.

    `small`: whether small letters and capitals are the same.
    """
    found, lacks, open_ = _NONE, False, True
    while at < len(tokens) and tokens[at] != ")":
        if tokens[at] == "|":
            lacks, open_, at = lacks or open_, True, at + 1
        elif open_:
            begins, open_, at = _of_one(tokens, at, small=small)
            found |= begins
        else:
            at = _behind(tokens, at)
    return found, lacks or open_, at


def _behind(tokens: list[str], at: int) -> int:
    """Where the next alternative or the end of the group stands."""
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        if not depth and token in _ENDS:
            return place
        depth += (token[0] == "(") - (token == ")")
    return len(tokens)


def _of_one(tokens: list[str], at: int, *, small: bool) -> tuple[frozenset[str], bool, int]:
    """The same of one part of a pattern, with how often it comes."""
    token = tokens[at]
    at += 1
    if token[0] == "(":
        flags = re.fullmatch(r"\(\?([imsx]*)(-?)([imsx]*):", token)
        known = token in _ASSERTING or token == "(" or flags is not None or token.startswith("(?P<")
        inner = (small or "i" in flags[1]) and "i" not in flags[3] if flags else small
        begins, lacks, at = _of_one_of(tokens, at, small=inner)
        at += 1
        if token in _ASSERTING:
            begins, lacks = _NONE, True
        elif not known:
            begins, lacks = _ANY, True
    elif token in _PLACES:
        begins, lacks = _NONE, True
    elif token[0] == "[":
        begins, lacks = _of_class(token, small=small), False
    elif token[0] == "\\":
        begins, lacks = _CLASSES.get(token, _ANY if token[1].isalnum() else frozenset(token[1])), False
    else:
        begins, lacks = _both(token[0], small=small) if token not in ".{" else _ANY, False
    while at < len(tokens) and _REPEATED.fullmatch(tokens[at]):
        lacks |= (token[0] in "([\\" or len(token) == 1) and _MAY_LACK.match(tokens[at]) is not None
        at += 1
    return begins, lacks, at


def _of_class(token: str, *, small: bool) -> frozenset[str]:
    """The characters of a class such as [A-Z\\d]."""
    if not re.fullmatch(r"\[(?:\w-\w|[\w ]|\\d)+\]", token, re.ASCII):
        return _ANY
    found = _NONE
    for part in re.findall(r"\w-\w|\\d|.", token[1:-1], re.ASCII):
        ends = (part[0], part[2]) if len(part) > 2 else (part, part)
        each = _CLASSES[r"\d"] if part == r"\d" else frozenset(map(chr, range(ord(ends[0]), ord(ends[1]) + 1)))
        found |= frozenset().union(*(_both(one, small=small) for one in each))
    return found


def _both(letter: str, *, small: bool) -> frozenset[str]:
    if not letter.isascii():
        return _ANY
    return frozenset((letter.lower(), letter.upper())) if small else frozenset(letter)
