"""The counts of rejections: each hypothesis, either, Holm, joint; small cells."""

import numpy as np
import pytest

from fairpairs.mathematics.estimates.estimates import Estimates
from fairpairs.mathematics.inference.results import adjusted
from fairpairs.papers.studies.calibration.design import Tally

GAPS = ("H0c", "H0w")


def difference(pvalues, smallest_cell=100):
    """Results that have nothing but p-values, shape (r, 2)."""
    pvalues = np.array(pvalues)
    rest = {name: np.zeros(pvalues.shape) for name in Estimates.__dataclass_fields__}
    smallest = np.broadcast_to(np.reshape(smallest_cell, (-1, 1)), pvalues.shape)
    return Estimates(**{**rest, "pvalue": pvalues, "smallest_cell": smallest})


BY_HAND = [
    [0.040, 0.500],  # either; 0.08 by Holm
    [0.020, 0.600],  # either; Holm
    [np.nan, 0.040],  # either; Holm, for there is one hypothesis
    [np.nan, np.nan],  # nothing can be tested
    [0.200, 0.300],
    [0.049, 0.001],  # both; Holm
]


def test_either_and_holm_are_what_they_are_called():
    tally = Tally()
    tally.add(difference(BY_HAND[:2]))
    tally.add(difference(BY_HAND[2:]))
    rows = {row["quantity"]: row for row in tally.rows(GAPS, 0.05)}
    found = {name: (row["rejected"], row["used"], row["repeats"]) for name, row in rows.items()}
    assert found == {
        "H0c": (3 / 4, 4, 6),
        "H0w": (2 / 5, 5, 6),
        "either": (4 / 5, 5, 6),
        "holm": (3 / 5, 5, 6),
    }
    by_holm = (adjusted(np.array(BY_HAND), "holm") < 0.05).any(axis=1)
    assert rows["holm"]["rejected"] == by_holm.sum() / 5


def test_holm_takes_six_hypotheses_as_six():
    rng = np.random.default_rng(0)
    pvalues = rng.random((500, 6)) ** 3
    pvalues[rng.random(pvalues.shape) < 0.3] = np.nan
    tally = Tally()
    tally.add(difference(pvalues))
    rows = {row["quantity"]: row for row in tally.rows(GAPS, 0.05)}
    tested = np.isfinite(pvalues).any(axis=1)
    by_holm = (adjusted(pvalues, "holm") < 0.05).any(axis=1)
    assert 0.1 < by_holm.mean() < 0.9
    assert rows["holm"]["rejected"] == pytest.approx(by_holm[tested].mean())
    assert list(rows) == ["H0c", "H0w", "either", "holm"]


def test_small_is_a_cell_or_a_class_below_30():
    pvalues = [[0.5, 0.5]] * 4
    tally = Tally()
    tally.add(
        difference(pvalues, [30, 29, 30, 10]), np.array([[30, 40], [30, 30], [29, 50], [1, 1]])
    )
    assert {row["small"] for row in tally.rows(GAPS, 0.05)} == {3 / 4}
    tally = Tally()
    tally.add(difference(pvalues, [30, 29, 30, 10]))
    assert {row["small"] for row in tally.rows(GAPS, 0.05)} == {2 / 4}
