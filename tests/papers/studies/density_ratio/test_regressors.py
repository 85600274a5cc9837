"""Regressors measured by density-ratio estimators: training and measures."""

import warnings

import numpy as np
import pandas as pd
import pytest
import yaml
from numpy.testing import assert_allclose

from fairpairs.mathematics.density_ratio import measures
from fairpairs.mathematics.density_ratio.logistic import LogisticRatio
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.information import information_fairness
from fairpairs.papers.ratio_estimators.least_squares import CLASSIFIERS, RuLSIFRatio
from fairpairs.papers.studies.density_ratio import regressors as regressor_study
from fairpairs.papers.studies.density_ratio.regressors import (
    measure_regressors,
    permuted_separations,
    train_regressors,
)
from fairpairs.papers.studies.density_ratio.synthetic import MATCHING, STUDIED, as_published
from tests.made_results import ROOT

SETTINGS = yaml.safe_load((ROOT / "config/studies/density_ratio.yaml").read_text("utf-8"))
REGRESSORS = SETTINGS["density_ratio"]["regressors"]


def made(n=160, seed=0):
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n).astype(np.int8)
    x = rng.normal(size=(n, 6))
    frame = pd.DataFrame(x, columns=[*"abcdef"]).assign(item=np.arange(n) + 100)
    frame["town"] = np.array(["Ash", "Elm", "Oak"])[rng.integers(0, 3, n)]
    frame["label"] = x[:, :3] @ [1.0, -0.5, 0.2] + 0.5 * sex + 0.5 * rng.normal(size=n)
    frame["sensitive_sex"] = sex
    kinds = {**dict.fromkeys("abcdef", "numeric"), "town": "categorical"}
    return PreparedDataset("made", frame, kinds, ("sex",))


@pytest.fixture(scope="module")
def trained():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return train_regressors(made(), REGRESSORS, test_fraction=0.4, seed=3)


@pytest.mark.slow
def test_all_regressors_are_fitted_on_one_split_without_a_warning(trained):
    assert len(REGRESSORS) == 22
    assert set(trained["regressor"]) == set(REGRESSORS)
    known = made().frame.set_index("item")
    items = [tuple(part["item"]) for _, part in trained.groupby("regressor")]
    assert len(set(items)) == 1
    share = known.loc[list(items[0]), "sensitive_sex"].mean()
    assert share == pytest.approx(known["sensitive_sex"].mean(), abs=0.02)
    assert (trained["fitted"] == 160 - len(items[0])).all()
    assert len(items[0]) == pytest.approx(64, abs=1)
    label = known.loc[list(items[0]), "label"].to_numpy()
    for name, part in trained.groupby("regressor"):
        assert np.corrcoef(part["prediction"], label)[0, 1] > 0.6, name


@pytest.mark.slow
def test_training_again_gives_the_same_bytes_whatever_is_trained_beside(trained):
    names = ["multilayer_perceptron", "random_forest", "ransac", "stochastic_gradient"]
    some = {name: REGRESSORS[name] for name in names}
    again = train_regressors(made(), some, test_fraction=0.4, seed=3)
    for name in names:
        first, second = (f[f["regressor"] == name]["prediction"] for f in (trained, again))
        assert first.to_numpy().tobytes() == second.to_numpy().tobytes()


@pytest.mark.slow
def test_every_regressor_is_measured_by_every_estimator(trained, monkeypatch):
    few = {name: STUDIED[name] for name in ("logistic", "kernel_gaussian")}
    monkeypatch.setattr(regressor_study, "STUDIED", few)
    own = trained[trained["regressor"].isin(["linear", "decision_tree"])]
    found, _ = measure_regressors(own, made(), caps=[0.99], permutations=19, seed=1)
    again, _ = measure_regressors(own, made(), caps=[0.99], permutations=19, seed=1)
    pd.testing.assert_frame_equal(found, again, check_exact=True)
    keys = ["regressor", "estimator", "form", "cap", "measure"]
    assert not found[keys].duplicated().any()
    assert list(dict.fromkeys(found["regressor"])) == list(dict.fromkeys(own["regressor"]))
    values = found.set_index(keys)["value"]
    linear = own[own["regressor"] == "linear"]
    known = made().frame.set_index("item").loc[linear["item"]]
    y, group = known["label"].to_numpy(), known["sensitive_sex"].to_numpy()
    prediction = linear["prediction"].to_numpy()
    without = as_published(len(y))
    for name, estimator in {**few, **without, **MATCHING}.items():
        forms = ("quotient", "published") if "ulsif" in name else ("quotient",)
        assert set(found.loc[found["estimator"] == name, "form"]) == set(forms)
        caps = (0.0, 0.99) if name in (*CLASSIFIERS, *without) else (0.0,)
        assert set(found.loc[found["estimator"] == name, "cap"]) == set(caps)
        result = measures.density_ratio_fairness(
            y, prediction, sensitive_features=group, estimator=estimator
        )
        measured = values.sort_index()["linear", name, "quotient", 0.0][[*measures.MEASURES]]
        assert_allclose(measured.to_numpy(), result.difference.estimate, rtol=1e-9)
    r2 = 1 - ((y - prediction) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert values["linear", "accuracy", "", 0.0, "R²"] == pytest.approx(r2)
    told = information_fairness(y, prediction, sensitive_features=group, cross_fitted=True)
    assert values["linear", "information", "", 0.0, "separation"] == told.separation
    assert 0 <= values["linear", "comparative_separation", "", 0.0, "p"] <= 1


def test_several_predictions_share_their_shuffled_groups():
    rng = np.random.default_rng(0)
    group, y = rng.integers(0, 2, 80), measures.standardised(rng.normal(size=80))
    prediction = 0.7 * y + 0.6 * group + rng.normal(size=80)
    scores = [measures.standardised(v) for v in (prediction, y**2, np.zeros(80))]
    for estimator in (LogisticRatio(), RuLSIFRatio(centres=10, widths=(1.0,), penalties=(0.1,))):
        given = {"size": 7, "estimator": estimator}
        found = permuted_separations(y, scores, group, rng=np.random.default_rng(5), **given)
        for score, column in zip(scores, found.T, strict=True):
            alone = measures.permuted_mean_ratios(
                y, score, group, rng=np.random.default_rng(5), measures=("separation",), **given
            )
            assert_allclose(column, alone[:, 0])


def test_collinear_points_of_shuffled_groups_are_those_of_one_column():
    rng = np.random.default_rng(0)
    group, y = rng.integers(0, 2, 90), measures.standardised(rng.normal(size=90))
    found = permuted_separations(
        y, [y, np.zeros(90)], group, LogisticRatio(), size=9, rng=np.random.default_rng(0)
    )
    assert_allclose(found, 1)


@pytest.mark.slow
def test_a_subsample_is_fitted_where_cost_is_cubic():
    assert {name for name, spec in REGRESSORS.items() if spec.get("most") == 2000} == {
        "svr", "kernel_ridge", "gaussian_process",
    }  # fmt: skip
    some = {"few": {**REGRESSORS["kernel_ridge"], "most": 30}, "all": REGRESSORS["linear"]}
    one, again = (train_regressors(made(), some, test_fraction=0.4, seed=3) for _ in range(2))
    fitted = one.groupby("regressor")["fitted"].first()
    assert fitted.to_dict() == {"few": 30, "all": 160 - (one["regressor"] == "few").sum()}
    pd.testing.assert_frame_equal(one, again)
