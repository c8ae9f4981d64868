"""The one reader of what is stored: rows become records here, and a row that is none is told as damage, with its table and its name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, cast
from uuid import UUID

from pydantic import Field, JsonValue, ValidationError
from pydantic_core import from_json

from memdb import schema
from memdb.answers import Section
from memdb.checks import fault
from memdb.database import Database, Row, SqlValue
from memdb.driver import NO_UTF_8, damaged_error, row_error
from memdb.errors import StoreError
from memdb.records import Candidate, Change, Damage, Event, Fact, Kind, Link, ModelCall, Predicate, Record, Source, TurnRecord
from memdb.tables import table_against_rules

Shape = TypeVar("Shape", bound=Record)

_UNREADABLE = (ValueError, TypeError, KeyError)  # pydantic's and json's errors are ValueErrors, and so is what a time that is none makes


class _Archived(Record):
    record: Fact


class _Ended(Record):
    said: Candidate
    said_at: datetime
    source: Source


class _Page(Record):
    lines: tuple[tuple[str, str, str], ...]
    written_at: datetime


class _Consent(Record):
    sensitive_topics: Literal["keep", "ask", "refuse"] | None
    secrets: Literal["keep", "refuse"] | None


class _Weight(Record):
    value: float = Field(allow_inf_nan=False)


class _Session(Record):
    started_at: datetime
    last_turn_at: datetime
    ended_at: datetime | None
    day: date | None


class _Feedback(Record):
    given_at: datetime


class _Database(Record):
    database_id: UUID


class _Collection(Record):
    collection_id: UUID
    schema_: dict[str, JsonValue] = Field(alias="schema")
    metadata: dict[str, JsonValue] | None


class _Kept(NamedTuple):
    """A table that records are made of: the statement that reads all of it, and by which columns a row is named."""

    table: str
    statement: str
    shape: type[Record]
    names: tuple[str, ...]
    parsed: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    asked: Mapping[str, SqlValue] = {}


_ALL: dict[str, SqlValue] = {"user_id": None, "turn_id": None, "newest": False, "limit": -1, "offset": 0}
_ALL_TURNS = _ALL | {"statuses": None, "refused": False}
_KEPT = (
    _Kept("facts", "check.facts", Fact, ("fact_id",), parsed=("value_json", "tags")),
    _Kept("fact_history", "believe.history", Change, ("id",), parsed=("before", "after"), asked=_ALL | {"fact_id": None}),
    _Kept("facts_archive", "check.archive", _Archived, ("fact_id",), parsed=("record",), beside=("fact_id", "user_id")),
    _Kept("ends", "check.ends", _Ended, ("id",), parsed=("said",), beside=("id", "user_id")),
    _Kept("turns", "queue.records", TurnRecord, ("turn_id", "user_id"), parsed=("notes",), asked=_ALL_TURNS),
    _Kept("model_calls", "check.calls", ModelCall, ("id",), beside=("id", "user_id")),
    _Kept("events", "check.events", Event, ("event_id", "user_id"), parsed=("participants",)),
    _Kept("pages", "check.pages", _Page, ("user_id",), parsed=("lines",), beside=("user_id",)),
    _Kept("collections", "check.collections", _Collection, ("collection_id",), parsed=("schema", "metadata")),
    _Kept("databases", "check.databases", _Database, ("database_id",)),
    _Kept("sessions", "check.sessions", _Session, ("session_id", "user_id"), beside=("session_id", "user_id")),
    _Kept("feedback", "check.feedback", _Feedback, ("fact_id", "query", "user_id"), beside=("fact_id", "query", "user_id")),
    _Kept("consents", "check.consents", _Consent, ("user_id",), beside=("user_id",)),
    _Kept("links", "check.links", Link, ("relation", "target_id", "source_id")),
    _Kept("weights", "check.weights", _Weight, ("feature", "name"), beside=("feature", "name")),
    _Kept("predicates", "believe.predicates", Predicate, ("predicate",)),
    _Kept("kinds", "kinds.all", Kind, ("kind",)),
    _Kept("sections", "sections.all", Section, ("section",)),
)


@contextmanager
def reading(db: Database, *, user_id: str | None = None, rows: Iterable[Row] = ()) -> Iterator[None]:
    """Within it, what is stored is read: where that cannot be done, the file is damaged.

    `user_id` is whose it is, `rows` what is read, as far as that is known: no other row is told then, and none of another user.

    Raises:
        StoreError: it cannot; which row of which table it is.
    """
    try:
        yield
    except _UNREADABLE as error:
        raise _error(db, error, user_id=user_id, rows=rows) from error


def facts(db: Database, rows: Sequence[Row]) -> list[Fact]:
    """Return the facts of rows that hold each as a `record`."""
    with reading(db, rows=(_told_by(row["record"]) for row in rows)):
        return [Fact.model_validate_json(str(row["record"])) for row in rows]


def fact(db: Database, record: SqlValue) -> Fact:
    """Return the fact of a `record`."""
    with reading(db, rows=(_told_by(record) for _ in range(1))):
        return Fact.model_validate_json(str(record))


def rows_as(shape: type[Shape], db: Database, rows: Sequence[Row], *, parsed: Sequence[str] = ()) -> list[Shape]:
    """Return rows as records; the columns `parsed` hold JSON."""
    with reading(db, rows=rows):
        return [_read(shape, row, parsed) for row in rows]


def value(db: Database, text: SqlValue, *, user_id: str | None = None) -> Any:
    """Return what a column of JSON says, of a user's row or of nobody's."""
    with reading(db, user_id=user_id):
        return from_json(str(text))


def kinds(db: Database) -> Mapping[str, Kind]:
    """Return the rows of the table `kinds` by name."""
    with reading(db):
        return _kinds(tuple(db.tuples("kinds.all")))


def kinds_but_messages(db: Database) -> list[str]:
    """Return the names of all kinds of rows but what was said word for word."""
    return [kind for kind in kinds(db) if kind != "message"]


@lru_cache(maxsize=16)  # every question and every write reads them, and hardly anybody changes them
def _kinds(rows: tuple[tuple[SqlValue, ...], ...]) -> Mapping[str, Kind]:
    """The rows of kinds.all, whose columns are the record's fields in their order."""
    read = (Kind.model_validate(dict(zip(Kind.model_fields, row, strict=True))) for row in rows)
    return MappingProxyType({one.kind: one for one in read})


