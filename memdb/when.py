"""Time phrases in English text, resolved to stretches of time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal, NamedTuple

from memdb.errors import InputError
from memdb.records import Record
from memdb.times import to_utc

Role = Literal["point", "until", "by", "for", "since", "from"]
Prefer = Literal["past", "future"]
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


class _Atom(NamedTuple):
    start: int
    end: int
    first: date
    after: date
    bare: bool  # means a time only behind a preposition: "March", "2019", "three days"
    role: Role | None = None
    part: bool = False  # a part of a month or year was named ("the end of"), so that "until" runs to its end


_Cut = Callable[[date, date], tuple[date, date]]
_DAY = timedelta(days=1)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first months, northern hemisphere
_FEASTS = {"christmas": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24), "new year": (1, 1), "new year's": (1, 1),
           "new year's eve": (12, 31), "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
           "boxing day": (12, 26), "christmas day": (12, 25)}  # fmt: skip
_FROM_EASTER = {"easter": 0, "easter sunday": 0, "easter monday": 1, "good friday": -2, "maundy thursday": -3, "palm sunday": -7,
                "ash wednesday": -46, "shrove tuesday": -47, "ascension day": 39, "whitsun": 49, "whit sunday": 49, "pentecost": 49,
                "whit monday": 50}  # fmt: skip
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "couple of": 2, "three": 3, "a few": 3, "few": 3, "several": 3,
            "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}  # fmt: skip

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_PLACES = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth"}
_S = r"[ \t\n]{1,3}"
_DAY_NUMBER = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_UNIT = r"(?:day|night|week|weekend|fortnight|month|year)"
_COUNT = rf"(?:\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True)).replace(' ', _S)})"
_FEAST = "|".join(sorted([*_FEASTS, *_FROM_EASTER], key=len, reverse=True)).replace(" ", _S)
_ENDING = (  # "the week before last", not "the week before last Christmas"
    r"(?=\s*(?:$|[,.;:!?)]|(?:i|we|you|he|she|they|it|and|but|or|at|in|on|with|when|where|for|to|my|our|there|because|until|as)\b))"
)
_TYPED = {  # as people type them
    **dict.fromkeys(("tmrw", "tmr", "tmrow", "tomoz", "tomorow", "tommorow", "tommorrow", "2moro", "2morrow"), "tomorrow"),
    **dict.fromkeys(("tonite", "2nite"), "tonight"),
}
_ATOMS = re.compile(
    rf"""\b(?=\w)(?:
      (?P<o_the>the{_S})?(?P<o_which>first|second|third|fourth|last|1st|2nd|3rd|4th){_S}(?:(?P<o_count>{_COUNT}){_S})?
        (?P<o_unit>day|week|weekend|fortnight|month|quarter|half|{"|".join(_WEEKDAYS)})s?{_S}(?(o_the)(?:of|in)|of){_S}(?:the{_S})?
        (?:(?:(?P<o_this>this|next|last|past|previous){_S})?(?:(?P<o_of>month|year)|(?P<o_month>{_MONTH})(?:{_S}(?P<o_year>{_YEAR}))?)
          |(?P<o_whole>{_YEAR}))
    | q(?P<quarter>[1-4])(?:{_S}(?:of{_S})?(?P<q_year>{_YEAR}))?
    |
      (?P<iso>{_YEAR}-\d\d-\d\d|{_YEAR}/\d\d/\d\d)
    | (?P<numeric>\d{{1,2}}[/.]\d{{1,2}}[/.]{_YEAR})
    | (?:the{_S})?(?P<dm_day>{_DAY_NUMBER}){_S}(?:of{_S})?(?P<dm_month>{_MONTH})(?:,?{_S}(?P<dm_year>{_YEAR}))?
    | (?P<md_month>{_MONTH}){_S}(?:the{_S})?(?P<md_day>{_DAY_NUMBER})(?![\d:%])(?:,?{_S}(?P<md_year>{_YEAR}))?
    | (?:the{_S})?(?P<day>(?:day|night){_S}before{_S}yesterday|night{_S}before{_S}last{_ENDING}|day{_S}after{_S}tomorrow|today|tonight
        |tomorrow|{"|".join(_TYPED)}|yesterday|last{_S}night|this{_S}(?:morning|afternoon|evening))(?:{_S}(?:morning|afternoon|evening|night))?
    | (?:the{_S})?(?P<mo_day>{_DAY_NUMBER}){_S}of{_S}(?P<mo_which>this|next|last|the){_S}month
    | (?:the{_S})?(?P<part>end|beginning|start|first|1st|middle){_S}of{_S}(?:the{_S})?
        (?:(?P<p_which>this|next|last){_S})?(?:(?P<p_unit>week|month|year)|(?P<p_month>{_MONTH})(?:{_S}(?P<p_year>{_YEAR}))?|(?P<p_whole>{_YEAR}))
    | (?P<w_which>next|last|this(?:{_S}coming)?|coming){_S}(?P<w_day>{"|".join(_WEEKDAYS)}|mon|tues?|wed|thu|thurs?|fri|sat|sun)\b
        (?:{_S}(?:morning|afternoon|evening|night)\b)?
    | (?P<wk_day>{"|".join(_WEEKDAYS)}){_S}(?:of{_S})?(?P<wk_which>this|last|next){_S}week
    | (?P<wk_which_first>this|last|next){_S}week{_S}(?:on{_S})?(?P<wk_day_last>{"|".join(_WEEKDAYS)})
    | (?P<weekday>{"|".join(_WEEKDAYS)})(?:{_S}(?:morning|afternoon|evening|night)\b)?
    | (?:the{_S})?(?P<n_which>next|last|past|previous|coming|following){_S}(?P<n_count>{_COUNT}){_S}(?P<n_unit>{_UNIT})s?
    | (?:the{_S})?(?P<b_unit>week|weekend|fortnight|month|year){_S}(?P<b_way>before{_S}last|after{_S}next){_ENDING}
    | (?P<u_which>this|next|last|past|previous|coming|(?<!during[ \t\n])the){_S}(?P<u_unit>week|weekend|fortnight|month|year)
    | (?P<c_count>{_COUNT}){_S}(?P<c_unit>{_UNIT})s?(?:{_S}(?P<c_way>ago|earlier|from{_S}now|later|from{_S}today|from{_S}tomorrow)
        (?:(?<=ago){_S}(?P<c_day>yesterday|today))?)?
    | (?:(?P<s_which>this|next|last|the){_S})?(?P<season>spring|summer|autumn|fall|winter)(?:{_S}(?:of{_S})?(?P<s_year>{_YEAR}))?
    | (?:(?P<f_which>this|next|last){_S})?(?P<feast>{_FEAST})(?:{_S}(?P<f_year>{_YEAR}))?
    | (?:(?P<m_which>this|next|last){_S})?(?P<month>{_MONTH})(?:,?{_S}(?:of{_S})?(?P<m_year>{_YEAR}))?
    | (?P<year>{_YEAR})
    )(?!\w|-(?!\d\d?(?:$|[\s,.;:?!)]))\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_TELLING = (
    frozenset(
        """
    january jan february feb march mar april apr may june jun july jul august aug september sept sep october oct november nov december dec
    monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday sun
    today tonight tomorrow yesterday morning afternoon evening day days night nights week weeks weekend weekends fortnight fortnights
    month months year years quarter spring summer autumn fall winter christmas xmas easter halloween boxing whitsun whit pentecost ascension
    """.split()
    )
    | _TYPED.keys()
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
    rf"\b(?:(?P<the>the|that)|(?P<count>{_COUNT})){_S}"
    rf"(?P<unit>day|night|morning|evening|afternoon|week|weekend|fortnight|month|year|{'|'.join(_WEEKDAYS)})s?{_S}$",
    re.IGNORECASE,
)
_LASTS = re.compile(r"\b(?:for|in|over|within)[ \t\n]$", re.IGNORECASE)  # "for two weeks before Christmas"
_LONGEST_ASIDE = 40
_REPEATED = re.compile(r"\b(?:every|each|most|once|twice|times)[ \t\n](?:other[ \t\n]|second[ \t\n])?$", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|\u2013|to|until|till|and|through)\s?", re.IGNORECASE)
_DAYS_BEFORE = re.compile(  # "10 to 12 May", "between 10 and 12 May", of which the last is a whole date
    r"(?:\b(?P<word>between|from)\s(?:the\s)?|(?<![\w:.,/\u2013-])(?<!\d\s))"
    rf"(?P<day>{_DAY_NUMBER})(?:\s?[-\u2013]\s?|\s(?:(?P<and>and)|to|until|till|through)\s)(?:the\s)?$",
    re.IGNORECASE,
)
_DAYS_AFTER = re.compile(  # "May 10 to 12", "May 10-12, 2024"
    rf"(?:\s?[-\u2013]\s?|\s(?:(?P<and>and)|to|until|till|through)\s)(?:the\s)?(?P<day>{_DAY_NUMBER})"
    rf"(?![\w:%/\u2013-]|[.,]\d|\s?(?:am|pm|%|o['\u2019]clock)\b|\s(?!(?:and|or|in|at|with|for|to|on|there|then|we|i|together)\b)[a-z])"
    rf"(?:,?\s(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")
