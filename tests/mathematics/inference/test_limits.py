"""Limits of rates, of their differences and of their ratios."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri
from scipy.stats import binom, norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from fairpairs import comparative_separation_test, xauc
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.inference import rates as of_rates
from fairpairs.mathematics.inference.gap_variances import binary_trials


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
    limits = of_rates.rate_limits(rates.tpr, binary_trials(rates), alpha=0.05)
    low, high = (x[..., 0, 0] for x in limits)
    least = 1.0
    for tpr in TPR:
        for tnr in TNR:
            chance = binom.pmf(hits, positives, tpr) * binom.pmf(right, negatives, tnr)
            covers = (low - 1e-12 <= tpr * tnr) & (tpr * tnr <= high + 1e-12)
            least = min(least, chance[covers].sum())
    assert least > coverage


COUNTS = [(3, 10, 40, 50), (0, 12, 5, 30), (20, 20, 700, 1000), (7, 30, 7, 30), (0, 9, 8, 8)]


@pytest.mark.parametrize(("k1", "n1", "k2", "n2"), COUNTS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_limits_are_those_of_newcombe(k1, n1, k2, n2, alpha):
    z = norm.ppf(1 - alpha / 2)
    expected = proportion_confint(k1, n1, alpha=alpha, method="wilson")
    assert_allclose(of_rates.wilson_limits(k1 / n1, n1, z), expected, atol=1e-12)
    expected = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", alpha=alpha)
    assert_allclose(of_rates.difference_limits(k1 / n1, k2 / n2, n1, n2, z), expected, atol=1e-12)


def test_at_the_statistic_a_limit_is_0():
    rng = np.random.default_rng(0)
    one, two = np.round(rng.random((2, 500)), 1)
    n_one, n_two = np.exp(rng.uniform(0, 14, (2, 500)))
    statistic = of_rates.difference_statistic(one, two, n_one, n_two)
    assert (np.sign(statistic) == np.sign(one - two)).all()
    low, high = of_rates.difference_limits(one, two, n_one, n_two, np.abs(statistic))
    assert_allclose(np.where(one > two, low, high), 0, atol=1e-10)
    assert_allclose(of_rates.difference_statistic(two, one, n_two, n_one), -statistic, rtol=1e-12)


def test_the_statistic_of_opposite_equal_and_missing_rates():
    one, two = np.array([1.0, 0.0, 0.4, np.nan]), np.array([0.0, 1.0, 0.4, 0.5])
    n = np.array([30.0, 30.0, 30.0, 30.0])
    statistic = of_rates.difference_statistic(one, two, n, 2 * n)
    low = 30 / (30 + statistic[0] ** 2), 60 / (60 + statistic[0] ** 2)  # Wilson's, of 1
    assert_allclose((1 - low[0]) ** 2 + (1 - low[1]) ** 2, 1, rtol=1e-9)
    assert_allclose(statistic[1], -of_rates.difference_statistic(two, one, n, 2 * n)[1])
    assert statistic[2] == 0
    assert np.isnan(statistic[3])


def bisected(first, second, n_first, n_second):
    """Halve the interval in which the quantile lies, for first > second."""
    inside, outside = np.zeros_like(first), np.full_like(first, 1e6)
    for _ in range(100):
        middle = (inside + outside) / 2
        positive = of_rates.difference_limits(first, second, n_first, n_second, middle)[0] > 0
        inside, outside = np.where(positive, middle, inside), np.where(positive, outside, middle)
    return outside


@pytest.mark.parametrize("power", [1, 8])
def test_the_statistic_is_that_of_halving(power):
    rng = np.random.default_rng(1)
    low, high = np.sort(rng.random((2, 2000)) ** power, axis=0)
    low, high = np.where(rng.random(2000) < 0.5, (low, high), (1 - high, 1 - low))
    low[:400], high[200:600] = 0, 1
    n_high, n_low = np.exp(rng.uniform(-3, 14, (2, 2000)))
    statistic = of_rates.difference_statistic(high, low, n_high, n_low)
    # a limit is rounded to the last digit of the rates, which the quantile multiplies
    expected = bisected(high, low, n_high, n_low)
    told = high - low > 1e-3
    assert told.sum() > 1000
    assert_allclose(statistic[told], expected[told], rtol=1e-8)


def test_without_trials_the_statistic_is_0():
    none = of_rates.difference_statistic(
        np.array([0.9, 1.0]), np.zeros(2), np.array([0.0, 5]), np.zeros(2)
    )
    assert_allclose(none, 0)


Z = -ndtri(0.025)


def test_the_limits_solve_the_equation_of_the_method():
    """Donner and Zou 2012: 0 is a limit of first − R second by MOVER."""
    for k, n, j, m in [(3, 20, 7, 25), (19, 20, 7, 9), (40, 400, 5, 50), (1, 30, 29, 30)]:
        first, second = k / n, j / m
        (low_1, high_1), (low_2, high_2) = (
            proportion_confint(a, b, method="wilson") for a, b in ((k, n), (j, m))
        )
        low, high = of_rates.ratio_limits(first, second, (n, m), Z)
        for limit, below, above in (
            (low, first - low_1, high_2 - second), (high, high_1 - first, second - low_2),
        ):  # fmt: skip
            assert_allclose((first - limit * second) ** 2, below**2 + (limit * above) ** 2)
        assert low < first / second < high


def test_the_interval_leaves_out_1_where_newcombes_leaves_out_0():
    rng = np.random.default_rng(0)
    n, m = rng.integers(5, 200, (2, 300))
    k, j = rng.integers(0, n + 1), rng.integers(1, m + 1)
    low, high = of_rates.ratio_limits(k / n, j / m, (n, m), Z)
    for i in range(300):
        of_difference = confint_proportions_2indep(k[i], n[i], j[i], m[i], method="newcomb")
        assert (low[i] > 1) == (of_difference[0] > 0)
        assert (high[i] < 1) == (of_difference[1] < 0)


def test_it_is_near_the_score_interval_where_counts_are_large():
    ours = of_rates.ratio_limits(0.3, 0.5, (4000, 3000), Z)
    theirs = confint_proportions_2indep(
        1200, 4000, 1500, 3000, compare="ratio", method="score", correction=False
    )
    assert_allclose(ours, theirs, rtol=2e-3)


def test_rates_of_0_have_an_honest_end():
    low, high = of_rates.ratio_limits(
        [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5], ([9, 9, 9, 0], 9), Z
    )
    assert low[0] == 0
    assert 0 < high[0] < 1.2
    assert high[0] < of_rates.ratio_limits(0.0, 0.5, (1, 9), Z)[1] < 3
    assert low[1] > 0.5
    assert np.isinf(high[1])
    assert np.isnan([low[2:], high[2:]]).all()


def test_swapping_the_groups_inverts_the_limits():
    low, high = of_rates.ratio_limits(0.3, 0.5, (20, 50), Z, correlation=0.3)
    turned = of_rates.ratio_limits(0.5, 0.3, (50, 20), Z, correlation=0.3)
    assert_allclose([1 / high, 1 / low], turned)
    alone = of_rates.ratio_limits(0.3, 0.5, (20, 50), Z)
    assert alone[0] < low < high < alone[1]


@pytest.mark.parametrize(
    ("n", "m", "rate", "ratio", "least"),
    [(10, 10, 0.3, 0.5, 0.945), (15, 200, 0.02, 0.8, 0.93), (30, 1000, 0.3, 1.25, 0.94),
     (100, 100, 0.8, 0.8, 0.945), (1000, 30, 0.5, 1.25, 0.945),
     (10, 3000, 0.1, 0.5, 0.914)],
)  # fmt: skip
def test_the_interval_covers_the_ratio_over_all_counts(n, m, rate, ratio, least):
    k, j = np.arange(n + 1)[:, None], np.arange(m + 1)[None]
    chance = binom.pmf(k, n, rate * ratio) * binom.pmf(j, m, rate)
    low, high = of_rates.ratio_limits(k / n, j / m, (n, m), Z)
    misses = (low > ratio) | (high < ratio)  # not where both are 0
    assert 1 - (chance * misses).sum() >= least


def test_ratios_to_the_highest_rate_of_two_groups_are_those_of_both():
    rates, n = np.array([0.3, 0.5, np.nan]), np.array([100.0, 80.0, 0.0])
    ratio, low, high = of_rates.ratios_to_highest(np.nan_to_num(rates), n, alpha=0.05)
    assert ratio[:2].tolist() == [0.6, 1]
    assert [low[0], high[0]] == pytest.approx(
        [float(x) for x in of_rates.ratio_limits(0.3, 0.5, (100, 80), Z)]
    )
    assert np.isnan([ratio[2], low[2], high[2]]).all()
    assert high[1] == 1
    assert np.isnan(of_rates.ratios_to_highest(np.zeros(2), n[:2], alpha=0.05)[0]).all()
