"""The languages beside English that questions and messages are read in, and how they are told apart; rules/languages holds them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import count
from typing import Literal

from memdb import files
from memdb.fitting import any_of
from memdb.records import Intent, Record
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS

CODES = ("de", "es", "fr", "it", "nl", "pt")

Cue = Literal[
    "latest", "earliest", "present", "former", "lately", "last_talk", "first_talk", "since_talk", "birthday", "next_one", "before", "after"
]  # fmt: skip
Whose = Literal["user", "assistant", "both"]

_SPACE, _SPACE_OR_NONE = r"[\x20\t\n]{1,3}", r"[\x20\t\n]{0,3}"
_YEAR = r"(?:19|20)\d\d(?![.,:/-]?\d|[ \t]?(?:[€$£%°]|(?:euros?|dollars?|m[eè]t(?:ern?|res?|ros?|ri)|kcal|kwh|k?m|k?g|m?l|k?w)\b))"
_SHIPPED: dict[str, str] = {
    "day": r"(?:0?[1-9]|[12]\d|3[01])(?!\d)",
    "number": r"0?[1-9](?!\d)|1[0-2](?!\d)",  # of a month
    "year": _YEAR,
    "iso": r"(?:19|20)\d\d-\d\d-\d\d(?!\d)",
}
"""What a frame may have that is written alike in all languages."""

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_YEARS = {"lastyear": -1, "nextyear": 1}
_SLOT = re.compile(r"\{([a-z]+)(\d*)\}")
_WORD = re.compile(r"[^\W_]+")
_NEVER = r"(?!)"
_BEGINS = 3  # letters
_READ = 1_000  # characters of a clause, as in English
_ALIKE, _MANY_ALIKE = 3, 5  # so many words that are English or names as well tell it, too: where they are half of the text, and in any
_LEAST_SHARE = 5  # one word of so many tells the language at least, or it is another one
_TWO = 2  # so many words tell a language that nothing else is read of


class Statements(Record):
    """How somebody speaks of themselves; rules/languages/de.toml says how the fields are meant and used."""

    subjects: str
    oneself: str
    elided: str
    copula: str
    my: str
    about: str
    pronouns: str
    of_another: str
    beside: str
    verb_last: bool = False
    remember: str
    asks_to_keep: str
    that: str
    keep_this: str
    unkept: str
    tale: tuple[str, ...]
    blocks: tuple[str, ...]
    harmless: tuple[str, ...]
    then_asks: str
    starts: str
    joins: str
    leads: str
    trails: str
    cuts: str
    repairs: str
    lists: str
    together: str
    restricts: str
    relatives: str
    reasons: str
    of_others: str
    the: str
    in_names: str
    in_things: str
    patterns: dict[str, str]
    deny: dict[str, str]
    spelled: dict[str, str]
    words: dict[str, dict[str, str]]
    frames: tuple[tuple[str, str], ...]
    replies: tuple[tuple[str, str], ...]
    repair: str
    asked: dict[str, str]


class Questions(Record):
    """How somebody asks for what has a key of its own; rules/languages/de.toml says how the fields are meant and used."""

    leads: str
    asides: str
    ways: tuple[tuple[str, ...], ...]


class Language(Record):
    """What one of these files holds; rules/languages/de.toml says how the fields are meant and used."""

    name: str
    stop_words: frozenset[str]  # words of grammar, each as the full-text index has it
    anything: str
    user: tuple[str, ...]
    assistant: tuple[str, ...]
    intents: dict[Intent, tuple[str, ...]]
    past: tuple[str, ...]
    ahead: tuple[str, ...]
    joins: tuple[str, ...]
    words: dict[str, dict[str, str]]
    telling: tuple[str, ...]
    place: str
    cues: dict[Cue, tuple[str, ...]]
    said: dict[Whose, tuple[str, ...]]
    frames: tuple[tuple[str, str], ...]
    statements: Statements | None = None
    questions: Questions | None = None

    @cached_property
    def of_anything(self) -> frozenset[str]:
        """Words that ask for whatever there was."""
        return frozenset(self.anything.split())

    @cached_property
    def asks_user(self) -> re.Pattern[str]:
        """What a question has that is about the user's own words."""
        return _any_of(self.user)

    @cached_property
    def asks_assistant(self) -> re.Pattern[str]:
        """What a question has that is about the assistant's."""
        return _any_of(self.assistant)

    @cached_property
    def tells_past(self) -> re.Pattern[str]:
        """What a clause has that tells of what was."""
        return _any_of(self.past)

    @cached_property
    def tells_present(self) -> re.Pattern[str]:
        """What a clause has that tells of what is or is to be, where nothing of it tells of what was."""
        return _any_of(self.ahead)

    @cached_property
    def joiners(self) -> re.Pattern[str]:
        """What stands between clauses."""
        return re.compile(rf"[,;:]|{_any_of(self.joins).pattern}", re.IGNORECASE)

    @cached_property
    def asked_for(self) -> dict[Intent, re.Pattern[str]]:
        """What a question has that asks for each of these."""
        return {intent: _any_of(patterns) for intent, patterns in self.intents.items()}

    @cached_property
    def of_place(self) -> frozenset[str]:
        """One of these words is in what asks for the last or the first, or for the last conversation."""
        return frozenset(self.place.split())

    def cue(self, cue: Cue, text: str) -> re.Match[str] | None:
        """Return where a question says something about time without naming a date, or None."""
        pattern = self._cues.get(cue)
        if pattern is None:
            change = rf"(?P<change>{_alternatives(forms(self.words['change']))})\b"
            pattern = self._cues[cue] = _any_of(pattern.replace("{change}", change) for pattern in self.cues[cue])
        return pattern.search(text)

    @cached_property
    def _cues(self) -> dict[Cue, re.Pattern[str]]:
        return {}

    @cached_property
    def changes(self) -> frozenset[str]:
        """The forms of the words for what changed."""
        return frozenset(forms(self.words["change"]))

    @cached_property
    def asks_said(self) -> tuple[tuple[Whose, re.Pattern[str]], ...]:
        """Whole questions for whatever somebody said at some time."""
        when = r"(?P<when>[\w'-][\w' -]{1,60}?)"  # any words: whether they are a time is looked up, as a pattern of all takes long to make
        return tuple(
            (whose, re.compile(rf"\W*{pattern.replace('{when}', when)}\W*$", re.IGNORECASE))
            for whose, patterns in self.said.items()
            for pattern in patterns
        )

    @cached_property
    def asking(self) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
        """The ways to ask for what has a key of its own, each with the keys."""
        numbers = count()

        def filled(slot: re.Match[str]) -> str:
            return f"(?P<{slot[1]}{next(numbers)}>{any_of(self.asked_of(slot[1]))})"

        ways = self.questions.ways if self.questions is not None else ()
        return tuple((re.compile(re.sub(r"\{(relative|favourite)\}", filled, way)), tuple(keys)) for way, *keys in ways)

    def asked_of(self, slot: str) -> dict[str, str]:
        """Return the forms of a slot of these questions, as they are compared, each with what English says for it."""
        assert self.statements is not None  # where there are questions, there are statements
        return {fold(form).replace("ß", "ss"): english for form, english in forms(self.statements.words[slot]).items()}

    @cached_property
    def when_words(self) -> frozenset[str]:
        """One of these words is in every time at which something was said."""
        return frozenset(max(_WORD.findall(form), key=len) for form in forms(self.words["when"]))

    def means(self, slot: str, form: str) -> str | None:
        """Return what one of a slot's forms means, None for what is none of them."""
        return forms(self.words[slot]).get(" ".join(form.lower().split()))

    @cached_property
    def time_words(self) -> frozenset[str]:
        """One of these words is in every time that no number tells, by itself or at the beginning of a longer one ("Samstagabend")."""
        return frozenset(max(_WORD.findall(form), key=len) for slot in self.telling for form in forms(self.words[slot]))

    def may_tell(self, words: Iterable[str]) -> bool:
        """Tell whether there may be a time among words, which most texts have none of."""
        return any(word[0].isdecimal() or (word[:_BEGINS] in self._beginnings and word not in self._no_times) for word in words)

    @cached_property
    def _no_times(self) -> frozenset[str]:
        return self.stop_words - self.time_words  # "die" begins as "Dienstag" does

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(word[:_BEGINS] for word in self.time_words)

    @cached_property
    def times(self) -> Times:
        """How times are found, and said in English."""
        return Times(self)

    def has_past(self, words: Iterable[str]) -> int:
        """Return how many words tell of what was."""
        return sum(self.tells_past.match(word) is not None for word in words)

    def is_ahead(self, clause: str) -> bool:
        """Tell whether a clause speaks of what is, or is to be, and not of what was."""
        straight = clause[:_READ].replace("’", "'")
        return bool(self.tells_present.search(straight)) and not self.tells_past.search(straight)


