"""Files as the system has them: written so that a power cut leaves the old one or the new one, whole; no more open than there may be."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from memdb.errors import StoreError


def write(path: Path, data: bytes) -> None:
    """Write a file, all of it to the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


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
