"""The bounds by which promises are judged."""

import numpy as np
import pytest
from scipy.stats import binomtest

from fairpairs.papers.studies.calibration.levels.promises import coverage_row, level_row, power_row


@pytest.mark.parametrize(("found", "sets"), [(0, 50), (7, 100), (50, 50), (412, 1000)])
def test_bounds_are_those_of_clopper_and_pearson(found, sets):
    low = binomtest(found, sets, alternative="greater").proportion_ci(0.99).low
    high = binomtest(found, sets, alternative="less").proportion_ci(0.99).high
    assert level_row("Holm", False, found, sets, 0.05)["bound"] == pytest.approx(low)
    assert power_row(0.8, found, sets)["bound"] == pytest.approx(high)
    shares = np.repeat([1.0, 0.0], [found, sets - found])
    assert coverage_row("gap", False, shares, 0.05)["bound"] == pytest.approx(high)
