"""Find what a turn leaves open, and what it says is done: tasks, goals, promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo

from memdb.records import Fact, Record, Turn
from memdb.when import find_times

_OPENS = re.compile(
    r"\b(?:remind me (?:to|about)|don't (?:let me )?forget (?:to|about)|i (?:must not|mustn't) forget (?:to|about)|my goal is to"
    r"|to-?do:?|to do:|(?:i|we) still (?:have|need) to"
    r"|help me (?:to )?(?=find|plan|prepare|organi[sz]e|write|book))\s*(?P<what>[^.!?\n]{3,160})",
    re.IGNORECASE,
)
_PROMISES = re.compile(
    r"\bi(?:'ll| will) (?P<what>(?:check|look into|find out|get back|remind|let you know|send|prepare|follow up)\b[^.!?\n]{0,140})",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:already |finally |just )?(?P<what>(?:did|done|finished|completed|found|booked|called|sent|paid|bought"
    r"|wrote|written|planned|prepared|organi[sz]ed|fixed|submitted|solved)\b[^.!?\n]{2,160})",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w{3,}")
_SMALL = frozenset("the and for with that this you your have has about already finally just did done finished completed from our".split())
_FITS = 0.5  # of a task's words, those that must be said for it to be done


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
    opened = []
    for text, pattern, promised in ((turn.user_input, _OPENS, False), (turn.assistant_response, _PROMISES, True)):
        for match in pattern.finditer(text.replace("’", "'")[:8_000]):
            title = " ".join(match["what"].split()).strip(" ,;:")
            times = find_times(title, at=turn.timestamp, zone=zone)
            opened.append(Loop(title=title, excerpt=match.group(), due=times[-1].ends if times else None, promised=promised))
    said = list(_DONE.finditer(turn.user_input.replace("’", "'")[:8_000]))
    tasks = open_tasks() if said else ()
    done = [task.fact_id for match in said for task in tasks if _covers(_words(match["what"]), _words(task.object))]
    return Loops(opened=tuple(opened), done=tuple(dict.fromkeys(done)))


def _covers(said: set[str], task: set[str]) -> bool:
    return bool(task) and len(said & task) >= max(1, _FITS * len(task))


def _words(text: str) -> set[str]:
    """The telling words, cut to what "find" and "found" do not share but "book" and "booked" do."""
    irregular = {"found": "find", "bought": "buy", "wrote": "write", "written": "write", "paid": "pay", "sent": "send"}
    words = (irregular.get(word, word) for word in _WORD.findall(text.casefold()) if word not in _SMALL)
    return {re.sub(r"(?:ed|ing|s|e)$", "", word) for word in words}
