"""From one embedder to another: its vectors are gathered beside those in use, and take their place when they are whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import cast

from memdb import stored
from memdb.answers import Vectors
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder
from memdb.errors import ConflictError
from memdb.filling import fill
from memdb.quantize import quantize
from memdb.steps.reindex import BEGINNING, reindex
from memdb.store import Store

_AT_ONCE = 4_096  # vectors that are moved or thrown away together
_USERS = 64  # who get codes in one transaction; few have so many vectors that they do


def change_embedder(opened: Store, embedder: Embedder, *, config: Config, progress: Callable[[int, int], None] | None) -> Vectors:
    """Make every vector of an open file anew with another embedder, and return the state of the index afterwards.

    Until all are made the old ones stay in use. Interrupted at any moment, the next call with the same embedder goes on; one with yet
    another begins again. `progress` is told how many vectors are gathered, and how many are wanted.

    Raises:
        ModelError: the embedder fails; what was gathered is kept for the next call.
        ConflictError: another process has begun to change it to another one meanwhile.
        StoreError: the file lies there no more.
    """
    store = opened.anew(vectors=True)  # apart from the memory's, which may be for words only
    try:
        db = store.database()
        _begin(db, embedder)
        skipped: set[int] = set()
        after, count = BEGINNING, _Count(db)
        while True:
            looked_at, failed = reindex(db, embedder=embedder, batch=config.embed_batch, skipped=skipped, after=after)
            skipped.update(failed)
            if _is_done(db, embedder):
                return count_vectors(store)
            if progress is not None:
                progress(*count.more(len(looked_at) - len(failed), exactly=len(looked_at) < config.embed_batch))
            if len(looked_at) == config.embed_batch:
                after = looked_at[-1]
            elif after > BEGINNING:
                after = BEGINNING  # what has changed since it was looked at
            elif _take_over(db, embedder, skipped, batch=config.embed_batch):
                _tidy_up(db, embedder)
                return count_vectors(store)
    finally:
        store.close()


def count_vectors(store: Store) -> Vectors:
    """Return the state of a file's vector index."""
    db = store.database()
    counts = db.one("sync.state") or {}
    named = store.embedder()
    coming = db.one("reindex.next") or {}
    return Vectors.model_validate(
        {
            "embedder": named[0] if named else None,
            "dimension": named[1] if named else None,
            "next_embedder": coming.get("name"),
            **counts,
        }
    )


class _Count:
    """How many vectors are gathered, and how many are wanted; counting them takes as long as reading them."""

    def __init__(self, db: Database) -> None:
        self._db, self._known = db, (0, 0)

    def more(self, gathered: int, *, exactly: bool) -> tuple[int, int]:
        """Return the two after so many more were gathered, counted anew only where they are to be exact."""
        made, wanted = self._known
        if exactly or not wanted:
            row = self._db.one("reindex.count") or {}
            self._known = int(row["gathered"] or 0), int(row["wanted"] or 0)
        else:
            self._known = min(made + gathered, wanted), wanted
        return self._known


def _begin(db: Database, embedder: Embedder) -> None:
    """Go on where an earlier call with this embedder was interrupted; what was gathered of another one is thrown away."""
    with db.transaction():
        coming = db.one("reindex.next") or {}
        if (coming.get("name"), coming.get("dimension")) != (embedder.name, str(embedder.dimension)):
            db.run("reindex.start_over")
            db.run("meta.put", name="next_embedder", value=embedder.name)
            db.run("meta.put", name="next_dimension", value=str(embedder.dimension))


def _is_done(db: Database, embedder: Embedder) -> bool:
    """Whether another process has done meanwhile what this one is at.

    Raises:
        ConflictError: another process has begun anew, with another embedder.
    """
    with db.snapshot():
        coming, made_by = db.one("reindex.next") or {}, stored.made_by(db)
    asked = (embedder.name, str(embedder.dimension))
    if (coming["name"], coming["dimension"]) == asked:
        return False
    if coming["name"] is None and made_by == asked:
        return True
    other = str(coming["name"] or made_by[0])
    raise ConflictError(f"{db.path} is being changed to the embedder {other} by another process; wait for that, then reindex again.")


def _take_over(db: Database, embedder: Embedder, skipped: set[int], *, batch: int) -> bool:
    """Put what was gathered in the index's place, in one transaction; return False if too much has changed meanwhile.

    What that is is found before, so that others can write meanwhile; it is looked for again only if they did.
    """
    with db.snapshot():
        version, left, rows = db.version, _left(db, skipped, batch=batch), _gathered(db)
    with db.roomy(), db.transaction():
        if _is_done(db, embedder):
            return True
        if db.version != version:
            left, rows = _left(db, skipped, batch=batch), _gathered(db)
        if len(left) == batch:
            return False
        late = sorted(skipped | set(left))
        db.run("reindex.drop_index")
        db.run("reindex.drop_codes")
        db.make_index(embedder.dimension)
        _fill(db, embedder.dimension, rows)
        db.run("reindex.changed")
        db.run("reindex.mark")
        db.run("reindex.settled")
        db.run("reindex.left", skipped=json.dumps(late))
        db.run("reindex.forget_next")
        db.run("meta.put", name="embedder", value=embedder.name)
        db.run("meta.put", name="dimension", value=str(embedder.dimension))
    return True


def _left(db: Database, skipped: set[int], *, batch: int) -> list[int]:
    """What is not gathered yet, as far as it goes into a batch."""
    rows = db.all("reindex.todo", skipped=json.dumps(sorted(skipped)), batch=batch, after=BEGINNING)
    return [int(row["id"] or 0) for row in rows]


def _gathered(db: Database) -> list[tuple[int, str, str]]:
    """What is gathered, each with its user and shelf, in the order in which the index holds it."""
    return cast(list[tuple[int, str, str]], db.tuples("reindex.shelves"))


def _fill(db: Database, dimension: int, rows: Sequence[tuple[int, str, str]]) -> None:
    """Put what was gathered into an empty index, within the caller's transaction."""
    import numpy as np

    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        ids = [id for id, _, _ in part]
        read = cast(list[tuple[bytes]], db.tuples("reindex.vectors", ids=json.dumps(ids)))
        vectors = np.frombuffer(b"".join(vector for (vector,) in read), "<f4").reshape(-1, dimension)
        fill(db, ids, vectors, [(user_id, shelf) for _, user_id, shelf in part])


def _tidy_up(db: Database, embedder: Embedder) -> None:
    """Give large users codes, and throw away what was gathered, a part at a time, so that others can write between."""
    users = [str(user) for (user,) in db.tuples("reindex.users")]
    for start in range(0, len(users), _USERS):
        with db.transaction():
            if stored.made_by(db) == (embedder.name, str(embedder.dimension)):  # else it was changed again meanwhile
                quantize(db, dimension=embedder.dimension, users=users[start : start + _USERS])
    left = True
    while left:
        with db.transaction():
            left = db.run("reindex.served", batch=_AT_ONCE) > 0
