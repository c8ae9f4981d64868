"""The days that one phrase of time in English means, by itself: a date, a weekday, a month, a season, a feast, a count of days."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Literal, NamedTuple

Role = Literal["point", "until", "by", "for", "since", "from"]
Prefer = Literal["past", "future"]


class Atom(NamedTuple):
    """A phrase, from where to where it stands in its text, and the days it means, `first` up to `after` (exclusive)."""

    start: int
    end: int
    first: date
    after: date
    bare: bool  # means a time only behind a preposition: "March", "2019", "three days"
    role: Role | None = None
    part: bool = False  # a part of a month or year was named ("the end of"), so that "until" runs to its end


_Cut = Callable[[date, date], tuple[date, date]]
DAY = timedelta(days=1)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
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

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_PLACES = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth"}
GAP = r"[ \t\n]{1,3}"
DAY_NUMBER = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
YEAR = r"(?:19|20)\d\d"
_UNIT = r"(?:day|night|week|weekend|fortnight|month|year)"
COUNT = rf"(?:\d{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True)).replace(' ', GAP)})"
_FEAST = "|".join(sorted([*_FEASTS, *_FROM_EASTER], key=len, reverse=True)).replace(" ", GAP)
_ENDING = (  # "the week before last", not "the week before last Christmas"
    r"(?=\s*(?:$|[,.;:!?)]|(?:i|we|you|he|she|they|it|and|but|or|at|in|on|with|when|where|for|to|my|our|there|because|until|as)\b))"
)
_BEFORE_A_DAY = "|".join(rf"(?<=\b{word}[ \t\n]the)" for word in "on by till until from before since after to".split())
_AFTER_A_DAY = (  # "on the 14th", and on no floor; what follows may be a range, or a month
    r"(?=\s*(?:$|[,.;:!?)]|(?:(?:and|to)(?!\s(?:the\s)?\d)|but|so|at|for|in|with|because|as|if|i|we|you|he|she|it|they|my|our|now|instead|please|which|when"
    r"|then|actually|though|again|thanks)\b|(?:to|until|till|through)\s(?:the\s)?\d\d?(?:st|nd|rd|th)"
    rf"(?!\w|{GAP}(?:of\b|{MONTH}))))"
)
TYPED = {
    **dict.fromkeys(("tmrw", "tmr", "tmrow", "tomoz", "tomorow", "tommorow", "tommorrow", "2moro", "2morrow"), "tomorrow"),
    **dict.fromkeys(("tonite", "2nite"), "tonight"),
}
"""Words of time as people type them, and what they mean."""

ATOMS = re.compile(
    rf"""\b(?=\w)(?:
      (?P<o_the>the{GAP})?(?P<o_which>first|second|third|fourth|last|1st|2nd|3rd|4th){GAP}(?:(?P<o_count>{COUNT}){GAP})?
        (?P<o_unit>day|week|weekend|fortnight|month|quarter|half|{"|".join(WEEKDAYS)})s?{GAP}(?(o_the)(?:of|in)|of){GAP}(?:the{GAP})?
        (?:(?:(?P<o_this>this|next|last|past|previous){GAP})?(?:(?P<o_of>month|year)|(?P<o_month>{MONTH})(?:{GAP}(?P<o_year>{YEAR}))?)
          |(?P<o_whole>{YEAR}))
    | q(?P<quarter>[1-4])(?:{GAP}(?:of{GAP})?(?P<q_year>{YEAR}))?
    |
      (?P<iso>{YEAR}-\d\d-\d\d|{YEAR}/\d\d/\d\d)
    | (?P<numeric>\d{{1,2}}[/.]\d{{1,2}}[/.]{YEAR})
    | (?:the{GAP})?(?P<dm_day>{DAY_NUMBER}){GAP}(?:of{GAP})?(?P<dm_month>{MONTH})(?:,?{GAP}(?P<dm_year>{YEAR}))?
    | (?P<md_month>{MONTH}){GAP}(?:the{GAP})?(?P<md_day>{DAY_NUMBER})(?![\d:%]|{GAP}(?:days|weeks|months|years|times)\b)
        (?:,?{GAP}(?P<md_year>{YEAR}))?
    | (?:the{GAP})?(?P<day>(?:day|night){GAP}before{GAP}yesterday|night{GAP}before{GAP}last{_ENDING}|day{GAP}after{GAP}tomorrow|today
        |tonight|tomorrow|{"|".join(TYPED)}|yesterday|last{GAP}night|this{GAP}(?:morning|afternoon|evening))(?:{GAP}(?:morning|afternoon|evening|night))?
    | (?:the{GAP})?(?P<mo_day>{DAY_NUMBER}){GAP}of{GAP}(?P<mo_which>this|next|last|the){GAP}month
    | (?:the{GAP})?(?P<part>end|beginning|start|first|1st|middle){GAP}of{GAP}(?:the{GAP})?
        (?:(?P<p_which>this|next|last){GAP})?(?:(?P<p_unit>week|month|year)|(?P<p_month>{MONTH})(?:{GAP}(?P<p_year>{YEAR}))?|(?P<p_whole>{YEAR}))
    | (?P<w_which>next|last|this(?:{GAP}coming)?|coming){GAP}(?P<w_day>{"|".join(WEEKDAYS)}|mon|tues?|wed|thu|thurs?|fri|sat|sun)\b
        (?:{GAP}(?:morning|afternoon|evening|night)\b)?
    | (?P<wk_day>{"|".join(WEEKDAYS)}){GAP}(?:of{GAP})?(?P<wk_which>this|last|next){GAP}week
    | (?P<wk_which_first>this|last|next){GAP}week{GAP}(?:on{GAP})?(?P<wk_day_last>{"|".join(WEEKDAYS)})
    | (?<!\bon[ \t\n]a[ \t\n])(?P<weekday>{"|".join(WEEKDAYS)})(?!{GAP}(?:mornings|afternoons|evenings|nights)\b)
        (?:,?{GAP}(?:the{GAP})?(?P<wd_day>(?:[0-2]?\d|3[01])(?:st|nd|rd|th))(?!{GAP}(?:of\b|{MONTH}))
        |{GAP}(?:morning|afternoon|evening|night)\b)?
    | (?:the{GAP})?(?P<n_which>next|last|past|previous|coming|following){GAP}(?P<n_count>{COUNT}){GAP}(?P<n_unit>{_UNIT})s?
    | (?:the{GAP})?(?P<b_unit>week|weekend|fortnight|month|year){GAP}(?P<b_way>before{GAP}last|after{GAP}next){_ENDING}
    | (?P<u_which>this|next|last|past|previous|coming|(?<!during[ \t\n])the){GAP}(?P<u_unit>week|weekend|fortnight|month|year)
    | (?P<c_count>{COUNT}){GAP}(?P<c_unit>{_UNIT})s?(?:{GAP}(?P<c_way>ago|earlier|from{GAP}now|later|from{GAP}today|from{GAP}tomorrow)
        (?:(?<=ago){GAP}(?P<c_day>yesterday|today))?)?
    | (?:(?P<s_which>this|next|last|the){GAP})?(?P<season>spring|summer|autumn|fall|winter)(?:{GAP}(?:of{GAP})?(?P<s_year>{YEAR}))?
    | (?:(?P<f_which>this|next|last){GAP})?(?P<feast>{_FEAST})(?:{GAP}(?P<f_year>{YEAR}))?
    | (?:(?P<m_which>this|next|last){GAP})?(?P<month>{MONTH})(?:,?{GAP}(?:of{GAP})?(?P<m_year>{YEAR}))?
    | (?P<year>{YEAR})
    | the(?:{_BEFORE_A_DAY}){GAP}(?P<this_day>(?:[12]?\d|3[01])(?:st|nd|rd|th)){_AFTER_A_DAY}
    )(?!\w|-(?!\d\d?(?:$|[\s,.;:?!)]))\w)""",
    re.IGNORECASE | re.VERBOSE,
)


EASTERN = re.compile(
    rf"(?:(?<!\d)(?P<year>{YEAR})\s?[年년]\s?|(?<![\d年년])(?<![年년]\s))(?P<month>\d{{1,2}})\s?[月월]\s?(?P<day>\d{{1,2}})\s?[日号號일]"
)
"""A day as Chinese, Japanese and Korean write it: 5月6日, 2025年5月6号, 5월 6일."""


def eastern_day(match: re.Match[str], local: date, prefer: Prefer) -> Atom | None:
    """Return the day that a match of `EASTERN` means, said on the day `local`, or None if there is no such day."""
    month, day = int(match["month"]), int(match["day"])
    try:
        return one_day(date(int(match["year"]), month, day) if match["year"] else _nearest_day(month, day, local, prefer))
    except (ValueError, OverflowError):  # 31 February, or beyond the calendar
        return None


def resolve(found: dict[str, str], match: re.Match[str], local: date, prefer: Prefer) -> Atom | None:
    """Return the days that a match of `ATOMS` means, said on the day `local`, or None if there are no such days."""
    kind = next((name for name in _READERS if name in found), None)
    try:
        atom = _READERS[kind](found, local, prefer) if kind else None
    except (ValueError, OverflowError):  # 31 February, or beyond the calendar
        return None
    return atom._replace(start=match.start(), end=match.end()) if atom else None


def days_of(first: date, after: date, *, bare: bool = False, part: bool = False, role: Role | None = None) -> Atom:
    """Return what means these days, wherever it stands."""
    return Atom(0, 0, first, after, bare, role, part)


def one_day(day: date) -> Atom:
    """Return what means one day."""
    return days_of(day, day + DAY)


def _iso(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    return one_day(date.fromisoformat(found["iso"].replace("/", "-")))


def _numeric(found: dict[str, str], local: date, prefer: Prefer) -> Atom | None:
    left, right, year = (int(part) for part in re.split(r"[/.]", found["numeric"]))
    if left <= 12 and right <= 12 and left != right and "/" in found["numeric"]:
        return None  # the fifth of June in Europe, the sixth of May in America
    return one_day(date(year, left, right) if right > 12 else date(year, right, left))


def _calendar_day(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    side = "dm" if "dm_day" in found else "md"
    day, month = number_of(found[f"{side}_day"]), _month_number(found[f"{side}_month"])
    year = found.get(f"{side}_year")
    if year is None and (name := found.get("of_weekday")):  # which year it is tells the weekday
        years = (number for number in (local.year, local.year + 1, local.year - 1) if _is_on(number, month, day, name))
        year = next((str(number) for number in years), None)
    return one_day(date(int(year), month, day)) if year else one_day(_nearest_day(month, day, local, prefer))


def _is_on(year: int, month: int, day: int, weekday: str) -> bool:
    """Whether a day of a year is such a weekday, "fri" or "friday"."""
    return 0 < day <= calendar.monthrange(year, month)[1] and WEEKDAYS[date(year, month, day).weekday()].startswith(weekday)


def number_of(day: str) -> int:
    """Return the number of a day, without "st" or "th"."""
    return int(re.sub(r"\D", "", day))


def _relative_day(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    offsets = {
        "yesterday": -1, "last night": -1, "tomorrow": 1, "day before yesterday": -2, "night before last": -2, "night before yesterday": -2,
        "day after tomorrow": 2,
    }  # fmt: skip
    return one_day(local + offsets.get(TYPED.get(found["day"], found["day"]), 0) * DAY)


def _part(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    def cut(first: date, after: date) -> tuple[date, date]:
        day = after - DAY if found["part"] == "end" else first + (after - first) / 2 if found["part"] == "middle" else first
        return day, day + DAY

    if "p_unit" in found:
        return days_of(*cut(*_unit(found["p_unit"], found.get("p_which", "this"), local, prefer)), part=True)
    if "p_whole" in found:
        return days_of(*cut(*_year(int(found["p_whole"]))), part=True)
    return days_of(*_of_month_named(found, "p", cut, local, prefer), part=True)


def _ordinal(found: dict[str, str], local: date, prefer: Prefer) -> Atom | None:
    """The first week, the last two days, the second Monday of a month; the third quarter of a year."""
    unit, count = found["o_unit"], count_of(found.get("o_count", "1"))
    place = (
        -1 if found["o_which"] == "last" else ("first", "second", "third", "fourth").index(_PLACES.get(found["o_which"], found["o_which"]))
    )

    def cut(first: date, after: date) -> tuple[date, date]:
        if unit in WEEKDAYS or unit == "weekend":
            number = 5 if unit == "weekend" else WEEKDAYS.index(unit)
            begins = first + (number - first.weekday()) % 7 * DAY + place * 7 * DAY
            if place < 0:
                begins = after - ((after.weekday() - number - 1) % 7 + 1) * DAY
            return begins, begins + (2 if unit == "weekend" else 1) * DAY
        if unit in ("month", "quarter") or (unit == "half" and (after - first).days > 31):
            months = {"month": 1, "quarter": 3, "half": 6}[unit]
            return (_later_month(after, -months * count), after) if place < 0 else _months_of(first, place * months, months * count)
        if unit == "half":
            half = first + 15 * DAY
            return (first, half) if place == 0 else (half, after)
        length = {"week": 7, "fortnight": 14}.get(unit, 1) * DAY
        return (after - length * count, after) if place < 0 else (first + place * length, first + (place * length) + length * count)

    of_year = "o_whole" in found or found.get("o_of") == "year"
    if (count > 1 and (place > 0 or unit in WEEKDAYS or unit in ("weekend", "half"))) or (unit in ("month", "quarter") and not of_year):
        return None
    if unit == "half" and place > 1:
        return None
    if "o_whole" in found:
        whole = _year(int(found["o_whole"]))
    elif "o_of" in found:
        whole = _unit(found["o_of"], found.get("o_this", "this"), local, prefer)
    else:
        return days_of(*_of_month_named(found, "o", cut, local, prefer), part=True)
    first, after = cut(*whole)
    return days_of(first, after, part=True) if whole[0] <= first and after <= whole[1] else None


def _quarter(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    number, year = int(found["quarter"]), int(found.get("q_year", local.year))
    first = date(year, 3 * number - 2, 1)
    if "q_year" not in found and prefer == "past" and first > local:
        first = first.replace(year=year - 1)
    elif "q_year" not in found and prefer == "future" and _later_month(first, 3) <= local:
        first = first.replace(year=year + 1)
    return days_of(first, _later_month(first, 3), bare="q_year" not in found)


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
        return (first, local + DAY) if third == "earlier" else (local, after)
    length = (after - first).days
    if third is None or length == 14:
        return first, after
    if length > 31:
        months = 4 if length > 300 else 1
        return _months_of(first, ("early", "mid", "late").index(third) * months, months)
    days = (3 if length == 7 else 10) * DAY
    middle = first + (2 * DAY if length == 7 else days)
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


def _weekday(found: dict[str, str], local: date, prefer: Prefer) -> Atom | None:
    name = found.get("w_day") or found["weekday"]
    number = next(i for i, full in enumerate(WEEKDAYS) if full.startswith(name[:3]))
    if "wd_day" in found:  # "Friday the 27th", of this month or of one near it
        months = (_later_month(local, way) for way in ((0, -1, -2) if prefer == "past" else (0, 1, 2)))
        days = (
            first.replace(day=number_of(found["wd_day"]))
            for first in months
            if _is_on(first.year, first.month, number_of(found["wd_day"]), name)
        )
        return next((one_day(day) for day in days if (day <= local if prefer == "past" else day >= local)), None)
    monday = local - local.weekday() * DAY
    which = found.get("w_which", "")
    if which == "next":
        return one_day(monday + 7 * DAY + number * DAY)
    if which == "last" or (not which and prefer == "past"):
        return one_day(local - ((local.weekday() - number - 1) % 7 + 1) * DAY)
    return one_day(local + ((number - local.weekday() - (0 if which else 1)) % 7 + (0 if which else 1)) * DAY)


def _day_alone(found: dict[str, str], local: date, prefer: Prefer) -> Atom | None:
    """The next day of that number, or the last one: "on the 14th", and on the 31st of a month that has one."""
    number = number_of(found["this_day"])
    for way in range(3):
        first = _later_month(local, -way if prefer == "past" else way)
        if number <= calendar.monthrange(first.year, first.month)[1]:
            day = first.replace(day=number)
            if day <= local if prefer == "past" else day >= local:
                return one_day(day)
    return None


def _week_day(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    name, which = (found.get(f"wk_{part}") or found[f"wk_{other}"] for part, other in (("day", "day_last"), ("which", "which_first")))
    return one_day(_unit("week", which, local, prefer)[0] + WEEKDAYS.index(name) * DAY)


def _month_day(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    first, _ = _unit("month", "this" if found["mo_which"] == "the" else found["mo_which"], local, prefer)
    return one_day(first.replace(day=number_of(found["mo_day"])))


def _stretch(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    days = length_of(found["n_count"], found["n_unit"], local, back=found["n_which"] in ("last", "past", "previous"))
    return days_of(days, local) if days < local else days_of(local, days)


def _counted(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    way = found.get("c_way", "")
    local += {"from tomorrow": 1}.get(way, -1 if found.get("c_day") == "yesterday" else 0) * DAY
    if way in ("ago", "earlier"):
        return one_day(length_of(found["c_count"], found["c_unit"], local, back=True))
    there = length_of(found["c_count"], found["c_unit"], local, back=False)
    if way in ("from now", "from today", "from tomorrow") and "c_lasts" in found:
        return days_of(local, there, role="for")
    return one_day(there) if way else days_of(local, there, bare=True, role="for")


def _beyond(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    """The week before last: as far before the last one as that is before this one."""
    way = "last" if found["b_way"] == "before last" else "next"
    unit = found["b_unit"]
    if unit == "fortnight":
        return days_of(local - 28 * DAY, local - 14 * DAY) if way == "last" else days_of(local + 14 * DAY, local + 28 * DAY)
    first, after = _unit(unit, way, local, prefer)
    if unit in ("week", "weekend"):
        aside = (-7 if way == "last" else 7) * DAY
        return days_of(first + aside, after + aside)
    return days_of(*_unit(unit, way, first, prefer))


def _this_unit(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    first, after = _third(found, *_unit(found["u_unit"], found["u_which"], local, prefer), local)
    return days_of(first, after, bare=found["u_which"] == "the", part="third" in found)


def _season(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
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
    return days_of(first, after, bare=not (year or which in ("this", "next", "last")), part="third" in found)


def _feast(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    name, which = found["feast"], found.get("f_which")
    direction: Prefer = "past" if which == "last" else "future" if which else prefer
    aside = _FROM_EASTER.get(name, 0) * DAY
    if year := found.get("f_year"):
        return one_day(_easter(int(year)) + aside if name in _FROM_EASTER else date(int(year), *_FEASTS[name]))
    if name not in _FROM_EASTER:
        return one_day(_nearest_day(*_FEASTS[name], local, direction))
    days = [_easter(local.year + offset) + aside for offset in (-1, 0, 1)]
    return one_day(max(day for day in days if day <= local) if direction == "past" else min(day for day in days if day >= local))


def _month_named(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    which, year = found.get("m_which"), found.get("m_year")
    if found.get("third") in ("early", "mid", "late"):
        named = {"p_month": found["month"], "p_which": which, "p_year": year}
        present = {name: value for name, value in named.items() if value}
        part = _of_month_named(present, "p", lambda first, after: _third(found, first, after, local), local, prefer)
        return days_of(*part, bare=not (which or year), part=True)
    return days_of(*_month(found["month"], which, year, local, prefer), bare=not (which or year))


def _year_named(found: dict[str, str], local: date, prefer: Prefer) -> Atom:
    return days_of(*_third(found, *_year(int(found["year"])), local), bare=True, part="third" in found)


_READERS = {
    "o_which": _ordinal, "quarter": _quarter, "iso": _iso, "numeric": _numeric, "dm_day": _calendar_day, "md_day": _calendar_day,
    "day": _relative_day, "mo_day": _month_day, "part": _part, "wk_day": _week_day, "wk_which_first": _week_day, "w_day": _weekday,
    "weekday": _weekday, "n_count": _stretch, "b_unit": _beyond, "u_unit": _this_unit, "c_count": _counted, "season": _season,
    "feast": _feast, "month": _month_named, "year": _year_named, "this_day": _day_alone,
}  # fmt: skip


def _unit(unit: str, which: str, local: date, prefer: Prefer) -> tuple[date, date]:
    """The calendar week, weekend, fortnight, month or year that "this", "next" or "last" one is."""
    step = 1 if which in ("next", "coming", "following") else -1 if which in ("last", "past", "previous") else 0
    monday = local - local.weekday() * DAY
    if unit == "week":
        return monday + step * 7 * DAY, monday + (step + 1) * 7 * DAY
    if unit == "weekend":
        if which == "the" and prefer == "past" and local.weekday() < 5:
            step = -1
        return monday + (step * 7 + 5) * DAY, monday + (step * 7 + 7) * DAY
    if unit == "fortnight":
        return (local - 14 * DAY, local) if step < 0 else (local, local + 14 * DAY)
    if unit == "month":
        first = _later_month(local.replace(day=1), step)
        return first, _later_month(first, 1)
    return date(local.year + step, 1, 1), date(local.year + step + 1, 1, 1)


def length_of(count: str, unit: str, local: date, *, back: bool) -> date:
    """Return the day that lies so many units after a day, or before it."""
    number = count_of(count) * (-1 if back else 1)
    if unit in ("month", "year"):
        return _later_month(local, number * (12 if unit == "year" else 1))
    return local + number * {"week": 7, "weekend": 7, "fortnight": 14}.get(unit, 1) * DAY


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


def nearer(found: Mapping[str, str], local: date) -> Prefer | None:
    """Return "past" if the last month, or day of one, that is named is nearer than the next one, else "future"; None if none is named."""
    if name := found.get("month"):
        return "past" if (local.month - _month_number(name)) % 12 < 6 else "future"
    side = next((side for side in ("dm", "md") if f"{side}_day" in found and f"{side}_year" not in found), None)
    if side is None:
        return None
    month, day = _month_number(found[f"{side}_month"]), number_of(found[f"{side}_day"])
    try:
        last, following = _nearest_day(month, day, local, "past"), _nearest_day(month, day, local, "future")
    except (ValueError, OverflowError):  # 31 February
        return None
    return "past" if local - last < following - local else "future"


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
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - DAY).day
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
