"""Memories fade by the specified formulas; maintenance archives, deletes and consolidates, makes up for missed nights, and survives a kill."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import memdb
from memdb.config import Config
from memdb.database import Database
from memdb.embed import HashingEmbedder
from memdb.files import statement
from memdb.steps.compose import Composed
from memdb.steps.materialize import materialize
from memdb.store import Store
from memdb.times import to_text

ROOT = Path(__file__).parent.parent
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
TYPES = {"SIGNIFICANT": (1.0, 3.0), "PREFERENCE": (0.8, 2.0), "ROUTINE": (0.6, 1.5), "OBSERVATION": (0.5, 1.0), "TRANSIENT": (0.3, 0.5)}
"""The specification's table: weight and retention multiplier."""


def effective_importance(
    importance: float, memory_type: str, days: float, accesses: int, *, half_life: float = 30.0, floor: float = 0.05, cap: float = 1.0
) -> float:
    """The specification's formulas in Python, written without a look at the SQL."""
    weight, retention = TYPES[memory_type]
    decay = max(floor, 0.5 ** (max(0.0, days) / (half_life * retention)))
    access_bonus = min(1.0, 0.5 + math.log(1 + accesses) * 0.1)
    return float(max(floor, min(cap, importance * weight * decay * access_bonus)))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    store = Store(tmp_path_factory.mktemp("fading") / "mem.db", Config(), vectors=False)
    yield store.database()
    store.close()


def remember(db: Database, number: int, memory_type: str, importance: float, days: float, accesses: int, *, accessed: bool) -> str:
    """A memory last touched some days before NOW: by an access, or by its making."""
    touched = to_text(NOW - timedelta(days=days))
    made = to_text(NOW - timedelta(days=days + 200)) if accessed else touched
    db.connection.execute(
        "insert into facts (fact_id, user_id, kind, key, value_text, memory_type, confidence, importance, valid_from, status, source_turn_id,"
        " source_excerpt, created_at, updated_at, last_accessed, access_count)"
        " values (?, 'home', 'narrative', 'household.experience', 'Rui made coffee', ?, 0.7, ?, ?, 'active', 's', 's', ?, ?, ?, ?)",
        (f"f{number}", memory_type, importance, made, made, made, touched if accessed else None, accesses),
    )
    return f"f{number}"


share = st.floats(0, 1, allow_nan=False)
memory = st.tuples(st.sampled_from(sorted(TYPES)), share, st.floats(0, 2_000), st.integers(0, 100_000), st.booleans())


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(memories=[("ROUTINE", 0.5, -30.0, 3, True)], half_life=None, floor=0.05, cap=1.0)  # recalled before the clock was set back
@given(
    memories=st.lists(memory, min_size=1, max_size=8),
    half_life=st.none() | st.floats(0.5, 400),
    floor=st.floats(0, 0.5),
    cap=st.floats(0.5, 1),
)
def test_the_statement_and_the_specification_agree(
    database: Database, memories: list[tuple[str, float, float, int, bool]], half_life: float | None, floor: float, cap: float
) -> None:
    with database.transaction():
        for number, (memory_type, importance, days, accesses, accessed) in enumerate(memories):
            remember(database, number, memory_type, importance, days, accesses, accessed=accessed)
    config = {"minimum_importance": floor, "max_importance": cap, "base_half_life_days": half_life}
    changed = database.run("maintain.decay", user_id=None, since="", now=to_text(NOW), fact_ids=None, **config)
    stored = {str(row[0]): row[1] for row in database.connection.execute("select fact_id, effective_importance from facts").fetchall()}
    database.connection.execute("delete from facts")
    assert changed == len(memories)
    for number, (memory_type, importance, days, accesses, _accessed) in enumerate(memories):
        wanted = effective_importance(importance, memory_type, days, accesses, half_life=half_life or 30.0, floor=floor, cap=cap)
        assert stored[f"f{number}"] == pytest.approx(wanted, abs=1e-6)  # times are kept to the millisecond


@settings(max_examples=40)
@given(memory=memory)
def test_the_query_that_ranks_reckons_the_same_decay_bonus_and_weight(
    tmp_path_factory: pytest.TempPathFactory, memory: tuple[str, float, float, int, bool]
) -> None:
    memory_type, importance, days, accesses, accessed = memory
    path = tmp_path_factory.mktemp("ranked") / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False}) as mem:
        remember(mem._store.database(), 1, memory_type, importance, days, accesses, accessed=accessed)
        (hit,) = mem.recall("coffee", user_id="home", now=NOW + timedelta(minutes=10), max_age_days=0, min_score=0.0)
    weight, retention = TYPES[memory_type]
    decay = max(0.05, 0.5 ** ((days + 10 / 1440) / (30.0 * retention)))
    assert hit.parts["decay"] == pytest.approx(decay, abs=1e-6)
    assert hit.parts["access_bonus"] == pytest.approx(min(1.0, 0.5 + math.log(1 + accesses) * 0.1))
    assert hit.parts["importance"] == pytest.approx(importance * weight * decay, abs=1e-6)


@settings(max_examples=60)
@given(
    importance=share,
    memory_type=st.sampled_from(sorted(TYPES)),
    days=st.floats(0, 900),
    more=st.floats(0, 900),
    accesses=st.integers(0, 500),
)
def test_with_time_a_memory_only_fades_and_with_accesses_it_only_grows(
    importance: float, memory_type: str, days: float, more: float, accesses: int
) -> None:
    now = effective_importance(importance, memory_type, days, accesses)
    assert 0.05 <= effective_importance(importance, memory_type, days + more, accesses) <= now <= 1.0
    assert effective_importance(importance, memory_type, days, accesses + 1) >= now


