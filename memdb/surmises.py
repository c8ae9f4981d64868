"""What may be over of what is believed, told by its name in words that end things: "O2 lost me" is reason enough to ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product

from memdb.changes import written_out
from memdb.claims import Circumstances, HeldOf, about_whom, are_alike, read_pattern
from memdb.clause import Clause
from memdb.english_rules import Also, Pattern, Surmise, compiled, literal, needs, rules
from memdb.exchanges import anew
from memdb.fitting import by_fragments
from memdb.keys import normalise, predicate_of, telling
from memdb.meant import LEADING, names_of, sorts_of
from memdb.records import Candidate
from memdb.stop_words import STOP_WORDS

_SURE, _DOUBTFUL = 0.9, 0.6  # below `Config.certain_confidence`: it changes nothing by itself, and is asked about
_IT = "§"
_LONGEST = 200  # characters; who ends a thing so says little else
_ANY = r"[\w&'’.+-]+(?: [\w&'’.+-]+){0,4}?"  # what a name may be
_BEGINS = 4  # letters
_WORD = re.compile(r"\w+")
_PUNCTUATION = re.compile(r"[“”\"¤§]")
_WHOLE = 1  # from this rank on, what names a value is a part of it
_ANYTHING = Pattern(match="(?P<o>.+)", key="", kind="raw", scope="clause", time="change", negative="skip", raw=True, examples=())


@cache
def _surmises() -> Callable[[str], list[tuple[Surmise, re.Pattern[str]]]]:
    """What gives the rules that may fit a text, each with what it matches whatever is named."""
    return by_fragments(
        rules().surmise, needing=lambda one: needs(one.match), made_ready=lambda one: (one, compiled(one.match.replace(_IT, _ANY)))
    )


def surmised_in(clause: Clause, here: Circumstances, held_of: HeldOf) -> Iterator[Candidate]:
    """Find the one thing that a clause may say is over, or otherwise, of what is believed of the one whom it is about.

    What is believed is looked for by its name, whatever words that has; only what stands around the name is matched. What the rules are
    not sure of is of too little confidence to change a belief, and becomes a question.
    """
    if len(here.text) > _LONGEST or clause.former or clause.hedged or _PUNCTUATION.search(clause.excerpt):
        return
    if (clause.guessed and not clause.subject) or (clause.owned and clause.subject != "i"):
        return  # "my sister's gym"
    by_name = bool(clause.name) and clause.text.startswith(clause.name)  # "Tiger didn't make it": of whom one has
    about = here.owner if by_name else about_whom(clause, here)
    supposed = _is_supposed(clause)
    told = clause.text if by_name or clause.subject in ("", "i") else f"I {clause.full}"
    sentence = written_out(clause.excerpt)
    ways = [one for one, may_be in _surmises()(f"{told}\n{sentence}") if may_be.match(sentence if one.whole else told)]
    over = rules().over
    if not (ways or supposed) or any(compiled(pattern).search(clause.excerpt) for pattern in (over.unreal, over.passing, over.but)):
        return
    believed = list(dict.fromkeys(held_of(about.slug))) if about is not None else []  # which takes longer than all before it
    beginnings = _beginnings(clause.excerpt)
    named = [(key, value) for key, value in believed if not beginnings.isdisjoint(_beginnings(value))]
    for text, whole in ((told, False), (sentence, True)):
        those = [one for one in ways if one.whole == whole]
        for one, (key, value, spoken_of) in product(those, _named_in(text, named) if those else ()):
            match = compiled(one.match).match(spoken_of) if {*one.of} & sorts_of(key.partition(".")[2]) else None
            if match is not None and (not whole or match.end() == len(spoken_of)):
                yield from _told(one, key, value, match, clause, here)
                return
    if supposed:
        yield from _supposed_in(clause, here, believed)


@lru_cache(maxsize=1024)
def _beginnings(text: str) -> frozenset[str]:
    """How the words of a text begin: one that names a thing has one of its words, or a form of it, "nursing" of "nurse"."""
    return frozenset(word[:_BEGINS] for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def _is_supposed(clause: Clause) -> bool:
    """Whether a clause may say that something is so instead, in words of change of which none speaks against it."""
    words = rules().supposed
    if clause.negative or clause.subject not in ("", "i") or not compiled(words.cue).search(clause.text):
        return False
    return compiled(words.against).search(clause.text) is None


def _supposed_in(clause: Clause, here: Circumstances, believed: Iterable[tuple[str, str]]) -> Iterator[Candidate]:
    """What may be so instead of the one thing that is believed of its sort: "I've moved over to Firefox", of who uses Chrome."""
    for sort in _sorts():
        known = [(key, value) for key, value in believed if sort.fullmatch(value) and sorts_of(key.partition(".")[2]) - {"abstentions"}]
        if len({normalise(value) for _, value in known}) != 1:
            continue
        small = known[0][1].islower()  # "three" is a number, and "Three" a network
        named = {LEADING.sub("", found.group()) for found in sort.finditer(clause.text)}
        named = {name for name in named if small or not name[0].islower()}
        if len(named) != 1 or telling(new := named.pop()) & telling(known[0][1]):
            continue
        predicate = known[0][0].partition(".")[2]
        says = _ANYTHING.model_copy(update={"key": predicate, "confidence": _DOUBTFUL, "also": _ends(known[0][0], known[0][1], here)})
        yield from read_pattern(says, replace(clause, elided=False, guessed=False), new, here)
        return


@cache
def _sorts() -> tuple[re.Pattern[str], ...]:
    sorts = (*rules().supposed.sorts, *rules().changed_to.sorts)
    return tuple(compiled(rf"(?<![\w'’-])(?:{sort})(?![\w'’-])") for sort in sorts if sort != "{football_club}")  # which are towns, too


def _ends(key: str, value: str, here: Circumstances) -> tuple[Also, ...]:
    """The end of what something takes the place of, where it would not give way by itself."""
    if predicate_of(key, here.predicates).cardinality == "one":
        return ()
    return (Also(key=key.partition(".")[2], object=literal(value), kind="raw", negated=True),)


def _told(one: Surmise, key: str, value: str, match: re.Match[str], clause: Clause, here: Circumstances) -> Iterator[Candidate]:
    """The end of what is believed, and what is so instead, where that is told and of the same sort."""
    predicate = key.partition(".")[2]
    confidence = _SURE if one.sure else _DOUBTFUL
    plain = replace(clause, negative=False, ended=False, elided=False, guessed=False)
    new = match.groupdict().get("new")
    says = _ANYTHING.model_copy(update={"key": predicate, "confidence": confidence, "explicit": one.sure})
    if not new:
        yield from read_pattern(says.model_copy(update={"object": literal(value), "negated": True}), plain, value, here)
        return
    if match.start("new") == 0 and value.islower():
        new = new[:1].lower() + new[1:]  # which only begins the sentence
    alike = are_alike(value, new) and are_alike(new, value)
    if alike and telling(new) != telling(value) and not compiled(rules().instead.no_name).match(new):
        says = says.model_copy(update={"object": anew(value), "also": _ends(key, value, here)})
        yield from read_pattern(says, plain, new, here)


def _named_in(text: str, believed: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """What a text names of what is believed, if that is one thing, with the text as it speaks of it; only what it names best."""
    words = telling(text)
    found: dict[int, list[tuple[str, str, str]]] = {}
    for key, value in believed:
        for rank, name in enumerate(names_of(value)):
            if words.isdisjoint(telling(value)) and rank < _WHOLE:
                continue
            spoken_of, count = name.subn(_IT, text)
            if count == 1:
                found.setdefault(min(rank, _WHOLE), []).append((key, value, spoken_of))
                break
    best = found[min(found)] if found else []
    return best if len({value for _, value, _ in best}) == 1 else []
