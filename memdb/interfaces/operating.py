"""What is asked of the whole file over HTTP, and so by a key of all users only: its state, its queues, and how well it ranks."""

from collections.abc import Callable
from typing import Annotated

import fastapi
from pydantic import Field, StrictBool

from memdb import Labelled, Memory, Stats, Tuned, Vectors
from memdb.calibration import Calibration
from memdb.interfaces.problems import StrictRoute
from memdb.interfaces.shapes import Body, Moment, Name, Query

_MOST = 300  # labelled questions at once: each is asked, and whoever waits for ten thousand gives up; the command line measures more


class LabelIn(Body):
    """A question with what should be found for it: ids of facts, or of the turns they came from."""

    user_id: Name = Field(description="Whose memory.")
    query: Query = Field(description="The question.")
    relevant: tuple[str, ...] = Field((), description="What should be found.")
    wrong: tuple[str, ...] = Field((), description="What should not be found.")
    kinds: tuple[str, ...] | None = Field(None, description="Only these kinds; all, if left out.")
    now: Moment | None = Field(None, description="As if it were that time; the present, if left out.")
    answerable: StrictBool | None = Field(
        None, description="Whether the memory holds an answer; if left out, it does where anything is relevant."
    )


class LabelledIn(Body):
    """The questions to measure with, or to fit to."""

    labelled: list[LabelIn] | None = Field(None, max_length=_MOST, description="The questions; those of the feedback given, if left out.")

    def questions(self) -> list[Labelled] | None:
        """Return them as memory takes them."""
        return None if self.labelled is None else [Labelled.model_validate(one.model_dump()) for one in self.labelled]


class EvaluateIn(LabelledIn):
    """Which weight sets are measured."""

    weights: list[Name] = Field(["default"], min_length=1, max_length=8, description="The weight sets to measure, by their names.")


class TuneIn(LabelledIn):
    """Which weight set is fitted, and what the new one is called."""

    name: Name = Field(description="What the new one is called; no set that every file has.")
    base: Name | None = Field(None, description="The set to start from; the memory's own, if left out.")
    held_out: float = Field(0.3, strict=True, ge=0, lt=1, description="The share, from 0 up to 1, that is measured only.")
    seed: int = Field(
        0, strict=True, ge=0, lt=2**32, description="Which questions are kept out of the fit: another number keeps others out."
    )
    write: StrictBool = Field(True, description="Whether it is written into the file; false only tells of it.")


class WeightSets(Body):
    """Weight sets by name."""

    sets: dict[str, dict[str, Annotated[float, Field(strict=True)]]] = Field(
        description="The weight of each feature, by the name of the set."
    )


class Measured(Body):
    """The mean measures of each weight set."""

    sets: dict[str, dict[str, float]]


class Calibrated(Body):
    """How well the probabilities fitted before, if they did, and after."""

    before: Calibration | None
    after: Calibration


class Retried(Body):
    """How many turns and vectors got another chance."""

    revived: int


class DrainIn(Body):
    """How long is waited, in seconds; for longer ask again, so that nobody else has to wait."""

    timeout: float = Field(5, strict=True, ge=0, le=8, description="Seconds.")
    vectors: StrictBool = Field(True, description="Wait also for what is only to be embedded.")


class Drained(Body):
    """Whether nothing is left to do."""

    done: bool


def router(memory: Callable[[], Memory]) -> fastapi.APIRouter:
    """Return the endpoints of a memory that are about its whole file."""
    made = fastapi.APIRouter(tags=["operating"], route_class=StrictRoute)

    @made.get("/memory/stats")
    def stats() -> Stats:
        """The state of the file in numbers."""
        return memory().stats()

    @made.get("/memory/vectors")
    def vectors() -> Vectors:
        """The state of the vector index: how many vectors are made, and how many wait."""
        return memory().vectors()

    @made.get("/memory/labels")
    def labels() -> list[Labelled]:
        """The questions that feedback was given on, each with what was right and what was wrong."""
        return memory().labels()

    @made.get("/memory/weights")
    def weights() -> WeightSets:
        """Every weight set of the file."""
        return WeightSets(sets=memory().weight_sets())

    @made.post("/memory/weights")
    def set_weights(body: WeightSets) -> WeightSets:
        """Put weight sets into the file, each as a whole, and tell all there are."""
        memory().set_weights(body.sets)
        return WeightSets(sets=memory().weight_sets())

    @made.post("/memory/evaluate")
    def evaluate(body: Annotated[EvaluateIn, fastapi.Body(default_factory=EvaluateIn)]) -> Measured:
        """How well weight sets rank labelled questions by the first twenty hits: any@k, rec@k, nDCG@10, MRR, in 0..1."""
        return Measured(sets=memory().evaluate(body.questions(), weights=body.weights))

    @made.post("/memory/tune")
    def tune(body: TuneIn) -> Tuned:
        """Fit the weights of a set to labelled questions, and write them as a new set."""
        return memory().tune(
            body.name, body.questions(), base=body.base, held_out=body.held_out, seed=body.seed, write=body.write
        )  # fmt: skip

    @made.post("/memory/calibrate")
    def calibrate(body: Annotated[LabelledIn, fastapi.Body(default_factory=LabelledIn)]) -> Calibrated:
        """Fit the probability of an answer to labelled questions."""
        before, after = memory().calibrate(body.questions())
        return Calibrated(before=before, after=after)

    @made.post("/memory/drain")
    def drain(body: Annotated[DrainIn, fastapi.Body(default_factory=DrainIn)]) -> Drained:
        """Wait until everything observed so far is thought about, written and embedded."""
        return Drained(done=memory().drain(body.timeout, vectors=body.vectors))

    @made.post("/memory/retry")
    def retry() -> Retried:
        """Give turns and vectors that were set aside after failing too often another chance."""
        return Retried(revived=memory().retry())

    return made
