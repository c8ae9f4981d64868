"""The verbs of the command line about procedures, links, memory.md and the vector index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import memdb
from memdb import Memory, Procedure
from memdb.interfaces.options import FILE, Db, Embedder, Json, User, existing, rehearsed
from memdb.interfaces.show import print_json, print_rows, say, share
from memdb.records import Record, Relation

app = typer.Typer()

FactId = Annotated[str, typer.Argument(help="The fact's id.")]
Named = Annotated[str, typer.Option("--relation", help="relates-to, contradicts, supports or extends.")]


class Counted(Record):
    """How many links were made or removed."""

    links: int


class Paged(Record):
    """The text of memory.md."""

    page: str


@app.command()
def link(
    source: Annotated[str, typer.Argument(help="The id of the fact that the link starts from.")],
    target: Annotated[str, typer.Argument(help="The id of the fact that it leads to.")],
    relation: Named = "relates-to",
    strength: Annotated[float, typer.Option("--strength", min=0, max=1, help="How strong it is.")] = 1.0,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Link two facts of one user; linking them again changes the strength."""
    with _open(db) as memory:
        made = memory.link(source, target, cast("Relation", relation), strength=strength)
    if json:
        print_json(made)
    else:
        print_rows(("from", "relation", "to", "strength"), [(made.source_id, made.relation, made.target_id, f"{made.strength:g}")])


@app.command()
def unlink(
    source: Annotated[str, typer.Argument(help="The id of the fact that the link starts from.")],
    target: Annotated[str, typer.Argument(help="The id of the fact that it leads to.")],
    relation: Annotated[str | None, typer.Option("--relation", help="Only this relation; all of them by default.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Remove the link from a fact to another."""
    with _open(db) as memory:
        removed = memory.unlink(source, target, cast("Relation | None", relation))
    if json:
        print_json(Counted(links=removed))
    else:
        print_rows(("", ""), [("links removed", str(removed))])


@app.command()
def links(
    fact_id: FactId,
    depth: Annotated[int, typer.Option("--depth", min=1, max=8, help="How many steps.")] = 1,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Show where links lead from a fact, nearest and strongest first."""
    with _open(db) as memory:
        found = memory.links(fact_id, depth=depth)
    if json:
        print_json(found)
    else:
        rows = ((str(one.depth), one.relation, share(one.strength), one.fact.value_text, one.fact.fact_id) for one in found)
        print_rows(("steps", "relation", "strength", "text", "fact"), rows, none="No links lead from there.", below=3)


@app.command()
def relate(user: User, db: Db = FILE, json: Json = False) -> None:
    """Link what is new to what it is like, by words alone."""
    with _open(db) as memory:
        made = memory.relate(user)
    if json:
        print_json(Counted(links=made))
    else:
        print_rows(("", ""), [("links made", str(made))])


@app.command()
def learn(
    trigger: Annotated[str, typer.Argument(help="The task it is for, such as 'deploy the website'.")],
    steps: Annotated[list[str], typer.Argument(help="What to do, in order.")],
    user: User,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Remember how something is done."""

    def take(memory: Memory) -> Procedure:
        return memory.learn(trigger, steps, user_id=user)

    rehearsed(db, take)
    with memdb.open(db, config={"worker": False}, embedder=None) as memory:
        learned = take(memory)
    if learned.status == "pending_confirmation":
        say(f"It touches a sensitive topic and is not found until it is confirmed: memdb confirm {learned.fact_id}")
    _print_procedures([learned], json=json)


@app.command()
def procedures(
    task: Annotated[str, typer.Argument(help="What is to be done.")],
    user: User,
    limit: Annotated[int, typer.Option("--limit", min=0, help="How many at most.")] = 5,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Find how something like it was done before, and how that went."""
    with _open(db, embedder=None if embedder == "none" else embedder) as memory:
        _print_procedures(memory.procedures(task, user_id=user, limit=limit), json=json)


@app.command()
def outcome(
    fact_id: FactId,
    worked: Annotated[bool, typer.Option("--worked/--failed", help="How it went.")],
    note: Annotated[str, typer.Option("--note", help="What there is to say about it.")] = "",
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Note how a procedure went; it grows stronger or weaker."""
    with _open(db) as memory:
        _print_procedures([memory.outcome(fact_id, worked, note=note)], json=json)


@app.command()
def page(user: User, db: Db = FILE, json: Json = False) -> None:
    """Print memory.md as it would be written now."""
    with _open(db) as memory:
        text = memory.page(user)
    if json:
        print_json(Paged(page=text))
    else:
        print(text, end="")


@app.command()
def vectors(db: Db = FILE, json: Json = False) -> None:
    """Show the state of the vector index: whose vectors, how many are made, how many wait."""
    with _open(db) as memory:
        state = memory.vectors()
    if json:
        print_json(state)
    else:
        print_rows(("", ""), ((name, "" if value is None else str(value)) for name, value in state.model_dump().items()))


@app.command()
def reindex(
    embedder: Annotated[str, typer.Option("--embedder", help="The embedder to come: all-MiniLM-L6-v2, hashing-384, or endpoint:MODEL.")],
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Change the file's embedder. The old vectors are in use until the new ones are whole; interrupted, run it again."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with _open(db) as memory, Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("embedding", total=None)
        state = memory.reindex(embedder, progress=lambda done, wanted: bars.update(task, completed=done, total=wanted))
    if json:
        print_json(state)
    else:
        print_rows(("", ""), ((name, "" if value is None else str(value)) for name, value in state.model_dump().items()))


def _open(db: Path, *, embedder: str | None = None) -> Memory:
    return memdb.open(existing(db), config={"worker": False}, embedder=embedder)


def _print_procedures(found: list[Procedure], *, json: bool) -> None:
    if json:
        print_json(found)
        return
    rows = (
        (one.title, "; ".join(one.steps), "" if one.success_rate is None else share(one.success_rate), share(one.confidence), one.fact_id)
        for one in found
    )
    print_rows(("task", "steps", "worked", "sure", "fact"), rows, none="Nothing like it was learned.", below=1)
