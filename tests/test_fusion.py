"""The first hits are those that scoring every row would give."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import memdb
from memdb import files
from memdb.asked import FILTERS, match_expression
from memdb.candidates import Words
from memdb.database import SqlValue
from memdb.eligible import eligible
from memdb.embed import HashingEmbedder, to_blob
from memdb.files import parameter_order
from memdb.fusion import _top
from memdb.hyponyms import hyponyms_of
from memdb.quantize import quantize
from memdb.records import LIVE, Status
from memdb.scoring import Scorer
from memdb.suggestions import tells_taste
from memdb.times import to_text
from memdb.vectors import VectorCache

EMBEDDER = HashingEmbedder(64)
WORDS = "tea coffee garden river train letter sister music winter market bridge doctor painting summer kitchen bicycle".split()
NOW = "2025-06-01T00:00:00.000Z"
SETS = ["default", "lexical-only", "vector-only"]


@pytest.fixture(params=["vectors", "codes", "vectors in the file", "codes in the file"])
def crowded(mem: memdb.Memory, request: pytest.FixtureRequest) -> memdb.Memory:
    """Nine hundred facts of all types and ages and three hundred messages, all in the same few words.

    They are compared by their vectors or by their codes, which are kept or pass by.
    """
    mem._answering.cache = VectorCache(0 if "file" in request.param else 8)
    chance = random.Random(1)
    types = ["SIGNIFICANT", "PREFERENCE", "ROUTINE", "OBSERVATION", "TRANSIENT"]
    facts = [
        {
            "value_text": " ".join(chance.choices(WORDS, k=chance.randint(2, 6))),
            "user_id": "ana",
            "memory_type": chance.choice(types),
            "importance": chance.random(),
            "confidence": chance.random(),
            "tags": ("rare",) if place % 40 == 0 else (),
            "timestamp": f"202{chance.randint(0, 4)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        }
        for place in range(900)
    ]
    mem.remember_many(facts, vectors=EMBEDDER.embed([str(fact["value_text"]) for fact in facts]))
    said = [
        {
            "text": chance.choice(["", "Wow, "])
            + " ".join(chance.choices(WORDS, k=chance.randint(2, 9)))
            + chance.choice(["", "?", " at 5 yesterday", " now", " I enjoy"]),
            "speaker": chance.choice([None, "Rita"]),
            "timestamp": f"2025-0{chance.randint(1, 5)}-{chance.randint(1, 28):02}",
            "session_id": f"s{number % 9}",
        }
        for number in range(300)
    ]
    mem.load(said, user_id="ana")
    assert mem.drain(60)
    if "codes" in request.param:
        db = mem._store.database()
        with db.transaction():
            assert quantize(db, dimension=64, users=["ana"], least=4, size=4) > 1_000
            db.run("sync.changed", user_id="ana")
    return mem


def telling(mem: memdb.Memory, asked: memdb.Question) -> dict[str, float]:
    """How much each row tells of things of the kinds that are asked for, by the full-text index itself."""
    words = " OR ".join(f'"{word}"' for kind in asked.hypernyms for word in hyponyms_of(kind))
    found = mem._store.database().connection.execute(
        "select rowid, bm25(facts_fts, 1.0, 0.0, 0.0, 0.0) from facts_fts where facts_fts match ?", (f"body : ({words})",)
    )
    scores = {str(id): float(bm25) for id, bm25 in found}
    return {id: bm25 / min(scores.values()) for id, bm25 in scores.items() if bm25 < 0}


def tasteful(mem: memdb.Memory) -> list[int]:
    """What somebody tells of a taste, by the full-text index itself."""
    found = mem._store.database().connection.execute(
        "select f.id from facts_fts t join facts f on f.id = t.rowid where facts_fts match ? ",
        (tells_taste("English"),),
    )
    return [int(str(id)) for (id,) in found]


def exhaustive(
    mem: memdb.Memory,
    asked: memdb.Question,
    *,
    weights: str,
    kinds: Sequence[str] = ("fact", "message", "note"),
    tags: list[str] | None = None,
    goal: str | None = None,
) -> list[tuple[str, float]]:
    """The best ten when the one statement scores everything, told every distance by sqlite-vec itself."""
    db = mem._store.database()
    meaning = to_blob(EMBEDDER.embed([asked.meaning])[0])
    distances = db.connection.execute("select rowid, vec_distance_cosine(embedding, ?) from facts_vec where user_id = 'ana'", (meaning,))
    parameters: dict[str, SqlValue] = dict.fromkeys(parameter_order(files.statement("retrieve")))
    parameters |= {
        "user_id": "ana",
        "terms": match_expression(asked),
        "hits": json.dumps(list(distances) if weights != "lexical-only" else []),
        "found": "[]",
        "actor": asked.actor,
        "asks_when": int(asked.intent == "time"),
        "asks_now": int(asked.present),
        "nearly": 0.8,
        "asks_former": int(asked.former),
        "times": json.dumps([[to_text(begins), to_text(ends)] for begins, ends in asked.times]),
        "kinds": json.dumps(kinds),
        "statuses": '["active", "pending_confirmation"]',
        "shelves": "[]",
        "tags": json.dumps(tags) if tags is not None else None,
        "goal": to_blob(EMBEDDER.embed([goal])[0]) if goal is not None else None,
        "hyponyms": json.dumps(telling(mem, asked)) if asked.hypernyms else None,
        "tastes": json.dumps(tasteful(mem)) if asked.suggestion else None,
        "k_lex": 1_000_000,
        "now": NOW,
        "weights": weights,
        "limit": 10,
    }
    return [(str(row["fact_id"]), float(row["score"] or 0)) for row in db.all("retrieve", **parameters)]


QUESTIONS = [
    "Does she like tea in the garden?",
    "river bicycle",
    "When did Rita go to the market?",
    "What did I say about the doctor in March?",
    "kitchen music winter letter bridge",
    "nothing of this",
    "Where is the winter garden?",
    "What does the doctor drink in the kitchen?",
]


@pytest.mark.parametrize("weights", SETS)
def test_the_first_ten_are_those_of_the_whole(crowded: memdb.Memory, weights: str) -> None:
    for query in QUESTIONS:
        hits = crowded.search(query, user_id="ana", weights=weights, now=NOW)
        wanted = exhaustive(crowded, hits.question, weights=weights)
        scored = [score for _, score in wanted if score > 0 or weights != "lexical-only"]
        assert [hit.score for hit in hits][: len(scored)] == pytest.approx(scored, abs=1e-5), query


def test_the_first_ten_with_a_goal_are_those_of_the_whole(crowded: memdb.Memory) -> None:
    for query in QUESTIONS:
        hits = crowded.search(query, user_id="ana", goal="bicycle market", now=NOW)
        wanted = exhaustive(crowded, hits.question, weights="default", goal="bicycle market")
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5), query


def test_the_first_ten_for_a_request_are_those_of_the_whole(crowded: memdb.Memory) -> None:
    for query in ("Can you suggest music for the kitchen?", "What could I do in winter?", "Any ideas?"):
        hits = crowded.search(query, user_id="ana", now=NOW)
        assert hits.question.suggestion
        assert any(hit.parts["preference"] for hit in hits)
        wanted = exhaustive(crowded, hits.question, weights="default")
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5), query


@pytest.mark.parametrize(
    "query",
    [
        "Which drinks does she like in the garden?",
        "What kind of vehicle did Rita see at the market?",
        "Which activities do I like in winter?",
    ],
)
def test_the_first_ten_of_a_kind_are_those_of_the_whole(crowded: memdb.Memory, query: str) -> None:
    hits = crowded.search(query, user_id="ana", now=NOW)
    assert sum(hit.parts["hyponym"] > 0 for hit in hits) > 1
    wanted = exhaustive(crowded, hits.question, weights="default")
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5)


def test_where_age_and_type_outweigh_meaning_nearly_all_are_those_of_the_whole(crowded: memdb.Memory) -> None:
    crowded.set_weights({"lived": {"cosine": 0.4, "importance": 0.25, "decay": 0.2, "access_bonus": 0.15}})
    agreed = []
    for query in QUESTIONS:
        hits = crowded.search(query, user_id="ana", weights="lived", now=NOW)
        agreed.append(len({hit.fact.fact_id for hit in hits} & {name for name, _ in exhaustive(crowded, hits.question, weights="lived")}))
    assert sum(agreed) >= 9 * len(QUESTIONS)


def test_narrow_legs_would_miss_some(crowded: memdb.Memory) -> None:
    cut = {"worker": False, "top_k_lex": 5, "top_k_vec": 5}
    with memdb.open(crowded._store.path, embedder=crowded.embedder, config=cut) as narrow:
        hits = narrow.search(QUESTIONS[0], user_id="ana", now=NOW)
    assert {hit.fact.fact_id for hit in hits} != {name for name, _ in exhaustive(crowded, hits.question, weights="default")}


def test_more_hits_begin_with_the_same_twenty(crowded: memdb.Memory) -> None:
    for query in QUESTIONS[:3]:
        many = crowded.search(query, user_id="ana", now=NOW, limit=150)
        few = crowded.search(query, user_id="ana", now=NOW, limit=20)
        assert [hit.fact.fact_id for hit in many][:20] == [hit.fact.fact_id for hit in few]
        assert {hit.fact.kind for hit in many} == {"fact", "message"}


def test_a_rare_tag_is_found_among_many(crowded: memdb.Memory) -> None:
    hits = crowded.search("tea", user_id="ana", tags=["rare"], now=NOW)
    assert len(hits) == 10
    wanted = exhaustive(crowded, hits.question, weights="default", tags=["rare"])
    assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5)


@pytest.mark.parametrize("weights", ["default", "priority", "mem-skill"])
@pytest.mark.parametrize("embedder", [EMBEDDER, None])
def test_one_hot_message_is_found_among_many_cold_ones_that_fit_better(
    tmp_path: Path, weights: str, embedder: HashingEmbedder | None
) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:
        cold = [{"text": f"The dog plays with the red ball, day {day}", "timestamp": "2024-01-01"} for day in range(900)]
        mem.load([*cold, {"text": "The dog is at the vet and gets a medicine", "timestamp": "2025-05-31"}], user_id="ana")
        assert mem.drain(60)
        (hit,) = mem.search("Which red ball does the dog play with?", user_id="ana", weights=weights, tiers=["hot"], now=NOW)
        assert (hit.tier, "vet" in hit.fact.value_text) == ("hot", True)


def test_a_least_score_leaves_out_the_rest(crowded: memdb.Memory) -> None:
    all_hits = crowded.search("tea garden", user_id="ana", now=NOW)
    least = all_hits[4].score
    assert [hit.fact.fact_id for hit in crowded.search("tea garden", user_id="ana", now=NOW, min_score=least)] == [
        hit.fact.fact_id for hit in all_hits[:5]
    ]


def test_words_alone_are_ranked_as_a_whole(crowded: memdb.Memory) -> None:
    with memdb.open(crowded._store.path, embedder=None, config={"worker": False}) as words:
        hits = words.search("tea garden", user_id="ana", now=NOW)
    db = crowded._store.database()
    assert hits.degraded
    assert db.has_vectors
    crowded._answering.patient = None
    assert [hit.score for hit in crowded.search("tea garden", user_id="ana", now=NOW)] == [hit.score for hit in hits]


def test_a_row_that_waits_for_its_vector_is_found_by_its_words(crowded: memdb.Memory) -> None:
    crowded.remember("A zeppelin over the garden", user_id="ana", timestamp="2025-05-01")
    hit = crowded.search("zeppelin", user_id="ana", now=NOW)[0]
    assert (hit.fact.value_text, hit.parts["lexical"] > 0.5, hit.parts["cosine"]) == ("A zeppelin over the garden", True, 0.0)
    assert crowded.drain(30)
    assert crowded.search("zeppelin", user_id="ana", now=NOW)[0].parts["cosine"] > 0


def test_mem_skill_ranks_twenty_of_the_words_and_twenty_of_the_meaning_and_nothing_else(crowded: memdb.Memory) -> None:
    hits = crowded.search("tea in the garden by the river", user_id="ana", kinds=["fact"], weights="mem-skill", limit=200, now=NOW)
    by_words = sum(hit.parts["lexical"] > 0 for hit in hits)
    assert 20 <= len(hits) <= 40 < len(crowded.search("tea in the garden by the river", user_id="ana", kinds=["fact"], limit=200, now=NOW))
    assert by_words >= 20


def test_first_person_ranks_the_twenty_nearest_and_what_has_the_words_and_waits_for_its_vector(crowded: memdb.Memory) -> None:
    asked, kinds = "tea in the garden by the river", ["fact"]
    nearest = crowded.search(asked, user_id="ana", kinds=kinds, weights="vector-only", limit=20, now=NOW)
    hits = crowded.search(asked, user_id="ana", kinds=kinds, weights="first-person", limit=200, now=NOW)
    assert {hit.fact.fact_id for hit in hits} == {hit.fact.fact_id for hit in nearest}
    waiting = crowded.remember("A river of tea", user_id="ana", timestamp="2025-05-01")
    more = crowded.search(asked, user_id="ana", kinds=kinds, weights="first-person", limit=200, now=NOW)
    assert {hit.fact.fact_id for hit in more} == {hit.fact.fact_id for hit in nearest} | {waiting.fact_id}
    rare = crowded.search(asked, user_id="ana", kinds=kinds, weights="first-person", tags=["rare"], limit=200, now=NOW)
    assert len(rare) == 20


@pytest.mark.parametrize("query", ["When did Rita have tea?", "tea in the garden"])
def test_what_is_told_of_a_row_is_what_its_parts_say(crowded: memdb.Memory, query: str) -> None:
    db = crowded._store.database()
    hits = crowded.search(query, user_id="ana", now=NOW, limit=150)
    ids: dict[str, int] = dict(db.connection.execute("select fact_id, id from facts"))
    features = ("actor", "is_question", "length", "has_number", "is_reaction", "has_time")
    weight = {f"w_{feature}": crowded.weights("default").get(feature, 0.0) for feature in features}
    asked = {"actor": hits.question.actor, "asks_when": int(hits.question.intent == "time"), "user_id": "ana"}
    told = {row["id"]: row["adds"] for row in db.all("scan.told", ids=json.dumps(list(ids.values())), **asked, **weight)}
    assert {bool(hit.parts[feature]) for hit in hits for feature in features} == {True, False}
    for hit in hits:
        assert told[ids[hit.fact.fact_id]] == pytest.approx(sum(hit.contributions[feature] for feature in features))


def test_what_is_held_of_a_row_gives_it_no_more_than_is_told(crowded: memdb.Memory) -> None:
    db = crowded._store.database()
    features = ("type_weight", "importance", "confidence")
    hits = crowded.search("tea in the garden", user_id="ana", now=NOW, limit=150)
    ids: dict[str, int] = dict(db.connection.execute("select fact_id, id from facts"))
    weight = {f"w_{feature}": crowded.weights("default")[feature] for feature in features}
    held = {row["id"]: float(row["held"] or 0) for row in db.all("scan.held", ids=json.dumps(list(ids.values())), **weight)}
    over = [held[ids[hit.fact.fact_id]] - sum(hit.contributions[feature] for feature in features) for hit in hits]
    assert min(over) >= -1e-12
    assert min(over) < 0.01 < max(held.values()) - min(held.values())  # it tells rows apart, and not much more than they get
    assert max(held.values()) <= sum(weight.values())


@pytest.mark.parametrize("weights", ["default", "even", "lived"])
def test_the_first_ten_of_facts_alone_are_those_of_the_whole(crowded: memdb.Memory, weights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crowded.set_weights(
        {"even": {"cosine": 0.3, "confidence": 0.5}, "lived": {"lexical": 1.0, "cosine": 1.0, "importance": 0.6, "decay": 0.1}}
    )
    read, held = [], Scorer.held

    def spied(self: Scorer, ids: list[int]) -> dict[int, float]:
        read.append(ids)
        return held(self, ids)

    monkeypatch.setattr(Scorer, "held", spied)
    for query in ("river bicycle", "nothing of this", "Where is the winter garden?", "kitchen music winter letter bridge"):
        hits = crowded.search(query, user_id="ana", kinds=["fact"], weights=weights, now=NOW)
        wanted = exhaustive(crowded, hits.question, weights=weights, kinds=["fact"])
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5), query
    assert read  # or nothing of this would be about what is held of them


def test_what_words_and_meaning_say_alike_is_not_counted_twice(crowded: memdb.Memory) -> None:
    hits = crowded.search("tea in the garden", user_id="ana", now=NOW)
    assert all(hit.parts["both"] == pytest.approx(hit.parts["lexical"] * hit.parts["cosine"]) for hit in hits)
    assert min(hit.contributions["both"] for hit in hits) < 0
    assert all(hit.score == pytest.approx(sum(hit.contributions.values())) for hit in hits)


@pytest.mark.parametrize(
    "odd", [{"both": -4.0}, {"both": 3.0}, {"cosine": -1.0}, {"window": -2.0, "both": -1.0}, {"cosine": -1.0, "window": -1.0}]
)
def test_the_first_ten_are_those_of_the_whole_where_nearness_counts_against_a_row(crowded: memdb.Memory, odd: dict[str, float]) -> None:
    for feature, value in odd.items():
        crowded._store.database().connection.execute("insert or replace into weights values ('default', ?, ?)", (feature, value))
    for query in QUESTIONS[:3]:
        hits = crowded.search(query, user_id="ana", now=NOW)
        wanted = exhaustive(crowded, hits.question, weights="default")
        assert [hit.score for hit in hits] == pytest.approx([score for _, score in wanted], abs=1e-5), query


CHANGES = {
    "end": "update facts set valid_to = '2025-06-01T00:00:00.000Z' where id % :every = 0",  # just now
    "end later": "update facts set valid_to = '2026-05-01T00:00:00.000Z' where id % :every = 0",
    "supersede": "update facts set status = 'superseded' where id % :every = 0",
    "revive": "update facts set status = 'active' where id % :every = 0",
    "doubt": "update facts set status = 'pending_confirmation' where id % :every = 0",
    "reword": "update facts set value_text = value_text || ' tea' where id % :every = 0",
    "archive": "update facts set status = 'archived' where id % :every = 0",
    "delete": "delete from facts where id % :every = 0",
    "delete the last": "delete from facts where id > (select max(id) - :every from facts)",  # whose numbers others get
    "note": "update facts set kind = 'note' where id % :every = 0 and kind = 'fact'",
}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(changes=[("reword", 2), ("end", 2)], kinds=["fact"], statuses=LIVE)
@example(changes=[("supersede", 2), ("archive", 3)], kinds=["fact", "message", "note"], statuses=(*LIVE, "superseded"))
@given(
    changes=st.lists(st.tuples(st.sampled_from([*CHANGES, "embed", "add"]), st.integers(2, 7)), max_size=6),
    kinds=st.sampled_from([["fact", "message", "note"], ["fact"], ["message"]]),
    statuses=st.sampled_from([LIVE, (*LIVE, "superseded"), (*LIVE, "superseded", "expired", "archived"), (*LIVE, "expired")]),
)
def test_words_find_the_same_by_vectors_as_by_rows(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, int]], kinds: list[str], statuses: tuple[Status, ...]
) -> None:
    with memdb.open(tmp_path_factory.mktemp("any") / "mem.db", embedder=EMBEDDER, llm=None, config={"worker": False}) as mem:
        db = mem._store.database()
        for change, every in [("add", 2), ("embed", 2), *changes]:
            if change == "embed":
                assert mem.drain(60)
            elif change == "add":
                told = [{"value_text": f"Likes tea {number}", "user_id": user} for number in range(every) for user in ("ana", "bea")]
                mem.remember_many(told)
                mem.load([{"text": f"I had tea with {number}, and tea"} for number in range(every)], user_id="ana")
            else:
                db.connection.execute(CHANGES[change], {"every": every})
        filters: dict[str, SqlValue] = dict.fromkeys(FILTERS) | {
            "user_id": "ana",
            "kinds": json.dumps(kinds),
            "statuses": json.dumps(statuses),
            "now": NOW,
            "hot_days": None,
            "warm_days": None,
        }
        columns = {"bm25_body": 1.0, "bm25_reply": 0.5, "bm25_context": 0.3, "bm25_date": 1.0}
        shelves = [*kinds, "window", *(["closed"] if statuses != LIVE else [])]
        wanted = sorted(db.tuples("scan.words", **filters, **columns, terms='"tea"'))
        for cache in (VectorCache(8), VectorCache(0)):
            with db.snapshot():
                near = cache.near(db, EMBEDDER.embed(["tea"])[0], user_id="ana", shelves=shelves)
                may = eligible(db, near, user_id="ana", kinds=kinds, statuses=statuses, now=NOW)
                words = may.words(db, '"tea"', columns=columns) if may is not None else Words()
                assert sorted(zip(words.ids, words.kinds, words.bm25, strict=True)) == wanted


@pytest.mark.parametrize("size", [0, 1, 300, 2_047, 2_048, 10_001])
@pytest.mark.parametrize("alike", [1, 3, None], ids=["all alike", "many alike", "none alike"])
def test_the_highest_of_many_values_are_those_that_sorting_would_give(size: int, alike: int | None) -> None:
    chance = np.random.default_rng(1)
    values = chance.standard_normal(size) if alike is None else chance.integers(0, alike, size).astype(np.float64)
    for some in (values, np.sort(values), np.sort(values)[::-1]):
        for count in {0, min(1, size), min(64, size), max(0, size - 1), size}:
            places = _top(some, count).tolist()
            assert len(set(places)) == count
            assert sorted(some[places].tolist()) == sorted(some.tolist())[size - count :]


def test_the_highest_are_as_many_as_wanted_where_some_are_not_a_number() -> None:
    values = np.random.default_rng(1).standard_normal(10_000)
    values[::40] = np.nan
    assert len(set(_top(values, 64).tolist())) == 64
