"""How what is asked and done grows with what the file holds: counted in steps of SQLite, which are the same on every machine."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import count as count_from
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import memdb
from memdb import stored
from memdb.background import _Awaited
from memdb.beliefs import beliefs_about
from memdb.embed import HashingEmbedder
from memdb.files import parameter_order, statement
from memdb.keeper import events_due
from memdb.records import Candidate
from memdb.steps.gather import gather
from memdb.times import to_text, to_utc, utc_now

Work = Callable[[memdb.Memory, int], object]
NOON = "2025-03-01T12:00:00Z"
LATER = "2026-03-01T12:00:00Z"
LONG_AGO = "2024-03-01T12:00:00.000Z"


@contextmanager
def opened(path: Path) -> Iterator[memdb.Memory]:
    with memdb.open(path, embedder=None, llm=None, config={"worker": False, "memory_page": False}) as mem:
        yield mem


def steps(path: Path, fill: Work, act: Work, count: int) -> int:
    """Hundreds of steps of SQLite that something takes in a file filled with so much."""
    path.mkdir(exist_ok=True)
    with opened(path / f"{count}.db") as mem:
        fill(mem, count)
        taken = count_from(0)
        mem._store.database().connection.set_progress_handler(lambda: next(taken) < 0, 100)
        act(mem, count)
        return next(taken)


def day(place: int) -> str:
    """One of many days, one after the other."""
    return (date(2015, 1, 1) + timedelta(days=place)).isoformat()


def write(mem: memdb.Memory, *statements: str) -> None:
    """Write into the file by hand what would take long to come about."""
    db = mem._store.database()
    with db.transaction():
        for statement in statements:
            db.connection.execute(statement)


def numbers(count: int) -> str:
    return f"from (with recursive n (i) as (select 1 union all select i + 1 from n where i < {count}) select i from n)"


def likes(count: int, *, user_id: str = "ana") -> list[dict[str, object]]:
    return [
        {"value_text": f"Likes song {place}", "object": f"song {place}", "user_id": user_id, "key": "user.likes"} for place in range(count)
    ]


# of one user, with much of others


def much_of_others(mem: memdb.Memory, count: int) -> None:
    for user_id in ("ana", "bob"):
        mem.remember("Lives in Porto", user_id=user_id, key="user.lives_in", object="Porto", turn_id="t0", timestamp=NOON)
        mem.observe("The boiler is called Bertha.", user_id=user_id, turn_id="t1", session_id="s", timestamp=NOON)
    mem.drain()
    mem.remember_many(likes(count, user_id="bob"))
    write(
        mem,
        "update facts set status = 'superseded', valid_to = '2030-01-01T00:00:00.000Z' where user_id = 'bob' and key = 'user.likes' and id % 2",
        "insert into fact_history (fact_id, user_id, key, operation, reason, turn_id, action_hash, changed_at) "
        "select fact_id, user_id, key, 'insert', '', source_turn_id, '', created_at from facts where user_id = 'bob'",
        "insert into turns (turn_id, user_id, user_input, timestamp, received_at, status) "
        "select 'past-' || id, 'bob', value_text, created_at, created_at, 'done' from facts where user_id = 'bob'",
        "insert into model_calls (user_id, turn_id, purpose, prompt_hash, model, mode, attempt, elapsed_ms, called_at) "
        "select 'bob', fact_id, 'extract', '', '', 'text', 1, 1.0, created_at from facts where user_id = 'bob'",
    )


@pytest.mark.parametrize(
    "act",
    [
        lambda mem, _: mem.compact("ana", now=LATER),
        lambda mem, _: mem.maintain(user_id="ana", now=LATER),
        lambda mem, _: mem.session("ana", "s2", now=LATER).close(),
        lambda mem, _: mem.history(fact_id=mem.facts("ana")[0].fact_id),
        lambda mem, _: mem.history(user_id="ana", turn_id="t0"),
        lambda mem, _: mem.turns("ana", turn_id="t1"),
        lambda mem, _: mem.turns("ana"),
        lambda mem, _: mem.calls("ana", turn_id="t1"),
        lambda mem, _: mem.page("ana"),
        lambda mem, _: mem.profile("ana"),
        lambda mem, _: mem.remember("Lives in Faro", user_id="ana", key="user.lives_in", object="Faro", timestamp=LATER),
        lambda mem, _: mem.reject(mem.facts("ana")[0].fact_id),
        lambda mem, _: mem.undo(user_id="ana", turn_id="t0"),
    ],
    ids=["compact", "maintain", "session", "history of a fact", "history of a turn", "turn", "turns", "calls", "page", "profile", "remember",
         "reject", "undo"],
)  # fmt: skip
def test_what_others_have_costs_a_user_nothing(tmp_path: Path, act: Work) -> None:
    assert steps(tmp_path, much_of_others, act, 2000) <= steps(tmp_path, much_of_others, act, 20) * 1.2 + 10


# of one user, four times as much


def sessions(mem: memdb.Memory, count: int) -> None:
    mem.load(
        [{"text": f"The boiler number {place} is called Bertha.", "session_id": f"s{place // 10}", "timestamp": day(place)}
         for place in range(count)],
        user_id="ana",
    )  # fmt: skip
    write(mem, "update turns set status = 'done', done_at = received_at", "insert into upkeep (user_id, turns_since) values ('ana', 1600)")


def days(mem: memdb.Memory, count: int) -> None:
    mem.load([{"text": f"It is cold, {place}.", "timestamp": day(place)} for place in range(count)], user_id="ana")
    write(mem, "update turns set status = 'done', done_at = received_at")


def queue(mem: memdb.Memory, count: int) -> None:
    mem.load([{"text": f"It is cold, {place}."} for place in range(count)], user_id="ana")


def postponed(mem: memdb.Memory, count: int) -> None:
    queue(mem, count)
    write(mem, "update turns set next_attempt_at = '2999-01-01T00:00:00.000Z' where id = 1")


def waiting(mem: memdb.Memory, count: int) -> None:
    mem.remember_many(likes(count))
    write(
        mem,
        "insert into links (source_id, target_id, relation, created_at) "
        "select fact_id, (select fact_id from facts where id = 1), 'contradicts', created_at from facts where id > 1",
        "update facts set status = 'pending_confirmation', key = 'user.lives_in' where id > 1",
        "update facts set key = 'user.lives_in' where id = 1",
    )


def homes(mem: memdb.Memory, count: int) -> None:
    mem.remember_many(
        [{"value_text": f"Lives in place {place}", "user_id": "ana", "key": "user.lives_in", "turn_id": "t", "timestamp": day(place)}
         for place in range(count)]
    )  # fmt: skip


def homes_but_one(mem: memdb.Memory, count: int) -> None:
    homes(mem, count)
    confirm_middle(mem, count)


def homes_told(mem: memdb.Memory, count: int) -> None:
    for place in range(count):
        said = f"Lives in place {place}"
        mem.remember(said, user_id="ana", key="user.lives_in", session_id="s", turn_id=f"t{place}", timestamp=day(place))


def people(mem: memdb.Memory, count: int) -> None:
    mem.remember_many([one for place in range(count // 4) for one in likes(4, user_id=f"user {place}")])


def facts(mem: memdb.Memory, count: int) -> None:
    mem.remember_many(likes(count))


def facts_and_talk(mem: memdb.Memory, count: int) -> None:
    """Facts with a few words of their own each, which a tenth of all that was said has, too."""
    words = [f"{sound}ta" for sound in ("mo", "li", "ru", "se", "ka", "vi", "no", "pe", "du", "gi")]
    mem.remember_many([{"value_text": f"Sees {words[place % 10]} x{place}", "user_id": "ana"} for place in range(count // 4)])
    mem.load([{"text": f"Then {words[place % 10]} came.", "timestamp": NOON} for place in range(count)], user_id="ana")
    mem.remember_many([{"value_text": f"Sees {words[place % 10]} y{place}", "user_id": "ana"} for place in range(count // 4)])


def closed(mem: memdb.Memory, count: int) -> None:
    mem.remember_many(likes(count))
    write(mem, f"update facts set status = 'superseded', valid_to = '{LONG_AGO}', valid_from = '{LONG_AGO}', updated_at = '{LONG_AGO}'")


def events(mem: memdb.Memory, count: int) -> None:
    for place in range(count):
        mem.event(f"Rui asked for song {place}", user_id="ana", event_id=f"e{place}", timestamp=day(place))


def quoted(mem: memdb.Memory, count: int) -> None:
    mem.remember_many(likes(count))
    write(
        mem,
        "insert into fact_history (fact_id, user_id, key, operation, reason, turn_id, action_hash, changed_at) "
        "select fact_id, user_id, 'user.other', 'insert', 'said', source_turn_id, '', created_at from facts",
        "insert into model_calls (user_id, turn_id, purpose, prompt_hash, model, mode, attempt, elapsed_ms, called_at, raw) "
        "select 'ana', fact_id, 'extract', '', '', 'text', 1, 1.0, created_at, 'nothing' from facts",
        "insert into turn_notes (user_id, turn_id, step, why) select 'ana', fact_id, 'gate', 'it asks' from facts",
    )


def confirm_last(mem: memdb.Memory, _: int) -> None:
    mem.confirm(mem.facts("ana", statuses=["pending_confirmation"])[-1].fact_id)


def confirm_middle(mem: memdb.Memory, count: int) -> None:
    mem.confirm(mem.facts("ana", key="user.lives_in")[count // 2].fact_id, now=LATER)


def reject_only(mem: memdb.Memory, _: int) -> None:
    mem.reject(mem.facts("ana", key="user.lives_in")[0].fact_id, now=LATER)


def look_at_queue(mem: memdb.Memory, _: int) -> None:
    mem._background._left(_Awaited(turn=1_000_000, until=utc_now()), vectors=True)


CASES: dict[str, tuple[Work, Work]] = {
    "sessions told": (sessions, lambda mem, _: mem.maintain(user_id="ana", now=LATER)),
    "days told": (days, lambda mem, _: mem.maintain(user_id="ana", now=LATER)),
    "a queue worked off": (queue, lambda mem, _: mem.drain()),
    "a queue that waits looked at": (postponed, look_at_queue),
    "one of many that wait confirmed": (waiting, confirm_last),
    "one of many homes confirmed": (homes, confirm_middle),
    "what many homes gave way to rejected": (homes_but_one, reject_only),
    "a session of many homes taken back": (homes_told, lambda mem, _: mem.undo(user_id="ana", session_id="s", now=LATER)),
    "a page of many that wait": (waiting, lambda mem, _: mem.page("ana")),
    "upkeep of many people": (people, lambda mem, _: mem.maintain(now=LATER)),
    "events told": (events, lambda mem, _: [mem._store.database().all("events.waiting_users", before=LATER) for _ in range(100)]),
    "a key of many values forgotten": (quoted, lambda mem, _: mem.forget("ana", key="user.likes")),
    "what is held twice looked for": (facts, lambda mem, _: mem.maintain(user_id="ana", now=LATER)),
    "what is alike linked": (facts, lambda mem, _: mem.relate("ana")),
    "what is alike linked among much that was said": (facts_and_talk, lambda mem, _: mem.relate("ana")),
}


@pytest.mark.parametrize("name", CASES)
def test_four_times_as_much_takes_some_four_times_as_long(tmp_path: Path, name: str) -> None:
    fill, act = CASES[name]
    assert steps(tmp_path, fill, act, 1600) < 7 * steps(tmp_path, fill, act, 400)  # where each looked at all the others it would be sixteen


@pytest.mark.parametrize("now", [LATER, LONG_AGO], ids=["closed long ago", "versions beyond those kept"])
def test_a_part_of_what_is_archived_is_moved_without_a_look_at_the_rest(tmp_path: Path, now: str) -> None:
    def archive(mem: memdb.Memory, _: int) -> None:
        mem.maintain(user_id="ana", now=now)

    assert steps(tmp_path, closed, archive, 1_600) < 4.3 * steps(tmp_path, closed, archive, 400)


def test_of_users_whose_events_have_only_just_come_none_is_read(tmp_path: Path) -> None:
    def happen(mem: memdb.Memory, count: int) -> None:
        for place in range(count):
            mem.event(f"Rui asked for song {place}", user_id=f"user {place}", timestamp=NOON)

    def look(after: int) -> Work:
        return lambda mem, _: events_due(mem._store.database(), mem.config, now=to_utc(NOON) + timedelta(minutes=after))

    soon, late = (steps(tmp_path / f"{after}", happen, look(after), 300) for after in (9, 11))
    assert soon < 0.7 * late


def test_a_batch_of_a_reindex_reads_nothing_but_itself(tmp_path: Path) -> None:
    def last_batch(mem: memdb.Memory, count: int) -> None:
        assert len(mem._store.database().all("reindex.todo", skipped="[]", batch=20, after=count - 10)) == 10

    assert steps(tmp_path, queue, last_batch, 1600) <= steps(tmp_path, queue, last_batch, 100) + 1


def test_forgetting_a_key_does_not_read_all_that_was_ever_said(tmp_path: Path) -> None:
    def told(mem: memdb.Memory, count: int) -> None:
        mem.observe("I live in Porto.", user_id="ana", timestamp=NOON, session_id="s0")
        mem.drain()
        mem.load([{"text": f"It is cold, {place}.", "session_id": f"s{place // 10}"} for place in range(count)], user_id="ana")

    def forget(mem: memdb.Memory, _: int) -> None:
        assert mem.forget("ana", key="user.lives_in").messages == 1

    assert steps(tmp_path, told, forget, 1600) < 2000  # less than some hundred for each message: none of them is written anew


def test_of_a_question_to_tune_by_only_the_numbers_are_held(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many({"user_id": "ana", "value_text": f"Ana likes jazz {place}", "timestamp": NOON} for place in range(200))
        labels = [{"user_id": "ana", "query": "jazz", "relevant": [fact.fact_id], "now": LATER} for fact in mem.facts("ana", limit=24)]
        mem.tune("mine", labels[:4], write=False)  # what is made once is made
        peaks = []
        for count in (4, 24):
            tracemalloc.start()
            mem.tune("mine", labels[:count], write=False)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] - peaks[0] < 20 * 25_000  # as lists they would be 60,000 bytes each


def test_links_are_followed_no_further_than_what_is_wanted(tmp_path: Path) -> None:
    def linked(mem: memdb.Memory, count: int) -> None:
        mem.remember_many(likes(count))
        write(
            mem,
            "insert into links (source_id, target_id, relation, created_at) "
            "select a.fact_id, b.fact_id, 'relates-to', a.created_at from json_each('[2, 3, 5, 7]') d cross join facts a "
            f"join facts b on b.id = 1 + (a.id * d.value + 17) % {count} where a.id <> b.id on conflict do nothing",
        )

    def follow(mem: memdb.Memory, _: int) -> None:
        first = mem._store.database().one("gather.fresh", user_id="ana", batch=1)
        assert first is not None
        assert len(mem.links(str(first["fact_id"]), depth=8, limit=20)) == 20

    assert steps(tmp_path, linked, follow, 800) <= steps(tmp_path, linked, follow, 200) * 1.5


def test_only_what_may_be_the_same_is_compared_by_its_meaning(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        db = mem._store.database()

        def look() -> tuple[list[int], int]:
            """How large the groups are, and how often vectors were read."""
            assert mem.drain()
            asked: list[str] = []
            db.connection.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: asked.append(event["sql"]))
            found = gather(db, user_id="ana", predicates=stored.predicates(db), config=mem.config, now=utc_now())
            db.connection.trace_v2(0, None)
            assert found is not None
            return sorted(map(len, found.groups)), asked.count(statement("gather.vectors"))

        def say(kind: str, *texts: str) -> None:
            mem.remember_many([{"value_text": text, "user_id": "ana", "kind": kind} for text in texts])

        tea = "Drinks a cup of green tea with lemon and honey at five in the garden"
        say("fact", *[tea] * 50, *(f"Tea at {place} in the garden" for place in range(300)))
        assert look() == ([50], 0)  # words alone tell that the others say something else
        say("fact", tea.replace("garden", "my garden"))
        assert look() == ([51], 1)
        say("note", *["Prefers short answers"] * 50, *(f"{name} likes tea" for name in ("Ana", "Bea", "Cid")))
        assert look() == ([50, 51], 2)


def test_notes_that_are_nearly_the_same_are_brought_together_however_many_there_are(tmp_path: Path) -> None:
    class Near:
        """Vectors by the topic of a text, `topic 7 …`: those of one topic are nearly the same."""

        name, dimension, max_tokens = "near", 64, 256

        def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
            made = [np.random.default_rng(int(text.split()[1])).standard_normal(64) for text in texts]
            return np.array([one + 0.001 * len(text) for one, text in zip(made, texts, strict=True)], np.float32)

    with memdb.open(tmp_path / "mem.db", embedder=Near(), llm=None, config={"worker": False}) as mem:
        words = [f"topic {place % 7} {'so ' * (place // 7)}" for place in range(600)]
        mem.remember_many([{"value_text": text, "user_id": "ana", "kind": "note"} for text in words])
        assert mem.drain()
        db = mem._store.database()
        found = gather(db, user_id="ana", predicates=stored.predicates(db), config=mem.config, now=utc_now())
        assert found is not None
        by_id = {fact.fact_id: fact.value_text.split()[1] for fact in mem.facts("ana", kinds=["note"])}
        assert sorted({by_id[name] for name in group} for group in found.groups) == [{str(topic)} for topic in range(7)]
        assert sum(map(len, found.groups)) == 600


def test_of_very_many_facts_alike_those_most_alike_are_weighed(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(likes(1_000))
        db, now = mem._store.database(), utc_now()
        said = Candidate(
            key="user.likes", value_text="Likes song 77", object="song 77", category="soft_preference", confidence=0.4, excerpt="song 77"
        )
        weighed = beliefs_about(db, said, user_id="ana", now=now, predicates=stored.predicates(db), kind="fact")
        assert "song 77" in {fact.object for fact in weighed}
        assert "song 999" in {fact.object for fact in weighed}  # the newest
        assert len(weighed) < 250
        again = mem.remember("Likes song 77", object="song 77", key="user.likes", user_id="ana")
        assert again.seen_count == 2
        assert len(mem.facts("ana", key="user.likes")) == 1_000


def notes(mem: memdb.Memory, count: int) -> None:
    mem.remember_many([{"value_text": f"Saw heron {place} by the river", "user_id": "ana", "key": "user.note"} for place in range(count)])


def test_one_more_of_very_many_under_a_key_takes_no_longer_the_more_there_are(tmp_path: Path) -> None:
    def remember(mem: memdb.Memory, _: int) -> None:
        mem.remember("Bought a canoe", user_id="ana")

    assert steps(tmp_path, notes, remember, 4000) <= steps(tmp_path, notes, remember, 1000) * 1.2 + 10


def test_a_worker_finds_what_it_can_take_however_much_waits_for_another(tmp_path: Path) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        mem.load([{"text": f"Song {place}."} for place in range(count)], user_id="ana")
        mem.observe("I live in Porto.", user_id="bob")
        claim(mem, "elsewhere:1:a")

    def claim(mem: memdb.Memory, worker: str) -> str:
        now = utc_now()
        db = mem._store.database()
        until = to_text(now + timedelta(minutes=1))
        (turn,) = db.all("queue.claim", worker=worker, now=to_text(now), until=until, most=None, after=None)
        return str(turn["user_id"])

    taken: list[str] = []
    few, many = (steps(tmp_path, fill, lambda mem, _: taken.append(claim(mem, "elsewhere:2:b")), count) for count in (200, 1_600))
    assert (many <= few + 1, taken) == (True, ["bob", "bob"])


@pytest.mark.parametrize("owner", ["'ana'", "'user ' || i"], ids=["of one user", "of as many users"])
@pytest.mark.parametrize("name", ["queue.claim", "queue.first", "sync.due"])
def test_what_is_next_is_found_without_a_look_at_all_that_waits(tmp_path: Path, owner: str, name: str) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        write(
            mem,
            f"insert into turns (turn_id, user_id, user_input, timestamp, received_at) select i, {owner}, 'Hi', '{now}', '{now}' {numbers(count)}",
            f"insert into outbox (id, user_id) select i, {owner} {numbers(count)}",
        )

    def look(mem: memdb.Memory, _: int) -> None:
        parameters = {"worker": "w", "now": now, "until": now, "most": None, "after": "user 5", "batch": 8, "up_to": None}
        assert mem._store.database().all(name, **{one: parameters[one] for one in parameter_order(statement(name))})

    now = to_text(utc_now())
    assert steps(tmp_path, fill, look, 4_000) <= steps(tmp_path, fill, look, 400) + 1


def test_a_message_that_tells_one_more_takes_no_longer_the_more_there_are(tmp_path: Path) -> None:
    def tell(mem: memdb.Memory, _: int) -> None:
        mem.observe("I like cedar trees.", user_id="ana", turn_id="t1", timestamp=NOON)
        mem.drain()
        assert [change.operation for change in mem.history(user_id="ana", turn_id="t1")] == ["insert"]

    def fill(mem: memdb.Memory, count: int) -> None:
        mem.remember_many(likes(count))

    assert steps(tmp_path, fill, tell, 4000) <= steps(tmp_path, fill, tell, 1500) * 1.2 + 10


def test_the_facts_of_a_key_are_read_without_a_look_at_all_that_is_known(tmp_path: Path) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        mem.remember_many(likes(count))
        mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto", timestamp=NOON)

    def read(mem: memdb.Memory, _: int) -> None:
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in", limit=1)] == ["Porto"]

    assert steps(tmp_path, fill, read, 4000) <= steps(tmp_path, fill, read, 500) * 1.2 + 10


def test_a_session_is_taken_back_without_a_look_at_all_that_was_said(tmp_path: Path) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto", session_id="s3", timestamp=NOON)
        mem.load([{"text": f"It is cold, {place}.", "session_id": f"s{place // 10}"} for place in range(count)], user_id="ana")
        mem.drain()

    def undo(mem: memdb.Memory, _: int) -> None:
        assert mem.undo(user_id="ana", session_id="s3").ended == 1

    more = steps(tmp_path, fill, undo, 1_500) - steps(tmp_path, fill, undo, 300)
    assert more <= 340  # 24 steps for each further message, whose turns are looked through; with their rows it would be 34


def test_a_reflection_is_noted_without_a_look_at_all_that_was_said_since(tmp_path: Path) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        mem.load([{"text": f"It is cold, {place}.", "session_id": f"s{place // 10}"} for place in range(count)], user_id="ana")
        mem.drain()
        write(mem, "update upkeep set significant_session = 's3'")

    def note(mem: memdb.Memory, _: int) -> None:
        db = mem._store.database()
        with db.transaction():
            db.run("upkeep.reflected", user_id="ana", id=20)

    assert steps(tmp_path, fill, note, 1_500) <= steps(tmp_path, fill, note, 300) * 1.2 + 10


def test_a_reflection_reads_the_last_of_very_much_that_was_said_and_no_more(tmp_path: Path) -> None:
    said: dict[int, list[str]] = {}

    def fill(mem: memdb.Memory, count: int) -> None:
        mem.load([{"text": f"It is cold, {place}.", "timestamp": NOON} for place in range(count)], user_id="ana")
        mem.drain()

    def read(mem: memdb.Memory, count: int) -> None:
        db = mem._store.database()
        rows = db.tuples("upkeep.lately", user_id="ana", since=LONG_AGO, id=count - 10, reflected_id=count - 30, most=100)
        said[count] = [str(text) for text, _at, _tags, _fresh in rows]

    assert steps(tmp_path, fill, read, 1_000) <= steps(tmp_path, fill, read, 250) * 1.2 + 10
    assert said[250] == [f"It is cold, {place}." for place in range(140, 240)]


def test_what_a_turn_taught_is_looked_up_without_a_look_at_all_that_is_known(tmp_path: Path) -> None:
    def fill(mem: memdb.Memory, count: int) -> None:
        mem.remember_many(likes(count))
        mem.observe("Nice weather today.", user_id="ana", turn_id="t0", timestamp=NOON)
        mem.drain()

    def undo(mem: memdb.Memory, _: int) -> None:
        assert mem.undo(user_id="ana", turn_id="t0").restored == 0

    assert steps(tmp_path, fill, undo, 4000) <= steps(tmp_path, fill, undo, 500) * 1.2 + 10


@pytest.mark.parametrize(
    ("text", "object", "again"),
    [
        ("Saw kite 77 by the river", None, "saw Kite 77, by a river!"),
        ("Likes the café near Porto", "the café near Porto", "Café near Porto"),
        ("It was a long way", "Douro canoe trip", "The Douro canoe trip"),  # an object that its text does not tell
        ("Saw a \ufb01nch", "\ufb01nch", "finch"),
    ],
)
def test_what_is_the_same_is_found_among_very_many(tmp_path: Path, text: str, object: str | None, again: str) -> None:
    with opened(tmp_path / "mem.db") as mem:
        first = mem.remember(text, object=object, user_id="ana")
        notes(mem, 1_200)
        second = mem.remember(again, user_id="ana")
        assert (second.fact_id, second.seen_count) == (first.fact_id, 2)


def test_what_is_the_same_among_very_many_is_ones_own(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        notes(mem, 1_200)
        other = mem.remember("Saw kite 77 by the river", user_id="bob")
        own = mem.remember("Saw kite 77 by the river", user_id="ana")
        assert (own.user_id, own.seen_count, mem.fact(other.fact_id).seen_count) == ("ana", 1, 1)


def test_what_is_disliked_is_found_among_very_many_that_are_liked(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember_many(likes(1_200))
        mem.remember("Dislikes song 977", user_id="ana", key="user.dislikes", object="song 977")
        assert "song 977" not in {fact.object for fact in mem.facts("ana", key="user.likes")}


def test_a_flush_links_a_large_import_piece_by_piece(tmp_path: Path) -> None:
    config = {"worker": False, "session_patience_seconds": 0.0}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        mem.remember_many(likes(250))
        db = mem._store.database()
        session = mem.session("ana", "s1")
        for left in (150, 50, 0, 0):
            session.flush()
            assert len(db.all("links.unrelated", user_id="ana", kinds='["fact"]', batch=1_000)) == left
