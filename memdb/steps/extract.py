"""Find the atomic facts in a turn: what the user says of themselves and theirs, by rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from difflib import SequenceMatcher
from functools import cache
from itertools import chain

from pydantic import JsonValue

from memdb.english import CONTRACTED, Clause, clauses, expand, sentences
from memdb.english_rules import Pattern, compiled, relation_words, rules
from memdb.keys import canonical_key, normalise, predicate_of, slug
from memdb.objects import Writing, objects
from memdb.records import Candidate, Predicate, Turn
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
from memdb.validity import BECAME, Validity, validity
from memdb.whereabouts import at_its_place, last_day_there

Held = Callable[[list[str]], Iterable[tuple[str, str]]]
"""Reads what is believed under keys, or waits: each object with its key, the newest first."""

Before = Callable[[], tuple[Turn, str] | None]
"""Reads what the same speaker said last before a turn, and what that may answer."""

MOST_FACTS = 500  # of one turn: each is weighed against all before it, and who pastes thousands has not said them
_UNSURE = 0.3  # what "I think" takes from the confidence
_LOWER_CASE = 0.1  # and a name without a capital
_GUESSED = 0.1  # and who "she" is, where more than one may be meant, or "I", that was left out
_SIMILAR = 0.6  # names that are alike to this share may be spellings of one
_YEAR = re.compile(r"\d{4}")
_A_FEW_DAYS = timedelta(days=3)
_A_LONG_TIME = timedelta(days=300)
_SHORT = 300  # characters
_OF_NO_NOTE = 8  # words: "OK, I'll remember that."
_BEGINNING = 60
_MINE, _YOURS = re.compile(r"\b(?:my|our)\b", re.IGNORECASE), re.compile(r"\byour\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(r"\b(?:s?he|his|her|him)(?:\b|['\u2019]s)", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_CASED = re.compile(r"(?<=[^\W\d_A-Z])[,;]?\s(?!I\b)[A-Z]")
_NOT = re.compile(r",?\s+(?:and\s+)?not\s+(?:in\s+|at\s+|as\s+|an?\s+)?(?P<not>\S.*)$", re.IGNORECASE)
_INSTEAD = re.compile(r"\s+instead of\s+(?P<not>\S.*)$", re.IGNORECASE)  # of what one takes or where one works; one may like both
_HAS_A_NEW = re.compile(r"(?:have|has|have got|has got|got) (?:an? )?new ", re.IGNORECASE)  # boss, not the one before
_WE = re.compile(r"we\b(?!.* both )", re.IGNORECASE)
_AT_A_PLACE = re.compile(r"\b(?:here|there)\b", re.IGNORECASE)
_AT_A_PLACE_OR_LAST = re.compile(r"\b(?:here|there|last)\b", re.IGNORECASE)
_NOW = re.compile(r"(?<!right )(?<!for )(?<!until )(?<!till )(?<!by )\bnow\b", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[^\W\d_A-Z][, ])(?!I\b)[A-Z]")  # a name in the midst of a sentence
_ABOUT_NAMES = re.compile(r"\b(?:name|called?|spel[lt]|spelled)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Person:
    """Whom a fact is about: the subject of its key, the same for a reader, and whether they are several."""

    slug: str
    display: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class _Circumstances(Writing):
    """What the meaning of a sentence depends on."""

    owner: _Person
    text: str
    predicates: Mapping[str, Predicate]
    first: dict[str, str]  # who was named first of a relation: of two sisters, the other is spoken of under her own name


def extract(
    turn: Turn,
    *,
    predicates: Mapping[str, Predicate],
    zone: tzinfo,
    held: Held | None = None,
    asked: str = "",
    before: Before | None = None,
) -> list[Candidate]:
    """Return the facts that a turn states, in the order it states them; [] where it states none that the rules can read.

    Only the words of the user, or of the named speaker, count; what the assistant says is no fact about the user. Questions,
    conditions, quotations, fiction and requests give nothing. The rules read English (rules/english.toml); `predicates` is the
    vocabulary of keys and `zone` the user's time zone, in which "tomorrow" begins. `held` tells what is believed already: so it is known
    whose name a sentence begins with. `asked` is what the turn may answer: "In Porto" says something after "Where do you live?". `before`
    tells what it may correct: "I meant Braga" says something after "I live in Lisbon", as long as that is believed; so does "just kidding",
    which ends it, and "I don't live there any more". "Forget that I live in Porto" ends what it names. Any text is safe, and the time taken
    grows with its length only; of more than `MOST_FACTS` facts the first are read.
    """
    owner = _owner(turn)
    if owner is None or not turn.user_input.strip():
        return []
    added = _added(turn, asked, predicates=predicates, zone=zone, held=held, before=before)
    if added:
        return added
    taken_back = _taken_back(turn, owner, asked, predicates=predicates, zone=zone, held=held, before=before)
    if taken_back is not None:
        return taken_back
    cased = _CASED.search(turn.user_input) is not None
    found: dict[tuple[str, str, bool], Candidate] = {}
    people, first = _people(owner, held) if held is not None else ({}, {})
    here = _Circumstances(turn.timestamp, zone, cased, owner, turn.user_input, predicates, first)
    said = clauses(
        turn.user_input, at=turn.timestamp, zone=zone, people=people, elided=_is_short(turn), after=_said_before(turn, asked, before)
    )
    stated = _own(said, asked, before)
    answer = spelled_out(asked, turn.user_input) if asked else None
    stated = chain(stated, _since(turn, answer, asked, owner, found, held=held, before=before, zone=zone))
    if answer is not None:
        answered = (replace(clause, excerpt=_excerpt(turn)) for clause in clauses(answer, at=turn.timestamp, zone=zone, people=people))
        stated = chain(answered, stated)
    for clause in stated:
        if clause.name:
            first.setdefault(rules().relations[clause.subject], clause.name)
        for candidate in _facts(clause, here):
            name = (candidate.key, normalise(candidate.object), candidate.negated)
            known = found.get(name)
            if known is None or (candidate.confidence, candidate.explicit) > (known.confidence, known.explicit):
                found[name] = candidate
            elif known.valid_from is None and candidate.valid_from is not None and candidate.valid_from < turn.timestamp:
                found[name] = known.model_copy(update={"valid_from": candidate.valid_from})
        if len(found) >= MOST_FACTS:
            break
    return list(found.values())[:MOST_FACTS]


def _taken_back(
    turn: Turn,
    owner: _Person,
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
    instead, yes = instead_in(turn.user_input), spelled_out(asked, "yes")
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
        one.model_copy(update={"excerpt": _excerpt(turn), "confidence": round(one.confidence - _GUESSED, 2)})
        for one in extract(goes_on, predicates=predicates, zone=zone, held=held)
        if one.key == last[0].key and one.negated == last[0].negated and one.object in more
    ]


def _is_of_no_note(reply: str) -> bool:
    return "?" not in reply and len(reply.split()) <= _OF_NO_NOTE


def _forgotten(
    turn: Turn, request: Request, owner: _Person, *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held | None
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
        if [(one.key, one.negated) for one in anew] == [(one.key, one.negated) for one in read]:
            changes.append([(old, new) for old, new in zip(read, anew, strict=True) if _says(old) != _says(new)])
    found: list[Candidate] = []
    for old, new in next(iter(changes), []) if len(changes) == 1 else []:
        believed = (old.key, normalise(old.object)) in {(key, normalise(value)) for key, value in held([old.key])}
        if old.negated or not (believed or answers):
            continue
        guessed = [one.object for one in (old, new) if one.object.istitle() and one.object not in turn.user_input + before.user_input]
        sure = round(min(old.confidence, new.confidence) + (_LOWER_CASE if guessed else 0.0), 2)  # what stands in a name's place is one
        because = "said to have changed" if answers else "corrected"
        told: dict[str, object] = {"excerpt": _excerpt(turn), "explicit": True, "because": because, "confidence": sure}
        found.append(new.model_copy(update=told))
        one, other = (set(normalise(candidate.object).split()) for candidate in (old, new))
        nested = one <= other or other <= one  # "Lisbon", and then "Lisbon, Portugal": of one value, that is the same fact
        if believed and one != other and not (nested and predicate_of(old.key, predicates).cardinality == "one"):
            found.append(old.model_copy(update=told | {"negated": True, "valid_from": None, "valid_to": None, "temporary": False}))
    return found


def _over(
    turn: Turn, owner: _Person, asked: str, *, predicates: Mapping[str, Predicate], zone: tzinfo, held: Held, before: Before
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
    if not (predicate := pointed_at(turn.user_input)):
        return []
    earlier = before()
    told = asked if _PROPER.search(asked) else f"{asked} {earlier[0].user_input if earlier else ''}"
    if predicate == "pet" and compiled(rf"\b(?:{relation_words()})\b").search(compiled(rules().macros["animal"]).sub("", told)):
        return []  # "he died" may be said of somebody else
    key = canonical_key(owner.slug, predicate)
    named = [value for _, value in held([key]) if _is_named(value, told)]
    return [_end(turn, owner, key, named[0], predicates=predicates, because="over")] if len(named) == 1 else []


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
        turns = [earlier] if earlier and not negative.search(CONTRACTED.sub(expand, earlier[0].user_input)) else []
    read = [one for said, answers in turns for one in extract(said, predicates=predicates, zone=zone, held=held, asked=answers)]
    believed = {(key, normalise(value)) for key, value in held([one.key for one in read])}
    meant = [one for one in read if not one.negated and (one.key, normalise(one.object)) in believed]
    if len(read) != 1 or len(meant) != 1 or not (over or alone):
        return []
    end: dict[str, object] = {"excerpt": _excerpt(turn), "negated": True, "explicit": True, "because": "over" if over else "denied"}
    return [meant[0].model_copy(update=end | {"event_time": None, "valid_from": None, "valid_to": None, "temporary": False})]


def _is_named(value: str, told: str) -> bool:
    """Whether a thing, or who is called so, is spoken of in a text."""
    name = value.rpartition(" called ")[2]
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told, re.IGNORECASE) is not None


def _end(turn: Turn, owner: _Person, key: str, value: str, *, predicates: Mapping[str, Predicate], because: str) -> Candidate:
    """The end of what is held under a key, or of one value of it."""
    subject, _, name = key.partition(".")
    known = predicate_of(key, predicates)
    return Candidate(
        key=key,
        value_text=f"{owner.display} {known.label} {value}".strip(),
        object=value,
        category=known.category,
        confidence=0.92,
        excerpt=_excerpt(turn),
        value_json={"subject": subject, "predicate": name, "object": value},
        negated=True,
        explicit=True,
        because=because,
    )


def _says(candidate: Candidate) -> tuple[object, ...]:
    return normalise(candidate.object), candidate.event_time, candidate.valid_from, candidate.valid_to


def _is_short(turn: Turn) -> bool:
    """Whether a turn is a line that somebody typed: then "I" may be left out."""
    text = turn.user_input.strip()
    return len(text) <= _SHORT and "\n" not in text


def begins_with_somebody(text: str) -> bool:
    """Whether a text begins with "she" or "his": with somebody who must have been spoken of before."""
    return _NAMED_BEFORE.search(text[:_BEGINNING]) is not None


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
    owner: _Person,
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
    earlier = before() if before is not None and places else None
    near = f"{earlier[0].user_input if earlier else ''}. {asked}"
    for text in (turn.user_input, _AT_A_PLACE.sub("here", answer or "")):  # who is asked how long they have lived there, lives there
        for statement, excerpt in chain(at_its_place(text, places, near), last_day_there(text, places, near)):
            for clause in clauses(statement, at=turn.timestamp, zone=zone):
                if clause.times:
                    yield replace(clause, excerpt=excerpt if text == turn.user_input else _excerpt(turn))


def _excerpt(turn: Turn) -> str:
    """The first sentence of a turn, as it was written."""
    text = turn.user_input
    return next(text[start:end].strip() for start, end, _ in sentences(text) if text[start:end].strip())


def _owner(turn: Turn) -> _Person | None:
    speaker = (turn.speaker or "user").strip()
    if speaker.casefold() == "assistant":
        return None
    if speaker.casefold() == "user" or speaker == turn.user_id:
        return _Person("user", "User")
    return _Person(slug(speaker), speaker) if slug(speaker) else None


def _people(owner: _Person, held: Held) -> tuple[dict[str, str], dict[str, str]]:
    """Those who are known by name, each with what they are to the owner, but not who may be one of two; and who was named first of each."""
    pets = set(rules().groups["pets"])
    relations = {canonical_key(owner.slug, relation): relation for relation in set(rules().relations.values()) - pets}
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


def _facts(clause: Clause, here: _Circumstances) -> Iterator[Candidate]:
    """What one clause states: all that the patterns for anywhere find, and what the first of the others finds."""
    settled = False
    for pattern in _patterns(owned=clause.owned, subject=bool(clause.subject)):
        if pattern.scope == "any":
            yield from _read(pattern, clause, clause.text, here)
        elif not settled:
            for text in _texts(pattern, clause):
                facts = list(_read(pattern, clause, text, here))
                yield from facts
                settled = settled or bool(facts)


@cache
def _patterns(*, owned: bool, subject: bool) -> tuple[Pattern, ...]:
    """The patterns that may be matched with a clause, by whether it begins with what is owned, and whether it says who it is about."""
    scopes = {"any", "clause"} | ({"my"} if owned else {"subject"} if subject else set())
    return tuple(pattern for pattern in rules().pattern if pattern.scope in scopes)


def _texts(pattern: Pattern, clause: Clause) -> list[str]:
    """What of a clause a pattern is matched with."""
    if pattern.scope == "clause":
        return [clause.text]
    if pattern.scope == "my":
        return [clause.full]
    if pattern.others and clause.subject in ("i", *rules().groups["pets"]):
        return []
    text = clause.full if pattern.raw else clause.phrase
    future = compiled(r"will (?P<be>be )?(?=\w)").match(text)
    if future is None or pattern.time != "state":
        return [text]
    roles = {span.role for span in clause.times.get("future", ())}
    starts, some_day = "from" in roles, rules().phrase["some_day"]
    undated = compiled(some_day).search(clause.text) or compiled(rf"{some_day}\s*,").match(clause.excerpt)
    if undated and not starts and "by" not in roles:
        return []
    return [("am " if future.group("be") else "") + text[future.end() :]] if starts or future.group("be") else []


def _read(pattern: Pattern, clause: Clause, text: str, here: _Circumstances) -> Iterator[Candidate]:
    regex = compiled(pattern.match)
    match = regex.search(text) if pattern.scope == "any" else regex.match(text)
    if match is None or (pattern.needs and not compiled(pattern.needs).match(text) and not compiled(pattern.needs).search(match.group())):
        return
    if pattern.alone and not _is_alone(clause, here):
        return
    mode = _mode(pattern, clause) if not _is_partly(pattern, clause) else "no"
    true = validity(pattern, clause, here.at)
    if mode == "no" or true is None:
        return
    if pattern.key in ("name", "age") and _WE.match(clause.text):
        return  # "We're called Udon Hiro", "we're 4"
    if clause.coming and true.ends and true.ends - (true.begins or here.at) < _A_LONG_TIME:
        return  # "I won't be working next week"
    if pattern.key.startswith("works_") and rules().relations.get(clause.subject) in rules().groups["pets"]:
        return  # a cat is no doctor
    if pattern.key == "works_as" and true.temporary and true.ends and true.ends - (true.begins or here.at) < _A_FEW_DAYS:
        return  # a part that is played, or a turn at something
    groups = {name: value for name, value in match.groupdict().items()}
    rest = text[match.start("o") :] if groups.get("o") is not None else ""
    refuted = _NOT.search(rest) or (_INSTEAD.search(rest) if pattern.time == "state" else None)
    if refuted and groups.get("o"):
        groups["o"] = _NOT.sub("", groups["o"])
    explicit = pattern.explicit or clause.explicit or clause.ended or clause.coming or refuted is not None
    explicit |= true.begins is not None and true.begins > here.at and not true.temporary  # "from June on": that is a change
    explicit |= any(way.match(clause.full) for way in (BECAME, _HAS_A_NEW)) or _NOW.search(text) is not None
    explicit |= pattern.scope == "my" and text[:4].casefold() == "new "
    if pattern.similar and not _alike(groups, here):
        return
    spelled = pattern.similar and _ABOUT_NAMES.search(here.text) is None
    confidence = min(pattern.confidence, 0.75) if spelled else pattern.confidence
    key = _key(pattern, groups, clause)
    relative = key != pattern.key and pattern.key in (
        "name",
        "nickname",
    )  # what a relative is called belongs to the one who has the relative
    if relative and clause.guessed:
        return  # "my girlfriend has a cat. She's called Luna"
    about = _about(clause, here) if pattern.scope in ("subject", "my") and not relative else here.owner
    if about is None:
        return
    if mode not in ("says", "ends", "denies"):
        key, mode = mode, "says"
    values = objects(groups.get("o"), pattern.kind, pattern, here)
    if pattern.object == "" or ("{o}" in pattern.object and groups.get("o") is None and mode == "ends"):
        values = [""] if mode == "ends" else []
    made = _Made(clause, confidence, explicit, true, here)
    for value in values:
        filled = pattern.object.format(**{**_spoken(groups), "o": value}) if value else pattern.object.replace("{o}", "")
        filled = pattern.names.get(filled.lower(), filled) if "{o}" not in pattern.object else filled
        yield from made.candidate(about, key, filled, mode=mode, pattern=pattern)
    if not values:
        return
    for also in pattern.also:
        if also.negated and true.temporary:
            continue  # what is left out for a while may be liked
        part = re.fullmatch(r"\{(\w+)\}", also.object)
        raw = groups.get(part.group(1)) if part else also.object
        also_mode = "ends" if also.negated or (mode == "ends" and not pattern.negated) else "says"
        every = [""] if also_mode == "ends" and part is None else []  # "I used to be a chef" names no place where one works no longer
        others = objects(raw, also.kind, pattern, here) if raw else every
        for other in others:
            yield from made.candidate(about, also.key, other, mode=also_mode, pattern=pattern)
    if refuted and mode == "says":
        for wrong in objects(refuted.group("not"), pattern.kind, pattern, here):
            yield from made.candidate(about, key, wrong, mode="ends", pattern=pattern)


def _is_alone(clause: Clause, here: _Circumstances) -> bool:
    """Whether the turn says nothing beside this clause but what is polite."""
    said = Counter(_WORD.findall(CONTRACTED.sub(expand, here.text).lower()))
    besides = said - Counter(_WORD.findall(clause.text.lower()))
    return all(compiled(rules().phrase["polite"]).fullmatch(word) for word in besides)


def _mode(pattern: Pattern, clause: Clause) -> str:
    """Whether a clause says a thing, says that it "ends", "denies" it, says another predicate, or "no": nothing."""
    if pattern.negated:
        return "no" if clause.negative or clause.former else "ends"
    if clause.former:
        return "no" if pattern.negative == "states" else "ends"
    if not clause.negative:
        return "no" if pattern.negative in ("states", "cancels") else "says"
    if clause.coming:
        return "ends" if pattern.negative in ("ends", "cancels", "deny") else "no"
    ways = {"skip": "no", "ends": "ends", "cancels": "ends", "states": "says", "deny": "ends" if clause.ended else "denies"}
    return ways.get(pattern.negative, pattern.negative)


def _is_partly(pattern: Pattern, clause: Clause) -> bool:
    """Whether a thing is not denied but only when, or how much: "I don't speak German very well", "I don't play tennis on Sundays"."""
    if not clause.negative or clause.former:
        return False
    ways = {"dislikes": ("only_then",), "states": ("only_then", "rarely")}.get(pattern.negative, ("only_then", "rarely", "partly"))
    return any(compiled(rules().phrase[way]).search(clause.text) for way in ways)


def _named(groups: Mapping[str, str | None]) -> dict[str, str]:
    """The groups of a match as they are written into keys and objects."""
    found = {name: (value or "").lower() for name, value in groups.items()}
    for name in ("rel", "pet"):
        if name in found:
            found[name] = rules().relations.get(found[name], found[name])
    if "what" in found:
        found["what"] = " ".join(rules().spelling.get(word, word) for word in [rules().spelling.get(found["what"], found["what"])])
    return found


def _spoken(groups: Mapping[str, str | None]) -> dict[str, str]:
    """The groups of a match as they are written into objects: of a relative as one is spoken of, not as a key has it."""
    return {name: value.replace("_", "-") if name == "rel" else value for name, value in _named(groups).items()}


def _key(pattern: Pattern, groups: Mapping[str, str | None], clause: Clause) -> str:
    key = pattern.key.format(**_named(groups))
    if key in ("name", "nickname") and clause.subject not in ("", "i") and pattern.scope != "clause":
        return rules().relations[clause.subject]
    return key


def _about(clause: Clause, here: _Circumstances) -> _Person | None:
    """The person that a clause speaks of, or None if it is not clear who."""
    if clause.subject in ("", "i"):
        return here.owner
    relation = rules().relations[clause.subject]
    if relation in rules().groups["by_name"]:
        return _Person(slug(clause.name), clause.name) if clause.name else None
    first = here.first.get(relation, clause.name)
    several = predicate_of(canonical_key(here.owner.slug, relation), here.predicates).cardinality == "many"
    if several and clause.name and clause.name.split()[0] != first.split()[0]:
        return _Person(slug(clause.name), clause.name)
    prefix = "" if here.owner.slug == "user" else f"{here.owner.slug}_"
    return _Person(prefix + relation, f"{here.owner.display}'s {relation.replace('_', '-')}", relation in rules().groups["several"])


def _alike(groups: Mapping[str, str | None], here: _Circumstances) -> bool:
    right, wrong = groups.get("o") or "", groups.get("not") or ""
    return SequenceMatcher(None, right.casefold(), wrong.casefold()).ratio() >= _SIMILAR


@dataclass(frozen=True, slots=True)
class _Made:
    """What the candidates of one clause have in common."""

    clause: Clause
    confidence: float
    explicit: bool
    validity: Validity
    here: _Circumstances

    def candidate(self, about: _Person, key: str, value: str, *, mode: str, pattern: Pattern) -> Iterator[Candidate]:
        """One fact, ended or denied as `mode` says."""
        relations = rules().groups["pets"]
        if key in relations:  # what a pet is called is part of what one has
            key, value = "pet", f"{key} called {value}"
        full_key = canonical_key(about.slug, key)
        predicate = predicate_of(full_key, self.here.predicates)
        subject, _, name = full_key.partition(".")
        parts: dict[str, JsonValue] = {"subject": subject, "predicate": name, "object": value}
        label = predicate.label
        if mode == "denies":
            parts["polarity"] = "negative"
            label = _denied(label)
        if about.several:
            label = _of_several(label)
        if label.endswith(" on") and _YEAR.fullmatch(value):
            label = f"{label.removesuffix('on')}in"
        confidence = self.confidence
        if self.clause.hedged:
            confidence = min(confidence - _UNSURE, 0.65)
        if mode != "ends" and value.istitle() and value not in self.here.text:  # an end finds what it is about by its name
            confidence -= _LOWER_CASE
        if self.clause.elided or self.clause.guessed:
            confidence -= _GUESSED
        true = self.validity
        if mode == "ends":  # what ends with something that is to happen lasts until that is over
            true = Validity(begins=true.begins if true.event is None else true.ends)
        yield Candidate(
            key=full_key,
            value_text=f"{about.display} {label} {value}".strip(),
            object=value,
            category=predicate.category,
            confidence=round(max(0.0, confidence), 2),
            excerpt=self.clause.excerpt,
            value_json=parts,
            event_time=true.event,
            valid_from=true.begins,
            valid_to=true.ends,
            temporary=true.temporary,
            until=true.until,
            negated=mode == "ends",
            coming=(pattern.goes_on and mode != "ends")
            or (mode == "ends" and self.clause.coming and true.begins is None and predicate.category != "task_context"),
            explicit=self.explicit,
        )


def _denied(label: str) -> str:
    """A label in the negative: "speaks" becomes "does not speak", "is aged" "is not aged"."""
    verb, _, rest = label.partition(" ")
    if verb in ("is", "was", "must"):
        return f"{verb} not {rest}".strip()
    return f"does not {_of_several(verb)} {rest}".strip()


def _of_several(label: str) -> str:
    """A label as it is said of more than one: "lives in" becomes "live in", "is aged" "are aged"."""
    verb, blank, rest = label.partition(" ")
    told = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}.get(verb)
    return (told or (verb[:-3] + "y" if verb.endswith("ies") else verb.removesuffix("s"))) + blank + rest
