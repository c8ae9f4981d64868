"""Each setting does what its description says: another value makes another memory."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import memdb
from memdb.config import load_config
from memdb.embed import HashingEmbedder
from memdb.llm import LanguageModel, ModelRequest, ScriptedModel
from memdb.store import Store

Open = Callable[..., memdb.Memory]
DAY = datetime(2025, 3, 1, 10, tzinfo=UTC)


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Open a memory under these settings; every topic may be remembered."""

    def with_settings(llm: LanguageModel | None = None, **settings: object) -> memdb.Memory:
        given = {"worker": False, "sensitive_topics": "keep", **settings}
        return memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=llm, config=given)

    return with_settings


def say(mem: memdb.Memory, *texts: str, session_id: str | None = None) -> memdb.Memory:
    for text in texts:
        day = DAY + timedelta(days=len(mem.turns("ana")))
        mem.observe(text, user_id="ana", timestamp=day, session_id=session_id)
    mem.drain()
    return mem


def statuses(mem: memdb.Memory) -> dict[str, str]:
    return {fact.object: fact.status for fact in mem.facts("ana")}


@pytest.mark.parametrize(("first", "rate", "sure"), [(0.4, 0.5, 0.7), (0.2, 0.5, 0.6), (0.4, 0.25, 0.55)])
def test_how_sure_a_first_mention_makes_and_a_second(opened: Open, first: float, rate: float, sure: float) -> None:
    with opened(first_confidence=first, confirmation_rate=rate) as mem:
        for confidence in (first, sure):
            assert say(mem, "I like fado.").facts("ana", kinds=["fact"])[0].confidence == pytest.approx(confidence)


@pytest.mark.parametrize(("high", "status"), [(0.41, "active"), (0.4, "pending_confirmation")])
def test_from_how_sure_a_belief_on_one_contradiction_only_waits(opened: Open, high: float, status: str) -> None:
    with opened(high_confidence=high) as mem:
        assert statuses(say(mem, "My favourite colour is blue.", "My favourite colour is green."))["green"] == status


@pytest.mark.parametrize(
    ("key", "certain", "risky", "status"),
    [
        ("user.drives", 0.61, 0.9, "pending_confirmation"),
        ("user.drives", 0.6, 0.9, "active"),
        ("user.lives_in", 0.5, 0.61, "pending_confirmation"),
        ("user.lives_in", 0.5, 0.6, "active"),
    ],
)
def test_from_how_sure_a_statement_on_a_belief_is_changed(opened: Open, key: str, certain: float, risky: float, status: str) -> None:
    with opened(certain_confidence=certain, high_risk_confidence=risky) as mem:
        for one in ("Volvo", "Fiat"):
            mem.remember(f"It is {one}", user_id="ana", key=key, object=one, confidence=0.6)
        assert statuses(mem)["Fiat"] == status


@pytest.mark.parametrize(("worth", "asked"), [(0.41, False), (0.4, True)])
def test_from_which_importance_on_a_conflict_is_worth_a_question(opened: Open, worth: float, asked: bool) -> None:
    with opened(clarify_importance=worth) as mem:
        say(mem, *["My favourite colour is blue."] * 3, "My favourite colour is green.")
        assert (mem.context("anything", user_id="ana", now=DAY + timedelta(days=9)).question is not None) is asked


