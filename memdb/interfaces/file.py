"""The commands about a whole file: the work that it waits for, its state, rebuilding it, and a demo that makes one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import memdb
from memdb import Damage, SchemaError, StoreError
from memdb.interfaces import demo as demonstration
from memdb.interfaces import household_demo, work
from memdb.interfaces import replay as rebuilding
from memdb.interfaces.options import (
    FILE,
    Db,
    Embedder,
    Json,
    ask_first,
    embedder_of,
    existing,
    opened,
)
from memdb.interfaces.show import is_terminal, print_json, print_record, print_rows, say
from memdb.records import Record


class Retried(Record):
    """How many turns and vectors got another chance, and how many vectors and turns are set aside now."""

    revived: int
    dead: int
    turns_failed: int


class Drained(Record):
    """Whether everything is done, and what is left: turns, vectors that wait, vectors that failed for good."""

    done: bool
    turns: int
    turns_failed: int
    vectors_waiting: int
    vectors_dead: int


class Checked(Record):
    """What is damaged in the file."""

    damage: tuple[Damage, ...]


def drain(db: Db = FILE, embedder: Embedder = "auto", json: Json = False) -> None:
    """Think about everything that waits now, write it down and embed it.

    What others add meanwhile is not waited for. Tells what is left: `turns` and `vectors_waiting`, and `turns_failed` and `vectors_dead`,
    which failed too often.
    """
    with opened(existing(db), embedder=embedder, worker=True) as memory:
        done = work.finish(memory)
        stats = memory.stats()
    waiting = {status: stats.turns_by_status.get(status, 0) for status in ("queued", "working", "failed")}
    left = Drained(
        done=done,
        turns=waiting["queued"] + waiting["working"],
        turns_failed=waiting["failed"],
        vectors_waiting=stats.outbox_waiting,
        vectors_dead=stats.outbox_dead,
    )
    print_record(left, json=json)


def retry(db: Db = FILE, embedder: Embedder = "auto", json: Json = False) -> None:
    """Give turns and vectors that were set aside after failing too often another chance, and wait as `memdb drain` does."""
    with opened(existing(db), embedder=embedder, worker=True) as memory:
        revived = memory.retry()
        work.finish(memory)
        stats = memory.stats()
    result = Retried(revived=revived, dead=stats.outbox_dead, turns_failed=stats.turns_by_status.get("failed", 0))
    print_record(result, json=json)


def stats(db: Db = FILE, json: Json = False) -> None:
    """Show the state of the file in numbers."""
    with opened(existing(db)) as memory:
        numbers = memory.stats()
    if json:
        print_json(numbers)
        return
    rows: list[tuple[str, str]] = []
    for name, value in numbers.model_dump(mode="json").items():
        inner = {f"{name}.{part}": number for part, number in value.items()} if isinstance(value, dict) else {name: value}
        rows += [
            (label, "" if one is None else f"{one:.3f}".rstrip("0").rstrip(".") if isinstance(one, float) else str(one))
            for label, one in inner.items()
        ]
    print_rows(("", ""), rows)


def check(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Set aside the rows that cannot be read, save the rest of damaged pages, and make the indexes anew, after a copy.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before that.")] = False,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Look through the whole file for damage, and list it; ends with code 1 where there is any that is not mended."""
    found = _damage(existing(db), even_closed=repair)
    if not json or not repair:
        _tell_damage(found, json=json)
    if not repair:
        raise typer.Exit(1 if found else 0)
    if found and not yes:
        rows = sum(1 for one in found if one.table)
        what = f"set up to {rows} rows aside in a file beside it" if rows == len(found) else "save what can still be read of it"
        ask_first(f"Copy {db}, {what}, and make the indexes anew?")
    mended = memdb.mend(db)
    if json:
        print_json(mended)
    else:
        told = [("the file as it was", mended.copy_of_before), (f"{len(mended.set_aside)} rows set aside", mended.kept_in)]
        told += [("left by one that was killed", name) for name in mended.kept_before]
        print_rows(("", ""), [(name, where) for name, where in told if where])
        if mended.lost:
            print_rows(("lost of", "rows at most", "ids"), [(one.table, _many(one.rows), _ids(one.ids)) for one in mended.lost])
        if found:
            _tell_damage(mended.left, json=False)
    if mended.left:
        say("What is left cannot be mended here: restore a copy, or put it right by hand.")
        raise typer.Exit(1)


def _damage(db: Path, *, even_closed: bool) -> list[Damage]:
    """Look through a file; if it may be one that cannot be opened, that is its damage."""
    try:
        with opened(db) as memory:
            return memory.check()
    except StoreError as error:
        if not even_closed or not (error.damaged or isinstance(error, SchemaError)):
            raise
        return [Damage(fault=str(error))]


def _many(rows: int | None) -> str:
    return "unknown" if rows is None else str(rows)


def _ids(ids: Sequence[tuple[int, int | None]]) -> str:
    return ", ".join(str(first) if first == last else f"{first}–{'' if last is None else last}" for first, last in ids)


def _tell_damage(found: Sequence[Damage], *, json: bool) -> None:
    if json:
        print_json(Checked(damage=tuple(found)))
    else:
        print_rows(("table", "row", "what is wrong"), ((one.table or "", one.row or "", one.fault) for one in found), none="All is well.")


def replay(
    old: Annotated[Path, typer.Argument(readable=False, help="The memory whose turns are taken.")],
    new: Annotated[Path, typer.Argument(readable=False, help="The file to make.")],
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Rebuild a memory from its turns, every prompt answered by the call that was kept; where there is none, the rules decide.

    Tells `turns`, `turns_failed`, prompts `answered` by a kept call or `unanswered`, and facts `differing`: only one file holds them so.
    """
    with work.going("replaying"):
        replayed = rebuilding.replay(
            existing(old, otherwise="name the file whose turns are to be thought about anew"), new, embedder=embedder_of(embedder)
        )
    if replayed.unanswered:
        say(f"For {replayed.unanswered} prompts no call was kept; the rules decided instead, and `memdb turns` says where.")
    print_record(replayed, json=json)


def demo(
    conversation: Annotated[
        Path | None, typer.Option("--conversation", readable=False, help="Any other conversation, also LoCoMo's samples.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--sample", help="Which conversation of the file, by its name; the first by default.")
    ] = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between turns.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file, whatever it holds.")] = False,
    household: Annotated[bool, typer.Option("--household", help="Show four weeks of a household and its first-person memories.")] = False,
) -> None:
    """Show the whole of it on a conversation: what is learned, what changes and why, and what is found; it leaves the file behind."""
    if household:
        if conversation is not None or sample is not None:
            raise typer.BadParameter("the household is the one that ships with memdb; leave out --conversation and --sample.")
        household_demo.run(path=db, embedder=embedder_of(embedder), force=force)
        return
    pause = 0.0 if fast or not is_terminal() else 0.1
    demonstration.run(conversation, sample=sample, path=db, embedder=embedder_of(embedder), pause=pause, force=force)
