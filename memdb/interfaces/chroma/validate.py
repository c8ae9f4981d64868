"""What chromadb accepts as arguments, and the words in which it refuses the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import numpy as np

from memdb import InputError
from memdb.collection_types import Metadata
from memdb.interfaces.chroma.errors import BatchSizeExceededError, DuplicateIDError, InvalidArgumentError
from memdb.interfaces.chroma.sparse import SparseVector
from memdb.interfaces.chroma.types import Array

_INCLUDE = ("documents", "embeddings", "metadatas", "distances", "uris", "data")
_DTYPES = (np.float16, np.float32, np.float64, np.int32, np.int64)
_U32 = 2**32

MAX_BATCH = 5461
"""How many records chromadb takes at once."""

T = TypeVar("T")


def as_list(one_or_many: T | list[T]) -> list[T]:
    """Return a list of what may be one thing alone."""
    return one_or_many if isinstance(one_or_many, list) else [one_or_many]


def normal_embeddings(target: object) -> list[Array]:
    """Return one vector or many, in any of the forms chromadb takes, as a list of what should be arrays.

    Raises:
        InputError: they are in none of these forms.
    """
    if len(target) == 0:  # type: ignore[arg-type]  # what has no length is refused by len itself, as in chromadb
        raise InputError(f"Expected Embeddings to be non-empty list or numpy array, got {target}")
    vectors: list[Array] | None = None
    if isinstance(target, np.ndarray):
        vectors = [target] if target.ndim == 1 else list(target) if target.ndim == 2 else None
    elif isinstance(target, list):
        first = target[0]
        if _is_number(first):
            vectors = [_to_floats(target)]
        elif isinstance(first, np.ndarray):
            vectors = target
        elif isinstance(first, list) and _is_number(first[0]):
            vectors = [_to_floats(row) for row in target]
    if vectors is None:
        raise InputError(
            f"Expected embeddings to be a list of floats or ints, a list of lists, a numpy array, or a list of numpy arrays, got {target}"
        )
    return vectors


def check_vectors(vectors: Sequence[object]) -> None:
    """Make sure that what is in the form of vectors is some: arrays of numbers.

    Raises:
        InputError: one is not.
    """
    if not all(isinstance(vector, np.ndarray) for vector in vectors):
        kinds = list(dict.fromkeys(type(vector).__name__ for vector in vectors))
        raise InputError(f"Expected each embedding in the embeddings to be a numpy array, got {kinds}")
    for place, vector in enumerate(vectors):
        _check_vector(cast("Array", vector), place)


def check_flat(vectors: Sequence[Array], name: str = "embeddings") -> None:
    """Make sure that vectors have one dimension, which chromadb leaves to its engine: any other mistake is told first.

    Raises:
        TypeError: one has two.
    """
    if any(vector.ndim != 1 for vector in vectors):
        raise TypeError(f"argument {name!r}: only 0-dimensional arrays can be converted to Python scalars")


def check_finite(matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    """Make sure that vectors to be stored can be compared.

    Raises:
        InvalidArgumentError: one holds NaN or infinity, or a number too large for 32 bits.
    """
    if not np.isfinite(matrix).all():
        raise InvalidArgumentError("Validation error: embeddings: Embeddings must not contain NaN or Infinity values")


def check_lengths(columns: Mapping[str, Sequence[object] | None]) -> None:
    """Make sure that columns are there, not empty, and of one length.

    Raises:
        InputError: they are not.
    """
    lengths = {name: len(column) for name, column in columns.items() if column is not None}
    if not lengths:
        raise InputError(f"At least one of one of {', '.join(columns)} must be provided")
    if empty := [name for name, length in lengths.items() if length == 0]:
        raise InputError(f"Non-empty lists are required for {empty}")
    if len(set(lengths.values())) > 1:
        raise InputError(f"Unequal lengths for fields: {', '.join(f'{name}: {length}' for name, length in lengths.items())}")


def check_one_of(columns: Mapping[str, object], names: Sequence[str]) -> str:
    """Return the one column of several that is given.

    Raises:
        InputError: none is, or more than one.
    """
    given = [name for name in names if columns[name] is not None]
    if len(given) != 1:
        raise InputError(f"Exactly one of {', '.join(names)} must be provided")
    return given[0]


def check_ids(ids: object) -> list[str]:
    """Return ids that are texts, at least one, and none twice.

    Raises:
        InputError: they are not.
        DuplicateIDError: one is there twice.
    """
    if not isinstance(ids, list):
        raise InputError(f"Expected IDs to be a list, got {type(ids).__name__} as IDs")
    if not ids:
        raise InputError(f"Expected IDs to be a non-empty list, got {len(ids)} IDs")
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for name in ids:
        if not isinstance(name, str):
            raise InputError(f"Expected ID to be a str, got {name}")
        if name in seen:
            twice[name] = None
        seen.add(name)
    if twice:
        examples = [*twice] if len(twice) < 10 else [*list(twice)[:5], "...", *list(twice)[-5:]]
        number = "duplicates of" if len(twice) < 10 else f"{len(twice)} duplicated IDs"
        raise DuplicateIDError(f"Expected IDs to be unique, found {number}: {', '.join(examples)}")
    return ids


def check_storable_ids(ids: Sequence[str]) -> None:
    """Make sure that ids can be stored, and are not too many for one call.

    Raises:
        BatchSizeExceededError: they are.
        InvalidArgumentError: one is empty.
    """
    if len(ids) > MAX_BATCH:
        raise BatchSizeExceededError(f"Batch size of {len(ids)} is greater than max batch size of {MAX_BATCH}; write fewer at once.")
    if "" in ids:
        raise InvalidArgumentError("Empty ID, ID must have at least one character")


def check_texts(texts: Sequence[object], *, nullable: bool) -> None:
    """Make sure that documents are texts; None will do where the vectors are given.

    Raises:
        InputError: they are not.
    """
    for text in texts:
        if not isinstance(text, str) and not (nullable and text is None):
            raise InputError(f"Expected document to be a str, got {text}")


def is_unicode(text: str) -> bool:
    """Return whether a text can be stored as UTF-8: it holds no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_unicode(texts: Sequence[object], argument: str = "ids", *, nullable: bool = False) -> None:
    """Make sure that texts can be stored as UTF-8.

    Raises:
        TypeError: one is no text.
        UnicodeEncodeError: one holds half a surrogate pair.
    """
    for text in texts:
        if isinstance(text, str):
            text.encode()
        elif text is not None or not nullable:
            raise TypeError(f"argument {argument!r}: {type(text).__name__!r} object cannot be converted to 'PyString'")


