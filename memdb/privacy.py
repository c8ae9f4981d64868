"""What a memory should not keep without being asked to: secrets, and topics that are nobody's business."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from pydantic import BaseModel, ConfigDict

from memdb.files import read
from memdb.records import Candidate, Fact

# within a row of single digits none begins, so that a long row is soon read
_CARD = re.compile(r"(?<![\d.,+-])(?<!\b\d \d )(?=([2-6](?:[ -]?\d){12,18})(?![\d-]))")
_IBAN = re.compile(r"\b(?=([A-Z]{2}\d\d(?: ?[A-Z0-9]){11,30})\b)")


class _Rules(BaseModel):
    """The whole of rules/private.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    keys: dict[str, str]
    spoken: dict[str, str]
    identifiers: dict[str, str]
    predicates: dict[str, tuple[str, ...]]
    topics: dict[str, str]
    high_risk: dict[str, str]
    numbers: dict[str, str]


@cache
def _rules() -> _Rules:
    return _Rules.model_validate(tomllib.loads(read("rules/private.toml")))


@cache
def _compiled(section: str) -> dict[str, re.Pattern[str]]:
    flags = re.NOFLAG if section == "identifiers" else re.IGNORECASE
    patterns: dict[str, str] = getattr(_rules(), section)
    return {name: re.compile(pattern, flags) for name, pattern in patterns.items()}


def secret_in(candidate: Candidate) -> str | None:
    """Return what kind of secret a fact would keep ("card number", "password", "national id", …), or None."""
    predicate = candidate.predicate.replace("_", " ")
    named = next((name for name, pattern in _compiled("keys").items() if pattern.fullmatch(predicate)), None)
    if named and candidate.object.strip() and not candidate.negated:
        return named
    return next((name for text in (candidate.value_text, candidate.object) for name, _, _ in _secrets(text)), None)


def topic_of(fact: Candidate | Fact) -> str | None:
    """Return the sensitive topic of a fact ("health", "religion", "money", …), or None."""
    return "health" if fact.category == "health" else topic_in(fact.key, fact.value_text)


@lru_cache(maxsize=8192)  # a profile asks of the same facts again and again
def topic_in(key: str, text: str) -> str | None:
    """Return the sensitive topic that a key or a text names, or None."""
    predicate = key.partition(".")[2]
    by_key = next((topic for topic, names in _rules().predicates.items() if predicate in names), None)
    words = f"{predicate.replace('_', ' ')} {text}"
    return by_key or next((topic for topic, pattern in _compiled("topics").items() if pattern.search(_read_for(topic, words))), None)


def is_high_risk(key: str) -> bool:
    """Tell whether a key is about identity, money or health by its words, whatever the vocabulary knows of it."""
    words = key.partition(".")[2].replace("_", " ")
    return any(pattern.search(words) for pattern in _compiled("high_risk").values())


def without_secrets(text: str) -> str:
    """Return a text with the secrets in it blacked out."""
    for _, start, end in sorted(_secrets(text), key=lambda found: found[1]):
        text = text[:start] + "█" * (end - start) + text[end:]
    return text


def _read_for(topic: str, words: str) -> str:
    """The words that may tell a topic: a date, an amount or the number of an order is nobody's phone number."""
    for pattern in _compiled("numbers").values() if topic == "contact" else ():
        words = pattern.sub(" … ", words)
    return words


def _secrets(text: str) -> list[tuple[str, int, int]]:
    """The secrets in a text: what each is, and where it stands."""
    found = [("card number", *span) for span in _numbers(_CARD, text, _luhn)]
    found += [("account number", *span) for span in _numbers(_IBAN, text, _mod_97)]
    for section in ("spoken", "identifiers"):
        found += [(name, *match.span()) for name, pattern in _compiled(section).items() for match in pattern.finditer(text)]
    return found


def _numbers(shape: re.Pattern[str], text: str, holds: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Where numbers stand whose check digits hold; what follows after a space, such as when a card ends, may be no part of one."""
    for match in shape.finditer(text):
        run = match[1]
        ends = (end for end in range(len(run), 0, -1) if run[end : end + 1] in ("", " "))
        yield from ((match.start(), match.start() + end) for end in ends if holds(run[:end]))


def _luhn(number: str) -> bool:
    digits = [int(digit) for digit in number if digit.isdecimal()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(digits) >= 13 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _mod_97(number: str) -> bool:
    plain = number.replace(" ", "")
    return len(plain) >= 15 and int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1
