"""Repeated experiences are found as if each were compared with each, and much faster."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdb.config import Config
from memdb.household import likeness
from memdb.narratives import NarrativeDetail
from memdb.records import Fact
from memdb.steps.consolidate import Pattern, consolidate
from memdb.words_apart import words_apart

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


def but(memory: Fact, *, detail: Mapping[str, object] | None = None, **fact: object) -> Fact:
    """The same memory, but for this."""
    assert isinstance(memory.value_json, dict)
    told = NarrativeDetail.model_validate({**memory.value_json, **(detail or {})})
    return memory.model_copy(update={**fact, "value_json": told.model_dump(mode="json")})


def kept(found: Pattern) -> Fact:
    """A pattern as the file gives it back."""
    return found.sources[0].model_copy(
        update={
            "fact_id": "pattern",
            "source_excerpt": found.pattern.source_excerpt if found.pattern else "\n".join(found.lines),
            "seen_count": found.seen,
            "memory_type": found.narrative.memory_type,
            "value_json": found.detail.model_dump(mode="json"),
        }
    )


def together(*seen: Fact) -> list[Pattern]:
    return consolidate(seen, zone=UTC, config=Config())


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
    ("fact", "detail"), [({"user_id": "ana"}, {}), ({}, {"participants": ("Mila",)}), ({}, {"time_of_day": "evening"})]
)
def test_what_happens_elsewhere_to_others_or_at_another_part_of_the_day_is_another_experience(
    fact: dict[str, object], detail: dict[str, object]
) -> None:
    first, second, third = memories(["The cat was fed"] * 3)
    assert len(together(first, second, third)) == 1
    assert together(first, second, but(third, detail=detail, **fact)) == []


def test_the_same_people_are_no_likeness() -> None:
    names = ("Ana", "Joana", "Mila", "Pedro", "Rui", "Sara")
    seen = memories([f"{', '.join(names)} {did}" for did in ("sang a song", "played chess", "went swimming")])
    assert together(*(but(memory, detail={"participants": names}) for memory in seen)) == []


APART = [
    ("Rui turned the heating up", "Rui turned the heating down"),
    ("Rui turned the lights in the kitchen on", "Rui turned the lights in the kitchen off"),
    ("Rui locked the front door", "Rui unlocked the front door"),
    ("Rui opened the kitchen window", "Rui closed the kitchen window"),
    ("Rui scolded Mila", "Mila scolded Rui"),
    ("Rui fed the dog in the garden", "Rui walked the dog in the garden"),
    ("Rui walked the dog in the garden", "Rui brushed the dog in the garden"),
    ("the mother called the doctor", "the doctor called the mother"),
    ("Rui asked for warmer lights", "Mila asked for warmer lights"),
    ("Rui took his pills before dinner", "Rui took his pills after dinner"),
    ("Rui drank coffee with milk", "Rui drank coffee without milk"),
    ("Rui drank coffee", "Rui drank no coffee"),
    ("Rui made coffee and did not make tea", "Rui did not make coffee and made tea"),
    ("Lights off, music up", "Music off, lights up"),
]


@pytest.mark.parametrize("who", [(), ("Mila", "Rui")])
@pytest.mark.parametrize(("one", "other"), APART)
def test_what_says_the_opposite_is_never_the_same(one: str, other: str, who: tuple[str, ...]) -> None:
    evenings = [but(memory, detail={"participants": who}) for memory in memories([one, other] * 3)]
    assert together(*evenings[:3]) == []
    assert [{memory.source_excerpt for memory in found.sources} for found in together(*evenings)] == [{one}, {other}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rui turned the heating up", "Rui turned up the heating"),
        ("Rui and Mila cooked dinner", "Mila and Rui cooked dinner"),
        ("Rui asked for warmer lights", "Rui asked again for warmer lights"),
        ("Rui locked the doors", "Rui locked all doors"),
    ],
)
def test_the_same_in_another_order_is_the_same(one: str, other: str) -> None:
    (found,) = patterns([one, other, one])
    assert found.seen == 3


def test_what_is_so_one_day_and_otherwise_another_is_no_part_of_a_pattern() -> None:
    (found,) = patterns([f"Rui made coffee\nRui read the paper\nRui turned the heating {way}" for way in ("up", "down") * 3])
    assert (found.seen, found.lines) == (6, ("Rui made coffee", "Rui read the paper"))
    assert patterns([f"Rui made coffee\nRui read the paper\nRui turned the heating {way}" for way in ("up", "down", "off")]) == []


def test_days_are_those_of_the_household() -> None:
    hours = [datetime(2025, 3, day, hour, 30, tzinfo=UTC) for day, hour in ((1, 5), (2, 4), (3, 4))]
    seen = [but(memory, detail={"segment_start": at}) for memory, at in zip(memories(["The cat was fed"] * 3), hours, strict=True)]
    assert together(*seen) == []
    assert len(consolidate(seen, zone=timezone(timedelta(hours=8)), config=Config())) == 1


def test_a_line_that_tells_nothing_is_no_news() -> None:
    (found,) = patterns(["Rui made coffee\nThere it was\n\n"] * 3)
    assert found.seen == 3
    assert "" not in found.lines


def test_what_is_as_like_as_is_wanted_is_found_however_the_share_is_rounded() -> None:
    words = [f"w{number}" for number in range(25)]  # of which 14 are 0.56 and a bit, as a machine reckons
    (found,) = patterns([" ".join(words), " ".join(words[:14])], consolidation_min_repeats=2, consolidation_similarity=0.56)
    assert found.seen == 2


@pytest.mark.parametrize(
    ("felt", "emotion"), [(["positive"] * 3 + ["neutral"], "positive"), (["positive", "positive", "neutral", "neutral"], "neutral")]
)
def test_a_pattern_has_the_feeling_of_most_and_keeps_it(felt: list[str], emotion: str) -> None:
    seen = [but(memory, detail={"emotion": one}) for memory, one in zip(memories(["Rui made coffee"] * 4), felt, strict=True)]
    (found,) = together(*seen)
    (again,) = together(kept(found), *(but(memory, detail={"emotion": "negative"}) for memory in seen * 2))
    assert (found.detail.emotion, again.detail.emotion) == (emotion, emotion)


def test_a_pattern_tells_from_when_to_when_it_was_seen_and_where_if_that_was_one_place() -> None:
    days = [START + timedelta(days=day) for day in range(5)]
    seen = [but(memory, detail={"location": "kitchen"}) for memory in memories(["Rui made coffee"] * 5)]
    (found,) = together(*seen[1:4])
    (later,) = together(kept(found), seen[4])
    (elsewhere,) = together(kept(later), but(seen[0], detail={"location": "garden"}))
    told = [(one.detail.segment_start, one.detail.segment_end, one.detail.location) for one in (found, later, elsewhere)]
    assert told == [(days[1], days[3], "kitchen"), (days[1], days[4], "kitchen"), (days[0], days[4], None)]


def test_a_pattern_is_a_preference_if_most_of_it_is_and_stays_what_it_is() -> None:
    seen = memories(["Rui asked for jazz"] * 4)
    liked = [but(memory, memory_type="PREFERENCE") for memory in seen]
    (half,), (most,) = together(*liked[:2], *seen[2:]), together(*liked[:3], seen[3])
    (half_later,), (most_later,) = together(kept(half), *liked), together(kept(most), *seen)
    assert [one.narrative.memory_type for one in (half, half_later)] == ["ROUTINE"] * 2
    assert [one.narrative.memory_type for one in (most, most_later)] == ["PREFERENCE"] * 2
    assert half_later.narrative.content.endswith("It seems to be a habit of Rui.")
    assert most_later.narrative.content.endswith("It seems to be how Rui likes it.")


@pytest.mark.parametrize(("cap", "importance"), [(1.0, 0.85), (0.8, 0.8)])
def test_a_pattern_is_a_little_more_important_than_the_most_important_of_it(cap: float, importance: float) -> None:
    seen = [but(memory, importance=0.6 + day / 10) for day, memory in enumerate(memories(["Rui made coffee"] * 3))]
    (found,) = consolidate(seen, zone=UTC, config=Config(max_importance=cap, access_reinforcement=0.05))
    assert found.narrative.importance == pytest.approx(importance)


def test_a_night_is_one_day_before_and_after_midnight() -> None:
    hours = (START.replace(hour=22), START + timedelta(hours=18), START + timedelta(hours=42))  # Monday night twice, and Tuesday night
    seen = [
        but(memory, detail={"time_of_day": "night", "segment_start": at, "segment_end": at})
        for memory, at in zip(memories(["the baby cried"] * 3), hours, strict=True)
    ]
    third = but(seen[0], fact_id="third", detail={"segment_start": START + timedelta(days=2, hours=15)})
    assert together(*seen) == []
    assert len(together(*seen, third)) == 1


def test_a_pattern_tells_of_four_things_at_most_that_half_of_its_memories_tell_of() -> None:
    things = ["ant", "bee", "cat", "dog", "elk", "fox"]
    told = [f"The {thing} slept in its {thing} bed by the {thing} {thing}house" for thing in things]
    (found,) = patterns(["\n".join(told[1:]), "\n".join(told)] * 3)
    assert found.lines == tuple(told[1:5])
    assert len(found.narrative.tags) == 8
    (half,) = patterns(["\n".join(told[:3]), "\n".join(told[:4])] * 3)
    assert half.lines == tuple(told[:4])


def test_of_what_each_memory_tells_in_words_of_its_own_a_pattern_tells_the_first() -> None:
    (found,) = patterns([f"Rui made {how} coffee" for how in ("good", "strong", "black")], consolidation_similarity=0.5)
    assert found.lines == ("Rui made good coffee",)


def test_what_belongs_to_a_pattern_belongs_to_it_though_it_is_not_seen_each_time() -> None:
    mornings = "Rui made coffee\nRui ate bread with butter\nRui read the paper"
    seen = memories([mornings] * 7 + [f"{mornings}\nThe cat slept"] * 3)
    (found,) = together(*seen)
    (without,) = together(kept(found), seen[0])
    (again,) = together(kept(without), seen[-1])
    assert (found.lines, [one.seen for one in (found, without, again)]) == (tuple(mornings.split("\n")), [10, 11, 12])


def test_what_a_pattern_keeps_of_what_belongs_to_it_has_a_bound_and_what_it_tells_of_is_known_whole() -> None:
    chance = random.Random(1)
    lines = [" ".join(f"w{chance.randrange(10_000)}" for _ in range(100)) for _ in range(50)]
    (found,) = patterns(["\n".join(lines)] * 3)
    assert (len(found.detail.usual), max(map(len, found.detail.usual))) == (40, 240)
    (short,) = patterns([lines[0]] * 3)
    (again,) = together(kept(short), *memories(lines[:1]))
    assert again.seen == 4


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ({}, "a pattern of the mornings: the cat was fed. I have noticed it 3 times. It seems to be a habit of Rui."),
        ({"day_type": "weekend"}, "a pattern of weekend mornings: the cat was fed."),
        ({"time_of_day": "night"}, "a pattern of the nights: the cat was fed."),
        ({"participants": ()}, "I have noticed it 3 times. It seems to be usual here."),
        ({"participants": ("Mila", "Rui")}, "It seems to be a habit of Mila and Rui."),
    ],
)
def test_a_pattern_tells_when_who_and_what(detail: dict[str, object], told: str) -> None:
    (found,) = together(*(but(memory, detail=detail) for memory in memories(["The cat was fed"] * 3)))
    assert told in found.narrative.content


@pytest.mark.parametrize("participants", [(), ("Mila", "Rui")])
def test_what_several_like_is_not_said_of_one(participants: tuple[str, ...]) -> None:
    seen = [but(memory, memory_type="PREFERENCE", detail={"participants": participants}) for memory in memories(["The music was jazz"] * 3)]
    (found,) = together(*seen)
    assert found.narrative.content.endswith("It seems to be how it is liked here.")


def test_a_pattern_of_what_is_not_liked_says_so() -> None:
    (found,) = together(*(but(memory, memory_type="PREFERENCE") for memory in memories(["Rui did not want the music on"] * 3)))
    assert found.narrative.content.endswith("It does not seem to be how Rui likes it.")


@pytest.mark.parametrize(("times", "said"), [(10, "10"), (11, "more than 10"), (20, "more than 10"), (51, "more than 50")])
def test_more_than_ten_times_are_told_roughly_and_never_too_many(times: int, said: str) -> None:
    (found,) = patterns(["Rui made coffee"] * times)
    assert f"I have noticed it {said} times." in found.narrative.content


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Rui asked for 20 degrees"] * 3 + ["Rui asked for 18 degrees"] * 2, "Rui asked for 20 degrees."),
        ([f"Rui asked for {number} degrees" for number in (20, 18, 21.5, 9)], "Rui asked for 9 to 21.5 degrees."),
        (["Rui asked for 20 degrees"] * 2 + ["Rui asked for 19,5 degrees", "Rui asked for 9 degrees"], "Rui asked for 9 to 20 degrees."),
        (["Rui asked for 20 degrees", "Rui asked for 21,5 degrees", "Rui asked for 9 degrees"], "Rui asked for 9 to 21,5 degrees."),
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
        ([*range(30, 41), *range(30, 41), 5, 99, 35], "Rui asked for 5 to 99 degrees."),
        ([20] * 17 + [*range(30, 70)], "Rui asked for 20 to 69 degrees."),
    ],
)
def test_a_pattern_learns_the_numbers_of_what_is_seen_again(later: Sequence[int], told: str) -> None:
    seen = memories([f"Rui asked for {number} degrees" for number in (20, 20, 20, *later)])
    (found,) = consolidate(seen[:3], zone=UTC, config=Config())
    for memory in seen[3:]:
        (found,) = together(kept(found), memory)
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rui turned the heating up", "Rui turned the heating down"),
        ("Rui turned the lights on", "Rui turned the lights off"),
        ("Rui locked the front door", "Rui unlocked the front door"),
        ("Rui opened the garage door", "Rui closed the garage door"),
        ("Rui came home before dinner", "Rui came home after dinner"),
        ("Rui had coffee with milk", "Rui had coffee without milk"),
        ("Rui had coffee with milk", "Rui had no coffee with milk"),
        ("Rui watered the plants", "Rui didn't water the plants"),
        ("Rui scolded Mila", "Mila scolded Rui"),
    ],
)
def test_the_opposite_is_not_the_same_seen_again(one: str, other: str) -> None:
    def mornings(*texts: str) -> list[Pattern]:
        return together(*(but(memory, detail={"participants": ("Mila", "Rui")}) for memory in memories(texts)))

    assert mornings(one, other, one) == []
    (found,) = mornings(one, other, one, other, one)
    assert (found.seen, found.lines) == (3, (one,))


def test_people_who_do_something_together_do_the_same_in_whatever_order_they_are_named() -> None:
    seen = memories(["Rui and Mila danced in the hall", "Mila and Rui danced in the hall", "Rui, Mila danced in the hall"])
    (found,) = together(*(but(memory, detail={"participants": ("Mila", "Rui")}) for memory in seen))
    assert found.seen == 3


def test_what_stands_beside_the_words_of_a_line_without_end_is_short_and_tells_it_apart_all_the_same() -> None:
    line = ", ".join(f"Rui put out lamp {number}" for number in range(3_000))
    words = words_apart(line, names=["Rui"])
    assert max(map(len, words)) < 1_000
    assert words.isdisjoint(words_apart(f"{line}, but not Ana", names=["Rui"]))
