"""The one query: safe for any text, fair to every kind, and open about its score."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

import memdb
from memdb import files
from memdb.database import SqlValue
from memdb.embed import HashingEmbedder, to_blob
from memdb.files import parameter_order
from memdb.records import FACT_COLUMNS, Fact, fact_of
from memdb.times import to_text
from memdb.unspaced import required
from tests.embedders import Broken

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tell = Callable[..., memdb.Memory]
SPOKEN = st.characters(exclude_categories=["Cs"])
ANY_FIXTURE = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY_FIXTURE
@given(query=st.text(max_size=200))
def test_any_text_is_a_safe_question(query: str, mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="ana", turn_id="t")
    mem.search(query, user_id="ana")


@pytest.mark.parametrize(
    "query",
    ["", " ", '"', '"""', "porto AND", "NOT porto", "NEAR(porto)", "body:porto", "porto*", "^porto", "'; drop table facts; --", "👩‍👩‍👧",
     "\x00porto", "\ud800", "the of and", "porto " * 20_000, "(" * 500, "{porto}: -"],
    ids=range(18),
)  # fmt: skip
def test_operators_and_worse_are_only_words(query: str, tell: Tell) -> None:
    mem = tell("I live in Porto.", "The weather of the day and the night.")
    hits = mem.search(query, user_id="ana", weights="lexical-only")
    if "porto" in query.casefold():
        assert "Porto" in hits[0].fact.value_text


@ANY_FIXTURE
@given(
    details=st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(SPOKEN),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(SPOKEN), inner, max_size=3),
        max_leaves=6,
    ),
    tags=st.lists(st.text(SPOKEN, min_size=1), max_size=3, unique=True),
    times=st.lists(st.none() | st.datetimes(), min_size=4, max_size=4),
)
def test_a_fact_is_the_same_whether_read_from_its_row_or_its_record(
    details: JsonValue, tags: list[str], times: list[datetime | None], mem: memdb.Memory
) -> None:
    mem.remember_many([{"value_text": "A heron.", "user_id": "ana", "value_json": details, "tags": tuple(tags)}])
    connection = mem._store.database().connection
    [(id,)] = connection.execute("select max(id) from facts").fetchall()
    event_time, valid_to, mentioned, accessed = (to_text(time.replace(tzinfo=UTC)) if time else None for time in times)
    connection.execute(
        "update facts set event_time = ?, valid_to = ?, last_mentioned_at = ?, last_accessed = ? where id = ?",
        (event_time, valid_to, mentioned, accessed, id),
    )
    [row] = connection.execute(f"select {', '.join(FACT_COLUMNS)} from facts where id = ?", (id,)).fetchall()
    [(record,)] = connection.execute("select record from fact_record where id = ?", (id,)).fetchall()
    fact, checked = fact_of(row), Fact.model_validate_json(str(record))
    assert fact == checked
    assert fact.model_dump_json() == checked.model_dump_json()
    assert fact.model_fields_set == checked.model_fields_set
    assert type(fact.tags) is tuple


def test_another_users_rows_never_come_back(mem: memdb.Memory) -> None:
    mem.load(({"text": f"Porto Porto Porto {number}"} for number in range(200)), user_id="bea")
    mem.observe("Once I was in Porto.", user_id="ana")
    mem.drain()
    for weights in ("default", "mem-skill", "lexical-only", "vector-only"):
        hits = mem.search("Porto", user_id="ana", weights=weights)
        assert [hit.fact.value_text for hit in hits] == ["Once I was in Porto."]


def test_thousands_of_messages_do_not_crowd_out_a_fact(mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="ana")
    mem.load(({"text": f"Porto, Porto, what a city, number {number}"} for number in range(1_500)), user_id="ana")
    mem.drain()
    for weights in ("default", "mem-skill", "lexical-only", "vector-only"):
        hits = mem.search("Porto", user_id="ana", weights=weights, limit=200)
        assert "fact" in {hit.fact.kind for hit in hits}


def test_the_parts_sum_to_the_score(tell: Tell) -> None:
    for hit in tell("I live in Porto.", "I like jazz.").search("Where do I live?", user_id="ana"):
        assert sum(hit.contributions.values()) == pytest.approx(hit.score)


