"""What a question says about time without naming a date: that it is about the past or the present, and which change it counts from."""

from __future__ import annotations

import re
from typing import Literal

from memdb.records import Record

_PAST = re.compile(
    r"\b(?:used to|previous(?:ly)?|former(?:ly)?|in the past|back then|at that time|originally|in those days|once|no longer|any ?more"
    r"|last time|the old)\b"
    r"|\b(?:before|until|till) (?:i|we|you|he|she|they|the|my|our)\b"
    r"|^\W*(?:where|what|who|which|how|whose|whom)\b[^?]*\b(?:did|was|were|had)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"(?<!\bget )(?<!\bgot )(?<!\bgetting )(?<!\bam )(?<!\bam i )(?<!\bis )(?<!\bare )(?<!['’](?:m|s) )(?<!['’]re )\bused to\b"
    r"|\bdid(?:n['’]?t)?(?: [\w'’]+){1,3} use to (?:be|do|drink|drive|eat|go|have|like|live|love|play|smoke|study|take|wear|work)\b"
    r"|\bprevious(?:ly)? (?!chats?\b|conversations?\b|days?\b|messages?\b|months?\b|sessions?\b|talks?\b|weeks?\b|weekends?\b|years?\b)"
    r"|\bpreviously\W*$|\bformer(?:ly)?\b|\bin the past\b|\bback then\b|\bin those days\b|\boriginally\b|\bno longer\b"
    r"|\b(?:did|was|were|had)(?:n['’]?t)?\b[^?.!\n]{0,200}\bbefore(?: (?:now|that|then|this))?\W*$"
    r"|\b(?:my|our|his|her|their|['’]s) old (?:\w+ )?(?:address|apartment|bank|boss|car|company|dentist|diet|doctor|employer|flat|gym|home"
    r"|house|job|landlord|name|number|phone|place|plan|route|school|surname|team)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:when|where|what|who|which|how|whose|whom|why)(?:\b[^?.!\n]{0,100}\b(?:do|does|is|are|am)\b|['’](?:s|re)\b)"
    r"|^\W*(?:do|does|is|are|am|(?:do|does|is|are)n['’]?t)\b"
    r"|\b(?:who|which \w+) (?!was\b)\w+s\b",
    re.IGNORECASE,
)
_PAST_VERBS = frozenset(
    """
    did didn't didnt was wasn't wasnt were weren't werent had hadn't hadnt been ate began bought broke brought built came caught chose drank
    drove fell felt flew forgot found gave got grew heard held kept knew left lost made met paid ran said sang sat saw sent slept sold spent
    spoke stood swam taught thought told took understood went woke won wore wrote
    """.split()
)
"""Pasts that are no other word: "a bit", "a shot" and what is "stuck" tell of nothing that was."""

_OF_THE_PAST = _PAST_VERBS | frozenset("ever ago before earlier yet already first last once until till since after".split())
"""A question with one of these words speaks of what was, if only in a clause."""

_AHEAD = frozenset(
    """
    will shall won't can could should must need needs gonna going coming leaving flying starting moving visiting meeting having seeing
    i'm we're he's she's they're it's there's i'll we'll he'll she'll they'll it'll you'll there's am is are isn't aren't have has
    starts begins opens ends leaves arrives comes returns let's due
    """.split()
)
"""What tells of something to come has one of these words, where it says on which day."""

_DONE = frozenset("seen gone done eaten taken given written driven flown gotten become begun".split())
_ARRANGED = frozenset("arranged booked invited planned reserved scheduled".split())

