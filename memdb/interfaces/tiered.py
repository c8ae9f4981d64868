"""What `/memory/retrieve` and `/memory/write` take and give: profile, episodes, tasks and notes.

Each has the names that this API has for what a fact holds.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal, Self, cast, get_args

from pydantic import AfterValidator, BaseModel, Field, JsonValue, StrictBool, StrictInt, ValidationError, model_validator

from memdb import Fact, Hits, Item, Verdict
from memdb.interfaces.shapes import Asked, Body, Moment, Name, Share, Tags, Text, UserIn, an_example
from memdb.records import Category, Source, Status, TaskState, parts_of, state_of
from memdb.times import to_utc

Type = Literal["location", "preference", "identity", "constraint"]
_CATEGORIES: dict[str, Category | None] = {"location": None, "preference": "soft_preference", "constraint": "hard_preference"}
_TYPES: dict[Category, Type] = {"soft_preference": "preference", "hard_preference": "constraint"}
_PLACES = frozenset({"lives_in", "staying_in", "hometown", "born_in", "address"})


Turns = tuple[StrictInt | str, StrictInt | str]
"""The first and the last turn of a stretch: their ids, or numbers where whoever wrote it counts turns."""
Origin = Literal["llm_reflection", "human_feedback", "rules"]


class RetrieveIn(Asked):
    """A question, and how many hits at most."""

    model_config = an_example(user_id="ana", query="Where do I live?", active_goal="a dinner for six", K=5)

    also: ClassVar[dict[str, str]] = {**Asked.also, "limit": "K"}
    K: int = Field(16, strict=True, ge=0, le=200, description="How many hits at most; `limit` says the same.")


class ProfileFact(Body):
    """A fact: subject, predicate, object, and since when."""

    id: str
    user_id: str
    text: str
    type: Type | Category
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime | None
    status: Status
    first_seen: datetime
    last_seen: datetime
    seen_count: int
    source: str
    confidence_base: float
    intrinsic_importance: float
    tags: tuple[str, ...]


class Episode(Body):
    """A stretch of conversation: a summary, or a message word for word."""

    id: str
    user_id: str
    session_id: str | None
    turn_range: Turns | None
    summary: str
    raw_excerpt: str
    timestamp_start: datetime
    timestamp_end: datetime
    status: Status
    speaker: str | None
    source: str
    tags: tuple[str, ...]


class Note(Body):
    """An insight or a rule of thumb."""

    id: str
    user_id: str
    text: str
    origin: Origin | None
    confidence_base: float
    status: Status
    tags: tuple[str, ...]


class Task(Body):
    """A task, goal or open loop."""

    id: str
    user_id: str
    title: str
    status: TaskState
    due: datetime | None
    created_at: datetime
    updated_at: datetime
    tags: tuple[str, ...]


class Score(Body):
    """How a hit was ranked."""

    score: float
    relevance: float | None
    confidence: float | None
    tier: str | None
    parts: dict[str, float]


class Debug(Body):
    """How it came about."""

    scores: dict[str, Score]
    verdict: Verdict | None
    degraded: str | None
    elapsed_ms: float


class Retrieved(Body):
    """What bears on a question, by tier, best first in each."""

    profile: list[ProfileFact]
    episodic: list[Episode]
    tasks: list[Task]
    reflective: list[Note]
    debug: Debug

    @classmethod
    def of(cls, hits: Hits) -> Retrieved:
        """Return hits as an answer."""
        facts = [hit.fact for hit in hits]
        return cls(
            profile=[profile_fact(fact) for fact in facts if fact.kind == "fact"],
            episodic=[episode(fact) for fact in facts if fact.kind in ("message", "episode", "narrative")],
            tasks=[task(fact) for fact in facts if fact.kind == "task"],
            reflective=[note(fact) for fact in facts if fact.kind in ("note", "procedure")],
            debug=Debug(
                scores={
                    hit.fact.fact_id: Score(
                        score=hit.score, relevance=hit.relevance, confidence=hit.confidence_now, tier=hit.tier, parts=hit.parts
                    )
                    for hit in hits
                },
                verdict=hits.verdict,
                degraded=hits.degraded,
                elapsed_ms=hits.elapsed_ms,
            ),
        )


class Given(Body):
    """What an answer of the server says, too, and the memory reckons by itself: it may stand there and is not taken."""

    id: Name | None = Field(None, description="Not taken: the memory gives ids.")
    user_id: Name | None = Field(None, description="The user's own, if it is said.")
    embedding: list[float] | None = Field(None, max_length=10_000, description="Not taken: the memory's embedder makes vectors.")


class FactIn(Given):
    """A fact to keep: a sentence, or subject, predicate and object."""

    text: Text = Field(description="What it says, as a sentence.")
    type: Type | Category | None = Field(None, description="What it is about; counts as a tag, or as the category.")
    subject: str = Field("user", pattern=r"^[a-z0-9_]+$", max_length=500, description="The part of the key before the dot.")
    predicate: str = Field("note", pattern=r"^[a-z0-9_]+$", max_length=500, description="The part of the key after the dot.")
    object: Text | None = Field(
        None,
        description="The bare value: Lisbon. If left out, what stands behind the words of the key (Ana lives in Lisbon), or the whole.",
    )
    confidence_base: Share = Field(1.0, description="How sure it is, 0 to 1.")
    intrinsic_importance: Share | None = Field(None, description="How much it counts, 0 to 1; the key's own, if left out.")
    source: Source = Field("user_message", description="Where it comes from.")
    valid_from: Moment | None = Field(None, description="Since when it is true; now, if left out.")
    valid_to: Moment | None = Field(None, description="Until when it is true; until further notice, if left out.")
    status: Status | None = Field(None, description="Not taken.")
    first_seen: Moment | None = Field(None, description="Not taken.")
    last_seen: Moment | None = Field(None, description="Not taken.")
    seen_count: int | None = Field(None, strict=True, ge=0, description="Not taken.")
    tags: Tags = Field((), description="Words to find it and to filter by.")

    def item(self) -> Item:
        """Return it as memory takes it; its type counts as a tag."""
        tagged = self.type is None or self.type in self.tags or (self.type in get_args(Category) and self.type != "identity")
        return Item(
            key=f"{self.subject}.{self.predicate}", text=self.text, object=self.object, source=self.source,
            tags=self.tags if tagged else (*self.tags, str(self.type)),
            category=_CATEGORIES.get(self.type or "", cast(Category | None, self.type)), valid_from=self.valid_from, valid_to=self.valid_to,
            confidence=self.confidence_base, importance=self.intrinsic_importance,
            details={"type": self.type} if self.type in get_args(Type) else {},
        )  # fmt: skip


class EpisodeIn(Given):
    """A summary of a stretch of conversation."""

    summary: Text = Field(description="What was said, in short.")
    raw_excerpt: str = Field("", max_length=100_000, description="The words themselves.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    turn_range: Turns | None = Field(None, description="The first and the last turn.")
    timestamp_start: Moment | None = Field(None, description="When it began.")
    timestamp_end: Moment | None = Field(None, description="When it ended.")
    status: Status | None = Field(None, description="Not taken.")
    speaker: Name | None = Field(None, description="Who spoke.")
    confidence_base: Share = Field(1.0, description="How sure it is, 0 to 1.")
    source: Source | Literal["chat"] = Field("chat", description="Where it comes from.")
    tags: Tags = Field((), description="Words to find it and to filter by.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        begins, ends = self.timestamp_start, self.timestamp_end
        if begins and ends and (begins.tzinfo is None) is (ends.tzinfo is None) and to_utc(ends) < to_utc(begins):
            raise ValueError("timestamp_end is before timestamp_start")  # in whatever zone; the memory knows the user's
        first, last = self.turn_range or (0, 0)
        if isinstance(first, int) and isinstance(last, int) and last < first:
            raise ValueError("turn_range ends before it begins")
        return self

    def item(self) -> Item:
        """Return it as memory takes it."""
        times = {
            name: time.isoformat() if time else None
            for name, time in (("timestamp_start", self.timestamp_start), ("timestamp_end", self.timestamp_end))
        }
        details: dict[str, JsonValue] = {
            "raw_excerpt": self.raw_excerpt,
            "turn_range": list(self.turn_range) if self.turn_range else None,
            "speaker": self.speaker,
            **times,
        }
        return Item(
            kind="episode", text=self.summary, session_id=self.session_id, confidence=self.confidence_base, tags=self.tags, details=details,
            source="inferred" if self.source == "chat" else self.source,
        )  # fmt: skip


class NoteIn(Given):
    """An insight to keep."""

    text: Text = Field(description="What it says, as a sentence.")
    origin: Origin | None = Field("llm_reflection", description="Who drew it.")
    confidence_base: Share = Field(0.7, description="How sure it is, 0 to 1.")
    status: Status | None = Field(None, description="Not taken.")
    tags: Tags = Field((), description="Words to find it and to filter by.")

    def item(self) -> Item:
        """Return it as memory takes it."""
        return Item(
            kind="note", text=self.text, confidence=self.confidence_base, source="inferred", tags=self.tags,
            details={"origin": self.origin},
        )  # fmt: skip


class TaskIn(Given):
    """A task to keep; one of the same title is brought up to date."""

    title: Text = Field(description="What is to be done.")
    status: TaskState = Field("active", description="Where it stands.")
    due: Moment | None = Field(None, description="When it is due.")
    confidence_base: Share = Field(1.0, description="How sure it is, 0 to 1.")
    created_at: Moment | None = Field(None, description="Not taken.")
    updated_at: Moment | None = Field(None, description="Not taken.")
    tags: Tags = Field((), description="Words to find it and to filter by.")

    def item(self) -> Item:
        """Return it as memory takes it."""
        return Item(
            kind="task", text=self.title, confidence=self.confidence_base, tags=self.tags, event_time=self.due,
            details={"state": self.status},
        )  # fmt: skip


class WriteIn(UserIn):
    """What to keep of a user."""

    model_config = an_example(
        user_id="ana", facts=[{"text": "Ana likes tea", "predicate": "likes", "object": "tea"}], tasks=[{"title": "renew the passport"}]
    )

    facts: list[FactIn] = Field([], max_length=200, description="Facts to keep.")
    episodes: list[EpisodeIn] = Field([], max_length=200, description="Summaries of stretches of conversation to keep.")
    reflective: list[NoteIn] = Field([], max_length=200, description="Insights to keep.")
    tasks: list[TaskIn] = Field([], max_length=200, description="Tasks to keep.")


class RejectedOut(Body):
    """What was not kept, and why."""

    item: dict[str, JsonValue]
    reason: str


class WrittenOut(Body):
    """What was kept, by id, and what was not."""

    accepted: list[str]
    rejected: list[RejectedOut]


class VersionIn(Body):
    """Until when a fact was true; now if null."""

    fact_id: Name = Field(description="The id of the fact.")
    valid_to: Moment | None = Field(None, description="Until when it was true; now, if left out.")


class CompactIn(Body):
    """Whose memory, everybody's if null; and whether it is only told what would be done."""

    model_config = an_example(user_id="ana", dry_run=True)

    user_id: Name | None = Field(None, description="Whose memory; everybody's, if left out.")
    dry_run: StrictBool = Field(False, description="Only tell what would be done.")


