"""What a turn takes back of what was said before: a slip that it corrects, a joke it was, what is over, or what it asks to forget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache, lru_cache
from itertools import islice

from memdb.called import held_as
from memdb.english_rules import compiled, needs, relation_words, rules
from memdb.fitting import by_fragments
from memdb.sentences import BLANKS, CONTRACTED, expand, masked
from memdb.when import find_times

_LONGEST = 200  # characters; who takes something back says little else
_WORDS = 5  # of what is corrected
_END = " \t\n,.!…"
_ARTICLE = re.compile(r"^(?:an?|the|at|on|as|in(?! \w+ (?:day|week|month|year|hour|minute)s?\b)) ", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_MILD = ("{}, actually", "{} actually", "actually, {}", "actually {}")
_MARK = re.compile(r"(?:[.!;]+\s|,\s(?!(?:when|while|if|because|since|as|in|on|at|for|to|with|about|not)\b))\s*|\s[-–—]+\s|\n+")
_MOST_MARKS = 3  # who takes something back does so first
_FROM_MEMORY = re.compile(r"\bfrom (?:your )?memory\b", re.IGNORECASE)
_GOING_TO = re.compile(r"(?<=\b(?:to|in|at) )[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*$")
_NUMBER_OF = re.compile(r"(?<=\d) ?[a-z]+$", re.IGNORECASE)
_COUNTED = re.compile(r"(?:one|two|three|four|five|six|seven|eight|nine|ten) ")


@dataclass(frozen=True, slots=True)
class Slip:
    """The word that was meant, the one that was said for it, or "" where that is not repeated, and whether it is a slip and no choice.

    `bare`: nothing but the right word tells that it is a slip, so that it may as well answer a question; `mild`: nothing but "actually", so
    that it may be one thing more of a kind of which there may be several.
    """

    right: str
    wrong: str
    clear: bool
    bare: bool = False
    mild: bool = False

    def corrects(self, wrong: str, text: str) -> str | None:
        """Return a text with the right word in place of a wrong one, which stands in it once; None where it may not be meant."""
        found = list(re.finditer(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", text, re.IGNORECASE)) if wrong else []
        if len(found) != 1 or not ((self.wrong and self.clear) or self._may_replace(wrong)):
            return None
        named = (
            found[0].group().istitle() and self.right.isalpha() and self.right.islower() and _kind_of(self.right) is None
        )  # "lisbon", of "flying to Porto"
        right = self.right.title() if named else self.right
        right = right[4:] if wrong[:1].isdigit() and right[:4].lower() == "the " else right  # "the 19th", of "April 18th"
        return text[: found[0].start()] + right + text[found[0].end() :]

    def _may_replace(self, wrong: str) -> bool:
        """Whether the right word is of the same sort as another: a number, a name, or, where it is clear that one is wrong, any."""
        if bool(_DIGIT.search(self.right)) != bool(_DIGIT.search(wrong)) or (self.right[:1].isupper() and not wrong[:1].isupper()):
            return False
        if _relative().fullmatch(self.right):
            return _relative().fullmatch(wrong) is not None
        if bool(_calendar().fullmatch(self.right)) > bool(_calendar().search(wrong)):
            return False  # "It's June, actually" is no place
        if (alike := _kind_of(self.right)) is not None and not _DIGIT.search(self.right):
            same = alike.fullmatch(wrong) is not None
            if same and self.right.count(" ") == 1 == wrong.count(" ") and _COUNTED.match(self.right):
                return self.right.split()[1] == wrong.split()[1]  # of two cats and a dog, "sorry, two dogs" are no cats
            return same or (self.clear and not wrong[:1].isupper())
        return self.clear or bool(_DIGIT.search(wrong)) or wrong[:1].isupper()


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be forgotten: what a `clause` states, all that is held under some `predicates`, or the one thing that is `named`; where
    that is one somebody or something of the user's ("my doctor"), it is held under the predicate `own`.
    """

    clause: str = ""
    predicates: tuple[str, ...] = ()
    named: str = ""
    own: str = ""


def slip_in(text: str) -> Slip | None:
    """Return the slip that a text corrects, if it does nothing else: "Sorry, I meant Braga, not Lisbon"."""
    said, words = _plain(text), rules().takes_back
    trailed = compiled(rf"{words.trail}$").search(said)
    if trailed is not None and trailed.start() and ("*" in said or _is_led(said) or " not " in said):
        said = said[: trailed.start()]  # "*Alexis, autocorrect", "typo, 4 not 14 lol"
    for pattern in _slips()(said):
        found = pattern.fullmatch(said) if said else None
        if found is None:
            continue
        groups = found.groupdict()
        right, wrong = (_ARTICLE.sub("", (groups.get(name) or "").strip(_END), count=1) for name in ("right", "wrong"))
        both = (right, wrong) if wrong else (right,)
        if all(word and len(word.split()) <= _WORDS and not compiled(words.no_word).search(word) for word in both):
            return Slip(
                right,
                wrong,
                clear=compiled(words.clear.replace("{lead}", words.lead)).match(said) is not None and (bool(wrong) or _is_led(said)),
            )
    for pattern in _bare()(said):
        found = pattern.fullmatch(said) if said else None
        right = found["right"].strip(_END) if found else ""
        mild = said.lower().strip(_END) in {form.format(right.lower()) for form in _MILD}
        if _kind_of(right) is not None:  # "Three cats" has its capital from where it stands
            right = _ARTICLE.sub("", right, count=1)
            right = right if compiled("{language}").fullmatch(right) else right[:1].lower() + right[1:]
        if right and not compiled(words.no_word).search(right):
            return Slip(right, "", clear="*" in said, bare=True, mild=mild)
    return None


