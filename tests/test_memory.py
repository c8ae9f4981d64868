"""What the one class promises."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw
import numpy as np
import pytest
from pydantic import JsonValue

import memdb
from memdb.database import Database
from memdb.observer import build_profile
from memdb.times import to_text, utc_now

Tell = Callable[..., memdb.Memory]


def test_a_message_is_found_by_its_words_before_anything_is_thought(mem: memdb.Memory) -> None:
    mem.observe("The ferry to Cacilhas was late.", "Again?", user_id="ana", turn_id="t1")
    best = mem.search("ferry", user_id="ana")[0]
    assert (best.fact.value_text, best.fact.source_turn_id) == ("The ferry to Cacilhas was late.", "t1")


def test_what_was_said_is_kept_word_for_word(mem: memdb.Memory) -> None:
    words = "  Ünï\tcode \u200d👩‍👩‍👧 'quotes' \"and\"\n\nlines; drop table facts; --  "
    mem.observe(words, words, user_id="ana")
    assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == [words, words]


def test_observing_the_same_turn_again_changes_nothing(mem: memdb.Memory) -> None:
    for _ in range(3):
        assert mem.observe("I live in Porto.", user_id="ana", turn_id="t1") == "t1"
    mem.drain()
    assert mem.stats().turns_by_status == {"done": 1}
    assert [fact.seen_count for fact in mem.facts("ana")] == [1]


def test_another_text_under_the_same_id_is_refused(mem: memdb.Memory) -> None:
    mem.observe("One.", user_id="ana", turn_id="t1")
    with pytest.raises(memdb.ConflictError, match="already has another turn 't1'"):
        mem.observe("Two.", user_id="ana", turn_id="t1")
    mem.observe("Two.", user_id="bea", turn_id="t1")


def test_loading_is_repeatable_without_ids(mem: memdb.Memory) -> None:
    messages = [{"text": "Hi."}, {"text": "Hi."}, {"text": "I live in Porto.", "speaker": "Ana"}]
    seen: list[int] = []
    assert mem.load(messages, user_id="ana", progress=seen.append) == 3
    assert mem.load(messages, user_id="ana") == 0
    assert seen == [3]


NO_VECTORS: list[object] = [1, 0.5, True, {}, {"x": 1}, "x", [1], [["x"]], iter([]), Path("x")]


@pytest.mark.parametrize(
    "call",
    [
        lambda mem, fact_id: mem.undo(user_id=["ana"], turn_id="t1"),
        lambda mem, fact_id: mem.undo(user_id="ana", turn_id={}),
        lambda mem, fact_id: mem.undo(user_id="ana", session_id=Path("s1")),
        lambda mem, fact_id: mem.weights(["default"]),
        lambda mem, fact_id: mem.tune("mine", [{"query": "tea", "user_id": "ana", "relevant": [fact_id]}], base=["default"]),
        lambda mem, fact_id: mem.evaluate(weights=None),
        lambda mem, fact_id: mem.evaluate(weights=iter(["default"])),
        lambda mem, fact_id: mem.link(fact_id, fact_id, strength=None),
        lambda mem, fact_id: mem.link(fact_id, fact_id, strength=[0.5]),
        lambda mem, fact_id: mem.load([{"text": "Hello."}], user_id=b"ana"),
        *(
            lambda mem, fact_id, vectors=vectors: mem.remember_many([{"value_text": "x", "user_id": "ana"}], vectors=vectors)
            for vectors in NO_VECTORS
        ),
    ],
)
def test_what_is_of_another_type_than_wanted_is_told(mem: memdb.Memory, call: Callable[[memdb.Memory, str], object]) -> None:
    known = mem.remember("Likes tea", user_id="ana")
    with pytest.raises(memdb.InputError):
        call(mem, known.fact_id)
    assert [fact.fact_id for fact in mem.facts("ana")] == [known.fact_id]


def test_a_chat_loads_as_it_is(mem: memdb.Memory) -> None:
    chat: list[dict[str, object]] = [
        {"role": "user", "content": "I live in Porto."},
        {"role": "assistant", "content": [{"type": "text", "text": "A fine city."}]},
    ]
    assert (mem.load(chat, user_id="ana"), mem.load(chat, user_id="ana"), mem.drain()) == (2, 0, True)
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == ["Porto"]
    assert [turn.speaker for turn in mem.turns("ana")] == ["user", "assistant"]


def test_a_chat_whose_last_messages_only_call_tools_loads_to_its_end(mem: memdb.Memory) -> None:
    said: list[dict[str, object]] = [{"role": "user", "content": f"Message {number}."} for number in range(200)]
    call: dict[str, object] = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    told: list[int] = []
    assert mem.load([*said, call], user_id="ana", progress=told.append) == 200
    assert told == [200, 201]
    assert mem.load([call], user_id="ana") == 0


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function", "System"])
def test_what_no_person_says_in_a_chat_is_kept_and_makes_no_fact(mem: memdb.Memory, role: str) -> None:
    chat = [
        {"role": role, "content": "I live in Berlin and I like tea.", "session_id": "s1"},
        {"role": "user", "content": f"I bought a new {role} for the garden.", "session_id": "s1"},
    ]
    with mem.session("ana", "s1") as session:
        mem.load(chat, user_id="ana")
        assert mem.drain()
        account = session.snapshot()
    assert [fact.key for fact in mem.facts("ana", kinds=["fact"])] == []
    kept = {fact.source: fact.value_text for fact in mem.facts("ana", kinds=["message"])}
    assert kept["tool" if role in ("tool", "function") else "system"] == chat[0]["content"]
    assert account is not None
    assert "Berlin" not in account.value_text
    assert role.lower() in mem.explain(f"Which {role.lower()} did I buy?", user_id="ana").question.terms


def test_what_a_model_says_only_to_a_tool_is_passed_over(mem: memdb.Memory) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    assert (
        mem.load(
            [{"role": "user", "content": "Will it rain?"}, call, {"role": "tool", "tool_call_id": "c1", "content": "Yes."}], user_id="ana"
        )
        == 2
    )
    assert [turn.user_input for turn in mem.turns("ana")] == ["Will it rain?", "Yes."]


def test_a_task_that_is_stated_as_done_is_over(mem: memdb.Memory) -> None:
    done = mem.remember("Pay the tax", user_id="ana", kind="task", value_json={"state": "done"})
    stalled = mem.remember("Sell the boat", user_id="ana", kind="task", value_json={"state": "stalled"})
    assert (done.status, stalled.status) == ("expired", "active")
    assert [(entry.text, entry.state) for entry in mem.profile("ana").current_tasks] == [("Sell the boat", "stalled")]


def test_a_task_that_is_stated_is_the_one_that_was_said(mem: memdb.Memory) -> None:
    mem.remember("Call mum", user_id="ana", kind="task")
    mem.observe("Remind me to call mum.", user_id="ana")
    assert mem.drain()
    assert [(fact.key, fact.value_text, fact.seen_count) for fact in mem.facts("ana")] == [("user.task", "Call mum", 2)]


def test_a_bad_message_is_named(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match=r"Message 2 cannot be loaded: field words"):
        mem.load([{"text": "fine"}, {"text": "bad", "words": 3}], user_id="ana")
    with pytest.raises(memdb.InputError, match=r"Message 2 cannot be loaded: user_input holds half a surrogate pair"):
        mem.load([{"text": "fine"}, {"text": "\ud83d"}], user_id="ana")


def nested(depth: int) -> list[JsonValue]:
    value: list[JsonValue] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_details_that_lie_as_deep_as_they_may_are_read_again_wherever_they_stand(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Ana likes tea", "user_id": "ana", "value_json": nested(100)}])
    kept = mem.remember("Ana likes jam", user_id="ana", value_json=nested(100))
    assert [fact.value_text for fact in mem.facts("ana")] == ["Ana likes tea", "Ana likes jam"]
    mem.reject(kept.fact_id)
    assert [change.operation for change in mem.history(fact_id=kept.fact_id)] == ["insert", "reject"]


SEVERAL: Any = np.array(["True", "False"])  # of which no one can say whether it is true
FROM_THEN: dict[str, object] = {"value_text": "Lives in Porto", "user_id": "ana", "valid_from": "2025-03-02"}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda mem: mem.observe("", user_id="ana"), "nothing to observe"),
        (lambda mem: mem.observe(" \n", user_id="ana"), "user_input is blank"),
        (lambda mem: mem.observe(" \n", "Hello.", user_id="ana"), "user_input is blank"),
        (lambda mem: mem.observe("", " ", user_id="ana"), "nothing to observe"),
        (lambda mem: mem.load([{"text": "Hi."}, {"text": " "}], user_id="ana"), "Message 2 cannot be loaded: its text is blank"),
        (lambda mem: mem.event("  ", user_id="ana"), "description is empty"),
        (lambda mem: mem.observe("Hi.", user_id=" "), "user_id is empty"),
        (lambda mem: mem.observe("\ud800", user_id="ana"), "surrogate"),
        (lambda mem: mem.observe("Hi.", user_id="ana", timestamp="noon"), "timestamp: 'noon' is not a time"),
        (lambda mem: mem.observe(SEVERAL, user_id="ana"), "user_input is ndarray, not text"),
        (lambda mem: mem.search("x", user_id="ana", record=SEVERAL), "record is array.*; give True or False"),
        (lambda mem: mem.maintain(dry_run=SEVERAL), "dry_run is array.*; give True or False"),
        (lambda mem: mem.link("x", "y", SEVERAL), "relation is array.*; give one of "),
        (lambda mem: mem.feedback("x", "y", user_id=SEVERAL), "user_id is ndarray, not text"),
        (lambda mem: mem.links("x", relations=SEVERAL), "relation is .*'True'.*; give one of "),
        (lambda mem: mem.remember("x", user_id="ana", event_time="noon"), "event_time: 'noon' is not a time"),
        (lambda mem: mem.remember("x", user_id="ana", valid_from="noon"), "valid_from: 'noon' is not a time"),
        (lambda mem: mem.remember_many([{**FROM_THEN, "event_time": "noon"}]), "Fact 1 cannot be stored: event_time: 'noon' is not a time"),
        (lambda mem: mem.search("x", user_id="ana", until="noon"), "until: 'noon' is not a time"),
        (lambda mem: mem.search("x", user_id="ana", since="noon"), "since: 'noon' is not a time"),
        (lambda mem: mem.facts("ana", now="noon"), "now: 'noon' is not a time"),
        (lambda mem: mem.search("x", user_id="ana", kinds=["rumour"]), "no kind 'rumour'"),
        (lambda mem: mem.search("x", user_id="ana", weights="heavy"), "no weight set 'heavy'"),
        (lambda mem: mem.search("x", user_id="ana", limit=-1), "limit is -1; give a number of 0 or more"),
        (lambda mem: mem.recall("x", user_id="ana", max_age_days=-1), "max_age_days is -1; give a number of 0 or more"),
        (lambda mem: mem.search("x", user_id="ana", max_age_days=-0.5), "max_age_days is -0.5; give a number of 0 or more"),
        (lambda mem: mem.search("x", user_id="ana", min_age_minutes=-1), "min_age_minutes is -1; give a number of 0 or more"),
        (lambda mem: mem.context("x", user_id="ana", max_tokens=-1), "max_tokens is -1; give a number of 0 or more"),
        (lambda mem: mem.remember("x", user_id="ana", key="Lives In"), "is not a key"),
        (lambda mem: mem.remember("x", user_id="ana", kind="message"), "cannot be remembered"),
        (lambda mem: mem.remember(" ", user_id="ana"), "value_text is empty"),
        (lambda mem: mem.remember("x", user_id="ana", confidence=2), "confidence is 2"),
        (lambda mem: mem.remember("x", user_id="ana", value_json={"x": float("nan")}), "value_json cannot be stored as JSON"),
        (lambda mem: mem.remember_many([{**FROM_THEN, "value_json": [float("inf")]}]), "value_json cannot be stored as JSON"),
        (lambda mem: mem.remember("x", user_id="ana", value_json=nested(101)), "more than 100 lists and dicts lie in each other"),
        (lambda mem: mem.remember("x", user_id="ana", value_json=nested(100_000)), "more than 100 lists and dicts"),
        (lambda mem: mem.remember_many([{**FROM_THEN, "value_json": nested(101)}]), "more than 100 lists and dicts"),
        (
            lambda mem: mem.remember("x", user_id="ana", kind="task", value_json={"state": 5}),
            "value_json of a task .* field state: give ",
        ),
        (lambda mem: mem.remember("x", user_id="ana", kind="task", value_json={"state": "over"}), "value_json of a task .* field state"),
        (
            lambda mem: mem.remember_many([{**FROM_THEN, "kind": "task", "value_json": {"state": [1]}}]),
            "value_json of a task .* field state",
        ),
        (lambda mem: mem.remember("x", user_id="ana", tags="pet"), r"tags is the text 'pet'; give a list, such as \['pet'\]"),
        (
            lambda mem: mem.remember("x", user_id="ana", valid_from="2025-03-02", valid_to="2025-03-01"),
            "valid_to is 2025-03-01.*before it is true",
        ),
        (lambda mem: mem.remember_many([{**FROM_THEN, "valid_to": "2025-03-01"}]), "valid_to is 2025-03-01.*before it is true"),
        (lambda mem: mem.remember_many([{**FROM_THEN, "timestamp": 5}]), "Fact 1 cannot be stored: field timestamp"),
        (lambda mem: mem.load([{"text": "x", "timestamp": 5}], user_id="ana"), "Message 1 cannot be loaded: field timestamp"),
        (lambda mem: mem.observe("Hi.", user_id="ana", timestamp=5), "5 is not a time; give a datetime"),
        (lambda mem: mem.search("x", user_id="ana", statuses=["actve"]), "statuses is 'actve'; give one of active, "),
        (lambda mem: mem.search("x", user_id="ana", categories=["helth"]), "categories is 'helth'"),
        (lambda mem: mem.search("x", user_id="ana", memory_types=["ROUTIN"]), "memory_types is 'ROUTIN'"),
        (lambda mem: mem.search("x", user_id="ana", tiers=["warn"]), "tiers is 'warn'; give one of hot, warm, cold"),
        (lambda mem: mem.search("x", user_id="ana", participants="Rita"), "participants is the text 'Rita'"),
        (lambda mem: mem.recall("x", user_id="ana", participants="Rita"), "participants is the text 'Rita'"),
        (lambda mem: mem.recall("x", user_id="ana", participants=[None]), "participants holds NoneType; give a list of texts"),
        (lambda mem: mem.event("x", user_id="ana", participants="Rita"), "participants is the text 'Rita'"),
        (lambda mem: mem.learn("x", "y", user_id="ana"), "steps is the text 'y'"),
        (lambda mem: mem.facts("ana", statuses=["actve"]), "statuses is 'actve'"),
        (lambda mem: mem.facts("ana", kinds=["fcat"]), "kinds is 'fcat'; give one of task, "),
        (lambda mem: mem.facts("ana", kinds="fact"), "kinds is the text 'fact'"),
        (lambda mem: mem.forget("ana", key="Lives In"), "is not a key"),
        (lambda mem: mem.search("x", user_id=""), "user_id is empty"),
        (lambda mem: mem.search(None, user_id="ana"), "query is NoneType, not text"),
        (lambda mem: mem.search("x", user_id="ana", as_of=""), "as_of: '' is not a time"),
        (lambda mem: mem.search("x", user_id="ana", min_score=float("nan")), "min_score is nan"),
        (lambda mem: mem.recall("x", user_id=" "), "user_id is empty"),
        (lambda mem: mem.recall("x", user_id="ana", max_age_days=float("nan")), "max_age_days is nan"),
        (lambda mem: mem.context("x", user_id=""), "user_id is empty"),
        (lambda mem: mem.assess("x", user_id=""), "user_id is empty"),
        (lambda mem: mem.profile(""), "user_id is empty"),
        (lambda mem: mem.facts(""), "user_id is empty"),
        (lambda mem: mem.page(""), "user_id is empty"),
        (lambda mem: mem.remember("x", user_id="ana", memory_type="DULL"), "field memory_type: give 'SIGNIFICANT'"),
        (lambda mem: mem.remember("x", user_id="ana", value_json=object()), "value_json cannot be stored as JSON"),
        (lambda mem: mem.remember("x", user_id="ana", key=5), "key is int, not text"),
        (lambda mem: mem.consent("ana", sensitive_topics=""), "sensitive_topics is '', which is no choice"),
        (lambda mem: mem.unlink("a", "b", "likes"), "relation is 'likes'; give one of relates-to"),
        (lambda mem: mem.evaluate(weights="default"), "weights is the text 'default'"),
        (lambda mem: mem.evaluate([], weights=["heavy"]), "no weight set 'heavy' that ranks; the sets are default, "),
        (lambda mem: mem.evaluate([], weights=["calibration"]), "no weight set 'calibration' that ranks; the sets are default, "),
        (lambda mem: mem.set_weights({"mine": {"lexical": "much"}}), "lexical 'much'; give a number from -1000000"),
        (lambda mem: mem.set_weights({"mine": {"lexical": True}}), "lexical True; give a number from -1000000"),
        (lambda mem: mem.set_weights({"mine": {"lexical": 1.0, "k_lex": 2.5}}), "k_lex 2.5; give a number .* a whole one"),
        (lambda mem: mem.calibrate([{"query": "x"}]), "Label 1 cannot be used"),
        (lambda mem: mem.observe("x", user_id=5), "user_id is int, not text"),
        (lambda mem: mem.load("talk.json", user_id="ana"), "messages is str; give several"),
        (lambda mem: mem.load({"text": "x"}, user_id="ana"), "messages is dict; give several"),
        (lambda mem: mem.remember("x", user_id="ana", timestamp="0001-01-02"), "timestamp is in the year 1; give a time between the years"),
        (lambda mem: mem.load(["x"], user_id="ana"), "Message 1 cannot be loaded: give a dict"),
        (lambda mem: mem.remember_many({"value_text": "x", "user_id": "ana"}), "facts is dict; give several"),
        (lambda mem: mem.remember_many([{"value_text": "x", "user_id": "ana", "tags": "x"}]), "field tags: give a list"),
        (lambda mem: mem.write(None, user_id="ana"), "items is NoneType; give several"),
        (lambda mem: mem.evaluate("feedback"), "labelled is str; give several"),
        (lambda mem: mem.remember("x", user_id="ana", tags=None), "tags is NoneType; give a list"),
        (lambda mem: mem.remember("x", user_id="ana", confidence="high"), "confidence is 'high'; give a number between 0 and 1"),
        (lambda mem: mem.remember("x", user_id="ana", importance=True), "importance is True; give a number between 0 and 1"),
        (
            lambda mem: mem.remember_many([{"value_text": "x", "user_id": "ana", "importance": True}]),
            "field importance: give a number between 0 and 1",
        ),
        (lambda mem: mem.search("x", user_id="ana", limit="5"), "limit is '5'; give a whole number"),
        (lambda mem: mem.search("x", user_id="ana", max_age_days=timedelta(days=1)), "max_age_days is datetime.timedelta.*; give a number"),
        (lambda mem: mem.search("x", user_id="ana", statuses=iter(["active"])), "statuses is a list_iterator, which can be read only once"),
        (lambda mem: mem.search("x", user_id="ana", kinds=5), "kinds is int; give a list"),
        (lambda mem: mem.search("x", user_id="ana", goal=["x"]), "goal is list, not text"),
        (lambda mem: mem.search("x", user_id="ana", weights={"lexical": 1}), "weights is dict, not text"),
        (lambda mem: mem.context("x", user_id="ana", max_tokens=9.5), "max_tokens is 9.5; give a whole number"),
        (lambda mem: mem.context("x", user_id="ana", system=None), "system is NoneType, not text"),
        (lambda mem: mem.assess("x", user_id="ana", statuses="active"), "statuses is the text 'active'"),
        (lambda mem: mem.assess("x", user_id="ana", max_age_days="5"), "max_age_days is '5'; give a number"),
        (lambda mem: mem.assess("x", user_id="ana", min_score="x"), "min_score is 'x'; give a number"),
        (lambda mem: mem.assess("x", user_id="ana", min_score=float("nan")), "min_score is nan; give a number"),
        (lambda mem: mem.assess("x", user_id="ana", tiers=["tepid"]), "tiers is 'tepid'; give one of hot, "),
        (lambda mem: mem.assess("x", user_id="ana", min_age_minutes=-1), "min_age_minutes is -1; give a number of 0 or more"),
        (lambda mem: mem.search("x", user_id="ana", max_age_days=-1), "max_age_days is -1; give a number of 0 or more"),
        (lambda mem: mem.search("x", user_id="ana", min_age_minutes=-0.5), "min_age_minutes is -0.5; give a number of 0 or more"),
        (lambda mem: mem.explain("x", user_id="ana", max_age_days=-1), "max_age_days is -1; give a number of 0 or more"),
        (lambda mem: mem.recall("x", user_id="ana", min_score=True), "min_score is True; give a number"),
        (
            lambda mem: mem.links(mem.remember("x", user_id="bob").fact_id, min_strength=-1),
            "min_strength is -1; give a number between 0 and 1",
        ),
        (lambda mem: mem.search("x", user_id="ana", limit=True), "limit is True; give a whole number"),
        (lambda mem: mem.search("x", user_id="ana", judged="no"), "judged is 'no'; give True or False"),
        (lambda mem: mem.search("x", user_id="ana", record="no"), "record is 'no'; give True or False"),
        (lambda mem: mem.maintain(dry_run="no"), "dry_run is 'no'; give True or False"),
        (lambda mem: mem.explain("x", user_id="ana", limit="5"), "limit is '5'; give a whole number"),
        (lambda mem: mem.facts("ana", key="lives_in"), "'lives_in' is not a key; write subject.predicate"),
        (lambda mem: mem.fact(mem), "fact_id is Memory, not text"),
        (lambda mem: mem.links("x", depth="2"), "depth is '2'; give a whole number"),
        (lambda mem: mem.link("x", "y", strength="much"), "strength is 'much'; give a number between 0 and 1"),
        (lambda mem: mem.feedback("x", "y", user_id="ana", good="no"), "good is 'no'; give True or False"),
        (lambda mem: mem.history(user_id=5), "user_id is int, not text"),
        (lambda mem: mem.turns(5), "user_id is int, not text"),
        (lambda mem: mem.compact(5), "user_id is int, not text"),
        (lambda mem: mem.maintain(user_id=""), "user_id is empty"),
        (lambda mem: mem.set_weights({"mine": 1}), "The weight sets are no tables"),
        (lambda mem: mem.drain("5"), "timeout is '5'; give a number"),
        (lambda mem: mem.drain(10**400), "timeout is 1000+; give a number"),
        (lambda mem: mem.event("x", user_id="ana", importance=-(10**400)), "importance is -1000+; give a number between 0 and 1"),
        (lambda mem: mem.tune("mine", [], seed="one"), "seed is 'one'; give a whole number"),
        (lambda mem: mem.load([{"text": "Hi."}], user_id="ana", progress="on"), "progress is str; give a function, or None"),
        (lambda mem: mem.reindex("hashing-384", progress=5), "progress is int; give a function, or None"),
        (copy.copy, "A memory cannot be copied or pickled"),
        (copy.deepcopy, "A memory cannot be copied or pickled"),
        (pickle.dumps, "A memory cannot be copied or pickled"),
        (
            lambda mem: memdb.open(None),  # type: ignore[arg-type]
            "path is NoneType; give the path of a file",
        ),
        (lambda mem: memdb.open(""), "path is empty; give the path of a file"),
        (lambda mem: memdb.open("  "), "path is empty; give the path of a file"),
        (lambda mem: mem.turns(""), "user_id is empty; give a name"),
        (lambda mem: mem.calls(""), "user_id is empty; give a name"),
        (lambda mem: mem.history(user_id=""), "user_id is empty; give a name"),
        (lambda mem: mem.undo(user_id="", turn_id="t1"), "user_id is empty; give a name"),
        (lambda mem: mem.remember("x", user_id="ana", key=""), "'' is not a key; write subject.predicate"),
        (lambda mem: mem.remember("x", user_id="ana", turn_id=""), "turn_id is empty; give a name"),
        (lambda mem: mem.remember("x", user_id="ana", valid_to=""), "valid_to: '' is not a time; write it like"),
        (lambda mem: memdb.mend(""), "path is empty; give the path of a file"),
        (lambda mem: mem.observe("Hi.", user_id="ana", turn_id=0), "turn_id is int, not text"),  # 1 would be told, too
        (lambda mem: mem.observe("Hi.", [], user_id="ana"), "assistant_response is list, not text"),
        (lambda mem: mem.observe("Hi.", user_id="ana", speaker=0), "speaker is int, not text"),
        (lambda mem: mem.observe("Hi.", user_id="ana", session_id=" "), "session_id is empty; give a name"),
        (lambda mem: mem.event("x", user_id="ana", event_id=0), "event_id is int, not text"),
        (lambda mem: mem.remember("x", user_id="ana", kind=["fact"]), "kind is list, not text"),
        (lambda mem: mem.remember("x", user_id="ana", object=0), "object is int, not text"),
        (lambda mem: mem.learn("x", ["y"], user_id="ana", title=5), "title is int, not text"),
        (lambda mem: mem.outcome(mem.learn("x", ["y"], user_id="bob").fact_id, True, turn_id=5), "turn_id is int, not text"),
        (lambda mem: mem.search("x", user_id="ana", goal=0), "goal is int, not text"),
        (lambda mem: mem.context("x", user_id="ana", goal=[]), "goal is list, not text"),
        (lambda mem: mem.session("ana", eviction=0), "eviction is 0; give one of fifo"),
        (lambda mem: mem.explain("x", user_id="ana", weights=0), "weights is int, not text"),
        (lambda mem: mem.weights([]), "name is list, not text"),
        (lambda mem: mem.drain(vectors="no"), "vectors is 'no'; give True or False"),
        (lambda mem: mem.tune("mine", [], write="no"), "write is 'no'; give True or False"),
    ],
)
def test_bad_input_is_told_in_one_sentence(mem: memdb.Memory, call: Callable[[memdb.Memory], object], says: str) -> None:
    with pytest.raises(memdb.InputError, match=says):
        call(mem)
    assert (mem.turns(), mem.facts("ana")) == ([], [])


def test_a_session_of_no_name_is_none(mem: memdb.Memory) -> None:
    mem.load([{"text": "Hi.", "session_id": ""}], user_id="ana")
    assert mem.turns("ana")[0].session_id is None


@pytest.mark.parametrize("name", ["x" * 1_000, "it's " * 200, "“a\" or 'b" * 100, "one\ntwo " * 500])
def test_an_error_repeats_of_a_long_name_what_a_person_can_read(mem: memdb.Memory, name: str) -> None:
    with pytest.raises(memdb.NotFoundError) as refused:
        mem.link(name, name, "supports")
    told = str(refused.value)
    assert told.startswith("There is no fact ")
    assert told.endswith("list the ids with facts() or `memdb facts`.")
    assert name[:3] in told
    assert len(told) < 400


def test_an_error_repeats_no_very_long_text_whole(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.NotFoundError) as caught:
        mem.fact("x" * 1_000_000)
    told = str(caught.value)
    assert len(told) < 2_000
    assert told.startswith("There is no fact 'xxx")
    assert told.endswith("xxx'; list the ids with facts() or `memdb facts`.")


def test_an_argument_that_is_no_filter_is_told_as_python_tells_it(mem: memdb.Memory) -> None:
    with mem.session("ana", "s") as session:
        verbs: dict[str, Callable[..., object]] = {
            "Memory.assess": mem.assess,
            "Memory.context": mem.context,
            "Session.context": session.context,
        }
        for verb, ask in verbs.items():
            whose = {} if verb.startswith("Session") else {"user_id": "ana"}
            with pytest.raises(TypeError, match=rf"^{verb}\(\) got an unexpected keyword argument 'foo'$"):
                ask("x", foo=1, **whose)


def test_assess_narrows_by_age_and_score_as_search_does(mem: memdb.Memory) -> None:
    for month, place in ((1, "Porto"), (6, "Lisbon")):
        mem.observe(f"Tea in {place}.", user_id="ana", timestamp=f"2025-0{month}-01")
    mem.drain()

    def found(ask: Callable[..., memdb.Hits], **narrowed: object) -> set[str]:
        return {hit.fact.value_text for hit in ask("tea", user_id="ana", now="2025-06-02", **narrowed)}

    several: list[dict[str, object]] = [{"tiers": ["hot"]}, {"tiers": ["cold"]}, {"tiers": []}, {"min_score": 1e6}, {"max_age_days": 10}]
    for narrowed in several:
        assert found(mem.assess, **narrowed) == found(mem.search, **narrowed) != found(mem.search)


def test_numbers_of_numpy_bound_as_others_do(tell: Tell) -> None:
    np = pytest.importorskip("numpy")
    mem = tell("I like tea.")
    found = mem.search("tea", user_id="ana", limit=np.int64(5), min_score=np.float32(0.1), max_age_days=np.float32(1e6))
    assert [hit.fact.fact_id for hit in found] == [hit.fact.fact_id for hit in mem.search("tea", user_id="ana", limit=5)]
    assert len(mem.assess("tea", user_id="ana", max_age_days=np.float32(1e6))) == 2
    tea, milk = (mem.remember(text, user_id="ana") for text in ("Tea is hot", "Milk is cold"))
    mem.link(tea.fact_id, milk.fact_id, strength=np.float32(0.5))
    assert len(mem.links(tea.fact_id, depth=np.int64(1), min_strength=np.float32(0.1))) == 1


def test_no_status_at_all_finds_nothing(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    assert [list(mem.search("Porto", user_id="ana", statuses=[])), mem.facts("ana", statuses=[])] == [[], []]


@pytest.mark.parametrize("given", [{"llm": "some-model"}, {"embedder": 5}], ids=str)
def test_what_is_no_model_is_refused_at_once(tmp_path: Path, given: dict[str, object]) -> None:
    with pytest.raises(memdb.ConfigError, match=r"give an? (LanguageModel|Embedder)"):
        memdb.open(tmp_path / "mem.db", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "heavy", "calibration", "calibration-words"])
def test_a_memory_is_not_opened_with_a_set_that_does_not_rank(tmp_path: Path, name: str) -> None:
    with pytest.raises(memdb.InputError, match="the sets are default, "):
        memdb.open(tmp_path / "mem.db", embedder=None, weights=name)


def test_a_message_is_no_fact_to_decide(tell: Tell) -> None:
    (message,) = tell("Hello.").facts("ana", kinds=["message"])
    with pytest.raises(memdb.InputError, match="is a message, which is kept as it was said"):
        tell().reject(message.fact_id)


def test_a_model_that_cannot_be_reached_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "model": "qwen3"}).close()
    assert caplog.messages == ["The setting model is 'qwen3', but OPENAI_BASE_URL is not set: rules read the turns."]


def test_what_is_written_so_that_it_ends_before_it_begins_is_not_kept(mem: memdb.Memory) -> None:
    item = {"text": "Ana lives in Porto", "valid_from": "2025-03-02T00:00:00Z", "valid_to": "2025-03-01T00:00:00Z"}
    (rejected,) = mem.write([item], user_id="ana").rejected
    assert rejected.reason.startswith("valid_to is 2025-03-01")


def test_a_day_is_its_beginning_in_the_users_zone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"timezone": "Asia/Tokyo", "worker": False}) as mem:
        stated = mem.remember("Lives in Porto", user_id="ana", valid_from=date(2025, 3, 1))
        mem.remember_many([{"value_text": "Likes jazz", "user_id": "ana", "valid_from": date(2025, 3, 1)}])
        assert {fact.valid_from for fact in mem.facts("ana")} == {stated.valid_from}
        assert stated.valid_from.isoformat() == "2025-02-28T15:00:00+00:00"


def test_an_unknown_fact_cannot_be_decided(mem: memdb.Memory) -> None:
    for decide in (mem.confirm, mem.reject):
        with pytest.raises(memdb.NotFoundError, match="no fact 'x'"):
            decide("x")


DECISIONS: dict[str, Callable[[memdb.Memory, str], object]] = {
    "confirm": lambda mem, fact_id: mem.confirm(fact_id),
    "reject": lambda mem, fact_id: mem.reject(fact_id),
    "end": lambda mem, fact_id: mem.end(fact_id, valid_to="2099-01-01"),
    "doubt": lambda mem, fact_id: mem.doubt(fact_id),
    "task": lambda mem, fact_id: mem.task(fact_id, "done"),
    "feedback": lambda mem, fact_id: mem.feedback("What is to be done?", fact_id, user_id="ana"),
}


@pytest.mark.parametrize("decide", DECISIONS)
@pytest.mark.parametrize("meanwhile", ["delete from facts", "update facts set status = 'superseded'"])
def test_what_another_process_has_just_forgotten_or_superseded_is_not_decided(mem: memdb.Memory, decide: str, meanwhile: str) -> None:
    fact = mem.remember("Ana calls the dentist", user_id="ana", kind="task", key="user.task")
    history = mem.history(user_id="ana")
    other = apsw.Connection(str(mem._store.path))
    other.execute("begin immediate")
    with ThreadPoolExecutor(1) as pool:
        decided = pool.submit(DECISIONS[decide], mem, fact.fact_id)
        time.sleep(0.1)  # it waits for the other's lock by now
        other.execute(meanwhile)
        other.execute("commit")
        if meanwhile == "delete from facts":
            with pytest.raises(memdb.NotFoundError, match="There is no fact"):
                decided.result()
        elif decide not in ("task", "feedback"):
            with pytest.raises(memdb.InputError, match="is superseded; only"):
                decided.result()
        else:
            decided.result()
            return
    assert mem.history(user_id="ana") == history
    other.close()


def test_a_time_without_an_offset_is_in_the_users_zone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"timezone": "Asia/Tokyo", "worker": False}) as mem:
        mem.observe("Hi.", user_id="ana", timestamp="2025-03-01T09:00")
        assert mem.facts("ana", kinds=["message"])[0].valid_from.isoformat() == "2025-03-01T00:00:00+00:00"


def test_what_was_true_then_is_found_and_what_was_rejected_is_not(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I like jazz.")
    mem.reject(mem.facts("ana", key="user.likes")[0].fact_id)
    then = mem.facts("ana", as_of="2025-03-01T12:00:00Z")
    assert [fact.object for fact in then] == ["Porto"]
    later = mem.facts("ana", as_of="2025-03-20")
    assert [fact.object for fact in later] == ["Lisbon"]
    found = mem.search("live", user_id="ana", as_of="2025-03-01T12:00:00Z", kinds=["fact"])
    assert [hit.fact.object for hit in found] == ["Porto"]


def test_what_is_on_a_sensitive_topic_and_of_no_category_is_in_the_profile_but_in_no_prompt_that_does_not_ask(mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    for text, key in (("Earns 5000", "income"), ("Owes Rui 300", "owes"), ("Is Catholic", "faith"), ("Drives a Fiat", "drives")):
        mem.remember(text, user_id="ana", key=f"user.{key}", timestamp="2025-03-01")
    entries = mem.profile("ana", now="2025-03-02").sensitive_topics
    assert [(entry.key, entry.text) for entry in entries] == [
        ("user.faith", "Is Catholic"), ("user.income", "Earns 5000"), ("user.owes", "Owes Rui 300"),
    ]  # fmt: skip
    assert mem.context("boats", user_id="ana", now="2025-03-02").text == ""


def test_the_profile_has_its_shape(tell: Tell) -> None:
    mem = tell("I'm Ana and I live in Porto.", "I'm allergic to peanuts.", "I love jazz.", "I'm vegetarian.", "I moved to Lisbon.")
    profile = mem.profile("ana", now="2025-03-10")
    assert list(profile.model_dump()) == [
        "identity", "hard_preferences", "soft_preferences", "current_tasks", "recent_changes", "sensitive_topics",
    ]  # fmt: skip
    assert profile.identity["user.lives_in"][0].value == "Lisbon"
    assert profile.identity["user.lives_in"][0].confidence == 0.7
    assert profile.sensitive_topics[0].value == "peanuts"
    assert profile.soft_preferences["user.likes"][0].value == "jazz"
    change = profile.recent_changes[0]
    assert (change.operation, change.before, change.after) == ("supersede", "User lives in Porto", "User lives in Lisbon")


def test_a_profile_holds_what_somebody_is_good_at(tell: Tell) -> None:
    mem = tell("I'm good at chess and I can code in Rust.")
    assert {entry.value for entry in mem.profile("ana").identity["user.skill"]} == {"chess", "Rust"}


def test_a_profile_has_the_latest_changes_first_and_none_of_long_ago(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I moved to Braga.")
    changes = mem.profile("ana", now="2025-03-04").recent_changes
    assert [(change.before, change.after) for change in changes] == [
        ("User lives in Lisbon", "User lives in Braga"), ("User lives in Porto", "User lives in Lisbon"),
    ]  # fmt: skip
    assert mem.profile("ana", now="2026-03-04").recent_changes == []


def test_a_profile_tells_what_ends_later_as_so_until_then(mem: memdb.Memory) -> None:
    fact = mem.remember("Ana works at Bosch", user_id="ana", key="user.works_at", object="Bosch", timestamp="2025-03-01")
    mem.end(fact.fact_id, valid_to="2025-03-20", now="2025-03-02")
    told = [mem.profile("ana", now=day).recent_changes[-1] for day in ("2025-03-19", "2025-03-21")]
    assert [(change.operation, change.before, change.after) for change in told] == [
        ("expire", "Ana works at Bosch", "Ana works at Bosch"), ("expire", "Ana works at Bosch", None),
    ]  # fmt: skip


def told_changes(mem: memdb.Memory, day: str) -> list[tuple[str, str | None, str | None, str]]:
    """The recent changes of a day, the newest first: what was done, from what to what, and when it took place."""
    changes = mem.profile("ana", now=day).recent_changes
    return [(one.operation, one.before, one.after, f"{one.changed_at:%m-%d}") for one in changes]


def test_a_profile_tells_a_change_that_is_to_come_when_it_takes_place(tell: Tell) -> None:
    mem = tell("I live in Lisbon.", "I'll live in Porto from 1 May.")
    assert told_changes(mem, "2025-03-03") == [("supersede", "User lives in Lisbon", "User lives in Lisbon", "03-02")]
    assert told_changes(mem, "2025-04-20") == []
    assert told_changes(mem, "2025-05-02") == [("supersede", "User lives in Lisbon", "User lives in Porto", "05-01")]
    mem.maintain(now="2025-05-10")
    assert told_changes(mem, "2025-05-20") == [("supersede", "User lives in Lisbon", "User lives in Porto", "05-01")]


def test_a_profile_tells_a_change_that_was_told_late_when_it_was_told(tell: Tell) -> None:
    mem = tell("I live in Lisbon.", "I moved to Porto in January.")
    assert told_changes(mem, "2025-03-03") == [("supersede", "User lives in Lisbon", "User lives in Porto", "03-02")]


@pytest.mark.parametrize("said", ["I'm not moving to Porto after all.", "The move is pushed to the summer."])
def test_a_profile_tells_no_change_that_did_not_take_place(tell: Tell, said: str) -> None:
    mem = tell("I live in Lisbon.", "I'm moving to Porto in May.", said)
    assert ("User lives in Lisbon", "User lives in Porto") not in [one[1:3] for one in told_changes(mem, "2025-05-02")]
    assert not any("lives in Porto" in (before or "") for day in ("03-04", "05-02") for _, before, _, _ in told_changes(mem, f"2025-{day}"))


def test_a_profile_tells_a_change_that_was_put_off_when_it_takes_place(tell: Tell) -> None:
    mem = tell("I live in Lisbon.", "I'm moving to Porto in May.", "The move is pushed to the summer.")
    assert told_changes(mem, "2025-06-02") == [("supersede", "User lives in Lisbon", "User lives in Porto", "06-01")]


def test_what_was_never_believed_is_no_change_when_it_is_dropped(mem: memdb.Memory) -> None:
    asked = mem.remember("Has diabetes", user_id="ana", key="user.has_condition", object="diabetes", timestamp="2025-03-01")
    assert asked.status == "pending_confirmation"
    mem.reject(asked.fact_id, now="2025-03-02")
    assert mem.profile("ana", now="2025-03-03").recent_changes == []


def test_a_profile_tells_no_change_of_what_is_as_it_was(mem: memdb.Memory) -> None:
    for text, day in (("I live in Porto.", "02-01"), ("I've moved to Lisbon.", "02-10"), ("I moved to Porto last week.", "01-20")):
        mem.observe(text, user_id="ana", timestamp=f"2025-{day}T10:00:00Z")
        mem.drain()
    assert [one[1:3] for one in told_changes(mem, "2025-02-12")] == [("User lives in Porto", "User lives in Lisbon")]


def stored_profiles(mem: memdb.Memory) -> list[object]:
    return [row[0] for row in mem._store.database().connection.execute("select profile from profiles where profile <> '{}'").fetchall()]


def test_the_profile_is_kept_every_fifth_turn_and_at_the_end_of_a_session(mem: memdb.Memory) -> None:
    for turn in range(4):
        mem.observe("I live in Porto.", user_id="ana", session_id="one", turn_id=f"a{turn}")
    mem.drain()
    assert stored_profiles(mem) == []
    mem.observe("I like tea.", user_id="ana", session_id="one")
    mem.drain()
    assert len(stored_profiles(mem)) == 1
    mem.observe("I like rum.", user_id="ana", session_id="two")
    mem.drain()
    assert "rum" in str(stored_profiles(mem))


def test_others_write_while_a_profile_is_put_together_which_tells_of_that_too(tmp_path: Path) -> None:
    class Shared(Database):
        @contextmanager
        def snapshot(self) -> Iterator[None]:
            with super().snapshot():
                yield
                other.execute("update facts set value_text = 'Lives in Faro'")

    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto", category="identity")
        other, shared = apsw.Connection(str(tmp_path / "mem.db")), Shared(tmp_path / "mem.db")
        build_profile(shared, user_id="ana", now=utc_now(), config=mem.config)
        assert "Lives in Faro" in str(stored_profiles(mem))
        assert "Lives in Porto" not in str(stored_profiles(mem))


def test_remembering_supersedes_and_confirms_like_anything_said(mem: memdb.Memory) -> None:
    first = mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    again = mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    assert (again.fact_id, again.seen_count) == (first.fact_id, 2)
    moved = mem.remember("Ana lives in Lisbon", user_id="ana", key="user.lives_in", object="Lisbon")
    assert [fact.fact_id for fact in mem.facts("ana")] == [moved.fact_id]


def test_remembering_the_same_of_the_same_turn_is_once(mem: memdb.Memory) -> None:
    facts = [mem.remember("Likes figs", user_id="ana", turn_id="t9", timestamp="2025-03-01") for _ in range(2)]
    assert facts[0].fact_id == facts[1].fact_id
    assert facts[1].seen_count <= 2
    assert len(mem.facts("ana")) == 1


def test_compaction_moves_the_old_and_the_past_still_finds_it(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    assert mem.compact(now="2025-03-10") == 0
    assert mem.compact(now="2026-03-10") == 1
    assert mem.drain()
    (porto,) = mem.facts("ana", as_of="2025-03-01T12:00:00Z")
    assert porto.object == "Porto"
    assert [change.operation for change in mem.history(fact_id=porto.fact_id)] == ["insert", "supersede", "archive"]


@pytest.mark.parametrize(("now", "moved"), [("2025-05-30T23:59:59.999Z", 0), ("2025-05-31T00:00:00Z", 1)])
def test_what_was_superseded_ninety_days_ago_is_moved(mem: memdb.Memory, now: str, moved: int) -> None:
    for day, city in ((1, "Porto"), (2, "Lisbon")):
        mem.remember(f"Ana lives in {city}", user_id="ana", key="user.lives_in", object=city, timestamp=f"2025-03-0{day}T00:00:00Z")
    assert mem.compact(now=now) == moved


def test_threads_share_one_memory(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem:

        def work(name: int) -> None:
            for place in range(20):
                mem.observe(f"I like thing{name}x{place}.", user_id="ana")
                mem.search("thing", user_id="ana")

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert mem.drain(timeout=60)
        assert len(mem.facts("ana")) == 80
        assert mem.stats().outbox_waiting == 0


def test_a_thread_that_ends_leaves_no_connection_open(mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="ana")
    for _ in range(20):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(mem.search, "Porto", user_id="ana").result()
    assert len(mem._store._databases) < 5


def test_a_closed_memory_changes_no_embedder(tmp_path: Path) -> None:
    mem = memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False})
    mem.close()
    with pytest.raises(memdb.StoreError, match=r"is closed; open it again with memdb\.open\(\)"):
        mem.reindex("hashing-384")


def test_closing_waits_for_what_other_threads_are_at_and_loses_nothing_of_it(tmp_path: Path) -> None:
    mem = memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False})
    kept: list[str] = []
    refused: list[str] = []

    def observe(name: int) -> None:
        while not refused:
            try:
                kept.append(mem.observe(f"I like tune {len(kept)} of {name}.", user_id="ana"))
                mem.remember_many([{"value_text": "Likes tea", "user_id": "bob"}] * 20)
            except memdb.StoreError as error:
                refused.append(str(error))

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(observe, name) for name in range(4)]
        while len(kept) < 20:
            time.sleep(0.01)
        mem.close()
    assert [one.result() for one in done] == [None] * 4
    assert set(refused) == {f"The memory {tmp_path / 'mem.db'} is closed; open it again with memdb.open()."}
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        assert {turn.turn_id for turn in mem.turns("ana")} >= set(kept)


def test_words_alone_import_nothing_heavy(tmp_path: Path) -> None:
    script = """
