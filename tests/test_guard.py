"""What may happen by itself, and what waits for a word of the user: a table of proposed changes and what becomes of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memdb.config import Config
from memdb.records import Action, Candidate, Consent, Fact, Predicate
from memdb.steps.guard import guard

NOW = datetime(2025, 3, 1, tzinfo=UTC)
YEAR = timedelta(days=365)
HEALTH = {"value_text": "User is allergic to peanuts", "object": "peanuts"}
ASK = Consent(sensitive_topics="ask")
Given = dict[str, object]


def held(**changes: object) -> Fact:
    """A favourite colour that the user told once more."""
    given: Given = {
        "fact_id": "f", "user_id": "ana", "kind": "fact", "key": "user.favourite_colour", "value_text": "User's favourite colour is green",
        "value_json": {"object": "green"}, "category": "soft_preference", "confidence": 0.6, "importance": 0.5, "effective_importance": 0.5,
        "source": "user_message", "valid_from": NOW, "status": "active", "source_turn_id": "t", "source_excerpt": "green", "created_at": NOW,
        "updated_at": NOW, "seen_count": 1, "access_count": 0,
    }  # fmt: skip
    return Fact.model_validate(given | changes)


def proposed(type_: str, changes: Given) -> Action:
    """A change to blue, said to be one."""
    given: Given = {
        "key": "user.favourite_colour", "value_text": "User's favourite colour is blue", "object": "blue", "category": "soft_preference",
        "confidence": 0.95, "excerpt": "blue", "explicit": True,
    }  # fmt: skip
    said = Candidate.model_validate(given | changes)
    return Action.model_validate({"type": type_, "key": said.key, "reason": "as proposed", "confidence_delta": 0.1, "candidate": said})


def outcome(action: Action, target: Fact | None, **more: object) -> tuple[str, str]:
    allowed = guard(action, target, predicates={}, config=Config(), **more)  # type: ignore[arg-type]
    return allowed.type, allowed.reason


@pytest.mark.parametrize(
    ("of", "said", "source", "wanted", "why"),
    [
        # a doubt that is settled by saying it again
        ({"status": "pending_confirmation"}, {}, "user_message", "update", "as proposed"),
        ({"status": "pending_confirmation"}, {}, "tool", "update", "as proposed"),
        ({"status": "pending_confirmation"}, {}, "web_scraped", "noop", "not by the user"),
        ({"status": "uncertain"}, {}, "inferred", "noop", "not by the user"),
        ({}, {}, "web_scraped", "update", "as proposed"),
        # of high risk
        ({"status": "pending_confirmation", "category": "identity"}, {}, "user_message", "update", "as proposed"),
        ({"status": "pending_confirmation", "category": "identity"}, {"explicit": False}, "user_message", "noop", "explicit confirmation"),
        ({"status": "uncertain", "category": "health"}, {"explicit": False}, "user_message", "noop", "explicit confirmation"),
        ({"status": "uncertain", "category": "health"}, {"explicit": False, "answered": True}, "user_message", "update", "as proposed"),
        ({"status": "uncertain", "category": "health"}, {"confidence": 0.89}, "user_message", "noop", "explicit confirmation"),
        ({"status": "uncertain", "category": "health", "confidence": 0.8}, {"explicit": False}, "user_message", "update", "as proposed"),
        ({"status": "uncertain"}, {"explicit": False}, "user_message", "update", "as proposed"),
        ({"category": "identity"}, {"explicit": False}, "user_message", "update", "as proposed"),
        ({"category": "identity"}, {"confidence": 0.69}, "user_message", "noop", "too uncertain to refine"),
        ({"category": "identity"}, {"confidence": 0.7}, "user_message", "update", "as proposed"),
        ({}, {"confidence": 0.5}, "user_message", "update", "as proposed"),
        # of long ago
        ({"status": "pending_confirmation", "valid_from": NOW - 2 * YEAR}, {"valid_from": NOW - 2 * YEAR}, "user_message", "noop", "so long ago"),
        ({"status": "pending_confirmation", "valid_from": NOW - YEAR}, {"valid_from": NOW - YEAR}, "user_message", "update", "as proposed"),
        ({"status": "pending_confirmation"}, {"valid_from": NOW - 2 * YEAR}, "user_message", "update", "as proposed"),
        ({"status": "uncertain", "valid_from": NOW - 2 * YEAR}, {"valid_from": NOW - 2 * YEAR}, "user_message", "update", "as proposed"),
    ],
)  # fmt: skip
def test_what_is_said_again_or_more_exactly(of: Given, said: Given, source: str, wanted: str, why: str) -> None:
    type_, reason = outcome(proposed("update", said), held(**of), source=source)
    assert (type_, why in reason) == (wanted, True), reason


@pytest.mark.parametrize(
    ("of", "said", "source", "why"),
    [
        ({}, {}, "user_message", ""),
        ({}, {"confidence": 0.7}, "user_message", ""),
        ({}, {"confidence": 0.69}, "user_message", "too uncertain to change a belief"),
        # of high risk, by its category, its topic or the words of its key
        ({"category": "identity"}, {"explicit": False}, "user_message", "not said to have changed"),
        ({"category": "health"}, {"explicit": False}, "user_message", "not said to have changed"),
        ({}, {**HEALTH, "explicit": False}, "user_message", "not said to have changed"),
        ({"key": "user.full_name"}, {"explicit": False}, "user_message", "not said to have changed"),
        ({"category": "identity"}, {"confidence": 0.89}, "user_message", "of high risk and not said plainly"),
        ({"category": "identity"}, {"confidence": 0.9}, "user_message", ""),
        ({"category": "identity"}, {"explicit": False, "answered": True}, "user_message", "not said to have changed"),
        ({"category": "identity"}, {"confidence": 0.69}, "user_message", "too uncertain to change a belief"),
        ({"category": "identity", "status": "pending_confirmation"}, {"explicit": False}, "user_message", "not said to have changed"),
        ({"category": "identity"}, {"explicit": False}, "system", "not said to have changed"),
        # well known
        ({"confidence": 0.69}, {"explicit": False}, "user_message", ""),
        ({"confidence": 0.7}, {"explicit": False}, "user_message", "something well known"),
        ({"confidence": 0.7}, {}, "user_message", ""),
        ({"confidence": 0.7, "source": "web_scraped"}, {"explicit": False}, "user_message", ""),
        ({"confidence": 0.7, "source": "tool"}, {"explicit": False}, "user_message", "something well known"),
        # from a source that is less reliable
        ({}, {}, "tool", ""),
        ({}, {}, "system", "is less reliable"),
        ({"status": "pending_confirmation"}, {}, "web_scraped", "is less reliable"),
        ({"source": "inferred"}, {}, "web_scraped", ""),
        ({"source": "tool"}, {}, "web_scraped", "is less reliable"),
        # of long ago
        ({}, {"valid_from": NOW - YEAR}, "user_message", ""),
        ({}, {"valid_from": NOW - YEAR - timedelta(seconds=1)}, "user_message", "so long ago that it may be what was before"),
        ({}, {"valid_from": NOW - 2 * YEAR, "explicit": False}, "user_message", ""),
        ({"status": "pending_confirmation", "valid_from": NOW - 2 * YEAR}, {"valid_from": NOW - 2 * YEAR}, "user_message", "what was before"),
    ],
)  # fmt: skip
def test_what_takes_a_belief_s_place(of: Given, said: Given, source: str, why: str) -> None:
    type_, reason = outcome(proposed("supersede", said), held(**of), source=source)
    assert (type_, why in reason) == ("mark_pending_confirmation" if why else "supersede", True), reason


@pytest.mark.parametrize(
    ("of", "said", "why"),
    [
        ({}, {}, ""),
        ({"confidence": 0.9}, {}, ""),
        ({"confidence": 0.9}, {"explicit": False}, "something well known"),
        ({"confidence": 0.9, "status": "pending_confirmation"}, {"explicit": False}, ""),
        ({"category": "health"}, {"confidence": 0.9}, ""),
        ({"category": "health"}, {"confidence": 0.89}, "not said plainly"),
        ({}, {"confidence": 0.89}, ""),
        ({}, {"valid_from": NOW - 2 * YEAR}, "so long ago that it may have begun anew"),
        ({"status": "pending_confirmation"}, {"valid_from": NOW - 2 * YEAR}, ""),
    ],
)
def test_what_ends_a_belief(of: Given, said: Given, why: str) -> None:
    type_, reason = outcome(proposed("expire", {"negated": True, "object": "green", **said}), held(**of))
    assert (type_, why in reason) == ("mark_pending_confirmation" if why else "expire", True), reason


@pytest.mark.parametrize(
    ("type_", "of", "said", "wanted"),
    [
        ("insert", None, HEALTH, "mark_pending_confirmation"),
        ("supersede", {}, HEALTH, "mark_pending_confirmation"),
        ("update", {}, HEALTH, "mark_pending_confirmation"),  # a detail that would turn it towards such a topic
        ("update", HEALTH, HEALTH, "update"),
        ("noop", HEALTH, HEALTH, "noop"),
        ("noop", {}, HEALTH, "noop"),
        ("update", {**HEALTH, "status": "pending_confirmation"}, HEALTH, "noop"),
        ("update", {**HEALTH, "status": "uncertain"}, {}, "noop"),
        ("update", {"status": "pending_confirmation"}, HEALTH, "noop"),
        ("update", {"status": "pending_confirmation"}, {}, "update"),
        ("supersede", {**HEALTH, "status": "pending_confirmation"}, HEALTH, "mark_pending_confirmation"),
        ("insert", None, {}, "insert"),
        ("insert", None, {**HEALTH, "negated": True}, "insert"),
        ("expire", HEALTH, {**HEALTH, "negated": True}, "expire"),
    ],
)  # fmt: skip
def test_what_is_of_a_sensitive_topic_waits_for_leave(type_: str, of: Given | None, said: Given, wanted: str) -> None:
    kept = None if of is None else held(**{name: value for name, value in of.items() if name != "object"})
    became, reason = outcome(proposed(type_, said), kept, consent=ASK)
    assert became == wanted
    assert ("about health: waits for leave to be kept" in reason) is (wanted != type_)
    assert outcome(proposed(type_, said), None, consent=Consent(sensitive_topics="keep"))[0] == type_


def test_an_application_that_is_less_sure_is_taken_at_its_word() -> None:
    allowed = guard(proposed("supersede", {}), held(), predicates={}, config=Config(), confidence=0.5)
    assert allowed.candidate is not None
    assert (allowed.type, allowed.candidate.confidence) == ("mark_pending_confirmation", 0.5)
    assert outcome(proposed("supersede", {}), held(), confidence=0.99) == ("supersede", "as proposed")


def test_an_application_that_is_surer_than_what_was_said_makes_it_no_surer() -> None:
    assert "too uncertain to change a belief" in outcome(proposed("supersede", {"confidence": 0.69}), held(), confidence=0.99)[1]


def test_what_the_vocabulary_says_is_of_high_risk_has_to_be_said_to_have_changed() -> None:
    colour = Predicate(predicate="favourite_colour", label="", category="soft_preference", cardinality="one", high_risk=True)
    allowed = guard(proposed("supersede", {"explicit": False}), held(), predicates={"favourite_colour": colour}, config=Config())
    assert (allowed.type, "of high risk" in allowed.reason) == ("mark_pending_confirmation", True)


def test_what_is_too_uncertain_to_refine_makes_no_surer() -> None:
    allowed = guard(proposed("update", {"confidence": 0.69}), held(category="identity"), predicates={}, config=Config())
    assert (allowed.type, allowed.confidence_delta) == ("noop", 0.0)
