"""English text cut into clauses: who each is about, what it says without its trimmings, and whether it says it in earnest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cache

from memdb.called import called
from memdb.capitals import is_made_up, presupposed, with_capitals
from memdb.capitals import prepare as prepare_capitals
from memdb.dates import Prefer
from memdb.english_rules import Elided, compiled, filled_in, relation_words, rules
from memdb.fitting import by_beginning
from memdb.introducing import introduced, of_oneself
from memdb.introducing import prepare as prepare_introducing
from memdb.kinship import as_ones_own
from memdb.kinship import prepare as prepare_kinship
from memdb.labels import is_anothers
from memdb.plainly import granted, plain_clause, plain_sentence
from memdb.plainly import prepare as prepare_plainly
from memdb.repairs import prepare as prepare_repairs
from memdb.repairs import repaired, repaired_before
from memdb.sentences import BLANKS, CONTRACTED, PLAIN, READ_WHOLE, expand, masked, sentences_read
from memdb.states import states_in
from memdb.told_beside import (
    last_with_somebody,
    of_themselves,
    spoken_of,
    with_age,
    with_apostrophes,
    with_name,
    with_name_beside,
    with_pronouns_named,
)
from memdb.told_beside import prepare as prepare_told_beside
from memdb.when import TimeSpan, find_times


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that may state facts.

    `subject` is "i", how a relative is called ("sister"), or "" where it is none of these; `name` the relative's name if it is told.
    `guessed`: it says "she" or "he", and more than one may be meant. `owned`: it begins with "my …" or "my sister's …". `phrase` is the
    rest, the verb phrase or what is owned, without adverbs, negation and time phrases; `full` the same with its time phrases. `text` is the
    whole clause. `former`: "used to". `elided`: its "I" or "my" was left out.
    """

    excerpt: str
    text: str
    subject: str = ""
    name: str = ""
    guessed: bool = False
    owned: bool = False
    phrase: str = ""
    full: str = ""
    negative: bool = False
    ended: bool = False
    former: bool = False
    coming: bool = False
    hedged: bool = False
    explicit: bool = False
    elided: bool = False
    times: dict[Prefer, tuple[TimeSpan, ...]] = field(default_factory=dict)


