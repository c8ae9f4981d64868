"""How the command line shows things: tables on a terminal, tab-separated lines in a pipe, one JSON document on request."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar

from pydantic import BaseModel
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memdb import Change, Fact, Hit, Listed, MdbError, Memory, Profile, ProfileChange, ProfileEntry, Question
from memdb.passages import READABLE, passage
from memdb.times import in_zone

Shown = TypeVar("Shown")

_LONG_WORD = re.compile(r"(?P<begins>\S{80})\S{21,}(?P<ends>\S{20})")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # and what writes the rest of a line backwards


_SHORT = frozenset({"when", "what", "since", "until", "status", "sure", "score", "kind"})  # columns of values that do not wrap

_ID_WIDTH = 36
_LEAST = 12  # what a column of words needs to be read; half as much again where an id stands below
_BETWEEN = 3


@dataclass(frozen=True)
class Look:
    """How a kind of change is told: a sign, a word, a colour."""

    sign: str
    word: str
    style: str


LOOKS: dict[str, Look] = {
    "insert": Look("+", "new", "green"),
    "noop": Look("=", "confirmed", "cyan"),
    "update": Look("~", "refined", "blue"),
    "supersede": Look(">", "superseded", "yellow"),
    "expire": Look("x", "expired", "magenta"),
    "mark_pending_confirmation": Look("?", "pending", "bright_yellow"),
    "confirm": Look("!", "confirmed", "cyan"),
    "reject": Look("-", "rejected", "red"),
    "archive": Look(".", "archived", "dim"),
    "undo": Look("<", "undone", "red"),
}
_CHANGED = Look("~", "changed", "blue")
_ENDS_LATER = Look("x", "ends later", "magenta")


@dataclass(frozen=True)
class Told:
    """One or two rows of the history as one event: what it did, to which key, from what to what, and why."""

    look: Look
    key: str
    before: str
    after: str
    confidence_before: float | None
    confidence_after: float | None
    reason: str
    change: Change


def look_of(change: Change | ProfileChange) -> Look:
    """Return how a change is told: only new words refine a fact; what is doubted or dated anew in the same ones is changed.

    What is to end on a day to come is so until then.
    """
    before, after = (one.value_text if isinstance(one, Fact) else one for one in (change.before, change.after))
    if change.operation in ("expire", "supersede") and (
        change.after.status == "active" if isinstance(change.after, Fact) else after is not None and after == before
    ):
        return _ENDS_LATER
    return _CHANGED if change.operation == "update" and before == after else LOOKS[change.operation]


def tell(changes: Sequence[Change]) -> list[Told]:
    """Return changes as they are told. Where one fact ended so that another could begin, the two rows are one event."""
    begun = {
        (change.turn_id, change.action_hash): change
        for change in changes
        if change.operation in ("insert", "confirm") and change.after is not None and change.after.status == "active"
    }
    ended = {(change.turn_id, change.action_hash) for change in changes if change.operation == "supersede"}
    told: list[Told] = []
    for change in changes:
        identity = (change.turn_id, change.action_hash)
        if change.operation == "insert" and identity in ended:
            continue
        after = begun.get(identity, change).after if change.operation == "supersede" else change.after
        told.append(
            Told(
                look=look_of(change),
                key=change.key,
                before=value_of(change.before),
                after=value_of(after),
                confidence_before=change.before.confidence if change.before else None,
                confidence_after=after.confidence if after else None,
                reason=change.reason,
                change=change,
            )
        )
    return told


def clean(text: str) -> str:
    """Return a text with its control characters written out, so that what is remembered cannot steer a terminal, or hide on a page."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}" if found[0] < "\u0100" else f"\\u{ord(found[0]):04x}", text)


def in_short(text: str) -> str:
    """Return a sentence as an error tells it: of a long name or word that it repeats, only the beginning and the end."""
    return _LONG_WORD.sub(r"\g<begins> … \g<ends>", str(MdbError(text)))


