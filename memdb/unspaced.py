"""The words of a text in any script.

No space tells the words of Chinese, Japanese and Korean apart: the full-text index has each letter of theirs by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

ONE_WORD = re.compile(r"(?![odl])[a-z0-9]{3,}(?<![stdm])(?<!ll|re|ve)")  # others may have an apostrophe: "doesnt", "obrien"

_LETTER = re.compile("[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]")  # the same as in the view fact_words
_APART = r" \g<0> "
_RUN = re.compile(f"{_LETTER.pattern}+")
_ENDS = re.compile('["\\0]')  # the one ends a quoted text, the other any; to the index they part words
_WORD = re.compile(r"[^\W_]+")
_CONTRACTED = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_STEM = 4  # letters that the beginning of a word has at least, which its other forms share
_LONG = 8  # letters of a word from which on two of its last ones may be its ending ("Wohnungen"), and not the last alone
_JOINERS = "\u200c\u200d"
_CUT = re.compile("[\u0e00-\u109f\u1780-\u17ff]")  # Thai and its like: what stands between two marks is the nearest to a word


def words_of(text: str, *, contracted: bool = False) -> list[str]:
    """Return the words of a text in lower case, as the full-text index can be asked for them; "don't" is one word if `contracted`.

    An accent or a vowel sign belongs to the letter that it is written onto, however it is encoded.
    """
    if text.isascii():
        return (_CONTRACTED if contracted else _WORD).findall(text.lower())
    plain = unicodedata.normalize("NFC", text).lower().replace("i̇", "i")  # of "İ"; not case folded: the index keeps "ß"
    marks = "".join(sorted(letter for letter in set(plain) if letter in _JOINERS or _is_mark(letter)))
    part = rf"[^\W_](?:[^\W_]|[{marks}])*" if marks else r"[^\W_]+"
    words: list[str] = re.findall(rf"{part}(?:['’]{part})*" if contracted else part, plain)
    return words if _LETTER.search(plain) is None else [found for word in words for found in words_in(word)]


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Mc") and not _CUT.match(letter) and not _LETTER.match(letter)


def is_unspaced(word: str) -> bool:
    """Tell whether a word has letters of these scripts."""
    return not word.isascii() and _LETTER.search(word) is not None


def words_in(word: str) -> list[str]:
    """Return what may be words in a run of letters without a space: of these scripts each two neighbours, or the only one."""
    if not is_unspaced(word):
        return [word]
    found: list[str] = []
    end = 0
    for run in _RUN.finditer(word):
        found += [word[end : run.start()], *map("".join, pairwise(run.group())), *([run.group()] if len(run.group()) == 1 else [])]
        end = run.end()
    return [one for one in (*found, word[end:]) if one]


def apart(text: str) -> str:
    """Return a text as the full-text index has it: each letter of these scripts by itself."""
    return text if text.isascii() else _LETTER.sub(_APART, text)


def required(texts: Sequence[str]) -> str:
    """Return an FTS5 expression of what has each of these words and phrases among its own; whatever stands in them is only words."""
    return f"body : ({' AND '.join(quoted(_ENDS.sub(' ', text)) for text in texts)})"


def quoted(text: str) -> str:
    """Return a word, or several, as FTS5 looks for them: in a row, and each letter of these scripts by itself."""
    return f'"{text}"' if text.isascii() else f'"{_LETTER.sub(_APART, text).strip(" ")}"'


def shared_by_forms(word: str) -> str | None:
    """Return how the other forms of a word begin, in whatever language: with all of it but the last letters, which mostly tell number,
    gender or tense; or None where so little is left that it is any word's beginning.
    """
    if len(word) < _STEM or not word.isalpha() or is_unspaced(word):
        return None
    return word[: max(_STEM, len(word) - (1 if len(word) < _LONG else 2))]


def beginning(word: str) -> str:
    """Return an FTS5 expression of a word in whatever form."""
    shared = shared_by_forms(word)
    return quoted(word) if shared is None else f"{quoted(shared)}*"
