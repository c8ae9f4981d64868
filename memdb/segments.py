"""Keeps the full-text index in few segments: a search looks up each of its words in each of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from memdb.database import Database
from memdb.errors import StoreError

_SHARE = 4  # a row is written anew four times at most on average
_PAGES = 100  # of the index that are merged in one transaction: others need not wait, and what gets free is used by the next


def newest(db: Database) -> int:
    """Return the id of the newest row, 0 if there is none."""
    return int((db.one("insert.last") or {})["id"] or 0)


def merge_all(db: Database, *, added: int, written: Callable[[], None] = lambda: None) -> None:
    """Make one segment of the index after so many rows were added to it, if that is a good part of what it holds.

    What is there already is written once more for that, so a few rows are left to `merge_some`. `written` is called after each transaction.
    What cannot be merged now is found anyway.
    """
    if added * _SHARE < newest(db):
        return
    with suppress(StoreError):
        more = merge_some(db, pages=-_PAGES)  # below zero it is begun
        written()
        while more:
            more = merge_some(db)
            written()


def merge_erased(db: Database) -> bool:
    """Merge a part of the index if it still holds words of what was forgotten; return whether it did.

    What writes fewer pages than it may has come to the end, however fast others add segments.

    Raises:
        StoreError: the file cannot be written; BusyError if others write to it.
    """
    if not db.all("forget.merges"):  # a look costs no lock
        return False
    with db.transaction():
        state = db.one("forget.merges")
        if state is None:
            return False
        before = db.changes
        db.run("segments.merge", pages=_PAGES if state["begun"] else -_PAGES)
        db.run("forget.merged" if db.changes - before < _PAGES else "forget.begun")
    return True


def merge_some(db: Database, *, pages: int = _PAGES) -> bool:
    """Merge segments that are of about one size, a hundred pages of them; return whether there were any.

    Raises:
        StoreError: the file cannot be written; BusyError if others write to it.
    """
    before = db.changes
    with db.transaction():
        db.run("segments.merge", pages=pages)
    return db.changes - before > 1  # the command itself counts as one
