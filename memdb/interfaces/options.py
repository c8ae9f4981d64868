"""The options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, cast, get_args

import typer

import memdb
from memdb import InputError, Memory, NotFoundError
from memdb.config import load_config
from memdb.filters import Narrowed
from memdb.interfaces.show import say
from memdb.records import Category, MemoryType, Status, Tier

# whether a file may be read is told by whoever reads it, with what to do: readable=False keeps click from telling it
Db = Annotated[Path, typer.Option("--db", envvar="MEMDB_DB", readable=False, help="The file.")]
User = Annotated[str, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory.")]
AnyUser = Annotated[str | None, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory; everybody's by default.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Embedder = Annotated[
    str,
    typer.Option(
        "--embedder",
        envvar="MEMDB_EMBEDDER",
        help="auto (the file's own, or MiniLM where there is one), none (words only), hashing-384, endpoint:MODEL, or a model's folder.",
    ),
]
FactId = Annotated[str, typer.Argument(help="The fact's id.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="What was true at that time, such as 2025-03-01; what is so now by default.")]
Goal = Annotated[str | None, typer.Option("--goal", help="What the user is after: what is near it ranks higher.")]
Now = Annotated[str | None, typer.Option("--now", help="As if it were that time, such as 2025-03-01T09:30; the present by default.")]
Timestamp = Annotated[
    str | None, typer.Option("--timestamp", help="When it was said, or happened, such as 2025-03-01T09:30; the present by default.")
]
SessionId = Annotated[str | None, typer.Option("--session", "--session-id", help="The conversation it belongs to.")]
Kinds = Annotated[str | None, typer.Option("--kinds", help="Only these kinds, separated by commas, such as fact,message; all by default.")]
Must = Annotated[
    list[str] | None, typer.Option("--must", help="Only what has this word or phrase among its own words; give it again for another.")
]
Since = Annotated[
    str | None,
    typer.Option("--since", help="Leave out what happened or was said before, and what was no longer so then, such as 2025-03-01."),
]
Until = Annotated[str | None, typer.Option("--until", help="Leave out what happened or began later; a day to its end, such as 2025-03-31.")]
Categories = Annotated[str | None, typer.Option("--categories", help=f"Only these, separated by commas: {', '.join(get_args(Category))}.")]
MemoryTypes = Annotated[
    str | None, typer.Option("--memory-types", help=f"Only these, separated by commas: {', '.join(get_args(MemoryType))}.")
]
Tags = Annotated[str | None, typer.Option("--tags", help="Only what bears one of these tags, separated by commas.")]
Participants = Annotated[
    str | None, typer.Option("--participants", help="Only what one of these people said or took part in, separated by commas.")
]
Tiers = Annotated[
    str | None, typer.Option("--tiers", help="Of messages, episodes and memories only these ages, separated by commas: hot, warm, cold.")
]
MinAge = Annotated[float | None, typer.Option("--min-age-minutes", min=0, help="Leave out what is younger.")]
MaxAge = Annotated[float | None, typer.Option("--max-age-days", min=0, help="Leave out what is older, and was not mentioned since.")]
MinScore = Annotated[float | None, typer.Option("--min-score", help="Leave out what scores less.")]
Ranking = Annotated[str, typer.Option("--weights", envvar="MEMDB_WEIGHTS", help="The weight set that ranks.")]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights", envvar="MEMDB_WEIGHTS", help="The weight set that ranks; `default` by default, for every other user rival_weights."
    ),
]
Limit = Annotated[int, typer.Option("--limit", min=0, max=1_000_000_000, help="How many hits at most.")]
Most = Annotated[int | None, typer.Option("--limit", min=0, max=1_000_000_000, help="How many at most; all by default.")]
Offset = Annotated[int, typer.Option("--offset", min=0, max=1_000_000_000, help="How many to pass over before.")]
Newest = Annotated[bool, typer.Option("--newest", help="The newest first.")]
Statuses = Annotated[
    str | None,
    typer.Option(
        "--status",
        "--statuses",
        help="Only these, separated by commas, such as superseded,expired; what is believed or pending by default.",
    ),
]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Only store; `memdb drain`, or whoever opens the file next, does the rest.")]

FILE = Path("mem.db")
"""The file that a command works on unless another one is named."""


def existing(db: Path, *, otherwise: str = "make one with `memdb observe` or `memdb load`, or name another file with --db") -> Path:
    """Return a file's path if there is one; reading must not make a new one, so that it says what to do `otherwise`."""
    try:
        db.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(f"There is no memory at {db}; {otherwise}.") from error
    except OSError:
        pass  # it may not be looked at: opening it tells so
    return db


