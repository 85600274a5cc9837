"""Differential parity of groups and of a continuous attribute."""

from math import comb

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact, rankdata, t as student, ttest_ind, tukey_hsd
from statsmodels.stats.proportion import confint_proportions_2indep

import fairpairs as fp
from fairpairs.mathematics.estimates.cell_moments import Moments
from fairpairs.mathematics.fairness.differential_parity import compare_means
from fairpairs.mathematics.inference.contrasts.means import WelchContrast
from tests.mathematics.synthetic import decided


@pytest.mark.parametrize("seed", [0, 2, 3])  # the differences of seed 1 are skewed
def test_dpt_is_welchs_t_of_scipy(seed):
    one, two, group = decided(seed)
    result = fp.differential_parity_test(one, two, sensitive_features=group, alpha=0.1)
    difference = one - two
    expected = ttest_ind(difference[group == 1], difference[group == 0], equal_var=False)
    row = result.to_frame().iloc[0]
    assert_allclose(row["statistic"], expected.statistic)
    assert_allclose(row["dof"], expected.df)
    assert_allclose(row["pvalue"], expected.pvalue)
    assert_allclose(row["pvalue_one_sided"], expected.pvalue / 2)
    interval = expected.confidence_interval(0.9)
    assert_allclose([row["ci_low"], row["ci_high"]], [interval.low, interval.high])


def test_dpd_is_over_the_pooled_or_the_overall_standard_deviation():
    one, two, group = decided(1)
    difference = pd.Series(one - two)
    parts = [difference[group == g] for g in (1, 0)]
    gap = parts[0].mean() - parts[1].mean()
    within = sum((len(p) - 1) * p.var() for p in parts) / (len(one) - 2)
    for kind, spread in (("pooled", np.sqrt(within)), ("overall", difference.std())):
        result = fp.differential_parity_test(one, two, sensitive_features=group, effect_size=kind)
        assert_allclose(result.difference.effect_size, gap / spread)


@pytest.mark.slow
def test_more_groups_are_compared_as_by_games_and_howell(k=3):
    one, two, group = decided(k, 200, k)
    parts = [(one - two)[group == g] for g in range(k)]
    result = fp.differential_parity_test(one, two, sensitive_features=group)
    expected = tukey_hsd(*parts, equal_var=False)
    interval = expected.confidence_interval(0.95)
    for row, (a, b) in enumerate(zip(*np.triu_indices(k, 1), strict=True)):
        assert result.hypotheses[row] == f"Δ(A={b}) = Δ(A={a})"
        assert_allclose(result.pvalues[row], expected.pvalue[b, a], atol=1e-9)
        assert_allclose(result.difference.estimate[row], expected.statistic[b, a])
        assert_allclose(result.difference.ci_low[row], interval.low[b, a], atol=1e-6)
        assert_allclose(result.difference.ci_high[row], interval.high[b, a], atol=1e-6)


def test_the_permutation_test_is_of_dpt():
    one, two, group = decided(5, 60)
    result = fp.differential_parity_permutation_test(
        one, two, sensitive_features=group, n_permutations=199, random_state=1
    )
    welch = fp.differential_parity_test(one, two, sensitive_features=group)
    assert_allclose(result.statistic, welch.difference.statistic)
    again = fp.differential_parity_permutation_test(
        one, two, sensitive_features=group, n_permutations=199, random_state=1
    )
    assert again.pvalue == result.pvalue
    assert abs(result.pvalue - welch.pvalue) < 0.15


def test_constant_differences_have_no_spread():
    group = np.repeat([0, 1], 10)
    decisions = np.arange(20) / 7
    same = fp.differential_parity_test(decisions, decisions - 0.1, sensitive_features=group)
    row = same.to_frame().iloc[0]
    assert (row["statistic"], row["pvalue"], row["pvalue_one_sided"]) == (0, 1, 0.5)
    note = "constant differences; a cell below 30"
    assert (row["effect_size"], row["note"], row["magnitude"]) == (0, note, "none")
    assert same.violated is False
    apart = fp.differential_parity_test(decisions + group, decisions, sensitive_features=group)
    row = apart.to_frame().iloc[0]
    assert (row["statistic"], row["magnitude"], row["note"]) == (np.inf, "huge", note)
    assert row["pvalue"] == pytest.approx(2 / comb(20, 10))
    assert np.isnan(row["ci_low"])
    slope = fp.differential_parity_slope_test(
        decisions, decisions, sensitive_features=np.arange(20)
    ).to_frame()
    assert slope["pvalue"][0] == 1


def test_a_group_of_one_cannot_be_compared():
    result = fp.differential_parity_test([1, 2, 3], [2, 1, 1], sensitive_features=["a", "a", "b"])
    row = result.to_frame().iloc[0]
    assert np.isnan(row["pvalue"])
    assert row["note"] == "a group with fewer than two rows"
    assert result.violated is None


