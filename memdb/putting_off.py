"""What is planned is on another day, or at another hour: "the Japan trip got moved to May", "they've pushed the exam back an hour"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Literal

from memdb.called import called
from memdb.claims import Circumstances, HeldOf, Person, about_whom, read_pattern
from memdb.clause import Clause
from memdb.clock import clock_times, later
from memdb.dates import Prefer, length_of
from memdb.english_rules import Pattern, compiled, literal, relation_words, rules
from memdb.keys import telling
from memdb.records import Candidate
from memdb.when import TimeSpan, find_times

Way = Literal["later", "sooner", "either"]
"""Where to something is moved: put back, brought forward, or it is not told."""

_MOVED = Pattern(match=".+", key="", kind="raw", scope="clause", explicit=True, time="moved", negative="skip", raw=True, examples=())
_DETERMINER = re.compile(r"(?:the|my|our)\s+", re.IGNORECASE)
_SOONER = re.compile(r"\b(?:earlier|sooner|forwards?|up)\b", re.IGNORECASE)
_IN = re.compile(r"^(?:in|on) ", re.IGNORECASE)
_NUMBER = re.compile(r"until the \d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
_PUT_OFF = re.compile(r"\b(?:hold|ice|postpon|delay|defer|put|push|shelve|pause|reschedul|re-schedul|rearrang|mov|air|limbo|tb[acd])", re.I)
_A_DAY = timedelta(days=1)
_IN_A_WEEK = re.compile(r"\b(?:this|next|coming|week|weeks|tomorrow|today)\b", re.IGNORECASE)
_PLANS = ("plans", "deadline")
_ITS_HOUR = r",? (?:at|from) (?P<clock>{clock})(?: in the (?:morning|afternoon|evening))?$"  # behind what is planned
_AN_HOUR = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|hours?|minutes?)\b", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:mov|push|put|shift|br[io]|postpon|re-?schedul|delay|rearrang|defer|switch|chang|pull|bump|slip|rebook|now|instead|rather|not)",
    re.IGNORECASE,
)
_LEADS_IN = re.compile(
    r"\W*(?:(?:oh|ok|okay|update|actually|no|wait|sorry|ugh|well|and|so|but|just heard|they (?:rang|called|texted))[ ,.:!-]+){0,3}",
    re.IGNORECASE,
)
_IT = re.compile(r"(?P<before>(?:(?:they|we|i|he|she)\b(?: [a-z]+){1,4}? )?)(?:it|that|this)\b", re.IGNORECASE)
_MOVED_TO = re.compile(r"(?:moved|pushed|rescheduled|postponed|delayed|put back|brought forward)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|back|out|off|delayed|postponed?|postponing|delay|defer(?:red)?|pushed|slipped)\b", re.IGNORECASE)
_COUNTS = {
    **{"a": 1, "an": 1, "half an": 0.5, "half a": 0.5, "a couple of": 2, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6},
    **{"fifteen": 15, "thirty": 30, "forty-five": 45, "ninety": 90},
}

PUT_OFF = "put off"
"""Why a plan is over that is on another day, or at another hour."""


def put_off_in(clause: Clause, here: Circumstances, held_of: HeldOf) -> Iterator[Candidate]:
    """Find what a clause says is on another day now, or at another hour, of the one thing that its name may mean among what is planned.

    By how long it is moved, where no day is told, is left to who knows when it was to be (`shifted`); so is the day, where an hour is.
    """
    if clause.negative or clause.hedged or clause.former:
        return
    hour = at_another_hour(clause.text)
    undated = None if (match := hour or _match(clause.text)) is not None else _undated(clause.text)
    if (match := match or undated) is None or compiled(rules().over.unreal).search(clause.excerpt):
        return
    clause, about, said = _whose(clause, match["o"], here, held_of)
    planned = [(key, value) for key, value in held_of(about.slug) if key.partition(".")[2] in _PLANS]
    meant = meant_by(said, [value for _, value in planned])
    if meant is None:
        return
    key = next(key for key, value in planned if value == meant)
    told = match.groupdict()
    then = with_its_hour(meant, match)
    if hour is not None and (then is None or then == meant):
        return  # nobody knows how much that is
    moved = _MOVED.model_copy(
        update={
            "key": key.partition(".")[2],
            "object": literal(then or meant),
            "scope": "clause" if about == here.owner else "subject",
            "time": "none" if hour or undated or told.get("by") else "moved",
        }
    )
    plain = replace(clause, elided=False, owned=False)
    if undated or then:  # of what is believed to be on that day, or at that hour, the end, and that it still is to be
        over = moved.model_copy(update={"object": literal(meant), "negated": True, "time": "none"})
        for one in read_pattern(over, replace(plain, times={}), clause.text, here):
            yield one.model_copy(update={"because": PUT_OFF})
    times: dict[Prefer, tuple[TimeSpan, ...]] = {} if (when := told.get("when")) is None else {"future": _times(when, here)}
    yield from read_pattern(moved, replace(plain, times=times), clause.text, here)


def _whose(clause: Clause, said: str, here: Circumstances, held_of: HeldOf) -> tuple[Clause, Person, str]:
    """A clause as it is about whoever has what is put off, who that is, and what they have: "Rita's wedding", "my sister's wedding"."""
    owner = _owners().match(said)
    if owner is None:
        return clause, here.owner, said
    relation, name = (owner["rel"] or "").lower(), owner["name"] or ""
    if name:
        known = [key for key, value in held_of(here.owner.slug) if telling(name) <= telling(value)]
        relation = next((one for key in known if (one := key.partition(".")[2]) in called().relations.values()), "")
    clause = replace(clause, subject=relation.replace("_", " "), name=name, guessed=False) if relation else clause
    if relation and (relative := about_whom(clause, here)) is not None:
        return clause, relative, said[owner.end() :]
    return clause, here.owner, said


def at_another_hour(text: str) -> re.Match[str] | None:
    """Return how a clause says that something is at another hour of its day; None where it does not."""
    if _AN_HOUR.search(text) is None or _OTHERWISE.search(text) is None:
        return None
    return next(filter(None, (compiled(way).match(text) for way in rules().put_off.hours)), None)


def hour_again(text: str) -> re.Match[str] | None:
    """Return how a turn says that what was just planned is at another hour of its day: "they've moved it to 4pm"; None for none."""
    said = _LEADS_IN.sub("", text, count=1)
    if _MOVED_TO.match(said):  # "moved to 3pm"
        said = f"it was {said}"
    return at_another_hour(_IT.sub(r"\g<before>my appointment", said, count=1).rstrip(" .!")) if _IT.match(said) else None


def with_its_hour(plan: str, match: re.Match[str]) -> str | None:
    """Return a plan at the hour to which it is moved; None where that is not told, or not known."""
    told = match.groupdict()
    known = compiled(_ITS_HOUR).search(plan)
    bare = plan[: known.start()] if known is not None else plan
    if told.get("when"):  # "to Thursday at 3" is another hour if it had one
        then = compiled(r" at (?P<at>{clock})$").search(told["when"] or "")
        return f"{bare} at {then['at']}" if then is not None and known is not None else None
    if told.get("at"):
        return f"{bare} at {told['at']}"
    if not told.get("unit") or known is None:
        return None
    count = _COUNTS.get((told["count"] or "").lower()) or float(told["count"] or 0)
    minutes = round(count * (60 if (told["unit"] or "").lower() == "hour" else 1))
    way = -1 if _SOONER.search(match.group()) else 1 if _LATER.search(match.group()) else 0
    hour = later(known["clock"], minutes * way) if way else None
    return None if hour is None else f"{bare} at {hour}"


def at_its_hour(was: datetime, plan: str) -> datetime:
    """Return when a plan is that was to be at that local time, by the hour in its words; what was to be at none is told by its day."""
    hours = [one for one in clock_times(plan) if one.minute is not None]
    if was.time() == time(0) or not hours:
        return was
    told = hours[-1]
    minutes = [minute for minute in range((told.minute or 0) % told.round, 24 * 60, told.round)]
    minute = min(minutes, key=lambda one: abs(one - was.hour * 60 - was.minute))
    return was.replace(hour=minute // 60, minute=minute % 60)


def _times(when: str, here: Circumstances) -> tuple[TimeSpan, ...]:
    """When something is, by what follows "to" or "until"."""
    said = f"until {_IN.sub('', when)}"
    spans = find_times(said, at=here.at, zone=here.zone)
    if spans and spans[0].ends <= here.at + _A_DAY and _NUMBER.match(said):  # on the 10th, "to the 10th" is to that of next month
        spans = find_times(said, at=here.at + _A_DAY, zone=here.zone)
    return tuple(spans)


def _match(text: str) -> re.Match[str] | None:
    """How a clause says that something is on another day, if it does."""
    ways = rules().put_off
    if compiled(r"\b(?:{put_off}|{move}|{moving}|pulled|bumped|slipped|rebooked)").search(text) is not None:
        for way in (ways.passive, ways.active, ways.host):
            if (match := compiled(way).match(text)) is not None:
                return match
    if " now" not in text and " instead" not in text:
        return None
    return compiled(ways.now).match(text) or compiled(ways.going).match(text)


def _undated(text: str) -> re.Match[str] | None:
    """How a clause says that something is put off, and not until when, if it does."""
    if _PUT_OFF.search(text) is None:
        return None
    return next(filter(None, (compiled(way).match(text) for way in rules().put_off.undated)), None)


def meant_by(said: str, planned: Sequence[str]) -> str | None:
    """Return the one plan that is meant by a name, a part of it, or what such a thing is called; None where none or several may be."""
    bare = _DETERMINER.sub("", said, count=1)
    words = telling(bare)
    exact = {value for value in planned if words and telling(value) == words}
    if len(exact) == 1:
        return exact.pop()
    meant = {value for value in planned if words and words <= telling(value)}
    if not meant:
        for called_so, such in rules().put_off.alike.items():
            if (found := compiled(rf"(?:(?P<which>.+) )?(?:{called_so})(?: (?:to|in|for|with|at) (?P<where>.+))?").fullmatch(bare)) is None:
                continue
            which = telling(" ".join(filter(None, (found["which"], found["where"]))))
            meant |= {value for value in planned if compiled(such).fullmatch(value) and which <= telling(value)}
    return meant.pop() if len(meant) == 1 else None


@cache
def _owners() -> re.Pattern[str]:
    return re.compile(rf"(?:(?i:my|our) (?P<rel>(?i:{relation_words()}))|(?P<name>[A-Z][\w-]+))['’]s ")


def moved_to_a_day(text: str) -> Way | None:
    """Return which way a text moves what is planned to a day by its number alone; None where it does not."""
    found = compiled(rules().phrase["put_off_to_day"]).search(text)
    if found is None:
        return None
    return "later" if found["later"] else "sooner" if found["sooner"] else "either"


def moved_to_a_weekday(text: str) -> Way | None:
    """Return which way a text moves what is planned to a day by its weekday alone; None where it does not, or says in which week."""
    found = compiled(rules().phrase["put_off_to_weekday"]).search(text)
    if found is None or _IN_A_WEEK.search(text) is not None:
        return None
    return "later" if found["later"] else "sooner" if found["sooner"] else "either"


def same_weekday_near(was: date, *, as_of: date, way: Way, now: date) -> date | None:
    """Return the day next to the one that was planned, on the way told, of the same weekday as another and after `now`; None for none."""
    days = (was + _A_DAY * step for step in range(-7, 8))
    alike = [one for one in days if one.weekday() == as_of.weekday() and one > now and one != was]
    may_be = [one for one in alike if (way != "later" or one > was) and (way != "sooner" or one < was)]
    return min(may_be, key=lambda one: (abs(one - was), one < was), default=None)


def moved_from(was: date, *, day: int, way: Way, now: date) -> date | None:
    """Return the day of that number next to the one that was planned, on the way told, and not before `now`; None where there is none."""
    index = was.year * 12 + was.month - 1
    months = (divmod(index + step, 12) for step in (-1, 0, 1, 2))
    days = [date(year, month + 1, day) for year, month in months if day <= calendar.monthrange(year, month + 1)[1]]
    may_be = [one for one in days if one >= now and (way != "later" or one > was) and (way != "sooner" or one < was)]
    return min(may_be, key=lambda one: abs(one - was), default=None)


def shifted(text: str, was: date) -> date | None:
    """Return the day to which a text moves what was planned for one, by how long: "back a week"; None where it does not tell that."""
    found = compiled(rules().put_off.by).search(text)
    if found is None:
        return None
    count, unit = found["count"].lower(), found["unit"].lower()
    return length_of(count, unit, was, back=_SOONER.search(found.group()) is not None)
