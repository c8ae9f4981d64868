"""Chinese, Japanese and Korean, whose words no space tells apart: the full-text index has each letter of theirs by itself."""

from __future__ import annotations

import re
from itertools import pairwise

_LETTER = re.compile("[々぀-ヿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𱍏]")  # the same as in the view fact_words
_APART = r" \g<0> "
_RUN = re.compile(f"{_LETTER.pattern}+")


def words_in(word: str) -> list[str]:
    """Return what may be words in a run of letters without a space: of these scripts each two neighbours, or the only one."""
    if word.isascii() or not _LETTER.search(word):
        return [word]
    found: list[str] = []
    end = 0
    for run in _RUN.finditer(word):
        found += [word[end : run.start()], *map("".join, pairwise(run.group())), *([run.group()] if len(run.group()) == 1 else [])]
        end = run.end()
    return [one for one in (*found, word[end:]) if one]


def quoted(text: str) -> str:
    """Return a word, or several, as FTS5 looks for them: in a row, and each letter of these scripts by itself."""
    return f'"{text}"' if text.isascii() else f'"{_LETTER.sub(_APART, text).strip(" ")}"'
