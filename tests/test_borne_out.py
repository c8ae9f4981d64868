"""Whether what a model wrote down is among the words of the speaker, in whatever form."""

from __future__ import annotations

import pytest

from memdb.borne_out import made_up_number, speaks_of


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


@pytest.mark.parametrize(
    ("text", "said", "number"),
    [
        ("I take 20 mg of statin at night", "40 mg of statin", "40"),
        ("My phone is 555 0100.", "User has the phone number 555 0199", "0199"),
        ("I take bus 12 to work", "User takes bus 21 to work", "21"),
        ("I have 2 cats", "3 cats", "3"),
        ("I take 20 mg of statin at night", "20 mg of statin", None),
        ("My phone is 555 0100.", "5550100", None),
        ("I was born in '85", "1985", None),
        ("I earn 30k at Bosch", "30,000", None),
        ("I have two cats and 3 dogs", "2 cats", None),  # who tells numbers in words, too, may have told this one
        ("I have two boys: Lars 8 & Finn 5", "2 boys", None),
        ("My boys are Lars 8 and Finn 5", "2 boys", None),
        ("My exam is next Friday in room 7", "exam on 2025-03-14 in room 7", None),
        ("My exam is next Friday in room 7", "exam on 14 March", None),
        ("My train is at 7 pm", "train at 19:00", None),
        ("I have cats", "3 cats", None),
        (f"I like {'7' * 5000}", "8" * 5000, "8" * 18),
        ("Ich nehme 20 mg davon", "40 mg", None),
    ],
)
def test_a_number_is_made_up_where_the_speaker_tells_others_only(text: str, said: str, number: str | None) -> None:
    assert made_up_number(text, said) == number
