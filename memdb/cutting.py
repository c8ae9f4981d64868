"""A sentence cut into its clauses: those that are meant as they stand, without what leads into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cache

from memdb.bounds import bound, suppose
from memdb.capitals import is_made_up
from memdb.clause import Clause
from memdb.elided import with_my, with_subject
from memdb.english_rules import compiled, filled_in, relation_words, rules
from memdb.leading import led
from memdb.plainly import plain_clause
from memdb.relative_clauses import by_who, last_named, of_ones_own
from memdb.states import states_in
from memdb.subjects import MINE, by_name, is_relative, subjects

_IF = re.compile(r"(?:if|unless)\b", re.IGNORECASE)
_SO = re.compile(r"\bso\b", re.IGNORECASE)
_OWN_WORDS = re.compile(r"\bi\b(?! (?:should|ought|must|need|ha(?:ve|d) to)\b)", re.IGNORECASE)  # "Ben said I am tired, so I …" is all his
_OWN_SAYING = re.compile(r"(?:(?:earlier|before|yesterday),? )?(?:i|we) (?:said|told you|mentioned|wrote|thought)\b", re.IGNORECASE)
_OBJECTING = re.compile(r"\b(?:but|however|actually)\b", re.IGNORECASE)
_ASKS = re.compile(  # what is wanted of who listens, and of no words: "what should I eat | I'm vegan"
    r"(?:what|which|how|where|who|can|could|would|will|should|do|is|are)\b(?! if\b)"
    r"(?!.*\b(?:if|say|says|said|mean|means|translat\w+|writ\w+|call|called|spell|sentence|phrase|words?|lyrics|quote|wonder|think"
    r"|know (?!any|some|an? )|tell|told|ask|asked|story|poem|joke|character|song|line|title|imagine|suppose|pretend|right|correct|wrong"
    r"|sounds?|reads?|grammar)\b)",
    re.IGNORECASE,
)
_ASSERTS = re.compile(
    r"(?:i|we) (?:am|are|have|do not|can not|live|work|hate|love|like|prefer|drive|use|play|own|take|speak|teach|study)\b(?! (?:to|you)\b)",
    re.IGNORECASE,
)
_I_OR_WE = re.compile(r"(?:i|we)\b", re.IGNORECASE)
_TASTE = re.compile(r"(?:love|like)(?= [a-z-]+(?<!ing)$)", re.IGNORECASE)
_TASTE_OF_THE = re.compile(r"\b(?:love|like) (?:the|your|his|her|their|this|that) [\w-]+$", re.IGNORECASE)
_TELLS = re.compile(
    r"(?:just |always |also |still |now )?(?:says?|said|thinks?|tells?|told|asks?|asked|believes?|insists?|claims?|wrote|jokes?"
    r"|reckons?|swears|keeps? (?:on )?(?:saying|telling|asking))\b",
    re.IGNORECASE,
)
_ANOTHER_DOES = re.compile(
    r"(?:is|has|does|(?:liv|work|lov|lik|hat|dislik|enjoy|prefer|stud(?=i)|speak|own|driv|tak|play)i?e?s)\b", re.IGNORECASE
)
_BEING = re.compile(r"(?:am|is|are) (?!not\b|never\b|no longer\b|neither\b)", re.IGNORECASE)
_LISTS = re.compile(r"(?:,\s*|\s+)(?:or|and)\s+", re.IGNORECASE)
_HAS = {"am": "have", "are": "have", "is": "has"}


@cache
def separator() -> re.Pattern[str]:
    """Return what stands between two clauses of a sentence; "Doctor Who" is one name."""
    words = {name: filled_in(entry).replace(" ", r"\ ") for name, entry in rules().clauses.items()}  # a verbose pattern skips bare blanks
    return re.compile(
        rf"""\s*(?:[;()\[\]—–]|:(?!\d)|(?<!\d):)+\s*|\s+-+\s+
        |(?:\s*,\s*(?:(?:and|but|so|then|or|plus|yet)\s+)?(?!likes?\b)|\s+(?:and(?:\s+then)?|but|so|then|or|plus)\s+)(?=(?:{words["starters"]}|{words["verbs"]})\b)
        |\s*,?\s+{words["always"]}\s+
        |(?-i:(?<!Doctor))\s*,?\s+(?={words["kept"]}\s)|\s*,?\s+and\s+(?={words["another"]})|,\s+(?={words["listed"]})
        |,\s+(?:(?:and|so|then)\s+)?(?={words["requests"]})|,\s+(?={words["instead"]})""",
        re.IGNORECASE | re.VERBOSE,
    )  # fmt: skip


@cache
def _verbs() -> re.Pattern[str]:
    """The verbs with which a sentence may go on without saying again of whom."""
    return compiled(rf"{rules().clauses['verbs']}\b")


def stated_in(
    sentence: str, excerpt: str, *, question: bool, at: datetime, zone: tzinfo, people: Mapping[str, str], elided: bool
) -> list[Clause]:
    """The clauses of a sentence that are meant as they stand, without what leads into them.

    Where "I" and "my" may be `elided`, it may begin with "Moved to Leeds"; `people` are those who are known by name.
    """
    read, carried, last = _Read(sentence, people, question=question, elided=elided), Clause(excerpt, ""), ""
    for mark, part in _narrowed(_parts(sentence)):
        clause = read.resumed(led(replace(carried, text=part.strip(" ,")), at=at, zone=zone), mark)
        earlier, last = last, plain_clause(clause.text)
        if not clause.text:
            carried = clause  # "Yes, …", "For this week, …"
            continue
        carried = Clause(excerpt, "")
        clause = read.in_full(clause if last == clause.text else replace(clause, text=last))
        if read.is_tag(clause):
            return []
        read.take(clause, mark, earlier)
    stated = read.stated
    if carried.hedged and stated:  # "…, I think": nothing follows that it leads into
        stated[-1] = replace(stated[-1], hedged=True)
    return [one for clause in stated for one in _states(clause)] if read.asked or not question else []


@dataclass(slots=True)
class _Read:
    """A sentence as far as it is read: what it has `stated`, and what the next clause may go on with.

    `blocked`: what it says now is asked, supposed or somebody else's; `recited`: the assistant's own words; `reported`: the clause that
    just told of another's; `wanted`: it began with what is wanted of who listens. `subject` is who a verb goes on with, `having` the same
    with the verb of having, and `told_of` whom "who" meant.
    """

    sentence: str
    people: Mapping[str, str]
    question: bool
    elided: bool
    stated: list[Clause] = field(default_factory=list)
    asked: bool = False
    blocked: bool = False
    recited: bool = False
    reported: str = ""
    wanted: bool = False
    subject: str = ""
    having: str = ""
    told_of: str = ""

    def resumed(self, clause: Clause, mark: str) -> Clause:
        """A clause after `mark`, with which somebody may speak for themselves again."""
        if self.reported and _SO.search(mark) and MINE.match(clause.text) and not _OWN_WORDS.search(self.reported):
            self.blocked = False  # "the doctor says my iron is low | so I'm eating fish again"
        if self.reported and _OBJECTING.search(mark) and MINE.match(clause.text) and _OWN_SAYING.match(self.reported):
            self.blocked = False  # "I said Leeds earlier | but we've moved to York"
            clause = replace(clause, explicit=True)
        self.reported = ""
        if self.wanted and mark.strip() == "," and _ASSERTS.match(clause.text):
            self.blocked = self.wanted = False
        if self.recited and _OBJECTING.search(mark) and MINE.match(clause.text):
            self.blocked = self.recited = False  # "you said I live in Leeds | but I live in Hull"
            return replace(clause, explicit=True)
        return clause

    def in_full(self, clause: Clause) -> Clause:
        """A clause with the "I" or "my" that it leaves out; only the first one leaves out what the sentence may."""
        whose = clause
        if not self.question:
            whose = with_subject(clause) if self.elided else clause
            whose = with_my(clause, self.stated) if whose is clause else whose
        if whose is not clause:
            clause = replace(whose, text=plain_clause(whose.text))
        self.elided = False
        return clause

    def is_tag(self, clause: Clause) -> bool:
        """Whether a clause only asks whether what was said is so: "I live in Porto | don't I?"."""
        tag = rules().block["tag"]
        return self.question and not self.blocked and bool(self.stated) and compiled(tag).fullmatch(clause.text) is not None

    def take(self, clause: Clause, mark: str, earlier: str) -> None:
        """Add what a clause states; `mark` stands between it and the one before, `earlier`."""
        relative = self._is_relative(clause.text, earlier)
        self._weigh(clause, relative=relative)
        if (self.blocked and not relative) or " " not in clause.text or compiled(rules().block["clause"]).match(clause.text):
            self.subject = ""
        elif relative:
            if (whom := last_named(earlier)) is not None:
                self.told_of = whom if whom != "who" else ""
                if whom == earlier:  # "my aunt, who …, lives", but "I live with my aunt, who …, and work"
                    self.subject = whom
                self.stated += by_who(clause, whom, goes_on=self.subject == whom)
        elif (whole := self._gone_on(clause, mark, earlier)) is not None:
            whole = _of_both(whole, self.stated, earlier, mark, self.people)
            found, named = subjects().match(whole.text), by_name(whole.text, self.people)
            self.subject = named[0] if named else _who_goes_on(found) if found else ""
            self.having = _having(self.subject, found.group("rest") or "") if found and self.subject else ""
            self.stated.append(whole)

    def _is_relative(self, text: str, earlier: str) -> bool:
        """Whether a clause begins with "who" and tells of somebody."""
        if text[:4].lower() != "who ":
            return False
        return (bool(self.stated) and not self.question) or (of_ones_own().search(earlier) is not None and not is_made_up(self.sentence))

    def _weigh(self, clause: Clause, *, relative: bool) -> None:
        """Note whether a clause asks, supposes or tells another's words, and what it says of what was stated last."""
        block, text = rules().block, clause.text
        asks = self.question and compiled(block["asked"]).match(text) is not None  # "I'm vegan | any recipes?"
        if self.stated and compiled(block["only_words"]).match(text):
            self.stated.clear()  # "I live in Porto | that's what my profile claims"
        elif not relative and (asks or compiled(block["rest"]).match(text)):
            if self.stated and _IF.match(text):
                suppose(self.stated)
            self.asked = self.blocked = True
            self.wanted = not self.question and not self.stated and _ASKS.match(text) is not None
        elif self.stated and bound(self.stated, clause):
            pass
        elif compiled(block["reported"]).match(text):
            self.blocked, self.recited, self.reported = True, compiled(block["recited"]).match(text) is not None, text
            if (teller := _teller(text)) and not self.question:
                self.stated.append(replace(clause, text=teller))

    def _gone_on(self, clause: Clause, mark: str, earlier: str) -> Clause | None:
        """A clause with whom it goes on to tell of; None where it states nothing more of them."""
        by_oneself = self.subject.lower() in ("i", "we")
        if by_oneself and _ANOTHER_DOES.match(clause.text):
            self.subject = ""
            if self.told_of:  # "I have a cousin who is a vet | and lives in Bath"
                self.stated.append(replace(clause, text=f"{self.told_of} {clause.text}"))
            return None  # "I wanted to ask about my mother she's 81 | and lives in Porto"
        if self.subject and _verbs().match(clause.text):
            if _is_of_the_same(clause.text, earlier):
                return None
            if mark.strip() == "," and not by_oneself and _ends_with_somebody().search(earlier):
                self.subject = ""
                return None  # "Lea has a new boyfriend, Pieter | works at the port"
            been = by_oneself and clause.text[:5].lower() == "been "  # "I left school at 16 | been at Asda ever since"
            return replace(clause, text=plain_clause(f"{self.subject} {'have ' if been else ''}{clause.text}"))
        if self.having and compiled(rules().clauses["another"]).match(clause.text):
            return replace(clause, text=f"{self.having} {clause.text}")  # "I have a dog called Rex | and a cat called Luna"
        return clause


