"""What a clause claims: the patterns of the rules matched with it, and the facts that they make of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from operator import itemgetter

from pydantic import JsonValue

from memdb.called import PROVIDED, attribute_of, called
from memdb.capitals import is_a_name, is_a_place, is_known_for_a_name
from memdb.clause import Clause
from memdb.english_rules import Finds, Pattern, compiled, finder, needs, rules
from memdb.fitting import Needs, by_fragments
from memdb.keys import canonical_key, is_same, normalise, predicate_of, slug, telling
from memdb.objects import Writing, objects
from memdb.records import Candidate, Predicate, Turn, is_oneself, source_of
from memdb.sentences import CONTRACTED, expand
from memdb.validity import BECAME, WILL_BE, Validity, ended_once, validity
from memdb.wording import worded

Held = Callable[[list[str]], Iterable[tuple[str, str]]]
"""Reads what is believed under keys, or waits: each object with its key, the newest first."""

HeldOf = Callable[[str], Iterable[tuple[str, str]]]
"""Reads all that is believed of a subject, or waits: each object with its key, the newest first."""

LOWER_CASE = 0.1
"""What a name without a capital takes from the confidence."""

GUESSED = 0.1
"""And who "she" is, where more than one may be meant, or "I", that was left out."""

_UNSURE = 0.3  # and "I think"
_SIMILAR = 0.6  # names that are alike to this share may be spellings of one
_A_FEW_DAYS = timedelta(days=3)
_A_LONG_TIME = timedelta(days=300)
_WORD = re.compile(r"\w+")
_NOT = re.compile(
    r"(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bis)(?<!\bare)(?<!\bcan)(?<!\bhave)(?<!\bhas)(?<!\bwill),?\s+(?:and\s+)?not\s+"
    r"(?:in\s+|at\s+|as\s+|an?\s+)?(?P<not>\S.*)$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\s+instead of\s+(?P<not>\S.*)$", re.IGNORECASE)  # of what one takes or where one works; one may like both
_NOW_INSTEAD = re.compile(r"\binstead$", re.IGNORECASE)
_HAS_A_NEW = re.compile(r"(?:have|has|have got|has got|got) (?:an? )?new ", re.IGNORECASE)  # boss, not the one before
_WE = re.compile(r"we\b(?!.* both )", re.IGNORECASE)
_I = re.compile(r"i\b", re.IGNORECASE)
_FOR_A_WHILE = re.compile(
    r"\bfor (?:an?|one|two|three|four|five|six|\d+|a few|a couple of|the|this) (?:bit|while|days?|weeks?|months?|summer|winter)(?!['\w])",
    re.IGNORECASE,
)
_PLANNED = ((re.compile(r"^move\b", re.IGNORECASE), "moving"), (re.compile(r"^wedding\b", re.IGNORECASE), "getting married"))
"""An event, as who plans on it says: "the move" is that on which they plan moving to Rome."""
_TASTES = frozenset(("likes", "dislikes"))
_SHUNNED = frozenset(("dislikes", "avoids"))
_NARROWS = re.compile(r" (?:who|whose|where) ")  # "I hate people who whistle": not all of them
_ABOUT_NAMES = re.compile(r"\b(?:name|called?|spel[lt]|spelled)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a fact is about: the subject of its key, the same for a reader, and whether they are several."""

    slug: str
    display: str
    several: bool = False


@dataclass(frozen=True, slots=True)
class Circumstances(Writing):
    """What the meaning of a sentence depends on."""

    owner: Person
    text: str
    predicates: Mapping[str, Predicate]
    first: dict[str, str]  # who was named first of a relation: of two sisters, the other is spoken of under her own name
    held: Held | None = None


def owner_of(turn: Turn) -> Person | None:
    """Return the one who speaks in a turn, whose facts are kept; None where that is an assistant, or nobody who has a name."""
    speaker = (turn.speaker or "user").strip()
    if source_of(speaker) != "user_message":
        return None
    if is_oneself(speaker, turn.user_id):
        return Person("user", "User")
    return Person(slug(speaker), speaker) if slug(speaker) else None


