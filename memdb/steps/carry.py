"""Put an embedder's model into the file, so that one file carries memory and model; see it, and take it out again."""

from __future__ import annotations

from collections.abc import Mapping

from memdb.database import Database
from memdb.edge import EdgeMiniLM

_PART = 1 << 20  # bytes: a part is read and written in one piece


def carry(db: Database, files: Mapping[str, bytes], *, model: str = EdgeMiniLM.name) -> None:
    """Write a model's files in the caller's transaction; one that the file carries already is replaced."""
    db.run("models.remove", model=model)
    for name, data in files.items():
        for part, start in enumerate(range(0, len(data), _PART)):
            db.run("models.write", model=model, file=name, part=part, data=data[start : start + _PART])


def carried(db: Database, *, model: str = EdgeMiniLM.name) -> bool:
    """Return whether the file carries a model, whole or not."""
    row = db.one("models.carried", model=model)
    return bool(row and row["carried"])


def read_carried(db: Database, *, model: str = EdgeMiniLM.name) -> dict[str, bytes]:
    """Return a model's files by name, as they stand."""
    parts: dict[str, list[bytes]] = {}
    for row in db.all("models.read", model=model):
        data = row["data"]
        parts.setdefault(str(row["file"]), []).append(data if isinstance(data, bytes) else b"")
    return {name: b"".join(held) for name, held in parts.items()}


def drop(db: Database, *, model: str = EdgeMiniLM.name) -> bool:
    """Take a model out in the caller's transaction, and return whether there was one."""
    return db.run("models.remove", model=model) > 0
