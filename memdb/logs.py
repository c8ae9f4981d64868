"""What is logged now and then: a loop that meets the same trouble at each step tells of it once a minute."""

from __future__ import annotations

import logging
from time import monotonic

log = logging.getLogger("memdb")

_SECONDS = 60.0
_last: dict[str, float] = {}  # when each was last told, by its text


def warn_now_and_then(text: str, error: Exception) -> None:
    """Log a warning, `text` with the error in place of its %s, unless one of the same text was logged within the last minute."""
    at = monotonic()
    if at - _last.get(text, -_SECONDS) >= _SECONDS:
        _last[text] = at
        log.warning(text, error)
