"""Textbook tests against statsmodels, and CR2 against its definition."""

import numpy as np
import pytest
import statsmodels.api as sm

from fairpairs import worlds
from fairpairs.mathematics.promises import competitors


def rows(seed=0, *, crossed):
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 25, 400)
    group = rng.integers(0, 2, 400) if crossed else (cluster < 10).astype(int)
    return rng.normal(size=400) + rng.normal(size=25)[cluster], group, cluster


def fitted(values, group, weights=None, **how):
    design = sm.add_constant(group.astype(float))
    return sm.WLS(values, design, weights=1.0 if weights is None else weights).fit(**how)


@pytest.mark.parametrize("crossed", [True, False])
def test_cr1_is_that_of_statsmodels(crossed):
    values, group, cluster = rows(crossed=crossed)
    fit = fitted(values, group, cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    ours = competitors.two_sided(*competitors.clustered_1(values, group, cluster))
    assert ours == pytest.approx(fit.pvalues[1])


def test_hc1_is_that_of_statsmodels():
    values, group, _ = rows(crossed=True)
    weight = np.random.default_rng(1).lognormal(size=400)
    fit = fitted(values, group, weight, cov_type="HC1", use_t=True)
    ours = competitors.two_sided(*competitors.robust(values, group, weight))
    assert ours == pytest.approx(fit.pvalues[1])


def test_hc2_and_hc3_are_those_of_their_definition():
    values, group, _ = rows(crossed=True)
    weight = np.random.default_rng(1).lognormal(size=400)
    x, contrast = np.column_stack([group == 1, group == 0]).astype(float), np.array([1.0, -1.0])
    hat = x @ np.linalg.inv(x.T * weight @ x) @ (x.T * weight)
    influence = contrast @ np.linalg.inv(x.T * weight @ x) @ (x.T * weight)
    residual, leverage = values - hat @ values, np.diagonal(hat)
    parts = np.diag(influence / np.sqrt(1 - leverage)) @ (np.eye(400) - hat)
    covariance = parts @ parts.T
    df = np.trace(covariance) ** 2 / (covariance**2).sum()
    for hc, expected in ((2, df), (3, 398)):
        error = np.sqrt((influence**2 * residual**2 / (1 - leverage) ** (hc - 1)).sum())
        ours = competitors.robust(values, group, weight, hc=hc)
        assert ours == pytest.approx((influence @ values, error, expected))
    fit = fitted(values, group, weight, cov_type="HC3", use_t=True)
    assert competitors.two_sided(*ours) == pytest.approx(fit.pvalues[1])


def test_rates_are_means_of_rows_of_each_label():
    label, group, decision = np.random.default_rng(3).integers(0, 2, (3, 400))
    both = competitors.of_rates(competitors.robust, label, decision, group)
    for (difference, *_), value in zip(both, (1, 0), strict=True):
        rates = [decision[(label == value) & (group == code)].mean() for code in (1, 0)]
        assert difference == pytest.approx(rates[0] - rates[1])


@pytest.mark.parametrize("crossed", [True, False])
def test_a_survey_has_the_variance_between_clusters_of_each_stratum(crossed):
    values, group, cluster = rows(crossed=crossed)
    influence = np.zeros(400)
    for code, sign in ((1, 1), (0, -1)):
        own = values[group == code]
        influence[group == code] = sign * (own - own.mean()) / len(own)
    totals = np.bincount(cluster, influence)
    strata = [totals] if crossed else [totals[:10], totals[10:]]
    variance = sum(len(own) * own.var(ddof=1) for own in strata)
    _, error, df = competitors.linearised(values, group, cluster)
    assert (error, df) == pytest.approx((np.sqrt(variance), 25 - len(strata)))


def test_the_jackknife_leaves_out_each_cluster():
    rng = np.random.default_rng(2)
    values, group, cluster = rows(crossed=False)
    values, label = values.round(1), rng.integers(0, 2, 400)  # with ties

    def auc(kept, positives, negatives):
        ahead, behind = (
            values[kept & (label == own) & ((group == side) | (side == 2))]
            for own, side in ((1, positives), (0, negatives))
        )
        return (np.sign(ahead[:, None] - behind) / 2 + 0.5).mean()

    def differences(kept):
        return np.array([auc(kept, *a) - auc(kept, *b) for a, b in competitors.RANKED])

    without = np.array([differences(cluster != code) for code in range(25)])
    variance = sum(
        (len(own) - 1) / len(own) * ((own - own.mean(axis=0)) ** 2).sum(axis=0)
        for own in (without[:10], without[10:])
    )
    expected = [
        competitors.two_sided(*one, 23)
        for one in zip(differences(cluster >= 0), np.sqrt(variance), strict=True)
    ]
    ours = competitors.jackknifed(label, values, group, cluster)
    assert ours == pytest.approx(expected)
    of_all = competitors.jackknife_ranking(
        label, values, sensitive_features=group, clusters=cluster
    )
    assert of_all == pytest.approx(min(1, 4 * min(expected)))


def test_worlds_have_the_arguments_of_their_tests_and_something_to_find():
    for world in worlds().values():
        for draw in (world.null, world.alternative):
            data = draw(np.random.default_rng(0))
            for test in world.competitors.values():
                assert test(**data) is not None
