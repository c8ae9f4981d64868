"""Opening a memory: the settings, the file, the embedder and the model that serve it; and a model for machines without PyTorch."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

from memdb import mending, stored
from memdb.answers import Mended
from memdb.chat import choose_llm
from memdb.config import LINK_KINDS, Config, load_config
from memdb.driver import damaged_error
from memdb.edge import EdgeMiniLM, read_card, write_folder
from memdb.embed import Embedder, choose_embedder
from memdb.errors import ConfigError, InputError, SchemaError, StoreError
from memdb.llm import LanguageModel
from memdb.memory import Memory
from memdb.mirroring import open_index
from memdb.outside import OutsideIndex, VectorCollection
from memdb.records import ModelCard
from memdb.steps.carry import carried, read_carried
from memdb.store import IN_MEMORY, Store

log = logging.getLogger("memdb")

DEFAULT_WEIGHTS = "default"
"""The weight set that ranks where nobody names another; each file has it from the beginning."""


def open(
    path: str | Path,
    *,
    config: Config | Mapping[str, object] | None = None,
    embedder: Embedder | Literal["auto"] | str | None = "auto",
    llm: LanguageModel | Literal["auto"] | None = "auto",
    weights: str = DEFAULT_WEIGHTS,
    vectors: VectorCollection | None = None,
) -> Memory:
    """Open a memory, made if the file does not exist, and return it.

    Args:
        path: the file, such as "mem.db".
        config: settings by name, over `memdb.toml` beside the file and the environment; a `Config` is taken as it is.
        embedder: "auto" for the one the file was written with, or MiniLM where the file carries it or it is installed; an embedder's
            name; "endpoint:" and a model's name at `OPENAI_BASE_URL`; the folder of a model; an `Embedder`; or None for words only.
        llm: the language model that reads the turns: "auto" for the one at `OPENAI_BASE_URL` if the setting `model` names it; a
            `LanguageModel`; or None for rules. When it fails, rules take its place.
        weights: the weight set that ranks unless a search names another.
        vectors: a Chroma collection that serves as the vector index, filled and kept true in the background; the file's own if None.

    Raises:
        ConfigError: a setting cannot be used, the embedder or the model is none, the file's vectors are of another embedder, or the
            collection cannot serve as an index.
        InputError: there is no such weight set, or the path is none.
        SchemaError: the file is no mem.db, or of a newer version.
        StoreError: the file cannot be opened.
        ModelError: how long the vectors of a model at an endpoint are is not known yet, and it does not say.
    """
    path = _named(path)
    settings = load_config(path, config)
    if str(path) == IN_MEMORY and settings.worker:
        raise ConfigError(f"{IN_MEMORY} is there for one thread only, and the worker is another; give a path, or set worker to False.")
    if str(path) == IN_MEMORY:
        settings = settings.model_copy(update={"memory_page": False})  # there is no file that a page could lie beside
    timeout, attempts = settings.model_timeout_seconds, settings.model_attempts
    thinker = choose_llm(llm, model=settings.model, timeout=timeout, attempts=attempts)
    if llm == "auto" and settings.model and thinker is None:
        log.warning("The setting model is %r, but OPENAI_BASE_URL is not set: rules read the turns.", settings.model)
    writer = settings.generation_model
    narrator = writer and choose_llm(llm, model=writer, timeout=timeout, attempts=attempts)
    first: Embedder | str | None = embedder
    if str(path) != IN_MEMORY and not os.path.lexists(path):
        first = _tried(settings, embedder=embedder, weights=weights, vectors=vectors)
    store = Store(path, settings, vectors=None)
    try:
        spec = first if store.told.embedder is None else embedder
        chosen, index = _equip(store, settings, embedder=spec, weights=weights, vectors=vectors)
        return Memory(store, settings, chosen, thinker, weights, narrator=narrator or None, index=index)
    except BaseException:
        store.close()
        raise


def mend(path: str | Path) -> Mended:
    """Mend a damaged file as `Memory.mend` does, even one that cannot be opened any more; nobody may have it open then.

    Raises:
        InputError: there is no such file, or the path is none.
        SchemaError: it is no mem.db, or of a newer version, or so damaged that nothing can be read of it.
        StoreError: the file cannot be read or written; it is as it was.
    """
    path = _named(path)
    if not path.is_file():
        raise InputError(f"There is no file {path} to be mended; give the path of one.")
    try:
        with open(path, config={"worker": False}, embedder=None, llm=None) as memory:
            return memory.mend()
    except StoreError as error:
        if not (error.damaged or isinstance(error, SchemaError)):
            raise
        try:
            return mending.mend_closed(path, now=datetime.now(UTC))
        except SchemaError as nothing:
            raise (error if isinstance(error, SchemaError) else nothing) from nothing


def _named(path: str | Path) -> Path:
    """Return the path of a file; an empty text would be that of the folder, and blanks are a name that nobody sees."""
    try:
        if not isinstance(path, str) or path.strip():
            return Path(path)
    except TypeError as error:
        raise InputError(f"path is {type(path).__name__}; give the path of a file, such as 'mem.db'.") from error
    raise InputError("path is empty; give the path of a file, such as 'mem.db'.")


def _tried(settings: Config, *, embedder: Embedder | str | None, weights: str, vectors: VectorCollection | None) -> Embedder | None:
    """Try on a passing file what a new one is to begin with: what cannot be used leaves no empty file behind. Return the embedder."""
    chosen = choose_embedder(embedder, remembered=None, timeout=settings.model_timeout_seconds)
    if weights == DEFAULT_WEIGHTS and settings.rival_weights is None and vectors is None and settings.link_kinds == LINK_KINDS:
        return chosen
    store = Store(Path(IN_MEMORY), settings, vectors=None)
    try:
        _, index = _equip(store, settings, embedder=chosen, weights=weights, vectors=vectors)
        if index is not None:
            index.close()
        return chosen
    finally:
        store.close()


def _equip(
    store: Store, settings: Config, *, embedder: Embedder | str | None, weights: str, vectors: VectorCollection | None
) -> tuple[Embedder | None, OutsideIndex | None]:
    """Return the embedder and the index that serve a file, and note them in it; see `open` for what it raises."""
    for ranking in (weights, *filter(None, (settings.rival_weights,))):
        if ranking not in store.told.weight_sets:
            if ranking == DEFAULT_WEIGHTS:
                raise damaged_error(store.path, f"the weight set {ranking!r} is gone")
            raise InputError(f"There is no weight set {ranking!r}; the sets are {', '.join(sorted(store.told.weight_sets))}.")
    if settings.link_kinds != LINK_KINDS:
        _check_kinds(settings.link_kinds, list(stored.kinds(store.database())))
    remembered = store.told.embedder
    model = partial(_carried, store) if store.told.has_models and carried(store.database()) else None
    name, dimension = remembered or (None, None)
    chosen = choose_embedder(embedder, remembered=name, carried=model, dimension=dimension, timeout=settings.model_timeout_seconds)
    if remembered is None and store.read_only:
        chosen = None  # there are no vectors, and none can be made
    store.equip(vectors=chosen is not None)
    if chosen is not None and remembered != (chosen.name, chosen.dimension):
        store.bind_embedder(chosen.name, chosen.dimension)
    index = open_index(store, vectors, embedder=chosen, config=settings) if vectors is not None else None
    return chosen, index


def _check_kinds(wanted: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a setting `link_kinds` with a kind that there is none of, which would else be told by the end of each session."""
    if unknown := [kind for kind in wanted if kind not in known]:
        raise ConfigError(f"Setting 'link_kinds' cannot be used: there is no kind {unknown[0]!r}; the kinds are {', '.join(known)}.")


def export_model(folder: str | Path, *, precision: Literal["int8", "float32"] = "int8") -> ModelCard:
    """Write MiniLM's model into a folder, for `carry_model` or `open(embedder=folder)` on a machine without PyTorch; return what it is.

    Raises:
        ModelUnavailable: it cannot be made; `memdb[export]` has what it takes.
        ModelOutputError: what was made does not agree with the original; nothing was written.
        StoreError: the folder cannot be written.
    """
    from memdb.export import export

    where = Path(folder)
    new = [path for path in (where, *where.parents) if not path.exists()]
    try:
        try:
            where.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"The model cannot be written to {folder} ({error}); give a folder that can be written.") from error
        files = export(precision)
        write_folder(where, files)
    except BaseException:
        with suppress(OSError):
            for path in new:
                path.rmdir()
        raise
    return read_card(files, origin=str(folder))


def _carried(opened: Store) -> EdgeMiniLM:
    """The embedder whose model the file carries, read when it is first used, on a connection of its own."""

    def read() -> dict[str, bytes]:
        store = opened.anew(vectors=False)
        try:
            return read_carried(store.database())
        finally:
            store.close()

    return EdgeMiniLM(read, origin=str(opened.path))
