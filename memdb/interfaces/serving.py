"""What every server of a memory needs: the memory, open while it is served, and who may ask for what."""

import hmac
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memdb import InputError, Memory

_PATIENCE_SECONDS = 1.0  # for the background's step at hand: what is not done by then, the next process begins anew

EVERYBODY = "*"
"""The user of a key that opens everybody's memory."""

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""The names of this machine that no other machine reaches it by."""


class Served:
    """A memory while it is served: as it was given, or opened when the server starts and closed when it ends."""

    def __init__(self, memory: Memory | Callable[[], Memory]) -> None:
        self._given = memory
        self._memory = memory if isinstance(memory, Memory) else None

    def __call__(self) -> Memory:
        """Return the memory, once the server has started."""
        assert self._memory is not None
        return self._memory

    @asynccontextmanager
    async def lifespan(self, _app: FastAPI) -> AsyncIterator[None]:
        """Open the memory before the first request, and close it after the last, unless it was given open."""
        if isinstance(self._given, Memory):
            yield
            return
        self._memory = self._given()
        try:
            yield
        finally:
            self._memory.close(patience=_PATIENCE_SECONDS)


class Heads:
    """Answers HEAD as GET, without the body: what looks after servers asks so whether they live."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


def parse_keys(text: str) -> dict[str, str]:
    """Return API keys by key, from "key=user,key=*".

    Raises:
        InputError: a part is not of this form, or a key stands there twice, with two users.
    """
    keys: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, user = part.partition("=")
        if not key.strip() or not user.strip():
            raise InputError("An API key in MEMDB_API_KEYS names no user; write key=user, or key=* for all users.")
        if keys.setdefault(key.strip(), user.strip()) != user.strip():
            raise InputError("An API key in MEMDB_API_KEYS stands there twice, with two users; give each user a key of their own.")
    return keys


def keys_for(host: str) -> dict[str, str]:
    """Return the keys `MEMDB_API_KEYS`, by which a server at this address knows who asks.

    Raises:
        InputError: other machines reach it, and there are none.
    """
    keys = parse_keys(os.environ.get("MEMDB_API_KEYS", ""))
    if host not in LOOPBACK and not keys:
        raise InputError(f"{host} can be reached from other machines; set MEMDB_API_KEYS, or serve on 127.0.0.1.")
    return keys


def asked_here(request: Request) -> bool:
    """Whether a server was asked by a name of this machine: a page from elsewhere may have its own name lead here, to read what is kept."""
    try:
        return urlsplit(f"//{request.headers.get('host', '')}").hostname in LOOPBACK
    except ValueError:
        return False


def owner_of(keys: Mapping[str, str], sent: bytes | None) -> str | None:
    """Return whose memory a key opens, everybody's if no keys are set; None if it opens none."""
    owner = None if keys else EVERYBODY
    for key, user in keys.items():  # every key is compared, so that the time taken tells nothing
        if sent is not None and hmac.compare_digest(key.encode(), sent):
            owner = user
    return owner
