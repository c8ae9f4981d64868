"""English text cut into clauses: who each is about, what it says without its trimmings, and whether it says it in earnest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from functools import cache

from memdb.capitals import presupposed, with_capitals
from memdb.clause import Clause, parsed
from memdb.cutting import stated_in
from memdb.english_rules import compiled, relation_words, rules
from memdb.introducing import introduced, of_oneself
from memdb.kinship import as_anothers, as_ones_own
from memdb.labels import is_anothers, without_label
from memdb.plainly import granted, plain_sentence
from memdb.repairs import repaired, repaired_before
from memdb.retractions import is_taken_back
from memdb.running_on import with_commas
from memdb.sentences import BLANKS, CONTRACTED, PLAIN, READ_WHOLE, expand, masked, sentences_read, without_initials
from memdb.spoken import Spoken
from memdb.subjects import somebody_else
from memdb.told_beside import (
    last_with_somebody,
    of_themselves,
    with_age,
    with_apostrophes,
    with_name,
    with_name_beside,
    with_pronouns_named,
)

_ASSISTANT = re.compile(r"^[^\w\n]*(?:assistant|ai|(?:chat)?bot|chatgpt|claude|gemini|gpt[\w.-]*+|agent)\W*:", re.IGNORECASE | re.MULTILINE)
_SPEAKER = re.compile(r"\W*(?:user|human|customer|client|me|you|q|a)\W*:", re.IGNORECASE)  # whose words are shown, where an assistant's are
_ASKED = 200  # characters, in which one asks for a letter ("Draft a letter to my landlord Mr Okafor") and does not paste one
_ASSURED = 40  # characters, in which a sentence may end with "no kidding"
_ASKED_LAST = 100  # characters, in which it may end with what is asked of it
_TOLD = 500  # characters, in which somebody is looked for who is spoken of
_HESITATES = re.compile(r"(?:(?<=\s)|^)(?:um+|uh+|erm+|uhm+)\b,? ", re.IGNORECASE)  # as one talks
_BULLET = re.compile(r"^[-*•·–]\s+(?=\w)")
_I = re.compile(r"\bI\b")
_AMPERSAND = re.compile(  # as one types "and", and no "Marks & Spencer"
    r"(?<=\w) & (?=(?:i|my|we|our|they|he|she|it|have|has|am|is|was|work|live|love|hate|like|can|do|does)\b)", re.IGNORECASE
)


def clauses(
    text: str,
    *,
    at: datetime,
    zone: tzinfo,
    people: Mapping[str, str] | None = None,
    elided: bool = False,
    after: str = "",
    perhaps: tuple[str, str] | None = None,
) -> Iterator[Clause]:
    """Cut a text into the clauses that state something: no questions, conditions, quotations, fiction or requests.

    `people` are those who are known by name, each with what they are to the user ("sister"): a clause may begin with their names. Where
    "I" and "my" may be `elided`, the text may begin with "Moved to Leeds". `after` is what was said right before: the text may begin with
    "She moved to Leeds". Where nothing was, that may be about the one who is known, `perhaps`, what they are to the user and their name,
    and is hedged then. Of what is far longer than anybody says, only the first part is read whole; see `is_read_in_part`.
    """
    known = dict(people or {})
    text = _without_joke(text)
    hidden = masked(text)
    small = _I.sub("", hidden).islower()
    if (begins := _own_part(hidden, text)) is None:
        if len(text) <= _ASKED and "\n" not in text:
            asks = next((hidden[:end] for _, end, _, _ in sentences_read(hidden, known)), hidden)  # what follows may be of what is written
            yield from _presupposed(with_capitals(asks, small=small), text, known, question=True, at=at, zone=zone)
        return
    hidden = f"{' ' * begins}{hidden[begins:]}"
    yield from _Reader(text, hidden, known, small=small, elided=elided, after=after, perhaps=perhaps, at=at, zone=zone).clauses()


class _Reader:
    """A text that is read sentence by sentence, and what was told by the sentences so far."""

    def __init__(
        self,
        text: str,
        hidden: str,
        known: dict[str, str],
        *,
        small: bool,
        elided: bool,
        after: str,
        perhaps: tuple[str, str] | None,
        at: datetime,
        zone: tzinfo,
    ) -> None:
        self._text, self._hidden, self._known, self._at, self._zone = text, hidden, known, at, zone
        self._small, self._uncased = small, _in_small_letters(known) if known and small else None
        self._bulleted = "?" not in hidden  # lines that ask and answer may be a dialogue, as it is printed
        self._printed = _ASSISTANT.search(text[:READ_WHOLE]) is not None
        self._spoken, self._doubtful = Spoken(known, perhaps), list[Clause]()  # what the next sentence may take back
        self._told = f"{CONTRACTED.sub(expand, masked(after))[-_TOLD:]}\n" if after else ""
        self._before, self._began = last_with_somebody(self._told), 0  # the sentence before, and where it began
        self._shown = 0  # up to here it was another's line
        self._words = 0
        self._elided = self._terse = elided
        self._oneself = self._mocking = False

    def clauses(self) -> Iterator[Clause]:
        """What it states."""
        for start, end, mark, follows in sentences_read(self._hidden, self._known):
            if not follows:
                yield from self._doubtful
                self._before, self._doubtful = "", []
            if start >= self._shown and (excerpt := self._text[start:end].strip()):
                yield from self._read(start, end, mark, excerpt)
        yield from self._doubtful

    def _read(self, start: int, end: int, mark: str, excerpt: str) -> Iterator[Clause]:
        """What is settled by a sentence: what it presupposes, and what was said before it and is not taken back in it."""
        sentence = as_ones_own(_as_written(self._hidden[start:end], small=self._small), self._known)
        yield from _presupposed(sentence, excerpt, self._known, question="?" in mark, at=self._at, zone=self._zone)
        sentence = _without_trimmings(sentence, self._uncased, bulleted=self._bulleted)
        if is_anothers(sentence) or (self._printed and _SPEAKER.match(sentence)):
            line = self._hidden.find("\n", start)
            self._shown = line if line >= 0 else len(self._hidden)  # the rest of the line is theirs, too
            return
        sentence, start, first = self._joined(without_label(sentence) if ":" in sentence else sentence, start)
        told, begins = self._told, self._words <= 1
        sentence = as_anothers(of_themselves(sentence, told, self._known), told)
        sentence = repaired(sentence, at=self._at, zone=self._zone, small=self._small)
        self._before, self._began = sentence if "?" not in mark else "", start
        self._told = f"{told}{sentence}{mark} "[-_TOLD:]
        self._words += len(sentence.split())
        if self._doubtful and not _takes_back(sentence):
            yield from self._doubtful
        self._doubtful = []
        if not self._is_no_statement(sentence, mark):
            sentence = self._whole(sentence, then=self._hidden[end : end + _TOLD], first=first, begins=begins)
            excerpt = self._text[start:end].strip()
            stated = stated_in(sentence, excerpt, question="?" in mark, at=self._at, zone=self._zone, people=self._known, elided=first)
            self._doubtful = self._spoken.parsed(sentence, stated, told, begins=begins, at=self._at, zone=self._zone)
            self._elided |= first and any(one.elided and one.subject == "i" for one in self._doubtful)  # "Moved to Leeds. Started at Aldi"
            self._elided |= self._terse and _tells_of_oneself(self._doubtful)  # "I quit my job. Moved to Leeds"

    def _joined(self, sentence: str, start: int) -> tuple[str, int, bool]:
        """A sentence, as one with the one before it if it takes that up; where it begins; and whether "I" may be left out at that place."""
        heard = not self._words  # what is said right before is no part of the text
        doubtful = bool(self._doubtful)
        both = _taken_up(sentence, self._before, named=doubtful or heard, mended=doubtful, at=self._at, zone=self._zone)
        if not both:
            first = self._elided and ":" not in sentence  # no title
            return with_name(sentence) or with_pronouns_named(sentence, self._told), start, first
        first = not heard and self._doubtful[0].elided
        self._doubtful = []
        return both, start if heard else self._began, first

    def _is_no_statement(self, sentence: str, mark: str) -> bool:
        """Whether a sentence says nothing in earnest of what is so, or adores what is mocked."""
        block = rules().block
        self._mocking = self._mocking or compiled(block["mocking"]).match(sentence) is not None
        return compiled(block["sentence"]).search(sentence + mark) is not None or (
            self._mocking and compiled(block["adored"]).search(sentence) is not None
        )

    def _whole(self, sentence: str, *, then: str, first: bool, begins: bool) -> str:
        """A sentence with what is left out in it: "Marcus here. 34. Bus driver in Hull"."""
        self._elided = self._elided and compiled(rules().leads["greeting"]).fullmatch(sentence) is not None
        fragment = sentence
        if first and (self._oneself or begins):
            fragment = of_oneself(sentence, then=None if self._oneself else then)
        oneself = self._oneself or fragment != sentence
        written = _said_plainly(fragment, self._known)
        whole = introduced(written)
        self._oneself = first and (oneself or not _I.match(written)) and whole.startswith("I am ")
        self._elided |= self._oneself
        return whole


def _takes_back(sentence: str) -> bool:
    """Whether a sentence says that what was said right before it is not so, or was only words."""
    block = rules().block
    return any(compiled(block[name]).match(sentence) for name in ("retracted", "only_words")) or is_taken_back(sentence, surely=True)


def _own_part(hidden: str, text: str) -> int | None:
    """Where what a writer says for themselves begins: behind a text to work on that is quoted, at a line of its own, else at once.

    None where the whole of it may be such a text, a joke or a story.
    """
    asks = compiled(rules().block["turn"])
    plain = text.translate(PLAIN)[:READ_WHOLE]
    lead = len(plain) - len(plain.lstrip())
    if (found := asks.search(plain.lstrip())) is None:
        return None if _is_worked_on(plain) else 0
    if _is_material(plain):
        return 0
    shown = _SHOWN.match(hidden, found.end() + lead) if found.group()[-1:] in ":\n" else None
    quoted = shown is not None and plain[hidden.index("¤", shown.start()) :].lstrip()[:1] in _MARKS
    if shown is None or not quoted or asks.search(plain[shown.end() :]):
        return None
    return shown.end()


def _is_material(plain: str) -> bool:
    """Whether a text asks for one of one's own to be written, and all else in it tells what that is to say: "Write a bio. I'm a nurse"."""
    block = rules().block
    asks = compiled(block["own_text"]).search(plain, 0, _ASKED)
    if asks is None or compiled(block["not_ones_own"]).search(asks.group()) is not None:
        return False
    rest = f"{plain[: asks.start()]}\n{plain[asks.end() :]}".strip()
    return all(compiled(block[name]).search(rest) is None for name in ("turn", "spoken_to"))