_ROLES: dict[str, Role] = {
    "until": "until", "till": "until", "til": "until", "through": "until", "thru": "until", "by": "by", "before": "by", "for": "for",
    "since": "since", "from": "from", "starting": "from", "as of": "from", "after": "from", "between": "from",
}  # fmt: skip
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
    if not _may_tell(text):
        return []
    local = at.astimezone(zone).date()
    spans: list[TimeSpan] = []
    held: tuple[_Atom, int, bool] | None = None  # what may open a range, where that stands, and whether it does ("from", "between")
    for match in _ATOMS.finditer(text):
        found = {name: _SPACE.sub(" ", value.lower()) for name, value in match.groupdict().items() if value}
        if held is not None and _RANGE.fullmatch(text[held[0].end : match.start()][:12]):
            relative = not found.keys().isdisjoint(("day", "b_unit", "u_unit", "n_unit"))
            atom = _resolve(found, match, local if relative else held[0].first, "future")
            if atom is not None and (held[0].first < atom.after if held[2] else held[0].after == atom.first):  # "in July and August"
                spans[-1:] = _span(text, held[1], match.end(), (held[0].first, atom.after), "point", zone)
                held = None
                continue
        window = text[max(0, match.start() - _LONGEST_PREFIX) : match.start()]
        if _REPEATED.search(window):
            held = None
            continue
        before = _PREFIX.search(window)
        word = before.group(1).lower() if before else ""
        start = match.start() - len(window) + before.start() if before else match.start()
        opens = word.endswith("from") or word == "between"
        if before and before["start"]:
            word = "starting"
        direction: Prefer = "past" if word == "since" else "future" if word in ("by", "within", "starting") else prefer
        if word == "as of" and "month" in found and not _TO_COME.search(text):
            direction = _nearer(found["month"], local)  # "as of January I work there", said in March
        third = _THIRD.search(window)
        atom = _resolve(found | {"third": third["third"].lower()} if third else found, match, local, direction)
        held = None
        if atom is not None and word in ("before", "after") and (aside := _aside(text, start, atom, word)) is not None:
            while spans and spans[-1].end > aside.start:  # "on the Friday" before Easter
                start = min(start, spans.pop().start)
            spans += _span(text, min(start, aside.start), match.end(), (aside.first, aside.after), "point", zone)
            continue
        if atom is not None and (days := _of_one_month(text, match, found, atom, word)) is not None:
            spans += _span(text, min(start, days.start), days.end, (days.first, days.after), "point", zone)
            continue
        resolved = None if atom is None or (atom.bare and not word) else _in_role(atom, word, local, direction)
        if atom is not None and resolved is not None:
            first, after, role = resolved
            onwards = _ONWARDS.match(text, match.end()) if role == "from" else None
            new = _span(text, start, onwards.end() if onwards else match.end(), (first, after), role, zone)
            spans += new
            held = (atom, start, opens) if new and (opens or role in ("point", "for")) else None
    return spans


