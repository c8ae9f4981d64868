"""Repeated experiences are found as if each were compared with each, and much faster."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdb.config import Config
from memdb.household import likeness
from memdb.records import Fact, NarrativeDetail
from memdb.steps.consolidate import Pattern, consolidate

START = datetime(2025, 3, 3, 7, tzinfo=UTC)


def memories(texts: Sequence[str]) -> list[Fact]:
    """The same person's mornings, one a day, each of one event."""
    return [
        Fact(
            fact_id=f"f{day:05}", user_id="home", kind="narrative", key="household.experience", value_text=text, source_excerpt=text,
            memory_type="ROUTINE", category="other", source="inferred", status="active", source_turn_id="s", confidence=0.7, importance=0.6,
            effective_importance=0.2, seen_count=1, access_count=0, valid_from=at, created_at=at, updated_at=at,
            value_json=NarrativeDetail(
                participants=("Rui",), time_of_day="morning", segment_start=at, segment_end=at, written_by="rules"
            ).model_dump(mode="json"),
        )
        for day, text in enumerate(texts)
        for at in (START + timedelta(days=day),)
    ]  # fmt: skip


def patterns(texts: Sequence[str], **config: object) -> list[Pattern]:
    return consolidate(memories(texts), zone=UTC, config=Config.model_validate(config))


@settings(max_examples=150)
@given(
    sets=st.lists(st.frozensets(st.sampled_from("ant bee cat dog elk fox gnu hen ibis jay".split()), min_size=1), max_size=25),
    similarity=st.sampled_from([0.3, 0.5, 2 / 3, 0.7, 1.0]),
)
def test_what_is_alike_is_found_as_if_each_were_compared_with_each(sets: list[frozenset[str]], similarity: float) -> None:
    clusters: list[tuple[frozenset[str], list[int]]] = []
    for day, words in enumerate(sets):
        likest = max(clusters, key=lambda one: likeness(one[0], words), default=None)
        if likest is not None and likeness(likest[0], words) >= similarity:
            likest[1].append(day)
        else:
            clusters.append((words, [day]))
    found = patterns([" ".join(sorted(words)) for words in sets], consolidation_similarity=similarity, consolidation_min_repeats=2)
    wanted = [[f"f{day:05}" for day in days] for _first, days in clusters if len(days) >= 2]
    assert [[memory.fact_id for memory in one.sources] for one in found] == wanted


def test_the_same_in_other_words_is_no_news_and_something_else_is() -> None:
    mornings = ["Rui made coffee", "Rui made strong coffee", "Rui made some coffee"]
    breakfasts = ["Rui ate bread with butter", "Rui ate bread and butter", "Rui ate warm bread with butter"]
    texts = [f"{one}\n{other}" for one, other in zip(mornings, breakfasts, strict=True)]
    (found,) = patterns([*texts, f"{mornings[0]}\nThe boiler broke\n{breakfasts[0]}"])
    assert [memory.fact_id for memory in found.sources] == ["f00000", "f00001", "f00002"]


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_a_pattern_wants_its_number_of_days(repeats: int) -> None:
    assert patterns(["Rui made coffee"] * (repeats - 1), consolidation_min_repeats=repeats) == []
    (found,) = patterns(["Rui made coffee"] * repeats, consolidation_min_repeats=repeats)
    assert found.seen == repeats


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Rui asked for 20 degrees"] * 3 + ["Rui asked for 18 degrees"] * 2, "Rui asked for 20 degrees."),
        ([f"Rui asked for {number} degrees" for number in (20, 18, 21.5, 9)], "Rui asked for 9 to 21.5 degrees."),
        ([f"Rui set {number} lamps to {number} percent" for number in (1, 2, 3)], "Rui set 1 lamps to 1 percent (or with other numbers)."),
    ],
)
def test_no_number_is_said_to_be_usual_that_is_not(texts: list[str], told: str) -> None:
    (found,) = patterns(texts)
    assert f"I've learned a pattern of the mornings: {told}" in found.narrative.content


@pytest.mark.parametrize(
    ("later", "told"),
    [
        ([25, 20, 25, 21] * 8, "Rui asked for 20 to 25 degrees."),
        ([20] * 9 + [25], "Rui asked for 20 degrees."),
        ([24] * 30, "Rui asked for 24 degrees."),
        (range(200, 300), "Rui asked for 20 to 299 degrees."),
    ],
)
def test_a_pattern_learns_the_numbers_of_what_is_seen_again(later: Sequence[int], told: str) -> None:
    seen = memories([f"Rui asked for {number} degrees" for number in (20, 20, 20, *later)])
    (found,) = consolidate(seen[:3], zone=UTC, config=Config())
    for memory in seen[3:]:
        pattern = memory.model_copy(
            update={
                "fact_id": "pattern",
                "source_excerpt": "\n".join(found.lines),
                "seen_count": found.seen,
                "value_json": found.detail.model_dump(mode="json"),
            }
        )
        (found,) = consolidate([pattern, memory], zone=UTC, config=Config())
    assert f"I've learned a pattern of the mornings: {told}" in found.narrative.content
    assert len(found.detail.said[0]) <= 15


def test_a_pattern_of_an_earlier_version_is_told_as_it_was() -> None:
    seen = memories(["Rui asked for 20 degrees"] * 3 + ["Rui asked for 25 degrees"])
    (found,) = consolidate(seen[:3], zone=UTC, config=Config())
    old = {"fact_id": "pattern", "seen_count": 3, "value_json": found.detail.model_copy(update={"said": ()}).model_dump(mode="json")}
    (again,) = consolidate([seen[0].model_copy(update=old), seen[3]], zone=UTC, config=Config())
    assert "Rui asked for 20 degrees." in again.narrative.content
    assert again.detail.said == ()


def test_a_memory_is_compared_with_few_of_the_others() -> None:
    chance = random.Random(1)
    words = [f"w{number}" for number in range(4_000)]
    given_memories = memories([" ".join(chance.sample(words, 8)) for _ in range(2_000)])
    compared = 0

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal compared
        compared += event == "call" and frame.f_code is likeness.__code__

    sys.setprofile(count)
    try:
        assert consolidate(given_memories, zone=UTC, config=Config()) == []
    finally:
        sys.setprofile(None)
    assert 0 < compared < 2_000 * 2_000 / 2 / 50