_TELLS = re.compile(
    r"(?:just |always |also |still |now )?(?:says?|said|thinks?|tells?|told|asks?|asked|believes?|insists?|claims?|wrote|jokes?"
    r"|reckons?|swears|keeps? (?:on )?(?:saying|telling|asking))\b",
    re.IGNORECASE,
)
_ANOTHER_DOES = re.compile(
    r"(?:is|has|does|(?:liv|work|lov|lik|hat|dislik|enjoy|prefer|stud(?=i)|speak|own|driv|tak|play)i?e?s)\b", re.IGNORECASE
)
_ASSISTANT = re.compile(r"^[^\w\n]*(?:assistant|ai|(?:chat)?bot|chatgpt|claude|gemini|gpt[\w.-]*+|agent)\W*:", re.IGNORECASE | re.MULTILINE)
_SPEAKER = re.compile(r"\W*(?:user|human|customer|client|me|you|q|a)\W*:", re.IGNORECASE)  # whose words are shown, where an assistant's are
_PROPER = re.compile(r"(?<=[\w,] )(?<! is )(?<!called )(?<!named )(?!I\b)[A-Z]\w+")  # not the first word, nor what somebody is called
_HAVE_HAD = re.compile(  # and has it still
    r"^(?:have|has) had (?=(?:an?|my|our|two|three) .*\b(?:since|for)\b"
    r"|\w+(?: \w+)? (?:since\b|for (?:\w+ )?(?:years|decades)\b|all my life))",
    re.IGNORECASE,
)
_MOVED_OUT = re.compile(r"\bmoved out$", re.IGNORECASE)
_NOT_TO_BE = re.compile(  # "I won't be living in Porto", "I'm not moving to Porto after all"
    r"will not (?:(?P<be>be )|(?P<living>live )|(?P<working>work )|(?P<become>(?:go|become|turn) (?=vegan|vegetarian|keto|plant)))(?=\w)"
    r"|(?:am|is|are) not (?:moving|going|relocating) to (?=\S)",
    re.IGNORECASE,
)
_TO_BE = {"be": "will be ", "living": "will be living ", "working": "will be working ", "become": "will be "}
_GOING_TO = re.compile(r"^(?:am|is|are) not going to (?=(?:work|live) (?:at|in|for|with)\b|be (?:living|working)\b)", re.IGNORECASE)
_USED_TO = re.compile(r"used to (?:be (?P<ing>(?:an? |in|on)|\w+ing\b)?|)", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?:(?:do|does) not|(?P<be>am|is|are) (?:not|no longer|never)|(?P<can>can) not(?= (?:eat|drink|have|tolerate|do|handle|digest)\b)"
    r"|no longer|(?:have|has) (?P<never>never)|never"
    r"|(?P<have>have|has) (?:no longer|no|not got))\s+",
    re.IGNORECASE,
)
_OWNING = re.compile(r"(?:my|our)\s+(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_BLANK = re.compile(r"\s+")
_LEADS_NOWHERE = re.compile(r"(?:that|this) is my|(?:now|still|so) (?:is|are)\b", re.IGNORECASE)
_AFTER_ALL = re.compile(r",? (?:after all|any ?more|any ?longer)[ .!]*$", re.IGNORECASE)


@cache
def prepare() -> None:
    """Compile every rule, which takes a while, so that the first text is read as fast as the others."""
    for compile_ in (
        _subject,
        _named_at_the_end,
        _after_a_relative,
        _of_ones_own,
        prepare_told_beside,
        prepare_introducing,
        prepare_kinship,
        prepare_repairs,
        prepare_capitals,
        prepare_plainly,
        separator,
        _left_out,
        _leads,
        _verbs,
        _ends_with_somebody,
        _somebody_else,
    ):
        compile_()
    for pattern in (
        *(pattern.match for pattern in rules().pattern),
        *rules().block.values(),
        *rules().phrase.values(),
        *(rules().added.says, rules().added.no_more),
    ):
        compiled(pattern)


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
    if joke := _joke().search(text):  # what is said before it is not meant, what it leads to is
        text = " " * joke.start("says") + text[joke.start("says") :]
    hidden, block = masked(text), rules().block
    small = _I.sub("", hidden).islower()
    if compiled(block["turn"]).search(text.translate(PLAIN)[:READ_WHOLE].lstrip()):
        if len(text) <= _ASKED and "\n" not in text:
            yield from _presupposed(with_capitals(hidden, small=small), text, known, question=True, at=at, zone=zone)
        return
    uncased = _in_small_letters(known) if known and small else None
    mocked, adored, mocking = compiled(block["mocking"]), compiled(block["adored"]), False
    bulleted = "?" not in hidden  # lines that ask and answer may be a dialogue, as it is printed
    printed = _ASSISTANT.search(text[:READ_WHOLE]) is not None
    spoken, doubtful = _Spoken(known, perhaps), list[Clause]()  # what the next sentence may take back
    told = f"{CONTRACTED.sub(expand, masked(after))[-_TOLD:]}\n" if after else ""
    before, began, shown, words, oneself, terse = last_with_somebody(told), 0, 0, 0, False, elided
    for start, end, mark, follows in sentences_read(hidden, known):
        if not follows:
            yield from doubtful
            before, doubtful = "", []
        excerpt = text[start:end].strip() if start >= shown else ""
        if not excerpt:
            continue
        sentence = as_ones_own(_as_written(hidden[start:end], small=small), known)
        yield from _presupposed(sentence, excerpt, known, question="?" in mark, at=at, zone=zone)
        sentence = _without_trimmings(sentence, uncased, bulleted=bulleted)
        if is_anothers(sentence) or (printed and _SPEAKER.match(sentence)):
            shown = line if (line := hidden.find("\n", start)) >= 0 else len(hidden)  # the rest of the line is theirs, too
            continue
        first = elided and ":" not in sentence  # no title
        heard = not words  # what is said right before is no part of the text
        if both := _taken_up(sentence, before, named=bool(doubtful) or heard, mended=bool(doubtful), at=at, zone=zone):
            sentence, start, first = both, start if heard else began, not heard and doubtful[0].elided
            excerpt, doubtful = text[start:end].strip(), []
        else:
            sentence = with_name(sentence) or with_pronouns_named(sentence, told)
        sentence = repaired(of_themselves(sentence, told, known), at=at, zone=zone)
        before, began = sentence if "?" not in mark else "", start
        said, told = told, f"{told}{sentence}{mark} "[-_TOLD:]
        begins, words = words <= 1, words + len(sentence.split())
        if not compiled(block["retracted"]).match(sentence):
            yield from doubtful
        doubtful = []
        mocking = mocking or mocked.match(sentence) is not None
        if compiled(block["sentence"]).search(sentence + mark) or (mocking and adored.search(sentence)):
            continue
        elided = elided and compiled(rules().leads["greeting"]).fullmatch(sentence) is not None
        fragment = of_oneself(sentence, then=None if oneself else hidden[end : end + _TOLD]) if first and (oneself or begins) else sentence
        oneself, sentence = oneself or fragment != sentence, fragment
        if (plain := plain_sentence(sentence)) != sentence:
            plain = as_ones_own(plain, known)
        written = with_age(with_name_beside(plain))
        sentence = introduced(written)
        oneself = first and (oneself or not _I.match(written)) and sentence.startswith("I am ")
        elided |= oneself  # "Marcus here. 34. Bus driver in Hull"
        stated = _stated(sentence, excerpt, question="?" in mark, at=at, zone=zone, people=known, elided=first)
        doubtful = spoken.parsed(sentence, stated, said, begins=begins, at=at, zone=zone)
        elided |= first and any(one.elided and one.subject == "i" for one in doubtful)  # "Moved to Leeds. Started at Aldi"
        elided |= terse and _tells_of_oneself(doubtful)  # "I quit my job. Moved to Leeds"
    yield from doubtful


def _tells_of_oneself(said: list[Clause]) -> bool:
    """Whether what a sentence says is all said of its writer, and it speaks of nobody else."""
    return bool(said) and all(one.subject == "i" and not one.owned and _somebody_else().search(one.text) is None for one in said)


@dataclass(slots=True)
class _Spoken:
    """Who is spoken of as a text goes on: those `known` by name, who may be meant first (`perhaps`), and who was `last`."""

    known: dict[str, str]
    perhaps: tuple[str, str] | None
    last: tuple[str, str] = ("", "")
    teller: bool = False

    def parsed(self, sentence: str, stated: list[Clause], said: str, *, begins: bool, at: datetime, zone: tzinfo) -> list[Clause]:
        """The clauses of a sentence with whom each is about, but for those of which that cannot be told; `said` was said before."""
        pronoun = _PRONOUN.search(sentence)
        if pronoun is None:
            return [self._noted(_parse(clause, self.last, self.known, at=at, zone=zone)) for clause in stated]
        leads, word = sentence[: pronoun.start()], pronoun.group().lower()
        if not self.last[0]:  # where what leads is long, who is meant is in it: "I look after my mum, she has dementia"
            self.last = spoken_of(leads if begins and len(leads.split()) > _LEADING else f"{said}{leads}", word, self.known)
        guess = self.perhaps if begins and not self.last[0] else None
        self.last = guess or self.last
        parsed: list[Clause] = []
        for clause in stated:
            found = _parse(clause, self.last, self.known, at=at, zone=zone)
            if found.guessed and found.subject:
                surely = found.subject == spoken_of(f"{said}{leads}", word, self.known)[0]
                if not surely and (self.teller or _names_another(leads, found.name)):
                    continue  # "My mum told me about Ana. She lives in Rome"
                found = replace(found, guessed=not surely)
            if guess is not None and found.guessed and (found.subject, found.name) == guess:
                found = replace(found, hedged=True)
            parsed.append(self._noted(found))
        return parsed

    def _noted(self, found: Clause) -> Clause:
        called_so = _IS_CALLED.fullmatch(found.phrase) if found.subject not in ("", "i") and not found.negative else None
        name = called_so["name"] if called_so and not found.guessed else found.name
        if found.subject not in ("", "i"):
            self.last, self.teller = (found.subject, name), _is_relative(found.text) or (self.teller and found.guessed)
        if name:
            self.known[name] = found.subject
        return found


def _as_written(part: str, *, small: bool) -> str:
    """A sentence in one line, its short forms written out, with the capitals that it should have."""
    sentence = CONTRACTED.sub(expand, BLANKS.sub(" ", part.strip()))  # long stretches of blanks take long to match
    sentence = _HESITATES.sub("", sentence)
    if sentence.isupper():  # "MY BOSS KEEPS SHOUTING" names no boss
        sentence = _after_a_relative().sub(lambda found: found["who"] + found["next"].lower(), sentence)
    return with_capitals(sentence, small=small)


def _taken_up(sentence: str, before: str, *, named: bool, mended: bool, at: datetime, zone: tzinfo) -> str | None:
    """A sentence and the one before it as one, if it may say who was `named` there or mend it: "We got a puppy. His name is Bruno"."""
    if before and named and (both := with_name(sentence, before)):
        return both
    return repaired_before(before, sentence, at=at, zone=zone) if mended else None  # "I'm 34. Sorry, 35"


_ASKED = 200  # characters, in which one asks for a letter ("Draft a letter to my landlord Mr Okafor") and does not paste one
_ASSURED = 40  # characters, in which a sentence may end with "no kidding"
_TOLD = 500  # characters, in which somebody is looked for who is spoken of
_LEADING = 4  # words that may stand before "she" who was named in what was said before: "Oh! I think that she"
_PRONOUN = re.compile(r"\b(?:she|he)\b", re.IGNORECASE)

_IS_CALLED = re.compile(r"(?i:is (?:called|named)) (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)")
_HESITATES = re.compile(r"(?:(?<=\s)|^)(?:um+|uh+|erm+|uhm+)\b,? ", re.IGNORECASE)  # as one talks
_BULLET = re.compile(r"^[-*•·–]\s+(?=\w)")
_POSSESSIVE_IS = re.compile(r"^(\w+(?: \w+)?)'s (?=\S)")  # "my name's Ana"
_POSSESSED = re.compile(
    r"(?!(?:an?|the|not|in|on|at|from|very|so|really|also|now|\d+)\s)(?:[\w'-]+ ){1,4}?"
    r"(?:is|are|was|were|has|had|will|can|does|did|\w+ed|got|made|came|says|said|goes|lives|works|loves|likes|hates|wants)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(  # a name, and what the one who has it does
    r"(?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?P<rest>(?:(?:just|also|now|still|recently|never|finally|actually|already|no longer) )?"
    r"(?:is|has|was|will|does|can|did|got|went|took|left|lost|quit|found|became|began|bought|sold|gave|had|grew|broke|[a-z]+(?:s|ed))\b.*)",
    re.DOTALL,
)
_NAMED_SHORT = re.compile(r"(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+)?)'s (?P<rest>\S.*)", re.DOTALL)
_I = re.compile(r"\bI\b")
_TIMED = re.compile(
    r"(?:(?:for|until|till|from|starting|beginning|come|effective|with effect|this|next|last|in|on|by|since|during|over|at|as of|as from"
    r"|after|before|today|tomorrow|tonight|yesterday)\b|\d)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(  # after what is said of somebody in between; a list goes on with "and" or "or"
    r",\s+(?=(?:is|was|has|had|will|would|can|could|does|did|just|also|[a-z]+(?<!s)s|[a-z]+ed|came|got|went)\s(?!(?:and|or)\b))"
)
_GOES_ON_AT_ONCE = re.compile(  # "my sister who lives in Cork is getting married in May": a second verb, not beside the first
    r"(?<=\w)(?<!\bthat)(?<!\bwhat)(?<!\bit)(?<!\bhe)(?<!\bshe)(?<!\bwho)(?<!\bnot)(?<!\bthere)(?<!\band)(?<!\bor)\s+"
    r"(?P<rest>(?:is|was|has|will|would|can|lives|works|loves|hates|likes|wants|needs|plays|eats)\s.+)",
    re.IGNORECASE,
)
_MINE = re.compile(r"(?:i|we|my|our)\b", re.IGNORECASE)
_I_OR_WE = re.compile(r"(?:i|we)\b", re.IGNORECASE)
_IF = re.compile(r"(?:if|unless)\b", re.IGNORECASE)
_WHEN = re.compile(r"when|while", re.IGNORECASE)
_KIN = r"{elder}(?='s (?:an?|allergic|\d+)\b| (?:is|has|loves|likes|hates|lives|works|moved|died|retired|does not|can not)\b)"
_SO = re.compile(r"\bso\b", re.IGNORECASE)
_OWN_WORDS = re.compile(r"\bi\b(?! (?:should|ought|must|need|ha(?:ve|d) to)\b)", re.IGNORECASE)  # "Ben said I am tired, so I …" is all his
_TASTE = re.compile(r"(?:love|like)(?= [a-z-]+(?<!ing)$)", re.IGNORECASE)
_TASTE_OF_THE = re.compile(r"\b(?:love|like) (?:the|your|his|her|their|this|that) [\w-]+$", re.IGNORECASE)
_OBJECTING = re.compile(r"\b(?:but|however|actually)\b", re.IGNORECASE)
_HAVING = re.compile(r"(?:i|we) (?:also )?(?:have|have got|got) an? ", re.IGNORECASE)
_BEING = re.compile(r"(?:am|is|are) (?!not\b|never\b|no longer\b|neither\b)", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\s*(?:$|[,.]|(?:to|with|for|at|from|in|and|as|because|about|on|near|by|after|if|but|together|again|instead|so)\b)", re.IGNORECASE
)


def _presupposed(sentence: str, excerpt: str, people: Mapping[str, str], *, question: bool, at: datetime, zone: tzinfo) -> Iterator[Clause]:
    """The clauses that a sentence takes for granted where it asks or bids."""
    told = [*presupposed(sentence, question=question), *granted(sentence)]
    return (_parse(Clause(excerpt, one), ("", ""), people, at=at, zone=zone) for one in told)


def _without_trimmings(sentence: str, uncased: re.Pattern[str] | None, *, bulleted: bool) -> str:
    """A sentence as one says it: names in small letters get capitals, and a bullet before it and "no kidding" behind it are taken off."""
    if uncased is not None:
        sentence = uncased.sub(lambda found: found["before"] + found["name"].title(), sentence)
    if bulleted:
        sentence = _BULLET.sub("", sentence)
    sentence = with_apostrophes(sentence)
    if ":" in sentence:
        sentence = compiled(rules().phrase["listed"]).sub(r"\g<says> ", sentence)
    assured = compiled(rules().phrase["assured"]).search(sentence, max(0, len(sentence) - _ASSURED))
    return sentence[: assured.start()] if assured else sentence


def _in_small_letters(people: Mapping[str, str]) -> re.Pattern[str] | None:
    """The names of people, as who types no capitals begins a clause with them; None where all of them are words as well."""
    word = compiled(rules().phrase["name_or_word"])
    names = "|".join(re.escape(name.lower()) for name in people if not word.fullmatch(name.split()[0]))
    return re.compile(rf"(?P<before>^|[,;] |\b(?:and|but|so|lol|oh|hey|btw|well) )(?P<name>{names})(?= |'s )") if names else None


@cache
def separator() -> re.Pattern[str]:
    """Return what stands between two clauses of a sentence; "Doctor Who" is one name."""
    words = {name: filled_in(entry).replace(" ", r"\ ") for name, entry in rules().clauses.items()}  # a verbose pattern skips bare blanks
    return re.compile(
        rf"""\s*(?:[;()\[\]—–]|:(?!\d)|(?<!\d):)+\s*|\s+-+\s+|\s*,\s*(?:(?:and|but|so|then|or|plus|yet)\s+)?(?!likes?\b)(?=(?:{words["starters"]}|{words["verbs"]})\b)
        |\s+(?:and|but|so|then|or|plus)\s+(?=(?:{words["starters"]}|{words["verbs"]})\b)|\s*,?\s+{words["always"]}\s+
        |(?-i:(?<!Doctor))\s*,?\s+(?={words["kept"]}\s)|\s*,?\s+and\s+(?={words["another"]})|,\s+(?={words["listed"]})
        |,\s+(?:(?:and|so|then)\s+)?(?={words["requests"]})|,\s+(?={words["instead"]})""",
        re.IGNORECASE | re.VERBOSE,
    )  # fmt: skip


@cache
def _verbs() -> re.Pattern[str]:
    """The verbs with which a sentence may go on without saying again of whom."""
    return compiled(rf"{rules().clauses['verbs']}\b")


def _stated(
    sentence: str, excerpt: str, *, question: bool, at: datetime, zone: tzinfo, people: Mapping[str, str], elided: bool
) -> list[Clause]:
    """The clauses of a sentence that are meant as they stand, without what leads into them."""
    block = rules().block
    stated: list[Clause] = []
    asked = blocked = recited = False
    carried, subject, having, last, told_of, told = Clause(excerpt, ""), "", "", "", "", ""
    for mark, part in _parts(sentence):
        clause = _led(replace(carried, text=part.strip(" ,")), at=at, zone=zone)
        if told and _SO.search(mark) and _MINE.match(clause.text) and not _OWN_WORDS.search(told):
            blocked = False  # "the doctor says my iron is low | so I'm eating fish again"
        told = ""
        if recited and _OBJECTING.search(mark) and _MINE.match(clause.text):
            blocked = recited = False  # "you said I live in Leeds | but I live in Hull"
            clause = replace(clause, explicit=True)
        last, earlier = clause.text, last
        if not clause.text:
            carried = clause  # "Yes, …", "For this week, …"
            continue
        carried = Clause(excerpt, "")
        if (plain := plain_clause(clause.text)) != clause.text:
            last, clause = plain, replace(clause, text=plain)
        if not question and (whose := _with_subject(clause) if elided else _with_my(clause, stated)) is not clause:
            clause = replace(whose, text=plain_clause(whose.text))
        elided = False
        if question and not blocked and stated and compiled(block["tag"]).fullmatch(clause.text):
            return []
        relative = clause.text[:4].lower() == "who " and (
            (bool(stated) and not question) or (_of_ones_own().search(earlier) is not None and not is_made_up(sentence))
        )
        asks = question and compiled(block["asked"]).match(clause.text) is not None  # "I'm vegan | any recipes?"
        if not relative and (asks or compiled(block["rest"]).match(clause.text)):
            if stated and _IF.match(clause.text):
                _suppose(stated)
            asked = blocked = True
        elif stated and _is_bounded(stated, clause):
            pass
        elif compiled(block["reported"]).match(clause.text):
            blocked, recited, told = True, compiled(block["recited"]).match(clause.text) is not None, clause.text
            if (teller := _teller(clause.text)) and not question:
                stated.append(replace(clause, text=teller))
        if (blocked and not relative) or " " not in clause.text or compiled(block["clause"]).match(clause.text):
            subject = ""
            continue
        if relative:
            if (whom := _last_named(earlier)) is not None:
                told_of = whom if whom != "who" else ""
                subject = whom if whom == earlier else subject  # "my aunt, who …, lives", but "I live with my aunt, who …, and work"
                stated += _by_who(clause, whom, goes_on=subject == whom)
            continue
        if subject.lower() in ("i", "we") and _ANOTHER_DOES.match(clause.text):
            subject = ""
            if told_of:
                stated.append(replace(clause, text=f"{told_of} {clause.text}"))  # "I have a cousin who is a vet | and lives in Bath"
            continue  # "I wanted to ask about my mother she's 81 | and lives in Porto"
        if subject and _verbs().match(clause.text):
            if _is_of_the_same(clause.text, earlier):
                continue
            if mark.strip() == "," and subject.lower() not in ("i", "we") and _ends_with_somebody().search(earlier):
                subject = ""
                continue  # "Lea has a new boyfriend, Pieter | works at the port"
            clause = replace(clause, text=f"{subject} {clause.text}")
        elif having and compiled(rules().clauses["another"]).match(clause.text):
            clause = replace(clause, text=f"{having} {clause.text}")  # "I have a dog called Rex | and a cat called Luna"
        clause = _of_both(clause, stated, earlier, mark, people)
        found, named = _subject().match(clause.text), _by_name(clause.text, people)
        subject = named[0] if named else _who_goes_on(found) if found else ""
        having = _having(subject, found.group("rest") or "") if found and subject else ""
        stated.append(clause)
    if carried.hedged and stated:  # "…, I think": nothing follows that it leads into
        stated[-1] = replace(stated[-1], hedged=True)
    return [one for clause in stated for one in _states(clause)] if asked or not question else []


def _with_my(clause: Clause, stated: list[Clause]) -> Clause:
    """A clause with the "my" that its writer has left out after what is theirs: "mum loves orchids | but dad's allergic to pollen"."""
    if stated and _MINE.match(stated[-1].text) and compiled(_KIN).match(clause.text):
        return replace(clause, text=f"my {clause.text}", elided=True)
    return clause


def _suppose(stated: list[Clause]) -> None:
    """Hedge what was stated last, since "if …" follows it, or take it back, if it is so only then."""
    only_then = compiled(rules().phrase["only_then_so"]).match(stated[-1].text)
    stated[-1:] = [] if only_then else [replace(stated[-1], hedged=True)]


def _by_who(clause: Clause, whom: str, *, goes_on: bool) -> list[Clause]:
    """What a clause with "who" tells of somebody, and what follows it, if that `goes_on` with them."""
    said, rest = _told_of(whom, clause.text[len("who") :])
    told = [replace(clause, text=said)]
    if rest and goes_on:
        told.append(replace(clause, text=f"{whom} {rest}"))  # "my aunt, who lives in Porto, turns 90 in May"
    return told


def _is_of_the_same(text: str, earlier: str) -> bool:
    """Whether a verb goes on with what one likes or wishes, and says nothing that is so."""
    verb = _TASTE.match(text)
    if verb and _TASTE_OF_THE.search(earlier) and verb.group().lower() in earlier.lower().split():
        return True  # "I love the self-acceptance | and love theme"
    phrase = rules().phrase  # "I want to sell the car | and live in Spain"
    return compiled(phrase["to_do_too"]).match(text) is not None and compiled(phrase["to_do"]).search(earlier) is not None


def _of_both(clause: Clause, stated: list[Clause], earlier: str, mark: str, people: Mapping[str, str]) -> Clause:
    """A clause with the one before it, which only names somebody who does it, too; that one is stated no more then."""
    if stated and stated[-1].text == earlier and _I_OR_WE.match(clause.text) and _is_relative(earlier):
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


def _told_of(whom: str, told: str) -> tuple[str, str]:
    """What is told of somebody behind "who", and what is said of them after it, if it goes on ("who lives in Porto, turns 90 in May")."""
    said, _, goes_on = _GOES_ON.sub("\n", f"{whom}{told}", count=1).partition("\n")
    if not goes_on and (verb := _GOES_ON_AT_ONCE.search(said, len(whom) + 1)):
        return said[: verb.start()], verb.group("rest")
    return said, goes_on


def _is_bounded(stated: list[Clause], clause: Clause) -> bool:
    """Tell whether a clause says when what was stated last is so, or that it is over; then take that back, or hedge it."""
    said, bounded = stated[-1].text, _WHEN.match(clause.text)
    at_times = bounded is not None and bounded.group().lower() == "when" and compiled(_AT_TIMES).search(said) is not None
    if at_times or (bounded and compiled(rules().phrase["only_then_so"]).match(said)):
        stated.pop()  # "I am vegetarian | when my wife cooks", "I drive to work | when it rains"
    elif bounded and " not " in said:
        stated[-1] = replace(stated[-1], hedged=True)  # "I do not like coffee | when it is cold"
    elif compiled(rules().phrase["begun"]).search(said):
        if compiled(rules().phrase["over"]).match(clause.text):
            stated.pop()  # "I moved to Porto | but came back"
        elif compiled(rules().phrase["long_ago"]).match(clause.text):
            stated[-1] = replace(stated[-1], hedged=True)  # "I moved to Porto | when I was five"
            if _MOVED_OUT.search(said):
                stated.pop()  # from somebody with whom one lived then
    else:
        return False
    return True


_AT_TIMES = r"\b(?:{diet}|{nationality}|caf[eé]|coffee shop|library|bar)$"


def _parts(sentence: str) -> Iterator[tuple[str, str]]:
    """The parts of a sentence, each with what stands between it and the one before it."""
    end, mark = 0, ""
    for found in separator().finditer(sentence):
        yield mark, sentence[end : found.start()]
        end, mark = found.end(), found.group()
    yield mark, sentence[end:]


def _teller(text: str) -> str:
    """Whose words are told, if it is a relative: who that is may be said in passing ("my wife Aoife says hi"); "" for anybody else."""
    found = _subject().match(text)
    tells = found is not None and found["rel"] and not found["of"] and _TELLS.match(found["rest"] or "")
    return found["whole"].strip(" ,") if found is not None and tells else ""


def _states(clause: Clause) -> list[Clause]:
    """A clause for each thing that somebody is, or the clause itself if it is one: "I'm 34, divorced, two kids"."""
    found = _subject().match(clause.text)
    being = _BEING.match(found.group("rest") or "") if found and not found.group("of") else None
    if found is None or being is None:
        return [clause]
    who, begins = clause.text[: found.start("rest")], found.start("rest") + being.end()
    verbs = clause.text[len(who) : begins], f"{_HAS[being.group().strip().lower()]} "
    return [replace(clause, text=f"{who}{verbs[had]}{what}") for what, had in states_in(clause.text[begins:])] or [clause]


_FAN = re.compile(r"(?:[A-Z][\w'-]+ ){1,3}(?:fan|supporter)\b(?! of\b)")  # what has its capital wherever it stands
_HAS = {"am": "have", "are": "have", "is": "has"}


def _with_subject(clause: Clause) -> Clause:
    """A clause with the "I" or "my" that its writer has left out."""
    for one in _left_out()(clause.text):
        if compiled(one.begins).match(clause.text):
            what = clause.text if _FAN.match(clause.text) else f"{clause.text[0].lower()}{clause.text[1:]}"
            return replace(clause, text=f"{one.says} {what}", elided=not one.own)
    return clause


@cache
def _left_out() -> Callable[[str], tuple[Elided, ...]]:
    """Which of the ways to leave out "I" or "my" a text may begin with."""
    return by_beginning((one, compiled(one.begins).pattern) for one in rules().elided)


@cache
def _leads() -> tuple[tuple[str, re.Pattern[str] | None], ...]:
    """What leads into a clause, in the order in which it is taken off; None is a time ("as of June"), where "as" alone says nothing."""
    leads = rules().leads
    patterns = {name: compiled(rf"(?:{leads[name]})(?:{leads['separator']}|$)") for name in ("correct", "confirm", "hedge", "plain")}
    return tuple((name, patterns.get(name)) for name in ("correct", "confirm", "hedge", "time", "plain"))


def _led(clause: Clause, *, at: datetime, zone: tzinfo) -> Clause:
    """Take off what leads into a clause, and move a time phrase from its beginning to its end."""
    text, moved = clause.text, clause.full
    hedged, explicit = clause.hedged, clause.explicit
    for _ in range(8):
        before = text
        for name, lead in _leads():
            if lead is None:
                if told := _time_first(text, at=at, zone=zone):
                    moved, text = f"{moved} {text[:told]}", text[told:].lstrip(" ,")
            elif (found := lead.match(text)) and not _LEADS_NOWHERE.match(text):
                text = text[found.end() :]
                hedged |= name == "hedge"
                explicit |= name in ("correct", "confirm") or found.group().lower() == "now "  # "but now works as a baker"
        if text == before:
            break
    return replace(clause, text=text, full=moved, hedged=hedged, explicit=explicit)


def _time_first(text: str, *, at: datetime, zone: tzinfo) -> int:
    """How long the time phrase is that a clause begins with; 0 if it begins with none."""
    spans = find_times(text[:80], at=at, zone=zone) if _TIMED.match(text) else []
    leads = spans and spans[0].start == 0 and re.match(r"\s*(?:$|,|(?:i|my|we|our)\b)", text[spans[0].end :], re.IGNORECASE)
    return spans[0].end if leads else 0


@cache
def _subject() -> re.Pattern[str]:
    relation = relation_words()
    qualified = (
        r"(?:(?:older|younger|elder|eldest|oldest|youngest|little|lil|big|twin|baby|half|teenage|grown[ -]up|dear|lovely|new|best)[ -])*"
    )
    name = r"(?-i:[A-Z][\w'-]+(?:\ [A-Z][\w'-]+)?)"
    return re.compile(
        rf"""(?P<whole>
         (?:(?:me\ and\ )?(?:my|our)\ {qualified}(?:{relation})(?:,?\ {name},?)?\ and\ |{name}\ and\ |me\ and\ (?:my\ )?\w+,?\ )?(?P<i>i|we)
        |(?:my|our)\ (?P<how>{qualified})(?P<rel>{relation})(?!\ tongue\b)
         (?:(?P<of>'s|s(?=\ (?:name\ is|birthday|favou?rite
          |an?(?!\ (?:few|lot|bit)\b)|allergic|vegan|vegetarian|pregnant|diabetic|coeliac|lactose)\b))
          |,?\ (?:called\ |named\ )?(?P<name>{name}(?<!'s)),?|(?=\ |$))
        |(?P<pron>she|he|who))(?:\ +(?P<rest>.+)|$)""",
        re.IGNORECASE | re.VERBOSE | re.DOTALL,
    )


@cache
def _somebody_else() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{relation_words()}|our|your|his|her|their|he|she|they|you|who|we|with (?-i:[A-Z])|and (?-i:[A-Z]))\b", re.IGNORECASE
    )


