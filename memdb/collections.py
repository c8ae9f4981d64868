"""Vector collections in a mem.db: named sets of records with vectors of any dimension, metadata and documents, apart from the facts."""

from __future__ import annotations

import json
import math
import threading
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypedDict, cast

import numpy as np

from memdb.config import load_config
from memdb.embed import Embedder, MiniLM, to_blob
from memdb.errors import ConflictError, InputError, NotFoundError
from memdb.nearest import Floats, Space, Vectors, empty, to_rows
from memdb.steps.select import Filter, metadata_value, select
from memdb.store import Database, Row, SqlValue, Store

Scalar = str | int | float | bool
Metadata = Mapping[str, Scalar | Sequence[Scalar] | None]

DEFAULT_TENANT = "default_tenant"
DEFAULT_DATABASE = "default_database"

_HELD_BYTES = 1 << 30  # vectors kept in memory, all collections together; beyond it the ones longest unused are read again
_HIDDEN = "chroma:"  # metadata under such a key can be filtered by, but is not shown


class Hnsw(TypedDict):
    """The settings of Chroma's index. Only `space` has an effect here, since nothing is approximate; the others are kept."""

    space: Space
    ef_construction: int
    ef_search: int
    max_neighbors: int
    resize_factor: float
    sync_threshold: int


class Configuration(TypedDict):
    """What a collection remembers of how it was made."""

    hnsw: Hnsw
    spann: None
    embedding_function: dict[str, object] | None


@dataclass(frozen=True)
class CollectionModel:
    """A collection as it stood when it was read."""

    id: uuid.UUID
    name: str
    configuration_json: Configuration
    metadata: dict[str, Scalar] | None
    dimension: int | None = field(compare=False)
    tenant: str
    database: str
    number: int = field(repr=False, compare=False, default=0)
    version: int = field(repr=False, compare=False, default=0)
    erased: int = field(repr=False, compare=False, default=0)


class DatabaseModel(TypedDict):
    """A database of collections."""

    id: uuid.UUID
    name: str
    tenant: str


@dataclass(frozen=True)
class Records:
    """Records to write, column by column. A column that is None, or a None within it, leaves what is stored as it is."""

    ids: Sequence[str]
    embeddings: Floats | None = None
    metadatas: Sequence[Metadata | None] | None = None
    documents: Sequence[str | None] | None = None
    uris: Sequence[str | None] | None = None


@dataclass(frozen=True)
class Stored:
    """A record as it is stored; what was not asked for is None."""

    number: int
    id: str
    document: str | None
    uri: str | None
    metadata: dict[str, Scalar | list[Scalar]] | None
    embedding: Floats | None


@dataclass(frozen=True)
class Wanted:
    """Which columns of records to read."""

    documents: bool = False
    metadatas: bool = False
    embeddings: bool = False


