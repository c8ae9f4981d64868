"""Write a first-person memory as a row of `facts`."""

from __future__ import annotations

import json
from datetime import datetime

from memdb.config import Config
from memdb.database import Database
from memdb.narratives import Narrative, NarrativeDetail
from memdb.times import to_text

_CONFIDENCE = 0.7  # a memory is how it seemed


def keep(
    db: Database,
    narrative: Narrative,
    detail: NarrativeDetail,
    *,
    fact_id: str,
    user_id: str,
    key: str,
    source: str,
    excerpt: str,
    at: datetime,
    config: Config,
) -> None:
    """Write a memory within the caller's transaction. What it weighs is still to be reckoned."""
    db.run(
        "apply.insert_fact",
        fact_id=fact_id,
        user_id=user_id,
        kind="narrative",
        key=key,
        value_text=narrative.content,
        value_json=detail.model_dump_json(),
        category="other",
        memory_type=narrative.memory_type,
        confidence=_CONFIDENCE,
        importance=min(config.max_importance, narrative.importance),
        source="inferred",
        speaker=None,
        event_time=to_text(detail.segment_start),
        valid_from=to_text(detail.segment_start),
        valid_to=None,
        status="active",
        source_turn_id=source,
        source_excerpt=excerpt or narrative.content,
        session_id=None,
        tags=json.dumps(list(narrative.tags), ensure_ascii=False),
        now=to_text(at),
    )
