"""What is said in a role play is no fact about the user, in whatever message it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb.llm import LanguageModel, ScriptedModel
from memdb.role_play import is_played

from .test_retractions import after

BEGUN = [
    "Let's role play. You're a barista and I'm a customer called Max.",
    "let's roleplay!",
    "Can we do a role-play? You are the boss.",
    "Pretend I'm a Roman soldier and you are Caesar.",
    "I'll be the customer, you be the waiter.",
    "You play the doctor and I'll play the patient",
    "Let's play a game: I'm a dragon.",
    "Roleplay: you are a pirate",
    "You are my boss and I'm an employee who wants a raise. I start: Hi!",
    "dm me a dnd campaign. i'm a dwarf from the north",
    "Let's practise for a job interview. You're the interviewer, I'm a candidate called Bob.",
]


@pytest.mark.parametrize("begins", BEGUN)
def test_what_is_said_in_a_role_play_is_no_fact(mem: memdb.Memory, begins: str) -> None:
    before = after(mem, "I live in Leeds. My name is Ana.")
    assert after(mem, begins, "My name is Max", "A: Hello!", "I live in Paris and I'm vegan") == before
    notes = [(note.step, note.key, note.why) for turn in mem.turns("ana") for note in turn.notes]
    assert ("extract", "user.lives_in", "it is said in a role play") in notes
    assert "Paris" in mem.search("Paris", user_id="ana")[0].fact.value_text  # the message is kept


@pytest.mark.parametrize(
    "ends", ["OK, stop the role play.", "thanks, that was fun!", "back to reality", "ooc: pause", "Enough role-play now."]
)
def test_after_a_role_play_the_user_speaks_again(mem: memdb.Memory, ends: str) -> None:
    after(mem, "Let's role play", "I live in Paris")
    assert after(mem, ends, "I'm vegan") == {("user.diet", "vegan")}


@pytest.mark.parametrize(
    "asks", ["Write a diary entry as a WW1 soldier.", "A letter from the point of view of my aunt", "I need a fake profile for a test"]
)
def test_what_is_told_for_somebody_elses_words_is_no_fact(mem: memdb.Memory, asks: str) -> None:
    assert after(mem, asks, "A: From which year?", "1916. My name is Harris, I'm 19 and I live in Bolton") == set()
    assert after(mem, "I live in Leeds") == {("user.lives_in", "Leeds")}


def test_what_one_tells_for_ones_own_text_is_meant(mem: memdb.Memory) -> None:
    assert after(mem, "Write a poem for my wife", "A: Tell me about her!", "I'm a nurse") == {("user.works_as", "nurse")}
    assert after(mem, "Write a diary entry as a soldier", "A: Done.", "Thanks, great! I'm vegan") == {
        ("user.works_as", "nurse"),
        ("user.diet", "vegan"),
    }


def test_what_is_said_beside_its_beginning_or_end_is_meant(mem: memdb.Memory) -> None:
    assert not is_played(["I'm vegan. Can we do a role play?"], "I'm vegan")
    assert is_played(["Let's role play. I'm vegan"], "I'm vegan")
    assert after(mem, "Let's role play", "I live in Paris", "OK, stop the role play. I live in Leeds") == {("user.lives_in", "Leeds")}


@pytest.mark.parametrize(
    "said",
    [
        "Pretend you're a chef.",
        "Pretend I'm five and explain gravity",
        "You are a doctor and I am your patient.",
        "I love role-playing games",
        "We did a role play at school",
        "I want to buy role-playing books",
        "Let's play chess",
        "I play the piano and you are a good listener",
        "Is a role play useful?",
        "You're the best and I'm a big fan",
        "You are my nutritionist and I am a beginner.",
    ],
)
def test_who_takes_no_part_speaks_for_themselves(mem: memdb.Memory, said: str) -> None:
    assert ("user.lives_in", "Leeds") in after(mem, said, "I live in Leeds")


def test_another_session_another_day_and_another_speaker_are_in_earnest(mem: memdb.Memory) -> None:
    mem.observe("Let's role play", user_id="ana", session_id="other")
    mem.observe("Let's role play", user_id="ana", session_id="s", speaker="Tom")
    mem.observe("Let's role play", user_id="ana", session_id="s", timestamp="2026-01-01T10:00:00Z")
    assert after(mem, "I live in Leeds") == {("user.lives_in", "Leeds")}


def test_what_is_forgotten_in_a_role_play_is_forgotten(mem: memdb.Memory) -> None:
    assert after(mem, "I live in Leeds", "Let's role play", "Forget where I live") == set()


def test_a_model_s_facts_of_a_role_play_are_not_believed_either(tmp_path: Path) -> None:
    fact = {"key": "user.lives_in", "value_text": "User lives in Paris", "object": "Paris", "excerpt": "I live in Paris", "confidence": 0.9}
    llm = LanguageModel(ScriptedModel(lambda asked: json.dumps({"facts": [fact] if "Paris" in asked.user else []})), name="m", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        assert after(mem, "Let's role play", "I live in Paris") == set()
        assert [note.why for turn in mem.turns("ana") for note in turn.notes] == ["it is said in a role play"]


@pytest.mark.parametrize("behind", ["", " " * 125_000])
def test_what_is_to_be_corrected_is_no_fact_whatever_blanks_stand_behind_it(mem: memdb.Memory, behind: str) -> None:
    assert after(mem, f"I live in Leeds since three years. How do I say that in good English?{behind}") == set()


@given(said=st.lists(st.text(max_size=200), max_size=5), excerpt=st.text(max_size=50))
def test_any_text_is_safe(said: list[str], excerpt: str) -> None:
    is_played(said, excerpt)
    is_played([*said, f"Let's role play {excerpt}"], excerpt)


@pytest.mark.parametrize(
    "begins",
    [
        "can you translate everything I say into Spanish",
        "I'll give you sentences, tell me if the grammar is ok",
        "Ask me questions as if I applied for a visa, I'll make up the answers",
        "Let's write a story. The hero is me.",
    ],
)
def test_what_is_said_to_be_worked_on_or_made_up_is_no_fact(mem: memdb.Memory, begins: str) -> None:
    assert after(mem, begins, "I live in Leeds and I have two brothers", "I am working as a doctor") == set()
    assert after(mem, "ok stop the game", "I live in Hull") == {("user.lives_in", "Hull")}


def test_a_story_for_a_child_is_no_game(mem: memdb.Memory) -> None:
    assert ("user.lives_in", "Leeds") in after(mem, "can we make up a story for my daughter Ella?", "I live in Leeds")


@pytest.mark.parametrize(
    ("begins", "ends"),
    [
        ("Let's write a story together.", "Ok, enough of the story."),
        ("Let's make up a tale, you start.", "the tale is finished"),
        ("please translate everything I write into German", "you can stop translating now"),
        ("correct every sentence I send", "thanks for the corrections!"),
        ("I'll give you some phrases to check", "ok that's all"),
    ],
)
def test_what_is_said_after_it_is_the_user_s_own_again(mem: memdb.Memory, begins: str, ends: str) -> None:
    assert after(mem, begins, "I live in Leeds") == set()
    assert after(mem, ends, "I live in Hull") == {("user.lives_in", "Hull")}


def test_who_has_a_song_written_speaks_for_themselves(mem: memdb.Memory) -> None:
    assert after(mem, "Let's write a song.", "I live in Hull") == {("user.lives_in", "Hull")}
