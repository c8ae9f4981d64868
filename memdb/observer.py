"""The writing chain: a turn that waits is thought about, and written down in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from functools import partial

from memdb import stored
from memdb.beliefs import as_received, bearing_on, beliefs_about
from memdb.config import Config
from memdb.database import Database
from memdb.embed import Embedder
from memdb.errors import ConflictError
from memdb.figures import closer
from memdb.keys import is_same, normalise, predicate_of
from memdb.llm import LanguageModel
from memdb.privacy import topic_of
from memdb.reading import read_consent
from memdb.recording import Origin, dismiss, end, expire_over, keep_calls, let, move, read_fact, settle
from memdb.records import DECIDABLE, LIVE, Action, Candidate, Case, Consent, Fact, Note, Predicate, Turn
from memdb.reviving import make_way
from memdb.since import (
    DENIED,
    REFUSED,
    Ends,
    begin_when_first_said,
    comes_late,
    cut_off,
    divide,
    divide_ended,
    ended,
    note_end,
    note_end_of,
    of_its_time,
    parted,
    rejected,
    sayings,
    stood_then,
)
from memdb.steps.apply import apply
from memdb.steps.arbitrate import arbitrate
from memdb.steps.guard import guard
from memdb.steps.hear import Heard
from memdb.steps.materialize import materialize
from memdb.thinking import think
from memdb.times import EVER, to_text, utc_now

_ONE_AT_A_TIME = ("wife", "husband", "partner", "boss")  # relations to people of whom one has another some day
_EXPIRED = 100  # facts whose end is written down in one transaction
_SPELLED_ANEW = 0.75  # how alike "Ana" and "Anna" are, and more


def process(db: Database, turn: Turn, *, worker: str, config: Config, llm: LanguageModel | None, embedder: Embedder | None) -> bool:
    """Think about a claimed turn and write what follows, in one transaction, and the profile after it; what is over by then, as far as that
    is much, is written down before. Return False if the claim was lost meanwhile.

    A model and the embedder are asked before the transaction begins. What they propose holds only as long as the beliefs they saw: where
    those have changed by then, the rules decide, on beliefs that cannot change under them.
    """
    predicates = stored.predicates(db)
    consent = read_consent(db, user_id=turn.user_id, config=config)
    thought = think(db, turn, worker=worker, predicates=predicates, consent=consent, config=config, llm=llm, embedder=embedder)
    origin = Origin(user_id=turn.user_id, turn_id=turn.turn_id, now=turn.timestamp, session_id=turn.session_id, speaker=turn.speaker)
    _expire_most(db, user_id=turn.user_id, now=turn.timestamp)
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
        if (thought.proposals or thought.opened) and comes_late(db, user_id=turn.user_id, now=turn.timestamp):
            origin = origin.model_copy(update={"late": True})
        notes = list(thought.notes)
        for case, proposed in thought.proposals:
            if proposed is not None and not _still_holds(db, case, proposed, origin=origin, predicates=predicates):
                notes.append(
                    Note(step="arbitrate", key=case.candidate.key, why="what was believed has changed meanwhile, so the rules decided")
                )
                proposed = None
            done = decide(db, case.candidate, origin=origin, predicates=predicates, config=config, proposed=proposed, consent=consent)
            notes += [Note(step="arbitrate", key=action.key, why=REFUSED) for action, _ in done if action.reason == REFUSED]
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
        is_due = _profile_is_due(db, turn, config, session_ended=_end_session_before(db, turn))
    if is_due:
        build_profile(db, user_id=turn.user_id, now=turn.timestamp, config=config)
    return True


def _expire_most(db: Database, *, user_id: str, now: datetime) -> None:
    """Expire what is over by a turn, some of it in each transaction, and leave the last of it to the turn's.

    Where thousands of facts end at once, others need not wait for all. What is over only by a clock that is ahead is the turn's, too.
    """
    while now <= utc_now() and len(db.tuples("apply.over", user_id=user_id, now=to_text(now), most=_EXPIRED)) == _EXPIRED:
        with db.transaction():
            expire_over(db, user_id=user_id, now=now, most=_EXPIRED)


def _settle(db: Database, heard: Heard, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> None:
    """Let stand what a question of the memory's own was answered with; what was decided meanwhile stays so."""
    waits, held = read_fact(db, heard.fact_id), read_fact(db, heard.against) if heard.against else None
    if waits is None or waits.status not in DECIDABLE or (heard.against and waits.status == "active"):
        return
    over = held if heard.neither else waits
    if heard.neither:
        dismiss(db, waits, origin=origin, reason=DENIED)
    if over is not None and over.status == "active" and not heard.right:
        ends = max(origin.now, over.valid_from)
        end(db, over, ends=ends, origin=origin, reason="said to be so no longer, when asked")
        note_end_of(db, over, ends=ends, origin=origin)
        return
    if heard.neither:
        return
    chosen = waits if heard.right else held
    if chosen is None or (chosen is held and chosen.status != "active"):
        dismiss(db, waits, origin=origin, reason=DENIED)
        return
    raised = chosen.confidence + closer(chosen.confidence, config.confirmation_rate)
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
    """Arbitrate one candidate, unless an action is proposed, guard the outcome and apply it; return each action with the fact after it.

    What the user has rejected since it was said changes nothing, and what has been said to be over since then ends with that.
    """
    weigh = partial(_weigh, db, candidate, origin=origin, predicates=predicates, config=config, consent=consent, known=known)
    if candidate.negated:
        if consent is None or consent.sensitive_topics == "keep" or topic_of(candidate) is None:  # or what may not be kept would be, here
            note_end(db, candidate, origin=origin)
        done = weigh(proposed=proposed)
        _end_then(db, candidate, done, origin=origin, predicates=predicates, config=config, consent=consent)
        return done
    if not origin.late:
        return weigh(proposed=proposed)
    if (no := rejected(db, candidate, origin=origin)) is not None:
        return [(Action(type="noop", key=candidate.key, target_fact_id=no.fact_id, candidate=candidate, reason=REFUSED), no.fact_id)]
    ends = ended(db, candidate, origin=origin)
    done = weigh(proposed=None if ends else proposed, ends=ends)
    for over, since in ends:
        ended_by = _weigh(db, over, origin=since, predicates=predicates, config=config)
        _end_then(db, over, ended_by, origin=since.model_copy(update={"late": True}), predicates=predicates, config=config, consent=consent)
    return done


