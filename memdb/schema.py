"""What a file has of the tables, indexes, views and triggers of a new one; those that are gone or different are made anew, but tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from memdb import files, tables
from memdb.database import Database


class _Made(NamedTuple):
    """Something of a file's schema: of which kind it is, the SQL that makes it, and of a table the columns, each as one text."""

    kind: str
    sql: str
    columns: frozenset[str]


def faults(db: Database) -> list[str]:
    """Return what is gone of memdb's own schema, or is not as memdb makes it: each would be wrong without a row being damaged.

    What somebody has made beside it is theirs, and so are columns that were added to a table.
    """
    found = [f"the {kind} {name} is {'gone' if there is None else 'not as memdb makes it'}" for name, kind, there in _different(db)]
    if not found and not tells_meanings(db):
        found.append("the table dictionary is empty, so that not all that may be wrong with rows is looked for")
    return found


def tells_meanings(db: Database) -> bool:
    """Whether a file says what its tables hold, by which memdb knows its own; one whose pages an older memdb mended does not."""
    return db.one("check.meanings") is not None


def make_anew(db: Database, *kinds: str) -> int:
    """Make the triggers, views or indexes anew that are gone or different, within the caller's transaction; return how many they were.

    Raises:
        ConflictError: the rows that there are contradict a unique index.
    """
    found = 0
    for name, kind, there in list(_different(db)):
        if kind in kinds and there is not None and there.kind in kinds:
            with db.translated():
                tables.drop(db.connection, there.kind, name)
    for name, kind, there in list(_different(db)):  # with a view its triggers went
        if kind in kinds and there is None:
            with db.translated():
                db.connection.execute(_new()[name].sql)
            found += 1
    return found


@contextmanager
def unindexed(db: Database, table: str, *, but: str) -> Iterator[None]:
    """Do without the indexes of a table but for one, within the caller's transaction, for who deletes most of its rows.

    To make them of the rows that stay takes less time than to take each of the others out of each.
    """
    indexes = db.tuples("check.indexes", table=table, but=but)
    with db.translated():
        for name, _ in indexes:
            tables.drop(db.connection, "index", str(name))
    yield
    with db.translated():
        for _, sql in indexes:
            db.connection.execute(str(sql))


def lacks_a_table(db: Database) -> bool:
    """Whether a table is gone or different: what is made over it cannot be made anew then."""
    return any(kind == "table" for _, kind, _ in _different(db))


def _different(db: Database) -> Iterator[tuple[str, str, _Made | None]]:
    """What is not as in a new file: its name, what it should be, and what is there by that name, if anything is."""
    have = {str(name): _Made(str(kind), str(sql), _texts(columns)) for kind, name, sql, columns in db.tuples("check.schema")}
    for name, new in _new().items():
        there = have.get(name)
        if there is None or there.kind != new.kind or not (new.columns <= there.columns if new.columns else there.sql == new.sql):
            yield name, new.kind, there


@cache
def _new() -> dict[str, _Made]:
    fresh = tables.fresh()
    try:
        rows = fresh.execute(files.statement("check.schema")).fetchall()
    finally:
        fresh.close()
    return {str(name): _Made(str(kind), str(sql), _texts(columns)) for kind, name, sql, columns in rows}


def _texts(columns: object) -> frozenset[str]:
    return frozenset(json.loads(str(columns)))
