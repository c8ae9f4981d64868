"""Why something is found, what would change it, and weights fitted to what users say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import memdb
from memdb.embed import HashingEmbedder
from memdb.metrics import judge
from memdb.ranking import SHIPPED
from memdb.scoring import FEATURES
from memdb.store import Store

Tell = Callable[..., memdb.Memory]
NOW = "2025-06-01"
TWO_QUESTIONS = [{"user_id": "ana", "query": "thing1", "answerable": True}, {"user_id": "ana", "query": "thing2", "answerable": False}]


@pytest.fixture
def told(tell: Tell) -> memdb.Memory:
    return tell(
        "I live in Porto.", "I like jazz and figs.", "My sister lives in Faro.", "I moved to Lisbon.", "The weather in Porto was fine."
    )


def find(mem: memdb.Memory, text: str) -> memdb.Fact:
    every = mem.facts("ana", statuses=("active", "superseded", "expired", "pending_confirmation"), kinds=["fact", "message"])
    return next(fact for fact in every if fact.value_text == text)


# explain


def test_the_hits_explained_are_the_hits_found(told: memdb.Memory) -> None:
    why = told.explain("Where do I live?", user_id="ana", limit=3, now=NOW)
    assert [hit.fact.fact_id for hit in why.hits] == [
        hit.fact.fact_id for hit in told.search("Where do I live?", user_id="ana", limit=3, now=NOW)
    ]
    assert why.candidates > 3
    assert why.question.actor == "user"


def test_the_weight_set_that_ranked_is_named(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False, "rival_weights": "mem-skill"}) as mem:
        fact = mem.remember("Ana likes tea", user_id="ana")
        assert mem.explain("tea", user_id="dan").weights == "mem-skill"
        assert mem.explain("tea", user_id="bea").weights == "default"
        assert mem.explain("tea", user_id="ana", fact_id=fact.fact_id, weights="priority").weights == "priority"
        assert mem.explain("wine", user_id="ana", fact_id=fact.fact_id, weights="priority").weights == "priority"


def test_every_candidate_has_its_place_and_what_it_lacks(told: memdb.Memory) -> None:
    hits = told.search("Where do I live?", user_id="ana", limit=100, now=NOW)
    for place, hit in enumerate(hits, start=1):
        why = told.explain("Where do I live?", user_id="ana", fact_id=hit.fact.fact_id, limit=3, now=NOW)
        assert why.place == place
        assert (why.rival is None) == (place == 1)
        if why.rival is not None:
            assert sum(why.lacks.values()) == pytest.approx(why.rival.score - hit.score, abs=0.01)


@pytest.mark.parametrize("base", ["default", "first-person", "priority", "mem-skill"])
def test_a_single_weight_said_to_lift_a_fact_lifts_it_as_it_is_printed(told: memdb.Memory, base: str) -> None:
    lifted, before = 0, told.weights(base)
    for hit in told.search("Where do I live?", user_id="ana", limit=100, weights=base, now=NOW)[2:]:
        why = told.explain("Where do I live?", user_id="ana", fact_id=hit.fact.fact_id, limit=2, weights=base, now=NOW)
        for change in why.changes:
            assert abs(change.wanted) <= 10 * max(before.get(feature, 0.0) for feature in FEATURES)
            told.set_weights({"tried": {**before, change.feature: float(f"{change.wanted:.3f}")}})
            found = told.search("Where do I live?", user_id="ana", limit=2, weights="tried", now=NOW)
            assert hit.fact.fact_id in {other.fact.fact_id for other in found}, change
            lifted += 1
    assert lifted > 3
    assert told.weights(base) == before


@pytest.mark.parametrize("text", ["User likes jazz", "Rita keeps bees"], ids=["lower", "no candidate"])
def test_that_a_link_would_lift_a_fact_is_told_where_links_do_not_count(tmp_path: Path, text: str) -> None:
    with memdb.open(tmp_path / "m.db", embedder=None, config={"worker": False}) as mem:
        mem.remember("User lives in Porto", user_id="ana")
        mem.remember("User lives in Lisbon with Rita", user_id="ana", kind="note")
        far = mem.remember(text, user_id="ana")
        mem.link(mem.search("Where is Porto?", user_id="ana")[0].fact.fact_id, far.fact_id, "relates-to")
        why = mem.explain("Does the user live in Porto?", fact_id=far.fact_id, user_id="ana", limit=2, now=NOW)
        [change] = [one for one in why.changes if one.feature == "linked"]
        assert change.weight == 0
        mem.set_weights({"mine": {**mem.weights("default"), "linked": change.wanted}})
        for weights, is_found in (("default", False), ("mine", True)):
            hits = mem.search("Does the user live in Porto?", weights=weights, user_id="ana", limit=2, now=NOW)
            assert (far.fact_id in {hit.fact.fact_id for hit in hits}) is is_found


@pytest.mark.parametrize("base", ["default", "first-person", "mem-skill", "narrow", "linked"])
def test_no_single_weight_that_lifts_a_fact_is_left_out(told: memdb.Memory, base: str) -> None:
    told.set_weights(
        {"narrow": {**told.weights("mem-skill"), "k_lex": 1, "k_vec": 1}, "linked": {**told.weights("default"), "linked": 0.9}}
    )
    ids = [hit.fact.fact_id for hit in told.search("Where do I live?", user_id="ana", limit=100, now=NOW)]
    for one, other in zip(ids, ids[3:], strict=False):
        told.link(one, other, strength=0.6)
    given, ask = told.weights(base), {"user_id": "ana", "goal": "jazz and figs", "limit": 2, "now": NOW}
    farthest = 10 * max(abs(given.get(feature, 0.0)) for feature in FEATURES)
    tried = {feature: [farthest * share for share in (-1, -0.1, -0.03, 0.03, 0.1, 1)] for feature in FEATURES}
    tried |= {"k_lex": [50], "k_vec": [50]}
    lifted = 0
    for fact_id in ids[1::3]:
        why = told.explain("Where do I live?", fact_id=fact_id, weights=base, **ask)  # type: ignore[arg-type]
        for feature in set(tried) - {change.feature for change in why.changes} if (why.place or 9) > 2 else ():
            for value in tried[feature]:
                told.set_weights({"tried": {**given, feature: value}})
                found = told.search("Where do I live?", weights="tried", **ask)  # type: ignore[arg-type]
                assert fact_id not in {hit.fact.fact_id for hit in found}, (feature, value)
        lifted += len(why.changes)
    assert lifted


def test_explaining_waits_for_nobody_who_writes(told: memdb.Memory) -> None:
    last = told.search("Where do I live?", user_id="ana", limit=100, now=NOW)[-1].fact.fact_id
    other = Store(told._store.path, told.config, vectors=True)
    with other.database().transaction():
        assert told.explain("Where do I live?", user_id="ana", fact_id=last, limit=3, now=NOW).changes
    other.close()


class OutOfOrder(HashingEmbedder):
    """The embedder that wrote a file, but it fails by now."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fail."""
        raise RuntimeError("out of order")


