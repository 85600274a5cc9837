"""Gaps of comparative separation: variances, limits, the joint test."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import brentq
from scipy.stats import chi2, f, norm, t as student
from statsmodels.stats.proportion import (
    proportion_confint,
    test_proportions_2indep as proportions_test,
)

from fairpairs import comparative_separation_test
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs
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
    assert set(frame["note"]) == {"5 or fewer rows of a cell ranked wrong"}


def test_few_shared_items_have_no_less_than_the_variance_of_independent_pairs():
    # weighted pairs have no pooled variance; the reference is the formula, written out
    y, s, group = labelled_by_group(6, 200, 2, "few")
    pairs = np.random.default_rng(1).integers(200, size=(150, 2))
    result = comparative_separation_test(
        y, s, sensitive_features=group, pairs=pairs, correction="none"
    )
    weights = balancing_weights(group, label_strata(y), 2)
    kept = pairs[y[pairs[:, 0]] != y[pairs[:, 1]]]
    higher = y[kept[:, 0]] > y[kept[:, 1]]
    winner, loser = np.where(higher, kept.T, kept.T[::-1])
    rates = given_pairs(
        winner,
        loser,
        (s[winner] > s[loser]).astype(float),
        group,
        2,
        weights=weights[winner] * weights[loser],
    )
    theta, m = rates.tpr.ravel(), rates.effective.ravel()
    for number, (i, j) in enumerate(zip(*gap_cells(2), strict=True)):
        row = np.eye(4)[i] - np.eye(4)[j]
        raw = row @ rates.covariance @ row
        apart = theta[i] * (1 - theta[i]) / m[i] + theta[j] * (1 - theta[j]) / m[j]
        mean = (theta[i] * m[i] + theta[j] * m[j]) / (m[i] + m[j])
        alike = mean * (1 - mean) * (1 / m[i] + 1 / m[j])
        variance = max(raw, apart) * max(1, alike / apart)
        parts = np.einsum("i,cij,j->c", row, rates.components, row)
        df = parts.sum() ** 2 / (parts**2 / np.maximum(rates.class_sizes - 1, 1)).sum()
        df = min(df, min(m[i], m[j]) - 1)  # a cell of few pairs says little of its own variance
        statistic = (theta[i] - theta[j]) / np.sqrt(variance)
        assert_allclose(result.statistic[number], statistic, rtol=1e-9)
        assert_allclose(result.pvalues[number], 2 * student.sf(abs(statistic), df), rtol=1e-8)


@pytest.mark.parametrize("labels", ["binary", "real"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_joint_test_is_a_wald_test_of_the_main_effects(labels, k):
    y, s, group = labelled_by_group(7, 150, k, labels)
    result = comparative_separation_test(y, s, sensitive_features=group)
    strata = None if labels == "binary" else label_strata(y)
    weights = None if strata is None else balancing_weights(group, strata, k)
    level = y if strata is None else strata.astype(float)
    rates = all_pairs(level, s, group, k, weights=weights, strata=strata)
    effects = []
    for axis in (0, 1):  # the winner's group, then the loser's
        for g in range(1, k):
            effect = np.zeros((k, k))
            np.moveaxis(effect, axis, 0)[g] = 1 / k
            np.moveaxis(effect, axis, 0)[0] = -1 / k
            effects.append(effect.ravel())
    main = np.array(effects) @ rates.tpr.ravel()
    covariance = rates.covariance
    if rates.pooled is not None:
        theta, common = rates.tpr.ravel(), rates.concordant.sum() / rates.comparable.sum()
        own = theta * (1 - theta) / np.diag(rates.covariance)
        pooled = common * (1 - common) / np.diag(rates.pooled)
        trials = np.minimum(own, 2 / (1 / own + 1 / pooled))
        assert (trials < pooled).any()
        covariance = np.diag(np.sqrt(pooled / trials))
        covariance = covariance @ rates.pooled @ covariance
    wald = main @ np.linalg.inv(effects @ covariance @ np.transpose(effects)) @ main
    assert result.joint.df == len(effects) == 2 * (k - 1)
    assert_allclose(result.joint.statistic, wald, rtol=1e-7)
    if rates.pooled is not None:
        expected = chi2.sf(wald, len(effects))
    else:
        parts = np.einsum("gi,cij,gj->cg", effects, rates.components, effects)
        df = parts.sum(axis=0) ** 2 / (parts**2 / (rates.class_sizes[:, None] - 1)).sum(axis=0)
        expected = f.sf(wald / len(effects), len(effects), df.min())
    assert_allclose(result.joint.pvalue, expected, rtol=1e-7)


def test_the_joint_test_of_few_given_pairs_is_as_wide_as_the_widest_effect():
    """Where the variance of an effect is more than the shared items say, all are scaled by it."""
    rng = np.random.default_rng(4)
    winner, loser = rng.permutation(400).reshape(2, 200)  # no item is shared
    hit = rng.integers(0, 2, 200).astype(float)
    group = np.arange(400) % 2
    rates = given_pairs(winner, loser, hit, group, 2, weights=rng.uniform(0.5, 1.5, 200))
    assert rates.pooled is None
    difference, joint = comparative_separation_from_rates(rates)
    theta, n = rates.tpr.ravel(), rates.effective.ravel()
    effects = np.array([[-1, -1, 1, 1], [-1, 1, -1, 1]]) / 2
    raw = effects @ rates.covariance @ effects.T
    scales = []
    for row, own in zip(effects, np.diag(raw), strict=True):
        apart = sum(c * c * p * (1 - p) / m for c, p, m in zip(row, theta, n, strict=True))
        mean = (theta * n).sum() / n.sum()
        alike = sum(c * c * mean * (1 - mean) / m for c, m in zip(row, n, strict=True))
        scales.append(max(own, apart) * max(1, alike / apart) / own)
    assert max(scales) > 1.005
    main = effects @ theta
    wald = main @ np.linalg.solve(raw, main) / max(scales)
    assert_allclose(joint.statistic, wald, rtol=1e-9)
    assert np.isfinite(difference.pvalue).all()


def test_the_joint_test_of_few_weighted_pairs_is_no_smaller_than_bonferronis():
    rng = np.random.default_rng(0)
    raised = 0
    for _ in range(30):
        winner, loser = rng.permutation(80).reshape(2, 40)
        hit = rng.integers(0, 2, 40).astype(float)
        group = np.arange(80) % 2
        rates = given_pairs(winner, loser, hit, group, 2, weights=rng.uniform(0.2, 2, 40))
        difference, joint = comparative_separation_from_rates(rates)
        tested = difference.pvalue[np.isfinite(difference.pvalue)]
        bonferroni = min(len(tested) * tested.min(), 1)
        assert joint.pvalue >= bonferroni
        wald = chi2.sf(joint.statistic, joint.df)
        raised += 1 > bonferroni > wald and bool(np.isclose(joint.pvalue, bonferroni))
    assert raised > 0
