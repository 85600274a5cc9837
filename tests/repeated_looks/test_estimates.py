"""Looks at AUC, xAUC and means of many streams at once."""

import numpy as np
import pytest

from benchmarks.repeated_looks import estimates
from fairpairs.mathematics.sequential.difference_looks import MeanLooks, RankingLooks


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
