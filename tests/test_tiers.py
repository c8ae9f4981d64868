"""Words alone, or meaning too: what each tier loads, how a file goes from one to the other, and how its embedder is changed."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

import memdb
from memdb import tiers
from memdb.database import Database
from memdb.embed import Embedder, HashingEmbedder

ROOT = Path(__file__).parent.parent
QUIET = {"worker": False}
NEEDED = ("apsw", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "tzdata")
SAYINGS = ("I live in Porto.", "I like jazz.", "My sister is called Rita.", "I'm allergic to peanuts.", "What shall we eat?")


def told(path: Path, embedder: HashingEmbedder | None, *sayings: str) -> None:
    with memdb.open(path, embedder=embedder, config=QUIET) as mem:
        mem.load([{"text": text} for text in sayings or SAYINGS], user_id="ana")
        assert mem.drain()


def found(path: Path, embedder: HashingEmbedder | None, query: str = "Who is Rita?") -> tuple[set[str], bool]:
    """What a search finds, and whether meaning took part."""
    with memdb.open(path, embedder=embedder, config=QUIET) as mem:
        hits = mem.search(query, user_id="ana")
        return {hit.fact.value_text for hit in hits}, hits.degraded is None and any(hit.parts["cosine"] > 0 for hit in hits)


# tier 1


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of packages that holds what memdb needs and nothing else: no numpy, no sqlite-vec, no torch."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "memdb").symlink_to(ROOT / "memdb")
    for name in NEEDED:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        source = Path(spec.submodule_search_locations[0] if spec.submodule_search_locations else str(spec.origin))
        (folder / source.name).symlink_to(source)
    return folder


LIVES = """
import importlib.util, sys
sys.path.insert(0, sys.argv[1])
for package in ("numpy", "sqlite_vec", "torch", "sentence_transformers", "onnxruntime", "tokenizers"):
    assert importlib.util.find_spec(package) is None, package
import memdb
with memdb.open(sys.argv[2], config={"worker": False}) as mem:
    assert mem.tier == 1 and mem.embedder is None
    with mem.session("ana", "s1", now="2025-03-01T10:00:00Z") as s:
        s.observe("I live in Porto and I'm allergic to peanuts.")
        s.working.add("Peanuts make her ill")
        print(s.context("What about peanuts?").text)
        s.flush()
    learned = mem.learn("cook rice", ["boil it"], user_id="ana")
    mem.outcome(learned.fact_id, True)
    print(mem.procedures("cook some rice", user_id="ana")[0].success_rate)
    print(mem.search("Porto", user_id="ana")[0].fact.value_text, mem.relate("ana"), mem.vectors())
