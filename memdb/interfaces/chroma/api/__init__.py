"""chromadb.api, as far as a client needs it: the client, the types of arguments and results, and the place of a collection's own."""

from memdb.interfaces.chroma.api import models, types
from memdb.interfaces.chroma.client import ClientAPI

__all__ = ["ClientAPI", "models", "types"]
