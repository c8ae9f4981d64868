"""The schema that a new collection gets: of the one it is given, of its configuration and metadata, and of what is usual."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from memdb.collection_schema import DOCUMENT_KEY, EMBEDDING_KEY
from memdb.collection_types import Index, IndexConfig, StoredSchema, ValueTypes
from memdb.interfaces.chroma.configuration import USUAL_VECTORS, check_settings
from memdb.interfaces.chroma.errors import InvalidArgumentError
from memdb.interfaces.chroma.indexes import HnswIndexConfig, SpannIndexConfig
from memdb.interfaces.chroma.schema import Schema

_USUAL_SPANN = {
    **{"search_nprobe": 64, "write_nprobe": 32, "reassign_neighbor_count": 64, "split_threshold": 50, "merge_threshold": 25},
    **{"ef_construction": 200, "ef_search": 200, "max_neighbors": 64},
}
_U32 = 2**32


def reconciled(schema: Mapping[str, object] | None, vectors: IndexConfig) -> StoredSchema:
    """Return the schema of a new collection that was given this one, and whose configuration and metadata say this of its vectors.

    As in chromadb, one of the two says nothing beyond what is usual, and the other one counts.

    Raises:
        InvalidArgumentError: both say something unusual, or the schema asks for what cannot be.
    """
    if schema is None:
        return _usual(vectors)
    given = cast(StoredSchema, _plain(schema))
    _check(given)
    usual = _usual(USUAL_VECTORS)
    silent = _says_nothing(given, usual) and _names_its_source(given)
    if not silent and (vectors["hnsw"] != USUAL_VECTORS["hnsw"] or not _is_usual(vectors, USUAL_VECTORS)):
        raise InvalidArgumentError("Failed to reconcile schema: Cannot set both collection config and schema simultaneously")
    made = cast(StoredSchema, _merged(usual, given))
    for types in (made["defaults"], made["keys"][EMBEDDING_KEY]):
        cast("dict[str, object]", types["float_list"]["vector_index"]["config"]).pop("spann", None)
    return _usual(vectors) if _says_nothing(made, usual) else made


def _usual(vectors: IndexConfig) -> StoredSchema:
    usual = cast(StoredSchema, Schema().serialize_to_json())
    usual["defaults"]["sparse_vector"]["sparse_vector_index"]["config"]["bm25"] = False
    usual["defaults"]["float_list"]["vector_index"]["config"] = vectors
    usual["keys"][EMBEDDING_KEY]["float_list"]["vector_index"]["config"] = {**vectors, "source_key": DOCUMENT_KEY}
    return usual


def _plain(told: Mapping[str, object]) -> object:
    """What JSON makes of it: a copy whose keys are texts."""
    try:
        return json.loads(json.dumps(told, allow_nan=False))
    except ValueError as error:
        raise InvalidArgumentError(f"The schema cannot be stored ({error}); give finite numbers.") from error


def _says_nothing(given: StoredSchema, usual: StoredSchema) -> bool:
    if "cmek" in given or given["keys"].keys() - usual["keys"].keys() or not _is_usual(given["defaults"], usual["defaults"]):
        return False
    return all(_is_usual(types, usual["keys"][key]) for key, types in given["keys"].items())


def _is_usual(given: object, usual: object) -> bool:
    """Whether all that is said is what is usual, or makes no difference."""
    if not isinstance(given, dict) or not isinstance(usual, dict):
        return given == usual
    for name, value in given.items():
        if name == "embedding_function":
            if value["type"] == "legacy" or (value["type"] == "known" and value["name"] != "default"):
                return False
        elif name == "spann":
            if not _is_usual(value, _USUAL_SPANN):
                return False
        elif name != "num_threads" and (name not in usual or not _is_usual(value, usual[name])):
            return False
    return True


def _names_its_source(given: StoredSchema) -> bool:
    index = _index(given["keys"].get(EMBEDDING_KEY, {}), "float_list", "vector_index")
    return index is None or index["config"].get("source_key") == DOCUMENT_KEY


def _merged(usual: object, given: object) -> object:
    """What is given, and what is usual where nothing is; keys of one's own are taken as they are."""
    if not isinstance(given, dict) or not isinstance(usual, dict):
        return given
    apart = {name: given[name] for name in given if name == "embedding_function" or name not in usual}
    return {**{name: _merged(value, given.get(name, value)) for name, value in usual.items()}, **apart}


