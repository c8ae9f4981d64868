"""Commands that serve the memory: `serve` over HTTP, `inspect` as pages to look into, `mcp` over stdio to an assistant that starts it."""

from __future__ import annotations

import math
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import memdb
from memdb import MdbError
from memdb.interfaces.options import FILE, AnyUser, Db, Embedder, Ranking, embedder_of, existing
from memdb.interfaces.show import say
from memdb.interfaces.signals import SIGNALLED, Ended, ending_signals, leave, signal_of

_MOST_SIGNALS = 4_096  # that are looked through for what ended a server
_CLOSING_SECONDS = 1.0  # for the step at hand where a signal ended what cannot be interrupted otherwise
_SPARE_SECONDS = 5  # to answer in, after the longest that an answer waits for something


def serve(
    host: Annotated[str, typer.Option("--host", help="Where to listen; others than this machine need API keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 takes a free one.")] = 8620,
    workers: Annotated[int, typer.Option("--workers", min=1, help="How many processes serve the file.")] = 1,
    db: Db = FILE,
    embedder: Embedder = "auto",
    weights: Ranking = "default",
) -> None:
    """Serve the memory over HTTP, its API described at /openapi.json; MEMDB_API_KEYS="key=user,key=*" asks everybody for a key."""
    with _told_what_is_missing():
        import uvicorn

        from memdb.interfaces.serving import keys_for
    keys_for(host)
    with _listening(host, port) as bound:  # before there are workers that would tell each in their own way that it cannot be listened to
        port = bound.getsockname()[1]
    new = "" if os.path.exists(db) else ", which is new,"  # told, lest a path that is mistyped passes for a memory that has forgotten all
    with memdb.open(db, embedder=embedder_of(embedder), weights=weights, config={"worker": False}) as memory:
        patience = _patience(memory)  # and an error is told here, once
    os.environ |= {"MEMDB_DB": str(db), "MEMDB_EMBEDDER": embedder, "MEMDB_WEIGHTS": weights}
    say(f"serves {db}{new} at {_address(host, port)}, described at /openapi.json; Ctrl-C ends it.")
    app = "memdb.interfaces.http:from_environment"
    if workers > 1:
        with _until_interrupted(), _signals_heard():
            uvicorn.run(
                app, factory=True, host=host, port=port, workers=workers, log_level="warning", timeout_graceful_shutdown=patience
            )  # fmt: skip
        raise typer.Exit(1)  # a worker could not be started, and has told why
    server = uvicorn.Server(
        uvicorn.Config(app, factory=True, host=host, port=port, log_level="warning", timeout_graceful_shutdown=patience)
    )
    with _until_interrupted():
        server.run()
    if not server.started:  # it has told why
        raise typer.Exit(1)


def inspect(
    host: Annotated[str, typer.Option("--host", help="Where to listen; others than this machine need API keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 takes a free one.")] = 8621,
    user: AnyUser = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    weights: Ranking = "default",
) -> None:
    """Serve pages to look into the memory with a browser, which change nothing; with --user, that user's memory only.

    MEMDB_API_KEYS="key=user,key=*" asks everybody for a key, as the password.
    """
    with _told_what_is_missing():
        import uvicorn

        from memdb.interfaces.inspector.app import create_app
        from memdb.interfaces.serving import keys_for
    keys = keys_for(host)
    existing(db)
    with _listening(host, port) as bound, _looked_into(db, embedder=embedder, weights=weights) as memory:
        say(f"open {_address(host, bound.getsockname()[1])}/ in a browser; Ctrl-C ends it.")
        app = create_app(memory, keys=keys, user=user, weights=weights)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_patience(memory)))
        with _until_interrupted():
            server.run(sockets=[bound])


@contextmanager
def _told_what_is_missing() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise MdbError(f"Serving needs {error.name}; install it with: pip install 'memdb[server]'.") from error


@contextmanager
def _until_interrupted() -> Iterator[None]:
    """Serve until Ctrl-C, or another signal to end, and say so. A closed terminal ends it as SIGTERM does: answers are waited for."""
    for one in ending_signals():
        if one != signal.SIGTERM:
            signal.signal(one, lambda _number, _frame: signal.raise_signal(signal.SIGTERM))
    try:
        yield
    except KeyboardInterrupt as error:
        told_by = signal_of(error)
        _say_ended(told_by)
        raise typer.Exit(SIGNALLED + told_by) from error


@contextmanager
def _signals_heard() -> Iterator[None]:
    """Let be as if interrupted what a signal ended that does not say so itself: uvicorn with several workers."""
    heard, told = socket.socketpair()
    with heard, told:
        told.setblocking(False)
        usual = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(usual)
        told.shutdown(socket.SHUT_WR)
        numbers = heard.recv(_MOST_SIGNALS)
    for number in numbers:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if number == signal.SIGTERM:
            raise Ended(number)


def _say_ended(told_by: signal.Signals) -> None:
    by = "Ctrl-C" if told_by == signal.SIGINT else told_by.name
    say(f"Ended by {by}; what was stored is kept, and what is still to be thought about waits in the file.")


def _looked_into(db: Path, *, embedder: str, weights: str) -> memdb.Memory:
    """Open a memory to look into it: nothing is noted or thought about, and a file without vectors is not made one for an embedder."""
    config = {"worker": False, "record_retrievals": False}
    with memdb.open(db, embedder=None, llm=None, config=config) as memory:
        has_vectors = memory.vectors().embedder is not None
    return memdb.open(db, embedder=embedder_of(embedder) if has_vectors else None, llm=None, weights=weights, config=config)


def mcp(user: AnyUser = None, db: Db = FILE, embedder: Embedder = "auto", weights: Ranking = "default") -> None:
    """Serve the memory to an AI assistant over standard input and output (MCP); with --user, that user's memory only."""
    from memdb.interfaces.mcp import create_server
    from memdb.interfaces.stdio import serve_stdio

    with memdb.open(db, embedder=embedder_of(embedder), weights=weights) as memory:

        def end(told_by: signal.Signals) -> None:
            memory.close(patience=_CLOSING_SECONDS)
            _say_ended(told_by)
            leave(told_by)

        try:
            serve_stdio(create_server(memory, user=user), signals=[signal.SIGINT, *ending_signals()], end=end)
        except* OSError:  # whoever listened is gone, as when the input ends
            pass
        memory.drain(memory.config.session_patience_seconds)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _patience(memory: memdb.Memory) -> int:
    """Return how many seconds a server that is to end waits for its answers: for a slow embedder, not for a client that reads no more."""
    return math.ceil(max(memory.config.embed_patience_seconds, memory.config.session_patience_seconds)) + _SPARE_SECONDS


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens to this port, to a free one for 0."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen()
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise MdbError(
            f"Port {port} of {host} cannot be listened to ({error.strerror}); name another one with --port or --host."
        ) from error
    return bound
