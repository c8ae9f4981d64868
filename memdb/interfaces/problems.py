"""What the HTTP server cannot do, told as problem+json (RFC 9457): one sentence, whatever went wrong."""

import json
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import cast
from urllib.parse import unquote_to_bytes

import anyio
from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memdb import BusyError, ConflictError, InputError, MdbError, ModelError, NotFoundError, checks
from memdb.interfaces.owners import OWNER, sentence
from memdb.interfaces.shapes import Body, Problem

MAX_BYTES = 4_000_000
"""A request with a longer body is refused with 413."""

MAX_SILENCE = 30.0
"""A request of which nothing comes for so many seconds, and which is not whole, is refused with 408: it would hold up the server's end."""

_STATUSES: list[tuple[type[MdbError], int, str]] = [
    (InputError, 422, "The request cannot be used"),
    (NotFoundError, 404, "Not found"),
    (ConflictError, 409, "Conflict"),
    (BusyError, 503, "Busy"),
    (ModelError, 502, "A model failed"),
    (MdbError, 500, "The memory failed"),
]
"""How each error is told: the status, and the title."""

_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_REFUSALS = {
    400: "The request is malformed",
    401: "No API key, or an unknown one",
    403: "The key is another user's",
    404: "Not found",
    408: "Not whole",
    409: "Conflict",
    413: "Too long",
    422: "The request cannot be used",
    500: "The memory failed",
    502: "A model failed",
    503: "Busy",
}
_PLAIN = {
    404: "There is nothing at this address; /openapi.json tells what there is.",
    405: "This address takes another method; the header Allow names it.",
}
_JSON = re.compile(r"\s*application/([^;\s]+\+)?json\s*(;|$)", re.IGNORECASE)  # what a body is read as JSON by
_ESCAPED = re.compile(rb"\\u[dD]")
RESPONSES: dict[int | str, dict[str, object]] = {status: {"description": title, "content": _PROBLEM} for status, title in _REFUSALS.items()}
"""How each endpoint may refuse, for the API's description, which tells what a `Problem` is once."""


def told(error: MdbError) -> tuple[int, str, str, dict[str, str] | None]:
    """Return how an error of the memory is told to who may see one user's memory, or all: status, title, sentence and headers."""
    status, title = next((status, title) for kind, status, title in _STATUSES if isinstance(error, kind))
    return status, title, sentence(error, OWNER.get()), {"Retry-After": "1"} if status == 503 else None


def tell_problems(app: FastAPI, *, max_bytes: int, max_silence: float) -> None:
    """Have a server tell every error as a problem, and refuse bodies that are too long or do not end."""
    app.add_exception_handler(MdbError, _memory_problem)
    app.add_exception_handler(RequestValidationError, _validation_problem)
    app.add_exception_handler(StarletteHTTPException, _http_problem)
    app.add_exception_handler(Exception, _unexpected_problem)
    app.add_middleware(_Limit, max_bytes=max_bytes, max_silence=max_silence)