class Collections:
    """The vector collections of one file. All methods may be called from any thread, and by many processes at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._store = Store(self.path, load_config(self.path), vectors=False)
        self._lock = threading.Lock()
        self._held: dict[uuid.UUID, Vectors] = {}  # the longest unused first

    def __enter__(self) -> Self:
        """Return the collections themselves."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        with self._lock:
            self._held.clear()
        self._store.close()

    # --- tenants and databases -----------------------------------------------------------------------------------------------

    def create_tenant(self, name: str) -> None:
        """Make a tenant.

        Raises:
            ConflictError: there is one of this name.
        """
        db = self._store.database()
        with db.transaction():
            if db.one("collections.tenant", name=name) is not None:
                raise ConflictError(f"Tenant [{name}] already exists")
            db.run("collections.tenant_put", name=name)

    def check_tenant(self, name: str) -> None:
        """Make sure that a tenant exists.

        Raises:
            NotFoundError: it does not.
        """
        if self._store.database().one("collections.tenant", name=name) is None:
            raise NotFoundError(f"Tenant [{name}] not found")

    def create_database(self, name: str, tenant: str) -> None:
        """Make a database of a tenant.

        Raises:
            NotFoundError: there is no such tenant.
            ConflictError: it has a database of this name.
        """
        db = self._store.database()
        with db.transaction():
            self.check_tenant(tenant)
            if db.one("collections.database", tenant=tenant, name=name) is not None:
                raise ConflictError(f"Database [{name}] already exists")
            db.run("collections.database_put", database_id=str(uuid.uuid4()), tenant=tenant, name=name)

    def database(self, name: str, tenant: str) -> DatabaseModel:
        """Return a database of a tenant.

        Raises:
            NotFoundError: there is none of this name.
        """
        row = self._store.database().one("collections.database", tenant=tenant, name=name)
        if row is None:
            raise NotFoundError(f"Database [{name}] not found. Are you sure it exists?")
        return _database(row)

    def databases(self, tenant: str, *, limit: int | None = None, offset: int | None = None) -> list[DatabaseModel]:
        """Return the databases of a tenant, by name."""
        page = {"limit": -1 if limit is None else limit, "offset": offset or 0}
        return [_database(row) for row in self._store.database().all("collections.databases", tenant=tenant, **page)]

    def delete_database(self, name: str, tenant: str) -> None:
        """Delete a database with all its collections.

        Raises:
            NotFoundError: there is none of this name.
        """
        db = self._store.database()
        with db.transaction():
            if not db.run("collections.database_drop", tenant=tenant, name=name):
                raise NotFoundError(f"Database [{name}] not found. Are you sure it exists?")

    # --- collections ---------------------------------------------------------------------------------------------------------

    def create(
        self,
        name: str,
        *,
        tenant: str,
        database: str,
        configuration: Configuration,
        metadata: Mapping[str, Scalar] | None,
        get_or_create: bool = False,
    ) -> CollectionModel:
        """Make a collection, or with `get_or_create` return the one of this name as it is.

        Raises:
            NotFoundError: there is no such database.
            ConflictError: there is a collection of this name.
        """
        db = self._store.database()
        with db.transaction():
            self.database(database, tenant)
            row = db.one("collections.by_name", tenant=tenant, database=database, name=name)
            if row is not None:
                if not get_or_create:
                    raise ConflictError(f"Collection [{name}] already exists")
                return _model(row)
            db.run(
                "collections.create",
                collection_id=str(uuid.uuid4()),
                tenant=tenant,
                database=database,
                name=name,
                configuration=json.dumps(configuration),
                metadata=None if metadata is None else _json(metadata),
            )
            return self.get(name, tenant=tenant, database=database)

    def get(self, name: str, *, tenant: str, database: str) -> CollectionModel:
        """Return a collection by its name.

        Raises:
            NotFoundError: there is none.
        """
        row = self._store.database().one("collections.by_name", tenant=tenant, database=database, name=name)
        if row is None:
            raise NotFoundError(f"Collection [{name}] does not exist")
        return _model(row)

    def get_by_id(self, collection: uuid.UUID) -> CollectionModel:
        """Return a collection by its id.

        Raises:
            NotFoundError: there is none.
        """
        row = self._store.database().one("collections.by_id", collection_id=str(collection))
        if row is None:
            raise NotFoundError(f"Collection [{collection}] does not exist.")
        return _model(row)

    def list(self, *, tenant: str, database: str, limit: int | None = None, offset: int | None = None) -> Sequence[CollectionModel]:
        """Return the collections of a database, in the order in which they were made."""
        page = {"limit": -1 if limit is None else limit, "offset": offset or 0}
        return [_model(row) for row in self._store.database().all("collections.list", tenant=tenant, database=database, **page)]

    def count_collections(self, *, tenant: str, database: str) -> int:
        """Return how many collections a database has."""
        return _number(self._store.database().one("collections.count", tenant=tenant, database=database))

    def modify(
        self,
        collection: uuid.UUID,
        *,
        name: str | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        configuration: Configuration | None = None,
    ) -> None:
        """Give a collection another name, other metadata in the place of all it had, or another configuration.

        Raises:
            NotFoundError: there is no such collection.
            ConflictError: another one has this name.
        """
        db = self._store.database()
        with db.transaction():
            model = self.get_by_id(collection)
            wanted = name or model.name
            taken = db.one("collections.by_name", tenant=model.tenant, database=model.database, name=wanted)
            if taken is not None and taken["collection_id"] != str(collection):
                raise ConflictError(f"Collection [{wanted}] already exists")
            kept = metadata if metadata is not None else model.metadata
            db.run(
                "collections.modify",
                collection_id=str(collection),
                name=wanted,
                metadata=None if kept is None else _json(kept),
                configuration=json.dumps(configuration or model.configuration_json),
            )

    def drop(self, name: str, *, tenant: str, database: str) -> None:
        """Delete a collection with all its records.

        Raises:
            NotFoundError: there is none.
        """
        db = self._store.database()
        with db.transaction():
            if not db.run("collections.drop", tenant=tenant, database=database, name=name):
                raise NotFoundError(f"Collection [{name}] does not exist")

    def reset(self) -> None:
        """Delete all collections, tenants and databases but the default ones. Facts and messages stay."""
        db = self._store.database()
        with db.transaction():
            for statement in ("drop_all", "drop_databases", "drop_tenants"):
                db.run(f"collections.{statement}")
        with self._lock:
            self._held.clear()

    # --- records: writing ----------------------------------------------------------------------------------------------------

    def put(self, collection: uuid.UUID, records: Records, *, mode: Literal["add", "update", "upsert"]) -> None:
        """Write records: "add" leaves those that exist as they are, "update" those that do not exist out, "upsert" does either.

        Raises:
            NotFoundError: there is no such collection.
            InputError: the vectors have another dimension than the collection.
        """
        db = self._store.database()
        with db.transaction():
            model = self.get_by_id(collection)
            dimension = _dimension(model, records.embeddings)
            db.run("collections.written", collection=model.number, dimension=dimension)
            for place, record_id in enumerate(records.ids):
                row = db.one(
                    f"collections.{mode}",
                    collection=model.number,
                    record_id=record_id,
                    version=model.version + 1,
                    document=records.documents[place] if records.documents else None,
                    uri=records.uris[place] if records.uris else None,
                    embedding=to_blob(records.embeddings[place]) if records.embeddings is not None else None,
                )
                metadata = records.metadatas[place] if records.metadatas else None
                if row is not None and metadata is not None:
                    _put_metadata(db, model.number, int(str(row["id"])), metadata)

    def delete(
        self,
        collection: uuid.UUID,
        *,
        ids: Sequence[str] | None = None,
        where: Filter | None = None,
        where_document: Filter | None = None,
        limit: int | None = None,
    ) -> int:
        """Delete the records that fit everything given, the oldest first where there is a limit, and return how many those were.

        Raises:
            NotFoundError: there is no such collection.
        """
        db = self._store.database()
        with db.transaction():
            model = self.get_by_id(collection)
            found = sorted(select(db, model.number, ids=ids, where=where, where_document=where_document) or ())[:limit]
            if found:
                db.run("collections.delete", records=json.dumps(found))
                db.run("collections.erased", collection=model.number)
            return len(found)

    # --- records: reading ----------------------------------------------------------------------------------------------------

    def count(self, collection: uuid.UUID) -> int:
        """Return how many records a collection has.

        Raises:
            NotFoundError: there is no such collection.
        """
        db = self._store.database()
        with db.snapshot():
            return _number(db.one("collections.records_count", collection=self.get_by_id(collection).number))

    def read(
        self,
        collection: uuid.UUID,
        wanted: Wanted,
        *,
        ids: Sequence[str] | None = None,
        where: Filter | None = None,
        where_document: Filter | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Sequence[Stored]:
        """Return the records that fit everything given, in the order in which they were added.

        Raises:
            NotFoundError: there is no such collection.
        """
        db = self._store.database()
        with db.snapshot():
            model = self.get_by_id(collection)
            found = select(db, model.number, ids=ids, where=where, where_document=where_document)
            if found is None:
                page = db.all("collections.page", collection=model.number, limit=-1 if limit is None else limit, offset=offset)
                numbers = [int(str(row["id"])) for row in page]
            else:
                numbers = sorted(found)[offset : None if limit is None else offset + limit]
            return _read(db, numbers, wanted)

    def query(
        self,
        collection: uuid.UUID,
        queries: Floats,
        k: int,
        wanted: Wanted,
        *,
        ids: Sequence[str] | None = None,
        where: Filter | None = None,
        where_document: Filter | None = None,
    ) -> Sequence[Sequence[tuple[Stored, float]]]:
        """Return, for every query, the k nearest of the records that fit everything else, with their distances. Nothing is approximate.

        Raises:
            NotFoundError: there is no such collection.
            InputError: the queries have another dimension than the collection.
        """
        db = self._store.database()
        with ExitStack() as reading:
            with self._lock:  # the snapshot begins under it, so that no other thread's newer vectors meet an older snapshot
                reading.enter_context(db.snapshot())
                model = self.get_by_id(collection)
                _dimension(model, queries)
                vectors = self._vectors(db, model)
            found = select(db, model.number, ids=ids, where=where, where_document=where_document)
            among = None if found is None else np.array(sorted(found), dtype=np.int64)
            space = model.configuration_json["hnsw"]["space"]
            hits = [vectors.nearest(query, k, space=space, among=among) for query in queries]
            records = {record.number: record for record in _read(db, sorted({n for hit in hits for n, _ in hit}), wanted)}
            return [[(records[number], distance) for number, distance in hit] for hit in hits]

    def _vectors(self, db: Database, model: CollectionModel) -> Vectors:
        held = self._held.pop(model.id, None) or empty(model.dimension or 1)
        if held.version != model.version:
            rows = db.all("collections.vectors", collection=model.number, version=held.version)
            alive = None
            if model.erased > held.erased and held.version >= 0:
                everything = db.one("select.everything", collection=model.number)
                alive = np.array(json.loads(str(everything["records"])) if everything else [], dtype=np.int64)
            held = held.changed(
                np.array([row["id"] for row in rows], dtype=np.int64),
                to_rows([cast(bytes, row["embedding"]) for row in rows], model.dimension or 1),
                alive=alive,
                version=model.version,
                erased=model.erased,
            )
        self._held[model.id] = held
        while len(self._held) > 1 and sum(vectors.size for vectors in self._held.values()) > _HELD_BYTES:
            del self._held[next(iter(self._held))]
        return held


@cache
def local_embedder() -> Embedder:
    """Return the embedder that runs on this machine, all-MiniLM-L6-v2: loaded at its first use, and once."""
    return MiniLM()


def _dimension(model: CollectionModel, embeddings: Floats | None) -> int | None:
    if embeddings is None:
        return None
    given = int(embeddings.shape[1])
    if model.dimension not in (None, given):
        raise InputError(f"Collection expecting embedding with dimension of {model.dimension}, got {given}")
    return given


def _put_metadata(db: Database, collection: int, record: int, metadata: Metadata) -> None:
    for key, value in metadata.items():
        db.run("collections.metadata_clear", record=record, key=key)
        if isinstance(value, float) and not math.isfinite(value):
            continue
        single = value is None or isinstance(value, str | int | float)
        items = [] if value is None else [value] if isinstance(value, str | int | float) else value
        for place, item in enumerate(items, start=-1 if single else 0):
            kind, stored = metadata_value(item)
            db.run("collections.metadata_put", record=record, key=key, place=place, collection=collection, type=kind, value=stored)


def _read(db: Database, numbers: Sequence[int], wanted: Wanted) -> Sequence[Stored]:
    records = json.dumps(list(numbers))
    rows = db.all("collections.read", records=records, documents=wanted.documents, embeddings=wanted.embeddings)
    metadatas = _metadatas(db.all("collections.metadata", records=records)) if wanted.metadatas else {}
    return [_stored(row, metadatas.get(int(str(row["id"])))) for row in rows]


def _stored(row: Row, metadata: dict[str, Scalar | list[Scalar]] | None) -> Stored:
    uri = _text(row["uri"])
    if uri is not None and metadata is None:
        metadata = {}
    shown = None if metadata is None else {key: value for key, value in metadata.items() if not key.startswith(_HIDDEN)}
    blob = row["embedding"]
    embedding = np.frombuffer(blob, dtype="<f4") if isinstance(blob, bytes) else None
    return Stored(int(str(row["id"])), str(row["record_id"]), _text(row["document"]), uri, shown, embedding)


def _metadatas(rows: Sequence[Row]) -> dict[int, dict[str, Scalar | list[Scalar]]]:
    found: dict[int, dict[str, Scalar | list[Scalar]]] = {}
    for row in rows:
        value = cast(Scalar, row["value"])
        value = bool(value) if row["type"] == "boolean" else value
        metadata = found.setdefault(int(str(row["record"])), {})
        key, place = str(row["key"]), row["place"]
        if place == -1:
            metadata[key] = value
        else:
            cast("list[Scalar]", metadata.setdefault(key, [])).append(value)
    return found


def _model(row: Row) -> CollectionModel:
    return CollectionModel(
        id=uuid.UUID(str(row["collection_id"])),
        name=str(row["name"]),
        configuration_json=json.loads(str(row["configuration"])),
        metadata=None if row["metadata"] is None else json.loads(str(row["metadata"])),
        dimension=None if row["dimension"] is None else int(str(row["dimension"])),
        tenant=str(row["tenant"]),
        database=str(row["database"]),
        number=int(str(row["id"])),
        version=int(str(row["version"])),
        erased=int(str(row["erased"])),
    )


def _database(row: Row) -> DatabaseModel:
    return DatabaseModel(id=uuid.UUID(str(row["database_id"])), name=str(row["name"]), tenant=str(row["tenant"]))


def _json(metadata: Mapping[str, Scalar]) -> str:
    try:
        return json.dumps(dict(metadata), allow_nan=False)
    except ValueError as error:
        raise InputError(f"The metadata {dict(metadata)!r} of a collection cannot be stored ({error}); give finite numbers.") from error


def _text(value: SqlValue) -> str | None:
    return None if value is None else str(value)


def _number(row: Row | None) -> int:
    return int(str(row["number"])) if row else 0
