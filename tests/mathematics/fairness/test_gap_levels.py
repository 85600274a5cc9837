"""How often gaps are found where there are none, and where there are, in simulations."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.inference.gaps import comparative_separation_from_rates
from fairpairs.mathematics.inference.results import adjusted
from tests import promises
from tests.mathematics.estimates.pairs.synthetic import (
    fair_counts,
    gap_estimates,
    gap_variances,
    multinomial_counts,
)


def normal_scores(r, sizes, means, rng):
    """Counts of normal scores: so many items of each label in each group, with these means."""
    k, labels = len(sizes), np.repeat(np.arange(2 * len(sizes)), np.repeat(sizes, 2))
    s = rng.normal(size=(r, len(labels))) + np.ravel(means)[labels]
    ordered = labels[np.argsort(s, axis=1)]
    return (ordered[:, None] == np.arange(2 * k)[:, None]).reshape(r, k, 2, -1).astype(float)


#: Sizes and means (label 0, label 1) of the groups, and the gaps that are zero; AUC 0.76, 0.92,
#: 0.983 and 0.998 are 1, 2, 3 and 4 standard deviations.
OF_SCORES = {
    "alike, AUC 0.76": ([500, 30], [(0, 1), (0, 1)], [0, 1]),
    "alike, AUC 0.92": ([500, 30], [(0, 2), (0, 2)], [0, 1]),
    "alike, AUC 0.983": ([500, 30], [(0, 3), (0, 3)], [0, 1]),
    "alike, AUC 0.998": ([500, 30], [(0, 4), (0, 4)], [0, 1]),
    "a third group at random": ([400, 30, 400], [(0, 3), (0, 3), (0, 0)], [0, 1]),
    "a third group worse": ([400, 30, 400], [(0, 4), (0, 4), (0, 2)], [0, 1]),
    "across holds, within does not": ([500, 30], [(0, 3), (1, 2)], [0]),
    "within holds, across does not": ([500, 30], [(0, 4), (1, 5)], [1]),
}


@pytest.mark.slow
def test_the_hypotheses_hold_their_level_on_all_pairs():
    # 10,000 data sets of 500 items: the Monte Carlo error is sqrt(0.05 · 0.95 / 10,000) = 0.0022
    rng = np.random.default_rng(6)
    error = np.sqrt(0.05 * 0.95 / 10_000)
    binary = np.array([[0.6, 0.4], [0.2, 0.8]])
    shares = np.array([[0.3, 0.2], [0.2, 0.3]])
    for counts in (
        fair_counts(10_000, 500, rng),
        multinomial_counts(10_000, 500, shares[..., None] * binary, rng),
    ):
        difference, joint = comparative_separation_from_rates(all_pairs_from_counts(counts))
        for level in (difference.pvalue[:, 0], difference.pvalue[:, 1], joint.pvalue):
            assert_allclose((level < 0.05).mean(), 0.05, atol=3.5 * error)
        family = difference.pvalue.min(axis=1) < 0.05 / 2  # Holm's first step
        assert family.mean() <= 0.05 + 3 * error


@pytest.mark.slow
@pytest.mark.parametrize("design", promises.some(OF_SCORES, 3, 5, 6))
def test_true_gaps_of_well_separated_scores_hold_their_level(design):
    # 2,000 data sets: the Monte Carlo error is 0.005; 3.5 of them, so false alarm in 1 of 4,000
    sizes, means, true = OF_SCORES[design]
    rng = np.random.default_rng(8)
    errors = covered = joint_errors = 0.0
    for _ in range(10):
        rates = all_pairs_from_counts(normal_scores(200, sizes, means, rng))
        difference, joint = comparative_separation_from_rates(rates)
        errors += (adjusted(difference.pvalue, "holm")[:, true] < 0.05).any(axis=1).mean() / 10
        inside = (difference.ci_low <= 0) & (difference.ci_high >= 0)
        covered += inside[:, true].mean() / 10
        joint_errors += (joint.pvalue < 0.05).mean() / 10
    assert errors < 0.05 + 3.5 * 0.005
    assert covered > 0.95 - 3.5 * 0.005
    if len(set(means)) == 1:  # separation holds
        assert joint_errors < 0.05 + 3.5 * 0.005


@pytest.mark.slow
def test_the_own_variance_alone_finds_differences_that_are_not_there():
    # 1,000 data sets: the Monte Carlo error is 0.016; 3.5 of them
    rng = np.random.default_rng(10)
    found = 0.0
    for _ in range(5):
        counts = normal_scores(200, *OF_SCORES["alike, AUC 0.998"][:2], rng)
        rates = replace(all_pairs_from_counts(counts), pooled=None)
        pvalues = comparative_separation_from_rates(rates)[0].pvalue
        found += (adjusted(pvalues, "holm") < 0.05).any(axis=1).mean() / 5
    assert found > 0.4 - 3.5 * 0.016


@pytest.mark.slow
@pytest.mark.parametrize(
    "means", [[(0, 3), (0, 1.8)], [(0, 1.8), (0, 3)]], ids=["small group worse", "better"]
)
def test_gaps_of_a_small_group_are_found_and_their_intervals_cover(means):
    # 1,000 data sets: the Monte Carlo errors are at most 0.013 and 0.008; 3.5 of them
    rng = np.random.default_rng(9)
    (_, one), (_, two) = means
    true = norm.cdf(np.array([two, two]) / np.sqrt(2)) - norm.cdf(np.array([one] * 2) / np.sqrt(2))
    found = covered = 0.0
    for _ in range(5):
        rates = all_pairs_from_counts(normal_scores(200, [500, 30], means, rng))
        difference, _ = comparative_separation_from_rates(rates)
        found += (difference.pvalue.min(axis=1) < 0.025).mean() / 5
        covered += ((difference.ci_low <= true) & (difference.ci_high >= true)).mean() / 5
    assert found > 0.85
    assert covered > 0.93 - 3.5 * 0.008


@pytest.mark.slow
def test_repeated_judgments_that_contradict_each_other_hold_the_level():
    # 2,000 data sets of 150 items, 300 pairs, each judged three times by judges who err; the Monte
    # Carlo error of a level is 0.0049, that of a variance 3.2 %
    rng = np.random.default_rng(7)
    r, n, m = 2000, 150, 300
    group = rng.integers(2, size=(r, n))
    value = rng.normal(size=(r, n))
    s = value + 0.7 * rng.normal(size=(r, n))
    left, right = (np.tile(x, 3) for x in rng.integers(n, size=(2, r, m)))
    row = np.arange(r)[:, None]
    higher = value[row, left] - value[row, right] + 1.5 * rng.normal(size=left.shape) > 0
    winner, loser = np.where(higher, left, right), np.where(higher, right, left)
    rates = given_pairs(winner, loser, (s[row, winner] > s[row, loser]).astype(float), group, 2)
    true = gap_estimates(rates).var(axis=0)
    assert_allclose(gap_variances(rates.pooled).mean(axis=0), true, rtol=0.12)
    difference, joint = comparative_separation_from_rates(rates)
    for pvalue in (difference.pvalue[:, 0], difference.pvalue[:, 1], joint.pvalue):
        assert_allclose((pvalue < 0.05).mean(), 0.05, atol=0.005 + 3.5 * 0.0049)
