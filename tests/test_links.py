"""Links: made by hand, by arbitration, by accounts and by likeness; walked step by step; gone with their ends."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from math import log

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memdb
from memdb.steps.relate import Having, Rarity, relate

Tell = Callable[..., memdb.Memory]


def chain(mem: memdb.Memory, *texts: str, user: str = "ana") -> list[str]:
    """Facts, each linked to the next; return their ids."""
    ids = [mem.remember(text, user_id=user, key=f"user.thing_{place}").fact_id for place, text in enumerate(texts)]
    for one, other in itertools.pairwise(ids):
        mem.link(one, other, "extends", strength=0.5)
    return ids


def names(found: list[memdb.Linked]) -> list[str]:
    return [one.fact.value_text for one in found]


def test_a_walk_goes_as_far_as_it_is_told(mem: memdb.Memory) -> None:
    ids = chain(mem, "A", "B", "C", "D")
    assert [names(mem.links(ids[0], depth=depth)) for depth in (1, 2, 3)] == [["B"], ["B", "C"], ["B", "C", "D"]]
    far = mem.links(ids[0], depth=3)[-1]
    assert (far.depth, far.strength, far.path, far.relation, far.outward) == (3, 0.125, tuple(ids), "extends", True)


def test_links_are_followed_both_ways(mem: memdb.Memory) -> None:
    ids = chain(mem, "A", "B", "C")
    assert [(one.fact.value_text, one.outward) for one in mem.links(ids[1])] == [("A", False), ("C", True)]


def test_a_ring_is_walked_once_round(mem: memdb.Memory) -> None:
    ids = chain(mem, "A", "B", "C")
    mem.link(ids[2], ids[0], "supports")
    assert [(one.fact.value_text, one.depth) for one in mem.links(ids[0], depth=8)] == [("C", 1), ("B", 1)]


def test_a_walk_can_be_kept_to_relations_and_strengths(mem: memdb.Memory) -> None:
    ids = chain(mem, "A", "B", "C")
    mem.link(ids[0], ids[2], "supports", strength=0.2)
    assert names(mem.links(ids[0], relations=["supports"])) == ["C"]
    assert names(mem.links(ids[0], depth=2, min_strength=0.3)) == ["B"]
    assert names(mem.links(ids[0], depth=2, limit=1)) == ["B"]


def web(mem: memdb.Memory, links: dict[str, float]) -> dict[str, str]:
    """Facts by their letters, linked as "AB" says; return their ids."""
    ids = {name: mem.remember(name, user_id="ana", key=f"user.{name.lower()}").fact_id for name in sorted(set("".join(links)))}
    for ends, strength in links.items():
        mem.link(ids[ends[0]], ids[ends[1]], "extends", strength=strength)
    return ids


def test_of_the_shortest_ways_the_strongest_is_told(mem: memdb.Memory) -> None:
    ids = web(mem, {"AB": 0.9, "BD": 0.5, "AC": 0.5, "CD": 0.6})
    [b, c, d] = mem.links(ids["A"], depth=2)
    assert names([b, c, d]) == ["B", "C", "D"]
    assert d.strength == pytest.approx(0.45)
    assert d.path == (ids["A"], ids["B"], ids["D"])
    assert names(mem.links(ids["A"], depth=2, min_strength=0.4)) == ["B", "C", "D"]
    assert names(mem.links(ids["A"], depth=2, min_strength=0.46)) == ["B", "C"]
    assert names(mem.links(ids["A"], min_strength=0.5)) == ["B", "C"]  # what is just as strong is strong enough


def test_where_the_shortest_way_is_too_weak_a_longer_one_may_be_strong_enough(mem: memdb.Memory) -> None:
    ids = web(mem, {"AB": 0.4, "BD": 0.4, "AE": 0.9, "EF": 0.9, "FD": 0.9})
    assert [(one.fact.value_text, one.depth) for one in mem.links(ids["A"], depth=3, min_strength=0.3)][-1] == ("D", 3)
    assert [one.depth for one in mem.links(ids["A"], depth=3) if one.fact.value_text == "D"] == [2]


def test_a_walk_keeps_to_relations_at_every_step(mem: memdb.Memory) -> None:
    ids = web(mem, {"AB": 0.5, "BC": 0.5, "CD": 0.5})
    mem.link(ids["D"], ids["B"], "supports")
    assert names(mem.links(ids["A"], depth=2, relations=["extends"])) == ["B", "C"]
    assert names(mem.links(ids["D"], depth=2, relations=["supports"])) == ["B"]
    assert [(one.relation, one.outward) for one in mem.links(ids["B"], relations=["supports"])] == [("supports", False)]


def test_of_two_links_as_strong_that_which_points_outward_is_told(mem: memdb.Memory) -> None:
    ids = web(mem, {"AB": 0.5, "BA": 0.5})
    assert [one.outward for one in mem.links(ids["A"])] == [one.outward for one in mem.links(ids["B"])] == [True]


def test_linking_again_changes_the_strength_and_unlinking_ends_it(mem: memdb.Memory) -> None:
    a, b = chain(mem, "A", "B")
    assert mem.link(a, b, "extends", strength=0.9) == memdb.Link(source_id=a, target_id=b, relation="extends", strength=0.9)
    assert [one.strength for one in mem.links(a)] == [0.9]
    assert (mem.unlink(a, b, "supports"), mem.unlink(a, b), mem.links(a)) == (0, 1, [])


def test_links_go_with_their_ends(mem: memdb.Memory) -> None:
    ids = chain(mem, "A", "B", "C")
    mem.forget("ana", key="user.thing_1")
    assert mem.links(ids[0], depth=3) == []
    assert mem._store.database().connection.execute("select count(*) from links").fetchall() == [(0,)]


def test_a_walk_never_leaves_its_user_even_if_the_file_was_written_by_hand(mem: memdb.Memory) -> None:
    (a,), (b,) = chain(mem, "A"), chain(mem, "B", user="bob")
    insert = "insert into links (source_id, target_id, relation, created_at) values (?, ?, 'supports', '2025')"
    mem._store.database().connection.execute(insert, (a, b))
    assert mem.links(a, depth=4) == mem.links(b, depth=4) == []


def test_arbitration_links_what_contradicts(tell: Tell) -> None:
    mem = tell("I live in Porto.", "I moved to Lisbon.")
    (now,) = mem.facts("ana", key="user.lives_in")
    assert mem.links(now.fact_id) == []  # what is no longer believed is not walked to
    (before,) = mem.links(now.fact_id, statuses=["active", "superseded"])
    assert (before.fact.object, before.relation, before.outward) == ("Porto", "contradicts", True)
    tell("I live in Faro.")
    assert [one.relation for one in mem.links(now.fact_id)] == ["contradicts"]


def test_what_is_over_by_the_clock_is_walked_to_as_expired(mem: memdb.Memory) -> None:
    home = mem.remember("Ana lives in Porto", user_id="ana", key="user.lives_in", object="Porto").fact_id
    trip = mem.remember("Ana stays in Berlin", user_id="ana", key="user.stays_at", timestamp="2025-03-01", valid_to="2025-03-08").fact_id
    mem.link(home, trip, "relates-to")
    assert mem.links(home) == []
    assert [one.fact.status for one in mem.links(home, statuses=["expired"])] == ["expired"]


def test_what_is_alike_is_linked_by_words_alone(mem: memdb.Memory) -> None:
    texts = ("The jazz festival in Porto begins in July", "Bread needs flour and water", "A jazz festival in Porto with Rita")
    ids = [mem.remember(text, user_id="ana").fact_id for text in texts]
    assert (mem.relate("ana"), mem.relate("ana")) == (1, 0)
    (alike,) = mem.links(ids[0])
    assert (alike.fact.fact_id, alike.relation) == (ids[2], "relates-to")
    assert 0.25 <= alike.strength <= 1


def test_how_alike_two_rows_are_is_the_share_of_their_words_in_common_the_rarer_the_more(mem: memdb.Memory) -> None:
    one, _ = (mem.remember(f"jazz in Porto {day}", user_id="ana").fact_id for day in ("tonight", "tomorrow"))
    mem.relate("ana")
    common, rare = log(1 + 2 / 2), log(1 + 2 / 1)  # "jazz" and "Porto" are in both rows, the days in one each
    assert [linked.strength for linked in mem.links(one)] == [round(2 * common / (2 * common + 2 * rare), 3)]


def test_only_what_is_new_of_one_user_is_looked_through(mem: memdb.Memory) -> None:
    texts = ("jazz in Porto tonight", "jazz in Porto tomorrow")
    ids = [mem.remember(text, user_id=user).fact_id for user in ("ana", "bob") for text in texts]
    assert (mem.relate("bob"), mem.links(ids[0])) == (1, [])
    assert (mem.relate("ana"), mem.unlink(ids[1], ids[0]), mem.relate("ana")) == (1, 1, 0)


def test_a_rare_word_in_common_makes_more_alike_than_a_common_one(mem: memdb.Memory) -> None:
    for place in range(12):
        mem.remember(f"today number{place}", user_id="ana", key=f"user.noise_{place}")
    rare = mem.remember("quince marmalade today", user_id="ana", key="user.rare").fact_id
    common = mem.remember("cycling weather today", user_id="ana", key="user.common").fact_id
    last = mem.remember("quince harvest today", user_id="ana", key="user.last").fact_id
    mem.relate("ana")
    strengths = {one.fact.fact_id: one.strength for one in mem.links(last)}
    assert strengths[rare] > 0.3
    assert common not in strengths


def test_no_row_gets_more_links_than_is_wanted_and_what_has_no_word_gets_none(mem: memdb.Memory) -> None:
    mem.remember("…!", user_id="ana", key="user.wordless")
    for place in range(9):
        mem.remember("jazz in Porto tonight", user_id="ana", key=f"user.thing_{place}")
    assert mem.relate("ana") == sum(min(place, mem.config.link_most) for place in range(9))


def test_what_comes_in_while_others_are_linked_is_linked_too(mem: memdb.Memory) -> None:
    db = mem._store.database()
    having = Having(db, user_id="ana", kinds=["fact"])
    found = []
    for day in ("today", "tomorrow", "monday"):
        mem.remember(f"jazz in Porto {day}", user_id="ana", key=f"user.{day}")
        last = db.tuples("insert.last")[0][0]
        found.append([text for _, text in having.earlier(int(last or 0), ["jazz", "porto"])])
    assert found == [[], ["jazz in Porto today"], ["jazz in Porto tomorrow", "jazz in Porto today"]]


def test_what_has_ended_is_linked_to_nothing(mem: memdb.Memory) -> None:
    before, ended, after = (
        mem.remember(f"jazz in Porto {day}", user_id="ana", key=f"user.{day}").fact_id for day in ("one", "two", "three")
    )
    mem.reject(ended)
    assert mem.relate("ana") == 1
    assert [one.fact.fact_id for one in mem.links(before, statuses=["active", "superseded", "expired", "archived"])] == [after]


@pytest.mark.parametrize("keys", [("user.allergic_to", "user.place"), ("user.place", "user.allergic_to")])
def test_what_waits_to_be_confirmed_is_linked_to_what_it_is_like(mem: memdb.Memory, keys: tuple[str, str]) -> None:
    mem.consent("ana", sensitive_topics="ask")
    facts = [mem.remember(f"jasmine in Porto {number}", user_id="ana", key=key) for number, key in enumerate(keys)]
    assert {fact.status for fact in facts} == {"active", "pending_confirmation"}
    assert mem.relate("ana") == 1


def test_likeness_leaves_a_link_made_by_hand_as_it_is(mem: memdb.Memory) -> None:
    a, b = (mem.remember(text, user_id="ana").fact_id for text in ("jazz in Porto tonight", "jazz in Porto tomorrow"))
    mem.link(b, a, strength=0.01)
    mem.relate("ana")
    assert [one.strength for one in mem.links(a)] == [0.01]


def test_a_row_in_the_place_of_an_erased_one_is_looked_through_too(mem: memdb.Memory) -> None:
    mem.remember("jazz in Porto tonight", user_id="ana", key="user.one")
    mem.remember("a passing thought", user_id="ana", key="user.two")
    mem.relate("ana")
    mem.forget("ana", key="user.two")
    mem.remember("jazz in Porto tomorrow", user_id="ana", key="user.three")
    assert mem.relate("ana") == 1


def test_what_is_alike_is_looked_for_while_others_write(mem: memdb.Memory) -> None:
    ids = [mem.remember(f"jazz in Porto {day}", user_id="ana", key=f"user.{day}").fact_id for day in ("today", "tomorrow")]
    db = mem._store.database()
    other = apsw.Connection(str(db.path))
    other.execute("begin immediate")
    having = Having(db, user_id="ana", kinds=["fact"])
    found = relate(db, user_id="ana", kinds=["fact"], min_strength=0.1, most=3, rarity=Rarity(db), having=having)
    other.execute("rollback")
    assert found is not None
    assert [(source, target) for source, target, _ in found.pairs] == [(ids[1], ids[0])]
    assert found.last_id == ids[1]


def test_what_ends_after_it_was_found_alike_is_not_linked_and_what_is_gone_not_counted_as_looked_through(mem: memdb.Memory) -> None:
    ids = [mem.remember(f"jazz in Porto {day}", user_id="ana", key=f"user.{day}").fact_id for day in ("today", "tomorrow", "monday")]
    db = mem._store.database()
    mem.reject(ids[1])
    pairs = [(ids[1], ids[0]), (ids[2], ids[1]), (ids[2], ids[0])]
    made = [
        db.run("links.alike", user_id="ana", source_id=source, target_id=target, strength=0.5, now="2025-03-01T00:00:00.000Z")
        for source, target in pairs
    ]
    assert made == [0, 0, 1]
    mem.forget("ana", key="user.monday")
    assert (db.run("links.related", user_id="ana", last_id=ids[2]), db.run("links.related", user_id="ana", last_id=ids[1])) == (0, 1)


def test_a_search_follows_links_as_far_as_its_weights_say(mem: memdb.Memory) -> None:
    found = mem.remember("The spare key is with Rita", user_id="ana", key="user.one")
    linked = mem.remember("She works at the bakery until noon", user_id="ana", key="user.two")
    mem.link(found.fact_id, linked.fact_id)
    shell = mem._store.database().connection
    shell.execute(
        "insert into weights (name, feature, value) values ('plain', 'lexical', 1), ('follow', 'lexical', 1), ('follow', 'linked', 0.5)"
    )
    assert [hit.fact.fact_id for hit in mem.search("spare key", user_id="ana", weights="plain")] == [found.fact_id]
    hits = mem.search("spare key", user_id="ana", weights="follow")
    assert [hit.fact.fact_id for hit in hits] == [found.fact_id, linked.fact_id]
    assert hits[1].contributions == {"lexical": 0.0, "linked": 0.5}
    assert hits[1].score == 0.5


def test_a_search_follows_no_link_to_what_it_was_not_asked_for(mem: memdb.Memory) -> None:
    shell = mem._store.database().connection
    shell.execute("insert into weights (name, feature, value) values ('follow', 'lexical', 1), ('follow', 'linked', 0.5)")
    found = mem.remember("The spare key is with Rita", user_id="ana", key="user.one")
    other = mem.remember("Water the plants", user_id="ana", kind="task", key="user.two")
    mem.link(found.fact_id, other.fact_id)
    assert len(mem.search("spare key", user_id="ana", weights="follow")) == 2
    assert len(mem.search("spare key", user_id="ana", weights="follow", kinds=["fact"])) == 1
    mem.reject(other.fact_id)
    assert len(mem.search("spare key", user_id="ana", weights="follow")) == 1


def test_a_thicket_is_walked_in_no_time(mem: memdb.Memory) -> None:
    ids = [mem.remember(f"Thing {place}", user_id="ana", key=f"user.thing_{place}").fact_id for place in range(40)]
    for one, other in itertools.combinations(ids, 2):
        mem.link(one, other, strength=0.5)
    started = time.perf_counter()
    assert {one.depth for one in mem.links(ids[0], depth=8)} == {1}
    assert time.perf_counter() - started < 5  # a walk over every path would never end


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda mem, a, b: mem.link(a, a), "cannot be linked to itself"),
        (lambda mem, a, b: mem.link(a, b), "of different users"),
        (lambda mem, a, b: mem.link(a, b, "likes"), "relation is 'likes'; give one of relates-to"),
        (lambda mem, a, b: mem.link(a, b, strength=1.5), "strength is 1.5"),
        (lambda mem, a, b: mem.links(a, depth=0), "depth is 0"),
        (lambda mem, a, b: mem.links(a, depth=9), "depth is 9"),
        (lambda mem, a, b: mem.links(a, relations=["likes"]), "relation is 'likes'"),
        (lambda mem, a, b: mem.relate("ana", kinds=["rumour"]), "kinds is 'rumour'; give one of"),
        (lambda mem, a, b: mem.links("x"), "no fact 'x'"),
        (lambda mem, a, b: mem.link(a, "x"), "no fact 'x'"),
    ],
)
def test_a_link_that_cannot_be_is_told(mem: memdb.Memory, call: Callable[[memdb.Memory, str, str], object], says: str) -> None:
    (a,), (b,) = chain(mem, "A"), chain(mem, "B", user="bob")
    with pytest.raises(memdb.MdbError, match=says):
        call(mem, a, b)


@settings(max_examples=25)
@given(edges=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14), depth=st.integers(1, 4))
def test_a_walk_finds_what_a_search_of_the_graph_finds(edges: set[tuple[int, int]], depth: int) -> None:
    with memdb.open(":memory:", embedder=None, config={"worker": False}) as mem:
        ids = [mem.remember(f"Thing {place}", user_id="ana", key=f"user.thing_{place}").fact_id for place in range(7)]
        near: dict[int, set[int]] = {place: set() for place in range(7)}
        for one, other in edges:
            if one != other:
                mem.link(ids[one], ids[other])
                near[one].add(other)
                near[other].add(one)
        reached, edge, distance = {0: 0}, {0}, 0
        while edge and distance < depth:
            distance += 1
            edge = {there for here in edge for there in near[here]} - reached.keys()
            reached |= dict.fromkeys(edge, distance)
        assert {ids.index(one.fact.fact_id): one.depth for one in mem.links(ids[0], depth=depth)} | {0: 0} == reached
