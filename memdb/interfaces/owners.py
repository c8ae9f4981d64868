"""Whose memory whoever asks may see, and what others are told: of one user's memory no word reaches another."""

from __future__ import annotations

from contextvars import ContextVar

from memdb import Fact, MdbError, Memory, NotFoundError, StoreError

OWNER: ContextVar[str | None] = ContextVar("owner", default=None)
"""The one user whose memory whoever asks may see, if it is one: where no user is named, it is theirs."""


def of_the_owner(given: object) -> object:
    """Return the body of a request with the user that may be left out."""
    owner = OWNER.get()
    return given | {"user_id": owner} if owner is not None and isinstance(given, dict) and given.get("user_id") is None else given


def sentence(error: MdbError, owner: str | None) -> str:
    """Return the sentence of an error; one that names another user's row does not name it to whoever may see one user's memory only."""
    named = error.user_id if isinstance(error, StoreError) else None
    if owner is None or named in (None, owner):
        return str(error)
    return "A row that this needs is damaged; whoever keeps the memory finds it with `memdb check`."


def none_of(user_id: str, fact_id: str) -> NotFoundError:
    """Return the error that a user has no such fact, in the same words whether another has it or nobody."""
    return NotFoundError(f"There is no fact {fact_id!r} of user {user_id!r}; list theirs with facts() or `memdb facts`.")


def owned(memory: Memory, fact_id: str, *, user_id: str) -> Fact:
    """Return a fact of a user.

    Raises:
        NotFoundError: the user has none of this id.
    """
    try:
        found = memory.fact(fact_id)
    except NotFoundError:
        raise none_of(user_id, fact_id) from None
    if found.user_id != user_id:
        raise none_of(user_id, fact_id)
    return found
