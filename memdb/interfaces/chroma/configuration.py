"""How a collection is set up: its name, its distance, and the settings of chromadb's index, which are kept but change nothing."""

from __future__ import annotations

import ipaddress
import json
import math
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from typing import TypedDict, cast

import numpy as np

from memdb import InputError
from memdb.collection_schema import vector_configs
from memdb.collection_types import Configuration, Hnsw, HnswConfig, IndexConfig, Scalar, StoredSchema
from memdb.interfaces.chroma.embedding import AnyEmbeddingFunction, check_space, made_known, name_of, remembered, usual_space
from memdb.interfaces.chroma.errors import InvalidArgumentError
from memdb.interfaces.chroma.validate import is_unicode
from memdb.nearest import Space

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]")
_SPACES = ("l2", "cosine", "ip")
USUAL_VECTORS: IndexConfig = {
    "space": "l2",
    "hnsw": {
        "ef_construction": 100,
        "max_neighbors": 16,
        "ef_search": 100,
        "num_threads": os.cpu_count() or 1,
        "batch_size": 100,
        "sync_threshold": 1000,
        "resize_factor": 1.2,
    },
}
"""What chromadb takes for vectors of which nothing is said."""

_DEFAULTS: dict[str, object] = {"space": USUAL_VECTORS["space"], **USUAL_VECTORS["hnsw"]}
_CREATE = ("space", "ef_construction", "ef_search", "max_neighbors", "num_threads", "resize_factor", "sync_threshold", "batch_size")
_MODIFY = ("ef_search", "max_neighbors", "num_threads", "resize_factor", "sync_threshold", "batch_size")
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
        UnicodeEncodeError: it holds half a surrogate pair.
        InvalidArgumentError: it is too short or too long, has other characters than it may, or is an address.
    """
    if not isinstance(name, str):
        raise TypeError(f"argument {field!r}: {type(name).__name__!r} object cannot be converted to 'PyString'")
    name.encode()
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


def stored_metadata(metadata: object) -> dict[str, Scalar] | None:
    """Return the metadata of a collection as it is stored. Whatever counts as a number, such as a `Decimal`, becomes one.

    Raises:
        InputError: a value is a list without anything in it.
        TypeError: it is no dictionary of texts to texts, numbers, True or False.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"argument 'metadata': {type(metadata).__name__!r} object cannot be converted to 'PyDict'")
    kept: dict[str, Scalar] = {}
    for key, value in metadata.items():
        if not isinstance(key, str):
            raise TypeError(f"argument 'metadata': {type(key).__name__!r} object cannot be converted to 'PyString'")
        key.encode()
        if isinstance(value, list) and not value:
            raise InputError("Empty lists are not allowed as metadata values")
        kept[key] = _kept(_scalar(value))
    return kept


def check_metadata_keys(metadata: Mapping[str, object] | None, *, field: str = "metadata") -> None:
    """Make sure that a collection's metadata, if it has any, says something, under keys that it may have.

    Raises:
        InvalidArgumentError: it is empty, or a key is, or begins with "$" or "#".
    """
    if metadata is None:
        return
    if not metadata:
        raise InvalidArgumentError(f"Validation error: {field}: Metadata cannot be empty")
    for key in metadata:
        if not key:
            raise InvalidArgumentError(f"Validation error: {field}: Metadata key cannot be empty")
        if key[0] in "#$":
            raise InvalidArgumentError(f"Validation error: {field}: Metadata key cannot start with '#' or '$': {key}")


def shown_metadata(metadata: Mapping[str, object]) -> dict[str, Scalar]:
    """Return what is kept of metadata that replaces a collection's: values that are None are left out.

    Raises:
        TypeError: a value is a list.
        InvalidArgumentError: a key cannot be stored.
    """
    kept = stored_metadata({key: value for key, value in metadata.items() if value is not None}) or {}
    if metadata:
        check_metadata_keys(metadata, field="new_metadata")
    return kept


def chosen_function(configuration: CreateConfiguration, function: AnyEmbeddingFunction | None) -> AnyEmbeddingFunction | None:
    """Return the embedding function of a new collection: its configuration's, or the one given beside that.

    Raises:
        InputError: the two differ, or the configuration names two kinds of index.
    """
    own = configuration.get("embedding_function")
    if own is not None and function is not None and name_of(function) not in ("default", name_of(own)):
        raise InputError(
            "Multiple embedding functions provided. Please provide only one. "
            f"Embedding function conflict: {name_of(function)} vs {name_of(own)}"
        )
    if configuration.get("hnsw") is not None and configuration.get("spann") is not None:
        raise InputError("hnsw and spann cannot both be provided")
    return own or function


