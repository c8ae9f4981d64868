"""The server: the four endpoints with their bodies and answers, keys, limits, errors, several processes on one file."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

import memdb
from memdb.embed import HashingEmbedder, MiniLM

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
import anyio  # noqa: E402
from fastapi.testclient import TestClient  # noqa: E402

from memdb.interfaces import operating, shapes, tiered  # noqa: E402
from memdb.interfaces.http import create_app, from_environment  # noqa: E402
from memdb.interfaces.serving import parse_keys  # noqa: E402
from memdb.times import to_utc  # noqa: E402

Tell = Callable[..., memdb.Memory]
CLIMBS: dict[str, object] = {"text": "Ana climbs", "predicate": "hobby", "object": "climbing"}


@pytest.fixture(scope="module")
def server_of() -> Callable[[memdb.Memory], TestClient]:
    """Gives a client of the server of a memory. The server is made once: that takes longer than most of what is then asked of it."""
    served: list[memdb.Memory] = []
    app = create_app(lambda: served[0])

    def client(mem: memdb.Memory) -> TestClient:
        served[:] = [mem]
        return TestClient(app)

    return client


@pytest.fixture
def client(mem: memdb.Memory, server_of: Callable[[memdb.Memory], TestClient]) -> Iterator[TestClient]:
    with server_of(mem) as client:
        yield client


def post(client: TestClient, path: str, status: int = 200, **body: object) -> dict[str, object]:
    answer = client.post(f"/memory/{path}", json=body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == ("application/json" if status == 200 else "application/problem+json")
    found: dict[str, object] = answer.json()
    return found


# the four endpoints


def test_retrieve_answers_by_tier_with_scores(client: TestClient, tell: Tell) -> None:
    tell("I live in Porto.").remember("Find the toy in Porto", user_id="ana", kind="task", key="user.task")
    tell().remember("Porto stories calm her", user_id="ana", kind="note")
    found = post(client, "retrieve", user_id="ana", query="Porto", active_goal="toy", K=16)
    assert {"profile", "episodic", "tasks", "reflective", "debug"} == set(found)
    ids = {item["id"] for tier in ("profile", "episodic", "tasks", "reflective") for item in found[tier]}  # type: ignore[attr-defined]
    assert ids == set(found["debug"]["scores"]) != set()  # type: ignore[index]
    (fact,) = [item for item in found["profile"] if item["predicate"] == "lives_in"]  # type: ignore[attr-defined]
    assert (fact["subject"], fact["object"], fact["valid_to"], fact["seen_count"]) == ("user", "Porto", None, 1)


def test_retrieve_tells_what_waits_from_what_is_believed(client: TestClient, mem: memdb.Memory) -> None:
    for object_, sure in (("Porto", 0.9), ("Braga", 0.5)):
        mem.remember(f"Ana lives in {object_}", user_id="ana", key="user.lives_in", object=object_, confidence=sure)
    mem.remember("Ana has asthma", user_id="ana", kind="note")
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="Where does Ana live? Has Ana asthma?")
    assert {fact["object"]: fact["status"] for fact in found["profile"]} == {"Porto": "active", "Braga": "pending_confirmation"}
    assert [note["status"] for note in found["reflective"]] == ["pending_confirmation"]


def test_retrieve_gives_no_more_than_was_asked_for(client: TestClient, tell: Tell) -> None:
    tell(*(f"The boiler hums in room {number}" for number in range(6)))
    found = post(client, "retrieve", user_id="ana", query="boiler", K=2)
    assert len(found["debug"]["scores"]) == 2  # type: ignore[index]


@pytest.mark.parametrize("path", ["retrieve", "search", "explain"])
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"tags": ["boat"]}, "tea"),
        ({"kinds": ["note"]}, "jazz"),
        ({"kinds": ["fact"], "statuses": ["uncertain"]}, "coffee"),
        ({"kinds": ["fact"], "categories": ["health"]}, "peanuts"),
        ({"participants": ["Rui"]}, "soup"),
        ({"must": ["fancies", "JAZZ"]}, "jazz"),
        ({"kinds": ["fact"], "until": "2001-01-01"}, "rum"),
        ({"kinds": ["fact"], "since": "2000-12-31T00:00:00Z", "until": "2001-01-01T00:00:00.001Z"}, "rum"),
        ({"since": "2002-01-01", "kinds": ["message"]}, "soup"),
        ({"kinds": ["fact"], "as_of": "2001-06-01T00:00:00Z"}, "rum"),
        ({"kinds": ["fact"], "min_age_minutes": 7_000_000}, "rum"),
    ],
)
def test_what_is_looked_at_can_be_narrowed(client: TestClient, mem: memdb.Memory, path: str, asked: dict[str, Any], found: str) -> None:
    mem.consent("ana", sensitive_topics="keep")
    drinks: dict[str, dict[str, Any]] = {"tea": {"tags": ["boat"]}, "coffee": {}, "peanuts": {"category": "health"}}
    drinks["rum"] = {"timestamp": "2001-01-01"}
    for drink, more in drinks.items():
        fact = mem.remember(f"Ana fancies {drink}", user_id="ana", key=f"user.fancies_{drink}", **more)
        if drink == "coffee":
            mem.doubt(fact.fact_id)
    mem.remember("Ana fancies jazz", user_id="ana", kind="note")
    mem.observe("What Ana fancies is soup", user_id="ana", speaker="Rui", turn_id="t1")
    mem.drain()
    answer: dict[str, Any] = post(client, path, user_id="ana", query="What does Ana fancy?", **asked)
    texts = [hit["fact"]["value_text"] for hit in answer.get("hits", ())]
    texts += [item.get("summary") or item["text"] for tier in ("profile", "episodic", "reflective") for item in answer.get(tier, ())]
    assert [text.split()[-1] for text in texts] == [found]


def test_more_hits_than_are_weighed_are_refused(client: TestClient) -> None:
    assert "context_candidates" in str(post(client, "retrieve", 422, user_id="ana", query="cheese", K=51)["detail"])


def test_write_keeps_every_tier(client: TestClient, mem: memdb.Memory) -> None:
    body: dict[str, list[dict[str, object]]] = {
        "facts": [CLIMBS],
        "episodes": [{"summary": "They lost the toy dinosaur", "turn_range": [120, 148], "session_id": "s1"}],
        "reflective": [{"text": "Calms down with a story"}],
        "tasks": [{"title": "Find the toy", "due": "2030-01-01T00:00:00Z"}],
    }
    written = post(client, "write", user_id="ana", **body)  # type: ignore[arg-type]
    assert written["rejected"] == []
    kinds = {fact.kind: fact for fact in mem.facts("ana")}
    assert {fact.fact_id for fact in kinds.values()} == set(written["accepted"])  # type: ignore[call-overload]
    assert set(kinds) == {"fact", "episode", "note", "task"}
    assert kinds["note"].confidence == 0.7


SPOKEN: dict[str, dict[str, Any]] = {  # as the design that the server is made by writes them down
    "facts": {
        "id": "pf_123", "user_id": "ana", "text": "User lives in Atlanta, GA.", "embedding": [0.1, 0.2], "type": "location",
        "predicate": "lives_in", "subject": "user", "object": "Atlanta, GA", "valid_from": "2025-08-01T00:00:00Z", "valid_to": None,
        "first_seen": "2025-08-01T12:00:00Z", "last_seen": "2025-09-05T21:10:00Z", "seen_count": 4, "source": "user_message",
        "confidence_base": 0.92, "intrinsic_importance": 0.7, "tags": ["location"],
    },
    "episodes": {
        "id": "ep_777", "user_id": "ana", "session_id": "s_2025-09-05_01", "turn_range": [120, 148], "summary": "They lost toy dinosaur.",
        "raw_excerpt": "…", "embedding": [], "timestamp_start": "2025-09-05T18:20:00Z", "timestamp_end": "2025-09-05T18:35:00Z",
        "source": "chat", "tags": ["loss", "emotion:sad"],
    },
    "reflective": {
        "id": "rf_009", "user_id": "ana", "text": "Child calms down if response includes a short story.", "embedding": [],
        "origin": "llm_reflection", "confidence_base": 0.75, "tags": ["strategy", "engagement"],
    },
    "tasks": {
        "id": "tk_045", "user_id": "ana", "title": "Find lost toy workflow", "status": "active", "due": None, "embedding": [],
        "created_at": "2025-09-05T18:22:00Z", "updated_at": "2025-09-05T18:34:00Z", "tags": ["goal"],
    },
}  # fmt: skip


def test_what_the_design_writes_down_is_kept_and_told_again_in_the_same_words(client: TestClient, mem: memdb.Memory) -> None:
    body: dict[str, Any] = {tier: [item] for tier, item in SPOKEN.items()}
    written: dict[str, Any] = post(client, "write", user_id="ana", **body)
    assert (written["rejected"], len(written["accepted"])) == ([], 4)
    mem.drain()
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="Atlanta dinosaur child toy workflow story")
    for tier, answered in (("facts", "profile"), ("episodes", "episodic"), ("reflective", "reflective"), ("tasks", "tasks")):
        told: dict[str, Any] = found[answered][0]
        aside = {"id", "embedding", "first_seen", "last_seen", "seen_count", "created_at", "updated_at", "source"}
        kept = {name: value for name, value in SPOKEN[tier].items() if name not in aside}
        assert {name: told[name] for name in kept} == kept
        again: dict[str, Any] = {tier: [told | {"user_id": "bob"}]}
        assert post(client, "write", user_id="bob", **again)["rejected"] == []


def test_whatever_is_answered_can_be_written_back(tmp_path: Path) -> None:
    settings = {"worker": False, "max_age_days": 0}  # or a first-person memory comes to mind for a year only
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=settings) as mem:
        write_back_whatever_is_answered(TestClient(create_app(mem)), mem)


def write_back_whatever_is_answered(client: TestClient, mem: memdb.Memory) -> None:
    for day in range(1, 9):
        said = ("I live in Porto.", f"I love jazz at the museum. Remind me to paint wall {day}.", "The museum was full.")
        for text in said:
            mem.observe(text, "Nice, jazz!", user_id="ana", session_id=f"s{day}", timestamp=f"2025-05-0{day}", speaker="Ana Sofia")
    mem.event("Rui played jazz in the kitchen", user_id="ana", timestamp="2025-05-01T20:00:00Z", participants=["Rui"])
    mem.remember("Jazz calms Ana", user_id="ana", kind="note")
    mem.remember("Ana heard jazz", user_id="ana", kind="episode", value_json={"turn_range": "the second half"})
    mem.learn("play jazz", ["find the record", "be quiet"], user_id="ana")
    with mem.session("ana", "s9", now="2025-05-09"):
        mem.observe("Jazz again.", user_id="ana", session_id="s9", timestamp="2025-05-09")
    mem.drain()
    mem.narrate()
    mem.maintain(user_id="ana", now="2025-05-10")
    kinds = {fact.kind for fact in mem.facts("ana", kinds=["message", "fact", "episode", "narrative", "note", "task", "procedure"])}
    assert kinds == {"message", "fact", "episode", "narrative", "note", "task", "procedure"}
    answers = {"profile": "facts", "episodic": "episodes", "reflective": "reflective", "tasks": "tasks"}
    written: dict[str, dict[str, Any]] = {}
    for fact in mem.facts("ana", kinds=list(kinds)):
        found = post(client, "retrieve", user_id="ana", query=fact.value_text, kinds=[fact.kind], K=50)
        for tier, item in [(tier, item) for answer, tier in answers.items() for item in found[answer]]:  # type: ignore[attr-defined]
            if item["id"] not in written:
                written[item["id"]] = item
                body: dict[str, Any] = {"user_id": item["id"], tier: [item | {"user_id": item["id"]}]}  # users who heard nothing like it
                assert post(client, "write", **body)["rejected"] == []
    assert {fact.fact_id for fact in mem.facts("ana", kinds=list(kinds))} == set(written)
    assert {item.get("origin", item.get("source")) for item in written.values()} >= {"chat", "rules", None}


@pytest.mark.parametrize(("kind", "importance"), [("preference", 0.4), ("identity", 0.7), ("location", 0.5), (None, 0.5)])
def test_a_type_says_how_much_a_fact_counts(client: TestClient, mem: memdb.Memory, kind: str | None, importance: float) -> None:
    post(client, "write", user_id="ana", facts=[{"text": "Collects stamps", "predicate": "pastime", "type": kind}])
    assert [fact.importance for fact in mem.facts("ana")] == [importance]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Porto.", "location"),
        ("My name is Ana.", "identity"),
        ("I love jazz.", "preference"),
        ("I'm vegetarian.", "constraint"),
        ("I drive a Volvo.", "other"),
    ],
)
def test_what_the_rules_read_has_a_type_too(client: TestClient, mem: memdb.Memory, said: str, told: str) -> None:
    mem.observe(said, user_id="ana")
    mem.drain()
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query=said, kinds=["fact"])
    assert [fact["type"] for fact in found["profile"]] == [told]


@pytest.mark.parametrize("kind", ["location", "preference", "identity", "constraint", "health", "other"])
def test_a_type_is_told_as_it_was_written_whatever_the_tags(client: TestClient, mem: memdb.Memory, kind: str) -> None:
    mem.consent("ana", sensitive_topics="keep")
    fact = {"text": "Collects stamps", "predicate": "pastime", "type": kind, "tags": ["preference", "location"]}
    post(client, "write", user_id="ana", facts=[fact])
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="stamps", kinds=["fact"])
    assert [fact["type"] for fact in found["profile"]] == [kind]


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"timestamp_start": "2025-09-05T18:35:00Z", "timestamp_end": "2025-09-05T18:34:59Z"}, "timestamp_end is before timestamp_start"),
        ({"timestamp_start": "2025-09-05T18:35:00", "timestamp_end": "2025-09-05T18:30:00"}, "timestamp_end is before timestamp_start"),
        ({"turn_range": [148, 120]}, "turn_range ends before it begins"),
    ],
)
def test_an_episode_that_ends_before_it_begins_is_refused(client: TestClient, field: dict[str, Any], says: str) -> None:
    answer = client.post("/memory/write", json={"user_id": "ana", "episodes": [{"summary": "They lost a toy"} | field]})
    assert answer.status_code == 422
    assert says in answer.json()["detail"]


def test_a_time_without_a_zone_is_the_user_s_wherever_an_episode_tells_it(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        client = TestClient(create_app(mem))
        times = {"timestamp_start": "2025-09-05T18:20:00", "timestamp_end": "2025-09-05T18:35:00"}
        post(client, "write", user_id="ana", episodes=[{"summary": "They lost a toy"} | times])
        found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="toy")
    assert [(one["timestamp_start"], one["timestamp_end"]) for one in found["episodic"]] == [
        ("2025-09-05T09:20:00Z", "2025-09-05T09:35:00Z")
    ]


@pytest.mark.parametrize(("ends", "kept"), [("2025-09-05T12:00:00Z", 1), ("2025-09-05T10:59:00Z", 0)])
def test_of_a_time_with_a_zone_and_one_without_the_later_is_known(tmp_path: Path, ends: str, kept: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        episode = {"summary": "They lost a toy", "timestamp_start": "2025-09-05T20:00:00", "timestamp_end": ends}
        written: dict[str, Any] = post(TestClient(create_app(mem)), "write", user_id="ana", episodes=[episode])
    assert len(written["accepted"]) == kept
    assert [one["reason"].partition(" (")[0] for one in written["rejected"]] == ["timestamp_end is before timestamp_start"] * (1 - kept)


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "2025-13-01", "soon", 5, None])
@pytest.mark.parametrize("name", ["timestamp_start", "timestamp_end"])
def test_what_is_no_time_of_an_episode_costs_no_answer(client: TestClient, mem: memdb.Memory, name: str, time: str | int | None) -> None:
    mem.remember("They lost a toy", user_id="ana", kind="episode", value_json={name: time}, timestamp="2025-03-01")
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="toy")
    assert [one["summary"] for one in found["episodic"]] == ["They lost a toy"]


def test_an_episode_of_the_application_s_own_times_is_told_in_order(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember("They lost a toy", user_id="ana", kind="episode", event_time="2025-03-02", valid_from="2025-03-01", timestamp="2025-03-01")
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="toy", kinds=["episode"])
    assert [(one["timestamp_start"], one["timestamp_end"]) for one in found["episodic"]] == [
        ("2025-03-02T00:00:00Z", "2025-03-02T00:00:00Z")
    ]
    assert post(client, "write", user_id="bob", episodes=[found["episodic"][0] | {"user_id": "bob"}])["rejected"] == []


def test_what_is_of_another_user_is_not_written(client: TestClient, mem: memdb.Memory) -> None:
    written: dict[str, Any] = post(client, "write", user_id="bob", facts=[SPOKEN["facts"]])
    assert [one["reason"] for one in written["rejected"]] == ["it is of another user, 'ana'"]
    assert (mem.facts("bob"), mem.facts("ana")) == ([], [])


def test_a_task_that_is_written_again_is_brought_up_to_date(client: TestClient, mem: memdb.Memory) -> None:
    ids = set()
    for status in ("active", "stalled", "done", "done"):
        written: dict[str, Any] = post(client, "write", user_id="ana", tasks=[{"title": "Find the toy", "status": status}])
        ids.update(written["accepted"])
    (task,) = mem.facts("ana", kinds=["task"], statuses=["active", "expired"])
    assert ({task.fact_id}, task.status, task.value_json["state"]) == (ids, "expired", "done")  # type: ignore[index, call-overload]


@pytest.mark.parametrize("before", ["active", "stalled", "done"])
@pytest.mark.parametrize("status", ["active", "stalled", "done"])
def test_a_task_that_is_written_again_says_when_it_is_due_by_now(client: TestClient, mem: memdb.Memory, before: str, status: str) -> None:
    toy = {"title": "Find the toy", "tags": ["goal"]}
    post(client, "write", user_id="ana", tasks=[toy | {"status": before, "due": "2030-09-09T10:00:00Z"}])
    for _ in range(2):
        post(
            client, "write", user_id="ana", tasks=[toy | {"title": "find the toy", "status": status, "due": "2030-10-10", "tags": ["home"]}]
        )
    (task,) = mem.facts("ana", kinds=["task"], statuses=["active", "expired"])
    assert (task.value_text, task.value_json["state"], task.status == "expired") == ("Find the toy", status, status == "done")  # type: ignore[index, call-overload]
    if (before, status) != ("done", "done"):  # that was over before
        assert (f"{task.event_time:%Y-%m-%d}", task.tags) == ("2030-10-10", ("goal", "home"))
        assert task.seen_count == 2


def test_write_says_why_something_was_not_kept(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember("Calms down with a story", user_id="ana", kind="note")
    mem.drain()
    notes = [{"text": "calms down, with a story!"}, {"text": "Perhaps likes blue", "confidence_base": 0.6}]
    rejected = post(client, "write", user_id="ana", reflective=notes)["rejected"]
    assert [one["item"] for one in rejected] == notes  # type: ignore[attr-defined]
    assert [one["reason"].split(":")[0][:15] for one in rejected] == ["said already by", "not sure enough"]  # type: ignore[attr-defined]


def test_a_written_value_closes_the_one_before(client: TestClient, mem: memdb.Memory) -> None:
    for place in ("Porto", "Lisbon"):
        post(client, "write", user_id="ana", facts=[{"text": f"Stays in {place}", "predicate": "staying_in", "object": place}])
    assert [fact.object for fact in mem.facts("ana")] == ["Lisbon"]
    assert [(fact.object, fact.valid_to is None) for fact in mem.facts("ana", statuses=["superseded"])] == [("Porto", False)]


@pytest.mark.parametrize(("tier", "answers", "view"), [("facts", "profile", "fact"), ("episodes", "episodic", "episode")])
def test_a_shell_sees_what_is_answered_under_the_same_names(
    client: TestClient, mem: memdb.Memory, tier: str, answers: str, view: str
) -> None:
    mem.remember(
        "Ana lost a toy", user_id="ana", kind=view, key="user.owns", event_time="2025-03-02", valid_from="2025-03-02T10:00:00+01:00"
    )
    mem.observe("I live in Porto. I love jazz. I'm vegetarian.", user_id="ana", timestamp="2025-03-01")
    mem.drain()
    post(client, "write", 200, user_id="ana", **{tier: [SPOKEN[tier]]})
    found: dict[str, Any] = post(client, "retrieve", user_id="ana", query="Ana lost a dinosaur in Porto, jazz, vegetarian", kinds=[view])
    assert found[answers]
    for item in found[answers]:
        told = item.keys() - {"speaker", "source"}  # who spoke is told in the summary; what was drawn from a chat is "inferred" in the file
        row = next(mem._store.database().connection.execute(f"select {', '.join(told)} from {view} where id = ?", (item["id"],)))
        seen = {
            name: json.loads(value) if name in ("tags", "turn_range") and value else value for name, value in zip(told, row, strict=True)
        }
        for name in told:
            if name.startswith(("valid_", "timestamp_")) or name.endswith("_seen"):
                seen[name], item[name] = (value and to_utc(value) for value in (seen[name], item[name]))
        assert seen == {name: item[name] for name in told}


def test_version_closes_a_fact(client: TestClient, mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", timestamp="2025-01-01")
    closed = post(client, "profile/version", fact_id=fact.fact_id, valid_to="2025-09-05T21:10:00Z")
    assert closed["valid_to"] == "2025-09-05T21:10:00Z"
    assert [mem.facts("ana"), len(mem.facts("ana", as_of="2025-09-01"))] == [[], 1]


def test_to_close_a_fact_once_more_changes_nothing(client: TestClient, mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", timestamp="2025-01-01")
    closed = [post(client, "profile/version", fact_id=fact.fact_id, valid_to="2025-09-05T21:10:00Z") for _ in range(2)]
    assert closed[0] == closed[1]
    assert [change.operation for change in mem.history(fact_id=fact.fact_id)] == ["insert", "expire"]
    assert "expired" in str(post(client, "profile/version", 422, fact_id=fact.fact_id, valid_to="2025-09-06T21:10:00Z")["detail"])


def test_a_fact_cannot_end_before_it_began(client: TestClient, mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", timestamp="2025-01-01")
    problem = post(client, "profile/version", 422, fact_id=fact.fact_id, valid_to="2024-01-01T00:00:00Z")
    assert "cannot end 2024-01-01" in str(problem["detail"])


def test_compact_does_the_upkeep_that_is_due_and_says_how_much(client: TestClient, mem: memdb.Memory) -> None:
    for place, day in (("Porto", 1), ("Lisbon", 2)):
        mem.remember(f"Stays in {place}", user_id="ana", key="user.staying_in", timestamp=f"2020-01-0{day}")
    for day in (1, 2):
        mem.observe("We saw the museum.", "Sounds lovely.", user_id="ana", session_id=f"s{day}", timestamp=f"2025-05-0{day}")
    mem.drain()
    done = post(client, "compact", user_id="ana")
    assert (done["compacted"], done["episodes"]) == (1, 2)
    assert [fact.session_id for fact in mem.facts("ana", kinds=["episode"])] == ["s1", "s2"]


# the verbs beside them


def test_the_other_verbs_are_there_too(client: TestClient, mem: memdb.Memory) -> None:
    post(client, "observe", user_id="ana", user_input="I live in Porto.", turn_id="t1")
    assert post(client, "load", user_id="ana", messages=[{"text": "I like jazz."}]) == {"new": 1}
    mem.drain()
    found = post(client, "search", user_id="ana", query="Where do I live?")
    assert found["hits"][0]["confidence_now"] is not None  # type: ignore[index]
    context = post(client, "context", user_id="ana", query="Where do I live?", max_tokens=200)
    assert "Porto" in str(context["text"])
    assert context["verdict"] is not None
    for path in ("facts", "profile", "history", "turns"):
        assert client.get(f"/memory/{path}", params={"user_id": "ana"}).status_code == 200
    assert client.get("/memory/stats").status_code == 200
    assert post(client, "forget", user_id="ana")["messages"] == 2


def test_a_user_chooses_what_is_remembered(client: TestClient, mem: memdb.Memory) -> None:
    assert post(client, "consent", user_id="ana", sensitive_topics="keep") == {"sensitive_topics": "keep", "secrets": "refuse"}
    mem.remember("User is allergic to nuts", user_id="ana", key="user.allergic_to", object="nuts")
    assert [fact.status for fact in mem.facts("ana")] == ["active"]
    post(client, "consent", 422, user_id="ana", sensitive_topics="some")


def test_an_answer_alone_is_a_turn_and_turns_tell_what_became_of_them(client: TestClient, mem: memdb.Memory) -> None:
    post(client, "observe", user_id="ana", assistant_response="Welcome back!", turn_id="t1")
    post(client, "observe", user_id="ana", user_input="Hello.", turn_id="t2")
    post(client, "observe", 422, user_id="ana")
    mem.drain()
    (told,) = client.get("/memory/turns", params={"user_id": "ana", "turn_id": "t1"}).json()
    assert (told["assistant_response"], told["status"]) == ("Welcome back!", "done")


def test_facts_are_filtered_and_history_is_one_fact_s(client: TestClient, mem: memdb.Memory) -> None:
    old, new = (mem.remember(f"Lives in {place}", user_id="ana", key="user.lives_in", object=place) for place in ("Porto", "Lisbon"))
    mem.remember("Likes jazz", user_id="ana", key="user.likes")

    def ids(**asked: object) -> list[str]:
        return [fact["fact_id"] for fact in client.get("/memory/facts", params={"user_id": "ana", **asked}).json()]  # type: ignore[dict-item]

    assert ids(key="user.lives_in") == [new.fact_id]
    assert set(ids(key="user.lives_in", statuses=["active", "superseded"])) == {old.fact_id, new.fact_id}
    assert ids(kinds="note") == []
    changes = client.get("/memory/history", params={"user_id": "ana", "fact_id": new.fact_id}).json()
    assert {change["fact_id"] for change in changes} == {new.fact_id}
    turn = {"user_id": "ana", "turn_id": old.source_turn_id}
    assert [change["fact_id"] for change in client.get("/memory/history", params=turn).json()] == [old.fact_id]
    assert client.get("/memory/facts", params={"user_id": "ana", "as_off": "2025-01-01"}).status_code == 422


def test_procedures_are_learned_found_and_judged(client: TestClient) -> None:
    learned = post(client, "learn", user_id="ana", trigger="plan a dinner", steps=["ask who comes", "propose dishes"])
    assert post(client, "outcome", fact_id=learned["fact_id"], succeeded=True)["success_rate"] == 1.0
    answer = client.post("/memory/procedures", json={"user_id": "ana", "task": "dinner for six"})
    assert [one["fact_id"] for one in answer.json()] == [learned["fact_id"]]


def test_events_become_memories_that_are_recalled(client: TestClient, mem: memdb.Memory) -> None:
    for minute in (10, 40):
        body: dict[str, object] = {"user_id": "ana", "description": "Rui asked for warmer lights", "participants": ["Rui"]}
        post(client, "event", timestamp=f"2025-01-01T10:{minute}:00Z", **body)  # type: ignore[arg-type]
    mem.narrate()
    found = post(client, "recall", user_id="ana", query="warmer lights", max_age_days=0, min_score=0.0)
    assert "warmer lights" in found["hits"][0]["fact"]["value_text"]  # type: ignore[index]


def test_feedback_is_a_label(client: TestClient, mem: memdb.Memory) -> None:
    fact = mem.remember("Likes jazz", user_id="ana", key="user.likes")
    post(client, "feedback", user_id="ana", query="music?", fact_id=fact.fact_id, good=False)
    assert [(label.query, label.wrong) for label in mem.labels()] == [("music?", (fact.fact_id,))]


@pytest.mark.parametrize("name", ["state", "status"])
def test_a_task_is_done_once_it_is_said_so(client: TestClient, mem: memdb.Memory, name: str) -> None:
    fact = mem.remember("Find the toy", user_id="ana", kind="task", key="user.task")
    both = {"fact_id": fact.fact_id, "state": "done", "status": "active"}
    assert client.post("/memory/task", json=both).status_code == 422
    answer = client.post("/memory/task", json={"fact_id": fact.fact_id, name: "done"})
    assert (answer.status_code, answer.json()["status"]) == (200, "done")
    assert mem.facts("ana") == []


DIFFERENT = {
    "retrieve": None, "write": None, "compact": None, "session": None,  # bodies of their own
    "search": {"judged", "record", "vector"}, "explain": {"vector"}, "load": {"progress"}, "remember_many": {"vectors"},
}  # fmt: skip


def test_every_verb_has_its_parameters_under_their_names(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    for path, methods in described["paths"].items():
        verb = path.split("/")[2] if path.startswith("/memory/") else ""
        missing = DIFFERENT.get(verb, set())
        if "post" not in methods or path != f"/memory/{verb}" or not hasattr(memdb.Memory, verb) or missing is None or verb == "weights":
            continue
        taken = re.search(r"schemas/(\w+)", json.dumps(methods["post"].get("requestBody")))
        name = taken[1] if taken else "Body"
        body = next(getattr(module, name) for module in (shapes, tiered, operating) if hasattr(module, name))
        wanted = set(inspect.signature(getattr(memdb.Memory, verb)).parameters) - {"self", "now", *missing}
        wanted = wanted - {"filters"} | memdb.Filters.__optional_keys__ if "filters" in wanted else wanted
        assert wanted <= {*body.model_fields, *body.also}, verb


def test_what_the_user_is_after_may_be_called_as_memory_calls_it(client: TestClient) -> None:
    for verb in ("search", "context", "explain", "retrieve"):
        assert client.post(f"/memory/{verb}", json={"user_id": "ana", "query": "x", "goal": "a hotel"}).status_code == 200
        twice = {"user_id": "ana", "query": "x", "goal": "a hotel", "active_goal": "a train"}
        assert client.post(f"/memory/{verb}", json=twice).status_code == 422


@pytest.mark.parametrize("path", ["search", "explain", "retrieve", "context"])
def test_what_the_user_is_after_counts(client: TestClient, mem: memdb.Memory, path: str) -> None:
    mem.remember("Ana booked a hotel", user_id="ana", kind="note")
    mem.drain()
    scores = []
    for goal in (None, "a hotel"):
        answer: dict[str, Any] = post(client, path, user_id="ana", query="What did Ana do?", active_goal=goal)
        [scored] = answer.get("hits") or answer.get("items") or answer["debug"]["scores"].values()
        scores.append(scored["score"])
    assert scores[1] > scores[0]


@pytest.mark.parametrize("path", ["search", "explain", "context"])
def test_what_is_found_may_be_kept_to_some_ages_and_from_a_score_on(client: TestClient, mem: memdb.Memory, path: str) -> None:
    for drink, at in (("rum", "2001-01-01T10:00:00Z"), ("tea", None)):
        mem.observe(f"Ana fancies {drink}", user_id="ana", timestamp=at)
    mem.drain()
    cases: list[tuple[dict[str, Any], int]] = [({}, 2), ({"tiers": ["cold"]}, 1), ({"tiers": ["hot"]}, 1), ({"min_score": 1000.0}, 0)]
    for narrowed, found in cases:
        answer: dict[str, Any] = post(client, path, user_id="ana", query="What does Ana fancy?", kinds=["message"], **narrowed)
        assert len(answer["items" if path == "context" else "hits"]) == found, narrowed


def test_how_many_hits_are_wanted_may_be_said_in_the_same_word_everywhere(client: TestClient, tell: Tell) -> None:
    tell("I live in Porto.", "I like Porto.")
    found: Any = [post(client, "retrieve", user_id="ana", query="Porto", **{name: 1})["debug"] for name in ("K", "limit")]
    assert [len(one["scores"]) for one in found] == [1, 1]
    post(client, "retrieve", 422, user_id="ana", query="Porto", K=1, limit=2)


def test_a_stated_fact_is_kept_with_its_details(client: TestClient) -> None:
    told = post(client, "remember", user_id="ana", value_text="Ana lives in Lisbon", key="user.lives_in", value_json={"since": 2025})
    assert client.get("/memory/fact", params={"fact_id": str(told["fact_id"])}).json() == told
    assert (told["status"], told["value_json"]["since"]) == ("active", 2025)  # type: ignore[index]
    imported = [{"user_id": "ana", "value_text": "Ana likes tea", "fact_id": "tea"}]
    assert [post(client, "remember_many", facts=imported) for _ in range(2)] == [{"new": 1}, {"new": 0}]


def test_facts_are_linked_followed_and_unlinked(client: TestClient, mem: memdb.Memory) -> None:
    wine, tea = (mem.remember(f"Ana likes {what}", user_id="ana").fact_id for what in ("green wine", "green tea"))
    asked = {"fact_id": tea, "relations": "supports", "depth": 2}
    assert post(client, "link", source_id=wine, target_id=tea, relation="supports", strength=0.5)["strength"] == 0.5
    (linked,) = client.get("/memory/links", params=asked).json()  # type: ignore[arg-type]
    assert (linked["fact"]["fact_id"], linked["outward"]) == (wine, False)
    assert post(client, "unlink", source_id=wine, target_id=tea) == {"links": 1}
    assert post(client, "relate", user_id="ana") == {"links": 1}
    post(client, "link", 422, source_id=wine, target_id=wine)


def test_a_session_begins_with_what_is_known_and_ends_with_its_account(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember("Ana lives in Lisbon", user_id="ana", key="user.lives_in")
    begun = post(client, "session/begin", user_id="ana", session_id="monday")
    assert "- Ana lives in Lisbon" in str(begun["page"])
    post(client, "observe", user_id="ana", user_input="I like jazz.", session_id="monday")
    ended = [post(client, "session/end", user_id="ana", session_id="monday") for _ in range(2)]
    assert "I like jazz" in ended[0]["account"]["value_text"]  # type: ignore[index]
    assert ended[0] == ended[1]
    again = post(client, "session/begin", user_id="ana")
    assert (again["recovered"], again["last"]) == ([], ended[0]["account"])
    assert "likes jazz" in client.get("/memory/page", params={"user_id": "ana"}).json()["page"]


def test_why_something_is_found_is_explained(client: TestClient, mem: memdb.Memory) -> None:
    tea, wine = (mem.remember(f"Ana likes {what}", user_id="ana").fact_id for what in ("tea", "wine"))
    why = post(client, "explain", user_id="ana", query="tea", fact_id=wine, weights="lexical-only", limit=1)
    assert (why["fact"]["fact_id"], why["hits"][0]["fact"]["fact_id"]) == (wine, tea)  # type: ignore[index]
    assert why["reason"]
    assert why["weights"] == "lexical-only"


def test_the_ranking_is_measured_and_fitted(client: TestClient, mem: memdb.Memory) -> None:
    ids = {what: mem.remember(f"Ana likes {what}", user_id="ana").fact_id for what in ("tea", "wine", "jazz", "chess")}
    for what, fact_id in ids.items():
        mem.feedback(f"Does Ana like {what}?", fact_id, user_id="ana")
    labels = client.get("/memory/labels").json()
    assert {label["relevant"][0] for label in labels} == set(ids.values())
    assert post(client, "evaluate", weights=["lexical-only"])["sets"]["lexical-only"]["any@1"] == 1.0  # type: ignore[index]
    tuned = post(client, "tune", name="mine", labelled=labels, held_out=0.0)
    assert client.get("/memory/weights").json()["sets"]["mine"] == tuned["weights"]
    asked = {"user_id": "ana", "query": "Does Ana have a car?", "answerable": False}
    assert post(client, "calibrate", labelled=[*labels, asked])["after"]["questions"] == 5  # type: ignore[index]
    assert post(client, "weights", sets={"words": {"match": 1}})["sets"]["words"] == {"match": 1.0}  # type: ignore[index]
    assert post(client, "search", user_id="ana", query="tea", weights="words")["hits"][0]["weights"]["match"] == 1.0  # type: ignore[index]


def test_the_work_that_waits_is_waited_for(client: TestClient) -> None:
    post(client, "observe", user_id="ana", user_input="I live in Porto.")
    assert post(client, "drain", timeout=8) == {"done": True}
    assert post(client, "retry") == {"revived": 0}
    assert client.get("/memory/vectors").json()["waiting"] == 0
    assert client.get("/memory/facts", params={"user_id": "ana"}).json()[0]["value_text"] == "User lives in Porto"


@pytest.mark.parametrize(("path", "told"), [("evaluate", "nothing to measure with"), ("calibrate", "at least one of each")])
def test_without_labels_there_is_nothing_to_reckon(client: TestClient, path: str, told: str) -> None:
    assert told in str(post(client, path, 422)["detail"])


def test_nobody_keeps_the_server_busy_for_minutes(client: TestClient) -> None:
    label = {"user_id": "ana", "query": "x"}
    for path in ("evaluate", "calibrate"):
        post(client, path, 422, labelled=[label] * 301)
    post(client, "drain", 422, timeout=60)


def test_upkeep_may_be_told_beforehand(client: TestClient) -> None:
    assert post(client, "compact", user_id="ana", dry_run=True)["dry_run"] is True


def test_every_endpoint_is_told(mem: memdb.Memory) -> None:
    told = (Path(__file__).parent.parent / "docs" / "serving.md").read_text(encoding="utf-8")
    listed = {f"/memory/{name}" for group in re.findall(r"/memory/([a-z_|/]+)`", told) for name in group.split("|")} | {"/health"}
    assert set(create_app(mem).openapi()["paths"]) == listed


def test_the_examples_of_the_description_and_the_documentation_can_be_sent_as_they_stand(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    shown = {
        path: example
        for path, methods in described["paths"].items()
        if (schema := methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema"))
        for example in described["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]].get("examples", [])
    }
    assert shown.keys() > {"/memory/retrieve", "/memory/write", "/memory/compact", "/memory/observe", "/memory/search", "/memory/context"}
    told = (Path(__file__).parent.parent / "docs" / "serving.md").read_text(encoding="utf-8")
    curls = re.findall(r"^ +curl (?:--json '(.*)' )?'?http://127.0.0.1:8620([^'\n]+)", told, re.MULTILINE)
    assert len(curls) == 3
    answers = [client.post(path, json=example) for path, example in shown.items()]
    answers += [client.post(path, json=json.loads(body)) if body else client.get(path) for body, path in curls]
    assert [answer.text for answer in answers if answer.status_code != 200] == []


@pytest.mark.parametrize(("keys", "required"), [({}, True), ({"all": "*"}, True), ({"a": "ana", "all": "*"}, False)])
def test_whose_memory_it_is_need_be_said_where_no_key_says_it(mem: memdb.Memory, keys: dict[str, str], required: bool) -> None:
    described = create_app(mem, keys=keys).openapi()
    bodies = described["components"]["schemas"]
    taken = [bodies[name] for name in ("RetrieveIn", "ObserveIn", "NewFactIn", "UndoIn", "UserIn") if name in bodies]
    assert [("user_id" in body.get("required", ())) for body in taken] == [required] * len(taken)
    assert len(taken) > 3
    asked = [one for one in described["paths"]["/memory/facts"]["get"]["parameters"] if one["name"] == "user_id"]
    assert [one["required"] for one in asked] == [required]
    assert "user_id" in bodies["Fact"]["required"]  # an answer says it
    assert bodies["RetrieveIn"]["required"] == (["user_id", "query"] if required else ["query"])


def test_everything_that_may_be_sent_is_described(mem: memdb.Memory) -> None:
    described = create_app(mem).openapi()
    doors = [door for methods in described["paths"].values() for door in methods.values()]
    wanted, met = re.findall(r"#/components/schemas/(\w+)", json.dumps([door.get("requestBody") for door in doors])), set()
    while wanted:
        met.add(name := wanted.pop())
        wanted += set(re.findall(r"#/components/schemas/(\w+)", json.dumps(described["components"]["schemas"][name]))) - met
    fields = {(name, field): told for name in met for field, told in described["components"]["schemas"][name].get("properties", {}).items()}
    fields |= {("query", one["name"]): one for door in doors for one in door.get("parameters", [])}
    assert [where for where, told in fields.items() if not told.get("description")] == []


# keys


@pytest.mark.parametrize(
    ("key", "user", "status"),
    [(None, "ana", 401), ("wrong", "ana", 401), ("a", "ana", 200), ("a", "bob", 403), ("all", "ana", 200), ("all", "bob", 200)],
)
def test_a_key_opens_its_own_user_s_memory_only(mem: memdb.Memory, key: str | None, user: str, status: int) -> None:
    client = TestClient(create_app(mem, keys={"a": "ana", "all": "*"}))
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = client.post("/memory/retrieve", json={"user_id": user, "query": "x"}, headers=headers)
    assert (answer.status_code, answer.headers.get("WWW-Authenticate")) == (status, "Bearer" if status == 401 else None)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8620", 200),
        ("127.0.0.1", 200),
        ("[::1]:8620", 200),
        ("evil.example:8620", 400),
        ("127.0.0.1.evil.example", 400),
        ("[", 400),
    ],
)
def test_without_keys_memdb_serve_answers_who_asks_for_this_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, status: int
) -> None:
    monkeypatch.setenv("MEMDB_DB", str(tmp_path / "mem.db"))
    monkeypatch.setenv("MEMDB_EMBEDDER", "none")
    for keys, expected in (("", status), ("k=*", 200)):
        monkeypatch.setenv("MEMDB_API_KEYS", keys)
        with TestClient(from_environment(), headers={"Host": host, "Authorization": "Bearer k"}) as client:
            assert client.get("/memory/facts", params={"user_id": "ana"}).status_code == expected
            assert client.get("/memory/stats").status_code == expected


WHOLE = ["GET stats", "GET vectors", "GET labels", "GET weights", "POST weights", "POST evaluate", "POST tune", "POST calibrate", "POST retry",
         "POST drain"]  # fmt: skip


def test_a_key_finds_nobody_else_s_facts(mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", user_id="bob", key="user.lives_in")
    app, asked = create_app(mem, keys={"a": "ana"}), {"/health"} | {f"/memory/{path.split()[1]}" for path in WHOLE}
    client = TestClient(app, headers={"Authorization": "Bearer a"})
    client.event_hooks = {"request": [lambda request: asked.add(request.url.path)]}
    for path in ("profile/version", "confirm", "reject", "doubt"):
        post(client, path, 404, fact_id=fact.fact_id)
    post(client, "outcome", 404, fact_id=fact.fact_id, succeeded=True)
    assert client.post("/memory/task", json={"fact_id": fact.fact_id, "status": "done"}).status_code == 404
    post(client, "feedback", 404, user_id="ana", query="x", fact_id=fact.fact_id)
    for path in ("facts", "profile", "history", "turns", "calls", "page"):
        assert client.get(f"/memory/{path}", params={"user_id": "bob"}).status_code == 403
    whose: dict[str, dict[str, object]] = {
        "consent": {}, "feedback": {"query": "x", "fact_id": fact.fact_id}, "event": {"description": "x"}, "recall": {"query": "x"},
        "learn": {"trigger": "x", "steps": ["y"]}, "procedures": {"task": "x"}, "remember": {"value_text": "x"}, "explain": {"query": "x"},
        "relate": {}, "session/begin": {}, "session/end": {"session_id": "s"}, "forget": {}, "undo": {"turn_id": "t"},
        "observe": {"user_input": "x"}, "load": {"messages": []}, "write": {}, "compact": {},
        "retrieve": {"query": "x"}, "search": {"query": "x"}, "context": {"query": "x"},
    }  # fmt: skip
    for path, body in whose.items():
        post(client, path, 403, user_id="bob", **body)
    for path in ("fact", "sources", "links"):
        assert client.get(f"/memory/{path}", params={"fact_id": fact.fact_id}).status_code == 404
    own = mem.remember("Lives in Faro", user_id="ana", key="user.lives_in").fact_id
    for path in ("link", "unlink"):
        post(client, path, 404, source_id=own, target_id=fact.fact_id)
        post(client, path, 404, source_id=fact.fact_id, target_id=own)
    post(client, "explain", 404, user_id="ana", query="x", fact_id=fact.fact_id)
    post(client, "remember_many", 403, facts=[{"user_id": user, "value_text": "x"} for user in ("ana", "bob")])
    assert mem.facts("bob")[0].valid_to is None
    assert len(mem.facts("ana")) == 1
    assert asked == set(app.openapi()["paths"])  # of every endpoint


def test_what_is_forgotten_under_a_key_is_no_more_than_that(client: TestClient, tell: Tell) -> None:
    mem = tell("I live in Porto.", "I like tea.")
    assert post(client, "forget", user_id="ana", key="user.lives_in")["facts"] == 1
    assert [fact.object for fact in mem.facts("ana")] == ["tea"]


def test_who_is_not_named_is_erased_only_where_that_is_said(mem: memdb.Memory) -> None:
    mem.remember("Lives in Faro", user_id="ana", key="user.lives_in")
    client = TestClient(create_app(mem, keys={"a": "ana"}), headers={"Authorization": "Bearer a"})
    for body in ({}, {"key": None}, {"user_id": None, "everything": False}, {"key": "user.lives_in", "everything": True}):
        assert "everything=true" in str(post(client, "forget", 422, **body)["detail"])
    assert len(mem.facts("ana")) == 1
    assert post(client, "forget", everything=True)["facts"] == 1


def test_a_key_is_not_told_whether_a_fact_is_another_s_or_nobody_s(mem: memdb.Memory) -> None:
    theirs = mem.remember("Lives in Porto", user_id="bob", key="user.lives_in").fact_id
    client = TestClient(create_app(mem, keys={"a": "ana"}), headers={"Authorization": "Bearer a"})
    for path, body in (("confirm", {}), ("feedback", {"user_id": "ana", "query": "x"}), ("explain", {"user_id": "ana", "query": "x"})):
        told, none = (str(post(client, path, 404, fact_id=one, **body)["detail"]).replace(one, "…") for one in (theirs, theirs[::-1]))
        assert told == none


@pytest.mark.parametrize("asked", WHOLE)
def test_the_whole_file_is_for_a_key_of_all_users(mem: memdb.Memory, asked: str) -> None:
    method, path = asked.split()
    client = TestClient(create_app(mem, keys={"a": "ana", "all": "*"}))
    got = [client.request(method, f"/memory/{path}", headers={"Authorization": f"Bearer {key}"}, json={}) for key in ("a", "all")]
    assert (got[0].status_code, got[1].status_code in (200, 422)) == (403, True)
    assert "send a key of all users" in got[0].json()["detail"]


def test_a_key_reaches_what_was_imported_of_its_user_only(mem: memdb.Memory) -> None:
    mem.remember_many({"user_id": user, "value_text": "User lives in Porto", "key": "user.lives_in"} for user in ("ana", "bea"))
    client = TestClient(create_app(mem, keys={"a": "ana"}), headers={"Authorization": "Bearer a"})
    (hers,), (other,) = mem.facts("ana"), mem.facts("bea")
    assert post(client, "confirm", fact_id=hers.fact_id)["fact_id"] == hers.fact_id == mem.fact(hers.fact_id).fact_id
    post(client, "confirm", status=404, fact_id=other.fact_id)
    post(client, "confirm", status=404, fact_id="nobody's")


def test_with_a_key_of_one_user_nobody_need_be_named(mem: memdb.Memory) -> None:
    app = create_app(mem, keys={"a": "ana", "all": "*"})
    client = TestClient(app, headers={"Authorization": "Bearer a"})
    fact = post(client, "remember", value_text="Lives in Porto", key="user.lives_in")
    assert fact["user_id"] == "ana"
    assert post(client, "remember_many", facts=[{"value_text": "Likes fado", "key": "user.likes"}]) == {"new": 1}
    hits: Any = post(client, "search", query="Porto")["hits"]
    assert [hit["fact"]["value_text"] for hit in hits] == ["Lives in Porto"]
    assert {one["value_text"] for one in client.get("/memory/facts").json()} == {"Lives in Porto", "Likes fado"}
    mem.remember("Lives in Faro", user_id="bob", kind="task")
    post(client, "compact")
    assert client.post("/memory/compact").status_code == 200
    assert client.post("/memory/search", json=["Porto"]).status_code == 422
    nobody: Any = post(client, "search", user_id=None, query="Porto")["hits"]
    assert [hit["fact"] for hit in nobody] == [hit["fact"] for hit in hits]
    everybody = TestClient(app, headers={"Authorization": "Bearer all"})
    assert "user_id" in str(post(everybody, "search", 422, query="Porto")["detail"])
    assert everybody.get("/memory/facts").status_code == 422


def test_a_key_is_not_told_which_row_of_another_user_is_damaged(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        theirs, hers = (mem.remember("Lives in Porto", user_id=user, key="user.lives_in").fact_id for user in ("bob", "ana"))
        mem._store.database().connection.execute("pragma ignore_check_constraints = on")
        mem._store.database().connection.execute("update facts set tags = '[1]' where user_id = 'bob'")
        client = TestClient(create_app(mem, keys={"a": "ana", "all": "*"}), headers={"Authorization": "Bearer a"})
        assert "finds it with `memdb check`" in str(post(client, "confirm", 500, fact_id=theirs)["detail"])
        assert theirs in str(
            post(TestClient(client.app, headers={"Authorization": "Bearer all"}), "confirm", 500, fact_id=theirs)["detail"]
        )
        mem._store.database().connection.execute("update facts set tags = '[1]'")
        got = client.get("/memory/facts")
        assert got.status_code == 500
        assert hers in got.json()["detail"]


def test_a_key_may_have_any_letters(mem: memdb.Memory) -> None:
    client = TestClient(create_app(mem, keys={"clé": "ana"}))
    for sent, status in (("clé", 200), ("cle", 401)):
        headers = {"Authorization": f"Bearer {sent}".encode()}
        assert client.get("/memory/profile", params={"user_id": "ana"}, headers=headers).status_code == status  # type: ignore[arg-type]


def test_keys_are_read_from_text() -> None:
    assert parse_keys(" k1=ana, k2=* ,") == {"k1": "ana", "k2": "*"}
    for given in ("k1", "k1=", " =ana"):  # a key of no letters would be anybody's
        with pytest.raises(memdb.InputError, match="names no user"):
            parse_keys(given)
    with pytest.raises(memdb.InputError, match="with two users"):
        parse_keys("k1=ana,k1=*")


# what goes wrong


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"user_id": "\t"}, "body.user_id: it is blank; give a text"),
        ({"key": "Lives in"}, "body.key: write subject.predicate in lower case, such as user.lives_in"),
        ({"valid_from": "noon"}, "body.valid_from: write a time like 2025-03-01T09:30:00Z"),
        ({"confidence": 10**400}, "body.confidence: give a number"),
        ({"confidence": 2}, "body.confidence: give a number of 1 or less"),
        ({"user_id": ""}, "body.user_id: it is empty; give a text"),
        ({"value_text": "x" * 100_001}, "body.value_text: it is too long; give at most 100000 characters"),
        ({"tags": "tea"}, "body.tags: give a list"),
        ({"tags": ["tea", " "]}, "tags holds one that is blank; give words"),
        ({"memory_type": "DULL"}, "body.memory_type: give 'SIGNIFICANT'"),
    ],
)
def test_a_field_that_cannot_be_used_is_told_in_words(client: TestClient, body: dict[str, object], why: str) -> None:
    told = post(client, "remember", 422, **{"user_id": "ana", "value_text": "Likes tea"} | body)
    assert str(told["detail"]).startswith(why)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("retrieve", {"user_id": "ana"}, 422),
        ("retrieve", {"user_id": " ", "query": "x"}, 422),
        ("retrieve", {"user_id": "ana", "query": "x", "K": -1}, 422),
        ("search", {"user_id": "ana", "query": "x", "limit": 201}, 422),
        ("explain", {"user_id": "ana", "query": "x", "limit": 0}, 422),
        ("retrieve", {"user_id": "ana", "query": "x", "spare": 1}, 422),
        ("search", {"user_id": "ana", "query": "x", "must": "tea"}, 422),
        ("search", {"user_id": "ana", "query": "x", "must": ["*"]}, 422),
        ("search", {"user_id": "ana", "query": "x", "since": 5}, 422),
        ("search", {"user_id": "ana", "query": "x", "until": "2025-02-30"}, 422),
        ("explain", {"user_id": "ana", "query": "x", "since": "2025-03-02", "until": "2025-03-01"}, 422),
        ("confirm", {"fact_id": "nothing"}, 404),
        ("undo", {"user_id": "ana"}, 422),
        ("nowhere", {}, 404),
    ],
)
def test_what_cannot_be_used_is_told_as_a_problem(client: TestClient, path: str, body: dict[str, object], status: int) -> None:
    problem = post(client, path, status, **body)
    assert (problem["status"], {"type", "title", "detail"} <= set(problem)) == (status, True)


@pytest.mark.parametrize(
    ("method", "asked", "told"),
    [
        ("GET", "facts?user_id=ana&user_id=bob", "query.user_id: it stands there 2 times"),
        ("GET", "facts?user_id=ana&limit=5&limit=1", "query.limit: it stands there 2 times"),
        ("GET", "facts?user_id=Jos%E9", "query: it is not UTF-8 text; encode it so, and ask again"),
        ("GET", "facts?user_id=a%ED%A0%80", "query: it is not UTF-8 text"),
        ("GET", "stats?user_id=ana", "query.user_id: it is none of what this address takes"),
        ("POST", "compact?user_id=ana&dry_run=true", "query.user_id: it is none of what this address takes; give it in the body"),
        ("GET", "facts?user_id=ana&as_of=2025-05-01T10:00+02:00", "query.as_of: write a time like 2025-03-01T09:30:00Z; in an address"),
        ("GET", "facts?user_id=ana&as_of=2025-02-30", "query.as_of: write a time like 2025-03-01T09:30:00Z (day value"),
    ],
)
def test_what_stands_in_an_address_is_taken_or_refused(client: TestClient, method: str, asked: str, told: str) -> None:
    answer = client.request(method, f"/memory/{asked}")
    assert (answer.status_code, answer.json()["detail"][: len(told)]) == (422, told)


def test_a_list_stands_in_an_address_by_its_name_again_and_again(client: TestClient, mem: memdb.Memory) -> None:
    mem.remember("Ana climbs", user_id="ana", key="user.hobby")
    asked = "facts?user_id=ana&statuses=superseded&statuses=active&as_of=2125-05-01T10:00%2B02:00"
    assert [fact["value_text"] for fact in client.get(f"/memory/{asked}").json()] == ["Ana climbs"]


def test_only_who_finds_the_memory_busy_is_told_when_to_ask_again(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None, llm=None, config={"worker": False, "busy_timeout_ms": 0}) as mem:
        client, other = TestClient(create_app(mem)), apsw.Connection(str(path))
        other.execute("begin immediate")
        busy = client.post("/memory/remember", json={"user_id": "ana", "value_text": "Lives in Porto"})
        other.close()
        none = client.post("/memory/confirm", json={"fact_id": "none"})
    assert [(answer.status_code, answer.headers.get("Retry-After")) for answer in (busy, none)] == [(503, "1"), (404, None)]


ODD_NAMES = [
    "x" * 1_000,
    "🎉" * 1_000,
    "a/../b?c#d&e=f+g%2F",
    "a'b\"c;--",
    "a\r\nb\0\u2028",
    " \u202ea ",
    "jose\u0301",
    "jos\u00e9",
    "%",
    "null",
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_whatever_something_is_called_it_is_found_under_that_name(client: TestClient, mem: memdb.Memory, name: str) -> None:
    named: dict[str, Any] = {"user_id": name, "turn_id": name, "session_id": name, "speaker": name}
    post(client, "observe", user_input="I live in Lisbon.", **named)
    post(client, "remember", value_text="Likes tea", user_id=name, kind="note", tags=[name], turn_id=name)
    (turn,) = client.get("/memory/turns", params={"user_id": name, "turn_id": name}).json()
    assert {field: turn[field] for field in named} == named == {field: getattr(mem.turns(name)[0], field) for field in named}
    found = post(client, "search", user_id=name, query="tea", tags=[name])["hits"]
    assert [(hit["fact"]["user_id"], hit["fact"]["tags"]) for hit in cast("list[dict[str, Any]]", found)] == [(name, [name])]
    assert mem.users().keys() == {name}


def test_a_name_that_is_empty_is_left_out_as_in_python(client: TestClient, mem: memdb.Memory) -> None:
    post(client, "observe", user_id="ana", user_input="I live in Lisbon.", turn_id="", session_id="", speaker="")
    post(client, "event", user_id="ana", description="Rui came home", event_id="")
    (turn,) = mem.turns("ana")
    assert (len(turn.turn_id), turn.session_id, turn.speaker) == (32, None, None)
    post(client, "observe", 422, user_id="ana", user_input="I like tea.", session_id=" ")


def test_another_turn_under_the_same_name_is_a_conflict(client: TestClient) -> None:
    post(client, "observe", user_id="ana", user_input="One.", turn_id="t")
    post(client, "observe", 409, user_id="ana", user_input="Two.", turn_id="t")


@pytest.mark.parametrize("told", [True, False], ids=["length told", "length not told"])
def test_a_body_that_is_too_long_is_refused(mem: memdb.Memory, told: bool) -> None:
    client = TestClient(create_app(mem, max_bytes=1_000))
    content = b"x" * 2_000 if told else iter([b"x" * 600] * 3)
    answer = client.post("/memory/retrieve", content=content, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["title"]) == (413, "Too long")


def test_a_body_that_says_it_is_too_long_is_refused_before_it_comes(mem: memdb.Memory) -> None:
    answered: list[Any] = []

    async def receive() -> dict[str, object]:
        pytest.fail("the body is waited for")

    async def send(message: Any) -> None:
        answered.append(message)

    told = [(b"content-type", b"application/json"), (b"content-length", b"1001")]
    scope = {"type": "http", "method": "POST", "path": "/memory/observe", "headers": told, "query_string": b""}
    anyio.run(create_app(mem, max_bytes=1_000), scope, receive, send)
    assert [answered[0]["status"], json.loads(answered[1]["body"])["title"]] == [413, "Too long"]


def test_a_body_that_stops_before_its_end_is_refused(mem: memdb.Memory) -> None:
    pieces: list[dict[str, object]] = [{"type": "http.request", "body": b'{"user_id": ', "more_body": True}]
    answered: list[Any] = []

    async def receive() -> dict[str, object]:
        if not pieces:
            await anyio.sleep_forever()
        return pieces.pop()

    async def send(message: Any) -> None:
        answered.append(message)

    scope = {"type": "http", "method": "POST", "path": "/memory/observe", "headers": [], "query_string": b""}
    anyio.run(create_app(mem, max_silence=0.05), scope, receive, send)
    assert [answered[0]["status"], json.loads(answered[1]["body"])["title"]] == [408, "Not whole"]
    assert (b"connection", b"close") in answered[0]["headers"]


def test_a_body_that_is_still_coming_when_the_server_ends_is_told_so(mem: memdb.Memory) -> None:
    answered: list[Any] = []

    async def receive() -> dict[str, object]:
        raise anyio.get_cancelled_exc_class()

    async def send(message: Any) -> None:
        answered.append(message)

    scope = {"type": "http", "method": "POST", "path": "/memory/observe", "headers": [], "query_string": b""}
    anyio.run(create_app(mem), scope, receive, send)
    assert [answered[0]["status"], json.loads(answered[1]["body"])["title"]] == [503, "Busy"]


@pytest.mark.parametrize("content_type", [None, "application/x-www-form-urlencoded", "text/json", "application/jsonl"])
def test_a_body_that_is_not_sent_as_json_is_told_how_to_be(client: TestClient, content_type: str | None) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    answer = client.post("/memory/search", content=b'{"user_id": "ana", "query": "x"}', headers=headers)
    assert (answer.status_code, "Content-Type: application/json" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        (rb'{"text": "a", "tags": ["\ud800"]}', "half a surrogate pair"),
        (rb'{"text": "a", "\udc00": 1}', "half a surrogate pair"),
        (b'{"text": "a", "embedding": [NaN]}', "NaN is no number"),
        (b'{"text": "a", "text": "b"}', "'text' stands twice"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b'{"text": "a", "seen_count": 1' + b"0" * 5_000 + b"}", "a number is too long"),
        (b"[" * 100_000, "too deep"),
        (b'{"text": "a"', "Expecting ',' delimiter, at character"),
    ],
    ids=["surrogate", "surrogate as a name", "NaN", "twice", "bytes", "number", "deep", "cut short"],
)
def test_json_that_means_nothing_or_two_things_is_refused_whole(client: TestClient, mem: memdb.Memory, fact: bytes, why: str) -> None:
    body = b'{"user_id": "ana", "facts": [{"text": "Ana climbs"}, ' + fact + b"]}"
    answer = client.post("/memory/write", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, why in answer.json()["detail"]) == (422, True)
    assert mem.facts("ana") == []


@pytest.mark.parametrize(
    ("messages", "status", "told"),
    [
        (b'[{"text": "b", "text": "c"}]', 422, "'text' stands twice"),
        (b'[{"text": "b", "timestamp": Infinity}]', 422, "Infinity is no number"),
        (rb'[{"text": "\ud800"}]', 422, "half a surrogate pair"),
        (b'[{"text": "b", "tags": []}]', 422, "tags"),
        (b'[{"text": ["b"]}]', 422, "text"),
        (b'[{"text": "b", "session_id": {}}]', 422, "session_id"),
        (b'[{"text": "b", "timestamp": "yesterday"}]', 422, "yesterday"),
        (b'[{"text": "b", "timestamp": 1e999}]', 422, "timestamp"),
        (b'{"text": "b"}', 422, "messages"),
        (b"[[[{}]]]", 422, "messages"),
        (b'[{"text": ' + b"[" * 100_000, 422, "too deep"),
        (b'[{"text": "' + b"b" * 4_000_000 + b'"}]', 413, "4000000"),
        (b'[{"text": "' + b"b" * 100_001 + b'"}]', 422, "100000"),
    ],
    ids=["twice", "infinite", "surrogate", "unknown", "list", "object", "time", "large", "no list", "lists", "deep", "long", "long text"],
)
def test_hostile_messages_are_refused_and_none_is_taken(
    client: TestClient, mem: memdb.Memory, messages: bytes, status: int, told: str
) -> None:
    body = b'{"user_id": "ana", "messages": ' + messages + b"}"
    answer = client.post("/memory/load", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, told in answer.text) == (status, True), answer.text[:300]
    assert mem.turns("ana") == []


def test_a_fact_of_many_is_no_longer_than_one_alone(client: TestClient, mem: memdb.Memory) -> None:
    facts = [{"user_id": "ana", "value_text": "b" * length} for length in (100_000, 100_001)]
    assert [client.post("/memory/remember_many", json={"facts": [fact]}).status_code for fact in facts] == [200, 422]
    assert mem.facts("ana").total == 1


def test_a_load_that_is_cut_off_takes_nothing(client: TestClient, mem: memdb.Memory) -> None:
    body = b'{"user_id": "ana", "messages": [{"text": "I live in Porto."}, {"text": "I li'
    answer = client.post("/memory/load", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, mem.turns("ana")) == (422, [])


def test_emoji_may_be_sent_as_a_surrogate_pair(client: TestClient, mem: memdb.Memory) -> None:
    body = rb'{"user_id": "ana", "value_text": "Ana likes \ud83c\udfb7"}'
    client.post("/memory/remember", content=b"\xef\xbb\xbf" + body, headers={"Content-Type": "application/json"})
    assert [fact.value_text for fact in mem.facts("ana")] == ["Ana likes 🎷"]


@pytest.mark.parametrize("field", ["confidence", "importance"])
def test_what_is_no_number_is_not_taken_for_one(client: TestClient, field: str) -> None:
    post(client, "remember_many", 422, facts=[{"user_id": "ana", "value_text": "x", field: False}])
    post(client, "weights", 422, sets={"mine": {"match": "1"}})


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [("GET", "/nowhere", 404, "/openapi.json"), ("OPTIONS", "/memory/facts", 405, "Allow"), ("PUT", "/memory/weights", 405, "Allow")],
)
def test_an_address_or_method_that_is_none_is_told_in_a_sentence(
    client: TestClient, method: str, path: str, status: int, told: str
) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.json()["status"], told in answer.json()["detail"]) == (status, status, True)


@pytest.mark.parametrize(
    ("path", "methods"),
    [("/memory/weights", "GET, HEAD, POST"), ("/memory/observe", "POST"), ("/health", "GET, HEAD"), ("/openapi.json", "GET, HEAD")],
)
def test_an_address_that_takes_another_method_names_all_that_it_takes(client: TestClient, path: str, methods: str) -> None:
    answer = client.delete(path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, methods)


def test_a_limit_of_nothing_finds_nothing_as_in_the_library(client: TestClient, tell: Tell, mem: memdb.Memory) -> None:
    tell("I live in Porto.")
    (fact,) = mem.facts("ana")
    asked = {"user_id": "ana", "query": "Where do I live?", "limit": 0}
    found = {path: client.post(f"/memory/{path}", json=asked).json() for path in ("search", "recall", "retrieve", "context")}
    assert (found["search"]["hits"], found["recall"]["hits"], found["retrieve"]["debug"]["scores"]) == ([], [], {})
    assert {item["score"] for item in found["context"]["items"]} == {None}  # the profile alone
    assert client.post("/memory/procedures", json={"user_id": "ana", "task": "x", "limit": 0}).json() == []
    assert client.get("/memory/links", params={"fact_id": fact.fact_id, "limit": 0}).json() == []


def test_head_is_answered_as_get_without_the_body(client: TestClient, tell: Tell) -> None:
    tell("I live in Porto.")
    for path, status in [("/health", 200), ("/memory/facts?user_id=ana&limit=0", 200), ("/memory/facts", 422), ("/memory/observe", 405)]:
        whole, head = client.get(path), client.head(path)
        assert (head.status_code, head.content, head.headers) == (status, b"", whole.headers)


@pytest.mark.parametrize("path", ["compact", "drain", "retry"])
def test_a_body_of_which_all_may_be_left_out_may_be_left_out(client: TestClient, path: str) -> None:
    assert client.post(f"/memory/{path}").json() == post(client, path)


def test_all_that_is_wrong_with_a_body_is_told_at_once(client: TestClient) -> None:
    told = post(client, "observe", 422, text="I live in Porto.", timestamp="soon")["detail"]
    assert str(told).startswith("body.user_id: it is missing; give it; body.timestamp: write a time like 2025-03-01T09:30:00Z; body.text: ")
    assert client.post("/memory/observe", json=[]).json()["detail"] == "body: give a JSON object"


def test_the_description_tells_what_a_problem_is_once(client: TestClient) -> None:
    told = client.get("/openapi.json").text
    assert told.count('"about:blank"') == 1
    assert '"#/components/schemas/Problem"' in told


# a real server


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[bytes]]]:
    """The servers that a test has started."""
    servers: list[subprocess.Popen[bytes]] = []
    yield servers
    for process in servers:
        process.terminate()
        process.wait(60)


@pytest.fixture
def served(tmp_path: Path, running: list[subprocess.Popen[bytes]]) -> Callable[..., str]:
    """Start `memdb serve` on a free port; return its address once it answers."""

    def start(*options: str, keys: str = "", **settings: str) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--db", str(tmp_path / "mem.db"), "--embedder", "hashing-64"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MEMDB_API_KEYS": keys} | settings
        running.append(subprocess.Popen([*command, "--port", str(port), *options], env=environment))
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                if httpx.get(f"{address}/health").status_code == 200:
                    return address
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError("the server did not start")

    return start


@pytest.mark.slow
def test_the_server_ranks_by_the_set_it_is_told(served: Callable[..., str], tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        mem.remember("Likes jazz", user_id="ana", key="user.likes")
    asked = httpx.post(f"{served('--weights', 'priority')}/memory/search", json={"user_id": "ana", "query": "jazz"}, timeout=30).json()
    assert [(hit["weights"]["match"], hit["score"]) for hit in asked["hits"]] == [(0.45, pytest.approx(hit_priority(asked)))]


def hit_priority(asked: dict[str, Any]) -> float:
    return float(asked["hits"][0]["relevance"] * asked["hits"][0]["confidence_now"])


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_free_port_is_told(running: list[subprocess.Popen[bytes]], tmp_path: Path, workers: str) -> None:
    command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--db", str(tmp_path / "mem.db"), "--embedder", "none"]
    server = subprocess.Popen([*command, "--port", "0", "--workers", workers], stderr=subprocess.PIPE)
    running.append(server)
    assert server.stderr
    told = re.search(rb"http://127\.0\.0\.1:\d+", server.stderr.readline())
    assert told
    with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
        assert client.get(f"{told[0].decode()}/health", timeout=30).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("new", [True, False])
def test_a_memory_that_is_made_to_be_served_is_told_to_be_new(running: list[subprocess.Popen[bytes]], tmp_path: Path, new: bool) -> None:
    path = tmp_path / "mem.db"
    if not new:
        memdb.open(path, embedder=None).close()
    command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--db", str(path), "--embedder", "none", "--port", "0"]
    running.append(subprocess.Popen(command, stderr=subprocess.PIPE))
    assert running[0].stderr
    assert (b"mem.db, which is new, at http://" in running[0].stderr.readline()) == new


@pytest.mark.slow
def test_several_workers_serve_one_file(served: Callable[..., str]) -> None:
    address = served("--workers", "3")

    def observe(number: int) -> int:
        body = {"user_id": "ana", "user_input": f"I like thing{number}.", "turn_id": f"t{number}"}
        return int(httpx.post(f"{address}/memory/observe", json=body, timeout=60).status_code)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(observe, range(40))) == {200}
    for _ in range(300):
        if httpx.get(f"{address}/memory/stats", timeout=60).json()["turns_by_status"] == {"done": 40}:
            break
        time.sleep(0.1)
    assert len(httpx.get(f"{address}/memory/facts", params={"user_id": "ana"}, timeout=60).json()) == 40


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_client_holds_up_the_end(
    served: Callable[..., str], running: list[subprocess.Popen[bytes]], tmp_path: Path, workers: str
) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        mem.load([{"text": f"{number} " + "word " * 4_000} for number in range(600)], user_id="ana")
    patience = {"MEMDB_EMBED_PATIENCE_SECONDS": "1", "MEMDB_SESSION_PATIENCE_SECONDS": "1"}
    address = ("127.0.0.1", int(served("--workers", workers, **patience).rpartition(":")[2]))
    with socket.create_connection(address) as half, socket.create_connection(address) as reads_no_more:
        half.sendall(b"POST /memory/observe HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{")
        reads_no_more.sendall(b"GET /memory/turns?user_id=ana HTTP/1.1\r\nHost: x\r\n\r\n")
        assert reads_no_more.recv(8)
        running[0].terminate()
        running[0].wait(60)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -15)])
def test_what_ended_a_server_is_told_by_its_code(
    served: Callable[..., str], running: list[subprocess.Popen[bytes]], workers: str, name: str, code: int
) -> None:
    served("--workers", workers)
    running[0].send_signal(getattr(signal, name))
    assert running[0].wait(60) == code


@pytest.mark.slow
@pytest.mark.skipif(not MiniLM.installed(), reason="MiniLM is not installed")
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal here")
def test_workers_that_have_searched_by_meaning_end_without_a_warning(running: list[subprocess.Popen[bytes]], tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="auto", config={"worker": False}) as mem:
        mem.remember("Likes jazz", user_id="ana", key="user.likes")
    command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--db", str(tmp_path / "mem.db"), "--port", "0", "--workers", "2"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE)
    running.append(server)
    assert server.stderr
    told = re.search(rb"http://127\.0\.0\.1:\d+", server.stderr.readline())
    assert told
    with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
        found = client.post(f"{told[0].decode()}/memory/search", json={"user_id": "ana", "query": "music"}, timeout=120).json()
    assert found["degraded"] is None
    server.terminate()
    assert [line.partition(b";")[0] for line in server.stderr.read().splitlines()] == [b"memdb: Ended by SIGTERM"]


@pytest.mark.slow
def test_workers_end_with_a_parent_that_was_killed(served: Callable[..., str], running: list[subprocess.Popen[bytes]]) -> None:
    address = served("--workers", "2")
    running[0].kill()
    running[0].wait()
    deadline = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"{address}/health", timeout=60)
        except httpx.TransportError:  # nobody listens there any more
            return
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_a_worker_started_anew_after_the_embedder_was_changed_searches_by_words(
    served: Callable[..., str], running: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    def workers() -> set[int]:
        children = Path(f"/proc/{running[0].pid}/task/{running[0].pid}/children").read_text().split()
        return {int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}

    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        mem.remember("Likes jazz", user_id="ana", key="user.likes")
        mem.drain()
    address = served("--workers", "2")
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.reindex("hashing-32")
    for pid in (before := workers()):
        os.kill(pid, signal.SIGKILL)
    with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
        for _ in range(600):
            with suppress(httpx.TransportError):
                found = client.post(f"{address}/memory/search", json={"user_id": "ana", "query": "jazz"}, timeout=60).json()
                if len(workers() - before) == 2:
                    break
            time.sleep(0.1)
        assert [hit["fact"]["value_text"] for hit in found["hits"]] == ["Likes jazz"]
    assert running[0].poll() is None


@pytest.mark.slow
def test_the_running_server_keeps_to_its_own_description(served: Callable[..., str], tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    address = served(keys="secret=*")
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"
    command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run", f"{address}/openapi.json"]
    refusals = [
        400,
        401,
        403,
        404,
        405,
        406,
        409,
        413,
        415,
        422,
        428,
        429,
    ]  # of more messages than may be, the body may be too long as well
    (tmp_path / "schemathesis.toml").write_text(f"checks.negative_data_rejection.expected-statuses = {refusals}\n", encoding="utf-8")
    done = subprocess.run(
        [*command, "--checks", checks + ",negative_data_rejection,unsupported_method,ignored_auth", "--max-examples", "15", "--seed", "1",
         "--request-timeout", "120",
         "-H", "Authorization: Bearer secret"],
        capture_output=True, text=True, check=False, timeout=400, cwd=tmp_path,  # it leaves a cache where it runs
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--port", str(port), "--db", str(tmp_path / "mem.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, f"Port {port} of 127.0.0.1 cannot be listened to" in done.stderr) == (1, True)


def test_nothing_is_served_that_loads_from_the_network(client: TestClient) -> None:
    assert [client.get(path).status_code for path in ("/docs", "/redoc", "/openapi.json")] == [404, 404, 200]


def test_a_server_that_others_reach_wants_keys(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memdb.interfaces.cli", "serve", "--host", "0.0.0.0", "--db", str(tmp_path / "mem.db")]
    environment = {name: value for name, value in os.environ.items() if name != "MEMDB_API_KEYS"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "set MEMDB_API_KEYS" in done.stderr) == (2, True)


@pytest.mark.parametrize("path", ["facts", "history", "turns"])
def test_a_long_list_is_had_part_by_part_by_the_links_that_it_comes_with(client: TestClient, mem: memdb.Memory, path: str) -> None:
    for place in range(5):
        mem.observe(f"Hello {place}", user_id="ana", turn_id=f"t{place}")
        mem.remember(f"Ana owns thing {place}", user_id="ana", key=f"user.owns_{place}", object=f"thing {place}")
    whole = client.get(f"/memory/{path}", params={"user_id": "ana"})
    assert (whole.headers["X-Total-Count"], "Link" in whole.headers) == (str(len(whole.json())), False)
    address, parts = f"/memory/{path}?user_id=ana&limit=2", []
    while address:
        answer = client.get(address)
        assert answer.headers["X-Total-Count"] == whole.headers["X-Total-Count"]
        parts.append(answer.json())
        address = answer.links["next"]["url"] if "next" in answer.links else ""
    assert [one for part in parts for one in part] == whole.json()
    assert [len(part) for part in parts] == [2, 2, 1]
    assert client.get(f"/memory/{path}?user_id=ana&limit=-1").status_code == 422
