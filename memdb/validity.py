"""When what a clause says is true, by its time phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from memdb.clause import Clause
from memdb.dates import Prefer
from memdb.english_rules import Pattern, compiled
from memdb.when import TimeSpan, find_times

BECAME = re.compile(r"(?:(?:have|has) (?:just |recently |now |finally )?become|became)\b", re.IGNORECASE)  # what is so states a change then
WILL_BE = re.compile(r"will be (?=\w)", re.IGNORECASE)
_STARTING = re.compile(
    r"\b(?:starts?|starting|begins?|beginning|will)\b|,(?: (?:with|and|my|the))* (?:first|last|final) (?:working )?day\b(?! was\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(  # what else happens, at a time of its own: "bought a house, moving in on 1 June", "got engaged, wedding in June"
    r",(?: (?:and|with|the|our|my))* (?!(?:starting|beginning|leaving|arriving|during|following|including|morning|evening)\b)"
    r"(?:\w+ing\b|(?:pick-?up|delivery|completion|handover|ceremony|exchange|keys?|move)\b)"
    r"|\band (?:move|get|collect|pick)\b",
    re.IGNORECASE,
)
_HAS_BEEN = re.compile(  # at some time, but now?
    r"(?:have|has) (?:worked"
    r"|been (?!\w+ing\b|diagnosed\b|prescribed\b|put\b|(?:moved|switched) (?:on ?)?to\b|transferred to\b))",
    re.IGNORECASE,
)
_HAVE = re.compile(r"(?:have|has)\s", re.IGNORECASE)
_A_DAY, _A_WEEK = timedelta(days=1), timedelta(days=7)
_FROM = re.compile(r"from\b", re.IGNORECASE)
_THIS = re.compile(r"\bthis\b", re.IGNORECASE)
_WITHIN = re.compile(r"(?:from|between)\b", re.IGNORECASE)
_UNTIL = re.compile(r"^until\s+(?!(?:next|this)\b)|^until(?=\s+(?:next|this)\b)", re.IGNORECASE)
_A_DATE = re.compile(r"day\b|tomorrow\b|(?<!\d)\d{1,2}(?!\d)", re.IGNORECASE)  # and no month or year
_ELSEWHERE = re.compile(r"[,;]|\b(?:and|then|back|home|again|returning|leaving)\b", re.IGNORECASE)  # "for two weeks, back on Monday"
_LASTING = re.compile(
    r"\b(?:always|forever|since|lately|recently|(?:all|whole) (?:(?:my|his|her) )?life|now|already"
    r"|for (?:[\w-]+ ){0,4}?(?:years|months|weeks|decades|ages|while|time|life))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Validity:
    """When something is true: from when on, until when, whether only for that time, and when it happens, if it is an event.

    `until` tells that what is said is when it ends ("until June", not "this week").
    """

    event: datetime | None = None
    begins: datetime | None = None
    ends: datetime | None = None
    temporary: bool = False
    until: bool = False


def validity(pattern: Pattern, clause: Clause, at: datetime, zone: tzinfo) -> Validity | None:
    """Return when what a clause says is true, by its time phrases; None if a time is needed and there is none that fits.

    `at` is when it was said, and `zone` where.
    """
    spans = clause.times.get("future", ())
    if pattern.time == "moved":
        return _moved(spans, at, zone)
    if pattern.time == "event":
        coming = [
            span
            for span in spans
            if span.role in ("point", "by", "from", "for") and (_comes(span, at) or (pattern.negated and span.ends > at))
        ]
        if not coming:
            return None if pattern.needs_time or spans else Validity()
        return Validity(event=coming[0].begins, ends=coming[0].ends)
    if pattern.time == "change" or (pattern.time == "state" and BECAME.match(clause.full)):
        way: Prefer = "future" if _STARTING.search(clause.text) else "past"
        beside = _BESIDE.search(clause.full)
        told = clause.full[: beside.start()] if beside else clause.full
        named = [span for span in clause.times.get(way, ()) if span.role in ("point", "since", "from") and span.start < len(told)]
        return Validity(begins=named[0].begins) if named else Validity()
    found = Validity()
    if pattern.time == "state":
        if _HAS_BEEN.match(clause.phrase) and not clause.negative and not _LASTING.search(clause.text):
            return None
        perfect = compiled(r"(?:have|has|had)\s").match(clause.phrase) is not None
        past_spans = clause.times.get("past", ())
        stretch = None if perfect else _stretch(clause, at, zone)
        found = stretch or next(
            filter(None, (_state(span, at, will_be=bool(WILL_BE.match(clause.full))) for span in (past_spans if perfect else spans))), found
        )
        due = [span.begins for span in spans if span.role == "by" and span.begins > at]
        if due and found == Validity() and WILL_BE.match(clause.full):  # "by June I will be living in Leeds"
            found = Validity(begins=due[0])
    elif pattern.time == "none" and not clause.negative and not pattern.negated:  # other times may say how often, or when
        since = [span for span in clause.times.get("past", ()) if span.role in ("since", "for") and span.ends <= at + _A_DAY]
        found = Validity(begins=since[0].begins) if since and (since[0].role == "since" or _HAVE.match(clause.full)) else found
    return None if pattern.needs_time and found == Validity() else found


def ended_once(clause: Clause, at: datetime) -> Validity:
    """Return since and until when something was so once, where that is said: "I used to live in Porto until 2019", "from 2010 to 2019"."""
    past = clause.times.get("past", ())
    within = [span for span in past if span.role == "point" and _WITHIN.match(span.text) and span.ends <= at]
    if within:
        return Validity(begins=within[-1].begins, ends=within[-1].ends)
    until = [span.ends for span in past if span.role == "until" and span.ends <= at]
    if not until:
        return Validity()
    lasted = [span for span in past if span.role == "for"]  # "for ten years until 2019"
    return Validity(begins=until[-1] - (lasted[0].ends - lasted[0].begins) if lasted else None, ends=until[-1])


def _moved(spans: tuple[TimeSpan, ...], at: datetime, zone: tzinfo) -> Validity | None:
    """When a thing happens that was put off, by the last of the times that are told: "from June to September", "until Friday"."""
    for span in reversed(spans):
        if span.role == "until" or (span.role == "point" and _FROM.match(span.text)):
            begins, ends = _at_last(span, at, zone)
            if begins > at:
                return Validity(event=begins, ends=ends)
        elif span.role in ("point", "by", "from", "for") and _comes(span, at):
            return Validity(event=span.begins, ends=span.ends)
    return None


def _at_last(span: TimeSpan, at: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """The day, or the week, month or year, to which something is put off: "until June" is some day of it."""
    last = span.ends - _A_DAY
    if _A_DATE.search(span.text):
        return last, span.ends
    if span.role != "until":
        return last.replace(day=1), span.ends
    whole = find_times(_UNTIL.sub("in ", span.text), at=at, zone=zone)
    return span.ends, max((one.ends for one in whole if one.begins == span.ends), default=span.ends + _A_DAY)


def _comes(span: TimeSpan, at: datetime) -> bool:
    """Whether a time is yet to come; of today there is nothing to plan any more, though a thing may end with it."""
    return span.begins > at or (span.role != "for" and span.ends > at and (span.ends - span.begins).days > 1)


def _stretch(clause: Clause, at: datetime, zone: tzinfo) -> Validity | None:
    """From when until when a state lasts that is to come, where both are said apart: "from Monday … for two weeks", "until the 20th"."""
    spans = clause.times.get("future", ())
    first = next((span for span in spans if span.role in ("from", "point") and span.begins > at), None)
    last = next((span for span in spans if span.role in ("for", "until") and span.begins <= at < span.ends), None)
    if first is None or last is None or (first.role == "point" and _ELSEWHERE.search(clause.full[last.end : first.start])):
        return None
    ends = last.ends
    if last.role == "for" or ends <= first.begins:  # both count from when it begins: "from Monday until Friday", said on a Wednesday
        ends = max((span.ends for span in find_times(last.text, at=first.begins, zone=zone)), default=first.begins)
    if first.role == "point":  # "next week … for three days"
        ends = max(ends, first.ends)
    return Validity(begins=first.begins, ends=ends, temporary=True) if first.begins < ends else None


def _state(span: TimeSpan, at: datetime, *, will_be: bool) -> Validity | None:
    """How a time phrase bounds a state: until when it lasts, or since when.

    What only will be so from the summer on is not so yet, though that has begun: it is so when it ends.
    """
    if span.role == "from" and will_be and span.begins <= at < span.ends - _A_WEEK and not _THIS.search(span.text):
        return Validity(begins=span.ends)
    if span.role in ("since", "from"):
        return Validity(begins=span.begins)
    if span.role == "for" and span.ends <= at:
        return Validity(begins=span.begins)
    if span.role == "by" or span.ends <= at:
        return None
    begins = span.begins if span.begins > at else None
    return Validity(begins=begins, ends=span.ends, temporary=True, until=span.role == "until" and begins is None)
