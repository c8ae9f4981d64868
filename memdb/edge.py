"""The door to MiniLM without PyTorch: an ONNX model that a memory carries in its own file, or that lies in a folder."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from memdb import forking
from memdb.checks import searchable
from memdb.disk import UNFINISHED, to_disk, write
from memdb.errors import ModelUnavailable, StoreError
from memdb.pieces import embed_whole
from memdb.records import ModelCard
from memdb.tokens import WORD_PIECE, Tokenizer, tokens_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer as WordPiece

CARD, NETWORK, TOKENIZER = "model.json", "model.onnx", "tokenizer.json"
"""The files of a model; the card tells the size and the hash of the other two."""

_BATCH = 16  # texts of like length run together; more at once gain no time and cost memory


class EdgeMiniLM:
    """all-MiniLM-L6-v2 by onnxruntime, from files that `memdb model export` wrote; its vectors can be compared with those of `MiniLM`.

    Loaded at the first `embed`, in a fraction of a second. `read` returns the model's files by name and `origin` says where they are.
    `tokenizer` counts as `count_tokens` does.
    """

    name = "all-MiniLM-L6-v2"
    dimension = 384

    def __init__(self, read: Callable[[], Mapping[str, bytes]], *, origin: str) -> None:
        self._read, self._origin = read, origin
        self._loaded: _Loaded | None = None
        self._lock = threading.Lock()
        self.tokenizer = Tokenizer(WORD_PIECE, self.count_tokens)

    @classmethod
    def from_folder(cls, folder: Path) -> EdgeMiniLM:
        """Return the embedder whose model lies in a folder."""
        return cls(lambda: read_folder(folder), origin=str(folder))

    @staticmethod
    def installed() -> bool:
        """Whether everything the model needs is installed; finding out imports nothing heavy."""
        return all(importlib.util.find_spec(name) is not None for name in ("onnxruntime", "tokenizers", "numpy", "sqlite_vec"))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text; a long one is read in pieces, as `memdb.pieces` tells.

        Raises:
            ModelUnavailable: the packages are not installed, or the model is damaged or fails.
        """
        with forking.foreign.entered():
            loaded = self._load()
            return embed_whole([searchable(text) for text in texts], self.embed_beginnings, lambda: loaded.counter, most=loaded.max_tokens)

    def embed_beginnings(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, of what the model reads at once of it: the first 256 tokens.

        Raises:
            ModelUnavailable: the packages are not installed, or the model is damaged or fails.
        """
        with forking.foreign.entered():
            loaded = self._load()
            import numpy as np  # only now: without it, `_load` has said what to install

            vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
            readable = [searchable(text) for text in texts]  # half a surrogate pair stops the tokenizer
            by_length = sorted(range(len(texts)), key=lambda place: len(readable[place]))  # so that little is padded
            try:
                for start in range(0, len(texts), _BATCH):
                    places = by_length[start : start + _BATCH]
                    vectors[places] = loaded.run([readable[place] for place in places])
            except Exception as error:  # whatever the tokenizer or onnxruntime raise
                raise ModelUnavailable(f"The model in {self._origin} failed on {len(texts)} texts ({error}); {_MEND}.") from error
            return vectors

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has, special tokens and the model's limit not counted.

        Raises:
            ModelUnavailable: the packages are not installed, or the model is damaged.
        """
        with forking.foreign.entered():
            return tokens_in(text, self._load().counter)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                if not self.installed():
                    raise ModelUnavailable(
                        f"The model in {self._origin} needs onnxruntime; install memdb[onnx] or open with embedder=None for words only."
                    )
                try:
                    files = self._read()
                except StoreError as error:
                    raise ModelUnavailable(f"The model cannot be read: {error}") from error
                self._loaded = _load(files, origin=self._origin)
            return self._loaded


@dataclass(frozen=True)
class _Loaded:
    session: InferenceSession
    tokenizer: WordPiece
    counter: WordPiece
    max_tokens: int

    def run(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        encoded = self.tokenizer.encode_batch(texts)
        given = {
            "ids": np.array([one.ids for one in encoded], dtype=np.int64),
            "mask": np.array([one.attention_mask for one in encoded], dtype=np.int64),
        }
        vectors: NDArray[np.float32] = self.session.run(["vectors"], given)[0]
        return vectors


_MEND = "write it again with `memdb model export`"


def read_card(files: Mapping[str, bytes], *, origin: str) -> ModelCard:
    """Return the card of a model whose files are all there, whole, and of the model that memdb knows.

    Raises:
        ModelUnavailable: they are not.
    """
    try:
        card = ModelCard.model_validate_json(files[CARD])
    except (KeyError, ValidationError) as error:
        raise ModelUnavailable(f"The model in {origin} is damaged: it has no readable {CARD}; {_MEND}.") from error
    if (card.name, card.dimension) != (EdgeMiniLM.name, EdgeMiniLM.dimension) or card.files.keys() != {NETWORK, TOKENIZER}:
        raise ModelUnavailable(f"The model in {origin} is {card.name} ({card.dimension} dimensions), which is not known here; {_MEND}.")
    for name, expected in card.files.items():
        if hashlib.sha256(files.get(name, b"")).hexdigest() != expected:
            raise ModelUnavailable(f"The model in {origin} is damaged: its {name} is not as it was written; {_MEND}.")
    return card


def read_folder(folder: Path) -> dict[str, bytes]:
    """Return the files of a model in a folder, as far as they are there.

    Raises:
        ModelUnavailable: one of them cannot be read, or none is there.
    """
    try:
        found = {name: (folder / name).read_bytes() for name in (CARD, NETWORK, TOKENIZER) if (folder / name).exists()}
    except OSError as error:
        raise ModelUnavailable(f"The model in {folder} cannot be read ({error}); {_MEND}.") from error
    if not found:
        raise ModelUnavailable(f"There is no model in the folder {folder}; write one there with `memdb model export --to {folder}`.")
    return found


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a model's files into a folder. A model that is there stays whole until the new one lies beside it.

    Raises:
        StoreError: the folder cannot be written.
    """
    beside = {name: folder / f"{name}{UNFINISHED}" for name in files}
    try:
        for name, path in beside.items():
            write(path, files[name])
        for name, path in beside.items():  # the card comes last: a folder without it holds no model
            path.replace(folder / name)
        to_disk(folder)
    except BaseException as error:
        for path in beside.values():
            with suppress(OSError):
                path.unlink()
        if isinstance(error, OSError):
            told = f"The model cannot be written to {folder} ({error}); give a folder that has room and can be written."
            raise StoreError(told) from error
        raise


def _load(files: Mapping[str, bytes], *, origin: str) -> _Loaded:
    card = read_card(files, origin=origin)
    import onnxruntime
    from tokenizers import Tokenizer as WordPiece

    onnxruntime.disable_telemetry_events()  # builds for Windows have some
    onnxruntime.set_default_logger_severity(4)  # what goes wrong is told by its exception
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_quant_qdq", "1")  # unpack the weights once: the inputs stay as exact as they are
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads sleep; nothing is slower for it
    try:
        session = onnxruntime.InferenceSession(files[NETWORK], options, providers=["CPUExecutionProvider"])
        tokenizer, counter = (WordPiece.from_buffer(files[TOKENIZER]) for _ in range(2))
    except Exception as error:  # what onnxruntime and tokenizers raise has no common type of its own
        raise ModelUnavailable(f"The model in {origin} cannot be loaded ({error}); {_MEND}.") from error
    tokenizer.enable_truncation(card.max_tokens)
    tokenizer.enable_padding()  # to the longest of a batch
    counter.no_truncation()
    counter.no_padding()
    return _Loaded(session, tokenizer, counter, card.max_tokens)