def profile_fact(fact: Fact) -> ProfileFact:
    """Return a fact in the server's shape."""
    subject, _, predicate = fact.key.partition(".")
    return ProfileFact(
        id=fact.fact_id,
        user_id=fact.user_id,
        text=fact.value_text,
        type=_type_of(fact, predicate),
        subject=subject,
        predicate=predicate,
        object=fact.object,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        status=fact.status,
        first_seen=fact.created_at,
        last_seen=fact.last_mentioned_at or fact.updated_at,
        seen_count=fact.seen_count,
        source=fact.source,
        confidence_base=fact.confidence,
        intrinsic_importance=fact.importance,
        tags=fact.tags,
    )


def _type_of(fact: Fact, predicate: str) -> Type | Category:
    """What a fact is about: as it was written down, or else by its key and its category."""
    written = parts_of(fact.value_json).get("type")
    if written in get_args(Type):
        return cast(Type, written)
    return "location" if predicate in _PLACES else _TYPES.get(fact.category, fact.category)


Instant = Annotated[Moment, AfterValidator(to_utc)]


class _Told(BaseModel):
    """What the details of an episode or a narrative say of it, as far as they do."""

    turn_range: Turns | None = None
    raw_excerpt: str = ""
    timestamp_start: Instant | None = None
    timestamp_end: Instant | None = None
    segment_end: Instant | None = None
    speaker: str | None = None


