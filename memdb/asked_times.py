"""The times that a question names: the stretches that they are, and how the full-text index writes their days."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta, tzinfo

from memdb.cues import asks_present
from memdb.dates import EASTERN, Prefer, count_of
from memdb.languages import Language
from memdb.times import MOMENT, end_of, to_utc
from memdb.times_abroad import find_times_abroad
from memdb.when import TimeSpan, find_times

MOST_DAYS = 10
"""So many days of a question are looked for at most."""

_MAX_TIMES = 50
_YEARS_BACK = 10  # "in July", without a year, may be any July of these
_MOST_MONTHS, _MOST_YEARS = 6, 2  # of a stretch of time that is looked for by its months, by its years
_DAY, _MONTH, _ONE_YEAR = "{0:02} {1} {2:04}", "{1} {2:04}", "{2:04}"  # as the view fact_text writes them
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_IN_FULL = re.compile(r"\d{4}")
_ABOUT = re.compile(r"(?<!new )\b(week|fortnight|month|year)s?\b", re.IGNORECASE)
_FEW_DAYS = re.compile(r"\b(?:couple|few|several)\b.*\bdays? ago\b", re.IGNORECASE | re.DOTALL)
_ANY_YEAR = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter|christmas|xmas|easter|new year|halloween"
    r"|valentine|whit(?:sun)?\b|pentecost|ascension|good friday|maundy|palm sunday|ash wednesday|shrove|boxing)",
    re.IGNORECASE,
)
KEPT = re.compile(rf"\d{{4}}|{_ABOUT.pattern}|\bbirthday\b|{_ANY_YEAR.pattern}", re.IGNORECASE)
"""The words of a time that has one of these are looked for, too: they may be those of the answer."""

_PART = re.compile(
    r"\b(?P<part>end|beginning|start|middle) of (?:(?:the|this|last|next) )*(?:(?P<week>week)|(?P<year>year|\d{4}))?", re.IGNORECASE
)
_PART_DAYS = {"week": 3, "year": 30, None: 7}  # that "the end of the year" is in a question; and that of a month
_QUARTER = re.compile(r"\b(?:in|during) the (?P<which>first|second|third|fourth|last) quarter(?=\W*$)", re.IGNORECASE)
_AFTER_DATE = re.compile(r"\b(?:after|since)\b", re.IGNORECASE)
BEFORE_DATE = re.compile(r"\b(?:before|until|till)\b", re.IGNORECASE)
_TO_COME = re.compile(r"\b(?:will|shall|going to|plans?|planned|planning|upcoming)\b|['’]ll\b", re.IGNORECASE)
_UP_TO_NOW = re.compile(
    r"\b(?:last|past)\s+(?:\d|a\s|(?:couple|few|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)", re.IGNORECASE
)
_LATELY = re.compile(r"(?<!most )\b(?:recently|lately|of late|in (?:the )?recent (?:days|weeks|months))\b", re.IGNORECASE)
_LATELY_DAYS = 30
_DAY_OF_MONTH = re.compile(  # "on the 3rd", and not "on the 3rd floor"
    r"\bon the (?P<day>[1-9]|[12]\d|3[01])(?:st|nd|rd|th)(?=\s*(?:$|[,;?!]|\.(?!\d)|(?:i|we|you|he|she|they|at|with|when|that|my)\b))",
    re.IGNORECASE,
)
_FEAST = re.compile(  # what was said on it seldom has its name
    r"\b(?:christmas|xmas|easter|new year|halloween|valentine|whit(?:sun)?\b|pentecost|ascension|good friday|maundy|palm sunday"
    r"|ash wednesday|shrove|boxing)",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\b(?:this|next|last|past)\b|day (?:of|in)\b|day$", re.IGNORECASE)  # "Monday last week", "a year ago today"
_BIRTHDAY = re.compile(
    r"\b(?:(?:on|for)|(?P<aside>(?:the|an?|one|two|three|four|five|six|ten) (?:day|night|week|weekend|month)s? (?:before|after)))"
    r" my (?:(?P<which>last|next) )?birthday\b",
    re.IGNORECASE,
)
_RECKONED = re.compile(  # a day that no message tells by these words: "the week before Christmas", "the first Monday in May"
    r"\w (?:before|after) (?!last\b|next\b|yesterday\b|tomorrow\b)|\b(?:first|second|third|fourth|last|1st|2nd|3rd|4th) \w*day (?:of|in)\b",
    re.IGNORECASE,
)
_HOURS = re.compile(
    r"^(?:\w+ the (?:last|past) )?(?:(?:about|around) )?(?P<count>[a-z0-9 ]{0,20}?)[ ]?\b(?P<unit>hour|minute)s?(?: (?P<ago>ago))?$"
)
_FRACTIONS = {"": 1.0, "half": 0.5, "half an": 0.5}
_PARTS_OF_DAY = {  # from hour to hour
    "last night": (18, 30), "morning": (3, 12), "afternoon": (12, 18), "evening": (17, 24), "tonight": (17, 24), "night": (18, 30),
}  # fmt: skip
_WHICH = re.compile(r"\b(?:this|next|last|past)\b", re.IGNORECASE)


def spans_of(text: str, *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """Return the times of a question: of what is or is to be ("What do I have on Friday?"), the next Friday as well as the last one."""
    spans = [_as_asked(span, now, zone) for span in find_times(text, at=now, zone=zone, prefer="past")]
    if not spans and "quarter" in text and (match := _QUARTER.search(text)):
        spans = _last_quarter(match, now=now, zone=zone)
    if not spans and " the " in text and (match := _DAY_OF_MONTH.search(text)):
        spans = _of_month(match, now=now, zone=zone, ahead=_asks_ahead(text))
    elif spans and _asks_ahead(text):
        to_come = [_as_asked(span, now, zone) for span in find_times(text, at=now, zone=zone, prefer="future")]
        spans += [span for span in to_come if span not in spans and span.ends > now]
    return spans


def spans_abroad(text: str, language: Language, *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """Return the times of a question in another language, each with the words that English has for it."""
    past = find_times_abroad(text, language, at=now, zone=zone, prefer="past")
    spans = [_as_asked(span, now, zone) for span in past]
    if spans and language.is_ahead(text):
        to_come = [_as_asked(span, now, zone) for span in find_times_abroad(text, language, at=now, zone=zone, prefer="future")]
        spans += [span for span in to_come if span not in spans and span.ends > now]
    return spans


def lately_in(text: str, *, now: datetime, zone: tzinfo) -> TimeSpan | None:
    """Return the last thirty days where a question asks for what was lately, or None."""
    match = _LATELY.search(text)
    return None if match is None else _lately(match, now=now, zone=zone)


def lately_abroad(text: str, language: Language, *, now: datetime, zone: tzinfo) -> TimeSpan | None:
    """Return the same where a question in another language asks for it."""
    match = language.cue("lately", text)
    return None if match is None else _lately(match, now=now, zone=zone)


def _lately(match: re.Match[str], *, now: datetime, zone: tzinfo) -> TimeSpan:
    today = now.astimezone(zone).date()
    return _stretch(match, today - timedelta(days=_LATELY_DAYS), today, zone=zone)


def birthdays_in(text: str, born: str, *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """Return the user's last birthday where a question asks for what was on it, and the next one, too, where that may be meant."""
    if (match := _BIRTHDAY.search(text)) is None:
        return []
    which = (match["which"] or "").lower()
    ways: list[Prefer] = ["future"] if which == "next" else ["past", "future"] if not which and _asks_ahead(text) else ["past"]
    return _birthdays(match, born, ways, aside=match["aside"] or "", now=now, zone=zone)


