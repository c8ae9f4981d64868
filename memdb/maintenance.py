"""The upkeep chain: episodes, reflection, promotion, and the archive. Every part may be killed and repeated, and asks no model twice."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache, partial

from memdb import stored
from memdb.answers import Maintained
from memdb.config import Config
from memdb.database import Database, Row, SqlValue
from memdb.identity import is_gone, new_identity
from memdb.keeper import reinforce
from memdb.llm import LanguageModel
from memdb.narrator import Narrator
from memdb.nights import next_night, night_from, take_night
from memdb.observer import decide
from memdb.privacy import is_high_risk, quotable, topic_of
from memdb.reading import read_consent
from memdb.recording import Origin, archive, dismiss_moot, expire_over, keep_calls, merge, move, promote, read_fact
from memdb.records import Candidate, Case, Consent, Fact
from memdb.steps.compact import compact
from memdb.steps.gate import gate
from memdb.steps.gather import gather
from memdb.steps.reflect import Reflection, Said, reflect
from memdb.steps.summarize import Summary, summarize
from memdb.store import Store
from memdb.times import in_zone, to_text, to_utc, utc_now

_WRITTEN = 100  # rows that are changed in one transaction
_MOOD = "emotion:"
_NAMESPACE = uuid.UUID("6d656d64-7500-5000-8000-000000000000")


def maintain(
    store: Store,
    config: Config,
    *,
    narrator: Narrator | None,
    llm: LanguageModel | None,
    user_id: str | None,
    now: datetime,
    rehearsed: Mapping[str, tuple[int, datetime]] | None = None,
) -> Maintained:
    """Do what is due for a user, or for everybody, and return how much it was; see `Memory.maintain`.

    Where it is only `rehearsed`, all of it is undone, and so is the reinforcing of the memories that are given there as recalled.
    """
    db = store.database()
    work = partial(_maintain, store, config, narrator=narrator, llm=llm, user_id=user_id, now=now)
    if rehearsed is None:
        return work()

    def rehearse() -> Maintained:
        reinforce(db, rehearsed, config=config)
        return work().model_copy(update={"dry_run": True})

    return db.rehearsed(rehearse)


def _maintain(
    store: Store, config: Config, *, narrator: Narrator | None, llm: LanguageModel | None, user_id: str | None, now: datetime
) -> Maintained:  # fmt: skip
    db = store.database()
    done: list[Maintained] = []
    while user_id is None and (night := next_night(db, config, now=now)):
        done.append(take_night(store, config, narrator, now=night, scheduled=True))
    done.append(take_night(store, config, narrator, user_id=user_id, now=now, scheduled=False))
    counted = ("processed", "archived", "deleted", "consolidated", "patterns")
    total = {name: sum(getattr(one, name) for one in done) for name in counted}
    total["nights"] = sum(one.nights for one in done[:-1])
    return _keep_up(db, user_id=user_id, now=now, config=config, llm=llm).model_copy(update=total)


def _keep_up(
    db: Database, *, user_id: str | None, now: datetime, config: Config, llm: LanguageModel | None
) -> Maintained:  # fmt: skip
    """Do what is due of everything but first-person memories. A model is asked outside any transaction."""
    episodes = notes = 0
    while done := take_upkeep(db, user_id=user_id, now=now, config=config, llm=llm):
        episodes, notes = episodes + done.episodes, notes + done.notes
    merged = bring_together(db, user_id=user_id, now=now, config=config)
    return tidy(db, user_id=user_id, now=now, config=config).model_copy(update={"episodes": episodes, "notes": notes, "merged": merged})


def take_upkeep(
    db: Database, *, user_id: str | None, now: datetime, config: Config, llm: LanguageModel | None
) -> Maintained | None:  # fmt: skip
    """Summarise one session, or reflect upon one user, if that is due by `now`; return what was done, or None if nothing was due.

    Whoever does it holds the user meanwhile. Killed, it is done again by whoever comes next; written is all of it or nothing.
    """
    hot, worker = to_text(now - timedelta(days=config.hot_days)), new_identity()
    gone = [row for row in db.all("upkeep.claimants") if is_gone(str(row["claimed_by"]))]
    if not gone and not _due(db, user_id, hot, config):  # a look costs no lock
        return None
    with db.transaction():
        for row in gone:
            db.run("upkeep.release", user_id=row["user_id"], worker=row["claimed_by"])
        due = _due(db, user_id, hot, config)
        if due is None:
            return None
        lease = max(config.lease_seconds, config.model_timeout_seconds * config.model_attempts)
        db.run("upkeep.claim", user_id=due["user_id"], worker=worker, until=to_text(utc_now() + timedelta(seconds=lease)))
    if "session_id" in due:
        return _summarise(db, due, worker, config, llm)
    return _reflect(db, due, worker, config, llm)


def _due(db: Database, user_id: str | None, hot: str, config: Config) -> Row | None:
    at = to_text(utc_now())
    session = db.one("upkeep.session", user_id=user_id, hot=hot, now=at)
    return session or db.one("upkeep.unreflected", user_id=user_id, turns=config.reflect_every_turns, now=at)


def _summarise(db: Database, session: Row, worker: str, config: Config, llm: LanguageModel | None) -> Maintained:
    """Write the episode of a session, if it says anything that no message says alone, and has not gone on meanwhile."""
    owner, name = str(session["user_id"]), str(session["session_id"])
    consent = read_consent(db, user_id=owner, config=config)  # a secret that is cut in two is none any more: it is looked for in the whole
    said = _messages(db, session, config)
    messages = [message.model_copy(update={"value_text": quotable(message.value_text, consent)}) for message in said]
    summary = summarize(messages, llm=llm)
    with db.transaction():
        if not db.all("upkeep.release", user_id=owner, worker=worker):
            return Maintained()  # it took too long, and somebody else is at it
        keep_calls(db, summary.calls, user_id=owner, turn_id=f"episode-{name}", now=utc_now(), config=config)
        if not db.all("upkeep.summarised", user_id=owner, session_id=name, turns=session["turns"]) or not summary.text:
            return Maintained()
        if summary.repeats and read_fact(db, _episode_id(owner, name)) is None:
            return Maintained()  # a search would find the same words twice
        told = _tell(db, summary, messages, name, read_consent(db, user_id=owner, config=config), config)
    return Maintained(episodes=told)


def _messages(db: Database, session: Row, config: Config) -> list[Fact]:
    """What was said in a session, or on a day in no session."""
    begins = ends = None
    if session["day"] is not None:
        day = date.fromisoformat(str(session["day"]))
        midnights = [datetime(one.year, one.month, one.day, tzinfo=config.zone) for one in (day, day + timedelta(days=1))]
        begins, ends = map(to_text, midnights)
    named = None if begins else session["session_id"]
    return stored.facts(db, db.all("upkeep.messages", user_id=session["user_id"], session_id=named, begins=begins, ends=ends))


def _tell(db: Database, summary: Summary, messages: Sequence[Fact], session_id: str, consent: Consent, config: Config) -> int:
    first, last = messages[0], messages[-1]
    text = quotable(summary.text, consent)
    details = {
        "subject": "user", "predicate": "episode", "object": text,
        "turn_range": [first.source_turn_id, last.source_turn_id], "timestamp_start": to_text(first.valid_from),
        "timestamp_end": to_text(last.valid_from), "by": summary.by, "session": session_id,
    }  # fmt: skip
    return db.run(
        "upkeep.tell",
        fact_id=_episode_id(first.user_id, session_id),
        user_id=first.user_id,
        value_text=text,
        value_json=json.dumps(details, ensure_ascii=False),
        confidence=config.reflection_confidence,
        event_time=to_text(first.valid_from),
        valid_from=to_text(last.valid_from),
        source_turn_id=f"episode-{session_id}",
        session_id=first.session_id,
        tags=json.dumps(sorted({tag for message in messages for tag in message.tags}), ensure_ascii=False),
    )


def _episode_id(user_id: str, session_id: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, json.dumps([user_id, session_id])))


def _reflect(db: Database, user: Row, worker: str, config: Config, llm: LanguageModel | None) -> Maintained:
    """Draw notes from what a user had said lately; the same note drawn again is agreement, which makes it count for more."""
    owner, every = str(user["user_id"]), config.reflect_every_turns
    turn = db.one("upkeep.reflection_at", user_id=owner, reflected_id=user["reflected_id"], turns=every) or {}
    drawn, at = Reflection(notes=(), by="rules"), utc_now()
    if turn:
        at = to_utc(str(turn["timestamp"]))
        since = to_text(at - timedelta(days=config.reflect_days))
        rows = db.tuples(
            "upkeep.lately", user_id=owner, since=since, id=turn["id"], turn_id=turn["turn_id"], reflected_id=user["reflected_id"]
        )
        consent = read_consent(db, user_id=owner, config=config)
        with stored.reading(db, user_id=owner):
            told = [_said(row, config.zone) for row in rows]
        drawn = reflect(told, days=config.promote_days, consent=consent, llm=llm)
    origin, cause = "rules" if drawn.by == "rules" else "llm_reflection", f"reflection-{turn.get('turn_id')!s}"
    written = 0
    with db.transaction():
        if not db.all("upkeep.release", user_id=owner, worker=worker):
            return Maintained()  # as above
        keep_calls(db, drawn.calls, user_id=owner, turn_id=cause, now=utc_now(), config=config)
        for note in drawn.notes:
            cited = Origin(
                user_id=owner, turn_id=cause, now=at, kind="note", source="inferred", confidence=config.reflection_confidence
            )  # fmt: skip
            written += _note(db, note, {"origin": origin, "by": drawn.by}, origin=cited, config=config)
        db.run("upkeep.reflected", user_id=owner, id=turn.get("id", user["reflected_id"]))
    return Maintained(notes=written)


def _said(row: Sequence[SqlValue], zone: tzinfo) -> Said:
    """What a row of upkeep.lately tells."""
    text, at, tags, fresh = row
    return Said(str(text), _day_of(str(at), zone), _moods_of(str(tags)), bool(fresh))


@lru_cache(maxsize=16_384)  # one reflection after the other reads the same messages
def _day_of(at: str, zone: tzinfo) -> str:
    return in_zone(to_utc(at), zone).date().isoformat()


@lru_cache(maxsize=4_096)
def _moods_of(tags: str) -> tuple[str, ...]:
    return tuple(tag.removeprefix(_MOOD) for tag in json.loads(tags) if tag.startswith(_MOOD))


def _note(db: Database, text: str, told: Mapping[str, str], *, origin: Origin, config: Config) -> bool:
    """Keep a note, within the caller's transaction, if its user lets it be kept; return whether. No embedder is asked under the lock."""
    consent, predicates = read_consent(db, user_id=origin.user_id, config=config), stored.predicates(db)
    candidate = Candidate(
        key="user.note", value_text=text, object=text, category="other", confidence=1.0, excerpt=text, explicit=True,
        value_json={**told, "subject": "user", "predicate": "note", "object": text},
    )  # fmt: skip
    passed = gate([Case(candidate=candidate, beliefs=())], consent=consent, predicates=predicates, config=config).cases
    for case in passed:
        decide(db, case.candidate, origin=origin, predicates=predicates, config=config, consent=consent)
    return bool(passed)


