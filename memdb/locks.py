"""How a lock on the file is waited for: it is looked at again and again, sooner than SQLite itself would."""

from __future__ import annotations

import random
from time import monotonic, sleep

_FIRST_WAIT, _LONGEST_WAIT = 0.0005, 0.01  # seconds between two looks at a lock


class Patience:
    """Waits for a lock, no longer than `seconds`. It looks again so soon that others who come later do not pass by again and again.

    SQLite itself waits up to a tenth of a second between two looks, and among writers without pause some wait for seconds: see
    `bench/writers.py`. Ctrl-C ends this wait, too.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._since = 0.0

    def __call__(self, looks: int) -> bool:
        """Return whether to look again, after a pause; `looks` counts from 0 for each lock."""
        if not looks:
            self._since = monotonic()
        if monotonic() - self._since >= self.seconds:
            return False
        sleep(min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(looks, 10)) * random.uniform(0.2, 1.0))
        return True
