"""Files beside the memory, written so that a power cut leaves the old one or the new one, whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
