"""Requests for a suggestion, which is to suit who asks: they matter to what that one likes, avoids or cannot have."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from memdb import files
from memdb.records import Record
from memdb.unspaced import quoted

_ENGLISH = "English"


class _Ways(Record):
    """How a language asks for a suggestion, and tells of tastes; rules/suggestions.toml says how the fields are meant."""

    asks: str
    tells: Annotated[tuple[str, ...], BeforeValidator(files.parted)]


def asks_suggestion(text: str, language: str = _ENGLISH) -> bool:
    """Return whether a text asks for a suggestion: "What could I cook tonight?", but not "What did she suggest?"."""
    return language in _ways() and _asks(language).match(text.replace("’", "'")) is not None


@cache
def tells_taste(language: str) -> str:
    """Return an FTS5 expression of what tells of a taste in this language, or in English, as facts do."""
    words = dict.fromkeys(word for name in (_ENGLISH, language) for word in _ways()[name].tells)
    return f"body : ({' OR '.join(map(_sought, words))})"


def _sought(word: str) -> str:
    return f"{quoted(word.removesuffix('*'))} *" if word.endswith("*") else quoted(word)


@cache
def _ways() -> dict[str, _Ways]:
    return {name: _Ways.model_validate(ways) for name, ways in tomllib.loads(files.read("rules/suggestions.toml")).items()}


@cache
def _asks(language: str) -> re.Pattern[str]:
    return re.compile(_ways()[language].asks, re.IGNORECASE | re.VERBOSE | re.DOTALL)
