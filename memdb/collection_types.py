"""What a vector collection is made of: its set-up, the records written to it, and the records read from it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from memdb.nearest import Floats, Space

_BEYOND = 2**63

Scalar = str | int | float | bool
Metadata = Mapping[str, Scalar | Sequence[Scalar] | None]


class Hnsw(TypedDict):
    """The settings of Chroma's index. Only `space` has an effect here, since nothing is approximate; the others are kept."""

    space: Space
    ef_construction: int
    ef_search: int
    max_neighbors: int
    resize_factor: float
    sync_threshold: int


class Configuration(TypedDict):
    """What a collection's schema says of its vectors."""

    hnsw: Hnsw
    spann: None
    embedding_function: dict[str, object] | None


class HnswConfig(TypedDict, total=False):
    """The settings of Chroma's index in a schema. What is left out is as Chroma has it."""

    ef_construction: int
    ef_search: int
    max_neighbors: int
    num_threads: int
    batch_size: int
    sync_threshold: int
    resize_factor: float


class IndexConfig(TypedDict, total=False):
    """The configuration of one index in a schema; only those of vectors have any."""

    space: Space
    embedding_function: dict[str, object]
    source_key: str
    hnsw: HnswConfig
    bm25: bool


class Index(TypedDict):
    """One index of a schema: whether there is one, and how it is configured."""

    enabled: bool
    config: IndexConfig


ValueTypes = dict[str, dict[str, Index]]
"""Indexes by the type of the values ("int") and their own kind ("int_inverted_index")."""


class StoredSchema(TypedDict):
    """The indexes of a collection, in chromadb's own form: those of any key, and those of single ones."""

    defaults: ValueTypes
    keys: dict[str, ValueTypes]
    cmek: NotRequired[dict[str, str]]


@dataclass(frozen=True)
class CollectionModel:
    """A collection as it stood when it was read."""

    id: uuid.UUID
    name: str
    configuration_json: Configuration
    serialized_schema: StoredSchema
    metadata: dict[str, Scalar] | None
    dimension: int | None = field(compare=False)
    tenant: str
    database: str
    number: int = field(repr=False, compare=False)
    version: int = field(repr=False, compare=False)
    erased: int = field(repr=False, compare=False)

    def __getitem__(self, name: str) -> object:
        """Return one of these by its name, as chromadb's own models do."""
        return getattr(self, name)


class DatabaseModel(TypedDict):
    """A database of collections."""

    id: uuid.UUID
    name: str
    tenant: str


@dataclass(frozen=True)
class Records:
    """Records to write, column by column. A column that is None, or a None within it, leaves what is stored as it is."""

    ids: Sequence[str]
    embeddings: Floats | None
    metadatas: Sequence[Metadata | None] | None
    documents: Sequence[str | None] | None
    uris: Sequence[str | None] | None


@dataclass(frozen=True)
class Stored:
    """A record as it is stored; what was not asked for is None."""

    number: int
    id: str
    document: str | None
    uri: str | None
    metadata: dict[str, Scalar | list[Scalar]] | None
    embedding: Floats | None


@dataclass(frozen=True)
class Wanted:
    """Which columns of records to read."""

    documents: bool
    metadatas: bool
    embeddings: bool


def metadata_value(value: str | int | float | bool) -> tuple[str, str | int | float]:
    """Return a value of metadata as its type and what stands for it in the file; whole numbers beyond 64 bits become broken ones."""
    if isinstance(value, bool):
        return "boolean", int(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, int) and not -_BEYOND <= value < _BEYOND:
        return "number", float(value)
    return "number", value
