"""What has changed of what is believed, whatever it is: "The Larks split up" ends what is known as The Larks, a band or a gym."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache

from memdb.claims import Circumstances, HeldOf, Person, about_whom, facts_in, read_pattern
from memdb.clause import Clause
from memdb.english import clauses
from memdb.english_rules import Also, Ending, Pattern, Wording, compiled, literal, needs, rules
from memdb.exchanges import capitalised, is_small
from memdb.fitting import any_of, by_fragments
from memdb.keys import canonical_key, normalise, predicate_of, slug, telling
from memdb.meant import DETERMINER, attribute, meant_by, predicate_in, relative_in, sorts_of
from memdb.others_pets import pet_meant, whose
from memdb.records import Candidate
from memdb.sentences import CONTRACTED, PLAIN, expand
from memdb.verbs import stem_of, stem_of_past

_ENDS = Pattern(match="", key="", kind="raw", scope="clause", explicit=True, time="change", negative="skip", examples=())
_PART = re.compile(r",\s+(?:(?:and|so|but)\s+)?|\s+(?:and|so)\s+", re.IGNORECASE)
_NOT_ELSE = frozenset({"homes", "abstentions"})  # Porto is a town and a club, and whoever drinks no beer may drink wine
_NAMES = ("o", "other", "third", "fourth")  # of what is over, in the ways of saying that it is
_LONGEST = 200  # characters of a sentence that is matched as a whole
_TO_DO = ("needs_to", "deadline")
_PARTS = 4  # of a clause: what is said after them is a list
_TO_WHAT = re.compile(  # of "a flat in Hull", it is the flat
    r"(?<=\w) (?:in|at|from|near|next|this|when|once|with|for|because) .*|(?:^| )(?:early|soon|again|properly|one day|some ?day)$"
)


def changes_in(clause: Clause, here: Circumstances, held_of: HeldOf) -> Iterator[Candidate]:
    """Find what a clause says is over, on other days or another one now, of what is believed of the one whom it is about."""
    if clause.former or compiled(rules().over.unreal).search(clause.excerpt):
        return
    if clause.negative and not clause.ended:
        yield from _come_in(clause, here, held_of)
        if " after all" in clause.text:  # "I won't be opening there after all"
            yield from _otherwise_for_good_in(clause, here, held_of)
        return
    if clause.negative:
        yield from _ended_in(clause, here, held_of)
        yield from _ended_for_good_in(replace(clause, subject="", negative=False), here, held_of)
        return
    lasts = not (compiled(rules().over.but).search(clause.excerpt) or compiled(rules().over.passing).search(f"{clause.text} {clause.full}"))
    known = cache(lambda whose: list(held_of(whose)))
    ways = (_ended_in, _anothers_pet_in, _moved_in, _otherwise_in, _alike_in) if lasts else (_ended_for_good_in, _otherwise_for_good_in)
    for place, part in enumerate([clause.text, *_PART.split(clause.text, _PARTS)[1:]]):  # "Helen's gone, Marcus is my manager now"
        piece = clause if place == 0 else replace(clause, text=part, subject="", full="", phrase="")
        for read in (_done_in, *ways, _come_in):
            yield from read(piece, here, known)


def _ended_for_good_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """The ends of what a clause says is over in words that leave no doubt, whatever stands beside them: "Helen died today"."""
    return _ended_in(clause, here, believed, final=True)


def _ended_in(clause: Clause, here: Circumstances, believed: HeldOf, *, final: bool = False) -> Iterator[Candidate]:
    """The ends of what a clause says is over: of the one thing that is believed, or is believed to be of its sort, by that name."""
    for pattern, ending in _endings(negative=clause.negative)(f"{clause.text}\n{clause.full}"):
        if final and not ending.final:
            continue
        text = _text_of(clause, first_person=ending.first_person)
        match = compiled(pattern.match).match(text) if text else None
        about = about_whom(clause, here) if match is not None and ending.first_person else here.owner
        if match is None or about is None:
            continue
        if ending.what:
            meant = _said_so(ending.what, believed(about.slug))
        else:
            name = next(filter(None, (match.groupdict().get(group) for group in _NAMES)))
            meant = meant_by(name, [(key, value) for key, value in believed(about.slug) if {*ending.of} & sorts_of(predicate_in(key))])
            meant = meant if len({normalise(value) for _, value in meant}) == 1 else []
            if not meant and "relatives" in ending.of and (told := relative_in(name)) is not None and told[1]:
                meant = [(canonical_key(here.owner.slug, told[0]), told[1])]  # of whom nothing was known
        new = match.groupdict().get("new")
        for key, value in dict(meant).items():
            end = pattern.model_copy(update={"key": predicate_in(key), "object": literal(value), "negated": True})
            plain = replace(clause, elided=False, negative=False)  # that it is believed of them tells whom it is about
            for one in read_pattern(end, plain, text, here):
                yield one.model_copy(update={"because": "came to nothing"}) if ending.planned else one
            if new:
                yield from read_pattern(pattern.model_copy(update={"key": predicate_in(key), "object": literal(new)}), clause, text, here)
            if "relatives" in ending.of:
                yield from _of_the_dead(predicate_in(key), value, clause, here)
        if meant:
            return


def _anothers_pet_in(clause: Clause, here: Circumstances, _: HeldOf) -> Iterator[Candidate]:
    """The ends of what a clause says of the pet of somebody one knows: "my sister's dog Rex died"."""
    owner, text = whose(clause.text)
    done = "" if owner or clause.subject != "i" else _text_of(clause, first_person=True)
    for pattern, ending in _endings(negative=False)(f"{text}\n{done}"):
        match = compiled(pattern.match).match(done if ending.first_person else text) if "pets" in ending.of else None
        name = next(filter(None, (match.groupdict().get(group) for group in _NAMES))) if match is not None else ""
        if not name or (one := pet_meant(name, owner, here)) is None:
            continue
        about, value = one
        says = {"match": ".+", "scope": "subject", "key": "pet", "object": literal(value), "negated": True}
        spoken_of = replace(clause, subject=about.subject, name=about.name, elided=False)
        yield from read_pattern(pattern.model_copy(update=says), spoken_of, text, here)
        return


def _done_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """The ends of what was to do, and is done: "I've booked the dentist", of who needs to book the dentist."""
    text = _text_of(clause, first_person=True)
    match = _has_done().match(text) if text and clause.subject in ("", "i") else None
    if match is None:
        return
    verb, done = rules().over.done[match["verb"].lower()], telling(match["o"])
    for key, value in believed(here.owner.slug):
        if predicate_in(key) in _TO_DO and value.startswith(f"{verb} ") and telling(value.removeprefix(f"{verb} ")) <= done:
            end = _ENDS.model_copy(update={"match": ".+", "key": predicate_in(key), "object": literal(value), "negated": True})
            yield from read_pattern(end, replace(clause, elided=False), text, here)


@cache
def _has_done() -> re.Pattern[str]:
    return compiled(rf"{{lately}}(?P<verb>{any_of(rules().over.done)}) (?P<o>\S.*)")


def _come_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """The ends of what was only considered, wanted or planned, and has come or is given up, told by its verb: "I retired", of who thought
    of retiring, "I decided not to get a dog", of who wanted to get one."""
    about = None if clause.hedged or clause.guessed or clause.owned else about_whom(clause, here)
    text = _text_of(clause, first_person=True) if about is not None else ""
    over = rules().over
    ways = ((over.not_to_come, over.not_yet),) if clause.negative else ((over.given_up, over.not_yet), (over.come, over.not_now))
    for way, but in ways if text else ():
        match = compiled(way).match(text)
        if match is None or compiled(but).search(text):
            continue
        did, said = match.groupdict().get("did"), telling(text[match.end() :])
        verb = stem_of_past(did) if did else stem_of(next(filter(None, match.groups())))
        for key, value in believed(about.slug) if verb and about is not None else ():
            if clause.negative and predicate_in(key) in over.wished:  # who does not do it yet may still want to
                continue
            if predicate_in(key) in over.to_come and _comes_by(value, verb, said, got=did is not None):
                over_now = {"key": predicate_in(key), "object": literal(value), "negated": True}
                end = _ENDS.model_copy(update={"match": ".+", "scope": "subject"} | over_now)
                plain = replace(clause, elided=False, negative=False, times={})  # it is so no more, whenever it came
                yield from read_pattern(end, plain, text, here)


def _comes_by(value: str, verb: str, said: frozenset[str], *, got: bool) -> bool:
    """Whether what was to come, "to get a dog", "getting a dog" or "a dog", does with a verb and what is said behind it."""
    first, _, rest = value.removeprefix("to ").partition(" ")
    if stem_of(first) == verb:
        return _gist_of(rest) <= said
    return got and verb in rules().over.gets and value.startswith(("a ", "an ", "the ", "new ")) and _gist_of(value) <= said


def _gist_of(what: str) -> frozenset[str]:
    """The words that tell what something is: "a new flat in Hull" is a flat, wherever, and new to whoever gets it."""
    return telling(_TO_WHAT.sub("", what)) - {"new"}


def _of_the_dead(relation: str, name: str, clause: Clause, here: Circumstances) -> Iterator[Candidate]:
    """What else is over with somebody's life: where they lived, what they did."""
    for said in clauses(f"My {relation.replace('_', '-')} {name} died", at=here.at, zone=here.zone):
        died = replace(said, excerpt=clause.excerpt, times=clause.times, full=f"died {clause.full}" if clause.times else said.full)
        yield from (one for one in facts_in(died, here) if one.negated)


