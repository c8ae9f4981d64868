"""What a turn or a session taught can be taken back, and that is recorded too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import memdb
from memdb.llm import LanguageModel, ModelRequest, ScriptedModel
from tests.disk import FullDisk


@pytest.fixture
def told(tmp_path: Path) -> Iterator[memdb.Memory]:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1", session_id="one", timestamp="2025-03-01T10:00:00Z")
        mem.observe("I moved to Lisbon. I like jazz.", user_id="ana", turn_id="t2", session_id="two", timestamp="2025-04-01T10:00:00Z")
        mem.drain()
        yield mem


def held(mem: memdb.Memory) -> dict[str, str]:
    return {fact.key: fact.object for fact in mem.facts("ana")}


def test_undoing_a_turn_brings_back_what_it_replaced(told: memdb.Memory) -> None:
    before = held(told)
    assert before == {"user.lives_in": "Lisbon", "user.likes": "jazz"}
    undone = told.undo(user_id="ana", turn_id="t2")
    assert (undone.restored, undone.ended, undone.kept) == (1, 2, 0)
    assert held(told) == {"user.lives_in": "Porto"}


def test_undoing_a_session_is_recorded_in_the_history(told: memdb.Memory) -> None:
    told.undo(user_id="ana", session_id="two")
    taken_back = [change for change in told.history(user_id="ana") if change.operation == "undo"]
    assert len(taken_back) == 3
    assert all(change.before and change.after for change in taken_back)


def test_undoing_on_a_full_disk_takes_back_all_or_nothing_and_the_profile_goes_with_it(tmp_path: Path) -> None:
    def state() -> tuple[dict[str, str], list[bool]]:
        rows = mem._store.database().connection.execute("select profile from profiles")
        return held(mem), ["lives in Porto" in profile for (profile,) in rows]

    with FullDisk() as disk, memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1", session_id="one", timestamp="2025-03-01T10:00:00Z")
        mem.observe("I moved to Lisbon.", user_id="ana", turn_id="t2", session_id="two", timestamp="2025-04-01T10:00:00Z")
        mem.drain()
        before, refused, log = state(), 0, (tmp_path / "mem.db-wal").stat().st_size
        while state() == before:
            with suppress(memdb.StoreError), disk.full(at=log + refused * 4_096):
                mem.undo(user_id="ana", turn_id="t2")
                break
            refused += 1
        assert refused > 2
        assert state() == ({"user.lives_in": "Porto"}, [True])


def test_an_import_of_many_facts_is_taken_back_one_by_one_in_the_history(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember_many({"value_text": f"Likes song {place}", "user_id": "ana", "turn_id": "t1"} for place in range(1_203))
        confirmed = mem.facts("ana")[-1].fact_id
        mem.confirm(confirmed)
        undone = mem.undo(user_id="ana", turn_id="t1")
        assert (undone.ended, undone.kept) == (1_202, 1)
        assert [fact.fact_id for fact in mem.facts("ana")] == [confirmed]
        changes = [change for change in mem.history(user_id="ana") if change.operation == "undo"]
        assert {f"undo-{change.fact_id}" for change in changes} == {change.action_hash for change in changes}
        assert len(changes) == 1_202
        assert all(change.before is not None and change.before.status == "active" for change in changes)
        assert all(change.after is not None and change.after.valid_to == change.after.valid_from for change in changes)


def test_what_a_later_turn_changed_is_kept(told: memdb.Memory) -> None:
    told.observe("I still live in Lisbon.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert told.undo(user_id="ana", turn_id="t2").kept == 2
    assert held(told) == {"user.lives_in": "Lisbon"}
    assert [fact.object for fact in told.facts("ana", key="user.lives_in")] == ["Lisbon"]


def test_what_a_turn_replaced_comes_back_from_the_archive(told: memdb.Memory) -> None:
    (before,) = told.facts("ana", key="user.lives_in", as_of="2025-03-15")
    assert told.compact(now="2026-04-01") == 1
    undone = told.undo(user_id="ana", turn_id="t2")
    assert (undone.restored, undone.ended, undone.kept) == (1, 2, 0)
    (again,) = told.facts("ana")
    assert again == before.model_copy(update={"status": "active", "valid_to": None, "updated_at": again.updated_at})
    assert [fact.object for fact in told.facts("ana", as_of="2025-03-15")] == ["Porto"]


def test_what_a_rejected_fact_had_displaced_comes_back_from_the_archive(told: memdb.Memory) -> None:
    told.compact(now="2026-04-01")
    told.reject(told.facts("ana", key="user.lives_in")[0].fact_id)
    assert held(told) == {"user.lives_in": "Porto", "user.likes": "jazz"}


def test_what_a_turn_said_to_be_over_comes_back_from_the_archive(told: memdb.Memory) -> None:
    told.observe("I don't like jazz any more.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert told.compact(now="2026-04-01") == 2
    assert told.undo(user_id="ana", turn_id="t3").restored == 1
    assert held(told) == {"user.lives_in": "Lisbon", "user.likes": "jazz"}


def test_what_was_so_for_a_time_and_lies_in_the_archive_was_never_so_once_it_is_taken_back(told: memdb.Memory) -> None:
    told.observe("For this week I'm staying in Berlin.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    told.compact(now="2025-05-20")
    assert told.compact(now="2026-04-01") == 2
    told.undo(user_id="ana", turn_id="t3")
    assert "Berlin" not in [fact.object for fact in told.facts("ana", as_of="2025-05-02")]


@pytest.mark.parametrize("take_back", ["undo", "reject"])
@pytest.mark.parametrize("said", ["I live in Faro.", "I don't live in Lisbon."])
def test_what_waited_comes_back_from_the_archive_and_waits_to_end_the_same(told: memdb.Memory, take_back: str, said: str) -> None:
    told.observe(said, user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.observe("I moved to Rome.", user_id="ana", turn_id="t4", timestamp="2025-06-01T10:00:00Z")
    told.drain()
    assert told.compact(now="2026-04-01") == 3
    if take_back == "undo":
        told.undo(user_id="ana", turn_id="t4")
    else:
        told.reject(told.facts("ana", key="user.lives_in")[0].fact_id)
    (waits,) = told.facts("ana", key="user.lives_in", statuses=["pending_confirmation"])
    told.confirm(waits.fact_id)
    assert "Lisbon" not in [fact.object for fact in told.facts("ana", key="user.lives_in") if not fact.denies]


def test_a_turn_is_taken_back_though_the_time_of_what_it_told_is_over_by_now(mem: memdb.Memory) -> None:
    for day in (3, 4):
        mem.observe("I'm staying in Rome this week.", user_id="ana", turn_id=f"t{day}", timestamp=f"2025-03-0{day}T10:00:00Z")
    mem.drain()
    mem.compact(now="2025-03-20")
    assert mem.history(user_id="ana")[-1].reason == "its time is over"
    assert mem.undo(user_id="ana", turn_id="t4", now="2025-03-21").kept == 0


def test_a_fact_taken_back_was_never_true(told: memdb.Memory) -> None:
    told.undo(user_id="ana", turn_id="t2")
    assert [fact.object for fact in told.facts("ana", key="user.lives_in", as_of="2025-04-15")] == ["Porto"]


def test_undoing_twice_changes_nothing_more(told: memdb.Memory) -> None:
    told.undo(user_id="ana", turn_id="t2")
    first = [fact.model_dump(exclude={"updated_at"}) for fact in told.facts("ana")]
    told.undo(user_id="ana", turn_id="t2")
    assert [fact.model_dump(exclude={"updated_at"}) for fact in told.facts("ana")] == first


def test_one_turn_after_another_is_taken_back(told: memdb.Memory) -> None:
    told.observe("I moved to Faro.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert told.undo(user_id="ana", turn_id="t2").kept == 2  # there is a later one
    assert [told.undo(user_id="ana", turn_id=turn).kept for turn in ("t3", "t2")] == [0, 0]
    assert held(told) == {"user.lives_in": "Porto"}
    told.observe("I moved to Braga.", user_id="ana", turn_id="t4", timestamp="2025-06-01T10:00:00Z")
    told.drain()
    again = told.undo(user_id="ana", turn_id="t2")
    assert (again.restored, again.ended, again.kept) == (0, 0, 0)
    assert (told.undo(user_id="ana", turn_id="t1").kept, held(told)) == (1, {"user.lives_in": "Braga"})


@pytest.mark.parametrize("last", ["I'm allergic to nuts.", "I'm not allergic to nuts any more."], ids=["refuted", "settled"])
def test_a_doubt_that_comes_back_doubts_the_same_as_before(last: str, told: memdb.Memory) -> None:
    told.consent("ana", sensitive_topics="keep")
    for month, text in enumerate(("I'm allergic to nuts.", "I'm not allergic to nuts.", last), start=5):
        told.observe(text, user_id="ana", turn_id=f"n{month}", timestamp=f"2025-0{month}-01T10:00:00Z")
    told.drain()
    told.undo(user_id="ana", turn_id="n7")
    question = told.context("May I eat nuts?", user_id="ana", now="2025-08-01").question
    assert question is not None
    assert question.startswith("Which is right now: “User is allergic to nuts”")
    [doubt] = told.facts("ana", key="user.allergic_to", statuses=["pending_confirmation"])
    told.confirm(doubt.fact_id, now="2025-08-02")
    assert [fact.denies for fact in told.facts("ana", key="user.allergic_to")] == [True]


@pytest.mark.parametrize("whose", [{"user_id": "ana"}, {}], ids=["named", "by its id alone"])
def test_what_is_stated_in_a_session_of_an_older_fact_is_taken_back_with_it(told: memdb.Memory, whose: dict[str, str]) -> None:
    (before,) = told.facts("ana", key="user.likes")
    told.remember("User likes jazz", user_id="ana", key="user.likes", object="jazz", session_id="three")
    (again,) = told.facts("ana", key="user.likes")
    assert (again.fact_id, again.confidence > before.confidence) == (before.fact_id, True)
    assert told.undo(session_id="three", **whose) == memdb.Undone(restored=1)
    assert told.facts("ana", key="user.likes")[0].confidence == before.confidence


def test_a_turn_or_a_session_is_taken_back_by_its_id_alone(told: memdb.Memory) -> None:
    assert told.undo(turn_id="t2").restored == 1
    told.remember("User likes tea", user_id="ana", key="user.likes", object="tea", session_id="three")
    assert (told.undo(session_id="three").ended, held(told)) == (1, {"user.lives_in": "Porto"})
    assert not any(told.undo(turn_id="t99").model_dump().values())


@pytest.mark.parametrize("cause", [{"turn_id": "t2"}, {"session_id": "two"}, {"turn_id": "m1"}], ids=["a turn", "a session", "a statement"])
def test_whose_it_was_is_known_by_the_id_among_many_users(told: memdb.Memory, cause: dict[str, str]) -> None:
    told.observe("I moved to Faro.", user_id="bea", turn_id="b2", session_id="other", timestamp="2025-04-01T10:00:00Z")
    told.remember("Bea likes tea", user_id="bea", key="user.likes", object="tea", turn_id="m2", session_id="more")
    told.remember("Ana likes tea", user_id="ana", key="user.likes", object="tea", turn_id="m1", session_id="mine")
    told.drain()
    assert told.undo(**cause).ended == (1 if cause == {"turn_id": "m1"} else 2)
    assert {fact.object for fact in told.facts("bea")} == {"Faro", "tea"}


def test_a_turn_that_another_user_had_in_the_session_is_not_meant(told: memdb.Memory) -> None:
    told.observe("I live in Faro.", user_id="bea", turn_id="t1", session_id="hers", timestamp="2025-04-01T10:00:00Z")
    told.drain()
    assert told.undo(user_id="ana", session_id="hers") == memdb.Undone()


def test_a_session_that_only_ended_something_is_taken_back(told: memdb.Memory) -> None:
    told.observe("I don't like jazz any more.", user_id="ana", turn_id="t3", session_id="three", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert "user.likes" not in held(told)
    told.undo(user_id="ana", session_id="three")
    assert held(told)["user.likes"] == "jazz"


def test_what_was_ended_since_stays_ended(told: memdb.Memory) -> None:
    told.end(told.facts("ana", key="user.likes")[0].fact_id, valid_to="2025-06-01")
    assert told.undo(user_id="ana", turn_id="t2") == memdb.Undone(restored=1, ended=1, kept=1)


def test_neither_undoing_itself_nor_what_nobody_decided_is_taken_back(told: memdb.Memory) -> None:
    told.undo(user_id="ana", turn_id="t2")
    causes = {change.turn_id for change in told.history(user_id="ana") if change.operation == "undo"}
    assert [told.undo(user_id="ana", turn_id=cause) for cause in causes] == [memdb.Undone()]


def test_an_event_that_somebody_named_like_a_turn_is_none_of_it(told: memdb.Memory) -> None:
    told.event("Rui made coffee", user_id="ana", timestamp="2025-04-01T10:20:00Z", event_id="turn-t2")
    assert told.undo(user_id="ana", turn_id="t2").untold == 0
    assert "coffee" in told.narrate(now="2025-04-03")[0].value_text


def test_how_a_fact_is_filed_goes_back_with_who_changed_it(told: memdb.Memory) -> None:
    def filed() -> tuple[object, ...]:
        (home,) = told.facts("ana", key="user.lives_in")
        return home.object, home.tags, home.memory_type, home.importance, home.effective_importance

    before, said = filed(), {"value_text": "User lives in Lisbon, in Alfama", "object": "Lisbon, in Alfama", "key": "user.lives_in"}
    more = {"tags": ["home"], "memory_type": "PREFERENCE", "importance": 0.9, "turn_id": "m3", "timestamp": "2025-05-01"}
    told.remember(**said, **more, user_id="ana")  # type: ignore[arg-type]
    assert filed() == ("Lisbon, in Alfama", ("home",), "PREFERENCE", 0.9, 0.9)
    told.undo(user_id="ana", turn_id="m3")
    assert filed() == before


def test_what_upkeep_made_of_a_fact_since_stays(told: memdb.Memory) -> None:
    told.observe("I still like jazz.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    changed = "tags = '[\"a\"]', memory_type = 'SIGNIFICANT', importance = 0.9, effective_importance = 0.8"
    told._store.database().connection.execute(f"update facts set {changed} where key = 'user.likes'")
    assert told.undo(user_id="ana", turn_id="t3").restored == 1
    (jazz,) = told.facts("ana", key="user.likes")
    assert (jazz.seen_count, jazz.tags, jazz.memory_type) == (1, ("a",), "SIGNIFICANT")
    assert (jazz.importance, jazz.effective_importance) == (0.9, 0.8)


def test_of_several_users_with_such_a_turn_one_is_to_be_named(told: memdb.Memory) -> None:
    told.observe("I live in Faro.", user_id="ben", turn_id="t2", session_id="two")
    for cause in ({"turn_id": "t2"}, {"session_id": "two"}):
        with pytest.raises(memdb.InputError, match="several users"):
            told.undo(**cause)
    assert held(told)["user.lives_in"] == "Lisbon"


def test_undo_wants_to_know_what(told: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="either turn_id or session_id"):
        told.undo(user_id="ana")


def test_what_an_application_stated_in_a_session_is_taken_back_with_it(told: memdb.Memory) -> None:
    told.remember("User moved to Faro", user_id="ana", key="user.lives_in", object="Faro", session_id="three", timestamp="2025-05-01")
    assert held(told)["user.lives_in"] == "Faro"
    undone = told.undo(user_id="ana", session_id="three")
    assert (undone.restored, undone.ended, held(told)["user.lives_in"]) == (1, 1, "Lisbon")


def test_undoing_a_session_goes_back_before_all_that_it_did_to_a_fact(told: memdb.Memory) -> None:
    for day, text in ((1, "I still like jazz."), (2, "Yes, I like jazz.")):
        told.observe(text, user_id="ana", session_id="three", timestamp=f"2025-05-0{day}T10:00:00Z")
    told.drain()
    (liked,) = told.facts("ana", key="user.likes")
    assert liked.seen_count == 3
    assert told.undo(user_id="ana", session_id="three").restored == 2
    (liked,) = told.facts("ana", key="user.likes")
    assert (liked.seen_count, liked.confidence, f"{liked.last_mentioned_at:%m}") == (1, 0.4, "04")


def test_a_session_is_taken_back_for_its_own_user_alone(told: memdb.Memory) -> None:
    told.observe("I moved to Faro.", user_id="bea", turn_id="t2", session_id="two", timestamp="2025-04-01T10:00:00Z")
    told.drain()
    told.undo(user_id="ana", session_id="two")
    assert [fact.object for fact in told.facts("bea")] == ["Faro"]


@pytest.mark.parametrize("cause", [{"turn_id": "t3"}, {"session_id": "three"}], ids=["its turn", "its session"])
def test_what_nobody_has_thought_about_yet_teaches_nothing(told: memdb.Memory, cause: dict[str, str]) -> None:
    before = held(told)
    for user in ("ana", "bea"):
        told.observe("I moved to Faro.", user_id=user, turn_id="t3", session_id="three")
    assert told.undo(user_id="ana", **cause) == memdb.Undone(untaught=1)
    assert told.drain()
    assert held(told) == before
    assert [fact.object for fact in told.facts("bea", kinds=["fact"])] == ["Faro"]
    [turn] = told.turns("ana", turn_id="t3")
    assert (turn.status, turn.error) == ("done", "taken back before it was thought about")
    assert told.undo(user_id="ana", **cause) == memdb.Undone()


def test_what_is_taken_back_while_it_is_thought_about_teaches_nothing(tmp_path: Path) -> None:
    def think(_: ModelRequest) -> str:
        assert mem.undo(user_id="ana", turn_id="t1").untaught == 1
        return '{"facts": [{"key": "user.likes", "object": "tea", "value_text": "User likes tea", "excerpt": "I like tea", "confidence": 0.9}]}'

    llm = LanguageModel(ScriptedModel(think), name="scripted")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.observe("I like tea.", user_id="ana", turn_id="t1")
        assert mem.drain()
        assert mem.facts("ana", kinds=["fact"]) == []
        assert mem.retry() == 0


# memories of what was said


@pytest.fixture
def home(tmp_path: Path) -> Iterator[memdb.Memory]:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        yield mem


def memories(mem: memdb.Memory) -> list[str]:
    return [fact.value_text for fact in mem.facts("ana", kinds=["narrative"])]


def bread(mem: memdb.Memory, day: int, text: str = "I baked bread in the oven.") -> None:
    mem.observe(text, user_id="ana", turn_id=f"b{day}", session_id=f"s{day}", timestamp=f"2025-03-{day:02}T08:00:00Z")


@pytest.mark.parametrize("cause", [{"turn_id": "b3"}, {"session_id": "s3"}], ids=["its turn", "its session"])
def test_of_a_turn_that_is_taken_back_no_memory_is_told(home: memdb.Memory, cause: dict[str, str]) -> None:
    bread(home, 3)
    home.event("Rui made coffee", user_id="ana", timestamp="2025-03-03T08:20:00Z")
    assert home.undo(user_id="ana", **cause) == memdb.Undone(untaught=1, untold=1)
    home.narrate(now="2025-03-04")
    [memory] = memories(home)
    assert ("coffee" in memory, "bread" in memory) == (True, False)


def test_a_memory_of_what_is_taken_back_was_never_true_and_stays_in_the_history(home: memdb.Memory) -> None:
    bread(home, 3)
    home.drain()
    [fact] = home.facts("ana", kinds=["narrative"])
    assert home.undo(user_id="ana", turn_id="b3") == memdb.Undone(ended=1)
    assert home.narrate(now="2025-03-04") == []
    assert home.facts("ana", kinds=["narrative"], as_of="2025-03-04") == []
    assert home.recall("baked bread", user_id="ana", now="2025-03-04") == []
    [made, change] = home.history(fact_id=fact.fact_id)
    assert (made.operation, made.reason) == ("insert", "told by rules")
    assert (change.operation, change.reason, change.before and change.before.status) == ("undo", "it tells of what is taken back", "active")
    assert home.undo(user_id="ana", turn_id="b3") == memdb.Undone()


def test_the_telling_of_a_memory_is_nothing_that_anybody_said(home: memdb.Memory) -> None:
    bread(home, 3)
    home.drain()
    [change] = home.history(fact_id=home.facts("ana", kinds=["narrative"])[0].fact_id)
    assert change.turn_id
    assert home.undo(user_id="ana", turn_id=change.turn_id) == memdb.Undone()


def test_only_what_a_pattern_was_made_of_goes_with_it_and_not_all_that_is_linked(home: memdb.Memory) -> None:
    for day in (2, 3, 4):
        bread(home, day)
    home.drain()
    home.maintain(user_id="ana", now="2025-03-05T20:00:00Z")
    bread(home, 9, "I lost my keys in the garden.")
    bread(home, 12, "Rui made coffee for all of us.")
    home.drain()
    told = home.facts("ana", kinds=["narrative"])
    pattern, lost, coffee = (next(fact for fact in told if part in fact.value_text) for part in ("times", "keys", "coffee"))
    note = home.remember("Keeps bees", user_id="ana", kind="note")
    home.link(lost.fact_id, pattern.fact_id, "relates-to")
    for other in (coffee, note):
        home.link(lost.fact_id, other.fact_id, "supports")
    assert home.undo(user_id="ana", turn_id="b9") == memdb.Undone(ended=1)
    assert {fact.fact_id for fact in home.facts("ana", kinds=["narrative", "note"])} == {one.fact_id for one in (pattern, coffee, note)}


def test_what_else_a_memory_told_of_is_told_anew(home: memdb.Memory) -> None:
    bread(home, 3)
    home.event("Rui made coffee", user_id="ana", timestamp="2025-03-03T08:20:00Z")
    assert "bread" in home.narrate(now="2025-03-04")[0].value_text
    home.undo(user_id="ana", turn_id="b3")
    home.narrate(now="2025-03-04")
    [memory] = memories(home)
    assert ("coffee" in memory, "bread" in memory) == (True, False)


def test_a_memory_that_was_confirmed_since_is_kept(home: memdb.Memory) -> None:
    bread(home, 3)
    home.drain()
    home.confirm(home.facts("ana", kinds=["narrative"])[0].fact_id)
    assert home.undo(user_id="ana", turn_id="b3") == memdb.Undone(kept=1)
    assert len(memories(home)) == 1


@pytest.mark.parametrize("taken", ["b3", "b6"], ids=["it began with", "it grew by"])
def test_a_pattern_that_rests_on_what_is_taken_back_is_told_anew_of_the_rest(home: memdb.Memory, taken: str) -> None:
    for day in (2, 3, 4, 5):
        bread(home, day)
    home.drain()
    assert home.maintain(user_id="ana", now="2025-03-05T20:00:00Z").patterns == 1
    bread(home, 6)
    home.drain()
    assert home.maintain(user_id="ana", now="2025-03-06T20:00:00Z").consolidated == 1
    [pattern] = home.facts("ana", kinds=["narrative"])
    assert home.undo(user_id="ana", turn_id=taken) == memdb.Undone(restored=4, ended=2)
    assert len(memories(home)) == 4
    assert home.maintain(user_id="ana", now="2025-03-07T20:00:00Z").patterns == 1
    [again] = home.facts("ana", kinds=["narrative"])
    assert "5 times" in pattern.value_text
    assert "4 times" in again.value_text
    assert {event.turn_id for event in home.sources(again.fact_id).events} == {"b2", "b3", "b4", "b5", "b6"} - {taken}
    assert len(home.sources(again.fact_id).memories) == 4


def test_all_of_a_pattern_is_taken_back_with_the_session_that_it_rests_on(home: memdb.Memory) -> None:
    for day in (2, 3, 4):
        text, at = "I baked bread in the oven.", f"2025-03-0{day}T08:00:00Z"
        home.observe(text, user_id="ana", turn_id=f"b{day}", session_id="one", timestamp=at)
    home.drain()
    home.maintain(user_id="ana", now="2025-03-05T20:00:00Z")
    assert home.undo(user_id="ana", session_id="one") == memdb.Undone(ended=4)
    assert (memories(home), home.maintain(user_id="ana", now="2025-03-06T20:00:00Z").patterns) == ([], 0)


def test_forgetting_finds_a_memory_that_was_taken_back_and_tells_no_other_of_it(tmp_path: Path) -> None:
    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1", session_id="one", timestamp="2025-03-03T08:00:00Z")
        mem.observe("I like jazz.", user_id="ana", turn_id="t2", session_id="one", timestamp="2025-03-03T08:20:00Z")
        mem.drain()
        mem.undo(user_id="ana", session_id="one")
        mem.forget("ana", key="user.lives_in")
        mem.drain()
        assert mem.narrate(now="2025-03-04") == []
    assert b"Porto" not in (tmp_path / "mem.db").read_bytes()


def test_what_is_taken_back_while_a_model_is_shown_it_is_in_no_memory(tmp_path: Path) -> None:
    asked: list[bool] = []

    def think(request: ModelRequest) -> str:
        asked.append("“I baked bread" in request.user)
        if len(asked) == 1:
            mem.undo(user_id="ana", turn_id="b3")
        return '{"content": "I noticed that ana baked rolls in the oven.", "memory_type": "OBSERVATION", "importance": 0.5}'

    config = {"worker": False, "turns_as_events": True}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as rules:
        bread(rules, 3)
        rules.narrate(now="2025-03-03T12:00:00Z")
    llm = LanguageModel(ScriptedModel(think), name="scripted", attempts=1, backoff=0.0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config=config) as mem:
        bread(mem, 4, "I baked rolls in the oven.")
        [memory] = mem.narrate(now="2025-03-04T12:00:00Z")
        assert (asked, memory.value_text) == ([True, False], "I noticed that ana baked rolls in the oven.")


def test_only_what_gave_way_to_a_fact_stands_again_where_that_was_never_so(told: memdb.Memory) -> None:
    for turn, text in (("t3", "I work at Bosch."), ("t4", "I moved to Faro and I work at Siemens now.")):
        told.observe(text, user_id="ana", turn_id=turn, session_id="three", timestamp=f"2025-05-0{turn[1]}T10:00:00Z")
    told.drain()
    assert held(told) == {"user.lives_in": "Faro", "user.works_at": "Siemens", "user.likes": "jazz"}
    told.reject(told.facts("ana", key="user.lives_in")[0].fact_id)
    assert held(told) == {"user.lives_in": "Lisbon", "user.works_at": "Siemens", "user.likes": "jazz"}


def test_what_gave_way_once_more_after_an_undo_stands_again_where_that_was_never_so_either(told: memdb.Memory) -> None:
    told.undo(user_id="ana", turn_id="t2")
    told.observe("I moved to Faro.", user_id="ana", turn_id="t3", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert held(told) == {"user.lives_in": "Faro"}
    told.reject(told.facts("ana", key="user.lives_in")[0].fact_id)
    assert held(told) == {"user.lives_in": "Porto"}


def test_what_is_taken_back_contradicts_nothing_any_more(mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="ana", turn_id="t1", timestamp="2025-03-01T10:00:00Z")
    mem.observe("I live in Braga.", user_id="ana", turn_id="t2", timestamp="2025-03-02T10:00:00Z")
    mem.drain()
    (porto,) = mem.facts("ana", key="user.lives_in", statuses=["active"])
    assert [link.relation for link in mem.links(porto.fact_id)] == ["contradicts"]
    mem.undo(user_id="ana", turn_id="t2")
    assert mem.links(porto.fact_id, statuses=["active", "expired"]) == []


def test_how_a_procedure_went_counts_no_more_when_the_turn_that_told_it_is_taken_back(told: memdb.Memory) -> None:
    learned = told.learn("deploy the website", ["build", "push"], user_id="ana", timestamp="2025-04-02")
    told.outcome(learned.fact_id, True, turn_id="o1", timestamp="2025-04-03")
    told.undo(user_id="ana", turn_id="o1")
    (known,) = told.procedures("deploy the website", user_id="ana")
    assert (known.successes, known.success_rate, known.confidence) == (0, None, learned.confidence)


def test_of_two_procedures_the_outcome_of_one_is_taken_back_though_the_other_went_on(told: memdb.Memory) -> None:
    site, rice = (told.learn(name, ["one", "two"], user_id="ana", timestamp="2025-04-02") for name in ("deploy", "cook"))
    for procedure in (site, rice):
        told.outcome(procedure.fact_id, True, turn_id="o1", timestamp="2025-04-03")
    told.outcome(rice.fact_id, False, turn_id="o2", timestamp="2025-04-04")
    assert told.undo(user_id="ana", turn_id="o1") == memdb.Undone(restored=1, kept=1)


@pytest.mark.parametrize("which", ["a task that stalled", "a note that was put away", "a fact that was promoted"])
def test_what_upkeep_has_done_with_it_since_keeps_nothing_from_being_taken_back(which: str, tmp_path: Path) -> None:
    config = {"worker": False, "reflection_limit": 1, "promote_priority": 0.0, "promote_days": 1}
    with memdb.open(tmp_path / "mem.db", embedder=None, config=config) as mem:
        stated = {"a task that stalled": "task", "a note that was put away": "note", "a fact that was promoted": "fact"}
        mem.remember("Fix the fence", kind=stated[which], user_id="ana", turn_id="t1", timestamp="2025-03-01")
        mem.remember("Something else", kind="note", user_id="ana", turn_id="t2", timestamp="2025-03-02")
        done = mem.maintain(now="2025-05-01")
        assert done.tasks_stalled + done.notes_archived + done.promoted == 1
        assert mem.undo(user_id="ana", turn_id="t1") == memdb.Undone(ended=1)


@pytest.mark.parametrize("turns", [["t1"], ["t2"], ["t1", "t2"], ["t2", "t1"]])
def test_of_what_was_held_twice_each_is_taken_back_though_upkeep_made_one_of_them(turns: list[str], mem: memdb.Memory) -> None:
    for turn_id, day in (("t1", "2025-03-01"), ("t2", "2025-03-02")):
        one = memdb.NewFact(value_text="The code is 12", user_id="ana", turn_id=turn_id, timestamp=day)
        mem.remember_many([one])
    mem.drain()
    assert mem.maintain(now="2025-03-03").merged == 1
    assert [mem.undo(user_id="ana", turn_id=turn_id).ended for turn_id in turns] == [1] * len(turns)
    assert [fact.source_turn_id for fact in mem.facts("ana")] == sorted({"t1", "t2"} - set(turns))


def test_what_upkeep_made_one_is_left_so_where_it_was_said_again_since(mem: memdb.Memory) -> None:
    mem.remember_many(
        [{"value_text": "The code is 12", "user_id": "ana", "turn_id": f"t{day}", "timestamp": f"2025-03-0{day}"} for day in (1, 2)]
    )
    mem.drain()
    mem.maintain(now="2025-03-03")
    mem.remember("The code is 12", user_id="ana", turn_id="t4", timestamp="2025-03-04")
    assert mem.undo(user_id="ana", turn_id="t2").kept == 1
    assert mem.undo(user_id="ana", turn_id="t4").restored == 1
    assert [(fact.source_turn_id, fact.seen_count) for fact in mem.facts("ana")] == [("t1", 2)]


@pytest.mark.parametrize("cause", [{"session_id": "s"}, {"turn_id": "t1"}])
def test_what_was_stored_as_it_is_goes_with_its_turn_or_session(cause: dict[str, str], mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Likes figs", "key": "user.likes", "user_id": "ana", "turn_id": "t1", "session_id": "s"}])
    assert mem.undo(**cause) == memdb.Undone(ended=1)
    assert mem.facts("ana") == []
    assert mem.undo(**cause, user_id="ana") == memdb.Undone()


def test_what_was_stored_as_it_is_and_confirmed_since_is_kept(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Likes figs", "key": "user.likes", "user_id": "ana", "turn_id": "t1"}])
    mem.confirm(mem.facts("ana")[0].fact_id)
    assert mem.undo(turn_id="t1") == memdb.Undone(kept=1)


@pytest.fixture
def left(mem: memdb.Memory) -> memdb.Memory:
    for turn_id, text in (("t1", "I live in Porto."), ("t2", "I no longer live in Porto."), ("t3", "I live in Faro.")):
        mem.observe(text, user_id="ana", turn_id=turn_id, timestamp=f"2025-0{2 + int(turn_id[1:])}-01T10:00:00Z")
        mem.drain()
    mem.undo(user_id="ana", turn_id="t2", now="2025-06-01")
    return mem


def test_what_stands_again_gives_way_to_what_has_been_said_since(left: memdb.Memory) -> None:
    assert [fact.object for fact in left.facts("ana", now="2025-06-02")] == ["Faro"]
    assert [fact.object for fact in left.facts("ana", as_of="2025-04-15")] == ["Porto"]


@pytest.mark.parametrize("rejected", [False, True])
def test_what_gave_way_to_what_has_been_said_since_stands_again_without_it(left: memdb.Memory, rejected: bool) -> None:
    if rejected:
        left.reject(left.facts("ana", now="2025-06-02")[0].fact_id, now="2025-06-02")
    else:
        left.undo(user_id="ana", turn_id="t3", now="2025-06-02")
    assert [(fact.object, fact.valid_to) for fact in left.facts("ana", now="2025-06-03")] == [("Porto", None)]


def test_what_is_taken_back_of_a_rejection_is_not_believed_beside_another_value(mem: memdb.Memory) -> None:
    for place, text in (("Braga", "2025-03-01"), ("Porto", "2025-03-03")):
        mem.remember(f"Lives in {place}", object=place, key="user.lives_in", user_id="ana", timestamp=text)
        if place == "Braga":
            mem.reject(mem.facts("ana")[0].fact_id, now="2025-03-02")
            rejection = mem.history(user_id="ana", newest=True)[0].turn_id
    mem.undo(turn_id=rejection, now="2025-03-04")
    assert [fact.object for fact in mem.facts("ana")] == ["Porto"]


def test_what_was_said_last_stays_when_something_said_before_came_in_while_it_was_over(mem: memdb.Memory) -> None:
    for turn_id, day, text in (
        ("t1", "03-10", "I live in Porto."),
        ("t2", "04-01", "I no longer live in Porto."),
        ("t3", "03-05", "I live in Braga."),
    ):
        mem.observe(text, user_id="ana", turn_id=turn_id, timestamp=f"2025-{day}T10:00:00Z")
        mem.drain()
    mem.undo(user_id="ana", turn_id="t2", now="2025-06-01")
    assert [fact.object for fact in mem.facts("ana")] == ["Porto"]
    assert [fact.object for fact in mem.facts("ana", as_of="2025-03-07")] == ["Braga"]


@pytest.mark.parametrize("take_back", ["reject", "undo"])
def test_what_waits_and_says_the_same_as_what_stands_again_was_that_said_again(take_back: str, mem: memdb.Memory) -> None:
    for turn, text in enumerate(("I live in Porto.", "Actually, I live in Faro.", "I live in Porto.")):
        mem.observe(text, user_id="ana", turn_id=f"t{turn}", timestamp=f"2025-0{turn + 1}-01T10:00:00Z")
    mem.drain()
    (faro,) = [fact for fact in mem.facts("ana") if fact.object == "Faro"]
    mem.reject(faro.fact_id) if take_back == "reject" else mem.undo(user_id="ana", turn_id="t1")
    assert [(fact.object, fact.status, fact.confidence, fact.seen_count) for fact in mem.facts("ana")] == [("Porto", "active", 0.7, 2)]


def test_an_import_is_taken_back_though_something_else_came_in_otherwise(told: memdb.Memory) -> None:
    told.remember_many([{"value_text": "Likes figs", "key": "user.likes", "user_id": "ana", "turn_id": "import"}])
    assert told.undo(user_id="ana", turn_id="import") == memdb.Undone(ended=1)
    assert held(told) == {"user.lives_in": "Lisbon", "user.likes": "jazz"}


def test_an_import_is_taken_back_though_the_time_of_what_it_told_is_over_by_now(mem: memdb.Memory) -> None:
    trip = {"value_text": "Ana is in Rome", "valid_from": "2025-03-01", "valid_to": "2025-03-08", "timestamp": "2025-03-01"}
    mem.remember_many([{**trip, "user_id": "ana", "turn_id": "t1"}])
    mem.maintain(now="2025-04-01")
    assert [fact.value_text for fact in mem.facts("ana", as_of="2025-03-05")] == ["Ana is in Rome"]
    mem.undo(user_id="ana", turn_id="t1")
    assert mem.facts("ana", as_of="2025-03-05") == []


def test_an_import_that_was_ended_since_is_counted_as_kept(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Likes figs", "key": "user.likes", "user_id": "ana", "turn_id": "t1", "timestamp": "2025-03-01"}])
    mem.end(mem.facts("ana")[0].fact_id, valid_to="2025-03-08", now="2025-03-09")
    assert mem.undo(user_id="ana", turn_id="t1") == memdb.Undone(kept=1)


def test_who_said_a_fact_and_when_what_it_tells_of_is_go_back_with_what_changed_them(mem: memdb.Memory) -> None:
    said = "The concert is on"
    mem.remember(said, user_id="ana", event_time="2025-06-05", source="inferred", turn_id="t1", timestamp="2025-05-01")
    mem.remember(said, user_id="ana", event_time="2025-06-07", source="user_message", turn_id="t2", timestamp="2025-05-02")
    [concert] = mem.facts("ana", now="2025-05-03")
    assert (str(concert.event_time)[:10], concert.source) == ("2025-06-07", "user_message")
    assert mem.undo(user_id="ana", turn_id="t2", now="2025-05-03").restored == 1
    [concert] = mem.facts("ana", now="2025-05-03")
    assert (str(concert.event_time)[:10], concert.source) == ("2025-06-05", "inferred")


@pytest.mark.parametrize("cause", [{"turn_id": "t4"}, {"session_id": "four"}], ids=["its turn", "its session"])
def test_an_end_that_is_taken_back_ends_nothing_that_comes_in_late(told: memdb.Memory, cause: dict[str, str]) -> None:
    for user, turns in (("ana", {"t3": "three", "t4": "four"}), ("bea", {"t3": "four", "t4": "three"})):
        for (turn_id, session), fruit in zip(turns.items(), ("figs", "plums"), strict=True):
            at = f"2025-06-0{turn_id[1]}T10:00:00Z"
            told.observe(f"I no longer like {fruit}.", user_id=user, turn_id=turn_id, session_id=session, timestamp=at)
    told.drain()
    told.undo(user_id="ana", **cause)
    for user in ("ana", "bea"):
        told.observe("I like figs. I like plums.", user_id=user, turn_id="t0", timestamp="2025-05-01T10:00:00Z")
    told.drain()
    assert {fact.object for fact in told.facts("ana", key="user.likes")} == {"jazz", "plums"}
    assert told.facts("bea", key="user.likes") == []


def test_what_another_user_said_in_a_turn_of_that_name_is_told_all_the_same(home: memdb.Memory) -> None:
    bread(home, 3)
    home.observe("I planted a lemon tree.", user_id="bea", turn_id="b3", session_id="s3", timestamp="2025-03-03T08:00:00Z")
    home.undo(user_id="ana", turn_id="b3")
    home.narrate(now="2025-03-04")
    assert [fact.user_id for user in ("ana", "bea") for fact in home.facts(user, kinds=["narrative"])] == ["bea"]


def test_only_what_upkeep_made_one_with_what_is_taken_back_stands_by_itself_again(mem: memdb.Memory) -> None:
    for place, said in enumerate(("The code is 12", "The code is 12", "The gate is green", "The gate is green", "The code is 12"), start=1):
        mem.remember_many([{"value_text": said, "user_id": "ana", "turn_id": f"t{place}", "timestamp": f"2025-03-0{place}"}])
    mem.drain()
    assert mem.maintain(now="2025-03-06").merged == 3
    assert mem.undo(user_id="ana", turn_id="t1").ended == 1
    assert sorted(fact.source_turn_id for fact in mem.facts("ana")) == ["t2", "t3", "t5"]
    mem.drain()
    assert mem.maintain(now="2025-03-07").merged == 1  # what is held twice again
    assert sorted(fact.source_turn_id for fact in mem.facts("ana")) == ["t2", "t3"]


@pytest.mark.parametrize("archived", [False, True])
def test_only_what_waited_for_the_place_of_what_stands_again_waits_again(archived: bool, mem: memdb.Memory) -> None:
    for month, text in enumerate(
        ("live in Porto. I work at Bosch.", "live in Faro. I work at Siemens.", "moved to Rome. I now work at Zara."), start=3
    ):
        mem.observe(f"I {text}", user_id="ana", turn_id=f"t{month}", timestamp=f"2025-0{month}-01T10:00:00Z")
        mem.drain()
    if archived:
        assert mem.compact(now="2026-04-01") == 4
    (rome,) = mem.facts("ana", key="user.lives_in")
    mem.reject(rome.fact_id, now="2026-04-02")
    held = mem.facts("ana", kinds=["fact"], statuses=["active", "pending_confirmation"])
    assert {(fact.object, fact.status) for fact in held} == {("Porto", "active"), ("Faro", "pending_confirmation"), ("Zara", "active")}


def test_an_import_that_is_taken_back_was_changed_last_by_that(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": "Likes figs", "user_id": "ana", "turn_id": "t1", "timestamp": "2025-03-01"}])
    (fact,) = mem.facts("ana")
    mem.undo(user_id="ana", turn_id="t1", now="2025-04-01")
    (ended,) = mem.facts("ana", statuses=["expired"])
    assert (ended.fact_id, f"{ended.updated_at:%Y-%m-%d}") == (fact.fact_id, "2025-04-01")


def test_of_an_import_that_is_taken_back_only_the_doubts_go(mem: memdb.Memory) -> None:
    mem.remember_many([{"value_text": text, "user_id": "ana", "turn_id": text} for text in ("Likes figs", "Owns a fig tree")])
    figs, tree = mem.facts("ana")
    for relation in ("contradicts", "supports"):
        mem._store.database().run(
            "apply.link", source_id=figs.fact_id, target_id=tree.fact_id, relation=relation, now="2025-03-01T10:00:00.000Z"
        )
    mem.undo(user_id="ana", turn_id=figs.source_turn_id)
    assert mem._store.database().connection.execute("select relation from links").fetchall() == [("supports",)]
