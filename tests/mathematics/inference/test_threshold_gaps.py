"""Gaps over all thresholds, and how often their band covers all of them."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, kstwobign, norm, randint, uniform

from fairpairs.mathematics.inference.threshold_gaps import threshold_gaps
from tests import promises

SETS = promises.sets(60)
SIZES = promises.some([(5, 5), (8, 200), (200, 8), (30, 30), (25, 400)], 1, 3)
ALPHA = 0.05


def survival(distribution, thresholds):
    """The chance of a score at or above each threshold."""
    discrete = hasattr(distribution, "pmf")
    return distribution.sf(thresholds) + (distribution.pmf(thresholds) if discrete else 0)


def covered(sizes, distributions, rng):
    """Whether the band holds the true gap at every threshold, of a set of scores."""
    scores = [
        np.sort(d.rvs(n, random_state=rng)) for n, d in zip(sizes, distributions, strict=True)
    ]
    at = np.concatenate(scores).astype(float)
    thresholds = np.concatenate([at, np.nextafter(at, np.inf)])  # the gap jumps behind a score
    _, low, high = threshold_gaps(*scores, thresholds, ALPHA)
    first, second = (survival(d, thresholds) for d in distributions)
    return bool(((low <= first - second) & (first - second <= high)).all())


levels = partial(randint, 0)
CASES = {
    "equal": (norm(), norm()),
    "shifted": (norm(1), norm()),
    "wider": (norm(0, 4), norm()),
    "narrow": (norm(0, 0.1), norm()),
    "apart": (uniform(2, 1), uniform()),
    "skewed": (beta(0.5, 2), beta(2, 0.5)),
    "five levels": (levels(5), levels(5)),
    "other levels": (levels(3), levels(6)),
}


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_the_band_covers_all_thresholds_at_once(name, sizes):
    def say(rng):
        return {"the band misses": not covered(sizes, CASES[name], rng)}

    promises.check(f"{name}, {sizes}", say, ALPHA, number=SETS, seed=sum(name.encode()))


def test_gap_and_band_are_those_of_the_definition():
    scores, reference = np.array([1.0, 2, 2, 5]), np.array([0.0, 2, 3, 3, 7])
    thresholds = np.array([0.0, 2, 2.5, 5, 7, 8])
    gap, low, high = threshold_gaps(scores, reference, thresholds, 0.1)
    for i, t in enumerate(thresholds):
        assert gap[i] == pytest.approx(np.mean(scores >= t) - np.mean(reference >= t))
    half = kstwobign.isf(0.1) * np.sqrt(1 / 4 + 1 / 5)
    assert_allclose(low, np.maximum(gap - half, -1))
    assert_allclose(high, np.minimum(gap + half, 1))
