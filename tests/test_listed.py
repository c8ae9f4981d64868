"""A list after a colon is read as the sentence that it goes on with."""

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
