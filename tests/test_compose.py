"""A model may tell the memories; what it makes up is asked for again, and then the rules tell them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memdb
from memdb.daytime import part_of_day
from memdb.files import fill
from memdb.llm import ModelRequest
from memdb.truth import what_is_untrue

GOOD = "I noticed Rui asking for warmer lights this evening; it seems he was winding down."
NIGHT = datetime(2026, 3, 5, 23, 47, tzinfo=UTC)
GIVEN = [
    "Rui asked for warmer lights",
    "Joana Silva cooked",
    "living room",
    "Rui",
    "Joana Silva",
    "Monday",
    "evening",
    "weekday",
    "tonight",
    "Barnaby",
]


def answer(content: str, **fields: object) -> str:
    given = {"memory_type": "PREFERENCE", "importance": 0.7, "emotion": "positive", "family_members": ["Rui"], "tags": ["Lights"]}
    return json.dumps({"content": content, **given, **fields})


class House:
    """A memory whose model answers from a script."""

    def __init__(self, path: Path, answers: Iterable[str | Exception], **config: object) -> None:
        self.script = memdb.ScriptedModel(answers)
        llm = memdb.LanguageModel(self.script, name="script", attempts=1, backoff=0.0)
        self.mem = memdb.open(path, embedder=None, llm=llm, config={"worker": False, "persona_name": "Barnaby", **config})

    def lights(self, day: int = 3) -> memdb.Fact:
        at = f"2025-03-{day:02}T18:00:00Z"
        self.mem.event("Rui asked for warmer lights", user_id="home", timestamp=at, participants=["Rui"], location="living room")
        (fact,) = self.mem.narrate(now=f"2025-03-{day + 1:02}T12:00:00Z")
        return fact

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = self.mem._store.database().connection.execute(sql).fetchall()
        return found


@pytest.fixture
def houses() -> Iterator[list[House]]:
    opened: list[House] = []
    yield opened
    for house in opened:
        house.mem.close()


def house(houses: list[House], tmp_path: Path, *answers: str | Exception, **config: object) -> House:
    houses.append(House(tmp_path / "mem.db", answers, **config))
    return houses[-1]


def test_a_memory_is_the_model_s_where_it_is_true(houses: list[House], tmp_path: Path) -> None:
    fact = house(houses, tmp_path, answer(GOOD)).lights()
    assert (fact.value_text, fact.memory_type, fact.importance, fact.tags) == (GOOD, "PREFERENCE", 0.7, ("lights",))
    assert isinstance(fact.value_json, dict)
    assert (fact.value_json["written_by"], fact.value_json["emotion"], fact.value_json["participants"]) == ("script", "positive", ["Rui"])


def test_the_model_is_told_who_it_is_and_when_it_was_by_the_household_s_clocks(houses: list[House], tmp_path: Path) -> None:
    settings = {"persona_household": "the Silva family", "generation_temperature": 0.9, "generation_max_tokens": 77}
    one = house(houses, tmp_path, answer(GOOD), timezone="Europe/Madrid", **settings)
    one.mem.event("Rui fed the cat", user_id="home", timestamp="2025-03-03T17:40:00Z", participants=["Rui"])
    one.lights()
    (request,) = one.script.requests
    assert "You are Barnaby, at home with the Silva family" in request.system
    assert "It is Monday evening, a weekday." in request.user
    assert "Time period: 2025-03-03 18:40 to 2025-03-03 19:00" in request.user
    assert "> - [18:40] Rui fed the cat\n> - [19:00] Rui asked for warmer lights" in request.user
    assert (request.temperature, request.max_tokens) == (0.9, 77)


def test_the_model_is_shown_the_earlier_memories_that_are_likest_and_no_others(houses: list[House], tmp_path: Path) -> None:
    again = "I noticed that Rui asked for warmer lights again."
    one = house(houses, tmp_path, answer("I noticed Rui feeding the cat."), answer(GOOD), answer(again), answer(GOOD))
    one.mem.event("Rui fed the cat", user_id="home", timestamp="2025-03-02T18:00:00Z", participants=["Rui"])
    one.mem.narrate(now="2025-03-03T12:00:00Z")
    for day in (3, 4, 5):
        one.lights(day)
    shown = [request.user.partition("Your earlier memories of something like it:\n\n")[2] for request in one.script.requests]
    assert [text.partition("\n\n")[0] for text in shown] == ["> none", "> none", f"> - {GOOD}", f"> - {again}\n> - {GOOD}"]


def test_the_model_is_shown_nothing_of_another_home(houses: list[House], tmp_path: Path) -> None:
    one = house(houses, tmp_path, answer("I noticed Rui asking for warmer lights."), answer(GOOD))
    for day, home in enumerate(("away", "home"), start=3):
        at = f"2025-03-0{day}T18:00:00Z"
        one.mem.event("Rui asked for warmer lights", user_id=home, timestamp=at, participants=["Rui"], location="living room")
    assert [memory.user_id for memory in one.mem.narrate(now="2025-03-05T12:00:00Z")] == ["away", "home"]
    asked = one.script.requests[1].user
    assert all(told in asked for told in ("Seen before: never\n", "Your earlier memories of something like it:\n\n> none\n"))


def test_what_is_made_up_is_asked_for_again_with_the_reason(houses: list[House], tmp_path: Path) -> None:
    one = house(houses, tmp_path, answer("I noticed Marcus asking for warmer lights."), answer(GOOD))
    assert one.lights().value_text == GOOD
    assert "could not be kept: it names 'Marcus', who or which is in no event. Write another." in one.script.requests[1].user


NO_BREAKFAST = ["Rui did not eat breakfast", "Rui walked to the bakery"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("I noticed that Rui eats breakfast as ever.", "it leaves out that it was not so: 'eat'"),
        ("I noticed that Rui enjoyed breakfast.", "it leaves out that it was not so: 'breakfast'"),
        ("I noticed that Rui did not walk anywhere.", "it says that it was not so: 'walk'"),
        ("I noticed that Rui skipped breakfast and walked to the bakery.", None),
        ("I noticed that Rui left without breakfast.", None),
        ("I noticed that Rui walked to the bakery. I'm not sure why.", None),
        ("I couldn't help but smile when Rui walked to the bakery.", None),
    ],
)
def test_a_memory_neither_leaves_out_a_not_nor_puts_one_in(content: str, why: str | None) -> None:
    assert what_is_untrue(content, given=[*NO_BREAKFAST, "Rui"], events=NO_BREAKFAST, names=["Rui"]) == why


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("I noticed that Thom did not ask for warmer lights.", "it says that it was not so: 'warmer'"),
        ("I noticed that Thom never asked for the warmer lights.", "it says that it was not so: 'warmer'"),
        ("I noticed that nobody asked for warmer lights.", "it says that it was not so: 'warmer'"),
        ("I noticed that Thom refused warmer lights.", "it says that it was not so: 'warmer'"),
        ("I noticed that nobody but Thom asked for warmer lights.", None),
        ("I am not sure why Thom asked for warmer lights.", None),
        ("I was not ready for warmer lights, but Thom was.", None),
    ],
)
def test_a_memory_denies_nothing_that_was_asked_for(content: str, why: str | None) -> None:
    events = ["Thom asked for warmer lights"]
    assert what_is_untrue(content, given=[*events, "Thom"], events=events, names=["Thom"]) == why


def test_what_is_not_left_out_in_an_event_is_no_denial() -> None:
    events = ["Rui could not wait for the concert", "The dog did not stop barking"]
    told = "I noticed how much Rui looks forward to the concert. The dog barking seems to go with it."
    assert what_is_untrue(told, given=[*events, "Rui"], events=events, names=["Rui"]) is None


def test_a_model_that_keeps_making_things_up_gives_way_to_the_rules_and_the_record_says_so(houses: list[House], tmp_path: Path) -> None:
    sorted_in = json.dumps({"reasoning": "it is liked", "memory_type": "preference", "importance": 7})
    one = house(houses, tmp_path, *[answer("At 9 pm I dimmed the lights.")] * 3, sorted_in)
    fact = one.lights()
    assert fact.value_text.startswith("On Monday evening, in the living room, I noticed that Rui asked for warmer lights.")
    assert (fact.memory_type, fact.importance) == ("PREFERENCE", 1.0)
    assert one.rows("select written_by, error from segments") == [
        (
            "rules",
            "The model script wrote no true memory in 3 attempts (it names the time '9 pm', which is in no event; name the part of the day); try another model.",
        )
    ]
    assert one.rows("select purpose, count(*) from model_calls group by purpose order by 1") == [("classify", 1), ("narrate", 3)]


@pytest.mark.parametrize(
    "failure", [memdb.ModelUnavailable("The model is away."), ZeroDivisionError("broken"), "no JSON", "[]", '{"content": "I"}', ""]
)
def test_a_model_that_fails_in_any_way_loses_no_memory(houses: list[House], tmp_path: Path, failure: str | Exception) -> None:
    assert house(houses, tmp_path, *[failure] * 4).lights().value_text.startswith("On Monday evening")


def test_importance_out_of_range_and_a_strange_feeling_are_put_right(houses: list[House], tmp_path: Path) -> None:
    fact = house(
        houses, tmp_path, answer(GOOD, importance=95, emotion="cosy", memory_type="preference", family_members=["Nobody"])
    ).lights()
    assert isinstance(fact.value_json, dict)
    assert (fact.importance, fact.memory_type, fact.value_json["emotion"], fact.value_json["participants"]) == (
        1.0,
        "PREFERENCE",
        "neutral",
        ["Rui"],
    )


def test_who_is_named_in_the_words_only_is_one_of_those_whom_the_model_names(houses: list[House], tmp_path: Path) -> None:
    returned = ["Rui", "bobby brown", "Marcus", "Tuesday", "Barnaby", "house", " "]
    one = house(houses, tmp_path, answer("I noticed Rui laughing at what Barnaby said.", family_members=returned))
    one.mem.event("Rui laughed at Bobby Brown's joke that Barnaby told on Tuesday in the house", user_id="home",
                  timestamp="2025-03-03T18:00:00Z", participants=["Rui"])  # fmt: skip
    (fact,) = one.mem.narrate(now="2025-03-04T12:00:00Z")
    assert isinstance(fact.value_json, dict)
    assert fact.value_json["participants"] == ["Bobby Brown", "Rui"]
    asked = {"user_id": "home", "min_score": 0.0}
    for who, found in (("bobby", 1), ("Marcus", 0)):
        assert len(one.mem.recall("the joke", participants=[who], now="2025-03-04T12:00:00Z", **asked)) == found  # type: ignore[arg-type]


@pytest.mark.parametrize("by_rules", [False, True])
def test_a_tag_is_a_word_and_no_endless_one(houses: list[House], tmp_path: Path, by_rules: bool) -> None:
    told = "no memory" if by_rules else answer(GOOD, tags=["x" * 41, "Lights", "lights", *(f"tag {place}" for place in range(20))])
    one = house(houses, tmp_path, told, told)
    link = "x" * 41
    one.mem.event(f"Rui asked for warmer lights {link}", user_id="home", timestamp="2025-03-03T18:00:00Z", participants=["Rui"])
    (fact,) = one.mem.narrate(now="2025-03-04T12:00:00Z")
    expected = ("warmer", "lights") if by_rules else ("lights", *(f"tag {place}" for place in range(7)))
    assert fact.tags == expected


def test_a_feeling_is_known_however_it_is_written(houses: list[House], tmp_path: Path) -> None:
    fact = house(houses, tmp_path, answer(GOOD, emotion=" Concerned")).lights()
    assert isinstance(fact.value_json, dict)
    assert fact.value_json["emotion"] == "concerned"


@pytest.mark.parametrize(("importance", "memory_type"), [(0.8, "TRANSIENT"), (0.81, "SIGNIFICANT")])
def test_what_an_event_says_of_its_own_importance_goes_before_the_model(
    houses: list[House], tmp_path: Path, importance: float, memory_type: str
) -> None:
    one = house(houses, tmp_path, answer("I noticed Rui opening a letter.", memory_type="TRANSIENT", importance=0.1))
    one.mem.event("Rui opened a letter", user_id="home", timestamp="2025-03-03T18:00:00Z", participants=["Rui"], importance=importance)
    (fact,) = one.mem.narrate(now="2025-03-04T12:00:00Z")
    assert (fact.memory_type, fact.importance, fact.value_text) == (memory_type, importance, "I noticed Rui opening a letter.")


@pytest.mark.parametrize(("importance", "memory_type"), [(0.7, "PREFERENCE"), (0.8, "PREFERENCE"), (0.81, "SIGNIFICANT")])
def test_only_what_is_important_is_significant(houses: list[House], tmp_path: Path, importance: float, memory_type: str) -> None:
    fact = house(houses, tmp_path, answer(GOOD, memory_type="SIGNIFICANT", importance=importance)).lights()
    assert (fact.memory_type, fact.importance) == (memory_type, importance)


def test_an_example_of_the_prompt_is_no_memory(houses: list[House], tmp_path: Path) -> None:
    borrowed = "Rui asked for warmer lights; something seems to weigh on him."
    one = house(houses, tmp_path, answer("I noticed Rui. So I let him be."), answer(borrowed), answer(GOOD))
    assert one.lights().value_text == GOOD
    assert "it repeats the example 'so i let him be'" in one.script.requests[1].user
    assert "it repeats the example 'something seems to weigh on'" in one.script.requests[2].user


def _narrates() -> str:
    return fill("narrate", name="Barnabee", household="the Fife family", voice="caring and observant")


@pytest.mark.parametrize(
    ("content", "clock", "events"),
    [
        (
            "Thom seemed stressed this morning—he skipped his usual coffee routine and headed straight to his office. I kept things quiet for him.",
            "08:00",
            ["Thom went to his office without coffee"],
        ),
        (
            "The kids were especially energetic after school today. Penelope asked me to play her favorite playlist, and I could hear them dancing in "
            "the living room. Those moments feel good.",
            "16:00",
            ["The kids came home from school", "Penelope asked for her favorite playlist in the living room"],
        ),
        (
            "Elizabeth mentioned they're expecting guests this weekend. I should remember to suggest preparing the guest room lighting.",
            "10:00",
            ["Elizabeth mentioned guests this weekend, and the guest room"],
        ),
    ],
)
def test_good_memories_of_the_specification_are_kept(content: str, clock: str, events: list[str]) -> None:
    at = datetime.fromisoformat(f"2025-03-03T{clock}:00+00:00")
    names = ("Elizabeth", "Penelope", "Thom")
    given = [*events, *names, "living room", "Monday", part_of_day(at, UTC), "weekday"]
    assert what_is_untrue(content, given=given, events=events, names=names, at=[at], prompt=_narrates()) is None


def test_no_example_of_the_prompt_is_kept_though_everybody_in_it_was_there() -> None:
    examples = [line[3:-1] for line in _narrates().splitlines() if line.startswith('- "') and line.endswith('"')]
    assert len(examples) == 2
    for example in examples:
        untrue = what_is_untrue(
            example, given=["Anselm", "Wilma", "lunch"], events=["Anselm had soup", "Wilma laughed"], prompt=_narrates()
        )
        assert "it repeats the example" in str(untrue)


def test_a_memory_tells_of_something_that_happened(houses: list[House], tmp_path: Path) -> None:
    one = house(houses, tmp_path, answer("I noticed that Rui seemed happy this evening."), answer(GOOD))
    assert one.lights().value_text == GOOD
    assert "it tells of nothing that happened" in one.script.requests[1].user


def test_a_pattern_is_the_model_s_too_and_its_words_stay_when_it_is_seen_again(houses: list[House], tmp_path: Path) -> None:
    learned = "I've learned that Rui usually likes warmer lights in the evening."
    wrong = json.dumps({"content": "Rui likes it at 18:00, I think.", "tags": []})
    one = house(houses, tmp_path, *[answer(GOOD)] * 3, wrong, json.dumps({"content": learned, "tags": ["lights"]}), *[answer(GOOD)] * 2)
    for day in (3, 4, 5):
        one.lights(day)
    one.mem.maintain(now="2025-03-06T12:00:00Z")
    for day in (6, 8):
        one.lights(day)
        one.mem.maintain(now=f"2025-03-{day + 2:02}T12:00:00Z")
    (pattern,) = one.mem.facts("home", key="household.pattern")
    assert (pattern.value_text, pattern.seen_count, pattern.tags) == (learned, 5, ("lights",))
    assert len(one.script.requests) == 7
    assert one.rows("select count(*) from model_calls where purpose = 'consolidate'") == [(2,)]


def test_a_memory_of_the_rules_that_the_model_sorts_says_what_that_means(houses: list[House], tmp_path: Path) -> None:
    def sorted_as(memory_type: str, importance: float, day: int) -> memdb.Fact:
        sorted_in = json.dumps({"reasoning": None, "memory_type": memory_type, "importance": importance})
        (tmp_path / str(day)).mkdir()
        one = house(houses, tmp_path / str(day), *[answer("I saw Marcus.")] * 3, sorted_in)
        one.mem.event("Rui opened a letter", user_id="home", timestamp=f"2025-03-0{day}T18:00:00Z", participants=["Rui"])
        return one.mem.narrate(now=f"2025-03-0{day + 1}T12:00:00Z")[0]

    matters = sorted_as("PREFERENCE", 0.9, 3)
    assert matters.memory_type == "PREFERENCE"
    assert matters.value_text.endswith("I noticed that Rui opened a letter. It seems to be how Rui likes it.")
    unsaid = sorted_as("SIGNIFICANT", 0.7, 4)  # which is not important enough for it
    assert unsaid.memory_type == "OBSERVATION"
    assert unsaid.value_text.endswith("I do not know yet whether it means anything.")


@pytest.mark.parametrize("tags", [None, "lights, evening"])
def test_a_pattern_that_is_told_without_a_list_of_tags_is_kept(houses: list[House], tmp_path: Path, tags: str | None) -> None:
    learned = json.dumps({"content": "I've learned that Rui usually likes warmer lights in the evening.", "tags": tags})
    one = house(houses, tmp_path, *[answer(GOOD, family_members=None, tags=None)] * 3, learned)
    for day in (3, 4, 5):
        one.lights(day)
    one.mem.maintain(now="2025-03-06T12:00:00Z")
    (pattern,) = one.mem.facts("home", key="household.pattern")
    assert pattern.value_text.startswith("I've learned that Rui usually likes")
    assert set(pattern.tags) >= {"lights"} if tags else pattern.tags


def test_a_pattern_is_not_written_of_what_was_forgotten_while_the_model_told_it(tmp_path: Path) -> None:
    def forgets(_request: ModelRequest) -> str:
        mem.forget("home")
        return json.dumps({"content": "I've learned that Rui usually likes warmer lights in the evening.", "tags": []})

    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as rules:
        for day in (3, 4, 5):
            rules.event("Rui asked for warmer lights", user_id="home", timestamp=f"2025-03-0{day}T18:00:00Z", participants=["Rui"])
        rules.narrate(now="2025-03-06T00:00:00Z")
    llm = memdb.LanguageModel(memdb.ScriptedModel(forgets), name="script", attempts=1, backoff=0.0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        done = mem.maintain(now="2025-03-06T12:00:00Z")
        assert (done.patterns, done.consolidated) == (0, 0)
        assert mem.facts("home", kinds=["narrative"], statuses=["active", "archived"]) == []
        assert mem.history(user_id="home") == []


def test_a_model_is_shown_the_beginning_of_what_is_too_long_for_it(houses: list[House], tmp_path: Path) -> None:
    one = house(houses, tmp_path, answer("I noticed that Rui read aloud for long; it seems he enjoyed it."))
    for place in range(3):
        one.mem.event(f"Rui read aloud: {place} " + "blah " * 10_000, user_id="home", timestamp=f"2025-03-03T18:0{place}:00Z")
    assert one.mem.narrate(now="2025-03-04T12:00:00Z")[0].value_json["written_by"] == "script"  # type: ignore[index,call-overload]
    assert all(f"Rui read aloud: {place}" in one.script.requests[0].user for place in range(3))
    assert len(one.script.requests[0].user) < 10_000


def test_no_model_is_called_while_the_file_is_locked(tmp_path: Path) -> None:
    def think(request: ModelRequest) -> str:
        with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "busy_timeout_ms": 0}) as other:
            other.event("Rui laughed", user_id="other", timestamp="2025-03-03T18:00:00Z")
        return answer(GOOD)

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="script")
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        mem.event("Rui asked for warmer lights", user_id="home", timestamp="2025-03-03T18:00:00Z", participants=["Rui"])
        assert mem.narrate(now="2025-03-03T22:00:00Z")[0].value_text == GOOD


# what is true


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        "Rui's lights were warmer tonight, I noticed. It seems he likes that.",
        "This evening I saw Joana Silva cooking. Watching her felt good!",
        "I'm Barnaby, and I think Rui prefers warm light on weekday evenings.",
        "Rui and Joana seemed at ease. Quietly, I kept the lights warm for them.",
        'I noticed it: "Everything seems fine," I thought.',
        "On Monday Rui asked me for one or two warmer lights.",
        "I have seen it about three times: Rui asks, and after two minutes the lights are warmer.",
        "It may be that Rui winds down, I think.",
        "I noticed Rui march to the lights.",
        "Rui asked for warmer lights after sunset. It seems he likes that.",
        "Turned out that Rui likes warmer lights, I think. Made me smile. Seems like him.",
        "Rui asked for warmer lights. Darkness makes him tired, I think. Settled at last, he seemed content.",
        "Turns out Rui likes it. Brought me joy. Didn't he ask for warmer lights? I kept him company.",
        "Rui asked for lights on school nights; one by one, I dimmed the others.",
    ],
)
def test_what_is_in_the_events_may_be_said(content: str) -> None:
    assert what_is_untrue(content, given=GIVEN) is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "says nothing"),
        ("Rui asked for warmer lights.", "not in the first person"),
        ("I noticed that Marcus asked for warmer lights.", "'Marcus'"),
        ("Marcus asked for lights. I noticed it.", "'Marcus'"),
        ("Marcus came. Marcus left, and I saw it.", "'Marcus'"),
        ("I noticed Rui (and Élodie) at home.", "'Élodie'"),
        ("Around 7 Rui asked me for warmer lights.", "'Around 7'"),
        ("I saw Rui at 7:15.", "'7:15'"),
        ("I saw Rui at 7pm.", "'7pm'"),
        ("I saw Rui at seven.", "'at seven'"),
        ("I saw Rui at half past.", "'half past'"),
        ("I noticed that at seven Rui asked for warmer lights.", "'at seven'"),
        ("I noticed that around seven he asked for warmer lights.", "'around seven'"),
        ("I saw it at seven o'clock.", "o'clock"),
        ("I saw Rui in the kitchen.", "the place 'kitchen'"),
        ("I saw Rui in the garage.", "the place 'garage'"),
        ("I saw Rui this morning.", "the time 'morning'"),
        ("I saw Rui on Tuesday.", "the time 'Tuesday'"),
        ("I saw Rui in March asking.", "the time 'March'"),
        ("I saw Rui at sunrise.", "the time 'sunrise'"),
        ("I saw Rui at school.", "the place 'school'"),
        ("I saw Rui with the children.", "'children'"),
        ("Rui asked for warmer lights for his mother, I think.", "'mother'"),
        ("Emily asked for warmer lights, I noticed.", "'Emily'"),
        ("Ahmed asked for warmer lights, I noticed.", "'Ahmed'"),
        ("Agnes asked for warmer lights, I noticed.", "'Agnes'"),
        ("Marco up there asked for warmer lights, I noticed.", "'Marco'"),
        ("I set the lights to 30 for Rui.", "the number '30'"),
        ("I saw Rui drink a Guinness.", "'Guinness'"),
    ],
)
def test_what_is_not_in_the_events_may_not_be_said(content: str, why: str) -> None:
    untrue = what_is_untrue(content, given=GIVEN)
    assert untrue is not None
    assert why in untrue


def test_a_memory_that_goes_round_in_circles_is_none() -> None:
    assert "again and again" in str(what_is_untrue("I saw Rui. " + "I saw the lights of Rui. " * 3, given=GIVEN))


def test_a_sentence_that_was_cut_off_is_left_out(houses: list[House], tmp_path: Path) -> None:
    assert house(houses, tmp_path, answer(f"{GOOD} It was as if he")).lights().value_text == GOOD


def test_a_clock_time_that_an_event_names_may_be_said() -> None:
    assert what_is_untrue("I set the alarm to 6:30 for Rui.", given=[*GIVEN, "Rui set the alarm to 6:30"]) is None


@pytest.mark.parametrize(
    ("event", "who", "hour", "content"),
    [
        (
            "User Rui prefers warm lighting",
            ["Rui", "living room"],
            19,
            "I've noticed Rui consistently asks for warmer lights after sunset—he seems to prefer a cozy atmosphere when winding down.",
        ),
        (
            "Temperature set to 68°F at 7:00 AM",
            ["Rui", "office"],
            7,
            "Every weekday morning around 7, Rui heads to his office. I've learned he focuses best when it's a bit cool—68 feels right for him.",
        ),
        (
            "Kids bedtime routine triggered at 8:30 PM",
            ["Penelope"],
            20,
            "The household rhythm shifts around 8:30 on school nights. The kids settle down, and I help dim the lights gradually—it seems to ease "
            "the transition.",
        ),
        (
            "Joana played jazz music in kitchen",
            ["Joana", "kitchen"],
            18,
            "Joana was cooking this evening and asked for some jazz. There's something about the way music fills the kitchen when she's "
            "there—she seems lighter, more at ease.",
        ),
        (
            "Motion detected in garage at 11:47 PM",
            ["Rui", "garage"],
            23,
            "Late last night, someone was in the garage—unusual for that hour. I flagged it quietly. Turned out to be Rui looking for something. "
            "Good to know the pattern.",
        ),
        (
            "Rui skipped his coffee routine and went straight to the office",
            ["Rui", "office"],
            8,
            "Rui seemed stressed this morning—he skipped his usual coffee routine and headed straight to his office. I kept things quiet for him.",
        ),
        (
            "The kids came home from school and Penelope asked for her playlist; they danced in the living room",
            ["Penelope", "living room"],
            16,
            "The kids were especially energetic after school today. Penelope asked me to play her favorite playlist, and I could hear them dancing "
            "in the living room. Those moments feel good.",
        ),
        (
            "Joana said that guests come this weekend",
            ["Joana"],
            19,
            "Joana mentioned they're expecting guests this weekend. I should remember to suggest preparing the guest room lighting.",
        ),
    ],
)
def test_a_good_memory_of_an_event_is_kept(event: str, who: list[str], hour: int, content: str) -> None:
    at = datetime(2026, 3, 5, hour, 10, tzinfo=UTC)
    given = [event, *who, "Thursday", part_of_day(at, UTC), "weekday", "Ada", "the Silva household"]
    assert what_is_untrue(content, given=given, events=[event], names=who[:1], at=[at]) is None


@pytest.mark.parametrize(
    "said",
    ["around midnight", "at 11:47", "at 11:45", "around 11:30 PM", "at quarter to twelve", "before midnight", "at 23:45"],
)
def test_a_time_at_which_it_happened_may_be_said_and_rounded(said: str) -> None:
    assert what_is_untrue(f"I noticed Rui {said}.", given=["Rui", "night"], at=[NIGHT]) is None


@pytest.mark.parametrize(
    "said",
    ["at noon", "at 11:30", "around 10", "at 11:46 AM", "at 11:52", "at quarter past twelve", "at dusk", "at lunchtime", "at half past"],
)
def test_a_time_at_which_nothing_happened_may_not_be_said(said: str) -> None:
    assert "the time" in str(what_is_untrue(f"I noticed Rui {said}.", given=["Rui", "night"], at=[NIGHT]))


def test_what_the_household_calls_significant_is_so_whatever_the_model_makes_of_it(houses: list[House], tmp_path: Path) -> None:
    home = house(houses, tmp_path, answer("I noticed that Rui asked for warmer lights.", memory_type="ROUTINE", importance=0.1))
    home.mem.event("Rui asked for warmer lights", user_id="home", timestamp="2025-03-03T18:00:00Z", participants=["Rui"],
                   trigger="significant_event")  # fmt: skip
    (fact,) = home.mem.narrate(now="2025-03-04T12:00:00Z")
    assert (fact.memory_type, fact.importance >= memdb.Config().significant_importance) == ("SIGNIFICANT", True)


def test_the_model_is_told_places_as_they_are_spoken_of(houses: list[House], tmp_path: Path) -> None:
    one = house(houses, tmp_path, answer(GOOD))
    one.mem.event(
        "Rui asked for warmer lights", user_id="home", timestamp="2025-03-03T18:00:00Z", participants=["Rui"], location="LIVING_ROOM"
    )
    (fact,) = one.mem.narrate(now="2025-03-04T12:00:00Z")
    assert fact.value_text == GOOD
    assert "Where:\n\n> living room\n" in one.script.requests[0].user
