"""What stands in a slot of a language's frames: what English says for it, or the words as they were said, where they are of the kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memdb.capitals import is_a_name
from memdb.languages import Language, fold, forms
from memdb.objects_abroad import Objects, as_said

# so many words of a value of a kind; "capital" is one that is right, and known by its capital
MOST_WORDS = {"name": 3, "called": 2, "place": 4, "town": 4, "org": 4, "job": 4, "thing": 5, "left": 4}
MOST_WORDS |= {"kid": 3, "person": 2}  # "person" is called by a name that is known for one
MOST_WORDS |= {"other": 5, "old": 4, "new": 4, "right": 4, "wrong": 4, "capital": 4}
_PROPER = ("name", "called", "place", "town", "org", "left", "capital", "kid", "person")
_IN_SMALL_LETTERS = {"name": 2, "kid": 2, "person": 2, "place": 1, "left": 2}  # so many words of a name, where none has a capital
LISTS = {"names": "name", "things": "thing", "languages": "language", "kids": "kid"}
_WORDS = ("doing", "act", "when", "which", "how", "than", "toil", "solo", "single")  # of any kind, as they were said
_MOST_ITEMS = 6


class Values:
    """The values of a language's slots; `means` says what English says for each form of those that are a closed list, without accents."""

    def __init__(
        self, language: Language, means: Mapping[str, Mapping[str, str]], *, aside: re.Pattern[str], joined: re.Pattern[str]
    ) -> None:
        rules = language.statements
        assert rules is not None  # of others there are no frames
        self._language, self._rules, self._means, self._aside, self._joined = language, rules, means, aside, joined
        self._accented = {slot: forms(table) for slot, table in rules.words.items()}  # "avó" is no "avô"
        self._objects = Objects(rules)
        self._calendar = forms(language.words["weekday"]).keys() | forms(language.words["month"]).keys()
        self._starts = re.compile(rf"(?:{rules.starts})", re.IGNORECASE)
        self._list = re.compile(rf",?\s+(?:{rules.lists})\s+|,\s+", re.IGNORECASE)
        self._aged = re.compile(fold(rf"(?P<name>.+?),? \(?(?:{rules.patterns['aged']})\)?"), re.IGNORECASE)
        self._the = re.compile(rf"^(?:{rules.the})", re.IGNORECASE)
        self._deny = {kind: re.compile(rf"(?:{fold(deny)})$", re.IGNORECASE) for kind, deny in rules.deny.items()}

    def value(self, name: str, said: str) -> str | None:
        """Return what a slot's words are in English, or the words themselves, None where they are none of its kind."""
        if name in _WORDS:
            words = self._the.sub("", said, count=1)
            return as_said(words) if self._objects.is_said_whole(said) and self._is_one_clause(said) and self._is_bare(said) else None
        if name == "things":
            things = self._objects.items(said, lambda item, thing: self._is_value("thing", item, whole=thing) and self._is_bare(item))
            return _listed(list(map(as_said, things))) if things and self._is_one_clause(said) else None
        if name in LISTS:
            items = [self._the.sub("", item, count=1) for item in self._list.split(said)]
            values = [self.value(LISTS[name], item) for item in items]
            known = [value for value in values if value]
            return _listed(known) if 0 < len(known) == len(values) <= _MOST_ITEMS else None
        if name in self._means:
            return self._accented[name].get(said.lower()) or self._means[name].get(fold(said.lower()))
        if name == "kid" and (aged := self._aged.fullmatch(fold(said))) is not None:  # "Mia, 5": how old they are follows upon their name
            child = self.value("name", said[: aged.end("name")])
            return child and f"{child} ({aged['age']})"
        if name in ("car", "firm"):
            return said.title() if said.islower() else said  # a make is a name, however it is typed
        if name in ("thing", "other"):
            return as_said(said) if self._is_value(name, said) and self._is_bare(said) else None
        return said if name not in MOST_WORDS or self._is_value(name, said) else None

    def _is_one_clause(self, said: str) -> bool:
        return self._joined.search(said) is None

    def _is_bare(self, said: str) -> bool:
        """Whether words neither begin nor end with what is said aside; within them, it tells what they are: "zu laute Musik"."""
        return not any(found.start() == 0 or found.end() == len(said) for found in self._aside.finditer(fold(said)))

    def _is_value(self, kind: str, said: str, *, whole: str = "") -> bool:
        """Whether words may be what is looked for: no grammar beside what belongs into a name, capitals where a name has them.

        What is none may be, with what restricts it (the `whole`): "Leute", and "Leute, die rauchen".
        """
        words = said.split()
        inside = (self._rules.in_names if kind in _PROPER else self._rules.in_things).split()
        denied = self._deny.get(kind)
        if len(words) > MOST_WORDS[kind] or "," in said or (denied and denied.match(fold(whole or said))):
            return False
        if kind == "capital" and said.lower() in self._calendar:
            return False
        if kind == "person" and not is_a_name(words[0]):
            return False
        if kind in ("name", "called", "person") and len(said) == 1:
            return False  # "la mia collega. È il nostro rito": a letter is a word
        if self._starts.match(said):
            return False  # "Pizza und hasse Oliven": another clause
        small = said == said.lower()
        for place, word in enumerate(words):
            grammar = word.lower() in self._language.stop_words and (word.islower() or kind not in _PROPER)
            if grammar and (place in (0, len(words) - 1) or word.lower() not in inside):
                return False
            if kind in _PROPER and not small and not grammar and not (word[0].isupper() or word[0].isdecimal() or word.lower() in inside):
                return False
        return any(letter.isalpha() or (letter.isdigit() and kind in ("right", "wrong")) for letter in said) and not (
            kind in _PROPER and small and len(words) > _IN_SMALL_LETTERS.get(kind, 0)
        )


def _listed(values: Sequence[str]) -> str:
    """Values as English lists them."""
    return " and ".join([", ".join(values[:-1]), values[-1]] if values[1:] else values)
