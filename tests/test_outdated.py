"""A message whose news is out of date: how a question about the present ranks it, and that nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from memdb import files
from memdb.cues import asks_former, asks_present

NOW = "2025-06-01T12:00:00Z"


@pytest.fixture
def moved(mem: memdb.Memory) -> memdb.Memory:
    """Somebody who lived in Porto, worked there as what she still is, and moved to Braga."""
    mem.observe("I live in Porto.", user_id="ana", turn_id="porto", timestamp="2025-03-01")
    mem.observe("I work at Bosch as an engineer.", user_id="ana", turn_id="bosch", timestamp="2025-03-02")
    mem.observe("I moved to Braga.", user_id="ana", turn_id="braga", timestamp="2025-03-10")
    mem.observe("I left Bosch.", user_id="ana", turn_id="left", timestamp="2025-03-11")
    mem.drain()
    return mem


def outdated(mem: memdb.Memory, query: str, **narrowed: object) -> dict[str, float]:
    """How much of each message is out of date for a question, by its turn."""
    hits = mem.search(query, user_id="ana", now=NOW, limit=50, kinds=["message"], **narrowed)  # type: ignore[arg-type]
    return {hit.fact.source_turn_id: hit.parts["outdated"] for hit in hits if hit.parts["outdated"]}


def test_what_is_believed_stands_before_what_was_said_once(moved: memdb.Memory) -> None:
    hits = moved.search("Where do I live?", user_id="ana", now=NOW)
    assert hits[0].fact.value_text == "User lives in Braga"
    assert hits.question.present
    assert "I live in Porto." in [hit.fact.value_text for hit in hits]
    (old,) = [hit for hit in hits if hit.fact.value_text == "I live in Porto."]
    assert old.contributions["outdated"] == -1.0


@pytest.mark.parametrize("query", ["Where do I live, and what is my work?", "Onde é que eu moro?"])
def test_a_message_is_out_of_date_as_far_as_what_was_learned_from_it_is_over(moved: memdb.Memory, query: str) -> None:
    assert outdated(moved, query) == {"porto": 1.0, "bosch": 0.5}


def test_a_verdict_does_not_rest_on_it_and_a_prompt_says_so(moved: memdb.Memory) -> None:
    verdict = moved.assess("Where do I live?", user_id="ana", now=NOW).verdict
    assert verdict is not None
    assert verdict.fact_id is not None
    assert moved.fact(verdict.fact_id).value_text in ("User lives in Braga", "I moved to Braga.")
    text = moved.context("Where do I live?", user_id="ana", now=NOW).text
    assert "I live in Porto. (may be out of date)" in text
    assert "(may be out of date)" not in moved.context("Where did I live in March?", user_id="ana", now=NOW).text


@pytest.mark.parametrize(
    ("query", "narrowed"),
    [
        ("Where did I live?", {}),
        ("Did I ever live in Porto?", {}),
        ("When did I work at Bosch?", {}),
        ("Do I work at Bosch in April?", {}),
        ("Where do I live since I moved?", {}),
        ("Porto", {}),
        ("Onde é que eu morava?", {}),
        ("Gdzie mieszkam, Porto?", {}),
        ("Where do I live?", {"as_of": "2025-03-05"}),
        ("Where do I live?", {"statuses": ["active", "superseded"]}),
    ],
)
def test_it_counts_only_where_the_present_is_asked_for(moved: memdb.Memory, query: str, narrowed: dict[str, object]) -> None:
    assert outdated(moved, query, **narrowed) == {}


def test_what_only_told_again_what_is_over_is_out_of_date_as_well(mem: memdb.Memory) -> None:
    said = ["I live in Porto.", "I still live in Porto.", "I live in Porto, near the river.", "I have a dog.", "My dog is called Rex.",
            "I moved to Braga.", "My dog Rex died."]  # fmt: skip
    for day, text in enumerate(said, 1):
        mem.observe(text, user_id="ana", turn_id=f"t{day}", timestamp=f"2025-03-0{day}")
    mem.drain()
    expected = {f"t{day}": 1.0 for day in range(1, 6)}  # and who tells the end does not tell that it is so
    assert outdated(mem, "Where do I live with my dog?") == expected
    mem.compact(now="2026-03-20")
    assert outdated(mem, "Where do I live with my dog?") == expected
    mem.observe("I moved back to Porto.", user_id="ana", turn_id="back", timestamp="2025-03-08")
    mem.observe("I still live in Porto.", user_id="ana", turn_id="still", timestamp="2025-03-09")
    mem.drain()
    assert outdated(mem, "Where do I live with my dog?") == {**expected, "t6": 1.0}


def test_what_lies_in_the_archive_is_over_as_well(moved: memdb.Memory) -> None:
    assert moved.compact(now="2026-03-20") == 2
    assert moved.facts("ana", statuses=["superseded", "expired"]) == []
    assert outdated(moved, "Where do I live, and what is my work?") == {"porto": 1.0, "bosch": 0.5}


def test_what_was_taken_back_says_nothing_of_its_message(moved: memdb.Memory) -> None:
    (job,) = [fact for fact in moved.facts("ana") if fact.key == "user.works_as"]
    moved.reject(job.fact_id)
    assert outdated(moved, "What is my work?")["bosch"] == 1.0  # of what else was learned from it
    moved.undo(user_id="ana", turn_id="braga")
    assert outdated(moved, "Where do I live?") == {"bosch": 1.0}  # Porto stands again, and Braga was never learned
    moved.observe("I moved to Faro.", user_id="ana", timestamp="2025-03-20")
    moved.drain()
    assert outdated(moved, "Where do I live?") == {"porto": 1.0, "bosch": 1.0}


def test_what_waited_for_leave_to_be_kept_and_is_over_makes_its_message_out_of_date(mem: memdb.Memory) -> None:
    mem.observe("I'm allergic to nuts.", user_id="ana", turn_id="nuts", timestamp="2025-03-01")
    mem.observe("I'm no longer allergic to nuts.", user_id="ana", turn_id="over", timestamp="2025-03-02")
    mem.drain()
    assert outdated(mem, "Am I allergic to nuts?") == {"nuts": 1.0}


def test_what_was_merged_with_the_same_is_believed_still(mem: memdb.Memory) -> None:
    mem.load([{"text": "Tea, tea!", "timestamp": f"2025-03-0{day}", "turn_id": f"t{day}"} for day in (1, 2)], user_id="ana")
    mem.drain()
    for day, text in ((1, "User likes tea"), (2, "The user likes tea")):
        mem.remember_many(
            [{"value_text": text, "key": "user.likes", "user_id": "ana", "turn_id": f"t{day}", "timestamp": f"2025-03-0{day}"}]
        )
    mem.drain()
    assert mem.maintain(now="2025-03-05").merged == 1
    assert [fact.source_turn_id for fact in mem.facts("ana", statuses=["superseded"])] == ["t2"]
    assert outdated(mem, "What is it with tea?") == {}


def test_that_an_event_is_over_makes_no_message_out_of_date(mem: memdb.Memory) -> None:
    mem.observe("My flight is on Friday.", user_id="ana", turn_id="flight", timestamp="2025-03-03")
    mem.drain()
    going = {"value_text": "User flies to Faro", "key": "user.task", "user_id": "ana", "turn_id": "flight", "event_time": "2025-03-07"}
    mem.remember_many([{**going, "timestamp": "2025-03-03", "valid_to": "2025-03-08"}])
    mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-09")
    mem.drain()
    mem.maintain(now="2025-03-10")
    assert outdated(mem, "What is on my flight?") == {}


@pytest.mark.parametrize(
    "query",
    ["Where do I live?", "what's my phone number", "Am I vegetarian?", "Who lives in Porto?", "What is my dog called?", "Isn't Ana married?",
     "Which city do we live in?", "Hi! How many children does Ana have?", "Don't I have a sister?", "When do I go to bed?"],
)  # fmt: skip
def test_what_asks_for_what_is_so_now(query: str) -> None:
    assert asks_present(query)


@pytest.mark.parametrize(
    "query",
    ["", "my job", "Tell me about Ana.", "What car did I drive?", "Did I ever own a Volvo?", "Have I been to Spain?", "I live in Porto.",
     "Where is the place that I visited?", "What is the name of the cat I had?", "Who is the man I met?", "Wo wohne ich?", "what " * 300],
)  # fmt: skip
def test_what_asks_for_something_else_or_for_what_was(query: str) -> None:
    assert not asks_present(query)


def test_a_file_of_before_gets_the_weight_unless_somebody_has_taken_the_set_away(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        connection = mem._store.database().connection
        sql = dict(files.migrations())[43]
        connection.execute("delete from weights where feature = 'outdated'")
        connection.execute(sql)
        assert mem.weight_sets()["default"]["outdated"] == -1.0
        connection.execute("update weights set value = -0.5 where feature = 'outdated'")
        connection.execute(sql)
        assert mem.weight_sets()["default"]["outdated"] == -0.5
        connection.execute("delete from weights where name = 'default'")
        connection.execute(sql)
        assert "default" not in mem.weight_sets()


FORMER = [
    ("Where did I live before?", "User lives in Porto"),
    ("Where did I use to live?", "User lives in Porto"),
    ("What is my old address?", "User lives in Porto"),
    ("Where did I previously work?", "User works at Bosch"),
    ("Who was my former employer?", "User works at Bosch"),
]


@pytest.mark.parametrize(("query", "answer"), FORMER)
def test_asked_what_was_so_before_what_is_over_counts_more(moved: memdb.Memory, query: str, answer: str) -> None:
    hits = moved.search(query, user_id="ana", now=NOW)
    assert (hits.question.former, hits.question.past) == (True, True)
    counted = {hit.fact.value_text: hit.parts["former"] for hit in hits}
    (over,) = [hit for hit in hits if hit.fact.value_text == answer]
    assert over.parts["match"] <= over.parts["former"] <= 1.0
    assert over.contributions["former"] == pytest.approx(0.4 * over.parts["former"])
    assert not counted["User lives in Braga"]
    assert over.parts["confidence"] == over.fact.confidence  # it was as sure then


def test_what_is_over_stands_before_what_is_so_now(moved: memdb.Memory) -> None:
    told = [hit.fact.value_text for hit in moved.search("Where did I live before?", user_id="ana", now=NOW)]
    assert told.index("User lives in Porto") < told.index("User lives in Braga")
    assert told.index("I live in Porto.") < told.index("I moved to Braga.")


@pytest.mark.parametrize(
    "query",
    [
        "Where do I live?",
        "Where did I live in March?",
        "What did I do before the meeting?",
        "What have I tried before?",
        "What did we say in our previous conversation?",
        "What am I used to?",
        "What did I get used to?",
        "What do I use to cook?",
        "What did I use to clean the floor?",
        "Who is my old friend?",
        "What was my job before I moved?",
    ],
)
def test_what_does_not_ask_what_was_so_before(moved: memdb.Memory, query: str) -> None:
    hits = moved.search(query, user_id="ana", now=NOW)
    assert not hits.question.former
    assert {hit.parts["former"] for hit in hits} <= {0.0}


def test_no_question_takes_long_to_read() -> None:
    assert not asks_former("did " * 50_000 + "was before x")
