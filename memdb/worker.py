"""The worker: threads that take turns and vectors one step after the other, and can be killed at any moment."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic

from memdb import checks, ending, stored
from memdb.awaited import Patient
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder
from memdb.errors import BusyError, MdbError, ModelUnavailable, StoreError
from memdb.identity import at_work, is_gone, new_identity
from memdb.llm import LanguageModel
from memdb.observer import process
from memdb.patience import Rest
from memdb.records import Turn
from memdb.steps.sync import sync
from memdb.store import Store
from memdb.thinking import rehearse
from memdb.times import to_text, utc_now
from memdb.waking import Progress, Wake

log = logging.getLogger("memdb")

_MAX_TURN_FAILURES = 5
_MAX_CLAIMS = 20  # a turn that was claimed so often and never put back ends its worker each time
_MANY_CLAIMS = 10  # one that was claimed so often is left to whoever has had the file open for `_SETTLED_SECONDS`:
_SETTLED_SECONDS = 1.0  # where workers are killed sooner than that, it is not the turn that ends them
_VECTORS = "memdb-vectors"  # the thread that waits for the embedder itself, however long it takes
_LONGEST_REST = 60.0  # seconds until a turn that failed is tried again
_LONGEST_CLAIM = 3_600.0  # seconds for which even a process with other settings claims something
_LONGEST_PAUSE = 30.0  # seconds between tries of a worker that meets errors again and again
_IDLE_SECONDS = 0.5  # how often an idle worker looks for turns that another process queued

_has_read = threading.Event()
"""Whether this process has read a turn: the first takes long, since what it needs is compiled."""


class Worker:
    """The background work: one thread takes turns, each user's in the order they came, another keeps the vectors up to date.

    Two, so that messages on their way to a slow embedder hold up no fact; `patient` is the embedder that turns ask, `first` says up to
    which fact somebody waits for the vectors, and `more` are jobs by name that get threads of their own. Every step is committed before
    the next begins, so that killing them loses nothing and repeats nothing. They end with their `owner`, where nobody has it any more who
    could tell them to.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        embedder: Embedder | None,
        llm: LanguageModel | None,
        *,
        owner: Callable[[], object | None],
        first: Callable[[], int | None],
        patient: Patient | None,
        more: Mapping[str, Callable[[], bool]],
    ) -> None:
        self._identity = identity = new_identity()
        self._owner = owner
        jobs = {"memdb-turns": lambda: take_turn(store, config, llm, patient, identity=identity)}
        if embedder is not None and patient is not None:
            jobs[_VECTORS] = lambda: take_vectors(store, config, embedder, rest=patient.rest, first=first())
        self._trouble: Exception | None = None
        self._tries = 0  # how often it was told to try again: what was begun before says nothing of after
        jobs |= more
        self._over = False
        self._progress = Progress()
        self._wakes = {name: Wake() for name in jobs}
        self._threads = [
            threading.Thread(target=self._run, args=(store, job, self._wakes[name]), name=name, daemon=True) for name, job in jobs.items()
        ]
        for thread in self._threads:
            thread.start()
        ending.watch(self)

    def wake(self) -> None:
        """Tell the threads that there is something to do."""
        for wake in self._wakes.values():
            wake.tell()

    def leave(self) -> None:
        """Have the threads finish the steps at hand and end; what is left waits in the file."""
        self._over = True
        self.wake()

    def gone(self, timeout: float | None = None) -> bool:
        """Wait until the threads have ended, so many seconds at most; return whether they have. Nobody waits for them again.

        A thread that asks, such as one in which a model closes the memory, does not wait for itself.
        """
        deadline = None if timeout is None else monotonic() + min(timeout, threading.TIMEOUT_MAX)
        others = [thread for thread in self._threads if thread is not threading.current_thread()]
        for thread in others:
            thread.join(None if deadline is None else max(deadline - monotonic(), 0.0))
        self._threads = []
        return not any(thread.is_alive() for thread in others)

    def stop(self, patience: float) -> None:
        """Finish the steps at hand and end. The embedder is waited for so many seconds: one that hangs would never let a memory close."""
        self.leave()
        deadline = monotonic() + patience
        embedding = [thread for thread in self._threads if thread.name == _VECTORS]
        for thread in self._threads:
            if thread not in (*embedding, threading.current_thread()):
                thread.join()
        self._threads = [thread for thread in embedding if thread.is_alive()]
        if not self.gone(max(deadline - monotonic(), 0.0)):
            log.warning("the embedder has not answered for %g seconds and is left alone; what waits for it is embedded next time", patience)

    def release(self, db: Database) -> None:
        """Put the turn back that the threads were at when their connections were closed under them: it was never begun."""
        with db.transaction():
            db.run("queue.unclaim", worker=self._identity)

    def try_again(self) -> None:
        """Have the threads try at once what they could not get past, and forget what it was, unless the file is damaged."""
        if not (isinstance(self._trouble, StoreError) and self._trouble.damaged):
            self._trouble = None
        self._tries += 1
        self.wake()

    def raise_trouble(self) -> None:
        """Raise what a thread met and could not get past, such as a full disk or a damaged file, once."""
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    def wait(self, seconds: float) -> None:
        """Wait until the worker has done something, or the time is over."""
        self._progress.wait(seconds)

    def _run(self, store: Store, job: Callable[[], bool], wake: Wake) -> None:
        store.beside()
        failed, told = 0, ""
        while not self._over and self._owner() is not None:
            tries = self._tries
            try:
                busy, failed = job(), 0
            except BusyError:
                busy = False  # somebody else is writing for long; there is always a next time
            except BaseException as error:  # the work never stops; a turn that failed was put back
                if not self._threads:
                    break  # nobody waits for this one: the file was closed under it
                busy, failed = False, failed + 1
                if tries == self._tries or (isinstance(error, StoreError) and error.damaged):
                    self._trouble = error if isinstance(error, Exception) else RuntimeError(repr(error))
                if told != (told := repr(error)):  # what lasts, such as a full disk, is told once
                    told_by_itself = isinstance(error, MdbError)  # what it says is all that there is to do, and commands show it as it is
                    log.error("the memory worker met an error and goes on: %s", error, exc_info=None if told_by_itself else error)
            self._progress.tell()
            if busy:
                self.wake()  # a turn's facts want vectors
            else:
                wake.wait(min(_LONGEST_PAUSE, _IDLE_SECONDS * 2 ** min(failed, 10)))


