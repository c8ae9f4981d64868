"""Put an embedder's model into the file, so that one file carries memory and model; see it, and take it out again."""

from __future__ import annotations

from collections.abc import Mapping

from memdb.database import Database
from memdb.edge import EdgeMiniLM

_PART = 1 << 20  # bytes: a part is read and written in one piece


def carry(db: Database, files: Mapping[str, bytes]) -> None:
    """Write MiniLM's files in the caller's transaction; what the file carries already is replaced."""
    db.run("models.remove", model=EdgeMiniLM.name)
    for name, data in files.items():
        for part, start in enumerate(range(0, len(data), _PART)):
            db.run("models.write", model=EdgeMiniLM.name, file=name, part=part, data=data[start : start + _PART])


def carried(db: Database) -> bool:
    """Return whether the file carries MiniLM, whole or not."""
    row = db.one("models.carried", model=EdgeMiniLM.name)
    return bool(row and row["carried"])


def read_carried(db: Database) -> dict[str, bytes]:
    """Return the files of MiniLM that the file carries, by name, as they stand."""
    parts: dict[str, list[bytes]] = {}
    for row in db.all("models.read", model=EdgeMiniLM.name):
        data = row["data"]
        parts.setdefault(str(row["file"]), []).append(data if isinstance(data, bytes) else b"")
    return {name: b"".join(held) for name, held in parts.items()}


def drop(db: Database) -> bool:
    """Take MiniLM out in the caller's transaction, and return whether it was there."""
    return db.run("models.remove", model=EdgeMiniLM.name) > 0
