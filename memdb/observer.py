"""The writing chain: a turn is queued, thought about, and written down, by a worker that can be killed at any moment."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from difflib import SequenceMatcher
from functools import lru_cache
from time import monotonic

from memdb import changes, checks, ending, english, forms, retractions
from memdb.config import Config
from memdb.database import Database, Row
from memdb.embed import Embedder, Patient
from memdb.emotions import mood_of
from memdb.errors import BusyError, ConflictError, MdbError, ModelUnavailable, StoreError
from memdb.keys import canonical_key, normalise
from memdb.llm import LanguageModel
from memdb.patience import Rest
from memdb.reading import read_consent
from memdb.records import LIVE, UNDECIDED, Action, Candidate, Case, Consent, Fact, Note, Predicate, Turn
from memdb.steps.apply import Origin, action_hash_of, apply, dismiss, end, expire_over, keep_calls, move, read_fact, settle
from memdb.steps.arbitrate import arbitrate
from memdb.steps.guard import guard
from memdb.steps.hear import Heard
from memdb.steps.materialize import materialize
from memdb.steps.sync import sync
from memdb.store import Store
from memdb.thinking import bearing_on, beliefs_about, think
from memdb.times import to_text, utc_now
from memdb.told_times import days_told

log = logging.getLogger("memdb")

_ONE_AT_A_TIME = ("wife", "husband", "partner", "boss")  # relations to people of whom one has another some day
_SPELLED_ANEW = 0.75  # how alike "Ana" and "Anna" are, and more
_MAX_TURN_FAILURES = 5
_MAX_CLAIMS = 20  # a turn that was claimed so often and never put back ends its worker each time
_MANY_CLAIMS = 10  # one that was claimed so often is left to whoever has had the file open for a while:
_VECTORS = "memdb-vectors"  # the thread that waits for the embedder itself, however long it takes
_SETTLED_SECONDS = 1.0  # where workers are killed sooner than that, it is not the turn that ends them
_LONGEST_PAUSE = 30.0  # between tries of a worker that meets errors again and again
_IDLE_SECONDS = 0.5  # how often an idle worker looks for turns that another process queued
_MESSAGE_NAMESPACE = uuid.UUID("6d656d64-6d00-5000-8000-000000000000")


def enqueue(db: Database, turn: Turn, *, received_at: datetime, zone: tzinfo) -> bool:
    """Put a turn into the queue and its messages into memory, within the caller's transaction. Return False if it is there already.

    Raises:
        ConflictError: another turn of this user has the same id and says something else.
    """
    existing = db.one("queue.find", user_id=turn.user_id, turn_id=turn.turn_id)
    if existing is not None:
        if (existing["user_input"], existing["assistant_response"]) != (turn.user_input, turn.assistant_response):
            raise ConflictError(f"User {turn.user_id!r} already has another turn {turn.turn_id!r}; give this one an id of its own.")
        return False
    db.run(
        "queue.add",
        turn_id=turn.turn_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        speaker=turn.speaker,
        user_input=turn.user_input,
        assistant_response=turn.assistant_response,
        timestamp=to_text(turn.timestamp),
        now=to_text(received_at),
    )
    day = None if turn.session_id is not None else turn.timestamp.astimezone(zone).date().isoformat()
    named = turn.session_id or f"day-{day}"
    db.run("queue.touch_session", user_id=turn.user_id, session_id=named, timestamp=to_text(turn.timestamp), day=day)
    if turn.user_input:
        _keep_message(db, turn, turn.speaker or "user", turn.user_input, zone=zone)
    if turn.assistant_response:
        _keep_message(db, turn, "assistant", turn.assistant_response, zone=zone)
    return True


def process(db: Database, turn: Turn, *, worker: str, config: Config, llm: LanguageModel | None, embedder: Embedder | None) -> bool:
    """Think about a claimed turn and write what follows, in one transaction. Return False if the claim was lost meanwhile.

    A model and the embedder are asked before the transaction begins. What they propose holds only as long as the beliefs they saw: where
    those have changed by then, the rules decide, on beliefs that cannot change under them.
    """
    predicates = read_predicates(db)
    consent = read_consent(db, user_id=turn.user_id, config=config)
    thought = think(db, turn, worker=worker, predicates=predicates, consent=consent, config=config, llm=llm, embedder=embedder)
    origin = Origin(user_id=turn.user_id, turn_id=turn.turn_id, now=turn.timestamp, session_id=turn.session_id, speaker=turn.speaker)
    with db.transaction():
        now = utc_now()
        if not db.all("queue.done", id=turn.id, worker=worker, now=to_text(now), extracted_by=thought.extracted_by, error=thought.error):
            return False
        if read_consent(db, user_id=turn.user_id, config=config) != consent:
            raise ConflictError(
                f"User {turn.user_id!r} chose anew what is remembered, so turn {turn.turn_id!r} is thought about once more."
            )
        keep_calls(db, thought.calls, user_id=turn.user_id, turn_id=turn.turn_id, now=now, config=config)
        expire_over(db, user_id=turn.user_id, now=turn.timestamp)
        notes = list(thought.notes)
        for case, proposed in thought.proposals:
            if proposed is not None and not _still_holds(db, case, proposed, origin=origin, predicates=predicates):
                notes.append(
                    Note(step="arbitrate", key=case.candidate.key, why="what was believed has changed meanwhile, so the rules decided")
                )
                proposed = None
            decide(db, case.candidate, origin=origin, predicates=predicates, config=config, proposed=proposed, consent=consent)
        if thought.heard is not None:
            _settle(db, thought.heard, origin=origin, predicates=predicates, config=config)
        for candidate, source in thought.opened:
            errand = origin.model_copy(update={"kind": "task", "source": source, "confidence": config.reflection_confidence})
            decide(db, candidate, origin=errand, predicates=predicates, config=config, consent=consent)
        for fact_id in thought.done:
            task = read_fact(db, fact_id)
            if task is not None and task.status == "active":
                move(db, task, state="done", origin=origin, reason=f"said to be done in turn {turn.turn_id}")
        for note in notes:
            db.run("queue.note", user_id=turn.user_id, turn_id=turn.turn_id, **note.model_dump())
        db.run("upkeep.count", user_id=turn.user_id, turn_id=turn.turn_id, session_id=turn.session_id)
        _materialize_if_due(db, turn, config)
    return True


def _settle(db: Database, heard: Heard, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> None:
    """Let stand what a question of the memory's own was answered with; what was decided meanwhile stays so."""
    waits, held = read_fact(db, heard.fact_id), read_fact(db, heard.against) if heard.against else None
    if waits is None or waits.status not in (*LIVE, *UNDECIDED) or (heard.against and waits.status == "active"):
        return
    if waits.status == "active" and not heard.right:
        end(db, waits, ends=max(origin.now, waits.valid_from), origin=origin, reason="said to be so no longer, when asked")
        return
    chosen = waits if heard.right else held
    if chosen is None or (chosen is held and chosen.status != "active"):
        dismiss(db, waits, origin=origin, reason="said not to be so, when asked")
        return
    raised = chosen.confidence + (1.0 - chosen.confidence) * config.confirmation_rate
    settle(db, chosen, origin=origin, reason="said to be right, when asked", confidence=raised, predicates=predicates, seen=1)


