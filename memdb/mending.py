"""A damaged file mended: what cannot be read is set aside in a file beside it, what is made of all else made anew, what was lost told."""

from __future__ import annotations

import errno
import glob
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TextIO

from memdb import driver, schema, stored, tables
from memdb.answers import Mended
from memdb.database import Database
from memdb.disk import UNFINISHED, files_of, finish, finished, make_empty, take_away, to_disk
from memdb.errors import ConflictError, InputError, SchemaError, StoreError
from memdb.records import Damage
from memdb.salvage import is_needed, salvage
from memdb.store import tell_meanings
from memdb.trees import Pages

_SEEDED = ("kinds", "memory_types", "sections", "predicates", "weights")  # every new file has their rows
_HOLDING = ("kinds", "memory_types", "tenants", "databases", "collections")  # with one of their rows, others would go that can be read
_LEFT = re.compile(r"\.(\d{8}T\d{12}Z)\.(damaged|aside\.sql|new)\.unfinished(?:-wal|-shm|-journal)?")
_COUNTED = (slice(24, 28), slice(92, 100))  # of the first page: how often SQLite has written the file, and with which version
_PART = 1 << 20


class _PagesDamaged(Exception):
    """No mending of rows helps."""


class _Files:
    """The files beside a memory that a mending makes; until it is done, their names tell that it is not."""

    def __init__(self, path: Path, now: datetime) -> None:
        self.time = f"{now:%Y%m%dT%H%M%S%fZ}"
        self._path, self._stem = path, f"{path}.{self.time}"
        self.copy, self.aside, self.new = (Path(f"{self._stem}.{name}{UNFINISHED}") for name in ("damaged", "aside.sql", "new"))

    @contextmanager
    def made(self) -> Iterator[TextIO]:
        """Have them made, and what is set aside open to be written; on an error, all of them are taken away again.

        Raises:
            StoreError: they cannot be written.
        """
        made: list[Path] = []
        try:
            for path in (self.copy, self.aside, self.new):
                if os.path.lexists(named := finished(path)):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(named))
                make_empty(path, mode=os.stat(self._path).st_mode & 0o777)  # nobody may read it who may not read the other
                made.append(path)
            with self.aside.open("w", encoding="utf-8") as file:
                yield file
        except BaseException as error:
            for path in made:
                take_away(*files_of(path))
            if isinstance(error, OSError):
                told = f"{self._stem}.* cannot be written ({error.strerror}); nothing was changed, so make room for a copy and repeat it."
                raise StoreError(told) from error
            raise

    def finish(self, told: Mended) -> Mended:
        """Give the copy its name, and the other if there is anything in it; return what is told, with the names."""
        if not told.set_aside:
            take_away(self.aside)
        kept_in = str(finish(self.aside)) if told.set_aside else None
        return told.model_copy(update={"copy_of_before": str(finish(self.copy)), "kept_in": kept_in})


def mend(db: Database, *, now: datetime) -> Mended:
    """Copy the file, set its damaged rows aside and make its indexes anew, all of it or nothing; return what was done, and what is left.

    Where its pages are damaged, all that can still be read is put into a new file, with which it is overwritten.

    Raises:
        InputError: the memory has no file.
        StoreError: the file cannot be read or written; it is as it was.
    """
    found = stored.damage(db)
    if db.file is None:
        if found:
            raise InputError("A memory without a file cannot be copied, and so it is not mended; open one that has a file.")
        return Mended()
    if not found:
        if not _left(db.path):
            return Mended()
        with db.transaction():
            return Mended(kept_before=_tidied(db.path, None, mended=_mended(db)))
    files = _Files(db.path, now)
    with suppress(_PagesDamaged):
        return _mend_rows(db, files, found)
    return _mend_pages(db, files)  # here, since that error held on to a statement, and the file would be in use


def mend_closed(path: Path, *, now: datetime) -> Mended:
    """Put all that can be read of a file that cannot be opened into a new one, which takes its place; return what was lost.

    Raises:
        SchemaError: there is no telling what it held.
        StoreError: it cannot be read, or nothing can be written beside it; it is as it was.
    """
    files = _Files(path, now)
    with files.made() as file, driver.translated(path):
        for beside in ("", "-wal"):
            if os.path.exists(f"{path}{beside}"):
                shutil.copyfile(f"{path}{beside}", f"{files.copy}{beside}")
                to_disk(Path(f"{files.copy}{beside}"))
        before = _tidied(path, files.copy, mended=None)
        told = _salvaged(files, file, path=path)
        to_disk(files.new)
    done = files.finish(told.model_copy(update={"kept_before": before}))
    to_disk(path.parent)  # the copy of the log has its name there before the log goes
    take_away(Path(f"{path}-wal"), Path(f"{path}-shm"))  # or the log would be put into the new file
    os.replace(files.new, path)
    to_disk(path.parent)
    return done