def facts_in(clause: Clause, here: Circumstances) -> Iterator[Candidate]:
    """Find the facts that one clause claims: all that the patterns for anywhere find, and what the first of the others finds."""
    first: Pattern | None = None
    for pattern, text in _that_fit(clause):
        if pattern.scope == "any" or first in (None, pattern):
            facts = list(read_pattern(pattern, clause, text, here))
            yield from facts
            if facts and pattern.scope != "any":
                first = pattern


def who_stays(clause: Clause, here: Circumstances) -> str:
    """The slug of who says in a clause that they stay in the job that they have; "" where it says nothing of the kind."""
    stays = not clause.times and compiled(rules().phrase["stays"]).match(clause.text) is not None
    who = about_whom(clause, here) if stays else None
    return who.slug if who else ""


def _that_fit(clause: Clause) -> Iterator[tuple[Pattern, str]]:
    """The patterns that match a clause, each with the text of it that it matches, in the order of the rules."""
    whole, fits = _whole(clause), list[tuple[int, Pattern, str]]()
    for first, that_may_match in _ways(owned=clause.owned, subject=bool(clause.subject)):
        for text in whole if first.scope in ("any", "clause") else texts_of(first, clause):
            fits += ((place, pattern, text) for place, pattern, finds in that_may_match(text) if finds(text))
    fits.sort(key=itemgetter(0))
    return ((pattern, text) for _, pattern, text in fits)


_Placed = tuple[int, Pattern, Finds]
_Way = tuple[Pattern, Callable[[str], list[_Placed]]]
"""The first of some patterns that are matched with the same texts of a clause, and which of all of them, each with its place and what looks
for it, may match a text."""


@cache
def _ways(*, owned: bool, subject: bool) -> tuple[_Way, ...]:
    """The patterns that may be matched with a clause, by whether it begins with what is owned, and whether it says who it is about."""
    scopes = {"any", "clause"} | ({"my"} if owned else {"subject"} if subject else set())
    alike: dict[tuple[object, ...], list[tuple[int, Pattern]]] = {}
    for place, pattern in enumerate(rules().pattern):
        if pattern.scope in scopes:
            way = (pattern.scope, pattern.others, pattern.raw, pattern.time == "state")
            alike.setdefault(way, []).append((place, pattern))
    return tuple((way[0][1], by_fragments(way, needing=_needs, made_ready=_with_finder)) for way in alike.values())


def _needs(placed: tuple[int, Pattern]) -> Needs:
    return needs(placed[1].match)


def _with_finder(placed: tuple[int, Pattern]) -> _Placed:
    place, pattern = placed
    return place, pattern, finder(pattern)


def _whole(clause: Clause) -> list[str]:
    """A whole clause, and once more with "my brother" in place of "he" or his name, where that is who is spoken of."""
    if clause.subject in ("", "i", *rules().groups["pets"]) or clause.owned or clause.text[:3].lower() in ("my ", "our"):
        return [clause.text]
    return [clause.text, f"my {clause.subject.replace('_', '-')} {clause.full}"]


def texts_of(pattern: Pattern, clause: Clause) -> list[str]:
    """Return what of the words after its subject a pattern is matched with."""
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


