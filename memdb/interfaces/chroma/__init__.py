"""chromadb's client interface on a mem.db: `import memdb.interfaces.chroma as chromadb`."""

import importlib.util

import memdb

if importlib.util.find_spec("numpy") is None:
    raise memdb.ConfigError("Chroma's client interface needs numpy; install memdb[chroma].")

# what follows needs numpy
from memdb.interfaces.chroma import errors
from memdb.interfaces.chroma.client import AdminClient, Client, ClientAPI, EphemeralClient, PersistentClient
from memdb.interfaces.chroma.collection import Collection
from memdb.interfaces.chroma.embedding import DefaultEmbeddingFunction, EmbeddingFunction, register_embedding_function
from memdb.interfaces.chroma.types import DeleteResult, GetResult, QueryResult, ReadLevel, Settings

__all__ = [
    "AdminClient",
    "Client",
    "ClientAPI",
    "Collection",
    "DefaultEmbeddingFunction",
    "DeleteResult",
    "EmbeddingFunction",
    "EphemeralClient",
    "GetResult",
    "PersistentClient",
    "QueryResult",
    "ReadLevel",
    "Settings",
    "errors",
    "register_embedding_function",
]
