"""Memory: the one class. It receives turns, hands them to the worker, and answers from what is stored."""

from __future__ import annotations

import json
import uuid
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Literal, Self

from pydantic import JsonValue, ValidationError

from memdb import checks
from memdb.calibration import EVIDENCE, Calibration, evidence_of, fit, measure, probability_of
from memdb.config import Config, load_config
from memdb.embed import Embedder, choose_embedder, choose_tokenizer
from memdb.errors import BusyError, InputError, NotFoundError
from memdb.keys import is_canonical, predicate_of
from memdb.llm import LanguageModel, choose_llm
from memdb.maintenance import maintain
from memdb.observer import Worker, build_profile, decide, derived_turn_id, enqueue, new_identity, read_predicates, take_turn, take_vectors
from memdb.records import (
    LIVE,
    Candidate,
    Category,
    Change,
    Context,
    Fact,
    Forgotten,
    Hits,
    Item,
    Kind,
    Maintained,
    MemoryType,
    Message,
    Profile,
    Question,
    Rejected,
    Section,
    Source,
    Stats,
    Status,
    TaskState,
    Tier,
    Turn,
    Undone,
    Verdict,
    Written,
)
from memdb.steps.apply import Origin, dismiss, end, move, put, read_fact, settle
from memdb.steps.clarify import clarify
from memdb.steps.compact import compact
from memdb.steps.diversify import diversify
from memdb.steps.forget import forget
from memdb.steps.gate import gate
from memdb.steps.inject import inject
from memdb.steps.judge import judge
from memdb.steps.materialize import materialize
from memdb.steps.retrieve import FEATURES, retrieve
from memdb.steps.understand import understand
from memdb.steps.undo import undo
from memdb.store import SCHEMA_VERSION, Database, Store
from memdb.times import to_text, to_utc, utc_now

Time = datetime | str
"""An instant: a datetime, or ISO-8601 text; without an offset it is in the configured time zone."""

_LOAD_BATCH = 200  # messages a transaction: a commit's cost shared, the lock held for milliseconds
_CONTEXT_HITS = 16
_EVER: tuple[Status, ...] = ("active", "pending_confirmation", "superseded", "expired", "archived")


