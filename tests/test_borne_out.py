"""Whether what a model wrote down is among the words of the speaker, in whatever form."""

from __future__ import annotations

import pytest

from memdb.borne_out import speaks_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Lisbon now", "Lisbon"),
        ("I moved to Lisboa", "Lisbon"),
        ("I'm a doc at the clinic", "doctor"),
        ("I'm a vet", "veterinarian"),
        ("I live in NYC", "New York City"),
        ("I'm from the UK", "United Kingdom"),
        ("I moved to the USA", "United States of America"),
        ("I moved to the United States", "US"),
        ("My daughter is five", "5"),
        ("I was born in '85", "1985"),
        ("I teach maths", "maths teacher"),
        ("yes", "True"),
        ("我住在里斯本", "Lisbon"),
    ],
)
def test_what_was_said_is_borne_out_in_whatever_form(text: str, said: str) -> None:
    assert speaks_of(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in Porto", "Bob"),
        ("My name is Ana", "41"),
        ("The cat is on the mat", "theatre"),
        ("You and I are friends", "youth"),
        ("I live in Porto", "New York City"),
        ("My daughter is five", "Lisbon"),
        ("I like Rui's songs", "peanuts"),
    ],
)
def test_what_nobody_said_is_not(text: str, said: str) -> None:
    assert not speaks_of(text, said)
