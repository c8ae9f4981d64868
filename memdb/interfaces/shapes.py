"""What the HTTP server takes and gives: the bodies of its requests and answers."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal, TypeVar, cast, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StrictBool, StrictInt, ValidationError

from memdb import Fact, Hit, Hits, Item, Message, NewFact, Verdict
from memdb.records import BreakTrigger, Category, Filters, MemoryType, Relation, Source, Status, TaskState, Tier

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _written(value: object) -> object:
    """A time is written out: a number would be taken for seconds since 1970."""
    if value is None or isinstance(value, datetime) or (isinstance(value, str) and _DATE.match(value)):
        return value
    raise ValueError("write a time like 2025-03-01T09:30:00Z")


_CATEGORIES: dict[str, Category | None] = {"location": None, "preference": "soft_preference", "constraint": "hard_preference"}

Moment = Annotated[datetime, BeforeValidator(_written)]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
Text = Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]
Query = Annotated[str, Field(max_length=20_000)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$", max_length=200)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Tags = Annotated[tuple[str, ...], Field(max_length=50)]
T = TypeVar("T")
Only = Annotated[list[T], Field(max_length=50)] | None
Turns = tuple[StrictInt | str, StrictInt | str]
"""The first and the last turn of a stretch: their ids, or numbers where whoever wrote it counts turns."""
Origin = Literal["llm_reflection", "human_feedback", "rules"]


class Body(BaseModel):
    """A body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Asked(Body):
    """A question, what the user is after, and what is looked at only; what is null is no filter."""

    user_id: Name
    query: Query
    active_goal: Query | None = None
    as_of: Moment | None = Field(None, description="What was true at that time.")
    statuses: Only[Status] = Field(None, description="What is believed or pending, if null.")
    kinds: Only[str] = None
    categories: Only[Category] = None
    memory_types: Only[MemoryType] = None
    tags: Only[str] = Field(None, description="What bears at least one of these.")
    participants: Only[str] = Field(None, description="What one of these people said or took part in.")
    min_age_minutes: float | None = Field(None, strict=True, ge=0, allow_inf_nan=False)
    max_age_days: float | None = Field(None, strict=True, ge=0, allow_inf_nan=False)

    def filters(self) -> Filters:
        """Return what is looked at only."""
        return Filters(
            kinds=self.kinds, categories=self.categories, memory_types=self.memory_types, tags=self.tags, participants=self.participants,
            min_age_minutes=self.min_age_minutes, max_age_days=self.max_age_days,
        )  # fmt: skip


class RetrieveIn(Asked):
    """A question, and how many hits at most."""

    K: int = Field(16, strict=True, ge=1, le=200)


class ProfileFact(Body):
    """A fact: subject, predicate, object, and since when."""

    id: str
    user_id: str
    text: str
    type: str
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime | None
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

    id: Name | None = None
    user_id: Name | None = Field(None, description="The user's own, if it is said.")
    embedding: list[float] | None = Field(None, max_length=10_000)


class FactIn(Given):
    """A fact to keep: a sentence, or subject, predicate and object."""

    text: Text
    type: Literal["location", "preference", "identity", "constraint"] | Category | None = None
    subject: Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=100)] = "user"
    predicate: Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=100)] = "note"
    object: Text | None = None
    confidence_base: Share = 1.0
    intrinsic_importance: Share | None = None
    source: Source = "user_message"
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    first_seen: Moment | None = None
    last_seen: Moment | None = None
    seen_count: int | None = Field(None, strict=True, ge=0)
    tags: Tags = ()

    def item(self) -> Item:
        """Return it as memory takes it; its type counts as a tag."""
        tagged = self.type is None or self.type in self.tags or (self.type in get_args(Category) and self.type != "identity")
        return Item(
            key=f"{self.subject}.{self.predicate}", text=self.text, object=self.object, source=self.source,
            tags=self.tags if tagged else (*self.tags, str(self.type)),
            category=_CATEGORIES.get(self.type or "", cast(Category | None, self.type)), valid_from=self.valid_from, valid_to=self.valid_to,
            confidence=self.confidence_base, importance=self.intrinsic_importance,
        )  # fmt: skip