# the night


def take_tidying(db: Database, *, now: datetime, config: Config) -> bool:
    """Tidy up if a night has gone by since the last time; return whether it was done. A file's first night is the one to come.

    Killed half-way, what is left is done by whoever comes next. Where two processes are at it, each does a part, and one has done it.
    """
    meta = {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}
    is_first = "tidied_at" not in meta
    if not is_first and night_from(to_utc(meta["tidied_at"]) + timedelta(milliseconds=1), config) > now:
        return False
    if not is_first:
        tidy(db, user_id=None, now=now, config=config)
        bring_together(db, user_id=None, now=now, config=config)
    with db.transaction():
        again = {str(row["name"]): str(row["value"]) for row in db.all("meta.all")}
        if again.get("tidied_at") != meta.get("tidied_at"):
            return False  # another process was first
        db.run("meta.put", name="tidied_at", value=to_text(now))
    return not is_first


def bring_together(db: Database, *, user_id: str | None, now: datetime, config: Config) -> int:
    """Make one of what a user, or each user, is held to have said twice: the one that is true for longest stands for the others.

    Only rows that came since the last time are looked at, and only writing some hundred of them down at a time holds the file. Return how
    many rows were brought together with others.
    """
    merged, predicates = 0, stored.predicates(db)
    for row in db.all("gather.users", user_id=user_id):
        owner = str(row["user_id"])
        while gathered := gather(db, user_id=owner, predicates=predicates, config=config, now=now):
            for part in _parts(gathered.groups):
                with db.transaction():
                    merged += sum(_one_of(db, group, now, config) for group in part)
            with db.transaction():
                db.run("gather.looked_at", user_id=owner, up_to=gathered.up_to)
    return merged


