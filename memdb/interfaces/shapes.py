"""What the HTTP server takes and gives: the bodies of its requests and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, ClassVar, Literal, Self, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictInt,
    ValidationError,
    model_validator,
)

from memdb import Fact, Hit, Hits, Item, Memory, Message, NewFact, NotFoundError, Verdict
from memdb.answers import Filters
from memdb.records import BreakTrigger, Category, MemoryType, Relation, Source, Status, TaskState, Tier
from memdb.times import to_utc

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _written(value: object) -> object:
    """A time is written out: a number would be taken for seconds since 1970."""
    if value is None or isinstance(value, datetime) or (isinstance(value, str) and _DATE.match(value)):
        return value
    raise ValueError("write a time like 2025-03-01T09:30:00Z")


Type = Literal["location", "preference", "identity", "constraint"]
_CATEGORIES: dict[str, Category | None] = {"location": None, "preference": "soft_preference", "constraint": "hard_preference"}
_TYPES: dict[Category, Type] = {"soft_preference": "preference", "hard_preference": "constraint"}
_PLACES = frozenset({"lives_in", "staying_in", "hometown", "born_in", "address"})


def _day(value: object) -> object:
    """A day stays one, since it ends later than it begins."""
    written = _written(value)
    return date.fromisoformat(written) if isinstance(written, str) and _DATE.fullmatch(written) else written


Moment = Annotated[datetime, BeforeValidator(_written)]
Day = Annotated[datetime | date, BeforeValidator(_day)]
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
    """A body of a request; unknown fields are refused. `also` are other names that fields go by, as `Memory` or an answer calls them."""

    model_config = ConfigDict(extra="forbid")
    also: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, given: object) -> object:
        return cls.by_their_names(given) if isinstance(given, dict) else given

    @classmethod
    def by_their_names(cls, given: dict[str, T]) -> dict[str, T]:
        """Return what is given under the names of the fields."""
        return {name if (field := cls.also.get(name, name)) in given else field: value for name, value in given.items()}


class Asked(Body):
    """A question, what the user is after, and what is looked at only; what is null is no filter."""

    also = {"goal": "active_goal"}
    user_id: Name = Field(description="Whose memory.")
    query: Query = Field(description="A question, or any text.")
    active_goal: Query | None = Field(
        None, description="What the user is after: what is near it, in meaning or else in words, ranks higher; `goal` says the same."
    )
    as_of: Moment | None = Field(None, description="What was true at that time.")
    statuses: Only[Status] = Field(None, description="What is believed or pending, if null.")
    kinds: Only[str] = Field(None, description="Only these kinds, such as fact, message, episode, note, task.")
    categories: Only[Category] = Field(None, description="Only these.")
    memory_types: Only[MemoryType] = Field(None, description="Only these.")
    tags: Only[str] = Field(None, description="What bears at least one of these.")
    must: Only[str] = Field(None, description="What has each of these words and phrases among its own words.")
    since: Day | None = Field(None, description="Leave out what happened or was said before, and what was no longer so then.")
    until: Day | None = Field(None, description="Leave out what happened, was said or began to be so from then on; a day to its end.")
    participants: Only[str] = Field(None, description="What one of these people said or took part in.")
    min_age_minutes: float | None = Field(None, strict=True, ge=0, allow_inf_nan=False, description="Leave out what is younger.")
    max_age_days: float | None = Field(
        None, strict=True, ge=0, allow_inf_nan=False, description="Leave out what is older, and was not mentioned since."
    )

    def filters(self) -> Filters:
        """Return what is looked at only."""
        return Filters(
            kinds=self.kinds, categories=self.categories, memory_types=self.memory_types, tags=self.tags, must=self.must,
            since=self.since, until=self.until, participants=self.participants, min_age_minutes=self.min_age_minutes,
            max_age_days=self.max_age_days,
        )  # fmt: skip


class RetrieveIn(Asked):
    """A question, and how many hits at most."""

    K: int = Field(16, strict=True, ge=1, le=200, description="How many hits at most.")


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

    id: Name | None = Field(None, description="Not taken: the memory gives ids.")
    user_id: Name | None = Field(None, description="The user's own, if it is said.")
    embedding: list[float] | None = Field(None, max_length=10_000, description="Not taken: the memory's embedder makes vectors.")


class FactIn(Given):
    """A fact to keep: a sentence, or subject, predicate and object."""

    text: Text = Field(description="What it says, as a sentence.")
    type: Type | Category | None = Field(None, description="What it is about; counts as a tag, or as the category.")
    subject: str = Field("user", pattern=r"^[a-z0-9_]+$", max_length=100, description="The part of the key before the dot.")
    predicate: str = Field("note", pattern=r"^[a-z0-9_]+$", max_length=100, description="The part of the key after the dot.")
    object: Text | None = Field(None, description="The bare value: Lisbon. The whole text, if left out.")
    confidence_base: Share = Field(1.0, description="How sure it is.")
    intrinsic_importance: Share | None = Field(None, description="How much it counts, 0 to 1; the key's own, if left out.")
    source: Source = Field("user_message", description="Where it comes from.")
    valid_from: Moment | None = Field(None, description="Since when it is true; now, if left out.")
    valid_to: Moment | None = Field(None, description="Until when it is true; until further notice, if left out.")
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
    speaker: Name | None = Field(None, description="Who spoke.")
    confidence_base: Share = Field(1.0, description="How sure it is.")
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
            source="inferred" if self.source == "chat" else self.source, event_time=self.timestamp_start,
            valid_from=self.timestamp_end or self.timestamp_start,
        )  # fmt: skip


class NoteIn(Given):
    """An insight to keep."""

    text: Text = Field(description="What it says, as a sentence.")
    origin: Origin | None = Field("llm_reflection", description="Who drew it.")
    confidence_base: Share = Field(0.7, description="How sure it is.")
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
    confidence_base: Share = Field(1.0, description="How sure it is.")
    created_at: Moment | None = Field(None, description="Not taken.")
    updated_at: Moment | None = Field(None, description="Not taken.")
    tags: Tags = Field((), description="Words to find it and to filter by.")

    def item(self) -> Item:
        """Return it as memory takes it."""
        return Item(
            kind="task", text=self.title, confidence=self.confidence_base, tags=self.tags, event_time=self.due,
            details={"state": self.status},
        )  # fmt: skip


class WriteIn(Body):
    """What to keep of a user."""

    user_id: Name = Field(description="Whose memory.")
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


class UserIn(Body):
    """Whose memory."""

    user_id: Name = Field(description="Whose memory.")


class CompactIn(Body):
    """Whose memory, everybody's if null; and whether it is only told what would be done."""

    user_id: Name | None = Field(None, description="Whose memory; everybody's, if left out.")
    dry_run: StrictBool = Field(False, description="Only tell what would be done.")


