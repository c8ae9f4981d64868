"""A connection to the file: running statements, in transactions, with errors in memdb's words."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from time import sleep

import apsw

from memdb import another_sqlite, files, forking
from memdb.driver import NO_UTF_8, check_version, damaged_error, file_at, first, moved_error, row_error, translate
from memdb.errors import BusyError, MdbError, SchemaError, StoreError
from memdb.locks import Patience
from memdb.log_moving import LogMover
from memdb.tables import NamedRow, Reference, dangling_rows, garbled_rows, overwriting, rows_against_rules, unreadable_tables

SqlValue = str | int | float | bytes | None
Row = dict[str, SqlValue]

_ROOM_KIB = 64 * 1024
_REFUSED = (apsw.Error, UnicodeError, OverflowError)  # by SQLite, and by the driver that would hand it a value, or one of its
_CLOSED = (apsw.ConnectionClosedError, apsw.ThreadingViolationError)  # a connection is used by one thread only, and by who closes it
_AS_IT_IS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_ROWS_AT_ONCE = 100
_KEPT_BYTES = 8 * 1024 * 1024
_KEPT_ROWS = 16_384  # that `kept` holds, counting a statement as one more: some five megabytes
_PREPARED = 512  # statements, and the most that apsw takes
_MALFORMED = "malformed JSON"
_FULL = 2  # as SQLite counts the values of `synchronous`
_STEPS = 1_000_000  # of SQLite's machine, some hundredths of a second
_BY_ITSELF = nullcontext()


def _go_on() -> bool:
    """Go on with a statement. To be asked is enough: Python hears Ctrl-C only where it runs, and SQLite may take seconds."""
    return False


class Database:
    """One connection. Statements go by their name in `sql/`; every parameter is named, and a missing or a spare one is an error."""

    def __init__(self, path: Path, *, of: Database | None = None) -> None:
        """Connect to a file, or to a copy in memory `of` what another connection sees, which nobody else does."""
        self.path = path
        self.has_vectors = False
        self.lock = threading.RLock()
        self.patience = Patience()
        self.guard: another_sqlite.Guard | None = None
        self._kept: dict[tuple[SqlValue, ...], list[tuple[SqlValue, ...]]] = {}
        self._kept_rows = 0
        self._kept_of: tuple[int, int] | None = None
        with forking.gate:
            self.connection = connect(path) if of is None else of._copied()
            self.connection.set_busy_handler(self.patience)
            self.connection.set_progress_handler(_go_on, _STEPS)
            forking.watch(self)
            self.file = file_at(path) if of is None else None
            if self.file is not None and apsw.using_amalgamation:  # otherwise Python's own may be the same library
                another_sqlite.watch(self)

    def __del__(self) -> None:
        if sys.is_finalizing() or not hasattr(self, "connection"):  # other threads have stopped wherever they were; or it could not be made
            return
        with forking.gate, suppress(*_CLOSED):
            self._close()

    def close(self, *, interrupt: bool = False) -> None:
        """End the connection, when its thread's statement is over, or at once. Closing twice does no harm."""
        while True:
            try:
                with forking.gate:
                    if interrupt:
                        self.patience.seconds = 0.0
                        self.connection.interrupt()
                    self._close()
                    another_sqlite.let_go(self)
                return
            except apsw.ConnectionClosedError:
                return
            except apsw.ThreadingViolationError:
                sleep(0.001)

    def _close(self) -> None:
        if self.guard is not None:  # which ends the log, since it may not be the last
            self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        self.connection.close()
        self.guard = None

    def heed_guard(self, guard: another_sqlite.Guard) -> None:
        """Write and move the log by this guard from here on, and let go of it when closed."""
        self.guard = guard
        with suppress(*_CLOSED):
            self.connection.set_wal_hook(guard.heed)

    @property
    def at_rest(self) -> bool:
        """Whether it neither reads nor writes."""
        with suppress(*_CLOSED):
            return self.connection.txn_state("main") == apsw.SQLITE_TXN_NONE
        return True

    def _alone(self) -> AbstractContextManager[None]:
        """Keep Python's own SQLite from writing to the file, if it is open there."""
        return _BY_ITSELF if self.guard is None or self.writing else self.guard.alone(self.path, self.patience)

    @property
    def writing(self) -> bool:
        """Whether a transaction, or a snapshot, has begun and is not over."""
        with suppress(*_CLOSED):
            return self.connection.in_transaction
        return False

    def all(self, statement: str, **parameters: SqlValue) -> list[Row]:
        """Run a statement and return its rows as dictionaries.

        Raises:
            StoreError: the database refused; BusyError, ConflictError where it says why.
        """
        try:
            with self.lock:
                cursor = self.connection.execute(*_bound(statement, parameters))
                first = next(cursor, None)
                if first is None:
                    return []
                names = [column[0] for column in cursor.get_description()]  # to be had only while there are rows
                return [dict(zip(names, values, strict=True)) for values in chain([first], cursor)]
        except _REFUSED as error:
            raise self._told(error, parameters) from error

    def each(self, statement: str, **parameters: SqlValue) -> Iterator[Row]:
        """Run a statement and give its rows as dictionaries, some at a time: for what may be as much as the file holds.

        Raises:
            StoreError: the database refused, perhaps after some rows; BusyError, ConflictError where it says why.
        """
        try:
            with self.lock:
                cursor = self.connection.execute(*_bound(statement, parameters))
                some = list(islice(cursor, 1))
                names = [column[0] for column in cursor.get_description()] if some else []  # to be had only while there are rows
            while some:
                yield from (dict(zip(names, values, strict=True)) for values in some)
                with self.lock:
                    some = list(islice(cursor, _ROWS_AT_ONCE))
        except _REFUSED as error:
            raise self._told(error, parameters) from error

    def tuples(self, statement: str, **parameters: SqlValue) -> list[tuple[SqlValue, ...]]:
        """Run a statement and return its rows as tuples: for many rows, or where every microsecond counts.

        Raises:
            StoreError: the database refused; BusyError, ConflictError where it says why.
        """
        try:
            with self.lock:
                return self.connection.execute(*_bound(statement, parameters)).fetchall()
        except _REFUSED as error:
            raise self._told(error, parameters) from error

    def kept(self, statement: str, **parameters: SqlValue) -> list[tuple[SqlValue, ...]]:
        """Return the rows of a statement as tuples, not to be changed; it is run anew only if the file may have changed since it last was.

        For what is asked again and again. The parameters come in the same order each time.

        Raises:
            StoreError: the database refused; BusyError, ConflictError where it says why.
        """
        try:
            with self.lock:
                state = self.connection.txn_state("main")
                if state == apsw.SQLITE_TXN_WRITE:  # what is read now may be undone
                    return self.tuples(statement, **parameters)
                if state == apsw.SQLITE_TXN_NONE:  # only whoever begins to read learns what others have written
                    self.connection.execute("pragma data_version").fetchall()
                now = self.connection.data_version("main"), self.connection.total_changes()
                if now != self._kept_of or self._kept_rows >= _KEPT_ROWS:
                    self._kept.clear()
                    self._kept_of, self._kept_rows = now, 0
                asked = (statement, *parameters.values())
                if (rows := self._kept.get(asked)) is None:
                    rows = self._kept[asked] = self.tuples(statement, **parameters)
                    self._kept_rows += len(rows) + 1
                return rows
        except _REFUSED as error:
            raise self._told(error) from error

    def one(self, statement: str, **parameters: SqlValue) -> Row | None:
        """Run a statement and return its first row, or None."""
        rows = self.all(statement, **parameters)
        return rows[0] if rows else None

    def run(self, statement: str, **parameters: SqlValue) -> int:
        """Run a writing statement and return how many rows it changed, triggers not counted."""
        self.all(statement, **parameters)
        return self.connection.changes()

    @property
    def changes(self) -> int:
        """How many rows this connection has changed so far, those of the index tables counted."""
        return self.connection.total_changes()

    @property
    def version(self) -> int:
        """A number that is another one after each commit to the file, whoever made it; to be asked within a transaction or a snapshot."""
        with self.translated():
            return self.connection.data_version("main")

    def run_many(self, statement: str, batch: Sequence[Mapping[str, SqlValue]]) -> None:
        """Run a writing statement once for every set of parameters."""
        with self.translated():
            self.connection.executemany(files.statement(statement), (_bound(statement, parameters)[1] for parameters in batch))

    def read_blobs(
        self, table: str, column: str, places: Iterable[tuple[int, int, int]], into: memoryview, size: int, *, length: int
    ) -> None:
        """Read `size` bytes of each of some blobs, all `length` bytes long, without a copy on the way.

        Each place is a row's id, where in its blob to begin, and where in the buffer the bytes shall stand.

        Raises:
            StoreError: there is no such row, or its blob is of another length.
        """
        with self.translated():
            blob: apsw.Blob | None = None
            try:
                for row, start, offset in places:
                    if blob is None:
                        blob = self.connection.blob_open("main", table, column, row, False)
                    else:
                        blob.reopen(row)
                    if blob.length() != length:
                        raise apsw.CorruptError(f"row {row} of {table} has {blob.length()} bytes instead of {length}")
                    if start:
                        blob.seek(start)
                    blob.read_into(into, offset, size)
            finally:
                if blob is not None:
                    blob.close(True)

    def run_rows(self, statement: str, names: Sequence[str], rows: Iterable[Sequence[SqlValue | memoryview]]) -> None:
        """Run a writing statement once for every row, whose values are those of `names`: for thousands of rows.

        The names are told once, in the order in which the statement first uses them.
        """
        sql, _ = _bound(statement, dict.fromkeys(names))
        if (order := files.parameter_order(sql)) != tuple(names):
            raise StoreError(f"Statement {statement} uses its parameters in the order {list(order)}; give the values in it.")
        with self.translated():
            self.connection.executemany(sql, rows)

    def make_index(self, dimension: int) -> None:
        """Make the vector index for vectors of this length, if there is none; the connection must have sqlite-vec."""
        with self.translated():
            # or the index would be made on these
            for stand_in in ("facts_vec", "facts_vec_chunks", "facts_vec_vector_chunks00", "facts_vec_rowids"):
                self.connection.execute(f"drop table if exists temp.{stand_in}")
            self.connection.execute(files.read("sql/vectors.sql").replace("float[384]", f"float[{int(dimension)}]"))
        self.run("quantize.follow")
        self.has_vectors = True

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and empty it, as far as readers allow."""
        if self.guard is not None:
            self.guard.move_log()
        with self.translated(), suppress(BusyError), self._alone():
            self.connection.execute("pragma wal_checkpoint(truncate)")

    def integrity(self) -> list[str]:
        """Return what SQLite itself finds wrong: pages, indexes, and values that a table's own rules keep out.

        Only a search has FTS5 see what other connections have written since the last; otherwise it takes that for damage.
        """
        with self.snapshot(), self.translated():
            with suppress(apsw.Error):  # if it is damaged, that is told below
                self.connection.execute(files.statement("check.look")).fetchall()
            told = [str(line) for (line,) in self.connection.execute("pragma integrity_check")]
            told += [f"the table {name} cannot be read" for name in unreadable_tables(self.connection)]
        return [line for line in dict.fromkeys(told) if line != "ok"]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock from the first line to the last; commit at the end, undo everything on an error.

        Within another one, it is the outer one that commits.

        Raises:
            SchemaError: a newer memdb has brought the file up to date since it was opened here; nothing is written.
            StoreError: another file lies there by now, or none; nothing is written.
        """
        with self.lock, self._alone():
            with self.translated():
                within = self.connection.in_transaction
                if not within and self.file is not None and self.file != file_at(self.path):
                    raise moved_error(self.path)
                if within:
                    self.connection.execute("savepoint part")
            try:
                if not within:
                    with self.translated():
                        self.connection.execute("begin immediate")  # here, since Ctrl-C may come right after it
                        check_version(self.connection, self.path)
                yield
                with self.translated():
                    self.connection.execute("release part" if within else "commit")
            except BaseException:
                # SQLite itself undoes a transaction on a full disk, an I/O error, or when closed; then there is nothing left to roll back.
                with suppress(*_CLOSED):
                    if self.connection.in_transaction:
                        self.connection.execute("rollback to part; release part" if within else "rollback")
                raise

    @contextmanager
    def durably(self) -> Iterator[None]:
        """Have what is committed within survive a power cut, whatever the setting `synchronous` is: for what goes with a file beside."""
        usual = self.setting("synchronous")
        try:
            self.set("synchronous", _FULL)
            yield
        finally:
            self.set("synchronous", usual)

    @contextmanager
    def supposing(self) -> Iterator[None]:
        """Have this connection see weight sets of its own, the file's to begin with: what it writes to them is gone at the end.

        Nobody else sees them, and nobody waits for them. The statements of this connection are planned anew after that.
        """
        try:
            with self.translated():
                self.connection.execute(files.read("sql/supposing.sql"))
            yield
        finally:
            self._kept_of = None
            with self.translated():
                self.connection.execute("drop table if exists temp.weights")

    @contextmanager
    def looking_back(self, *, found: str, archived: str) -> Iterator[None]:
        """Have this connection see only these rows of `facts`, and of the archive as if they stood there; nothing may be written meanwhile.

        `found` is a JSON array of ids, `archived` JSON [[fact_id, words], …]. The connection's statements are planned anew after that.
        """
        with self.translated():
            self.connection.execute("savepoint looking_back")
        try:
            with self.translated():
                self.connection.execute(files.read("sql/looking_back.sql"), {"found": found, "archived": archived})
            yield
        finally:
            self._kept_of = None
            with self.translated():
                self.connection.execute("rollback to looking_back")
                self.connection.execute("release looking_back")

    @contextmanager
    def roomy(self) -> Iterator[None]:
        """Hold what is written in memory until it is committed, rather than write parts of it to disk before and read them again.

        What was held is let go of at the end.
        """
        usual = [(name, self.setting(f"{name}.cache_size")) for name in ("main", "temp")]
        try:
            self._hold([(name, -_ROOM_KIB) for name, _ in usual])
            yield
        finally:
            self._hold(usual)

    @contextmanager
    def log_moved_aside(self) -> Iterator[Callable[[], None]]:
        """Have another thread move the write-ahead log into the file while this one goes on writing.

        What is given is to be called after each transaction. In the end all is moved, as far as readers allow.
        """
        usual = self.setting("wal_autocheckpoint")
        with self.translated():
            beside = Database(self.path)
        beside.set("synchronous", self.setting("synchronous"))
        mover = LogMover(beside.move_log)
        try:
            self.set("wal_autocheckpoint", 0)
            self._tell_log(mover.heed)
            yield mover.go_on
        finally:
            mover.finish()
            beside.close()
            self._tell_log(None)
            if self.guard is None:
                self.set("wal_autocheckpoint", usual)

    @contextmanager
    def untriggered(self) -> Iterator[None]:
        """Leave the triggers out, for who does for thousands of rows at once what they do for each.

        Every statement of this connection is planned anew after that.
        """
        try:
            self._fire(False)
            yield
        finally:
            self._fire(True)

    def move_log(self) -> None:
        """Move the write-ahead log into the file, as far as readers allow; what fails is left for another time."""
        with suppress(apsw.Error), self.lock:
            if self.guard is not None:
                self.guard.move_log()
            else:
                self.connection.execute("pragma wal_checkpoint(passive)").fetchall()

    def _copied(self) -> apsw.Connection:
        """A connection to a copy in memory of all that this one sees now; others may write meanwhile."""
        with self.translated():
            copy = connect(Path(":memory:"))
            with copy.backup("main", self.connection, "main") as pages:
                pages.step(-1)
            return copy

    def _tell_log(self, heed: Callable[[int], None] | None) -> None:
        """Have it told how many pages the log has after each transaction, or nobody."""

        def told(_connection: apsw.Connection, _name: str, pages: int) -> int:
            if heed is not None:
                heed(pages)
            return apsw.SQLITE_OK

        usual = None if self.guard is None else self.guard.heed
        with self.translated():
            self.connection.set_wal_hook(usual if heed is None else told)

    def _fire(self, triggers: bool) -> None:
        with self.translated():
            self.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, int(triggers))

    def _hold(self, sizes: Sequence[tuple[str, int]]) -> None:
        for name, size in sizes:
            self.set(f"{name}.cache_size", size)

    def setting(self, pragma: str) -> int:
        """Return what one of SQLite's settings is."""
        with self.translated():
            return int(str(first(self.connection, f"pragma {pragma}")))

    def set(self, pragma: str, value: int) -> None:
        """Set one of SQLite's settings."""
        with self.translated():
            self.connection.execute(f"pragma {pragma} = {value}")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of the file from the first line to the last, whatever others write meanwhile."""
        with self.lock:
            outermost = not self.writing
            try:
                if outermost:
                    with self.translated():
                        self.connection.execute("begin")  # here, since Ctrl-C may come right after it
                yield
            finally:
                with suppress(*_CLOSED):
                    if outermost and self.connection.in_transaction:  # an error may have ended it
                        self.connection.execute("rollback")

    @contextmanager
    def overwritten(self, *, by: Path) -> Iterator[Callable[[], None]]:
        """Hold the write lock until what is given is called: then the file is overwritten by another one, all of it or nothing.

        This connection is not to be used meanwhile. The other file is empty at first, and may be filled meanwhile.
        """
        try:
            with self.translated(), self._alone(), overwriting(self.connection, by) as overwrite:
                yield overwrite
        finally:
            self._kept_of = None

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn the driver's errors into memdb's, the cause kept."""
        try:
            with self.lock:
                yield
        except _REFUSED as error:
            raise self._told(error) from error

    def _told(self, error: Exception, asked: Mapping[str, SqlValue] = {}) -> MdbError:
        """The error in memdb's words; what a statement misses in a schema that a newer memdb has changed meanwhile is that it is newer.

        `asked` is what the statement was given: whose rows, and which, if it was told.
        """
        if isinstance(error, apsw.SQLError):
            try:
                with self.lock:
                    check_version(self.connection, self.path)
            except SchemaError as newer:
                return newer
            except apsw.Error:
                pass  # the first error is the one to tell
            if str(error) == _MALFORMED:
                return self._malformed(asked)
        if isinstance(error, UnicodeDecodeError):
            return self._unreadable(asked)
        return translate(error, self.path)

    def _unreadable(self, asked: Mapping[str, SqlValue]) -> StoreError:
        """The error where a text is no UTF-8, which the driver does not say of which row: who came upon it would come upon it again."""
        for row, fault in self.garbled():
            if fault == NO_UTF_8 and (asked.get("user_id") is None or row.user_id in (None, asked["user_id"])):
                error = row_error(self.path, f"{row.table}, {row.name}: {NO_UTF_8}", user_id=row.user_id)
                error.damaged = True
                return error
        return damaged_error(self.path, NO_UTF_8)

    def garbled(self) -> Iterator[tuple[NamedRow, str]]:
        """Go through the rows of all tables of memdb's with a text that is none: no UTF-8, or zeros; each with what is wrong with it."""
        for table, (columns, key) in self._columns().items():
            texts = [str(column["column"]) for column in columns if column["is_text"]]
            if texts and key:
                with self.translated():
                    found = garbled_rows(self.connection, table, texts=texts, key=key, owned="user_id" in texts)
                yield from found

    def against_rules(self) -> Iterator[tuple[NamedRow, str]]:
        """Go through the rows of all tables of memdb's that hold what the table's own rules keep out; each with what is wrong with it."""
        for table, (columns, key) in self._columns().items():
            if key:
                with self.translated():
                    owned = any(column["column"] == "user_id" for column in columns)
                    found = rows_against_rules(self.connection, table, key=key, owned=owned)
                yield from found

    def references(self) -> list[Reference]:
        """Return which columns of memdb's tables name rows of which others."""
        found: dict[tuple[SqlValue, SqlValue], Reference] = {}
        for row in self.all("check.references"):
            one = found.get((row["table"], row["id"]), Reference(str(row["table"]), (), str(row["parent"]), (), bool(row["goes"])))
            columns, names = (*one.columns, str(row["column"])), (*one.names, str(row["named"]))
            found[row["table"], row["id"]] = one._replace(columns=columns, names=names)
        return list(found.values())

    def dangling(self) -> Iterator[tuple[Reference, NamedRow, dict[str, bytes]]]:
        """Go through the rows that name one of another table which is not there, with what it would be named by."""
        columns = self._columns()
        for one in self.references():
            held, key = columns[one.table]
            with self.translated():
                found = dangling_rows(self.connection, one, key=key, owned=any(column["column"] == "user_id" for column in held))
            yield from ((one, row, names) for row, names in found)

    def _columns(self) -> dict[str, tuple[list[Row], list[str]]]:
        """The columns of each of memdb's tables, and those that name a row."""
        found: dict[str, tuple[list[Row], list[str]]] = {}
        for column in self.all("check.columns"):
            found.setdefault(str(column["table"]), ([], []))[0].append(column)
        for columns, key in found.values():
            key += [str(one["column"]) for one in sorted(columns, key=lambda one: int(one["place"] or 0)) if one["place"]]
        return found

    def _malformed(self, asked: Mapping[str, SqlValue]) -> StoreError:
        """The error where SQLite met a text that is to be JSON and is none, without saying where: in a row asked for, or in the user's."""
        rows = self.all("check.malformed")
        user_id = asked.get("user_id")
        likely = [row for row in rows if asked.get(str(row["called"])) == row["name"]] or [
            row for row in rows if user_id is None or row["user_id"] in (None, user_id)
        ]
        for row in likely:
            detail = f"{row['table']!s}, {row['called']!s} {row['name']!r}: {row['column']!s} is no JSON"
            return row_error(self.path, detail, user_id=None if row["user_id"] is None else str(row["user_id"]))
        tell = row_error if rows else damaged_error
        return tell(self.path, "a text in it that is to be JSON is none")


