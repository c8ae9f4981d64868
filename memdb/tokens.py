"""How many tokens a text has: the budget of a prompt is counted with this."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING

from memdb.checks import searchable

if TYPE_CHECKING:
    from tokenizers import Tokenizer as WordPiece

WORD_PIECE = "all-MiniLM-L6-v2 WordPiece"
"""The name of the tokenizer that MiniLM reads with."""

_COUNTED = 4_096  # lines


class Tokenizer:
    """Counts tokens, none of which spans two lines, so that the counts of lines add up. `name` says how.

    Most of what goes into one prompt goes into the next one, too: a line that was counted lately is not counted again. Only its digest is
    kept, so that nothing is left here of what was forgotten. For all threads.
    """

    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        self.name = name
        self._count = count
        self._counted: dict[bytes, int] = {}

    def count(self, text: str) -> int:
        """Return how many tokens a text has, special tokens not counted."""
        return sum(self._count_line(line) for line in searchable(text).split("\n") if line)

    def _count_line(self, line: str) -> int:
        digest = blake2b(line.encode(), digest_size=16).digest()
        if (known := self._counted.get(digest)) is None:
            if len(self._counted) >= _COUNTED:
                self._counted.clear()
            known = self._counted[digest] = self._count(line)
        return known


def tokens_in(text: str, word_piece: WordPiece) -> int:
    """Return how many tokens a text has, special tokens not counted.

    To WordPiece a word in letters that it does not know is one token, however long it is, and so is a whole sentence of Thai; to a language
    model it is many. Each letter of such a word counts as one.
    """
    encoded = word_piece.encode(text, add_special_tokens=False)
    unknown = word_piece.token_to_id("[UNK]")
    if unknown not in encoded.ids:
        return len(encoded.ids)
    pairs = zip(encoded.ids, encoded.offsets, strict=True)
    return sum(sum(not letter.isspace() for letter in text[start:end]) if one == unknown else 1 for one, (start, end) in pairs)


def conservative_count(text: str) -> int:
    """Return an upper bound of a text's WordPiece tokens: every token covers at least one character that is not a space.

    WordPiece decomposes a text before lower-casing and cutting it, so that the characters are those of the decomposed text (only İ
    grows when lower-cased, and it is decomposed by then). A closer bound would need the vocabulary. On the demo's messages it is
    3.2 times the true count.
    """
    return sum(1 for character in unicodedata.normalize("NFD", text) if not character.isspace())