class EpisodeIn(Given):
    """A summary of a stretch of conversation."""

    summary: Text
    raw_excerpt: str = Field("", max_length=100_000)
    session_id: Name | None = None
    turn_range: Turns | None = None
    timestamp_start: Moment | None = None
    timestamp_end: Moment | None = None
    speaker: Name | None = None
    confidence_base: Share = 1.0
    source: Source | Literal["chat"] = "chat"
    tags: Tags = ()

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
            source="inferred" if self.source == "chat" else self.source, event_time=self.timestamp_start,
            valid_from=self.timestamp_end or self.timestamp_start,
        )  # fmt: skip


class NoteIn(Given):
    """An insight to keep."""

    text: Text
    origin: Origin | None = "llm_reflection"
    confidence_base: Share = 0.7
    tags: Tags = ()

    def item(self) -> Item:
        """Return it as memory takes it."""
        return Item(
            kind="note", text=self.text, confidence=self.confidence_base, source="inferred", tags=self.tags,
            details={"origin": self.origin},
        )  # fmt: skip


class TaskIn(Given):
    """A task to keep; one of the same title is brought up to date."""

    title: Text
    status: TaskState = "active"
    due: Moment | None = None
    confidence_base: Share = 1.0
    created_at: Moment | None = None
    updated_at: Moment | None = None
    tags: Tags = ()

    def item(self) -> Item:
        """Return it as memory takes it."""
        return Item(
            kind="task", text=self.title, confidence=self.confidence_base, tags=self.tags, event_time=self.due,
            details={"state": self.status},
        )  # fmt: skip


class WriteIn(Body):
    """What to keep of a user."""

    user_id: Name
    facts: list[FactIn] = Field([], max_length=200)
    episodes: list[EpisodeIn] = Field([], max_length=200)
    reflective: list[NoteIn] = Field([], max_length=200)
    tasks: list[TaskIn] = Field([], max_length=200)


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

    fact_id: Name
    valid_to: Moment | None = None


class UserIn(Body):
    """Whose memory."""

    user_id: Name


class CompactIn(Body):
    """Whose memory, everybody's if null; and whether it is only told what would be done."""

    user_id: Name | None = None
    dry_run: StrictBool = False


class ObserveIn(Body):
    """A turn of a conversation: what was said, what was answered, or both."""

    user_id: Name
    user_input: str = Field("", max_length=100_000, pattern=r"^$|\S")
    assistant_response: str = Field("", max_length=100_000)
    turn_id: Name | None = None
    timestamp: Moment | None = None
    session_id: Name | None = None
    speaker: Name | None = None


class Observed(Body):
    """The id of a turn that is safely on disk."""

    turn_id: str


class LoadIn(Body):
    """Messages to take at once."""

    user_id: Name
    messages: list[Message] = Field(max_length=10_000)


class Loaded(Body):
    """How many messages were new."""

    new: int


class RememberIn(Body):
    """A fact to keep."""

    user_id: Name
    value_text: Text = Field(description="The fact as a sentence: Ana lives in Lisbon.")
    key: Key | None = Field(None, description="subject.predicate, such as user.lives_in; a free note, if left out.")
    object: Text | None = Field(None, description="The bare value: Lisbon. The whole text, if left out.")
    value_json: JsonValue = Field(None, description="Details of any shape.")
    kind: str = Field("fact", description="fact, note, task, or another row of the table kinds.")
    category: Category | None = Field(None, description="The key's own, if left out.")
    memory_type: MemoryType | None = Field(None, description="The key's own, if left out.")
    confidence: Share | None = Field(None, description="How sure it is, 0 to 1; the policy's, if left out.")
    importance: Share | None = None
    source: Source = Field("user_message", description="Where it comes from.")
    event_time: Moment | None = Field(None, description="When what it speaks of happens.")
    valid_from: Moment | None = Field(None, description="Since when it is true; now, if left out.")
    valid_to: Moment | None = Field(None, description="Until when it is true; until further notice, if left out.")
    tags: Tags = Field((), description="Words to find it and to filter by.")
    session_id: Name | None = None
    turn_id: Name | None = Field(None, description="The turn it comes from; the same fact of the same turn is kept once.")
    timestamp: Moment | None = None


