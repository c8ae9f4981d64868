"""A text that is longer than a model of embeddings reads at once: the pieces that it is read in, and one vector of them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer as WordPiece

READS = 20_000
"""So many characters of a text are read; a longer one is told by its beginning."""

_AT_ONCE = 32  # pieces, so that whoever asks meanwhile need not wait for all
_SPECIAL = 2  # tokens that the model sets around a text
_ENDS = ".!?…。\uff01\uff1f\n"


def embed_whole(
    texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]], tokenizer: Callable[[], WordPiece | None], *, most: int
) -> NDArray[np.float32]:
    """Return one unit vector a text, of shape (len(texts), dimension); that of a long text is the mean of its pieces' vectors.

    `embed` makes unit vectors of texts and reads `most` tokens of each. `tokenizer` returns what tells where these are, and cuts none off;
    without it, only the beginning of a text is read.
    """
    is_long = any(len(text) > most - _SPECIAL for text in texts)  # each token has a character
    if not is_long or (word_piece := tokenizer()) is None:
        return embed(texts)
    import numpy as np

    parts = [pieces_of(text, word_piece, most=most) for text in texts]
    each = [piece for pieces in parts for piece in pieces]
    vectors = np.concatenate([embed(each[start : start + _AT_ONCE]) for start in range(0, len(each), _AT_ONCE)])
    if len(vectors) == len(texts):
        return vectors
    firsts = np.cumsum([0, *(len(pieces) for pieces in parts)])[:-1]
    vectors = np.add.reduceat(vectors, firsts, axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def pieces_of(text: str, word_piece: WordPiece, *, most: int) -> list[str]:
    """Return the text in pieces of at most so many tokens, about as long as each other, that end where a sentence or a word does."""
    room = most - _SPECIAL
    if len(text) <= room:
        return [text]
    text = text[:READS]
    starts = [
        0,
        *(start for start, _ in word_piece.encode(text, add_special_tokens=False).offsets[1:]),
    ]  # blanks before all words are the first piece's
    pieces, first = [], 0
    while len(starts) - first > room:
        size = ceil((len(starts) - first) / ceil((len(starts) - first) / room))
        behind = range(first + size, first + size - size // 4, -1)
        end = next((at for at in behind if text[: starts[at]][-80:].rstrip(" ")[-1:] in _ENDS), None)
        end = end or next((at for at in behind if text[starts[at] - 1].isspace()), first + size)
        pieces.append(text[starts[first] : starts[end]])
        first = end
    return [*pieces, text[starts[first] :] if pieces else text]
