"""The work behind an open memory, step by step: by the worker's threads, or, where there are none, by whoever waits for it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from time import monotonic, sleep
from typing import NamedTuple

from memdb import stored
from memdb.awaited import Patient
from memdb.config import Config
from memdb.embed import Embedder
from memdb.erasing import overwrite_remains
from memdb.errors import BusyError, StoreError
from memdb.identity import new_identity
from memdb.intake import Intake
from memdb.keeper import events_due, take_segment
from memdb.llm import LanguageModel
from memdb.mirroring import count_changes, take_changes
from memdb.narrator import Narrator
from memdb.nights import next_night, take_night
from memdb.notebook import Notebook
from memdb.observer import build_profile
from memdb.outside import OutsideIndex
from memdb.segments import merge_erased, merge_some, newest
from memdb.store import Store
from memdb.tidying import take_tidying
from memdb.times import to_text, to_utc, utc_now
from memdb.upkeep import take_upkeep
from memdb.worker import Worker, heed_clock, take_turn, take_vectors

log = logging.getLogger("memdb")

_RECALLED_SECONDS = 5.0  # what was recalled is written down together
_NIGHT_SECONDS = 60.0  # how often the worker looks whether the night's maintenance is due
_RESTS = 20  # times as long as a look took at the events of all users is it rested until the next one: of very many it takes long
_UPKEEP_SECONDS = 1.0  # and whether a session is over, or a user to be reflected upon
_LOOK_SECONDS = 0.05  # how often whoever waits looks how much is left


@dataclass
class _Awaited:
    """What somebody waits for, however much others add meanwhile: turns up to one, events until an instant, and the vectors of what is
    stored by the time that those are done, which is up to one fact.
    """

    turn: int
    until: datetime
    fact: int | None = None


class _Left(NamedTuple):
    """How much is left of that, and how much of it waits to be tried again."""

    turns: int = 0
    events: int = 0
    vectors: int = 0
    untold: int = 0
    waiting: int = 0

    @property
    def work(self) -> int:
        """All of it."""
        return self.turns + self.events + self.vectors + self.untold


_EVERYTHING = _Left(turns=1, events=1, vectors=1, untold=1)


class Background:
    """What is done in the background for one open memory; with the setting `worker` its threads run from the beginning.

    `owner` is a weak reference to the memory: its threads end with it.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        owner: Callable[[], object | None],
        embedder: Embedder | None,
        patient: Patient | None,
        llm: LanguageModel | None,
        narrator: Narrator | None,
        index: OutsideIndex | None,
        notebook: Notebook,
        intake: Intake,
    ) -> None:
        self._store, self._config, self._owner = store, config, owner
        self._embedder, self._patient, self._llm, self._narrator, self._index = embedder, patient, llm, narrator, index
        self._notebook, self._intake = notebook, intake
        self._next_writing = self._next_night = self._next_upkeep = self._next_events = 0.0
        self._merged = 0  # up to which row the full-text index has no segments that are worth merging
        self._over = False
        self._changing = Lock()
        self._awaited: list[_Awaited] = []
        self._worker = self._hire() if config.worker and not store.read_only else None

    def wake(self) -> None:
        """Tell the threads that there is something to do."""
        if self._worker is not None:
            self._worker.wake()

    def finish(self) -> None:
        """Finish the steps at hand and end, with what was noted written down, the profiles up to date and what was forgotten overwritten.

        What else is left waits in the file.

        Raises:
            StoreError: the file is damaged.
        """
        self._over = True
        if self._worker is not None:
            self._worker.stop(self._config.embed_patience_seconds)
        try:
            self._notebook.write_down_asked()
            self._notebook.write_down_recalled()
            self._finish_profiles()
            if not self._store.read_only:
                overwrite_remains(self._store.database())  # of what was forgotten by a process that was killed right after it
        except StoreError as error:
            if error.damaged:
                raise
            log.warning("what was asked could not be noted: %s", error)  # the next process makes up for the profiles

    def abandon(self, patience: float) -> None:
        """End within about `patience` seconds: a step at hand that takes longer is undone, and begun anew next time."""
        self._over = True
        if self._worker is not None:
            self._worker.leave()
            self._worker.gone(patience)
        db = self._store.take_away()
        db.patience.seconds = patience
        try:
            if self._worker is not None:  # also where the threads seem to have ended: Python takes one for ended whose join was interrupted
                self._worker.release(db)
            self._notebook.write_down_asked()
            self._notebook.write_down_recalled()
        except StoreError as error:
            log.warning("what was asked could not be noted: %s", error)

    def change_embedder(self, embedder: Embedder, patient: Patient | None) -> None:
        """Go on with another embedder, unless the memory was closed meanwhile."""
        with self._changing:
            self._embedder, self._patient = embedder, patient
            if self._worker is not None and not self._over:
                self._worker.stop(self._config.embed_patience_seconds)
                self._worker = self._hire()
                self._leave_if_over()

    def _leave_if_over(self) -> None:
        """Have threads end that were hired as the memory was closed: whoever closed it may have told those before them."""
        if self._over and self._worker is not None:
            self._worker.leave()

    def interrupt_rests(self) -> None:
        """Let the background work try at once what failed lately."""
        if self._patient is not None:
            self._patient.rest.interrupt()
        if self._index is not None:
            self._index.rest.interrupt()

    def drain(self, timeout: float | None, *, vectors: bool = True) -> bool:
        """Wait until all of it is done that is there now, or all but the vectors; return False if that did not come to pass, see
        `Memory.drain`.

        Raises:
            StoreError: the file cannot be read, or the work cannot be written.
        """
        deadline = None if timeout is None else monotonic() + timeout
        self.interrupt_rests()
        db = self._store.database()
        if not self._store.read_only:
            heed_clock(db, now=utc_now(), config=self._config)
        if self._worker is not None:
            self._worker.try_again()
        awaited = _Awaited(int((db.one("queue.last") or {})["turn"] or 0), utc_now())
        self._awaited.append(awaited)
        try:
            return self._wait(awaited, deadline, vectors=vectors)
        finally:
            self._awaited.remove(awaited)

    def _wait(self, awaited: _Awaited, deadline: float | None, *, vectors: bool) -> bool:
        while True:
            if self._worker is not None:
                self._worker.raise_trouble()
            left = self._left(awaited, vectors=vectors)
            if not left.work:
                try:
                    self._notebook.write_down_recalled()
                except BusyError:
                    return False
                if self._worker is None and not self._store.read_only:
                    with suppress(StoreError):  # what cannot be merged now is found anyway
                        while self._merge_words():
                            pass
                return True
            remaining = None if deadline is None else deadline - monotonic()
            if left.work == left.waiting if remaining is None else remaining <= 0:
                if self._worker is not None:  # a turn is put back a moment before it is told why
                    self._worker.wait(_LOOK_SECONDS)
                    self._worker.raise_trouble()
                return False
            pause = _LOOK_SECONDS if remaining is None else min(_LOOK_SECONDS, remaining)
            if self._worker is not None:
                self._worker.wake()
                self._worker.wait(pause)
            elif self.work(left):
                look = monotonic() + pause
                while monotonic() < look and self.work(left):
                    pass
            else:
                sleep(pause)

    def work(self, left: _Left = _EVERYTHING) -> bool:
        """Do one step here and now of what is left; return whether there was one."""
        if left.turns and take_turn(self._store, self._config, self._llm, self._patient, identity=new_identity()):
            return True
        if left.events and take_segment(self._store, self._config, self._narrator, now=utc_now()):
            return True
        return bool((left.vectors and self._embed()) or (left.untold and self.mirror()))

    def _embed(self) -> bool:
        embedder, patient = self._embedder, self._patient
        if embedder is None or patient is None:
            return False
        return take_vectors(self._store, self._config, embedder, rest=patient.rest, first=self.awaited_fact())

    def mirror(self) -> bool:
        """Tell the collection that serves as the index one batch of what changed; return whether there was one."""
        if self._index is None or self._embedder is None:
            return False
        return take_changes(self._store, self._config, self._embedder, self._index, first=self.awaited_fact())

    def awaited_fact(self) -> int | None:
        """Up to which fact somebody waits for the vectors, which come before those of what has been added since."""
        return max((awaited.fact for awaited in (*self._awaited,) if awaited.fact is not None), default=None)

    def _hire(self) -> Worker:
        more = {"memdb-memories": self._tend} | ({"memdb-collection": self.mirror} if self._index is not None else {})
        return Worker(
            self._store,
            self._config,
            self._embedder,
            self._llm,
            owner=self._owner,
            first=self.awaited_fact,
            patient=self._patient,
            more=more,
        )

    def _tend(self) -> bool:
        """Do one step of the worker's care for what is remembered already; return whether there was one."""
        now = utc_now()
        began = monotonic()
        due = began >= self._next_events and events_due(self._store.database(), self._config, now=now)
        if began >= self._next_events and not due:
            self._next_events = monotonic() + _RESTS * (monotonic() - began)
        settled = self._intake.settled  # asked after the look: an event that is seen there counts here
        if due and settled and take_segment(self._store, self._config, self._narrator, now=now):
            return True
        if monotonic() >= self._next_writing:
            self._next_writing = monotonic() + _RECALLED_SECONDS
            self._notebook.write_down_recalled()
        if settled and monotonic() >= self._next_night:
            heed_clock(self._store.database(), now=now, config=self._config)
            if night := next_night(self._store.database(), self._config, now=now):
                take_night(self._store, self._config, self._narrator, now=night, scheduled=True)
                return True
            if take_tidying(self._store.database(), now=now, config=self._config):
                return True
            self._next_night = monotonic() + _NIGHT_SECONDS
        if monotonic() >= self._next_upkeep:
            self._next_upkeep = monotonic() + _UPKEEP_SECONDS
            db = self._store.database()
            # the vectors of a forgetting that was cut short go first, by the other thread: what they leave is overwritten then, too
            if not (db.has_vectors and db.all("forget.vectors_wait")):
                if merge_erased(db):
                    self._next_upkeep = 0.0
                    return True
                if overwrite_remains(db):
                    return True
            if self._merge_words():
                self._next_upkeep = 0.0
                return True
            if take_upkeep(db, user_id=None, now=now, config=self._config, llm=self._llm, served=self._store.served):
                self._next_upkeep = 0.0
                return True
        return False

    def _merge_words(self) -> bool:
        """Bring some segments of the full-text index together, if rows came since there was none to merge; return whether there was one."""
        db = self._store.database()
        if (last := newest(db)) == self._merged:
            return False
        if merge_some(db):
            return True
        self._merged = last
        return False

    def _finish_profiles(self) -> None:
        db = self._store.database()
        for row in db.all("profile.outdated") if not self._store.read_only else ():
            with stored.reading(db, user_id=str(row["user_id"])):
                now = to_utc(str(row["last_turn_at"]))
            build_profile(db, user_id=str(row["user_id"]), now=now, config=self._config)

    def _left(self, awaited: _Awaited, *, vectors: bool) -> _Left:
        """How much is left of what is waited for; more than zero, and less of it waiting than all, while there are turns to take.

        Without `vectors` they count for nothing, nor does what a collection is still to be told of them.
        """
        db = self._store.database()
        if db.tuples("queue.ready", now=to_text(utc_now()), turn=awaited.turn):  # the rest need not be counted
            return _Left(turns=1)
        embeds = self._embedder is not None and (self._store.embedder() or (None,))[0] == self._embedder.name
        with db.snapshot():  # what one thread has written is not to be missed between two looks
            row = db.one("queue.open", now=to_text(utc_now()), embeds=int(embeds), turn=awaited.turn, fact=awaited.fact) or {}
            number = {name: int(value or 0) for name, value in row.items()}
            left = _Left(number["turns"], int(events_due(db, self._config, now=awaited.until)), waiting=number["turns_waiting"])
            if not left.work and awaited.fact is None:
                awaited.fact = number["fact"]
        if not vectors:
            return left
        if self._patient is not None and self._patient.rest.lasts:
            number["vectors_waiting"] = number["vectors"]
        untold, postponed = (0, 0) if self._index is None else count_changes(self._store, self._index, fact=awaited.fact)
        waiting = left.waiting + number["vectors_waiting"] + postponed
        return left._replace(vectors=number["vectors"], untold=untold, waiting=waiting)
