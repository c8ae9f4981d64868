"""People's names in their spellings: "ANA" is Ana, and "José" is one name, however its accent is encoded."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memdb.stop_words import STOP_WORDS


def same_name(name: str) -> str:
    """Return what all spellings of a name have in common."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).replace("’", "'")


def one_each(names: Iterable[str]) -> list[str]:
    """Return each person once, in the order they come in, in the spelling that is most frequent, or else came first."""
    people: dict[str, Counter[str]] = {}
    for name in names:
        people.setdefault(same_name(name), Counter())[name] += 1
    return [spellings.most_common(1)[0][0] for spellings in people.values()]


def spelled(names: Iterable[str]) -> list[str]:
    """Return names in the ways in which they may be written: SQLite knows capitals of ASCII only, and an accent has two encodings.

    Statements compare them with what is stored with a straight apostrophe and without hyphens, so that Mary is found as Mary-Ann.
    """
    told = [" ".join(name.replace("’", "'").replace("-", " ").split()) for name in names if name.strip(" \t\n-")]
    ways = {
        unicodedata.normalize(form, case(unicodedata.normalize("NFC", name))): None
        for name in told
        for case in (() if name.isascii() else (str.lower, str.upper, str.title))
        for form in ("NFC", "NFD")
    }
    return [*dict.fromkeys(told), *ways]


@lru_cache(maxsize=1_024)
def mention(name: str) -> re.Pattern[str]:
    """Return what a text says where it names somebody, in capitals or not; "Will" is a name, "will" is not."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", 0 if name.casefold() in STOP_WORDS else re.IGNORECASE)
