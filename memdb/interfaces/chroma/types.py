"""The arguments and results of chromadb, as types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from memdb.collection_types import Metadata, Scalar

ID = str
IDs = list[ID]
Document = str
Documents = list[Document]
URI = str
URIs = list[URI]
Metadatas = list[Metadata]
UpdateMetadata = Metadata
CollectionMetadata = dict[str, object]
UpdateCollectionMetadata = Metadata
Where = Mapping[str, object]
WhereDocument = Mapping[str, object]
Numbers = Sequence[float] | Sequence[int]
Array = NDArray[np.float64] | NDArray[np.float32] | NDArray[np.float16] | NDArray[np.int64] | NDArray[np.int32]
Vector = NDArray[np.int32 | np.float32]
Embedding = Vector
Embeddings = Numbers | Array | Sequence[Numbers] | Sequence[Array]
PyEmbedding = Numbers
PyEmbeddings = list[PyEmbedding]
Image = NDArray[np.uint | np.int64 | np.float64]
Images = list[Image]
Embeddable = Documents | Images
Loadable = list[Image | None]
Include = list[Literal["documents", "embeddings", "metadatas", "distances", "uris", "data"]]

D = TypeVar("D", bound=Embeddable, contravariant=True)  # what is embedded
L = TypeVar("L", covariant=True)  # what is loaded


class GetResult(TypedDict):
    """Records, column by column; a column that was not asked for is None."""

    ids: list[str]
    embeddings: NDArray[np.float64] | None
    documents: list[str | None] | None
    uris: list[str | None] | None
    included: Include
    data: object
    metadatas: list[dict[str, Scalar | list[Scalar]] | None] | None


class QueryResult(TypedDict):
    """For every query its nearest records, column by column; a column that was not asked for is None."""

    ids: list[list[str]]
    embeddings: list[NDArray[np.float64]] | None
    documents: list[list[str | None]] | None
    uris: list[list[str | None]] | None
    included: Include
    data: object
    metadatas: list[list[dict[str, Scalar | list[Scalar]] | None]] | None
    distances: list[list[float]] | None


class DeleteResult(TypedDict):
    """How many records were deleted."""

    deleted: int


class DataLoader(Protocol[L]):
    """Loads what URIs name: returns one item for each, for a None too."""

    def __call__(self, uris: list[str | None]) -> L:
        """Return what the URIs name."""


class ReadLevel(str, Enum):  # noqa: UP042  # as chromadb's own, which are strings
    """What a count may leave out in a distributed Chroma. Here everything written is always seen."""

    INDEX_AND_WAL = "index_and_wal"
    INDEX_ONLY = "index_only"
    INDEX_AND_BOUNDED_WAL = "index_and_bounded_wal"


@dataclass(frozen=True)
class UserIdentity:
    """Who the client works as; on one's own machine, nobody in particular."""

    user_id: str
    tenant: str | None = None
    databases: list[str] | None = None
    attributes: dict[str, object] | None = None
