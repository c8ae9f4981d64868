"""Write records into a vector collection."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from memdb.collection_types import Metadata, Records, Scalar, metadata_value
from memdb.database import Database
from memdb.embed import to_blob

_STATEMENTS = {"add": "collections.add", "update": "collections.update", "upsert": "collections.upsert"}


def put(db: Database, collection: int, records: Records, *, mode: Literal["add", "update", "upsert"], version: int) -> Sequence[Metadata]:
    """Write records: "add" leaves those that exist as they are, "update" passes over those that do not, "upsert" does either.

    Returns the metadata that was written.
    """
    written: list[Metadata] = []
    for place, record_id in enumerate(records.ids):
        row = db.one(
            _STATEMENTS[mode],
            collection=collection,
            record_id=record_id,
            document=records.documents[place] if records.documents else None,
            uri=records.uris[place] if records.uris else None,
        )
        if row is None:
            continue
        if records.embeddings is not None:
            vector = to_blob(records.embeddings[place])
            db.run("collections.vector_put", record=row["id"], collection=collection, version=version, embedding=vector)
        metadata = records.metadatas[place] if records.metadatas else None
        if metadata is not None:
            _put_metadata(db, collection, int(str(row["id"])), metadata)
            # it is no text, so that there is none any more
            if "chroma:uri" in metadata and not (records.uris and records.uris[place] is not None):
                db.run("collections.uri_clear", record=row["id"])
            written.append(metadata)
    return written


def _put_metadata(db: Database, collection: int, record: int, metadata: Metadata) -> None:
    for key, value in metadata.items():
        db.run("collections.metadata_clear", record=record, key=key)
        if isinstance(value, float) and not math.isfinite(value):
            continue
        single = value is None or isinstance(value, str | int | float)
        items = [] if value is None else [value] if isinstance(value, str | int | float) else _one_type(value)
        for place, item in enumerate(items, start=-1 if single else 0):
            kind, stored = metadata_value(item)
            db.run("collections.metadata_put", record=record, key=key, place=place, collection=collection, type=kind, value=stored)


def _one_type(items: Sequence[Scalar]) -> Sequence[Scalar]:
    """Whole numbers beyond 64 bits become broken ones, and with them all others of their list."""
    kinds = {type(metadata_value(item)[1]) for item in items}
    return [float(item) for item in items] if kinds == {int, float} else items
