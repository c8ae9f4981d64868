"""chromadb.api.models.Collection: where applications import a collection's type from."""

from memdb.interfaces.chroma.collection import Collection

__all__ = ["Collection"]
