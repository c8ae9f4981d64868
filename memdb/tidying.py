"""What is tidied up: doubles, stalled tasks, what recurs, what is more than is kept, some rows at a time; killed, it is done again."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial

from memdb import stored
from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database, Row
from memdb.merging import merge
from memdb.nights import night_from
from memdb.privacy import is_high_risk, topic_of
from memdb.recording import Origin, archive, dismiss_moot, expire_over, move, promote, read_fact
from memdb.records import Fact
from memdb.steps.compact import compact
from memdb.steps.gather import gather
from memdb.times import MOMENT, in_zone, to_text, to_utc

_WRITTEN = 100  # rows that are changed in one transaction


def take_tidying(db: Database, *, now: datetime, config: Config) -> bool:
    """Tidy up if a night has gone by since the last time; return whether it was done. A file's first night is the one to come.

    Killed half-way, what is left is done by whoever comes next. Where two processes are at it, each does a part, and one has done it.
    """
    before = stored.meta(db).get("tidied_at")
    if before is not None:
        if night_from(to_utc(before) + MOMENT, config) > now:
            return False
        tidy(db, user_id=None, now=now, config=config)
        bring_together(db, user_id=None, now=now, config=config)
    with db.transaction():
        if stored.meta(db).get("tidied_at") != before:
            return False  # another process was first
        db.run("meta.put", name="tidied_at", value=to_text(now))
    return before is not None


def bring_together(db: Database, *, user_id: str | None, now: datetime, config: Config) -> int:
    """Make one of what a user, or each user, is held to have said twice: the one that is true for longest stands for the others.

    Only rows that came since the last time are looked at, and only writing some hundred of them down at a time holds the file. Return how
    many rows were brought together with others.
    """
    merged, predicates = 0, stored.predicates(db)
    for row in db.all("gather.users", user_id=user_id):
        owner = str(row["user_id"])
        while gathered := gather(db, user_id=owner, predicates=predicates, config=config, now=now):
            for part in _parts(gathered.groups):
                with db.transaction():
                    merged += sum(_one_of(db, group, now, config) for group in part)
            with db.transaction():
                db.run("gather.looked_at", user_id=owner, up_to=gathered.up_to)
    return merged


def _parts(groups: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Groups a few at a time, so many that each part has some hundred rows."""
    part: list[Sequence[str]] = []
    for group in groups:
        part.append(group)
        if sum(map(len, part)) >= _WRITTEN:
            yield part
            part = []
    if part:
        yield part


def _one_of(db: Database, group: Sequence[str], now: datetime, config: Config) -> int:
    """Merge what of a group still is believed, and return how many rows are no more."""
    read = [read_fact(db, fact_id) for fact_id in group]
    facts = [fact for fact in read if fact is not None and fact.status == "active"]
    if len(facts) < 2:
        return 0
    kept, *others = sorted(facts, key=lambda fact: fact.valid_from)
    merge(db, kept, others, origin=_origin(kept, now), reason=f"the same was held {len(facts)} times", config=config)
    return len(others)


def tidy(db: Database, *, user_id: str | None, now: datetime, config: Config) -> Maintained:
    """Let tasks stall, promote what recurs, and archive what is more than is kept; return how much it was.

    What is to be done is looked for without holding the file, and written some rows at a time. Killed half-way, the rest is done next time.
    """
    _close_over(db, user_id, now)
    return Maintained(
        tasks_stalled=_stall(db, user_id, now, config),
        promoted=_promote(db, user_id, now, config),
        notes_archived=_archive_notes(db, user_id, now, config),
        versions_archived=_versions(db, user_id, now, config),
        compacted=_compact(db, user_id, now, config),
    )


def archive_closed(db: Database, *, user_id: str | None, now: datetime, config: Config) -> int:
    """Move what was closed long ago into the archive, and nothing else of `tidy`, some rows at a time; return how many."""
    _close_over(db, user_id, now)
    return _compact(db, user_id, now, config)


