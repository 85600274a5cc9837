"""Variances, tests and intervals of differences of xAUC, against their definitions."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from fairpairs import xauc
from fairpairs.mathematics.estimates.pairs.rates import PairRates
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.gap_variances import ADDED
from fairpairs.mathematics.inference.ranking_differences import (
    difference_variances,
    differences_from_rates,
)
from tests.mathematics.synthetic import ranked_items, ranking_rates_of_sets


def placements(y, score, positive, negative, tie=0.5):
    """DeLong's placements of some positive items among some negative ones, and the reverse."""
    ahead, behind = score[(y == 1) & positive], score[(y == 0) & negative]
    right = (ahead[:, None] > behind) + tie * (ahead[:, None] == behind)
    return right.mean(axis=1), right.mean(axis=0)


class Pair:
    """Two rates that a hypothesis compares, by their definitions."""

    def __init__(self, y, score, group, first, second, tie):
        self.cells = first, second
        self.of = {None: group >= 0, **{g: group == g for g in np.unique(group)}}
        self.y, self.score, self.tie = y, score, tie
        self.placed = [
            placements(y, score, self.of[a], self.of[b], tie) for a, b in (first, second)
        ]
        self.rate = [placed[0].mean() for placed in self.placed]

    def covariance(self, i, j):
        total = 0.0
        for label in (0, 1):
            if self.cells[i][label] == self.cells[j][label]:
                one, two = self.placed[i][label], self.placed[j][label]
                total += np.cov(one, two)[0, 1] / len(one)
        return total

    def null_variance(self):
        sizes = [[len(part) for part in placed] for placed in self.placed]
        apart = [a != b for a, b in zip(*self.cells, strict=True)]
        weight = [1 / sum(np.array(apart) / n) for n in sizes]
        mean = np.average(self.rate, weights=weight)
        x, y = (np.sqrt(mean * (1 - mean) / (p * (1 - p))) for p in self.rate)
        own = x**2 * self.covariance(0, 0) + y**2 * self.covariance(1, 1)
        return own - 2 * x * y * self.covariance(0, 1)

    def pooled_variance(self):
        total = 0.0
        for label in (0, 1):
            groups = [cell[label] for cell in self.cells]
            if groups[0] == groups[1]:  # everyone
                continue
            among = {cell[1 - label] for cell in self.cells}
            items, others = (
                np.any([self.of[g] for g in chosen], axis=0) for chosen in (groups, among)
            )
            one, two = (items, others) if label == 0 else (others, items)
            pooled = placements(self.y, self.score, one, two, self.tie)[label]
            sizes = [len(placed[label]) for placed in self.placed]
            total += pooled.var(ddof=1) * (1 / sizes[0] + 1 / sizes[1])
        return total

    def trials(self, i):
        rate, inverse = self.rate[i], 0.0
        for part in self.placed[i]:
            n = len(part)
            added = max(ADDED[0], ADDED[1] * np.sqrt(n) * (2 * rate - 1) ** 2)
            binomial = rate * (1 - rate)
            inverse += (n * part.var(ddof=1) / binomial + added) / (n + added) / n
        return 1 / inverse

    def interval(self, i, alpha):
        trials = self.trials(i)
        return proportion_confint(self.rate[i] * trials, trials, alpha, method="wilson")

    def newcombe(self, alpha):
        (one, two), trials = self.rate, [self.trials(i) for i in (0, 1)]
        (low_1, high_1), (low_2, high_2) = (self.interval(i, alpha) for i in (0, 1))
        errors = [np.sqrt(p * (1 - p) / n) for p, n in zip(self.rate, trials, strict=True)]
        r = np.clip(self.covariance(0, 1) / np.prod(errors), -1, 1)

        def side(x, y):
            return np.sqrt(x**2 + y**2 - 2 * r * x * y)

        return one - two - side(one - low_1, high_2 - two), one - two + side(
            high_1 - one, two - low_2
        )


def compared(groups):
    """The two rates, each (positive, negative), of every hypothesis; None stands for everyone.

    The later group is first, as in the public test.
    """
    for b, a in combinations(groups, 2):
        yield from (((a, a), (b, b)), ((a, b), (b, a)), ((a, None), (b, None)))
        yield (None, a), (None, b)


