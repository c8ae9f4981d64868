"""Tell a pattern in the first person with a language model: the second way beside the rules of `consolidate`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from memdb import files
from memdb.config import Config
from memdb.errors import ModelOutputError
from memdb.household import named
from memdb.llm import LanguageModel, Prompt
from memdb.loose import NamesMeant, tags_kept
from memdb.narratives import Narrative, NarrativeDetail
from memdb.quoting import one_line
from memdb.records import ModelCall
from memdb.truth import what_is_untrue, whole
from memdb.unsaid import numbers_in

_LONGEST = 800  # characters


class Generalized(BaseModel):
    """The model's answer."""

    content: str = Field(json_schema_extra={"maxLength": 400})
    tags: NamesMeant = Field([], json_schema_extra={"maxItems": 6})


def generalize(
    narrative: Narrative, *, memories: Sequence[str], detail: NarrativeDetail, llm: LanguageModel, config: Config
) -> tuple[Narrative, tuple[ModelCall, ...]]:
    """Return a pattern as a model tells it, checked as any memory is, and the calls it took. Its type and importance stay.

    Raises:
        ModelError: the model cannot be reached, or never gave a pattern that is true; the rules are the way out.
    """
    system = files.instructions("consolidate", name=config.persona_name, household=config.persona_household, voice=config.persona_voice)
    when = " ".join(part for part in (detail.day_type, detail.time_of_day) if part)
    told = "\n".join(f"- {one_line(one)}" for one in memories)
    asked = files.fill("pattern", when=when, participants=named(detail.participants) or "nobody named", memories=told)
    given = [
        *memories,
        *detail.participants,
        when,
        config.persona_name,
        config.persona_household,
        *([detail.location] if detail.location else []),
    ]
    calls: list[ModelCall] = []
    wrong: str | None = None
    for _attempt in range(config.model_attempts):
        answer = llm.ask(
            Prompt(
                system=system, user=asked if wrong is None else f"{asked}\n\nYour last answer could not be kept: {wrong}. Write another."
            ),
            answer=Generalized,
            purpose="consolidate",
            temperature=config.generation_temperature,
            max_tokens=config.generation_max_tokens,
        )
        calls += answer.calls
        content = whole(answer.record.content)
        wrong = (
            "it is too long"
            if len(content) > _LONGEST
            else what_is_untrue(content, given=given, events=memories, names=detail.participants, prompt=system)
            or _counted(content, memories, people=len(detail.participants))
        )
        if wrong is None:
            tags = tags_kept(answer.record.tags) or narrative.tags
            return narrative.model_copy(update={"content": content, "tags": tags, "written_by": llm.name}), tuple(calls)
    failure = ModelOutputError(
        f"The model {llm.name} wrote no true pattern in {config.model_attempts} attempts ({wrong}); try another model."
    )
    failure.calls = tuple(calls)
    raise failure


def _counted(content: str, memories: Sequence[str], *, people: int) -> str | None:
    """A number in words that no memory has, and that is not how many `people` there are."""
    numbers = numbers_in(content) - numbers_in("\n".join(memories)) - {str(people)}
    return f"it names the number {min(numbers)}, which is in no memory" if numbers else None
