"""What the file holds, read as records: facts and where they come from, the audit trail, the turns, and all of it in numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import get_args

from memdb import checks, stored
from memdb.answers import Listed, Sources, Stats
from memdb.config import Config
from memdb.database import Database, Row, SqlValue, listed
from memdb.driver import SCHEMA_VERSION
from memdb.errors import InputError, NotFoundError
from memdb.recording import read_fact
from memdb.records import EVER, LIVE, Category, Change, Consent, Event, Fact, ModelCall, Procedure, Status, TurnRecord, TurnStatus
from memdb.store import Store
from memdb.times import to_text


def read_consent(db: Database, *, user_id: str, config: Config) -> Consent:
    """Return what a user lets be remembered: what they chose, otherwise the settings."""
    chosen = db.one("consent.of", user_id=user_id) or {}
    settings = {"sensitive_topics": config.sensitive_topics, "secrets": config.secrets}
    with stored.reading(db, user_id=user_id):
        return Consent.model_validate(settings | {name: value for name, value in chosen.items() if value is not None})


def fact(db: Database, fact_id: str) -> Fact:
    """Return one row by its id, also where it lies in the archive.

    Raises:
        NotFoundError: there is no such fact.
    """
    found = _ever(db, checks.text(fact_id, "fact_id"))
    if found is None:
        raise NotFoundError(f"There is no fact {fact_id!r}; list the ids with facts() or `memdb facts`.")
    return found


def fact_of_user(db: Database, fact_id: str, *, user_id: str) -> Fact:
    """Return one row of a user by its id.

    Raises:
        NotFoundError: there is no such fact of this user.
    """
    found = _ever(db, checks.text(fact_id, "fact_id"))
    if found is None or found.user_id != user_id:  # nobody is told what is another's
        raise NotFoundError(f"There is no fact {fact_id!r} of user {user_id!r}; list theirs with facts() or `memdb facts`.")
    return found


def in_place(db: Database, fact: Fact) -> Fact:
    """Return a fact that links and feedback may name: what lies in the archive has neither.

    Raises:
        InputError: it lies in the archive.
    """
    if read_fact(db, fact.fact_id) is None:
        said = f"{fact.fact_id!r} ({fact.value_text[:60]!r})"
        raise InputError(f"The fact {said} lies in the archive, and is {fact.status}: it has neither links nor feedback; name another.")
    return fact


def facts(
    db: Database,
    user_id: str,
    *,
    now: datetime,
    key: str | None = None,
    statuses: Sequence[Status] | None = None,
    kinds: Sequence[str] | None = None,
    as_of: datetime | None = None,
    categories: Sequence[Category] | None = None,
    contains: str | None = None,
    turn_id: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> Listed[Fact]:
    """Return a user's facts, ordered by key and time; messages only if `kinds` asks for them.

    Raises:
        InputError: there is no such kind, status or category, or the key is none that there can be.
    """
    if key is not None:
        checks.key(key)
    checks.texts(turn_id=turn_id, contains=contains)
    checks.lists(kinds=kinds, statuses=statuses, categories=categories)
    known = list(stored.kinds(db))
    chosen = [kind for kind in known if kind != "message"] if kinds is None else [checks.one_of(kind, known, "kinds") for kind in kinds]
    default = LIVE if as_of is None else EVER
    wanted: dict[str, SqlValue] = {
        "user_id": user_id,
        "kinds": listed(chosen),
        "statuses": listed(default if statuses is None else statuses),
        "categories": listed(categories),
        "contains": _cases(contains),
        "turn_id": turn_id,
    }
    if as_of is not None:
        statement, counting = "believe.as_of", "believe.count_as_of"
        wanted |= {"key": key, "as_of": to_text(as_of)}
    elif key is not None:
        statement, counting = "believe.current_of_key", "believe.count_current_of_key"
        wanted |= {"key": key, "now": to_text(now)}
    else:
        statement, counting = "believe.current", "believe.count_current"
        wanted |= {"now": to_text(now)}
    rows, total = _part(db, statement, counting, wanted, limit=limit, offset=offset)
    return Listed(stored.facts(db, rows), total=total)


def procedures(db: Database, scores: Mapping[str, float | None]) -> list[Procedure]:
    """Return procedures by their ids, in this order, each with its score; what is none is left out."""
    rows = db.all("procedures.by_ids", fact_ids=json.dumps(list(scores)))
    scored: list[Row] = [{**row, "score": scores[str(row["fact_id"])]} for row in rows]
    found = {procedure.fact_id: procedure for procedure in stored.rows_as(Procedure, db, scored, parsed=("steps",))}
    return [found[fact_id] for fact_id in scores if fact_id in found]


def sources(db: Database, fact_id: str) -> Sources:
    """Return what a first-person memory rests on.

    Raises:
        NotFoundError: no fact has this id.
    """
    fact(db, fact_id)
    rows = db.all("events.of_memory", fact_id=fact_id)
    memories = db.all("events.memories_of", fact_id=fact_id)
    return Sources(
        events=tuple(stored.rows_as(Event, db, rows, parsed=("participants",))),
        memories=tuple(stored.facts(db, memories)),
    )


def history(
    db: Database, *, user_id: str | None, fact_id: str | None, turn_id: str | None, newest: bool, limit: int | None, offset: int
) -> Listed[Change]:
    """Return the audit trail, oldest first, or newest first."""
    checks.names(user_id=user_id, fact_id=fact_id, turn_id=turn_id)
    asked: dict[str, SqlValue] = {"user_id": user_id, "fact_id": fact_id, "turn_id": turn_id}
    rows, total = _part(db, "believe.history", "believe.count_history", asked, limit=limit, offset=offset, newest=newest)
    return Listed(stored.rows_as(Change, db, rows, parsed=("before", "after")), total=total)


def turns(
    db: Database,
    *,
    user_id: str | None,
    turn_id: str | None,
    statuses: Sequence[TurnStatus] | None,
    refused: bool,
    newest: bool,
    limit: int | None,
    offset: int,
) -> Listed[TurnRecord]:
    """Return the turns as they came, or newest first, each with what became of it."""
    checks.names(user_id=user_id, turn_id=turn_id)
    if statuses is not None:
        checks.several(statuses, "statuses")
        statuses = [checks.one_of(status, get_args(TurnStatus), "statuses") for status in statuses]
    asked: dict[str, SqlValue] = {
        "user_id": user_id,
        "turn_id": turn_id,
        "statuses": listed(statuses),
        "refused": checks.truth(refused, "refused"),
    }
    rows, total = _part(db, "queue.records", "queue.count_records", asked, limit=limit, offset=offset, newest=newest)
    return Listed(stored.rows_as(TurnRecord, db, rows, parsed=("notes",)), total=total)


def calls(db: Database, *, user_id: str | None, turn_id: str | None, newest: bool, limit: int | None, offset: int) -> Listed[ModelCall]:
    """Return the calls of the language model that were kept, oldest first, or newest first."""
    checks.names(user_id=user_id, turn_id=turn_id)
    asked: dict[str, SqlValue] = {"user_id": user_id, "turn_id": turn_id}
    rows, total = _part(db, "queue.calls", "queue.count_calls", asked, limit=limit, offset=offset, newest=newest)
    return Listed(stored.rows_as(ModelCall, db, rows), total=total)


def users(db: Database, *, now: datetime) -> dict[str, int]:
    """Return everybody that the file holds something of, each with how many rows but messages are believed or pending."""
    return {str(row["user_id"]): int(row["held"] or 0) for row in db.all("stats.users", now=to_text(now))}


def stats(store: Store, *, now: datetime) -> Stats:
    """Return the state of the file in numbers."""
    db = store.database()
    counts = db.one("stats.counts", now=to_text(now)) or {}
    for name in ("facts_by_status", "rows_by_kind", "turns_by_status"):
        counts[name] = json.loads(str(counts[name]))
    embedder = store.embedder()
    path = store.path
    return Stats.model_validate(
        {
            "path": str(path),
            "bytes": sum(part.stat().st_size for part in (path, Path(f"{path}-wal")) if part.exists()),
            "schema_version": SCHEMA_VERSION,
            "embedder": embedder[0] if embedder else None,
            **counts,
            **{str(row["name"]): row["value"] for row in db.all("stats.metrics")},
        }
    )


def _ever(db: Database, fact_id: str) -> Fact | None:
    row = db.one("believe.ever_by_id", fact_id=fact_id)
    return stored.fact(db, row["record"]) if row else None


def _part(
    db: Database,
    statement: str,
    counting: str,
    asked: Mapping[str, SqlValue],
    *,
    limit: int | None,
    offset: int,
    newest: bool | None = None,
) -> tuple[list[Row], int]:
    """Return so many rows of a list from the one at `offset` on, and how many it has; where the rows tell that, it is not counted."""
    most, begin = None if limit is None else checks.count(limit, "limit"), checks.count(offset, "offset")
    order = {} if newest is None else {"newest": checks.truth(newest, "newest")}
    rows = db.all(statement, **asked, **order, limit=-1 if most is None else most, offset=begin)
    if (most is None or len(rows) < most) and (rows or begin == 0):
        return rows, begin + len(rows)
    counted = db.one(counting, **asked) or {}
    return rows, int(counted["total"] or 0)


def _cases(text: str | None) -> str | None:
    """A text as it may stand in another: SQLite takes only the letters of ASCII for the same in upper and lower case."""
    if text is None:
        return None
    ascii_lower = str.maketrans(ascii_uppercase, ascii_lowercase)
    return json.dumps(list(dict.fromkeys(case.translate(ascii_lower) for case in (text, text.lower(), text.upper(), text.title()))))
