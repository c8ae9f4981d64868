"""What leads into a clause, taken off it: "Yes, I think that since May …"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache

from memdb.clause import Clause
from memdb.english_rules import compiled, rules
from memdb.when import find_times

_LEADS_NOWHERE = re.compile(r"(?:that|this) is my|(?:now|still|so) (?:is|are)\b", re.IGNORECASE)
_TIMED = re.compile(
    r"(?:(?:for|until|till|from|starting|beginning|come|effective|with effect|this|next|last|in|on|by|since|during|over|at|as of|as from"
    r"|after|before|today|tomorrow|tonight|yesterday)\b|\d)",
    re.IGNORECASE,
)


def led(clause: Clause, *, at: datetime, zone: tzinfo) -> Clause:
    """Take off what leads into a clause, and move a time phrase from its beginning to its end."""
    text, moved = clause.text, clause.full
    hedged, explicit = clause.hedged, clause.explicit
    for _ in range(8):
        before = text
        for name, lead in _leads_in():
            if lead is None:
                if told := _time_first(text, at=at, zone=zone):
                    moved, text = f"{moved} {text[:told]}", text[told:].lstrip(" ,")
            elif (found := lead.match(text)) and not _LEADS_NOWHERE.match(text):
                text = text[found.end() :]
                hedged |= name == "hedge"
                explicit |= name in ("correct", "confirm") or found.group().lower() == "now "  # "but now works as a baker"
        if text == before:
            break
    return replace(clause, text=text, full=moved, hedged=hedged, explicit=explicit)


@cache
def _leads_in() -> tuple[tuple[str, re.Pattern[str] | None], ...]:
    """What leads into a clause, in the order in which it is taken off; None is a time ("as of June"), where "as" alone says nothing."""
    leads = rules().leads
    patterns = {name: compiled(rf"(?:{leads[name]})(?:{leads['separator']}|$)") for name in ("correct", "confirm", "hedge", "plain")}
    return tuple((name, patterns.get(name)) for name in ("correct", "confirm", "hedge", "time", "plain"))


def _time_first(text: str, *, at: datetime, zone: tzinfo) -> int:
    """How long the time phrase is that a clause begins with; 0 if it begins with none."""
    spans = find_times(text[:80], at=at, zone=zone) if _TIMED.match(text) else []
    leads = spans and spans[0].start == 0 and re.match(r"\s*(?:$|,|(?:i|my|we|our)\b)", text[spans[0].end :], re.IGNORECASE)
    return spans[0].end if leads else 0
