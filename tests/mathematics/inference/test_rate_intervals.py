"""Intervals of rates over all pairs of binary labels: definition and exact coverage."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from fairpairs import comparative_separation_test, xauc
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.inference.gap_variances import binary_trials
from fairpairs.mathematics.inference.mover import rate_limits


def expected_interval(positive, negative):
    """Wilson's interval of the share of pairs in which the positive item has the higher score."""
    right = (positive[:, None] > negative).astype(float)
    rate, inverse = right.mean(), 0.0
    for placed in (right.mean(axis=1), right.mean(axis=0)):
        n = len(placed)
        share = 0.5 if np.ptp(placed) < 1e-12 else n * placed.var(ddof=1) / n / (rate * (1 - rate))
        added = max(3, 1.5 * np.sqrt(n) * (2 * rate - 1) ** 2)
        inverse += (n * share + added) / (n + added) / n
    return proportion_confint(rate / inverse, 1 / inverse, 0.05, method="wilson")


@pytest.mark.parametrize("kind", ["scores", "predictions", "one group perfect", "perfect"])
def test_intervals_are_those_of_the_definition_in_both_tests(kind):
    rng = np.random.default_rng(3)
    y, group = rng.integers(2, size=120), np.repeat([0, 1], [90, 30])
    score = np.round(2 * y + rng.normal(size=120), 1)
    if kind == "predictions":
        score = (score > 0.5).astype(float)
    if "perfect" in kind:
        score = np.where((group == 1) | (kind == "perfect"), 4.0 * y, score)
    rates = comparative_separation_test(y, score, sensitive_features=group).rates()
    of_xauc = xauc(y, score, sensitive_features=group, ties="wrong").rates()
    of_xauc = of_xauc.set_index(["positive", "negative"])
    for row in rates.itertuples():
        a, b = int(row.winner), int(row.loser)
        expected = expected_interval(score[(y == 1) & (group == a)], score[(y == 0) & (group == b)])
        assert_allclose((row.ci_low, row.ci_high), expected, atol=1e-12)
        assert_allclose(
            of_xauc.loc[(row.winner, row.loser), ["ci_low", "ci_high"]].to_numpy(float),
            expected,
            atol=1e-12,
        )


TPR = (0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99, 0.995)
TNR = (0.02, 0.1, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)


@pytest.mark.parametrize(
    ("positives", "negatives", "coverage"),
    [(5, 1000, 0.85), (10, 10, 0.89), (10, 1000, 0.90), (500, 10, 0.90), (30, 30, 0.95),
     (30, 300, 0.93), (30, 1000, 0.90), (1000, 30, 0.93), (100, 100, 0.95), (100, 1000, 0.92)],
)  # fmt: skip
def test_intervals_of_predictions_cover_by_the_exact_distribution(positives, negatives, coverage):
    """Each pair of counts has a binomial probability, so there is no Monte Carlo error."""
    hits, right = np.arange(positives + 1)[:, None], np.arange(negatives + 1)
    cells = np.broadcast_arrays(right, negatives - right, positives - hits, hits)
    counts = np.stack(cells, axis=-1).reshape(*cells[0].shape, 1, 2, 2)
    rates = all_pairs_from_counts(counts)
    limits = rate_limits(rates.tpr, binary_trials(rates), alpha=0.05)
    low, high = (x[..., 0, 0] for x in limits)
    least = 1.0
    for tpr in TPR:
        for tnr in TNR:
            chance = binom.pmf(hits, positives, tpr) * binom.pmf(right, negatives, tnr)
            covers = (low - 1e-12 <= tpr * tnr) & (tpr * tnr <= high + 1e-12)
            least = min(least, chance[covers].sum())
    assert least > coverage