def read_pattern(pattern: Pattern, clause: Clause, text: str, here: Circumstances) -> Iterator[Candidate]:
    """Find the facts that a clause claims by one pattern, matched with a text of it; none where it does not fit, or is not meant so."""
    match = finder(pattern)(text)
    if match is None or not _fits(pattern, clause, text, match.group(), here):
        return
    mode, true = _mode(pattern, clause), ended_once(clause, here.at) if clause.former else validity(pattern, clause, here.at, here.zone)
    if pattern.surely and clause.guessed:
        return
    if mode == "no" or true is None or _is_no_fact(pattern, clause, true, here):
        return
    groups = match.groupdict()
    rest = text[match.start("o") :] if groups.get("o") is not None else ""
    refuted = _NOT.search(rest) or (_INSTEAD.search(rest) if pattern.time == "state" else None)
    if refuted and groups.get("o"):
        groups["o"] = _NOT.sub("", groups["o"])
    if pattern.similar and not _alike(groups, here):
        return
    spelled = pattern.similar and _ABOUT_NAMES.search(here.text) is None
    confidence = min(pattern.confidence, 0.75) if spelled else pattern.confidence
    key = _key(pattern, groups, clause)
    # what a relative is called belongs to the one who has the relative
    relative = key != pattern.key and pattern.key in ("name", "nickname")
    if relative and (clause.guessed or called().relations[clause.subject] in rules().groups["several"]):
        return  # "my girlfriend has a cat. She's called Luna"; and several have no one name
    about = about_whom(clause, here) if pattern.scope in ("subject", "my") and not relative else here.owner
    if about is None:
        return
    if mode not in ("says", "ends", "denies"):
        key, mode = mode, "says"
    values = objects(groups.get("o"), "shunned" if pattern.kind == "taste" and key in _SHUNNED else pattern.kind, pattern, here)
    if key in _TASTES and _NARROWS.search(clause.excerpt):
        values = [one for one in values if not (one.islower() and re.search(rf"\b{re.escape(one)}{_NARROWS.pattern}", clause.excerpt))]
    if pattern.unless and compiled(pattern.unless).search(here.text):
        values = [one for one in values if is_a_place(one)]  # "I'm in Berlin, can you crop this?", but "I'm in Figma, how do I crop?"
    if pattern.kind == "org" and rest and text[: -len(rest)].endswith("with "):  # "I've been with Beatriz for six years"
        values = [one for one in values if not is_a_name(one.lower()) or is_known_for_a_name(one.lower(), "works_at")]
    if pattern.bygone and _is_known_better(canonical_key(about.slug, key), values, about, here):
        return
    if pattern.object == "" or ("{o}" in pattern.object and groups.get("o") is None and mode == "ends"):
        values = [""] if mode == "ends" else []
    if pattern.bygone and about == here.owner:  # what one is oneself, one has told, or will
        pattern, clause, mode = pattern.model_copy(update={"object": "{o}"}), replace(clause, former=True), "ends"
        true = ended_once(clause, here.at)
    if pattern.time == "moved" and len(values) == 1:
        values = [_planned(values[0], canonical_key(about.slug, key), here)]
    explicit = refuted is not None or _is_explicit(pattern, clause, text, true, here)
    made = _Made(pattern, clause, confidence, explicit, true, here)
    everybody = [about]
    if pattern.couple and mode == "ends" and about == here.owner and not _I.match(clause.text):
        everybody += [of_owner(relation, here) for relation in ("wife", "partner")]
    for one, value in product(everybody, values):
        filled = pattern.object.format(**{**_spoken(groups), "o": value}) if value else pattern.object.replace("{o}", "")
        filled = pattern.names.get(filled.lower(), filled) if "{o}" not in pattern.object else filled
        yield made.candidate(one, key, filled, mode=mode)
    if not values:
        return
    yield from made.besides(about, groups, mode=mode)
    if refuted and mode == "says":
        for wrong in objects(refuted.group("not"), pattern.kind, pattern, here):
            yield made.candidate(about, key, wrong, mode="ends")
    if mode == "says" and len(values) == 1 and (pattern.replaces or (key in rules().instead.alone and _NOW_INSTEAD.search(clause.text))):
        for given_up in _only_one(canonical_key(about.slug, key), values[0], here):
            yield made.candidate(about, key, given_up, mode="ends")


def _is_known_better(key: str, values: list[str], about: Person, here: Circumstances) -> bool:
    """Whether what somebody was once is no news: of others, where it is known what they are; of oneself, where one is known to be that."""
    known = {normalise(value) for _, value in here.held([key])} if here.held is not None else set()
    return bool(known) and (about != here.owner or not known.isdisjoint(map(normalise, values)))


def _fits(pattern: Pattern, clause: Clause, text: str, matched: str, here: Circumstances) -> bool:
    """Whether what else a pattern asks for is so: of what it matched in a text, of the clause, and of the turn."""
    if pattern.needs and not compiled(pattern.needs).match(text) and not compiled(pattern.needs).search(matched):
        return False
    if pattern.alone and not _is_alone(clause, here):
        return False
    if pattern.single and compiled(rules().phrase["beside"]).search(clause.text):
        return False
    return not _is_partly(pattern, clause)


