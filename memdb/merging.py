"""What is held twice becomes one, which has what the others said. Never commits."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.figures import closer, to_share
from memdb.recording import Log, Origin, action_hash_of
from memdb.records import RELIABILITY, Fact, parts_of
from memdb.times import to_text


def merge(db: Database, kept: Fact, others: Sequence[Fact], *, origin: Origin, reason: str, config: Config) -> None:
    """Let one fact stand for others that say the same: it was said as often as all of them, each a confirmation, counts as much as the most
    important, and has their tags, details and links; who called one of them right, or wrong, meant this one.
    """
    log = Log(db, origin, action_hash_of("merge", kept.fact_id, [fact.fact_id for fact in others]))
    confidence = max(kept.confidence, *(fact.confidence for fact in others))
    for _ in others:
        confidence += closer(confidence, config.confirmation_rate)
    mentioned = max(fact.last_mentioned_at or fact.created_at for fact in (kept, *others))
    surest = max((kept, *others), key=lambda fact: RELIABILITY[fact.source])
    told: dict[str, SqlValue] = {
        "confidence": to_share(confidence),
        "source": surest.source if kept.kind == "fact" else None,
        "seen": sum(fact.seen_count for fact in others),
        "mentioned": to_text(mentioned),
        "importance": max(fact.importance for fact in (kept, *others)),
        "tags": json.dumps(list(dict.fromkeys(tag for fact in (kept, *others) for tag in fact.tags)), ensure_ascii=False),
        "value_json": _details_of_all((kept, *others)),
    }
    log.change(kept.fact_id, "noop", reason, "apply.merge", **told)
    for fact in others:
        log.change(fact.fact_id, "supersede", reason, "apply.close", status="superseded", valid_to=to_text(fact.valid_from))
        db.run("apply.inherit", fact_id=fact.fact_id, heir=kept.fact_id, now=to_text(origin.now))
        db.run("apply.unlink", source_id=fact.fact_id)
        db.run("apply.inherit_feedback", fact_id=fact.fact_id, heir=kept.fact_id)
        db.run("apply.disown_feedback", fact_id=fact.fact_id)


def _details_of_all(facts: Sequence[Fact]) -> str | None:
    """The details of facts that say the same; where they differ, those of the first."""
    if any(fact.value_json is not None and not isinstance(fact.value_json, dict) for fact in facts):
        return None if facts[0].value_json is None else json.dumps(facts[0].value_json, ensure_ascii=False)
    details = {name: value for fact in reversed(facts) for name, value in parts_of(fact.value_json).items()}
    return json.dumps(details, ensure_ascii=False) if details else None