def birthdays_abroad(text: str, language: Language, born: str, *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """Return the same where a question in another language asks for it."""
    if (match := language.cue("birthday", text)) is None:
        return []
    is_next = language.cue("next_one", match.group()) is not None
    ways: list[Prefer] = ["future"] if is_next else ["past", "future"] if language.is_ahead(text) else ["past"]
    return _birthdays(match, born, ways, now=now, zone=zone)


def _birthdays(match: re.Match[str], born: str, ways: Sequence[Prefer], *, now: datetime, zone: tzinfo, aside: str = "") -> list[TimeSpan]:
    if not (days := find_times(born, at=now, zone=zone, prefer="past")):
        return []
    day = days[0].begins.astimezone(zone).date()
    said = f"{aside} {day.day} {_MONTHS[day.month - 1]}"  # whatever the year
    found = [span for way in ways for span in find_times(said, at=now, zone=zone, prefer=way)[:1]]
    return _as_words(match, found)


def part_of_day(then: str, *, now: datetime, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """Return the stretch that words mean which are no whole day ("in the last hour", "half an hour ago", "this morning"), or None."""
    words = then.lower()
    if (match := _HOURS.search(words)) is not None:
        unit = timedelta(hours=1) if match["unit"] == "hour" else timedelta(minutes=1)
        try:
            back = unit * (_FRACTIONS.get(match["count"]) or count_of(" ".join(match["count"].split())))
            about = max(unit / 2, back / 4)
            return (now - back - about, min(now, now - back + about)) if match["ago"] else (now - back, now)
        except (KeyError, OverflowError):
            return None
    part = next((name for name in _PARTS_OF_DAY if name in words), None)
    if part is None:
        return None
    today = now.astimezone(zone).date()
    day = today - timedelta(days=1) if "yesterday" in words or part == "last night" else today
    begins, ends = (datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), zone) for hour in _PARTS_OF_DAY[part])
    return to_utc(begins, zone=zone), min(now, to_utc(ends, zone=zone))