def test_after_how_many_turns_the_profile_is_materialised(opened: Open, tmp_path: Path) -> None:
    built = []
    with opened(profile_every_turns=2) as mem:
        for text in ("I like fado.", "I like tea.", "I like figs."):
            say(mem, text)
            built.append(apsw.Connection(str(tmp_path / "mem.db")).execute("select turns_since, profile <> '{}' from profiles").get)
    assert built == [(1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize(("days", "told"), [(9.0, 0), (11.0, 1)])
def test_how_long_a_change_counts_as_recent(opened: Open, days: float, told: int) -> None:
    with opened(recent_change_days=days) as mem:
        say(mem, "I live in Porto.", "I moved to Braga.")
        assert len(mem.profile("ana", now=DAY + timedelta(days=11)).recent_changes) == told


def test_how_many_changes_the_profile_shows(opened: Open) -> None:
    with opened(recent_changes=1) as mem:
        say(mem, "I live in Porto.", "I moved to Braga.", "I moved to Faro.")
        assert [one.after for one in mem.profile("ana", now=DAY + timedelta(days=4)).recent_changes] == ["User lives in Faro"]


def test_how_many_tokens_a_context_has_unless_that_is_said(opened: Open) -> None:
    with opened(context_max_tokens=12) as mem:
        made = say(mem, "I like fado.", "I like tea.", "I like figs.").context("What do I like?", user_id="ana")
        assert (made.max_tokens, made.tokens <= 12, bool(made.dropped)) == (12, True, True)


@pytest.mark.parametrize(("days", "stale"), [(9.0, True), (11.0, False)])
def test_when_a_fact_that_nobody_mentions_is_stale(opened: Open, days: float, stale: bool) -> None:
    with opened(stale_after_days=days) as mem:
        made = say(mem, "I like fado.").context("Do I like fado?", user_id="ana", now=DAY + timedelta(days=10))
        assert [one.stale for one in made.items if one.text.endswith("User likes fado (unsure)")] == [stale]


@pytest.mark.parametrize(("low", "drops"), [(0.4, False), (0.41, True)])
def test_what_counts_as_low_confidence(opened: Open, low: float, drops: bool) -> None:
    with opened(low_confidence=low) as mem:
        made = say(mem, "I like fado.").context("Do I like fado?", user_id="ana", now=DAY)
        assert [one.low_confidence for one in made.items if one.section == "User Profile"] == [drops]


@pytest.mark.parametrize(("least", "tone"), [((0.0, 0.0), "assert"), ((0.0, 1.0), "hedge"), ((1.0, 1.0), "avoid")])
def test_how_sure_what_is_stated_and_what_is_hedged_must_be(opened: Open, least: tuple[float, float], tone: str) -> None:
    with opened(hedge_confidence=least[0], assert_confidence=least[1]) as mem:
        made = say(mem, "I live in Porto.").context("Where do I live?", user_id="ana", now=DAY)
        assert [one.tone for one in made.items if one.section == "User Profile"] == [tone]


@pytest.mark.parametrize(("relevance", "confidence", "decision"), [(0.0, 1.0, "clarify"), (1.0, 1.0, "answer"), (0.0, 0.0, "answer")])
def test_what_bears_on_a_question_and_is_not_sure_is_asked_about(opened: Open, relevance: float, confidence: float, decision: str) -> None:
    with opened(abstain_relevance=relevance, abstain_confidence=confidence) as mem:
        mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", timestamp=DAY)
        made = mem.context("Where do I live?", user_id="ana", now=DAY)
        assert made.verdict is not None
        assert made.verdict.decision == decision


@pytest.mark.parametrize(("days", "notes"), [(1.5, 0), (9.0, 1)])
def test_how_far_back_reflection_reads(opened: Open, days: float, notes: int) -> None:
    with opened(reflect_every_turns=4, reflect_days=days) as mem:
        say(mem, *["Please keep it short."] * 4)
        mem.maintain(now=DAY + timedelta(days=5))
        assert len(mem.facts("ana", kinds=["note"])) == notes


@pytest.mark.parametrize(("priority", "promoted"), [(0.75, 1), (0.81, 0)])
def test_from_which_priority_on_what_recurs_comes_into_the_profile(opened: Open, priority: float, promoted: int) -> None:
    """Said three times, it has two votes of three: relevance 0.88, confidence 0.88."""
    with opened(promote_priority=priority) as mem:
        for day in range(3):
            mem.remember("Goes climbing", user_id="ana", key="user.climbing", object="climbing", timestamp=DAY + timedelta(days=day))
        assert mem.maintain(user_id="ana", now=DAY + timedelta(days=2, hours=18)).promoted == promoted


def test_how_many_former_versions_of_a_key_stay(opened: Open) -> None:
    with opened(fact_versions=1) as mem:
        say(mem, "I live in Porto.", "I moved to Braga.", "I moved to Faro.", "I moved to Beja.")
        assert mem.maintain(now=DAY + timedelta(days=5)).versions_archived == 2
        assert [fact.object for fact in mem.facts("ana", kinds=["fact"], statuses=["superseded"])] == ["Faro"]


@pytest.mark.parametrize(("days", "stalled"), [(9.0, 0), (8.0, 1)])
def test_when_a_task_that_nobody_mentions_has_stalled(opened: Open, days: float, stalled: int) -> None:
    with opened(task_stalls_after_days=days) as mem:
        say(mem, "Remind me to water the ferns.")
        assert mem.maintain(now=DAY + timedelta(days=8, hours=18)).tasks_stalled == stalled


@pytest.mark.parametrize(("eviction", "left"), [("fifo", ["b", "c"]), ("lru", ["a", "c"]), ("importance", ["a", "c"])])
def test_how_much_a_session_has_in_mind_and_what_goes_first(opened: Open, eviction: str, left: list[str]) -> None:
    with opened(working_capacity=2, working_eviction=eviction) as mem, mem.session("ana") as session:
        session.working.add("a", importance=0.9)
        session.working.add("b", importance=0.1)
        session.working.touch("a")
        session.working.add("c", importance=0.5)
        assert [item.text for item in session.working] == left


def test_how_long_the_page_may_become(opened: Open) -> None:
    with opened(page_max_lines=12) as mem:
        for number in range(30):
            mem.remember(f"User likes song {number}", user_id="ana", key="user.likes", object=f"song {number}")
        assert 10 <= len(mem.page("ana").splitlines()) <= 12


@pytest.mark.parametrize(("strength", "links"), [(0.0, 1), (1.0, 0)])
def test_how_alike_two_rows_must_be_to_be_linked(opened: Open, strength: float, links: int) -> None:
    with opened(link_min_strength=strength) as mem:
        for text in ("User plays the Portuguese guitar in Alfama", "User bought a Portuguese guitar for Rita"):
            mem.remember(text, user_id="ana")
        assert mem.relate("ana") == links


def test_what_was_asked_is_not_kept_where_that_is_not_wanted(opened: Open) -> None:
    with opened(record_retrievals=False) as mem:
        say(mem, "I like fado.").search("fado", user_id="ana")
        mem.context("fado", user_id="ana")
        assert mem.stats().retrievals == 0


def test_how_much_of_the_file_is_mapped(tmp_path: Path) -> None:
    for megabytes in (0.0, 1.5):
        store = Store(tmp_path / "mem.db", load_config(tmp_path / "mem.db", {"mmap_mb": megabytes}), vectors=False)
        assert store.database().connection.execute("pragma mmap_size").get == int(megabytes * 1024 * 1024)
        store.close()


def test_how_long_one_answer_of_a_model_is_waited_for(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        given = {"worker": False, "model": "mute", "model_timeout_seconds": 0.2, "model_attempts": 1}
        with memdb.open(":memory:", embedder=None, config=given) as mem:
            turn = say(mem, "I like fado.").turns("ana")[0]
            assert (turn.extracted_by, "gave no answer in time" in str(turn.error)) == ("rules", True)


def test_the_model_that_writes_memories_may_be_another_than_the_one_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    given = {"worker": False, "model": "reader", "generation_model": "writer", "model_attempts": 1}
    with memdb.open(":memory:", embedder=None, config=given) as mem:
        say(mem, "I like fado.")
        told(mem, (0, 20))
        assert {(call.purpose, call.model) for call in mem.calls()} == {("extract", "reader"), ("narrate", "writer")}


def test_who_remembers_is_told_to_the_model(opened: Open) -> None:
    def answer(request: ModelRequest) -> str:
        asked.append(request.system)
        return json.dumps({"content": "I noticed Rui watering the ferns."})

    asked: list[str] = []
    persona = {"persona_name": "Barnaby", "persona_household": "the Silva family", "persona_voice": "a quiet old butler"}
    with opened(LanguageModel(ScriptedModel(answer), name="script", backoff=0.0), **persona) as mem:
        told(mem, (0, 20))
    assert all(word in asked[0] for word in persona.values())


def told(mem: memdb.Memory, minutes: tuple[int, ...], *, until: int = 60 * 24) -> list[memdb.Fact]:
    for minute in minutes:
        mem.event("Rui watered the ferns", user_id="home", timestamp=DAY + timedelta(minutes=minute), participants=["Rui"])
    return mem.narrate(now=DAY + timedelta(minutes=until))


@pytest.mark.parametrize(
    ("settings", "until", "memories"),
    [
        ({}, 31, 1),
        ({}, 29, 0),
        ({"event_buffer_minutes": 5}, 26, 1),
        ({"min_segment_duration_minutes": 21}, 31, 0),
        ({"min_segment_duration_minutes": 1, "max_segment_duration_minutes": 12}, 31, 1),
        ({"max_events_per_segment": 1, "generation_cooldown_seconds": 0}, 31, 2),
        ({"max_events_per_segment": 1, "generation_cooldown_seconds": 3000}, 31, 1),
    ],
)
def test_when_what_happened_becomes_a_memory(opened: Open, settings: dict[str, float], until: int, memories: int) -> None:
    with opened(**settings) as mem:
        assert len(told(mem, (0, 20), until=until)) == memories


@pytest.mark.parametrize(("mark", "memories"), [(0.8, 0), (0.4, 1)])
def test_from_which_importance_on_an_event_is_told_at_once(opened: Open, mark: float, memories: int) -> None:
    with opened(significant_importance=mark) as mem:
        mem.event("Rui watered the ferns", user_id="home", timestamp=DAY, importance=0.5)
        assert len(mem.narrate(now=DAY + timedelta(minutes=11))) == memories


def test_which_breaks_end_a_segment(opened: Open) -> None:
    with opened(segment_break_triggers=["time_of_day_change"]) as mem:
        mem.event("Rui left home", user_id="home", timestamp=DAY, trigger="person_departed_home")
        assert mem.narrate(now=DAY + timedelta(minutes=11)) == []
        assert len(mem.narrate(now=DAY + timedelta(hours=2, minutes=1))) == 1


@pytest.mark.parametrize(
    ("settings", "days", "recalled"),
    [
        ({}, 1, 2),
        ({"max_memories_per_retrieval": 1}, 1, 1),
        ({"importance_threshold": 1.0}, 1, 0),
        ({"max_age_days": 9}, 11, 0),
        ({"max_age_days": 0}, 999, 2),
    ],
)
def test_which_memories_are_recalled(opened: Open, settings: dict[str, float], days: int, recalled: int) -> None:
    with opened(archive_threshold=0, importance_threshold=settings.pop("importance_threshold", 0.0), **settings) as mem:
        told(mem, (0, 20, 600, 620))
        mem.drain()
        assert len(mem.recall("the ferns", user_id="home", now=DAY + timedelta(days=days))) == recalled
