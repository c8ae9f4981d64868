"""A kill or a power cut at any moment of whatever is written: the file is sound, what was told to be kept is there, what was forgotten is not."""

from __future__ import annotations

import random
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

import memdb
from memdb.edge import write_folder
from memdb.embed import HashingEmbedder
from memdb.records import EVER
from tests.disk import Disk

QUIET: dict[str, bool] = {"worker": False}
SAMPLE = Path(__file__).parent / "samples" / "mem-1.db"


def opened(path: Path, **settings: object) -> memdb.Memory:
    return memdb.open(path, embedder=HashingEmbedder(32), llm=None, config={**QUIET, **settings})


def told(path: Path, *users: str) -> None:
    """Have each user say what nobody else says, in a session that ends with a page."""
    with opened(path) as mem:
        for user in users:
            mem.consent(user, sensitive_topics="keep")
            with mem.session(user, "s", now="2025-03-01T10:00:00Z") as session:
                for number in range(3):
                    session.observe(f"My friend {user.title()}{number}th lives in Porto. I like zebra{user}{number}.", turn_id=f"t{number}")


def found(disk: Disk, folder: Path, *, at_most: int) -> Iterator[tuple[set[str], Path]]:
    """What was told before each cut, and the folder as it is found then."""
    for number, (at, files) in enumerate(disk.cuts(random.Random(1), at_most=at_most)):
        left = folder / str(number)
        left.mkdir(parents=True)
        for name, held in files.items():
            (left / name).write_bytes(held)
        yield disk.told(at), left
        shutil.rmtree(left)


def texts(mem: memdb.Memory) -> set[str]:
    return {fact.value_text for fact in mem.facts("ana", kinds=["fact", "note", "message"])}


