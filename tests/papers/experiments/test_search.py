"""Settings that are chosen in every repeat on rows of the training part."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fairpairs import InputError
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.arms import Arm
from fairpairs.papers.experiments.experiment import experiment
from fairpairs.papers.experiments.part_checks import check_arms
from fairpairs.papers.experiments.search import NOT_MET, searched
from fairpairs.papers.experiments.seeds import stratified_split, stream
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.treatments.groups import joint_groups

TREE = "sklearn.tree.DecisionTreeClassifier"
DEPTHS = [1, 2, 5]
BY_AUC = {"call": TREE, "grid": {"max_depth": DEPTHS}, "search": {"best": "auc"}}
SHARE = 0.3


def people(n: int = 400, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 2)) + sex[:, None] * [0.7, 0]
    y = (x.sum(axis=1) + rng.normal(size=n) > 0.4).astype(np.int8)
    columns = {"item": np.arange(n), "x": x[:, 0], "z": x[:, 1], "sensitive_sex": sex, "label": y}
    return pd.DataFrame(columns)


def prepared(frame: pd.DataFrame) -> PreparedDataset:
    kinds = {"x": "numeric", "z": "numeric", "sensitive_sex": "numeric"}
    return PreparedDataset("people", frame, kinds, ("sex",))


def predictions(frame: pd.DataFrame, model=BY_AUC, treatment="none", repeats=range(4)):
    return train_repeats(
        prepared(frame), model=model, treatment=treatment, repeats=repeats, seed=3,
        test_fraction=SHARE,
    )  # fmt: skip


def by_hand(frame: pd.DataFrame, repeat: int) -> tuple[str, np.ndarray]:
    """Choose a depth by the AUC on held-out training rows, as the docs say, with scikit-learn."""
    X = frame[["x", "z", "sensitive_sex"]].to_numpy()
    y = frame["label"].to_numpy()
    strata = joint_groups(np.column_stack([frame["sensitive_sex"], y]))
    test = stratified_split(strata, SHARE, stream(3, "split", "people", repeat))
    train = np.flatnonzero(~test)
    held = stratified_split(strata[train], 0.3, stream(3, "search", "people", repeat))
    seed = int(stream(3, "start", "people", repeat).integers(2**31))

    def fitted(depth, rows):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=seed)
        return make_pipeline(StandardScaler(), tree).fit(X[rows], y[rows])

    fit, judged = train[~held], train[held]
    auc = [roc_auc_score(y[judged], fitted(d, fit).predict_proba(X[judged])[:, 1]) for d in DEPTHS]
    depth = DEPTHS[int(np.argmax(auc))]
    return f"max_depth={depth}", fitted(depth, train).predict_proba(X[test])[:, 1]


def test_the_setting_and_the_scores_are_those_of_a_plain_loop():
    found = predictions(people())
    for repeat, rows in found.groupby("repeat"):
        setting, scores = by_hand(people(), repeat)
        assert set(rows["setting"]) == {setting}
        np.testing.assert_allclose(rows["score"], scores, atol=1e-12)
    assert len(set(found["setting"])) > 1  # or the test could not fail


def test_no_tested_row_has_a_part_in_the_choice():
    frame = people()
    before = predictions(frame, repeats=range(1))
    other = frame.copy()
    tested = before["item"].to_numpy()
    other.loc[tested, ["x", "z"]] = 9.0
    assert predictions(other, repeats=range(1))["setting"].tolist() == before["setting"].tolist()


def test_chunks_choose_alike():
    whole = predictions(people())
    parts = [predictions(people(), repeats=[repeat]) for repeat in range(4)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)


def test_a_bound_is_kept_where_a_setting_keeps_it():
    shares = {"call": "thresholds_by_group", "held_out": 0.3}
    bound = {"best": "accuracy", "subject_to": {"tpr_gap": 0.0}}
    model = {**BY_AUC, "search": bound}
    rows = predictions(people(), model, [shares], range(2))
    assert rows["setting"].str.endswith(NOT_MET).all()
    loose = {**BY_AUC, "search": {"best": "accuracy", "subject_to": {"tpr_gap": 1, "auc": 0.5}}}
    assert not predictions(people(), loose)["setting"].str.endswith(NOT_MET).any()


def test_the_fast_models_and_weights_are_searched_too():
    model = {"call": "rankboost", "grid": {"rounds": [2, 20]}, "search": {"best": "auc"}}
    found = predictions(people(), model, "fairbalance")
    assert set(found["setting"]) <= {"rounds=2", "rounds=20"}


def test_an_experiment_keeps_the_setting_of_each_repeat():
    frame = people().rename(columns={"sensitive_sex": "sex"}).drop(columns="item")
    found = experiment(
        frame, label="label", sensitive_features="sex", repeats=2, measures=["auc"],
        models={"tree": BY_AUC, "plain": TREE},
    )  # fmt: skip
    assert found.groupby("model")["setting"].agg(set).to_dict() == {
        "plain": {""},
        "tree": set(found["setting"]) - {""},
    }


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ({"best": "acc"}, r"there is no measure `acc` \(did you mean `auc`\?\)"),
        ({"best": "sklearn.metrics.matthews_corrcoef"}, "`matthews_corrcoef`"),
    ],
)
def test_a_measure_that_cannot_be_best_is_refused(search, sentence):
    with pytest.raises(InputError, match=sentence):
        predictions(people(), {**BY_AUC, "search": search})


@pytest.mark.parametrize("more", [{}, {"grid": {"max_depth": [1]}}])
def test_a_search_over_nothing_is_refused_before_anything_is_trained(more):
    lone = {"call": TREE, "search": {"best": "auc"}, **more}
    with pytest.raises(InputError, match="give two or more values in a `grid`"):
        predictions(people(), lone)
    with pytest.raises(InputError, match="give two or more values in a `grid`"):
        check_arms([Arm("tree", "none", lone, ())], {"people": False}, [])


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        ({"best": ["auc"]}, "best of a search .* give the name of a measure"),
        ({"best": "auc", "subject_to": ["tpr_gap"]}, "give bounds by measure"),
        ({"best": "auc", "subject_to": {"tpr_gap": np.nan}}, "must be a finite number"),
        ({"best": "auc", "subject_to": {"tpr_gap": -1}}, "is -1: give the size that it may have"),
        ({"best": "auc", "held_out": 1}, "held_out of a search must lie between 0 and 1"),
        ({"best": "auc", "held_out": None}, "held_out of a search must lie between 0 and 1"),
    ],
)
def test_a_search_that_cannot_be_is_refused(search, sentence):
    with pytest.raises(InputError, match=sentence):
        predictions(people(), {**BY_AUC, "search": search})
    with pytest.raises(InputError, match="grid of max_depth is None: give a list of values"):
        predictions(people(), {"call": TREE, "grid": {"max_depth": []}})


def test_a_part_too_small_to_hold_out_is_refused():
    few = prepared(people(12))
    with pytest.raises(InputError, match="raise `held_out`, or give more rows"):
        searched(None, few, [np.zeros(12, bool)], [lambda what: stream(0, what)],
                 np.arange(12), BY_AUC, [])  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_search_by_what_cannot_be_measured_is_refused():
    reductions = {
        "call": "fairlearn.reductions.ExponentiatedGradient",
        "with": {"constraints": {"call": "fairlearn.reductions.EqualizedOdds"}, "max_iter": 2},
        "grid": {"eps": [0.1, 0.2]},
        "search": {"best": "auc"},
    }
    with pytest.raises(InputError, match="`best` of the search cannot be measured on held-out"):
        predictions(people(100), TREE, [reductions], range(1))
