"""However often and by however many it is replayed, a conversation leaves the same memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import memdb
from memdb.interfaces.replay import replay
from memdb.llm import ContextTooLong, LanguageModel, ModelRequest, ScriptedModel
from memdb.quoting import unquoted
from tests.embedders import OneMeaning
from tests.fickle import facts, fickle

ROOT = Path(__file__).parent.parent

SAID = (
    "I live in Porto.",
    "I live in Braga.",
    "I moved to Lisbon.",
    "I don't live in Lisbon any more.",
    "I like jazz.",
    "I hate jazz.",
    "I like jazz and tea.",
    "I don't like tea any more.",
    "My favourite colour is green.",
    "My favourite colour is blue.",
    "I'm allergic to peanuts.",
    "For this week I'm staying in Berlin.",
    "I work as a nurse.",
    "I work as a head nurse.",
    "Do I like jazz?",
)
TURNS = st.lists(st.tuples(st.sampled_from(SAID), st.integers(0, 40)), min_size=1, max_size=8)
FEW = settings(max_examples=12)


def observe(mem: memdb.Memory, turns: Sequence[tuple[str, int]], place: int) -> None:
    text, day = turns[place]
    stamp = f"2025-{3 + day // 28:02}-{1 + day % 28:02}T10:{place:02}:00Z"
    mem.observe(text, user_id="ana", turn_id=f"t{place}", session_id=f"s{place // 3}", timestamp=stamp)


def remembered(mem: memdb.Memory) -> tuple[list[dict[str, object]], list[dict[str, object]], str]:
    """What the turns taught; what upkeep draws from it later comes when it comes, and takes a number among the changes."""
    every = ("active", "pending_confirmation", "superseded", "expired")
    held = mem.facts("ana", statuses=every, now="2025-06-01")  # type: ignore[arg-type]
    facts = [fact.model_dump(exclude={"embedding_id"}) for fact in held if fact.source != "inferred"]
    history = [change.model_dump(exclude={"id"}) for change in mem.history(user_id="ana") if not change.turn_id.startswith("reflection-")]
    return facts, history, mem.profile("ana", now="2025-06-01").model_dump_json()


def straight(
    turns: Sequence[tuple[str, int]], path: Path, *, llm: LanguageModel | None = None, embedder: str | None = None
) -> tuple[list[dict[str, object]], list[dict[str, object]], str]:
    with memdb.open(path, embedder=embedder, llm=llm, config={"worker": False}) as mem:
        for place in range(len(turns)):
            observe(mem, turns, place)
        assert mem.drain()
        return remembered(mem)


@FEW
@given(turns=TURNS, drains=st.lists(st.booleans(), min_size=8, max_size=8))
def test_replaying_a_conversation_changes_nothing(turns: list[tuple[str, int]], drains: list[bool]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with memdb.open(Path(folder) / "twice.db", embedder="hashing-16", llm=None, config={"worker": False}) as mem:
            for _ in range(2):
                for place in range(len(turns)):
                    observe(mem, turns, place)
                    if drains[place]:
                        mem.drain()
            assert mem.drain()
            twice = remembered(mem)
        assert twice == straight(turns, Path(folder) / "once.db")
        assert mem_turns(Path(folder) / "twice.db") == {"done": len(turns)}


@FEW
@given(turns=TURNS, who=st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_two_memories_of_one_file_think_as_one(turns: list[tuple[str, int]], who: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "shared.db"
        config = {"worker": False}
        both = [stack.enter_context(memdb.open(path, embedder="hashing-16", llm=None, config=config)) for _ in range(2)]
        for place in range(len(turns)):
            observe(both[who[place] % 2], turns, place)
            observe(both[0], turns, max(0, place - 1))
            if who[place] > 1:
                both[place % 2].drain()
        assert both[0].drain()
        assert both[1].drain()
        assert remembered(both[0]) == remembered(both[1]) == straight(turns, Path(folder) / "once.db")


def test_two_workers_of_one_file_think_as_one(tmp_path: Path) -> None:
    turns = [(text, place) for place, text in enumerate(SAID)]
    with ExitStack() as stack:
        both = [stack.enter_context(memdb.open(tmp_path / "shared.db", embedder="hashing-16", llm=None)) for _ in range(2)]
        for place in range(len(turns)):
            observe(both[place % 2], turns, place)
        assert all(mem.drain(timeout=60) for mem in both)
        assert remembered(both[0]) == straight(turns, tmp_path / "once.db")


@FEW
@given(turns=TURNS, prefix=st.integers(0, 8), workers=st.integers(1, 3))
def test_any_prefix_replayed_by_several_workers_with_a_model_gives_the_same(
    turns: list[tuple[str, int]], prefix: int, workers: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "shared.db"
        all_of_them = [stack.enter_context(memdb.open(path, embedder="hashing-16", llm=fickle())) for _ in range(workers)]
        for place in [*range(min(prefix, len(turns))), *range(len(turns))]:
            observe(all_of_them[place % workers], turns, place)
        assert all(mem.drain(timeout=60) for mem in all_of_them)
        once = straight(turns, Path(folder) / "once.db", llm=fickle(), embedder="hashing-16")
        assert [remembered(mem) for mem in all_of_them] == [once] * workers


PETS = ("dog called Bica", "dog named Bica", "my dog Bica", "cat called Bica", "dog called Rex", "dog Rex")


def pets(request: ModelRequest) -> str:
    said = next(pet for pet in PETS if f"I have: {pet}." in request.user)
    fact = {"key": "user.pet", "object": said, "value_text": f"User has: {said}", "excerpt": f"I have: {said}", "confidence": 0.95}
    return json.dumps({"facts": [fact]})


@FEW
@given(said=st.lists(st.sampled_from(PETS), min_size=2, max_size=8), prefix=st.integers(0, 8), workers=st.integers(1, 3))
def test_what_repeats_in_other_words_is_the_same_however_far_the_vectors_are(said: list[str], prefix: int, workers: int) -> None:
    turns = [(f"I have: {pet}.", place) for place, pet in enumerate(said)]
    config: dict[str, object] = {"model_arbitrates": False, "novelty_cosine": 0.2}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:

        def opened(name: str, *, worker: bool) -> memdb.Memory:
            llm = LanguageModel(ScriptedModel(pets), name="pets", backoff=0)
            return stack.enter_context(memdb.open(Path(folder) / name, embedder="hashing-64", llm=llm, config={**config, "worker": worker}))

        several = [opened("shared.db", worker=True) for _ in range(workers)]
        for place in [*range(min(prefix, len(turns))), *range(len(turns))]:
            observe(several[place % workers], turns, place)
        assert all(mem.drain(timeout=60) for mem in several)
        once = opened("once.db", worker=False)
        for place in range(len(turns)):
            observe(once, turns, place)
            once.drain()
        assert remembered(several[0]) == remembered(once)
        held = [fact.object for fact in once.facts("ana", now="2025-06-01")]
        assert len({frozenset(pet.split()) - {"called", "named", "my"} for pet in said}) == len(held)


@pytest.mark.slow
@settings(max_examples=5)
@given(turns=TURNS, prefix=st.integers(0, 8))
def test_any_prefix_replayed_by_two_processes_at_once_gives_the_same(turns: list[tuple[str, int]], prefix: int) -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = Path(folder) / "shared.db"
        mem = stack.enter_context(memdb.open(path, embedder="hashing-16", llm=None, config={"worker": False}))
        for place in range(min(prefix, len(turns))):
            observe(mem, turns, place)
        command = [sys.executable, "-m", "tests.fickle", str(path)]
        both = [
            stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            for _ in range(2)
        ]
        for process in both:
            assert process.stdout
            assert process.stdout.readline() == "open\n"
        for place in range(len(turns)):
            observe(mem, turns, place)
        for process in both:
            process.communicate("go\n")
        assert [process.returncode for process in both] == [0, 0]
        assert remembered(mem) == straight(turns, Path(folder) / "once.db", llm=fickle(), embedder="hashing-16")


@FEW
@given(turns=TURNS, at_once=st.booleans())
def test_a_memory_is_rebuilt_from_its_turns_and_the_kept_calls_without_the_model(turns: list[tuple[str, int]], at_once: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder) / "old.db", Path(folder) / "new.db"
        with memdb.open(old, embedder="hashing-16", llm=fickle(), config={"worker": False}) as mem:
            for place in range(len(turns)):
                observe(mem, turns, place)
                assert at_once or mem.drain()
            assert mem.drain()
            then, calls = remembered(mem), mem.calls()
        replayed = replay(old, new)
        with memdb.open(new, embedder=None) as mem:
            assert remembered(mem) == then
            assert [call.raw for call in mem.calls()] == [call.raw for call in calls]
        assert (replayed.turns, replayed.turns_failed, replayed.unanswered, replayed.differing) == (len(turns), 0, 0, 0)


def test_a_long_text_is_split_the_same_way_in_a_replay(tmp_path: Path) -> None:
    def small(request: ModelRequest) -> str | Exception:
        text = unquoted(request.user.rpartition("\n\n")[2])
        return ContextTooLong("It is too long.") if len(text) > 450 else json.dumps({"facts": facts(text)})

    text = " ".join(f"I like thing{place}." for place in range(80))
    llm = LanguageModel(ScriptedModel(small), name="small", backoff=0)
    assert len(straight([(text, 0)], tmp_path / "old.db", llm=llm)[0]) == 80
    replayed = replay(tmp_path / "old.db", tmp_path / "new.db")
    assert (replayed.unanswered, replayed.differing) == (0, 0)
    assert replayed.answered > 8


def test_without_kept_calls_a_replay_is_left_to_the_rules_and_says_so(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "old.db", embedder=None, llm=fickle(), config={"worker": False, "keep_model_calls": False}) as mem:
        observe(mem, [("I live in Porto.", 0)], 0)
        mem.drain()
    replayed = replay(tmp_path / "old.db", tmp_path / "new.db")
    assert (replayed.answered, replayed.unanswered) == (0, 1)
    with memdb.open(tmp_path / "new.db", embedder=None, llm=None, config={"worker": False}) as mem:
        (turn,) = mem.turns("ana")
        assert (turn.extracted_by, [fact.object for fact in mem.facts("ana")]) == ("rules", ["Porto"])
        assert "No kept call answers this prompt (extract)" in (turn.error or "")


def test_a_replay_into_a_file_that_exists_is_refused(tmp_path: Path) -> None:
    straight([("I live in Porto.", 0)], tmp_path / "old.db")
    (tmp_path / "new.db").touch()
    with pytest.raises(memdb.InputError, match=r"new\.db exists; name a file that does not"):
        replay(tmp_path / "old.db", tmp_path / "new.db")


class Ending(OneMeaning):
    """Ends the process, or what it is at, when it is asked for the first vector."""

    def __init__(self, *, killed: bool) -> None:
        super().__init__()
        self.killed = killed

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if texts and self.killed:
            os.kill(os.getpid(), signal.SIGKILL)
        if texts:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_a_replay_that_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    straight([("I live in Porto.", 0)], tmp_path / "old.db")
    with pytest.raises(KeyboardInterrupt):
        replay(tmp_path / "old.db", tmp_path / "new.db", embedder=Ending(killed=False))
    assert [one.name for one in tmp_path.iterdir()] == ["old.db"]


def test_what_a_killed_replay_leaves_has_a_name_that_tells_so_and_the_next_says_what_to_do(tmp_path: Path) -> None:
    straight([("I live in Porto.", 0)], tmp_path / "old.db")
    code = "import sys, tests.test_replay as t; t.replay(t.Path(sys.argv[1]), t.Path(sys.argv[2]), embedder=t.Ending(killed=True))"
    command = [sys.executable, "-c", code, str(tmp_path / "old.db"), str(tmp_path / "new.db")]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert {one.name.removesuffix("-wal").removesuffix("-shm") for one in tmp_path.glob("new*")} == {"new.db.unfinished"}
    with pytest.raises(memdb.InputError, match=r"new\.db\.unfinished exists: .*; delete that file if nobody is"):
        replay(tmp_path / "old.db", tmp_path / "new.db")
    (tmp_path / "new.db.unfinished").unlink()
    assert replay(tmp_path / "old.db", tmp_path / "new.db").turns == 1


def test_a_replay_embeds_what_nothing_is_compared_with_many_texts_at_once(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "old.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for place in range(12):
            observe(mem, [("The trains.", place) for place in range(12)], place)
            mem.drain()
    replay(tmp_path / "old.db", tmp_path / "new.db", embedder=(embedder := OneMeaning()))
    assert embedder.asked == 1
    with memdb.open(tmp_path / "new.db", embedder=embedder, config={"worker": False}) as mem:
        assert (mem.vectors().written > 0, mem.vectors().waiting) == (True, 0)


def test_a_turn_is_thought_about_without_waiting_for_its_vectors(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), config={"worker": False}) as mem:
        observe(mem, [("I live in Porto.", 0)], 0)
        assert mem.drain(vectors=False)
        assert (mem.turns("ana")[0].status, mem.vectors().written, mem.vectors().waiting > 0) == ("done", 0, True)
        assert mem.drain()
        assert mem.vectors().waiting == 0


def test_what_upkeep_drew_is_no_difference(tmp_path: Path) -> None:
    straight([("I live in Porto.", 0), ("The trains.", 1)], tmp_path / "old.db")
    with memdb.open(tmp_path / "old.db", embedder=None, config={"worker": False}) as mem:
        assert mem.maintain(now="2026-01-01").episodes == 1
    assert replay(tmp_path / "old.db", tmp_path / "new.db").differing == 0


def test_what_was_remembered_by_hand_is_told_to_differ(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "old.db", embedder=None, llm=None, config={"worker": False}) as mem:
        observe(mem, [("I like jazz.", 0)], 0)
        mem.drain()
        mem.remember("User likes tea", user_id="ana", key="user.likes", object="tea")
    assert replay(tmp_path / "old.db", tmp_path / "new.db").differing == 1


def mem_turns(path: Path) -> dict[str, int]:
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        return mem.stats().turns_by_status


@pytest.mark.parametrize(("named", "differing"), [(None, 0), ("UTC", 1)], ids=["the file's zone", "a zone that is named"])
def test_a_replay_reads_times_in_the_zone_that_the_file_was_written_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None, differing: int
) -> None:
    with memdb.open(tmp_path / "old.db", embedder=None, llm=None, config={"worker": False, "timezone": "Europe/Lisbon"}) as mem:
        mem.observe("I moved to Porto yesterday.", user_id="ana", timestamp="2025-06-10T10:00")
        mem.drain()
        assert mem.stats().timezone == "Europe/Lisbon"
    if named:
        monkeypatch.setenv("MEMDB_TIMEZONE", named)
    told = replay(tmp_path / "old.db", tmp_path / "new.db", embedder=None)
    assert (told.turns, told.differing) == (1, 2 * differing)
