"""What is said in a construction of its own, said as plainly as the patterns know it: "spiders scare me" is "I am afraid of spiders"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from memdb.english_rules import Plainly, compiled, rules

_DOES = {"am": "is", "are": "is", "have": "has", "do": "does", "go": "goes", "study": "studies", "watch": "watches", "teach": "teaches"}
_DO = {
    **{"worked": "work", "lived": "live", "had": "have", "drove": "drive", "was": "am", "sent": "send", "paid": "pay", "rung": "ring"},
    **{"bought": "buy", "filed": "file", "submitted": "submit", "cancelled": "cancel"},
}
_DID = re.compile(r"(?<=[^\Wes])ed$", re.IGNORECASE)  # "booked"
_DOES_ALREADY = re.compile(r"(?<!s)s$", re.IGNORECASE)  # "works", but not "miss"
_DOING = {
    **{"begin": "beginning", "travel": "travelling", "run": "running", "swim": "swimming", "ski": "skiing", "knit": "knitting"},
    **{"see": "seeing", "jog": "jogging", "sew": "sewing", "get": "getting", "quit": "quitting", "transfer": "transferring"},
    **{"sit": "sitting", "squat": "squatting", "shop": "shopping", "bet": "betting", "chat": "chatting", "plan": "planning"},
    **{"go near": "going near", "go on": "going on", "go to": "going to", "take part": "taking part", "eat out": "eating out"},
    **{"pay for": "paying for", "work out": "working out", "work with": "working with", "work for": "working for"},
}


def plain_clause(text: str) -> str:
    """Return a clause with what it begins with said plainly."""
    for one in _that_may_match(text).get("clause", ()):
        if found := compiled(one.match).match(text):
            text = f"{_filled(one.says, found)}{text[found.end() :]}"
    return text


def plain_sentence(text: str) -> str:
    """Return a sentence with what is said in it in a construction of its own said plainly."""
    for one in _that_may_match(text).get("sentence", ()):
        if found := compiled(one.match).search(text):
            text = f"{text[: found.start()]}{_filled(one.says, found)}{text[found.end() :]}"
    return text


def granted(sentence: str) -> Iterator[str]:
    """Return what a sentence takes for granted of who says it, whatever else it says or asks: "… in Lyon, where I live?"."""
    for one in _that_may_match(sentence).get("granted", ()):
        if (found := compiled(one.match).search(sentence)) and not compiled(rules().phrase["made_up"]).search(sentence):
            yield _filled(one.says, found)


_COMMON = re.compile(  # with a capital only because the sentence begins with it, other than "Goya's paintings"
    r"(?!(?!(?:Women|Men|Children|People|Kids|Girls|Boys)'s)[A-Z][a-z-]*'s )[A-Z][a-z'-]*(?:ing|s|graphy|(?: [a-z'-]+)+)"
)


@cache
def _capital() -> re.Pattern[str]:
    """What has a capital wherever it stands: "Belgian beer"."""
    return compiled(r"(?:{nationality}|{language}|{weekday}s?|{month})\b")


_BEFORE_A_TIME = re.compile(r"(?:next|this|in|on|at|tomorrow|today|tonight|early|late|mid|some ?time)\b", re.IGNORECASE)


@cache
def _a_month() -> re.Pattern[str]:
    """What begins with a month, a season or a year, and not with a day."""
    return compiled(r"(?:the )?(?:{month}(?! \d{1,2}(?!\d))|spring|summer|autumn|fall\b|winter|(?:19|20)\d\d)")


class _Said(str):
    """What was said: as {verb:does} and {verb:doing} "live" is "lives" and "living", as {verb:do} "lived" is "live", as {o:within} what no
    longer begins a sentence, as {o:one} "knees" is "knee", as {who:is} "I" is "am", as {long:ago} "two years" is "two years ago",
    as {no:being} "do not" is "not", and as {when:at} "May" is "in May" and "Friday" "on Friday"."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "does":
            return _DOES.get(self.lower()) or (str(self) if _DOES_ALREADY.search(self) else f"{self}s")
        if spec == "do":
            return _DO.get(self.lower()) or _DID.sub("", self)
        if spec == "doing":
            return "" if not self else _DOING.get(self.lower(), f"{self.removesuffix('e')}ing")
        if spec == "is":
            return "am" if self.lower() == "i" else "is"
        if spec == "at":
            return f"{'in ' if _a_month().match(self) else '' if _BEFORE_A_TIME.match(self) else 'on '}{self}"
        if spec == "ago":
            return str(self) if self.isdigit() else f"{self} ago"
        if spec == "being":
            return {"do not ": "not ", "would not ": "not "}.get(self.lower(), str(self))
        if spec == "to_do":
            return f"to {self} " if self else ""
        if spec == "one":
            return self.removesuffix("s")
        within = spec == "within" and _COMMON.fullmatch(self) is not None and _capital().match(self) is None
        return f"{self[0].lower()}{self[1:]}" if within else str(self)


def _filled(says: str, found: re.Match[str]) -> str:
    return says.format_map({name: _Said(value or "") for name, value in found.groupdict().items()})


_APART = tuple(letter.lower() if letter.isalnum() else " " for letter in map(chr, range(0x2070)))  # up to the dashes and quotation marks


@lru_cache(maxsize=4)  # a sentence is often its only clause
def _that_may_match(text: str) -> Mapping[str, Sequence[Plainly]]:
    """The constructions whose words are in a text, by what they stand in, each time in the order of the rules."""
    known, words = _by_word(), text.translate(_APART).split()
    there = known.keys() & words
    found: dict[str, list[Plainly]] = {}
    for place in sorted({place for word in there for place in known[word]}) if there else ():
        one = rules().plainly[place]
        if not any(alternatives.isdisjoint(words) for alternatives in one.words):
            found.setdefault(one.within, []).append(one)
    return found


@cache
def _by_word() -> Mapping[str, Sequence[int]]:
    """Where the constructions stand in the rules, by the first of the words that are in whatever they match."""
    known: dict[str, list[int]] = {}
    for place, one in enumerate(rules().plainly):
        for word in one.words[0]:
            known.setdefault(word, []).append(place)
    return known
