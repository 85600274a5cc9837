import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit

from fairpairs.errors import InputError
from fairpairs.fairness.density_ratio import information_separation


def log_chances(columns, group):
    """Fit a logistic regression with an L2 penalty of 1 by a general optimiser."""
    x = np.column_stack([np.ones(len(group)), *columns])
    sign = 2 * group - 1

    def loss(b):
        return np.logaddexp(0, -sign * (x @ b)).sum() + (b[1:] ** 2).sum() / 2

    def slope(b):
        return -(sign * expit(-sign * (x @ b))) @ x + np.append(0, b[1:])

    found = minimize(loss, np.zeros(x.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9})
    return -np.logaddexp(0, -sign * (x @ found.x))


def made(seed=0, n=120):
    rng = np.random.default_rng(seed)
    group, y = rng.integers(0, 2, n), rng.normal(size=n)
    return y, y + 0.8 * group + rng.normal(size=n), group


def test_both_forms_are_those_of_independent_fits():
    y, prediction, group = made()
    joint, marginal = log_chances((y, prediction), group), log_chances((y,), group)
    printed = (joint - marginal).mean()
    given = {"sensitive_features": group}
    # scikit-learn's default solver stops a little before the optimum
    assert_allclose(
        information_separation(y, prediction, normalize=False, **given), printed, atol=1e-5
    )
    normalised = printed / -marginal.mean()
    assert_allclose(information_separation(y, prediction, **given), normalised, atol=1e-5)
    assert printed > 0.02


def test_a_prediction_that_says_nothing_of_the_group_has_almost_none():
    rng = np.random.default_rng(1)
    y, group = rng.normal(size=2000), rng.integers(0, 2, 2000)
    # in expectation 1 / (2 n) for one idle parameter
    value = information_separation(y, y + rng.normal(size=2000), sensitive_features=group)
    assert 0 <= value < 0.004


def test_groups_may_have_names():
    y, prediction, group = made()
    named = information_separation(y, prediction, sensitive_features=np.array(["f", "m"])[group])
    assert named == information_separation(y, prediction, sensitive_features=group)


@pytest.mark.parametrize(
    ("y", "group", "message"),
    [
        ([1.0, np.nan, 2.0], [0, 1, 1], "y_true has 1 missing"),
        ([1.0, 2.0, 3.0], [1, 1, 1], "one group only"),
        ([1.0, 2.0], [0, 1, 1], "one length"),
    ],
)
def test_bad_input_is_refused(y, group, message):
    with pytest.raises(InputError, match=message):
        information_separation(y, [1.0, 2.0, 3.0], sensitive_features=group)
