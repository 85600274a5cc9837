import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import fairpairs as fp
from fairpairs.papers.display.treatments import told
from tests.synthetic_loans import synthetic_loans


@pytest.fixture
def loans():
    return synthetic_loans(600)


def run(data, **changes):
    arguments = {
        "label": "repaid", "positive": "yes", "sensitive_features": ["sex", "region"], "repeats": 3,
        "models": ["logistic_regression"], "treatments": ["none", "fairbalance"], "seed": 5,
    }  # fmt: skip
    return fp.experiment(data, **{**arguments, **changes})


def test_there_is_a_row_for_each_measure_of_each_arm(loans):
    found = run(loans)
    assert list(found) == [
        "dataset", "attribute", "groups", "model", "treatment", "repeat", "measure", "value",
        "n_train", "n_test",
    ]  # fmt: skip
    assert len(found) == 2 * 3 * (3 + 2 * 2)
    assert found["value"].notna().all()
    pd.testing.assert_frame_equal(found, run(loans))
    assert (run(loans, seed=6)["value"] != found["value"]).any()


def test_objects_are_what_their_paths_are(loans):
    """And none of them is changed by a fit."""
    model, forest = LogisticRegression(C=0.1), RandomForestClassifier(5)
    thresholds = ThresholdOptimizer(constraints="equalized_odds", predict_method="predict_proba")
    before = [repr(made) for made in (model, forest, thresholds)]
    objects = run(
        loans, models={"a": model, "b": forest}, treatments={"none": "none", "t": thresholds}
    )
    assert [repr(made) for made in (model, forest, thresholds)] == before
    options = {"constraints": "equalized_odds", "predict_method": "predict_proba"}
    path = "sklearn.linear_model.LogisticRegression"
    named = run(
        loans,
        models={
            "a": {"call": path, "with": {"C": 0.1}},
            "b": {"call": "sklearn.ensemble.RandomForestClassifier", "with": {"n_estimators": 5}},
        },
        treatments={
            "none": "none",
            "t": {"call": "fairlearn.postprocessing.ThresholdOptimizer", "with": options},
        },
    )
    pd.testing.assert_frame_equal(objects, named)


def test_a_function_may_be_a_treatment_and_the_gap_is_the_reference_less_the_other(loans):
    def double(y, sensitive_features):
        return 1 + y

    found = run(loans, treatments=[double, ["fairway", "fairbalance"]], repeats=1)
    assert set(found["treatment"]) == {"double", "fairway-fairbalance"}
    one, other = (
        run(loans, reference={"sex": sex}, measures=["tpr_gap"]).query("attribute == 'sex'")
        for sex in ("male", "female")
    )
    assert (np.sign(one["value"].to_numpy()) == -np.sign(other["value"].to_numpy())).all()


def test_numbers_and_three_groups(loans):
    found = run(
        loans.drop(columns="repaid"), label="income", positive=None, sensitive_features="purpose",
        models=["ridge"], treatments=["none", "fair_reweighing"],
    )  # fmt: skip
    assert set(found["measure"]) == {"mae", "r2", "mean_error_gap"}
    assert (found.query("measure == 'mean_error_gap'")["value"] >= 0).all()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label": "repayed"}, r"no column `repayed` \(did you mean `repaid`\?\)"),
        ({"positive": "Yes"}, "holds 'no', 'yes', and `positive` is 'Yes': name which of two val"),
        ({"repeats": 0}, "repeats"),
        ({"features": ["income", "repaid"]}, "The label repaid is among the features"),
        ({"test_fraction": 30}, "test_fraction"),
        ({"positive": None}, "name which of two values is `positive`"),
        ({"label": "purpose", "positive": None}, "more than two values, and no numbers"),
        ({"reference": {"sex": "x"}}, "sex has the groups male, female: name one"),
        ({"models": ["logistic"]}, "there is no model `logistic`.*: name one of linear_mae, "),
        ({"models": ["ridge"]}, "model ridge needs a label that is a number, and that of the data"),
        ({"models": [LinearRegression()]}, "LinearRegression is for a label that is a number"),
        ({"measures": ["r2"]}, "`r2` is for a label of a number"),
        ({"treatments": []}, "treatments is empty: name one or more"),
        ({"reference": {"sexx": "male"}}, "`sexx` is not in sensitive_features"),
        ({"sensitive_features": ["sex", "sex"]}, "`sex` is twice in sensitive_features"),
        (
            {"treatments": [{"call": "fairbalance", "heldout": 1}]},
            "no option `heldout` .did you mea",
        ),
        (
            {"treatments": [{"call": "thresholds_by_group", "held_out": 2}]},
            "held_out must lie betw",
        ),
        ({"treatments": [{"call": "fairbalance", "as": "row"}]}, "as must be one of 'weights', "),
        (
            {"models": [{"call": "ridge", "grid": {"a": 3}}]},
            "grid of a is 3: give a list of values",
        ),
        ({"models": [{"call": "ridge", "search": {"bst": 1}}]}, "names bst: name `best`, and per"),
        ({"measures": [{"call": "sklearn.metrics.f1_score", "groups": "x"}]}, "takes no `groups`"),
        ({"models": [{"call": None}]}, "call is None: give a name, an import path, a class or a f"),
        ({"measures": [{"tpr_gap": {"groups": "all"}}]}, "groups must be one of 'attributes', "),
    ],
)
def test_bad_input_is_one_sentence(loans, changes, words):
    with pytest.raises(fp.InputError, match=words):
        run(loans, **changes)


def test_a_feature_cannot_have_the_name_of_a_column_of_experiments(loans):
    """It would be taken for the label, the groups or the split."""
    for name in ("item", "label", "test", "sensitive_sex"):
        with pytest.raises(fp.InputError, match=f"The feature {name} has a name of experiments"):
            run(loans.rename(columns={"income": name}))


