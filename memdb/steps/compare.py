"""Tell what somebody changed by hand in memory.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

from memdb.records import Record

_ALIKE = 0.6  # a new line this much like one that is gone is that one, changed
_COMPARED = 200  # new lines that may be changed ones; a page has no more
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+)?\s*")


class Edit(Record):
    """A line that was added, or one about a fact that was changed or removed."""

    kind: Literal["added", "changed", "removed"]
    text: str
    fact_id: str | None = None
    before: str | None = None


def compare(lines: Sequence[tuple[str, str, str]], written: str, found: str, *, frame: Sequence[str]) -> list[Edit]:
    """Return the edits that lead from the page as it was `written` to the page as it was `found`, in the order of the page.

    `lines` are the page's lines about facts, with each fact's own text and id, and `frame` lines that say nothing. Order, blank lines,
    indentation and the kind of bullet do not count.
    """
    known = {_bare(line) for line in (*written.splitlines(), *frame)}
    there = [_bare(line) for line in found.splitlines()]
    added = [line for line in dict.fromkeys(there) if line and line not in known]
    gone = [(_bare(line), own, fact_id) for line, own, fact_id in lines if _bare(line) not in there]
    pairs = [(_likeness(line, before), place, line) for place, (before, _, _) in enumerate(gone) for line in added[:_COMPARED]]
    pairs.sort(key=lambda pair: (-pair[0], pair[1]))
    changed: dict[str, int] = {}
    for likeness, place, bare in pairs:
        if likeness >= _ALIKE and bare not in changed and place not in changed.values():
            changed[bare] = place
    edits = []
    for bare in added:
        if bare in changed:
            line, own, fact_id = gone[changed[bare]]
            text = bare.removesuffix(line.removeprefix(own)) if line.startswith(own) else bare
            edits.append(Edit(kind="changed", text=text.strip(), fact_id=fact_id, before=own))
        else:
            edits.append(Edit(kind="added", text=bare))
    left = [entry for place, entry in enumerate(gone) if place not in changed.values()]
    return [edit for edit in edits if edit.text] + [Edit(kind="removed", text=own, fact_id=fact_id, before=own) for _, own, fact_id in left]


def _likeness(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < _ALIKE:
        return 0.0  # upper bounds that are quick to have
    return matcher.ratio()


def _bare(line: str) -> str:
    return " ".join(_BULLET.sub("", line, count=1).split())