def _check(given: StoredSchema) -> None:
    """Make sure that a schema can be.

    Raises:
        InvalidArgumentError: it cannot.
    """
    for types in (given["defaults"], *given["keys"].values()):
        _check_settings(types)
    for kind, name, label in (
        ("float_list", "vector_index", "Vector index"),
        ("sparse_vector", "sparse_vector_index", "Sparse vector index"),
        ("string", "fts_index", "Full text search / regular expression index"),
    ):
        if _enabled(given["defaults"], kind, name):
            raise _refused(f"{label} cannot be enabled by default.")
    vectors = _index(given["defaults"], "float_list", "vector_index")
    if vectors is not None and {"hnsw", "spann"} <= vectors["config"].keys():
        raise _refused("Both spann and hnsw config cannot be present at the same time.")
    for key, types in given["keys"].items():
        _check_key(key, types)
    sparse = [key for key, types in given["keys"].items() if _enabled(types, "sparse_vector", "sparse_vector_index")]
    if len(sparse) > 1:
        raise _refused(f"At most one sparse vector index is allowed for the collection: {sparse}")
    if "cmek" in given and not Schema.deserialize_from_json(given).cmek.validate_pattern():  # type: ignore[union-attr]  # it has one
        raise _refused(f"CMEK does not match expected pattern: {given['cmek']}")
    if sparse:
        raise InvalidArgumentError("Failed to reconcile schema: Invalid schema input: Sparse vector indexing is not enabled in local")


def _check_key(key: str, types: ValueTypes) -> None:
    only = {DOCUMENT_KEY: "string", EMBEDDING_KEY: "float_list"}.get(key)
    if only is None and key.startswith("#"):
        raise _refused(f"key cannot begin with '#'. Keys starting with '#' are reserved for system use: {key}")
    if only is not None and types.keys() - {only}:
        raise _refused(f"{key} cannot have any value types other than {only}")
    if key != EMBEDDING_KEY and _enabled(types, "float_list", "vector_index"):
        raise _refused(f"Vector index can only be enabled on {EMBEDDING_KEY} field: {key}")
    vectors = _index(types, "float_list", "vector_index")
    if vectors is not None and vectors["config"].get("source_key", DOCUMENT_KEY) != DOCUMENT_KEY:
        raise _refused(f"Vector index can only source from {DOCUMENT_KEY}")
    if key != DOCUMENT_KEY and _enabled(types, "string", "fts_index"):
        raise _refused(f"Full text search / regular expression index can only be enabled on {DOCUMENT_KEY} field: {key}")
    if key == DOCUMENT_KEY and _enabled(types, "string", "string_inverted_index"):
        raise _refused(f"String inverted index can not be enabled on {DOCUMENT_KEY} key: {key}")


def _check_settings(types: ValueTypes) -> None:
    for indexes in types.values():
        for name, index in indexes.items():
            if not isinstance(index["enabled"], bool):
                raise InvalidArgumentError(f"invalid type: {index['enabled']!r}, expected a boolean for {name}")
            hnsw, spann = (cast("dict[str, object]", index["config"].get(kind, {})) for kind in ("hnsw", "spann"))
            check_settings(hnsw, tuple(HnswIndexConfig.model_fields), "HnswIndexConfig")
            check_settings(spann, tuple(SpannIndexConfig.model_fields), "SpannIndexConfig")
            if any(cast(int, value) >= _U32 for value in spann.values()):
                raise InvalidArgumentError(f"invalid value in {spann}, expected u32")
            if any(cast(int, hnsw.get(limit, 2)) < 2 for limit in ("batch_size", "sync_threshold")):
                raise InvalidArgumentError(
                    "Failed to reconcile schema: Invalid HNSW configuration: batch_size and sync_threshold are at least 2"
                )


def _enabled(types: ValueTypes, kind: str, name: str) -> bool:
    index = _index(types, kind, name)
    return index is not None and index["enabled"]


def _index(types: ValueTypes, kind: str, name: str) -> Index | None:
    return types.get(kind, {}).get(name)


def _refused(why: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"Validation error: schema: {why}")
