"""The part of a long text that bears on a question, where there is no room for the whole."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice

from memdb.answers import Question
from memdb.figures import FIGURE
from memdb.records import Intent
from memdb.unspaced import is_unspaced, shared_by_forms
from memdb.when import may_tell

READABLE = 600
"""Characters of a text that is read among others: in a table, or by an assistant that looks for something."""

_END = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|(?<=[。\uff01\uff1f])|\n\s*")
_BEFORE, _AFTER = "… ", " …"
_NAMED = re.compile(r"(?<=[^\W_][ ,])(?!I\b)[^\W\d_a-z][\w'’-]+")  # what has a capital in the midst of a sentence
_ANSWERS: Mapping[Intent, Callable[[str], object]] = {
    "number": FIGURE.search,
    "time": may_tell,
    "person": _NAMED.search,
    "place": _NAMED.search,
}
"""Whether there may be in a sentence what a question of some intent asks for."""
_ANSWERING = 0.3  # how much more the words of a question count where there may be an answer in the same sentence
_LEADING = 80  # characters of an endless sentence that are shown before what was found in it


def passage(text: str, question: Question | None, *, most: int) -> str:
    """Return a text, or of one that is longer than `most` characters the part that has most of what a question asks about.

    Whole sentences, as far as they are no longer than that; "…" stands for what is left out before and after. Each word of the question
    counts once, in whatever form, and the more, the fewer sentences of the text have it, and more beside what may be an answer: a number, a
    name or a time, where that is asked for. Of a text that has none of the words, it is the beginning.
    """
    text = text.strip()
    if len(text) <= most:
        return text
    room = most - len(_BEFORE) - len(_AFTER)
    starts = [0, *(match.end() for match in _END.finditer(text) if 0 < match.end() < len(text))]
    ends = [*starts[1:], len(text)]
    told = _told(text, question, starts)
    first = last = 0
    if told:
        answers = _ANSWERS.get(question.intent) if question is not None else None
        telling = {place for place in told if answers(text[starts[place] : ends[place]])} if answers is not None else set()
        first, last = _densest(told, starts, ends, room, telling)
    if ends[last] - starts[first] > room:  # one sentence alone
        at = min(told[first].values()) if told else 0
        return _cut(text, max(starts[first], at - _LEADING), room)
    wider = True
    while wider:  # by what stands before, and by what follows, in turn
        wider = False
        if first > 0 and ends[last] - starts[first - 1] <= room:
            first, wider = first - 1, True
        if last + 1 < len(starts) and ends[last + 1] - starts[first] <= room:
            last, wider = last + 1, True
    before, after = _BEFORE if first else "", _AFTER if last + 1 < len(starts) else ""
    return f"{before}{text[starts[first] : ends[last]].strip()}{after}"


def _told(text: str, question: Question | None, starts: list[int]) -> dict[int, dict[str, int]]:
    """Which words of the question each sentence has that has any, by its place, and where in the text the first of each stands."""
    wanted = dict.fromkeys((*question.terms, *question.topics)) if question is not None else {}
    spaced = [word for word in wanted if not is_unspaced(word)]
    words = [*spaced, *(word for word in wanted if is_unspaced(word))]
    told: dict[int, dict[str, int]] = {}
    if words:
        begun = rf"(?<!\w)(?:{'|'.join(f'({_form(word)})' for word in spaced)})" if spaced else ""
        sought = "|".join(filter(None, (begun, *(f"({re.escape(word)})" for word in words[len(spaced) :]))))
        for match in re.finditer(sought, text, re.IGNORECASE):
            sentence = told.setdefault(bisect_right(starts, match.start()) - 1, {})
            sentence.setdefault(words[(match.lastindex or 1) - 1], match.start())
    return told


def _form(word: str) -> str:
    """A pattern of how a word begins in whatever form."""
    shared = shared_by_forms(word)
    return rf"{re.escape(word)}(?:['’]?s)?(?!\w)" if shared is None else re.escape(shared)


def _densest(told: dict[int, dict[str, int]], starts: list[int], ends: list[int], room: int, telling: set[int]) -> tuple[int, int]:
    """The first and the last of those sentences, together no longer than there is room, that have most of the words; in those that are
    `telling`, the words of one count for more.
    """
    common = Counter(word for words in told.values() for word in words)
    weight = {word: math.log(1 + len(starts) / count) for word, count in common.items()}
    more = {place: _ANSWERING * sum(weight[word] for word in told[place]) for place in telling}
    places = sorted(told)
    best = (0.0, places[0], places[0])
    for at, first in enumerate(places):
        words: set[str] = set()
        answer = 0.0
        for last in islice(places, at, None):
            if last > first and ends[last] - starts[first] > room:
                break
            words.update(told[last])
            answer = max(answer, more.get(last, 0.0))
            most = answer + sum(weight[word] for word in words)
            if most > best[0] + 1e-9:
                best = (most, first, last)
    return best[1:]


def _cut(text: str, start: int, room: int) -> str:
    """So much of a text from about there on, in whole words."""
    if start:
        blank = text.find(" ", start, start + room // 4)
        start = blank + 1 if blank >= 0 else start
    end = start + room
    if end < len(text):
        blank = text.rfind(" ", end - room // 4, end)
        end = blank if blank >= 0 else end
    return f"{_BEFORE if start else ''}{text[start:end].strip()}{_AFTER if end < len(text) else ''}"
