"""A fresh memory for a test: the hashing embedder, no thread of its own, so that `drain` does the work at once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import memdb
from memdb.embed import HashingEmbedder

# The same examples in every run, so that what fails is what was changed; `--hypothesis-profile=new` looks for others. However busy a machine
# is, that is no failure.
settings.register_profile("new", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("new"), derandomize=True)
settings.load_profile("same")

os.environ["TZ"] = "UTC"  # the zone of a memory is the machine's unless it is set; tests go the same on every machine

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; what the tests start would not hear it either
    signal.signal(signal.SIGINT, signal.default_int_handler)


def opened(path: Path) -> memdb.Memory:
    return memdb.open(path, embedder=HashingEmbedder(64), llm=None, config={"worker": False})


@pytest.fixture(scope="session")
def new_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file as it is when nothing is in it yet: to copy it takes a fifth of the time that it takes to make one."""
    path = tmp_path_factory.mktemp("new") / "mem.db"
    opened(path).close()
    return path


@pytest.fixture
def mem(new_file: Path, tmp_path: Path) -> Iterator[memdb.Memory]:
    with opened(shutil.copyfile(new_file, tmp_path / "mem.db")) as memory:
        yield memory


@pytest.fixture
def tell(mem: memdb.Memory) -> Callable[..., memdb.Memory]:
    """Have Ana say things, a day apart from 1 March 2025 on, and think about them; she lets all topics be remembered."""
    mem.consent("ana", sensitive_topics="keep")

    def say(*texts: str) -> memdb.Memory:
        said = len(mem.facts("ana", kinds=["message"]))
        for place, text in enumerate(texts, start=said):
            day = f"2025-{3 + place // 28:02}-{1 + place % 28:02}T10:00:00Z"
            mem.observe(text, user_id="ana", turn_id=f"t{place}", session_id="s", timestamp=day)
        mem.drain()
        return mem

    return say
