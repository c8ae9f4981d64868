"""The model that a file carries: MiniLM's, put into it, looked at, and taken out again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from memdb.database import Database
from memdb.edge import EdgeMiniLM, read_card, read_folder
from memdb.errors import ConfigError, StoreError
from memdb.records import ModelCard
from memdb.steps.carry import carried, carry, drop, read_carried
from memdb.store import Store


def carry_model(store: Store, folder: str | Path | None, *, precision: Literal["int8", "float32"]) -> ModelCard:
    """Put MiniLM's model into the file, made here or from a folder, and return what it is.

    Raises:
        ConfigError: the file's vectors are of another embedder.
        ModelUnavailable: it cannot be made, or the folder holds none that is whole.
        ModelOutputError: what was made does not agree with the original; nothing was written.
    """
    remembered = store.embedder()
    if remembered is not None and remembered[0] != EdgeMiniLM.name:
        raise ConfigError(f"{store.path} holds vectors of the embedder {remembered[0]}, so a model of {EdgeMiniLM.name} is no use.")
    if folder is None:
        from memdb.export import export  # the only verb that needs it

        files = export(precision)
    else:
        files = read_folder(Path(folder))
    card = read_card(files, origin=str(folder or "memory"))
    db = store.database()
    with db.transaction():
        carry(db, files)
    _settle(db)
    return card


def carried_model(store: Store) -> ModelCard | None:
    """Return what the model is that the file carries, checked to be whole; None if it carries none.

    Raises:
        ModelUnavailable: it is damaged.
    """
    db = store.database()
    return read_card(read_carried(db), origin=str(store.path)) if carried(db) else None


def drop_model(store: Store) -> bool:
    """Take the model out of the file, and return whether there was one."""
    db = store.database()
    with db.transaction():
        dropped = drop(db)
    _settle(db)
    return dropped


def _settle(db: Database) -> None:
    """Move so much out of the log at once, where the disk has room for it; it is kept there just as well."""
    with suppress(StoreError):
        db.checkpoint()
