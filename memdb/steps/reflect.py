"""Draw what recurs out of what somebody said: one to three reflective notes."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache, partial
from itertools import islice
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from memdb import files
from memdb.emotions import is_felt, mood_words
from memdb.keys import normalise
from memdb.llm import LanguageModel, Prompt, calls_of
from memdb.privacy import named_secrets, quotable, without_secrets
from memdb.records import Consent, ModelCall, Record
from memdb.unsaid import Line, is_told_in_english, numbers_in, stems, what_was_not_said
from memdb.unspaced import is_unspaced, words_of

_WORD = re.compile(r"[^\W\d_]{5,}")
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ings", "ation", "ations")  # of a word's forms
_ASIDE = re.compile(r"\[[^\]]*\]")  # a picture's caption is nobody's words
_MOST = 3
_STRATEGIES = 2  # so that there is room for what somebody is like
_LONGEST_READ = 24_000
_LONGEST_ASKED = 2_000  # what is longer was pasted
_LONGEST_NOTE = 300  # characters: one short sentence
_TELLING = 4  # letters of a word that tells something: a note of none such is a small model's babble
_QUOTING = 4  # words of a note that stand in one message
_RESTS_ON = 2  # messages at least, or as many as there are
_MANNER = frozenset(
    """about again always answer answers ask asks avoid avoids best better comes cope dislikes enjoy enjoys feel feeling feels finds
    gently gets give gives goes hate hates help helped helps ideally keep keeps kept know knows late like liked likes lots love loves
    make makes mostly need needs often prefer preferred prefers really respond responds said says seems should sometimes sounds take
    takes talk talking tell tends their them they think thinks user usually very want wanted wants well when with""".split()
)  # words of how somebody is, and none of what they speak of
# as a small model says that there is none
_NONE = frozenset(("none", "n a", "na", "nil", "null", "nothing", "no notes", "note", "notes", "empty"))


class Said(NamedTuple):
    """A message: its words, the day of the user's on which it was said, in what moods, and whether nobody has reflected upon it yet."""

    text: str
    day: str
    moods: tuple[str, ...]
    fresh: bool


class Reflection(Record):
    """The notes; `by` is the model that wrote them, or "rules"."""

    notes: tuple[str, ...]
    by: str
    calls: tuple[ModelCall, ...] = ()


class Strategy(Record):
    """A note on how to answer, and what asks for it; the examples are what the pattern is tested with."""

    note: str
    pattern: str
    examples: tuple[str, ...]
    not_examples: tuple[str, ...] = ()


ShortText = Annotated[str, Field(json_schema_extra={"maxLength": _LONGEST_NOTE})]


class _Told(BaseModel):
    # what a model writes beyond what it was asked for is no reason to ask again: of more notes the first count
    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    notes: list[ShortText] = Field(json_schema_extra={"maxItems": _MOST})


def reflect(messages: Sequence[Said], *, days: int, consent: Consent, llm: LanguageModel | None) -> Reflection:
    """Return at most three notes on what recurs in messages, on at least `days` different days; often there is none.

    What none of the fresh ones says is not noted again. Secrets are passed over, unless `consent` lets them be kept.

    Without a model, or when it fails: how answers are asked to be again and again, a mood that recurs and what it goes with, and what is
    spoken of again and again.
    """
    failed: tuple[ModelCall, ...] = ()
    if llm is not None and messages:
        text = "\n".join(f"[{message.day}] {' '.join(message.text.split())}" for message in messages)
        read = quotable(text[-2 * _LONGEST_READ :], consent)[-_LONGEST_READ:]  # blacked out before it is cut
        try:
            system = files.instructions("reflect")
            answer = llm.ask(Prompt(system=system, user=files.fill("conversation", said=read)), answer=_Told, purpose="reflect")
            notes = (note for note in _usable(answer.record.notes) if _what_is_wrong(note, messages, prompt=system) is None)
            return Reflection(notes=tuple(islice(notes, _MOST)), by=llm.name, calls=answer.calls)
        except Exception as failure:  # a transport is foreign code; whatever it raises, rules stand in
            failed = calls_of(failure)
    return Reflection(notes=tuple(islice(_recurring(messages, days, consent), _MOST)), by="rules", calls=failed)


