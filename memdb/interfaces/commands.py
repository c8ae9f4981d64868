"""The verbs of the command line, the same as those of `Memory`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from typer.core import TyperGroup

import memdb
from memdb import Change, Consent, Fact, MdbError, Memory, TurnRecord
from memdb.answers import Hit
from memdb.conversations import Conversation, Exchange, parse_conversation, read_conversation
from memdb.interfaces import demo as demonstration
from memdb.interfaces import facts as single
from memdb.interfaces import household_demo, life, model, ranking, work
from memdb.interfaces import replay as rebuilding
from memdb.interfaces.cli import INTERRUPTED
from memdb.interfaces.options import FILE as _FILE
from memdb.interfaces.options import (
    AnyUser,
    AsOf,
    Db,
    Embedder,
    Goal,
    Json,
    Kinds,
    Limit,
    Must,
    Now,
    NoWait,
    Since,
    Statuses,
    Until,
    User,
    Weights,
    standard_input,
)
from memdb.interfaces.options import existing as _existing
from memdb.interfaces.options import listed as _listed
from memdb.interfaces.options import rehearsed as _rehearsed
from memdb.interfaces.options import statuses_of as _statuses
from memdb.interfaces.serve import inspect, mcp, serve
from memdb.interfaces.show import entries, instant, is_terminal, mind, parts, print_json, print_rows, say, share, tell
from memdb.records import Record


class _Commands(TyperGroup):
    """Commands whose errors are one sentence on standard error. What was given and cannot be used ends with code 2, all else with 1."""

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
            raise typer.Exit(INTERRUPTED) from error


app = typer.Typer(
    cls=_Commands,
    help="The long-term memory of an AI assistant in one SQLite file.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_KEPT_AT_ONCE = 200  # messages that are loaded: where one of them cannot be used, none of them is kept

Topics = Literal["keep", "ask", "refuse"] | None
Secrets = Literal["keep", "refuse"] | None


class Observed(Record):
    """A turn that was taken, and what was learned from it."""

    turn_id: str
    changes: tuple[Change, ...]


class Loaded(Record):
    """How many messages of a user were read, and how many of them were new."""

    user_id: str
    messages: int
    new: int


class Retried(Record):
    """How many turns and vectors got another chance, and how many vectors and turns are set aside now."""

    revived: int
    dead: int
    turns_failed: int


class Found(Record):
    """The hits of a search, best first; see `memdb.Hits`."""

    degraded: str | None
    elapsed_ms: float
    hits: tuple[Hit, ...]


class Users(Record):
    """Everybody that the file holds something of, each with how many facts."""

    users: dict[str, int]


class Drained(Record):
    """Whether everything is done, and what is left: turns, vectors that wait, vectors that failed for good."""

    done: bool
    turns: int
    turns_failed: int
    vectors_waiting: int
    vectors_dead: int


def _version(wanted: bool) -> None:
    if wanted:
        print(f"memdb {memdb.__version__}")
        raise typer.Exit


@app.callback()
def _memdb(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass


@app.command()
def observe(
    text: Annotated[str, typer.Argument(help="What the user said; - reads it from standard input.")],
    user: User,
    assistant: Annotated[str, typer.Option("--assistant", help="What the assistant answered.")] = "",
    turn_id: Annotated[
        str | None, typer.Option("--turn", "--turn-id", help="A name for the turn; the same turn again changes nothing.")
    ] = None,
    timestamp: Annotated[str | None, typer.Option("--timestamp", help="When it was said; the present by default.")] = None,
    session_id: Annotated[str | None, typer.Option("--session", "--session-id", help="The conversation it belongs to.")] = None,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who spoke, where that is not the user.")] = None,
    no_wait: NoWait = False,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Take a turn of a conversation, and print its id and what was learned from it."""
    said = standard_input().rstrip("\n") if text == "-" else text

    def take(memory: Memory) -> str:
        return memory.observe(said, assistant, user_id=user, turn_id=turn_id, timestamp=timestamp, session_id=session_id, speaker=speaker)

    chosen = None if no_wait else _embedder(embedder)
    _rehearsed(db, take, embedder=chosen)
    with _open(db, embedder=chosen, worker=not no_wait) as memory:
        turn = take(memory)
        if not no_wait:
            work.finish(memory)
        changes = memory.history(user_id=user, turn_id=turn)
        if json:
            print_json(Observed(turn_id=turn, changes=tuple(changes)))
            return
        print(turn)
        if changes:
            _print_changes(memory, changes)


