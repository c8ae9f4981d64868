"""What chromadb.utils.embedding_functions has of use here; the functions that ask a service are chromadb's own, and fit as they are."""

from memdb.interfaces.chroma.embedding import (
    DefaultEmbeddingFunction,
    EmbeddingFunction,
    known_embedding_functions,
    register_embedding_function,
)

__all__ = ["DefaultEmbeddingFunction", "EmbeddingFunction", "known_embedding_functions", "register_embedding_function"]
