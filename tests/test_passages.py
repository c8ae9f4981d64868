"""What of a long text stands in a prompt: the part that bears on the question."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdb
from memdb.answers import Question
from memdb.passages import passage
from memdb.records import Intent

FILLER = "The weather was as it always is. "


def asking(*words: str) -> Question:
    return Question(text=" ".join(words), meaning=" ".join(words), terms=words, topics=words)


def test_a_text_that_is_short_enough_stays_as_it_is() -> None:
    assert passage("  I ride a bike.\nTo work. ", asking("work"), most=40) == "I ride a bike.\nTo work."


def test_the_part_that_is_asked_about_stands_in_whole_sentences() -> None:
    text = 40 * FILLER + "My sister Ana keeps bees in Porto. She sells the honey on Sundays. " + 40 * FILLER
    said = passage(text, asking("bee", "honeys"), most=150)
    assert said == f"… {FILLER}My sister Ana keeps bees in Porto. She sells the honey on Sundays. {FILLER.strip()} …"
    assert len(said) <= 150


def test_a_word_that_stands_everywhere_tells_less_than_one_that_stands_once() -> None:
    text = 30 * "The bike is at the shop. " + "The lock is by Abus. " + 30 * "The bike is at the shop. "
    assert "Abus" in passage(text, asking("bike", "lock"), most=120)


def test_where_all_is_asked_about_the_words_that_stand_together_count() -> None:
    text = "The bike is old. " + 20 * FILLER + "The lock is old. " + 20 * FILLER + "The bike has a lock by Abus. " + 20 * FILLER
    assert "Abus" in passage(text, asking("bike", "lock"), most=120)


@pytest.mark.parametrize(
    ("intent", "other", "answer"),
    [
        ("number", "We talked about the rent for hours.", "The rent goes from 900 to 1,100."),
        ("number", "We talked about the rent for hours.", "The rent is nine hundred and it has gone up twice."),
        ("person", "The rent is what the landlord keeps for himself.", "The rent goes to Beatriz."),
        ("place", "The rent is what everybody moans about.", "The rent is lower in Porto."),
        ("time", "The rent is what everybody moans about.", "The rent is due on Monday."),
    ],
)
def test_a_sentence_with_what_may_be_an_answer_is_shown_rather_than_one_without(intent: Intent, other: str, answer: str) -> None:
    text = f"{other} " + 20 * FILLER + f"{answer} " + 20 * FILLER
    question = asking("rent")
    assert answer in passage(text, question.model_copy(update={"intent": intent}), most=120)
    assert other in passage(text, question, most=120)


@pytest.mark.parametrize("question", [None, asking("zebra"), asking()])
def test_a_text_without_what_is_asked_is_told_by_its_beginning(question: Question | None) -> None:
    said = passage("First of all, hello. " + 40 * FILLER, question, most=100)
    assert said.startswith("First of all, hello. The weather")
    assert said.endswith(" …")


def test_an_endless_sentence_is_cut_between_words_around_what_is_asked() -> None:
    said = passage(300 * "lorem " + "my bike is red " + 300 * "ipsum ", asking("bike"), most=200)
    assert "lorem my bike is red ipsum" in said
    assert set(said.strip("… ").split()) == {"lorem", "my", "bike", "is", "red", "ipsum"}
    assert len(said) <= 200


def test_the_lines_of_a_paste_are_sentences_of_their_own() -> None:
    log = "\n".join(f"2025-03-01 worker {number} started" for number in range(200)) + "\nERROR disk full on /var\nworker stopped"
    assert "ERROR disk full on /var" in passage(log, asking("error", "disk"), most=120)


def test_a_language_without_spaces_is_searched_by_its_letters() -> None:
    text = 100 * "我住在柏林。" + "我有一只猫。它叫咪咪。" + 100 * "我住在柏林。"
    assert "叫咪咪" in passage(text, asking("猫"), most=60)


@given(
    text=st.text(max_size=400), words=st.lists(st.text(min_size=1, max_size=8), max_size=6), most=st.integers(min_value=20, max_value=120)
)
def test_it_is_never_too_long_and_never_anything_else_than_the_text(text: str, words: list[str], most: int) -> None:
    said = passage(text, asking(*words), most=most)
    assert len(said) <= most
    assert said.removeprefix("… ").removesuffix(" …").strip() in text
    assert said or not text.strip()


def test_a_context_shows_of_a_long_message_what_answers(tmp_path: Path) -> None:
    mail = "Hi, here is the mail of our landlord. " + 60 * FILLER + "The code of the front gate is 4711 from May on. " + 60 * FILLER
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe(mail, user_id="ana", timestamp="2025-03-01T10:00:00Z")
        mem.drain()
        made = mem.context("What is the code of the gate?", user_id="ana", now="2025-03-02T10:00:00Z")
    [line] = [item.text for item in made.items if item.section == "Episodic Highlights"]
    assert ": … The weather was as it always is." in line
    assert "The code of the front gate is 4711 from May on." in line
    assert "landlord" not in line


def test_a_hostile_text_is_no_trouble() -> None:
    text = 2_000 * ("a" * 50 + ". ") + 50_000 * "?" + " bike " + 20_000 * ".\n"
    assert "bike" in passage(text, asking("bike", *(f"word{number}" for number in range(60))), most=600)
