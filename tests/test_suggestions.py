"""Asked for a suggestion, a search finds what the user likes, avoids or cannot have."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder
from memdb.interfaces.chroma import EphemeralClient
from memdb.suggestions import asks_suggestion
from memdb.unspaced import words_of

NOW = "2025-06-01T12:00:00Z"
REQUEST = "Can you suggest something for dinner on Friday?"
SAID = [
    ("user", "The train was late again."),
    ("user", "I avoid anything with dairy."),
    ("assistant", "Most people love dinner by the sea."),
    ("user", "We moved the sofa to the other wall."),
    ("user", "My brother can't stand loud restaurants."),
    ("user", "It rained all week."),
]


@pytest.fixture(params=["by meaning", "by words"])
def told(tmp_path: Path, request: pytest.FixtureRequest) -> memdb.Memory:
    embedder = HashingEmbedder(64) if request.param == "by meaning" else None
    mem = memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False})
    mem.load([{"role": role, "content": text, "timestamp": "2025-05-01"} for role, text in SAID], user_id="ana")
    mem.load([{"text": "I hate olives.", "timestamp": "2025-05-01"}], user_id="ben")
    assert mem.drain(60) or embedder is None
    return mem


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (REQUEST, "English"),
        ("What should I read on the flight?", "English"),
        ("Where could we go for a walk with the pram?", "English"),
        ("I'm looking for a new backpack.", "English"),
        ("Any ideas for a rainy Sunday?", "English"),
        ("My sister was here yesterday. Can you recommend a film for tonight?", "English"),
        ("Kannst du mir ein Buch empfehlen?", "German"),
        ("Was soll ich heute kochen?", "German"),
        ("Tu me conseilles quoi pour ce soir ?", "French"),
        ("¿Qué puedo cocinar esta noche?", "Spanish"),
        ("Che cosa mi consigli per cena?", "Italian"),
        ("Recomendas algum filme?", "Portuguese"),
        ("Wat zou ik vanavond kunnen koken?", "Dutch"),
    ],
)
def test_a_request_asks_for_a_suggestion(text: str, language: str) -> None:
    assert asks_suggestion(text, words_of(text, contracted=True), language)


@pytest.mark.parametrize(
    "text",
    [
        "What did you suggest for dinner?",
        "Which tips did Rita give me?",
        "Where does she get her ideas from?",
        "Where do I live?",
        "When is my next dentist appointment?",
        "What is the best result I ever got?",
        "I avoid anything with dairy.",
        "Who suggested the film?",
    ],
)
def test_what_was_so_is_asked_without_one(text: str) -> None:
    assert not asks_suggestion(text, words_of(text, contracted=True))


def test_a_language_that_is_not_read_has_no_requests() -> None:
    assert not asks_suggestion(REQUEST, words_of(REQUEST), "Polish")


def test_tastes_of_a_person_rank_higher_and_nobody_elses_do(told: memdb.Memory) -> None:
    hits = told.search(REQUEST, user_id="ana", now=NOW)
    suiting = [hit for hit in hits if hit.parts["preference"]]
    assert {hit.fact.value_text for hit in suiting if hit.fact.kind == "message"} == {SAID[1][1], SAID[4][1]}
    assert all(hit.fact.source == "user_message" for hit in suiting)
    for hit in suiting:
        assert hit.parts["preference"] == pytest.approx(0.1 + 0.9 * hit.parts["match"])
        assert hit.contributions["preference"] == pytest.approx(1.75 * hit.parts["preference"])


def test_without_a_request_a_taste_is_a_message_like_any_other(told: memdb.Memory) -> None:
    assert not any(hit.parts["preference"] for hit in told.search("Where is the sofa?", user_id="ana", now=NOW))


def test_a_set_that_does_not_weigh_tastes_does_not_look_for_them(told: memdb.Memory) -> None:
    told.set_weights({"plain": {**told.weights("default"), "preference": 0.0}})
    assert not any(hit.parts["preference"] for hit in told.search(REQUEST, user_id="ana", weights="plain", now=NOW))


def test_tastes_are_found_among_what_filters_let_through(told: memdb.Memory) -> None:
    hits = told.search(REQUEST, user_id="ana", must=["dairy"], kinds=["message"], now=NOW)
    assert [(hit.fact.value_text, hit.parts["preference"] > 0) for hit in hits] == [(SAID[1][1], True)]


def test_tastes_are_found_where_a_collection_is_the_index(tmp_path: Path) -> None:
    collection = EphemeralClient().get_or_create_collection("facts")
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, vectors=collection, config={"worker": False}) as mem:
        mem.load([{"role": role, "content": text, "timestamp": "2025-05-01"} for role, text in SAID], user_id="ana")
        assert mem.drain(60)
        hits = mem.search(REQUEST, user_id="ana", kinds=["message"], now=NOW)
        assert hits.degraded is None
        assert {hit.fact.value_text for hit in hits if hit.parts["preference"]} == {SAID[1][1], SAID[4][1]}


def test_a_request_shows_a_prompt_what_is_to_be_minded(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.load([{"text": f"We watched the boats at pier {number}.", "timestamp": "2025-05-01"} for number in range(40)], user_id="ana")
        mem.load([{"text": "My brother can't stand loud places.", "timestamp": "2025-04-01"}], user_id="ana")
        mem.drain()
        assert "loud places" in mem.context("Where shall we go with the boats?", user_id="ana", max_tokens=200, now=NOW).text
        assert "loud places" not in mem.context("When did we see the boats?", user_id="ana", max_tokens=200, now=NOW).text


def test_where_there_is_little_room_a_taste_is_shown_rather_than_unsure_plans(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        for number in range(6):
            mem.remember(f"Paint shelf {number} in the cellar", user_id="ana", kind="task", confidence=0.3, timestamp="2025-05-01")
        mem.remember(
            "User prefers quiet places", user_id="ana", key="user.prefers", object="quiet places", confidence=0.4, timestamp="2025-05-01"
        )
        mem.drain()
        assert "quiet places (unsure)" in mem.context(REQUEST, user_id="ana", max_tokens=60, now=NOW).text
        assert "quiet places" not in mem.context("Where is the cellar?", user_id="ana", max_tokens=60, now=NOW).text
        mem.set_weights({"default": {**mem.weights("default"), "preference": 0.0}})
        assert "quiet places" not in mem.context(REQUEST, user_id="ana", max_tokens=60, now=NOW).text


def test_a_request_is_told_to_heed_tastes_and_not_that_it_has_no_answer(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.load([{"text": "I avoid anything with dairy.", "timestamp": "2025-05-01"}], user_id="ana")
        asked, other = (mem.context(text, user_id="ana", now=NOW).verdict for text in (REQUEST, "Which dentist do I see?"))
    assert asked is not None
    assert asked.instruction == "A suggestion is asked for: heed what stands here of what the user likes, avoids or cannot have."
    assert other is not None
    assert other.instruction != asked.instruction
