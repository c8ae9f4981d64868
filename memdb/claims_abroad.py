"""What somebody says of themselves and theirs in another language: each statement is said in English, as which `claims` read it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import NamedTuple

from memdb.called import called
from memdb.english_rules import compiled, rules
from memdb.frames_abroad import DANGLING, Spoken, reader
from memdb.languages import Language, all_verbs, fold, forms, language, language_of, verbs
from memdb.objects_abroad import unmarked, with_stand_ins
from memdb.records import Candidate
from memdb.sentences import BLANKS, READ_WHOLE, masked, sentences
from memdb.stop_words import ONLY_ENGLISH, STOP_WORDS, TOLD_IN_ENGLISH
from memdb.unspaced import words_of

_TELLING = 500  # characters, by which the language of a text is told
_JOINS = re.compile(r"[,;]\s+|(?<!\w)(?:and|but|und|aber|et|mais|y|pero)\s+")  # clauses, in whatever language
_OF_LANGUAGE = re.compile(
    r"\b(?:german|french|spanish|italian|portuguese|dutch|deutsch|englisch|english|anglais|ingl[eé]s|languages?|sentences?|phrases?|grammar"
    r"|translat\w*|pronounc\w*|means?|says?|said|told|tells?|wrote|asked|sa[gy]en|satz|s[äa]tze|lyrics|quotes?|words?|wort|phrase|frase)\b",
    re.IGNORECASE,
)
_MYSELF = frozenset("i my we our im".split())
_LEAST = 3  # words of a clause whose language is sure
_SHORT = 100  # characters, of which languages are told apart by what they state
_ENGLISH = re.compile(  # too short for its words of grammar: "I'm Mort", "Love soy"
    r"\W*(?:(?:hi|hey|hello)\W+)?(?:i(?:['’]m| am)|(?:i )?(?:(?:really|absolutely) )?(?:love|hate|like|enjoy|dislike))"
    r" [\w'’-]+(?: [\w'’-]+)?\W*",
    re.IGNORECASE,
)
_ANY_YEAR = 2000
_LONGEST_REPLY = 200  # characters, as in English
_STANDS_IN = re.compile(r"\w+")
_QUOTED = re.compile(r"[„«»\u2039\u203a][^„«»\u2039\u203a\n]{0,600}")  # up to where it ends, or all of the line


class Statement(NamedTuple):
    """What a sentence of another language states, in English, and the sentence.

    In `read` words stand for those of its `values` that English might read: "ich mag Musik im Restaurant" names nobody.
    """

    said: str
    read: str
    values: Mapping[str, str]
    excerpt: str

    def in_its_words(self, candidate: Candidate) -> Candidate:
        """Return a fact that was read in the statement, as it is of the sentence."""
        told, parts = {"excerpt": self.excerpt, "value_text": self._as_said(candidate.value_text)}, candidate.value_json
        if isinstance(parts, dict):
            parts = {name: self._as_said(value) if isinstance(value, str) else value for name, value in parts.items()}
        return candidate.model_copy(update={**told, "object": self._as_said(candidate.object), "value_json": parts})

    def _as_said(self, text: str) -> str:
        return _STANDS_IN.sub(lambda found: self.values.get(found.group(), found.group()), text).replace(" ,", ",") if self.values else text


def spoken_in(text: str) -> Language | None:
    """Return the language of a message in which statements are read, None for English and all others.

    A statement is often too short to have words of grammar that tell it (“Vivo en Sevilla”). Where there is no word of English, the verbs
    tell it with which one speaks of oneself.
    """
    if len(text) <= _SHORT and _ENGLISH.fullmatch(text):
        return None
    words = words_of(unicodedata.normalize("NFC", text[:_TELLING]))
    told = language_of(words)
    if (told is None and not ONLY_ENGLISH.isdisjoint(words)) or (told is not None and told.statements is None):
        return None
    if told is None and all_verbs().isdisjoint(words):
        return None
    distinct = set(words)
    known = [code for code, spoken in verbs().items() if not spoken.isdisjoint(distinct) or (told is not None and language(code) is told)]
    theirs = {code: language(code).stop_words | verbs()[code] for code in known}
    shares = {code: len(distinct & own) for code, own in theirs.items()}
    if told is None:  # those of which as much may be English are not: “I adore jazz”, “I like soy”
        shares = {code: share for code, share in shares.items() if share > len((distinct & STOP_WORDS) - theirs[code])}
    most = [code for code, share in shares.items() if share == max(shares.values(), default=0)]
    if told is None and len(most) > 1 and len(text) <= _SHORT:  # "Vivo a Milano", "Vivo en Sevilla"
        most = [code for code in most if next(_said(text, language(code), year=_ANY_YEAR), None) is not None]
    return language(most[0]) if len(most) == 1 else told  # "guido una Panda" is told by its verb, "es broma" by its noun


def statements_in(text: str, language: Language, *, at: datetime, zone: tzinfo) -> Iterator[Statement]:
    """Yield what a text in another language states, as a sentence of English with the values as they were said, and its own sentence.

    Only whole clauses are read that one of the language's frames fits, and only where the sentence does not ask, suppose, wish or tell
    what somebody else says; of a text to work on, or a tale, nothing. Of what is very long, the first part is read.
    """
    for said, excerpt in _said(unmarked(unicodedata.normalize("NFC", text)), language, year=at.astimezone(zone).year):
        yield Statement(unmarked(said), *with_stand_ins(said), excerpt)


def _said(text: str, language: Language, *, year: int) -> Iterator[tuple[str, str]]:
    told = reader(language)
    hidden = _QUOTED.sub(lambda match: "¤" * len(match.group()), masked(text, hesitation=False)[:READ_WHOLE])
    if told.tale.search(fold(hidden)) or compiled(rules().block["turn"]).search(hidden):
        return
    spoken, said, unkept = Spoken(), list[tuple[str, str]](), False
    for start, end, mark in sentences(told.cut(told.dates.sub("\u2024", hidden))):
        sentence = BLANKS.sub(" ", hidden[start:end]).replace("\n", " ").strip(DANGLING)
        if not sentence:
            continue
        refused = told.is_unkept(sentence)
        if refused == "beside":  # what was said right before it, or what is to come
            said, unkept = [], not said
            continue
        yield from said
        asks = "?" in mark
        stated = told.said(sentence, year=year, asks=asks, spoken=spoken) if not refused and "¤" not in sentence else ()
        said = [(statement, text[start:end].strip()) for statement in stated if not unkept]
        unkept = False
    yield from said


def mixed_in(text: str, language: Language | None, *, at: datetime, zone: tzinfo) -> tuple[list[Statement], str]:
    """Return what clauses state that are not in the language of most of a text, as `statements_in` does, and what of it is read as English.

    Of a text in English (`language` is None) that is all but those clauses; of a text in another language, only the clauses that are sure
    to be English, and speak of oneself. Who speaks of languages, or of what is said in them, has not said it.
    """
    nothing: tuple[list[Statement], str] = [], text if language is None else ""
    words = words_of(text[:_TELLING])
    if (all_verbs().isdisjoint(words) and language is None) or TOLD_IN_ENGLISH.isdisjoint(words) or _OF_LANGUAGE.search(text):
        return nothing
    mixed = unicodedata.normalize("NFC", text)
    hidden = _QUOTED.sub(lambda match: "¤" * len(match.group()), masked(mixed[:_TELLING], hesitation=False))
    if compiled(rules().block["turn"]).search(hidden) or (language is not None and reader(language).tale.search(fold(hidden))):
        return nothing
    stated: list[Statement] = []
    english: list[str] = []
    for start, end, mark in _clauses(hidden):
        clause = hidden[start:end].strip()
        if "¤" in clause:
            continue
        if language is None and "?" not in mark and (spoken := _surely(clause)) is not None:
            said = [one._replace(excerpt=clause) for one in statements_in(clause, spoken, at=at, zone=zone)]
            stated += said
            mixed = f"{mixed[:start]}{' ' * (end - start)}{mixed[end:]}" if said else mixed
        elif language is not None and _is_surely_english(clause, language):
            english.append(f"{clause}{mark}")
    if language is not None:
        return stated, "\n".join(english)
    return (stated, mixed) if stated else nothing


def _clauses(hidden: str) -> Iterator[tuple[int, int, str]]:
    """Where the clauses of a text are, each with the mark at the end of its sentence."""
    for begins, end, mark in sentences(hidden):
        start = begins
        for join in _JOINS.finditer(hidden, begins, end):
            yield start, join.start(), mark
            start = join.end()
        yield start, end, mark


def _surely(clause: str) -> Language | None:
    """The other language that a clause is in, if it is in one without any doubt."""
    words = words_of(clause)
    return spoken_in(clause) if len(words) >= _LEAST and ONLY_ENGLISH.isdisjoint(words) and all_verbs().intersection(words) else None


def _is_surely_english(clause: str, language: Language) -> bool:
    words = set(words_of(clause))
    foreign = (language.stop_words - STOP_WORDS) | all_verbs()
    return bool(words & _MYSELF and words & TOLD_IN_ENGLISH) and foreign.isdisjoint(words)


def reply_in(text: str, language: Language, *, at: datetime, zone: tzinfo) -> str:
    """Return what a short text says in English that only corrects or takes back what was said before it, or asks to forget it; else ""."""
    text = unicodedata.normalize("NFC", text)
    asks, text = text.rstrip().endswith("?"), text.rstrip().removesuffix("?")
    if len(text) > _LONGEST_REPLY or "?" in text or _QUOTED.search(text) or "¤" in (hidden := masked(text, hesitation=False)):
        return ""
    said = unmarked(reader(language).reply(hidden, year=at.astimezone(zone).year))
    return said if not asks or said.startswith("forget ") else ""  # "Puoi dimenticare che …?"


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