def day_of(at: datetime, *, text: str, start: int, zone: tzinfo) -> TimeSpan:
    """Return the whole day of an instant, by the user's clocks, as what the words that begin there mean."""
    day = at.astimezone(zone).date()
    begins, ends = to_utc(day, zone=zone), end_of(day, zone=zone)
    return TimeSpan(text=text, start=start, end=start + len(text), begins=begins, ends=ends, role="point")


def _stretch(match: re.Match[str], first: date, last: date, *, zone: tzinfo) -> TimeSpan:
    begins, ends = to_utc(first, zone=zone), end_of(last, zone=zone)
    return TimeSpan(text=match.group(), start=match.start(), end=match.end(), begins=begins, ends=ends, role="point")


def _as_words(match: re.Match[str], found: Iterable[TimeSpan]) -> list[TimeSpan]:
    """Times as what other words mean."""
    return [span.model_copy(update={"text": match.group(), "start": match.start(), "end": match.end()}) for span in found]


def _asks_ahead(text: str) -> bool:
    return bool(_TO_COME.search(text)) or asks_present(text)


def _as_asked(span: TimeSpan, now: datetime, zone: tzinfo) -> TimeSpan:
    """The last few days are up to today, and today is one of them; the end of a month is its last week, and not its last day."""
    if span.ends <= now and _UP_TO_NOW.search(span.text):
        return span.model_copy(update={"ends": end_of(now.astimezone(zone).date(), zone=zone)})
    part = _PART.search(span.text) if span.role == "point" else None
    first, last = _days_within(span, zone)
    if part is None or first != last:
        return span
    days = timedelta(days=_PART_DAYS[part.lastgroup if part.lastgroup != "part" else None] - 1)
    before = {"end": days, "middle": days // 2}.get(part["part"].lower(), timedelta())
    with suppress(OverflowError):
        return span.model_copy(update={"begins": to_utc(first - before, zone=zone), "ends": end_of(first - before + days, zone=zone)})
    return span


def _last_quarter(match: re.Match[str], *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """The quarter of that number that was last, or is."""
    number = {"first": 1, "second": 2, "third": 3}.get(match["which"].lower(), 4)
    found = find_times(f"in Q{number}", at=now, zone=zone, prefer="past")
    return _as_words(match, found)


def _of_month(match: re.Match[str], *, now: datetime, zone: tzinfo, ahead: bool) -> list[TimeSpan]:
    """The last day of that number, and the next one where that may be meant; months that lack it are passed over."""
    today, number = now.astimezone(zone).date(), int(match["day"])
    near = [today + timedelta(days=day) for day in range(-61, 62)]
    past = [day for day in near if day.day == number and day <= today][-1:]
    future = [day for day in near if day.day == number and day >= today][:1] if ahead else []
    return [_stretch(match, day, day, zone=zone) for day in dict.fromkeys(past + future)]


def times_of(spans: Sequence[TimeSpan], *, now: datetime, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    """Return the stretches that are meant: "in July", without a year, is any July of the last ten."""
    times = []
    for span in spans:
        if _AFTER_DATE.match(span.text):
            times.append((span.begins, max(span.ends, now)))
            continue
        if BEFORE_DATE.match(span.text):
            end = span.ends if span.text[:1] in "uUtT" else span.begins  # until June is with June
            times.append((end - timedelta(days=365.25) * _YEARS_BACK, end))
            continue
        times.append((span.begins, span.ends))
        if _names_month(span) and not _YEAR.search(span.text) and not _WHICH.search(span.text):
            times += _of_years_before(span.text, span.begins, zone=zone)
        if len(times) >= _MAX_TIMES:
            break
    return list(dict.fromkeys(times))[:_MAX_TIMES]


def _of_years_before(text: str, begins: datetime, *, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    """The same days of the years before those that begin so, by the user's clocks; Easter is another day each year."""
    times: list[tuple[datetime, datetime]] = []
    for _ in range(_YEARS_BACK):
        earlier = next(iter(find_times(text, at=begins - MOMENT, zone=zone, prefer="past")), None)
        if earlier is None or earlier.begins >= begins:
            break
        begins = earlier.begins
        asked = _as_asked(earlier, begins, zone)
        times.append((asked.begins, asked.ends))
    return times


def days_of(spans: Sequence[TimeSpan], *, zone: tzinfo) -> dict[TimeSpan, list[str]]:
    """Return what is told by where it lies from today ("last week"), or by numbers ("2025-05-12"), with its days, months or years.

    So are a day and a few days of a month that is named, or some from a feast ("3 May", "early May", "the day after Christmas"). Others
    are found by their words. What else is told beside such ones lies nowhere from today.
    """
    named = [span for span in spans if _names_month(span) or _YEAR_IN_FULL.search(span.text)]
    found: dict[TimeSpan, list[str]] = {}
    for span in named or spans:
        if span.role == "point" and (
            not _names_month(span) or _is_day(span) or _is_few(span) or _RECKONED.search(span.text) or _FEAST.search(span.text)
        ):
            with suppress(OverflowError):  # at the ends of time a zone may lead beyond
                found[span] = _in_words(span, zone)
    return {span: days for span, days in found.items() if days}


def days_abroad(spans: Sequence[TimeSpan], *, zone: tzinfo) -> dict[TimeSpan, list[str]]:
    """Return the days, months or years of the times of a question in another language: the index has none of its words for them."""
    found: dict[TimeSpan, list[str]] = {}
    for span in spans:
        if span.role == "point":
            with suppress(OverflowError):
                found[span] = _in_words(span, zone)
    return {span: days for span, days in found.items() if days}


def _in_words(span: TimeSpan, zone: tzinfo) -> list[str]:
    """Each day as the full-text index has it; of many the months, or the years; none of more than these."""
    first, last = _days_within(span, zone)
    if first == last and _FEW_DAYS.search(span.text):
        first, last = first - timedelta(days=1), last + timedelta(days=1)
    ways = [(_DAY, MOST_DAYS), (_MONTH, _MOST_MONTHS), (_ONE_YEAR, _MOST_YEARS)]
    about = _ABOUT.search(span.text) if first == last and not _EXACT.search(span.text) else None  # "two months ago"
    if about is not None:
        unit = about[1].lower()
        aside = timedelta(days=3 if unit in ("week", "fortnight") else 0)
        first, last = first - aside, last + aside
        ways = ways[{"month": 1, "year": 2}.get(unit, 0) :]
    elif _RECKONED.search(span.text) or _FEAST.search(span.text) or (_names_month(span) and _is_few(span)):
        ways = ways[:1]
    if _YEAR_IN_FULL.search(span.text) and first != last:
        ways = ways[:2]  # "the first quarter of 2024", and not 2024
    lasts = (last - first).days
    each = [first + timedelta(days=day) for day in range(lasts + 1)] if lasts <= 366 * _MOST_YEARS else []
    for words, most in ways:
        written = list(dict.fromkeys(words.format(day.day, _MONTHS[day.month - 1], day.year) for day in each))
        if len(written) <= most:
            return written
    return []


def _is_day(span: TimeSpan) -> bool:
    return span.ends - span.begins <= timedelta(days=1, hours=2)  # of 25 hours where clocks are put back


def _days_within(span: TimeSpan, zone: tzinfo) -> tuple[date, date]:
    """The first and the last day of a stretch, by the user's clocks."""
    return span.begins.astimezone(zone).date(), max(span.begins, span.ends - timedelta(microseconds=1)).astimezone(zone).date()


def _is_few(span: TimeSpan) -> bool:
    return timedelta(days=1, hours=2) < span.ends - span.begins < timedelta(days=MOST_DAYS, hours=2)


def _names_month(span: TimeSpan) -> bool:
    return _ANY_YEAR.search(span.text) is not None or EASTERN.fullmatch(span.text) is not None
