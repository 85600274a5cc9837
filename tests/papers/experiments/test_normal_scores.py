"""xAUC of normal scores, against samples and the integral that defines it."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate
from scipy.stats import norm

from fairpairs import InputError, xauc_of_normal_scores


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_closed_form_does_not_depend_on_the_unit(unit):
    mean, sd = np.array([[0, 1], [0.5, 0.8]]), np.array([[1, 2], [0.5, 1]])
    assert_allclose(
        xauc_of_normal_scores(unit * mean, unit * sd), xauc_of_normal_scores(mean, sd), rtol=1e-12
    )


@pytest.mark.slow
def test_the_closed_form_is_the_integral_of_definition_2():
    mean, sd = [[0.1, 0.9], [-0.3, 1.4]], [[1.0, 0.7], [1.6, 0.4]]
    rates = xauc_of_normal_scores(mean, sd)
    for a, b in product((0, 1), repeat=2):
        value, _ = integrate.quad(
            lambda r, a=a, b=b: (
                norm.pdf(r, mean[a][1], sd[a][1]) * norm.cdf(r, mean[b][0], sd[b][0])
            ),
            -20, 20, points=[mean[a][1]],
        )  # fmt: skip
        assert_allclose(rates[a, b], value, atol=1e-7)


@pytest.mark.parametrize(
    ("mean", "sd", "words"),
    [
        ([0, 1], [1, 1], "a row for each group"),
        ([[0, 1]], [[1, 1], [1, 1]], "their shapes are"),
        ([[0, 1]], [[1, 0]], "every sd above 0"),
        ([[0, np.nan]], [[1, 1]], "must be finite"),
        ([[0, 1, 2]], [[1, 1, 1]], r"their shapes are \(1, 3\) and \(1, 3\)"),
        ([[0, 1]], [[1, -1]], "every sd above 0"),
        ([[0, 1]], 1, r"their shapes are \(1, 2\) and \(\)"),
        ([["low", 1]], [[1, 1]], "mean and sd must hold numbers"),
        ([[0, 1], [1]], [[1, 1], [1, 1]], "mean and sd must hold numbers"),
    ],
)
def test_the_closed_form_names_bad_input(mean, sd, words):
    with pytest.raises(InputError, match=words):
        xauc_of_normal_scores(mean, sd)


def test_the_closed_form_takes_large_spreads():
    rates = xauc_of_normal_scores([[0, 1e300], [0, 0]], [[1e200, 1e200]] * 2)
    assert_allclose(rates, [[1, 1], [0.5, 0.5]])