print(*sorted(sys.modules))
"""


def test_tier_one_does_all_its_work_where_no_vector_package_is_installed(bare: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", LIVES, str(bare), str(tmp_path / "mem.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "# Working Memory\n- Peanuts make her ill\n" in done.stdout
    assert "\n1.0\n" in done.stdout
    assert "User lives in Porto" in (tmp_path / "memory.md").read_text()


@pytest.mark.parametrize(
    ("use", "extra"),
    [
        ("import memdb.interfaces.http", "server"),
        ("import memdb.interfaces.mcp", "mcp"),
        ("import memdb.interfaces.chroma", "chroma"),
        ("memdb.open(sys.argv[2], embedder='all-MiniLM-L6-v2')", "minilm"),
        ("memdb.open(sys.argv[2], embedder='hashing-384')", "vectors"),
    ],
)
def test_what_is_not_installed_names_the_extra_that_brings_it(bare: Path, tmp_path: Path, use: str, extra: str) -> None:
    code = f"import sys\nsys.path.insert(0, sys.argv[1])\nimport memdb\ntry:\n  {use}\nexcept memdb.MdbError as error:\n  print(error)"
    command = [sys.executable, "-I", "-S", "-c", code, str(bare), str(tmp_path / "mem.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert re.findall(r"memdb\[(\w+)\]", done.stdout) == [extra], done.stderr


def test_tier_one_loads_no_vector_package_where_they_are_installed(tmp_path: Path) -> None:
    code = LIVES.replace("is None, package", "or True").replace("memdb.open(sys.argv[2],", "memdb.open(sys.argv[2], embedder=None,")
    command = [sys.executable, "-c", code, str(ROOT), str(tmp_path / "mem.db")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "memdb.session" in loaded
    assert not loaded & {"numpy", "sqlite_vec", "torch", "sentence_transformers", "onnxruntime"}


# from one to the other


def test_a_file_of_tier_one_is_embedded_in_the_background_with_progress(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", None)
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64)) as mem:
        seen = [mem.vectors()]
        while seen[-1].waiting:
            time.sleep(0.005)
            seen.append(mem.vectors())
    assert (seen[0].embedder, seen[0].dimension) == ("hashing-64", 64)
    assert [state.waiting for state in seen] == sorted((state.waiting for state in seen), reverse=True)
    assert seen[-1].written == 9  # five messages, four facts
    assert found(tmp_path / "mem.db", HashingEmbedder(64))[1]


def test_back_in_tier_one_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    vectors = sorted_vectors(path)
    words, by_meaning = found(path, None)
    assert (by_meaning, {"My sister is called Rita."} <= words) == (False, True)
    told(path, None, "I have a dog.")
    assert {**sorted_vectors(path), **vectors} == sorted_vectors(path)
    with memdb.open(path, embedder=HashingEmbedder(64), config=QUIET) as mem:
        assert mem.vectors().waiting > 0
        assert mem.drain()
    assert found(path, HashingEmbedder(64), "dog")[1]


def sorted_vectors(path: Path) -> dict[int, bytes]:
    with memdb.open(path, embedder="auto", config=QUIET) as mem:
        rows = mem._store.database().connection.execute("select rowid, embedding from facts_vec order by rowid")
        return {int(str(number)): bytes(vector) for number, vector in rows}


def test_an_embedder_of_another_length_or_name_does_not_fit_the_file(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(64))
    with pytest.raises(memdb.ConfigError, match=r"hashing-64 \(64 dimensions\), not hashing-32 \(32\).*memdb reindex"):
        memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32))
    with pytest.raises(memdb.ConfigError, match="hashing-64"):
        memdb.open(tmp_path / "mem.db", embedder=Named("another-64", 64))


# a change of embedder


class Named(HashingEmbedder):
    """A hashing embedder under another name, which counts what it reads and can fail."""

    def __init__(self, name: str, dimension: int, *, fails_after: int = 10**9, bad: str = "\0") -> None:
        super().__init__(dimension)
        self.name = name
        self.read = 0
        self.fails_after, self.bad = fails_after, bad

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors, or fail."""
        if self.read >= self.fails_after or any(self.bad in text for text in texts):
            raise RuntimeError("out of order")
        self.read += len(texts)
        return super().embed(texts)


def test_reindex_changes_the_embedder_and_the_length(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    with memdb.open(path, embedder=HashingEmbedder(64)) as mem:
        progress: list[tuple[int, int]] = []
        state = mem.reindex("hashing-32", progress=lambda made, wanted: progress.append((made, wanted)))
        assert (state.embedder, state.dimension, state.written, state.waiting, state.next_embedder) == ("hashing-32", 32, 9, 0, None)
        assert progress[-1] == (14, 14)  # the messages' windows too
        assert mem.search("Who is Rita?", user_id="ana").degraded is None
        mem.observe("I have a dog.", user_id="ana")
        assert mem.drain(timeout=20)
    assert {len(vector) for vector in sorted_vectors(path).values()} == {32 * 4}


def test_a_reindexed_file_is_as_if_it_had_always_had_that_embedder(tmp_path: Path) -> None:
    told(tmp_path / "old.db", HashingEmbedder(64))
    told(tmp_path / "new.db", HashingEmbedder(32))
    with memdb.open(tmp_path / "old.db", embedder=None, config=QUIET) as mem:
        assert mem.reindex("hashing-32").embedder == "hashing-32"
        assert mem.tier == 1
    assert sorted_vectors(tmp_path / "old.db") == sorted_vectors(tmp_path / "new.db")


def test_a_reindexed_file_has_every_vector_where_it_belongs(tmp_path: Path) -> None:
    def rows(mem: memdb.Memory) -> list[list[tuple[object, ...]]]:
        shell = mem._store.database().connection
        return [
            shell.execute("select rowid, user_id, shelf from facts_vec order by 1").fetchall(),
            shell.execute("select id, embedding_id from facts order by 1").fetchall(),
        ]

    told(tmp_path / "mem.db", HashingEmbedder(64), *SAYINGS, "I moved to Lisbon.", "I don't like jazz any more.")
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=QUIET) as mem:
        mem.remember("Ben likes tea", user_id="ben")
        assert mem.drain()
        before = rows(mem)
        assert {shelf for _, _, shelf in before[0]} >= {"fact", "message", "window", "closed"}
        mem.reindex("hashing-32")
        assert rows(mem) == before


