"""Binary labels: counts against items, DeLong's covariance against a loop over placements."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.estimates.pairs import binary
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.binary import (
    all_pairs_binary,
    all_pairs_from_counts,
    score_order,
)

from .synthetic import FIELDS, hit_of, items


def counted(y, s, group, k):
    levels, level = np.unique(s, return_inverse=True)
    counts = np.zeros((k, 2, len(levels)))
    np.add.at(counts, (group, y.astype(int), level), 1)
    return counts


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("scores", ["tied", "real"])
def test_counts_say_the_same_as_items(ties, k, scores):
    y, s, group = items(3, 60, k, "binary", scores)
    of_items = all_pairs(y, s, group, k, ties=ties)
    of_counts = all_pairs_from_counts(counted(y, s, group, k), ties=ties)
    for field in (*FIELDS, "pooled"):
        assert_allclose(getattr(of_counts, field), getattr(of_items, field), rtol=1e-9, atol=1e-14)


def test_tables_of_counts_at_once_are_as_one_by_one():
    counts = np.random.default_rng(0).integers(1, 9, size=(2, 3, 3, 2, 5))
    together = all_pairs_from_counts(counts)
    for i in np.ndindex(2, 3):
        alone = all_pairs_from_counts(counts[i])
        for field in (*FIELDS, "pooled"):
            assert_allclose(getattr(together, field)[i], getattr(alone, field), rtol=1e-12)


@pytest.mark.parametrize("chunk", [40, 1 << 17])
@pytest.mark.parametrize("scores", ["tied", "real"])
def test_everyone_is_one_more_group_of_the_same_items(monkeypatch, chunk, scores):
    monkeypatch.setattr(binary, "BLOCK", chunk)
    y, s, group = items(5, 90, 3, "binary", scores)
    again = np.tile(y == 1, 2), score_order(np.tile(s, 2)), np.append(group, np.full(len(y), 3))
    twice = all_pairs_binary(*again, 4, "half")
    everyone = all_pairs_binary(y == 1, score_order(s), group, 3, "half", with_all=True)
    for field in (*FIELDS, "pooled"):
        assert_array_equal(getattr(everyone, field), getattr(twice, field))


def test_items_are_put_in_the_order_of_their_scores():
    rng = np.random.default_rng(0)
    for score in (
        rng.normal(size=100),
        rng.integers(0, 9, 100) / 3,
        np.zeros(100),
        [-1e308, 1e308],
    ):
        values = np.asarray(score, dtype=float)
        order = score_order(values)
        assert_array_equal(np.sort(order.position), np.arange(len(values)))
        levels, level = np.unique(values, return_inverse=True)
        assert_array_equal(levels[order.level], np.sort(values))
        assert_array_equal(order.level, level[order.position])


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("scores", ["tied", "real"])
def test_the_size_of_a_chunk_does_not_matter(monkeypatch, ties, scores):
    y, s, group = items(4, 80, 3, "binary", scores)
    whole = all_pairs(y, s, group, 3, ties=ties)
    monkeypatch.setattr(binary, "BLOCK", 7)
    parted = all_pairs(y, s, group, 3, ties=ties)
    for field in (*FIELDS, "pooled"):
        assert_allclose(getattr(parted, field), getattr(whole, field), rtol=1e-9, atol=1e-14)


def placements(y, s, group, k, ties):
    """Share of the losers of each group that a winner beats, of winners that beat a loser."""
    n = len(y)
    result = np.zeros((n, k))
    for i, g in product(range(n), range(k)):
        others = [j for j in range(n) if group[j] == g and y[j] != y[i]]
        hits = [hit_of(s, i, j, ties) if y[i] > y[j] else hit_of(s, j, i, ties) for j in others]
        result[i, g] = np.mean(hits)
    return result


def delong(y, s, group, k, ties):
    placed = placements(y, s, group, k, ties)
    covariance = np.zeros((k, k, k, k))
    for g in range(k):
        winners, losers = (placed[(group == g) & (y == label)] for label in (1, 0))
        covariance[g, :, g, :] += np.cov(winners.T) / len(winners)
        covariance[:, g, :, g] += np.cov(losers.T) / len(losers)
    return covariance.reshape(k * k, k * k)


@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_covariance_for_binary_labels_is_delong_s(ties, k):
    y, s, group = items(7, 60, k)
    rates = all_pairs(y, s, group, k, ties=ties)
    assert_allclose(rates.covariance, delong(y, s, group, k, ties), rtol=1e-9, atol=1e-14)
    assert not rates.counted_twice.any()
    assert_array_equal(
        rates.class_sizes, [((group == g) & (y == v)).sum() for g in range(k) for v in (1, 0)]
    )


@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_the_pooled_covariance_is_that_of_placements_among_all_items(ties):
    y, s, group = items(8, 60, 3)
    alone = placements(y, s, np.zeros(60, dtype=int), 1, ties)[:, 0]
    winner, loser = (alone[y == label].var(ddof=1) for label in (1, 0))
    expected = np.zeros((3, 3, 3, 3))
    for g in range(3):
        expected[g, :, g, :] += winner / ((group == g) & (y == 1)).sum()
        expected[:, g, :, g] += loser / ((group == g) & (y == 0)).sum()
    pooled = all_pairs(y, s, group, 3, ties=ties).pooled
    assert_allclose(pooled, expected.reshape(9, 9), rtol=1e-9, atol=1e-14)
