"""`memdb weights` and `memdb calibrate`: weight sets, and how far a probability can be trusted."""

from __future__ import annotations

import json as json_module
import tomllib
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

import memdb
from memdb import InputError, Memory
from memdb.calibration import Calibration
from memdb.interfaces.options import FILE, Db, Embedder, Json, existing
from memdb.interfaces.show import print_json, print_rows
from memdb.records import Record


class _Labelled(Record):
    user_id: str
    question: str
    answerable: bool


class WeightSets(Record):
    """Every weight set by name."""

    sets: dict[str, dict[str, float]]


class Calibrated(Record):
    """How well the probabilities fitted before and after."""

    before: Calibration | None
    after: Calibration


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    for command in (weights, calibrate):
        app.command()(command)


def weights(
    file: Annotated[Path | None, typer.Argument(help="Sets to put in, in TOML: a table for each.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Show the weight sets, or put those of a file in."""
    with _open(db, "none") as memory:
        if file is not None:
            try:
                memory.set_weights(TypeAdapter(dict[str, dict[str, float]]).validate_python(tomllib.loads(file.read_text("utf-8"))))
            except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
                raise InputError(f"{file} holds no weight sets ({str(error).splitlines()[0]}); write tables of numbers.") from error
        sets = memory.weight_sets()
    if json:
        print_json(WeightSets(sets=sets))
        return
    rows = [(name, feature, f"{value:g}") for name, features in sets.items() for feature, value in features.items()]
    print_rows(("set", "feature", "value"), rows)


def calibrate(
    file: Annotated[Path, typer.Argument(help="JSON: a list of {user_id, question, answerable}.")],
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Fit the probability of an answer to labelled questions, and show how well it fits before and after."""
    try:
        labelled = TypeAdapter(list[_Labelled]).validate_python(json_module.loads(file.read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} holds no labelled questions ({str(error).splitlines()[0]}); write a JSON list of them.") from error
    with _open(db, embedder) as memory:
        before, after = memory.calibrate((one.user_id, one.question, one.answerable) for one in labelled)
    if json:
        print_json(Calibrated(before=before, after=after))
        return
    rows = [(name, f"{one.ece:.3f}", f"{one.brier:.3f}", f"{one.auc:.3f}") for name, one in (("before", before), ("after", after)) if one]
    print_rows(("", "ECE", "Brier", "AUC"), rows)
    bars = [(f"{one.probability:.2f}", f"{one.right:.2f}", str(one.count), "█" * round(40 * one.right)) for one in after.bins]
    print_rows(("said", "was so", "questions", ""), bars)


def _open(db: Path, embedder: str) -> Memory:
    return memdb.open(existing(db), embedder=None if embedder == "none" else embedder, config={"worker": False})
