"""Relatives of relatives are read as what they are to oneself, and who is nothing to oneself by that as nobody."""

from __future__ import annotations

import pytest

import memdb
from memdb.kinship import as_ones_own

from .test_retractions import after


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("my sister's husband is a vet", "my brother-in-law is a vet"),
        ("I called my wife's older sister", "I called my older sister-in-law"),
        ("My brother Tom's wife Sue called", "my sister-in-law Sue called, my brother is called Tom"),
        ("Lisa's son Leo is six", "my grandson Leo is six"),
        ("the mother of my husband lives here", "my mother-in-law lives here"),
        ("the husband of our daughter is a vet", "my son-in-law is a vet"),
        ("my mum's brother Pat and my uncle's son", "my uncle Pat and my cousin"),
        ("my wife's mother tongue is French", "my wife's mother tongue is French"),
        ("my sister's friend Tom is a vet", "my sister's friend Tom is a vet"),
        ("my partner's mum is ill", "my partner's mum is ill"),
        ("Sue's son Leo is six", "Sue's son Leo is six"),
        ("my wife's mother-in-law is my mum", "my wife's mother-in-law is my mum"),
    ],
)
def test_a_relative_of_a_relative_is_what_they_are_to_oneself(said: str, own: str) -> None:
    assert as_ones_own(said, {"Lisa": "daughter"}) == own


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (("my wife's mother lives in Porto",), ("mother_in_law.lives_in", "Porto")),
        (("My daughter is called Lisa", "Lisa's husband Mark works at Aldi"), ("son_in_law.works_at", "Aldi")),
        (("My sister is called Ana. Ana's husband Rui is from Braga.",), ("user.brother_in_law", "Rui")),
        (("my wife's mum lives with us",), ("user.lives_with", "their mother-in-law")),
        (("my sister Kelly just had her first baby a girl named June",), ("user.niece", "June")),
    ],
)
def test_what_is_said_of_them_is_believed_of_one_s_own(mem: memdb.Memory, turns: tuple[str, ...], fact: tuple[str, str]) -> None:
    assert fact in after(mem, *turns)
