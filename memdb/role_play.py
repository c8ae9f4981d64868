"""Whether what is said is said in a role play, in which the user speaks as somebody else."""

from __future__ import annotations

from collections.abc import Sequence

from memdb.english import BLANKS, CONTRACTED, expand, masked
from memdb.english_rules import compiled, rules

_LONGEST = 2_000  # characters; who begins a role play says so at once
_MAY_BEGIN = "play", "pretend", " be "  # most messages never do, and need not be looked at closely


def is_played(said: Sequence[str], excerpt: str) -> bool:
    """Whether an excerpt of the last of some messages of one speaker, the oldest first, is said in a role play.

    That is one which the message or an earlier one begins ("Let's role play", "You be the waiter, I'll be the guest"), and none ended since
    ("OK, back to reality"). Who only gives the assistant a part ("Pretend you're a chef") goes on to speak for themselves.
    """
    since = ""  # what was said after a message, by the same speaker
    for text in reversed(said):
        plain = _plain(text[:_LONGEST]) if any(word in text.lower() for word in _MAY_BEGIN) else ""
        begun = max((found.start() for found in compiled(rules().play["begins"]).finditer(plain)), default=-1)
        if begun >= 0:
            before = text is said[-1] and -1 < plain.find(_plain(excerpt)) < begun  # "I'm vegan. Let's role play"
            return not before and compiled(rules().play["ends"]).search(f"{plain[begun:]}\n{_plain(since)}") is None
        since = f"{text[:_LONGEST]}\n{since}"
    return False


def _plain(text: str) -> str:
    return CONTRACTED.sub(expand, BLANKS.sub(" ", masked(text)))
