"""chromadb.utils, as far as a client needs it."""

from memdb.interfaces.chroma.utils import batch_utils, embedding_functions

__all__ = ["batch_utils", "embedding_functions"]