def test_an_access_adds_its_reinforcement_up_to_the_cap(database: Database) -> None:
    fact_id = remember(database, 1, "ROUTINE", 0.6, 0, 0, accessed=False)
    for times, cap, wanted in ((1, 0.95, 0.7), (1, 0.95, 0.8), (1, 0.95, 0.9), (3, 0.95, 0.95), (1, 0.95, 0.95), (2, 0.5, 0.95)):
        at = to_text(NOW - timedelta(days=times))
        database.run("maintain.reinforce", fact_id=fact_id, times=times, at=at, max_importance=cap, access_reinforcement=0.1)
        assert database.connection.execute("select importance from facts").fetchall() == [(wanted,)]
    accessed = database.connection.execute("select access_count, last_accessed from facts").fetchall()
    assert accessed == [(9, to_text(NOW - timedelta(days=1)))]  # the latest, whichever is written down last
    database.connection.execute("delete from facts")


@pytest.mark.parametrize("name", ["decay", "archive", "delete", "due", "repeatable"])
def test_maintenance_looks_at_memories_and_at_nothing_else_of_the_file(database: Database, name: str) -> None:
    sql = statement(f"maintain.{name}")
    plan = database.connection.execute(f"explain query plan {sql}", dict.fromkeys(re.findall(r":(\w+)", sql), "")).fetchall()
    assert "USING INDEX facts_narrative" in " ".join(str(row[3]) for row in plan)
    assert "facts_status" not in " ".join(str(row[3]) for row in plan)


# maintenance

QUIET = {"worker": False, "timezone": "Europe/Lisbon"}


def week(mem: memdb.Memory, *, days: int = 5, first: int = 1) -> None:
    """Mornings that are alike, and one thing a day that is not."""
    odd = ("Joana baked a cake", "Rui repaired the bicycle", "Mila fed a hedgehog", "Rui painted the fence", "Joana sewed a dress")
    for day in range(first, first + days):
        date = f"2025-03-{day:02}"
        mem.event("Rui made coffee", user_id="home", timestamp=f"{date}T07:00:00Z", participants=["Rui"], event_id=f"{date}-c")
        mem.event("Rui read the newspaper", user_id="home", timestamp=f"{date}T07:20:00Z", participants=["Rui"], event_id=f"{date}-n")
        text = odd[day % len(odd)]
        mem.event(text, user_id="home", timestamp=f"{date}T19:00:00Z", participants=[text.split()[0]], event_id=f"{date}-o")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[memdb.Memory]:
    with memdb.open(tmp_path / "house.db", embedder=HashingEmbedder(32), llm=None, config=QUIET) as memory:
        week(memory)
        memory.narrate(now="2025-03-06T00:00:00Z")
        yield memory


def state(mem: memdb.Memory) -> list[tuple[object, ...]]:
    facts = mem.facts("home", statuses=["active", "archived"])
    return [(fact.fact_id, fact.status, fact.value_text, fact.importance, fact.effective_importance, fact.updated_at) for fact in facts]


