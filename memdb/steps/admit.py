"""Decide whether something that an application or a model wants kept is worth keeping: novel, sure, and allowed."""

from __future__ import annotations

from datetime import datetime

from memdb import stored
from memdb.beliefs import nearest
from memdb.config import Config
from memdb.database import Database, listed
from memdb.embed import Embedder, check_vectors, to_blob
from memdb.figures import told_apart
from memdb.keys import is_no_news, normalise
from memdb.logs import warn_now_and_then
from memdb.privacy import not_allowed
from memdb.records import LIVE, Candidate, Consent, Item, Predicate
from memdb.times import to_text
from memdb.unspaced import ONE_WORD, quoted, words_of

_ASKED = 8  # words that a row with the same words is looked up by, the longest


def admit(
    db: Database,
    item: Item,
    key: str,
    *,
    user_id: str,
    consent: Consent,
    predicate: Predicate,
    embedder: Embedder | None,
    config: Config,
    now: datetime,
) -> str | None:
    """Return why an item is not to be kept under a key, or None.

    Secrets and sensitive topics are refused as far as `consent` does. A fact under a key that is known goes on, since the same value
    confirms and another one supersedes; everything else must be new: no row of its kind says the same, or has a cosine of
    `config.novelty_cosine` or more to it. What denies it, or has another number, is near to it and new all the same. Of facts, only those
    count that have the same telling words, too: "bought a house" is near to "sold a house".
    """
    if item.confidence < config.gate_confidence:
        confidence, least = told_apart(item.confidence, config.gate_confidence)
        return f"not sure enough: {confidence} is below {least}"
    if refused := not_allowed(_stated(item, key, predicate), consent):
        return refused
    if item.key is not None and db.one("believe.current_key", user_id=user_id, key=item.key, kind=item.kind):
        return None
    if same := _the_same(db, item, user_id=user_id, now=now):
        return f"said already by {same}"
    if embedder is None or not db.has_vectors or stored.made_by(db)[0] != embedder.name:
        return None
    try:
        vectors = check_vectors(embedder.embed([item.text]), count=1, dimension=embedder.dimension, embedder=embedder.name)
    except Exception as error:  # an embedder is foreign code; whatever it raises must not cost what is written
        warn_now_and_then("whether something is new was decided by its words alone: %s", error)
        return None
    for fact, cosine in nearest(db, to_blob(vectors[0]), embedder=embedder, user_id=user_id, kind=item.kind, now=now, config=config):
        if is_no_news(item.text, fact.value_text, kind=item.kind):
            return f"nearly the same as {fact.fact_id} (cosine {cosine:.2f})"
    return None


def _the_same(db: Database, item: Item, *, user_id: str, now: datetime) -> str | None:
    """The id of a row of its kind with the same words. Those that are one word, however written, are looked up: few rows are compared."""
    words = sorted(filter(ONE_WORD.fullmatch, words_of(item.text, contracted=True)), key=len)[-_ASKED:]
    terms = "body : (" + " AND ".join(map(quoted, words)) + ")"
    statement, asked = (
        ("believe.texts_with", {"terms": terms, "kind": item.kind})
        if words
        else ("believe.texts", {"kinds": listed([item.kind]), "statuses": listed(LIVE)})
    )
    said = normalise(item.text)
    rows = db.all(statement, user_id=user_id, now=to_text(now), **asked)
    return next((str(row["fact_id"]) for row in rows if normalise(str(row["value_text"])) == said), None)


def _stated(item: Item, key: str, predicate: Predicate) -> Candidate:
    return Candidate(
        key=key,
        value_text=item.text,
        object=item.object or item.text,
        category=predicate.category,
        confidence=item.confidence,
        excerpt=item.text,
        value_json=item.details,
    )
