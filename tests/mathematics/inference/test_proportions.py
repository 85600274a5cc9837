import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisher_exact
from scipy.stats.contingency import expected_freq
from statsmodels.stats import proportion

from fairpairs.mathematics.inference.contrasts.binomial import binomial_differences
from fairpairs.mathematics.inference.rates import (
    few_events,
    pooled_or_fisher_difference,
    wald_difference,
)

proportion.test_proportions_2indep.__test__ = False  # it is no test of ours


def statsmodels_wald(k1, n1, k2, n2, alpha):
    with np.errstate(divide="ignore"):  # of a ratio that it computes besides
        test = proportion.test_proportions_2indep(k1, n1, k2, n2, method="wald", compare="diff")
    low, high = proportion.confint_proportions_2indep(
        k1, n1, k2, n2, method="wald", compare="diff", alpha=alpha
    )
    return test.statistic, test.pvalue, low, high


@st.composite
def two_samples_with_variance(draw):
    n1, n2 = draw(st.integers(2, 5000)), draw(st.integers(1, 5000))
    return draw(st.integers(1, n1 - 1)), n1, draw(st.integers(0, n2)), n2


@given(two_samples_with_variance(), st.sampled_from([0.001, 0.05, 0.3]))
def test_statistic_p_value_and_interval_are_those_of_statsmodels(samples, alpha):
    result = wald_difference(*samples, alpha=alpha)
    k1, n1, k2, n2 = samples
    mine = (result.statistic, result.pvalue, result.ci_low, result.ci_high)
    theirs = statsmodels_wald(*samples, alpha)
    within = (*theirs[:2], *np.clip(theirs[2:], -1, 1))
    assert_allclose(mine, within, rtol=1e-9, atol=1e-12)
    assert_allclose(result.estimate, k1 / n1 - k2 / n2, rtol=1e-12, atol=1e-15)
    assert result.n == n1 + n2
    assert result.smallest_cell == min(n1, n2)
    assert result.reason == ""


def test_far_tails_do_not_underflow_to_zero():
    # z = -34.05; the two-sided tail by the asymptotic series 2 phi(z) / z (1 - 1/z^2 + 3/z^4)
    result = wald_difference(200, 1000, 800, 1000)
    z = -float(result.statistic)
    assert_allclose(z, 0.6 / np.sqrt(2 * 0.16 / 1000), rtol=1e-12)
    series = 2 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / z * (1 - z**-2 + 3 * z**-4)
    assert 0 < result.pvalue < 1e-200
    assert_allclose(result.pvalue, series, rtol=1e-6)


def test_every_element_of_an_array_is_tested_as_if_it_were_alone():
    rng = np.random.default_rng(0)
    n1, n2 = rng.integers(5, 100, size=(2, 4, 3, 2))
    k1, k2 = rng.integers(1, n1), rng.integers(1, n2)
    result = wald_difference(k1, n1, k2, n2)
    for field in ("estimate", "ci_low", "ci_high", "statistic", "pvalue", "n", "smallest_cell"):
        assert getattr(result, field).shape == (4, 3, 2)
    for i in np.ndindex(4, 3, 2):
        mine = (result.statistic[i], result.pvalue[i], result.ci_low[i], result.ci_high[i])
        assert_allclose(mine, statsmodels_wald(k1[i], n1[i], k2[i], n2[i], 0.05), rtol=1e-10)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((0, 0, 3, 10), "empty cell"),
        ((3, 10, 0, 0), "empty cell"),
        ((0, 0, 0, 0), "empty cell"),
        ((0, 0, 10, 10), "empty cell"),
        ((0, 10, 0, 20), "no variance"),
        ((10, 10, 20, 20), "no variance"),
    ],
)
def test_what_cannot_be_tested_is_nan_with_a_reason_and_leaves_its_neighbours_alone(counts, reason):
    good = (7, 20, 11, 30)
    result = wald_difference(*np.array([good, counts, good]).T)
    assert_array_equal(result.reason, ["", reason, ""])
    alone = wald_difference(*good)
    for field in ("statistic", "pvalue", "ci_low", "ci_high"):
        values = getattr(result, field)
        assert np.isnan(values[1])
        assert_array_equal(values[[0, 2]], [getattr(alone, field)] * 2)
    assert result.n[1] == counts[1] + counts[3]
    assert result.smallest_cell[1] == min(counts[1], counts[3])


def test_the_difference_of_two_rates_without_variance_is_still_estimated():
    assert wald_difference(10, 10, 0, 20).estimate == 1


def test_a_rate_without_variance_is_tested_against_one_with():
    result = wald_difference(10, 10, 6, 12)
    assert_allclose(result.statistic, 0.5 / np.sqrt(0.25 / 12), rtol=1e-12)


