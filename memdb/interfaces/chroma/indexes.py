"""The parts of chromadb's `Schema`: how an index is configured, and which there are for the values under a key."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self, cast

from pydantic import BaseModel, ConfigDict, SkipValidation, field_validator, model_validator

from memdb import InputError
from memdb.collection_schema import DOCUMENT_KEY, EMBEDDING_KEY
from memdb.interfaces.chroma.embedding import (
    AnyEmbeddingFunction,
    DefaultEmbeddingFunction,
    check_signature,
    check_space,
    described,
    known_embedding_functions,
    remembered,
    usual_space,
)
from memdb.interfaces.chroma.sparse import SparseEmbeddingFunction, check_sparse_signature, sparse_known_embedding_functions
from memdb.interfaces.chroma.types import Documents
from memdb.nearest import Space

STRING_VALUE_NAME = "string"
INT_VALUE_NAME = "int"
BOOL_VALUE_NAME = "bool"
FLOAT_VALUE_NAME = "float"
FLOAT_LIST_VALUE_NAME = "float_list"
SPARSE_VECTOR_VALUE_NAME = "sparse_vector"

FTS_INDEX_NAME = "fts_index"
VECTOR_INDEX_NAME = "vector_index"
SPARSE_VECTOR_INDEX_NAME = "sparse_vector_index"
STRING_INVERTED_INDEX_NAME = "string_inverted_index"
INT_INVERTED_INDEX_NAME = "int_inverted_index"
FLOAT_INVERTED_INDEX_NAME = "float_inverted_index"
BOOL_INVERTED_INDEX_NAME = "bool_inverted_index"

_OF_THE_CLOUD = (  # what chromadb takes and forgets
    *("search_rng_factor", "search_rng_epsilon", "nreplica_count", "write_rng_factor", "write_rng_epsilon", "num_samples_kmeans"),
    *("initial_lambda", "num_centers_to_merge_to", "center_drift_threshold", "quantize"),
)


@dataclass(frozen=True)
class Key:
    """The name of a key, for a schema in the place of a text."""

    name: str

    ID: ClassVar[Key]
    DOCUMENT: ClassVar[Key]
    EMBEDDING: ClassVar[Key]
    METADATA: ClassVar[Key]
    SCORE: ClassVar[Key]


Key.ID, Key.DOCUMENT, Key.EMBEDDING, Key.METADATA, Key.SCORE = map(Key, ("#id", DOCUMENT_KEY, EMBEDDING_KEY, "#metadata", "#score"))
K = Key


# how an index is configured


class _Config(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class _Sourced(_Config):
    source_key: str | None = None

    @field_validator("source_key", mode="before")
    @classmethod
    def _check_source(cls, value: object) -> object:
        name = value.name if isinstance(value, Key) else value
        if name is not None and not isinstance(name, str):
            raise ValueError(f"source_key must be str or Key, got {type(name).__name__}")
        if name is not None and name.startswith("#") and name != DOCUMENT_KEY:
            raise ValueError(f"source_key cannot begin with '#', unless it is {DOCUMENT_KEY}.")
        return name


class FtsIndexConfig(_Config):
    """Search in documents, by words and by regular expressions."""


class StringInvertedIndexConfig(_Config):
    """Filters that compare metadata with texts."""


class IntInvertedIndexConfig(_Config):
    """Filters that compare metadata with whole numbers."""


class FloatInvertedIndexConfig(_Config):
    """Filters that compare metadata with broken numbers."""


class BoolInvertedIndexConfig(_Config):
    """Filters that compare metadata with True and False."""


class HnswIndexConfig(_Config):
    """The settings of chromadb's index: kept, but without effect, since vectors are compared exactly."""

    ef_construction: int | None = None
    max_neighbors: int | None = None
    ef_search: int | None = None
    num_threads: int | None = None
    batch_size: int | None = None
    sync_threshold: int | None = None
    resize_factor: float | None = None


class SpannIndexConfig(_Config):
    """The settings of the index of chromadb's cloud: taken, but not kept, as by any chromadb on one's own machine."""

    search_nprobe: int | None = None
    write_nprobe: int | None = None
    ef_construction: int | None = None
    ef_search: int | None = None
    max_neighbors: int | None = None
    reassign_neighbor_count: int | None = None
    split_threshold: int | None = None
    merge_threshold: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _forget(cls, data: object) -> object:
        return {name: value for name, value in data.items() if name not in _OF_THE_CLOUD} if isinstance(data, dict) else data


