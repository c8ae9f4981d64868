"""How a collection is set up: its name, its distance, and the settings of chromadb's index, which are kept but change nothing."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import warnings
from collections.abc import Mapping
from typing import TypedDict, cast

import numpy as np

from memdb import InputError
from memdb.collection_types import Configuration, Hnsw, Scalar
from memdb.interfaces.chroma.embedding import AnyEmbeddingFunction, described, name_of, remembered
from memdb.interfaces.chroma.errors import InvalidArgumentError
from memdb.interfaces.chroma.validate import is_unicode

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")
_SPACES = ("l2", "cosine", "ip")
_DEFAULTS: Hnsw = {
    "space": "l2",
    "ef_construction": 100,
    "ef_search": 100,
    "max_neighbors": 16,
    "resize_factor": 1.2,
    "sync_threshold": 1000,
}
_CREATE = ("space", "ef_construction", "ef_search", "max_neighbors", "num_threads", "resize_factor", "sync_threshold", "batch_size")
_MODIFY = ("ef_search", "max_neighbors", "num_threads", "resize_factor", "sync_threshold", "batch_size")
_MODIFIED = ("ef_search", "max_neighbors", "resize_factor", "sync_threshold")
_UNSTORED = {"batch_size": 100, "num_threads": os.cpu_count()}  # their defaults: chromadb takes them, and keeps them nowhere
_SPANN = (
    "search_nprobe",
    "write_nprobe",
    "space",
    "ef_construction",
    "ef_search",
    "max_neighbors",
    "reassign_neighbor_count",
    "split_threshold",
    "merge_threshold",
)
_MODIFY_SPANN = ("search_nprobe", "ef_search")
_AT_LEAST_TWO = ("batch_size", "sync_threshold")
_USIZE = 2**64
_OLD_NAMES = {
    "hnsw:space": "space",
    "hnsw:construction_ef": "ef_construction",
    "hnsw:M": "max_neighbors",
    "hnsw:search_ef": "ef_search",
    "hnsw:num_threads": "num_threads",
    "hnsw:batch_size": "batch_size",
    "hnsw:sync_threshold": "sync_threshold",
    "hnsw:resize_factor": "resize_factor",
}


class CreateConfiguration(TypedDict, total=False):
    """How to set up a collection."""

    hnsw: Mapping[str, object] | None
    spann: Mapping[str, object] | None
    embedding_function: AnyEmbeddingFunction | None


class CollectionConfiguration(TypedDict):
    """How a collection is set up, its embedding function made again."""

    hnsw: Hnsw
    spann: None
    embedding_function: AnyEmbeddingFunction | None


def check_name(name: object, *, field: str = "name") -> str:
    """Return a collection's name that is one.

    Raises:
        TypeError: it is no text.
        InvalidArgumentError: it is too short or too long, has other characters than it may, or is an address.
    """
    if not isinstance(name, str):
        raise TypeError(f"argument 'name': {type(name).__name__!r} object cannot be converted to 'PyString'")
    if not _NAME.fullmatch(name):
        raise InvalidArgumentError(
            f"Validation error: {field}: Expected a name containing 3-512 characters from [a-zA-Z0-9._-], starting and ending with a "
            f"character in [a-zA-Z0-9]. Got: {name}"
        )
    if ".." in name:
        raise InvalidArgumentError(
            f"Validation error: {field}: Expected a name that does not contains two consecutive periods (..). Got {name}"
        )
    try:
        ipaddress.IPv4Address(name)
    except ValueError:
        return name
    raise InvalidArgumentError(f"Validation error: {field}: Expected a name that is not a valid ip address. Got {name}")


def check_collection_metadata(metadata: object) -> dict[str, Scalar] | None:
    """Return the metadata of a new collection.

    Raises:
        InvalidArgumentError: it is empty, or a key or number cannot be stored.
        TypeError: it is no dictionary of texts to texts, numbers, True or False.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"argument 'metadata': {type(metadata).__name__!r} object cannot be converted to 'PyDict'")
    if not metadata:
        raise InvalidArgumentError("Validation error: metadata: Metadata cannot be empty")
    kept: dict[str, Scalar] = {}
    for key, value in metadata.items():
        if not isinstance(key, str):
            raise TypeError(f"argument 'metadata': {type(key).__name__!r} object cannot be converted to 'PyString'")
        scalar = value.item() if isinstance(value, np.generic) else value
        if not isinstance(scalar, str | int | float) or not _is_storable(scalar):
            raise TypeError("argument 'metadata': Cannot convert Python object to MetadataValue")
        if not key:
            raise InvalidArgumentError("Validation error: metadata: Metadata key cannot be empty")
        if key[0] in "#$":
            raise InvalidArgumentError(f"Validation error: metadata: Metadata key cannot start with '#' or '$': {key}")
        key.encode()
        kept[key] = _kept(scalar)
    return kept


def shown_metadata(metadata: Mapping[str, object]) -> dict[str, Scalar]:
    """Return what is kept of metadata that replaces a collection's: values that are None are left out.

    Raises:
        TypeError: a value is a list.
        InvalidArgumentError: a key cannot be stored.
    """
    given = {key: value for key, value in metadata.items() if value is not None}
    return check_collection_metadata(given) or {} if given else {}


