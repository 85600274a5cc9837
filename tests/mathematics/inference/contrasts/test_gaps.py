"""The tests of differences of rates of pairs against any value."""

import numpy as np
import pytest
from scipy.special import ndtr

import fairpairs as fp
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.score import AnchoredContrast, ScoreContrast
from fairpairs.mathematics.inference.gap_variances import binary_trials


def scored(n: int, k: int = 2, kind: str = "binary") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    group, noise = rng.integers(k, size=n), rng.normal(size=n)
    label = rng.normal(size=n) if kind == "real" else rng.integers(2, size=n).astype(float)
    return label, 2 * label + noise, group


@pytest.mark.parametrize("k", [2, 3])
def test_gaps_of_binary_labels_are_worth_the_trials_of_each_rate(k: int) -> None:
    label, score, group = scored(300, k)
    result = fp.comparative_separation_test(label, score, sensitive_features=group)
    trials = binary_trials(all_pairs(label, score, group, k))
    assert len(result.contrasts) == k * (k - 1)
    estimates = [contrast.estimate for contrast in result.contrasts if contrast is not None]
    assert estimates == pytest.approx(result.difference.estimate)
    across = result.contrasts[0]
    assert isinstance(across, AnchoredContrast)
    assert isinstance(across.other, ScoreContrast)
    assert across.other.trials == pytest.approx([trials[1, 0], trials[0, 1]])


@pytest.mark.parametrize("k", [2, 3])
def test_gaps_of_real_labels_have_the_fewer_trials(k: int) -> None:
    label, score, group = scored(400, k, "real")
    result = fp.comparative_separation_test(label, score, sensitive_features=group)
    estimates = [contrast.estimate for contrast in result.contrasts if contrast is not None]
    assert estimates == pytest.approx(result.difference.estimate)
    for contrast, low, high in zip(
        result.contrasts, result.difference.ci_low, result.difference.ci_high, strict=True
    ):
        assert contrast is not None
        assert contrast.limits(0.05) == pytest.approx((low, high), abs=1e-12)


def test_real_labels_as_they_are_have_students_t() -> None:
    label, score, group = scored(400, 2, "real")
    result = fp.comparative_separation_test(
        label, score, sensitive_features=group, balance_labels=False
    )
    for contrast, pvalue in zip(result.contrasts, result.difference.pvalue, strict=True):
        assert isinstance(contrast, AnchoredContrast)
        assert isinstance(contrast.other, StudentContrast)
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
        assert contrast.limits(0.05) == pytest.approx((low, high), abs=1e-12)
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