class NewFactIn(NewFact):
    """A fact to keep as it is."""

    user_id: Name
    confidence: Share = 0.4
    importance: Share = 0.5


class RememberManyIn(Body):
    """Facts to keep as they are."""

    facts: list[NewFactIn] = Field(max_length=10_000)


class EventIn(Body):
    """Something that happened in a household."""

    user_id: Name
    description: Text
    timestamp: Moment | None = None
    participants: list[Name] = Field([], max_length=50)
    location: Annotated[str, Field(max_length=200)] | None = None
    importance: Share | None = None
    trigger: BreakTrigger | None = None
    event_id: Name | None = None


class Happened(Body):
    """The id of an event that is safely on disk."""

    event_id: str


class RecallIn(Body):
    """What first-person memories are asked for; what is null is as the settings say."""

    user_id: Name
    query: Query
    participants: Only[str] = None
    memory_types: Only[MemoryType] = None
    limit: int | None = Field(None, strict=True, ge=0, le=200)
    max_age_days: float | None = Field(None, strict=True, ge=0, allow_inf_nan=False, description="0 is no limit.")
    min_score: float | None = Field(None, strict=True, allow_inf_nan=False)


class LearnIn(Body):
    """How something is done."""

    user_id: Name
    trigger: Text
    steps: list[Text] = Field(min_length=1, max_length=100)
    title: Name | None = None
    session_id: Name | None = None
    turn_id: Name | None = None
    timestamp: Moment | None = None


class ProceduresIn(Body):
    """What is to be done."""

    user_id: Name
    task: Query
    limit: int = Field(5, strict=True, ge=1, le=200)


class OutcomeIn(Body):
    """How a procedure went; the same turn's outcome counts once."""

    fact_id: Name
    succeeded: StrictBool
    note: str = Field("", max_length=20_000)
    turn_id: Name | None = None


class FeedbackIn(Body):
    """Whether a fact was right for a question."""

    user_id: Name
    query: Annotated[str, Field(max_length=20_000, pattern=r"\S")]
    fact_id: Name
    good: StrictBool = True


class Noted(Body):
    """It is noted."""

    noted: Literal[True] = True


class ConsentIn(Body):
    """What a user lets be remembered from now on; what is null stays as it is."""

    user_id: Name
    sensitive_topics: Literal["keep", "ask", "refuse"] | None = None
    secrets: Literal["keep", "refuse"] | None = None


class FactsIn(Body):
    """Which facts of a user."""

    user_id: Name = Field(description="Whose memory.")
    key: Key | None = None
    statuses: Only[Status] = Field(None, description="What is believed or pending, if left out; with as_of, what was true then.")
    kinds: Only[str] = Field(None, description="All but messages, if left out.")
    as_of: Moment | None = Field(None, description="What was true at that time.")


class HistoryIn(Body):
    """Which changes."""

    user_id: Name = Field(description="Whose memory.")
    fact_id: Name | None = Field(None, description="Only of this fact.")
    turn_id: Name | None = Field(None, description="Only because of this turn.")


class TurnsIn(Body):
    """Which turns."""

    user_id: Name = Field(description="Whose memory.")
    turn_id: Name | None = Field(None, description="Only this one.")


class SearchIn(Asked):
    """A question, and how many hits at most, of which ages and from which score on."""

    limit: int = Field(10, strict=True, ge=1, le=200)
    tiers: Only[Tier] = None
    min_score: float | None = Field(None, strict=True, allow_inf_nan=False)


class RankedIn(SearchIn):
    """A question, and the weight set that ranks."""

    weights: Name | None = Field(None, description="The server's own, if null.")


class ExplainIn(RankedIn):
    """A question, and the fact that should be among so many hits."""

    fact_id: Name | None = None


class Found(Body):
    """The hits of a question, best first."""

    hits: list[Hit]
    degraded: str | None
    elapsed_ms: float

    @classmethod
    def of(cls, hits: Hits) -> Found:
        """Return hits as an answer."""
        return cls(hits=list(hits), degraded=hits.degraded, elapsed_ms=hits.elapsed_ms)


class ContextIn(Body):
    """What the next prompt is about."""

    user_id: Name
    query: Query
    max_tokens: int | None = Field(None, strict=True, ge=0, le=200_000)
    limit: int = Field(16, strict=True, ge=1, le=200)
    active_goal: Query | None = None
    system: str = Field("", max_length=20_000)


