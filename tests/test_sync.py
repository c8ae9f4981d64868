"""Vectors follow the facts, and their failures stay their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

import numpy as np
import pytest

import memdb
from memdb import files
from memdb.embed import HashingEmbedder, to_blob
from memdb.worker import take_turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tell = Callable[..., memdb.Memory]
AT_ONCE: dict[str, object] = {"worker": False, "retry_base_seconds": 0}


class Broken:
    """Fails the given number of times, then embeds like the hashing one."""

    name, dimension = "broken-16", 16

    def __init__(self, failures: int = 10**9) -> None:
        self.failures, self.calls = failures, 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls <= self.failures:
            raise RuntimeError("out of order")
        return HashingEmbedder(16).embed(texts)


class Picky:
    """Makes no number of a text with poison in it."""

    name, dimension, bad = "picky-16", 16, "poison"
    refused = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.refused += sum(self.bad in text for text in texts)
        vectors = HashingEmbedder(16).embed(texts)
        vectors[[self.bad in text for text in texts]] = np.nan
        return vectors


class Slow:
    """Waits for a signal before it embeds."""

    name, dimension = "slow-16", 16

    def __init__(self) -> None:
        self.go = threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        assert self.go.wait(30)
        return HashingEmbedder(16).embed(texts)


def shelves(mem: memdb.Memory) -> dict[str, str]:
    rows = mem._store.database().connection.execute("select f.value_text, v.shelf from facts_vec v join facts f on f.id = v.rowid")
    return {str(text): str(shelf) for text, shelf in rows}


def test_a_failing_embedder_never_holds_up_a_turn_or_an_answer(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Broken(), config={**AT_ONCE, "embed_max_attempts": 2}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert not mem.drain()  # the facts are there, the vectors are not
        hits = mem.search("Porto", user_id="ana")
        assert "Porto" in {hit.fact.object for hit in hits}
        assert "broken-16 failed" in str(hits.degraded)


def test_an_outage_sets_no_vector_aside_however_long_it_lasts(tmp_path: Path) -> None:
    embedder = Broken()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False, "embed_max_attempts": 1}) as mem:
        mem.observe("Nice weather.", user_id="ana")
        for _ in range(20):
            assert not mem.drain()
        assert embedder.calls == 20 * 2  # the texts, and a plain one that tells whose fault it is
        state = mem.vectors()
        assert (state.waiting, state.dead) == (2, 0)  # the message's vector and its window's
        assert "broken-16 is down, and what waits for it is tried again: RuntimeError: out of order" in str(state.error)
        embedder.failures = 0
        assert mem.drain()
        assert (mem.vectors().waiting, mem.vectors().dead, mem.vectors().error) == (0, 0, None)


@pytest.mark.parametrize("asked", [False, True], ids=["tried again in time", "a question finds out"])
def test_after_an_outage_the_worker_goes_on_by_itself(tmp_path: Path, asked: bool) -> None:
    embedder = Broken()
    settings = {"retry_base_seconds": 60 if asked else 0.2, "retry_max_seconds": 60}
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config=settings) as mem:
        mem.observe("Nice weather.", user_id="ana")
        assert not mem.drain()
        embedder.failures = 0
        if asked:
            assert "failed" not in str(mem.search("weather", user_id="ana").degraded)  # there are no vectors yet, that is all
        started = monotonic()
        while mem.stats().outbox_waiting and monotonic() - started < 20:
            sleep(0.05)
        assert (mem.stats().outbox_waiting, mem.stats().outbox_dead) == (0, 0)


class Panic(BaseException):
    """What Rust's panics are to Python: no Exception."""