def test_repeated_experiences_become_a_pattern_and_stay_findable_through_it(house: memdb.Memory) -> None:
    done = house.maintain(now="2025-03-06T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    assert done.consolidated == 5
    assert pattern.value_text.startswith(
        "I've learned a pattern of the mornings: Rui made coffee; Rui read the newspaper. I have noticed it 5 times."
    )
    sources = house.sources(pattern.fact_id)
    assert [fact.status for fact in sources.memories] == ["archived"] * 5
    assert len(sources.events) == 10
    assert all(isinstance(fact.value_json, dict) and fact.value_json["consolidated"] == 1 for fact in sources.memories)
    house.drain()
    found = house.recall("coffee in the morning", user_id="home", now="2025-03-06T12:30:00Z")
    assert [hit.fact.fact_id for hit in found if "coffee" in hit.fact.value_text] == [pattern.fact_id]


def test_what_went_into_a_rejected_pattern_stands_again_and_goes_into_no_other(house: memdb.Memory) -> None:
    house.maintain(now="2025-03-06T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    house.reject(pattern.fact_id)
    assert house.maintain(now="2025-03-07T12:00:00Z").patterns == 0
    assert house.facts("home", key="household.pattern") == []
    parts = house.sources(pattern.fact_id).memories
    assert [(fact.status, fact.value_json["consolidated"]) for fact in parts if isinstance(fact.value_json, dict)] == [("active", 0)] * 5
    assert house.history(fact_id=parts[0].fact_id)[-1].reason == f"the pattern {pattern.fact_id} was never so"


def test_what_went_into_a_rejected_pattern_fades_and_is_deleted_by_itself(house: memdb.Memory) -> None:
    house.maintain(now="2025-03-06T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    house.reject(pattern.fact_id)
    house.maintain(now="2026-01-06T12:00:00Z")
    assert house.facts("home", statuses=["active", "archived"]) == []


def test_what_is_seen_again_goes_into_the_pattern_there_is(house: memdb.Memory) -> None:
    house.maintain(now="2025-03-06T12:00:00Z")
    week(house, days=3, first=6)
    house.narrate(now="2025-03-09T00:00:00Z")
    house.maintain(now="2025-03-09T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    sources = house.sources(pattern.fact_id)
    assert (pattern.seen_count, len(sources.events)) == (8, 16)
    assert "8 times" in pattern.value_text
    reasons = {change.reason for memory in sources.memories for change in house.history(fact_id=memory.fact_id)}
    assert reasons == {"told by rules", f"consolidated into the pattern {pattern.fact_id}"}


def test_a_pattern_becomes_as_important_as_what_is_seen_again(house: memdb.Memory) -> None:
    house.maintain(now="2025-03-06T12:00:00Z")
    (before,) = house.facts("home", key="household.pattern")
    for text in ("Rui made coffee", "Rui read the newspaper"):
        house.event(text, user_id="home", timestamp="2025-03-06T07:00:00Z", participants=["Rui"], importance=0.65)
    (seen,) = house.narrate(now="2025-03-07T00:00:00Z")
    house.maintain(now="2025-03-07T12:00:00Z")
    (after,) = house.facts("home", key="household.pattern")
    assert before.importance < after.importance == pytest.approx(seen.importance + 0.1)
    for text in ("Rui made coffee", "Rui read the newspaper"):
        house.event(text, user_id="home", timestamp="2025-03-07T07:00:00Z", participants=["Rui"], importance=0.2)
    house.narrate(now="2025-03-08T00:00:00Z")
    house.maintain(now="2025-03-08T12:00:00Z")
    (again,) = house.facts("home", key="household.pattern")
    assert (again.seen_count, again.importance) == (7, after.importance)


def test_a_pattern_that_is_seen_again_is_fresh_as_if_it_were_recalled(house: memdb.Memory) -> None:
    def seen_again(day: int) -> memdb.Fact:
        for text in ("Rui made coffee", "Rui read the newspaper"):
            house.event(text, user_id="home", timestamp=f"2025-03-{day:02}T07:00:00Z", participants=["Rui"])
        house.narrate(now=f"2025-03-{day:02}T16:00:00Z")
        house.maintain(user_id="home", now=f"2025-03-{day:02}T18:00:00Z")
        (pattern,) = house.facts("home", key="household.pattern")
        return pattern

    house.maintain(user_id="home", now="2025-03-06T12:00:00Z")
    pattern = seen_again(7)
    night = datetime(2025, 3, 7, 18, tzinfo=UTC)
    assert (pattern.seen_count, pattern.last_accessed, pattern.last_mentioned_at, pattern.updated_at) == (6, night, night, night)
    house.recall("coffee in the morning", user_id="home", min_score=0.0, now="2025-03-09T18:00:00Z")
    pattern = seen_again(8)
    assert (pattern.seen_count, pattern.last_accessed) == (7, night + timedelta(days=2))


def test_what_went_into_a_pattern_stays_as_long_as_the_pattern(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "archive_threshold": 0.0}) as mem:
        for day in (2, 3, 4):
            mem.event("Rui made coffee", user_id="home", timestamp=f"2025-03-0{day}T07:00:00Z", participants=["Rui"])
        mem.narrate(now="2025-03-05T00:00:00Z")
        mem.maintain(user_id="home", now="2025-03-05T12:00:00Z")
        (pattern,) = mem.facts("home", key="household.pattern")
        told = mem.history(user_id="home")
        assert mem.maintain(user_id="home", now="2026-03-05T12:00:00Z").deleted == 0
        kept = mem.sources(pattern.fact_id).memories
        assert [(fact.status, to_text(fact.updated_at)) for fact in kept] == [("archived", "2025-03-05T12:00:00.000Z")] * 3
        assert mem.history(user_id="home") == told


def test_what_went_into_a_pattern_is_deleted_with_it_and_maintenance_done_again_does_nothing_more(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for day in (2, 3, 4):
            mem.event("Rui made coffee", user_id="home", timestamp=f"2025-03-0{day}T07:00:00Z", participants=["Rui"])
        mem.narrate(now="2025-03-05T00:00:00Z")
        for now in ("2025-03-05T12:00:00Z", "2025-07-05T12:00:00Z"):  # a pattern is made, and archived
            mem.maintain(user_id="home", now=now)
        assert [mem.maintain(user_id="home", now="2025-10-05T12:00:00Z").deleted for _ in range(2)] == [4, 0]
        assert len([change for change in mem.history(user_id="home") if change.reason.startswith("deleted")]) == 4


def test_what_happened_once_is_not_blurred_into_what_happens_always(house: memdb.Memory) -> None:
    for clock, said in (("07:00", "Rui made coffee"), ("07:10", "Rui burned the kitchen curtain"), ("07:20", "Rui read the newspaper")):
        house.event(said, user_id="home", timestamp=f"2025-03-06T{clock}:00Z", participants=["Rui"])
    house.narrate(now="2025-03-06T12:00:00Z")
    house.maintain(now="2025-03-06T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    assert pattern.seen_count == 5
    assert [fact.status for fact in house.facts("home") if "curtain" in fact.value_text] == ["active"]


def test_a_pattern_takes_in_what_it_has_known_from_the_start(house: memdb.Memory) -> None:
    for day in (6, 7, 8):
        house.event("Rui fed the cat", user_id="home", timestamp=f"2025-03-0{day}T07:10:00Z", participants=["Rui"])
        week(house, days=1, first=day)
    house.narrate(now="2025-03-09T00:00:00Z")
    house.maintain(now="2025-03-09T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    house.event("Rui fed the cat", user_id="home", timestamp="2025-03-10T07:10:00Z", participants=["Rui"])
    week(house, days=1, first=10)
    house.narrate(now="2025-03-11T00:00:00Z")
    house.maintain(now="2025-03-11T12:00:00Z")
    (grown,) = house.facts("home", key="household.pattern")
    assert (pattern.seen_count, grown.seen_count, grown.fact_id) == (8, 9, pattern.fact_id)
    assert "cat" not in grown.value_text  # it is told of what at least half of them tell


def test_what_matters_most_is_never_blurred_into_a_pattern(mem: memdb.Memory) -> None:
    for day in range(1, 6):
        mem.event("Mila's birthday was celebrated", user_id="home", timestamp=f"2024-05-0{day}T15:00:00Z", participants=["Mila"])
    mem.narrate(now="2024-05-06T00:00:00Z")
    assert {fact.memory_type for fact in mem.facts("home", kinds=["narrative"])} == {"SIGNIFICANT"}
    assert mem.maintain(now="2024-05-06T12:00:00Z").patterns == 0


def test_faded_memories_are_archived_with_the_reason_and_deleted_after_ninety_days(house: memdb.Memory) -> None:
    house.maintain(now="2025-03-06T12:00:00Z")
    assert house.maintain(now="2025-04-15T12:00:00Z").archived > 0
    faded = [fact for fact in house.facts("home", statuses=["archived"]) if fact.value_json["consolidated"] == 0]  # type: ignore[index,call-overload]
    assert faded
    change = house.history(fact_id=faded[0].fact_id)[-1]
    assert (change.operation, change.before, change.reason[:8]) == ("archive", None, "faded to")
    assert all(fact.effective_importance < 0.10 for fact in faded)
    house.maintain(now="2025-07-10T12:00:00Z")
    left = {fact.fact_id for fact in house.facts("home", statuses=["active", "archived"])}
    assert not left & {fact.fact_id for fact in faded}
    change = house.history(fact_id=faded[0].fact_id)[-1]
    assert (change.operation, change.before, change.reason[:7]) == ("archive", None, "deleted")


def test_what_is_told_and_told_anew_stands_in_the_history(house: memdb.Memory) -> None:
    (told, *_) = house.facts("home", kinds=["narrative"])
    (made,) = house.history(fact_id=told.fact_id)
    assert (made.operation, made.before, made.turn_id, made.reason) == ("insert", None, told.source_turn_id, "told by rules")
    assert made.after is not None
    assert (made.after.value_text, made.changed_at) == (told.value_text, told.created_at)
    house.maintain(user_id="home", now="2025-03-06T12:00:00Z")
    week(house, days=1, first=6)
    house.narrate(now="2025-03-07T00:00:00Z")
    house.maintain(user_id="home", now="2025-03-07T12:00:00Z")
    (pattern,) = house.facts("home", key="household.pattern")
    found, grown = house.history(fact_id=pattern.fact_id)
    assert (found.operation, found.reason, grown.operation, grown.reason) == ("insert", "found in 5 memories", "update", "seen again")
    assert found.after is not None
    assert grown.before is not None
    assert grown.after is not None
    assert found.after.value_text == grown.before.value_text != grown.after.value_text == pattern.value_text
    profile = materialize(
        house._store.database(), user_id="home", now=(now := datetime(2025, 3, 8, tzinfo=UTC)), said_by=now, config=house.config
    )
    assert profile.recent_changes == []  # nothing is new of the user


def test_of_a_memory_that_was_deleted_the_history_keeps_no_word(tmp_path: Path) -> None:
    calls = ['{"content": "I noticed Rui frying zucchini; it seems he likes that.", "memory_type": "TRANSIENT", "importance": 0.3}']
    llm = memdb.LanguageModel(memdb.ScriptedModel(calls), name="script", attempts=1)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=QUIET) as mem:
        mem.event("Rui fried zucchini", user_id="home", timestamp="2025-03-01T10:00:00Z", participants=["Rui"])
        mem.narrate(now="2025-03-02T00:00:00Z")
        stated = {"user_id": "ana", "key": "garden.seen", "kind": "narrative", "timestamp": "2025-03-01T10:00:00Z"}
        mem.remember("The zucchini were ripe", turn_id="t1", **stated)  # type: ignore[arg-type]
        mem.remember("The zucchini were ripe at last", turn_id="t2", **stated)  # type: ignore[arg-type]
        assert len(mem.calls("home")) == 1
        mem.maintain(now="2025-12-01T00:00:00Z")
        mem.maintain(now="2026-12-01T00:00:00Z")
        assert mem.facts("home", statuses=["active", "archived"]) == mem.facts("ana", statuses=["active", "archived"]) == []
        kept = [*mem.history(user_id="home"), *mem.history(user_id="ana")]
        assert {change.operation for change in kept} >= {"insert", "archive"}
        assert all(change.before is None and change.after is None and "zucchini" not in change.reason for change in kept)
        assert mem.calls("home") == []
        db = mem._store.database().connection
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            db.execute("update fact_history set reason = ''")


def test_a_night_of_one_user_leaves_the_others_as_they_are(mem: memdb.Memory) -> None:
    def held(user: str) -> tuple[list[memdb.Fact], list[memdb.Change]]:
        return mem.facts(user, kinds=["narrative"], statuses=["active", "archived"]), mem.history(user_id=user)

    for user in ("cabin", "home"):
        for day, text in enumerate((*["Rui made coffee"] * 3, "Rui fed the cat"), start=2):
            importance = 0.1 if "cat" in text else None
            mem.event(text, user_id=user, timestamp=f"2025-03-0{day}T07:00:00Z", participants=["Rui"], importance=importance)
    mem.narrate(now="2025-03-06T00:00:00Z")
    before = held("cabin")
    done = mem.maintain(user_id="home", now="2025-03-06T12:00:00Z")
    assert (done.patterns, done.archived) == (1, 1)
    assert mem.maintain(user_id="home", now="2027-03-05T12:00:00Z").archived > 0
    assert held("cabin") == before
    assert mem.maintain(user_id="cabin", now="2027-03-06T12:00:00Z").archived > 0
    before = held("cabin")
    assert mem.maintain(user_id="home", now="2028-03-05T12:00:00Z").deleted > 0
    assert held("cabin") == before


def test_memories_fade_as_the_settings_say(tmp_path: Path) -> None:
    settings = {
        "worker": False,
        "base_half_life_days": 2.0,
        "minimum_importance": 0.2,
        "archive_threshold": 0.3,  # what has not faded below it stays
        "delete_archived_after_days": 5,
    }

    def night(day: int, cap: float) -> float:
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={**settings, "max_importance": cap}) as mem:
            mem.maintain(user_id="home", now=f"2025-03-{day:02}T12:00:00Z")
            (fact,) = mem.facts("home", kinds=["narrative"], statuses=["active", "archived"])
        days = (datetime(2025, 3, day, 12, tzinfo=UTC) - fact.created_at) / timedelta(days=1)
        wanted = effective_importance(fact.importance, str(fact.memory_type), days, 0, half_life=2.0, floor=0.2, cap=cap)
        assert fact.effective_importance == pytest.approx(wanted, abs=1e-6)
        return fact.effective_importance

    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=settings) as mem:
        mem.event("We got married!", user_id="home", timestamp="2025-03-02T07:00:00Z", participants=["Rui"], importance=1.0)
        mem.narrate(now="2025-03-03T00:00:00Z")
    assert 0.3 < night(3, 1.0) < 0.5
    assert (night(3, 0.3), night(24, 1.0)) == (0.3, 0.2)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=settings) as mem:
        assert mem.maintain(user_id="home", now="2025-03-29T11:59:59Z").deleted == 0
        assert mem.maintain(user_id="home", now="2025-03-29T12:00:00Z").deleted == 1


def test_a_memory_that_the_application_states_in_its_own_shape_only_fades(mem: memdb.Memory) -> None:
    stated = [
        mem.remember(
            f"The sea was calm {day}", user_id="home", kind="narrative", value_json={"mood": day}, timestamp=f"2025-03-0{day}T08:00:00Z"
        )
        for day in range(1, 5)
    ]
    assert mem.maintain(now="2025-03-05T12:00:00Z").patterns == 0
    assert mem.sources(stated[0].fact_id) == memdb.Sources(events=(), memories=())
    assert mem.maintain(now="2025-12-05T12:00:00Z").archived > 0


@pytest.mark.parametrize(
    ("details", "wrong"),
    [
        ({"participants": "Rui"}, "field participants: give a list"),
        ({"participants": ["Rui", 7]}, "field participants.1: give a text"),
        ({"emotion": "furious"}, "field emotion: give 'neutral', "),
        ({"location": 7}, "field location: give a text"),
        ({"time_of_day": "noon"}, "field time_of_day: "),
        ({"segment_start": "2025-03-01T08:00:00"}, "field segment_start: give the time with its time zone"),
    ],
)
def test_details_of_a_memory_that_say_something_else_than_they_mean_are_refused(
    mem: memdb.Memory, details: dict[str, object], wrong: str
) -> None:
    said = f"The value_json of a first-person memory cannot be stored: {wrong}"
    with pytest.raises(memdb.InputError, match=re.escape(said)):
        mem.remember("The sea was calm", user_id="home", kind="narrative", value_json=details)  # type: ignore[arg-type]
    with pytest.raises(memdb.InputError, match=re.escape(said)):
        mem.remember_many([{"value_text": "The sea was calm", "user_id": "home", "kind": "narrative", "value_json": details}])
    assert mem.facts("home") == []
    mem.remember("The sea was calm", user_id="home", kind="narrative", value_json={"emotion": None, "participants": ["Rui"], "mood": 7})
    mem.remember("The sea was calm", user_id="home", value_json=details)  # type: ignore[arg-type]


def test_a_dry_run_counts_what_was_recalled_and_does_not_write_it_down(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=QUIET) as mem:
        mem.event("Rui painted the fence", user_id="home", timestamp="2025-03-01T10:00:00Z", importance=0.4)
        (fact,) = mem.narrate(now="2025-03-02")
        assert mem.recall("fence", user_id="home", now="2025-04-01")
        before = b"".join(path.read_bytes() for path in sorted(tmp_path.glob("mem.db*")) if not path.name.endswith("-shm"))
        told = mem.maintain(user_id="home", now="2025-04-10", dry_run=True)
        assert mem.fact(fact.fact_id).access_count == 0
        assert b"".join(path.read_bytes() for path in sorted(tmp_path.glob("mem.db*")) if not path.name.endswith("-shm")) == before
        assert mem.maintain(user_id="home", now="2025-04-10") == told.model_copy(update={"dry_run": False})
        assert (told.archived, mem.fact(fact.fact_id).access_count) == (0, 1)  # who forgot the recall would have archived it


def test_a_dry_run_says_what_it_would_do_and_writes_nothing(house: memdb.Memory) -> None:
    before = state(house)
    for now in ("2025-03-06T12:00:00Z", "2025-07-10T12:00:00Z"):  # of the same day, and months later
        told = house.maintain(now=now, dry_run=True)
        assert state(house) == before
    done = house.maintain(now="2025-07-10T12:00:00Z")
    assert told == done.model_copy(update={"dry_run": True})
    assert done.consolidated > 0 < done.deleted
    assert state(house) != before


def test_missed_nights_are_made_up_for_as_if_none_had_been_missed(tmp_path: Path) -> None:
    found, done = [], []
    for name in ("nightly", "late"):
        with memdb.open(tmp_path / f"{name}.db", embedder=None, llm=None, config=QUIET) as mem:
            week(mem, days=20)
            mem.narrate(now="2025-03-25T00:00:00Z")
            nights = [f"2025-{3 + day // 28:02}-{1 + day % 28:02}T03:00:00" for day in range(1, 120)] if name == "nightly" else []
            for night in nights:
                done.append(mem.maintain(now=night))
            done.append(mem.maintain(now="2025-07-10T12:00:00Z"))
            found.append(state(mem))
    assert found[0] == found[1]
    assert done[-1].nights == 69  # from the second of March until all of it has faded
    assert {row[1] for row in found[0]} == {"archived"}


def test_nights_in_which_nothing_can_change_are_passed_over(mem: memdb.Memory) -> None:
    mem.event("Rui made coffee", user_id="home", timestamp="1970-01-01T07:00:00Z")  # a clock that was never set
    mem.narrate(now="1970-01-02T00:00:00Z")
    (fact,) = mem.facts("home", kinds=["narrative"])
    done = mem.maintain(now="2025-03-01T12:00:00Z")
    assert done.deleted == 1
    assert done.nights < 100
    archived, deleted = (change.changed_at for change in mem.history(fact_id=fact.fact_id)[-2:])
    assert deleted - archived == timedelta(days=90)  # to the night, though nothing was left to fade
    assert mem.maintain(now="2025-06-01T12:00:00Z").nights == 0


def test_who_links_one_memory_to_another_makes_no_pattern_of_it(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={**QUIET, "turns_as_events": True}) as mem:
        mem.event("Rui painted the fence", user_id="home", timestamp="2025-03-01T10:00:00Z", importance=0.9)
        mem.observe("I live in Porto.", user_id="home", turn_id="t1", timestamp="2025-03-03T10:00:00Z")
        mem.drain()
        mem.narrate(now="2025-03-05T00:00:00Z")
        fence, porto = sorted(mem.facts("home", kinds=["narrative"]), key=lambda fact: fact.created_at)
        mem.link(porto.fact_id, fence.fact_id, "supports")
        assert [event.description for event in mem.sources(fence.fact_id).events] == ["Rui painted the fence"]
        assert mem.sources(fence.fact_id).memories == ()
        mem.forget("home", key="user.lives_in")
        assert [fact.fact_id for fact in mem.facts("home", kinds=["narrative"])] == [fence.fact_id]


def test_a_faded_memory_is_deleted_in_time_though_somebody_linked_it_to_another(mem: memdb.Memory) -> None:
    for day, importance in ((1, 0.1), (200, 1.0)):
        at = f"2024-{1 + day // 30:02}-02T10:00:00Z"
        mem.event(f"Rui did thing {day}", user_id="home", timestamp=at, importance=importance)
    mem.narrate(now="2024-12-01T00:00:00Z")
    trifle, feast = sorted(mem.facts("home", kinds=["narrative"]), key=lambda fact: fact.created_at)
    mem.link(trifle.fact_id, feast.fact_id, "supports")
    mem.maintain(now="2024-12-01T12:00:00Z")
    assert [fact.fact_id for fact in mem.facts("home", kinds=["narrative"], statuses=("active", "archived"))] == [feast.fact_id]


def test_a_faded_memory_is_deleted_in_time_though_it_is_linked_to_a_pattern_that_it_is_no_part_of(mem: memdb.Memory) -> None:
    for day, text in ((2, "Rui made coffee"), (3, "Rui made coffee"), (4, "Rui made coffee"), (4, "Rui dropped a spoon")):
        at = f"2025-03-0{day}T{'20' if 'spoon' in text else '07'}:00:00Z"
        mem.event(text, user_id="home", timestamp=at, participants=["Rui"], importance=0.1 if "spoon" in text else 0.7)
    mem.narrate(now="2025-03-05T00:00:00Z")
    done = mem.maintain(user_id="home", now="2025-03-05T12:00:00Z")
    assert (done.patterns, done.archived) == (1, 1)
    (spoon,) = [fact for fact in mem.facts("home", statuses=["archived"]) if "spoon" in fact.value_text]
    (pattern,) = mem.facts("home", key="household.pattern")
    mem.link(spoon.fact_id, pattern.fact_id, "contradicts")
    assert mem.maintain(user_id="home", now="2025-06-03T12:00:00Z").deleted == 1
    assert spoon.fact_id not in {fact.fact_id for fact in mem.facts("home", statuses=["archived"])}


def test_a_night_reaches_nothing_that_was_made_after_it(mem: memdb.Memory) -> None:
    for day in (1, 20):
        mem.event("Rui dropped a spoon", user_id="home", timestamp=f"2025-03-{day:02}T10:00:00Z", importance=0.1)
    mem.narrate(now="2025-03-25T00:00:00Z")
    done = mem.maintain(user_id="home", now="2025-03-05T12:00:00Z")
    assert (done.processed, done.archived) == (1, 1)
    assert [fact.created_at.day for fact in mem.facts("home", kinds=["narrative"])] == [20]


@pytest.mark.parametrize("hour", [1, 2, 3])
def test_there_is_one_night_a_day_also_when_the_clocks_change(tmp_path: Path, hour: int) -> None:
    config = {"worker": False, "timezone": "Europe/Berlin", "consolidation_schedule_hour": hour, "archive_threshold": 0.0}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        mem.event("Rui made coffee", user_id="home", timestamp="2025-01-01T07:00:00Z")
        mem.narrate(now="2025-01-01T20:00:00Z")
        assert mem.maintain(now="2026-01-01T12:00:00Z").nights == 365


def test_a_night_of_the_household_s_day_is_not_missed_where_that_is_tomorrow_elsewhere(tmp_path: Path) -> None:
    config = {"worker": False, "timezone": "America/New_York", "consolidation_schedule_hour": 22}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        mem.event("Rui made coffee", user_id="home", timestamp="2025-03-02T01:00:00Z")  # at eight in the evening of the first
        mem.narrate(now="2025-03-02T02:00:00Z")
        assert mem.maintain(now="2025-03-02T12:00:00Z").nights == 1


def test_a_memory_of_no_type_fades_as_it_ranks(house: memdb.Memory) -> None:
    house.remember_many(
        [{"value_text": "I noticed that Rui hums", "user_id": "ana", "kind": "narrative", "timestamp": "2025-01-01T08:00:00Z"}]
    )
    house._store.database().connection.execute("update facts set memory_type = null")  # as earlier versions stored it
    assert house.maintain(user_id="ana", now="2025-01-11T08:00:00Z").processed == 1
    (hit,) = house.recall("Rui hums", user_id="ana", now="2025-01-11T08:00:00Z", min_score=0)
    assert hit.fact.effective_importance == pytest.approx(hit.parts["importance"] * hit.parts["access_bonus"])
    assert house.maintain(user_id="ana", now="2025-06-01T08:00:00Z").archived == 1


def test_a_memory_that_was_stated_again_is_as_fresh_in_maintenance_as_in_recall(house: memdb.Memory) -> None:
    for day in ("2025-01-01", "2025-03-20"):
        stated = house.remember("I noticed that Rui hums", user_id="ana", kind="narrative", timestamp=f"{day}T08:00:00Z")
    assert house.maintain(user_id="ana", now="2025-03-21T08:00:00Z").archived == 0
    (hit,) = house.recall("Rui hums", user_id="ana", now="2025-03-21T08:00:00Z", min_score=0)
    assert house.fact(stated.fact_id).effective_importance == pytest.approx(hit.parts["importance"] * hit.parts["access_bonus"])


def test_a_pattern_wants_different_days_of_the_household_and_a_night_is_one(tmp_path: Path) -> None:
    nights = ("2025-03-03T15:30", "2025-03-03T16:30", "2025-03-04T16:30")  # the first one before and after midnight there
    for count, patterns in ((3, 0), (4, 1)):
        with memdb.open(tmp_path / f"{count}.db", embedder=None, llm=None, config={"worker": False, "timezone": "Asia/Shanghai"}) as mem:
            for at in (*nights, "2025-03-05T16:30")[:count]:
                mem.event("The boiler hummed", user_id="home", timestamp=f"{at}:00Z", trigger="person_arrived_home")
            mem.narrate(now="2025-03-06T12:00:00Z")
            assert mem.maintain(now="2025-03-06T12:00:00Z").patterns == patterns


def test_a_night_is_at_the_configured_hour_of_the_household(house: memdb.Memory) -> None:
    assert house.maintain(now="2025-03-02T02:59:00+00:00").nights == 0
    assert house.maintain(now="2025-03-02T03:00:00+00:00").nights == 1
    assert house.maintain(now="2025-03-02T23:00:00+00:00").nights == 0


def test_the_worker_does_the_nights_that_were_missed(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=QUIET) as mem:
        week(mem)
        mem.narrate(now="2025-03-06T00:00:00Z")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None) as mem:
        for _ in range(600):
            if not mem.facts("home"):
                break
            mem._background._worker.wait(0.05)  # type: ignore[union-attr]
        assert mem.facts("home") == []  # all of it is long ago


def test_killed_in_the_middle_a_night_is_done_again_and_nothing_is_done_twice(tmp_path: Path) -> None:
    code = """
import memdb, sys
with memdb.open(sys.argv[1], embedder=None, llm=None, config={"worker": False, "timezone": "Europe/Lisbon"}) as mem:
    print("open", flush=True)
    mem.maintain(now="2025-06-10T12:00:00Z")
"""
    found = []
    for name, lives in (("killed", [0.0, 0.01, 0.02, 0.03, 0.05]), ("whole", [])):
        path = tmp_path / f"{name}.db"
        with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
            week(mem, days=20)
            mem.narrate(now="2025-03-25T00:00:00Z")
        for life in lives:
            process = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
            assert process.stdout
            process.stdout.readline()
            time.sleep(life)
            process.kill()
            process.wait()
        with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
            mem.maintain(now="2025-06-10T12:00:00Z")
            found.append(state(mem))
    assert found[0] == found[1]


def test_three_processes_at_once_do_what_one_does(tmp_path: Path) -> None:
    code = """
import memdb, sys
with memdb.open(sys.argv[1], embedder=None, llm=None, config={"worker": False, "timezone": "Europe/Lisbon"}) as mem:
    mem.narrate(now="2025-03-25T00:00:00Z")
    mem.maintain(now="2025-04-10T12:00:00Z")
"""
    found = []
    for name, processes in (("alone", 1), ("together", 3)):
        path = tmp_path / f"{name}.db"
        with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
            week(mem, days=20)
        running = [subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT) for _ in range(processes)]
        assert [process.wait() for process in running] == [0] * processes
        with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
            found.append((state(mem), sorted(change.reason for change in mem.history(user_id="home"))))
    assert found[0] == found[1]


