from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from fairpairs import InputError
from fairpairs.fairness.slopes import comparative_separation_slopes_test


def made(seed=0, n=60, labels="binary", effect=0.0):
    rng = np.random.default_rng(seed)
    a = rng.uniform(20, 70, n)
    y = {
        "binary": rng.integers(2, size=n),
        "few": rng.integers(4, size=n),
        "continuous": rng.normal(size=n),
    }[labels]
    return y, np.round(y + rng.normal(size=n) + effect * (a - 45), 1), a


def all_pairs(y, s, a, ties="wrong"):
    pairs = [
        (float(s[i] > s[j]) + (0.5 if ties == "half" and s[i] == s[j] else 0), a[i], a[j])
        for i, j in product(range(len(y)), repeat=2)
        if y[i] > y[j]
    ]
    return np.transpose(pairs)


@pytest.mark.parametrize("labels", ["binary", "few", "continuous"])
@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_slopes_are_those_of_least_squares_over_all_pairs(labels, ties):
    y, s, a = made(1, 50, labels, effect=0.05)
    result = comparative_separation_slopes_test(y, s, sensitive_feature=a, ties=ties)
    hit, winner, loser = all_pairs(y, s, a, ties)
    across, within = winner - loser, winner + loser
    expected = [np.polyfit(x, hit, 1)[0] for x in (across, within)]
    assert_allclose(result.difference.estimate, expected, rtol=1e-8)
    assert_allclose(
        result.difference.effect_size,
        [slope * x.std() for slope, x in zip(expected, (across, within), strict=True)],
        rtol=1e-8,
    )
    assert_allclose(result.rate, hit.mean(), rtol=1e-12)
    assert list(result.difference.n) == [len(hit)] * 2
    assert list(result.difference.smallest_cell) == [50, 50]


def test_the_attribute_s_unit_and_origin_do_not_matter():
    y, s, a = made(2, 80, effect=0.03)
    one = comparative_separation_slopes_test(y, s, sensitive_feature=a)
    other = comparative_separation_slopes_test(y, s, sensitive_feature=10 * a - 1000)
    assert_allclose(other.difference.estimate, one.difference.estimate / 10, rtol=1e-9)
    assert_allclose(other.statistic, one.statistic, rtol=1e-9)
    assert_allclose(other.joint.statistic, one.joint.statistic, rtol=1e-9)


@pytest.mark.parametrize("labels", ["binary", "continuous"])
def test_the_variance_is_nearly_that_of_the_jackknife(labels):
    # they differ by terms of the order 1 / n of the variance
    y, s, a = made(3, 250, labels, effect=0.02)
    result = comparative_separation_slopes_test(y, s, sensitive_feature=a)
    error = result.difference.estimate / result.statistic
    left = []
    for i in range(250):
        others = np.arange(250) != i
        part = comparative_separation_slopes_test(y[others], s[others], sensitive_feature=a[others])
        left.append(part.difference.estimate)
    covariance = 249**2 / 250 * np.cov(np.transpose(left))
    assert_allclose(error**2, np.diagonal(covariance), rtol=0.05)
    estimate = result.difference.estimate
    wald = estimate @ np.linalg.inv(covariance) @ estimate
    assert_allclose(result.joint.statistic, wald, rtol=0.05)


def test_p_values_and_intervals_are_those_of_the_normal_distribution():
    y, s, a = made(4, 120, effect=0.02)
    result = comparative_separation_slopes_test(y, s, sensitive_feature=a, alpha=0.1)
    plain = 2 * norm.sf(np.abs(result.statistic))
    assert_allclose(result.difference.pvalue, plain, rtol=1e-10)
    assert_allclose(result.pvalues, multipletests(plain, method="holm")[1], rtol=1e-10)
    error = result.difference.estimate / result.statistic
    assert_allclose(
        result.difference.ci_high - result.difference.estimate, 1.644854 * error, rtol=1e-6
    )
    assert_allclose(result.joint.pvalue, np.exp(-result.joint.statistic / 2), rtol=1e-10)
    assert result.joint.df == 2


def test_a_model_that_knows_less_of_the_old_is_found_and_one_that_marks_them_down():
    rng = np.random.default_rng(5)
    a, y = rng.uniform(size=500), rng.integers(2, size=500)
    vague = y + rng.normal(size=500) * (0.3 + 3 * a)
    result = comparative_separation_slopes_test(y, vague, sensitive_feature=a)
    assert result.difference.ci_high[1] < 0
    down = y + rng.normal(size=500) - 2 * a
    result = comparative_separation_slopes_test(y, down, sensitive_feature=a)
    assert result.difference.ci_high[0] < 0


def test_the_level_holds():
    # 3,000 data sets of 150 items: the Monte Carlo error is 0.004
    rng = np.random.default_rng(6)
    pvalues = []
    for _ in range(3000):
        a = rng.uniform(size=150)
        y = (rng.random(150) < 0.3 + 0.4 * a).astype(int)
        s = y + rng.normal(size=150)
        result = comparative_separation_slopes_test(y, s, sensitive_feature=a)
        pvalues.append([*result.difference.pvalue, result.joint.pvalue])
    # the normal quantile for 150 items adds less than 0.01
    rejected = (np.array(pvalues) < 0.05).mean(axis=0)
    assert_allclose(rejected, 0.05, atol=0.01 + 3.5 * 0.004)


@pytest.mark.parametrize("labels", ["binary", "few", "continuous"])
def test_without_variance_nothing_is_tested(labels):
    for seed in range(10):
        y, _, a = made(seed, 60, labels)
        result = comparative_separation_slopes_test(y, y, sensitive_feature=a)
        assert_allclose(result.rate, 1, rtol=1e-12)
        assert list(result.difference.reason) == ["no variance"] * 2
        assert (result.pvalue, result.violated) == (1, False)
        assert not result.joint.pvalue < 0.05


GOOD = {"y_true": [0, 1, 0, 1], "y_score": [1, 2, 4, 3], "sensitive_feature": [20, 50, 30, 41]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sensitive_feature": [3, 3, 3, 3]}, "sensitive_feature holds one value only"),
        ({"y_true": [1, 1, 1, 1]}, "y_true holds one value only"),
        ({"y_true": [0, 1]}, "y_true has 2"),
        ({"sensitive_feature": [20, np.nan, 30, 41]}, "sensitive_feature has 1 missing"),
        ({"sensitive_feature": list("abcd")}, "sensitive_feature must hold numbers"),
        ({"ties": "right"}, "ties must be one of 'wrong', 'half'; it is 'right'"),
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"correction": "bonferroni"}, "correction must be one of 'none', 'holm', 'sidak'"),
    ],
)
def test_bad_input_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        comparative_separation_slopes_test(**{**GOOD, **change})