def _is_worked_on(plain: str) -> bool:
    """Whether a text ends with what asks to work on all of it before, and speaks of nothing else that may be worked on.

    Whoever wants to say in another language what they cannot eat, or what ails them, means it.
    """
    block = rules().block
    ends = len(plain.rstrip())  # a thousand blanks behind it would be tried one by one, and each to the end
    asks = compiled(block["worked_on"]).search(plain, max(0, ends - _ASKED_LAST), ends)
    if asks is None or compiled(block["something_written"]).search(plain, 0, asks.start()) is not None:
        return False
    return compiled(block["said_abroad"]).search(asks.group()) is None or compiled(block["in_need"]).search(plain, 0, asks.start()) is None


_MARKS = frozenset(">\"'")  # and no letter's head or who speaks
_SHOWN = re.compile(r"\s*¤(?:.*¤)?[^\S\n]*\n\s*(?=\S)", re.DOTALL)  # up to the line behind the last that is quoted


def _tells_of_oneself(said: list[Clause]) -> bool:
    """Whether what a sentence says is all said of its writer, and it speaks of nobody else."""
    return bool(said) and all(one.subject == "i" and not one.owned and somebody_else().search(one.text) is None for one in said)


def _as_written(part: str, *, small: bool) -> str:
    """A sentence in one line, its short forms written out, with the capitals that it should have."""
    sentence = CONTRACTED.sub(expand, BLANKS.sub(" ", part.strip()))  # long stretches of blanks take long to match
    sentence = without_initials(_HESITATES.sub("", sentence))
    if " & " in sentence:
        sentence = _AMPERSAND.sub(" and ", sentence)
    if sentence.isupper():  # "MY BOSS KEEPS SHOUTING" names no boss
        sentence = _after_a_relative().sub(lambda found: found["who"] + found["next"].lower(), sentence)
    return with_capitals(with_commas(sentence), small=small)


