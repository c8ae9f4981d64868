"""Say in a sentence or two what happened in a stretch of conversation: the summary of an episode."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from memdb import files
from memdb.llm import LanguageModel, Prompt, calls_of
from memdb.records import Fact, ModelCall, Record
from memdb.stop_words import is_pleasantry
from memdb.unsaid import Line, is_told_in_english, stems, what_was_not_said
from memdb.unspaced import words_of

_WORD = re.compile(r"[^\W\d_]{4,}")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_LINES = 3
_LONGEST_LINE = 160
_LONGEST_READ = 24_000
_LONGEST = 600  # characters of a summary
_SPOKEN_OF = 0.4  # of the words of a summary, so many were said at least: of others' summaries one in ten has as many
_WHOLE = re.compile(rf".{{,{_LONGEST - 1}}}[.!?…](?=\s)")  # as many sentences of a longer one as there is room for


class Summary(Record):
    """What happened, empty if nothing was; `by` is the model that says so, or "rules". One that `repeats` only quotes one message."""

    text: str
    by: str
    repeats: bool = False
    calls: tuple[ModelCall, ...] = ()


class _Told(BaseModel):
    # what a model writes beyond what it was asked for is no reason to ask again
    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    summary: str = Field(min_length=1, json_schema_extra={"maxLength": _LONGEST})


def summarize(messages: Sequence[Fact], *, llm: LanguageModel | None) -> Summary:
    """Return the summary of messages in their order.

    Without a model, when it fails, or when its words are not those of what was said, or tell what was not, it is the three sentences
    whose words the rest of the stretch shares most, word for word.
    """
    said = [Line(message.speaker or "user", " ".join(message.value_text.split())) for message in messages]
    failed: tuple[ModelCall, ...] = ()
    if llm is not None and said:
        system, read = files.instructions("summarize"), "\n".join(f"{line.speaker}: {line.text}" for line in said)
        try:
            answer = llm.ask(
                Prompt(system=system, user=files.fill("conversation", said=read[:_LONGEST_READ])), answer=_Told, purpose="summarize"
            )
            text = _kept(answer.record.summary)
            wrong = what_was_not_said(text, said=said, prompt=system, owner=messages[0].user_id)
            if text and wrong is None and _speaks_of(text, said):
                return Summary(text=text, by=llm.name, calls=answer.calls)
            failed = answer.calls
        except Exception as failure:  # a transport is foreign code; whatever it raises, rules stand in
            failed = calls_of(failure)
    told = _telling(messages)
    text = " ".join(f"{messages[place].speaker or 'user'}: {_ended(sentence)}" for place, sentence in told)
    return Summary(text=text, by="rules", repeats=len({place for place, _ in told}) == 1, calls=failed)


def _ended(sentence: str) -> str:
    """A sentence with its end: many are typed without a full stop, and would run into whoever speaks next."""
    if len(sentence) > _LONGEST_LINE:
        return f"{sentence[:_LONGEST_LINE].rstrip()} …"
    return f"{sentence}." if sentence[-1].isalnum() else sentence


def _kept(summary: str) -> str:
    text = " ".join(summary.split())
    if len(text) <= _LONGEST:
        return text
    cut = _WHOLE.match(text)
    return cut[0] if cut else ""


def _speaks_of(summary: str, said: Sequence[Line]) -> bool:
    """Whether a summary has words of what was said, whatever their endings; who spoke is in every line, and tells nothing.

    In another language than it was said in, one word is enough.
    """
    told = "\n".join(line.text for line in said)
    words, own = stems(told), stems(summary) - stems(" ".join({line.speaker for line in said}))
    english = is_told_in_english(summary) and is_told_in_english(told)
    return not words or len(words & own) >= max(1, _SPOKEN_OF * len(own) if english else 1)


def _telling(messages: Sequence[Fact]) -> list[tuple[int, str]]:
    """The sentences that tell most, each with the place of its message: where one is said again and again, the first time it is."""
    first: dict[str, tuple[int, str]] = {}
    for place, message in enumerate(messages):
        for match in _SENTENCE.finditer(message.value_text):
            sentence = " ".join(match.group().split())
            if not sentence.endswith("?") and not is_pleasantry(set(words_of(sentence.casefold(), contracted=True))):
                first.setdefault(sentence.casefold(), (place, sentence))
    sentences = list(first.values())
    words = [set(_WORD.findall(sentence.casefold())) for _, sentence in sentences]
    shared = Counter(word for one in words for word in one)
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < min(_LINES, len(sentences)):
        left = [place for place in range(len(sentences)) if place not in chosen]
        best = max(
            left, key=lambda place: (sum(map(shared.__getitem__, words[place] - covered)) / math.sqrt(5 + len(words[place])), -place)
        )
        if not words[best] - covered:
            break
        chosen.append(best)
        covered |= words[best]
    return [sentences[place] for place in sorted(chosen)]
