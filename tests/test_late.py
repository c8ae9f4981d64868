"""What comes in late is said of its own time: it brings back nothing that has ended since, and opposites are not believed side by side."""

from __future__ import annotations

import pytest

import memdb


def say(mem: memdb.Memory, day: str, text: str) -> None:
    mem.observe(text, user_id="ana", timestamp=f"2025-{day}T10:00:00Z")
    mem.drain()


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("I live in Porto.", "I no longer live in Porto."),
        ("I like jazz.", "I don't like jazz any more."),
        ("Remind me to call Rita.", "I called Rita."),
    ],
)
def test_what_has_ended_is_not_believed_again_by_what_was_said_before_that(text: str, over: str, archived: bool, mem: memdb.Memory) -> None:
    for day, said in (("03-01", text), ("04-01", over)):
        say(mem, day, said)
    if archived:
        mem.compact(now="2026-04-01")
    say(mem, "03-15", text)
    assert mem.facts("ana", now="2025-05-01") == []
    (known,) = mem.facts("ana", statuses=["expired"], now="2025-05-01")
    assert (known.seen_count, f"{known.valid_to:%m-%d}") == (2, "04-01")


def test_what_an_application_has_ended_is_not_believed_again_by_a_turn_from_before(mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-03-01")
    mem.end(fact.fact_id, valid_to="2025-04-01", now="2025-04-02")
    say(mem, "03-15", "I live in Porto.")
    assert mem.facts("ana") == []


def test_what_is_so_once_more_since_before_its_end_is_believed_if_that_is_said_after_it(mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-03-01")
    mem.end(fact.fact_id, valid_to="2025-04-01", now="2025-04-02")
    again = mem.remember(
        "Lives in Porto", object="Porto", key="user.lives_in", user_id="ana", valid_from="2025-03-15", timestamp="2025-05-01"
    )
    assert [one.fact_id for one in mem.facts("ana")] == [again.fact_id]
    assert again.fact_id != fact.fact_id


def test_what_is_confirmed_once_it_was_doubted_is_not_believed_beside_its_opposite(mem: memdb.Memory) -> None:
    liked = mem.remember("Likes jazz", object="jazz", key="user.likes", user_id="ana", timestamp="2025-03-01")
    mem.doubt(liked.fact_id, now="2025-03-02")
    mem.remember("Dislikes jazz", object="jazz", key="user.dislikes", user_id="ana", timestamp="2025-03-03")
    mem.confirm(liked.fact_id, now="2025-03-04")
    assert [(fact.key, fact.status) for fact in mem.facts("ana")] == [("user.likes", "active")]
