"""Forgetting is forgetting: not a byte stays."""

from __future__ import annotations

import json
import random
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo
from itertools import count as count_from
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

import memdb
from memdb.config import Config
from memdb.database import Database
from memdb.embed import HashingEmbedder, to_blob
from memdb.erasing import overwrite_remains
from memdb.forgetting import forget
from memdb.llm import ModelRequest
from memdb.observer import build_profile
from memdb.records import EVER, Source
from memdb.remains import is_told_apart, remains
from memdb.segments import merge_erased
from memdb.steps.forget import erase_vectors
from memdb.steps.forget import forget as erase
from memdb.store import Store
from memdb.times import utc_now
from tests.disk import FullDisk

RARE = "zanzibarquux"


def raw_bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def bytes_of(folder: Path) -> bytes:
    return raw_bytes_of(folder).lower()


def fill(path: Path, **more: object) -> memdb.Memory:
    mem = memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False})
    mem.observe(f"I live in {RARE.title()}.", "How nice!", user_id="ana", turn_id="t1", session_id="s")
    mem.observe("I like jazz.", user_id="ana", turn_id="t2", session_id="s")
    mem.observe("I live in Porto.", user_id="bea", turn_id="t1")
    mem.drain()
    mem.search(f"{RARE} where", user_id="ana")
    mem.stats()
    return mem


@pytest.mark.parametrize("key", [None, "user.lives_in"], ids=["the user", "one key"])
def test_no_byte_of_it_stays_in_any_file(key: str | None, tmp_path: Path) -> None:
    mem = fill(tmp_path / "mem.db")
    mem._store.database().checkpoint()
    assert RARE.encode() in bytes_of(tmp_path)
    mem.forget("ana", key=key)
    mem.drain()
    assert RARE.encode() not in bytes_of(tmp_path)
    assert RARE[:7].encode() not in bytes_of(tmp_path)
    mem.close()
    assert RARE.encode() not in bytes_of(tmp_path)


def test_copies_of_rows_that_were_moved_within_the_file_go_too(tmp_path: Path) -> None:
    users = [f"{RARE}{number}" for number in range(6)]
    choose = random.Random(3)

    def say(mem: memdb.Memory, user: str) -> None:
        mem.observe(f"{user} likes {'jazz and tea ' * choose.randint(1, 20)}", user_id=user, session_id=f"s {user}")
        mem.confirm(mem.remember(f"{user} {'word ' * choose.randint(1, 60)}", user_id=user).fact_id)

    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        for _ in range(120):
            user = choose.choice(users)
            say(mem, user)
        mem.drain()
        for user in users[:5]:
            mem.forget(user)
            assert user.encode() not in bytes_of(tmp_path)
            for fact in mem.facts(users[5]):
                mem.confirm(fact.fact_id)
            mem._store.database().checkpoint()
        assert not [user for user in users[:5] if user.encode() in bytes_of(tmp_path)]
        assert mem._store.database().connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert len(mem.facts(users[5])) > 5


def tree_page(kind: int, *, header: int, at: int = 0, block: int = 0, begins: int = 400) -> tuple[bytearray, int]:
    """A page of 512 bytes as SQLite writes one, with three pointers and rows to its end; and where its pointers end."""
    page, gap = bytearray(512), at + header + 6
    page[:gap] = b"\x01" * gap
    page[begins:] = b"\x01" * (512 - begins)
    struct.pack_into(">BHHH", page, at, kind, block, 3, begins)
    return page, gap


@pytest.mark.parametrize("at", [0, 100])
@pytest.mark.parametrize(("kind", "header"), [(2, 12), (5, 12), (10, 8), (13, 8)])
def test_what_is_left_between_pointers_and_rows_is_seen_on_every_kind_of_page(kind: int, header: int, at: int) -> None:
    page, gap = tree_page(kind, header=header, at=at)
    assert list(remains(bytes(page), first=at > 0)) == []
    for left in (gap, 399):
        one = page.copy()
        one[left] = 7
        assert list(remains(bytes(one), first=at > 0)) == [(gap, 400)]


def test_what_is_left_in_the_gaps_of_deleted_rows_is_seen() -> None:
    page, gap = tree_page(13, header=8, block=420)
    for block, following, size in ((420, 440, 9), (440, 450, 4), (450, 480, 12), (480, 508, 5), (508, 0, 4)):
        struct.pack_into(">HH", page, block, following, size)
    page[454:462] = bytes(8)  # nothing is left in this one, and no room in those of four bytes
    assert list(remains(bytes(page))) == [(424, 429), (484, 485)]
    page[461] = 7
    page[gap] = 7
    assert list(remains(bytes(page))) == [(gap, 400), (424, 429), (454, 462), (484, 485)]


@pytest.mark.parametrize("following", [420, 419, 410, 509, 600])
def test_a_page_whose_gaps_are_not_in_order_is_read_to_where_they_are(following: int) -> None:
    page, _ = tree_page(13, header=8, block=420)
    struct.pack_into(">HH", page, 410, 0, 9)
    struct.pack_into(">HH", page, 420, following, 9)
    assert list(remains(bytes(page))) == [(424, 429)]
    struct.pack_into(">HH", page, 420, 0, 93)
    assert list(remains(bytes(page))) == []  # it would end beyond the page


def test_a_page_of_no_tree_and_one_without_rows() -> None:
    page, _ = tree_page(13, header=8)
    page[gap := 20] = 7
    for kind in (0, 1, 3, 255):
        page[0] = kind
        assert list(remains(bytes(page))) == []
    empty = bytearray(65_536)
    struct.pack_into(">BHHH", empty, 0, 13, 0, 0, 0)  # nought stands for 65,536
    assert list(remains(bytes(empty))) == []
    empty[gap] = 7
    assert list(remains(bytes(empty))) == [(8, 65_536)]


def test_pages_are_told_apart_up_to_their_largest_number() -> None:
    assert is_told_apart(bytes(100), 2**25 - 1)
    assert not is_told_apart(bytes(100), 2**25)
    for place in (20, 52, 55):
        assert not is_told_apart(bytes(place) + b"\x01" + bytes(99 - place), 100)
    assert is_told_apart(bytes(19) + b"\x01" + bytes(31) + b"\x01" + bytes(4) + b"\x01" + bytes(43), 100)


