"""Gaps of two groups and the joint test, against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.stats import norm, t as student
from statsmodels.stats.proportion import (
    proportion_confint,
    test_proportions_2indep as proportions_test,
)

from fairpairs import comparative_separation_test
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.rates import PairCounts
from fairpairs.mathematics.inference.gaps import (
    HYPOTHESES,
    comparative_separation_from_counts,
    comparative_separation_from_rates,
    gap_cells,
)
from tests.mathematics.synthetic import CONTRASTS, labelled_by_group


def test_tables_are_tested_at_once_as_one_by_one():
    rng = np.random.default_rng(0)
    usable = rng.integers(20, 60, size=(5, 2, 2))
    right = rng.integers(1, usable)
    together = comparative_separation_from_counts(PairCounts(right, usable))
    assert together.statistic.shape == (5, len(HYPOTHESES))
    for i in range(5):
        for j, (first, second) in enumerate(CONTRASTS):
            expected = proportions_test(
                right[i][first], usable[i][first], right[i][second], usable[i][second],
                method="wald", compare="diff",
            )  # fmt: skip
            assert_allclose(together.statistic[i, j], expected.statistic, rtol=1e-10)


def limits_by_statsmodels(rates, trials, quantile):
    """Newcombe's limits of the first rate less the second, Wilson's by statsmodels."""
    limits = [
        proportion_confint(rate * n, n, alpha=2 * norm.sf(quantile), method="wilson")
        for rate, n in zip(rates, trials, strict=True)
    ]
    (low_1, high_1), (low_2, high_2) = limits
    gap = rates[0] - rates[1]
    return (
        gap - np.hypot(rates[0] - low_1, high_2 - rates[1]),
        gap + np.hypot(high_1 - rates[0], rates[1] - low_2),
    )


@pytest.mark.parametrize("shift", [0.0, 0.4, 2.0, -2.0])
def test_gaps_are_tested_by_mover_and_once_one_is_found_by_student_s_t_too(shift):
    y, s, group = labelled_by_group(5, 150, shift=shift)
    result = comparative_separation_test(y, s, sensitive_features=group, correction="none")
    rates = all_pairs(y, s, group, 2)
    published, _ = comparative_separation_from_rates(rates)
    theta = rates.tpr.ravel()
    common = rates.concordant.sum() / rates.comparable.sum()
    own = theta * (1 - theta) / np.diag(rates.covariance)
    pooled = common * (1 - common) / np.diag(rates.pooled)
    trials = np.minimum(own, 2 / (1 / own + 1 / pooled))
    cells = list(zip(*gap_cells(2), strict=True))
    gaps, statistics, errors, dfs = [], [], [], []
    for i, j in cells:
        gap = theta[i] - theta[j]
        side = 0 if gap > 0 else 1

        def limit(z, pair=(i, j), side=side):
            return limits_by_statsmodels(theta[list(pair)], trials[list(pair)], z)[side]

        gaps.append(gap)
        statistics.append(np.sign(gap) * brentq(limit, 1e-9, 30, xtol=1e-13))
        row = np.eye(4)[i] - np.eye(4)[j]
        parts = np.einsum("i,cij,j->c", row, rates.components, row)
        errors.append(np.sqrt(parts.sum()))
        dfs.append(parts.sum() ** 2 / (parts**2 / (rates.class_sizes - 1)).sum())
    pvalues = 2 * norm.sf(np.abs(statistics))
    assert (pvalues.min() < 0.05) is np.bool_(shift != 0)
    for number, (i, j) in enumerate(cells):
        t = gaps[number] / errors[number]
        by_t = 2 * student.sf(abs(t), dfs[number])
        also = pvalues[number] > pvalues.min() and pvalues.min() < 0.05
        by_wald = also and by_t > pvalues[number]
        expected = (t, by_t) if by_wald else (statistics[number], pvalues[number])
        assert_allclose(result.statistic[number], expected[0], rtol=1e-8)
        assert_allclose(result.pvalues[number], expected[1], rtol=1e-8)
        low, high = limits_by_statsmodels(theta[[i, j]], trials[[i, j]], norm.ppf(0.975))
        quantile = student.ppf(0.975, dfs[number])
        if also:
            low = min(low, gaps[number] - quantile * errors[number])
            high = max(high, gaps[number] + quantile * errors[number])
        fewest = np.minimum(own, pooled)[[i, j]]
        far = limits_by_statsmodels(theta[[i, j]], fewest, quantile)
        if gaps[number] > 0:
            high = max(high, far[1])
        else:
            low = min(low, far[0])
        assert_allclose(published.ci_low[number], low, rtol=1e-7)
        assert_allclose(published.ci_high[number], high, rtol=1e-7)
    assert (result.difference.smallest_cell == rates.class_sizes.min()).all()


@pytest.mark.parametrize("pairs", ["all", 500])
@pytest.mark.parametrize("labels", ["binary", "few"])
def test_the_gaps_of_two_groups_do_not_depend_on_a_third(labels, pairs):
    y, s, group = labelled_by_group(21, 150, 3, labels)
    options = {"balance_labels": False, "correction": "none"}
    if pairs != "all":
        pairs = np.random.default_rng(0).integers(150, size=(pairs, 2))
    whole = comparative_separation_test(y, s, sensitive_features=group, pairs=pairs, **options)
    frame = whole.to_frame().set_index("hypothesis")
    for a, b in ((0, 1), (0, 2), (1, 2)):
        kept = group != 3 - a - b
        own = pairs
        if not isinstance(pairs, str):
            place = np.cumsum(kept) - 1
            own = place[pairs[kept[pairs].all(axis=1)]]
        alone = comparative_separation_test(
            y[kept], s[kept], sensitive_features=group[kept], pairs=own, **options
        ).to_frame()
        expected = alone.set_index("hypothesis")
        for column in ("estimate", "ci_low", "ci_high", "statistic", "pvalue", "smallest_cell"):
            assert_allclose(frame.loc[expected.index, column], expected[column], rtol=1e-9)


@pytest.mark.parametrize("pairs", ["all", 3000])
def test_an_interval_leaves_out_0_when_its_gap_is_found(pairs):
    for seed in range(6):
        y, s, group = labelled_by_group(seed, 120, 3, shift=0.6 * (seed % 3))
        result = comparative_separation_test(
            y, s, sensitive_features=group, pairs=pairs, random_state=seed, correction="none"
        )
        outside = (result.difference.ci_low > 0) | (result.difference.ci_high < 0)
        assert_array_equal(outside, result.pvalues < 0.05)


def test_few_items_that_are_ranked_wrong_are_noted():
    """Scores of a small group that are spread three times as widely; all TPR(a, b) are 0.98."""
    rng, group = np.random.default_rng(0), np.repeat([0, 1], [800, 100])
    label = np.concatenate([np.repeat([1, 0], 400), np.repeat([1, 0], 50)])
    score = np.where(group, 3, 1) * (1.5 * (2 * label - 1) + rng.normal(size=900))
    frame = comparative_separation_test(label, score, sensitive_features=group).to_frame()
    assert set(frame["note"]) == {"5 or fewer items of a cell ranked wrong"}