class Panicking(Broken):
    """Panics the given number of times, and takes the texts that it has seen from the list."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        if self.calls <= self.failures:
            raise Panic("unreachable code")
        vectors = HashingEmbedder(16).embed(texts)
        texts.clear()  # type: ignore[attr-defined]
        return vectors


def test_an_embedder_that_panics_does_not_end_the_worker(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Panicking(2), config={"retry_base_seconds": 0}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain(30)
        assert mem.vectors().waiting == 0


def test_a_model_that_panics_leaves_the_turn_to_the_rules(tmp_path: Path) -> None:
    def think(_request: memdb.ModelRequest) -> str:
        raise Panic("unreachable code")

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="panicking")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain(30)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def test_during_an_outage_the_worker_rests(tmp_path: Path) -> None:
    embedder = Broken()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"retry_base_seconds": 60}) as mem:
        mem.observe("Nice weather.", user_id="ana")
        assert not mem.drain()
        calls = embedder.calls
        sleep(1.5)
        assert embedder.calls == calls


def test_what_was_set_aside_in_an_earlier_version_waits_again(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=Broken(), config=AT_ONCE) as mem:
        mem.observe("Nice weather.", user_id="ana")
        connection = mem._store.database().connection
        connection.execute("update outbox set dead = 1, attempts = 8")
        connection.execute(dict(files.migrations())[25])
    with memdb.open(path, embedder=Broken(0), config=AT_ONCE) as mem:
        assert mem.drain()
        assert (mem.stats().vectors, mem.stats().outbox_dead) == (1, 0)


def test_a_text_may_be_refused_thousands_of_times(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config={**AT_ONCE, "embed_max_attempts": 3_000}) as mem:
        mem.remember("Here is poison", user_id="ana", kind="note")
        mem._store.database().connection.execute("update outbox set attempts = 2000")
        assert not mem.drain(0.2)
        assert mem.vectors().waiting == 1


def test_a_text_that_was_revived_is_tried_as_often_as_at_first(tmp_path: Path) -> None:
    picky = Picky()
    with memdb.open(tmp_path / "mem.db", embedder=picky, config={**AT_ONCE, "embed_max_attempts": 3}) as mem:
        mem.remember_many([{"value_text": "poison", "user_id": "ana"}])
        for tried in (3, 6):
            mem.drain()
            assert mem.stats().outbox_dead == mem.retry() == 1
            assert picky.refused == tried


def test_a_text_that_is_refused_so_often_is_dead_and_retry_revives_it(tmp_path: Path) -> None:
    embedder = Picky()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={**AT_ONCE, "embed_max_attempts": 3}) as mem:
        mem.remember("Here is poison.", user_id="ana")
        embedder.refused = 0
        assert mem.drain()
        assert embedder.refused == 3
        assert (mem.stats().outbox_dead, mem.stats().outbox_waiting) == (1, 0)
        state = mem.vectors()
        assert (state.written, state.dead, state.waiting) == (0, 1, 0)
        assert "picky-16 made of text 1 a vector" in str(state.error)
        embedder.bad = "nothing of the kind"
        assert mem.retry() == 1
        assert mem.drain()
        assert (mem.stats().outbox_dead, mem.stats().vectors) == (0, 1)


def test_what_waits_for_its_next_attempt_is_tried_at_once_if_that_is_asked_for(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(16), config=AT_ONCE) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        connection = mem._store.database().connection
        for queue in ("turns", "outbox"):
            connection.execute(f"update {queue} set next_attempt_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '40 seconds')")
        assert not mem.drain(timeout=0.1)
        assert mem.facts("ana") == []
        assert mem.retry() == 0  # nothing was set aside
        assert mem.drain(timeout=20)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
        assert mem.stats().outbox_waiting == 0


def test_many_bad_texts_cost_no_good_one_its_vector(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config={**AT_ONCE, "embed_max_attempts": 1}) as mem:
        for text in ("Good.", *(f"Here is poison {place}." for place in range(5))):  # what is newest is embedded first
            mem.remember(text, user_id="ana")
        assert mem.drain()
        assert (mem.stats().vectors, mem.stats().outbox_dead) == (1, 5)


def test_a_passing_failure_leaves_no_trace(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Broken(failures=2), config=AT_ONCE) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain(timeout=20)
        stats = mem.stats()
        assert (stats.vectors, stats.outbox_waiting, stats.outbox_dead) == (2, 0, 0)


def test_the_pause_doubles_up_to_its_limit(tmp_path: Path) -> None:
    settings = {"worker": False, "retry_base_seconds": 100, "retry_max_seconds": 300}
    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config=settings) as mem:
        mem.observe("Nice poison.", user_id="ana")
        pauses = []
        for _ in range(4):
            assert not mem.drain()
            ask = mem._store.database().connection.execute
            pauses += [row[0] for row in ask("select (julianday(next_attempt_at) - julianday('now')) * 86400 from outbox where id > 0")]
            ask("update outbox set next_attempt_at = null")
        for pause, whole in zip(pauses, (100, 200, 300, 300), strict=True):
            assert whole * 0.5 - 5 < float(str(pause)) <= whole


def test_one_bad_text_does_not_hold_up_the_others(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config={"worker": False}) as mem:
        for text in ("One.", "Here is poison.", "Three."):
            mem.observe(text, user_id="ana")
        assert not mem.drain()
        assert (mem.stats().vectors, mem.stats().outbox_waiting) == (2, 4)  # its own, and the windows it is in
        assert set(shelves(mem)) == {"One.", "Three."}
        [hit] = mem.search("One", user_id="ana", weights="lexical-only")
        assert hit.fact.value_text == "One."


def test_a_bad_question_is_answered_by_words(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Picky(), config={"worker": False}) as mem:
        mem.observe("Here is the river.", user_id="ana")
        mem.drain()
        hits = mem.search("poison river", user_id="ana")
        assert [hit.fact.value_text for hit in hits] == ["Here is the river."]
        assert "picky-16 made of text 1" in str(hits.degraded)


def test_a_slow_embedder_does_not_hold_up_facts(tmp_path: Path) -> None:
    embedder = Slow()
    with memdb.open(tmp_path / "mem.db", embedder=embedder) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert not mem.drain(timeout=1)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
        embedder.go.set()
        assert mem.drain(timeout=20)
        assert mem.stats().vectors == 2


@pytest.mark.parametrize("worker", [True, False], ids=["by the worker", "here and now"])
def test_an_embedder_that_hangs_holds_up_no_fact_for_long(tmp_path: Path, worker: bool) -> None:
    embedder = Slow()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": worker, "embed_patience_seconds": 0.2}) as mem:
        for place in range(5):
            mem.observe(f"I like thing{place}.", user_id="ana")
            if not worker:
                take_turn(mem._store, mem._config, None, mem._answering.patient, identity="test:1:1")
        started = monotonic()
        while len(mem.facts("ana")) < 5 and monotonic() - started < 20:
            sleep(0.05)
        assert len(mem.facts("ana")) == 5
        assert mem.remember("Likes jazz", user_id="ana", key="user.likes").status == "active"
        embedder.go.set()
        assert mem.drain(timeout=30)
        assert mem.stats().vectors == 11


def test_an_embedder_that_hangs_holds_up_no_answer_for_long(tmp_path: Path) -> None:
    embedder = Slow()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False, "embed_patience_seconds": 0.2}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        for says in ("took longer than 0.2 seconds", "still at an earlier question"):
            hits = mem.search("Porto", user_id="ana")
            assert [hit.fact.value_text for hit in hits] == ["I live in Porto."]
            assert says in str(hits.degraded)
        assert "Porto" in mem.context("Where do I live, Porto?", user_id="ana").text
        embedder.go.set()


@pytest.mark.parametrize("act", ["remember", "write", "flush"])
def test_a_slow_embedder_holds_up_no_write_for_long_and_makes_the_vector_later(tmp_path: Path, act: str) -> None:
    embedder = Slow()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"write_patience_seconds": 0.1}) as mem:
        mem.remember("Likes tea", user_id="ana", kind="note")  # something to compare with
        session = mem.session("ana")
        session.working.add("Grows zeppelins")
        started = monotonic()
        if act == "remember":
            mem.remember("Grows zeppelins", user_id="ana", kind="note")
        elif act == "write":
            mem.write([{"text": "Grows zeppelins", "kind": "note", "confidence": 1.0}], user_id="ana")
        else:
            session.flush()
        assert monotonic() - started < 2
        assert [hit.fact.value_text for hit in mem.search("zeppelins", user_id="ana", weights="lexical-only")] == ["Grows zeppelins"]
        embedder.go.set()
        assert mem.drain(timeout=20)
        assert mem.search("zeppelins", user_id="ana")[0].parts["cosine"] > 0.3


def test_a_turn_waits_for_an_embedder_that_a_write_has_given_up(tmp_path: Path) -> None:
    embedder = Slow()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False, "write_patience_seconds": 0.1}) as mem:
        for text in ("Likes tea", "Likes jam"):
            mem.remember(text, user_id="ana", key="user.likes", object=text.split()[1])
        threading.Timer(0.5, embedder.go.set).start()
        assert "too long" not in str(mem.search("tea", user_id="ana").degraded)


def test_the_vector_of_a_superseded_fact_moves_to_the_closed_shelf(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    assert shelves(mem) == {"I live in Porto.": "message", "User lives in Porto": "fact"}
    tell("I moved to Lisbon.")
    assert shelves(mem)["User lives in Porto"] == "closed"
    assert shelves(mem)["User lives in Lisbon"] == "fact"


ENDS: list[tuple[str, Callable[[memdb.Memory, memdb.Fact], object], str | None]] = [
    ("superseded", lambda mem, fact: mem.observe("I moved to Lisbon.", user_id="ana", timestamp="2025-05-01"), "closed"),
    ("said to be over", lambda mem, fact: mem.observe("I don't live in Porto any more.", user_id="ana", timestamp="2025-05-01"), "closed"),
    ("ended by the application", lambda mem, fact: mem.end(fact.fact_id, now="2025-05-01"), "closed"),
    ("rejected", lambda mem, fact: mem.reject(fact.fact_id), "closed"),
    ("doubted", lambda mem, fact: mem.doubt(fact.fact_id), "closed"),
    ("undone", lambda mem, fact: mem.undo(user_id="ana", turn_id="t0"), "closed"),
    ("over by the clock, at the next turn", lambda mem, fact: (mem.end(fact.fact_id, valid_to="2025-05-01", now="2025-04-01"),
                                                               mem.observe("Hello.", user_id="ana", timestamp="2025-05-02")), "closed"),
    ("over by the clock, at the next upkeep", lambda mem, fact: (mem.end(fact.fact_id, valid_to="2025-05-01", now="2025-04-01"),
                                                                 mem.maintain(now="2025-05-02")), "closed"),
    ("over by the clock, at the next compaction", lambda mem, fact: (mem.end(fact.fact_id, valid_to="2025-05-01", now="2025-04-01"),
                                                                     mem.compact(now="2025-05-02")), "closed"),
    ("forgotten", lambda mem, fact: mem.forget("ana", key="user.lives_in"), None),
    ("compacted", lambda mem, fact: (mem.end(fact.fact_id, now="2025-05-01"), mem.compact(now="2027-01-01")), None),
]  # fmt: skip


@pytest.mark.parametrize(("act", "shelf"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_what_is_believed_no_longer_leaves_the_live_shelf(
    tell: Tell, act: Callable[[memdb.Memory, memdb.Fact], object], shelf: str | None
) -> None:
    mem = tell("I live in Porto.")
    (fact,) = mem.facts("ana")
    assert shelves(mem)[fact.value_text] == "fact"
    act(mem, fact)
    assert mem.drain()
    assert shelves(mem).get(fact.value_text) == shelf
    assert fact.fact_id not in [hit.fact.fact_id for hit in mem.search("Porto", user_id="ana", now="2025-06-01")]


def test_what_is_over_by_the_clock_is_not_found_even_before_anybody_moved_its_vector(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    fact_id = mem.end(mem.facts("ana")[0].fact_id, valid_to="2025-05-01", now="2025-04-01").fact_id
    mem.drain()
    assert shelves(mem)["User lives in Porto"] == "fact"
    found = {
        now: fact_id in [hit.fact.fact_id for hit in mem.search("Porto", user_id="ana", now=now)] for now in ("2025-04-30", "2025-05-02")
    }
    assert found == {"2025-04-30": True, "2025-05-02": False}


@pytest.mark.parametrize(("weights", "afterwards"), [("lexical-only", ["Porto"]), ("vector-only", [])])
def test_what_was_true_then_is_found_by_words_and_until_it_is_compacted_by_meaning(tell: Tell, weights: str, afterwards: list[str]) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")

    def found() -> list[str]:
        hits = mem.search("User lives in Porto", user_id="ana", as_of="2025-03-01T12:00:00Z", kinds=["fact"], weights=weights)
        return [hit.fact.object for hit in hits]

    assert found() == ["Porto"]
    mem.compact(now="2027-01-01")
    assert mem.drain()
    assert (found(), [fact.object for fact in mem.facts("ana", as_of="2025-03-01T12:00:00Z")]) == (afterwards, ["Porto"])


def test_what_is_restored_returns_to_the_live_shelf(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    mem.undo(user_id="ana", turn_id="t1")
    assert mem.drain()
    assert (shelves(mem)["User lives in Porto"], shelves(mem)["User lives in Lisbon"]) == ("fact", "closed")


def test_compaction_empties_the_closed_shelf(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    mem.compact(now="2027-01-01")
    assert mem.drain()
    assert "closed" not in shelves(mem).values()
    assert mem.stats().vectors == 3


def reuse(path: Path) -> memdb.Memory:
    """A file in which a fact of Ana has the number of one of Bea that is gone, and whose vector still waits to be taken away."""
    embedder = HashingEmbedder(64)
    with memdb.open(path, embedder=embedder, llm=None, config=AT_ONCE) as mem:
        mem.remember("Sails a boat", user_id="bea", key="user.hobby")
        mem.remember("Plays the cello", user_id="bea", key="user.likes")
        assert mem.drain(30)
    with memdb.open(path, embedder=None, config=AT_ONCE) as words:
        words.forget("bea", key="user.likes")
        words.remember("Keeps a zeppelin", user_id="ana")
        (held,) = words._store.database().connection.execute("select o.user_id, f.user_id from outbox o join facts f using (id)")
        assert held == ("bea", "ana")
    return memdb.open(path, embedder=embedder, llm=None, config=AT_ONCE)


def test_a_row_that_got_the_number_of_another_s_is_found_by_its_own_user(tmp_path: Path) -> None:
    with reuse(tmp_path / "mem.db") as mem:
        assert [hit.fact.value_text for hit in mem.search("cello", user_id="bea")] == ["Sails a boat"]
        assert mem.drain(30)
        filed = mem._store.database().connection.execute("select user_id, count(*) from facts_vec group by 1 order by 1").fetchall()
        assert filed == [("ana", 1), ("bea", 1)]
        hits = mem.search("zeppelin", user_id="ana")
        assert [(hit.fact.value_text, hit.parts["lexical"], hit.parts["cosine"] > 0.3) for hit in hits] == [("Keeps a zeppelin", 1.0, True)]
        assert [hit.fact.value_text for hit in mem.search("zeppelin", user_id="bea")] == ["Sails a boat"]


def test_one_who_is_forgotten_leaves_no_name_where_another_got_a_number(tmp_path: Path) -> None:
    with reuse(tmp_path / "mem.db") as mem:
        mem.forget("bea")
        connection = mem._store.database().connection
        for table in ("outbox", "facts_vec", "vector_versions", "facts"):
            assert connection.execute(f"select count(*) from {table} where user_id = 'bea'").fetchall() == [(0,)], table
        assert mem.drain(30)
        assert mem.search("zeppelin", user_id="ana")[0].parts["cosine"] > 0.3


class Overtaken(HashingEmbedder):
    """Something happens while it embeds for the first time."""

    meanwhile: Callable[[], object] | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
        return super().embed(texts)


def test_what_changes_while_it_is_embedded_is_embedded_anew(tmp_path: Path) -> None:
    embedder = Overtaken(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        mem.remember("Old words", user_id="ana", kind="note")
        embedder.meanwhile = lambda: mem._store.database().connection.execute("update facts set value_text = 'Something new'")
        assert mem.drain(60)
        [hit] = mem.search("Something new", user_id="ana", weights="vector-only")
        assert hit.parts["cosine"] == pytest.approx(1)


def test_a_window_that_changes_while_it_is_embedded_is_embedded_anew(tmp_path: Path) -> None:
    embedder = Overtaken(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        mem.observe("One.", user_id="ana")
        embedder.meanwhile = lambda: mem.observe("Two.", user_id="ana")
        assert mem.drain(60)
        assert set(windows(mem).values()) == {to_blob(embedder.embed(["One. Two."])[0])}


def test_what_is_over_while_it_is_embedded_leaves_the_live_shelf(tmp_path: Path) -> None:
    embedder = Overtaken(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        fact = mem.remember("Stays in Porto", user_id="ana", kind="note")
        embedder.meanwhile = lambda: mem.reject(fact.fact_id)
        assert mem.drain(60)
        assert shelves(mem) == {"Stays in Porto": "closed"}


def test_who_gets_the_number_of_one_that_is_gone_while_others_are_embedded_gets_a_vector(tmp_path: Path) -> None:
    embedder = Overtaken(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        mem.remember("Keeps a zeppelin", user_id="ana", kind="note")
        gone = mem.remember("Old words", user_id="ana", kind="note")
        mem.drain()
        connection = mem._store.database().connection
        connection.execute("delete from facts where fact_id = ?; update facts set value_text = 'Keeps two'", (gone.fact_id,))
        embedder.meanwhile = lambda: mem.remember("Sails a boat", user_id="ana", kind="note")
        assert mem.drain(60)
        assert shelves(mem) == {"Keeps two": "note", "Sails a boat": "note"}


def test_who_gets_the_number_and_the_words_of_another_while_they_are_embedded_gets_the_vector(tmp_path: Path) -> None:
    def change_hands() -> None:
        mem.forget("bea")
        mem.remember("Plays the cello", user_id="ana", kind="note")

    embedder = Overtaken(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        mem.remember("Plays the cello", user_id="bea", kind="note")
        embedder.meanwhile = change_hands
        assert mem.drain(60)
        filed = mem._store.database().connection.execute("select rowid, user_id from facts_vec").fetchall()
        assert filed == [(1, "ana")]


def test_a_fact_said_again_is_not_embedded_again(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.observe("I live in Porto.", user_id="ana")
    mem._background.work()
    ask = mem._store.database().connection.execute
    kinds = ask("select distinct f.kind from outbox o join facts f on f.id = abs(o.id)").fetchall()
    assert kinds == [("message",)]


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


def test_another_embedder_is_refused_and_words_alone_are_welcome(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64)) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain(timeout=20)
    for other in (HashingEmbedder(32), Broken()):
        with pytest.raises(memdb.ConfigError, match="hashing-64"):
            memdb.open(tmp_path / "mem.db", embedder=other)
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert {hit.fact.kind for hit in mem.search("Porto", user_id="ana")} == {"fact", "message"}


def windows(mem: memdb.Memory) -> dict[str, bytes]:
    """The window vector of each message."""
    rows = mem._store.database().connection.execute("select f.value_text, v.embedding from facts_vec v join facts f on f.id = -v.rowid")
    return {str(text): bytes(vector) for text, vector in rows}


def test_a_message_s_window_is_made_of_its_neighbours_in_the_session(mem: memdb.Memory) -> None:
    for text, session in (("One.", "a"), ("Two.", "a"), ("Three.", "a"), ("Four.", "b")):
        mem.observe(text, user_id="ana", session_id=session)
    mem.drain()
    assert mem.embedder is not None
    expected = {"One.": "One. Two.", "Two.": "One. Two. Three.", "Three.": "Two. Three.", "Four.": "Four."}
    made = {text: to_blob(vector) for text, vector in zip(expected, mem.embedder.embed(list(expected.values())), strict=True)}
    assert windows(mem) == made


def test_a_window_has_of_a_long_neighbour_what_stands_nearest(mem: memdb.Memory) -> None:
    long = " ".join(str(number) for number in range(200))
    for text in (long, "Two.", long):
        mem.observe(text, user_id="ana")
    mem.drain()
    assert mem.embedder is not None
    [expected] = mem.embedder.embed([f"{long[-250:]} Two. {long[:250]}"])
    assert windows(mem)["Two."] == to_blob(expected)


def test_the_window_before_is_completed_when_the_next_message_comes(mem: memdb.Memory) -> None:
    mem.observe("One.", user_id="ana")
    mem.drain()
    before = windows(mem)["One."]
    mem.observe("Two.", user_id="ana")
    mem.drain()
    assert windows(mem)["One."] != before


def test_an_erased_message_leaves_the_windows_it_was_in(mem: memdb.Memory) -> None:
    for number, text in enumerate(("Hello there.", "I live in Porto.", "Nice weather.")):
        mem.observe(text, user_id="ana", turn_id=str(number))
    mem.drain()
    mem.forget("ana", key="user.lives_in")
    assert windows(mem) == {}  # at once, not only when they are made anew
    mem.drain()
    assert mem.embedder is not None
    assert set(windows(mem).values()) == {to_blob(mem.embedder.embed(["Hello there. Nice weather."])[0])}


def test_a_message_that_is_deleted_by_hand_leaves_the_windows_it_was_in(mem: memdb.Memory) -> None:
    for text in ("One.", "Two.", "Three."):
        mem.observe(text, user_id="ana")
    mem.drain()
    mem._store.database().connection.execute("delete from facts where value_text = 'Two.'")
    mem.drain()
    assert mem.embedder is not None
    assert set(windows(mem).values()) == {to_blob(mem.embedder.embed(["One. Three."])[0])}


def test_the_window_of_an_erased_message_goes_also_where_a_fact_has_got_its_number(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=AT_ONCE) as mem:
        mem.observe("It rains.", user_id="bea")
        assert mem.drain(30)
    with memdb.open(tmp_path / "mem.db", embedder=None, config=AT_ONCE) as words:
        words.forget("bea")
        words.remember("Keeps a zeppelin", user_id="ana")
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=AT_ONCE) as mem:
        assert mem.drain(30)
        filed = mem._store.database().connection.execute("select rowid, user_id from facts_vec").fetchall()
        assert filed == [(1, "ana")]


def test_rows_that_are_given_to_another_user_by_hand_are_found_there_by_meaning(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        mem.remember("Ana plays the zither", user_id="ana", key="user.plays", object="the zither")
        mem.observe("The wind is cold in Braga.", user_id="ana", session_id="s")
        mem.drain()
        assert mem.search("cold wind", user_id="ana", weights="vector-only")  # its vectors are read, and kept in memory
        db = mem._store.database()
        with db.transaction():
            db.connection.execute("update facts set user_id = 'anna' where user_id = 'ana'")
        mem.drain()
        found = {hit.fact.kind for hit in mem.search("zither in the cold wind", user_id="anna", weights="vector-only")}
        assert found == {"fact", "message"}
        assert mem.search("zither in the cold wind", user_id="ana", weights="vector-only") == []
        assert db.connection.execute("select distinct user_id from facts_vec").fetchall() == [("anna",)]


@pytest.mark.parametrize("column", ["user_id", "session_id"])
def test_a_message_that_is_given_away_by_hand_and_its_old_neighbours_forget_each_others_words(mem: memdb.Memory, column: str) -> None:
    for user, text in (("ana", "zither"), ("bea", "oboe"), ("ana", "lute"), ("bea", "harp"), ("ana", "viola")):
        mem.observe(f"I heard the {text}.", user_id=user, session_id="s")
    db = mem._store.database()
    db.connection.execute(f"update facts set {column} = 'bea' where value_text like '%lute%'")
    words = ("lute", "zither", "viola")
    known = {word: db.connection.execute("select rowid from facts_fts where facts_fts match ?", (word,)).fetchall() for word in words}
    assert known["lute"] == ([(3,)] if column == "session_id" else [(2,), (3,), (4,)])
    assert known["zither"] == known["viola"] == [(1,), (5,)]


def test_the_windows_of_a_message_that_is_given_away_by_hand_and_of_its_old_neighbours_are_embedded_anew(mem: memdb.Memory) -> None:
    for text in ("zither", "lute", "viola"):
        mem.observe(f"I heard the {text}.", user_id="ana", session_id="s")
    mem.drain()
    db = mem._store.database()
    db.connection.execute("update facts set session_id = 't' where value_text like '%lute%'")
    assert db.connection.execute("select id from outbox where id < 0 order by id").fetchall() == [(-3,), (-2,), (-1,)]


def test_a_message_that_somebody_closes_in_the_file_loses_its_window(mem: memdb.Memory) -> None:
    mem.load([{"text": "Hello."}, {"text": "I like tea."}], user_id="ana")
    mem.drain()
    db = mem._store.database()
    with db.transaction():
        db.connection.execute("update facts set status = 'expired' where value_text = 'Hello.'")
    assert mem.drain(5)
    assert db.connection.execute("select rowid, shelf from facts_vec where abs(rowid) = 1").fetchall() == [(1, "closed")]


def test_the_state_of_the_vectors_counts_no_row_without_one(mem: memdb.Memory) -> None:
    mem.remember("Ana plays chess", user_id="ana")
    mem.drain()
    mem.remember("Ana plays go", user_id="ana")
    state = mem.vectors()
    assert (state.written, state.waiting, state.dead, state.gathered, state.next_embedder) == (1, 1, 0, 0, None)
