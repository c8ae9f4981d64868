"""Times as values: UTC instants, and the fixed-width text that the database orders by."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from memdb.errors import InputError

MOMENT = timedelta(milliseconds=1)
"""The least time that two stored times differ by."""
EVER = datetime.max.replace(microsecond=999_000, tzinfo=UTC)
"""The last instant that can be stored: until then, all that is there was said."""
SPANS = {"episode": ("timestamp_start", "timestamp_end"), "narrative": ("segment_start", "segment_end")}
"""By kind, the details that say when what it tells of began, and when it ended."""


def utc_now() -> datetime:
    """Return the present instant. Only the doors ask the clock; every step is given `now`."""
    return datetime.now(UTC)


def to_utc(value: date | str, *, zone: tzinfo = UTC) -> datetime:
    """Return an instant in UTC, to the millisecond; a time without an offset is taken to be in `zone`, and a day is its beginning there.

    Raises:
        InputError: the text is not an ISO-8601 time, or it is neither text nor a time.
    """
    if isinstance(value, str):
        value = _read(value)
    elif not isinstance(value, datetime):
        if not isinstance(value, date):
            raise InputError(f"{value!r} is not a time; give a datetime, or text like 2025-03-01T09:30:00+00:00.")
        value = datetime.combine(value, time())
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    if value.tzinfo is not UTC:
        try:
            value = value.astimezone(UTC)
        except OverflowError as error:
            raise InputError(f"{value} lies outside the years that can be stored; give one between 1000 and 9000.") from error
    return value.replace(microsecond=value.microsecond // 1000 * 1000) if value.microsecond else value


def end_of(value: date | str, *, zone: tzinfo) -> datetime:
    """Return the instant before which a time is: a day is over at its end in `zone`, any other time is the instant itself.

    Raises:
        InputError: the text is not an ISO-8601 time, or it is neither text nor a time.
    """
    day = _day(value)
    if day is None:
        return to_utc(value, zone=zone)
    return datetime.max.replace(tzinfo=UTC) if day == date.max else to_utc(day + timedelta(days=1), zone=zone)


def in_zone(at: datetime, zone: tzinfo) -> datetime:
    """Return an instant as the clocks of a zone show it; the last that they can show, or the first, where their calendar does not reach it.

    Who means that something is so for ever writes `9999-12-31T23:59:59Z`.
    """
    try:
        return at.astimezone(zone)
    except OverflowError:
        return (datetime.min if at.year == 1 else datetime.max).replace(tzinfo=zone)


def instant(value: date | str | None, argument: str, *, zone: tzinfo) -> datetime:
    """Return the time that an argument gives, as `to_utc` does; the present if None.

    Raises:
        InputError: the text is not an ISO-8601 time, or it is neither text nor a time.
    """
    try:
        return to_utc(utc_now() if value is None else value, zone=zone)
    except InputError as error:
        raise InputError(f"{argument}: {error}") from error


def span_of(kind: str, details: object, *, zone: tzinfo) -> dict[str, datetime]:
    """Return when what an episode or a first-person memory tells of began and ended, by these names in its details, the beginning first;
    what is no time is left out.

    Raises:
        InputError: it ended before it began.
    """
    found: dict[str, datetime] = {}
    for name in SPANS.get(kind, ()):
        if isinstance(details, dict) and isinstance(told := details.get(name), str):
            with suppress(InputError):
                found[name] = to_utc(told, zone=zone)
    if len(found) == 2 and [*found.values()] != sorted(found.values()):
        (begin, begins), (end, ends) = found.items()
        raise InputError(f"{end} is before {begin} ({to_text(ends)} < {to_text(begins)}); give a later one.")
    return found


def to_text(value: datetime) -> str:
    """Return the stored form, such as 2025-03-01T09:30:00.000Z."""
    instant = value if value.tzinfo is UTC else to_utc(value)
    return instant.isoformat("T", "milliseconds")[:23] + "Z"


def stored(value: date | str, *, zone: tzinfo = UTC) -> str:
    """Return the stored form of a time as it was given: what `to_text` makes of `to_utc`, for very many of them.

    Raises:
        InputError: the text is not an ISO-8601 time.
    """
    if isinstance(value, str):
        return _stored(value, zone)
    if isinstance(value, datetime) and value.tzinfo is None and zone is UTC:
        text = value.isoformat()
        return text[:23] + "Z" if value.microsecond else text + ".000Z"
    return to_text(to_utc(value, zone=zone))


@lru_cache(maxsize=4096)  # what comes at once was often said at the same times, or on the same days
def _stored(text: str, zone: tzinfo) -> str:
    return stored(_read(text), zone=zone)


def _day(value: date | str) -> date | None:
    """The day, where nothing but a day is said."""
    if isinstance(value, str):
        with suppress(ValueError):
            return date.fromisoformat(value.strip())
        return None
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _read(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InputError(f"{text!r} is not a time; write it like 2025-03-01T09:30:00+00:00.") from error
