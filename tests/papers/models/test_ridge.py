import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairpairs.papers.models.ridge import PENALTIES, fit_ridge
from fairpairs.papers.registry import load


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "p"), [(300, 30), (41, 40), (40, 40), (30, 200)])
def test_penalties_and_predictions_are_those_of_scikit_learn(n, p, weighted):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, p)) * np.logspace(-3, 3, p) + 100 * rng.normal(size=p)
    x[:, 0], x[:, 1] = 7.3, x[:, 2]  # one column is constant, and two are the same
    noise = rng.normal(size=(n, 3)) * [0.1, 3, 50]
    y = x @ rng.normal(size=(p, 3)) / 100 + noise
    weights = rng.uniform(0.01, 3, n) if weighted else None
    new = rng.normal(size=(9, p)) * x.std(axis=0) + x.mean(axis=0)
    for targets in (y, y[:, 0]):
        fitted = fit_ridge(x, targets, weights)
        model = sklearn.linear_model.RidgeCV(
            PENALTIES, alpha_per_target=targets.ndim > 1, gcv_mode="svd"
        )
        expected = make_pipeline(StandardScaler(), model).fit(
            x, targets, standardscaler__sample_weight=weights, ridgecv__sample_weight=weights
        )
        assert_array_equal(fitted.penalty, model.alpha_)
        for items in (x, new):
            predicted = fitted.predict(items)
            assert predicted.shape == (len(items), *targets.shape[1:])
            assert_allclose(predicted, expected.predict(items), rtol=1e-8, atol=1e-8)


def test_the_smallest_of_penalties_with_the_same_error_is_chosen():
    x = np.random.default_rng(0).normal(size=(25, 8))
    y = np.full((len(x), 2), 4.0)  # without an error at any penalty
    fitted = fit_ridge(x, y)
    assert_array_equal(fitted.penalty, PENALTIES[0])
    assert_array_equal(fitted.predict(x), y)


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    city = rng.choice(["Ash", "Birk", "Cole"], 90)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 90), "city": city, "name": "nobody"})
    label = 0.5 * frame["age"].to_numpy() + 6 * (city == "Ash") + rng.normal(size=90)
    return frame, {"age": "numeric", "city": "categorical"}, label


def test_repeats_are_fitted_on_what_is_not_tested(people):
    features, kinds, label = people
    rng = np.random.default_rng(1)
    tested = [rng.permutation(90) < 30 for _ in range(2)]
    weights = [rng.uniform(0.1, 3, 60) for _ in tested]
    model = load("models", "ridge")(features, kinds)
    scores = model.fit_repeats(label, tested, weights, [None, None])
    x = np.column_stack(
        [features["age"], *(features["city"] == level for level in ("Ash", "Birk", "Cole"))]
    ).astype(float)
    for test, weight, own in zip(tested, weights, scores, strict=True):
        expected = fit_ridge(x[~test], label[~test], weight).predict(x[test])
        assert_allclose(own, expected, rtol=1e-8)
        assert np.corrcoef(own, label[test])[0, 1] > 0.9
    hidden = [np.where(test, 1e6, label) for test in tested]
    for i, own in enumerate(scores):
        again = model.fit_repeats(hidden[i], tested[i : i + 1], weights[i : i + 1], [None])
        assert_array_equal(again[0], own)