def test_no_weight_is_advised_where_none_can_be_tried(told: memdb.Memory) -> None:
    last = told.search("Where do I live?", user_id="ana", limit=100, now=NOW)[-1].fact.fact_id
    told.close()
    with memdb.open(told._store.path, embedder=OutOfOrder(64), config={"worker": False}) as again:
        why = again.explain("Where do I live?", user_id="ana", fact_id=last, limit=1, now=NOW)
    assert why.degraded is not None
    assert why.changes == ()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tags": ["safety"]}, "It is left out by tags; without that it would be number "),
        ({"must": ["submarine"]}, "It is left out by must; without that it would be number "),
        ({"until": "1999-12-31"}, "It is left out by until; without that it would be number "),
        ({"participants": ["bob"]}, "It is left out by participants; without that it would be number "),
        ({"min_score": 9.0}, "It is left out by min_score; without that it would be number "),
        ({"max_age_days": 0.001, "tags": ["safety"]}, "It is no candidate"),
    ],
)
def test_a_filter_that_leaves_a_fact_out_is_named(told: memdb.Memory, options: dict[str, object], reason: str) -> None:
    fact = find(told, "User lives in Lisbon").fact_id
    why = told.explain("Where do I live?", user_id="ana", fact_id=fact, now=NOW, **options)  # type: ignore[arg-type]
    assert why.reason is not None
    assert why.reason.startswith(reason)


