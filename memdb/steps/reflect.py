"""Draw what recurs out of what somebody said: one to three reflective notes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import tzinfo
from itertools import islice

from pydantic import Field

from memdb import files
from memdb.emotions import mood_words
from memdb.llm import LanguageModel, Prompt, calls_of
from memdb.privacy import quotable
from memdb.records import Consent, Fact, ModelCall, Record

_WORD = re.compile(r"[^\W\d_]{5,}")
_COMMON = frozenset(
    """about absolutely actually after again almost already always amazing among another anything appreciate appreciated around awesome
    beautiful because become before being believe better could check cheers completely decided definitely different doing enough every
    everyone everything exactly experience feels feeling feelings finally first getting giving going great guess having heard hello helped
    helps honestly hoping image important incredible inspired inspiring kinda knowing later little looked looking looks lovely maybe
    means might moment moments morning never nothing other people perfect photo picture place please point pretty probably quite ready
    really right seems share shared sharing should since someone something sometimes special start started still stuff sounds super
    support taking talked talking thank thanks their there these they they're thing things think thinking those though thought through
    today together tomorrow totally trying tried until usually video wanted watch week weekend weeks where which while without wonderful
    working would wow yeah yesterday year years yours""".split()
)
_ASIDE = re.compile(r"\[[^\]]*\]")  # a picture's caption is nobody's words
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


def reflect(
    messages: Sequence[Fact], *, fresh: Collection[str], days: int, zone: tzinfo, consent: Consent, llm: LanguageModel | None
) -> Reflection:  # fmt: skip
    """Return at most three notes on what recurs in messages, on at least `days` different days of `zone`; often there is none.

    `fresh` are the ids of the messages that were not reflected upon before: what none of them says is not noted again. Secrets are passed
    over, unless `consent` lets them be kept.

    Without a model, or when it fails: a mood that recurs and what it goes with, and what is spoken of again and again.
    """
    failed: tuple[ModelCall, ...] = ()
    if llm is not None and messages:
        text = "\n".join(f"[{_day(message, zone)}] {' '.join(message.value_text.split())}" for message in messages)
        read = quotable(text[-2 * _LONGEST_READ :], consent)[-_LONGEST_READ:]  # blacked out before it is cut
        try:
            answer = llm.ask(Prompt(system=files.read("prompts/reflect.md"), user=read), answer=_Told, purpose="reflect")
            notes = [" ".join(note.split()) for note in answer.record.notes if note.strip()]
            return Reflection(notes=tuple(dict.fromkeys(notes))[:_MOST], by=llm.name, calls=answer.calls)
        except Exception as failure:  # a transport is foreign code; whatever it raises, rules stand in
            failed = calls_of(failure)
    return Reflection(notes=tuple(islice(_recurring(messages, fresh, days, zone, consent), _MOST)), by="rules", calls=failed)


def _recurring(messages: Sequence[Fact], fresh: Collection[str], days: int, zone: tzinfo, consent: Consent) -> Iterator[str]:
    moods: dict[str, set[str]] = defaultdict(set)
    topics: dict[str, set[str]] = defaultdict(set)
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    new: set[str] = set()
    for message in messages:
        day = _day(message, zone)
        words = _words(message.value_text) - _COMMON - mood_words()
        felt = [tag.removeprefix(_MOOD) for tag in message.tags if tag.startswith(_MOOD)]
        if message.fact_id in fresh:
            new.update(words, (_MOOD + mood for mood in felt))
        for word in words:
            topics[word].add(day)
        for mood in felt:
            moods[mood].add(day)
            for word in words:
                together[mood, word].add(day)
    for mood, when in sorted(moods.items(), key=lambda item: (-len(item[1]), item[0]))[:2]:
        if len(when) >= days and _MOOD + mood in new:
            often = sorted(word for (felt_mood, word), on in together.items() if felt_mood == mood and len(on) >= days)
            felt_so = [message for message in messages if _MOOD + mood in message.tags]
            about = list(islice((word for word in often if _said_openly(word, felt_so, days, zone, consent)), 2))
            yield f"Often sounds {mood}" + (f", when it is about {' and '.join(about)}" if about else "")
    for topic, when in sorted(topics.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(when) >= days and topic in new and _said_openly(topic, messages, days, zone, consent):
            yield f"Keeps coming back to {topic}"


def _day(message: Fact, zone: tzinfo) -> str:
    return f"{message.valid_from.astimezone(zone):%Y-%m-%d}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_ASIDE.sub(" ", text.casefold())))


def _said_openly(word: str, messages: Sequence[Fact], days: int, zone: tzinfo, consent: Consent) -> bool:
    """Whether a word is said on so many days, secrets aside: a password that is all letters is no topic."""
    on: set[str] = set()
    for message in messages:
        if word in message.value_text.casefold() and word in _words(quotable(message.value_text, consent)):
            on.add(_day(message, zone))
            if len(on) >= days:
                return True
    return False
