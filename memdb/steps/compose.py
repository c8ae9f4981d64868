"""Tell a segment in the first person with a language model: the second way beside the rules of `narrate`."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import get_args

from pydantic import BaseModel, Field, field_validator

from memdb import files
from memdb.config import Config
from memdb.daytime import day_type, part_of_day, weekday
from memdb.errors import ModelOutputError
from memdb.household import named, participants_of, placed
from memdb.llm import LanguageModel, Prompt
from memdb.loose import NamesMeant, ShareMeant, TypeMeant, tags_kept
from memdb.names import one_each, same_name
from memdb.narratives import Narrative
from memdb.people import is_ordinary, stands_in
from memdb.records import Emotion, Event, ModelCall
from memdb.times import in_zone
from memdb.truth import what_is_untrue, whole

_LONGEST = 1_200  # characters: a memory, and no report
_SHOWN, _LEAST = 6_000, 200  # characters of all events together, and of one at least, that the model is shown
_EARLIER = 300  # characters of an earlier memory that the model is shown


class Composed(BaseModel):
    """A memory as the model writes it; nothing of it is kept before it is checked. The bounds are told to it: small models go on and on."""

    content: str = Field(json_schema_extra={"maxLength": 400})
    memory_type: TypeMeant
    importance: ShareMeant
    emotion: Emotion = "neutral"
    family_members: NamesMeant = Field([], json_schema_extra={"maxItems": 8})
    tags: NamesMeant = Field([], json_schema_extra={"maxItems": 6})

    @field_validator("emotion", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        known = value.strip().lower() if isinstance(value, str) else value
        return known if known in get_args(Emotion) else "neutral"  # a feeling with another name is no reason to ask again


def compose(
    events: Sequence[Event], *, seen_before: int, earlier: Sequence[str], llm: LanguageModel, zone: tzinfo, config: Config
) -> tuple[Narrative, tuple[ModelCall, ...]]:
    """Return the memory of a segment as a model tells it, and the calls it took.

    It is given when each event was by the household's clocks, and `earlier` memories of something like it. What it names must be in the
    events; otherwise it is told so and asked again.

    Raises:
        ModelError: the model cannot be reached, or never gave a memory that is true; the rules are the way out.
    """
    who = participants_of(events)
    happened = [event.description for event in events]
    at = [in_zone(event.timestamp, zone) for event in events]
    where, when = _where(events), _when(events[0], zone)
    asked = _asked(events, at, who=who, where=where, when=when, seen_before=seen_before, earlier=earlier)
    parts = dict.fromkeys(part_of_day(event.timestamp, zone) for event in events)
    given = [*happened, *who, *where, *when.values(), *parts, config.persona_name, config.persona_household]
    system = files.instructions("narrate", name=config.persona_name, household=config.persona_household, voice=config.persona_voice)
    calls: list[ModelCall] = []
    wrong: str | None = None
    for _attempt in range(config.model_attempts):
        answer = llm.ask(
            Prompt(
                system=system,
                user=asked if wrong is None else f"{asked}\n\nYour last memory could not be kept: {wrong}. Write another.",
            ),
            answer=Composed,
            purpose="narrate",
            temperature=config.generation_temperature,
            max_tokens=config.generation_max_tokens,
        )
        calls += answer.calls
        content = whole(answer.record.content)
        too_long = "it is too long" if len(content) > _LONGEST else None
        wrong = too_long or what_is_untrue(content, given=given, events=happened, names=who, at=at, prompt=system)
        if wrong is None:
            return _narrative(answer.record, content, who, happened, config=config, written_by=llm.name), tuple(calls)
    failure = ModelOutputError(
        f"The model {llm.name} wrote no true memory in {config.model_attempts} attempts ({wrong}); try another model."
    )
    failure.calls = tuple(calls)
    raise failure


def _where(events: Sequence[Event]) -> list[str]:
    """The places of the events as they are spoken of, each once."""
    return list(dict.fromkeys(placed(event.location) for event in events if event.location))


def _when(first: Event, zone: tzinfo) -> dict[str, str]:
    """What the day and the time of the first event are called."""
    at = first.timestamp
    return {"weekday": weekday(at, zone), "time_of_day": part_of_day(at, zone), "day_type": day_type(at, zone)}


def _asked(
    events: Sequence[Event],
    at: Sequence[datetime],
    *,
    who: Sequence[str],
    where: Sequence[str],
    when: Mapping[str, str],
    seen_before: int,
    earlier: Sequence[str],
) -> str:
    """What the model is told of the segment."""
    longest = max(_LEAST, _SHOWN // len(events))
    return files.fill(
        "segment",
        **when,
        start=f"{at[0]:%Y-%m-%d %H:%M}",
        end=f"{at[-1]:%Y-%m-%d %H:%M}",
        locations=", ".join(where) or "not known",
        participants=named(who) or "nobody named",
        before="never" if not seen_before else "once" if seen_before == 1 else "several times",
        earlier=_remembered(earlier),
        events="\n".join(f"- [{then:%H:%M}] {_cut(event.description, longest)}" for event, then in zip(events, at, strict=True)),
    )


def _narrative(told: Composed, content: str, who: Sequence[str], happened: Sequence[str], *, config: Config, written_by: str) -> Narrative:
    """The memory, of what the model told."""
    return Narrative(
        content=content,
        memory_type=told.memory_type,
        importance=told.importance,
        emotion=told.emotion,
        participants=_involved(who, told.family_members, happened, persona=config.persona_name),
        tags=tags_kept(told.tags),
        written_by=written_by,
    )


def _involved(who: Sequence[str], named_by: Sequence[str], happened: Sequence[str], *, persona: str) -> tuple[str, ...]:
    """Return those of who were there whom the model names, or else all of them, and whom it names as the events do."""
    about = set(map(same_name, named_by))
    there = [name for name in who if same_name(name) in about] or who
    said = unicodedata.normalize("NFC", " ".join(" ".join(happened).split()))
    others = (stands_in(" ".join(name.split()), said) for name in named_by if name.strip())
    known = {word for name in (*who, persona) for word in same_name(name).split()}
    also = [name for name in others if name and not is_ordinary(name.split()[0]) and same_name(name) not in known]
    return tuple(sorted(one_each([*there, *also])))


def _remembered(earlier: Sequence[str]) -> str:
    return "\n".join(f"- {_cut(one, _EARLIER)}" for one in earlier) or "none"


def _cut(text: str, longest: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= longest else words[:longest] + " …"