def test_until_the_new_vectors_are_whole_the_old_ones_are_in_use(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    before = sorted_vectors(path)
    with memdb.open(path, embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": 4}) as mem:
        with pytest.raises(memdb.ModelUnavailable, match=r"another-32 failed .*out of order"):
            mem.reindex(Named("another-32", 32, fails_after=8))
        state = mem.vectors()
        assert (state.embedder, state.next_embedder, state.gathered) == ("hashing-64", "another-32", 8)
        assert mem.search("Who is Rita?", user_id="ana").degraded is None
    assert sorted_vectors(path) == before
    with memdb.open(path, embedder=HashingEmbedder(64), config=QUIET) as mem:
        again = Named("another-32", 32)
        assert mem.reindex(again).embedder == "another-32"
        assert again.read == 14 - 8


def test_what_changes_meanwhile_is_embedded_anew(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    with memdb.open(path, embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": 4}) as mem:
        said: list[str] = []

        def interrupt(made: int, wanted: int) -> None:
            if not said:
                said.append(mem.observe("I moved to Lisbon.", user_id="ana"))
                mem.drain()
                mem.forget("ana", key="user.likes")

        mem.reindex("hashing-32", progress=interrupt)
        assert mem.drain()
    told(tmp_path / "new.db", HashingEmbedder(32), *SAYINGS, "I moved to Lisbon.")
    with memdb.open(tmp_path / "new.db", embedder=HashingEmbedder(32), config=QUIET) as mem:
        mem.forget("ana", key="user.likes")
        assert mem.drain()
    assert sorted(sorted_vectors(path).values()) == sorted(sorted_vectors(tmp_path / "new.db").values())


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_bad_texts_do_not_hold_up_the_change(tmp_path: Path, batch: int) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(64))
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": batch}) as mem:
        state = mem.reindex(Named("another-32", 32, bad="Rita"))
        assert (state.embedder, state.written, state.waiting) == ("another-32", 7, 5)


def test_what_is_committed_right_before_the_new_vectors_take_their_place_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64), "I live in Porto.", "I like jazz.")
    other = apsw.Connection(str(path))
    commit = threading.Timer(0.5, other.execute, ["commit"])

    def change(made: int, wanted: int) -> None:
        if made == wanted and not other.in_transaction:  # nothing is left to be gathered, so that nobody else writes before
            other.execute("begin immediate; update facts set status = 'uncertain' where kind = 'fact' and value_text like '%jazz%'")
            commit.start()

    with memdb.open(path, embedder=HashingEmbedder(64), config=QUIET) as mem:
        assert mem.reindex(HashingEmbedder(32), progress=change).waiting == 1  # what changed is made anew
        commit.join()
        rows = mem._store.database().connection.execute(
            "select f.value_text, v.shelf from facts f join facts_vec v on v.rowid = f.id where f.kind = 'fact'"
        )
        assert dict(rows.fetchall()) == {"User lives in Porto": "fact"}  # type: ignore[arg-type]


def test_a_file_of_tier_one_can_be_reindexed_too(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", None)
    told(tmp_path / "new.db", HashingEmbedder(32))
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem:
        assert mem.reindex(HashingEmbedder(32)).waiting == 0
        assert all(fact.embedding_id == fact.fact_id for fact in mem.facts("ana", kinds=["fact", "message"]))
    assert sorted_vectors(tmp_path / "mem.db") == sorted_vectors(tmp_path / "new.db")


def test_reindexing_with_the_same_embedder_makes_the_index_anew(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(32))
    before = sorted_vectors(tmp_path / "mem.db")
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32), config=QUIET) as mem:
        assert mem.reindex("hashing-32").written == 9
    assert sorted_vectors(tmp_path / "mem.db") == before


