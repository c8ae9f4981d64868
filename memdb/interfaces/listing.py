"""What a memory holds, over HTTP: facts, their history, sources and links, the turns, the profile."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response

from memdb import Fact, Linked, Listed, Memory, ModelCall, Profile, Sources, TurnRecord
from memdb.interfaces import shapes
from memdb.interfaces.doors import Door, Doorkeeper
from memdb.interfaces.problems import StrictRoute
from memdb.records import Change

Told = TypeVar("Told")


def router(memory: Callable[[], Memory], doorkeeper: Doorkeeper) -> APIRouter:
    """Return the endpoints of a memory that tell what it holds."""
    made = APIRouter(tags=["reading"], route_class=StrictRoute)
    Key = Annotated[Door, Depends(doorkeeper)]

    @made.get("/memory/facts")
    def facts(asked: Annotated[shapes.FactsIn, Query()], key: Key, request: Request, answer: Response) -> list[Fact]:
        """What is believed of a user, now or at another time; X-Total-Count says how much, and Link where a part goes on."""
        key.open(asked.user_id)
        return _part(memory().facts(**asked.model_dump()), asked, request, answer)

    @made.get("/memory/profile")
    def profile(asked: Annotated[shapes.UserIn, Query()], key: Key) -> Profile:
        """Identity, preferences, tasks, recent changes and sensitive topics."""
        key.open(asked.user_id)
        return memory().profile(asked.user_id)

    @made.get("/memory/history")
    def history(asked: Annotated[shapes.HistoryIn, Query()], key: Key, request: Request, answer: Response) -> list[Change]:
        """The audit trail, oldest first; X-Total-Count says how many changes there are, and Link where a part goes on."""
        key.open(asked.user_id)
        return _part(memory().history(**asked.model_dump()), asked, request, answer)

    @made.get("/memory/turns")
    def turns(asked: Annotated[shapes.TurnsIn, Query()], key: Key, request: Request, answer: Response) -> list[TurnRecord]:
        """The turns as they came, each with who read it, what failed, what was refused, and why; in parts as the history."""
        key.open(asked.user_id)
        return _part(memory().turns(**asked.model_dump()), asked, request, answer)

    @made.get("/memory/calls")
    def calls(asked: Annotated[shapes.CallsIn, Query()], key: Key, request: Request, answer: Response) -> list[ModelCall]:
        """The calls of the language model that were kept: what each was for, what it cost, the raw answer; in parts as the history."""
        key.open(asked.user_id)
        return _part(memory().calls(**asked.model_dump()), asked, request, answer)

    @made.get("/memory/fact")
    def fact(asked: Annotated[shapes.FactId, Query()], key: Key) -> Fact:
        """One row by its id as it is now, whatever its status."""
        key.fact(memory(), asked.fact_id)
        return memory().fact(asked.fact_id)

    @made.get("/memory/sources")
    def sources(asked: Annotated[shapes.FactId, Query()], key: Key) -> Sources:
        """What a first-person memory rests on: its events, and for a pattern the memories that went into it."""
        key.fact(memory(), asked.fact_id)
        return memory().sources(asked.fact_id)

    @made.get("/memory/links")
    def links(asked: Annotated[shapes.LinksIn, Query()], key: Key) -> list[Linked]:
        """The facts that links lead to from a fact, nearest and strongest first."""
        key.fact(memory(), asked.fact_id)
        return memory().links(**asked.model_dump())

    @made.get("/memory/page")
    def page(asked: Annotated[shapes.UserIn, Query()], key: Key) -> shapes.Page:
        """memory.md as it would be written now."""
        key.open(asked.user_id)
        return shapes.Page(page=memory().page(asked.user_id))

    return made


def _part(listed: Listed[Told], asked: shapes.ListIn, request: Request, answer: Response) -> list[Told]:
    """Say of a list how long it is, and where what follows this part of it is had."""
    answer.headers["X-Total-Count"] = str(listed.total)
    reached = asked.offset + len(listed)
    if reached < listed.total:
        answer.headers["Link"] = f'<{request.url.include_query_params(offset=reached)}>; rel="next"'
    return listed
