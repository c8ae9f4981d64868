"""The door to the file: opening, checking, migrating, a connection for each thread. Only this module loads sqlite-vec."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import threading
from contextlib import suppress
from datetime import tzinfo
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple
from weakref import WeakSet
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import apsw

from memdb import files
from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.daytime import clock_changes
from memdb.driver import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    check_tables,
    check_version,
    closed_error,
    damaged_error,
    file_at,
    moved_error,
    translate,
)
from memdb.errors import BusyError, ConfigError, StoreError

IN_MEMORY = ":memory:"
"""SQLite's name for a database without a file, which each connection has one of its own of."""

_LOG_PAGES = 4_000
"""How long the write-ahead log gets, 16 MiB, before a commit moves it into the file. What is written again and again, as the ends of
indexes are, is then moved once: ten facts a call take a fifth less time than at SQLite's own 1,000, and a search hardly notices."""

_LOG_PAGES_BESIDE = 2_000
"""The same for threads that nobody waits for. They commit after everybody else, and so it is they who move it."""

_MADE = re.compile(r"\bcreate (?:unique )?(?:index|trigger) (\w+)")


class Told(NamedTuple):
    """What a file told: its embedder's name and length, when somebody was forgotten last, if it carries models, and the sets that rank."""

    embedder: tuple[str, int] | None
    forgotten: str | None
    has_models: bool
    weight_sets: tuple[str, ...]


