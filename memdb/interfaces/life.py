"""The verbs of the command line about procedures, links, memory.md and the vector index."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import typer

from memdb import InputError, Memory, Procedure
from memdb.interfaces import work
from memdb.interfaces.options import (
    FILE,
    Db,
    Embedder,
    FactId,
    Json,
    Limit,
    SessionId,
    Statuses,
    Timestamp,
    User,
    embedder_of,
    existing,
    listed,
    opened,
    rehearsed,
    statuses_of,
)
from memdb.interfaces.show import print_found, print_json, print_record, print_text, say, share
from memdb.records import Record, Relation


class Counted(Record):
    """How many links were made or removed."""

    links: int


class Paged(Record):
    """The text of memory.md."""

    page: str


def link(
    source_id: Annotated[str, typer.Argument(help="The id of the fact that the link starts from.")],
    target_id: Annotated[str, typer.Argument(help="The id of the fact that it leads to.")],
    relation: Annotated[str, typer.Option("--relation", help=f"One of {', '.join(get_args(Relation))}.")] = "relates-to",
    strength: Annotated[float, typer.Option("--strength", min=0, max=1, help="From 0 to 1: how strong it is.")] = 1.0,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Link two facts of one user; linking them again changes the strength."""
    with opened(existing(db)) as memory:
        made = memory.link(source_id, target_id, cast("Relation", relation), strength=strength)
    row = (made.source_id, made.relation, made.target_id, f"{made.strength:g}")
    print_found(made, ("from", "relation", "to", "strength"), [row], json=json)


def unlink(
    source_id: Annotated[str, typer.Argument(help="The id of the fact that the link starts from.")],
    target_id: Annotated[str, typer.Argument(help="The id of the fact that it leads to.")],
    relation: Annotated[str | None, typer.Option("--relation", help="Only this relation; all of them by default.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Remove the link from a fact to another."""
    with opened(existing(db)) as memory:
        removed = memory.unlink(source_id, target_id, cast("Relation | None", relation))
    print_found(Counted(links=removed), ("", ""), [("links removed", str(removed))], json=json)


def links(
    fact_id: FactId,
    depth: Annotated[int, typer.Option("--depth", min=1, max=8, help="How many steps.")] = 1,
    relations: Annotated[
        str | None,
        typer.Option(
            "--relations", "--relation", help=f"Only over these, separated by commas: {', '.join(get_args(Relation))}; any by default."
        ),
    ] = None,
    statuses: Statuses = None,
    min_strength: Annotated[
        float, typer.Option("--min-strength", min=0, max=1, help="Leave out what is weaker, the product of the links on the way.")
    ] = 0.0,
    limit: Annotated[int, typer.Option("--limit", min=0, max=1_000_000_000, help="How many facts at most.")] = 100,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Show where links lead from a fact, nearest and strongest first."""
    with opened(existing(db)) as memory:
        found = memory.links(
            fact_id,
            depth=depth,
            relations=cast("list[Relation] | None", listed(relations)),
            statuses=statuses_of(statuses),
            min_strength=min_strength,
            limit=limit,
        )
    rows = ((str(one.depth), one.relation, share(one.strength), one.fact.value_text, one.fact.fact_id) for one in found)
    print_found(found, ("steps", "relation", "strength", "text", "fact"), rows, none="No links lead from there.", below=3, json=json)


def relate(
    user: User,
    kinds: Annotated[
        str | None,
        typer.Option("--kinds", help="Only these, separated by commas, such as fact,note; the setting link_kinds by default."),
    ] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Link what is new to what it is like, by words alone."""
    with opened(existing(db)) as memory:
        made = memory.relate(user, kinds=listed(kinds))
    print_found(Counted(links=made), ("", ""), [("links made", str(made))], json=json)


def learn(
    trigger: Annotated[str, typer.Argument(help="The task it is for, such as 'deploy the website'.")],
    steps: Annotated[list[str], typer.Argument(help="What to do, in order.")],
    user: User,
    title: Annotated[str | None, typer.Option("--title", help="A name for it; the one that it has, or the trigger, by default.")] = None,
    importance: Annotated[
        float | None, typer.Option("--importance", min=0, max=1, help="From 0 to 1: how much it counts; what it was, or 0.6, by default.")
    ] = None,
    session_id: SessionId = None,
    turn_id: Annotated[str | None, typer.Option("--turn", "--turn-id", help="The turn it comes from; a retry changes nothing.")] = None,
    timestamp: Timestamp = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Remember how something is done."""

    def take(memory: Memory) -> Procedure:
        return memory.learn(
            trigger,
            steps,
            user_id=user,
            title=title,
            importance=importance,
            session_id=session_id,
            turn_id=turn_id,
            timestamp=timestamp,
        )

    rehearsed(db, take)
    with opened(db) as memory:
        learned = take(memory)
    if learned.status == "pending_confirmation":
        say(f"It touches a sensitive topic and is not found until it is confirmed: memdb confirm {learned.fact_id}")
    _print_procedures([learned], json=json)


def procedures(
    task: Annotated[str, typer.Argument(help="What is to be done.")],
    user: User,
    limit: Limit = 5,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Find how something like it was done before, and how that went."""
    with opened(existing(db), embedder=embedder) as memory:
        _print_procedures(memory.procedures(task, user_id=user, limit=limit), json=json)


def outcome(
    fact_id: FactId,
    worked: Annotated[bool, typer.Option("--worked/--failed", help="How it went.")],
    note: Annotated[str, typer.Option("--note", help="What there is to say about it.")] = "",
    turn_id: Annotated[str | None, typer.Option("--turn", "--turn-id", help="The turn it is told by; its outcome counts once.")] = None,
    timestamp: Timestamp = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Note how a procedure went; it grows stronger or weaker."""
    with opened(existing(db)) as memory:
        _print_procedures([memory.outcome(fact_id, worked, note=note, turn_id=turn_id, timestamp=timestamp)], json=json)


def page(user: User, db: Db = FILE, json: Json = False) -> None:
    """Print memory.md as it would be written now."""
    with opened(existing(db)) as memory:
        text = memory.page(user)
    if json:
        print_json(Paged(page=text))
    else:
        print_text(text.removesuffix("\n"))


def vectors(db: Db = FILE, json: Json = False) -> None:
    """Show the state of the vector index: whose vectors, how many are made, how many wait."""
    with opened(existing(db)) as memory:
        state = memory.vectors()
    print_record(state, json=json)


def reindex(
    embedder: Annotated[str, typer.Option("--embedder", help="The embedder to come: all-MiniLM-L6-v2, hashing-384, or endpoint:MODEL.")],
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Change the file's embedder. The old vectors are in use until the new ones are whole; interrupted, run it again."""
    if embedder_of(embedder) is None:
        raise InputError(f"There is no embedder {embedder!r} to change to; to search by words alone, give --embedder none to a search.")
    with opened(existing(db)) as memory:
        state = work.reindex(memory, embedder)
    print_record(state, json=json)


def _print_procedures(found: list[Procedure], *, json: bool) -> None:
    rows = (
        (one.title, "; ".join(one.steps), "" if one.success_rate is None else share(one.success_rate), share(one.confidence), one.fact_id)
        for one in found
    )
    print_found(found, ("task", "steps", "worked", "sure", "fact"), rows, none="Nothing like it was learned.", below=1, json=json)
