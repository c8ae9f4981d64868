"""Find the atomic facts in a turn: what the user says of themselves and theirs, by rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from functools import cache, lru_cache, partial
from itertools import chain, islice

from memdb.called import called
from memdb.changes import changes_in
from memdb.claims import GUESSED, LOWER_CASE, Circumstances, Held, HeldOf, Person, facts_in, who_stays
from memdb.claims_abroad import mixed_in, reply_in, spoken_in, statements_in
from memdb.english import Clause, clauses
from memdb.english_rules import compiled, relation_words, rules
from memdb.exchanges import capitals_in, changed_in, exchanged_in, swapped_in, taken_to_in, taken_up_in
from memdb.forms import filled_in
from memdb.keys import canonical_key, normalise, predicate_of, slug, telling
from memdb.records import Candidate, Predicate, Turn, source_of
from memdb.replies import added_in, said_of_user, spelled_out
from memdb.retractions import (
    Request,
    Slip,
    instead_in,
    is_denied,
    is_over,
    is_taken_back,
    may_be_taken_back,
    pointed_at,
    request_in,
    slip_in,
    stand_ins,
)
from memdb.sentences import CONTRACTED, expand, sentences
from memdb.surmises import surmised_in
from memdb.whereabouts import at_its_place, last_day_there
from memdb.wording import worded

Before = Callable[[], tuple[Turn, str] | None]
"""Reads what the same speaker said last before a turn, and what that may answer."""

MOST_FACTS = 500  # of one turn: each is weighed against all before it, and who pastes thousands has not said them
_MOST_DATES = 20  # on which one came to where one lives or works, or leaves it
_SHORT = 300  # characters
_OF_NO_NOTE = 8  # words: "OK, I'll remember that."
_BEGINNING = 60
_KEPT_OVER = 3  # clauses, within which one says what is so instead of what is over
_MINE, _YOURS = re.compile(r"\b(?:my|our)\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(r"\b(?:s?hes?|his|her|him|they(?=['\u2019]?re\b| are\b)|their(?= names?\b))(?:\b|['\u2019]s)", re.IGNORECASE)
_CASED = re.compile(r"(?<=[^\W\d_A-Z])[,;]?\s(?!I\b)[A-Z]")
_AT_A_PLACE = re.compile(r"\b(?:here|there)\b", re.IGNORECASE)
_AT_A_PLACE_OR_LAST = re.compile(r"\b(?:here|there|last)\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[^\W\d_A-Z][, ])(?!I\b)[A-Z]")  # a name in the midst of a sentence


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
    owner = _owner(turn)
    if owner is None or not turn.user_input.strip():
        return []
    language = spoken_in(turn.user_input)
    if language is not None and (reply := reply_in(turn.user_input, language, at=turn.timestamp, zone=zone)):
        said = turn.model_copy(update={"user_input": reply})
        # in lower case, as the nouns of a language may have capitals that make no name
        ends = _taken_back(said, owner, asked.lower(), predicates=predicates, zone=zone, held=held, before=before)
        if ends:
            return [one.model_copy(update={"excerpt": _excerpt(turn)}) for one in ends]
    stated, english = mixed_in(turn.user_input, language, at=turn.timestamp, zone=zone)
    if english == turn.user_input:
        return _read(turn, owner, predicates, zone, held, held_of, once, asked, before)
    if language is not None:
        stated = [*islice(statements_in(turn.user_input, language, at=turn.timestamp, zone=zone), MOST_FACTS), *stated]
    found: dict[tuple[str, str, bool], Candidate] = {}
    for statement, excerpt in stated:
        said = turn.model_copy(update={"user_input": statement})
        for one in _read(said, owner, predicates, zone, held, held_of, once, "", None):
            found.setdefault((one.key, normalise(one.object), one.negated), one.model_copy(update={"excerpt": excerpt}))
        if len(found) >= MOST_FACTS:
            break
    if english.strip():
        said = turn.model_copy(update={"user_input": english})
        for one in _read(said, owner, predicates, zone, held, held_of, once, asked if language is None else "", before):
            found.setdefault((one.key, normalise(one.object), one.negated), one)
    return list(found.values())[:MOST_FACTS]


def _read(
    turn: Turn,
    owner: Person,
    predicates: Mapping[str, Predicate],
    zone: tzinfo,
    held: Held | None,
    held_of: HeldOf | None,
    once: Held,
    asked: str,
    before: Before | None,
) -> list[Candidate]:
    """The facts that a turn in English states."""
    added = _added(turn, asked, predicates=predicates, zone=zone, held=held, before=before)
    if added:
        return added
    taken_back = _taken_back(turn, owner, asked, predicates=predicates, zone=zone, held=held, before=before)
    if taken_back is not None:
        return taken_back
    cased = _CASED.search(turn.user_input) is not None
    held_of = cache(held_of) if held_of is not None else None
    found: dict[tuple[str, str, bool], Candidate] = {}
    people, first = _people(owner, held) if held is not None else ({}, {})
    answer = spelled_out(asked, turn.user_input) if asked else None
    text = turn.user_input if answer is None else f"{turn.user_input} {asked}"  # a yes takes the names of what was asked
    here = Circumstances(turn.timestamp, zone, cased, owner, text, predicates, first, held)
    after = _said_before(turn, asked, before)
    nobody = before is not None and not asked and not after.strip()
    said = clauses(
        turn.user_input,
        at=turn.timestamp,
        zone=zone,
        people=people,
        elided=_is_short(turn),
        after=after,
        perhaps=_only_human(people) if nobody and begins_with_somebody(turn.user_input) else None,
    )
    stated = _own(said, asked, before)
    form = filled_in(turn.user_input, asked, lambda: held([canonical_key(owner.slug, "name")]) if held else ())
    stated = chain(stated, _since(turn, answer, asked, owner, found, held=held, before=before, zone=zone))
    answers: list[Clause] = []
    if answer is not None:
        answers += (replace(clause, excerpt=_excerpt(turn)) for clause in clauses(answer, at=turn.timestamp, zone=zone, people=people))
        stated = chain(answers, stated)
    fields = ((excerpt, clauses(says, at=turn.timestamp, zone=zone)) for says, excerpt in form)
    stated = chain((replace(clause, excerpt=excerpt, elided=True) for excerpt, said in fields for clause in said), stated)
    said_so: list[Clause] = []
    over: list[tuple[str, str]] = []
    kept, swapped = 0, ""
    for clause in stated:
        said_so.append(clause)
        if clause.name:
            first.setdefault(called().relations[clause.subject], clause.name)
        facts = list(exchanged_in(clause, here, held, once)) if held is not None else []
        facts = facts or list(taken_to_in(clause, here))
        if not facts and held is not None and clause.excerpt != swapped:
            facts, swapped = list(swapped_in(clause, here, held)), clause.excerpt
        read = not facts
        if all(one.negated for one in facts) and held_of is not None:
            facts += changes_in(clause, here, partial(_believed, held_of, found))
        if read:
            facts = _without_names(facts, facts_in(clause, here))
            facts = facts or _in_small_letters(clause, here)
        if held_of is not None and not any(one.negated or one.explicit for one in facts):
            facts += surmised_in(clause, here, partial(_believed, held_of, found))
        if not facts:
            facts = list(chain.from_iterable(taken_up_in(clause, here, *ended) for ended in over))
        ended = [(changed, "")] if (changed := changed_in(clause, here)) else _ended(facts, held)
        kept = _KEPT_OVER if ended else kept - 1
        over = ended or (over if kept > 0 and not facts else [])  # "I quit Bosch, I'd had enough, I'm at Siemens now"
        for candidate in facts:
            name = (candidate.key, normalise(candidate.object), candidate.negated)
            if any(clause is one for one in answers):
                candidate = candidate.model_copy(update={"answered": True})
            known = found.get(name)
            if known is None or (candidate.confidence, candidate.explicit) > (known.confidence, known.explicit):
                found[name] = candidate
            elif known.valid_from is None and candidate.valid_from is not None and candidate.valid_from < turn.timestamp:
                found[name] = known.model_copy(update={"valid_from": candidate.valid_from})
        if len(found) >= MOST_FACTS:
            break
    return _without_offers(list(found.values())[:MOST_FACTS], said_so, here)


def _in_small_letters(clause: Clause, here: Circumstances) -> list[Candidate]:
    """What a clause without capitals says of where one works, learns and the like: "i got a job at siemens"."""
    if not here.text.islower():
        return []
    named = {*rules().instead.places, *rules().instead.gotten}
    return [one for one in facts_in(capitals_in(clause, here), here) if _predicate(one) in named and not one.negated]


def _without_names(ends: list[Candidate], facts: Iterable[Candidate]) -> list[Candidate]:
    """What ends, and what is said beside that; who names what ends ("My dog Rex died") does not tell that there is such a one."""
    read = list(facts)
    over = {(one.key, telling(one.object)) for one in (*ends, *read) if one.negated and one.object}
    return [*ends, *(one for one in read if one.negated or one.explicit or (one.key, telling(one.object)) not in over)]


def _believed(held_of: HeldOf, found: Mapping[tuple[str, str, bool], Candidate], subject: str) -> Iterator[tuple[str, str]]:
    """What is believed of somebody, and what the turn has said of them so far."""
    yield from held_of(subject)
    yield from ((one.key, one.object) for one in found.values() if one.subject == subject and not one.negated and not one.denies)


def _ended(facts: list[Candidate], held: Held | None) -> list[tuple[str, str]]:
    """The keys and the values of what is said to be so no more, where it is believed."""
    ends = [one for one in facts if one.negated and one.object]
    believed = {(key, normalise(value)) for key, value in held([one.key for one in ends])} if ends and held is not None else set()
    return [(one.key, one.object) for one in ends if (one.key, normalise(one.object)) in believed]


def _without_offers(found: list[Candidate], said: Iterable[Clause], here: Circumstances) -> list[Candidate]:
    """Facts without the new jobs of those who stay in the one that they have: "I got a job at Nokia but I'm staying at Bosch"."""

    def is_new(one: Candidate, *predicates: str) -> bool:
        return _predicate(one) in predicates and one.explicit and not (one.negated or one.coming)

    if not any(is_new(one, "works_at") for one in found):
        return found
    staying = {who_stays(clause, here) for clause in said}
    offers = {one.excerpt for one in found if one.subject in staying and is_new(one, "works_at")}
    return [one for one in found if one.subject not in staying or one.excerpt not in offers or not is_new(one, "works_at", "works_as")]


def _taken_back(
    turn: Turn,
    owner: Person,
    asked: str,
    *,
    predicates: Mapping[str, Predicate],
    zone: tzinfo,
    held: Held | None,
    before: Before | None,
) -> list[Candidate] | None:
    """What a turn says that only corrects or takes back what was said before, or asks to forget it; None if it says something else."""
    if (request := request_in(turn.user_input)) is not None:
        return _forgotten(turn, request, owner, predicates=predicates, zone=zone, held=held)
    if held is None or before is None:
        return None
    instead = instead_in(turn.user_input)
    yes = spelled_out(asked, "yes") if instead is not None else None
    if instead is not None and yes is not None:  # "Do you still live in Porto?", "no, Braga now"
        statement = turn.model_copy(update={"user_input": yes})
        return _corrected(turn, instead, (statement, ""), predicates=predicates, zone=zone, held=held, answers=True) or None
    slip = slip_in(turn.user_input)
    if slip is not None and not (slip.bare and "?" in asked) and (earlier := before()) is not None:  # else it is an answer
        corrected = _corrected(turn, slip, earlier, predicates=predicates, zone=zone, held=held)
        if corrected:
            return corrected
    return _over(turn, owner, asked, predicates=predicates, zone=zone, held=held, before=before) or None


def _added(
    turn: Turn, asked: str, *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held | None, before: Before | None
) -> list[Candidate]:
    """What a turn adds to the list with which the one before it ends, if it does nothing else: "and eggs" after "I'm allergic to nuts".

    Where the assistant said anything of note in between, it may add to that.
    """
    more = added_in(turn.user_input)
    earlier = before() if more and before is not None and _is_of_no_note(asked) else None
    said = earlier[0].user_input.rstrip(" .!") if earlier is not None else ""
    if earlier is None or "?" in said or len(said) > _SHORT:
        return []
    read = extract(earlier[0], predicates=predicates, zone=zone, held=held, asked=earlier[1])
    last = [one for one in read if not one.negated and one.object and said.endswith(one.object)]
    if len(last) != 1 or last[0].key.partition(".")[2] not in rules().added.predicates:
        return []
    goes_on = turn.model_copy(update={"user_input": said.removesuffix(last[0].object) + more})
    return [
        one.model_copy(update={"excerpt": _excerpt(turn), "confidence": round(one.confidence - GUESSED, 2)})
        for one in extract(goes_on, predicates=predicates, zone=zone, held=held)
        if one.key == last[0].key and one.negated == last[0].negated and one.object in more
    ]


def _is_of_no_note(reply: str) -> bool:
    return "?" not in reply and len(reply.split()) <= _OF_NO_NOTE


def _forgotten(
    turn: Turn, request: Request, owner: Person, *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held | None
) -> list[Candidate]:
    """The ends of what one asks to forget. The file keeps it as what was believed once: only an application erases."""
    because = "asked to be forgotten"
    if request.clause:
        stated = extract(turn.model_copy(update={"user_input": request.clause}), predicates=predicates, zone=zone, held=held)
        end: dict[str, object] = {"excerpt": _excerpt(turn), "negated": True, "explicit": True, "because": because}
        return [one.model_copy(update=end) for one in stated if not (one.negated or one.denies or one.temporary)]
    keys = (canonical_key(owner.slug, predicate) for predicate in request.predicates)
    return [_end(turn, owner, key, "", predicates=predicates, because=because) for key in keys]


def _corrected(
    turn: Turn,
    slip: Slip,
    earlier: tuple[Turn, str],
    *,
    predicates: Mapping[str, Predicate],
    zone: tzinfo,
    held: Held,
    answers: bool = False,
) -> list[Candidate]:
    """What a turn says that corrects a slip in an earlier one: that one read again with the right word, where it still is believed.

    It must say as much as it did, of the same; and where the wrong word is not repeated, only one may be meant. Where the turn `answers`
    a question, the earlier one is what "yes" would have said, and the right word stands even if the wrong one was never believed.
    """
    before, asked = earlier
    read = extract(before, predicates=predicates, zone=zone, held=held, asked=asked)
    objects = (one.object for one in read if not one.negated)
    changes: list[list[tuple[Candidate, Candidate]]] = []
    for wrong in stand_ins(before.user_input, objects, slip, at=before.timestamp, zone=zone):
        text = slip.corrects(wrong, before.user_input)
        if text is None:
            continue
        again = before.model_copy(update={"user_input": text})
        anew = extract(again, predicates=predicates, zone=zone, held=held, asked=asked)
        if [(_predicate(one), one.negated) for one in anew] == [(_predicate(one), one.negated) for one in read]:
            changes.append([(old, new) for old, new in zip(read, anew, strict=True) if _says(old) != _says(new)])
    found: list[Candidate] = []
    for old, new in next(iter(changes), []) if len(changes) == 1 else []:
        believed = (old.key, normalise(old.object)) in {(key, normalise(value)) for key, value in held([old.key])}
        if old.negated or not (believed or answers):
            continue
        guessed = [one.object for one in (old, new) if one.object.istitle() and one.object not in turn.user_input + before.user_input]
        sure = round(min(old.confidence, new.confidence) + (LOWER_CASE if guessed else 0.0), 2)  # what stands in a name's place is one
        because = "said to have changed" if answers else "corrected"
        told: dict[str, object] = {"excerpt": _excerpt(turn), "explicit": True, "because": because, "confidence": sure}
        found.append(new.model_copy(update=told))
        one, other = (set(normalise(candidate.object).split()) for candidate in (old, new))
        nested = one <= other or other <= one  # "Lisbon", and then "Lisbon, Portugal": of one value, that is the same fact
        same = one == other or (nested and predicate_of(old.key, predicates).cardinality == "one")
        more = slip.mild and _predicate(old) == _predicate(new) in rules().takes_back.beside  # "coffee, actually" after "I like tea"
        if believed and not more and not (same and old.key == new.key):
            found.append(old.model_copy(update=told | {"negated": True, "valid_from": None, "valid_to": None, "temporary": False}))
    return found


def _over(
    turn: Turn, owner: Person, asked: str, *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held, before: Before
) -> list[Candidate]:
    """The ends of what a turn takes back: all that the one before it states, which was a joke, or what was just said and is not so."""
    over = is_over(turn.user_input)
    if over or is_denied(turn.user_input):
        return _not_so(turn, asked, over=over, predicates=predicates, zone=zone, held=held, before=before)
    if is_taken_back(turn.user_input):
        earlier = before()
        if earlier is None or not may_be_taken_back(earlier[0].user_input, turn.user_input):
            return []
        read = extract(earlier[0], predicates=predicates, zone=zone, held=held, asked=earlier[1])
        believed = {(key, normalise(value)) for key, value in held([one.key for one in read])}
        end: dict[str, object] = {"excerpt": _excerpt(turn), "negated": True, "explicit": True, "because": "taken back"}
        end |= {"event_time": None, "valid_from": None, "valid_to": None, "temporary": False}
        return [one.model_copy(update=end) for one in read if not one.negated and (one.key, normalise(one.object)) in believed]
    if not (predicates_meant := pointed_at(turn.user_input)):
        return []
    earlier = before()
    told = asked if _PROPER.search(asked) else f"{asked} {earlier[0].user_input if earlier else ''}"
    if "pet" in predicates_meant and compiled(rf"\b(?:{relation_words()})\b").search(compiled(rules().macros["animal"]).sub("", told)):
        return []  # "he died" may be said of somebody else
    keys = [canonical_key(owner.slug, predicate) for predicate in predicates_meant]
    named = {(key, value) for key, value in held(keys) if _is_named(value, told)}
    if len({normalise(value) for _, value in named}) != 1:
        return []
    return [_end(turn, owner, key, value, predicates=predicates, because="over") for key, value in sorted(named)]


def _not_so(
    turn: Turn, asked: str, *, over: bool, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held, before: Before
) -> list[Candidate]:
    """The end of the one thing that was said of the user right before, and that is so no more, or never was so.

    "That's wrong" may be said of anything: it counts where nothing else was said. Of what the user said themselves only "not any more" is
    said, and only where nothing of note was said in between.
    """
    negative = compiled(rules().phrase["negative"])  # "you don't smoke", "not any more": that is what was said
    spoken, alone = said_of_user(asked)
    if any(negative.search(said) for said in spoken):
        return []
    turns = [(turn.model_copy(update={"user_input": said}), "") for said in spoken]
    if over and not spoken and _is_of_no_note(asked):
        earlier = before()
        turns = [earlier] if earlier and not negative.search(CONTRACTED.sub(expand, _in_english(earlier[0], zone))) else []
    read = [one for said, answers in turns for one in extract(said, predicates=predicates, zone=zone, held=held, asked=answers)]
    believed = {(key, normalise(value)) for key, value in held([one.key for one in read])}
    meant = [one for one in read if not one.negated and (one.key, normalise(one.object)) in believed]
    if len(read) != 1 or len(meant) != 1 or not (over or alone):
        return []
    end: dict[str, object] = {"excerpt": _excerpt(turn), "negated": True, "explicit": True, "because": "over" if over else "denied"}
    return [meant[0].model_copy(update=end | {"event_time": None, "valid_from": None, "valid_to": None, "temporary": False})]


def _in_english(turn: Turn, zone: tzinfo) -> str:
    """What a turn says, or what it states in another language, in English."""
    language = spoken_in(turn.user_input)
    if language is None:
        return turn.user_input
    return "\n".join(said for said, _ in statements_in(turn.user_input, language, at=turn.timestamp, zone=zone))


def _is_named(value: str, told: str) -> bool:
    """Whether a thing, or who is called so, is spoken of in a text."""
    name = value.rpartition(" called ")[2]
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told, re.IGNORECASE) is not None


def _end(turn: Turn, owner: Person, key: str, value: str, *, predicates: Mapping[str, Predicate], because: str) -> Candidate:
    """The end of what is held under a key, or of one value of it."""
    subject, _, name = key.partition(".")
    known = predicate_of(key, predicates)
    return Candidate(
        key=key,
        value_text=f"{owner.display} {worded(known.label, value)}".strip(),
        object=value,
        category=known.category,
        confidence=0.92,
        excerpt=_excerpt(turn),
        value_json={"subject": subject, "predicate": name, "object": value},
        negated=True,
        explicit=True,
        because=because,
    )


def _predicate(candidate: Candidate) -> str:
    return candidate.key.partition(".")[2]


def _says(candidate: Candidate) -> tuple[object, ...]:
    return candidate.key, normalise(candidate.object), candidate.event_time, candidate.valid_from, candidate.valid_to


def _is_short(turn: Turn) -> bool:
    """Whether a turn is a line that somebody typed: then "I" may be left out."""
    text = turn.user_input.strip()
    return len(text) <= _SHORT and "\n" not in text


def begins_with_somebody(text: str) -> bool:
    """Whether a text begins with "she" or "his": with somebody who must have been spoken of before, as nobody is in the text."""
    found = _NAMED_BEFORE.search(text[:_BEGINNING])
    return found is not None and _one_of_mine().search(text, 0, found.start()) is None


def _said_before(turn: Turn, asked: str, before: Before | None) -> str:
    """What was said right before a turn, if the turn begins with somebody who must have been spoken of there; else ""."""
    if before is None or not begins_with_somebody(turn.user_input):
        return ""
    earlier = before()
    mine, theirs = earlier[0].user_input if earlier else "", asked
    return f"{_YOURS.sub('their', mine)}\n{_MINE.sub('their', theirs)}"  # another's sister is none of the speaker's


def _own(stated: Iterable[Clause], asked: str, before: Before | None) -> Iterator[Clause]:
    """The clauses, but without one that leaves out whom it is about where somebody else was spoken of right before."""
    others = compiled(rules().phrase["of_others"])
    for clause in stated:
        if clause.elided:
            earlier = before() if before is not None else None
            if others.search(asked) or (earlier is not None and others.search(earlier[0].user_input)):
                continue
        yield clause


def _since(
    turn: Turn,
    answer: str | None,
    asked: str,
    owner: Person,
    found: Mapping[tuple[str, str, bool], Candidate],
    *,
    held: Held | None,
    before: Before | None,
    zone: tzinfo,
) -> Iterator[Clause]:
    """What a turn says of since or until when somebody lives or works at a place that it does not name, where this is known."""
    if not _AT_A_PLACE_OR_LAST.search(f"{turn.user_input} {answer or ''}"):
        return
    keys = {canonical_key(owner.slug, name): name for name in ("lives_in", "works_at")}
    known = {(one.key, one.object) for one in found.values() if one.key in keys and not one.negated and not one.denies}
    told = {key for key, _ in known}
    known |= {(key, place) for key, place in (held(list(keys)) if held is not None else ()) if key not in told}
    places = {keys[key]: place for key, place in known if sum(key == other for other, _ in known) == 1}
    if not places:
        return
    earlier = before() if before is not None else None
    near = f"{earlier[0].user_input if earlier else ''}. {asked}"
    for text in (turn.user_input, _AT_A_PLACE.sub("here", answer or "")):  # who is asked how long they have lived there, lives there
        stated = chain(at_its_place(text, places, near), last_day_there(text, places, near))
        for statement, excerpt in islice(stated, _MOST_DATES):
            for clause in clauses(statement, at=turn.timestamp, zone=zone):
                if clause.times:
                    yield replace(clause, excerpt=excerpt if text == turn.user_input else _excerpt(turn))


def _excerpt(turn: Turn) -> str:
    """The first sentence of a turn, as it was written."""
    text = turn.user_input
    return next(text[start:end].strip() for start, end, _ in sentences(text) if text[start:end].strip())


def _owner(turn: Turn) -> Person | None:
    speaker = (turn.speaker or "user").strip()
    if source_of(speaker) != "user_message":
        return None
    if speaker.casefold() == "user" or speaker == turn.user_id:
        return Person("user", "User")
    return Person(slug(speaker), speaker) if slug(speaker) else None


def _people(owner: Person, held: Held) -> tuple[dict[str, str], dict[str, str]]:
    """Those who are known by name, each with what they are to the owner, but not who may be one of two; and who was named first of each."""
    pets, relations = set(rules().groups["pets"]), _relation_keys(owner.slug)
    called: dict[str, set[str]] = {}
    first: dict[str, str] = {}
    for key, value in held([*relations, canonical_key(owner.slug, "pet")]):
        relation, _, name = (relations[key], "", value) if key in relations else value.partition(" called ")
        if name and key in relations:
            first[relation] = name
        if name and (key in relations or relation in pets):
            for short in {name, name.split()[0]}:
                called.setdefault(short, set()).add(relation)
    return {name: next(iter(found)) for name, found in called.items() if len(found) == 1}, first


def _only_human(people: Mapping[str, str]) -> tuple[str, str] | None:
    """The one person who is known by name, what they are to the user and their name, if there is no more than one."""
    known = {relation: name for name, relation in people.items() if relation not in rules().groups["pets"]}
    names = {name.split()[0] for name, relation in people.items() if relation in known}
    return next(iter(known.items())) if len(known) == len(names) == 1 else None


@cache
def _one_of_mine() -> re.Pattern[str]:
    return re.compile(rf"\b(?:my|our) (?:[\w-]+ )?(?:{relation_words()})\b(?!')", re.IGNORECASE)


@lru_cache(maxsize=256)
def _relation_keys(subject: str) -> Mapping[str, str]:
    """The keys under which the names of somebody's people are held, each with what they are."""
    return {canonical_key(subject, relation): relation for relation in set(called().relations.values()) - set(rules().groups["pets"])}
