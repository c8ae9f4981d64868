"""Find what is alike by its words alone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memdb.database import Database
from memdb.unspaced import is_unspaced, quoted, words_of

_BATCH = 100  # rows looked through at once
_CANDIDATES = 20  # earlier rows that are compared, the best by BM25
_LOOKED_BACK = 200  # earlier rows among which those are found, the latest: a word of every row finds them all
_SHORTEST = 3  # letters; shorter words are in everything
_MOST_WORDS = 32
_ASKED = 8  # words that candidates are found by, the rarest: common ones find everything, and take long
_READ = 4_000  # characters
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ies|es|ed|s|y|e)$")


@dataclass(frozen=True, slots=True)
class Related:
    """Which facts are alike, the later one first, and how much; and the last row that was looked through."""

    pairs: tuple[tuple[str, str, float], ...]
    last_id: str


def relate(db: Database, *, user_id: str, kinds: Sequence[str], min_strength: float, most: int, rarity: Rarity) -> Related | None:
    """Return which of a user's next new rows are like earlier ones; None if there are no more rows.

    The full-text index finds earlier rows with the same rare words, the latest of them. How alike two rows are is the share of their words
    that they have in common, a word counting for more the fewer rows it is in. Each row is paired with the `most` alike of at least
    `min_strength`. No vectors are needed.
    """
    wanted = json.dumps(list(kinds))
    rows = db.all("links.unrelated", user_id=user_id, kinds=wanted, batch=_BATCH)
    pairs: list[tuple[str, str, float]] = []
    for row in rows:
        words = _words(str(row["value_text"]))
        expression = "body : (" + " OR ".join(quoted(word) for word in _telling(words, rarity, min_strength)) + ")"
        found = (
            db.all(
                "links.found", terms=expression, user_id=user_id, kinds=wanted, id=row["id"], looked_back=_LOOKED_BACK, limit=_CANDIDATES
            )
            if words and most
            else []
        )
        alike = sorted(((_alike(words, _words(str(other["value_text"])), rarity), other) for other in found), key=lambda pair: -pair[0])
        pairs += [
            (str(row["fact_id"]), str(other["fact_id"]), round(strength, 3)) for strength, other in alike[:most] if strength >= min_strength
        ]
    return Related(tuple(pairs), str(rows[-1]["fact_id"])) if rows else None


class Rarity(dict[str, float]):
    """How much a word tells: ln(1 + rows / rows that have it), looked up in the full-text index once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rows = int((db.one("links.rows") or {}).get("rows") or 0)

    def __missing__(self, word: str) -> float:
        counted = self._db.one("links.rows_with", term=f"body : {quoted(word)}") or {}
        self[word] = math.log(1 + self._rows / max(1, int(counted["rows"] or 0)))
        return self[word]


def _telling(words: Mapping[str, str], rarity: Rarity, min_strength: float) -> list[str]:
    """The rarest words of a row, so many that a row with none of them is not alike enough, whatever others it shares."""
    left = sum(rarity[word] for word in words.values())
    least, chosen = left * min_strength, list[str]()
    for word in sorted(words.values(), key=lambda word: -rarity[word])[:_ASKED]:
        if left < least:
            break
        chosen.append(word)
        left -= rarity[word]
    return chosen


def _alike(one: Mapping[str, str], other: Mapping[str, str], rarity: Rarity) -> float:
    shared = sum(rarity[word] for stem, word in one.items() if stem in other)
    return shared / max(1e-9, sum(rarity[word] for word in {**other, **one}.values()))


@lru_cache(maxsize=8_192)  # the same rows are compared again and again
def _words(text: str) -> dict[str, str]:
    """A row's longer words by what is left of them without an ending; the full-text index stems by itself."""
    words = [word for word in words_of(text[:_READ]) if len(word) >= _SHORTEST or is_unspaced(word)]
    return {_ENDING.sub("", word): word for word in list(dict.fromkeys(words))[:_MOST_WORDS]}
