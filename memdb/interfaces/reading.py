"""The commands that tell what is held: what bears on a question, and what is believed of somebody, since when, and why."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import typer

from memdb import TurnRecord
from memdb.answers import Hit
from memdb.filters import Narrowed
from memdb.interfaces.options import (
    FILE,
    AnyUser,
    AsOf,
    Categories,
    Db,
    Embedder,
    Goal,
    Json,
    Limit,
    Most,
    Newest,
    Now,
    Offset,
    Statuses,
    User,
    Weights,
    existing,
    listed,
    narrowing,
    opened,
    statuses_of,
)
from memdb.interfaces.show import (
    bearing,
    entries,
    instant,
    is_terminal,
    mind,
    parts,
    print_changes,
    print_found,
    print_json,
    print_text,
    said,
    say,
    say_rest,
    share,
)
from memdb.records import Category, Record, TurnStatus


class Found(Record):
    """The hits of a search, best first; see `memdb.Hits`."""

    degraded: str | None
    elapsed_ms: float
    hits: tuple[Hit, ...]


class Users(Record):
    """Everybody that the file holds something of, each with how many facts."""

    users: dict[str, int]


@narrowing
def search(
    query: Annotated[str, typer.Argument(help="A question, or any text.")],
    user: User,
    limit: Limit = 10,
    as_of: AsOf = None,
    weights: Weights = None,
    statuses: Statuses = None,
    *,
    narrowed: Narrowed,
    goal: Goal = None,
    now: Now = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Find what bears on a question, best first, with every part of each score."""
    with opened(existing(db), embedder=embedder) as memory:
        hits = memory.search(
            query,
            user_id=user,
            limit=limit,
            as_of=as_of,
            weights=weights,
            statuses=statuses_of(statuses),
            goal=goal,
            now=now,
            **narrowed,
        )
        zone, asked = memory.config.zone, hits.question
    if hits.degraded and embedder != "none":
        say(hits.degraded)
    print_found(
        Found(degraded=hits.degraded, elapsed_ms=hits.elapsed_ms, hits=tuple(hits)),
        ("score", "kind", "since", "text", "parts of the score", "fact"),
        (
            (f"{hit.score:.3f}", hit.fact.kind, instant(hit.fact.valid_from, zone), bearing(hit, asked), parts(hit), hit.fact.fact_id)
            for hit in hits
        ),
        none="Nothing bears on that.",
        below=3,
        json=json,
    )


@narrowing
def context(
    query: Annotated[str, typer.Argument(help="What the next prompt is about.")],
    user: User,
    *,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, help="The budget in tokens; the setting context_max_tokens by default.")
    ] = None,
    limit: Limit = 16,
    goal: Goal = None,
    system: Annotated[str, typer.Option("--system", help="What opens the prompt, such as who the assistant is.")] = "",
    weights: Weights = None,
    narrowed: Narrowed,
    now: Now = None,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Print memory made ready for the next prompt, within a budget of tokens."""
    with opened(existing(db), embedder=embedder, weights=weights) as memory:
        made = memory.context(query, user_id=user, max_tokens=max_tokens, limit=limit, goal=goal, system=system, now=now, **narrowed)
    if made.degraded and embedder != "none":
        say(made.degraded)
    if json:
        print_json(made)
        return
    print_text(made.text)
    if made.question:
        say(f"worth asking the user: {made.question}")
    if made.verdict is not None and made.verdict.decision != "answer":
        say(f"{made.verdict.decision}: {made.verdict.reason}")
    if is_terminal():
        say(f"{made.tokens} of {made.max_tokens} tokens ({made.tokenizer}), {len(made.dropped)} lines dropped")


def profile(user: User, now: Now = None, db: Db = FILE, json: Json = False) -> None:
    """Show what is held of a user: identity, preferences, tasks, recent changes and sensitive topics."""
    with opened(existing(db)) as memory:
        held = memory.profile(user, now=now)
        zone = memory.config.zone
    rows: list[tuple[str, ...]] = [
        (section, entry.key, entry.text, share(entry.confidence), entry.status, instant(entry.valid_from, zone))
        for section, entry in entries(held)
    ]
    rows += [
        ("recent_changes", one.key, mind(one), share(one.confidence), one.operation, instant(one.changed_at, zone))
        for one in held.recent_changes
    ]
    print_found(held, ("section", "key", "text", "sure", "status", "since"), rows, none=f"Nothing is held of {user}.", json=json)


def facts(
    user: User,
    key: Annotated[str | None, typer.Option("--key", help="Only this key, such as user.lives_in.")] = None,
    statuses: Statuses = None,
    kinds: Annotated[
        str | None, typer.Option("--kinds", help="Only these kinds, separated by commas, such as task,note; all but messages by default.")
    ] = None,
    as_of: AsOf = None,
    categories: Categories = None,
    contains: Annotated[
        str | None, typer.Option("--contains", help="Only what has this text in its key or its words, in upper or lower case.")
    ] = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only what came of this turn.")] = None,
    limit: Most = None,
    offset: Offset = 0,
    now: Now = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """List a user's facts, by key and time."""
    with opened(existing(db)) as memory:
        found = memory.facts(
            user,
            key=key,
            statuses=statuses_of(statuses),
            kinds=listed(kinds),
            as_of=as_of,
            categories=cast("list[Category] | None", listed(categories)),
            contains=contains,
            turn_id=turn,
            limit=limit,
            offset=offset,
            now=now,
        )
        zone = memory.config.zone
    say_rest(found, offset=offset)
    print_found(
        found, ("key", "text", "sure", "status", "since", "until", "turn", "fact"),
        (
            (fact.key, said(fact), share(fact.confidence), fact.status, instant(fact.valid_from, zone), instant(fact.valid_to, zone),
             fact.source_turn_id, fact.fact_id)
            for fact in found
        ),
        none=f"No such facts are held of {user}.",
        below=1, json=json,
    )  # fmt: skip