def _is_no_fact(pattern: Pattern, clause: Clause, true: Validity, here: Circumstances) -> bool:
    """Whether what a clause says is none, for how long it is so, for when that is, or for whom it is said of."""
    if pattern.negated and _FOR_A_WHILE.search(clause.text):
        return True  # "I stopped playing tennis for a week"
    if pattern.key in ("name", "age") and _WE.match(clause.text):
        return True  # "We're called Udon Hiro", "we're 4"
    if _is_not_yet(pattern, clause, true):
        return True
    lasts = true.ends - (true.begins or here.at) if true.ends else None
    if clause.coming and lasts is not None and lasts < _A_LONG_TIME:
        return True  # "I won't be working next week"
    if pattern.key.startswith(("works_", "nationality", "upbringing")) and called().relations.get(clause.subject) in rules().groups["pets"]:
        return True  # a cat is no doctor, and a Persian one no Persian
    if pattern.key in (*rules().over.pets, *rules().groups["pets"]) and compiled(rules().phrase["as_a_child"]).search(clause.excerpt):
        return " still " not in clause.excerpt  # "we got a dog when I was ten", which few have for so long
    # a part that is played, or a turn at something
    return pattern.key == "works_as" and true.temporary and lasts is not None and lasts < _A_FEW_DAYS


def _is_explicit(pattern: Pattern, clause: Clause, text: str, true: Validity, here: Circumstances) -> bool:
    """Whether a clause says that something has changed, and not only what is so."""
    if pattern.explicit or clause.explicit or clause.ended or clause.coming or (pattern.scope == "my" and text[:4].casefold() == "new "):
        return True
    if true.begins is not None and true.begins > here.at and not true.temporary:  # "from June on"
        return True
    return any(way.match(clause.full) for way in (BECAME, _HAS_A_NEW)) or compiled(rules().phrase["changed"]).search(text) is not None


def _planned(said: str, key: str, here: Circumstances) -> str:
    """What is moved, as it is known: "the appointment", of who has a dentist appointment and no other."""
    ways = [telling(said), *(telling(event.sub(doing, said)) for event, doing in _PLANNED if event.match(said))]
    held = list(here.held([key])) if here.held is not None else []
    known = [value for _, value in held if any(words <= telling(value) for words in ways)]
    return known[0] if len(known) == 1 else said


def _only_one(key: str, value: str, here: Circumstances) -> list[str]:
    """The only other value that is believed under a key, if there is one of the same sort: "I'm learning Dutch instead"."""
    known = {normalise(other): other for _, other in here.held([key])} if here.held is not None else {}
    return [other for name, other in known.items() if len(known) == 1 and name != normalise(value) and are_alike(other, value)]


def are_alike(value: str, other: str) -> bool:
    """Whether two values are of one sort: a medicine, a language, …, or both names, or neither."""
    named = value[:1].isupper() and compiled("{language}").fullmatch(value) is None  # a Golf is no sport
    for sort in map(compiled, rules().instead.sorts):
        if not named and sort.fullmatch(value):
            return sort.fullmatch(other) is not None
    known = named and is_known_for_a_name(other.lower(), "works_at")  # "giffgaff" has no capital
    return known or any(map(str.isupper, value)) == any(map(str.isupper, other))


def _is_not_yet(pattern: Pattern, clause: Clause, true: Validity) -> bool:
    """Whether what will be has no day that is told: "I'll be teaching coding"."""
    if pattern.time != "state" or pattern.scope != "subject" or clause.coming or true.begins is not None:
        return False
    return WILL_BE.match(clause.phrase) is not None and compiled(rules().phrase["from_now"]).search(clause.excerpt) is None


def _is_alone(clause: Clause, here: Circumstances) -> bool:
    """Whether the turn says nothing beside this clause but what is polite, or why one asks it."""
    text = compiled(rules().phrase["own_reasons"]).sub("", CONTRACTED.sub(expand, here.text).lower())
    said = Counter(_WORD.findall(text))
    besides = said - Counter(_WORD.findall(clause.text.lower()))
    return all(compiled(rules().phrase["polite"]).fullmatch(word) for word in besides)