def connect(path: Path) -> apsw.Connection:
    """Connect to a file; in a folder that cannot be written, so that it can have no log, one that was closed properly is read as it is.

    What was not among the last `_PREPARED` executions, of whatever statements, is prepared anew, which takes retrieve.sql 7 ms. A turn
    that is observed, thought about and answered runs more than the hundred that are apsw's own measure.
    """
    name = str(path)
    if os.path.isfile(name) and not os.access(os.path.dirname(name) or ".", os.W_OK) and not os.path.exists(f"{name}-wal"):
        return apsw.Connection(f"{path.resolve().as_uri()}?immutable=1", flags=_AS_IT_IS, statementcachesize=_PREPARED)
    return apsw.Connection(name, statementcachesize=_PREPARED)


@cache
def keep_freed_memory() -> None:
    """Have the C library keep freed memory for what needs it next, as glibc does, up to twice a block's size, once it has seen it freed.

    Otherwise what a search needs for its intermediate results may be given back to the system after each and taken again for the next, page
    by page: that takes nearly as long as the search itself.
    """
    bytes(_KEPT_BYTES // 2)


def _bound(statement: str, parameters: Mapping[str, SqlValue]) -> tuple[str, list[SqlValue]]:
    """Return the statement's text and the values in the order of its parameters; the driver itself would not tell a spare one.

    Given a dictionary, the driver would look up the name of each parameter anew, which takes longer than to bind it.
    """
    sql = files.statement(statement)
    order = files.parameter_order(sql)
    try:
        if len(order) == len(parameters):
            return sql, [*map(parameters.__getitem__, order)]
    except KeyError:
        pass
    raise StoreError(f"Statement {statement} wants the parameters {sorted(order)} and was given {sorted(parameters)}.")


def listed(values: Iterable[str] | None) -> str | None:
    """Return names as a statement takes a list of them: JSON; None for none given."""
    return None if values is None else _listed(tuple(values))


@lru_cache(maxsize=256)
def _listed(values: tuple[str, ...]) -> str:
    return json.dumps(values)