def _usable(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes of a model that are short and say something, each once: what it repeats at once is no agreement."""
    said: dict[str, str] = {}
    for note in notes:
        text = " ".join(note.split())
        meant = normalise(text)
        if (
            len(text) <= _LONGEST_NOTE
            and meant not in _NONE
            and any(len(word) >= _TELLING or is_unspaced(word) for word in words_of(meant))
        ):
            said.setdefault(meant, text)
    return tuple(said.values())


def _what_is_wrong(note: str, messages: Sequence[Said], *, prompt: str) -> str | None:
    """Why a note of a model cannot be kept: it tells what was not said, or rests on no more than one thing that was."""
    wrong = what_was_not_said(note, said=[Line("user", message.text) for message in messages], prompt=prompt)
    return wrong or _rests_on_nothing(note, messages)


def _rests_on_nothing(note: str, messages: Sequence[Said]) -> str | None:
    """Whether a note speaks of what nobody, or only one message, spoke of, or repeats one; what is asked of answers may be told otherwise.

    A number must be said twice, too. What is not told in English, or was not said in it, is let through.
    """
    texts = [message.text for message in messages]
    if len(words_of(note)) >= _QUOTING and any(normalise(note) in normalise(text) for text in texts):
        return "it only repeats what was said"
    if not (is_told_in_english(note) and is_told_in_english("\n".join(texts))):
        return None
    words = stems(" ".join(word for word in words_of(note) if word not in _MANNER and not word.isdecimal()))
    spoken = [words & stems(text) for text in texts]
    for strategy in strategies():
        if meant := words & stems(" ".join(word for word in words_of(f"{strategy.note} {strategy.pattern}") if word not in _MANNER)):
            for text, found in zip(texts, spoken, strict=True):
                if re.search(strategy.pattern, text[:_LONGEST_ASKED].casefold().replace("’", "'")):
                    found |= meant
    least = min(_RESTS_ON, len(texts))
    if sum(map(bool, spoken)) < least or 2 * len(set[str]().union(*spoken)) < len(words):
        return "it rests on nothing that was said twice"
    numbers = numbers_in(note)
    once = [number for number in numbers if sum(number in numbers_in(text) for text in texts) < least]
    return f"the number {once[0]} was said only once" if once else None


def _recurring(messages: Sequence[Said], days: int, consent: Consent) -> Iterator[str]:
    if len({message.day for message in messages}) < days:
        return  # nor need be read what was said, which may be a whole import
    folded = [message.text.casefold().replace("’", "'") for message in messages]
    for strategy in islice(_asked_of_answers(messages, folded, days), _STRATEGIES):
        yield strategy.note
        folded = [re.sub(strategy.pattern, " ", text) for text in folded]  # how it is asked for is no topic
    named = cache(lambda: frozenset[str]().union(*(named_secrets(message.text) for message in messages)))  # only once something recurs
    openly = partial(_said_openly, days=days, secrets=named if consent.secrets == "refuse" else None)
    told = [*zip(messages, folded, strict=True)]
    felt: dict[str, list[tuple[Said, str]]] = defaultdict(list)
    for message, text in told:
        for mood in message.moods:
            if is_felt(mood, text):
                felt[mood].append((message, text))
    moods = {mood: {message.day for message, _text in said} for mood, said in felt.items()}
    felt_anew = {mood for mood, said in felt.items() if any(message.fresh for message, _text in said)}
    for mood, when in sorted(moods.items(), key=lambda item: (-len(item[1]), item[0]))[:2]:
        if len(when) >= days and mood in felt_anew:
            often = sorted(word for word, on in _days_of_words(felt[mood]).items() if len(on) >= days)
            about = list(islice((word for word in often if openly(word, felt[mood])), 2))
            yield f"Often sounds {mood}" + (f", when it is about {' and '.join(about)}" if about else "")
    new = _days_of_words((message, text) for message, text in told if message.fresh)
    topics = _days_of_words(told, only=new.keys())
    for topic, when in sorted(topics.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(when) >= days and openly(topic, told):
            yield f"Keeps coming back to {_as_written(topic, told)}"


def _as_written(word: str, told: Iterable[tuple[Said, str]]) -> str:
    """How a word is mostly written within a sentence, where a capital tells a name; as it is where it stands in none."""
    within = re.compile(rf"(?<=[\w,;] ){re.escape(word)}(?!\w)", re.IGNORECASE)
    written = Counter(found for message, text in told if word in text for found in within.findall(message.text))
    return max(sorted(written, reverse=True), key=written.__getitem__, default=word)  # of two that are as frequent, the small letters


def _asked_of_answers(messages: Sequence[Said], folded: Sequence[str], days: int) -> list[Strategy]:
    """How to answer somebody, by what they ask of answers on so many days; what is asked on most of them comes first."""
    asked: list[tuple[int, Strategy]] = []
    told = [(message, text[:_LONGEST_ASKED]) for message, text in zip(messages, folded, strict=True)]
    for strategy in strategies():
        search = re.compile(strategy.pattern).search
        if not any(search(text) for message, text in told if message.fresh):
            continue  # nor need all that was said before be looked through
        when = {message.day for message, text in told if search(text)}
        if len(when) >= days:
            asked.append((len(when), strategy))
    return [strategy for _, strategy in sorted(asked, key=lambda one: (-one[0], one[1].note))]


@cache
def strategies() -> tuple[Strategy, ...]:
    """Return the strategies that the rules know."""
    return tuple(Strategy.model_validate(row) for row in tomllib.loads(files.read("rules/strategies.toml"))["strategies"])


def _days_of_words(messages: Iterable[tuple[Said, str]], *, only: Set[str] | None = None) -> dict[str, set[str]]:
    """On which days each word is said that may be a topic, or each of some: a day is read at once, in half the time of its messages."""
    texts: dict[str, list[str]] = defaultdict(list)
    for message, text in messages:
        texts[message.day].append(_spoken(text))
    on: dict[str, set[str]] = defaultdict(set)
    for day, said in texts.items():
        words = set(_WORD.findall("\n".join(said)))
        for word in (word for word in words - mood_words() if _may_be_topic(word)) if only is None else words & only:
            on[word].add(day)
    return on


@lru_cache(maxsize=16_384)
def _may_be_topic(word: str) -> bool:
    """Whether a word is none of those that are in everybody's mouth, in none of its forms."""
    common, in_ly = _no_topics()
    if word.endswith("ly"):
        return word in in_ly
    for ending in _ENDINGS:
        base = word.removesuffix(ending) if word.endswith(ending) else None
        if base and (base in common or f"{base}e" in common or (len(base) > 3 and base[-1] == base[-2] and base[:-1] in common)):
            return False
    return True


@cache
def _no_topics() -> tuple[frozenset[str], frozenset[str]]:
    """The words that are no topics, and those in -ly that may be ones."""
    told = {name: frozenset(files.parted(words)) for name, words in tomllib.loads(files.read("rules/topics.toml")).items()}
    in_ly = told.pop("in_ly")
    return frozenset[str]().union(*told.values()), in_ly


def _spoken(folded: str) -> str:
    return _ASIDE.sub(" ", folded) if "[" in folded else folded


def _words(folded: str) -> set[str]:
    return set(_WORD.findall(_spoken(folded)))


def _said_openly(
    word: str, messages: Sequence[tuple[Said, str]], *, days: int, secrets: Callable[[], Set[str]] | None
) -> bool:  # fmt: skip
    """Whether a word is said on so many days, secrets aside: a password that is all letters is no topic, wherever it stands."""
    on: set[str] = set()
    for message, text in messages:
        shown = message.text if secrets is None or word not in text else without_secrets(message.text, told=secrets())
        if word in text and word in _words(shown.casefold()):
            on.add(message.day)
            if len(on) >= days:
                return True
    return False
