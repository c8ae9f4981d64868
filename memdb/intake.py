"""The way in for what is said and what happens: turns, messages and events, safely on disk before anybody thinks about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import islice
from time import monotonic

from pydantic import ValidationError

from memdb import checks
from memdb.config import Config
from memdb.database import Database
from memdb.errors import InputError
from memdb.keeper import gather, gather_turn
from memdb.names import one_each
from memdb.recording import action_hash_of
from memdb.records import BreakTrigger, Event, Message, Turn
from memdb.segments import merge_all
from memdb.steps.take import take
from memdb.store import Store, tell_clocks
from memdb.times import instant, utc_now

_LOAD_BATCH = 200  # messages a transaction: a commit's cost shared, the lock held for milliseconds
_SETTLED_SECONDS = 1.0  # so long the worker waits for more of what happened long ago before it tells of it


class Intake:
    """What one process takes in. For all threads."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store, self._config = store, config
        self._loaded_at = -_SETTLED_SECONDS
        self._zone_noted = False

    @property
    def settled(self) -> bool:
        """Whether nothing that happened long ago came in just now: such things come one by one, and belong together."""
        return monotonic() >= self._loaded_at + _SETTLED_SECONDS

    def observe(
        self,
        user_input: str,
        assistant_response: str,
        *,
        user_id: str,
        turn_id: str,
        timestamp: date | str | None,
        session_id: str | None,
        speaker: str | None,
    ) -> None:
        """Take a turn.

        Raises:
            InputError: there is nothing to keep, or the text is no valid Unicode.
            ConflictError: another turn of this user has this id.
        """
        turn = self._turn(
            user_input,
            assistant_response,
            user_id=user_id,
            turn_id=turn_id,
            timestamp=timestamp,
            session_id=session_id,
            speaker=speaker,
        )
        self._take([turn])

    def load(self, messages: Iterable[Message | Mapping[str, object]], *, user_id: str, written: Callable[[int], None]) -> int:
        """Take many messages, some hundred a transaction, and return how many were new; `written` is told how many are safely on disk.

        Raises:
            InputError: a message has unknown or unusable fields; those before it are kept.
        """
        checks.records(messages, "messages")
        checks.name(user_id, "user_id")
        seen: dict[str, int] = {}
        taken = added = 0
        stream = iter(messages)
        while batch := list(islice(stream, _LOAD_BATCH)):
            added += self._take(list(self._message_turns(batch, user_id=user_id, seen=seen, first=taken)))
            taken += len(batch)
            written(taken)
        if added > _LOAD_BATCH:
            merge_all(self._store.database(), added=added)
        return added

    def event(
        self,
        description: str,
        *,
        user_id: str,
        timestamp: date | str | None,
        participants: Sequence[str],
        location: str | None,
        importance: float | None,
        trigger: BreakTrigger | None,
        event_id: str,
    ) -> None:
        """Take something that happened.

        Raises:
            InputError: there is nothing to keep, or a value cannot be used.
            ConflictError: another event of this user has this id.
        """
        checks.several(participants, "participants")
        try:
            happened = Event(
                event_id=checks.name(event_id, "event_id"),
                user_id=checks.name(user_id, "user_id"),
                description=checks.filled(description, "description"),
                timestamp=checks.lived(self._time(timestamp), "timestamp"),
                participants=tuple(one_each(" ".join(checks.name(name, "participants").split()) for name in participants)),
                location=" ".join(checks.text(location, "location").split()) or None if location is not None else None,
                importance=checks.share(importance, "importance"),
                trigger=trigger,
            )
        except ValidationError as error:
            raise InputError(f"The event {description[:60]!r} cannot be stored: {checks.fault(error)}.") from error
        self._note_happened(happened.timestamp)
        db = self._store.database()
        with db.transaction():
            gather(db, happened, dated=timestamp is not None)

    def _take(self, turns: Sequence[Turn]) -> int:
        """Put turns into the queue in one transaction, and return how many were new."""
        if not turns:  # a model that only called tools said nothing in any of them
            return 0
        self._note_happened(min(turn.timestamp for turn in turns))
        db = self._store.database()
        with db.transaction():
            self._note_zone(db)
            new = take(db, turns, received_at=utc_now(), zone=self._config.zone)
            for turn in new if self._config.turns_as_events else ():
                gather_turn(db, turn)
        self._zone_noted = True
        return len(new)

    def _note_happened(self, at: datetime) -> None:
        """What comes in long after it happened comes in one by one, and belongs together: the worker waits until all of it is there."""
        if at < utc_now() - timedelta(minutes=self._config.event_buffer_minutes):
            self._loaded_at = monotonic()

    def _note_zone(self, db: Database) -> None:
        """What "tomorrow" means in a turn depends on the zone: the file tells it to whoever reads the turns again."""
        if not self._zone_noted and db.all("meta.zone") != [{"timezone": self._config.timezone}]:
            db.run("meta.put", name="timezone", value=self._config.timezone)
            tell_clocks(db, self._config.zone)

    def _turn(
        self,
        user_input: str,
        assistant_response: str = "",
        *,
        user_id: str,
        turn_id: str,
        timestamp: date | str | None,
        session_id: str | None,
        speaker: str | None,
    ) -> Turn:
        answer = "" if assistant_response is None else checks.text(assistant_response, "assistant_response")  # a model may say nothing
        answer = answer if answer.strip() else ""  # a model may answer with a blank line
        if not answer and (user_input is None or not checks.text(user_input, "user_input")):
            raise InputError("There is nothing to observe: give user_input, assistant_response or both.")
        if not checks.text(user_input, "user_input").strip() and user_input:
            raise InputError("user_input is blank, so that there is nothing to observe in it; give what was said, or leave it out.")
        return Turn(
            id=0,
            turn_id=checks.name(turn_id, "turn_id"),
            user_id=checks.name(user_id, "user_id"),
            session_id=checks.given(session_id, "session_id"),
            speaker=checks.given(speaker, "speaker"),
            user_input=user_input,
            assistant_response=answer,
            timestamp=checks.lived(self._time(timestamp), "timestamp"),
        )

    def _message_turns(
        self, batch: Sequence[Message | Mapping[str, object]], *, user_id: str, seen: dict[str, int], first: int
    ) -> Iterator[Turn]:
        for place, given in enumerate(batch, start=first + 1):
            message = checks.record(Message, given, what=f"Message {place} cannot be loaded")
            if message.says_nothing:
                continue
            if not message.text.strip():
                raise InputError(f"Message {place} cannot be loaded: its text is blank, there is nothing to observe in it; leave it out.")
            turn_id = message.turn_id
            if turn_id is None:
                turn_id = _derived_turn_id(user_id, message.session_id, message.speaker, str(message.timestamp or ""), message.text)
                seen[turn_id] = seen.get(turn_id, 0) + 1
                turn_id = turn_id if seen[turn_id] == 1 else f"{turn_id}-{seen[turn_id]}"
            try:
                yield self._turn(
                    message.text,
                    user_id=user_id,
                    turn_id=turn_id,
                    timestamp=message.timestamp,
                    session_id=message.session_id,
                    speaker=message.speaker,
                )
            except InputError as error:
                raise InputError(f"Message {place} cannot be loaded: {error}") from error

    def _time(self, value: date | str | None) -> datetime:
        return instant(value, "timestamp", zone=self._config.zone)


def _derived_turn_id(*parts: str | None) -> str:
    """An id that follows from what is said, so that loading the same messages twice adds nothing."""
    return "m-" + action_hash_of(*parts)[:24]
