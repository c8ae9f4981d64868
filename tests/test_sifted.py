"""What must stand in a row, and when it happened or was so: filters of a search, before any cut, however it is asked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memdb
from memdb.embed import HashingEmbedder

Tell = Callable[..., memdb.Memory]
EMBEDDER = HashingEmbedder(64)
FIRST = datetime(2025, 3, 1, tzinfo=UTC)
NOW = "2025-04-01"
WORDS = ("heron", "lamp", "river")
ANY_FILE = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Row(NamedTuple):
    """What is remembered of something, its times in days from the first one."""

    kind: str
    words: list[str]
    begins: int
    happens: int | None
    lasts: int | None

    @property
    def text(self) -> str:
        return " ".join(["tea", *self.words])

    def is_within(self, since: int | None, until: int | None) -> bool:
        """Whether it happened, or was so, from the one day to the other."""
        begins = self.begins if self.happens is None else self.happens
        has_moment = self.happens is not None or self.kind in ("message", "episode", "narrative")
        ends = begins + 1 if has_moment else 99 if self.lasts is None else self.begins + self.lasts
        return (until is None or begins <= until) and (since is None or ends > since)


def day(number: int) -> date:
    return (FIRST + timedelta(days=number)).date()


ROWS = st.lists(
    st.builds(
        Row,
        kind=st.sampled_from(["fact", "note", "message", "episode", "task"]),
        words=st.lists(st.sampled_from(WORDS), max_size=3),
        begins=st.integers(0, 6),
        happens=st.none() | st.integers(0, 6),
        lasts=st.none() | st.integers(1, 4),
    ),
    min_size=1,
    max_size=12,
)


def filled(path: Path, rows: list[Row], embedder: HashingEmbedder | None, **config: object) -> memdb.Memory:
    mem = memdb.open(path, embedder=embedder, llm=None, config={"worker": False, **config})
    mem.remember_many(
        {
            "value_text": row.text, "user_id": "ana", "kind": "note" if row.kind == "message" else row.kind, "key": f"user.k{place}", "valid_from": day(row.begins),
            "event_time": None if row.happens is None else day(row.happens),
            "valid_to": None if row.lasts is None else day(row.begins + row.lasts),
            "fact_id": str(place),
        }
        for place, row in enumerate(rows)
    )  # fmt: skip
    mem._store.database().connection.execute("update facts set status = 'expired' where valid_to is not null")
    for place, row in enumerate(rows):
        mem._store.database().connection.execute("update facts set kind = ? where fact_id = ?", (row.kind, str(place)))
    mem.drain()
    return mem


@ANY_FILE
@given(
    rows=ROWS,
    must=st.none() | st.lists(st.sampled_from([*WORDS, "tea", "HERONS", "tea heron", "lamp river"]), max_size=2),
    since=st.none() | st.integers(0, 7),
    until=st.none() | st.integers(0, 7),
    as_of=st.none() | st.integers(0, 7),
    weights=st.sampled_from(["default", "mem-skill", "priority", "first-person", "vector-only"]),
    way=st.sampled_from([{"vector_cache_mb": 8}, {"vector_cache_mb": 0}, None]),
)
def test_what_is_found_is_what_is_left_when_everything_is_sifted_by_hand(
    rows: list[Row],
    must: list[str] | None,
    since: int | None,
    until: int | None,
    as_of: int | None,
    weights: str,
    way: dict[str, object] | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if since is not None and until is not None and since > until:
        since, until = until, since
    path = tmp_path_factory.mktemp("any") / "mem.db"
    with filled(path, rows, None if way is None else EMBEDDER, **(way or {})) as mem:
        statuses = None if as_of is not None else ["active", "expired"]
        if way is None and weights == "vector-only":
            weights = "lexical-only"
        asked = {"as_of": None if as_of is None else day(as_of), "statuses": statuses, "weights": weights, "now": NOW, "limit": 50}
        every = mem.search("tea", user_id="ana", **asked)  # type: ignore[arg-type]
        hits = mem.search(
            "tea", user_id="ana", must=must, since=since if since is None else day(since), until=until if until is None else day(until),
            **asked,  # type: ignore[arg-type]
        )  # fmt: skip

        def fits(fact: memdb.Fact) -> bool:
            words = f" {fact.value_text} "
            wanted = [f" {term.lower().replace('herons', 'heron')} " for term in must or ()]
            return all(term in words for term in wanted) and rows[int(fact.fact_id)].is_within(since, until)

        assert len(every) == sum(
            as_of is None or (row.begins <= as_of and (row.lasts is None or row.begins + row.lasts > as_of)) for row in rows
        )
        assert {hit.fact.fact_id for hit in hits} == {hit.fact.fact_id for hit in every if fits(hit.fact)}


def test_the_archive_is_sifted_as_the_rest_is(mem: memdb.Memory) -> None:
    for place, city in enumerate(["Porto", "Lisbon", "Braga"], start=1):
        mem.remember(f"Ana lives in {city}", user_id="ana", key="user.lives_in", object=city, timestamp=f"2025-0{place}-01")
    assert mem.compact(now="2026-03-10") == 2

    def found(**narrowed: object) -> list[str | None]:
        return [hit.fact.object for hit in mem.search("live", user_id="ana", as_of="2025-01-10", now="2026-03-10", **narrowed)]  # type: ignore[arg-type]

    assert found() == found(must=["porto"]) == found(since="2025-01-31") == found(until="2025-01-01") == ["Porto"]
    assert found(must=["Lisbon"]) == found(since="2025-02-01") == found(until="2024-12-31") == []
    assert found(must=np.array(["Porto", "lives"])) == ["Porto"]  # as any list of texts


def test_what_must_be_there_is_looked_for_in_all_of_the_archive(mem: memdb.Memory) -> None:
    rows = [
        {"value_text": f"Heron {place}", "user_id": "ana", "valid_from": "2025-01-02", "key": f"user.k{place}"} for place in range(2_100)
    ]
    oldest = {"value_text": "Heron of the lake", "user_id": "ana", "valid_from": "2025-01-01", "key": "user.lake"}
    mem.remember_many(row | {"valid_to": "2025-02-01"} for row in (*rows, oldest))
    mem.compact(now="2026-03-10")
    asked = {"user_id": "ana", "as_of": "2025-01-10", "now": "2026-03-10"}
    for narrowed in ({"must": ["lake"]}, {"until": "2025-01-01"}):
        assert [hit.fact.key for hit in mem.search("heron", **asked, **narrowed)] == ["user.lake"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("porto", [0]), ("PORTO", [0]), ("Lives", [0, 1]), ("green tea", [0]), ("tea green", []), ("cafe", [2]), ("don't", [2]),
        ("\x00porto\x00", [0]), ('"porto"', [0]), ('"', None), ('por"to', []), ("porto*", [0]), ("por*", []), ("^porto", [0]), ("-porto", [0]),
        ("NEAR(porto tea)", []), ("body:porto", []), ("{body}: porto", []), ("porto OR lisbon", []), ("NOT porto", []), ("OR", []),
        ("') or 1 = 1 --", []), ("東京", [3]), ("京都", [3]), ("東都", []), ("ひ", []), ("住", [3]), ("2025", [4]), ("", None), (" \n", None),
        ("***", None), ("👩‍👩‍👧", None), ("\u0301", None), ("\ud800", None), ("porto\ud800", None),
    ],
    ids=range(35),
)  # fmt: skip
def test_whatever_stands_in_a_term_is_only_words(mem: memdb.Memory, term: str, found: list[int] | None) -> None:
    texts = [
        "I live in Porto, with green tea.",
        "I live in Lisbon.",
        "We don't like café au lait.",
        "東京都に住んでいます。",
        "In 2025 it rained.",
    ]
    for place, text in enumerate(texts):
        mem.observe(text, user_id="ana", turn_id=str(place))
    mem.drain()
    asked = {"user_id": "ana", "kinds": ["message"], "must": [term]}
    if found is None:
        with pytest.raises(memdb.InputError, match="must holds"):
            mem.search("where", **asked)  # type: ignore[arg-type]
    else:
        assert sorted(hit.fact.source_turn_id for hit in mem.search("where", **asked)) == [str(place) for place in found]  # type: ignore[arg-type]


@ANY_FILE
@given(term=st.text(max_size=30))
def test_any_term_is_looked_for_or_refused_in_one_sentence(mem: memdb.Memory, term: str) -> None:
    mem.observe("I live in Porto.", user_id="ana", turn_id="t")
    try:
        mem.search("where", user_id="ana", must=[term, "porto"])
    except memdb.InputError as error:
        assert str(error).startswith("must holds")  # most terms are no error


def test_all_that_must_be_there_must_be_there(tell: Tell) -> None:
    mem = tell("I met Rui by the river.", "I met Eva by the lake.", "Rui has a lamp.")

    def found(must: list[str]) -> list[str]:
        return sorted(hit.fact.source_turn_id for hit in mem.search("Who?", user_id="ana", kinds=["message"], must=must))

    assert found(["rui", "river"]) == ["t0"]
    assert found(["met"]) == ["t0", "t1"]
    assert found(["rui", "lake"]) == []
    assert found([]) == ["t0", "t1", "t2"]
    assert found(["rui"] * 2_000 + ["lamp"]) == ["t2"]


def test_the_words_around_a_message_are_not_its_own(tell: Tell) -> None:
    mem = tell("Where is the heron?", "By the river.")
    assert [hit.fact.source_turn_id for hit in mem.search("heron", user_id="ana", must=["heron"])] == ["t0"]


def test_what_is_linked_to_a_hit_is_sifted_too(mem: memdb.Memory) -> None:
    river = mem.remember("The river is cold", user_id="ana", key="user.river")
    lamp = mem.remember("The lamp is warm", user_id="ana", key="user.lamp")
    mem.link(river.fact_id, lamp.fact_id)
    mem.set_weights({"mine": {"lexical": 1.0, "linked": 1.0}})
    assert [hit.fact.key for hit in mem.search("river", user_id="ana", weights="mine", must=["river"])] == ["user.river"]


def test_a_day_is_the_users_own_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    times = ["2025-03-29T22:59:59Z", "2025-03-29T23:00:00Z", "2025-03-30T21:59:59.999Z", "2025-03-30T22:00:00Z"]  # the clocks go forward
    config = {"worker": False, "timezone": "Europe/Berlin"}
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config=config) as mem:
        for place, time in enumerate(times):
            mem.observe("The heron is there.", user_id="ana", turn_id=str(place), timestamp=time)

        def found(since: date | str | None, until: date | str | None) -> list[str]:
            return sorted(hit.fact.source_turn_id for hit in mem.search("heron", user_id="ana", since=since, until=until))

        for sunday in ("2025-03-30", date(2025, 3, 30), " 20250330 ", "2025-W13-7"):
            assert found(sunday, sunday) == ["1", "2"]
            assert (found(sunday, None), found(None, sunday)) == (["1", "2", "3"], ["0", "1", "2"])
        assert found(None, "2025-03-30T00:00") == found(None, datetime(2025, 3, 30)) == ["0"]  # in the memory's zone
        assert found("2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z") == ["1", "2"]
        assert found("0001-01-02", "9999-12-31") == found(None, date.max) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2025-03-02", "2025-03-01"),
        ("2025-03-01T10:00", "2025-03-01T09:59"),
        (date(2025, 3, 2), "2025-03-01"),
        ("2025-03-02", "2025-03-01T23:59"),
    ],
)
def test_a_stretch_that_ends_before_it_begins_is_refused(mem: memdb.Memory, since: date | str, until: date | str) -> None:
    for ask in (mem.search, mem.explain, mem.assess):
        with pytest.raises(memdb.InputError, match=r"until is .*, before since, "):
            ask("x", user_id="ana", since=since, until=until)
    assert mem.search("x", user_id="ana", since="2025-03-01", until="2025-03-01") == []
    assert mem.search("x", user_id="ana", since="2025-03-01T10:00", until="2025-03-01") == []


@pytest.mark.parametrize(
    "narrowed", [{"since": "soon"}, {"until": 5}, {"must": "tea"}, {"must": [5]}, {"must": iter(["tea"])}, {"must": 5}]
)
def test_what_is_no_time_and_no_list_of_texts_is_refused(mem: memdb.Memory, narrowed: dict[str, object]) -> None:
    for ask in (mem.search, mem.explain, mem.assess):
        with pytest.raises(memdb.InputError):
            ask("x", user_id="ana", **narrowed)  # type: ignore[arg-type]


def test_what_an_answer_is_judged_by_is_sifted_too(tell: Tell) -> None:
    mem = tell("I saw a heron.", "I saw a lamp.", "I saw a heron and a lamp.")
    for narrowed, found in (({"must": ["heron"]}, {"t0", "t2"}), ({"since": "2025-03-02", "until": "2025-03-02"}, {"t1"})):
        hits = mem.assess("What did I see?", user_id="ana", kinds=["message"], now="2025-03-05", **narrowed)
        assert {hit.fact.source_turn_id for hit in hits} == found


@pytest.fixture
def two_matters(mem: memdb.Memory) -> memdb.Memory:
    mem.remember("Ana avoids nuts", user_id="ana", key="user.avoids", object="nuts")
    mem.remember("Ana prefers tea", user_id="ana", key="user.prefers", object="tea")
    for text, matter in (("Redis keeps the sessions", "code"), ("Redis plays the piano", "novel")):
        mem.remember(text, user_id="ana", tags=[matter])
        mem.remember(f"Finish the {matter}", user_id="ana", kind="task", tags=[matter])
    mem.remember("Buy milk", user_id="ana", kind="task")
    return mem


def test_a_context_of_one_matter_tells_what_bears_its_tag_and_what_is_always_told(two_matters: memdb.Memory) -> None:
    told = two_matters.context("What is Redis?", user_id="ana", tags=["code"]).text
    assert all(text in told for text in ("keeps the sessions", "Finish the code", "Buy milk", "avoids nuts"))
    assert not any(text in told for text in ("piano", "novel"))


def test_a_context_of_a_session_is_narrowed_as_any_other(two_matters: memdb.Memory) -> None:
    with two_matters.session("ana", "s") as session:
        told = session.context("What is Redis?", tags=["novel"], kinds=["fact"]).text
    assert ("piano" in told, "sessions" in told) == (True, False)


def test_a_narrowed_context_that_finds_nothing_is_not_filled_up_with_preferences(two_matters: memdb.Memory) -> None:
    whole, narrowed = (two_matters.context("Redis?", user_id="ana", **least).text for least in ({}, {"min_score": 1e6}))  # type: ignore[arg-type]
    assert ("Redis plays" in whole, "Redis" in narrowed) == (True, False)
    assert ("avoids nuts" in narrowed, "prefers tea" in narrowed) == (True, False)
