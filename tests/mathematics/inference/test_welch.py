import numpy as np
from numpy.testing import assert_allclose

from fairpairs import (
    differential_parity_test,
)
from fairpairs.mathematics.inference.welch import welch_test
from tests.mathematics.synthetic import decided


def test_moments_are_enough():
    one, two, group = decided(9)
    parts = [(one - two)[group == g] for g in (0, 1)]
    test = welch_test(
        np.array([p.mean() for p in parts]),
        np.array([p.var(ddof=1) for p in parts]),
        np.array([len(p) for p in parts], dtype=float),
    )
    expected = differential_parity_test(one, two, sensitive_features=group)
    assert_allclose(test.dpt, expected.difference.statistic[0])