_ARRANGED_THEN = re.compile(  # "On Friday I booked a table" was done on it; "I booked a table for Friday" is to come
    r"^\W*(?:(?:and|so|well|oh|then),? )?on (?:mon|tues|wednes|thurs|fri|satur|sun)day(?: (?:morning|afternoon|evening|night))?,? "
    r"(?:i|we|he|she|they|(?:my|our) \w+|(?-i:[A-Z])\w+) (?:finally |also |just )?(?:arranged|booked|invited|reserved|scheduled)\b",
    re.IGNORECASE,
)
_NO_PAST = frozenset(
    """
    called named married engaged divorced retired insured allowed supposed interested based located related red bed need feed speed seed
    """.split()
)
_READ = 1_000  # characters in which the present is looked for: a question is no longer
_CHANGE = re.compile(
    r"\b(?P<way>before|until|till|prior to|after|since)\s+(?:(?:i|we|you|he|she|they|(?-i:[A-Z])\w+)\s+(?:had |have |has |'d |ever )?"
    r"|(?:my|our|the|his|her|their|getting|being)\s+|(?=[a-z]{2,}ing\b))(?P<what>[a-z]+)",
    re.IGNORECASE,
)
_TALKED = r"(?:talk(?:ed)?|spoke|speak|chat(?:ted)?|discuss(?:ed)?|said|say|told|tell|mention(?:ed)?|ask(?:ed)?|agree(?:d)?|decide(?:d)?)"
_TALK = re.compile(rf"\b{_TALKED}\b", re.IGNORECASE)
_LAST_TALK = re.compile(
    rf"\b(?:(?P<since>since (?:(?:we|i) last {_TALKED}(?: (?:to |with )?(?:you|each other))?"
    r"|our last (?:conversation|chat|session|talk))(?=\W*$))"
    r"|(?:in |during )?(?:our|the) (?:last|latest|previous|most recent) (?:conversation|chat|session|talk|discussion)\b"
    r"(?! (?:with (?!you\b)|of|at|on|for))"
    rf"|the last time (?:i|we) {_TALKED}(?: (?:to |with )?(?:you|each other))?(?=\W*$)"
    rf"|(?<!the )(?P<time>last time)(?=\W*$|,? (?:we|i|you) {_TALKED}\b)"
    r"|where (?:did we leave|we left) off\b"
    r"|when did (?:we|i) last (?:talk|speak|chat)(?: (?:to|with) (?:you|each other))?(?=\W*$))",
    re.IGNORECASE,
)
_FIRST_TALK = re.compile(
    r"\b(?:(?:in |during )?(?:our|the|my) (?:very )?first (?:conversation|chat|talk)\b(?! (?:with (?!you\b)|about \w|of|at|on|for))"
    r"|the (?:very )?first (?:time|day) (?:that )?(?:i|we) (?:ever )?(?:talked|spoke|chatted)(?: (?:to |with )(?:you|each other))?(?=\W*$)"
    r"|when (?:i|we) (?:very )?first (?:talked|spoke|chatted|started (?:talking|chatting)|met you|(?P<met>met))"
    r"(?: (?:to |with )(?:you|each other))?(?=\W*$)"
    r"|when did (?:i|we) (?:very )?first (?:talk|speak|chat|start (?:talking|chatting)|meet you)"
    r"(?: (?:to |with )?(?:you|each other))?(?=\W*$))",
    re.IGNORECASE,
)
_WITH_YOU = re.compile(r"\byou\b|\bwe (?:talk|speak|chat|discuss)", re.IGNORECASE)  # who met is the user and the assistant
_STRETCH = (
    r"(?:year|month|week|night|weekend|fortnight|summer|winter|spring|autumn|fall|season|semester|term|name|names|surname|minute|resort|word"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|christmas|easter|few|couple|of|two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
)
_DID = r"\b(?:did|have|has|had)(?: [\w'’]+){1,3}"
_WHOSE = r"\b(?:the|my|our|your|his|her|their)"
_LATEST = re.compile(
    rf"(?<!for )\bthe last time\b|{_DID} last(?=\W*$| (?!{_STRETCH})\w)|\bmost recent(?:ly)?\b|{_WHOSE} (?:latest|newest)\b"
    rf"|{_WHOSE} last (?!{_STRETCH})[\w-]+ (?:that )?(?:i|we|you|he|she|they|(?-i:[A-Z])\w+)\b",
    re.IGNORECASE,
)
_EARLIEST = re.compile(rf"(?<!for )\bthe first time\b|{_DID} first(?=\W*$| (?!name|names|of|aid|class)\w)|\bthe earliest\b", re.IGNORECASE)
_WHO = r"(?P<who>i|you|we)"
_HAVING_SAID = (
    r"(?:told|tell|say|said|mention(?:ed)?|ask(?:ed)?|wrote|write|sen[dt]|suggest(?:ed)?|recommend(?:ed)?"
    r"|(?:talk(?:ed|ing)?|sp(?:oke|eak)|speaking) (?:about|of)|discuss(?:ed|ing)?)(?: (?:to )?(?:you|me))?"
)
_SAID = (
    re.compile(rf"\bwhat (?:did|have|were) {_WHO} (?P<just>just) {_HAVING_SAID}", re.IGNORECASE),
    re.compile(rf"\bwhat did {_WHO} {_HAVING_SAID} (?P<just>just now|last|first)", re.IGNORECASE),
    re.compile(rf"\bwhat did {_WHO} (?P<just>last|first) {_HAVING_SAID}", re.IGNORECASE),
    re.compile(
        rf"\bthe (?:very )?(?P<just>last|latest|most recent|first) (?:thing|message|question|sentence|words?)s? (?:that )?{_WHO}"
        rf" (?:ever |had |have |just )?{_HAVING_SAID}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bwhat (?:was|is|were) (?P<who>my|your) (?:very )?(?P<just>last|latest|most recent|first) (?:message|question)s?", re.IGNORECASE
    ),
)
_THIS_TALK = r"(?:(?:this|our current) (?:conversation|chat|session|talk))"
_SAID_THEN = re.compile(
    rf"\bwhat (?:else )?(?:did|have|had|were|was) {_WHO} (?:already |been )?{_HAVING_SAID} "
    r"(?P<then>(?:(?:in|within|during|over) the (?:last|past) (?:[\w-]+ ){0,3}(?:hour|minute)s?"
    r"|(?:[\w-]+ ){1,4}(?:hour|minute)s? ago|(?:late |early |earlier )?(?:this (?:morning|afternoon|evening)|tonight|last night)"
    r"|yesterday (?:morning|afternoon|evening|night)|earlier"
    rf"|(?P<first>(?:at|in) the (?:beginning|start) of {_THIS_TALK}|when (?:this|our) (?:conversation|chat|session) (?:began|started))"
    rf"|(?P<talk>(?:so far |earlier )?(?:in|during) {_THIS_TALK}(?: so far)?)))(?=\W*$)",
    re.IGNORECASE,
)
_SAID_WHERE = re.compile(
    r"(?:\s(?:in (?:this|our) (?:conversation|chat|session)|here|so far|ever|again|now))?\W*(?P<alone>$)|\s(?:about|regarding)\s",
    re.IGNORECASE,
)
_SPEAKERS: dict[str, Literal["user", "assistant"]] = {"i": "user", "my": "user", "you": "assistant", "your": "assistant"}
ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
"""What "studying", "studied" and "studies" have behind their stem."""


