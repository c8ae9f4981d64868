"""Settings: defaults, then `memdb.toml` beside the database, then the environment (`MEMDB_…`), then arguments."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from memdb.checks import why
from memdb.daytime import machine_zone, zone_of
from memdb.errors import ConfigError
from memdb.records import BreakTrigger

_ENVIRONMENT_PREFIX = "MEMDB_"
# the command line's, and secrets
_NOT_SETTINGS = frozenset({"MEMDB_DB", "MEMDB_USER", "MEMDB_API_KEYS", "MEMDB_EMBEDDER", "MEMDB_WEIGHTS"})
_YEAR_MINUTES, _CENTURY_DAYS = 527_040, 36_525  # nothing of a household waits for longer

Count = Annotated[int, Field(le=1_000_000_000)]
"""A number that SQLite's own settings can hold, too."""

Days = Annotated[float, Field(le=_CENTURY_DAYS)]
Minutes = Annotated[float, Field(le=_YEAR_MINUTES)]
Megabytes = Annotated[float, Field(le=1_000_000_000)]
Seconds = Annotated[float, Field(le=_YEAR_MINUTES * 60)]

LINK_KINDS = ("fact", "note", "task", "procedure")
"""The kinds that are linked unless the settings name others, which a file may not have."""

_IN_ORDER = (
    ("hot_days", "warm_days"),
    ("hedge_confidence", "assert_confidence"),
    ("retry_base_seconds", "retry_max_seconds"),
    ("min_segment_duration_minutes", "max_segment_duration_minutes"),
    ("minimum_importance", "max_importance"),
    ("minimum_importance", "archive_threshold"),
)
"""Settings of which the first may not be above the second, unless that is off."""
_OFF = {"archive_threshold": 0.0}


