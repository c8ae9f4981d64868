"""What becomes of what a memory holds, over HTTP: tasks, decisions and outcomes, links, consent, forgetting."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends

from memdb import Consent, Fact, Forgotten, Link, Memory, Procedure, Undone
from memdb.interfaces import shapes, tiered
from memdb.interfaces.doors import Door, Doorkeeper
from memdb.interfaces.problems import StrictRoute


def router(memory: Callable[[], Memory], doorkeeper: Doorkeeper) -> APIRouter:
    """Return the endpoints of a memory that decide what becomes of what it holds."""
    made = APIRouter(tags=["writing"], route_class=StrictRoute)
    Key = Annotated[Door, Depends(doorkeeper)]

    @made.post("/memory/task")
    def task(body: shapes.TaskIs, key: Key) -> tiered.Task:
        """Say where a task stands."""
        key.fact(memory(), body.fact_id)
        return tiered.task(memory().task(body.fact_id, body.state))

    @made.post("/memory/confirm")
    def confirm(body: shapes.FactId, key: Key) -> Fact:
        """Take a fact as confirmed."""
        key.fact(memory(), body.fact_id)
        return memory().confirm(body.fact_id)

    @made.post("/memory/reject")
    def reject(body: shapes.FactId, key: Key) -> Fact:
        """Take a fact as never true."""
        key.fact(memory(), body.fact_id)
        return memory().reject(body.fact_id)

    @made.post("/memory/doubt")
    def doubt(body: shapes.FactId, key: Key) -> Fact:
        """Take a fact as uncertain."""
        key.fact(memory(), body.fact_id)
        return memory().doubt(body.fact_id)

    @made.post("/memory/undo")
    def undo(body: shapes.UndoIn, key: Key) -> Undone:
        """Take back what a turn or a session taught."""
        key.open(body.user_id)
        return memory().undo(user_id=body.user_id, turn_id=body.turn_id, session_id=body.session_id)

    @made.post("/memory/outcome")
    def outcome(body: shapes.OutcomeIn, key: Key) -> Procedure:
        """Note how a procedure went; it grows stronger or weaker."""
        key.fact(memory(), body.fact_id)
        return memory().outcome(**body.model_dump())

    @made.post("/memory/feedback")
    def feedback(body: shapes.FeedbackIn, key: Key) -> shapes.Noted:
        """Say that a fact was right for a question, or wrong."""
        key.open(body.user_id)
        memory().feedback(**body.model_dump())
        return shapes.Noted()

    @made.post("/memory/link")
    def link(body: shapes.LinkIn, key: Key) -> Link:
        """Link two facts of one user; linking them again changes the strength."""
        key.fact(memory(), body.source_id)
        key.fact(memory(), body.target_id)
        return memory().link(body.source_id, body.target_id, body.relation, strength=body.strength)

    @made.post("/memory/unlink")
    def unlink(body: shapes.UnlinkIn, key: Key) -> shapes.Counted:
        """Remove the link from a fact to another."""
        key.fact(memory(), body.source_id)
        key.fact(memory(), body.target_id)
        return shapes.Counted(links=memory().unlink(body.source_id, body.target_id, body.relation))

    @made.post("/memory/relate")
    def relate(body: shapes.RelateIn, key: Key) -> shapes.Counted:
        """Link what is new to what it is like, by words alone."""
        key.open(body.user_id)
        return shapes.Counted(links=memory().relate(body.user_id, kinds=body.kinds))

    @made.post("/memory/consent")
    def consent(body: shapes.ConsentIn, key: Key) -> Consent:
        """Note what a user lets be remembered from now on; with no choice, only tell what holds for them."""
        key.open(body.user_id)
        return memory().consent(**body.model_dump())

    @made.post("/memory/forget")
    def forget(body: shapes.ForgetIn, key: Key) -> Forgotten:
        """Erase a user, or what was learned under one key."""
        key.open(body.user_id)
        return memory().forget(body.user_id, key=body.key)

    return made
