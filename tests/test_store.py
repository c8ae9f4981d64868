"""The file: made, opened, refused, shared, and full."""

from __future__ import annotations

import hashlib
import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw
import pytest

import memdb
from memdb import files
from memdb.embed import HashingEmbedder
from memdb.store import SCHEMA_VERSION, new_schema


def content(connection: apsw.Connection) -> dict[str, object]:
    found: dict[str, object] = {"schema": sorted(connection.execute("select type, name, sql from sqlite_schema").fetchall())}
    for table in ("kinds", "memory_types", "predicates", "weights"):
        found[table] = sorted(connection.execute(f"select * from {table}").fetchall(), key=repr)
    return found


def make(path: Path) -> None:
    with memdb.open(path, embedder=HashingEmbedder(64)) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.drain()


def fingerprint(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if path.is_file()}


def test_the_migrations_lead_to_the_schema_as_it_is_written() -> None:
    migrated, written = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    for _number, sql in files.migrations():
        migrated.execute(sql)
    written.execute(new_schema())
    assert content(migrated) == content(written)


def test_the_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _sql in files.migrations()] == list(range(1, SCHEMA_VERSION + 1))


def make_text(path: Path) -> None:
    path.write_text("Dear diary, " * 1000)


def make_noise(path: Path) -> None:
    path.write_bytes(hashlib.sha256(b"noise").digest() * 500)


def make_other(path: Path) -> None:
    shell = sqlite3.connect(path)
    shell.execute("create table facts (anything)")
    shell.commit()
    shell.close()


def make_newer(path: Path) -> None:
    make(path)
    shell = sqlite3.connect(path)
    shell.execute("update meta set value = '999' where name = 'schema_version'")
    shell.commit()
    shell.execute("pragma wal_checkpoint(truncate)")
    shell.close()


@pytest.mark.parametrize(
    ("prepare", "error", "says"),
    [
        (make_text, memdb.SchemaError, "is not an SQLite database"),
        (make_noise, memdb.SchemaError, "is not an SQLite database"),
        (make_other, memdb.SchemaError, "of another program"),
        (make_newer, memdb.SchemaError, "newer than"),
        (make, memdb.ConfigError, "holds vectors of the embedder hashing-64"),
        (lambda path: path.mkdir(), memdb.StoreError, "cannot be opened"),
    ],
    ids=["text", "noise", "another program's", "newer", "another embedder's", "a folder"],
)
def test_what_cannot_be_opened_is_one_sentence_and_left_as_it_is(prepare, error, says, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "mem.db"
    prepare(path)
    before = fingerprint(tmp_path)
    with pytest.raises(error, match=says) as caught:
        memdb.open(path, embedder=HashingEmbedder(128))
    assert str(caught.value).count("\n") == 0
    assert fingerprint(tmp_path) == before


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(memdb.StoreError, match="check that its folder exists"):
        memdb.open(tmp_path / "nowhere" / "mem.db", embedder=None)


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    make(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(4096 * 8))

    def use() -> None:
        with memdb.open(path, embedder=None) as mem:
            mem.facts("ana")
            mem.search("porto", user_id="ana")
            mem.observe("I moved to Lisbon.", user_id="ana")

    with pytest.raises(memdb.MdbError):
        use()


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    mem = memdb.open(tmp_path / "mem.db", embedder=None)
    mem.close()
    mem.close()
    with pytest.raises(memdb.StoreError, match="is closed"):
        mem.facts("ana")


@pytest.mark.parametrize(
    "change",
    [
        "update facts set confidence = 1.5",
        "update facts set status = 'gone'",
        "update facts set category = 'secret'",
        "update facts set valid_from = 'yesterday'",
        "update facts set value_json = '{'",
        "update facts set kind = 'rumour'",
        "update facts set seen_count = 'many'",
        "update fact_history set reason = 'none of your business'",
        "delete from fact_history",
    ],
)
def test_the_file_itself_refuses_what_is_wrong(change: str, tmp_path: Path) -> None:
    make(tmp_path / "mem.db")
    connection = apsw.Connection(str(tmp_path / "mem.db"))
    connection.execute("pragma foreign_keys = on")
    with pytest.raises(apsw.ConstraintError):
        connection.execute(change)
    connection.close()


@pytest.mark.parametrize(("setting", "level"), [("NORMAL", 1), ("FULL", 2)])
def test_how_safely_it_is_written_is_a_setting(setting: str, level: int, tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config={"synchronous": setting}) as mem:
        connection = mem._store.database().connection
        assert connection.execute("pragma synchronous").fetchall() == [(level,)]
        assert connection.execute("pragma journal_mode").fetchall() == [("wal",)]
        assert connection.execute("pragma foreign_keys").fetchall() == [(1,)]


def run(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_several_processes_make_and_write_one_file_at_once(tmp_path: Path) -> None:
    script = """
        import sys, memdb
        path, name = sys.argv[1:]
        with memdb.open(path, embedder="hashing-64") as mem:
            for place in range(40):
                mem.observe(f"I like thing{name}x{place}.", user_id="both", turn_id=f"{name}-{place}")
                mem.observe(f"I like thing{name}x{place}.", user_id=name)
            assert mem.drain(timeout=60)
    """
    workers = [run(script, str(tmp_path / "mem.db"), name) for name in ("a", "b", "c")]
    assert [worker.communicate(timeout=120)[1] for worker in workers] == ["", "", ""]
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert mem.stats().turns_by_status == {"done": 240}
        assert len(mem.facts("both")) == 120
        assert {len(mem.facts(name)) for name in ("a", "b", "c")} == {40}
        assert mem.stats().outbox_waiting == 0


def test_a_full_disk_keeps_what_was_accepted_and_says_what_to_do(tmp_path: Path) -> None:
    script = """
        import resource, sys, memdb
        mem = memdb.open(sys.argv[1], embedder=None, config={"worker": False})
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
        import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for place in range(10_000):
            try:
                mem.observe("word " * 400 + str(place), user_id="ana", turn_id=f"t{place}")
            except memdb.StoreError as error:
                print(place, error)
                break
    """
    worker = run(script, str(tmp_path / "mem.db"))
    told, trouble = worker.communicate(timeout=60)
    place, _, sentence = told.partition(" ")
    assert trouble == ""
    assert "disk" in sentence
    assert sentence.count("\n") == 1
    with memdb.open(tmp_path / "mem.db", embedder=None) as mem:
        assert len(mem.facts("ana", kinds=["message"])) == int(place) > 10
        mem.observe("There is room again.", user_id="ana")
        assert mem.drain(timeout=60)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] in (-1, resource.RLIM_INFINITY)
