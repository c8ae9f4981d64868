"""A list after a colon is read as the sentence that it goes on with, and a list of people with what is told of each."""

from __future__ import annotations

import pytest

import memdb

from .test_retractions import after


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("my hobbies are: pottery, chess", {("user.hobby", "pottery"), ("user.hobby", "chess")}),
        ("Things I can't eat: gluten, kiwi", {("user.avoids", "gluten"), ("user.avoids", "kiwi")}),
        ("languages I speak: Dutch and French", {("user.speaks", "Dutch"), ("user.speaks", "French")}),
        ("He said: I live in Porto", set()),
    ],
)
def test_a_list_after_a_colon_is_read(mem: memdb.Memory, said: str, facts: set[tuple[str, str]]) -> None:
    assert after(mem, said) == facts


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("Kids are Owen he's 12, then Mia she's 9", {("user.child", "Owen"), ("user.child", "Mia"), ("owen.age", "12"), ("mia.age", "9")}),
        (
            "We have two daughters: Zosia has 12 years and Maja has 7",
            {
                ("user.has_children", "two daughters"),
                ("user.daughter", "Zosia"),
                ("user.daughter", "Maja"),
                ("daughter.age", "12"),
                ("maja.age", "7"),
            },
        ),
        (
            "two boys: Lars 8 & Finn 5",
            {("user.has_children", "two boys"), ("user.son", "Lars"), ("user.son", "Finn"), ("son.age", "8"), ("finn.age", "5")},
        ),
        ("My sons Leo (4) and Max (6) play", {("user.son", "Leo"), ("user.son", "Max"), ("son.age", "4"), ("max.age", "6")}),
        ("I have two nephews, Tom (4) and Max (6)", {("user.nephew", "Tom"), ("user.nephew", "Max"), ("tom.age", "4"), ("max.age", "6")}),
        ("Two kids: Tom (6) and Mia (9) share 15 apples", set()),
        ("My brothers are Catholic and Protestant", set()),
    ],
)
def test_people_in_a_list_are_known_with_their_ages(mem: memdb.Memory, said: str, facts: set[tuple[str, str]]) -> None:
    assert after(mem, said) == facts


def test_what_a_sentence_goes_on_with_is_no_item_of_its_list(mem: memdb.Memory) -> None:
    assert after(mem, "I never touch shellfish, comes me out in a rash") == {("user.avoids", "shellfish")}