def instead_in(text: str) -> Slip | None:
    """Return what a text says is so instead of what was asked, if it does nothing else: "no, Braga now"."""
    found = compiled(rules().takes_back.instead).fullmatch(_plain(text))
    right = _ARTICLE.sub("", found["right"].strip(_END), count=1) if found else ""
    return Slip(right, "", clear=True) if right and not compiled(rules().takes_back.no_word).search(right) else None


def by_now_in(text: str) -> Slip | None:
    """Return what a text says is so by now, of what was told before it, if it does nothing else: "it's green now"."""
    found = _by_now().fullmatch(_plain(text))
    return Slip(found["right"], "", clear=False, bare=True) if found else None


@cache
def _by_now() -> re.Pattern[str]:
    words = rules().takes_back
    return compiled(words.by_now.replace("{alike}", "|".join(words.alike[1:-1])))


def _is_led(said: str) -> bool:
    return compiled(rules().takes_back.lead).match(said) is not None


def begins_anew(text: str) -> bool:
    """Whether a text begins as one does that says again, and right, what was said wrong before: "scratch that, …", "did I say two? …"."""
    return len(text) <= _LONGEST and compiled(rules().takes_back.begins).match(CONTRACTED.sub(expand, text)) is not None


def request_in(text: str) -> Request | None:
    """Return what a text asks to forget, if it does nothing else: "Forget that I live in Porto", "please forget my phone number"."""
    said, words = _plain(text.strip().removesuffix("?")), rules().takes_back
    found = _forget().fullmatch(said) if said else None
    if found is None:
        return None
    what = found["what"].strip(_END)
    told_of = found["said"] and found["said"].lower() != "about"  # "forget about the job" may be no more than a change of topic
    named = re.sub(r"^(?:my|our|the) " if told_of else r"^(?:my|our) ", "", what.lower())
    meant = found["said"] or _FROM_MEMORY.search(said)  # and no change of topic, as "forget my job" may be
    known = rules().forgotten | (rules().forgotten_of if meant else {})
    if named in known and (named != what.lower() or " i " in f" {named} "):
        return Request(predicates=known[named])
    clause = re.fullmatch(r"(?:the fact )?(?:that )?(?P<clause>(?:i|my|our|we) .+)", what, re.IGNORECASE)
    if told_of:
        own = held_as(named) if named != what.lower() else ""
        if clause is not None and not own:
            return None
        return Request(named=compiled(words.about).sub("", what), own=own)
    if clause is None or found["said"] or found["other"] or compiled(words.for_now).search(what):
        return None
    return Request(clause=clause["clause"])


def may_mend(text: str) -> bool:
    """Whether a text begins as one does that puts something right: "sorry", "I meant", "not Hull"."""
    return compiled(rf"\W*(?:{rules().takes_back.lead}|(?:i|we) mean(?:t|,)? |not )").match(text) is not None


def may_forget(text: str) -> bool:
    """Whether a text has a word with which one asks to forget what one said."""
    return (
        compiled(rf"\b(?:forget|stop|delete|erase|remove|remember|know|save|store|{rules().takes_back.ignore})\b").search(text) is not None
    )


def in_two(text: str) -> list[tuple[str, str]]:
    """Return what a text says first, up to one of its first commas and full stops, and what it says then, the longest first."""
    marks = islice(_MARK.finditer(text), _MOST_MARKS)
    return [(text[: mark.start()], text[mark.end() :]) for mark in marks if text[mark.end() :].strip()][::-1]


def is_taken_back(text: str, *, surely: bool = False) -> bool:
    """Whether a text says that what was said before it was not meant, and nothing else: "just kidding", "scratch that".

    `surely`: whatever else is said then. "Scratch that, I'd like soup" may be said of what was asked for.
    """
    said, words = _plain(text), rules().takes_back
    patterns = (words.joke, words.unsaid) if surely else (words.joke, words.unsaid, words.ignored)
    return any(compiled(pattern).fullmatch(said) is not None for pattern in patterns)


def is_over(text: str) -> bool:
    """Whether a text says of what was just said that it is so no more, and nothing else: "not any more", "I used to"."""
    return compiled(rules().takes_back.over).fullmatch(_plain(text)) is not None


def is_off(text: str) -> bool:
    """Whether a text says that a job which was just got is off, and nothing else: "they withdrew the offer"."""
    return compiled(rules().takes_back.off).fullmatch(_plain(text)) is not None


