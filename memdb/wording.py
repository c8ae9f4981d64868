"""How a fact is worded: what its key is called and its value, put together as English wants it."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from memdb.keys import negates
from memdb.times import MOMENT, in_zone

_COUNTED = frozenset({"works as", "is training as", "drives", "owns"})  # labels behind which one of a kind has an article
_A_DIET = " diet"  # one eats "vegan", but "a raw food diet"
_COUNTED_IF_SMALL = frozenset({"is a member of", "plans"})  # … if it has no name: "a book club", but "Amnesty"
_STATE = re.compile(r"unemployed|self-employed|retired|out of work|between jobs|on \w+ leave", re.IGNORECASE)
_RETIRED = re.compile(r"(?:retired|former|ex-?)\b ?(?=\w)", re.IGNORECASE)  # who is a retired nurse does not work as one
_FRAMED = re.compile(  # what has an article already, or takes none
    r"(?:an?|the|my|our|his|her|their|your|its|some|several|many|few|both|no|\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten)\s"
    r"|(?:head|chief|vice|president|chair|captain|ceo|cto|cfo|coo|cmo|vp)\b|(?:freelance|security|staff|support)\s*$",
    re.IGNORECASE,
)
_OWN = re.compile(r"own\s", re.IGNORECASE)
_OF = re.compile(r"\s(?:of|for|in|at|with|on|to|and|or)\s|,")
_PLURAL = re.compile(r"(?:[^siu']s|[^\W\d_]{2,}men|women|children|people|staff)$", re.IGNORECASE)
_AN = re.compile(
    r"(?-i:[AEFHILMNORSX](?=[A-Z\d]))|(?!(?-i:[A-Z]{2}))(?!uni|use|usu|uti|eu|ewe|one\b|once|u[xik]\b)[aeiouàáâãäèéêëìíîïòóôõöùúûü]"
    r"|x-|hgv|hr\b|mri\b|hono|heir|hour",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"(?!(?:wedding|meeting|evening|morning|training|building|painting|reading|gathering|fitting|viewing|hearing)\b)[a-z]+ing\b"
    r"(?! (?:club|class|course|group|lesson|team|match|competition|session|race|event|trip|party|show|school|crew|appointment)s?\b)"
)
_AT_WORK = re.compile(r"[a-z]+ing (?:for|up|an?|the|my|our|his|her|their)\b")  # "training for a marathon", but "painting of a ship"
_UNCOUNTED = re.compile(
    r"\b(?:work|training|surgery|therapy|treatment|yoga|dinner|lunch|breakfast|brunch|supper|coffee|tea|physio|chemo|leave|dental work)$|\d"
)
_YEAR = re.compile(r"\d{4}")
_WHOSE = re.compile(r"[^\W\d_][\w'\u2019.-]*(?: [\w'\u2019.-]+){0,3}")  # "Ana's older sister"
_BARE = frozenset({"is", "has"})  # labels behind which anything may stand
_FEW = 3  # words
_PAST = re.compile(r"(?:had|been|got|gone|to)\b", re.IGNORECASE)  # "has had the flu"
_SENTENCES = re.compile(r"\w{3}[.!]\s|\n")
_ONESELF = re.compile(r"(?P<who>I|We)(?:(?P<short>['’]m)\s|\s)")


def worded(label: str, value: str, *, denied: bool = False, several: bool = False) -> str:
    """Return what is said of somebody by a label and a value: "works as" and "nurse" make "works as a nurse"; `several` in the plural."""
    counted = (label in _COUNTED and not several) or (label in _COUNTED_IF_SMALL and _is_common(value)) or _is_a_diet(label, value)
    if label == "plans" and _DOING.match(value):
        label = "plans on"
    if label == "wants" and _DOING.match(value):
        label = "dreams of"
    if label == "is working on" and _AT_WORK.match(value):
        label = "is"
    if label in ("has children:", "has siblings:") and value.startswith("no "):
        label = "has"
    if label == "has children:" and value == "children":
        label = "has"  # how many was not said
    if label == "works as" and (_STATE.fullmatch(value) or _RETIRED.match(value)):
        label = "is"
    if label.endswith(" on") and _YEAR.fullmatch(value):
        label = f"{label.removesuffix('on')}in"
    if label.endswith(" in") and value.startswith("near "):
        label = label.removesuffix(" in")
    if label.startswith("has a budget for the "):
        label = f"{label} of"
    label = _denied(label) if denied else label
    label = _of_several(label) if several else label
    return f"{label} {_with_article(value) if counted else value}".strip()


def told_when(
    event: datetime | None, ends: datetime | None, zone: tzinfo, *, begins: datetime | None = None, now: datetime | None = None
) -> str:  # fmt: skip
    """Return from when on something is so, when it happens, the last day on which it is so, or until when it was; "" if unknown.

    It stands behind what is told. What `begins` after `now` is to come, and what `ends` by then is over. What is to
    end lasts until a day is over; what is over ended on the day of the change.
    """
    if now is not None and ends is not None and ends <= now and event is None:
        return f" (was so until {day_told(ends, zone)})"
    starts = f" (from {day_told(begins, zone)})" if now is not None and begins is not None and begins > now else ""
    last = day_told(ends - MOMENT, zone) if ends is not None else ""
    if event is None:
        return f"{starts} (until {last})" if last else starts
    first = day_told(event, zone)
    return f"{starts} ({first} to {last})" if last > first else f"{starts} (on {first})"


def day_told(time: datetime, zone: tzinfo) -> str:
    """Return the day by the user's clocks: what is said in the evening is of another day in UTC, for many."""
    return f"{in_zone(time, zone):%Y-%m-%d}"


