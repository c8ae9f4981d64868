"""Find what bears on a question: words and meaning, fused and scored by the one statement `sql/retrieve.sql`."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from pydantic_core import to_json

from memdb.answers import Hit, Hits, Question
from memdb.candidates import Bounds, Legs, Near, Words, only
from memdb.database import Database, SqlValue, keep_freed_memory, listed
from memdb.eligible import eligible
from memdb.embed import Embedder, check_vectors, to_blob
from memdb.emotions import moods_like
from memdb.errors import InputError, ModelError, ModelUnavailable
from memdb.field import MOST, Adds, Field, Found
from memdb.fusion import fuse
from memdb.names import spelled
from memdb.outside import OutsideIndex
from memdb.records import FACT_COLUMNS, LIVE, Status, Tier, fact_of, made
from memdb.stop_words import STOP_WORDS
from memdb.times import to_text
from memdb.unspaced import apart, quoted, required, words_of
from memdb.vectors import VectorCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FILTERS = (
    "categories", "memory_types", "tags", "must", "since", "until", "min_age_minutes", "max_age_days", "participants", "tiers", "as_of",
)  # fmt: skip
_COLUMNS = {"bm25_body": 1.0, "bm25_reply": 0.0, "bm25_context": 0.0, "bm25_date": 0.0}  # what they weigh where a set says nothing
_ARCHIVED = 2_000  # rows of the archive that are looked through at most
_LEG = 20  # candidates a kind where a weight set says nothing
_WIDTH = len(FACT_COLUMNS)
_NEARLY = 0.8  # of the nearest, as `dated` has it in retrieve.sql
_GOAL_WORDS = 64  # more tell no more
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
    "match",
    "goal",
    "emotion",
    "intrinsic_importance",
    "agreement",
)
"""The parts of a score: columns of the statement and features of a weight set, under the same names."""


def retrieve(
    db: Database,
    question: Question,
    *,
    user_id: str,
    embedder: Embedder | None,
    now: datetime,
    vector: NDArray[np.float32] | None = None,
    weights: str = "default",
    limit: int = 10,
    kinds: Sequence[str] | None = None,
    statuses: Sequence[Status] = LIVE,
    as_of: datetime | None = None,
    categories: Sequence[str] | None = None,
    memory_types: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    must: Sequence[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    min_age_minutes: float | None = None,
    max_age_days: float | None = None,
    min_score: float | None = None,
    participants: Sequence[str] | None = None,
    base_half_life_days: float | None = None,
    minimum_importance: float | None = None,
    top_k_lex: int | None = None,
    top_k_vec: int | None = None,
    cache: VectorCache | None = None,
    index: OutsideIndex | None = None,
    goal: str | None = None,
    tiers: Sequence[Tier] | None = None,
    hot_days: float = 14.0,
    warm_days: float = 90.0,
    judged: bool = False,
) -> Hits:
    """Return the best hits for a question, each with every part of its score.

    `goal` is what the user is after: it counts, by meaning or where there are no vectors by its words, in the ranking by sets that weigh it
    and in `relevance`. `tiers` leaves out messages, episodes and memories of other ages. `judged` counts votes and gives each hit its
    `relevance` and `confidence_now`, whichever set ranks.

    `vector` is the question's unit vector, if it is ready; otherwise the embedder is asked.

    `index` is the collection that is asked for what is near, where it can tell: it knows what is believed now, of whom and of which kind.
    `question` comes from `understand`; any text is a safe one. When the embedder fails, or there is none, words alone are searched and
    `Hits.degraded` says why.

    Raises:
        InputError: the weight set or a kind is unknown.
    """
    started = time.perf_counter()
    keep_freed_memory()
    [(of_kinds, of_set, of_vectors)] = db.kept("scan.first", weights=weights)
    known, weight, ranking, columns = _read_set(str(of_kinds), str(of_set))
    wanted = list(kinds if kinds is not None else known)
    if kinds is not None and (unknown := sorted(set(wanted) - set(known))):
        raise InputError(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(known)}.")
    if not weight or weights == "calibration":
        names = ", ".join(str(row["name"]) for row in db.all("weights.ranking"))
        raise InputError(f"There is no weight set {weights!r}; the sets are {names}.")
    model = cast(str | None, of_vectors)
    by_meaning = weight.get("k_vec", 1) and top_k_vec != 0
    meant, degraded = _embed(question.meaning, embedder, db, model, vector) if by_meaning else (None, None)
    goal = goal if judged or weight.get("goal") else None
    aim = _embed(goal, embedder, db, model)[0] if goal and meant is not None else None
    aimed: dict[int, float] = {}
    shelves = [] if meant is None else _shelves(wanted, statuses, weight)
    legs = Legs(
        lexical=int(weight.get("k_lex", _LEG) if top_k_lex is None else top_k_lex),
        semantic=int(weight.get("k_vec", _LEG) if top_k_vec is None else top_k_vec),
        given=top_k_lex is not None or top_k_vec is not None or bool(weight.get("legs")),
        nearest=top_k_lex is None and bool(weight.get("legs")) and not weight.get("lexical"),  # words that do not rank do not choose either
        linked=weight.get("linked", 0.0) != 0,
        placed=question.order is not None and weight.get("position", 0.0) != 0,
        voted=weight.get("agreement", 0.0) + weight.get("sure_agreement", 0.0) > 0,
    )
    filters: dict[str, SqlValue] = {
        "user_id": user_id,
        "kinds": listed(wanted),
        "statuses": listed(statuses),
        "categories": listed(categories),
        "memory_types": listed(memory_types),
        "tags": listed(tags),
        "must": required(must) if must else None,
        "since": to_text(since) if since else None,
        "until": to_text(until) if until else None,
        "min_age_minutes": min_age_minutes,
        "max_age_days": max_age_days,
        "participants": listed(None if participants is None else spelled(participants)),
        "tiers": listed(tiers),
        "hot_days": hot_days,
        "warm_days": warm_days,
        "now": (instant := to_text(now)),
        "as_of": to_text(as_of) if as_of else None,
    }
    if tiers is not None:
        ages = {name: filters[name] for name in ("user_id", "tiers", "hot_days", "warm_days", "now")}
        filters["tiers"] = filters["tiers"] if db.tuples("scan.aside", **ages) else None
    hits = None
    if index is not None and meant is not None and "closed" not in shelves and all(filters[name] is None for name in _FILTERS):
        hits, degraded = index.find(db, meant, user_id=user_id, kinds=wanted, statuses=statuses, k=legs.semantic)
    times = json.dumps([[to_text(begins), to_text(ends)] for begins, ends in question.times]) if question.times else "[]"
    placed: list[Found] = [(id, math.nan, math.nan, math.nan) for id in question.said] if legs.placed else []
    said = json.dumps([id for id, *_ in placed]) if placed else None
    emotions = json.dumps(moods_like(question.mood)) if question.mood else None
    asks_now = question.present and as_of is None and set(statuses) <= set(LIVE)

    def compared() -> bool:
        return hits != "[]" if outside else any(len(one.ids) for one in near if one.shelf != "window")

    def score(
        found: Sequence[Found], count: int, *, voted: bool, least: float | None = min_score, searched: bool = hits is not None
    ) -> list[_Scored]:  # fmt: skip
        rows = db.tuples(
            "retrieve",
            **filters,
            weights=weights,
            terms=match_expression(question) if searched else '""',
            embedding=to_blob(meant) if hits is not None and meant is not None else None,
            hits=hits or "[]",
            found=to_json([*found, *placed], inf_nan_mode="null").decode(),  # six times as fast as the json of Python
            compared=compared(),
            actor=question.actor,
            asks_when=int(question.intent == "time"),
            asks_now=int(asks_now),
            asks_order=None if question.order is None else 1 if question.order == "last" else -1,
            said=said,
            times=times,
            goal=to_blob(aim) if aim is not None else json.dumps({row[0]: aimed.get(row[0], 0.0) for row in found}) if aimed else None,
            emotions=emotions,
            agree=int(voted),
            shelves="[]" if hits is None else listed(["window" if "window" in shelves else "none"]),
            min_score=least,
            base_half_life_days=base_half_life_days,
            minimum_importance=minimum_importance,
            k_lex=top_k_lex,
            k_vec=top_k_vec,
            limit=max(0, count),
        )
        return [_Scored(row[:_WIDTH], *cast(_Whole, row[_WIDTH : _WIDTH + 6]), cast(tuple[float, ...], row[_WIDTH + 6 :])) for row in rows]

    def adds(ids: list[int]) -> dict[int, float]:
        asks_when = int(question.intent == "time")
        told = db.tuples("scan.told", ids=json.dumps(ids), actor=question.actor, asks_when=asks_when, weights=weights)
        return dict(cast(list[tuple[int, float]], told))

    def update_among(ids: list[int]) -> int | None:
        found = db.tuples("scan.update", ids=json.dumps(ids), actor=question.actor)
        return cast(int, found[0][0]) if found else None

    with db.snapshot():
        outside = hits is not None  # then the statement itself brings together what words and the collection found
        near: list[Near] = []
        if meant is not None and not outside:
            try:
                near = (cache or VectorCache(0)).near(db, meant, user_id=user_id, shelves=shelves, embedder=model)
            except ModelUnavailable as changed:  # while the question was being embedded
                meant, aim, degraded = None, None, f"searched by words only: {changed}"
        filtered = any(filters[name] is not None for name in _FILTERS)
        plain = set(statuses) >= set(LIVE) and not filtered
        may = eligible(db, near, user_id=user_id, kinds=wanted, statuses=statuses, now=instant) if near and plain else None
        terms = match_expression(question)
        if may is not None:
            words, near = may.words(db, terms, columns=columns), list(may.near)
        else:
            found = [] if outside else cast(list[tuple[int, str, float]], db.tuples("scan.words", **filters, **columns, terms=terms))
            words = Words([id for id, _, _ in found], [bm25 for _, _, bm25 in found], {id: kind for id, kind, _ in found}.__getitem__)
            # a part of the living is told apart only where others could take its places
            if near and (filtered or "closed" in shelves or (legs.given and not plain)):
                near = only(near, [cast(int, id) for (id,) in db.tuples("scan.eligible", **filters)])
        if goal and aim is None and meant is None:
            aimed = _serving(db, goal, filters=filters, columns=columns)
        field = fuse(words, near, bounds=_bounds(str(of_set), aimed=aim is not None or bool(aimed)), question=question, legs=legs)
        told = any(one.shelf == "message" for one in near) if near else "message" in wanted  # messages tell of changes
        update = weight.get("knowledge_update", 0.0) if asks_now and told else 0.0
        if outside:
            rows = score([], limit, voted=judged)
        else:
            rows = _best(field, score, adds, update_among, legs=legs, update=update, limit=limit, least=min_score, voted=judged)
        if as_of is not None and (question.terms or question.days) and (gone := _archived(db, filters)):
            with db.looking_back(found=json.dumps([row.id for row in rows]), archived=gone):
                both = score([row.found() for row in rows], limit, voted=judged, searched=True)
            rows = both if {row.id for row in both} - {row.id for row in rows} else rows
    if rows and meant is not None and not degraded and not compared():
        degraded = "searched by words only: what could be found has no vectors yet"
    judge = _judge(db) if judged else None
    weighed = dict(ranking)  # the caller's own
    return Hits(
        [_hit(row, weighed, judge) for row in rows],
        question=question,
        degraded=degraded,
        lexical=sum(1 for row in rows if row.by_words),
        semantic=sum(1 for row in rows if row.by_meaning),
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )


class _Scored(NamedTuple):
    """A row of `retrieve.sql`: the columns of its fact, and its score; `parts` are those of `FEATURES`."""

    fact: Sequence[SqlValue]
    score: float
    id: int
    tier: Tier
    by_words: int
    by_meaning: int
    factor: float
    parts: tuple[float, ...]

    def near_by(self) -> float:
        """How near it is by words and meaning together."""
        return self.parts[FEATURES.index("lexical")] + self.parts[FEATURES.index("match")]

    def found(self) -> Found:
        """What meaning found of it; its words are looked for once more."""
        cosine, window = (1.0 - self.parts[FEATURES.index(name)] if self.by_meaning else math.nan for name in ("cosine", "window"))
        return self.id, math.nan, cosine, window


_Whole = tuple[float, int, Tier, int, int, float]  # the fields of `_Scored` between `fact` and `parts`


class _Score(Protocol):
    def __call__(self, found: Sequence[Found], count: int, *, voted: bool, least: float | None = ...) -> list[_Scored]:
        """The best so many of what was found, but for what scores less than `least`; `voted` counts votes also where they do not rank."""


def _best(
    field: Field,
    score: _Score,
    adds: Adds,
    update_among: Callable[[list[int]], int | None],
    *,
    legs: Legs,
    update: float,
    limit: int,
    least: float | None,
    voted: bool,
) -> list[_Scored]:
    """The best rows. The first `_SURE` are those that scoring everything would give, unless more than `MOST` could be among them.

    A few are scored first. What could still pass the last of them is known from the most that each of the others can score, and from what
    their texts, speakers and times add, which is read at a tenth of the price of a score; only those that could are scored then. Those who
    want more hits get the legs besides, a number from each kind, so that a thousand rows alike do not fill the list. Where links count, one
    row may be lifted by another, and the legs are scored with the most promising; so they are where the first or the last of all that fits
    is wanted. `update` is how much more the message scores that tells what is so now, the last of those nearly as near as the nearest.
    """
    if legs.given:
        return score(field.found(field.legs()), limit, voted=voted)
    if legs.placed:
        return score(field.found([*field.legs(), *field.first(MOST)]), limit, voted=voted)
    if legs.linked:
        return score(field.found([*field.legs(), *field.first(2 * _SURE)]), limit, voted=voted)
    goal = max(1, min(limit, _SURE))
    places = field.likely(goal, adds)
    rows = score(field.found(places), min(limit, goal), voted=False)  # votes take longer than all else, and come last
    reach = rows[goal - 1].score if len(rows) >= goal else least
    able = field.able(-math.inf if reach is None else reach, adds)
    if update > 0 and rows and reach is not None:
        near = field.near(reach - update, _NEARLY * max(row.near_by() for row in rows))
        ids = field.ids(near)
        last = update_among(ids) if ids else None
        able += [near[ids.index(last)]] if last is not None else []
    more = sorted(set(able).difference(places))
    places += more
    if voted and limit <= goal:
        return score(field.found(places), limit, voted=True)
    if more and (legs.voted or update > 0):  # what others say counts, or how near they are: they are scored together
        rows = score(field.found(places), min(limit, goal), voted=False)
    elif more:
        others = score(field.found(field.with_best_match(more)), min(limit, goal), voted=False, least=reach)
        rows = _merged(rows, others, min(limit, goal))
    if limit <= goal:
        return rows
    sure = {row.id for row in rows}
    found = field.found([*field.legs(), *(place for place, id in zip(places, field.ids(places), strict=True) if id in sure)])
    return score(found, limit, voted=voted)


def _merged(rows: Sequence[_Scored], others: Sequence[_Scored], count: int) -> list[_Scored]:
    """The best of both, ordered as `retrieve.sql` orders them."""
    each = {row.id: row for row in (*rows, *others)}
    return sorted(each.values(), key=lambda row: (row.score, row.id), reverse=True)[:count]


def _archived(db: Database, filters: Mapping[str, SqlValue]) -> str:
    """What the archive holds of what was true then, and its words, as JSON; "" for nothing."""
    asked = {name: filters[name] for name in ("user_id", "as_of", "kinds", "statuses", "since", "until")}
    rows = db.tuples("scan.archived", **asked, limit=_ARCHIVED if filters["must"] is None else -1)  # what has the words is told by them
    return json.dumps([[fact_id, apart(f"{text!s} {key!s}")] for fact_id, text, key in rows], ensure_ascii=False) if rows else ""


def _serving(db: Database, goal: str, *, filters: Mapping[str, SqlValue], columns: Mapping[str, float]) -> dict[int, float]:
    """How much of a goal's words each row has that has any, as a share of the most."""
    telling = [word for word in dict.fromkeys(words_of(goal, contracted=True)) if word.replace("’", "'") not in STOP_WORDS]
    terms = " OR ".join(map(quoted, telling[:_GOAL_WORDS])) or '""'
    found = cast(list[tuple[int, str, float]], db.tuples("scan.words", **filters, **columns, terms=terms))
    best = min((bm25 for _, _, bm25 in found), default=0.0)
    return {id: bm25 / best for id, _, bm25 in found if bm25 < 0}