def test_bad_ratings_and_attributes_are_named():
    with pytest.raises(fp.InputError, match="ratings, column 0 must hold numbers"):
        fp.differential_parity_of_raters([["a", "b"]] * 4, sensitive_features=[0, 1, 0, 1])
    with pytest.raises(fp.InputError, match="has 3 groups: make it binary"):
        fp.differential_parity_of_raters(np.ones((3, 2)), sensitive_features=[0, 1, 2])
    with pytest.raises(fp.InputError, match="only one value"):
        fp.differential_parity_slope_test([1, 2], [2, 1], sensitive_features=[5, 5])
    with pytest.raises(fp.InputError, match="at least four rows; there are 3"):
        fp.differential_parity_slope_test([1, 2, 3], [2, 1, 1], sensitive_features=[5, 6, 7])
    with pytest.raises(fp.InputError, match="nothing to shuffle"):
        fp.differential_parity_permutation_test([1, 2], [1, 2], sensitive_features=[0, 1])


@pytest.mark.parametrize("offset", [0.0, 2e6, 1e9])
def test_large_decisions_that_differ_little_are_no_constants(offset):
    rng = np.random.default_rng(5)
    one, two = rng.integers(1, 6, (2, 60)).astype(float) + offset
    group = rng.integers(0, 2, 60)
    difference = one - two
    expected = ttest_ind(difference[group == 1], difference[group == 0], equal_var=False)
    result = fp.differential_parity_test(one, two, sensitive_features=group)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-6)
    pairs = fp.differential_parity_of_raters(np.column_stack([one, two]), sensitive_features=group)
    assert pairs.test.pvalue[0, 1] == pytest.approx(expected.pvalue, rel=1e-6)


# Where Welch's t does not hold: rare and skewed differences, and few items


@pytest.mark.parametrize("values", [(0.0, 0.0, 1.0, 1.0), (3.1, 3.1, 2.9, 2.9)])
def test_two_items_each_that_differ_have_the_p_value_of_all_shuffles(values):
    result = fp.differential_parity_test(values, np.zeros(4), sensitive_features=[0, 0, 1, 1])
    assert result.pvalue == pytest.approx(1 / 3)
    assert result.violated is False
    assert np.isnan(result.difference.ci_low[0])


def test_rare_yes_no_differences_are_compared_by_fishers_exact_test():
    group, difference = np.repeat([0, 1], [300, 40]), np.zeros(340)
    difference[[1, 5, 302, 310, 339]] = 0.1 + 0.2 - 0.2  # but for rounding 0.1
    result = fp.differential_parity_test(difference, np.zeros(340), sensitive_features=group)
    row = result.to_frame().iloc[0]
    expected = fisher_exact([[37, 3], [298, 2]])
    assert row["pvalue"] == pytest.approx(expected.pvalue)
    greater = fisher_exact([[3, 37], [2, 298]], alternative="greater")
    assert row["pvalue_one_sided"] == pytest.approx(greater.pvalue)
    ends = confint_proportions_2indep(3, 40, 2, 300, method="newcomb")
    assert_allclose([row["ci_low"], row["ci_high"]], 0.1 * np.array(ends))
    assert row["note"] == (
        "all values of a group but 5 or fewer are equal: Fisher's exact test, Newcombe's interval"
    )
    turned = fp.differential_parity_test(np.zeros(340), difference, sensitive_features=group)
    assert turned.pvalue == pytest.approx(result.pvalue)
    assert_allclose(turned.difference.ci_low, -result.difference.ci_high)


def test_the_permutation_test_takes_constant_groups():
    tiny = fp.differential_parity_permutation_test(
        [0, 0, 1, 1], np.zeros(4), sensitive_features=[0, 0, 1, 1], random_state=1
    )
    assert tiny.pvalue == pytest.approx(1 / 3, abs=0.06)
    assert tiny.statistic[0] == 1e3
    alone = fp.differential_parity_permutation_test(
        [1, 2, 4, 3, 2, 5, 9], np.zeros(7), sensitive_features=[0, 0, 0, 1, 1, 1, 2], random_state=1
    )
    assert len(alone.statistic) == 1
    with pytest.raises(fp.InputError, match="Two groups must have two rows or more"):
        fp.differential_parity_permutation_test([1, 2, 3], [0, 0, 0], sensitive_features=[0, 0, 1])


