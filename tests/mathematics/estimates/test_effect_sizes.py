import numpy as np
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose
from statsmodels.stats.proportion import proportion_effectsize

import fairpairs as fp
from fairpairs.mathematics.estimates.estimates import cohens_h, magnitude


def test_cohens_h_of_the_reference():
    assert 0.4 < fp.cohens_h(0.5, 0.3) < 0.5


@given(st.floats(0, 1), st.floats(0, 1))
def test_cohens_h_is_that_of_statsmodels(p1, p2):
    assert_allclose(cohens_h(p1, p2), proportion_effectsize(p1, p2), rtol=1e-12, atol=1e-15)


def test_cohens_h_is_computed_for_arrays_at_once_and_nan_stays_nan():
    p1, p2 = np.array([[0.0, 0.5], [1.0, np.nan]]), np.array([1.0, 0.2])
    expected = [[-np.pi, proportion_effectsize(0.5, 0.2)], [0, np.nan]]
    assert_allclose(cohens_h(p1, p2), expected, rtol=1e-12, atol=1e-15)


def test_the_words_are_those_of_table_1():
    sizes = [0, 0.009, 0.01, -0.2, 0.49, 0.5, -0.8, 1.2, 2.0, 9, np.nan]
    assert list(magnitude(sizes, "d")) == [
        "none", "none", "very small", "small", "small", "medium", "large", "very large", "huge",
        "huge", "unknown",
    ]  # fmt: skip
