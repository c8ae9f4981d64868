"""Who may ask over HTTP, and whose memory is open to them, by the API key that came with the request."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

from fastapi import HTTPException, Request, Security
from fastapi.security import HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from memdb import Memory
from memdb.interfaces import owners
from memdb.interfaces.serving import EVERYBODY, asked_here, owner_of

_BEARER = HTTPBearer(auto_error=False, description="An API key; needed once any is set.")


class Door:
    """Who may read and write whose memory: one user's, or everybody's if `owner` is None."""

    def __init__(self, keys: Mapping[str, str], given: HTTPAuthorizationCredentials | None) -> None:
        sent = given.credentials.encode("latin-1") if given else None  # the bytes that came: headers are read as if they were that
        owner = owner_of(keys, sent)
        if owner is None:
            raise HTTPException(401, "Send a valid API key as `Authorization: Bearer KEY`.", headers={"WWW-Authenticate": "Bearer"})
        self.owner = None if owner == EVERYBODY else owner

    def open(self, user_id: str | None) -> None:
        """Let in who may see this user, or everybody's memory if None."""
        if self.owner not in (None, user_id):
            if user_id is None:
                raise HTTPException(403, "This API key is bound to one user; send a key of all users, or say whose memory it is.")
            raise HTTPException(403, "This API key is bound to another user.")

    def fact(self, memory: Memory, fact_id: str) -> None:
        """Let in who may see this fact; to others it does not exist."""
        if self.owner is not None:
            owners.owned(memory, fact_id, user_id=self.owner)


Doorkeeper = Callable[..., Awaitable[Door]]
"""What an endpoint depends on to know who asks."""


def doorkeeper(keys: Mapping[str, str], *, only_here: bool) -> Doorkeeper:
    """Return what tells by these keys who asks; if `only_here`, without keys, it lets in only who asks for a name of this machine."""
    scheme = _BEARER if keys else _unasked

    async def let_in(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Security(scheme)] = None) -> Door:
        if only_here and not keys and not asked_here(request):
            raise HTTPException(400, "Without API keys only this machine is served: ask for 127.0.0.1, or set MEMDB_API_KEYS.")
        door = Door(keys, given)
        owners.OWNER.set(door.owner)  # here, not in a thread of its own: the body is read in this context, and errors are told in it
        return door

    return let_in


def _unasked() -> None:
    """Without keys nobody is asked for one, and the API's description does not say so."""