def match_expression(question: Question) -> str:
    """Return an FTS5 expression of any of the question's words, phrases and days, each quoted; '""', which matches nothing, if none."""
    days = (f"date : {quoted(day)}" for day in question.days)
    return " OR ".join((*(quoted(text) for text in (*question.phrases, *question.terms)), *days)) or '""'


class _Set(NamedTuple):
    """A weight set as it is used: the kinds that there are, its weights, those of `FEATURES`, and those of the columns of words."""

    kinds: tuple[str, ...]
    weight: Mapping[str, float]
    ranking: Mapping[str, float]
    columns: Mapping[str, float]


@lru_cache(maxsize=64)  # the text tells whether they are still the same, and takes a tenth of the time to compare
def _read_set(kinds: str, weights: str) -> _Set:
    """A weight set, from JSON."""
    weight = {str(feature): float(value or 0) for feature, value in json.loads(weights).items()}
    ranking = {feature: weight.get(feature, 0.0) for feature in FEATURES}
    return _Set(tuple(json.loads(kinds)), weight, ranking, {name: weight.get(name, usual) for name, usual in _COLUMNS.items()})


@lru_cache(maxsize=64)
def _bounds(weights: str, *, aimed: bool) -> Bounds:
    return Bounds.of(_read_set("[]", weights).weight, aimed=aimed)


