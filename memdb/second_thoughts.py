"""What a turn says of what was said before: more of the same, a slip put right, what is taken back, or what is to be forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from memdb.claims import GUESSED, LOWER_CASE, Held, HeldOf, Person
from memdb.claims_abroad import spoken_in, statements_in
from memdb.english_rules import compiled, relation_words, rules
from memdb.keys import as_spelled, canonical_key, normalise, predicate_of, slug, telling
from memdb.putting_off import PUT_OFF, hour_again, with_its_hour
from memdb.records import Candidate, Predicate, Turn
from memdb.replies import added_in, said_of_user, spelled_out
from memdb.retractions import (
    Request,
    Slip,
    begins_anew,
    by_now_in,
    in_two,
    instead_in,
    is_a_day,
    is_denied,
    is_off,
    is_over,
    is_taken_back,
    may_be_taken_back,
    may_forget,
    may_mend,
    pointed_at,
    request_in,
    slip_in,
    stand_ins,
)
from memdb.sentences import CONTRACTED, PLAIN, beginning, expand
from memdb.wording import worded

Before = Callable[[], tuple[Turn, str] | None]
"""Reads what the same speaker said last before a turn, and what that may answer."""

SHORT = 300
"""Characters of what somebody types rather than pastes."""

_OF_NO_NOTE = 8  # words: "OK, I'll remember that."
_BEGINNING = 80  # characters, in which a turn says that something was moved, or is off
_PUTS_OFF = re.compile(
    r"\b(?:mov|push|put|shift|br[io]|postpon|re-?schedul|delay|rearrang|defer|pull|bump|rebook|chang|switch|cancel|call|scrap|f[ae]ll"
    r"|off\b|hold\b|ice\b|air\b|limbo\b|tb[acd]\b|shelv|paus|so\b|not happening|not going|now\b|instead\b)",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?<=[^\W\d_A-Z][, ])(?!I\b)[A-Z]")  # a name in the midst of a sentence


@dataclass(frozen=True, slots=True)
class Situation:
    """In which a turn is said: by whom, what is known by then, what it may answer (`asked`), and what was said before it.

    `read` reads what another turn of the same speaker states by itself, given what that may answer.
    """

    owner: Person
    predicates: Mapping[str, Predicate]
    zone: tzinfo
    read: Callable[[Turn, str], list[Candidate]]
    held: Held | None
    held_of: HeldOf | None
    once: Held
    asked: str
    before: Before | None

    def earlier(self) -> tuple[Turn, str] | None:
        """Return what the same speaker said last, and what that may answer; None where that is not known."""
        return self.before() if self.before is not None else None

    def held_under(self, keys: list[str]) -> Iterable[tuple[str, str]]:
        """Return what is believed under keys: each key with a value; nothing where that is not known."""
        return self.held(keys) if keys and self.held is not None else ()

    def believed(self, keys: list[str]) -> set[tuple[str, str]]:
        """Return the same, each value normalised."""
        return {(key, normalise(value)) for key, value in self.held_under(keys)}


def more_of_the_same(turn: Turn, there: Situation) -> list[Candidate]:
    """Return what a turn adds to the list with which the one before it ends, if it does nothing else.

    That is "and eggs" after "I'm allergic to nuts". Where the assistant said anything of note in between, it may add to that.
    """
    more = added_in(turn.user_input)
    earlier = there.earlier() if more and _is_of_no_note(there.asked) else None
    said = earlier[0].user_input.rstrip(" .!") if earlier is not None else ""
    if earlier is None or "?" in said or len(said) > SHORT:
        return []
    last = [one for one in there.read(*earlier) if not one.negated and one.object and said.endswith(one.object)]
    if len(last) != 1 or last[0].predicate not in rules().added.predicates:
        return []
    goes_on = turn.model_copy(update={"user_input": said.removesuffix(last[0].object) + more})
    return [
        one.model_copy(update={"excerpt": beginning(turn.user_input), "confidence": round(one.confidence - GUESSED, 2)})
        for one in there.read(goes_on, "")
        if one.key == last[0].key and one.negated == last[0].negated and one.object in more
    ]


def put_off_again(turn: Turn, there: Situation) -> list[Candidate]:
    """Return when that is, which the turn before it plans, if a turn says that it was moved, "it's been moved to Monday", or is off."""
    if len(turn.user_input) > SHORT or _PUTS_OFF.search(turn.user_input, 0, _BEGINNING) is None:
        return []
    said = CONTRACTED.sub(expand, turn.user_input)
    hour = hour_again(said)
    found = compiled(rules().phrase["put_off_again"]).match(said) if hour is None else None
    is_undated = found is None and compiled(rules().phrase["undated_again"]).match(said) is not None
    is_off = found is None and not is_undated and compiled(rules().phrase["called_off_again"]).match(said) is not None
    if (
        (found is None and not is_off and not is_undated and hour is None)
        or "?" in said
        or compiled(rules().over.unreal).search(said)
        or (earlier := there.earlier()) is None
    ):
        return []
    read = there.read(*earlier)
    planned = [one for one in read if one.predicate == "plans" and one.event_time is not None and not one.negated]
    if len(planned) != 1:
        return []
    if hour is not None:
        return _at_another_hour(turn, _still_believed(planned, there), hour)
    if is_undated:
        over = _still_believed(planned, there)
        ends = [one.model_copy(update=_ending(turn, PUT_OFF) | _TIMELESS) for one in over]
        return [*ends, *(one.model_copy(update={"excerpt": beginning(turn.user_input), "explicit": True} | _TIMELESS) for one in over)]
    if found is None:
        over = [] if len(read) > 1 else _still_believed(planned, there)
        return [one.model_copy(update=_ending(turn, "came to nothing") | _TIMELESS) for one in over]
    moved: dict[str, object] = {"excerpt": beginning(turn.user_input), "explicit": True}
    if found["by"] or found["so_far"] or found["much"]:  # from when on, is left to who knows when it was to be
        return [planned[0].model_copy(update=moved | _TIMELESS)]
    until = compiled("(?:on|in) ").sub("", found["when"] or found["on"] or found["then"] or found["so_then"], count=1)
    says = turn.model_copy(update={"user_input": f"My appointment has been moved until {until}"})
    return [planned[0].model_copy(update=moved | {"event_time": one.event_time, "valid_to": one.valid_to}) for one in there.read(says, "")]


def _at_another_hour(turn: Turn, planned: list[Candidate], hour: re.Match[str]) -> list[Candidate]:
    """What was just planned, at the hour to which it is moved, and the end of what it was."""
    moved: list[Candidate] = []
    for one in planned:
        then = with_its_hour(one.object, hour)
        if then is not None and then != one.object:
            parts = {"subject": one.subject, "predicate": one.predicate, "object": then}
            told = {"object": then, "value_text": one.value_text.replace(one.object, then), "value_json": parts}
            moved += [one.model_copy(update=_ending(turn, PUT_OFF) | _TIMELESS)]
            moved += [one.model_copy(update=told | {"excerpt": beginning(turn.user_input), "explicit": True})]
    return moved


def taken_back(turn: Turn, there: Situation) -> list[Candidate] | None:
    """Return what a turn says that only corrects or takes back what was said before, or asks to forget it; None if it says else."""
    if (request := request_in(turn.user_input)) is not None and not request.named:
        return _forgotten(turn, request, there)
    may_say_more = len(turn.user_input) <= SHORT and (may_forget(turn.user_input) or may_mend(turn.user_input))
    cut = in_two(turn.user_input) if may_say_more else []
    for first, then in ((turn.user_input, ""), *cut) if may_forget(turn.user_input) else ():  # "forget about Hull, we've moved to Leeds"
        if (request := request_in(first)) is not None and request.named and (over := _forgotten(turn, request, there)):
            return [*over, *(there.read(turn.model_copy(update={"user_input": then}), "") if then else ())]
    if there.held is None or there.before is None:
        return None
    instead = instead_in(turn.user_input)
    yes = spelled_out(there.asked, "yes") if instead is not None else None
    if instead is not None and yes is not None:  # "Do you still live in Porto?", "no, Braga now"
        return _corrected(turn, instead, (turn.model_copy(update={"user_input": yes}), ""), there, answers=True) or None
    slip = slip_in(turn.user_input)
    if slip is not None and not (slip.bare and "?" in there.asked) and (earlier := there.before()) is not None:  # else it is an answer
        corrected = _corrected(turn, slip, earlier, there)
        if corrected:
            return corrected
    now = by_now_in(turn.user_input) if slip is None and "?" not in there.asked else None
    if now is not None and (earlier := there.before()) is not None and (changed := _corrected(turn, now, earlier, there, changed=True)):
        return changed
    for first, then in cut if may_mend(turn.user_input) else ():  # "sorry, I meant Hove, Hull is where my gran lives"
        slip = slip_in(first)
        named = slip is not None and slip.right[:1].isupper() and not is_a_day(slip.right)
        bare = slip is not None and slip.bare and (named or "?" in there.asked)  # "sorry, 35, …", but "sorry, Tom, …"
        earlier = there.before() if slip is not None and not bare else None
        if slip is not None and earlier is not None and (corrected := _corrected(turn, slip, earlier, there)):
            return [*corrected, *there.read(turn.model_copy(update={"user_input": then}), "")]
    if over := _over(turn, there):
        return over
    may_end = len(turn.user_input) <= SHORT and _TAKES_BACK.search(turn.user_input)
    for first, then in in_two(turn.user_input) if may_end else ():  # "Kidding! I still live in Hull"
        goes_on = turn.user_input[len(first)] in ",-–—"
        if (is_taken_back(first, surely=True) and not (goes_on and _OF_SOMETHING.search(first))) or is_over(first):
            over = _over(turn.model_copy(update={"user_input": first}), there)
            if over:
                return [*over, *there.read(turn.model_copy(update={"user_input": then}), "")]
    return None


def said_anew(turn: Turn, stated: list[Candidate], there: Situation) -> list[Candidate]:
    """Return what a turn states that begins by taking back what was said before it, "scratch that, it's a Honda now", with what ends so.

    That is the one thing which the turn before said under the same key, where it still is believed.
    """
    new = [one for one in stated if one.object and not (one.negated or one.denies)]
    if (
        there.held is None
        or not new
        or _BESIDES.search(turn.user_input)
        or not begins_anew(turn.user_input)
        or (earlier := there.earlier()) is None
    ):
        return stated
    before = there.read(*earlier)
    found = list(stated)
    for one in new:
        over = [old for old in before if old.key == one.key and not old.negated]
        if len(over) != 1 or sum(other.key == one.key for other in new) != 1 or normalise(over[0].object) == normalise(one.object):
            continue
        if _still_believed(over, there):
            told: dict[str, object] = {"explicit": True, "because": "corrected"}
            found[found.index(one)] = one.model_copy(update=told | {"confidence": max(one.confidence, over[0].confidence)})
            found.append(over[0].model_copy(update=told | {"excerpt": one.excerpt, "negated": True} | _TIMELESS))
    return found


def with_its_name(turn: Turn, there: Situation) -> Turn:
    """Return a turn with the name of what "it" stands for, where that is over, "traded it in for a Yaris", and the one before told only it.

    Where the assistant asked in between, or spoke of something else, "it" may be that.
    """
    if len(turn.user_input) > SHORT or _POINTS.search(turn.user_input, 0, _BEGINNING) is None:
        return turn
    found = compiled(rules().phrase["it_is_over"]).match(turn.user_input)
    if found is None or compiled(rules().over.unreal).search(turn.user_input) or (earlier := there.earlier()) is None:
        return turn
    stated = [one for one in there.read(*earlier) if not (one.negated or one.denies) and one.subject == there.owner.slug]
    meant = _still_believed(stated, there)
    if len(stated) != 1 or len(meant) != 1 or meant[0].predicate not in rules().over.by_pronoun:
        return turn
    name = meant[0].object.rpartition(" called ")[2]
    if "?" in there.asked and name.lower() not in there.asked.lower():
        return turn
    particle = f" {found['particle']}" if found["particle"] else ""
    said = f"{found['does']}{particle} {name}{turn.user_input[found.end() :]}"
    return turn.model_copy(update={"user_input": said})


def with_its_bearer(turn: Turn, there: Situation) -> Turn:
    """Return a turn that names whom somebody has, as they were told of in the one before it: "They've named her Maeve"."""
    named = compiled(rules().phrase["named_now"]).fullmatch(_plain(turn.user_input)) if len(turn.user_input) <= SHORT else None
    earlier = there.earlier() if named is not None and _is_of_no_note(there.asked) else None
    said = earlier[0].user_input if earlier is not None else ""
    had = compiled(rules().phrase["newly_had"]).fullmatch(_plain(said)) if said and len(said) <= SHORT else None
    if named is None or had is None:
        return turn
    child = {"girl": "baby girl", "boy": "baby boy"}.get(had["child"], had["child"]) if had["child"] else None
    return turn.model_copy(update={"user_input": f"{had['who']} has a {child or had['animal']} called {named['o']}"})


def _plain(text: str) -> str:
    return CONTRACTED.sub(expand, text.translate(PLAIN)).strip(" .!")


def _is_of_no_note(reply: str) -> bool:
    return "?" not in reply and len(reply.split()) <= _OF_NO_NOTE


def _forgotten(turn: Turn, request: Request, there: Situation) -> list[Candidate]:
    """The ends of what one asks to forget. The file keeps it as what was believed once: only an application erases."""
    because = "asked to be forgotten"
    if request.clause:
        stated = there.read(turn.model_copy(update={"user_input": request.clause}), "")
        end = _ending(turn, because)
        return [one.model_copy(update=end) for one in stated if not (one.negated or one.denies or one.temporary)]
    if compiled("{animal}").fullmatch(request.named):
        return _pet_forgotten(turn, request.named, there, because=because)
    if request.own:
        told_of = [] if there.held_of is None else there.held_of(request.own)
        whom = list(there.held_under([canonical_key(there.owner.slug, request.own)]))
        return [end_of(turn, key, value, there, because=because) for key, value in (*whom, *told_of)] if len(whom) == 1 else []
    if request.named:
        named = telling(request.named)
        held = [] if there.held_of is None or not named else there.held_of(there.owner.slug)
        meant = {(key, value) for key, value in held if telling(value) == named}
        return [end_of(turn, key, value, there, because=because) for key, value in meant] if len(meant) == 1 else []
    keys = (canonical_key(there.owner.slug, predicate) for predicate in request.predicates)
    return [end_of(turn, key, "", there, because=because) for key in keys]


def _pet_forgotten(turn: Turn, animal: str, there: Situation, *, because: str) -> list[Candidate]:
    """The ends of what was told of a pet, if there is one such animal only: of the dog, where one has one dog and two cats."""
    pets = [(key, value) for key, value in there.held_under([canonical_key(there.owner.slug, "pet")]) if telling(animal) <= telling(value)]
    if len(pets) != 1 or there.held_of is None:
        return []
    name = pets[0][1].partition(" called ")[2]
    told_of = (one for whom in dict.fromkeys([slug(animal), slug(name)]) if whom for one in there.held_of(whom))
    return [end_of(turn, key, value, there, because=because) for key, value in (*pets, *told_of)]


def _corrected(
    turn: Turn, slip: Slip, earlier: tuple[Turn, str], there: Situation, *, answers: bool = False, changed: bool = False
) -> list[Candidate]:
    """What a turn says that corrects a slip in an earlier one: that one read again with the right word, where it still is believed.

    It must say as much as it did, of the same; and where the wrong word is not repeated, only one may be meant. Where the turn `answers`
    a question, the earlier one is what "yes" would have said, and the right word stands even if the wrong one was never believed. Where it
    has only `changed`, nothing was wrong.
    """
    before, asked = earlier
    read = there.read(before, asked)
    objects = (one.object for one in read if not one.negated)
    changes: list[list[tuple[Candidate, Candidate]]] = []
    for wrong in stand_ins(before.user_input, objects, slip, at=before.timestamp, zone=there.zone):
        text = slip.corrects(wrong, before.user_input)
        if text is None:
            continue
        anew = there.read(before.model_copy(update={"user_input": text}), asked)
        if [(one.predicate, one.negated) for one in anew] == [(one.predicate, one.negated) for one in read]:
            changes.append([(old, new) for old, new in zip(read, anew, strict=True) if _says(old) != _says(new)])
    found: list[Candidate] = []
    for old, new in changes[0] if len(changes) == 1 else []:
        believed = (old.key, normalise(old.object)) in there.believed([old.key])
        if old.negated or not (believed or answers):
            continue
        guessed = [one.object for one in (old, new) if one.object.istitle() and one.object not in turn.user_input + before.user_input]
        sure = round(min(old.confidence, new.confidence) + (LOWER_CASE if guessed else 0.0), 2)  # what stands in a name's place is one
        because = "said to have changed" if answers or changed else "corrected"
        told: dict[str, object] = {"excerpt": beginning(turn.user_input), "explicit": True, "because": because, "confidence": sure}
        found.append(new.model_copy(update=told))
        one, other = (set(normalise(candidate.object).split()) for candidate in (old, new))
        nested = one <= other or other <= one  # "Lisbon", and then "Lisbon, Portugal": of one value, that is the same fact
        same = one == other or (nested and predicate_of(old.key, there.predicates).cardinality == "one")
        more = slip.mild and old.predicate == new.predicate in rules().takes_back.beside  # "coffee, actually" after "I like tea"
        if believed and not more and not (same and old.key == new.key):
            found.append(old.model_copy(update=told | {"negated": True, "valid_from": None, "valid_to": None, "temporary": False}))
    return found


def _over(turn: Turn, there: Situation) -> list[Candidate]:
    """The ends of what a turn takes back: all that the one before it states, which was a joke, or what was just said and is not so."""
    over = is_over(turn.user_input)
    if over or is_denied(turn.user_input):
        return _not_so(turn, there, over=over)
    if is_taken_back(turn.user_input):
        earlier = there.earlier()
        if earlier is None or not may_be_taken_back(earlier[0].user_input, turn.user_input):
            return []
        end = _ending(turn, "taken back") | _TIMELESS
        return [one.model_copy(update=end) for one in _still_believed(there.read(*earlier), there)]
    if is_off(turn.user_input):  # of a job that one had already, nobody withdraws the offer
        earlier = there.earlier()
        new = [one for one in there.read(*earlier) if one.predicate in _A_JOB and one.explicit] if earlier is not None else []
        return [one.model_copy(update=_ending(turn, "over") | _TIMELESS) for one in _still_believed(new, there)]
    if not (predicates_meant := pointed_at(turn.user_input)):
        return []
    earlier = there.earlier()
    told = there.asked if _PROPER.search(there.asked) else f"{there.asked} {earlier[0].user_input if earlier else ''}"
    if "pet" in predicates_meant and compiled(rf"\b(?:{relation_words()})\b").search(compiled(rules().macros["animal"]).sub("", told)):
        return []  # "he died" may be said of somebody else
    keys = [canonical_key(there.owner.slug, predicate) for predicate in predicates_meant]
    named = {(key, value) for key, value in there.held_under(keys) if _is_named(value, told)}
    if len({normalise(value) for _, value in named}) != 1:
        return []
    return [end_of(turn, key, value, there, because="over") for key, value in sorted(named)]


def _not_so(turn: Turn, there: Situation, *, over: bool) -> list[Candidate]:
    """The end of the one thing that was said of the user right before, and that is so no more, or never was so.

    "That's wrong" may be said of anything: it counts where nothing else was said. Of what the user said themselves only "not any more" is
    said, and only where nothing of note was said in between.
    """
    negative = compiled(rules().phrase["negative"])  # "you don't smoke", "not any more": that is what was said
    spoken, alone = said_of_user(there.asked)
    if any(negative.search(said) for said in spoken):
        return []
    turns = [(turn.model_copy(update={"user_input": said}), "") for said in spoken]
    if over and not spoken and _is_of_no_note(there.asked):
        earlier = there.earlier()
        turns = [earlier] if earlier and not negative.search(CONTRACTED.sub(expand, _in_english(earlier[0], there.zone))) else []
    read = [one for said, answers in turns for one in there.read(said, answers)]
    meant = _still_believed(read, there)
    if len(read) != 1 or len(meant) != 1 or not (over or alone):
        return []
    return [meant[0].model_copy(update=_ending(turn, "over" if over else "denied") | _TIMELESS)]


def _still_believed(read: list[Candidate], there: Situation) -> list[Candidate]:
    """What of that which was said is believed."""
    believed = there.believed([one.key for one in read])
    return [one for one in read if not one.negated and (one.key, normalise(one.object)) in believed]


def _in_english(turn: Turn, zone: tzinfo) -> str:
    """What a turn says, or what it states in another language, in English."""
    language = spoken_in(turn.user_input)
    if language is None:
        return turn.user_input
    return "\n".join(one.said for one in statements_in(turn.user_input, language, at=turn.timestamp, zone=zone))


def _is_named(value: str, told: str) -> bool:
    """Whether a thing, or who is called so, is spoken of in a text."""
    name = value.rpartition(" called ")[2]
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told, re.IGNORECASE) is not None


_POINTS = re.compile(r"\b(?:it|them|him|her)\b", re.IGNORECASE)
_BESIDES = re.compile(r"\b(?:too|also|as well|both|besides)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(  # one of the words with which one does
    r"\b(?:kidding|joking|jokes?|j/?k|lied?|sarcas\w+|teasing|prank|test|april|made|messing|pulling|playing|me|my|wrong"
    r"|ignore|disregard|scratch|strike|forget|any ?more|longer|used to|out ?dated|out of date|old news|past|over|ago)\b",
    re.IGNORECASE,
)
_OF_SOMETHING = re.compile(r"\b(?:that|it|this)(?:'s| is| was) (?!not me\b|my\b)", re.IGNORECASE)  # "it was a joke, how they paid me"
_A_JOB = ("works_at", "works_as")
_TIMELESS: dict[str, object] = {"event_time": None, "valid_from": None, "valid_to": None, "temporary": False}


def _ending(turn: Turn, because: str) -> dict[str, object]:
    """What makes an end of a candidate, because of a turn."""
    return {"excerpt": beginning(turn.user_input), "negated": True, "explicit": True, "because": because}


def end_of(turn: Turn, key: str, value: str, there: Situation, *, because: str | None) -> Candidate:
    """Return the end of what is held under a key, or of one value of it."""
    subject, _, name = key.partition(".")
    known = predicate_of(key, there.predicates)
    return Candidate(
        key=key,
        value_text=f"{there.owner.display} {worded(known.label, value)}".strip(),
        object=value,
        category=known.category,
        confidence=0.92,
        excerpt=beginning(turn.user_input),
        value_json={"subject": subject, "predicate": name, "object": value},
        negated=True,
        explicit=True,
        because=because,
    )


def _says(candidate: Candidate) -> tuple[object, ...]:
    return candidate.key, as_spelled(candidate.object), candidate.event_time, candidate.valid_from, candidate.valid_to
