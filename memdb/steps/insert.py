"""Store facts as they are, many at once, with their vectors if these are ready."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from datetime import date
from typing import TYPE_CHECKING
from uuid import uuid4

from memdb import checks
from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.errors import StoreError
from memdb.household import as_remembered
from memdb.quantize import quantize
from memdb.records import NewFact, as_parts, parts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Reckon = Callable[[date | str | None], str]
"""Turns a time as it was given, or None for the present, into its stored form."""

Incoming = tuple[SqlValue, ...]
"""A fact as it is stored: the values of `_COLUMNS`. Python's garbage collector passes over plain tuples, not over thousands of records."""

_COLUMNS = (
    "fact_id", "user_id", "kind", "key", "value_text", "value_json", "category", "memory_type", "confidence", "importance", "source",
    "event_time", "valid_from", "valid_to", "source_turn_id", "source_excerpt", "session_id", "tags", "now",
)  # fmt: skip
_FACT_ID, _USER_ID, _KIND, _NOW = 0, 1, 2, -1
_VECTOR = ("id", "embedding", "user_id", "shelf")
_CHUNK = ("size", "user_id", "shelf", "validity", "rowids")
_CHUNK_VECTORS = ("chunk_id", "vectors")
_MANY_FACTS = 500  # for fewer, the triggers are quicker than planning every statement anew
_MANY = 16  # vectors; for fewer, looking at the last chunks of their shelves is not worth it
_SHARE = 4  # a row is written anew four times at most on average
_PAGES = 100  # of the full-text index that are merged in one transaction: others need not wait, and what gets free is used by the next


def insert(db: Database, facts: Sequence[Incoming], *, vectors: NDArray[np.float32] | None) -> int:
    """Write facts within the caller's transaction, and return how many were new. `vectors` are unit vectors, one a fact; without them
    the outbox has the facts embedded later.
    """
    db.run("insert.incoming")
    last = int((db.one("insert.last") or {})["id"] or 0)
    ready = vectors is not None and db.has_vectors
    db.run_rows("insert.stage", _COLUMNS, facts)
    many = len(facts) >= _MANY_FACTS and not db.all("insert.strange")
    with db.untriggered() if many else nullcontext():
        added = db.run("insert.facts", last=last, ready=ready)
    for instead in ("insert.words", *(() if ready else ("insert.waiting",)), "insert.mirrored") if many else ():
        db.run(instead, last=last)
    db.run("insert.clear")
    if vectors is not None and ready and added:
        places = range(len(facts)) if added == len(facts) else [int(row["place"] or 0) - 1 for row in db.all("insert.added", last=last)]
        _put(db, facts, vectors, places, last=last)
        users = sorted({str(facts[place][_USER_ID]) for place in places})
        db.run("insert.changed", users=json.dumps(users))
        quantize(db, dimension=vectors.shape[1], users=users)
    return added


def narratives(facts: Sequence[Incoming]) -> dict[str, str]:
    """Return the first-person memories among facts by their ids, each with when it was made; what they weigh is still to be reckoned."""
    return {str(fact[_FACT_ID]): str(fact[_NOW]) for fact in facts if fact[_KIND] == "narrative"}


def merge_words(db: Database, *, added: int, written: Callable[[], None]) -> None:
    """Make one segment of the full-text index after so many rows were added to it, if that is a good part of what it holds.

    A search looks up each of its words in each segment. What is there already is written once more for that, so a few rows are left to
    SQLite, which merges some segments as they come. `written` is called after each transaction. What cannot be merged now is found anyway.
    """
    if added * _SHARE < int((db.one("insert.last") or {})["id"] or 0):
        return
    pages, merged = -_PAGES, True  # below zero it is begun
    with suppress(StoreError):
        while merged:
            before = db.changes
            with db.transaction():
                db.run("insert.merge", pages=pages)
            written()
            pages, merged = _PAGES, db.changes - before > 1  # the command itself counts as one


def incoming(fact: NewFact, *, time: Reckon, turn_id: str, config: Config) -> Incoming:
    """Return a fact, whose `value_json` can be stored, as it is stored."""
    said = vars(fact)  # a record takes longer to tell each of twenty fields
    said_at = time(said["timestamp"])
    begins = time(said["valid_from"]) if said["valid_from"] is not None else said_at
    ends = time(said["valid_to"]) if said["valid_to"] is not None else None
    if ends is None and said["kind"] == "task" and parts_of(fact.value_json).get("state") == "done":
        ends = max(begins, said_at)  # what is done is over, also where nobody says since when
    checks.in_order(begins, ends)
    memory_type, importance = said["memory_type"], said["importance"]
    if said["kind"] == "narrative":
        stated = importance if "importance" in fact.model_fields_set else None
        memory_type, importance = as_remembered(fact.value_text, memory_type, stated, config=config)
    details = None
    if said["object"] is not None or said["value_json"] is not None:
        subject, _, predicate = fact.key.partition(".")
        given = as_parts(fact.value_json)
        parts = {**given, "subject": subject, "predicate": predicate, "object": fact.object or fact.value_text}
        details = json.dumps(parts, ensure_ascii=False)
    return (
        said["fact_id"] or str(uuid4()),
        said["user_id"],
        said["kind"],
        said["key"],
        said["value_text"],
        details,
        said["category"],
        memory_type,
        said["confidence"],
        importance,
        said["source"],
        time(said["event_time"]) if said["event_time"] is not None else None,
        begins,
        ends,
        said["turn_id"] or turn_id,
        said["value_text"],
        said["session_id"],
        json.dumps(said["tags"], ensure_ascii=False) if said["tags"] else "[]",
        said_at,
    )


