import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from fairpairs.experiments.train import train_repeats

SETTINGS = {"model": "logistic_regression", "seed": 11, "test_fraction": 0.4}


def train(dataset, treatment="none", repeats=range(6), **other):
    return train_repeats(dataset, treatment=treatment, repeats=repeats, **{**SETTINGS, **other})


def hand_made_weights(treatment, group, label):
    """Weights of the training items, item by item, by the definitions of section 4.2.1."""
    n = len(label)
    weights = np.empty(n)
    for i in range(n):
        same_group, same_label = group == group[i], label == label[i]
        both = (same_group & same_label).sum()
        weights[i] = {
            "none": 1,
            "reweighing": same_group.sum() * same_label.sum() / both,
            "fairbalance": same_group.sum() / both / 2,
        }[treatment]
    return weights * n / weights.sum()


def test_there_is_a_row_for_each_test_item_of_a_repeat(small_dataset):
    predictions = train(small_dataset, repeats=[3, 0, 7])
    assert list(predictions.columns) == ["repeat", "item", "score", "prediction"]
    assert list(predictions["repeat"].unique()) == [3, 0, 7]
    strata = small_dataset.frame.groupby(["sensitive_sex", "sensitive_race", "label"])
    share = (strata.size() * 2 // 5).to_dict()  # 0.4, rounded down
    for _, part in predictions.groupby("repeat"):
        assert part["item"].is_monotonic_increasing
        assert part["item"].is_unique
        tested = small_dataset.frame.iloc[part["item"]]
        sizes = tested.groupby(["sensitive_sex", "sensitive_race", "label"]).size()
        assert sizes.to_dict() == share


def test_a_prediction_is_a_score_above_one_half(small_dataset):
    predictions = train(small_dataset)
    assert predictions["score"].between(0, 1).all()
    assert_array_equal(predictions["prediction"], predictions["score"] > 0.5)
    assert set(predictions["prediction"]) == {0, 1}


@pytest.mark.parametrize("treatment", ["none", "reweighing", "fairbalance"])
def test_scores_are_those_of_a_model_fitted_on_all_other_items(small_dataset, treatment):
    predictions = train(small_dataset, treatment, repeats=[2])
    frame, tested = small_dataset.frame, predictions["item"].to_numpy()
    training = np.setdiff1d(np.arange(len(frame)), tested)
    numeric = frame[["amount", "sensitive_sex"]].to_numpy(dtype=float)
    scaled = (numeric - numeric[training].mean(axis=0)) / numeric[training].std(axis=0)
    features = np.hstack([scaled, pd.get_dummies(frame["city"]).to_numpy(dtype=float)])
    group = (2 * frame["sensitive_sex"] + frame["sensitive_race"]).to_numpy()[training]
    label = frame["label"].to_numpy()
    model = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(
        features[training],
        label[training],
        sample_weight=hand_made_weights(treatment, group, label[training]),
    )
    expected = model.predict_proba(features[tested])[:, 1]
    assert_allclose(predictions["score"], expected, atol=1e-7, rtol=0)


def test_every_treatment_has_the_same_splits(small_dataset):
    none, reweighing, fairbalance = (
        train(small_dataset, treatment) for treatment in ("none", "reweighing", "fairbalance")
    )
    for other in (reweighing, fairbalance):
        pd.testing.assert_frame_equal(none[["repeat", "item"]], other[["repeat", "item"]])
        assert (none["score"] != other["score"]).any()


def test_repeats_in_chunks_are_those_of_all_at_once_exactly(small_dataset):
    whole = train(small_dataset, "reweighing", repeats=range(7))
    chunks = [
        train(small_dataset, "reweighing", repeats=chunk)
        for chunk in (range(3), range(3, 6), range(6, 7))
    ]
    joined = pd.concat(chunks, ignore_index=True)
    pd.testing.assert_frame_equal(whole, joined, check_exact=True)


def test_repeats_differ_and_the_seed_and_the_data_set_decide(small_dataset):
    items = [part["item"].tolist() for _, part in train(small_dataset).groupby("repeat")]
    assert len({tuple(i) for i in items}) == 6
    assert train(small_dataset, seed=12)["item"].tolist() != train(small_dataset)["item"].tolist()
    renamed = type(small_dataset)(
        "other", small_dataset.frame, small_dataset.kinds, ("sex", "race")
    )
    assert train(renamed)["item"].tolist() != train(small_dataset)["item"].tolist()
