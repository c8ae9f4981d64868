"""What memdb is given and keeps: frozen, typed, without behaviour of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic_core import from_json

Category = Literal["identity", "hard_preference", "soft_preference", "task_context", "health", "other"]
"""What a fact is about: the profile and the prompt show them apart."""

Status = Literal["active", "superseded", "expired", "pending_confirmation", "archived", "uncertain"]
"""Whether a fact is believed, was until another took its place or its time was over, waits for a word, is put away, or is doubted."""

Source = Literal["user_message", "assistant_message", "tool", "system", "inferred", "web_scraped"]
"""Where something comes from, which says how far it is to be believed: see `RELIABILITY`."""

MemoryType = Literal["SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT"]
"""How long something lasts, the most lasting first: its type weighs in ranking, and says how slowly it fades."""

Relation = Literal["relates-to", "contradicts", "supports", "extends"]
"""What a link says that its source does to its target."""

Emotion = Literal["neutral", "positive", "negative", "concerned", "curious"]
BreakTrigger = Literal["person_departed_home", "person_arrived_home", "time_of_day_change", "significant_event"]
PartOfDay = Literal["morning", "afternoon", "evening", "night"]
DayType = Literal["weekday", "weekend"]
Tier = Literal["hot", "warm", "cold"]
"""How old something is, by the settings `hot_days` and `warm_days`."""

TurnStatus = Literal["queued", "working", "done", "failed"]
"""How far a turn is: it waits, is being thought about, is done, or was set aside."""

TaskState = Literal["active", "done", "stalled"]
"""Where a task stands; one that nobody mentions for long has stalled."""

Tone = Literal["assert", "hedge", "avoid"]
Decision = Literal["answer", "clarify", "verify", "abstain"]
Intent = Literal["time", "number", "person", "place", "reason", "other"]
ActionType = Literal["insert", "update", "supersede", "expire", "noop", "mark_pending_confirmation"]
Operation = Literal["insert", "update", "supersede", "expire", "noop", "mark_pending_confirmation", "confirm", "reject", "archive", "undo"]


def _no_number(value: object) -> object:
    """A number is no time, though pydantic would take it for one: nobody says whether it counts seconds or milliseconds."""
    if not isinstance(value, date | str):
        raise ValueError("write a time like 2025-03-01T09:30:00+00:00")
    return value


When = Annotated[datetime | date | str, BeforeValidator(_no_number)]


def _no_truth(value: object) -> object:
    """A number: True would count as 1."""
    if isinstance(value, bool):
        raise ValueError("give a number between 0 and 1")
    return value


Share = Annotated[float, BeforeValidator(_no_truth), Field(ge=0, le=1)]
"""A number between 0 and 1."""

LIVE: tuple[Status, ...] = ("active", "pending_confirmation")
"""The statuses of a row that is believed, or may be: what is searched and shown unless something else is asked for."""

EVER: tuple[Status, ...] = ("active", "pending_confirmation", "superseded", "expired", "archived")
"""The statuses of a row that is, or once was, believed or may have been: what is searched and shown of another time."""

UNDECIDED: tuple[Status, ...] = ("pending_confirmation", "uncertain")
"""The statuses of a row that somebody has yet to confirm or reject."""

DECIDABLE: tuple[Status, ...] = ("active", *UNDECIDED)
"""The statuses of a row that can still be decided, or ended."""

RELIABILITY: dict[Source, float] = {
    "user_message": 0.95, "tool": 0.90, "system": 0.80, "inferred": 0.70, "assistant_message": 0.70, "web_scraped": 0.60,
}  # fmt: skip
"""How far a source is to be believed; the statements that rank and promote say the same."""

ROLES: dict[str, Source] = {
    "assistant": "assistant_message", "system": "system", "developer": "system", "tool": "tool", "function": "tool",
}  # fmt: skip
"""Who speaks in a chat with a language model and is no person, each with what the words are: they are kept, and no fact is made of them."""


def source_of(speaker: str) -> Source:
    """Return what the words of a speaker are: a person's, or those of a role in a chat."""
    return ROLES.get(speaker.strip().casefold(), "user_message")


