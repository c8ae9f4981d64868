"""Find what bears on a question: words and meaning, fused and scored by the one statement `sql/retrieve.sql`."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple, cast

from memdb import stored
from memdb.answers import Hit, Hits, Question
from memdb.asked import LEG, Asked, asked_for
from memdb.called import names_of
from memdb.candidates import Bounds, Near, Words, only
from memdb.config import Config
from memdb.database import Database, SqlValue, keep_freed_memory, listed
from memdb.echoes import echoing
from memdb.eligible import eligible
from memdb.embed import Embedder, check_vectors, is_unread, to_blob
from memdb.emotions import moods_like
from memdb.errors import ModelError, ModelUnavailable
from memdb.filters import Sifted
from memdb.fusion import fuse
from memdb.hyponyms import hyponyms_of
from memdb.outside import OutsideIndex
from memdb.records import LIVE, Status, by_the_clock, fact_of, made
from memdb.scoring import FEATURES, Scored, Scorer, best
from memdb.stop_words import STOP_WORDS
from memdb.suggestions import tells_taste
from memdb.times import to_text
from memdb.unspaced import apart, beginning, quoted, words_of
from memdb.vectors import VectorCache
from memdb.weight_sets import COLUMNS, Judge, chosen_set, read_judge

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEYED = 20  # rows under the keys that are asked for, the newest
_ARCHIVED = 2_000  # rows of the archive that are looked through at most
_FEW = 50.0  # of so few rows a word tells little by how rare it is, as `lexical` has it in retrieve.sql
_GOAL_WORDS = 64  # more tell no more


def retrieve(
    db: Database,
    question: Question,
    *,
    user_id: str,
    embedder: Embedder | None,
    now: datetime,
    config: Config,
    sifted: Sifted | None = None,
    statuses: Sequence[Status] = LIVE,
    as_of: datetime | None = None,
    weights: str = "default",
    limit: int = 10,
    vector: NDArray[np.float32] | None = None,
    goal: str | None = None,
    judged: bool = False,
    cache: VectorCache | None = None,
    index: OutsideIndex | None = None,
) -> Hits:
    """Return the best hits for a question, each with every part of its score.

    `question` comes from `understand`; any text is a safe one. `vector` is its unit vector, if that is ready; otherwise the embedder is
    asked. When the embedder fails, or there is none, words alone are searched and `Hits.degraded` says why.

    `sifted` says what is looked at only. `goal` is what the user is after: it counts, by meaning or where there are no vectors by words, in
    the ranking by sets that weigh it and in `relevance`. `judged` counts votes and gives each hit its `relevance` and `confidence_now`,
    whichever set ranks.

    `index` is the collection that is asked for what is near, where it can tell: it knows what is believed now, of whom and of which kind.

    Raises:
        InputError: the weight set or a kind is unknown.
    """
    started = time.perf_counter()
    keep_freed_memory()
    sifted = sifted or {}
    chosen, model, newest = chosen_set(db, weights)
    asked = asked_for(db, question, chosen, user_id=user_id, now=now, config=config, sifted=sifted, statuses=statuses, as_of=as_of)
    goal = goal if judged or chosen.weight.get("goal") else None
    meant = _meant(db, asked, goal, embedder=embedder, model=model, ready=vector)
    hits = None
    if index is not None and meant.vector is not None and asked.by_collection:
        k = asked.legs.semantic
        hits, why_not = index.find(db, meant.vector, user_id=user_id, kinds=asked.kinds, statuses=statuses, k=k)
        meant = meant._replace(degraded=why_not)
    with db.snapshot():
        near: list[Near] = []
        if meant.vector is not None and hits is None:
            try:
                near = (cache or VectorCache(0)).near(db, meant.vector, user_id=user_id, shelves=asked.shelves, embedder=model)
            except ModelUnavailable as changed:  # while the question was being embedded
                meant = _Meant(None, None, f"searched by words only: {changed}")
        found = _find(db, asked, near, hits)
        aimed = _serving(db, goal, asked) if goal and meant.aim is None and meant.vector is None else {}
        values = {**asked.filters, **_told(asked, found), **_by(meant, found, weights, newest, config)}
        scorer = _scorer(db, asked, found, values, aimed)
        bounds = chosen.aimed if meant.aim is not None or aimed else chosen.bounds
        least = sifted.get("min_score")
        rows = _ranked(asked, found, scorer, bounds=bounds, newest=newest, limit=limit, least=least, voted=judged)
        if as_of is not None and (question.terms or question.days) and (gone := _archived(db, asked.filters)):
            rows = _with_archived(db, asked, scorer, rows, gone, limit=limit, least=least, voted=judged)
        unspoken, tells = _unspoken(db, question, user_id=user_id, echoes=values["echoes"]) if judged else ((), 0.0)
    degraded = meant.degraded
    if rows and meant.vector is not None and not degraded and not values["compared"]:
        degraded = "searched by words only: what could be found has no vectors yet"
    return Hits(
        _hits(db, rows, asked, judge=read_judge(db) if judged else None, at=now if as_of is None else None),
        question=question,
        embedder=model if meant.vector is not None and not degraded else None,
        degraded=degraded,
        lexical=sum(1 for row in rows if row.by_words),
        semantic=sum(1 for row in rows if row.by_meaning),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        unspoken=unspoken,
        out_of_vocabulary=tells * len(unspoken) / len(question.topics) if unspoken else 0.0,
        unheld=bool(question.keys) and not found.keyed,
    )


class _Found(NamedTuple):
    """What words find, what is near, what is of the kind that is asked for, and what tells of a taste where a suggestion is; messages that
    say what others say, and what is held under the keys that are asked for; and what a collection has found instead of the index, as JSON.
    """

    words: Words
    near: list[Near]
    of_kind: Words
    tastes: Words
    echoes: dict[int, float]
    keyed: list[int]
    hits: str | None

    @property
    def outside(self) -> bool:
        """Whether the statement itself brings together what words and a collection found."""
        return self.hits is not None


class _Meant(NamedTuple):
    """The vectors of a question and of what the user is after, None where words must do; and why they must, where they should not."""

    vector: NDArray[np.float32] | None
    aim: NDArray[np.float32] | None
    degraded: str | None


def _meant(
    db: Database, asked: Asked, goal: str | None, *, embedder: Embedder | None, model: str | None, ready: NDArray[np.float32] | None
) -> _Meant:
    """What a question means and what its user is after, as vectors, where the weight set and the settings look for what is near."""
    if not (asked.legs.semantic and asked.chosen.weight.get("k_vec", 1)):
        return _Meant(None, None, None)
    meaning = asked.question.meaning
    if ready is None and embedder is not None and asked.chosen.weight.get("lexical") and is_unread(meaning, embedder):
        return _Meant(None, None, f"searched by words only: {embedder.name} knows less than half of the letters in the question")
    vector, degraded = _embed(meaning, embedder, db, model, ready)
    return _Meant(vector, _embed(goal, embedder, db, model)[0] if goal and vector is not None else None, degraded)


def _find(db: Database, asked: Asked, near: list[Near], hits: str | None) -> _Found:
    """Look for what has the words of a question, and keep of what is near what the filters let through."""
    question, filters, legs, weight = asked.question, asked.filters, asked.legs, asked.chosen.weight
    user_id, instant = str(filters["user_id"]), str(filters["now"])
    plain = set(asked.statuses) >= set(LIVE) and not asked.filtered
    may = eligible(db, near, user_id=user_id, kinds=asked.kinds, statuses=asked.statuses, now=instant) if near and plain else None
    by_words = not legs.given and legs.lexical
    sought = _sought(question) if weight.get("hyponym") and by_words else ""
    taste = tells_taste(question.language) if question.suggestion and weight.get("preference") and by_words else ""
    if may is not None:
        words, near = may.words(db, asked.terms, columns=asked.chosen.columns), list(may.near)
        of_kind, tastes = (may.words(db, terms, columns=COLUMNS) if terms else Words() for terms in (sought, taste))
    else:
        words = _worded(db, asked.terms, filters=filters, columns=asked.chosen.columns) if hits is None else Words()
        of_kind, tastes = (_worded(db, terms, filters=filters, columns=COLUMNS) if terms else Words() for terms in (sought, taste))
        # a part of the living is told apart only where others could take its places
        if near and (asked.filtered or "closed" in asked.shelves or (legs.given and not plain)):
            near = only(near, [cast(int, id) for (id,) in db.tuples("scan.eligible", **filters)])
    said = "message" in asked.kinds if may is None else may.holds("message")
    echoes = echoing(db, near, words, hits) if weight.get("echo") and said else {}
    keyed = _keyed(db, question, user_id=user_id, at=str(filters["as_of"] or instant)) if question.keys else []
    return _Found(words.without(echoes) if echoes else words, near, of_kind, tastes, echoes, keyed, hits)


def _told(asked: Asked, found: _Found) -> dict[str, SqlValue]:
    """What the statement is told of the question, and of what was found by other than words and meaning."""
    question, hits = asked.question, found.hits
    return {
        "terms": asked.terms if found.outside else '""',
        "hits": hits or "[]",
        "compared": hits != "[]" if hits is not None else any(len(one.ids) for one in found.near if one.shelf != "window"),
        "shelves": listed(["window" if "window" in asked.shelves else "none"]) if found.outside else "[]",
        "actor": question.actor,
        "asks_when": int(question.intent == "time"),
        "asks_now": int(asked.asks_now),
        "asks_former": int(question.former and asked.filters["as_of"] is None),
        "echoes": json.dumps(found.echoes) if found.echoes else None,
        "keyed": json.dumps(found.keyed) if found.keyed else None,
        "hyponyms": None,
        "tastes": None,
        "asks_order": None if question.order is None else 1 if question.order == "last" else -1,
        "said": json.dumps(asked.said) if asked.said else None,
        "times": json.dumps([[to_text(begins), to_text(ends)] for begins, ends in question.times]) if question.times else "[]",
        "emotions": json.dumps(moods_like(question.mood)) if question.mood else None,
    }


def _by(meant: _Meant, found: _Found, weights: str, newest: int, config: Config) -> dict[str, SqlValue]:
    """What the statement is told of how to rank."""
    return {
        "weights": weights,
        "rows": newest,
        "embedding": to_blob(meant.vector) if found.outside and meant.vector is not None else None,
        "goal": to_blob(meant.aim) if meant.aim is not None else None,
        "base_half_life_days": config.base_half_life_days,
        "minimum_importance": config.minimum_importance,
        "k_lex": config.top_k_lex,
        "k_vec": config.top_k_vec,
    }


def _scorer(db: Database, asked: Asked, found: _Found, values: Mapping[str, SqlValue], aimed: Mapping[int, float]) -> Scorer:
    hyponyms = found.of_kind.shares()
    telling = nlargest(LEG, hyponyms, key=hyponyms.__getitem__) if found.outside else []  # which no collection knows to be of the kind
    telling += nlargest(LEG, found.tastes.ids) if found.outside else []  # the newest
    # what has lost its words is found all the same
    return Scorer(
        db,
        values,
        bound=asked.chosen.bound,
        said=[*asked.said, *found.echoes, *asked.besides(found.keyed), *telling],
        aimed=aimed,
        hyponyms=hyponyms,
        tastes=frozenset(found.tastes.ids),
        alone=not (found.outside or asked.legs.linked),
    )


def _ranked(
    asked: Asked, found: _Found, scorer: Scorer, *, bounds: Bounds, newest: int, limit: int, least: float | None, voted: bool
) -> list[Scored]:
    """The best of what was found."""
    if found.outside:
        return scorer.rows([], limit, voted=voted, least=least)
    weight = asked.chosen.weight
    told = any(one.shelf == "message" for one in found.near) if found.near else "message" in asked.kinds  # messages tell of changes
    update = weight.get("knowledge_update", 0.0) if asked.asks_now and told else 0.0
    half = max(0.0, weight.get("bm25_half", 0.0)) * min(1.0, math.log10(max(1.0, newest / _FEW)))
    field = fuse(
        found.words, found.near, bounds=bounds, half=half, question=asked.question, legs=asked.legs, of_kind=found.of_kind,
        tastes=found.tastes, besides=asked.besides(found.keyed),
    )  # fmt: skip
    return best(field, scorer, legs=asked.legs, update=update, limit=limit, least=least, voted=voted)


def _with_archived(
    db: Database, asked: Asked, scorer: Scorer, rows: list[Scored], gone: str, *, limit: int, least: float | None, voted: bool
) -> list[Scored]:
    """The best of what was found and of what is `gone` into the archive, where that has any of it."""
    with db.looking_back(found=json.dumps([row.id for row in rows]), archived=gone):
        both = scorer.rows([row.found() for row in rows], limit, voted=voted, least=least, terms=asked.terms)
    return both if {row.id for row in both} - {row.id for row in rows} else rows


def _archived(db: Database, filters: Mapping[str, SqlValue]) -> str:
    """What the archive holds of what was true then, and its words, as JSON; "" for nothing."""
    asked = {name: filters[name] for name in ("user_id", "as_of", "kinds", "statuses", "since", "until")}
    rows = db.tuples("scan.archived", **asked, limit=_ARCHIVED if filters["must"] is None else -1)  # what has the words is told by them
    return json.dumps([[fact_id, apart(f"{text!s} {key!s}")] for fact_id, text, key in rows], ensure_ascii=False) if rows else ""


def _worded(db: Database, terms: str, *, filters: Mapping[str, SqlValue], columns: Mapping[str, float]) -> Words:
    """What has any of the terms, of what the filters let through."""
    found = cast(list[tuple[int, str, float]], db.tuples("scan.words", **filters, **columns, terms=terms))
    return Words([id for id, _, _ in found], [bm25 for _, _, bm25 in found], {id: kind for id, kind, _ in found}.__getitem__)


def _sought(question: Question) -> str:
    """An FTS5 expression of what tells, in a row's own words, of things of the kinds that a question asks for, or ""."""
    return f"body : ({' OR '.join(quoted(one) for kind in question.hypernyms for one in hyponyms_of(kind))})" if question.hypernyms else ""