class Times:
    """The frames of a language as one pattern, and what each match of it is in English."""

    def __init__(self, language: Language) -> None:
        self._english = [english for _, english in language.frames]
        self._means = {slot: forms(table) for slot, table in language.words.items()}
        self._means["number"] = {str(number): name for number, name in enumerate(_MONTHS, start=1)}
        slots = _SHIPPED | {slot: _alternatives(means) for slot, means in self._means.items() if slot != "number"}
        slots["count"] += r"|\d{1,4}"
        ways = (f"(?P<f{place}>{_filled(pattern, slots, place)})" for place, (pattern, _) in enumerate(language.frames))
        self.pattern = re.compile(rf"(?<![\w@#/])(?=\w)(?:{'|'.join(ways)})(?!\w|-\w)", re.IGNORECASE)

    def in_english(self, match: re.Match[str], *, year: int) -> str:
        """Return what the words that were found, said in a year, are in English, "" if they are no time."""
        frame = match.lastgroup or ""
        place = frame[1:]

        def told(slot: re.Match[str]) -> str:
            if slot[1] in _YEARS:
                return f"{year + _YEARS[slot[1]]}"
            said = " ".join((match[f"{slot[1]}{slot[2]}_{place}"] or "").lower().split())
            if slot[1] == "number":
                said = said.lstrip("0")
            return self._means.get(slot[1], {}).get(said, said)

        return " ".join(_SLOT.sub(told, self._english[int(place)]).split())


