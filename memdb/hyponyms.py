"""What tells of things of a kind: asked which instruments somebody plays, "piano" does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from memdb import files
from memdb.records import Record

_BETWEEN = r"\b(?:\W+\w+){0,4}?\W+"  # "what other musical instruments"
_SEVERAL = r"\b(?:what|which|how many|any|all|list|name|some)"
_ONE_OF = r"\b(?:kind|type|sort)s? of (?:\w+ ){0,2}?"


class Kind(Record):
    """A kind of things: how several of it are called, and words and phrases that tell of one."""

    called: tuple[str, ...]
    hyponyms: Annotated[tuple[str, ...], BeforeValidator(files.parted)]


def hypernyms_in(text: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of which a question in English asks for things, each by the first name it is called: "instruments".

    `words` are all words of the text in lower case.
    """
    may = {place for word in words for place in _by_word().get(word, ())}
    found = {place: match.span(match.lastgroup or 0) for place in sorted(may) if (match := _patterns()[place].search(text))}
    within = {place for place, (start, end) in found.items() for first, last in found.values() if first < start and end == last}
    return tuple(kinds()[place].called[0] for place in found if place not in within)  # a martial art is no art


@cache
def hyponyms_of(hypernym: str) -> tuple[str, ...]:
    """Return the words and phrases that tell of things of a kind, by any name that it is called; none for what is no kind."""
    return next((kind.hyponyms for kind in kinds() if hypernym in kind.called), ())


@cache
def kinds() -> tuple[Kind, ...]:
    """Return all kinds, as shipped."""
    return tuple(map(Kind.model_validate, tomllib.loads(files.read("rules/hyponyms.toml"))["kind"]))


@cache
def _by_word() -> dict[str, list[int]]:
    """The places of the kinds, by the last word of every name of them, and of one of them."""
    places: dict[str, list[int]] = {}
    for place, kind in enumerate(kinds()):
        for word in {form.split()[-1] for name in kind.called for form in (name, *_singular(name))}:
            places.setdefault(word, []).append(place)
    return places


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    patterns = []
    for kind in kinds():
        one = [form for name in kind.called for form in (name, *_singular(name))]
        several = f"{_SEVERAL}{_BETWEEN}(?P<several>{'|'.join(kind.called)})"
        patterns.append(re.compile(rf"(?:{several}|{_ONE_OF}(?P<one>{'|'.join(one)}))\b", re.IGNORECASE))
    return tuple(patterns)


def _singular(name: str) -> list[str]:
    """What one of them may be called: of "movies" also "movy", which nobody says."""
    return [name.removesuffix(ending) + end for ending, end in (("s", ""), ("es", ""), ("ies", "y")) if name.endswith(ending)]
