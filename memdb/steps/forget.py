"""Erase a user, or one key of a user: rows, history, words, vectors, queue, turns and profile."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import nullcontext

from memdb.answers import Forgotten
from memdb.database import Database, SqlValue
from memdb.schema import unindexed

_BATCH = 500  # texts that are looked through at once, and vectors that are erased
BEGINNING = -(2**63)
"""Before the numbers of all vectors."""

_MANY = 500  # rows; for fewer, the triggers are quicker than planning every statement anew
_INSTEAD = ("forget.unlist_words", "forget.vectors_go", "forget.ungather", "forget.unmirror", "forget.mirror_erased")
"""What the triggers do for each row that goes, for all of a user."""

_MERGED_AT = 10  # percent; FTS5's own choice
_START = 3  # characters by which a value is looked up; shorter ones are in everything


class _Words:
    """The values that are forgotten, whatever their case, made ready to be found in many texts however many they are."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = {word.casefold() for word in words}
        self._lengths: dict[str, set[int]] = {}
        for word in self._words:
            self._lengths.setdefault(word[:_START], set()).add(len(word))

    def __bool__(self) -> bool:
        return bool(self._words)

    def quoted(self, text: str) -> bool:
        """Whether a text has one of them."""
        folded = text.casefold()
        return any(
            folded[at : at + length] in self._words
            for at in range(len(folded) - _START + 1)
            for length in self._lengths.get(folded[at : at + _START], ())
        )


def forget(db: Database, *, user_id: str, key: str | None) -> Forgotten:
    """Erase within the caller's transaction and return how much was erased.

    Forgetting a key also erases the turns it was learned from, since their words say it; what else those turns taught stays, without
    the words it was taken from, and what a language model wrote elsewhere goes where it quotes the value. With the patterns of a household
    (household.pattern) goes what went into them, and what happened then.
    The vectors of what is gone wait in the outbox: nobody finds anything by them, and to remove them takes longer than all else.
    """
    db.run("forget.allow", user_id=user_id, key=key)
    db.run("forget.merging", percent=0)
    turns = json.dumps([row["turn_id"] for row in db.all("forget.turns", user_id=user_id, key=key)])
    words = _Words(str(row["word"]) for row in db.all("forget.words", user_id=user_id, key=key))
    gone = _erase_conclusions(db, words, user_id=user_id, key=key, turns=turns) + _erase_memories(db, user_id=user_id, key=key, turns=turns)
    db.run("forget.unquote_derived", user_id=user_id, derived=json.dumps(gone))
    many = db.one("forget.many", user_id=user_id, least=_MANY) if key is None and not db.all("insert.strange") else None
    with db.untriggered() if many else nullcontext():
        for instead in _INSTEAD if many else ():
            db.run(instead, user_id=user_id)
        with unindexed(db, "facts", but="facts_user_id") if many and many["most"] else nullcontext():
            messages = _erase_messages(db, user_id=user_id, key=key, turns=turns)
            facts = db.run("forget.delete_facts", user_id=user_id, key=key)
    archived = db.run("forget.delete_archive", user_id=user_id, key=key)
    history = db.run("forget.delete_history", user_id=user_id, key=key)
    removed = db.run("forget.delete_turns", user_id=user_id, key=key, turns=turns)
    _erase_quotations(db, words, user_id=user_id, key=key, turns=turns)
    _erase_records(db, user_id=user_id, key=key)
    db.run("forget.interrupt_turns", user_id=user_id)
    db.run("forget.interrupt_upkeep", user_id=user_id)
    for row in db.all("forget.windows", user_id=user_id, key=key):
        db.run("sync.remove", id=row["id"])
    _tell_vectors(db, user_id=user_id)
    db.run("forget.merging", percent=_MERGED_AT)
    db.run("forget.disallow")
    return Forgotten(facts=facts + archived + len(gone), messages=messages, turns=removed, history=history)


def removes_vectors(db: Database) -> bool:
    """Whether vectors can be removed on this connection: it has sqlite-vec, or the file was never searched by meaning."""
    return db.has_vectors or not db.all("forget.indexed")


def erase_vectors(db: Database, *, user_id: str, after: int, newest: int) -> tuple[int, int | None]:
    """Erase some vectors of what is gone, behind the one of number `after`, within the caller's transaction.

    Rows behind `newest`, which was the last that stayed, may have got the numbers of others. Return how many that were, and the number of
    the last that was looked at; None behind the last of all.
    """
    rows = db.all("forget.erased_vectors", user_id=user_id, after=after, newest=newest, most=_BATCH)
    erased = 0
    for row in rows:
        removed = db.run("sync.remove", id=row["id"])
        if row["own"]:
            erased += removed
        if row["gone"]:
            db.run("sync.settled", id=row["id"])
    if len(rows) < _BATCH:
        db.run("forget.hand_over", user_id=user_id)
    if erased:
        _tell_vectors(db, user_id=user_id)
    return erased, int(rows[-1]["id"] or 0) if len(rows) == _BATCH else None


