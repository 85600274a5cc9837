import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.estimates import SMALL_CELL
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.inference.gaps import (
    gap_cells,
)
from fairpairs.mathematics.power.expected_gaps import (
    few_are_expected,
    gaps_and_covariance,
    rates_of_drawn_pairs,
)
from fairpairs.mathematics.power.items import items_from_rates
from tests.mathematics.power.simulated import FAIR, UNFAIR, simulated_rates

# Gaps and their covariance on shared items, against simulation


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


def test_drawn_pairs_are_worth_what_given_pairs_are():
    """Of 6,000 pairs of 300 items; what a draw adds is known but for chance."""
    rng = np.random.default_rng(3)
    group = (rng.random(300) < 0.3).astype(int)
    y = (rng.random(300) < np.where(group, 0.4, 0.6)).astype(float)
    s = np.round(y + rng.normal(size=300), 1)
    one, two = rng.integers(300, size=(2, 6000))
    one, two = one[y[one] != y[two]], two[y[one] != y[two]]
    winner, loser = np.where(y[one] > y[two], (one, two), (two, one))
    given = given_pairs(winner, loser, (s[winner] > s[loser]).astype(float), group, 2)
    right = given.concordant.ravel()
    drawn = rates_of_drawn_pairs(all_pairs(y, s, group, 2), given.comparable.ravel(), right)
    assert_allclose(drawn.tpr, given.tpr)
    assert_allclose(drawn.class_sizes, given.class_sizes, rtol=0.01)
    assert_allclose(drawn.items, given.items, rtol=0.08)
    for name in ("pooled", "counted_twice"):
        found, expected = (np.diagonal(getattr(x, name)) for x in (drawn, given))
        assert_allclose(found, expected, rtol=0.2)
