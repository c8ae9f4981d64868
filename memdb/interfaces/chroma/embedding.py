"""Embedding functions by chromadb's protocol, and the default one: memdb's own embedder."""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Generic, Protocol, Self, TypeVar, cast, runtime_checkable

import numpy as np

from memdb import InputError
from memdb.collections import local_embedder
from memdb.interfaces.chroma.errors import InvalidArgumentError
from memdb.interfaces.chroma.types import Array, D, Documents, Embeddings
from memdb.interfaces.chroma.validate import check_vectors, normal_embeddings
from memdb.nearest import Space

_SPACES: list[Space] = ["cosine", "l2", "ip"]


class AnyEmbeddingFunction(Protocol):
    """What a collection calls: anything with a parameter named `input`."""

    def __call__(self, input: list[str]) -> Embeddings:
        """Return one vector a text."""


@runtime_checkable
class Known(Protocol):
    """An embedding function that can be written down by name and configuration, and made again from them."""

    def name(self) -> str:
        """Return the name it is known by."""

    def get_config(self) -> dict[str, object]:
        """Return what makes it again, fit for JSON."""


class EmbeddingFunction(Generic[D]):
    """A base for embedding functions of one's own, with chromadb's methods. Write `__call__`; name it to have it remembered.

    A class with `name`, `get_config` and `build_from_config`, registered with `register_embedding_function`, is remembered by the
    collections made with it, and need not be given again.
    """

    def __call__(self, input: D) -> Embeddings:
        """Return one vector a text."""
        raise NotImplementedError

    def embed_query(self, input: D) -> Embeddings:
        """Return one vector a question; the same as a text's unless this is overridden."""
        return self(input)

    @staticmethod
    def name() -> str:
        """Return the name it is known by; without one it is not remembered."""
        return cast(str, NotImplemented)

    def get_config(self) -> dict[str, object]:
        """Return what makes it again, fit for JSON."""
        return cast("dict[str, object]", NotImplemented)

    @classmethod
    def build_from_config(cls, config: dict[str, object]) -> Self:
        """Make it again from its configuration."""
        return cast(Self, NotImplemented)

    def default_space(self) -> Space:
        """Return the distance that a collection gets unless it names one."""
        return "l2"

    def supported_spaces(self) -> list[Space]:
        """Return the distances that make sense."""
        return list(_SPACES)

    def is_legacy(self) -> bool:
        """Whether it cannot be remembered, for want of a name or a configuration."""
        return self.name() is NotImplemented or self.get_config() is NotImplemented

    def validate_config_update(self, old_config: dict[str, object], new_config: dict[str, object]) -> None:
        """Refuse a change of configuration that would not fit the vectors stored."""

    @staticmethod
    def validate_config(config: dict[str, object]) -> None:
        """Refuse a configuration that cannot be."""


class DefaultEmbeddingFunction(EmbeddingFunction[Documents]):
    """all-MiniLM-L6-v2 on this machine: 384 dimensions, unit length, the first 256 tokens of a text. Loaded at its first use.

    A collection that embeds by it takes the model that its file carries, if there is one.
    """

    def __init__(self, embed: Callable[[list[str]], Array] | None = None) -> None:
        self._embed = embed

    def __call__(self, input: list[str]) -> Embeddings:
        """Return one vector a text.

        Raises:
            ModelUnavailable: memdb[minilm] is not installed, or the file's model is damaged.
        """
        return self._embed(input) if self._embed is not None else cast("Array", local_embedder().embed_beginnings(input))

    @staticmethod
    def name() -> str:
        """Return the name it is known by."""
        return "default"

    def get_config(self) -> dict[str, object]:
        """Return what makes it again: nothing."""
        return {}

    @classmethod
    def build_from_config(cls, config: dict[str, object]) -> Self:
        """Make it again."""
        return cls()


_Class = TypeVar("_Class", bound=type)

known_embedding_functions: dict[str, type] = {"default": DefaultEmbeddingFunction}
"""The embedding functions that a collection can be opened with by the name it remembers."""


def register_embedding_function(ef_class: _Class) -> _Class:
    """Have collections find an embedding function again by its name. Use it as a decorator."""
    known_embedding_functions[ef_class.name()] = ef_class  # type: ignore[attr-defined]
    return ef_class


