"""Estimators of density ratios against independent ones, and against the truth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError
from fairpairs.papers.ratio_estimators.estimators import ESTIMATORS
from fairpairs.papers.ratio_estimators.least_squares import CLASSIFIERS, LSIFRatio
from tests.normals import AT, normals


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("logistic", 0.12), ("ridge", 0.12), ("lasso", 0.12), ("kernel_gaussian", 0.4),
        ("kernel_polynomial", 0.4), ("lsif", 0.5), ("ulsif", 0.5), ("rulsif_0.25", 0.5),
        ("rulsif_0.5", 0.5),
    ],
)  # fmt: skip
def test_every_estimator_is_near_the_ratio_of_two_normals(name, close):
    """N(0.5, 1) to N(0, 1) is exp(x / 2 − 1/8); the mean error over the middle of the data."""
    one, zero = normals(900, 600, 0.5)
    at = np.linspace(-1, 1.5, 26)[:, None]
    fast = LSIFRatio(centres=40, widths=(0.5, 1.0, 2.0), penalties=(0.01, 0.1))
    ratio = (fast if name == "lsif" else ESTIMATORS[name]).fit(one, zero)(at)
    error = np.log(ratio) - (at[:, 0] / 2 - 0.125)
    assert np.abs(error).mean() < close
    assert np.corrcoef(ratio, at[:, 0])[0, 1] > 0.9


@pytest.mark.parametrize("name", [*ESTIMATORS])
def test_a_fit_is_the_same_again_and_takes_no_notice_of_the_order_it_is_asked_in(name):
    one, zero = normals()
    first, again = (ESTIMATORS[name].fit(one, zero) for _ in range(2))
    assert_array_equal(first(AT), again(AT))
    assert_allclose(first(AT[::-1]), first(AT)[::-1], rtol=1e-12)
    assert_allclose(first(AT[3:4]), first(AT)[3:4], rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in CLASSIFIERS])
def test_what_states_no_probability_takes_no_cap(name):
    ratio = ESTIMATORS[name].fit(*normals())
    with pytest.raises(InputError, match="cap bounds a probability, which this estimator"):
        ratio(AT, 0.99)


@pytest.mark.parametrize("name", ["ulsif", "rulsif_0.5", "lsif", "kernel_gaussian"])
def test_samples_that_are_too_small_are_told(name):
    one, zero = normals(1, 30)
    words = "Least-squares fitting needs two" if "ulsif" in name else "at least 5 items"
    with pytest.raises(InputError, match=words):
        ESTIMATORS[name].fit(one, zero)
    one, _ = normals(5, 30)  # fewer than there are centres
    assert np.isfinite(ESTIMATORS[name].fit(one, zero)(AT)).all() or name == "rulsif_0.5"
