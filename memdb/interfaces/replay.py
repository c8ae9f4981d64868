"""`memdb replay`: a memory rebuilt from its turns, each prompt answered as the language model answered it then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import memdb
from memdb import Embedder, Fact, Memory, ReplayModel
from memdb.config import load_config
from memdb.disk import unfinished
from memdb.records import LIVE, Record, Status

_CLOSED: tuple[Status, ...] = ("superseded", "expired")
_DRAWN = ("episode-", "reflection-")  # the causes of what upkeep writes


class Replayed(Record):
    """What became of a replay: turns, those that failed, prompts with and without a kept answer, and the facts that differ."""

    turns: int
    turns_failed: int
    answered: int
    unanswered: int
    differing: int


def replay(old: Path, new: Path, *, embedder: Embedder | str | None = "auto") -> Replayed:
    """Take every turn of `old` into the new file `new`, in the same order and with the same settings, and return how it went.

    The time zone is the one that `old` was written with, unless `memdb.toml` or the environment names one.

    No model is asked: kept calls answer, and where there is none, the rules decide and the turn's record says so. `embedder` "auto" is the
    one that `old` was written with. Only turns are replayed: the events of a household, and what was remembered, confirmed, rejected or
    undone by hand, are not; episodes and reflective notes are drawn anew by the worker of whoever opens `new`.

    Until it is whole, `new` has the ending `.unfinished`, and on an error nothing is left of it.

    Raises:
        InputError: `new` exists, or one that is not whole.
        StoreError: it cannot be made there.
    """
    settings = load_config(old).model_copy(update={"worker": False})
    with unfinished(new) as beside, memdb.open(old, config=settings, embedder=None, llm=None) as before:
        zone = before.stats().timezone
        if zone is not None and "timezone" not in settings.model_fields_set:
            settings = settings.model_copy(update={"timezone": zone})
        model = ReplayModel(before.calls())
        chosen = before.stats().embedder if embedder == "auto" else embedder
        read_by_a_model = any(turn.extracted_by not in (None, "rules") or turn.error for turn in before.turns())
        with memdb.open(beside, config=settings, embedder=chosen, llm=model if read_by_a_model else None) as after:
            _take_turns(before, after)
            users = sorted({turn.user_id for turn in before.turns()})
            return Replayed(
                turns=len(before.turns()),
                turns_failed=after.stats().turns_by_status.get("failed", 0),
                answered=model.answered,
                unanswered=model.unanswered,
                differing=sum(_differing(before, after, user) for user in users),
            )


def _take_turns(before: Memory, after: Memory) -> None:
    """Observe and think in the order in which it was done before: what was known while a turn was read depends on it."""
    taken = before.turns()
    for user in dict.fromkeys(turn.user_id for turn in taken):
        held = before.consent(user)
        after.consent(user, sensitive_topics=held.sensitive_topics, secrets=held.secrets)
    turns = [turn for turn in taken if (turn.user_input + turn.assistant_response).strip()]  # earlier versions took blank ones, too
    for place, turn in enumerate(turns):
        after.observe(
            turn.user_input if turn.user_input.strip() else "",
            turn.assistant_response,
            user_id=turn.user_id,
            turn_id=turn.turn_id,
            timestamp=turn.timestamp,
            session_id=turn.session_id,
            speaker=turn.speaker,
        )
        following = turns[place + 1] if place + 1 < len(turns) else None
        if following is None or (turn.done_at is not None and turn.done_at <= following.received_at):
            after.drain(vectors=False)  # of one turn at a time they would take most of the time
    after.drain()


def _differing(before: Memory, after: Memory, user: str) -> int:
    """How many facts of a user are in one of the two only; what compaction moved away is not missed."""
    then, now = _held(before, user, (*LIVE, *_CLOSED)), _held(after, user, (*LIVE, *_CLOSED))
    return (then - now).total() + (_held(after, user, LIVE) - then).total()


def _held(memory: Memory, user: str, statuses: Sequence[Status]) -> Counter[tuple[str, str, str, float, datetime, datetime | None]]:
    return Counter(_known(fact) for fact in memory.facts(user, statuses=statuses) if not fact.source_turn_id.startswith(_DRAWN))


def _known(fact: Fact) -> tuple[str, str, str, float, datetime, datetime | None]:
    return fact.key, fact.value_text, fact.status, round(fact.confidence, 6), fact.valid_from, fact.valid_to