class Memory:
    """An assistant's memory in one file. Use it as a context manager, or call `close()`.

    All methods may be called from any thread. Times given without an offset are in the configured time zone; `now` defaults to the
    present and can be set to ask as if it were another time.
    """

    def __init__(self, store: Store, config: Config, embedder: Embedder | None, llm: LanguageModel | None, weights: str) -> None:
        self._store, self._config, self._embedder, self._llm, self._weights = store, config, embedder, llm, weights
        self._asked: deque[tuple[str, dict[str, str | int | float | None]]] = deque(maxlen=1_000)
        self._worker = Worker(store, config, embedder, llm) if config.worker else None
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
            self._write_down_retrievals()
            self._finish_profiles()
        except BusyError:
            pass  # both are conveniences that the next process makes up for
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
        with db.transaction():
            enqueue(db, turn, received_at=utc_now(), zone=self._config.zone)
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
            with db.transaction():
                received_at = utc_now()
                added += sum(enqueue(db, turn, received_at=received_at, zone=self._config.zone) for turn in turns)
            taken += len(batch)
            self._wake()
            if progress is not None:
                progress(taken)
        return added

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until everything observed is thought about, written and embedded. Return False if that did not come to pass.

        False means that `timeout` seconds went by, or (without a timeout) that all that is left waits to be tried again later.
        """
        deadline = None if timeout is None else monotonic() + timeout
        while True:
            left, waiting = self._open_work()
            if not left:
                return True
            remaining = None if deadline is None else deadline - monotonic()
            if left == waiting if remaining is None else remaining <= 0:
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
        """Store a fact that the application states, and return the row that stands afterwards.

        It goes the same way as an extracted one: said again it is confirmed, against an older value under the same key it supersedes it.

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
            tags: words to filter by.
            session_id: the conversation it belongs to.
            turn_id: the turn it comes from; the same fact of the same turn is stored once.
            timestamp: when it was said; the present if None.

        Raises:
            InputError: the key, the kind or a value cannot be used.
        """
        said_at = self._time(timestamp)
        checks.filled(value_text, "value_text")
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
                valid_from=self._time(valid_from) if valid_from else None,
                valid_to=self._time(valid_to) if valid_to else None,
                temporary=valid_to is not None,
                explicit=True,
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
        with db.transaction():
            results = decide(db, said, origin=origin, predicates=predicates, config=self._config)
        self._wake()
        for action, fact_id in reversed(results):
            fact = read_fact(db, fact_id or action.target_fact_id or "")
            if fact is not None:
                return fact
        known = self.facts(user_id, key=key, statuses=_EVER, kinds=[kind])
        return next(fact for fact in reversed(known) if fact.source_turn_id == origin.turn_id or fact.value_text == value_text)

    def confirm(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as explicitly confirmed: a pending one becomes the belief, and what it contradicted is superseded.

        Its confidence closes `config.confirmation_rate` of the gap to 1.00.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        fact, db = self._live_fact(fact_id)
        origin = Origin(user_id=fact.user_id, turn_id=f"confirm-{uuid.uuid4().hex}", now=self._time(now))
        raised = fact.confidence + (1 - fact.confidence) * self._config.confirmation_rate
        with db.transaction():
            settle(db, fact, origin=origin, reason="confirmed by the user", confidence=raised)
        self._wake()
        return self._fact(fact_id)

    def reject(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as never true: it ends with an empty validity, so that questions about the past do not find it either.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        fact, db = self._live_fact(fact_id)
        origin = Origin(user_id=fact.user_id, turn_id=f"reject-{uuid.uuid4().hex}", now=self._time(now))
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
            undone = undo(db, user_id=user_id, turn_id=turn_id, session_id=session_id, cause=cause, now=self._time(now))
            build_profile(db, user_id=user_id, now=self._time(now), config=self._config)
        self._wake()
        return undone

    def forget(self, user_id: str, *, key: str | None = None) -> Forgotten:
        """Erase everything of a user, or everything learned under one key, from the whole file, and return how much it was.

        Rows, history, words, vectors, the queue and the turns themselves go; the freed space is overwritten.
        """
        db = self._store.database()
        with db.transaction():
            forgotten = forget(db, user_id=checks.name(user_id, "user_id"), key=key)
            db.run("meta.put", name="forgotten_at", value=to_text(utc_now()))
            if key is not None:
                build_profile(db, user_id=user_id, now=utc_now(), config=self._config)
        self._asked = deque((entry for entry in self._asked if entry[1]["user_id"] != user_id), maxlen=self._asked.maxlen)
        db.checkpoint()
        self._wake()
        return forgotten

    def compact(self, user_id: str | None = None, *, now: Time | None = None) -> int:
        """Move what has been superseded or expired for `config.archive_after_days` into the archive, and return how many rows."""
        at = self._time(now)
        db = self._store.database()
        with db.transaction():
            moved = compact(db, user_id=user_id, before=at - timedelta(days=self._config.archive_after_days), now=at)
        self._wake()
        return moved

    def retry(self) -> int:
        """Give vectors that were set aside as dead another chance, and return how many there are."""
        db = self._store.database()
        with db.transaction():
            revived = db.run("sync.revive")
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
        goal: str | None = None,
        tiers: Sequence[Tier] | None = None,
        judged: bool = False,
        now: Time | None = None,
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
            max_age_days: leave out what is older.
            min_score: leave out what scores less.
            goal: what the user is after, for weight sets that weigh it (`priority`).
            tiers: of messages and episodes, only those of these ages: hot, warm, cold; all if None.
            judged: give each hit its `relevance` and `confidence_now`, whichever set ranks.
            now: the time that decay and recency are counted to; the present if None.

        Raises:
            InputError: a kind or the weight set is unknown.
        """
        at = self._time(now)
        db = self._store.database()
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        then = self._time(as_of) if as_of else question.as_of
        hits = retrieve(
            db,
            question,
            user_id=user_id,
            embedder=self._embedder,
            now=at,
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
            top_k_lex=self._config.top_k_lex,
            top_k_vec=self._config.top_k_vec,
            goal=goal,
            tiers=tiers,
            hot_days=self._config.hot_days,
            warm_days=self._config.warm_days,
            judged=judged,
        )
        self._note_retrieval(query, hits, user_id=user_id, weights=weights or self._set_for(user_id), at=at)
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
        `Context.question` is what the user should be asked, where a conflict of high value is pending; `Context.verdict` says whether to
        answer from this at all. Cold messages are asked only when the rest is not enough.
        """
        at = self._time(now)
        db = self._store.database()
        profile = materialize(db, user_id=user_id, now=at, config=self._config)
        budget = self._config.context_max_tokens if max_tokens is None else max_tokens
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        clarification = clarify(db, user_id=user_id, now=at, config=self._config)
        hits, verdict = self._weigh(question, user_id=user_id, goal=goal, clarification=clarification, now=at)
        result = inject(
            profile,
            diversify(db, hits, limit=limit, balance=self._config.context_balance),
            kinds=self._kinds(db),
            sections={str(row["section"]): Section.model_validate(row) for row in db.all("sections.all")},
            system=system,
            verdict=verdict,
            max_tokens=max(0, budget),
            tokenizer=choose_tokenizer(),
            now=at,
            config=self._config,
            question=clarification,
            degraded=hits.degraded,
        )
        self._note_retrieval(query, hits, user_id=user_id, weights=self._set_for(user_id), at=at, prompt_tokens=result.tokens)
        return result

    def profile(self, user_id: str, *, now: Time | None = None) -> Profile:
        """Return what is held of a user now: identity, preferences, tasks, recent changes and sensitive topics."""
        return materialize(self._store.database(), user_id=user_id, now=self._time(now), config=self._config)

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
        """
        db = self._store.database()
        wanted = json.dumps(list(kinds) if kinds is not None else [kind for kind in self._kinds(db) if kind != "message"])
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
                now=to_text(self._time(now)),
            )
        return [Fact.model_validate_json(str(row["record"])) for row in rows]

    def history(self, *, user_id: str | None = None, fact_id: str | None = None) -> list[Change]:
        """Return the audit trail, oldest first: each change with the fact before and after, the reason and the turn."""
        rows = self._store.database().all("believe.history", user_id=user_id, fact_id=fact_id)
        return [
            Change.model_validate({**row, **{side: row[side] and json.loads(str(row[side])) for side in ("before", "after")}})
            for row in rows
        ]

    def stats(self) -> Stats:
        """Return the state of the file in numbers: rows, queues, vectors, hit rates, latencies and sizes."""
        self._write_down_retrievals()
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

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._config

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use; None means words only."""
        return self._embedder

    # --- how sure it is --------------------------------------------------------------------------------------------------------

    def recall(self, query: str, *, user_id: str, goal: str | None = None, limit: int = _CONTEXT_HITS, now: Time | None = None) -> Hits:
        """Return what a context would be made of: at most `limit` hits that say different things, judged, with `Hits.verdict` on them."""
        at, db = self._time(now), self._store.database()
        question = understand(db, checks.searchable(query), user_id=user_id, now=at, zone=self._config.zone)
        clarification = clarify(db, user_id=user_id, now=at, config=self._config)
        hits, verdict = self._weigh(question, user_id=user_id, goal=goal, clarification=clarification, now=at)
        self._note_retrieval(query, hits, user_id=user_id, weights=self._set_for(user_id), at=at)
        hits.verdict = verdict
        hits[:] = diversify(db, hits, limit=limit, balance=self._config.context_balance)
        return hits

    def write(self, items: Iterable[Item | Mapping[str, object]], *, user_id: str, timestamp: Time | None = None) -> Written:
        """Keep what is new and sure enough of what an application or a model states; return what was kept, and what was not and why.

        Raises:
            InputError: an item has unknown or unusable fields; those before it are kept.
        """
        db = self._store.database()
        predicates = read_predicates(db)
        accepted: list[str] = []
        rejected: list[Rejected] = []
        for given in items:
            try:
                item = given if isinstance(given, Item) else Item.model_validate(given)
            except ValidationError as error:
                wrong = error.errors()[0]
                raise InputError(f"An item cannot be written: field {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}.") from error
            key = item.key or {"task": "user.task", "episode": "user.episode"}.get(item.kind, "user.note")
            health = predicate_of(key, predicates).category == "health"
            try:
                checks.filled(item.text, "text")
                reason = gate(db, item, user_id=user_id, sensitive=health, embedder=self._embedder, config=self._config)
                if reason is None:
                    accepted.append(self._keep(item, key, user_id=user_id, timestamp=timestamp).fact_id)
            except InputError as error:
                reason = str(error)
            if reason is not None:
                rejected.append(Rejected(item=item, reason=reason))
        return Written(accepted=tuple(dict.fromkeys(accepted)), rejected=tuple(rejected))

    def weight_sets(self) -> dict[str, dict[str, float]]:
        """Return every weight set of the file by name."""
        db = self._store.database()
        names = [str(row["name"]) for row in db.all("weights.names")]
        return {name: {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights=name)} for name in names}

    def set_weights(self, sets: Mapping[str, Mapping[str, float]]) -> None:
        """Put weight sets into the file, each as a whole: those of the same name are replaced, others stay.

        Raises:
            InputError: a set is empty, or has a feature that does not rank.
        """
        db = self._store.database()
        known = {str(row["feature"]) for row in db.all("weights.features")} | {*FEATURES, *EVIDENCE}
        for name, features in sets.items():
            unknown = sorted(set(features) - known)
            if unknown or not features:
                what = f"has the feature {unknown[0]!r}" if unknown else "is empty"
                raise InputError(f"The weight set {name!r} {what}; the features are {', '.join(sorted(known))}.")
        with db.transaction():
            for name, features in sets.items():
                db.run("weights.clear", name=checks.name(name, "the name of a weight set"))
                for feature, value in features.items():
                    db.run("weights.put", name=name, feature=feature, value=float(value))

    def calibrate(self, questions: Iterable[tuple[str, str, bool]], *, now: Time | None = None) -> tuple[Calibration | None, Calibration]:
        """Fit the probability of an answer to labelled questions, and return how well it fitted them before (if it did) and after.

        Each is (user_id, question, whether the memory holds the answer). The weights become the set `calibration`. Both measures are on the
        questions themselves; for others expect somewhat less (`bench/abstention.py` leaves out whole conversations).

        Raises:
            InputError: there are not both kinds of questions.
        """
        found: list[dict[str, float]] = []
        right: list[bool] = []
        for user_id, question, answerable in questions:
            hits = self.recall(question, user_id=user_id, limit=self._config.context_candidates, now=now)
            found.append(evidence_of(hits.question, sorted(hits, key=lambda hit: -hit.score)))
            right.append(answerable)
        if len(set(right)) < 2:
            raise InputError("Calibration needs questions that the memory answers and such that it does not; give at least one of each.")
        old = self.weight_sets().get("calibration", {})
        before = measure([probability_of(one, old) or 0.0 for one in found], right) if old else None
        weights = fit(found, right)
        self.set_weights({"calibration": weights})
        return before, measure([probability_of(one, weights) or 0.0 for one in found], right)

    def end(self, fact_id: str, *, valid_to: Time | None = None, now: Time | None = None) -> Fact:
        """Say until when a fact was true (now, if None), and return it; history keeps it.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live, or would end before it began.
        """
        fact, db = self._live_fact(fact_id)
        at = self._time(now)
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
                origin = Origin(user_id=fact.user_id, turn_id=f"doubt-{uuid.uuid4().hex}", now=self._time(now))
                put(db, fact, "doubt", origin=origin, operation="update", reason="said to be uncertain")
            self._wake()
        return self._fact(fact_id)

    def task(self, fact_id: str, state: TaskState, *, now: Time | None = None) -> Fact:
        """Say where a task stands, active, done or stalled, and return it; what is done is over.

        Raises:
            NotFoundError: no fact has this id.
            InputError: it is no task.
        """
        fact, db = self._fact(fact_id), self._store.database()
        if fact.kind != "task":
            raise InputError(f"The fact {fact_id!r} is a {fact.kind}, not a task; list tasks with facts(kinds=['task']).")
        with db.transaction():
            origin = Origin(user_id=fact.user_id, turn_id=f"task-{uuid.uuid4().hex}", now=self._time(now))
            move(db, fact, state=state, origin=origin, reason=f"said to be {state}")
        self._wake()
        return self._fact(fact_id)

    def maintain(self, user_id: str | None = None, *, now: Time | None = None) -> Maintained:
        """Do the upkeep of a user's memory, or of everybody's, and return what was done; doing it again does nothing more.

        Sessions that are over are summarised as episodes, open loops become tasks and are closed when said to be done, what recurs is
        drawn into reflective notes and promoted to the profile, and what is more than is kept goes to the archive.
        """
        at = self._time(now)

        def keep(item: Item, owner: str, turn_id: str, said_at: datetime) -> Fact:
            key = item.key or "user.note"
            return self._keep(item, key, user_id=owner, timestamp=said_at, turn_id=turn_id)

        done = maintain(self._store.database(), user_id=user_id, keep=keep, now=at, config=self._config, llm=self._llm)
        done = done.model_copy(update={"compacted": self.compact(user_id, now=at)})
        self._wake()
        return done

    def _set_for(self, user_id: str) -> str:
        """The weight set that ranks for a user: with `config.rival_weights` every other user, the same one each time, gets the rival."""
        rival = self._config.rival_weights
        return rival if rival and zlib.crc32(user_id.encode("utf-8", "replace")) % 2 else self._weights

    def _keep(self, item: Item, key: str, *, user_id: str, timestamp: Time | None, turn_id: str | None = None) -> Fact:
        given = item.model_dump(exclude={"text", "details", "key"})
        return self.remember(item.text, user_id=user_id, key=key, value_json=item.details, timestamp=timestamp, turn_id=turn_id, **given)

    def _weigh(
        self, question: Question, *, user_id: str, goal: str | None, clarification: str | None, now: datetime
    ) -> tuple[Hits, Verdict]:
        """Ask the hot and the warm first, and the cold too if that is not enough."""
        db = self._store.database()
        calibration = {str(row["feature"]): float(row["value"] or 0) for row in db.all("weights.of", weights="calibration")}
        warm: Sequence[Tier] = ("hot", "warm")
        for tiers in (warm, None):
            hits = retrieve(
                db,
                question,
                user_id=user_id,
                embedder=self._embedder,
                now=now,
                weights=self._set_for(user_id),
                limit=self._config.context_candidates,
                statuses=_EVER if question.as_of or question.past else LIVE,
                as_of=question.as_of,
                top_k_lex=self._config.top_k_lex,
                top_k_vec=self._config.top_k_vec,
                goal=goal,
                tiers=tiers,
                hot_days=self._config.hot_days,
                warm_days=self._config.warm_days,
                judged=True,
            )
            verdict = judge(question, hits, clarification=clarification, calibration=calibration, config=self._config)
            enough = verdict.decision == "answer" and verdict.relevance > self._config.abstain_relevance
            if enough and verdict.confidence >= self._config.abstain_confidence:
                break
        return hits, verdict

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
            session_id=session_id,
            speaker=speaker or None,
            user_input=checks.text(user_input, "user_input"),
            assistant_response=checks.text(assistant_response, "assistant_response"),
            timestamp=self._time(timestamp),
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

    def _kinds(self, db: Database) -> dict[str, Kind]:
        return {str(row["kind"]): Kind.model_validate(row) for row in db.all("kinds.all")}

    def _fact(self, fact_id: str) -> Fact:
        fact = read_fact(self._store.database(), fact_id)
        if fact is None:
            raise NotFoundError(f"There is no fact {fact_id!r}; list the ids with facts() or `memdb facts`.")
        return fact

    def _live_fact(self, fact_id: str) -> tuple[Fact, Database]:
        fact = self._fact(fact_id)
        if fact.status not in (*LIVE, "uncertain") or fact.kind == "message":
            said = fact.value_text[:60]
            raise InputError(f"The fact {fact_id!r} ({said!r}) is {fact.status}; only a believed, pending or uncertain one can be decided.")
        return fact, self._store.database()

    def _open_work(self) -> tuple[int, int]:
        row = self._store.database().one("queue.open", now=to_text(utc_now())) or {}
        number = {name: int(value or 0) for name, value in row.items()}
        if self._embedder is None:
            number["vectors"] = number["vectors_waiting"] = 0
        return number["turns"] + number["vectors"], number["turns_waiting"] + number["vectors_waiting"]

    def _work(self) -> bool:
        """Do one step of the background work here and now; return whether there was one."""
        if take_turn(self._store, self._config, self._llm, identity=new_identity()):
            return True
        return self._embedder is not None and take_vectors(self._store, self._config, self._embedder)

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    def _note_retrieval(
        self, query: str, hits: Hits, *, user_id: str, weights: str, at: datetime, prompt_tokens: int | None = None
    ) -> None:
        """Reading never waits for the write lock: what was asked is written down later, in one go."""
        if self._config.record_retrievals:
            entry: dict[str, str | int | float | None] = {
                "user_id": user_id,
                "query": checks.searchable(query)[:1_000],
                "weights": weights,
                "lexical_hits": hits.lexical,
                "vector_hits": hits.semantic,
                "returned": len(hits),
                "degraded": hits.degraded,
                "elapsed_ms": hits.elapsed_ms,
                "prompt_tokens": prompt_tokens,
                "now": to_text(at),
            }
            self._asked.append((to_text(utc_now()), entry))

    def _write_down_retrievals(self) -> None:
        """What was asked before another process forgot somebody may name what is forgotten, and is left out."""
        if self._asked:
            db = self._store.database()
            with db.transaction():
                meta = {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}
                forgotten_at = meta.get("forgotten_at", "")
                asked, self._asked = self._asked, deque(maxlen=self._asked.maxlen)
                db.run_many("stats.asked", [entry for noted_at, entry in asked if noted_at > forgotten_at])

    def _finish_profiles(self) -> None:
        db = self._store.database()
        for row in db.all("profile.outdated"):
            with db.transaction():
                build_profile(db, user_id=str(row["user_id"]), now=to_utc(str(row["last_turn_at"])), config=self._config)


def open(
    path: str | Path,
    *,
    config: Config | Mapping[str, object] | None = None,
    embedder: Embedder | Literal["auto"] | str | None = "auto",
    llm: LanguageModel | Literal["auto"] | None = "auto",
    weights: str = "default",
) -> Memory:
    """Open a memory, made if the file does not exist, and return it.

    Args:
        path: the file, such as "mem.db".
        config: settings by name, over `memdb.toml` beside the file and the environment; a `Config` is taken as it is.
        embedder: "auto" for the one the file was written with, or MiniLM where it is installed; an embedder's name; an `Embedder`; or
            None for words only.
        llm: the language model that reads the turns: "auto" for the one at `OPENAI_BASE_URL` if the setting `model` names it; a
            `LanguageModel`; or None for rules. When it fails, rules take its place.
        weights: the weight set that ranks unless a search names another.

    Raises:
        ConfigError: a setting cannot be used, or the file's vectors are of another embedder.
        SchemaError: the file is no mem.db, or of a newer version.
        StoreError: the file cannot be opened.
    """
    path = Path(path)
    settings = load_config(path, config)
    probe = Store(path, settings, vectors=False)
    try:
        remembered = probe.embedder()
    finally:
        probe.close()
    chosen = choose_embedder(embedder, remembered=remembered[0] if remembered else None)
    store = Store(path, settings, vectors=chosen is not None)
    try:
        if chosen is not None:
            store.bind_embedder(chosen.name, chosen.dimension)
        if not store.database().all("weights.of", weights=weights):
            names = ", ".join(str(row["name"]) for row in store.database().all("weights.names"))
            raise InputError(f"There is no weight set {weights!r}; the sets are {names}.")
        thinker = choose_llm(llm, model=settings.model, timeout=settings.model_timeout_seconds, attempts=settings.model_attempts)
        return Memory(store, settings, chosen, thinker, weights)
    except BaseException:
        store.close()
        raise