def without_article(label: str, value: str) -> str:
    """Return a value as it stands under its key, from how it is worded behind a label."""
    if label in _COUNTED_IF_SMALL:
        return re.sub(r"^(?:an? |on (?=\w+ing\b))", "", value)
    return re.sub(r"^(?:an?|their(?= own ))\s+", "", value) if label in _COUNTED or _is_a_diet(label, value) else value


def value_behind(label: str, text: str) -> str | None:
    """Return the value that a sentence has behind a label, "Porto" of "Ana lives in Porto."; None if it is not worded so.

    Who speaks of themselves says it in the first person: "I live in Porto".
    Whoever it is of is named before the label in a few words, and it says that something is so: "Ana no longer lives in Porto" does not.
    Behind a mere "is" or "has" may stand anything, and only a few words are a value.
    """
    whose, found, rest = text.strip().partition(f" {label} ")
    if not found and (oneself := _ONESELF.match(whose)):
        own = _of_several(label)
        own = re.sub(r"^are\b", "am", own) if oneself["who"] == "I" else own
        told = f"{'am ' if oneself['short'] else ''}{whose[oneself.end() :]}"
        found, whose, rest = (own, oneself["who"], told[len(own) + 1 :]) if told.startswith(f"{own} ") else ("", whose, "")
    value = without_article(label, rest.strip(" .!"))
    if not found or not value or not _WHOSE.fullmatch(whose) or negates(whose) or "?" in text or _SENTENCES.search(value):
        return None
    return None if label in _BARE and (negates(value) or _PAST.match(value) or value.count(" ") >= _FEW) else value


def _is_a_diet(label: str, value: str) -> bool:
    return label == "eats" and value.endswith(_A_DIET)


def _is_common(value: str) -> bool:
    """Whether a value is a thing without a name, and no deed: "race", "LGBTQ activist group", not "to see Rome" or "going to Rome"."""
    thing = _OF.split(value)[0]  # "marathon in Berlin"
    words = thing.split()
    return bool(words) and words[-1].islower() and not _DOING.match(value) and words[0] != "to" and not _UNCOUNTED.search(thing)


def _with_article(value: str) -> str:
    if _OWN.match(value):
        return f"their {value}"
    if not value or _STATE.fullmatch(value) or _FRAMED.match(f"{value} ") or _PLURAL.search(_OF.split(value)[0]):
        return value
    return f"an {value}" if _AN.match(value) else f"a {value}"


def _denied(label: str) -> str:
    """A label in the negative: "speaks" becomes "does not speak", "is aged" "is not aged"."""
    verb, _, rest = label.partition(" ")
    if verb in ("is", "was", "must"):
        return f"{verb} not {rest}".strip()
    return f"does not {_of_several(verb)} {rest}".strip()


def _of_several(label: str) -> str:
    """A label as it is said of more than one: "lives in" becomes "live in", "is aged" "are aged"."""
    verb, blank, rest = label.partition(" ")
    told = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}.get(verb)
    return (told or (verb[:-3] + "y" if verb.endswith("ies") else verb.removesuffix("s"))) + blank + rest
