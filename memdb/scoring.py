"""Scores rows by the one statement `sql/retrieve.sql`, a few at a time, until the best are known."""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple, cast

from pydantic_core import to_json

from memdb.candidates import HELD, SAYS, Legs
from memdb.database import Database, SqlValue
from memdb.field import MOST, Field, Found
from memdb.records import FACT_COLUMNS, Tier

_WIDTH = len(FACT_COLUMNS)
_NEARLY = 0.8  # as near as the nearest, at least, is what tells what is so now
_SURE = 20  # so many hits are as good as if everything had been scored

FEATURES = (
    "lexical",
    "cosine",
    "window",
    "both",
    "actor",
    "is_question",
    "length",
    "has_number",
    "is_reaction",
    "outdated",
    "has_time",
    "date",
    "type_weight",
    "decay",
    "recency",
    "access_bonus",
    "importance",
    "confidence",
    "frequency",
    "source_reliability",
    "linked",
    "position",
    "knowledge_update",
    "former",
    "keyed",
    "hyponym",
    "preference",
    "echo",
    "match",
    "goal",
    "emotion",
    "intrinsic_importance",
    "agreement",
)
"""The parts of a score: columns of the statement and features of a weight set, under the same names."""


class Scored(NamedTuple):
    """A row of `retrieve.sql`: the columns of its fact, and its score.

    `parts` are those of `FEATURES`; `near_by` is how near it is by words and meaning together.
    """

    fact: Sequence[SqlValue]
    score: float
    id: int
    tier: Tier
    by_words: int
    by_meaning: int
    factor: float
    near_by: float
    parts: tuple[float, ...]

    def found(self) -> Found:
        """Return what meaning found of it; its words are looked for once more."""
        cosine, window = (1.0 - self.parts[FEATURES.index(name)] if self.by_meaning else math.nan for name in ("cosine", "window"))
        return self.id, math.nan, cosine, window


# under which names weights are bound
_TOLD = [f"w_{feature}" for feature in ("actor", "has_time", *SAYS)]
_HELD = [f"w_{feature}" for feature in HELD]
_LOOKS_FOR = ("terms", "weights", "k_lex", "k_vec")  # what `rank.sql` does without

_Whole = tuple[float, int, Tier, int, int, float, float]  # the fields of `Scored` between `fact` and `parts`


class Scorer:
    """`retrieve.sql` for one question: `values` are what is bound however often it is asked, but for the rows that were found.

    `bound` is how much the set that ranks makes of each feature, as `w_<feature>`. `said` are rows that are always among those, `aimed` how
    much of the goal's words each has that has any, where words must do for it, `hyponyms` how much each tells of things of the kind that is
    asked for, and `tastes` what tells of a taste, where a suggestion is asked for. `alone` says that the statement has nothing to look for
    besides, and no link to follow.
    """

    def __init__(
        self,
        db: Database,
        values: Mapping[str, SqlValue],
        *,
        bound: Mapping[str, float],
        said: Sequence[int],
        aimed: Mapping[int, float],
        hyponyms: Mapping[int, float],
        tastes: Container[int],
        alone: bool,
    ) -> None:
        self._db, self._values, self._aimed, self._hyponyms = db, {**values, "nearly": _NEARLY}, aimed, hyponyms
        self._tastes = tastes
        self._said: list[Found] = [(id, math.nan, math.nan, math.nan) for id in dict.fromkeys(said)]
        self._bound, self._alone = bound, alone

    def rows(self, found: Sequence[Found], count: int, *, voted: bool, least: float | None, terms: str | None = None) -> list[Scored]:
        """Return the best so many of what was found, but for what scores less than `least`.

        `voted` counts votes also where they do not rank; with `terms` the statement looks for words, too, among a few rows.
        """
        if self._said:
            known = {row[0] for row in found}
            found = [*found, *(row for row in self._said if row[0] not in known)]
        values = self._values | {
            "found": to_json(found, inf_nan_mode="null").decode(),  # six times as fast as the json of Python
            "agree": int(voted),
            "min_score": least,
            "limit": max(0, count),
        }
        if self._aimed:
            values["goal"] = json.dumps({row[0]: self._aimed.get(row[0], 0.0) for row in found})
        if self._hyponyms:
            values["hyponyms"] = json.dumps({row[0]: self._hyponyms[row[0]] for row in found if row[0] in self._hyponyms})
        if self._tastes:
            values["tastes"] = json.dumps([row[0] for row in found if row[0] in self._tastes])
        statement = "rank" if self._alone and terms is None else "retrieve"
        if statement == "rank":
            for name in _LOOKS_FOR:
                del values[name]
            values |= self._bound
            values["best_bm25"] = min((row[1] for row in found if row[1] < 0), default=None)
        elif terms is not None:
            values |= {"terms": terms, "rows": 1}
        rows = self._db.tuples(statement, **values)
        return [Scored(row[:_WIDTH], *cast(_Whole, row[_WIDTH : _WIDTH + 7]), cast(tuple[float, ...], row[_WIDTH + 7 :])) for row in rows]

    def adds(self, ids: list[int]) -> dict[int, float]:
        """Return what text, speaker and time add to the score of each of these rows."""
        asked = {name: self._values[name] for name in ("actor", "asks_when", "user_id")}
        weight = {name: self._bound[name] for name in _TOLD}
        return dict(cast(list[tuple[int, float]], self._db.tuples("scan.told", ids=json.dumps(ids), **asked, **weight)))

    def held(self, ids: list[int]) -> dict[int, float]:
        """Return what is held of each of these rows adds to its score at most."""
        weight = {name: max(0.0, self._bound[name]) for name in _HELD}
        return dict(cast(list[tuple[int, float]], self._db.tuples("scan.held", ids=json.dumps(ids), **weight)))

    def update_among(self, ids: list[int]) -> int | None:
        """Return which of these rows tells what is so now, if any does."""
        found = self._db.tuples("scan.update", ids=json.dumps(ids), actor=self._values["actor"])
        return cast(int, found[0][0]) if found else None


