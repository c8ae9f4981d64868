"""Time phrases in English text, with what stands around them, resolved to stretches of time; `dates` tells the days of each."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo
from typing import Literal, NamedTuple

from memdb.dates import (
    ATOMS,
    COUNT,
    DAY,
    DAY_NUMBER,
    EASTERN,
    GAP,
    MONTH,
    TYPED,
    WEEKDAYS,
    YEAR,
    Atom,
    Prefer,
    Role,
    count_of,
    days_of,
    eastern_day,
    length_of,
    nearer,
    number_of,
    one_day,
    resolve,
)
from memdb.errors import InputError
from memdb.records import Record
from memdb.times import to_utc

Edge = Literal["begins", "ends", "happens"]


class TimeSpan(Record):
    """A time phrase and the stretch it means, `begins` to `ends` (exclusive), both UTC and at a local midnight.

    `start` and `end` are character positions in the text. `role`: "point" is the day, week or year that is named ("next Friday", "in
    March"); "until" runs from the turn to the end of what is named, or to the beginning of a week, month or year ("until March"),
    and if that lies in the past is the stretch named;
    "by" is the day that something is due; "for" lasts from the turn on, or up to it ("for two weeks"); "since" began then and runs
    up to the turn; "from" begins then (or after it) and its end is only that of the phrase.
    """

    text: str
    start: int
    end: int
    begins: datetime
    ends: datetime
    role: Role


_TELLING = TYPED.keys() | frozenset(
    """
    january jan february feb march mar april apr may june jun july jul august aug september sept sep october oct november nov december dec
    monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday sun
    today tonight tomorrow yesterday morning afternoon evening day days night nights week weeks weekend weekends fortnight fortnights
    month months year years quarter spring summer autumn fall winter christmas xmas easter halloween boxing whitsun whit pentecost ascension
    """.split()
)
"""Every time phrase has one of these words, or a number; to look for those takes a tenth of the time."""

_DIGIT = re.compile(r"(?<!\w)(?:\d|[qQ][1-4](?!\w))")
_LETTERS = re.compile(r"[a-z]+")
_COMERS = ("i", "you", "we", "they", "he", "she", "it", "who", "to", "will", "would", "can", "could", "may", "not", "please", "ll")
_PREFIX = re.compile(  # "come Monday" is a time, and "they come Monday" none
    r"\b(until|till|til|through|thru|by|before|for|since|from|as of|after|in|within|during|over|on|at|this|of|early|late|mid|between"
    r"|(?P<start>(?:starting|beginning)(?: (?:on|in|from))?|effective(?: from)?|as from|with effect from|"
    + "".join(rf"(?<!\b{word} )" for word in _COMERS)
    + r"come))(?:[ \t\n]|-)(?:the |early |late |mid-|about |around |at least |almost |nearly |only |all of )?$",
    re.IGNORECASE,
)
_THIRD = re.compile(r"(?<![^\W_])(?P<third>early|mid|late|earlier|later)(?:[ \t\n]|-)(?:the[ \t\n])?$", re.IGNORECASE)
_ASIDE = re.compile(  # "two days before Christmas", "the week after Easter"
    rf"\b(?:(?P<the>the|that)|(?P<count>{COUNT})){GAP}"
    rf"(?P<unit>day|night|morning|evening|afternoon|week|weekend|fortnight|month|year|{'|'.join(WEEKDAYS)})s?{GAP}$",
    re.IGNORECASE,
)
_DATED = re.compile(  # behind a weekday, which is that of the date then: "Friday 27 June", "Friday, June the 27th"
    rf"\.?,?{GAP}(?:the{GAP})?(?:{DAY_NUMBER}{GAP}(?:of{GAP})?{MONTH}|{MONTH}{GAP}(?:the{GAP})?{DAY_NUMBER}(?!\w))", re.IGNORECASE
)
_WEEKDAY_OF = re.compile(
    rf"\b(?:(?:next|last|this(?:{GAP}coming)?|coming){GAP})?(?P<day>{'|'.join(WEEKDAYS)}|mon|tues?|wed|thu|thurs?|fri|sat|sun)\.?,?{GAP}$",
    re.IGNORECASE,
)
_UP_TO = ("until", "till", "til", "before", "by")
_IS_OVER = re.compile(rf"{GAP}(?:ends|is (?:over|out|up))(?!\w)", re.IGNORECASE)  # "before the year ends"
_LASTS = re.compile(r"\b(?:for|in|over|within)[ \t\n]$", re.IGNORECASE)  # "for two weeks before Christmas"
_LONGEST_ASIDE = 40
_REPEATED = re.compile(r"\b(?:every|each|most|once|twice|times)[ \t\n](?:other[ \t\n]|second[ \t\n])?$", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|\u2013|to|until|till|and|through)\s?", re.IGNORECASE)
_DAYS_BEFORE = re.compile(  # "10 to 12 May", "between 10 and 12 May", of which the last is a whole date
    r"(?:\b(?P<word>between|from)\s(?:the\s)?|(?<![\w:.,/\u2013-])(?<!\d\s))"
    rf"(?P<day>{DAY_NUMBER})(?:\s?[-\u2013]\s?|\s(?:(?P<and>and)|to|until|till|through)\s)(?:the\s)?$",
    re.IGNORECASE,
)
_DAYS_AFTER = re.compile(  # "May 10 to 12", "May 10-12, 2024"
    rf"(?:\s?[-\u2013]\s?|\s(?:(?P<and>and)|to|until|till|through)\s)(?:the\s)?(?P<day>{DAY_NUMBER})"
    rf"(?![\w:%/\u2013-]|[.,]\d|\s?(?:am|pm|%|o['\u2019]clock)\b|\s(?!(?:and|or|in|at|with|for|to|on|there|then|we|i|together)\b)[a-z])"
    rf"(?:,?\s(?P<year>{YEAR})\b)?",
    re.IGNORECASE,
)
_YEAR_OF = {
    "dm_day": "dm_year", "md_day": "md_year", "o_month": "o_year", "p_month": "p_year", "season": "s_year", "feast": "f_year",
    "month": "m_year", "quarter": "q_year",
}  # fmt: skip
_RELATIVE_YEAR = rf"(?:(?P<which>this|next|last){GAP}year\b|(?P<ago>{COUNT}){GAP}years?{GAP}ago\b)"
_ITS_YEAR = re.compile(rf"(?:,?{GAP}of|,)?{GAP}{_RELATIVE_YEAR}", re.IGNORECASE)  # "in April next year"
_YEAR_BEFORE = re.compile(  # "next year in April"
    rf"\b{_RELATIVE_YEAR}(?:,?{GAP}(?:in|on|at|around|over)(?:{GAP}the)?)?{GAP}(?:early |mid-|late )?$", re.IGNORECASE
)
_YEARS = {"this": 0, "next": 1, "last": -1}
_BEFORE_LAST = re.compile(  # "the Friday …"
    rf"{GAP}before{GAP}last(?=\s*(?:$|[,.;:!?)]|(?:and|but|i|we|he|she|they|it|at|in|with)\b))", re.IGNORECASE
)
_OFTEN = re.compile(
    rf"\b(?:once|twice|each|every|only|(?:{COUNT}{GAP})?(?:times|days?|nights?|mornings|evenings|hours?|\w+s))[ \t\n]$", re.IGNORECASE
)
_OTHER_WORDS = ("may", "march", "fall", "spring")  # "I may next year", "I had a fall last year"
_SPACE = re.compile(r"\s+")
_ROLES: dict[str, Role] = {
    "until": "until", "till": "until", "til": "until", "through": "until", "thru": "until", "by": "by", "before": "by", "for": "for",
    "since": "since", "from": "from", "starting": "from", "as of": "from", "after": "from", "between": "from",
}  # fmt: skip
_THROUGHOUT = ("for", "over", "during")
_AROUND = ("", "on", "from", "between", "for", "during", "over", "in", "this")
_LONGEST_PREFIX = 32
_ONWARDS = re.compile(  # "from June on"
    r"\s(?:onwards?|forward|and (?:onwards?|beyond|after)|on(?=\s*(?:$|[,.;:!?)]|(?:and|i|we|(?:my|our)(?! own)|he|she|they|it|there)\b)))",
    re.IGNORECASE,
)
_TO_COME = re.compile(r"\b(?:will|shall|going to)\b|'ll\b", re.IGNORECASE)


def find_times(text: str, *, at: datetime, zone: tzinfo, prefer: Prefer = "future") -> list[TimeSpan]:
    """Return the time phrases of a text in order, not overlapping.

    `at` is when it was said (UTC) and `zone` where: days begin at the local midnight. A weekday, month or feast that does not say which
    one is the next one, or with `prefer="past"` the last one; "every Friday" is none at all. "Next Friday" is the Friday of next week
    (weeks begin on Monday). Dates that do not exist, or lie outside the years that can be stored, are left out.
    """
    if not may_tell(text):
        return []
    local = at.astimezone(zone).date()
    spans: list[TimeSpan] = []
    opening: _Opening | None = None
    read = 0
    for match in ATOMS.finditer(text):
        if match.start() < read:
            continue
        found = {name: _SPACE.sub(" ", value.lower()) for name, value in match.groupdict().items() if value}
        if not found.keys().isdisjoint(("weekday", "w_day")) and _DATED.match(text, match.end()):
            continue  # the date tells the day
        begin, read, earliest = match.start(), match.end(), len(text)
        of_year = next((_YEAR_OF[name] for name in _YEAR_OF if name in found), "")
        if of_year and of_year not in found:
            if (year := _ITS_YEAR.match(text, read)) and not _is_another_word(text, match):
                found[of_year], read = _its_year(year, local), year.end()
            elif spans and spans[-1].role == "point" and (year := _YEAR_BEFORE.search(text, spans[-1].start, begin)):
                found[of_year], earliest = _its_year(year, local), spans.pop().start
        dated = not of_year or of_year in found
        if not found.keys().isdisjoint(("dm_day", "md_day")) and (of := _WEEKDAY_OF.search(_before(text, begin))):
            begin -= of.end() - of.start()
            found["of_weekday"] = of["day"].lower()
        if opening is not None and (closed := opening.closed(text, match, found, begin, local, dated=bool(of_year) and dated)) is not None:
            spans[-1:] = _span(text, opening.start, read, closed, "point", zone)
            opening = None
            continue
        opening, window = None, _before(text, begin)
        if _REPEATED.search(window):
            continue
        before = _PREFIX.search(window)
        word = before.group(1).lower() if before else ""
        start = min(begin - len(window) + before.start() if before else begin, earliest)
        may_open = word.endswith("from") or word == "between"
        if before and before["start"]:
            word = "starting"
        direction = _direction(text, found, word, local, prefer)
        third = _THIRD.search(window)
        if word in _THROUGHOUT and "c_way" in found:  # "for three days from tomorrow", not three days from then on
            found["c_lasts"] = word
        atom = resolve(found | {"third": third["third"].lower()} if third else found, match, local, direction)
        if atom is not None and "weekday" in found and (earlier := _BEFORE_LAST.match(text, read)):
            last = resolve(found, match, local, "past")
            atom, read = last and last._replace(first=last.first - 7 * DAY, after=last.after - 7 * DAY), earlier.end()
        if atom is None:
            continue
        read = over.end() if word in _UP_TO and (over := _IS_OVER.match(text, read)) else read
        atom = atom._replace(end=read)
        if word in ("before", "after", "from", "on") and (aside := _aside(text, start, atom, word)) is not None:
            while spans and spans[-1].end > aside.start:  # "on the Friday" before Easter
                start = min(start, spans.pop().start)
            spans += _span(text, min(start, aside.start), read, (aside.first, aside.after), "point", zone)
            continue
        if (days := _of_one_month(text, match, found, atom, word)) is not None:
            spans += _span(text, min(start, days.start), days.end, (days.first, days.after), "point", zone)
            continue
        resolved = None if atom.bare and not word else _in_role(atom, word, local, direction)
        if resolved is not None:
            first, after, role = resolved
            onwards = _ONWARDS.match(text, read) if role == "from" else None
            new = _span(text, start, onwards.end() if onwards else read, (first, after), role, zone)
            spans += new
            opening = _Opening(atom, start, may_open, dated) if new and (may_open or role in ("point", "for")) else None
    return spans if text.isascii() else sorted([*spans, *_eastern(text, local, zone, prefer)], key=lambda span: span.start)


def _eastern(text: str, local: date, zone: tzinfo, prefer: Prefer) -> list[TimeSpan]:
    """The days that are written as Chinese, Japanese and Korean do, in which nothing that `ATOMS` matches can stand."""
    days = ((match, eastern_day(match, local, prefer)) for match in EASTERN.finditer(text))
    return [
        span
        for match, day in days
        if day is not None
        for span in _span(text, match.start(), match.end(), (day.first, day.after), "point", zone)
    ]


class _Opening(NamedTuple):
    """What may open a range, and where that stands; whether a word says that it does ("from", "between"), and whether its year is told."""

    atom: Atom
    start: int
    said: bool
    dated: bool

    def closed(
        self, text: str, match: re.Match[str], found: dict[str, str], begin: int, local: date, *, dated: bool
    ) -> tuple[date, date] | None:
        """The days of the range that ends with what was found, of which the year may be told (`dated`); None where it is none."""
        if not _RANGE.fullmatch(text[self.atom.end : begin][:12]):
            return None
        relative = not found.keys().isdisjoint(("day", "b_unit", "u_unit", "n_unit"))
        last = resolve(found, match, local if relative else self.atom.first, "future")
        if last is None:
            return None
        opens = _of_its_year(self.atom, last) if dated and not self.dated else self.atom
        is_one = opens.first < last.after if self.said else opens.after == last.first  # "in July and August"
        return (opens.first, last.after) if is_one else None


def _direction(text: str, found: dict[str, str], word: str, local: date, prefer: Prefer) -> Prefer:
    """Whether the last or the next one is meant, where a time does not say which."""
    if word == "as of" and not _TO_COME.search(text):
        return nearer(found, local) or prefer  # "as of January I work there", said in March
    return "past" if word == "since" else "future" if word in ("by", "within", "starting") else prefer


def _before(text: str, place: int) -> str:
    """What stands before a place, as far as it may bear on what stands there."""
    return text[max(0, place - _LONGEST_PREFIX) : place]


def _its_year(told: re.Match[str], local: date) -> str:
    """The year that is told beside a date: "last year", "5 years ago"."""
    return str(local.year + (_YEARS[told["which"].lower()] if told["which"] else -count_of(_SPACE.sub(" ", told["ago"].lower()))))


def _of_its_year(atom: Atom, last: Atom) -> Atom:
    """What opens a range, in the year that is told with its last part: "in July and August next year", "from December to February 2028"."""
    years = last.first.year - atom.first.year
    try:
        opens = [day.replace(year=day.year + years) for day in (atom.first, atom.after)]
        opens = opens if opens[0] < last.after else [day.replace(year=day.year - 1) for day in opens]
    except ValueError:  # 29 February
        return atom
    return atom._replace(first=opens[0], after=opens[1])


def _is_another_word(text: str, match: re.Match[str]) -> bool:
    """Whether what looks like a month or a season is none, since nothing but its letters tells so."""
    word = match.group()
    return word.lower() in _OTHER_WORDS and word.islower() and not _PREFIX.search(_before(text, match.start()))


def _of_one_month(text: str, match: re.Match[str], found: dict[str, str], atom: Atom, word: str) -> Atom | None:
    """The days from one to another of the same month, where a number before the date says the first, or one behind it the last."""
    window = _before(text, match.start())
    try:
        if (
            "dm_day" in found
            and (other := _DAYS_BEFORE.search(window))
            and (not other["and"] or (other["word"] or "").lower() == "between")
        ):
            first = atom.first.replace(day=number_of(other["day"]))
            return atom._replace(start=match.start() - len(window) + other.start(), first=first) if first < atom.first else None
        if "md_day" in found and "md_year" not in found and word in _AROUND:
            other = _DAYS_AFTER.match(text, match.end())
            if other and (not other["and"] or word == "between"):
                year = int(other["year"] or atom.first.year)
                first, last = atom.first.replace(year=year), atom.first.replace(year=year, day=number_of(other["day"]))
                return atom._replace(end=other.end(), first=first, after=last + DAY) if first < last else None
    except (ValueError, OverflowError):  # there is no such day
        pass
    return None


def _aside(text: str, start: int, atom: Atom, word: str) -> Atom | None:
    """What lies so far before or after a day, where the words before its preposition say how far."""
    window = text[max(0, start - _LONGEST_ASIDE) : start]
    found = _ASIDE.search(window)
    if found is None or atom.after - atom.first != DAY or (found["count"] and _LASTS.search(window[: found.start()])):
        return None
    if word in ("from", "on") and not (found["count"] and found["unit"].lower() in ("week", "fortnight")):
        return None
    if word == "on" and _OFTEN.search(window[: found.start()]):
        return None  # "twice a week on Monday"
    count = _SPACE.sub(" ", found["count"].lower()) if found["count"] else None
    try:
        aside = _so_far(found["unit"].lower(), count, atom.first, back=word == "before")
    except (ValueError, OverflowError):  # beyond the calendar
        return None
    return aside._replace(start=start - len(window) + found.start()) if aside else None


def _so_far(unit: str, count: str | None, day: date, *, back: bool) -> Atom | None:
    """The day that lies so many units before or after another; or the unit itself, a week up to it, or a weekday, that is next to it."""
    long = unit in ("week", "fortnight", "month", "year")
    if count:
        return one_day(length_of(count, unit, day, back=back)) if long or unit in ("day", "night") else None
    if long:
        near = day if back else day + DAY
        far = length_of("1", unit, near, back=back)
        return days_of(far, near) if back else days_of(near, far)
    if unit not in (*WEEKDAYS, "weekend"):
        return one_day(day + (-DAY if back else DAY))
    number, length = (5, 2) if unit == "weekend" else (WEEKDAYS.index(unit), 1)
    first = day + (((number - day.weekday() - 1) % 7 + 1) * DAY if not back else -((day.weekday() - number - length) % 7 + length) * DAY)
    return days_of(first, first + length * DAY)


def may_tell(text: str) -> bool:
    """Return whether there may be a time phrase in a text, which most texts have none of."""
    return not text.isascii() or not _TELLING.isdisjoint(_LETTERS.findall(text.lower())) or _DIGIT.search(text) is not None


def read_time(text: str | None, *, at: datetime, zone: tzinfo, edge: Edge) -> datetime | None:
    """Return the instant that somebody wrote into a form: ISO-8601, or words such as "next Friday"; None if it is neither.

    `edge` is what the form asks for: when something "begins" to be so, when it "ends" to be so (a day that is named still counts), or
    when it "happens".
    """
    written = (text or "").strip()[:_LONGEST_TIME]
    if not written:
        return None
    if not _DATE.fullmatch(written):
        try:
            return to_utc(written, zone=zone)
        except InputError:
            pass  # words
    prefer: Prefer = "past" if edge == "begins" else "future"
    for before in _ASKED[edge]:
        spans = find_times(before + written, at=at, zone=zone, prefer=prefer)
        if spans:
            return spans[0].ends if edge == "ends" else spans[0].begins
    return None


_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST_TIME = 80
_ASKED: dict[Edge, tuple[str, ...]] = {
    "begins": ("since ", "", "from "),
    "ends": ("until ", "", "for ", "in "),
    "happens": ("", "on ", "in "),
}


def _in_role(atom: Atom, word: str, local: date, prefer: Prefer) -> tuple[date, date, Role] | None:
    """What a phrase means behind its preposition, or None if it means no time there."""
    role = atom.role or _ROLES.get(word, "point")
    first, after = atom.first, atom.after
    try:
        if atom.role == "for":  # a bare length, "two weeks": `first`..`after` counts from the day it was said
            length = after - first
            if word in _THROUGHOUT:
                return (local - length, local, "for") if prefer == "past" and first == local else (first, after, "for")
            return (after, after + DAY, "by" if word == "within" else "point") if word in ("in", "within") else None
        if role == "until":
            if after <= local:
                return first, after, "until"
            whole = after - first <= DAY or atom.part or word in ("through", "thru") or first <= local
            return local, after if whole else first, "until"
        if role == "for":
            return max(first, local) if after > local else first, after, "for"
        if role == "since":
            return (first, max(local + DAY, after), "since") if first <= local else None
        if word == "after":
            return after, after + DAY, "from"
    except OverflowError:
        return None
    return first, after, role


def _span(text: str, start: int, end: int, days: tuple[date, date], role: Role, zone: tzinfo) -> list[TimeSpan]:
    try:
        begins, ends = (datetime.combine(day, time(), zone).astimezone(UTC) for day in days)
    except (OverflowError, ValueError):
        return []
    return [TimeSpan(text=text[start:end], start=start, end=end, begins=begins, ends=ends, role=role)] if begins < ends else []
