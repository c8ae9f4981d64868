"""Exact nearest neighbours: against a plain computation in 64 bits, and after every kind of change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdb.nearest import Floats, Numbers, Space, Vectors, to_rows

RANDOM = np.random.default_rng(7)
NONE: Numbers = np.empty(0, dtype=np.int64)


def vectors(count: int, dimension: int = 16) -> Vectors:
    rows = RANDOM.standard_normal((count, dimension)).astype(np.float32)
    return Vectors().changed(np.arange(10, 10 + count), rows, gone=NONE, version=1, erased=0)


def all_rows(held: Vectors) -> Floats:
    return np.concatenate(
        [np.empty((0, held.blocks[0].rows.shape[1] if held.blocks else 1), np.float32), *(block.rows for block in held.blocks)]
    )


def plainly(rows: Floats, query: Floats, space: str) -> list[float]:
    wide, asked = rows.astype(np.float64), query.astype(np.float64)
    if space == "l2":
        return list(((wide - asked) ** 2).sum(axis=1))
    similarity = wide @ asked
    lengths = np.linalg.norm(wide, axis=1) * np.linalg.norm(asked) if space == "cosine" else 1.0
    return list(1 - similarity / lengths)


@pytest.mark.parametrize("space", ["l2", "cosine", "ip"])
@pytest.mark.parametrize("count", [1, 5, 255, 256, 257, 2048, 2049, 5000])
def test_the_nearest_are_those_of_a_plain_computation(space: Space, count: int) -> None:
    held, query = vectors(count), RANDOM.standard_normal(16).astype(np.float32)
    found = held.nearest(query, 10, space=space)
    expected = plainly(all_rows(held), query, space)
    assert [record for record, _ in found] == [10 + int(place) for place in np.argsort(expected, kind="stable")[:10]]
    assert [distance for _, distance in found] == pytest.approx(sorted(expected)[:10], abs=1e-5)


@pytest.mark.parametrize("among", [[], [12], [10, 500, 900], list(range(10, 1000, 2)), list(range(10, 1010)), [10, 2057, 2058, 6009]])
def test_among_some_records_the_nearest_are_found_as_among_all(among: list[int]) -> None:
    held, query = vectors(6000), RANDOM.standard_normal(16).astype(np.float32)
    everything = held.nearest(query, 6000, space="l2")
    assert held.nearest(query, 7, space="l2", among=np.array(among, dtype=np.int64)) == [hit for hit in everything if hit[0] in among][:7]


def test_a_small_distance_between_long_vectors_is_not_lost() -> None:
    rows = np.full((2, 64), 1e4, dtype=np.float32)
    rows[1, 0] += 0.01
    held = Vectors().changed(np.array([1, 2]), rows, gone=NONE, version=1, erased=0)
    (_, nothing), (_, small) = held.nearest(rows[1], 2, space="l2")
    assert nothing == 0
    assert small == pytest.approx(float((rows[1, 0] - rows[0, 0]) ** 2))


@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 1500), st.integers(0, 1500)), max_size=6))
@settings(max_examples=30)
def test_after_any_changes_the_vectors_are_those_that_stayed(seed: int, changes: list[tuple[int, int]]) -> None:
    some, query = np.random.default_rng(seed), np.ones(1, np.float32)
    held, expected = Vectors(), dict[int, int]()
    for version, (written, gone) in enumerate(changes, start=1):
        numbers, values = some.choice(4000, written, replace=False), some.integers(-50, 50, written)
        missing = np.setdiff1d(some.choice(4000, gone, replace=False), numbers)
        before = all_rows(held).copy()
        changed = held.changed(numbers, values.astype(np.float32).reshape(-1, 1), gone=missing, version=version, erased=version)
        assert np.array_equal(all_rows(held), before)
        held = changed
        expected = {record: value for record, value in expected.items() if record not in set(missing.tolist())}
        expected |= dict(zip(numbers.tolist(), values.tolist(), strict=True))
        assert dict(held.nearest(query, 4000, space="ip")) == {record: 1 - value for record, value in expected.items()}
        among = np.array(sorted(expected)[::9], dtype=np.int64)
        assert dict(held.nearest(query, 4000, space="ip", among=among)) == {record: 1 - expected[record] for record in among.tolist()}
    assert held.records.tolist() == sorted(expected)


def test_what_nothing_happened_to_is_not_copied() -> None:
    held = vectors(9000)
    changed = held.changed(np.array([5000, 9010]), np.ones((2, 16), np.float32), gone=np.array([11]), version=2, erased=2)
    assert [new is old for new, old in zip(changed.blocks, held.blocks, strict=True)] == [False, True, False, True, False]


def test_a_query_that_is_no_number_finds_what_there_is() -> None:
    found = vectors(3).nearest(np.full(16, np.nan, dtype=np.float32), 2, space="cosine")
    assert [record for record, _ in found] == [10, 11]


def test_stored_vectors_come_back_as_rows() -> None:
    rows = RANDOM.standard_normal((3, 5)).astype(np.float32)
    assert np.array_equal(to_rows([row.tobytes() for row in rows], 5), rows)
    assert to_rows([], 5).shape == (0, 5)
