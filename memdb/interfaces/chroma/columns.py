"""Records column by column: arguments made into lists and checked, and stored records made into results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import cast

import numpy as np

from memdb import InputError
from memdb.collection_types import Metadata, Records, Stored, Wanted
from memdb.interfaces.chroma import validate
from memdb.interfaces.chroma.embedding import to_matrix
from memdb.interfaces.chroma.sparse import SPARSE_VECTOR_TYPE_VALUE, TYPE_KEY, SparseVector
from memdb.interfaces.chroma.types import Array, DataLoader, GetResult, Include


@dataclass(frozen=True)
class Columns:
    """What was given to write or to ask for, each column a list or None."""

    ids: list[str] | None = None
    metadatas: list[Metadata | None] | None = None
    embeddings: list[Array] | None = None
    documents: list[str | None] | None = None
    images: list[object] | None = None
    uris: list[str | None] | None = None

    def check(self, *, query: bool = False) -> None:
        """Make sure that the columns are of one length and hold what they should.

        Raises:
            InputError: they do not.
        """
        names = [field.name for field in fields(self) if not (query and field.name in ("ids", "metadatas"))]
        validate.check_lengths({name: getattr(self, name) for name in names})
        validate.check_vectors(self.embeddings or [])
        validate.check_texts(self.documents or [], nullable=self.embeddings is not None)
        for image in self.images or []:
            if not isinstance(image, np.ndarray) or image.ndim < 2:
                raise InputError(f"Expected image to be a numpy array, got {image}")
        if not query:
            validate.check_ids(self.ids)
            for metadata in self.metadatas or []:
                validate.check_metadata(metadata)

    def records(self, *, none_allowed: bool) -> Records:
        """Return the records as they are stored.

        Raises:
            InputError: a vector, a text or a number cannot be stored.
        """
        ids = self.ids or []
        validate.check_unicode(ids, "ids")
        validate.check_flat(self.embeddings or [])
        validate.check_convertible(self.metadatas or [], none_allowed=none_allowed)
        validate.check_unicode(self.documents or [], "documents", nullable=True)
        validate.check_unicode(self.uris or [], "uris", nullable=True)
        validate.check_storable_ids(ids)
        validate.check_storable(self.metadatas or [])
        matrix = None
        if self.embeddings is not None:
            matrix = to_matrix(self.embeddings)
            validate.check_finite(matrix)
        return Records(ids=ids, embeddings=matrix, metadatas=self.metadatas, documents=self.documents, uris=self._uris())

    def _uris(self) -> list[str | None] | None:
        """The URIs given, and those that stand in the metadata under chromadb's own name for them."""
        told = [metadata.get("chroma:uri") if metadata else None for metadata in self.metadatas or []]
        if not any(isinstance(uri, str) for uri in told):
            return self.uris
        given = self.uris or [None] * len(told)
        return [one if one is not None else uri if isinstance(uri, str) else None for one, uri in zip(given, told, strict=True)]


def given(
    *,
    embeddings: object,
    documents: object,
    images: object,
    uris: object,
    ids: object = None,
    metadatas: object = None,
) -> Columns:
    """Return arguments as columns, single values as lists of one."""
    return Columns(
        embeddings=None if embeddings is None else validate.normal_embeddings(embeddings),
        ids=cast("list[str] | None", _listed(ids)),
        metadatas=None if metadatas is None else [_read_sparse(metadata) for metadata in validate.as_list(metadatas)],
        documents=cast("list[str | None] | None", _listed(documents)),
        images=_listed(images),
        uris=cast("list[str | None] | None", _listed(uris)),
    )


def with_uris(include: Include) -> Include:
    """Return what is shown: what was asked for, and beside what lies at the URIs these themselves."""
    return [*include, "uris"] if "data" in include and "uris" not in include else include


def wanted(include: Include) -> Wanted:
    """Return what has to be read for a result."""
    return Wanted(documents="documents" in include, metadatas="metadatas" in include, embeddings="embeddings" in include)


def result(records: Sequence[Stored], include: Include, loader: DataLoader[object] | None) -> GetResult:
    """Return records as chromadb does: a list a column, and None for what was not asked for."""
    data = loader([record.uri for record in records]) if "data" in include and loader is not None else None
    embeddings = [record.embedding for record in records] if "embeddings" in include else None
    return {
        "ids": [record.id for record in records],
        "embeddings": None if embeddings is None else np.array(embeddings, dtype=np.float64),
        "documents": [record.document for record in records] if "documents" in include else None,
        "uris": [record.uri for record in records] if "uris" in include else None,
        "included": include,
        "data": data,
        "metadatas": [record.metadata for record in records] if "metadatas" in include else None,
    }


def _listed(one_or_many: object) -> list[object] | None:
    return None if one_or_many is None else validate.as_list(one_or_many)


def _read_sparse(metadata: object) -> Metadata | None:
    """Metadata in which the dictionaries that tell of sparse vectors are those.

    Raises:
        AttributeError: it is no dictionary, as in chromadb.
    """
    if metadata is None:
        return None
    told = {
        key: SparseVector.from_dict(value) if isinstance(value, dict) and value.get(TYPE_KEY) == SPARSE_VECTOR_TYPE_VALUE else value
        for key, value in cast("Mapping[str, object]", metadata).items()
    }
    return cast("Metadata", told)
