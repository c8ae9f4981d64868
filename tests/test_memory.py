"""What the one class promises."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import memdb

Tell = Callable[..., memdb.Memory]


def test_a_message_is_found_by_its_words_before_anything_is_thought(mem: memdb.Memory) -> None:
    mem.observe("The ferry to Cacilhas was late.", "Again?", user_id="ana", turn_id="t1")
    best = mem.search("ferry", user_id="ana")[0]
    assert (best.fact.value_text, best.fact.source_turn_id) == ("The ferry to Cacilhas was late.", "t1")


def test_what_was_said_is_kept_word_for_word(mem: memdb.Memory) -> None:
    words = "  Ünï\tcode \u200d👩‍👩‍👧 'quotes' \"and\"\n\nlines; drop table facts; --  "
    mem.observe(words, words, user_id="ana")
    assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == [words, words]


def test_observing_the_same_turn_again_changes_nothing(mem: memdb.Memory) -> None:
    for _ in range(3):
        assert mem.observe("I live in Porto.", user_id="ana", turn_id="t1") == "t1"
    mem.drain()
    assert mem.stats().turns_by_status == {"done": 1}
    assert [fact.seen_count for fact in mem.facts("ana")] == [1]


def test_another_text_under_the_same_id_is_refused(mem: memdb.Memory) -> None:
    mem.observe("One.", user_id="ana", turn_id="t1")
    with pytest.raises(memdb.ConflictError, match="already has another turn 't1'"):
        mem.observe("Two.", user_id="ana", turn_id="t1")
    mem.observe("Two.", user_id="bea", turn_id="t1")


def test_loading_is_repeatable_without_ids(mem: memdb.Memory) -> None:
    messages = [{"text": "Hi."}, {"text": "Hi."}, {"text": "I live in Porto.", "speaker": "Ana"}]
    seen: list[int] = []
    assert mem.load(messages, user_id="ana", progress=seen.append) == 3
    assert mem.load(messages, user_id="ana") == 0
    assert seen == [3]


def test_a_bad_message_is_named(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match=r"Message 2 cannot be loaded: field words"):
        mem.load([{"text": "fine"}, {"text": "bad", "words": 3}], user_id="ana")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda mem: mem.observe("", user_id="ana"), "nothing to observe"),
        (lambda mem: mem.observe("Hi.", user_id=" "), "user_id is empty"),
        (lambda mem: mem.observe("\ud800", user_id="ana"), "surrogate"),
        (lambda mem: mem.observe("Hi.", user_id="ana", timestamp="noon"), "'noon' is not a time"),
        (lambda mem: mem.search("x", user_id="ana", kinds=["rumour"]), "no kind 'rumour'"),
        (lambda mem: mem.search("x", user_id="ana", weights="heavy"), "no weight set 'heavy'"),
        (lambda mem: mem.remember("x", user_id="ana", key="Lives In"), "is not a key"),
        (lambda mem: mem.remember("x", user_id="ana", kind="message"), "cannot be remembered"),
        (lambda mem: mem.remember(" ", user_id="ana"), "value_text is empty"),
        (lambda mem: mem.remember("x", user_id="ana", confidence=2), "confidence is 2"),
    ],
)
def test_bad_input_is_told_in_one_sentence(mem: memdb.Memory, call: Callable[[memdb.Memory], object], says: str) -> None:
    with pytest.raises(memdb.InputError, match=says):
        call(mem)


def test_an_unknown_fact_cannot_be_decided(mem: memdb.Memory) -> None:
    for decide in (mem.confirm, mem.reject):
        with pytest.raises(memdb.NotFoundError, match="no fact 'x'"):
            decide("x")


def test_a_time_without_an_offset_is_in_the_users_zone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"timezone": "Asia/Tokyo", "worker": False}) as mem:
        mem.observe("Hi.", user_id="ana", timestamp="2025-03-01T09:00")
        assert mem.facts("ana", kinds=["message"])[0].valid_from.isoformat() == "2025-03-01T00:00:00+00:00"


def test_what_was_true_then_is_found_and_what_was_rejected_is_not(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I like jazz.")
    mem.reject(mem.facts("ana", key="user.likes")[0].fact_id)
    then = mem.facts("ana", as_of="2025-03-01T12:00:00Z")
    assert [fact.object for fact in then] == ["Porto"]
    later = mem.facts("ana", as_of="2025-03-20")
    assert [fact.object for fact in later] == ["Lisbon"]
    found = mem.search("live", user_id="ana", as_of="2025-03-01T12:00:00Z", kinds=["fact"])
    assert [hit.fact.object for hit in found] == ["Porto"]


def test_the_profile_has_its_shape(tell: Tell) -> None:
    mem = tell("I'm Ana and I live in Porto.", "I'm allergic to peanuts.", "I love jazz.", "I'm vegetarian.", "I moved to Lisbon.")
    profile = mem.profile("ana", now="2025-03-10")
    assert list(profile.model_dump()) == [
        "identity", "hard_preferences", "soft_preferences", "current_tasks", "recent_changes", "sensitive_topics",
    ]  # fmt: skip
    assert profile.identity["user.lives_in"][0].value == "Lisbon"
    assert profile.identity["user.lives_in"][0].confidence == 0.7
    assert profile.sensitive_topics[0].value == "peanuts"
    assert profile.soft_preferences["user.likes"][0].value == "jazz"
    change = profile.recent_changes[0]
    assert (change.operation, change.before, change.after) == ("supersede", "User lives in Porto", "User lives in Lisbon")


def stored_profiles(mem: memdb.Memory) -> list[object]:
    return [row[0] for row in mem._store.database().connection.execute("select profile from profiles where profile <> '{}'").fetchall()]


def test_the_profile_is_kept_every_fifth_turn_and_at_the_end_of_a_session(mem: memdb.Memory) -> None:
    for turn in range(4):
        mem.observe("I live in Porto.", user_id="ana", session_id="one", turn_id=f"a{turn}")
    mem.drain()
    assert stored_profiles(mem) == []
    mem.observe("I like tea.", user_id="ana", session_id="one")
    mem.drain()
    assert len(stored_profiles(mem)) == 1
    mem.observe("I like rum.", user_id="ana", session_id="two")
    mem.drain()
    assert "rum" in str(stored_profiles(mem))


def test_remembering_supersedes_and_confirms_like_anything_said(mem: memdb.Memory) -> None:
    first = mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    again = mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    assert (again.fact_id, again.seen_count) == (first.fact_id, 2)
    moved = mem.remember("Ana lives in Lisbon", user_id="ana", key="user.lives_in", object="Lisbon")
    assert [fact.fact_id for fact in mem.facts("ana")] == [moved.fact_id]


def test_remembering_the_same_of_the_same_turn_is_once(mem: memdb.Memory) -> None:
    facts = [mem.remember("Likes figs", user_id="ana", turn_id="t9", timestamp="2025-03-01") for _ in range(2)]
    assert facts[0].fact_id == facts[1].fact_id
    assert facts[1].seen_count <= 2
    assert len(mem.facts("ana")) == 1


def test_compaction_moves_the_old_and_the_past_still_finds_it(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    assert mem.compact(now="2025-03-10") == 0
    assert mem.compact(now="2026-03-10") == 1
    assert mem.drain()
    assert [fact.object for fact in mem.facts("ana", as_of="2025-03-01T12:00:00Z")] == ["Porto"]


def test_threads_share_one_memory(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem:

        def work(name: int) -> None:
            for place in range(20):
                mem.observe(f"I like thing{name}x{place}.", user_id="ana")
                mem.search("thing", user_id="ana")

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert mem.drain(timeout=60)
        assert len(mem.facts("ana")) == 80
        assert mem.stats().outbox_waiting == 0


def test_words_alone_import_nothing_heavy(tmp_path: Path) -> None:
    script = """