class Change(Record):
    """A change that a question counts from: "before I moved" is {way: "before", stem: "mov"}, and "since moving" is "after" it."""

    way: Literal["before", "after"]
    stem: str


class Said(Record):
    """What a question asks for by its place among what was said: the "last" or the "first", of the "user", the "assistant" or of both.

    It is that place `alone` that tells it, or what it was about, too. `start` and `end` are where the question says so.
    """

    order: Literal["first", "last"]
    speaker: Literal["user", "assistant"] | None
    alone: bool
    start: int
    end: int


class SaidThen(Record):
    """What a question asks for by when it was said: the "first" or the "last" `then`, or in this conversation; `start` and `end` say so."""

    order: Literal["first", "last"]
    speaker: Literal["user", "assistant"] | None
    then: str | None
    start: int
    end: int


def asks_past(text: str) -> bool:
    """Whether a question asks for what was, so that what is believed no longer may answer it."""
    return bool(_PAST.search(text))


def asks_former(text: str) -> bool:
    """Whether an English question asks for what was so before ("What was my job before?"), so that what is over answers it best."""
    return bool(_FORMER.search(text[:_READ]))


def asks_present(text: str) -> bool:
    """Whether an English question asks for what is so now, in every part of it, so that what is believed no longer does not answer it."""
    read = text[:_READ]
    if not _PRESENT.search(read):
        return False
    words = _words(read)
    return words.isdisjoint(_OF_THE_PAST) and not _has_past_form(words)