def forms(table: Mapping[str, str]) -> dict[str, str]:
    """Return the forms of a slot's words, each with what English says for it."""
    return {form.strip(): english for english, forms in table.items() for form in forms.split(",")}


def fold(text: str) -> str:
    """Return a text, or a pattern, as long as it was, without accents."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def _filled(pattern: str, slots: Mapping[str, str], place: int) -> str:
    """A frame's pattern with its slots as groups, whose names tell the frame, too."""
    return _SLOT.sub(
        lambda slot: f"(?P<{slot[1]}{slot[2]}_{place}>{slots[slot[1]]})", pattern.replace(" ?", _SPACE_OR_NONE).replace(" ", _SPACE)
    )


def _alternatives(forms: Iterable[str]) -> str:
    return "|".join(re.escape(form).replace(r"\ ", _SPACE) for form in sorted(forms, key=len, reverse=True))


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns) or _NEVER})", re.IGNORECASE)


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """The words of grammar of each language, and under `alike` those that are English, or names, as well."""
    return {code: frozenset(words.split()) for code, words in tomllib.loads(files.read("rules/languages/function_words.toml")).items()}


@cache
def verbs() -> dict[str, frozenset[str]]:
    """Return the words of each language with which somebody speaks of themselves."""
    return {code: frozenset(words.split()) for code, words in tomllib.loads(files.read("rules/languages/verbs.toml")).items()}


@cache
def all_verbs() -> frozenset[str]:
    """Return these words of all languages."""
    return frozenset().union(*verbs().values())