class Config(BaseModel):
    """Every setting, validated and frozen; an unknown name is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    synchronous: Literal["NORMAL", "FULL"] = Field(
        default="NORMAL", description="NORMAL survives a killed process; FULL also a power cut, at the price of an fsync a commit"
    )
    busy_timeout_ms: Count = Field(default=10_000, ge=0, description="how long to wait for another process that is writing")
    worker: bool = Field(default=True, description="run the background worker in this process")
    lease_seconds: Seconds = Field(
        default=120.0,
        gt=0,
        description="how long a worker may hold a turn before another may take it over; longer while a model may still answer",
    )
    timezone: str = Field(
        default_factory=machine_zone,
        description="the user's time zone, for times without one, parts of the day and words such as 'tomorrow'",
    )

    top_k_lex: Count | None = Field(default=None, ge=0, description="candidates a kind from the words; default: the weight set's k_lex")
    top_k_vec: int | None = Field(default=None, ge=0, le=4096, description="candidates a kind from the vectors; default: the set's k_vec")
    vector_cache_mb: Megabytes = Field(
        default=64.0, ge=0, description="memory for vectors or codes of users last asked about; 0 reads them each time"
    )
    mmap_mb: Megabytes = Field(
        default=0.0,
        ge=0,
        description="read so much of the file as mapped memory: faster from disk, but a failing disk ends the process, not the call",
    )
    rival_weights: str | None = Field(default=None, description="a second weight set, which ranks for every other user: an A/B comparison")
    record_retrievals: bool = Field(default=True, description="keep what was asked, found and how fast, for the metrics")

    model: str | None = Field(default=None, description="the language model by its name at OPENAI_BASE_URL; rules do the thinking if unset")
    model_arbitrates: bool = Field(
        default=True, description="let the model also weigh what is said against what is believed, not only read"
    )
    model_timeout_seconds: Seconds = Field(default=60.0, gt=0, description="how long to wait for one answer of a model at an endpoint")
    model_attempts: Count = Field(
        default=3, ge=1, description="how often a bad answer is asked for again, and a failed call repeated; one that took too long, once"
    )
    keep_model_calls: bool = Field(default=True, description="keep the raw answers of the model, with their cost, in the table model_calls")

    first_confidence: float = Field(default=0.40, ge=0, le=1, description="confidence of a first mention")
    confirmation_rate: float = Field(default=0.5, gt=0, le=1, description="each confirmation closes this share of the gap to 1.00")
    high_confidence: float = Field(default=0.70, ge=0, le=1, description="from here on, one contradiction only makes a pending fact")
    certain_confidence: float = Field(default=0.70, ge=0, le=1, description="what an extractor is less sure of changes no belief by itself")
    high_risk_confidence: float = Field(default=0.90, ge=0, le=1, description="below it, high-risk facts need an explicit confirmation")

    sensitive_topics: Literal["keep", "ask", "refuse"] = Field(
        default="ask", description="facts on health, religion, money and the like: ask the user first, keep, or refuse, unless a user chose"
    )
    secrets: Literal["keep", "refuse"] = Field(
        default="refuse",
        description="facts that hold a password, a card or account number, an access key or a national id, unless a user chose",
    )
    gate_confidence: float = Field(default=0.70, ge=0, le=1, description="what an extractor is less sure of is not stored as a new fact")
    novelty_cosine: float = Field(
        default=0.92, ge=0, le=1, description="from this similarity on, a fact whose object says no more is a repetition of the other"
    )

    clarify_importance: float = Field(
        default=0.70, ge=0, le=1, description="from here on, a pending conflict is worth a question to the user"
    )
    profile_every_turns: Count = Field(default=5, ge=1, description="materialise the profile every so many turns")
    recent_change_days: Days = Field(default=30.0, gt=0, description="how long a change counts as recent")
    recent_changes: Count = Field(default=10, ge=0, description="how many recent changes the profile shows")
    context_max_tokens: Count = Field(default=1_000, ge=0, description="token budget of a prompt context, unless given")
    stale_after_days: Days = Field(default=180.0, gt=0, description="a soft fact not mentioned for so long is stale")
    low_confidence: float = Field(default=0.40, ge=0, le=1, description="a fact below it is dropped first from a tight prompt")
    context_candidates: Count = Field(default=50, ge=1, description="how many hits a context chooses from")
    context_balance: float = Field(
        default=0.9, ge=0, le=1, description="1 takes the best hits, less prefers those that say different things"
    )
    hot_days: Days = Field(default=14.0, ge=0, description="a message or episode of this age is hot")
    warm_days: Days = Field(
        default=90.0, ge=0, description="an older one is warm up to this age, then cold: asked only when the rest is not enough"
    )
    assert_confidence: float = Field(default=0.80, ge=0, le=1, description="from here on, an item may be stated as it is")
    hedge_confidence: float = Field(
        default=0.60, ge=0, le=1, description="from here on with a hedge; below, it is left out unless asked for"
    )
    abstain_relevance: float = Field(default=0.60, ge=0, le=1, description="above it the best item bears on the question")
    abstain_confidence: float = Field(default=0.60, ge=0, le=1, description="below it, such an item is asked about, verified, or not used")
    abstain_probability: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="below this calibrated probability of an answer, nothing is claimed; default: the threshold of the set that judges",
    )
    reflect_every_turns: Count = Field(default=20, ge=1, description="reflect after so many turns of a user, or after a significant fact")
    reflect_days: Days = Field(default=90.0, gt=0, description="how far back reflection reads")
    reflection_confidence: float = Field(default=0.70, ge=0, le=1, description="confidence of a reflective note until others agree")
    reflection_limit: Count = Field(default=100, ge=0, description="how many notes of a user are kept; the weakest are archived")
    promote_priority: float = Field(default=0.60, ge=0, le=1, description="a fact of this priority is promoted to the profile")
    promote_days: Count = Field(default=3, ge=1, description="if it was said on so many different days")
    fact_versions: Count = Field(default=5, ge=0, description="how many former versions of a key stay; older ones go to the archive")
    task_stalls_after_days: Days = Field(default=30.0, gt=0, description="a task that nobody mentions for so long has stalled")
    bearing_match: float = Field(
        default=0.25, ge=0, le=1, description="what shares no word with the question, or hardly any, bears on it from this cosine on"
    )

    embed_batch: Count = Field(default=64, ge=1, description="texts embedded at once by the sync")
    embed_patience_seconds: Seconds = Field(
        default=60.0, gt=0, description="how long a turn or a search waits for the embedder before words alone decide"
    )
    write_patience_seconds: Seconds = Field(
        default=0.5, ge=0, description="how long remember and write wait for the embedder to tell what is new before words alone decide"
    )
    embed_max_attempts: Count = Field(
        default=8, ge=1, description="tries before a text that the embedder refuses, while it takes others, is set aside"
    )
    retry_base_seconds: Seconds = Field(
        default=1.0, ge=0, description="first pause before what failed, or is down, is tried again; it doubles"
    )
    retry_max_seconds: Seconds = Field(default=300.0, ge=0, description="longest pause between tries")
    collection_timeout_seconds: Seconds = Field(
        default=5.0, gt=0, description="how long to wait for the collection that serves as the index"
    )
    archive_after_days: Days = Field(default=90.0, ge=0, description="compaction moves closed rows of this age to the archive")

    working_capacity: Count = Field(default=7, ge=1, description="how many items a session's working memory holds")
    working_eviction: Literal["fifo", "lru", "importance"] = Field(default="fifo", description="what goes first when it is full")
    memory_page: bool = Field(default=True, description="keep memory.md, a page for people, beside the file")
    page_max_lines: int = Field(default=200, ge=10, le=200, description="how long memory.md may become")
    session_patience_seconds: Seconds = Field(
        default=30.0, ge=0, description="how long a flush waits for a session's turns, and how long it links"
    )
    link_kinds: tuple[str, ...] = Field(
        default=LINK_KINDS, description="kinds that are linked to what they are like; in the environment, separated by commas"
    )
    link_min_strength: float = Field(default=0.25, ge=0, le=1, description="how alike two rows must be to be linked")
    link_most: Count = Field(default=3, ge=0, description="to how many earlier rows a new one is linked at most")
    persona_name: str = Field(
        default="the assistant", min_length=1, description="who remembers: the name that a model writes memories under"
    )
    persona_household: str = Field(
        default="this household", min_length=1, description="what the household is called, such as 'the Silva family'"
    )
    persona_voice: str = Field(
        default="a caring, observant presence in this home, who notices patterns, preferences and the undercurrents of daily life",
        min_length=1,
        description="how a model is told to see itself when it writes memories",
    )
    turns_as_events: bool = Field(
        default=False, description="let what people say count as events, so that conversations become memories too"
    )
    min_segment_duration_minutes: Minutes = Field(
        default=15.0, ge=0, description="events of a shorter time wait for more before they become a memory"
    )
    max_segment_duration_minutes: Minutes = Field(default=480.0, gt=0, description="no memory covers a longer time")
    event_buffer_minutes: Minutes = Field(default=10.0, ge=0, description="how long an event waits for what belongs to it")
    segment_break_triggers: tuple[BreakTrigger, ...] = Field(
        default=("person_departed_home", "person_arrived_home", "time_of_day_change", "significant_event"),
        description="what ends a segment at once; in the environment, separated by commas",
    )
    significant_importance: float = Field(default=0.8, ge=0, le=1, description="an event above it is a significant one")
    max_events_per_segment: Count = Field(default=50, ge=1, description="no memory is made of more events")
    generation_cooldown_seconds: Seconds = Field(default=300.0, ge=0, description="the least time between two memories of a user")
    generation_burst: Count = Field(
        default=50,
        ge=1,
        description="memories of a user that a model tells at once of a backlog; then one in each cooldown, and rules tell the others",
    )
    generation_model: str | None = Field(default=None, description="the model that writes memories; default: the setting model")
    generation_temperature: float = Field(default=0.3, ge=0, le=2, description="how freely it writes")
    generation_max_tokens: Count = Field(
        default=500, ge=1, description="tokens its answer may have; twice as many each time one was cut off"
    )
    max_memories_per_retrieval: Count = Field(default=5, ge=0, description="how many first-person memories recall and a context give")
    importance_threshold: float = Field(default=0.25, ge=0, le=1, description="recall leaves out what scores less")
    max_age_days: Days = Field(
        default=365.0, ge=0, description="recall and a context leave out memories not seen for so long; 0 is no limit"
    )
    base_half_life_days: Days | None = Field(
        default=None,
        gt=0,
        le=_CENTURY_DAYS,
        description="a memory fades by half in so many days, times its type's retention; default: the 30 of the table kinds",
    )
    minimum_importance: float = Field(default=0.05, ge=0, le=1, description="no memory fades below it")
    access_reinforcement: float = Field(default=0.1, ge=0, le=1, description="what recalling a memory adds to its importance")
    max_importance: float = Field(default=1.0, gt=0, le=1, description="no memory becomes more important than this")
    consolidation_schedule_hour: int = Field(
        default=3, ge=0, le=23, description="the hour of the nightly maintenance, in the user's time zone"
    )
    consolidation_min_repeats: Count = Field(default=3, ge=2, description="an experience of so many days becomes a pattern")
    consolidation_similarity: float = Field(
        default=0.5, gt=0, le=1, description="the share of telling words that repeated experiences have in common"
    )
    archive_threshold: float = Field(default=0.10, ge=0, le=1, description="maintenance archives memories that faded below it")
    delete_archived_after_days: Days = Field(default=90.0, ge=0, description="and deletes what has lain in the archive for so long")

    @field_validator("*", mode="before")
    @classmethod
    def _not_truth(cls, value: object, info: ValidationInfo) -> object:
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation is not bool:
            raise ValueError("it is neither on nor off; give a value")  # true would count as 1
        return value

    @field_validator("link_kinds", "segment_break_triggers", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        zone_of(value)
        return value

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone."""
        return ZoneInfo(self.timezone)


