"""Verbs by what their forms share: "book" and "booked", "buy" and "bought"."""

from __future__ import annotations

import re
from functools import cache

_PAST = {
    "did": "do", "done": "do", "found": "find", "bought": "buy", "wrote": "write", "written": "write", "paid": "pay", "sent": "send",
    "made": "make", "took": "take", "taken": "take", "gave": "give", "given": "give", "got": "get", "gotten": "get", "went": "go",
    "gone": "go", "told": "tell", "spoke": "speak", "spoken": "speak", "met": "meet", "saw": "see", "seen": "see", "brought": "bring",
    "sold": "sell", "left": "leave", "ran": "run", "run": "run", "read": "read", "put": "put", "set": "set", "cut": "cut",
    "built": "build", "taught": "teach", "chose": "choose", "chosen": "choose", "rang": "ring", "rung": "ring", "fed": "feed",
    "drew": "draw", "drawn": "draw", "drove": "drive", "hung": "hang", "lent": "lend", "learnt": "learn", "quit": "quit",
    "became": "become", "won": "win", "swept": "sweep", "mown": "mow",
}  # fmt: skip

_FORMS = """
    bite bit bitten, blow blew blown, break broke broken, build built, buy bought, catch caught, choose chose chosen, dig dug, draw
    drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, fly flew flown, forget
    forgot forgotten, forgive forgave forgiven, freeze froze frozen, hide hid hidden, leave left, lend lent, lose lost, meet met, pay
    paid, ride rode ridden, ring rang rung, sell sold, send sent, shake shook shaken, shoot shot, shrink shrank, sing sang sung, sink
    sank, sit sat, sleep slept, spend spent, stand stood, steal stole stolen, stick stuck, sweep swept, swear swore sworn, swim swam
    swum, teach taught, tear tore torn, throw threw thrown, wake woke woken, wear wore worn, weep wept, win won, wind wound, write
    wrote written
"""
"""Verbs whose past the full-text index takes for another word, but for those that are in everything, such as "go" and "make"."""


@cache
def _by_form() -> dict[str, tuple[str, ...]]:
    verbs = [tuple(verb.split()) for verb in _FORMS.split(",")]
    return {form: tuple(other for other in verb if other != form) for verb in verbs for form in verb}


def other_forms(word: str) -> tuple[str, ...]:
    """Return the other forms of an irregular English verb that tells something: "did I lend" asks for "lent"; () for any other word."""
    return _by_form().get(word, ())


def stem_of_past(verb: str) -> str:
    """Return the stem of a verb in the past, "" for what is none."""
    if verb in _PAST:
        return stem_of(_PAST[verb])
    return stem_of(verb) if len(verb) > 4 and verb.endswith("ed") else ""


def stem_of(word: str) -> str:
    """Return a word cut to what its forms share: "book", "booked" and "books", "plan" and "planned", "renew" and "renewing"."""
    plain = re.sub(r"(?<=\w)ie[sd]$", "y", word.replace("iz", "is"))
    cut = re.sub(r"(?<=\w{2})(?:ed|ing|es|s|e)$", "", plain)
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut
