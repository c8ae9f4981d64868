"""First-person memories: what one is before it is stored, and what its details hold then."""

from __future__ import annotations

from pydantic import AwareDatetime, ConfigDict

from memdb.records import DayType, Emotion, MemoryType, PartOfDay, Record


class Narrative(Record):
    """A first-person memory before it is stored."""

    content: str
    memory_type: MemoryType
    importance: float
    emotion: Emotion
    participants: tuple[str, ...]
    tags: tuple[str, ...]
    written_by: str


class NarrativeDetail(Record):
    """What the `value_json` of a first-person memory holds.

    A memory of one segment names its events; a pattern (`pattern`) is `links`-ed to the memories it was made of. `consolidated` marks a
    memory that went into a pattern, `usual` are the events that belong to one, `said` how often each of those it tells of was told with
    which numbers ("" for the others). `written_by` is a model's name, or "rules".
    """

    emotion: Emotion = "neutral"
    participants: tuple[str, ...] = ()
    location: str | None = None
    time_of_day: PartOfDay
    day_type: DayType | None = None
    source_event_ids: tuple[str, ...] = ()
    segment_id: str | None = None
    segment_start: AwareDatetime
    segment_end: AwareDatetime
    consolidated: int = 0
    pattern: int = 0
    usual: tuple[str, ...] = ()
    said: tuple[dict[str, int], ...] = ()
    written_by: str


class StatedNarrative(Record):
    """What the `value_json` of a first-person memory that an application states may hold: details of any shape, and these in theirs."""

    model_config = ConfigDict(extra="allow")

    emotion: Emotion | None = None
    participants: tuple[str, ...] | None = None
    location: str | None = None
    time_of_day: PartOfDay | None = None
    day_type: DayType | None = None
    source_event_ids: tuple[str, ...] | None = None
    segment_id: str | None = None
    segment_start: AwareDatetime | None = None
    segment_end: AwareDatetime | None = None
    consolidated: int | None = None
    pattern: int | None = None
    usual: tuple[str, ...] | None = None
    said: tuple[dict[str, int], ...] | None = None
    written_by: str | None = None
