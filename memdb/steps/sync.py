"""Bring the vector index up to date with the facts, from the outbox: mem-skill's stage 4."""

from __future__ import annotations

import json
from datetime import datetime

from memdb import stored
from memdb.config import Config
from memdb.database import Database, Row
from memdb.embed import Embedder, embed_each, why
from memdb.errors import ModelUnavailable
from memdb.patience import postponed
from memdb.quantize import quantize
from memdb.records import Record
from memdb.times import to_text


class Synced(Record):
    """What one round did: vectors written, taken away, and failed; `error` tells the last failure, `last` whose the last line was."""

    written: int = 0
    removed: int = 0
    failed: int = 0
    error: str | None = None
    last: str | None = None

    @property
    def idle(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.written or self.removed or self.failed)


def sync(
    db: Database,
    *,
    embedder: Embedder,
    now: datetime,
    config: Config,
    user_id: str | None = None,
    kind: str | None = None,
    up_to: int | None = None,
    after: str | None = None,
) -> Synced:
    """Embed one batch that is due and write it; rows that are gone lose their vector. `now` is the clock's time.

    The batch begins with the user behind `after`, by name, and goes on with those behind them, as far as there is room. With `user_id` and
    `kind`, only live rows of that kind of that user are embedded: what something new is to be compared with; with `up_to`, only rows up to
    the one of that id.

    The embedder is called outside any transaction, so that nobody waits for it. When it fails, but takes a plain text, the batch
    is tried again text by text, so that one bad text cannot hold up the others; what is refused waits, twice as long each time and with
    jitter, and is set aside as dead after `config.embed_max_attempts`. When it is down, all waits as it is. This is the one step with
    transactions of its own: a batch is complete in itself.

    Raises:
        ModelUnavailable: the embedder is down; nothing has changed.
    """
    if user_id is None:
        rows = db.all("sync.due", now=to_text(now), batch=config.embed_batch, up_to=up_to, after=after)
    else:
        rows = db.all("sync.due_of", user_id=user_id, kind=kind, now=to_text(now), batch=config.embed_batch)
    gone = [row for row in rows if row["fact_id"] is None]
    texts = [row for row in rows if row["fact_id"] is not None]
    vectors, errors = _embed([str(row["text"]) for row in texts], embedder)
    written = removed = 0
    if rows:
        with db.transaction():
            if stored.made_by(db)[0] not in (None, embedder.name):  # the embedder was changed meanwhile, by another process
                return Synced()
            removed = sum(_take_away(db, row) for row in gone)
            for row, vector, error in zip(texts, vectors, errors, strict=True):
                if vector is None:
                    db.run("sync.failed", id=row["id"], **postponed(int(row["attempts"] or 0), error or "", now=now, config=config))
                else:
                    written += _write(db, row, vector)
            users = dict.fromkeys(str(row[whose]) for row in rows for whose in ("user_id", "former"))
            for one in users:
                db.run("sync.changed", user_id=one)
                db.run("sync.gone_user", user_id=one)
            if removed:
                db.run("forget.overwrite_gone", users=json.dumps(list(users)), now=to_text(now))
            quantize(db, dimension=embedder.dimension, users=users)
    failures = [error for error in errors if error]
    last = str(rows[-1]["former"]) if rows else None
    return Synced(written=written, removed=removed, failed=len(failures), error=failures[-1] if failures else None, last=last)


def _embed(texts: list[str], embedder: Embedder) -> tuple[list[bytes | None], list[str | None]]:
    try:
        return embed_each(texts, embedder)
    except Exception as error:  # whatever it raises must not stop the worker
        raise ModelUnavailable(f"The embedder {embedder.name} is down, and what waits for it is tried again: {why(error)}") from error


def _take_away(db: Database, row: Row) -> int:
    """Take a vector away whose row is gone still; return how many that is."""
    if not db.all("sync.gone", id=row["id"]):
        return 0
    removed = db.run("sync.remove", id=row["id"])
    db.run("sync.settled", id=row["id"])
    return removed


def _write(db: Database, row: Row, vector: bytes) -> bool:
    """Write the vector of a row that still is as it was read; return whether it is."""
    if not db.all("sync.unchanged", id=row["id"], user_id=row["user_id"], text=row["text"], shelf=row["shelf"]):
        return False
    db.run("sync.remove", id=row["id"])  # vec0 knows no upsert, and a partition key cannot be updated
    db.run("sync.write", id=row["id"], embedding=vector, user_id=row["user_id"], shelf=row["shelf"])
    db.run("sync.embedded", id=row["id"])
    db.run("sync.settled", id=row["id"])
    return True
