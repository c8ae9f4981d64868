"""Whether words stand in a text where it is meant as it stands, or are only asked, supposed, quoted or recited."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from memdb.cutting import separator
from memdb.english_rules import compiled, rules
from memdb.sentences import BLANKS, CONTRACTED, expand, masked, sentences

_WORD = re.compile(r"[^\W_]")
_LEADING = re.compile(
    r"^(?:\W|\b(?:and|but|or|so|then|well|hey|hi|hello|ok|okay|oh|please|also|because|anyway|by the way|btw)\b)+", re.IGNORECASE
)
_OBJECTING = re.compile(r"\b(?:but|however|yet|though|although)\b", re.IGNORECASE)


def in_earnest(text: str, words: str) -> bool:
    """Tell whether some of the words stand where a text is meant as it stands, wherever they occur; False if they do not occur.

    Questions, conditions, fiction, quotations and what "you said" are not meant so. This is for readers that understand more than `clauses`
    does: whatever else is said counts, in any language.
    """
    hidden, meant = _stretches(text)
    folded, wanted = text.casefold(), words.casefold()
    if len(folded) != len(text):
        folded, wanted = text, words  # a letter that folds to two would shift what follows it
    start = folded.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        for first, last in meant[bisect_left(meant, start, key=lambda stretch: stretch[1]) :]:
            if first >= end:
                break
            if _WORD.search(hidden, max(start, first), min(end, last)):
                return True
        start = folded.find(wanted, start + 1)
    return False


@lru_cache(maxsize=2)  # a turn's facts are asked about one after the other
def _stretches(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    hidden = masked(text)
    return hidden, tuple(_meant(hidden))


def _meant(hidden: str) -> Iterator[tuple[int, int]]:
    """The stretches of a masked text that are meant as they stand."""
    block = rules().block
    for start, end, mark in sentences(hidden):
        sentence, places = _expanded(hidden[start:end])
        if compiled(block["sentence"]).search(sentence + mark) or compiled(block["recited_line"]).match(sentence):
            continue
        meant: list[tuple[int, int]] = []
        question, asked, halted, before = "?" in mark, False, False, 0
        for first, last in _part_places(sentence):
            part = _LEADING.sub("", sentence[first:last])
            if question and meant and compiled(block["tag"]).fullmatch(part.strip(" ,")):
                meant = []
                break
            asked = compiled(block["asked"]).match(part) is not None
            if asked or compiled(block["supposed"]).match(part):
                break
            # "you said I live in Porto, but I live in Lisbon"
            halted = (halted and not _OBJECTING.search(sentence, before, first)) or compiled(block["recited"]).match(part) is not None
            if not halted:
                meant.append((start + places[first], start + places[last]))
            before = last
        if asked or not question:
            yield from meant


def _expanded(text: str) -> tuple[str, list[int]]:
    """A text with contractions written out and blanks drawn together, and where each of its characters, and its end, stood before."""
    pieces: list[str] = []
    places: list[int] = []
    done = 0
    for match in sorted((*CONTRACTED.finditer(text), *BLANKS.finditer(text)), key=lambda match: match.start()):
        full = " " if match.group().isspace() else expand(match)
        pieces += [text[done : match.start()], full]
        places += [*range(done, match.start()), *(min(match.start() + offset, match.end() - 1) for offset in range(len(full)))]
        done = match.end()
    return "".join([*pieces, text[done:]]), [*places, *range(done, len(text) + 1)]


def _part_places(sentence: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in separator().finditer(sentence):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(sentence):
        yield start, len(sentence)
