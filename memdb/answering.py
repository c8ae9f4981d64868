"""The chain that gets an answer ready: what is asked of a memory tier by tier, judged, made to differ, and put into a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from memdb import checks, reading
from memdb.answers import Context, Doubt, Hit, Hits, Question, Section, Sifted
from memdb.config import Config
from memdb.database import Database, listed
from memdb.embed import Embedder
from memdb.outside import OutsideIndex
from memdb.records import EVER, LIVE, MemoryType, Status, Tier
from memdb.steps.clarify import clarify
from memdb.steps.diversify import diversify
from memdb.steps.inject import inject
from memdb.steps.judge import judge
from memdb.steps.materialize import materialize
from memdb.steps.retrieve import retrieve
from memdb.steps.understand import understand
from memdb.times import to_text
from memdb.tokens import Tokenizer
from memdb.vectors import VectorCache

CONTEXT_HITS = 16
"""How many hits a context holds where nobody says."""

_WARM: Sequence[Tier] = ("hot", "warm")


def weigh(
    db: Database,
    question: Question,
    *,
    user_id: str,
    goal: str | None,
    now: datetime,
    weights: str,
    embedder: Embedder | None,
    cache: VectorCache,
    index: OutsideIndex | None,
    config: Config,
    statuses: Sequence[Status] | None = None,
    filters: Sifted | None = None,
) -> tuple[Hits, list[Doubt]]:
    """Ask the hot and the warm first, and the cold too if that is not enough; return what was found, with a verdict on it, and what is in
    doubt.
    """
    calibration = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights="calibration")}
    first_person = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights="first-person")}
    hot, warm = config.hot_days, config.warm_days
    asked = (filters or {}).get("tiers")
    has_cold = asked is None and db.tuples(
        "scan.aside", user_id=user_id, tiers=listed(_WARM), hot_days=hot, warm_days=warm, now=to_text(now)
    )
    for tiers in (_WARM, None) if has_cold else (asked,):  # or the second answer would be the first once more
        sifted: Sifted = {**(filters or {}), "tiers": tiers}
        hits = retrieve(
            db,
            question,
            user_id=user_id,
            embedder=embedder,
            now=now,
            weights=weights,
            limit=config.context_candidates,
            statuses=(EVER if question.as_of or question.past else LIVE) if statuses is None else statuses,
            as_of=question.as_of,
            top_k_lex=config.top_k_lex,
            top_k_vec=config.top_k_vec,
            goal=goal,
            hot_days=hot,
            warm_days=warm,
            judged=True,
            cache=cache,
            index=index,
            base_half_life_days=config.base_half_life_days,
            minimum_importance=config.minimum_importance,
            **sifted,
        )
        hits[:] = [hit for hit in hits if hit.fact.kind != "narrative" or _may_come_to_mind(hit, first_person, now, config)]
        doubts = clarify(db, hits, user_id=user_id, now=now, config=config)
        hits.verdict = verdict = judge(hits, doubts=doubts, calibration=calibration, config=config)
        enough = verdict.decision == "answer" and verdict.relevance > config.abstain_relevance
        if enough and verdict.confidence >= config.abstain_confidence:
            break
    return hits, doubts


def recall(
    db: Database,
    query: str,
    *,
    user_id: str,
    participants: Sequence[str] | None,
    memory_types: Sequence[MemoryType] | None,
    limit: int | None,
    max_age_days: float | None,
    min_score: float | None,
    now: datetime,
    embedder: Embedder | None,
    config: Config,
) -> Hits:
    """Return the first-person memories that bear on a question, best first; `Memory.recall` explains the arguments."""
    checks.lists(memory_types=memory_types, participants=participants)
    age = config.max_age_days if max_age_days is None else checks.age(max_age_days, "max_age_days")
    return retrieve(
        db,
        understand(db, checks.searchable(query), user_id=checks.name(user_id, "user_id"), now=now, zone=config.zone),
        user_id=user_id,
        embedder=embedder,
        now=now,
        weights="first-person",
        limit=config.max_memories_per_retrieval if limit is None else checks.count(limit, "limit"),
        kinds=["narrative"],
        statuses=("active",),
        memory_types=memory_types,
        min_age_minutes=config.event_buffer_minutes,
        max_age_days=age or None,
        min_score=config.importance_threshold if min_score is None else checks.bound(min_score, "min_score"),
        participants=participants,
        base_half_life_days=config.base_half_life_days,
        minimum_importance=config.minimum_importance,
        top_k_lex=config.top_k_lex,
        top_k_vec=config.top_k_vec,
    )


def diverse(db: Database, hits: Sequence[Hit], *, limit: int, config: Config) -> list[Hit]:
    """Return those of the hits that say different things, and no more first-person memories than `recall` gives."""
    most = {"narrative": config.max_memories_per_retrieval}
    return diversify(db, hits, limit=limit, balance=config.context_balance, most=most)


def make_context(
    db: Database,
    hits: Hits,
    doubts: Sequence[Doubt],
    *,
    user_id: str,
    limit: int,
    system: str,
    max_tokens: int | None,
    tokenizer: Tokenizer,
    now: datetime,
    config: Config,
) -> Context:
    """Return a prompt of what is held of a user and of what was found, and leave of the hits those that it shows."""
    result = inject(
        materialize(db, user_id=user_id, now=now, config=config, others=False),
        diverse(db, hits, limit=limit, config=config),
        kinds=reading.read_kinds(db),
        sections={str(row["section"]): Section.model_validate(row) for row in db.all("sections.all")},
        system=system,
        verdict=hits.verdict,
        max_tokens=max(0, config.context_max_tokens if max_tokens is None else max_tokens),
        tokenizer=tokenizer,
        now=now,
        config=config,
        question=(hits.verdict and hits.verdict.question) or next((doubt.question for doubt in doubts if doubt.worth), None),
        disputed={doubt.against for doubt in doubts if doubt.against},
        degraded=hits.degraded,
    )
    shown = {item.fact_id for item in result.items}
    hits[:] = [hit for hit in hits if hit.fact.fact_id in shown]
    return result


def _may_come_to_mind(hit: Hit, weights: Mapping[str, float], now: datetime, config: Config) -> bool:
    """Whether a first-person memory is as old, as young, and as much to the point as one that `recall` gives."""
    fact = hit.fact
    age = now - max(fact.created_at, fact.last_mentioned_at or fact.created_at)
    is_fresh = not config.max_age_days or age <= timedelta(days=config.max_age_days)
    is_settled = now - fact.created_at >= timedelta(minutes=config.event_buffer_minutes)
    score = sum(weights.get(feature, 0.0) * part for feature, part in hit.parts.items())
    return is_fresh and is_settled and score >= config.importance_threshold
