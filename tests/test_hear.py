"""What becomes of an answer to a question that the memory itself had the assistant put."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb.answers import Doubt
from memdb.llm import LanguageModel, ScriptedModel
from memdb.steps.hear import hear

ATLANTA, SEATTLE, BOTH = "Atlanta", "Seattle", None


def asked(mem: memdb.Memory, answer: str, *said: str, speaker: str | None = None, before: str = "") -> str:
    """Ana says something, is asked what the memory wants to know, and answers; return the question."""
    for day, text in enumerate(said, start=1):
        mem.observe(text, "I see.", user_id="ana", session_id="s", timestamp=f"2025-03-0{day}T10:00:00Z")
    mem.drain()
    question = mem.context("Hello", user_id="ana", now="2025-03-05T09:00:00Z").question
    assert question is not None
    mem.observe("Hello!", f"{before}{question}", user_id="ana", session_id="s", timestamp="2025-03-05T10:00:00Z")
    mem.observe(answer, user_id="ana", turn_id="answer", session_id="s", timestamp="2025-03-05T10:01:00Z", speaker=speaker)
    mem.drain()
    return question


def moved(mem: memdb.Memory, answer: str, **more: str | None) -> None:
    asked(mem, answer, "I live in Atlanta.", "I live in Atlanta.", "I live in Seattle.", **more)  # type: ignore[arg-type]


def believed(mem: memdb.Memory) -> dict[str, str]:
    return {fact.object: fact.status for fact in mem.facts("ana", kinds=["fact"])}


@pytest.mark.parametrize(
    ("answer", "home"),
    [
        ("Seattle.", SEATTLE),
        ("seattle", SEATTLE),
        ("In Seattle.", SEATTLE),
        ("It's Seattle now, thanks.", SEATTLE),
        ("I live in Seattle.", SEATTLE),
        ("Seattle, I moved last week.", SEATTLE),
        ("No, Seattle.", SEATTLE),
        ("The second one.", SEATTLE),
        ("The latter", SEATTLE),
        ("The new one is right.", SEATTLE),
        ("Atlanta.", ATLANTA),
        ("Still Atlanta!", ATLANTA),
        ("Atlanta is right.", ATLANTA),
        ("It's still the first one", ATLANTA),
        ("Nothing has changed.", ATLANTA),
        ("Neither of us is at home", BOTH),
        # what says no more than before, or something else
        ("Yes", BOTH),
        ("No.", BOTH),
        ("Both, in a way", BOTH),
        ("Atlanta or Seattle, who knows", BOTH),
        ("Seattle?", BOTH),
        ("Not Seattle", BOTH),
        ("Maybe Seattle", BOTH),
        ("I think Seattle", BOTH),
        ("I love Seattle", BOTH),
        ("I'm only visiting Seattle", BOTH),
        ("Seattle is where my sister lives", BOTH),
        ("I lived in Seattle once", BOTH),
        ("Seattle, but only if I get the job", BOTH),
        ("Book me a hotel in Seattle", BOTH),
        ("What a nice day", BOTH),
        ("The second of May is a Friday.", BOTH),
    ],
)
def test_an_answer_says_which_of_two_is_right_or_leaves_both_as_they_are(mem: memdb.Memory, answer: str, home: str | None) -> None:
    moved(mem, answer)
    assert believed(mem) == ({"Atlanta": "active", "Seattle": "pending_confirmation"} if home is None else {home: "active"})
    assert bool(mem.context("Hello", user_id="ana", now="2025-03-13").question) is (home is None)  # which is not asked again sooner


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Neither.", {}),
        ("None of them, sorry", {}),
        ("Neither is right any more.", {}),
        ("Neither, I live in Boston.", {"Boston": "active"}),
        ("No, neither. I've moved to Boston", {"Boston": "active"}),
    ],
)
def test_where_neither_is_right_both_end_and_what_is_so_instead_holds(mem: memdb.Memory, answer: str, left: dict[str, str]) -> None:
    moved(mem, answer)
    assert believed(mem) == left
    assert [fact.object for fact in mem.facts("ana", key="user.lives_in", as_of="2025-03-04")] == ["Atlanta"]
    mem.undo(user_id="ana", turn_id="answer")
    assert believed(mem) == {"Atlanta": "active", "Seattle": "pending_confirmation"}


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("No longer.", True),
        ("It's no longer so, luckily", True),
        ("Not any more!", True),
        ("I'm not any more.", True),
        ("Still so.", False),
        ("I still am, sorry", False),
        ("Yes, it's still true.", False),
        ("The first one", False),
        ("Still, what a nice day", None),
        ("Not a word of it", None),
    ],
)
def test_what_is_said_to_be_so_no_longer_is_settled_by_saying_so_or_that_it_is_still(
    mem: memdb.Memory, answer: str, left: bool | None
) -> None:
    mem.consent("ana", sensitive_topics="keep")
    asked(mem, answer, "I'm allergic to nuts.", "I'm not allergic to nuts.")
    standing = {fact.denies: fact.status for fact in mem.facts("ana", kinds=["fact"])}
    assert standing == ({False: "active", True: "pending_confirmation"} if left is None else {left: "active"})


def test_what_was_answered_is_told_and_taken_back_with_its_turn(mem: memdb.Memory) -> None:
    moved(mem, "Seattle.")
    (seattle,) = mem.facts("ana", kinds=["fact"])
    assert [change.reason for change in mem.history(fact_id=seattle.fact_id)][-1] == "said to be right, when asked"
    assert (seattle.confidence, seattle.seen_count) == (0.7, 2)
    mem.undo(user_id="ana", turn_id="answer")
    assert believed(mem) == {"Atlanta": "active", "Seattle": "pending_confirmation"}


@pytest.mark.parametrize("speaker", ["Bob", "assistant"])
def test_nobody_else_answers_for_the_user(mem: memdb.Memory, speaker: str) -> None:
    moved(mem, "Seattle.", speaker=speaker)
    assert believed(mem) == {"Atlanta": "active", "Seattle": "pending_confirmation"}


@pytest.mark.parametrize("speaker", ["User", "Ana"])
def test_who_is_called_as_the_user_answers_for_the_user(mem: memdb.Memory, speaker: str) -> None:
    moved(mem, "Seattle.", speaker=speaker)
    assert believed(mem) == {"Seattle": "active"}


def test_the_question_may_stand_among_other_words(mem: memdb.Memory) -> None:
    moved(mem, "Seattle.", before="Good morning, Ana! By the way,\n")
    assert believed(mem) == {"Seattle": "active"}


def test_where_something_else_was_asked_a_name_is_no_answer_to_it(mem: memdb.Memory) -> None:
    for day, text in enumerate(("I live in Atlanta.", "I live in Atlanta.", "I live in Seattle."), start=1):
        mem.observe(text, "Shall I look for restaurants in Atlanta or in Seattle?", user_id="ana", timestamp=f"2025-03-0{day}")
    mem.observe("Seattle.", user_id="ana", timestamp="2025-03-04")
    mem.drain()
    assert believed(mem) == {"Atlanta": "active", "Seattle": "pending_confirmation"}


def test_a_model_that_reads_the_turns_changes_nothing_of_that(tmp_path: Path) -> None:
    model = LanguageModel(ScriptedModel(lambda request: '{"facts": []}'), name="scripted", attempts=1)
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("User lives in Atlanta", user_id="ana", key="user.lives_in", object="Atlanta", timestamp="2025-03-01")
        mem.remember("User lives in Seattle", user_id="ana", key="user.lives_in", object="Seattle", confidence=0.5, timestamp="2025-03-02")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=model, config={"worker": False}) as mem:
        asked(mem, "Seattle, please.")
        assert believed(mem) == {"Seattle": "active"}


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("Yes, please.", "active"),
        ("Sure, go ahead", "active"),
        ("Please do.", "active"),
        ("No, thanks.", None),
        ("Please don't.", None),
        ("I'd rather not", None),
        ("Thanks!", "pending_confirmation"),
        ("Sorry", "pending_confirmation"),
        ("Yes and no", "pending_confirmation"),
        ("Why?", "pending_confirmation"),
        ("Yes, what shall I cook tonight", "pending_confirmation"),
    ],
)
def test_leave_is_given_or_refused_in_a_word(mem: memdb.Memory, answer: str, status: str | None) -> None:
    assert asked(mem, answer, "I'm allergic to peanuts.").startswith("Shall I remember this")
    assert believed(mem) == ({} if status is None else {"peanuts": status})


@pytest.mark.parametrize(
    ("answer", "left"), [("Yes, it is.", ["active", 0.4]), ("No, not any more.", ["expired", 0.2]), ("Hm", ["active", 0.2])]
)
def test_what_is_asked_about_for_being_unsure_is_confirmed_or_ends(mem: memdb.Memory, answer: str, left: list[object]) -> None:
    chess = mem.remember("User plays chess", user_id="ana", key="user.plays", object="chess", confidence=0.2, timestamp="2025-03-01")
    mem.observe("Hi", "Is it still right that “User plays chess”?", user_id="ana", timestamp="2025-03-02T10:00:00Z")
    mem.observe(answer, user_id="ana", timestamp="2025-03-02T10:01:00Z")
    mem.drain()
    fact = mem.fact(chess.fact_id)
    assert [fact.status, round(fact.confidence, 3)] == ([left[0], 0.6] if left == ["active", 0.4] else left)


@pytest.mark.parametrize(("answer", "status"), [("Yes.", "active"), ("No.", "expired"), ("Who knows", "uncertain")])
def test_what_is_in_doubt_is_settled_by_who_asked_for_it(mem: memdb.Memory, answer: str, status: str) -> None:
    fiat = mem.remember("User drives a Fiat", user_id="ana", key="user.drives", object="Fiat", timestamp="2025-03-01")
    mem.doubt(fiat.fact_id, now="2025-03-02")
    verdict = mem.assess("Does the user drive a Fiat?", user_id="ana", statuses=["uncertain"], now="2025-03-03").verdict
    assert verdict is not None
    assert verdict.question is not None
    mem.observe("Which car?", verdict.question, user_id="ana", timestamp="2025-03-03T10:00:00Z")
    mem.observe(answer, user_id="ana", timestamp="2025-03-03T10:01:00Z")
    mem.drain()
    assert mem.fact(fiat.fact_id).status == status


@pytest.mark.parametrize(
    ("question", "answer", "home"),
    [
        ("Where do you live now?", "In Seattle.", SEATTLE),
        ("Do you live in Seattle?", "Yes.", SEATTLE),
        ("Have you moved to Seattle?", "Yes, I have", SEATTLE),
        ("Did you move to Seattle recently? I have Atlanta from before.", "Yes.", SEATTLE),
        ("Did you just move to Seattle?", "Yep", SEATTLE),
        ("Do you still live in Atlanta?", "Yes.", ATLANTA),
        ("Do you like Seattle?", "Yes.", BOTH),
        ("Did you like Seattle?", "Yes.", BOTH),
        ("Did you ever move to Seattle?", "Yes.", BOTH),
        ("Did you move the sofa to Seattle?", "Yes.", BOTH),
        ("Did your sister move to Seattle?", "Yes.", BOTH),
    ],
)
def test_a_question_in_other_words_is_answered_too(mem: memdb.Memory, question: str, answer: str, home: str | None) -> None:
    for day, text in enumerate(("I live in Atlanta.", "I live in Atlanta.", "I live in Seattle."), start=1):
        mem.observe(text, question, user_id="ana", timestamp=f"2025-03-0{day}")
    mem.observe(answer, user_id="ana", timestamp="2025-03-04")
    mem.drain()
    homes = {fact.object: fact.status for fact in mem.facts("ana", kinds=["fact"], key="user.lives_in")}
    assert homes == ({"Atlanta": "active", "Seattle": "pending_confirmation"} if home is None else {home: "active"})


@given(text=st.text(max_size=80), question=st.text(max_size=80))
def test_any_text_is_heard_safely(text: str, question: str) -> None:
    assert hear(text, question, [Doubt(fact_id="f", question=question)], read=lambda fact_id: None) is None


@pytest.mark.parametrize(
    ("asks", "answer", "status"),
    [
        ("Shall I remember this?", "ok", "active"),
        ("Got it. Should I save that?", "yes please", "active"),
        ("Do you want me to remember that?", "Sure", "active"),
        ("Is it OK if I remember that?", "That's fine with me.", "active"),
        ("Would you like me to note it down?", "no thanks", "expired"),
        ("Shall I remember this?", "Please don't.", "expired"),
        ("Shall I remember this?", "What for?", "pending_confirmation"),
        ("Shall I book a table?", "ok", "pending_confirmation"),
        ("I see.", "ok", "pending_confirmation"),
    ],
)
def test_an_answer_to_whether_this_may_be_remembered_decides_it(mem: memdb.Memory, asks: str, answer: str, status: str) -> None:
    for text, reply, minute in (("I have diabetes.", asks, 0), (answer, "Noted.", 1)):
        mem.observe(text, reply, user_id="ana", session_id="s", timestamp=f"2025-03-01T10:0{minute}:00Z")
        mem.drain()
    assert [fact.status for fact in mem.facts("ana", statuses=["active", "pending_confirmation", "expired"])] == [status]


def test_where_it_is_not_clear_which_may_be_remembered_neither_is(mem: memdb.Memory) -> None:
    for text, minute in (("I have diabetes and I take metformin.", 0), ("ok", 1)):
        mem.observe(text, "Shall I remember this?", user_id="ana", session_id="s", timestamp=f"2025-03-01T10:0{minute}:00Z")
        mem.drain()
    assert {fact.status for fact in mem.facts("ana", statuses=["active", "pending_confirmation"])} == {"pending_confirmation"}


def test_ok_is_no_answer_to_whether_something_is_right(mem: memdb.Memory) -> None:
    asked(mem, "ok", "I live in Atlanta.", "I live in Atlanta.", "I don't live in Atlanta.")
    assert "pending_confirmation" in believed(mem).values()
