"""What memdb's calls give back: frozen, typed, made of the records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, TypeVar

from pydantic import Field

from memdb.records import Damage, Decision, Event, Fact, Intent, Item, Operation, Record, Relation, Status, Tier, Tone

Listable = TypeVar("Listable")


class Question(Record):
    """A question as it was understood: mem-skill's stage 1, "extract entities and intent from current input".

    `terms` are the telling words and `phrases` what belongs together in it, all in lower case; `topics` are those terms that tell more than
    when something was, or that anything was ("what happened yesterday" has none). `participants` are those of the people who speak in this
    memory that it names, and `meaning` is the text without their names, as it is embedded. `actor` is the one whose words
    are asked about, if it is one: a participant, "user" for "what did I say", "assistant" for "what did you suggest". `intent` is what the
    answer would be, `times` the stretches of time that the question names, and `days` the same as the full-text index writes them
    ("05 May 2025", "May 2025" or "2025"), where the words of the question do not. `past` says that it asks for what was, `former`
    for what was so before and is so no longer, and `present` for what is so now, as far as its words tell; `as_of` is the instant that
    "before I moved" means, where the memory knows of that change.
    `order` says that the first or the last is wanted of what there was; `keys` are those under which what it asks for is held, if it is
    believed ("Where do I live?", `user.lives_in`), each with what its value must speak of, or None. `hypernyms` are the kinds of things
    that it asks for ("Which instruments do I play?", "instruments"), as rules/hyponyms.toml calls them; `suggestion` says that it asks
    for what is to suit who asks. `language` is that whose rules read it, and `by_beginning` says that its words are sought by how they
    begin: the index knows the forms of English words only. `said` are the rows of the messages that are wanted for their place alone
    ("What did I just tell you?"), the likeliest first. `mood` is the emotion that it speaks of.
    """

    text: str
    meaning: str
    terms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    actor: str | None = None
    intent: Intent = "other"
    times: tuple[tuple[datetime, datetime], ...] = ()
    days: tuple[str, ...] = ()
    past: bool = False
    former: bool = False
    present: bool = False
    as_of: datetime | None = None
    order: Literal["first", "last"] | None = None
    keys: tuple[tuple[str, str | None], ...] = ()
    hypernyms: tuple[str, ...] = ()
    suggestion: bool = False
    language: str = "English"
    by_beginning: bool = False
    said: tuple[int, ...] = ()
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
        """Whether it bears on the question at all: by a word, by a meaning as near as `least`, or because it is what is asked for, or tells
        of such a thing."""
        by_words = self.parts.get("lexical", 0.0) > 0 or self.parts.get("hyponym", 0.0) > 0
        return by_words or self.parts.get("match", 0.0) >= least or self.is_asked_for

    @property
    def is_asked_for(self) -> bool:
        """Whether it is held under a key that the question asks for, whatever words either has: “How old am I?”, “User is aged 32”."""
        return self.parts.get("keyed", 0.0) > 0

    @property
    def suits(self) -> bool:
        """Whether a suggestion is asked for, and it tells of a taste that is to be minded."""
        return self.parts.get("preference", 0.0) > 0

    @property
    def contributions(self) -> dict[str, float]:
        """What each feature added to the score; they sum to it."""
        return {name: weight * self.parts[name] * self.factor + 0.0 for name, weight in self.weights.items() if weight}  # + 0.0: no "-0.0"


class Listed(list[Listable]):
    """Some of the things that a list has, in its order. `total` is how many it has in all."""

    def __init__(self, things: Iterable[Listable], *, total: int) -> None:
        super().__init__(things)
        self.total = total


class Hits(list[Hit]):
    """The hits, best first.

    `question` is the question as it was understood. `embedder` is that whose vectors took part, or None by words alone, and `degraded` says
    why none did where one was to. `lexical` and `semantic` count the hits that each leg found, `elapsed_ms` is the time taken. `verdict`
    says whether to answer from them, where that was asked; and so do `unspoken`, the topics of the question that stand nowhere in the
    memory, `out_of_vocabulary`, 0 to 1, their share, which tells the more the more rows there are, and all of it from ten thousand on, and
    `unheld`: that nothing is held under the keys that a question asks for.
    """

    def __init__(
        self,
        hits: list[Hit],
        *,
        question: Question,
        embedder: str | None = None,
        degraded: str | None = None,
        lexical: int = 0,
        semantic: int = 0,
        elapsed_ms: float = 0.0,
        unspoken: tuple[str, ...] = (),
        out_of_vocabulary: float = 0.0,
        unheld: bool = False,
    ) -> None:
        super().__init__(hits)
        self.question = question
        self.embedder = embedder
        self.degraded = degraded
        self.verdict: Verdict | None = None
        self.lexical = lexical
        self.semantic = semantic
        self.elapsed_ms = elapsed_ms
        self.unspoken = unspoken
        self.out_of_vocabulary = out_of_vocabulary
        self.unheld = unheld


class ProfileEntry(Record):
    """A value in the profile with how sure it is and since when; of a task also where it stands, and when it, or a plan, is due."""

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
    state: str | None = None
    due: datetime | None = None


class ProfileChange(Record):
    """A recent change of mind: what was believed before, what is now, why, and when it took place.

    What is to end on a day to come is so until then: `after` is what was believed before, and `changed_at` is when that was said.
    """

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

    identity: dict[str, list[ProfileEntry]] = Field(default_factory=dict)
    hard_preferences: dict[str, list[ProfileEntry]] = Field(default_factory=dict)
    soft_preferences: dict[str, list[ProfileEntry]] = Field(default_factory=dict)
    current_tasks: list[ProfileEntry] = Field(default_factory=list)
    recent_changes: list[ProfileChange] = Field(default_factory=list)
    sensitive_topics: list[ProfileEntry] = Field(default_factory=list)


class Linked(Record):
    """A fact that links lead to by the strongest of the shortest ways: over which facts (`path`, both ends included), and how strongly.

    `relation` is that of the last step and `outward` whether that link points towards the fact; `strength` is the product over the path.
    """

    fact: Fact
    depth: int
    relation: Relation
    outward: bool
    strength: float
    path: tuple[str, ...]


class Bootstrap(Record):
    """What a session begins with.

    `page` is memory.md: as it stands where somebody changed it, or else as it would be written now; `facts` are the user's live facts,
    tasks, notes and procedures, most important first. `offered` are changes made in memory.md by hand, pending until `confirm` or
    `reject`; `refused` are those that may not be kept, each as its key and the reason. `last` is the account of the session before, and
    `recovered` names sessions that a process left open when it died. `indexed` rows have a vector, `waiting` ones will get one.
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