def _weigh(
    db: Database,
    candidate: Candidate,
    *,
    origin: Origin,
    predicates: Mapping[str, Predicate],
    config: Config,
    proposed: Action | None = None,
    consent: Consent | None = None,
    known: dict[str, Fact] | None = None,
    ends: Ends = (),
) -> list[tuple[Action, str | None]]:
    """Decide by what is believed now."""
    beliefs = beliefs_about(
        db, candidate, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind, known=known, exactly=True
    )
    beliefs = parted(beliefs, candidate, ends)
    said = as_received(beliefs, candidate, now=origin.now, present=utc_now())
    actions = arbitrate(candidate, said, predicates=predicates, config=config, now=origin.now) if proposed is None else [proposed]
    allowed = []
    for action in actions:
        target = read_fact(db, action.target_fact_id) if action.target_fact_id else None
        allowed.append(
            guard(action, target, predicates=predicates, config=config, consent=consent, source=origin.source, confidence=origin.confidence)
        )
    decided: list[Action] = []
    done: list[tuple[Action, str | None]] = []
    for doubted in _one_doubt(allowed, candidate, beliefs, config):
        weighed = of_its_time(db, doubted, ends, origin=origin, predicates=predicates, config=config)
        action, refuted = _amid(db, weighed, origin=origin, predicates=predicates, config=config)
        decided.append(action)
        done.append((action, apply(db, action, origin=origin, predicates=predicates, config=config)))
        if refuted and (waits := read_fact(db, done[-1][1] or "")) is not None:
            dismiss(db, waits, origin=origin, reason="what it contradicted stood until it was said again, or replaced")
    if _is_another(candidate, decided, beliefs):
        _leave(db, candidate, origin=origin, predicates=predicates, config=config)
    return done


def _end_then(
    db: Database,
    end: Candidate,
    done: Sequence[tuple[Action, str | None]],
    *,
    origin: Origin,
    predicates: Mapping[str, Predicate],
    config: Config,
    consent: Consent | None,
) -> None:
    """Let an end that may have come in late be one of what was so when it was said, whatever was said and believed since."""
    if origin.late:
        cut_off(db, end, origin=origin)
    if not end.coming and end.confidence >= config.certain_confidence:
        beliefs = beliefs_about(db, end, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind)
        divide_ended(db, end, beliefs, origin=origin)
    for action, fact_id in done:
        if action.type == "expire" and fact_id is not None:
            _let_next(db, fact_id, origin=origin, predicates=predicates, consent=consent)


