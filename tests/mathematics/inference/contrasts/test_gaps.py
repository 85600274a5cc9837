"""The tests of differences of rates of pairs against any value."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint

import fairpairs as fp
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.mover import ExactMoverContrast
from fairpairs.mathematics.inference.mover import clopper_pearson_limits, wilson_limits
from fairpairs.mathematics.inference.rate_intervals import binary_trials


def scored(n: int, k: int = 2, kind: str = "binary") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    group, noise = rng.integers(k, size=n), rng.normal(size=n)
    label = rng.normal(size=n) if kind == "real" else rng.integers(2, size=n).astype(float)
    return label, 2 * label + noise, group


def test_a_sum_of_rates_has_the_limits_of_clopper_and_pearson() -> None:
    rates, trials = np.array([0.9, 0.0, 0.3, 1.0]), np.array([40.0, 20.0, 10.0, 30.0])
    factors = np.array([0.5, 0.5, -0.5, -0.5])
    contrast = ExactMoverContrast(rates, trials, factors)
    low, high = proportion_confint(np.round(rates * trials), trials, alpha=0.1, method="beta")
    below = np.where(factors > 0, rates - low, high - rates)
    above = np.where(factors > 0, high - rates, rates - low)
    limits = contrast.limits(0.1)
    assert limits[0] == pytest.approx(contrast.estimate - np.sqrt((below**2).sum()) / 2)
    assert limits[1] == pytest.approx(contrast.estimate + np.sqrt((above**2).sum()) / 2)
    assert contrast.pvalue_above(limits[0]) == pytest.approx(0.05)
    assert contrast.pvalue_below(limits[1]) == pytest.approx(0.05)
    # within the limits of a tail of one half, which lie apart
    assert contrast.pvalue_below(contrast.estimate + 1e-6) == 0.5


def test_wilsons_limits_miss_far_too_often_on_one_side() -> None:
    k, rates = np.arange(26), np.linspace(0.0005, 0.9995, 2000)
    chance = binom.pmf(k, 25, rates[:, None])
    missed = {}
    for limits in (wilson_limits, clopper_pearson_limits):
        low, _ = limits(k / 25, np.full(26, 25.0), 1.6449)
        missed[limits] = (chance * (low > rates[:, None])).sum(axis=1).max()
    assert missed[wilson_limits] == pytest.approx(0.19, abs=0.005)
    assert missed[clopper_pearson_limits] <= 0.05


def test_one_known_rate_leaves_the_exact_test_of_the_other() -> None:
    contrast = ExactMoverContrast(np.array([0.5, 0.9]), np.array([1e12, 20]), np.array([1.0, -1.0]))
    exact = binomtest(18, 20, 0.75, alternative="greater").pvalue
    assert contrast.pvalue_below(0.5 - 0.75) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_gaps_of_binary_labels_are_worth_the_trials_of_each_rate(k: int) -> None:
    label, score, group = scored(300, k)
    result = fp.comparative_separation_test(label, score, sensitive_features=group)
    trials = binary_trials(all_pairs(label, score, group, k))
    assert len(result.contrasts) == k * (k - 1)
    estimates = [contrast.estimate for contrast in result.contrasts if contrast is not None]
    assert estimates == pytest.approx(result.difference.estimate)
    across = result.contrasts[0]
    assert isinstance(across, ExactMoverContrast)
    assert across.trials == pytest.approx([trials[1, 0], trials[0, 1]])


@pytest.mark.parametrize("k", [2, 3])
def test_gaps_of_real_labels_have_the_fewer_trials(k: int) -> None:
    label, score, group = scored(400, k, "real")
    result = fp.comparative_separation_test(label, score, sensitive_features=group)
    estimates = [contrast.estimate for contrast in result.contrasts if contrast is not None]
    assert estimates == pytest.approx(result.difference.estimate)
    # the limits of a gap that are farther from 0 rest on the same trials, by Wilson
    for contrast, low, high in zip(
        result.contrasts, result.difference.ci_low, result.difference.ci_high, strict=True
    ):
        assert contrast is not None
        assert contrast.limits(0.05) == pytest.approx((low, high), abs=0.02)


def test_real_labels_as_they_are_have_students_t() -> None:
    label, score, group = scored(400, 2, "real")
    result = fp.comparative_separation_test(
        label, score, sensitive_features=group, balance_labels=False
    )
    for contrast, pvalue in zip(result.contrasts, result.difference.pvalue, strict=True):
        assert isinstance(contrast, StudentContrast)
        assert contrast.pvalue() == pytest.approx(pvalue)


def test_given_pairs_have_no_margin() -> None:
    label, score, group = scored(100)
    result = fp.comparative_separation_test(label, score, sensitive_features=group, pairs=500)
    assert result.contrasts == ()


def test_differences_of_auc_covary_as_delongs() -> None:
    label, score, group = scored(2000)
    result = fp.xauc(label, score, sensitive_features=group)
    estimates = [contrast.estimate for contrast in result.contrasts if contrast is not None]
    assert estimates == pytest.approx(result.difference.estimate)
    for contrast, low, high in zip(
        result.contrasts, result.difference.ci_low, result.difference.ci_high, strict=True
    ):
        assert contrast is not None
        # of many items nearly the interval of Wilson's limits, and the normal one
        assert contrast.limits(0.05) == pytest.approx((low, high), abs=0.004)
        half = (high - low) / 2 / 1.96
        assert contrast.pvalue_below(contrast.estimate + 2 * half) == pytest.approx(
            ndtr(-2), abs=0.01
        )


def test_one_positive_item_leaves_no_test() -> None:
    label, score, group = scored(100)
    label[group == 1] = 0.0
    label[np.flatnonzero(group == 1)[0]] = 1.0
    result = fp.xauc(label, score, sensitive_features=group)
    auc, xauc, xauc_1, xauc_0 = result.contrasts
    assert auc is xauc is xauc_1 is None
    assert xauc_0 is not None
