"""A damaged file mended: rows that cannot be read are set aside in a file beside it, and what is made of all others is made anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TextIO

from memdb import driver, stored
from memdb.answers import Mended
from memdb.database import Database
from memdb.errors import InputError, StoreError
from memdb.records import Damage

_SEEDED = ("kinds", "sections", "predicates", "weights")  # every new file has their rows
_HOLDING = ("collections", "kinds")  # with one of their rows, others would go that can be read


def mend(db: Database, *, now: datetime) -> Mended:
    """Copy the file, set its damaged rows aside and make its indexes anew, all of it or nothing; return what was done, and what is left.

    Raises:
        InputError: the memory has no file.
        StoreError: the file cannot be read or written; it is as it was.
    """
    if not (found := stored.damage(db)):
        return Mended()
    if db.file is None:
        raise InputError("A memory without a file cannot be copied, and so it is not mended; open one that has a file.")
    stem = f"{db.path}.{now:%Y%m%dT%H%M%S%fZ}"
    copy, kept_in = Path(f"{stem}.damaged"), Path(f"{stem}.aside.sql")
    made: list[Path] = []
    try:
        for path in (copy, kept_in):
            _make(path, like=db.path)
            made.append(path)
        with db.translated():
            driver.copy_file(db.connection, copy)
        with kept_in.open("w", encoding="utf-8") as file, db.transaction():
            aside = _set_aside(db, file)
            db.run("mend.no_words")
            db.run("mend.words")
            left = stored.damage(db)
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        _take_away(*made)
        if isinstance(error, OSError):
            told = f"{stem}.* cannot be written ({error.strerror}); nothing was changed, so make room for a copy and repeat it."
            raise StoreError(told) from error
        raise
    if left == found:
        _take_away(copy, kept_in)
        return Mended(left=tuple(left))
    if not aside:
        _take_away(kept_in)
    return Mended(set_aside=tuple(aside), left=tuple(left), copy_of_before=str(copy), kept_in=str(kept_in) if aside else None)


def _set_aside(db: Database, file: TextIO) -> list[Damage]:
    """Move the damaged rows into a file, with what refers to them; one that every new memory has is as in a new one then."""
    aside: list[Damage] = []
    met: set[Damage] = set()
    db.set("defer_foreign_keys", 1)
    with _no_json_indexes(db), db.translated():
        db.connection.execute("reindex")  # no row can leave an index that it is not found in
        while rows := [one for one in stored.damaged_rows(db) if one[0] not in met]:
            for damage, named in rows:
                met.add(damage)
                table = str(damage.table)
                new = _in_a_new_file(table, named) if table in _SEEDED else []
                if table in _HOLDING and not new:
                    continue
                print(f"-- {table}, {damage.row!s}: {damage.fault}".replace("\n", " "), file=file)
                written = driver.rows_as_sql(db.connection, table, named)
                for other in db.all("mend.dependents", table=table) if len(named) == 1 else ():
                    written += driver.rows_as_sql(db.connection, str(other["table"]), {str(other["column"]): next(iter(named.values()))})
                print(*dict.fromkeys(written), sep="\n", file=file)
                if table == "fact_history":  # which lets nothing go but what is forgotten
                    db.run("forget.allow", user_id=damage.user_id, key=None)
                driver.delete_rows(db.connection, table, named)
                db.run("forget.disallow")
                for row in new:
                    db.connection.execute(row)
                aside.append(damage)
    return aside


def _in_a_new_file(table: str, named: dict[str, bytes]) -> list[str]:
    fresh = driver.fresh()
    try:
        return driver.rows_as_sql(fresh, table, named)
    finally:
        fresh.close()


@contextmanager
def _no_json_indexes(db: Database) -> Iterator[None]:
    """Be without the indexes that no row can leave whose JSON is none, within the caller's transaction."""
    indexes = db.all("mend.json_indexes")
    with db.translated():
        for index in indexes:
            driver.drop_index(db.connection, str(index["name"]))
    yield
    with db.translated():
        for index in indexes:
            db.connection.execute(str(index["sql"]))


def _make(path: Path, *, like: Path) -> None:
    """Make a new, empty file that nobody may read who may not read the other."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, os.stat(like).st_mode & 0o777))


def _take_away(*paths: Path) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            path.unlink()
