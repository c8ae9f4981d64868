"""The frames in which a language states things: what of a sentence one of them fits, and how English says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from string import digits
from typing import Literal

from memdb.capitals import is_a_name
from memdb.english_rules import filled_in
from memdb.fitting import any_of
from memdb.languages import Language, fold, forms

_APART = re.compile(r"\s*[;:()\[\]–—]\s*|\s+-+\s+|,\s+(?=,)")
_SPACED = re.compile(r"['’]\s?")
_SLOT = re.compile(r"\{([a-z]+)\}")
_TIME = "¶"
DANGLING = " ,.!-¡¿"
"""What stands around a clause and is none of it."""
# so many words of a value of a kind; "capital" is one that is right, and known by its capital
_MOST_WORDS = {"name": 3, "called": 2, "place": 4, "town": 4, "org": 4, "job": 4, "thing": 5, "left": 4}
_MOST_WORDS |= {"kid": 3, "person": 2}  # "person" is called by a name that is known for one
_MOST_WORDS |= {"old": 4, "new": 4, "right": 4, "wrong": 4, "capital": 4}
_PROPER = ("name", "called", "place", "town", "org", "left", "capital", "kid", "person")
_IN_SMALL_LETTERS = {"name": 2, "kid": 2, "person": 2, "place": 1, "left": 2}  # so many words of a name, where none has a capital
_LISTS = {"names": "name", "things": "thing", "languages": "language", "kids": "kid"}
_OPEN = ".{1,60}?"
_MOST_ITEMS = 6
_ASKED = 150  # characters of a question behind a comma
_MONTHS = re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b")
_SINCE = re.compile(r"^(?:since |for |in )+")
_LASTING = re.compile(r"my name is ")  # at no time: "moi c'est Netflix ce soir"
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
        self._accented = {slot: forms(table) for slot, table in rules.words.items()}  # "avó" is no "avô"
        self._means = {slot: {fold(form): english for form, english in forms(table).items()} for slot, table in rules.words.items()}
        self.tale = _any(rules.tale)
        self._blocks = _any(rules.blocks)
        self._then_asks = re.compile(rf",(?=\s*(?:¿|(?:{fold(rules.then_asks)})(?!\w)[^.!?\n]{{0,{_ASKED}}}\?))", re.IGNORECASE)
        self._calendar = forms(language.words["weekday"]).keys() | forms(language.words["month"]).keys()
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
        self._starts = re.compile(rf"(?:{rules.starts})", re.IGNORECASE)
        self._lead = re.compile(rf"(?:{fold(rules.leads)})(?:[\s,!.:-]+|$)", re.IGNORECASE)
        self._trails = re.compile(rf",?\s(?:{fold(rules.trails)})$", re.IGNORECASE)
        self._cut = re.compile(rf"\s*,\s*|\s+(?:{rules.cuts})\s+", re.IGNORECASE)
        self._repairs = re.compile(rf"(?:{fold(rules.repairs)})(?!\w)", re.IGNORECASE)
        self._now = _words_of(form for form, english in self._means["aside"].items() if english == "now")
        self._aside = _words_of(self._means["aside"])
        self._turned = re.compile(rf"(?P<verb>[\w']+) (?P<who>{rules.subjects})(?= |$)", re.IGNORECASE)
        self._subject = re.compile(rf"(?:{rules.subjects})(?= |$)", re.IGNORECASE)
        self._elided = re.compile(fold(rules.elided), re.IGNORECASE)
        self._others = re.compile(rf"(?:(?:{fold(rules.pronouns)}) )?(?={fold(rules.of_another)})", re.IGNORECASE)
        self._about = re.compile(fold(_SLOT.sub(self._filled, rules.about)), re.IGNORECASE)
        self._beside = re.compile(rf"(?<!\w)(?:{rules.beside})(?!\w)", re.IGNORECASE)
        self._list = re.compile(rf",?\s+(?:{rules.lists})\s+|,\s+", re.IGNORECASE)
        self._aged = re.compile(fold(rf"(?P<name>.+?),? \(?(?:{_SLOT.sub(self._filled, rules.patterns['aged'])})\)?"), re.IGNORECASE)
        self._the = re.compile(rf"^(?:{rules.the})", re.IGNORECASE)
        self._deny = {kind: re.compile(rf"(?:{fold(deny)})$", re.IGNORECASE) for kind, deny in rules.deny.items()}
        self._frames = [(self._pattern(match, english), english, "{date}" in match) for match, english in rules.frames]
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
            return f"{told} {forgotten}" if forgotten and not self._blocks.search(fold(clause)) else ""
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
        if not sentence or self._blocks.search(fold(sentence)):
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
        for part in self._joined.split(sentence):
            yield from self._stated(part, spoken, year=year)

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
        for other in part[cut.end() :].split(",")[:_MOST_ITEMS]:
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
            for pattern, english, dated in self._frames:
                if dated and len(times) != 1:
                    continue
                text = timed if dated else one
                match = pattern.fullmatch(fold(text))
                if match is None:
                    continue
                more_said = any(value and name.startswith("rest") for name, value in match.groupdict().items())
                if whole and more_said:
                    continue
                statement = self._in_english(match, english, text, times)
                if statement is not None and not (times and _LASTING.match(statement)) and (now or not statement.endswith(" now")):
                    since = zip(times, begins, strict=True)
                    ends = [] if dated or more_said else [_as_since(time, is_since) for (_, time), is_since in since]
                    more = ["now"] if now and not more_said and not _SAYS_NOW.search(statement) else []
                    spoken.described = _DESCRIBES.match(statement) is not None
                    spoken.other = self._whom(one, about) if about is not None and not self._beside.search(fold(one)) else ""
                    return " ".join([statement, *more, *ends])
        spoken.described = False
        spoken.other = self._whom(one, about) if about is not None and about.end() == len(one) else ""
        return ""

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
        elif name in _LISTS or name in _MOST_WORDS:
            inside = _OPEN
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
            meant = self._value(name, text[match.start(numbered) : match.end(numbered)].strip())
            if meant is None:
                return None
            found[name] = meant
        found["do"], found["am"] = _NOT[found.pop("not", "")]
        found["date"] = _dated(times[0][1]) if times else ""
        return " ".join(english.format(**found).split())

    def _value(self, name: str, said: str) -> str | None:
        """What a slot's words are in English, or the words themselves, None where they are none of its kind."""
        if name in _LISTS:
            items = [self._the.sub("", item, count=1) for item in self._list.split(said)]
            values = [self._value(_LISTS[name], item) for item in items]
            known = [value for value in values if value]
            listed = " and ".join([", ".join(known[:-1]), known[-1]] if known[1:] else known)
            return listed if 0 < len(known) == len(values) <= _MOST_ITEMS else None
        if name in self._means:
            return self._accented[name].get(said.lower()) or self._means[name].get(fold(said.lower()))
        if name == "kid" and (aged := self._aged.fullmatch(fold(said))) is not None:  # "Mia, 5": how old they are follows upon their name
            child = self._value("name", said[: aged.end("name")])
            return child and f"{child} ({aged['age']})"
        if name in ("car", "firm"):
            return said.title() if said.islower() else said  # a make is a name, however it is typed
        return said if name not in _MOST_WORDS or self._is_value(name, said) else None

    def _is_value(self, kind: str, said: str) -> bool:
        """Whether words may be what is looked for: no grammar beside what belongs into a name, capitals where a name has them."""
        words = said.split()
        inside = (self._rules.in_names if kind in _PROPER else self._rules.in_things).split()
        denied = self._deny.get(kind)
        if len(words) > _MOST_WORDS[kind] or "," in said or (denied and denied.match(fold(said))):
            return False
        if kind == "capital" and said.lower() in self._calendar:
            return False
        if kind == "person" and not is_a_name(words[0]):
            return False
        if kind in ("name", "called", "person") and len(said) == 1:
            return False  # "la mia collega. È il nostro rito": a letter is a word
        if self._starts.match(said):
            return False  # "Pizza und hasse Oliven": another clause
        small = said == said.lower()
        for place, word in enumerate(words):
            grammar = word.lower() in self._language.stop_words and (word.islower() or kind not in _PROPER)
            if grammar and (place in (0, len(words) - 1) or word.lower() not in inside):
                return False
            if kind in _PROPER and not small and not grammar and not (word[0].isupper() or word[0].isdecimal() or word.lower() in inside):
                return False
        return any(letter.isalpha() or (letter.isdigit() and kind in ("right", "wrong")) for letter in said) and not (
            kind in _PROPER and small and len(words) > _IN_SMALL_LETTERS.get(kind, 0)
        )


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
