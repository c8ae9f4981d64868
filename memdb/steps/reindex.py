"""Gather another embedder's vectors beside the index in use, one batch a time."""

from __future__ import annotations

import json
from collections.abc import Collection

from memdb.database import Database
from memdb.embed import Embedder, embed_each, why
from memdb.errors import ModelError, ModelUnavailable

BEGINNING = -(2**62)
"""Before every id that there can be."""


def reindex(
    db: Database, *, embedder: Embedder, batch: int, skipped: Collection[int], after: int = BEGINNING
) -> tuple[list[int], list[int]]:
    """Embed one batch of what is not gathered yet beyond an id; return what was looked at, in order, and what could not be embedded.

    The embedder is called outside any transaction. Like `sync` this step has a transaction of its own: a batch is complete in itself, so
    that a process that is killed goes on where it was.

    Raises:
        ModelError: the embedder takes no text.
    """
    rows = db.all("reindex.todo", skipped=json.dumps(sorted(skipped)), batch=batch, after=after)
    if not rows:
        return [], []
    texts = [str(row["text"]) for row in rows]
    vectors = _embed(texts, embedder)
    failed = [int(row["id"] or 0) for row, vector in zip(rows, vectors, strict=True) if vector is None]
    with db.transaction():
        for row, vector in zip(rows, vectors, strict=True):
            if vector is not None:
                db.run("reindex.gather", id=row["id"], embedding=vector, text=row["text"], embedder=embedder.name)
    return [int(row["id"] or 0) for row in rows], failed


def _embed(texts: list[str], embedder: Embedder) -> list[bytes | None]:
    try:
        vectors, _ = embed_each(texts, embedder)
    except ModelError:
        raise
    except Exception as error:
        raise ModelUnavailable(f"The embedder {embedder.name} failed ({why(error)}); mend it, then reindex again.") from error
    return vectors