class ObserveIn(Body):
    """A turn of a conversation: what was said, what was answered, or both."""

    user_id: Name = Field(description="Whose memory.")
    user_input: str = Field("", max_length=100_000, pattern=r"^$|\S", description="What the user said, kept word for word.")
    assistant_response: str = Field("", max_length=100_000, description="What the assistant answered, kept too.")
    turn_id: Name | None = Field(None, description="A name for the turn; the same turn again changes nothing.")
    timestamp: Moment | None = Field(None, description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    speaker: Name | None = Field(None, description="Who spoke, where that is not the user.")


class Observed(Body):
    """The id of a turn that is safely on disk."""

    turn_id: str


class LoadIn(Body):
    """Messages to take at once."""

    user_id: Name = Field(description="Whose memory.")
    messages: list[Message] = Field(max_length=10_000, description="The messages, in order.")


class Loaded(Body):
    """How many messages were new."""

    new: int


class RememberIn(Body):
    """A fact to keep."""

    user_id: Name = Field(description="Whose memory.")
    value_text: Text = Field(description="The fact as a sentence: Ana lives in Lisbon.")
    key: Key | None = Field(None, description="subject.predicate, such as user.lives_in; a free note, if left out.")
    object: Text | None = Field(None, description="The bare value: Lisbon. The whole text, if left out.")
    value_json: JsonValue = Field(None, description="Details of any shape.")
    kind: str = Field("fact", description="fact, note, task, or another row of the table kinds.")
    category: Category | None = Field(None, description="The key's own, if left out.")
    memory_type: MemoryType | None = Field(None, description="The key's own, if left out.")
    confidence: Share | None = Field(None, description="How sure it is, 0 to 1; the policy's, if left out.")
    importance: Share | None = Field(None, description="How much it counts, 0 to 1; the key's own, if left out.")
    source: Source = Field("user_message", description="Where it comes from.")
    event_time: Moment | None = Field(None, description="When what it speaks of happens.")
    valid_from: Moment | None = Field(None, description="Since when it is true; now, if left out.")
    valid_to: Moment | None = Field(None, description="Until when it is true; until further notice, if left out.")
    tags: Tags = Field((), description="Words to find it and to filter by.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    turn_id: Name | None = Field(None, description="The turn it comes from; the same fact of the same turn is kept once.")
    timestamp: Moment | None = Field(None, description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")


class NewFactIn(NewFact):
    """A fact to keep as it is."""

    user_id: Name = Field(description="Whose memory.")
    confidence: Share = Field(0.4, description="How sure it is.")
    importance: Share = Field(0.5, description="How much it counts.")


class RememberManyIn(Body):
    """Facts to keep as they are."""

    facts: list[NewFactIn] = Field(max_length=10_000, description="Facts to keep.")


class EventIn(Body):
    """Something that happened in a household."""

    user_id: Name = Field(description="Whose memory.")
    description: Text = Field(description="What happened.")
    timestamp: Moment | None = Field(None, description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")
    participants: list[Name] = Field([], max_length=50, description="Who took part.")
    location: str | None = Field(None, max_length=200, description="Where, such as kitchen.")
    importance: Share | None = Field(None, description="0 to 1; by the rules, if left out.")
    trigger: BreakTrigger | None = Field(None, description="What ends the segment with this event.")
    event_id: Name | None = Field(None, description="A name for the event; the same event again changes nothing.")


class Happened(Body):
    """The id of an event that is safely on disk."""

    event_id: str


class RecallIn(Body):
    """What first-person memories are asked for; what is null is as the settings say."""

    user_id: Name = Field(description="Whose memory.")
    query: Query = Field(description="A question, or any text.")
    participants: Only[str] = Field(None, description="Only memories that one of these people took part in.")
    memory_types: Only[MemoryType] = Field(None, description="Only these.")
    limit: int | None = Field(
        None, strict=True, ge=0, le=200, description="How many at most; the setting max_memories_per_retrieval, if left out."
    )
    max_age_days: float | None = Field(None, strict=True, ge=0, allow_inf_nan=False, description="0 is no limit.")
    min_score: float | None = Field(
        None, strict=True, allow_inf_nan=False, description="Leave out what scores less; the setting importance_threshold, if left out."
    )


class LearnIn(Body):
    """How something is done."""

    user_id: Name = Field(description="Whose memory.")
    trigger: Text = Field(description="The task it is for, in words.")
    steps: list[Text] = Field(min_length=1, max_length=100, description="What to do, in order.")
    title: Name | None = Field(None, description="A name for it; if left out, the one that it has, or the trigger.")
    importance: Share | None = Field(None, description="How much it counts, 0 to 1; the key's own, if left out.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    turn_id: Name | None = Field(None, description="The turn it comes from.")
    timestamp: Moment | None = Field(None, description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")


class ProceduresIn(Body):
    """What is to be done."""

    user_id: Name = Field(description="Whose memory.")
    task: Query = Field(description="What is to be done, in words.")
    limit: int = Field(5, strict=True, ge=1, le=200, description="How many at most.")


class OutcomeIn(Body):
    """How a procedure went; the same turn's outcome counts once."""

    fact_id: Name = Field(description="The id of the fact.")
    succeeded: StrictBool = Field(description="Whether it went well.")
    note: str = Field("", max_length=20_000, description="What there is to say about it.")
    turn_id: Name | None = Field(None, description="The turn it comes from.")
    timestamp: Moment | None = Field(None, description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")


class FeedbackIn(Body):
    """Whether a fact was right for a question."""

    user_id: Name = Field(description="Whose memory.")
    query: str = Field(max_length=20_000, pattern=r"\S", description="The question.")
    fact_id: Name = Field(description="The id of the fact.")
    good: StrictBool = Field(True, description="Whether it was right; false if it was wrong.")


class Noted(Body):
    """It is noted."""

    noted: Literal[True] = True


class ConsentIn(Body):
    """What a user lets be remembered from now on; what is null stays as it is."""

    user_id: Name = Field(description="Whose memory.")
    sensitive_topics: Literal["keep", "ask", "refuse"] | None = Field(
        None, description="Facts on health, religion, money and the like: keep them, ask first, or refuse them."
    )
    secrets: Literal["keep", "refuse"] | None = Field(
        None, description="Facts that hold a password, a card number and the like: keep or refuse them."
    )


class FactsIn(Body):
    """Which facts of a user."""

    user_id: Name = Field(description="Whose memory.")
    key: Key | None = Field(None, description="Only this key, such as user.lives_in.")
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

    limit: int = Field(10, strict=True, ge=1, le=200, description="How many at most.")
    tiers: Only[Tier] = Field(None, description="Of messages, episodes and memories, only those of these ages.")
    min_score: float | None = Field(None, strict=True, allow_inf_nan=False, description="Leave out what scores less.")


class RankedIn(SearchIn):
    """A question, and the weight set that ranks."""

    weights: Name | None = Field(None, description="The server's own, if null.")


class ExplainIn(RankedIn):
    """A question, and the fact that should be among so many hits."""

    fact_id: Name | None = Field(None, description="The id of the fact that should be found.")


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

    also = {"goal": "active_goal"}
    user_id: Name = Field(description="Whose memory.")
    query: Query = Field(description="What the next prompt is about.")
    max_tokens: int | None = Field(
        None, strict=True, ge=0, le=200_000, description="The budget in tokens; the setting context_max_tokens, if left out."
    )
    limit: int = Field(16, strict=True, ge=1, le=200, description="How many at most.")
    active_goal: Query | None = Field(
        None, description="What the user is after: what is near it, in meaning or else in words, ranks higher; `goal` says the same."
    )
    system: str = Field("", max_length=20_000, description="What opens the prompt.")


class FactId(Body):
    """Which fact."""

    fact_id: Name = Field(description="The id of the fact.")


def none_of(user_id: str, fact_id: str) -> NotFoundError:
    """Return the error that a user has no such fact, in the same words whether another has it or nobody."""
    return NotFoundError(f"There is no fact {fact_id!r} of user {user_id!r}; list theirs with facts() or `memdb facts`.")


def owned(memory: Memory, fact_id: str, *, user_id: str) -> Fact:
    """Return a fact of a user.

    Raises:
        NotFoundError: the user has none of this id.
    """
    try:
        found = memory.fact(fact_id)
    except NotFoundError:
        raise none_of(user_id, fact_id) from None
    if found.user_id != user_id:
        raise none_of(user_id, fact_id)
    return found


class LinkIn(Body):
    """A link from a fact to another of the same user."""

    source_id: Name = Field(description="The id of the fact that the link starts from.")
    target_id: Name = Field(description="The id of the fact that it leads to.")
    relation: Relation = Field("relates-to", description="How they are related.")
    strength: Share = Field(1.0, description="How strong it is.")


class UnlinkIn(Body):
    """Which link is removed; whatever its relation, if that is null."""

    source_id: Name = Field(description="The id of the fact that the link starts from.")
    target_id: Name = Field(description="The id of the fact that it leads to.")
    relation: Relation | None = Field(None, description="Only this relation; all of them, if left out.")


class RelateIn(Body):
    """Whose rows are linked to what they are like, and of which kinds; those of the setting, if null."""

    user_id: Name = Field(description="Whose memory.")
    kinds: Only[str] = Field(None, description="Only these kinds of rows; those of the setting link_kinds, if left out.")


class LinksIn(Body):
    """Where links are followed from, how far, and over what."""

    fact_id: Name = Field(description="The id of the fact to begin with.")
    depth: int = Field(1, ge=1, le=8, description="How many steps.")
    relations: Only[Relation] = Field(None, description="Only over these.")
    statuses: Only[Status] = Field(None, description="Only over facts of these; what is believed or pending, if left out.")
    min_strength: float = Field(0.0, ge=0, le=1, description="Leave out what is weaker.")
    limit: int = Field(100, ge=1, le=1_000, description="How many at most.")


class Counted(Body):
    """How many links were made or removed."""

    links: int


class Page(Body):
    """The text of memory.md."""

    page: str


class BeginIn(Body):
    """Whose session, and its name; a new one, if null."""

    user_id: Name = Field(description="Whose memory.")
    session_id: Name | None = Field(None, description="Its name; a new one, if null.")


class EndIn(Body):
    """Which session ends."""

    user_id: Name = Field(description="Whose memory.")
    session_id: Name = Field(description="Its name.")


class Ended(Body):
    """A session that is over, with its account; null if nothing happened in it."""

    session_id: str
    account: Fact | None


class TaskIs(Body):
    """Where a task stands now."""

    also = {"status": "state"}
    fact_id: Name = Field(description="The id of the fact.")
    state: TaskState = Field(description="Where it stands now; `status` says the same.")


class UndoIn(Body):
    """Whose teaching is taken back: a turn's, or a session's."""

    user_id: Name = Field(description="Whose memory.")
    turn_id: Name | None = Field(None, description="The turn whose teaching is taken back.")
    session_id: Name | None = Field(None, description="The session whose teaching is taken back.")


class ForgetIn(Body):
    """What to erase: a user, or one key of a user."""

    user_id: Name = Field(description="Whose memory.")
    key: Key | None = Field(None, description="Only what was learned under this key; everything of the user, if left out.")


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
        type=_type_of(fact, predicate),
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


def _type_of(fact: Fact, predicate: str) -> Type | Category:
    """What a fact is about: as it was written down, or else by its key and its category."""
    written = fact.value_json.get("type") if isinstance(fact.value_json, dict) else None
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
