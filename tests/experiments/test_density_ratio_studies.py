"""The synthetic and the real study of density-ratio measures, in small."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs.datasets.prepared import PreparedDataset
from fairpairs.fairness.density_ratio.base import CLASSIFIERS
from fairpairs.fairness.density_ratio.estimators import ESTIMATORS
from fairpairs.fairness.density_ratio.measures import MEASURES, density_ratio_fairness
from fairpairs.fairness.information import information_fairness
from fairpairs.models import regressors
from fairpairs.models.regressors import MAX_ITEMS, REGRESSORS, SUBSAMPLED, fit_predict
from fairpairs.studies.density_ratio import (
    regressors as regressor_study,
    synthetic as density_ratio_study,
)
from fairpairs.studies.density_ratio.regressors import measure_regressors, train_regressors
from fairpairs.studies.density_ratio.synthetic import (
    MATCHING,
    STUDIED,
    measured_with_caps,
    synthetic_data,
    synthetic_study,
    true_independence,
)

SETTINGS = {"means": [0.5, 3.5], "items": 120, "caps": [0.9], "matching_repeats": 0}


def test_a_synthetic_data_set_has_the_privileged_first():
    unprivileged = np.arange(50.0)
    y, prediction, group = synthetic_data(100, 120, unprivileged, np.random.default_rng(0))
    assert_array_equal(prediction[group == 0], unprivileged)
    assert_array_equal(group, np.repeat([1, 0], [70, 50]))
    assert prediction[group == 1].mean() == pytest.approx(100, abs=0.5)
    assert len(y) == 120
    assert abs(y.mean()) < 0.4


def test_the_true_values_of_independence():
    truth = true_independence(1.2, np.array([0.0, 1.0]))
    assert truth["population"] == pytest.approx((1 + np.exp(1.44)) / 2)

    def density(x, mean):
        return np.exp(-((x - mean) ** 2) / 2)

    ratios = [density(x, 1.2) / density(x, 0) for x in (0.0, 1.0)]
    assert truth["sample"] == pytest.approx(np.mean(ratios))


def test_the_unprivileged_sample_is_drawn_once_a_repeat(monkeypatch):
    seen = []

    def spy(mean, n, unprivileged, rng):
        seen.append((mean, unprivileged.copy()))
        return synthetic_data(mean, n, unprivileged, rng)

    monkeypatch.setattr(density_ratio_study, "synthetic_data", spy)
    monkeypatch.setattr(density_ratio_study, "STUDIED", {"ridge": ESTIMATORS["ridge"]})
    synthetic_study(SETTINGS, repeats=[0, 1], seed=1)
    assert [mean for mean, _ in seen] == [0.5, 3.5] * 2
    assert_array_equal(seen[0][1], seen[1][1])
    assert_array_equal(seen[2][1], seen[3][1])
    assert not np.isin(seen[0][1], seen[2][1]).any()


def test_chunks_of_the_study_are_the_study():
    whole = synthetic_study(SETTINGS, repeats=[0, 1], seed=1)
    chunks = [synthetic_study(SETTINGS, repeats=[repeat], seed=1) for repeat in (0, 1)]
    pd.testing.assert_frame_equal(whole, pd.concat(chunks, ignore_index=True), check_exact=True)
    # two truths, and five estimators with and without a cap of two measures
    assert len(whole) == 2 * 2 * (2 + 5 * 2 * 2)
    assert set(whole["estimator"]) == {*STUDIED, "population", "sample"}
    first, second = (chunk["value"].to_numpy() for chunk in chunks)
    own = chunks[0]["estimator"] != "population"
    assert (first[own] != second[own]).all()
    failed = whole[whole["value"].isna()]
    assert failed["note"].str.startswith(("The two groups can be", "The ratio of the")).all()
    assert (failed["cap"] == 0).all()
    other = synthetic_study(SETTINGS, repeats=[0], seed=2)["value"].to_numpy()
    assert (other[own] != first[own]).all()


def test_a_value_of_the_study_is_that_of_the_measure():
    from fairpairs.experiments.seeds import stream

    found = synthetic_study(SETTINGS, repeats=[4], seed=9).set_index(
        ["mean", "estimator", "cap", "measure"]
    )["value"]
    rng = stream(9, "density ratio", 4)
    unprivileged = rng.normal(size=60)
    y, prediction, group = synthetic_data(0.5, 120, unprivileged, rng)
    for name, estimator in STUDIED.items():
        for cap in (0.0, 0.9):
            result = density_ratio_fairness(
                y, prediction, sensitive_features=group, estimator=estimator, cap=cap or None
            )
            assert_allclose(
                [found[0.5, name, cap, measure] for measure in ("independence", "separation")],
                result.difference.estimate[:2],
            )
    sample = true_independence(0.5, prediction)["sample"]
    assert found[0.5, "sample", 0.0, "independence"] == pytest.approx(sample)


def test_of_separable_groups_only_the_capped_values_are_measured():
    group = np.repeat([1, 0], 20)
    score = group * 10 + np.tile(np.arange(20) / 20, 2)
    y = np.tile(np.arange(20.0), 2)
    found = measured_with_caps(
        y, score, group, ESTIMATORS["logistic"], caps=[0.999, 0.9], measures=("independence",)
    )
    assert [row[:2] for row in found] == [(cap, "independence") for cap in (0, 0.999, 0.9)]
    assert np.isnan(found[0][2])
    assert found[0][3].startswith("The two groups can be separated perfectly")
    # half the items have odds of the cap, the others none
    assert found[1][2] == pytest.approx(999 / 2, rel=1e-3)
    assert found[2][2] == pytest.approx(9 / 2, rel=1e-3)
    assert found[1][3] == found[2][3] == ""


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
        return train_regressors(made(), [*REGRESSORS], test_fraction=0.4, seed=3)


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


def test_training_again_gives_the_same_bytes_whatever_is_trained_beside(trained):
    names = ["multilayer_perceptron", "random_forest", "ransac", "stochastic_gradient"]
    again = train_regressors(made(), names, test_fraction=0.4, seed=3)
    for name in names:
        first, second = (f[f["regressor"] == name]["prediction"] for f in (trained, again))
        assert first.to_numpy().tobytes() == second.to_numpy().tobytes()


def test_a_subsample_is_fitted_where_cost_is_cubic(monkeypatch):
    assert MAX_ITEMS == 2000
    assert set(SUBSAMPLED) <= set(REGRESSORS)
    monkeypatch.setattr(regressors, "MAX_ITEMS", 30)
    x = np.random.default_rng(0).normal(size=(80, 2))
    tested = np.arange(80) < 20
    predicted, fitted = fit_predict("kernel_ridge", x, x[:, 0], tested, 1)
    assert fitted == 30
    assert len(predicted) == 20
    assert_array_equal(fit_predict("kernel_ridge", x, x[:, 0], tested, 1)[0], predicted)
    assert fit_predict("linear", x, x[:, 0], tested, 1)[1] == 60


def test_every_regressor_is_measured_by_every_estimator(trained, monkeypatch):
    few = {name: STUDIED[name] for name in ("logistic", "kernel_gaussian")}
    monkeypatch.setattr(regressor_study, "STUDIED", few)
    own = trained[trained["regressor"].isin(["linear", "decision_tree"])]
    found = measure_regressors(own, made(), caps=[0.99], permutations=19, seed=1)
    again = measure_regressors(own, made(), caps=[0.99], permutations=19, seed=1)
    pd.testing.assert_frame_equal(found, again, check_exact=True)
    keys = ["regressor", "estimator", "form", "cap", "measure"]
    assert not found[keys].duplicated().any()
    assert list(dict.fromkeys(found["regressor"])) == list(dict.fromkeys(own["regressor"]))
    values = found.set_index(keys)["value"]
    linear = own[own["regressor"] == "linear"]
    known = made().frame.set_index("item").loc[linear["item"]]
    y, group = known["label"].to_numpy(), known["sensitive_sex"].to_numpy()
    prediction = linear["prediction"].to_numpy()
    for name, estimator in {**few, **MATCHING}.items():
        forms = ("quotient", "published") if "ulsif" in name else ("quotient",)
        assert set(found.loc[found["estimator"] == name, "form"]) == set(forms)
        caps = (0.0, 0.99) if name in CLASSIFIERS else (0.0,)
        assert set(found.loc[found["estimator"] == name, "cap"]) == set(caps)
        for form in forms:
            result = density_ratio_fairness(
                y, prediction, sensitive_features=group, estimator=estimator, form=form
            )
            measured = values.sort_index()["linear", name, form, 0.0][[*MEASURES]]
            assert_allclose(measured.to_numpy(), result.difference.estimate, rtol=1e-9)
    r2 = 1 - ((y - prediction) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert values["linear", "accuracy", "", 0.0, "R²"] == pytest.approx(r2)
    told = information_fairness(y, prediction, sensitive_features=group, cross_fitted=True)
    assert values["linear", "information", "", 0.0, "separation"] == told.separation
    assert 0 <= values["linear", "comparative_separation", "", 0.0, "p"] <= 1
