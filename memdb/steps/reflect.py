"""Draw what recurs out of what somebody said: one to three reflective notes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from pydantic import Field

from memdb import files
from memdb.errors import ModelError
from memdb.llm import LanguageModel, Prompt
from memdb.records import Fact, ModelCall, Record

_WORD = re.compile(r"[^\W\d_]{5,}")
_COMMON = frozenset(
    """about actually after again always another anything around because before being believe better could definitely different doing
    enough every everything feels feeling first getting glad going great having hello helped looking maybe might morning never nothing
    other people place pretty really right should since something sometimes start started still sounds thank thanks their there these
    thing things think thought those though today together tomorrow trying until usually wanted week weekend weeks where which while
    would yesterday year years""".split()
)
_MOST = 3
_LONGEST_READ = 24_000
_MOOD = "emotion:"


class Reflection(Record):
    """The notes; `by` is the model that wrote them, or "rules"."""

    notes: tuple[str, ...]
    by: str
    calls: tuple[ModelCall, ...] = ()


class _Told(Record):
    notes: list[str] = Field(max_length=_MOST)


def reflect(messages: Sequence[Fact], *, days: int, llm: LanguageModel | None) -> Reflection:
    """Return at most three notes on what recurs in messages, on at least `days` different days; often there is none.

    Without a model, or when it fails: a mood that recurs and what it goes with, and what is spoken of again and again.
    """
    failed: tuple[ModelCall, ...] = ()
    if llm is not None and messages:
        text = "\n".join(f"[{message.valid_from:%Y-%m-%d}] {' '.join(message.value_text.split())}" for message in messages)
        try:
            answer = llm.ask(Prompt(system=files.read("prompts/reflect.md"), user=text[-_LONGEST_READ:]), answer=_Told, purpose="reflect")
            notes = [" ".join(note.split()) for note in answer.record.notes if note.strip()]
            return Reflection(notes=tuple(dict.fromkeys(notes))[:_MOST], by=llm.name, calls=answer.calls)
        except ModelError as failure:
            failed = failure.calls  # rules stand in
    return Reflection(notes=tuple(list(_recurring(messages, days))[:_MOST]), by="rules", calls=failed)


def _recurring(messages: Sequence[Fact], days: int) -> Iterator[str]:
    moods: dict[str, set[str]] = defaultdict(set)
    topics: dict[str, set[str]] = defaultdict(set)
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    for message in messages:
        day = f"{message.valid_from:%Y-%m-%d}"
        words = set(_WORD.findall(message.value_text.casefold())) - _COMMON
        felt = [tag.removeprefix(_MOOD) for tag in message.tags if tag.startswith(_MOOD)]
        for word in words:
            topics[word].add(day)
        for mood in felt:
            moods[mood].add(day)
            for word in words:
                together[mood, word].add(day)
    for mood, when in sorted(moods.items(), key=lambda item: (-len(item[1]), item[0]))[:2]:
        if len(when) >= days:
            about = sorted(word for (felt_mood, word), on in together.items() if felt_mood == mood and len(on) >= days and word != mood)
            yield f"Often sounds {mood}" + (f", when it is about {' and '.join(about[:2])}" if about else "")
    for topic, when in sorted(topics.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(when) >= days:
            yield f"Keeps coming back to {topic}"