class VectorIndexConfig(_Sourced):
    """How vectors are compared, and the function that makes them of documents."""

    space: Space | None = None
    embedding_function: Annotated[AnyEmbeddingFunction | None, SkipValidation] = DefaultEmbeddingFunction()
    hnsw: HnswIndexConfig | None = None
    spann: SpannIndexConfig | None = None

    @field_validator("embedding_function", mode="before")
    @classmethod
    def _check_function(cls, value: object) -> object:
        if value is not None:
            if not callable(value):
                raise ValueError("embedding_function must be callable or None")
            check_signature(value)
        return value


class SparseVectorIndexConfig(_Sourced):
    """An index of sparse vectors, which only chromadb's cloud has: a schema may hold one, but no collection takes it."""

    embedding_function: Annotated[SparseEmbeddingFunction[Documents] | None, SkipValidation] = None
    bm25: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _forget(cls, data: object) -> object:
        return {name: value for name, value in data.items() if name != "algorithm"} if isinstance(data, dict) else data

    @field_validator("embedding_function", mode="before")
    @classmethod
    def _check_function(cls, value: object) -> object:
        if value is not None:
            if not callable(value):
                raise ValueError("embedding_function must be a callable SparseEmbeddingFunction or None")
            check_sparse_signature(value)
        return value


# which indexes there are


@dataclass
class FtsIndexType:
    """Whether documents are searched, or texts under a key."""

    enabled: bool
    config: FtsIndexConfig


@dataclass
class StringInvertedIndexType:
    """Whether texts can be filtered by."""

    enabled: bool
    config: StringInvertedIndexConfig


@dataclass
class VectorIndexType:
    """Whether there are vectors, and how they are compared."""

    enabled: bool
    config: VectorIndexConfig


@dataclass
class SparseVectorIndexType:
    """Whether there are sparse vectors."""

    enabled: bool
    config: SparseVectorIndexConfig


@dataclass
class IntInvertedIndexType:
    """Whether whole numbers can be filtered by."""

    enabled: bool
    config: IntInvertedIndexConfig


@dataclass
class FloatInvertedIndexType:
    """Whether broken numbers can be filtered by."""

    enabled: bool
    config: FloatInvertedIndexConfig


@dataclass
class BoolInvertedIndexType:
    """Whether True and False can be filtered by."""

    enabled: bool
    config: BoolInvertedIndexConfig


@dataclass
class StringValueType:
    """The indexes of texts."""

    fts_index: FtsIndexType | None = None
    string_inverted_index: StringInvertedIndexType | None = None


@dataclass
class FloatListValueType:
    """The index of vectors."""

    vector_index: VectorIndexType | None = None


@dataclass
class SparseVectorValueType:
    """The index of sparse vectors."""

    sparse_vector_index: SparseVectorIndexType | None = None


@dataclass
class IntValueType:
    """The index of whole numbers."""

    int_inverted_index: IntInvertedIndexType | None = None


@dataclass
class FloatValueType:
    """The index of broken numbers."""

    float_inverted_index: FloatInvertedIndexType | None = None


@dataclass
class BoolValueType:
    """The index of True and False."""

    bool_inverted_index: BoolInvertedIndexType | None = None