@pytest.mark.parametrize("how", ["cut off", "zeros", "noise"])
def test_what_reached_the_disk_of_the_log_before_a_power_cut_is_there(tmp_path: Path, how: str) -> None:
    path, log = tmp_path / "mem.db", tmp_path / "mem.db-wal"
    moments: list[tuple[int, set[str]]] = []
    with memdb.open(path, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
        mem._store.database().set("wal_autocheckpoint", 0)

        def told() -> None:
            moments.append((log.stat().st_size, texts(mem)))

        told()
        for number in range(4):
            mem.remember(f"Ana plays game {number}", user_id="ana", timestamp="2025-03-01T10:00:00Z")
            told()
            mem.observe(f"My friend Bo{number} lives in Porto.", user_id="ana", turn_id=f"t{number}")
            mem.drain()
            told()
            if number % 2:
                mem.undo(turn_id=f"t{number}")
                told()
        for place in ("file", "log"):
            shutil.copy(path if place == "file" else log, tmp_path / place)
    written = (tmp_path / "log").read_bytes()
    chance = random.Random(how)
    for _ in range(4):
        at = chance.randrange(moments[0][0], len(written))
        rest = {"cut off": b"", "zeros": bytes(len(written) - at), "noise": chance.randbytes(len(written) - at)}[how]
        found = tmp_path / f"{at}.db"
        shutil.copy(tmp_path / "file", found)
        found.with_name(f"{at}.db-wal").write_bytes(written[:at] + rest)
        before = [held for size, held in moments if size <= at][-1]
        after = next((held for size, held in moments if size > at), before)
        with memdb.open(found, embedder=HashingEmbedder(32), llm=None, config=QUIET) as mem:
            assert mem.check() == []
            assert before & after <= texts(mem) <= before | after


@pytest.mark.parametrize("key", [None, "user.likes"], ids=["the user", "one key"])
def test_forgetting_that_is_cut_off_leaves_nothing_of_what_is_gone_and_brings_nothing_back(tmp_path: Path, key: str | None) -> None:
    told(tmp_path / "mem.db", "ana", "bo")
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db") as mem:
        mem.forget("ana", key=key)
        disk.tell("forgotten")
    gone = 0
    for before, left in found(disk, tmp_path / "left", at_most=8):
        with opened(left / "mem.db") as mem:
            assert mem.check() == []
            forgotten = not mem.facts("ana", key="user.likes")
            assert forgotten or "forgotten" not in before
            assert mem.session("ana", "next", now="2025-03-02T10:00:00Z").bootstrap.offered == ()
            assert len(mem.facts("bo", key="user.likes")) == 3
        if forgotten:
            assert [path.name for path in left.iterdir() if b"zebraana" in path.read_bytes()] == []
            gone += 1
    assert gone


def test_upkeep_that_is_cut_off_is_made_up_for_by_the_next(tmp_path: Path) -> None:
    def standing(mem: memdb.Memory) -> list[tuple[str, str, str]]:
        facts = mem.facts("ana", kinds=mem.kinds(), statuses=EVER)
        return sorted((fact.kind, fact.status, fact.value_text) for fact in facts)

    told(tmp_path / "mem.db", "ana")
    with opened(tmp_path / "mem.db") as mem:
        tea = {"value_text": "Likes tea", "object": "tea", "user_id": "ana", "key": "user.likes", "timestamp": "2025-03-01"}
        mem.remember_many([tea] * 3)
        mem.drain()
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db") as mem:
        assert mem.maintain(now="2026-09-01").merged == 2
        whole = standing(mem)
    unlike = 0
    for _, left in found(disk, tmp_path / "left", at_most=12):
        with opened(left / "mem.db") as mem:
            assert mem.check() == []
            unlike += standing(mem) != whole
            mem.maintain(now="2026-09-01")
            assert standing(mem) == whole
    assert unlike


def leave_a_copy(path: Path, text: bytes) -> None:
    """Put a text where rows that SQLite moved leave copies: between the pointers and the rows of a page."""
    connection = apsw.Connection(str(path))
    [(page,)] = connection.execute("select rootpage from sqlite_schema where name = 'memory_types'").fetchall()
    connection.close()
    held, at = bytearray(path.read_bytes()), (int(str(page)) - 1) * 4096
    _, _, rows, begins = struct.unpack_from(">BHHH", held, at)
    gap = at + 8 + 2 * rows
    assert gap + len(text) <= at + begins
    held[gap : gap + len(text)] = text
    path.write_bytes(held)


def test_what_was_overwritten_is_so_on_the_disk_before_the_file_says_that_it_was(tmp_path: Path) -> None:
    with opened(tmp_path / "mem.db") as mem:
        mem.remember("Ana likes zebraana", user_id="ana")
    leave_a_copy(tmp_path / "mem.db", b"zebraana")
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db", synchronous="FULL") as mem:
        mem.forget("ana")
        disk.tell("forgotten")
    for before, left in found(disk, tmp_path / "left", at_most=2):
        if "forgotten" in before:
            opened(left / "mem.db").close()
            assert [path.name for path in left.iterdir() if b"zebraana" in path.read_bytes()] == []


def test_a_forgotten_user_does_not_come_back_with_a_power_cut_while_somebody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path / "mem.db", "ana")
    monkeypatch.setattr("memdb.forgetting._PATIENCE_SECONDS", 0.0)
    reader = apsw.Connection(str(tmp_path / "mem.db"))
    reader.execute("begin; select count(*) from facts").fetchall()
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db") as mem:
        mem.forget("ana")
        disk.tell("forgotten")
        mem.remember("Bo plays chess", user_id="bo")
        reader.close()
    for before, left in found(disk, tmp_path / "left", at_most=8):
        with opened(left / "mem.db") as mem:
            assert mem.facts("ana") == [] or "forgotten" not in before


