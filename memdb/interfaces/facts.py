"""The commands about single facts: state one, look at it, and decide what becomes of it."""

from __future__ import annotations

import json as json_format
from typing import Annotated, cast, get_args

import typer

from memdb import Fact, Memory
from memdb.interfaces.options import (
    FILE,
    Db,
    Embedder,
    FactId,
    Json,
    NoWait,
    SessionId,
    Timestamp,
    User,
    existing,
    listed,
    opened,
    rehearsed,
    standard_input,
)
from memdb.interfaces.show import instant, print_found, say, share
from memdb.interfaces.work import finish
from memdb.records import Category, MemoryType, Source, TaskState


def remember(
    text: Annotated[str, typer.Argument(help="The fact as a sentence, such as 'Ana is vegan'; - reads standard input.")],
    user: User,
    key: Annotated[
        str | None, typer.Option("--key", help="What it is about, such as user.lives_in; a task or a free note by default.")
    ] = None,
    kind: Annotated[str, typer.Option("--kind", help="Such as fact, note, task or episode.")] = "fact",
    object: Annotated[
        str | None,
        typer.Option("--object", help="The bare value, such as Lisbon; by default what stands behind “lives in” or the like, or all."),
    ] = None,
    category: Annotated[
        str | None, typer.Option("--category", help=f"One of {', '.join(get_args(Category))}; the key's by default.")
    ] = None,
    memory_type: Annotated[
        str | None,
        typer.Option("--type", "--memory-type", help=f"How long it lasts: {', '.join(get_args(MemoryType))}; the key's by default."),
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", min=0, max=1, help="From 0 to 1: how sure it is; as the settings say by default.")
    ] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, help="From 0 to 1: how much it counts; the key's by default.")
    ] = None,
    source: Annotated[str, typer.Option("--source", help=f"Where it comes from: {', '.join(get_args(Source))}.")] = "user_message",
    event_time: Annotated[str | None, typer.Option("--event-time", help="When what it speaks of happens, or is due.")] = None,
    valid_from: Annotated[str | None, typer.Option("--valid-from", help="Since when it is true; since it was said by default.")] = None,
    valid_to: Annotated[str | None, typer.Option("--valid-to", help="Until when, exclusive; until further notice by default.")] = None,
    tags: Annotated[str | None, typer.Option("--tags", help="Words to find it and to filter by, separated by commas.")] = None,
    session_id: SessionId = None,
    turn_id: Annotated[
        str | None, typer.Option("--turn", "--turn-id", help="The turn it comes from; the same fact of it is kept once.")
    ] = None,
    timestamp: Timestamp = None,
    no_wait: NoWait = False,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """State a fact, and print the one that stands afterwards; said again it is confirmed, and it takes the place of what it contradicts."""
    chosen = "none" if no_wait else embedder
    said = standard_input().strip() if text == "-" else text

    def take(memory: Memory) -> Fact:
        return memory.remember(
            said,
            user_id=user,
            key=key,
            kind=kind,
            object=object,
            category=cast("Category | None", category),  # memory refuses any other, as it does with what is below
            memory_type=cast("MemoryType | None", memory_type),
            confidence=confidence,
            importance=importance,
            source=cast("Source", source),
            event_time=event_time,
            valid_from=valid_from,
            valid_to=valid_to,
            tags=listed(tags) or (),
            session_id=session_id,
            turn_id=turn_id,
            timestamp=timestamp,
        )

    rehearsed(db, take, embedder=chosen)
    with opened(db, embedder=chosen, worker=not no_wait) as memory:
        fact = take(memory)
        if not no_wait:
            finish(memory)
        if fact.status == "pending_confirmation":
            say(f"It waits, and is not believed until it is confirmed: memdb confirm {fact.fact_id}")
        _print_fact(fact, memory, json=json)


def fact(fact_id: FactId, db: Db = FILE, json: Json = False) -> None:
    """Show everything that is held of one fact, task or message, whatever its status."""
    with opened(existing(db)) as memory:
        found = memory.fact(fact_id)
    print_found(found, ("", ""), ((name, _shown(value)) for name, value in found.model_dump(mode="json").items()), json=json)


def sources(fact_id: FactId, db: Db = FILE, json: Json = False) -> None:
    """Show what a first-person memory rests on: its events, and for a pattern the memories that went into it."""
    with opened(existing(db)) as memory:
        found = memory.sources(fact_id)
        zone = memory.config.zone
    rows = [(instant(one.timestamp, zone), "event", one.description, one.event_id) for one in found.events]
    rows += [(instant(one.valid_from, zone), one.kind, one.value_text, one.fact_id) for one in found.memories]
    print_found(found, ("when", "what", "text", "id"), rows, none="It rests on no events.", below=2, json=json)


def confirm(fact_id: FactId, db: Db = FILE, json: Json = False) -> None:
    """Take a fact as confirmed by the user; what it contradicted is superseded."""
    with opened(existing(db)) as memory:
        _print_fact(memory.confirm(fact_id), memory, json=json)


def reject(fact_id: FactId, db: Db = FILE, json: Json = False) -> None:
    """Take a fact as never true."""
    with opened(existing(db)) as memory:
        _print_fact(memory.reject(fact_id), memory, json=json)


def doubt(fact_id: FactId, db: Db = FILE, json: Json = False) -> None:
    """Take a fact as uncertain: it is found only with --status uncertain, until it is confirmed or rejected."""
    with opened(existing(db)) as memory:
        _print_fact(memory.doubt(fact_id), memory, json=json)


def end(
    fact_id: FactId,
    valid_to: Annotated[str | None, typer.Option("--valid-to", help="Until when it was true, exclusive; until now by default.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Say until when a fact was true; it is believed no longer, and stays in the history."""
    with opened(existing(db)) as memory:
        _print_fact(memory.end(fact_id, valid_to=valid_to), memory, json=json)


def task(
    fact_id: Annotated[str, typer.Argument(help="The task's id; `memdb facts --kinds task` lists tasks.")],
    state: Annotated[str, typer.Argument(help="active, done or stalled.")],
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Say where a task stands; what is done is over."""
    with opened(existing(db)) as memory:
        _print_fact(memory.task(fact_id, cast("TaskState", state)), memory, json=json)


def _shown(value: object) -> str:
    """A value of a fact as a person reads it."""
    return "" if value is None else value if isinstance(value, str) else json_format.dumps(value, ensure_ascii=False)


def _print_fact(fact: Fact, memory: Memory, *, json: bool) -> None:
    row = (fact.key, fact.value_text, share(fact.confidence), fact.status, instant(fact.valid_from, memory.config.zone), fact.fact_id)
    print_found(fact, ("key", "text", "sure", "status", "since", "fact"), [row], below=1, json=json)
