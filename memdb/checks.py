"""What arguments must be like before they are used; each check returns the value or says what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar, get_args

from pydantic import JsonValue, ValidationError

from memdb.errors import InputError
from memdb.keys import is_canonical
from memdb.records import Category, MemoryType, Status, Tier

Name = TypeVar("Name", bound=str)

_LISTED: dict[str, tuple[str, ...]] = {
    "statuses": get_args(Status),
    "categories": get_args(Category),
    "memory_types": get_args(MemoryType),
    "tiers": get_args(Tier),
}
_FIRST_YEAR, _LAST_YEAR = 1000, 9000


def name(value: str, argument: str) -> str:
    """Return a name (of a user, a turn, a session) if it is non-empty Unicode text."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{argument} is empty; give a name such as 'ana'.")
    return text(value, argument)


def text(value: str, argument: str) -> str:
    """Return a text if it can be stored word for word."""
    if not isinstance(value, str):
        raise InputError(f"{argument} is {type(value).__name__}, not text; give a str.")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{argument} holds half a surrogate pair at position {error.start}; decode the text properly first.") from error
    return value


def filled(value: str, argument: str) -> str:
    """Return a text that says something."""
    if not text(value, argument).strip():
        raise InputError(f"{argument} is empty; give the text to keep.")
    return value


def searchable(query: str) -> str:
    """Return a question with whatever no text can hold replaced; any question is safe."""
    if not isinstance(query, str):
        raise InputError(f"query is {type(query).__name__}, not text; give a str.")
    return query.encode("utf-8", "replace").decode()


def key(value: str) -> str:
    """Return a key if it is one."""
    if not is_canonical(text(value, "key")):
        raise InputError(f"{value!r} is not a key; write subject.predicate in lower case, such as user.lives_in.")
    return value


def fault(error: ValidationError) -> str:
    """Return what is wrong with a record first: the field, and why."""
    wrong = error.errors()[0]
    return f"field {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}"


def storable(value: JsonValue, argument: str) -> None:
    """Refuse what JSON has no form for: numbers that are not finite, and objects of any other kind."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise InputError(f"{argument} cannot be stored as JSON ({error}); give texts, finite numbers, lists and dicts.") from error


def share(value: float | None, argument: str) -> float | None:
    """Return a number if it lies in 0..1."""
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{argument} is {value}; give a number between 0 and 1.")
    return value


def bounds(**given: float | None) -> None:
    """Refuse what is no number: nothing is above or below it, so that it would bound nothing."""
    for argument, value in given.items():
        if value is not None and value != value:
            raise InputError(f"{argument} is {value}; give a number, or None for no bound.")


def lived(value: datetime, argument: str) -> datetime:
    """Return an instant that somebody can have lived through: there are days before and after it in every time zone."""
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise InputError(f"{argument} is in the year {value.year}; give a time between the years {_FIRST_YEAR} and {_LAST_YEAR}.")
    return value


def lists(**given: Sequence[str] | None) -> None:
    """Refuse a text where a list of texts belongs, which would be taken for its letters, and names that there are none of.

    The names of `statuses`, `categories`, `memory_types` and `tiers` are known here.
    """
    for argument, values in given.items():
        if values is None:
            continue
        if isinstance(values, str):
            raise InputError(f"{argument} is the text {values!r}; give a list, such as [{values!r}].")
        if (names := _LISTED.get(argument)) is not None:
            for value in values:
                one_of(value, names, argument)


def in_order(begins: str, ends: str | None) -> None:
    """Refuse what would be over before it is true; both are times as they are stored."""
    if ends is not None and ends < begins:
        raise InputError(f"valid_to is {ends}, before it is true from {begins}; give a later valid_to, or an earlier valid_from.")


def one_of(value: Name, names: Sequence[str], argument: str) -> Name:
    """Return a name if it is one of those that there are."""
    if value not in names:
        raise InputError(f"{argument} is {value!r}; give one of {', '.join(names)}.")
    return value
