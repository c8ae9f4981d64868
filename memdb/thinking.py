"""The thinking half of the writing chain: what a turn says, and what is proposed to do about it. Nothing is written."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import cast

from memdb import checks, stored
from memdb.answers import STILL_RIGHT, STILL_RIGHT_MOST, Doubt
from memdb.beliefs import case_of
from memdb.borne_out import leaves_out_a_denial, read_otherwise
from memdb.config import Config
from memdb.database import Database, Row, listed
from memdb.denial import as_meant
from memdb.embed import Embedder
from memdb.errors import BusyError, ModelUnavailable, StoreError
from memdb.keys import canonical_key, normalise, telling
from memdb.llm import Answer, LanguageModel, Prompt, T, calls_of
from memdb.mentioned import mentioned_in
from memdb.privacy import named_secrets
from memdb.putting_off import PUT_OFF, at_its_hour, moved_from, moved_to_a_day, moved_to_a_weekday, same_weekday_near, shifted
from memdb.recording import read_fact
from memdb.records import DECIDABLE, Action, Candidate, Case, Consent, Fact, ModelCall, Note, Predicate, Source, Turn, is_oneself
from memdb.replies import asks_leave, spelled_out
from memdb.role_play import is_played
from memdb.second_thoughts import Before
from memdb.sentences import is_read_in_part
from memdb.steps.audit import audit
from memdb.steps.clarify import clarify
from memdb.steps.extract import MOST_FACTS, begins_with_somebody, extract
from memdb.steps.gate import gate
from memdb.steps.hear import Heard, hear
from memdb.steps.interpret import Interpreted, interpret
from memdb.steps.liken import liken
from memdb.steps.loops import Loop, loops
from memdb.steps.retrieve import retrieve
from memdb.steps.sync import sync
from memdb.steps.understand import understand
from memdb.times import EVER, in_zone, to_text, to_utc, utc_now

log = logging.getLogger("memdb")

_REHEARSED = 5_000  # characters: what stands behind them needs hardly anything else
_ANSWERED_WITHIN = timedelta(days=1)
_SHORT = 12  # words that may answer a question
_HEARD = 300  # characters of what was said before that a model is shown
_PLAYED_FOR = timedelta(hours=6)
_RELATED = 20  # facts that a model is shown beside those in question
_BELIEVED = ("fact", "note", "procedure")  # the kinds of what may be asked about
_STILL_RIGHT = re.compile(re.escape(STILL_RIGHT).replace(re.escape("{said}"), r"(?P<said>[^”]+)"))


@dataclass(frozen=True, slots=True)
class Thought:
    """What is to be written of a turn: what it says, each with the action proposed for it, or None where the rules decide.

    `opened` are the tasks that it leaves open, each with who says so; `done` are the ids of those that it says are done. `heard` is what
    it answers to a question of the memory's own.
    """

    proposals: tuple[tuple[Case, Action | None], ...]
    extracted_by: str
    error: str | None
    calls: tuple[ModelCall, ...]
    notes: tuple[Note, ...]
    opened: tuple[tuple[Candidate, Source], ...]
    done: tuple[str, ...]
    heard: Heard | None


def think(
    db: Database,
    turn: Turn,
    *,
    worker: str,
    predicates: Mapping[str, Predicate],
    consent: Consent,
    config: Config,
    llm: LanguageModel | None,
    embedder: Embedder | None,
) -> Thought:
    """Find what a turn says, and what a model or the embedder proposes to do about it. Nothing is written.

    When the model fails, the rules take its place, for the whole turn or for what was left to decide, and `error` says so.
    """
    if llm is not None:
        llm = _Holding(llm, db, turn, worker=worker, config=config)
    found, by, error = _extract(db, turn, predicates, config, llm)
    found = _in_earnest(db, turn, found)
    heard = _heard(db, turn, config)
    if heard is not None and heard.neither:
        found = _instead(db, found, of=heard.fact_id)
    alone = llm is None and (embedder is None or not db.has_vectors)  # then nobody proposes anything, and the rules decide
    about = partial(case_of, db, user_id=turn.user_id, now=turn.timestamp, predicates=predicates, exactly=alone)
    cases = [about(one) for one in found.candidates]
    if by != "rules":
        meant = [as_meant(case, kind="fact", predicates=predicates) for case in cases]
        cases = [case if one is case.candidate else about(one) for case, one in zip(cases, meant, strict=True)]
    by_rules = any(one.because for one in found.candidates)  # what takes something back means what it says: a model has no say in it
    model = llm if config.model_arbitrates and error is None and not by_rules else None
    gated = gate(cases, consent=consent, predicates=predicates, config=config, told=named_secrets(turn.user_input))
    repeated = compare_meanings(
        db, gated.cases, user_id=turn.user_id, now=turn.timestamp, embedder=embedder, predicates=predicates, config=config
    )
    calls, notes = found.calls, (*found.notes, *gated.notes)
    proposals = {place: pair for place, pair in enumerate(zip(gated.cases, repeated, strict=True))}
    contested = [place for place, (case, known) in proposals.items() if case.beliefs and known is None]
    if model is not None and contested:
        related = _related(db, turn, config)
        try:
            audited = audit(turn, [proposals[place][0] for place in contested], related, llm=model, predicates=predicates, config=config)
            calls, notes = (*calls, *audited.calls), (*notes, *audited.notes)
            proposals |= {place: (proposals[place][0], action) for place, action in zip(contested, audited.actions, strict=True)}
        except StoreError:
            raise
        except Exception as failure:  # whatever became of what a model said, the rules stand in
            log.warning("the rules decide on turn %s of user %s: %s", turn.turn_id, turn.user_id, failure)
            calls, error = (*calls, *calls_of(failure)), checks.searchable(f"decided by the rules: {failure}"[:500])
    opened, done, refused = _errands(db, turn, consent=consent, predicates=predicates, config=config)
    return Thought(tuple(proposals.values()), by, error, calls, (*notes, *refused), opened, done, heard)


def rehearse(db: Database, turn: Turn, *, config: Config) -> None:
    """Read a turn, of a long one the beginning, by the rules for nothing, but that it is quick the next time: what it needs is compiled."""
    _extract(db, turn.model_copy(update={"user_input": turn.user_input[:_REHEARSED]}), stored.predicates(db), config, None)


def _heard(db: Database, turn: Turn, config: Config) -> Heard | None:
    """What the user answers to a question that the assistant has just put for the memory (see `Context.question`)."""
    if not is_oneself(turn.speaker, turn.user_id):
        return None
    asked = _asked_before(db, turn, turn.turn_id)
    by_itself = "“" not in asked  # else it quotes what it is about, as the memory does
    if by_itself and not asks_leave(asked):
        return None
    doubts = clarify(db, (), user_id=turn.user_id, now=turn.timestamp, said_by=EVER, config=config)
    if by_itself:  # "Shall I remember this?", of what the turn before said
        said = _read_before(db, "believe.said", turn, turn.turn_id)
        doubts = [one for one in doubts if one.leave and said and _comes_from(db, one.fact_id, str(said["turn_id"]))]
        asked = doubts[0].question if len(doubts) == 1 else ""
    if still := _STILL_RIGHT.search(" ".join(asked.split())):
        kinds, statuses = listed(_BELIEVED), listed(DECIDABLE)
        rows = db.all("believe.texts", user_id=turn.user_id, kinds=kinds, statuses=statuses, now=to_text(turn.timestamp))
        meant = [str(row["fact_id"]) for row in rows if " ".join(str(row["value_text"]).split())[:STILL_RIGHT_MOST] == still["said"]]
        doubts += [Doubt(fact_id=fact_id, leave=False, question=still[0]) for fact_id in meant]
    return hear(turn.user_input, asked, doubts, read=partial(read_fact, db))


def _instead(db: Database, found: Interpreted, *, of: str) -> Interpreted:
    """What was found, with what is said to be so instead of both that were asked about as the change that it is."""
    waits = read_fact(db, of)
    key = waits.key if waits is not None else None
    told = tuple(one.model_copy(update={"explicit": True}) if one.key == key and not one.negated else one for one in found.candidates)
    return replace(found, candidates=told)


def _comes_from(db: Database, fact_id: str, turn_id: str) -> bool:
    fact = read_fact(db, fact_id)
    return fact is not None and fact.source_turn_id == turn_id


def _asked_before(db: Database, turn: Turn, turn_id: str) -> str:
    """What somebody else said right before one of the turns of who speaks."""
    row = _read_before(db, "believe.asked", turn, turn_id)
    return str(row["asked"]) if row else ""


def _read_before(db: Database, statement: str, turn: Turn, turn_id: str) -> Row | None:
    return db.one(
        statement,
        user_id=turn.user_id,
        turn_id=turn_id,
        session_id=turn.session_id,
        speaker=turn.speaker or "user",
        since=to_text(turn.timestamp - _ANSWERED_WITHIN),
    )


def _errands(
    db: Database, turn: Turn, *, consent: Consent, predicates: Mapping[str, Predicate], config: Config
) -> tuple[tuple[tuple[Candidate, Source], ...], tuple[str, ...], tuple[Note, ...]]:
    """The tasks that a turn leaves open, as far as the gate lets them pass, those that it says are done, and what was refused."""

    def open_tasks() -> list[Fact]:
        return stored.facts(db, db.all("upkeep.open_tasks", user_id=turn.user_id))

    found = loops(turn, open_tasks, zone=config.zone)
    if not found.opened:
        return (), found.done, ()
    cases = {loop: Case(candidate=_task(loop), beliefs=()) for loop in found.opened}
    told = named_secrets(turn.user_input)
    gated = gate(list(cases.values()), consent=consent, predicates=predicates, config=config, told=told)
    promised = {case.candidate.object for loop, case in cases.items() if loop.promised}
    passed = [case.candidate for case in gated.cases]
    return tuple((one, "assistant_message" if one.object in promised else "user_message") for one in passed), found.done, gated.notes


def _task(loop: Loop) -> Candidate:
    key = canonical_key("user", "task")
    subject, _, predicate = key.partition(".")
    return Candidate(
        key=key,
        value_text=f"The assistant will {loop.title}" if loop.promised else loop.title,
        object=loop.title,
        category="task_context",
        confidence=1.0,
        excerpt=loop.excerpt,
        value_json={
            "subject": subject, "predicate": predicate, "object": loop.title, "state": "active",
            "origin": "promise" if loop.promised else "open_loop",
        },
        event_time=loop.due,
        explicit=True,
    )  # fmt: skip


class _Holding(LanguageModel):
    """A model that renews the claim on a turn before each question, since the answers may take longer than the lease."""

    def __init__(self, llm: LanguageModel, db: Database, turn: Turn, *, worker: str, config: Config) -> None:
        self.name = llm.name
        self._llm, self._db, self._turn, self._worker = llm, db, turn, worker
        self._seconds = max(config.lease_seconds, config.model_timeout_seconds * config.model_attempts)

    def ask(self, prompt: Prompt, *, answer: type[T], purpose: str, temperature: float = 0.0, max_tokens: int | None = None) -> Answer[T]:
        """Return the model's answer; see `LanguageModel.ask`."""
        with suppress(BusyError):  # who holds the file for so long has not taken the turn
            self._db.run("queue.renew", id=self._turn.id, worker=self._worker, until=to_text(utc_now() + timedelta(seconds=self._seconds)))
        return self._llm.ask(prompt, answer=answer, purpose=purpose, temperature=temperature, max_tokens=max_tokens)


