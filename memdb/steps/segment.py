"""Gather events into segments, each of which becomes one memory. Pure: the same events and the same `now` give the same segments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from memdb.config import Config
from memdb.daytime import part_ends
from memdb.household import kind_of, trigger_of
from memdb.records import Event, Record


class Segment(Record):
    """Events that belong together, why they end there, and from when on they can become a memory."""

    events: tuple[Event, ...]
    closed_by: str
    ready_at: datetime

    @property
    def started_at(self) -> datetime:
        """The time of the first event."""
        return self.events[0].timestamp

    @property
    def ended_at(self) -> datetime:
        """The time of the last event."""
        return self.events[-1].timestamp


def segment(events: Sequence[Event], *, now: datetime, zone: tzinfo, config: Config) -> list[Segment]:
    """Return the segments that are over by `now`, oldest first; later events wait. Those of one instant stay in the order given.

    An event waits in the buffer for what belongs to it. A segment is over

    - when all its events have left the buffer and it lasts for the minimum (`duration`);
    - before what would make it last longer than the maximum (`maximum`), however little it holds;
    - with the event that makes it full (`max_events`);
    - with a break trigger: after a departure, an arrival or a significant event, by what it says itself or else by the rules, and at
      the turn of the part of the day, which begins a new one.

    Its events are out of the buffer before it is ready. How often this is asked makes no difference to what it answers.
    """
    found: list[Segment] = []
    current: list[Event] = []
    for event in sorted((one for one in events if one.timestamp <= now), key=lambda one: one.timestamp):
        if current and (ended := _ends_before(current, event.timestamp, zone=zone, config=config)):
            found.append(_closed(current, *ended, config=config))
            current = []
        current.append(event)
        if why := _ends_with(current, config=config):
            found.append(_closed(current, event.timestamp, why, config=config))
            current = []
    if current and (ended := _ends_before(current, now, zone=zone, config=config)):
        found.append(_closed(current, *ended, config=config))
    return [one for one in found if one.ready_at <= now]


def _ends_before(current: Sequence[Event], at: datetime, *, zone: tzinfo, config: Config) -> tuple[datetime, str] | None:
    """When and why a segment ends by the mere passing of time up to `at`."""
    first, last = current[0].timestamp, current[-1].timestamp
    ends = [(first + timedelta(minutes=config.max_segment_duration_minutes), "maximum")]
    if last - first >= timedelta(minutes=config.min_segment_duration_minutes):
        ends.append((last + timedelta(minutes=config.event_buffer_minutes), "duration"))
    if "time_of_day_change" in config.segment_break_triggers:
        ends.append((part_ends(first, zone), "time_of_day_change"))
    when, why = min(ends)
    return (when, why) if when <= at else None


def _ends_with(current: Sequence[Event], *, config: Config) -> str | None:
    """Why a segment ends with its last event, if it does."""
    last, mark = current[-1], config.significant_importance
    if (trigger := trigger_of(last)) in config.segment_break_triggers:
        return trigger
    if "significant_event" in config.segment_break_triggers and kind_of(last, significant=mark)[1] > mark:
        return "significant_event"
    return "max_events" if len(current) >= config.max_events_per_segment else None


def _closed(current: Sequence[Event], when: datetime, why: str, *, config: Config) -> Segment:
    out_of_buffer = current[-1].timestamp + timedelta(minutes=config.event_buffer_minutes)
    return Segment(events=tuple(current), closed_by=why, ready_at=max(when, out_of_buffer))