def check_metadata(metadata: object) -> Metadata | None:
    """Return the metadata of one record or collection.

    Raises:
        InputError: it is no dictionary of texts to texts, numbers, True, False, None, or lists of one of these.
    """
    if metadata is None:
        return None
    if not isinstance(metadata, dict):
        raise InputError(f"Expected metadata to be a dict or None, got {type(metadata).__name__} as metadata")
    if not metadata:
        raise InputError(f"Expected metadata to be a non-empty dict, got {len(metadata)} metadata attributes")
    for key, value in metadata.items():
        if key == "chroma:document":
            raise InputError("Expected metadata to not contain the reserved key chroma:document")
        if not isinstance(key, str):
            raise TypeError(f"Expected metadata key to be a str, got {key} which is a {type(key).__name__}")
        if isinstance(value, list):
            _check_list(key, value)
        elif not isinstance(value, str | int | float | SparseVector | None):
            raise InputError(
                f"Expected metadata value to be a str, int, float, bool, SparseVector, list, or None, got {value} which is a "
                f"{type(value).__name__}"
            )
    return metadata


def check_convertible(metadatas: Sequence[Metadata | None], *, none_allowed: bool) -> None:
    """Make sure that the keys and values of metadata are some that a file can hold.

    Raises:
        TypeError: a value is None where only new records are made, or a sparse vector, a text is no Unicode, or a number is too large.
        UnicodeEncodeError: a key is no Unicode.
    """
    for metadata in metadatas:
        for key, value in (metadata or {}).items():
            key.encode()
            if value is None and not none_allowed:
                raise TypeError(f"argument 'metadatas': the value of {key!r} is None; leave the key out")
            if isinstance(value, SparseVector):
                raise TypeError(f"argument 'metadatas': the value of {key!r} is a sparse vector, which cannot be stored; leave the key out")
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str) and not is_unicode(item):
                    raise TypeError(f"argument 'metadatas': the value of {key!r} is no Unicode text; leave halves of surrogate pairs out")
                if isinstance(item, int) and abs(item) > 10**308:
                    raise TypeError(f"argument 'metadatas': the value of {key!r} is too large a number")