def _parts(sentence: str) -> Iterator[tuple[str, str]]:
    """The parts of a sentence, each with what stands between it and the one before it."""
    end, mark = 0, ""
    for found in separator().finditer(sentence):
        yield mark, sentence[end : found.start()]
        end, mark = found.end(), found.group()
    yield mark, sentence[end:]


def _narrowed(parts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The parts of a sentence, and with what one likes or avoids what narrows it down: "I avoid bars | where it is loud"."""
    words = rules().phrase
    held = ("", "")
    for mark, part in parts:
        found = compiled(words["narrowable"]).search(held[1]) if not mark.strip() else None
        ways = ("narrows_things", "narrows_people", "narrows_times")[: 0 if found is None else 1 if found["mild"] else 3]
        listed = compiled(words["goes_on_listing"]).search(f"{held[1]}{mark}{part}") if _LISTS.fullmatch(mark) else None
        if listed or any(compiled(words[way]).match(part) for way in ways):
            held = (held[0], f"{held[1]}{mark if listed else ' '}{part}")
            continue
        if held[1]:
            yield held
        held = (mark, part)
    yield held


def _teller(text: str) -> str:
    """Whose words are told, if it is a relative: who that is may be said in passing ("my wife Aoife says hi"); "" for anybody else."""
    found = subjects().match(text)
    tells = found is not None and found["rel"] and not found["of"] and _TELLS.match(found["rest"] or "")
    return found["whole"].strip(" ,") if found is not None and tells else ""


def _states(clause: Clause) -> list[Clause]:
    """A clause for each thing that somebody is, or the clause itself if it is one: "I'm 34, divorced, two kids"."""
    found = subjects().match(clause.text)
    being = _BEING.match(found.group("rest") or "") if found and not found.group("of") else None
    if found is None or being is None:
        return [clause]
    who, begins = clause.text[: found.start("rest")], found.start("rest") + being.end()
    verb = clause.text[len(who) : begins], f"{_HAS[being.group().strip().lower()]} "
    return [replace(clause, text=f"{who}{verb[had]}{what}") for what, had in states_in(clause.text[begins:])] or [clause]


def _is_of_the_same(text: str, earlier: str) -> bool:
    """Whether a verb goes on with what one likes or wishes, and says nothing that is so."""
    verb = _TASTE.match(text)
    if verb and _TASTE_OF_THE.search(earlier) and verb.group().lower() in earlier.lower().split():
        return True  # "I like the friendship | and hope part"
    phrase = rules().phrase  # "I want to sell the car | and live in Spain"
    return compiled(phrase["to_do_too"]).match(text) is not None and compiled(phrase["to_do"]).search(earlier) is not None


def _of_both(clause: Clause, stated: list[Clause], earlier: str, mark: str, people: Mapping[str, str]) -> Clause:
    """A clause with the one before it, which only names somebody who does it, too; that one is stated no more then."""
    if stated and stated[-1].text == earlier and _I_OR_WE.match(clause.text) and is_relative(earlier):
        clause = replace(stated.pop(), text=f"{earlier} and {clause.text}", full=clause.full)  # "my wife Ana | and I separated"
    if earlier in people and mark.strip().lower() == "and" and compiled(rules().phrase["parting"]).match(clause.text):
        clause = replace(clause, text=f"{earlier} and {clause.text}")  # "Lea | and I split up"
    return clause


def _who_goes_on(found: re.Match[str]) -> str:
    """Whom what follows is said of: "my sister" after "my sister's a nurse | and lives in Bath", nobody after "my sister's boss is one"."""
    if not found["of"]:
        return found["whole"]
    return found["whole"].removesuffix(found["of"]) if compiled(rules().phrase["name_is"]).match(found["rest"] or "") else ""


def _having(subject: str, rest: str) -> str:
    """Who has something, and the verb, which "and a cat" may follow; "" where the rest of a clause tells of nothing that is had."""
    verb = compiled(r"(?:(?:have|has) got|have|has|got|adopted|owns?)(?= (?:an?|{number}) )").match(rest)
    return f"{subject} {verb.group()}" if verb else ""


@cache
def _ends_with_somebody() -> re.Pattern[str]:
    """A clause that ends with whom somebody has, of whom what follows may be said."""
    return re.compile(
        rf"\b(?:has|has got|got|met|married)(?i: (?:an?|the|his|her)(?: [\w-]+){{0,2}}? (?:{relation_words()}))(?: btw)?"
        r"(?:,? (?:called |named )?[A-Z][\w'-]+)?$"
    )
