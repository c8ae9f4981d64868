"""Take back what a turn or a session taught, as far as nothing later builds on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from memdb import stored
from memdb.answers import Undone
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.recording import Closing, Log, Origin, bring_back, changed_since, close_many
from memdb.reviving import doubt_anew, make_way, take_up
from memdb.times import to_text


def undo(
    db: Database, *, user_id: str, turn_id: str | None, session_id: str | None, cause: str, now: datetime, config: Config
) -> Undone:  # fmt: skip
    """Undo the changes of a turn or session, newest first, within the caller's transaction; each undoing is itself recorded.

    A fact that the cause brought in ends as never true; a fact that it changed, confirmed or ended stands again as before. An
    action whose outcome some other turn has changed since is left as it is; its changes are counted as `kept`. What nobody has thought
    about yet teaches nothing any more, and no memory is told of what was said. The words themselves stay: forgetting is another thing.
    """
    untaught = len(db.all("undo.unteach", user_id=user_id, turn_id=turn_id, session_id=session_id))
    changes = db.all("undo.changes", user_id=user_id, turn_id=turn_id, session_id=session_id)
    stored_so = db.all("undo.stored", user_id=user_id, turn_id=turn_id, session_id=session_id)
    undone = sorted({*(str(row["turn_id"]) for row in changes), *(str(row["source_turn_id"]) for row in stored_so)})
    first = {str(row["fact_id"]): row["id"] for row in changes} | {str(row["fact_id"]): 0 for row in stored_so}  # the oldest comes last
    for fact_id, since in first.items():
        _part(db, fact_id, Origin(user_id=user_id, turn_id=cause, now=now), since=since, undone=undone)
    later = changed_since(db, [(row["fact_id"], row["id"]) for row in changes], undone=undone)
    built_on = {(changes[place]["turn_id"], changes[place]["action_hash"]) for place in later}
    db.run("undo.unsay", user_id=user_id, turn_id=turn_id, session_id=session_id)
    untold = db.run("undo.untell", user_id=user_id, turn_id=turn_id, session_id=session_id)
    done = _Taken(db, Origin(user_id=user_id, turn_id=cause, now=now))
    for row in changes:
        fact_id, change, reason = str(row["fact_id"]), f"undo-{row['id']!s}", f"{row['operation']!s} taken back"
        # what one action did stands or falls together, or an old value would stand beside the one that took its place
        if (row["turn_id"], row["action_hash"]) in built_on or bring_back(db, fact_id) is None:
            done.kept += 1
        elif row["before"] is None:
            done.end(fact_id, to_text(stored.fact(db, row["after"]).valid_from), change, reason)
            db.run("apply.unlink", source_id=fact_id)
        else:
            done.restore(fact_id, "undo.restore", change, reason, before=row["before"], after=row["after"])
            db.run("undo.outcome", fact_id=fact_id, turn_id=row["turn_id"])
    later = changed_since(db, [(row["fact_id"], 0) for row in stored_so], undone=undone)
    goes = {str(row["fact_id"]): str(row["valid_from"]) for place, row in enumerate(stored_so) if place not in later}
    done.end_many(goes, "stored as it is, and taken back")
    done.kept += len(later)
    predicates = stored.predicates(db)
    for fact_id in dict.fromkeys(str(row["fact_id"]) for row in changes if row["before"] is not None):
        doubt_anew(db, fact_id, predicates=predicates, now=now)
        make_way(db, fact_id, predicates=predicates, now=now)
        take_up(db, fact_id, origin=done.origin, config=config)
    _withdraw(db, done, turn_id=turn_id, session_id=session_id, undone=undone)
    return Undone(restored=done.restored, ended=done.ended, kept=done.kept, untaught=untaught, untold=untold)


def _part(db: Database, fact_id: str, origin: Origin, *, since: SqlValue, undone: Sequence[str]) -> None:
    """Let what upkeep made one with a fact `since` a change stand by itself again, so that of what was held twice each can be taken back,
    unless something else has changed it.
    """
    merges: dict[tuple[SqlValue, SqlValue], list[Row]] = {}
    for row in db.all("undo.merges", fact_id=fact_id, since=since):
        merges.setdefault((row["turn_id"], row["action_hash"]), []).append(row)
    for rows in merges.values():
        if changed_since(db, [(row["fact_id"], row["id"]) for row in rows], undone=undone):
            return
        for row in rows:
            part = str(row["fact_id"])
            if bring_back(db, part) is not None:
                log = Log(db, origin, f"undo-{row['id']!s}")
                log.change(part, "undo", "it is not the only one any more", "undo.restore", before=row["before"], after=row["after"])
                db.run("undo.look_again", user_id=origin.user_id, fact_id=part)


def _withdraw(db: Database, done: _Taken, *, turn_id: str | None, session_id: str | None, undone: Sequence[str]) -> None:
    """Take back the first-person memories of what was said, and the patterns that they went into; what else these told of is told anew.

    Where somebody has decided about either since, both stand. What was said stays beside the memory of it, so that forgetting finds that.
    """
    going: dict[str, Row] = {}
    patterns: dict[str, Row] = {}
    for memory in db.all("undo.memories", user_id=done.origin.user_id, turn_id=turn_id, session_id=session_id):
        within = db.all("undo.patterns", fact_id=memory["fact_id"])
        if changed_since(db, [(row["fact_id"], 0) for row in (memory, *within)], undone=undone):
            done.kept += 1
            continue
        going[str(memory["fact_id"])] = memory
        patterns |= {str(row["fact_id"]): row for row in within}
    for pattern_id, pattern in patterns.items():
        done.end(pattern_id, pattern["valid_from"], f"undo-{pattern_id}", "it rests on what is taken back")
        for row in db.all("undo.parts", fact_id=pattern_id):
            if row["fact_id"] not in going:
                why = f"no longer a part of the pattern {pattern_id}"
                done.restore(str(row["fact_id"]), "undo.release", f"undo-{row['fact_id']!s}-{pattern_id}", why)
        db.run("undo.dissolve", fact_id=pattern_id)
    for memory_id, memory in going.items():
        done.end(memory_id, memory["valid_from"], f"undo-{memory_id}", "it tells of what is taken back")
        segment = memory["segment_id"]
        db.run("undo.free_events", user_id=done.origin.user_id, segment_id=segment, turn_id=turn_id, session_id=session_id)


class _Taken:
    """Takes back one change after the other, records each, and counts."""

    def __init__(self, db: Database, origin: Origin) -> None:
        self.db, self.origin = db, origin
        self.restored = self.ended = self.kept = 0

    def end(self, fact_id: str, starts: SqlValue, change: str, reason: str) -> None:
        """End a fact as never true."""
        Log(self.db, self.origin, change).change(fact_id, "undo", reason, "apply.close", status="expired", valid_to=starts)
        self.ended += 1

    def end_many(self, starts: Mapping[str, str], reason: str) -> None:
        """End many facts as never true, given when each began."""
        closings = [Closing(fact_id, "expired", start, f"undo-{fact_id}") for fact_id, start in starts.items()]
        close_many(self.db, closings, operation="undo", reason=reason, origin=self.origin)
        self.db.run("apply.unlink_many", sources=json.dumps([*starts]))
        self.ended += len(closings)

    def restore(self, fact_id: str, statement: str, change: str, reason: str, **values: SqlValue) -> None:
        """Let a fact stand again as before."""
        Log(self.db, self.origin, change).change(fact_id, "undo", reason, statement, **values)
        self.restored += 1