def _mend_rows(db: Database, files: _Files, found: list[Damage]) -> Mended:
    with files.made() as file:
        with _told_of_pages(), db.transaction():
            with db.translated():
                tables.copy_file(db.path, files.copy)
            before = _tidied(db.path, files.copy, mended=_mended(db))
            with _pages(files.copy) as pages:
                if schema.lacks_a_table(db) or is_needed(db, pages):
                    raise _PagesDamaged
            aside, left = _made_sound(db, file)
            db.run("meta.put", name="mended", value=files.time)
            _all_to_disk(file)
        take_away(files.new)
        if left == found:
            take_away(files.copy, files.aside)
            return Mended(left=tuple(left), kept_before=before)
        return files.finish(Mended(set_aside=tuple(aside), left=tuple(left), kept_before=before))


@contextmanager
def _told_of_pages() -> Iterator[None]:
    """Have an error told as damage of pages where it tells of one."""
    try:
        yield
    except ConflictError as error:  # the rows on its pages cannot all be of one table
        raise _PagesDamaged from error
    except StoreError as error:
        if error.damaged:
            raise _PagesDamaged from error
        raise


def _made_sound(db: Database, file: TextIO) -> tuple[list[Damage], list[Damage]]:
    """Set the damaged rows aside and make anew what is made of the others; return those rows, and what is damaged even so."""
    made = schema.make_anew(db, "trigger", "view")
    if not schema.tells_meanings(db):  # before the rows are looked through
        tell_meanings(db)
    aside = _set_aside(db, file)
    made += schema.make_anew(db, "index")
    db.run("mend.no_words")
    db.run("mend.words")
    if made:  # nobody knows since when rows had no vector wanted
        db.run("mend.wanted")
    left = stored.damage(db)
    if any(one.table is None for one in left):
        raise _PagesDamaged
    return aside, left


def _mend_pages(db: Database, files: _Files) -> Mended:
    with files.made() as file, db.overwritten(by=files.new) as overwrite:
        with db.translated():
            tables.copy_file(db.path, files.copy)
        told = _salvaged(files, file, path=db.path)
        overwrite()
    take_away(files.new)
    return files.finish(told)


def _salvaged(files: _Files, file: TextIO, *, path: Path) -> Mended:
    """Fill the new file with what the copy still holds; return what was lost, set aside, and is damaged even so."""
    try:
        with _pages(files.copy) as pages:
            lost, aside = salvage(pages, files.new, file)
    except (SchemaError, ValueError) as error:  # nothing at all can be mapped of an empty file
        told = f"{path} is so damaged that nothing can be saved of it here ({error}); nothing was changed, so restore a copy."
        raise SchemaError(told) from error
    db = Database(files.new)
    try:
        db.set("foreign_keys", 1)
        with db.transaction():
            aside += _set_aside(db, file)
            left = stored.damage(db)
            db.run("meta.put", name="mended", value=files.time)
        db.checkpoint()
    finally:
        db.close()
    _all_to_disk(file)
    return Mended(lost=tuple(lost), set_aside=tuple(aside), left=tuple(left))


def _all_to_disk(file: TextIO) -> None:
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def _pages(path: Path) -> Iterator[Pages]:
    """The pages of a file, and of the log beside it."""
    log = Path(f"{path}-wal")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as held:
        yield Pages(held, log.read_bytes() if log.exists() else b"")


