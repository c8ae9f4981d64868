"""A text that is longer than a model reads at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memdb.embed import HashingEmbedder, MiniLM, choose_tokenizer, model_folder
from memdb.pieces import READS, embed_whole, pieces_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer as WordPiece

pytestmark = pytest.mark.skipif(choose_tokenizer().name == "conservative", reason="the WordPiece tokenizer is not installed")
needs_minilm = pytest.mark.skipif(not MiniLM.installed(), reason="MiniLM is not installed")

PORTO = "She lives in Porto, by the river. "


@pytest.fixture(scope="module")
def word_piece() -> WordPiece:
    """MiniLM's own, which cuts nothing off."""
    from tokenizers import Tokenizer

    folder = model_folder()
    assert folder is not None
    made: WordPiece = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


def tokens(text: str, word_piece: WordPiece) -> int:
    return len(word_piece.encode(text, add_special_tokens=False).ids)


class Reader:
    """An embedder that notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Make vectors of words."""
        self.asked.append(list(texts))
        return HashingEmbedder(64).embed(texts)


@settings(max_examples=200)
@given(
    st.lists(
        st.text(max_size=12) | st.sampled_from(["Porto.", "漢字", "naïve", "antidisestablishmentarianism", "\n", "🎉", "  "]), max_size=120
    )
)
@example(["漢字"] * 100)
@example(["a" * 90, " "] * 60)
@example(["."] * 400)
@example([" "] * 900)
def test_the_pieces_of_a_text_are_all_of_it_and_none_is_too_long(word_piece: WordPiece, words: list[str]) -> None:
    text = " ".join(words)
    pieces = pieces_of(text, word_piece, most=34)
    assert "".join(pieces) == text
    assert max(tokens(piece, word_piece) for piece in pieces) <= 32


def test_a_piece_ends_where_a_sentence_does_and_is_about_as_long_as_the_others(word_piece: WordPiece) -> None:
    pieces = pieces_of(PORTO * 30, word_piece, most=256)
    assert all(piece.endswith("river. ") for piece in pieces)
    lengths = [tokens(piece, word_piece) for piece in pieces]
    assert (len(lengths), min(lengths) > 0.7 * max(lengths)) == (2, True)


def test_a_piece_of_a_text_without_sentences_ends_where_a_word_does(word_piece: WordPiece) -> None:
    pieces = pieces_of("immeasurable " * 400, word_piece, most=256)
    assert {piece.rstrip()[-12:] for piece in pieces} == {"immeasurable"}


def test_a_short_text_is_one_piece_as_it_stands(word_piece: WordPiece) -> None:
    assert pieces_of(PORTO * 20, word_piece, most=256) == [PORTO * 20]
    assert pieces_of("", word_piece, most=256) == [""]


def test_a_text_without_end_is_read_up_to_its_twenty_thousandth_character(word_piece: WordPiece) -> None:
    assert "".join(pieces_of("word " * READS, word_piece, most=256)) == ("word " * READS)[:READS]


def test_the_vector_of_a_long_text_is_the_mean_of_its_pieces_and_that_of_a_short_one_its_own(word_piece: WordPiece) -> None:
    texts, reader = ["Porto", PORTO * 30, "Lisbon"], Reader()
    vectors = embed_whole(texts, reader.embed, lambda: word_piece, most=256)
    pieces = HashingEmbedder(64).embed(pieces_of(texts[1], word_piece, most=256))
    assert vectors[1] == pytest.approx(pieces.sum(axis=0) / np.linalg.norm(pieces.sum(axis=0)), abs=1e-6)
    assert np.array_equal(vectors[[0, 2]], HashingEmbedder(64).embed(["Porto", "Lisbon"]))


def test_many_pieces_are_read_a_few_at_a_time(word_piece: WordPiece) -> None:
    reader = Reader()
    assert embed_whole([PORTO * 500], reader.embed, lambda: word_piece, most=34).shape == (1, 64)
    assert len(reader.asked) > 1
    assert max(len(texts) for texts in reader.asked) <= 32


def test_where_all_are_short_no_tokenizer_is_asked_for() -> None:
    def tokenizer() -> WordPiece:
        raise AssertionError("not needed")

    assert embed_whole(["Porto", ""], HashingEmbedder(64).embed, tokenizer, most=256).shape == (2, 64)


def test_without_a_tokenizer_texts_are_read_as_far_as_the_model_goes() -> None:
    reader = Reader()
    embed_whole([PORTO * 200], reader.embed, lambda: None, most=256)
    assert reader.asked == [[PORTO * 200]]


@needs_minilm
@pytest.mark.slow
def test_minilm_finds_what_stands_at_the_end_of_a_long_text() -> None:
    filler = "We talked about the weather, the garden and the neighbours' dog for quite a while. " * 30
    minilm = MiniLM()
    texts = [filler + "Oh, and I am allergic to peanuts.", filler + "Oh, and my car is a red Volvo."]
    [asked] = minilm.embed(["Which nuts is he allergic to?"])
    nuts, car = minilm.embed(texts) @ asked
    assert nuts > car + 0.01
    first, other = minilm.embed_beginnings(texts)
    assert first @ other == pytest.approx(1.0, abs=1e-5)
