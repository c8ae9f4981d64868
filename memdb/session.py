"""A session's life: it begins with what is known, holds a few things in mind, and leaves an account, a profile and memory.md behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta, tzinfo
from functools import partial
from time import monotonic, sleep
from types import TracebackType
from typing import Protocol, Self, Unpack

from memdb import checks, stored
from memdb.answering import CONTEXT_HITS, Answering
from memdb.answers import Bootstrap, Context, ContextItem, Flushed
from memdb.config import Config
from memdb.database import Database, Row
from memdb.errors import InputError
from memdb.filters import Filters, refuse_unknown
from memdb.identity import begin_work, end_work, is_gone, new_identity
from memdb.linking import relate
from memdb.llm import LanguageModel
from memdb.observer import build_profile
from memdb.page import read_page, write_page
from memdb.quoting import one_line
from memdb.reading import read_consent
from memdb.recording import action_hash_of
from memdb.records import Fact, Tier
from memdb.steps.clarify import clarify
from memdb.steps.inject import SYSTEM, render
from memdb.steps.snapshot import snapshot
from memdb.store import Store
from memdb.times import EVER, in_zone, instant, to_text, to_utc, utc_now
from memdb.worker import take_turn
from memdb.working import Eviction, WorkingItem, WorkingMemory

_KNOWN = 50  # facts that a session begins with
_LONGEST_SESSION = 31  # days that get a log each
_REMEMBERED = 1_000  # characters of a message that come to mind; the file has them all
_WORKING_SHARE = 4  # working memory gets at most a quarter of a context's tokens
_WORKING = "Working Memory"
_LINE = 300  # characters of what is in mind that a context shows


class Keeper(Protocol):
    """What a session asks of the memory that it belongs to."""

    def observe(
        self,
        user_input: str,
        assistant_response: str = "",
        *,
        user_id: str,
        turn_id: str | None = None,
        timestamp: date | str | None = None,
        session_id: str | None = None,
        speaker: str | None = None,
    ) -> str:
        """Take a turn."""

    def remember(
        self,
        value_text: str,
        *,
        user_id: str,
        key: str | None = None,
        kind: str = "fact",
        importance: float | None = None,
        session_id: str | None = None,
        turn_id: str | None = None,
        timestamp: date | str | None = None,
    ) -> Fact:
        """Store a fact."""

    def compact(self, user_id: str | None = None, *, now: date | str | None = None) -> int:
        """Archive what is old."""


class Session:
    """One conversation with one user, from bootstrap to snapshot. Use it as a context manager, or call `close()`.

    `bootstrap` is what it began with and `working` what it has in mind. Everything observed is safe on disk at once; only what was put into
    the working memory and not flushed is lost with the process. Times that are not given are the present, or, where the session was begun
    with `now`, the latest time that it was told of.
    """

    def __init__(
        self,
        memory: Keeper,
        store: Store,
        config: Config,
        llm: LanguageModel | None,
        answering: Answering,
        *,
        user_id: str,
        session_id: str,
        eviction: Eviction,
        now: date | str | None,
    ) -> None:
        self._memory, self._store, self._config, self._llm, self._answering = memory, store, config, llm, answering
        self.user_id, self.session_id = user_id, session_id
        self._identity = new_identity()
        self._simulated = now is not None
        self._latest = self._instant(now, "now") if now is not None else None
        kinds = stored.kinds_but_messages(store.database())
        self.working = WorkingMemory(config.working_capacity, eviction, lambda: self._at(None, "now"), kinds=kinds)
        self._open = self._held = True
        self._said: dict[str, str] = {}  # which turn said a message that is in mind
        self.bootstrap = self._begin()

    def __enter__(self) -> Self:
        """Return the session itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End the session."""
        self.close()

    def observe(
        self,
        user_input: str,
        assistant_response: str = "",
        *,
        turn_id: str | None = None,
        timestamp: date | str | None = None,
        speaker: str | None = None,
    ) -> str:
        """Take a turn of this session, safely on disk when this returns, and return its id; its words come to mind."""
        at = self._at(timestamp, "timestamp")
        turn = self._memory.observe(
            user_input,
            assistant_response,
            user_id=self.user_id,
            turn_id=turn_id,
            timestamp=at,
            session_id=self.session_id,
            speaker=speaker,
        )
        if user_input.strip():
            self._said[user_input.strip()[:_REMEMBERED]] = turn
            self.working.add(user_input.strip()[:_REMEMBERED], kind="message", importance=0.4, kept=True)
        return turn

    def context(
        self,
        query: str,
        *,
        max_tokens: int | None = None,
        limit: int = CONTEXT_HITS,
        goal: str | None = None,
        system: str = "",
        min_score: float | None = None,
        tiers: Sequence[Tier] | None = None,
        now: date | str | None = None,
        **filters: Unpack[Filters],
    ) -> Context:
        """Return memory made ready for the next prompt, with what is in mind and not said there already; never longer than the budget.

        The arguments are those of `Memory.context`.

        Raises:
            InputError: an argument cannot be used.
        """
        refuse_unknown(filters, "Session.context")
        at = self._at(now, "now")
        self._heed_the_file(at)
        budget = self._config.context_max_tokens if max_tokens is None else checks.count(max_tokens, "max_tokens")
        tokenizer = self._answering.tokenizer
        prepare = partial(
            self._answering.context,
            query,
            user_id=self.user_id,
            limit=limit,
            goal=goal,
            system=system,
            narrowed={**filters, "min_score": min_score, "tiers": tiers},
            now=checks.lived(at, "now"),
            said_by=at if now is not None else self._said_by(at),
        )
        made, note = prepare(max_tokens=budget)
        lines = self._lines(made, tokenizer.count, budget // _WORKING_SHARE)
        if lines and tokenizer.count(render(lines)) + made.tokens > budget:
            made, note = prepare(max_tokens=budget - tokenizer.count(render(lines)))
        note()
        for item in made.items:
            self._use(item)
        opening, rest = ([item for item in made.items if (item.section == SYSTEM) is opens] for opens in (True, False))
        items = (*opening, *lines, *rest)
        whole = render(items)
        return made.model_copy(update={"text": whole, "tokens": tokenizer.count(whole), "max_tokens": budget, "items": items})

    def flush(self, *, now: date | str | None = None) -> Flushed:
        """Keep what is in mind, link what is new to what it is like, archive what is old, and write memory.md anew.

        Turns of the user that still wait are thought about first, for at most `config.session_patience_seconds`, and no longer is anything
        linked: what is left then, such as of a large import, is linked by the next flush. Edits made in memory.md since it was written
        are offered as pending facts before it is written over.

        Each of these is written by itself. Where the disk is full or the process ends, what was done stays, and the next flush, of this
        session or another, does the rest; what was only in mind goes with a process that ends.
        """
        at = self._at(now, "now")
        self._think()
        if not self._heed_the_file(at):
            return Flushed()
        kept = self._keep_all(at)
        db, patience = self._store.database(), self._config.session_patience_seconds
        linked = relate(db, self.user_id, kinds=None, now=at, config=self._config, patience=patience)
        archived = self._memory.compact(self.user_id, now=at)
        if not self._config.memory_page:
            return Flushed(kept=kept, archived=archived, linked=linked)
        edits, path, page = write_page(db, user_id=self.user_id, now=at, config=self._config)
        return Flushed(
            kept=kept,
            archived=archived,
            linked=linked,
            offered=edits.offered,
            refused=edits.refused,
            page=str(path),
            lines=len(page.text.splitlines()),
        )

    def snapshot(self, *, now: date | str | None = None) -> Fact | None:
        """Write the account of this session so far, and that of its day, and return it; None if nothing happened in it."""
        at = self._at(now, "now")
        self._think()
        return self._account(self.session_id, at)

    def close(self, *, now: date | str | None = None) -> None:
        """End the session: account, profile, flush. Closing twice does no harm, and where the disk was full it is how to go on."""
        if not self._open:
            return
        at = self._at(now, "now")
        self._think()
        if self._heed_the_file(at):
            self._keep_all(at)  # before the account, which tells of it
            self._account(self.session_id, at)
            self.flush(now=at)
        db = self._store.database()
        build_profile(db, user_id=self.user_id, now=at, config=self._config)
        with db.transaction():
            if others := [holder for holder in self._holders(db) if holder != self._identity]:
                self._hold(db, others, at)
            else:
                db.run("session.end", user_id=self.user_id, session_id=self.session_id, now=to_text(at))
                db.run("session.release", user_id=self.user_id, session_id=self.session_id)
        self.working.clear()
        self._open = False
        end_work(self._identity)

    # inside

    def _begin(self) -> Bootstrap:
        at, user = self._now(), self.user_id
        db = self._store.database()
        edits, text = read_page(db, user_id=user, now=at, config=self._config)
        left = [str(row["session_id"]) for row in self._others(db) if all(map(is_gone, str(row["held_by"]).splitlines()))]
        begin_work(self._identity)
        with db.transaction():
            db.run("session.begin", user_id=user, session_id=self.session_id, now=to_text(at))
            self._hold(db, [*(holder for holder in self._holders(db) if not is_gone(holder)), self._identity], at)
        if left:
            self._think()
        for session_id in left:
            self._account(session_id, at)
            with db.transaction():
                db.run("session.end", user_id=user, session_id=session_id, now=to_text(at))
                db.run("session.release", user_id=user, session_id=session_id)
        facts = tuple(_facts(db, "session.known", user_id=user, now=to_text(at), said_by=to_text(self._said_by(at)), limit=_KNOWN))
        for fact in reversed(facts[: self.working.capacity]):  # the most important comes last, so that it stays longest
            self.working.add(fact.value_text, kind=fact.kind, key=fact.key, importance=fact.importance, fact_id=fact.fact_id, kept=True)
        last = _facts(db, "session.last", user_id=user, session_id=self.session_id)
        index = db.one("session.indexed", user_id=user) or {}
        return Bootstrap(
            user_id=user,
            session_id=self.session_id,
            page=text,
            facts=facts,
            offered=edits.offered,
            refused=edits.refused,
            last=last[0] if last else None,
            recovered=tuple(left),
            question=next(
                (
                    doubt.question
                    for doubt in clarify(db, (), user_id=user, now=at, said_by=self._said_by(at), config=self._config)
                    if doubt.worth
                ),
                None,
            ),
            indexed=int(index["written"] or 0),
            waiting=int(index["waiting"] or 0),
        )

    def _others(self, db: Database) -> list[Row]:
        return db.all("session.others", user_id=self.user_id, session_id=self.session_id)

    def _holders(self, db: Database) -> list[str]:
        held = db.one("session.holders", user_id=self.user_id, session_id=self.session_id)
        return str(held["held_by"]).splitlines() if held else []

    def _hold(self, db: Database, holders: Sequence[str], at: datetime) -> None:
        db.run("session.hold", user_id=self.user_id, session_id=self.session_id, held_by="\n".join(holders), now=to_text(at))

    def _account(self, session_id: str, at: datetime) -> Fact | None:
        db, zone = self._store.database(), self._config.zone
        with db.transaction():
            consent = read_consent(db, user_id=self.user_id, config=self._config)
            told = snapshot(db, user_id=self.user_id, session_id=session_id, day=None, consent=consent, zone=zone, now=at)
            for day in _days(db, told, zone):
                snapshot(db, user_id=self.user_id, session_id=None, day=day, consent=consent, zone=zone, now=at)
        return told

    def _think(self) -> None:
        """Have the user's turns thought about, by the worker or here and now: claims keep the two from doing the same."""
        patience = monotonic() + self._config.session_patience_seconds
        db, identity = self._store.database(), new_identity()  # of its own, since two threads may flush at once
        while int((db.one("session.waiting", user_id=self.user_id) or {}).get("waits") or 0) and monotonic() < patience:
            if not take_turn(self._store, self._config, self._llm, self._answering.patient, identity=identity):
                sleep(0.02)

    def _heed_the_file(self, at: datetime) -> bool:
        """Let go of what is in mind and was forgotten meanwhile, or is believed no longer, by whomever; return whether there is anything in
        mind or in the file.
        """
        db = self._store.database()
        stands = db.one("session.stands", user_id=self.user_id, session_id=self.session_id, held_by=self._identity) or {}
        if self._held and not stands["held"]:  # the user was
            self.working.clear()
        self._held = bool(stands["held"])
        ids = {item.text: item.fact_id or self._said.get(item.text) for item in self.working.items if item.kept}
        wanted = json.dumps([*filter(None, ids.values())])
        there = {row["id"] for row in db.all("session.there", user_id=self.user_id, ids=wanted, now=to_text(at))}
        for text, known in ids.items():
            if known is not None and known not in there:  # or what was learned under one key; or it has changed since
                self.working.drop(text)
        return bool(stands["held"] or stands["known"] or len(self.working))

    def _keep_all(self, at: datetime) -> tuple[Fact, ...]:
        """What its user does not let be kept stays in mind, and goes with the session."""
        kept = []
        for item in self.working.items:
            if not item.kept:
                with suppress(InputError):
                    kept.append(self._keep(item, at))
        return tuple(kept)

    def _keep(self, item: WorkingItem, at: datetime) -> Fact:
        fact = self._memory.remember(
            item.text,
            user_id=self.user_id,
            key=item.key,
            kind=item.kind,
            importance=item.importance,
            session_id=self.session_id,
            turn_id=f"working-{action_hash_of(self.session_id, item.text, to_text(item.added_at))}",  # what comes again later is kept again
            timestamp=at,
        )
        self.working.keep(item.text, fact.fact_id)
        return fact

    def _lines(self, made: Context, count: Callable[[str], int], budget: int) -> list[ContextItem]:
        """What is in mind and not said in a context, as lines of one: as many of the latest as fit.

        Of what the session began with, only what may be told as it is: the rest is told, and marked, where the question finds it.
        """
        begun = [fact.fact_id for fact in self.bootstrap.facts]
        plain = self._store.database().all("session.plain", ids=json.dumps(begun), sure=self._config.assert_confidence)
        shown = {item.fact_id for item in made.items}.union(begun).difference(str(row["fact_id"]) for row in plain)
        lines: list[ContextItem] = []
        for item in reversed(self.working.items):
            text = one_line(item.text, most=_LINE)
            if item.fact_id in shown or text in made.text:
                continue
            line = ContextItem(section=_WORKING, text=f"- {text}", fact_id=item.fact_id or "", confidence=1.0)
            if count(render([line, *lines])) > budget:
                break
            lines.insert(0, line)
        return lines

    def _use(self, shown: ContextItem) -> None:
        for item in self.working.items:
            if item.fact_id == shown.fact_id or (item.kind == "message" and one_line(item.text, most=_LINE) in shown.text):
                self.working.touch(item.text)

    def _instant(self, value: date | str, argument: str) -> datetime:
        return instant(value, argument, zone=self._config.zone)

    def _said_by(self, at: datetime) -> datetime:
        """Until when what was said counts as said: all of it, but where the session lives in another time."""
        return at if self._simulated else EVER

    def _now(self) -> datetime:
        return self._latest if self._simulated and self._latest is not None else to_utc(utc_now())

    def _at(self, value: date | str | None, argument: str) -> datetime:
        if not self._open:
            raise InputError(f"The session {self.session_id!r} is over; begin another with mem.session().")
        if value is None:
            return self._now()
        at = self._instant(value, argument)
        self._latest = max(at, self._latest) if self._latest is not None else at
        return at


def _facts(db: Database, statement: str, **parameters: str | int | None) -> Sequence[Fact]:
    return stored.facts(db, db.all(statement, **parameters))


def _days(db: Database, told: Fact | None, zone: tzinfo) -> list[date]:
    """The days that a session touched: from the first turn to the last, and those on which something in mind was kept."""
    if told is None or not isinstance(told.value_json, dict):
        return []
    first, last = (in_zone(to_utc(str(told.value_json[end])), zone).date() for end in ("timestamp_start", "timestamp_end"))
    came_in = db.all("session.came_in", user_id=told.user_id, session_id=told.session_id, fact_ids=json.dumps(told.value_json["facts"]))
    days = {first + timedelta(days=more) for more in range(min(_LONGEST_SESSION, (last - first).days) + 1)}
    return sorted(days | {in_zone(to_utc(str(row["changed_at"])), zone).date() for row in came_in})[:_LONGEST_SESSION]
