"""P-values of the difference of two runs, against SciPy and by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from fairpairs.papers.run import chance


def test_means_are_compared_by_welch():
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1, 10), rng.normal(1, 3, 20)
    errors = (float(stats.sem(first)), float(stats.sem(second)))
    p = chance.pvalue_of_means(first.mean() - second.mean(), errors, (10, 20))
    assert p == pytest.approx(stats.ttest_ind(first, second, equal_var=False).pvalue, rel=1e-9)


def test_means_of_unknown_numbers_of_runs_are_normal():
    p = chance.pvalue_of_means(5.0, (3.0, 4.0), (math.inf, math.inf))
    assert p == pytest.approx(2 * stats.norm.sf(1), rel=1e-6)


@pytest.mark.parametrize(("runs", "p"), [((3, 3), 0.1), ((1, 1), 1.0), ((2, 4), 2 / 15)])
def test_repeats_that_are_all_the_same_are_permuted(runs, p):
    assert chance.pvalue_of_constants(runs) == pytest.approx(p)


def test_a_run_without_spread_leaves_the_degrees_of_the_other():
    p = chance.pvalue_of_means(0.02, (0.0, 0.01), (10, 10))
    assert p == pytest.approx(2 * stats.t.sf(2, 9), rel=1e-9)


@pytest.mark.parametrize("errors", [(0.0, 0.0), (math.nan, 0.1), (math.nan, math.nan)])
def test_means_without_an_error_are_not_tested(errors):
    assert chance.pvalue_of_means(0.1, errors, (10, 10)) is None


def test_shares_are_compared_by_fisher():
    # six digits are committed of 2 / 30
    p = chance.pvalue_of_shares((0.0666667, 0.5), (30, 10))
    assert p == pytest.approx(stats.fisher_exact([[2, 28], [5, 5]]).pvalue)


@pytest.mark.parametrize("shares", [(0.25, 0.5), (1.5, 0.5), (-0.1, 0.5), (0.1, 0.0975)])
def test_what_is_no_share_of_the_runs_is_not_tested(shares):
    assert chance.pvalue_of_shares(shares, (10, 10)) is None
    assert chance.pvalue_of_shares((0.5, 0.5), (10, math.inf)) is None


def test_deviations_of_normal_numbers_are_compared_by_f():
    p = chance.pvalue_of_deviations((1.0, 1.5), (10, 20), 3.0)
    assert p == pytest.approx(2 * stats.f.cdf(1 / 1.5**2, 9, 19))
    assert chance.pvalue_of_deviations((1.0, 1.0), (10, 10), 3.0) == pytest.approx(1)


@pytest.mark.parametrize(
    ("deviations", "runs"), [((0.0, 1.0), (9, 9)), ((1.0, 1.0), (9, math.inf)), ((1, 1), (1, 9))]
)
def test_deviations_that_tell_nothing_are_not_tested(deviations, runs):
    assert chance.pvalue_of_deviations(deviations, runs, 9.0) is None


def test_heavy_tails_keep_the_level():
    rng = np.random.default_rng(2)
    drawn = rng.exponential(size=(4000, 2, 50)).std(axis=-1, ddof=1)  # of kurtosis 9
    p = np.array([chance.pvalue_of_deviations((a, b), (50, 50), 9.0) for a, b in drawn])
    assert (p < 0.01).mean() < 0.015
    normal = np.array([chance.pvalue_of_deviations((a, b), (50, 50), 3.0) for a, b in drawn])
    assert (normal < 0.01).mean() > 0.1  # what the kurtosis is for


@pytest.mark.parametrize(
    ("share", "error", "runs", "binomial"),
    [
        (0.5, 0.05, 100, True),
        (0.0, 0.0, 100, True),
        (1.0, 0.0, 100, True),
        (0.5, 0.04, 100, False),
        (0.5, 0.0, 100, False),
        (1.5, 0.0, 100, False),
        (0.5, 0.05, math.inf, False),
        (0.5, 0.05, math.nan, False),
    ],
)
def test_the_error_of_a_share_is_recognised(share, error, runs, binomial):
    assert chance.is_binomial(share, error, runs) is binomial
