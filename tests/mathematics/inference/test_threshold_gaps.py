"""Gaps over all thresholds, and their band."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstwobign

from fairpairs.mathematics.inference.proportions import threshold_gaps


def test_gap_and_band_are_those_of_the_definition():
    scores, reference = np.array([1.0, 2, 2, 5]), np.array([0.0, 2, 3, 3, 7])
    thresholds = np.array([0.0, 2, 2.5, 5, 7, 8])
    gap, low, high = threshold_gaps(scores, reference, thresholds, 0.1)
    for i, t in enumerate(thresholds):
        assert gap[i] == pytest.approx(np.mean(scores >= t) - np.mean(reference >= t))
    half = kstwobign.isf(0.1) * np.sqrt(1 / 4 + 1 / 5)
    assert_allclose(low, np.maximum(gap - half, -1))
    assert_allclose(high, np.minimum(gap + half, 1))
