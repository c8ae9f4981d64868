"""A session's life: bootstrap, observe, context, flush, snapshot, end; and what is left when its process dies."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count as count_from
from pathlib import Path

import pytest

import memdb
from memdb.identity import new_identity
from memdb.records import Source
from memdb.working import Eviction
from tests.disk import FullDisk

ROOT = Path(__file__).parent.parent
QUIET = {"worker": False}
HELLO = "I'm Ana, I live in Porto and I'm allergic to peanuts."


def kinds(mem: memdb.Memory, kind: str) -> list[str]:
    return [fact.value_text for fact in mem.facts("ana", kinds=[kind])]


def test_a_first_session_begins_with_nothing_and_a_page(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        assert (s.bootstrap.facts, s.bootstrap.offered, s.bootstrap.last, len(s.working)) == ((), (), None, 0)
        assert s.bootstrap.page.startswith("# What is remembered of ana\n")


def test_the_next_session_begins_with_what_the_last_one_learned(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe(HELLO, "Hello!")
    with mem.session("ana", "s2", now="2025-03-02T10:00:00Z") as s:
        start = s.bootstrap
        assert {"User lives in Porto", "User is allergic to peanuts"} <= {fact.value_text for fact in start.facts}
        assert {fact.kind for fact in start.facts} == {"fact"}
        assert "- User lives in Porto\n" in start.page
        assert "User is allergic to peanuts" in s.working
        assert start.last is not None
        assert start.last.session_id == "s1"


def test_a_session_begins_with_what_is_so_now(mem: memdb.Memory) -> None:
    for object, day in (("Porto", "2025-03-01"), ("Faro", "2025-03-02")):
        mem.remember(f"User lives in {object}", user_id="ana", key="user.lives_in", object=object, timestamp=day)
    mem.remember("User lives in Braga", user_id="ana", key="user.lives_in", object="Braga", source="web_scraped", timestamp="2025-03-03")
    mem.remember("User likes chess", user_id="ana", key="user.likes", timestamp="2025-03-02", valid_from="2025-04-01")
    mem.remember("User stays in Rome", user_id="ana", key="user.staying_in", timestamp="2025-03-02", valid_to="2025-03-05")
    with mem.session("ana", now="2025-03-10T10:00:00Z") as s:
        assert [fact.value_text for fact in s.bootstrap.facts] == ["User lives in Faro"]


def test_what_matters_most_is_loaded_last_so_that_it_stays_longest(mem: memdb.Memory) -> None:
    for place, importance in enumerate((0.1, 0.9, 0.5)):
        mem.remember(f"Note {importance}", user_id="ana", key=f"user.thing_{place}", importance=importance)
    with mem.session("ana") as s:
        assert [item.text for item in s.working] == ["Note 0.1", "Note 0.5", "Note 0.9"]


def test_a_context_tells_what_is_in_mind_and_nothing_twice(mem: memdb.Memory) -> None:
    with mem.session("ana", now="2025-03-01T10:00:00Z") as s:
        s.observe(HELLO)
        s.working.add("She is in a hurry today")
        text = s.context("What shall I cook?").text
    assert "\n# Working Memory\n" in text
    assert text.count("She is in a hurry today") == 1
    assert text.count(HELLO) == 1


def test_of_what_a_session_began_with_only_what_is_sure_stands_unasked_in_a_prompt(mem: memdb.Memory) -> None:
    said: list[tuple[str, str, float, Source]] = [
        ("Surely plays chess", "user.hobby", 0.8, "user_message"),
        ("Hardly plays checkers", "user.pastime", 0.5, "user_message"),
        ("Drives a Fiat", "user.drives", 0.9, "user_message"),
        ("Drives a Volvo", "user.drives", 0.5, "web_scraped"),
    ]
    for text, key, confidence, source in said:
        mem.remember(text, user_id="ana", key=key, confidence=confidence, source=source, timestamp="2025-03-01")
    mem.remember("For now stays in Berlin", user_id="ana", key="user.staying_in", valid_to="2025-04-01", timestamp="2025-03-01")
    mem.task(mem.remember("Repair the clock", user_id="ana", kind="task", key="user.task", timestamp="2025-03-01").fact_id, "stalled")
    with mem.session("ana", now="2025-03-05T10:00:00Z") as s:
        assert len(s.working) == 5
        s.working.add("She is in a hurry today")
        text = s.context("What is the weather like?").text
    assert "# Working Memory\n- Surely plays chess\n- She is in a hurry today\n\n" in f"{text}\n\n"
    assert "clock" not in text
    [volvo] = [fact for fact in mem.facts("ana", key="user.drives", now="2025-03-05") if "Volvo" in fact.value_text]
    mem.reject(volvo.fact_id, now="2025-03-05")
    with mem.session("ana", now="2025-03-06T10:00:00Z") as s:
        assert "- Drives a Fiat\n" in s.context("What is the weather like?").text


@pytest.mark.parametrize("budget", [0, 1, 20, 60, 200, 1000])
def test_a_context_with_working_memory_keeps_to_its_budget(mem: memdb.Memory, budget: int) -> None:
    with mem.session("ana", now="2025-03-01T10:00:00Z") as s:
        for number in range(9):
            s.observe(f"{HELLO} And I like number {number}.")
            s.working.add(f"A thought of some length that nobody else has had before, number {number}")
        s.flush()
        made = s.context("What do I like?", max_tokens=budget)
    assert made.tokens <= budget == made.max_tokens


def test_a_session_s_context_opens_as_the_prompt_does_and_heeds_what_the_user_is_after(mem: memdb.Memory) -> None:
    with mem.session("ana", now="2025-03-01T10:00:00Z") as s:
        s.observe("I live in Porto.")
        s.working.add("She is in a hurry today")
        made = s.context("Where do I live?", system="You are kind.\nBe brief.", goal="a hotel", limit=3)
        plain = mem.context("Where do I live?", user_id="ana", system="You are kind.\nBe brief.", now="2025-03-01T10:00:00Z")
    sections = [line for line in made.text.splitlines() if line.startswith("# ")]
    assert sections[:2] == ["# System", "# Working Memory"]
    assert sections[2:] == [line for line in plain.text.splitlines() if line.startswith("# ")][1:]
    assert made.text.startswith("# System\n- You are kind.\n- Be brief.\n")
    assert [item.text for item in made.items] == [line for line in made.text.splitlines() if line and not line.startswith("# ")]


@pytest.mark.parametrize("ends", ["superseded", "rejected", "doubted", "over by the clock"])
def test_what_is_no_longer_so_is_in_mind_no_longer(mem: memdb.Memory, ends: str) -> None:
    until = "2025-03-05T00:00:00Z" if ends == "over by the clock" else None
    lived = mem.remember(
        "User lives in Porto", user_id="ana", key="user.lives_in", object="Porto", timestamp="2025-03-01T10:00:00Z", valid_to=until
    )
    with mem.session("ana", now="2025-03-04T10:00:00Z") as s:
        assert "User lives in Porto" in s.working
        s.working.add("She is in a hurry today")
        if ends == "superseded":
            mem.remember("User lives in Faro", user_id="ana", key="user.lives_in", object="Faro", timestamp="2025-03-04T11:00:00Z")
        elif ends == "rejected":
            mem.reject(lived.fact_id, now="2025-03-04T11:00:00Z")
        elif ends == "doubted":
            mem.doubt(lived.fact_id, now="2025-03-04T11:00:00Z")
        assert "Porto" not in s.context("What shall I cook?", now="2025-03-06T10:00:00Z").text
        assert [item.text for item in s.working] == ["She is in a hurry today"]


def test_what_waits_for_leave_to_be_kept_stays_in_mind(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="ask")
    with mem.session("ana") as s:
        s.working.add("User is allergic to nuts", kind="fact", key="user.allergic_to")
        assert [fact.status for fact in s.flush().kept] == ["pending_confirmation"]
        s.context("What shall I cook?")
        assert "User is allergic to nuts" in s.working


@pytest.mark.parametrize("budget", [160, 260, 2000])
def test_a_context_with_working_memory_is_one_question_and_recalls_what_it_shows_once(mem: memdb.Memory, budget: int) -> None:
    for day in range(1, 6):
        mem.event(f"Rui asked for warm light number {day}", user_id="ana", timestamp=f"2025-03-0{day}T07:00:00Z", participants=["Rui"])
    mem.narrate(now="2025-03-10T00:00:00Z")
    with mem.session("ana", now="2025-03-11T00:00:00Z") as s:
        for number in range(5):
            s.working.add(f"A thought of some length that nobody else has had before, number {number}")
        made = s.context("warm light", max_tokens=budget)
    mem.maintain(user_id="ana", now="2025-03-11T01:00:00Z")
    shown = {item.fact_id: 1 for item in made.items if item.section == "Episodic Highlights"}
    memories = mem.facts("ana", kinds=["narrative"], statuses=["active", "archived"])
    assert {fact.fact_id: fact.access_count for fact in memories if fact.access_count} == shown != {}
    assert mem.stats().retrievals == 1


def test_what_was_done_comes_to_mind_again_in_a_session_of_the_same_name_and_is_kept_again(mem: memdb.Memory) -> None:
    for day in (1, 8):
        with mem.session("ana", "chat", now=f"2025-03-0{day}T10:00:00Z") as s:
            s.working.add("Buy milk", kind="task")
            (task,) = s.flush().kept
            assert task.status == "active"
            mem.task(task.fact_id, "done", now=f"2025-03-0{day}T12:00:00Z")
    assert len(mem.facts("ana", kinds=["task"], statuses=["expired"])) == 2


def test_a_flush_keeps_what_is_in_mind_once(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.working.add("Wants short answers", importance=0.8)
        assert kinds(mem, "note") == []
        (kept,) = s.flush().kept
        assert (kept.value_text, kept.kind, kept.importance, kept.session_id) == ("Wants short answers", "note", 0.8, "s1")
        assert s.flush().kept == ()
    assert kinds(mem, "note") == ["Wants short answers"]


@pytest.mark.parametrize("eviction", ["fifo", "lru", "importance"])
def test_what_matters_in_the_file_does_not_crowd_out_what_comes_to_mind(mem: memdb.Memory, eviction: Eviction) -> None:
    for number in range(9):
        mem.remember(f"Is called name {number}", user_id="ana", key=f"user.name_{number}", importance=0.9)
    with mem.session("ana", eviction=eviction) as s:
        s.working.add("Wants answers in bullet points")
        for number in range(9):
            s.observe(f"Turn {number}")
        s.flush()
    assert "Wants answers in bullet points" in [fact.value_text for fact in mem.facts("ana", kinds=["note"])]


def test_what_was_let_go_is_not_kept(mem: memdb.Memory) -> None:
    with mem.session("ana", eviction="importance", now="2025-03-01T10:00:00Z") as s:
        for number in range(9):
            s.working.add(f"Thought {number}", importance=number / 10)
        kept = [fact.value_text for fact in s.flush().kept]
    assert kept == [f"Thought {number}" for number in range(2, 9)]


def test_the_end_of_a_session_leaves_account_log_and_profile(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe(HELLO)
        s.observe("What shall we eat?", timestamp="2025-03-01T10:05:00Z")
    accounts = kinds(mem, "episode")
    assert accounts == [
        "Saturday, 01 March 2025: 1 session, 2 turns. Learned: User is called Ana; User lives in Porto; User is allergic to peanuts.",
        f"Session of 01 March 2025, 10:00: 2 turns. It began with “{HELLO}”. "
        "Learned: User is called Ana; User lives in Porto; User is allergic to peanuts.",
    ]
    stored = mem._store.database().connection.execute("select json_extract(profile, '$.identity') from profiles").fetchall()
    assert "Porto" in str(stored)
    assert mem._store.database().connection.execute("select ended_at from sessions").fetchall() == [("2025-03-01T10:05:00.000Z",)]


def test_a_session_ends_with_the_last_word_of_it_whoever_took_that_in(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe(HELLO)
        mem.observe("One more thing.", user_id="ana", session_id="s1", timestamp="2025-03-01T10:30:00Z")
    assert mem._store.database().connection.execute("select ended_at from sessions").fetchall() == [("2025-03-01T10:30:00.000Z",)]


def test_an_account_tells_what_changed_and_leads_to_it(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("I live in Porto.")
    with mem.session("ana", "s2", now="2025-03-08T10:00:00Z") as s:
        s.observe("I moved to Lisbon last week!")
        told = s.snapshot()
        assert told is not None
        assert told.value_text == (
            "Session of 08 March 2025, 10:00: 1 turn. It began with “I moved to Lisbon last week!”. "
            "Learned: User lives in Lisbon. No longer so: User lives in Porto."
        )
        assert {one.fact.value_text for one in mem.links(told.fact_id)} == {"User lives in Lisbon"}


def test_an_account_tells_nothing_as_learned_of_what_was_over_before(mem: memdb.Memory) -> None:
    for day, text in ((1, "I live in Porto."), (9, "I moved to Braga."), (12, "I moved to Lisbon last week!")):
        with mem.session("ana", f"s{day}", now=f"2025-03-{day:02}T10:00:00Z") as s:
            s.observe(text)
            told = s.snapshot()
    assert "until 'Lisbon' began" in [change.reason for change in mem.history(user_id="ana")]
    assert told is not None
    assert told.value_text.endswith("Learned: User lives in Lisbon. No longer so: User lives in Braga.")
    (before,) = (account for account in kinds(mem, "episode") if account.startswith("Session of 09 March"))
    assert before.endswith("Learned: User lives in Braga. No longer so: User lives in Porto.")


def test_an_account_begins_with_the_user_s_first_words_and_tells_of_what_was_said_twice(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("", "Good morning!")
        s.observe("I live in Porto.")
        s.observe("As I said, I live in Porto.")
        s.observe("I'm allergic to peanuts.")
        told = s.snapshot()
    assert told is not None
    assert told.value_text == (
        "Session of 01 March 2025, 10:00: 4 turns. It began with “I live in Porto.”. "
        "Learned: User lives in Porto. Waits for a word: User is allergic to peanuts."
    )


def test_a_session_tells_how_many_vectors_wait(mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="bob")
    mem.observe("Hello.", user_id="ana")
    waits = mem.session("ana").bootstrap
    mem.drain()
    made = mem.session("ana").bootstrap
    assert [(start.indexed, start.waiting) for start in (waits, made)] == [(0, 2), (1, 0)]  # the message's own and its window's


def test_a_session_over_midnight_stands_in_the_logs_of_both_days(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={**QUIET, "timezone": "America/New_York"}) as mem:
        with mem.session("ana", "s1", now="2025-03-01T23:50:00") as s:
            s.observe("I live in Porto.")
            s.observe("I like tea.", timestamp="2025-03-02T00:10:00")
        logs = [text for text in kinds(mem, "episode") if not text.startswith("Session")]
    assert logs == [
        "Saturday, 01 March 2025: 1 session, 1 turn. Learned: User lives in Porto.",
        "Sunday, 02 March 2025: 1 session, 1 turn. Learned: User likes tea.",
    ]


def test_what_a_session_kept_on_a_day_on_which_nothing_was_said_stands_in_the_log_of_that_day(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T23:40:00Z") as s:
        s.working.add("Wants short answers")
        s.flush()
        s.observe("I live in Porto.", timestamp="2025-03-02T00:10:00Z")
        s.working.add("Plans a party")
        s.close(now="2025-03-04T00:10:00Z")
    logs = sorted(text.partition(", ")[2] for text in kinds(mem, "episode") if not text.startswith("Session"))
    assert logs == [
        "01 March 2025. Learned: Wants short answers.",
        "02 March 2025: 1 session, 1 turn. Learned: User lives in Porto.",
        "04 March 2025. Learned: Plans a party.",
    ]


def test_the_account_tells_of_what_was_in_mind_at_the_end(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.working.add("Wants short answers")
    assert kinds(mem, "episode")[1] == "Session of 01 March 2025, 10:00. Learned: Wants short answers."


def test_an_account_and_the_page_tell_no_secret(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("My password is hunter2, and hello.")
        told = s.snapshot()
    assert told is not None
    assert "hunter2" not in told.value_text + told.source_excerpt + mem.page("ana")
    assert "hello" in told.value_text


@pytest.mark.parametrize(("count", "more"), [(20, ""), (21, "; and 1 more")])
def test_an_account_tells_of_twenty_things_and_how_many_more_there_were(mem: memdb.Memory, count: int, more: str) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("Hello.", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
        for number in range(count):
            mem.remember(f"Owns thing {number}", user_id="ana", key=f"user.owns_{number}", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
        told = s.snapshot(now="2025-03-01T10:10:00Z")
    assert told is not None
    assert told.value_text.endswith("; ".join(f"Owns thing {number}" for number in range(20)) + more + ".")


@pytest.mark.parametrize(("length", "cut"), [(160, False), (161, True)])
def test_an_account_quotes_the_beginning_of_long_words_on_one_line(mem: memdb.Memory, length: int, cut: bool) -> None:
    said = "Oh  dear,\n" + "x" * (length - 9)
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe(said, turn_id="t1")
        told = s.snapshot()
    assert told is not None
    quoted = "Oh dear, " + ("x" * 150 + "…" if cut else "x" * 151)
    assert (told.source_excerpt, told.source_turn_id, f"“{quoted}”" in told.value_text) == (quoted, "t1", True)


def test_accounts_of_a_session_and_of_its_day_are_two_and_tell_the_time_of_the_household(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        with mem.session("ana", "2025-03-02", now="2025-03-01T20:00:00Z") as s:
            s.observe("I live in Porto.")
        session, day = sorted(mem.facts("ana", kinds=["episode"]), key=lambda fact: fact.value_text)
        assert session.value_text.startswith("Session of 02 March 2025, 05:00: 1 turn.")
        assert day.value_text.startswith("Sunday, 02 March 2025: 1 session, 1 turn.")
        linked = {fact.key: [one.strength for one in mem.links(fact.fact_id)] for fact in (session, day)}
        assert linked == {"session.2025_03_02": [0.5], "day.2025_03_02": []}


def test_a_snapshot_taken_again_replaces_the_first(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        assert s.snapshot() is None
        s.observe("I live in Porto.")
        first = s.snapshot()
        s.observe("I like tea.")
        second = s.snapshot()
    assert first is not None
    assert second is not None
    assert (first.fact_id, "tea" in first.value_text, "tea" in second.value_text) == (second.fact_id, False, True)


def test_an_account_is_as_old_as_the_last_word_of_its_session(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("I planted the tomatoes.", timestamp="2025-03-01T10:00:00Z")
        s.snapshot()
        s.observe("The tomatoes are ripe.", timestamp="2025-06-01T10:00:00Z")
    (account,) = mem.facts("ana", kinds=["episode"], key="session.s1")
    assert account.valid_from.isoformat() == "2025-06-01T10:00:00+00:00"
    found = mem.search("tomatoes", user_id="ana", kinds=["episode"], weights="priority", now="2025-06-01T10:00:00Z")
    assert {hit.fact.fact_id: hit.parts["recency"] for hit in found}[account.fact_id] == 1.0


def test_a_session_that_is_over_says_so(mem: memdb.Memory) -> None:
    s = mem.session("ana", "s1")
    s.close()
    s.close()
    with pytest.raises(memdb.InputError, match="'s1' is over; begin another"):
        s.observe("Hello?")
    with pytest.raises(memdb.InputError, match="'s1' is over; begin another"):
        s.working.add("This would be lost.")


@pytest.mark.parametrize(
    ("begin", "says"),
    [
        (lambda mem: mem.session(" "), "user_id is empty"),
        (lambda mem: mem.session("ana", ""), "session_id is empty"),
        (lambda mem: mem.session("ana", eviction="random"), "eviction is 'random'; give one of fifo, lru, importance"),
        (lambda mem: mem.session("ana", now="noon"), "now: 'noon' is not a time"),
        (lambda mem: mem.session("ana").context("x", max_tokens="many"), "max_tokens is 'many'; give a whole number"),
        (lambda mem: mem.session("ana").context("x", max_tokens=-1), "max_tokens is -1; give a number of 0 or more"),
    ],
)
def test_a_session_refuses_bad_input(mem: memdb.Memory, begin: Callable[[memdb.Memory], object], says: str) -> None:
    with pytest.raises(memdb.InputError, match=says):
        begin(mem)


def test_users_have_sessions_of_their_own(mem: memdb.Memory) -> None:
    with mem.session("ana", "s", now="2025-03-01T10:00:00Z") as a, mem.session("bob", "s", now="2025-03-01T10:00:00Z") as b:
        a.observe("I live in Porto.")
        b.observe("I live in Faro.")
    with mem.session("bob", "t", now="2025-03-02T10:00:00Z") as b:
        assert "Porto" not in str(b.bootstrap)
        assert "Faro" in b.bootstrap.page


def test_the_worker_and_a_flush_do_nothing_twice(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem, mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        for number in range(30):
            s.observe(f"I like fruit number {number}.")
        s.flush()
        assert len(mem.facts("ana", kinds=["fact"])) == 30
        assert mem.stats().turns_by_status == {"done": 30}


DIES = """
import os, signal, sys, memdb
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
s = mem.session("ana", "killed", now="2025-03-01T10:00:00Z")
s.observe("I live in Porto.")
s.working.add("Only in mind")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_dies_loses_only_working_memory(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    died = subprocess.run([sys.executable, "-c", DIES, str(path)], cwd=ROOT, check=False)
    assert died.returncode == -signal.SIGKILL
    with memdb.open(path, embedder=None, config=QUIET) as mem, mem.session("ana", "next", now="2025-03-02T10:00:00Z") as s:
        assert s.bootstrap.recovered == ("killed",)
        assert s.bootstrap.last is not None
        assert "Learned: User lives in Porto" in s.bootstrap.last.value_text
        assert [fact.value_text for fact in s.bootstrap.facts] == ["User lives in Porto"]
        assert "Only in mind" not in str(mem.facts("ana")) + str(kinds(mem, "message"))
    with memdb.open(path, embedder=None, config=QUIET) as mem, mem.session("ana") as s:
        assert s.bootstrap.recovered == ()


def test_the_session_of_the_documentation_runs(mem: memdb.Memory, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```py\n(.*?)```", (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code
    exec(compile(code[1], "how-it-works.md", "exec"), {"mem": mem})
    out = capsys.readouterr().out
    assert out.startswith("# What is remembered of ana")
    assert "# Working Memory" in out
    assert "- Wants answers in bullet points\n" in (mem._store.path.parent / "memory.md").read_text()


def test_a_session_that_another_one_holds_is_left_alone(mem: memdb.Memory) -> None:
    first = mem.session("ana", "one")
    second = mem.session("ana", "two")
    assert second.bootstrap.recovered == ()
    second.close()
    first.observe("Still here.")
    first.close()


LIVES = """
import sys, memdb
mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
number = int(sys.argv[2])
while True:
    number += 1
    with mem.session("ana", f"s{number}") as s:
        assert s.bootstrap.offered == (), s.bootstrap.offered
        s.observe(f"I like fruit number {number}.", turn_id=f"t{number}")
        print(number, flush=True)
        s.working.add(f"Thought {number}")
"""


@pytest.mark.slow
def test_killed_at_any_moment_of_a_session_nothing_said_is_lost_and_no_page_is_taken_for_an_edit(tmp_path: Path) -> None:
    chance, said = random.Random(3), 0
    for _ in range(8):
        command = [sys.executable, "-c", LIVES, str(tmp_path / "mem.db"), str(said)]
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert child.stdout
        child.stdout.readline()
        time.sleep(chance.uniform(0, 0.3))
        child.kill()
        out, err = child.communicate()
        assert err == ""
        said = max([said + 1, *map(int, out.split())])
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem, mem.session("ana", "last") as s:
        assert s.bootstrap.offered == ()
        spoken = {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])}
        assert {f"t{number}" for number in range(1, said + 1)} <= spoken
        accounts = {fact.session_id for fact in mem.facts("ana", kinds=["episode"]) if "session" in fact.tags}
        assert {f"s{number}" for number in range(1, said + 1)} <= accounts
    assert len((tmp_path / "memory.md").read_text().splitlines()) <= 200