@cache
def language(code: str) -> Language:
    """Return what is known of a language."""
    rest = tomllib.loads(files.read(f"rules/languages/{code}.toml"))
    return Language.model_validate({**rest, "stop_words": _function_words()[code]})


@cache
def _telling() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """The words of grammar that tell a language, and whose they are; and those that are English, or names, as well."""
    found: dict[str, tuple[str, ...]] = {}
    for code in CODES:
        for word in _function_words()[code]:
            found[word] = (*found.get(word, ()), code)
    alike = _function_words()["alike"]
    known = {word: codes for word, codes in found.items() if word not in STOP_WORDS and not (len(word) == 1 and word.isascii())}
    return {word: codes for word, codes in known.items() if word not in alike}, alike & known.keys()


def language_of(words: Sequence[str]) -> Language | None:
    """Return the language of a text by its words in lower case, or None for English and whatever else is not one of these.

    It is the one of which it has most words of grammar and of time, if the former are more than twice those of English, and no few of all
    its words. One of them at least must be no word of English, and nothing that names are made of ("de la"); or there are several, and no
    English.
    """
    only_english = len(ONLY_ENGLISH.intersection(words))
    if 3 * only_english >= len(words):
        return None  # as most questions are: no file need be read
    tells, alike = _telling()
    distinct = {word for word in words if not word[0].isdecimal()}
    if tells.keys().isdisjoint(distinct) and (only_english or len(alike & distinct) < _ALIKE):
        return None
    shared = ((code, distinct & _function_words()[code]) for code in CODES)
    known = {code: some for code, some in shared if some}  # of the others nothing more is read
    familiar = {code: len(words | distinct & language(code).time_words) for code, words in known.items()}
    level = [code for code in known if familiar[code] == max(familiar.values())]
    if len(level) > 1:  # "por que" alone is Spanish and Portuguese
        level.sort(key=lambda code: language(code).has_past(distinct), reverse=True)
    told, most = language(level[0]), len(known[level[0]])
    theirs, english = known[level[0]] - STOP_WORDS, (distinct & STOP_WORDS) - known[level[0]]
    many = len(theirs) >= _MANY_ALIKE or (len(theirs) >= _ALIKE and 2 * familiar[level[0]] >= len(distinct))
    by_itself = many or not tells.keys().isdisjoint(theirs)
    return told if by_itself and most * _LEAST_SHARE >= len(distinct) and len(theirs) > 2 * len(english) else None


@cache
def _unread() -> tuple[dict[str, frozenset[str]], frozenset[str], frozenset[str]]:
    """The words of grammar of each language that nothing more is read of; those that are English, or names, as well; and all of them."""
    found = {name: frozenset(words.split()) for name, words in tomllib.loads(files.read("rules/languages/unread.toml")).items()}
    return found, found.pop("alike"), frozenset().union(*found.values())


def grammar_unread(words: Sequence[str]) -> frozenset[str] | None:
    """Return the words of grammar of the language that a text of these words is in, where nothing more is read of it; None for what may be
    English.

    Such a text has no word of English grammar only. It is told by two words that are not English, by one beside letters that English has
    not, or by several that are names as well and half of all.
    """
    if 3 * len(ONLY_ENGLISH.intersection(words)) >= len(words):
        return None  # as with most questions: no file need be read
    languages, alike, every = _unread()
    if every.isdisjoint(words):
        return None
    distinct = {word for word in words if len(word) > 1 or not word.isascii()}  # "o'Neil", "Mary's"
    english = STOP_WORDS & distinct
    theirs = {name: (distinct & known) - english for name, known in languages.items() if english <= known}
    if not theirs:
        return None
    name = max(theirs, key=lambda name: (len(theirs[name] - alike), len(theirs[name])))
    told, known = len(theirs[name] - alike), len(theirs[name])
    if told >= _TWO or (told and not all(map(str.isascii, distinct))):
        return languages[name]
    return languages[name] if known >= (_TWO if told else _ALIKE) and 2 * known >= len(distinct) else None
