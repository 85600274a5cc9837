"""Shrunken estimates: tau² by Paule and Mandel, beside statsmodels' and a simulation."""

import numpy as np
import pytest
from scipy.optimize import brentq

from fairpairs.mathematics.estimates.subgroups import between_variance, shrunken


def test_tau_solves_its_equation():
    rng = np.random.default_rng(0)
    variances = rng.uniform(0.001, 0.05, 200)
    estimates = rng.normal(0, np.sqrt(variances + 0.01))
    root = brentq(lambda t: (estimates**2 / (variances + t)).sum() - 200, 0, 1)
    assert between_variance(estimates, variances) == pytest.approx(root, rel=1e-6)
    assert root == pytest.approx(0.01, rel=0.4)


def test_what_varies_by_chance_alone_is_shrunken_to_0():
    estimates, variances = np.array([0.1, -0.1, 0.05]), np.full(3, 0.01)
    small, tau = shrunken(estimates, variances)
    assert tau == 0 and (small == 0).all()


def test_no_estimate_stays_none_and_no_variance_is_0():
    small, tau = shrunken(np.array([np.nan, 0.0, 0.4, -0.4]), np.array([np.nan, 0, 0.01, 0.01]))
    assert np.isnan(small[0]) and small[1] == 0 and 0.3 < small[2] < 0.4 and tau > 0.3
    small, tau = shrunken(np.array([np.nan]), np.array([np.nan]))
    assert np.isnan(small[0]) and tau == 0


def test_shrinking_halves_the_squared_error():
    rng = np.random.default_rng(1)
    true, variances = rng.normal(0, 0.05, 2000), rng.choice([0.0004, 0.01], 2000)
    estimates = true + rng.normal(0, np.sqrt(variances))
    small, tau = shrunken(estimates, variances)
    assert tau == pytest.approx(0.05, rel=0.1)
    assert ((small - true) ** 2).mean() < ((estimates - true) ** 2).mean() / 2