def _erase_messages(db: Database, *, user_id: str, key: str | None, turns: str) -> int:
    """Erase the words of the turns, and return how many messages held them; those beside them are found by them no longer."""
    if key is None:
        return db.run("forget.delete_all_messages", user_id=user_id)
    messages = db.all("forget.delete_messages", user_id=user_id, turns=turns)
    between = [[row["id"], row["session_id"]] for row in messages]
    db.run("forget.neighbours", user_id=user_id, gone=json.dumps(between))
    return len(messages)


def _erase_conclusions(db: Database, words: _Words, *, user_id: str, key: str | None, turns: str) -> list[SqlValue]:
    """Erase what upkeep made of the turns, or wrote that quotes a forgotten value, and return the ids of those facts."""
    quoting = _quoting(db, words, "forget.derived", "forget.derived_texts", user_id=user_id)
    derived = db.all("forget.delete_derived", user_id=user_id, key=key, turns=turns, ids=quoting)
    quoting = _quoting(db, words, "forget.archived", "forget.archived_texts", user_id=user_id)
    archived = db.all("forget.delete_archived_derived", user_id=user_id, key=key, turns=turns, ids=quoting)
    db.run("forget.unsummarise", user_id=user_id, sessions=json.dumps([row["session"] for row in derived]))
    return [row["fact_id"] for row in (*derived, *archived)]


def _erase_memories(db: Database, *, user_id: str, key: str | None, turns: str) -> list[SqlValue]:
    """Erase the first-person memories that tell of it, and what happened then, and return the ids of those memories."""
    told = db.all("forget.memories", user_id=user_id, key=key, turns=turns)
    memories = json.dumps([value for row in told for value in (row["fact_id"], row["segment_id"]) if value is not None])
    db.run("forget.release_memories", memories=memories)
    retold = db.all("forget.delete_memories", memories=memories)
    db.run("forget.delete_memory_calls", user_id=user_id, memories=memories)
    taken_back = json.dumps([row["segment_id"] for row in told if row["taken_back"]])
    db.run("forget.delete_taken_back", user_id=user_id, taken_back=taken_back)
    db.run("forget.free_events", user_id=user_id, key=key, memories=memories)
    db.run("forget.delete_events", user_id=user_id, key=key, turns=turns, memories=memories)
    db.run("forget.delete_segments", user_id=user_id, key=key, memories=memories)
    return [row["fact_id"] for row in retold]


def _erase_quotations(db: Database, words: _Words, *, user_id: str, key: str | None, turns: str) -> None:
    """Erase the words of the turns, and the values, where they stand in what stays, and in what was noted of the turns."""
    for unquote in ("forget.unquote_facts", "forget.unquote_archive", "forget.unquote_history"):
        db.run(unquote, user_id=user_id, key=key, turns=turns)
    db.run("forget.delete_model_calls", user_id=user_id, key=key, turns=turns)
    db.run("forget.unreason_history", ids=_quoting(db, words, "forget.reasons", "forget.reasons_texts", user_id=user_id))
    db.run("forget.delete_quoting_calls", ids=_quoting(db, words, "forget.calls", "forget.calls_texts", user_id=user_id))
    db.run("forget.delete_quoting_notes", ids=_quoting(db, words, "forget.notes", "forget.notes_texts", user_id=user_id))
    db.run("forget.delete_turn_notes", user_id=user_id, key=key, turns=turns)


def _erase_records(db: Database, *, user_id: str, key: str | None) -> None:
    """Erase what was noted of the user: what was done under the key, what was asked, and, of everything, also how far things had come."""
    for delete in (
        "forget.delete_actions", "forget.delete_ends", "forget.delete_consent", "forget.delete_sessions", "forget.delete_open_sessions",
        "forget.delete_related", "forget.delete_merged", "forget.delete_upkeep",
    ):  # fmt: skip
        db.run(delete, user_id=user_id, key=key)
    for delete in ("forget.delete_retrievals", "forget.delete_feedback", "forget.delete_profile"):
        db.run(delete, user_id=user_id)


def _tell_vectors(db: Database, *, user_id: str) -> None:
    """Let whoever holds the user's vectors in memory know that they have changed."""
    db.run("sync.changed", user_id=user_id)
    db.run("sync.gone_user", user_id=user_id)


def _quoting(db: Database, words: _Words, statement: str, texts: str, *, user_id: str) -> str:
    """The ids of what quotes a forgotten value, as JSON: `statement` gives the ids of a user's texts of one sort, `texts` some of them."""
    if not words:
        return "[]"
    found: list[SqlValue] = []
    ids = [row["id"] for row in db.all(statement, user_id=user_id)]
    for first in range(0, len(ids), _BATCH):
        rows = db.all(texts, ids=json.dumps(ids[first : first + _BATCH]))
        found += [row["id"] for row in rows if words.quoted(str(row["text"]))]
    return json.dumps(found)
