"""Forgetting: what was learned of a user goes from the whole file, and what was told of it, in accounts and on the page, is told anew."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic

from memdb import checks
from memdb.accounts import retell, untell
from memdb.answers import Forgotten
from memdb.config import Config
from memdb.database import Database
from memdb.erasing import overwrite_remains
from memdb.errors import StoreError
from memdb.mirroring import with_pending
from memdb.observer import build_profile
from memdb.page import erase_page, read_page, write_page
from memdb.segments import newest
from memdb.steps.forget import BEGINNING, erase_vectors, removes_vectors
from memdb.steps.forget import forget as erase
from memdb.times import to_text, utc_now

log = logging.getLogger("memdb")

_PATIENCE_SECONDS = 10.0  # that forgetting waits for others who read; what they keep it from, the worker does later


def forget(db: Database, user_id: str, *, key: str | None, config: Config) -> Forgotten:
    """Erase everything of a user, or everything learned under one key, and return how much it was.

    All of it is gone at once, in one transaction; where that fails, nothing is. Its vectors, which lead to nothing then, are taken away
    after that, some in each transaction, and by the worker where this is cut short, be it by a full disk: what is told then is how many
    wait. What is still to be overwritten, `overwrite` overwrites.

    Raises:
        InputError: the key is none that there can be.
    """
    if key is not None:
        checks.key(key)
    if db.all("page.written", user_id=checks.name(user_id, "user_id")) and key is not None:
        read_page(db, user_id=user_id, now=utc_now(), config=config)  # what was changed by hand is not lost with the page
    with db.durably(), db.roomy(), db.transaction():  # nobody who was forgotten comes back with a power cut
        told = untell(db, user_id=user_id, key=key)
        forgotten = with_pending(db, partial(erase, db, user_id=user_id, key=key))
        last = newest(db)
        vectors = 0
        after: int | None = BEGINNING
        if key is not None and removes_vectors(db):  # the accounts that are told anew may get the numbers of what is gone
            vectors, after = erase_vectors(db, user_id=user_id, after=BEGINNING, newest=last)
        db.run("forget.overwrite", now=to_text(utc_now()))
        db.run("forget.unmerged")
        db.run("meta.put", name="forgotten", value=repr(monotonic()))
        if key is not None:
            retell(db, told, user_id=user_id, now=utc_now(), config=config)
            build_profile(db, user_id=user_id, now=utc_now(), config=config)
        had_page = erase_page(db, user_id=user_id, keep_name=key is not None)
    if had_page and key is not None:
        with _left_to_others(db, "the page, which the next flush writes"):
            write_page(db, user_id=user_id, now=utc_now(), config=config, asks=False)
    erased, pending = _remove_vectors(db, user_id=user_id, after=after, newest=last)
    return forgotten.model_copy(update={"vectors": vectors + erased, "vectors_pending": forgotten.vectors_pending + pending})


def overwrite(db: Database) -> None:
    """Overwrite what is left of what was forgotten, as far as others let it be done; the rest is left to the worker."""
    with _left_to_others(db, "the last of it, which is still to be overwritten"):
        overwrite_remains(db, patience=_PATIENCE_SECONDS)


@contextmanager
def _left_to_others(db: Database, what: str) -> Iterator[None]:
    """What comes after the erasing is no part of it: whoever hears an error would take it that nothing was forgotten.

    Raises:
        StoreError: the file is damaged.
    """
    try:
        yield
    except StoreError as error:
        if error.damaged:
            raise
        log.warning("what was to be forgotten in %s is gone, but not %s: %s", db.path, what, error)


def _remove_vectors(db: Database, *, user_id: str, after: int | None, newest: int) -> tuple[int, int]:
    """Remove the vectors of what is gone, some in each transaction, and return how many there were, and how many still wait.

    `after` is the number of the last that was looked at, None where that were all. They wait for a connection with sqlite-vec where this
    one has none, in a file that was searched by meaning, and for room on a disk that has none.
    """
    erased = 0
    with _left_to_others(db, "all of its vectors, which lead to nothing and go in the background"):
        if not removes_vectors(db):
            with db.transaction():
                db.run("forget.hand_over", user_id=user_id)
        else:
            while after is not None:
                with db.transaction():
                    part, after = erase_vectors(db, user_id=user_id, after=after, newest=newest)
                erased += part
            return erased, 0
    return erased, int((db.one("forget.erased_vectors_left", user_id=user_id) or {})["waiting"] or 0)