def decide(
    db: Database,
    candidate: Candidate,
    *,
    origin: Origin,
    predicates: Mapping[str, Predicate],
    config: Config,
    proposed: Action | None = None,
    consent: Consent | None = None,
    known: dict[str, Fact] | None = None,
) -> list[tuple[Action, str | None]]:
    """Arbitrate one candidate, unless an action is proposed, guard the outcome and apply it; return each action with the fact after it."""
    beliefs = beliefs_about(
        db, candidate, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind, known=known, exactly=True
    )
    actions = arbitrate(candidate, beliefs, predicates=predicates, config=config, now=origin.now) if proposed is None else [proposed]
    allowed = []
    for action in actions:
        target = read_fact(db, action.target_fact_id) if action.target_fact_id else None
        allowed.append(
            guard(action, target, predicates=predicates, config=config, consent=consent, source=origin.source, confidence=origin.confidence)
        )
    decided = _one_doubt(allowed, candidate, beliefs, config)
    done = [(action, apply(db, action, origin=origin, predicates=predicates, config=config)) for action in decided]
    if _is_another(candidate, decided, beliefs):
        _leave(db, candidate, origin=origin, predicates=predicates, config=config)
    return done


def _is_another(candidate: Candidate, actions: Sequence[Action], beliefs: Sequence[Fact]) -> bool:
    """Whether somebody is no longer one's partner or boss, but perhaps another is; not where only a name was wrong, or is spelled anew."""
    if candidate.predicate not in _ONE_AT_A_TIME or candidate.because is not None or candidate.temporary:
        return False
    if any(action.type == "mark_pending_confirmation" for action in actions):
        return False
    gone = candidate.negated and candidate.explicit and (not candidate.object or bool(actions))
    left = {action.target_fact_id for action in actions if action.type == "supersede"}
    names = (fact.object.casefold() for fact in beliefs if fact.fact_id in left)
    return gone or any(SequenceMatcher(None, name, candidate.object.casefold()).ratio() < _SPELLED_ANEW for name in names)