def test_what_is_forgotten_leaves_what_was_gathered(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(64))
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": 4}) as mem:
        with pytest.raises(memdb.ModelUnavailable):
            mem.reindex(Named("another-32", 32, fails_after=8))
        assert mem.vectors().gathered == 8
        mem.forget("ana")
        assert mem.vectors().gathered == 0


def test_another_target_begins_again(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(64))
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": 4}) as mem:
        with pytest.raises(memdb.ModelUnavailable):
            mem.reindex(Named("another-32", 32, fails_after=8))
        other = Named("third-16", 16)
        assert mem.reindex(other).embedder == "third-16"
        assert other.read == 14


def test_who_is_stopped_when_the_new_vectors_are_in_place_leaves_a_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    told(tmp_path / "new.db", HashingEmbedder(32))

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, memdb.open(path, embedder=HashingEmbedder(64), config=QUIET) as mem:
        patched.setattr(tiers, "_tidy_up", stopped)
        with pytest.raises(KeyboardInterrupt):
            mem.reindex("hashing-32")
    assert sorted_vectors(path) == sorted_vectors(tmp_path / "new.db")
    with memdb.open(path, embedder=HashingEmbedder(32), config=QUIET) as mem:
        state = mem.vectors()
        assert (state.embedder, state.next_embedder, state.gathered, state.waiting) == ("hashing-32", None, 0, 0)
        assert mem.search("Who is Rita?", user_id="ana").degraded is None
        assert not mem.check()
        mem.reindex("hashing-32")
        assert mem._store.database().tuples("reindex.count")[0][1] == 0
    assert sorted_vectors(path) == sorted_vectors(tmp_path / "new.db")


def test_what_another_process_gathers_next_is_not_thrown_away_with_what_has_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    with memdb.open(path, embedder=HashingEmbedder(64), config={**QUIET, "embed_batch": 4}) as mem:

        def another_begins(db: Database, embedder: Embedder) -> None:
            with memdb.open(path, embedder=None, config={**QUIET, "embed_batch": 4}) as other, pytest.raises(memdb.ModelUnavailable):
                other.reindex(Named("another-16", 16, fails_after=8))
            tidy_up(db, embedder)

        tidy_up = tiers._tidy_up
        monkeypatch.setattr(tiers, "_tidy_up", another_begins)
        assert mem.reindex("hashing-32").gathered == 8


def test_a_large_user_has_codes_of_the_new_vectors(tmp_path: Path) -> None:
    words = [f"word{number} of {number % 7}" for number in range(1_700)]  # of ben fewer than would be worth codes
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=QUIET) as mem:
        mem.remember_many([{"value_text": text, "user_id": ("ben", "ana")[place % 3 > 0]} for place, text in enumerate(words)])
        mem.drain()
        mem.reindex("hashing-32")
        db = mem._store.database()
        kept = "select f.value_text, v.embedding from facts_vec v join facts f on f.id = v.rowid and f.user_id = v.user_id"
        vectors = {text: np.frombuffer(vector, np.float32) for text, vector in db.connection.execute(kept)}
        assert sorted(vectors) == sorted(words)
        assert np.allclose([vectors[text] for text in words], HashingEmbedder(32).embed(words), atol=1e-6)
        [(users, bytes_each)] = db.connection.execute(
            "select group_concat(distinct user_id), sum(length(codes)) / sum(length(steps) / 4) from vector_codes"
        )
        assert (users, bytes_each) == ("ana", 32)
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(32), config=QUIET) as mem:
        assert [hit.fact.value_text for hit in mem.search("word701 of", user_id="ana", limit=1)] == ["word701 of 1"]


def test_a_memory_that_is_closed_while_it_is_reindexed_has_no_threads_any_more(tmp_path: Path) -> None:
    mem = memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None)
    mem.remember("Lives in Porto", user_id="ana")
    before = set(threading.enumerate())
    assert mem.reindex("hashing-32", progress=lambda made, wanted: mem.close()).embedder == "hashing-32"
    assert not set(threading.enumerate()) - before


