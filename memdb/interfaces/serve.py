"""`memdb serve`: the memory over HTTP. `memdb mcp`: the memory for an AI assistant that starts it, over stdio."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Annotated

import typer

import memdb
from memdb import InputError
from memdb.interfaces.options import FILE, AnyUser, Db, Embedder, Weights

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def serve(
    host: Annotated[str, typer.Option("--host", help="Where to listen; others than this machine need API keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 takes a free one.")] = 8620,
    workers: Annotated[int, typer.Option("--workers", min=1, help="How many processes serve the file.")] = 1,
    db: Annotated[Path, typer.Option("--db", envvar="MEMDB_DB", help="The file.")] = Path("mem.db"),
    embedder: Annotated[
        str, typer.Option("--embedder", help="auto, none (words only), or an embedder's name, such as hashing-384 or endpoint:MODEL.")
    ] = "auto",
    weights: Annotated[str, typer.Option("--weights", help="The weight set that ranks.")] = "default",
) -> None:
    """Serve the memory over HTTP, its API described at /openapi.json; MEMDB_API_KEYS="key=user,key=*" asks everybody for a key."""
    try:
        import uvicorn

        from memdb.interfaces.http import parse_keys
    except ModuleNotFoundError as error:
        raise InputError(f"Serving needs {error.name}; install it with: pip install 'memdb[server]'.") from error
    if host not in LOOPBACK and not parse_keys(os.environ.get("MEMDB_API_KEYS", "")):
        raise InputError(f"{host} can be reached from other machines; set MEMDB_API_KEYS, or serve on 127.0.0.1.")
    _try_port(host, port)
    memdb.open(
        db, embedder=None if embedder == "none" else embedder, weights=weights, config={"worker": False}
    ).close()  # an error is told here, once
    os.environ |= {"MEMDB_DB": str(db), "MEMDB_EMBEDDER": embedder, "MEMDB_WEIGHTS": weights}
    uvicorn.run("memdb.interfaces.http:from_environment", factory=True, host=host, port=port, workers=workers, log_level="warning")


def mcp(user: AnyUser = None, db: Db = FILE, embedder: Embedder = "auto", weights: Weights = "default") -> None:
    """Serve the memory to an AI assistant over standard input and output (MCP); with --user, that user's memory only."""
    try:
        from memdb.interfaces.mcp import create_server
    except ModuleNotFoundError as error:
        raise InputError(f"Serving an assistant needs {error.name}; install it with: pip install 'memdb[mcp]'.") from error
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever reads a line cannot be interrupted otherwise; what was observed is on disk
    with memdb.open(db, embedder=None if embedder == "none" else embedder, weights=weights) as memory:
        try:
            create_server(memory, user=user).run()
        except* OSError:  # whoever listened is gone, as when the input ends
            pass
        memory.drain(memory.config.session_patience_seconds)


def _try_port(host: str, port: int) -> None:
    """Refuse a port that cannot be listened to, before there are workers that would tell it each in their own way."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        raise InputError(
            f"Port {port} of {host} cannot be listened to ({error.strerror}); name another one with --port or --host."
        ) from error
