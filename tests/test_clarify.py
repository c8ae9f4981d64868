"""A question is offered only where the answer is worth the asking."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import memdb
from memdb.steps.clarify import clarify


def told(path: Path, *turns: str, ask: str = "anything") -> memdb.Context:
    with memdb.open(path / "mem.db", embedder=None, config={"worker": False}) as mem:
        for day, turn in enumerate(turns, start=1):
            mem.observe(turn, user_id="ana", timestamp=f"2025-03-{day:02}T10:00:00Z")
        mem.drain()
        return mem.context(ask, user_id="ana", now="2025-04-01")


def test_a_pending_change_of_identity_is_worth_a_question(tmp_path: Path) -> None:
    made = told(tmp_path, "I live in Porto.", "I live in Braga.")
    assert made.question == "Which is right now: “User lives in Porto”, as held so far, or “User lives in Braga”, as said since?"


def test_an_explicit_change_leaves_nothing_to_ask(tmp_path: Path) -> None:
    assert told(tmp_path, "I live in Porto.", "I moved to Braga.").question is None


def test_a_minor_conflict_is_not_asked_about(tmp_path: Path) -> None:
    turns = ["My favourite colour is green."] * 3 + ["My favourite colour is blue."]
    assert told(tmp_path, *turns).question is None


def test_a_minor_conflict_is_asked_about_where_the_answer_depends_on_it(tmp_path: Path) -> None:
    turns = ["My favourite colour is green."] * 3 + ["My favourite colour is blue."]
    assert "“User has the favourite colour blue”" in str(told(tmp_path, *turns, ask="What is my favourite colour?").question)


@pytest.mark.parametrize(("importance", "asked"), [(0.69, False), (0.7, True)])
def test_a_conflict_is_worth_a_question_from_an_importance_of_seven_tenths_on(tmp_path: Path, importance: float, asked: bool) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        for day, colour in enumerate(("green", "green", "green"), start=1):
            text = f"User has the favourite colour {colour}"
            mem.remember(
                text,
                user_id="ana",
                key="user.favourite_colour",
                object=colour,
                importance=importance,
                timestamp=f"2025-03-0{day}T10:00:00Z",
            )
        mem.observe("My favourite colour is blue.", user_id="ana", timestamp="2025-03-04T10:00:00Z")
        mem.drain()
        assert (mem.context("anything", user_id="ana", now="2025-04-01").question is not None) is asked


def test_the_question_is_gone_once_answered(tmp_path: Path) -> None:
    turns = ["I live in Porto.", "I live in Braga.", "I moved to Braga, I mean it."]
    assert told(tmp_path, *turns).question is None


def test_a_doubt_is_asked_about_when_what_it_contradicted_is_over(tmp_path: Path) -> None:
    turns = ["I live in Porto.", "I live in Braga.", "I don't live in Porto any more."]
    assert told(tmp_path, *turns).question == "Is this right now: “User lives in Braga”?"


def test_a_minor_doubt_whose_belief_is_over_is_asked_about_where_the_answer_depends_on_it(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        for day, colour in enumerate(("green", "green", "green", "blue"), start=1):
            mem.observe(f"My favourite colour is {colour}.", user_id="ana", timestamp=f"2025-03-0{day}")
        mem.drain()
        (green,) = mem.facts("ana", statuses=["active"])
        mem.reject(green.fact_id, now="2025-03-05")
        verdict = mem.context("What is my favourite colour?", user_id="ana", now="2025-03-06").verdict
        assert verdict is not None
        assert (verdict.decision, verdict.reason) == ("clarify", "what fits best was never confirmed")
        assert mem.context("anything", user_id="ana", now="2025-03-06").question is None


def test_a_denial_of_what_is_over_is_no_question(mem: memdb.Memory) -> None:
    for day, turn in enumerate(("I'm allergic to nuts.", "I'm no longer allergic to pine nuts."), start=1):
        mem.consent("ana", sensitive_topics="keep")
        mem.observe(turn, user_id="ana", timestamp=f"2025-03-0{day}")
    mem.drain()
    (nuts,) = mem.facts("ana", statuses=["active"])
    assert "pine nuts" in (mem.context("nuts", user_id="ana", now="2025-03-03").question or "")
    mem.end(nuts.fact_id, now="2025-03-03")
    assert mem.context("nuts", user_id="ana", now="2025-03-04").question is None


def denied(mem: memdb.Memory) -> tuple[memdb.Fact, memdb.Fact]:
    mem.consent("ana", sensitive_topics="keep")
    mem.observe("I'm allergic to nuts.", user_id="ana", turn_id="t1", timestamp="2025-03-01")
    mem.observe("I'm not allergic to nuts.", user_id="ana", turn_id="t2", timestamp="2025-03-02")
    mem.drain()
    (nuts,), (doubt,) = (mem.facts("ana", statuses=[status]) for status in ("active", "pending_confirmation"))
    return nuts, doubt


def test_a_denial_is_settled_with_the_end_of_what_it_doubted(mem: memdb.Memory) -> None:
    nuts, doubt = denied(mem)
    mem.end(nuts.fact_id, valid_to="2025-04-01", now="2025-03-03")
    assert mem.fact(doubt.fact_id).status == "pending_confirmation"
    mem.observe("Good morning!", user_id="ana", timestamp="2025-04-02")
    mem.drain()
    assert mem.fact(doubt.fact_id).status == "expired"
    assert mem.history(fact_id=doubt.fact_id)[-1].reason == "what it doubted has ended"
    assert mem.undo(user_id="ana", turn_id="t2").kept == 0


@pytest.mark.parametrize("how", ["end", "reject", "undo", "maintain", "compact"])
def test_a_denial_of_what_is_held_no_longer_waits_for_nothing(mem: memdb.Memory, how: str) -> None:
    nuts, doubt = denied(mem)
    if how == "undo":
        mem.undo(user_id="ana", turn_id="t1", now="2025-03-03")
    elif how in ("end", "reject"):
        getattr(mem, how)(nuts.fact_id, now="2025-03-03")
    else:  # as a file of an earlier version may hold it
        mem._store.database().connection.execute(f"update facts set status = 'expired' where fact_id = '{nuts.fact_id}'")
        getattr(mem, how)(now="2026-03-03")
    assert mem.facts("ana", statuses=["pending_confirmation"]) == []
    assert (mem.fact(doubt.fact_id).status, mem.fact(doubt.fact_id).valid_to) == ("expired", doubt.valid_from)


def test_a_denial_that_is_confirmed_stands_though_what_it_denied_was_only_pending(mem: memdb.Memory) -> None:
    nuts, doubt = denied(mem)
    pending = f"update facts set status = 'pending_confirmation' where fact_id = '{nuts.fact_id}'"
    mem._store.database().connection.execute(pending)
    mem.confirm(doubt.fact_id, now="2025-03-03")
    assert [(fact.fact_id, fact.valid_to) for fact in mem.facts("ana", statuses=["active"])] == [(doubt.fact_id, None)]
    assert mem.fact(nuts.fact_id).status == "expired"


def test_a_denial_of_what_is_in_doubt_itself_still_waits(mem: memdb.Memory) -> None:
    nuts, doubt = denied(mem)
    mem.doubt(nuts.fact_id, now="2025-03-03")
    mem.maintain(now="2025-03-04")
    assert mem.fact(doubt.fact_id).status == "pending_confirmation"
    assert mem.context("nuts", user_id="ana", now="2025-03-04").question is None


def waiting(mem: memdb.Memory, text: str, *, importance: float = 0.1, category: str = "other") -> str:
    fact = mem.remember(text, user_id="ana", importance=importance, timestamp="2025-03-01")
    pending = f"update facts set status = 'pending_confirmation', category = '{category}' where fact_id = '{fact.fact_id}'"
    mem._store.database().connection.execute(pending)
    return fact.fact_id


def doubts(mem: memdb.Memory) -> list[memdb.answers.Doubt]:
    at = datetime(2025, 3, 2, tzinfo=UTC)
    return clarify(mem._store.database(), (), user_id="ana", now=at, said_by=at, config=mem.config)


def test_what_counts_most_is_asked_first_and_of_equals_what_came_last(mem: memdb.Memory) -> None:
    first, second, third = (waiting(mem, text, importance=most) for text, most in (("chess", 0.9), ("tea", 0.5), ("jazz", 0.9)))
    assert [doubt.fact_id for doubt in doubts(mem)] == [third, first, second]


def test_what_bears_on_the_question_comes_before_what_counts_more(mem: memdb.Memory) -> None:
    for day, colour in enumerate(("green", "green", "green", "blue"), start=1):
        mem.observe(f"My favourite colour is {colour}.", user_id="ana", timestamp=f"2025-03-0{day}")
    mem.drain()
    waiting(mem, "Ana owns a castle", importance=0.95)
    assert "castle" in str(mem.context("anything", user_id="ana", now="2025-03-05").question)
    assert "blue" in str(mem.context("What is my favourite colour?", user_id="ana", now="2025-03-05").question)


def test_leave_to_remember_is_asked_for_whatever_else_is_in_doubt(mem: memdb.Memory) -> None:
    mem.link(waiting(mem, "Ana plays chess"), mem.remember("Ana plays go", user_id="ana").fact_id, "contradicts")
    secret = waiting(mem, "Ana votes")
    (asked,) = (doubt for doubt in doubts(mem) if doubt.leave)
    assert (asked.fact_id, asked.question, asked.worth) == (secret, "Shall I remember this: “Ana votes”?", True)


def test_a_doubt_is_asked_about_against_what_it_contradicts_alone(mem: memdb.Memory) -> None:
    chess = waiting(mem, "Ana plays chess")
    go, clubs = (mem.remember(text, user_id="ana").fact_id for text in ("Ana plays go", "Ana likes clubs"))
    mem.link(chess, go, "contradicts")
    mem.link(chess, clubs, "relates-to")
    assert [doubt.against for doubt in doubts(mem)] == [go]


@pytest.mark.parametrize(("category", "worth"), [("health", True), ("identity", True), ("soft_preference", False)])
def test_a_doubt_about_health_or_identity_is_worth_a_question_however_little_it_counts(
    mem: memdb.Memory, category: str, worth: bool
) -> None:
    mem.link(waiting(mem, "Ana sleeps badly", category=category), mem.remember("Ana sleeps well", user_id="ana").fact_id, "contradicts")
    assert [doubt.worth for doubt in doubts(mem)] == [worth]


def test_the_question_says_when_something_is_to_begin(tmp_path: Path) -> None:
    question = told(tmp_path, "I live in Porto.", "I think I'll be living in Faro from May on.").question
    assert "“User lives in Faro (from 2025-05-01)”" in str(question)


def test_what_was_asked_and_not_answered_is_not_asked_again_for_a_week(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I have asthma.", user_id="ana", timestamp="2025-03-01T10:00:00Z")
        mem.observe("I'm allergic to nuts.", user_id="ana", timestamp="2025-03-01T10:01:00Z")
        mem.drain()
        first = mem.context("What shall I cook?", user_id="ana", now="2025-03-01T10:02:00Z").question
        mem.observe("What shall I cook?", f"A risotto.\n\n{first}", user_id="ana", timestamp="2025-03-01T10:02:00Z")
        mem.observe("Thanks, sounds good!", "You're welcome!", user_id="ana", timestamp="2025-03-01T10:03:00Z")
        mem.drain()
        then = mem.context("And for dessert?", user_id="ana", now="2025-03-01T10:04:00Z").question
        assert None not in (first, then)
        assert then != first  # the other of the two
        mem.observe("And for dessert?", f"Fruit. {then}", user_id="ana", timestamp="2025-03-01T10:04:00Z")
        mem.drain()
        assert mem.context("And to drink?", user_id="ana", now="2025-03-02T10:00:00Z").question is None
        assert mem.context("And to drink?", user_id="ana", now="2025-03-09T10:00:00Z").question is not None


def test_what_another_was_asked_is_asked_all_the_same(mem: memdb.Memory) -> None:
    for day, town in enumerate(("Porto", "Braga"), start=1):
        mem.observe(f"I live in {town}.", user_id="ana", timestamp=f"2025-03-0{day}T10:00:00Z")
    mem.drain()
    question = mem.context("anything", user_id="ana", now="2025-03-03").question
    assert question is not None
    mem.observe("Hello.", question, user_id="bob", timestamp="2025-03-03T10:00:00Z")
    assert mem.context("anything", user_id="ana", now="2025-03-04").question == question


def test_what_is_over_before_anybody_said_yes_is_not_asked_about(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("User takes aspirin", user_id="ana", key="user.takes", timestamp="2025-03-01", valid_to="2025-03-10")
        asked = [mem.context("What shall I cook?", user_id="ana", now=f"2025-03-{day}").question for day in ("09", "11")]
    assert asked == ["Shall I remember this: “User takes aspirin”?", None]