import sys, memdb
with memdb.open(sys.argv[1], embedder=None) as mem:
    mem.observe("I live in Porto.", user_id="ana"); mem.drain(); mem.search("Porto", user_id="ana")
print([name for name in ("torch", "sentence_transformers", "numpy", "sqlite_vec", "openai") if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", script, str(tmp_path / "mem.db")], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_failing_embedder_never_holds_up_a_turn_or_an_answer(tmp_path: Path) -> None:
    class Broken:
        name, dimension = "broken-8", 8

        def embed(self, texts):  # type: ignore[no-untyped-def]
            raise RuntimeError("out of order")

    settings = {"worker": False, "retry_base_seconds": 0, "embed_max_attempts": 2}
    with memdb.open(tmp_path / "mem.db", embedder=Broken(), config=settings) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain(timeout=20)
        hits = mem.search("Porto", user_id="ana")
        assert "Porto" in {hit.fact.object for hit in hits}
        assert "broken-8 failed" in str(hits.degraded)
        assert mem.stats().outbox_dead == 2
        assert mem.retry() == 2


def test_one_bad_text_does_not_hold_up_the_others(tmp_path: Path) -> None:
    import numpy as np

    class Picky:
        name, dimension = "picky-8", 8

        def embed(self, texts):  # type: ignore[no-untyped-def]
            return np.array([[np.nan if "poison" in text else 1.0] * 8 for text in texts], dtype=np.float32)

    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config={"worker": False}) as mem:
        for text in ("One.", "Here is poison.", "Three."):
            mem.observe(text, user_id="ana")
        assert not mem.drain()
        stats = mem.stats()
        assert (stats.vectors, stats.outbox_waiting) == (2, 1)


def test_a_file_of_words_only_is_embedded_when_an_embedder_comes(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.drain()
        assert "without an embedder" in str(mem.search("Porto", user_id="ana").degraded)
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem:
        assert mem.drain(timeout=20)
        hits = mem.search("Porto", user_id="ana")
        assert hits.degraded is None
        assert all(hit.parts["cosine"] > 0 for hit in hits)
    with memdb.open(tmp_path / "mem.db") as mem:
        assert mem.embedder is not None
        assert mem.embedder.name == "hashing-64"