def _extract(
    db: Database, turn: Turn, predicates: Mapping[str, Predicate], config: Config, llm: LanguageModel | None
) -> tuple[Interpreted, str, str | None]:
    error: str | None = None
    calls: tuple[ModelCall, ...] = ()

    def held(keys: list[str]) -> list[tuple[str, str]]:
        found = db.tuples("believe.objects", user_id=turn.user_id, keys=json.dumps(keys), now=to_text(turn.timestamp))
        return cast(list[tuple[str, str]], found)

    def held_of(subject: str) -> list[tuple[str, str]]:
        found = db.tuples("believe.objects_of", user_id=turn.user_id, subject=subject, now=to_text(turn.timestamp))
        return cast(list[tuple[str, str]], found)

    def once(keys: list[str]) -> list[tuple[str, str]]:
        return cast(list[tuple[str, str]], db.tuples("believe.objects_once", user_id=turn.user_id, keys=json.dumps(keys)))

    def before() -> tuple[Turn, str] | None:
        said = _read_before(db, "believe.said", turn, turn.turn_id)
        if said is None:
            return None
        update = {"turn_id": said["turn_id"], "user_input": said["said"], "timestamp": to_utc(str(said["at"]))}
        return turn.model_copy(update=update), _asked_before(db, turn, str(said["turn_id"]))

    asked = _asked_before(db, turn, turn.turn_id)
    read = extract(turn, predicates=predicates, zone=config.zone, held=held, held_of=held_of, once=once, asked=asked, before=before)
    over = {one.key: one.object for one in read if one.negated and one.because == PUT_OFF}
    read = [_on_its_day(db, _told_once(db, one, user_id=turn.user_id), turn, over=over, zone=config.zone) for one in read]
    if llm is not None and not any(one.because for one in read):  # what takes something back says nothing else, and is understood
        try:
            said, answers = _said(turn, asked, before), spelled_out(asked, turn.user_input) is not None
            found = interpret(turn, llm=llm, predicates=predicates, zone=config.zone, said=said, answers=answers)
            if found.unread is None:
                return _beside(read, found, turn.user_input, predicates), found.calls[-1].model if found.calls else llm.name, None
            error = f"The model {llm.name} wrote down nothing that the turn says ({found.unread}); try another model."
            return replace(found, candidates=tuple(read)), "rules", error
        except StoreError:
            raise
        except Exception as failure:  # as above
            log.warning("turn %s of user %s falls back to rules: %s", turn.turn_id, turn.user_id, failure)
            error, calls = checks.searchable(str(failure)[:500]), calls_of(failure)
    if not any(one.because for one in read):
        read += mentioned_in(turn, read, predicates=predicates, zone=config.zone, held=held, once=once)
    many = f"it states {MOST_FACTS} facts" if len(read) >= MOST_FACTS else ""
    limit = many or ("it is too long to be read whole" if is_read_in_part(turn.user_input) else "")
    notes = (Note(step="extract", why=f"{limit}; what else it says stands in the message only"),) if limit else ()
    return Interpreted(tuple(read), notes, calls), "rules", error