@pytest.mark.parametrize("kept", ["pragma auto_vacuum = full", "pragma auto_vacuum = incremental"])
def test_a_file_whose_pages_cannot_be_told_apart_is_left_as_it_is(kept: str, tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()
    connection = apsw.Connection(str(tmp_path / "mem.db"))
    connection.execute(f"pragma journal_mode = delete; {kept}; vacuum; pragma journal_mode = wal").fetchall()
    connection.close()
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.forget("ana")
        left = (tmp_path / "mem.db").read_bytes()
        assert not is_told_apart(left[:100], 100)
        pages = [left[start : start + 4096] for start in range(0, len(left), 4096)]
        assert any(any(page[begins:ends]) for page in pages for begins, ends in remains(page, first=page is pages[0]))
        assert mem._store.database().connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def test_what_is_held_in_memory_only_can_be_forgotten() -> None:
    with memdb.open(":memory:", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        assert mem.forget("ana").messages == 1


def test_what_somebody_reads_meanwhile_is_overwritten_when_they_have_done(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        reader = Store(tmp_path / "mem.db", Config(), vectors=True)
        with reader.database().snapshot():
            reader.database().all("meta.all")
            db = mem._store.database()
            forget(db, "ana", key=None, config=mem.config)
            assert not overwrite_remains(db)
        reader.close()
        assert overwrite_remains(db)
        assert not overwrite_remains(db)
        assert RARE.encode() not in bytes_of(tmp_path)


def test_forgetting_waits_for_who_reads_only_for_a_moment(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        reader = apsw.Connection(str(tmp_path / "mem.db"))
        reader.execute("begin; select * from meta").fetchall()
        forget(mem._store.database(), "ana", key=None, config=mem.config)
        done = threading.Timer(0.5, reader.close)
        done.start()
        assert overwrite_remains(mem._store.database(), patience=60.0)
        done.join()


def test_who_closes_the_file_overwrites_what_one_that_was_killed_has_left(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for place in range(120):
            mem.observe(f"I like {RARE} number {place}.", user_id=RARE, session_id="s")
            mem.observe(f"I like tea number {place}.", user_id="bea", session_id="s")
        mem.drain()
        forget(mem._store.database(), RARE, key=None, config=mem.config)  # and no more: it was killed
        mem._store.database().checkpoint()
        assert mem._store.database().all("forget.overwrites")  # copies may lie between the rows, by how these lay on their pages
    assert RARE.encode() not in bytes_of(tmp_path)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        assert not mem._store.database().all("forget.overwrites")


def test_the_name_is_gone_where_there_never_were_vectors(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id=RARE)
        mem.drain()
        assert mem.forget(RARE).vectors_pending == 0
        assert RARE.encode() not in bytes_of(tmp_path)


def test_what_is_forgotten_on_a_full_disk_leaves_a_profile_of_what_is_left(tmp_path: Path) -> None:
    with FullDisk() as disk, fill(tmp_path / "mem.db") as mem:
        rooms, log = count_from(), (tmp_path / "mem.db-wal").stat().st_size
        while mem.facts("ana", key="user.lives_in"):
            with suppress(memdb.StoreError), disk.full(at=log + next(rooms) * 4_096):
                mem.forget("ana", key="user.lives_in")
        assert next(rooms) > 2
        shell = mem._store.database().connection
        assert ["jazz" in profile for (profile,) in shell.execute("select profile from profiles where user_id = 'ana'")] == [True]


@pytest.mark.parametrize("key", [None, "user.likes"], ids=["the user", "one key"])
def test_a_full_disk_has_all_forgotten_or_nothing_and_an_error_says_which(tmp_path: Path, key: str | None) -> None:
    (tmp_path / "full").mkdir()
    with fill(tmp_path / "full" / "mem.db") as mem:
        mem.remember_many({"value_text": f"Likes song {place}", "user_id": "ana", "key": "user.likes"} for place in range(600))
        mem.drain()
    outcomes, waited = [], False
    for room in count_from(0, 8):
        copytree(tmp_path / "full", folder := tmp_path / str(room))
        with FullDisk() as disk, memdb.open(folder / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
            mem.observe("I live in Porto.", user_id="cleo")  # so that there is a log
            log = (folder / "mem.db-wal").stat().st_size
            told = None
            with suppress(memdb.StoreError), disk.full(at=log + room * 4_096):
                told = mem.forget("ana", key=key)
            assert len(mem.facts("ana", key="user.likes")) == (601 if told is None else 0)
            assert mem.drain()
            waited |= told is not None and told.vectors_pending > 0
            (left,) = mem._store.database().connection.execute(
                "select count(*) from facts_vec_rowids where rowid > 0 and rowid not in (select id from facts)"
            )
            assert left == (0,)
            outcomes.append(told is None)
            if told is not None and not told.vectors_pending and not mem._store.database().all("forget.merges"):
                break
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count(True) > 2
    assert waited


def test_a_session_does_not_bring_back_who_was_forgotten_meanwhile(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        with mem.session(RARE) as session:
            session.observe(f"I live in {RARE}.")
            session.working.add(f"Wants to see {RARE}")
            with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as other:
                other.forget(RARE)
            assert RARE not in session.context("Where?").text
        assert RARE.encode() not in bytes_of(tmp_path)
        with mem.session(RARE) as session:
            mem.forget(RARE)
            assert session.flush().kept == ()
            session.working.add("Likes figs")
        assert [fact.value_text for fact in mem.facts(RARE, kinds=["note"])] == ["Likes figs"]


def test_a_session_has_no_longer_in_mind_what_was_learned_under_a_forgotten_key(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        mem.remember(f"User lives in {RARE}", user_id="ana", key="user.lives_in")
        with mem.session("ana") as session:
            session.observe("I live in Quuxtown.")
            session.working.add("Wants short answers")
            session.flush()
            mem.forget("ana", key="user.lives_in")
            told = session.context("Where?").text
        assert "Wants short answers" in told
        assert not [word for word in (RARE, "Quuxtown") if word in told]


def test_an_episode_that_tells_of_a_forgotten_turn_goes_in_whatever_zone_its_times_were_given(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "timezone": "Asia/Tokyo"}) as mem:
        mem.observe(f"I live in {RARE}.", user_id="ana", timestamp="2025-03-01T01:30:00Z")
        mem.drain()
        for hours in ("10:20:00", "02:20:00+01:00"):  # 01:20 in UTC
            ends = hours.replace("20", "40", 1)
            told: JsonValue = {"timestamp_start": f"2025-03-01T{hours}", "timestamp_end": f"2025-03-01T{ends}"}
            mem.remember(f"A new home, told at {hours}", user_id="ana", kind="episode", source="inferred", value_json=told)
        mem.forget("ana", key="user.lives_in")
        assert mem.facts("ana", kinds=["episode"]) == []


@pytest.mark.parametrize(("statement", "last"), [("gather.looked_at", {"up_to": 1}), ("links.related", {"last_id": "f1"})])
def test_what_was_looked_at_leaves_no_name_of_who_was_forgotten_meanwhile(
    mem: memdb.Memory, statement: str, last: dict[str, str | int]
) -> None:  # fmt: skip
    mem._store.database().run(statement, user_id=RARE, **last)
    build_profile(mem._store.database(), user_id=RARE, now=utc_now(), config=mem.config)
    names = "select user_id from merged union all select user_id from related union all select user_id from profiles"
    assert mem._store.database().connection.execute(names).fetchall() == []


def test_vectors_that_are_removed_later_leave_nothing_either(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        mem.observe("I like jazz.", user_id=RARE)
        mem.drain()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.forget(RARE)
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert RARE.encode() in bytes_of(tmp_path)
        assert not overwrite_remains(mem._store.database())
        assert mem.drain()
        assert overwrite_remains(mem._store.database())
        assert RARE.encode() not in bytes_of(tmp_path)


def test_a_question_asked_before_is_forgotten_too_however_the_clock_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def set_clock(days: int) -> None:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Clock:
                return cls.fromtimestamp(time.time() + days * 86400, tz)

        monkeypatch.setattr("memdb.times.datetime", Clock)

    with fill(tmp_path / "mem.db") as mem, memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as other:
        set_clock(30)
        other.search(f"{RARE} where", user_id="ana")
        set_clock(0)
        mem.forget("ana")
        other.search("What is new?", user_id="ana")
        set_clock(30)
        assert other.stats().retrievals == 1
        assert RARE.encode() not in bytes_of(tmp_path)


def test_what_was_forgotten_before_the_machine_was_started_leaves_later_questions(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem._store.database().run("meta.put", name="forgotten", value="1e15")  # seconds that it had been running for then
        asked = mem.stats().retrievals
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.search("What is new?", user_id="ana")
        assert mem.stats().retrievals == asked + 1


def test_what_a_model_was_shown_is_not_written_when_it_was_forgotten_meanwhile(tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()

    def think(request: ModelRequest) -> str:
        if "memory auditor" not in request.system:
            return json.dumps(
                {
                    "facts": [
                        {
                            "key": "user.lives_in",
                            "object": "Porto",
                            "excerpt": "I live in Porto",
                            "value_text": "User lives in Porto",
                            "confidence": 0.9,
                        }
                    ]
                }
            )
        if RARE not in request.user.lower():
            return json.dumps({"actions": []})
        with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as other:
            other.forget("ana", key="user.lives_in")
        return json.dumps(
            {
                "actions": [
                    {
                        "candidate": "c1",
                        "target_fact_id": "f1",
                        "reason": f"no longer in {RARE}",
                        "type": "supersede",
                        "confidence_delta": 0.1,
                    }
                ]
            }
        )

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="slow", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=llm, config={"worker": False}) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t3")
        assert mem.drain()
        assert mem.turns("ana", turn_id="t3")[0].attempts == 2
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == ["Porto"]
    assert RARE.encode() not in bytes_of(tmp_path)


def test_an_episode_is_not_written_of_what_was_forgotten_meanwhile(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe("I like tea.", user_id="ana", turn_id="t9", session_id="next")
        mem.drain()
    asked: list[str] = []

    def think(request: ModelRequest) -> str:
        asked.append(request.user)
        if len(asked) == 1:
            with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as other:
                other.forget("ana", key="user.lives_in")
        return json.dumps({"summary": f"Told of {RARE}." if RARE in request.user.lower() else "Told of jazz."})

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="slow", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=llm, config={"worker": False}) as mem:
        mem.maintain(user_id="ana")
        assert RARE in asked[0].lower()
        assert "Told of jazz." in [fact.value_text for fact in mem.facts("ana", kinds=["episode"])]
        assert RARE.encode() not in bytes_of(tmp_path)


def test_a_note_is_not_written_of_what_was_forgotten_meanwhile(tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()
    asked: list[str] = []

    def think(request: ModelRequest) -> str:
        if "stretch of conversation" in request.system:
            return json.dumps({"summary": "They talked."})
        asked.append(request.user)
        if len(asked) == 1:
            with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as other:
                other.forget("ana", key="user.lives_in")
        return json.dumps({"notes": [f"Often speaks of {RARE if RARE in request.user.lower() else 'jazz'}"]})

    llm = memdb.LanguageModel(memdb.ScriptedModel(think), name="slow", backoff=0)
    config = {"worker": False, "reflect_every_turns": 1}
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=llm, config=config) as mem:
        mem.maintain(user_id="ana")
        assert RARE in asked[0].lower()
        assert RARE not in str(mem.facts("ana", kinds=["note"]))
    assert RARE.encode() not in bytes_of(tmp_path)


def test_what_was_archived_of_an_erased_turn_goes_too(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe("I like tea.", user_id="ana", turn_id="t9", session_id="next")
        mem.drain()
        mem.maintain(user_id="ana")
        for fact in mem.facts("ana", kinds=["episode"]):
            mem.reject(fact.fact_id)
        mem.compact("ana", now="2030-01-01")
        mem.forget("ana", key="user.lives_in")
        assert RARE.encode() not in bytes_of(tmp_path)


@pytest.mark.parametrize(
    ("user", "key"), [("ana", "user.lives_in"), ("bea", None), ("bea", "user.lives_in"), ("bea", "household.experience")]
)
def test_what_was_archived_of_other_turns_keys_and_users_stays(user: str, key: str | None, mem: memdb.Memory) -> None:
    for name in ("ana", "bea"):
        for place, text in enumerate(("I live in Rome.", "I drive a Fiat.", "I drive a Volvo.")):
            at = f"2025-03-0{place + 1}T10:00:00Z"
            mem.observe(text, "Sounds lovely.", user_id=name, turn_id=f"t{place}", session_id=f"s{place}", timestamp=at)
        mem.event("Rui made coffee.", user_id=name, timestamp="2025-03-01T10:00:00Z", event_id="e1")
    mem.drain()
    for kind in ("narrative", "episode"):
        for fact in [fact for name in ("ana", "bea") for fact in mem.facts(name, kinds=[kind])]:
            mem.reject(fact.fact_id)
        mem.maintain(now="2025-05-01")  # which tells the episodes
    for name in ("ana", "bea"):
        mem.end(mem.facts(name, key="user.lives_in")[0].fact_id)
    mem.compact(now="2030-01-01")
    db = mem._store.database().connection
    value = "iif(record ->> 'kind' = 'fact', record ->> '$.value_json.object', null)"
    kept = f"select record ->> 'kind', record ->> 'session_id', {value} from facts_archive where user_id = 'ana'"
    before = set(db.execute(kept))
    assert {one[0] for one in before} == {"fact", "episode", "narrative"}
    assert {("fact", "s0", "Rome"), ("fact", "s1", "Fiat"), ("episode", "s0", None), ("episode", "s1", None)} <= before
    mem.forget(user, key=key)
    gone = {("fact", "s0", "Rome"), ("episode", "s0", None)} if user == "ana" else set()
    assert set(db.execute(kept)) == before - gone


def test_forgetting_a_user_leaves_the_others(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        forgotten = mem.forget("ana")
        assert (forgotten.facts, forgotten.messages, forgotten.turns, forgotten.vectors) == (2, 3, 2, 8)
        assert not mem.facts("ana")
        assert not mem.history(user_id="ana")
        assert not mem.search("jazz", user_id="ana")
        assert [fact.object for fact in mem.facts("bea")] == ["Porto"]
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(3,)]


def test_forgetting_a_key_keeps_what_else_is_known(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana", key="user.lives_in")
        assert [fact.object for fact in mem.facts("ana")] == ["jazz"]
        assert list(mem.search(RARE, user_id="ana", weights="lexical-only")) == []
        assert [fact.value_text for fact in mem.facts("ana", kinds=["message"])] == ["I like jazz."]


def test_vectors_wait_where_there_is_no_index_to_remove_them_from(tmp_path: Path) -> None:
    fill(tmp_path / "mem.db").close()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.forget("ana").vectors_pending == 8
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert mem.drain()
        assert mem._store.database().connection.execute("select count(*) from facts_vec").fetchall() == [(3,)]


def test_a_forgotten_user_can_begin_anew(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.forget("ana")
        mem.observe("I live in Faro.", user_id="ana", turn_id="t1")
        mem.drain()
        assert [fact.object for fact in mem.facts("ana")] == ["Faro"]


def test_a_vector_leaves_no_bytes_either(tmp_path: Path) -> None:
    blob = to_blob(HashingEmbedder(64).embed([f"I live in {RARE.title()}."])[0])
    with fill(tmp_path / "mem.db") as mem:
        mem._store.database().checkpoint()
        assert blob in raw_bytes_of(tmp_path)
        mem.forget("ana")
        assert blob not in raw_bytes_of(tmp_path)


def test_the_name_of_a_forgotten_user_is_gone_too(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False}) as mem:
        for user in (RARE, "bea"):
            mem.observe("I live in Porto.", user_id=user, session_id=f"session of {user}")
        mem.drain()
        mem.context("Porto", user_id=RARE)
        mem.forget(RARE)
        assert RARE.encode() not in bytes_of(tmp_path)
    assert RARE.encode() not in bytes_of(tmp_path)


def test_another_fact_of_the_same_words_does_not_quote_them(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe(f"I moved to {RARE} and work as a nurse.", user_id="cleo")
        mem.drain()
        mem.confirm(next(fact.fact_id for fact in mem.facts("cleo") if fact.object == "nurse"))
        mem.forget("cleo", key="user.lives_in")
        assert [fact.object for fact in mem.facts("cleo")] == ["nurse"]
        assert any(change.before for change in mem.history(user_id="cleo"))
        assert not [word for word in (mem.facts("cleo")[0].source_excerpt, str(mem.history(user_id="cleo"))) if RARE in word]


def test_every_turn_that_said_it_goes(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={"worker": False}) as mem:
        for text in (f"I live in {RARE}.", f"Yes, I still live in {RARE}.", "I moved to Porto.", "I like jazz."):
            mem.observe(text, user_id="ana", session_id="s")
        mem.drain()
        mem.compact(now="2030-01-01")
        assert [fact.object for fact in mem.facts("ana", as_of="2030-01-01")] == ["jazz", "Porto"]
        mem.forget("ana", key="user.lives_in")
        assert RARE.encode() not in bytes_of(tmp_path)
        assert {fact.object for fact in mem.facts("ana")} == {"jazz"}
        assert [change.key for change in mem.history(user_id="ana")] == ["user.likes"]


def test_a_turn_not_yet_thought_about_is_forgotten_with_its_user(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe(f"I moved to {RARE}.", user_id="ana")
        assert mem.forget("ana").turns == 3
        assert mem.drain()
        assert not mem.facts("ana", kinds=["message", "fact"])
        assert RARE.encode() not in bytes_of(tmp_path)


def test_nothing_is_left_to_do_after_forgetting(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        mem.observe("I like figs.", user_id="ana")
        mem.forget("ana")
        assert mem.stats().outbox_waiting == 0
        assert mem._store.database().connection.execute("select * from erasures").fetchall() == []


def test_workers_and_another_memory_of_the_file_do_not_keep_it(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem, memdb.open(tmp_path / "mem.db", embedder="hashing-64") as other:
        mem.observe(f"I live in {RARE}.", user_id="ana")
        assert mem.drain(timeout=20)
        assert other.search(RARE, user_id="ana")
        mem.forget("ana")
        assert mem.drain(timeout=20)
        assert not other.search("Where does Ana live?", user_id="ana")
        assert other.facts("ana") == []
    assert RARE.encode() not in bytes_of(tmp_path)


def test_forgetting_in_the_midst_of_many_leaves_no_words(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.load(({"text": f"{RARE}{number} and {RARE} again, number {number}", "session_id": "s"} for number in range(600)), user_id="ana")
        mem.load(({"text": f"Nothing of note, number {number}", "session_id": "s"} for number in range(600)), user_id="bea")
        mem.drain()
        assert mem.forget("ana").messages == 600
        assert len(mem.search("note", user_id="bea", limit=5)) == 5
        assert RARE[2:].encode() not in bytes_of(tmp_path)
    assert RARE[2:].encode() not in bytes_of(tmp_path)


def test_words_of_a_few_leave_an_index_of_many_pages_a_part_at_a_time(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        db = mem._store.database()
        db.connection.execute("insert into facts_fts (facts_fts, rank) values ('pgsz', 64)")
        mem.load(({"text": f"Nothing of note, number {number} of {number * 7}"} for number in range(600)), user_id="bea")
        mem.load(({"text": f"{RARE}{number} again"} for number in range(12)), user_id="ana")
        db.connection.execute("insert into facts_fts (facts_fts) values ('optimize')")
        forget(db, "ana", key=None, config=mem.config)
        parts = [merge_erased(db) for _ in range(100)]
        assert 5 < sum(parts) < 50
        assert db.connection.execute("select max(instr(block, cast(? as blob))) from facts_fts_data", (RARE[2:],)).fetchall() == [(0,)]


def test_a_key_of_many_facts_goes_without_a_merge_of_the_index_meanwhile(tmp_path: Path) -> None:
    def said(connection: apsw.Connection, sql: str) -> list[object]:
        return [value for (value,) in connection.execute(sql).fetchall()]

    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember_many(
            {"value_text": f"Likes {RARE} {n}", "user_id": "ana", "key": f"user.{'likes' if n % 2 else 'hums'}"} for n in range(900)
        )
        connection = mem._store.database().connection
        connection.execute("insert into facts_fts (facts_fts) values ('optimize')")
        segments = "select distinct segid from facts_fts_idx"
        before = said(connection, segments)
        forget(mem._store.database(), "ana", key="user.likes", config=mem.config)
        assert said(connection, segments) == before
        assert said(connection, f"select count(*) from facts_fts where facts_fts match '{RARE}'") == [450]
        assert said(connection, "select v from facts_fts_config where k = 'deletemerge'") == [10]  # for all else it is as before


@pytest.mark.parametrize(("others", "left_out"), [(500, True), (601, False)])
def test_indexes_are_made_anew_where_most_rows_go_with_a_user(others: int, left_out: bool, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"worker": False}) as mem:
        mem.remember_many({"value_text": f"Hums {RARE} {n}", "user_id": "ana"} for n in range(600))
        mem.remember_many({"value_text": f"Hums {n}", "user_id": "bea"} for n in range(others))
        db = mem._store.database()
        db.connection.execute("create index own on facts (user_id, value_text) where kind = 'fact'")
        made = "select name, sql from sqlite_schema where tbl_name = 'facts' order by rowid"
        before, version = db.connection.execute(made).fetchall(), db.setting("schema_version")
        assert mem.forget("ana").facts == 600
        assert (db.setting("schema_version") > version) is left_out
        assert sorted(db.connection.execute(made), key=repr) == sorted(before, key=repr)
        assert mem.check() == []
        assert len(mem.facts("bea")) == others
        assert RARE.encode() not in bytes_of(tmp_path)


def cut_short(db: Database, *, user_id: str, key: str | None = None) -> None:
    """Forget as far as the first transaction goes."""
    with db.transaction():
        erase(db, user_id=user_id, key=key)
        db.run("forget.overwrite", now="2025-01-01T00:00:00.000Z")
        db.run("forget.unmerged")


def test_what_was_forgotten_is_found_by_nobody_before_its_vectors_go(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        cut_short(mem._store.database(), user_id="ana")
        assert mem._store.database().connection.execute("select count(*) from facts_vec where user_id = 'ana'").fetchall() != [(0,)]
        mem.observe("I like jazz.", user_id="ana")
        mem.drain()
        assert {hit.fact.value_text for hit in mem.search(f"Jazz in {RARE}", user_id="ana")} == {"User likes jazz", "I like jazz."}


@pytest.mark.parametrize("key", [None, "user.lives_in"], ids=["the user", "one key"])
def test_what_was_killed_while_it_removed_vectors_is_finished_by_the_worker(key: str | None, tmp_path: Path) -> None:
    blob = to_blob(HashingEmbedder(64).embed([f"I live in {RARE.title()}."])[0])
    with fill(tmp_path / "mem.db") as mem:
        cut_short(mem._store.database(), user_id="ana", key=key)
        killed = copytree(tmp_path, tmp_path / "killed")
    assert blob in raw_bytes_of(killed)
    with memdb.open(killed / "mem.db", embedder="hashing-64", llm=None) as mem:
        until = time.monotonic() + 60
        while mem._store.database().all("forget.overwrites") and time.monotonic() < until:
            time.sleep(0.05)
    assert blob not in raw_bytes_of(killed)
    assert RARE.encode() not in bytes_of(killed)


def test_others_write_between_while_many_vectors_are_removed(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(8), llm=None, config={"worker": False}) as mem:
        mem.remember_many({"value_text": f"Note {number}", "user_id": "ana"} for number in range(501))
        mem.drain()
        db = mem._store.database()
        cut_short(db, user_id="ana")
        with db.transaction():
            erased, last = erase_vectors(db, user_id="ana", after=-1000, newest=0)
        assert (erased, last is None) == (500, False)


def left_of_many(path: Path, *, with_a_trigger_of_ones_own: bool) -> dict[str, list[tuple[object, ...]]]:
    """What stands where the triggers write after a user with very many rows was forgotten, and another with few."""
    with memdb.open(path, embedder=HashingEmbedder(8), llm=None, config={"worker": False}) as mem:
        mem.load([{"text": f"I hummed tune {n}", "session_id": f"s{n // 9}", "turn_id": f"t{n}"} for n in range(520)], user_id="ana")
        mem.remember_many({"value_text": f"Hums {n}", "user_id": "ana", "fact_id": f"ana-{n}"} for n in range(9))
        mem.remember_many({"value_text": f"Hums {n}", "user_id": "bea", "fact_id": f"bea-{n}"} for n in range(9))
        mem.drain()
        db = mem._store.database()
        with db.transaction():
            for sql in (
                "insert into meta (name, value) values ('collection', 'theirs')",
                "insert into reindexed (id, embedding) select id, zeroblob(32) from facts",
                "insert into reindexed (id, embedding) select -id, zeroblob(32) from facts where kind = 'message'",
                *(["create trigger own after delete on facts begin select 1; end"] if with_a_trigger_of_ones_own else []),
            ):
                db.connection.execute(sql)
        cut_short(db, user_id="ana")
        tables = {
            "facts_fts_docsize": "id",
            "outbox": "id, user_id, attempts, dead",
            "reindexed": "id",
            "mirror_outbox": "(select count(*) from mirror_outbox)",  # messages have names of their own in each file
            "mirror_erased": "(select count(*) from mirror_erased)",
        }
        told = {table: db.connection.execute(f"select {what} from {table} order by 1").fetchall() for table, what in tables.items()}
        assert not db.connection.execute("select 1 from facts_fts where facts_fts match 'tune'").fetchall()
        return told


def test_very_many_rows_leave_as_much_to_do_as_each_row_would(tmp_path: Path) -> None:
    at_once = left_of_many(tmp_path / "at once.db", with_a_trigger_of_ones_own=False)
    assert at_once == left_of_many(tmp_path / "one by one.db", with_a_trigger_of_ones_own=True)
    assert len(at_once["outbox"]) == 520 + 520 + 9
    assert at_once["mirror_erased"][0] == (529,)
    assert len(at_once["reindexed"]) == len(at_once["facts_fts_docsize"]) == 9


def test_very_many_rows_go_without_a_look_for_the_neighbours_of_each(tmp_path: Path) -> None:
    def looked(count: int) -> int:
        """In hundreds of steps of SQLite."""
        with memdb.open(tmp_path / f"{count}.db", embedder=None, llm=None, config={"worker": False}) as mem:
            mem.load([{"text": f"I hummed tune {n}", "session_id": f"s{n // 9}"} for n in range(count)], user_id="ana")
            taken = count_from(0)
            mem._store.database().connection.set_progress_handler(lambda: next(taken) < 0, 100)
            cut_short(mem._store.database(), user_id="ana")
            return next(taken)

    assert looked(2_600) - looked(600) < 2_000 * 6  # one by one they take seven and more


def test_vectors_that_waited_leave_no_bytes_once_removed(tmp_path: Path) -> None:
    blob = to_blob(HashingEmbedder(64).embed(["I like jazz."])[0])
    fill(tmp_path / "mem.db").close()
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        mem.forget("ana")
    assert blob in raw_bytes_of(tmp_path)
    with memdb.open(tmp_path / "mem.db", embedder="hashing-64", config={"worker": False}) as mem:
        assert mem.drain()
    assert blob not in raw_bytes_of(tmp_path)


def test_nobody_and_nothing_can_be_forgotten_without_harm(tmp_path: Path) -> None:
    with fill(tmp_path / "mem.db") as mem:
        assert mem.forget("nobody") == memdb.Forgotten()
        assert mem.forget("ana", key="user.shoe_size") == memdb.Forgotten()
        assert len(mem.facts("ana")) == 2
        with pytest.raises(memdb.InputError, match="user_id is empty"):
            mem.forget("")


def first(mem: memdb.Memory, user: str, kind: str = "fact") -> str:
    known = mem.facts(user, kinds=[kind])
    return known[0].fact_id if known else mem.remember(f"User has a {kind} {user}", user_id=user, kind=kind).fact_id


def live_a_session(mem: memdb.Memory, user: str) -> None:
    with mem.session(user, f"session of {user}") as session:
        session.observe(f"I moved to {user}.")
        session.working.add(f"Wants {user}")


DEEDS: dict[str, Callable[[memdb.Memory, str], object]] = {
    "observe": lambda mem, user: mem.observe(f"I live in {user} and like {user}s. Remind me to call {user}.", f"So {user}!", user_id=user),
    "drain": lambda mem, _: mem.drain(),
    "remember": lambda mem, user: mem.remember(f"User likes {user}", user_id=user, key="user.likes", object=user, tags=[user]),
    "bulk": lambda mem, user: mem.remember_many([{"value_text": f"{user} {number}", "user_id": user} for number in range(9)]),
    "write": lambda mem, user: mem.write([{"text": f"About {user}", "kind": kind} for kind in ("note", "task", "episode")], user_id=user),
    "confirm": lambda mem, user: mem.confirm(first(mem, user)),
    "reject": lambda mem, user: mem.reject(first(mem, user)),
    "doubt": lambda mem, user: mem.doubt(first(mem, user)),
    "undo": lambda mem, user: [mem.undo(user_id=user, turn_id=turn.turn_id) for turn in mem.turns(user)],
    "link": lambda mem, user: mem.link(first(mem, user), first(mem, user, "note")),
    "relate": lambda mem, user: mem.relate(user),
    "learn": lambda mem, user: mem.outcome(mem.learn(f"call {user}", [f"ring {user}"], user_id=user).fact_id, True, note=user),
    "event": lambda mem, user: mem.event(f"{user} came", user_id=user, participants=[user], timestamp="2025-03-01T10:00:00Z"),
    "narrate": lambda mem, _: mem.narrate(),
    "recall": lambda mem, user: mem.recall(f"{user} came", user_id=user),
    "search": lambda mem, user: mem.search(f"Where is {user}?", user_id=user),
    "feedback": lambda mem, user: mem.feedback(f"Where is {user}?", first(mem, user), user_id=user),
    "session": live_a_session,
    "maintain": lambda mem, user: mem.maintain(user_id=user, now="2026-01-01"),
    "compact": lambda mem, user: mem.compact(user, now="2099-01-01"),
    "consent": lambda mem, user: mem.consent(user, sensitive_topics="keep"),
    "stats": lambda mem, _: mem.stats(),
}


@settings(max_examples=15)
@given(deeds=st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.sampled_from([f"{RARE}a", "beatrix"])), min_size=5, max_size=25))
def test_whatever_was_done_not_a_byte_stays_of_one_user_and_nothing_goes_of_another(deeds: list[tuple[str, str]]) -> None:
    with (
        TemporaryDirectory() as folder,
        memdb.open(Path(folder) / "mem.db", embedder=HashingEmbedder(16), llm=None, config={"worker": False}) as mem,
    ):
        for deed, user in deeds:
            DEEDS[deed](mem, user)
        others = [dict(mem.fact(fact.fact_id)) for fact in mem.facts("beatrix", statuses=EVER, kinds=["fact", "note", "task", "message"])]
        mem.forget(f"{RARE}a")
        assert RARE.encode() not in bytes_of(Path(folder))
        assert [dict(mem.fact(str(other["fact_id"]))) for other in others] == others
        assert mem.drain()
        db = mem._store.database()
        assert db.connection.execute("select count(*) from facts_vec where user_id not in ('beatrix')").fetchall() == [(0,)]
        assert (
            db.connection.execute("select count(*) from facts_vec").fetchall()
            == db.connection.execute(
                "select count(*) + count(*) filter (where kind = 'message' and status = 'active') from facts"
            ).fetchall()
        )
        assert db.connection.execute("pragma integrity_check").fetchall() == [("ok",)]


def live(mem: memdb.Memory, user: str) -> None:
    """Fill every table with what a user may leave in it; what is said, and every id, is the same for each user."""
    mem.consent(user, sensitive_topics="keep")
    for place, text in enumerate((f"I live in {RARE}.", "I like jazz.", f"I moved from {RARE} to Porto.")):
        mem.observe(
            text, "Sounds lovely.", user_id=user, turn_id=f"t{place}", session_id=f"s{place}", timestamp=f"2025-03-0{1 + place}T10:00:00Z"
        )
    mem.event(f"Rui made coffee in {RARE}.", user_id=user, timestamp="2025-03-01T10:00:00Z", participants=["Rui"], event_id="e1")
    mem.observe(f"I no longer work at {RARE}.", user_id=user, turn_id="t3", session_id="s3", timestamp="2025-03-04T10:00:00Z")
    mem.drain()
    mem.remember(f"Talks of {RARE}", user_id=user, kind="note", source="inferred")
    mem.relate(user)
    mem.context("jazz", user_id=user)
    mem.feedback("jazz?", mem.search("jazz", user_id=user)[0].fact.fact_id, user_id=user, good=True)
    mem.session(user, "open").__enter__()
    mem.stats()  # has what was asked written down
    db = mem._store.database()
    call = memdb.ModelCall(purpose="extract", prompt_hash="h", model="m", mode="text", attempt=1, elapsed_ms=1, raw=f"In {RARE}!")
    with db.transaction():
        for turn_id, key in (("t0", "user.lives_in"), ("t1", "user.likes")):
            db.run("apply.model_call", user_id=user, turn_id=turn_id, now="2025-03-01T10:00:00Z", **call.model_dump())
            db.run("queue.note", user_id=user, turn_id=turn_id, step="gate", key=key, why=f"It is {RARE}.")


def rows_of(mem: memdb.Memory, user: str) -> dict[str, list[tuple[object, ...]]]:
    """What each table holds of a user."""
    db = mem._store.database().connection
    tables = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table' and sql like '%user_id text%'")]
    return {table: sorted(db.execute(f"select * from {table} where user_id = ?", (user,)), key=repr) for table in tables}


@pytest.mark.parametrize("key", [None, "user.lives_in", "household.experience"])
def test_who_said_the_same_with_the_same_ids_loses_no_row_to_another_s_forgetting(key: str | None, mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        live(mem, user)
    mem.maintain(now="2025-05-01")
    mem.compact(now="2030-01-01")
    mem.drain()
    before = rows_of(mem, "bea")
    assert {table for table, rows in before.items() if not rows} == {"outbox", "erasures", "pages", "vector_codes"}
    mem.forget("ana", key=key)
    assert rows_of(mem, "bea") == before


def test_a_forgotten_user_has_no_row_in_any_table(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.maintain(now="2025-05-01")
    mem.compact(now="2030-01-01")
    mem.drain()
    assert rows_of(mem, "ana")["model_calls"]
    mem.forget("ana")
    assert not any(rows_of(mem, "ana").values())


def test_forgetting_a_key_leaves_what_the_user_chose_and_how_far_upkeep_had_come(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.maintain(now="2025-05-01")
    before = rows_of(mem, "ana")
    mem.forget("ana", key="user.shoe_size")
    after = rows_of(mem, "ana")
    changed = {table for table, rows in before.items() if after[table] != rows}
    assert changed == {"feedback", "retrievals", "profiles", "vector_versions"}  # questions may name what is forgotten


def test_forgetting_a_key_leaves_the_episodes_of_other_sessions(mem: memdb.Memory) -> None:
    live(mem, "ana")
    mem.remember("Had a good week", user_id="ana", kind="episode", session_id="s1", timestamp="2025-03-08")
    mem.maintain(now="2025-05-01")
    mem.forget("ana", key="user.likes")
    left = sorted(str(fact.session_id) + fact.value_text[:3] for fact in mem.facts("ana", kinds=["episode"]))
    assert left == ["s0use", "s1Had", "s2use"]


def test_forgetting_a_key_takes_the_note_that_quotes_a_short_value(mem: memdb.Memory) -> None:
    mem.remember("User lives in Rio", user_id="ana", key="user.lives_in", object="Rio")
    for text in ("Talks of Rio", "Talks of jazz"):
        mem.remember(text, user_id="ana", kind="note", source="inferred")
    mem.forget("ana", key="user.lives_in")
    assert [note.value_text for note in mem.facts("ana", kinds=["note"])] == ["Talks of jazz"]


@pytest.mark.parametrize("kind", ["note", "episode"])
def test_forgetting_a_key_takes_from_the_archive_what_quotes_a_short_value_and_was_concluded(kind: str, mem: memdb.Memory) -> None:
    mem.remember("User lives in Rio", user_id="ana", key="user.lives_in", object="Rio")
    said: list[tuple[str, Source]] = [("Talks of Rio", "inferred"), ("Talks of jazz", "inferred"), ("Wrote of Rio", "user_message")]
    for text, source in said:
        mem.reject(mem.remember(text, user_id="ana", kind=kind, source=source).fact_id)
    assert mem.compact("ana", now="2100-01-01") == 3
    mem.forget("ana", key="user.lives_in")
    left = mem._store.database().connection.execute("select record ->> 'value_text' from facts_archive order by 1")
    assert left.fetchall() == [("Talks of jazz",), ("Wrote of Rio",)]


def test_a_session_of_which_something_was_forgotten_is_told_anew(mem: memdb.Memory) -> None:
    for place, text in enumerate(("I live in Rome.", "I like jazz and swing.", "I moved the old piano upstairs.", "I play it every day.")):
        mem.observe(text, user_id="ana", turn_id=f"t{place}", session_id="s", timestamp=f"2025-03-01T10:0{place}:00Z")
    mem.drain()
    told = []
    for _ in range(2):
        mem.maintain(now="2025-05-01")
        told += [episode.value_text for episode in mem.facts("ana", kinds=["episode"])]
        mem.forget("ana", key="user.lives_in")
    assert ["Rome" in text for text in told] == [True, False]


def test_the_vectors_of_another_that_still_wait_to_be_removed_are_not_counted(mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        mem.remember("Likes jazz", user_id=user)
    mem.drain()
    mem._store.database().connection.execute("delete from facts where user_id = 'bea'")
    assert mem.forget("ana").vectors == 1
    assert mem.vectors().waiting == 1


QUOTING = {
    "an answer of a model": "insert into model_calls (user_id, turn_id, purpose, prompt_hash, model, mode, attempt, elapsed_ms, called_at, raw) "
    "values (:user, 'other', 'extract', '', '', 'text', 1, 1.0, '2025-03-01T10:00:00.000Z', :text)",
    "the failure of a model": "insert into model_calls (user_id, turn_id, purpose, prompt_hash, model, mode, attempt, elapsed_ms, called_at, "
    "error) values (:user, 'other', 'extract', '', '', 'text', 1, 1.0, '2025-03-01T10:00:00.000Z', :text)",
    "why something was not kept": "insert into turn_notes (user_id, turn_id, step, why) values (:user, 'other', 'gate', :text)",
    "why something was changed": "insert into fact_history (fact_id, user_id, key, operation, reason, turn_id, action_hash, changed_at) "
    "values ('', :user, 'user.likes', 'insert', :text, 'other', '', '2025-03-01T10:00:00.000Z')",
}


@pytest.mark.parametrize("statement", QUOTING.values(), ids=QUOTING)
def test_forgetting_a_key_takes_what_was_noted_of_other_turns_and_quotes_the_value(statement: str, mem: memdb.Memory) -> None:
    mem.remember("User lives in Rio", user_id="ana", key="user.lives_in", object="Rio")
    db = mem._store.database()
    with db.transaction():
        for user in ("ana", "bea"):
            for text in ("It says rio.", "It says jazz."):
                db.connection.execute(statement, {"user": user, "text": text})
    table = statement.split()[2]
    texts = {user: str(rows_of(mem, user)[table]) for user in ("ana", "bea")}
    mem.forget("ana", key="user.lives_in")
    assert str(rows_of(mem, "bea")[table]) == texts["bea"]
    left = str(rows_of(mem, "ana")[table])
    assert ("It says rio." in texts["ana"], "It says rio." in left, "It says jazz." in left) == (True, False, True)


def test_all_facts_that_go_are_counted_wherever_they_are(mem: memdb.Memory) -> None:
    for place in ("Porto", "Rio", "Faro"):
        mem.remember(f"User lives in {place}", user_id="ana", key="user.lives_in", object=place, timestamp="2020-01-01")
        if place == "Porto":
            mem.end(mem.facts("ana")[0].fact_id, valid_to="2020-02-01")
            assert mem.compact(now="2030-01-01") == 1
    mem.remember("Talks of Rio", user_id="ana", kind="note", source="inferred")
    assert mem.forget("ana", key="user.lives_in").facts == 4


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("session_id", [None, "s"])
def test_forgetting_a_key_takes_no_episode_of_another_session_time_or_user(
    session_id: str | None, archived: bool, mem: memdb.Memory
) -> None:
    mem.observe("I live in Rome.", user_id="ana", turn_id="t", session_id=session_id, timestamp="2025-03-01T10:00:00Z")
    mem.observe("I live in Rome.", user_id="bea", turn_id="t", session_id=session_id and "next", timestamp="2025-03-02T10:00:00Z")
    mem.drain()
    for told, of, day in (("this one", "s", 1), ("another session", "next", 1), ("no session", None, 1), ("another day", None, 2)):
        when: JsonValue = {"timestamp_start": f"2025-03-0{day}T09:00:00Z", "timestamp_end": f"2025-03-0{day}T11:00:00Z"}
        episode = mem.remember(told, user_id="ana", kind="episode", source="inferred", session_id=of, value_json=when)
        if archived:
            mem.reject(episode.fact_id)
    mem.compact("ana", now="2030-01-01")
    mem.forget("ana", key="user.lives_in")
    db = mem._store.database().connection
    kept = {str(told) for (told,) in db.execute("select record ->> 'value_text' from fact_ever where record ->> 'kind' = 'episode'")}
    assert kept == {"this one", "another session", "no session", "another day"} - {"no session" if session_id is None else "this one"}


def test_forgetting_a_key_takes_no_turn_from_which_only_another_learned_it(mem: memdb.Memory) -> None:
    for user, texts in (
        ("ana", ("I live in Rome.", "I like jazz.", "I like tea.")),
        ("bea", ("Hello.", "I live in Rome.", "I live in Rome.")),
    ):
        for place, text in enumerate(texts):
            mem.observe(text, user_id=user, turn_id=f"t{place}", timestamp=f"2025-03-0{1 + place}T10:00:00Z")
    mem.drain()
    assert {change.turn_id for change in mem.history(user_id="bea")} == {"t1", "t2"}
    mem.forget("ana", key="user.lives_in")
    assert [message.value_text for message in mem.facts("ana", kinds=["message"])] == ["I like jazz.", "I like tea."]


def test_what_was_archived_of_the_memories_of_an_erased_turn_goes_and_no_other(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        said = (("ana", "t1", "I live in Rome.", 3), ("ana", "t2", "I like jazz.", 4), ("bea", "t1", "I like tea.", 4))
        for user, turn, text, day in said:
            mem.observe(text, user_id=user, turn_id=turn, timestamp=f"2025-03-0{day}T08:00:00Z")
        mem.drain()
        for user in ("ana", "bea"):
            for memory in mem.facts(user, kinds=["narrative"]):
                mem.reject(memory.fact_id)
        mem.compact(now="2030-01-01")
        mem.forget("ana", key="user.lives_in")
        db = mem._store.database().connection
        kept = [
            str(told) for (told,) in db.execute("select record ->> 'value_text' from facts_archive where record ->> 'kind' = 'narrative'")
        ]
        assert sorted(word for word in ("Rome", "jazz", "tea") for told in kept if word in told) == ["jazz", "tea"]


def test_what_was_forgotten_can_be_learned_again_of_the_same_turn(mem: memdb.Memory) -> None:
    for _ in range(2):
        mem.observe("I live in Rome.", user_id="ana", turn_id="t", timestamp="2025-03-01T10:00:00Z")
        mem.drain()
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == ["Rome"]
        mem.forget("ana", key="user.lives_in")


def test_forgetting_a_household_leaves_what_else_is_known(mem: memdb.Memory) -> None:
    live(mem, "ana")
    before = [(fact.kind, fact.value_text) for fact in mem.facts("ana", kinds=["fact", "note", "message"])]
    assert {kind for kind, _ in before} == {"fact", "note", "message"}
    mem.forget("ana", key="household.experience")
    assert [(fact.kind, fact.value_text) for fact in mem.facts("ana", kinds=["fact", "note", "message"])] == before
    assert mem.facts("ana", kinds=["narrative"]) == []


def test_forgetting_a_key_takes_what_was_refused_under_it_in_other_turns(tmp_path: Path) -> None:
    """Why nothing was believed is noted with the turn, which stays, since it taught nothing under that key."""
    read = [{"key": "user.likes", "object": one, "value_text": f"User likes {one}", "excerpt": "jazz en thee"} for one in ("jazz", "thee")]
    answers = [json.dumps({"facts": [{**one, "confidence": sure}]}) for one, sure in zip(read, (0.9, 0.5), strict=True)]
    llm = memdb.LanguageModel(memdb.ScriptedModel(answers), name="unsure", backoff=0)
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=llm, config={"worker": False}) as mem:
        for day in (1, 2):
            mem.observe("jazz en thee", user_id="ana", turn_id=f"t{day}", timestamp=f"2025-03-0{day}")
            mem.drain()
        assert [(turn.turn_id, [note.key for note in turn.notes]) for turn in mem.turns("ana")] == [("t1", []), ("t2", ["user.likes"])]
        mem.forget("ana", key="user.likes")
        assert [(turn.turn_id, turn.notes) for turn in mem.turns("ana")] == [("t2", ())]


def test_forgetting_a_key_takes_what_was_said_to_be_over_under_it(mem: memdb.Memory) -> None:
    for user in ("ana", "bea"):
        mem.observe("I no longer work at Siemens.", user_id=user, timestamp="2025-03-01")
    mem.drain()
    assert all("Siemens" in str(rows_of(mem, user)["ends"]) for user in ("ana", "bea"))
    mem.forget("ana", key="user.works_at")
    assert ["Siemens" in str(rows_of(mem, user)["ends"]) for user in ("ana", "bea")] == [False, True]


def test_what_else_happened_beside_a_forgotten_turn_is_told_anew(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False, "turns_as_events": True}) as mem:
        for user in ("ana", "bea"):
            mem.observe("I live in Rome.", user_id=user, turn_id="t1", session_id="s", timestamp="2025-03-03T08:00:00Z")
            mem.event("Rui made coffee", user_id=user, timestamp="2025-03-03T08:20:00Z")
        mem.drain()
        mem.narrate(now="2025-03-04")
        [before] = mem.facts("bea", kinds=["narrative"])
        assert "coffee" in before.value_text
        mem.forget("ana", key="user.lives_in")
        assert mem.facts("ana", kinds=["narrative"]) == []
        mem.narrate(now="2025-03-04")
        [memory] = mem.facts("ana", kinds=["narrative"])
        assert ("coffee" in memory.value_text, "Rome" in memory.value_text) == (True, False)
        assert mem.facts("bea", kinds=["narrative"]) == [before]


def test_with_all_experience_goes_what_memories_that_were_archived_told_of(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, llm=None, config={"worker": False}) as mem:
        for user in ("ana", "bea"):
            mem.event("Rui made coffee", user_id=user, timestamp="2025-03-03T08:20:00Z")
            mem.narrate(now="2025-03-04")
            mem.reject(mem.facts(user, kinds=["narrative"])[0].fact_id)
        assert mem.compact(now="2030-01-01") == 2
        mem.forget("ana", key="household.experience")
        db = mem._store.database().connection
        for table in ("events", "segments", "facts_archive"):
            assert db.execute(f"select user_id from {table}").fetchall() == [("bea",)]
