"""A collection outside the file as its index: bound to the file, filled, and kept true in the background."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable
from time import monotonic

from memdb.answers import Forgotten, Vectors
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder
from memdb.errors import ConfigError
from memdb.outside import CollectionError, OutsideIndex, VectorCollection
from memdb.steps.mirror import mirror
from memdb.store import Store
from memdb.times import to_text, utc_now

log = logging.getLogger("memdb")

_COUNT_SECONDS = 600.0  # somebody else may delete records, or restore an older copy, while it serves


def open_index(store: Store, collection: VectorCollection, *, embedder: Embedder | None, config: Config) -> OutsideIndex:
    """Return a collection as the index of a file. One that was not yet, with these vectors, is sent everything in the background.

    Raises:
        ConfigError: there is no embedder, or the collection cannot serve as an index.
    """
    if embedder is None:
        raise ConfigError("A collection as the index needs an embedder; install memdb[minilm], name one, or leave `vectors` out.")
    index = OutsideIndex(
        collection,
        dimension=embedder.dimension,
        timeout=config.collection_timeout_seconds,
        pause=config.retry_base_seconds,
        longest=config.retry_max_seconds,
    )
    db, bound = store.database(), f"{index.identity} {embedder.name}"
    with db.transaction():
        if (db.one("mirror.bound") or {}).get("collection") != bound:
            db.run("mirror.start_over")
            db.run("mirror.everything")
            db.run("meta.put", name="collection", value=bound)
    return index


def take_changes(store: Store, config: Config, embedder: Embedder, index: OutsideIndex, *, first: int | None) -> bool:
    """Tell the collection one batch of what changed, up to the fact `first` before all else. Return whether there was anything to tell, and
    it took it.
    """
    if index.rest.lasts:
        return False
    db = store.database()
    try:
        if monotonic() >= index.count_at:
            _make_true(db, index)
        told = first is not None and mirror(db, index=index, embedder=embedder.name, now=utc_now(), config=config, up_to=first)
        return bool(told or mirror(db, index=index, embedder=embedder.name, now=utc_now(), config=config))
    except CollectionError as error:
        log.warning("the index is behind and will catch up: %s", error)
        return False


def count_changes(store: Store, index: OutsideIndex, *, fact: int | None) -> tuple[int, int]:
    """Return how many changes the collection is still to be told, of all facts or up to one, and how many of these wait to be tried again.

    As long as nobody has looked whether it lost records, as when a file was just opened, that counts as one; while it is down, nobody can.
    """
    row = store.database().one("mirror.open", now=to_text(utc_now()), up_to=fact) or {}
    unseen = int(index.rest.error is None and monotonic() >= index.count_at)
    waiting = int(row["waiting"] or 0) + unseen
    return waiting, waiting if index.rest.lasts else int(row["postponed"] or 0)


def with_collection(state: Vectors, store: Store, index: OutsideIndex) -> Vectors:
    """Return the state of a file's vectors with that of the collection beside it."""
    row = store.database().one("mirror.open", now=to_text(utc_now()), up_to=None) or {}
    return state.model_copy(
        update={
            "collection": index.name,
            "collection_waiting": int(row["waiting"] or 0),
            "collection_dead": int(row["dead"] or 0),
            "collection_error": index.rest.error or row["error"],
        }
    )


def with_pending(db: Database, forget: Callable[[], Forgotten]) -> Forgotten:
    """Forget something within the caller's transaction, and return how much, with what a collection is still to be told of it."""
    before = (db.one("mirror.erased") or {})["erased"]
    forgotten = forget()
    after = (db.one("mirror.erased") or {})["erased"]
    return forgotten.model_copy(update={"vectors_pending": forgotten.vectors_pending + int(after or 0) - int(before or 0)})


def _make_true(db: Database, index: OutsideIndex) -> None:
    """Tell everything again where the collection is not as it was told: somebody emptied or changed it, or restored an older copy.

    Where it only holds more, what it should not hold is taken away again: no record that it has is to be told anew.
    """
    before = _told(db)
    count = index.count()
    after = _told(db)  # another process may have told it something meanwhile
    if count < min(before[0], after[0]) or _is_another(db, index):
        log.warning("the collection %s is not as it was told, and is told everything again", index.name)
        with db.transaction():
            db.run("mirror.everything")
            if count:
                db.run("mirror.nothing_else")
    elif count > max(before[1], after[1]):
        log.warning("the collection %s holds more than it was told; give each file a collection of its own", index.name)
        with db.transaction():
            db.run("mirror.nothing_else")
    index.count_at = monotonic() + _COUNT_SECONDS


def _told(db: Database) -> tuple[int, int]:
    row = db.one("mirror.told") or {}
    return int(row["told"] or 0), int(row["most"] or 0)


def _is_another(db: Database, index: OutsideIndex) -> bool:
    """Whether some records that the collection was told are not there, or not as they were told."""
    rows = db.all("mirror.some_told", place=random.random())
    try:
        held = index.held([str(row["embedding_id"]) for row in rows]) if rows else None
    except CollectionError:  # its `get`, which it need not have, is none of Chroma's; or it is down, which it says again at once
        return False
    if held is None:
        return False
    still = db.all("mirror.still_told", fact_ids=json.dumps([row["fact_id"] for row in rows]))
    told = {str(row["embedding_id"]): (row["value_text"], row["updated_at"]) for row in rows}
    return any(
        held.get(name) != told[name]
        for row in still
        if (name := str(row["embedding_id"])) in told and (row["value_text"], row["updated_at"]) == told[name]
    )
