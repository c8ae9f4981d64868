"""Read records of a vector collection by their numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

import numpy as np

from memdb.collection_types import Scalar, Stored, Wanted
from memdb.database import Database, Row, SqlValue

_HIDDEN = "chroma:"  # metadata under such a key can be filtered by, but is not shown


def read(db: Database, numbers: Sequence[int], wanted: Wanted) -> Sequence[Stored]:
    """Return records in the order of the numbers given, with the columns that are wanted."""
    records = json.dumps(list(numbers))
    rows = db.all("collections.read", records=records, documents=wanted.documents, embeddings=wanted.embeddings)
    metadatas = _metadatas(db.tuples("collections.metadata", records=records)) if wanted.metadatas else {}
    return [_stored(row, metadatas.get(int(str(row["id"])))) for row in rows]


def _stored(row: Row, metadata: dict[str, Scalar | list[Scalar]] | None) -> Stored:
    uri = _text(row["uri"])
    if uri is not None and metadata is None:
        metadata = {}
    shown = None if metadata is None else {key: value for key, value in metadata.items() if not key.startswith(_HIDDEN)}
    blob = row["embedding"]
    embedding = np.frombuffer(blob, dtype="<f4") if isinstance(blob, bytes) else None
    return Stored(int(str(row["id"])), str(row["record_id"]), _text(row["document"]), uri, shown, embedding)


def _metadatas(rows: Sequence[tuple[SqlValue, ...]]) -> dict[int, dict[str, Scalar | list[Scalar]]]:
    found: dict[int, dict[str, Scalar | list[Scalar]]] = {}
    for record, key, place, kind, stored in cast("Sequence[tuple[int, str, int, str, Scalar]]", rows):
        value = bool(stored) if kind == "boolean" else stored
        metadata = found.setdefault(record, {})
        if place == -1:
            metadata[key] = value
        else:
            cast("list[Scalar]", metadata.setdefault(key, [])).append(value)
    return found


def _text(value: SqlValue) -> str | None:
    return None if value is None else str(value)