@cache
def _joke() -> re.Pattern[str]:
    return compiled(rules().phrase["joked"])


@cache
def _ends_with_somebody() -> re.Pattern[str]:
    """A clause that ends with whom somebody has, of whom what follows may be said."""
    return re.compile(
        rf"\b(?:has|has got|got|met|married)(?i: (?:an?|the|his|her)(?: [\w-]+){{0,2}}? (?:{relation_words()}))(?: btw)?"
        r"(?:,? (?:called |named )?[A-Z][\w'-]+)?$"
    )


def _names_another(text: str, name: str) -> bool:
    """Whether somebody is named in a part of a sentence who may be somebody else."""
    return any(word not in name.split() for word in _PROPER.findall(text))


@cache
def _after_a_relative() -> re.Pattern[str]:
    return re.compile(rf"(?P<who>\b(?:my|our) (?:{relation_words()})\W+)(?P<next>\w+(?: \w+)?)", re.IGNORECASE)


@cache
def _of_ones_own() -> re.Pattern[str]:
    """What ends with somebody of whom "who …" tells, whatever is asked or supposed before: "any ideas for my sister, who …"."""
    return re.compile(rf"\b(?:my|our) (?:[\w-]+ )??(?:{relation_words()})(?:,? [A-Z][\w'-]+)?$", re.IGNORECASE)


