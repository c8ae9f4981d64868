"""What arguments must be like before they are used; each check returns the value or says what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from math import isnan
from operator import index
from typing import NoReturn, TypeVar, get_args

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from memdb.errors import InputError
from memdb.keys import is_canonical
from memdb.narratives import StatedNarrative
from memdb.records import Category, MemoryType, StatedTask, Status, Tier

Name = TypeVar("Name", bound=str)
Shape = TypeVar("Shape", bound=BaseModel)

_LISTED: dict[str, tuple[str, ...]] = {
    "statuses": get_args(Status),
    "categories": get_args(Category),
    "memory_types": get_args(MemoryType),
    "tiers": get_args(Tier),
}
_DETAILS: dict[str, tuple[str, type[BaseModel]]] = {"narrative": ("first-person memory", StatedNarrative), "task": ("task", StatedTask)}
_FIRST_YEAR, _LAST_YEAR = 1000, 9000
_DEEPEST = 100
_ESCAPED, _ASCII, _BYTES = 0xDC00, 0x80, 0x100  # how the codec error handler surrogateescape keeps bytes that are no text
_TOO_DEEP = f"value_json cannot be stored as JSON (more than {_DEEPEST} lists and dicts lie in each other); give it with fewer."
_LONGEST_PLACE = 200
_MOST_FAULTS = 5  # that are told at once: who writes `text` for `value_text` is told of both
_WORDS = {
    "missing": "it is missing; give it",
    "extra_forbidden": "it is none of what is taken here; leave it out, or mend its name",
    "model_attributes_type": "give a JSON object",
    "model_type": "give a dict",
    "dict_type": "give a dict",
    "list_type": "give a list",
    "tuple_type": "give a list",
    "string_type": "give a text",
    "bool_type": "give true or false",
    "bool_parsing": "give true or false",
    "int_type": "give a whole number",
    "int_parsing": "give a whole number",
    "int_from_float": "give a whole number",
    "float_type": "give a number",
    "float_parsing": "give a number",
    "finite_number": "give a finite number",
    "timezone_aware": "give the time with its time zone",
}
"""What is wrong with a field, where the words for it would be of the library's own trade."""
_BOUNDS = {
    "greater_than_equal": "give a number of {ge} or more",
    "greater_than": "give a number above {gt}",
    "less_than_equal": "give a number of {le} or less",
    "less_than": "give a number below {lt}",
    "string_too_long": "it is too long; give at most {max_length} characters",
    "too_short": "give at least {min_length}",
    "too_long": "give at most {max_length}",
    "literal_error": "give {expected}",
}
"""The same, where it lies beyond what is taken."""
_PATTERNS = {
    r"\S": "it is blank; give a text",
    r"^$|\S": "it is blank; give a text",
    r"^[a-z0-9_]+\.[a-z0-9_]+$": "write subject.predicate in lower case, such as user.lives_in",
    r"^[a-z0-9_]+$": "write it in lower case, as one word, such as lives_in",
}
"""What is wanted where a text does not look as it should."""


def name(value: str, argument: str) -> str:
    """Return a name (of a user, a turn, a session) if it is non-empty Unicode text."""
    if not text(value, argument).strip():
        raise InputError(f"{argument} is empty; give a name such as 'ana'.")
    return value


def text(value: str, argument: str) -> str:
    """Return a text if it can be stored word for word."""
    if not isinstance(value, str):
        raise InputError(f"{argument} is {type(value).__name__}, not text; give a str.")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{argument} holds {_undecoded(value[error.start])} at position {error.start}; decode the text properly first."
        ) from error
    return value


def _undecoded(letter: str) -> str:
    """Say what a letter is that no text may hold: also what Python makes of a byte on the command line that is no UTF-8."""
    byte = ord(letter) - _ESCAPED
    return f"the byte 0x{byte:02x}, which is no UTF-8," if _ASCII <= byte < _BYTES else "half a surrogate pair"


def texts(**given: str | None) -> None:
    """Refuse arguments that are no texts; None stands for any, or for none."""
    for argument, value in given.items():
        if value is not None:
            text(value, argument)


def names(**given: str | None) -> None:
    """Refuse names that are given and empty; None stands for any, or for none."""
    for argument, value in given.items():
        if value is not None:
            name(value, argument)


def given(value: str | None, argument: str) -> str | None:
    """Return a name that may be left out, as None or as an empty text; a 0 or an empty list is no name left out, but a mistake."""
    return None if value is None or not text(value, argument) else name(value, argument)


def filled(value: str, argument: str) -> str:
    """Return a text that says something."""
    if not text(value, argument).strip():
        raise InputError(f"{argument} is empty; give the text to keep.")
    return value


