"""The days that a message tells of."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, timedelta, tzinfo

from memdb.cues import tells_ahead
from memdb.dates import Prefer
from memdb.languages import Language, language_of
from memdb.times_abroad import find_times_abroad
from memdb.unspaced import words_of
from memdb.when import TimeSpan, find_times

MOST_TOLD = 4
"""So many days of a message are kept at most."""

_READ = 4_000  # characters of a message that are read for times
_TELLING = 500  # of them, by which its language is told
_ENDS = re.compile(r"[.!?\n]")  # of a sentence
_JOINS = re.compile(r"[,;:]|\b(?:and|but|so|then|while|whereas|though|although|because)\b", re.IGNORECASE)  # its clauses
_MOST_SPANS = 12  # of a message that are looked at
_WEEK = timedelta(days=7, hours=1)
_FEW = timedelta(days=3, hours=1)  # a weekend, "10 to 12 May", or as long where the clocks are put back


def told_in(text: str) -> Language | None:
    """Return the language of a message, None for English and others."""
    return language_of(words_of(unicodedata.normalize("NFC", text[:_TELLING])))


def days_told(text: str, language: Language | None, *, at: datetime, zone: tzinfo) -> tuple[datetime | None, list[date]]:
    """Return when what a message in a language tells of first is or was, and the other days that it tells of.

    A Friday that it does not tell apart is the last one, or the next where its clause tells ahead.
    """
    read = unicodedata.normalize("NFC", text[:_READ])
    spans = _in_their_ways(read, language, at=at, zone=zone)
    if not spans:
        return None, []
    first = next((span for span in spans if span.role != "for"), spans[0])  # "for two weeks in March" is in March
    days = dict.fromkeys(day for span in spans for day in _days(span, zone))
    told = {time.astimezone(zone).date() for time in (at, first.begins)}
    return first.begins, [day for day in days if day not in told][: MOST_TOLD - 1]


def _in_their_ways(text: str, language: Language | None, *, at: datetime, zone: tzinfo) -> list[TimeSpan]:
    """The times of a text, each as its clause tells of it: of what was, or of what is to be."""

    def found(prefer: Prefer) -> list[TimeSpan]:
        if language is None:
            return find_times(text, at=at, zone=zone, prefer=prefer)
        return find_times_abroad(text, language, at=at, zone=zone, prefer=prefer)

    spans = found("past")[:_MOST_SPANS]
    ahead = [_is_ahead(text, span, language) for span in spans]
    if not any(ahead):
        return spans
    to_come = {span.start: span for span in found("future")}
    return [to_come.get(span.start, span) if is_ahead else span for span, is_ahead in zip(spans, ahead, strict=True)]


def _is_ahead(text: str, span: TimeSpan, language: Language | None) -> bool:
    tells, joins = (tells_ahead, _JOINS) if language is None else (language.is_ahead, language.joiners)
    before, after = _ENDS.split(text[: span.start])[-1], _ENDS.split(text[span.end :], maxsplit=1)[0]
    said = text[span.start : span.end]
    if tells(before + said + after):
        return True
    head, tail = joins.split(before)[-1], joins.split(after, maxsplit=2)
    if len(tail) > 1 and not (head + tail[0]).strip():
        tail = tail[1:]  # "on Friday, we'll go out"
    return tells(head + said + tail[0])


def _days(span: TimeSpan, zone: tzinfo) -> list[date]:
    """The days that a span is found by: each of a few, the last of what runs up to it, the first of a week; of what is longer none."""
    if span.role == "for" or (span.role in ("point", "until") and span.ends - span.begins > _WEEK):
        return []
    if span.role == "until":
        return [(span.ends - timedelta(hours=1)).astimezone(zone).date()]
    first, after = (time.astimezone(zone).date() for time in (span.begins, span.ends))
    few = span.role == "point" and span.ends - span.begins <= _FEW
    return [first + timedelta(days=day) for day in range((after - first).days if few else 1)]
