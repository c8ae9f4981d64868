"""Find what is alike by its words alone."""

from __future__ import annotations

import json
import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memdb.database import Database
from memdb.segments import newest
from memdb.unspaced import is_unspaced, quoted, words_of

_BATCH = 100  # rows looked through at once
_CANDIDATES = 20  # earlier rows that are compared, the best by BM25
_LOOKED_BACK = 200  # earlier rows among which those are found, the latest: a word of every row finds them all
_SHORTEST = 3  # letters; shorter words are in everything
_MOST_WORDS = 32
_ASKED = 8  # words that candidates are found by, the rarest: common ones find everything, and take long
_READ = 4_000  # characters
_KEPT = 2_000_000  # rows of words that are kept in memory, 16 bytes each
_SLACK = 1e-9  # what is lost in adding up
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ies|es|ed|s|y|e)$")


@dataclass(frozen=True, slots=True)
class Related:
    """Which facts are alike, the later one first, and how much; and the last row that was looked through."""

    pairs: tuple[tuple[str, str, float], ...]
    last_id: str


def relate(
    db: Database, *, user_id: str, kinds: Sequence[str], min_strength: float, most: int, rarity: Rarity, having: Having
) -> Related | None:
    """Return which of a user's next new rows are like earlier ones; None if there are no more rows.

    The full-text index finds earlier rows with the same rare words, the latest of them. How alike two rows are is the share of their words
    that they have in common, a word counting for more the fewer rows it is in. Each row is paired with the `most` alike of at least
    `min_strength`. No vectors are needed.
    """
    rows = db.all("links.unrelated", user_id=user_id, kinds=json.dumps(list(kinds)), batch=_BATCH)
    pairs: list[tuple[str, str, float]] = []
    for row in rows:
        words = _words(str(row["value_text"]))
        found = having.earlier(int(row["id"] or 0), _telling(words, rarity, min_strength)) if words and most else []
        least = min_strength * sum(rarity[word] for word in words.values()) * (1 - _SLACK)
        alike = [(_alike(words, _words(text), rarity, least), fact_id) for fact_id, text in found]
        near = sorted((pair for pair in alike if pair[0] >= min_strength), key=lambda pair: -pair[0])[:most]
        pairs += [(str(row["fact_id"]), fact_id, round(strength, 3)) for strength, fact_id in near]
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


class Having:
    """The earlier rows of a user that have some words, each word looked up in the full-text index once for all rows that come after.

    The index takes as long to find the last rows of a word as it has rows with it, so that asking anew for each row would take as long as
    there are rows times as many.
    """

    def __init__(self, db: Database, *, user_id: str, kinds: Sequence[str]) -> None:
        self._db, self._user_id, self._kinds = db, user_id, json.dumps(list(kinds))
        self._until, self._count = 0, 0
        self._rows: dict[str, tuple[array[int], array[float]]] = {}

    def earlier(self, id: int, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return the ids and texts of those rows before a row that have one of the words, best first by BM25, among the latest."""
        if id >= self._until or self._count > _KEPT:
            self._rows.clear()
            self._until, self._count = newest(self._db) + 1, 0
        scores: dict[int, float] = {}
        for word in words:
            ids, bm25 = self._rows.get(word) or self._look_up(word, id)
            end = bisect_left(ids, id)
            latest = slice(max(0, end - _LOOKED_BACK), end)
            for one, score in zip(ids[latest], bm25[latest], strict=True):
                scores[one] = scores.get(one, 0.0) + score  # in the order of the words, as the index adds them up
        best = sorted(sorted(scores, reverse=True)[:_LOOKED_BACK], key=scores.__getitem__)[:_CANDIDATES]
        rows = self._db.tuples("links.texts", ids=json.dumps(best)) if best else []
        return [(str(fact_id), str(text)) for fact_id, text in rows]

    def _look_up(self, word: str, id: int) -> tuple[array[int], array[float]]:
        """The rows with a word: as many before a row as are looked back at, and all from there on."""
        rows = self._db.tuples(
            "links.having",
            term=f"body : {quoted(word)}",
            user_id=self._user_id,
            kinds=self._kinds,
            id=id,
            until=self._until,
            looked_back=_LOOKED_BACK,
        )
        found = array("q", [int(row[0] or 0) for row in rows]), array("d", [float(row[1] or 0.0) for row in rows])
        self._rows[word], self._count = found, self._count + len(rows)
        return found


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


def _alike(one: Mapping[str, str], other: Mapping[str, str], rarity: Rarity, least: float) -> float:
    """The share of their words that two rows have in common; 0.0 where those tell less than `least`, what the first row alone asks for."""
    shared = sum([rarity[word] for stem, word in one.items() if stem in other])
    if shared < least:
        return 0.0
    return shared / max(1e-9, sum([rarity[word] for word in {**other, **one}.values()]))


@lru_cache(maxsize=8_192)  # the same rows are compared again and again
def _words(text: str) -> dict[str, str]:
    """A row's longer words by what is left of them without an ending; the full-text index stems by itself."""
    words = [word for word in words_of(text[:_READ]) if len(word) >= _SHORTEST or is_unspaced(word)]
    return {_ENDING.sub("", word): word for word in list(dict.fromkeys(words))[:_MOST_WORDS]}
