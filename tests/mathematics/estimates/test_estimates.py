"""Estimates and their tests, by index, in other shapes, side by side."""

import numpy as np
from numpy.testing import assert_array_equal

from fairpairs.mathematics.estimates.estimates import UNVARYING, Estimates, equal_without_variance
from fairpairs.mathematics.inference.proportions import wald_difference

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
