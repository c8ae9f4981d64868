"""Who is named in the words of what happened: by a capital, and by what only people do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from memdb.household import ARTICLES, compiled, household_rules
from memdb.names import same_name

_LOOKED_AT = 2_000  # characters of a text in which people are looked for
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['’]s$|(?<=s)['’]$", re.IGNORECASE)
_TOGETHER = re.compile(  # between people who are named in one breath
    r"\s*(?:,|&|,?\s*\band\b)?\s*(?:\b(?:the|his|her|their|my)\b)?\s*", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?:^|[.!?…:;\n]|[“\"])\W*$")


def capitals(text: str, *, names: Iterable[str] = ()) -> tuple[tuple[str, ...], ...]:
    """Return who seems to be named, in the order of the words, those in one breath together; `names` are known whatever their letters."""
    return _capitals(text[:_LOOKED_AT], tuple(names))


@lru_cache(maxsize=1_024)
def _capitals(text: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    known = {part for name in names for part in _WORD.findall(same_name(name))}
    groups: list[set[str]] = []
    end = 0
    for found in _WORD.finditer(text):
        bare = _POSSESSIVE.sub("", found[0])
        name = same_name(bare)
        if not (name in known or (_has_capital(bare) and not is_ordinary(bare))):
            continue
        if groups and _TOGETHER.fullmatch(text, end, found.start()):
            groups[-1].add(name)
        else:
            groups.append({name})
        end = found.end()
    return tuple(tuple(sorted(group)) for group in groups)


def people_in(text: str, *, known: Sequence[str]) -> list[str]:
    """Return the people whom a text names plainly: those `known` by a name that stands in it, and who does what only people do."""
    looked_at = text[:_LOOKED_AT]
    words = {name for word in _WORD.findall(looked_at) if _has_capital(bare := _POSSESSIVE.sub("", word)) for name in (same_name(bare),)}
    found = [name for name in known if words.intersection(_WORD.findall(same_name(name))[:1]) and stands_in(name, looked_at)]
    for subject in household_rules().subjects:
        for match in compiled(subject).finditer(looked_at):
            if _SENTENCE.search(looked_at[: match.start()]):
                found += [name for name in re.split(r",? and |, ", match["who"]) if not is_ordinary(name.split()[0])]
    return list(dict.fromkeys(found))


def stands_in(name: str, text: str) -> str | None:
    """Return a name as it stands in a text, as whole words that begin with a capital, or None."""
    folded = re.escape(name).replace("'", "['’]").replace("’", "['’]")
    return next((found[0] for found in re.finditer(rf"(?<!\w){folded}(?!\w)", text, re.IGNORECASE) if _has_capital(found[0])), None)


def is_ordinary(word: str) -> bool:
    """Whether a word is no name though it has a capital: it may begin a sentence, is a time, a room or a thing of a house."""
    return len(word) < 2 or word.isupper() or same_name(word) in _ordinary_words()


def _has_capital(word: str) -> bool:
    return word[:1].isupper()


@cache
def _ordinary_words() -> frozenset[str]:
    check = household_rules().check
    return ARTICLES.union(*(words.split() for words in (check.openers, check.names_of_times, check.places, check.people, check.things)))
