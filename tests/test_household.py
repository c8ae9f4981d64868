"""The made-up household, the commands of first-person memories, and their demo."""

from __future__ import annotations

import json
import shlex
import sqlite3
from datetime import date
from pathlib import Path

import pytest

import memdb
from memdb import Maintained
from memdb.interfaces.experience import Recalled
from memdb.interfaces.household import household_events, household_questions, read_household
from tests.commands import ok, run


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Three evenings on which Rui asked for warmer lights, told."""
    path = tmp_path / "mem.db"
    for day in (3, 4, 5):
        ok("event", "Rui asked for warmer lights", "--user", "silva", "--participants", "Rui, Joana", "--location", "living room",
           "--timestamp", f"2025-03-{day:02}T18:00:00Z", "--importance", "0.7", "--event-id", f"e{day}", "--db", path)  # fmt: skip
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:  # a worker would archive what is so old
        assert len(mem.narrate(now="2025-03-06")) == 3
    return path


def test_the_same_seed_gives_the_same_days_in_the_order_of_time_and_another_gives_others() -> None:
    house = read_household()
    days = [list(household_events(house, first=date(2025, 3, 3), days=14, seed=seed)) for seed in (1, 1, 2)]
    assert days[0] == days[1] != days[2]
    assert [event.timestamp for event in days[0]] == sorted(event.timestamp for event in days[0])
    assert len({event.event_id for event in days[0]}) == len(days[0]) > 100


def test_every_question_about_the_household_has_its_evidence_among_the_events() -> None:
    house = read_household()
    events = list(household_events(house, first=date(2025, 3, 3), days=60))
    questions = household_questions(house, events)
    assert len(questions) == len(house.singles) + len(house.asks)
    assert all(question.event_ids <= {event.event_id for event in events} for question in questions)


def test_an_event_of_the_command_line_is_told_and_recalled(db: Path) -> None:
    told = Recalled.model_validate_json(
        ok("recall", "lights", "--user", "silva", "--db", db, "--embedder", "none", "--now", "2025-03-06", "--json")
    )
    assert {event.event_id for events in told.events for event in events} == {"e3", "e4", "e5"}
    lines = ok("recall", "lights", "--user", "silva", "--db", db, "--embedder", "none", "--now", "2025-03-06", "--limit", "1").splitlines()
    assert lines[0].split("\t")[1] == "PREFERENCE"
    assert "Rui asked for warmer lights" in lines[0].split("\t")[3]


def test_what_is_due_is_told_before_it_is_recalled(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    told = ok(
        "event",
        "Rui asked for warmer lights",
        "--user",
        "silva",
        "--event-id",
        "e1",
        "--timestamp",
        "2025-03-05T18:00:00Z",
        "--json",
        "--db",
        path,
    )
    assert json.loads(told) == {"event_id": "e1"}
    recall = ("recall", "lights", "--user", "silva", "--db", path, "--embedder", "none", "--now")
    assert "warmer lights" not in ok(*recall, "2025-03-05T18:05:00Z")
    assert "warmer lights" in ok(*recall, "2025-03-06")


def test_what_is_told_for_recall_is_found_by_meaning_too(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    ok("event", "Rui asked for warmer lights", "--user", "silva", "--timestamp", "2025-03-05T18:00:00Z", "--db", path)
    recall = ("recall", "lights", "--user", "silva", "--db", path, "--now", "2025-03-06", "--json", "--embedder")
    told = Recalled.model_validate_json(ok(*recall, "hashing-64"))
    assert told.degraded is None
    assert told.memories[0].parts["cosine"] > 0
    assert "without an embedder" in str(Recalled.model_validate_json(ok(*recall, "none")).degraded)


def test_a_dry_run_says_what_maintain_then_does(db: Path) -> None:
    tried = Maintained.model_validate_json(ok("maintain", "--dry-run", "--db", db, "--now", "2025-03-06", "--json"))
    done = Maintained.model_validate_json(ok("maintain", "--db", db, "--now", "2025-03-06", "--json"))
    assert (tried.consolidated, tried.dry_run) == (done.consolidated, True) == (3, True)
    assert "consolidated\t0" in ok("maintain", "--db", db, "--now", "2025-03-06")
    assert "archive" in ok("history", "--user", "silva", "--db", db)


def test_a_dry_run_tells_no_memory_and_reads_no_turn(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.event("Rui made coffee", user_id="silva", timestamp="2025-03-03T07:00:00Z")
        mem.observe("I live in Porto.", user_id="silva", timestamp="2025-03-03T07:00:00Z")
    ok("maintain", "--dry-run", "--db", tmp_path / "mem.db")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        assert (mem.facts("silva"), mem.stats().turns_by_status) == ([], {"queued": 1})


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("event", "Rui came", "--user", "silva", "--trigger", "doorbell"), 2, "field trigger"),
        (("event", " ", "--user", "silva"), 2, "description is empty"),
        (("event", "Rui came", "--user", "silva", "--importance", "2"), 2, "--importance"),
        (("recall", "lights", "--user", "silva", "--types", "HABIT"), 2, "memory_types is 'HABIT'; give one of SIGNIFICANT"),
        (("maintain", "--now", "soon"), 2, "'soon' is not a time"),
    ],
)
def test_wrong_usage_is_one_sentence(db: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = run(*arguments, "--db", db)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_there_is_no_recalling_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    for command in (("recall", "lights", "--user", "silva"), ("maintain",)):
        assert "There is no memory at" in run(*command, "--db", tmp_path / "none.db").stderr
    assert list(tmp_path.iterdir()) == []


def test_the_household_demo_tells_of_events_memories_patterns_and_fading(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    told = ok("demo", "--household", "--db", path, "--embedder", "hashing-384")
    for heading in (
        "How events become memories",
        "The nights",
        "What was learned from repetition",
        "Questions",
        "If nothing more happened",
    ):
        assert heading in told
    assert "I've learned a pattern of" in told
    queries = [shlex.split(line)[2] for line in told.splitlines() if line.startswith("  sqlite3 ")]
    shell = sqlite3.connect(path)
    assert [bool(shell.execute(query).fetchall()) for query in queries] == [True, True]
    shell.close()
    (recalls,) = [shlex.split(line)[1:] for line in told.splitlines() if line.startswith("  memdb recall ")]
    assert "Joana" in ok(*recalls, "--embedder", "hashing-384")


def test_the_household_demo_replaces_its_own_file_and_no_other(tmp_path: Path, db: Path) -> None:
    for _ in range(2):
        ok("demo", "--household", "--db", tmp_path / "m.db", "--embedder", "none")
    before = db.read_bytes()
    refused = run("demo", "--household", "--db", db, "--embedder", "none")
    assert refused.exit_code == 2
    assert "holds more than this demo" in refused.stderr
    assert db.read_bytes() == before
    with memdb.open(db, embedder=None, config={"worker": False}) as mem:
        assert len(mem.facts("silva")) == 3


def test_the_shipped_household_is_json_that_names_no_one_twice() -> None:
    house = json.loads((Path(memdb.__file__).parent / "data" / "household.json").read_text(encoding="utf-8"))
    said = [one["what"] for one in house["singles"] + house["routines"]]
    assert len(said) == len(set(said))
