"""Fields of estimates, effect sizes and shrunken estimates."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from statsmodels.stats.proportion import proportion_effectsize

import fairpairs as fp
from fairpairs.mathematics.estimates.estimates import (
    UNVARYING,
    Estimates,
    cohens_h,
    equal_without_variance,
    magnitude,
)
from fairpairs.mathematics.estimates.subgroups import between_variance, shrunken
from fairpairs.mathematics.inference.rates import wald_difference

DIFFERENCE = wald_difference([[3, 4], [10, 0]], [10, 10], [[5, 6], [10, 10]], [10, 10])


def test_every_field_is_taken_at_the_index():
    for name, field in vars(DIFFERENCE).items():
        assert_array_equal(getattr(DIFFERENCE.take(1), name), field[1])
        assert getattr(DIFFERENCE.take(np.s_[:, None]), name).shape == (2, 1, 2)
        assert_array_equal(getattr(DIFFERENCE.reshape(-1), name), field.ravel())


def test_estimates_side_by_side():
    both = Estimates.stacked([DIFFERENCE.take(0), DIFFERENCE.take(1)])
    for name, field in vars(DIFFERENCE).items():
        assert_array_equal(getattr(both, name), field)


def test_a_single_estimate_is_an_array_too():
    one = wald_difference(3, 10, 5, 10)
    assert one.take(None).estimate.shape == (1,)


def test_equal_rates_without_variance():
    assert DIFFERENCE.reason[1].tolist() == [UNVARYING, f"{UNVARYING}: the pooled one stands in"]
    assert_array_equal(equal_without_variance(DIFFERENCE), [[False, False], [True, False]])


def test_cohens_h_of_the_reference():
    assert 0.4 < fp.cohens_h(0.5, 0.3) < 0.5


@given(st.floats(0, 1), st.floats(0, 1))
def test_cohens_h_is_that_of_statsmodels(p1, p2):
    assert_allclose(cohens_h(p1, p2), proportion_effectsize(p1, p2), rtol=1e-12, atol=1e-15)


def test_cohens_h_is_computed_for_arrays_at_once_and_nan_stays_nan():
    p1, p2 = np.array([[0.0, 0.5], [1.0, np.nan]]), np.array([1.0, 0.2])
    expected = [[-np.pi, proportion_effectsize(0.5, 0.2)], [0, np.nan]]
    assert_allclose(cohens_h(p1, p2), expected, rtol=1e-12, atol=1e-15)


def test_the_words_are_those_of_table_1():
    sizes = [0, 0.009, 0.01, -0.2, 0.49, 0.5, -0.8, 1.2, 2.0, 9, np.nan]
    assert list(magnitude(sizes, "d")) == [
        "none", "none", "very small", "small", "small", "medium", "large", "very large", "huge",
        "huge", "unknown",
    ]  # fmt: skip


def test_tau_solves_its_equation():
    rng = np.random.default_rng(0)
    variances = rng.uniform(0.001, 0.05, 200)
    estimates = rng.normal(0, np.sqrt(variances + 0.01))
    root = brentq(lambda t: (estimates**2 / (variances + t)).sum() - 200, 0, 1)
    assert between_variance(estimates, variances) == pytest.approx(root, rel=1e-6)
    assert root == pytest.approx(0.01, rel=0.4)


def test_what_varies_by_chance_alone_is_shrunken_to_0():
    estimates, variances = np.array([0.1, -0.1, 0.05]), np.full(3, 0.01)
    small, tau = shrunken(estimates, variances)
    assert tau == 0 and (small == 0).all()


def test_no_estimate_stays_none_and_no_variance_is_0():
    small, tau = shrunken(np.array([np.nan, 0.0, 0.4, -0.4]), np.array([np.nan, 0, 0.01, 0.01]))
    assert np.isnan(small[0]) and small[1] == 0 and 0.3 < small[2] < 0.4 and tau > 0.3
    small, tau = shrunken(np.array([np.nan]), np.array([np.nan]))
    assert np.isnan(small[0]) and tau == 0


def test_shrinking_halves_the_squared_error():
    rng = np.random.default_rng(1)
    true, variances = rng.normal(0, 0.05, 2000), rng.choice([0.0004, 0.01], 2000)
    estimates = true + rng.normal(0, np.sqrt(variances))
    small, tau = shrunken(estimates, variances)
    assert tau == pytest.approx(0.05, rel=0.1)
    assert ((small - true) ** 2).mean() < ((estimates - true) ** 2).mean() / 2
