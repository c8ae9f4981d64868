"""The commands by which something comes in, is taken back, or is forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal, cast

import typer

from memdb import Change, Consent, MdbError, Memory
from memdb.conversations import Conversation, Exchange, parse_conversation, read_conversation
from memdb.interfaces import work
from memdb.interfaces.options import (
    FILE,
    Db,
    Embedder,
    Json,
    NoWait,
    SessionId,
    Timestamp,
    User,
    ask_first,
    existing,
    opened,
    rehearsed,
    standard_input,
)
from memdb.interfaces.show import clean, in_short, print_changes, print_json, print_record, print_rows, say
from memdb.records import Record

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


def observe(
    text: Annotated[str, typer.Argument(help="What the user said; - reads it from standard input.")],
    user: User,
    assistant: Annotated[str, typer.Option("--assistant", help="What the assistant answered.")] = "",
    turn_id: Annotated[
        str | None, typer.Option("--turn", "--turn-id", help="A name for the turn; the same turn again changes nothing.")
    ] = None,
    timestamp: Timestamp = None,
    session_id: SessionId = None,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who spoke, where that is not the user.")] = None,
    no_wait: NoWait = False,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Take a turn of a conversation, and print its id and what was learned from it."""
    said = standard_input().rstrip("\n") if text == "-" else text

    def take(memory: Memory) -> str:
        return memory.observe(said, assistant, user_id=user, turn_id=turn_id, timestamp=timestamp, session_id=session_id, speaker=speaker)

    chosen = "none" if no_wait else embedder
    rehearsed(db, take, embedder=chosen)
    with opened(db, embedder=chosen, worker=not no_wait) as memory:
        turn = take(memory)
        if not no_wait:
            _finish(memory)
        changes = memory.history(user_id=user, turn_id=turn)
        if json:
            print_json(Observed(turn_id=turn, changes=tuple(changes)))
            return
        print(turn)
        if changes:
            print_changes(memory, changes)


def load(
    file: Annotated[str, typer.Argument(help="Messages in JSON or JSON lines, or LoCoMo's samples; - reads standard input.")],
    user: Annotated[str | None, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory; the file's own names by default.")] = None,
    no_wait: NoWait = False,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Take many messages at once; loading them again adds nothing."""
    conversations = parse_conversation(standard_input(), origin="standard input") if file == "-" else read_conversation(file)
    if user is None and any(conversation.user_id is None for conversation in conversations):
        raise typer.BadParameter("the file does not say whose memory it is, so give a name.", param_hint="--user")
    chosen, turns = "none" if no_wait else embedder, [turn for conversation in conversations for turn in conversation.turns]
    rehearsed(db, lambda memory: work.store(memory, turns[:_KEPT_AT_ONCE], user_id=user or "somebody"), embedder=chosen)
    with opened(db, embedder=chosen, worker=not no_wait) as memory:
        with _told_what_is_kept(memory):
            loaded = [
                _load(memory, conversation, user_id=user or conversation.user_id or "", apart=user is not None and len(conversations) > 1)
                for conversation in conversations
            ]
        if not no_wait:
            _finish(memory)
    if json:
        print_json(loaded)
    else:
        print_rows(
            ("user", "messages", "new"), ((one.user_id, str(one.messages), str(one.new)) for one in loaded), none="Nothing was loaded."
        )


def consent(
    user: User,
    sensitive_topics: Annotated[
        str | None,
        typer.Option("--sensitive-topics", help="Facts on health, religion, money and the like: keep, ask or refuse; as it is by default."),
    ] = None,
    secrets: Annotated[
        str | None,
        typer.Option("--secrets", help="Facts that hold a password, a card number and the like: keep or refuse; as it is by default."),
    ] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Note what a user lets be remembered from now on; without a choice, show what holds for them."""

    def choose(memory: Memory) -> Consent:
        return memory.consent(user, sensitive_topics=cast("Topics", sensitive_topics), secrets=cast("Secrets", secrets))

    if sensitive_topics is not None or secrets is not None:
        rehearsed(db, choose)
    with opened(existing(db) if sensitive_topics is None and secrets is None else db) as memory:
        held = choose(memory)
    print_record(held, json=json)


def undo(
    user: Annotated[
        str | None, typer.Option("--user", envvar="MEMDB_USER", help="Whose memory, where several have such a turn or session.")
    ] = None,
    turn: Annotated[str | None, typer.Option("--turn", "--turn-id", help="The turn whose teaching is taken back.")] = None,
    session: Annotated[str | None, typer.Option("--session", "--session-id", help="The session whose teaching is taken back.")] = None,
    db: Db = FILE,
    json: Json = False,
) -> None:
    """Take back what a turn taught, or what a session did: give --turn or --session. The words stay."""
    with opened(existing(db)) as memory:
        undone = memory.undo(user_id=user, turn_id=turn, session_id=session)
    print_record(undone, json=json)
    if not any(undone.model_dump().values()):
        cause = f"Turn {turn!r}" if turn is not None else f"Session {session!r}"
        whose = f" of user {user!r}" if user is not None else ""
        say(in_short(f"{cause}{whose} taught nothing that still stands; `memdb turns` lists the turns."))


def forget(
    user: User,
    key: Annotated[str | None, typer.Option("--key", help="Only what was learned under this key, such as user.lives_in.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = FILE,
    embedder: Embedder = "auto",
    json: Json = False,
) -> None:
    """Erase everything of a user, or everything learned under one key, from the whole file. It cannot be undone."""
    with opened(existing(db), embedder=embedder) as memory:
        if not yes:
            what = f"everything learned under {key} of {user}" if key else f"everything of {user}"
            ask_first(clean(f"Erase {what} from {db}, for good?"))
        forgotten = memory.forget(user, key=key)
    print_record(forgotten, json=json, columns=("erased", "rows"))


def _finish(memory: Memory) -> None:
    """Wait for what follows from what was stored; where it fails, say that it is stored, so that nobody says it twice."""
    try:
        work.finish(memory)
    except MdbError:
        say("What was said is stored; do not repeat it: once this is mended, `memdb drain` does the rest.")
        raise


@contextmanager
def _told_what_is_kept(memory: Memory) -> Iterator[None]:
    """Say how many messages the body has stored where it fails."""
    known = memory.turns(limit=1).total
    try:
        yield
    except MdbError:
        if stored := memory.turns(limit=1).total - known:
            say(f"{stored} messages were stored before this one; mend it and load them all again, which adds the rest.")
        raise


def _load(memory: Memory, conversation: Conversation, *, user_id: str, apart: bool) -> Loaded:
    """Load one conversation. Conversations of one user are kept `apart` by their names, since each counts its turns from one."""
    turns: Sequence[Exchange] = conversation.turns
    if apart and conversation.user_id is not None:
        turns = [turn.model_copy(update=_prefixed(turn, f"{conversation.user_id}/")) for turn in turns]
    return Loaded(user_id=user_id, messages=len(turns), new=work.store(memory, turns, user_id=user_id))


def _prefixed(turn: Exchange, prefix: str) -> dict[str, str]:
    return {name: prefix + value for name, value in (("turn_id", turn.turn_id), ("session_id", turn.session_id)) if value is not None}