def test_mem_skill_is_what_its_authors_wrote(tell: Tell) -> None:
    for hit in tell("I live in Porto.", "I like jazz.").search("Where do I live?", user_id="ana", weights="mem-skill"):
        part = hit.parts
        assert hit.score == pytest.approx(0.45 * part["lexical"] + 0.45 * part["cosine"] + 0.10 * part["recency"])


def test_weights_are_tuned_by_plain_sql(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    before = mem.search("Porto", user_id="ana", now="2025-03-02")[0]
    mem._store.database().connection.execute("update weights set value = value + 1 where name = 'default' and feature = 'lexical'")
    after = mem.search("Porto", user_id="ana", now="2025-03-02")[0]
    assert after.score == pytest.approx(before.score + before.parts["lexical"])


def test_superseded_facts_are_found_only_by_asking_for_the_past(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    for weights in ("lexical-only", "vector-only", "default"):
        now = {hit.fact.object for hit in mem.search("Porto live", user_id="ana", kinds=["fact"], weights=weights)}
        then = {
            hit.fact.object
            for hit in mem.search("Porto live", user_id="ana", kinds=["fact"], weights=weights, as_of="2025-03-01T12:00:00Z")
        }
        assert (now, then) == ({"Lisbon"}, {"Porto"})


def test_it_is_told_when_nothing_that_could_be_found_has_a_vector_yet(mem: memdb.Memory) -> None:
    assert mem.search("tea", user_id="ana").degraded is None
    mem.remember("Likes tea", user_id="ana", key="user.likes")
    assert str(mem.search("tea", user_id="ana").degraded).startswith("searched by words only")
    mem.drain()
    assert mem.search("tea", user_id="ana").degraded is None


@pytest.mark.parametrize("weights", ["default", "mem-skill", "priority", "lexical-only"])
def test_a_fact_is_found_by_its_tags_and_a_workflow_by_its_name(mem: memdb.Memory, weights: str) -> None:
    mem.remember("Ana keeps a diary", user_id="ana", tags=["gardening", "emotion:sad"])
    mem.remember("Ana reads", user_id="ana", key="user.reads")
    mem.learn("deploy the website", ["run make"], user_id="ana", title="Zebra rollout")
    mem.observe("I am so sad today.", user_id="ana")

    def found(query: str) -> list[str]:
        return [hit.fact.value_text for hit in mem.search(query, user_id="ana", weights=weights) if hit.parts["lexical"] > 0]

    assert found("gardening") == ["Ana keeps a diary"]
    assert found("zebra") == ["To deploy the website: 1. run make"]
    assert "Ana keeps a diary" not in found("sad emotion")
    assert mem.procedures("the zebra rollout", user_id="ana")[0].title == "Zebra rollout"


def test_filters_filter(mem: memdb.Memory) -> None:
    mem.remember("Likes tea", user_id="ana", key="user.likes", tags=["drink"], timestamp="2025-03-01")
    mem.remember("Lives near the tea shop", user_id="ana", key="user.lives_in", timestamp="2025-05-01")
    mem.drain()

    def found(**filters: object) -> list[str]:
        return sorted(hit.fact.key for hit in mem.search("tea", user_id="ana", now="2025-05-02", **filters))  # type: ignore[arg-type]

    assert found() == ["user.likes", "user.lives_in"]
    assert found(tags=["drink"]) == found(categories=["soft_preference"]) == found(min_age_minutes=60 * 24 * 10) == ["user.likes"]
    assert found(max_age_days=10) == found(memory_types=["SIGNIFICANT"]) == ["user.lives_in"]
    assert found(min_score=99) == found(kinds=["task"]) == []
    mem.remember("Likes tea", user_id="ana", key="user.likes", timestamp="2025-04-30")
    assert found(max_age_days=10) == found()


NOW = "2025-06-01T00:00:00.000Z"
DAY, EARLIER = "2025-05-31T00:00:00.000Z", "2025-05-30T23:59:59.000Z"  # a day ago, and a second more
FOURTEEN, FIFTEEN = "2025-05-18T00:00:00.000Z", "2025-05-17T23:59:59.000Z"  # the limits of hot
NINETY, OLDER = "2025-03-03T00:00:00.000Z", "2025-03-02T23:59:59.000Z"  # and of warm
LONG_AGO = {"created_at": "2024-01-01T00:00:00.000Z"}
AS_OF = {"as_of": DAY}
Columns = dict[str, str]

LIMITS: list[tuple[Mapping[str, object], Columns, Columns]] = [  # the filters, what may just be found, and what may not
    ({"kinds": ["note"]}, {"kind": "note"}, {}),
    ({"kinds": ["note"], "statuses": ["expired"]}, {"kind": "note", "status": "expired"}, {"status": "expired"}),
    ({"statuses": ["pending_confirmation"]}, {"status": "pending_confirmation"}, {}),
    ({"statuses": ["superseded"]}, {"status": "superseded"}, {"status": "expired"}),
    ({"statuses": ["superseded"]}, {"status": "superseded", "valid_to": DAY}, {"valid_to": DAY}),
    ({"statuses": ["superseded"]}, {"status": "superseded"}, {"status": "superseded", "valid_to": "2025-05-01T00:00:00.000Z"}),
    ({}, {"valid_to": "2025-06-01T00:00:00.001Z"}, {"valid_to": NOW}),
    ({}, {"status": "pending_confirmation"}, {"status": "pending_confirmation", "valid_to": NOW}),
    ({"min_age_minutes": 1}, {"status": "pending_confirmation"}, {"status": "pending_confirmation", "valid_to": NOW}),
    (AS_OF, {"valid_to": "2025-05-31T00:00:00.001Z"}, {"valid_to": DAY}),
    (AS_OF, {"valid_from": DAY}, {"valid_from": "2025-05-31T00:00:00.001Z"}),
    (AS_OF | {"statuses": ["superseded"]}, {"status": "superseded", "valid_to": NOW}, {"status": "superseded", "valid_to": DAY}),
    ({"categories": ["health"]}, {"category": "health"}, {}),
    ({"memory_types": ["TRANSIENT", "ROUTINE"]}, {"memory_type": "ROUTINE"}, {"memory_type": "PREFERENCE"}),
    ({"memory_types": ["ROUTINE"]}, {"memory_type": "ROUTINE"}, {}),
    ({"tags": ["blue", "red"]}, {"tags": '["green", "red"]'}, {"tags": '["dark red"]'}),
    ({"must": ["Friends", "in the rain"]}, {}, {}),
    ({"since": DAY}, {"event_time": DAY}, {"event_time": EARLIER}),
    ({"since": DAY}, {"kind": "message", "valid_from": DAY}, {"kind": "message", "valid_from": EARLIER}),
    ({"since": DAY}, {"valid_to": "2025-06-01T00:00:00.001Z"}, {"event_time": EARLIER}),
    ({"since": DAY, "statuses": ["expired"]}, {"status": "expired", "valid_to": NOW}, {"status": "expired", "valid_to": DAY}),
    ({"until": DAY}, {"event_time": EARLIER}, {"event_time": DAY}),
    ({"until": DAY}, {"valid_from": EARLIER}, {"valid_from": DAY}),
    ({"min_age_minutes": 1440}, {"created_at": DAY}, {"created_at": "2025-05-31T00:00:01.000Z"}),
    ({"min_age_minutes": 15}, {"created_at": "2025-05-31T23:45:00.000Z"}, {"created_at": "2025-05-31T23:45:00.001Z"}),
    ({"max_age_days": 1}, {"created_at": DAY}, {"created_at": EARLIER}),
    ({"max_age_days": 1}, LONG_AGO | {"last_mentioned_at": DAY}, LONG_AGO | {"last_mentioned_at": EARLIER}),
    ({"max_age_days": 1}, {"created_at": DAY, "last_mentioned_at": LONG_AGO["created_at"]}, LONG_AGO),
    ({"participants": ["Eve", "ana"]}, {"speaker": "Ana Silva"}, {"speaker": "Joana"}),
    ({"participants": ["SILVA"]}, {"speaker": "Ana Silva"}, {"speaker": "Ana Silvana"}),
    ({"participants": ["Ana"]}, {"value_json": '{"participants": ["Eve", "Rosa ana"]}'}, {"value_json": '{"participants": ["Joana"]}'}),
    ({"participants": ["SILVA"]}, {"value_json": '{"participants": ["Silva Ana"]}'}, {"value_json": '{"participants": ["Silvana"]}'}),
    *[({"tiers": ["hot"]}, {"kind": kind, "valid_from": FOURTEEN}, {"kind": kind, "valid_from": FIFTEEN}) for kind in ("episode", "narrative")],
    ({"tiers": ["warm"]}, {"kind": "message", "valid_from": FIFTEEN}, {"kind": "message", "valid_from": FOURTEEN}),
    ({"tiers": ["hot", "warm"]}, {"kind": "message", "valid_from": NINETY}, {"kind": "message", "valid_from": OLDER}),
    ({"tiers": ["cold"]}, {"kind": "narrative", "valid_from": OLDER}, {"kind": "narrative", "valid_from": NINETY}),
    ({"tiers": ["hot"]}, {"kind": "fact", "valid_from": OLDER}, {"kind": "message", "valid_from": OLDER}),
]  # fmt: skip


def alone(mem: memdb.Memory, filters: Mapping[str, object], *, words: bool) -> list[tuple[str, float]]:
    """What the statement finds by itself by the words, or of everything that has a vector."""
    db = mem._store.database()
    meaning = to_blob(HashingEmbedder(64).embed(["tea"])[0])
    near = "select rowid, vec_distance_cosine(embedding, ?) from facts_vec where rowid > 0"
    parameters: dict[str, SqlValue] = dict.fromkeys(parameter_order(files.statement("retrieve"))) | {
        "user_id": "ana", "now": NOW, "weights": "default", "limit": 9, "k_lex": 2, "found": "[]", "times": "[]", "shelves": "[]",
        "kinds": '["fact", "message", "episode", "narrative"]', "statuses": '["active", "pending_confirmation"]', "hot_days": 14,
        "warm_days": 90, "terms": '"tea"' if words else '""', "hits": "[]" if words else json.dumps(list(db.connection.execute(near, (meaning,)))),
    }  # fmt: skip
    parameters |= {name: json.dumps(value) if isinstance(value, list) else value for name, value in filters.items()}  # type: ignore[misc]
    if "must" in filters:
        parameters["must"] = required(cast(list[str], filters["must"]))
    return [(str(row["value_text"]), float(row["lexical"] or 0)) for row in db.all("retrieve", **parameters)]


@pytest.mark.parametrize(("filters", "fits", "others"), LIMITS)
def test_what_just_fits_is_found_among_more_that_just_does_not(
    filters: Mapping[str, object], fits: Columns, others: Columns, tmp_path: Path
) -> None:
    config: dict[str, object] = {"worker": False, "top_k_lex": 2, "top_k_vec": 0}
    said = "A cup of tea with a friend in the rain"
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", llm=None, config=config) as mem:
        mem.remember_many({"value_text": f"A garden {number}", "user_id": "bea"} for number in range(12))
        texts = [*(f"tea {number}" for number in range(5)), said]
        mem.remember_many({"value_text": text, "user_id": "ana", "timestamp": "2025-05-01"} for text in texts)
        for place, columns in (("< 5", others), ("= 5", fits)):
            which = f"user_id = 'ana' and id - (select min(id) from facts where user_id = 'ana') {place}"
            for name, value in columns.items():
                mem._store.database().connection.execute(f"update facts set {name} = ? where {which}", (value,))
        assert mem.drain(30)
        by_words = mem.search("tea", user_id="ana", now=NOW, **filters)  # type: ignore[arg-type]
        # what is over and has not been put aside yet may take places among the nearest
        config |= {"top_k_lex": 0, "top_k_vec": 2 if filters else 9}
        with memdb.open(tmp_path / "mem.db", llm=None, config=config) as other:
            by_meaning = other.search("tea", user_id="ana", now=NOW, **filters)  # type: ignore[arg-type]
        for hits in (by_words, by_meaning):
            # what may not be found is no measure of what may
            assert [(hit.fact.value_text, hit.parts["lexical"]) for hit in hits] == [(said, 1.0)]
        assert (alone(mem, filters, words=True), alone(mem, filters, words=False)) == ([(said, 1.0)], [(said, 0.0)])


@ANY_FIXTURE
@given(words=st.lists(st.sampled_from([*"\"'()*:^+-{}[]|&,;.<>=", "AND", "OR", "NOT", "NEAR", "porto", "the", "\x00", "\n"]), max_size=12))
def test_any_mixture_of_operators_is_a_safe_question(words: list[str], mem: memdb.Memory) -> None:
    mem.observe("I live in Porto.", user_id="ana", turn_id="t")
    hits = mem.search(" ".join(words), user_id="ana", weights="lexical-only")
    assert bool(hits) == ("porto" in words)


@ANY_FIXTURE
@example(query="is", weights="default")
@given(query=st.text(max_size=80), weights=st.sampled_from(["default", "mem-skill", "first-person", "lexical-only", "vector-only"]))
def test_every_score_is_the_sum_of_its_parts_and_best_comes_first(query: str, weights: str, tell: Tell, mem: memdb.Memory) -> None:
    if not mem.facts("ana"):
        tell("I live in Porto.", "I like jazz and figs.", "I moved to Lisbon.")
    hits = mem.search(query, user_id="ana", weights=weights)
    assert all(hit.score == pytest.approx(sum(hit.contributions.values())) for hit in hits)
    assert all(type(part) is float and 0.0 <= part <= 1.0 for hit in hits for part in hit.parts.values())
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_hundred_kilobytes_are_a_question(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    hits = mem.search("Porto " + "lorem ipsum " * 9_000, user_id="ana")
    assert max(hit.parts["lexical"] for hit in hits) == 1.0


@pytest.mark.parametrize(("rows", "common", "rare"), [(45, (0.99, 1.0), (0.99, 1.0)), (600, (0.0, 0.01), (0.2, 0.9))])
def test_where_the_best_match_says_little_it_counts_as_little_but_among_few_rows(
    mem: memdb.Memory, rows: int, common: tuple[float, float], rare: tuple[float, float]
) -> None:
    mem.remember_many({"value_text": f"The day number {number}", "user_id": "ana"} for number in range(rows))
    mem.remember("The day of the zeppelin over Porto", user_id="ana")
    for query, (least, most) in (("day", common), ("zeppelin over Porto", rare)):
        assert least <= mem.search(query, user_id="ana")[0].parts["lexical"] <= most
        assert mem.search(query, user_id="ana", weights="mem-skill")[0].parts["lexical"] == 1.0


def test_a_message_of_a_hundred_kilobytes_is_found_and_kept(mem: memdb.Memory) -> None:
    long = "lorem ipsum " * 9_000 + "zebra"
    mem.observe(long, user_id="ana")
    assert mem.drain()
    [hit] = mem.search("zebra", user_id="ana")
    assert hit.fact.value_text == long


def test_another_users_statuses_and_kinds_do_not_leak_either(mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        for place, text in enumerate(("I live in Porto.", "I moved to Lisbon.", "I live in Faro.")):
            mem.observe(text, user_id=user, timestamp=f"2025-03-0{place + 1}")
    mem.drain()
    for filters in ({}, {"as_of": "2025-03-01T12:00"}, {"statuses": ("superseded",)}, {"statuses": ("pending_confirmation",)}):
        hits = mem.search("Porto Lisbon Faro", user_id="ana", limit=100, **filters)
        assert {hit.fact.user_id for hit in hits} == {"ana"}


def test_the_status_is_filtered_before_the_cut(mem: memdb.Memory) -> None:
    for number in range(40):  # forty former homes would fill both legs of twenty
        mem.remember(
            f"Porto Porto home {number}", user_id="ana", key="user.lives_in", confidence=0.95, timestamp=f"2025-03-01T10:{number:02}"
        )
    mem.remember("Also known in Porto as a singer of fado", user_id="ana", key="user.likes", timestamp="2025-02-01")
    mem.drain()
    for weights in ("mem-skill", "lexical-only", "vector-only"):
        hits = mem.search("Porto", user_id="ana", weights=weights, limit=100)
        assert [hit.fact.key for hit in hits if hit.fact.key == "user.likes"] == ["user.likes"]
        assert {hit.fact.status for hit in hits} <= {"active", "pending_confirmation"}


def test_a_failing_embedder_costs_the_meaning_not_the_answer(tmp_path: Path) -> None:
    class Failing(HashingEmbedder):
        broken = False

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.broken:
                raise TimeoutError("no answer")
            return super().embed(texts)

    embedder = Failing(64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.drain()
        assert mem.search("Porto", user_id="ana").degraded is None
        embedder.broken = True
        hits = mem.search("Porto again", user_id="ana", weights="mem-skill")
        assert "failed (TimeoutError: no answer)" in str(hits.degraded)
        assert (hits.semantic, hits.lexical) == (0, len(hits))
        assert all(hit.score == pytest.approx(0.45 * hit.parts["lexical"] + 0.10 * hit.parts["recency"]) for hit in hits)


def test_a_vector_that_is_ready_stands_for_the_question_s_meaning(tmp_path: Path) -> None:
    vectors = np.eye(8, dtype=np.float32)
    facts = [{"value_text": f"Something {place}", "user_id": "ana"} for place in range(8)]
    with memdb.open(tmp_path / "mem.db", embedder=Broken(), config={"worker": False}) as mem:
        mem.remember_many(facts, vectors=vectors)
        hits = mem.search("which one?", user_id="ana", vector=5 * vectors[3], limit=3)
        assert (hits.degraded, hits[0].fact.value_text) == (None, "Something 3")
        assert hits[0].parts["cosine"] == pytest.approx(1.0)
        assert mem.search("", user_id="ana", vector=vectors[5], limit=1)[0].fact.value_text == "Something 5"
        assert mem.search("", user_id="ana", vector=[0, 0, 1, 0, 0, 0, 0, 0], limit=1)[0].fact.value_text == "Something 2"
        for wrong in (np.zeros(8, np.float32), np.ones(3, np.float32), np.full(8, np.nan, np.float32), [], [[1.0] * 8]):
            with pytest.raises(memdb.InputError, match="The vectors given are not of the shape"):
                mem.search("which one?", user_id="ana", vector=wrong)
    with memdb.open(tmp_path / "mem.db", embedder=None) as words, pytest.raises(memdb.ConfigError, match="without an embedder"):
        words.search("which one?", user_id="ana", vector=vectors[3])


def test_the_legs_are_counted(tell: Tell) -> None:
    hits = tell("I live in Porto.", "What a day it was.").search("Porto", user_id="ana")
    assert hits.lexical == sum(1 for hit in hits if hit.parts["lexical"] > 0)
    assert hits.semantic == len(hits) == 3
    assert hits.elapsed_ms > 0


def test_what_is_over_is_not_found_and_what_is_not_over_is(tell: Tell) -> None:
    mem = tell("For this week I'm staying in Berlin.")  # a Saturday

    def found(**when: str) -> list[str]:
        return [hit.fact.object for hit in mem.search("staying Berlin", user_id="ana", kinds=["fact"], **when)]  # type: ignore[arg-type]

    assert found(now="2025-03-01T12:00") == ["Berlin"]
    assert found(now="2025-03-20") == []
    assert found(now="2025-03-20", as_of="2025-03-01T12:00") == ["Berlin"]
    assert found(now="2025-03-20", as_of="2025-02-01") == []


def test_a_rejected_fact_was_never_true(tell: Tell) -> None:
    mem = tell("I live in Porto.")
    mem.reject(mem.facts("ana")[0].fact_id)
    for when in ("2025-03-01T10:00:00Z", "2025-03-02", "2026-01-01"):
        assert list(mem.search("Porto", user_id="ana", kinds=["fact"], as_of=when)) == []


def test_the_fresher_of_two_alike_comes_first(mem: memdb.Memory) -> None:
    for day, text in (("2025-01-01", "Likes tea a lot"), ("2025-03-01", "Likes tea a bit")):
        mem.remember(text, user_id="ana", key="user.likes", timestamp=day)
    mem.drain()
    hits = mem.search("likes tea", user_id="ana", weights="mem-skill", now="2025-03-02", kinds=["fact"])
    assert [hit.fact.value_text for hit in hits] == ["Likes tea a bit", "Likes tea a lot"]
    assert hits[0].parts["recency"] == pytest.approx(math.exp(-1 / 30), rel=1e-6)  # a fact's tau is thirty days
    assert hits[1].parts["recency"] == pytest.approx(math.exp(-60 / 30), rel=1e-6)


def test_a_limit_limits(tell: Tell) -> None:
    mem = tell("I like jazz, tea, figs and rum.")
    assert [len(mem.search("likes", user_id="ana", limit=limit)) for limit in (0, 1, 3)] == [0, 1, 3]


def test_a_score_that_is_just_enough_is_enough(tell: Tell) -> None:
    mem = tell("I like jazz.")
    score = mem.search("likes jazz", user_id="ana", kinds=["fact"], now=NOW)[0].score
    for least, found in ((score, 1), (math.nextafter(score, math.inf), 0)):
        assert len(mem.search("likes jazz", user_id="ana", kinds=["fact"], now=NOW, min_score=least)) == found


def test_statuses_can_be_asked_for(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.", "I live in Braga.", "I like jazz.")
    for weights in ("default", "lexical-only", "vector-only"):
        asked = [("pending_confirmation", "Braga"), ("superseded", "Porto"), ("active", "Lisbon")]
        for status, place in asked:
            hits = mem.search("live in", user_id="ana", kinds=["fact"], categories=["identity"], statuses=(status,), weights=weights)  # type: ignore[arg-type]
            assert [hit.fact.object for hit in hits] == [place]


@pytest.mark.parametrize("k", [0, 3])
def test_the_settings_cut_the_legs(k: int, tmp_path: Path) -> None:
    settings = {"worker": False, "top_k_lex": k, "top_k_vec": 0}
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config=settings) as mem:
        mem.load(({"text": f"Porto {number}"} for number in range(30)), user_id="ana")
        mem.drain()
        assert len(mem.search("Porto", user_id="ana", limit=100)) == k


def test_the_session_that_made_the_file_finds_what_later_ones_find(tmp_path: Path) -> None:
    def found(mem: memdb.Memory) -> list[tuple[str, dict[str, float]]]:
        hits = mem.search("a train to town", user_id="ana", limit=90, now="2025-04-01")
        return [(hit.fact.value_text, hit.parts) for hit in hits]

    config = {"top_k_vec": 5}  # so that most cosines are looked up, not found by the index
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=config) as mem:
        mem.load(({"text": f"The train number {number} to town {number * 7}"} for number in range(80)), user_id="ana")
        mem.drain()
        first = found(mem)
        assert sum(parts["cosine"] > 0 for _, parts in first) == len(first) > 20
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=config) as mem:
        assert found(mem) == first


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(64)])
def test_what_was_never_true_is_no_answer_to_what_was(tmp_path: Path, embedder: HashingEmbedder | None) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=embedder, llm=None, config={"worker": False}) as mem:

        def state(text: str, key: str, object: str, *, day: str = "2025-03-02", turn_id: str | None = None) -> memdb.Fact:
            return mem.remember(text, user_id="ana", key=key, object=object, turn_id=turn_id, timestamp=day)

        state("Ana works at Siemens", "user.works_at", "Siemens", day="2025-03-01")
        mem.observe("I left Siemens last week.", "I see.", user_id="ana", timestamp="2025-03-01T10:00:00Z")
        mem.reject(state("Ana has diabetes", "user.has_condition", "diabetes").fact_id, now="2025-03-03")
        state("Ana drives a Tesla", "user.drives", "Tesla", turn_id="car")
        mem.undo(user_id="ana", turn_id="car", now="2025-03-03")
        state("Ana lives in Rome", "user.lives_in", "Rome")
        state("Ana lives in Oslo", "user.lives_in", "Oslo")  # at once
        mem.drain()
        for asked, found in (
            ("Where did I work in the past?", ["Ana works at Siemens"]),
            ("Did I have diabetes in the past?", []),
            ("Which Tesla did I use to drive?", []),
            ("Did I live in Rome in the past?", []),
        ):
            hits = mem.search(asked, user_id="ana", kinds=["fact"])
            assert hits.question.past
            told = [hit.fact.value_text for hit in hits if hit.fact.status not in ("active", "pending_confirmation")]
            assert set(told) == set(found) | ({"Ana works at Siemens"} if embedder else set())  # by meaning all that was is found
            context = mem.context(asked, user_id="ana", now="2025-06-01").text
            assert not any(never in context for never in ("Ana has diabetes", "Ana drives", "Ana lives in Rome"))
