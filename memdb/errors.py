"""The errors a caller can meet. Each message is one sentence: what happened, to what, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdb.records import ModelCall


_LONGEST, _BEGINNING, _END = 2_000, 1_000, 500  # of a whole sentence
_LONGEST_NAME, _NAME_BEGINS, _NAME_ENDS = 120, 80, 20  # of what it quotes: an id, a name, a text that was given
_QUOTED = re.compile(r"""(?<![\w\\])'(?:\\.|[^'\\])*+'|(?<!\\)"(?:\\.|[^"\\])*+\"""", re.DOTALL)  # between marks, not from an apostrophe on


class MdbError(Exception):
    """Anything memdb raises on purpose."""

    def __str__(self) -> str:
        """Return the sentence; of a long name or text that it repeats, only the beginning and the end."""
        told = _QUOTED.sub(_in_short, super().__str__())
        return told if len(told) <= _LONGEST else f"{told[:_BEGINNING]} … {told[-_END:]}"


def _in_short(quoted: re.Match[str]) -> str:
    told = quoted[0]
    return told if len(told) <= _LONGEST_NAME else f"{told[:_NAME_BEGINS]} … {told[-_NAME_ENDS:]}"


class ConfigError(MdbError, ValueError):
    """A setting is unknown, out of range, or does not fit the file."""


class StoreError(MdbError):
    """The database file could not be opened, read or written. `damaged` marks a file that must be restored, `full` a disk without room,
    `failing` one that does not read or write, be it for now; `user_id` is whose the row is that the error names, where it is anybody's."""

    damaged: bool = False
    full: bool = False
    failing: bool = False
    user_id: str | None = None


class SchemaError(StoreError):
    """The file is no mem.db, or one of a schema this version does not know."""


class BusyError(StoreError):
    """Another process held the file for longer than the busy timeout."""


class ConflictError(StoreError):
    """The write contradicts what is already stored under the same name."""


class NotFoundError(MdbError, LookupError):
    """Nothing is stored under the name that was given."""


class ModelError(MdbError):
    """A language model or an embedder failed. `calls` are those made before it gave up."""

    calls: tuple[ModelCall, ...] = ()


class ModelUnavailable(ModelError):
    """The model could not be reached or loaded. `passing` marks what may go away by itself, and `late` what took too long; `retry_after` is
    in how many seconds, where the server says so."""

    passing: bool = False
    late: bool = False
    retry_after: float | None = None


class ModelOutputError(ModelError):
    """The model answered, but not with what was asked for."""


class InputError(MdbError, ValueError):
    """An argument cannot be used as it is."""