def _of_one_month(text: str, match: re.Match[str], found: dict[str, str], atom: _Atom, word: str) -> _Atom | None:
    """The days from one to another of the same month, where a number before the date says the first, or one behind it the last."""
    window = text[max(0, match.start() - _LONGEST_PREFIX) : match.start()]
    try:
        if (
            "dm_day" in found
            and (other := _DAYS_BEFORE.search(window))
            and (not other["and"] or (other["word"] or "").lower() == "between")
        ):
            first = atom.first.replace(day=_number(other["day"]))
            return atom._replace(start=match.start() - len(window) + other.start(), first=first) if first < atom.first else None
        if "md_day" in found and "md_year" not in found and word in _AROUND:
            other = _DAYS_AFTER.match(text, match.end())
            if other and (not other["and"] or word == "between"):
                year = int(other["year"] or atom.first.year)
                first, last = atom.first.replace(year=year), atom.first.replace(year=year, day=_number(other["day"]))
                return atom._replace(end=other.end(), first=first, after=last + _DAY) if first < last else None
    except (ValueError, OverflowError):  # there is no such day
        pass
    return None


def _aside(text: str, start: int, atom: _Atom, word: str) -> _Atom | None:
    """What lies so far before or after a day, where the words before its preposition say how far."""
    window = text[max(0, start - _LONGEST_ASIDE) : start]
    found = _ASIDE.search(window)
    if found is None or atom.after - atom.first != _DAY or (found["count"] and _LASTS.search(window[: found.start()])):
        return None
    count = _SPACE.sub(" ", found["count"].lower()) if found["count"] else None
    try:
        aside = _so_far(found["unit"].lower(), count, atom.first, back=word == "before")
    except (ValueError, OverflowError):  # beyond the calendar
        return None
    return aside._replace(start=start - len(window) + found.start()) if aside else None


