"""Clients with chromadb's own methods: `PersistentClient` on a mem.db, `EphemeralClient` on one that is gone afterwards."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from memdb import InputError
from memdb import NotFoundError as MdbNotFoundError
from memdb.collection_types import CollectionModel, DatabaseModel, Scalar
from memdb.collections import DEFAULT_DATABASE, DEFAULT_TENANT, Collections
from memdb.interfaces.chroma import validate
from memdb.interfaces.chroma.collection import Collection
from memdb.interfaces.chroma.config import Settings
from memdb.interfaces.chroma.configuration import (
    CreateConfiguration,
    check_metadata_keys,
    check_name,
    check_same_function,
    chosen_function,
    created,
    stored_metadata,
)
from memdb.interfaces.chroma.embedding import AnyEmbeddingFunction, DefaultEmbeddingFunction, check_signature
from memdb.interfaces.chroma.errors import AuthorizationError, InvalidArgumentError, NotFoundError, translated
from memdb.interfaces.chroma.reconcile import reconciled
from memdb.interfaces.chroma.schema import Schema
from memdb.interfaces.chroma.types import DataLoader, UserIdentity

log = logging.getLogger("memdb")

_DEFAULT = DefaultEmbeddingFunction()
_IN_MEMORY = "ephemeral"
_THEIRS = "chroma.sqlite3"  # what chromadb itself keeps its collections in
_LOCAL = ("memdb.interfaces.chroma", "chromadb.api.rust.RustBindingsAPI", "chromadb.api.segment.SegmentAPI")  # the others ask a server

VERSION = "1.5.9"
"""The version of the chromadb whose behaviour this is."""


class _Shared:
    """Open files by their path: clients of one file share its vectors, and the last one to close closes it."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Know of none: what the process has open that forked this one is that one's alone, the temporary file, too."""
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Collections, int]] = {}

    def take(self, key: str) -> Collections:
        with self._lock:
            collections, users = self._open.get(key) or (_opened(key), 0)
            self._open[key] = (collections, users + 1)
            return collections

    def close(self) -> None:
        """Close whatever is still open, when the process ends."""
        for key, (collections, _) in list(self._open.items()):
            self._open[key] = (collections, 1)
            self.give_back(key, collections)

    def give_back(self, key: str, collections: Collections) -> None:
        with self._lock:
            opened, users = self._open.get(key, (None, 0))
            if opened is not collections:  # it was taken by the process that forked this one
                return
            if users > 1:
                self._open[key] = (collections, users - 1)
                return
            del self._open[key]
        collections.close()
        if key == _IN_MEMORY:
            shutil.rmtree(collections.path.parent, ignore_errors=True)


_shared = _Shared()
atexit.register(_shared.close)  # so that no temporary file is left behind
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared.begin_anew)


def _opened(key: str) -> Collections:
    if key == _IN_MEMORY:
        return Collections(Path(tempfile.mkdtemp(prefix="memdb-")) / "mem.db")
    folder = Path(key).parent
    folder.mkdir(parents=True, exist_ok=True)
    if not os.path.exists(key) and os.path.exists(folder / _THEIRS):
        log.warning("%s has collections of chromadb itself, which are not read; copy them as docs/chroma.md tells. %s is new.", folder, key)
    return Collections(key)


class _Handle:
    """A share in an open file. Use it as a context manager, or call `close()`."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._closed = True
        self._settings = settings or Settings()
        _check_local(self._settings)
        self._key = str(_file(self._settings.persist_directory).resolve()) if self._settings.is_persistent else _IN_MEMORY
        with translated():
            self._collections = _shared.take(self._key)
        self._closed = False

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the client."""
        self.close()

    def close(self) -> None:
        """Give the file back; the last client of a file closes it. Closing twice does no harm."""
        if not self._closed:
            self._closed = True
            _shared.give_back(self._key, self._collections)


class AdminClient(_Handle):
    """Makes and deletes tenants and databases. Use it as a context manager, or call `close()`."""

    def create_tenant(self, name: str) -> None:
        """Make a tenant."""
        with translated():
            self._collections.create_tenant(_long_enough(_text(name)))

    def get_tenant(self, name: str) -> dict[str, str]:
        """Return a tenant."""
        with translated():
            self._collections.check_tenant(_text(name))
        return {"name": name}

    def create_database(self, name: str, tenant: str = DEFAULT_TENANT) -> None:
        """Make a database of a tenant."""
        with translated():
            _text(name), _text(tenant, "tenant")
            self._collections.create_database(_long_enough(name, "database name"), tenant)

    def get_database(self, name: str, tenant: str = DEFAULT_TENANT) -> DatabaseModel:
        """Return a database of a tenant."""
        with translated():
            _text(name), _text(tenant, "tenant")
            return self._collections.database(_long_enough(name, "database name"), tenant)

    def list_databases(self, limit: int | None = None, offset: int | None = None, tenant: str = DEFAULT_TENANT) -> Sequence[DatabaseModel]:
        """Return the databases of a tenant."""
        page = {"limit": validate.check_page("limit", limit), "offset": validate.check_page("offset", offset)}
        with translated():
            return self._collections.databases(_text(tenant, "tenant"), **page)

    def delete_database(self, name: str, tenant: str = DEFAULT_TENANT) -> None:
        """Delete a database with all its collections."""
        with translated():
            self._collections.delete_database(_text(name), _text(tenant, "tenant"))


