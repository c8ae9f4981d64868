"""Words that tell nothing of what a text is about, in English; those of other languages are in rules/languages."""

from __future__ import annotations

from collections.abc import Set

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren't as at be because been before being but by can can't cannot could did
    didn't do does doesn't doing don't down for from further had has have having he her here hers him his how i i'd i'll i'm i've
    if in into is isn't it it's its just let's me more most my no nor not of off on once only or other our ours out over own
    please same she should so some such than that that's the their theirs them then there these they this those through to too
    under until up us very was wasn't we were what what's when where which while who whom why will with would you you're your
    yours
    """.split()
)
"""Words of grammar, contractions among them, with a straight apostrophe."""

ONLY_ENGLISH = STOP_WORDS - frozenset("a all also am an as do for had has he i in is me no of on over so was we will".split())
"""Those that are words of grammar in none of the languages that are read beside English."""

PLEASANTRIES = frozenset(
    """
    ah aha awesome btw bye cheers congrats congratulations cool glad goodbye great ha haha hehe hello hey hi hm hmm hooray hurray lol noted
    oh ok okay perfect sounds sure thank thanks welcome wonderful wow yay
    """.split()
)
"""Words that greet, thank, cheer or agree."""

WITH_PLEASANTRIES = frozenset("a all and for is it it's lot much so that that's the then this to very you you're your".split())
"""Words that say no more where all the others do so: "thanks a lot for that"."""

TOLD_IN_ENGLISH = ONLY_ENGLISH | frozenset(
    "live lived work have love like hate moved study speak drive own play got eat grew come use".split()
)
"""Of the words of a text one of which tells that it is English, where it is in none of the languages that are known."""


def is_pleasantry(words: Set[str]) -> bool:
    """Whether a text of these words, in small letters, is mere thanks and cheers."""
    return not words.isdisjoint(PLEASANTRIES) and words <= PLEASANTRIES | WITH_PLEASANTRIES
