"""The commands `memdb model …`: put MiniLM into the file, look at it, take it out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

import memdb
from memdb import ModelCard, NotFoundError
from memdb.interfaces.options import FILE, Db, Json, existing, opened
from memdb.interfaces.show import print_json, print_rows, say
from memdb.interfaces.work import going

app = typer.Typer(help="The model that a file carries, to search by meaning without PyTorch.", no_args_is_help=True)


@app.command()
def export(
    precision: Annotated[Literal["int8", "float32"], typer.Option("--precision", help="How the weights are kept.")] = "int8",
    to: Annotated[Path | None, typer.Option("--to", readable=False, help="Write the model into this folder, not into the file.")] = None,
    origin: Annotated[
        Path | None, typer.Option("--from", readable=False, help="Take the model from this folder, where --to wrote it.")
    ] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Write MiniLM as an ONNX model into the file, or into a folder, after comparing it with the original."""
    if to is not None and origin is not None:
        raise typer.BadParameter("the model goes into a folder or comes from one, not both.", param_hint="--to")
    if to is not None:
        with going("writing the model"):
            card = memdb.export_model(to, precision=precision)
    else:
        with opened(db) as memory, going("writing the model"):
            card = memory.carry_model(origin, precision=precision)
    _print(card, json=json)


@app.command()
def show(db: Db = FILE, json: Json = False) -> None:
    """Show what model the file carries, checked to be whole."""
    with opened(existing(db)) as memory:
        card = memory.carried_model()
    if card is None:
        raise NotFoundError(f"{db} carries no model; put one into it with `memdb model export`.")
    _print(card, json=json)


@app.command()
def remove(db: Db = FILE) -> None:
    """Take the model out of the file."""
    with opened(existing(db)) as memory:
        if not memory.drop_model():
            raise NotFoundError(f"{db} carries no model, so there is none to remove.")
    say(f"The model is out of {db}; the space is used again, and `sqlite3 {db} vacuum` gives it back to the disk.")


def _print(card: ModelCard, *, json: bool) -> None:
    if json:
        print_json(card)
        return
    told = card.model_dump(exclude={"files"})
    print_rows(("", ""), [(name, str(value)) for name, value in told.items()] + [(name, hash) for name, hash in card.files.items()])