def _so_far(unit: str, count: str | None, day: date, *, back: bool) -> _Atom | None:
    """The day that lies so many units before or after another; or the unit itself, a week up to it, or a weekday, that is next to it."""
    long = unit in ("week", "fortnight", "month", "year")
    if count:
        return _one(_length(count, unit, day, back=back)) if long or unit in ("day", "night") else None
    if long:
        return _days(_length("1", unit, day, back=True), day) if back else _days(day + _DAY, _length("1", unit, day + _DAY, back=False))
    if unit not in (*_WEEKDAYS, "weekend"):
        return _one(day + (-_DAY if back else _DAY))
    number, length = (5, 2) if unit == "weekend" else (_WEEKDAYS.index(unit), 1)
    first = day + (((number - day.weekday() - 1) % 7 + 1) * _DAY if not back else -((day.weekday() - number - length) % 7 + length) * _DAY)
    return _days(first, first + length * _DAY)


def _may_tell(text: str) -> bool:
    """Whether there may be a time phrase in a text, which most texts have none of."""
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


def _in_role(atom: _Atom, word: str, local: date, prefer: Prefer) -> tuple[date, date, Role] | None:
    """What a phrase means behind its preposition, or None if it means no time there."""
    role = atom.role or _ROLES.get(word, "point")
    first, after = atom.first, atom.after
    try:
        if atom.role == "for":  # a bare length, "two weeks": `first`..`after` counts from the day it was said
            length = after - first
            if word in ("for", "over", "during"):
                return (local - length, local, "for") if prefer == "past" else (local, after, "for")
            return (after, after + _DAY, "by" if word == "within" else "point") if word in ("in", "within") else None
        if role == "until":
            if after <= local:
                return first, after, "until"
            whole = after - first <= _DAY or atom.part or word in ("through", "thru") or first <= local
            return local, after if whole else first, "until"
        if role == "for":
            return max(first, local) if after > local else first, after, "for"
        if role == "since":
            return (first, max(local + _DAY, after), "since") if first <= local else None
        if word == "after":
            return after, after + _DAY, "from"
    except OverflowError:
        return None
    return first, after, role


