"""A vector collection's schema as it is stored, in chromadb's own form: how vectors are compared, and what may be filtered by."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import cast

from memdb.collection_types import Configuration, Hnsw, IndexConfig, Metadata, Scalar, StoredSchema, metadata_value
from memdb.errors import InputError, StoreError

DOCUMENT_KEY = "#document"
EMBEDDING_KEY = "#embedding"

_SHOWN = {"bool": "Bool", "int": "Int", "float": "Float", "string": "Str"}  # as chromadb calls them in its errors
_OWN = "chroma:"  # metadata under such a key is chromadb's own


def read_schema(text: str) -> StoredSchema:
    """Return a schema that was stored; of a collection older than schemas, it does not say how many threads chromadb's index would have."""
    schema = cast(StoredSchema, json.loads(text))
    for config in vector_configs(schema):
        config["hnsw"].setdefault("num_threads", os.cpu_count() or 1)
    return schema


def vector_configs(schema: StoredSchema) -> list[IndexConfig]:
    """Return both places that say how vectors are compared; the first is the one that counts."""
    return [types["float_list"]["vector_index"]["config"] for types in (schema["keys"][EMBEDDING_KEY], schema["defaults"])]


def configuration(schema: StoredSchema) -> Configuration:
    """Return what a schema says of the vectors, as chromadb shows it where there is no word of schemas."""
    vector = vector_configs(schema)[0]
    hnsw = {name: vector["hnsw"][name] for name in Hnsw.__annotations__ if name != "space"}  # type: ignore[literal-required]
    return {
        "hnsw": cast(Hnsw, {"space": vector["space"], **hnsw}),
        "spann": None,
        "embedding_function": vector.get("embedding_function"),
    }


def check_filterable(schema: StoredSchema, key: str, value: Scalar) -> None:
    """Make sure that records may be filtered by what stands under a key, compared with such a value.

    Raises:
        InputError: the index that this needs is disabled.
        StoreError: the schema does not say.
    """
    kind = _value_type(value)
    types = schema["keys"].get(key, schema["defaults"])
    index = types.get(kind, schema["defaults"][kind]).get(f"{kind}_inverted_index")
    if index is None:
        raise StoreError(f"Schema is malformed: missing index configuration for metadata key '{key}' with type '{kind}'")
    if not index["enabled"]:
        raise InputError(f"Cannot filter using metadata key '{key}' with type '{_SHOWN[kind]}' because indexing is disabled")


def check_searchable(schema: StoredSchema) -> None:
    """Make sure that records may be filtered by their documents.

    Raises:
        InputError: the full-text index is disabled.
    """
    if not schema["keys"][DOCUMENT_KEY]["string"]["fts_index"]["enabled"]:
        raise InputError("Cannot filter using full-text search because FTS indexing is disabled")


def learned(schema: StoredSchema, metadatas: Iterable[Metadata]) -> StoredSchema | None:
    """Return the schema with every key of metadata in it, indexed as is usual in the collection, or None where none is new."""
    found = {
        (key, _value_type(value))
        for metadata in metadatas
        for key, value in metadata.items()
        if value is not None and not (isinstance(value, float) and not math.isfinite(value)) and not key.startswith(_OWN)
    }
    new = sorted((key, kind) for key, kind in found if kind not in schema["keys"].get(key, {}))
    if not new:
        return None
    keys = dict(schema["keys"])
    for key, kind in new:
        keys[key] = {**keys.get(key, {}), kind: schema["defaults"][kind]}
    return {**schema, "keys": keys}


def _value_type(value: Scalar | Sequence[Scalar]) -> str:
    """The name of a value's type in schemas; a list has that of what it holds."""
    if not isinstance(value, str | int | float):
        kinds = {_value_type(item) for item in value}
        return "float" if "float" in kinds else kinds.pop()
    kind, kept = metadata_value(value)
    return {"text": "string", "boolean": "bool"}.get(kind, "int" if isinstance(kept, int) else "float")