def _in_earnest(db: Database, turn: Turn, found: Interpreted) -> Interpreted:
    """What was found, but for what the user says as somebody else, in a role play. What is taken back is taken back in earnest."""
    if all(one.because for one in found.candidates):
        return found
    rows = db.tuples(
        "believe.said_lately",
        user_id=turn.user_id,
        turn_id=turn.turn_id,
        session_id=turn.session_id,
        speaker=turn.speaker or "user",
        since=to_text(turn.timestamp - _PLAYED_FOR),
    )
    said = [str(text) for (text,) in reversed(rows)]
    played = [one for one in found.candidates if not one.because and is_played(said, one.excerpt)]
    notes = tuple(Note(step="extract", key=one.key, why="it is said in a role play") for one in played)
    return replace(found, candidates=tuple(one for one in found.candidates if one not in played), notes=(*found.notes, *notes))


def _said(turn: Turn, asked: str, before: Before) -> str:
    """What was said right before a turn, each with who said it, where the turn cannot be understood without it; else ""."""
    answers = "?" in asked and len(turn.user_input.split()) <= _SHORT
    if not answers and not begins_with_somebody(turn.user_input):
        return ""
    speaker, earlier = turn.speaker or "user", before()
    other = "assistant" if is_oneself(turn.speaker, turn.user_id) else "another"
    told = ((speaker, earlier[0].user_input if earlier else ""), (other, asked))
    return "\n".join(f"- {who}: {' '.join(text.split())[-_HEARD:]}" for who, text in told if text.strip())