def predicates(db: Database) -> Mapping[str, Predicate]:
    """Return the vocabulary of keys: the rows of the table `predicates` by name."""
    with reading(db):
        ((vocabulary,),) = db.tuples("believe.vocabulary")
        return _vocabulary(str(vocabulary))


def predicates_of(db: Database, key: str) -> Mapping[str, Predicate]:
    """Return of the vocabulary what tells how one key behaves, and little else: for who has not to do with many."""
    name = key.rpartition(".")[2]
    with reading(db):
        ((vocabulary,),) = db.tuples("believe.vocabulary_of", first=name.partition("_")[0], last=name)
        return _vocabulary(str(vocabulary))


@lru_cache(maxsize=64)  # every turn reads it, and hardly anybody changes it
def _vocabulary(rows: str) -> Mapping[str, Predicate]:
    """The rows of believe.vocabulary, whose columns are the record's fields in their order."""
    read = (Predicate.model_validate(dict(zip(Predicate.model_fields, row, strict=True))) for row in json.loads(rows))
    return MappingProxyType({one.predicate: one for one in sorted(read, key=lambda one: one.predicate)})


def meta(db: Database) -> dict[str, str]:
    """Return what the file tells of itself, by name."""
    return {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}


def made_by(db: Database) -> tuple[SqlValue, SqlValue]:
    """Return by which embedder the vectors of the index were made, and how long they are; None for both where there are none."""
    ((name, dimension),) = db.tuples("meta.embedder")
    return name, dimension


def weights(db: Database, name: str) -> dict[str, float]:
    """Return a weight set by its features; it is empty if there is none of this name."""
    return {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights=name)}


def damage(db: Database) -> list[Damage]:
    """Return what is wrong with the file: its schema, the rows that cannot be read, and what SQLite finds of pages, indexes and values."""
    found: list[Damage] = []
    try:
        found += (Damage(fault=fault) for fault in schema.faults(db))
        found += faults(db)
        tables = {one.table for one in found} - {None}  # of which SQLite tells the same, without the rows
        found += [Damage(fault=line) for line in db.integrity() if table_against_rules(line) not in tables]
    except StoreError as error:  # there is damage that SQLite cannot read past, such as that of a page, or of JSON that an index is made of
        if not found:
            found.append(Damage(fault=str(error)))
    return found


