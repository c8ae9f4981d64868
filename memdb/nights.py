"""The nightly chain of first-person memories: what repeats itself is consolidated, what fades is archived and in time deleted."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from memdb import stored
from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database
from memdb.ids import MEMORIES, id_of
from memdb.llm import calls_of
from memdb.narratives import Narrative, NarrativeDetail
from memdb.narrator import Narrator
from memdb.recording import Origin, keep_calls, read_fact, record, record_archived
from memdb.records import Fact, ModelCall, fact_of
from memdb.steps.consolidate import Pattern, consolidate
from memdb.steps.decay import decay
from memdb.steps.generalize import generalize
from memdb.steps.keep import keep
from memdb.store import Store
from memdb.times import MOMENT, in_zone, to_text, to_utc, utc_now

log = logging.getLogger("memdb")

PATTERN = "household.pattern"


def next_night(db: Database, config: Config, *, now: datetime) -> datetime | None:
    """Return the oldest night up to `now` whose maintenance is still to be done, or None.

    Nights that were missed come one after the other; those in which nothing can fade, repeat itself or be deleted are passed over.
    """
    due = db.one("maintain.due")
    assert due is not None
    keeps = timedelta(days=config.delete_archived_after_days)
    changes = [
        *([to_utc(str(due["active_since"]))] if due["active_since"] is not None else []),
        *([to_utc(str(due["archived_since"])) + keeps] if due["archived_since"] is not None else []),
    ]
    if not changes:
        return None
    since = min(changes)
    if due["maintained_at"] is not None:
        since = max(since, to_utc(str(due["maintained_at"])) + MOMENT)
    night = night_from(since, config)
    return night if night <= now else None


def take_night(
    store: Store,
    config: Config,
    narrator: Narrator | None,
    *,
    user_id: str | None = None,
    now: datetime,
    scheduled: bool,
) -> Maintained:
    """Do one night's maintenance as of `now` for a user, or for everybody, in one transaction: consolidate, fade, archive, delete.

    Killed half-way, nothing of the night was done. A `scheduled` night that another process has done meanwhile is left out.
    """
    db = store.database()
    rows = db.tuples("maintain.repeatable", user_id=user_id, now=to_text(now))
    with stored.reading(db, user_id=user_id):
        repeatable = [fact_of(row) for row in rows]
    patterns = consolidate(repeatable, zone=config.zone, config=config)
    told = [_tell_pattern(one, narrator, config) for one in patterns]
    with db.transaction():
        if scheduled and stored.meta(db).get("maintained_at", "") >= to_text(now):
            return Maintained()
        into = [_write_pattern(db, pattern, *what, now=now, config=config) for pattern, what in zip(patterns, told, strict=True)]
        faded = decay(db, user_id=user_id, now=now, config=config)
        if scheduled:
            db.run("meta.put", name="maintained_at", value=to_text(now))
    return faded.model_copy(update={"nights": 1, "consolidated": sum(into), "patterns": sum(1 for count in into if count)})


def night_from(since: datetime, config: Config) -> datetime:
    """The first night that does not lie before an instant."""
    day = in_zone(since, config.zone).date()
    while True:
        night = to_utc(datetime(day.year, day.month, day.day, config.consolidation_schedule_hour), zone=config.zone)
        if night >= since:
            return night
        day += timedelta(days=1)


def _tell_pattern(one: Pattern, narrator: Narrator | None, config: Config) -> tuple[Narrative, tuple[ModelCall, ...]]:
    if one.pattern is not None:
        known = NarrativeDetail.model_validate(one.pattern.value_json)
        if known.written_by != "rules":  # a model's words say no number, and stay true when it is seen again
            kept = {"content": one.pattern.value_text, "tags": one.pattern.tags, "written_by": known.written_by}
            return one.narrative.model_copy(update=kept), ()
    if narrator is None or narrator.refuses(one.user_id):
        return one.narrative, ()
    try:
        memories = [memory.value_text for memory in one.sources][:10]
        told = generalize(one.narrative, memories=memories, detail=one.detail, llm=narrator.llm, config=config)
    except Exception as failure:  # a transport is foreign code; whatever it raises must not cost the user the memory
        log.warning("a pattern of user %s is told by rules: %s", one.user_id, failure)
        calls = calls_of(failure)
        narrator.heard(usable=bool(calls) and calls[-1].error is None)
        return one.narrative, calls
    narrator.heard(usable=True)
    return told


def _write_pattern(db: Database, one: Pattern, narrative: Narrative, calls: Sequence[ModelCall], *, now: datetime, config: Config) -> int:
    """Write a pattern and archive what went into it; return how many memories that were, none if one of them has changed meanwhile."""
    source_ids = sorted(memory.fact_id for memory in one.sources)
    wanted = [*source_ids, *([one.pattern.fact_id] if one.pattern else [])]
    active = db.one("maintain.still_active", fact_ids=json.dumps(wanted))
    if active is None or active["active"] != len(wanted):
        return 0
    detail = one.detail.model_copy(update={"written_by": narrative.written_by})
    fact_id = one.pattern.fact_id if one.pattern else id_of(MEMORIES, one.user_id, source_ids)
    if one.pattern is None and read_fact(db, fact_id):  # a pattern of these was taken back with another that it had grown by
        fact_id = id_of(MEMORIES, one.user_id, source_ids, to_text(now))
    before = db.one("believe.by_id", fact_id=fact_id) if one.pattern else None
    if one.pattern is None:
        keep(
            db, narrative, detail, fact_id=fact_id, user_id=one.user_id, key=PATTERN, source=f"maintain-{to_text(now)}",
            excerpt="\n".join(one.lines), at=_came_to_mind(one.sources, now=now, config=config), config=config,
        )  # fmt: skip
    keep_calls(db, calls, user_id=one.user_id, turn_id=fact_id, now=utc_now(), config=config)
    for memory in one.sources:
        db.run("apply.link", source_id=memory.fact_id, target_id=fact_id, relation="supports", now=to_text(now))
    db.run(  # after the links, so that the words of the new memories are indexed too
        "maintain.grow",
        fact_id=fact_id,
        value_text=narrative.content,
        value_json=detail.model_dump_json(),
        seen_count=one.seen,
        importance=narrative.importance,
        now=to_text(now),
    )
    night = Origin(user_id=one.user_id, turn_id=f"maintain-{to_text(now)}", now=now)
    if before is None:
        record(db, fact_id, "insert", f"found in {len(source_ids)} memories", origin=night)
    elif one.pattern is not None and narrative.content != one.pattern.value_text:
        record(db, fact_id, "update", "seen again", before=str(before["record"]), origin=night)
    gone = db.all("maintain.consolidated", fact_ids=json.dumps(source_ids), now=to_text(now))
    for row in gone:
        record_archived(db, row, f"consolidated into the pattern {fact_id}", now=now)
    return len(gone)


def _came_to_mind(sources: Sequence[Fact], *, now: datetime, config: Config) -> datetime:
    """Since when a pattern is remembered: it was never in the buffer, and comes to mind as what went into it did."""
    settled = now - timedelta(minutes=config.event_buffer_minutes)
    made = [memory.created_at for memory in sources]
    return max((at for at in made if at <= settled), default=min(made))