def history(
    user: AnyUser = None,
    fact_id: Annotated[str | None, typer.Option("--fact", "--fact-id", help="Only the changes of this fact.")] = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only the changes because of this turn.")] = None,
    newest: Newest = False,
    limit: Most = None,
    offset: Offset = 0,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Show the audit trail, oldest first: each change, why, and because of which turn."""
    with opened(existing(db)) as memory:
        changes = memory.history(user_id=user, fact_id=fact_id, turn_id=turn, newest=newest, limit=limit, offset=offset)
        say_rest(changes, offset=offset)
        if json:
            print_json(changes)
        else:
            print_changes(memory, changes)


def turns(
    user: AnyUser = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only this turn.")] = None,
    statuses: Annotated[
        str | None,
        typer.Option("--status", "--statuses", help=f"Only these, separated by commas: {', '.join(get_args(TurnStatus))}; all by default."),
    ] = None,
    refused: Annotated[bool, typer.Option("--refused", help="Only where something was refused, or decided otherwise.")] = False,
    newest: Newest = False,
    limit: Most = None,
    offset: Offset = 0,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """List the turns, each with what became of it: who read it, what failed, and what was refused, and why."""
    with opened(existing(db)) as memory:
        found = memory.turns(
            user,
            turn_id=turn,
            statuses=cast("list[TurnStatus] | None", listed(statuses)),
            refused=refused,
            newest=newest,
            limit=limit,
            offset=offset,
        )
        zone = memory.config.zone
    say_rest(found, offset=offset)
    print_found(
        found,
        ("when", "status", "read by", "said", "what was not done, and why", "turn"),
        ((instant(one.timestamp, zone), one.status, one.extracted_by or "", one.user_input, _undone(one), one.turn_id) for one in found),
        none="There are no such turns.",
        json=json,
    )


def calls(
    user: AnyUser = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only the calls for this turn.")] = None,
    newest: Newest = False,
    limit: Most = None,
    offset: Offset = 0,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """List the calls of the language model that were kept, oldest first; --json tells the raw answers, too."""
    with opened(existing(db)) as memory:
        found = memory.calls(user, turn_id=turn, newest=newest, limit=limit, offset=offset)
    say_rest(found, offset=offset)
    print_found(
        found, ("for", "model", "attempt", "tokens in", "tokens out", "ms", "ended", "what failed"),
        (
            (one.purpose, one.model, str(one.attempt), _number(one.prompt_tokens), _number(one.completion_tokens), f"{one.elapsed_ms:.0f}",
             one.finish_reason or "", one.error or "")
            for one in found
        ),
        none="No calls were kept.", json=json,
    )  # fmt: skip


def users(now: Now = None, db: Db = FILE, json: Json = False) -> None:
    """List everybody whose memory the file holds, each with how many facts `memdb facts` lists of them."""
    with opened(existing(db)) as memory:
        held = memory.users(now=now)
    rows = ((name, str(count)) for name, count in held.items())
    print_found(Users(users=held), ("user", "facts"), rows, none="It holds nobody's memory.", json=json)


def _undone(turn: TurnRecord) -> str:
    told = [turn.error] if turn.error else []
    notes = [f"{note.key}: {note.why}" if note.key else note.why for note in turn.notes]
    return " ".join([*told, "; ".join(dict.fromkeys(notes))]).strip()


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
