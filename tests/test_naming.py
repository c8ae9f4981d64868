"""Who never told the name of somebody is told none."""

from __future__ import annotations

import pytest

import memdb
from memdb.naming import names_one
from memdb.of_others import relative_in

from .test_retractions import after


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Mum sent this. That's Rosa for you", True),
        ("Rosa, bless her, is the best mum", True),
        ("my mum rosa is here", True),
        ("My mother passed away, we lived in Galway then", False),
        ("my mum and my brother Wout came on Monday", False),
        ("mum rang again shes convinced i dont eat", False),
        ("Callum's mum Ella called", False),
    ],
)
def test_a_relative_is_named_beside_nobody_else(said: str, named: bool) -> None:
    relative = relative_in("What is my mother's name?")
    assert relative is not None
    assert names_one(said, relative) is named


def test_who_never_told_a_name_is_told_none(mem: memdb.Memory) -> None:
    after(mem, "I'm Hannah", "my brother Wout wants a cruise", "My mum is turning 70")
    verdict = mem.context("What is my mother's name?", user_id="ana").verdict
    assert verdict is not None
    assert (verdict.decision, verdict.reason) == ("abstain", "nothing remembered bears on it")
