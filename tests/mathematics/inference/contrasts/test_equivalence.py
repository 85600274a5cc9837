"""Differences within a margin: two one-sided tests of each, and of all together."""

import numpy as np
import pytest

import fairpairs as fp
from fairpairs.base.errors import InputError
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast


def fair_decisions(n: int = 4000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    group, label = rng.integers(3, size=n), rng.integers(2, size=n)
    return label, (rng.random(n) < np.where(label == 1, 0.7, 0.2)).astype(int), group


def test_of_separation_compares_every_two_groups() -> None:
    label, prediction, group = fair_decisions()
    result = fp.separation_test(label, prediction, sensitive_features=group)
    within = result.within(0.1)
    assert within.hypotheses == result.hypotheses
    assert np.array_equal(within.estimate, result.difference.estimate)
    one, two = ((group == g) & (label == 1) for g in (0, 1))
    contrast = BinomialContrast(
        (int(prediction[two].sum()), int(prediction[one].sum())), (int(two.sum()), int(one.sum()))
    )
    assert within.pvalues[0] == contrast.within(0.1)
    assert (within.low[0], within.high[0]) == contrast.limits(0.1)
    assert within.all_within is True
    assert within.pvalue == within.pvalues.max() < 0.05
    assert "TPR(A=1) = TPR(A=0) is shown to hold within ±0.1 (estimate" in within.interpretation
    assert ", 90 % interval " in within.interpretation
    frame = within.to_frame()
    assert list(frame) == [
        "hypothesis", "estimate", "margin", "margin_low", "margin_high", "pvalue_within", "shown",
    ]  # fmt: skip
    assert frame["shown"].all()


def test_a_margin_that_is_not_shown() -> None:
    label, prediction, group = fair_decisions(100)
    within = fp.separation_test(label, prediction, sensitive_features=group).within(0.05)
    assert within.all_within is False
    assert not within.shown.any()
    assert "is not shown to hold within ±0.05" in within.interpretation


def test_of_selection_rates_compares_every_two_groups() -> None:
    _, prediction, group = fair_decisions()
    result = fp.two_proportion_test(prediction, sensitive_features=group)
    within = result.within(0.1)
    assert within.hypotheses[2] == "Pr[C=1 | A=2] = Pr[C=1 | A=1]"
    high, low = (group == 2, group == 1)
    contrast = BinomialContrast(
        (int(prediction[high].sum()), int(prediction[low].sum())), (int(high.sum()), int(low.sum()))
    )
    assert within.pvalues[2] == contrast.within(0.1)
    assert within.estimate[2] == pytest.approx(contrast.estimate)
    two = fp.two_proportion_test(prediction[group < 2], sensitive_features=group[group < 2])
    assert two.within(0.1).pvalues.tolist() == [within.pvalues[0]]


def test_an_empty_cell_cannot_be_shown() -> None:
    label, group = np.array([1, 1, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    within = fp.separation_test(label, label, sensitive_features=group).within(0.99)
    assert np.isnan(within.pvalues[1])
    assert within.all_within is None
    assert "has no test" in within.interpretation


@pytest.mark.parametrize("margin", [0, -0.1, "0.05", None, np.nan])
def test_a_margin_is_a_number_above_zero(margin: object) -> None:
    label, prediction, group = fair_decisions(100)
    result = fp.separation_test(label, prediction, sensitive_features=group)
    with pytest.raises(InputError, match="margin must lie between 0 and inf"):
        result.within(margin)  # type: ignore[arg-type]


def test_the_level_of_a_side_is_below_one_half() -> None:
    _, prediction, group = fair_decisions(100)
    result = fp.two_proportion_test(prediction, sensitive_features=group, alpha=0.5)
    with pytest.raises(InputError, match=r"A margin needs an alpha below 0\.5"):
        result.within(0.1)


def test_other_tests_have_no_margin() -> None:
    label, prediction, group = fair_decisions(100)
    slopes = fp.comparative_separation_slopes_test(
        label, prediction + label, sensitive_features=group
    )
    with pytest.raises(InputError, match="no test of a margin"):
        slopes.within(0.05)
