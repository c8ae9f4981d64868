"""What a search looks at only: its filters, as they are given, and as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import TypedDict

from memdb.records import Category, MemoryType, Tier


class Sieve(TypedDict, total=False):
    """What a search looks at only, but for when that was; None is no filter."""

    kinds: Sequence[str] | None
    categories: Sequence[Category] | None
    memory_types: Sequence[MemoryType] | None
    tags: Sequence[str] | None
    must: Sequence[str] | None
    participants: Sequence[str] | None
    min_age_minutes: float | None
    max_age_days: float | None


class Filters(Sieve, total=False):
    """What a search looks at only, as `Memory.search` explains each; None is no filter."""

    since: date | str | None
    until: date | str | None


def refuse_unknown(filters: Filters, verb: str) -> None:
    """Refuse what is no filter, as Python refuses an argument that a function does not have."""
    if unknown := sorted(filters.keys() - Filters.__optional_keys__):
        raise TypeError(f"{verb}() got an unexpected keyword argument {unknown[0]!r}")


class Narrowed(Filters, total=False):
    """The same, and what leaves out a hit by its score or its age."""

    min_score: float | None
    tiers: Sequence[Tier] | None


class Sifted(Sieve, total=False):
    """The same as `Narrowed`, its times read: from `since` on and before `until`."""

    since: datetime | None
    until: datetime | None
    min_score: float | None
    tiers: Sequence[Tier] | None
