"""Canonical keys, `subject.predicate`, and how the objects under them are compared."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from memdb.errors import InputError
from memdb.figures import in_digits
from memdb.records import Predicate

_NOT_WORD = re.compile(r"[\W_]+")
_PUNCTUATION = re.compile(r"[^\w+#]|_")  # "C++" and "C#" are not the same language
_APOSTROPHES = re.compile("['\u2019]")
_ACCENTS = re.compile("([a-zA-Z])[\u0300-\u036f]+")  # in other scripts they make another letter
_PUNCTUATION_ASCII = [code for code in range(128) if _PUNCTUATION.fullmatch(chr(code))]
_PLAIN = {**dict.fromkeys(_PUNCTUATION_ASCII, " "), ord("'"): None}  # the same for ASCII, in a fifth of the time
_DIGIT = re.compile(r"\d")
_CANONICAL = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_USUAL_WORDS = 20  # of a predicate
_BREAK = re.compile(r"[,;()]")  # "Lisbon, Portugal" is two names
_ARTICLES = frozenset({"a", "an", "the"})
_NOT = frozenset(
    "not no never none nobody nothing nowhere neither nor without cannot dont doesnt didnt isnt arent wasnt werent cant couldnt wont "
    "wouldnt shouldnt hasnt havent hadnt mustnt neednt aint".split()
)
_AUXILIARY = frozenset(
    "do does did am is are was were be been has have had can could will would shall should may might any more anymore longer ever".split()
)
# of "watches" and "watch", "studies" and "study", "lived" and "live"
_FORMS = re.compile(r"(?:(?<=[^aeiou])(?:ie[sd]|y)|ing|ed|es|(?<!s)s|e)$")
_NAMED = 2  # words of a name
_JOINED = frozenset("band choir orchestra quartet trio ensemble troupe club team".split())  # what one is in, rather than has
_OPPOSITES = ("dis", "un", "non", "in", "im")  # "likes" and "dislikes"
_DATES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december".split()
)
_EMPTY = frozenset({"called", "named", "my", "our", "his", "her", "their", "is"})


def slug(text: str) -> str:
    """Return a text as one part of a key: lower snake case, ASCII letters and digits.

    Of a text that has none of these ("张伟") it is a short digest, the same each time; of a blank one it is "".
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    written = _NOT_WORD.sub("_", plain.lower()).strip("_")
    if written or not text.strip():
        return written
    return "x" + hashlib.sha256(text.strip().casefold().encode("utf-8", "replace")).hexdigest()[:12]


def canonical_key(subject: str, predicate: str) -> str:
    """Return `subject.predicate` in lower snake case.

    Raises:
        InputError: the subject or the predicate is blank.
    """
    left, right = slug(subject), slug(predicate)
    if not left or not right:
        raise InputError(f"{subject!r} and {predicate!r} make no key; name both.")
    return f"{left}.{right}"


@lru_cache(maxsize=1024)
def is_canonical(key: str) -> bool:
    """Tell whether a key is written as `canonical_key` writes it."""
    return _CANONICAL.fullmatch(key) is not None


def predicate_of(key: str, predicates: Mapping[str, Predicate]) -> Predicate:
    """Return how a key behaves.

    A predicate that is not in the table behaves like the longest known one that it begins with, word by word, so `favourite_colour`
    behaves like `favourite` and is labelled "… colour"; but none like one whose label awaits a thing ("works in the"). One that begins with
    none holds a single value of category `other`, and so does a procedure, whatever words its trigger begins with.
    """
    subject, _, name = key.rpartition(".")
    words = name.split("_")
    if subject == "procedure":
        predicates = {}  # "note the meter" is no note, and has one way of doing it
    most = len(words)
    if most > _USUAL_WORDS:  # to look up each beginning of a key without end would take its length squared
        most = min(most, max((known.count("_") + 1 for known in predicates), default=0))
    for length in range(most, 0, -1):
        known = predicates.get("_".join(words[:length]))
        awaits = length < len(words) and known is not None and known.label.endswith(" the") and words[length - 1] != "for"
        if known is not None and not awaits:  # an office manager is no office, but a budget for a trip is one for the trip
            rest = " ".join(words[length:])
            return known.model_copy(update={"predicate": name, "label": f"{known.label} {rest}".strip()}) if rest else known
    return Predicate(
        predicate=name, label=f"{'is in' if words[-1] in _JOINED else 'has'} the {' '.join(words)}", category="other", cardinality="one"
    )


def normalise(text: str) -> str:
    """Return an object as it is compared: case folded, without punctuation, articles and the accents of Latin letters; the text itself,
    folded, if only those remain."""
    return without_accents(as_spelled(text))


def as_spelled(text: str) -> str:
    """Return the same with its accents."""
    if text.isascii():
        folded = text.lower()
        words = folded.translate(_PLAIN).split()
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        words = _PUNCTUATION.sub(" ", _APOSTROPHES.sub("", folded)).split()
    return " ".join([word for word in words if word not in _ARTICLES]) or " ".join(words) or folded.strip()


def without_accents(text: str) -> str:
    """Return a text with its Latin letters as they are typed on a keyboard that lacks their accents: "São Paulo" as "Sao Paulo"."""
    return text if text.isascii() else unicodedata.normalize("NFC", _ACCENTS.sub(r"\1", unicodedata.normalize("NFD", text)))


