"""Memory: the one class. It receives turns, hands them to the worker, and answers from what is stored."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NoReturn, Self, TypeVar, Unpack, get_args
from weakref import ref

from pydantic import JsonValue

from memdb import carrying, checks, deciding, ending, forgetting, linking, mending, reading, stating, stored
from memdb.answering import CONTEXT_HITS, Answering
from memdb.answers import (
    Context,
    Explanation,
    Forgotten,
    Hits,
    Linked,
    Listed,
    Maintained,
    Mended,
    Profile,
    Sources,
    Stats,
    Tuned,
    Undone,
    Vectors,
    Written,
)
from memdb.awaited import Hurried
from memdb.background import Background
from memdb.bulk import store_many, usable
from memdb.calibration import Calibration
from memdb.config import Config
from memdb.embed import Embedder, choose_embedder
from memdb.errors import ConfigError, InputError, ModelUnavailable, StoreError
from memdb.filters import Filters, Narrowed, refuse_unknown
from memdb.intake import Intake
from memdb.keeper import take_segment
from memdb.llm import LanguageModel
from memdb.maintenance import maintain
from memdb.mirroring import with_collection
from memdb.narrator import Narrator
from memdb.notebook import Notebook
from memdb.outside import OutsideIndex
from memdb.ranking import (
    calibrate,
    evaluate,
    explain_search,
    fit,
    give_feedback,
    labels_of,
    read_labels,
    set_weights,
    weight_sets,
    weights_of,
    write_weights,
)
from memdb.recording import read_fact
from memdb.records import (
    BreakTrigger,
    Category,
    Change,
    Consent,
    Damage,
    Fact,
    Item,
    Labelled,
    Link,
    MemoryType,
    Message,
    ModelCall,
    ModelCard,
    NewFact,
    Procedure,
    Relation,
    Source,
    Status,
    TaskState,
    Tier,
    TurnRecord,
    TurnStatus,
    by_the_clock,
)
from memdb.session import Session
from memdb.steps.materialize import materialize
from memdb.steps.project import project
from memdb.store import Store
from memdb.tidying import archive_closed
from memdb.tiers import change_embedder, count_vectors
from memdb.times import EVER, instant, utc_now
from memdb.worker import retry_at_once
from memdb.working import Eviction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Result = TypeVar("Result")
Time = date | str
"""An instant: a datetime, a date (its beginning), or ISO-8601 text; without an offset it is in the configured time zone."""


class Memory:
    """An assistant's memory in one file. Use it as a context manager, or call `close()`.

    One that nobody has any more ends its threads within a second, and so does the end of the process: both lose nothing that was taken.
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
        self._store, self._config, self._llm, self._index = store, config, llm, index
        self._notebook, self._intake = Notebook(store, config), Intake(store, config)
        self._answering = Answering(store, config, embedder, notebook=self._notebook, weights=weights, index=index)
        writer, cooldown = narrator or llm, config.generation_cooldown_seconds
        self._narrator = None if writer is None else Narrator(writer, cooldown=cooldown, burst=config.generation_burst)
        self._background = Background(
            store,
            config,
            owner=ref(self),
            embedder=embedder,
            patient=self._answering.patient,
            llm=llm,
            narrator=self._narrator,
            index=index,
            notebook=self._notebook,
            intake=self._intake,
        )
        self._closed = False

    def __enter__(self) -> Self:
        """Return the memory itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the memory."""
        self.close()

    def __repr__(self) -> str:
        """Return whose file it is, and whether that is closed."""
        return f"<memdb.Memory {str(self._store.path)!r}{', closed' if self._closed else ''}>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled: a copy would share the threads and the file, and close them."""
        raise InputError("A memory cannot be copied or pickled; hand on the one there is, or open its file anew, as in another process.")

    def close(self, *, patience: float | None = None) -> None:
        """Finish the step at hand, bring the profiles up to date and close the file. What is queued waits there for the next opening.

        Args:
            patience: how many seconds to wait for that step: what takes longer is undone as far as it went, and begun anew after the next
                opening. However long it takes by default, but a second where Ctrl-C is why the memory is closed.
        """
        if patience is not None:
            patience = checks.age(patience, "patience")
        elif ending.interrupted(sys.exc_info()[1]):
            patience = ending.PATIENCE_SECONDS
        if self._closed or self._store.inherited:
            return
        self._closed = True
        try:
            if patience is None:
                self._background.finish()
            else:
                self._background.abandon(patience)
        except KeyboardInterrupt:  # while it was waited for
            self._background.abandon(0.0)
            raise
        finally:
            if self._index is not None:
                self._index.close()
            self._answering.close()
            self._store.close()

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._config

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use; None means words only."""
        return self._answering.embedder

    @property
    def tier(self) -> Literal[1, 2]:
        """1 searches by words alone and loads no vector package, 2 by meaning as well."""
        return 1 if self.embedder is None else 2

    # writing

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
            session_id: the conversation it belongs to, none if it is empty; a new one ends the one before.
            speaker: who spoke, where that is not the user: whoever is called otherwise than `user` or `user_id`, whose facts are their own.

        Raises:
            InputError: there is nothing to keep, or the text is no valid Unicode.
            ConflictError: another turn of this user has this id.
            StoreError: the file cannot be written; nothing was kept.
        """
        turn_id = checks.given(turn_id, "turn_id") or uuid.uuid4().hex
        self._intake.observe(
            user_input, assistant_response, user_id=user_id, turn_id=turn_id, timestamp=timestamp, session_id=session_id, speaker=speaker
        )
        self._background.wake()
        return turn_id

    def load(
        self,
        messages: Iterable[Message | Mapping[str, object]],
        *,
        user_id: str,
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Take many messages at once, and return how many were new.

        Each is `{text, speaker, timestamp, session_id, turn_id}`, only `text` required; a chat's `{role, content}` will do as well,
        of which calls of tools are passed over. One without a `turn_id` is named by what it says, so that loading the same messages
        again adds nothing. `progress` is called with the number of messages safely on disk.

        Raises:
            InputError: a message has unknown or unusable fields; those before it are kept.
        """
        checks.progress(progress)

        def written(count: int) -> None:
            self._background.wake()
            if progress is not None:
                progress(count)

        return self._intake.load(messages, user_id=user_id, written=written)

    def drain(self, timeout: float | None = None, *, vectors: bool = True) -> bool:
        """Wait until everything observed is thought about, written and embedded, and what was recalled is noted. Return False if it is not.

        That is what is there when it is called: what others add meanwhile is not waited for, and its vectors come after.
        Without `vectors` it does not wait for what is only to be embedded: done in the end, many texts at once, that takes less time.

        False means that `timeout` seconds went by, or (without a timeout) that all that is left waits to be tried again later, such as
        vectors while the embedder is down. What was set aside after failing too often, see `retry`, is not waited for.

        Raises:
            StoreError: the file cannot be read, or the work cannot be written: the disk is full, a part of the file damaged.
        """
        return self._background.drain(checks.bound(timeout, "timeout"), vectors=checks.truth(vectors, "vectors"))

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
        to wait as pending. So does what is too unsure, by its `confidence`, to take a belief's place.

        Args:
            value_text: the fact as a sentence.
            user_id: whose memory this is.
            key: `subject.predicate`, such as "user.lives_in"; None keeps a task under "user.task", an episode under "user.episode", and all
                else under "user.note".
            kind: a row of the table `kinds`.
            object: the bare value ("Lisbon"), by which repetitions are recognised; if None, what a fact says behind the words of its key
                ("Ana lives in Lisbon."), or the whole text where it does not say it so.
            value_json: details of any shape; the parts of the key are added.
            category: the category; the vocabulary's if None.
            memory_type: SIGNIFICANT to TRANSIENT; the vocabulary's if None.
            confidence: 0..1; the policy's if None.
            importance: 0..1; the vocabulary's if None.
            source: where it comes from.
            event_time: when what it speaks of happens, or is due.
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
        stated = stating.Statement(
            value_text=value_text,
            user_id=user_id,
            key=key,
            kind=kind,
            object=object,
            value_json=value_json,
            category=category,
            memory_type=memory_type,
            confidence=confidence,
            importance=importance,
            source=source,
            event_time=event_time,
            valid_from=valid_from,
            valid_to=valid_to,
            tags=tags,
            session_id=session_id,
            turn_id=turn_id,
            timestamp=timestamp,
        )
        fact = stating.remember(self._store.database(), stated, embedder=self._hurried(), config=self._config)
        return self._woken(fact)

    def write(self, items: Iterable[Item | Mapping[str, object]], *, user_id: str, timestamp: Time | None = None) -> Written:
        """Keep what is new and sure enough of what an application or a model states; return what was kept, and what was not and why.

        A task that is there already is moved to the `state` in its details: active, done or stalled. A fact under a key that is named
        and held already is confirmed, or supersedes what is held there, as by `remember`.

        Raises:
            InputError: an item has unknown or unusable fields; those before it are kept.
        """
        db = self._store.database()
        try:
            return stating.write(db, items, user_id=user_id, timestamp=timestamp, hurried=self._hurried, config=self._config)
        finally:
            self._background.wake()

    def remember_many(self, facts: Iterable[NewFact | Mapping[str, object]], *, vectors: NDArray[np.float32] | None = None) -> int:
        """Store many facts as they are, and return how many were new: the way in for what another system knows.

        Five thousand are a transaction; of a hundred thousand at a time, those of a user go together. Nothing is weighed against what is
        believed, and history begins with the first change. Each is `{value_text, user_id, …}`, the fields those of `NewFact`; one whose
        `fact_id` is known is left as it is. `vectors` holds the embedder's vectors, one a fact, if they are ready; otherwise the facts are
        embedded in the background.

        Raises:
            InputError: a fact has unknown or unusable fields, or the vectors have the wrong shape or number, are zero or not finite; what
                came before its hundred thousand is kept.
            ConfigError: vectors were given to a memory that was opened without an embedder, or whose embedder another process has changed.
        """

        def ready(start: int, count: int, last: bool) -> NDArray[np.float32] | None:
            return None if vectors is None else usable(vectors, count, start=start, last=last, embedder=self.embedder)

        return self._woken(store_many(self._store.database(), facts, vectors=ready, embedder=self.embedder, config=self._config))

    def learn(
        self,
        trigger: str,
        steps: Sequence[str],
        *,
        user_id: str,
        title: str | None = None,
        importance: float | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
        timestamp: Time | None = None,
    ) -> Procedure:
        """Remember how something is done, and return it. Learning other steps for the same trigger supersedes those known before.

        What touches a sensitive topic may have to wait as pending, as in `remember`: `procedures` finds it once it is confirmed.

        Args:
            trigger: the task it is for, in words ("deploy the website").
            steps: what to do, in order.
            user_id: whose memory this is.
            title: a name for it; if None the one that it has, or the trigger.
            importance: 0..1; what it was if None, at first 0.6.
            session_id: the conversation it comes from.
            turn_id: the turn it comes from.
            timestamp: when it was learned; the present if None.

        Raises:
            InputError: the trigger or a step is empty, or there are no steps.
        """
        learned = stating.learn(
            self._store.database(),
            trigger,
            steps,
            user_id=user_id,
            embedder=self._hurried(),
            config=self._config,
            title=title,
            importance=importance,
            session_id=session_id,
            turn_id=turn_id,
            timestamp=timestamp,
        )
        return self._woken(learned)

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
            trigger: what ends the segment of events with this one: person_departed_home, person_arrived_home, time_of_day_change or
                significant_event.
            event_id: a name for the event; taking the same event again changes nothing.

        Raises:
            InputError: there is nothing to keep, or a value cannot be used.
            ConflictError: another event of this user has this id.
            StoreError: the file cannot be written; nothing was kept.
        """
        event_id = checks.given(event_id, "event_id") or uuid.uuid4().hex
        self._intake.event(
            description,
            user_id=user_id,
            timestamp=timestamp,
            participants=participants,
            location=location,
            importance=importance,
            trigger=trigger,
            event_id=event_id,
        )
        self._background.wake()
        return event_id

    def narrate(self, *, now: Time | None = None) -> list[Fact]:
        """Tell every segment of events that is over by `now`, and return the new memories. The worker does this by itself."""
        at = self._now(now)
        told: dict[str, None] = {}  # one that something was forgotten of meanwhile is told twice
        while fact_id := take_segment(self._store, self._config, self._narrator, now=at):
            told[fact_id] = None
        self._background.wake()
        db = self._store.database()
        return [fact for fact_id in told if (fact := read_fact(db, fact_id)) is not None]

    # deciding

    def confirm(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as explicitly confirmed: a pending or uncertain one becomes the belief, and what it contradicted is superseded.

        Under a key that has one value, so is everything else that is held there for good. Its confidence closes
        `config.confirmation_rate` of the gap to 1.00.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        return self._woken(deciding.confirm(self._store.database(), fact_id, now=self._now(now), config=self._config))

    def reject(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as never true: it ends with an empty validity, so that questions about the past do not find it either.

        What it had taken the place of stands again as before, also out of the archive, unless that has changed since.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        return self._woken(deciding.reject(self._store.database(), fact_id, now=self._now(now), config=self._config))

    def doubt(self, fact_id: str, *, now: Time | None = None) -> Fact:
        """Take a fact as uncertain: believed half as much, and found only where that status is asked for, until `confirm` or `reject`.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live.
        """
        return self._woken(deciding.doubt(self._store.database(), fact_id, now=self._now(now)))

    def end(self, fact_id: str, *, valid_to: Time | None = None, now: Time | None = None) -> Fact:
        """Say until when a fact was true (now, if None), and return it; history keeps it.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no longer live, would end before it began, or was over earlier.
        """
        at = self._now(now)
        ends = self._time(valid_to, "valid_to") if valid_to is not None else at
        return self._woken(deciding.end(self._store.database(), fact_id, ends=ends, now=at))

    def task(self, fact_id: str, state: TaskState, *, now: Time | None = None) -> Fact:
        """Say where a task stands, active, done or stalled, and return it; what is done is over.

        Raises:
            NotFoundError: no fact has this id.
            InputError: it is no task, or there is no such state.
        """
        return self._woken(deciding.set_task(self._store.database(), fact_id, state, now=self._now(now)))

    def outcome(
        self, fact_id: str, succeeded: bool, *, note: str = "", turn_id: str | None = None, timestamp: Time | None = None
    ) -> Procedure:
        """Note how a workflow went, and return it, stronger or weaker. The same turn's outcome counts once.

        Raises:
            NotFoundError: no fact has this id.
            InputError: the fact is no procedure, or no longer live; or it is not said by True or False.
        """
        db, at = self._store.database(), checks.lived(self._time(timestamp, "timestamp"), "timestamp")
        return deciding.outcome(db, fact_id, succeeded, note=note, turn_id=turn_id, now=at, config=self._config)

    def undo(
        self, *, user_id: str | None = None, turn_id: str | None = None, session_id: str | None = None, now: Time | None = None
    ) -> Undone:
        """Take back everything learned from a turn or from a session, and return how much; history records it.

        Whose it is need only be said where several users have a turn, or a session, of that name.

        What another turn has changed since is kept as it is. A turn that still waits, or is being thought about, will teach nothing. With
        the setting `turns_as_events`, first-person memories that tell of it end, too, and what else they told of is told anew. The turn's
        words stay; use `forget` to erase them.

        Raises:
            InputError: not exactly one of `turn_id` and `session_id` is given, or it is one of several users and nobody is named.
        """
        db = self._store.database()
        undone = deciding.undo(db, user_id=user_id, turn_id=turn_id, session_id=session_id, now=self._now(now), config=self._config)
        return self._woken(undone)

    def consent(
        self,
        user_id: str,
        *,
        sensitive_topics: Literal["keep", "ask", "refuse"] | None = None,
        secrets: Literal["keep", "refuse"] | None = None,
    ) -> Consent:
        """Note what a user lets be remembered from now on, and return what holds for them; with no choice, only return it.

        What is refused does not become a fact, and the turn's record says so (see `turns`); the message itself is kept word for word. It
        binds the application, too: `remember` raises `InputError`, `write` says why. What waits for leave by then is believed, or rejected.

        Args:
            user_id: whose choice this is.
            sensitive_topics: facts on health, sexuality, religion, politics, origin, money, crime and contacts: keep them, ask first (they
                wait as pending until `confirm`), or refuse them; None leaves it as it is, at first as the setting says.
            secrets: facts that hold a password, a card or account number, an access key or a national id.

        Raises:
            InputError: there is no such choice.
        """
        db = self._store.database()
        return self._woken(deciding.consent(db, user_id, sensitive_topics=sensitive_topics, secrets=secrets, config=self._config))

    def forget(self, user_id: str, *, key: str | None = None) -> Forgotten:
        """Erase everything of a user, or everything learned under one key, from the whole file, and return how much it was.

        Rows, history, words, vectors, the queue and the turns themselves go; every place where they stood is overwritten. Others who write
        wait while the rows go, all of them at once: an error means that none did. From then on nothing finds them, whatever happens; their
        vectors are taken away and their places overwritten after that. Where the disk is full by then, somebody else writes or reads the
        file for longer than ten seconds, or the process ends, the worker does that part later; how many vectors still wait is told.

        Raises:
            InputError: the key is none that there can be.
            StoreError: the file cannot be written, or is damaged.
        """
        db = self._store.database()
        forgotten = forgetting.forget(db, user_id, key=key, config=self._config)
        self._notebook.forget(user_id)
        self._answering.forget(user_id)
        forgetting.overwrite(db)
        self._background.wake()
        return forgotten

    # reading

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
        must: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
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
            limit: how many hits at most; 0 for none.
            kinds: only these kinds; all if None.
            as_of: what was true at that time; what is believed now if None.
            weights: the weight set that ranks; the memory's own if None.
            statuses: only these; what is believed or pending if None (with `as_of`, what was believed then).
            categories: only these.
            memory_types: only these.
            tags: rows with at least one of these tags.
            must: rows with each of these words and phrases in their own words, in whatever form (“cat” is in “Cats”).
            since: leave out what happened or was said before, and what was no longer so then; a day from its beginning on.
            until: leave out what happened, was said or began to be so from then on; a day to its end.
            min_age_minutes: leave out what is younger.
            max_age_days: leave out what is older, and was not mentioned since.
            min_score: leave out what scores less.
            participants: only what one of these people said or took part in, by their names or a word of them.
            goal: what the user is after: what is near it in meaning (without vectors: has its words) ranks higher, with sets that weigh it
                (`default`, `priority`).
            tiers: of messages, episodes and memories, only those of these ages: hot, warm, cold; all if None.
            judged: give each hit its `relevance` and `confidence_now`, whichever set ranks.
            vector: the question's vector, of shape (dimension,), where it is ready; the embedder makes it if None.
            now: the time that decay and recency are counted to; the present if None.
            record: note in `retrievals` what was asked and found, unless the setting `record_retrievals` is off, and that the first-person
                memories among it were recalled.

        Raises:
            InputError: the weight set or a name in a filter is unknown, nobody is named, a bound is no number or an age below 0, something
                in `must` has no letters, `until` is before `since`; the vector has the wrong shape, is zero or not finite.
            ConfigError: a vector was given to a memory that was opened without an embedder.
        """
        return self._answering.search(
            query,
            user_id=user_id,
            limit=limit,
            narrowed={
                "kinds": kinds,
                "categories": categories,
                "memory_types": memory_types,
                "tags": tags,
                "must": must,
                "since": since,
                "until": until,
                "min_age_minutes": min_age_minutes,
                "max_age_days": max_age_days,
                "min_score": min_score,
                "participants": participants,
                "tiers": tiers,
            },
            as_of=self._past(as_of, "as_of"),
            weights=weights,
            statuses=statuses,
            goal=goal,
            judged=judged,
            vector=vector,
            now=self._now(now),
            said_by=self._said_by(now),
            record=record,
        )

    def context(
        self,
        query: str,
        *,
        user_id: str,
        max_tokens: int | None = None,
        limit: int = CONTEXT_HITS,
        goal: str | None = None,
        system: str = "",
        min_score: float | None = None,
        tiers: Sequence[Tier] | None = None,
        now: Time | None = None,
        **filters: Unpack[Filters],
    ) -> Context:
        """Return memory made ready for the next prompt, within `max_tokens` tokens (`config.context_max_tokens` if None).

        Hard constraints first, then current tasks, then what bears on `query`; when tokens are short, stale and doubtful lines go first;
        no section has more than its row of the table `sections` allows. `goal` is what the user is after, and `system` opens the prompt,
        each of its lines in full where its section has room for that. Of first-person memories there are no more, none older and none
        younger than `recall` gives; those that are shown count as recalled. `Context.question` is what the user should be asked, where a
        conflict that an answer depends on, or one of high value that was not asked about within a week, is pending; `Context.verdict`
        says whether to answer from this at all.
        Cold messages are asked only when the rest is not enough. `limit` is how many hits may stand in it, of the first
        `config.context_candidates`.

        `min_score`, `tiers` and the filters, those of `search`, narrow what is found for the question. Hard constraints, who the user is
        and current tasks are told all the same; but with `tags` no task that has others only.

        Raises:
            InputError: nobody is named, a number is no whole one, a text is none, or a filter cannot be used.
        """
        refuse_unknown(filters, "Memory.context")
        made, note = self._answering.context(
            query,
            user_id=user_id,
            max_tokens=max_tokens,
            limit=limit,
            goal=goal,
            system=system,
            narrowed={**filters, "min_score": min_score, "tiers": tiers},
            now=self._now(now),
            said_by=self._said_by(now),
        )
        note()
        return made

    def assess(
        self,
        query: str,
        *,
        user_id: str,
        goal: str | None = None,
        limit: int = CONTEXT_HITS,
        as_of: Time | None = None,
        statuses: Sequence[Status] | None = None,
        min_score: float | None = None,
        tiers: Sequence[Tier] | None = None,
        now: Time | None = None,
        **filters: Unpack[Filters],
    ) -> Hits:
        """Return what a context would be made of: at most `limit` hits that say different things, judged, with `Hits.verdict` on them.

        `as_of`, `statuses`, `min_score`, `tiers` and the filters are those of `search`; with `tiers` only what is of those ages is weighed.

        Raises:
            InputError: more hits are wanted than are weighed (`config.context_candidates`), a name in a filter is unknown, or a bound is no
                number.
        """
        refuse_unknown(filters, "Memory.assess")
        if checks.count(limit, "limit") > self._config.context_candidates:
            most = self._config.context_candidates
            raise InputError(f"{limit} hits are wanted where {most} are weighed; ask for fewer, or raise the setting context_candidates.")
        return self._answering.assess(
            query,
            user_id=user_id,
            limit=limit,
            now=self._now(now),
            said_by=self._said_by(now),
            goal=goal,
            as_of=self._past(as_of, "as_of"),
            statuses=statuses,
            narrowed={**filters, "min_score": min_score, "tiers": tiers},
            record=True,
        )

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
            participants: only memories that one of these people took part in, by their names or a word of them.
            memory_types: only these.
            limit: how many of these at most; `config.max_memories_per_retrieval` if None.
            max_age_days: leave out what is older, and was not seen since, 0 for nothing; `config.max_age_days` if None.
            min_score: leave out what scores less; `config.importance_threshold` if None.
            now: the time that decay is counted to; the present if None.

        Raises:
            InputError: nobody is named, there is no such memory type, a bound is no number, or the age is below 0.
        """
        return self._answering.recall(
            query,
            user_id=user_id,
            limit=limit,
            narrowed={
                "participants": participants,
                "memory_types": memory_types,
                "max_age_days": max_age_days,
                "min_score": min_score,
            },
            now=self._now(now),
        )

    def procedures(self, task: str, *, user_id: str, limit: int = 5, now: Time | None = None) -> list[Procedure]:
        """Return at most `limit` workflows whose trigger a task resembles, best first: by words, by meaning, and by how well they went.

        Raises:
            InputError: nobody is named, or `limit` is no whole number of 0 or more.
        """
        hits = self.search(task, user_id=user_id, kinds=["procedure"], weights="procedural", limit=limit, statuses=["active"], now=now)
        return reading.procedures(self._store.database(), {hit.fact.fact_id: hit.score for hit in hits})

    def profile(self, user_id: str, *, now: Time | None = None) -> Profile:
        """Return what is held of a user now: identity, preferences, tasks, recent changes and sensitive topics.

        Raises:
            InputError: nobody is named.
        """
        at, said_by = self._now(now), self._said_by(now)
        return materialize(self._store.database(), user_id=checks.name(user_id, "user_id"), now=at, said_by=said_by, config=self._config)

    def page(self, user_id: str, *, now: Time | None = None) -> str:
        """Return the text of memory.md as a flush would write it now.

        Raises:
            InputError: nobody is named.
        """
        checks.name(user_id, "user_id")
        config = self._config
        at, said_by = self._now(now), self._said_by(now)
        return project(
            self._store.database(), user_id=user_id, now=at, said_by=said_by, zone=config.zone, max_lines=config.page_max_lines
        ).text

    def facts(
        self,
        user_id: str,
        *,
        key: str | None = None,
        statuses: Sequence[Status] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: Time | None = None,
        categories: Sequence[Category] | None = None,
        contains: str | None = None,
        turn_id: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        now: Time | None = None,
    ) -> Listed[Fact]:
        """Return a user's facts, ordered by key and time; messages only if `kinds` asks for them.

        All of them, or a part: its `total` tells how many there are.

        Args:
            user_id: whose facts.
            key: only what is held under this key.
            statuses: only these; what is believed or pending if None, and with `as_of` whatever was true at that time.
            kinds: only these; all but messages if None.
            as_of: what was true at that time.
            categories: only these.
            contains: only what has this text in its key or its words, in upper or lower case.
            turn_id: only what came of this turn.
            limit: how many at most; all if None.
            offset: how many to pass over before.
            now: the time by which what has an end is over; the present if None.

        Raises:
            InputError: there is no such kind, status or category, the key is none that there can be, nobody is named, or a number is no
                whole one of 0 or more.
        """
        return reading.facts(
            self._store.database(),
            checks.name(user_id, "user_id"),
            key=key,
            statuses=statuses,
            kinds=kinds,
            as_of=self._past(as_of, "as_of"),
            categories=categories,
            contains=contains,
            turn_id=turn_id,
            limit=limit,
            offset=offset,
            now=self._now(now),
        )

    def fact(self, fact_id: str) -> Fact:
        """Return one row by its id as it is now: whosever it is and whatever its kind and status, also out of the archive.

        Raises:
            NotFoundError: there is no such fact.
        """
        return by_the_clock(reading.fact(self._store.database(), fact_id), utc_now())

    def sources(self, fact_id: str) -> Sources:
        """Return what a first-person memory rests on: its events, and for a pattern the memories that went into it.

        Raises:
            NotFoundError: no fact has this id.
        """
        return reading.sources(self._store.database(), fact_id)

    def history(
        self,
        *,
        user_id: str | None = None,
        fact_id: str | None = None,
        turn_id: str | None = None,
        newest: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Listed[Change]:
        """Return the audit trail, oldest first: each change with the fact before and after, the reason and the turn.

        With `newest` the newest is the first. `limit` and `offset` ask for a part of it, whose `total` tells how many changes there are.

        Raises:
            InputError: a name is no text, or a number is no whole one of 0 or more.
        """
        db = self._store.database()
        return reading.history(db, user_id=user_id, fact_id=fact_id, turn_id=turn_id, newest=newest, limit=limit, offset=offset)

    def turns(
        self,
        user_id: str | None = None,
        *,
        turn_id: str | None = None,
        statuses: Sequence[TurnStatus] | None = None,
        refused: bool = False,
        newest: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Listed[TurnRecord]:
        """Return the turns as they came, each with what became of it: who read it, what failed, what was refused, and why.

        Args:
            user_id: whose turns; everybody's if None.
            turn_id: only this one.
            statuses: only these: queued, working, done, failed.
            refused: only where something was refused, or decided otherwise than it was proposed.
            newest: the newest first.
            limit: how many at most; all if None. The list's `total` tells how many there are.
            offset: how many to pass over before.

        Raises:
            InputError: there is no such status, or a number is no whole one of 0 or more.
        """
        return reading.turns(
            self._store.database(),
            user_id=user_id,
            turn_id=turn_id,
            statuses=statuses,
            refused=refused,
            newest=newest,
            limit=limit,
            offset=offset,
        )

    def calls(
        self,
        user_id: str | None = None,
        *,
        turn_id: str | None = None,
        newest: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Listed[ModelCall]:
        """Return the calls of the language model that were kept, oldest first: what each was for, what it cost, and the raw answer.

        `newest`, `limit` and `offset` are those of `history`.

        Raises:
            InputError: a name is no text, or a number is no whole one of 0 or more.
        """
        return reading.calls(self._store.database(), user_id=user_id, turn_id=turn_id, newest=newest, limit=limit, offset=offset)

    def users(self, *, now: Time | None = None) -> dict[str, int]:
        """Return everybody that the file holds something of, by name, each with how many facts `facts` returns of them."""
        return reading.users(self._store.database(), now=self._now(now))

    def kinds(self) -> list[str]:
        """Return the kinds that a row may be of, as the table `kinds` has them: what `kinds` takes wherever it is asked for."""
        return list(stored.kinds(self._store.database()))

    def stats(self, *, now: Time | None = None) -> Stats:
        """Return the state of the file in numbers: rows, queues, vectors, hit rates, latencies and sizes."""
        with suppress(StoreError):  # such as a full disk: what was asked is kept, and written down later
            self._notebook.write_down_asked()
        return reading.stats(self._store, now=self._now(now))

    def check(self) -> list[Damage]:
        """Return what is damaged in the file: its schema, rows that cannot be read, and what SQLite finds. It looks through all of it."""
        return stored.damage(self._store.database())

    def mend(self) -> Mended:
        """Set the rows that cannot be read aside, in a file beside this one, and make the indexes anew; before that, copy the file.

        Where its pages are damaged, what can still be read takes the place of all, and what was lost is told. The copy is the file as it
        was, and the rows set aside stand in the other file as SQL that writes them.

        Raises:
            StoreError: the file can be read or written no more; it is as it was.
        """
        return mending.mend(self._store.database(), now=self._now(None))

    # links, sessions

    def link(
        self, source_id: str, target_id: str, relation: Relation = "relates-to", *, strength: float = 1.0, now: Time | None = None
    ) -> Link:
        """Link a fact to another of the same user; linking them again gives the link another strength. It goes when either of them goes.

        Raises:
            NotFoundError: no fact has one of these ids.
            InputError: they are the same fact, of different users, or in the archive, no such relation is known, or the strength is not
                in 0..1.
        """
        db = self._store.database()
        return linking.link(db, source_id, target_id, relation=relation, strength=strength, now=self._now(now))

    def unlink(self, source_id: str, target_id: str, relation: Relation | None = None) -> int:
        """Remove the link from a fact to another, or with `relation` None all of them, and return how many there were.

        Raises:
            InputError: there is no such relation.
        """
        return linking.unlink(self._store.database(), source_id, target_id, relation=relation)

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

        Each fact is told once, by the strongest of the shortest ways to it that are strong enough.

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
        db = self._store.database()
        return linking.links(
            db, fact_id, depth=depth, relations=relations, statuses=statuses, min_strength=min_strength, limit=limit, now=utc_now()
        )

    def relate(self, user_id: str, *, kinds: Sequence[str] | None = None, now: Time | None = None) -> int:
        """Link what is new to what it is like, by words alone, and return how many links were made. A flush does so too.

        `kinds` defaults to `config.link_kinds`. Each row is looked at once, so that calling it again costs nothing.

        Raises:
            InputError: there is no such kind.
        """
        return linking.relate(self._store.database(), user_id, kinds=kinds, now=self._now(now), config=self._config)

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

        Raises:
            InputError: nobody is named, or there is no such eviction.
        """
        return Session(
            self,
            self._store,
            self._config,
            self._llm,
            self._answering,
            user_id=checks.name(user_id, "user_id"),
            session_id=checks.name(session_id, "session_id") if session_id is not None else uuid.uuid4().hex,
            eviction=checks.one_of(eviction, get_args(Eviction), "eviction") if eviction is not None else self._config.working_eviction,
            now=now,
        )

    # why, and how well

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
        must: Sequence[str] | None = None,
        since: Time | None = None,
        until: Time | None = None,
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
        a search with that number in the set finds the fact so high. None is, where the embedder failed. What the parts of a score weigh is
        tried, to ten times the largest, and for what is no candidate how many of them there are (`k_lex`, `k_vec`, to 2000); not how a
        part comes about (`bm25_…`, `near`, `top`), nor how far relevance is believed (`sure_…`, `by_confidence`). One that works only by
        changing what votes there are, or by leaving all scores equal, may be missed.

        Raises:
            NotFoundError: there is no such fact of this user.
            InputError: a kind or the weight set is unknown, or `limit` is below 1.
        """
        if checks.count(limit, "limit") < 1:
            raise InputError(f"limit is {limit}; give the number of hits, at least 1.")
        db = self._store.database()
        fact = reading.fact_of_user(db, fact_id, user_id=user_id) if fact_id is not None else None
        at, by = self._now(now), checks.given(weights, "weights") or self._answering.weights_for(user_id)
        said_by = self._said_by(now)

        def ask(*, limit: int, **narrowed: Unpack[Narrowed]) -> Hits:
            return self._answering.search(
                query,
                user_id=user_id,
                limit=limit,
                narrowed=narrowed,
                as_of=self._past(as_of, "as_of"),
                weights=by,
                statuses=statuses,
                goal=goal,
                judged=False,
                vector=vector,
                now=at,
                said_by=said_by,
                record=False,
            )

        given: Narrowed = {
            "kinds": kinds,
            "categories": categories,
            "memory_types": memory_types,
            "tags": tags,
            "must": must,
            "since": since,
            "until": until,
            "min_age_minutes": min_age_minutes,
            "max_age_days": max_age_days,
            "min_score": min_score,
            "participants": participants,
            "tiers": tiers,
        }
        return explain_search(
            db,
            ask,
            given,
            fact,
            limit=limit,
            weights=by,
            statuses=statuses,
            as_of=self._past(as_of, "as_of"),
            now=at,
            embeds=self._answering.patient is not None and db.has_vectors,
        )

    def feedback(self, query: str, fact_id: str, *, user_id: str | None = None, good: bool = True) -> None:
        """Remember that a fact was right for a question, or wrong (`good=False`); `tune` fits weights to it. The last word counts.

        Spaces tell no two questions apart. Whose the fact is, it says itself; with `user_id` another user's is refused.

        Raises:
            NotFoundError: there is no such fact, or none of this user.
            InputError: there is no question, it is not said by True or False, or the fact lies in the archive.
        """
        give_feedback(self._store.database(), query, fact_id, user_id=user_id, good=good)

    def labels(self) -> list[Labelled]:
        """Return the questions that feedback was given on, each with what was right and what was wrong."""
        return labels_of(self._store.database())

    def weights(self, name: str | None = None) -> dict[str, float]:
        """Return a weight set, the memory's own if None: each feature's weight, and how many candidates each leg gives.

        Raises:
            InputError: there is no such set.
        """
        return weights_of(self._store.database(), checks.given(name, "name") or self._answering.weights)

    def weight_sets(self) -> dict[str, dict[str, float]]:
        """Return every weight set of the file by name."""
        return weight_sets(self._store.database())

    def set_weights(self, sets: Mapping[str, Mapping[str, float]]) -> None:
        """Put weight sets into the file, each as a whole: those of the same name are replaced, others stay.

        Raises:
            InputError: a set is empty, has a feature that does not rank, or a number that cannot weigh.
        """
        set_weights(self._store.database(), sets)

    def evaluate(
        self, labelled: Iterable[Labelled | Mapping[str, object]] | None = None, *, weights: Sequence[str] = ("default",)
    ) -> dict[str, dict[str, float]]:
        """Return how well each weight set ranks labelled questions (the feedback given, if None): any@k, rec@k, nDCG@10, MRR, in 0..1.

        The first twenty hits are looked at: what comes later counts as not found, in MRR as well.

        Raises:
            InputError: a label cannot be used, no question tells what is relevant, or a weight set is unknown.
            ModelUnavailable: the embedder failed, or the vectors are not made yet, so that only words would count.
        """
        return evaluate(self._store.database(), self._labelled(labelled), search=self._search_labelled, weights=weights)

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
        `kinds` and `now` if wanted. The share `held_out` is not fitted to but measured, before and after; `seed` chooses which that is.
        With `write` False the new set is only returned.

        Raises:
            InputError: `name` is a set that every file has, `base` is none that ranks by two features or more, there is too little to fit
                to, a label cannot be used, or a number lies outside 0..1.
            ConfigError: numpy is not installed.
            ModelUnavailable: the embedder failed, or the vectors are not made yet, so that only words would count.
        """
        if checks.share(held_out, "held_out") == 1:
            raise InputError(f"held_out is {held_out}; give a share from 0 up to, not including, 1.")
        db, write = self._store.database(), checks.truth(write, "write")
        tuned = fit(
            db,
            self._labelled(labelled),
            name=checks.name(name, "name"),
            base=checks.given(base, "base") or self._answering.weights,
            search=self._search_labelled,
            held_out=held_out,
            seed=checks.count(seed, "seed"),
        )
        if write:
            write_weights(db, {name: tuned.weights})
        return tuned

    def calibrate(
        self, labelled: Iterable[Labelled | Mapping[str, object]] | None = None, *, now: Time | None = None
    ) -> tuple[Calibration | None, Calibration]:
        """Fit the probability of an answer to labelled questions, and return how well it fitted them before (if it did) and after.

        The questions are those of the feedback given if None. The weights become the set that judges here, `calibration` with MiniLM and
        otherwise `calibration-words`, with the threshold below which the memory abstains. Both measures are on the questions themselves;
        for others expect somewhat less (`bench/abstention.py` leaves out whole conversations).

        Raises:
            InputError: there are not both kinds of questions, or a label cannot be used.
            ModelUnavailable: the embedder failed, or the vectors are not made yet, so that only words would count.
        """
        questions = self._labelled(labelled)

        def assess(one: Labelled) -> Hits:
            most, at = self._config.context_candidates, self._now(now or one.now)
            return self._whole(self._answering.assess(one.query, user_id=one.user_id, limit=most, now=at, said_by=at))

        return calibrate(self._store.database(), questions, assess=assess)

    # the file: its upkeep, its vectors, its model

    def maintain(self, *, user_id: str | None = None, now: Time | None = None, dry_run: bool = False) -> Maintained:
        """Do the upkeep that is due for a user, or for everybody, as of `now`, and return what was done; again it does nothing more.

        Of first-person memories, repeated ones are consolidated into patterns, importance is reckoned anew, what has faded is archived, and
        what has lain in the archive for long is deleted. The worker does this part by itself each night; nights that were missed are made
        up for one by one, unless `user_id` is given. Of everything else, sessions that are over are summarised as episodes and what
        recurs is drawn into reflective notes, which the worker does as they come due; what is held twice becomes one, tasks that nobody
        mentions stall, what recurs is promoted to the profile, and what is more than is kept goes to the archive, which the worker does
        each night. With `dry_run` nothing is written and no model is asked, and the answer is what one run would do by the rules. It is
        tried on a copy in memory, which takes as much of that as the file is long; nobody waits for it.

        It is many transactions, each of which leaves the file sound: a night is one, so is an account, and what is tidied up is some
        hundred rows at a time. Where the disk is full or the process ends, what was done stays, and the next run does the rest.

        Raises:
            InputError: the name of the user is empty or no text, or `dry_run` is not True or False.
            StoreError: the file cannot be written, or is damaged.
        """
        if user_id is not None:
            checks.name(user_id, "user_id")
        work = partial(maintain, self._store, self._config, user_id=user_id, now=self._now(now))
        if checks.truth(dry_run, "dry_run"):  # what was recalled counts, and is written down by the next who writes
            return work(narrator=None, llm=None, rehearsed=self._notebook.recalled())
        self._notebook.write_down_recalled()
        return self._woken(work(narrator=self._narrator, llm=self._llm))

    def compact(self, user_id: str | None = None, *, now: Time | None = None) -> int:
        """Move what has been superseded or expired for `config.archive_after_days` into the archive, and return how many rows.

        What is over by its own time expires first, so that users who have fallen silent are looked after, too.

        Raises:
            InputError: the name of the user is empty or no text.
        """
        if user_id is not None:
            checks.name(user_id, "user_id")
        return self._woken(archive_closed(self._store.database(), user_id=user_id, now=self._now(now), config=self._config))

    def retry(self) -> int:
        """Give turns and vectors that were set aside after failing too often another chance, and return how many there are.

        What waits for its next attempt is tried at once, too, however far away that is: the clock may have been wrong when it was set.
        """
        revived = retry_at_once(self._store.database())
        self._background.interrupt_rests()
        self._background.wake()
        return revived

    def vectors(self) -> Vectors:
        """Return the state of the vector index: how many vectors are made, and how many wait; while they do, search goes on."""
        state = count_vectors(self._store)
        if (patient := self._answering.patient) is not None:
            state = state.model_copy(update={"error": patient.rest.error or state.error})
        return with_collection(state, self._store, self._index) if self._index is not None else state

    def reindex(self, embedder: Embedder | str, *, progress: Callable[[int, int], None] | None = None) -> Vectors:
        """Change the file's embedder: make every vector anew, and return the state of the index afterwards.

        The old vectors are in use until the new ones are whole. Killed at any moment, the next call goes on where this one was.
        `progress` is told how many vectors are made, and how many are wanted. A memory opened for words alone stays so.

        Raises:
            ConfigError: no embedder has this name, or a collection serves as the index.
            InputError: "auto" finds none, or None is given.
            ModelError: the embedder fails; what was made so far is kept for the next call.
            ConflictError: another process changes it to another embedder meanwhile.
            StoreError: the file was moved, deleted or replaced while it was open; nothing is changed.
        """
        checks.progress(progress)
        self._store.database()  # once closed it changes nothing, though the file is opened anew here
        if self._index is not None:
            raise ConfigError(
                f"The index is the collection {self._index.name}, which has vectors of one embedder; open {self._store.path} without it, "
                f"reindex, and then give another collection."
            )
        chosen = choose_embedder(embedder, remembered=None, timeout=self._config.model_timeout_seconds)
        if chosen is None:
            raise InputError(f"The embedder {embedder!r} is not there; name one, or install memdb[minilm].")
        state = change_embedder(self._store, chosen, config=self._config, progress=progress)
        if self.embedder is not None and not self._closed:
            self._answering.change_embedder(chosen)
            self._background.change_embedder(chosen, self._answering.patient)
        return state

    def carry_model(self, folder: str | Path | None = None, *, precision: Literal["int8", "float32"] = "int8") -> ModelCard:
        """Put MiniLM's model into the file, so that it is used without PyTorch from the next opening on, and return what it is.

        The model is made from the installed MiniLM, which takes `memdb[export]`, or comes from a `folder` that `export_model` wrote.

        Raises:
            ConfigError: the file's vectors are of another embedder.
            ModelUnavailable: it cannot be made, or the folder holds none that is whole.
            ModelOutputError: what was made does not agree with the original; nothing was written.
        """
        return carrying.carry_model(self._store, folder, precision=precision)

    def carried_model(self) -> ModelCard | None:
        """Return what the model is that the file carries, checked to be whole; None if it carries none.

        Raises:
            ModelUnavailable: it is damaged.
        """
        return carrying.carried_model(self._store)

    def drop_model(self) -> bool:
        """Take the model out of the file, and return whether there was one; the file uses the space again."""
        return carrying.drop_model(self._store)

    # inside

    def _woken(self, written: Result) -> Result:
        """Tell the background work that something was written, and return that."""
        self._background.wake()
        return written

    def _labelled(self, given: Iterable[Labelled | Mapping[str, object]] | None) -> list[Labelled]:
        return self.labels() if given is None else read_labels(given)

    def _search_labelled(self, one: Labelled, weights: str, limit: int) -> Hits:
        return self._whole(
            self.search(one.query, user_id=one.user_id, limit=limit, kinds=one.kinds, weights=weights, now=one.now, record=False)
        )

    def _whole(self, hits: Hits) -> Hits:
        """Return hits to measure or to fit by, which words alone found only where that is all there is: of a set they would tell little."""
        if hits.degraded and not hits.semantic and self._answering.patient is not None and self._store.database().has_vectors:
            raise ModelUnavailable(
                f"Meaning took no part ({hits.degraded}); try again when it does (`drain` makes the vectors that wait), or open with"
                " embedder=None to go by words alone."
            )
        return hits

    def _time(self, value: Time | None, argument: str) -> datetime:
        return instant(value, argument, zone=self._config.zone)

    def _past(self, value: Time | None, argument: str) -> datetime | None:
        return None if value is None else self._time(value, argument)

    def _now(self, value: Time | None) -> datetime:
        return utc_now() if value is None else checks.lived(self._time(value, "now"), "now")

    def _said_by(self, now: Time | None) -> datetime:
        """Until when what was said counts as said: of another time until then, of the present all, whatever the clock showed."""
        return EVER if now is None else self._now(now)

    def _hurried(self) -> Embedder | None:
        """The embedder as one that a single write waits for; what it does not manage in that time, the background work does."""
        patience = min(self._config.write_patience_seconds, self._config.embed_patience_seconds)
        patient = self._answering.patient
        return None if patient is None else Hurried(patient, patience)