def user_by_user(facts: list[Incoming]) -> tuple[list[Incoming], list[int] | None]:
    """Return facts so that those of a user stand together, in the order they had, and where each stood, None if they stood so before; of
    those with one id, the first.
    """
    first: dict[SqlValue, int] = {}
    for place, fact in enumerate(facts):
        first.setdefault(fact[_FACT_ID], place)
    order = sorted(first.values(), key=lambda place: str(facts[place][_USER_ID]))
    return (facts, None) if order == list(range(len(facts))) else ([facts[place] for place in order], order)


def _put(db: Database, facts: Sequence[Incoming], vectors: NDArray[np.float32], places: Sequence[int], *, last: int) -> None:
    """Put the vectors of new facts into the index, shelf by shelf."""
    for row in db.all("insert.left_over", last=last):
        db.run("sync.remove", id=row["id"])
        db.run("sync.settled", id=row["id"])
        db.run("sync.changed", user_id=row["user_id"])
        db.run("sync.gone_user", user_id=row["user_id"])
    stored = vectors.astype("<f4", copy=False)
    if len(places) < _MANY:
        _write(db, facts, stored, places, last=last)
        return
    _write(db, facts, stored, places[:1], last=last)  # now there is a chunk, which tells how large they are
    _fill(db, facts, stored, places[1:], last=last)


def _write(db: Database, facts: Sequence[Incoming], stored: NDArray[np.float32], places: Sequence[int], *, last: int) -> None:
    rows = ((last + place + 1, stored[place].data, facts[place][_USER_ID], facts[place][_KIND]) for place in places)
    db.run_rows("sync.write", _VECTOR, rows)


def _fill(db: Database, facts: Sequence[Incoming], stored: NDArray[np.float32], places: Sequence[int], *, last: int) -> None:
    """Put vectors into the index in whole chunks, as vec0 keeps them: it takes them one by one, and more than twice as long.

    Only what there is room for in the last chunk of a shelf is left to vec0.
    """
    shelves: dict[tuple[SqlValue, SqlValue], list[int]] = {}
    for place in places:
        shelves.setdefault((facts[place][_USER_ID], facts[place][_KIND]), []).append(place)
    size = int((db.one("insert.last_chunk") or {})["size"] or 0)
    chunks: list[tuple[tuple[SqlValue, SqlValue], list[int]]] = []
    for (shelf, on_it), (taken,) in zip(shelves.items(), db.tuples("insert.taken", shelves=json.dumps(list(shelves))), strict=True):
        room = size - int.from_bytes(taken).bit_count() if isinstance(taken, bytes) else 0
        _write(db, facts, stored, on_it[:room], last=last)
        chunks += [(shelf, on_it[start : start + size]) for start in range(room, len(on_it), size)]
    pack = struct.Struct(f"<{size}q").pack
    named = [[last + place + 1 for place in on_it] for _, on_it in chunks]
    marks = [((1 << held) - 1).to_bytes(size // 8, "little") for held in range(size + 1)]
    rows = ((size, *shelf, marks[len(ids)], pack(*ids, *[0] * (size - len(ids)))) for (shelf, _), ids in zip(chunks, named, strict=True))
    db.run_rows("insert.chunk", _CHUNK, rows)
    first = int((db.one("insert.last_chunk") or {})["chunk_id"] or 0) - len(chunks) + 1
    blocks = ((name, _block(stored, on_it, size)) for name, (_, on_it) in enumerate(chunks, first))
    db.run_rows("insert.chunk_vectors", _CHUNK_VECTORS, blocks)
    db.run("insert.slots", first=first, ids=json.dumps(named))


def _block(stored: NDArray[np.float32], places: Sequence[int], size: int) -> bytes | memoryview:
    """The vectors of these places as one blob of so many; a whole one of those that stand one after another is not copied."""
    if places[-1] - places[0] == size - 1 == len(places) - 1:
        return stored[places[0] : places[-1] + 1].data.cast("B")
    return stored[list(places)].tobytes().ljust(size * stored[0].nbytes, b"\0")
