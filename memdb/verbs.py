"""Verbs by what their forms share: "book" and "booked", "buy" and "bought"."""

from __future__ import annotations

import re

_PAST = {
    "did": "do", "done": "do", "found": "find", "bought": "buy", "wrote": "write", "written": "write", "paid": "pay", "sent": "send",
    "made": "make", "took": "take", "taken": "take", "gave": "give", "given": "give", "got": "get", "gotten": "get", "went": "go",
    "gone": "go", "told": "tell", "spoke": "speak", "spoken": "speak", "met": "meet", "saw": "see", "seen": "see", "brought": "bring",
    "sold": "sell", "left": "leave", "ran": "run", "run": "run", "read": "read", "put": "put", "set": "set", "cut": "cut",
    "built": "build", "taught": "teach", "chose": "choose", "chosen": "choose", "rang": "ring", "rung": "ring", "fed": "feed",
    "drew": "draw", "drawn": "draw", "drove": "drive", "hung": "hang", "lent": "lend", "learnt": "learn", "quit": "quit",
    "became": "become", "won": "win", "swept": "sweep", "mown": "mow",
}  # fmt: skip


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
