"""chromadb.api.models, as far as a client needs it."""

from memdb.interfaces.chroma.api.models import Collection

__all__ = ["Collection"]