def searchable(value: str, argument: str = "query") -> str:
    """Return a question with whatever no text can hold replaced; any question is safe."""
    if not isinstance(value, str):
        raise InputError(f"{argument} is {type(value).__name__}, not text; give a str.")
    return value.encode("utf-8", "replace").decode()


def key(value: str) -> str:
    """Return a key if it is one."""
    if not is_canonical(text(value, "key")):
        raise InputError(f"{value!r} is not a key; write subject.predicate in lower case, such as user.lives_in.")
    return value


class _Unusable(ValueError):
    """What Python would take for JSON, and others would not."""


def parsed(text: str) -> JsonValue:
    """Return what a text of JSON holds.

    Raises:
        JSONDecodeError: it is no JSON.
        ValueError: an object has a name twice, or a number is none or too long; `unread` tells which.
        RecursionError: its lists and objects lie too deep in each other.
    """
    value: JsonValue = json.loads(text, object_pairs_hook=_named_once, parse_constant=_refuse_constant)
    return value


def _named_once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    held: dict[str, JsonValue] = {}
    for name, value in pairs:
        if name in held:
            raise _Unusable(f"{name[:100]!r} stands twice in one object")
        held[name] = value
    return held


def _refuse_constant(name: str) -> NoReturn:
    raise _Unusable(f"{name} is no number")


def unread(error: ValueError | RecursionError) -> str:
    """Return why a text of JSON could not be read, where it is not the text that is wrong but what it holds."""
    if isinstance(error, RecursionError):
        return "its lists and objects lie too deep in each other"
    if isinstance(error, _Unusable):
        return str(error)
    return error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"


def fault(error: ValidationError) -> str:
    """Return what is wrong with a record first: the field, and why."""
    wrong = error.errors()[0]
    return f"field {place(wrong['loc'])}: {why(wrong)}" if wrong["loc"] else why(wrong)


def faults(wrong: Sequence[ErrorDetails]) -> str:
    """Return what is wrong with one argument after another, each with its place, no more than can be read."""
    return "; ".join(f"{place(one['loc'])}: {why(one)}" for one in wrong[:_MOST_FAULTS])


