"""Exact nearest neighbours: against a plain computation in 64 bits, and after every kind of change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdb.nearest import Floats, Space, Vectors, empty, to_rows

RANDOM = np.random.default_rng(7)


def vectors(count: int, dimension: int = 16) -> Vectors:
    rows = RANDOM.standard_normal((count, dimension)).astype(np.float32)
    return empty(dimension).changed(np.arange(10, 10 + count), rows, alive=None, version=1, erased=0)


def plainly(rows: Floats, query: Floats, space: str) -> list[float]:
    wide, asked = rows.astype(np.float64), query.astype(np.float64)
    if space == "l2":
        return list(((wide - asked) ** 2).sum(axis=1))
    similarity = wide @ asked
    lengths = np.linalg.norm(wide, axis=1) * np.linalg.norm(asked) if space == "cosine" else 1.0
    return list(1 - similarity / lengths)


@pytest.mark.parametrize("space", ["l2", "cosine", "ip"])
@pytest.mark.parametrize("count", [1, 5, 255, 256, 257, 2000])
def test_the_nearest_are_those_of_a_plain_computation(space: Space, count: int) -> None:
    held, query = vectors(count), RANDOM.standard_normal(16).astype(np.float32)
    found = held.nearest(query, 10, space=space)
    expected = plainly(held.rows, query, space)
    assert [record for record, _ in found] == [10 + int(place) for place in np.argsort(expected, kind="stable")[:10]]
    assert [distance for _, distance in found] == pytest.approx(sorted(expected)[:10], abs=1e-5)


@pytest.mark.parametrize("among", [[], [12], [10, 500, 900], list(range(10, 1000, 2)), list(range(10, 1010))])
def test_among_some_records_the_nearest_are_found_as_among_all(among: list[int]) -> None:
    held, query = vectors(1000), RANDOM.standard_normal(16).astype(np.float32)
    everything = held.nearest(query, 1000, space="l2")
    assert held.nearest(query, 7, space="l2", among=np.array(among, dtype=np.int64)) == [hit for hit in everything if hit[0] in among][:7]


def test_a_small_distance_between_long_vectors_is_not_lost() -> None:
    rows = np.full((2, 64), 1e4, dtype=np.float32)
    rows[1, 0] += 0.01
    held = empty(64).changed(np.array([1, 2]), rows, alive=None, version=1, erased=0)
    (_, nothing), (_, small) = held.nearest(rows[1], 2, space="l2")
    assert nothing == 0
    assert small == pytest.approx(float((rows[1, 0] - rows[0, 0]) ** 2))


@given(st.lists(st.tuples(st.dictionaries(st.integers(1, 12), st.integers(-50, 50)), st.none() | st.sets(st.integers(1, 12))), max_size=8))
def test_after_any_changes_the_vectors_are_those_that_stayed(changes: list[tuple[dict[int, int], set[int] | None]]) -> None:
    held, expected = empty(1), dict[int, int]()
    for version, (written, alive) in enumerate(changes, start=1):
        living = None if alive is None else np.array(sorted(alive | set(written)), dtype=np.int64)
        numbers, values = np.array(list(written), dtype=np.int64), np.array(list(written.values()), dtype=np.float32)
        before = held.rows.copy()
        changed = held.changed(numbers, values.reshape(-1, 1), alive=living, version=version, erased=version)
        assert np.array_equal(held.rows, before)
        held = changed
        expected = {record: value for record, value in expected.items() if alive is None or record in alive | set(written)} | written
    assert dict(zip(held.records.tolist(), held.rows[:, 0].tolist(), strict=True)) == expected
    assert sorted(held.records.tolist()) == held.records.tolist()


def test_a_query_that_is_no_number_finds_what_there_is() -> None:
    found = vectors(3).nearest(np.full(16, np.nan, dtype=np.float32), 2, space="cosine")
    assert [record for record, _ in found] == [10, 11]


def test_stored_vectors_come_back_as_rows() -> None:
    rows = RANDOM.standard_normal((3, 5)).astype(np.float32)
    assert np.array_equal(to_rows([row.tobytes() for row in rows], 5), rows)
    assert to_rows([], 5).shape == (0, 5)
