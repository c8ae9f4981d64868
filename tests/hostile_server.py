"""Servers on loopback; one speaks as much of OpenAI's protocol as is needed, and fails in every way asked for."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

MISSHAPEN: dict[str, object] = {  # bodies that are JSON, and no completion
    "list_body": [1, 2],
    "null_body": None,
    "text_body": "hello",
    "text_choices": {"choices": "abc"},
    "null_choice": {"choices": [None]},
    "no_message": {"choices": [{"index": 0}]},
    "text_message": {"choices": [{"index": 0, "message": "x"}]},
    "list_content": {"choices": [{"index": 0, "message": {"role": "assistant", "content": [{"type": "text"}]}}]},
    "number_content": {"choices": [{"index": 0, "message": {"role": "assistant", "content": 5}}]},
    "half_a_pair": {"choices": [{"index": 0, "message": {"role": "assistant", "content": "\ud800"}}]},
}
FAILURES = (
    *"500 429 drop half empty nonsense fence list cut no_choices not_json_at_all wrong_types infinity context silent".split(),
    *MISSHAPEN,
)


class LoopbackServer:
    """A server on loopback, on a port of its own; `serve` answers each request."""

    def __init__(self) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are sent apart; else the body waits some 40 ms until the head is acknowledged

            def log_message(self, *_: object) -> None:
                return

            def do_POST(self) -> None:
                server.serve(self)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        raise NotImplementedError


class HostileServer(LoopbackServer):
    """Answers with `answer(prompt)`; the next failures come from `failures`, or at random with `rate`."""

    def __init__(
        self,
        answer: Callable[[str], str],
        *,
        failures: list[str] | None = None,
        rate: float = 0.0,
        seed: int = 0,
        refuses: tuple[str, ...] = (),
        unsupported: dict[str, str] | None = None,
        retry_after: str | None = None,
    ) -> None:
        super().__init__()
        self.retry_after = retry_after
        self.answer, self.failures, self.rate, self.refuses = answer, failures or [], rate, refuses
        self.unsupported = unsupported or {}
        self.random = random.Random(seed)
        self.modes: list[str] = []
        self.failed: set[str] = set()
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.ended.set()
        super().__exit__(kind, error, trace)

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        mode = request.get("response_format", {}).get("type", "text")
        with self.lock:
            self.modes.append(mode)
            failure = self.failures.pop(0) if self.failures else ""
            if not failure and self.random.random() < self.rate:
                failure = self.random.choice(FAILURES)
            self.failed.add(failure)
        for name, instead in self.unsupported.items():
            if name in request:
                return send(
                    handler, 400, {"error": {"message": f"Unsupported parameter: '{name}' is not supported with this model. {instead}"}}
                )
        if mode in self.refuses:
            return send(handler, 400, {"error": {"message": f"response_format {mode} is unsupported"}})
        good = self.answer(request["messages"][-1]["content"])
        texts = {
            "empty": "",
            "nonsense": "I think the user is lovely.",
            "fence": f"Sure!\n```json\n{good}\n```",
            "list": json.dumps(next(iter(json.loads(good).values()))),
            "cut": good[: len(good) // 2],
            "wrong_types": '{"facts": [{"key": 3}]}',
            "infinity": '{"facts": Infinity}',
        }
        match failure:
            case "500" | "429":
                send(handler, int(failure), {"error": {"message": "overloaded"}}, retry_after=self.retry_after)
            case "context":
                send(handler, 400, {"error": {"message": "the request exceeds the available context size"}})
            case "drop" | "half":
                if failure == "half":
                    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices"')
                handler.close_connection = True
                handler.connection.shutdown(socket.SHUT_RDWR)
            case "silent":
                self.ended.wait(5)  # whoever asked has given up by then
                handler.close_connection = True
            case _ if failure in MISSHAPEN:
                send(handler, 200, json.dumps(MISSHAPEN[failure]))
            case "no_choices":
                send(handler, 200, {"choices": []})
            case "not_json_at_all":
                send(handler, 200, "<html>proxy error</html>")
            case _:
                finish = "length" if failure == "cut" else "stop"
                message = {"role": "assistant", "content": texts.get(failure, good)}
                send(handler, 200, {"id": "x", "object": "chat.completion", "created": 0, "model": "hostile",
                                    "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                                    "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}})  # fmt: skip


def send(handler: BaseHTTPRequestHandler, status: int, body: object, *, retry_after: str | None = None) -> None:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    handler.send_response(status)
    if retry_after is not None:
        handler.send_header("Retry-After", retry_after)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def trickle(handler: BaseHTTPRequestHandler, done: threading.Event, *, status: int = 200, at_once: int = 1) -> None:
    """Answer with spaces, so many at a time, until whoever asked has gone away, or `done` is set."""
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Location", handler.path)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    with suppress(OSError):
        while not done.wait(0.02):
            handler.wfile.write(f"{at_once:x}\r\n{' ' * at_once}\r\n".encode())
            handler.wfile.flush()
    handler.close_connection = True