def load_config(database: Path, arguments: Config | Mapping[str, object] | None = None) -> Config:
    """Return the settings in force for a database.

    A whole `Config` is taken as it is; a mapping overrides the file and the environment name by name.

    Raises:
        ConfigError: a name is unknown or a value out of range, and the message says where it came from; or two settings
            contradict each other.
    """
    if isinstance(arguments, Config):
        return _in_order(arguments)
    beside = os.path.join(os.path.dirname(database), "memdb.toml")
    layers = [
        (beside, _toml(beside)),
        ("the environment", _environment(os.environ)),
        ("the arguments", arguments or {}),
    ]
    checked = [_checked(layer, origin) for origin, layer in layers if layer]
    settings = {name: value for _, layer in layers for name, value in layer.items()}
    return _in_order(checked[0] if len(checked) == 1 else Config.model_validate(settings))


def _checked(layer: Mapping[str, object], origin: str) -> Config:
    try:
        return Config.model_validate(layer)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        hint = "it is not a setting; leave it out, or mend its name" if first["type"] == "extra_forbidden" else why(first)
        told = f"Setting {name!r} from {origin} cannot be used" if name else f"The settings from {origin} cannot be used"
        raise ConfigError(f"{told}: {hint}.") from error


def _in_order(config: Config) -> Config:
    """Refuse a least that is above its most: only together, for either may come from anywhere."""
    for low, high in _IN_ORDER:
        least, most = getattr(config, low), getattr(config, high)
        if least > most != _OFF.get(high):
            raise ConfigError(
                f"Settings {low!r} ({least:g}) and {high!r} ({most:g}) contradict each other: lower the first or raise the second."
            )
    return config


def _toml(path: str) -> Mapping[str, object]:
    if not os.access(path, os.F_OK):  # nor may it be looked for where the database may not be; opening that tells so
        return {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            return tomllib.loads(file.read())
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as TOML ({error}); mend it or move it away.") from error


def _environment(environ: Mapping[str, str]) -> dict[str, object]:
    return {
        name.removeprefix(_ENVIRONMENT_PREFIX).lower(): environ[name]
        for name in environ
        if name.startswith(_ENVIRONMENT_PREFIX) and name not in _NOT_SETTINGS
    }