def _parts(groups: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Groups a few at a time, so many that each part has some hundred rows."""
    part: list[Sequence[str]] = []
    for group in groups:
        part.append(group)
        if sum(map(len, part)) >= _WRITTEN:
            yield part
            part = []
    if part:
        yield part


def _one_of(db: Database, group: Sequence[str], now: datetime, config: Config) -> int:
    """Merge what of a group still is believed, and return how many rows are no more."""
    read = [read_fact(db, fact_id) for fact_id in group]
    facts = [fact for fact in read if fact is not None and fact.status == "active"]
    if len(facts) < 2:
        return 0
    kept, *others = sorted(facts, key=lambda fact: fact.valid_from)
    merge(db, kept, others, origin=_origin(kept, now), reason=f"the same was held {len(facts)} times", config=config)
    return len(others)


def tidy(db: Database, *, user_id: str | None, now: datetime, config: Config) -> Maintained:
    """Let tasks stall, promote what recurs, and archive what is more than is kept; return how much it was.

    What is to be done is looked for without holding the file, and written some rows at a time. Killed half-way, the rest is done next time.
    """
    _close_over(db, user_id, now)
    return Maintained(
        tasks_stalled=_stall(db, user_id, now, config),
        promoted=_promote(db, user_id, now, config),
        notes_archived=_archive_notes(db, user_id, now, config),
        versions_archived=_versions(db, user_id, now, config),
        compacted=_compact(db, user_id, now, config),
    )


def archive_closed(db: Database, *, user_id: str | None, now: datetime, config: Config) -> int:
    """Move what was closed long ago into the archive, and nothing else of `tidy`, some rows at a time; return how many."""
    _close_over(db, user_id, now)
    return _compact(db, user_id, now, config)


def _close_over(db: Database, user_id: str | None, now: datetime) -> None:
    """Expire what is over by now, and end the denials that have nothing left to decide."""
    for owner in [user_id] if user_id is not None else [str(row["user_id"]) for row in db.all("apply.users_over", now=to_text(now))]:
        _by_parts(db, partial(_expire, db, owner, now))
    if db.all("believe.moot", user_id=user_id, ended=None):
        with db.transaction():
            dismiss_moot(db, user_id=user_id, now=now)


def _expire(db: Database, user_id: str, now: datetime, most: int) -> int:
    return expire_over(db, user_id=user_id, now=now, most=most)


def _by_parts(db: Database, work: Callable[[int], int]) -> int:
    """Do some work until there is none left, so many rows of it in each transaction; return how many rows it was."""
    done = 0
    while True:
        with db.transaction():
            part = work(_WRITTEN)
        done += part
        if part < _WRITTEN:
            return done


def _change(db: Database, found: Sequence[Fact], change: Callable[[Fact], None]) -> int:
    """Change facts that were found, some in each transaction; return how many. What was written meanwhile is left for the next time."""
    changed = 0
    for start in range(0, len(found), _WRITTEN):
        with db.transaction():
            same = [fact for fact in found[start : start + _WRITTEN] if _is_as_it_was(db, fact)]
            for fact in same:
                change(fact)
        changed += len(same)
    return changed


def _is_as_it_was(db: Database, found: Fact) -> bool:
    """Whether a fact has not been changed since it was found; that it has a vector by now is no change."""
    fact = read_fact(db, found.fact_id)
    return fact is not None and fact.model_copy(update={"embedding_id": found.embedding_id}) == found


def _compact(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    before = now - timedelta(days=config.archive_after_days)
    return _by_parts(db, lambda most: compact(db, user_id=user_id, before=before, now=now, most=most))


def _stall(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    before = to_text(now - timedelta(days=config.task_stalls_after_days))
    today = to_text(in_zone(now, config.zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0))
    found = stored.facts(db, db.all("task.stalled", user_id=user_id, before=before, today=today))
    told = "nobody spoke of it for long, or its day has gone by"
    return _change(db, found, lambda task: move(db, task, state="stalled", origin=_origin(task, now), reason=told))


def _promote(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    rows = db.all("upkeep.recurring", user_id=user_id, now=to_text(now), days=config.promote_days, priority=config.promote_priority)
    often = stored.facts(db, [row for row in rows if _days(row, config) >= config.promote_days])
    recurring = [fact for fact in often if not _is_sensitive(fact)]
    return _change(db, recurring, lambda fact: promote(db, fact, origin=_origin(fact, now), reason="said again on several days"))


def _days(row: Row, config: Config) -> int:
    """On how many days of the user's something was said: an evening is not two days because it is past midnight in UTC."""
    return len({in_zone(to_utc(at), config.zone).date() for at in json.loads(str(row["said"]))})


def _is_sensitive(fact: Fact) -> bool:
    """Whether a fact is about money or the like: the profile tells that apart, and it is no preference for being said often."""
    return topic_of(fact) is not None or is_high_risk(fact.key)


def _archive_notes(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    found = stored.facts(db, db.all("upkeep.surplus", user_id=user_id, now=to_text(now), keep=config.reflection_limit))
    return _change(db, found, lambda note: archive(db, note, origin=_origin(note, now), reason="more notes than are kept"))


def _versions(db: Database, user_id: str | None, now: datetime, config: Config) -> int:
    return _by_parts(db, lambda most: _archive_versions(db, user_id, now, config, most=most))


def _archive_versions(db: Database, user_id: str | None, now: datetime, config: Config, *, most: int) -> int:
    at = to_text(now)
    moved = db.all("upkeep.old_versions", user_id=user_id, keep=config.fact_versions, now=at, most=most)
    if moved:
        told = "more versions than are kept: moved into the archive"
        db.run("compact.history", user_id=user_id, before=None, reason=told, turn_id=f"maintain-{at}", now=at)
        db.run("upkeep.drop_archived", user_id=user_id)
    return len(moved)


def _origin(fact: Fact, now: datetime) -> Origin:
    return Origin(user_id=fact.user_id, turn_id=f"maintain-{uuid.uuid4().hex}", now=now)
