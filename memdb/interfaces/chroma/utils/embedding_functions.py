"""What chromadb.utils.embedding_functions has: the default one, and, where chromadb is installed, its own, which fit as they are."""

from collections.abc import Callable

from memdb.interfaces.chroma.embedding import (
    AnyEmbeddingFunction,
    DefaultEmbeddingFunction,
    EmbeddingFunction,
    known_embedding_functions,
    of_chromadb,
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


def __getattr__(name: str) -> Callable[..., AnyEmbeddingFunction]:
    """Return chromadb's own embedding function of this name, such as OpenAIEmbeddingFunction.

    Raises:
        AttributeError: chromadb is not installed, or has none.
    """
    own = None if name.startswith("_") else of_chromadb()
    if not hasattr(own, name):
        raise AttributeError(
            f"module {__name__!r} has no {name!r}; the embedding functions that chromadb brings need chromadb: pip install chromadb"
        )
    function: Callable[..., AnyEmbeddingFunction] = getattr(own, name)
    return function