import sys, memdb
with memdb.open(sys.argv[1], embedder=None) as mem:
    mem.observe("I live in Porto.", user_id="ana"); mem.drain(); mem.search("Porto", user_id="ana")
print([name for name in ("torch", "sentence_transformers", "numpy", "sqlite_vec", "openai") if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", script, str(tmp_path / "mem.db")], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_turn_has_an_id_even_if_none_is_given(mem: memdb.Memory) -> None:
    ids = {mem.observe("Hi.", user_id="ana") for _ in range(3)}
    assert len(ids) == 3
    assert {fact.source_turn_id for fact in mem.facts("ana", kinds=["message"])} == ids


def test_both_sides_of_a_turn_are_kept_and_only_the_user_is_believed(mem: memdb.Memory) -> None:
    mem.observe("Where do I live?", "I live in Porto.", user_id="ana", session_id="s")
    mem.drain()
    kept = {(fact.speaker, fact.source, fact.session_id) for fact in mem.facts("ana", kinds=["message"])}
    assert kept == {("user", "user_message", "s"), ("assistant", "assistant_message", "s")}
    assert mem.facts("ana") == []


def test_the_assistant_may_speak_alone(mem: memdb.Memory) -> None:
    mem.observe("", "Welcome back!", user_id="ana")
    assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == ["Welcome back!"]


def test_another_speaker_has_facts_of_their_own(mem: memdb.Memory) -> None:
    mem.observe("I live in Braga.", user_id="ana", speaker="Clara")
    mem.drain()
    assert [(fact.key, fact.object, fact.speaker) for fact in mem.facts("ana")] == [("clara.lives_in", "Braga", "Clara")]


@pytest.mark.parametrize("speaker", [None, "user", "User", "ana", "Ana", " Ana "])
def test_a_speaker_who_is_called_as_the_user_is_the_user(mem: memdb.Memory, speaker: str | None) -> None:
    mem.observe("My sister is called Rita.", user_id="ana", speaker=speaker)
    mem.drain()
    assert [fact.key for fact in mem.facts("ana")] == ["user.sister"]
    for question in ("What is my sister called?", "What is Ana's sister called?") if speaker == "Ana" else ("What is my sister called?",):
        assert mem.search(question, user_id="ana")[0].is_asked_for


def test_a_fact_names_its_turn_and_its_words(tell: Tell) -> None:
    [fact] = tell("Hello! By the way, I live in Porto. Nice, isn't it?").facts("ana")
    assert fact.source_turn_id == "t0"
    assert "I live in Porto" in fact.source_excerpt
    assert (fact.value_json, fact.category, fact.memory_type) == (
        {"subject": "user", "predicate": "lives_in", "object": "Porto"}, "identity", "SIGNIFICANT",
    )  # fmt: skip


def test_meaning_is_found_once_it_is_drained(mem: memdb.Memory) -> None:
    mem.observe("The ferries to Cacilhas were late.", user_id="ana")
    assert list(mem.search("ferry", user_id="ana", weights="vector-only")) == []
    mem.drain()
    assert [hit.fact.kind for hit in mem.search("ferry", user_id="ana", weights="vector-only")] == ["message"]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2025-03-01T09:00:00+09:00", "2025-03-01T00:00:00+00:00"),
        ("2025-03-01T09:00:00Z", "2025-03-01T09:00:00+00:00"),
        ("2025-03-01 09:00", "2025-03-01T09:00:00+00:00"),
        ("2025-03-01", "2025-03-01T00:00:00+00:00"),
        (datetime(2025, 3, 1, 9, tzinfo=ZoneInfo("America/New_York")), "2025-03-01T14:00:00+00:00"),
        (datetime(2025, 3, 1, 9), "2025-03-01T09:00:00+00:00"),
    ],
)
def test_any_way_to_write_a_time_is_stored_in_utc(given: datetime | str, stored: str, mem: memdb.Memory) -> None:
    mem.observe("Hi.", user_id="ana", timestamp=given)
    assert mem.facts("ana", kinds=["message"])[0].valid_from.isoformat() == stored


