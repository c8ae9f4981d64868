"""What an application states is confirmed when it is known, and kept only as far as its user lets it be."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder
from memdb.records import Source
from tests.embedders import Broken, OneMeaning


def stated(path: Path, *objects: str, key: str = "user.pet", embedder: OneMeaning | None = None) -> list[tuple[str, int, float]]:
    with memdb.open(path / "mem.db", embedder=embedder or OneMeaning(), llm=None, config={"worker": False}) as mem:
        for object in objects:
            mem.remember(f"Has a pet: {object}", user_id="ana", key=key, object=object)
        return [(fact.object, fact.seen_count, fact.confidence) for fact in mem.facts("ana")]


def test_what_the_same_turn_states_again_is_found_in_the_archive_too(mem: memdb.Memory) -> None:
    first = mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", turn_id="t1")
    mem.reject(first.fact_id)
    mem.compact("ana", now="2099-01-01")
    again = mem.remember("User lives in Porto", user_id="ana", key="user.lives_in", turn_id="t1")
    assert (again.fact_id, again.status) == (first.fact_id, "expired")


def test_the_same_in_other_words_confirms_the_stored_fact(tmp_path: Path) -> None:
    assert stated(tmp_path, "dog called Bica", "a dog named Bica") == [("dog called Bica", 2, 0.85)]


@pytest.mark.parametrize("other", ["cat called Bica", "dog called Rex", "2 dogs", "no dog called Bica"])
def test_what_differs_in_a_word_is_another_fact_however_near_it_is(tmp_path: Path, other: str) -> None:
    assert [object for object, _, _ in stated(tmp_path, "dog called Bica", other)] == ["dog called Bica", other]


def test_another_value_of_a_key_that_has_one_supersedes(tmp_path: Path) -> None:
    assert [object for object, _, _ in stated(tmp_path, "Berlin", "Munich", key="user.lives_in")] == ["Munich"]


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


def test_an_episode_tells_no_secret(mem: memdb.Memory) -> None:
    for text in ("My password is hunter2, I use it for the router.", "I had trouble with the router again yesterday, it took two hours."):
        mem.observe(text, user_id="ana", session_id="s1", timestamp="2025-03-01")
    mem.drain()
    mem.maintain(user_id="ana", now="2025-06-01")
    (episode,) = mem.facts("ana", kinds=["episode"])
    assert "router" in episode.value_text
    assert "hunter2" not in episode.value_text


@pytest.mark.parametrize(
    ("source", "status"),
    [("user_message", "active"), ("tool", "active"), ("inferred", "pending_confirmation"), ("web", "pending_confirmation")],
)
def test_a_clearly_less_reliable_source_only_raises_a_doubt(mem: memdb.Memory, source: Source, status: str) -> None:
    mem.remember("Likes green", user_id="ana", key="user.favourite_colour", object="green", timestamp="2025-03-01")
    said = mem.remember("Likes blue", user_id="ana", key="user.favourite_colour", object="blue", source=source, timestamp="2025-04-01")
    assert said.status == status
    assert len(mem.facts("ana")) == (1 if status == "active" else 2)


@pytest.mark.parametrize(("first", "then", "object"), [("tool", "user_message", "blue"), ("web", "web", "blue"), ("web", "tool", "blue")])
def test_a_source_as_reliable_or_more_supersedes(mem: memdb.Memory, first: Source, then: Source, object: str) -> None:
    for source, colour in ((first, "green"), (then, "blue")):
        mem.remember(f"Likes {colour}", user_id="ana", key="user.favourite_colour", object=colour, source=source)
    assert [fact.object for fact in mem.facts("ana")] == [object]