def test_that_something_is_over_by_now_is_no_reason_why_it_was_not_found_then(told: memdb.Memory) -> None:
    fact = find(told, "User lives in Porto")
    why = told.explain("Where do I live?", user_id="ana", fact_id=fact.fact_id, as_of=fact.valid_from, tags=["boat"], now=NOW)
    assert why.reason is not None
    assert "tags" in why.reason


def test_what_was_true_then_is_explained_too(told: memdb.Memory) -> None:
    fact = find(told, "User lives in Porto")
    why = told.explain("Where do I live?", user_id="ana", fact_id=fact.fact_id, as_of=fact.valid_from, now=NOW)
    assert why.place is not None
    later = find(told, "User lives in Lisbon")
    why = told.explain("Where do I live?", user_id="ana", fact_id=later.fact_id, as_of=fact.valid_from, now=NOW)
    assert why.reason is not None
    assert why.reason.startswith("It is true from ")


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("User lives in Porto", {}, "It is superseded"),
        ("User lives in Lisbon", {"kinds": ["message"]}, "It is of kind fact, which was not asked for"),
        ("User likes jazz", {"weights": "lexical-only"}, "It is no candidate"),
    ],
)
def test_what_is_not_found_is_told_why(told: memdb.Memory, text: str, options: dict[str, object], reason: str) -> None:
    why = told.explain("Where do I live?", user_id="ana", fact_id=find(told, text).fact_id, now=NOW, **options)  # type: ignore[arg-type]
    assert why.place is None
    assert why.reason is not None
    assert why.reason.startswith(reason)


def test_a_fact_of_another_user_is_not_explained(told: memdb.Memory) -> None:
    with pytest.raises(memdb.NotFoundError, match="of user 'bea'"):
        told.explain("Where?", user_id="bea", fact_id=find(told, "User lives in Lisbon").fact_id)
    with pytest.raises(memdb.NotFoundError):
        told.feedback("Where?", find(told, "User lives in Lisbon").fact_id, user_id="bea")
    with pytest.raises(memdb.InputError, match="limit is 0"):
        told.explain("Where?", user_id="ana", limit=0)


def test_whose_a_fact_is_need_not_be_said_with_the_feedback(told: memdb.Memory) -> None:
    fact = find(told, "User lives in Lisbon").fact_id
    told.feedback("Where do I live?", fact, good=False)
    (label,) = told.labels()
    assert (label.user_id, label.wrong) == ("ana", (fact,))


def test_the_last_word_on_a_question_counts_however_it_is_spaced(told: memdb.Memory) -> None:
    fact = find(told, "User lives in Lisbon").fact_id
    told.feedback("Where do I live?", fact, user_id="ana", good=False)
    told.feedback("  Where do I  live?\n", fact, user_id="ana")
    (label,) = told.labels()
    assert (label.query, label.relevant, label.wrong) == ("Where do I live?", (fact,), ())


def test_what_lies_in_the_archive_is_no_label(told: memdb.Memory) -> None:
    for text in ("User lives in Porto", "User lives in Lisbon"):
        told.feedback("Where do I live?", find(told, text).fact_id)
    now = find(told, "User lives in Lisbon").fact_id
    assert told.compact(now="2026-06-01") == 1
    assert [label.relevant for label in told.labels()] == [(now,)]


# tune


@pytest.fixture
def asked(mem: memdb.Memory) -> memdb.Memory:
    """Forty messages of two speakers; users say that the answer is always the shorter one, which default weights put second."""
    for number in range(20):
        mem.load(
            [
                {"text": f"The thing{number} is in the garden, and I told you so many times already, my dear.", "turn_id": f"long{number}"},
                {"text": f"The thing{number} is blue.", "turn_id": f"short{number}"},
            ],
            user_id="ana",
        )
    mem.drain()
    for number in range(20):
        hits = mem.search(f"thing{number}", user_id="ana", kinds=["message"])
        for hit in hits[:3]:
            mem.feedback(f"thing{number}", hit.fact.fact_id, user_id="ana", good=hit.fact.source_turn_id == f"short{number}")
    return mem


