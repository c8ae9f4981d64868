"""Find the records of a collection that a filter lets through: every comparison is one statement, the logic between them is set algebra."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import cast

from memdb.collection_schema import check_filterable, check_searchable
from memdb.collection_types import CollectionModel, Scalar, metadata_value
from memdb.database import Database, SqlValue
from memdb.errors import ConfigError, InputError

Filter = Mapping[str, object]
Records = frozenset[int]

_PUNCTUATION = frozenset(string.punctuation) - frozenset("<>")  # what a backslash makes a text; these two would be edges of words


def select(
    db: Database,
    collection: CollectionModel,
    *,
    ids: Sequence[str] | None = None,
    where: Filter | None = None,
    where_document: Filter | None = None,
) -> Records | None:
    """Return the records that fit everything given, or None where nothing is given and so all do.

    Raises:
        InputError: a regular expression cannot be read, a comparison is none of Chroma's, or the index that it needs is disabled.
        ConfigError: the package for regular expressions is not installed.
    """
    leaves = _Leaves(db, collection)
    found: list[Records] = []
    if ids is not None:
        found.append(leaves.named(ids))
    if where is not None:
        found.append(_tree(where, leaves.metadata))
    if where_document is not None:
        found.append(_tree(where_document, leaves.document))
    return reduce(Records.intersection, found) if found else None


def _tree(node: Filter, leaf: Callable[[str, object], Records]) -> Records:
    ((name, value),) = node.items()
    if name in ("$and", "$or") and isinstance(value, Sequence):
        parts = [_tree(part, leaf) for part in value]
        return reduce(Records.intersection if name == "$and" else Records.union, parts)
    return leaf(name, value)


class _Leaves:
    """The comparisons of one filter on one collection."""

    def __init__(self, db: Database, collection: CollectionModel) -> None:
        self._db, self._collection, self._schema = db, collection.number, collection.serialized_schema
        self._all: Records | None = None

    def named(self, ids: Sequence[str]) -> Records:
        return self._run("select.named", ids=json.dumps(list(ids)))

    def metadata(self, key: str, condition: object) -> Records:
        operator, operand = next(iter(condition.items())) if isinstance(condition, Mapping) else ("$eq", condition)
        first = cast(Scalar, operand[0] if isinstance(operand, list) else operand)
        if key == "#document" and isinstance(first, str):  # with a number it is a key like any other
            return self.document(str(operator), operand)
        check_filterable(self._schema, key, first)
        match operator:
            case "$eq" | "$contains":
                return self._holds(key, operator, operand)
            case "$ne":
                return self._others(self._holds(key, "$eq", operand))
            case "$not_contains":
                return self._others(self._holds(key, "$contains", operand))
            case "$in" | "$nin" if isinstance(operand, Sequence):
                found = frozenset[int]().union(*(self._holds(key, "$eq", value) for value in operand))
                return found if operator == "$in" else self._others(found)
            case "$gt" | "$gte" | "$lt" | "$lte" if isinstance(operand, int | float):
                _, number = metadata_value(operand)
                return self._run("select.compare", key=key, operator=operator, value=number)
        raise InputError(f"The comparison {operator} of {key!r} with {operand!r} cannot be made; see Chroma's `where` for those that can.")

    def document(self, operator: str, operand: object) -> Records:
        check_searchable(self._schema)
        text = str(operand)
        match operator:
            case "$contains":
                return self._run("select.document_contains", text=text)
            case "$not_contains":
                return self._others(self._run("select.document_contains", text=text))
            case "$regex":
                return self._matching(text)
            case "$not_regex":
                return self._others(self._matching(text))
        raise InputError(f"Documents cannot be compared by {operator}; use $contains, $not_contains, $regex or $not_regex.")

    def _holds(self, key: str, operator: str, operand: object) -> Records:
        if not isinstance(operand, str | int | float):
            raise InputError(f"Metadata {key!r} cannot be compared with {operand!r}; give a text, a number, True or False.")
        kind, value = metadata_value(operand)
        special = {"chroma:document": "select.document_is", "chroma:uri": "select.uri_is"}.get(key)
        if special is not None:
            return self._run(special, text=value) if kind == "text" and operator == "$eq" else frozenset()
        statement = "select.equal" if operator == "$eq" else "select.contains"
        return self._run(statement, key=key, type=kind, value=value)

    def _matching(self, pattern: str) -> Records:
        try:
            import paula  # the regular expressions of Chroma are those of Rust: their syntax, and their linear time
        except ImportError as error:
            raise ConfigError("Regular expressions in filters need the package paula; install memdb[chroma].") from error
        try:
            matches = paula.Regex(pattern).is_match
        except ValueError as error:
            raise InputError(f"Regex syntax error: {error}") from error
        text, other = _literals(pattern)
        rows = self._db.all("select.documents", collection=self._collection, text=text, other=other)
        return frozenset(int(str(row["id"])) for row in rows if matches(str(row["document"])))

    def _others(self, records: Records) -> Records:
        if self._all is None:
            self._all = self._run("select.everything")
        return self._all - records

    def _run(self, statement: str, **parameters: SqlValue) -> Records:
        row = self._db.one(statement, collection=self._collection, **parameters)
        return frozenset(json.loads(str(row["records"]))) if row else frozenset()


def _literals(pattern: str) -> tuple[str, str]:
    """The two longest texts that stand in whatever a regular expression matches; "" where none can be told.

    Searching texts for these takes a fraction of the time that matching them does. Groups, alternatives and classes are not looked into.
    """
    runs, run = [""] * 2, ""
    place = 0
    while place < len(pattern):
        sign = pattern[place]
        place += 1
        if sign == "\\" and place < len(pattern):
            sign = pattern[place]
            place += 1
            if sign in _PUNCTUATION:
                run += sign
                continue
            if sign not in "bBdDsSwWAz":
                return "", ""
            sign = "."  # something, or some place, that is no text
        if sign in "(|[\\":
            return "", ""
        if sign not in ".^$*?+{}":
            run += sign
            continue
        runs.append(run[:-1] if sign in "*+?{" else run)
        run = ""
        if sign == "{":
            place = pattern.find("}", place) + 1
            if not place:
                return "", ""
    longest = sorted([*runs, run], key=len)
    return longest[-1], longest[-2]
