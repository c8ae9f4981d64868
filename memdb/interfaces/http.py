"""The memory over HTTP: `/memory/retrieve`, `/memory/write`, `/memory/profile/version`, `/memory/compact`, and the other verbs.

With API keys every request must carry one, and a key opens its own user's memory only, or with `*` all.
"""

import json
import logging
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import RLock, Thread
from typing import Annotated, Any

import memdb
from memdb import ConfigError, Memory

try:
    from fastapi import Depends, FastAPI
except ModuleNotFoundError as error:
    raise memdb.MdbError(f"Serving needs {error.name}; install it with: pip install 'memdb[server]'.") from error

# what follows needs fastapi
from memdb.interfaces import asking, by_tier, listing, operating, settling, shapes, telling
from memdb.interfaces.doors import Door, Doorkeeper, doorkeeper
from memdb.interfaces.problems import MAX_BYTES, MAX_SILENCE, RESPONSES, tell_problems
from memdb.interfaces.serving import EVERYBODY, Heads, Served, parse_keys
from memdb.records import Record

log = logging.getLogger("memdb")

_USER = "user_id"
_REFERRED = re.compile(r"#/components/schemas/([\w.-]+)")


class Health(Record):
    """The server lives."""

    status: str
    version: str


def create_app(
    memory: Memory | Callable[[], Memory],
    *,
    keys: Mapping[str, str] | None = None,
    only_here: bool = False,
    max_bytes: int = MAX_BYTES,
    max_silence: float = MAX_SILENCE,
) -> FastAPI:
    """Return the server of a memory.

    Args:
        memory: the memory, or a function that opens it when the server starts, which then also closes it.
        keys: API keys, each with its user or `*`; anybody may ask if there are none.
        only_here: without keys, answer only who asks for a name of this machine, such as localhost.
        max_bytes: the longest body of a request.
        max_silence: how many seconds nothing of a body may come before it is whole.
    """
    served = Served(memory)
    # pages made of openapi.json would load scripts from the network
    app = _Described(
        title="memdb",
        description="The long-term memory of an AI assistant. With an API key of one user, `user_id` may be left out: it is theirs.",
        version=memdb.__version__,
        lifespan=served.lifespan,
        docs_url=None,
        redoc_url=None,
        responses=RESPONSES,
    )
    app.knows_user = any(owner != EVERYBODY for owner in (keys or {}).values())
    tell_problems(app, max_bytes=max_bytes, max_silence=max_silence)
    app.add_middleware(Heads)
    _routes(app, served, doorkeeper(keys or {}, only_here=only_here))
    return app


class _Described(FastAPI):
    """A server whose description tells once how it refuses, and not at each of its addresses."""

    knows_user = False
    """Whether some who ask need not say whose memory they mean, for their key is of one user."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, made when it is first asked for: that takes longer than to start the server."""
        if self.openapi_schema is None:
            described = super().openapi()
            described["components"]["schemas"]["Problem"] = shapes.Problem.model_json_schema()
            if self.knows_user:
                _without_user(described)
        return super().openapi()


def _without_user(described: dict[str, Any]) -> None:
    """Have the description say that `user_id` need not be given, as it need not with a key of one user."""
    doors = [door for methods in described["paths"].values() for door in methods.values()]
    for asked in (one for door in doors for one in door.get("parameters", []) if one["name"] == _USER):
        asked["required"] = False
    bodies, met = described["components"]["schemas"], set[str]()
    wanted = _REFERRED.findall(json.dumps([door.get("requestBody") for door in doors]))
    while wanted:
        if (name := wanted.pop()) in met:
            continue
        met.add(name)
        wanted += _REFERRED.findall(json.dumps(bodies[name]))
        if left := [field for field in bodies[name].pop("required", []) if field != _USER]:
            bodies[name]["required"] = left


def from_environment() -> FastAPI:
    """Return the server of the file `MEMDB_DB`, with the keys `MEMDB_API_KEYS`; what every worker of `memdb serve` runs."""
    if (parent := multiprocessing.parent_process()) is not None:  # one of several workers: without their parent nobody would end them

        def follow() -> None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

        Thread(target=follow, name="memdb-parent", daemon=True).start()
        _share_no_lock()
    return create_app(_opened, keys=parse_keys(os.environ.get("MEMDB_API_KEYS", "")), only_here=True)


def _share_no_lock() -> None:
    """Have the progress bars of MiniLM's packages, which nobody sees, share no lock with other processes.

    A worker ends by a signal, and its parent would warn of such a lock as a leaked semaphore.
    """
    with suppress(ImportError):
        from tqdm import tqdm

        tqdm.set_lock(RLock())


def _opened() -> Memory:
    """Open the file `MEMDB_DB`. A worker started anew after the file's embedder was changed searches by words, as the others do by then."""
    path, ranking = Path(os.environ.get("MEMDB_DB", "mem.db")), os.environ.get("MEMDB_WEIGHTS", "default")
    chosen = os.environ.get("MEMDB_EMBEDDER", "auto")
    try:
        return memdb.open(path, embedder=None if chosen.lower() == "none" else chosen, weights=ranking)
    except ConfigError as error:
        if multiprocessing.parent_process() is None:
            raise
        memory = memdb.open(path, embedder=None, weights=ranking)  # the whole server would end with it
        log.error("A worker that was started anew searches by words alone: %s", error)
        return memory


def _routes(app: FastAPI, memory: Callable[[], Memory], let_in: Doorkeeper) -> None:
    for verbs in (by_tier, telling, settling, asking, listing):
        app.include_router(verbs.router(memory, let_in))

    def everybody(key: Annotated[Door, Depends(let_in)]) -> None:
        key.open(None)

    app.include_router(operating.router(memory), dependencies=[Depends(everybody)])

    @app.get("/health", tags=["server"])
    async def health() -> Health:
        """Whether the server lives."""
        return Health(status="ok", version=memdb.__version__)