def embedder_of(name: str) -> str | None:
    """Return the name of an embedder as `memdb.open` takes it: None, not "none", is words only."""
    return None if name.lower() == "none" else name


def opened(db: Path, *, embedder: str = "none", weights: str | None = None, worker: bool = False) -> Memory:
    """Return the memory of a file, made if there is none.

    With a `worker`, the command waits for all of its work, and so for an embedder that has to be loaded first: words alone decide for it no
    sooner than for a turn, unless the settings say so.
    """
    settings: dict[str, object] = {"worker": worker}
    if worker and "write_patience_seconds" not in (told := load_config(db)).model_fields_set:
        settings["write_patience_seconds"] = told.embed_patience_seconds
    if weights is not None:
        settings["rival_weights"] = None  # who names a set is ranked by no other
    return memdb.open(db, config=settings, embedder=embedder_of(embedder), weights=weights or "default")


def rehearsed(db: Path, act: Callable[[Memory], object], *, embedder: str = "none") -> None:
    """Try on a passing memory what a new file is to begin with, so that what cannot be used leaves no empty one behind.

    Raises:
        MdbError: what the act raises.
    """
    if not os.path.lexists(db):
        settings = load_config(db, {"worker": False})
        with memdb.open(":memory:", config=settings, embedder=None if embedder == "auto" else embedder_of(embedder), llm=None) as passing:
            act(passing)


def ask_first(question: str) -> None:
    """Ask about what cannot be undone, and end the command unless the answer is yes; where nobody is there to answer, say what to give."""
    try:
        typer.confirm(question, abort=True, err=True)
    except typer.Abort:
        if not sys.stdin.isatty():
            print(file=sys.stderr)  # the question is a line that was not ended by an answer
            say("Nothing was done, since nobody said yes; --yes does it without asking.")
        raise


def standard_input() -> str:
    """Return what stands on standard input."""
    try:
        return typer.get_binary_stream("stdin").read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"Standard input is not UTF-8 text ({error}); convert it first.") from error


def listed(text: str | None) -> list[str] | None:
    """Return the parts of a text that are separated by commas."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def statuses_of(text: str | None) -> list[Status] | None:
    """Return the statuses that a text names; memory refuses any other."""
    return cast("list[Status] | None", listed(text))


def _narrowed(
    kinds: Kinds = None,
    must: Must = None,
    since: Since = None,
    until: Until = None,
    categories: Categories = None,
    memory_types: MemoryTypes = None,
    tags: Tags = None,
    participants: Participants = None,
    tiers: Tiers = None,
    min_age_minutes: MinAge = None,
    max_age_days: MaxAge = None,
    min_score: MinScore = None,
) -> Narrowed:
    """Return what a search looks at only; memory refuses a name that there is none of."""
    return Narrowed(
        kinds=listed(kinds),
        categories=cast("list[Category] | None", listed(categories)),
        memory_types=cast("list[MemoryType] | None", listed(memory_types)),
        tags=listed(tags),
        must=must,
        since=since,
        until=until,
        participants=listed(participants),
        min_age_minutes=min_age_minutes,
        max_age_days=max_age_days,
        min_score=min_score,
        tiers=cast("list[Tier] | None", listed(tiers)),
    )


def narrowing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command options that say what a search looks at only, in the place of its argument `narrowed`, which is made of them."""
    own, options = (dict(signature(one, eval_str=True).parameters) for one in (command, _narrowed))
    narrowed: Callable[..., Narrowed] = _narrowed

    @wraps(command)
    def asked(**given: object) -> None:
        made = narrowed(**{name: given.pop(name) for name in options})
        command(**given, narrowed=made)

    taken = [one for name, other in own.items() for one in (options.values() if name == "narrowed" else [other])]
    asked.__annotations__ = {one.name: one.annotation for one in taken}
    asked.__signature__ = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in taken])  # type: ignore[attr-defined]
    return asked