class ClientAPI(_Handle):
    """Makes, finds and deletes the collections of one database. Use it as a context manager, or call `close()`."""

    def __init__(self, settings: Settings | None = None, tenant: str = DEFAULT_TENANT, database: str = DEFAULT_DATABASE) -> None:
        super().__init__(settings)
        self.tenant, self.database = tenant, database
        try:
            self.set_tenant(tenant, database)
        except BaseException:
            self.close()
            raise

    # collections

    def create_collection(
        self,
        name: str,
        schema: Schema | None = None,
        configuration: CreateConfiguration | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        embedding_function: AnyEmbeddingFunction | None = _DEFAULT,
        data_loader: DataLoader[object] | None = None,
        get_or_create: bool = False,
    ) -> Collection:
        """Make a collection. With `get_or_create`, one of this name that exists is returned as it is.

        A schema that says more than is usual leaves nothing for the configuration, the metadata and the embedding function to say.
        """
        model = self._created(name, schema, configuration, metadata, embedding_function, get_or_create=get_or_create)
        return Collection(self._collections, model, embedding_function, data_loader)

    def get_or_create_collection(
        self,
        name: str,
        schema: Schema | None = None,
        configuration: CreateConfiguration | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        embedding_function: AnyEmbeddingFunction | None = _DEFAULT,
        data_loader: DataLoader[object] | None = None,
    ) -> Collection:
        """Return the collection of this name, made now if there is none; one that exists keeps its metadata and configuration."""
        model = self._created(name, schema, configuration, metadata, embedding_function, get_or_create=True)
        return self._collection(model, embedding_function, data_loader)

    def get_collection(
        self, name: str, embedding_function: AnyEmbeddingFunction | None = _DEFAULT, data_loader: DataLoader[object] | None = None
    ) -> Collection:
        """Return a collection by its name."""
        with translated():
            model = self._collections.get(_text(name), tenant=self.tenant, database=self.database)
        return self._collection(model, embedding_function, data_loader)

    def get_collection_by_id(
        self, id: uuid.UUID, embedding_function: AnyEmbeddingFunction | None = _DEFAULT, data_loader: DataLoader[object] | None = None
    ) -> Collection:
        """Return a collection by its id."""
        try:
            known = uuid.UUID(str(id))
        except ValueError as error:
            raise InvalidArgumentError("Validation error: collection_id: Invalid collection ID format, expected UUID") from error
        try:
            model = self._collections.get_by_id(known)
        except MdbNotFoundError as error:
            raise NotFoundError(f"Collection [{known}] does not exist") from error
        return self._collection(model, embedding_function, data_loader)

    def list_collections(self, limit: int | None = None, offset: int | None = None) -> Sequence[Collection]:
        """Return the collections of this database, in the order in which they were made."""
        page = {"limit": validate.check_page("limit", limit), "offset": validate.check_page("offset", offset)}
        with translated():
            models = self._collections.list(tenant=self.tenant, database=self.database, **page)
        return [Collection(self._collections, model, _DEFAULT) for model in models]

    def count_collections(self) -> int:
        """Return how many collections this database has."""
        with translated():
            return self._collections.count_collections(tenant=self.tenant, database=self.database)

    def delete_collection(self, name: str) -> None:
        """Delete a collection with all its records."""
        with translated():
            self._collections.drop(_text(name), tenant=self.tenant, database=self.database)

    # the client itself

    def set_tenant(self, tenant: str, database: str = DEFAULT_DATABASE) -> None:
        """Work in another tenant's database from now on."""
        if not isinstance(tenant, str):
            raise InputError(f"Could not connect to tenant {tenant}. Are you sure it exists?")
        with translated():
            self._collections.check_tenant(tenant)
            self._collections.database(_long_enough(_text(database), "database name"), tenant)
        self.tenant, self.database = tenant, database

    def set_database(self, database: str) -> None:
        """Work in another database of this tenant from now on."""
        self.set_tenant(self.tenant, database)

    def heartbeat(self) -> int:
        """Return the time in nanoseconds since 1970."""
        return time.time_ns()

    def reset(self) -> bool:
        """Delete all collections of the file, and all tenants and databases but the default ones; the memory's facts stay.

        Raises:
            AuthorizationError: the settings do not allow it.
        """
        if not self._settings.allow_reset:
            raise AuthorizationError("Reset is disabled by config")
        with translated():
            self._collections.reset()
        return True

    def get_version(self) -> str:
        """Return the version of chromadb whose behaviour this is."""
        return VERSION

    def get_settings(self) -> Settings:
        """Return the settings the client was made with."""
        return self._settings

    def get_max_batch_size(self) -> int:
        """Return how many records may be written at once, so that nobody else waits for long."""
        return validate.MAX_BATCH

    def get_user_identity(self) -> UserIdentity:
        """Return who the client works as."""
        return UserIdentity(user_id="", tenant=DEFAULT_TENANT, databases=[DEFAULT_DATABASE])

    @staticmethod
    def clear_system_cache() -> None:
        """Do nothing: files are closed by the last client that closes."""

    def _created(
        self,
        name: str,
        schema: Schema | None,
        configuration: CreateConfiguration | None,
        metadata: Mapping[str, Scalar] | None,
        function: AnyEmbeddingFunction | None,
        *,
        get_or_create: bool,
    ) -> CollectionModel:
        """Make a collection, or find it. What is wrong is told in chromadb's order, so that of two mistakes it is the same one."""
        chosen = chosen_function({} if configuration is None else configuration, function)
        told = schema.serialize_to_json() if schema else None
        _text(name)
        kept = stored_metadata(metadata)
        validate.check_flag("get_or_create", get_or_create)
        vectors = created({} if configuration is None else configuration, kept or {}, chosen)
        check_name(name)
        check_metadata_keys(kept)
        if function is not None:
            check_signature(function)
        with translated():
            try:
                return self._collections.create(
                    name,
                    tenant=self.tenant,
                    database=self.database,
                    schema=reconciled(told, vectors),
                    metadata=kept,
                    get_or_create=get_or_create,
                )
            except MdbNotFoundError as error:  # here alone chromadb has another word for it
                raise InvalidArgumentError(f"Database [{self.database}] does not exist") from error

    def _collection(self, model: CollectionModel, function: AnyEmbeddingFunction | None, loader: DataLoader[object] | None) -> Collection:
        check_same_function(model.configuration_json, function)
        return Collection(self._collections, model, function, loader)


