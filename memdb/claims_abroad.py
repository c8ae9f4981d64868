"""What somebody says of themselves and theirs in another language: each statement is said in English, as which `claims` read it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from memdb.english_rules import compiled, rules
from memdb.frames_abroad import DANGLING, fold, reader
from memdb.languages import Language, forms, language, language_of, verbs
from memdb.sentences import BLANKS, READ_WHOLE, masked, sentences
from memdb.stop_words import ONLY_ENGLISH
from memdb.unspaced import words_of

_TELLING = 500  # characters, by which the language of a text is told
_QUOTED = re.compile(r"[„«»\u2039\u203a][^„«»\u2039\u203a\n]{0,600}")  # up to where it ends, or all of the line


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
    shares = {code: len(distinct & (language(code).stop_words | verbs()[code])) for code in known}
    most = [code for code, share in shares.items() if share == max(shares.values())]
    return language(most[0]) if len(most) == 1 else None


def statements_in(text: str, language: Language, *, at: datetime, zone: tzinfo) -> Iterator[tuple[str, str]]:
    """Yield what a text in another language states, as a sentence of English with the values as they were said, and its own sentence.

    Only whole clauses are read that one of the language's frames fits, and only where the sentence does not ask, suppose, wish or tell
    what somebody else says; of a text to work on, or a tale, nothing. Of what is very long, the first part is read.
    """
    text = unicodedata.normalize("NFC", text)
    told = reader(language)
    hidden = _QUOTED.sub(lambda match: "¤" * len(match.group()), masked(text)[:READ_WHOLE])
    if told.tale.search(fold(hidden)) or compiled(rules().block["turn"]).search(hidden):
        return
    year = at.astimezone(zone).year
    for start, end, mark in sentences(told.dates.sub("\u2024", hidden)):
        sentence = BLANKS.sub(" ", hidden[start:end]).replace("\n", " ").strip(DANGLING)
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
    found += [rules().relations.get(english, english).replace("_", " ") for form, english in people.items() if form in words]
    return list(dict.fromkeys(" ".join(found).split()))
