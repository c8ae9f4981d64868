"""What takes the place of what: "I switched from running to swimming", "I left Bosch, I'm at Acme now".

It is told of what such a sentence speaks by what it says is over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain

from memdb.called import attribute_of, called
from memdb.claims import Circumstances, Held, about_whom, are_alike, facts_in, read_pattern, texts_of
from memdb.clause import Clause
from memdb.english import clauses
from memdb.english_rules import Also, Exchange, Pattern, compiled, literal, needs, rules
from memdb.fitting import by_fragments
from memdb.keys import canonical_key, predicate_of, telling
from memdb.records import Candidate
from memdb.sentences import PLAIN

_SAID = Pattern(match="", key="", kind="item", explicit=True, time="change", negative="skip", raw=True, examples=())
_GATHERED = 0.8  # how sure it is what is so instead, where it is only said after what is over
_NAMED = re.compile(r"(?<=\w )(?<!^the )[A-Z]\w+$")


def exchanged_in(clause: Clause, here: Circumstances, held: Held, once: Held) -> Iterator[Candidate]:
    """Find what a clause says has taken the place of something believed: "I switched from physics to mathematics", of who studies physics.

    What is over tells what it speaks of; where that is believed under none of the predicates, or more than one, nothing is clear. Of what
    one has "gone back to", what was believed `once` tells it.
    """
    if not clause.subject:
        return  # "he", of whom nothing is known
    for pattern, one in _exchanges()(clause.full):
        texts = texts_of(pattern, clause)
        texts += [name for name in (capitalised(text, here) for text in texts) if name not in texts]
        match = next(filter(None, (compiled(pattern.match).match(text) for text in texts)), None)
        about = about_whom(clause, here) if match is not None else None
        if match is None or about is None:
            continue
        names = [canonical_key(about.slug, name) for name in sorted(one.of or _meaning(one.means))]
        known = (once if one.means == "again" else held)(names)
        if "o" not in match.re.groupindex:  # "we're back together", of who has parted from one
            if len(parted := set(known)) == 1 and not held(names):
                yield from _again(*parted.pop(), pattern, clause, match.string, here)
                return
            continue
        meant = _given_up(match, one, known)
        text = match.string
        if meant is not None and not are_alike(meant[1], match["o"]):  # "transferred from oxford to durham"
            text = capitalised(text, here)
            match = compiled(pattern.match).match(text)
        if meant is None or match is None or not are_alike(meant[1], match["o"]):
            continue
        (key, value), predicate = meant, meant[0].partition(".")[2]
        ends = (Also(key=predicate, object=value, kind="raw", negated=True),)  # of one that has one value only, it gives way
        several = predicate_of(key, here.predicates).cardinality == "many" and one.means == "instead"
        if predicate in rules().over.partners and one.means == "again":
            yield from _again(key, value, pattern, clause, text, here)
            return
        exchange = pattern.model_copy(update={"key": predicate, "also": ends if several else (), "negated": one.means == "over"})
        if one.means == "instead" and (around := _around(value, match["from"])):
            exchange = exchange.model_copy(update={"object": around})
        texts = texts_of(exchange, clause) if text in texts_of(pattern, clause) else [text]
        yield from chain.from_iterable(read_pattern(exchange, clause, text, here) for text in texts)
        return


@cache
def _meaning(means: str) -> frozenset[str]:
    """Under which predicates something is believed that is over, or so again, as an exchange means it."""
    words = rules().instead
    exchanged = {*words.predicates, *attribute_of().values()}
    return frozenset({"instead": exchanged, "over": {*words.left}, "again": exchanged - {*words.returned}}[means])


def swapped_in(clause: Clause, here: Circumstances, held: Held) -> Iterator[Candidate]:
    """Find what a sentence says has taken the place of something believed, if it names only the two: "it's Monzo now, not Barclays"."""
    told = clause.excerpt.translate(PLAIN).strip(" .!")
    begins = compiled(rules().swap.lead).match(told)
    told = told[begins.end() :] if begins else told
    if len(told) > _LONGEST_SWAP:
        return
    for pattern in _swaps()(told):
        match = pattern.fullmatch(told)
        if match is None:
            continue
        groups = match.groupdict()
        new = groups["o"] or groups.get("new") or ""
        names = [canonical_key(here.owner.slug, name) for name in sorted(_swapped())]
        over = telling(_ARTICLE.sub("", groups["from"]))
        meant = {(key, value) for key, value in held(names) if over and over == telling(value)}
        if len(meant) != 1:
            continue
        ((key, value),) = meant
        new = _ARTICLE.sub("", new)
        new = new.title() if value.istitle() and is_small(here) else new
        if not are_alike(value, new) or compiled(rules().instead.no_name).match(new) or telling(new) == over:
            continue
        predicate = key.partition(".")[2]
        kind = "place" if predicate in rules().instead.returned else "item"
        ends = (Also(key=predicate, object=literal(value), kind="raw", negated=True),)
        said = _ANYTHING.model_copy(update={"key": predicate, "kind": kind, "also": ends})
        yield from read_pattern(said, replace(clause, negative=False, former=False, elided=False), new, here)
        return


@cache
def _swaps() -> Callable[[str], list[re.Pattern[str]]]:
    return by_fragments(rules().swap.matches, needing=needs, made_ready=compiled)


@cache
def _swapped() -> frozenset[str]:
    words = rules().instead
    return frozenset({*words.predicates, *words.places, *attribute_of().values(), *rules().over.persons, "partner", "lives_in", "works_at"})


_PART = re.compile(r",\s+(?:(?:and|so|but)\s+)?|\s+(?:and|so)\s+|[;:]\s+|\s[-–—]+\s", re.IGNORECASE)
_LONGEST_SWAP = 120  # characters
_ANYTHING = _SAID.model_copy(update={"match": "(?P<o>.+)", "scope": "clause", "confidence": 0.9})
_ENDS_WITH_ARTICLE = re.compile(r"\b(?:an?|the) $", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|my|our|an?) ", re.IGNORECASE)


def _again(key: str, name: str, pattern: Pattern, clause: Clause, text: str, here: Circumstances) -> Iterator[Candidate]:
    """That one is together again with whom one had parted from, and not single."""
    single = Also(key="relationship", object="single", kind="raw", negated=True)
    says = {"key": key.partition(".")[2], "object": literal(name), "also": (single,)}
    yield from read_pattern(pattern.model_copy(update=says), clause, text, here)


def _given_up(match: re.Match[str], one: Exchange, known: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """What is believed of that which a clause says is over, with its key, where it is one thing."""
    over = telling(match["from" if one.means == "instead" else "o"])
    meant = [(key, value) for key, value in known if over and over <= telling(value)]
    meant = [(key, value) for key, value in meant if over == telling(value)] or meant
    return meant[0] if len(set(meant)) == 1 else None


def _around(value: str, over: str) -> str:
    """The object of a pattern by what is over within a value: "shop at {o}", of "shop at Tesco"; "" where it is all."""
    behind = r"(?:(?<= (?:at|in|to|by|on) )|(?<= (?:with|from) ))"
    within = re.search(rf"{behind}{re.escape(over)}(?!\w)", value, re.IGNORECASE)
    named = within is not None and value[:1].islower() and within.group()[:1].isupper()
    return f"{literal(value[: within.start()])}{{o}}{literal(value[within.end() :])}" if within is not None and named else ""


def goes_on_in(clause: Clause, here: Circumstances, before: str, value: str) -> Iterator[Candidate]:
    """Find what a sentence that says what is over, under the key `before`, says is so instead: "Sold the Fiat, I'm driving a Skoda"."""
    over = telling(value)
    for part in _PART.split(clause.excerpt.translate(PLAIN).rstrip(" .!"))[1:]:
        if over and over <= telling(part):
            continue
        bare = Clause(excerpt=part, text=part, phrase=part, full=part)  # of "Malta it is", the clauses are "Malta" and "it is"
        for said in (*clauses(part, at=here.at, zone=here.zone), bare):
            yield from taken_up_in(replace(said, excerpt=clause.excerpt), here, before, value)


def taken_up_in(clause: Clause, here: Circumstances, before: str, value: str) -> Iterator[Candidate]:
    """Find what a clause says is so instead of a value that has just been said to be over, under the key `before`: "…, I'm at Siemens now".

    It must be of the same sort.
    """
    subject, _, predicate = before.partition(".")
    words = rules().instead
    if compiled(rules().over.passing).search(f"{clause.text} {clause.full}"):
        return  # "…, driving a rental for now"
    said = _SAID.model_copy(update={"key": predicate, "scope": "clause", "time": "none", "deny": words.none, "object": anew(value)})
    over, persons = rules().over, {*called().attributes["person"].values()}
    works, gets, sees = predicate in words.places, predicate in words.gotten, predicate in persons
    uses = predicate in {"drives", "uses", *called().attributes["thing"].values()}
    named = bool(value) and predicate not in {*over.partners, *over.pets, *over.relatives}  # "Lea left me, Netflix from now on"
    place, goes_on = predicate in words.returned, words.goes_on.get(predicate)
    ways = [
        said.model_copy(update=way)
        for fits, way in (
            (works, {"match": words.at, "kind": "org", "scope": "subject"}),
            (True, {"match": words.it}),
            (value, {"match": words.bare}),
            (named, {"match": words.named}),
            (works, {"match": words.busy_at, "kind": "org", "scope": "subject"}),
            (gets, {"match": words.gets, "kind": "brand", "scope": "subject"}),
            (uses, {"match": words.works_on, "kind": "item", "scope": "subject"}),
            (place or works or gets, {"match": words.will_do, "kind": "place" if place else "org"}),
            (sees, {"match": words.sees, "kind": "name", "scope": "subject"}),
            (sees or predicate in over.persons, {"match": words.comes_in, "kind": "name"}),
            (predicate == "studies", {"match": words.does, "scope": "subject"}),
            (goes_on, {"match": goes_on, "kind": "place" if place else "item", "scope": "subject"}),
            (works, {"match": words.next, "time": "state"}),
            (value, {"match": words.took, "confidence": _GATHERED}),
            (sees or works or gets, {"match": words.serves, "kind": "raw"}),
        )
        if fits
    ]
    told, clause = clause.text, _whole(clause, here)
    taken_up = [
        one
        for pattern in ways
        for text in ([clause.text] if pattern.scope == "clause" else texts_of(pattern, clause))
        for one in read_pattern(pattern, clause, text, here)
        if one.subject == subject and (not value or (are_alike(value, one.object) and are_alike(one.object, value)))
    ]
    yield from taken_up
    if not taken_up and clause.text != told and compiled(words.nowadays).search(clause.excerpt):  # "…, cycling to work these days"
        for again in clauses(f"i {clause.text}", at=here.at, zone=here.zone):
            yield from facts_in(replace(again, excerpt=clause.excerpt, explicit=True), here)


def anew(value: str) -> str:
    """The object of a pattern by what was so before: after "going to Crete", what one is doing instead is "going to" there."""
    return f"{literal(value[: named.start()])}{{o}}" if value[:1].islower() and (named := _NAMED.search(value)) else "{o}"


def capitalised(text: str, here: Circumstances, *, bare: bool = False) -> str:
    """Return words with capitals where names stand, if their writer has used none: "at aldi"; `bare`: but not after an article."""
    return _with_capitals(text, bare=bare) if is_small(here) else text


@lru_cache(maxsize=64)
def _with_capitals(text: str, *, bare: bool) -> str:
    words = rules().instead

    def name(found: re.Match[str]) -> str:
        common = compiled(words.no_name).match(found["name"]) or (bare and _ENDS_WITH_ARTICLE.search(found["before"]))
        return found.group() if common else f"{found['before']}{found['name'].title()}"

    return compiled(words.lower).sub(name, text)


def is_small(here: Circumstances) -> bool:
    """Return whether a turn is typed without capitals, but for "I"."""
    return _is_small(here.text)


@lru_cache(maxsize=64)
def _is_small(text: str) -> bool:
    return _I.sub("", text).islower()


def capitals_in(clause: Clause, here: Circumstances) -> Clause:
    """Return a clause with the capitals that its writer has left out: "i got a job at aldi", but not "at the shop"."""
    text, phrase, full = (capitalised(said, here, bare=True) for said in (clause.text, clause.phrase, clause.full))
    return replace(clause, text=text, phrase=phrase, full=full)


def _whole(clause: Clause, here: Circumstances) -> Clause:
    """A clause with the "am" that may be left out after what is over, and with the capitals that may: "…, now at aldi"."""
    text, phrase, full = (capitalised(said, here) for said in (clause.text, clause.phrase, clause.full))
    if not clause.subject and compiled(rules().instead.elided).match(text):
        text, phrase, full = (f"am {said}" for said in (text, phrase, full))
    return replace(clause, text=text, phrase=phrase, full=full)


_I = re.compile(r"\bI\b")


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
def _exchanges() -> Callable[[str], list[tuple[Pattern, Exchange]]]:
    return by_fragments(rules().exchange, needing=lambda one: needs(one.match), made_ready=_exchange)


def _exchange(one: Exchange) -> tuple[Pattern, Exchange]:
    return _SAID.model_copy(update={"match": one.match, "confidence": one.confidence}), one
