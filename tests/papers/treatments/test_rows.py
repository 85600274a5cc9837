"""Treatments of rows and of decisions, beside loops by their definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fairpairs.base.errors import InputError
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.models.logistic_regression import ESTIMATOR
from fairpairs.papers.treatments.fair_smote import fair_smote
from fairpairs.papers.treatments.fairbalance_variant import fairbalance_variant_weights
from fairpairs.papers.treatments.fairsituation import fairsituation
from fairpairs.papers.treatments.fairway import fairway
from fairpairs.papers.treatments.label_bias import label_bias
from fairpairs.papers.treatments.massaging import massaging
from fairpairs.papers.treatments.thresholds_by_group import ThresholdsByGroup

ROWS = ["fairway", "fairsituation", "fair_smote", "massaging", "label_bias"]


@pytest.fixture
def rows(small_dataset):
    d = small_dataset
    return d.frame[list(d.kinds)].copy(), d.label, d.groups.copy()


def regression(X, y, rows=None):
    """Logistic regression on some rows, by hand; features are standardised on all of them."""
    scaler = StandardScaler().fit(X[["amount", "sensitive_sex"]])

    def encoded(frame):
        scaled = scaler.transform(frame[["amount", "sensitive_sex"]])
        towns = [(frame["city"] == town).to_numpy(float) for town in ("Ash", "Birk", "Cole")]
        return np.column_stack([*towns, scaled])

    rows = np.ones(len(y), bool) if rows is None else np.asarray(rows)
    model = LogisticRegression(tol=1e-10, max_iter=1000).fit(encoded(X[rows]), y[rows])
    return lambda frame: model.predict_proba(encoded(frame))[:, 1]


def test_fairway_drops_what_the_models_of_two_groups_disagree_on(rows):
    X, y, groups = rows
    same = np.ones(len(y), bool)
    for name in ("sex", "race"):
        of = [groups[name] == code for code in (0, 1)]
        one, other = (regression(X, y, part)(X) > 0.5 for part in of)
        same &= one == other
    kept = fairway(X, y, groups)
    assert 0 < kept.sum() < len(X)
    assert_array_equal(kept, same)


def test_a_group_with_one_label_decides_for_it(rows):
    X, y, groups = rows
    y = np.where(groups["sex"] == 1, 1, y)
    of_zero = (groups["sex"] == 0).to_numpy()
    kept = fairway(X, y, groups[["sex"]])
    assert_array_equal(kept, regression(X, y, of_zero)(X) > 0.5)


def test_situation_testing_drops_what_changes_with_the_group(rows):
    X, y, groups = rows
    score = regression(X, y)
    flipped = X.assign(sensitive_sex=1 - X["sensitive_sex"])
    same = (score(X) > 0.5) == (score(flipped) > 0.5)
    kept = fairsituation(X, y, groups)
    assert 0 < kept.sum() < len(X)
    assert_array_equal(kept, same)
    with pytest.raises(InputError, match="make an attribute a feature there"):
        fairsituation(X[["amount", "city"]], y, groups)


def test_massaging_makes_the_shares_equal_with_labels_near_the_border(rows):
    X, y, groups = rows
    groups = groups[["sex"]]
    sex, score = groups["sex"].to_numpy(), regression(X, y)(X)
    before = [y[sex == code].mean() for code in (0, 1)]
    _, label, _ = massaging(X, y, groups)
    after = [label[sex == code].mean() for code in (0, 1)]
    assert abs(after[1] - after[0]) < 0.005 < abs(before[1] - before[0])
    assert label.sum() == y.sum()
    fewer = int(np.argmin(before))
    up = (label == 1) & (y == 0)
    down = (label == 0) & (y == 1)
    assert (sex[up] == fewer).all() and (sex[down] != fewer).all()
    others = (sex == fewer) & (y == 0) & ~up
    assert score[up].min() >= score[others].max()
    others = (sex != fewer) & (y == 1) & ~down
    assert score[down].max() <= score[others].min()
    with pytest.raises(InputError, match="needs two groups, and sex has 3"):
        massaging(X, y, groups.assign(sex=np.arange(len(y)) % 3))


def test_fair_smote_fills_every_cell_with_rows_between_neighbours(rows):
    X, y, groups = rows
    made, label, of = fair_smote(X, y, groups, np.random.default_rng(1), situation_testing=False)
    cells = of.assign(label=label).groupby(["sex", "race", "label"]).size()
    assert cells.min() == cells.max()
    pd.testing.assert_frame_equal(made[: len(X)], X, check_dtype=False)
    new = made[len(X) :]
    assert (made.dtypes == X.dtypes).all()
    assert set(new["city"]) <= set(X["city"])
    assert_array_equal(new["sensitive_sex"], of["sex"][len(X) :])
    assert (new["amount"] >= 0).all()
    assert not new["amount"].isin(X["amount"]).all()
    tested, _, _ = fair_smote(X, y, groups, np.random.default_rng(1))
    assert len(tested) < len(made)
    again = fair_smote(X, y, groups, np.random.default_rng(1))[0]
    pd.testing.assert_frame_equal(tested, again)


def test_label_bias_turns_labels_of_one_group(rows):
    X, y, groups = rows
    rng = np.random.default_rng(2)
    _, label, _ = label_bias(X, y, groups, rng, share=0.5, label=1, attribute="sex", group=1)
    turned, may = label != y, (y == 1) & (groups["sex"] == 1)
    assert not turned[~may].any()
    assert 0.35 < turned[may].mean() < 0.65
    _, noise, _ = label_bias(X, y, groups, np.random.default_rng(2), share=0.2, label=None)
    assert 0.1 < (noise != y).mean() < 0.3
    with pytest.raises(InputError, match="no attribute `age`: name one of sex, race"):
        label_bias(X, y, groups, rng, attribute="age")


def test_the_variant_gives_every_cell_the_same_weight(rows):
    _, y, groups = rows
    weights = fairbalance_variant_weights(y, groups)
    cells = groups.assign(y=y, w=weights).groupby(["sex", "race", "y"])["w"].sum()
    assert_allclose(cells, len(y) / 8)


@pytest.mark.parametrize(
    ("rate", "labels"), [("tpr", [1]), ("fpr", [0]), ("selection_rate", [0, 1])]
)
def test_thresholds_give_each_group_the_rate_of_all(rows, rate, labels):
    _, y, groups = rows
    rng = np.random.default_rng(4)
    score = np.clip(0.3 * y + 0.2 * groups["sex"] + rng.random(len(y)) / 2, 0, 1).to_numpy()
    counted = np.isin(y, labels)
    overall = (score[counted] > 0.5).mean()
    decided = ThresholdsByGroup(rate).fit(score, y, groups).predict(score, groups)
    for _, part in groups.groupby(["sex", "race"]):
        of = counted[part.index]
        assert abs(decided[part.index][of].mean() - overall) <= 0.5 / of.sum() + 1e-12
    with pytest.raises(InputError, match="rate"):
        ThresholdsByGroup("auc")


@pytest.mark.parametrize("treatment", [*ROWS, ["fairway", "fairbalance"]])
def test_an_experiment_has_them_by_name(small_dataset, treatment):
    settings = {"repeats": [0], "seed": 1, "test_fraction": 0.4}
    model = "logistic_regression"
    treated, none = (
        train_repeats(small_dataset, model=model, treatment=name, **settings)
        for name in (treatment, "none")
    )
    assert (treated["score"] != none["score"]).mean() > 0.9
    assert_array_equal(treated["item"], none["item"])
    chosen = train_repeats(
        small_dataset, model=model, **settings,
        treatment={"call": "thresholds_by_group", "with": {"rate": "fpr"}, "held_out": 0.4},
    )  # fmt: skip
    assert set(chosen["prediction"]) == {0, 1}


@pytest.mark.parametrize("treatment", [["fairway", "fairbalance"], ["fairway", "fairsituation"]])
def test_our_model_leaves_the_rows_out_of_its_own_fit(small_dataset, treatment):
    settings = {"repeats": [0, 1], "seed": 1, "test_fraction": 0.4, "treatment": treatment}
    ours, other = (
        train_repeats(small_dataset, model=model, **settings)
        for model in ("logistic_regression", ESTIMATOR)
    )
    assert_array_equal(ours["item"], other["item"])
    assert_allclose(ours["score"], other["score"], atol=1e-6)


@pytest.mark.parametrize("returned", [None, [1, 0], np.ones(3, bool)])
def test_a_filter_says_of_each_row_whether_it_is_kept(small_dataset, returned):
    treatment = {"call": lambda X, y, sensitive_features: returned, "as": "filter"}
    settings = {"repeats": [0], "seed": 1, "test_fraction": 0.4, "treatment": treatment}
    for model in ("logistic_regression", ESTIMATOR):
        with pytest.raises(InputError, match="return True or False for each of its"):
            train_repeats(small_dataset, model=model, **settings)


@pytest.mark.parametrize(
    ("kept", "words"), [(0, "only rows with the label 0 of its"), (2, "none of its")]
)
def test_a_filter_keeps_rows_of_both_labels(small_dataset, kept, words):
    treatment = {"call": lambda X, y, sensitive_features: y == kept, "as": "filter"}
    settings = {"repeats": [0], "seed": 1, "test_fraction": 0.4, "treatment": treatment}
    for model in ("logistic_regression", ESTIMATOR):
        with pytest.raises(InputError, match=words):
            train_repeats(small_dataset, model=model, **settings)
