"""What a memory is told over HTTP: turns, facts, events and procedures, one by one or many at once, and a session's beginning and end."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends

from memdb import Bootstrap, Fact, Memory, Procedure
from memdb.interfaces import shapes
from memdb.interfaces.doors import Door, Doorkeeper
from memdb.interfaces.problems import StrictRoute


def router(memory: Callable[[], Memory], doorkeeper: Doorkeeper) -> APIRouter:
    """Return the endpoints of a memory that it is told something by."""
    made = APIRouter(tags=["writing"], route_class=StrictRoute)
    Key = Annotated[Door, Depends(doorkeeper)]

    @made.post("/memory/observe")
    def observe(body: shapes.ObserveIn, key: Key) -> shapes.Observed:
        """Take a turn of a conversation; its facts follow in the background."""
        key.open(body.user_id)
        return shapes.Observed(turn_id=memory().observe(**body.model_dump()))

    @made.post("/memory/load")
    def load(body: shapes.LoadIn, key: Key) -> shapes.Loaded:
        """Take many messages at once; loading them again adds nothing."""
        key.open(body.user_id)
        return shapes.Loaded(new=memory().load(body.messages, user_id=body.user_id))

    @made.post("/memory/remember")
    def remember(body: shapes.RememberIn, key: Key) -> Fact:
        """Keep a fact that the application states, and tell the row that stands afterwards; said again, it is confirmed."""
        key.open(body.user_id)
        return memory().remember(**body.model_dump())

    @made.post("/memory/remember_many")
    def remember_many(body: shapes.RememberManyIn, key: Key) -> shapes.Loaded:
        """Keep many facts as they are: the way in for what another system knows. One whose `fact_id` is known is left as it is."""
        for fact in body.facts:
            key.open(fact.user_id)
        return shapes.Loaded(new=memory().remember_many(body.facts))

    @made.post("/memory/event")
    def event(body: shapes.EventIn, key: Key) -> shapes.Happened:
        """Take something that happened in a household; its memory follows when its segment is over."""
        key.open(body.user_id)
        return shapes.Happened(event_id=memory().event(**body.model_dump()))

    @made.post("/memory/learn")
    def learn(body: shapes.LearnIn, key: Key) -> Procedure:
        """Remember how something is done."""
        key.open(body.user_id)
        return memory().learn(**body.model_dump())

    @made.post("/memory/session/begin")
    def begin(body: shapes.BeginIn, key: Key) -> Bootstrap:
        """Begin a session, or take one up again, and tell what is known as it begins."""
        key.open(body.user_id)
        return memory().session(body.user_id, body.session_id).bootstrap

    @made.post("/memory/session/end")
    def end(body: shapes.EndIn, key: Key) -> shapes.Ended:
        """End a session: its account and its day's are written, the profile and memory.md brought up to date."""
        key.open(body.user_id)
        with memory().session(body.user_id, body.session_id) as session:
            return shapes.Ended(session_id=body.session_id, account=session.snapshot())

    return made