def test_opposite_rates_are_tested_with_the_pooled_variance():
    for k1, n1, k2, n2 in ((10, 10, 0, 20), (0, 7, 5, 5), (500, 500, 0, 480)):
        result = wald_difference(k1, n1, k2, n2)
        z, p = proportion.proportions_ztest([k1, k2], [n1, n2])
        assert_allclose((result.statistic, result.pvalue), (z, p), rtol=1e-12, atol=1e-300)
        assert result.reason == "no variance: the pooled one stands in"
        assert -1 <= result.ci_low <= result.estimate <= result.ci_high <= 1


def test_counts_may_be_whole_numbers_of_any_type():
    counts = np.array([[9.0], [10.0], [3.0], [10.0]])
    assert_array_equal(wald_difference(*counts).pvalue, wald_difference(*counts.astype(int)).pvalue)


def test_the_effect_size_of_a_test_is_cohens_h_of_its_rates():
    result = wald_difference([7, 0, 3], [20, 0, 3], [11, 3, 0], [30, 10, 9])
    expected = [proportion.proportion_effectsize(7 / 20, 11 / 30), np.nan, np.pi]
    assert_allclose(result.effect_size, expected, rtol=1e-12)


# The pooled z and Fisher's exact test


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_z_and_fishers_test_are_those_of_statsmodels_and_scipy(alpha, alternative):
    rng = np.random.default_rng(0)
    n1, n2 = rng.integers(1, 120, size=(2, 200))
    k1, k2 = rng.binomial(n1, 0.15), rng.binomial(n2, 0.2)
    k1[:9], k2[:9] = n1[:9], n2[:9]
    options = {"alpha": alpha, "alternative": alternative}
    by_z, exact = (
        pooled_or_fisher_difference(k1, n1, k2, n2, method=method, **options)
        for method in ("z", "fisher")
    )
    larger = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    for i in range(200):
        table = np.array([[k1[i], n1[i] - k1[i]], [k2[i], n2[i] - k2[i]]])
        few = "an expected count below 10" if expected_freq(table).min() < 10 else ""
        if not table.sum(axis=0).all():
            assert (by_z.reason[i], exact.reason[i], by_z.estimate[i]) == (*["no variance"] * 2, 0)
            assert np.isnan([by_z.pvalue[i], exact.pvalue[i], by_z.statistic[i]]).all()
        else:
            assert (by_z.reason[i], exact.reason[i]) == (few, "")
            z, p = proportion.proportions_ztest(table[:, 0], table.sum(axis=1), alternative=larger)
            assert_allclose((by_z.statistic[i], by_z.pvalue[i]), (z, p), rtol=1e-9, atol=1e-14)
            assert exact.pvalue[i] == fisher_exact(table, alternative=alternative).pvalue
        assert np.isnan(exact.statistic[i])
        low, high = proportion.confint_proportions_2indep(
            k1[i], n1[i], k2[i], n2[i], method="newcomb",
            alpha=alpha if alternative == "two-sided" else 2 * alpha,
        )  # fmt: skip
        limits = -1 if alternative == "less" else low, 1 if alternative == "greater" else high
        for result in (by_z, exact):
            assert_allclose((result.ci_low[i], result.ci_high[i]), limits, rtol=1e-9, atol=1e-12)


def test_a_sample_without_a_trial_is_not_tested():
    counts = np.array([[0, 3], [0, 40], [3, 0], [40, 0]])
    for result in (
        pooled_or_fisher_difference(*counts, method="fisher"),
        binomial_differences(*counts, alpha=0.05)[0],
    ):
        assert list(result.reason) == ["empty cell", "empty cell"]
        for field in ("estimate", "statistic", "pvalue", "ci_low", "ci_high"):
            assert np.isnan(getattr(result, field)).all()


def test_few_events_are_those_of_two_samples_with_a_trial():
    few = few_events(
        [0, 1, 0, 20, 20, 5, 6],
        [0, 1, 40, 40, 40, 40, 40],
        *np.transpose([[20, 40], [20, 40], [0, 0], [0, 1], [6, 12], [20, 40], [34, 40]]),
    )
    assert list(few) == [False, True, False, True, False, True, False]


def test_many_proportions_are_tested_at_once():
    rng = np.random.default_rng(0)
    n = rng.integers(60, 90, size=(2, 4, 3))
    k = rng.binomial(n, 0.4)
    result = pooled_or_fisher_difference(k[0], n[0], k[1], n[1], method="z")
    for i in np.ndindex(4, 3):
        z, p = proportion.proportions_ztest(k[(slice(None), *i)], n[(slice(None), *i)])
        assert_allclose((result.statistic[i], result.pvalue[i]), (z, p))
