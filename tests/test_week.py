"""An agent lives through a week in ten processes, one of them killed, and knows at the end what it was told."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import memdb

ROOT = Path(__file__).parent.parent
WEEK = json.loads((ROOT / "tests" / "week.json").read_text(encoding="utf-8"))


def live(folder: Path, number: int) -> None:
    """One process's life: the session of that number."""
    day = WEEK[number]
    at = day["at"]
    page = folder / "memory.md"
    if "writes" in day:
        before, after = day["writes"]
        page.write_text(page.read_text(encoding="utf-8").replace(before, after, 1), encoding="utf-8")
    with memdb.open(folder / "mem.db", embedder=None, llm=None) as mem, mem.session("ana", f"session-{number}", now=at) as s:
        mem.consent("ana", sensitive_topics="keep")
        for text in day.get("says", ()):
            s.observe(text, "All right.")
        for thought in day.get("thinks", ()):
            s.working.add(thought, importance=0.7)
        if "learns" in day:
            mem.learn(*day["learns"], user_id="ana", session_id=s.session_id, timestamp=at)
        if "worked" in day:
            mem.outcome(mem.procedures("plan a dinner", user_id="ana", now=at)[0].fact_id, day["worked"], timestamp=at)
        if "confirms" in day:
            for fact in s.bootstrap.offered + tuple(mem.facts("ana", statuses=["pending_confirmation"])):
                mem.confirm(fact.fact_id, now=at)
        if "dies" in day:
            s.working.add("Never written down")
            signal.raise_signal(signal.SIGKILL)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an agent that lived through the week."""
    folder = tmp_path_factory.mktemp("agent")
    for number, day in enumerate(WEEK):
        ended = subprocess.run([sys.executable, "-m", "tests.test_week", str(folder), str(number)], cwd=ROOT, check=False)
        assert ended.returncode == (-signal.SIGKILL if "dies" in day else 0), number
    return folder


def test_it_knows_what_it_was_told_and_what_is_so_no_longer(agent: Path) -> None:
    with memdb.open(agent / "mem.db", embedder=None) as mem:
        held = {fact.key: fact.object for fact in mem.facts("ana", kinds=["fact"], statuses=["active"], now="2025-03-10")}
        once = mem.facts("ana", key="user.lives_in", as_of="2025-03-04")[0].object
    assert held["user.name"] == "Ana"
    assert held["user.allergic_to"] == "peanuts"
    assert held["user.sister"] == "Rita"
    assert held["user.likes"] == "fado"
    assert held["user.lives_in"] == "Lisbon, near the river"
    assert once == "Porto"


def test_every_word_is_there_also_of_the_session_that_was_killed(agent: Path) -> None:
    with memdb.open(agent / "mem.db", embedder=None) as mem:
        said = [fact.value_text for fact in mem.facts("ana", kinds=["message"]) if fact.speaker == "user"]
        accounts = [fact.session_id for fact in mem.facts("ana", kinds=["episode"]) if "session" in fact.tags]
    assert sorted(said) == sorted(text for day in WEEK for text in day.get("says", ()))
    assert {"session-0", "session-3", "session-9"} <= set(accounts)


def test_only_what_was_in_mind_alone_died_with_its_process(agent: Path) -> None:
    everything = b"".join(path.read_bytes() for path in agent.iterdir())
    assert b"Never written down" not in everything
    assert b"Prefers answers in three sentences" in everything


def test_the_procedure_it_learned_has_its_record(agent: Path) -> None:
    with memdb.open(agent / "mem.db", embedder=None) as mem:
        (plan,) = mem.procedures("plan a dinner for friends", user_id="ana", now="2025-03-10")
    assert (plan.successes, plan.failures, plan.success_rate) == (2, 0, 1.0)


def test_the_page_it_ends_with_is_told(agent: Path) -> None:
    page = (agent / "memory.md").read_text(encoding="utf-8")
    shown = re.search(r"```markdown\n(.*?)```", (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    assert shown[1] == page


@pytest.mark.slow
def test_living_it_again_gives_the_same_page(agent: Path, tmp_path: Path) -> None:
    for number, day in enumerate(WEEK):
        ended = subprocess.run([sys.executable, "-m", "tests.test_week", str(tmp_path), str(number)], cwd=ROOT, check=False)
        assert ended.returncode == (-signal.SIGKILL if "dies" in day else 0)
    assert (tmp_path / "memory.md").read_text() == (agent / "memory.md").read_text()


if __name__ == "__main__":
    live(Path(sys.argv[1]), int(sys.argv[2]))