@dataclass
class ValueTypes:
    """The indexes of one key, or of all that have none of their own, by the type of the values; None where nothing is said."""

    string: StringValueType | None = None
    float_list: FloatListValueType | None = None
    sparse_vector: SparseVectorValueType | None = None
    int_value: IntValueType | None = None
    float_value: FloatValueType | None = None
    boolean: BoolValueType | None = None

    def put(self, config: object, *, enabled: bool) -> None:
        """Note that there is an index, or none. What configures no index is passed over, as chromadb does."""
        if isinstance(config, _Config) and type(config) in _PLACES:
            place = _PLACES[type(config)]
            values = getattr(self, place.field) or place.values()
            setattr(values, place.index, place.kind(enabled, config))
            setattr(self, place.field, values)

    def to_json(self) -> dict[str, dict[str, object]]:
        """Return what is said, fit for JSON."""
        told: dict[str, dict[str, object]] = {}
        for place in _PLACES.values():
            values = getattr(self, place.field)
            if values is not None:
                indexes = told.setdefault(place.name, {})
                index = getattr(values, place.index)
                if index is not None:
                    indexes[place.index] = {"enabled": index.enabled, "config": _written(index.config)}
        return told

    @classmethod
    def from_json(cls, told: Mapping[str, Mapping[str, Mapping[str, object]]]) -> Self:
        """Return what such a JSON says."""
        types = cls()
        for kind, place in _PLACES.items():
            if place.name not in told:
                continue
            if getattr(types, place.field) is None:
                setattr(types, place.field, place.values())
            index = told[place.name].get(place.index)
            if index is not None:
                config = kind(**_read(kind, cast("dict[str, object]", index.get("config", {}))))
                types.put(config, enabled=cast(bool, index.get("enabled", True)))
        return types


@dataclass(frozen=True)
class _Place:
    """Where an index stands: in which field of `ValueTypes`, under which name there, and in JSON."""

    field: str
    name: str
    values: type
    index: str
    kind: type


_PLACES: dict[type[_Config], _Place] = {
    FtsIndexConfig: _Place("string", STRING_VALUE_NAME, StringValueType, FTS_INDEX_NAME, FtsIndexType),
    StringInvertedIndexConfig: _Place("string", STRING_VALUE_NAME, StringValueType, STRING_INVERTED_INDEX_NAME, StringInvertedIndexType),
    VectorIndexConfig: _Place("float_list", FLOAT_LIST_VALUE_NAME, FloatListValueType, VECTOR_INDEX_NAME, VectorIndexType),
    SparseVectorIndexConfig: _Place(
        "sparse_vector", SPARSE_VECTOR_VALUE_NAME, SparseVectorValueType, SPARSE_VECTOR_INDEX_NAME, SparseVectorIndexType
    ),
    IntInvertedIndexConfig: _Place("int_value", INT_VALUE_NAME, IntValueType, INT_INVERTED_INDEX_NAME, IntInvertedIndexType),
    FloatInvertedIndexConfig: _Place("float_value", FLOAT_VALUE_NAME, FloatValueType, FLOAT_INVERTED_INDEX_NAME, FloatInvertedIndexType),
    BoolInvertedIndexConfig: _Place("boolean", BOOL_VALUE_NAME, BoolValueType, BOOL_INVERTED_INDEX_NAME, BoolInvertedIndexType),
}

INDEX_CONFIGS = tuple(_PLACES)
"""Every class that configures an index."""


def _written(config: _Config) -> dict[str, object]:
    written = config.model_dump(exclude_none=True, exclude={"embedding_function"})
    if isinstance(config, SparseVectorIndexConfig):
        sparse = config.embedding_function
        known = None if sparse is None else {"type": "known", "name": sparse.name(), "config": sparse.get_config()}
        written["embedding_function"] = known or {"type": "unknown"}
    elif isinstance(config, VectorIndexConfig):
        try:
            function = described(config.embedding_function)
        except Exception:  # whatever the function raises: chromadb remembers none then
            function = None
        written["embedding_function"] = function or {"type": "legacy"}
        if config.embedding_function is not None and function is not None and function["type"] == "known":
            written.setdefault("space", usual_space(config.embedding_function))
            check_space(config.embedding_function, cast(Space, written["space"]))
    return written


def _read(kind: type[_Config], told: Mapping[str, object]) -> dict[str, object]:
    """The arguments that make a configuration again, its embedding function too, if it is known here."""
    given = deepcopy(dict(told))
    function = cast("dict[str, object] | None", given.get("embedding_function"))
    if function is not None:
        made: object = None
        try:
            known = sparse_known_embedding_functions if kind is SparseVectorIndexConfig else known_embedding_functions
            made = remembered(function, known)
        except InputError as error:
            warnings.warn(f"Could not reconstruct embedding function {function.get('name')}: {error} Setting to None.", stacklevel=5)
        given["embedding_function"] = made
        if kind is VectorIndexConfig and made is not None:
            given["space"] = given.get("space") or usual_space(cast(AnyEmbeddingFunction, made))
    return given
