"""Bring a vector collection outside the file up to date with what is believed: mem-skill's stage 4 for Chroma."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.outside import CollectionError, OutsideIndex, Value
from memdb.patience import postponed
from memdb.times import to_text

_BATCH = 256  # records a call
_LEASE = timedelta(seconds=5)  # beyond the longest wait for the collection; who takes longer sends a record twice, which does no harm
_METADATA = ("fact_id", "user_id", "key", "category", "status", "valid_from", "valid_to", "confidence", "updated_at", "kind")


def mirror(db: Database, *, index: OutsideIndex, embedder: str, now: datetime, config: Config, up_to: int | None = None) -> int:
    """Send one batch of what is due, and return how many facts the collection now holds true. `now` is the clock's time.

    With `up_to`, only what is due of rows up to the one of that id, and of those that are gone.

    What is believed is upserted, what is not is deleted. The collection is called outside any transaction, so that nobody waits for it.
    When it fails or takes no record at all, all waits until it is back; a record that it refuses while it takes others waits, twice as long
    each time, and is set aside as dead after `config.embed_max_attempts`. Like `sync` this step has transactions of its own: a batch is
    complete in itself.

    Raises:
        CollectionError: the collection failed.
    """
    lines = _claim(db, embedder, now, timedelta(seconds=2 * config.collection_timeout_seconds) + _LEASE, up_to)
    if not lines:
        return 0
    try:
        gone = [str(row["fact_id"]) for row in lines if row["embedding"] is None]
        if gone:
            index.delete(gone)
        refused, unsent = _upsert(db, index, [row for row in lines if row["embedding"] is not None])
    except CollectionError:
        with db.transaction():
            db.run("mirror.released", fact_ids=json.dumps([row["fact_id"] for row in lines]))
        raise
    with db.transaction():
        for row in lines:
            if row["fact_id"] in unsent:
                db.run("mirror.released", fact_ids=json.dumps([row["fact_id"]]))
            elif row["fact_id"] in refused:
                error = refused[str(row["fact_id"])]
                db.run("mirror.failed", fact_id=row["fact_id"], **postponed(int(row["attempts"] or 0), error, now=now, config=config))
            else:
                _settle(db, row["fact_id"], change=row["change"])
    return len(lines) - len(refused) - len(unsent)


def _claim(db: Database, embedder: str, now: datetime, lease: timedelta, up_to: int | None) -> list[Row]:
    at = to_text(now)
    if not db.all("mirror.due", now=at, batch=1, up_to=up_to):  # a look costs no lock
        return []
    with db.transaction():
        if stored.made_by(db)[0] != embedder:  # another process is changing the embedder
            return []
        # only under the lock: a text may change, and then waits for its vector
        due = db.all("mirror.due", now=at, batch=_BATCH, up_to=up_to)
        fact_ids = json.dumps([row["fact_id"] for row in due])
        db.run("mirror.claim", fact_ids=fact_ids, until=to_text(now + lease))
        return db.all("mirror.records", fact_ids=fact_ids)


def _upsert(db: Database, index: OutsideIndex, rows: list[Row]) -> tuple[dict[str, str], set[str]]:
    """Send all at once, and if that fails though the collection is there, one by one: one that it refuses cannot hold up the others.

    Returns what was refused, and what was not sent in the end, by their fact_ids.

    Raises:
        CollectionError: it is down, or takes nothing.
    """
    refused: dict[str, str] = {}
    try:
        if rows:
            _send(index, rows)
        return refused, set()
    except CollectionError:
        index.count()  # raises where it is not the records
    # in another order each time, so that those it refuses do not stand before the others for ever
    for place, row in enumerate(random.sample(rows, len(rows))):
        try:
            _send(index, [row])
        except CollectionError as error:
            refused[str(row["fact_id"])] = str(error)
        if len(refused) == place + 1 == min(3, len(rows)):  # none so far: it is them, or it takes nothing
            _send_held(db, index)
            return refused, {str(other["fact_id"]) for other in rows}.difference(refused)
    return refused, set()


def _send_held(db: Database, index: OutsideIndex) -> None:
    """Send once more what the collection has taken before.

    Raises:
        CollectionError: it does not take that now, or never took anything.
    """
    with db.transaction():
        held = db.one("mirror.held")
        if held is None:
            raise CollectionError(f"the collection {index.name} has taken no record so far.")
        change = (db.one("mirror.again", fact_id=held["fact_id"]) or {})["change"]  # should the process be killed meanwhile
    _send(index, [held])
    with db.transaction():
        _settle(db, held["fact_id"], change=change)


def _settle(db: Database, fact_id: SqlValue, *, change: SqlValue) -> None:
    """Note that a record is as it was sent, or that it is to be sent again: it changed meanwhile, and who told that may have come first."""
    if not db.run("mirror.settled", fact_id=fact_id, change=change):
        db.run("mirror.again", fact_id=fact_id)


def _send(index: OutsideIndex, rows: Sequence[Row]) -> None:
    from memdb.nearest import to_rows  # only now: it needs numpy, which a memory of words does without

    index.upsert(
        [str(row["embedding_id"]) for row in rows],
        to_rows([row["embedding"] for row in rows if isinstance(row["embedding"], bytes)], index.dimension),
        documents=[str(row["value_text"]) for row in rows],
        metadatas=[_metadata(row) for row in rows],
    )


def _metadata(row: Row) -> dict[str, Value]:
    """What is null has no key: Chroma takes a None as the wish to remove it."""
    return {name: value for name in _METADATA if not isinstance(value := row[name], bytes)}
