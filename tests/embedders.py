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


class Broken(OneMeaning):
    """An embedder that always fails."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fail."""
        raise RuntimeError("out of order")