class FactId(Body):
    """Which fact."""

    fact_id: Name


class LinkIn(Body):
    """A link from a fact to another of the same user."""

    source_id: Name
    target_id: Name
    relation: Relation = "relates-to"
    strength: Share = 1.0


class UnlinkIn(Body):
    """Which link is removed; whatever its relation, if that is null."""

    source_id: Name
    target_id: Name
    relation: Relation | None = None


class RelateIn(Body):
    """Whose rows are linked to what they are like, and of which kinds; those of the setting, if null."""

    user_id: Name
    kinds: Only[str] = None


class LinksIn(Body):
    """Where links are followed from, how far, and over what."""

    fact_id: Name
    depth: int = Field(1, ge=1, le=8, description="How many steps.")
    relations: Only[Relation] = Field(None, description="Only over these.")
    statuses: Only[Status] = Field(None, description="Only over facts of these; what is believed or pending, if left out.")
    min_strength: float = Field(0.0, ge=0, le=1, description="Leave out what is weaker.")
    limit: int = Field(100, ge=1, le=1_000)


class Counted(Body):
    """How many links were made or removed."""

    links: int


class Page(Body):
    """The text of memory.md."""

    page: str


class BeginIn(Body):
    """Whose session, and its name; a new one, if null."""

    user_id: Name
    session_id: Name | None = None


class EndIn(Body):
    """Which session ends."""

    user_id: Name
    session_id: Name


class Ended(Body):
    """A session that is over, with its account; null if nothing happened in it."""

    session_id: str
    account: Fact | None


class TaskIs(Body):
    """Where a task stands now."""

    fact_id: Name
    status: TaskState


class UndoIn(Body):
    """Whose teaching is taken back: a turn's, or a session's."""

    user_id: Name
    turn_id: Name | None = None
    session_id: Name | None = None


class ForgetIn(Body):
    """What to erase: a user, or one key of a user."""

    user_id: Name
    key: Key | None = None


class Problem(Body):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def profile_fact(fact: Fact) -> ProfileFact:
    """Return a fact in the server's shape."""
    subject, _, predicate = fact.key.partition(".")
    return ProfileFact(
        id=fact.fact_id,
        user_id=fact.user_id,
        text=fact.value_text,
        type=fact.category,
        subject=subject,
        predicate=predicate,
        object=fact.object,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        first_seen=fact.created_at,
        last_seen=fact.last_mentioned_at or fact.updated_at,
        seen_count=fact.seen_count,
        source=fact.source,
        confidence_base=fact.confidence,
        intrinsic_importance=fact.importance,
        tags=fact.tags,
    )


class _Told(BaseModel):
    """What the details of an episode or a narrative say of it, as far as they do."""

    turn_range: Turns | None = None
    raw_excerpt: str = ""
    timestamp_end: datetime | None = None
    segment_end: datetime | None = None
    speaker: str | None = None


def episode(fact: Fact) -> Episode:
    """Return a message, an episode or a narrative in the server's shape."""
    told = _told(fact)
    message = fact.kind == "message"
    return Episode(
        id=fact.fact_id,
        user_id=fact.user_id,
        session_id=fact.session_id,
        turn_range=(fact.source_turn_id, fact.source_turn_id) if message else told.turn_range,
        summary=fact.value_text,
        raw_excerpt=told.raw_excerpt or fact.source_excerpt,
        timestamp_start=fact.event_time if not message and fact.event_time else fact.valid_from,
        timestamp_end=told.timestamp_end or told.segment_end or fact.valid_to or fact.valid_from,
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
    details = fact.value_json if isinstance(fact.value_json, dict) else {}
    origin = details.get("origin")
    return Note(
        id=fact.fact_id,
        user_id=fact.user_id,
        text=fact.value_text,
        origin=origin if origin in get_args(Origin) else None,
        confidence_base=fact.confidence,
        tags=fact.tags,
    )


def task(fact: Fact) -> Task:
    """Return a task in the server's shape."""
    details = fact.value_json if isinstance(fact.value_json, dict) else {}
    state = details.get("state")
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
