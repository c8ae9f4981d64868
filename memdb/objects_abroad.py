"""What somebody likes, avoids or is afraid of, as another language says it: the things of a list, each with what restricts it."""

from __future__ import annotations

import re
from collections.abc import Callable

from memdb.languages import Statements, fold

_MOST_ITEMS = 6
_MOST_WORDS = 14  # of what restricts a thing, or of what one does
_OPENS, _CLOSES = "\ue000", "\ue001"  # around words that are no English
_SAID_SO = re.compile(f"{_OPENS}([^{_OPENS}{_CLOSES}]*){_CLOSES}")
_MARKS = str.maketrans("", "", _OPENS + _CLOSES)
_WORD = re.compile(r"\w+")
_STANDS_IN = "zqx"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Objects:
    """How a language lists things, and what it says of which of them are meant."""

    def __init__(self, rules: Statements) -> None:
        self._list = re.compile(rf",?\s+(?:{rules.lists})\s+|,\s+", re.IGNORECASE)
        self._the = re.compile(rf"^(?:{rules.the})", re.IGNORECASE)
        self._together = re.compile(rules.together, re.IGNORECASE)
        self._restricts = re.compile(rf"(?<=\w)(?:,?\s+(?:{rules.relatives})|\s+(?:{rules.restricts}))", re.IGNORECASE)
        self._reasons = re.compile(rf"(?<!\w)(?:{rules.reasons})(?!\w)", re.IGNORECASE)
        self._others = re.compile(fold(rules.of_others), re.IGNORECASE)

    def items(self, said: str, is_thing: Callable[[str, str], bool]) -> list[str] | None:
        """Return the things of a list as they were said, None where one is none, by its words and by all that is said of it.

        What restricts a thing stays with it, and whatever follows upon that; so do the words that tell of what kind one thing is: less
        would say more than was said.
        """
        restricted = self._restricts.search(said)
        end = restricted.start() if restricted is not None else len(said)
        rest = said[end:]
        if rest and not self.is_said_whole(rest):
            return None
        beside = self._list.split(rest)[1:] if "," in rest.lstrip(", ") else []  # "mit Kokos, Ingwer und Curry"
        if not all(is_thing(self._the.sub("", more, count=1), more) for more in beside):
            return None
        kept = self._together.sub(lambda found: self._list.sub(lambda sep: sep.group().replace(" ", "\0"), found.group()), said[:end])
        items = [self._the.sub("", item.replace("\0", " "), count=1) for item in self._list.split(kept)]
        things = [*items[:-1], items[-1] + rest]
        are_things = (is_thing(self._list.sub(" ", item), thing) for item, thing in zip(items, things, strict=True))
        return things if len(things) <= _MOST_ITEMS and all(are_things) else None

    def is_said_whole(self, said: str) -> bool:
        """Tell whether words may be what one does, or how: few, neither of somebody else nor of who is spoken to, nor with why it is so."""
        few = 0 < len(_WORD.findall(said)) <= _MOST_WORDS
        return few and self._others.search(fold(said)) is None and self._reasons.search(said) is None


def as_said(words: str) -> str:
    """Return words of another language marked as such, if English might read them: a word alone is a name."""
    return words if _WORD.fullmatch(words) else f"{_OPENS}{words}{_CLOSES}"


def unmarked(text: str) -> str:
    """Return a text without such marks."""
    return text.translate(_MARKS)


def with_stand_ins(statement: str) -> tuple[str, dict[str, str]]:
    """Return a statement with a word in place of all words that are no English, and what each of these stands for."""
    values: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        word = f"{_STANDS_IN}{_LETTERS[len(values) % len(_LETTERS)]}"
        values[word] = found.group(1)
        return word

    return _SAID_SO.sub(stand_in, statement), values
