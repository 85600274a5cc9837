"""All pairs of items against a double loop and the jackknife."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs

from .synthetic import FIELDS, LABELS, gap_variances, hit_of, items


def double_loop(y, s, group, k, ties="wrong", weights=None):
    w = np.ones(len(y)) if weights is None else weights
    right, usable, pairs = np.zeros((3, k, k))
    for i, j in product(range(len(y)), repeat=2):
        if y[i] > y[j]:
            cell = group[i], group[j]
            right[cell] += w[i] * w[j] * hit_of(s, i, j, ties)
            usable[cell] += w[i] * w[j]
            pairs[cell] += w[i] * w[j] > 0
    return right, usable, pairs


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("scores", ["tied", "real"])
@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_pairs_are_those_of_a_double_loop(labels, scores, ties, k, weighted):
    y, s, group = items(1, 41, k, labels, scores)
    weights = None
    if weighted:
        weights = np.random.default_rng(2).uniform(0.1, 2, size=41) * (np.arange(41) % 7 > 0)
    rates = all_pairs(y, s, group, k, ties=ties, weights=weights)
    right, usable, pairs = double_loop(y, s, group, k, ties, weights)
    assert_allclose(rates.concordant, right, rtol=1e-12, atol=1e-12)
    assert_allclose(rates.comparable, usable, rtol=1e-12)
    assert_array_equal(rates.pairs, pairs)
    assert_allclose(rates.tpr, right / usable, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_data_sets_at_once_are_as_one_by_one(labels, weighted):
    each = [items(seed, 30, 3, labels) for seed in range(4)]
    y, s, group = (np.stack(arrays) for arrays in zip(*each, strict=True))
    weights = np.random.default_rng(0).uniform(size=y.shape) if weighted else None
    together = all_pairs(y, s, group, 3, weights=weights)
    for row in range(4):
        # a data set of its own takes the path for binary labels, whose classes are others
        own = None if weights is None else weights[row]
        alone = all_pairs(y[row], s[row], group[row], 3, weights=own)
        fields = FIELDS[:3] if labels == "binary" and not weighted else FIELDS
        for field in fields:
            assert_allclose(
                getattr(together, field)[row], getattr(alone, field), rtol=1e-9, atol=1e-14
            )


def test_any_two_labels_are_binary():
    y, s, group = items(5, 50, 2)
    one, other = all_pairs(y, s, group, 2), all_pairs(3.5 * y - 7, s, group, 2)
    for field in (*FIELDS, "pooled"):
        assert_array_equal(getattr(one, field), getattr(other, field))


def test_a_cell_without_a_pair_has_no_rate():
    # group 1 has no winner
    y, s, group = np.array([1.0, 0, 0, 0]), np.array([3.0, 1, 2, 4]), np.array([0, 0, 1, 1])
    for labels in (y, np.array([1.0, 0.5, 0, 0])):
        rates = all_pairs(labels, s, group, 2)
        assert np.isnan(rates.tpr[1]).all()
        assert rates.comparable[1].tolist() == rates.concordant[1].tolist() == [0, 0]
        assert not np.isnan(rates.tpr[0]).any()


def jackknife(y, s, group, k, classes, **options):
    """Sum the jackknife over classes of items: each counts for itself, as a sample of its own."""
    covariance = np.zeros((k * k, k * k))
    for c in np.unique(classes):
        members = np.flatnonzero(classes == c)
        left = []
        for i in members:
            others = np.arange(len(y)) != i
            of_others = {name: value[others] for name, value in options.items()}
            left.append(all_pairs(y[others], s[others], group[others], k, **of_others).tpr.ravel())
        m = len(members)
        covariance += (m - 1) ** 2 / m * np.cov(np.transpose(left))
    return covariance


@pytest.mark.parametrize("k", [2, 3])
def test_the_covariance_for_binary_labels_is_that_of_the_jackknife(k):
    # equal, and not nearly so, because a rate is a mean of placements
    y, s, group = items(10, 70, k)
    expected = jackknife(y, s, group, k, 2 * group + y.astype(int))
    assert_allclose(all_pairs(y, s, group, k).covariance, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("labels", ["few", "continuous"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_covariance_for_real_labels_is_nearly_that_of_the_jackknife(labels, weighted):
    # they differ by terms of the order 1 / n of the variance
    y, s, group = items(11, 300, 2, labels)
    options = {}
    if weighted:
        options["weights"] = np.random.default_rng(0).uniform(0.2, 1, 300)
    found = all_pairs(y, s, group, 2, **options).components.sum(axis=0)
    expected = jackknife(y, s, group, 2, group, **options)
    assert_allclose(np.diagonal(found), np.diagonal(expected), rtol=0.03)
    assert_allclose(gap_variances(found), gap_variances(expected), rtol=0.03)
    assert_allclose(found, expected, atol=0.03 * np.diagonal(expected).max())