def _shelves(kinds: Sequence[str], statuses: Sequence[Status], weight: Mapping[str, float]) -> list[str]:
    windows = ["window"] if "message" in kinds and weight.get("window") else []
    return [*kinds, *windows, *(["closed"] if set(statuses) - set(LIVE) else [])]


def _embed(
    query: str, embedder: Embedder | None, db: Database, model: str | None, ready: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.float32] | None, str | None]:
    if embedder is None:
        return None, "searched by words only: the memory was opened without an embedder"
    if not db.has_vectors:
        return None, "searched by words only: this file has no vectors yet"
    if model not in (None, embedder.name):
        return None, "searched by words only: this file has vectors of another embedder by now; open it again"
    if ready is not None or not query.strip():
        return ready, None
    try:
        vectors = check_vectors(embedder.embed([query]), count=1, dimension=embedder.dimension, embedder=embedder.name)
    except ModelError as error:
        return None, f"searched by words only: {error}"
    except Exception as error:  # an embedder is foreign code; whatever it raises must not cost the user the answer
        return None, f"searched by words only: the embedder {embedder.name} failed ({type(error).__name__}: {error})"
    return vectors[0], None


class _Judge(NamedTuple):
    """What the set `priority` makes of the parts of a score: the place in `FEATURES` of each that weighs, and how much."""

    relevance: list[tuple[int, float]]
    confidence: list[tuple[int, float]]


def _judge(db: Database) -> _Judge | None:
    weight = {str(feature): float(value or 0) for feature, value in db.kept("weights.of", weights="priority")}
    ways = ([(place, weight.get(mark + feature, 0.0)) for place, feature in enumerate(FEATURES)] for mark in ("", "sure_"))
    return _Judge(*([(place, value) for place, value in way if value] for way in ways)) if weight else None


def _hit(row: _Scored, weights: dict[str, float], judge: _Judge | None) -> Hit:
    values = {
        "fact": fact_of(row.fact),
        "score": row.score,
        "parts": dict(zip(FEATURES, row.parts, strict=True)),
        "weights": weights,
        "factor": row.factor,
        "relevance": sum(value * row.parts[place] for place, value in judge.relevance) if judge else None,
        "confidence_now": sum(value * row.parts[place] for place, value in judge.confidence) if judge else None,
        "tier": row.tier,
    }
    return made(Hit, values)  # the parts are what the statement made of them, and need no check