def test_another_process_with_the_old_embedder_searches_by_words_and_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    with memdb.open(path, embedder=HashingEmbedder(64), config=QUIET) as late:
        with memdb.open(path, embedder=None, config=QUIET) as mem:
            mem.reindex(Named("another-64", 64))
        hits = late.search("Who is Rita?", user_id="ana")
        assert "vectors of another embedder by now" in str(hits.degraded)
        assert hits
        before = late.vectors().written
        late.observe("I have a dog.", user_id="ana")
        assert late.drain(timeout=5)
        with pytest.raises(memdb.ConfigError, match="has vectors of the embedder another-64 by now, so those of hashing-64 are no use"):
            late.remember_many([{"value_text": "Has a cat", "user_id": "ana"}], vectors=HashingEmbedder(64).embed(["Has a cat"]))
        assert late.vectors().written == before


def test_a_note_is_written_though_another_process_has_changed_the_length_of_the_vectors(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=QUIET) as late:
        assert late.write([{"kind": "note", "text": "Gets up early"}], user_id="ana").accepted
        with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem:
            mem.reindex(HashingEmbedder(32))
        assert late.write([{"kind": "note", "text": "Reads more in winter"}], user_id="ana").accepted


KILLED = """
import sys, time
import memdb
from memdb.embed import HashingEmbedder
def tell(made, wanted):
    if made >= 4:
        print(made, flush=True)
        time.sleep(600)
with memdb.open(sys.argv[1], embedder=None, config={"worker": False, "embed_batch": 2}) as mem:
    mem.reindex(HashingEmbedder(32), progress=tell)
"""


def test_killed_while_reindexing_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    before = sorted_vectors(path)
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout
    assert child.stdout.readline() == "4\n"
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert sorted_vectors(path) == before
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        gathered = mem.vectors().gathered
        counting = Named("hashing-32", 32)
        assert mem.reindex(counting).embedder == "hashing-32"
        assert (gathered >= 4, counting.read) == (True, 14 - gathered)


@pytest.mark.parametrize(
    "do",
    [
        lambda mem: mem.search("Where does she live?", user_id="ana", goal="jazz").degraded,
        lambda mem: mem.context("Where does she live?", user_id="ana").text,
        lambda mem: mem.assess("Where does she live?", user_id="ana", goal="jazz").degraded,
        lambda mem: mem.remember("User lives in Faro", user_id="ana", key="user.lives_in", object="Faro"),
        lambda mem: mem.write([{"text": "User has a boat"}], user_id="ana").accepted,
        lambda mem: mem.observe("I live in Braga.", user_id="ana") and mem.drain(),
    ],
    ids=["search", "context", "assess", "remember", "write", "observe"],
)
def test_words_decide_where_another_process_changes_the_embedder_meanwhile(tmp_path: Path, do: Callable[[memdb.Memory], object]) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))

    class Overtaken(HashingEmbedder):
        armed = False

        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.armed and texts:
                self.armed = False
                with memdb.open(path, embedder=None, config=QUIET) as other:
                    other.reindex("hashing-32")
            return super().embed(texts)

    embedder = Overtaken(64)
    with memdb.open(path, embedder=embedder, config=QUIET) as mem:
        embedder.armed = True
        assert do(mem)
        assert not embedder.armed


@pytest.mark.parametrize(("meanwhile", "ends_with"), [("third-32", None), ("another-32", "another-32")], ids=["to a third", "to the same"])
@pytest.mark.parametrize("fails_after", [4, 10**9], ids=["unfinished", "finished"])
def test_two_processes_that_reindex_at_once_never_mix_their_vectors(
    tmp_path: Path, meanwhile: str, ends_with: str | None, fails_after: int
) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))

    class Overtaken(Named):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.read == 4:
                with memdb.open(path, embedder=None, config={**QUIET, "embed_batch": 2}) as other, suppress(memdb.ModelError):
                    other.reindex(Named(meanwhile, 32, fails_after=fails_after))
            return super().embed(texts)

    with memdb.open(path, embedder=None, config={**QUIET, "embed_batch": 2}) as mem:
        with nullcontext() if ends_with else pytest.raises(memdb.ConflictError, match="third-32"):
            mem.reindex(Overtaken("another-32", 32))
        if not ends_with:
            assert mem.vectors().embedder == ("third-32" if fails_after > 4 else "hashing-64")
            mem.reindex(Named("another-32", 32))
        assert (mem.vectors().embedder, mem.vectors().waiting) == ("another-32", 0)


