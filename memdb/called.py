"""How people, and what one has one of, are called in English, and which predicates hold them."""

from __future__ import annotations

import tomllib
from functools import cache

from memdb import files
from memdb.records import Record

PROVIDED = ("service", "insured", "cares")
"""The attributes that are not called what they are, but after what they are for: "for my mobile", "the car is insured with"."""


class Called(Record):
    """The whole of rules/called.toml, which says how the fields are meant."""

    alike: tuple[tuple[str, ...], ...]
    asked: dict[str, str]
    relations: dict[str, str]
    of_relatives: dict[str, dict[str, str]]
    attributes: dict[str, dict[str, str]]


@cache
def called() -> Called:
    """Return what is called how, as shipped."""
    return Called.model_validate(tomllib.loads(files.read("rules/called.toml")))


@cache
def attribute_of() -> dict[str, str]:
    """Return what one has one of at a time, as it is called, with the predicate that holds it."""
    return {noun: held for kind, nouns in called().attributes.items() if kind not in PROVIDED for noun, held in nouns.items()}


@cache
def _predicates() -> dict[str, str]:
    return {**called().relations, **attribute_of(), **called().asked}


def held_as(noun: str) -> str:
    """Return the predicate that holds what a question calls so, or "" where that is not known."""
    return _predicates().get(noun, "")


@cache
def predicates() -> frozenset[str]:
    """Return all that hold what is called by a noun."""
    return frozenset(_predicates().values())


def alike(noun: str) -> tuple[str, ...]:
    """Return a noun and those that may stand for it: the "kitten" for the cat."""
    return (noun, *(other for group in called().alike if noun in group for other in group if other != noun))


def names_of(word: str) -> tuple[str, ...]:
    """Return a word of a question and all that its thing is called: of "mums" also "mother" and "mom", of "car" also "drives"."""
    bare = word if held_as(word) else word.removesuffix("s")
    predicate = held_as(bare) or (bare if bare in predicates() else "")
    same = (noun for noun, held in _predicates().items() if held == predicate)
    return tuple(dict.fromkeys([word, *alike(bare), *([predicate.replace("_", " "), *same] if predicate else [])]))