def episode(fact: Fact) -> Episode:
    """Return a message, an episode or a narrative in the server's shape."""
    told = _told(fact)
    message = fact.kind == "message"
    starts = fact.valid_from if message else told.timestamp_start or fact.event_time or fact.valid_from
    ends = told.timestamp_end or told.segment_end or fact.valid_to or fact.valid_from
    return Episode(
        id=fact.fact_id,
        user_id=fact.user_id,
        session_id=fact.session_id,
        turn_range=(fact.source_turn_id, fact.source_turn_id) if message else told.turn_range,
        summary=fact.value_text,
        raw_excerpt=told.raw_excerpt or fact.source_excerpt,
        timestamp_start=starts,
        timestamp_end=max(starts, ends),
        status=fact.status,
        speaker=fact.speaker or told.speaker,
        source="chat" if message or fact.source == "inferred" else fact.source,
        tags=fact.tags,
    )


def _told(fact: Fact) -> _Told:
    try:
        return _Told.model_validate(fact.value_json)
    except ValidationError:
        return _Told()  # details of an application's own making, or none


def note(fact: Fact) -> Note:
    """Return a note in the server's shape."""
    origin = parts_of(fact.value_json).get("origin")
    return Note(
        id=fact.fact_id,
        user_id=fact.user_id,
        text=fact.value_text,
        origin=origin if origin in get_args(Origin) else None,
        confidence_base=fact.confidence,
        status=fact.status,
        tags=fact.tags,
    )


def task(fact: Fact) -> Task:
    """Return a task in the server's shape."""
    state = state_of(fact.value_json)
    return Task(
        id=fact.fact_id,
        user_id=fact.user_id,
        title=fact.value_text,
        status=state if state in ("done", "stalled") else "active",
        due=fact.event_time,
        created_at=fact.created_at,
        updated_at=fact.updated_at,
        tags=fact.tags,
    )