class Store:
    """A mem.db file, opened. Every thread gets a connection of its own, which ends with it; closing closes them all.

    Whether sqlite-vec is wanted may be left open (`vectors` None) until the file has told what it holds; `equip` decides it then.

    Raises:
        SchemaError: the path holds something else, or a newer schema. Nothing is changed then.
        StoreError: the path cannot be opened, read or written.
    """

    def __init__(self, path: Path, config: Config, *, vectors: bool | None, of: Database | None = None) -> None:
        self.path = path
        self._of = of
        self._config = config
        self._vectors = vectors
        self._local = threading.local()
        self._lock = threading.Lock()
        self._databases: WeakSet[Database] = WeakSet()  # a thread that ends takes its own with it
        self._file: tuple[int, int] | None = None
        self._process = os.getpid()
        self._opened = self._closed = False
        self.opened_at = monotonic()
        self.served: dict[str, str] = {}  # by the kind of work, for whom it was done last: others come next
        self.database()

    def database(self) -> Database:
        """Return this thread's connection, opened on first use."""
        if self._closed:
            raise closed_error(self.path)
        if self.inherited:
            raise StoreError(f"The memory {self.path} was opened before this process was forked; open it again here with memdb.open().")
        existing: Database | None = getattr(self._local, "database", None)
        if existing is None:
            existing = self._open()
            self._local.database = existing
            with self._lock:
                self._databases.add(existing)
                self._file, self._opened = existing.file, True
        return existing

    def beside(self) -> None:
        """Say that nobody waits for this thread, before it first asks for its connection."""
        self._local.beside = True

    @property
    def inherited(self) -> bool:
        """Whether this process got the store from one that forked it: SQLite's locks and the threads are those of the other alone."""
        return self._process != os.getpid()

    @property
    def read_only(self) -> bool:
        """Whether the file can be read only."""
        return self.database().connection.readonly("main")

    def anew(self, *, vectors: bool) -> Store:
        """Open the same file once more, apart from this store, which may be closed before or want vectors where it does not.

        Raises:
            StoreError: the file was moved, deleted or replaced since it was opened.
        """
        if self._file != file_at(self.path):
            raise moved_error(self.path)
        return Store(self.path, self._config, vectors=vectors)

    def copied(self) -> Store:
        """Return a store of a copy in memory of what the file holds now, for this thread: nobody sees what is written to it.

        Nor does anybody wait for it.

        Raises:
            StoreError: the file cannot be read, or there is not so much memory.
        """
        return Store(self.path, self._config, vectors=self.database().has_vectors, of=self.database())

    def equip(self, *, vectors: bool) -> None:
        """Decide whether sqlite-vec is wanted; called once, before there are other threads."""
        database = self.database()
        self._vectors = vectors
        self._equip(database, vectors)

    def close(self) -> None:
        """Close every connection, each when its thread's statement is over. Closing twice does no harm."""
        with self._lock:
            self._closed = True
            databases, self._databases = list(self._databases), WeakSet()
        for database in databases:
            database.close()

    def take_away(self) -> Database:
        """Close the connections of all other threads, so that what they have not committed is undone; return this one's."""
        own = self.database()
        with self._lock:
            others = [database for database in self._databases if database is not own]
        for database in others:
            database.close(interrupt=True)
        return own

    def bind_embedder(self, name: str, dimension: int) -> None:
        """Make the vector index for an embedder, or check that it is the one this file was written with.

        Raises:
            ConfigError: the file holds another embedder's vectors; it is left as it is.
            StoreError: these are its own, and how long they are is told wrong.
        """
        database = self.database()
        remembered = self.embedder()
        if remembered == (name, dimension):
            return
        if remembered is not None:
            for wrong in database.all("check.dimension"):
                if remembered[0] == name and wrong["has"] == dimension:  # the embedder is not to blame
                    raise damaged_error(self.path, f"meta, name 'dimension': {remembered[1]}, where its index has vectors of {dimension}")
            raise ConfigError(
                f"{self.path} holds vectors of the embedder {remembered[0]} ({remembered[1]} dimensions), not {name} ({dimension}); "
                f"open it with that embedder, or with embedder=None for words only, or change it with `memdb reindex`."
            )
        with database.transaction():
            database.run("meta.put", name="embedder", value=name)
            database.run("meta.put", name="dimension", value=str(dimension))
            database.make_index(dimension)

    def embedder(self) -> tuple[str, int] | None:
        """Return the name and dimension of the embedder that wrote this file's vectors, or None."""
        values = {str(row["name"]): str(row["value"]) for row in self.database().all("meta.all")}
        return (values["embedder"], _dimension(values["dimension"], self.path)) if "embedder" in values else None

    @cached_property
    def told(self) -> Told:
        """What the file told when it was first asked."""
        [(embedder, dimension, forgotten, models, sets)] = self.database().tuples("opening")
        vectors = (str(embedder), _dimension(dimension, self.path)) if embedder is not None else None
        return Told(vectors, None if forgotten is None else str(forgotten), bool(models), tuple(json.loads(str(sets))))

    def _open(self) -> Database:
        if str(self.path) == IN_MEMORY and self._opened:
            raise StoreError(f"{IN_MEMORY} is there for the thread that opened it only; give a path to use a memory from several.")
        if self._opened and self._file != file_at(self.path):
            raise moved_error(self.path)
        try:
            database = Database(self.path, of=self._of)
        except ValueError as error:  # half a surrogate pair, or a NUL character
            raise StoreError(f"{str(self.path)!r} is no path that SQLite can open ({error}); give another.") from error
        except apsw.Error as error:
            raise translate(error, self.path) from error
        patience = monotonic() + self._config.busy_timeout_ms / 1000
        try:
            while True:
                try:
                    self._prepare(database)
                    return database
                except BusyError:  # SQLite does not wait by itself while another process makes the file or recovers its log
                    if monotonic() >= patience:
                        raise
                    sleep(0.01)
        except BaseException:
            database.close()
            raise

    def _prepare(self, database: Database) -> None:
        connection = database.connection
        with database.translated():
            database.patience.seconds = self._config.busy_timeout_ms / 1000
            # A statement is planned once, not anew for every value bound to it: planning the one that ranks takes longer than running it.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            with database.snapshot():  # of one moment: another process may be making the file
                check_tables(connection, self.path)
                version = check_version(connection, self.path)  # before the first pragma that writes
            if 0 < version < SCHEMA_VERSION and connection.readonly("main"):
                raise StoreError(
                    f"{self.path} has schema version {version}, older than the {SCHEMA_VERSION} wanted here, and cannot be brought up to"
                    " date as it cannot be written; make the file and its folder writable, or work on a copy of it elsewhere."
                )
            connection.execute("pragma journal_mode = wal")
            connection.execute(f"pragma synchronous = {self._config.synchronous}")
            connection.execute(f"pragma mmap_size = {int(self._config.mmap_mb * 1024 * 1024)}")
            if database.guard is None:  # which moves the log otherwise
                connection.wal_autocheckpoint(_LOG_PAGES_BESIDE if getattr(self._local, "beside", False) else _LOG_PAGES)
            connection.execute("pragma foreign_keys = on")
            connection.execute("pragma secure_delete = on")  # what is forgotten is overwritten, not only unlinked
            if version < SCHEMA_VERSION:
                _bring_up_to_date(database, self.path, self._config.zone)
                connection.execute("pragma writable_schema = reset")  # a migration may write into the schema itself: it is read again
        if self._vectors is not None:
            self._equip(database, self._vectors)

    def _equip(self, database: Database, vectors: bool) -> None:
        connection = database.connection
        with database.translated():
            if vectors:
                _load_sqlite_vec(connection)
            database.has_vectors = vectors and connection.table_exists("main", "facts_vec")
            if not database.has_vectors:
                connection.execute(files.read("sql/no_vectors.sql"))
            if not vectors:
                connection.create_scalar_function("vec_distance_cosine", _no_distance, 2, deterministic=True)


