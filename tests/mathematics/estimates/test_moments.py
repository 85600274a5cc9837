"""Moments: exact sums, and those of counted values in cells."""

import math
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import moment, skew

from fairpairs.mathematics.estimates.cell_moments import Moments as CellMoments
from fairpairs.mathematics.estimates.exact_moments import Moments, moments

TINY = 5e-324


def of(*values):
    """The sums of one group."""
    return moments(np.array(values, dtype=float), np.zeros(len(values), dtype=int), 1)[0]


def numbers(seed, n=400):
    """Numbers of all sizes and both signs, some of them 0."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) * 10.0 ** rng.integers(-150, 150, n)
    values[rng.random(n) < 0.1] = 0
    return values


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_those_of_fractions(seed):
    values, group = numbers(seed), np.random.default_rng(seed).integers(0, 5, 400)
    for k, sums in enumerate(moments(values, group, 5)):
        exact = [Fraction(x) for x in values[group == k].tolist()]
        n = len(exact)
        mean = sum(exact) / n
        variance = sum((x - mean) ** 2 for x in exact) / (n - 1)
        assert sums.count == n
        assert sums.mean == float(mean)
        assert sums.sd == math.sqrt(variance)
        assert sums.standard_error == math.sqrt(variance) / math.sqrt(n)


@pytest.mark.parametrize("seed", range(4))
def test_neither_order_nor_chunks_matter(seed):
    values, rng = numbers(seed), np.random.default_rng(seed)
    whole = of(*values)
    shuffled = rng.permutation(values)
    for cuts in ([], [1], [7, 8, 390], range(10, 400, 10)):
        parts = [of(*part) for part in np.split(shuffled, cuts)]
        rng.shuffle(parts)
        assert reduce(add, parts, Moments()) == whole


@pytest.mark.parametrize("values", [(TINY, TINY, -TINY), (1.7e308, -1.7e308, 0.1), (-0.0, 0.0)])
def test_the_smallest_and_largest_floats_are_summed(values):
    assert of(*values).mean == float(sum(map(Fraction, values)) / len(values))


def test_alike_numbers_have_no_spread():
    assert of(*[0.1] * 1000).sd == 0


def test_of_no_numbers_there_is_no_mean_and_of_one_no_spread():
    none, one = of(math.nan), of(3.0, math.nan)
    assert (none.count, one.count, one.mean) == (0, 1, 3)
    assert all(map(math.isnan, (none.mean, none.sd, none.standard_error, one.sd)))
    assert of() == Moments()


def test_a_group_without_numbers_is_empty():
    assert moments(np.array([1.0]), np.array([1]), 3)[::2] == [Moments(), Moments()]


def test_infinite_numbers_have_an_infinite_mean_and_no_spread():
    assert of(math.inf, 1.0).mean == math.inf
    assert math.isnan(of(math.inf, 1.0).sd)
    assert math.isnan((of(math.inf) + of(-math.inf)).mean)


def test_a_variance_beyond_floats_is_infinite():
    assert of(1e300, -1e300).sd == math.inf


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
    assert_moments(CellMoments.of(VALUES, CELL, 3), VALUES, CELL, 3)


def test_a_count_repeats_a_value():
    count = np.arange(500) % 4
    counted = CellMoments.of(VALUES, CELL, 3, count)
    assert_moments(counted, np.repeat(VALUES, count), np.repeat(CELL, count), 3)


def test_cells_without_values():
    one = CellMoments.of(np.array([4.0]), np.array([1]), 2)
    assert_array_equal(one.mean, [0, 4])
    assert_array_equal(one.skewness, 0)
    assert np.isnan(one.variance).all()
