import numpy as np
import pytest
from numpy.testing import assert_allclose

from fairpairs.base.errors import InputError
from fairpairs.papers.treatments.fair_reweighing import fair_reweighing_weights
from fairpairs.papers.treatments.reweighing import reweighing_weights


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def by_double_loop(y, attributes, radius):
    """Count neighbours one by one."""
    a, b = standardised(np.asarray(attributes, float).reshape(len(y), -1)), standardised(y)

    def near(points):
        return [sum(np.linalg.norm(p - q) < radius for q in points) for p in points]

    joint = np.column_stack([a, b])
    weights = np.array(near(a)) * np.array(near(b[:, None])) / np.array(near(joint))
    return weights / weights.mean()


@pytest.mark.parametrize("radius", [0.5, 1.2])
@pytest.mark.parametrize("several", [False, True])
def test_neighbours_are_counted_as_by_a_double_loop(radius, several):
    rng = np.random.default_rng(0)
    y, a = rng.normal(size=60), rng.integers(0, 2, 60)
    a = np.column_stack([a, rng.normal(size=60)]) if several else a
    weights = fair_reweighing_weights(y, a, radius=radius)
    assert_allclose(weights, by_double_loop(y, a, radius), rtol=1e-12)
    assert_allclose(weights.mean(), 1)


def test_the_radius_itself_is_not_near():
    # standardised, 0 and 1 lie 2 apart
    y, a = np.array([0.0, 1.0] * 10), np.array([0] * 10 + [1] * 10)
    exact = fair_reweighing_weights(y, a, radius=2.0)
    assert_allclose(exact, reweighing_weights(y, a), rtol=1e-12)


def test_a_narrow_kernel_gives_reweighing_to_a_tolerance():
    rng = np.random.default_rng(3)
    y, a = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    # levels are ten bandwidths apart, where a Gaussian is e^-50
    weights = fair_reweighing_weights(y, a, density="kernel", bandwidth=0.2)
    assert_allclose(weights, reweighing_weights(y, a), rtol=1e-6)


@pytest.mark.parametrize(
    ("y", "a", "options", "message"),
    [
        ([1.0, 2.0], [0, 0], {}, "sensitive_features has only one value"),
        ([1.0, 1.0], [0, 1], {}, "y has only one value"),
        ([1.0, np.nan], [0, 1], {}, "y has 1 missing value"),
        ([1.0, 2.0], [0, 1, 1], {}, "one length"),
        ([1.0, 2.0], ["f", "m"], {}, "must hold numbers"),
        ([1.0, 2.0], [0, 1], {"density": "histogram"}, "density must be"),
    ],
)
def test_bad_input_is_refused(y, a, options, message):
    with pytest.raises(InputError, match=message):
        fair_reweighing_weights(y, a, **options)