def _keyed(db: Database, question: Question, *, user_id: str, at: str) -> list[int]:
    """What is held under the keys that a question asks for; of what is over and what is not, what it asks for."""
    is_over = 1 if question.former else None if question.past else 0
    found = db.tuples("scan.keyed", keys=json.dumps(question.keys), user_id=user_id, at=at, is_over=is_over, limit=_KEYED)
    return [cast(int, id) for (id,) in found]


def _serving(db: Database, goal: str, asked: Asked) -> dict[int, float]:
    """How much of a goal's words each row has that has any, as a share of the most."""
    telling = [word for word in dict.fromkeys(words_of(goal, contracted=True)) if word.replace("’", "'") not in STOP_WORDS]
    terms = " OR ".join(map(quoted, telling[:_GOAL_WORDS])) or '""'
    return _worded(db, terms, filters=asked.filters, columns=asked.chosen.columns).shares()


def _unspoken(db: Database, question: Question, *, user_id: str, echoes: SqlValue) -> tuple[tuple[str, ...], float]:
    """The topics of the question that stand nowhere in the memory, and how much it tells if that is so of all, 0 to 1."""
    words = json.dumps([f"body : ({_spoken(topic, question)})" for topic in question.topics])
    [(places, telling)] = db.tuples("scan.unspoken", user_id=user_id, words=words, echoes=echoes)
    return tuple(question.topics[place] for place in json.loads(str(places))), cast(float, telling)