def created(
    configuration: CreateConfiguration, metadata: Mapping[str, Scalar] | None, function: AnyEmbeddingFunction | None
) -> Configuration:
    """Return the set-up of a new collection: from its configuration, where that says nothing from its metadata, and by default.

    Raises:
        InputError: it names two kinds of index, or the two embedding functions given differ.
        InvalidArgumentError: a setting is unknown or cannot be.
    """
    own = configuration.get("embedding_function")
    if own is not None and function is not None and name_of(function) not in ("default", name_of(own)):
        raise InputError(
            "Multiple embedding functions provided. Please provide only one. "
            f"Embedding function conflict: {name_of(function)} vs {name_of(own)}"
        )
    hnsw, spann = configuration.get("hnsw"), configuration.get("spann")
    if hnsw is not None and spann is not None:
        raise InputError("hnsw and spann cannot both be provided")
    chosen = own or function
    description = described(chosen)
    usual = None
    if chosen is not None and description is not None and description["type"] == "known":
        usual = getattr(chosen, "default_space", lambda: "l2")()
    told = _from_metadata(metadata or {})
    if hnsw is None and spann is None and usual is not None and "space" not in told:
        hnsw = {}
    if spann is not None:
        settings = {"space": _checked(spann, _SPANN, "Spann").get("space", usual or "l2")}
    else:
        given = _checked({} if hnsw is None else hnsw, _CREATE, "Hnsw")
        if hnsw is not None and usual is not None:
            given.setdefault("space", usual)
        same = all(value == {**_DEFAULTS, **_UNSTORED}[name] for name, value in given.items())
        settings = told if same else given  # as in chromadb, where a configuration that says what is usual anyway counts as none
    kept = {name: settings.get(name, value) for name, value in _DEFAULTS.items()}
    supported = getattr(chosen, "supported_spaces", lambda: _SPACES)()
    if chosen is not None and kept["space"] not in supported:
        warnings.warn(f"space {kept['space']} is not supported by {name_of(chosen)}. Supported spaces: {supported}", stacklevel=3)
    return {
        "hnsw": cast(Hnsw, kept),
        "spann": None,
        "embedding_function": description or ({"type": "legacy"} if configuration else None),
    }


def modified(existing: Configuration, configuration: CreateConfiguration) -> Configuration:
    """Return the set-up of a collection with some of it changed.

    Raises:
        InputError: it names two kinds of index, or one that the collection does not have, or another embedding function.
        InvalidArgumentError: a setting is unknown, cannot be, or cannot be changed.
    """
    hnsw, spann, function = configuration.get("hnsw"), configuration.get("spann"), configuration.get("embedding_function")
    if hnsw is not None and spann is not None:
        raise InvalidArgumentError("Multiple vector index configurations provided")
    if spann is not None:
        _checked(spann, _MODIFY_SPANN, "UpdateSpann")
        raise InputError("Trying to update SPANN config but schema has HNSW")
    changed = {name: value for name, value in _checked({} if hnsw is None else hnsw, _MODIFY, "UpdateHnsw").items() if name in _MODIFIED}
    description = existing["embedding_function"]
    if function is not None:
        old = (description or {}).get("name")
        if old is not None and old != name_of(function):
            raise InputError(f"Cannot update embedding function: incompatible types ({old} vs {name_of(function)})")
        description = described(function)
    return {"hnsw": cast(Hnsw, {**existing["hnsw"], **changed}), "spann": None, "embedding_function": description}


def opened(configuration: Configuration) -> CollectionConfiguration:
    """Return the set-up of a collection with its embedding function made again.

    Raises:
        InputError: the embedding function is not registered here.
    """
    return {"hnsw": configuration["hnsw"], "spann": None, "embedding_function": remembered(configuration["embedding_function"])}


def check_same_function(configuration: Configuration, function: AnyEmbeddingFunction | None) -> None:
    """Make sure that a collection is opened with the embedding function it was made with, or with the default one.

    Raises:
        InputError: it is another one.
    """
    persisted = (configuration["embedding_function"] or {}).get("name")
    name = None if function is None else name_of(function)
    if name is not None and persisted is not None and name not in ("default", persisted):
        raise InputError(
            "An embedding function already exists in the collection configuration, and a new one is provided. If this is intentional, "
            f"please embed documents separately. Embedding function conflict: new: {name} vs persisted: {persisted}"
        )


def _is_storable(value: Scalar) -> bool:
    if isinstance(value, str):
        return is_unicode(value)
    return not isinstance(value, int) or abs(value) <= 10**308


def _kept(value: Scalar) -> Scalar:
    too_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return float(value) if too_large else value


def _from_metadata(metadata: Mapping[str, Scalar]) -> dict[str, object]:
    given = {_OLD_NAMES.get(key, key): value for key, value in metadata.items() if key.startswith("hnsw:")}
    try:
        settings = _checked(given, _CREATE, "Hnsw")
        for name in _AT_LEAST_TWO:
            _check_number(name, settings.get(name, 2), least=2)
        return settings
    except InvalidArgumentError as error:
        raise InvalidArgumentError("Failed to parse hnsw parameters from segment metadata") from error


def _checked(settings: object, allowed: tuple[str, ...], index: str) -> dict[str, object]:
    """The settings that are given, None being none."""
    if not isinstance(settings, Mapping):
        raise InvalidArgumentError(f"invalid type: {settings!r}, expected struct {index}Configuration")
    for name, value in settings.items():
        if name not in allowed:
            expected = ", ".join(f"`{other}`" for other in allowed)
            raise InvalidArgumentError(f"unknown field `{name}`, expected one of {expected}")
        if value is None:
            continue
        if name == "space":
            if value not in _SPACES:
                raise InvalidArgumentError(f"unknown variant `{value}`, expected one of `l2`, `cosine`, `ip`")
        elif name == "resize_factor":
            if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                raise InvalidArgumentError(f"invalid type: {value!r}, expected f64")
        else:
            _check_number(name, value)
    return {name: value for name, value in settings.items() if value is not None}


def _check_number(name: str, value: object, *, least: int = 0) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < _USIZE:
        raise InvalidArgumentError(f"invalid value of `{name}`: {value!r}, expected usize, at least {least}")
