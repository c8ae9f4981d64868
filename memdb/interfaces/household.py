"""The days of a made-up household, always the same for the same seed: for the demo, the benchmarks and the tests."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from memdb.records import BreakTrigger, Event, Record

SHIPPED = Path(__file__).resolve().parent.parent / "data" / "household.json"
"""The household that ships with memdb: who lives there, what they do every day, and what happens once."""

_SINGLES_A_DAY = 1.3  # on average, of what happens once


class Routine(Record):
    """Something that happens on most days of a kind, about the same time; `months` limits it to a season."""

    at: str
    what: str
    who: tuple[str, ...]
    where: str | None = None
    days: str = "all"
    jitter: int = 10
    chance: float = 0.9
    trigger: BreakTrigger | None = None
    months: tuple[int, ...] | None = None


class Single(Record):
    """Something that happens once in a while, and a question that it answers."""

    at: str
    what: str
    who: tuple[str, ...]
    where: str | None = None
    ask: str
    importance: float | None = None


class Ask(Record):
    """A question about a routine."""

    ask: str
    what: str


class Household(Record):
    """The whole of a household file."""

    household: str
    timezone: str
    routines: tuple[Routine, ...]
    singles: tuple[Single, ...]
    asks: tuple[Ask, ...]


class Asked(Record):
    """A question, and the events of which each answers it."""

    ask: str
    event_ids: frozenset[str]


def read_household() -> Household:
    """Return the household that ships with memdb."""
    return Household.model_validate(json.loads(SHIPPED.read_text(encoding="utf-8")))


def household_events(house: Household, *, first: date, days: int, seed: int = 1) -> Iterator[Event]:
    """Give what happens in a household day by day, in the order of time."""
    chance = random.Random(seed)
    zone = ZoneInfo(house.timezone)
    rest: list[Single] = []
    for number in range(days):
        day = first + timedelta(days=number)
        weekend = day.weekday() >= 5
        today: list[tuple[datetime, Routine | Single]] = []
        for routine in house.routines:
            fits = routine.days in ("all", "weekend" if weekend else "weekday") and day.month in (routine.months or (day.month,))
            if chance.random() < routine.chance and fits:
                today.append((_at(day, routine.at, chance.randint(-routine.jitter, routine.jitter), zone), routine))
        for _ in range(int(_SINGLES_A_DAY) + (chance.random() < _SINGLES_A_DAY % 1)):
            rest = rest or chance.sample(house.singles, len(house.singles))
            single = rest.pop()
            today.append((_at(day, single.at, chance.randint(-20, 20), zone), single))
        for place, (at, one) in enumerate(sorted(today, key=lambda part: part[0])):
            yield Event(
                event_id=f"{day}-{place:02}",
                user_id="silva",
                description=one.what,
                timestamp=at,
                participants=one.who,
                location=one.where,
                importance=one.importance if isinstance(one, Single) else None,
                trigger=one.trigger if isinstance(one, Routine) else None,
            )


def household_questions(house: Household, events: list[Event]) -> list[Asked]:
    """Return the questions that some of the events answer."""
    of_text: dict[str, set[str]] = {}
    for event in events:
        of_text.setdefault(event.description, set()).add(event.event_id)
    pairs = [(one.ask, one.what) for one in house.singles] + [(one.ask, one.what) for one in house.asks]
    return [Asked(ask=ask, event_ids=frozenset(of_text[what])) for ask, what in pairs if what in of_text]


def _at(day: date, clock: str, minutes: int, zone: ZoneInfo) -> datetime:
    hour, _, minute = clock.partition(":")
    local = datetime(day.year, day.month, day.day, int(hour), int(minute), tzinfo=zone)
    return local.astimezone(UTC) + timedelta(minutes=minutes)