def test_tuning_follows_what_users_say(asked: memdb.Memory) -> None:
    tuned = asked.tune("mine", base="default", held_out=0.25)
    assert (tuned.fitted, tuned.held_out) == (15, 5)
    assert tuned.held_out_before is not None
    assert tuned.held_out_after is not None
    assert tuned.held_out_after > tuned.held_out_before
    measured = asked.evaluate(weights=["default", "mine"])
    assert measured["mine"]["MRR"] > measured["default"]["MRR"]
    assert asked.search("thing7", user_id="ana", kinds=["message"], weights="mine")[0].fact.value_text == "The thing7 is blue."


def test_what_only_tells_what_is_wrong_lowers_no_measure(asked: memdb.Memory) -> None:
    labels = asked.labels()
    wrong = [one.model_copy(update={"relevant": (), "wrong": one.relevant}) for one in labels]
    assert asked.evaluate([*labels, *wrong]) == asked.evaluate(labels)


def test_a_tuned_set_is_rows_like_any_other(asked: memdb.Memory) -> None:
    tuned = asked.tune("mine")
    rows = asked._store.database().all("weights.of", weights="mine")
    assert {str(row["feature"]): row["value"] for row in rows} == tuned.weights
    assert asked.tune("mine").weights == tuned.weights  # and fitting again replaces it by the same


def test_a_dry_run_writes_nothing(asked: memdb.Memory) -> None:
    asked.tune("mine", write=False)
    with pytest.raises(memdb.InputError, match="no weight set 'mine'"):
        asked.search("thing", user_id="ana", weights="mine")


def test_labels_name_turns_or_facts(asked: memdb.Memory) -> None:
    labels = [{"user_id": "ana", "query": f"thing{number}", "relevant": [f"short{number}"], "kinds": ["message"]} for number in range(20)]
    assert asked.evaluate(labels)["default"]["any@5"] == 1.0
    assert asked.tune("mine", labels).fitted_after >= asked.tune("mine", labels).fitted_before


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            lambda mem: mem.tune("mine", [{"user_id": "ana", "query": "x", "relevant": ["y"]}]),
            "A fit takes at least four labelled questions, not 1",
        ),
        (lambda mem: mem.tune("mine", [{"query": "x"}]), "Label 1 cannot be used: field user_id"),
        (lambda mem: mem.tune("mine", base="nowhere"), "There is no weight set 'nowhere'"),
        (lambda mem: mem.tune("mine", base="calibration"), "There is no weight set 'calibration' that ranks"),
        (lambda mem: mem.tune("mine", base="vector-only"), "weighs one feature alone"),
        (lambda mem: mem.evaluate(weights=["calibration"]), "There is no weight set 'calibration' that ranks"),
        (lambda mem: mem.evaluate(weights=["calibration-words"]), "There is no weight set 'calibration-words' that ranks"),
        (lambda mem: mem.tune("mine", held_out=1.0), "held_out is 1.0"),
        (lambda mem: mem.tune(" "), "name is empty"),
    ],
)
def test_what_cannot_be_tuned_is_told(asked: memdb.Memory, call: Callable[[memdb.Memory], object], error: str) -> None:
    with pytest.raises(memdb.InputError, match=error):
        call(asked)


@pytest.mark.parametrize(
    "call",
    [lambda mem: mem.tune("mine"), lambda mem: mem.evaluate(), lambda mem: mem.calibrate(TWO_QUESTIONS)],
    ids=["tune", "evaluate", "calibrate"],
)
def test_nothing_is_fitted_or_measured_by_words_alone_because_the_embedder_fails(
    asked: memdb.Memory, call: Callable[[memdb.Memory], object]
) -> None:
    asked.close()
    with memdb.open(asked._store.path, embedder=OutOfOrder(64), config={"worker": False}) as again:
        with pytest.raises(memdb.ModelUnavailable, match=r"Meaning took no part \(.*out of order"):
            call(again)
        assert again.evaluate(weights=["lexical-only"])
    with memdb.open(asked._store.path, embedder=None, config={"worker": False}) as words:
        assert call(words)


