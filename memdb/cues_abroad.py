"""What a question in another language says about time without naming a date, as `cues` reads it in English."""

from __future__ import annotations

import re
from typing import Literal

from memdb.cues import Change, Said, SaidThen
from memdb.languages import Language, Whose

_READ = 1_000  # characters, as in English
_WORD = re.compile(r"[^\W_]+")
_SPEAKERS: dict[Whose, Literal["user", "assistant"] | None] = {"user": "user", "assistant": "assistant", "both": None}


def order_abroad(text: str, language: Language) -> Literal["first", "last"] | None:
    """Whether a question wants the last or the first of what there was, or neither."""
    read = _straight(text)
    if language.of_place.isdisjoint(_words(read)):
        return None
    last, first = language.cue("latest", read), language.cue("earliest", read)
    return None if bool(last) == bool(first) else "last" if last else "first"


def asks_former_abroad(text: str, language: Language) -> bool:
    """Whether a question asks for what was so before, so that what is over answers it best."""
    return bool(language.cue("former", _straight(text)))


def asks_present_abroad(text: str, language: Language) -> bool:
    """Whether a question asks for what is so now, and nothing in it tells of what was."""
    read = _straight(text)
    return not language.tells_past.search(read) and bool(language.cue("present", read))


def last_talk_abroad(text: str, language: Language) -> tuple[re.Match[str], bool] | None:
    """Return the words by which a question means the last conversation, and whether all since then; or None."""
    read = _straight(text)
    if language.of_place.isdisjoint(_words(read)):
        return None
    since = language.cue("since_talk", read)
    match = since or language.cue("last_talk", read)
    return None if match is None else (match, since is not None)


def first_talk_abroad(text: str, language: Language) -> re.Match[str] | None:
    """Return the words by which a question means the first conversation, or None."""
    read = _straight(text)
    return None if language.of_place.isdisjoint(_words(read)) else language.cue("first_talk", read)


def said_abroad(text: str, language: Language) -> Said | SaidThen | None:
    """Return what a question asks for that was said last or first, at some time of a day or in this conversation, and nothing else."""
    read = _straight(text)
    if language.when_words.isdisjoint(_words(read)):
        return None
    for whose, pattern in language.asks_said:
        match = pattern.match(read)
        if match is None or (when := language.means("when", match["when"])) is None:
            continue
        speaker, (start, end) = _SPEAKERS[whose], match.span("when")
        if when in ("last", "first"):
            return Said(order="first" if when == "first" else "last", speaker=speaker, alone=True, start=start, end=end)
        then = None if when in ("beginning", "conversation", "earlier") else when
        return SaidThen(order="first" if when == "beginning" else "last", speaker=speaker, then=then, start=start, end=end)
    return None


def change_abroad(text: str, language: Language) -> Change | None:
    """Return the change that a question counts from, or None."""
    read = _straight(text)
    if not any(form in read.lower() for form in language.changes):
        return None
    ways: tuple[Literal["before", "after"], ...] = ("before", "after")
    for way in ways:
        if (match := language.cue(way, read)) is not None:
            return Change(way=way, stem=language.means("change", match["change"]) or match["change"])
    return None


def _straight(text: str) -> str:
    return text[:_READ].replace("’", "'")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
