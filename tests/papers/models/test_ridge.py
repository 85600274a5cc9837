import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairpairs.papers.models import ridge
from fairpairs.papers.models.ridge import PENALTIES, fit_ridge
from fairpairs.papers.registry import load


@pytest.fixture
def data():
    """25 items, more columns of very different spread than can be fitted well, three targets."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(25, 8)) * np.logspace(-2, 3, 8) + 5
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    noise = rng.normal(size=(25, 3)) * [0.2, 4, 60]
    return x, standard @ rng.normal(size=(8, 3)) + noise + 7


def left_out(x, y, penalty):
    """The mean squared error of each item predicted from the others, one fit an item."""
    errors = []
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        model = sklearn.linear_model.Ridge(alpha=penalty).fit(x[others], y[others])
        errors.append((model.predict(x[[i]])[0] - y[i]) ** 2)
    return np.mean(errors)


@pytest.mark.slow
def test_each_target_has_the_penalty_of_least_leave_one_out_error(data):
    x, y = data
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    chosen = fit_ridge(x, y).penalty
    best = [
        PENALTIES[np.argmin([left_out(standard, own, penalty) for penalty in PENALTIES])]
        for own in y.T
    ]
    assert_array_equal(chosen, best)
    assert len(set(best)) == 3  # the noisier, the larger


def test_predictions_are_those_of_plain_ridge_regression_at_that_penalty(data):
    x, y = data
    mean, spread = x.mean(axis=0), x.std(axis=0)
    new = np.random.default_rng(1).normal(size=(6, 8)) * spread + mean
    fitted = fit_ridge(x, y)
    for i, penalty in enumerate(fitted.penalty):
        plain = sklearn.linear_model.Ridge(alpha=penalty).fit((x - mean) / spread, y[:, i])
        expected = plain.predict((new - mean) / spread)
        assert_allclose(fitted.predict(new)[:, i], expected, rtol=1e-8)
        alone = fit_ridge(x, y[:, i])  # one target is fitted as it is among several
        assert alone.penalty == penalty
        assert_allclose(alone.predict(new), expected, rtol=1e-8)


def test_predictions_are_those_of_the_normal_equations(data, monkeypatch):
    x, y = data
    monkeypatch.setattr(ridge, "PENALTIES", np.array([30.0]))
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    slope = np.linalg.solve(z.T @ z + 30 * np.eye(8), z.T @ (y - y.mean(axis=0)))
    assert_allclose(fit_ridge(x, y).predict(x), y.mean(axis=0) + z @ slope, rtol=1e-8)


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


def test_the_smallest_of_penalties_with_the_same_error_is_chosen(data):
    x, _ = data
    y = np.full((len(x), 2), 4.0)  # without an error at any penalty
    fitted = fit_ridge(x, y)
    assert_array_equal(fitted.penalty, PENALTIES[0])
    assert_array_equal(fitted.predict(x), y)


def test_whole_weights_are_rows_repeated(data, monkeypatch):
    x, y = data
    monkeypatch.setattr(ridge, "PENALTIES", np.array([10.0]))
    weights = np.random.default_rng(2).integers(1, 5, len(x))
    repeated = np.repeat(np.arange(len(x)), weights)
    weighted = fit_ridge(x, y, weights.astype(float)).predict(x)
    assert_allclose(weighted, fit_ridge(x[repeated], y[repeated]).predict(x), rtol=1e-8)
    assert np.abs(weighted - fit_ridge(x, y).predict(x)).max() > 0.01


def test_more_columns_than_items_are_no_trouble():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(12, 40)), rng.normal(size=12)
    predicted = fit_ridge(x, y).predict(x)
    assert np.isfinite(predicted).all()


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


def test_weights_matter(people):
    features, kinds, label = people
    test = np.arange(90) < 30
    wrong = ~test & (np.arange(90) % 2 == 0)  # labels that tell nothing
    given = np.where(wrong, 100.0, label)
    model = load("models", "ridge")(features, kinds)
    equal, unequal = np.ones(60), np.where(wrong[~test], 1e-9, 1.0)
    alike, weighted = model.fit_repeats(given, [test, test], [equal, unequal], [None, None])
    assert np.abs(alike - label[test]).mean() > 10
    assert np.abs(weighted - label[test]).mean() < 2
