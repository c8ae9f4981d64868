"""The mood of a text, from the lexicon `rules/emotions.toml`."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from memdb import files
from memdb.languages import Language
from memdb.records import Record

_LONGEST = 4_000  # characters that are read
_WORD = re.compile(r"[\w']+")
_SAME_SIDE = 0.5  # what two pleasant moods, or two unpleasant ones, have in common


_Words = Annotated[frozenset[str], BeforeValidator(files.parted)]
_Moods = dict[str, Annotated[tuple[str, ...], BeforeValidator(files.parted)]]


class _Abroad(Record):
    denials: _Words
    moods: _Moods


class _Lexicon(Record):
    positive: _Moods
    negative: _Moods
    denials: _Words
    light: _Words
    english_too: _Words
    abroad: dict[str, _Abroad]


def mood_of(text: str, language: Language | None = None) -> str | None:
    """Return the emotion that most words of a text in English, or in another language, speak of, such as "sad", or None."""
    words, emotion_of, denials, first = _compiled(language.name if language is not None else "")
    read = text[:_LONGEST].casefold().replace("’", "'")
    if first.isdisjoint(_WORD.findall(read)):  # as of most texts: looking for all of the words at every place takes longer
        return None
    counts: Counter[str] = Counter()
    for match in words.finditer(read):
        before = match.string[max(0, match.start() - 40) : match.start()].split()[-3:]
        if not denials.intersection(before):
            counts[emotion_of[match.group()]] += 1
    return counts.most_common(1)[0][0] if counts else None


def is_felt(mood: str, text: str) -> bool:
    """Return whether a text that has a mood has it by more than courtesy ("thank you") and what is said of things ("I love trains")."""
    return _telling(mood).search(text[:_LONGEST].casefold().replace("’", "'")) is not None


@cache
def _telling(mood: str) -> re.Pattern[str]:
    """What finds the words that tell of a mood, in whatever language."""
    lexicon = _lexicon()
    by_language = ({**lexicon.positive, **lexicon.negative}, *(abroad.moods for abroad in lexicon.abroad.values()))
    return _finding({word.casefold() for moods in by_language for word in moods.get(mood, ())} - lexicon.light)


@cache
def mood_words() -> frozenset[str]:
    """Return the words that speak of moods, in whatever language, but for those that are other words in English."""
    others = (word for name in _lexicon().abroad for word in _compiled(name)[1])
    return frozenset(_compiled("")[1]) | (frozenset(others) - _lexicon().english_too)


def moods_like(emotion: str | None) -> list[tuple[str, float]]:
    """Return how well other moods fit one: 1.0 itself, 0.5 those of its side, and the side's own name ("negative")."""
    lexicon = _lexicon()
    for name, side in (("positive", lexicon.positive), ("negative", lexicon.negative)):
        if emotion is not None and (emotion in side or emotion == name):
            return [(other, 1.0 if other == emotion else _SAME_SIDE) for other in (*side, name)]
    return []


@cache
def _lexicon() -> _Lexicon:
    return _Lexicon.model_validate(tomllib.loads(files.read("rules/emotions.toml")))


@cache
def _compiled(language: str) -> tuple[re.Pattern[str], dict[str, str], frozenset[str], frozenset[str]]:
    """What finds the words of a language, the emotion of each, what denies them, and with what they begin; "" is English."""
    lexicon = _lexicon()
    moods, denials = {**lexicon.positive, **lexicon.negative}, lexicon.denials
    if language:
        moods, denials = lexicon.abroad[language].moods, lexicon.abroad[language].denials
    emotion_of = {word.casefold(): emotion for emotion, words in moods.items() for word in words}
    return _finding(emotion_of), emotion_of, denials, frozenset(_WORD.findall(word)[0] for word in emotion_of)


def _finding(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'])")
