"""The commands of first-person memories: what happened in a household, what is remembered of it, and how that fades."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import typer

from memdb import Hits, Maintained, Memory, checks
from memdb.answers import Hit
from memdb.interfaces.options import FILE, AnyUser, Db, Embedder, Json, Now, Timestamp, User, existing, listed, opened, rehearsed
from memdb.interfaces.show import instant, parts, print_json, print_record, print_rows, say
from memdb.interfaces.work import finish, going
from memdb.records import BreakTrigger, Event, MemoryType, Record


class Recalled(Record):
    """The memories that were found, best first, each with the events that it rests on."""

    degraded: str | None
    memories: tuple[Hit, ...]
    events: tuple[tuple[Event, ...], ...]


class Happened(Record):
    """The id of an event that is safely on disk."""

    event_id: str


def event(
    description: Annotated[str, typer.Argument(help="What happened, such as 'Rui asked for warmer lights'.")],
    user: User,
    timestamp: Timestamp = None,
    participants: Annotated[str | None, typer.Option("--participants", help="Who took part, separated by commas.")] = None,
    location: Annotated[str | None, typer.Option("--location", help="Where, such as kitchen.")] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, help="From 0 to 1: how much it counts; by the rules by default.")
    ] = None,
    trigger: Annotated[str | None, typer.Option("--trigger", help=f"Ends the segment: {', '.join(get_args(BreakTrigger))}.")] = None,
    event_id: Annotated[str | None, typer.Option("--event-id", help="A name for the event; the same event again changes nothing.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Take something that happened in a household, and print its id; its memory follows when its segment is over."""

    def take(memory: Memory) -> str:
        return memory.event(
            description,
            user_id=user,
            timestamp=timestamp,
            participants=listed(participants) or (),
            location=location,
            importance=importance,
            trigger=cast("BreakTrigger | None", trigger),  # memory refuses any other
            event_id=event_id,
        )

    rehearsed(db, take)
    with opened(db) as memory:
        taken = take(memory)
    if json:
        print_json(Happened(event_id=taken))
    else:
        print(taken)


def recall(
    query: Annotated[str, typer.Argument(help="A question, or what the conversation is about.")],
    user: User,
    participants: Annotated[str | None, typer.Option("--participants", help="Only with one of these people, separated by commas.")] = None,
    memory_types: Annotated[
        str | None, typer.Option("--types", "--memory-types", help=f"Only these, separated by commas: {', '.join(get_args(MemoryType))}.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=0, help="How many at most; the setting max_memories_per_retrieval by default.")
    ] = None,
    max_age_days: Annotated[
        float | None,
        typer.Option(
            "--max-age-days",
            min=0,
            help="Leave out what is older, and was not seen since; 0 is no limit, the setting max_age_days the default.",
        ),
    ] = None,
    min_score: Annotated[
        float | None, typer.Option("--min-score", help="Leave out what scores less; the setting importance_threshold by default.")
    ] = None,
    now: Now = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Find the first-person memories that bear on a question, those that are due told first; each becomes stronger by it."""
    types = listed(memory_types)
    checks.lists(memory_types=types)  # before what is due is told
    with opened(existing(db), embedder=embedder) as memory:
        memory.narrate(now=now)
        finish(memory)  # what was just told is found by meaning, too
        hits = memory.recall(
            query,
            user_id=user,
            participants=listed(participants),
            memory_types=cast("list[MemoryType] | None", types),
            limit=limit,
            max_age_days=max_age_days,
            min_score=min_score,
            now=now,
        )
        if hits.degraded and embedder != "none":
            say(hits.degraded)
        _print_recalled(memory, hits, json=json)


def maintain(
    user: AnyUser = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    now: Now = None,
    db: Db = FILE,
    embedder: Embedder = "none",
    json: Json = False,
) -> None:
    """Tell the memories that are due and do the maintenance: patterns and fading of what was lived, episodes, tasks, notes, archiving."""
    with opened(existing(db), embedder=embedder) as memory, going("maintaining"):
        if not dry_run:
            memory.narrate(now=now)
        done: Maintained = memory.maintain(user_id=user, now=now, dry_run=dry_run)
        if not dry_run:
            memory.drain()
    print_record(done, json=json)


def _print_recalled(memory: Memory, hits: Hits, *, json: bool) -> None:
    events = tuple(memory.sources(hit.fact.fact_id).events for hit in hits)
    if json:
        print_json(Recalled(degraded=hits.degraded, memories=tuple(hits), events=events))
        return
    print_rows(
        ("score", "type", "since", "memory", "parts of the score", "fact"),
        (
            (f"{hit.score:.3f}", hit.fact.memory_type or "", instant(hit.fact.valid_from, memory.config.zone), hit.fact.value_text,
             parts(hit), hit.fact.fact_id)
            for hit in hits
        ),
        none="Nothing comes to mind.",
        below=3,
    )  # fmt: skip