def is_oneself(speaker: str | None, user_id: str) -> bool:
    """Return whether a speaker is the user: unnamed, called "user", or as the user's id says, in whatever letters ("Ana", of `ana`)."""
    return speaker is None or speaker.strip().casefold() in ("user", user_id.casefold())


class Record(BaseModel):
    """A frozen value; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Made = TypeVar("Made", bound=Record)
# What every pydantic model has, set as it stands: by name it would take twice as long, and the records themselves let nothing be set.
_set_values, _set_fields, _set_extra, _set_private = (
    vars(BaseModel)[name].__set__ for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


def made(record: type[Made], values: dict[str, object]) -> Made:
    """Return a record of values that are known to be right, every field among them: `model_construct` in a third of its time."""
    one = object.__new__(record)
    _set_values(one, values)
    _set_fields(one, _fields_of(record))
    _set_extra(one, None)
    _set_private(one, None)
    return one


@cache
def _fields_of(record: type[Record]) -> set[str]:
    """The names of its fields: one set for all records of the type, none of which can be changed."""
    return set(record.model_fields)


STATEMENT = ("subject", "predicate", "object", "polarity")
"""What a fact's `value_json` has of the statement itself; the rest are details."""


def parts_of(value: JsonValue) -> dict[str, JsonValue]:
    """Return what a `value_json` holds by name: nothing, where it is no object."""
    return value if isinstance(value, dict) else {}


def state_of(details: JsonValue) -> JsonValue:
    """Return where a task stands, by its details: "active", "done" or "stalled", or None where they do not say."""
    return parts_of(details).get("state")


def as_parts(value: JsonValue) -> dict[str, JsonValue]:
    """Return what a `value_json` holds by name: as its `value`, where it is no object."""
    return value if isinstance(value, dict) else {} if value is None else {"value": value}


def _is_negative(value: JsonValue) -> bool:
    return parts_of(value).get("polarity") == "negative"


class Fact(Record):
    """One row of memory. Times are UTC; `confidence` and `importance` lie in 0..1.

    `fact_id` is stable across replays of the same turns. `key` is canonical, `subject.predicate`; `value_json` holds the
    parts (`subject`, `predicate`, `object`) where the row has them. `source_turn_id` names the turn the row came from and
    `source_excerpt` the words it rests on. The row is true from `valid_from` until `valid_to` (exclusive; None: until further
    notice); `event_time` is when the thing it speaks of happens.
    """

    fact_id: str
    user_id: str
    kind: str
    key: str
    value_text: str
    value_json: JsonValue = None
    category: Category
    memory_type: MemoryType | None = None
    confidence: float
    importance: float
    effective_importance: float
    source: Source
    speaker: str | None = None
    event_time: datetime | None = None
    valid_from: datetime
    valid_to: datetime | None = None
    status: Status
    source_turn_id: str
    source_excerpt: str
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    embedding_id: str | None = None
    created_at: datetime
    updated_at: datetime
    last_mentioned_at: datetime | None = None
    seen_count: int
    last_accessed: datetime | None = None
    access_count: int

    @property
    def object(self) -> str:
        """What the fact says of its subject, bare ("Lisbon"), or the whole text where it has no parts."""
        said = parts_of(self.value_json).get("object")
        return said if isinstance(said, str) else self.value_text

    @property
    def denies(self) -> bool:
        """Whether the fact says that something is not so."""
        return _is_negative(self.value_json)


def by_the_clock(fact: Fact, now: datetime) -> Fact:
    """Return a fact as it stands now: what is over has expired, also where that is still to be written down."""
    over = fact.status in DECIDABLE and fact.valid_to is not None and fact.valid_to <= now
    return fact.model_copy(update={"status": "expired"}) if over else fact


FACT_COLUMNS = tuple(Fact.model_fields)
"""The columns of the table `facts` that make a fact, in the order of its fields."""

_BLANK: dict[str, Any] = dict.fromkeys(FACT_COLUMNS)
_instant = datetime.fromisoformat


