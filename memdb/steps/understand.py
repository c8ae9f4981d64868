"""Read a question before it is searched for: mem-skill's stage 1, "extract entities and intent from current input"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from memdb.answers import Question
from memdb.cues import Change, asks_past, asks_present, change_in, last_talk_in, order_in
from memdb.database import Database
from memdb.emotions import mood_of
from memdb.records import Intent
from memdb.stop_words import STOP_WORDS
from memdb.times import end_of, to_text, to_utc
from memdb.unspaced import words_of
from memdb.when import TimeSpan, find_times

_LONGEST = 20_000  # characters that are read; what a question asks is said by then
_EVERYWHERE = "user"  # facts begin with "User", so that the word tells none from another, also where nobody has spoken yet
_MAX_TERMS = 64  # a question longer than this gains nothing and costs time
_MAX_PHRASES = 8
_MAX_TIMES = 50
_YEARS_BACK = 10  # "in July", without a year, may be any July of these
_MOST_DAYS, _MOST_MONTHS, _MOST_YEARS = 10, 6, 2  # of a stretch of time that is looked for by its days, by its months, by its years
_DAY, _MONTH, _ONE_YEAR = "{0:02} {1} {2:04}", "{1} {2:04}", "{2:04}"  # as the view fact_text writes them
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")  # the index holds "sister's" as two words, and few texts have both
_ASKING = frozenset(
    """
    when how what which who whose whom where why before until till after since prior used previous previously former formerly past then time
    originally those once longer any anymore old did was were had
    """.split()
)
"""What asks for something, for what was, or from a change on, has one of these words; many a text has none."""

_LAST = frozenset("last latest newest previous recent recently left leave first earliest".split())
"""What asks for the last conversation, or for the last or first of what there was, has one of these words."""

_INTENTS: dict[Intent, re.Pattern[str]] = {
    "time": re.compile(
        r"^\W*(?:when|how long|since when|until when|(?:in |on |at )?(?:what|which) (?:day|date|month|year|time|season|week))\b"
        r"|\bwhen (?:did|does|do|was|were|is|are|will|has|have|had)\b",
        re.IGNORECASE,
    ),
    "number": re.compile(r"^\W*how (?:many|much|old|often|far|big|tall)\b|\bhow (?:many|much|old)\b", re.IGNORECASE),
    "person": re.compile(r"^\W*(?:who|whose|whom|with whom)\b|\bwho (?:did|does|do|was|were|is|are|will|has)\b", re.IGNORECASE),
    "place": re.compile(
        r"^\W*(?:from )?where\b|\bwhere (?:did|does|do|was|were|is|are|will|has|have)\b"
        r"|^\W*(?:in |to )?(?:what|which) (?:city|country|place|town|state)\b",
        re.IGNORECASE,
    ),
    "reason": re.compile(r"^\W*(?:why|how come|for what reason)\b", re.IGNORECASE),
}
_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]{2,80})[\"“”«»]")
_NAME = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’-]*(?:[ \t]+(?:of the |of |the |de |da |von |van )?[^\W\d_a-z][\w'’-]*)*")
_ASKS_USER = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|myself|we|our)\b", re.IGNORECASE)
_ASKS_ASSISTANT = re.compile(
    r"\b(?:did|do|have|had|were|are|would|could|can|will|should)(?:n't)? you\b|\byou (?:\w+ )?(?:said|told|suggest|recommend)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_IN_FULL = re.compile(r"\d{4}")
_ABOUT = re.compile(r"\b(week|fortnight|month|year)s?\b", re.IGNORECASE)
_KEPT = re.compile(rf"\d{{4}}|{_ABOUT.pattern}", re.IGNORECASE)  # these words are looked for, too: they may be those of the answer
_ANY_YEAR = re.compile(
    r"\b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter|christmas|xmas|easter|new year|halloween"
    r"|valentine)",
    re.IGNORECASE,
)
_AFTER_DATE = re.compile(r"\b(?:after|since)\b", re.IGNORECASE)
_BEFORE_DATE = re.compile(r"\b(?:before|until|till)\b", re.IGNORECASE)
_NAMES_OF_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday weekend morning afternoon evening night".split())
"""What a band, a market or a club may be named after, too."""

_TO_COME = re.compile(r"\b(?:will|shall|going to|plans?|planned|planning|upcoming)\b|['’]ll\b", re.IGNORECASE)
_ANYTHING = frozenset(
    """
    go goes going went happen happens happened happening say said saying tell told talk talked talking speak spoke spoken discuss discussed
    mention mentioned plan plans planned planning anything something everything thing things
    """.split()
)
"""Words that ask for whatever there was on a day."""

_WHICH = re.compile(r"\b(?:this|next|last|past)\b", re.IGNORECASE)


def understand(db: Database, query: str, *, user_id: str, now: datetime, zone: tzinfo) -> Question:
    """Return what a question asks for: its telling words, the names and phrases in it, whose words are asked about, when, and what for.

    The people who speak in the memory are in every second line of it, so that their names tell little: they decide about `actor` and
    are left out of the words and of the meaning, unless nothing else is left. Everything here is a help: a text in a language that is
    not understood is searched for by all its words.
    """
    text = unicodedata.normalize("NFC", query[:_LONGEST])
    participants = [str(speaker) for (speaker,) in db.kept("understand.participants", user_id=user_id)]
    named = _named(text, participants)
    plain = words_of(text)
    words = list(dict.fromkeys(words_of(text, contracted=True)))
    telling = list(dict.fromkeys(_POSSESSIVE.sub("", word) for word in words if word.replace("’", "'") not in STOP_WORDS))
    names = {part.lower() for speaker in named for part in _called(speaker)} | {_EVERYWHERE}
    spans = _spans(text[:1_000], now=now, zone=zone)
    order = None
    if not _LAST.isdisjoint(plain):
        talk = _last_talk(db, text, user_id=user_id, now=now, zone=zone)
        spans, order = [*spans, *talk], None if talk else order_in(text)
    days = _days(spans, zone=zone)
    counted = {word for span in days if not _KEPT.search(span.text) for word in words_of(span.text, contracted=True)}
    counted |= _LAST | {"time"} if order else set()
    terms = [word for word in telling if word not in names and (word not in counted or word in _NAMES_OF_DAYS)]
    if not terms and not days:
        terms = telling or words
    asks = not text.isascii() or not _ASKING.isdisjoint(plain)
    change, times = change_in(text) if asks else None, _times(spans, now=now, zone=zone)
    changed_at = _changed_at(db, change, user_id=user_id, now=now)
    intent = next((intent for intent, pattern in _INTENTS.items() if pattern.search(text)), "other") if asks else "other"
    past = asks and (asks_past(text) or bool(_BEFORE_DATE.search(text) and times))
    return Question(
        text=query,
        meaning=_without(text, named) if named else query,
        terms=tuple(terms[:_MAX_TERMS]),
        phrases=tuple(_phrases(text, names)[:_MAX_PHRASES]),
        topics=tuple(term for term in terms[:_MAX_TERMS] if term not in counted and term not in _ANYTHING),
        participants=tuple(named),
        actor=_actor(text, named, participants),
        intent=intent,
        times=tuple(times if changed_at is None or change is None or change.way == "before" else [*times, (changed_at, now)]),
        days=tuple(dict.fromkeys(day for each in days.values() for day in each))[:_MOST_DAYS],
        past=past,
        present=not past and not times and asks_present(text),
        as_of=changed_at - timedelta(milliseconds=1) if changed_at is not None and change is not None and change.way == "before" else None,
        order=order,
        mood=mood_of(text),
    )


def _changed_at(db: Database, change: Change | None, *, user_id: str, now: datetime) -> datetime | None:
    """When a change happened that the question counts from ("before I moved", "since I moved"), if the memory knows of it."""
    row = db.one("understand.change", user_id=user_id, stem=change.stem, now=to_text(now)) if change is not None else None
    return to_utc(str(row["changed_at"])) if row else None


def _called(speaker: str) -> tuple[str, ...]:
    """The names somebody goes by: the whole and, of "Anna Maria Silva", the first."""
    first = speaker.split()[0] if speaker.split() else speaker
    return (speaker, first) if first != speaker else (speaker,)


def _named(text: str, participants: Sequence[str]) -> list[str]:
    named = []
    for speaker in participants:
        for name in _called(speaker):
            if len(name) > 1 and _mention(name).search(text):
                named.append(speaker)
                break
    return named


@lru_cache(maxsize=1_024)
def _mention(name: str) -> re.Pattern[str]:
    common = name.casefold() in STOP_WORDS  # "Will" is a name, "will" is not
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", 0 if common else re.IGNORECASE)


def _without(text: str, named: Sequence[str]) -> str:
    for speaker in named:
        for name in _called(speaker):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    text = " ".join(text.split())
    return text if _WORD.search(text) else " ".join(named)


def _phrases(text: str, names: set[str]) -> list[str]:
    """Return what belongs together: quoted words, and runs of at least two capitalised ones ("New York")."""
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    for match in _NAME.finditer(text):
        run = match.group(0).split()
        while run and (run[0].lower() in STOP_WORDS or run[0].lower() in names or _POSSESSIVE.sub("", run[0].lower()) in names):
            run = run[1:]  # "Did Anna see New York": a capital at the beginning of a sentence says nothing
        found.append(" ".join(run))
    phrases = dict.fromkeys(" ".join(_WORD.findall(phrase.lower())) for phrase in found)
    return [phrase for phrase in phrases if " " in phrase]


def _actor(text: str, named: Sequence[str], participants: Sequence[str]) -> str | None:
    if named:
        return named[0] if len(named) == 1 else None
    if "assistant" in participants and _ASKS_ASSISTANT.search(text):
        return "assistant"
    return "user" if "user" in participants and _ASKS_USER.search(text) else None


def _spans(text: str, *, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """The times of a question: of what is or is to be ("What do I have on Friday?"), the next Friday as well as the last one."""
    spans = find_times(text, at=now, zone=zone, prefer="past")
    if spans and (_TO_COME.search(text) or asks_present(text)):
        spans += [span for span in find_times(text, at=now, zone=zone, prefer="future") if span not in spans]
    return spans


def _last_talk(db: Database, text: str, *, user_id: str, now: datetime, zone: tzinfo) -> list[TimeSpan]:
    """The day on which something was said last, before today, where a question asks for that."""
    if (match := last_talk_in(text)) is None:
        return []
    today = to_utc(now.astimezone(zone).date(), zone=zone)
    [row] = db.all("understand.last_talk", user_id=user_id, before=to_text(today))
    if row["at"] is None:
        return []
    day = to_utc(str(row["at"])).astimezone(zone).date()
    begins, ends = to_utc(day, zone=zone), end_of(day, zone=zone)
    return [TimeSpan(text=match.group(), start=match.start(), end=match.end(), begins=begins, ends=ends, role="point")]


def _times(spans: Sequence[TimeSpan], *, now: datetime, zone: tzinfo) -> list[tuple[datetime, datetime]]:
    times = []
    for span in spans:
        if _AFTER_DATE.match(span.text):
            times.append((span.begins, max(span.ends, now)))
            continue
        if _BEFORE_DATE.match(span.text):
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
        earlier = next(iter(find_times(text, at=begins - timedelta(milliseconds=1), zone=zone, prefer="past")), None)
        if earlier is None or earlier.begins >= begins:
            break
        begins = earlier.begins
        times.append((earlier.begins, earlier.ends))
    return times


def _days(spans: Sequence[TimeSpan], *, zone: tzinfo) -> dict[TimeSpan, list[str]]:
    """What is told by where it lies from today ("last week"), or by numbers ("2025-05-12"), each with its days, or else months or years.

    Others are found by their words. What lies somewhere from one of those ("the week before 16 November") lies nowhere from today.
    """
    named = [span for span in spans if _names_month(span) or _YEAR_IN_FULL.search(span.text)]
    found: dict[TimeSpan, list[str]] = {}
    for span in named or spans:
        if span.role == "point" and not _names_month(span):
            with suppress(OverflowError):  # at the ends of time a zone may lead beyond
                found[span] = _in_words(span, zone)
    return {span: days for span, days in found.items() if days}


def _in_words(span: TimeSpan, zone: tzinfo) -> list[str]:
    """Each day as the full-text index has it; of many the months, or the years; none of more than these."""
    first, last = (at.astimezone(zone).date() for at in (span.begins, max(span.begins, span.ends - timedelta(microseconds=1))))
    ways = [(_DAY, _MOST_DAYS), (_MONTH, _MOST_MONTHS), (_ONE_YEAR, _MOST_YEARS)]
    if first == last and (about := _ABOUT.search(span.text)):  # "two months ago"
        unit = about[1].lower()
        aside = timedelta(days=3 if unit in ("week", "fortnight") else 0)
        first, last = first - aside, last + aside
        ways = ways[{"month": 1, "year": 2}.get(unit, 0) :]
    if _YEAR_IN_FULL.search(span.text) and first != last:
        return []
    lasts = (last - first).days
    each = [first + timedelta(days=day) for day in range(lasts + 1)] if lasts <= 366 * _MOST_YEARS else []
    for words, most in ways:
        written = list(dict.fromkeys(words.format(day.day, _MONTHS[day.month - 1], day.year) for day in each))
        if len(written) <= most:
            return written
    return []


def _names_month(span: TimeSpan) -> bool:
    return _ANY_YEAR.search(span.text) is not None
