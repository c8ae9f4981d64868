"""Decide whether something that an application or a model wants kept is worth keeping: novel, sure, and allowed."""

from __future__ import annotations

import re

from memdb.config import Config
from memdb.embed import Embedder, check_vectors, to_blob
from memdb.errors import ModelError
from memdb.keys import normalise
from memdb.records import Item
from memdb.store import Database

_SECRET = re.compile(
    r"\b(?:password|passcode|pin code|cvv|secret key|api key)\b|\b(?:\d[ -]?){13,19}\b|\b\d{3}-\d{2}-\d{4}\b"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b",
    re.IGNORECASE,
)


def gate(db: Database, item: Item, *, user_id: str, sensitive: bool, embedder: Embedder | None, config: Config) -> str | None:
    """Return why an item is not to be kept, or None.

    `sensitive` says that its key is one of health. A fact under a key that is known goes on, since the same value confirms and another one
    supersedes; everything else must be new: no row of its kind says the same, or has a cosine of `config.gate_novelty` or more to it.
    """
    if item.confidence < config.gate_confidence:
        return f"not sure enough: {item.confidence:.2f} is below {config.gate_confidence:.2f}"
    if not config.keep_sensitive and (sensitive or _SECRET.search(item.text)):
        return "sensitive, and the setting keep_sensitive is off"
    if item.key is not None and db.one("believe.current_key", user_id=user_id, key=item.key, kind=item.kind):
        return None
    said = normalise(item.text)
    for row in db.all("believe.texts", user_id=user_id, kind=item.kind):
        if normalise(str(row["value_text"])) == said:
            return f"said already by {row['fact_id']!s}"
    if embedder is None or not db.has_vectors:
        return None
    try:
        vectors = check_vectors(embedder.embed([item.text]), count=1, dimension=embedder.dimension, embedder=embedder.name)
    except ModelError:
        return None  # novelty cannot be told; keeping twice is better than losing
    near = db.one("gate", user_id=user_id, kind=item.kind, embedding=to_blob(vectors[0]))
    if near is not None and (cosine := float(near["cosine"] or 0)) >= config.gate_novelty:
        return f"nearly the same as {near['fact_id']!s} (cosine {cosine:.2f})"
    return None
