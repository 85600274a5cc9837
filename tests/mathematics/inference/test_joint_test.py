"""The joint test, against Wald's test of the main effects."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2, f

from fairpairs import comparative_separation_test
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.estimates.pairs.given import given_pairs
from fairpairs.mathematics.inference.gaps import (
    comparative_separation_from_rates,
)
from tests.mathematics.synthetic import labelled_by_group


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
