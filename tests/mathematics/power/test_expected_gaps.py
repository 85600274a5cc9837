import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.inference.gaps import (
    gap_cells,
)
from fairpairs.mathematics.power.expected_gaps import few_are_expected, gaps_and_covariance
from fairpairs.mathematics.power.items import items_from_rates
from tests.mathematics.power.simulated import FAIR, UNFAIR, simulated_rates

# Gaps and their covariance on shared items, against simulation


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rates", "n_items"), [(FAIR, 500), (UNFAIR, 2000)], ids=["fair", "unfair"]
)
@pytest.mark.parametrize("ratio", [1, 8, None])
def test_gaps_and_covariance_are_those_of_a_simulation(rates, n_items, ratio):
    # 40,000 data sets: the Monte Carlo error of a variance is sqrt(2 / 40,000) = 0.7 %
    r = 40_000
    items = items_from_rates(**rates)
    n_pairs = None if ratio is None else ratio * n_items
    gaps, covariance = gaps_and_covariance(items, n_items, n_pairs)
    found = simulated_rates(items, n_items, n_pairs, r, 1)
    theta = (found.concordant / found.comparable).reshape(r, 4)
    first, second = gap_cells(2)
    estimates = theta[:, first] - theta[:, second]
    sd = np.sqrt(np.diagonal(covariance))
    assert_allclose(estimates.mean(axis=0), gaps, atol=4.5 * sd.max() / np.sqrt(r))
    true = np.cov(estimates.T)
    assert_allclose(np.diagonal(covariance), np.diagonal(true), rtol=0.05)
    assert_allclose(covariance[0, 1], true[0, 1], atol=0.05 * true.max())


def test_the_variance_falls_with_pairs_to_that_of_all_pairs():
    items = items_from_rates(**UNFAIR)
    every = np.diagonal(gaps_and_covariance(items, 1000)[1])
    by_pairs = [np.diagonal(gaps_and_covariance(items, 1000, m)[1]) for m in (500, 5000, 10**7)]
    assert (np.diff(by_pairs, axis=0) < 0).all()
    assert (by_pairs[-1] > every).all()
    assert_allclose(by_pairs[-1], every, rtol=0.005)


def test_few_are_expected_if_they_are_in_one_cell():
    items = items_from_rates(tpr=0.9, fpr=0.2, share=0.2)
    enough = SMALL_CELL / items.min()
    assert few_are_expected(items, enough - 1, None)
    assert not few_are_expected(items, enough + 1, None)
    assert few_are_expected(items, enough + 1, 500)
    assert not few_are_expected(items, enough + 1, 50_000)
