"""Sparse vectors as chromadb writes them down. On one's own machine no collection takes any, in chromadb neither."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Generic, Self, TypeVar, cast

from memdb import InputError
from memdb.interfaces.chroma.types import D

TYPE_KEY = "#type"
SPARSE_VECTOR_TYPE_VALUE = "sparse_vector"


@dataclass
class SparseVector:
    """The numbers of a vector that are not zero, by their places in rising order, and with words for them if wished."""

    indices: list[int]
    values: list[float]
    labels: list[str] | None = None

    def __post_init__(self) -> None:
        for name, column in (("indices", self.indices), ("values", self.values), ("labels", self.labels or [])):
            if not isinstance(column, list):
                raise InputError(f"Expected SparseVector {name} to be a list, got {type(column).__name__}")
        lengths = {len(self.indices), len(self.values), len(self.indices if self.labels is None else self.labels)}
        if len(lengths) > 1:
            raise InputError(f"SparseVector indices, values and labels must have the same length, got {self}")
        if not all(isinstance(index, int) and index >= 0 for index in self.indices):
            raise InputError(f"SparseVector indices must be non-negative integers, got {self.indices}")
        if not all(isinstance(value, int | float) for value in self.values):
            raise InputError(f"SparseVector values must be numbers, got {self.values}")
        if self.indices != sorted(set(self.indices)):
            raise InputError(f"SparseVector indices must be sorted in strictly ascending order, got {self.indices}")

    def to_dict(self) -> dict[str, object]:
        """Return it as a dictionary that tells what it is."""
        labels = {} if self.labels is None else {"tokens": self.labels}
        return {TYPE_KEY: SPARSE_VECTOR_TYPE_VALUE, "indices": self.indices, "values": self.values, **labels}

    @classmethod
    def from_dict(cls, d: dict[str, object]) -> Self:
        """Return what such a dictionary tells.

        Raises:
            InputError: it does not say that it is a sparse vector.
            KeyError: its indices or values are missing.
        """
        if d.get(TYPE_KEY) != SPARSE_VECTOR_TYPE_VALUE:
            raise InputError(f"Expected {TYPE_KEY}='{SPARSE_VECTOR_TYPE_VALUE}', got {d.get(TYPE_KEY)}")
        return cls(cast("list[int]", d["indices"]), cast("list[float]", d["values"]), cast("list[str] | None", d.get("tokens")))


SparseVectors = list[SparseVector]


class SparseEmbeddingFunction(Generic[D]):
    """A base for functions that make sparse vectors of texts, with chromadb's methods."""

    def __call__(self, input: D) -> SparseVectors:
        """Return one sparse vector a text."""
        raise NotImplementedError

    def embed_query(self, input: D) -> SparseVectors:
        """Return one sparse vector a question; the same as a text's unless this is overridden."""
        return self(input)

    @staticmethod
    def name() -> str:
        """Return the name it is known by."""
        raise NotImplementedError

    def get_config(self) -> dict[str, object]:
        """Return what makes it again, fit for JSON."""
        raise NotImplementedError

    @staticmethod
    def build_from_config(config: dict[str, object]) -> SparseEmbeddingFunction[D]:
        """Make it again from its configuration."""
        raise NotImplementedError

    def validate_config_update(self, old_config: dict[str, object], new_config: dict[str, object]) -> None:
        """Refuse a change of configuration that would not fit the vectors stored."""

    @staticmethod
    def validate_config(config: dict[str, object]) -> None:
        """Refuse a configuration that cannot be."""


_Class = TypeVar("_Class", bound=type)

sparse_known_embedding_functions: dict[str, type] = {}
"""The sparse embedding functions that a schema can be read with by the name it remembers."""


def register_sparse_embedding_function(ef_class: _Class) -> _Class:
    """Have schemas find a sparse embedding function again by its name. Use it as a decorator."""
    sparse_known_embedding_functions[ef_class.name()] = ef_class  # type: ignore[attr-defined]
    return ef_class


def check_sparse_signature(function: object) -> None:
    """Make sure that a sparse embedding function takes `input`.

    Raises:
        InputError: it does not.
    """
    given = list(inspect.signature(type(function).__call__).parameters)
    if given != ["self", "input"]:
        raise InputError(f"Expected SparseEmbeddingFunction.__call__ to have the following signature: ['self', 'input'], got {given}")