def test_tomorrow_begins_in_the_users_zone(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"timezone": "Asia/Tokyo", "worker": False}) as mem:
        mem.observe("I have a dentist appointment tomorrow.", user_id="ana", timestamp="2025-03-01T20:00:00Z")  # the 2nd in Tokyo
        mem.drain()
        [fact] = mem.facts("ana", now="2025-03-01T20:00:00Z")
        assert fact.event_time is not None
        assert fact.event_time.astimezone(ZoneInfo("Asia/Tokyo")).date().isoformat() == "2025-03-03"


def test_messages_load_in_their_order_with_their_names(mem: memdb.Memory) -> None:
    messages: list[memdb.Message | dict[str, object]] = [
        memdb.Message(text="I live in Porto.", turn_id="m1", session_id="one", timestamp="2025-03-01"),
        {"text": "I moved to Lisbon.", "turn_id": "m2", "session_id": "two", "timestamp": "2025-04-01"},
    ]
    assert mem.load(messages, user_id="ana") == 2
    assert mem.drain()
    [fact] = mem.facts("ana")
    assert (fact.object, fact.source_turn_id, fact.session_id) == ("Lisbon", "m2", "two")


def test_a_blank_answer_is_none(mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", "\n", user_id="ana")
    assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == ["I live in Porto."]


def test_a_load_of_many_tells_its_progress(mem: memdb.Memory) -> None:
    told: list[int] = []
    assert mem.load(({"text": f"Message {number}."} for number in range(450)), user_id="ana", progress=told.append) == 450
    assert told == [200, 400, 450]


def test_what_came_before_a_bad_message_is_kept_by_whole_batches(mem: memdb.Memory) -> None:
    messages: list[dict[str, object]] = [{"text": f"Message {number}."} for number in range(250)]
    with pytest.raises(memdb.InputError, match=r"Message 251 .*nothing to observe"):
        mem.load([*messages, {"text": ""}], user_id="ana")
    assert mem.stats().rows_by_kind == {"message": 200}
    assert mem.load(messages, user_id="ana") == 50


def test_draining_nothing_is_done_at_once_and_a_timeout_is_kept(mem: memdb.Memory) -> None:
    assert mem.drain(timeout=0)
    mem.observe("Hi.", user_id="ana")
    assert not mem.drain(timeout=0)
    assert mem.drain()


def test_remembering_keeps_what_it_is_given(mem: memdb.Memory) -> None:
    fact = mem.remember(
        "Ana's thesis is due", user_id="ana", key="user.deadline", kind="task", object="thesis", value_json={"state": "active"},
        category="task_context", memory_type="SIGNIFICANT", confidence=0.9, importance=0.8, source="tool", event_time="2025-06-01",
        valid_from="2025-03-01", valid_to="2025-06-02", tags=["study"], session_id="s", turn_id="t1", timestamp="2025-03-05",
    )  # fmt: skip
    assert (fact.kind, fact.object, fact.category, fact.memory_type, fact.source) == (
        "task",
        "thesis",
        "task_context",
        "SIGNIFICANT",
        "tool",
    )
    assert (fact.confidence, fact.importance, fact.tags, fact.session_id, fact.source_turn_id) == (0.9, 0.8, ("study",), "s", "t1")
    assert [f"{time:%m-%d}" for time in (fact.event_time, fact.valid_from, fact.valid_to, fact.created_at) if time] == [
        "06-01",
        "03-01",
        "06-02",
        "03-05",
    ]
    assert mem.facts("ana", now="2025-07-01") == []


def test_free_notes_stand_beside_each_other(mem: memdb.Memory) -> None:
    for text in ("Ana's car is blue", "Ana's bike is red"):
        assert mem.remember(text, user_id="ana").key == "user.note"
    assert [fact.value_text for fact in mem.facts("ana", key="user.note")] == ["Ana's car is blue", "Ana's bike is red"]


def test_facts_are_listed_by_key_and_status(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I like jazz.")
    assert [fact.key for fact in mem.facts("ana")] == ["user.likes", "user.lives_in"]
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", statuses=("superseded",))] == ["Porto"]
    assert mem.facts("ana", key="user.nothing") == mem.facts("nobody") == []


def test_history_is_told_of_a_user_or_of_a_fact(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I like jazz.", "I like jazz.")
    mem.remember("Likes tea", user_id="bea", key="user.likes")
    [jazz] = mem.facts("ana", key="user.likes")
    assert [change.operation for change in mem.history(fact_id=jazz.fact_id)] == ["insert", "noop"]
    assert len(mem.history(user_id="ana")) == 3
    assert len(mem.history()) == 4
    last = mem.history(fact_id=jazz.fact_id)[-1]
    assert last.after is not None
    assert last.after.model_dump(exclude={"embedding_id"}) == jazz.model_dump(exclude={"embedding_id"})


def test_the_profile_of_a_stranger_is_empty(mem: memdb.Memory) -> None:
    assert mem.profile("nobody") == memdb.Profile()


def test_the_profile_holds_only_what_is_active_and_valid(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.", "For this week I'm staying in Berlin.", "I have a dentist appointment on 20 March.")
    profile = mem.profile("ana", now="2025-03-10")
    assert [entry.value for entry in profile.identity["user.lives_in"]] == ["Porto"]
    assert [entry.value for entry in profile.current_tasks] == ["dentist appointment"]
    assert mem.profile("ana", now="2025-04-10").current_tasks == []


def test_a_task_is_a_current_one_whatever_key_it_stands_under(mem: memdb.Memory) -> None:
    mem.remember("Call mum", user_id="ana", kind="task")
    mem.remember("Buy milk", user_id="ana", kind="task", key="user.shopping")
    mem.remember_many([{"value_text": "Water the plants", "user_id": "ana", "kind": "task"}])
    mem.remember("Shops on Saturdays", user_id="ana", key="user.shopping")
    done = mem.remember("Paint the fence", user_id="ana", kind="task")
    mem.task(done.fact_id, "done")
    assert {entry.text for entry in mem.profile("ana").current_tasks} == {"Call mum", "Buy milk", "Water the plants"}
    text = mem.context("boats", user_id="ana").text
    assert "Call mum" in text
    assert "Water the plants" in text
    assert "Paint the fence" not in text


def test_a_profile_is_brought_up_to_date_when_the_memory_closes(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-01")
        mem.drain()
        assert stored_profiles(mem) == []
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        [profile] = stored_profiles(mem)
        assert memdb.Profile.model_validate_json(str(profile)) == mem.profile("ana", now="2025-03-01")


def test_everybody_is_named_with_what_is_held_of_them(tell: Tell) -> None:
    mem = tell("I live in Porto.", "We moved to Lisbon last week!", "Hello there")
    mem.observe("Hm.", user_id="o'Neil/ü", turn_id="t0")
    mem.remember("Is in Rome this week", user_id="ana", key="user.is_in", timestamp="2025-05-30", valid_to="2025-06-01")
    mem.remember("Hates jazz", user_id="ana", key="user.hates", valid_to="2999-06-01")
    assert list(mem.users().items()) == [("ana", len(mem.facts("ana"))), ("o'Neil/ü", 0)]
    assert len(mem.users()) == mem.stats().users


def test_history_is_of_one_turn_where_one_is_named(tell: Tell) -> None:
    mem = tell("I live in Porto.", "We moved to Lisbon last week!")
    mem.remember("Likes jazz", user_id="bob", key="user.likes", turn_id="t1")
    moved = mem.history(user_id="ana", turn_id="t1")
    assert {change.operation for change in moved} >= {"supersede", "insert"}
    assert moved == [change for change in mem.history(user_id="ana") if change.turn_id == "t1"]


def test_stats_count_what_is_over_by_now_as_expired(mem: memdb.Memory) -> None:
    mem.remember("Works at Acme", user_id="ana", key="user.works_at", valid_from="2026-01-01", valid_to="2026-06-01")
    mem.remember("Likes jazz", user_id="ana", key="user.likes")
    assert mem.stats(now="2026-05-31").facts_by_status == {"active": 2}
    assert mem.stats(now="2026-06-02").facts_by_status == {"active": 1, "expired": 1}
    assert mem.facts("ana", statuses=["expired"], now="2026-06-02").total == 1


def test_stats_count_what_is_there(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "Hm.")
    mem.search("Lisbon", user_id="ana")
    mem.search("zzz", user_id="ana", weights="lexical-only")
    mem.context("Lisbon", user_id="ana")
    stats = mem.stats()
    assert (stats.users, stats.facts_by_status, stats.rows_by_kind) == (1, {"active": 1, "superseded": 1}, {"fact": 2, "message": 3})
    assert (stats.turns_by_status, stats.vectors, stats.outbox_waiting, stats.outbox_dead) == ({"done": 3}, 5, 0, 0)
    assert (stats.embedder, stats.retrievals) == ("hashing-64", 3)
    assert stats.lexical_hit_rate == pytest.approx(2 / 3)
    assert stats.bytes > 0
    assert stats.observer_latency_p50 is not None
    assert stats.prompt_tokens_mean is not None
    assert stats.prompt_tokens_mean > 0


def test_meaning_found_only_what_is_near_enough_to_bear_on_the_question(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.search("Porto", user_id="ana")
    (far, *_) = mem.search("zzz", user_id="ana")  # something is nearest to whatever is asked
    assert (far.parts["cosine"] < mem.config.bearing_match, mem.stats().vector_hit_rate) == (True, 0.5)


def test_of_twenty_waits_the_tenth_is_the_median_and_one_in_twenty_was_longer_than_the_95th_percentile(mem: memdb.Memory) -> None:
    for _ in range(20):
        mem.observe("Hm.", user_id="ana")
        mem.search("Hm", user_id="ana")
    mem.drain()
    with apsw.Connection(mem.stats().path) as file:
        file.execute("update retrievals set elapsed_ms = 21 - id")
        file.execute("update turns set received_at = '2025-03-01T00:00:00.000Z', done_at = format('2025-03-01T00:00:%02d.000Z', id)")
    stats = mem.stats()
    assert (stats.retrieval_latency_p50, stats.retrieval_latency_p95) == (10, 19)
    assert (stats.observer_latency_p50, stats.observer_latency_p95) == pytest.approx((10_000, 19_000), abs=1)


def test_an_empty_file_has_no_rates(mem: memdb.Memory) -> None:
    stats = mem.stats()
    assert (stats.users, stats.retrievals, stats.vectors) == (0, 0, 0)
    assert stats.lexical_hit_rate is stats.observer_latency_p95 is stats.wrong_overwrite_rate is None


@pytest.mark.parametrize(("day", "then", "rate"), [(9, "Porto", 0.5), (9, "Faro", 0.0), (50, "Porto", 0.0)])
def test_an_overwrite_was_wrong_if_what_it_ended_soon_comes_back(mem: memdb.Memory, day: int, then: str, rate: float) -> None:
    for place, later in (("Porto", 0), ("Lisbon", 1), (then, day)):
        at = datetime(2025, 3, 1, tzinfo=UTC) + timedelta(days=later)
        mem.remember(f"Lives in {place}", user_id="ana", key="user.lives_in", object=place, timestamp=at)
    assert mem.stats().wrong_overwrite_rate == rate


def test_what_was_resolved_counts_after_compaction_too(mem: memdb.Memory) -> None:
    for key, value in (("user.lives_in", "Porto"), ("user.drives", "a Fiat"), ("user.works_at", "Acme")):
        mem.remember(f"It is {value}", user_id="ana", key=key, object=value, timestamp="2020-03-01")
        mem.remember("It is another", user_id="ana", key=key, source="web_scraped", timestamp="2020-03-02")
    gone, *_ = mem.facts("ana", statuses=["pending_confirmation"])
    mem.reject(gone.fact_id, now="2020-03-03")
    assert mem.stats().pending_resolution_rate == pytest.approx(1 / 3)
    assert mem.compact("ana") == 1
    assert mem.stats().pending_resolution_rate == pytest.approx(1 / 3)


def test_how_often_the_memory_abstains_and_asks_is_counted(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.search("Porto", user_id="ana")  # nobody judged
    mem.context("Who painted the Mona Lisa?", user_id="bea")
    decided = [mem.assess(question, user_id="ana").verdict for question in ("Porto?", "Where do I live?", "I live in Porto")]
    said = [verdict.decision for verdict in decided if verdict]
    stats = mem.stats()
    assert stats.abstention_rate == (1 + said.count("abstain")) / 4
    assert stats.clarification_rate == said.count("clarify") / 4


def test_how_much_of_what_is_repeated_comes_into_the_profile_is_counted(mem: memdb.Memory) -> None:
    for days, hobby in ((5, "climbing"), (2, "chess")):
        for day in range(1, days):
            mem.remember(f"Goes {hobby}", user_id="ana", key=f"user.{hobby}", object=hobby, timestamp=f"2025-03-0{day}")
    assert mem.stats().promotion_rate == 0
    assert mem.maintain(user_id="ana", now="2025-03-05").promoted == 1
    assert mem.stats().promotion_rate == 1  # chess was said once


@pytest.mark.parametrize("takes_back", ["reject", "undo"])
def test_an_overwrite_by_what_was_pending_counts_as_wrong_once_it_is_taken_back(tell: Tell, takes_back: str) -> None:
    mem = tell("My favourite colour is red.", "My favourite colour is red.", "My favourite colour is blue.", "My favourite colour is blue.")
    [blue] = mem.facts("ana")
    assert (blue.object, mem.stats().wrong_overwrite_rate) == ("blue", 0.0)
    if takes_back == "undo":
        mem.undo(user_id="ana", turn_id="t3")
    else:
        mem.reject(blue.fact_id)
    assert mem.stats().wrong_overwrite_rate == 1.0


def test_an_overwrite_that_is_believed_again_when_the_next_is_taken_back_was_not_wrong(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I moved to Rome.")
    mem.undo(user_id="ana", turn_id="t2")
    assert [fact.object for fact in mem.facts("ana")] == ["Lisbon"]
    assert mem.stats().wrong_overwrite_rate == 0.5  # only Rome


def test_a_rejected_overwrite_counts_as_wrong(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    assert mem.stats().wrong_overwrite_rate == 0.0
    mem.reject(mem.facts("ana")[0].fact_id)
    assert mem.stats().wrong_overwrite_rate == 1.0


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    mem = memdb.open(tmp_path / "mem.db", embedder=None)
    mem.close()
    mem.close()
    assert not (tmp_path / "mem.db-wal").exists()


def test_what_was_queued_is_thought_about_at_the_next_opening(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.drain(timeout=20)
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def test_an_unknown_weight_set_is_refused_at_the_door(tmp_path: Path) -> None:
    with pytest.raises(memdb.InputError, match=r"no weight set 'heavy'; the sets are .*mem-skill"):
        memdb.open(tmp_path / "mem.db", embedder=None, weights="heavy")
    with memdb.open(tmp_path / "mem.db", embedder=None, weights="mem-skill", config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.search("Porto", user_id="ana")[0].weights["recency"] == 0.10


HALF = "half \ud800"
BIG = 10**23
UNUSABLE: dict[str, Callable[[memdb.Memory], object]] = {
    "a user": lambda mem: mem.facts(HALF),
    "a key": lambda mem: mem.facts("ana", key=HALF),
    "a fact id": lambda mem: mem.confirm(HALF),
    "a session": lambda mem: mem.observe("I like tea.", user_id="ana", session_id=HALF),
    "a session that is a number": lambda mem: mem.observe("I like tea.", user_id="ana", session_id=5),  # type: ignore[arg-type]
    "a speaker": lambda mem: mem.observe("I like tea.", user_id="ana", speaker=HALF),
    "a message": lambda mem: mem.load([{"text": HALF}], user_id="ana"),
    "a message's session": lambda mem: mem.load([{"text": "I like tea.", "session_id": HALF}], user_id="ana"),
    "a tag": lambda mem: mem.remember("Ana likes tea", user_id="ana", tags=[HALF]),
    "a detail": lambda mem: mem.remember("Ana likes tea", user_id="ana", value_json={"why": HALF}),
    "a tag among many": lambda mem: mem.remember_many([{"value_text": "Ana likes tea", "user_id": "ana", "tags": [HALF]}]),
    "a detail among many": lambda mem: mem.remember_many([{"value_text": "Ana likes tea", "user_id": "ana", "value_json": {"why": HALF}}]),
    "an object among many": lambda mem: mem.remember_many([{"value_text": "Ana likes tea", "user_id": "ana", "object": HALF}]),
    "a limit": lambda mem: mem.search("tea", user_id="ana", limit=BIG),
    "the first year": lambda mem: mem.context("tea", user_id="ana", now="0001-01-01"),
    "the last year": lambda mem: mem.maintain(now="9999-12-31"),
}


@pytest.mark.parametrize("unusable", UNUSABLE)
def test_what_no_file_can_hold_is_refused_and_spoils_nothing(unusable: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
        with pytest.raises(memdb.InputError):
            UNUSABLE[unusable](mem)
        assert mem.drain()
        assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
        assert "Porto" in mem.context("Where does Ana live?", user_id="ana").text


def test_a_memory_without_a_file_is_there_for_one_thread() -> None:
    with pytest.raises(memdb.ConfigError, match="give a path"):
        memdb.open(":memory:", embedder=None)
    with memdb.open(":memory:", embedder=None, config={"worker": False}) as mem, ThreadPoolExecutor(1) as other:
        mem.remember("Ana lives in Porto", user_id="ana")
        with pytest.raises(memdb.StoreError, match="give a path"):
            other.submit(mem.facts, "ana").result()
        assert len(mem.facts("ana")) == 1


@pytest.mark.parametrize(
    ("session_id", "at", "found"),
    [("s", "2025-03-01T10:05:00Z", ["Porto"]), ("another", "2025-03-01T10:05:00Z", []), ("s", "2025-03-03T10:05:00Z", [])],
    ids=["right after", "in another session", "days later"],
)
def test_an_answer_is_read_with_the_question_right_before_it(session_id: str, at: str, found: list[str], mem: memdb.Memory) -> None:
    mem.observe("Hello", "Hi! Where do you live?", user_id="ana", session_id="s", timestamp="2025-03-01T10:00:00Z")
    turn_id = mem.observe("In Porto", "Lovely.", user_id="ana", session_id=session_id, timestamp=at)
    mem.drain()
    facts = mem.facts("ana")
    assert [fact.object for fact in facts] == found
    assert all((fact.source_turn_id, fact.source_excerpt) == (turn_id, "In Porto") for fact in facts)


def test_nobody_answers_themselves(mem: memdb.Memory) -> None:
    mem.observe("Where do you live?", user_id="ana", session_id="s")
    mem.observe("In Porto", user_id="ana", session_id="s")
    mem.drain()
    assert mem.facts("ana") == []


# days in words


def test_the_day_of_a_message_in_words_is_the_user_s(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "America/Los_Angeles"}) as mem:
        mem.observe("The rocket flew.", user_id="ana", timestamp="2025-03-16T05:30:00Z")  # at half past ten in the evening
        mem.remember("The barbecue was good", user_id="ana", timestamp="2025-06-01")
        mem.drain()
        words = mem._store.database().connection.execute("select date from fact_words order by id").fetchall()
        assert words == [("15 March 2025",), ("01 June 2025",)]
        assert [hit.fact.value_text for hit in mem.search("on the 15", user_id="ana", weights="default")] == ["The rocket flew."]
        assert mem.search("on the 16", user_id="ana", weights="default") == []


def test_days_in_words_follow_the_zone_that_turns_are_taken_in_with(tmp_path: Path) -> None:
    for zone in ("Asia/Tokyo", "America/Los_Angeles"):
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": zone}) as mem:
            mem.observe(f"The rocket flew over {zone}.", user_id="ana", session_id=zone, timestamp="2025-03-15T23:30:00Z")
            found = mem._store.database().connection.execute("select rowid from facts_fts('date: 16')").fetchall()
            assert len(found) == 1  # the first is not written anew
            assert mem.stats().timezone == zone


@pytest.mark.parametrize(
    "zone", ["UTC", "America/Los_Angeles", "Europe/Lisbon", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kolkata"]
)
def test_the_clocks_that_the_file_knows_are_those_of_the_zone(zone: str, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": zone}) as mem:
        ask = "select minutes from clocks where begins <= ? order by begins desc limit 1"
        for hours in range(0, 24 * 365 * 30, 401):
            at = datetime(2010, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
            [(minutes,)] = mem._store.database().connection.execute(ask, (to_text(at),)).fetchall()
            assert timedelta(minutes=int(str(minutes))) == at.astimezone(ZoneInfo(zone)).utcoffset()


def test_an_earlier_file_learns_the_clocks_of_the_zone_that_its_turns_came_in_with(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "America/Los_Angeles"}) as mem:
        mem.observe("The rocket flew.", user_id="ana", timestamp="2025-03-16T05:30:00Z")
    old = apsw.Connection(str(tmp_path / "mem.db"))
    old.execute("drop table clocks; update meta set value = '36' where name = 'schema_version'")
    old.close()
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "UTC"}) as mem:
        assert mem._store.database().connection.execute("select distinct date from fact_words").fetchall() == [("15 March 2025",)]


# what the archive holds


def moved(mem: memdb.Memory, user: str = "ana", *, home: str = "Porto") -> memdb.Memory:
    """Somebody who moved long ago, so that the old home is in the archive."""
    for text, day in ((f"I live in {home}.", "2023-03-01"), ("I like tea.", "2023-03-02"), ("I moved to Lisbon.", "2023-06-01")):
        mem.observe(text, user_id=user, timestamp=f"{day}T10:00:00Z")
    mem.drain()
    assert mem.compact(user, now="2025-01-01") == 1
    return mem


def then(mem: memdb.Memory, query: str, **asked: Any) -> list[str]:
    return [hit.fact.value_text for hit in mem.search(query, user_id="ana", **{"as_of": "2023-04-01", "now": "2025-01-01"} | asked)]


@pytest.mark.parametrize("weights", ["default", "mem-skill", "lexical-only", "priority"])
def test_what_was_true_then_is_found_in_the_archive(weights: str, mem: memdb.Memory) -> None:
    moved(mem)
    assert then(mem, "Where in Porto did she live?", kinds=["fact"], weights=weights)[0] == "User lives in Porto"
    assert "User lives in Porto" in then(mem, "living in Porto", weights=weights)
    assert then(mem, "Where in Porto did she live?", kinds=["fact"], weights=weights, as_of="2023-07-01")[0] == "User lives in Lisbon"
    assert "User lives in Porto" not in then(mem, "Porto", as_of=None)


def test_what_is_found_in_the_archive_keeps_to_the_filters(mem: memdb.Memory) -> None:
    moved(mem)
    moved(mem, "bea", home="Braga")
    assert then(mem, "Porto", categories=["identity"]) == ["User lives in Porto"]
    assert then(mem, "Porto Braga lives", kinds=["fact"], limit=1) == ["User lives in Porto"]
    for asked in ({"categories": ["health"]}, {"kinds": ["task"]}, {"statuses": ["active"], "kinds": ["fact"]}, {"tags": ["home"]}):
        assert "User lives in Porto" not in then(mem, "Porto", **asked)
    assert not any("Braga" in text for text in then(mem, "Braga"))


def test_meaning_still_ranks_what_stands_beside_the_archive(mem: memdb.Memory) -> None:
    moved(mem)
    [tea] = [
        hit for hit in mem.search("I like tea in Porto", user_id="ana", as_of="2023-04-01", kinds=["fact"]) if "tea" in hit.fact.object
    ]
    [plain] = [hit for hit in mem.search("I like tea in Porto", user_id="ana", kinds=["fact"]) if "tea" in hit.fact.object]
    assert tea.parts["cosine"] == pytest.approx(plain.parts["cosine"])


def test_looking_back_leaves_nothing_behind(mem: memdb.Memory) -> None:
    moved(mem)
    assert then(mem, "Porto", kinds=["fact"])[0] == "User lives in Porto"
    assert mem._store.database().connection.execute("select name from temp.sqlite_schema").fetchall() == []
    mem.remember("User has a cat", user_id="ana", timestamp="2025-01-01")
    assert mem.search("cat", user_id="ana", kinds=["note", "fact"], now="2025-01-02")[0].fact.value_text == "User has a cat"
    mem.forget("ana", key="user.lives_in")
    assert "User lives in Porto" not in then(mem, "Porto")


def test_what_the_archive_holds_is_found_in_any_script(mem: memdb.Memory) -> None:
    mem.remember("她住在波尔图", user_id="ana", key="user.home", object="波尔图", timestamp="2023-03-01")
    mem.remember("她住在里斯本", user_id="ana", key="user.home", object="里斯本", timestamp="2023-06-01")
    assert mem.compact("ana", now="2025-01-01") == 1
    assert then(mem, "波尔图") == ["她住在波尔图"]


def test_a_question_about_the_time_before_a_move_finds_the_archive(mem: memdb.Memory) -> None:
    moved(mem)
    made = mem.context("Where did I live before I moved to Lisbon?", user_id="ana", now="2025-01-01")
    assert "User lives in Porto" in made.text


def test_why_something_of_the_archive_is_found_is_explained(mem: memdb.Memory) -> None:
    told = moved(mem).explain("Porto", user_id="ana", as_of="2023-04-01", kinds=["fact"], now="2025-01-01")
    assert told.hits[0].fact.value_text == "User lives in Porto"
    assert told.hits[0].parts["lexical"] == 1.0


def test_that_a_fact_cannot_end_before_it_began_is_told_to_the_second(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}) as mem:
        fact = mem.remember("User likes tea", user_id="ana", timestamp="2025-03-01T10:00:00Z")
        with pytest.raises(memdb.InputError, match=r"begins 2025-03-01T10:00:00.* cannot end 2025-03-01T09:00:00"):
            mem.end(fact.fact_id, valid_to="2025-03-01T09:00:00Z")


def test_what_is_so_for_ever_is_told_where_the_calendar_ends_before(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        mem.remember("Ana lives in Porto", user_id="ana", valid_to="9999-12-31T23:59:59Z")
        assert "9999-12-31" in mem.page("ana")
        assert "Porto" in mem.context("Where does Ana live?", user_id="ana").text


def test_a_memory_tells_its_file_and_whether_it_is_closed(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert repr(mem) == f"<memdb.Memory {str(tmp_path / 'mem.db')!r}>"
    assert repr(mem).endswith("mem.db', closed>")


# lists and parts of them


@pytest.fixture
def many(mem: memdb.Memory) -> memdb.Memory:
    """A memory of 30 facts of Ana's under three keys, one of them in the archive, and one of Bob's."""
    held: list[dict[str, object]] = [
        {"value_text": f"Thing {place:02}", "user_id": "ana", "key": f"user.k{place % 3}", "turn_id": f"t{place % 10}"}
        for place in range(30)
    ]
    mem.remember_many([*held, {"value_text": "Thing of Bob", "user_id": "bob", "key": "user.k1"}])
    mem.end(mem.facts("ana")[4].fact_id, valid_to="2099-01-01")
    mem.compact("ana", now="2100-01-01")
    return mem


@pytest.mark.parametrize("asked", [{}, {"as_of": "2098-01-01"}, {"statuses": ["expired"], "now": "2100-01-01"}, {"key": "user.k1"}])
def test_the_parts_of_a_list_are_the_whole_and_each_says_how_long_that_is(many: memdb.Memory, asked: dict[str, Any]) -> None:
    whole = many.facts("ana", **asked)
    parts = [many.facts("ana", limit=7, offset=begin, **asked) for begin in range(0, len(whole) + 7, 7)]
    assert [fact for part in parts for fact in part] == list(whole)
    assert {part.total for part in parts} == {whole.total} == {len(whole)}
    assert (many.facts("ana", limit=0, **asked), many.facts("ana", limit=0, **asked).total) == ([], len(whole))
    assert len(whole) == len({fact.fact_id for fact in whole})


def test_what_a_turn_brought_and_what_has_a_text_is_listed(many: memdb.Memory) -> None:
    many.remember("Ana loves the Übung in Éire", user_id="ana", key="user.loves", category="health")
    said = {asked: [fact.value_text for fact in many.facts("ana", contains=asked)] for asked in ("übung", "ÜBUNG", "USER.LOVES", "éire")}
    assert set(map(tuple, said.values())) == {("Ana loves the Übung in Éire",)}
    assert [fact.value_text for fact in many.facts("ana", turn_id="t3")] == ["Thing 03", "Thing 13", "Thing 23"]
    for then in (None, "2098-01-01"):
        assert [fact.key for fact in many.facts("ana", categories=["health"], statuses=["pending_confirmation"], as_of=then)] == [
            "user.loves"
        ]
        assert [fact.value_text for fact in many.facts("ana", contains="ING 07", as_of=then)] == ["Thing 07"]


def test_the_newest_changes_and_turns_come_first_where_that_is_asked(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I like jazz.", "I moved to Lisbon.")
    mem.consent("ana", sensitive_topics="refuse")
    tell("I'm allergic to peanuts.")
    changes, turns = mem.history(user_id="ana"), mem.turns("ana")
    assert list(mem.history(user_id="ana", newest=True)) == changes[::-1]
    assert (mem.history(user_id="ana", limit=2, offset=1), mem.history(user_id="ana", limit=2).total) == (changes[1:3], len(changes))
    assert list(mem.turns("ana", newest=True, limit=2)) == turns[:1:-1]
    assert [turn.turn_id for turn in mem.turns("ana", refused=True)] == [turn.turn_id for turn in turns if turn.notes] != []
    assert (mem.turns(statuses=["queued", "failed"]), mem.turns(statuses=["done"]).total) == ([], len(turns))


@pytest.mark.parametrize(
    "wrong", [{"limit": -1}, {"offset": -1}, {"limit": True}, {"limit": "5"}, {"contains": 5}, {"categories": ["mood"]}]
)
def test_a_part_that_there_can_be_none_of_is_refused(mem: memdb.Memory, wrong: dict[str, Any]) -> None:
    with pytest.raises(memdb.InputError, match=next(iter(wrong))):
        mem.facts("ana", **wrong)
    with pytest.raises(memdb.InputError, match="statuses is 'lost'"):
        mem.turns(statuses=["lost"])  # type: ignore[list-item]


def test_the_kinds_of_rows_are_told(mem: memdb.Memory) -> None:
    assert {"fact", "message", "task"} <= set(mem.kinds())
    assert mem.facts("ana", kinds=mem.kinds()) == []


def test_what_lies_in_the_archive_is_told_by_its_id_and_decided_no_more(mem: memdb.Memory) -> None:
    (porto,) = moved(mem).facts("ana", as_of="2023-04-01", key="user.lives_in")
    assert mem.fact(porto.fact_id) == porto
    with pytest.raises(memdb.InputError, match="is superseded; only what is believed"):
        mem.confirm(porto.fact_id)
    with pytest.raises(memdb.InputError, match="lies in the archive"):
        mem.link(porto.fact_id, mem.facts("ana")[0].fact_id)
    with pytest.raises(memdb.InputError, match="lies in the archive"):
        mem.feedback("Where?", porto.fact_id)


def test_a_task_that_lies_in_the_archive_is_taken_up_again(mem: memdb.Memory) -> None:
    task = mem.remember("File taxes", kind="task", user_id="ana", timestamp="2023-01-01")
    mem.task(task.fact_id, "done", now="2023-02-01")
    assert mem.compact(now="2025-01-01") == 1
    assert mem.task(task.fact_id, "active", now="2025-01-02").status == "active"
