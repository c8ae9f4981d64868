"""The read path that knows how sure it is: the recipes of the score, diversity, budgets a section, and the verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import memdb
from memdb import files
from memdb.answers import Doubt, Hit, Hits, Profile, Question, Section
from memdb.calibration import MEASURED_WITH, elsewhere, evidence_of, fit, judging_set, measure, probability_of, threshold_of
from memdb.config import Config
from memdb.database import Database, SqlValue
from memdb.edge import EdgeMiniLM
from memdb.embed import HashingEmbedder, MiniLM
from memdb.emotions import _lexicon, mood_of, moods_like
from memdb.interfaces.commands import app
from memdb.languages import CODES, language
from memdb.records import Fact, Kind, Source
from memdb.scoring import FEATURES
from memdb.steps.inject import inject
from memdb.steps.judge import judge
from memdb.tokens import Tokenizer, conservative_count
from memdb.told_times import told_in
from tests.embedders import Broken, OneMeaning, SoNear

Tell = Callable[..., memdb.Memory]
NOW = datetime(2025, 6, 1, tzinfo=UTC)
COUNT = Tokenizer("conservative", conservative_count)
SECTIONS = {
    name: Section(section=name, position=place, max_tokens=cap, bullet=bullet)
    for place, (name, cap, bullet) in enumerate(
        [("System", 300, "-"), ("User Profile", 200, "-"), ("Active Goals", 120, "-"), ("Reflective Notes", 120, "-"),
         ("Relevant Facts", 400, "•"), ("Episodic Highlights", 600, "•")]
    )
}  # fmt: skip
KINDS = {
    kind: Kind(kind=kind, injection_order=place, section=section)
    for place, (kind, section) in enumerate(
        [("task", "Active Goals"), ("note", "Reflective Notes"), ("fact", "Relevant Facts"), ("message", "Episodic Highlights")]
    )
}


def first(mem: memdb.Memory, query: str, **more: object) -> Hit:
    return mem.search(query, user_id="ana", weights="priority", now="2025-03-02", judged=True, **more)[0]  # type: ignore[arg-type]


def found(text: str = "Lives in Porto", *, kind: str = "fact", source: Source = "user_message", relevance: float = 0.7,
          confidence: float = 0.7, status: memdb.records.Status = "active", lexical: float = 1.0) -> Hit:  # fmt: skip
    fact = Fact(
        fact_id=text, user_id="ana", kind=kind, key="user.note", value_text=text, category="other", confidence=confidence, importance=0.5,
        effective_importance=0.5, source=source, valid_from=NOW, status=status, source_turn_id="t", source_excerpt="", created_at=NOW,
        updated_at=NOW, seen_count=1, access_count=0,
    )  # fmt: skip
    return Hit(fact=fact, score=relevance, parts={"lexical": lexical}, weights={}, relevance=relevance, confidence_now=confidence)


def said(mem: memdb.Memory, *texts: str, user: str = "ana") -> None:
    mem.load([{"role": "user", "content": text, "timestamp": "2025-03-01"} for text in texts], user_id=user)
    mem.drain()


def verdict_on(*hits: Hit, doubts: Sequence[Doubt] = ()) -> memdb.Verdict:
    return judge(Hits(list(hits), question=Question(text="q", meaning="q")), doubts=doubts, calibration={}, config=Config())


# the recipes


def test_priority_is_relevance_times_confidence(tell: Tell) -> None:
    hit = first(tell("I live in Porto."), "Where do I live?")
    assert hit.score == pytest.approx(hit.priority)
    assert hit.score == pytest.approx(sum(hit.contributions.values()))


def test_relevance_and_confidence_weigh_what_the_set_says(tell: Tell) -> None:
    hit = first(tell("I live in Porto."), "Where do I live?")
    weights = {"match": 0.45, "goal": 0.15, "emotion": 0.10, "recency": 0.10, "frequency": 0.10, "intrinsic_importance": 0.10}
    assert hit.relevance == pytest.approx(sum(weight * hit.parts[name] for name, weight in weights.items()))
    sure = {"confidence": 0.40, "match": 0.20, "agreement": 0.25, "source_reliability": 0.15}
    assert hit.confidence_now == pytest.approx(sum(weight * hit.parts[name] for name, weight in sure.items()))


@pytest.mark.parametrize("times", [1, 2, 3, 5])
def test_frequency_grows_less_with_every_repetition(mem: memdb.Memory, times: int) -> None:
    for day in range(times):
        mem.remember("Likes jazz", user_id="ana", key="user.likes", timestamp=f"2025-02-{day + 1:02}")
    assert first(mem, "jazz").parts["frequency"] == pytest.approx(1 - math.exp(-times / 3))


@pytest.mark.parametrize(
    ("source", "reliability"), [("user_message", 0.95), ("tool", 0.9), ("system", 0.8), ("inferred", 0.7), ("web_scraped", 0.6)]
)
def test_a_source_is_as_reliable_as_its_kind(mem: memdb.Memory, source: Source, reliability: float) -> None:
    mem.remember("Likes jazz", user_id="ana", key="user.likes", source=source)
    assert first(mem, "jazz").parts["source_reliability"] == reliability


def test_what_was_said_again_agrees_with_itself(mem: memdb.Memory) -> None:
    for day in range(1, 4):
        mem.remember("Likes jazz", user_id="ana", key="user.likes", timestamp=f"2025-02-{day:02}")
    assert first(mem, "jazz").parts["agreement"] == pytest.approx(2 / 3)


def test_near_duplicates_of_other_turns_are_votes(mem: memdb.Memory) -> None:
    for number in range(5):
        mem.remember("The heating breaks every winter", user_id="ana", key=f"house.note{number}", kind="note", turn_id=f"t{number}")
    mem.remember("Rex is a dog", user_id="ana", key="rex.note", kind="note")
    mem.drain()
    hits = mem.search("heating dog", user_id="ana", weights="priority")
    assert {hit.fact.value_text: hit.parts["agreement"] for hit in hits} == {"The heating breaks every winter": 1.0, "Rex is a dog": 0.0}


@pytest.mark.parametrize(("notes", "agreement"), [(1, 0.0), (2, 1 / 3), (3, 2 / 3), (4, 1.0), (5, 1.0)])
def test_three_votes_are_all_there_can_be(mem: memdb.Memory, notes: int, agreement: float) -> None:
    for number in range(notes):
        mem.remember("The heating breaks every winter", user_id="ana", key=f"house.note{number}", kind="note", turn_id=f"t{number}")
    mem.drain()
    assert first(mem, "heating").parts["agreement"] == pytest.approx(agreement)


@pytest.mark.parametrize(("cosine", "votes"), [(0.7999, 0), (0.8001, 1)])
def test_a_cosine_of_eight_tenths_makes_a_vote(tmp_path: Path, cosine: float, votes: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=SoNear("often", cosine), llm=None, config={"worker": False}) as mem:
        for number, text in enumerate(("The heating breaks", "The heating often breaks")):
            mem.remember(text, user_id="ana", key=f"house.note{number}", kind="note", turn_id=f"t{number}")
        mem.drain()
        hits = mem.search("heating", user_id="ana", weights="priority")
        assert [hit.parts["agreement"] for hit in hits] == pytest.approx([votes / 3] * 2)


def test_a_turn_does_not_vote_for_itself(mem: memdb.Memory) -> None:
    for number in range(3):
        mem.remember("The heating breaks", user_id="ana", key=f"house.note{number}", kind="note", turn_id="same")
    mem.drain()
    assert first(mem, "heating").parts["agreement"] == 0.0


@pytest.mark.parametrize(("days", "tau"), [(0, 7), (7, 7), (21, 7)])
def test_a_message_fades_within_weeks(mem: memdb.Memory, days: int, tau: int) -> None:
    mem.observe("The boiler hums", user_id="ana", timestamp="2025-03-01")
    found = mem.search("boiler", user_id="ana", weights="priority", now=f"2025-03-{days + 1:02}")[0]
    assert found.parts["recency"] == pytest.approx(math.exp(-days / tau))


@pytest.mark.parametrize("done", ["stalls", "promoted", "doubted"])
def test_what_is_done_with_a_row_is_no_mention_of_it(mem: memdb.Memory, done: str) -> None:
    for day in range(1, 5):
        fact = mem.remember("User owns a red kayak", user_id="ana", key="user.owns", object="red kayak", timestamp=f"2025-03-0{day}")
    task = mem.remember("Sell the kayak", user_id="ana", kind="task", timestamp="2025-03-01")
    row, now = (task, "2025-04-20") if done == "stalls" else (fact, "2025-03-30")
    asked = {"user_id": "ana", "kinds": [row.kind], "statuses": ["active", "uncertain"], "now": now}
    before = mem.search("kayak", **asked)[0].parts["recency"]  # type: ignore[arg-type]
    match done:
        case "stalls":
            assert mem.maintain(now=now).tasks_stalled == 1
        case "promoted":
            assert mem.maintain(now=now).promoted == 1
        case _:
            mem.doubt(row.fact_id, now=now)
    assert mem.search("kayak", **asked)[0].parts["recency"] == before < 0.5  # type: ignore[arg-type]


def test_what_was_so_once_is_as_recent_as_it_was_last_so(mem: memdb.Memory) -> None:
    for day, city in (("01", "Porto"), ("21", "Lisbon")):
        mem.remember(f"Ana lives in {city}", user_id="ana", key="user.lives_in", object=city, timestamp=f"2025-03-{day}")
    old = mem.search("Porto", user_id="ana", statuses=["superseded"], now="2025-03-31")[0]
    assert old.parts["recency"] == pytest.approx(math.exp(-10 / 30))


def test_a_first_person_memory_is_recent_for_as_long_as_an_episode(mem: memdb.Memory) -> None:
    mem.remember("The boiler hums", user_id="ana", kind="narrative", timestamp="2025-03-01")
    found = mem.search("boiler", user_id="ana", weights="priority", now="2025-03-08")[0]
    assert found.parts["recency"] == pytest.approx(math.exp(-1))


@pytest.mark.parametrize("days", [0, 7, 90])
def test_an_episode_is_as_old_as_what_it_tells_whenever_it_was_written_down(mem: memdb.Memory, days: int) -> None:
    now = datetime(2025, 6, 1, tzinfo=UTC)
    told = {"kind": "episode", "text": "The boiler was mended", "valid_from": now - timedelta(days=days)}
    mem.write([told], user_id="ana", timestamp=now)
    found = mem.search("boiler", user_id="ana", weights="priority", now=now)[0]
    assert found.parts["recency"] == pytest.approx(math.exp(-days / 7))
    assert found.parts["decay"] == pytest.approx(0.5 ** (days / 180))


@pytest.mark.parametrize(("category", "importance"), [("user.allergic_to", 0.9), ("user.name", 0.9), ("user.likes", 0.4)])
def test_importance_follows_from_what_a_thing_is(mem: memdb.Memory, category: str, importance: float) -> None:
    mem.remember("Peanut", user_id="ana", key=category)
    assert first(mem, "peanut").parts["intrinsic_importance"] == importance


def test_a_message_is_chit_chat_until_something_is_learned_from_it(tell: Tell) -> None:
    assert first(tell("Nice weather today."), "weather", kinds=["message"]).parts["intrinsic_importance"] == 0.2


def test_a_mood_finds_what_was_said_in_it(tell: Tell) -> None:
    tell("I am so sad, I lost my toy.", "I am happy, we won a prize.", "The bus is red.")
    parts = {hit.fact.source_turn_id: hit.parts["emotion"] for hit in tell().search("Why was I crying?", user_id="ana", kinds=["message"])}
    assert parts["t0"] == 1.0
    assert parts["t1"] == 0.0


@pytest.mark.parametrize(
    ("text", "mood"), [("I'm sad", "sad"), ("not happy at all", None), ("", None), ("so worried, so nervous, a bit happy", "concerned")]
)
def test_a_mood_is_read_from_words(text: str, mood: str | None) -> None:
    assert mood_of(text) == mood


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("Ich bin so traurig.", "sad"), ("Ich bin nicht traurig.", None), ("Je suis trop contente !", "happy"), ("Je suis pas fâchée.", None),
        ("Estoy muy cansada.", "tired"), ("Non sono stanco, ma sono in ansia.", "concerned"), ("Estou com muito medo.", "afraid"), ("Ik ben zo blij.", "happy"),
        ("This content makes me mad", "angry"),
    ],
)  # fmt: skip
def test_a_mood_is_read_from_the_words_of_a_language(text: str, mood: str | None) -> None:
    assert mood_of(text, told_in(text)) == mood


@pytest.mark.parametrize("code", [None, *CODES])
def test_each_word_of_a_mood_is_found_wherever_it_stands(code: str | None) -> None:
    told = None if code is None else language(code)
    lexicon = _lexicon()
    moods = {**lexicon.positive, **lexicon.negative} if told is None else lexicon.abroad[told.name].moods
    words = {word for some in moods.values() for word in some}
    assert {word for word in words if mood_of(f"x, “{word.capitalize()}”!", told) is None} == set()


def test_a_question_in_a_mood_finds_what_was_said_in_it_in_its_language(tell: Tell) -> None:
    tell("Ich bin so traurig, mein Teddy ist weg.", "Ich bin glücklich, wir haben gewonnen.")
    parts = {
        hit.fact.source_turn_id: hit.parts["emotion"] for hit in tell().search("Warum habe ich geweint?", user_id="ana", kinds=["message"])
    }
    assert (parts["t0"], parts["t1"]) == (1.0, 0.0)


@pytest.mark.parametrize("language", _lexicon().abroad)
def test_a_language_has_words_for_the_emotions_that_english_has(language: str) -> None:
    assert _lexicon().abroad[language].moods.keys() == _lexicon().positive.keys() | _lexicon().negative.keys()


def test_moods_of_one_side_are_half_alike() -> None:
    likeness = dict(moods_like("sad"))
    assert (likeness["sad"], likeness["lonely"], likeness["negative"], likeness.get("happy")) == (1.0, 0.5, 0.5, None)


def test_a_goal_brings_what_serves_it_nearer(tell: Tell) -> None:
    tell("I bought a tent.", "I bought a piano.")
    hits = tell().search("What did I buy?", user_id="ana", goal="a tent", weights="priority", kinds=["message"])
    near = {hit.fact.source_turn_id: hit.parts["goal"] for hit in hits}
    assert near["t0"] > near["t1"]


def test_a_goal_counts_in_every_way_of_asking(tell: Tell) -> None:
    tell("I bought a tent for the wedding.", "I bought a piano for the cellar.")
    goal = "photograph the wedding"
    for ask in (partial(tell().search, judged=True), tell().assess):
        (plain, aimed) = (
            {hit.fact.fact_id: hit for hit in ask("What did I buy?", user_id="ana", goal=one, now=NOW)} for one in (None, goal)
        )
        for fact_id, hit in aimed.items():
            assert hit.contributions["goal"] == pytest.approx(0.4 * hit.parts["goal"]) == pytest.approx(hit.score - plain[fact_id].score)
            assert (hit.relevance or 0) - (plain[fact_id].relevance or 0) == pytest.approx(0.15 * hit.parts["goal"])
        near = {hit.fact.value_text: hit.parts["goal"] for hit in aimed.values()}
        assert near["I bought a tent for the wedding."] > near["I bought a piano for the cellar."]


@pytest.mark.parametrize("embedder", [None, Broken()], ids=["none", "failing"])
def test_a_goal_counts_by_its_words_where_there_are_no_vectors(tmp_path: Path, embedder: Broken | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        for text in ("We bought a tent for the wedding.", "We bought a piano for the cellar."):
            mem.observe(text, user_id="ana", session_id=text)
        for ask in (partial(mem.search, judged=True), mem.assess):
            plain = {hit.fact.value_text: hit for hit in ask("What was bought?", user_id="ana", now=NOW)}
            first, second = ask("What was bought?", user_id="ana", goal="photograph the wedding (soon) OR", now=NOW)
            assert first.fact.value_text == "We bought a tent for the wedding."
            assert (first.parts["goal"], second.parts["goal"]) == (1.0, 0.0)
            assert first.score - plain[first.fact.value_text].score == pytest.approx(0.4)
            assert (first.relevance or 0) - (plain[first.fact.value_text].relevance or 0) == pytest.approx(0.15)


def test_a_goal_that_is_not_given_costs_nothing(tmp_path: Path) -> None:
    embedder = OneMeaning()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        mem.observe("I bought a tent.", user_id="ana")
        mem.drain()
        for query, goal, asked in (("What did I buy?", None, 1), ("What did I sell?", "a tent", 2)):
            before = embedder.asked
            mem.search(query, user_id="ana", goal=goal)
            assert embedder.asked == before + asked


def test_the_time_that_is_asked_for_counts_in_what_is_judged(mem: memdb.Memory) -> None:
    for day in ("02", "19"):
        mem.observe("I went running in the park.", user_id="ana", timestamp=f"2025-06-{day}T10:00:00Z")
    mem.drain()
    asked = "Did I go running on 2 June?"
    hits = mem.search(asked, user_id="ana", kinds=["message"], weights="priority", judged=True, now="2025-06-20")
    assert [f"{hit.fact.valid_from:%d}" for hit in hits] == ["02", "19"]
    assert hits[0].parts["date"] == 1.0
    assert (hits[0].relevance or 0) > (hits[1].relevance or 0)


def test_without_vectors_words_stand_for_the_cosine(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("Likes jazz", user_id="ana", key="user.likes")
        assert mem.search("jazz", user_id="ana", weights="priority")[0].parts["match"] == 1.0


# tiers


def test_age_makes_hot_warm_and_cold(mem: memdb.Memory) -> None:
    for day in ("2025-05-25", "2025-04-01", "2024-01-01"):
        mem.observe(f"The boiler hums on {day}", user_id="ana", timestamp=day)
    hits = mem.search("boiler", user_id="ana", now=NOW)
    assert {hit.fact.valid_from.date().isoformat(): hit.tier for hit in hits} == {
        "2025-05-25": "hot",
        "2025-04-01": "warm",
        "2024-01-01": "cold",
    }
    assert [hit.tier for hit in mem.search("boiler", user_id="ana", tiers=["warm"], now=NOW)] == ["warm"]


def test_the_last_moment_of_an_age_belongs_to_it(mem: memdb.Memory) -> None:
    for moment in ("2025-05-18T00:00:00Z", "2025-05-17T23:59:59Z", "2025-03-03T00:00:00Z", "2025-03-02T23:59:59Z"):
        mem.observe(f"The boiler hums at {moment}", user_id="ana", timestamp=moment)
    hits = mem.search("boiler", user_id="ana", now="2025-06-01T00:00:00Z")
    assert [hit.tier for hit in sorted(hits, key=lambda hit: hit.fact.valid_from)] == ["cold", "warm", "warm", "hot"]


def test_facts_belong_to_every_tier(mem: memdb.Memory) -> None:
    mem.remember("Likes boilers", user_id="ana", key="user.likes", timestamp="2020-01-01")
    assert len(mem.search("boilers", user_id="ana", tiers=["hot"], now=NOW)) == 1


def test_the_cold_is_asked_when_nothing_else_answers(mem: memdb.Memory) -> None:
    mem.observe("The boiler is called Bertha.", user_id="ana", timestamp="2020-01-01")
    mem.drain()
    assert "Bertha" in mem.context("What is the boiler called?", user_id="ana", now=NOW).text


def test_the_cold_is_asked_by_words_where_what_fits_best_has_but_one_of_them(mem: memdb.Memory) -> None:
    mem.load([{"text": "The physio looked at my knee and told me to swim.", "timestamp": "2025-01-10"}], user_id="ana")
    mem.remember("User has a physio called Lima", user_id="ana", key="user.physio", confidence=0.9, timestamp="2025-05-31")
    assert "swim" in mem.context("What did the physio say about my knee?", user_id="ana", now=NOW).text
    assert "swim" not in mem.context("Who is my physio?", user_id="ana", now=NOW).text


AGES = {"hot": "2025-05-25", "warm": "2025-04-01", "cold": "2024-01-01"}


@pytest.mark.parametrize("there", [said for size in range(4) for said in combinations(AGES, size)], ids="-".join)
@pytest.mark.parametrize("kind", ["message", "episode", "narrative", "fact"])
def test_whether_anything_is_of_another_age_is_known(mem: memdb.Memory, there: tuple[str, ...], kind: str) -> None:
    mem.remember_many({"value_text": age, "user_id": "ana", "kind": "note", "timestamp": AGES[age]} for age in there)
    mem.remember("cold", user_id="bea", timestamp=AGES["cold"])
    db = mem._store.database()
    db.connection.execute("update facts set kind = ?", (kind,))
    for wanted in (asked for size in range(1, 4) for asked in combinations(AGES, size)):
        found = db.tuples(
            "scan.aside", user_id="ana", tiers=json.dumps(wanted), hot_days=14.0, warm_days=90.0, now="2025-06-01T00:00:00.000Z"
        )
        assert bool(found) == (kind != "fact" and not set(there) <= set(wanted))


@pytest.mark.parametrize(("day", "times"), [("2024-01-01", 2), ("2025-05-25", 1)])
def test_a_memory_with_nothing_cold_is_not_asked_for_it(mem: memdb.Memory, day: str, times: int) -> None:
    mem.observe("The boiler is called Bertha.", user_id="ana", timestamp=day)
    mem.drain()
    ran: list[str] = []

    def note(cursor: object, sql: str, bindings: object) -> bool:
        ran.append(sql)
        return True

    mem._store.database().connection.set_exec_trace(note)
    mem.context("Who painted the ceiling?", user_id="ana", now=NOW)
    assert ran.count(files.statement("scan.matches")) + ran.count(files.statement("scan.words")) == times


def test_a_question_to_every_tier_is_embedded_once(tmp_path: Path) -> None:
    embedder = OneMeaning()
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        mem.observe("The boiler is called Bertha.", user_id="ana", timestamp="2020-01-01")
        mem.drain()
        before = embedder.asked
        assert "Bertha" in mem.context("What is the boiler called?", user_id="ana", now=NOW).text
        assert embedder.asked == before + 1


# diversity


def test_a_context_does_not_say_the_same_in_other_words(mem: memdb.Memory) -> None:
    for number in range(4):
        mem.remember(f"The heating breaks every winter {number}", user_id="ana", key=f"house.note{number}", kind="note")
    mem.remember("A heating engineer comes from Braga", user_id="ana", key="house.engineer", kind="note")
    mem.drain()
    for balance, present in ((1.0, False), (0.3, True)):
        with memdb.open(mem.stats().path, embedder=mem.embedder, config={"worker": False, "context_balance": balance}) as other:
            text = other.context("every winter heating breaks", user_id="ana", limit=2).text
        assert ("engineer" in text) is present


def test_what_a_fact_says_under_its_key_is_not_said_again_in_fewer_words() -> None:
    long, short = found("User lives in Porto near the river", relevance=0.9), found("User lives in Porto")
    items = inject(Profile(), [long, short], kinds=KINDS, max_tokens=999, tokenizer=COUNT, now=NOW, config=Config()).items
    assert [item.fact_id for item in items] == [long.fact.fact_id]


# sections and their budgets


@settings(max_examples=150)
@given(
    hits=st.lists(st.builds(found, st.text(max_size=900), kind=st.sampled_from(sorted(KINDS)), relevance=st.floats(0, 1), confidence=st.floats(0, 1)), max_size=12),
    caps=st.lists(st.integers(0, 150), min_size=6, max_size=6),
    system=st.text(max_size=200),
    budget=st.integers(0, 600),
)  # fmt: skip
def test_no_section_exceeds_its_budget_whatever_the_memory(hits: list[Hit], caps: list[int], system: str, budget: int) -> None:
    sections = {name: row.model_copy(update={"max_tokens": cap}) for (name, row), cap in zip(SECTIONS.items(), caps, strict=True)}
    verdict = verdict_on(*hits)
    made = inject(Profile(), hits, kinds=KINDS, max_tokens=budget, tokenizer=COUNT, now=NOW, config=Config(), sections=sections,
                  system=system, verdict=verdict)  # fmt: skip
    assert COUNT.count(made.text) == made.tokens <= budget
    for block in made.text.split("\n\n") if made.text else []:
        heading = block.splitlines()[0].removeprefix("# ")
        assert COUNT.count(block) <= sections[heading].max_tokens


def test_the_sections_stand_in_the_order_of_the_layout(tell: Tell) -> None:
    tell("I live in Porto.", "The boiler is called Bertha.")
    tell().remember("Find the lost toy", user_id="ana", key="user.task", kind="task")
    tell().remember("Calms down with a story about Porto", user_id="ana", key="user.note", kind="note")
    tell().remember("The boiler in Porto is old", user_id="ana", key="boiler.age", turn_id="x")
    text = tell().context("Porto boiler toy", user_id="ana", system="You are kind.", now="2025-03-03").text
    headings = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("#")]
    assert headings == [name for name in SECTIONS if name in headings]
    assert {"System", "User Profile", "Active Goals", "Reflective Notes", "Relevant Facts", "Episodic Highlights"} == set(headings)
    assert "\n• [2025-03-02] user: The boiler is called Bertha." in text


def test_the_budgets_are_rows_that_can_be_changed(tell: Tell) -> None:
    tell("I live in Porto.", "The boiler is called Bertha.")
    apsw.Connection(tell().stats().path).execute("update sections set max_tokens = 0 where section = 'Episodic Highlights'")
    assert "Bertha" not in tell().context("boiler", user_id="ana").text


# tone and verdict


@pytest.mark.parametrize(("confidence", "tone", "mark"), [(0.8, "assert", ""), (0.6, "hedge", " (probably)"), (0.59, "avoid", " (unsure)")])
def test_the_tone_of_a_line_follows_from_its_confidence(confidence: float, tone: str, mark: str) -> None:
    made = inject(Profile(), [found(confidence=confidence)], kinds=KINDS, max_tokens=99, tokenizer=COUNT, now=NOW, config=Config())
    assert [(item.tone, item.text) for item in made.items] == [(tone, f"- Lives in Porto{mark}")]


def test_what_is_to_be_avoided_is_left_out_unless_asked_for() -> None:
    unasked = found(confidence=0.5, lexical=0.0, relevance=0.4)
    made = inject(Profile(), [unasked], kinds=KINDS, max_tokens=99, tokenizer=COUNT, now=NOW, config=Config())
    assert made.text == ""


def test_what_is_answered_from_stands_in_the_prompt_however_unsure_it_is() -> None:
    unasked = found(confidence=0.5, lexical=0.0, relevance=0.4)
    near = unasked.model_copy(update={"parts": {"lexical": 0.0, "match": 0.4}})
    verdict = verdict_on(near)
    assert (verdict.decision, verdict.reason) == ("answer", "what was found bears on it, but is not sure (0.50 < 0.60)")
    made = inject(Profile(), [near], kinds=KINDS, max_tokens=99, tokenizer=COUNT, now=NOW, config=Config(), verdict=verdict)
    assert made.text.endswith("- Lives in Porto (unsure)")
    refused = verdict.model_copy(update={"decision": "abstain"})
    assert inject(Profile(), [near], kinds=KINDS, max_tokens=99, tokenizer=COUNT, now=NOW, config=Config(), verdict=refused).text == ""


@pytest.mark.parametrize(
    ("query", "decision"), [("What does the user think about gravity?", "abstain"), ("Does the user like tea?", "answer")]
)
def test_to_ask_about_the_user_bears_on_nothing_by_that_word_alone(tmp_path: Path, query: str, decision: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.write([{"text": "User likes tea"}, {"text": "User drives a Volvo"}], user_id="ana")
        verdict = mem.context(query, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == decision


@pytest.mark.parametrize(("said", "query"), [("I'm 32.", "How old am I?"), ("I work as a nurse.", "What do I do for a living?")])
def test_what_is_held_under_the_key_that_a_question_asks_for_bears_on_it_in_whatever_words(tmp_path: Path, said: str, query: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.observe(said, user_id="ana")
        mem.observe("The cat is asleep.", user_id="ana")
        mem.drain()
        verdict = mem.context(query, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == "answer"


def test_an_empty_memory_abstains_with_a_reason(mem: memdb.Memory) -> None:
    verdict = mem.context("Where do I live?", user_id="ana").verdict
    assert verdict is not None
    assert (verdict.decision, verdict.reason) == ("abstain", "nothing remembered bears on it")
    assert "heed what stands here" in str(verdict.instruction)  # such as an allergy, which always stands there


@pytest.mark.parametrize(
    ("hit", "decision"),
    [
        (found(relevance=0.61, confidence=0.60), "answer"),
        (found(relevance=0.60, confidence=0.10), "answer"),
        (found(relevance=0.61, confidence=0.59), "clarify"),
        (found(relevance=0.61, confidence=0.59, source="inferred"), "clarify"),
        (found(relevance=0.61, confidence=0.59, source="tool"), "verify"),
        (found(relevance=0.61, confidence=0.59, source="web_scraped"), "verify"),
        (found(relevance=0.61, confidence=0.59, source="system"), "verify"),
        (found(relevance=0.61, confidence=0.59, source="assistant_message"), "abstain"),
        (found(relevance=0.61, confidence=0.59, kind="message"), "abstain"),
        (found(lexical=0.0), "abstain"),
    ],
)
def test_relevant_but_unsure_is_asked_verified_or_left(hit: Hit, decision: str) -> None:
    assert verdict_on(hit).decision == decision


def test_a_verdict_is_on_the_item_of_highest_priority_wherever_it_ranks() -> None:
    best_by_score = found("Lives near the river", relevance=0.5, confidence=0.7).model_copy(update={"score": 9.0})
    verdict = verdict_on(best_by_score, found("Lives in Porto", relevance=0.9, confidence=0.59))
    assert (verdict.fact_id, verdict.decision) == ("Lives in Porto", "clarify")


def test_a_dispute_is_asked_about() -> None:
    hit = found(status="pending_confirmation")
    doubt = Doubt(fact_id=hit.fact.fact_id, against="another", question="Which is right now?")
    verdict = verdict_on(hit, doubts=[Doubt(fact_id="third", question="Anything else?"), doubt])
    assert (verdict.decision, verdict.question) == ("clarify", "Which is right now?")
    assert verdict.instruction == "Do not decide between them; ask: Which is right now?"


@pytest.mark.parametrize("embedder", [None, "hashing-384"])
@pytest.mark.parametrize("said", ["I live in Seattle.", "I don't live in Atlanta."])
def test_what_something_pending_contradicts_is_not_answered_from(tmp_path: Path, embedder: str | None, said: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        for day, text in enumerate(["I live in Atlanta."] * 3 + ["My sister is called Clara.", said], start=1):
            mem.observe(text, user_id="ana", timestamp=f"2025-06-0{day}")
        mem.drain()
        made = mem.context("Where do I live?", user_id="ana", now="2025-06-10")
        assert made.verdict is not None
        assert (made.verdict.decision, made.verdict.reason) == ("clarify", "two memories contradict each other")
        assert made.question == made.verdict.question
        assert "- User lives in Atlanta (disputed)" in made.text
        assert "Seattle (unconfirmed)" in made.text or "No longer so: User lives in Atlanta (unconfirmed)" in made.text
        assert mem.assess("What is my sister called?", user_id="ana", now="2025-06-10").verdict != made.verdict


def test_the_question_is_about_what_is_asked(mem: memdb.Memory) -> None:
    for key, old, new in (("user.lives_in", "Atlanta", "Seattle"), ("user.drives", "Fiat", "Volvo")):
        for day, value in enumerate([old] * 3 + [new], start=1):
            mem.remember(
                f"User {key[5:].split('_')[0]} {value}", user_id="ana", key=key, object=value, timestamp=f"2025-06-0{day}",
                source="web_scraped" if value == new else "user_message",
            )  # fmt: skip
    for query, about in (("Does the user drive a Volvo?", "Fiat"), ("Is the user in Seattle?", "Atlanta"), ("anything", "Atlanta")):
        made = mem.context(query, user_id="ana", now="2025-06-10")
        assert about in str(made.question)
        assert made.verdict is not None
        assert (about in str(made.verdict.instruction)) is (query != "anything")


def test_what_only_waits_for_leave_contradicts_nothing(mem: memdb.Memory) -> None:
    mem.remember("User is allergic to peanuts", user_id="ana", key="user.allergic_to", object="peanuts", timestamp="2025-06-01")
    verdict = mem.assess("What is the user allergic to?", user_id="ana", now="2025-06-02").verdict
    assert verdict is not None
    assert (verdict.decision, verdict.reason) == ("clarify", "what fits best waits for leave to be remembered")
    assert verdict.instruction == "Do not rely on it yet; ask: Shall I remember this: “User is allergic to peanuts”?"


def test_the_verdict_is_said_in_the_prompt() -> None:
    hit = found(relevance=0.7, confidence=0.4)
    made = inject(Profile(), [hit], kinds=KINDS, max_tokens=200, tokenizer=COUNT, now=NOW, config=Config(), verdict=verdict_on(hit))
    assert made.text.startswith("# System\n- Ask before relying on it: Is it still right that “Lives in Porto”?")


def test_uncertain_facts_are_left_out_unless_asked_for(mem: memdb.Memory) -> None:
    fact = mem.remember("Plays the lute", user_id="ana", key="user.plays")
    apsw.Connection(mem.stats().path).execute("update facts set status = 'uncertain' where fact_id = ?", [fact.fact_id])
    assert mem.search("lute", user_id="ana") == []
    assert [hit.fact.fact_id for hit in mem.search("lute", user_id="ana", statuses=["uncertain"])] == [fact.fact_id]


def test_what_is_doubted_comes_back_when_it_is_confirmed(mem: memdb.Memory) -> None:
    fact = mem.remember("Plays the lute", user_id="ana", key="user.plays", confidence=0.8)
    assert (mem.doubt(fact.fact_id).status, mem.doubt(fact.fact_id).confidence) == ("uncertain", 0.4)
    assert mem.search("lute", user_id="ana") == []
    assert (mem.confirm(fact.fact_id).status, len(mem.search("lute", user_id="ana"))) == ("active", 1)


# the past


def test_before_a_change_means_what_was_true_then(tell: Tell) -> None:
    tell("I live in Porto.", "We moved to Lisbon!")
    hits = tell().search("Where did I live before I moved?", user_id="ana", kinds=["fact"], now="2025-04-01")
    assert [hit.fact.object for hit in hits] == ["Porto"]
    assert "Porto" in tell().context("Where did I live before I moved?", user_id="ana", now="2025-04-01").text


def test_a_question_about_the_past_finds_what_is_believed_no_longer(tell: Tell) -> None:
    tell("I live in Porto.", "We moved to Lisbon!")
    asked = {query: {hit.fact.object for hit in tell().search(query, user_id="ana", kinds=["fact"])} for query in
             ("Where do I live?", "Where did I use to live?")}  # fmt: skip
    assert asked == {"Where do I live?": {"Lisbon"}, "Where did I use to live?": {"Lisbon", "Porto"}}


@pytest.mark.parametrize("asked", ["What did I buy since I moved?", "What did I buy after moving?", "What have I bought since the move?"])
def test_since_a_change_means_from_then_on(tell: Tell, asked: str) -> None:
    tell("I live in Porto.", "I bought a lamp.", *["Well."] * 20, "We moved to Lisbon!", "I bought a chair.")
    hits = tell().search(asked, user_id="ana", kinds=["message"], now="2025-04-01")
    assert hits.question.times == ((datetime(2025, 3, 23, 10, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC)),)
    dated = {hit.fact.value_text: hit.parts["date"] for hit in hits}
    assert dated["I bought a chair."] == 1.0 > dated["I bought a lamp."]
    assert list(dated).index("I bought a chair.") < list(dated).index("I bought a lamp.")


@pytest.mark.parametrize(
    ("asked", "begins", "ends"),
    [
        ("What did I buy since 5 March 2025?", "2025-03-05", "2025-04-01"),
        ("What did I buy after 5 March 2025?", "2025-03-06", "2025-04-01"),
        ("What did I buy before 5 March 2025?", "2015-03-05", "2025-03-05"),
        ("What did I buy until 5 March 2025?", "2015-03-06", "2025-03-06"),
        ("What did I buy on 5 March 2025?", "2025-03-05", "2025-03-06"),
    ],
)
def test_before_and_after_a_date_are_stretches_of_time(tell: Tell, asked: str, begins: str, ends: str) -> None:
    ((first, last),) = tell("I bought a lamp.").search(asked, user_id="ana", now="2025-04-01").question.times
    assert (first.date().isoformat(), last.date().isoformat()) in {(begins, ends), (begins, "2025-04-02")}


def test_a_change_that_nobody_told_of_is_no_time(tell: Tell) -> None:
    assert tell("I live in Porto.").search("Where was I before I married?", user_id="ana").question.as_of is None


# weights and calibration


def test_a_weight_set_is_replaced_as_a_whole(tell: Tell) -> None:
    tell("I live in Porto.").set_weights({"mine": {"lexical": 1.0, "recency": 0.5}})
    tell().set_weights({"mine": {"lexical": 2.0}})
    assert tell().weight_sets()["mine"] == {"lexical": 2.0}
    assert tell().search("Porto", user_id="ana", weights="mine")[0].score == 2.0


@pytest.mark.parametrize(("features", "error"), [
    ({"beauty": 1.0}, "has the feature 'beauty'"), ({}, "is empty"), ({"lexical": float("inf")}, "gives lexical inf; give a number from -1000000"),
    ({"lexical": 1e300}, "gives lexical 1e\\+300; "), ({"lexical": float("nan")}, "gives lexical nan; "),
    ({"k_lex": -5}, "gives k_lex -5; .* not below 0"), ({"k_lex": 2.5}, "gives k_lex 2.5; .* a whole one"), ({"lexical": True}, "lexical True; "),
])  # fmt: skip
def test_a_weight_set_that_ranks_nothing_is_refused(mem: memdb.Memory, features: dict[str, float], error: str) -> None:
    with pytest.raises(memdb.InputError, match=error):
        mem.set_weights({"mine": features})
    assert "mine" not in mem.weight_sets()


def test_every_weight_set_that_a_file_comes_with_can_be_put_back(mem: memdb.Memory) -> None:
    shipped = mem.weight_sets()
    mem.set_weights({name: {"lexical": 1.0} for name in shipped})
    mem.set_weights(shipped)
    assert mem.weight_sets() == shipped


def test_a_rival_set_ranks_for_every_other_user(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False, "rival_weights": "lexical-only"}) as mem:
        asked = [user for user in map(str, range(200)) if mem.remember("Likes jazz", user_id=user, key="user.likes")]
        rival = [user for user in asked if mem.search("jazz", user_id=user)[0].score == 1.0]
        assert 70 < len(rival) < 130
        assert rival == [user for user in asked if mem.search("jazz", user_id=user)[0].score == 1.0]


def test_calibration_tells_what_is_held_from_what_is_not(tell: Tell) -> None:
    tell("I live in Porto.", "My sister is called Rita.", "I'm allergic to peanuts.", "The boiler is called Bertha.")
    held = ["Where do I live, Porto?", "What is my sister called?", "Am I allergic to peanuts?", "What is the boiler called?"]
    unheld = ["Which horse won the derby?", "Quantum chromodynamics?", "Who painted the ceiling?", "How deep is the ocean?"]
    questions = [memdb.Labelled(user_id="ana", query=question, answerable=question in held) for question in held + unheld]
    before, after = tell().calibrate(questions, now="2025-03-06")
    assert before is not None
    assert after.brier < min(0.25, before.brier)
    assert after.auc > 0.9


@pytest.mark.parametrize(("query", "share"), [("Where is Porto?", 0.0), ("What car do I drive?", 1.0), ("Do cars drive in Porto?", 2 / 3)])
def test_how_many_topics_of_a_question_were_never_spoken_of_is_told(tell: Tell, query: str, share: float) -> None:
    assert tell(*["I live in Porto."] * 5).assess(query, user_id="ana").out_of_vocabulary == pytest.approx(share * math.log10(6) / 4)


def test_what_was_only_asked_was_not_spoken_of(tell: Tell) -> None:
    mem = tell("I live in Porto.", "What car do I drive?")
    assert mem.assess("What car do I drive?", user_id="ana").out_of_vocabulary > 0


def test_what_another_user_spoke_of_was_not_spoken_of(mem: memdb.Memory) -> None:
    said(mem, "I drive a car.", "I live in Porto.", user="rui")
    said(mem, "I live in Porto.", "It rains.")
    assert [mem.assess("What car?", user_id=user).out_of_vocabulary > 0 for user in ("ana", "rui")] == [True, False]


def test_what_was_never_spoken_of_is_hardly_answered(mem: memdb.Memory) -> None:
    said(mem, "My sister is a nurse.", "I live in Porto.", "It rained all day.")
    known, unknown = (mem.assess(query, user_id="ana") for query in ("Is my sister a nurse?", "Is my sister a tightrope walker?"))
    assert known.verdict is not None
    assert unknown.verdict is not None
    assert (unknown.verdict.probability or 0) < (known.verdict.probability or 0)


@pytest.mark.parametrize(("query", "decision"), [("What is my cat called?", "abstain"), ("What is my dog called?", "answer")])
def test_what_is_held_of_another_thing_is_no_answer(mem: memdb.Memory, query: str, decision: str) -> None:
    said(mem, "We have a dog called Bica.", "My sister is called Clara.")
    verdict = mem.assess(query, user_id="ana").verdict
    assert verdict is not None
    assert verdict.decision == decision


def test_a_message_that_says_more_than_what_is_held_of_another_thing_is_an_answer_all_the_same(mem: memdb.Memory) -> None:
    said(
        mem,
        "My sister is called Clara.",
        "Dr Kim, my dentist since the days of the old clinic by the harbour, drilled two teeth, and my sister is called Clara.",
    )
    hits = mem.assess("Who is my dentist?", user_id="ana")
    assert any("Kim" in hit.fact.value_text and hit.fact.fact_id not in elsewhere(hits) for hit in hits)


def test_what_is_spoken_of_by_another_name_was_spoken_of(tell: Tell) -> None:
    mem = tell("Mum said it rains in Porto.", "It rains again.")
    assert mem.assess("Is my mother in Porto?", user_id="ana").unspoken == ()
    assert mem.assess("Is my father in Porto?", user_id="ana").unspoken == ("father",)


def test_the_same_question_asked_before_is_no_evidence_of_an_answer(tell: Tell) -> None:
    mem = tell("I live in Porto.", "What car do I drive?")
    assert evidence_of(mem.assess("What car do I drive?", user_id="ana"))["match"] < 0.5


def in_a_group(mem: memdb.Memory, *said: tuple[str, str]) -> None:
    turns = [{"speaker": speaker, "text": text, "timestamp": f"2025-03-01T10:{place:02}:00Z"} for place, (speaker, text) in enumerate(said)]
    mem.load(
        [*turns, *({"speaker": who, "text": "Good morning!", "timestamp": "2025-03-02T10:00:00Z"} for who in ("Ana", "Rui"))], user_id="us"
    )
    mem.drain()


@pytest.mark.parametrize(
    ("speaker", "text", "leads"),
    [
        ("Rui", "I went surfing in Ericeira on my birthday.", True),
        ("Ana", "I went surfing in Ericeira on my birthday.", False),
        ("Ana", "Rui went surfing in Ericeira on a birthday.", True),  # what is said of him
        ("Ana", "Hi Rui! I went surfing in Ericeira on my birthday.", False),  # what is said to him
    ],
)
def test_whose_words_were_found_tells_whether_it_is_an_answer(mem: memdb.Memory, speaker: str, text: str, leads: bool) -> None:
    in_a_group(mem, (speaker, text), ("Rui", "The soup is too salty."), ("Ana", "The bus was late."))
    evidence = evidence_of(mem.assess("Where did Rui go surfing on his birthday?", user_id="us"))
    assert evidence["named"] == 1.0
    assert (evidence["lead"] > 0, evidence["topics"] > 0.5) == (leads, leads)


def test_a_lead_is_the_same_whatever_the_weights_are_multiplied_by(mem: memdb.Memory) -> None:
    in_a_group(mem, ("Rui", "I went surfing in Ericeira."), ("Ana", "I went surfing, too."))
    before = evidence_of(mem.assess("Where did Rui go surfing?", user_id="us"))
    mem.set_weights({"default": {name: value * (2 if name in FEATURES else 1) for name, value in mem.weights("default").items()}})
    after = evidence_of(mem.assess("Where did Rui go surfing?", user_id="us"))
    assert {name: after[name] for name in ("lead", "score")} == pytest.approx({name: before[name] for name in ("lead", "score")})
    assert 0 < before["lead"] < 1


@pytest.mark.parametrize(("second", "share"), [("Is surfing hard?", 0.4), ("Surfing is hard.", 0.2)])
def test_what_only_asks_is_told_apart(mem: memdb.Memory, second: str, share: float) -> None:
    in_a_group(mem, ("Ana", "Rui, do you go surfing?"), ("Ana", second), ("Rui", "The soup is too salty."))
    assert evidence_of(mem.assess("Does Rui go surfing at Ericeira?", user_id="us"))["asks"] == pytest.approx(share)


def test_questions_that_only_measure_are_not_noted_and_recall_nothing(mem: memdb.Memory) -> None:
    mem.event("Rui asked for warm light", user_id="ana", timestamp="2025-03-01T07:00:00Z", participants=["Rui"])
    mem.narrate(now="2025-03-02")
    mem.drain()
    labels = [memdb.Labelled(user_id="ana", query=query, answerable=held) for query, held in (("warm light", True), ("the derby", False))]
    mem.calibrate(labels, now="2025-03-03")
    mem.maintain(user_id="ana", now="2025-03-03")
    assert (mem.facts("ana", kinds=["narrative"])[0].access_count, mem.stats().retrievals) == (0, 0)


def test_calibration_wants_both_kinds_of_questions(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="at least one of each"):
        mem.calibrate([memdb.Labelled(user_id="ana", query="Where?", answerable=True)])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_the_measures_of_a_calibration_lie_between_nought_and_one(pairs: list[tuple[float, bool]]) -> None:
    measured = measure([probability for probability, _ in pairs], [was for _, was in pairs])
    assert 0 <= measured.ece <= 1
    assert 0 <= measured.brier <= 1
    assert 0 <= measured.auc <= 1
    assert sum(shelf.count for shelf in measured.bins) == len(pairs)


def test_perfect_probabilities_measure_as_perfect() -> None:
    measured = measure([0.0, 0.0, 1.0], [False, False, True])
    assert (measured.ece, measured.brier, measured.auc) == (0.0, 0.0, 1.0)


def test_a_fit_recovers_what_decides() -> None:
    evidence = [{"bias": 1.0, "match": place / 100, "rival": (place * 37 % 100) / 100} for place in range(100)]
    weights = fit(evidence, [one["match"] > 0.5 for one in evidence])
    assert weights["match"] > 3 > abs(weights["rival"])


@pytest.mark.parametrize(
    ("threshold", "setting", "decision"), [(None, None, "abstain"), (0.1, None, "answer"), (0.1, 0.2, "abstain"), (0.9, 0.1, "answer")]
)
def test_an_improbable_answer_is_not_claimed(threshold: float | None, setting: float | None, decision: str) -> None:
    fitted = {"bias": -2.0} | ({"threshold": threshold} if threshold else {})
    hits = Hits([found(relevance=0.4, confidence=0.7)], question=Question(text="q", meaning="q"))
    verdict = judge(hits, doubts=(), calibration=fitted, config=Config(abstain_probability=setting))
    assert (verdict.decision, round(verdict.probability or 0, 2)) == (decision, 0.12)


def test_what_is_as_probable_as_it_must_be_is_claimed() -> None:
    hits = Hits([found(relevance=0.4, confidence=0.7)], question=Question(text="q", meaning="q"))
    assert judge(hits, doubts=(), calibration={"bias": 0.0}, config=Config(abstain_probability=0.5)).decision == "answer"


def test_the_threshold_is_the_least_that_tells_apart_as_well_as_any() -> None:
    said = [0.2, 0.3, 0.4, 0.5, 0.8, 0.9] * 20
    assert threshold_of(said, [probability > 0.45 for probability in said]) == 0.5
    assert threshold_of([0.9, 0.1], [True, False]) == 0.9


def test_feedback_alone_can_calibrate(tell: Tell) -> None:
    tell("I live in Porto.", "The boiler is called Bertha.")
    for query, good in (("Where do I live?", True), ("What is the boiler called?", True), ("Which horse won the derby?", False)):
        tell().feedback(query, tell().facts("ana", kinds=["message"])[0].fact_id, user_id="ana", good=good)
    _, after = tell().calibrate()
    assert (after.questions, after.weights, 0 < tell().weights("calibration-words")["threshold"] < 1) == (3, "calibration-words", True)


class AsMiniLM(OneMeaning):
    name, dimension = MEASURED_WITH, 8


@pytest.mark.parametrize(
    ("embedder", "judges"), [(None, "calibration-words"), (HashingEmbedder(64), "calibration-words"), (AsMiniLM(), "calibration")]
)
def test_what_was_not_fitted_with_an_embedder_is_judged_by_words(tmp_path: Path, embedder: memdb.Embedder | None, judges: str) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        said(mem, "I live in Porto.", "My sister is called Rita.", "It rained all day.")
        hits = mem.assess("Where do I live?", user_id="ana")
        assert (judging_set(hits), hits.verdict and hits.verdict.probability) == (
            judges,
            probability_of(evidence_of(hits), mem.weights(judges)),
        )
        before = mem.weight_sets()
        labels = [memdb.Labelled(user_id="ana", query=query, answerable=held) for query, held in (("Porto?", True), ("Horses?", False))]
        _, after = mem.calibrate(labels)
        changed = {name for name, features in mem.weight_sets().items() if features != before[name]}
        assert (changed, after.weights, after.threshold) == ({judges}, judges, mem.weights(judges)["threshold"])


def test_the_calibration_was_fitted_with_minilm() -> None:
    assert MEASURED_WITH == MiniLM.name == EdgeMiniLM.name


def test_what_words_say_does_not_depend_on_the_embedder(tmp_path: Path) -> None:
    told = []
    for place, embedder in enumerate((None, HashingEmbedder(64), OneMeaning())):
        with memdb.open(tmp_path / f"{place}.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
            in_a_group(mem, ("Ana", "I went surfing at Ericeira."), ("Rui", "The soup is too salty."), ("Ana", "Rui, do you surf?"))
            evidence = evidence_of(mem.assess("Does Rui go surfing at Ericeira?", user_id="us"))
            told.append([evidence[name] for name in ("actor", "rival", "lead", "both", "match")])
    assert told[1:] == [pytest.approx(told[0])] * 2
    assert told[0][1] > told[0][0] > 0


def test_by_words_alone_a_word_in_common_does_not_make_an_answer_sure(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        said(mem, "I live in Porto.", "My sister is a nurse.", *(f"It rained all day on the {place}th." for place in range(40)))
        known, unknown = (mem.assess(query, user_id="ana").verdict for query in ("Is my sister a nurse?", "Which sister drove the lorry?"))
        assert known is not None
        assert unknown is not None
        assert (known.probability or 0) > 0.9 > (unknown.probability or 0)


@pytest.mark.parametrize("arguments", [[], ["mine", "--calibrate"], ["--calibrate", "--dry-run"]])
def test_tuning_wants_to_know_what_to_fit(mem: memdb.Memory, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["tune", *arguments, "--db", mem.stats().path, "--embedder", "none"])
    assert (result.exit_code, result.stderr.count("\n"), "Say what to fit" in result.stderr) == (2, 1, True)


def test_the_commands_of_upkeep_work(tell: Tell, tmp_path: Path) -> None:
    path = tell("I live in Porto.", "Remind me to call the dentist.").stats().path
    (tmp_path / "weights.toml").write_text("[mine]\nlexical = 1.5\n", encoding="utf-8")
    (tmp_path / "weights.yaml").write_text("yours:\n  cosine: 0.25\n", encoding="utf-8")
    (tmp_path / "asked.json").write_text(
        '[{"user_id": "ana", "query": "Where do I live?", "answerable": true}, {"user_id": "ana", "query": "Horses?", "answerable": false}]',
        encoding="utf-8",
    )
    for command, told in (
        (["maintain", "--embedder", "hashing-64"], "episodes\t1"),
        (["weights", str(tmp_path / "weights.toml")], "mine\tlexical\t1.5"),
        (["weights", str(tmp_path / "weights.yaml")], "yours\tcosine\t0.25"),
        (["tune", "--calibrate", "--data", str(tmp_path / "asked.json"), "--embedder", "hashing-64"], "weight set\tcalibration-words"),
    ):
        result = CliRunner().invoke(app, [*command, "--db", path])
        assert (result.exit_code, told in result.stdout) == (0, True), result.output


CALIBRATE = ["tune", "--calibrate", "--data"]


@pytest.mark.parametrize(
    ("command", "text"),
    [(["weights"], "x = ["), (["weights"], "x = 1"), (CALIBRATE, "{}"), (CALIBRATE, '[{"user_id": "ana", "query": "?", "answerable": 7}]')],
)
def test_a_file_that_cannot_be_used_is_told_in_one_sentence(mem: memdb.Memory, tmp_path: Path, command: list[str], text: str) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(
        app, [*command, str(tmp_path / "file"), "--db", mem.stats().path, *["--embedder", "none"] * ("tune" in command)]
    )
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_what_is_written_is_refused_as_far_as_the_user_does_not_let_it_be_kept(mem: memdb.Memory) -> None:
    secret, health = {"text": "My password is hunter2"}, {"text": "Ana is allergic to peanuts", "key": "user.allergic_to"}
    written = mem.write([secret, health], user_id="ana")
    assert [one.reason for one in written.rejected] == ["it holds a secret (password), and none is to be kept"]
    assert len(written.accepted) == 1
    mem.consent("bob", sensitive_topics="refuse", secrets="keep")
    written = mem.write([secret, health], user_id="bob")
    assert [one.reason for one in written.rejected] == ["it is about health, of which nothing is to be kept"]
    assert len(written.accepted) == 1


def test_of_a_task_in_a_state_that_there_is_not_nothing_is_written(mem: memdb.Memory) -> None:
    (told,) = mem.write([{"text": "Buy milk", "kind": "task", "details": {"state": "finished"}}], user_id="ana").rejected
    assert told.reason == "state is 'finished'; give one of active, done, stalled."
    assert mem.facts("ana", kinds=["task"]) == []


def test_why_a_fact_is_not_higher_counts_how_far_it_is_believed(mem: memdb.Memory) -> None:
    mem.remember("The cat likes fish", user_id="ana", confidence=0.9)
    doubted = mem.remember("The cat likes cheese", user_id="ana", confidence=0.3)
    mem.drain()
    why = mem.explain("What does the cat like?", user_id="ana", fact_id=doubted.fact_id, limit=1, weights="priority")
    assert why.hit is not None
    assert why.rival is not None
    assert sum(why.lacks.values()) == pytest.approx(why.rival.score - why.hit.score, abs=0.005)
    assert why.hit.factor < why.rival.factor


def test_what_is_written_is_compared_with_what_was_written_a_moment_before(mem: memdb.Memory) -> None:
    text = "The heating engineer of the house in Porto comes every other winter on the first Monday"
    written = mem.write([{"text": text, "kind": "note"}, {"text": f"{text} on Monday", "kind": "note"}], user_id="ana")
    assert (len(written.accepted), [one.reason[:18] for one in written.rejected]) == (1, ["nearly the same as"])


def test_a_fact_that_differs_in_a_word_is_written_however_near_it_is(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        written = mem.write([{"text": f"The engineer comes on {day}"} for day in ("Monday", "Tuesday", "a Monday")], user_id="ana")
        assert (len(written.accepted), len(written.rejected)) == (2, 1)


def test_a_broken_embedder_costs_nothing_that_is_written(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=Broken(), llm=None, config={"worker": False}) as mem:
        assert len(mem.write([{"text": "Likes jazz"}, {"text": "Likes tea"}], user_id="ana").accepted) == 2


def test_ages_that_nobody_else_has_are_asked_for_at_no_price(mem: memdb.Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[str] = []
    tuples = Database.tuples

    def noted(db: Database, statement: str, **given: SqlValue) -> list[tuple[SqlValue, ...]]:
        run.append(statement)
        return tuples(db, statement, **given)

    monkeypatch.setattr(Database, "tuples", noted)
    said = [("The boiler is loud.", "2025-05-30"), ("The boiler was loud.", "2024-05-30")]
    for number, (text, day) in enumerate(said, start=1):
        mem.observe(text, user_id="ana", timestamp=day)
        mem.drain()
        run.clear()
        assert len(mem.search("boiler", user_id="ana", tiers=["hot"], now="2025-06-01")) == 1
        assert ("scan.eligible" in run) == (number == 2)


@pytest.mark.parametrize(("speakers", "query", "against"), [
    (("user", "assistant"), "Where was my bike stolen?", False),
    (("Ana", "Bob"), "Where was Ana's bike stolen?", True),
])  # fmt: skip
def test_what_others_say_speaks_against_an_answer_but_what_the_assistant_says_does_not(
    mem: memdb.Memory, speakers: tuple[str, str], query: str, against: bool
) -> None:
    texts = ("My bike was stolen in Porto.", "A bike stolen in Porto, I am sorry.")
    mem.load([{"text": text, "speaker": speaker} for text, speaker in zip(texts, speakers, strict=True)], user_id="them")
    mem.drain()
    hits = mem.assess(query, user_id="them")
    assert hits.question.actor == speakers[0]
    assert (evidence_of(hits)["rival"] > 0) is against
