"""Files as the system has them: written so that a power cut leaves the old one or the new one, whole; no more open than there may be."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from memdb.errors import InputError, StoreError


def write(path: Path, data: bytes) -> None:
    """Write a file, all of it to the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def text(path: str | Path, *, wanted: str) -> str:
    """Return the text of a file that somebody gives; `wanted` says what it should hold.

    Raises:
        InputError: there is none, or it cannot be read as text.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}; give {wanted}.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; give {wanted}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error}); convert it first.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give {wanted}.") from error


def to_disk(path: Path) -> None:
    """Have what was written to a file on the disk, or what was named and removed in a folder; Windows has no such order for a folder."""
    if sys.platform == "win32" and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def too_many_error(path: str | Path) -> StoreError | None:
    """The error to raise where a file could not be opened since this process may open no more; None if it may."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            return StoreError(
                f"{path} cannot be opened, since too many files are open; close some, or raise their limit, and repeat the call."
            )
    return None
