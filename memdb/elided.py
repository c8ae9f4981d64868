"""The "I" or "my" that a writer leaves out: "Moved to Leeds", "mum loves orchids"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from memdb.clause import Clause
from memdb.english_rules import Elided, compiled, needs, rules
from memdb.fitting import by_fragments
from memdb.subjects import MINE

_FAN = re.compile(r"(?:[A-Z][\w'-]+ ){1,3}(?:fan|supporter)\b(?! of\b)")  # what has its capital wherever it stands
_KIN = r"{elder}(?='s (?:an?|allergic|\d+)\b| (?:is|has|loves|likes|hates|lives|works|moved|died|retired|does not|can not)\b)"
_BY_NAME = (  # as only their own children call them
    r"(?=(?-i:[A-Z][a-z]+) ){elder} (?=(?:is|has|loves|likes|hates|lives|works|moved|went|died|passed"
    r"|retired|takes|turned|used|does not|can not)\b)"
)


def with_subject(clause: Clause) -> Clause:
    """A clause with the "I" or "my" that its writer has left out."""
    for one, begins in _left_out()(clause.text):
        if begins.match(clause.text):
            what = clause.text if _FAN.match(clause.text) else f"{clause.text[0].lower()}{clause.text[1:]}"
            return replace(clause, text=f"{one.says} {what}", elided=not one.own)
    return clause


@cache
def _left_out() -> Callable[[str], list[tuple[Elided, re.Pattern[str]]]]:
    """Which of the ways to leave out "I" or "my" a text may begin with, each with what it begins with then."""
    return by_fragments(rules().elided, needing=lambda one: needs(one.begins), made_ready=lambda one: (one, compiled(one.begins)))


def with_my(clause: Clause, stated: list[Clause]) -> Clause:
    """A clause with the "my" that its writer has left out after what is theirs: "mum loves orchids | but dad's allergic to pollen"."""
    if stated and MINE.match(stated[-1].text) and compiled(_KIN).match(clause.text):
        return replace(clause, text=f"my {clause.text}", elided=True)
    if clause.text[:1].isupper() and not stated and compiled(_BY_NAME).match(clause.text):
        return replace(clause, text=f"my {clause.text[0].lower()}{clause.text[1:]}", elided=True)  # "Mum is on warfarin"
    return clause