@cache
def _named_at_the_end() -> re.Pattern[str]:
    relation = relation_words()
    name = r"(?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
    return re.compile(
        rf"\b(?:an? (?:\w+ )??(?P<had>(?:{relation})(?:,? (?:(?:called|named) )?{name})?)"
        rf"|(?:my|our) (?:\w+ )??(?:{relation})(?:,? (?:called |named )?{name})?|{name})$",
        re.IGNORECASE,
    )


def _is_relative(text: str) -> bool:
    """Whether a text names a relative and says nothing of them."""
    found = _subject().fullmatch(text)
    return found is not None and bool(found.group("rel")) and not found.group("of") and not found.group("rest")


def _last_named(text: str) -> str | None:
    """Whom "who" after a clause is about: the person that the clause ends with; "who" itself where it says what somebody is; None else."""
    if re.search(r"\b(?:is|was|am) (?:an? |the )[\w -]+$", text):
        return "who"
    found = _named_at_the_end().search(text)
    if found and found["had"]:
        return f"my {found['had']}" if " " in found["had"] or _HAVING.match(text) else None
    return found.group() if found else None


def _by_name(text: str, people: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Whom of these people a clause begins with, what they are to the user, and what is said of them."""
    short = _NAMED_SHORT.match(text) if people else None
    if short and short["name"] in people:  # "Rui's a nurse", "Rui's quit his job", but not "Rui's job"
        phrase, rest = rules().phrase, short["rest"]
        verb = next((verb for verb in ("is", "has") if compiled(phrase[f"name_{verb}"]).match(rest)), "")
        return (short["name"], people[short["name"]], f"{verb} {rest}") if verb else None
    found = _NAMED.match(text)
    return (found["name"], people[found["name"]], found["rest"]) if found and found["name"] in people else None


def _parse(clause: Clause, person: tuple[str, str], people: Mapping[str, str], *, at: datetime, zone: tzinfo) -> Clause:
    """Find the subject of a clause and reduce its verb phrase; `person` was spoken of last, what they are to the user and their name."""
    found, moved = _subject().match(clause.text), clause.full
    if named := _by_name(clause.text, people):
        name, subject, rest = named
        return _timed(_reduced(replace(clause, subject=subject, name=name, full=rest + moved)), at=at, zone=zone)
    if found is None:
        owned = _OWNING.match(clause.text)
        clause = (
            replace(clause, subject="i", owned=True, full=_POSSESSIVE_IS.sub(r"\1 is ", owned.group("rest")) + moved)
            if owned
            else replace(clause, full=clause.text + moved)
        )
        return _timed(clause, at=at, zone=zone)
    rest, name = found.group("rest") or "", found.group("name") or ""
    if called().relations.get((found.group("rel") or "").lower()) in rules().groups["several"]:
        name = ""  # of one of them
    if found.group("i"):
        subject = "i"
    elif found.group("rel"):
        subject = found.group("rel").lower()
        clause = replace(clause, explicit=clause.explicit or "new" in found.group("how").lower().split())
        if found.group("of"):
            if not compiled(r"(?:name|birthday|favou?rite|hobb|job|new|{attribute} is\b)").match(rest):
                if _POSSESSED.match(rest):  # "my son's teacher is …" is not about the son
                    return _timed(replace(clause, full=clause.text + moved), at=at, zone=zone)
                rest = f"is {rest}"  # "my sister's a nurse"
            else:
                return _timed(replace(clause, subject=subject, owned=True, full=rest + moved), at=at, zone=zone)
    else:
        pronoun = found.group("pron").lower()
        meant = person[0] and (pronoun == "who" or person[0] in rules().groups[pronoun])
        subject, name = person if meant else ("", "")
        clause = replace(clause, guessed=True)
    return _timed(_reduced(replace(clause, subject=subject, name=name, full=rest + moved)), at=at, zone=zone)


def _reduced(clause: Clause) -> Clause:
    """Take adverbs, the negation and "used to" out of a verb phrase."""
    words = rules().phrase
    phrase, hedged, explicit = clause.full.strip(), clause.hedged, clause.explicit
    phrase = _HAVE_HAD.sub("have ", phrase)
    adverb = compiled(rf"({words['auxiliaries']})({words['adverbs']}) (?!not\b)(?=\S)")
    for _ in range(6):
        found = adverb.match(phrase)
        if found is None:
            break
        hedged |= compiled(words["hedging"]).fullmatch(found.group(2)) is not None
        explicit |= compiled(words["insisting"]).fullmatch(found.group(2)) is not None
        phrase = phrase[: found.end(1)] + phrase[found.end() :]
    former = _USED_TO.match(phrase)
    if former:
        phrase = ("am " if " be" in former.group() else "") + phrase[former.start("ing") if former.group("ing") else former.end() :]
    phrase = _GOING_TO.sub("will not ", phrase)
    coming = _NOT_TO_BE.match(phrase)
    if coming:
        verb = next((_TO_BE[name] for name, found in coming.groupdict().items() if found), None)
        phrase = _AFTER_ALL.sub("", phrase if verb is None else f"{verb}{phrase[coming.end() :]}")
    negation = _NEGATED.match(phrase)
    ended = former is not None
    if negation and not (negation.group("never")):
        ended |= "no longer" in negation.group().lower()
        kept = negation.group("be") or negation.group("have") or negation.group("can") or ""
        phrase = f"{kept} {phrase[negation.end() :]}".strip()
        found = compiled(rf"({words['adverbs']}) (?!not\b)").match(phrase)
        phrase = phrase[found.end() :] if found else phrase
    final = compiled(words["ended"]).search(phrase)
    if final and negation:
        phrase, ended = (phrase[: final.start()] + phrase[final.end() :]).strip(), True
    return replace(
        clause,
        full=phrase,
        negative=negation is not None or coming is not None,
        ended=ended,
        former=former is not None,
        coming=coming is not None,
        hedged=hedged,
        explicit=explicit,
    )


def _timed(clause: Clause, *, at: datetime, zone: tzinfo) -> Clause:
    """Find the time phrases of a clause, and take those out of its phrase that are no part of what it speaks of."""
    full = _BLANK.sub(" ", clause.full).strip(" ,.-")
    if put_off := compiled(rules().phrase["put_off_to"]).search(full):
        full = f"{full[: put_off.start('to')]}until{full[put_off.end('to') :]}"  # "to March" may say anything, "until March" only when
    ways: tuple[Prefer, ...] = ("future", "past")
    times = {way: tuple(find_times(full, at=at, zone=zone, prefer=way)) for way in ways}
    phrase = without_times(full, times["future"])
    if len(phrase.split()) < 2:
        phrase = full
    return replace(clause, full=full, phrase=phrase, times=times if any(times.values()) else {})


def without_times(text: str, spans: tuple[TimeSpan, ...]) -> str:
    """Return a text without its time phrases, but for those that a noun follows ("Friday nights")."""
    for span in reversed(spans):
        if span.role != "point" or _FOLLOWS.match(text, span.end):
            rest = text[span.end :].lstrip()
            text = text[: span.start].rstrip(" ,") + ("" if rest.startswith(",") else " ") + rest
    return text.strip(" ,")
