"""The memory by its tiers over HTTP: what bears on a question, what is kept, until when it was true, and the upkeep."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Body, Depends

from memdb import Maintained, Memory
from memdb.interfaces import tiered
from memdb.interfaces.doors import Door, Doorkeeper
from memdb.interfaces.problems import StrictRoute


def router(memory: Callable[[], Memory], doorkeeper: Doorkeeper) -> APIRouter:
    """Return the endpoints of a memory that speak of tiers."""
    made = APIRouter(tags=["memory"], route_class=StrictRoute)
    Key = Annotated[Door, Depends(doorkeeper)]

    @made.post("/memory/retrieve")
    def retrieve(body: tiered.RetrieveIn, key: Key) -> tiered.Retrieved:
        """What bears on a question, by tier, with scores and a verdict."""
        key.open(body.user_id)
        hits = memory().assess(
            body.query, user_id=body.user_id, goal=body.active_goal, limit=body.K, as_of=body.as_of, statuses=body.statuses,
            **body.filters(),
        )  # fmt: skip
        return tiered.Retrieved.of(hits)

    @made.post("/memory/write")
    def write(body: tiered.WriteIn, key: Key) -> tiered.WrittenOut:
        """Keep facts, episodes, notes and tasks that are new and sure enough."""
        key.open(body.user_id)
        accepted: list[str] = []
        rejected: list[tiered.RejectedOut] = []
        items: list[tiered.FactIn | tiered.EpisodeIn | tiered.NoteIn | tiered.TaskIn] = []
        items += [*body.facts, *body.episodes, *body.reflective, *body.tasks]
        for given in items:
            if given.user_id in (None, body.user_id):
                written = memory().write([given.item()], user_id=body.user_id)
                accepted += written.accepted
                reasons = [one.reason for one in written.rejected]
            else:
                reasons = [f"it is of another user, {given.user_id!r}"]
            rejected += [tiered.RejectedOut(item=given.model_dump(mode="json", exclude_unset=True), reason=reason) for reason in reasons]
        return tiered.WrittenOut(accepted=list(dict.fromkeys(accepted)), rejected=rejected)

    @made.post("/memory/profile/version")
    def version(body: tiered.VersionIn, key: Key) -> tiered.ProfileFact:
        """Say until when a fact was true."""
        key.fact(memory(), body.fact_id)
        return tiered.profile_fact(memory().end(body.fact_id, valid_to=body.valid_to))

    @made.post("/memory/compact")
    def compact(body: Annotated[tiered.CompactIn, Body(default_factory=tiered.CompactIn)], key: Key) -> Maintained:
        """Do all the upkeep that is due, and tell how much it was: episodes, notes, promotion, fading, archiving."""
        key.open(body.user_id)
        return memory().maintain(user_id=body.user_id, dry_run=body.dry_run)

    return made