class StrictRoute(APIRoute):
    """An endpoint that is asked for one thing: what would be lost, or could not be told again, is refused before anything is done."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[None, None, Response]]:
        """Return what answers a request."""
        answer = super().get_route_handler()

        async def strict(request: Request) -> Response:
            if request.query_params:
                self._refuse_what_would_be_lost(request)
            return await answer(_Sent(request.scope, request.receive))

        return strict

    def _refuse_what_would_be_lost(self, request: Request) -> None:
        """Refuse what stands in the address and would be passed over, such as what belongs into the body, or what stands there twice.

        What is no text, either: read with what is wrong left out, it would ask for another user than was meant.
        """
        try:
            unquote_to_bytes(request.scope["query_string"]).decode()
        except UnicodeDecodeError as error:
            raise HTTPException(422, "query: it is not UTF-8 text; encode it so, and ask again") from error
        given = Counter(name for name, _ in request.query_params.multi_items())
        if not self.dependant.query_params:
            told = "leave it out, or mend the address" if request.method == "GET" else "give it in the body"
            raise HTTPException(422, f"query.{checks.place([next(iter(given))])}: it is none of what this address takes; {told}")
        if twice := [name for name, times in given.items() if times > 1 and name not in self._lists()]:
            raise HTTPException(422, f"query.{checks.place(twice[:1])}: it stands there {given[twice[0]]} times; give it once")

    def _lists(self) -> set[str]:
        """Return what of the address may stand there several times."""
        asked = [one.field_info.annotation for one in self.dependant.query_params]
        fields = [
            field
            for one in asked
            if isinstance(one, type) and issubclass(one, Body)
            for field in one.model_json_schema()["properties"].items()
        ]
        return {name for name, told in fields if "array" in [one.get("type") for one in told.get("anyOf", [told])]}


class _Sent(Request):
    """A request whose JSON has no name twice in an object, no number that is none, and no half of a surrogate pair."""

    async def json(self) -> object:
        """Return what was sent."""
        body = await self.body()
        try:
            told = checks.parsed(body.decode("utf-8-sig"))
            if _ESCAPED.search(body):
                json.dumps(told, ensure_ascii=False).encode()
        except UnicodeDecodeError:
            why = "it is not UTF-8 text"
        except UnicodeEncodeError:
            why = "a text holds half a surrogate pair"
        except json.JSONDecodeError as error:
            why = f"{error.msg.removesuffix('.')}, at character {error.pos}"
        except (ValueError, RecursionError) as error:
            why = checks.unread(error)
        else:
            return told
        raise HTTPException(422, f"The body is no JSON that can be used ({why}); mend it and send it again.")


class _Limit:
    """Refuses a body that is too long, whether or not it says so beforehand, and one that stops before its end."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, max_silence: float) -> None:
        self.app, self.max_bytes, self.max_silence = app, max_bytes, max_silence

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if announced.isdigit() and float(announced) > self.max_bytes:  # before any of it comes, or is waited for in vain
            await self._refuse_length(scope, receive, send)
            return
        parts: list[Message] = []
        length = 0
        while True:
            try:
                with anyio.fail_after(self.max_silence):
                    message = await receive()
            except TimeoutError:
                told = f"Nothing more of the body came for {self.max_silence:g} seconds; send the whole of it again."
                await _problem(408, "Not whole", told, {"Connection": "close"})(scope, receive, send)
                return
            except anyio.get_cancelled_exc_class():  # nothing of it was begun, so that there is nothing to be cut short
                told = "The server ends, and the whole of the body has not come; send it again when it is back."
                await _problem(503, "Busy", told, {"Connection": "close"})(scope, receive, send)
                return
            parts.append(message)
            length += len(message.get("body", b""))
            if length > self.max_bytes:
                await self._refuse_length(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body"):
                break

        async def replay() -> Message:
            return parts.pop(0) if parts else await receive()

        await self.app(scope, replay, send)

    async def _refuse_length(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _problem(413, "Too long", f"The body is longer than {self.max_bytes} bytes; send less at once.")(scope, receive, send)


def _problem(status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    body = Problem(title=title, status=status, detail=detail).model_dump()
    return JSONResponse(body, status_code=status, media_type="application/problem+json", headers=dict(headers or {}))


async def _memory_problem(_request: Request, error: Exception) -> Response:
    return _problem(*told(cast(MdbError, error)))


async def _validation_problem(request: Request, error: Exception) -> Response:
    met = cast(RequestValidationError, error).errors()
    if checks.place(met[0]["loc"]) == "body" and not _JSON.match(request.headers.get("content-type", "")):
        told = "body: Send it as JSON, with the header Content-Type: application/json"
    else:
        told = checks.faults(met)
    return _problem(422, "The request cannot be used", told)


async def _http_problem(request: Request, error: Exception) -> Response:
    met = cast(StarletteHTTPException, error)
    told = str(met.detail) if met.detail != HTTPStatus(met.status_code).phrase else _PLAIN.get(met.status_code, str(met.detail))
    headers = {"Allow": _allowed(request)} if met.status_code == HTTPStatus.METHOD_NOT_ALLOWED else met.headers
    return _problem(met.status_code, _REFUSALS.get(met.status_code, "Refused"), told, headers)


def _allowed(request: Request) -> str:
    """What an address is asked with, by all that is served there: the first that has the address names its own alone."""
    served = [
        method
        for method in ("GET", "POST")
        if any(one.matches({**request.scope, "method": method})[0] is Match.FULL for one in request.app.routes)
    ]
    return ", ".join(name for method in served for name in ([method, "HEAD"] if method == "GET" else [method]))


async def _unexpected_problem(_request: Request, _error: Exception) -> Response:
    return _problem(500, "The server failed", "The request met an error that is in the server's log; report it if it happens again.")
