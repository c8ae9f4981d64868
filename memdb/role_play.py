"""Whether what is said is said in a role play, in which the user speaks as somebody else."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memdb.english import BLANKS, CONTRACTED, expand, masked
from memdb.english_rules import compiled, rules

_LONGEST = 2_000  # characters; who begins a role play says so at once


def is_played(said: Sequence[str], excerpt: str) -> bool:
    """Whether an excerpt of the last of some messages of one speaker, the oldest first, is said in a role play.

    That is one which the message or an earlier one begins ("Let's role play", "You be the waiter, I'll be the guest"), and none ended since
    ("OK, back to reality"). Who only gives the assistant a part ("Pretend you're a chef") goes on to speak for themselves.
    """
    for text in reversed(said):
        plain = _plain(text[:_LONGEST])
        begun, ended = (_last(compiled(rules().play[name]), plain) for name in ("begins", "ends"))
        if ended > begun:
            return False
        if begun >= 0:
            return text is not said[-1] or not -1 < plain.find(_plain(excerpt)) < begun  # "I'm vegan. Let's role play"
    return False


def _plain(text: str) -> str:
    return CONTRACTED.sub(expand, BLANKS.sub(" ", masked(text)))


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((found.start() for found in pattern.finditer(text)), default=-1)
