"""What was never told of somebody is not answered with what was."""

from __future__ import annotations

import pytest

import memdb
from memdb.untold import tells

from .test_retractions import after

HENRIK = frozenset(("Henrik", "son"))


@pytest.mark.parametrize(
    ("text", "sort", "told"),
    [
        ("Henrik is 41 now", "age", True),
        ("We met Henrik. He turned forty", "age", True),
        ("User has a son called Henrik", "age", False),
        ("Henrik came. I was 30 then", "age", False),
        ("my son Henrik has moved to Oslo", "place", True),
        ("henrik lives in oslo", "place", True),
        ("Henrik's wife is from Cork", "place", False),
        ("Henrik keeps saying I should move to Spain", "place", False),
        ("Henrik Dahl came by", "surname", True),
        ("Henrik came by", "surname", False),
        ("My son Henrik came by", "surname", False),
        ("Ole lives in Oslo", "place", False),
    ],
)
def test_what_is_told_of_somebody_shows_by_its_form(text: str, sort: str, told: bool) -> None:
    assert tells(text, HENRIK, sort) is told


@pytest.mark.parametrize(
    "question",
    [
        "How old is Henrik?",
        "What's Henrik's surname?",
        "Where does Ole live?",
        "What is Astrid's daughter called?",
        "What is my ex-wife called?",
    ],
)
def test_what_nobody_told_is_not_answered(mem: memdb.Memory, question: str) -> None:
    after(
        mem,
        "My son Henrik is a pilot",
        "My brother Ole keeps saying I should move to Spain",
        "Astrid moved to be with her daughter",
        "My ex rang",
    )
    verdict = mem.context(question, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "abstain"


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("My daughter Fiona is a midwife in Glasgow, she likes it", "Where does Fiona live?"),
        ("my daughter Fiona had a party, she's turned 30", "How old is Fiona?"),
        ("Astrid and her daughter Liv came by", "What is Astrid's daughter called?"),
    ],
)
def test_what_a_message_tells_of_somebody_is_answered_though_it_is_not_held(mem: memdb.Memory, told: str, question: str) -> None:
    after(mem, told, "I had soup for lunch")
    verdict = mem.context(question, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"
