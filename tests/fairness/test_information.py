import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from fairpairs.errors import InputError
from fairpairs.fairness.information import (
    information_separation,
    information_separation_of_groups,
)


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
    assert_allclose(
        information_separation(y, prediction, normalize=False, **given), printed, rtol=1e-8
    )
    normalised = printed / -marginal.mean()
    assert_allclose(information_separation(y, prediction, **given), normalised, rtol=1e-8)
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


def of_scikit_learn(y, prediction, group, *, normalize):
    def mean_log(*columns):
        x = np.column_stack(columns)
        fitted = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000)
        return log_expit((2 * group - 1) * fitted.fit(x, group).decision_function(x)).mean()

    both, label = mean_log(y, prediction), mean_log(y)
    return (both - label) / (-label if normalize else 1)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("scale", [1, 30])
def test_every_row_of_groups_is_that_of_scikit_learn(normalize, scale):
    y, prediction, group = made(2)
    rng = np.random.default_rng(0)
    separable = (prediction > np.median(prediction)).astype(int)
    rare = (np.arange(120) == prediction.argmax()).astype(int)
    groups = np.stack([group, separable, rare, *rng.integers(2, size=(4, 120))])
    y, prediction = scale * y, scale * prediction
    found = information_separation_of_groups(y, prediction, groups, normalize=normalize)
    expected = [of_scikit_learn(y, prediction, row, normalize=normalize) for row in groups]
    assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    alone = [
        information_separation_of_groups(y, prediction, row[None], normalize=normalize)[0]
        for row in groups
    ]
    assert_allclose(found, alone, rtol=1e-7, atol=1e-10)


def test_groups_that_the_prediction_parts_wholly_have_nearly_all_the_information():
    y, _, group = made(3)
    for prediction in (10.0 * group, group * 1000.0 + y):
        found = information_separation(y, prediction, sensitive_features=group)
        assert_allclose(found, of_scikit_learn(y, prediction, group, normalize=True), rtol=1e-6)
        assert found > 0.95


def test_labels_far_from_zero_are_no_trouble():
    y, prediction, group = made(4)
    near = information_separation(y, prediction, sensitive_features=group)
    far = information_separation(y + 1e6, prediction - 1e6, sensitive_features=group)
    assert_allclose(far, near, rtol=1e-6)


def test_labels_that_part_the_groups_leave_no_information_to_the_prediction():
    y, _, group = made(5)
    y = y + 8.0 * group
    found = information_separation_of_groups(y, y + 0.1, group[None])
    assert_allclose(
        found[0], of_scikit_learn(y, y + 0.1, group, normalize=True), rtol=1e-4, atol=1e-8
    )
