"""Accounts of sessions and days tell nothing that was taken back, and keep nothing that was forgotten, whatever was decided about them."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from tests.test_forget import RARE, bytes_of


@pytest.fixture
def moved(mem: memdb.Memory) -> memdb.Memory:
    for day, text in (("1", "I live in Porto."), ("2", "I moved to Lisbon.")):
        with mem.session("ana", f"s{day}", now=f"2025-03-0{day}T10:00:00Z") as session:
            session.observe(text, turn_id=f"t{day}")
    return mem


def accounts(mem: memdb.Memory) -> list[str]:
    return [fact.value_text.partition(": ")[2] for fact in mem.facts("ana", kinds=["episode"])]


def test_what_a_session_taught_is_no_more_told_as_learned_when_that_is_taken_back(moved: memdb.Memory) -> None:
    assert "1 turn. It began with “I moved to Lisbon.”. Learned: User lives in Lisbon. No longer so: User lives in Porto." in accounts(
        moved
    )
    moved.undo(user_id="ana", turn_id="t2")
    learned = ["1 session, 1 turn. Learned: User lives in Porto.", "1 session, 1 turn."]
    assert accounts(moved) == [
        *learned,
        "1 turn. It began with “I live in Porto.”. Learned: User lives in Porto.",
        "1 turn. It began with “I moved to Lisbon.”.",
    ]


def test_what_is_rejected_is_no_more_told_as_learned_and_what_it_ended_not_as_over(moved: memdb.Memory) -> None:
    moved.reject(moved.facts("ana", key="user.lives_in")[0].fact_id, now="2025-03-03")
    assert [
        text for text in accounts(moved) if "Learned: User lives in Lisbon" in text or "No longer so: User lives in Porto" in text
    ] == []


def test_an_account_supports_no_more_what_was_taken_back(moved: memdb.Memory) -> None:
    (gone,) = moved.facts("ana", key="user.lives_in")
    assert [linked.relation for linked in moved.links(gone.fact_id, relations=["supports"])] == ["supports"]
    moved.undo(user_id="ana", turn_id="t2")
    assert moved.links(gone.fact_id, relations=["supports"]) == []


def test_a_session_of_which_nothing_is_left_has_no_account(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as session:
        session.working.add("The boiler is new")
    assert len(accounts(mem)) == 2
    mem.undo(user_id="ana", session_id="s1")
    assert accounts(mem) == []


def test_a_day_is_told_without_what_was_taken_back_before_its_session_ended(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as session:
        session.observe("I live in Porto.", turn_id="t1")
        mem.drain()
        mem.undo(user_id="ana", turn_id="t1")
    assert accounts(mem) == ["1 session, 1 turn.", "1 turn. It began with “I live in Porto.”."]


def test_what_waited_for_leave_is_in_no_account_once_that_is_refused(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as session:
        session.observe("Good morning.")
        session.observe("I have diabetes.")
    assert "Waits for a word: User has diabetes" in "".join(accounts(mem))
    mem.consent("ana", sensitive_topics="refuse")
    assert "Waits for a word" not in "".join(accounts(mem))


@pytest.mark.parametrize("decided", ["doubt", "confirm", "reject", "end"])
def test_an_account_that_somebody_decided_about_is_forgotten_with_what_it_quotes(decided: str, tmp_path: Path, mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as session:
        session.observe(f"I live in {RARE.title()}.")
    for account in mem.facts("ana", kinds=["episode"]):
        getattr(mem, decided)(account.fact_id, now="2025-03-02")
    mem.compact(now="2026-03-02")
    mem.forget("ana", key="user.lives_in")
    assert RARE.encode() not in bytes_of(tmp_path)


@pytest.mark.parametrize("archived", [False, True])
def test_an_account_that_was_ended_is_not_told_anew(archived: bool, moved: memdb.Memory) -> None:
    (account,) = (fact for fact in moved.facts("ana", kinds=["episode"]) if fact.key == "session.s2")
    ended = moved.end(account.fact_id, now="2025-03-03")
    if archived:
        moved.compact(now="2026-03-03")
    with moved.session("ana", "s2", now="2026-03-04T10:00:00Z") as session:
        session.observe("I like jazz.")
    told = moved.facts("ana", key="session.s2", as_of="2025-03-02T12:00:00Z")
    assert [(fact.value_text, fact.status) for fact in told] == [(ended.value_text, "expired")]
    assert moved.facts("ana", key="session.s2") == []


def test_an_account_that_was_ended_is_not_told_anew_of_what_comes_in_late(moved: memdb.Memory) -> None:
    (account,) = (fact for fact in moved.facts("ana", kinds=["episode"]) if fact.key == "session.s2")
    moved.end(account.fact_id, now="2025-03-03")
    with moved.session("ana", "s2", now="2025-03-02T11:00:00Z") as session:
        session.observe("I like jazz.")
    assert moved.fact(account.fact_id).value_text == account.value_text


def test_what_is_forgotten_of_one_leaves_the_archived_accounts_of_another(moved: memdb.Memory) -> None:
    with moved.session("bob", "s1", now="2025-03-01T10:00:00Z") as session:
        session.observe("I live in Porto.")
    theirs = moved.facts("bob", kinds=["episode"])
    for account in theirs:
        moved.end(account.fact_id, now="2025-03-03")
    moved.compact(now="2026-03-03")
    moved.forget("ana", key="user.lives_in")
    assert [moved.fact(account.fact_id).value_text for account in theirs] == [account.value_text for account in theirs]


@pytest.mark.parametrize("archived", [False, True])
def test_what_only_has_the_details_of_an_account_is_not_forgotten_as_one(archived: bool, moved: memdb.Memory) -> None:
    note = moved.remember("Met at the fair", user_id="ana", kind="note", value_json={"origin": "day"}, timestamp="2025-03-01")
    if archived:
        moved.end(note.fact_id, now="2025-03-03")
        moved.compact(now="2026-03-03")
    moved.forget("ana", key="user.lives_in")
    assert moved.fact(note.fact_id).value_text == note.value_text


def test_an_account_that_is_forgotten_by_its_key_is_not_told_at_once_anew(moved: memdb.Memory) -> None:
    moved.forget("ana", key="session.s2")
    assert [fact.key for fact in moved.facts("ana", kinds=["episode"])] == ["day.2025_03_01", "day.2025_03_02", "session.s1"]


def test_a_decision_about_an_account_whose_words_were_forgotten_is_taken_back_no_more(moved: memdb.Memory) -> None:
    moved.confirm(next(fact.fact_id for fact in moved.facts("ana", kinds=["episode"]) if fact.key == "session.s2"))
    decision = moved.history(user_id="ana", newest=True)[0].turn_id
    moved.forget("ana", key="user.lives_in")
    assert moved.undo(turn_id=decision) == memdb.Undone()


def test_an_account_that_ends_some_day_is_not_told_anew_of_what_is_said_after_that(moved: memdb.Memory) -> None:
    (account,) = (fact for fact in moved.facts("ana", kinds=["episode"]) if fact.key == "session.s2")
    moved.end(account.fact_id, valid_to="2025-03-10", now="2025-03-03")
    with moved.session("ana", "s2", now="2025-03-20T10:00:00Z") as session:
        session.observe("I like jazz.")
    assert moved.fact(account.fact_id).value_text == account.value_text


def test_an_account_tells_from_when_on_something_is_to_be_so_and_until_when(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as session:
        session.observe("I live in Lisbon.", turn_id="t1")
    with mem.session("ana", "s2", now="2025-03-02T10:00:00Z") as session:
        session.observe("I'll live in Porto from 1 May.", turn_id="t2")
        session.observe("I'm staying in Rome until 9 March.", turn_id="t3")
    learned = "Learned: User lives in Porto (from 2025-05-01); User is staying in Rome (until 2025-03-09)."
    assert [text for text in accounts(mem) if text.endswith(learned)] == [
        f"1 session, 2 turns. {learned}", f"2 turns. It began with “I'll live in Porto from 1 May.”. {learned}",
    ]  # fmt: skip
    mem.maintain(now="2025-05-05")
    mem.undo(user_id="ana", turn_id="t3")
    learned = "Learned: User lives in Porto (from 2025-05-01)."
    assert len([text for text in accounts(mem) if text.endswith(learned)]) == 2  # when it was told, Lisbon was not over
