"""Judgments that rest on few items: their variance and notes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.mathematics.inference.gap_variances import unpooled_variance
from fairpairs.mathematics.inference.gaps import FEW_BEHIND
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)

GAPS = np.array([[0, -1, 1, 0], [-1, 0, 0, 1]])


def example():
    """Judgments of random pairs by needs of yes or no; scores depend on the needs alone."""
    rng = np.random.default_rng(1)
    left, right = rng.integers(60, size=(2, 1, 400))
    group = rng.permuted((np.arange(60) < 30)[None], axis=1).astype(int)
    need = rng.integers(2, size=(1, 60))
    outcome = np.sign(need[:, left[0]] - need[:, right[0]]).astype(float)
    score = rng.normal(size=(1, 60)) + need
    return given_pairs(*orient_pairs(outcome, verdicts(score, left, right), left, right), group, 2)


@pytest.mark.parametrize("contrasts", [np.eye(4), GAPS])
def test_the_own_variance_of_few_items_leans_on_the_pooled_one(contrasts):
    rates = example()
    found, df = unpooled_variance(rates, contrasts)
    theta, n, items = (x.ravel() for x in (rates.tpr, rates.effective, rates.items))
    common = rates.concordant.sum() / rates.comparable.sum()
    spread = np.sqrt(theta * (1 - theta) / (common * (1 - common)))
    pooled = rates.pooled[0] * np.outer(spread, spread)
    for number, row in enumerate(contrasts):
        cells = np.flatnonzero(row)
        apart = (row**2 * theta * (1 - theta) / n).sum()
        mean = (theta * n)[cells].sum() / n[cells].sum()
        alike = (mean * (1 - mean) / n[cells]).sum()
        own = max(row @ rates.covariance[0] @ row, apart) * max(1, alike / apart)
        behind = items[cells].min()
        trust = behind**2 / (behind**2 + 15**2)
        expected = trust * own + (1 - trust) * (row @ pooled @ row)
        assert_allclose(found[0, number], expected, rtol=1e-9)
        assert 1 <= df[0, number] <= behind - 1


def test_judgments_against_few_anchors_say_so():
    rng = np.random.default_rng(2)
    score, group = rng.normal(size=400), rng.integers(2, size=400)
    left, right = rng.integers(4, size=2000), rng.integers(4, 400, size=2000)
    outcome = rng.choice([-1, 1], 2000)
    few = comparative_separation_from_judgments(
        left, right, outcome, score, sensitive_features=group
    )
    assert few.difference.smallest_cell.min() >= 30
    assert few.to_frame()["note"].tolist() == [FEW_BEHIND] * 2
    assert FEW_BEHIND in few.interpretation
    many = comparative_separation_from_judgments(
        rng.integers(400, size=2000), right, outcome, score, sensitive_features=group
    )
    assert many.to_frame()["note"].tolist() == ["", ""]
    width = [(x.rates()["ci_high"] - x.rates()["ci_low"]).max() for x in (few, many)]
    assert width[0] > 2 * width[1]


def test_a_perfect_model_of_judgments_is_not_violated():
    rng = np.random.default_rng(3)
    score, group = np.arange(80.0), np.arange(80) % 2
    left, right = rng.permuted(np.tile(np.arange(80), (300, 1)), axis=1)[:, :2].T
    result = comparative_separation_from_judgments(
        left, right, np.sign(left - right), score, sensitive_features=group
    )
    assert result.violated is False
    assert result.pvalues.tolist() == [1, 1]
    assert result.to_frame()["note"].tolist() == ["no variance"] * 2
