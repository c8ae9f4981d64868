"""The grammar of chromadb's filters, `where` and `where_document`, and the words in which it refuses the rest."""

from __future__ import annotations

import json
import math
from typing import cast

from memdb import InputError
from memdb.interfaces.chroma.errors import InvalidArgumentError
from memdb.interfaces.chroma.validate import is_unicode

_NEITHER = (2**63, 2**64)  # what is no 64-bit whole number to chromadb, nor a broken one
_ORDER = ("$gt", "$gte", "$lt", "$lte")
_OPERATORS = (*_ORDER, "$ne", "$eq", "$in", "$nin", "$contains", "$not_contains")
_DOCUMENT_OPERATORS = ("$contains", "$not_contains", "$regex", "$not_regex", "$and", "$or")


def check_where(where: object) -> None:
    """Make sure that a filter on metadata is in chromadb's grammar.

    Raises:
        InputError: it is not.
    """
    if not isinstance(where, dict):
        raise InputError(f"Expected where to be a dict, got {where}")
    if len(where) != 1:
        raise InputError(f"Expected where to have exactly one operator, got {where}")
    ((key, value),) = where.items()
    if not isinstance(key, str):
        raise InputError(f"Expected where key to be a str, got {key}")
    if key in ("$contains", "$not_contains"):
        raise InputError(f"Expected where key to be a metadata field name or a logical operator ($and, $or), got {key}")
    if key in ("$and", "$or"):
        if not isinstance(value, list):
            raise InputError(f"Expected where value for $and or $or to be a list of where expressions, got {value}")
        if len(value) <= 1:
            raise InputError(f"Expected where value for $and or $or to be a list with at least two where expressions, got {value}")
        for part in value:
            check_where(part)
    elif key not in ("$in", "$nin") and not isinstance(value, str | int | float | dict):
        raise InputError(f"Expected where value to be a str, int, float, or operator expression, got {value}")
    if isinstance(value, dict):
        _check_comparison(key, value)


def check_json(where: object) -> None:
    """Make sure that a filter in chromadb's grammar can be told in JSON, as it is told to chromadb's engine.

    Raises:
        TypeError: it lists what JSON has no word for, such as bytes.
    """
    json.dumps(where)


def check_comparable(where: object) -> None:
    """Make sure that a filter in chromadb's grammar, and in JSON, also makes sense to its engine.

    Raises:
        InvalidArgumentError: it does not.
    """
    if not isinstance(where, dict):
        return
    ((key, value),) = where.items()
    if key in ("$and", "$or"):
        for part in value:
            check_comparable(part)
        return
    operator, operand = next(iter(value.items())) if isinstance(value, dict) else ("$eq", value)
    operands = operand if isinstance(operand, list) else [operand]
    strange = (
        key.startswith("$")
        or not is_unicode(key)
        or (operator in _ORDER and isinstance(operand, bool))
        or (isinstance(operand, list) and operator not in ("$in", "$nin"))
        or not all(isinstance(item, str | int | float) for item in operands)
        or any(isinstance(item, int | float) and not _is_number(item) for item in operands)
        or len({_kind(item) for item in operands}) > 1
        or any(isinstance(item, str) and not is_unicode(item) for item in operands)
    )
    if strange:
        raise InvalidArgumentError("Invalid where clause")
    if key == "#document" and operator not in ("$contains", "$not_contains") and isinstance(operands[0], str):
        raise InvalidArgumentError("Cannot filter using metadata key '#document' with type 'Str' because indexing is disabled")


def _is_number(item: float) -> bool:
    """Whether a number is one to chromadb's engine: a 64-bit whole one, or one that a broken one can stand for."""
    try:
        return math.isfinite(item) and not (isinstance(item, int) and _NEITHER[0] <= item < _NEITHER[1])
    except OverflowError:
        return False


def _kind(item: object) -> type:
    """What an operand is to chromadb's engine, where whole numbers beyond 64 bits are broken ones."""
    kind = next(kind for kind in (bool, int, float, str) if isinstance(item, kind))
    return float if kind is int and not -_NEITHER[0] <= cast(int, item) < _NEITHER[0] else kind


def check_where_document(where_document: object) -> None:
    """Make sure that a filter on documents is in chromadb's grammar.

    Raises:
        InputError: it is not.
        InvalidArgumentError: it asks for what is no Unicode text.
    """
    if not isinstance(where_document, dict):
        raise InputError(f"Expected where document to be a dictionary, got {where_document}")
    if len(where_document) != 1:
        raise InputError(f"Expected where document to have exactly one operator, got {where_document}")
    ((operator, operand),) = where_document.items()
    if operator not in _DOCUMENT_OPERATORS:
        raise InputError(f"Expected where document operator to be one of {', '.join(_DOCUMENT_OPERATORS)}, got {operator}")
    if operator in ("$and", "$or"):
        if not isinstance(operand, list):
            raise InputError(f"Expected document value for $and or $or to be a list of where document expressions, got {operand}")
        if len(operand) <= 1:
            raise InputError(
                f"Expected document value for $and or $or to be a list with at least two where document expressions, got {operand}"
            )
        for part in operand:
            check_where_document(part)
    elif not isinstance(operand, str):
        raise InputError(f"Expected where document operand value for operator {operator} to be a str, got {operand}")
    elif not operand:
        raise InputError(f"Expected where document operand value for operator {operator} to be a non-empty str")
    elif not is_unicode(operand):
        raise InvalidArgumentError("Invalid where document clause")


def _check_comparison(key: str, comparison: dict[object, object]) -> None:
    if len(comparison) != 1:
        raise InputError(f"Expected operator expression to have exactly one operator, got {comparison}")
    ((operator, operand),) = comparison.items()
    if operator in _ORDER and not isinstance(operand, int | float):
        raise InputError(f"Expected operand value to be an int or a float for operator {operator}, got {operand}")
    if operator in ("$in", "$nin") and not isinstance(operand, list):
        raise InputError(f"Expected operand value to be an list for operator {operator}, got {operand}")
    if operator in ("$contains", "$not_contains"):
        if key == "#document" and not isinstance(operand, str):
            raise InputError(f"Expected operand value to be a str for operator {operator} on #document, got {operand}")
        if not isinstance(operand, str | int | float):
            raise InputError(f"Expected operand value to be a str, int, float, or bool for operator {operator}, got {operand}")
    if operator not in _OPERATORS:
        raise InputError(f"Expected where operator to be one of {', '.join(_OPERATORS)}, got {operator}")
    if not isinstance(operand, str | int | float | list):
        raise InputError(f"Expected where operand value to be a str, int, float, bool, or list of those type, got {operand}")
    if isinstance(operand, list) and (not operand or not all(isinstance(item, type(operand[0])) for item in operand)):
        raise InputError(f"Expected where operand value to be a non-empty list, and all values to be of the same type got {operand}")
