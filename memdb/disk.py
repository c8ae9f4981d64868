"""Files as the system has them: written so that a power cut leaves the old one or the new one, whole; no more open than there may be."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memdb.errors import InputError, StoreError

UNFINISHED = ".unfinished"
"""How the name of a file ends while it is not whole yet."""


def write(path: Path, data: bytes) -> None:
    """Write a file, all of it to the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Have a new file made beside the name that it gets when it is whole; on an error nothing is left of it.

    Raises:
        InputError: there is one of this name, or one that was begun and is not whole.
        StoreError: it cannot be made there.
    """
    beside = path.with_name(path.name + UNFINISHED)
    if os.path.lexists(path):
        raise InputError(f"{path} exists; name a file that does not, so that nothing is mixed.")
    try:
        make_empty(beside, mode=0o644)
    except FileExistsError as error:
        told = f"{beside} exists: somebody is making {path}, or was killed while doing so; delete that file if nobody is, and repeat it."
        raise InputError(told) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be made ({error.strerror}); name a file in a folder that can be written.") from error
    try:
        yield beside
        to_disk(beside)
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        finish(beside)
        to_disk(path.parent)
    except BaseException as error:
        take_away(*files_of(beside))
        if isinstance(error, OSError):
            told = f"{path} cannot be made ({error.strerror}); nothing is left of it, so name a file where there is room and you may write."
            raise StoreError(told) from error
        raise


def make_empty(path: Path, *, mode: int) -> None:
    """Make a new, empty file."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, mode))


def take_away(*paths: Path) -> None:
    """Remove files, as far as they are there."""
    for path in paths:
        path.unlink(missing_ok=True)


def files_of(path: Path) -> list[Path]:
    """Return where the file of a memory lies, and what SQLite may have left beside it."""
    return [Path(f"{path}{beside}") for beside in ("", "-wal", "-shm", "-journal")]


def finish(path: Path) -> Path:
    """Give a file that is whole, and the log beside it, its name; return that."""
    name = finished(path)
    if os.path.exists(f"{path}-wal"):
        os.rename(f"{path}-wal", f"{name}-wal")
    return path.rename(name)


def finished(path: Path) -> Path:
    """Return the name that a file gets when it is whole."""
    return path.with_name(path.name.removesuffix(UNFINISHED))


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
