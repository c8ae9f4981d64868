"""Procedures: found when a task resembles their trigger, stronger or weaker by how they went."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from tests.embedders import OneMeaning


def deploy(mem: memdb.Memory) -> memdb.Procedure:
    return mem.learn("deploy the website", ["run the tests", "push the tag"], user_id="ana", title="Deploying", timestamp="2025-03-01")


def test_a_procedure_is_found_when_the_task_resembles_its_trigger(mem: memdb.Memory) -> None:
    deploy(mem)
    mem.learn("bake bread", ["mix flour and water", "wait a day", "bake"], user_id="ana")
    mem.drain()
    best = mem.procedures("How did we deploy our website last time?", user_id="ana")[0]
    assert (best.title, best.trigger, best.steps) == ("Deploying", "deploy the website", ("run the tests", "push the tag"))
    assert (best.successes, best.failures, best.success_rate) == (0, 0, None)


def test_success_strengthens_and_failure_weakens(mem: memdb.Memory) -> None:
    learned = deploy(mem)
    better = mem.outcome(learned.fact_id, True)
    worse = mem.outcome(learned.fact_id, False, note="the tag existed")
    assert better.confidence == pytest.approx(learned.confidence + (1 - learned.confidence) * 0.5)
    assert worse.confidence == pytest.approx(better.confidence * 0.5)
    assert (worse.successes, worse.failures, worse.success_rate) == (1, 1, 0.5)
    assert mem.history(fact_id=learned.fact_id)[-1].reason == "it failed: the tag existed"


def test_of_two_ways_the_one_that_worked_comes_first(mem: memdb.Memory) -> None:
    first = mem.learn("cook rice", ["boil it in much water"], user_id="ana")
    second = mem.learn("cook the rice", ["steam it with little water"], user_id="ana")
    for _ in range(3):
        mem.outcome(first.fact_id, False)
        mem.outcome(second.fact_id, True)
    mem.drain()
    assert [one.fact_id for one in mem.procedures("cook rice", user_id="ana")] == [second.fact_id, first.fact_id]


def test_the_outcome_of_a_turn_counts_once(mem: memdb.Memory) -> None:
    learned = deploy(mem)
    once = mem.outcome(learned.fact_id, True, turn_id="t1")
    assert mem.outcome(learned.fact_id, True, turn_id="t1") == once
    assert once.successes == 1


def test_other_steps_for_the_same_trigger_supersede(mem: memdb.Memory) -> None:
    old = deploy(mem)
    new = mem.learn("deploy the website", ["press the green button"], user_id="ana", timestamp="2025-04-01")
    mem.drain()
    assert [one.steps for one in mem.procedures("deploy the website", user_id="ana")] == [("press the green button",)]
    assert (mem.facts("ana", kinds=["procedure"], statuses=["superseded"])[0].fact_id, new.success_rate) == (old.fact_id, None)


@pytest.mark.parametrize("embedder", [None, OneMeaning()])
@pytest.mark.parametrize("then", [["mix", "wait"], ["wait", "mix", "bake"], ["mix", "bake", "wait", "eat"], ["mix", "waits"], ["wait mix"]])
def test_fewer_steps_or_another_order_are_other_steps(tmp_path: Path, embedder: OneMeaning | None, then: list[str]) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        mem.learn("bake bread", ["mix", "wait", "bake"], user_id="ana", timestamp="2025-03-01")
        assert mem.learn("bake bread", then, user_id="ana", timestamp="2025-03-02").steps == tuple(then)
        assert [fact.value_json["steps"] for fact in mem.facts("ana", kinds=["procedure"])] == [then]  # type: ignore[index, call-overload]


@pytest.mark.parametrize("trigger", ["note the meter", "weight training", "email the landlord"])
def test_a_trigger_that_begins_like_a_key_is_no_such_key(mem: memdb.Memory, trigger: str) -> None:
    mem.learn(trigger, ["ask Rui"], user_id="ana", timestamp="2025-03-01")
    mem.learn(trigger, ["press the green button"], user_id="ana", timestamp="2025-03-02")
    (known,) = mem.facts("ana", kinds=["procedure"], statuses=["active", "pending_confirmation"])
    assert (known.object, known.status, known.category) == ("1. press the green button", "active", "other")


def test_a_shell_sees_how_procedures_went(mem: memdb.Memory) -> None:
    learned = deploy(mem)
    mem.outcome(learned.fact_id, True)
    mem.outcome(learned.fact_id, False)
    rows = mem._store.database().connection.execute('select title, "trigger", successes, failures, success_rate from procedure').fetchall()
    assert rows == [("Deploying", "deploy the website", 1, 1, 0.5)]


def test_a_procedure_stands_in_the_context_of_its_task(mem: memdb.Memory) -> None:
    deploy(mem)
    mem.drain()
    assert "- To deploy the website: 1. run the tests; 2. push the tag" in mem.context("deploy the website", user_id="ana").text


@pytest.mark.parametrize("details", [None, {"steps": "boil it"}, {"title": 7, "trigger": ["rice"], "steps": [1, "boil it"]}])
def test_a_procedure_that_was_stated_in_another_shape_is_found_beside_the_others(mem: memdb.Memory, details: object) -> None:
    learned = mem.learn("cook rice", ["boil it"], user_id="ana")
    stated = mem.remember("Rice is cooked best in much water", user_id="ana", kind="procedure", value_json=details)  # type: ignore[arg-type]
    mem.drain()
    found = {one.fact_id: one for one in mem.procedures("cook rice", user_id="ana")}
    titles = mem._store.database().connection.execute("select title from procedure where id = ?", (stated.fact_id,)).fetchall()
    assert titles == [(found[stated.fact_id].title,)]
    assert set(found) == {learned.fact_id, stated.fact_id}
    assert mem.outcome(stated.fact_id, True).successes == 1


def test_what_was_in_mind_as_a_procedure_is_found_after_the_flush(mem: memdb.Memory) -> None:
    with mem.session("ana") as session:
        session.working.add("Rice is cooked best in much water", kind="procedure")
    (found,) = mem.procedures("cook rice", user_id="ana")
    assert (found.title, found.trigger, found.steps) == (*["Rice is cooked best in much water"] * 2, ())


def test_outcomes_go_with_their_user(mem: memdb.Memory) -> None:
    mem.outcome(deploy(mem).fact_id, False, note="zanzibarquux")
    mem.forget("ana")
    assert mem._store.database().connection.execute("select count(*) from outcomes").fetchall() == [(0,)]
    assert b"zanzibarquux" not in mem._store.path.read_bytes()


def test_a_name_is_given_later_and_stays(mem: memdb.Memory) -> None:
    first = mem.learn("cook rice", ["wash", "boil"], user_id="ana", importance=0.9)
    named = mem.learn("cook rice", ["wash", "boil"], user_id="ana", title="Rice")
    again = mem.learn("cook rice", ["wash", "boil"], user_id="ana")
    other = mem.learn("cook rice", ["wash", "steam"], user_id="ana")
    assert [one.title for one in (first, named, again, other)] == ["cook rice", "Rice", "Rice", "Rice"]
    assert first.fact_id == named.fact_id == again.fact_id != other.fact_id
    assert mem.facts("ana", kinds=["procedure"], statuses=["superseded"])[0].importance == 0.9


def test_bad_input_is_told(mem: memdb.Memory) -> None:
    fact = mem.remember("Likes figs", user_id="ana")
    with pytest.raises(memdb.InputError, match="is a fact, not a procedure"):
        mem.outcome(fact.fact_id, True)
    with pytest.raises(memdb.NotFoundError, match="no fact 'x'"):
        mem.outcome("x", True)
    with pytest.raises(memdb.InputError, match="There are no steps"):
        mem.learn("sleep", [], user_id="ana")
    with pytest.raises(memdb.InputError, match="step 2 is empty"):
        mem.learn("sleep", ["lie down", " "], user_id="ana")
    with pytest.raises(memdb.InputError, match="trigger is empty"):
        mem.learn(" ", ["lie down"], user_id="ana")


def test_what_was_done_again_has_come_to_mind(mem: memdb.Memory) -> None:
    dinner = mem.learn("plan a dinner", ["ask who comes"], user_id="ana", timestamp="2025-03-01")
    for day in (2, 3):
        mem.outcome(dinner.fact_id, day == 2, turn_id=f"t{day}", timestamp=f"2025-03-0{day}")
    fact = mem.fact(dinner.fact_id)
    assert (fact.access_count, str(fact.last_accessed)[:10]) == (2, "2025-03-03")
