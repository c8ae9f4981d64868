"""However often and by however many it is replayed, a conversation leaves the same memory."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import memdb

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
FEW = settings(max_examples=12, deadline=None)


def observe(mem: memdb.Memory, turns: Sequence[tuple[str, int]], place: int) -> None:
    text, day = turns[place]
    stamp = f"2025-{3 + day // 28:02}-{1 + day % 28:02}T10:{place:02}:00Z"
    mem.observe(text, user_id="ana", turn_id=f"t{place}", session_id=f"s{place // 3}", timestamp=stamp)


def remembered(mem: memdb.Memory) -> tuple[list[dict[str, object]], list[dict[str, object]], str]:
    every = ("active", "pending_confirmation", "superseded", "expired")
    facts = [fact.model_dump(exclude={"embedding_id"}) for fact in mem.facts("ana", statuses=every, now="2025-06-01")]  # type: ignore[arg-type]
    history = [change.model_dump() for change in mem.history(user_id="ana")]
    return facts, history, mem.profile("ana", now="2025-06-01").model_dump_json()


def straight(turns: Sequence[tuple[str, int]], path: Path) -> tuple[list[dict[str, object]], list[dict[str, object]], str]:
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
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


def mem_turns(path: Path) -> dict[str, int]:
    with memdb.open(path, embedder=None, config={"worker": False}) as mem:
        return mem.stats().turns_by_status
