"""Erase a user, or one key of a user: rows, history, words, vectors, queue, turns and profile."""

from __future__ import annotations

import json

from memdb.records import Forgotten
from memdb.store import Database


def forget(db: Database, *, user_id: str, key: str | None) -> Forgotten:
    """Erase within the caller's transaction and return how much was erased.

    Forgetting a key also erases the turns it was learned from, since their words say it; what else those turns taught stays, without
    the words it was taken from.
    On a connection without sqlite-vec the vectors stay in the outbox for the next one that has it.
    """
    db.run("forget.allow", user_id=user_id, key=key)
    turns = json.dumps([row["turn_id"] for row in db.all("forget.turns", user_id=user_id, key=key)])
    messages = db.all("forget.delete_messages", user_id=user_id, key=key, turns=turns)
    facts = db.all("forget.delete_facts", user_id=user_id, key=key)
    archived = db.all("forget.delete_archive", user_id=user_id, key=key)
    history = db.all("forget.delete_history", user_id=user_id, key=key)
    removed = db.all("forget.delete_turns", user_id=user_id, key=key, turns=turns)
    for table in ("facts", "archive", "history"):
        db.run(f"forget.unquote_{table}", user_id=user_id, key=key, turns=turns)
    db.run("forget.delete_actions", user_id=user_id, key=key)
    db.run("forget.delete_model_calls", user_id=user_id, key=key, turns=turns)
    for table in ("sessions", "events", "segments", "upkeep"):
        db.run(f"forget.delete_{table}", user_id=user_id, key=key)
    db.run("forget.delete_retrievals", user_id=user_id)
    db.run("forget.delete_profile", user_id=user_id)
    db.run("forget.neighbours", user_id=user_id, key=key)
    db.run("forget.merge_words")
    vectors = 0
    pending = db.all("forget.erased_vectors", user_id=user_id)
    if db.has_vectors:
        for row in pending:
            removed_now = db.run("sync.remove", id=row["id"])
            if row["gone"]:
                vectors += removed_now
                db.run("sync.settled", id=row["id"])
        pending = []
    db.run("forget.disallow")
    return Forgotten(
        facts=len(facts) + len(archived),
        messages=len(messages),
        turns=len(removed),
        history=len(history),
        vectors=vectors,
        vectors_pending=len(pending),
    )