def _load_sqlite_vec(connection: apsw.Connection) -> None:
    beside = os.path.dirname(os.path.dirname(apsw.__file__))  # where it nearly always is: to look everywhere takes ten times as long
    package = PathFinder.find_spec("sqlite_vec", [beside]) or importlib.util.find_spec("sqlite_vec")
    if package is None or package.origin is None:
        raise ConfigError("Vectors need the package sqlite-vec; install memdb[vectors] or open with embedder=None.")
    connection.enable_load_extension(True)
    connection.load_extension(os.path.join(os.path.dirname(package.origin), "vec0"))
    connection.enable_load_extension(False)


def _dimension(told: SqlValue, path: Path) -> int:
    """How long the file's vectors are."""
    try:
        return int(str(told))
    except ValueError as error:
        raise damaged_error(path, f"meta, name 'dimension': {told!r} is no number") from error


def _no_distance(*_vectors: SqlValue) -> None:
    """Stand in for sqlite-vec's function, so that retrieve.sql prepares; without vectors it is never called."""


def _bring_up_to_date(database: Database, path: Path, zone: tzinfo) -> None:
    """Give a new file its schema, and an older one what has changed since."""
    with database.transaction():  # several processes may open a new file at once: the first one in does the work
        version = check_version(database.connection, path)
        others = _not_ours(database.connection) if version else {}
        for sql in [sql for number, sql in files.migrations() if number > version] if version else [files.schema()]:
            with database.translated():  # so that no change is hindered by a view of somebody's own that reads what is not there
                database.connection.execute("pragma writable_schema = on")
                database.connection.execute(sql)
        for name, sql in others.items():
            if not database.connection.execute("select 1 from sqlite_schema where name = ?", (name,)).fetchall():
                with suppress(apsw.SQLError):  # it went with a table that was made anew, and cannot be made where that has not its columns
                    database.connection.execute(sql)
        if version < SCHEMA_VERSION:
            with database.translated():
                database.connection.execute(f"pragma application_id = {APPLICATION_ID}")
            database.run("meta.put", name="schema_version", value=str(SCHEMA_VERSION))
            tell_meanings(database)
            tell_clocks(database, zone)


def tell_meanings(database: Database) -> None:
    """Write down what every table, view and column holds; by that they are also known as memdb's own."""
    with database.translated():
        database.connection.execute(files.read("sql/dictionary.sql"))


def tell_clocks(database: Database, zone: tzinfo) -> None:
    """Write down when the clocks changed where the file's turns were last taken in, in this zone if it does not tell."""
    told = database.one("meta.zone")
    with suppress(ZoneInfoNotFoundError):  # here
        zone = ZoneInfo(str(told["timezone"])) if told else zone
    database.run("meta.no_clocks")
    database.run("meta.clocks", changes=json.dumps(clock_changes(zone)))


def _not_ours(connection: apsw.Connection) -> dict[str, str]:
    """The indexes and triggers that somebody has made beside ours, by name, and the SQL that makes them."""
    ours = {name for _, sql in files.migrations() for name in _MADE.findall(sql)}
    rows = connection.execute("select name, sql from sqlite_schema where type in ('index', 'trigger') and sql is not null").fetchall()
    return {str(name): str(sql) for name, sql in rows if name not in ours}
