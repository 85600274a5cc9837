"""Real labels: what items add to a rate, against a loop, and the variance in simulations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs, projections

from .synthetic import gap_estimates, gap_variances, hit_of, items


def test_a_class_of_items_adds_the_squares_of_its_projections():
    y, s, group = items(13, 80, 3, "few")
    right, usable, _, added, _ = (
        x[0] for x in projections(y[None], s[None], group[None], 3, "wrong")
    )
    assert_allclose(added.sum(axis=0), 0, atol=1e-12)
    rates = all_pairs(y, s, group, 3)
    assert rates.pooled is None
    assert rates.effective is None
    assert rates.items is None
    expected = np.zeros((3, 9, 9))
    theta = right / usable
    for g in range(3):
        m = (group == g).sum()
        for i in np.flatnonzero(group == g):
            own = np.zeros((3, 3))
            for j in range(80):
                if y[i] > y[j]:
                    cell = g, group[j]
                    own[cell] += (hit_of(s, i, j, "wrong") - theta[cell]) / usable[cell]
                if y[j] > y[i]:
                    cell = group[j], g
                    own[cell] += (hit_of(s, j, i, "wrong") - theta[cell]) / usable[cell]
            assert_allclose(added[i], own.ravel(), rtol=1e-9, atol=1e-14)
            expected[g] += m / (m - 1) * np.outer(own, own)
    assert_allclose(rates.components, expected, rtol=1e-9, atol=1e-14)


@pytest.mark.slow
def test_the_variance_of_all_pairs_of_real_labels_is_the_true_one():
    # 4,000 data sets: the Monte Carlo error of a variance is sqrt(2 / 4,000) = 2.2 %
    rng = np.random.default_rng(3)
    group = rng.integers(2, size=(4000, 150))
    y = rng.normal(size=group.shape)
    rates = all_pairs(y, y + rng.normal(size=group.shape), group, 2)
    true = gap_estimates(rates).var(axis=0)
    assert_allclose(gap_variances(rates.covariance).mean(axis=0), true, rtol=0.08)
