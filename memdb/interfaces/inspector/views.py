"""What the pages show, put together from what a memory tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, get_args

from memdb import Change, Explanation, Fact, Hit, Listed, Memory
from memdb.records import Status

T = TypeVar("T")
Name = TypeVar("Name", bound=str)

STATUSES: tuple[Status, ...] = get_args(Status)
SIZE = 50
_LEAST = 0.0005  # a part that is less adds nothing that three digits show
_KEPT = frozenset({"fact_id", "user_id", "updated_at"})  # what no change is told by


@dataclass(frozen=True)
class Page(Generic[T]):
    """Some of many things: those of one page."""

    items: Sequence[T]
    number: int
    pages: int
    total: int


def page_at(part: Callable[[int, int], Listed[T]], number: int) -> Page[T]:
    """Return one page of a list that is asked for by how many and from where on, the last one where there are not so many."""
    found = part(SIZE, (number - 1) * SIZE)
    pages = max(1, -(-found.total // SIZE))
    if number > pages:
        number, found = pages, part(SIZE, (pages - 1) * SIZE)
    return Page(items=found, number=number, pages=pages, total=found.total)


def page_of(things: Sequence[T], number: int, *, size: int) -> Page[T]:
    """Return one page of things, the last one where there are not so many."""
    pages = max(1, -(-len(things) // size))
    number = min(number, pages)
    return Page(items=things[(number - 1) * size : number * size], number=number, pages=pages, total=len(things))


def differences(change: Change) -> list[tuple[str, object, object]]:
    """Return what a change changed: each field before and after. What begins or goes is told by what it says."""
    if change.before is None and change.after is None:
        fields = []
    elif change.before is None or change.after is None:
        fields = ["value_text", "status", "confidence"]
    else:
        fields = [name for name in Fact.model_fields if name not in _KEPT and getattr(change.before, name) != getattr(change.after, name)]
    return [(name, getattr(change.before, name, None), getattr(change.after, name, None)) for name in fields]


def successions(memory: Memory, changes: Iterable[Change]) -> tuple[list[Fact], list[Fact]]:
    """Return what took a fact's place and whose place it took, by its changes: one action ends the one and begins the other."""
    after: dict[str, Fact] = {}
    before: dict[str, Fact] = {}
    for change in changes:
        began = change.operation in ("insert", "confirm")
        if not began and change.operation != "supersede":
            continue
        for other in memory.history(user_id=change.user_id, turn_id=change.turn_id):
            fits = other.operation == "supersede" if began else other.operation in ("insert", "confirm")
            record = other.after or other.before
            if fits and other.action_hash == change.action_hash and other.fact_id != change.fact_id and record is not None:
                (before if began else after)[other.fact_id] = record
    return list(after.values()), list(before.values())


@dataclass(frozen=True)
class Ranking:
    """The hits of a question under one weight set, and the features that gave something to any of them, the most first."""

    name: str
    weights: Mapping[str, float]
    why: Explanation
    features: list[str]
    most: float


def ranking_of(name: str, weights: Mapping[str, float], why: Explanation) -> Ranking:
    """Return how a weight set ranks."""
    given: dict[str, float] = {}
    most = 0.0
    for hit in why.hits:
        for feature, value in hit.contributions.items():
            given[feature] = given.get(feature, 0.0) + abs(value)
            most = max(most, abs(value))
    features = sorted((feature for feature in given if given[feature] >= _LEAST), key=lambda feature: -given[feature])
    return Ranking(name=name, weights=weights, why=why, features=features, most=most or 1.0)


@dataclass(frozen=True)
class Compared:
    """A fact as two weight sets rank it: its place under each, counted from 1, and the hit; None where it is not among the hits."""

    fact: Fact
    places: tuple[int | None, int | None]
    hits: tuple[Hit | None, Hit | None]


def compare(first: Explanation, second: Explanation) -> list[Compared]:
    """Return the hits of two weight sets side by side, in the order of the first."""
    places = [{hit.fact.fact_id: (place, hit) for place, hit in enumerate(why.hits, start=1)} for why in (first, second)]
    ids = dict.fromkeys([*places[0], *places[1]])
    compared = []
    for fact_id in ids:
        (one, hit), (other, rival) = (found.get(fact_id, (None, None)) for found in places)
        known = hit or rival
        assert known is not None
        compared.append(Compared(fact=known.fact, places=(one, other), hits=(hit, rival)))
    return compared


def counted(names: Iterable[Name], count: Callable[[Name], int]) -> dict[str, int]:
    """Return how many there are of each, the most first, without those that there are none of."""
    counts: dict[str, int] = {str(name): count(name) for name in names}
    return {name: held for name, held in sorted(counts.items(), key=lambda one: -one[1]) if held}