def _leave(db: Database, candidate: Candidate, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> None:
    """End what is held of a former partner or boss: what is said of the next one is said of somebody else."""
    owner = "" if candidate.subject == "user" else f"{candidate.subject}_"
    begins = f"{owner}{candidate.predicate}."
    ends = candidate.valid_from or origin.now
    for row in db.all("believe.of_somebody", user_id=origin.user_id, begins=begins, turn_id=origin.turn_id):
        fact = Fact.model_validate_json(str(row["record"]))
        reason = f"of a former {candidate.predicate}"
        action = Action(type="expire", key=fact.key, target_fact_id=fact.fact_id, valid_to=max(ends, fact.valid_from), reason=reason)
        apply(db, action, origin=origin, predicates=predicates, config=config)


def _one_doubt(actions: list[Action], candidate: Candidate, beliefs: Sequence[Fact], config: Config) -> list[Action]:
    """The actions about one candidate with at most one doubt among them: a value that waits waits once, against all that it would displace.

    A denial waits against what it only doubts, and ends the rest; one that waits already is said again.
    """
    doubts = [action for action in actions if action.type == "mark_pending_confirmation"]
    denies = candidate.negated
    waiting = (fact for fact in beliefs if fact.key == candidate.key and fact.denies and fact.status == "pending_confirmation")
    known = next((fact for fact in waiting if normalise(fact.object) == normalise(candidate.object)), None) if denies else None
    if doubts and known is not None:
        delta = (1.0 - known.confidence) * config.confirmation_rate
        change = {"type": "noop", "target_fact_id": known.fact_id, "confidence_delta": delta, "reason": "said again, and still a doubt"}
        return [*(action for action in actions if action not in doubts), doubts[0].model_copy(update=change)]
    against_nothing = len(doubts) == 1 and doubts[0].target_fact_id is None  # what it takes the place of has ended
    if not doubts or len(actions) == 1 or against_nothing:
        return actions
    first = doubts[0]
    against = [action.target_fact_id for action in (doubts if denies else actions) if action.target_fact_id]
    sure = [action for action in actions if action.type != "mark_pending_confirmation"] if denies else []
    return [*sure, first.model_copy(update={"also": tuple(one for one in against if one != first.target_fact_id)})]


def _still_holds(db: Database, case: Case, proposed: Action, *, origin: Origin, predicates: dict[str, Predicate]) -> bool:
    """Whether what bears on an action is believed as it was when the action was proposed: by others, and by this turn itself."""
    target = read_fact(db, proposed.target_fact_id) if proposed.target_fact_id else None
    if proposed.target_fact_id and (target is None or target.status not in LIVE):
        return False
    believed = beliefs_about(db, case.candidate, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind)
    return _but_for_chance(bearing_on(case.candidate, believed, predicates)) == _but_for_chance(case.beliefs)


def _but_for_chance(beliefs: Sequence[Fact]) -> list[Fact]:
    return [fact.model_copy(update={"embedding_id": None, "last_accessed": None, "access_count": 0}) for fact in beliefs]


def read_predicates(db: Database) -> dict[str, Predicate]:
    """Return the vocabulary of keys."""
    return {one.predicate: one for one in _vocabulary(tuple(db.tuples("believe.predicates")))}


@lru_cache(maxsize=16)  # every turn reads it, and hardly anybody changes it
def _vocabulary(rows: tuple[tuple[object, ...], ...]) -> tuple[Predicate, ...]:
    """The rows of believe.predicates, whose columns are the record's fields in their order."""
    return tuple(Predicate.model_validate(dict(zip(Predicate.model_fields, row, strict=True))) for row in rows)


def build_profile(db: Database, *, user_id: str, now: datetime, config: Config) -> None:
    """Materialise a user's profile, within the caller's transaction."""
    profile = materialize(db, user_id=user_id, now=now, config=config)
    db.run("profile.put", user_id=user_id, profile=profile.model_dump_json(), now=to_text(now))


class Worker:
    """The background work: one thread takes turns in the order they came, another keeps the vectors up to date.

    Two, so that messages on their way to a slow embedder hold up no fact; `patient` is the embedder that turns ask, and `more` are
    jobs by name that get threads of their own. Every step is committed before the next begins, so that killing them loses nothing and
    repeats nothing. They end with their `owner`, where nobody has it any more who could tell them to.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        embedder: Embedder | None,
        llm: LanguageModel | None,
        *,
        owner: Callable[[], object | None],
        patient: Patient | None = None,
        more: Mapping[str, Callable[[], bool]] | None = None,
    ) -> None:
        self._identity = identity = new_identity()
        self._owner = owner
        jobs = {"memdb-turns": lambda: take_turn(store, config, llm, patient, identity=identity)}
        if embedder is not None and patient is not None:
            jobs[_VECTORS] = lambda: take_vectors(store, config, embedder, rest=patient.rest)
        self._trouble: Exception | None = None
        self._tries = 0  # how often it was told to try again: what was begun before says nothing of after
        jobs |= more or {}
        self._stop = threading.Event()
        self._progress = threading.Condition()
        self._wakes = {name: threading.Event() for name in jobs}
        self._threads = [
            threading.Thread(target=self._run, args=(job, self._wakes[name]), name=name, daemon=True) for name, job in jobs.items()
        ]
        for thread in self._threads:
            thread.start()
        ending.watch(self)

    def wake(self) -> None:
        """Tell the threads that there is something to do."""
        for wake in self._wakes.values():
            wake.set()

    def leave(self) -> None:
        """Have the threads finish the steps at hand and end; what is left waits in the file."""
        self._stop.set()
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
        with self._progress:
            self._progress.wait(seconds)

    def _run(self, job: Callable[[], bool], wake: threading.Event) -> None:
        failed, told = 0, ""
        while not self._stop.is_set() and self._owner() is not None:
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
            with self._progress:
                self._progress.notify_all()
            if busy:
                self.wake()  # a turn's facts want vectors
            else:
                wake.wait(min(_LONGEST_PAUSE, _IDLE_SECONDS * 2 ** min(failed, 10)))
                wake.clear()


def new_identity() -> str:
    """Return a name for one that claims turns: the machine, the process, and something to tell two in it apart."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def patiently(embedder: Embedder | None, config: Config) -> Patient | None:
    """Return the embedder as one that a turn waits for only so long."""
    if embedder is None:
        return None
    rest = Rest(pause=config.retry_base_seconds, longest=config.retry_max_seconds)
    return Patient(embedder, config.embed_patience_seconds, rest=rest)


def take_turn(store: Store, config: Config, llm: LanguageModel | None, embedder: Patient | None, *, identity: str) -> bool:
    """Take the next turn and write what follows from it. Return whether there was one.

    Raises:
        StoreError: the file is damaged; the turn waits in the queue.
    """
    db = store.database()
    settled = monotonic() >= store.opened_at + _SETTLED_SECONDS
    turn = _claim(db, config, embedder, identity, settled=settled)
    if turn is None:
        return False
    try:
        process(db, turn, worker=identity, config=config, llm=llm, embedder=embedder)
    except Exception as error:  # whatever a turn does to us, it goes back into the queue or is set aside, and the next one comes
        _put_back(db, turn, identity, error)
        if isinstance(error, StoreError) and error.damaged:
            raise  # nobody should wait for what cannot come to pass
    return True


def take_vectors(store: Store, config: Config, embedder: Embedder, *, rest: Rest) -> bool:
    """Bring one batch of vectors up to date. Return whether there was anything to do. An embedder that is down is left alone a while."""
    if rest.lasts:
        return False
    try:
        result = sync(store.database(), embedder=embedder, now=utc_now(), config=config)
    except ModelUnavailable as error:
        rest.begin(str(error))
        log.warning("%s", error)
        return False
    if result.written:
        rest.end()
    if result.error:
        log.warning("%d vectors could not be made and will be tried again: %s", result.failed, result.error)
    return not result.idle


def _claim(db: Database, config: Config, embedder: Patient | None, identity: str, *, settled: bool) -> Turn | None:
    waiting = db.one("queue.first")  # a look costs no lock
    if waiting is None:
        return None
    english.prepare()
    changes.prepare()
    forms.prepare()
    retractions.prepare()  # before the claim: whoever is killed at what takes long the first time was not at the turn
    if embedder is not None and db.has_vectors and db.all("liken.any", user_id=waiting["user_id"], kind="fact"):
        embedder.prepare()
    now = utc_now()
    with db.transaction():
        for row in db.all("queue.claimants"):
            if row["claimed_by"] == identity or is_gone(str(row["claimed_by"])):  # an own one could not be put back: the disk was full
                db.run("queue.release", worker=row["claimed_by"])
        until = now + timedelta(seconds=config.lease_seconds)
        most = None if settled else _MANY_CLAIMS
        while claimed := db.one("queue.claim", worker=identity, now=to_text(now), until=to_text(until), most=most):
            turn = _turn(claimed)
            if turn.attempts - turn.failures <= _MAX_CLAIMS:
                return turn
            why = f"It was begun {_MAX_CLAIMS} times and never finished: whoever works on it ends."
            log.error("turn %s of user %s is set aside: %s", turn.turn_id, turn.user_id, why)
            db.run("queue.put_back", id=turn.id, worker=identity, status="failed", next_attempt_at=None, error=why)
    return None


def is_gone(claimant: str) -> bool:
    """Whether a claimant was a process of this machine that lives no more. One of another machine may live: its lease decides.

    Windows cannot be asked, so that the lease decides there, too.
    """
    host, pid, _ = claimant.rsplit(":", 2)
    if host != socket.gethostname() or sys.platform == "win32":  # where a signal of 0 is no question: it interrupts
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _put_back(db: Database, turn: Turn, identity: str, error: Exception) -> None:
    failures = turn.failures + 1
    gives_up = failures >= _MAX_TURN_FAILURES
    pause = timedelta(seconds=min(60.0, 0.2 * 2**failures))
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


def _materialize_if_due(db: Database, turn: Turn, config: Config) -> None:
    previous = db.one("queue.previous_session", user_id=turn.user_id, id=turn.id)
    ended = previous["session_id"] if previous and previous["session_id"] != turn.session_id else None
    if ended is not None:
        db.run("queue.end_session", user_id=turn.user_id, session_id=ended, now=to_text(turn.timestamp))
    row = db.one("profile.count_turn", user_id=turn.user_id, now=to_text(turn.timestamp))
    since, every = int(row["turns_since"] or 0) if row else 0, config.profile_every_turns
    if ended is None and since % every:
        return
    if not _comes_again(db, turn, config):
        build_profile(db, user_id=turn.user_id, now=turn.timestamp, config=config)
    elif ended is not None:
        db.run("profile.postpone", user_id=turn.user_id, turns=every)  # counted from here, as if it had been built


def _comes_again(db: Database, turn: Turn, config: Config) -> bool:
    """Whether turns wait by which the profile is due once more: of many that come in at once, the last builds it for all."""
    waiting = [row["session_id"] for row in db.all("queue.coming", user_id=turn.user_id, id=turn.id, most=config.profile_every_turns)]
    return len(waiting) >= config.profile_every_turns or any(session_id != turn.session_id for session_id in waiting)


def _keep_message(db: Database, turn: Turn, speaker: str, text: str, *, zone: tzinfo) -> None:
    tells_of, also_on = days_told(text, at=turn.timestamp, zone=zone)
    key = canonical_key(speaker, "said")
    mood = mood_of(text)
    fact_id = uuid.uuid5(_MESSAGE_NAMESPACE, json.dumps([turn.user_id, turn.turn_id, speaker]))
    db.run(
        "apply.insert_fact",
        fact_id=str(fact_id),
        user_id=turn.user_id,
        kind="message",
        key=key,
        value_text=text,
        value_json=json.dumps({"also_on": [str(day) for day in also_on]}) if also_on else None,  # what else it tells of
        category="other",
        memory_type=None,
        confidence=1.0,
        importance=0.2,
        source="assistant_message" if speaker == "assistant" else "user_message",
        speaker=speaker,
        event_time=to_text(tells_of) if tells_of else None,  # what it tells of; when it was said is valid_from
        valid_from=to_text(turn.timestamp),
        valid_to=None,
        status="active",
        source_turn_id=turn.turn_id,
        source_excerpt=text,
        session_id=turn.session_id,
        tags=json.dumps([f"emotion:{mood}"] if mood else []),
        now=to_text(turn.timestamp),
    )


def _turn(row: Row) -> Turn:
    return Turn.model_validate(row)


def derived_turn_id(*parts: str | None) -> str:
    """Return an id that follows from what is said, so that loading the same messages twice adds nothing."""
    return "m-" + action_hash_of(*parts)[:24]