def _told_once(db: Database, said: Candidate, *, user_id: str) -> Candidate:
    """What was so once, which is kept as what is over only the first time that it is told."""
    if not said.former:
        return said
    over = db.tuples("believe.over_under", user_id=user_id, key=said.key)
    return said.model_copy(update={"former": normalise(said.object) not in {normalise(str(value)) for (value,) in over}})


def _on_its_day(db: Database, said: Candidate, turn: Turn, *, over: Mapping[str, str], zone: tzinfo) -> Candidate:
    """What is moved by how long, or to a day by its number alone, on the day that is meant by when it was to be: "back a week", and "the
    26th", of a test on 12 May, the one next to it. What is only at another hour than what is `over` is on its day."""
    if said.predicate not in ("plans", "deadline") or not said.explicit or said.negated:
        return said
    way = moved_to_a_day(turn.user_input) if said.event_time is not None else None
    of_week = moved_to_a_weekday(turn.user_input) if said.event_time is not None and way is None else None
    if said.event_time is not None and way is None and of_week is None:
        return said
    was_called = over.get(said.key, said.object)
    planned = db.tuples("believe.planned_for", user_id=turn.user_id, key=said.key, object=was_called)
    if not planned:
        return said
    if said.event_time is None and normalise(was_called) != normalise(said.object):
        began, ended = planned[0]
        at = to_utc(at_its_hour(in_zone(to_utc(str(began)), zone), said.object))
        until = None if ended is None else to_utc(str(ended)) + (at - to_utc(str(began)))
        return said.model_copy(update={"event_time": at, "valid_to": until})
    if said.event_time is None:
        begins, ends = (at and _shifted(turn.user_input, to_utc(str(at)), zone) for at in planned[0])
        return said.model_copy(update={"event_time": begins, "valid_to": ends})
    was, now = (in_zone(at, zone).date() for at in (to_utc(str(planned[0][0])), turn.timestamp))
    told = in_zone(said.event_time, zone).date()
    if of_week is not None:
        meant = same_weekday_near(was, as_of=told, way=of_week, now=now)
    else:
        meant = moved_from(was, day=told.day, way=way or "either", now=now)
    if meant is None:
        return said
    moved = meant - told
    ends = said.valid_to and to_utc(in_zone(said.valid_to, zone) + moved)
    return said.model_copy(update={"event_time": to_utc(in_zone(said.event_time, zone) + moved), "valid_to": ends})