def check_storable(metadatas: Sequence[Metadata | None]) -> None:
    """Make sure that metadata makes sense to chromadb's engine.

    Raises:
        InvalidArgumentError: a key is empty or begins with "$" or "#", or a list holds NaN or infinity.
    """
    for place, metadata in enumerate(metadatas):
        for key, value in (metadata or {}).items():
            items = value if isinstance(value, list) else []
            if key[:1] in ("", "$", "#") or any(isinstance(item, float) and not math.isfinite(item) for item in items):
                raise InvalidArgumentError(f"Validation error: metadatas: Invalid metadata at index {place}")


def check_include(include: object, *, disallowed: Sequence[str] = ()) -> None:
    """Make sure that what to include in a result is a list of names of columns.

    Raises:
        InputError: it is not.
    """
    if not isinstance(include, list):
        raise InputError(f"Expected include to be a list, got {include}")
    for item in include:
        if not isinstance(item, str):
            raise InputError(f"Expected include item to be a str, got {item}")
        if item not in _INCLUDE:
            raise InputError(f"Expected include item to be one of {', '.join(_INCLUDE)}, got {item}")
        if item in disallowed:
            raise InputError(f"Include item cannot be one of {', '.join(disallowed)}, got {item}")


def check_n_results(n_results: object) -> None:
    """Make sure that a number of results is one.

    Raises:
        ValueError: it is no whole number.
        TypeError: it is not positive.
    """
    if not isinstance(n_results, int):
        raise ValueError(f"Expected requested number of results to be a int, got {n_results}")
    if n_results <= 0:
        raise TypeError(f"Number of requested results {n_results}, cannot be negative, or zero.")


def check_flag(name: str, value: object) -> None:
    """Make sure that something is True or False.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"argument {name!r}: {type(value).__name__!r} object cannot be converted to 'PyBool'")


def check_page(name: str, value: object) -> int | None:
    """Return a limit or an offset.

    Raises:
        TypeError: it is no whole number.
        OverflowError: it is negative, or does not fit into 32 bits.
    """
    if value is None:
        return None
    if not hasattr(value, "__index__"):
        raise TypeError(f"argument {name!r}: {type(value).__name__!r} object cannot be interpreted as an integer")
    number = int(value.__index__())
    if not 0 <= number < _U32:
        raise OverflowError("out of range integral type conversion attempted")
    return number


def check_delete_limit(limit: object, *, filtered: bool) -> int | None:
    """Return the limit of a deletion.

    Raises:
        TypeError: it is no whole number.
        InputError: it is negative, or there is no filter to limit.
    """
    if limit is None:
        return None
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise TypeError("limit must be a non-negative integer")
    if limit < 0:
        raise InputError("limit must be a non-negative integer")
    if not filtered:
        raise InputError("limit can only be specified when a where or where_document clause is provided")
    return limit


def _to_floats(row: object) -> Array:
    with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused where that matters
        return np.array(row, dtype=np.float32)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_vector(vector: Array, place: int) -> None:
    if vector.ndim == 0:
        raise InputError(f"Expected a 1-dimensional array, got a 0-dimensional array {vector}")
    if vector.size == 0:
        raise InputError(
            "Expected each embedding in the embeddings to be a 1-dimensional numpy array with at least 1 int/float value. "
            f"Got a 1-dimensional numpy array with no values at pos {place}"
        )
    if vector.dtype not in _DTYPES:
        raise InputError(f"Expected each value in the embedding to be a int or float, got an embedding with {vector.dtype} - {vector}")


def _check_list(key: str, value: list[object]) -> None:
    if not value:
        raise InputError(f"Expected metadata list value for key '{key}' to be non-empty")
    if {type(item) for item in value} not in ({str}, {int}, {float}, {bool}):
        raise InputError(
            f"Expected metadata list value for key '{key}' to contain only str, int, float, or bool "
            f"and all elements must be the same type, got {value}"
        )
