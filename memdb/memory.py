"""Memory: the one class. It receives turns, hands them to the worker, and answers from what is stored."""

from __future__ import annotations

import json
import logging
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import date, datetime, timedelta
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, Unpack, cast, get_args

from pydantic import JsonValue, ValidationError

from memdb import checks
from memdb.bulk import store_many
from memdb.calibration import EVIDENCE, Calibration, evidence_of, measure, probability_of, threshold_of
from memdb.calibration import fit as fit_probability
from memdb.config import Config
from memdb.edge import EdgeMiniLM, read_card, read_folder
from memdb.embed import Embedder, Hurried, check_vectors, choose_embedder, choose_tokenizer
from memdb.errors import BusyError, ConfigError, InputError, ModelOutputError, ModelUnavailable, NotFoundError, StoreError
from memdb.keeper import events_due, gather, gather_turn, take_segment
from memdb.keys import is_canonical, normalise, predicate_of, slug
from memdb.llm import LanguageModel
from memdb.maintenance import maintain, take_tidying, take_upkeep
from memdb.mirroring import count_changes, take_changes, with_collection, with_pending
from memdb.narrator import Narrator
from memdb.nights import next_night, take_night
from memdb.notebook import Notebook
from memdb.observer import (
    Worker,
    build_profile,
    derived_turn_id,
    enqueue,
    new_identity,
    patiently,
    read_consent,
    read_predicates,
    take_turn,
    take_vectors,
)
from memdb.outside import OutsideIndex
from memdb.page import erase_page, read_page, write_page
from memdb.ranking import evaluate, fit, labels_of
from memdb.records import (
    LIVE,
    BreakTrigger,
    Candidate,
    Category,
    Change,
    Consent,
    Context,
    Doubt,
    Event,
    Explanation,
    Fact,
    Filters,
    Forgotten,
    Hit,
    Hits,
    Item,
    Kind,
    Labelled,
    Link,
    Linked,
    Maintained,
    MemoryType,
    Message,
    ModelCall,
    ModelCard,
    NewFact,
    Procedure,
    Profile,
    Question,
    Rejected,
    Relation,
    Section,
    Source,
    Sources,
    Stats,
    Status,
    TaskState,
    Tier,
    Tuned,
    Turn,
    TurnRecord,
    Undone,
    Vectors,
    Written,
)
from memdb.session import Session, retell, untell
from memdb.stating import state
from memdb.steps.admit import admit
from memdb.steps.apply import Origin, dismiss, end, expire_over, move, put, read_fact, settle
from memdb.steps.carry import carried, carry, drop, read_carried
from memdb.steps.clarify import clarify
from memdb.steps.compact import compact
from memdb.steps.diversify import diversify
from memdb.steps.explain import explain
from memdb.steps.forget import forget
from memdb.steps.inject import inject
from memdb.steps.judge import judge
from memdb.steps.link import link
from memdb.steps.materialize import materialize
from memdb.steps.project import project
from memdb.steps.relate import relate
from memdb.steps.retrieve import FEATURES, retrieve
from memdb.steps.sync import sync
from memdb.steps.understand import understand
from memdb.steps.undo import undo
from memdb.steps.walk import walk
from memdb.steps.weigh import weigh
from memdb.store import SCHEMA_VERSION, Database, Store
from memdb.tiers import change_embedder, count_vectors
from memdb.times import to_text, to_utc, utc_now
from memdb.vectors import VectorCache
from memdb.working import Eviction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

log = logging.getLogger("memdb")

Time = date | str
"""An instant: a datetime, a date (its beginning), or ISO-8601 text; without an offset it is in the configured time zone."""

_LOAD_BATCH = 200  # messages a transaction: a commit's cost shared, the lock held for milliseconds
_CONTEXT_HITS = 16
_ALL_CANDIDATES = 1_000_000
_RECALLED_SECONDS = 5.0  # what was recalled is written down together
_SETTLED_SECONDS = 1.0  # so long the worker waits for more of what happened long ago before it tells of it
_NIGHT_SECONDS = 60.0  # how often the worker looks whether the night's maintenance is due
_UPKEEP_SECONDS = 1.0  # and whether a session is over, or a user to be reflected upon
_COUNTS = ("k_lex", "k_vec")
_DEEPEST = 8  # steps; what is further away has nothing to do with where one began
_EVER: tuple[Status, ...] = ("active", "pending_confirmation", "superseded", "expired", "archived")


