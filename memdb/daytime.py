"""The parts of a day as a household lives them, in its own time zone; which zone the machine is in, and when a zone's clocks change."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

from memdb.records import DayType, PartOfDay
from memdb.times import in_zone, to_text, to_utc

_BEGINS: tuple[tuple[int, PartOfDay], ...] = ((5, "morning"), (12, "afternoon"), (17, "evening"), (21, "night"))
_CLOCKS = datetime(1900, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_STEP = timedelta(days=20)  # no zone changes its clocks there and back sooner
_UTC = ("Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "UCT", "Zulu", "Universal")  # what else it is called


def machine_zone(localtime: Path = Path("/etc/localtime"), named: Path = Path("/etc/timezone")) -> str:
    """Return the name of the machine's time zone: that of `TZ`, of what `localtime` points to, or the one in `named`; UTC if none is known.

    An offset would do for today only; a name knows the summer, too.
    """
    told = os.environ.get("TZ")
    if told is not None:
        said = told.removeprefix(":")
        return _zone_name(os.path.realpath(said) if said.startswith("/") else said) or "UTC"
    if zone := _linked_zone(localtime) or _zone_name(os.path.realpath(localtime)):
        return zone
    try:
        return _zone_name(named.read_text(encoding="utf-8").strip()) or "UTC"
    except (OSError, UnicodeDecodeError):
        return "UTC"


def zone_of(name: str) -> ZoneInfo:
    """Return the time zone of a name.

    Raises:
        ValueError: there is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name!r}; use a name such as Europe/Lisbon") from error


def _linked_zone(localtime: Path) -> str | None:
    """The zone whose file the link itself names, as it nearly always does: to follow links and load the zone takes ten times as long."""
    try:
        _, folder, name = os.readlink(localtime).rpartition("/zoneinfo/")
    except OSError:
        return None
    known = folder and any(os.path.isfile(f"{root}/{name}") for root in TZPATH)
    return ("UTC" if name in _UTC else name) if known else None


@cache
def _zone_name(text: str) -> str | None:
    """The zone that a name, or the path of its file, stands for."""
    name = text.rpartition("zoneinfo/")[2].removeprefix("posix/").removeprefix("right/")
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    return "UTC" if name in _UTC else name


@cache
def clock_changes(zone: tzinfo) -> tuple[tuple[str, int], ...]:
    """Return when the clocks of a zone changed, and will, as stored, each with how many minutes they are ahead of UTC from then on.

    The first begins with the first day there is. Of the years before and after those looked at, the clocks are as in them.
    """
    changes: list[tuple[str, int]] = []
    at, end = _CLOCKS
    while at < end:
        if not changes or _ahead(at, zone) != changes[-1][1]:
            before, after = at - _STEP, at
            while changes and after - before > timedelta(minutes=1):
                middle = before + (after - before) / 2
                before, after = (middle, after) if _ahead(middle, zone) == changes[-1][1] else (before, middle)
            changes.append((to_text(after.replace(second=0, microsecond=0)) if changes else "", _ahead(at, zone)))
        at += _STEP
    return tuple(changes)


def _ahead(at: datetime, zone: tzinfo) -> int:
    return round((in_zone(at, zone).utcoffset() or timedelta()).total_seconds() / 60)


def part_of_day(at: datetime, zone: tzinfo) -> PartOfDay:
    """Return the part of the day: morning from 5, afternoon from 12, evening from 17, night from 21 o'clock."""
    hour = in_zone(at, zone).hour
    return next((part for begins, part in reversed(_BEGINS) if hour >= begins), "night")


def hours_of(part: str) -> range:
    """Return the hours of the clock that belong to a part of the day; those of the night after midnight count on from 24."""
    begins = [*_BEGINS, (_BEGINS[0][0] + 24, "morning")]
    return next((range(hour, begins[place + 1][0]) for place, (hour, name) in enumerate(_BEGINS) if name == part), range(0))


def part_ends(at: datetime, zone: tzinfo) -> datetime:
    """Return the instant at which the next part of the day begins."""
    local = in_zone(at, zone)
    hour = next((begins for begins, _part in _BEGINS if begins > local.hour), None)
    day = local.date() if hour is not None else local.date() + timedelta(days=1)
    return to_utc(datetime(day.year, day.month, day.day, hour or _BEGINS[0][0]), zone=zone)


def weekday(at: datetime, zone: tzinfo) -> str:
    """Return the day's name; the small hours belong to the night of the day before."""
    return f"{lived_day(at, zone):%A}"


def day_type(at: datetime, zone: tzinfo) -> DayType:
    """Return whether it was a weekday or the weekend; the small hours belong to the day before."""
    return "weekend" if lived_day(at, zone).weekday() >= 5 else "weekday"


def lived_day(at: datetime, zone: tzinfo) -> date:
    """Return the day as people count it: the small hours belong to the one before, so that a night is one day."""
    local = in_zone(at, zone)
    return local.date() - timedelta(days=1) if local.hour < _BEGINS[0][0] and not is_a_day_alone(at, zone) else local.date()


def is_a_day_alone(at: datetime, zone: tzinfo) -> bool:
    """Tell whether a time is the very beginning of a day, as it is where only the day was told: at which hour, nobody knows."""
    return in_zone(at, zone).time() == time()
