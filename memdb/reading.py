"""What the file holds, read as records: facts and where they come from, the audit trail, the turns, and all of it in numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from memdb import checks, stored
from memdb.answers import Sources, Stats
from memdb.config import Config
from memdb.database import Database, Row
from memdb.driver import SCHEMA_VERSION
from memdb.errors import NotFoundError
from memdb.recording import read_fact
from memdb.records import EVER, LIVE, Change, Consent, Event, Fact, Kind, ModelCall, Procedure, Status, TurnRecord
from memdb.store import Store
from memdb.times import to_text


def read_kinds(db: Database) -> dict[str, Kind]:
    """Return the rows of the table `kinds` by name."""
    return {kind.kind: kind for kind in stored.rows_as(Kind, db, db.all("kinds.all"))}


def read_consent(db: Database, *, user_id: str, config: Config) -> Consent:
    """Return what a user lets be remembered: what they chose, otherwise the settings."""
    chosen = db.one("consent.of", user_id=user_id) or {}
    settings = {"sensitive_topics": config.sensitive_topics, "secrets": config.secrets}
    with stored.reading(db, user_id=user_id):
        return Consent.model_validate(settings | {name: value for name, value in chosen.items() if value is not None})


def fact(db: Database, fact_id: str) -> Fact:
    """Return one row by its id.

    Raises:
        NotFoundError: there is no such fact, or only the archive has it.
    """
    found = read_fact(db, checks.text(fact_id, "fact_id"))
    if found is None:
        raise NotFoundError(f"There is no fact {fact_id!r}; list the ids with facts() or `memdb facts`.")
    return found


def fact_of(db: Database, fact_id: str, *, user_id: str) -> Fact:
    """Return one row of a user by its id.

    Raises:
        NotFoundError: there is no such fact of this user.
    """
    found = read_fact(db, checks.text(fact_id, "fact_id"))
    if found is None or found.user_id != user_id:  # nobody is told what is another's
        raise NotFoundError(f"There is no fact {fact_id!r} of user {user_id!r}; list theirs with facts() or `memdb facts`.")
    return found


def facts(
    db: Database,
    user_id: str,
    *,
    now: datetime,
    key: str | None = None,
    statuses: Sequence[Status] | None = None,
    kinds: Sequence[str] | None = None,
    as_of: datetime | None = None,
) -> list[Fact]:
    """Return a user's facts, ordered by key and time; messages only if `kinds` asks for them.

    Raises:
        InputError: there is no such kind or status, or the key is none that there can be.
    """
    if key is not None:
        checks.key(key)
    checks.lists(kinds=kinds, statuses=statuses)
    known = list(read_kinds(db))
    chosen = [kind for kind in known if kind != "message"] if kinds is None else [checks.one_of(kind, known, "kinds") for kind in kinds]
    wanted = {"user_id": user_id, "key": key, "kinds": json.dumps(chosen)}
    if as_of is not None:
        rows = db.all("believe.as_of", **wanted, statuses=json.dumps(list(EVER if statuses is None else statuses)), as_of=to_text(as_of))
    else:
        rows = db.all("believe.current", **wanted, statuses=json.dumps(list(LIVE if statuses is None else statuses)), now=to_text(now))
    return stored.facts(db, rows)


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


def history(db: Database, *, user_id: str | None, fact_id: str | None, turn_id: str | None) -> list[Change]:
    """Return the audit trail, oldest first."""
    _named(user_id=user_id, fact_id=fact_id, turn_id=turn_id)
    rows = db.all("believe.history", user_id=user_id, fact_id=fact_id, turn_id=turn_id)
    return stored.rows_as(Change, db, rows, parsed=("before", "after"))


def turns(db: Database, *, user_id: str | None, turn_id: str | None) -> list[TurnRecord]:
    """Return the turns as they came, each with what became of it."""
    _named(user_id=user_id, turn_id=turn_id)
    rows = db.all("queue.records", user_id=user_id, turn_id=turn_id)
    return stored.rows_as(TurnRecord, db, rows, parsed=("notes",))


def calls(db: Database, *, user_id: str | None, turn_id: str | None) -> list[ModelCall]:
    """Return the calls of the language model that were kept, oldest first."""
    _named(user_id=user_id, turn_id=turn_id)
    return stored.rows_as(ModelCall, db, db.all("queue.calls", user_id=user_id, turn_id=turn_id))


def users(db: Database, *, now: datetime) -> dict[str, int]:
    """Return everybody that the file holds something of, each with how many rows but messages are believed or pending."""
    return {str(row["user_id"]): int(row["held"] or 0) for row in db.all("stats.users", now=to_text(now))}


def stats(store: Store) -> Stats:
    """Return the state of the file in numbers."""
    db = store.database()
    counts = db.one("stats.counts") or {}
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


def _named(**names: str | None) -> None:
    """Refuse names that are no texts; None stands for any."""
    for argument, name in names.items():
        if name is not None:
            checks.text(name, argument)