def test_a_context_shows_no_memory_that_recall_would_not(tmp_path: Path) -> None:
    """One that hardly bears on the question is left out, and then nothing is said to answer it."""
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False, "timezone": "UTC"}) as mem:
        mem.event("The plumber rang the doorbell about the boiler", user_id="silva", timestamp="2025-03-01T10:00:00Z")
        mem.narrate(now="2025-03-05T00:00:00Z")
        mem.drain()
        for asked in ("Who rang about the boiler?", "Which flowers grow in the garden?", "What was the doorbell?"):
            recalled = mem.recall(asked, user_id="silva", now="2025-12-01T00:00:00Z")
            made = mem.context(asked, user_id="silva", now="2025-12-01T00:00:00Z")
            assert {item.fact_id for item in made.items} <= {hit.fact.fact_id for hit in recalled}
            assert made.verdict
            assert bool(recalled) or made.verdict.decision == "abstain"
        assert mem.recall("Who rang about the boiler?", user_id="silva", now="2025-12-01T00:00:00Z")


@pytest.mark.parametrize("way", ["remember", "remember_many", "write"])
def test_a_memory_that_is_stated_is_sorted_and_weighed_like_one_that_is_told(tmp_path: Path, way: str) -> None:
    def state(mem: memdb.Memory, text: str, **more: object) -> memdb.Fact:
        if way == "remember":
            return mem.remember(text, user_id="silva", kind="narrative", **more)  # type: ignore[arg-type]
        if way == "write":
            (fact_id,) = mem.write([{"text": text, "kind": "narrative", "confidence": 0.9, **more}], user_id="silva").accepted
            return mem.fact(fact_id)
        mem.remember_many([{"value_text": text, "user_id": "silva", "kind": "narrative", **more}])
        return next(fact for fact in mem.facts("silva", kinds=["narrative"]) if fact.value_text == text)

    settings = {"worker": False, "max_importance": 0.8}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=settings) as mem:
        birthday = state(mem, "The family celebrated Mila's birthday with a cake")
        assert (birthday.memory_type, birthday.importance) == ("SIGNIFICANT", 0.8)  # 0.9 by the rules, 0.8 at most
        assert birthday.effective_importance == pytest.approx(0.8 * 1.0 * 0.5)
        liked = state(mem, "Joana likes the blue lamp best", importance=0.6)
        assert (liked.memory_type, liked.importance) == ("PREFERENCE", 0.6)
        assert liked.effective_importance == pytest.approx(0.6 * 0.8 * 0.5)
        if way == "write":  # which takes no type
            return
        said = state(mem, "The garden was quiet all day", memory_type="ROUTINE", importance=0.5)
        assert said.memory_type == "ROUTINE"
        assert said.effective_importance == pytest.approx(0.5 * 0.6 * 0.5)