def _close_over(db: Database, user_id: str | None, now: datetime) -> None:
    """Expire what is over by now, and end the denials that have nothing left to decide."""
    for owner in [user_id] if user_id is not None else [str(row["user_id"]) for row in db.all("apply.users_over", now=to_text(now))]:
        _by_parts(db, partial(_expire, db, owner, now))
    if db.all("believe.moot", user_id=user_id, ended=None):
        with db.transaction():
            dismiss_moot(db, user_id=user_id, now=now)


def _expire(db: Database, user_id: str, now: datetime, most: int) -> int:
    return expire_over(db, user_id=user_id, now=now, most=most)


def _by_parts(db: Database, work: Callable[[int], int]) -> int:
    """Do some work until there is none left, so many rows of it in each transaction; return how many rows it was."""
    done = 0
    while True:
        with db.transaction():
            part = work(_WRITTEN)
        done += part
        if part < _WRITTEN:
            return done


def _change(db: Database, found: Sequence[Fact], change: Callable[[Fact], None]) -> int:
    """Change facts that were found, some in each transaction; return how many. What was written meanwhile is left for the next time."""
    changed = 0
    for start in range(0, len(found), _WRITTEN):
        with db.transaction():
            same = [fact for fact in found[start : start + _WRITTEN] if _is_as_it_was(db, fact)]
            for fact in same:
                change(fact)
        changed += len(same)
    return changed


def _is_as_it_was(db: Database, found: Fact) -> bool:
    """Whether a fact has not been changed since it was found; that it has a vector by now is no change."""
    fact = read_fact(db, found.fact_id)
    return fact is not None and fact.model_copy(update={"embedding_id": found.embedding_id}) == found


def _compact(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    which = {"user_id": user_id, "before": to_text(now - timedelta(days=config.archive_after_days))}
    told = {"reason": "long believed no longer: moved into the archive", "turn_id": f"compact-{to_text(now)}"}
    return _by_parts(db, lambda most: compact(db, _ids(db.all("compact.closed", **which, most=most)), now=now, **told))


def _stall(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    before = to_text(now - timedelta(days=config.task_stalls_after_days))
    today = to_text(in_zone(now, config.zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0))
    found = stored.facts(db, db.all("task.stalled", user_id=user_id, before=before, today=today))
    told = "nobody spoke of it for long, or its day has gone by"
    return _change(db, found, lambda task: move(db, task, state="stalled", origin=_origin(task, now), reason=told, decided=False))


def _promote(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    rows = db.all("upkeep.recurring", user_id=user_id, now=to_text(now), days=config.promote_days, priority=config.promote_priority)
    often = stored.facts(db, [row for row in rows if _days(row, config) >= config.promote_days])
    recurring = [fact for fact in often if not _is_sensitive(fact)]
    return _change(db, recurring, lambda fact: promote(db, fact, origin=_origin(fact, now), reason="said again on several days"))


def _days(row: Row, config: Config) -> int:
    """On how many days of the user's something was said: an evening is not two days because it is past midnight in UTC."""
    return len({in_zone(to_utc(at), config.zone).date() for at in json.loads(str(row["said"]))})


def _is_sensitive(fact: Fact) -> bool:
    """Whether a fact is about money or the like: the profile tells that apart, and it is no preference for being said often."""
    return topic_of(fact) is not None or is_high_risk(fact.key)


def _archive_notes(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    found = stored.facts(db, db.all("upkeep.surplus", user_id=user_id, now=to_text(now), keep=config.reflection_limit))
    return _change(db, found, lambda note: archive(db, note, origin=_origin(note, now), reason="more notes than are kept"))


def _versions(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    found, moved = _ids(db.all("upkeep.old_versions", user_id=user_id, keep=config.fact_versions)), 0
    told = {"reason": "more versions than are kept: moved into the archive", "turn_id": f"maintain-{to_text(now)}"}
    for start in range(0, len(found), _WRITTEN):
        with db.transaction():
            moved += compact(db, found[start : start + _WRITTEN], now=now, **told)
    return moved


def _ids(rows: Sequence[Row]) -> list[str]:
    return [str(row["fact_id"]) for row in rows]


def _origin(fact: Fact, now: datetime) -> Origin:
    return Origin(user_id=fact.user_id, turn_id=f"maintain-{uuid.uuid4().hex}", now=now)
