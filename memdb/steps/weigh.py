"""Let a learned workflow grow stronger or weaker by how it went."""

from __future__ import annotations

from datetime import datetime

from memdb.config import Config
from memdb.database import Database
from memdb.figures import to_share
from memdb.recording import Log, Origin, action_hash_of
from memdb.records import Fact
from memdb.times import to_text


def weigh(db: Database, procedure: Fact, *, succeeded: bool, note: str, turn_id: str, config: Config, now: datetime) -> bool:
    """Record one outcome within the caller's transaction; return False if this turn's is recorded already.

    Success closes `config.confirmation_rate` of the gap to 1.00, failure of the gap to 0: c' = c + (1 − c) · r, or c' = c − c · r. The
    change is in the history like any other.
    """
    fact_id = procedure.fact_id
    if not db.run("procedures.went", fact_id=fact_id, turn_id=turn_id, succeeded=int(succeeded), note=note, now=to_text(now)):
        return False
    goal = 1.0 if succeeded else 0.0
    confidence = to_share(procedure.confidence + (goal - procedure.confidence) * config.confirmation_rate)
    reason = f"it {'worked' if succeeded else 'failed'}{f': {note}' if note else ''}"
    log = Log(db, Origin(user_id=procedure.user_id, turn_id=turn_id, now=now), action_hash_of("outcome", fact_id, turn_id))
    log.change(fact_id, "update", reason, "procedures.weigh", confidence=confidence)
    return True