def fact_of(row: Sequence[Any]) -> Fact:
    """Return the fact of a row of `facts`, given its `FACT_COLUMNS`; the table itself has checked what they hold.

    Two thirds of the time that reading it from JSON takes, and SQLite need not write any.
    """
    values = _BLANK.copy()  # a dict that is written out takes three times as long to make, with so many keys
    (values["fact_id"], values["user_id"], values["kind"], values["key"], values["value_text"], value_json, values["category"],
     values["memory_type"], values["confidence"], values["importance"], values["effective_importance"], values["source"],
     values["speaker"], event_time, valid_from, valid_to, values["status"], values["source_turn_id"], values["source_excerpt"],
     values["session_id"], tags, values["embedding_id"], created_at, updated_at, last_mentioned_at, values["seen_count"],
     last_accessed, values["access_count"]) = row  # fmt: skip
    values["value_json"] = None if value_json is None else from_json(value_json)
    values["event_time"] = event_time and _instant(event_time)
    values["valid_from"], values["valid_to"] = _instant(valid_from), valid_to and _instant(valid_to)
    values["tags"] = () if tags == "[]" else _tags(tags)
    values["created_at"], values["updated_at"] = _instant(created_at), _instant(updated_at)
    values["last_mentioned_at"] = last_mentioned_at and _instant(last_mentioned_at)
    values["last_accessed"] = last_accessed and _instant(last_accessed)
    return made(Fact, values)


def _tags(text: str) -> tuple[str, ...]:
    tags = tuple(from_json(text))
    "".join(tags)  # whatever is no text is an error here, as it is where records are checked
    return tags


_BESIDE = {"tool_calls", "tool_call_id", "function_call", "name", "refusal", "annotations", "audio"}
"""What a message of a chat with a model has beside its words, unless a person wrote it."""


def _words_of(content: object) -> object:
    """The text of a chat message's content: of parts, the texts one below the other; pictures, sounds and null say nothing here."""
    if content is None:
        return ""
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return content
    return "\n".join(str(part["text"]) for part in content if isinstance(part.get("text"), str))


Said = Annotated[str, BeforeValidator(_words_of)]
"""What was said in a message: a text, or a chat's list of parts."""


class Message(Record):
    """One message to load: who said what, when. `speaker` None means the user; a `turn_id` makes loading repeatable by name.

    Messages as language models take them will do as well: what is called `content` there is the text, and `role` who said it.
    """

    text: Said = Field(validation_alias=AliasChoices("text", "content"), description="What was said, kept word for word.")
    speaker: str | None = Field(
        default=None, validation_alias=AliasChoices("speaker", "role"), description="Who said it, where that is not the user."
    )
    timestamp: When | None = Field(default=None, description="When it was said; the present, if left out.")
    session_id: str | None = Field(default=None, description="The conversation it belongs to.")
    turn_id: str | None = Field(default=None, description="A name for it; the same message again changes nothing.")

    @model_validator(mode="before")
    @classmethod
    def _words_alone(cls, given: object) -> object:
        """Of what a model or a tool says in a chat, pass over which tools are called: nobody said it to anybody."""
        if not isinstance(given, Mapping) or not isinstance(role := given.get("role"), str) or source_of(role) == "user_message":
            return given
        return {name: value for name, value in given.items() if name not in _BESIDE}

    @property
    def says_nothing(self) -> bool:
        """Whether a model or a tool said nothing in it, as where one only calls the other. What a person leaves blank is a mistake."""
        return not self.text.strip() and self.speaker is not None and source_of(self.speaker) != "user_message"


class Note(Record):
    """What was not done with a turn as it was proposed, and why: an answer of the model, or a fact, that was refused or replaced."""

    step: Literal["extract", "gate", "arbitrate"]
    key: str | None = None
    why: str


