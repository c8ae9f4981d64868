"""What comes in late is said of its own time: it brings back nothing that has ended since, and opposites are not believed side by side."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

import memdb
from memdb.embed import HashingEmbedder


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


ENDS = [
    ("I left Acme.", "I work at Acme."),
    ("I quit my job.", "I work at Acme."),
    ("We no longer have a dog.", "We have a dog."),
    ("I'm not vegan any more.", "I'm vegan."),
    ("I moved out of York.", "I live in York."),
    ("I sold my Volvo.", "I drive a Volvo."),
    ("I'm no longer allergic to nuts.", "I'm allergic to nuts."),
]


@pytest.mark.parametrize(("over", "text"), ENDS)
def test_an_end_that_comes_in_first_ends_what_was_said_before_it(over: str, text: str, mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics="keep")
    say(mem, "03-10", over)
    say(mem, "02-01", text)
    assert mem.facts("ana", now="2025-05-01") == []
    (known,) = mem.facts("ana", as_of="2025-02-15")
    assert [f"{at:%m-%d}" for at in (known.valid_from, known.valid_to)] == ["02-01", "03-10"]


@pytest.mark.parametrize("choice", ["ask", "refuse"])
def test_an_end_of_what_may_not_be_kept_is_not_kept_either(choice: Literal["ask", "refuse"], mem: memdb.Memory) -> None:
    mem.consent("ana", sensitive_topics=choice)
    say(mem, "03-09", "I'm no longer allergic to nuts.")
    say(mem, "03-10", "I left Acme.")
    kept = mem._store.database().connection.execute("select key from ends").fetchall()
    assert kept == [("user.works_at",)]


def test_what_ended_before_it_was_known_stands_where_the_end_is_taken_back(mem: memdb.Memory) -> None:
    mem.observe("I left Acme.", user_id="ana", turn_id="end", timestamp="2025-03-10T10:00:00Z")
    say(mem, "02-01", "I work at Acme.")
    mem.undo(user_id="ana", turn_id="end")
    assert [(fact.object, fact.valid_to) for fact in mem.facts("ana")] == [("Acme", None)]


def test_an_end_that_was_taken_back_ends_nothing_that_comes_in_later(mem: memdb.Memory) -> None:
    mem.observe("We no longer have a dog.", user_id="ana", turn_id="end", timestamp="2025-03-10T10:00:00Z")
    mem.drain()
    mem.undo(user_id="ana", turn_id="end")
    say(mem, "02-01", "We have a dog.")
    assert [fact.object for fact in mem.facts("ana")] == ["dog"]


def test_an_end_ends_nothing_that_was_said_after_it(mem: memdb.Memory) -> None:
    for day, text in (("03-10", "We no longer have a dog."), ("04-01", "We have a dog."), ("02-01", "We have a dog.")):
        say(mem, day, text)
    assert [f"{fact.valid_from:%m-%d}" for fact in mem.facts("ana")] == ["04-01"]
    assert [f"{fact.valid_to:%m-%d}" for fact in mem.facts("ana", as_of="2025-02-15")] == ["03-10"]
    assert mem.facts("ana", as_of="2025-03-20") == []


def test_another_user_s_end_ends_nothing(mem: memdb.Memory) -> None:
    mem.observe("We no longer have a dog.", user_id="ben", timestamp="2025-03-10T10:00:00Z")
    say(mem, "02-01", "We have a dog.")
    assert [fact.object for fact in mem.facts("ana")] == ["dog"]


def test_what_an_application_ended_since_is_not_believed_again_though_it_was_said_after_that_day(mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-03-01")
    mem.end(fact.fact_id, valid_to="2025-04-01", now="2025-06-01")
    say(mem, "04-15", "I live in Porto.")
    assert mem.facts("ana") == []


@pytest.mark.parametrize(("said", "believed"), [("04-15", []), ("06-15", ["Porto"])])
def test_what_was_rejected_is_believed_only_if_it_is_said_after_that(said: str, believed: list[str], mem: memdb.Memory) -> None:
    say(mem, "05-01", "I live in Porto.")
    mem.reject(mem.facts("ana")[0].fact_id, now="2025-06-01")
    say(mem, said, "I live in Porto.")
    assert [fact.object for fact in mem.facts("ana")] == believed


def test_why_something_that_was_rejected_is_not_believed_stands_with_its_turn(mem: memdb.Memory) -> None:
    say(mem, "05-01", "I live in Porto.")
    mem.reject(mem.facts("ana")[0].fact_id, now="2025-06-01")
    say(mem, "04-15", "I live in Porto.")
    (turn,) = mem.turns("ana", refused=True)
    assert [(note.key, note.why) for note in turn.notes] == [("user.lives_in", "it was said before the user rejected it")]


def test_what_an_application_states_from_before_it_was_rejected_is_not_believed(mem: memdb.Memory) -> None:
    fact = mem.remember("Lives in Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-05-01")
    mem.reject(fact.fact_id, now="2025-06-01")
    again = mem.remember("Home is Porto", object="Porto", key="user.lives_in", user_id="ana", timestamp="2025-04-15")
    assert (again.fact_id, again.status) == (fact.fact_id, "expired")


def test_what_was_rejected_and_is_no_longer_may_come_in_late(mem: memdb.Memory) -> None:
    say(mem, "05-01", "I live in Porto.")
    mem.reject(mem.facts("ana")[0].fact_id, now="2025-06-01")
    mem.undo(user_id="ana", turn_id=mem.history(user_id="ana", newest=True, limit=1)[0].turn_id)
    say(mem, "04-15", "I live in Porto.")
    assert [(fact.object, f"{fact.valid_from:%m-%d}") for fact in mem.facts("ana")] == [("Porto", "04-15")]


def test_what_comes_in_late_lasted_until_what_has_ended_since_began(mem: memdb.Memory) -> None:
    for day, text in (("03-01", "I moved to Lisbon."), ("04-01", "I no longer live in Lisbon."), ("02-01", "I live in Porto.")):
        say(mem, day, text)
    assert mem.facts("ana", now="2025-05-01") == []
    then = [[fact.object for fact in mem.facts("ana", as_of=f"2025-{day}")] for day in ("02-15", "03-15", "04-15")]
    assert then == [["Porto"], ["Lisbon"], []]


def test_what_is_said_again_late_was_so_since_then(mem: memdb.Memory) -> None:
    for day in ("04-01", "02-01", "03-01"):
        say(mem, day, "I live in Porto.")
    assert [f"{fact.valid_from:%m-%d}" for fact in mem.facts("ana")] == ["02-01"]


def test_what_was_so_for_a_time_and_is_told_late_is_a_time_of_its_own(mem: memdb.Memory) -> None:
    for day in ("02-06", "01-13"):
        say(mem, day, "I'm staying in Rome this week.")
    held = [mem.facts("ana", key="user.staying_in", as_of=f"2025-{day}") for day in ("01-15", "01-25", "02-07")]
    assert [len(facts) for facts in held] == [1, 0, 1]


def test_an_end_that_comes_in_late_ends_what_has_given_way_since(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I live in Porto."), ("03-01", "I moved to Lisbon."), ("02-01", "I moved out of Porto.")):
        say(mem, day, text)
    assert mem.facts("ana", key="user.lives_in", as_of="2025-02-15") == []


def test_forgetting_a_key_erases_what_was_said_to_be_over_though_it_was_not_known(mem: memdb.Memory) -> None:
    say(mem, "03-10", "I no longer drive a Volvo.")
    mem.forget("ana", key="user.drives")
    say(mem, "02-01", "I drive a Volvo.")
    assert [fact.object for fact in mem.facts("ana")] == ["Volvo"]


def stretches(mem: memdb.Memory, key: str) -> list[tuple[str, str, str | None]]:
    """What was so under a key, since when and until when; what was never so is none of it."""
    held = mem.facts("ana", key=key, statuses=["active", "superseded", "expired"], now="2025-12-31")
    times = [(one.object, f"{one.valid_from:%m-%d}", None if one.valid_to is None else f"{one.valid_to:%m-%d}") for one in held]
    return [one for one in times if one[1] != one[2]]


def test_an_end_that_comes_in_after_both_parts_what_was_said_before_it_from_what_was_said_after_it(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I like jazz."), ("04-01", "I like jazz."), ("02-01", "I don't like jazz any more.")):
        say(mem, day, text)
    assert stretches(mem, "user.likes") == [("jazz", "01-01", "02-01"), ("jazz", "04-01", None)]
    assert [fact.seen_count for fact in mem.facts("ana")] == [1]


def test_an_end_that_is_unsure_or_of_something_to_come_parts_nothing(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I live in Rome."), ("04-01", "I live in Rome."), ("02-01", "Maybe I no longer live in Rome.")):
        say(mem, day, text)
    say(mem, "02-02", "I won't be living in Rome.")
    assert stretches(mem, "user.lives_in") == [("Rome", "01-01", None)]


def test_what_has_ended_once_more_since_is_parted_as_well(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I work at Acme."), ("05-01", "I left Acme."), ("03-01", "I work at Acme."), ("02-01", "I left Acme.")):
        say(mem, day, text)
    assert stretches(mem, "user.works_at") == [("Acme", "01-01", "02-01"), ("Acme", "03-01", "05-01")]


def test_what_was_parted_is_one_again_where_the_end_is_taken_back(mem: memdb.Memory) -> None:
    for day in ("01-01", "04-01"):
        say(mem, day, "I like jazz.")
    (before,) = mem.facts("ana")
    mem.observe("I don't like jazz any more.", user_id="ana", turn_id="end", timestamp="2025-02-01T10:00:00Z")
    mem.drain()
    mem.undo(user_id="ana", turn_id="end")
    (again,) = mem.facts("ana")
    changes = {"updated_at": before.updated_at, "embedding_id": before.embedding_id}
    assert again.model_copy(update=changes) == before
    assert stretches(mem, "user.likes") == [("jazz", "01-01", None)]


def test_a_change_that_comes_in_after_both_parts_what_was_so_before_it_and_again_after_it(mem: memdb.Memory) -> None:
    for day, text in (
        ("01-01", "I live in Porto."),
        ("04-01", "I live in Porto."),
        ("05-01", "I live in Porto."),
        ("02-01", "I moved to Rome."),
    ):
        say(mem, day, text)
    assert stretches(mem, "user.lives_in") == [("Porto", "01-01", "02-01"), ("Rome", "02-01", "04-01"), ("Porto", "04-01", None)]


def test_a_late_contradiction_of_what_was_well_known_and_was_said_again_since_is_refuted(mem: memdb.Memory) -> None:
    for day in ("01-01", "01-02", "01-03", "04-01"):
        say(mem, day, "I live in Porto.")
    say(mem, "02-01", "I live in Rome.")
    assert stretches(mem, "user.lives_in") == [("Porto", "01-01", None)]
    (rome,) = (fact for fact in mem.facts("ana", statuses=["expired"]) if fact.object == "Rome")
    told = [(change.operation, change.reason) for change in mem.history(fact_id=rome.fact_id)]
    assert told[-1] == ("reject", "what it contradicted stood until it was said again, or replaced")


def test_a_late_contradiction_of_what_was_well_known_and_was_replaced_since_is_refuted(mem: memdb.Memory) -> None:
    for day in ("01-01", "01-02", "01-03"):
        say(mem, day, "I live in Porto.")
    say(mem, "04-01", "I moved to Braga.")
    say(mem, "02-01", "I live in Rome.")
    assert stretches(mem, "user.lives_in") == [("Porto", "01-01", "04-01"), ("Braga", "04-01", None)]


def test_what_waited_is_believed_where_what_it_contradicted_is_told_late_to_have_ended_before(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I work at Bosch."), ("04-01", "I work at Google."), ("05-01", "I work at Apple.")):
        say(mem, day, text)
    say(mem, "02-01", "I left Bosch.")
    held = {
        (fact.object, fact.status, f"{fact.valid_from:%m-%d}") for fact in mem.facts("ana", statuses=["active", "pending_confirmation"])
    }
    assert held == {("Google", "active", "04-01"), ("Apple", "pending_confirmation", "05-01")}


def test_what_waits_for_leave_waits_on_when_what_it_contradicted_has_ended(mem: memdb.Memory) -> None:
    say(mem, "01-01", "I'm vegetarian.")
    mem.consent("ana", sensitive_topics="ask")
    for day, text in (
        ("04-01", "My religion is Islam."),
        ("05-01", "My religion is Buddhism."),
        ("04-15", "My religion is no longer Islam."),
    ):
        say(mem, day, text)
    assert [fact.object for fact in mem.facts("ana", statuses=["active"])] == ["vegetarian"]


def test_an_end_of_what_is_said_twice_late_gives_way_to_what_was_said_first_after_it(mem: memdb.Memory) -> None:
    for day, text in (("01-01", "I live in Lisbon."), ("06-01", "I live in Braga."), ("04-01", "I live in Braga.")):
        say(mem, day, text)
    say(mem, "02-01", "I no longer live in Lisbon.")
    assert stretches(mem, "user.lives_in") == [("Lisbon", "01-01", "02-01"), ("Braga", "04-01", None)]


def test_what_is_told_late_to_be_over_is_cut_off_also_where_that_came_in_late_itself(mem: memdb.Memory) -> None:
    for day, text in (("06-01", "I work at Google."), ("01-01", "I work at Bosch."), ("02-01", "I left Bosch.")):
        say(mem, day, text)
    assert stretches(mem, "user.works_at") == [("Bosch", "01-01", "02-01"), ("Google", "06-01", None)]


def test_a_denial_that_an_application_ended_is_not_believed_again_by_a_turn_from_before(mem: memdb.Memory) -> None:
    say(mem, "01-01", "I don't have a dog.")
    (denial,) = mem.facts("ana")
    assert denial.denies
    mem.end(denial.fact_id, valid_to="2025-02-01", now="2025-06-01")
    say(mem, "04-15", "I don't have a dog.")
    assert mem.facts("ana", now="2025-07-01") == []
    say(mem, "04-16", "I have a dog.")  # and the end is none of what it denied
    assert [(fact.object, fact.denies) for fact in mem.facts("ana", now="2025-07-01")] == [("dog", False)]


SHUFFLED = {
    "homes and jobs": (
        "I live in Porto.", "I work at Bosch.", "I moved to Lisbon.", "I left Bosch.", "I work at Google.", "We have a dog.", "I moved to Faro.",
        "We no longer have a dog."),
    "tastes": (
        "I like jazz.", "I'm vegan.", "I don't like jazz any more.", "I'm not vegan any more.", "I like coffee.", "I like jazz.",
        "I drive a Volvo.", "I sold my Volvo."),
    "what begins anew": (
        "We have a dog.", "We no longer have a dog.", "We have a dog.", "I work at Acme.", "I left Acme.", "I work at Acme.", "I left Acme.",
        "I live in Rome."),
    "what is said twice": (
        "I live in Porto.", "I live in Porto.", "I moved to Lisbon.", "I no longer live in Lisbon.", "I live in Braga.", "I have a cat.",
        "I don't have a cat any more.", "I live in Braga."),
}  # fmt: skip


@pytest.mark.parametrize("texts", SHUFFLED.values(), ids=SHUFFLED)
def test_in_which_order_turns_come_in_hardly_matters(texts: Sequence[str]) -> None:
    days = [datetime(2025, 1, 1, 10, tzinfo=UTC) + timedelta(days=20 * place) for place in range(len(texts))]

    def believed(order: Sequence[int]) -> list[set[tuple[str, str, str]]]:
        with memdb.open(":memory:", embedder=HashingEmbedder(8), llm=None, config={"worker": False}) as mem:
            for place in order:
                mem.observe(texts[place], user_id="ana", turn_id=f"t{place}", timestamp=days[place])
                mem.drain()
            now = [mem.facts("ana", statuses=["active", "pending_confirmation"], now="2026-01-01")]
            then = [mem.facts("ana", as_of=day + timedelta(days=5)) for day in days]
            return [{(fact.key, fact.object, fact.status) for fact in facts} for facts in now + then]

    orders = [random.Random(seed).sample(range(len(texts)), len(texts)) for seed in range(15)]
    assert [order for order in orders if believed(order) != believed(range(len(texts)))] == []