@pytest.mark.parametrize(("ties", "tie"), [("half", 0.5), ("wrong", 0.0)])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", [50, 200])
def test_tests_and_intervals_are_those_of_the_definitions(n, k, ties, tie):
    y, score, group = ranked_items(k + n, n * k, k, levels=3)
    score = score + y * group / 2
    result = xauc(y, score, sensitive_features=group, ties=ties, alpha=0.1, correction="none")
    difference, rates = result.difference, result.rates().set_index(["positive", "negative"])
    published = differences_from_rates(
        ranking_rates(y, score, group, k, ties=ties), alpha=0.1
    ).turned()
    pairs = [Pair(y, score, group, *cells, tie) for cells in compared(range(k))]
    larger = 0
    for i, pair in enumerate(pairs):
        null, pooled = pair.null_variance(), pair.pooled_variance()
        larger += null > pooled
        estimate = pair.rate[0] - pair.rate[1]
        statistic = estimate / np.sqrt(max(null, pooled))
        assert_allclose(difference.estimate[i], estimate, atol=1e-14)
        assert_allclose(difference.statistic[i], statistic, rtol=1e-9)
        assert_allclose(difference.pvalue[i], 2 * norm.sf(abs(statistic)), rtol=1e-9)
        low, high = pair.newcombe(0.1)
        if difference.pvalue[i] >= 0.1:
            low, high = min(low, 0), max(high, 0)
        elif estimate > 0:
            low = max(low, 0)
        else:
            high = min(high, 0)
        assert_allclose((published.ci_low[i], published.ci_high[i]), (low, high), rtol=1e-9)
        for place, (a, b) in enumerate(pair.cells):
            row = rates.loc["all" if a is None else str(a), "all" if b is None else str(b)]
            ends = pair.interval(place, 0.1)
            assert_allclose((row["ci_low"], row["ci_high"]), ends, rtol=1e-9)
    assert 0 < larger < len(pairs)


@pytest.mark.parametrize("seed", range(3))
def test_standard_errors_are_delongs_with_what_two_rates_share(seed):
    y, score, group = ranked_items(seed, 240, levels=4)
    variance = difference_variances(ranking_rates(y, score, group, 2))
    pairs = [Pair(y, score, group, *cells, 0.5) for cells in compared((0, 1))]
    expected = [p.covariance(0, 0) + p.covariance(1, 1) - 2 * p.covariance(0, 1) for p in pairs]
    assert_allclose(variance, expected)


def test_many_tables_at_once_are_each_alone():
    each = [ranking_rates(*ranked_items(seed, 90), 2) for seed in range(5)]
    together = differences_from_rates(PairRates.stacked(each))
    for number, one in enumerate(each):
        alone = differences_from_rates(one)
        for name in vars(alone):
            np.testing.assert_array_equal(getattr(together, name)[number], getattr(alone, name))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_an_interval_leaves_out_0_only_where_the_test_rejects(alpha):
    rng = np.random.default_rng(1)
    y, group = rng.integers(2, size=(500, 40)), np.tile([0, 0, 1, 1], (500, 10))
    score = (2.5 - 2 * group) * y + rng.normal(size=y.shape)
    found = differences_from_rates(ranking_rates_of_sets(y, score, group, 2), alpha=alpha)
    rejected = found.pvalue < alpha
    outside = (found.ci_low > 0) | (found.ci_high < 0)
    ends = (found.ci_low == 0) | (found.ci_high == 0)
    tested = np.isfinite(found.pvalue)
    assert 0.01 < rejected[tested].mean() < 0.9
    assert (outside | ends)[rejected].all()
    assert not outside[tested & ~rejected].any()
    assert ((found.ci_low <= found.estimate) & (found.estimate <= found.ci_high))[tested].all()


@pytest.mark.parametrize("k", [2, 3])
def test_perfect_and_constant_scores_have_intervals_and_p_1(k):
    y, _, group = ranked_items(5, 80, k)
    for score, rate in ((y + 0.0, 1.0), (np.zeros(80), 0.5), (1.0 - y, 0.0)):
        result = xauc(y, score, sensitive_features=group)
        assert set(result.difference.reason) == {"no variance"}
        assert (result.pvalue, result.violated) == (1, False)
        assert (result.difference.ci_low < 0).all()
        assert (result.difference.ci_high > 0).all()
        rates = result.rates()
        assert_allclose(rates["estimate"], rate)
        assert (rates["ci_low"] <= rate).all()
        assert (rates["ci_high"] >= rate).all()
        assert (rates["ci_high"] - rates["ci_low"] > 0.02).all()


def test_a_perfect_group_is_tested_beside_one_that_is_not():
    y, score, group = ranked_items(7, 200)
    score = np.where(group == 1, y + 0.0, score)
    frame = xauc(y, score, sensitive_features=group).to_frame()
    assert frame["pvalue"].notna().all()
    assert frame["pvalue"][0] < 0.01
    assert frame["ci_low"][0] > 0
    perfect = xauc(y, score, sensitive_features=group).rates()
    perfect = perfect[(perfect["positive"] == "1") & (perfect["negative"] == "1")].iloc[0]
    sizes = perfect[["positives", "negatives"]].to_numpy(float)
    added = np.maximum(3, 1.5 * np.sqrt(sizes))
    trials = 1 / ((sizes / 2 + added) / (sizes + added) / sizes).sum()  # half the largest variance
    expected = proportion_confint(trials, trials, 0.05, method="wilson")
    assert_allclose((perfect["ci_low"], perfect["ci_high"]), expected)
