"""What the pages are asked for: the fields of their addresses and forms. A field that is left empty is no filter."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from memdb.records import Category, Status


def _none(value: object) -> object:
    """A form sends an empty text for what is left out."""
    return None if value == "" else value


Left = BeforeValidator(_none)
Text = Annotated[Annotated[str, Field(max_length=4_000)] | None, Left]
Number = Annotated[int, Field(ge=1, le=1_000_000)]


class UserAsked(BaseModel):
    """Whose memory."""

    user_id: str


class UsersAsked(BaseModel):
    """Which users."""

    contains: Text = None
    page: Number = 1


class FactsAsked(UserAsked):
    """Which facts of a user; of messages none, unless their kind is named."""

    kind: Text = None
    status: Annotated[Status | Literal["all"] | None, Left] = None
    category: Annotated[Category | None, Left] = None
    contains: Text = None
    page: Number = 1


class FactAsked(BaseModel):
    """Which fact, and which part of its history."""

    fact_id: str
    page: Number = 1


class ChangesAsked(UserAsked):
    """Which changes of a user."""

    page: Number = 1


class TurnsAsked(BaseModel):
    """Which turns; everybody's if no user is named."""

    user_id: Text = None
    status: Annotated[Literal["queued", "working", "done", "failed"] | None, Left] = None
    refused: bool = False
    page: Number = 1


class TurnAsked(UserAsked):
    """Which turn, and which part of what came of it."""

    turn_id: str
    page: Number = 1


class QuestionAsked(UserAsked):
    """A question, the weight set that ranks, another one to compare it with, and the fact that is looked for."""

    query: Annotated[str, Field(max_length=4_000)] = ""
    weights: Text = None
    against: Text = None
    fact_id: Text = None
    kind: Text = None
    status: Annotated[Status | None, Left] = None
    as_of: Text = None
    limit: Annotated[int, Field(ge=1, le=200)] = 10


class MeasuresAsked(BaseModel):
    """The weight sets that are measured."""

    weights: list[str] = []
