"""The door to OpenAI-compatible endpoints: the client, what its failures mean, and embedders behind one."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from email.utils import parsedate_to_datetime
from math import isfinite
from time import monotonic, time
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import finalize

from pydantic import ValidationError

from memdb.checks import fault, searchable
from memdb.errors import ConfigError, ModelOutputError, ModelUnavailable
from memdb.pieces import halves_of, unit

if TYPE_CHECKING:
    import numpy as np
    import openai
    from numpy.typing import NDArray
    from openai import APIResponse

Reply = TypeVar("Reply")

PREFIX = "endpoint:"
"""What the names of embedders behind an endpoint begin with; the rest is the model's name there."""

_BATCH = 256  # texts a request
_MOST_BYTES = 128 * 1024 * 1024  # of an answer: twice as many as the longest vectors of a batch take, written out
_READS = 100_000  # characters; no model of embeddings reads more
LONGEST = 8192
"""The longest vector that a file can keep: what sqlite-vec takes."""

_TOO_LONG = re.compile(r"too (long|large)|context (length|size|window)|maximum.{0,40}token|exceed", re.IGNORECASE)


def open_client(model: str, *, base_url: str | None, api_key: str | None, timeout: float, most_bytes: int) -> openai.OpenAI:
    """Return a client that makes each call once; without an address, that of OpenAI.

    It reads no body for longer than `timeout` seconds, nor more than `most_bytes` of it: a server may send a little now and then for ever,
    or much at once, and so it may with what refuses a call or leads elsewhere, which the client reads by itself. What does is a
    `ModelUnavailable`. It follows no server that leads it elsewhere: what is asked is private, and goes only where the user sends it.

    Raises:
        ConfigError: the package is not installed.
    """
    try:
        import openai
    except ImportError as error:
        raise ConfigError("A model at an endpoint needs the package openai; install memdb[llm] or open without one.") from error

    def bound(response: _Response) -> None:
        response.stream = _bounded(response.stream, model=model, timeout=timeout, most=most_bytes)

    http_client = openai.DefaultHttpxClient(event_hooks={"response": [bound]}, follow_redirects=False)
    client = openai.OpenAI(base_url=base_url, api_key=api_key or "none", timeout=timeout, max_retries=0, http_client=http_client)
    finalize(client, http_client.close).atexit = False
    return client


class _Response(Protocol):
    """What is needed of a response, of httpx or of what the package openai has in its place."""

    stream: Iterable[bytes]


class _Bounded:
    """A body as it comes in, until its time or its room is over."""

    def __init__(self, stream: Iterable[bytes], *, model: str, timeout: float, most: int) -> None:
        self._stream, self._model, self._timeout, self._most = stream, model, timeout, most

    def __iter__(self) -> Iterator[bytes]:
        deadline, room = monotonic() + self._timeout, self._most
        for part in self._stream:
            room -= len(part)
            if room < 0:
                raise _too_much(self._model, self._most)
            yield part
            if monotonic() > deadline:
                raise _late(
                    f"The model {self._model} took longer than {self._timeout:g} seconds for its answer; check the server, or wait longer."
                )

    def close(self) -> None:
        getattr(self._stream, "close", lambda: None)()


def _bounded(stream: Iterable[bytes], *, model: str, timeout: float, most: int) -> Iterable[bytes]:
    """Return the body within its bounds, as a stream of the package's own kind: it takes no other."""
    kinds = [kind for kind in type(stream).__mro__ if kind.__name__ == "SyncByteStream"]
    bounded: Iterable[bytes] = type("Bounded", (_Bounded, *kinds), {})(stream, model=model, timeout=timeout, most=most)
    return bounded


def failure(model: str, error: Exception) -> ModelUnavailable:
    """Return what a failed call means. What may go away by itself is `passing`, and tells when to ask again if the server does."""
    import openai

    if isinstance(error, openai.APIStatusError):
        status, short = error.status_code, searchable(" ".join(str(error).split())[:200])
        if status in (408, 409, 425, 429) or status >= 500:
            passing = _passing(f"The model {model} is overloaded or broken (HTTP {status}: {short}); try again later.")
            passing.retry_after = _pause(error.response.headers.get("retry-after"))
            return passing
        if elsewhere := error.response.headers.get("location", "") if 300 <= status < 400 else "":
            told = searchable(" ".join(elsewhere.split())[:200])
            return ModelUnavailable(
                f"The model {model} is said to be elsewhere ({told}), where nothing is sent unasked; set OPENAI_BASE_URL if it is there."
            )
        return ModelUnavailable(f"The model {model} refused the call (HTTP {status}: {short}); check its name, the address and the key.")
    if isinstance(error, openai.APITimeoutError):  # a small machine may need minutes for a long answer
        return _late(f"The model {model} gave no answer in time; check the server, or wait longer (the setting model_timeout_seconds).")
    if isinstance(error, openai.APIConnectionError):
        return _passing(f"The model {model} could not be reached ({error}); check that the server runs.")
    what = searchable(fault(error) if isinstance(error, ValidationError) else str(error))
    return _passing(f"The model {model} answered with something that is no answer ({what}); check the server.")


