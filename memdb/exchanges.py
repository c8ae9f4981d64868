"""What takes the place of what: "I switched from running to swimming" tells by what is over of what it speaks, as "I left Bosch, I'm at
Acme now" does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain

from memdb.claims import Circumstances, Held, about_whom, are_alike, facts_in, read_pattern, texts_of
from memdb.english import Clause
from memdb.english_rules import Also, Exchange, Pattern, attribute_of, compiled, rules
from memdb.keys import canonical_key, predicate_of, telling
from memdb.records import Candidate

_SAID = Pattern(match="", key="", kind="item", explicit=True, time="change", negative="skip", raw=True, examples=())


def exchanged_in(clause: Clause, here: Circumstances, held: Held, once: Held) -> Iterator[Candidate]:
    """Find what a clause says has taken the place of something believed: "I switched from physics to mathematics", of who studies physics.

    What is over tells what it speaks of; where that is believed under none of the predicates, or more than one, nothing is clear. Of what
    one has "gone back to", what was believed `once` tells it.
    """
    if not clause.subject:
        return  # "he", of whom nothing is known
    words = rules().instead
    exchanged = {*words.predicates, *attribute_of().values()}
    meaning = {"instead": exchanged, "over": {*words.left}, "again": exchanged - {*words.returned}}
    for pattern, one in _exchanges():
        means = one.means
        match = next(filter(None, (compiled(pattern.match).match(text) for text in texts_of(pattern, clause))), None)
        about = about_whom(clause, here) if match is not None else None
        if match is None or about is None:
            continue
        over = telling(match["from" if means == "instead" else "o"])
        names = sorted(one.of or meaning[means])
        known = (once if means == "again" else held)([canonical_key(about.slug, name) for name in names])
        meant = [(key, value) for key, value in known if over and over <= telling(value)]
        meant = [(key, value) for key, value in meant if over == telling(value)] or meant
        if len(set(meant)) != 1 or not are_alike(meant[0][1], match["o"]):
            continue
        (key, value), predicate = meant[0], meant[0][0].partition(".")[2]
        ends = (Also(key=predicate, object=value, kind="raw", negated=True),)  # of one that has one value only, it gives way
        several = predicate_of(key, here.predicates).cardinality == "many" and means == "instead"
        exchange = pattern.model_copy(update={"key": predicate, "also": ends if several else (), "negated": means == "over"})
        yield from chain.from_iterable(read_pattern(exchange, clause, text, here) for text in texts_of(exchange, clause))
        return


def taken_up_in(clause: Clause, here: Circumstances, before: str, value: str) -> Iterator[Candidate]:
    """Find what a clause says is so instead of a value that has just been said to be over, under the key `before`: "…, I'm at Siemens now".

    It must be of the same sort.
    """
    subject, _, predicate = before.partition(".")
    words = rules().instead
    said = _SAID.model_copy(update={"match": words.it, "key": predicate, "scope": "clause", "time": "none", "deny": words.none})
    ways = [said]
    if predicate in words.places:
        ways.insert(0, said.model_copy(update={"match": words.at, "kind": "org", "scope": "subject"}))
    if predicate in words.gotten:
        ways.append(said.model_copy(update={"match": words.gets, "kind": "brand", "scope": "subject"}))
    if predicate in rules().attributes["person"].values():
        ways.append(said.model_copy(update={"match": words.sees, "kind": "name", "scope": "subject"}))
    if predicate == "studies":
        ways.append(said.model_copy(update={"match": words.does, "scope": "subject"}))
    for pattern in ways:
        for text in [clause.text] if pattern.scope == "clause" else texts_of(pattern, clause):
            found = read_pattern(pattern, clause, text, here)
            yield from (one for one in found if one.subject == subject and (not value or are_alike(value, one.object)))


def taken_to_in(clause: Clause, here: Circumstances) -> Iterator[Candidate]:
    """Find what a clause says one does instead of the one thing of its sort that one did: "I've switched to learning Dutch"."""
    match = compiled(rules().instead.taken_to).match(clause.phrase) if clause.subject and not clause.negative else None
    if match is not None:
        does = f"{'am' if clause.subject == 'i' else 'is'} {match['doing']} instead"
        whose = "i" if clause.subject == "i" else f"my {clause.subject}"
        read = facts_in(replace(clause, text=f"{whose} {does}", phrase=does, full=does, explicit=True), here)
        yield from (one for one in read if one.key.partition(".")[2] in rules().instead.alone)


def changed_in(clause: Clause, here: Circumstances) -> str:
    """Return the key of what a clause says is another now, without saying which: "I changed jobs"; "" where it says nothing of the kind."""
    match = compiled(rules().instead.changed).match(clause.phrase) if clause.subject and not clause.negative else None
    about = about_whom(clause, here) if match is not None else None
    return canonical_key(about.slug, attribute_of()[match["attr"].lower()]) if match is not None and about is not None else ""


@cache
def _exchanges() -> tuple[tuple[Pattern, Exchange], ...]:
    return tuple((_SAID.model_copy(update={"match": one.match, "confidence": one.confidence}), one) for one in rules().exchange)