def is_denied(text: str) -> bool:
    """Whether a text says of what was just said that it is not so, and nothing else: "that's wrong", "no, I'm not"."""
    return compiled(rules().takes_back.denied).fullmatch(_plain(text)) is not None


def may_be_taken_back(earlier: str, text: str) -> bool:
    """Whether that may be said of an earlier text: "scratch that" takes back what it asks for, if it asks for anything."""
    return compiled(rules().takes_back.joke).fullmatch(_plain(text)) is not None or "?" not in earlier


def pointed_at(text: str) -> tuple[str, ...]:
    """Return the predicates of which a text says that what was just named is so no more ("I don't live there any more"); () for none."""
    said = _plain(text)
    return tuple(predicate for predicate, pattern in rules().pointed.items() if compiled(pattern).fullmatch(said))


def stand_ins(text: str, objects: Iterator[str], slip: Slip, *, at: datetime, zone: tzinfo) -> list[str]:
    """Return what in a text a slip may be about: the wrong word itself, or else what was stated, and when."""
    if slip.wrong:
        return [slip.wrong]
    if _relative().fullmatch(slip.right):
        return [found.group() for found in _relative().finditer(text)]
    if compiled("{month}").fullmatch(slip.right):  # "sorry, June": a month alone is no time yet
        return [found.group() for found in compiled(r"\b{month}\b").finditer(text)]
    right = f"on {slip.right}" if slip.right[:4].lower() == "the " and _DIGIT.search(slip.right) else slip.right  # "sorry, the 19th"
    when = find_times(right, at=at, zone=zone)
    if when and when[0].text == right:
        told = [_ARTICLE.sub("", span.text, count=1) for span in find_times(text, at=at, zone=zone)]
        if right == slip.right or not all(map(_calendar().search, told)):
            return told
        return [found.group() for one in told for found in re.finditer(r"\d+(?:st|nd|rd|th)?\b", one)]  # of "April 18th"
    alike = _kind_of(slip.right)
    of_its_kind = (
        [_ARTICLE.sub("", found.group(), count=1) for found in alike.finditer(text)]
        if alike is not None and not _DIGIT.search(slip.right)
        else []
    )
    values = [value.rpartition(" called ")[2] for value in objects]
    if slip.right.isdigit():  # "72", of "82 kg"
        values = [_NUMBER_OF.sub("", value) for value in values]
    places = [found.group() for value in values for found in _GOING_TO.finditer(value)]  # of "flying to Porto", it may be Porto
    return list(dict.fromkeys([*of_its_kind, *values, *places]))


@lru_cache(maxsize=16)  # a turn is looked at for one thing after another
def _plain(text: str) -> str:
    """A short text in one line, contractions written out, or "" where it is long or quotes something."""
    if len(text) > _LONGEST:
        return ""
    said = BLANKS.sub(" ", masked(text).replace("\n", " ")).strip(_END)
    return "" if "¤" in said else CONTRACTED.sub(expand, said)


@cache
def _relative() -> re.Pattern[str]:
    return compiled(rf"(?:my|our) {{kin_how}}(?:{relation_words()})(?![\w'-])")


def _kind_of(right: str) -> re.Pattern[str] | None:
    """What a word is one of, if that is a kind with a few words of its own: a number of cats, a job, a diet; no name and no relative."""
    return next((alike for alike in _alike() if alike.fullmatch(right)), None)


def is_a_day(word: str) -> bool:
    """Whether a word tells a day or a month, and has its capital because of that: "July 3rd"."""
    return _calendar().match(word) is not None


@cache
def _calendar() -> re.Pattern[str]:
    return compiled(r"\b(?:{month}|{weekday})\b")


@cache
def _alike() -> tuple[re.Pattern[str], ...]:
    return tuple(compiled(rf"(?<![\w'-])(?:{alike})(?![\w'-])") for alike in rules().takes_back.alike[1:-1])


@cache
def _slips() -> Callable[[str], list[re.Pattern[str]]]:
    words = rules().takes_back
    word = r"(?P<{}>[^\s,.;:!?()\"][^,;:!?()\"]{{0,40}}?)"
    ways = (
        pattern.replace("{lead}", words.lead).replace("{right}", word.format("right")).replace("{wrong}", word.format("wrong"))
        for pattern in words.slip
    )
    return by_fragments(ways, needing=needs, made_ready=compiled)


@cache
def _bare() -> Callable[[str], list[re.Pattern[str]]]:
    words = rules().takes_back
    alike = "|".join(words.alike[1:-1])
    ways = (pattern.replace("{lead}", words.lead).replace("{alike}", alike) for pattern in words.bare)
    return by_fragments(ways, needing=needs, made_ready=compiled)


@cache
def _forget() -> re.Pattern[str]:
    words = rules().takes_back
    return compiled(words.forget.replace("{said_of}", f"(?P<said>{words.said_of})").replace("{ignore}", f"(?P<other>{words.ignore})"))
