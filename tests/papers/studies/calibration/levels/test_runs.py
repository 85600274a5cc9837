"""Runs of the public tests: which rejections count as wrong."""

import numpy as np

from fairpairs.papers.studies.calibration.levels.cases.sample import Sample
from fairpairs.papers.studies.calibration.levels.suite import TESTS


def test_only_true_hypotheses_count_as_wrong_rejections():
    """Of three groups the third is treated differently: two hypotheses of six are true."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 400)
    label = rng.integers(2, size=1200).astype(float)
    right = rng.random(1200) < np.where(group == 2, 0.55, 0.9)
    score = np.where(right, label, 1 - label)
    sample = Sample(group, label, score, np.array([0, 0, 1]))
    found = next(TESTS["separation_test"].run(sample, rng, 0.05))
    assert (found.of, found.values) == ("Holm", 0)
    everything = Sample(group, label, score, np.zeros(3, int))
    found = next(TESTS["separation_test"].run(everything, rng, 0.05))
    assert found.values == 1