def take_turn(store: Store, config: Config, llm: LanguageModel | None, embedder: Patient | None, *, identity: str) -> bool:
    """Take the next turn and write what follows from it: another user's than the last, if there is one. Return whether there was one.

    Raises:
        StoreError: the file is damaged, or the disk is full or fails; the turn waits in the queue.
        BusyError: another process is writing for long; the turn waits in the queue.
    """
    db = store.database()
    settled = monotonic() >= store.opened_at + _SETTLED_SECONDS
    with at_work(identity):
        turn = _claim(db, config, embedder, identity, settled=settled, after=store.served.get("turns"))
        if turn is None:
            return False
        store.served["turns"] = turn.user_id
        try:
            process(db, turn, worker=identity, config=config, llm=llm, embedder=embedder)
        except Exception as error:  # whatever a turn does to us, it goes back into the queue or is set aside, and the next one comes
            if isinstance(error, BusyError) or (isinstance(error, StoreError) and (error.full or error.failing)):
                with suppress(StoreError), db.transaction():  # that is no fault of the turn's: it is as if it had not been begun
                    db.run("queue.unclaim", worker=identity)
                raise
            _put_back(db, turn, identity, error)
            if isinstance(error, StoreError) and error.damaged:
                raise  # nobody should wait for what cannot come to pass
    return True


def take_vectors(store: Store, config: Config, embedder: Embedder, *, rest: Rest, first: int | None) -> bool:
    """Bring one batch of vectors up to date, those up to the fact `first` before all others, and those of users who were not in the last
    batch before more of who was. Return whether there was anything to do.

    An embedder that is down is left alone a while.
    """
    if rest.lasts:
        return False
    after = store.served.get("vectors")
    try:
        result = sync(store.database(), embedder=embedder, now=utc_now(), config=config, up_to=first, after=after)
        if result.idle and first is not None:
            result = sync(store.database(), embedder=embedder, now=utc_now(), config=config, after=after)
    except ModelUnavailable as error:
        rest.begin(str(error))
        log.warning("%s", error)
        return False
    if result.last is not None:
        store.served["vectors"] = result.last
    if result.written:
        rest.end()
    if result.error:
        log.warning("%d vectors could not be made and will be tried again: %s", result.failed, result.error)
    return not result.idle