def _taken_up(sentence: str, before: str, *, named: bool, mended: bool, at: datetime, zone: tzinfo) -> str | None:
    """A sentence and the one before it as one, if it may say who was `named` there or mend it: "We got a puppy. His name is Bruno"."""
    if before and named and (both := with_name(sentence, before)):
        return both
    return repaired_before(before, sentence, at=at, zone=zone) if mended else None  # "I'm 34. Sorry, 35"


def _presupposed(sentence: str, excerpt: str, people: Mapping[str, str], *, question: bool, at: datetime, zone: tzinfo) -> Iterator[Clause]:
    """The clauses that a sentence takes for granted where it asks or bids."""
    told = [*presupposed(sentence, question=question), *granted(sentence)]
    return (parsed(Clause(excerpt, one), ("", ""), people, at=at, zone=zone) for one in told)


def _without_trimmings(sentence: str, uncased: re.Pattern[str] | None, *, bulleted: bool) -> str:
    """A sentence as one says it: names in small letters get capitals, and a bullet before it and "no kidding" behind it are taken off."""
    if uncased is not None:
        sentence = uncased.sub(lambda found: found["before"] + found["name"].title(), sentence)
    if bulleted:
        sentence = _BULLET.sub("", sentence)
    sentence = with_apostrophes(sentence)
    if " suggest" in sentence or " recommend" in sentence:
        sentence = compiled(rules().phrase["for_suggestions"]).sub("", sentence)
    if ":" in sentence:
        sentence = compiled(rules().phrase["announces"]).sub("", sentence)
        sentence = compiled(rules().phrase["listed"]).sub(r"\g<says> ", sentence)
    assured = compiled(rules().phrase["assured"]).search(sentence, max(0, len(sentence) - _ASSURED))
    return sentence[: assured.start()] if assured else sentence


