"""A drift of all groups is no difference; a season of xAUC must be longer than a few blocks."""

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.levels import promises
from benchmarks.repeated_looks import estimates


@pytest.mark.parametrize("measure", ["mean", "AUC", "xAUC"])
def test_a_drift_of_all_groups_is_no_difference(measure):
    number = promises.sets(100)
    for name, world in estimates.drifting_worlds(measure).items():
        rng = np.random.default_rng([4, len(name)])
        found = estimates.false_alarms(world, 0.0, 0.1, 4000, rng, number, 0.05).mean(axis=1)
        print(f"\n| {measure}, {name} | {found[0]:.3f}, {found[1:].max():.3f} |", end="")
        if (measure, name) != ("xAUC", "drift in six seasons"):
            assert found.max() <= binom.isf(promises.ALARM, number, 0.05) / number, name
