"""The experiment on real labels: drawn pairs, the two nulls, accuracy."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from fairpairs.datasets.prepared import PreparedDataset
from fairpairs.errors import InputError
from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.testing import run_test
from fairpairs.experiments.train import train_repeats
from fairpairs.fairness.pairs.drawn import count_pairs

N = 80


def scored(predictions):
    """A real label is scored by the prediction itself."""
    return predictions.assign(score=predictions["prediction"])


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, N)
    frame = pd.DataFrame({"item": np.arange(N), "x": rng.normal(size=N), "sensitive_a": group})
    frame["label"] = rng.choice([1.0, 2.0, 3.0, 5.0], N)
    frame["test"] = np.arange(N) % 2 == 0
    return PreparedDataset("made", frame, {"x": "numeric"}, ("a",))


@pytest.fixture(scope="module")
def predictions(dataset):
    rng = np.random.default_rng(1)
    test = dataset.frame[dataset.frame["test"]]
    parts = [
        scored(
            pd.DataFrame({"repeat": r, "item": test["item"], "prediction": test["label"] + noise})
        )
        for r, noise in enumerate(rng.normal(scale=1.5, size=(3, len(test))))
    ]
    return pd.concat(parts, ignore_index=True)


def run(test, predictions, dataset, **settings):
    return run_test(
        test, predictions, dataset, treatment="none", settings=Settings(1, 0.05, 1, **settings)
    )


def test_many_samples_are_counted_as_one_by_one():
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 4, 30).astype(float), rng.normal(size=30)
    groups, pairs = rng.integers(0, 2, (5, 30)), rng.integers(0, 30, (2, 5, 40))
    many = count_pairs(y, score, groups, *pairs)
    for i in range(5):
        one = count_pairs(y, score, groups[i], pairs[0, i], pairs[1, i])
        np.testing.assert_array_equal(many.concordant[i], one.concordant)
        np.testing.assert_array_equal(many.comparable[i], one.comparable)


def test_the_split_of_the_data_set_serves_every_repeat(dataset):
    trained = train_repeats(
        dataset, model="linear_mae", treatment="fair_reweighing", repeats=range(2), seed=1,
        test_fraction=0.5,
    )  # fmt: skip
    for _, part in trained.groupby("repeat"):
        assert list(part["item"]) == list(np.arange(0, N, 2))
    assert (trained["score"] == trained["prediction"]).all()


def test_accuracy_is_that_of_the_definitions(dataset, predictions):
    result = run("accuracy", predictions, dataset).set_index(["repeat", "hypothesis"])["estimate"]
    truth = dataset.frame.set_index("item")["label"]
    for repeat, part in predictions.groupby("repeat"):
        y = truth[part["item"]].to_numpy()
        assert_allclose(result[repeat, "MAE"], (y - part["prediction"]).abs().mean())
        assert_allclose(result[repeat, "Pearson"], np.corrcoef(y, part["prediction"])[0, 1])
        ranks = pd.Series(y).rank(), part["prediction"].rank()
        assert_allclose(result[repeat, "Spearman"], np.corrcoef(*ranks)[0, 1])


def test_drawn_pairs_have_the_rates_of_all_pairs(dataset, predictions):
    draws = 4000
    found = run("comparative_separation", predictions, dataset, draws=draws)
    truth = dataset.frame.set_index("item")
    part = predictions[predictions["repeat"] == 1]
    y, group = (truth.loc[part["item"], c].to_numpy() for c in ("label", "sensitive_a"))
    left, right = np.indices((len(y), len(y))).reshape(2, -1)
    every = count_pairs(y, part["prediction"].to_numpy(), group, left, right)
    rate = every.concordant / every.comparable
    own = found[(found["repeat"] == 1) & (found["hypothesis"] == "H0c")]["estimate"].dropna()
    # the Monte Carlo error of a mean of 4,000 draws
    assert_allclose(own.mean(), rate[1, 0] - rate[0, 1], atol=4.5 * own.std() / np.sqrt(len(own)))


def test_shuffled_groups_have_no_gap_within_a_label_and_fresh_pairs_none_at_all():
    # the group decides the prediction, so that the gap within groups is as large as can be
    rng = np.random.default_rng(0)
    group, label = rng.integers(0, 2, 400), rng.choice([0.0, 1.0, 2.0], 400)
    frame = pd.DataFrame({"item": range(400), "label": label, "sensitive_a": group})
    dataset = PreparedDataset("biased", frame, {}, ("a",))
    biased = scored(
        pd.DataFrame({"repeat": 0, "item": range(400), "prediction": label + 9.0 * group})
    )
    means = {
        test: run(test, biased, dataset, draws=500).groupby("hypothesis")["estimate"].mean()
        for test in (
            "comparative_separation",
            "comparative_separation_permuted",
            "comparative_separation_fresh",
        )
    }
    assert means["comparative_separation"]["H0c"] > 0.9
    # labels are spread alike over the groups, so no gap is left but that of one sample
    for null in ("comparative_separation_permuted", "comparative_separation_fresh"):
        assert_allclose(means[null], 0, atol=0.02)


def test_on_fresh_pairs_with_large_cells_the_test_has_its_level():
    rng = np.random.default_rng(0)
    group, label = rng.integers(0, 2, 300), rng.choice([0.0, 1.0, 2.0], 300)
    frame = pd.DataFrame({"item": range(300), "label": label, "sensitive_a": group})
    dataset = PreparedDataset("large", frame, {}, ("a",))
    fair = scored(
        pd.DataFrame({"repeat": 0, "item": range(300), "prediction": label + rng.normal(size=300)})
    )
    settings = Settings(1, 0.05, 10, 4000)
    found = run_test(
        "comparative_separation_fresh", fair, dataset, treatment="none", settings=settings
    )
    rate = found.groupby("draw")["rejected"].any().mean()
    # 1 - 0.95², with a Monte Carlo error of 0.0047
    assert_allclose(rate, 0.0975, atol=0.021)


def test_separation_asks_for_binary_labels(dataset, predictions):
    with pytest.raises(InputError, match="needs a label of 0 and 1"):
        run("separation", predictions, dataset)