app.command()(single.remember)


@app.command()
def load(
    file: Annotated[str, typer.Argument(help="Messages in JSON or JSON lines, or LoCoMo's samples; - reads standard input.")],
    user: Annotated[str | None, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory; the file's own names by default.")] = None,
    no_wait: NoWait = False,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Take many messages at once; loading them again adds nothing."""
    conversations = parse_conversation(standard_input(), origin="standard input") if file == "-" else read_conversation(file)
    if user is None and any(conversation.user_id is None for conversation in conversations):
        raise typer.BadParameter("the file does not say whose memory it is, so give a name.", param_hint="--user")
    chosen, turns = None if no_wait else _embedder(embedder), [turn for conversation in conversations for turn in conversation.turns]
    _rehearsed(db, lambda memory: work.store(memory, turns[:_KEPT_AT_ONCE], user_id=user or "somebody"), embedder=chosen)
    with _open(db, embedder=chosen, worker=not no_wait) as memory:
        loaded = [
            _load(memory, conversation, user_id=user or conversation.user_id or "", apart=user is not None and len(conversations) > 1)
            for conversation in conversations
        ]
        if not no_wait:
            work.finish(memory)
    if json:
        print_json(loaded)
    else:
        print_rows(
            ("user", "messages", "new"), ((one.user_id, str(one.messages), str(one.new)) for one in loaded), none="Nothing was loaded."
        )


@app.command()
def drain(db: Db = _FILE, embedder: Embedder = "auto", json: Json = False) -> None:
    """Think about everything that still waits, write it down and embed it.

    Tells what is left: `turns` and `vectors_waiting`, and `turns_failed` and `vectors_dead`, which failed too often.
    """
    with _open(_existing(db), embedder=_embedder(embedder), worker=True) as memory:
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
    if json:
        print_json(left)
    else:
        print_rows(("", ""), ((name, str(value).lower()) for name, value in left.model_dump().items()))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question, or any text.")],
    user: User,
    limit: Limit = 10,
    kinds: Kinds = None,
    as_of: AsOf = None,
    weights: Weights = None,
    statuses: Statuses = None,
    must: Must = None,
    since: Since = None,
    until: Until = None,
    goal: Goal = None,
    now: Now = None,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Find what bears on a question, best first, with every part of each score."""
    with _open(_existing(db), embedder=_embedder(embedder)) as memory:
        hits = memory.search(
            query,
            user_id=user,
            limit=limit,
            kinds=_listed(kinds),
            as_of=as_of,
            weights=weights,
            statuses=_statuses(statuses),
            must=must,
            since=since,
            until=until,
            goal=goal,
            now=now,
        )
        zone = memory.config.zone
    if hits.degraded and embedder != "none":
        say(hits.degraded)
    if json:
        print_json(Found(degraded=hits.degraded, elapsed_ms=hits.elapsed_ms, hits=tuple(hits)))
        return
    print_rows(
        ("score", "kind", "since", "text", "parts of the score", "fact"),
        (
            (f"{hit.score:.3f}", hit.fact.kind, instant(hit.fact.valid_from, zone), _spoken(hit.fact), parts(hit), hit.fact.fact_id)
            for hit in hits
        ),
        none="Nothing bears on that.",
        below=3,
    )


@app.command()
def context(
    query: Annotated[str, typer.Argument(help="What the next prompt is about.")],
    user: User,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, help="The budget; the setting context_max_tokens by default.")
    ] = None,
    limit: Limit = 16,
    goal: Goal = None,
    weights: Weights = None,
    now: Now = None,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Print memory made ready for the next prompt, within a budget of tokens."""
    with _open(_existing(db), embedder=_embedder(embedder), weights=weights) as memory:
        made = memory.context(query, user_id=user, max_tokens=max_tokens, limit=limit, goal=goal, now=now)
    if made.degraded and embedder != "none":
        say(made.degraded)
    if json:
        print_json(made)
        return
    print(made.text)
    if made.question:
        say(f"worth asking the user: {made.question}")
    if made.verdict is not None and made.verdict.decision != "answer":
        say(f"{made.verdict.decision}: {made.verdict.reason}")
    if is_terminal():
        say(f"{made.tokens} of {made.max_tokens} tokens ({made.tokenizer}), {len(made.dropped)} lines dropped")


@app.command()
def profile(user: User, now: Now = None, db: Db = _FILE, json: Json = False) -> None:
    """Show what is held of a user: identity, preferences, tasks, recent changes and sensitive topics."""
    with _open(_existing(db)) as memory:
        held = memory.profile(user, now=now)
        zone = memory.config.zone
    if json:
        print_json(held)
        return
    rows: list[tuple[str, ...]] = [
        (section, entry.key, entry.text, share(entry.confidence), entry.status, instant(entry.valid_from, zone))
        for section, entry in entries(held)
    ]
    rows += [
        ("recent_changes", one.key, mind(one), share(one.confidence), one.operation, instant(one.changed_at, zone))
        for one in held.recent_changes
    ]
    print_rows(("section", "key", "text", "sure", "status", "since"), rows, none=f"Nothing is held of {user}.")


@app.command()
def facts(
    user: User,
    key: Annotated[str | None, typer.Option("--key", help="Only this key, such as user.lives_in.")] = None,
    statuses: Statuses = None,
    kinds: Kinds = None,
    as_of: AsOf = None,
    now: Now = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """List a user's facts."""
    with _open(_existing(db)) as memory:
        found = memory.facts(user, key=key, statuses=_statuses(statuses), kinds=_listed(kinds), as_of=as_of, now=now)
        zone = memory.config.zone
    if json:
        print_json(found)
        return
    print_rows(
        ("key", "text", "sure", "status", "since", "until", "turn", "fact"),
        (
            (fact.key, _spoken(fact), share(fact.confidence), fact.status, instant(fact.valid_from, zone), instant(fact.valid_to, zone),
             fact.source_turn_id, fact.fact_id)
            for fact in found
        ),
        none=f"No such facts are held of {user}.",
        below=1,
    )  # fmt: skip


@app.command()
def history(
    user: AnyUser = None,
    fact_id: Annotated[str | None, typer.Option("--fact", "--fact-id", help="Only the changes of this fact.")] = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only the changes because of this turn.")] = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """Show the audit trail, oldest first: each change, why, and because of which turn."""
    with _open(_existing(db)) as memory:
        changes = memory.history(user_id=user, fact_id=fact_id, turn_id=turn)
        if json:
            print_json(changes)
        else:
            _print_changes(memory, changes)


@app.command()
def turns(
    user: AnyUser = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only this turn.")] = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """List the turns, each with what became of it: who read it, what failed, and what was refused, and why."""
    with _open(_existing(db)) as memory:
        found = memory.turns(user, turn_id=turn)
        zone = memory.config.zone
    if json:
        print_json(found)
        return
    print_rows(
        ("when", "status", "read by", "said", "what was not done, and why", "turn"),
        ((instant(one.timestamp, zone), one.status, one.extracted_by or "", one.user_input, _undone(one), one.turn_id) for one in found),
        none="There are no such turns.",
    )


@app.command()
def calls(
    user: AnyUser = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="Only the calls for this turn.")] = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """List the calls of the language model that were kept, oldest first; --json tells the raw answers, too."""
    with _open(_existing(db)) as memory:
        found = memory.calls(user, turn_id=turn)
    if json:
        print_json(found)
        return
    print_rows(
        ("for", "model", "attempt", "tokens in", "tokens out", "ms", "ended", "what failed"),
        (
            (one.purpose, one.model, str(one.attempt), _number(one.prompt_tokens), _number(one.completion_tokens), f"{one.elapsed_ms:.0f}",
             one.finish_reason or "", one.error or "")
            for one in found
        ),
        none="No calls were kept.",
    )  # fmt: skip


@app.command()
def users(now: Now = None, db: Db = _FILE, json: Json = False) -> None:
    """List everybody whose memory the file holds, each with how many facts `memdb facts` lists of them."""
    with _open(_existing(db)) as memory:
        held = memory.users(now=now)
    if json:
        print_json(Users(users=held))
    else:
        print_rows(("user", "facts"), ((name, str(count)) for name, count in held.items()), none="It holds nobody's memory.")


@app.command()
def consent(
    user: User,
    sensitive_topics: Annotated[
        str | None, typer.Option("--sensitive-topics", help="Facts on health, religion, money and the like: keep, ask or refuse.")
    ] = None,
    secrets: Annotated[
        str | None, typer.Option("--secrets", help="Facts that hold a password, a card number and the like: keep or refuse.")
    ] = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """Note what a user lets be remembered from now on; without a choice, show what holds for them."""

    def choose(memory: Memory) -> Consent:
        return memory.consent(user, sensitive_topics=cast("Topics", sensitive_topics), secrets=cast("Secrets", secrets))

    if sensitive_topics is not None or secrets is not None:
        _rehearsed(db, choose)
    with _open(_existing(db) if sensitive_topics is None and secrets is None else db) as memory:
        held = choose(memory)
    if json:
        print_json(held)
    else:
        print_rows(("", ""), held.model_dump().items())


for decision in (single.confirm, single.reject, single.doubt, single.end, single.task, single.fact, single.sources):
    app.command()(decision)


@app.command()
def undo(
    user: User,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="The turn whose teaching is taken back.")] = None,
    session: Annotated[str | None, typer.Option("--session", "--session-id", help="The session whose teaching is taken back.")] = None,
    db: Db = _FILE,
    json: Json = False,
) -> None:
    """Take back what a turn or a session taught; its words stay."""
    with _open(_existing(db)) as memory:
        undone = memory.undo(user_id=user, turn_id=turn, session_id=session)
    if json:
        print_json(undone)
    else:
        print_rows(("", ""), ((name, str(count)) for name, count in undone.model_dump().items()))
    if not any(undone.model_dump().values()):
        cause = f"Turn {turn!r}" if turn is not None else f"Session {session!r}"
        say(f"{cause} of user {user!r} taught nothing that still stands; `memdb turns` lists the turns.")


@app.command()
def forget(
    user: User,
    key: Annotated[str | None, typer.Option("--key", help="Only what was learned under this key, such as user.lives_in.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Erase everything of a user, or everything learned under one key, from the whole file. It cannot be undone."""
    with _open(_existing(db), embedder=_embedder(embedder)) as memory:
        if not yes:
            what = f"everything learned under {key} of {user}" if key else f"everything of {user}"
            typer.confirm(f"Erase {what} from {db}, for good?", abort=True, err=True)
        forgotten = memory.forget(user, key=key)
    if json:
        print_json(forgotten)
    else:
        print_rows(("erased", "rows"), ((name, str(count)) for name, count in forgotten.model_dump().items()))


@app.command()
def retry(db: Db = _FILE, embedder: Embedder = "auto", json: Json = False) -> None:
    """Give turns and vectors that were set aside after failing too often another chance."""
    with _open(_existing(db), embedder=_embedder(embedder), worker=True) as memory:
        revived = memory.retry()
        work.finish(memory)
        stats = memory.stats()
    result = Retried(revived=revived, dead=stats.outbox_dead, turns_failed=stats.turns_by_status.get("failed", 0))
    if json:
        print_json(result)
    else:
        print_rows(("", ""), ((name, str(value)) for name, value in result.model_dump().items()))


@app.command()
def stats(db: Db = _FILE, json: Json = False) -> None:
    """Show the state of the file in numbers."""
    with _open(_existing(db)) as memory:
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


@app.command()
def replay(
    old: Annotated[Path, typer.Argument(help="The memory whose turns are taken.")],
    new: Annotated[Path, typer.Argument(help="The file to make.")],
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Rebuild a memory from its turns, every prompt answered by the call that was kept; where there is none, the rules decide.

    Tells `turns`, `turns_failed`, prompts `answered` by a kept call or `unanswered`, and facts `differing`: only one file holds them so.
    """
    replayed = rebuilding.replay(_existing(old), new, embedder=_embedder(embedder))
    if replayed.unanswered:
        say(f"For {replayed.unanswered} prompts no call was kept; the rules decided instead, and `memdb turns` says where.")
    if json:
        print_json(replayed)
    else:
        print_rows(("", ""), ((name, str(value)) for name, value in replayed.model_dump().items()))


@app.command()
def demo(
    conversation: Annotated[Path | None, typer.Option("--conversation", help="Any other conversation, also LoCoMo's samples.")] = None,
    sample: Annotated[
        str | None, typer.Option("--sample", help="Which conversation of the file, by its name; the first by default.")
    ] = None,
    db: Db = _FILE,
    embedder: Embedder = "auto",
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between turns.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file, whatever it holds.")] = False,
    household: Annotated[bool, typer.Option("--household", help="Show four weeks of a household and its first-person memories.")] = False,
) -> None:
    """Show the whole of it on a conversation: what is learned, what changes and why, and what is found; it leaves the file behind."""
    if household:
        if conversation is not None or sample is not None:
            raise typer.BadParameter("the household is the one that ships with memdb; leave out --conversation and --sample.")
        household_demo.run(path=db, embedder=_embedder(embedder), force=force)
        return
    pause = 0.0 if fast or not is_terminal() else 0.1
    demonstration.run(conversation, sample=sample, path=db, embedder=_embedder(embedder), pause=pause, force=force)


def _open(db: Path, *, embedder: str | None = None, worker: bool = False, weights: str | None = None) -> Memory:
    named: dict[str, object] = {} if weights is None else {"rival_weights": None}  # who names a set is ranked by no other
    return memdb.open(db, config={"worker": worker, **named}, embedder=embedder, weights=weights or "default")


def _embedder(name: str) -> str | None:
    return None if name == "none" else name


def _load(memory: Memory, conversation: Conversation, *, user_id: str, apart: bool) -> Loaded:
    """Load one conversation. Conversations of one user are kept `apart` by their names, since each counts its turns from one."""
    turns: Sequence[Exchange] = conversation.turns
    if apart and conversation.user_id is not None:
        turns = [turn.model_copy(update=_prefixed(turn, f"{conversation.user_id}/")) for turn in turns]
    return Loaded(user_id=user_id, messages=len(turns), new=work.store(memory, turns, user_id=user_id))


def _prefixed(turn: Exchange, prefix: str) -> dict[str, str]:
    return {name: prefix + value for name, value in (("turn_id", turn.turn_id), ("session_id", turn.session_id)) if value is not None}


def _undone(turn: TurnRecord) -> str:
    told = [turn.error] if turn.error else []
    return "; ".join([*told, *(f"{note.key}: {note.why}" if note.key else note.why for note in turn.notes)])


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _spoken(fact: Fact) -> str:
    return f"{fact.speaker}: {fact.value_text}" if fact.kind == "message" and fact.speaker else fact.value_text


def _print_changes(memory: Memory, changes: Sequence[Change]) -> None:
    zone = memory.config.zone
    print_rows(
        ("when", "what", "key", "before", "after", "sure", "turn", "why", "fact"),
        (
            (instant(told.change.changed_at, zone), told.look.word, told.key, told.before, told.after, share(told.confidence_after),
             told.change.turn_id, told.reason, told.change.fact_id)
            for told in tell(changes)
        ),
        none="Nothing has changed.",
        below=7,
    )  # fmt: skip


from memdb.interfaces import experience as experience  # noqa: E402  # its commands join those above, whose options they share

for verb in (ranking.explain, ranking.feedback, ranking.labels, ranking.evaluate, ranking.tune, ranking.weights, serve, inspect, mcp):
    app.command()(verb)
app.add_typer(model.app, name="model")
app.add_typer(life.app)
