"""chromadb's `Schema`: which indexes a collection has, for any key and for single ones, and how its vectors are compared and made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Self, cast

from memdb import InputError
from memdb.collection_schema import DOCUMENT_KEY, EMBEDDING_KEY
from memdb.collection_types import StoredSchema
from memdb.interfaces.chroma.indexes import (
    INDEX_CONFIGS,
    FtsIndexConfig,
    Key,
    SparseVectorIndexConfig,
    StringInvertedIndexConfig,
    ValueTypes,
    VectorIndexConfig,
)

_KEY_NAME = re.compile("projects/.+/locations/.+/keyRings/.+/cryptoKeys/.+")


class CmekProvider(str, Enum):  # noqa: UP042  # as chromadb's own, which are strings
    """Who keeps a customer's own keys."""

    GCP = "gcp"


@dataclass
class Cmek:
    """A customer's own key for encryption, which only chromadb's cloud makes use of: a schema keeps its name."""

    provider: CmekProvider
    resource: str

    @classmethod
    def gcp(cls, resource: str) -> Self:
        """Return the key of this name at Google."""
        return cls(CmekProvider.GCP, resource)

    def validate_pattern(self) -> bool:
        """Return whether the key's name is one."""
        return _KEY_NAME.fullmatch(self.resource) is not None

    def to_dict(self) -> dict[str, str]:
        """Return it as a dictionary."""
        return {self.provider.value: self.resource}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """Return what such a dictionary tells.

        Raises:
            InputError: it names no key at Google.
        """
        resource = data.get("gcp")
        if not isinstance(resource, str):
            raise InputError(f"Expected the name of a key under 'gcp', got {data}")
        return cls.gcp(resource)


@dataclass(init=False)
class Schema:
    """Which indexes a new collection shall have. Give it to `create_collection`.

    Where the index for a type of value is deleted, for any key or for one, a filter that needs it is refused.
    """

    defaults: ValueTypes
    keys: dict[str, ValueTypes]
    cmek: Cmek | None = None

    def __init__(self) -> None:
        document, vectors = ValueTypes(), ValueTypes()
        self.defaults, self.keys, self.cmek = ValueTypes(), {DOCUMENT_KEY: document, EMBEDDING_KEY: vectors}, None
        for kind in INDEX_CONFIGS:
            self.defaults.put(kind(), enabled=kind not in (FtsIndexConfig, VectorIndexConfig, SparseVectorIndexConfig))
        document.put(FtsIndexConfig(), enabled=True)
        document.put(StringInvertedIndexConfig(), enabled=False)
        vectors.put(VectorIndexConfig(source_key=DOCUMENT_KEY), enabled=True)

    def create_index(self, config: object = None, key: str | Key | None = None) -> Self:
        """Have an index for every key, or for one; how vectors are compared is said without a key.

        Raises:
            InputError: there can be no such index.
        """
        name = _checked(config, key, "create")
        if isinstance(config, VectorIndexConfig):
            if name is not None:
                raise InputError("Vector index cannot be enabled on specific keys. Give a VectorIndexConfig without a key.")
            self._compare(config)
            return self
        if isinstance(config, FtsIndexConfig) and name != DOCUMENT_KEY:
            raise InputError(f"FTS index can only be enabled on {DOCUMENT_KEY} key.")
        if isinstance(config, SparseVectorIndexConfig):
            self._check_sparse(config, name)
        return self._put(config, name, enabled=True)

    def delete_index(self, config: object = None, key: str | Key | None = None) -> Self:
        """Have no index for any key that has none of its own, or for one.

        Raises:
            InputError: this index cannot be done without.
        """
        name = _checked(config, key, "delete")
        if isinstance(config, VectorIndexConfig):
            raise InputError("Deleting vector index is not currently supported.")
        if isinstance(config, SparseVectorIndexConfig):
            raise InputError("Deleting sparse vector index is not currently supported.")
        if isinstance(config, FtsIndexConfig) and name != DOCUMENT_KEY:
            raise InputError(f"Deleting FTS index is only supported on {DOCUMENT_KEY} key.")
        return self._put(config, name, enabled=False)

    def set_cmek(self, cmek: Cmek | None) -> Self:
        """Note a customer's own key for encryption, or that there is none. Nothing is encrypted by it."""
        self.cmek = cmek
        return self

    def serialize_to_json(self) -> dict[str, object]:
        """Return it as a dictionary fit for JSON."""
        keys = {name: types.to_json() for name, types in self.keys.items()}
        return {"defaults": self.defaults.to_json(), "keys": keys, **({} if self.cmek is None else {"cmek": self.cmek.to_dict()})}

    @classmethod
    def deserialize_from_json(cls, json_data: Mapping[str, object] | StoredSchema) -> Self:
        """Return the schema that such a dictionary tells of; what it leaves out is left open."""
        told = cast("dict[str, dict[str, dict[str, dict[str, dict[str, object]]]]]", json_data)
        schema = cls()
        schema.defaults = ValueTypes.from_json(cast("dict[str, dict[str, dict[str, object]]]", told.get("defaults", {})))
        schema.keys = {name: ValueTypes.from_json(types) for name, types in told.get("keys", {}).items()}
        schema.cmek = Cmek.from_dict(told["cmek"]) if told.get("cmek") is not None else None
        return schema

    def _put(self, config: object, key: str | None, *, enabled: bool) -> Self:
        if config is None:
            raise InputError(f"Cannot enable or disable all index types for key '{key}'. Specify an index configuration.")
        types = self.defaults if key is None else self.keys.setdefault(key, ValueTypes())
        types.put(config, enabled=enabled)
        return self

    def _compare(self, config: VectorIndexConfig) -> None:
        """Vectors have one index, which is there for ever: what is said of it is noted for it, and as what is usual."""
        for types, source in ((self.defaults, config.source_key), (self.keys[EMBEDDING_KEY], DOCUMENT_KEY)):
            enabled = types is not self.defaults
            types.put(config.model_copy(update={"source_key": source}), enabled=enabled)

    def _check_sparse(self, config: SparseVectorIndexConfig, key: str | None) -> None:
        if key is None:
            raise InputError("Sparse vector index must be created on a specific key.")
        for name, types in self.keys.items():
            index = None if types.sparse_vector is None else types.sparse_vector.sparse_vector_index
            if name != key and index is not None and index.enabled:
                raise InputError(f"A sparse vector index is already enabled on key '{name}'. Only one is allowed per collection.")
        if config.source_key is not None and config.embedding_function is None:
            raise InputError("If source_key is provided then embedding_function must also be provided, since there is no default one.")


def _checked(config: object, key: str | Key | None, act: str) -> str | None:
    """The key's name."""
    name = key.name if isinstance(key, Key) else key
    if config is None and name is None:
        raise InputError(f"Cannot {act} all indexes. Must specify either config or key.")
    if name == EMBEDDING_KEY:
        raise InputError(f"Cannot {act} index on special key '{name}'. Give a VectorIndexConfig without a key.")
    if name == DOCUMENT_KEY and not isinstance(config, FtsIndexConfig):
        raise InputError(f"Cannot {act} index on special key '{name}' with this config. Only FtsIndexConfig is allowed for it.")
    if name is not None and name.startswith("#") and name != DOCUMENT_KEY:
        raise InputError("key cannot begin with '#'. Keys starting with '#' are reserved for system use.")
    return name
