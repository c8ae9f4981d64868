"""Forgetting is forgetting: not a byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder, to_blob

RARE = "zanzibarquux"


def raw_bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def bytes_of(folder: Path) -> bytes:
    return raw_bytes_of(folder).lower()


def fill(path: Path, **more: object) -> memdb.Memory:
    mem = memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False})
    mem.observe(f"I live in {RARE.title()}.", "How nice!", user_id="ana", turn_id="t1", session_id="s")
    mem.observe("I like jazz.", user_id="ana", turn_id="t2", session_id="s")
    mem.observe("I live in Porto.", user_id="bea", turn_id="t1")
    mem.drain()
    mem.search(f"{RARE} where", user_id="ana")
    mem.stats()
    return mem


@pytest.mark.parametrize("key", [None, "user.lives_in"], ids=["the user", "one key"])
def test_no_byte_of_it_stays_in_any_file(key: str | None, tmp_path: Path) -> None:
    mem = fill(tmp_path / "mem.db")
    mem._store.database().checkpoint()
    assert RARE.encode() in bytes_of(tmp_path)
    mem.forget("ana", key=key)
    mem.drain()
    assert RARE.encode() not in bytes_of(tmp_path)
    assert RARE[:7].encode() not in bytes_of(tmp_path)
    mem.close()
    assert RARE.encode() not in bytes_of(tmp_path)


def test_forgetting_a_user_leaves_the_others(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        forgotten = mem.forget("ana")
        assert (forgotten.facts, forgotten.messages, forgotten.turns, forgotten.vectors) == (2, 3, 2, 8)
        assert not mem.facts("ana")
        assert not mem.history(user_id="ana")
        assert not mem.search("jazz", user_id="ana")
        assert [fact.object for fact in mem.facts("bea")] == ["Porto"]
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(3,)]


def test_forgetting_a_key_keeps_what_else_is_known(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana", key="user.lives_in")
        assert [fact.object for fact in mem.facts("ana")] == ["jazz"]
        assert list(mem.search(RARE, user_id="ana", weights="lexical-only")) == []
        assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == ["I like jazz."]


def test_vectors_wait_where_there_is_no_index_to_remove_them_from(tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.forget("ana").vectors_pending == 8
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(3,)]


def test_a_forgotten_user_can_begin_anew(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana")
        mem.observe("I live in Faro.", user_id="ana", turn_id="t1")
        mem.drain()
        assert [fact.object for fact in mem.facts("ana")] == ["Faro"]


def test_a_vector_leaves_no_bytes_either(tmp_path: Path) -> None:
    blob = to_blob(HashingEmbedder(64).embed([f"I live in {RARE.title()}."])[0])
    with fill(tmp_path / "mem.db") as mem:
        mem._store.database().checkpoint()
        assert blob in raw_bytes_of(tmp_path)
        mem.forget("ana")
        assert blob not in raw_bytes_of(tmp_path)


def test_the_name_of_a_forgotten_user_is_gone_too(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False}) as mem:
        for user in (RARE, "bea"):
            mem.observe("I live in Porto.", user_id=user, session_id=f"session of {user}")
        mem.drain()
        mem.context("Porto", user_id=RARE)
        mem.forget(RARE)
        assert RARE.encode() not in bytes_of(tmp_path)
    assert RARE.encode() not in bytes_of(tmp_path)


def test_another_fact_of_the_same_words_does_not_quote_them(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe(f"I moved to {RARE} and work as a nurse.", user_id="cleo")
        mem.drain()
        mem.forget("cleo", key="user.lives_in")
        assert [fact.object for fact in mem.facts("cleo")] == ["nurse"]
        assert not [word for word in (mem.facts("cleo")[0].source_excerpt, str(mem.history(user_id="cleo"))) if RARE in word]


def test_every_turn_that_said_it_goes(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False}) as mem:
        for text in (f"I live in {RARE}.", f"Yes, I still live in {RARE}.", "I moved to Porto.", "I like jazz."):
            mem.observe(text, user_id="ana", session_id="s")
        mem.drain()
        mem.compact(now="2030-01-01")
        assert [fact.object for fact in mem.facts("ana", as_of="2030-01-01")] == ["jazz", "Porto"]
        mem.forget("ana", key="user.lives_in")
        assert RARE.encode() not in bytes_of(tmp_path)
        assert {fact.object for fact in mem.facts("ana")} == {"jazz"}
        assert [change.key for change in mem.history(user_id="ana")] == ["user.likes"]


def test_a_turn_not_yet_thought_about_is_forgotten_with_its_user(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe(f"I moved to {RARE}.", user_id="ana")
        assert mem.forget("ana").turns == 3
        assert mem.drain()
        assert not mem.facts("ana", kinds=["message", "fact"])
        assert RARE.encode() not in bytes_of(tmp_path)


def test_nothing_is_left_to_do_after_forgetting(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe("I like figs.", user_id="ana")
        mem.forget("ana")
        assert mem.stats().outbox_waiting == 0
        assert mem._store.database().connection.execute("select * from erasures").fetchall() == []


def test_workers_and_another_memory_of_the_file_do_not_keep_it(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem, memdb.open(tmp_path / "mem.db", embedder="hashing-64") as other:
        mem.observe(f"I live in {RARE}.", user_id="ana")
        assert mem.drain(timeout=20)
        assert other.search(RARE, user_id="ana")
        mem.forget("ana")
        assert mem.drain(timeout=20)
        assert not other.search("Where does Ana live?", user_id="ana")
        assert other.facts("ana") == []
    assert RARE.encode() not in bytes_of(tmp_path)


def test_forgetting_in_the_midst_of_many_leaves_no_words(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.load(({"text": f"{RARE}{number} and {RARE} again, number {number}", "session_id": "s"} for number in range(600)), user_id="ana")
        mem.load(({"text": f"Nothing of note, number {number}", "session_id": "s"} for number in range(600)), user_id="bea")
        mem.drain()
        assert mem.forget("ana").messages == 600
        assert len(mem.search("note", user_id="bea", limit=5)) == 5
        assert RARE[2:].encode() not in bytes_of(tmp_path)
    assert RARE[2:].encode() not in bytes_of(tmp_path)


def test_vectors_that_waited_leave_no_bytes_once_removed(tmp_path: Path) -> None:
    blob = to_blob(HashingEmbedder(64).embed(["I like jazz."])[0])
    fill(tmp_path / "mem.db").close()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.forget("ana")
    assert blob in raw_bytes_of(tmp_path)
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert mem.drain()
    assert blob not in raw_bytes_of(tmp_path)


def test_nobody_and_nothing_can_be_forgotten_without_harm(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        assert mem.forget("nobody") == memdb.Forgotten()
        assert mem.forget("ana", key="user.shoe_size") == memdb.Forgotten()
        assert len(mem.facts("ana")) == 2
        with pytest.raises(memdb.InputError, match="user_id is empty"):
            mem.forget("")


def live(mem: memdb.Memory, user: str) -> None:
    """Fill every table with what a user may leave in it; what is said, and every id, is the same for each user."""
    mem.consent(user, sensitive_topics="keep")
    for place, text in enumerate((f"I live in {RARE}.", "I like jazz.", f"I moved from {RARE} to Porto.")):
        mem.observe(text, user_id=user, turn_id=f"t{place}", session_id=f"s{place}", timestamp=f"2025-03-0{1 + place}T10:00:00Z")
    mem.event(f"Rui made coffee in {RARE}.", user_id=user, timestamp="2025-03-01T10:00:00Z", participants=["Rui"], event_id="e1")
    mem.drain()
    mem.remember(f"Talks of {RARE}", user_id=user, kind="note", source="inferred")
    mem.relate(user)
    mem.context("jazz", user_id=user)
    mem.feedback("jazz?", mem.search("jazz", user_id=user)[0].fact.fact_id, user_id=user, good=True)
    mem.session(user, "open").__enter__()
    mem.stats()  # has what was asked written down
    db = mem._store.database()
    call = memdb.ModelCall(purpose="extract", prompt_hash="h", model="m", mode="text", attempt=1, elapsed_ms=1, raw=f"In {RARE}!")
    with db.transaction():
        db.run("apply.model_call", user_id=user, turn_id="t0", now="2025-03-01T10:00:00Z", **call.model_dump())
        db.run("queue.note", user_id=user, turn_id="t0", step="gate", key="user.lives_in", why=f"It is {RARE}.")


def rows_of(mem: memdb.Memory, user: str) -> dict[str, list[tuple[object, ...]]]:
    """What each table holds of a user."""
    db = mem._store.database().connection
    tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table' and sql like '%user_id text%'")]
    return {table: sorted(db.execute(f"select * from {table} where user_id = ?", (user,)), key=repr) for table in tables}


@pytest.mark.parametrize("key", [None, "user.lives_in", "household.experience"])
def test_who_said_the_same_with_the_same_ids_loses_no_row_to_another_s_forgetting(key: str | None, mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        live(mem, user)
    mem.maintain(now="2025-05-01")
    mem.compact(now="2030-01-01")
    mem.drain()
    before = rows_of(mem, "bea")
    assert {table for table, rows in before.items() if not rows} == {"outbox", "erasures", "pages", "vector_codes"}
    mem.forget("ana", key=key)
    assert rows_of(mem, "bea") == before


def test_a_forgotten_user_has_no_row_in_any_table(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.maintain(now="2025-05-01")
    mem.compact(now="2030-01-01")
    mem.drain()
    assert rows_of(mem, "ana")["model_calls"]
    mem.forget("ana")
    assert not any(rows_of(mem, "ana").values())


def test_forgetting_a_key_leaves_what_the_user_chose_and_how_far_upkeep_had_come(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.maintain(now="2025-05-01")
    before = rows_of(mem, "ana")
    mem.forget("ana", key="user.shoe_size")
    after = rows_of(mem, "ana")
    changed = {table for table, rows in before.items() if after[table] != rows}
    assert changed == {"feedback", "retrievals", "profiles", "vector_versions"}  # questions may name what is forgotten


def test_forgetting_a_key_leaves_the_episodes_of_other_sessions(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.remember("Had a good week", user_id="ana", kind="episode", session_id="s1", timestamp="2025-03-08")
    mem.maintain(now="2025-05-01")
    mem.forget("ana", key="user.likes")
    left = sorted(str(fact.session_id) + fact.value_text[:3] for fact in mem.facts("ana", kinds=["episode"]))
    assert left == ["s0use", "s1Had", "s2use"]
