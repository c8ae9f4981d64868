"""What a pattern of the rules found, as bare objects: "a big flat in Porto, I think" is Porto."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise

from memdb.clause import without_times
from memdb.english_rules import Kind, Pattern, compiled, rules
from memdb.things import LIST, first_thing, is_doing, things, with_head
from memdb.when import find_times

_MOST_ITEMS = 8
_BROKEN = re.compile(
    r"\s(?:it|you|we|i|he|she|they|what|how|is|are|was|were|can|(?-i:will))\b", re.IGNORECASE
)  # an object in the midst of which we stopped
_BARE = re.compile(r"to \w+", re.IGNORECASE)  # "to match", of "to match it with …"
_WHAT = re.compile(r"\s(?:it|you|them|this|that|these|those|how|what)\b", re.IGNORECASE)
_VERB = re.compile(r"\s(?:is|are|was|were|(?-i:will)|would|can|could|should|has|have|do|does|did)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:mum|mom|dad|grandma|granny|grandpa|granddad|grandad|everybody|everyone)\s\w", re.IGNORECASE)
_YOURS = re.compile(r"\byour\b", re.IGNORECASE)  # what tells more of the thing before it in a list, and is none of its own
_BIDS = re.compile(
    r"(?:please|go(?! karts?\b)|give|keep|get to|make(?! ?up\b)|tell|show|write|skip|do not|use|be|let|answer|reply"
    r"|explain|stop|try)\s(?!\w+ing\b)",
    re.IGNORECASE,
)
_NARROWED = re.compile(r"\s(?:that|which|who|whose|where|when)\b", re.IGNORECASE)  # "games that …" are not all games
_PREPOSITION = re.compile(r"\b(?:to|with|for|in|at|on|of|by|from|about|like)$", re.IGNORECASE)
_THAT = re.compile(r"\s+that\b", re.IGNORECASE)
_COMPOUND = re.compile(
    r"\s(?:about|with|of|between|for|from|like|in|on|near|around|among)\s", re.IGNORECASE
)  # "books about bees and flowers" is one thing
_THEIRS = {"my": "their", "our": "their", "me": "them", "us": "them", "myself": "themselves", "mine": "theirs"}
_MINE = re.compile(rf"\b(?!(?-i:US|ME)\b)(?<!\ba )(?<!\bthe )(?:{'|'.join(_THEIRS)})\b", re.IGNORECASE)  # "a US company", "I have ME"
_I = re.compile(r"\bi (?P<be>am |was |)(?=[a-z])", re.IGNORECASE)
_ARE = {"am ": "are ", "was ": "were "}
_REST = re.compile(  # what is told of a thing, or is not liked as much
    r"\b(?:(?:that|which|who|whose) (?=\w)|(?:where|when|whenever|while|unless|over|than|instead of)\b"
    r"|to (?=[\w-]+ ones?$)|(?<= with )(?=.* (?:in|on) it$))",
    re.IGNORECASE,
)
_DAY = re.compile(  # what names a day, a month or a year; "in two weeks" does not
    r"\d(?!.*\b(?:day|week|month|year|hour)s?\b)|\b(?:today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Writing:
    """What the meaning of a word depends on: when it is written, by whose clock, and whether capitals are used, so that a name has one."""

    at: datetime
    zone: tzinfo
    cased: bool


def objects(raw: str | None, kind_name: str, pattern: Pattern, written: Writing) -> list[str]:
    """Return the bare objects in what a pattern found, or [] if it is none of its kind."""
    if raw is None:
        return [pattern.object] if "{o}" not in pattern.object and pattern.object else []
    if kind_name == "date":
        return _date(raw, written)
    kind = rules().kinds[kind_name]
    if kind_name == "raw":
        text = " ".join(raw.split()).strip(" ,.")
        return [pattern.names.get(text.lower(), _from_outside(text))] if len(text.split()) <= kind.max_words else []
    text = _upto(compiled(rules().phrase["stop"]), raw)
    if kind.narrowed:
        return _narrowed(raw, text, kind_name, pattern, written)
    if len(text) < len(raw) and _is_cut_short(raw, len(text), kind):
        return []
    if kind.cut:
        text = _upto(compiled(kind.cut), text)
    items = LIST.split(compiled(rules().phrase["together"]).sub(lambda m: m.group().replace(" ", "\0"), text)) if kind.split else [text]
    items = with_head(items)
    if len(items) > 1 and _VERB.match(raw, len(text)):
        items.pop()  # "mushrooms, dad will eat anything": dad is no object
    found: list[str] = []
    for item in items[:_MOST_ITEMS]:
        clean = _clean(item.replace("\0", " "), kind, pattern, written)
        if not clean or (found and ((_COMPOUND.search(items[0]) and not clean.split()[0].endswith("ing")) or _SOMEBODY.match(clean))):
            break
        if found and _YOURS.search(clean):
            break
        if found and _BIDS.match(clean):
            break  # "I hate long introductions, go straight to the point"
        found.append(pattern.names.get(clean.lower(), clean))
    return found


def _narrowed(raw: str, text: str, kind_name: str, pattern: Pattern, written: Writing) -> list[str]:
    """The things in what a pattern found, each with what narrows it down; `text` is what stands before the first clause in it."""
    kind = rules().kinds[kind_name]
    points = _THAT.match(raw, len(text)) and (_PREPOSITION.search(text) or is_doing(text.split(" ")[-1]))  # "watching that show"
    if kind.narrowed and text and not points and compiled(kind.narrowed).match(raw, len(text)):
        text = _upto(compiled(rules().phrase["reasons"]), raw)
    elif len(text) < len(raw) and _is_cut_short(raw, len(text), kind):
        return []
    cut = compiled(kind.cut).search(text) if kind.cut else None
    if cut and (cut.group()[0] == "," or not compiled(rules().phrase["narrowed"]).search(text, 0, cut.start())):
        text = text[: cut.start()]
    if compiled(rules().phrase["narrowed_by_nothing"]).search(text):
        return []
    text = compiled(rules().phrase["together"]).sub(lambda m: m.group().replace(" ", "\0"), text)
    found: list[str] = []
    items = things(text, shunned=kind_name == "shunned") if kind.split else [first_thing(text)]
    if len(items) > 1 and _VERB.match(raw, len(text)):
        items.pop()  # "mushrooms, dad will eat anything": dad is no object
    for item in items[:_MOST_ITEMS]:
        clean = _clean(item.replace("\0", " "), kind, pattern, written)
        if not clean or compiled(rules().phrase["pointed_at"]).search(item) or (found and (_SOMEBODY.match(clean) or _BIDS.match(clean))):
            break
        found.append(pattern.names.get(clean.lower(), clean))
    return found


def _is_cut_short(raw: str, end: int, kind: Kind) -> bool:
    """Whether what stands before `end` says less than was meant: "games that …" are not all games."""
    if kind.any:
        return _BROKEN.match(raw, end) is not None
    single = kind.split and " " not in raw[:end] and _NARROWED.match(raw, end) is not None
    bare = kind.split and _BARE.fullmatch(raw[:end]) is not None and _WHAT.match(raw, end) is not None
    return single or bare or (raw[end] == " " and _PREPOSITION.search(raw[:end]) is not None)


def _upto(end: re.Pattern[str], text: str) -> str:
    found = end.search(text)
    return text[: found.start()] if found else text


def _clean(item: str, kind: Kind, pattern: Pattern, written: Writing) -> str:
    """One object without what trails it, or "" if it is none."""
    text = " ".join(item.split()).strip(" ,.'-&")
    narrows = compiled(rules().phrase["narrowed"]).search(text) if kind.narrowed else None
    if narrows is None:
        bare = without_times(text, tuple(find_times(text, at=written.at, zone=written.zone)))
        text = bare or ("" if kind.any or (kind.strip and not kind.narrowed) else text)  # "I love Christmas", but not "I quit last year"
    if kind.narrowed:
        text = _I.sub(lambda match: f"they {_ARE.get(match['be'], match['be'])}", text)  # "books I have read"
    for end in ("tail", "dangling", "tail") if not (kind.any or narrows) else ("tail", "tail"):
        for _ in range(3):
            text = _upto(compiled(rules().phrase[end]), text).rstrip(" ,.'-&")
    if kind.strip:
        stripped = compiled(kind.strip).match(text)
        text = text[stripped.end() :] if stripped else text
    if (kind.any or kind.split) and compiled(rules().phrase["vague"]).search(_REST.split(text)[0] if kind.narrowed else text):
        return ""
    words = _name(text.split()) if kind.proper else text.split()
    text = " ".join(words)
    names = sum(one[:1].isupper() and other[:1].isupper() for one, other in pairwise(words)) if kind.split and not kind.proper else 0
    if not words or len(words) - names > kind.max_words * (3 if narrows else 1) or not any(letter.isalnum() for letter in text):
        return ""
    if (kind.allow is None or not compiled(kind.allow).match(text)) and _is_refused(text, kind, pattern):
        return ""
    if kind.proper and not _is_proper(words, written):
        return ""
    if kind.title and text.islower():
        return " ".join(word if word in ("the", "of", "de", "da", "do", "upon") else word.capitalize() for word in words)
    return _from_outside(text)


def _from_outside(text: str) -> str:
    """What somebody says of their own as others tell it: "my brother" is "their brother"."""
    return _MINE.sub(lambda match: _THEIRS[match.group().lower()], text)


def _name(words: list[str]) -> list[str]:
    """The words of a name, without what follows it in small letters: "Berlin any tips" names Berlin."""
    last = max((place for place, word in enumerate(words) if word != word.lower()), default=len(words) - 1)
    return words[: last + 1] if len(words) - last > 2 and words[0] != words[0].lower() else words


def _is_refused(text: str, kind: Kind, pattern: Pattern) -> bool:
    nothing = not kind.any and compiled(rules().phrase["nothing"]).match(text)
    denied = any(deny and compiled(deny).match(text) for deny in (kind.deny, pattern.deny))
    return bool(nothing or denied or (kind.need and not compiled(kind.need).match(text)))


def _is_proper(words: list[str], written: Writing) -> bool:
    """Whether words may be a name: one has a capital, or they are few and the writer uses none."""
    return any(word[:1].isupper() for word in words) or (len(words) <= 2 and not written.cased)


def _date(raw: str, written: Writing) -> list[str]:
    """A date as it was said, or the day that "tomorrow" is."""
    spans = find_times(raw, at=written.at, zone=written.zone)
    if spans and spans[0].start <= 3 and _DAY.search(spans[0].text) and not re.match(r"an? ", raw, re.IGNORECASE):
        day = spans[0].begins.astimezone(written.zone)
        said = re.search(r"\d", spans[0].text)
        return [re.sub(r"^(?:on|in) ", "", spans[0].text) if said else f"{day.day} {day:%B}"]
    year = re.match(r"((?:19|20)\d\d)\b(?![/.-]\d)", raw)
    return [year.group(1)] if year else []