def _mode(pattern: Pattern, clause: Clause) -> str:
    """Whether a clause says a thing, says that it "ends", "denies" it, says another predicate, or "no": nothing."""
    if pattern.negated:
        return "no" if clause.negative or clause.former else "ends"
    if clause.former:
        return "no" if pattern.negative in ("states", "says") else "ends"
    if not clause.negative or pattern.negative == "says":
        return "no" if pattern.negative in ("states", "cancels") else "says"
    if clause.coming:
        return "ends" if pattern.negative in ("ends", "cancels", "deny") else "no"
    if clause.ended and pattern.negative == "dislikes":
        return "ends"  # who likes a thing no more need not dislike it
    ways = {"skip": "no", "ends": "ends", "cancels": "ends", "states": "says", "deny": "ends" if clause.ended else "denies"}
    return ways.get(pattern.negative, pattern.negative)


def _is_partly(pattern: Pattern, clause: Clause) -> bool:
    """Whether a thing is not denied but only when, or how much: "I don't speak German very well", "I don't play tennis on Sundays"."""
    if not clause.negative or clause.former or pattern.negative == "says":
        return False
    ways = {"dislikes": ("only_then",), "states": ("only_then", "rarely")}.get(pattern.negative, ("only_then", "rarely", "partly"))
    found = (compiled(rules().phrase[way]).search(clause.text) for way in ways)
    narrowed = compiled(rules().phrase["narrowed"]).search(clause.text) if pattern.kind == "taste" else None
    return any(one is not None and (narrowed is None or one.start() < narrowed.start()) for one in found)


def _named(groups: Mapping[str, str | None]) -> dict[str, str]:
    """The groups of a match as they are written into keys and objects."""
    found = {name: (value or "").lower() for name, value in groups.items()}
    for name in ("rel", "pet"):
        relation = called().relations.get(found.get(name, ""))
        if relation and relation not in rules().groups["several"]:  # "kids" are spoken of as such
            found[name] = relation
    if "attr" in found:
        found["attr"] = attribute_of().get(found["attr"], found["attr"])
    for kind in PROVIDED:
        if kind in found:
            found[kind] = called().attributes[kind].get(found[kind], found[kind])
    if "what" in found:
        found["what"] = " ".join(rules().spelling.get(word, word) for word in [rules().spelling.get(found["what"], found["what"])])
    return found


def _spoken(groups: Mapping[str, str | None]) -> dict[str, str]:
    """The groups of a match as they are written into objects: of a relative as one is spoken of, not as a key has it."""
    return {name: value.replace("_", "-") if name == "rel" else value for name, value in _named(groups).items()}


def _key(pattern: Pattern, groups: Mapping[str, str | None], clause: Clause) -> str:
    key = pattern.key.format(**_named(groups))
    if key in ("name", "nickname") and clause.subject not in ("", "i") and pattern.scope != "clause":
        return called().relations[clause.subject]
    if key == "works_at" and called().relations.get(clause.subject) in rules().groups["young"]:
        at_school = compiled(rules().phrase["school"]).match(groups.get("o") or "")
        return "studies_at" if at_school else key  # "my son started at Oakwood Academy"
    return key


def about_whom(clause: Clause, here: Circumstances) -> Person | None:
    """Return the person that a clause speaks of, or None if it is not clear who."""
    if clause.subject in ("", "i"):
        return here.owner
    relation = called().relations[clause.subject]
    if relation in rules().groups["by_name"]:
        return Person(slug(clause.name), clause.name) if clause.name else None
    first = here.first.get(relation, clause.name)
    several = predicate_of(canonical_key(here.owner.slug, relation), here.predicates).cardinality == "many"
    if several and clause.name and not is_same(clause.name.split()[0], first.split()[0]):
        return Person(slug(clause.name), clause.name)
    return of_owner(relation, here)


def of_owner(relation: str, here: Circumstances) -> Person:
    """Return a relative of the one who speaks, as their facts are kept."""
    prefix = "" if here.owner.slug == "user" else f"{here.owner.slug}_"
    return Person(prefix + relation, f"{here.owner.display}'s {relation.replace('_', '-')}", relation in rules().groups["several"])


