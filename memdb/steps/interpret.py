"""Find the atomic facts in a turn with a language model: the second way beside the rules of `extract`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from pydantic import BaseModel, field_validator

from memdb import files
from memdb.errors import InputError
from memdb.keys import canonical_key, is_canonical, predicate_of, slug
from memdb.llm import LanguageModel, Prompt
from memdb.records import Candidate, ModelCall, Predicate, Turn
from memdb.times import to_utc

_LONGEST = 6_000  # characters given to the model at once


class Stated(BaseModel):
    """A fact as the model writes it down; nothing of it is believed before it is checked."""

    key: str
    value_text: str
    object: str
    excerpt: str
    confidence: float = 0.5
    explicit: bool = False
    negated: bool = False
    temporary: bool = False
    event_time: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None

    @field_validator("confidence")
    @classmethod
    def _clamped(cls, value: float) -> float:
        return min(1.0, max(0.0, value)) if value == value else 0.0  # servers do not enforce ranges


class Extraction(BaseModel):
    """The model's answer."""

    facts: list[Stated]


def interpret(
    turn: Turn, *, llm: LanguageModel, predicates: Mapping[str, Predicate], zone: tzinfo
) -> tuple[list[Candidate], tuple[ModelCall, ...]]:
    """Return the facts that a model finds in a turn, checked, and the calls it took.

    A fact whose excerpt is not in the turn, whose key is not canonical, or which says nothing is refused. Only the words of the user, or of
    the named speaker, are shown to the model. A long message is read in parts.

    Raises:
        ModelError: the model cannot be reached or gives no usable answer; the rules are the way out.
    """
    speaker = (turn.speaker or "user").strip()
    if speaker.casefold() == "assistant" or not turn.user_input.strip():
        return [], ()
    subject = "user" if speaker.casefold() == "user" or speaker == turn.user_id else slug(speaker)
    system = files.fill("extract", subject=subject, predicates=", ".join(sorted(predicates)))
    candidates: dict[tuple[str, str, bool], Candidate] = {}
    calls: list[ModelCall] = []
    for part in _parts(turn.user_input):
        user = files.fill("turn", timestamp=turn.timestamp.astimezone(zone).isoformat(), timezone=str(zone), speaker=speaker, text=part)
        answer = llm.ask(Prompt(system=system, user=user), answer=Extraction, purpose="extract")
        calls += answer.calls
        for stated in answer.record.facts:
            candidate = _checked(stated, turn, predicates, zone)
            if candidate is not None:
                candidates.setdefault((candidate.key, candidate.object.casefold(), candidate.negated), candidate)
    return list(candidates.values()), tuple(calls)


def _checked(stated: Stated, turn: Turn, predicates: Mapping[str, Predicate], zone: tzinfo) -> Candidate | None:
    excerpt = stated.excerpt.strip()
    said = stated.object.strip()
    key = stated.key.strip().lower()
    if "." in key and not is_canonical(key):
        subject, _, predicate = key.partition(".")
        try:
            key = canonical_key(subject, predicate)
        except InputError:
            return None
    usable = (
        is_canonical(key)
        and bool(excerpt)
        and excerpt in turn.user_input
        and (bool(said) or stated.negated)
        and bool(stated.value_text.strip())
    )
    if not usable:
        return None
    subject, _, predicate = key.partition(".")
    starts, ends = _time(stated.valid_from, zone), _time(stated.valid_to, zone)
    if ends is not None and ends <= (starts or turn.timestamp):
        ends = None
    return Candidate(
        key=key,
        value_text=stated.value_text.strip(),
        object=said,
        category=predicate_of(key, predicates).category,
        confidence=stated.confidence,
        excerpt=excerpt,
        value_json={"subject": subject, "predicate": predicate, "object": said},
        event_time=_time(stated.event_time, zone),
        valid_from=starts,
        valid_to=ends,
        temporary=stated.temporary and ends is not None,
        negated=stated.negated,
        explicit=stated.explicit,
    )


def _time(text: str | None, zone: tzinfo) -> datetime | None:
    try:
        return to_utc(text, zone=zone) if text else None
    except InputError:
        return None  # a time that cannot be read is no reason to lose the fact


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    while len(text) > _LONGEST:
        cut = max(text.rfind(mark, _LONGEST // 2, _LONGEST) for mark in (". ", "\n", "! ", "? ", " "))
        cut = cut + 1 if cut > 0 else _LONGEST
        parts.append(text[:cut])
        text = text[cut:]
    return [part for part in [*parts, text] if part.strip()]
