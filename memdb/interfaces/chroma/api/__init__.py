"""chromadb.api, as far as a client needs it: the client, and the types of arguments and results."""

from memdb.interfaces.chroma.api import types
from memdb.interfaces.chroma.client import ClientAPI

__all__ = ["ClientAPI", "types"]
