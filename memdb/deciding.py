"""What is decided about what is remembered: confirmed, rejected, ended, doubted, done, taken back, or not to be kept at all."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Literal, get_args

from pydantic import ValidationError

from memdb import checks, reading, stored
from memdb.accounts import correct
from memdb.answers import Undone
from memdb.config import Config
from memdb.database import Database
from memdb.errors import InputError
from memdb.figures import closer
from memdb.observer import build_profile
from memdb.privacy import topic_of
from memdb.reading import read_consent
from memdb.recording import Origin, bring_back, dismiss, dismiss_moot, let, move, settle
from memdb.recording import doubt as make_uncertain
from memdb.recording import end as close
from memdb.records import DECIDABLE, Consent, Fact, Procedure, TaskState, by_the_clock
from memdb.reviving import make_way, revive
from memdb.since import REJECTED, note_end_of
from memdb.steps.undo import undo as take_back
from memdb.steps.weigh import weigh
from memdb.times import to_text, utc_now


def confirm(db: Database, fact_id: str, *, now: datetime, config: Config) -> Fact:
    """Take a fact as explicitly confirmed, and return it; see `Memory.confirm`.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the fact is no longer live.
    """
    with db.transaction():  # what is decided is looked at within it: another process may just have decided, or forgotten, it
        fact = _standing_fact(db, fact_id, now=now)
        raised = fact.confidence + closer(fact.confidence, config.confirmation_rate)
        origin, reason = _origin(fact.user_id, "confirm", now), "confirmed by the user"
        settle(db, fact, origin=origin, reason=reason, confidence=raised, predicates=stored.predicates(db))
    return reading.fact(db, fact_id)


def reject(db: Database, fact_id: str, *, now: datetime, config: Config) -> Fact:
    """Take a fact as never true, and return it; see `Memory.reject`.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the fact is no longer live.
    """
    with db.transaction():
        fact = _standing_fact(db, fact_id, now=now)
        origin = _origin(fact.user_id, "reject", now)
        dismiss(db, fact, origin=origin, reason=REJECTED)
        revive(db, fact, origin=origin, predicates=stored.predicates(db), config=config)
        _heed_again(db, origin)
        correct(db, user_id=fact.user_id, cause=origin.turn_id, now=now, config=config)
    return reading.fact(db, fact_id)


def end(db: Database, fact_id: str, *, ends: datetime, now: datetime) -> Fact:
    """Say until when a fact was true, and return it; what ended just then stays as it is.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the fact is no longer live, would end before it began, or was over earlier.
    """
    with db.transaction():
        known = reading.fact(db, fact_id)
        if known.status == "expired" and known.valid_to == ends:  # said once more by who did not hear the answer
            return known
        fact = _live_fact(db, fact_id)
        if ends < fact.valid_from:
            raise InputError(f"The fact {fact_id!r} begins {to_text(fact.valid_from)} and cannot end {to_text(ends)}; give a later time.")
        if fact.valid_to is not None and fact.valid_to <= now and fact.valid_to < ends:  # it expired then, though nobody wrote that down
            over = f"was over on {to_text(fact.valid_to)} and cannot end later"
            raise InputError(f"The fact {fact_id!r} {over}; give that time, or an earlier one.")
        origin = _origin(fact.user_id, "end", now)
        close(db, fact, ends=ends, origin=origin, reason="ended by the application")
        note_end_of(db, fact, ends=ends, origin=origin)
    return reading.fact(db, fact_id)


def doubt(db: Database, fact_id: str, *, now: datetime) -> Fact:
    """Take a fact as uncertain, and return it.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the fact is no longer live.
    """
    with db.transaction():
        fact = _standing_fact(db, fact_id, now=now)
        if fact.status != "uncertain":
            make_uncertain(db, fact, origin=_origin(fact.user_id, "doubt", now), reason="said to be uncertain")
    return reading.fact(db, fact_id)


def set_task(db: Database, fact_id: str, state: TaskState, *, now: datetime) -> Fact:
    """Say where a task stands, and return it.

    Raises:
        NotFoundError: no fact has this id.
        InputError: it is no task, or there is no such state.
    """
    checks.one_of(state, get_args(TaskState), "state")
    with db.transaction():
        fact = reading.fact(db, fact_id)
        if fact.kind != "task":
            raise InputError(f"The fact {fact_id!r} is a {fact.kind}, not a task; list tasks with facts(kinds=['task']).")
        bring_back(db, fact_id)
        move(db, fact, state=state, origin=_origin(fact.user_id, "task", now), reason=f"said to be {state}")
    return reading.fact(db, fact_id)


def undo(db: Database, *, user_id: str | None, turn_id: str | None, session_id: str | None, now: datetime, config: Config) -> Undone:
    """Take back everything learned from a turn or from a session, and return how much.

    Raises:
        InputError: not exactly one of `turn_id` and `session_id` is given, or it is one of several users and nobody is named.
    """
    if (turn_id is None) == (session_id is None):
        raise InputError("Say what to take back: give either turn_id or session_id.")
    checks.names(user_id=user_id, turn_id=turn_id, session_id=session_id)
    cause = _cause("undo")
    with db.transaction():
        user_id = user_id if user_id is not None else _whose(db, turn_id=turn_id, session_id=session_id)
        if user_id is None:
            return Undone()
        before = db.changes
        undone = take_back(db, user_id=user_id, turn_id=turn_id, session_id=session_id, cause=cause, now=now, config=config)
        dismiss_moot(db, user_id=user_id, now=now)
        if db.changes == before:
            return undone
        _heed_again(db, Origin(user_id=user_id, turn_id=cause, now=now))
        correct(db, user_id=user_id, cause=cause, now=now, config=config)
        db.run("forget.delete_profile", user_id=user_id)  # where nothing is held any more, none is built
        build_profile(db, user_id=user_id, now=now, config=config)
    return undone


def _whose(db: Database, *, turn_id: str | None, session_id: str | None) -> str | None:
    """Return the one user who has this turn or session; None, if nobody has."""
    users = [str(row["user_id"]) for row in db.all("undo.whose", turn_id=turn_id, session_id=session_id)]
    if len(users) > 1:
        what = f"turn {turn_id!r}" if turn_id is not None else f"session {session_id!r}"
        raise InputError(f"There is a {what} of several users; say whose is taken back by user_id (or --user).")
    return users[0] if users else None


def outcome(
    db: Database, fact_id: str, succeeded: bool, *, note: str, turn_id: str | None, now: datetime, config: Config
) -> Procedure:  # fmt: skip
    """Note how a workflow went, and return it.

    Raises:
        NotFoundError: no fact has this id.
        InputError: the fact is no procedure, or no longer live; or it is not said by True or False.
    """
    with db.transaction():
        fact = _standing_fact(db, fact_id, now=now)
        if fact.kind != "procedure":
            raise InputError(f"The fact {fact_id!r} is a {fact.kind}, not a procedure; learn() makes one.")
        weigh(
            db,
            fact,
            succeeded=checks.truth(succeeded, "succeeded"),
            note=checks.text(note, "note"),
            turn_id=checks.given(turn_id, "turn_id") or f"outcome-{uuid.uuid4().hex}",
            config=config,
            now=now,
        )
    return reading.procedures(db, {fact_id: None})[0]


def consent(
    db: Database,
    user_id: str,
    *,
    sensitive_topics: Literal["keep", "ask", "refuse"] | None,
    secrets: Literal["keep", "refuse"] | None,
    config: Config,
) -> Consent:
    """Note what a user lets be remembered from now on, and return what holds for them; with no choice, only return it.

    Raises:
        InputError: there is no such choice.
    """
    checks.name(user_id, "user_id")
    try:
        chosen = {"sensitive_topics": sensitive_topics, "secrets": secrets}
        Consent.model_validate({name: "keep" if choice is None else choice for name, choice in chosen.items()})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"{wrong['loc'][0]} is {wrong['input']!r}, which is no choice: {checks.why(wrong)}.") from error
    if sensitive_topics is not None or secrets is not None:
        now = utc_now()
        with db.transaction():
            db.run("consent.put", user_id=user_id, sensitive_topics=sensitive_topics, secrets=secrets, now=to_text(now))
            if sensitive_topics in ("keep", "refuse"):
                origin = _origin(user_id, "consent", now)
                _heed(db, origin, keep=sensitive_topics == "keep")
                correct(db, user_id=user_id, cause=origin.turn_id, now=now, config=config)
    return read_consent(db, user_id=user_id, config=config)


def _heed(db: Database, origin: Origin, *, keep: bool, since: str | None = None) -> None:
    """What waits on a sensitive topic is believed, if it waits for leave alone and that is given, or dismissed, if it is not.

    All of it, or what waits `since` it was changed for a cause.
    """
    predicates = stored.predicates(db)
    for row in db.all("consent.waiting", user_id=origin.user_id, since=since, now=to_text(origin.now)):
        fact = reading.fact(db, stored.fact(db, row["record"]).fact_id)  # one may have gone with another
        if fact.status != "pending_confirmation" or topic_of(fact) is None:
            continue
        if not keep:
            dismiss(db, fact, origin=origin, reason="the user lets nothing of this be kept")
        elif row["leave"]:
            let(db, fact, origin=origin, reason="the user lets it be kept")
            make_way(db, fact.fact_id, predicates=predicates, now=origin.now)


def _heed_again(db: Database, origin: Origin) -> None:
    """What waits again by what was taken back is decided by what its user has chosen since."""
    chosen = (db.one("consent.of", user_id=origin.user_id) or {}).get("sensitive_topics")
    if chosen in ("keep", "refuse"):
        _heed(db, origin.model_copy(update={"turn_id": _cause("consent")}), keep=chosen == "keep", since=origin.turn_id)


def _live_fact(db: Database, fact_id: str) -> Fact:
    return _decidable(reading.fact(db, fact_id))


def _standing_fact(db: Database, fact_id: str, *, now: datetime) -> Fact:
    """A fact that is live and not over by the clock."""
    return _decidable(by_the_clock(reading.fact(db, fact_id), now))


def _decidable(fact: Fact) -> Fact:
    fact_id = fact.fact_id
    if fact.kind == "message":
        raise InputError(f"{fact_id!r} is a message, which is kept as it was said; only facts can be decided or ended, see facts().")
    if fact.status not in DECIDABLE:
        said = fact.value_text[:60]
        raise InputError(
            f"The fact {fact_id!r} ({said!r}) is {fact.status}; only what is believed, pending or uncertain can be decided or ended."
        )
    return fact


def _origin(user_id: str, verb: str, now: datetime) -> Origin:
    return Origin(user_id=user_id, turn_id=_cause(verb), now=now)


def _cause(verb: str) -> str:
    return f"{verb}-{uuid.uuid4().hex}"
