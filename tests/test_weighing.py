"""What is proposed where something is said and something is believed: a table, one belief or two against one statement."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memdb.config import Config
from memdb.records import Candidate, Fact, Predicate
from memdb.steps.arbitrate import arbitrate

THEN, NOW = datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SOON, LATER = NOW + 10 * DAY, NOW + 40 * DAY
ZONE = Config(timezone="UTC")
PREDICATES = {
    one.predicate: one
    for one in (
        Predicate(predicate="lives_in", label="lives in", category="identity", cardinality="one"),
        Predicate(predicate="works_as", label="works as", category="identity", cardinality="one"),
        Predicate(predicate="likes", label="likes", category="soft_preference", cardinality="many", opposite="dislikes"),
        Predicate(predicate="dislikes", label="dislikes", category="soft_preference", cardinality="many", opposite="likes"),
        Predicate(predicate="prefers", label="prefers", category="soft_preference", cardinality="many"),
        Predicate(predicate="pet", label="has", category="identity", cardinality="many"),
    )
}
Given = dict[str, object]
Told = tuple[str, str, Given]
PENDING, DENIAL = {"status": "pending_confirmation"}, {"polarity": "negative"}
AGAIN = {"last_mentioned_at": NOW + DAY}


def held(predicate: str, value: str, place: int, **changes: object) -> Fact:
    parts = {"object": value} | (DENIAL if changes.pop("denies", False) else {})
    given: Given = {
        "fact_id": "abc"[place], "user_id": "ana", "kind": "fact", "key": f"user.{predicate}", "value_text": f"User {predicate} {value}",
        "value_json": parts, "category": PREDICATES[predicate].category, "confidence": 0.4, "importance": 0.5, "effective_importance": 0.5,
        "source": "user_message", "valid_from": THEN, "status": "active", "source_turn_id": "t", "source_excerpt": value,
        "created_at": THEN, "updated_at": THEN, "seen_count": 1, "access_count": 0,
    }  # fmt: skip
    return Fact.model_validate(given | changes)


def said(predicate: str, value: str, **changes: object) -> Candidate:
    parts = {"object": value} | (DENIAL if changes.pop("denies", False) else {})
    given: Given = {
        "key": f"user.{predicate}", "value_text": f"User {predicate} {value}", "object": value, "value_json": parts,
        "category": PREDICATES[predicate].category, "confidence": 0.9, "excerpt": value,
    }  # fmt: skip
    return Candidate.model_validate(given | changes)


@pytest.mark.parametrize(
    ("known", "told", "wanted"),
    [
        # new, or said again
        ([], ("lives_in", "Porto", {}), [("insert", None, "nothing was held")]),
        ([("likes", "tea", {})], ("likes", "jazz", {}), [("insert", None, "one more of its kind")]),
        ([("likes", "jazz", {})], ("likes", "Jazz", {}), [("noop", "a", "said again")]),
        ([("likes", "jazz", {})], ("likes", "jazz", {"explicit": True}), [("noop", "a", "confirmed")]),
        ([("lives_in", "Porto", {}), ("lives_in", "Braga", PENDING)], ("lives_in", "Braga", {}), [("update", "b", "settles it")]),
        ([("lives_in", "Porto", {"valid_to": LATER})], ("lives_in", "Porto", {"explicit": True}), [("update", "a", "now said to last")]),
        ([("lives_in", "Porto", {})], ("lives_in", "Porto", {"valid_to": LATER, "until": True}), [("update", "a", "said until when")]),
        ([("lives_in", "Porto", {})], ("lives_in", "Porto", {"valid_to": LATER}), [("noop", "a", "said again")]),
        ([("lives_in", "Porto", {"valid_to": SOON})], ("lives_in", "Porto", {"valid_to": LATER, "temporary": True}), [("update", "a", "for longer")]),
        # said more exactly, or less
        ([("works_as", "nurse", {})], ("works_as", "head nurse", {}), [("update", "a", "says more than")]),
        ([("works_as", "head nurse", {})], ("works_as", "nurse", {}), [("noop", "a", "in fewer words")]),
        ([("pet", "dog", {})], ("pet", "dog called Rex", {}), [("update", "a", "says more than")]),
        ([("pet", "puppy", {})], ("pet", "dog called Rex", {}), [("update", "a", "says more than")]),
        ([("pet", "puppy", {})], ("pet", "dog", {}), [("insert", None, "one more")]),
        # another value
        ([("lives_in", "Porto", {})], ("lives_in", "Braga", {}), [("supersede", "a", "says otherwise")]),
        ([("lives_in", "Porto", {})], ("lives_in", "Braga", {"explicit": True}), [("supersede", "a", "said to have changed: 'Porto' gives way to 'Braga'")]),
        ([("lives_in", "York", {})], ("lives_in", "New York", {}), [("supersede", "a", "says otherwise")]),
        ([("lives_in", "Porto", {})], ("lives_in", "near Porto", {}), [("supersede", "a", "says otherwise")]),
        ([("lives_in", "Porto", {})], ("lives_in", "Rome", {"temporary": True, "valid_to": SOON}), [("insert", None, "one more")]),
        ([("lives_in", "Porto", AGAIN)], ("lives_in", "Braga", {}), [("insert", "a", "said before 'Porto'")]),
        ([("lives_in", "Porto", {"last_mentioned_at": NOW})], ("lives_in", "Braga", {}), [("supersede", "a", "says otherwise")]),
        ([("lives_in", "Porto", {"valid_to": LATER})], ("lives_in", "Braga", {"explicit": True}), [("supersede", "a", "said to have changed")]),
        ([("lives_in", "Porto", {"valid_to": LATER})], ("lives_in", "Braga", {}), [("insert", None, "one more")]),
        ([("likes", "jazz", {})], ("dislikes", "jazz", {}), [("supersede", "a", "'User likes jazz' gives way to 'User dislikes jazz'")]),
        ([("pet", "two cats", {})], ("pet", "three cats", {}), [("supersede", "a", "says otherwise")]),
        ([("pet", "2 cats", {})], ("pet", "3 cats", {}), [("supersede", "a", "says otherwise")]),
        ([("pet", "two cats", {})], ("pet", "three dogs", {}), [("insert", None, "one more")]),
        ([("prefers", "tea to coffee", {})], ("prefers", "coffee to tea", {}), [("supersede", "a", "says otherwise")]),
        ([("prefers", "a car for work", {})], ("prefers", "trains for work", {}), [("supersede", "a", "says otherwise")]),
        ([("prefers", "window seats", {})], ("prefers", "early trains", {}), [("insert", None, "one more")]),
        ([("likes", "tea to coffee", {})], ("likes", "coffee to tea", {}), [("insert", None, "one more")]),
        # what is so for a time, and what is to come
        ([("lives_in", "Faro", {}), ("lives_in", "Rome", {"valid_to": LATER})], ("lives_in", "Rome", {}), [("noop", "b", "while it lasts")]),
        ([("lives_in", "Faro", {}), ("lives_in", "Rome", {"valid_to": LATER})], ("lives_in", "Rome", {"explicit": True}),
         [("supersede", "a", "said to have changed"), ("expire", "b", "gives way")]),
        ([("lives_in", "Faro", {}), ("lives_in", "Rome", {"valid_to": LATER}), ("lives_in", "Rome", PENDING)], ("lives_in", "Rome", {"explicit": True}),
         [("update", "c", "settles it")]),
        ([("lives_in", "Rome", {"valid_from": SOON})], ("lives_in", "Porto", {}), [("insert", None, "so until 'Rome' begins")]),
        ([("lives_in", "Rome", {"valid_from": SOON})], ("lives_in", "Rome", {"valid_from": LATER}),
         [("expire", "a", "put off"), ("insert", None, "nothing was held")]),
        ([("lives_in", "Rome", {"valid_from": SOON, "last_mentioned_at": NOW})], ("lives_in", "Rome", {"valid_from": LATER}),
         [("expire", "a", "put off"), ("insert", None, "nothing was held")]),
        ([("lives_in", "Rome", {"valid_from": SOON, **AGAIN})], ("lives_in", "Rome", {"valid_from": LATER}), [("noop", "a", "said again")]),
        ([("lives_in", "Rome", {"valid_from": SOON})], ("lives_in", "Rome", {"valid_from": SOON}), [("noop", "a", "said again")]),
        ([("lives_in", "Rome", {"valid_from": SOON})], ("lives_in", "Rome", {}), [("expire", "a", "is so already"), ("insert", None, "is so already")]),
        ([("lives_in", "Rome", {"valid_from": SOON, **AGAIN})], ("lives_in", "Rome", {}), [("noop", "a", "said again")]),
        ([("lives_in", "Rome", {"valid_to": SOON})], ("lives_in", "Rome", {"coming": True, "explicit": True}), [("update", "a", "now said to last")]),
        ([("lives_in", "Rome", {})], ("lives_in", "Rome", {"coming": True, "explicit": True}), []),
        # what ends
        ([("lives_in", "Porto", {})], ("lives_in", "Porto", {"negated": True}), [("expire", "a", "no longer")]),
        ([("lives_in", "Porto", {})], ("lives_in", "", {"negated": True}), [("expire", "a", "no longer")]),
        ([("lives_in", "Porto", {})], ("lives_in", "Braga", {"negated": True}), []),
        ([("lives_in", "Porto", AGAIN)], ("lives_in", "Porto", {"negated": True}), []),
        ([("lives_in", "Porto", {"valid_from": SOON})], ("lives_in", "Porto", {"negated": True}), []),
        ([("lives_in", "Porto", {"valid_from": SOON})], ("lives_in", "Porto", {"negated": True, "coming": True}), [("expire", "a", "no longer")]),
        ([("likes", "nuts", {})], ("likes", "pine nuts", {"negated": True}), [("mark_pending_confirmation", "a", "maybe of another")]),
        ([("likes", "nuts", {})], ("likes", "pine nuts", {"negated": True, "because": "corrected"}), []),
        ([("likes", "nuts", {}), ("likes", "pine nuts", {})], ("likes", "pine nuts", {"negated": True}), [("expire", "b", "no longer")]),
        ([("pet", "brown dog", {}), ("pet", "black dog", {})], ("pet", "dog", {"negated": True}),
         [("mark_pending_confirmation", "a", "maybe of another"), ("mark_pending_confirmation", "b", "maybe of another")]),
        # what is denied
        ([("likes", "nuts", {})], ("likes", "nuts", {"denies": True}), [("supersede", "a", "says otherwise")]),
        ([("likes", "nuts", {"denies": True})], ("likes", "nuts", {}), [("supersede", "a", "says otherwise")]),
        ([("likes", "nuts", {}), ("likes", "nuts", {"denies": True, **PENDING})], ("likes", "nuts", {"negated": True}), [("update", "b", "settles it")]),
        ([("likes", "nuts", {}), ("likes", "nuts", {"denies": True, **PENDING})], ("likes", "nuts", {"negated": True, "explicit": True}),
         [("expire", "a", "no longer")]),
        ([("pet", "dog called Rex", {})], ("pet", "dog", {"denies": True}), [("supersede", "a", "says otherwise")]),
    ],
)  # fmt: skip
def test_what_is_proposed(known: list[Told], told: Told, wanted: list[tuple[str, str | None, str]]) -> None:
    beliefs = [held(predicate, value, place, **changes) for place, (predicate, value, changes) in enumerate(known)]
    predicate, value, changes = told
    actions = arbitrate(said(predicate, value, **changes), beliefs, predicates=PREDICATES, config=ZONE, now=NOW)
    assert [(action.type, action.target_fact_id) for action in actions] == [(type_, target) for type_, target, _ in wanted]
    assert [why for action, (_, _, why) in zip(actions, wanted, strict=True) if why not in action.reason] == []


@pytest.mark.parametrize(
    ("told", "delta"),
    [({}, 0.0), ({"explicit": True}, 0.3), ({"stated": True}, 0.0), ({"stated": True, "explicit": True}, 0.3)],
)
def test_a_plain_change_counts_as_a_confirmation_of_what_takes_a_belief_s_place(told: Given, delta: float) -> None:
    [action] = arbitrate(said("lives_in", "Braga", **told), [held("lives_in", "Porto", 0)], predicates=PREDICATES, config=ZONE, now=NOW)
    assert action.confidence_delta == delta
    [first] = arbitrate(said("lives_in", "Braga", **told), [], predicates=PREDICATES, config=ZONE, now=NOW)
    assert first.confidence_delta == (0.3 if "stated" in told and "explicit" in told else 0.0)


def test_the_reason_of_a_denial_tells_what_it_denies() -> None:
    denial = said("lives_in", "Porto", denies=True, explicit=True, value_text="User does not live in Porto")
    [action] = arbitrate(denial, [held("lives_in", "Porto", 0)], predicates=PREDICATES, config=ZONE, now=NOW)
    assert action.reason == "said to have changed: 'User lives_in Porto' gives way to 'User does not live in Porto'"


def test_what_is_said_before_something_else_was_so_until_that_began() -> None:
    known = held("lives_in", "Porto", 0, valid_from=SOON, created_at=LATER)
    [action] = arbitrate(said("lives_in", "Braga"), [known], predicates=PREDICATES, config=ZONE, now=NOW)
    assert (action.type, action.target_fact_id, action.valid_to) == ("insert", "a", SOON)