def _shifted(text: str, at: datetime, zone: tzinfo) -> datetime | None:
    """The time to which a text moves one, by how long; None where it does not tell that."""
    local = in_zone(at, zone)
    meant = shifted(text, local.date())
    return None if meant is None else to_utc(local + (meant - local.date()))


def _name(candidate: Candidate) -> tuple[str, str, bool]:
    return candidate.key, normalise(candidate.object), candidate.negated


def _beside(read: Sequence[Candidate], found: Interpreted, text: str, predicates: Mapping[str, Predicate]) -> Interpreted:
    """What a model found in a text, taken as what the rules read there bears it out."""
    known = {_name(one): one for one in read}
    candidates: dict[tuple[str, str, bool], Candidate] = {}
    notes: list[Note] = []
    for one in found.candidates:
        said = _in_own_words(one, read, text)
        if said is not one:
            notes.append(Note(step="extract", key=one.key, why="its object is not among the words of the speaker, where another is"))
        against = () if _name(said) in known else read_otherwise(said, read, predicates)
        if against or (_name(said) not in known and not said.negated and leaves_out_a_denial(text, said.excerpt, said.value_text)):
            notes.append(Note(step="extract", key=one.key, why="the speaker says otherwise of it"))
            for other in against:
                candidates.setdefault(_name(other), other)
        else:
            candidates.setdefault(_name(said), _carefully(said, known.get(_name(said))))
    return replace(found, candidates=tuple(candidates.values()), notes=(*found.notes, *notes))


def _in_own_words(candidate: Candidate, read: Sequence[Candidate], text: str) -> Candidate:
    """A model's candidate, or what the rules read under its key where its object stands nowhere in a text, and theirs does.

    "Lisbon", of "I live in Porto", is what a model makes up.
    """
    said = telling(text)
    if not candidate.object or said & telling(candidate.object):
        return candidate
    instead = [one for one in read if (one.key, one.negated) == (candidate.key, candidate.negated) and _is_said(one, said)]
    return instead[0] if len(instead) == 1 else candidate


def _is_said(candidate: Candidate, words: frozenset[str]) -> bool:
    return bool(candidate.object) and telling(candidate.object) <= words


def _carefully(candidate: Candidate, read: Candidate | None) -> Candidate:
    """A model's candidate, taken as carefully as the rules take it if they read it too: small models are always sure."""
    if read is None:
        return candidate
    careful: dict[str, object] = {
        "confidence": min(candidate.confidence, read.confidence),
        "explicit": candidate.explicit and read.explicit,
        "until": read.until,
        "answered": read.answered,
    }
    if read.valid_to is None and not candidate.temporary:
        careful["valid_to"] = None  # an end that it does not mean itself, and nobody else reads
    if not (candidate.valid_from or candidate.valid_to or candidate.event_time):
        careful |= {name: getattr(read, name) for name in ("valid_from", "valid_to", "event_time", "temporary")}
    return candidate.model_copy(update=careful)


def compare_meanings(
    db: Database,
    cases: Sequence[Case],
    *,
    user_id: str,
    now: datetime,
    embedder: Embedder | None,
    predicates: Mapping[str, Predicate],
    config: Config,
    kind: str = "fact",
) -> list[Action | None]:
    """The repetitions among the cases, by meaning and words; see `liken`.

    What waits for its vector is embedded first, so that the answer does not depend on how far the outbox has come. A fact whose embedding
    failed is not compared.
    """
    if embedder is not None and cases and db.has_vectors:
        with suppress(BusyError, ModelUnavailable):  # who writes for so long may go on; what waits is compared next time
            sync(db, embedder=embedder, now=utc_now(), config=config, user_id=user_id, kind=kind)
    return liken(db, cases, user_id=user_id, now=now, embedder=embedder, predicates=predicates, config=config, kind=kind)


def _related(db: Database, turn: Turn, config: Config) -> list[Fact]:
    """The facts that the words of a turn bring to mind; not its meaning, since a replay asks the same questions."""
    asked = understand(db, turn.user_input, user_id=turn.user_id, now=turn.timestamp, zone=config.zone)
    hits = retrieve(
        db,
        asked,
        user_id=turn.user_id,
        embedder=None,
        now=turn.timestamp,
        config=config,
        sifted={"kinds": stored.kinds_but_messages(db)},
        limit=_RELATED,
    )
    return [hit.fact for hit in hits]