def test_a_flush_and_an_end_that_find_no_room_are_made_up_for_by_the_next(tmp_path: Path) -> None:
    def end(folder: Path, *, room: int | None) -> tuple[bool, list[tuple[str, str, str]], str]:
        folder.mkdir()
        with FullDisk() as disk, memdb.open(folder / "mem.db", embedder=None, llm=None, config=QUIET) as mem:
            session = mem.session("ana", "s1", now="2025-03-01T10:00:00Z")
            session.observe(HELLO, "Hello!", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
            session.working.add("wants to go to Faro")
            log, failed = (folder / "mem.db-wal").stat().st_size, False
            try:
                with nullcontext() if room is None else disk.full(at=log + room * 4_096):
                    session.flush(now="2025-03-01T11:00:00Z")
                    session.close(now="2025-03-01T12:00:00Z")
            except memdb.StoreError as error:
                assert error.full
                failed = True
                session.flush(now="2025-03-01T11:00:00Z")
                session.close(now="2025-03-01T12:00:00Z")
            told = [(fact.kind, fact.status, fact.value_text) for fact in mem.facts("ana", kinds=mem.kinds())]
            assert mem.session("ana", "s2", now="2025-03-02T10:00:00Z").bootstrap.offered == ()
            return failed, sorted(told), (folder / "memory.md").read_text(encoding="utf-8")

    _, facts, page = end(tmp_path / "whole", room=None)
    assert "wants to go to Faro" in page
    for room in count_from(0, 7):
        failed, found, written = end(tmp_path / str(room), room=room)
        assert (found, written) == (facts, page)
        if not failed:
            break
    assert room > 50


def test_one_conversation_may_be_open_twice(mem: memdb.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Ana's notebook")  # whatever a machine is called
    one, other = mem.session("ana", "s"), mem.session("ana", "s")
    for session, text in ((one, "Ana is in a hurry"), (other, "Ana thinks of figs")):
        session.working.add(text)
    other.observe("I like jazz.")
    assert [fact.value_text for fact in one.flush().kept] == ["Ana is in a hurry"]
    one.close()
    assert mem.session("ana", "another").bootstrap.recovered == ()  # it is open still
    other.close()
    assert {fact.value_text for fact in mem.facts("ana", kinds=["note"])} == {"Ana is in a hurry", "Ana thinks of figs"}


def test_what_is_forgotten_while_a_conversation_is_open_twice_is_let_go_of_by_both(mem: memdb.Memory) -> None:
    both = mem.session("ana", "s"), mem.session("ana", "s")
    for session in both:
        session.working.add("Ana is in a hurry")
    mem.forget("ana")
    mem.session("ana", "s").observe("I like jazz.")
    for session in both:
        session.close()
    assert [fact.object for fact in mem.facts("ana", kinds=["fact", "note"])] == ["jazz"]


def test_a_conversation_that_is_taken_up_again_is_not_over(mem: memdb.Memory) -> None:
    with mem.session("ana", "s", now="2025-03-01T10:00:00Z") as s:
        s.observe("The boiler is called Bertha.", "Sounds lovely.")
    with mem.session("ana", "s", now="2025-03-01T11:00:00Z"):
        assert mem.maintain(now="2025-03-01T11:00:00Z").episodes == 0
    assert mem.maintain(now="2025-03-01T11:00:00Z").episodes == 1


def test_the_end_of_a_session_ends_no_other_one(mem: memdb.Memory) -> None:
    open_still = [("ana", "s"), ("bob", "t")]
    *_others, ending = (mem.session(user, name, now="2025-03-01T10:00:00Z") for user, name in (*open_still, ("bob", "s")))
    ending.close()
    db = mem._store.database().connection
    assert db.execute("select user_id, session_id from sessions where ended_at is null order by 1").fetchall() == open_still
    assert db.execute("select user_id, session_id from open_sessions order by 1").fetchall() == open_still


def test_a_turn_of_another_session_ends_the_one_before_unless_that_has_gone_on_since(mem: memdb.Memory) -> None:
    for minute, session in enumerate(("a", "b", "a")):
        mem.observe("Hello.", user_id="ana", session_id=session, timestamp=f"2025-03-01T10:0{minute}:00Z")
    mem.drain()
    over = "select session_id from sessions where ended_at is not null"
    assert mem._store.database().connection.execute(over).fetchall() == [("b",)]


def test_a_session_whose_process_died_is_left_to_its_user(mem: memdb.Memory) -> None:
    mem.session("bob", "lost").observe("I live in Faro.")
    mem._store.database().connection.execute("update open_sessions set held_by = ?", (new_identity(),))  # of nobody
    assert mem.session("ana", "s").bootstrap.recovered == ()
    assert mem.session("bob", "t").bootstrap.recovered == ("lost",)


@pytest.mark.parametrize("name", ["x", f"{socket.gethostname()}:x:1", f"{socket.gethostname()}:{'9' * 30}:1"])
def test_a_session_that_is_held_by_what_no_process_is_called_was_left(name: str, mem: memdb.Memory) -> None:
    mem.session("ana", "lost").observe("I live in Faro.")
    mem._store.database().connection.execute("update open_sessions set held_by = ?", (name,))
    assert mem.session("ana", "t").bootstrap.recovered == ("lost",)


def test_a_session_lets_go_of_a_forgotten_turn_whose_id_another_user_s_has_too(mem: memdb.Memory) -> None:
    mem.observe("Hello.", user_id="bob", turn_id="t1")
    with mem.session("ana") as s:
        s.observe("I live in Quuxtown.", turn_id="t1")
        s.flush()
        mem.forget("ana", key="user.lives_in")
        assert "Quuxtown" not in s.context("Where?").text


def test_what_was_stated_after_its_user_was_forgotten_stands_on_the_page(mem: memdb.Memory) -> None:
    with mem.session("ana") as s:
        mem.forget("ana")
        mem.remember("Likes figs", user_id="ana")
        s.flush()
        assert "Likes figs" in Path(str(mem.stats().path)).with_name("memory.md").read_text()


def test_a_session_begins_with_what_matters_most_and_not_with_what_is_surest(mem: memdb.Memory) -> None:
    for text, importance, confidence in (("Has a stall", 0.3, 0.95), ("Has a plan", 0.9, 0.75)):
        mem.remember(text, user_id="ana", importance=importance, confidence=confidence)
    with mem.session("ana") as session:
        assert [fact.value_text for fact in session.bootstrap.facts] == ["Has a plan", "Has a stall"]
