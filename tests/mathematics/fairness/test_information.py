import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from fairpairs.base.errors import InputError
from fairpairs.mathematics.fairness.information import (
    information_separation,
    information_separation_of_groups,
)
from fairpairs.papers.experiments.information import information_fairness


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


def test_in_sample_measures_are_those_of_independent_fits_however_far_the_groups_lie_apart():
    for gap in (0.8, 4.0):
        y, prediction, group = made()
        prediction = prediction + gap * group
        found = information_fairness(
            y, prediction, sensitive_features=group, normalize=False
        ).separation
        joint, marginal = log_chances((y, prediction), group), log_chances((y,), group)
        assert_allclose(found, (joint - marginal).mean(), rtol=1e-8)


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


def test_labels_that_part_the_groups_leave_no_information_to_the_prediction():
    y, _, group = made(5)
    y = y + 8.0 * group
    found = information_separation_of_groups(y, y + 0.1, group[None])
    assert_allclose(
        found[0], of_scikit_learn(y, y + 0.1, group, normalize=True), rtol=1e-4, atol=1e-8
    )


def three(n=300, seed=3):
    rng = np.random.default_rng(seed)
    group, y = rng.integers(0, 3, n), rng.normal(size=n)
    return y, y + 0.8 * (group == 2) + rng.normal(size=n), group


def test_of_three_groups_they_are_those_of_multinomial_regressions():
    y, prediction, group = three()

    def log_chance(*columns):
        x = np.column_stack(columns)
        model = LogisticRegression(tol=1e-10, max_iter=5000).fit(x, group)
        return model.predict_log_proba(x)[np.arange(300), group].mean()

    share = np.bincount(group) / 300
    nothing = (share * np.log(share)).sum()
    label, score, both = log_chance(y), log_chance(prediction), log_chance(y, prediction)
    found = information_fairness(y, prediction, sensitive_features=group)
    assert found.independence == pytest.approx((score - nothing) / -nothing, rel=1e-4)
    assert found.separation == pytest.approx((both - label) / -label, rel=1e-4)
    assert found.sufficiency == pytest.approx((both - score) / -score, rel=1e-4)
    raw = information_fairness(y, prediction, sensitive_features=group, normalize=False)
    assert raw.separation == pytest.approx(both - label, rel=1e-4)


def test_small_groups_and_huge_values_are_told():
    y, prediction, group = made()
    rare = np.arange(120) < 4
    with pytest.raises(InputError, match="needs 5 items in each group"):
        information_fairness(y, prediction, sensitive_features=rare, cross_fitted=True)
    for scale, words in ((1e30, "too large for the logistic regr.*: rescale"), (1e200, "divide")):
        with pytest.raises(InputError, match=words):
            information_fairness(y * scale, prediction * scale, sensitive_features=group)
    with pytest.raises(InputError, match="one group only"):
        information_fairness(y, prediction, sensitive_features=np.zeros(120))


def test_of_65_items_chance_alone_makes_about_0_012():
    """The size of the test part of story points, with separation: as high as the printed I_sep."""
    rng = np.random.default_rng(1)
    labels = rng.normal(size=65)
    predictions = labels + rng.normal(size=65)
    groups = (rng.random((1000, 65)) < 0.5).astype(np.int64)
    values = information_separation_of_groups(labels, predictions, groups)
    assert values.mean() == pytest.approx(0.012, abs=0.003)
