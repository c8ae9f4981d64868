"""Whether what a model wrote down rests on the words that it was given: one that sounds sure may have made it up, or turned it round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from pydantic import JsonValue

from memdb.keys import negates, normalise, predicate_of, telling
from memdb.languages import language_of
from memdb.records import Candidate, Predicate
from memdb.stop_words import STOP_WORDS, TOLD_IN_ENGLISH
from memdb.unspaced import is_unspaced, words_of
from memdb.when import find_times

_STEM = 3  # letters that two forms of a word, or of a name in two languages, mostly share, and a short form has ("doc", "vet")
_NAMED = re.compile(r"[A-Z][\w.'’-]*(?: (?:of |and |the )*[A-Z][\w.'’-]*)+")
_UNTELLING = frozenset("yes no true false none unknown".split())
_NUMBER = re.compile(r"\d")
_COUNTED = re.compile(
    r"\b(?:\w*teen|\w*t(?:y|ies)(?:-\w+)?|once|twice|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|half|hundreds?|thousands?|millions?)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{1,18}")  # longer ones are no numbers that anybody reckons with
_THOUSANDS = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))")
_DAY_OR_HOUR = re.compile(  # reckoned from "next Friday" and "half past seven"
    r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[:.]\d\d(?!\d)|\d{1,2}(?= ?[ap]\.?m\b)|(?<!\d)(?:19|20)\d\d(?!\d)"
    r"|\d{1,2}(?:st|nd|rd|th)?(?= (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
    r"|(?<=[a-z]) \d{1,2}(?:st|nd|rd|th)\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(  # other numbers than these few may be told in ways that nobody can list
    r"\b(?:\w*teen|\w*ty(?:-\w+)?|\w*ties|once|twice|three|two|four|five|six|seven|eight|nine|ten|eleven|twelve|both|couple|pair|few|double|triple"
    r"|dozens?|half|quarter|thirds?|hundreds?|thousands?|millions?|score)\b",
    re.IGNORECASE,
)
_COUNTS = 10  # so many of what is listed one may have counted
_LISTED = re.compile(r"[,&;]|\band\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:i|we|me|us)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:\b(?:not|never|cannot|no longer)|n['’]t)(?:\s+\w+)?\s*$", re.IGNORECASE)


def speaks_of(text: str, said: str) -> bool:
    """Tell whether a text has a word of what is said to be told there, in whatever form, or may have where that cannot be told by words."""
    own, theirs = telling(said) - _UNTELLING, {*words_of(text.casefold()), *telling(text)}
    if not own or any(map(is_unspaced, {*own, *theirs})) or any(_alike(one, other) for one in own for other in theirs):
        return True
    if not theirs.isdisjoint(_initials(said)) or not own.isdisjoint(_initials(text)):  # "NYC", "the UK"
        return True
    return bool(_NUMBER.search(said) and _COUNTED.search(text)) or bool(_COUNTED.search(said) and _NUMBER.search(text))


def made_up_number(text: str, said: str) -> str | None:
    """Return a number in digits of what is said to be told in an English text that has others, in digits, and not that one; None for none.

    Days and hours are reckoned, the last digits of a number stand for it, and zeros may be told by a word: of "30k" 30,000 is no other.
    """
    told = _DIGITS.findall(_THOUSANDS.sub("", text))
    if not told or _IN_WORDS.search(text) or not is_english(text):
        return None
    run = "".join(told)
    for number in _DIGITS.findall(_DAY_OR_HOUR.sub(" ", _THOUSANDS.sub("", said))):
        counted = int(number) <= _COUNTS and _LISTED.search(text)
        if not counted and not any(_same_number(number, one) for one in told) and not (len(number) > 2 and number in run):
            return str(number)
    return None


def _same_number(one: str, other: str) -> bool:
    if int(one) == int(other) or one.rstrip("0") == other.rstrip("0"):
        return True
    return min(len(one), len(other)) > 1 and (one.endswith(other) or other.endswith(one))


def is_english(text: str) -> bool:
    """Tell whether a text is surely English: names and things have other words in other languages."""
    words = words_of(text.casefold())
    return not TOLD_IN_ENGLISH.isdisjoint(words) and language_of(words) is None


def tells_a_time(text: str, *, at: datetime, zone: tzinfo) -> bool:
    """Tell whether a text tells any time, or may do so in another language than English."""
    return not is_english(text) or bool(_NUMBER.search(text)) or bool(find_times(text, at=at, zone=zone))


def leaves_out_a_denial(text: str, excerpt: str, told: str) -> bool:
    """Tell whether an excerpt begins right behind a negation, in English, wherever it stands in a text, and what is told of it has none."""
    if negates(told) or negates(excerpt) or not excerpt:
        return False
    places = [match.start() for match in re.finditer(re.escape(excerpt), text)]
    return bool(places) and all(_DENIED.search(text[max(0, place - 60) : place]) for place in places)


def read_otherwise(candidate: Candidate, read: Sequence[Candidate], predicates: Mapping[str, Predicate]) -> tuple[Candidate, ...]:
    """Return what the rules read of the object of a model's candidate, where that speaks against it.

    "I don't like jazz" is no liking, and in "My sister lives in Porto" it is not the user who does, unless the speaker is named there, too.
    """
    of_it = tuple(one for one in read if normalise(one.object) == normalise(candidate.object))
    own = [one for one in of_it if one.subject == candidate.subject]
    opposite = predicate_of(candidate.key, predicates).opposite
    if candidate.negated:
        against = any(one.key == candidate.key and not one.negated and not one.denies for one in own)
    else:
        against = not negates(candidate.value_text) and any(one.negated or one.predicate == opposite for one in own)
    of_another = not own and any(one.predicate == candidate.predicate for one in of_it) and not _SPEAKER.search(candidate.excerpt)
    return of_it if against or of_another else ()


def told_details(details: Mapping[str, JsonValue], text: str) -> dict[str, JsonValue]:
    """Return the further details of a fact that stand in a text, where that is surely English; of what is no text or number, all."""
    if not is_english(text):
        return dict(details)
    return {
        name: value
        for name, value in details.items()
        if isinstance(value, bool) or not isinstance(value, str | int | float) or speaks_of(text, str(value))
    }


def _initials(text: str) -> set[str]:
    """What the names in a text are called for short: of two to five words with capitals one behind the other, the first letters."""
    runs = [[word[0].lower() for word in run.split() if word[0].isupper()] for run in _NAMED.findall(text)]
    return {"".join(run[start:end]) for run in runs for start in range(len(run)) for end in range(start + 2, start + 6)}


def _alike(one: str, other: str) -> bool:
    if one.isdecimal() and other.isdecimal():
        return int(one) == int(other) or one.endswith(other) or other.endswith(one)  # "85" and "1985"
    shorter = min(one, other, key=len)
    if len(shorter) < _STEM or shorter in STOP_WORDS or one.isdecimal() or other.isdecimal():
        return one == other
    return one[:_STEM] == other[:_STEM] or one in other or other in one
