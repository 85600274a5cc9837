"""Means compared by their moments alone: as by the values, where these are not too skewed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.fairness.differential_parity import (
    compare_means,
    differential_parity_test,
)
from fairpairs.mathematics.inference.contrasts.means import WelchContrast


def two_groups(seed, sizes):
    rng = np.random.default_rng(seed)
    member = np.repeat([0, 1], sizes)
    values = rng.normal(member * 0.2, 1 + member)
    return values, member


@pytest.mark.parametrize("sizes", [(40, 60), (3000, 500)])
def test_moments_give_the_test_of_the_values(sizes):
    values, member = two_groups(0, sizes)
    moments = Moments.of(values, member, 2)
    scale = np.abs(values).max()
    found = compare_means(moments, alpha=0.1, scale=scale)
    expected = differential_parity_test(
        values, np.zeros(len(values)), sensitive_features=member, alpha=0.1
    )
    if found is None:  # where these are shuffled
        assert "shuffles" in expected.difference.reason[0]
        return
    for field in ("estimate", "ci_low", "ci_high", "statistic", "pvalue", "effect_size", "n"):
        assert_allclose(
            getattr(found.difference, field), getattr(expected.difference, field), rtol=1e-10
        )
    (mine,), (its,) = found.contrasts, expected.contrasts
    assert_allclose(mine.limits(0.1), its.limits(0.1), rtol=1e-9)
    for null in (-0.3, 0.1, 0.4):
        assert_allclose(mine.pvalue_above(null), its.pvalue_above(null), rtol=1e-9)
        assert_allclose(mine.pvalue_below(null), its.pvalue_below(null), rtol=1e-9)


def test_skewed_means_take_halls_transformation_but_no_shuffles():
    rng = np.random.default_rng(1)
    member = np.repeat([0, 1], [4000, 900])
    values = rng.exponential(1, len(member))
    mine = WelchContrast(Moments.of(values, member, 2))
    its = WelchContrast.of(values, member)
    assert 0.04 < mine.skewness < 0.1
    for part, other in zip(mine._tests, its._tests[:2], strict=True):
        assert_allclose(part.limits(0.05), other.limits(0.05), rtol=1e-9)
    low, high = its.limits(0.05)
    assert low - 1e-12 <= mine.limits(0.05)[0] < mine.limits(0.05)[1] <= high + 1e-12


def test_very_skewed_means_need_the_values():
    rng = np.random.default_rng(2)
    member = np.repeat([0, 1], [4000, 30])
    moments = Moments.of(rng.exponential(1, len(member)), member, 2)
    assert compare_means(moments, alpha=0.05) is None


def test_constant_and_single_values_have_no_test():
    constant = compare_means(Moments.of(np.ones(6), np.repeat([0, 1], 3), 2), alpha=0.05)
    assert constant.contrasts == (None,)
    assert constant.difference.pvalue[0] == 1
    one = compare_means(Moments.of(np.arange(4.0), np.array([0, 0, 0, 1]), 2), alpha=0.05)
    assert np.isnan(one.difference.pvalue[0])
