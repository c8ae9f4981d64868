"""Upkeep: episodes, open loops, reflection, promotion, archive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memdb
from memdb import LanguageModel, ScriptedModel
from memdb.embed import HashingEmbedder

Tell = Callable[..., memdb.Memory]
LATER = "2025-09-01"


def chat(mem: memdb.Memory, session: str, day: str, *texts: str) -> None:
    for place, text in enumerate(texts):
        mem.observe(text, user_id="ana", session_id=session, turn_id=f"{session}{place}", timestamp=f"{day}T10:{place:02}:00Z")
    mem.drain()


def of(mem: memdb.Memory, kind: str) -> list[memdb.Fact]:
    return mem.facts("ana", kinds=[kind], statuses=["active", "expired", "archived"])


# --- episodes --------------------------------------------------------------------------------------------------------------------


def test_a_session_that_is_over_becomes_an_episode(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "We lost the toy dinosaur in the park.", "Can you help?", "The dinosaur is green.")
    chat(mem, "s2", "2025-03-02", "Hello again.")
    assert mem.maintain(now="2025-03-03").episodes == 1
    (episode,) = of(mem, "episode")
    assert "We lost the toy dinosaur in the park." in episode.value_text
    assert (episode.session_id, episode.source, episode.event_time and episode.event_time.day) == ("s1", "inferred", 1)
    assert "emotion:sad" in episode.tags


def test_a_session_that_becomes_warm_becomes_an_episode(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "The boiler is called Bertha.")
    assert mem.maintain(now="2025-03-10").episodes == 0
    assert mem.maintain(now="2025-03-20").episodes == 1


def test_maintenance_twice_is_as_once(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["I went climbing with Rex.", "Remind me to call the dentist."] * 12)
    mem.maintain(now="2025-03-20")
    before = len(mem.history(user_id="ana"))
    assert mem.maintain(now="2025-03-20") == memdb.Maintained()
    assert len(mem.history(user_id="ana")) == before


@pytest.mark.parametrize(("answer", "text"), [('{"summary": "They lost a toy."}', "They lost a toy."), ("no json", "user: We lost a toy.")])
def test_a_model_summarises_and_rules_stand_in(mem: memdb.Memory, answer: str, text: str) -> None:
    chat(mem, "s1", "2025-03-01", "We lost a toy.")
    model = LanguageModel(ScriptedModel(lambda request: answer), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        other.maintain(now="2025-03-20")
    assert [episode.value_text for episode in of(mem, "episode")] == [text]


# --- open loops --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Remind me to call the dentist.", "call the dentist"),
        ("Please don't forget to water Bertha!", "water Bertha"),
        ("My goal is to run a marathon.", "run a marathon"),
        ("It rains.", None),
    ],
)
def test_what_is_left_open_becomes_a_task(tell: Tell, text: str, title: str | None) -> None:
    tell(text).maintain()
    assert [task.value_text for task in of(tell(), "task")] == ([title] if title else [])


def test_a_promise_of_the_assistant_is_a_task(mem: memdb.Memory) -> None:
    mem.observe("Is it far?", "I'll look into the trains tomorrow.", user_id="ana", timestamp="2025-03-01T10:00:00Z")
    mem.drain()
    mem.maintain(now="2025-03-01T11:00:00Z")
    (task,) = of(mem, "task")
    assert (task.source, task.event_time and task.event_time.isoformat()[:10]) == ("assistant_message", "2025-03-03")


def test_what_is_said_to_be_done_is_closed(tell: Tell) -> None:
    tell("Remind me to call the dentist.", "I called the dentist today.").maintain(now="2025-03-03")
    assert [(task.status, task.value_json["state"]) for task in of(tell(), "task")] == [("expired", "done")]  # type: ignore[index, call-overload]


def test_a_task_that_nobody_mentions_stalls_and_can_be_taken_up(tell: Tell) -> None:
    tell("Remind me to call the dentist.")
    assert tell().maintain(now="2025-06-01").tasks_stalled == 1
    (task,) = of(tell(), "task")
    assert (task.status, task.value_json["state"]) == ("active", "stalled")  # type: ignore[index, call-overload]
    assert tell().task(task.fact_id, "active").value_json["state"] == "active"  # type: ignore[index, call-overload]


def test_only_tasks_have_a_state(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="is a fact, not a task"):
        mem.task(mem.remember("Likes jazz", user_id="ana", key="user.likes").fact_id, "done")


# --- reflection ----------------------------------------------------------------------------------------------------------------------


def test_what_recurs_on_three_days_becomes_a_note(mem: memdb.Memory) -> None:
    for day in (1, 2, 3):
        chat(mem, f"s{day}", f"2025-03-0{day}", "I was so sad about the exam.", "The trains were late.")
    mem.maintain(now="2025-03-04")
    assert of(mem, "note") == []  # too few turns yet
    chat(mem, "s4", "2025-03-04", *["Well."] * 20)
    mem.maintain(now="2025-03-05")
    notes = of(mem, "note")
    assert [note.value_text for note in notes] == ["Often sounds sad", "Keeps coming back to trains"]
    assert {(note.confidence, note.source) for note in notes} == {(0.7, "inferred")}


def test_a_note_counts_for_little_until_others_agree(mem: memdb.Memory) -> None:
    tones = []
    for day in range(1, 5):
        mem.remember("Calms down with a story", user_id="ana", kind="note", source="inferred", confidence=0.7, timestamp=f"2025-03-0{day}")
        mem.drain()
        (hit,) = mem.search("Calms down with a story", user_id="ana", judged=True)
        tones.append(round(hit.confidence_now or 0, 2))
    assert tones == sorted(tones)
    assert tones[0] < 0.6 < 0.8 < tones[-1]


def test_a_model_reflects_in_at_most_three_notes(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["Well."] * 20)
    answer = json.dumps({"notes": ["Likes short answers", "Likes short answers", "Hates haste"]})
    model = LanguageModel(ScriptedModel(lambda request: answer), name="scripted", attempts=1)
    with memdb.open(mem.stats().path, embedder=mem.embedder, llm=model, config={"worker": False}) as other:
        assert other.maintain(now="2025-03-02").notes == 2
    assert {note.value_json["origin"] for note in of(mem, "note")} == {"llm_reflection"}  # type: ignore[index, call-overload]


def test_notes_beyond_the_cap_are_archived_weakest_first(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False, "reflection_limit": 2}) as mem:
        for number, confidence in enumerate((0.9, 0.3, 0.8)):
            mem.remember(f"Note {number}", user_id="ana", kind="note", confidence=confidence, timestamp="2025-03-01")
        assert mem.maintain(now="2025-03-02").notes_archived == 1
        assert [note.value_text for note in mem.facts("ana", statuses=["archived"])] == ["Note 1"]


# --- promotion and the archive ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("days", "promoted"), [((1, 1, 1, 1), 0), ((1, 2), 0), ((1, 2, 3), 1)])
def test_what_is_said_on_three_days_is_promoted_to_the_profile(mem: memdb.Memory, days: tuple[int, ...], promoted: int) -> None:
    for place, day in enumerate(days):
        mem.remember("Drives a Volvo", user_id="ana", key="user.drives", object="Volvo", timestamp=f"2025-03-0{day}T1{place}:00:00Z")
    assert mem.maintain(now="2025-03-05").promoted == promoted
    assert ("user.drives" in mem.profile("ana", now="2025-03-05").soft_preferences) is bool(promoted)
    assert mem.maintain(now="2025-03-05").promoted == 0


def test_only_the_last_versions_of_a_key_stay(mem: memdb.Memory) -> None:
    for number in range(9):
        mem.remember(f"Stays in town {number}", user_id="ana", key="user.staying_in", timestamp=f"2025-03-0{number + 1}")
    assert mem.maintain(now="2025-03-20").versions_archived == 3
    assert len(mem.facts("ana", statuses=["superseded"])) == 5
    assert [fact.value_text for fact in mem.facts("ana", as_of="2025-03-01T12:00:00Z")] == ["Stays in town 0"]


def test_forgetting_a_user_forgets_how_far_upkeep_had_come(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", *["Remind me to call the dentist."] * 20)
    mem.maintain(now=LATER)
    mem.forget("ana")
    assert b"dentist" not in Path(mem.stats().path).read_bytes()
    assert apsw.Connection(mem.stats().path).execute("select * from upkeep").fetchall() == []


def test_a_dry_run_of_everything_says_what_it_would_do_and_writes_nothing(mem: memdb.Memory) -> None:
    chat(mem, "s1", "2025-03-01", "Remind me to call the dentist.", "We lost the toy dinosaur in the park.")
    before = [fact.fact_id for fact in mem.facts("ana")], len(mem.history(user_id="ana"))
    told = mem.maintain(now="2025-03-20", dry_run=True)
    assert ([fact.fact_id for fact in mem.facts("ana")], len(mem.history(user_id="ana"))) == before
    done = mem.maintain(now="2025-03-20")
    assert done.episodes == 1
    assert told == done.model_copy(update={"dry_run": True})


def test_maintenance_of_one_user_leaves_the_others_alone(mem: memdb.Memory) -> None:
    for user in ("ana", "bob"):
        mem.observe("The boiler is called Bertha.", user_id=user, session_id="s1", timestamp="2025-03-01T10:00:00Z")
        mem.event("The lamp broke for good", user_id=user, timestamp="2025-03-01T10:00:00Z", importance=0.1)
    mem.drain()
    mem.narrate(now="2025-03-02T00:00:00Z")
    done = mem.maintain(user_id="ana", now="2026-03-20")
    assert (done.episodes, done.archived, done.nights) == (1, 1, 0)
    assert {fact.status for fact in mem.facts("bob", kinds=["narrative", "episode"], statuses=["active", "archived"])} == {"active"}
