"""Understand the answer to a question that the memory itself had asked: which of two is right, or whether something is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memdb.answers import Doubt
from memdb.english_rules import compiled, rules
from memdb.keys import normalise
from memdb.quoting import in_short
from memdb.records import Fact, Record
from memdb.sentences import CONTRACTED, PLAIN, expand

_LONGEST = 200  # characters; a longer answer says what it says by itself
_SHORT = 14  # words


class Heard(Record):
    """What an answer says of a fact that waits: that it is `right`, or that what it contradicts is, or `neither`, or that it is not."""

    fact_id: str
    against: str | None
    right: bool
    neither: bool = False


def hear(text: str, asked: str, doubts: Sequence[Doubt], *, read: Callable[[str], Fact | None]) -> Heard | None:
    """Return what a text answers to the one of `doubts` whose question was `asked` right before; None if it is no plain answer.

    The question is known by its words. Of two that contradict each other the answer names the one that is right, or says which, or that
    neither is, and perhaps what is instead; of one alone it says yes or no. What says anything else besides, doubts, or asks, is none.
    `read` gives a fact by its id.
    """
    plain = in_short(asked)
    questions = [doubt for doubt in doubts if in_short(doubt.question) in plain]
    if len(questions) != 1 or len(text) > _LONGEST or "?" in text:
        return None
    expanded = CONTRACTED.sub(expand, text.translate(PLAIN))
    doubt, said = questions[0], normalise(expanded)
    if not said or len(said.split()) > _SHORT:
        return None
    waits, held = read(doubt.fact_id), read(doubt.against) if doubt.against else None
    if waits is None or (doubt.against and held is None):
        return None
    if held is not None and not (waits.denies or held.denies) and compiled(rules().phrase["neither"]).fullmatch(expanded.strip()):
        return Heard(fact_id=doubt.fact_id, against=doubt.against, right=False, neither=True)
    right = _is_so(said, leave=doubt.leave) if held is None else _which(said, held, waits)
    return None if right is None else Heard(fact_id=doubt.fact_id, against=doubt.against, right=right)


def _is_so(said: str, *, leave: bool) -> bool | None:
    """Whether an answer is a yes or a no; "OK" is one only to whether something may be remembered."""
    agrees, denies, allows = (compiled(rules().phrase[name]).fullmatch(said) for name in ("grants", "declines", "allows"))
    agrees = agrees or (allows if leave else None)
    return None if bool(agrees) is bool(denies) else bool(agrees)


def _which(said: str, held: Fact, waits: Fact) -> bool | None:
    """Whether an answer takes what waits, or what was held; it names one of them and says nothing that is of neither."""
    if compiled(rules().phrase["the_new"]).fullmatch(said):
        return True
    if compiled(rules().phrase["the_old"]).fullmatch(said):
        return False
    if waits.denies and not held.denies and compiled(rules().phrase["no_longer_so"]).fullmatch(said):
        return True
    if waits.denies and not held.denies and compiled(rules().phrase["still_so"]).fullmatch(said):
        return False
    if waits.denies or held.denies or waits.key != held.key:
        return None  # "No longer so: …" has no name of its own
    old, new = normalise(held.object), normalise(waits.object)
    rest, named = f" {said} ", []
    for name in sorted((old, new), key=len, reverse=True):  # "Atlanta, GA" is not "Atlanta" as well
        if f" {name} " in rest:
            named.append(name)
            rest = rest.replace(f" {name} ", " ")
    besides = compiled(rules().phrase["beside_a_choice"])
    objects = {_stem(word) for word in (*old.split(), *new.split())}
    told = {_stem(word) for fact in (held, waits) for word in normalise(fact.value_text).split()} - objects
    if len(named) != 1 or old == new or not all(besides.fullmatch(word) or _stem(word) in told for word in rest.split()):
        return None
    return named[0] == new


def _stem(word: str) -> str:
    return re.sub(r"s$", "", word)