def test_saying_a_memory_again_takes_nothing_from_its_type_or_importance(mem: memdb.Memory) -> None:
    said = mem.remember("The sea was calm", user_id="home", kind="narrative", memory_type="SIGNIFICANT", importance=0.95)
    again = mem.remember("The sea was calm", user_id="home", kind="narrative")
    assert (again.fact_id, again.memory_type, again.importance) == (said.fact_id, "SIGNIFICANT", 0.95)
    assert mem.remember("The sea was calm", user_id="home", kind="narrative", importance=0.4).importance == 0.4


@pytest.mark.parametrize("way", ["remember", "remember_many"])
def test_a_memory_of_a_type_that_is_given_is_as_important_as_the_type(mem: memdb.Memory, way: str) -> None:
    for memory_type in ("SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT"):
        if way == "remember":
            mem.remember(f"The sea, {memory_type}", user_id="home", kind="narrative", memory_type=memory_type)
        else:
            mem.remember_many(
                [{"value_text": f"The sea, {memory_type}", "user_id": "home", "kind": "narrative", "memory_type": memory_type}]
            )
    assert sorted(fact.importance for fact in mem.facts("home")) == [0.3, 0.5, 0.6, 0.7, 0.9]


def test_a_model_that_names_nobody_or_in_one_string_is_understood() -> None:
    said = {"content": "x", "memory_type": "ROUTINE", "importance": 0.5}
    assert Composed.model_validate({**said, "family_members": None, "tags": None}).tags == []
    assert Composed.model_validate({**said, "family_members": "Ana, Rui", "tags": "coffee"}).family_members == ["Ana", "Rui"]


def test_what_was_recalled_is_noted_once_the_memory_is_drained(mem: memdb.Memory) -> None:
    mem.event("Rui came home late.", user_id="silva", timestamp="2025-03-03T08:00:00Z", importance=0.85)
    mem.narrate(now="2025-03-03T09:00:00Z")
    mem.recall("When did Rui come home?", user_id="silva", now="2025-03-03T10:00:00Z")
    assert mem.drain()
    (memory,) = mem.facts("silva", kinds=["narrative"])
    assert (memory.importance, memory.access_count) == (0.95, 1)


@pytest.mark.parametrize(("record", "accesses"), [(True, 1), (False, 0)])
def test_a_search_recalls_the_memories_it_returns_unless_it_is_not_to_be_recorded(mem: memdb.Memory, record: bool, accesses: int) -> None:
    hums = mem.remember("I noticed that Rui hums", user_id="home", kind="narrative", timestamp="2025-03-01T08:00:00Z")
    mem.search("Who hums?", user_id="home", record=record)
    mem.drain()
    assert mem.fact(hums.fact_id).access_count == accesses
