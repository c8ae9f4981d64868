"""What chromadb.utils.embedding_functions has of use here; the functions that ask a service are chromadb's own, and fit as they are."""

from memdb.interfaces.chroma.embedding import (
    DefaultEmbeddingFunction,
    EmbeddingFunction,
    known_embedding_functions,
    register_embedding_function,
)
from memdb.interfaces.chroma.sparse import (
    SparseEmbeddingFunction,
    register_sparse_embedding_function,
    sparse_known_embedding_functions,
)

__all__ = [
    "DefaultEmbeddingFunction",
    "EmbeddingFunction",
    "SparseEmbeddingFunction",
    "known_embedding_functions",
    "register_embedding_function",
    "register_sparse_embedding_function",
    "sparse_known_embedding_functions",
]
