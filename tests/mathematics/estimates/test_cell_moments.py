"""Moments of values in cells are those of scipy."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import moment, skew

from fairpairs.mathematics.estimates.cell_moments import Moments

VALUES = np.random.default_rng(0).lognormal(3, 1, 500) + 1e4
CELL = np.random.default_rng(1).integers(0, 3, 500)


def assert_moments(found, values, cell, k):
    for place in range(k):
        own = values[cell == place]
        assert found.n[place] == len(own)
        assert_allclose(found.mean[place], own.mean(), rtol=1e-14)
        assert_allclose(found.second[place], moment(own, 2) * len(own), rtol=1e-10)
        assert_allclose(found.third[place], moment(own, 3) * len(own), rtol=1e-8)
        assert_allclose(found.variance[place], own.var(ddof=1), rtol=1e-10)
        assert_allclose(found.skewness[place], skew(own), rtol=1e-8)


def test_moments_are_those_of_the_values_of_each_cell():
    assert_moments(Moments.of(VALUES, CELL, 3), VALUES, CELL, 3)


def test_a_count_repeats_a_value():
    count = np.arange(500) % 4
    counted = Moments.of(VALUES, CELL, 3, count)
    assert_moments(counted, np.repeat(VALUES, count), np.repeat(CELL, count), 3)


def test_cells_without_values():
    one = Moments.of(np.array([4.0]), np.array([1]), 2)
    assert_array_equal(one.mean, [0, 4])
    assert_array_equal(one.skewness, 0)
    assert np.isnan(one.variance).all()
