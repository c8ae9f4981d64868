"""A power cut: what the disk had not taken of the log is lost or torn, and no more; the file is sound, and stands as it did at some moment."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

import memdb
from memdb.embed import HashingEmbedder

QUIET: dict[str, bool] = {"worker": False}


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
