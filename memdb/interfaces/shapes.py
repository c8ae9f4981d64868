"""What the verbs of `Memory` take and give over HTTP and MCP: the bodies of requests and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    model_validator,
)

from memdb import Fact, Hit, Hits, Listed, Message, NewFact
from memdb.filters import Filters
from memdb.interfaces.owners import of_the_owner
from memdb.records import BreakTrigger, Category, MemoryType, Relation, Said, Source, Status, TaskState, Tier, TurnStatus

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_DAY = len("2025-03-01T")
_UNESCAPED = re.compile(r"\d \d\d:?\d\d")  # the zone of a time in an address, where a plus is a space


def _written(value: object) -> object:
    """A time is written out: a number would be taken for seconds since 1970."""
    if isinstance(value, str) and _DATE.match(value) and _UNESCAPED.search(value, _DAY):
        raise ValueError("write a time like 2025-03-01T09:30:00Z; in an address, the + before a zone is written %2B")
    if value is None or isinstance(value, datetime) or (isinstance(value, str) and _DATE.match(value)):
        return value
    raise ValueError("write a time like 2025-03-01T09:30:00Z")


def _day(value: object) -> object:
    """A day stays one, since it ends later than it begins."""
    written = _written(value)
    try:
        return date.fromisoformat(written) if isinstance(written, str) and _DATE.fullmatch(written) else written
    except ValueError as error:
        raise ValueError(f"write a day like 2025-03-01 ({error})") from error


Moment = Annotated[datetime, BeforeValidator(_written)]
Day = Annotated[datetime | date, BeforeValidator(_day)]
At = Annotated[Moment | None, Field(description="When it was, such as 2025-03-01T09:30:00Z; now, if left out.")]
_LONGEST = 100_000  # characters of a text
_LONGEST_NAME = 1_000  # of a name, such as an address or a path: so long, several stand in an address however they are escaped
Text = Annotated[str, Field(min_length=1, max_length=_LONGEST, pattern=r"\S")]
Name = Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME, pattern=r"\S")]
# an empty name is one that is left out, as it is to `Memory`
NameIfAny = Annotated[Annotated[str, Field(max_length=_LONGEST_NAME, pattern=r"^$|\S")] | None, AfterValidator(lambda name: name or None)]
Query = Annotated[str, Field(max_length=20_000)]
Key = Annotated[str, Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$", max_length=_LONGEST_NAME)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Tags = Annotated[tuple[str, ...], Field(max_length=50)]
T = TypeVar("T")
Only = Annotated[list[T], Field(max_length=50)] | None


def an_example(**body: JsonValue) -> ConfigDict:
    """Return the settings of a body that is described with an example, which can be sent as it stands."""
    return ConfigDict(json_schema_extra={"examples": [body]})


class Body(BaseModel):
    """A body of a request; unknown fields are refused. `also` are other names that fields go by, as `Memory` or an answer calls them."""

    model_config = ConfigDict(extra="forbid")
    also: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, given: object) -> object:
        return cls.by_their_names(given) if isinstance(given, dict) else given

    @model_validator(mode="before")
    @classmethod
    def _owned(cls, given: object) -> object:
        return of_the_owner(given) if "user_id" in cls.model_fields else given

    @classmethod
    def by_their_names(cls, given: dict[str, T]) -> dict[str, T]:
        """Return what is given under the names of the fields."""
        return {name if (field := cls.also.get(name, name)) in given else field: value for name, value in given.items()}


class UserIn(Body):
    """Whose memory."""

    user_id: Name = Field(description="Whose memory.")


class Narrowed(UserIn):
    """A question, what the user is after, and what is looked at only; what is null is no filter."""

    also = {"goal": "active_goal"}
    query: Query = Field(description="A question, or any text.")
    active_goal: Query | None = Field(
        None, description="What the user is after: what is near it, in meaning or else in words, ranks higher; `goal` says the same."
    )
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


class Asked(Narrowed):
    """A question of what is believed now or was at another time."""

    as_of: Moment | None = Field(None, description="What was true at that time.")
    statuses: Only[Status] = Field(
        None, description="Only these; what is believed or pending, if left out, and with as_of what was true then."
    )


class ObserveIn(UserIn):
    """A turn of a conversation: what was said, what was answered, or both."""

    model_config = an_example(
        user_id="ana", user_input="I moved to Lisbon last week.", assistant_response="How exciting!", session_id="monday"
    )

    user_input: str = Field("", max_length=_LONGEST, pattern=r"^$|\S", description="What the user said, kept word for word.")
    assistant_response: str = Field("", max_length=_LONGEST, description="What the assistant answered, kept too.")
    turn_id: NameIfAny = Field(None, description="A name for the turn; the same turn again changes nothing.")
    timestamp: At = None
    session_id: NameIfAny = Field(None, description="The conversation it belongs to.")
    speaker: NameIfAny = Field(None, description="Who spoke, where that is not the user.")


class Observed(Body):
    """The id of a turn that is safely on disk."""

    turn_id: str


class MessageIn(Message):
    """A message to load, no longer than one that is observed."""

    text: Annotated[Said, Field(max_length=_LONGEST)] = Field(
        validation_alias=AliasChoices("text", "content"), description="What was said, kept word for word."
    )


class LoadIn(UserIn):
    """Messages to take at once."""

    model_config = an_example(
        user_id="ana", messages=[{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Nice!"}]
    )

    messages: list[MessageIn] = Field(max_length=10_000, description="The messages, in order.")


class Loaded(Body):
    """How many messages were new."""

    new: int


class RememberIn(UserIn):
    """A fact to keep."""

    model_config = an_example(user_id="ana", value_text="Ana works at Bosch", key="user.works_at", object="Bosch")

    value_text: Text = Field(description="The fact as a sentence: Ana lives in Lisbon.")
    key: Key | None = Field(None, description="subject.predicate, such as user.lives_in; a task or a free note, if left out.")
    object: Text | None = Field(
        None,
        description="The bare value: Lisbon. If left out, what stands behind the words of the key (Ana lives in Lisbon), or the whole.",
    )
    value_json: JsonValue = Field(None, description="Details of any shape.")
    kind: str = Field("fact", description="fact, note, task, or another row of the table kinds.")
    category: Category | None = Field(None, description="The key's own, if left out.")
    memory_type: MemoryType | None = Field(None, description="The key's own, if left out.")
    confidence: Share | None = Field(None, description="How sure it is, 0 to 1; the policy's, if left out.")
    importance: Share | None = Field(None, description="How much it counts, 0 to 1; the key's own, if left out.")
    source: Source = Field("user_message", description="Where it comes from.")
    event_time: Moment | None = Field(None, description="When what it speaks of happens, or is due.")
    valid_from: Moment | None = Field(None, description="Since when it is true; timestamp, if left out.")
    valid_to: Moment | None = Field(None, description="Until when it is true; until further notice, if left out.")
    tags: Tags = Field((), description="Words to find it and to filter by.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    turn_id: Name | None = Field(None, description="The turn it comes from; the same fact of the same turn is kept once.")
    timestamp: At = None


class NewFactIn(NewFact):
    """A fact to keep as it is."""

    _owned = model_validator(mode="before")(of_the_owner)
    user_id: Name = Field(description="Whose memory.")
    value_text: Text = Field(description="The fact as a sentence: Ana lives in Lisbon.")
    confidence: Share = Field(0.4, description="How sure it is, 0 to 1.")
    importance: Share = Field(0.5, description="How much it counts, 0 to 1.")


class RememberManyIn(Body):
    """Facts to keep as they are."""

    facts: list[NewFactIn] = Field(max_length=10_000, description="Facts to keep.")


class EventIn(UserIn):
    """Something that happened in a household."""

    model_config = an_example(user_id="silva", description="Rui asked for warmer lights", participants=["Rui"], location="living room")

    description: Text = Field(description="What happened.")
    timestamp: At = None
    participants: list[Name] = Field([], max_length=50, description="Who took part.")
    location: str | None = Field(None, max_length=_LONGEST, description="Where, such as kitchen.")
    importance: Share | None = Field(None, description="How much it counts, 0 to 1; by the rules, if left out.")
    trigger: BreakTrigger | None = Field(None, description="What ends the segment with this event.")
    event_id: NameIfAny = Field(None, description="A name for the event; the same event again changes nothing.")


class Happened(Body):
    """The id of an event that is safely on disk."""

    event_id: str


class RecallIn(UserIn):
    """What first-person memories are asked for; what is null is as the settings say."""

    model_config = an_example(user_id="silva", query="How does Rui like the lights?")

    query: Query = Field(description="A question, or any text.")
    participants: Only[str] = Field(None, description="Only memories that one of these people took part in.")
    memory_types: Only[MemoryType] = Field(None, description="Only these.")
    limit: int | None = Field(
        None, strict=True, ge=0, le=200, description="How many at most; the setting max_memories_per_retrieval, if left out."
    )
    max_age_days: float | None = Field(
        None,
        strict=True,
        ge=0,
        allow_inf_nan=False,
        description="Leave out what is older, and was not seen since; 0 is no limit, and the setting max_age_days holds, if left out.",
    )
    min_score: float | None = Field(
        None, strict=True, allow_inf_nan=False, description="Leave out what scores less; the setting importance_threshold, if left out."
    )


class LearnIn(UserIn):
    """How something is done."""

    model_config = an_example(user_id="ana", trigger="plan a dinner", steps=["ask who comes", "propose three dishes"])

    trigger: Text = Field(description="The task it is for, in words.")
    steps: list[Text] = Field(min_length=1, max_length=100, description="What to do, in order.")
    title: Name | None = Field(None, description="A name for it; if left out, the one that it has, or the trigger.")
    importance: Share | None = Field(None, description="How much it counts, 0 to 1; what it was, if left out, and 0.6 at first.")
    session_id: Name | None = Field(None, description="The conversation it belongs to.")
    turn_id: Name | None = Field(None, description="The turn it comes from.")
    timestamp: At = None


class ProceduresIn(UserIn):
    """What is to be done."""

    model_config = an_example(user_id="ana", task="dinner for six")

    task: Query = Field(description="What is to be done, in words.")
    limit: int = Field(5, strict=True, ge=0, le=200, description="How many at most.")


class FactId(Body):
    """Which fact."""

    fact_id: Name = Field(description="The id of the fact.")


class OutcomeIn(FactId):
    """How a procedure went; the same turn's outcome counts once."""

    succeeded: StrictBool = Field(description="Whether it went well.")
    note: str = Field("", max_length=20_000, description="What there is to say about it.")
    turn_id: NameIfAny = Field(None, description="The turn it comes from.")
    timestamp: At = None