def _span(text: str, start: int, end: int, days: tuple[date, date], role: Role, zone: tzinfo) -> list[TimeSpan]:
    try:
        begins, ends = (datetime.combine(day, time(), zone).astimezone(UTC) for day in days)
    except (OverflowError, ValueError):
        return []
    return [TimeSpan(text=text[start:end], start=start, end=end, begins=begins, ends=ends, role=role)] if begins < ends else []


def _resolve(found: dict[str, str], match: re.Match[str], local: date, prefer: Prefer) -> _Atom | None:
    """The days that one phrase means, or None if there are no such days."""
    kind = next((name for name in _READERS if name in found), None)
    try:
        atom = _READERS[kind](found, local, prefer) if kind else None
    except (ValueError, OverflowError):  # 31 February, or beyond the calendar
        return None
    return atom._replace(start=match.start(), end=match.end()) if atom else None


def _days(first: date, after: date, *, bare: bool = False, part: bool = False, role: Role | None = None) -> _Atom:
    return _Atom(0, 0, first, after, bare, role, part)


def _one(day: date) -> _Atom:
    return _days(day, day + _DAY)


def _iso(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    return _one(date.fromisoformat(found["iso"].replace("/", "-")))


def _numeric(found: dict[str, str], local: date, prefer: Prefer) -> _Atom | None:
    left, right, year = (int(part) for part in re.split(r"[/.]", found["numeric"]))
    if left <= 12 and right <= 12 and left != right and "/" in found["numeric"]:
        return None  # the fifth of June in Europe, the sixth of May in America
    return _one(date(year, left, right) if right > 12 else date(year, right, left))


def _calendar_day(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    side = "dm" if "dm_day" in found else "md"
    day, month = _number(found[f"{side}_day"]), _month_number(found[f"{side}_month"])
    year = found.get(f"{side}_year")
    return _one(date(int(year), month, day)) if year else _one(_nearest_day(month, day, local, prefer))


def _number(day: str) -> int:
    """The number of a day, without "st" or "th"."""
    return int(re.sub(r"\D", "", day))


def _relative_day(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    offsets = {
        "yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "night before last": -2, "night before yesterday": -2,
        "day after tomorrow": 2,
    }  # fmt: skip
    return _one(local + offsets.get(_TYPED.get(found["day"], found["day"]), 0) * _DAY)


def _part(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    def cut(first: date, after: date) -> tuple[date, date]:
        day = after - _DAY if found["part"] == "end" else first + (after - first) / 2 if found["part"] == "middle" else first
        return day, day + _DAY

    if "p_unit" in found:
        return _days(*cut(*_unit(found["p_unit"], found.get("p_which", "this"), local, prefer)), part=True)
    if "p_whole" in found:
        return _days(*cut(*_year(int(found["p_whole"]))), part=True)
    return _days(*_of_month_named(found, "p", cut, local, prefer), part=True)


def _ordinal(found: dict[str, str], local: date, prefer: Prefer) -> _Atom | None:
    """The first week, the last two days, the second Monday of a month; the third quarter of a year."""
    unit, count = found["o_unit"], count_of(found.get("o_count", "1"))
    place = (
        -1 if found["o_which"] == "last" else ("first", "second", "third", "fourth").index(_PLACES.get(found["o_which"], found["o_which"]))
    )

    def cut(first: date, after: date) -> tuple[date, date]:
        if unit in _WEEKDAYS or unit == "weekend":
            number = 5 if unit == "weekend" else _WEEKDAYS.index(unit)
            begins = first + (number - first.weekday()) % 7 * _DAY + place * 7 * _DAY
            if place < 0:
                begins = after - ((after.weekday() - number - 1) % 7 + 1) * _DAY
            return begins, begins + (2 if unit == "weekend" else 1) * _DAY
        if unit in ("month", "quarter") or (unit == "half" and (after - first).days > 31):
            months = {"month": 1, "quarter": 3, "half": 6}[unit]
            return (_later_month(after, -months * count), after) if place < 0 else _months_of(first, place * months, months * count)
        if unit == "half":
            half = first + 15 * _DAY
            return (first, half) if place == 0 else (half, after)
        length = {"week": 7, "fortnight": 14}.get(unit, 1) * _DAY
        return (after - length * count, after) if place < 0 else (first + place * length, first + (place * length) + length * count)

    of_year = "o_whole" in found or found.get("o_of") == "year"
    if (count > 1 and (place > 0 or unit in _WEEKDAYS or unit in ("weekend", "half"))) or (unit in ("month", "quarter") and not of_year):
        return None
    if unit == "half" and place > 1:
        return None
    if "o_whole" in found:
        whole = _year(int(found["o_whole"]))
    elif "o_of" in found:
        whole = _unit(found["o_of"], found.get("o_this", "this"), local, prefer)
    else:
        return _days(*_of_month_named(found, "o", cut, local, prefer), part=True)
    first, after = cut(*whole)
    return _days(first, after, part=True) if whole[0] <= first and after <= whole[1] else None


def _quarter(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    number, year = int(found["quarter"]), int(found.get("q_year", local.year))
    first = date(year, 3 * number - 2, 1)
    if "q_year" not in found and prefer == "past" and first > local:
        first = first.replace(year=year - 1)
    elif "q_year" not in found and prefer == "future" and _later_month(first, 3) <= local:
        first = first.replace(year=year + 1)
    return _days(first, _later_month(first, 3), bare="q_year" not in found)


def _of_month_named(found: dict[str, str], side: str, cut: _Cut, local: date, prefer: Prefer) -> tuple[date, date]:
    """A part of the month that is named, of the year of which it lies in the past, or to come."""
    name, which, year = (found.get(f"{side}_{part}") for part in ("month", "which" if side == "p" else "this", "year"))
    whole = _month(name or "", which, year, local, prefer)
    part = cut(*whole)
    if not (which or year) and ((prefer == "past" and part[0] > local) or (prefer == "future" and part[1] <= local)):
        whole = _month(name or "", None, str(whole[0].year + (-1 if prefer == "past" else 1)), local, prefer)
        part = cut(*whole)
    if not whole[0] <= part[0] < part[1] <= whole[1]:
        raise ValueError(f"{name} has no such part")
    return part


def _third(found: dict[str, str], first: date, after: date, local: date) -> tuple[date, date]:
    """The early, the middle or the late part of a stretch; of this one, what was of it earlier, or will be later."""
    third = found.get("third")
    if third in ("earlier", "later"):
        if not first <= local < after:
            return first, after
        return (first, local + _DAY) if third == "earlier" else (local, after)
    length = (after - first).days
    if third is None or length == 14:
        return first, after
    if length > 31:
        months = 4 if length > 300 else 1
        return _months_of(first, ("early", "mid", "late").index(third) * months, months)
    days = (3 if length == 7 else 10) * _DAY
    middle = first + (2 * _DAY if length == 7 else days)
    return (
        {"early": (first, first + days), "mid": (middle, middle + days), "late": (after - days, after)}[third]
        if length > 2
        else (first, after)
    )


def _months_of(first: date, offset: int, months: int) -> tuple[date, date]:
    begins = _later_month(first, offset)
    return begins, _later_month(begins, months)


def _year(number: int) -> tuple[date, date]:
    return date(number, 1, 1), date(number + 1, 1, 1)


def _weekday(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    name = found.get("w_day") or found["weekday"]
    number = next(i for i, full in enumerate(_WEEKDAYS) if full.startswith(name[:3]))
    monday = local - local.weekday() * _DAY
    which = found.get("w_which", "")
    if which == "next":
        return _one(monday + 7 * _DAY + number * _DAY)
    if which == "last" or (not which and prefer == "past"):
        return _one(local - ((local.weekday() - number - 1) % 7 + 1) * _DAY)
    return _one(local + ((number - local.weekday() - (0 if which else 1)) % 7 + (0 if which else 1)) * _DAY)


def _week_day(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    name, which = (found.get(f"wk_{part}") or found[f"wk_{other}"] for part, other in (("day", "day_last"), ("which", "which_first")))
    return _one(_unit("week", which, local, prefer)[0] + _WEEKDAYS.index(name) * _DAY)


def _month_day(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    first, _ = _unit("month", "this" if found["mo_which"] == "the" else found["mo_which"], local, prefer)
    return _one(first.replace(day=_number(found["mo_day"])))


def _stretch(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    days = _length(found["n_count"], found["n_unit"], local, back=found["n_which"] in ("last", "past", "previous"))
    return _days(days, local) if days < local else _days(local, days)


def _counted(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    way = found.get("c_way", "")
    local += {"from tomorrow": 1}.get(way, -1 if found.get("c_day") == "yesterday" else 0) * _DAY
    if way in ("ago", "earlier"):
        return _one(_length(found["c_count"], found["c_unit"], local, back=True))
    there = _length(found["c_count"], found["c_unit"], local, back=False)
    return _one(there) if way else _days(local, there, bare=True, role="for")


def _beyond(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    """The week before last: as far before the last one as that is before this one."""
    way = "last" if found["b_way"] == "before last" else "next"
    unit = found["b_unit"]
    if unit == "fortnight":
        return _days(local - 28 * _DAY, local - 14 * _DAY) if way == "last" else _days(local + 14 * _DAY, local + 28 * _DAY)
    first, after = _unit(unit, way, local, prefer)
    if unit in ("week", "weekend"):
        aside = (-7 if way == "last" else 7) * _DAY
        return _days(first + aside, after + aside)
    return _days(*_unit(unit, way, first, prefer))


def _this_unit(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    first, after = _third(found, *_unit(found["u_unit"], found["u_which"], local, prefer), local)
    return _days(first, after, bare=found["u_which"] == "the", part="third" in found)


def _season(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    start = _SEASONS[found["season"]]
    which, year = found.get("s_which"), found.get("s_year")
    if year:
        first = date(int(year), start, 1)
    else:
        first = date(local.year, start, 1)
        past = which == "last" or (prefer == "past" and which not in ("next", "this"))
        over = _later_month(first, 3) <= local
        if past and (first > local or (which == "last" and not over)):
            first = date(local.year - 1, start, 1)
        elif not past and (over or (which == "next" and first <= local)):
            first = date(local.year + 1, start, 1)
    first, after = _third(found, first, _later_month(first, 3), local)
    return _days(first, after, bare=not (year or which in ("this", "next", "last")), part="third" in found)


def _feast(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    name, which = found["feast"], found.get("f_which")
    direction: Prefer = "past" if which == "last" else "future" if which else prefer
    aside = _FROM_EASTER.get(name, 0) * _DAY
    if year := found.get("f_year"):
        return _one(_easter(int(year)) + aside if name in _FROM_EASTER else date(int(year), *_FEASTS[name]))
    if name not in _FROM_EASTER:
        return _one(_nearest_day(*_FEASTS[name], local, direction))
    days = [_easter(local.year + offset) + aside for offset in (-1, 0, 1)]
    return _one(max(day for day in days if day <= local) if direction == "past" else min(day for day in days if day >= local))


def _month_named(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    which, year = found.get("m_which"), found.get("m_year")
    if found.get("third") in ("early", "mid", "late"):
        named = {"p_month": found["month"], "p_which": which, "p_year": year}
        present = {name: value for name, value in named.items() if value}
        part = _of_month_named(present, "p", lambda first, after: _third(found, first, after, local), local, prefer)
        return _days(*part, bare=not (which or year), part=True)
    return _days(*_month(found["month"], which, year, local, prefer), bare=not (which or year))


def _year_named(found: dict[str, str], local: date, prefer: Prefer) -> _Atom:
    return _days(*_third(found, *_year(int(found["year"])), local), bare=True, part="third" in found)


_READERS = {
    "o_which": _ordinal, "quarter": _quarter, "iso": _iso, "numeric": _numeric, "dm_day": _calendar_day, "md_day": _calendar_day,
    "day": _relative_day, "mo_day": _month_day, "part": _part, "wk_day": _week_day, "wk_which_first": _week_day, "w_day": _weekday,
    "weekday": _weekday, "n_count": _stretch, "b_unit": _beyond, "u_unit": _this_unit, "c_count": _counted, "season": _season,
    "feast": _feast, "month": _month_named, "year": _year_named,
}  # fmt: skip


def _unit(unit: str, which: str, local: date, prefer: Prefer) -> tuple[date, date]:
    """The calendar week, weekend, fortnight, month or year that "this", "next" or "last" one is."""
    step = 1 if which in ("next", "coming", "following") else -1 if which in ("last", "past", "previous") else 0
    monday = local - local.weekday() * _DAY
    if unit == "week":
        return monday + step * 7 * _DAY, monday + (step + 1) * 7 * _DAY
    if unit == "weekend":
        if which == "the" and prefer == "past" and local.weekday() < 5:
            step = -1
        return monday + (step * 7 + 5) * _DAY, monday + (step * 7 + 7) * _DAY
    if unit == "fortnight":
        return (local - 14 * _DAY, local) if step < 0 else (local, local + 14 * _DAY)
    if unit == "month":
        first = _later_month(local.replace(day=1), step)
        return first, _later_month(first, 1)
    return date(local.year + step, 1, 1), date(local.year + step + 1, 1, 1)


def _length(count: str, unit: str, local: date, *, back: bool) -> date:
    """The day that lies so many units after a day, or before it."""
    number = count_of(count) * (-1 if back else 1)
    if unit in ("month", "year"):
        return _later_month(local, number * (12 if unit == "year" else 1))
    return local + number * {"week": 7, "weekend": 7, "fortnight": 14}.get(unit, 1) * _DAY


def count_of(count: str) -> int:
    """Return the number that a word or digits say ("two", "a few", "30").

    Raises:
        KeyError: it is none.
    """
    return int(count) if count.isdecimal() else _NUMBERS[count]


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _month(name: str, which: str | None, year: str | None, local: date, prefer: Prefer) -> tuple[date, date]:
    number = _month_number(name)
    if year:
        first = date(int(year), number, 1)
    else:
        first = date(local.year, number, 1)
        if which == "last" or (which is None and prefer == "past"):
            if first > local or (which == "last" and number == local.month):
                first = first.replace(year=local.year - 1)
        elif number < local.month or (which == "next" and number == local.month):
            first = first.replace(year=local.year + 1)
    return first, _later_month(first, 1)


def _nearer(month: str, local: date) -> Prefer:
    """Whether the last month of that name is nearer than the next one."""
    return "past" if (local.month - _month_number(month)) % 12 < 6 else "future"


def _nearest_day(month: int, day: int, local: date, prefer: Prefer) -> date:
    """The next, or the last, day of that name; 29 February waits for a leap year."""
    for offset in range(9):
        try:
            found = date(local.year + (offset if prefer == "future" else -offset), month, day)
        except ValueError:
            continue
        if (found >= local) if prefer == "future" else (found <= local):
            return found
    raise ValueError(f"no such day: {day}/{month}")


def _later_month(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - _DAY).day
    return date(year, month + 1, min(day.day, last))


def _easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the anonymous algorithm, Nature 1876)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    offset = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    correction = (golden + 11 * epact + 22 * offset) // 451
    month, day = divmod(epact + offset - 7 * correction + 114, 31)
    return date(year, month, day + 1)
