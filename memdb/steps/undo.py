"""Take back what a turn or a session taught, as far as nothing later builds on it."""

from __future__ import annotations

import json
from datetime import datetime

from memdb.answers import Undone
from memdb.database import Database
from memdb.times import to_text


def undo(db: Database, *, user_id: str, turn_id: str | None, session_id: str | None, cause: str, now: datetime) -> Undone:
    """Undo the changes of a turn or session, newest first, within the caller's transaction; each undoing is itself recorded.

    A fact that the cause brought in ends as never true; a fact that it changed, confirmed or ended stands again as before. An
    action whose outcome some other turn has changed since is left as it is; its changes are counted as `kept`. What nobody has thought
    about yet teaches nothing any more. The words themselves stay: forgetting is another thing.
    """
    untaught = len(db.all("undo.unteach", user_id=user_id, turn_id=turn_id, session_id=session_id))
    changes = db.all("undo.changes", user_id=user_id, turn_id=turn_id, session_id=session_id)
    undone = json.dumps(sorted({str(row["turn_id"]) for row in changes}))
    built_on = {
        (row["turn_id"], row["action_hash"]) for row in changes if db.all("undo.later", fact_id=row["fact_id"], id=row["id"], undone=undone)
    }
    restored = ended = kept = 0
    for row in changes:
        fact_id = str(row["fact_id"])
        current = db.one("believe.by_id", fact_id=fact_id)
        # what one action did stands or falls together, or an old value would stand beside the one that took its place
        if current is None or (row["turn_id"], row["action_hash"]) in built_on:
            kept += 1
            continue
        if row["before"] is None:
            starts = json.loads(str(row["after"]))["valid_from"]
            db.run("apply.close", fact_id=fact_id, status="expired", valid_to=starts, now=to_text(now))
            db.run("apply.unlink", source_id=fact_id)
            ended += 1
        else:
            db.run("undo.restore", fact_id=fact_id, before=row["before"], now=to_text(now))
            restored += 1
        after = db.one("believe.by_id", fact_id=fact_id)
        record = json.loads(str(after["record"])) if after else {}
        db.run(
            "apply.history",
            fact_id=fact_id,
            user_id=user_id,
            key=str(record.get("key", "")),
            operation="undo",
            before=str(current["record"]),
            after=str(after["record"]) if after else None,
            reason=f"{row['operation']!s} taken back",
            turn_id=cause,
            action_hash=f"undo-{row['id']!s}",
            now=to_text(now),
        )
    return Undone(restored=restored, ended=ended, kept=kept, untaught=untaught)
