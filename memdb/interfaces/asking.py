"""What a memory is asked over HTTP: what bears on a question, and why, ready for a prompt or not."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends

from memdb import Context, Explanation, Memory, Procedure
from memdb.interfaces import shapes
from memdb.interfaces.doors import Door, Doorkeeper
from memdb.interfaces.problems import StrictRoute


def router(memory: Callable[[], Memory], doorkeeper: Doorkeeper) -> APIRouter:
    """Return the endpoints of a memory that find what bears on something."""
    made = APIRouter(tags=["reading"], route_class=StrictRoute)
    Key = Annotated[Door, Depends(doorkeeper)]

    @made.post("/memory/search")
    def search(body: shapes.RankedIn, key: Key) -> shapes.Found:
        """What bears on a question, best first, with every part of each score."""
        key.open(body.user_id)
        hits = memory().search(
            body.query, user_id=body.user_id, goal=body.active_goal, limit=body.limit, as_of=body.as_of, statuses=body.statuses,
            tiers=body.tiers, min_score=body.min_score, weights=body.weights, judged=True, **body.filters(),
        )  # fmt: skip
        return shapes.Found.of(hits)

    @made.post("/memory/explain")
    def explain(body: shapes.ExplainIn, key: Key) -> Explanation:
        """Why a question finds what it finds; and of a fact, where it stands, why not higher, and which single weight would change that."""
        key.open(body.user_id)
        return memory().explain(
            body.query, user_id=body.user_id, fact_id=body.fact_id, goal=body.active_goal, limit=body.limit, as_of=body.as_of,
            statuses=body.statuses, tiers=body.tiers, min_score=body.min_score, weights=body.weights, **body.filters(),
        )  # fmt: skip

    @made.post("/memory/context")
    def context(body: shapes.ContextIn, key: Key) -> Context:
        """Memory made ready for a prompt, within a budget of tokens, with a verdict on it."""
        key.open(body.user_id)
        return memory().context(
            body.query, user_id=body.user_id, max_tokens=body.max_tokens, limit=body.limit, goal=body.active_goal, system=body.system,
            tiers=body.tiers, min_score=body.min_score, **body.filters(),
        )  # fmt: skip

    @made.post("/memory/recall")
    def recall(body: shapes.RecallIn, key: Key) -> shapes.Found:
        """The first-person memories that come to mind, each the stronger for it."""
        key.open(body.user_id)
        return shapes.Found.of(memory().recall(**body.model_dump()))

    @made.post("/memory/procedures")
    def procedures(body: shapes.ProceduresIn, key: Key) -> list[Procedure]:
        """How something like it was done before, and how that went."""
        key.open(body.user_id)
        return memory().procedures(body.task, user_id=body.user_id, limit=body.limit)

    return made