def tells_ahead(sentence: str) -> bool:
    """Whether an English sentence tells of what is to be ("The dentist is on Friday"), or at least of nothing that was."""
    words = _words(sentence[:_READ])
    if not words.isdisjoint(_ARRANGED) and _ARRANGED_THEN.match(sentence):
        return False
    return not words.isdisjoint(_AHEAD | _ARRANGED) and words.isdisjoint(_PAST_VERBS | _DONE) and not _has_past_form(words - _ARRANGED)


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?()\"“”'’") for word in text.lower().replace("’", "'").split()}


def _has_past_form(words: set[str]) -> bool:
    return any(word.endswith("ed") for word in words - _NO_PAST)


def last_talk_in(text: str) -> re.Match[str] | None:
    """Return the words by which an English question means the last conversation ("What did we talk about last time?"), or None."""
    found = _LAST_TALK.search(text[:_READ])
    return found if found and (found["time"] is None or _TALK.search(text[:_READ])) else None


def first_talk_in(text: str) -> re.Match[str] | None:
    """Return the words by which an English question means the first conversation ("What did we talk about when we first met?"), or None."""
    found = _FIRST_TALK.search(text[:_READ])
    return found if found and (found["met"] is None or _WITH_YOU.search(text[:_READ])) else None


def order_in(text: str) -> Literal["first", "last"] | None:
    """Whether an English question wants the last ("When did I last see her?") or the first of what there was, or neither."""
    last, first = _LATEST.search(text[:_READ]), _EARLIEST.search(text[:_READ])
    return None if bool(last) == bool(first) else "last" if last else "first"


def said_in(text: str) -> Said | None:
    """Return what an English question asks for that was said last or first ("What did I just tell you?"), or None."""
    read = text[:_READ]
    for pattern in _SAID:
        match = pattern.search(read)
        where = _SAID_WHERE.match(read, match.end()) if match is not None else None
        if match is not None and where is not None:
            return Said(
                order="first" if match["just"].lower() == "first" else "last",
                speaker=_SPEAKERS.get(match["who"].lower()),
                alone=where["alone"] is not None,
                start=match.start(),
                end=match.end(),
            )
    return None


def said_then_in(text: str) -> SaidThen | None:
    """Return when what an English question asks for was said, where it asks for whatever that was ("What did I tell you this morning?")."""
    match = _SAID_THEN.search(text[:_READ])
    if match is None:
        return None
    return SaidThen(
        order="first" if match["first"] else "last",
        speaker=_SPEAKERS.get(match["who"].lower()),
        then=None if match["first"] or match["talk"] or match["then"].lower() == "earlier" else match["then"],
        start=match.start("then"),
        end=match.end("then"),
    )


def change_in(text: str) -> Change | None:
    """Return the change that a question counts from, or None."""
    match = _CHANGE.search(text)
    if match is None:
        return None
    way = "after" if match["way"].lower() in ("after", "since") else "before"
    stem = ENDING.sub("", match["what"].lower())
    return Change(way=way, stem=stem) if len(stem) > 2 else None
