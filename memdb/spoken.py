"""Whom "she" and "he" mean as a text goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from memdb.clause import Clause, parsed
from memdb.subjects import is_relative, names_another
from memdb.told_beside import spoken_of

_PRONOUN = re.compile(r"\b(?:she|he)\b", re.IGNORECASE)
_LEADING = 4  # words that may stand before "she" who was named in what was said before: "Oh! I think that she"
_IS_CALLED = re.compile(r"(?i:is (?:called|named)) (?P<name>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)")


@dataclass(slots=True)
class Spoken:
    """Who is spoken of as a text goes on: those `known` by name, who may be meant first (`perhaps`), and who was `last`."""

    known: dict[str, str]
    perhaps: tuple[str, str] | None
    last: tuple[str, str] = ("", "")
    teller: bool = False

    def parsed(self, sentence: str, stated: list[Clause], said: str, *, begins: bool, at: datetime, zone: tzinfo) -> list[Clause]:
        """The clauses of a sentence with whom each is about, but for those of which that cannot be told; `said` was said before."""
        pronoun = _PRONOUN.search(sentence)
        if pronoun is None:
            return [self._noted(parsed(clause, self.last, self.known, at=at, zone=zone)) for clause in stated]
        leads, word = sentence[: pronoun.start()], pronoun.group().lower()
        if not self.last[0]:  # where what leads is long, who is meant is in it: "I look after my mum, she has dementia"
            self.last = spoken_of(leads if begins and len(leads.split()) > _LEADING else f"{said}{leads}", word, self.known)
        guess = self.perhaps if begins and not self.last[0] else None
        self.last = guess or self.last
        told: list[Clause] = []
        for clause in stated:
            found = parsed(clause, self.last, self.known, at=at, zone=zone)
            if found.guessed and found.subject:
                surely = found.subject == spoken_of(f"{said}{leads}", word, self.known)[0]
                if not surely and (self.teller or names_another(leads, found.name)):
                    continue  # "My mum told me about Ana. She lives in Rome"
                found = replace(found, guessed=not surely)
            if guess is not None and found.guessed and (found.subject, found.name) == guess:
                found = replace(found, hedged=True)
            told.append(self._noted(found))
        return told

    def _noted(self, found: Clause) -> Clause:
        called_so = _IS_CALLED.fullmatch(found.phrase) if found.subject not in ("", "i") and not found.negative else None
        name = called_so["name"] if called_so and not found.guessed else found.name
        if found.subject not in ("", "i"):
            self.last, self.teller = (found.subject, name), is_relative(found.text) or (self.teller and found.guessed)
        if name:
            self.known[name] = found.subject
        return found
