"""chromadb.utils, as far as a client needs it."""

from memdb.interfaces.chroma.utils import embedding_functions

__all__ = ["embedding_functions"]