def is_same(text: str, known: str) -> bool:
    """Tell whether two objects are the same, of which one may lack its accents, or have its numbers in digits.

    "Hà" is "Ha", and is not "Hạ"; "sixty-six" is "66".
    """
    one, other = normalise(text), normalise(known)
    if one != other:
        return (_DIGIT.search(one) or _DIGIT.search(other)) is not None and in_digits(one) == in_digits(other)
    return as_spelled(text) == as_spelled(known) or any(each == without_accents(each) for each in (text, known))


def is_spelled_better(text: str, known: str) -> bool:
    """Tell whether an object has the accents of its letters, and the known one none."""
    return known == without_accents(known) and text != without_accents(text)


def gist(text: str) -> tuple[str, ...]:
    """Return the words of an object that tell it from another, in their order: normalised, without "called", "my" and plurals."""
    words = normalise(text).split()
    told = [word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word for word in words if word not in _EMPTY]
    return tuple(told or words)


def telling(text: str) -> frozenset[str]:
    """Return the words of `gist` in no order."""
    return frozenset(gist(text))


def says_no_more(text: str, known: str) -> bool:
    """Tell whether an object says nothing that a known one does not say: its telling words are all there, in the same order.

    "Lisbon" is not "Porto", and "tea over coffee" is not "coffee over tea".
    """
    left = iter(gist(known))
    return all(word in left for word in gist(text))


def says_the_same(text: str, known: str) -> bool:
    """Tell whether two objects have the same telling words in the same order: "nuts" is more than "pine nuts"."""
    return gist(text) == gist(known)


def is_no_news(text: str, known: str, *, kind: str) -> bool:
    """Tell whether a sentence near in meaning to a known one of its kind is the same: a fact by its telling words, another by no denial."""
    return says_the_same(text, known) if kind == "fact" else not says_otherwise(text, known)


def says_otherwise(text: str, known: str) -> bool:
    """Tell whether two sentences, however near in meaning, cannot be the same: one denies what the other says, or they differ in a number.

    "Does not like it" is not "likes it", nor "dislikes it", and "the rent for March" is not "the rent for April"; negations and names of
    numbers, days and months are read in English.
    """
    one, other = normalise(text).split(), normalise(known).split()
    if sum(word in _NOT for word in one) != sum(word in _NOT for word in other) or _numbers(one) != _numbers(other):
        return True
    only, others = set(one) - set(other), set(other) - set(one)
    return any(prefix + word in right for left, right in ((only, others), (others, only)) for word in left for prefix in _OPPOSITES)


def negates(text: str) -> bool:
    """Tell whether there is a negation in a text, in English."""
    return not _NOT.isdisjoint(normalise(text).split())


def is_denial(text: str, known: str) -> bool:
    """Tell whether a sentence is another one with a negation, in English: "does not live in Rome" denies "lives in Rome".

    Whoever it is about may be named before in up to two words more.
    """
    one, other = normalise(text).split(), normalise(known).split()
    if not _NOT.intersection(one) or _NOT.intersection(other):
        return False
    bare, known_bare = _bare(one), _bare(other)
    return bool(known_bare) and bare[-len(known_bare) :] == known_bare and len(bare) - len(known_bare) <= _NAMED


def is_said_again(text: str, known: str) -> bool:
    """Tell whether two sentences say the same but for the form of verbs and negations, and both deny it, or neither does."""
    one, other = normalise(text).split(), normalise(known).split()
    return _bare(one) == _bare(other) and bool(_NOT.intersection(one)) == bool(_NOT.intersection(other))


def _bare(words: list[str]) -> list[str]:
    """What is left of a sentence without negations and the words that come with them; verbs and nouns in one form."""
    return [_FORMS.sub("", word) if len(word) > 2 else word for word in words if word not in _NOT and word not in _AUXILIARY]


def _numbers(words: list[str]) -> set[str]:
    return {word for word in in_digits(" ".join(words)).split() if word in _DATES or any(letter.isdecimal() for letter in word)}


def names_another(text: str, known: str, *, changed: bool = False) -> bool:
    """Tell whether one of two objects is the other's name with words in front that make it another name.

    "New York" is not "York", though "red Volvo" is a "Volvo" and "Lisbon, Portugal" is in "Portugal": the word right before a name is part
    of it if it has a capital, and says what the name's bearer is like if it has none. Where a name that has a capital is written without
    one, "new york", capitals tell nothing; then they are two names only if one is said to have taken the place of the other (`changed`).
    """
    shorter, longer = sorted((_names(text), _names(known)), key=len)
    folded = [name.casefold() for name, _ in longer]
    if not shorter or len(shorter) == len(longer) or shorter[0][0].casefold() not in folded[1:]:
        return False
    at = folded.index(shorter[0][0].casefold())
    (before, part), (name, same_part) = longer[at - 1], longer[at]
    if at == 0 or part != same_part:
        return False
    return _has_capital(before) or (changed and _has_capital(shorter[0][0]) and not _has_capital(name))


def _names(text: str) -> list[tuple[str, int]]:
    """The words of a text as they are written, without articles, each with the number of the part that it stands in."""
    plain = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text))
    parts = enumerate(_PUNCTUATION.sub(" ", part).split() for part in _BREAK.split(plain))
    return [(word, place) for place, words in parts for word in words if word.casefold() not in _ARTICLES]


def _has_capital(word: str) -> bool:
    return word != word.lower()
