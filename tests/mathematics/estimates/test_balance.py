import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

from fairpairs.mathematics.estimates import balance


def made(n=200, k=2, seed=0):
    """Labels 0 to 4 that are distributed differently in each group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(k, size=n)
    return rng.binomial(4, 0.3 + 0.3 * group / k), group


def test_ranks_are_those_of_scipy_row_by_row():
    values = np.random.default_rng(0).integers(9, size=(4, 30)) / 2
    rank, lower = balance.dense_ranks(values)
    assert_array_equal(rank, rankdata(values, method="dense", axis=1) - 1)
    assert_array_equal(lower, rankdata(values, method="min", axis=1) - 1)


@pytest.mark.parametrize("labels", [[5, 3, 3, 5, 9, 9, 9], [-1.0, 2.0], [0.5, 0.5, 0.5]])
def test_labels_that_recur_are_their_own_strata(labels):
    if len(labels) == 7:
        labels = labels * 2  # three levels in fourteen items
    strata = balance.label_strata(np.array(labels, dtype=float))
    assert_array_equal(strata, np.unique(labels, return_inverse=True)[1])


def test_three_items_a_level_are_levels_and_fewer_are_bins():
    thirds = np.repeat(np.arange(20.0), 3)
    assert_array_equal(balance.label_strata(thirds), thirds)
    more = np.append(thirds[:-1], 99.0)  # 21 levels in 60 items
    assert balance.label_strata(more).max() < 60 // balance.ITEMS_PER_STRATUM


@pytest.mark.parametrize("n", [2, 7, 19, 20, 100, 1003])
def test_continuous_labels_are_put_into_bins_of_ten_to_nineteen_items(n):
    y = np.random.default_rng(1).normal(size=n)
    strata = balance.label_strata(y)
    if n == 2:
        assert sorted(strata) == [0, 1]  # two labels are binary
        return
    sizes = np.bincount(strata)
    assert len(sizes) == max(1, n // 10)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() >= min(n, 10)
    # bins follow one another in the order of the labels
    assert (np.diff(strata[np.argsort(y)]) >= 0).all()


def test_equal_labels_are_always_in_one_stratum():
    rng = np.random.default_rng(2)
    y = np.append(rng.normal(size=150), np.repeat([0.1, 0.7], [30, 12]))
    rng.shuffle(y)
    strata = balance.label_strata(y)
    assert len(np.unique(strata)) < len(np.unique(y))
    for value in (0.1, 0.7):
        assert len(np.unique(strata[y == value])) == 1
    assert (np.diff(strata[np.argsort(y)]) >= 0).all()


def test_strata_of_data_sets_at_once_are_as_one_by_one():
    rng = np.random.default_rng(3)
    y = np.stack([rng.integers(2, size=60), rng.integers(9, size=60), rng.normal(size=60)])
    assert_array_equal(balance.label_strata(y), [balance.label_strata(row) for row in y])


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_weights_are_h_over_the_share_of_the_group(k):
    strata, group = made(k=k)
    weights = balance.balancing_weights(group, strata, k)
    for i in range(len(group)):
        own = group[strata == strata[i]]
        shares = np.array([(own == g).mean() for g in range(k)])
        expected = 0 if (shares == 0).any() else 1 / (1 / shares).sum() / shares[group[i]]
        assert_allclose(weights[i], expected, rtol=1e-12)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("continuous", [False, True])
def test_after_weighting_the_labels_of_all_groups_are_distributed_alike(k, continuous):
    strata, group = made(400, k)
    if continuous:
        strata = balance.label_strata(strata + np.random.default_rng(1).normal(size=400))
    weights = balance.balancing_weights(group, strata, k)
    plain, weighted = (
        np.stack(
            [np.bincount(strata[group == g], w[group == g], strata.max() + 1) for g in range(k)]
        )
        for w in (np.ones(400), weights)
    )
    plain, weighted = (x / x.sum(axis=1, keepdims=True) for x in (plain, weighted))
    assert np.abs(plain - plain[0]).max() > 0.03
    assert_allclose(weighted, np.broadcast_to(weighted[0], weighted.shape), rtol=1e-10)


def test_a_stratum_that_lacks_a_group_weighs_nothing():
    strata = np.array([0, 0, 0, 1, 1, 1, 3, 3, 3])  # 2 is empty
    group = np.array([0, 1, 2, 0, 1, 1, 2, 2, 2])
    weights = balance.balancing_weights(group, strata, 3)
    assert_allclose(weights, [1 / 3] * 3 + [0] * 6, rtol=1e-12)
    assert_allclose(balance.balancing_weights(group[:6], strata[:6], 2 + 1)[3:], 0)


def test_weights_of_data_sets_at_once_are_as_one_by_one():
    each = [made(50, 3, seed) for seed in range(4)]
    strata, group = (np.stack(arrays) for arrays in zip(*each, strict=True))
    expected = [balance.balancing_weights(g, s, 3) for s, g in each]
    assert_allclose(balance.balancing_weights(group, strata, 3), expected, rtol=1e-12)
