"""Whom "she" and "he" mean as a text goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from memdb.clause import Clause, parsed
from memdb.english_rules import rules
from memdb.subjects import is_relative, names_another
from memdb.told_beside import spoken_of

_PRONOUN = re.compile(r"\b(?:she|he)\b", re.IGNORECASE)
_THEY = re.compile(r"\bthey\b", re.IGNORECASE)
_SEVERAL = re.compile(  # who may be "they"; how long and how much is nobody
    r"\b(?:(?:the|my|our|his|her|their|your|some|many|other|these|those|a few|\d+|two|three|four|five|six|seven|eight|nine|ten)"
    r" (?:[\w-]+ )?"
    r"(?!(?:weeks|days|months|years|hours|nights|minutes|times|kilos|miles|pounds|euros|dollars|this|was|is|has)\b)(?P<who>\w+s|children)"
    r"|people|guests|friends|neighbou?rs|everyone|everybody|family|team|couple)\b",
    re.IGNORECASE,
)
_LEADING = 4  # words that may stand before "she" who was named in what was said before: "Oh! I think that she"
_IS_CALLED = re.compile(r"(?i:is (?:called|named)) (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)")


def _are_others(told: str) -> bool:
    """Whether "they" may be others than the parents or the children who were spoken of: "my parents met the neighbours, they …"."""
    found = list(_SEVERAL.finditer(told))
    whose = {(one["who"] or "").lower() for one in found}
    return len(whose) != 1 or not whose.issubset(rules().groups["they"])


@dataclass(slots=True)
class Spoken:
    """Who is spoken of as a text goes on: those `known` by name, who may be meant first (`perhaps`), and who was `last`.

    `pronouns` are those that somebody was spoken of with: who was "she" is not "he" in the next sentence.
    """

    known: dict[str, str]
    perhaps: tuple[str, str] | None
    last: tuple[str, str] = ("", "")
    teller: bool = False
    pronouns: dict[tuple[str, str], str] = field(default_factory=dict)

    def parsed(self, sentence: str, stated: list[Clause], said: str, *, begins: bool, at: datetime, zone: tzinfo) -> list[Clause]:
        """The clauses of a sentence with whom each is about, but for those of which that cannot be told; `said` was said before."""
        pronoun = _PRONOUN.search(sentence)
        if pronoun is None:
            before, they = self.last, _THEY.search(sentence)
            others = they is not None and _are_others(f"{said}{sentence[: they.start()]}")
            each: list[Clause] = []
            for clause in stated:
                person = ("", "") if others and _THEY.match(clause.text) else self.last
                each.append(self._noted(parsed(clause, person, self.known, at=at, zone=zone)))
            return self._apart(each, before)
        leads, word = sentence[: pronoun.start()], pronoun.group().lower()
        if not self.last[0]:  # where what leads is long, who is meant is in it: "I look after my mum, she has dementia"
            self.last = spoken_of(leads if begins and len(leads.split()) > _LEADING else f"{said}{leads}", word, self.known)
        guess = self.perhaps if begins and not self.last[0] else None
        self.last = before = guess or self.last
        told: list[Clause] = []
        for clause in stated:
            found = parsed(clause, self.last, self.known, at=at, zone=zone)
            if found.guessed and found.subject:
                if (spoken := _PRONOUN.search(clause.text)) is not None:
                    kind = spoken.group().lower()
                    if self.pronouns.setdefault((found.subject, found.name), kind) != kind:
                        continue  # "My friend Ana is a nurse. She lives in Rome. He loves golf": that is another
                surely = found.subject == spoken_of(f"{said}{leads}", word, self.known)[0]
                if not surely and (self.teller or names_another(leads, found.name)):
                    continue  # "My mum told me about Ana. She lives in Rome"
                found = replace(found, guessed=not surely)
            if guess is not None and found.guessed and (found.subject, found.name) == guess:
                found = replace(found, hedged=True)
            told.append(self._noted(found))
        return self._apart(told, before)

    def _apart(self, told: list[Clause], before: tuple[str, str]) -> list[Clause]:
        """What a sentence told; of several who are listed in it "she" is none, but who was spoken of beside them, or `before`."""
        nobody = ("", "i", *rules().groups["several"])
        named = [(found.subject, self._name(found)) for found in told if found.subject not in nobody]
        listed = {
            subject for subject, name in named if name and any(other == subject and name_ not in ("", name) for other, name_ in named)
        }
        if self.last[0] in listed:
            self.last = next((one for one in reversed(named) if one[0] not in listed), before if before[0] not in listed else ("", ""))
        return told

    @staticmethod
    def _name(found: Clause) -> str:
        """The name that a clause tells of whom it is about."""
        called_so = _IS_CALLED.fullmatch(found.phrase) if found.subject not in ("", "i") and not found.negative else None
        return called_so["name"] if called_so and not found.guessed else found.name

    def _noted(self, found: Clause) -> Clause:
        name = self._name(found)
        if found.subject not in ("", "i"):
            self.last, self.teller = (found.subject, name), is_relative(found.text) or (self.teller and found.guessed)
        if name:
            self.known[name] = found.subject
        return found
