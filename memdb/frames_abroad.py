"""The frames in which a language states things: what of a sentence one of them fits, and how English says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from string import digits
from typing import Literal

from memdb.english_rules import filled_in
from memdb.fitting import any_of
from memdb.languages import Language, fold, forms
from memdb.values_abroad import LISTS, MOST_WORDS, Values

_APART = re.compile(r"\s*[;:()\[\]–—]\s*|\s+-+\s+|,\s+(?=,)")
_SPACED = re.compile(r"['’]\s?")
_SLOT = re.compile(r"\{([a-z]+)\}")
_TIME = "¶"
DANGLING = " ,.!-¡¿"
"""What stands around a clause and is none of it."""
_OPEN, _LONG = ".{1,60}?", ".{1,120}?"
_WIDE = re.compile(r"\{(?:things|thing|other|doing|act|when|which|how|than|toil)\}")
_MOST_BESIDES = 6  # of what one is besides ("30, ledig, …")
_ASKED = 150  # characters of a question behind a comma
_MONTHS = re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b")
_SINCE = re.compile(r"^(?:since |for |in )+")
_ONCE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this|next|last|ago|since|for|from|until|the|night)\b|\d"
)  # no time of each week or year
_LASTING = re.compile(
    r"my name is |I (?:prefer|avoid|hate|(?:do not )?like|am not interested in) "
)  # at no time: "moi c'est Netflix ce soir"
_EACH_WEEK = ("I play ", "I work ", "my hobby is ")
_DESCRIBES = re.compile(r"(?:I am|my name is|I live in) ")
_SAYS_NOW = re.compile(r"no longer|used to| now$")  # or that it is over
_ANY_YEAR = 2000
_UNKEPT = "do not remember that"
_NOT = {"": ("", "am"), "no longer": ("no longer ", "am no longer"), "not": ("do not ", "am not")}


@dataclass(slots=True)
class Spoken:
    """What the clauses before one have spoken of: oneself (`subject`), or somebody (`other`); and whether the last told what one is."""

    subject: str = ""
    other: str = ""
    described: bool = False


_READERS: dict[str, Reader] = {}
_Frame = tuple[re.Pattern[str], str, bool]  # as a pattern, how English says it, and whether it has a time


def reader(language: Language) -> Reader:
    """Return what reads the statements of a language."""
    if language.name not in _READERS:
        _READERS[language.name] = Reader(language)
    return _READERS[language.name]


class Reader:
    """The frames of a language's statements as patterns, and what each is in English. Accents make no difference: many type none."""

    def __init__(self, language: Language) -> None:
        rules = language.statements
        assert rules is not None  # of others there is no reader
        self._language, self._rules = language, rules
        self.dates = re.compile(rf"(?<=\d)\.(?= ?(?:{any_of(forms(language.words['month']))})(?!\w))", re.IGNORECASE)
        self._means = {slot: {fold(form): english for form, english in forms(table).items()} for slot, table in rules.words.items()}
        self.tale = _any(rules.tale)
        self._blocks = _any(rules.blocks)
        self._harmless = _any(rules.harmless)
        self._then_asks = re.compile(rf",(?=\s*(?:¿|(?:{fold(rules.then_asks)})(?!\w)[^.!?\n]{{0,{_ASKED}}}\?))", re.IGNORECASE)
        self._spelled = forms(rules.spelled)
        self._misspelt = _words_of(self._spelled)
        asks, keep, that, keep_this, unkept = (
            _SLOT.sub(self._filled, said) for said in (rules.asks_to_keep, rules.remember, rules.that, rules.keep_this, rules.unkept)
        )
        asked = rf"(?:(?:{rules.leads})[\s,!.:-]+)*(?:(?:{keep})|(?P<asks>{asks}))[,:]?\s+(?P<that>{that})?(?P<said>.+)"
        self._remember = re.compile(fold(asked), re.IGNORECASE)
        self._keep_this = re.compile(fold(rf"(?:[,;:–-]+\s*|\s)(?:(?:{rules.joins})\s+)?(?:{keep_this})$"), re.IGNORECASE)
        self._unkept = re.compile(
            fold(
                rf"(?:(?P<said>.+?)(?:[,;–-]+\s*(?:(?:{rules.joins})\s+)?|\s(?:{rules.joins})\s+))?"
                rf"(?:(?:{rules.leads}|{rules.joins})[\s,!.:-]+)*(?:{unkept})(?P<rest>\s*:.*)?"
            ),
            re.IGNORECASE,
        )
        self._lasting = re.compile(rf"{_TIME} (?:{that})", re.IGNORECASE)  # "hace 5 años que vivo en …"
        whose = f"{rules.patterns['mine']} {rules.patterns.get('kind', '')}"
        self._begins = re.compile(rf"(?:{rules.subjects}|{whose}\S+)(?= )", re.IGNORECASE)
        self._clauses = re.compile(rf",?\s+(?:{rules.joins})\s+", re.IGNORECASE)
        self._that_too = re.compile(fold(rf"(?<=\s)(?P<joins>{rules.joins})\s+(?:{that})"), re.IGNORECASE)
        begins = rf"(?:{rules.starts}|{rules.elided}|(?:(?:{rules.pronouns}) )?{rules.of_another})"
        self._joined = re.compile(rf",?\s+(?:{rules.joins})\s+(?={begins})|,\s+(?={begins})|{_APART.pattern}", re.IGNORECASE)
        self._because = re.compile(rf"(?:^|,?\s+)(?P<why>{rules.reasons})\s+", re.IGNORECASE)
        self._lead = re.compile(rf"(?:{fold(rules.leads)})(?:[\s,!.:-]+|$)", re.IGNORECASE)
        self._trails = re.compile(rf",?\s(?:{fold(rules.trails)})$", re.IGNORECASE)
        self._comma = re.compile(rf"\s*,(?!\s*(?:{rules.relatives}))\s*", re.IGNORECASE)  # behind which nothing tells what is meant
        self._cut = re.compile(rf"{self._comma.pattern}|\s+(?:{rules.cuts})\s+", re.IGNORECASE)
        self._repairs = re.compile(rf"(?:{fold(rules.repairs)})(?!\w)", re.IGNORECASE)
        self._now = _words_of(form for form, english in self._means["aside"].items() if english == "now")
        said_aside = self._means["aside"]
        but = any_of(form for form, english in said_aside.items() if english == "but") or "(?!)"
        aside = any_of(form for form, english in said_aside.items() if english != "but")
        self._aside = re.compile(
            rf"(?<!\S)(?:{aside}|(?<!,\s)(?:{but}))(?=\s|,|$)", re.IGNORECASE
        )  # "Bier, aber Wein schon": another thing
        self._values = Values(language, self._means, aside=self._aside, joined=self._joined)
        self._turned = re.compile(rf"(?P<verb>[\w']+) (?P<who>{rules.subjects})(?= |$)", re.IGNORECASE)
        self._subject = re.compile(rf"(?:{rules.subjects})(?= |$)", re.IGNORECASE)
        self._elided = re.compile(fold(rules.elided), re.IGNORECASE)
        self._others = re.compile(rf"(?:(?:{fold(rules.pronouns)}) )?(?={fold(rules.of_another)})", re.IGNORECASE)
        self._about = re.compile(fold(_SLOT.sub(self._filled, rules.about)), re.IGNORECASE)
        self._beside = re.compile(rf"(?<!\w)(?:{rules.beside})(?!\w)", re.IGNORECASE)
        self._frames = [(self._pattern(match, english), english, "{date}" in match) for match, english in rules.frames]
        self._wide = [one for one, (match, _) in zip(self._frames, rules.frames, strict=True) if _WIDE.search(match)]
        self._replies = [(self._pattern(match, english), english) for match, english in rules.replies]
        self._repair = re.compile(
            rf"[,(–—-]+\s*(?:(?:{fold(rules.repair)})[\s,:]+){{1,3}}(?:{fold(rules.patterns['at'])})?(?P<right>(?-i:[A-Z]|\d).{{0,40}})",
            re.IGNORECASE,
        )

    def reply(self, text: str, *, year: int) -> str:
        """What a text says in English that does nothing but correct what was said, take it back, or ask to forget it; "" for others."""
        said = " ".join(self._misspelt.sub(self._standard, text).split()).strip(DANGLING)
        unkept = self._unkept.fullmatch(fold(said))
        if unkept is not None and not (unkept["said"] or unkept["rest"]):
            return _UNKEPT
        for pattern, english in self._replies:
            match = pattern.fullmatch(fold(said))
            told = self._in_english(match, english, said, ()) if match is not None else None
            if match is None or told is None:
                continue
            if "said" not in match.groupdict():
                return told
            clause = said[slice(*match.span("said"))].strip()
            clause = self._verb_second(clause)
            forgotten = self._statement(clause, Spoken(), year=year, whole=True)
            return f"{told} {forgotten}" if forgotten and not self._is_blocked(clause) else ""
        return ""

    def cut(self, text: str) -> str:
        """The text with a stop before what asks behind a comma: "ich bin vegan, was koche ich?" states, and then asks."""
        return "".join("." if place in asks else letter for place, letter in enumerate(text)) if (asks := self._asks_at(text)) else text

    def _asks_at(self, text: str) -> set[int]:
        return {comma.start() for comma in self._then_asks.finditer(fold(text))} if "?" in text else set()

    def is_unkept(self, sentence: str) -> Literal["", "itself", "beside"]:
        """Whether a sentence asks not to keep what it says itself, or what the one beside it says."""
        found = self._unkept.fullmatch(fold(sentence))
        return "" if found is None else "itself" if found["said"] or found["rest"] else "beside"

    def said(self, sentence: str, *, year: int, asks: bool = False, spoken: Spoken | None = None) -> Iterator[str]:
        """What a sentence states, in English; one that `asks` something states what it asks to remember.

        It may go on with whom the sentence before it has `spoken` of.
        """
        spoken = spoken if spoken is not None else Spoken()
        whom, spoken.subject, spoken.other, spoken.described = spoken.other, "", "", False
        sentence = self._to_be_read(self._misspelt.sub(self._standard, sentence), asks=asks)
        if not sentence or self._is_blocked(sentence):
            return
        if (repair := self._repair.search(fold(sentence))) is not None and repair.end() == len(sentence):
            whole = self._statement(sentence[: repair.start()], Spoken(), year=year, whole=True)
            yield from [f"{whole}, I mean {sentence[repair.start('right') :]}"] if whole else []
            return
        alone = Spoken(other=whom)
        if whole := self._statement(sentence, alone, year=year, whole=True):
            spoken.other = alone.other
            yield whole
            return
        spoken.other = whom
        for clause, is_reason in self._with_reasons(sentence):
            for part in self._joined.split(clause):
                orders = (part, self._verb_second(part), self._in_order(part, moved=True)) if is_reason else (part,)
                yield from next(filter(None, (list(self._stated(one, spoken, year=year)) for one in orders)), [])

    def _with_reasons(self, sentence: str) -> Iterator[tuple[str, bool]]:
        """The parts of a sentence, each with whether it tells why, or what follows from that: "da ich keinen Käse mag, …"."""
        start, is_reason = 0, False
        for found in self._because.finditer(sentence):
            yield sentence[start : found.start()], is_reason
            start, is_reason = found.end(), True
        rest = sentence[start:]
        ends = self._comma.search(rest) if is_reason else None
        yield (rest, is_reason) if ends is None else (rest[: ends.start()], is_reason)
        if ends is not None:
            yield rest[ends.end() :], False

    def _is_blocked(self, clause: str) -> bool:
        return self._blocks.search(self._harmless.sub(" ", fold(clause))) is not None

    def _to_be_read(self, sentence: str, *, asks: bool) -> str:
        """A sentence without what asks to remember it and what leads into it, "" for one that only asks."""
        request, this = self._remember.fullmatch(fold(sentence)), self._keep_this.search(fold(sentence))
        clause = request is not None and bool(request["that"])
        if asks and this is None and not (request is not None and request["asks"] and clause):
            return ""
        if request is not None and (clause or not request["asks"]):
            sentence = sentence[request.start("said") :]
            this = self._keep_this.search(fold(sentence))
        sentence = sentence[: this.start()] if this is not None else sentence
        sentence = self._as_main(sentence) if clause else self._led(sentence)
        while (trail := self._trails.search(fold(sentence))) is not None:
            sentence = sentence[: trail.start()]
        return sentence

    def _standard(self, found: re.Match[str]) -> str:
        return self._spelled.get(found.group().lower(), found.group())  # to a pattern, a long "s" is one, too

    def _stated(self, part: str, spoken: Spoken, *, year: int) -> Iterator[str]:
        """What a part of a sentence states, or what of it stands before a comma ("I am 30, married, no kids"), and what one is besides."""
        if statement := self._statement(part, spoken, year=year) or self._each_week(part, spoken, year=year):
            yield statement
            return
        cut = self._cut.search(part)
        if cut is None or self._repairs.match(fold(part[cut.end() :])):
            return
        statement = self._statement(part[: cut.start()], spoken, year=year)
        if statement:
            yield statement
        if not spoken.described:
            return
        for other in part[cut.end() :].split(",")[:_MOST_BESIDES]:
            if more := self._statement(f"{self._rules.copula} {other.strip()}", Spoken(), year=year):
                yield more

    def _each_week(self, part: str, spoken: Spoken, *, year: int) -> str:
        """What a part states that is so each week ("juego al pádel los jueves"): what no longer is so then may be so on other days."""
        times = self._language.times
        bare = times.pattern.sub(lambda found: found.group() if times.in_english(found, year=year) else " ", part)
        statement = self._statement(bare, spoken, year=year) if bare != part else ""
        return statement if statement.startswith(_EACH_WEEK) else ""

    def _as_main(self, clauses: str) -> str:
        """What follows upon "that", and upon "and that", as it is said by itself."""
        if not self._rules.verb_last:
            return self._that_too.sub(r"\g<joins> ", clauses)
        if self._statement(whole := self._verb_second(clauses), Spoken(), year=_ANY_YEAR, whole=True):
            return whole
        found = [re.sub(rf"^(?:{self._rules.that})", "", clause) for clause in self._clauses.split(clauses)]
        who = self._begins.match(found[0])
        main = [clause if who is None or self._begins.match(clause) else f"{who.group()} {clause}" for clause in found]
        return ", ".join(self._verb_second(clause) for clause in main)

    def _verb_second(self, clause: str) -> str:
        """ "ich in Köln wohne" as it is said by itself: "ich wohne in Köln"; the same where the verb is not at the end."""
        who = self._begins.match(clause) if self._rules.verb_last else None
        middle, _, verb = clause[who.end() :].strip().rpartition(" ") if who else ("", "", "")
        return f"{who.group()} {verb} {middle}" if who and middle else clause

    def _statement(self, said: str, spoken: Spoken, *, year: int, whole: bool = False) -> str:
        """What one clause states, "" for nothing; one that says not who it is about is about whom those before have `spoken` of.

        Of a `whole` sentence nothing may be left over.
        """
        if statement := self._in_all_words(said, spoken, year=year):
            return statement
        clause, times = self._untimed(said.strip(DANGLING), year=year)
        lasts = self._lasting.match(clause)
        clause = clause if lasts is None else clause[lasts.end() :]
        begins = [lasts is not None or self._is_since(words) for words, _ in times]
        led = self._led(clause)
        now = self._now.search(fold(led)) is not None
        plain = _squeezed(self._aside, led)
        bare = " ".join(plain.replace(_TIME, " ").split()).strip(DANGLING)
        first = (plain.split() or [""])[0]
        moved = first == _TIME or self._aside.match(fold(led)) is not None
        bare, plain = (self._in_order(one, moved=moved) for one in (bare, plain.strip(DANGLING)))
        for one, timed in self._ways(bare, plain, spoken):
            about = self._about.match(fold(one))
            for statement, dated, more_said in self._told(self._frames, one, timed, times):
                if (whole and more_said) or (not now and statement.endswith(" now")):
                    continue
                if times and not all(begins) and _LASTING.match(statement):
                    continue
                since = zip(times, begins, strict=True)
                ends = [] if dated or more_said else [_as_since(time, is_since) for (_, time), is_since in since]
                more = ["now"] if now and not more_said and not _SAYS_NOW.search(statement) else []
                spoken.described = _DESCRIBES.match(statement) is not None
                spoken.other = self._whom(one, about) if about is not None and not self._beside.search(fold(one)) else ""
                return " ".join([statement, *more, *ends])
        spoken.described = False
        spoken.other = self._whom(one, about) if about is not None and about.end() == len(one) else ""
        return ""

    def _in_all_words(self, said: str, spoken: Spoken, *, year: int) -> str:
        """What a clause states of things that are what all of its words say: "Filme mit viel zu lauter Musik", "Wandern im Winter"."""
        _, times = self._untimed(said.strip(DANGLING), year=year)
        led = self._led(said.strip(DANGLING))
        if (not times and _squeezed(self._aside, led) == led) or any(_ONCE.search(time) for _, time in times):
            return ""
        for one, _ in self._ways(led, "", spoken):
            about = self._about.match(fold(one))
            for statement, _, more_said in self._told(self._wide, one, "", ()):
                if not more_said:
                    spoken.described = False
                    spoken.other = self._whom(one, about) if about is not None and not self._beside.search(fold(one)) else ""
                    return statement
        return ""

    def _told(self, frames: Sequence[_Frame], text: str, timed: str, times: Sequence[tuple[str, str]]) -> Iterator[tuple[str, bool, bool]]:
        """What frames say in English of a text, without or with its times, each with whether it has a time, and whether more was said."""
        for pattern, english, dated in frames:
            if dated and len(times) != 1:
                continue
            match = pattern.fullmatch(fold(timed if dated else text))
            statement = self._in_english(match, english, timed if dated else text, times) if match is not None else None
            if match is not None and statement is not None:
                yield statement, dated, any(value and name.startswith("rest") for name, value in match.groupdict().items())

    def _ways(self, bare: str, timed: str, spoken: Spoken) -> Iterator[tuple[str, str]]:
        """A clause as it was said, and with whom it does not name, without and with its times."""
        yield bare, timed
        who = self._subject.match(bare)
        if who is not None:
            spoken.subject = who.group()
            return
        if spoken.other and (found := self._others.match(fold(bare))) is not None:
            yield f"{spoken.other} {bare[found.end() :]}", ""
        elif spoken.subject or self._elided.match(fold(bare)) is not None:
            subject = spoken.subject or self._rules.oneself
            yield f"{subject} {bare}", f"{subject} {timed}"

    def _whom(self, clause: str, about: re.Match[str]) -> str:
        """Somebody of one's own, as a clause would begin with them."""
        return f"{self._rules.my} {clause[about.start('whom') : about.end('whom')]}"

    def _untimed(self, clause: str, *, year: int) -> tuple[str, list[tuple[str, str]]]:
        """The clause with a mark in place of each of its times, and these: as they are said, and in English."""
        times: list[tuple[str, str]] = []

        def mark(match: re.Match[str]) -> str:
            english = self._language.times.in_english(match, year=year)
            if not english:
                return match.group()
            times.append((match.group(), _MONTHS.sub(lambda month: month.group().title(), english)))
            return _TIME

        return self._language.times.pattern.sub(mark, clause), times

    def _is_since(self, words: str) -> bool:
        """Whether a time is said to be the beginning of what lasts."""
        return self._language.means("prep", words.split()[0]) == "since"

    def _led(self, clause: str) -> str:
        for _ in range(4):
            found = self._lead.match(fold(clause))
            if found is None or not found.end():
                break
            clause = clause[found.end() :]
        return clause

    def _in_order(self, clause: str, *, moved: bool) -> str:
        """ "wohne ich in Köln", which something was said before, as it is said by itself; else it may ask."""
        return self._turned.sub(r"\g<who> \g<verb>", clause, count=1) if moved and self._turned.match(clause) else clause

    def _pattern(self, frame: str, english: str) -> re.Pattern[str]:
        """A frame as a pattern, with a numbered group for each slot that English has, too, and for the negation."""

        numbers = count()

        def filled(slot: re.Match[str]) -> str:
            said = slot[1] == "not" or slot[1].startswith("rest") or (slot.group() in english and slot[1] != "date")
            return f"(?P<{slot[1]}{next(numbers)}>{self._filled(slot)[3:]}" if said else self._filled(slot)

        return re.compile(fold(_SPACED.sub("['’ ]{1,2}", _SLOT.sub(filled, frame))), re.IGNORECASE)

    def _filled(self, slot: re.Match[str]) -> str:
        """What a slot looks like, as a group without a name."""
        name = slot[1]
        if name in self._rules.patterns:
            inside = _SLOT.sub(self._filled, self._rules.patterns[name])
        elif name in LISTS or name in MOST_WORDS:
            inside = _LONG if name == "things" else _OPEN
        elif name in self._means:
            inside = any_of(self._means[name])
        else:
            inside = _TIME if name == "date" else filled_in(slot.group())  # what is called the same in English
        return f"(?:{inside})"

    def _in_english(self, match: re.Match[str], english: str, text: str, times: Sequence[tuple[str, str]]) -> str | None:
        """What a frame says in English of what was found, None if a value is none of its kind."""
        found: dict[str, str] = {}
        for numbered, value in match.groupdict().items():
            name = numbered.rstrip(digits)
            if value is None:
                found.setdefault(name, "")
                continue
            meant = self._values.value(name, text[match.start(numbered) : match.end(numbered)].strip())
            if meant is None:
                return None
            found[name] = meant
        found["do"], found["am"] = _NOT[found.pop("not", "")]
        found["date"] = _dated(times[0][1]) if times else ""
        return " ".join(english.format(**found).split())


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{fold('|'.join(patterns))})(?!\w)", re.IGNORECASE)


def _words_of(found: Iterator[str] | Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{any_of(found)})(?=\s|,|$)", re.IGNORECASE)


def _squeezed(aside: re.Pattern[str], clause: str) -> str:
    """The clause without what is said aside in it."""
    parts, end = [], 0
    for match in aside.finditer(fold(clause)):
        parts.append(clause[end : match.start()])
        end = match.end()
    return " ".join("".join([*parts, clause[end:]]).split())


def _as_since(time: str, since: bool) -> str:
    """A time as it stands after a statement: "for 3 years" of what is so still is "since 3 years ago"."""
    if time.startswith("for "):
        return f"since {_SINCE.sub('', time)} ago"
    return f"since {_SINCE.sub('', time)}" if since else time


def _dated(time: str) -> str:
    """A date as it stands after "is" or "born"."""
    return f"on {time}" if time[0].isdecimal() and not time.isdecimal() else time
