"""Asked for things of a kind, a search finds what tells of such things."""

from __future__ import annotations

from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder
from memdb.hyponyms import hypernyms_in, hyponyms_of, kinds
from memdb.interfaces.chroma import EphemeralClient
from memdb.unspaced import words_of

NOW = "2025-06-01T12:00:00Z"
SAID = [
    "My daughter got a cello for her birthday.",
    "We went bouldering with Tom on Tuesday.",
    "I watched the news last night.",
    "Squash with Lena was fun!",
    "The kettle is broken again.",
    "I was in Lisbon and in Oslo this spring.",
    "The neighbours had a barbecue.",
    "I slept badly.",
]


@pytest.fixture(params=["by meaning", "by words"])
def told(tmp_path: Path, request: pytest.FixtureRequest) -> memdb.Memory:
    embedder = HashingEmbedder(64) if request.param == "by meaning" else None
    mem = memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False})
    mem.load([{"text": text, "timestamp": "2025-05-01"} for text in SAID], user_id="ana")
    mem.load([{"text": "I play the piano, the flute and the drums.", "timestamp": "2025-05-01"}], user_id="ben")
    assert mem.drain(60) or embedder is None
    return mem


@pytest.mark.parametrize(
    ("question", "hypernyms"),
    [
        ("Which instruments do I play?", ("instruments",)),
        ("what other musical instruments can she play", ("instruments",)),
        ("How many pets does Rita have?", ("pets",)),
        ("Do I have any allergies?", ("illnesses",)),
        ("List all my hobbies.", ("activities",)),
        ("What kind of instrument does Ben play?", ("instruments",)),
        ("What type of martial art do I practise?", ("martial arts",)),
        ("Which cities and countries have I seen?", ("countries", "cities")),
        ("What games or books does he like?", ("books", "games")),
        ("Which instrument did I buy?", ()),
        ("Where did I leave my books?", ()),
        ("Pets are fun.", ()),
        ("When was the concert?", ()),
        ("What did my sister say about the state of the car?", ()),
    ],
)
def test_a_question_asks_for_things_of_a_kind(question: str, hypernyms: tuple[str, ...]) -> None:
    assert hypernyms_in(question, words_of(question)) == hypernyms


def test_each_name_of_a_kind_asks_for_it_and_no_word_stands_in_one_twice() -> None:
    for kind in kinds():
        assert len({*map(str.casefold, kind.hyponyms)}) == len(kind.hyponyms), kind.called[0]
        for name in kind.called:
            question = f"Which {name} do I know?"
            assert kind.called[0] in hypernyms_in(question, words_of(question)), name
            assert hyponyms_of(name) == kind.hyponyms


def test_what_is_no_kind_has_no_things() -> None:
    assert hyponyms_of("tea") == ()


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which sports have I tried?", {1, 3}),
        ("Do I know any instruments?", {0}),
        ("Which cities did I visit?", {5}),
    ],
)
def test_what_tells_of_such_a_thing_is_found_and_ranks_higher(told: memdb.Memory, question: str, found: set[int]) -> None:
    told.set_weights({"plain": {**told.weights("default"), "hyponym": 0.0}})
    plain = {hit.fact.fact_id: hit for hit in told.search(question, user_id="ana", weights="plain", now=NOW)}
    telling = [hit for hit in told.search(question, user_id="ana", now=NOW) if hit.parts["hyponym"]]
    assert {SAID.index(hit.fact.value_text) for hit in telling} == found
    for hit in telling:
        assert 0 < hit.parts["hyponym"] <= 1
        assert hit.contributions["hyponym"] == pytest.approx(0.6 * hit.parts["hyponym"])
        assert hit.bears(2.0)
        if before := plain.get(hit.fact.fact_id):  # by words alone, it was not found at all
            assert hit.score == pytest.approx(before.score + hit.contributions["hyponym"])
            assert before.parts["hyponym"] == 0.0


def test_what_tells_of_a_thing_is_found_among_what_filters_let_through(told: memdb.Memory) -> None:
    hits = told.search("Which sports have I tried?", user_id="ana", must=["Lena"], now=NOW)
    assert [hit.fact.value_text for hit in hits] == ["Squash with Lena was fun!"]
    assert hits[0].parts["hyponym"] == 1.0


def test_a_kind_is_spoken_of_where_a_thing_of_it_is(told: memdb.Memory) -> None:
    assert told.assess("Which sports do I do?", user_id="ana", now=NOW).unspoken == ()
    assert told.assess("Which languages?", user_id="ana", now=NOW).unspoken == ("languages",)


def test_what_tells_of_a_thing_is_found_where_a_collection_is_the_index(tmp_path: Path) -> None:
    collection = EphemeralClient().get_or_create_collection("facts")
    embedder = HashingEmbedder(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, vectors=collection, config={"worker": False}) as mem:
        mem.load([{"text": text, "timestamp": "2025-05-01"} for text in SAID], user_id="ana")
        assert mem.drain(60)
        hits = mem.search("Which sports have I tried?", user_id="ana", now=NOW)
        assert hits.degraded is None
        assert {SAID.index(hit.fact.value_text) for hit in hits if hit.parts["hyponym"]} == {1, 3}
