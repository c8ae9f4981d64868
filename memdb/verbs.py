"""Verbs by what their forms share: "book" and "booked", "buy" and "bought"."""

from __future__ import annotations

import re
from functools import cache

_TELLING = """
    bite bit bitten, blow blew blown, break broke broken, build built, buy bought, catch caught, choose chose chosen, dig dug, draw
    drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, fly flew flown, forget
    forgot forgotten, forgive forgave forgiven, freeze froze frozen, hang hung, hide hid hidden, learn learnt, leave left, lend lent,
    lose lost, meet met, mow mown, pay paid, ride rode ridden, ring rang rung, sell sold, send sent, shake shook shaken, shoot shot,
    shrink shrank, sing sang sung, sink sank, sit sat, sleep slept, spend spent, stand stood, steal stole stolen, stick stuck, sweep
    swept, swear swore sworn, swim swam swum, teach taught, tear tore torn, throw threw thrown, wake woke woken, wear wore worn, weep
    wept, win won, wind wound, write wrote written
"""
"""Verbs whose past the full-text index takes for another word, and that tell something."""

_COMMON = """
    become became, bring brought, cut cut, do did done, find found, get got gotten, give gave given, go went gone, make made, put put,
    quit quit, read read, run ran run, see saw seen, set set, speak spoke spoken, take took taken, tell told
"""
"""Verbs that stand in everything, so that their other forms tell nothing, or whose forms the index takes for one."""


def _verbs(listed: str) -> list[list[str]]:
    return [verb.split() for verb in listed.split(",")]


@cache
def _others() -> dict[str, tuple[str, ...]]:
    return {form: tuple(other for other in verb if other != form) for verb in _verbs(_TELLING) for form in verb}


@cache
def _past() -> dict[str, str]:
    return {form: verb[0] for verb in _verbs(_TELLING) + _verbs(_COMMON) for form in verb[1:]}


def other_forms(word: str) -> tuple[str, ...]:
    """Return the other forms of an irregular English verb that tells something: "did I lend" asks for "lent"; () for any other word."""
    return _others().get(word, ())


def stem_of_past(verb: str) -> str:
    """Return the stem of a verb in the past, "" for what is none."""
    if verb in _past():
        return stem_of(_past()[verb])
    return stem_of(verb) if len(verb) > 4 and verb.endswith("ed") else ""


def stem_of(word: str) -> str:
    """Return a word cut to what its forms share: "book", "booked" and "books", "plan" and "planned", "renew" and "renewing"."""
    plain = re.sub(r"(?<=\w)ie[sd]$", "y", word.replace("iz", "is"))
    cut = re.sub(r"(?<=\w{2})(?:ed|ing|es|s|e)$", "", plain)
    return cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut
