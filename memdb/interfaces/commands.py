"""The command line: its verbs, the same as those of `Memory`, in the order in which its help tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Annotated

import typer
from typer.core import TyperGroup

import memdb
from memdb import MdbError
from memdb.interfaces import experience, file, life, model, ranking, reading, serve, writing
from memdb.interfaces import facts as single
from memdb.interfaces.show import in_short, say
from memdb.interfaces.signals import SIGNALLED, signal_of


class _Commands(TyperGroup):
    """Commands whose errors are one sentence on standard error. What was given and cannot be used ends with code 2, all else with 1."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # as below
        """Read what stands before the command. What belongs behind it is told so, and not that there is none."""
        given = tuple(args)  # which click uses up
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # click's NoSuchOption, which typer keeps to itself
            name = str(getattr(error, "option_name", ""))
            if any(name in option.opts for command in self.commands.values() for option in command.params):
                verb = next((arg for arg in given if arg in self.commands), "COMMAND")
                vars(error).update(message=f"{name} belongs behind the command: {ctx.command_path} {verb} {name} …", possibilities=None)
            _tell_in_short(error)
            raise

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # typer's own Context, a subclass of click's
        try:
            return super().invoke(ctx)
        except MdbError as error:
            say(str(error))
            raise typer.Exit(2 if isinstance(error, ValueError) else 1) from error
        except KeyboardInterrupt as error:
            say(
                "Interrupted; nothing is left half done: what was stored is kept, and what is still to be thought about waits in the file, "
                "until `memdb drain` or the next command does it."
            )
            raise typer.Exit(SIGNALLED + signal_of(error)) from error
        except Exception as error:
            _tell_in_short(error)
            raise


def _tell_in_short(error: Exception) -> None:
    """Have what click says of what was given wrong repeat no more of it than memdb's own errors do."""
    if isinstance(told := vars(error).get("message"), str):
        vars(error).update(message=in_short(told))


app = typer.Typer(
    cls=_Commands,
    help="The long-term memory of an AI assistant in one SQLite file.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"memdb {memdb.__version__}")
        raise typer.Exit


@app.callback()
def _memdb(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


_VERBS: dict[str, list[Callable[..., None]]] = {
    "Take in": [writing.observe, single.remember, writing.load, experience.event, life.learn, file.drain],
    "Ask": [reading.search, reading.context, experience.recall, life.procedures, reading.profile, life.page],
    "Look": [
        reading.facts, single.fact, reading.history, reading.turns, reading.calls, single.sources, life.links, reading.users, file.stats,
        life.vectors,
    ],
    "Decide": [
        single.confirm, single.reject, single.doubt, single.end, single.task, life.outcome, life.link, life.unlink, life.relate,
        writing.consent, writing.undo, writing.forget,
    ],
    "Rank": [ranking.explain, ranking.feedback, ranking.labels, ranking.evaluate, ranking.tune, ranking.weights],
    "Run": [serve.serve, serve.inspect, serve.mcp, experience.maintain, file.retry, file.check, life.reindex, file.replay, file.demo],
}  # fmt: skip
"""The verbs by what somebody wants to do."""

for panel, verbs in _VERBS.items():
    for verb in verbs:
        app.command(rich_help_panel=panel)(verb)
app.add_typer(model.app, name="model", cls=_Commands, rich_help_panel="Run")


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """Return `app`, with no verb but the one that comes first, if it is one: to read the options of all takes as long as most verbs."""
    named = [command for command in app.registered_commands if command.callback is not None and command.callback.__name__ in arguments[:1]]
    groups = [group for group in app.registered_groups if group.name in arguments[:1]]
    if not (named or groups):
        return app
    one = copy(app)
    one.registered_commands, one.registered_groups = named, groups
    return one
