"""What a memory should not keep without being asked to: secrets, and topics that are nobody's business."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

from pydantic import JsonValue

from memdb.files import read
from memdb.records import STATEMENT, Candidate, Consent, Fact, Record
from memdb.stop_words import STOP_WORDS
from memdb.unspaced import is_unspaced, words_of

# within a row of single digits none begins, so that a long row is soon read
_CARD = re.compile(r"(?<![\d.,+-])(?<!\b\d \d )(?=([2-6](?:[ -]?\d){12,18})(?![\d-]))")
_CONTACT = re.compile(r"@|\d(?:[ ()./-]{0,2}\d){6}")  # every address has the one, and every number so many digits in a row
_NUMBERS = ("card number", "account number")
_ID = re.compile(r"(?=.*[a-f])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})", re.IGNORECASE)
_WORDS = ("password", "access key")  # the other secrets have digits
_DIGITS = 3  # at least; pin 13 is one of a circuit board
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN = re.compile(r"[\W_]+")
_LEAST = 4  # letters and digits of a secret that is known again
_SHORT = 1_000  # characters of a text of which it is kept in mind what it names
_MARKS = ".,;:!?\"'“”()[]<>`*"
_PARTS = re.compile(r"[\s:=\uff1a]+")
_IBAN = re.compile(r"\b(?=([A-Z]{2}\d\d(?: ?[A-Z0-9]){11,30})\b)")


class _Rules(Record):
    """The whole of rules/private.toml."""

    said_of_secrets: frozenset[str]
    keys: dict[str, str]
    spoken: dict[str, str]
    spoken_before: dict[str, str]
    identifiers: dict[str, str]
    predicates: dict[str, tuple[str, ...]]
    topics: dict[str, str]
    topic_words: dict[str, tuple[str, ...]]
    topics_abroad: dict[str, tuple[str, ...]]
    high_risk: dict[str, str]
    numbers: dict[str, str]
    details: dict[str, str]


@cache
def _rules() -> _Rules:
    return _Rules.model_validate(tomllib.loads(read("rules/private.toml")))


@cache
def _compiled(section: str) -> dict[str, re.Pattern[str]]:
    flags = re.NOFLAG if section in ("identifiers", "topics") else re.IGNORECASE  # topics are looked for in small letters, which is quicker
    patterns: dict[str, str] = getattr(_rules(), section)
    return {name: re.compile(pattern, flags) for name, pattern in patterns.items()}


def secret_in(candidate: Candidate) -> str | None:
    """Return what kind of secret a fact would keep, in its words or its details ("card number", "password", "national id", …), or None."""
    named = _secret_by_name(candidate.predicate)
    if named and candidate.object.strip() and not candidate.negated:
        return named
    return secret_in_text(candidate.value_text) or secret_in_text(candidate.object) or secret_in_details(candidate.value_json)


def secret_in_details(details: JsonValue) -> str | None:
    """Return what kind of secret stands in details of any shape, by the name of one or by its words, or None.

    A row of digits that is named as something else's (`order_id`, `created_at`), or stands in a UUID, is no card, and `{"passport":
    "Portuguese"}` no number.
    """
    return next((secret for name, detail in _details(details) if (secret := _secret_in_detail(name.replace("_", " "), detail))), None)


def _secret_in_detail(name: str, detail: str) -> str | None:
    known = _compiled("details")
    named = None if known["user name"].fullmatch(name) else _secret_by_name(name)
    if named in _WORDS or (named and sum(map(str.isdecimal, detail)) >= _DIGITS):
        return named
    counted = known["counted"].fullmatch(name) is not None or _ID.fullmatch(detail) is not None
    return next((secret for secret, _, _ in _secrets(f"{name}: {detail}") if not (counted and secret in _NUMBERS)), None)


def secret_in_text(text: str) -> str | None:
    """Return what kind of secret stands in a text, or None."""
    return next((name for name, _, _ in _secrets(text)), None)


def topic_of(fact: Candidate | Fact) -> str | None:
    """Return the sensitive topic of a fact, of its words or its details ("health", "religion", "money", …), or None.

    Digits in details are nobody's phone number unless they are named so.
    """
    if fact.category == "health":
        return "health"
    told = topic_in(fact.key, fact.value_text)
    return told or next((topic for name, detail in _details(fact.value_json) if (topic := _topic_of_detail(name, detail))), None)


@lru_cache(maxsize=65_536)  # a profile asks of the same facts again and again
def topic_in(key: str, text: str) -> str | None:
    """Return the sensitive topic that a key or a text names, or None."""
    predicate = key.partition(".")[2]
    if topic := _by_predicate().get(predicate):
        return topic
    words = _plain(predicate, text)
    known = _compiled("topics")
    named = known if _any_topic().search(words) else ("contact",)
    return next((topic for topic in named if known[topic].search(_read_for(topic, words))), None) or _topic_by_words(words)


def _topic_of_detail(name: str, detail: str) -> str | None:
    if topic := _by_predicate().get(name):
        return topic
    words = _plain(name, detail)
    known = _compiled("topics")
    named = [*(known.keys() - {"contact"} if _any_topic().search(words) else ()), *(["contact"] if "@" in detail else [])]
    return next((topic for topic in known if topic in named and known[topic].search(words)), None) or _topic_by_words(words)


def _plain(name: str, text: str) -> str:
    return unicodedata.normalize("NFC", f"{name.replace('_', ' ')} {text}").lower()


def _details(value: JsonValue, name: str = "", *, depth: int = 0) -> Iterator[tuple[str, str]]:
    """What stands in a fact's details beside the parts of its statement: each text or number, by the name nearest to it."""
    if isinstance(value, dict):
        for inner, part in value.items():
            if depth or inner not in STATEMENT:
                yield from _details(part, _BETWEEN.sub("_", _CAMEL.sub("_", inner)).strip("_").lower(), depth=depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _details(part, name, depth=depth + 1)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield name, str(value)


@cache
def _by_predicate() -> dict[str, str]:
    return {name: topic for topic, names in reversed(_rules().predicates.items()) for name in names}


@cache
def _any_topic() -> re.Pattern[str]:
    """What all topics are found by but for "contact": mostly there is none, and to look for all at once is quicker."""
    return re.compile("|".join(f"(?:{pattern})" for topic, pattern in _rules().topics.items() if topic != "contact"))


def _topic_by_words(text: str) -> str | None:
    """The topic that a text names in a word or a phrase, in English or another language."""
    known = _topic_words()
    words = words_of(text)
    begins = [word[: known.sizes[0]] for word in words]
    is_none = known.words.keys().isdisjoint(words) and known.phrases.keys().isdisjoint(words) and known.begins.isdisjoint(begins)
    for place, word in enumerate(() if is_none else words):
        if found := known.words.get(word) or next((known.stems[word[:size]] for size in known.sizes if word[:size] in known.stems), None):
            return found
        for phrase, topic in known.phrases.get(word, ()):
            if words[place : place + len(phrase)] == phrase:
                return topic
    run = known.run.search(text) if is_unspaced(text) else None
    return known.runs[run.group()] if run else None


class _TopicWords(NamedTuple):
    """The topics by their words, by how a word begins (in so many letters), by the first word of a phrase, and by what stands in a run.

    `begins` are the first letters of the stems, as many as the shortest has.
    """

    words: dict[str, str]
    stems: dict[str, str]
    sizes: tuple[int, ...]
    begins: frozenset[str]
    phrases: dict[str, list[tuple[list[str], str]]]
    runs: dict[str, str]
    run: re.Pattern[str]


@cache
def _topic_words() -> _TopicWords:
    sections = (_rules().topic_words, _rules().topics_abroad)
    told = {one: topic for section in sections for topic, names in section.items() for one in names}
    runs = {one: topic for one, topic in told.items() if is_unspaced(one)}
    stems = {one[:-1]: topic for one, topic in told.items() if one.endswith("*")}
    phrases: dict[str, list[tuple[list[str], str]]] = {}
    for one, topic in told.items():
        if " " in one and one not in runs:
            phrases.setdefault(one.split()[0], []).append((one.split(), topic))
    run = re.compile("|".join(map(re.escape, runs)))
    sizes = tuple(sorted(set(map(len, stems))))
    return _TopicWords(told, stems, sizes, frozenset(stem[: sizes[0]] for stem in stems), phrases, runs, run)


def _secret_by_name(predicate: str) -> str | None:
    words = predicate.replace("_", " ")
    return next((name for name, pattern in _compiled("keys").items() if pattern.fullmatch(words)), None)


def is_high_risk(key: str) -> bool:
    """Tell whether a key is about identity, money or health by its words, whatever the vocabulary knows of it."""
    words = key.partition(".")[2].replace("_", " ")
    return any(pattern.search(words) for pattern in _compiled("high_risk").values())


def not_allowed(candidate: Candidate, consent: Consent) -> str | None:
    """Return why a user does not let a fact be kept, or None if they do; that something is so no longer may be kept of any topic."""
    if consent.secrets == "refuse" and (secret := secret_in(candidate)):
        return f"it holds a secret ({secret}), and none is to be kept"
    if consent.sensitive_topics == "refuse" and not candidate.negated and (topic := topic_of(candidate)):
        return f"it is about {topic}, of which nothing is to be kept"
    return None


def quotable(text: str, consent: Consent) -> str:
    """Return a text as it may be quoted: with the secrets in it blacked out, unless their user lets them be kept."""
    return without_secrets(text) if consent.secrets == "refuse" else text


def quotable_together(texts: Sequence[str], consent: Consent) -> list[str]:
    """Return texts as they may be quoted: what one of them tells to be a secret is blacked out in the others, too."""
    if consent.secrets != "refuse":
        return list(texts)
    told = frozenset[str]().union(*map(named_secrets, texts))
    return [without_secrets(text, told=told) for text in texts]


def without_secrets(text: str, *, told: Set[str] = frozenset()) -> str:
    """Return a text with the secrets in it blacked out, wherever they stand, and those that are `told`."""
    told = told | named_secrets(text)  # while they are there to be read
    for _, start, end in _secrets(text):
        text = text[:start] + "█" * (end - start) + text[end:]
    for value in sorted(told, key=len, reverse=True):
        if value in text:
            text = _alone(value).sub("█" * len(value), text)
    return text


def holds(text: str, secret: str) -> bool:
    """Return whether a secret stands in a text, as words of its own."""
    return secret in text and _alone(secret).search(text) is not None


def _alone(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")


def named_secrets(text: str) -> Set[str]:
    """Return what a text tells to be a password, a PIN or the like, which may stand elsewhere without that name."""
    return _named(text) if len(text) <= _SHORT else _named.__wrapped__(text)


@lru_cache(maxsize=16_384)  # one reflection after the other reads the same messages
def _named(text: str) -> Set[str]:
    spoken = _compiled("spoken")
    shapes = [*spoken.values(), *(pattern for name, pattern in _compiled("identifiers").items() if name in spoken)]
    values = [_PARTS.split(match.group().strip(_MARKS))[-1] for pattern in shapes for match in pattern.finditer(text)]
    before = _compiled("spoken_before").values()
    values += [_PARTS.split(match.group().lstrip(_MARKS))[0].strip(_MARKS) for pattern in before for match in pattern.finditer(text)]
    return frozenset(value for value in values if len(value) >= _LEAST and value.casefold() not in STOP_WORDS | _rules().said_of_secrets)


def _read_for(topic: str, words: str) -> str:
    """The words that may tell a topic: a date, an amount or the number of an order is nobody's phone number, nor are a few digits."""
    if topic != "contact":
        return words
    if not _CONTACT.search(words):
        return ""
    for pattern in _compiled("numbers").values():
        words = pattern.sub(" … ", words)
    return words


@lru_cache(maxsize=16)  # what is stated is looked at several times, and may be long
def _secrets(text: str) -> tuple[tuple[str, int, int], ...]:
    """The secrets in a text: what each is, and where it stands."""
    found = [("card number", *span) for span in _numbers(_CARD, text, _luhn)]
    found += [("account number", *span) for span in _numbers(_IBAN, text, _mod_97)]
    for section in ("spoken", "spoken_before", "identifiers"):
        found += [(name, *match.span()) for name, pattern in _compiled(section).items() for match in pattern.finditer(text)]
    return tuple(found)


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