def created(configuration: CreateConfiguration, metadata: Mapping[str, Scalar], chosen: AnyEmbeddingFunction | None) -> IndexConfig:
    """Return what is said of a new collection's vectors: by its configuration, where that says nothing by its metadata, and by default.

    Raises:
        InvalidArgumentError: a setting is unknown or cannot be.
    """
    hnsw, spann = configuration.get("hnsw"), configuration.get("spann")
    description = made_known(chosen)
    usual = None
    if chosen is not None and description is not None and description["type"] == "known":
        usual = usual_space(chosen)
    told = _from_metadata(metadata) if spann is None else {}  # as in chromadb, where the one index says nothing of the other
    if hnsw is None and spann is None and usual is not None and "space" not in told:
        hnsw = {}
    if spann is not None:
        settings = {"space": check_settings(spann, _SPANN, "SpannConfiguration").get("space", usual or "l2")}
    else:
        given = check_settings({} if hnsw is None else hnsw, _CREATE, "HnswConfiguration")
        if hnsw is not None and usual is not None:
            given.setdefault("space", usual)
        same = all(value == _DEFAULTS[name] for name, value in given.items())
        settings = told if same else given  # as in chromadb, where a configuration that says what is usual anyway counts as none
    hnsw_kept = {name: settings.get(name, value) for name, value in USUAL_VECTORS["hnsw"].items()}
    kept: IndexConfig = {"space": cast(Space, settings.get("space", "l2")), "hnsw": cast(HnswConfig, hnsw_kept)}
    if chosen is not None:
        check_space(chosen, kept["space"])
    remembers = description or ({"type": "legacy"} if configuration else None)
    return kept if remembers is None else {**kept, "embedding_function": remembers}


def changed_settings(configuration: CreateConfiguration) -> dict[str, object]:
    """Return the settings of the index that a configuration changes.

    Raises:
        InputError: it names an index that no collection has here.
        InvalidArgumentError: it names two kinds of index, or a setting is unknown, cannot be, or cannot be changed.
    """
    hnsw, spann = configuration.get("hnsw"), configuration.get("spann")
    settings = check_settings({} if hnsw is None else hnsw, _MODIFY, "UpdateHnswConfiguration")
    if spann is not None:
        check_settings(spann, _MODIFY_SPANN, "UpdateSpannConfiguration")
        if hnsw is not None:
            raise InvalidArgumentError("Multiple vector index configurations provided")
        raise InputError("Trying to update SPANN config but schema has HNSW")
    return settings


def modified(existing: StoredSchema, *, settings: Mapping[str, object], function: AnyEmbeddingFunction | None) -> StoredSchema:
    """Return the schema of a collection with some settings of its index changed, and its embedding function where one is given.

    Raises:
        InputError: it has another embedding function.
    """
    changed = deepcopy(existing)
    for vectors in vector_configs(changed):
        vectors["hnsw"] = cast(HnswConfig, {**vectors["hnsw"], **settings})
        if function is not None:
            old = vectors.get("embedding_function", {}).get("name")
            if old is not None and old != name_of(function):
                raise InputError(f"Cannot update embedding function: incompatible types ({old} vs {name_of(function)})")
            vectors["embedding_function"] = made_known(function) or {"type": "legacy"}
    return changed


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


def _scalar(value: object) -> Scalar:
    """A value as the text or number it is, or stands for.

    Raises:
        TypeError: it is and does neither, or it cannot be stored.
    """
    scalar = bool(value) if isinstance(value, np.bool_) else value
    for conversion in ("__index__", "__float__"):
        convert = getattr(type(scalar), conversion, None)
        if convert is not None and not isinstance(scalar, str | int | float):
            with suppress(TypeError, OverflowError):  # as those of an array of several
                scalar = convert(scalar)
    if isinstance(scalar, str | int | float) and (is_unicode(scalar) if isinstance(scalar, str) else _is_representable(scalar)):
        return scalar
    raise TypeError("argument 'metadata': Cannot convert Python object to MetadataValue")


def _is_representable(number: float) -> bool:
    return not isinstance(number, int) or abs(number) <= 10**308


def _kept(value: Scalar) -> Scalar:
    too_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return float(value) if too_large else value


def _from_metadata(metadata: Mapping[str, Scalar]) -> dict[str, object]:
    given = {_OLD_NAMES.get(key, key): value for key, value in metadata.items() if key.startswith("hnsw:")}
    try:
        settings = check_settings(given, _CREATE, "HnswConfiguration")
        for name in _AT_LEAST_TWO:
            _check_number(name, settings.get(name, 2), least=2)
        return settings
    except InvalidArgumentError as error:
        raise InvalidArgumentError("Failed to parse hnsw parameters from segment metadata") from error


def check_settings(settings: object, allowed: tuple[str, ...], index: str) -> dict[str, object]:
    """Return the settings of an index that are given, None being none.

    Raises:
        TypeError: one cannot be written as JSON, such as numpy's numbers.
        InvalidArgumentError: one is unknown or cannot be.
    """
    json.dumps(settings)  # chromadb, too, leaves the refusal to that
    if not isinstance(settings, Mapping):
        raise InvalidArgumentError(f"invalid type: {settings!r}, expected struct {index}")
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
    given = {name: value for name, value in settings.items() if value is not None}
    return {name: float(value) if name == "resize_factor" else value for name, value in given.items()}


def _check_number(name: str, value: object, *, least: int = 0) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < _USIZE:
        raise InvalidArgumentError(f"invalid value of `{name}`: {value!r}, expected usize, at least {least}")