def _in_small_letters(people: Mapping[str, str]) -> re.Pattern[str] | None:
    """The names of people, as who types no capitals begins a clause with them; None where all of them are words as well."""
    word = compiled(rules().phrase["name_or_word"])
    names = "|".join(re.escape(name.lower()) for name in people if not word.fullmatch(name.split()[0]))
    return re.compile(rf"(?P<before>^|[,;] |\b(?:and|but|so|lol|oh|hey|btw|well) )(?P<name>{names})(?= |'s )") if names else None


@cache
def _after_a_relative() -> re.Pattern[str]:
    return re.compile(rf"(?P<who>\b(?:my|our) (?:{relation_words()})\W+)(?P<next>\w+(?: \w+)?)", re.IGNORECASE)


def _without_joke(text: str) -> str:
    """A text with blanks for what is said before "just kidding": that is not meant, what it leads to is."""
    joke = compiled(rules().phrase["joked"]).search(text)
    return text if joke is None else " " * joke.start("says") + text[joke.start("says") :]


def _said_plainly(sentence: str, known: Mapping[str, str]) -> str:
    """A sentence as plainly as the patterns know it, with what is told of somebody's name and age beside."""
    if (plain := plain_sentence(sentence)) != sentence:
        plain = as_ones_own(plain, known)
    return with_age(with_name_beside(plain))