def read_body(model: str, answer: AbstractContextManager[APIResponse[Reply]], *, most: int) -> bytes:
    """Make a call and return the body of its answer, if it is no longer than `most` bytes.

    Raises:
        ModelUnavailable: it breaks off, is too long, or takes too long.
        OpenAIError: it is refused, or cannot be made.
    """
    with answer as response:
        size, parts = 0, list[bytes]()
        try:
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > most:  # of what was packed, which may be a thousand times as long
                    raise _too_much(model, most)
        except ModelUnavailable:
            raise
        except Exception as error:  # the connection's own, of whatever package it is
            raise _passing(f"The model {model} could not be reached ({error}); check that the server runs.") from error
        return b"".join(parts)


class EndpointEmbedder:
    """A model of embeddings at an OpenAI-compatible endpoint, such as OpenAI's own, Ollama's or llama.cpp's.

    A text that is too long for the model is read in pieces. The length of its vectors is learned from its first answer, unless
    `dimension` says it. Each request is made once and waited for `timeout` seconds; whoever asks decides whether to ask again.

    Raises:
        ConfigError: the package openai is not installed.
    """

    def __init__(
        self, model: str, *, dimension: int | None = None, base_url: str | None = None, api_key: str | None = None, timeout: float = 60.0
    ) -> None:
        self.name = f"{PREFIX}{model}"
        self._model, self._dimension = model, dimension
        self._client = open_client(model, base_url=base_url, api_key=api_key, timeout=timeout, most_bytes=_MOST_BYTES)
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """The length of a vector.

        Raises:
            ModelUnavailable: it is not known yet, and the endpoint cannot be asked.
            ModelOutputError: the endpoint answers with something that is no vector, or one that is too long to be kept.
        """
        with self._lock:
            if self._dimension is None:
                length = self.embed(["Hello."]).shape[1]
                if not 0 < length <= LONGEST:
                    raise ModelOutputError(f"The model {self._model} makes vectors of length {length}; use one that makes 1 to {LONGEST}.")
                self._dimension = length
            return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, of unit length unless it is zero.

        Raises:
            ModelUnavailable: the endpoint cannot be reached, or refuses.
            ModelOutputError: it answers with something that is not one vector a text.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        readable = [searchable(text[:_READS]) or " " for text in texts]  # nothing at all is refused
        vectors = np.concatenate([self._read(readable[start : start + _BATCH]) for start in range(0, len(readable), _BATCH)])
        return unit(vectors)

    def _read(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Ask for vectors; where a text is too long, for those of halves of the texts, in the end for the mean of those of its halves."""
        import numpy as np
        import openai

        try:
            call = self._client.embeddings.with_streaming_response.create(model=self._model, input=list(texts), encoding_format="float")
            answer = read_body(self._model, call, most=_MOST_BYTES)
        except openai.APIStatusError as error:
            too_long = error.status_code in (400, 413, 422, 500) and _TOO_LONG.search(str(error))
            half = len(texts) // 2
            if too_long and half:
                return np.concatenate([self._read(texts[:half]), self._read(texts[half:])])
            if too_long and len(texts[0]) > 1:
                return np.asarray(unit(self._read(halves_of(texts[0]))).sum(axis=0, keepdims=True))
            raise failure(self._model, error) from error
        except (openai.OpenAIError, ValueError) as error:
            raise failure(self._model, error) from error
        return self._vectors(answer, count=len(texts))

    def _vectors(self, body: bytes, *, count: int) -> NDArray[np.float32]:
        import numpy as np

        try:
            found = _rows(json.loads(body), count=count)
            with np.errstate(over="ignore"):  # a number too large becomes infinite
                vectors = np.array([found[place] for place in range(count)], dtype=np.float32)
            if vectors.ndim != 2 or not np.isfinite(vectors).all():
                raise ValueError("numbers that are no vectors, or not finite")
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            short = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            message = f"The model {self._model} answered with something else than one vector a text ({short}); use one for embeddings."
            raise ModelOutputError(message) from error
        return vectors


def _rows(answer: object, *, count: int) -> dict[int, object]:
    """The vectors of an answer by the places of their texts; a server that tells no places answers in order."""
    rows = answer["data"] if isinstance(answer, Mapping) else None
    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"no list of {count}")
    return {int(row.get("index", place)): row["embedding"] for place, row in enumerate(rows) if isinstance(row, Mapping)}


def _pause(retry_after: str | None) -> float | None:
    """The seconds that a server asks to wait by its header Retry-After (RFC 9110, 10.2.3): a number, or the date when it is over."""
    try:
        seconds = float(retry_after or "nan")
    except ValueError:
        try:
            seconds = parsedate_to_datetime(str(retry_after)).timestamp() - time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None


def _too_much(model: str, most: int) -> ModelUnavailable:
    return _passing(f"The model {model} answered with more than {most:,} bytes; check the server.")


def _late(message: str) -> ModelUnavailable:
    error = _passing(message)
    error.late = True
    return error


def _passing(message: str) -> ModelUnavailable:
    error = ModelUnavailable(message)
    error.passing = True
    return error
