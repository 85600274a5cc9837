import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression as ScikitLearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairpairs import InputError
from fairpairs.papers.models.logistic_regression import LogisticRegression

N = 400


def scikit_learn_scores(frame, kinds, y, train, weights):
    """Everything is fitted on the training part alone, as a pipeline does it."""
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    categorical = [name for name, kind in kinds.items() if kind == "categorical"]
    features = frame[list(kinds)].copy()
    for name in categorical:  # None is a level of its own
        values = features[name].astype(object)
        features[name] = values.where(values.notna(), None)
    steps = [
        ("numeric", StandardScaler(), numeric),
        ("categorical", OneHotEncoder(handle_unknown="ignore"), categorical),
    ]
    model = make_pipeline(
        ColumnTransformer([step for step in steps if step[2]], sparse_threshold=0),
        ScikitLearn(solver="newton-cholesky", tol=1e-12, max_iter=1000),
    )
    model.fit(features[train], y[train], logisticregression__sample_weight=weights)
    return model.predict_proba(features[~train])[:, 1]


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 70, N),
            "income": rng.lognormal(10, 1, N),
            "city": rng.choice(["Ash", "Birk", "Cole"], N),
            "job": rng.choice([f"job {i}" for i in range(30)], N),
        }
    )


@pytest.fixture
def labels(people):
    rng = np.random.default_rng(1)
    eta = (people["age"] - 44) / 15 + (people["city"] == "Ash") - (people["job"] < "job 2")
    return (rng.random(N) < 1 / (1 + np.exp(-eta.to_numpy(dtype=float)))).astype(np.int64)


@pytest.fixture
def train():
    return np.random.default_rng(2).random(N) < 0.5


ALL = {"age": "numeric", "income": "numeric", "city": "categorical", "job": "categorical"}


def assert_agrees(frame, kinds, y, train, weights=None):
    weights = np.ones(train.sum()) if weights is None else weights
    scores = LogisticRegression(frame, kinds).fit_repeat(y, ~train, weights)
    expected = scikit_learn_scores(frame, kinds, y, train, weights)
    assert expected.std() > 0.01  # the features are worth something
    assert_allclose(scores, expected, atol=1e-7, rtol=0)


@pytest.mark.parametrize(
    "kinds",
    [
        ALL,
        {"age": "numeric", "income": "numeric"},
        {"city": "categorical", "job": "categorical"},
        {"job": "categorical"},
    ],
    ids="+".join,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn(people, labels, train, kinds, weighted):
    weights = np.random.default_rng(3).gamma(1, 1, train.sum()) if weighted else None
    assert_agrees(people, kinds, labels, train, weights)


def test_a_missing_level_is_a_level_of_its_own(people, labels, train):
    for name in ("city", "job"):  # in the column of the most levels, and in the other
        people.loc[np.random.default_rng(4).random(N) < 0.2, name] = None
    assert people[["city", "job"]].isna().sum().min() > 50
    assert_agrees(people, ALL, labels, train)


def test_levels_that_the_training_part_lacks_are_ignored(people, labels, train):
    for name in ("city", "job"):
        people.loc[np.flatnonzero(~train)[:40], name] = "unseen"
        people.loc[np.flatnonzero(~train)[40:50], name] = None
    assert_agrees(people, ALL, labels, train)


@pytest.mark.parametrize("constant", [0.0, 2.0, 0.1])
def test_a_numeric_column_that_is_constant_in_training_says_nothing_of_others(
    people, labels, train, constant
):
    # scikit-learn leaves such a column unscaled; its coefficient is 0
    people["rare"] = np.where(train, constant, 50_000.0)
    assert_agrees(people, {**ALL, "rare": "numeric"}, labels, train)


def test_one_hot_features_that_are_numbers_are_levels(people, labels, train):
    people["city"] = people["city"].map({"Ash": 1, "Birk": 2, "Cole": 3})
    assert_agrees(people, ALL, labels, train)


def test_rare_labels_are_fitted(people, labels, train):
    y = np.zeros(N, dtype=np.int64)
    y[np.flatnonzero(train)[:3]] = 1
    weights = np.where(y[train] == 1, 50.0, 1.0)
    assert_agrees(people, ALL, y, train, weights)


def test_steps_that_go_too_far_are_halved(monkeypatch):
    rng = np.random.default_rng(9)
    people = pd.DataFrame({"x": rng.normal(size=90) ** 5, "z": rng.normal(size=90) ** 5})
    train, y = np.arange(90) < 60, rng.integers(2, size=90)
    weights = 1e8 * rng.gamma(0.05, 1, 60)
    kinds = {"x": "numeric", "z": "numeric"}
    assert_agrees(people, kinds, y, train, weights)
    monkeypatch.setattr("fairpairs.papers.models.logistic_regression.OVERSHOOT", np.inf)
    with pytest.raises(np.linalg.LinAlgError), np.errstate(all="ignore"):
        LogisticRegression(people, kinds).fit_repeat(y, ~train, weights)


def test_repeats_in_any_chunks_give_the_same_bytes(people, labels):
    tested = [np.random.default_rng(r).random(N) < 0.5 for r in range(7)]
    weights = [np.random.default_rng(r).gamma(1, 1, (~test).sum()) for r, test in enumerate(tested)]
    model = LogisticRegression(people, ALL)
    whole = model.fit_repeats(labels, tested, weights, [None] * 7)
    for size in (1, 3, 4):
        parts = []
        for i in range(0, 7, size):
            model = LogisticRegression(people, ALL)
            of = tested[i : i + size], weights[i : i + size]
            parts += model.fit_repeats(labels, *of, [None] * len(of[0]))
        for one, other in zip(whole, parts, strict=True):
            assert_array_equal(one, other)


def test_the_labels_of_the_test_part_do_not_leak(people, labels, train):
    model, weights = LogisticRegression(people, ALL), np.ones(train.sum())
    other = np.where(train, labels, 1 - labels)
    assert_array_equal(
        model.fit_repeat(labels, ~train, weights), model.fit_repeat(other, ~train, weights)
    )


@pytest.mark.parametrize("label", [0, 1])
def test_one_label_in_the_training_part_is_refused(people, train, label):
    y = np.where(train, label, 1 - label)
    with pytest.raises(InputError, match=f"has only the label {label}: use a data set with both"):
        LogisticRegression(people, ALL).fit_repeat(y, ~train, np.ones(train.sum()))
