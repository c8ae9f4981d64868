"""The errors of chromadb under their names. Each is one of memdb's too, so that either way of catching them works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import memdb


class ChromaError(memdb.MdbError):
    """Anything that chromadb would raise as an error of its own."""

    trace_id: str | None = None
    _status: ClassVar[int] = 400
    _called: ClassVar[str] = "ChromaError"

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return self._status

    def message(self) -> str:
        """Return what happened."""
        return ", ".join(str(argument) for argument in self.args)

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return cls._called


class InvalidArgumentError(ChromaError, memdb.InputError):
    """An argument cannot be used as it is."""

    _called = "InvalidArgument"


class DuplicateIDError(ChromaError, memdb.InputError):
    """One call names an id twice."""

    _called = "DuplicateID"


class NotFoundError(ChromaError, memdb.NotFoundError):
    """There is no such tenant, database or collection."""

    _status = 404
    _called = "NotFoundError"


class InternalError(ChromaError, memdb.StoreError):
    """The database failed."""

    _status = 500
    _called = "InternalError"


class BatchSizeExceededError(InternalError, memdb.InputError):
    """More records than may be written at once; chromadb itself reports it as an internal error."""

    _status = 413
    _called = "BatchSizeExceededError"


class AuthorizationError(ChromaError):
    """The settings do not allow it."""

    _status = 401
    _called = "AuthorizationError"


class UniqueConstraintError(InternalError, memdb.ConflictError):
    """There is one of that name already; chromadb itself reports it as an internal error."""

    _status = 409
    _called = "UniqueConstraintError"


# Never raised here: for programs that catch them.


class InvalidDimensionException(ChromaError):
    """Vectors of another length than the collection's; chromadb itself says InvalidArgumentError today, and so do we."""

    _called = "InvalidDimension"


class IDAlreadyExistsError(ChromaError):
    """An id is there already; `add` passes over it."""

    _status = 409
    _called = "IDAlreadyExists"


class InvalidUUIDError(ChromaError):
    """An id of a collection is no UUID."""

    _called = "InvalidUUID"


class InvalidHTTPVersion(ChromaError):
    """A server speaks another HTTP."""

    _called = "InvalidHTTPVersion"


class VersionMismatchError(ChromaError):
    """A server is of another version."""

    _status = 500
    _called = "VersionMismatchError"


class RateLimitError(ChromaError):
    """A server was asked too often."""

    _status = 429
    _called = "RateLimitError"


class QuotaError(ChromaError):
    """A hosted Chroma has a limit."""

    _called = "QuotaError"


class ChromaAuthError(ChromaError):
    """A server wants to know who asks."""

    def message(self) -> str:
        """Return what happened."""
        return "Forbidden"

    _status = 403
    _called = "AuthError"


error_types: dict[str, type[ChromaError]] = {
    "InvalidDimension": InvalidDimensionException,
    "InvalidArgumentError": InvalidArgumentError,
    "IDAlreadyExists": IDAlreadyExistsError,
    "DuplicateID": DuplicateIDError,
    "InvalidUUID": InvalidUUIDError,
    "InvalidHTTPVersion": InvalidHTTPVersion,
    "AuthorizationError": AuthorizationError,
    "NotFoundError": NotFoundError,
    "BatchSizeExceededError": BatchSizeExceededError,
    "VersionMismatchError": VersionMismatchError,
    "RateLimitError": RateLimitError,
    "AuthError": ChromaAuthError,
    "UniqueConstraintError": UniqueConstraintError,
    "QuotaError": QuotaError,
    "InternalError": InternalError,
    "ChromaError": ChromaError,
}
"""The errors by their names in answers over HTTP."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn memdb's errors into chromadb's, the cause kept."""
    try:
        yield
    except ChromaError:
        raise
    except memdb.NotFoundError as error:
        raise NotFoundError(str(error)) from error
    except memdb.InputError as error:
        raise InvalidArgumentError(str(error)) from error
    except memdb.ConflictError as error:
        raise UniqueConstraintError(str(error)) from error
    except memdb.StoreError as error:
        raise InternalError(str(error)) from error


@contextmanager
def within(method: str) -> Iterator[None]:
    """Say in which method an argument was refused, as chromadb does."""
    try:
        yield
    except Exception as error:
        error.args = (f"{error} in {method}.", *error.args[1:])
        raise
