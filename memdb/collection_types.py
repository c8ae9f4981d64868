"""What a vector collection is made of: its set-up, the records written to it, and the records read from it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

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
    """What a collection remembers of how it was made."""

    hnsw: Hnsw
    spann: None
    embedding_function: dict[str, object] | None


@dataclass(frozen=True)
class CollectionModel:
    """A collection as it stood when it was read."""

    id: uuid.UUID
    name: str
    configuration_json: Configuration
    metadata: dict[str, Scalar] | None
    dimension: int | None = field(compare=False)
    tenant: str
    database: str
    number: int = field(repr=False, compare=False, default=0)
    version: int = field(repr=False, compare=False, default=0)
    erased: int = field(repr=False, compare=False, default=0)

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
    embeddings: Floats | None = None
    metadatas: Sequence[Metadata | None] | None = None
    documents: Sequence[str | None] | None = None
    uris: Sequence[str | None] | None = None


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

    documents: bool = False
    metadatas: bool = False
    embeddings: bool = False


def metadata_value(value: str | int | float | bool) -> tuple[str, str | int | float]:
    """Return a value of metadata as its type and what stands for it in the file; whole numbers beyond 64 bits become broken ones."""
    if isinstance(value, bool):
        return "boolean", int(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, int) and not -_BEYOND <= value < _BEYOND:
        return "number", float(value)
    return "number", value
