"""What the HTTP server cannot do, told as problem+json (RFC 9457): one sentence, whatever went wrong."""

from collections.abc import Mapping
from typing import cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memdb import BusyError, ConflictError, InputError, MdbError, ModelError, NotFoundError
from memdb.interfaces.shapes import Problem

MAX_BYTES = 4_000_000
"""A request with a longer body is refused with 413."""

_STATUSES: list[tuple[type[MdbError], int, str]] = [
    (InputError, 422, "The request cannot be used"),
    (NotFoundError, 404, "Not found"),
    (ConflictError, 409, "Conflict"),
    (BusyError, 503, "Busy"),
    (ModelError, 502, "A model failed"),
    (MdbError, 500, "The memory failed"),
]
_PROBLEM = {"application/problem+json": {"schema": Problem.model_json_schema()}}
_REFUSALS = {
    400: "The request is malformed",
    401: "No API key, or an unknown one",
    403: "The key is another user's",
    404: "Not found",
    409: "Conflict",
    413: "Too long",
    422: "The request cannot be used",
    500: "The memory failed",
    502: "A model failed",
    503: "Busy",
}
RESPONSES: dict[int | str, dict[str, object]] = {status: {"description": title, "content": _PROBLEM} for status, title in _REFUSALS.items()}
"""How each endpoint may refuse, for the API's description."""


def tell_problems(app: FastAPI, *, max_bytes: int) -> None:
    """Have a server tell every error as a problem, and refuse bodies that are too long."""
    app.add_exception_handler(MdbError, _memory_problem)
    app.add_exception_handler(RequestValidationError, _validation_problem)
    app.add_exception_handler(StarletteHTTPException, _http_problem)
    app.add_exception_handler(Exception, _unexpected_problem)
    app.add_middleware(_Limit, max_bytes=max_bytes)


class _Limit:
    """Refuses a body that is too long, whether or not it says so beforehand."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self.app, self.max_bytes = app, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        parts: list[Message] = []
        length = 0
        while True:
            message = await receive()
            parts.append(message)
            length += len(message.get("body", b""))
            if length > self.max_bytes:
                await _problem(413, "Too long", f"The body is longer than {self.max_bytes} bytes; send less at once.")(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body"):
                break

        async def replay() -> Message:
            return parts.pop(0) if parts else await receive()

        await self.app(scope, replay, send)


def _problem(status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    body = Problem(title=title, status=status, detail=detail).model_dump()
    return JSONResponse(body, status_code=status, media_type="application/problem+json", headers=dict(headers or {}))


async def _memory_problem(_request: Request, error: Exception) -> Response:
    status, title = next((status, title) for kind, status, title in _STATUSES if isinstance(error, kind))
    return _problem(status, title, str(error), {"Retry-After": "1"} if status == 503 else None)


async def _validation_problem(request: Request, error: Exception) -> Response:
    first = cast(RequestValidationError, error).errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if where == "body" and "json" not in request.headers.get("content-type", ""):
        first = {"msg": "Send it as JSON, with the header Content-Type: application/json"}
    return _problem(422, "The request cannot be used", f"{where}: {first['msg']}")


async def _http_problem(_request: Request, error: Exception) -> Response:
    met = cast(StarletteHTTPException, error)
    return _problem(met.status_code, _REFUSALS.get(met.status_code, "Refused"), str(met.detail), met.headers)


async def _unexpected_problem(_request: Request, _error: Exception) -> Response:
    return _problem(500, "The server failed", "The request met an error that is in the server's log; report it if it happens again.")