def _let_next(db: Database, ended_id: str, *, origin: Origin, predicates: Mapping[str, Predicate], consent: Consent | None) -> None:
    """Believe what waited against a fact that had ended, as is known now, before that was said; what was said after it waits against it."""
    rivals = stored.facts(db, db.all("believe.contradicting", fact_id=ended_id))
    next_first = sorted((fact for fact in rivals if fact.created_at > origin.now and not fact.denies), key=lambda fact: fact.created_at)
    free = [fact for fact in next_first if consent is None or consent.sensitive_topics == "keep" or topic_of(fact) is None]
    if not free or any(fact.status == "active" for fact in stored.facts(db, db.all("believe.contradicted_by", fact_id=free[0].fact_id))):
        return
    let(db, free[0], origin=origin, reason="what it contradicted was over by then")
    begin_when_first_said(db, free[0], origin=origin)
    make_way(db, free[0].fact_id, predicates=predicates, now=origin.now)
    for fact in next_first:
        if fact != free[0]:
            db.run("apply.link", source_id=fact.fact_id, target_id=free[0].fact_id, relation="contradicts", now=to_text(origin.now))


def _amid(db: Database, action: Action, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> tuple[Action, bool]:
    """An action as it is where what comes in late contradicts what was believed then, and said again or replaced since; and whether that
    refuted it.

    What would have been doubted then is refuted by what was said since. Else what was said again gave way to it, and began anew after it.
    """
    said = action.candidate
    target = read_fact(db, action.target_fact_id) if action.type == "insert" and action.target_fact_id else None
    if said is None or target is None or said.temporary:
        return action, False
    known, so_far = target, sum(time <= origin.now for time in sayings(db, target))
    if not so_far and predicate_of(said.key, predicates).cardinality == "one" and (stood := stood_then(db, said, origin=origin)):
        known, so_far = stood, sum(time <= origin.now for time in sayings(db, stood))
    if not so_far:
        return action, False
    sure = config.first_confidence
    for _ in range(so_far - 1):
        sure += closer(sure, config.confirmation_rate)
    then = known.model_copy(update={"confidence": min(known.confidence, sure)})
    change = action.model_copy(update={"type": "supersede", "valid_to": None})
    weighed = guard(change, then, predicates=predicates, config=config, source=origin.source, confidence=origin.confidence)
    if weighed.type == "mark_pending_confirmation":
        return weighed.model_copy(update={"target_fact_id": known.fact_id}), True
    if known is not target or target.status != "active":
        return action, False
    again = divide(
        db, known, until=said.valid_from or origin.now, status="superseded", reason=f"until {said.object!r} began", origin=origin
    )
    return (action if again is None else action.model_copy(update={"valid_to": again})), False


def _is_another(candidate: Candidate, actions: Sequence[Action], beliefs: Sequence[Fact]) -> bool:
    """Whether somebody is no longer one's partner or boss, but perhaps another is; not where only a name was wrong, or is spelled anew."""
    if candidate.predicate not in _ONE_AT_A_TIME or candidate.because is not None or candidate.temporary:
        return False
    if any(action.type == "mark_pending_confirmation" for action in actions):
        return False
    gone = candidate.negated and candidate.explicit and not candidate.undenies and (not candidate.object or bool(actions))
    left = {action.target_fact_id for action in actions if action.type == "supersede"}
    names = (fact.object.casefold() for fact in beliefs if fact.fact_id in left)
    return gone or any(SequenceMatcher(None, name, candidate.object.casefold()).ratio() < _SPELLED_ANEW for name in names)


def _leave(db: Database, candidate: Candidate, *, origin: Origin, predicates: Mapping[str, Predicate], config: Config) -> None:
    """End what is held of a former partner or boss: what is said of the next one is said of somebody else."""
    owner = "" if candidate.subject == "user" else f"{candidate.subject}_"
    begins = f"{owner}{candidate.predicate}."
    ends = candidate.valid_from or origin.now
    for fact in stored.facts(db, db.all("believe.of_somebody", user_id=origin.user_id, begins=begins, turn_id=origin.turn_id)):
        if (fact.last_mentioned_at or fact.created_at) > origin.now:
            continue  # of the next one
        reason = f"of a former {candidate.predicate}"
        action = Action(type="expire", key=fact.key, target_fact_id=fact.fact_id, valid_to=max(ends, fact.valid_from), reason=reason)
        apply(db, action, origin=origin, predicates=predicates, config=config)


def _one_doubt(actions: list[Action], candidate: Candidate, beliefs: Sequence[Fact], config: Config) -> list[Action]:
    """The actions about one candidate with at most one doubt among them: a value that waits waits once, against all that it would displace.

    A denial waits against what it only doubts, and ends the rest; one that waits already is said again.
    """
    doubts = [action for action in actions if action.type == "mark_pending_confirmation"]
    denies = candidate.negated
    ending = {action.target_fact_id for action in doubts if action.new_value_text is None}
    doubted = next((fact for fact in beliefs if fact.fact_id in ending and _says_already(candidate, fact)), None)
    if doubted is not None:  # what is believed is no doubt of itself
        again = {"type": "noop", "target_fact_id": doubted.fact_id, "reason": "said again, but not by the user: begins as was said"}
        return [doubts[0].model_copy(update=again)]
    waiting = (fact for fact in beliefs if fact.key == candidate.key and fact.denies and fact.status == "pending_confirmation")
    known = next((fact for fact in waiting if normalise(fact.object) == normalise(candidate.object)), None) if denies else None
    if doubts and known is not None:
        delta = closer(known.confidence, config.confirmation_rate)
        change = {"type": "noop", "target_fact_id": known.fact_id, "confidence_delta": delta, "reason": "said again, and still a doubt"}
        return [*(action for action in actions if action not in doubts), doubts[0].model_copy(update=change)]
    against_nothing = len(doubts) == 1 and doubts[0].target_fact_id is None  # what it takes the place of has ended
    if not doubts or len(actions) == 1 or against_nothing:
        return actions
    first = doubts[0]
    against = [action.target_fact_id for action in (doubts if denies else actions) if action.target_fact_id]
    sure = [action for action in actions if action.type != "mark_pending_confirmation"] if denies else []
    return [*sure, first.model_copy(update={"also": tuple(one for one in against if one != first.target_fact_id)})]


def _says_already(candidate: Candidate, fact: Fact) -> bool:
    """Whether a candidate says a fact that was still to begin when that was said last."""
    said = candidate.key == fact.key and candidate.denies == fact.denies and is_same(candidate.object, fact.object)
    return said and not candidate.negated and fact.valid_from > (fact.last_mentioned_at or fact.created_at)


def _still_holds(db: Database, case: Case, proposed: Action, *, origin: Origin, predicates: Mapping[str, Predicate]) -> bool:
    """Whether what bears on an action is believed as it was when the action was proposed: by others, and by this turn itself."""
    target = read_fact(db, proposed.target_fact_id) if proposed.target_fact_id else None
    if proposed.target_fact_id and (target is None or target.status not in LIVE):
        return False
    believed = beliefs_about(db, case.candidate, user_id=origin.user_id, now=origin.now, predicates=predicates, kind=origin.kind)
    return _but_for_chance(bearing_on(case.candidate, believed, predicates)) == _but_for_chance(case.beliefs)


def _but_for_chance(beliefs: Sequence[Fact]) -> list[Fact]:
    return [fact.model_copy(update={"embedding_id": None, "last_accessed": None, "access_count": 0}) for fact in beliefs]


def build_profile(db: Database, *, user_id: str, now: datetime, config: Config) -> None:
    """Materialise a user's profile in a transaction of its own. Reading for it holds up nobody, unless somebody has written meanwhile."""
    with db.snapshot():
        profile, seen = materialize(db, user_id=user_id, now=now, said_by=EVER, config=config), db.version
    with db.transaction():
        if db.version != seen:  # what was read may have been forgotten
            profile = materialize(db, user_id=user_id, now=now, said_by=EVER, config=config)
        db.run("profile.put", user_id=user_id, profile=profile.model_dump_json(), now=to_text(now))


def _end_session_before(db: Database, turn: Turn) -> bool:
    """End the session that the user's turn before was of, if this one is of another; return whether there was one to end."""
    previous = db.one("queue.previous_session", user_id=turn.user_id, id=turn.id)
    ended = previous["session_id"] if previous and previous["session_id"] != turn.session_id else None
    if ended is not None:
        db.run("queue.end_session", user_id=turn.user_id, session_id=ended, now=to_text(turn.timestamp))
    return ended is not None


def _profile_is_due(db: Database, turn: Turn, config: Config, *, session_ended: bool) -> bool:
    row = db.one("profile.count_turn", user_id=turn.user_id, now=to_text(turn.timestamp))
    since, every = int(row["turns_since"] or 0) if row else 0, config.profile_every_turns
    if not session_ended and since % every:
        return False
    comes_again = _comes_again(db, turn, config)
    if comes_again and session_ended:
        db.run("profile.postpone", user_id=turn.user_id, turns=every)  # counted from here, as if it had been built
    return not comes_again


def _comes_again(db: Database, turn: Turn, config: Config) -> bool:
    """Whether turns wait by which the profile is due once more: of many that come in at once, the last builds it for all."""
    waiting = [row["session_id"] for row in db.all("queue.coming", user_id=turn.user_id, id=turn.id, most=config.profile_every_turns)]
    return len(waiting) >= config.profile_every_turns or any(session_id != turn.session_id for session_id in waiting)