def say(text: str) -> None:
    """Say something beside the output, in one line, on standard error; where nobody can be told, all else goes on."""
    told = text.replace("\n", "\\n")
    with suppress(OSError):
        print(f"memdb: {clean(told)}", file=sys.stderr, flush=True)


def say_rest(listed: Listed[Shown], *, offset: int) -> None:
    """Say of a part of a list how much there is of it, and how the rest is had."""
    reached = offset + len(listed)
    if reached < listed.total:
        following = f"the next with --offset {reached}, and " if listed else ""
        say(f"{len(listed)} of {listed.total}; {following}all without --limit")


def is_terminal() -> bool:
    """Whether the output is read by a person at a terminal."""
    return sys.stdout.isatty()


def print_text(text: str) -> None:
    """Print a text as it is, to be put into a prompt or a file; a terminal is not steered by it."""
    print(clean(text) if is_terminal() else text)


def print_json(value: BaseModel | Sequence[BaseModel]) -> None:
    """Print a record, or a list of records, as one JSON document; letters that the output cannot show are escaped, and none is lost."""
    document = value.model_dump(mode="json") if isinstance(value, BaseModel) else [item.model_dump(mode="json") for item in value]
    told = json.dumps(document, ensure_ascii=False, indent=2)
    try:
        told.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        told = json.dumps(document, indent=2)
    print(told)