class Memory:
    """An assistant's memory in one file. Use it as a context manager, or call `close()`.

    All methods may be called from any thread. Times given without an offset are in the configured time zone; `now` defaults to the
    present and can be set to ask as if it were another time.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        embedder: Embedder | None,
        llm: LanguageModel | None,
        weights: str,
        *,
        narrator: LanguageModel | None = None,
        index: OutsideIndex | None = None,
    ) -> None:
        self._store, self._config, self._embedder, self._llm, self._weights = store, config, embedder, llm, weights
        self._patient = patiently(embedder, config)  # nobody waits for the embedder longer than that
        self._notebook = Notebook(store, config)
        writer, cooldown = narrator or llm, config.generation_cooldown_seconds
        self._narrator = None if writer is None else Narrator(writer, cooldown=cooldown, burst=config.generation_burst)
        self._loaded_at = -_SETTLED_SECONDS
        self._zone_noted = False
        self._next_writing = self._next_night = self._next_upkeep = 0.0
        self._cache = VectorCache(config.vector_cache_mb)
        self._index = index
        more = {"memdb-memories": self._tend} | ({"memdb-collection": self._mirror} if index is not None else {})
        works = config.worker and not store.read_only
        self._worker = Worker(store, config, embedder, llm, patient=self._patient, more=more) if works else None
        self._closed = False

    def __enter__(self) -> Self:
        """Return the memory itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the memory."""
        self.close()

    def close(self) -> None:
        """Finish the step at hand, bring the profiles up to date and close the file. What is queued waits there for the next opening."""
        if self._closed:
            return
        self._closed = True
        if self._worker is not None:
            self._worker.stop()
        try:
            self._notebook.write_down_asked()
            self._notebook.write_down_recalled()
            self._finish_profiles()
        except StoreError as error:
            if error.damaged:
                raise
            log.warning("what was asked could not be noted: %s", error)  # the next process makes up for the profiles
        finally:
            if self._index is not None:
                self._index.close()
            if self._patient is not None:
                self._patient.close()
            self._store.close()

    # --- writing -------------------------------------------------------------------------------------------------------------

    def observe(
        self,
        user_input: str,
        assistant_response: str = "",
        *,
        user_id: str,
        turn_id: str | None = None,
        timestamp: Time | None = None,
        session_id: str | None = None,
        speaker: str | None = None,
    ) -> str:
        """Take a turn of a conversation, safely on disk when this returns, and return its id. Thinking about it happens later.

        Args:
            user_input: what the user said, kept word for word.
            assistant_response: what the assistant answered, kept too.
            user_id: whose memory this is.
            turn_id: a name for the turn; observing the same turn again changes nothing.
            timestamp: when it was said; the present if None.
            session_id: the conversation it belongs to; a new one ends the one before.
            speaker: who spoke, where that is not the user.

        Raises:
            InputError: there is nothing to keep, or the text is no valid Unicode.
            ConflictError: another turn of this user has this id.
            StoreError: the file cannot be written; nothing was kept.
        """
        turn = self._turn(
            user_input,
            assistant_response,
            user_id=user_id,
            turn_id=turn_id or uuid.uuid4().hex,
            timestamp=timestamp,
            session_id=session_id,
            speaker=speaker,
        )
        db = self._store.database()
        self._note_happened(turn.timestamp)
        with db.transaction():
            self._note_zone(db)
            if enqueue(db, turn, received_at=utc_now(), zone=self._config.zone) and self._config.turns_as_events:
                gather_turn(db, turn)
        self._zone_noted = True
        self._wake()
        return turn.turn_id

    def load(
        self,
        messages: Iterable[Message | Mapping[str, object]],
        *,
        user_id: str,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Take many messages at once, and return how many were new.

        Each is `{text, speaker, timestamp, session_id, turn_id}`, only `text` required. A message without a `turn_id` is named by what it
        says, so that loading the same messages again adds nothing. `progress` is called with the number of messages safely on disk.

        Raises:
            InputError: a message has unknown or unusable fields; those before it are kept.
        """
        seen: dict[str, int] = {}
        taken = added = 0
        stream = iter(messages)
        db = self._store.database()
        while batch := list(islice(stream, _LOAD_BATCH)):
            turns = list(self._message_turns(batch, user_id=user_id, seen=seen, first=taken))
            self._note_happened(min((turn.timestamp for turn in turns), default=utc_now()))
            with db.transaction():
                self._note_zone(db)
                received_at = utc_now()
                new = [turn for turn in turns if enqueue(db, turn, received_at=received_at, zone=self._config.zone)]
                for turn in new if self._config.turns_as_events else ():
                    gather_turn(db, turn)
                added += len(new)
            self._zone_noted = True
            taken += len(batch)
            self._wake()
            if progress is not None:
                progress(taken)
        return added

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until everything observed is thought about, written and embedded. Return False if that did not come to pass.

        False means that `timeout` seconds went by, or (without a timeout) that all that is left waits to be tried again later, such as
        vectors while the embedder is down. What was set aside after failing too often, see `retry`, is not waited for.

        Raises:
            StoreError: the file cannot be read, or the work cannot be written: the disk is full, a part of the file damaged.
        """
        deadline = None if timeout is None else monotonic() + timeout
        self._interrupt_rests()
        if self._worker is not None:
            self._worker.try_again()
        while True:
            if self._worker is not None:
                self._worker.raise_trouble()
            left, waiting = self._open_work()
            if not left:
                return True
            remaining = None if deadline is None else deadline - monotonic()
            if left == waiting if remaining is None else remaining <= 0:
                if self._worker is not None:  # a turn is put back a moment before it is told why
                    self._worker.wait(0.05)
                    self._worker.raise_trouble()
                return False
            if self._worker is None:
                if not self._work():
                    sleep(min(0.05, remaining if remaining is not None else 0.05))
                while (deadline is None or monotonic() < deadline) and self._work():
                    pass
            else:
                self._worker.wake()
                self._worker.wait(min(0.05, remaining if remaining is not None else 0.05))

    def remember(
        self,
        value_text: str,
        *,
        user_id: str,
        key: str | None = None,
        kind: str = "fact",
        object: str | None = None,
        value_json: JsonValue = None,
        category: Category | None = None,
        memory_type: MemoryType | None = None,
        confidence: float | None = None,
        importance: float | None = None,
        source: Source = "user_message",
        event_time: Time | None = None,
        valid_from: Time | None = None,
        valid_to: Time | None = None,
        tags: Sequence[str] = (),
        session_id: str | None = None,
        turn_id: str | None = None,
        timestamp: Time | None = None,
    ) -> Fact:
        """Store a fact that the application states, and return the row that stands afterwards. Words find it at once, meaning soon after.

        It goes the same way as an extracted one: said again, in the same words or in others, it is confirmed; against an older value under
        the same key it supersedes it. Where the embedder takes longer than `config.write_patience_seconds` to tell what says the same in
        other words, words alone decide. What the user lets be kept binds the application as well: on a sensitive topic the fact may have
        to wait as pending.

        Args:
            value_text: the fact as a sentence.
            user_id: whose memory this is.
            key: `subject.predicate`, such as "user.lives_in"; None keeps a free note under "user.note".
            kind: a row of the table `kinds`.
            object: the bare value ("Lisbon"), by which repetitions are recognised; the whole text if None.
            value_json: details of any shape; the parts of the key are added.
            category: the category; the vocabulary's if None.
            memory_type: SIGNIFICANT to TRANSIENT; the vocabulary's if None.
            confidence: 0..1; the policy's if None.
            importance: 0..1; the vocabulary's if None.
            source: where it comes from.
            event_time: when what it speaks of happens.
            valid_from: since when it is true; `timestamp` if None.
            valid_to: until when (exclusive); until further notice if None.
            tags: words to find and to filter by.
            session_id: the conversation it belongs to.
            turn_id: the turn it comes from; the same fact of the same turn is stored once.
            timestamp: when it was said; the present if None.

        Raises:
            InputError: the key, the kind or a value cannot be used, it would end before it begins, or the user does not let it be kept (see
                `consent`).
        """
        said_at = self._time(timestamp)
        checks.filled(value_text, "value_text")
        checks.lists(tags=tags)
        checks.storable(value_json, "value_json")
        key = key or "user.note"
        if not is_canonical(key):
            raise InputError(f"{key!r} is not a key; write subject.predicate in lower case, such as user.lives_in.")
        db = self._store.database()
        if kind == "message" or kind not in self._kinds(db):
            names = ", ".join(name for name in self._kinds(db) if name != "message")
            raise InputError(f"{kind!r} cannot be remembered; the kinds are {names} (messages come in by observe and load).")
        predicates = read_predicates(db)
        subject, _, predicate = key.partition(".")
        parts: dict[str, JsonValue] = {"subject": subject, "predicate": predicate, "object": object or value_text}
        details = value_json if isinstance(value_json, dict) else {} if value_json is None else {"value": value_json}
        begins, ends = (self._time(given) if given else None for given in (valid_from, valid_to))
        checks.in_order(to_text(begins or said_at), to_text(ends) if ends else None)
        try:
            said = Candidate(
                key=key,
                value_text=value_text,
                object=object or value_text,
                category=category or predicate_of(key, predicates).category,
                confidence=1.0,
                excerpt=value_text,
                value_json={**details, **parts},
                event_time=self._time(event_time) if event_time else None,
                valid_from=begins,
                valid_to=ends,
                temporary=valid_to is not None,
                explicit=True,
                stated=True,
            )
            origin = Origin(
                user_id=checks.name(user_id, "user_id"),
                turn_id=turn_id or f"remember-{uuid.uuid4().hex}",
                now=said_at,
                session_id=session_id,
                source=source,
                kind=kind,
                importance=checks.share(importance, "importance"),
                tags=tuple(tags),
                confidence=checks.share(confidence, "confidence"),
                memory_type=memory_type,
            )
        except ValidationError as error:
            raise InputError(f"The fact {value_text[:60]!r} cannot be stored: {error.errors()[0]['msg']}.") from error
        fact = state(db, said, origin=origin, predicates=predicates, embedder=self._hurried(), config=self._config)
        self._wake()
        if fact is not None:
            return fact
        known = self.facts(user_id, key=key, statuses=_EVER, kinds=[kind])
        return next(fact for fact in reversed(known) if fact.source_turn_id == origin.turn_id or fact.value_text == value_text)

    def confirm(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as explicitly confirmed: a pending or uncertain one becomes the belief, and what it contradicted is superseded.

        Under a key that has one value, so is everything else that is held there for good. Its confidence closes
        `config.confirmation_rate` of the gap to 1.00.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        fact, db = self._live_fact(fact_id)
        origin = Origin(user_id=fact.user_id, turn_id=f"confirm-{uuid.uuid4().hex}", now=self._now(now))
        raised = fact.confidence + (1 - fact.confidence) * self._config.confirmation_rate
        with db.transaction():
            settle(db, fact, origin=origin, reason="confirmed by the user", confidence=raised, predicates=read_predicates(db))
        self._wake()
        return self._fact(fact_id)

    def reject(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as never true: it ends with an empty validity, so that questions about the past do not find it either.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        fact, db = self._live_fact(fact_id)
        origin = Origin(user_id=fact.user_id, turn_id=f"reject-{uuid.uuid4().hex}", now=self._now(now))
        with db.transaction():
            dismiss(db, fact, origin=origin, reason="rejected by the user")
        self._wake()
        return self._fact(fact_id)

    def undo(self, *, user_id: str, turn_id: str | None = None, session_id: str | None = None, now: Time | None = None) -> Undone:
        """Take back everything learned from a turn or from a session, and return how much; history records it.

        What another turn has changed since is kept as it is. The turn's words stay; use `forget` to erase them.

        Raises:
            InputError: not exactly one of `turn_id` and `session_id` is given.
        """
        if (turn_id is None) == (session_id is None):
            raise InputError("Say what to take back: give either turn_id or session_id.")
        db = self._store.database()
        cause = f"undo-{uuid.uuid4().hex}"
        with db.transaction():
            undone = undo(db, user_id=user_id, turn_id=turn_id, session_id=session_id, cause=cause, now=self._now(now))
            build_profile(db, user_id=user_id, now=self._now(now), config=self._config)
        self._wake()
        return undone

    def consent(
        self,
        user_id: str,
        *,
        sensitive_topics: Literal["keep", "ask", "refuse"] | None = None,
        secrets: Literal["keep", "refuse"] | None = None,
    ) -> Consent:
        """Note what a user lets be remembered from now on, and return what holds for them; with no choice, only return it.

        What is refused does not become a fact, and the turn's record says so (see `turns`); the message itself is kept word for word. It
        binds the application, too: `remember` raises `InputError`, `write` says why.

        Args:
            user_id: whose choice this is.
            sensitive_topics: facts on health, sexuality, religion, politics, origin, money, crime and contacts: keep them, ask first (they
                wait as pending until `confirm`), or refuse them; None leaves it as it is, at first as the setting says.
            secrets: facts that hold a password, a card or account number, an access key or a national id.

        Raises:
            InputError: there is no such choice.
        """
        db = self._store.database()
        checks.name(user_id, "user_id")
        try:
            Consent.model_validate({"sensitive_topics": sensitive_topics or "keep", "secrets": secrets or "keep"})
        except ValidationError as error:
            wrong = error.errors()[0]
            raise InputError(f"{wrong['loc'][0]} is {wrong['input']!r}, which is no choice: {wrong['msg']}.") from error
        if sensitive_topics is not None or secrets is not None:
            with db.transaction():
                db.run("consent.put", user_id=user_id, sensitive_topics=sensitive_topics, secrets=secrets, now=to_text(utc_now()))
        return read_consent(db, user_id=user_id, config=self._config)

    def forget(self, user_id: str, *, key: str | None = None) -> Forgotten:
        """Erase everything of a user, or everything learned under one key, from the whole file, and return how much it was.

        Rows, history, words, vectors, the queue and the turns themselves go; the freed space is overwritten.

        Raises:
            InputError: the key is none that there can be.
        """
        if key is not None and not is_canonical(key):
            raise InputError(f"{key!r} is not a key; write subject.predicate in lower case, such as user.lives_in.")
        db = self._store.database()
        has_page = bool(db.all("page.written", user_id=checks.name(user_id, "user_id")))
        if has_page and key is not None:
            read_page(db, user_id=user_id, now=utc_now(), config=self._config)  # what was changed by hand is not lost with the page
        with db.transaction():
            told = untell(db, user_id=user_id)
            forgotten = with_pending(db, partial(forget, db, user_id=user_id, key=key))
            db.run("meta.put", name="forgotten_at", value=to_text(utc_now()))
            if key is not None:
                retell(db, told, user_id=user_id, now=utc_now(), config=self._config)
                build_profile(db, user_id=user_id, now=utc_now(), config=self._config)
        if has_page and key is not None:
            write_page(db, user_id=user_id, now=utc_now(), config=self._config, asks=False)
        elif has_page:
            erase_page(db, user_id=user_id)
        self._notebook.forget(user_id)
        self._cache.forget(user_id)
        if self._patient is not None:
            self._patient.forget()
        db.checkpoint()
        self._wake()
        return forgotten

    def compact(self, user_id: str | None = None, *, now: Time | None = None) -> int:
        """Move what has been superseded or expired for `config.archive_after_days` into the archive, and return how many rows.

        What is over by its own time expires first, so that users who have fallen silent are looked after, too.
        """
        at = self._now(now)
        db = self._store.database()
        with db.transaction():
            expire_over(db, user_id=user_id, now=at)
            moved = compact(db, user_id=user_id, before=at - timedelta(days=self._config.archive_after_days), now=at)
        self._wake()
        return moved

    def retry(self) -> int:
        """Give turns and vectors that were set aside after failing too often another chance, and return how many there are."""
        db = self._store.database()
        with db.transaction():
            revived = db.run("sync.revive") + db.run("mirror.revive") + db.run("queue.revive")
        self._interrupt_rests()
        self._wake()
        return revived

    # --- reading -------------------------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        user_id: str,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        as_of: Time | None = None,
        weights: str | None = None,
        statuses: Sequence[Status] | None = None,
        categories: Sequence[Category] | None = None,
        memory_types: Sequence[MemoryType] | None = None,
        tags: Sequence[str] | None = None,
        min_age_minutes: float | None = None,
        max_age_days: float | None = None,
        min_score: float | None = None,
        participants: Sequence[str] | None = None,
        goal: str | None = None,
        tiers: Sequence[Tier] | None = None,
        judged: bool = False,
        vector: ArrayLike | None = None,
        now: Time | None = None,
        record: bool = True,
    ) -> Hits:
        """Return what bears on a question, best first, each hit with every part of its score. Any text is a safe question.

        Args:
            query: the question, or any text.
            user_id: whose memory is asked.
            limit: how many hits at most.
            kinds: only these kinds; all if None.
            as_of: what was true at that time; what is believed now if None.
            weights: the weight set that ranks; the memory's own if None.
            statuses: only these; what is believed or pending if None (with `as_of`, what was believed then).
            categories: only these.
            memory_types: only these.
            tags: rows with at least one of these tags.
            min_age_minutes: leave out what is younger.
            max_age_days: leave out what is older, and was not mentioned since.
            min_score: leave out what scores less.
            participants: only what one of these people said or took part in.
            goal: what the user is after: what is near it in meaning ranks higher, with sets that weigh it (`default`, `priority`).
            tiers: of messages, episodes and memories, only those of these ages: hot, warm, cold; all if None.
            judged: give each hit its `relevance` and `confidence_now`, whichever set ranks.
            vector: the question's vector, of shape (dimension,), where it is ready; the embedder makes it if None.
            now: the time that decay and recency are counted to; the present if None.
            record: note in `retrievals` what was asked and found, unless the setting `record_retrievals` is off.

        Raises:
            InputError: the weight set or a name in a filter is unknown; the vector has the wrong shape, is zero or not finite.
            ConfigError: a vector was given to a memory that was opened without an embedder.
        """
        checks.lists(
            kinds=kinds,
            statuses=statuses,
            categories=categories,
            memory_types=memory_types,
            tags=tags,
            participants=participants,
            tiers=tiers,
        )
        at = self._now(now)
        db = self._store.database()
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        then = self._time(as_of) if as_of else question.as_of
        hits = retrieve(
            db,
            question,
            user_id=user_id,
            embedder=self._patient,
            now=at,
            vector=None if vector is None else self._usable([vector], 1)[0],
            weights=weights or self._set_for(user_id),
            limit=limit,
            kinds=kinds,
            statuses=statuses or (_EVER if then or question.past else LIVE),
            as_of=then,
            categories=categories,
            memory_types=memory_types,
            tags=tags,
            min_age_minutes=min_age_minutes,
            max_age_days=max_age_days,
            min_score=min_score,
            participants=participants,
            base_half_life_days=self._config.base_half_life_days,
            minimum_importance=self._config.minimum_importance,
            top_k_lex=self._config.top_k_lex,
            top_k_vec=self._config.top_k_vec,
            cache=self._cache,
            index=self._index,
            goal=goal,
            tiers=tiers,
            hot_days=self._config.hot_days,
            warm_days=self._config.warm_days,
            judged=judged,
        )
        if record:
            self._notebook.note(query, hits, user_id=user_id, weights=weights or self._set_for(user_id), at=at)
        return hits

    def context(
        self,
        query: str,
        *,
        user_id: str,
        max_tokens: int | None = None,
        limit: int = _CONTEXT_HITS,
        goal: str | None = None,
        system: str = "",
        now: Time | None = None,
    ) -> Context:
        """Return memory made ready for the next prompt, within `max_tokens` tokens (`config.context_max_tokens` if None).

        Hard constraints first, then current tasks, then what bears on `query`; when tokens are short, stale and doubtful lines go first;
        no section has more than its row of the table `sections` allows. `goal` is what the user is after, and `system` opens the prompt.
        Of first-person memories there are no more, none older and none younger than `recall` gives; those that are shown count as recalled.
        `Context.question` is what the user should be asked, where a conflict that an answer depends on, or one of high value, is pending;
        `Context.verdict` says whether to answer from this at all. Cold messages are asked only when the rest is not enough.
        """
        at = self._now(now)
        db = self._store.database()
        profile = materialize(db, user_id=user_id, now=at, config=self._config, others=False)
        budget = self._config.context_max_tokens if max_tokens is None else max_tokens
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        hits, doubts = self._weigh(question, user_id=user_id, goal=goal, now=at)
        result = inject(
            profile,
            self._diverse(hits, limit=limit),
            kinds=self._kinds(db),
            sections={str(row["section"]): Section.model_validate(row) for row in db.all("sections.all")},
            system=system,
            verdict=hits.verdict,
            max_tokens=max(0, budget),
            tokenizer=choose_tokenizer(self._embedder),
            now=at,
            config=self._config,
            question=(hits.verdict and hits.verdict.question) or next((doubt.question for doubt in doubts if doubt.worth), None),
            disputed={doubt.against for doubt in doubts if doubt.against},
            degraded=hits.degraded,
        )
        shown = {item.fact_id for item in result.items}
        hits[:] = [hit for hit in hits if hit.fact.fact_id in shown]
        self._notebook.note(query, hits, user_id=user_id, weights=self._set_for(user_id), at=at, prompt_tokens=result.tokens)
        return result

    def profile(self, user_id: str, *, now: Time | None = None) -> Profile:
        """Return what is held of a user now: identity, preferences, tasks, recent changes and sensitive topics."""
        return materialize(self._store.database(), user_id=user_id, now=self._now(now), config=self._config)

    def facts(
        self,
        user_id: str,
        *,
        key: str | None = None,
        statuses: Sequence[Status] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: Time | None = None,
        now: Time | None = None,
    ) -> list[Fact]:
        """Return a user's facts, ordered by key and time; messages only if `kinds` asks for them.

        `statuses` defaults to what is believed or pending, and with `as_of` to whatever was true at that time.

        Raises:
            InputError: there is no such kind or status.
        """
        db = self._store.database()
        checks.lists(kinds=kinds, statuses=statuses)
        known = list(self._kinds(db))
        chosen = [kind for kind in known if kind != "message"] if kinds is None else [checks.one_of(kind, known, "kinds") for kind in kinds]
        wanted = json.dumps(chosen)
        if as_of is not None:
            rows = db.all(
                "believe.as_of",
                user_id=user_id,
                key=key,
                kinds=wanted,
                statuses=json.dumps(list(statuses or _EVER)),
                as_of=to_text(self._time(as_of)),
            )
        else:
            rows = db.all(
                "believe.current",
                user_id=user_id,
                key=key,
                kinds=wanted,
                statuses=json.dumps(list(statuses or LIVE)),
                now=to_text(self._now(now)),
            )
        return [Fact.model_validate_json(str(row["record"])) for row in rows]

    def fact(self, fact_id: str) -> Fact:
        """Return one row by its id as it is now: a fact, a task, a message, whosever it is and whatever its status.

        Raises:
            NotFoundError: there is no such fact, or only the archive has it.
        """
        return self._fact(fact_id)

    def history(self, *, user_id: str | None = None, fact_id: str | None = None) -> list[Change]:
        """Return the audit trail, oldest first: each change with the fact before and after, the reason and the turn."""
        rows = self._store.database().all("believe.history", user_id=user_id, fact_id=fact_id)
        return [
            Change.model_validate({**row, **{side: row[side] and json.loads(str(row[side])) for side in ("before", "after")}})
            for row in rows
        ]

    def turns(self, user_id: str | None = None, *, turn_id: str | None = None) -> list[TurnRecord]:
        """Return the turns as they came, each with what became of it: who read it, what failed, what was refused, and why."""
        rows = self._store.database().all("queue.records", user_id=user_id, turn_id=turn_id)
        return [TurnRecord.model_validate({**row, "notes": json.loads(str(row["notes"]))}) for row in rows]

    def calls(self, user_id: str | None = None, *, turn_id: str | None = None) -> list[ModelCall]:
        """Return the calls of the language model that were kept, oldest first: what each was for, what it cost, and the raw answer."""
        rows = self._store.database().all("queue.calls", user_id=user_id, turn_id=turn_id)
        return [ModelCall.model_validate(row) for row in rows]

    def stats(self) -> Stats:
        """Return the state of the file in numbers: rows, queues, vectors, hit rates, latencies and sizes."""
        self._notebook.write_down_asked()
        db = self._store.database()
        counts = db.one("stats.counts") or {}
        for name in ("facts_by_status", "rows_by_kind", "turns_by_status"):
            counts[name] = json.loads(str(counts[name]))
        embedder = self._store.embedder()
        path = self._store.path
        return Stats.model_validate(
            {
                "path": str(path),
                "bytes": sum(part.stat().st_size for part in (path, Path(f"{path}-wal")) if part.exists()),
                "schema_version": SCHEMA_VERSION,
                "embedder": embedder[0] if embedder else None,
                **counts,
                **{str(row["name"]): row["value"] for row in db.all("stats.metrics")},
            }
        )

    def carry_model(self, folder: str | Path | None = None, *, precision: Literal["int8", "float32"] = "int8") -> ModelCard:
        """Put MiniLM's model into the file, so that it is used without PyTorch from the next opening on, and return what it is.

        The model is made from the installed MiniLM, which takes `memdb[export]`, or comes from a `folder` that `export_model` wrote.

        Raises:
            ConfigError: the file's vectors are of another embedder.
            ModelUnavailable: it cannot be made, or the folder holds none that is whole.
            ModelOutputError: what was made does not agree with the original; nothing was written.
        """
        remembered = self._store.embedder()
        if remembered is not None and remembered[0] != EdgeMiniLM.name:
            raise ConfigError(
                f"{self._store.path} holds vectors of the embedder {remembered[0]}, so a model of {EdgeMiniLM.name} is no use."
            )
        if folder is None:
            from memdb.export import export  # the only verb that needs it

            files = export(precision)
        else:
            files = read_folder(Path(folder))
        card = read_card(files, origin=str(folder or "memory"))
        db = self._store.database()
        with db.transaction():
            carry(db, files)
        db.checkpoint()
        return card

    def carried_model(self) -> ModelCard | None:
        """Return what the model is that the file carries, checked to be whole; None if it carries none.

        Raises:
            ModelUnavailable: it is damaged.
        """
        db = self._store.database()
        return read_card(read_carried(db), origin=str(self._store.path)) if carried(db) else None

    def drop_model(self) -> bool:
        """Take the model out of the file, and return whether there was one; the file uses the space again."""
        db = self._store.database()
        with db.transaction():
            dropped = drop(db)
        db.checkpoint()
        return dropped

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._config

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use; None means words only."""
        return self._embedder

    # --- why, and how well ---------------------------------------------------------------------------------------------------

    def explain(
        self,
        query: str,
        *,
        user_id: str,
        fact_id: str | None = None,
        limit: int = 10,
        kinds: Sequence[str] | None = None,
        as_of: Time | None = None,
        weights: str | None = None,
        statuses: Sequence[Status] | None = None,
        categories: Sequence[Category] | None = None,
        memory_types: Sequence[MemoryType] | None = None,
        tags: Sequence[str] | None = None,
        min_age_minutes: float | None = None,
        max_age_days: float | None = None,
        min_score: float | None = None,
        participants: Sequence[str] | None = None,
        goal: str | None = None,
        tiers: Sequence[Tier] | None = None,
        vector: ArrayLike | None = None,
        now: Time | None = None,
    ) -> Explanation:
        """Return why a question finds what it finds; and of a fact, where it stands, why not higher, and which weight would change that.

        The arguments are those of `search`; `limit` is the number of hits the fact should be among. Every weight that is told was tried:
        a search with that number in the set finds the fact so high. None is, where the embedder failed.

        Raises:
            NotFoundError: there is no such fact of this user.
            InputError: a kind or the weight set is unknown, or `limit` is below 1.
        """
        if limit < 1:
            raise InputError(f"limit is {limit}; give the number of hits, at least 1.")
        fact = self._fact(fact_id) if fact_id is not None else None
        if fact is not None and fact.user_id != user_id:
            raise NotFoundError(f"The fact {fact_id!r} is not one of user {user_id!r}; list theirs with facts() or `memdb facts`.")
        at, name, db = self._now(now), weights or self._set_for(user_id), self._store.database()
        ask = partial(
            self.search,
            query,
            user_id=user_id,
            limit=_ALL_CANDIDATES,
            kinds=kinds,
            as_of=as_of,
            weights=name,
            statuses=statuses,
            categories=categories,
            memory_types=memory_types,
            tags=tags,
            min_age_minutes=min_age_minutes,
            max_age_days=max_age_days,
            min_score=min_score,
            participants=participants,
            goal=goal,
            tiers=tiers,
            vector=vector,
            now=at,
            record=False,
        )
        filters = {
            "categories": (categories, partial(ask, categories=None)),
            "memory_types": (memory_types, partial(ask, memory_types=None)),
            "tags": (tags, partial(ask, tags=None)),
            "min_age_minutes": (min_age_minutes, partial(ask, min_age_minutes=None)),
            "max_age_days": (max_age_days, partial(ask, max_age_days=None)),
            "min_score": (min_score, partial(ask, min_score=None)),
            "participants": (participants, partial(ask, participants=None)),
            "tiers": (tiers, partial(ask, tiers=None)),
        }
        hits = ask()
        failed = hits.degraded is not None and self._patient is not None and db.has_vectors
        weight = self.weights(name)

        def lifts(feature: str, wanted: float, within: int) -> bool:
            if failed:
                return False
            db.run("weights.put", name=name, feature=feature, value=wanted)
            found = ask(limit=within)
            db.run("weights.put", name=name, feature=feature, value=weight.get(feature, 0.0))
            return any(hit.fact.fact_id == fact_id for hit in found)

        then = self._time(as_of) if as_of else hits.question.as_of
        with db.supposing() if fact is not None else nullcontext():
            return explain(
                hits,
                fact,
                limit=limit,
                statuses=statuses or (_EVER if then or hits.question.past else LIVE),
                kinds=kinds,
                now=then or at,
                lifts=lifts,
                without={name: asked for name, (given, asked) in filters.items() if given is not None},
            )

    def feedback(self, query: str, fact_id: str, *, user_id: str, good: bool = True) -> None:
        """Remember that a fact was right for a question, or wrong (`good=False`); `tune` fits weights to it. The last word counts.

        Raises:
            NotFoundError: there is no such fact of this user.
        """
        if self._fact(fact_id).user_id != user_id:
            raise NotFoundError(f"The fact {fact_id!r} is not one of user {user_id!r}; list theirs with facts() or `memdb facts`.")
        db = self._store.database()
        asked = checks.searchable(checks.filled(query, "query"))
        with db.transaction():
            db.run("feedback.give", user_id=user_id, query=asked, fact_id=fact_id, good=int(good), now=to_text(utc_now()))

    def labels(self) -> list[Labelled]:
        """Return the questions that feedback was given on, each with what was right and what was wrong."""
        return labels_of(self._store.database())

    def weights(self, name: str | None = None) -> dict[str, float]:
        """Return a weight set, the memory's own if None: each feature's weight, and how many candidates each leg gives.

        Raises:
            InputError: there is no such set.
        """
        rows = self._store.database().all("weights.of", weights=name or self._weights)
        if not rows:
            names = ", ".join(str(row["name"]) for row in self._store.database().all("weights.names"))
            raise InputError(f"There is no weight set {name!r}; the sets are {names}.")
        return {str(row["feature"]): float(row["value"] or 0) for row in rows}

    def evaluate(
        self, labelled: Iterable[Labelled | Mapping[str, object]] | None = None, *, weights: Sequence[str] = ("default",)
    ) -> dict[str, dict[str, float]]:
        """Return how well each weight set ranks labelled questions (the feedback given, if None): any@k, rec@k, nDCG@10, MRR, in 0..1.

        Raises:
            InputError: a label cannot be used, or a weight set is unknown.
        """
        return evaluate(self._labelled(labelled), search=self._search_labelled, weights=list(weights))

    def tune(
        self,
        name: str,
        labelled: Iterable[Labelled | Mapping[str, object]] | None = None,
        *,
        base: str | None = None,
        held_out: float = 0.3,
        seed: int = 0,
        write: bool = True,
    ) -> Tuned:
        """Fit the weights of the set `base` to labelled questions (the feedback given, if None) and write them as the set `name`.

        That is a new set, or one that was fitted before and is replaced; the sets that every file has stay as they are.
        Each of `labelled` is `{user_id, query, relevant}`, `relevant` a list of ids of facts or of the turns they came from, with `wrong`,
        `kinds` and `now` if wanted. The share `held_out` is not fitted to but measured, before and after.

        Raises:
            InputError: `name` is a set that every file has, `base` is none that ranks by two features or more, there is too little to fit
                to, a label cannot be used, or a number lies outside 0..1.
            ConfigError: numpy is not installed.
        """
        if not 0 <= held_out < 1:
            raise InputError(f"held_out is {held_out}; give a share from 0 up to, not including, 1.")
        db = self._store.database()
        tuned = fit(
            db,
            self._labelled(labelled),
            name=checks.name(name, "name"),
            base=base or self._weights,
            search=self._search_labelled,
            held_out=held_out,
            seed=seed,
        )
        if write:
            with db.transaction():
                db.run("weights.clear", name=name)
                db.run_many("weights.put", [{"name": name, "feature": feature, "value": value} for feature, value in tuned.weights.items()])
        return tuned

    def _labelled(self, given: Iterable[Labelled | Mapping[str, object]] | None) -> list[Labelled]:
        if given is None:
            return self.labels()
        labelled = []
        for place, one in enumerate(given, start=1):
            try:
                labelled.append(one if isinstance(one, Labelled) else Labelled.model_validate(one))
            except ValidationError as error:
                wrong = error.errors()[0]
                raise InputError(f"Label {place} cannot be used: field {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}.") from error
        return labelled

    def _search_labelled(self, one: Labelled, weights: str, limit: int) -> Hits:
        return self.search(one.query, user_id=one.user_id, limit=limit, kinds=one.kinds, weights=weights, now=one.now, record=False)

    # --- links, procedures, sessions, tiers ------------------------------------------------------------------------------------

    def link(
        self, source_id: str, target_id: str, relation: Relation = "relates-to", *, strength: float = 1.0, now: Time | None = None
    ) -> Link:
        """Link a fact to another of the same user; linking them again gives the link another strength. It goes when either of them goes.

        Raises:
            NotFoundError: no fact has one of these ids.
            InputError: they are the same fact or of different users, there is no such relation, or the strength is not in 0..1.
        """
        checks.one_of(relation, get_args(Relation), "relation")
        checks.share(strength, "strength")
        db = self._store.database()
        with db.transaction():
            return link(db, self._fact(source_id), self._fact(target_id), relation=relation, strength=float(strength), now=self._now(now))

    def unlink(self, source_id: str, target_id: str, relation: Relation | None = None) -> int:
        """Remove the link from a fact to another, or with `relation` None all of them, and return how many there were."""
        db = self._store.database()
        with db.transaction():
            return db.run("links.remove", source_id=source_id, target_id=target_id, relation=relation)

    def links(
        self,
        fact_id: str,
        *,
        depth: int = 1,
        relations: Sequence[Relation] | None = None,
        statuses: Sequence[Status] | None = None,
        min_strength: float = 0.0,
        limit: int = 100,
    ) -> list[Linked]:
        """Return the facts that links lead to within `depth` steps, nearest and strongest first. Links are followed both ways.

        Args:
            fact_id: where to begin.
            depth: how many steps, 1 to 8.
            relations: only over these; any if None.
            statuses: only over facts of these; what is believed or pending if None.
            min_strength: leave out what is weaker; a way's strength is the product of its links'.
            limit: how many facts at most.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the depth is not within 1 to 8, or there is no such relation.
        """
        if not 1 <= depth <= _DEEPEST:
            raise InputError(f"depth is {depth}; give a number of steps from 1 to {_DEEPEST}.")
        checks.lists(relations=relations, statuses=statuses)
        for relation in relations or ():
            checks.one_of(relation, get_args(Relation), "relation")
        return walk(
            self._store.database(),
            self._fact(fact_id).fact_id,
            depth=depth,
            relations=relations,
            statuses=statuses or LIVE,
            min_strength=min_strength,
            limit=limit,
        )

    def relate(self, user_id: str, *, kinds: Sequence[str] | None = None, now: Time | None = None) -> int:
        """Link what is new to what it is like, by words alone, and return how many links were made. A flush does so too.

        `kinds` defaults to `config.link_kinds`. Each row is looked at once, so that calling it again costs nothing.

        Raises:
            InputError: there is no such kind.
        """
        db = self._store.database()
        checks.lists(kinds=kinds)
        known = list(self._kinds(db))
        for kind in kinds or self._config.link_kinds:
            checks.one_of(kind, known, "kind")
        made, more = 0, True
        while more:
            with db.transaction():
                found, more = relate(
                    db,
                    user_id=checks.name(user_id, "user_id"),
                    kinds=kinds or self._config.link_kinds,
                    min_strength=self._config.link_min_strength,
                    most=self._config.link_most,
                    now=self._now(now),
                )
            made += found
        return made

    def learn(
        self,
        trigger: str,
        steps: Sequence[str],
        *,
        user_id: str,
        title: str | None = None,
        importance: float = 0.6,
        session_id: str | None = None,
        turn_id: str | None = None,
        timestamp: Time | None = None,
    ) -> Procedure:
        """Remember how something is done, and return it. Learning other steps for the same trigger supersedes those known before.

        Args:
            trigger: the task it is for, in words ("deploy the website").
            steps: what to do, in order.
            user_id: whose memory this is.
            title: a name for it; the trigger if None.
            importance: 0..1.
            session_id: the conversation it comes from.
            turn_id: the turn it comes from.
            timestamp: when it was learned; the present if None.

        Raises:
            InputError: the trigger or a step is empty, or there are no steps.
        """
        checks.lists(steps=steps)
        wanted = [checks.filled(step, f"step {place}") for place, step in enumerate(steps, start=1)]
        if not wanted:
            raise InputError("There are no steps; give at least one.")
        done = "; ".join(f"{place}. {' '.join(step.split())}" for place, step in enumerate(wanted, start=1))
        fact = self.remember(
            f"To {checks.filled(trigger, 'trigger').strip()}: {done}",
            user_id=user_id,
            key=f"procedure.{slug(trigger)}",
            kind="procedure",
            object=done,
            value_json={"title": title or trigger, "trigger": trigger, "steps": list(wanted)},
            importance=importance,
            session_id=session_id,
            turn_id=turn_id,
            timestamp=timestamp,
        )
        return self._procedures({fact.fact_id: None})[0]

    def procedures(self, task: str, *, user_id: str, limit: int = 5, now: Time | None = None) -> list[Procedure]:
        """Return the workflows whose trigger a task resembles, best first: by words, by meaning, and by how well they went."""
        hits = self.search(task, user_id=user_id, kinds=["procedure"], weights="procedural", limit=limit, statuses=["active"], now=now)
        return self._procedures({hit.fact.fact_id: hit.score for hit in hits})

    def outcome(
        self, fact_id: str, succeeded: bool, *, note: str = "", turn_id: str | None = None, timestamp: Time | None = None
    ) -> Procedure:
        """Note how a workflow went, and return it, stronger or weaker. The same turn's outcome counts once.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no procedure, or no longer live.
        """
        fact, db = self._live_fact(fact_id)
        if fact.kind != "procedure":
            raise InputError(f"The fact {fact_id!r} is a {fact.kind}, not a procedure; learn() makes one.")
        with db.transaction():
            weigh(
                db,
                self._fact(fact_id),
                succeeded=succeeded,
                note=checks.text(note, "note"),
                turn_id=turn_id or f"outcome-{uuid.uuid4().hex}",
                config=self._config,
                now=self._time(timestamp),
            )
        return self._procedures({fact_id: None})[0]

    def session(
        self,
        user_id: str,
        session_id: str | None = None,
        *,
        eviction: Eviction | None = None,
        now: Time | None = None,
    ) -> Session:
        """Begin a session with a user, or take one up again, and return it; use it as a context manager.

        Args:
            user_id: whose memory this is.
            session_id: a name for the conversation; a new one if None.
            eviction: what leaves the working memory first: "fifo", "lru" or "importance"; `config.working_eviction` if None.
            now: the time it begins, to live through another time; the present if None.
        """
        return Session(
            self,
            self._store,
            self._config,
            self._llm,
            self._patient,
            user_id=checks.name(user_id, "user_id"),
            session_id=checks.name(session_id, "session_id") if session_id is not None else uuid.uuid4().hex,
            eviction=checks.one_of(eviction, get_args(Eviction), "eviction") if eviction else self._config.working_eviction,
            now=now,
        )

    def page(self, user_id: str, *, now: Time | None = None) -> str:
        """Return the text of memory.md as a flush would write it now."""
        return project(self._store.database(), user_id=user_id, now=self._now(now), max_lines=self._config.page_max_lines).text

    @property
    def tier(self) -> Literal[1, 2]:
        """1 searches by words alone and loads no vector package, 2 by meaning as well."""
        return 1 if self._embedder is None else 2

    def vectors(self) -> Vectors:
        """Return the state of the vector index: how many vectors are made, and how many wait; while they do, search goes on."""
        state = count_vectors(self._store)
        if self._patient is not None:
            state = state.model_copy(update={"error": self._patient.rest.error or state.error})
        return with_collection(state, self._store, self._index) if self._index is not None else state

    def reindex(self, embedder: Embedder | str, *, progress: Callable[[int, int], None] | None = None) -> Vectors:
        """Change the file's embedder: make every vector anew, and return the state of the index afterwards.

        The old vectors are in use until the new ones are whole. Killed at any moment, the next call goes on where this one was.
        `progress` is told how many vectors are made, and how many are wanted. A memory opened for words alone stays so.

        Raises:
            ConfigError: no embedder has this name, or a collection serves as the index.
            ModelError: the embedder fails; what was made so far is kept for the next call.
        """
        if self._index is not None:
            raise ConfigError(
                f"The index is the collection {self._index.name}, which has vectors of one embedder; open {self._store.path} without it, "
                f"reindex, and then give another collection."
            )
        chosen = choose_embedder(embedder, remembered=None, timeout=self._config.model_timeout_seconds)
        if chosen is None:
            raise InputError(f"The embedder {embedder!r} is not there; name one, or install memdb[minilm].")
        store = Store(self._store.path, self._config, vectors=True)  # apart from this memory's, which may be for words only
        try:
            state = change_embedder(store, chosen, config=self._config, progress=progress)
        finally:
            store.close()
        if self._embedder is not None:
            before, self._embedder, self._patient = self._patient, chosen, patiently(chosen, self._config)
            if self._worker is not None:
                self._worker.stop()
                self._worker = Worker(
                    self._store, self._config, chosen, self._llm, patient=self._patient, more={"memdb-memories": self._tend}
                )
            if before is not None:
                before.close()
        return state

    # --- first-person memories -----------------------------------------------------------------------------------------------

    def event(
        self,
        description: str,
        *,
        user_id: str,
        timestamp: Time | None = None,
        participants: Sequence[str] = (),
        location: str | None = None,
        importance: float | None = None,
        trigger: BreakTrigger | None = None,
        event_id: str | None = None,
    ) -> str:
        """Take something that happened in a household, safely on disk when this returns, and return its id. Its memory follows later.

        Args:
            description: what happened, in a few words: "Rui asked for warmer lights".
            user_id: whose memory this is; a household's, as a rule.
            timestamp: when it happened; the present if None.
            participants: who took part, by the names they go by.
            location: where, such as "kitchen".
            importance: 0..1; by the rules, or the model, if None.
            trigger: what ends the segment of events with this one: person_departed_home, person_arrived_home or significant_event.
            event_id: a name for the event; taking the same event again changes nothing.

        Raises:
            InputError: there is nothing to keep, or a value cannot be used.
            ConflictError: another event of this user has this id.
            StoreError: the file cannot be written; nothing was kept.
        """
        checks.lists(participants=participants)
        try:
            happened = Event(
                event_id=checks.name(event_id or uuid.uuid4().hex, "event_id"),
                user_id=checks.name(user_id, "user_id"),
                description=checks.filled(description, "description"),
                timestamp=checks.lived(self._time(timestamp), "timestamp"),
                participants=tuple(dict.fromkeys(" ".join(checks.name(name, "participants").split()) for name in participants)),
                location=" ".join(checks.text(location, "location").split()) or None if location is not None else None,
                importance=checks.share(importance, "importance"),
                trigger=trigger,
            )
        except ValidationError as error:
            wrong = error.errors()[0]
            field = ".".join(map(str, wrong["loc"]))
            raise InputError(f"The event {description[:60]!r} cannot be stored: field {field}: {wrong['msg']}.") from error
        self._note_happened(happened.timestamp)
        db = self._store.database()
        with db.transaction():
            gather(db, happened)
        self._wake()
        return happened.event_id

    def _note_happened(self, at: datetime) -> None:
        """What comes in long after it happened comes in one by one, and belongs together: the worker waits until all of it is there."""
        if at < utc_now() - timedelta(minutes=self._config.event_buffer_minutes):
            self._loaded_at = monotonic()

    def _note_zone(self, db: Database) -> None:
        """What "tomorrow" means in a turn depends on the zone: the file tells it to whoever reads the turns again."""
        if not self._zone_noted:
            db.run("meta.put", name="timezone", value=self._config.timezone)

    def narrate(self, *, now: Time | None = None) -> list[Fact]:
        """Tell every segment of events that is over by `now`, and return the new memories. The worker does this by itself."""
        at = self._now(now)
        told: list[str] = []
        while fact_id := take_segment(self._store, self._config, self._narrator, now=at):
            told.append(fact_id)
        self._wake()
        db = self._store.database()
        return [fact for fact_id in told if (fact := read_fact(db, fact_id)) is not None]

    def recall(
        self,
        query: str,
        *,
        user_id: str,
        participants: Sequence[str] | None = None,
        memory_types: Sequence[MemoryType] | None = None,
        limit: int | None = None,
        max_age_days: float | None = None,
        min_score: float | None = None,
        now: Time | None = None,
    ) -> Hits:
        """Return the first-person memories that bear on a question, best first, by the weight set `first-person`.

        They are the best of the twenty nearest in meaning (the set's `k_vec`), or by words where there are no vectors. What is archived, or
        as young as the buffer, is left out. What is returned counts as recalled: it fades later and weighs more. That
        is written down in the background, so that reading waits for nobody.

        Args:
            query: the question, or the conversation it is about.
            user_id: whose memory is asked.
            participants: only memories that one of these people took part in.
            memory_types: only these.
            limit: how many of these at most; `config.max_memories_per_retrieval` if None.
            max_age_days: leave out what is older, and was not seen since, 0 for nothing; `config.max_age_days` if None.
            min_score: leave out what scores less; `config.importance_threshold` if None.
            now: the time that decay is counted to; the present if None.
        """
        at = self._now(now)
        config = self._config
        age = config.max_age_days if max_age_days is None else max_age_days
        checks.lists(memory_types=memory_types, participants=participants)
        hits = retrieve(
            self._store.database(),
            understand(self._store.database(), checks.searchable(query), user_id=user_id, now=at, zone=config.zone),
            user_id=user_id,
            embedder=self._patient,
            now=at,
            weights="first-person",
            limit=config.max_memories_per_retrieval if limit is None else limit,
            kinds=["narrative"],
            statuses=("active",),
            memory_types=memory_types,
            min_age_minutes=config.event_buffer_minutes,
            max_age_days=age or None,
            min_score=config.importance_threshold if min_score is None else min_score,
            participants=participants,
            base_half_life_days=config.base_half_life_days,
            minimum_importance=config.minimum_importance,
            top_k_lex=config.top_k_lex,
            top_k_vec=config.top_k_vec,
        )
        self._notebook.note(query, hits, user_id=user_id, weights="first-person", at=at)
        return hits

    def sources(self, fact_id: str) -> Sources:
        """Return what a first-person memory rests on: its events, and for a pattern the memories that went into it.

        Raises:
            NotFoundError: no fact has this id.
        """
        self._fact(fact_id)
        db = self._store.database()
        rows = db.all("events.of_memory", fact_id=fact_id)
        memories = db.all("events.memories_of", fact_id=fact_id)
        return Sources(
            events=tuple(Event.model_validate({**row, "participants": json.loads(str(row["participants"]))}) for row in rows),
            memories=tuple(Fact.model_validate_json(str(row["record"])) for row in memories),
        )

    def maintain(self, *, user_id: str | None = None, now: Time | None = None, dry_run: bool = False) -> Maintained:
        """Do the upkeep that is due for a user, or for everybody, as of `now`, and return what was done; again it does nothing more.

        Of first-person memories, repeated ones are consolidated into patterns, importance is reckoned anew, what has faded is archived, and
        what has lain in the archive for long is deleted. The worker does this part by itself each night; nights that were missed are made
        up for one by one, unless `user_id` is given. Of everything else, sessions that are over are summarised as episodes and what
        recurs is drawn into reflective notes, which the worker does as they come due; what is held twice becomes one, tasks that nobody
        mentions stall, what recurs is promoted to the profile, and what is more than is kept goes to the archive, which the worker does
        each night. With `dry_run` nothing is written and no model is asked, and the answer is what one run would do by the rules.
        """
        at = self._now(now)
        self._notebook.write_down_recalled()
        db = self._store.database()
        done: list[Maintained] = []
        while not dry_run and user_id is None and (night := next_night(db, self._config, now=at)):
            done.append(take_night(self._store, self._config, self._narrator, now=night, scheduled=True))
        done.append(take_night(self._store, self._config, self._narrator, user_id=user_id, now=at, scheduled=False, dry_run=dry_run))
        counted = ("archived", "deleted", "consolidated", "patterns")
        total = {name: sum(getattr(one, name) for one in done) for name in counted}
        total |= {"nights": sum(one.nights for one in done[:-1]), "processed": done[-1].processed}
        kept = db.rehearsed(partial(self._upkeep, user_id, at, None)) if dry_run else self._upkeep(user_id, at, self._llm)
        self._wake()
        return kept.model_copy(update={**total, "dry_run": dry_run})

    def _upkeep(self, user_id: str | None, at: datetime, llm: LanguageModel | None) -> Maintained:
        return maintain(self._store.database(), user_id=user_id, now=at, config=self._config, llm=llm)

    def _tend(self) -> bool:
        """Do one step of the worker's care for what is remembered already; return whether there was one."""
        now = utc_now()
        due = events_due(self._store.database(), self._config, now=now)
        settled = monotonic() >= self._loaded_at + _SETTLED_SECONDS  # asked after the look: an event that is seen there counts here
        if due and settled and take_segment(self._store, self._config, self._narrator, now=now):
            return True
        if monotonic() >= self._next_writing:
            self._next_writing = monotonic() + _RECALLED_SECONDS
            self._notebook.write_down_recalled()
        if settled and monotonic() >= self._next_night:
            if night := next_night(self._store.database(), self._config, now=now):
                take_night(self._store, self._config, self._narrator, now=night, scheduled=True)
                return True
            if take_tidying(self._store.database(), now=now, config=self._config):
                return True
            self._next_night = monotonic() + _NIGHT_SECONDS
        if monotonic() >= self._next_upkeep:
            self._next_upkeep = monotonic() + _UPKEEP_SECONDS
            db = self._store.database()
            if take_upkeep(db, user_id=None, now=now, config=self._config, llm=self._llm):
                self._next_upkeep = 0.0
                return True
        return False

    # --- in bulk -------------------------------------------------------------------------------------------------------------

    def remember_many(self, facts: Iterable[NewFact | Mapping[str, object]], *, vectors: NDArray[np.float32] | None = None) -> int:
        """Store many facts as they are, and return how many were new: the way in for what another system knows.

        Five thousand are a transaction; of twenty thousand at a time, those of a user go together. Nothing is weighed against what is
        believed, and history begins with the first change. Each is `{value_text, user_id, …}`, the fields those of `NewFact`; one whose
        `fact_id` is known is left as it is. `vectors` holds the embedder's vectors, one a fact, if they are ready; otherwise the facts are
        embedded in the background.

        Raises:
            InputError: a fact has unknown or unusable fields, or the vectors have the wrong shape, are zero or not finite; what came before
                its twenty thousand is kept.
            ConfigError: vectors were given to a memory that was opened without an embedder.
        """

        def ready(start: int, count: int) -> NDArray[np.float32] | None:
            return None if vectors is None else self._usable(vectors[start : start + count], count)

        added = store_many(self._store.database(), facts, vectors=ready, zone=self._config.zone)
        self._wake()
        return added

    def _usable(self, vectors: NDArray[np.float32] | Sequence[ArrayLike], count: int) -> NDArray[np.float32]:
        """Vectors that somebody else made, checked."""
        if self._embedder is None:
            raise ConfigError("The memory was opened without an embedder, so that vectors are of no use to it; open it with theirs.")
        name, dimension = self._embedder.name, self._embedder.dimension
        try:
            return check_vectors(vectors, count=count, dimension=dimension, embedder=name)
        except ModelOutputError as error:
            raise InputError(
                f"The vectors given are not of the shape ({count}, {dimension}), finite and none of them zero; give the vectors of {name}."
            ) from error

    # --- how sure it is --------------------------------------------------------------------------------------------------------

    def assess(
        self,
        query: str,
        *,
        user_id: str,
        goal: str | None = None,
        limit: int = _CONTEXT_HITS,
        as_of: Time | None = None,
        statuses: Sequence[Status] | None = None,
        now: Time | None = None,
        **filters: Unpack[Filters],
    ) -> Hits:
        """Return what a context would be made of: at most `limit` hits that say different things, judged, with `Hits.verdict` on them.

        `as_of`, `statuses` and the filters are those of `search`.

        Raises:
            InputError: more hits are wanted than are weighed (`config.context_candidates`), or a kind is unknown.
        """
        if limit > self._config.context_candidates:
            raise InputError(f"limit is {limit}; give at most {self._config.context_candidates}, or raise the setting context_candidates.")
        at, db = self._now(now), self._store.database()
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        if as_of is not None:
            question = question.model_copy(update={"as_of": self._time(as_of)})
        hits, _ = self._weigh(question, user_id=user_id, goal=goal, now=at, statuses=statuses, filters=filters)
        hits[:] = self._diverse(hits, limit=limit)
        self._notebook.note(query, hits, user_id=user_id, weights=self._set_for(user_id), at=at)
        return hits

    def write(self, items: Iterable[Item | Mapping[str, object]], *, user_id: str, timestamp: Time | None = None) -> Written:
        """Keep what is new and sure enough of what an application or a model states; return what was kept, and what was not and why.

        A task that is there already is moved to the `state` in its details: active, done or stalled.

        Raises:
            InputError: an item has unknown or unusable fields; those before it are kept.
        """
        db = self._store.database()
        predicates = read_predicates(db)
        consent = read_consent(db, user_id=checks.name(user_id, "user_id"), config=self._config)
        accepted: list[str] = []
        rejected: list[Rejected] = []
        sure = self._config.gate_confidence
        for given in items:
            try:
                item = given if isinstance(given, Item) else Item.model_validate(given)
            except ValidationError as error:
                wrong = error.errors()[0]
                raise InputError(f"An item cannot be written: field {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}.") from error
            key = item.key or {"task": "user.task", "episode": "user.episode"}.get(item.kind, "user.note")
            try:
                checks.filled(item.text, "text")
                embedder = self._hurried()
                self._embed_waiting(user_id, item.kind, embedder)
                if item.kind == "task" and item.confidence >= sure and (known := self._task_called(item.text, user_id)):
                    accepted.append(self._moved(known, item, timestamp).fact_id)
                    continue
                reason = admit(
                    db,
                    item,
                    key,
                    user_id=user_id,
                    consent=consent,
                    predicate=predicate_of(key, predicates),
                    embedder=embedder,
                    config=self._config,
                    now=self._time(timestamp),
                )
                if reason is None:
                    kept = self._keep(item, key, user_id=user_id, timestamp=timestamp)
                    accepted.append((self._moved(kept, item, timestamp) if item.kind == "task" else kept).fact_id)
            except InputError as error:
                reason = str(error)
            if reason is not None:
                rejected.append(Rejected(item=item, reason=reason))
        return Written(accepted=tuple(dict.fromkeys(accepted)), rejected=tuple(rejected))

    def _embed_waiting(self, user_id: str, kind: str, embedder: Embedder | None) -> None:
        """Embed what something new is about to be compared with; what fails waits, as ever."""
        db = self._store.database()
        if embedder is not None and db.has_vectors:
            with suppress(BusyError, ModelUnavailable):
                sync(db, embedder=embedder, now=utc_now(), config=self._config, user_id=user_id, kind=kind)

    def weight_sets(self) -> dict[str, dict[str, float]]:
        """Return every weight set of the file by name."""
        db = self._store.database()
        names = [str(row["name"]) for row in db.all("weights.names")]
        return {name: {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights=name)} for name in names}

    def set_weights(self, sets: Mapping[str, Mapping[str, float]]) -> None:
        """Put weight sets into the file, each as a whole: those of the same name are replaced, others stay.

        Raises:
            InputError: a set is empty, has a feature that does not rank, or a number that cannot weigh.
        """
        db = self._store.database()
        known = {str(row["feature"]) for row in db.all("weights.features")} | {*FEATURES, *EVIDENCE, "threshold"}
        for name, features in sets.items():
            unknown = sorted(set(features) - known)
            if unknown or not features:
                what = f"has the feature {unknown[0]!r}" if unknown else "is empty"
                raise InputError(f"The weight set {name!r} {what}; the features are {', '.join(sorted(known))}.")
            for feature, value in features.items():
                if not isfinite(value) or (value < 0 and feature in _COUNTS):
                    raise InputError(
                        f"The weight set {name!r} gives {feature} {value}; give a finite number, and none below 0 for k_lex and k_vec."
                    )
        with db.transaction():
            for name, features in sets.items():
                db.run("weights.clear", name=checks.name(name, "the name of a weight set"))
                for feature, value in features.items():
                    db.run("weights.put", name=name, feature=feature, value=float(value))

    def calibrate(self, labelled: Iterable[Labelled] | None = None, *, now: Time | None = None) -> tuple[Calibration | None, Calibration]:
        """Fit the probability of an answer to labelled questions, and return how well it fitted them before (if it did) and after.

        The questions are those of the feedback given if None. The weights become the set `calibration`, with the threshold below which the
        memory abstains. Both measures are on the questions themselves; for others expect somewhat less (`bench/abstention.py` leaves out
        whole conversations).

        Raises:
            InputError: there are not both kinds of questions.
        """
        found: list[dict[str, float]] = []
        right: list[bool] = []
        for one in self.labels() if labelled is None else labelled:
            hits = self.assess(one.query, user_id=one.user_id, limit=self._config.context_candidates, now=now or one.now)
            found.append(evidence_of(hits.question, sorted(hits, key=lambda hit: -hit.score)))
            right.append(bool(one.relevant) if one.answerable is None else one.answerable)
        if len(set(right)) < 2:
            raise InputError("Calibration needs questions that the memory answers and such that it does not; give at least one of each.")
        old = self.weight_sets().get("calibration", {})
        before = measure([probability_of(one, old) or 0.0 for one in found], right) if old else None
        weights = fit_probability(found, right)
        fitted = [probability_of(one, weights) or 0.0 for one in found]
        self.set_weights({"calibration": {**weights, "threshold": threshold_of(fitted, right)}})
        return before, measure(fitted, right)

    def end(self, fact_id: str, *, valid_to: Time | None = None, now: Time | None = None) -> Fact:
        """Say until when a fact was true (now, if None), and return it; history keeps it.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live, or would end before it began.
        """
        fact, db = self._live_fact(fact_id)
        at = self._now(now)
        ends = self._time(valid_to) if valid_to is not None else at
        if ends < fact.valid_from:
            raise InputError(f"The fact {fact_id!r} begins {fact.valid_from:%Y-%m-%d} and cannot end {ends:%Y-%m-%d}; give a later time.")
        with db.transaction():
            origin = Origin(user_id=fact.user_id, turn_id=f"end-{uuid.uuid4().hex}", now=at)
            end(db, fact, ends=ends, origin=origin, reason="ended by the application")
        self._wake()
        return self._fact(fact_id)

    def doubt(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as uncertain: believed half as much, and found only where that status is asked for, until `confirm` or `reject`.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        fact, db = self._live_fact(fact_id)
        if fact.status != "uncertain":
            with db.transaction():
                origin = Origin(user_id=fact.user_id, turn_id=f"doubt-{uuid.uuid4().hex}", now=self._now(now))
                put(db, fact, "doubt", origin=origin, operation="update", reason="said to be uncertain")
            self._wake()
        return self._fact(fact_id)

    def task(self, fact_id: str, state: TaskState, *, now: Time | None = None) -> Fact:
        """Say where a task stands, active, done or stalled, and return it; what is done is over.

        Raises:
            NotFoundError: no fact has this id.
            InputError: it is no task, or there is no such state.
        """
        checks.one_of(state, get_args(TaskState), "state")
        fact, db = self._fact(fact_id), self._store.database()
        if fact.kind != "task":
            raise InputError(f"The fact {fact_id!r} is a {fact.kind}, not a task; list tasks with facts(kinds=['task']).")
        with db.transaction():
            origin = Origin(user_id=fact.user_id, turn_id=f"task-{uuid.uuid4().hex}", now=self._now(now))
            move(db, fact, state=state, origin=origin, reason=f"said to be {state}")
        self._wake()
        return self._fact(fact_id)

    def _set_for(self, user_id: str) -> str:
        """The weight set that ranks for a user: with `config.rival_weights` every other user, the same one each time, gets the rival."""
        rival = self._config.rival_weights
        return rival if rival and zlib.crc32(user_id.encode("utf-8", "replace")) % 2 else self._weights

    def _task_called(self, title: str, user_id: str) -> Fact | None:
        """The latest task of this title, open or done; one that was rejected is none."""
        tasks = self.facts(user_id, kinds=["task"], statuses=(*LIVE, "expired"))
        tasks = [task for task in tasks if task.status in LIVE or _state_of(task) == "done"]
        return next((fact for fact in reversed(tasks) if normalise(fact.value_text) == normalise(title)), None)

    def _moved(self, task: Fact, item: Item, timestamp: Time | None) -> Fact:
        """A task as it stands by what is said of it."""
        state = cast(TaskState, checks.one_of(str(item.details.get("state") or "active"), get_args(TaskState), "state"))
        stands = state == _state_of(task) and (state == "done") == (task.status == "expired")
        return task if stands else self.task(task.fact_id, state, now=timestamp)

    def _keep(self, item: Item, key: str, *, user_id: str, timestamp: Time | None, turn_id: str | None = None) -> Fact:
        given = item.model_dump(exclude={"text", "details", "key"})
        return self.remember(item.text, user_id=user_id, key=key, value_json=item.details, timestamp=timestamp, turn_id=turn_id, **given)

    def _weigh(
        self,
        question: Question,
        *,
        user_id: str,
        goal: str | None,
        now: datetime,
        statuses: Sequence[Status] | None = None,
        filters: Filters | None = None,
    ) -> tuple[Hits, list[Doubt]]:
        """Ask the hot and the warm first, and the cold too if that is not enough; return what was found, with a verdict on it, and what is
        in doubt.
        """
        db = self._store.database()
        calibration = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights="calibration")}
        warm: Sequence[Tier] = ("hot", "warm")
        for tiers in (warm, None):
            hits = retrieve(
                db,
                question,
                user_id=user_id,
                embedder=self._patient,
                now=now,
                weights=self._set_for(user_id),
                limit=self._config.context_candidates,
                statuses=statuses or (_EVER if question.as_of or question.past else LIVE),
                as_of=question.as_of,
                top_k_lex=self._config.top_k_lex,
                top_k_vec=self._config.top_k_vec,
                goal=goal,
                tiers=tiers,
                hot_days=self._config.hot_days,
                warm_days=self._config.warm_days,
                judged=True,
                cache=self._cache,
                index=self._index,
                base_half_life_days=self._config.base_half_life_days,
                minimum_importance=self._config.minimum_importance,
                **(filters or {}),
            )
            hits[:] = [hit for hit in hits if self._may_come_to_mind(hit.fact, now)]
            doubts = clarify(db, hits, user_id=user_id, now=now, config=self._config)
            hits.verdict = verdict = judge(question, hits, doubts=doubts, calibration=calibration, config=self._config)
            enough = verdict.decision == "answer" and verdict.relevance > self._config.abstain_relevance
            if enough and verdict.confidence >= self._config.abstain_confidence:
                break
        return hits, doubts

    def _may_come_to_mind(self, fact: Fact, now: datetime) -> bool:
        """Whether a fact is no first-person memory, or is one as old and as young as `recall` gives."""
        if fact.kind != "narrative":
            return True
        age = now - max(fact.created_at, fact.last_mentioned_at or fact.created_at)
        is_fresh = not self._config.max_age_days or age <= timedelta(days=self._config.max_age_days)
        return is_fresh and now - fact.created_at >= timedelta(minutes=self._config.event_buffer_minutes)

    def _diverse(self, hits: Sequence[Hit], *, limit: int) -> list[Hit]:
        """Those of the hits that say different things, and no more first-person memories than `recall` gives."""
        most = {"narrative": self._config.max_memories_per_retrieval}
        return diversify(self._store.database(), hits, limit=limit, balance=self._config.context_balance, most=most)

    # --- inside --------------------------------------------------------------------------------------------------------------

    def _turn(
        self,
        user_input: str,
        assistant_response: str = "",
        *,
        user_id: str,
        turn_id: str,
        timestamp: Time | None,
        session_id: str | None,
        speaker: str | None,
    ) -> Turn:
        if not user_input and not assistant_response:
            raise InputError("There is nothing to observe: give user_input, assistant_response or both.")
        return Turn(
            id=0,
            turn_id=checks.name(turn_id, "turn_id"),
            user_id=checks.name(user_id, "user_id"),
            session_id=checks.text(session_id, "session_id") if session_id is not None else None,
            speaker=checks.text(speaker, "speaker") if speaker else None,
            user_input=checks.text(user_input, "user_input"),
            assistant_response=checks.text(assistant_response, "assistant_response"),
            timestamp=checks.lived(self._time(timestamp), "timestamp"),
        )

    def _message_turns(
        self, batch: Sequence[Message | Mapping[str, object]], *, user_id: str, seen: dict[str, int], first: int
    ) -> Iterator[Turn]:
        for place, given in enumerate(batch, start=first + 1):
            try:
                message = given if isinstance(given, Message) else Message.model_validate(given)
            except ValidationError as error:
                wrong = error.errors()[0]
                raise InputError(f"Message {place} cannot be loaded: field {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}.") from error
            turn_id = message.turn_id
            if turn_id is None:
                turn_id = derived_turn_id(user_id, message.session_id, message.speaker, str(message.timestamp or ""), message.text)
                seen[turn_id] = seen.get(turn_id, 0) + 1
                turn_id = turn_id if seen[turn_id] == 1 else f"{turn_id}-{seen[turn_id]}"
            yield self._turn(
                message.text,
                user_id=user_id,
                turn_id=turn_id,
                timestamp=message.timestamp,
                session_id=message.session_id,
                speaker=message.speaker,
            )

    def _time(self, value: Time | None) -> datetime:
        return to_utc(value, zone=self._config.zone) if value is not None else to_utc(utc_now())

    def _now(self, value: Time | None) -> datetime:
        return utc_now() if value is None else checks.lived(self._time(value), "now")

    def _kinds(self, db: Database) -> dict[str, Kind]:
        return {str(row["kind"]): Kind.model_validate(row) for row in db.all("kinds.all")}

    def _fact(self, fact_id: str) -> Fact:
        fact = read_fact(self._store.database(), fact_id)
        if fact is None:
            raise NotFoundError(f"There is no fact {fact_id!r}; list the ids with facts() or `memdb facts`.")
        return fact

    def _procedures(self, scores: Mapping[str, float | None]) -> list[Procedure]:
        rows = self._store.database().all("procedures.by_ids", fact_ids=json.dumps(list(scores)))
        found = {
            str(row["fact_id"]): Procedure.model_validate(
                {**row, "steps": json.loads(str(row["steps"])), "score": scores[str(row["fact_id"])]}
            )
            for row in rows
        }
        return [found[fact_id] for fact_id in scores if fact_id in found]

    def _live_fact(self, fact_id: str) -> tuple[Fact, Database]:
        fact = self._fact(fact_id)
        if fact.kind == "message":
            raise InputError(f"{fact_id!r} is a message, which is kept as it was said; only facts can be decided, see facts().")
        if fact.status not in (*LIVE, "uncertain"):
            said = fact.value_text[:60]
            raise InputError(f"The fact {fact_id!r} ({said!r}) is {fact.status}; only a believed, pending or uncertain one can be decided.")
        return fact, self._store.database()

    def _open_work(self) -> tuple[int, int]:
        db = self._store.database()
        with db.snapshot():  # what one thread has written is not to be missed between two looks
            row = db.one("queue.open", now=to_text(utc_now())) or {}
            events = events_due(db, self._config, now=utc_now())
        number = {name: int(value or 0) for name, value in row.items()}
        if self._embedder is None or (self._store.embedder() or (None,))[0] != self._embedder.name:
            number["vectors"] = number["vectors_waiting"] = 0
        elif self._patient is not None and self._patient.rest.lasts:
            number["vectors_waiting"] = number["vectors"]
        left = number["turns"] + number["vectors"] + events
        untold, postponed = count_changes(self._store, self._index) if self._index is not None else (0, 0)
        return left + untold, number["turns_waiting"] + number["vectors_waiting"] + postponed

    def _work(self) -> bool:
        """Do one step of the background work here and now; return whether there was one."""
        if take_turn(self._store, self._config, self._llm, self._patient, identity=new_identity()):
            return True
        if take_segment(self._store, self._config, self._narrator, now=utc_now()):
            return True
        embedder, patient = self._embedder, self._patient
        if embedder is not None and patient is not None and take_vectors(self._store, self._config, embedder, rest=patient.rest):
            return True
        return self._mirror()

    def _hurried(self) -> Embedder | None:
        """The embedder as one that a single write waits for; what it does not manage in that time, the background work does."""
        patience = min(self._config.write_patience_seconds, self._config.embed_patience_seconds)
        return None if self._patient is None else Hurried(self._patient, patience)

    def _interrupt_rests(self) -> None:
        """Let the background work try at once what failed lately."""
        if self._patient is not None:
            self._patient.rest.interrupt()
        if self._index is not None:
            self._index.rest.interrupt()

    def _mirror(self) -> bool:
        """Tell the collection that serves as the index one batch of what changed; return whether there was one."""
        if self._index is None or self._embedder is None:
            return False
        return take_changes(self._store, self._config, self._embedder, self._index)

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def _finish_profiles(self) -> None:
        db = self._store.database()
        for row in db.all("profile.outdated") if not self._store.read_only else ():
            with db.transaction():
                build_profile(db, user_id=str(row["user_id"]), now=to_utc(str(row["last_turn_at"])), config=self._config)


def _state_of(task: Fact) -> object:
    return task.value_json.get("state") if isinstance(task.value_json, dict) else None
