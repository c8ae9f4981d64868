"""What a model writes down otherwise than it was asked to, where no server holds it to the shape, read as it is meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, WithJsonSchema

from memdb import checks
from memdb.errors import InputError
from memdb.records import MemoryType

_MOST_DETAILS, _LONGEST_DETAIL, _LONGEST_NAME = 8, 300, 60  # details of a fact, and characters of each and of its name
_MOST_TAGS, _LONGEST_TAG = 8, 40  # words that a memory is found by, and characters of each
_UNSAID = ("object", "reason")  # texts that must be there, and may say nothing
_DETAILS = ("value_json", "new_value_json")


def bounded_details() -> dict[str, JsonValue]:
    """The JSON schema of further details by name: free names have no end for a small model, these have."""
    text: dict[str, JsonValue] = {"type": "string", "maxLength": 120}
    names = ("since", "place", "person", "amount", "reason", "detail")
    return {"type": "object", "properties": dict.fromkeys(names, text), "additionalProperties": False}


Details = Annotated[dict[str, JsonValue], WithJsonSchema(bounded_details())]
"""Further details by name. Texts are asked for; a number, which is as good, is taken as well."""


def several(value: object) -> object:
    """Return a list of names where a small model wrote nothing, or the names with commas between."""
    if value is None:
        return []
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def in_capitals(value: object) -> object:
    """Return the name of a type where a small model wrote it in small letters, or with blanks around it."""
    return value.strip().upper() if isinstance(value, str) else value


def bounded(value: float) -> float:
    """Return a share within its bounds, which servers do not enforce; what is no number is neither much nor little."""
    return min(1.0, max(0.0, value)) if value == value else 0.5


NamesMeant = Annotated[list[Annotated[str, Field(json_schema_extra={"maxLength": 40})]], BeforeValidator(several)]
"""Names or tags, none of them long: small models go on and on."""

TypeMeant = Annotated[MemoryType, BeforeValidator(in_capitals)]
"""The type of a memory, however it is written."""

ShareMeant = Annotated[float, AfterValidator(bounded)]
"""A share from 0 to 1, whatever number stands for it."""


def tags_kept(given: Iterable[str]) -> tuple[str, ...]:
    """Return the tags that may be kept of a memory: few, none long, each once."""
    tags = (tag.strip().casefold() for tag in given)
    return tuple(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= _LONGEST_TAG))[:_MOST_TAGS]


def meant(answer: JsonValue) -> JsonValue:
    """Return one fact or decision of a model without what it left out by writing null, and without details that have no names."""
    if not isinstance(answer, dict):
        return answer
    said = {name: "" if value is None and name in _UNSAID else value for name, value in answer.items()}
    return {name: value for name, value in said.items() if value is not None and (name not in _DETAILS or isinstance(value, dict))}


def details_kept(given: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """Return the details that may be kept beside a fact: few, none long, and none that turns its meaning round."""
    kept: dict[str, JsonValue] = {}
    for name, value in list((given or {}).items())[:_MOST_DETAILS]:
        if name == "polarity" or value is None:
            continue
        with suppress(InputError):  # a number without end cannot be stored
            if isinstance(value, str):
                kept[name[:_LONGEST_NAME]] = value[:_LONGEST_DETAIL]
            elif len(checks.storable(value)) <= _LONGEST_DETAIL:
                kept[name[:_LONGEST_NAME]] = value
    return kept