class FeedbackIn(UserIn):
    """Whether a fact was right for a question."""

    query: str = Field(max_length=20_000, pattern=r"\S", description="The question.")
    fact_id: Name = Field(description="The id of the fact.")
    good: StrictBool = Field(True, description="Whether it was right; false if it was wrong.")


class Noted(Body):
    """It is noted."""

    noted: Literal[True] = True


class ConsentIn(UserIn):
    """What a user lets be remembered from now on; what is null stays as it is."""

    model_config = an_example(user_id="ana", sensitive_topics="keep")

    sensitive_topics: Literal["keep", "ask", "refuse"] | None = Field(
        None, description="Facts on health, religion, money and the like: keep them, ask first, or refuse them."
    )
    secrets: Literal["keep", "refuse"] | None = Field(
        None, description="Facts that hold a password, a card number and the like: keep or refuse them."
    )


class ListIn(UserIn):
    """Which part of a list of what is held of a user."""

    limit: int | None = Field(None, ge=0, le=1_000_000_000, description="How many at most; all, if left out.")
    offset: int = Field(0, ge=0, le=1_000_000_000, description="How many to pass over before.")


class NewestIn(ListIn):
    """Which part of a list, and in which order."""

    newest: bool = Field(False, description="Whether the newest is the first; the oldest is, if left out.")