def faults(db: Database) -> Iterator[Damage]:
    """Go through everything that is read as records, and tell each row that cannot be, once."""
    return (damage for damage, _ in damaged_rows(db))


def damaged_rows(db: Database) -> Iterator[tuple[Damage, dict[str, bytes]]]:
    """Go through everything that is stored, and tell each row that cannot be read, once, with the values that name it."""
    told = set()
    for damage, named in _met(db):
        if (one := (damage.table, damage.row)) not in told:
            told.add(one)
            yield damage, named


def _met(db: Database) -> Iterator[tuple[Damage, dict[str, bytes]]]:
    """Go through whatever is wrong with rows, some of which are met again."""
    names, cut_off = {kept.table: kept.names for kept in _KEPT}, False
    for row in db.all("check.malformed"):
        table, called = str(row["table"]), str(row["called"])
        yield _damaged(table, {**row, called: row["name"]}, names.get(table, (called,)), f"{row['column']!s} is no JSON")
    for kept in _KEPT:
        try:
            for row in db.each(kept.statement, **kept.asked):
                try:
                    _read(kept.shape, {column: row[column] for column in row if column not in kept.beside}, kept.parsed)
                except _UNREADABLE as error:
                    yield _damaged(kept.table, row, kept.names, _why(error))
        except StoreError as error:
            if not isinstance(error.__cause__, UnicodeDecodeError):
                raise
            cut_off = True  # and the error let go of, which holds on to the statement
    for row in db.all("check.vectors"):
        yield _damaged("collection_vectors", row, ("record",), "it is not as long as the others of its collection")
    for row in db.all("check.dimension"):
        yield _damaged("meta", row, ("name",), "the vectors of the index are of another length")
    for reference, one, _ in db.dangling():
        why = f"what it names of the table {reference.parent} is not there"
        yield Damage(table=one.table, row=one.name, user_id=one.user_id, fault=why), one.named
    garbled = list(db.garbled())
    if cut_off and not garbled:
        raise damaged_error(db.path, NO_UTF_8)
    for one, why in chain(garbled, db.against_rules()):
        yield Damage(table=one.table, row=one.name, user_id=one.user_id, fault=why), one.named


def _damaged(table: str, row: Row, names: Sequence[str], why: str) -> tuple[Damage, dict[str, bytes]]:
    return Damage(table=table, row=_name(row, names), user_id=_user(row), fault=why), {name: str(row[name]).encode() for name in names}


def _read(shape: type[Shape], row: Mapping[str, SqlValue], parsed: Sequence[str]) -> Shape:
    return shape.model_validate({**row, **{column: _json(column, str(row[column])) for column in parsed if row[column] is not None}})


def _json(column: str, text: str) -> JsonValue:
    try:
        return cast(JsonValue, from_json(text))
    except ValueError as error:
        raise ValueError(f"{column} cannot be read: {error}") from error


def _name(row: Row, names: Sequence[str]) -> str:
    return " of ".join(f"{name} {row[name]!r}" for name in names)


def _user(row: Row) -> str | None:
    return None if row.get("user_id") is None else str(row["user_id"])


def _told_by(record: SqlValue) -> Row:
    """Which fact a record is of, and whose, as far as a laxer reader can tell."""
    try:
        told = json.loads(str(record), parse_int=str)
    except (ValueError, RecursionError):
        return {}
    return {name: told[name] for name in ("fact_id", "user_id") if isinstance(told.get(name), str)} if isinstance(told, dict) else {}


def _error(db: Database, error: Exception, *, user_id: str | None, rows: Iterable[Row]) -> StoreError:
    """The error that tells of the damaged row among those that were read; or else of one of the user's, or of one that is nobody's."""
    rows = list(rows)
    users = {user_id} if user_id is not None else {_user(row) for row in rows if _user(row) is not None}
    read = {_name(row, kept.names) for row in rows for kept in _KEPT if set(kept.names) <= row.keys()}
    likely = [one for one in faults(db) if not users or one.user_id is None or one.user_id in users]
    for one in [one for one in likely if one.row in read] or likely:
        return row_error(db.path, f"{one.table}, {one.row}: {one.fault}", user_id=one.user_id)
    return row_error(db.path, _why(error))


def _why(error: Exception) -> str:
    return fault(error) if isinstance(error, ValidationError) else str(error)
