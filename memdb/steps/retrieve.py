"""Find what bears on a question: words and meaning, fused and scored by the one statement `sql/retrieve.sql`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import datetime
from typing import cast

from memdb.embed import Embedder, check_vectors, to_blob
from memdb.emotions import moods_like
from memdb.errors import InputError, ModelError
from memdb.records import LIVE, Fact, Hit, Hits, Question, Status, Tier
from memdb.store import Database, Row
from memdb.times import to_text

FEATURES = (
    "lexical",
    "cosine",
    "window",
    "actor",
    "is_question",
    "length",
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
    weights: str = "default",
    limit: int = 10,
    kinds: Sequence[str] | None = None,
    statuses: Sequence[Status] = LIVE,
    as_of: datetime | None = None,
    categories: Sequence[str] | None = None,
    memory_types: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    min_age_minutes: float | None = None,
    max_age_days: float | None = None,
    min_score: float | None = None,
    participants: Sequence[str] | None = None,
    base_half_life_days: float | None = None,
    minimum_importance: float | None = None,
    top_k_lex: int | None = None,
    top_k_vec: int | None = None,
    goal: str | None = None,
    tiers: Sequence[Tier] | None = None,
    hot_days: float = 14.0,
    warm_days: float = 90.0,
    judged: bool = False,
) -> Hits:
    """Return the best hits for a question, each with every part of its score.

    `goal` is what the user is after, for sets that weigh it. `tiers` leaves out messages and episodes of other ages. `judged` counts votes
    and gives each hit its `relevance` and `confidence_now`, whichever set ranks.

    `question` comes from `understand`; any text is a safe one. When the embedder fails, or there is none, words alone are searched and
    `Hits.degraded` says why.

    Raises:
        InputError: the weight set or a kind is unknown.
    """
    started = time.perf_counter()
    known = [str(row["kind"]) for row in db.all("kinds.all")]
    wanted = list(kinds) if kinds is not None else known
    if unknown := sorted(set(wanted) - set(known)):
        raise InputError(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(known)}.")
    weight = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights=weights)}
    if not weight or weights == "calibration":
        names = ", ".join(str(row["name"]) for row in db.all("weights.names"))
        raise InputError(f"There is no weight set {weights!r}; the sets are {names}.")
    embedding, degraded = _embed(question.meaning, embedder, db) if weight.get("k_vec", 1) and top_k_vec != 0 else (None, None)
    aim = _embed(goal, embedder, db)[0] if goal and weight.get("goal") and embedding is not None else None
    shelves = [] if embedding is None else _shelves(wanted, statuses, weight)
    rows = db.all(
        "retrieve",
        user_id=user_id,
        terms=match_expression(question),
        embedding=embedding,
        hits="[]",
        actor=question.actor,
        asks_when=int(question.intent == "time"),
        times=json.dumps([[to_text(begins), to_text(ends)] for begins, ends in question.times]),
        goal=aim,
        emotions=json.dumps(moods_like(question.mood)),
        agree=int(judged),
        tiers=_json(tiers),
        hot_days=hot_days,
        warm_days=warm_days,
        kinds=json.dumps(wanted),
        statuses=json.dumps(list(statuses)),
        shelves=json.dumps(shelves),
        categories=_json(categories),
        memory_types=_json(memory_types),
        tags=_json(tags),
        min_age_minutes=min_age_minutes,
        max_age_days=max_age_days,
        min_score=min_score,
        participants=_json(participants),
        base_half_life_days=base_half_life_days,
        minimum_importance=minimum_importance,
        k_lex=top_k_lex,
        k_vec=top_k_vec,
        now=to_text(now),
        as_of=to_text(as_of) if as_of else None,
        weights=weights,
        limit=max(0, limit),
    )
    ranking = {feature: weight.get(feature, 0.0) for feature in FEATURES}
    judge = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights="priority")} if judged else {}
    return Hits(
        [_hit(row, ranking, judge) for row in rows],
        question=question,
        degraded=degraded,
        lexical=sum(1 for row in rows if row["by_words"]),
        semantic=sum(1 for row in rows if row["by_meaning"]),
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )


def match_expression(question: Question) -> str:
    """Return an FTS5 expression that matches any of the question's words and phrases, each quoted; '""', which matches nothing, if none."""
    return " OR ".join(f'"{text}"' for text in (*question.phrases, *question.terms)) or '""'


def _shelves(kinds: Sequence[str], statuses: Sequence[Status], weight: dict[str, float]) -> list[str]:
    windows = ["window"] if "message" in kinds and weight.get("window") else []
    return [*kinds, *windows, *(["closed"] if set(statuses) - set(LIVE) else [])]


def _embed(query: str, embedder: Embedder | None, db: Database) -> tuple[bytes | None, str | None]:
    if embedder is None:
        return None, "searched by words only: the memory was opened without an embedder"
    if not db.has_vectors:
        return None, "searched by words only: this file has no vectors yet"
    if (db.one("meta.embedder") or {})["name"] not in (None, embedder.name):
        return None, "searched by words only: this file has vectors of another embedder by now; open it again"
    if not query.strip():
        return None, None
    try:
        vectors = check_vectors(embedder.embed([query]), count=1, dimension=embedder.dimension, embedder=embedder.name)
    except ModelError as error:
        return None, f"searched by words only: {error}"
    except Exception as error:  # an embedder is foreign code; whatever it raises must not cost the user the answer
        return None, f"searched by words only: the embedder {embedder.name} failed ({type(error).__name__}: {error})"
    return to_blob(vectors[0]), None


def _hit(row: Row, weights: dict[str, float], judge: dict[str, float]) -> Hit:
    parts = {feature: float(row[feature] or 0) for feature in FEATURES}
    return Hit(
        fact=Fact.model_validate_json(str(row["record"])),
        score=float(row["score"] or 0),
        parts=parts,
        weights=weights,
        factor=float(row["factor"] or 0),
        relevance=sum(judge.get(feature, 0.0) * part for feature, part in parts.items()) if judge else None,
        confidence_now=sum(judge.get(f"sure_{feature}", 0.0) * part for feature, part in parts.items()) if judge else None,
        tier=cast(Tier, str(row["tier"])),
    )


def _json(values: Sequence[str] | None) -> str | None:
    return None if values is None else json.dumps(list(values))