def why(wrong: ErrorDetails) -> str:
    """Return in words what is wrong with a field."""
    if wrong["type"] in _WORDS:
        return _WORDS[wrong["type"]]
    if wrong["type"] == "value_error":
        return str(wrong["ctx"]["error"])
    if wrong["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(wrong["ctx"]["pattern"], wrong["msg"])
    if wrong["type"].startswith("datetime_"):
        known = wrong.get("ctx", {}).get("error")
        return f"write a time like 2025-03-01T09:30:00Z ({known})" if known else "write a time like 2025-03-01T09:30:00Z"
    if wrong["type"] == "string_too_short" and wrong["ctx"]["min_length"] == 1:
        return "it is empty; give a text"
    if wrong["type"] not in _BOUNDS:
        return wrong["msg"]
    bounds = {name: int(bound) if isinstance(bound, float) and bound.is_integer() else bound for name, bound in wrong["ctx"].items()}
    return _BOUNDS[wrong["type"]].format_map(bounds)


def place(parts: Sequence[int | str]) -> str:
    """Return where in a record something is; of what lies very deep, or has a very long name, only the beginning."""
    where = ".".join(map(str, parts))
    return where if len(where) <= _LONGEST_PLACE else f"{where[:_LONGEST_PLACE]}…"


def storable(value: JsonValue) -> str:
    """Return a `value_json` as JSON text.

    Raises:
        InputError: JSON has no form for it (numbers that are not finite, objects of any other kind), or it lies so deep that it could be
            written and never read again.
    """
    try:
        told = json.dumps(value, allow_nan=False, ensure_ascii=False)
    except (ValueError, TypeError) as error:
        raise InputError(f"value_json cannot be stored as JSON ({error}); give texts, finite numbers, lists and dicts.") from error
    except RecursionError as error:
        raise InputError(_TOO_DEEP) from error
    if told.count("[") + told.count("{") > _DEEPEST and _depth(value) > _DEEPEST:
        raise InputError(_TOO_DEEP)
    return text(told, "value_json")


def details(kind: str, value: JsonValue) -> None:
    """Refuse details of a kind that would be read as something else than they are: where a task stands; who was there, and how it felt."""
    if isinstance(value, dict) and kind in _DETAILS:
        called, record = _DETAILS[kind]
        try:
            record.model_validate(value)
        except ValidationError as error:
            raise InputError(f"The value_json of a {called} cannot be stored: {fault(error)}.") from error


def _depth(value: JsonValue) -> int:
    """How many lists and dicts lie in each other."""
    depth, level = 0, [value]
    while held := [one for one in level if isinstance(one, (dict, list, tuple))]:
        depth += 1
        level = [part for one in held for part in (one.values() if isinstance(one, dict) else one)]
    return depth


def share(value: float | None, argument: str) -> float | None:
    """Return a number if it lies in 0..1; True is none."""
    try:
        inside = value is None or (not isinstance(value, bool) and not isnan(value) and 0 <= value <= 1)
    except (TypeError, OverflowError):  # it is no number at all, or beyond all of them
        inside = False
    if not inside:
        raise InputError(f"{argument} is {value!r}; give a number between 0 and 1.")
    return value


def count(value: int, argument: str) -> int:
    """Return a whole number that counts something; numpy's are such numbers, too, and True is none."""
    try:
        number = index(value)
    except TypeError as error:
        raise InputError(f"{argument} is {value!r}; give a whole number.") from error
    if isinstance(value, bool):
        raise InputError(f"{argument} is {value!r}; give a whole number.")
    if number < 0:
        raise InputError(f"{argument} is {number}; give a number of 0 or more.")
    return number


def truth(value: bool, argument: str) -> bool:
    """Return whether something is so, if that was said: of texts, also "no" would count as true."""
    try:
        if value in (True, False):
            return bool(value)
    except ValueError:  # an array with several is neither, and says no more than that
        pass
    raise InputError(f"{argument} is {value!r}; give True or False.")


def bound(value: float | None, argument: str) -> float | None:
    """Return a number: nothing is above or below what is none, and one of numpy's the file would take for bytes."""
    try:
        # what tells whether it is a number takes numbers alone, and no text that looks like one
        if not isinstance(value, bool) and (value is None or not isnan(value)):
            return None if value is None else float(value)
    except (TypeError, OverflowError):
        pass
    raise InputError(f"{argument} is {value!r}; give a number, or None for no bound.")


def age(value: float | None, argument: str) -> float | None:
    """Return a bound of how old something is: nothing is younger than now."""
    if (number := bound(value, argument)) is not None and number < 0:
        raise InputError(f"{argument} is {value!r}; give a number of 0 or more, or None for no bound.")
    return number


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
        if isinstance(values, Iterator):
            raise InputError(f"{argument} is a {type(values).__name__}, which can be read only once; give a list.")
        several(values, argument)
        for value in values:
            if not isinstance(value, str):
                raise InputError(f"{argument} holds {type(value).__name__}; give a list of texts.")
        if (names := _LISTED.get(argument)) is not None:
            for value in values:
                one_of(value, names, argument)


def several(values: Iterable[str], argument: str) -> None:
    """Refuse what is no list of texts, such as None, or a text, which would be taken for its letters."""
    if isinstance(values, str):
        raise InputError(f"{argument} is the text {values!r}; give a list, such as [{values!r}].")
    if not isinstance(values, Iterable):
        raise InputError(f"{argument} is {type(values).__name__}; give a list of texts.")


def tags(values: Iterable[str]) -> tuple[str, ...]:
    """Return tags that say something: nobody finds by a blank one, nor sees that it is there."""
    several(values, "tags")
    held = tuple(values)
    for tag in held:
        if not text(tag, "tags").strip():
            raise InputError("tags holds one that is blank; give words such as 'music', or leave it out.")
    return held


def terms(values: Sequence[str] | None) -> None:
    """Refuse a word or phrase that no text can have in it."""
    for value in () if values is None else values:
        if not any(letter.isalnum() for letter in text(value, "must")):
            raise InputError(f"must holds {value!r}, which has no letters or digits; give words and phrases, such as 'green tea'.")


def progress(value: object) -> None:
    """Refuse a `progress` that cannot be called, before anything is done."""
    if value is not None and not callable(value):
        raise InputError(f"progress is {type(value).__name__}; give a function, or None.")


def record(shape: type[Shape], given: object, *, what: str) -> Shape:
    """Return what is given as a record; `what` says what it is, and what cannot be done with it otherwise: "Label 3 cannot be used"."""
    try:
        return given if isinstance(given, shape) else shape.model_validate(given)
    except ValidationError as error:
        raise InputError(f"{what}: {fault(error)}.") from error


def records(given: Iterable[object], argument: str) -> None:
    """Refuse what holds no records, and one record where several belong, which would be taken for its fields."""
    if isinstance(given, str | Mapping | BaseModel) or not isinstance(given, Iterable):
        raise InputError(f"{argument} is {type(given).__name__}; give several, such as a list of dicts.")


def in_order(begins: str, ends: str | None) -> None:
    """Refuse what would be over before it is true; both are times as they are stored."""
    if ends is not None and ends < begins:
        raise InputError(f"valid_to is {ends}, before it is true from {begins}; give a later valid_to, or an earlier valid_from.")


def one_of(value: Name, names: Sequence[str], argument: str) -> Name:
    """Return a name if it is one of those that there are."""
    if not isinstance(value, str) or value not in names:
        raise InputError(f"{argument} is {value!r}; give one of {', '.join(names)}.")
    return value
