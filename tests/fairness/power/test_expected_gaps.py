import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.fairness.gaps import (
    gap_cells,
)
from fairpairs.fairness.pairs.binary import all_pairs_from_counts
from fairpairs.fairness.pairs.drawn import PairCounts, cell_probabilities
from fairpairs.fairness.power.cells import items_from_rates
from fairpairs.fairness.power.expected_gaps import gaps_and_covariance

# Gaps and their covariance on shared items, against simulation

FAIR = {"share": 0.4, "prevalence": (0.4, 0.6), "tpr": 0.8, "fpr": 0.3}
UNFAIR = {"share": 0.3, "prevalence": (0.3, 0.5), "tpr": (0.85, 0.7), "fpr": (0.2, 0.3)}


def simulated_rates(items, n_items, n_pairs, r, seed):
    """Rates of data sets of items, on all pairs or on pairs drawn from them with replacement.

    Given the items, the pairs of a draw fall into the cells as one multinomial draw.
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_items, items.ravel(), size=r).reshape(r, 2, 2, 2)
    if n_pairs is None:
        return all_pairs_from_counts(counts)
    right, wrong = (x.reshape(r, 4) for x in cell_probabilities(counts / n_items))
    rest = 1 - (right + wrong).sum(axis=1, keepdims=True)
    drawn = rng.multinomial(n_pairs, np.concatenate([right, wrong, rest], axis=1))
    right, usable = drawn[:, :4], drawn[:, :4] + drawn[:, 4:8]
    return PairCounts(right.reshape(r, 2, 2), usable.reshape(r, 2, 2))


@pytest.mark.parametrize("rates", [FAIR, UNFAIR], ids=["fair", "unfair"])
@pytest.mark.parametrize("n_items", [500, 2000])
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
