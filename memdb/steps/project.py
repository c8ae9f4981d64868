"""Project what is held of a user onto a page that people read: memory.md."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo

from memdb.database import Database, Row
from memdb.quoting import in_short
from memdb.records import Record
from memdb.times import to_text, to_utc
from memdb.wording import day_told, told_when

_LONGEST = 300  # characters of a line
_SESSIONS = 7  # accounts of sessions that are shown
_SECTIONS = ("Waits for a word", "Profile", "Preferences", "Tasks", "Facts", "Notes", "How to", "Lately")
_INTRODUCTION = "Change, add or remove lines as you like: what you change is asked about at the next session. The database decides."


class Page(Record):
    """The text of memory.md.

    `lines` are those about a fact: the line, what of it is the fact's own text, and the fact. `frame` are lines that any page may have.
    """

    text: str
    lines: tuple[tuple[str, str, str], ...] = ()
    frame: tuple[str, ...] = ()


def project(db: Database, *, user_id: str, now: datetime, said_by: datetime, zone: tzinfo, max_lines: int) -> Page:
    """Return the page of a user as of `now`, with what was said until `said_by`, as `materialize` has it, its days those of `zone`.

    It is never longer than `max_lines`; the same memory gives the same page. What waits for a decision comes first, then what matters most;
    what does not fit is left out, the least important first.
    """
    rows = db.all("page.rows", user_id=user_id, now=to_text(now), said_by=to_text(said_by), limit=4 * max_lines)
    chosen: dict[str, list[tuple[str, str, str]]] = {}
    room = max_lines - 3  # the heading, a blank line, the introduction
    told: set[str] = set()
    for row in rows:
        section = _section(row)
        line, own = _line(row, zone, now)
        cost = 1 if section in chosen else 4  # a section's heading has a blank line before and after it
        if line in told or cost > room or (section == "Lately" and len(chosen.get(section, ())) >= _SESSIONS):
            continue
        told.add(line)
        chosen.setdefault(section, []).append((line, own, str(row["fact_id"])))
        room -= cost
    lines = [entry for section in _SECTIONS for entry in chosen.get(section, ())]
    frame = (_heading(user_id), _INTRODUCTION, *(f"## {section}" for section in _SECTIONS))
    return Page(text=_text(user_id, chosen), lines=tuple(lines), frame=frame)


def _text(user_id: str, chosen: dict[str, list[tuple[str, str, str]]]) -> str:
    parts = [_heading(user_id), "", _INTRODUCTION]
    for section in _SECTIONS:
        if section in chosen:
            parts += ["", f"## {section}", "", *(line for line, _, _ in chosen[section])]
    return "\n".join(parts) + "\n"


def _heading(user_id: str) -> str:
    return f"# What is remembered of {in_short(user_id, most=_LONGEST)}"


def _section(row: Row) -> str:
    if row["kind"] == "episode":
        return "Lately"
    if row["status"] == "pending_confirmation":
        return "Waits for a word"
    named = {"task": "Tasks", "note": "Notes", "procedure": "How to"}.get(str(row["kind"]))
    if named:
        return named
    by_category = {"identity": "Profile", "health": "Profile", "hard_preference": "Preferences", "soft_preference": "Preferences"}
    return {**by_category, "task_context": "Tasks"}.get(str(row["category"]), "Facts")


def _line(row: Row, zone: tzinfo, now: datetime) -> tuple[str, str]:
    own = in_short(str(row["value_text"]), most=_LONGEST)
    return f"- {own}{''.join(_remarks(row, zone, now))}", own


def _remarks(row: Row, zone: tzinfo, now: datetime) -> Iterable[str]:
    due, begins, ends = (to_utc(str(time)) if time else None for time in (row["due"], row["begins"], row["valid_to"]))
    if row["kind"] == "task" and due is not None:
        yield f" (due {day_told(due, zone)})"
    yield told_when(due if row["kind"] == "fact" else None, ends, zone, begins=begins, now=now)
    if row["is_stalled"]:
        yield " (stalled)"
    if row["status"] == "pending_confirmation":
        yield f" (instead of: {in_short(str(row['against']), most=_LONGEST)})" if row["against"] else " (new)"
    if row["success_rate"] is not None:
        yield f" (worked {float(row['success_rate'] or 0):.0%} of the time)"
