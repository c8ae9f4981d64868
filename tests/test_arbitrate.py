"""What becomes of a belief: a table of conversations and what a careful listener concludes from them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memdb
from memdb.config import Config
from memdb.records import Action, Candidate, Fact
from memdb.steps.guard import guard

Tell = Callable[..., memdb.Memory]
A, P, S, X = "active", "pending_confirmation", "superseded", "expired"
LISBON3 = ("I live in Lisbon.", "I live in Lisbon.", "I live in Lisbon.")

CASES: list[tuple[str, tuple[str, ...], list[tuple[str, str, str]]]] = [
    # said once
    ("a place", ("I live in Porto.",), [("user.lives_in", "Porto", A)]),
    ("a name", ("My name is Ana.",), [("user.name", "Ana", A)]),
    ("work", ("I work as a nurse.",), [("user.works_as", "nurse", A)]),
    ("an employer", ("I work at Siemens.",), [("user.works_at", "Siemens", A)]),
    ("an allergy", ("I'm allergic to peanuts.",), [("user.allergic_to", "peanuts", A)]),
    ("a liking", ("I love jazz.",), [("user.likes", "jazz", A)]),
    ("a dislike", ("I hate queues.",), [("user.dislikes", "queues", A)]),
    ("a diet", ("I'm vegetarian.",), [("user.diet", "vegetarian", A)]),
    ("a favourite", ("My favourite colour is green.",), [("user.favourite_colour", "green", A)]),
    ("a sister", ("My sister Clara lives in Braga.",), [("sister.lives_in", "Braga", A), ("user.sister", "Clara", A)]),
    # two in one turn
    ("two facts", ("I live in Porto and work as a nurse.",), [("user.lives_in", "Porto", A), ("user.works_as", "nurse", A)]),
    ("a list", ("I like jazz, blues and rock.",), [("user.likes", "blues", A), ("user.likes", "jazz", A), ("user.likes", "rock", A)]),
    # said again
    ("repeated", ("I live in Porto.", "I live in Porto."), [("user.lives_in", "Porto", A)]),
    ("repeated in other case", ("I live in Porto.", "i live in porto"), [("user.lives_in", "Porto", A)]),
    ("liked twice", ("I like jazz.", "I love jazz."), [("user.likes", "jazz", A)]),
    ("confirmed", ("I live in Porto.", "Yes, I still live in Porto."), [("user.lives_in", "Porto", A)]),
    # refined
    ("more exactly", ("I work as a physiotherapist.", "I work as a head physiotherapist."), [("user.works_as", "head physiotherapist", A)]),
    ("less exactly", ("I work as a head physiotherapist.", "I work as a physiotherapist."), [("user.works_as", "head physiotherapist", A)]),
    # changed, and said to have changed
    ("moved", ("I live in Porto.", "I moved to Lisbon."), [("user.lives_in", "Lisbon", A), ("user.lives_in", "Porto", S)]),
    ("moved though well known", (*LISBON3, "We moved to Faro last week."), [("user.lives_in", "Faro", A), ("user.lives_in", "Lisbon", S)]),
    ("moved twice", ("I live in Porto.", "I moved to Lisbon.", "I moved to Faro."),
     [("user.lives_in", "Faro", A), ("user.lives_in", "Lisbon", S), ("user.lives_in", "Porto", S)]),
    ("moved and back", ("I live in Porto.", "I moved to Lisbon.", "I moved back to Porto."),
     [("user.lives_in", "Lisbon", S), ("user.lives_in", "Porto", A), ("user.lives_in", "Porto", S)]),
    ("a corrected name", ("I'm Sophia.", "Actually, my name is Sofia, not Sophia."),
     [("user.name", "Sofia", A), ("user.name", "Sophia", S)]),
    ("a colour that is new", ("My favourite colour is green.", "My favourite colour is blue now."),
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    ("a new job", ("I work at Siemens.", "I got a job at Bosch."), [("user.works_at", "Bosch", A), ("user.works_at", "Siemens", S)]),
    ("a sister who moved", ("My sister lives in Braga.", "My sister moved to Faro."),
     [("sister.lives_in", "Braga", S), ("sister.lives_in", "Faro", A)]),
    # contradicted, and not said to have changed
    ("a colour once", ("My favourite colour is green.", "My favourite colour is blue."),
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    ("a colour well known", ("My favourite colour is green.", "My favourite colour is green.", "My favourite colour is blue."),
     [("user.favourite_colour", "blue", P), ("user.favourite_colour", "green", A)]),
    ("a place in passing", ("I live in Porto.", "I live in Braga."), [("user.lives_in", "Braga", P), ("user.lives_in", "Porto", A)]),
    ("a place well known", (*LISBON3, "I live in Braga."), [("user.lives_in", "Braga", P), ("user.lives_in", "Lisbon", A)]),
    ("a name in passing", ("My name is Ana.", "My name is Anna."), [("user.name", "Ana", A), ("user.name", "Anna", P)]),
    ("work in passing", ("I work as a nurse.", "I work as a pilot."), [("user.works_as", "nurse", A), ("user.works_as", "pilot", P)]),
    # resolved by a later turn
    ("the old one again", (*LISBON3, "I live in Braga.", "I live in Lisbon."),
     [("user.lives_in", "Braga", X), ("user.lives_in", "Lisbon", A)]),
    ("the new one plainly", ("I live in Porto.", "I live in Braga.", "I moved to Braga."),
     [("user.lives_in", "Braga", A), ("user.lives_in", "Porto", S)]),
    ("the new one in passing stays pending", ("I live in Porto.", "I live in Braga.", "I live in Braga."),
     [("user.lives_in", "Braga", P), ("user.lives_in", "Porto", A)]),
    ("low risk is settled by saying it again", ("My favourite colour is green.",) * 2 + ("My favourite colour is blue.",) * 2,
     [("user.favourite_colour", "blue", A), ("user.favourite_colour", "green", S)]),
    # ended
    ("no longer liked", ("I love coffee.", "I don't like coffee any more."), [("user.dislikes", "coffee", A), ("user.likes", "coffee", S)]),
    ("stopped working", ("I work at Siemens.", "I no longer work at Siemens."), [("user.works_at", "Siemens", X)]),
    ("not there any more", ("I live in Porto.", "I don't live in Porto any more."), [("user.lives_in", "Porto", X)]),
    ("a hobby dropped", ("I've taken up rowing.", "I dropped rowing."), [("user.hobby", "rowing", X)]),
    ("what was never said cannot end", ("I no longer work at Siemens.",), []),
    ("another thing ends", ("I like jazz.", "I like tea.", "I don't like tea any more."),
     [("user.dislikes", "tea", A), ("user.likes", "jazz", A), ("user.likes", "tea", S)]),
    # the opposite
    ("liked, then hated", ("I like jazz.", "I hate jazz."), [("user.dislikes", "jazz", A), ("user.likes", "jazz", S)]),
    ("hated, then liked", ("I hate jazz.", "I love jazz now."), [("user.dislikes", "jazz", S), ("user.likes", "jazz", A)]),
    ("another hated", ("I like jazz.", "I hate blues."), [("user.dislikes", "blues", A), ("user.likes", "jazz", A)]),
    # for a time
    ("a stay is no move, and is over by now", ("I live in Porto.", "For this week I'm staying in Berlin."),
     [("user.lives_in", "Porto", A)]),
    ("a diet for a time", ("I'm vegetarian.", "Until Easter I'm vegan."), [("user.diet", "vegan", A), ("user.diet", "vegetarian", A)]),
    # sets grow
    ("two allergies", ("I'm allergic to peanuts.", "I'm allergic to shrimp."),
     [("user.allergic_to", "peanuts", A), ("user.allergic_to", "shrimp", A)]),
    # no facts at all
    ("a question", ("Do I live in Porto?",), []),
    ("a question without its mark", ("do you know if I live in Porto",), []),
    ("a condition", ("If I lived in Porto, I would eat fish.",), []),
    ("a wish", ("I would love to live in Porto.",), []),
    ("a quotation", ("She said \"I live in Porto\".",), []),
    ("a request", ("Write a story in which I live in Porto.",), []),
    ("chit-chat", ("What a day!", "Thanks, that helps.", "Ha, good one."), []),
    ("another language", ("Ich wohne in Köln und mag Jazz.",), []),
    ("a maybe", ("Maybe I live in a simulation.",), []),
    ("sarcasm", ("Yeah right, as if I love herbal tea.",), []),
    ("of somebody else", ("Her boss lives in Porto.",), []),
    ("nothing", (" ", "…", "🙂"), []),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_careful_listener_concludes(turns: tuple[str, ...], expected: list[tuple[str, str, str]], tell: Tell) -> None:
    mem = tell(*turns)
    held = mem.facts("ana", statuses=("active", "pending_confirmation", "superseded", "expired"), now="2025-03-10")
    assert sorted((fact.key, fact.object, fact.status) for fact in held) == sorted(expected)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize(("times", "confidence"), [(1, 0.40), (2, 0.70), (3, 0.85), (4, 0.925)])
def test_confidence_begins_low_and_closes_half_the_gap(times: int, confidence: float, tell: Tell) -> None:
    [fact] = tell(*["I live in Porto."] * times).facts("ana")
    assert fact.confidence == pytest.approx(confidence)
    assert fact.seen_count == times


def test_what_is_only_for_a_time_ends_by_itself(tell: Tell) -> None:
    mem = tell("I live in Porto.", "For this week I'm staying in Berlin.")
    assert [fact.object for fact in mem.facts("ana", now="2025-03-02T12:00:00Z")] == ["Porto", "Berlin"]
    assert [fact.object for fact in mem.facts("ana", now="2025-03-20")] == ["Porto"]
    assert "Berlin" not in {hit.fact.object for hit in mem.search("staying", user_id="ana", now="2025-03-20", kinds=["fact"])}


def test_confirming_a_pending_fact_ends_what_it_contradicted(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [pending] = mem.facts("ana", statuses=("pending_confirmation",))
    confirmed = mem.confirm(pending.fact_id)
    assert (confirmed.status, confirmed.confidence) == ("active", 0.7)
    assert [fact.object for fact in mem.facts("ana")] == ["Braga"]


def test_rejecting_a_pending_fact_leaves_the_old_one(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Braga.")
    [pending] = mem.facts("ana", statuses=("pending_confirmation",))
    rejected = mem.reject(pending.fact_id)
    assert (rejected.status, rejected.valid_to) == ("expired", rejected.valid_from)
    assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def test_a_turn_that_arrives_late_does_not_overrule_what_was_said_after_it(mem: memdb.Memory) -> None:
    mem.observe("I moved to Lisbon.", user_id="ana", timestamp="2025-06-01")
    mem.observe("I live in Porto.", user_id="ana", timestamp="2025-03-01")
    mem.drain()
    assert [fact.object for fact in mem.facts("ana")] == ["Lisbon"]
    assert [fact.object for fact in mem.facts("ana", as_of="2025-04-01")] == ["Porto"]


def test_since_long_ago_is_news_all_the_same(tell: Tell) -> None:
    mem = tell("My favourite band is Blur.", "My favourite band is Pulp since 2019.")
    [fact] = mem.facts("ana", statuses=("active",))
    assert fact.key == "user.favourite_band"
    assert "Pulp" in fact.object


def test_every_change_is_recorded_with_before_and_after(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I live in Porto.", "I moved to Lisbon.", "I don't live in Lisbon any more.")
    told = [
        (change.operation, change.before and change.before.object, change.after and change.after.object)
        for change in mem.history(user_id="ana")
    ]
    assert told == [
        ("insert", None, "Porto"),
        ("noop", "Porto", "Porto"),
        ("supersede", "Porto", "Porto"),
        ("insert", None, "Lisbon"),
        ("expire", "Lisbon", "Lisbon"),
    ]
    assert all(change.turn_id and change.action_hash and change.reason for change in mem.history(user_id="ana"))


def said(**changes: object) -> Candidate:
    given: dict[str, object] = {
        "key": "user.lives_in", "value_text": "User lives in Faro", "object": "Faro", "category": "identity",
        "confidence": 0.95, "excerpt": "Faro", "explicit": True,
    }  # fmt: skip
    return Candidate.model_validate(given | changes)


@pytest.mark.parametrize(
    ("candidate", "outcome"),
    [
        (said(), "supersede"),
        (said(explicit=False), "mark_pending_confirmation"),
        (said(confidence=0.89), "mark_pending_confirmation"),
        (said(confidence=0.5), "mark_pending_confirmation"),
    ],
    ids=["plain", "in passing", "not quite sure", "unsure"],
)
def test_identity_changes_only_when_it_is_said_plainly(candidate: Candidate, outcome: str, tell: Tell) -> None:
    known: Fact = tell("I live in Porto.").facts("ana")[0]
    proposed = Action(type="supersede", key=candidate.key, target_fact_id=known.fact_id, reason="test", candidate=candidate)
    assert guard(proposed, known, predicates={}, config=Config()).type == outcome