def _alike(groups: Mapping[str, str | None], here: Circumstances) -> bool:
    right, wrong = groups.get("o") or "", groups.get("not") or ""
    return SequenceMatcher(None, right.casefold(), wrong.casefold()).ratio() >= _SIMILAR


@dataclass(frozen=True, slots=True)
class _Made:
    """What the candidates of one clause, by one pattern, have in common."""

    pattern: Pattern
    clause: Clause
    confidence: float
    explicit: bool
    validity: Validity
    here: Circumstances

    def candidate(self, about: Person, key: str, value: str, *, mode: str) -> Candidate:
        """Return one fact, ended or denied as `mode` says."""
        if key in rules().groups["pets"]:  # what a pet is called is part of what one has
            key, value = "pet", f"{key} called {value}"
        full_key = canonical_key(about.slug, key)
        predicate = predicate_of(full_key, self.here.predicates)
        subject, _, name = full_key.partition(".")
        parts: dict[str, JsonValue] = {"subject": subject, "predicate": name, "object": value}
        if mode == "denies":
            parts["polarity"] = "negative"
        confidence = self.confidence
        if self.clause.hedged:
            confidence = min(confidence - _UNSURE, 0.65)
        # an end finds what it is about by its name, and what is known for a name needs no capital
        small = value.istitle() and value not in self.here.text and f"called {value.lower()}" not in self.here.text
        if mode != "ends" and small and not is_known_for_a_name(value.lower(), predicate.predicate):
            confidence -= LOWER_CASE
        # who says without "I" that something changed says it of themselves; nobody tells news of somebody whom they have not named
        if self.clause.guessed or (self.clause.elided and not self.explicit):
            confidence -= GUESSED
        named = self.clause.name if key == "life" and about.slug != slug(self.clause.name) else ""  # for no other fact keeps it
        true, began = self.validity, None
        if mode == "ends" and self.clause.former:
            began, true = true.begins, Validity(begins=true.ends)
        elif mode == "ends":  # what ends with something that is to happen lasts until that is over
            true = Validity(begins=true.begins if true.event is None else true.ends)
        # "I no longer work at Nokia", "I left Porto"
        says_what = self.clause.ended or (
            self.pattern.negated and "{o}" in self.pattern.object
        )  # "I got a job" says of nobody what they were
        left = says_what and not self.clause.coming and key == self.pattern.key
        told = worded(predicate.label, value, denied=mode == "denies", several=about.several)
        return Candidate(
            key=full_key,
            value_text=" ".join(filter(None, (about.display, named, told))),
            object=value,
            category=predicate.category,
            confidence=round(max(0.0, confidence), 2),
            excerpt=self.clause.excerpt,
            value_json=parts,
            event_time=true.event,
            valid_from=true.begins,
            valid_to=true.ends,
            began=began,
            temporary=true.temporary,
            until=true.until,
            negated=mode == "ends",
            former=mode == "ends"
            and predicate.predicate in (rules().over.once if self.clause.former else rules().over.left if left else ()),
            coming=(self.pattern.goes_on and mode != "ends")
            or (mode == "ends" and self.clause.coming and true.begins is None and predicate.category != "task_context"),
            explicit=self.explicit,
        )

    def besides(self, about: Person, groups: Mapping[str, str | None], *, mode: str) -> Iterator[Candidate]:
        """Yield what the pattern says beside its own fact: "I retired" also ends the job."""
        ends = mode == "ends" and not self.pattern.negated
        for also in self.pattern.also:
            if also.negated and (self.validity.temporary or (ends and self.pattern.negative != "cancels")):
                continue  # what is left out for a while may be liked; and who used to be unemployed has not lost a job
            if about.several and also.key == "relationship":
                continue  # who part from each other are not told of as one
            part = re.fullmatch(r"\{(\w+)\}", also.object)
            raw = groups.get(part.group(1)) if part else also.object.format(**_spoken(groups))
            also_mode = "ends" if also.negated or ends else "says"
            every = [""] if also_mode == "ends" and part is None else []  # "I used to be a chef" names no place where one works no longer
            for other in objects(raw, also.kind, self.pattern, self.here) if raw else every:
                yield self.candidate(about, also.key, other, mode=also_mode)
