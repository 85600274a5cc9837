from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm, rankdata
from statsmodels.stats.multitest import multipletests

from fairpairs.mathematics.estimates.balance import label_strata
from fairpairs.mathematics.fairness.slopes import (
    attribute_ranks,
    comparative_separation_slopes_test,
)
from fairpairs.mathematics.inference.permutation import permute_within


def made(seed=0, n=60, labels="binary", effect=0.0):
    rng = np.random.default_rng(seed)
    a = rng.uniform(20, 70, n)
    y = {
        "binary": rng.integers(2, size=n),
        "few": rng.integers(4, size=n),
        "continuous": rng.normal(size=n),
    }[labels]
    return y, np.round(y + rng.normal(size=n) + effect * (a - 45), 1), a


def centred(a, y):
    """The attribute less its mean among items of like labels."""
    strata = label_strata(y.astype(float))
    return a - (np.bincount(strata, a) / np.bincount(strata))[strata]


def all_pairs(y, s, a, ties="wrong"):
    pairs = [
        (float(s[i] > s[j]) + (0.5 if ties == "half" and s[i] == s[j] else 0), a[i], a[j])
        for i, j in product(range(len(y)), repeat=2)
        if y[i] > y[j]
    ]
    return np.transpose(pairs)


@pytest.mark.parametrize("labels", ["binary", "few", "continuous"])
@pytest.mark.parametrize("ties", ["wrong", "half"])
@pytest.mark.parametrize("attribute", ["values", "ranks"])
def test_slopes_are_those_of_least_squares_over_all_pairs(labels, ties, attribute):
    y, s, a = made(1, 50, labels, effect=0.05)
    result = comparative_separation_slopes_test(
        y, s, sensitive_features=a, ties=ties, attribute=attribute
    )
    coded = a if attribute == "values" else (rankdata(a) - 0.5) / 50
    hit, winner, loser = all_pairs(y, s, centred(coded, y), ties)
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
    smallest = min((y < y.max()).sum(), (y > y.min()).sum())
    assert list(result.difference.smallest_cell) == [smallest] * 2


@pytest.mark.parametrize("labels", ["binary", "few"])
def test_the_variance_is_at_least_nearly_that_of_the_jackknife(labels):
    # they differ by terms of the order 1 / n of the variance; scores spread with the attribute
    y, s, a = made(3, 250, labels)
    s = s + np.random.default_rng(3).normal(size=250) * (a - 45) ** 2 / 100
    options = {"attribute": "values"}
    result = comparative_separation_slopes_test(y, s, sensitive_features=a, **options)
    error = result.difference.estimate / result.statistic
    left = []
    for i in range(250):
        others = np.arange(250) != i
        part = comparative_separation_slopes_test(
            y[others], s[others], sensitive_features=a[others], **options
        )
        left.append(part.difference.estimate)
    covariance = 249**2 / 250 * np.cov(np.transpose(left))
    assert (error**2 > 0.9 * np.diagonal(covariance)).all()
    estimate = result.difference.estimate
    assert result.joint.statistic < 1.1 * estimate @ np.linalg.inv(covariance) @ estimate


@pytest.mark.slow
@pytest.mark.parametrize("labels", ["binary", "few", "continuous"])
def test_the_variance_is_at_least_that_of_all_shuffles_within_labels(labels):
    """Under separation; 4,000 shuffles, the Monte Carlo error of a variance is 2.2 %."""
    y, s, a = made(4, 60, labels)
    result = comparative_separation_slopes_test(y, s, sensitive_features=a)
    error = result.difference.estimate / result.statistic
    ranks, strata = attribute_ranks(a), label_strata(y.astype(float))
    above = y[:, None] > y
    hit = above * (s[:, None] > s)
    rate = hit.sum() / above.sum()
    slopes = []
    c = centred(ranks, y)
    for shuffled in permute_within(c, strata, 4000, np.random.default_rng(4)):
        row = []
        for sign in (-1, 1):
            x, own = shuffled[:, None] + sign * shuffled, c[:, None] + sign * c
            squares = ((own - own[above].mean()) ** 2)[above].sum()
            row.append(((hit - rate * above) * x).sum() / squares)
        slopes.append(row)
    of_shuffles = np.var(slopes, axis=0)
    assert (error**2 > 0.9 * of_shuffles).all()
    if labels == "binary":
        assert_allclose(error**2, of_shuffles, rtol=0.35)


def test_p_values_and_intervals_are_those_of_the_normal_distribution():
    y, s, a = made(4, 120, effect=0.02)
    result = comparative_separation_slopes_test(y, s, sensitive_features=a, alpha=0.1)
    plain = 2 * norm.sf(np.abs(result.statistic))
    assert_allclose(result.difference.pvalue, plain, rtol=1e-10)
    assert_allclose(result.pvalues, multipletests(plain, method="holm")[1], rtol=1e-10)
    error = result.difference.estimate / result.statistic
    assert_allclose(
        result.difference.ci_high - result.difference.estimate, 1.644854 * error, rtol=1e-6
    )
    assert_allclose(result.joint.pvalue, np.exp(-result.joint.statistic / 2), rtol=1e-10)
    assert result.joint.df == 2


@pytest.mark.parametrize("labels", ["binary", "few", "continuous"])
def test_without_variance_nothing_is_tested(labels):
    for seed in range(10):
        y, _, a = made(seed, 60, labels)
        result = comparative_separation_slopes_test(y, y, sensitive_features=a)
        assert_allclose(result.rate, 1, rtol=1e-12)
        assert list(result.difference.reason) == ["no variance"] * 2
        assert (result.pvalue, result.violated) == (1, False)
        assert not result.joint.pvalue < 0.05