class NewFact(Record):
    """A fact to store as it is. `timestamp` is when it was said, the present if None; a `fact_id` makes storing it twice store it once."""

    value_text: str = Field(min_length=1, description="The fact as a sentence.")
    user_id: str = Field(min_length=1, description="Whose memory.")
    key: str = Field(default="user.note", description="subject.predicate, such as user.lives_in.")
    kind: str = Field(default="fact", description="A row of the table kinds, but no message.")
    object: str | None = Field(
        default=None, description="The bare value: Lisbon. If left out, what the text says behind its key's words, or all of it."
    )
    value_json: JsonValue = Field(default=None, description="Details of any shape.")
    category: Category = Field(default="other", description="What it is about.")
    memory_type: MemoryType | None = Field(default=None, description="How long it lasts, from SIGNIFICANT to TRANSIENT.")
    confidence: Share = Field(default=0.4, description="How sure it is.")
    importance: Share = Field(default=0.5, description="How much it counts.")
    source: Source = Field(default="user_message", description="Where it comes from.")
    event_time: When | None = Field(default=None, description="When what it speaks of happens, or is due.")
    valid_from: When | None = Field(default=None, description="Since when it is true; `timestamp`, if left out.")
    valid_to: When | None = Field(default=None, description="Until when it is true; until further notice, if left out.")
    tags: tuple[str, ...] = Field(default=(), description="Words to find it and to filter by.")
    session_id: str | None = Field(default=None, description="The conversation it belongs to.")
    turn_id: str | None = Field(default=None, description="The turn it comes from.")
    timestamp: When | None = Field(default=None, description="When it was said; the present, if left out.")
    fact_id: str | None = Field(default=None, description="Its id, by which storing it twice stores it once.")


class Turn(Record):
    """A turn as it stands in the queue. `speaker` None means the user.

    `attempts` is how often it was begun, and `failures` how often an error ended that.
    """

    id: int
    turn_id: str
    user_id: str
    session_id: str | None = None
    speaker: str | None = None
    user_input: str
    assistant_response: str = ""
    timestamp: datetime
    attempts: int = 0
    failures: int = 0


class TurnRecord(Turn):
    """A turn, and what became of it: whether it is done, who read it, what failed, and what was refused or decided otherwise, and why."""

    status: TurnStatus
    received_at: datetime
    done_at: datetime | None = None
    extracted_by: str | None = None
    error: str | None = None
    notes: tuple[Note, ...] = ()


class Candidate(Record):
    """A fact that a turn may contain, before anything is decided about it.

    `confidence` (0..1) is the extractor's own estimate that the turn says this. `explicit` marks a statement of the change itself ("I
    moved to", "not any more", "actually"), which counts as a confirmation of what takes the place of something; `stated` marks what an
    application states, which counts as one by itself, and `answered` what answers a question. `negated` says that the thing is no longer,
    or not, so, and with `coming` that it will not be, though it was to; `coming` alone says that what was to end goes on. With `former`,
    `negated` says that it was so once, since `began` if that is said, which is kept as what is over where it was not believed. `because`
    is why it is said where nothing has changed: a slip "corrected", what is "asked to be forgotten" or "came to nothing". `temporary`
    facts carry a `valid_to` and do not displace a lasting one; `until` tells that the end is what is said ("until June"), not only for
    when it is said ("this week").
    `excerpt` is verbatim from the turn.
    """

    key: str
    value_text: str
    object: str
    category: Category
    confidence: float = Field(ge=0, le=1)
    excerpt: str
    value_json: JsonValue = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    began: datetime | None = None
    temporary: bool = False
    until: bool = False
    negated: bool = False
    coming: bool = False
    former: bool = False
    explicit: bool = False
    stated: bool = False
    answered: bool = False
    because: str | None = None

    @property
    def subject(self) -> str:
        """The part of the key before the dot."""
        return self.key.partition(".")[0]

    @property
    def predicate(self) -> str:
        """The part of the key after the dot."""
        return self.key.partition(".")[2]

    @property
    def denies(self) -> bool:
        """Whether the candidate says that something is not so; that it is so no longer is `negated`."""
        return not self.negated and _is_negative(self.value_json)

    @property
    def undenies(self) -> bool:
        """Whether the candidate says that it is over that something is not so."""
        return self.negated and _is_negative(self.value_json)


class Predicate(Record):
    """A row of the vocabulary: how a canonical key behaves. See the table `predicates`."""

    predicate: str
    label: str
    category: Category
    cardinality: Literal["one", "many"]
    opposite: str | None = None
    high_risk: bool = False
    memory_type: MemoryType = "OBSERVATION"
    importance: float = 0.5


class ModelCall(Record):
    """One call of a language model: what it was for, what it cost, and what came back. Times are in milliseconds."""

    purpose: str
    prompt_hash: str
    model: str
    mode: Literal["json_schema", "json_object", "text"]
    attempt: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    elapsed_ms: float
    finish_reason: str | None = None
    raw: str | None = None
    error: str | None = None


