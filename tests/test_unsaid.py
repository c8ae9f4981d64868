"""What a model tells of a conversation, or of days at home, is kept if it was said, and only then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memdb
from memdb import LanguageModel, ScriptedModel
from memdb.unsaid import Line, what_was_not_said
from tests.told_by_models import (
    LATELY,
    NOTES_THAT_DO_NOT,
    NOTES_THAT_HOLD,
    PATTERNS_THAT_DO_NOT,
    PATTERNS_THAT_HOLD,
    SUMMARIES_THAT_DO_NOT,
    SUMMARIES_THAT_HOLD,
    TRIP,
)


def model(**answer: object) -> LanguageModel:
    return LanguageModel(ScriptedModel(lambda request: json.dumps(answer)), name="script", attempts=1)


def episode(path: Path, said: tuple[str, ...], summary: str, *, name: str = "ana") -> memdb.Fact:
    with memdb.open(path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for place, line in enumerate(said):
            speaker, _, text = line.partition(": ")
            at = f"2025-03-01T10:{place:02}:00Z"
            mem.observe(text, user_id=name, session_id="s1", timestamp=at, speaker=None if speaker == "user" else speaker)
        assert mem.drain()
    with memdb.open(path / "mem.db", embedder=None, llm=model(summary=summary), config={"worker": False}) as mem:
        mem.maintain(now="2025-06-01")
        (found,) = mem.facts(name, kinds=["episode"])
    return found


@pytest.mark.parametrize(("said", "summary"), SUMMARIES_THAT_HOLD)
def test_what_a_good_model_tells_of_a_session_is_its_episode(tmp_path: Path, said: tuple[str, ...], summary: str) -> None:
    assert episode(tmp_path, said, summary).value_text == summary


@pytest.mark.parametrize(("said", "summary"), SUMMARIES_THAT_DO_NOT)
def test_what_was_not_said_so_in_a_session_is_no_episode(tmp_path: Path, said: tuple[str, ...], summary: str) -> None:
    found = episode(tmp_path, said, summary)
    assert isinstance(found.value_json, dict)
    assert (found.value_json["by"], found.value_text != summary) == ("rules", True)


def notes(path: Path, note: str) -> list[str]:
    settings = {"worker": False, "reflect_every_turns": len(LATELY)}
    with memdb.open(path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for place, text in enumerate(LATELY):
            mem.observe(text, user_id="ana", timestamp=f"2025-03-{place // 3 + 1:02}T10:{place:02}:00Z")
        assert mem.drain()
    with memdb.open(path / "mem.db", embedder=None, llm=model(notes=[note]), config=settings) as mem:
        mem.maintain(now="2025-03-08")
        return [fact.value_text for fact in mem.facts("ana", kinds=["note"])]


@pytest.mark.parametrize("note", NOTES_THAT_HOLD)
def test_what_a_good_model_notes_of_somebody_is_kept(tmp_path: Path, note: str) -> None:
    assert notes(tmp_path, note) == [note]


@pytest.mark.parametrize("note", NOTES_THAT_DO_NOT)
def test_a_note_that_rests_on_nothing_that_was_said_twice_is_not_kept(tmp_path: Path, note: str) -> None:
    assert notes(tmp_path, note) == []


def pattern(path: Path, content: str) -> tuple[str, object]:
    with memdb.open(path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for day in (3, 4, 5):
            bags = "two school bags" if day == 5 else "the school bags"
            for clock, who, said in (
                ("07:10", "Rui", "Rui made coffee before anybody was up"),
                ("07:40", "Joana", f"Joana packed {bags} and did not have breakfast"),
            ):
                mem.event(said, user_id="home", timestamp=f"2025-03-{day:02}T{clock}:00Z", participants=[who])
        mem.narrate(now="2025-03-06T00:00:00Z")
    settings = {"worker": False, "model_attempts": 1, "consolidation_min_repeats": 3}
    with memdb.open(path / "mem.db", embedder=None, llm=model(content=content), config=settings) as mem:
        mem.maintain(now="2025-03-06T12:00:00Z")
        (found,) = mem.facts("home", key="household.pattern")
    assert isinstance(found.value_json, dict)
    return found.value_text, found.value_json["written_by"]


@pytest.mark.parametrize("content", PATTERNS_THAT_HOLD)
def test_what_a_good_model_tells_of_a_habit_is_its_pattern(tmp_path: Path, content: str) -> None:
    assert pattern(tmp_path, content) == (content, "script")


@pytest.mark.parametrize("content", PATTERNS_THAT_DO_NOT)
def test_what_is_no_habit_of_anybody_s_is_no_pattern(tmp_path: Path, content: str) -> None:
    assert pattern(tmp_path, content)[1] == "rules"


@pytest.mark.parametrize(
    ("said", "told", "kept"),
    [
        (
            "Eu moro no Porto com a minha irmã, e em junho faço 30 anos.",
            "The user lives in Porto with a sister and turns 30 in June.",
            True,
        ),
        ("Eu moro no Porto com a minha irmã, e em junho faço 30 anos.", "The user lives in Lisbon.", False),
        ("Eu moro no Porto, e em junho faço 30 anos.", "O utilizador faz 31 anos em junho.", False),
        ("Eu moro no Porto, e em junho faço 30 anos.", "O utilizador vive no Porto e faz 30 anos.", True),
        ("Wir ziehen im Mai nach Kiel.", "Die Familie zieht im Mai nach Kiel, die Wohnung ist gefunden.", True),
        ("我今年三十岁", "他三十岁", True),
        ("I'm Ana and I ran.", "Ana ran.", True),
        ("", "The user ran.", True),
    ],
)
def test_in_another_language_names_and_numbers_in_digits_are_compared(said: str, told: str, kept: bool) -> None:
    assert (what_was_not_said(told, said=[Line("user", said)], prompt="") is None) is kept


@pytest.mark.parametrize("told", ["", "\x00", "’s", "12,", "A" * 5_000, "of 2 of 2", "( . ! ?", "user", "Ana and", "١٢٣", "²"])
def test_any_text_is_compared_with_any_other(told: str) -> None:
    for said in (told, TRIP[0], ""):
        what_was_not_said(told, said=[Line(told, said)], prompt=said)