def test_no_set_that_every_file_has_is_fitted_over(asked: memdb.Memory) -> None:
    before = asked.weight_sets()
    assert set(before) == set(SHIPPED)
    for name in SHIPPED:
        with pytest.raises(memdb.InputError, match="give the fitted copy another name"):
            asked.tune(name)
    assert asked.weight_sets() == before


@pytest.mark.parametrize(("base", "still"), [("first-person", "match"), ("priority", "match"), ("mem-skill", "lexical")])
def test_a_set_that_does_not_weigh_words_is_fitted_against_its_largest_weight(asked: memdb.Memory, base: str, still: str) -> None:
    tuned, before = asked.tune("mine", base=base), asked.weights(base)
    assert tuned.weights[still] == before[still]
    assert set(tuned.weights) == set(before)
    assert tuned.fitted_after >= tuned.fitted_before


def test_the_quality_of_a_set_that_multiplies_by_confidence_is_that_of_its_ranking(mem: memdb.Memory) -> None:
    labels = []
    for number in range(6):
        mem.remember(f"The cat{number} is asleep", user_id="ana", confidence=0.1)
        sure = mem.remember(f"The cat{number} is in the garden now", user_id="ana", confidence=0.9)
        labels.append({"user_id": "ana", "query": f"cat{number} is asleep", "relevant": [sure.fact_id]})
    mem.drain()
    measured = mem.evaluate(labels, weights=["priority"])["priority"]
    tuned = mem.tune("mine", labels, base="priority", held_out=0.0, write=False)
    assert tuned.fitted_before == pytest.approx((measured["any@10"] + measured["rec@10"] + measured["nDCG@10"]) / 3)


def test_forgetting_a_user_forgets_what_they_said_about_hits(asked: memdb.Memory) -> None:
    asked.forget("ana")
    assert asked._store.database().all("feedback.all") == []
    assert asked._store.database().connection.execute("select count(*) from feedback").fetchall() == [(0,)]


# the measures


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=st.lists(st.integers(0, 30).map(str), unique=True, max_size=25), relevant=st.sets(st.integers(0, 30).map(str), min_size=1))
def test_measures_are_shares_and_a_perfect_ranking_has_all(found: list[str], relevant: set[str]) -> None:
    assert all(0.0 <= value <= 1.0 + 1e-9 for value in judge(found, relevant).values())
    best = judge(sorted(relevant)[:10], relevant)
    assert best["nDCG@10"] == pytest.approx(1.0)
    assert best["MRR"] == best["any@1"] == 1.0


def test_measures_of_a_known_ranking() -> None:
    measured = judge(["a", "b", "c", "d"], {"b", "d", "z"})
    assert measured["any@1"] == 0.0
    assert measured["any@5"] == 1.0
    assert measured["rec@10"] == pytest.approx(2 / 3)
    assert measured["MRR"] == 0.5
    assert measured["nDCG@10"] == pytest.approx((1 / 1.584963 + 1 / 2.321928) / (1 + 1 / 1.584963 + 1 / 2))


def test_a_file_keeps_its_own_sets(asked: memdb.Memory) -> None:
    asked.tune("mine")
    path, lexical = asked._store.path, asked.weights("mine")["lexical"]
    with memdb.open(path, embedder=HashingEmbedder(64), weights="mine", config={"worker": False}) as again:
        assert again.search("thing3", user_id="ana", kinds=["message"])[0].weights["lexical"] == lexical


def test_that_a_fact_is_to_begin_or_is_over_is_the_reason_only_where_it_keeps_it_out(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        then = mem.remember("Works at Bosch", user_id="ana", key="user.works_at", timestamp="2025-03-01", valid_from="2025-06-01")
        over = mem.remember("Drives a van", user_id="ana", key="user.drives", timestamp="2025-03-01")
        mem.end(over.fact_id, now="2025-03-02")
        for fact in (then, over):
            why = mem.explain("Purple?", user_id="ana", fact_id=fact.fact_id, statuses=["active", "expired"], now="2025-03-03")
            assert str(why.reason).startswith("It is no candidate")
        bounded = mem.explain("Purple?", user_id="ana", fact_id=then.fact_id, as_of="2025-03-02", now="2025-03-03")
        assert str(bounded.reason).startswith("It is true from 2025-06-01")
