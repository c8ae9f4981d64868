"""Find the atomic facts in a turn: what the user says of themselves and theirs, by rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache, partial
from itertools import chain, islice

from memdb.acquaintances import known_by_name, name_keys
from memdb.called import called
from memdb.changes import changes_in
from memdb.claims import Circumstances, Held, HeldOf, facts_in, of_owner, owner_of, who_stays
from memdb.claims_abroad import mixed_in, reply_in, spoken_in, statements_in
from memdb.clause import Clause
from memdb.english import clauses
from memdb.english_rules import compiled, relation_words, rules
from memdb.exchanges import capitals_in, changed_in, exchanged_in, goes_on_in, swapped_in, taken_to_in, taken_up_in
from memdb.following import follow_from, without_stays
from memdb.forms import filled_in
from memdb.keys import as_spelled, canonical_key, normalise, slug, telling
from memdb.putting_off import put_off_in
from memdb.records import Candidate, Predicate, Turn
from memdb.replies import spelled_out
from memdb.second_thoughts import (
    SHORT,
    Before,
    Situation,
    more_of_the_same,
    put_off_again,
    said_anew,
    taken_back,
    with_its_bearer,
    with_its_name,
)
from memdb.sentences import beginning
from memdb.surmises import surmised_in
from memdb.whereabouts import AT_A_PLACE, at_its_place, first_day_there, last_day_there

_DONE = frozenset(("plays", "hobby", "learning"))
_HOW_OFTEN = re.compile(r" (?:on \w+days|every (?:\w+day|morning|evening|night|week|weekend)|(?:once|twice|\w+ times) (?:a|every) \w+)\b")

_Found = dict[tuple[str, str, bool], Candidate]
"""What was found so far, by key, object, and whether it is so no longer."""

MOST_FACTS = 500  # of one turn: each is weighed against all before it, and who pastes thousands has not said them
_MOST_DATES = 20  # on which one came to where one lives or works, or leaves it
_BEGINNING = 60
_KEPT_OVER = 3  # clauses, within which one says what is so instead of what is over
_MINE, _YOURS = re.compile(r"\b(?:my|our)\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(r"\b(?:s?hes?|his|her|him|they(?=['\u2019]?re\b| are\b)|their(?= names?\b))(?:\b|['\u2019]s)", re.IGNORECASE)
_ANYBODY = re.compile(
    r"\b(?:an?|the|this|some|another) (?:[\w-]+ ){0,2}"
    r"(?:patient|client|customer|man|woman|girl|boy|guy|lady|person|student|pupil|colleague|character"
    r"|neighbou?r|teacher|doctor|nurse|child|kid|friend|tenant|resident|candidate|user)\b",
    re.IGNORECASE,
)
_CASED = re.compile(r"(?<=[^\W\d_A-Z])[,;]?\s(?!I\b)[A-Z]")
_UNTIL = ("works_at",)
_OF_WORK = re.compile(r"\b(?:work(?:ing)?|job|notice|resign\w*|quit\w*|redundan\w+|laid off|contract)\b", re.IGNORECASE)
_AT_A_PLACE_OR_LAST = re.compile(r"\b(?:here|there|last|first|start(?:ing)?|begin(?:ning)?)\b", re.IGNORECASE)


def extract(
    turn: Turn,
    *,
    predicates: Mapping[str, Predicate],
    zone: tzinfo,
    held: Held | None = None,
    held_of: HeldOf | None = None,
    once: Held = lambda _: (),
    asked: str = "",
    before: Before | None = None,
) -> list[Candidate]:
    """Return the facts that a turn states, in the order it states them; [] where it states none that the rules can read.

    Only the words of the user, or of the named speaker, count; what the assistant says is no fact about the user. Questions,
    conditions, quotations, fiction and requests give nothing. The rules read English (rules/english.toml), and what is stated, corrected or
    to be forgotten in other languages is said in English first (rules/languages): a clause is read in one language only, its own, if that
    is sure. `predicates` is the vocabulary of keys and `zone` the user's time zone, in which "tomorrow" begins. `held` tells what is
    believed already: so it is known whose name a sentence begins with, and what "I switched from X to Y" speaks of; `held_of` tells all
    that is believed of somebody, so that whatever "X" stands for is over when "X fell through"; `once` tells what was believed before, to
    which one may have gone back. `asked` is what the turn may answer: "In Porto" says something after "Where do you live?". `before`
    tells what it may correct: "I meant Braga" says something after "I live in Lisbon", as long as that is believed; so does "just
    kidding", which ends it, and "I don't live there any more". "Forget that I live in Porto" ends what it names. Any text is safe, and the
    time taken grows with its length only; of more than `MOST_FACTS` facts the first are read, and of a text that nobody says what speaks
    of them.
    """
    owner = owner_of(turn)
    if owner is None or not turn.user_input.strip():
        return []

    def read(other: Turn, asked: str) -> list[Candidate]:
        return extract(other, predicates=predicates, zone=zone, held=held, asked=asked)

    there = Situation(owner, predicates, zone, read, held, held_of, once, asked, before)
    language = spoken_in(turn.user_input)
    if language is not None and (reply := reply_in(turn.user_input, language, at=turn.timestamp, zone=zone)):
        # in lower case, as the nouns of a language may have capitals that make no name
        ends = taken_back(turn.model_copy(update={"user_input": reply}), replace(there, asked=asked.lower()))
        if ends:
            return [one.model_copy(update={"excerpt": beginning(turn.user_input)}) for one in ends]
    stated, english = mixed_in(turn.user_input, language, at=turn.timestamp, zone=zone)
    if english == turn.user_input:
        return _read(turn, there)
    if language is not None:
        stated = [*islice(statements_in(turn.user_input, language, at=turn.timestamp, zone=zone), MOST_FACTS), *stated]
    found: _Found = {}
    for statement in stated:
        for read_so in _read(turn.model_copy(update={"user_input": statement.read}), replace(there, asked="", before=None)):
            one = statement.in_its_words(read_so)
            found.setdefault((one.key, as_spelled(one.object), one.negated), one)
        if len(found) >= MOST_FACTS:
            break
    if english.strip():
        said = turn.model_copy(update={"user_input": english})
        for one in _read(said, replace(there, asked=asked if language is None else "")):
            found.setdefault((one.key, as_spelled(one.object), one.negated), one)
    return list(found.values())[:MOST_FACTS]


def _read(turn: Turn, there: Situation) -> list[Candidate]:
    """The facts that a turn in English states."""
    added = more_of_the_same(turn, there) or put_off_again(turn, there)
    if added:
        return added
    ends = taken_back(turn, there)
    if ends is not None:
        return ends
    named = with_its_bearer(with_its_name(turn, there), there)
    stated = said_anew(turn, _stated(named, there), there)
    return stated if named is turn else [one.model_copy(update={"excerpt": beginning(turn.user_input)}) for one in stated]


def _stated(turn: Turn, there: Situation) -> list[Candidate]:
    """The facts that a turn states by itself, or as an answer."""
    held, asked = there.held, there.asked
    held_of = cache(there.held_of) if there.held_of is not None else None
    found: _Found = {}
    owner = there.owner.slug
    people, first = known_by_name(owner, held(list(name_keys(owner)))) if held is not None else ({}, {})
    answer = spelled_out(asked, turn.user_input) if asked else None
    text = turn.user_input if answer is None else f"{turn.user_input} {asked}"  # a yes takes the names of what was asked
    cased = _CASED.search(turn.user_input) is not None
    here = Circumstances(turn.timestamp, there.zone, cased, there.owner, text, there.predicates, first, held)
    small = text.islower()
    said: list[Clause] = []
    over: list[tuple[str, str]] = []
    kept, swapped, instead = 0, "", frozenset[str]()
    answers = list(_answering(turn, answer, there, people))
    told = chain(_in_fields(turn, there), answers, _own(turn, there, people), _since(turn, answer, found, there))
    for clause in told:
        said.append(clause)
        if clause.name:
            first.setdefault(called().relations[clause.subject], clause.name)
        facts = list(exchanged_in(clause, here, held, there.once)) if held is not None else []
        facts = facts or list(taken_to_in(clause, here))
        if not facts and held is not None and clause.excerpt != swapped:
            facts, swapped = list(swapped_in(clause, here, held)), clause.excerpt
            instead = frozenset(one.object for one in facts if not one.negated)
        read = not facts
        if all(one.negated for one in facts) and held_of is not None:
            facts += changes_in(clause, here, partial(_believed, held_of, found))
            if off := list(put_off_in(clause, here, partial(_believed, held_of, found))):
                facts, read = [*facts, *off], False
        if read:
            anew = (one for one in facts_in(clause, here) if clause.excerpt != swapped or one.object not in instead)
            facts = _without_names(facts, anew)
            if small and (not facts or " at " in clause.text):  # "i'm in my second year of law at leeds" says two things
                known = {one.key for one in facts}
                facts += [one for one in _in_small_letters(clause, here) if one.key not in known]
        if held_of is not None and not any(one.negated or one.explicit for one in facts):
            facts += surmised_in(clause, here, partial(_believed, held_of, found))
        facts += [*_with_its_days(facts, there), *_of_pets_gone(facts, here, held_of)] if facts else []
        if not facts:
            facts = list(chain.from_iterable(taken_up_in(clause, here, *ended) for ended in over))
        ended = [(changed, "")] if (changed := changed_in(clause, here)) else _ended(facts, there)
        if ended and all(one.negated for one in facts):
            facts += chain.from_iterable(goes_on_in(clause, here, *one) for one in ended)
        kept = _KEPT_OVER if ended else kept - 1
        over = ended or (over if kept > 0 and not facts else [])  # "I quit Bosch, I'd had enough, I'm at Siemens now"
        answered = any(clause is one for one in answers)
        for one in facts:
            _note(found, one.model_copy(update={"answered": True}) if answered else one, at=turn.timestamp)
        if len(found) >= MOST_FACTS:
            break
    _keep_until_then(found, there, turn.user_input, at=turn.timestamp)
    for one in follow_from(turn, found.values(), there):
        _note(found, one, at=turn.timestamp)
    return without_stays(turn, _without_offers(list(found.values())[:MOST_FACTS], said, here), there)


def _note(found: _Found, candidate: Candidate, *, at: datetime) -> None:
    """Note a fact, unless it was found already as surely; what it tells of when it begins and ends is noted all the same."""
    name = (candidate.key, as_spelled(candidate.object), candidate.negated)
    known = found.get(name)
    if known is None or (candidate.confidence, candidate.explicit) > (known.confidence, known.explicit):
        found[name] = candidate.model_copy(update={"explicit": True}) if known is not None and known.explicit else candidate
    elif known.valid_from is None and candidate.valid_from is not None and (candidate.valid_from < at or candidate.explicit):
        found[name] = known.model_copy(update={"valid_from": candidate.valid_from})
    elif known.valid_to is None and candidate.until:
        found[name] = known.model_copy(update={"valid_to": candidate.valid_to, "temporary": candidate.temporary, "until": True})


def _keep_until_then(found: _Found, there: Situation, text: str, *, at: datetime) -> None:
    """Have what ends on a day to come be so until then, where it was not known: "I stop working at Acme at the end of April"."""
    ahead = [
        one for one in found.values() if one.negated and one.object and one.predicate in _UNTIL and one.valid_from and one.valid_from > at
    ]
    if there.held is None or not ahead or _OF_WORK.search(text) is None:
        return  # "my last day at Disneyland is on Friday"
    believed = there.believed([one.key for one in ahead])
    for one in ahead:
        if any(key == one.key for key, _ in believed) or any(other.key == one.key and not other.negated for other in found.values()):
            continue
        lasts = {"negated": False, "former": False, "temporary": True, "valid_from": None, "valid_to": one.valid_from, "until": True}
        found[(one.key, as_spelled(one.object), one.negated)] = one.model_copy(update=lasts)


def _in_fields(turn: Turn, there: Situation) -> Iterator[Clause]:
    """The clauses that a turn fills in, if it is a form: "Name: Ana", "City: Porto"."""
    for says, excerpt in filled_in(turn.user_input, there.asked, lambda: there.held_under([canonical_key(there.owner.slug, "name")])):
        for clause in clauses(says, at=turn.timestamp, zone=there.zone):
            yield replace(clause, excerpt=excerpt, elided=True)


def _answering(turn: Turn, answer: str | None, there: Situation, people: Mapping[str, str]) -> Iterator[Clause]:
    """The clauses that an answer is, spelled out with what was asked."""
    for clause in clauses(answer, at=turn.timestamp, zone=there.zone, people=people) if answer is not None else ():
        yield replace(clause, excerpt=beginning(turn.user_input))


def _in_small_letters(clause: Clause, here: Circumstances) -> list[Candidate]:
    """What a clause without capitals says of where one works, learns and the like: "i got a job at siemens"."""
    named = {*rules().instead.places, *rules().instead.gotten}
    return [one for one in facts_in(capitals_in(clause, here), here) if one.predicate in named and not one.negated]


def _without_names(ends: list[Candidate], facts: Iterable[Candidate]) -> list[Candidate]:
    """What ends, and what is said beside that; who names what ends ("My dog Rex died") does not tell that there is such a one."""
    read = list(facts)
    over = {(one.key, telling(one.object)) for one in (*ends, *read) if one.negated and one.object}
    return [*ends, *(one for one in read if one.negated or one.explicit or (one.key, telling(one.object)) not in over)]


def _believed(held_of: HeldOf, found: _Found, subject: str) -> Iterator[tuple[str, str]]:
    """What is believed of somebody, and what the turn has said of them so far."""
    yield from held_of(subject)
    yield from ((one.key, one.object) for one in found.values() if one.subject == subject and not one.negated and not one.denies)


def _ended(facts: list[Candidate], there: Situation) -> list[tuple[str, str]]:
    """The keys and the values of what is said to be so no more, where it is believed."""
    ends = [one for one in facts if one.negated and one.object]
    believed = there.believed([one.key for one in ends])
    return [(one.key, one.object) for one in ends if (one.key, normalise(one.object)) in believed]


def _with_its_days(facts: list[Candidate], there: Situation) -> list[Candidate]:
    """The ends of what is done on days, where it is given up: "I gave up tennis", of who plays tennis on Mondays."""
    over = [one for one in facts if one.negated and one.object and one.predicate in _DONE and one.subject == there.owner.slug]
    key = canonical_key(there.owner.slug, "habit")
    habits = [(value, telling(value)) for _, value in there.held_under([key])] if over else []
    named = {one.object for one in facts if one.key == key}
    return [
        one.model_copy(update={"key": key, "object": value, "value_json": None})
        for one in over
        for value, words in habits
        if telling(one.object) < words and value not in named and _HOW_OFTEN.search(value)
    ]


def _of_pets_gone(facts: list[Candidate], here: Circumstances, held_of: HeldOf | None) -> list[Candidate]:
    """The ends of what was told of a pet that one has no more: how old it was, what it ate."""
    key = canonical_key(here.owner.slug, "pet")
    over = [one for one in facts if one.key == key and one.negated and one.object]
    if not over or held_of is None:
        return []
    pets = [value for held, value in held_of(here.owner.slug) if held == key]
    ends: list[Candidate] = []
    for one in over:
        gone = [value for value in pets if telling(one.object) <= telling(value)]
        animal, _, name = (gone[0] if len(gone) == 1 else one.object if not pets else "").partition(" called ")
        if (relation := called().relations.get(animal.split(" ")[-1])) is None:
            continue
        named_first = here.first.get(relation, name) == name
        about = of_owner(relation, here).slug if named_first else slug(name)
        ends += [one.model_copy(update={"key": held, "object": value, "value_json": None}) for held, value in held_of(about)]
    return ends


def _without_offers(found: list[Candidate], said: Iterable[Clause], here: Circumstances) -> list[Candidate]:
    """Facts without the new jobs of those who stay in the one that they have: "I got a job at Nokia but I'm staying at Bosch"."""

    def is_new(one: Candidate, *predicates: str) -> bool:
        return one.predicate in predicates and one.explicit and not (one.negated or one.coming)

    if not any(is_new(one, "works_at") for one in found):
        return found
    staying = {who_stays(clause, here) for clause in said}
    offers = {one.excerpt for one in found if one.subject in staying and is_new(one, "works_at")}
    return [one for one in found if one.subject not in staying or one.excerpt not in offers or not is_new(one, "works_at", "works_as")]


def _is_short(turn: Turn) -> bool:
    """Whether a turn is a line that somebody typed: then "I" may be left out."""
    text = turn.user_input.strip()
    return len(text) <= SHORT and "\n" not in text


def begins_with_somebody(text: str) -> bool:
    """Whether a text begins with "she" or "his": with somebody who must have been spoken of before, as nobody is in the text."""
    found = _NAMED_BEFORE.search(text[:_BEGINNING])
    if found is None or _one_of_mine().search(text, 0, found.start()) is not None:
        return False
    return _ANYBODY.search(text, 0, found.start()) is None  # "a patient is 54, he takes metformin"


def _said_before(turn: Turn, there: Situation) -> str:
    """What was said right before a turn, if the turn begins with somebody who must have been spoken of there; else ""."""
    if there.before is None or not begins_with_somebody(turn.user_input):
        return ""
    earlier = there.before()
    mine, theirs = earlier[0].user_input if earlier else "", there.asked
    return f"{_YOURS.sub('their', mine)}\n{_MINE.sub('their', theirs)}"  # another's sister is none of the speaker's


def _own(turn: Turn, there: Situation, people: Mapping[str, str]) -> Iterator[Clause]:
    """The clauses of a turn, but without one that leaves out whom it is about where somebody else was spoken of right before."""
    after = _said_before(turn, there)
    nobody = there.before is not None and not there.asked and not after.strip()
    said = clauses(
        turn.user_input,
        at=turn.timestamp,
        zone=there.zone,
        people=people,
        elided=_is_short(turn),
        after=after,
        perhaps=_only_human(people) if nobody and begins_with_somebody(turn.user_input) else None,
    )
    others = compiled(rules().phrase["of_others"])
    for clause in said:
        if clause.elided:
            earlier = there.earlier()
            if others.search(there.asked) or (earlier is not None and others.search(earlier[0].user_input)):
                continue
        yield clause


def _since(turn: Turn, answer: str | None, found: _Found, there: Situation) -> Iterator[Clause]:
    """What a turn says of since or until when somebody lives or works at a place that it does not name, where this is known."""
    if not _AT_A_PLACE_OR_LAST.search(f"{turn.user_input} {answer or ''}"):
        return
    keys = {canonical_key(there.owner.slug, name): name for name in ("lives_in", "works_at")}
    known = {(one.key, one.object) for one in found.values() if one.key in keys and not one.negated and not one.denies}
    told = {key for key, _ in known}
    known |= {(key, place) for key, place in there.held_under(list(keys)) if key not in told}
    places = {keys[key]: place for key, place in known if sum(key == other for other, _ in known) == 1}
    if not places:
        return
    earlier = there.earlier()
    near = f"{earlier[0].user_input if earlier else ''}. {there.asked}"
    for text in (turn.user_input, AT_A_PLACE.sub("here", answer or "")):  # who is asked how long they have lived there, lives there
        stated = chain(at_its_place(text, places, near), last_day_there(text, places, near))
        for statement, excerpt in islice(stated, _MOST_DATES):
            for clause in clauses(statement, at=turn.timestamp, zone=there.zone):
                if clause.times:
                    yield replace(clause, excerpt=excerpt if text == turn.user_input else beginning(turn.user_input))
    new = {one.object for one in found.values() if one.key in keys and keys[one.key] == "works_at" and one.explicit and not one.negated}
    for statement, excerpt in islice(first_day_there(turn.user_input, *new), _MOST_DATES) if len(new) == 1 else ():
        for clause in clauses(statement, at=turn.timestamp, zone=there.zone):
            yield replace(clause, excerpt=excerpt)


def _only_human(people: Mapping[str, str]) -> tuple[str, str] | None:
    """The one person who is known by name, what they are to the user and their name, if there is no more than one."""
    known = {relation: name for name, relation in people.items() if relation not in rules().groups["pets"]}
    names = {name.split()[0] for name, relation in people.items() if relation in known}
    return next(iter(known.items())) if len(known) == len(names) == 1 else None


@cache
def _one_of_mine() -> re.Pattern[str]:
    return re.compile(rf"\b(?:my|our) (?:[\w-]+ )?(?:{relation_words()})\b(?!')", re.IGNORECASE)