# what others got wrong


def sources() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (ROOT / "memdb").rglob("*.py")}


def test_mistake_1_there_is_no_store_but_sqlite(tmp_path: Path) -> None:
    told(tmp_path / "mem.db", HashingEmbedder(64))
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), config=QUIET) as mem:
        mem.session("ana").close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mem.db", "memory.md"]
    assert not [name for name, text in sources().items() if "lancedb" in text.lower()]


def test_mistake_2_there_is_one_kind_of_embedder() -> None:
    makers = {name for name, text in sources().items() if "def embed(self" in text}
    assert makers == {
        "memdb/embed.py",
        "memdb/edge.py",
        "memdb/endpoint.py",
        "memdb/awaited.py",
    }  # with PyTorch, without, where the language model is asked, and one of these that nobody waits for too long
    assert sources()["memdb/embed.py"].count("(Protocol)") == 1
    assert not [name for name, text in sources().items() if "EmbeddingProvider" in text]


REFUSES_TO_CONNECT = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "urllib.Request", "http.client.connect"):
        raise PermissionError(f"{event} {arguments}")
sys.addaudithook(refuse)
import memdb
with memdb.open(sys.argv[1], embedder="hashing-64", config={"worker": False}) as mem:
    with mem.session("ana") as s:
        s.observe("I live in Porto.")
    assert mem.drain() and mem.search("Porto", user_id="ana").degraded is None
"""


def test_mistake_3_no_embedding_service_is_asked_over_the_network(tmp_path: Path) -> None:
    command = [sys.executable, "-c", REFUSES_TO_CONNECT, str(tmp_path / "mem.db")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not [name for name, text in sources().items() if "nomic" in text.lower()]


def test_mistake_4_memory_md_is_not_the_source_of_truth(tmp_path: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=None, config=QUIET) as mem:
        with mem.session("ana", now="2025-03-01T10:00:00Z") as s:
            s.observe("I live in Porto.")
        (tmp_path / "memory.md").write_text("- User lives in Faro\n")
        assert [fact.object for fact in mem.facts("ana", key="user.lives_in")] == ["Porto"]
        assert mem.search("Where does she live?", user_id="ana", kinds=["fact"])[0].fact.object == "Porto"
        assert "Faro" not in mem.page("ana")


def test_mistake_5_sqlite_is_called_as_it_is_without_promises(mem: memdb.Memory) -> None:
    doors = [name for name, text in sources().items() if "interfaces" not in name and ("async def" in text or "await " in text)]
    assert doors == []
    assert isinstance(mem.observe("I live in Porto.", user_id="ana", turn_id="t1"), str)
    assert mem.facts("ana", kinds=["message"])[0].source_turn_id == "t1"  # there when the call returns


def test_mistake_6_nothing_is_embedded_in_tier_one(tmp_path: Path) -> None:
    path = tmp_path / "mem.db"
    told(path, HashingEmbedder(64))
    before = sorted_vectors(path)
    with memdb.open(path, embedder=None, config=QUIET) as mem:
        with mem.session("ana") as s:
            s.observe("I have a dog.")
            assert "without an embedder" in str(s.context("dog").degraded)
        assert mem.vectors().waiting > 0
    assert sorted_vectors(path) == before


def test_mistake_7_questions_and_memories_go_through_the_same_embedder(tmp_path: Path) -> None:
    embedder = Named("counting-64", 64)
    with memdb.open(tmp_path / "mem.db", embedder=embedder, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana")
        mem.drain()
        of_memories = embedder.read
        mem.search("Where?", user_id="ana")
        mem.procedures("cook rice", user_id="ana")
    assert (of_memories, embedder.read) == (3, 5)  # a fact, a message and its window; then two questions
