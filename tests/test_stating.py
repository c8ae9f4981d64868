"""What an application states is confirmed when it is known, and kept only as far as its user lets it be."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import memdb
from memdb import logs
from memdb.embed import HashingEmbedder
from memdb.records import Source, Status
from tests.embedders import Broken, OneMeaning


def stated(path: Path, *objects: str, key: str = "user.pet", embedder: OneMeaning | None = None) -> list[tuple[str, int, float]]:
    with memdb.open(path / "mem.db", embedder=embedder or OneMeaning(), llm=None, config={"worker": False}) as mem:
        for object in objects:
            mem.remember(f"Has a pet: {object}", user_id="ana", key=key, object=object)
        return [(fact.object, fact.seen_count, fact.confidence) for fact in mem.facts("ana")]


LIVES: dict[str, str] = {"key": "user.lives_in", "object": "Porto"}
LIKES: dict[str, str] = {"key": "user.likes", "object": "jazz"}
PLAYS: dict[str, str] = {"key": "user.band_role", "object": "bass"}  # which the vocabulary does not know
AVOIDS: dict[str, str] = {"key": "user.avoids", "object": "nuts"}
STATED: list[tuple[str, list[tuple[str, dict[str, str]]], list[tuple[str, str, bool, int]]]] = [
    ("denied", [("User lives in Porto", LIVES), ("User does not live in Porto", LIVES)], [("User does not live in Porto", "active", True, 1)]),
    ("denied without an object", [("User lives in Porto", LIVES), ("User no longer lives in Porto", {"key": "user.lives_in"})],
     [("User no longer lives in Porto", "active", True, 1)]),
    ("denied, whatever the object", [("User lives in Porto", LIVES), ("User does not live in Porto", {"key": "user.lives_in", "object": "not Porto"})],
     [("User does not live in Porto", "active", True, 1)]),
    ("denied of ever", [("User lives in Porto", LIVES), ("User has never lived in Porto", LIVES)], [("User has never lived in Porto", "active", True, 1)]),
    ("denied twice", [("User likes jazz", LIKES), ("User doesn’t like jazz", LIKES), ("User does not like jazz any more", LIKES)],
     [("User doesn’t like jazz", "active", True, 2)]),
    ("denied, and so again", [("User likes jazz", LIKES), ("User doesn't like jazz", LIKES), ("User likes jazz", LIKES)],
     [("User likes jazz", "active", False, 1)]),
    ("denied at first", [("Ana Sofia does not like jazz", LIKES), ("Ana Sofia likes jazz", LIKES)], [("Ana Sofia likes jazz", "active", False, 1)]),
    ("denied at first, of what is not in the vocabulary", [("User never plays bass", PLAYS), ("User plays bass", PLAYS)],
     [("User plays bass", "active", False, 1)]),
    ("a note", [("Likes tea", {}), ("Does not like tea", {})], [("Does not like tea", "active", True, 1)]),
    ("the same in words that deny", [("User avoids nuts", AVOIDS), ("User does not eat nuts", AVOIDS)], [("User avoids nuts", "active", False, 2)]),
    ("said in words that deny, and again", [("User cannot eat nuts", AVOIDS), ("User can't eat nuts", AVOIDS)],
     [("User cannot eat nuts", "active", False, 2)]),
    ("of something else", [("User lives in Porto", LIVES), ("User does not live in Faro", {"key": "user.lives_in", "object": "Faro"})],
     [("User does not live in Faro", "active", True, 1), ("User lives in Porto", "active", False, 1)]),
]  # fmt: skip


@pytest.mark.parametrize("verb", ["remember", "write"])
@pytest.mark.parametrize(("said", "held"), [case[1:] for case in STATED], ids=[case[0] for case in STATED])
def test_what_is_stated_is_denied_by_its_words(
    mem: memdb.Memory, verb: str, said: list[tuple[str, dict[str, str]]], held: list[tuple[str, str, bool, int]]
) -> None:
    for day, (text, more) in enumerate(said, start=1):
        if verb == "write":
            mem.write([{"text": text, **more}], user_id="ana", timestamp=f"2025-03-0{day}")
        else:
            mem.remember(text, user_id="ana", timestamp=f"2025-03-0{day}", **more)  # type: ignore[arg-type]
    facts = mem.facts("ana", statuses=["active", "pending_confirmation"])
    assert sorted((fact.value_text, fact.status, fact.denies, fact.seen_count) for fact in facts) == held


def test_what_is_denied_by_its_polarity_alone_is_so_again_once_it_is_stated(mem: memdb.Memory) -> None:
    for polarity in ({"polarity": "negative"}, None):
        mem.remember("User likes jazz", user_id="ana", key="user.likes", object="jazz", value_json=polarity)  # type: ignore[arg-type]
    assert [(fact.value_text, fact.denies) for fact in mem.facts("ana")] == [("User likes jazz", False)]


def test_a_denial_that_is_not_sure_enough_waits_and_is_asked_about(mem: memdb.Memory) -> None:
    mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    mem.write([{"text": "User does not live in Porto", "key": "user.lives_in", "object": "Porto", "confidence": 0.8}], user_id="ana")
    assert [fact.status for fact in mem.facts("ana")] == ["active", "pending_confirmation"]
    asked = str(mem.context("Where do I live?", user_id="ana").question)
    assert "“User lives in Porto”" in asked
    assert "“User does not live in Porto”" in asked


def test_what_the_same_turn_states_again_is_found_in_the_archive_too(mem: memdb.Memory) -> None:
    first = mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", turn_id="t1")
    mem.reject(first.fact_id)
    mem.compact("ana", now="2099-01-01")
    again = mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", turn_id="t1")
    assert (again.fact_id, again.status) == (first.fact_id, "expired")


def test_a_retry_of_what_a_turn_stated_changes_nothing(mem: memdb.Memory) -> None:
    """The answer was lost, and since then another turn has said something else."""

    def drives(car: str, turn_id: str) -> memdb.Fact:
        return mem.remember(f"Ana drives a {car}", user_id="ana", key="user.drives", object=car, turn_id=turn_id)

    first, second, retried = drives("Volvo", "t1"), drives("Tesla", "t2"), drives("Volvo", "t1")
    assert (retried.fact_id, retried.status) == (first.fact_id, "superseded")
    assert (mem.fact(second.fact_id).status, mem.fact(second.fact_id).seen_count) == ("active", 1)
    kept = [mem.learn("plan a dinner", ["ask", "cook"], user_id="ana", turn_id="t3").confidence for _ in range(3)]
    assert kept == [kept[0]] * 3
    jazz = mem.remember("Ana likes jazz", user_id="ana", key="user.likes", object="jazz", turn_id="t4")
    again = [mem.remember("Ana loves jazz", user_id="ana", key="user.likes", object="jazz", turn_id="t5") for _ in range(2)]
    assert {fact.fact_id for fact in again} == {jazz.fact_id}
    assert {fact.seen_count for fact in again} == {2}
    assert drives("Lada", "t1").status == "active"  # the same turn may state something else


def test_the_same_in_other_words_confirms_the_stored_fact(tmp_path: Path) -> None:
    assert stated(tmp_path, "dog called Bica", "a dog named Bica") == [("dog called Bica", 2, 0.85)]


@pytest.mark.parametrize("other", ["cat called Bica", "dog called Rex", "2 dogs"])
def test_what_differs_in_a_word_is_another_fact_however_near_it_is(tmp_path: Path, other: str) -> None:
    assert [object for object, _, _ in stated(tmp_path, "dog called Bica", other)] == ["dog called Bica", other]


def test_another_value_of_a_key_that_has_one_supersedes(tmp_path: Path) -> None:
    assert [object for object, _, _ in stated(tmp_path, "Berlin", "Munich", key="user.lives_in")] == ["Munich"]


@pytest.mark.parametrize("verb", ["remember", "write"])
@pytest.mark.parametrize(
    ("key", "stated", "said", "object"),
    [
        ("user.likes", "Ana likes jazz", "I like jazz.", "jazz"),
        ("user.allergic_to", "The user is allergic to peanuts.", "I'm allergic to peanuts.", "peanuts"),
        ("user.has_condition", "Ana has asthma", "I have asthma.", "asthma"),
        ("user.lives_in", "She lives in Porto", "I live in Porto.", "Porto"),
        ("user.works_as", "Ana Sofia works as a nurse", "I work as a nurse.", "nurse"),
        ("user.lives_in", "I live in Porto", "I live in Porto.", "Porto"),
        ("user.lives_in", "We live in Porto.", "I live in Porto.", "Porto"),
        ("user.allergic_to", "I'm allergic to peanuts", "I'm allergic to peanuts.", "peanuts"),
        ("sister.lives_in", "Ana's older sister lives in Braga", "My sister lives in Braga.", "Braga"),
    ],
)
@pytest.mark.parametrize("first", ["stated", "said"])
def test_what_is_stated_without_an_object_is_what_the_user_says(
    mem: memdb.Memory, verb: str, first: str, key: str, stated: str, said: str, object: str
) -> None:
    mem.consent("ana", sensitive_topics="keep")

    def state() -> None:
        if verb == "remember":
            mem.remember(stated, user_id="ana", key=key)
        else:
            mem.write([{"text": stated, "key": key}], user_id="ana")

    def say() -> None:
        mem.observe(said, user_id="ana")
        mem.drain()

    for step in (state, say) if first == "stated" else (say, state):
        step()
    assert [(fact.object, fact.seen_count) for fact in mem.facts("ana", key=key)] == [(object, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "Ana no longer lives in Porto",  # which says that it is not so
        "Ana moved to Porto",
        "Does Ana say she lives in Porto?",
        "Ana lives in Porto. She works at Bosch.",
        "Since they broke up, Ana lives in Porto",
        "lives in Porto",
    ],
)
def test_of_what_is_worded_otherwise_the_object_is_the_whole_text(mem: memdb.Memory, text: str) -> None:
    assert mem.remember(text, user_id="ana", key="user.lives_in").object == text


@pytest.mark.parametrize("text", ["Ana has no asthma", "Ana has had the flu", "Ana has a cough that comes back each winter"])
def test_behind_has_stand_few_words_of_what_is_so(mem: memdb.Memory, text: str) -> None:
    mem.consent("ana", sensitive_topics="keep")
    assert mem.remember(text, user_id="ana", key="user.has_condition").object == text


def test_a_fact_that_has_its_whole_text_as_its_object_is_confirmed_by_the_same_words(mem: memdb.Memory) -> None:
    first = mem.remember("Ana likes jazz", user_id="ana", key="user.likes", object="Ana likes jazz")  # as in files of before
    again = mem.remember("Ana likes jazz.", user_id="ana", key="user.likes")
    assert (again.fact_id, again.object, again.seen_count) == (first.fact_id, "Ana likes jazz", 2)


def test_the_same_words_with_objects_of_their_own_are_several_facts(mem: memdb.Memory) -> None:
    for film in ("Alien", "Heat"):
        mem.remember("Liked this film", user_id="ana", key="user.likes", object=film)
    assert [fact.object for fact in mem.facts("ana")] == ["Alien", "Heat"]


@pytest.mark.parametrize("timestamp", ["garbage", "0001-01-01", 5])
def test_a_time_that_is_none_is_the_fault_of_the_call_and_not_of_what_it_brings(mem: memdb.Memory, timestamp: Any) -> None:
    with pytest.raises(memdb.InputError):
        mem.write([{"text": "Ana likes jazz"}], user_id="ana", timestamp=timestamp)


def test_what_is_returned_is_what_was_stated_though_it_also_ends_what_waited(mem: memdb.Memory) -> None:
    for drink, sure in (("tea", None), ("coffee", 0.6), ("milk", None)):
        fact = mem.remember(f"User drinks {drink}", user_id="ana", key="user.favourite_drink", object=drink, confidence=sure)
        assert fact.object == drink
    water = {"text": "User drinks water", "key": "user.favourite_drink", "object": "water"}
    assert [mem.fact(one).object for one in mem.write([water], user_id="ana").accepted] == ["water"]


@pytest.mark.parametrize(
    ("first", "then", "held"),
    [("Volvo", "red Volvo", 1), ("Atlanta", "Atlanta, GA", 1), ("new york", "York", 2), ("New York", "York", 2), ("York", "New York", 2)],
)
def test_a_name_is_refined_but_not_taken_for_another(tmp_path: Path, first: str, then: str, held: int) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for value in (first, then):
            mem.remember(f"User has {value}", user_id="ana", key="user.favourite_thing", object=value)
        rows = mem.facts("ana", statuses=["active", "superseded"])
        assert (len(rows), [fact.object for fact in rows if fact.status == "active"]) == (held, [then])


def test_a_broken_embedder_loses_nothing(tmp_path: Path) -> None:
    both = stated(tmp_path, "dog called Bica", "dog named Bica", "dog called Bica", embedder=Broken())
    assert [object for object, _, _ in both] == ["dog called Bica", "dog named Bica"]


def test_the_same_sentence_under_another_key_is_another_fact(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        for key in ("house.first", "house.second"):
            mem.remember("The heating breaks every winter", user_id="ana", key=key)
        assert [fact.key for fact in mem.facts("ana")] == ["house.first", "house.second"]


def test_a_note_is_no_repetition_of_a_fact(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        mem.remember("Dog called Bica", user_id="ana", key="user.pet")
        mem.remember("Dog named Bica", user_id="ana", key="user.pet", kind="note")
        assert len(mem.facts("ana", kinds=["fact", "note"])) == 2


@pytest.mark.parametrize("kinds", [("fact", "note"), ("note", "fact"), ("fact", "task"), ("note", "procedure")])
def test_the_same_words_of_another_kind_are_something_else(mem: memdb.Memory, kinds: tuple[str, str]) -> None:
    said = [mem.remember("Buy milk", user_id="ana", kind=kind) for kind in kinds]
    assert [(fact.kind, fact.seen_count) for fact in said] == [(kind, 1) for kind in kinds]
    assert mem.remember("Buy milk", user_id="ana", kind=kinds[0]).fact_id == said[0].fact_id


def test_a_note_about_a_home_takes_no_facts_place_and_is_denied_with_it(mem: memdb.Memory) -> None:
    for kind, home in (("fact", "Porto"), ("note", "Braga")):
        mem.remember(f"Lives in {home}", user_id="ana", key="user.lives_in", object=home, kind=kind, timestamp="2025-03-01")
    assert {fact.object: fact.status for fact in mem.facts("ana", kinds=["fact", "note"])} == {"Porto": "active", "Braga": "active"}
    mem.observe(user_id="ana", user_input="I no longer live in Braga.", assistant_response="Noted.", turn_id="t1", timestamp="2025-04-01")
    mem.drain()
    assert [fact.object for fact in mem.facts("ana", kinds=["fact", "note"])] == ["Porto"]


def test_what_is_stated_beside_a_known_fact_is_kept(mem: memdb.Memory) -> None:
    home: dict[str, str] = {"user_id": "ana", "key": "user.lives_in", "object": "Porto"}
    mem.remember("Lives in Porto", value_json={"floor": 3}, tags=["home"], timestamp="2025-03-01", **home)  # type: ignore[arg-type]
    more = {"value_json": {"door": "B"}, "tags": ["city", "home"], "importance": 0.9, "memory_type": "SIGNIFICANT", "turn_id": "t2"}
    fact = mem.remember("Her home is Porto", valid_from="2019-05-01", timestamp="2025-03-02", **more, **home)  # type: ignore[arg-type]
    assert isinstance(fact.value_json, dict)
    assert {name: fact.value_json[name] for name in ("floor", "door", "object")} == {"floor": 3, "door": "B", "object": "Porto"}
    assert (fact.tags, fact.importance, fact.memory_type, f"{fact.valid_from:%Y-%m-%d}") == (
        ("home", "city"),
        0.9,
        "SIGNIFICANT",
        "2019-05-01",
    )
    assert (fact.value_text, fact.seen_count) == ("Lives in Porto", 2)
    ended = mem.remember("Lives in Porto", valid_to="2027-01-01", timestamp="2025-03-03", **home)  # type: ignore[arg-type]
    assert (f"{ended.valid_to:%Y-%m-%d}", ended.value_json, ended.fact_id) == ("2027-01-01", fact.value_json, fact.fact_id)
    mem.undo(user_id="ana", turn_id=ended_by(mem, ended))
    mem.undo(user_id="ana", turn_id="t2")
    (fact,) = mem.facts("ana")
    assert isinstance(fact.value_json, dict)
    assert ("door" in fact.value_json, fact.tags, fact.valid_to, f"{fact.valid_from:%Y-%m-%d}") == (False, ("home",), None, "2025-03-01")


def ended_by(mem: memdb.Memory, fact: memdb.Fact) -> str:
    return [change.turn_id for change in mem.history(fact_id=fact.fact_id)][-1]


def test_details_stated_in_other_words_are_kept(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=OneMeaning(), llm=None, config={"worker": False}) as mem:
        mem.remember("Dog called Bica", user_id="ana", key="user.pet", object="dog called Bica", value_json={"breed": "Podengo"})
        again = mem.remember("Dog named Bica", user_id="ana", key="user.pet", object="dog named Bica", value_json={"born": 2019})
        assert isinstance(again.value_json, dict)
        wanted = {"breed": "Podengo", "born": 2019, "object": "dog called Bica"}
        assert {name: again.value_json.get(name) for name in wanted} == wanted
        assert (again.value_text, again.seen_count, len(mem.facts("ana"))) == ("Dog called Bica", 2, 1)


def test_what_was_to_come_and_is_rejected_ends_nothing(mem: memdb.Memory) -> None:
    mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto", timestamp="2025-03-01")
    coming = mem.remember(
        "Lives in Braga",
        user_id="ana",
        key="user.lives_in",
        object="Braga",
        valid_from="2025-06-01",
        confidence=0.95,
        timestamp="2025-03-02",
    )
    assert [(fact.object, fact.valid_to is None) for fact in mem.facts("ana", now="2025-03-03")] == [("Porto", False), ("Braga", True)]
    mem.reject(coming.fact_id, now="2025-03-03")
    assert [(fact.object, fact.valid_to) for fact in mem.facts("ana", now="2025-07-01")] == [("Porto", None)]


def test_many_who_state_the_same_at_once_leave_one_fact(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None) as mem:
        said = {"user_id": "ana", "key": "user.pet", "object": "dog called Bica"}
        threads = [threading.Thread(target=lambda: mem.remember("Has a dog called Bica", **said)) for _ in range(8)]  # type: ignore[arg-type]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [fact.seen_count for fact in mem.facts("ana")] == [8]


def test_a_secret_is_not_kept_unless_the_user_lets_it_be(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match=r"it holds a secret \(password\), and none is to be kept; note their leave with consent"):
        mem.remember("The password is hunter2", user_id="ana")
    assert (mem.facts("ana"), mem.history(user_id="ana")) == ([], [])
    mem.consent("ana", secrets="keep")
    assert mem.remember("The password is hunter2", user_id="ana").status == "active"


@pytest.mark.parametrize(
    ("beside", "says"),
    [({"value_json": {"password": "hunter2"}}, r"it holds a secret \(password\)"), ({"tags": ["jazz", "4111111111111111"]}, r"a tag holds a secret \(card")],
    ids=["details", "tags"],
)  # fmt: skip
def test_nor_is_a_secret_that_comes_with_a_fact(mem: memdb.Memory, beside: dict[str, Any], says: str) -> None:
    with pytest.raises(memdb.InputError, match=says):
        mem.remember("Likes jazz", user_id="ana", **beside)
    item = {"text": "Likes jazz", "kind": "note", "details": beside.get("value_json", {}), "tags": beside.get("tags", ())}
    assert re.search(says, mem.write([item], user_id="ana").rejected[0].reason)
    assert (mem.facts("ana"), mem.history(user_id="ana")) == ([], [])
    mem.consent("ana", secrets="keep")
    assert mem.remember("Likes jazz", user_id="ana", **beside).status == "active"


def test_a_fact_whose_details_touch_a_sensitive_topic_waits(mem: memdb.Memory) -> None:
    known = mem.remember("Likes tea", user_id="ana", key="user.likes", object="tea")
    more = mem.remember("Likes tea", user_id="ana", key="user.likes", object="tea", value_json={"because": "diabetes"})
    assert [(fact.status, fact.fact_id == known.fact_id) for fact in mem.facts("ana", statuses=["active"])] == [("active", True)]
    assert more.status == "pending_confirmation"
    mem.confirm(more.fact_id)
    assert [fact.value_json["because"] for fact in mem.facts("ana", statuses=["active"]) if isinstance(fact.value_json, dict)] == [
        "diabetes"
    ]
    mem.consent("ana", sensitive_topics="refuse")
    with pytest.raises(memdb.InputError, match="it is about money"):
        mem.remember("Likes figs", user_id="ana", key="user.likes", object="figs", value_json={"salary": 3})


@pytest.mark.parametrize(("choice", "status"), [("keep", "active"), ("ask", "pending_confirmation"), ("refuse", None)])
def test_a_sensitive_topic_is_kept_as_the_user_chose(mem: memdb.Memory, choice: str, status: str | None) -> None:
    mem.consent("ana", sensitive_topics=choice)  # type: ignore[arg-type]
    if status is None:
        with pytest.raises(memdb.InputError, match="it is about health"):
            mem.remember("Is allergic to nuts", user_id="ana", key="user.allergic_to", object="nuts")
    else:
        assert mem.remember("Is allergic to nuts", user_id="ana", key="user.allergic_to", object="nuts").status == status


def test_a_detail_on_a_sensitive_topic_waits_for_leave(mem: memdb.Memory) -> None:
    for work in ("nurse", "nurse for cancer patients"):
        mem.remember(f"Works as a {work}", user_id="ana", key="user.works_as", object=work)
    assert {fact.object: fact.status for fact in mem.facts("ana")} == {
        "nurse": "active",
        "nurse for cancer patients": "pending_confirmation",
    }


def test_what_waits_for_leave_is_not_let_in_by_plainer_words(mem: memdb.Memory) -> None:
    for text in ("Is in the HIV ward", "Is in ward 7"):
        fact = mem.remember(text, user_id="ana", key="user.place", object="ward 7")
        assert (fact.value_text, fact.status) == ("Is in the HIV ward", "pending_confirmation")


@pytest.mark.parametrize(
    ("key", "sure", "status"),
    [
        ("user.lives_in", 0.9, "active"),
        ("user.lives_in", 0.89, "pending_confirmation"),
        ("user.drives", 0.7, "active"),
        ("user.drives", 0.69, "pending_confirmation"),
    ],
)
def test_what_an_application_is_unsure_of_takes_no_belief_away(mem: memdb.Memory, key: str, sure: float, status: str) -> None:
    mem.remember("One", user_id="ana", key=key, confidence=0.95, timestamp="2025-03-01")
    assert mem.remember("Other", user_id="ana", key=key, confidence=sure, timestamp="2025-03-02").status == status
    believed = [fact.object for fact in mem.facts("ana", statuses=["active"], now="2025-03-03")]
    assert believed == ["Other" if status == "active" else "One"]


def test_what_is_written_without_being_sure_takes_no_belief_of_high_risk_away(mem: memdb.Memory) -> None:
    mem.remember("Lives in Porto", user_id="ana", key="user.lives_in", object="Porto")
    (written,) = mem.write(
        [{"text": "Lives in Faro", "key": "user.lives_in", "object": "Faro", "confidence": 0.75}], user_id="ana"
    ).accepted
    assert mem.fact(written).status == "pending_confirmation"


def test_what_an_application_is_unsure_of_is_kept_as_unsure(mem: memdb.Memory) -> None:
    assert mem.remember("Likes figs", user_id="ana", key="user.likes", confidence=0.2).confidence == 0.2


def test_a_session_leaves_out_what_it_may_not_keep(mem: memdb.Memory) -> None:
    with mem.session("ana", "s1", now="2025-03-01") as session:
        session.working.add("My password is hunter2")
        session.working.add("Water the plants")
        assert [fact.value_text for fact in session.flush().kept] == ["Water the plants"]


@pytest.mark.parametrize(("kind", "name"), [("episode", "timestamp"), ("narrative", "segment")])
def test_what_happened_is_of_the_time_that_it_says_however_it_is_stated(mem: memdb.Memory, kind: str, name: str) -> None:
    told: dict[str, Any] = {f"{name}_start": "2025-03-01T18:20:00Z", f"{name}_end": "2025-03-02T00:10:00Z"}
    mem.remember("They lost the toy", user_id="ana", kind=kind, value_json=told, timestamp="2025-05-01")
    mem.write([{"text": "They bought the toy", "kind": kind, "details": told}], user_id="ana", timestamp="2025-05-01")
    mem.remember_many([{"value_text": "They hid the toy", "user_id": "ana", "kind": kind, "value_json": told, "timestamp": "2025-05-01"}])
    hits = mem.search("toy", user_id="ana", kinds=[kind], since="2025-03-01", until="2025-03-01", now="2025-05-02")
    assert {hit.fact.value_text for hit in hits} == {"They lost the toy", "They bought the toy", "They hid the toy"}
    assert {hit.tier for hit in hits} == {"warm"}
    text = mem.context("Who had the toy?", user_id="ana", now="2025-05-02").text
    assert text.count("[2025-03-01] They ") == 3


def test_of_an_episode_what_is_said_beside_its_details_goes_before_them(mem: memdb.Memory) -> None:
    told: dict[str, Any] = {"timestamp_start": "2025-03-01T18:20:00Z", "timestamp_end": "soon"}
    given: dict[str, Any] = {"event_time": "2025-02-02", "valid_from": "2025-02-03"}
    one = mem.remember("They lost the toy", user_id="ana", kind="episode", value_json=told, timestamp="2025-05-01", **given)
    mem.remember_many([{"value_text": "They hid the toy", "user_id": "bob", "kind": "episode", "value_json": told, **given}])
    (other,) = mem.facts("bob", kinds=["episode"])
    for fact in (one, other):
        assert (fact.event_time, fact.valid_from) == (datetime(2025, 2, 2, tzinfo=UTC), datetime(2025, 2, 3, tzinfo=UTC))


def test_an_episode_tells_no_secret(mem: memdb.Memory) -> None:
    said = (
        "My password is hunter2, I use it for the router.",
        "I had trouble with the router again yesterday, it took two hours.",
        "A technician comes on Friday and brings a longer cable.",
    )
    for text in said:
        mem.observe(text, user_id="ana", session_id="s1", timestamp="2025-03-01")
    mem.drain()
    mem.maintain(user_id="ana", now="2025-06-01")
    (episode,) = mem.facts("ana", kinds=["episode"])
    assert "router" in episode.value_text
    assert "hunter2" not in episode.value_text


@pytest.mark.parametrize(
    ("source", "status"),
    [("user_message", "active"), ("tool", "active"), ("inferred", "pending_confirmation"), ("web_scraped", "pending_confirmation")],
)
def test_a_clearly_less_reliable_source_only_raises_a_doubt(mem: memdb.Memory, source: Source, status: str) -> None:
    mem.remember("Likes green", user_id="ana", key="user.favourite_colour", object="green", timestamp="2025-03-01")
    said = mem.remember("Likes blue", user_id="ana", key="user.favourite_colour", object="blue", source=source, timestamp="2025-04-01")
    assert said.status == status
    assert len(mem.facts("ana")) == (1 if status == "active" else 2)


@pytest.mark.parametrize(
    ("first", "then", "object"), [("tool", "user_message", "blue"), ("web_scraped", "web_scraped", "blue"), ("web_scraped", "tool", "blue")]
)
def test_a_source_as_reliable_or_more_supersedes(mem: memdb.Memory, first: Source, then: Source, object: str) -> None:
    for source, colour in ((first, "green"), (then, "blue")):
        mem.remember(f"Likes {colour}", user_id="ana", key="user.favourite_colour", object=colour, source=source)
    assert [fact.object for fact in mem.facts("ana")] == [object]


def test_a_category_that_is_empty_is_none_that_there_is(mem: memdb.Memory) -> None:
    with pytest.raises(memdb.InputError, match="field category"):
        mem.remember("Ana likes tea", user_id="ana", category="")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tag", "why"), [("", "one that is blank"), (" \u00a0", "one that is blank"), ("a\ud800", "half a surrogate pair")]
)
def test_a_tag_that_says_nothing_is_refused_through_every_door(mem: memdb.Memory, tag: str, why: str) -> None:
    why = f"tags holds {why}"
    with pytest.raises(memdb.InputError, match=why):
        mem.remember("Ana likes tea", user_id="ana", tags=[tag])
    with pytest.raises(memdb.InputError, match=f"Fact 1 cannot be stored: {why}"):
        mem.remember_many([{"value_text": "Ana likes tea", "user_id": "ana", "key": "user.note", "tags": [tag]}])
    assert mem.write([{"text": "Ana likes tea", "tags": [tag]}], user_id="ana").rejected[0].reason.startswith(why)
    assert mem.facts("ana") == []


def test_what_is_over_by_the_clock_is_listed_as_expired_before_that_is_written_down(mem: memdb.Memory) -> None:
    mem.remember("Ana stays in Berlin", user_id="ana", key="user.staying_in", valid_to="2025-03-08", timestamp="2025-03-01")
    assert [fact.status for fact in mem.facts("ana", statuses=["active"], now="2025-03-07")] == ["active"]
    assert [fact.status for fact in mem.facts("ana", statuses=["expired"], now="2025-03-08")] == ["expired"]
    assert not mem.facts("ana", statuses=["active", "pending_confirmation"], now="2025-03-08")


@pytest.mark.parametrize(("stated", "counts"), [(None, 0.9), (0.3, 0.3)])
def test_a_fact_counts_by_the_tags_that_it_is_given_later_unless_it_was_said_how_much(
    mem: memdb.Memory, stated: float | None, counts: float
) -> None:
    for tags, importance in ((["chit-chat"], stated), (["safety"], None)):
        mem.remember("Keeps a ladder", user_id="ana", key="user.item", object="ladder", tags=tags, importance=importance)
    assert [(fact.importance, fact.tags) for fact in mem.facts("ana")] == [(counts, ("chit-chat", "safety"))]


@pytest.mark.parametrize("filters", [{}, {"categories": ["other"]}, {"tags": ["trip"]}])
@pytest.mark.parametrize("statuses", [["expired"], ["active", "expired"], ["active", "pending_confirmation", "expired"]])
def test_what_is_over_by_the_clock_is_found_as_expired_before_that_is_written_down(
    mem: memdb.Memory, statuses: list[Status], filters: dict[str, list[str]]
) -> None:
    mem.remember("Ana stays in Berlin", user_id="ana", key="user.stays_at", tags=["trip"], valid_to="2025-03-08", timestamp="2025-03-01")
    mem.drain()
    ask = functools.partial(mem.search, "Who stays in Berlin?", user_id="ana", statuses=statuses, **filters)  # type: ignore[arg-type]
    assert [hit.fact.status for hit in ask(now="2025-03-07")] == (["active"] if "active" in statuses else [])
    assert [hit.fact.status for hit in ask(now="2025-03-08")] == ["expired"]
    assert not mem.search("Who stays in Berlin?", user_id="ana", now="2025-03-08")


def test_a_question_about_the_past_finds_what_is_over_by_the_clock(mem: memdb.Memory) -> None:
    mem.remember("Ana stays in Berlin", user_id="ana", key="user.stays_at", valid_to="2025-03-08", timestamp="2025-03-01")
    hits = mem.search("Where did I use to stay?", user_id="ana", now="2025-04-01")
    assert [(hit.fact.object, hit.fact.status) for hit in hits] == [("Ana stays in Berlin", "expired")]


@pytest.mark.parametrize("decide", ["confirm", "reject", "doubt"])
def test_what_is_over_by_the_clock_is_decided_no_more(mem: memdb.Memory, decide: str) -> None:
    fact = mem.remember("Ana stays in Berlin", user_id="ana", key="user.stays_at", valid_to="2025-03-08", timestamp="2025-03-01")
    with pytest.raises(memdb.InputError, match="is expired; only what is believed"):
        getattr(mem, decide)(fact.fact_id, now="2025-03-08")
    assert mem.fact(fact.fact_id).status == "expired"
    assert getattr(mem, decide)(fact.fact_id, now="2025-03-07").fact_id == fact.fact_id


@pytest.mark.parametrize("statuses", [["uncertain"], ["expired"], ["uncertain", "expired"]])
def test_what_is_doubted_and_over_by_the_clock_is_expired_wherever_it_is_asked_for(mem: memdb.Memory, statuses: list[Status]) -> None:
    fact = mem.remember("Ana stays in Berlin", user_id="ana", key="user.stays_at", valid_to="2025-03-08", timestamp="2025-03-01")
    mem.doubt(fact.fact_id, now="2025-03-02")
    mem.drain()
    found = mem.search("Who stays in Berlin?", user_id="ana", statuses=statuses, now="2025-03-08")
    listed = mem.facts("ana", statuses=statuses, now="2025-03-08")
    expected = ["expired"] if "expired" in statuses else []
    assert ([hit.fact.status for hit in found], [one.status for one in listed], mem.fact(fact.fact_id).status) == (
        expected,
        expected,
        "expired",
    )
    with pytest.raises(memdb.InputError, match="is expired; only what is believed"):
        mem.confirm(fact.fact_id, now="2025-03-08")


@pytest.mark.parametrize("decided", ["it waits for leave", "it is doubted"])
def test_what_nobody_decided_before_its_time_was_over_is_not_told_to_have_been_so(mem: memdb.Memory, decided: str) -> None:
    if decided == "it is doubted":
        mem.consent("ana", sensitive_topics="keep")
    fact = mem.remember("Ana takes ibuprofen", user_id="ana", key="user.medication", valid_to="2025-03-08", timestamp="2025-03-01")
    if decided == "it is doubted":
        mem.doubt(fact.fact_id, now="2025-03-02")
    mem.maintain(now="2025-04-01")
    assert mem.fact(fact.fact_id).status == "expired"
    assert mem.facts("ana", as_of="2025-03-05") == []


@pytest.mark.parametrize("valid_to", [None, "2025-03-09"])
def test_an_end_makes_nothing_longer_that_is_over_by_the_clock(mem: memdb.Memory, valid_to: str | None) -> None:
    fact = mem.remember("Ana stays in Berlin", user_id="ana", key="user.staying_in", valid_to="2025-03-08", timestamp="2025-03-01")
    with pytest.raises(memdb.InputError, match="was over on 2025-03-08"):
        mem.end(fact.fact_id, valid_to=valid_to, now="2025-03-10")
    assert mem.end(fact.fact_id, valid_to="2025-03-05", now="2025-03-10").valid_to == datetime(2025, 3, 5, tzinfo=UTC)


def test_an_embedder_that_fails_at_each_of_many_facts_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Failing(HashingEmbedder):
        fails = False

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.fails:
                raise RuntimeError("there is no embedding today")
            return super().embed(texts)

    logs._last.clear()  # another test may just have told of it
    with memdb.open(tmp_path / "mem.db", embedder=(embedder := Failing(32)), llm=None, config={"worker": False}) as mem:
        mem.remember("User likes tea", user_id="ana", key="user.likes")
        assert mem.drain()
        embedder.fails = True
        for drink in ("coffee", "cocoa", "mate", "rooibos"):
            mem.remember(f"User likes {drink}", user_id="ana", key="user.likes")
        assert len(mem.facts("ana", key="user.likes")) == 5
    assert [record.getMessage() for record in caplog.records if "words alone" in record.getMessage()] == [
        "whether a fact is new was decided by its words alone: there is no embedding today"
    ]


def test_what_is_to_come_does_not_wait_beside_itself(mem: memdb.Memory) -> None:
    red = functools.partial(mem.remember, object="red", key="user.project_color", user_id="ana")
    red("It will be red", timestamp="2025-01-01", valid_from="2025-01-11")
    red("It is red", timestamp="2025-01-02", source="web_scraped")
    assert [(fact.status, f"{fact.valid_from:%m-%d}") for fact in mem.facts("ana", now="2025-01-03")] == [("active", "01-11")]


def test_what_stands_no_more_and_is_said_again_is_told_as_it_was_of_its_own_user(mem: memdb.Memory) -> None:
    for begins, user in enumerate(("ana", "bob"), start=1):
        for day, (turn, town) in enumerate((("r1", "Porto"), ("r2", "Braga")), start=begins):
            at = f"2025-03-0{day}T10:00:00Z"
            mem.remember(f"Lives in {town}", user_id=user, key="user.lives_in", object=town, turn_id=turn, timestamp=at)
    again = mem.remember(
        "Lives in Porto", user_id="ana", key="user.lives_in", object="Porto", turn_id="r1", timestamp="2025-03-01T10:00:00Z"
    )
    assert (again.user_id, again.object, again.status) == ("ana", "Porto", "superseded")
