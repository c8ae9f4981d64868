"""What somebody says of themselves and theirs in another language: each statement is said in English, as which `claims` read it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo

from memdb.called import called
from memdb.english_rules import compiled, filled_in, rules
from memdb.languages import Language, forms, language, language_of, verbs
from memdb.sentences import BLANKS, READ_WHOLE, masked, sentences
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS
from memdb.unspaced import words_of

_TELLING = 500  # characters, by which the language of a text is told
_QUOTED = re.compile(r"[„«»\u2039\u203a][^„«»\u2039\u203a\n]{0,600}")  # up to where it ends, or all of the line
_APART = re.compile(r"\s*[;:()\[\]–—]\s*|\s+-+\s+|,\s+(?=,)")
_SPACED = re.compile(r"['’]\s?")
_SLOT = re.compile(r"\{([a-z]+)\}")
_TIME = "¶"
_DANGLING = " ,.!-¡¿"
_MOST_WORDS = {"name": 3, "place": 4, "town": 4, "org": 4, "job": 4, "thing": 5}
_PROPER = ("name", "place", "town", "org")
_IN_SMALL_LETTERS = {"name": 2, "place": 1}  # so many words of a name, where none has a capital
_LISTS = {"names": "name", "things": "thing", "languages": "language"}
_OPEN = ".{1,60}?"
_MOST_ITEMS = 6
_MONTHS = re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b")
_SINCE = re.compile(r"^(?:since |for |in )+")
_NOT = {"": ("", "am"), "no longer": ("no longer ", "am no longer"), "not": ("do not ", "am not")}


def spoken_in(text: str) -> Language | None:
    """Return the language of a message in which statements are read, None for English and all others.

    A statement is often too short to have words of grammar that tell it (“Vivo en Sevilla”). Where there is no word of English, the verbs
    tell it with which one speaks of oneself.
    """
    words = words_of(unicodedata.normalize("NFC", text[:_TELLING]))
    if (told := language_of(words)) is not None:
        return told if told.statements is not None else None
    if not ONLY_ENGLISH.isdisjoint(words):
        return None
    distinct = set(words)
    known = [code for code, spoken in verbs().items() if not spoken.isdisjoint(distinct)]
    theirs = {code: language(code).stop_words | verbs()[code] for code in known}
    # those of which as much may be English are not: “I adore jazz”, “I like soy”
    shares = {code: len(distinct & own) for code, own in theirs.items() if len(distinct & own) > len((distinct & STOP_WORDS) - own)}
    most = [code for code, share in shares.items() if share == max(shares.values(), default=0)]
    return language(most[0]) if len(most) == 1 else None


def statements_in(text: str, language: Language, *, at: datetime, zone: tzinfo) -> Iterator[tuple[str, str]]:
    """Yield what a text in another language states, as a sentence of English with the values as they were said, and its own sentence.

    Only whole clauses are read that one of the language's frames fits, and only where the sentence does not ask, suppose, wish or tell
    what somebody else says; of a text to work on, or a tale, nothing. Of what is very long, the first part is read.
    """
    text = unicodedata.normalize("NFC", text)
    told = reader(language)
    hidden = _QUOTED.sub(lambda match: "¤" * len(match.group()), masked(text)[:READ_WHOLE])
    if told.tale.search(hidden) or compiled(rules().block["turn"]).search(hidden):
        return
    year = at.astimezone(zone).year
    for start, end, mark in sentences(told.dates.sub("\u2024", hidden)):
        sentence = BLANKS.sub(" ", hidden[start:end]).replace("\n", " ").strip(_DANGLING)
        if sentence and "?" not in mark and "¤" not in sentence:
            for statement in told.said(sentence, year=year):
                yield statement, text[start:end].strip()


def as_facts_say(words: Sequence[str], language: Language) -> list[str]:
    """Return the words by which facts have what the words of a question ask for: "Wo wohne ich?" asks for who "lives" somewhere."""
    said = language.statements
    if said is None:
        return []
    meant = {form: english for english, forms_of in said.asked.items() for form in forms_of.split()}
    found = [meant[word] for word in words if word in meant]
    found += [f"favourite {english}" for form, english in forms(said.words["favourite"]).items() if form in words]
    if not found:
        return []  # who asks for a thing of this kind, and of whom
    people = forms(said.words["relative"] | said.words["pet"])
    found += [called().relations.get(english, english).replace("_", " ") for form, english in people.items() if form in words]
    return list(dict.fromkeys(" ".join(found).split()))


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
        self.dates = re.compile(rf"(?<=\d)\.(?= ?(?:{_alternatives(forms(language.words['month']))})(?!\w))", re.IGNORECASE)
        self._means = {slot: {fold(form): english for form, english in forms(table).items()} for slot, table in rules.words.items()}
        self.tale = _any(rules.tale)
        self._blocks = _any(rules.blocks)
        self._remember = re.compile(fold(rules.remember), re.IGNORECASE)
        self._joined = re.compile(rf",?\s+(?:{rules.joins})\s+(?={rules.starts})|,\s+(?={rules.starts})|{_APART.pattern}", re.IGNORECASE)
        self._starts = re.compile(rf"(?:{rules.starts})", re.IGNORECASE)
        self._lead = re.compile(rf"(?:{fold(rules.leads)})(?:[\s,!.:-]+|$)", re.IGNORECASE)
        self._now = _words_of(form for form, english in self._means["aside"].items() if english == "now")
        self._aside = _words_of(self._means["aside"])
        self._turned = re.compile(rf"(?P<verb>[\w']+) (?P<who>{rules.subjects})(?= |$)", re.IGNORECASE)
        self._subject = re.compile(rf"(?:{rules.subjects})(?= |$)", re.IGNORECASE)
        self._list = re.compile(rf",?\s+(?:{rules.lists})\s+|,\s+", re.IGNORECASE)
        self._the = re.compile(rf"^(?:{rules.the})", re.IGNORECASE)
        self._deny = {kind: re.compile(rf"(?:{fold(deny)})$", re.IGNORECASE) for kind, deny in rules.deny.items()}
        self._frames = [(self._pattern(match, english), english, "{date}" in match) for match, english in rules.frames]

    def said(self, sentence: str, *, year: int) -> Iterator[str]:
        """What a sentence states, in English."""
        found = self._remember.fullmatch(fold(sentence))
        if found is not None:
            sentence = sentence[found.start("said") :]
            if self._rules.verb_last and found["that"]:
                sentence = self._verb_second(sentence)
        sentence = self._led(sentence)
        if self._blocks.search(fold(sentence)):
            return
        whole = self._statement(sentence, "", year=year)[0]
        if whole:
            yield whole
            return
        subject = ""
        for part in self._joined.split(sentence):
            statement, subject = self._statement(part, subject, year=year)
            if statement:
                yield statement

    def _verb_second(self, clause: str) -> str:
        """ "ich in Köln wohne" as it is said by itself: "ich wohne in Köln"."""
        who = re.match(rf"(?:{self._rules.subjects}|{self._rules.patterns['mine']} \S+)(?= )", clause, re.IGNORECASE)
        middle, _, verb = clause[who.end() :].strip().rpartition(" ") if who else ("", "", "")
        return f"{who.group()} {verb} {middle}" if who and middle else clause

    def _statement(self, said: str, subject: str, *, year: int) -> tuple[str, str]:
        """What one clause states, "" for nothing, and who it is about; one that says not who is about the `subject` of the one before."""
        clause, times = self._untimed(said.strip(_DANGLING), year=year)
        led = self._led(clause)
        now = self._now.search(fold(led)) is not None
        plain = _squeezed(self._aside, led)
        bare = " ".join(plain.replace(_TIME, " ").split()).strip(_DANGLING)
        first = (plain.split() or [""])[0]
        moved = first == _TIME or self._aside.match(fold(led)) is not None
        bare, plain = (self._in_order(one, moved=moved) for one in (bare, plain.strip(_DANGLING)))
        who = self._subject.match(bare)
        ways = [(bare, plain)]
        if who is None and subject:
            ways.append((f"{subject} {bare}", f"{subject} {plain}"))
        for one, timed in ways:
            for pattern, english, dated in self._frames:
                if dated and len(times) != 1:
                    continue
                text = timed if dated else one
                match = pattern.fullmatch(fold(text))
                statement = self._in_english(match, english, text, times) if match is not None else None
                if statement is not None:
                    ends = [] if dated else [_as_since(time, self._is_since(words)) for words, time in times]
                    more = ["now"] if now and "no longer" not in statement and "used to" not in statement else []
                    return " ".join([statement, *more, *ends]), who.group() if who else subject
        return "", who.group() if who else ""

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
        """A frame as a pattern, with a group for each slot that English has, too, and for the negation."""

        def filled(slot: re.Match[str]) -> str:
            name = slot[1]
            if name in self._rules.patterns:
                inside = _SLOT.sub(filled, self._rules.patterns[name])
            elif name in _LISTS or name in _MOST_WORDS:
                inside = _OPEN
            elif name in self._means:
                inside = _alternatives(self._means[name])
            else:
                inside = _TIME if name == "date" else filled_in(slot.group())  # what is called the same in English
            return f"(?P<{name}>{inside})" if name == "not" or (slot.group() in english and name != "date") else f"(?:{inside})"

        return re.compile(fold(_SPACED.sub("['’ ]{1,2}", _SLOT.sub(filled, frame))), re.IGNORECASE)

    def _in_english(self, match: re.Match[str], english: str, text: str, times: Sequence[tuple[str, str]]) -> str | None:
        """What a frame says in English of what was found, None if a value is none of its kind."""
        found: dict[str, str] = {}
        for name, value in match.groupdict().items():
            said = text[match.start(name) : match.end(name)] if value is not None else ""
            meant = self._value(name, said.strip()) if said else ""
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
            return self._means[name].get(fold(said.lower()))
        return said if name not in _MOST_WORDS or self._is_value(name, said) else None

    def _is_value(self, kind: str, said: str) -> bool:
        """Whether words may be what is looked for: no grammar beside what belongs into a name, capitals where a name has them."""
        words = said.split()
        inside = (self._rules.in_names if kind in _PROPER else self._rules.in_things).split()
        denied = self._deny.get(kind)
        if len(words) > _MOST_WORDS[kind] or "," in said or (denied and denied.match(fold(said))):
            return False
        if self._starts.match(said):
            return False  # "Pizza und hasse Oliven": another clause
        small = said == said.lower()
        for place, word in enumerate(words):
            grammar = word.lower() in self._language.stop_words and (word.islower() or kind not in _PROPER)
            if grammar and (place in (0, len(words) - 1) or word.lower() not in inside):
                return False
            if kind in _PROPER and not small and not grammar and not (word[0].isupper() or word[0].isdecimal() or word.lower() in inside):
                return False
        return any(letter.isalpha() for letter in said) and not (kind in _PROPER and small and len(words) > _IN_SMALL_LETTERS.get(kind, 0))


def fold(text: str) -> str:
    """Return a text, or a pattern, as long as it was, without accents."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{fold('|'.join(patterns))})(?!\w)", re.IGNORECASE)


def _words_of(found: Iterator[str] | Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\S)(?:{_alternatives(found)})(?=\s|,|$)", re.IGNORECASE)


def _alternatives(found: Iterator[str] | Mapping[str, str]) -> str:
    return "|".join(re.escape(form) for form in sorted(found, key=len, reverse=True))


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
