"""What somebody was, had or did once is kept as what is over, where it was never believed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memdb

Tell = Callable[..., memdb.Memory]


def over(mem: memdb.Memory) -> list[tuple[str, str | None]]:
    return [(fact.key, fact.object) for fact in mem.facts("ana", statuses=["expired"], now="2025-06-01T00:00:00Z") if fact.kind == "fact"]


def held(mem: memdb.Memory) -> list[tuple[str, str | None]]:
    return [(fact.key, fact.object) for fact in mem.facts("ana", now="2025-06-01T00:00:00Z") if fact.kind == "fact"]


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I used to live in Porto", ("user.lives_in", "Porto")),
        ("I worked as a nurse for ten years", ("user.works_as", "nurse")),
        ("I was an electrician once", ("user.works_as", "electrician")),
        ("We used to have a cat called Tom", ("user.pet", "cat called Tom")),
        ("my sister used to live in Oslo", ("sister.lives_in", "Oslo")),
        ("I no longer work at Nokia", ("user.works_at", "Nokia")),
        ("I got laid off from Nokia", ("user.works_at", "Nokia")),
        ("I spent ten years at Nokia", ("user.works_at", "Nokia")),
    ],
)
def test_what_was_so_once_is_over_and_believed_no_more(tell: Tell, said: str, fact: tuple[str, str]) -> None:
    mem = tell(said)
    assert over(mem) == [fact]
    assert held(mem) == []


def test_what_takes_its_place_is_no_change(tell: Tell) -> None:
    mem = tell("I used to live in Porto", "I live in Braga")
    assert held(mem) == [("user.lives_in", "Braga")]
    assert over(mem) == [("user.lives_in", "Porto")]


def test_what_is_believed_ends_and_is_not_kept_twice(tell: Tell) -> None:
    assert over(tell("I live in Porto", "I used to live in Porto")) == [("user.lives_in", "Porto")]
    assert over(tell("I used to live in Porto, you know")) == [("user.lives_in", "Porto")]


def test_until_when_it_was_so_is_kept(tell: Tell) -> None:
    mem = tell("I lived in Porto until 2019")
    (fact,) = [fact for fact in mem.facts("ana", statuses=["expired"], now="2025-06-01T00:00:00Z") if fact.kind == "fact"]
    assert fact.valid_to is not None
    assert fact.valid_to.isoformat() == "2020-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "said", ["I used to take sertraline", "I used to smoke", "I used to think I lived in a dream", "he used to live in Oslo"]
)
def test_of_health_and_of_nobody_known_nothing_is_kept(tell: Tell, said: str) -> None:
    mem = tell(said)
    assert (over(mem), held(mem)) == ([], [])


def test_what_one_was_as_well_as_is_goes_on(tell: Tell) -> None:
    assert held(tell("I'm a nurse", "I was a nurse when I met him")) == [("user.works_as", "nurse")]
