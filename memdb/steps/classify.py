"""Have a language model sort a memory that it did not write itself: its type and its importance."""

from __future__ import annotations

from pydantic import BaseModel, Field, field_validator

from memdb import files
from memdb.config import Config
from memdb.llm import LanguageModel, Prompt
from memdb.loose import ShareMeant, TypeMeant
from memdb.records import ModelCall


class Classified(BaseModel):
    """The model's answer: why, then what."""

    reasoning: str = Field("", json_schema_extra={"maxLength": 200})
    memory_type: TypeMeant
    importance: ShareMeant

    @field_validator("reasoning", mode="before")
    @classmethod
    def _unsaid(cls, value: object) -> object:
        return "" if value is None else value


def classify(content: str, *, llm: LanguageModel, config: Config) -> tuple[Classified, tuple[ModelCall, ...]]:
    """Return the type and the importance of a memory, and the calls it took.

    Raises:
        ModelError: the model cannot be reached or gives no usable answer.
    """
    prompt = Prompt(system=files.instructions("classify", household=config.persona_household), user=files.fill("memory", content=content))
    answer = llm.ask(prompt, answer=Classified, purpose="classify", max_tokens=config.generation_max_tokens)
    return answer.record, answer.calls
