"""The values that memdb takes and gives: frozen, typed, without behaviour of their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Category = Literal["identity", "hard_preference", "soft_preference", "task_context", "health", "other"]
"""What a fact is about: the profile and the prompt show them apart."""

Status = Literal["active", "superseded", "expired", "pending_confirmation", "archived", "uncertain"]
"""Whether a fact is believed, was until another took its place or its time was over, waits for a word, is put away, or is doubted."""

Source = Literal["user_message", "assistant_message", "tool", "system", "inferred", "web"]
"""Where something comes from, which says how far it is to be believed: see `RELIABILITY`."""

MemoryType = Literal["SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT"]
"""How long something lasts, the most lasting first: its type weighs in ranking, and says how slowly it fades."""

Relation = Literal["relates-to", "contradicts", "supports", "extends"]
"""What a link says that its source does to its target."""

Emotion = Literal["neutral", "positive", "negative", "concerned", "curious"]
BreakTrigger = Literal["person_departed_home", "person_arrived_home", "time_of_day_change", "significant_event"]
Tier = Literal["hot", "warm", "cold"]
"""How old something is, by the settings `hot_days` and `warm_days`."""

TaskState = Literal["active", "done", "stalled"]
"""Where a task stands; one that nobody mentions for long has stalled."""

Tone = Literal["assert", "hedge", "avoid"]
Decision = Literal["answer", "clarify", "verify", "abstain"]
Intent = Literal["time", "number", "person", "place", "reason", "other"]
ActionType = Literal["insert", "update", "supersede", "expire", "noop", "mark_pending_confirmation"]
Operation = Literal["insert", "update", "supersede", "expire", "noop", "mark_pending_confirmation", "confirm", "reject", "archive", "undo"]

When = Annotated[datetime, Field(strict=True)] | Annotated[date, Field(strict=True)] | str  # a number is no time

LIVE: tuple[Status, ...] = ("active", "pending_confirmation")
"""The statuses of a row that is believed, or may be: what is searched and shown unless something else is asked for."""

EVER: tuple[Status, ...] = ("active", "pending_confirmation", "superseded", "expired", "archived")
"""The statuses of a row that is, or once was, believed or may have been: what is searched and shown of another time."""

UNDECIDED: tuple[Status, ...] = ("pending_confirmation", "uncertain")
"""The statuses of a row that somebody has yet to confirm or reject."""

RELIABILITY: dict[Source, float] = {
    "user_message": 0.95, "tool": 0.90, "system": 0.80, "inferred": 0.70, "assistant_message": 0.70, "web": 0.60,
}  # fmt: skip
"""How far a source is to be believed; the statement that ranks says the same."""


class Filters(TypedDict, total=False):
    """What a search looks at only, as `Memory.search` explains each; None is no filter."""

    kinds: Sequence[str] | None
    categories: Sequence[Category] | None
    memory_types: Sequence[MemoryType] | None
    tags: Sequence[str] | None
    participants: Sequence[str] | None
    min_age_minutes: float | None
    max_age_days: float | None


class Record(BaseModel):
    """A frozen value; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _is_negative(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("polarity") == "negative"


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
        if isinstance(self.value_json, dict) and isinstance(self.value_json.get("object"), str):
            return str(self.value_json["object"])
        return self.value_text

    @property
    def denies(self) -> bool:
        """Whether the fact says that something is not so."""
        return _is_negative(self.value_json)


class Message(Record):
    """One message to load: who said what, when. `speaker` None means the user; a `turn_id` makes loading repeatable by name."""

    text: str = Field(description="What was said, kept word for word.")
    speaker: str | None = Field(None, description="Who said it, where that is not the user.")
    timestamp: When | None = Field(None, description="When it was said; the present, if left out.")
    session_id: str | None = Field(None, description="The conversation it belongs to.")
    turn_id: str | None = Field(None, description="A name for it; the same message again changes nothing.")


class Note(Record):
    """What was not done with a turn as it was proposed, and why: an answer of the model, or a fact, that was refused or replaced."""

    step: Literal["extract", "gate", "arbitrate"]
    key: str | None = None
    why: str


class NewFact(Record):
    """A fact to store as it is. `timestamp` is when it was said, the present if None; a `fact_id` makes storing it twice store it once."""

    value_text: str = Field(min_length=1, description="The fact as a sentence.")
    user_id: str = Field(min_length=1, description="Whose memory.")
    key: str = Field("user.note", description="subject.predicate, such as user.lives_in.")
    kind: str = Field("fact", description="A row of the table kinds, but no message.")
    object: str | None = Field(None, description="The bare value: Lisbon. The whole text, if left out.")
    value_json: JsonValue = Field(None, description="Details of any shape.")
    category: Category = Field("other", description="What it is about.")
    memory_type: MemoryType | None = Field(None, description="How long it lasts, from SIGNIFICANT to TRANSIENT.")
    confidence: float = Field(0.4, ge=0, le=1, description="How sure it is.")
    importance: float = Field(0.5, ge=0, le=1, description="How much it counts.")
    source: Source = Field("user_message", description="Where it comes from.")
    event_time: When | None = Field(None, description="When what it speaks of happens.")
    valid_from: When | None = Field(None, description="Since when it is true; `timestamp`, if left out.")
    valid_to: When | None = Field(None, description="Until when it is true; until further notice, if left out.")
    tags: tuple[str, ...] = Field((), description="Words to find it and to filter by.")
    session_id: str | None = Field(None, description="The conversation it belongs to.")
    turn_id: str | None = Field(None, description="The turn it comes from.")
    timestamp: When | None = Field(None, description="When it was said; the present, if left out.")
    fact_id: str | None = Field(None, description="Its id, by which storing it twice stores it once.")


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

    status: Literal["queued", "working", "done", "failed"]
    received_at: datetime
    done_at: datetime | None = None
    extracted_by: str | None = None
    error: str | None = None
    notes: tuple[Note, ...] = ()


class Candidate(Record):
    """A fact that a turn may contain, before anything is decided about it.

    `confidence` (0..1) is the extractor's own estimate that the turn says this. `explicit` marks a statement of the change itself
    ("I moved to", "not any more", "actually"), which counts as a confirmation of what takes the place of something; `stated` marks
    what an application states, which counts as one by itself. `negated` says that the thing is no longer, or not,
    so. `because` is why it is said where nothing has changed: a slip "corrected", or what is "asked to be forgotten". `temporary` facts
    carry a `valid_to` and do not displace a lasting one. `excerpt` is verbatim from the turn.
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
    temporary: bool = False
    negated: bool = False
    explicit: bool = False
    stated: bool = False
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


class Question(Record):
    """A question as it was understood: mem-skill's stage 1, "extract entities and intent from current input".

    `terms` are the telling words and `phrases` what belongs together in it, all in lower case; `participants` are those of the people who
    speak in this memory that it names, and `meaning` is the text without their names, as it is embedded. `actor` is the one whose words
    are asked about, if it is one: a participant, "user" for "what did I say", "assistant" for "what did you suggest". `intent` is what the
    answer would be, and `times` the stretches of time that the question names. `past` says that it asks for what was; `as_of` is the
    instant that "before I moved" means, where the memory knows of that change. `mood` is the emotion that it speaks of.
    """

    text: str
    meaning: str
    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    actor: str | None = None
    intent: Intent = "other"
    times: tuple[tuple[datetime, datetime], ...] = ()
    past: bool = False
    as_of: datetime | None = None
    mood: str | None = None


class Hit(Record):
    """A fact that was found, its score, and the parts of the score.

    `parts` holds every feature as it was measured (lexical and cosine in 0..1, decay, recency, …); `weights` the weight of each in
    the set that ranked; the score is the sum of the products, times `factor`, which `contributions` gives one by one. `factor` is 1 but for
    sets that multiply relevance by confidence. `relevance` and `confidence_now` are what the set `priority` makes of the same parts,
    whichever set ranked, and None where it was not asked; `tier` is hot, warm or cold.
    """

    fact: Fact
    score: float
    parts: dict[str, float]
    weights: dict[str, float]
    factor: float = 1.0
    relevance: float | None = None
    confidence_now: float | None = None
    tier: Tier | None = None

    @property
    def priority(self) -> float | None:
        """Relevance times confidence, or None where it was not asked."""
        return None if self.relevance is None or self.confidence_now is None else self.relevance * self.confidence_now

    def bears(self, least: float) -> bool:
        """Whether it bears on the question at all: by a word, or by a meaning as near as `least`."""
        return self.parts.get("lexical", 0.0) > 0 or self.parts.get("match", 0.0) >= least

    @property
    def contributions(self) -> dict[str, float]:
        """What each feature added to the score; they sum to it."""
        return {name: weight * self.parts[name] * self.factor for name, weight in self.weights.items() if weight}


class Hits(list[Hit]):
    """The hits, best first.

    `question` is the question as it was understood. `degraded` says why the vector leg did not take part, or is None. `lexical` and
    `semantic` count the hits that each leg found, `elapsed_ms` is the time taken. `verdict` says whether to answer from them, where that
    was asked.
    """

    def __init__(
        self,
        hits: list[Hit],
        *,
        question: Question,
        degraded: str | None = None,
        lexical: int = 0,
        semantic: int = 0,
        elapsed_ms: float = 0.0,
    ) -> None:
        super().__init__(hits)
        self.question = question
        self.degraded = degraded
        self.verdict: Verdict | None = None
        self.lexical = lexical
        self.semantic = semantic
        self.elapsed_ms = elapsed_ms


class ProfileEntry(Record):
    """A value in the profile with how sure it is and since when."""

    fact_id: str
    key: str
    value: str
    text: str
    confidence: float
    status: Status
    valid_from: datetime
    valid_to: datetime | None = None
    updated_at: datetime
    last_mentioned_at: datetime | None = None


class ProfileChange(Record):
    """A recent change of mind: what was believed before, what is now, why and when."""

    key: str
    operation: Operation
    before: str | None = None
    after: str | None = None
    reason: str
    confidence: float
    changed_at: datetime


class Profile(Record):
    """What is held of a user, active and valid only, in the shape of mem-skill's stage 5.

    The first three map a key to its entries: one for a key with a single true value, several for a set ("user.likes"). The sensitive topics
    are health, and what is of no category and on another such topic ("user.income").
    """

    identity: dict[str, list[ProfileEntry]] = {}
    hard_preferences: dict[str, list[ProfileEntry]] = {}
    soft_preferences: dict[str, list[ProfileEntry]] = {}
    current_tasks: list[ProfileEntry] = []
    recent_changes: list[ProfileChange] = []
    sensitive_topics: list[ProfileEntry] = []


class Link(Record):
    """A link from one fact to another; `strength` lies in 0..1."""

    source_id: str
    target_id: str
    relation: Relation
    strength: float


class Linked(Record):
    """A fact that links lead to by the shortest way: over which facts (`path`, both ends included), and how strongly.

    `relation` is that of the last step and `outward` whether that link points towards the fact; `strength` is the product over the path.
    """

    fact: Fact
    depth: int
    relation: Relation
    outward: bool
    strength: float
    path: tuple[str, ...]


class Procedure(Record):
    """A learned workflow: what it is for, its steps, and how it went so far. `success_rate` is None while nothing is known of that.

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


class Bootstrap(Record):
    """What a session begins with.

    `page` is memory.md; `facts` are the user's live facts, tasks, notes and procedures, most important first. `offered` are changes made
    in memory.md by hand, pending until `confirm` or `reject`; `refused` are those that may not be kept, each as its key and
    the reason. `last` is the account of the session before, and `recovered` names
    sessions that a process left open when it died. `indexed` rows have a vector, `waiting` ones will get one.
    """

    user_id: str
    session_id: str
    page: str
    facts: tuple[Fact, ...] = ()
    offered: tuple[Fact, ...] = ()
    refused: tuple[str, ...] = ()
    last: Fact | None = None
    recovered: tuple[str, ...] = ()
    question: str | None = None
    indexed: int = 0
    waiting: int = 0


class Flushed(Record):
    """What a flush did: what of the working memory was kept, rows archived, likenesses linked, edits offered or refused, and where
    memory.md lies.
    """

    kept: tuple[Fact, ...] = ()
    archived: int = 0
    linked: int = 0
    offered: tuple[Fact, ...] = ()
    refused: tuple[str, ...] = ()
    page: str = ""
    lines: int = 0


class Vectors(Record):
    """The state of the vector index: how many vectors there are, wait to be made, and were set aside.

    `error` is the embedder's last failure of which something still waits or is set aside. While an embedder is being changed,
    `next_embedder` names the one to come and `gathered` counts its vectors. `collection` is the name of the collection that serves as the
    index, if one does: what it is still to be told, what it refused for good, and what failed last.
    """

    embedder: str | None
    dimension: int | None
    written: int
    waiting: int
    dead: int
    error: str | None = None
    next_embedder: str | None = None
    gathered: int = 0
    collection: str | None = None
    collection_waiting: int = 0
    collection_dead: int = 0
    collection_error: str | None = None


class ContextItem(Record):
    """One line of a prompt context. `stale` and `low_confidence` lines are the first to be dropped when tokens are short."""

    section: str
    text: str
    fact_id: str
    confidence: float
    stale: bool = False
    low_confidence: bool = False
    score: float | None = None
    tone: Tone | None = None


class Doubt(Record):
    """Something that waits for a word of the user, and what to ask.

    `fact_id` is what is pending, `against` the belief that it contradicts; where it contradicts none, it waits for leave to be remembered.
    `worth` says that it is worth a question whatever is spoken of.
    """

    fact_id: str
    against: str | None = None
    question: str
    worth: bool = False


class Verdict(Record):
    """Whether what was found is good enough to answer from, and why.

    `relevance` and `confidence` are those of the best item, as the weight set `priority` counts them; `probability` is the calibrated
    estimate that the memory holds the answer (see the weight set `calibration`). `instruction` is what the prompt says about it, and
    `question` what to ask the user where it is for them to decide.
    """

    decision: Decision
    reason: str
    relevance: float = 0.0
    confidence: float = 0.0
    probability: float | None = None
    fact_id: str | None = None
    instruction: str | None = None
    question: str | None = None


class Section(Record):
    """A row of the table `sections`: a heading of a prompt, how early it stands, its own budget, and what its lines begin with."""

    section: str
    position: int
    max_tokens: int
    bullet: str


class Context(Record):
    """Memory made ready for a prompt: `text` never exceeds `max_tokens` as counted by `tokenizer`.

    `items` are the lines that `text` holds, in its order; `dropped` those that did not fit, first dropped first. `question` is what the
    user should be asked, where a conflict of high value is pending. `degraded` says why meaning did not take part, or is None. `verdict`
    says whether to answer from it.
    """

    text: str
    tokens: int
    max_tokens: int
    tokenizer: str
    items: tuple[ContextItem, ...] = ()
    dropped: tuple[ContextItem, ...] = ()
    question: str | None = None
    degraded: str | None = None
    verdict: Verdict | None = None


class Item(Record):
    """Something to keep, as an application or a model states it. `confidence` (0..1) is how sure it is; `key` None keeps it by its kind."""

    text: str
    kind: str = "fact"
    key: str | None = None
    object: str | None = None
    confidence: float = Field(1.0, ge=0, le=1)
    importance: float | None = Field(None, ge=0, le=1)
    category: Category | None = None
    source: Source = "user_message"
    session_id: str | None = None
    tags: tuple[str, ...] = ()
    details: dict[str, JsonValue] = {}
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class Rejected(Record):
    """An item that was not kept, and why."""

    item: Item
    reason: str


class Written(Record):
    """What came of writing: the ids of the facts that stand for the items now, and the items that were not kept."""

    accepted: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()


class Forgotten(Record):
    """How much was erased, by kind of row.

    `vectors_pending` counts those still to be removed: from the file by a connection with sqlite-vec, from a collection in the background.
    """

    facts: int = 0
    messages: int = 0
    turns: int = 0
    history: int = 0
    vectors: int = 0
    vectors_pending: int = 0


class Undone(Record):
    """What taking back did: facts that stand again as before, facts ended as never true, and changes kept since others build on them.

    `untaught` are turns that nobody had thought about yet, and that will teach nothing.
    """

    restored: int = 0
    ended: int = 0
    kept: int = 0
    untaught: int = 0


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


class Stats(Record):
    """The state of a file in numbers. Latencies are in milliseconds, sizes in bytes; a rate is None while nothing was counted.

    `timezone` is the setting with which turns were last taken in, which `memdb replay` takes over.
    """

    path: str
    bytes: int
    schema_version: int
    embedder: str | None
    timezone: str | None
    users: int
    facts_by_status: dict[str, int]
    rows_by_kind: dict[str, int]
    turns_by_status: dict[str, int]
    outbox_waiting: int
    outbox_dead: int
    vectors: int
    retrievals: int
    lexical_hit_rate: float | None
    vector_hit_rate: float | None
    abstention_rate: float | None
    clarification_rate: float | None
    wrong_overwrite_rate: float | None
    pending_resolution_rate: float | None
    promotion_rate: float | None
    observer_latency_p50: float | None
    observer_latency_p95: float | None
    retrieval_latency_p50: float | None
    retrieval_latency_p95: float | None
    prompt_tokens_mean: float | None


class WeightChange(Record):
    """A weight as it is, and as it would have to be."""

    feature: str
    weight: float
    wanted: float


class Explanation(Record):
    """Why a question finds what it finds, and of a named fact: its place, what it lacks, and what would lift it.

    `weights` names the weight set that ranked. `candidates` counts what either leg found; `hits` are the first of them. `place` counts
    from 1 and is None for no candidate. `lacks` is what each feature gives to `rival` more than to the fact, in score; `changes` are
    weights each of which, changed alone, would bring the fact among the hits, or to the first place if it is among them.
    """

    question: Question
    weights: str
    degraded: str | None = None
    candidates: int
    hits: tuple[Hit, ...]
    fact: Fact | None = None
    place: int | None = None
    hit: Hit | None = None
    rival: Hit | None = None
    lacks: dict[str, float] = {}
    reason: str | None = None
    changes: tuple[WeightChange, ...] = ()


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


class Tuned(Record):
    """A fitted weight set. The qualities are means of any@10, rec@10 and nDCG@10 in 0..1; None where nothing was held out."""

    name: str
    base: str
    weights: dict[str, float]
    fitted: int
    held_out: int
    fitted_before: float
    fitted_after: float
    held_out_before: float | None
    held_out_after: float | None


class Event(Record):
    """Something that happened in a household. `trigger` ends the segment that it belongs to; `turn_id` names the turn it comes from."""

    event_id: str
    user_id: str
    description: str
    timestamp: datetime
    participants: tuple[str, ...] = ()
    location: str | None = None
    importance: float | None = Field(None, ge=0, le=1)
    trigger: BreakTrigger | None = None
    turn_id: str | None = None


class NarrativeDetail(Record):
    """What the `value_json` of a first-person memory holds.

    A memory of one segment names its events; a pattern (`pattern`) is `links`-ed to the memories it was made of. `consolidated` marks a
    memory that went into a pattern, `usual` are the events that belong to one, `said` how often each of those it tells of was told with
    which numbers ("" for the others). `written_by` is a model's name, or "rules".
    """

    emotion: Emotion = "neutral"
    participants: tuple[str, ...] = ()
    location: str | None = None
    time_of_day: Literal["morning", "afternoon", "evening", "night"]
    day_type: Literal["weekday", "weekend"] | None = None
    source_event_ids: tuple[str, ...] = ()
    segment_id: str | None = None
    segment_start: datetime
    segment_end: datetime
    consolidated: int = 0
    pattern: int = 0
    usual: tuple[str, ...] = ()
    said: tuple[dict[str, int], ...] = ()
    written_by: str


class Narrative(Record):
    """A first-person memory before it is stored."""

    content: str
    memory_type: MemoryType
    importance: float
    emotion: Emotion
    participants: tuple[str, ...]
    tags: tuple[str, ...]
    written_by: str


class Sources(Record):
    """What a first-person memory rests on: the events, and for a pattern the memories that went into it."""

    events: tuple[Event, ...]
    memories: tuple[Fact, ...]


class Maintained(Record):
    """What maintenance did.

    Of first-person memories: `nights` done, memories whose importance was reckoned anew (`processed`), and how many of them were `archived`
    as faded, `deleted` after their time in the archive, and `consolidated` into how many new or grown `patterns`. Of the rest: `episodes`
    summarised, tasks stalled, `notes` drawn, facts and notes `merged` into others that say the same, facts `promoted` to the profile, and
    what went to the archive: weak notes, old versions, and what was `compacted`. `dry_run` says that nothing was written.
    """

    nights: int = 0
    processed: int = 0
    archived: int = 0
    deleted: int = 0
    consolidated: int = 0
    patterns: int = 0
    episodes: int = 0
    tasks_stalled: int = 0
    notes: int = 0
    merged: int = 0
    promoted: int = 0
    notes_archived: int = 0
    versions_archived: int = 0
    compacted: int = 0
    dry_run: bool = False
