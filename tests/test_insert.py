"""Many facts, or messages, at once: stored as they are, found like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from zoneinfo import ZoneInfo

import apsw
import numpy as np
import pytest

import memdb
from memdb.embed import HashingEmbedder
from memdb.keys import predicate_of
from memdb.segments import merge_all, newest
from memdb.stored import predicates, predicates_of
from memdb.times import stored, to_text, to_utc

FACTS = [{"value_text": f"Likes tune number {number}", "user_id": "ana", "fact_id": f"f{number}"} for number in range(2_100)]


def test_many_facts_are_stored_once_and_found(mem: memdb.Memory) -> None:
    assert (mem.remember_many(FACTS), mem.remember_many(FACTS)) == (2_100, 0)
    assert mem.search("tune 1234", user_id="ana")[0].fact.fact_id == "f1234"
    assert mem.stats().outbox_waiting == 2_100  # they are embedded in the background
    assert mem.search("tune 1234", user_id="bea") == []


def test_vectors_that_are_ready_are_taken_as_they_are(mem: memdb.Memory) -> None:
    vectors = np.eye(64, dtype=np.float32)
    facts = [{"value_text": f"Something {place}", "user_id": "ana", "kind": "note"} for place in range(64)]
    assert mem.remember_many(facts, vectors=3 * vectors) == 64
    assert (mem.stats().vectors, mem.stats().outbox_waiting) == (64, 0)
    hits = mem.search("Something 7", user_id="ana", weights="vector-only", limit=64)
    assert {hit.fact.kind for hit in hits} == {"note"}


def test_a_fact_may_say_all_that_a_remembered_one_does(mem: memdb.Memory) -> None:
    mem.remember_many(
        [
            {
                "value_text": "Lives in Porto", "user_id": "ana", "key": "user.lives_in", "object": "Porto", "category": "identity",
                "confidence": 0.9, "valid_from": "2024-01-01", "valid_to": "2024-06-01", "tags": ["home"], "timestamp": "2024-01-02",
            }
        ]
    )  # fmt: skip
    [fact] = mem.facts("ana", as_of="2024-03-01")
    assert (fact.object, fact.confidence, fact.tags, fact.created_at.isoformat()) == ("Porto", 0.9, ("home",), "2024-01-02T00:00:00+00:00")
    assert mem.facts("ana", now="2024-07-01") == []


@pytest.mark.parametrize(("begins", "over"), [(None, "2025-03-01"), ("2025-02-01", "2025-03-01"), ("2025-04-01", "2025-04-01")])
def test_a_task_that_is_done_is_over_by_when_that_is_said(mem: memdb.Memory, begins: str | None, over: str) -> None:
    task = {"user_id": "ana", "key": "user.task", "kind": "task", "timestamp": "2025-03-01", "valid_from": begins}
    states: list[memdb.TaskState] = ["active", "done", "stalled"]
    mem.remember_many([{**task, "value_text": state, "value_json": {"state": state}} for state in states])
    assert [entry.state for entry in mem.profile("ana").current_tasks] == ["active", "stalled"]
    assert [fact.value_text for fact in mem.facts("ana", kinds=["task"])] == ["active", "stalled"]
    [done] = mem.facts("ana", kinds=["task"], statuses=["expired"])
    assert str(done.valid_to).startswith(over)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"value_text": ""}, "Fact 2 cannot be stored: field value_text"),
        ({"valeu": 1}, "Fact 2 cannot be stored: field valeu"),
        ({"confidence": 2}, "Fact 2 cannot be stored: field confidence"),
        ({"key": "Home"}, "Fact 2 cannot be stored: its key is 'Home'"),
        ({"kind": "message"}, "Fact 2 cannot be stored: its kind is 'message'"),
        ({"user_id": " "}, "Fact 2 cannot be stored: user_id is empty"),
        ({"valid_from": "2025-02-02", "valid_to": "2025-02-01"}, "Fact 2 cannot be stored: valid_to is 2025-02-01"),
    ],
)
def test_a_wrong_fact_is_named_and_nothing_of_its_transaction_is_kept(mem: memdb.Memory, wrong: dict[str, object], told: str) -> None:
    with pytest.raises(memdb.InputError, match=told):
        mem.remember_many([FACTS[0], {**FACTS[1], **wrong}])
    assert mem.facts("ana") == []


def test_what_a_fact_tells_behind_the_words_of_its_key_is_its_object(mem: memdb.Memory) -> None:
    mem.remember_many(
        [
            {"value_text": "Ana lives in Porto.", "user_id": "ana", "key": "user.lives_in", "fact_id": "home"},
            {"value_text": "Ana lives in Porto.", "user_id": "ana", "kind": "note", "fact_id": "note"},
            {"value_text": "Never was in Rome", "user_id": "ana", "key": "user.lives_in", "fact_id": "never"},
            {"value_text": "Ana lives in Faro", "user_id": "ana", "key": "user.lives_in", "object": "Faro (PT)", "fact_id": "own"},
        ]
    )
    assert {name: mem.fact(name).object for name in ("home", "note", "never", "own")} == {
        "home": "Porto", "note": "Ana lives in Porto.", "never": "Never was in Rome", "own": "Faro (PT)",
    }  # fmt: skip


def test_how_one_key_behaves_is_known_from_a_part_of_the_vocabulary(mem: memdb.Memory) -> None:
    db = mem._store.database()
    db.connection.execute(
        "insert into predicates (predicate, label, category, cardinality, memory_type, importance)"
        " values ('a_b_c_d_e_f_g_h_i', 'is long of', 'other', 'many', 'ROUTINE', 0.5)"
    )
    known = predicates(db)
    ends = ("", "_colour", "_a", "_zz", "s", "_of_the_year", "_a_b_c_d_e_f_g_h_i_j_k_l")
    names = [*(known_as + end for known_as in known for end in ends), "x", "colour_of_it", "a", "a_b_c_d_e_f_g_h_i", "zzz"]
    keys = [f"{subject}.{name}" for name in names for subject in ("user", "anna", "procedure")]
    assert [key for key in keys if predicate_of(key, predicates_of(db, key)) != predicate_of(key, known)] == []
    assert max(len(predicates_of(db, key)) for key in keys) < len(known) / 5


def test_what_a_user_says_of_a_fact_that_came_with_many_confirms_it(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Ana lives in Porto.", "user_id": "ana", "key": "user.lives_in"}])
    mem.observe("I live in Porto.", user_id="ana")
    mem.drain()
    assert [fact.seen_count for fact in mem.facts("ana", key="user.lives_in")] == [2]


def test_a_text_is_kept_to_the_letter(mem: memdb.Memory) -> None:
    texts = ["a\x00b", "naïve\n\ttea", "張偉 😀", "'; drop table facts; --"]
    mem.remember_many({"value_text": text, "user_id": "ana"} for text in texts)
    assert [fact.value_text for fact in mem.facts("ana")] == texts


@pytest.mark.parametrize("zone", ["UTC", "Europe/Lisbon", "Asia/Kolkata"])
@pytest.mark.parametrize(
    "given", ["2025-07-01", "2025-07-01T09:30:15.123999", " 2025-07-01T09:30:00+02:00 ", "2025-07-01T09:30:00Z", "0200-01-01"]
)
def test_a_time_is_stored_as_it_is_everywhere_else(given: str, zone: str) -> None:
    assert stored(given, zone=ZoneInfo(zone)) == to_text(to_utc(given, zone=ZoneInfo(zone)))
    assert stored(given) == to_text(to_utc(given)) == to_text(to_utc(to_utc(given).astimezone(ZoneInfo(zone))))
    assert stored(to_utc(given)) == stored(given)


def test_what_is_no_time_is_refused_and_nothing_kept(mem: memdb.Memory) -> None:
    for wrong in ("tomorrow", "", "2025-13-01"):
        with pytest.raises(memdb.InputError, match="is not a time"):
            mem.remember_many([FACTS[0], {**FACTS[1], "valid_to": wrong}])
    assert mem.facts("ana") == []


def segments(mem: memdb.Memory) -> int:
    [(count,)] = mem._store.database().connection.execute("select count(distinct segid) from facts_fts_idx")
    return int(count)


def test_the_words_of_many_facts_make_one_segment(mem: memdb.Memory) -> None:
    mem.remember_many(FACTS)
    assert segments(mem) == 1
    mem.remember_many({**fact, "fact_id": f"{fact['fact_id']}-{time}"} for time in range(7) for fact in FACTS)
    assert segments(mem) == 1
    for number in range(3):
        mem.remember_many([{"value_text": f"New {number}", "user_id": "ana"}])
    assert segments(mem) > 1  # a few are not worth writing all the others again
    mem._store.database().connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")


def test_a_memory_that_grows_turn_by_turn_has_few_segments(tmp_path: Path) -> None:
    def grown(name: str, *, worker: bool) -> memdb.Memory:
        mem = memdb.open(tmp_path / name, embedder=None, llm=None, config={"worker": worker})
        for number in range(15):
            mem.observe(f"I like tune number {number}", "Nice.", user_id="ana")
        return mem

    with grown("mem.db", worker=False) as mem:
        assert segments(mem) > 5  # or there would be nothing to merge
        assert mem.drain(60)
        assert segments(mem) <= 5
        mem._store.database().connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")
    with grown("worker.db", worker=True) as mem:
        assert mem.drain(60)
        until = monotonic() + 30
        while segments(mem) > 5 and monotonic() < until:
            sleep(0.05)
        assert segments(mem) <= 5
        assert len(mem.search("tune", user_id="ana", limit=30)) == 30


def test_messages_that_are_loaded_make_one_segment(mem: memdb.Memory) -> None:
    mem.load([{"text": f"Tune number {number}", "timestamp": "2025-05-01"} for number in range(450)], user_id="ana")
    assert segments(mem) == 1


def test_where_the_words_cannot_be_merged_they_are_found_all_the_same(mem: memdb.Memory, tmp_path: Path) -> None:
    for number in range(5):
        mem.remember_many([{"value_text": f"Likes tune number {number}", "user_id": "ana"}])
    database, other = mem._store.database(), apsw.Connection(str(tmp_path / "mem.db"))
    database.patience.seconds = 0.0
    merge_all(database, added=1, written=lambda: pytest.fail("four fifths would have been written again"))
    other.execute("begin immediate")
    merge_all(database, added=5, written=lambda: pytest.fail("somebody else was writing"))
    other.execute("rollback")
    assert segments(mem) > 1
    assert len(mem.search("tune", user_id="ana")) == 5
    merge_all(database, added=5, written=lambda: None)
    assert segments(mem) == 1
    assert len(mem.search("tune", user_id="ana")) == 5


@pytest.mark.parametrize("ready", [True, False], ids=["with vectors", "without"])
def test_many_at_once_leave_the_same_behind_as_few_at_a_time(tmp_path: Path, ready: bool) -> None:
    chance = np.random.default_rng(0)
    vectors = chance.standard_normal((1_200, 64)).astype(np.float32)
    facts = [
        {
            "value_text": f"Likes tune number {n}", "user_id": f"user{n // 400}", "fact_id": f"f{n}", "kind": ("fact", "note", "narrative")[n % 5 % 3],
            "key": "user.likes", "tags": ["music"], "timestamp": "2025-02-01", "turn_id": "t", "event_time": "2025-03-01" if n % 2 else None,
        }
        for n in range(1_200)
    ]  # fmt: skip
    known = {**facts[0], "user_id": "user9"}
    left = []
    for step in (1_200, 100):
        with memdb.open(tmp_path / f"{step}.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
            connection = mem._store.database().connection
            connection.execute("insert into meta values ('collection', 'there is one')")
            for start in range(0, 1_200, step):
                part = slice(start, start + step)
                mem.remember_many([*facts[part], known], vectors=np.concatenate([vectors[part], vectors[:1]]) if ready else None)
            connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")
            connection.execute("create virtual table temp.words using fts5vocab (main, facts_fts, instance)")
            tables = (
                "facts", "outbox", "(select fact_id, attempts from mirror_outbox)", "facts_vec", "words", "(select id, sz from facts_fts_docsize)", "fact_history",
                "(select user_id from vector_versions)",
            )  # fmt: skip
            left.append({table: sorted(map(repr, connection.execute(f"select * from {table}"))) for table in tables})
    assert left[0] == left[1]
    assert len(left[0]["facts"]) == len(left[0]["outbox"]) + len(left[0]["facts_vec"]) == 1_200


def test_messages_that_come_at_once_leave_what_those_that_come_one_by_one_do(tmp_path: Path) -> None:
    said = ("Does tram %s go to Faro?", "It leaves at %s.", "Tomorrow I meet Rui, number %s", "私の猫は%s歳です")
    messages = [
        {"text": said[n % 4] % n, "session_id": (None, "a", "b")[n // 4 % 3], "timestamp": f"2025-03-{1 + n // 10:02}", "speaker": ("assistant", "Ana")[n % 2]}
        for n in range(80)
    ]  # fmt: skip
    left = []
    for step in (40, 1):
        with memdb.open(tmp_path / f"{step}.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
            connection = mem._store.database().connection
            connection.execute("insert into meta values ('collection', 'there is one')")
            for start in range(0, 40, step):
                assert mem.load(messages[start : start + step], user_id="ana") == step
            assert mem.drain()
            for other in range(2):  # and one message of hers in between
                mem.load([{"text": f"I take tram {other}", "session_id": "a", "timestamp": "2025-03-05"}], user_id="bea")
                mem.remember(f"Tram {other} is late", user_id="ana", session_id="a", turn_id=f"t{other}", timestamp="2025-03-05")
                mem.load(messages[40:41], user_id="ana")
            for start in range(41, 80, step):
                assert mem.load(messages[start : start + step], user_id="ana") == min(step, 80 - start)
            assert mem.load(messages[20:60], user_id="ana") == 0
            connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")
            connection.execute("create virtual table temp.words using fts5vocab (main, facts_fts, instance)")
            tables = (
                "facts", "outbox", "(select fact_id, attempts from mirror_outbox)", "words", "(select id, sz from facts_fts_docsize)",
                "message_traits", "sessions", "(select hex(block) from facts_fts_data where id = 1)",
            )  # fmt: skip
            left.append({table: sorted(map(repr, connection.execute(f"select * from {table}"))) for table in tables})
    assert left[0] == left[1]
    assert [len(left[0][table]) for table in ("facts", "outbox")] == [84, 2 * 42 + 1 + 3]  # a fact, and of three sessions the last window


def test_messages_that_come_at_once_have_nothing_embedded_anew_that_was_there(mem: memdb.Memory) -> None:
    mem.observe("I hummed an old tune", user_id="ana", session_id="before")
    mem.drain()
    db = mem._store.database()
    last = newest(db)
    mem.load([{"text": f"I hummed tune {number}", "session_id": "after"} for number in range(50)], user_id="ana")
    assert min(abs(id) for (id,) in db.connection.execute("select id from outbox")) == last + 1


def test_a_trigger_of_ones_own_fires_for_many_too(mem: memdb.Memory) -> None:
    connection = mem._store.database().connection
    assert not mem._store.database().all("insert.strange")
    connection.execute(
        "create table seen (fact_id text); create trigger see insert on Facts begin insert into seen values (new.fact_id); end"
    )
    mem.remember_many(FACTS)
    mem.load([{"text": f"I hummed tune {number}"} for number in range(50)], user_id="ana")
    counts = "select (select count(*) from seen), (select count(*) from outbox), (select count(*) from facts_fts_docsize)"
    assert connection.execute(counts).fetchall() == [(2_150, 2_200, 2_150)]


def test_one_that_is_known_is_passed_over_with_its_vector(mem: memdb.Memory) -> None:
    vectors = np.eye(64, dtype=np.float32)
    facts = [{"value_text": f"Something {place}", "user_id": "ana", "fact_id": f"f{place}"} for place in range(64)]
    assert mem.remember_many([facts[5], facts[9], facts[5]], vectors=vectors[[5, 9, 5]]) == 2
    assert mem.remember_many(facts, vectors=vectors) == 62
    rows = mem._store.database().connection.execute("select f.fact_id, v.embedding from facts_vec v join facts f on f.id = v.rowid")
    assert {name: int(np.frombuffer(vector, "<f4").argmax()) for name, vector in rows} == {f"f{place}": place for place in range(64)}
    assert mem.stats().vectors == 64


def test_one_that_the_archive_has_is_known(mem: memdb.Memory) -> None:
    tea = {"value_text": "Ana drinks tea", "user_id": "ana", "key": "user.drink", "fact_id": "tea", "timestamp": "2024-01-01"}
    assert mem.remember_many([tea | {"valid_to": "2024-02-01"}]) == 1
    mem.compact(now="2024-02-02")
    assert mem.compact(now="2025-01-01") == 1
    assert mem.remember_many([tea, tea | {"fact_id": "more tea"}]) == 1
    assert [fact.fact_id for fact in mem.facts("ana", as_of="2024-01-15")] == ["more tea", "tea"]


def test_facts_of_users_mixed_keep_their_order_and_their_vectors(mem: memdb.Memory) -> None:
    chance = np.random.default_rng(0)
    users, vectors = chance.integers(0, 40, 700), chance.standard_normal((700, 64)).astype(np.float32)
    facts = [{"value_text": f"{n}", "user_id": f"user{user}", "fact_id": f"f{n}"} for n, user in enumerate(users)]
    facts[600] |= {"fact_id": "f3"}  # of two with one id, the first counts, whosever it is
    assert mem.remember_many(facts, vectors=vectors) == 699
    rows = mem._store.database().connection.execute(
        "select f.value_text, f.user_id, v.user_id, v.embedding from facts f join facts_vec v on v.rowid = f.id order by f.id"
    )
    stored: dict[str, list[int]] = {}
    for text, user, filed_under, vector in rows:
        assert user == filed_under == f"user{users[int(text)]}"
        assert np.frombuffer(vector, "<f4") @ vectors[int(text)] == pytest.approx(np.linalg.norm(vectors[int(text)]))
        stored.setdefault(user, []).append(int(text))
    assert stored == {user: [n for n in range(700) if n != 600 and f"user{users[n]}" == user] for user in stored}


def test_a_row_may_get_the_number_of_one_whose_vector_is_not_yet_taken_away(mem: memdb.Memory) -> None:
    vectors = np.eye(64, dtype=np.float32)
    mem.remember_many([{"value_text": "Old", "user_id": "ana", "fact_id": "old", "timestamp": "2024-01-01"}], vectors=vectors[:1])
    mem.end("old", valid_to="2024-01-02", now="2024-01-02")
    assert mem.compact(now="2025-06-01") == 1
    mem.remember_many([{"value_text": "New", "user_id": "bea"}], vectors=vectors[1:2])
    assert (mem.drain(), mem.stats().vectors) == (True, 1)
    [(vector, user)] = mem._store.database().connection.execute("select embedding, user_id from facts_vec")
    assert (int(np.frombuffer(vector, "<f4").argmax()), user) == (1, "bea")
    assert mem._store.database().connection.execute("select user_id from vector_versions").fetchall() == [
        ("bea",)
    ]  # as for all who are gone


def test_another_process_sees_vectors_that_came_with_facts(mem: memdb.Memory, tmp_path: Path) -> None:
    vectors = HashingEmbedder(64).embed(["old maps", "tea"])
    mem.remember_many([{"value_text": "old maps", "user_id": "ana"}], vectors=vectors[:1])
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False}) as other:
        assert len(other.search("tea", user_id="ana", weights="vector-only")) == 1
        mem.remember_many([{"value_text": "tea", "user_id": "ana"}], vectors=vectors[1:])
        assert other.search("tea", user_id="ana", weights="vector-only")[0].fact.value_text == "tea"


def test_vectors_written_in_whole_chunks_lie_as_vec0_lays_them(mem: memdb.Memory) -> None:
    vectors = np.random.default_rng(0).standard_normal((1_000, 64)).astype(np.float32)
    users = ["ana"] * 700 + ["bea"] * 100 + [f"user{place}" for place in range(100) for _ in range(2)]  # whole chunks, and begun ones
    facts = [{"value_text": f"Something {place}", "user_id": user, "fact_id": f"f{place}"} for place, user in enumerate(users)]
    for start, end in ((0, 3), (3, 400), (400, 777), (777, 1_000)):
        mem.remember_many(facts[start:end], vectors=vectors[start:end])
    connection = mem._store.database().connection
    tables = ("facts_vec_chunks", "facts_vec_vector_chunks00", "facts_vec_rowids", "sqlite_sequence where name like 'facts_vec%'")
    ours = [connection.execute(f"select * from {table} order by 1, 2").fetchall() for table in tables]
    rows = connection.execute("select rowid, embedding, user_id, shelf from facts_vec order by rowid").fetchall()
    mem._store.database().run("reindex.drop_index")
    mem._store.database().make_index(64)
    connection.executemany("insert into facts_vec (rowid, embedding, user_id, shelf) values (?, ?, ?, ?)", rows)
    assert len(rows) == 1_000
    assert ours == [connection.execute(f"select * from {table} order by 1, 2").fetchall() for table in tables]


def test_vectors_in_chunks_are_found_and_taken_away_like_any_other(mem: memdb.Memory) -> None:
    vectors = np.random.default_rng(0).standard_normal((900, 64)).astype(np.float32)
    facts = [{"value_text": f"Something {n}", "user_id": f"user{n % 3}", "fact_id": f"f{n}", "timestamp": "2024-01-01"} for n in range(900)]
    mem.remember_many(facts, vectors=vectors)
    connection = mem._store.database().connection
    nearest = """
    select f.fact_id, f.user_id
    from (select rowid from facts_vec where embedding match ? and k = 1 and user_id = ? and shelf = 'fact') v
    join facts f on f.id = v.rowid
    """
    for place in range(0, 900, 37):
        user = f"user{place % 3}"
        assert connection.execute(nearest, (vectors[place].tobytes(), user)).fetchall() == [(f"f{place}", user)]
    mem.forget("user1")
    mem.end("f0", valid_to="2024-02-01", now="2024-02-01")
    mem.drain()
    shelves = {row[0]: row[1] for row in connection.execute("select user_id || shelf, count(*) from facts_vec group by 1")}
    assert shelves == {"user0fact": 299, "user0closed": 1, "user2fact": 300}
    mem.remember_many(({**fact, "fact_id": f"new{n}"} for n, fact in enumerate(facts)), vectors=vectors)
    assert mem.stats().vectors == 1_500


def test_killed_in_the_middle_it_kept_whole_transactions(tmp_path: Path) -> None:
    for kill in range(4):
        path = tmp_path / f"{kill}.db"
        child = subprocess.Popen([sys.executable, "-c", INSERTING, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
        sleep(0.05 + kill * 0.09)
        child.kill()
        child.communicate()
        with memdb.open(path, embedder=HashingEmbedder(64), config={"worker": False}) as mem:
            stats, connection = mem.stats(), mem._store.database().connection
            [(facts, embedded, words)] = connection.execute(
                "select (select count(*) from facts), (select count(*) from facts_vec), (select count(*) from facts_fts_docsize)"
            )
            assert facts % 5_000 == 0
            assert facts == embedded == words == stats.vectors
            assert stats.outbox_waiting == 0
            connection.execute("insert into facts_fts (facts_fts) values ('integrity-check')")
            assert mem.remember_many([{"value_text": "New", "user_id": "ana"}], vectors=np.eye(1, 64, dtype=np.float32)) == 1


INSERTING = """
import sys
import memdb, numpy as np
from memdb.embed import HashingEmbedder
vectors = np.random.default_rng(0).standard_normal((30_000, 64)).astype(np.float32)
facts = [{"value_text": f"Likes tune number {number}", "user_id": f"user{number % 7}"} for number in range(30_000)]
with memdb.open(sys.argv[1], embedder=HashingEmbedder(64), config={"worker": False}) as mem:
    print("ready", flush=True)
    mem.remember_many(facts, vectors=vectors)
"""


def test_wrong_vectors_are_refused(mem: memdb.Memory, tmp_path: Path) -> None:
    for vectors in (np.zeros((1, 64), np.float32), *(np.ones(shape, np.float32) for shape in ((1, 3), (0, 64), (2, 64)))):
        with pytest.raises(memdb.InputError, match="The vectors given are not of the shape"):
            mem.remember_many(FACTS[:1], vectors=vectors)
    assert mem.facts("ana") == []
    with memdb.open(tmp_path / "words.db", embedder=None) as words, pytest.raises(memdb.ConfigError, match="without an embedder"):
        words.remember_many(FACTS[:1], vectors=HashingEmbedder(64).embed(["x"]))