STILL_RIGHT = "Is it still right that “{said}”?"
"""What is asked about a belief that an answer would rest on though it is not sure; `said` is its text, on one line, of `STILL_RIGHT_MOST`
characters at most."""
STILL_RIGHT_MOST = 200


class Doubt(Record):
    """Something that waits for a word of the user, and what to ask.

    `fact_id` is what is pending, `against` the belief that it contradicts; where it contradicts none, it waits for `leave` to be
    remembered, or what it contradicted has ended since. `worth` says that it is worth a question whatever is spoken of,
    and was not asked of late.
    """

    fact_id: str
    against: str | None = None
    leave: bool = True
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

    `vectors_pending` counts those still to be removed: from the file by a connection with sqlite-vec that finds room to write, from a
    collection in the background.
    """

    facts: int = 0
    messages: int = 0
    turns: int = 0
    history: int = 0
    vectors: int = 0
    vectors_pending: int = 0


class Lost(Record):
    """What was lost of a table with damaged pages: how many rows at most, None if that cannot be told, and between which ids, as ranges.

    A range without an end goes on to the last row that there was. Rows of a table without ids have none to tell.
    """

    table: str
    rows: int | None = None
    ids: tuple[tuple[int, int | None], ...] = ()


class Mended(Record):
    """What became of a damaged file: the rows that were set aside, and the file that keeps them, as SQL; what is damaged still.

    `lost` is what could not be read of damaged pages, `copy_of_before` where the copy is of the file as it was. `kept_before` are files
    that a mending which was killed had left and that somebody may need.
    """

    set_aside: tuple[Damage, ...] = ()
    lost: tuple[Lost, ...] = ()
    left: tuple[Damage, ...] = ()
    copy_of_before: str | None = None
    kept_in: str | None = None
    kept_before: tuple[str, ...] = ()


class Undone(Record):
    """What taking back did: facts that stand again as before, facts ended as never true, and changes kept since others build on them.

    `untaught` are turns that nobody had thought about yet, and that will teach nothing; `untold` what people said that no first-person
    memory is told of any more.
    """

    restored: int = 0
    ended: int = 0
    kept: int = 0
    untaught: int = 0
    untold: int = 0


class Stats(Record):
    """The state of a file in numbers. Latencies are in milliseconds, sizes in bytes; a rate is None while nothing was counted.

    `timezone` is the setting with which turns were last taken in, which `memdb replay` takes over; `collections` are those of Chroma's.
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
    collections: int
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
    lacks: dict[str, float] = Field(default_factory=dict)
    reason: str | None = None
    changes: tuple[WeightChange, ...] = ()


class Tuned(Record):
    """A fitted weight set. The qualities are means of any@10, rec@10 and nDCG@10, None where nothing was held out.

    They lie in 0..1, but that a hit said to be wrong takes away as much of the nDCG as a relevant one would bring in its place: a set that
    is better in that may have fewer relevant hits, of which alone `Memory.evaluate` tells.
    """

    name: str
    base: str
    weights: dict[str, float]
    fitted: int
    held_out: int
    fitted_before: float
    fitted_after: float
    held_out_before: float | None
    held_out_after: float | None


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
