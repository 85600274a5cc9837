"""Looks at AUC, xAUC and means of many streams at once."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.repeated_looks import estimates
from fairpairs.mathematics.sequential.difference_looks import MeanLooks, RankingLooks
from tests import promises


class Copy:
    """A generator that gives what another one gave."""

    def __init__(self, *arrays):
        self.arrays = list(arrays)

    def random(self, shape):
        return self.arrays.pop(0)

    def normal(self, size):
        return self.arrays.pop(0)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["AUC", "xAUC"])
def test_looks_at_scores_are_those_of_each_stream(measure):
    rng = np.random.default_rng(0)
    shape = (3, 900)
    drawn = rng.random(shape), rng.random(shape), rng.normal(size=shape)
    looks = list(estimates.ranked(
        measure, (0.7, 0.8), (1.0, 2.0), 0.4, 0.5, 50, Copy(*drawn), *shape,
    ))  # fmt: skip
    group, label = (
        (each < chance).astype(int) for each, chance in zip(drawn[:2], (0.4, 0.5), strict=True)
    )
    bins = estimates.scores((0.7, 0.8), (1.0, 2.0), group, label, Copy(drawn[2]), 50)
    for stream in range(3):
        found = RankingLooks.new(2, 0, 50).append(group[stream], label[stream], bins[stream])
        column = ["AUC", "xAUC"].index(measure)
        wanted = np.array([[each[0, column] for each in look] for look in found])
        ours = np.array([(estimate[stream], variance[stream]) for _, estimate, variance in looks])
        np.testing.assert_allclose(ours, wanted[-len(ours) :], rtol=1e-9)
        assert np.isnan(wanted[: -len(ours)]).all()


def test_looks_at_means_are_those_of_each_stream():
    rng = np.random.default_rng(1)
    shape = (3, 700)
    drawn, numbers = rng.random(shape), rng.exponential(size=shape)
    looks = list(estimates.averaged(lambda rng, group: numbers, 0.2, Copy(drawn), *shape))
    for stream in range(3):
        found = MeanLooks.new(2, 0).append((drawn[stream] < 0.2).astype(int), numbers[stream])
        ours = [(estimate[stream], variance[stream]) for _, estimate, variance in looks]
        np.testing.assert_allclose(ours, np.array(found)[:, :, 0], rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(("measure", "worlds"), [
    ("AUC", estimates.score_worlds("AUC")), ("xAUC", estimates.score_worlds("xAUC")),
    ("mean", estimates.number_worlds()),
])  # fmt: skip
def test_few_looks_leave_out_the_truth(measure, worlds):
    """The skewed to opposite sides are known to do so, and are in the docs."""
    names = [name for name in worlds if "mirror" not in name and "lognormal" not in name][::12]
    for name in names:
        rng = np.random.default_rng([2, len(name)])
        excluded = estimates.false_alarms(worlds[name], 0.0, 0.1, 2000, rng, 100, 0.05)
        assert excluded.sum(axis=1).max() <= binom.isf(1e-4, 100, 0.05), name


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["mean", "AUC", "xAUC"])
def test_a_drift_of_all_groups_is_no_difference(measure):
    """`SETS=2000 pytest -s -k drift_of_all_groups` prints the numbers of calibration.md."""
    number = promises.sets(100)
    for name, world in estimates.drifting_worlds(measure).items():
        rng = np.random.default_rng([4, len(name)])
        found = estimates.false_alarms(world, 0.0, 0.1, 4000, rng, number, 0.05).mean(axis=1)
        print(f"\n| {measure}, {name} | {found[0]:.3f}, {found[1:].max():.3f} |", end="")
        # a season of xAUC must be longer than a few blocks, which have some 330 rows here
        if (measure, name) != ("xAUC", "drift in six seasons"):
            assert found.max() <= binom.isf(promises.ALARM, number, 0.05) / number, name


@pytest.mark.slow
def test_a_difference_of_means_is_found_soon():
    world = partial(
        estimates.averaged, partial(estimates.drawn, ("normal", "normal", 1, 1), 0.3), 0.5
    )
    needed = estimates.planned(world, 0.3, 0.8, 0.05)
    assert needed == pytest.approx(7.849 * 4 / 0.09, rel=0.1)
    rows = estimates.delay(world, 0.1, 3000, np.random.default_rng(0), 200, 0.05)
    assert rows.max() < 3000
    assert rows.mean() < 1.8 * needed
