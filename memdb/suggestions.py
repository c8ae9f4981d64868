"""Requests for a suggestion, which is to suit who asks: they matter to what that one likes, avoids or cannot have."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from memdb import files
from memdb.records import Record
from memdb.unspaced import quoted

_ENGLISH = "English"


_MOST = 300  # characters of a sentence: what asks for a suggestion takes no more
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")

_List = Annotated[tuple[str, ...], BeforeValidator(files.parted)]


class _Ways(Record):
    """How a language asks for a suggestion, and tells of tastes; rules/suggestions.toml says how the fields are meant."""

    words: _List = ()
    asks: str
    tells: _List


def asks_suggestion(text: str, words: Collection[str], language: str = _ENGLISH) -> bool:
    """Return whether a text asks for a suggestion: "What could I cook tonight?", but not "What did she suggest?".

    `words` are all words of the text in lower case.
    """
    if language not in _ways() or not _may_ask(language, words):
        return False
    asks = _asks(language)
    return any(asks.match(sentence[:_MOST]) for sentence in _SENTENCE.split(text.replace("’", "'")))


def _may_ask(language: str, words: Collection[str]) -> bool:
    wanted = _wanted(language)
    return not wanted or not wanted.isdisjoint(words)


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
def _wanted(language: str) -> frozenset[str]:
    return frozenset(_ways()[language].words)


@cache
def _asks(language: str) -> re.Pattern[str]:
    return re.compile(_ways()[language].asks, re.IGNORECASE | re.VERBOSE | re.DOTALL)