def best(field: Field, scorer: Scorer, *, legs: Legs, update: float, limit: int, least: float | None, voted: bool) -> list[Scored]:
    """Return the best rows. The first `_SURE` are those that scoring everything would give, unless more than `MOST` could be among them.

    A few are scored first. What could still pass the last of them is known from the most that each of the others can score, and from what
    their texts, speakers and times add, and what is held of them, which is read at a tenth of the price of a score; only those that could
    are scored then. Those who want more hits get the legs besides, a number from each kind, so that a thousand rows alike do not fill the
    list. Where links count, one row may be lifted by another, and the legs are scored with the most promising; so they are where the first
    or the last of all that fits is wanted. `update` is how much more the message scores that tells what is so now, the last of those nearly
    as near as the nearest.
    """
    if legs.given or legs.placed or legs.linked:
        besides = [] if legs.given else field.first(MOST if legs.placed else 2 * _SURE)
        return scorer.rows(field.found([*field.legs(), *besides]), limit, voted=voted, least=least)
    goal = max(1, min(limit, _SURE))
    places = field.likely(goal, scorer)
    rows = scorer.rows(field.found(places), min(limit, goal), voted=False, least=least)  # votes take longer than all else, and come last
    reach = rows[goal - 1].score if len(rows) >= goal else least
    able = field.able(-math.inf if reach is None else reach, scorer)
    if update > 0 and rows and reach is not None:
        able += _update(field, scorer, reach - update, rows)
    more = sorted(set(able).difference(places))
    places += more
    if voted and limit <= goal:
        return scorer.rows(field.found(places), limit, voted=True, least=least)
    if more and (legs.voted or update > 0):  # what others say counts, or how near they are: they are scored together
        rows = scorer.rows(field.found(places), min(limit, goal), voted=False, least=least)
    elif more:
        others = scorer.rows(field.found(field.with_best_match(more)), min(limit, goal), voted=False, least=reach)
        rows = _merged(rows, others, min(limit, goal))
    if limit <= goal:
        return rows
    sure = {row.id for row in rows}
    found = field.found([*field.legs(), *(place for place, id in zip(places, field.ids(places), strict=True) if id in sure)])
    return scorer.rows(found, limit, voted=voted, least=least)


def _update(field: Field, scorer: Scorer, score: float, rows: Sequence[Scored]) -> list[int]:
    """The place of the row that tells what is so now, of those that may score this much and are nearly as near as the nearest."""
    near = field.near(score, _NEARLY * max(row.near_by for row in rows))
    ids = field.ids(near)
    last = scorer.update_among(ids) if ids else None
    return [near[ids.index(last)]] if last is not None else []


def _merged(rows: Sequence[Scored], others: Sequence[Scored], count: int) -> list[Scored]:
    """The best of both, ordered as `retrieve.sql` orders them."""
    each = {row.id: row for row in (*rows, *others)}
    return sorted(each.values(), key=lambda row: (row.score, row.id), reverse=True)[:count]
