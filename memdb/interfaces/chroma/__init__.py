"""chromadb's client interface on a mem.db: `import memdb.interfaces.chroma as chromadb`."""

import importlib.util

import memdb

if importlib.util.find_spec("numpy") is None:
    raise memdb.ConfigError("Chroma's client interface needs numpy; install memdb[chroma].")

# what follows needs numpy
from memdb.collection_types import Metadata
from memdb.interfaces.chroma import api, config, errors, utils
from memdb.interfaces.chroma.client import VERSION, AdminClient, Client, ClientAPI, EphemeralClient, PersistentClient
from memdb.interfaces.chroma.collection import Collection
from memdb.interfaces.chroma.config import DEFAULT_DATABASE, DEFAULT_TENANT, Settings
from memdb.interfaces.chroma.embedding import DefaultEmbeddingFunction, EmbeddingFunction, register_embedding_function
from memdb.interfaces.chroma.indexes import (
    BoolInvertedIndexConfig,
    FloatInvertedIndexConfig,
    FtsIndexConfig,
    HnswIndexConfig,
    IntInvertedIndexConfig,
    K,
    Key,
    SpannIndexConfig,
    SparseVectorIndexConfig,
    StringInvertedIndexConfig,
    VectorIndexConfig,
)
from memdb.interfaces.chroma.schema import Cmek, Schema
from memdb.interfaces.chroma.sparse import SparseEmbeddingFunction, SparseVector, SparseVectors
from memdb.interfaces.chroma.types import (
    URI,
    CollectionMetadata,
    DeleteResult,
    Documents,
    Embeddings,
    GetResult,
    IDs,
    Include,
    Metadatas,
    QueryResult,
    ReadLevel,
    UpdateCollectionMetadata,
    UpdateMetadata,
    URIs,
    Where,
    WhereDocument,
)

__version__ = VERSION

__all__ = [
    "DEFAULT_DATABASE",
    "DEFAULT_TENANT",
    "URI",
    "AdminClient",
    "BoolInvertedIndexConfig",
    "Client",
    "ClientAPI",
    "Cmek",
    "Collection",
    "CollectionMetadata",
    "DefaultEmbeddingFunction",
    "DeleteResult",
    "Documents",
    "EmbeddingFunction",
    "Embeddings",
    "EphemeralClient",
    "FloatInvertedIndexConfig",
    "FtsIndexConfig",
    "GetResult",
    "HnswIndexConfig",
    "IDs",
    "Include",
    "IntInvertedIndexConfig",
    "K",
    "Key",
    "Metadata",
    "Metadatas",
    "PersistentClient",
    "QueryResult",
    "ReadLevel",
    "Schema",
    "Settings",
    "SpannIndexConfig",
    "SparseEmbeddingFunction",
    "SparseVector",
    "SparseVectorIndexConfig",
    "SparseVectors",
    "StringInvertedIndexConfig",
    "URIs",
    "UpdateCollectionMetadata",
    "UpdateMetadata",
    "VectorIndexConfig",
    "Where",
    "WhereDocument",
    "__version__",
    "api",
    "config",
    "errors",
    "register_embedding_function",
    "utils",
]