class FactsIn(ListIn):
    """Which facts of a user."""

    key: Key | None = Field(None, description="Only this key, such as user.lives_in.")
    statuses: Only[Status] = Field(None, description="What is believed or pending, if left out; with as_of, what was true then.")
    kinds: Only[str] = Field(None, description="All but messages, if left out.")
    as_of: Moment | None = Field(None, description="What was true at that time.")
    categories: Only[Category] = Field(None, description="Only these.")
    contains: Query | None = Field(None, description="Only what has this text in its key or its words, in upper or lower case.")
    turn_id: Name | None = Field(None, description="Only what came of this turn.")


class HistoryIn(NewestIn):
    """Which changes."""

    fact_id: Name | None = Field(None, description="Only of this fact.")
    turn_id: Name | None = Field(None, description="Only because of this turn.")


class CallsIn(NewestIn):
    """Which calls of the language model."""

    turn_id: Name | None = Field(None, description="Only those for this turn.")


class TurnsIn(NewestIn):
    """Which turns."""

    turn_id: Name | None = Field(None, description="Only this one.")
    statuses: Only[TurnStatus] = Field(None, description="Only these; all, if left out.")
    refused: bool = Field(False, description="Whether only those where something was refused, or decided otherwise.")


class Part(Body, Generic[T]):
    """Some of the things that a list has: how many it has in all, and the offset of those that follow, if any do."""

    result: list[T]
    total: int
    next_offset: int | None

    @classmethod
    def of(cls, listed: Listed[T], *, offset: int) -> Part[T]:
        """Return a part of a list as an answer."""
        reached = offset + len(listed)
        return cls(result=list(listed), total=listed.total, next_offset=reached if reached < listed.total else None)


