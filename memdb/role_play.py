"""Whether what is said is said in a role play, in which the user speaks as somebody else."""

from __future__ import annotations

from collections.abc import Sequence

from memdb.english_rules import compiled, rules
from memdb.sentences import BLANKS, CONTRACTED, expand, masked

_LONGEST = 2_000  # characters; who begins a role play says so at once
_MAY_BEGIN = (  # most messages never do, and need not be looked at closely
    "play", "pretend", " be ", "practi", "rehears", "you are my ", "you are the ", "you're my ", "you're the ",
    "dnd", "d&d", "d and d", "dungeons",
    "pathfinder", "fantasy ", "rpg", "text adventure", "text-based", "sci-fi ", "scifi ", "horror ", "zombie ", "solo ",
    "translate", "correct", "proofread", "rephrase", "rewrite", "sentences", "phrases", "lines", "lyrics", "riddles", "fake", "made",
    "make up", "make them up", "invent", "let's ", "let us ", "can we ", "could we ", "shall we ",
    "perspective", "point of view", "pov", " voice of", " role of", " as a", " by a", "fictional", "fictitious", "imaginary", "dummy",
    "sample", "example", "placeholder", "mock "
)  # fmt: skip


def is_played(said: Sequence[str], excerpt: str) -> bool:
    """Whether an excerpt of the last of some messages of one speaker, the oldest first, is said in a role play.

    That is one which the message or an earlier one begins ("Let's role play", "You be the waiter, I'll be the guest"), and none ended since
    ("OK, back to reality"). Or the message before asks for somebody else's words, of whom this tells ("Write a diary entry as a soldier").
    Who only gives the assistant a part ("Pretend you're a chef") goes on to speak for themselves.
    """
    for place, text in reversed(list(enumerate(said))):
        if not any(word in text.lower() for word in _MAY_BEGIN):
            continue
        plain = _plain(text)
        if place + 2 == len(said) and compiled(rules().play["as_another"]).search(plain) is not None:
            tells = _plain(said[-1])
            return compiled(rules().play["liked"]).match(tells) is None and compiled(rules().play["ends"]).search(tells) is None
        begun = max((found.start() for found in compiled(rules().play["begins"]).finditer(plain)), default=-1)
        if begun >= 0:
            last = place + 1 == len(said)
            before = last and -1 < plain.find(_plain(excerpt)) < begun  # "I'm vegan. Let's role play"
            since = "\n".join([plain[begun:], *map(_plain, said[place + 1 :])])
            return not before and compiled(rules().play["ends"]).search(since) is None
    return False


def _plain(text: str) -> str:
    return CONTRACTED.sub(expand, BLANKS.sub(" ", masked(text[:_LONGEST])))