def _set_aside(db: Database, file: TextIO) -> list[Damage]:
    """Move the damaged rows into a file, with what refers to them; one that every new memory has is as in a new one then."""
    aside: list[Damage] = []
    met: set[Damage] = set()
    db.set("defer_foreign_keys", 1)
    with _no_json_indexes(db), db.translated():
        db.connection.execute("reindex")  # no row can leave an index that it is not found in
        references = db.references()
        _put_right(db)
        while rows := [one for one in stored.damaged_rows(db) if one[0] not in met]:
            for damage, named in rows:
                met.add(damage)
                table = str(damage.table)
                new = _in_a_new_file(table, named) if table in _SEEDED else []
                if table in _HOLDING and not new and tables.is_named(db.connection, references, table, named):
                    continue
                print(f"-- {table}, {damage.row!s}: {damage.fault}".replace("\n", " "), file=file)
                written = tables.rows_as_sql(db.connection, table, named)
                written += tables.dependents_as_sql(db.connection, references, table, named)
                print(*dict.fromkeys(written), sep="\n", file=file)
                if table == "fact_history":  # which lets nothing go but what is forgotten
                    db.run("forget.allow", user_id=damage.user_id, key=None)
                tables.delete_rows(db.connection, table, named)
                db.run("forget.disallow")
                for row in new:
                    db.connection.execute(row)
                if table == "segments":  # its events wait for another one
                    db.run("mend.no_segments")
                if table == "outbox":  # or the vector that waits there would never be made
                    db.run("mend.wanted_again", id=int(named["id"]))
                aside.append(damage)
    return aside


def _put_right(db: Database) -> None:
    """Have again what rows name and is not there, as far as it follows from them, or every new file has it."""
    lacking = {(one.parent, *names.items()): names for one, _, names in db.dangling() if one.parent in _SEEDED}
    for (parent, *_), names in lacking.items():
        for row in _in_a_new_file(str(parent), names):
            db.connection.execute(row)
    for statement in ("mend.databases", "mend.tenants", "mend.database_ids", "mend.collection_ids", "mend.no_segments"):
        db.run(statement)
    db.run("mend.dimension", sql=None)


def _in_a_new_file(table: str, named: dict[str, bytes]) -> list[str]:
    fresh = tables.fresh()
    try:
        return tables.rows_as_sql(fresh, table, named)
    finally:
        fresh.close()


@contextmanager
def _no_json_indexes(db: Database) -> Iterator[None]:
    """Be without the indexes that no row can leave whose JSON is none, within the caller's transaction."""
    indexes = db.all("mend.json_indexes")
    with db.translated():
        for index in indexes:
            tables.drop(db.connection, "index", str(index["name"]))
    yield
    with db.translated():
        for index in indexes:
            db.connection.execute(str(index["sql"]))


def _left(path: Path) -> dict[str, list[Path]]:
    """The files that a mending which was killed has left beside a memory, by its time; or one that goes on: who holds the lock knows."""
    found: dict[str, list[Path]] = {}
    for beside in sorted(path.parent.glob(f"{glob.escape(path.name)}.*")):
        if told := _LEFT.fullmatch(beside.name[len(path.name) :]):
            found.setdefault(told[1], []).append(beside)
    return found


def _mended(db: Database) -> str | None:
    """When a mending has changed a file last, if one has."""
    row = db.one("meta.mended")
    return row["value"].decode(errors="replace") if row is not None and isinstance(row["value"], bytes) else None


def _tidied(of: Path, copy: Path | None, *, mended: str | None) -> tuple[str, ...]:
    """Tidy up what a mending that was killed has left: give what may be needed its name, which is returned, and take the rest away.

    What it made of a file that it did not change is not needed where that is still the same: as the copy is now. `mended` is when one has
    changed it last. The caller holds the lock, or nobody has the file open.
    """
    kept: list[str] = []
    for time, paths in _left(of).items():
        if copy is not None and any(path == copy for path in paths):  # it is this very one's
            continue
        copies = [path for path in paths if path.name.endswith(f".damaged{UNFINISHED}")]
        # begun and not whole, so that nothing was changed yet
        begun = not copies or not copies[0].stat().st_size or Path(f"{copies[0]}-journal").exists()
        if time != mended and (begun or (copy is not None and _same(copies[0], copy))):
            take_away(*paths)
            continue
        for path in paths:
            if path in copies or (path.name.endswith(f".sql{UNFINISHED}") and path.stat().st_size):
                kept.append(str(finish(path)))
        take_away(*paths)
    return tuple(kept)


def _same(one: Path, other: Path) -> bool:
    """Whether two copies are of one state of a file."""
    if one.stat().st_size != other.stat().st_size:
        return False
    with one.open("rb") as first, other.open("rb") as second:
        heads = [bytearray(file.read(_PART)) for file in (first, second)]
        for head in heads:
            for counted in _COUNTED:
                head[counted] = bytes(counted.stop - counted.start)
        return heads[0] == heads[1] and all(part == second.read(_PART) for part in iter(lambda: first.read(_PART), b""))