class Model(ClassifierMixin, BaseEstimator):
    """A model that returns what it is told to."""

    def __init__(self, returns=0.0):
        self.returns = returns

    def fit(self, X, y, sample_weight=None):
        if self.returns == "nothing":
            raise RuntimeError("no luck\ntoday")
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.full(3 if self.returns == 3 else len(X), self.returns)


class Scores(Model):
    def predict_proba(self, X):
        return np.full((len(X), 2), self.returns)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Scores(np.nan), "Scores returned the score nan at index 0 .* are wrong.: check for"),
        (Scores(1.5), r"Scores returned the score 1\.5 .* from 0 to 1: return probabilities"),
        (Model(-1), "Model returned the prediction -1 at index 0 .* the label is 0 or 1: name a c"),
        (Model(3), r"Model returned \d predictions: return one for each of the \d+ tested rows"),
        (Model("nothing"), "data set data in repeat 0 .RuntimeError: no luck today.: correct it"),
    ],
)
def test_a_model_that_fails_or_returns_nonsense_is_named(loans, model, words):
    with pytest.raises(fp.InputError, match=words):
        run(loans, models=[model], measures=["accuracy"], treatments=["none"])


def test_one_part_needs_no_list_and_a_missing_group_leaves_its_gap_empty(loans):
    """The same as in the workflow: a gap of all groups, or none."""
    loans["region"] = np.where(np.arange(len(loans)) < 3, "rare", loans["region"])
    found = run(loans, models="logistic_regression", treatments="none", measures=["tpr_gap"])
    gaps = found[found["attribute"] == "region"]["value"]
    assert gaps.isna().any()
    assert found[found["attribute"] == "sex"]["value"].notna().all()


def test_each_row_is_scored_once_by_the_other_folds(loans):
    """In the label's values and the rows of the data, ready for `compare`."""
    loans.index = loans.index[::-1] + 7
    given = {"label": "repaid", "positive": "yes", "sensitive_features": "sex", "folds": 4}
    forest = RandomForestClassifier(5)
    once = fp.score_once(loans, models=[forest], treatments=["none", "fairbalance"], **given)
    assert once.index.equals(loans.index) and set(once["none"]) == {"yes", "no"}
    score = fp.score_once(loans, models=[forest], as_scores=True, **given)["none"]
    assert ((score > 0.5) == (once["none"] == "yes")).all()
    assert (once["none"] == loans["repaid"]).mean() < 0.9  # a forest knows rows that it has seen
    result = fp.compare(
        loans["repaid"], once["none"], once["fairbalance"], positive="yes",
        sensitive_features={"sex": loans["sex"]},
    )  # fmt: skip
    assert {"TPR", "FPR"} <= set(result.to_frame()["measure"])


def test_scores_of_decisions_that_have_none_are_refused(loans):
    thresholds = ThresholdOptimizer(constraints="equalized_odds", predict_method="predict_proba")
    with pytest.raises(fp.InputError, match="t makes decisions without scores: leave it out"):
        fp.score_once(
            loans, label="repaid", positive="yes", sensitive_features="sex", as_scores=True,
            models=[RandomForestClassifier(5)], treatments={"t": thresholds}, folds=2,
        )  # fmt: skip


def test_missing_and_infinite_values_are_named(loans):
    loans["income"] = loans["income"].astype(float)
    loans.loc[3, "income"] = np.inf
    with pytest.raises(fp.InputError, match="infinite values of `income`: give finite numbers"):
        run(loans)
    loans.loc[3, "income"] = np.nan
    with pytest.raises(fp.InputError, match="1 missing values of `income`: fill or drop them"):
        run(loans)


COLUMNS = [
    *("sex", "age", "age_cat", "race", "juv_fel_count", "juv_misd_count", "juv_other_count"),
    *("priors_count", "c_charge_degree", "c_charge_desc", "two_year_recid"),
]
ROWS = {"none": "none", "FairBalance": "fairbalance", "Reweighing": "reweighing"}


@pytest.mark.slow
def test_the_page_says_what_treatments_do_on_compas(root, mirror):
    """The table of docs/how-to/lower-gaps.md, and the sentence in README."""
    people = pd.read_csv(mirror / "compas/compas-scores-two-years.csv")[COLUMNS]
    people["race"] = people["race"].where(people["race"] == "Caucasian", "other")
    found = fp.experiment(
        people, label="two_year_recid", positive=0, sensitive_features=["sex", "race"],
        models=["logistic_regression"], reference={"race": "Caucasian", "sex": "Male"},
        treatments=[*ROWS.values(), {"call": "thresholds_by_group", "held_out": 0.3}],
    )  # fmt: skip
    _, reweighing, _ = told(fp.compare_treatments(found), {"data": "COMPAS"}, {})["COMPAS"]
    assert reweighing in " ".join((root / "README.md").read_text("utf-8").split())
    means = found.groupby(["treatment", "measure", "attribute"])["value"].mean()
    page = (root / "docs/how-to/lower-gaps.md").read_text("utf-8").replace("−", "-")
    rows = [line.strip("|").split("|") for line in page.splitlines() if " % |" in line]
    assert len(rows) == 4
    for row, *cells in rows:
        treatment = ROWS.get(row.strip(), "thresholds_by_group")
        assert cells[0].strip() == f"{means[treatment, 'accuracy', '']:.1%}".replace("%", " %")
        names = [("tpr_gap", "race"), ("fpr_gap", "race"), ("tpr_gap", "sex"), ("fpr_gap", "sex")]
        for cell, name in zip(cells[1:], names, strict=True):
            assert float(cell) == pytest.approx(100 * means[(treatment, *name)], abs=0.051), name
