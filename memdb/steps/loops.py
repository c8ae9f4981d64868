"""Find what a turn leaves open, and what it says is done: tasks, goals, promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache
from typing import NamedTuple

from memdb.earnest import in_earnest
from memdb.records import Fact, Record, Turn, is_oneself, source_of
from memdb.times import MOMENT
from memdb.verbs import stem_of, stem_of_past
from memdb.when import find_times

_JOINS = r"and|but|so|then|also|because|since|oh|ok|okay|hey|hi|yes|well|please|pls|just|actually"
_BEFORE = r"(?:^|[.!?,;:\n(–—-]\s*|\b(?:{})\s+)"
_REMIND = _BEFORE.format(
    rf"{_JOINS}|you|you to|(?:hey|hi|ok|okay) \w+|(?:alarm|reminder|notification|note) to"
)  # not "songs that remind me to"
_STILL = _BEFORE.format(rf"{_JOINS}|though|although|think")  # not "how much we still have to do"
_OPENS = re.compile(
    rf"(?:{_REMIND}(?=remind\b)|{_STILL}(?=(?:i|we) still\b)|\b(?!remind\b|(?:i|we) still\b))"
    r"(?P<says>(?:remind me(?P<when>(?: (?!(?:to|about|of|that|if|what|who|how|when|where|why|which)\b)[\w:']+){0,5}) (?:to|about)\b"
    r"|(?:don't (?:let me )?forget|i (?:must not|mustn't|can't|cannot) forget) (?:to|about)\b"
    r"|i(?:'ve)? (?:must|should|(?:need|have|got) to) remember to\b|note to self(?: to\b|:)?|my goal is to\b"
    r"|to[- ]?do:(?![^\n]*\n[^\n]*(?:[{};]|//|==?|\(\)))|(?:i|we) still (?:have|need) to"
    r"|help me (?:to )?(?=find|plan|prepare|organi[sz]e|write|book))\s*"
    r"(?P<what>(?:[^.!?\n]|(?:(?<=\b[dm]r)|(?<=\bmrs)|(?<=\bprof)|(?<=\bst))\.){3,160}))",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"(?:(?:remind me|remember|(?:don't|not(?: to)?) forget) to )+", re.IGNORECASE)  # "don't forget to remind me to …"
_SOON = re.compile(r"(?:please|pls|again|also|later|soon|sometime)(?: (?:please|pls|again))?", re.IGNORECASE)  # is no time that is due
_BY_THE_CLOCK = re.compile(
    r"(?:at|by|around) (?:\d{1,2}(?::\d\d)?(?: ?[ap]m)?|noon|midnight)|in the (?:morning|afternoon|evening)|(?:every|each) [\w ]+",
    re.IGNORECASE,
)  # when, though on no day
_OPENING = ("remind me", "forget", "remember to", "note to self", "my goal is to", "do:", " still ", "help me ")  # one of which it has
_LISTS = re.compile(
    r"\b(?:add|put) (?P<what>[^.!?\n]{2,100}?) (?:to|on|onto) (?:my|our|the) (?P<list>shopping|grocery|to-?do) list\b", re.IGNORECASE
)
_LISTING = (" list",)
_HELPED_AT_ONCE = re.compile(r"help me (?:to )?(?!find|book)", re.IGNORECASE)  # as an assistant does that says more than a few words
_A_FEW = 25
_TO_ANOTHER = re.compile(r"don't forget", re.IGNORECASE)  # says one person to the other
_PROMISES = re.compile(
    r"\b(?P<says>i(?:'ll| will) "
    r"(?P<what>(?:check|look into|find out|get back|remind|let you know|send|prepare|follow up)\b[^.!?\n]{0,140}))",
    re.IGNORECASE,
)
_PROMISING = ("i'll ", "i will ")
_SAYS_NOTHING = re.compile(  # of what is promised: "I'll let you know", "I'll let you know if I need anything", "I'll look into it"
    r"(?:let you know(?: (?:how (?:it|that|this|things)\b.*|(?:if|whether|should) i (?:need|have|can|want|think)\b.*"
    r"|what (?:i|you) think\b.*|then|later|soon|tomorrow|as well|too))?|get back(?: to you)?"
    r"|(?:check|look into|find|send|prepare) (?:it|that|this|them|those)(?: (?:out|up|over|soon|later|too))?"
    r"|check (?:back|in)(?: (?:with you|soon|later))?)",
    re.IGNORECASE,
)
_POLITELY = re.compile(r",?\s+(?:please|pls|thanks|thank you)$", re.IGNORECASE)
_FIND_IT = re.compile(r"find (?:it|them)\b", re.IGNORECASE)
_LOST = re.compile(
    r"\b(?:lost|misplaced|mislaid|(?:can't|cannot|can not|couldn't) find|looking for) (?P<what>(?:my|our|the) [\w'-]+(?: [\w'-]+){0,2}?)"
    r"(?=[^\w\s'-]|\s*$|\s(?:at|in|on|and|but|so|again|somewhere|today|yesterday|anywhere|when|while|help|please|can|could)\b)",
    re.IGNORECASE,
)
_LONGEST, _LONGEST_DEED = 8_000, 200  # characters of a turn that are read, and of a part of it that tells what was done
_LOOKED_BACK = 300  # characters before "help me find it" that may say what
_LATELY = r"(?:(?:already|finally|just|also|now|actually|eventually|then|both|all|managed to|went and) )*"
_LEAD = re.compile(r"^(?:\W|\b(?:and|but|so|then|also|yes|yeah|yep|ok|okay|oh|well|hey|hi|by the way|btw|guess what|good news)\b)+")
_TAIL = re.compile(r"\W+$")
_DID = re.compile(rf"^(?:(?:i|we)(?:'ve| have)? )?{_LATELY}(?P<verb>[a-z]+)\b(?P<rest>.*)$")
_GOT_DONE = re.compile(rf"^(?:i|we)(?:'ve| have)? {_LATELY}(?:got|had) (?P<rest>.+?) (?P<verb>[a-z]+)(?: up| off)?$")
_IS_DONE = re.compile(rf"^(?P<rest>.+?)(?:'s| is| are| has been| have been| was| were| got)? {_LATELY}(?P<verb>[a-z]+)(?: up| off)?$")
_CLAUSE = re.compile(r"[.!?;:,\n]+|\b(?:and|but|then)\b")
_PARTS = re.compile(r"\b(in|at|on|about|for|from|to|with|of|by|before|after|into|near|under|over|off|up|out|down|away|back)\b")
_PARTICLES = frozenset("up out off down away back over".split())
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SMALL = frozenset(
    "the a an and that this these those my our your his her their some any more it all both today tonight yesterday now last next "
    "thing things stuff task finally already just too also".split()
)
_ANYTHING = "do finish complete sort solve handle"  # said of whatever was to be done, but for what was to be got
_AS_GOOD = {  # who was to do this has done it if they did one of these
    "buy": "get pick order grab purchase", "get": "buy pick order grab collect fetch", "call": "ring phone speak talk",
    "ring": "call phone speak talk", "phone": "call ring speak talk", "send": "post mail email submit",
    "find": "book buy choose rent reserve get", "book": "reserve", "write": "send submit post email",
    "organise": "plan prepare arrange book", "plan": "organise prepare arrange book", "prepare": "plan organise arrange",
    "fix": "repair mend",
}  # fmt: skip


class Loop(Record):
    """Something left open, with the words that open it; `promised` by the assistant."""

    title: str
    excerpt: str
    due: datetime | None = None
    promised: bool = False


class Loops(Record):
    """What a turn opens, and the ids of the tasks that it says are done."""

    opened: tuple[Loop, ...] = ()
    done: tuple[str, ...] = ()


def loops(turn: Turn, open_tasks: Callable[[], Sequence[Fact]], *, zone: tzinfo) -> Loops:
    """Return what a turn leaves open and what it closes, by the English phrases for it. Tasks are read only if anything was done."""
    if (role := source_of(turn.speaker or "user")) != "user_message":  # a message of a chat by itself
        turn = turn.model_copy(update={"user_input": "", "assistant_response": turn.user_input if role == "assistant_message" else ""})
    opened = []
    for said, pattern, words, promised in (
        (turn.user_input, _OPENS, _OPENING, False), (turn.assistant_response, _PROMISES, _PROMISING, True)
    ):  # fmt: skip
        text = said.replace("’", "'")[:_LONGEST]
        for match in pattern.finditer(text) if _has_any(text, words) else ():
            what = _POLITELY.sub("", " ".join(match["what"].split())).strip(" ,;:")
            what = what[found.end() :] if not promised and (found := _AGAIN.match(what)) else what
            if not promised and _is_none_of_theirs(match.group(), turn):
                continue
            title = _named(what, before=match.string[max(0, match.start() - _LOOKED_BACK) : match.start()])
            if title is None or (promised and _SAYS_NOTHING.fullmatch(title)):
                continue
            if when := " ".join((match.groupdict().get("when") or "").split()):  # "remind me tomorrow to call mum"
                if find_times(when, at=turn.timestamp, zone=zone) or _BY_THE_CLOCK.fullmatch(when):
                    title = f"{title} {when}"
                elif _SOON.fullmatch(when) is None:
                    continue  # "you remind me so much of him, about to leave"
            times = find_times(title, at=turn.timestamp, zone=zone)
            due = times[-1].ends - MOMENT if times else None  # at the end of that day, not at the beginning of the next
            opened.append(Loop(title=title, excerpt=match["says"], due=due, promised=promised))
    text = turn.user_input[:_LONGEST]
    for match in _LISTS.finditer(text) if _has_any(text, _LISTING) else ():
        verb = "" if match["list"].lower().startswith("to") else "buy "
        opened.append(Loop(title=verb + " ".join(match["what"].split()), excerpt=match.group()))
    claims = list(_claims(turn))
    tasks = [(task.fact_id, _errand(task.object, at=turn.timestamp, zone=zone)) for task in open_tasks()] if claims else []
    deeds = _deeds(claims, turn, zone) if tasks else ()
    done = [name for deed in deeds for name, task in tasks if task is not None and _does(deed, task)]
    return Loops(opened=tuple(opened), done=tuple(dict.fromkeys(done)))


def _is_none_of_theirs(says: str, turn: Turn) -> bool:
    """Whether what is to be done is left to another: to whom one person says it, or to the assistant, who has done it at once."""
    if _HELPED_AT_ONCE.match(says):
        return not 0 < len(turn.assistant_response.split()) <= _A_FEW  # nor is there anything left open where no answer is known
    among_people = not is_oneself(turn.speaker, turn.user_id) and not turn.assistant_response
    return among_people and _TO_ANOTHER.match(says) is not None


def _has_any(text: str, words: Sequence[str]) -> bool:
    """Whether one of these stands in a text, or may: a letter that is not ASCII may be the same as one of theirs."""
    small = text.lower()
    return not text.isascii() or any(word in small for word in words)


def _named(title: str, *, before: str) -> str | None:
    """What is to be done, where that is to find "it", which was named as lost before; None where nothing was."""
    if not (found := _FIND_IT.match(title)):
        return title
    lost = [match["what"] for match in _LOST.finditer(before)]
    return f"find {lost[-1]}{title[found.end() :]}" if lost else None


class _Errand(NamedTuple):
    """Something to do, or done: the stem of its verb, the words of what it is done to, and what follows each preposition."""

    verb: str
    what: tuple[str, ...]
    further: Mapping[str, frozenset[str]]
    whole: bool = False  # nothing else may be said than what the task says


_Claim = tuple[str, list[tuple[re.Match[str], bool]]]
"""A clause with what it may say was done, and whether it may say nothing else."""


def _claims(turn: Turn) -> Iterator[_Claim]:
    """The clauses of a turn that may say that something was done."""
    for clause in _CLAUSE.split(turn.user_input.replace("’", "'")[:_LONGEST]):
        plain = _TAIL.sub("", _LEAD.sub("", " ".join(clause.lower().split())))
        ways = ((_DID, False), (_GOT_DONE, False), (_IS_DONE, True))
        if len(plain) > _LONGEST_DEED:
            continue
        said = [(match, whole) for pattern, whole in ways if (match := pattern.match(plain)) and stem_of_past(match["verb"])]
        if said:
            yield clause.strip(), said


def _deeds(claims: Iterable[_Claim], turn: Turn, zone: tzinfo) -> Iterator[_Errand]:
    """What a turn says in earnest was done: "I've renewed the railcard", "called Rita", "got the bill paid", "hotel's booked"."""
    text = turn.user_input.replace("’", "'")[:_LONGEST]
    for clause, said in claims:
        if in_earnest(text, clause):
            for match, whole in said:
                what, further = _parts(match["rest"], at=turn.timestamp, zone=zone)
                yield _Errand(stem_of_past(match["verb"]), what, further, whole)


def _errand(title: str, *, at: datetime, zone: tzinfo) -> _Errand | None:
    words = _WORD.findall(title.replace("’", "'").lower())
    if not words:
        return None
    what, further = _parts(title.replace("’", "'").lower().partition(words[0])[2], at=at, zone=zone)
    return _Errand(stem_of(words[0]), what, further)


def _parts(text: str, *, at: datetime, zone: tzinfo) -> tuple[tuple[str, ...], Mapping[str, frozenset[str]]]:
    """The words right behind a verb, and those behind each preposition; when it is to be is no part of it."""
    for span in find_times(text, at=at, zone=zone):
        text = text.replace(span.text.lower(), " ")
    first, *others = _PARTS.split(text)
    what, further = _words(first), {}
    for preposition, part in zip(others[::2], others[1::2], strict=True):
        if not what:
            what = _words(part)
        elif words := _words(part):
            if preposition in _PARTICLES:
                what += words
            else:
                further[preposition] = frozenset(words)
    return what, further


def _does(deed: _Errand, task: _Errand) -> bool:
    """Whether what was done is what was to be done: the same to the same thing, and to no other of its kind."""
    if deed.verb not in _ways().get(task.verb, {task.verb, *_stems(_ANYTHING)}):
        return False
    if not task.what:
        return deed.verb == task.verb and not deed.what
    every = {*task.what, *(word for part in task.further.values() for word in part)}
    said = {*deed.what, *(word for part in deed.further.values() for word in part)}
    if deed.whole and not said <= every:
        return False
    others = any(not words & task.further[way] for way, words in deed.further.items() if way in task.further)
    return task.what[-1] in said and not others and 2 * len(said & set(task.what)) >= len(task.what)


@cache
def _ways() -> dict[str, set[str]]:
    """By the stem of what was to be done, the stems of what does it."""
    got = {"buy", "get"}
    return {
        stem_of(verb): {stem_of(verb), *_stems(others), *(_stems(_ANYTHING) if verb not in got else ())}
        for verb, others in _AS_GOOD.items()
    }


def _stems(words: str) -> set[str]:
    return set(map(stem_of, words.split()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(stem_of(word.removesuffix("'s")) for word in _WORD.findall(text) if word not in _SMALL)
