"""What bounds a statement: a clause that says when or on what condition it is so, or that it is over."""

from __future__ import annotations

import re
from dataclasses import replace

from memdb.clause import Clause
from memdb.english_rules import compiled, rules

_EVEN = re.compile(r",? even$", re.IGNORECASE)
_WHEN = re.compile(r"when|while", re.IGNORECASE)
_AT_TIMES = r"\b(?:{diet}|{nationality}|caf[eé]|coffee shop|library|bar)$"
_MOVED_OUT = re.compile(r"\bmoved out$", re.IGNORECASE)


def suppose(stated: list[Clause]) -> None:
    """Hedge what was stated last, since "if …" follows it, or take it back, if it is so only then."""
    if _EVEN.search(stated[-1].text):
        stated[-1] = replace(stated[-1], text=_EVEN.sub("", stated[-1].text))  # "I prefer trains, even | if they are slow"
        return
    only_then = compiled(rules().phrase["only_then_so"]).match(stated[-1].text)
    stated[-1:] = [] if only_then else [replace(stated[-1], hedged=True)]


def bound(stated: list[Clause], clause: Clause) -> bool:
    """Take back what was stated last, or hedge it, if a clause says when it is so, or that it is over; return whether it does."""
    said, bounded = stated[-1].text, _WHEN.match(clause.text)
    at_times = bounded is not None and bounded.group().lower() == "when" and compiled(_AT_TIMES).search(said) is not None
    if at_times or (bounded and compiled(rules().phrase["only_then_so"]).match(said)):
        stated.pop()  # "I am vegetarian | when my wife cooks", "I drive to work | when it rains"
    elif bounded and " not " in said:
        stated[-1] = replace(stated[-1], hedged=True)  # "I do not like coffee | when it is cold"
    elif compiled(rules().phrase["begun"]).search(said):
        if compiled(rules().phrase["over"]).match(clause.text):
            stated.pop()  # "I moved to Porto | but came back"
        elif compiled(rules().phrase["long_ago"]).match(clause.text):
            stated[-1] = replace(stated[-1], hedged=True)  # "I moved to Porto | when I was five"
            if _MOVED_OUT.search(said):
                stated.pop()  # from somebody with whom one lived then
    else:
        return False
    return True