def of_chromadb() -> ModuleType | None:
    """Return the module of chromadb's own embedding functions, where chromadb is installed: they fit as they are."""
    spec = importlib.util.find_spec("chromadb")
    there = spec is not None and spec.name == "chromadb"  # and not this package under that name
    return importlib.import_module("chromadb.utils.embedding_functions") if there else None


def check_signature(function: AnyEmbeddingFunction) -> None:
    """Make sure that an embedding function takes `input`.

    Raises:
        InputError: it does not.
    """
    given = list(inspect.signature(type(function).__call__).parameters)
    if given != ["self", "input"]:
        raise InputError(f"Expected EmbeddingFunction.__call__ to have the following signature: ['self', 'input'], got {given}")


def described(function: AnyEmbeddingFunction | None) -> dict[str, object] | None:
    """Return what a collection remembers of its embedding function."""
    if function is None:
        return None
    name, config = (function.name(), function.get_config()) if isinstance(function, Known) else (None, None)
    if not isinstance(name, str) or not isinstance(config, dict):
        return {"type": "legacy"}
    return {"type": "known", "name": name, "config": config}


def made_known(function: AnyEmbeddingFunction | None) -> dict[str, object] | None:
    """Return what a collection remembers of its embedding function, and have it found again by its name in this process."""
    description = described(function)
    if description is not None and description["type"] == "known":
        known_embedding_functions.setdefault(str(description["name"]), type(function))
    return description


def usual_space(function: AnyEmbeddingFunction) -> Space:
    """Return the distance that suits an embedding function."""
    space: Space = getattr(function, "default_space", lambda: "l2")()
    return space


def check_space(function: AnyEmbeddingFunction, space: Space) -> None:
    """Warn of a distance that does not suit an embedding function."""
    supported = getattr(function, "supported_spaces", lambda: _SPACES)()
    if space not in supported:
        warnings.warn(f"space {space} is not supported by {name_of(function)}. Supported spaces: {supported}", stacklevel=4)


def remembered(
    description: Mapping[str, object] | None, known: Mapping[str, type] = known_embedding_functions
) -> AnyEmbeddingFunction | None:
    """Make the embedding function again that a collection remembers, or None if it remembers none that can be made.

    One that is known by its name to chromadb, where that is installed, is made as well.

    Raises:
        InputError: it is not registered here, or cannot be made.
    """
    if description is None or description.get("type") != "known":
        return None
    name = str(description["name"])
    if name not in known and known is known_embedding_functions:
        known = getattr(of_chromadb(), "known_embedding_functions", known)
    if name not in known:
        raise InputError(f"Embedding function {name} not found. Add @register_embedding_function decorator to the class definition.")
    try:
        made: AnyEmbeddingFunction = known[name].build_from_config(description["config"])  # type: ignore[attr-defined]
    except Exception as error:  # whatever the class raises
        raise InputError(f"Could not build embedding function {name} from config {description['config']}: {error}") from error
    return made


def name_of(function: AnyEmbeddingFunction) -> str | None:
    """Return the name of an embedding function, if it has one."""
    name = function.name() if isinstance(function, Known) else None
    return name if isinstance(name, str) else None


def embed(function: AnyEmbeddingFunction, input: list[str], *, is_query: bool = False) -> list[Array]:
    """Return one checked vector a text.

    Raises:
        InvalidArgumentError: the function gave another number of vectors.
        InputError: its answer is no vectors.
    """
    as_query = getattr(function, "embed_query", None) if is_query else None
    answer: Embeddings = (as_query or function)(input=input)
    if isinstance(answer, (list, tuple)) and not isinstance(function, EmbeddingFunction):  # the base takes lists alone
        answer = [list(row) if isinstance(row, tuple) else row for row in answer]
    vectors = normal_embeddings(answer) if len(answer) else []
    check_vectors(vectors)
    if len(vectors) != len(input):
        raise InvalidArgumentError(
            f"The embedding function gave {len(vectors)} vectors for {len(input)} inputs; it must give one for each."
        )
    return vectors


def to_matrix(vectors: Sequence[Array]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return vectors of equal length as one matrix of 32-bit floats.

    Raises:
        InputError: they are of different length.
    """
    if len({len(vector) for vector in vectors}) > 1:
        raise InputError("Inconsistent dimensions in provided embeddings")
    with np.errstate(over="ignore"):
        return np.stack([np.asarray(vector, dtype=np.float32) for vector in vectors])