def retry_at_once(db: Database) -> int:
    """Give what was set aside after failing too often another chance, in one transaction, and return how much there is.

    What waits for its next attempt is tried at once, too.
    """
    with db.transaction():
        revived = db.run("sync.revive") + db.run("mirror.revive") + db.run("queue.revive")
        _hasten(db, after="")
    return revived


def heed_clock(db: Database, *, now: datetime, config: Config) -> bool:
    """Let nothing wait for a time that was written down when the clock was ahead; return whether something did.

    A claim of another machine's process, or of one that ran under another name of this machine, ends with its time alone.
    """
    latest = to_text(now + timedelta(seconds=max(_LONGEST_REST, config.retry_max_seconds)))
    longest = max(_LONGEST_CLAIM, config.lease_seconds, config.model_timeout_seconds * config.model_attempts)
    claimed = to_text(now + timedelta(seconds=longest))
    if not db.all("queue.ahead", latest=latest, claimed=claimed, now=to_text(now)):  # a look costs no lock
        return False
    with db.transaction():
        _hasten(db, after=latest)
        for held in ("queue.reopen", "mirror.reopen", "upkeep.reopen"):
            db.run(held, after=claimed)
        db.run("meta.put_back", now=to_text(now))
    return True


def _hasten(db: Database, *, after: str) -> None:
    for waiting in ("sync.hasten", "mirror.hasten", "queue.hasten"):
        db.run(waiting, after=after)


def _claim(
    db: Database, config: Config, embedder: Patient | None, identity: str, *, settled: bool, after: str | None
) -> Turn | None:  # fmt: skip
    waiting = db.one("queue.first", after=after)  # a look costs no lock
    if waiting is None:
        return None
    if not _has_read.is_set():
        with suppress(Exception):  # whatever it is comes again when the turn is taken; who is killed meanwhile was not at it
            rehearse(db, *stored.rows_as(Turn, db, [waiting]), config=config)
        _has_read.set()
    if embedder is not None and db.has_vectors and db.all("liken.any", user_id=waiting["user_id"], kind="fact"):
        embedder.prepare()
    now = utc_now()
    with db.transaction():
        for row in db.all("queue.claimants"):
            if row["claimed_by"] == identity or is_gone(str(row["claimed_by"])):  # an own one could not be put back
                db.run("queue.release", worker=row["claimed_by"])
        until = now + timedelta(seconds=config.lease_seconds)
        most = None if settled else _MANY_CLAIMS
        while claimed := db.one("queue.claim", worker=identity, now=to_text(now), until=to_text(until), most=most, after=after):
            try:
                (turn,) = stored.rows_as(Turn, db, [claimed])
            except StoreError as error:
                error.damaged = True  # the next look would find this turn again, and none after it
                raise
            if turn.attempts - turn.failures <= _MAX_CLAIMS:
                return turn
            why = f"It was begun {_MAX_CLAIMS} times and never finished: whoever works on it ends."
            log.error("turn %s of user %s is set aside: %s", turn.turn_id, turn.user_id, why)
            db.run("queue.put_back", id=turn.id, worker=identity, status="failed", next_attempt_at=None, error=why)
    return None


def _put_back(db: Database, turn: Turn, identity: str, error: Exception) -> None:
    failures = turn.failures + 1
    gives_up = failures >= _MAX_TURN_FAILURES
    pause = timedelta(seconds=min(_LONGEST_REST, 0.2 * 2**failures))
    if not isinstance(error, MdbError):
        log.error("turn %s of user %s could not be processed", turn.turn_id, turn.user_id, exc_info=error)
    with db.transaction():
        db.run(
            "queue.put_back",
            id=turn.id,
            worker=identity,
            status="failed" if gives_up else "queued",
            next_attempt_at=None if gives_up else to_text(utc_now() + pause),
            error=checks.searchable(f"{type(error).__name__}: {error}"[:500]),
        )