class Case(Record):
    """A candidate, and what is believed under its key and the opposite one that it may repeat, refine or contradict."""

    candidate: Candidate
    beliefs: tuple[Fact, ...]


class Consent(Record):
    """What a user lets be remembered. "ask" keeps a fact on a sensitive topic pending until it is confirmed."""

    sensitive_topics: Literal["keep", "ask", "refuse"] = "ask"
    secrets: Literal["keep", "refuse"] = "refuse"


class Kind(Record):
    """A row of the table `kinds`: under which heading of a prompt a kind stands, and how early."""

    kind: str
    injection_order: int
    section: str


class Action(Record):
    """One decision of arbitration, in mem-skill's shape (stage 2), with the candidate it decides about.

    `also` are further facts that a doubt contradicts beside its target.
    """

    type: ActionType
    key: str
    new_value_text: str | None = None
    new_value_json: JsonValue = None
    target_fact_id: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confidence_delta: float = 0.0
    reason: str
    candidate: Candidate | None = None
    also: tuple[str, ...] = ()


class Change(Record):
    """One row of the audit trail: a fact before and after, why, and because of which turn."""

    id: int
    fact_id: str
    user_id: str
    key: str
    operation: Operation
    before: Fact | None = None
    after: Fact | None = None
    reason: str
    turn_id: str
    action_hash: str
    changed_at: datetime


class Damage(Record):
    """What is wrong with a file: in which table and row, by the name that it has there, and whose that is; or in the file as a whole."""

    table: str | None = None
    row: str | None = None
    user_id: str | None = None
    fault: str


class Link(Record):
    """A link from one fact to another; `strength` lies in 0..1."""

    source_id: str
    target_id: str
    relation: Relation
    strength: float


class Procedure(Record):
    """A learned workflow: what it is for, its steps, and how it went so far. `success_rate` is None while nothing is known of that.

    One that was not learned but stated as a procedure may have no steps; its words are what it is for then.
    `confidence` begins like any fact's, rises with success and falls with failure; `score` is set where a task was asked about. One whose
    `status` is pending waits for the user's leave, and is not found until it is confirmed.
    """

    fact_id: str
    title: str
    trigger: str
    steps: tuple[str, ...]
    successes: int
    failures: int
    success_rate: float | None
    confidence: float
    status: Status
    score: float | None = None


class Item(Record):
    """Something to keep, as an application or a model states it. `confidence` (0..1) is how sure it is; `key` None keeps it by its kind."""

    text: str
    kind: str = "fact"
    key: str | None = None
    object: str | None = None
    confidence: Share = 1.0
    importance: Share | None = None
    category: Category | None = None
    source: Source = "user_message"
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    details: dict[str, JsonValue] = {}
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class ModelCard(Record):
    """What a model that a memory carries is, and how well it agrees with the original it was made from.

    `cosine` is the mean over the compared texts, `overlap` the mean share of a text's ten nearest that stay the same; `bytes` is
    the size of the files, and `files` holds the SHA-256 of each. Texts are cut after `max_tokens` tokens.
    """

    name: str
    dimension: int
    max_tokens: int = Field(gt=0)
    precision: Literal["int8", "float32"]
    source: str
    cosine: float
    overlap: float
    bytes: int
    files: dict[str, str]


class Labelled(Record):
    """A question with what should be found for it: ids of facts, or of the turns they came from. `wrong` should not be found.

    `answerable` says whether the memory holds an answer at all; None: it does if anything is relevant.
    """

    user_id: str
    query: str
    relevant: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    kinds: tuple[str, ...] | None = None
    now: datetime | None = None
    answerable: bool | None = None


class Event(Record):
    """Something that happened in a household. `trigger` ends the segment that it belongs to; `turn_id` names the turn it comes from."""

    event_id: str
    user_id: str
    description: str = Field(pattern=r"\S")
    timestamp: datetime
    participants: tuple[str, ...] = ()
    location: str | None = None
    importance: Share | None = None
    trigger: BreakTrigger | None = None
    turn_id: str | None = None


class StatedTask(Record):
    """What the `value_json` of a task that an application states may hold: details of any shape, and where it stands."""

    model_config = ConfigDict(extra="allow")

    state: TaskState | None = None