def PersistentClient(
    path: str | Path = "./chroma",
    settings: Settings | None = None,
    tenant: str = DEFAULT_TENANT,
    database: str = DEFAULT_DATABASE,
) -> ClientAPI:
    """Return a client on a mem.db: the file itself where the path ends in `.db` or is a file, otherwise `mem.db` in that folder."""
    settings = settings or Settings()
    settings.is_persistent, settings.persist_directory = True, str(path)
    return ClientAPI(settings, str(tenant), str(database))


def EphemeralClient(settings: Settings | None = None, tenant: str = DEFAULT_TENANT, database: str = DEFAULT_DATABASE) -> ClientAPI:
    """Return a client on a temporary file, gone when the last such client of the process closes; they all see the same."""
    settings = settings or Settings()
    settings.is_persistent = False
    return ClientAPI(settings, str(tenant), str(database))


def Client(settings: Settings | None = None, tenant: str = DEFAULT_TENANT, database: str = DEFAULT_DATABASE) -> ClientAPI:
    """Return a persistent client where the settings or the environment say so, otherwise an ephemeral one."""
    settings = settings or Settings()
    if settings.is_persistent:
        return PersistentClient(settings.persist_directory, settings, tenant, database)
    return EphemeralClient(settings, tenant, database)


def _file(path: str) -> Path:
    return Path(path) if Path(path).is_file() or Path(path).suffix == ".db" else Path(path) / "mem.db"


def _check_local(settings: Settings) -> None:
    """Make sure that settings ask for a file, or for none: what would be kept elsewhere must not be lost with an ephemeral client.

    Raises:
        InputError: they ask for a server, or are of a chromadb before 0.4.
    """
    if vars(settings).get("chroma_db_impl") is not None:
        raise InputError("The setting chroma_db_impl is that of a chromadb before 0.4; leave it out, and use PersistentClient(path).")
    if settings.chroma_api_impl not in _LOCAL:
        raise InputError(
            f"Unsupported Chroma API implementation {settings.chroma_api_impl}; a mem.db is a file, use PersistentClient(path)."
        )


def _text(given: object, argument: str = "name") -> str:
    if not isinstance(given, str):
        raise TypeError(f"argument {argument!r}: {type(given).__name__!r} object cannot be converted to 'PyString'")
    given.encode()  # raises where it is no Unicode
    return given


def _long_enough(name: str, what: str = "tenant name") -> str:
    if len(name.encode()) < 3:
        raise InvalidArgumentError(f"{what} must be at least 3 characters")
    return name