@pytest.mark.parametrize("attribute", ["values", "ranks"])
def test_a_continuous_attribute_has_the_slope_of_statsmodels(attribute):
    one, two, _ = decided(3)
    age = np.random.default_rng(3).uniform(20, 70, 80)
    coded = age if attribute == "values" else (rankdata(age) - 0.5) / 80
    result = fp.differential_parity_slope_test(
        one, two, sensitive_features=age, alpha=0.1, attribute=attribute
    )
    fit = sm.OLS(one - two, sm.add_constant(coded)).fit(cov_type="HC3", use_t=True)
    row = result.to_frame().iloc[0]
    assert_allclose(row["estimate"], fit.params[1])
    assert_allclose(row["statistic"], fit.tvalues[1])
    # Bell and McCaffrey's degrees of freedom, by the matrices themselves
    design = sm.add_constant(coded)
    to_slope = np.linalg.pinv(design)
    residual = np.eye(80) - design @ to_slope
    spread = residual @ np.diag((to_slope[1] / np.diag(residual)) ** 2) @ residual
    dof = np.trace(spread) ** 2 / np.trace(spread @ spread)
    assert_allclose(row["dof"], dof)
    assert_allclose(row["pvalue"], 2 * student.sf(abs(fit.tvalues[1]), dof))
    margin = student.ppf(0.95, dof) * fit.bse[1]
    assert_allclose([row["ci_low"], row["ci_high"]], fit.params[1] + margin * np.array([-1, 1]))
    assert_allclose(row["effect_size"], np.corrcoef(one - two, coded)[0, 1])
    assert row["n"] == 80


def test_one_item_of_another_value_has_no_p_value_in_any_order():
    rng = np.random.default_rng(5)
    difference, attribute = rng.normal(size=200), np.arange(200) == 0
    for order in (np.arange(200), rng.permutation(200)):
        result = fp.differential_parity_slope_test(
            difference[order], np.zeros(200), sensitive_features=attribute[order].astype(float)
        )
        row = result.to_frame().iloc[0]
        assert row[["pvalue", "ci_low", "ci_high", "statistic"]].isna().all()
        assert row["note"].startswith("one row decides the slope")
        assert result.violated is None


def test_a_slope_on_two_groups_is_the_difference_of_their_means():
    one, two, group = decided(4)
    slope = fp.differential_parity_slope_test(
        one, two, sensitive_features=group, attribute="values"
    )
    means = fp.differential_parity_test(one, two, sensitive_features=group)
    assert_allclose(slope.difference.estimate, means.difference.estimate)


def test_an_attribute_of_another_kind_is_refused():
    with pytest.raises(fp.InputError, match="attribute"):
        fp.differential_parity_slope_test(
            [1, 0, 1, 0, 1], [0, 0, 1, 1, 0], sensitive_features=range(5), attribute="rank"
        )


def two_groups(seed, sizes):
    rng = np.random.default_rng(seed)
    member = np.repeat([0, 1], sizes)
    values = rng.normal(member * 0.2, 1 + member)
    return values, member


@pytest.mark.parametrize("sizes", [(40, 60), (3000, 500)])
def test_moments_give_the_test_of_the_values(sizes):
    values, member = two_groups(0, sizes)
    moments = Moments.of(values, member, 2)
    scale = np.abs(values).max()
    found = compare_means(moments, alpha=0.1, scale=scale)
    expected = fp.differential_parity_test(
        values, np.zeros(len(values)), sensitive_features=member, alpha=0.1
    )
    if found is None:  # where these are shuffled
        assert "shuffles" in expected.difference.reason[0]
        return
    for field in ("estimate", "ci_low", "ci_high", "statistic", "pvalue", "effect_size", "n"):
        assert_allclose(
            getattr(found.difference, field), getattr(expected.difference, field), rtol=1e-10
        )
    (mine,), (its,) = found.contrasts, expected.contrasts
    assert_allclose(mine.limits(0.1), its.limits(0.1), rtol=1e-9)
    for null in (-0.3, 0.1, 0.4):
        assert_allclose(mine.pvalue_above(null), its.pvalue_above(null), rtol=1e-9)
        assert_allclose(mine.pvalue_below(null), its.pvalue_below(null), rtol=1e-9)


def test_skewed_means_take_halls_transformation_but_no_shuffles():
    rng = np.random.default_rng(1)
    member = np.repeat([0, 1], [4000, 900])
    values = rng.exponential(1, len(member))
    mine = WelchContrast(Moments.of(values, member, 2))
    its = WelchContrast.of(values, member)
    assert 0.04 < mine.skewness < 0.1
    for part, other in zip(mine._tests, its._tests[:2], strict=True):
        assert_allclose(part.limits(0.05), other.limits(0.05), rtol=1e-9)
    low, high = its.limits(0.05)
    assert low - 1e-12 <= mine.limits(0.05)[0] < mine.limits(0.05)[1] <= high + 1e-12


def test_very_skewed_means_need_the_values():
    rng = np.random.default_rng(2)
    member = np.repeat([0, 1], [4000, 30])
    moments = Moments.of(rng.exponential(1, len(member)), member, 2)
    assert compare_means(moments, alpha=0.05) is None


def test_constant_and_single_values_have_no_test():
    constant = compare_means(Moments.of(np.ones(6), np.repeat([0, 1], 3), 2), alpha=0.05)
    assert constant.contrasts == (None,)
    assert constant.difference.pvalue[0] == 1
    one = compare_means(Moments.of(np.arange(4.0), np.array([0, 0, 0, 1]), 2), alpha=0.05)
    assert np.isnan(one.difference.pvalue[0])
