"""Embedders for tests that are about more than nearness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class OneMeaning:
    """An embedder for which everything means the same, so that only the words can tell two facts apart."""

    name, dimension = "one-meaning", 8

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Make equal vectors."""
        self.asked += bool(texts)  # being asked for none is for loading
        return np.full((len(texts), 8), 8**-0.5, dtype=np.float32)


class SoNear(OneMeaning):
    """An embedder for which a text that holds one word has this cosine to all others, which mean the same."""

    def __init__(self, word: str, cosine: float) -> None:
        super().__init__()
        self.word, self.cosine = word, cosine

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Make vectors in two directions."""
        apart = [self.cosine, (1 - self.cosine**2) ** 0.5]
        return np.array([[*(apart if self.word in text else [1.0, 0.0]), *[0.0] * 6] for text in texts], np.float32).reshape(-1, 8)


class Broken(OneMeaning):
    """An embedder that always fails."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fail."""
        raise RuntimeError("out of order")
