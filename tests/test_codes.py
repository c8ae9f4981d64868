"""Codes: a quarter of the bytes, and a bound that no cosine passes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import memdb
from memdb.codes import at_most, encode, products
from memdb.embed import HashingEmbedder


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, np.float32)


@given(
    seed=st.integers(0, 1_000),
    dimension=st.integers(1, 1_600),
    peak=st.sampled_from([1.0, 3.0, 50.0, 1e9]),  # how far one number stands out
    alike=st.sampled_from([0.0, 1.0, 1e3]),  # how near the vectors are to the question
)
def test_no_cosine_is_more_than_its_code_allows(seed: int, dimension: int, peak: float, alike: float) -> None:
    chance = np.random.default_rng(seed)
    question = unit(chance.standard_normal((1, dimension)))[0]
    several = chance.standard_normal((40, dimension)) + alike * question
    several[:20, 0] *= peak
    vectors = unit(several)
    codes, asked = encode(vectors), encode(question)
    most = at_most(products(codes.codes, asked.codes), codes.steps, codes.off, asked)
    cosines = vectors.astype(np.float64) @ question.astype(np.float64)
    assert np.all(cosines <= most)
    assert np.all(most - cosines <= 2.001 * (codes.off + float(asked.off) * (1 + codes.off)) + 1e-5)
    assert sum(part.nbytes for part in codes) < vectors.nbytes / 4 + 8 * len(vectors) + 1


def test_the_bound_is_close_enough_to_tell_neighbours_apart() -> None:
    vectors = unit(np.random.default_rng(0).standard_normal((1_000, 384)))
    codes = encode(vectors)
    assert codes.codes.min() == -127
    assert codes.codes.max() == 127
    assert codes.off.max() < 0.02


def test_what_is_zero_has_a_code() -> None:
    codes = encode(np.zeros((2, 8), np.float32))
    assert not codes.codes.any()
    assert not codes.off.any()


@given(seed=st.integers(0, 100), rows=st.integers(0, 30))
def test_the_product_of_a_row_does_not_depend_on_the_others(seed: int, rows: int) -> None:
    chance = np.random.default_rng(seed)
    vectors, question = unit(chance.standard_normal((40, 384))), unit(chance.standard_normal((1, 384)))[0]
    whole = products(vectors, question)
    assert products(vectors[:rows], question).tolist() == whole[:rows].tolist()
    assert whole == pytest.approx(vectors.astype(np.float64) @ question, abs=1e-6)


def test_a_missing_package_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with memdb.open(tmp_path / "mem.db", embedder=HashingEmbedder(64), llm=None, config={"worker": False}) as mem:
        mem.remember("A zeppelin", user_id="ana")
        assert mem.drain(30)
        monkeypatch.setitem(sys.modules, "simsimd", None)
        with pytest.raises(memdb.ConfigError, match=r"needs the package simsimd; install memdb\[vectors\]"):
            mem.search("zeppelin", user_id="ana")