def print_record(record: BaseModel, *, json: bool, columns: tuple[str, str] = ("", "")) -> None:
    """Print a record of plain values: as JSON, or a row for each field, what is None left blank."""
    told = ((name, "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)) for name, value in record)
    print_found(record, columns, told, json=json)


def print_found(
    found: BaseModel | Sequence[BaseModel],
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    json: bool,
    none: str = "",
    below: int | None = None,
) -> None:
    """Print what was found as one JSON document, or in rows, as `print_rows` does."""
    if json:
        print_json(found)
    else:
        print_rows(columns, rows, none=none, below=below)


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[str]], *, none: str = "", below: int | None = None) -> None:
    """Print rows: a table on a terminal, where `none` stands for no rows; tab-separated lines without a heading in a pipe.

    On a terminal, the last column goes under the column `below`, since a long id beside the others leaves them no room. Where the terminal
    is too narrow for the columns side by side, each row is a block of lines, one for each of its values.
    """
    if not is_terminal():
        for row in rows:
            print("\t".join(_in_line(value) for value in row))
        return
    console, held = Console(highlight=False), [[clean(value) for value in row] for row in rows]
    wanted = _wanted(columns, held, below=below)
    if held and _needed(columns, wanted, below=below, id_width=_LEAST * 3 // 2) > console.width:
        for row in held:
            block = Table.grid("", "", padding=(0, 2, 0, 0))
            for column, value in zip(columns, row, strict=True):
                if value:
                    block.add_row(Text(column, style="dim"), Text(value, overflow="fold"))
            console.print(block)
            console.print()
        return
    # An id in one piece can be copied. Its column is given all that the others leave: with a least width only, the table is made wider than
    # the terminal, and what stands beyond its edge is lost.
    left = None
    if below is not None and _needed(columns, wanted, below=below, id_width=_ID_WIDTH) <= console.width:
        left = max(_ID_WIDTH, min(wanted[below], console.width - _edged(sum(wanted) - wanted[below], columns=len(wanted))))
    table = Table(box=box.SIMPLE_HEAD if any(columns) else box.SIMPLE, pad_edge=False, header_style="bold", show_header=any(columns))
    for place, column in enumerate(columns if below is None else columns[:-1]):
        table.add_column(column, overflow="fold", no_wrap=column in _SHORT, width=left if place == below else None)
    for row in held:
        cells = [Text(value) for value in row]
        if below is not None:
            under = cells.pop().plain
            cells[below].append(f"\n{under}", style="dim")
        table.add_row(*cells)
    console.print(table if table.row_count else Text(none))


def _wanted(columns: Sequence[str], rows: Sequence[Sequence[str]], *, below: int | None) -> list[int]:
    """Return how wide each of the columns that stand side by side would be if nothing in it wrapped."""
    side_by_side = columns if below is None else columns[:-1]
    wanted = [max([len(column), *(cell_len(row[place]) for row in rows)]) for place, column in enumerate(side_by_side)]
    if below is not None:
        wanted[below] = max([wanted[below], *(cell_len(row[-1]) for row in rows)])
    return wanted


def _needed(columns: Sequence[str], wanted: Sequence[int], *, below: int | None, id_width: int) -> int:
    """Return how wide a terminal must be for a table that can be read, in which the column over an id has `id_width`."""
    least = (
        width if column in _SHORT else min(width, id_width if place == below else _LEAST)
        for place, (column, width) in enumerate(zip(columns, wanted, strict=False))
    )
    return _edged(sum(least), columns=len(wanted))


def _edged(width: int, *, columns: int) -> int:
    """Return how wide so many columns are with what stands between them and beside them."""
    return width + _BETWEEN * (columns - 1) + 2


def instant(value: datetime | None, zone: tzinfo) -> str:
    """Return the day for a person at a terminal, or the whole time as ISO-8601 UTC for a pipe; nothing for None."""
    if value is None:
        return ""
    return f"{in_zone(value, zone):%Y-%m-%d}" if is_terminal() else value.isoformat().replace("+00:00", "Z")


def share(value: float | None) -> str:
    """Return a number between 0 and 1, or nothing."""
    return "" if value is None else f"{value:.2f}"


def parts(hit: Hit) -> str:
    """Return what each feature added to a score, the most first."""
    ranked = sorted(hit.contributions.items(), key=lambda part: -abs(part[1]))
    return " ".join(f"{name}={value:.3f}" for name, value in ranked if abs(value) >= 0.0005)


def said(fact: Fact) -> str:
    """Return what a row says; of a message also who said it."""
    return f"{fact.speaker}: {fact.value_text}" if fact.kind == "message" and fact.speaker else fact.value_text


def bearing(hit: Hit, question: Question) -> str:
    """Return what a hit says; on a terminal, of a long text the part that bears on the question."""
    if not is_terminal():
        return said(hit.fact)
    return said(hit.fact.model_copy(update={"value_text": passage(hit.fact.value_text, question, most=READABLE)}))


def value_of(fact: Fact | None) -> str:
    """Return what a fact says, bare ("Lisbon"); where it denies something, the whole sentence."""
    if fact is None:
        return ""
    return fact.value_text if fact.denies else fact.object


def entries(profile: Profile) -> list[tuple[str, ProfileEntry]]:
    """Return what a profile holds, each entry with its section, recent changes aside."""
    named = [("identity", profile.identity), ("hard_preferences", profile.hard_preferences), ("soft_preferences", profile.soft_preferences)]
    listed = [("current_tasks", profile.current_tasks), ("sensitive_topics", profile.sensitive_topics)]
    return [(section, entry) for section, held in named for values in held.values() for entry in values] + [
        (section, entry) for section, held in listed for entry in held
    ]


def mind(change: ProfileChange) -> str:
    """Return a change of mind in a few words."""
    if change.before and change.after and change.before != change.after:
        return f"{change.before} → {change.after}"
    return f"{change.after or change.before} ({look_of(change).word})"


def _in_line(value: str) -> str:
    return clean(value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r"))


def print_changes(memory: Memory, changes: Sequence[Change]) -> None:
    """Print what changed in a memory, each change with what was and what is believed, and why."""
    zone = memory.config.zone
    print_rows(
        ("when", "what", "key", "before", "after", "sure", "turn", "why", "fact"),
        (
            (instant(told.change.changed_at, zone), told.look.word, told.key, told.before, told.after, share(told.confidence_after),
             told.change.turn_id, told.reason, told.change.fact_id)
            for told in tell(changes)
        ),
        none="Nothing has changed.",
        below=7,
    )  # fmt: skip