def _said_so(what: dict[str, str], believed: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is believed under predicates, if the first of them has the value that it must have."""
    known = [(key, value) for key, value in believed if compiled(what.get(predicate_in(key), "(?!)")).fullmatch(value)]
    return known if next(iter(what)) in {predicate_in(key) for key, _ in known} else []


def _moved_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """What is done on other days, or is more or less, now: of the one thing that is believed by the name, or with such a number, at all."""
    for pattern in _moves()(clause.text):
        match = compiled(pattern.match).match(clause.text)
        if match is None:
            continue
        told = match.groupdict()
        if doing := told.get("doing") or told.get("noun"):
            yield from _as_often_in(f"{doing} {told['what'] or ''}", told["often"] or told["times"], pattern, clause, here, believed)
            return
        unit, what, now = told.get("unit"), told.get("o"), told.get("days") or told["amount"]
        said = compiled(rf"\b{{digits}} ?{re.escape(unit.removesuffix('s'))}s?\b" if unit else "{weekdays}")
        words = telling(DETERMINER.sub("", what, count=1)) if what else frozenset[str]()
        regular = [
            (key, value) for key, value in believed(here.owner.slug) if said.search(value) and predicate_in(key) not in rules().over.plans
        ]
        meant = {(key, value) for key, value in regular if words <= telling(f"{predicate_in(key).replace('_', ' ')} {value}")}
        if len(meant) != 1:
            continue
        (key, value) = meant.pop()
        several = now if unit or now.endswith("s") else f"{now}s"
        changed = said.sub(now.removesuffix("s") if "every " in value and not unit else several, value, count=1)
        says = pattern.model_copy(update={"key": predicate_in(key), "object": literal(changed), "time": "none"})
        if normalise(changed) != normalise(value):
            ends = (Also(key=predicate_in(key), object=literal(value), kind="raw", negated=True),)
            yield from read_pattern(says.model_copy(update={"also": ends}), clause, clause.text, here)
        return


def _as_often_in(doing: str, often: str, pattern: Pattern, clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """How often one does a thing by now, which is the only one that is done by that verb: "only running once a week now"."""
    said, (verb, _, what) = compiled(r"\b(?:{often}|daily|weekly|monthly)(?!\w)"), doing.partition(" ")
    regular = {
        value
        for key, value in believed(here.owner.slug)
        if predicate_in(key) == "habit"
        and said.search(value)
        and stem_of(verb.lower()) in {*map(stem_of, value.split(" ")[:2])}
        and telling(what) <= telling(value)
    }
    changed = said.sub(often, value := regular.pop(), count=1) if len(regular) == 1 else ""
    if not changed or normalise(changed) == normalise(value):
        return
    ends = (Also(key="habit", object=literal(value), kind="raw", negated=True),)
    says = pattern.model_copy(update={"key": "habit", "object": literal(changed), "time": "none", "also": ends})
    yield from read_pattern(says, clause, clause.text, here)


def _otherwise_for_good_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """What a clause says in words that leave no doubt, or will be so from a day on: "They've made me head chef today"."""
    return _otherwise_in(clause, here, believed, final=True)


def _otherwise_in(clause: Clause, here: Circumstances, believed: HeldOf, *, final: bool = False) -> Iterator[Candidate]:
    """What a clause says in other words, where something is believed of that already."""
    whole = f"i {clause.full}" if clause.subject == "i" and not clause.owned else clause.text  # with the time that it begins with
    sentence = written_out(clause.excerpt) if len(clause.excerpt) <= _LONGEST else ""
    said = "\n".join((clause.text, whole, clause.full, sentence))
    wordings = [one for one in _wordings()(said) if not final or one.final or one.dated]
    if not wordings:
        return
    typed, dated = (tuple(_as_typed(text, here)) for text in (clause.text, whole))
    for wording in wordings:
        about = here.owner
        if wording.others:
            if (relative := _relative_of(clause, here)) is None:
                continue
            about = relative
        texts = dated if wording.dated else typed if wording.of else typed[:1]  # "google is my doctor now" names none
        texts = (clause.full,) if wording.others else (sentence,) if wording.whole else texts
        match = next(filter(None, map(compiled(wording.match).match, texts)), None)
        if match is None or (wording.dated and clause.hedged) or not _is_borne_out(wording, here.text):
            continue
        spoken_of = match.groupdict().get("attr") or wording.of
        under = {attribute(spoken_of.lower()), slug(spoken_of)}
        values = [value for key, value in believed(about.slug) if predicate_in(key) in under]
        known = [found for value in values if (found := compiled(wording.known).fullmatch(value)) and _agree(found, match)]
        if not values or (wording.known and len(known) != 1):
            continue
        told = match.groupdict() | {"who": f"{clause.subject} {clause.name}".strip()} | (known[0].groupdict() if wording.known else {})
        says = wording.says.format(**told | {"o": next(filter(None, map(told.get, ("o", "by", "at"))), "")})
        spoken = replace(here, text=f"{here.text} {says}") if wording.known else here  # a name that is known has its capital
        for one in clauses(says, at=here.at, zone=here.zone):
            yield from facts_in(replace(one, excerpt=clause.excerpt, explicit=True, hedged=clause.hedged or one.hedged), spoken)
        return


def _agree(known: re.Match[str], match: re.Match[str]) -> bool:
    """Whether what is believed and what is said have the same in whatever groups both have: "opening a shop", "won't be opening there"."""
    said = match.groupdict()
    return all(said.get(name) in (None, value) for name, value in known.groupdict().items())


@lru_cache(maxsize=16)  # a sentence has several clauses
def written_out(excerpt: str) -> str:
    """Return an excerpt as it is matched: in plain letters, and with what is contracted written out."""
    return CONTRACTED.sub(expand, excerpt.translate(PLAIN))


def _is_borne_out(wording: Wording, text: str) -> bool:
    """Whether a turn speaks of what it must, and of nothing that it must not speak of, for a wording to be meant."""
    besides = not wording.beside or compiled(wording.beside).search(text) is not None
    return besides and not (wording.unless and compiled(wording.unless).search(text))


def _relative_of(clause: Clause, here: Circumstances) -> Person | None:
    """The relative whom a clause is about, by name or as "she"; None where it is about anybody else."""
    return None if clause.subject in ("", "i") or clause.owned else about_whom(clause, here)


def _as_typed(text: str, here: Circumstances) -> Iterator[str]:
    """A text, and what it may be with the capitals that its writer leaves out: "york is home now" is "York is home now"."""
    yield text
    if (named := capitalised(text, here)) != text:
        yield named
    if is_small(here) and not compiled(rules().instead.no_name).match(text):
        yield named[:1].upper() + named[1:]


def _alike_in(clause: Clause, here: Circumstances, believed: HeldOf) -> Iterator[Candidate]:
    """What one has changed to, without saying from what, where one of the same sort is believed: "I made the jump to Monzo", of a Barclays
    customer. Who is with another one "now" may be with both, where one can be."""
    changed = rules().changed_to
    for match_, several in ((changed.to, True), (changed.now, False), (changed.since, False)):
        pattern = _ENDS.model_copy(update={"match": match_, "scope": "subject"})
        text = _text_of(clause, first_person=True)
        match = compiled(match_).match(text) if text else None
        if match is None:
            continue
        sort = next(filter(lambda sort: sort.fullmatch(match["o"]), map(compiled, changed.sorts)), None)
        about = about_whom(clause, here)
        known = [
            (key, value)
            for key, value in (believed(about.slug) if sort and about else ())
            if sort and sort.fullmatch(value) and (of := sorts_of(predicate_in(key))) and of.isdisjoint(_NOT_ELSE)
        ]
        one = [
            (key, value)
            for key, value in known
            if several or text.endswith("instead") or predicate_of(key, here.predicates).cardinality == "one"
        ]
        if len({normalise(value) for _, value in known}) != 1 or not one or normalise(one[0][1]) == normalise(match["o"]):
            continue
        (key, value) = one[0]
        ends = (Also(key=predicate_in(key), object=literal(value), kind="raw", negated=True),)
        yield from read_pattern(pattern.model_copy(update={"key": predicate_in(key), "also": ends}), clause, text, here)
        return


def _text_of(clause: Clause, *, first_person: bool) -> str:
    """The words that may say that something is over: after "I" or "my sister", or "I" that was left out; or the whole clause."""
    if not first_person:
        return clause.text
    if clause.subject and not clause.owned:
        return clause.full
    before, _, _ = clause.excerpt.partition(clause.text.split(" ")[0])
    return clause.text if compiled(rules().over.begins).fullmatch(before) else ""


def _ending(one: Ending) -> tuple[Pattern, Ending]:
    return _ENDS.model_copy(update={"match": one.match, "scope": "subject" if one.first_person else "clause"}), one


@cache
def _endings(*, negative: bool) -> Callable[[str], list[tuple[Pattern, Ending]]]:
    every = [one for one in rules().ending if one.negative == negative]
    return by_fragments(every, needing=lambda one: needs(one.match), made_ready=_ending)


@cache
def _moves() -> Callable[[str], list[Pattern]]:
    return by_fragments(
        rules().moved, needing=lambda one: needs(one.match), made_ready=lambda one: _ENDS.model_copy(update={"match": one.match})
    )


@cache
def _wordings() -> Callable[[str], list[Wording]]:
    return by_fragments(rules().wording, needing=lambda one: needs(one.match), made_ready=lambda one: one)