def _spoken(topic: str, question: Question) -> str:
    """An FTS5 expression of what speaks of a topic: the word in whatever form, and in English whatever else it is called."""
    return beginning(topic) if question.by_beginning else " OR ".join(map(quoted, (*names_of(topic), *hyponyms_of(topic))))


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


def _hits(db: Database, rows: Sequence[Scored], asked: Asked, *, judge: Judge | None, at: datetime | None) -> list[Hit]:
    """The hits of what was scored; of what is over `at` that time, where one is given, with the status expired."""
    weighed = dict(asked.chosen.ranking)  # the caller's own
    user_id = asked.filters["user_id"]
    with stored.reading(db, rows=({"fact_id": row.fact[0], "user_id": user_id} for row in rows)):
        return [_hit(row, weighed, judge, now=at) for row in rows]


def _hit(row: Scored, weights: dict[str, float], judge: Judge | None, *, now: datetime | None) -> Hit:
    fact = fact_of(row.fact)
    values = {
        "fact": fact if now is None else by_the_clock(fact, now),
        "score": row.score,
        "parts": dict(zip(FEATURES, row.parts, strict=True)),
        "weights": weights,
        "factor": row.factor,
        "relevance": sum(value * row.parts[place] for place, value in judge.relevance) if judge else None,
        "confidence_now": sum(value * row.parts[place] for place, value in judge.confidence) if judge else None,
        "tier": row.tier,
    }
    return made(Hit, values)  # the parts are what the statement made of them, and need no check