def test_a_page_that_is_cut_off_as_it_is_written_is_not_taken_for_what_somebody_wrote(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", "ana")
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db") as mem, mem.session("ana", "next", now="2025-03-02T10:00:00Z") as session:
        session.observe("I moved to Lisbon.")
    for _, left in found(disk, tmp_path / "left", at_most=8):
        with opened(left / "mem.db") as mem:
            assert mem.session("ana", "last", now="2025-03-03T10:00:00Z").bootstrap.offered == ()


@pytest.mark.parametrize("synchronous", ["NORMAL", "FULL"])
def test_what_is_written_is_there_as_the_setting_promises_wherever_the_log_is_moved_into_the_file(tmp_path: Path, synchronous: str) -> None:
    with opened(tmp_path / "mem.db", synchronous=synchronous) as mem:
        mem.remember("Ana plays chess", user_id="ana")
    with Disk(tmp_path) as disk, opened(tmp_path / "mem.db", synchronous=synchronous) as mem:
        mem._store.database().set("wal_autocheckpoint", 20)
        for number in range(4):
            disk.tell(mem.remember(f"Ana plays game {number}", user_id="ana").value_text)
            mem.drain()
    disk.tell("closed")
    for before, left in found(disk, tmp_path / "left", at_most=8):
        with opened(left / "mem.db") as mem:
            assert mem.check() == []
            there = texts(mem)
            mem.drain()
            assert mem.stats().outbox_waiting == 0
        assert there >= {"Ana plays chess", *(before - {"closed"} if synchronous == "FULL" or "closed" in before else ())}


def test_a_model_in_a_folder_is_the_old_one_or_the_new_one_file_by_file(tmp_path: Path) -> None:
    old, new = ({name: name.encode() * size for name in ("model.onnx", "tokenizer.json", "model.json")} for size in (100, 500))
    write_folder(tmp_path, old)
    with Disk(tmp_path) as disk:
        write_folder(tmp_path, new)
        disk.tell("written")
    for before, left in found(disk, tmp_path / "left", at_most=8):
        for name in new:
            assert (left / name).read_bytes() in ((new[name],) if before else (old[name], new[name]))


def mended(path: Path) -> None:
    memdb.mend(path)


def reindexed(path: Path) -> None:
    with memdb.open(path, embedder=None, llm=None, config=QUIET) as mem:
        mem.reindex(HashingEmbedder(16))


def brought_up_to_date(path: Path) -> None:
    memdb.open(path, embedder=None, llm=None, config=QUIET).close()


@pytest.mark.parametrize(
    ("work", "damaged", "sample"), [(mended, True, False), (reindexed, False, False), (brought_up_to_date, False, True)]
)
def test_work_on_a_whole_file_that_is_cut_off_leaves_all_of_it_and_can_be_done_again(
    tmp_path: Path, work: Callable[[Path], None], damaged: bool, sample: bool
) -> None:
    path = tmp_path / "mem.db"
    if sample:
        shutil.copy(SAMPLE, path)
    else:
        with opened(path) as mem:
            mem.remember("Ana plays chess", user_id="ana", tags=["game"])
            mem.remember("Ana plays go", user_id="ana")
            mem.drain()
    if damaged:
        path.write_bytes(path.read_bytes().replace(b'["game"]', b'["game" '))
    with Disk(tmp_path) as disk:
        work(path)
        disk.tell("done")
    kept = known(path)
    assert kept
    for _, left in found(disk, tmp_path / "left", at_most=2):
        work(left / "mem.db")
        assert known(left / "mem.db") == kept
        with memdb.open(left / "mem.db", embedder=None, llm=None, config=QUIET) as mem:
            assert mem.check() == []


def test_the_mending_of_a_file_that_cannot_be_opened_loses_nothing_when_it_is_cut_off(tmp_path: Path) -> None:
    path, sound = tmp_path / "damaged" / "mem.db", tmp_path / "mem.db"
    path.parent.mkdir()
    with opened(sound) as mem:
        mem.remember("Ana plays chess", user_id="ana")
        mem._store.database().checkpoint()
        mem.remember("Ana plays go", user_id="ana")  # which stands in the log alone
        for beside in ("", "-wal"):
            shutil.copy(f"{sound}{beside}", f"{path}{beside}")
        wanted = known(sound)
    with path.open("r+b") as file:
        file.write(bytes(100))
    with Disk(path.parent) as disk:
        mended(path)
        disk.tell("done")
    assert known(path) == wanted
    met: list[dict[str, bytes]] = []
    for before, left in found(disk, tmp_path / "left", at_most=1):
        if (files := {one.name: one.read_bytes() for one in left.iterdir()}) in met:
            continue
        met.append(files)
        if not before:
            mended(left / "mem.db")
        assert known(left / "mem.db") == wanted


def known(path: Path) -> set[object]:
    connection = apsw.Connection(str(path))
    rows = connection.execute("select fact_id, value_text, status from facts").fetchall()
    connection.close()
    return set(rows)
