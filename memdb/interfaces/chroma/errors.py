"""The errors of chromadb under their names. Each is one of memdb's too, so that either way of catching them works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import memdb


class ChromaError(memdb.MdbError):
    """Anything that chromadb would raise as an error of its own."""

    trace_id: str | None = None

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 400

    def message(self) -> str:
        """Return what happened."""
        return ", ".join(str(argument) for argument in self.args)

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "ChromaError"


class InvalidArgumentError(ChromaError, memdb.InputError):
    """An argument cannot be used as it is."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "InvalidArgument"


class DuplicateIDError(ChromaError, memdb.InputError):
    """One call names an id twice."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "DuplicateID"


class NotFoundError(ChromaError, memdb.NotFoundError):
    """There is no such tenant, database or collection."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 404

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "NotFoundError"


class InternalError(ChromaError, memdb.StoreError):
    """The database failed."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 500

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "InternalError"


class BatchSizeExceededError(InternalError, memdb.InputError):
    """More records than may be written at once; chromadb itself reports it as an internal error."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 413

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "BatchSizeExceededError"


class AuthorizationError(ChromaError):
    """The settings do not allow it."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 401

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "AuthorizationError"


class UniqueConstraintError(InternalError, memdb.ConflictError):
    """There is one of that name already; chromadb itself reports it as an internal error."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 409

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "UniqueConstraintError"


# Never raised here: for programs that catch them.


class InvalidDimensionException(ChromaError):
    """Vectors of another length than the collection's; chromadb itself says InvalidArgumentError today, and so do we."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "InvalidDimension"


class IDAlreadyExistsError(ChromaError):
    """An id is there already; `add` passes over it."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 409

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "IDAlreadyExists"


class InvalidUUIDError(ChromaError):
    """An id of a collection is no UUID."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "InvalidUUID"


class InvalidHTTPVersion(ChromaError):
    """A server speaks another HTTP."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "InvalidHTTPVersion"


class VersionMismatchError(ChromaError):
    """A server is of another version."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 500

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "VersionMismatchError"


class RateLimitError(ChromaError):
    """A server was asked too often."""

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 429

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "RateLimitError"


class QuotaError(ChromaError):
    """A hosted Chroma has a limit."""

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "QuotaError"


class ChromaAuthError(ChromaError):
    """A server wants to know who asks."""

    def message(self) -> str:
        """Return what happened."""
        return "Forbidden"

    def code(self) -> int:
        """Return the HTTP status that stands for the error."""
        return 403

    @classmethod
    def name(cls) -> str:
        """Return the error's name in Chroma's protocol."""
        return "AuthError"


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
