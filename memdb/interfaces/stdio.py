"""An assistant's lines, over standard input and output: each that asks for something is answered, one that cannot be read as well."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

import anyio
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

_LONG = 20  # digits, of a number that is no id, and that Python might refuse to read


def serve_stdio(server: MCPServer[None], *, signals: Iterable[signal.Signals], end: Callable[[signal.Signals], None]) -> None:
    """Answer an assistant over standard input and output until the input ends.

    At one of the signals `end` is called, which leaves the process: whoever reads a line cannot be interrupted, nor is there anything to
    wait for. On Windows the system ends it.
    """
    anyio.run(_answer, server, signals, end)


async def _answer(server: MCPServer[None], signals: Iterable[signal.Signals], end: Callable[[signal.Signals], None]) -> None:
    async def heed() -> None:
        with anyio.open_signal_receiver(*signals) as received:
            async for one in received:
                end(one)

    async with anyio.create_task_group() as group:
        if sys.platform != "win32":
            group.start_soon(heed)
        await server.run_stdio_async()
        group.cancel_scope.cancel()


async def answer_lines(server: Server[None]) -> None:
    """Serve over standard input and output.

    A line that is no JSON, or no request, is answered, too: whoever sent it would wait for ever. The end of the input is kept from the
    server until all is answered: it cuts off what it is doing at the end. So it would where nobody reads its answers any more: these
    are lost then, and what was asked is done.
    """
    heard, passed = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    told, answered = anyio.create_memory_object_stream[SessionMessage](0)
    waiting: set[str] = set()
    fewer = anyio.Condition()
    sent = _Lines()
    async with stdio_server(stdin=sent, stdout=_wire()) as (lines, answers), anyio.create_task_group() as group:

        async def hear() -> None:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the server has ended
                async with heard:
                    async for message in lines:
                        refused = _unread(message, sent.oldest())
                        if refused is None:
                            _await_answer(message, waiting)
                        await (heard.send(message) if refused is None else answers.send(refused))
                    async with fewer:
                        while waiting:
                            await fewer.wait()

        async def tell() -> None:
            async with answers, answered:
                async for answer in answered:
                    await answers.send(answer)
                    if isinstance(answer.message, JSONRPCResponse | JSONRPCError):
                        async with fewer:
                            waiting.discard(str(answer.message.id))
                            fewer.notify_all()

        group.start_soon(hear)
        group.start_soon(tell)
        await server.run(passed, told, server.create_initialization_options())


class _Wire(anyio.AsyncFile[str]):
    """Where the answers go; what is written when nobody reads any more is lost."""

    async def write(self, text: str) -> int:
        """Write, if anybody reads."""
        with suppress(ConnectionError):
            await super().write(text)
        return len(text)

    async def flush(self) -> None:
        """Send what was written, if anybody reads."""
        with suppress(ConnectionError):
            await super().flush()


class _Lines(anyio.AsyncFile[str]):
    """Standard input, kept for the protocol; what is no UTF-8 in a line stays what it is: the line is refused, and not read as another.

    The package tells what it made of each line, but not the line, which alone shows whether an id was meant.
    """

    def __init__(self) -> None:
        super().__init__(os.fdopen(os.dup(0), encoding="utf-8", errors="surrogateescape"))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._read: deque[str] = deque()

    async def readline(self) -> str:
        """Return the next line, and keep it until it is asked for."""
        line = await super().readline()
        self._read.append(line)
        return line

    def oldest(self) -> str:
        """Return the line that was read first of those that were not asked for yet."""
        return self._read.popleft()


def _wire() -> _Wire:
    """Keep standard output for the protocol; what anything else prints goes to standard error."""
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return _Wire(wire)


def _await_answer(message: SessionMessage | Exception, waiting: set[str]) -> None:
    """Note the id of a request as one that waits for its answer; one that its sender has given up gets none."""
    match message:
        case SessionMessage(message=JSONRPCRequest(id=name)):
            waiting.add(str(name))
        case SessionMessage(message=JSONRPCNotification(method="notifications/cancelled", params={"requestId": name})):
            waiting.discard(str(name))


def _unread(message: SessionMessage | Exception, line: str) -> SessionMessage | None:
    """The answer to a line that is no JSON, such as one with half of a surrogate pair, or no UTF-8, or no message of the protocol, and to
    one that asks under an id that is none; None to any other, to an empty one, and to what would be an answer itself.
    """
    if isinstance(message, SessionMessage):
        asks = isinstance(message.message, JSONRPCNotification) and not message.message.method.startswith("notifications/")
        return _refused("Its id is neither a text nor a whole number; send it with one.") if asks and _has(_lax(line), "id") else None
    if not isinstance(message, ValidationError) or not line.strip():
        return None
    first, sent = message.errors()[0], _lax(line)
    if first["type"] in ("json_invalid", "string_unicode"):
        told = f"The message cannot be read ({first['msg']}); mend it and send it again."
        return _refused(told, code=PARSE_ERROR, name=_asked_as(sent))
    if _has(sent, "result") or _has(sent, "error"):
        return None
    return _refused("The message is no request of JSON-RPC 2.0; send an object with jsonrpc, id and method.", name=_asked_as(sent))


def _refused(told: str, *, code: int = INVALID_REQUEST, name: int | str | None = None) -> SessionMessage:
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=told)))


def _has(sent: object, field: str) -> bool:
    return isinstance(sent, dict) and field in sent


def _lax(line: str) -> object:
    """What a line says, also one that is no JSON, as far as a laxer reader can tell."""
    try:
        return json.loads(line, parse_int=lambda digits: int(digits) if len(digits) < _LONG else None)
    except (ValueError, RecursionError):
        return None


def _asked_as(sent: object) -> int | str | None:
    """The id of a call, if that is one, and can be said again: half of a surrogate pair cannot."""
    call = sent.get("id") if isinstance(sent, dict) else None
    return call if type(call) is int or (isinstance(call, str) and call.encode(errors="ignore").decode() == call) else None
