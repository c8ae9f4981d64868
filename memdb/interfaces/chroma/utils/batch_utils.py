"""chromadb.utils.batch_utils: what is too much for one call, cut into several."""

from __future__ import annotations

from memdb.interfaces.chroma.client import ClientAPI
from memdb.interfaces.chroma.types import Documents, Embeddings, IDs, Metadatas

Batch = tuple[IDs, Embeddings | None, Metadatas | None, Documents | None]


def create_batches(
    api: ClientAPI, ids: IDs, embeddings: Embeddings | None = None, metadatas: Metadatas | None = None, documents: Documents | None = None
) -> list[Batch]:
    """Return records in batches that the client takes in one call, in their order, each as `add` wants it."""
    most = api.get_max_batch_size()
    if len(ids) <= most:
        return [(ids, embeddings, metadatas, documents)]
    parts = (slice(start, start + most) for start in range(0, len(ids), most))
    return [
        (
            ids[part],
            embeddings[part] if embeddings is not None else None,
            metadatas[part] if metadatas else None,
            documents[part] if documents else None,
        )
        for part in parts
    ]