class SearchIn(Asked):
    """A question, and how many hits at most, of which ages and from which score on."""

    model_config = an_example(user_id="ana", query="Where do I live?", kinds=["fact", "message"], limit=3)

    limit: int = Field(10, strict=True, ge=0, le=200, description="How many at most.")
    tiers: Only[Tier] = Field(None, description="Of messages, episodes and memories, only those of these ages.")
    min_score: float | None = Field(None, strict=True, allow_inf_nan=False, description="Leave out what scores less.")


class RankedIn(SearchIn):
    """A question, and the weight set that ranks."""

    weights: NameIfAny = Field(None, description="The weight set that ranks; the server's own, if left out.")


class ExplainIn(RankedIn):
    """A question, and the fact that should be among so many hits."""

    limit: int = Field(10, strict=True, ge=1, le=200, description="How many hits at most; the fact should be among them.")
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


class ContextIn(Narrowed):
    """What the next prompt is about, and what of it is looked at only."""

    model_config = an_example(user_id="ana", query="What shall I cook?", max_tokens=200)

    query: Query = Field(description="What the next prompt is about.")
    max_tokens: int | None = Field(
        None, strict=True, ge=0, le=200_000, description="The budget in tokens; the setting context_max_tokens, if left out."
    )
    limit: int = Field(16, strict=True, ge=0, le=200, description="How many at most.")
    system: str = Field("", max_length=20_000, description="What opens the prompt.")
    tiers: Only[Tier] = Field(None, description="Of messages, episodes and memories, only those of these ages.")
    min_score: float | None = Field(None, strict=True, allow_inf_nan=False, description="Leave out of what is found what scores less.")


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


class RelateIn(UserIn):
    """Whose rows are linked to what they are like, and of which kinds; those of the setting, if null."""

    kinds: Only[str] = Field(None, description="Only these kinds of rows; those of the setting link_kinds, if left out.")


class LinksIn(Body):
    """Where links are followed from, how far, and over what."""

    fact_id: Name = Field(description="The id of the fact to begin with.")
    depth: int = Field(1, ge=1, le=8, description="How many steps.")
    relations: Only[Relation] = Field(None, description="Only over these.")
    statuses: Only[Status] = Field(None, description="Only over facts of these; what is believed or pending, if left out.")
    min_strength: float = Field(0.0, ge=0, le=1, description="Leave out what is weaker.")
    limit: int = Field(100, ge=0, le=1_000, description="How many at most.")


class Counted(Body):
    """How many links were made or removed."""

    links: int


class Page(Body):
    """The text of memory.md."""

    page: str


class BeginIn(UserIn):
    """Whose session, and its name; a new one, if null."""

    model_config = an_example(user_id="ana", session_id="monday")

    session_id: Name | None = Field(None, description="Its name; a new one, if left out.")


class EndIn(UserIn):
    """Which session ends."""

    model_config = an_example(user_id="ana", session_id="monday")

    session_id: Name = Field(description="Its name.")


class Ended(Body):
    """A session that is over, with its account; null if nothing happened in it."""

    session_id: str
    account: Fact | None


class TaskIs(FactId):
    """Where a task stands now."""

    also = {"status": "state"}
    state: TaskState = Field(description="Where it stands now; `status` says the same.")


class UndoIn(UserIn):
    """Whose teaching is taken back: a turn's, or a session's."""

    turn_id: Name | None = Field(None, description="The turn whose teaching is taken back.")
    session_id: Name | None = Field(None, description="The session whose teaching is taken back.")


class ForgetIn(UserIn):
    """What to erase: a user, or one key of a user."""

    model_config = an_example(user_id="ana", key="user.lives_in")

    key: Key | None = Field(None, description="Only what was learned under this key; everything of the user, if left out.")
    everything: StrictBool = Field(False, description="True, without a key, erases everything of the user, also where no user is named.")

    @model_validator(mode="before")
    @classmethod
    def _said(cls, given: object) -> object:
        # a user that the API key stands for would be taken for named, and an empty body erase them
        if isinstance(given, dict) and not any(given.get(name) for name in ("user_id", "key", "everything")):
            raise ValueError("say what to erase: a key, such as user.lives_in, or with everything=true all that is held of the user")
        return given

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.everything and self.key is not None:
            raise ValueError("say either a key or everything=true, not both")
        return self


class Problem(Body):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
