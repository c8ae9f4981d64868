"""A collection with chromadb's own methods: the same signatures, results, filters and errors, on a mem.db."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NoReturn, cast
from uuid import UUID

from memdb import InputError
from memdb.collection_types import CollectionModel, Configuration, Metadata, Scalar
from memdb.collections import Collections
from memdb.interfaces.chroma import filters, validate
from memdb.interfaces.chroma.columns import Columns, given, result, wanted, with_uris
from memdb.interfaces.chroma.configuration import (
    CollectionConfiguration,
    CreateConfiguration,
    changed_settings,
    check_name,
    modified,
    opened,
    shown_metadata,
)
from memdb.interfaces.chroma.embedding import (
    AnyEmbeddingFunction,
    DefaultEmbeddingFunction,
    check_signature,
    embed,
    remembered,
    to_matrix,
)
from memdb.interfaces.chroma.errors import NotFoundError, translated, within
from memdb.interfaces.chroma.schema import Schema
from memdb.interfaces.chroma.types import (
    ID,
    URI,
    DataLoader,
    DeleteResult,
    Document,
    Embeddings,
    GetResult,
    Include,
    QueryResult,
    ReadLevel,
    Where,
    WhereDocument,
)

_GET: Include = ["metadatas", "documents"]
_PEEK: Include = ["metadatas", "documents", "embeddings"]
_QUERY: Include = ["metadatas", "documents", "distances"]


class Collection:
    """A named set of records, each with a vector and, if wished, a document, metadata and a URI. Made and found by a client.

    Single values are taken wherever lists are. Vectors are compared exactly: what `query` returns are the nearest.
    """

    def __init__(
        self,
        client: Collections,
        model: CollectionModel,
        embedding_function: AnyEmbeddingFunction | None = None,
        data_loader: DataLoader[object] | None = None,
    ) -> None:
        if embedding_function is not None:
            check_signature(embedding_function)
        self._client, self._model = client, model
        self._embedding_function, self._data_loader = embedding_function, data_loader

    def __repr__(self) -> str:
        return f"Collection(name={self.name})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collection):
            return NotImplemented
        return (
            self._model == other._model
            and self._embedding_function == other._embedding_function
            and self._data_loader == other._data_loader
        )

    __hash__ = None  # type: ignore[assignment]  # as in chromadb: a collection can change its name

    # what it is

    @property
    def id(self) -> UUID:
        """What tells it from every other collection, whatever its name."""
        return self._model.id

    @property
    def name(self) -> str:
        """Its name."""
        return self._model.name

    @property
    def metadata(self) -> dict[str, object] | None:
        """Its metadata, or None."""
        return None if self._model.metadata is None else dict(self._model.metadata)

    @property
    def configuration(self) -> CollectionConfiguration:
        """How it is set up, with the embedding function it remembers."""
        return opened(self._model.configuration_json)

    @property
    def configuration_json(self) -> Configuration:
        """How it is set up, as it is stored."""
        return self._model.configuration_json

    @property
    def schema(self) -> Schema:
        """Which indexes it had when it was made or found, with the keys of metadata that were met by then."""
        return Schema.deserialize_from_json(self._model.serialized_schema)

    @property
    def tenant(self) -> str:
        """The tenant it belongs to."""
        return self._model.tenant

    @property
    def database(self) -> str:
        """The database it belongs to."""
        return self._model.database

    def get_model(self) -> CollectionModel:
        """Return all of this at once."""
        return self._model

    def modify(
        self, name: str | None = None, metadata: Mapping[str, object] | None = None, configuration: CreateConfiguration | None = None
    ) -> None:
        """Give it another name, other metadata in the place of all it had, or other settings."""
        if metadata is not None:
            validate.check_metadata(metadata)
            if "hnsw:space" in metadata:
                raise InputError("Changing the distance function of a collection once it is created is not supported currently.")
        if name is not None:
            check_name(name, field="new_name")
        kept = None if metadata is None else shown_metadata(metadata)
        settings = changed_settings(configuration or {})
        change = partial(modified, settings=settings, function=(configuration or {}).get("embedding_function")) if configuration else None
        now = self._model
        try:
            with translated():
                now = self._client.modify(self.id, name=name, metadata=kept, change=change)
        except NotFoundError:
            if name is not None or change:  # chromadb, too, lets other metadata of what is gone be set
                raise
        seen = now if change else self._model
        self._model = replace(
            self._model,
            name=name or self.name,
            metadata=self._model.metadata if metadata is None else cast("dict[str, Scalar]", dict(metadata)),  # as given, None and all
            configuration_json=seen.configuration_json,
            serialized_schema=seen.serialized_schema,
        )

    # writing

    def add(
        self,
        ids: ID | list[ID],
        embeddings: Embeddings | None = None,
        metadatas: Metadata | Sequence[Metadata | None] | None = None,
        documents: Document | Sequence[Document | None] | None = None,
        images: object = None,
        uris: URI | list[URI | None] | None = None,
    ) -> None:
        """Add records. An id that is there already is left as it is; without `embeddings`, they are made of the documents."""
        with within("add"):
            columns = given(ids=ids, embeddings=embeddings, metadatas=metadatas, documents=documents, images=images, uris=uris)
            columns.check()
            if columns.embeddings is None:
                columns = self._embedded(columns, ("images", "documents", "uris"))
        self._put(columns, "add")

    def update(
        self,
        ids: ID | list[ID],
        embeddings: Embeddings | None = None,
        metadatas: Metadata | Sequence[Metadata | None] | None = None,
        documents: Document | Sequence[Document | None] | None = None,
        images: object = None,
        uris: URI | list[URI | None] | None = None,
    ) -> None:
        """Change records that are there; ids that are not are passed over. Metadata is merged key by key, None takes a key away."""
        with within("update"):
            columns = given(ids=ids, embeddings=embeddings, metadatas=metadatas, documents=documents, images=images, uris=uris)
            columns.check()
            if columns.embeddings is None and (columns.documents is not None or columns.images is not None):
                columns = self._embedded(columns, ("images", "documents"))
        self._put(columns, "update")

    def upsert(
        self,
        ids: ID | list[ID],
        embeddings: Embeddings | None = None,
        metadatas: Metadata | Sequence[Metadata | None] | None = None,
        documents: Document | Sequence[Document | None] | None = None,
        images: object = None,
        uris: URI | list[URI | None] | None = None,
    ) -> None:
        """Change the records that are there, as `update` does, and add those that are not."""
        with within("upsert"):
            columns = given(ids=ids, embeddings=embeddings, metadatas=metadatas, documents=documents, images=images, uris=uris)
            columns.check()
            if columns.embeddings is None:
                columns = self._embedded(columns, ("images", "documents"))
        self._put(columns, "upsert")

    def delete(
        self,
        ids: ID | list[ID] | None = None,
        where: Where | None = None,
        where_document: WhereDocument | None = None,
        limit: int | None = None,
    ) -> DeleteResult:
        """Delete the records that fit everything given; what fits nothing is no error. `limit` needs a filter."""
        with within("delete"):
            if ids is None and where is None and where_document is None:
                raise InputError("At least one of ids, where, or where_document must be provided")
            most = validate.check_delete_limit(limit, filtered=where is not None or where_document is not None)
            among = None if ids is None else validate.check_ids(validate.as_list(ids))
            _check_filters(where, where_document)
        filters.check_json(where)
        validate.check_unicode(among or [])
        validate.check_page("limit", most)
        filters.check_comparable(where)
        with translated():
            return {"deleted": self._client.delete(self.id, ids=among, where=where, where_document=where_document, limit=most)}

    # reading

    def count(self, read_level: ReadLevel = ReadLevel.INDEX_AND_WAL) -> int:
        """Return how many records there are."""
        with translated():
            return self._client.count(self.id)

    def get(
        self,
        ids: ID | list[ID] | None = None,
        where: Where | None = None,
        limit: int | None = None,
        offset: int | None = None,
        where_document: WhereDocument | None = None,
        include: Include = _GET,
    ) -> GetResult:
        """Return the records that fit everything given, in the order in which they were added."""
        with within("get"):
            among = None if ids is None else validate.check_ids(validate.as_list(ids))
            _check_filters(where, where_document)
            validate.check_include(include, disallowed=["distances"])
            if "data" in include and self._data_loader is None:
                raise InputError("You must set a data loader on the collection if loading from URIs.")
            include = with_uris(include)
        filters.check_json(where)
        validate.check_unicode(among or [])
        most, start = validate.check_page("limit", limit), validate.check_page("offset", offset or 0)
        filters.check_comparable(where)
        with translated():
            found = self._client.read(
                self.id,
                wanted(include),
                ids=among,
                where=where,
                where_document=where_document,
                limit=most,
                offset=start or 0,
            )
        return result(found, include, self._data_loader)

    def peek(self, limit: int = 10) -> GetResult:
        """Return the first records, their vectors too."""
        return self.get(limit=limit, include=list(_PEEK))

    def query(
        self,
        query_embeddings: Embeddings | None = None,
        query_texts: Document | list[Document] | None = None,
        query_images: object = None,
        query_uris: URI | list[URI] | None = None,
        ids: ID | list[ID] | None = None,
        n_results: int = 10,
        where: Where | None = None,
        where_document: WhereDocument | None = None,
        include: Include = _QUERY,
    ) -> QueryResult:
        """Return, for every query, the nearest of the records that fit the ids and filters given, nearest first."""
        with within("query"):
            asked = given(embeddings=query_embeddings, documents=query_texts, images=query_images, uris=query_uris)
            asked.check(query=True)
            _check_filters(where, where_document)
            validate.check_include(include)
            include = with_uris(include)
            validate.check_n_results(n_results)
            if asked.embeddings is None:
                asked = self._embedded(asked, ("images", "documents", "uris"), is_query=True)
        among = None if ids is None else validate.as_list(ids)
        filters.check_json(where)
        validate.check_unicode(among or [])
        validate.check_flat(asked.embeddings or [], "query_embeddings")
        validate.check_page("n_results", n_results)
        filters.check_comparable(where)
        with translated():
            found = self._client.query(
                self.id,
                to_matrix(asked.embeddings or []),
                n_results,
                wanted(include),
                ids=among,
                where=where,
                where_document=where_document,
            )
        results = [result([record for record, _ in hits], include, self._data_loader) for hits in found]
        return {
            "ids": [each["ids"] for each in results],
            "embeddings": [each["embeddings"] for each in results if each["embeddings"] is not None] or None,
            "documents": [each["documents"] for each in results if each["documents"] is not None] or None,
            "uris": [each["uris"] for each in results if each["uris"] is not None] or None,
            "included": include,
            "data": [each["data"] for each in results if each["data"] is not None] or None,
            "metadatas": [each["metadatas"] for each in results if each["metadatas"] is not None] or None,
            "distances": [[distance for _, distance in hits] for hits in found] if "distances" in include else None,
        }

    # what only a hosted Chroma can

    def fork(self, new_name: str) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Collection forking is not implemented for Local Chroma")

    def fork_count(self) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Fork count is not implemented for Local Chroma")

    def get_indexing_status(self) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Indexing status is not implemented for Local Chroma")

    def search(self, searches: object, read_level: ReadLevel = ReadLevel.INDEX_AND_WAL) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Search is not implemented for Local Chroma")

    def attach_function(self, function: object, name: str, output_collection: str, params: Mapping[str, object] | None = None) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Attached functions are only supported when connecting to a Chroma server via HttpClient.")

    def get_attached_function(self, name: str) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Attached functions are only supported when connecting to a Chroma server via HttpClient.")

    def detach_function(self, name: str, delete_output_collection: bool = False) -> NoReturn:
        """Hosted Chroma only."""
        raise NotImplementedError("Attached functions are only supported when connecting to a Chroma server via HttpClient.")

    # helpers

    def _put(self, columns: Columns, mode: Literal["add", "update", "upsert"]) -> None:
        with translated():
            self._client.put(self.id, columns.records(none_allowed=mode != "add"), mode=mode)

    def _embedded(self, columns: Columns, fields: Sequence[str], *, is_query: bool = False) -> Columns:
        name = validate.check_one_of({field: getattr(columns, field) for field in fields}, fields)
        inputs: object = getattr(columns, name)
        if name == "uris":
            if self._data_loader is None:
                raise InputError("You must set a data loader on the collection if loading from URIs.")
            inputs = self._data_loader(uris=cast("list[str | None]", inputs))
        return replace(columns, embeddings=embed(self._function(), cast("list[str]", inputs), is_query=is_query))

    def _function(self) -> AnyEmbeddingFunction:
        own = self._embedding_function
        if own is not None and not isinstance(own, DefaultEmbeddingFunction):
            return own
        function = remembered(self._model.configuration_json["embedding_function"]) or own
        if function is None:
            raise InputError("You must provide an embedding function to compute embeddings.")
        return DefaultEmbeddingFunction(self._client.embed_texts) if type(function) is DefaultEmbeddingFunction else function


def _check_filters(where: object, where_document: object) -> None:
    if where is not None:
        filters.check_where(where)
    if where_document is not None:
        filters.check_where_document(where_document)
