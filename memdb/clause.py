"""A clause of English text as it is read: whom it is about, and its verb phrase without adverbs, negation and time phrases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from memdb.called import called
from memdb.dates import Prefer
from memdb.english_rules import compiled, rules
from memdb.subjects import by_name, subjects
from memdb.when import TimeSpan, find_times


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that may state facts.

    `subject` is "i", how a relative is called ("sister"), or "" where it is none of these; `name` the relative's name if it is told.
    `guessed`: it says "she" or "he", and more than one may be meant. `owned`: it begins with "my …" or "my sister's …". `phrase` is the
    rest, the verb phrase or what is owned, without adverbs, negation and time phrases; `full` the same with its time phrases. `text` is the
    whole clause. `former`: "used to". `elided`: its "I" or "my" was left out.
    """

    excerpt: str
    text: str
    subject: str = ""
    name: str = ""
    guessed: bool = False
    owned: bool = False
    phrase: str = ""
    full: str = ""
    negative: bool = False
    ended: bool = False
    former: bool = False
    coming: bool = False
    hedged: bool = False
    explicit: bool = False
    elided: bool = False
    times: dict[Prefer, tuple[TimeSpan, ...]] = field(default_factory=dict)


_HAVE_HAD = re.compile(  # and has it still
    r"^(?:have|has) had (?=(?:an?|my|our|two|three) .*\b(?:since|for)\b"
    r"|[\w'’-]+(?: [\w'’-]+){0,3} (?:since\b|for (?:\w+ )?(?:years|decades)\b|all my life))",
    re.IGNORECASE,
)
_NOT_TO_BE = re.compile(  # "I won't be living in Porto", "I'm not moving to Porto after all"
    r"will not (?:(?P<be>be )|(?P<living>live )|(?P<working>work )|(?P<become>(?:go|become|turn) (?=vegan|vegetarian|keto|plant)))(?=\w)"
    r"|(?:am|is|are) not (?:moving|going|relocating) to (?=\S)",
    re.IGNORECASE,
)
_TO_BE = {"be": "will be ", "living": "will be living ", "working": "will be working ", "become": "will be "}
_GOING_TO = re.compile(r"^(?:am|is|are) not going to (?=(?:work|live) (?:at|in|for|with)\b|be (?:living|working)\b)", re.IGNORECASE)
_USED_TO = re.compile(r"used to (?:be (?P<ing>(?:an? |in|on)|\w+ing\b)?|)", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:(?:do|does) not|(?P<be>am|is|are) (?:not|no longer|never)|(?P<can>can) not(?= (?:eat|drink|have|tolerate|do|handle|digest)\b)"
    r"|no longer|(?:have|has) (?P<never>never)|never"
    r"|(?P<have>have|has) (?:no longer|got no|no|not got))\s+",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile(r",? (?:after all|any ?more|any ?longer)[ .!]*$", re.IGNORECASE)
_OWNING = re.compile(r"(?:my|our)\s+(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_POSSESSIVE_IS = re.compile(r"^(\w+(?: \w+)?)'s (?=\S)")  # "my name's Ana"
_POSSESSED = re.compile(
    r"(?!(?:an?|the|not|in|on|at|from|very|so|really|also|now|\d+)\s)(?:[\w'-]+ ){1,4}?"
    r"(?:is|are|was|were|has|had|will|can|does|did|\w+ed|got|made|came|says|said|goes|lives|works|loves|likes|hates|wants)\b",
    re.IGNORECASE,
)
_SOMEBODYS = r"(?:(?!(?:an?|the)\b)[a-z'-]+ ){0,2}?(?:{occupation}|{person})(?=$|,)"  # "my son's teacher", but "my son's a teacher"
_FOLLOWS = re.compile(
    r"\s*(?:$|[,.]|(?:to|with|for|at|from|in|and|as|because|about|on|near|by|after|if|but|together|again|instead|so)\b)", re.IGNORECASE
)
_BLANK = re.compile(r"\s+")


def parsed(clause: Clause, person: tuple[str, str], people: Mapping[str, str], *, at: datetime, zone: tzinfo) -> Clause:
    """Find the subject of a clause and reduce its verb phrase; `person` was spoken of last, what they are to the user and their name."""
    found, moved = subjects().match(clause.text), clause.full
    if named := by_name(clause.text, people):
        name, subject, rest = named
        return _timed(_reduced(replace(clause, subject=subject, name=name, full=rest + moved)), at=at, zone=zone)
    if found is None:
        owned = _OWNING.match(clause.text)
        clause = (
            replace(clause, subject="i", owned=True, full=_POSSESSIVE_IS.sub(r"\1 is ", owned.group("rest")) + moved)
            if owned
            else replace(clause, full=clause.text + moved)
        )
        return _timed(clause, at=at, zone=zone)
    rest, name = found.group("rest") or "", found.group("name") or ""
    if called().relations.get((found.group("rel") or "").lower()) in rules().groups["several"]:
        name = ""  # of one of them
    if found.group("i"):
        subject = "i"
    elif found.group("rel"):
        subject = found.group("rel").lower()
        clause = replace(clause, explicit=clause.explicit or "new" in found.group("how").lower().split())
        if found.group("of"):
            if not compiled(r"(?:name|birthday|(?:wedding )?anniversary|favou?rite|hobb|job|new|{attribute} is\b)").match(rest):
                if _POSSESSED.match(rest) or compiled(_SOMEBODYS).match(rest):  # "my son's teacher is …" is not about the son
                    return _timed(replace(clause, full=clause.text + moved), at=at, zone=zone)
                rest = f"is {rest}"  # "my sister's a nurse"
            else:
                return _timed(replace(clause, subject=subject, owned=True, full=rest + moved), at=at, zone=zone)
    else:
        pronoun = found.group("pron").lower()
        meant = person[0] and (pronoun == "who" or person[0] in rules().groups[pronoun])
        if pronoun == "they" and not meant:
            return _timed(replace(clause, full=clause.text + moved), at=at, zone=zone)  # "they put me on insulin"
        subject, name = person if meant else ("", "")
        clause = replace(clause, guessed=True)
    return _timed(_reduced(replace(clause, subject=subject, name=name, full=rest + moved)), at=at, zone=zone)


def _reduced(clause: Clause) -> Clause:
    """Take adverbs, the negation and "used to" out of a verb phrase."""
    words = rules().phrase
    phrase, hedged, explicit = clause.full.strip(), clause.hedged, clause.explicit
    phrase = _HAVE_HAD.sub("have ", phrase)
    adverb = compiled(rf"({words['auxiliaries']})({words['adverbs']}) (?!not\b)(?=\S)")
    for _ in range(6):
        found = adverb.match(phrase)
        if found is None:
            break
        hedged |= compiled(words["hedging"]).fullmatch(found.group(2)) is not None
        explicit |= compiled(words["insisting"]).fullmatch(found.group(2)) is not None
        phrase = phrase[: found.end(1)] + phrase[found.end() :]
    former = _USED_TO.match(phrase)
    if former:
        phrase = ("am " if " be" in former.group() else "") + phrase[former.start("ing") if former.group("ing") else former.end() :]
        if inside := compiled(rf"{words['adverbs']} (?!not\b)(?=\S)").match(phrase):  # "used to really love"
            phrase = phrase[inside.end() :]
    phrase = _GOING_TO.sub("will not ", phrase)
    coming = _NOT_TO_BE.match(phrase)
    if coming:
        verb = next((_TO_BE[name] for name, found in coming.groupdict().items() if found), None)
        phrase = _AFTER_ALL.sub("", phrase if verb is None else f"{verb}{phrase[coming.end() :]}")
    negation = _NEGATED.match(phrase)
    ended = former is not None
    if negation and not (negation.group("never")):
        ended |= "no longer" in negation.group().lower()
        kept = negation.group("be") or negation.group("have") or negation.group("can") or ""
        phrase = f"{kept} {phrase[negation.end() :]}".strip()
        found = compiled(rf"({words['adverbs']}) (?!not\b)").match(phrase)
        phrase = phrase[found.end() :] if found else phrase
    final = compiled(words["ended"]).search(phrase)
    if final and negation:
        phrase, ended = (phrase[: final.start()] + phrase[final.end() :]).strip(), True
    return replace(
        clause,
        full=phrase,
        negative=negation is not None or coming is not None,
        ended=ended,
        former=former is not None,
        coming=coming is not None,
        hedged=hedged,
        explicit=explicit,
    )


def _timed(clause: Clause, *, at: datetime, zone: tzinfo) -> Clause:
    """Find the time phrases of a clause, and take those out of its phrase that are no part of what it speaks of."""
    full = _BLANK.sub(" ", clause.full).strip(" ,.-")
    if put_off := compiled(rules().phrase["put_off_to"]).search(full):
        full = f"{full[: put_off.start('to')]}until{full[put_off.end('to') :]}"  # "to March" may say anything, "until March" only when
    ways: tuple[Prefer, ...] = ("future", "past")
    times = {way: _of_it_all(clause.text, full, tuple(find_times(full, at=at, zone=zone, prefer=way))) for way in ways}
    phrase = without_times(full, times["future"])
    if len(phrase.split()) < 2:
        phrase = full
    return replace(clause, full=full, phrase=phrase, times=times if any(times.values()) else {})


def _of_it_all(text: str, full: str, spans: tuple[TimeSpan, ...]) -> tuple[TimeSpan, ...]:
    """The time phrases of the verb phrase of a text but for those that narrow down what is liked or avoided: "films made before 1970"."""
    words = rules().phrase
    narrowed = compiled(words["narrowed"]).search(full) if spans and compiled(words["tastes"]).match(full) else None
    return spans if narrowed is None else tuple(span for span in spans if span.start < narrowed.start() or span.text not in text)


def without_times(text: str, spans: tuple[TimeSpan, ...]) -> str:
    """Return a text without its time phrases, but for those that a noun follows ("Friday nights")."""
    for span in reversed(spans):
        if span.role != "point" or _FOLLOWS.match(text, span.end):
            rest = text[span.end :].lstrip()
            text = text[: span.start].rstrip(" ,") + ("" if rest.startswith(",") else " ") + rest
    return text.strip(" ,")
