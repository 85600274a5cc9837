import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.train import train_folds, train_repeats

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
    assert predictions["score"].between(0, 1).all()
    assert_array_equal(predictions["prediction"], predictions["score"] > 0.5)
    assert set(predictions["prediction"]) == {0, 1}
    strata = small_dataset.frame.groupby(["sensitive_sex", "sensitive_race", "label"])
    share = (strata.size() * 2 // 5).to_dict()  # 0.4, rounded down
    for _, part in predictions.groupby("repeat"):
        assert part["item"].is_monotonic_increasing
        assert part["item"].is_unique
        tested = small_dataset.frame.iloc[part["item"]]
        sizes = tested.groupby(["sensitive_sex", "sensitive_race", "label"]).size()
        assert sizes.to_dict() == share


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


@pytest.mark.slow
def test_repeats_differ_and_the_seed_and_the_data_set_decide(small_dataset):
    items = [part["item"].tolist() for _, part in train(small_dataset).groupby("repeat")]
    assert len({tuple(i) for i in items}) == 6
    assert train(small_dataset, seed=12)["item"].tolist() != train(small_dataset)["item"].tolist()
    renamed = type(small_dataset)(
        "other", small_dataset.frame, small_dataset.kinds, ("sex", "race")
    )
    assert train(renamed)["item"].tolist() != train(small_dataset)["item"].tolist()


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 80)
    frame = pd.DataFrame({"item": np.arange(80), "x": rng.normal(size=80), "sensitive_a": group})
    frame["label"] = rng.choice([1.0, 2.0, 3.0, 5.0], 80)
    frame["test"] = np.arange(80) % 2 == 0
    return PreparedDataset("made", frame, {"x": "numeric"}, ("a",))


def test_the_split_of_the_data_set_serves_every_repeat(points):
    trained = train_repeats(
        points, model="linear_mae", treatment="fair_reweighing", repeats=range(2), seed=1,
        test_fraction=0.5,
    )  # fmt: skip
    for _, part in trained.groupby("repeat"):
        assert list(part["item"]) == list(np.arange(0, 80, 2))
    assert (trained["score"] == trained["prediction"]).all()


@pytest.fixture
def train_with(small_dataset, tmp_path):
    """A function that trains with a treatment or a model of this code."""

    def run(kind, code, **options):
        file = tmp_path / kind / "mine.py"
        write_text(file, f"import numpy as np\n\n\n{code}\n")
        named = {"treatment": "none", "model": "logistic_regression"}
        named[kind.removesuffix("s")] = "mine"
        return train_repeats(
            small_dataset,
            **named,
            repeats=[0, 1],
            seed=3,
            test_fraction=0.5,
            extensions=[file],
            **options,
        )

    return run


def treatment(returned):
    return f"def mine(y, sensitive_features):\n    return {returned}\n\n\nTREATMENT = mine"


def model(returned):
    return (
        "class Mine:\n"
        "    def __init__(self, features, kinds):\n"
        "        self.amount = features['amount'].to_numpy()\n\n"
        "    def fit_repeats(self, y, tested, weights, rngs):\n"
        f"        return {returned}\n\n\n"
        "MODEL = Mine"
    )


def test_a_treatment_and_a_model_are_used(train_with, small_dataset):
    plain = train_with("treatments", treatment("np.ones(len(y))"))
    known = train_repeats(
        small_dataset, model="logistic_regression", treatment="none", repeats=[0, 1], seed=3,
        test_fraction=0.5,
    )  # fmt: skip
    pd.testing.assert_frame_equal(plain, known)
    scored = train_with("models", model("[1 / (1 + self.amount[test] ** 2) for test in tested]"))
    amount = small_dataset.frame["amount"][scored["item"]]
    assert_array_equal(scored["score"], 1 / (1 + amount**2))
    assert_array_equal(scored["item"], known["item"])


@pytest.mark.parametrize(
    ("returned", "came"),
    [
        ("np.ones(len(y) - 1)", r"weights of shape \(\d+,\)"),
        ("np.ones((len(y), 1))", r"weights of shape \(\d+, 1\)"),
        ("None", "None"),
        ("-np.ones(len(y))", r"the weight -1 at index 0 \((\d+) of \1 are wrong\)"),
        ("np.r_[1, 1, np.nan, np.ones(len(y) - 3)]", r"the weight nan at index 2 \(1 of \d+ are w"),
        ("np.r_[np.ones(len(y) - 1), -0.5]", r"the weight -0\.5 at index \d+ \(1 of"),
        ("np.zeros(len(y))", "weights that are all 0"),
        ("['much'] * len(y)", "a list that is no array of numbers"),
        ("{1: 2}", "a dict that is no array of numbers"),
    ],
)
def test_a_treatment_that_returns_no_weights_is_told_what_it_returned(train_with, returned, came):
    message = (
        rf"^The treatment mine returned {came}.*: return one weight for each of its (?P<n>\d+) "
        r"training items, of shape \((?P=n),\), none below 0 and not all 0\.$"
    )
    with pytest.raises(InputError, match=message):
        train_with("treatments", treatment(returned))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("[self.amount for _ in tested]", r"arrays of the shapes \[\(\d+,\), \(\d+,\)\]: return"),
        ("[self.amount[tested[0]]]", r"arrays of the shapes \[\(\d+,\)\]: return one array for"),
        ("None", "a NoneType: return one array for each repeat, here 2, with one number for each "),
        ("[[[1], [2, 3]], 1]", "a list: return one array for each repeat"),
        ("[[str(a) for a in self.amount[test]] for test in tested]", "scores of the type <U"),
        (
            "[np.full(test.sum(), np.nan) for test in tested]",
            r"the score nan at index 0 \((\d+) of \1 are wrong\): check for divisions by zero",
        ),
        (
            "[np.r_[np.zeros(test.sum() - 1), 1.5] for test in tested]",
            r"the score 1\.5 at index \d+ \(2 of \d+ are wrong\), and the score of a yes/no "
            r"label is "
            r"P\(Y = 1\), from 0 to 1: return probabilities, such as predict_proba\(x\)\[:, 1\] in",
        ),
        ("[np.full(test.sum(), -1e-3) for test in tested]", r"the score -0\.001 at index 0"),
    ],
)
def test_a_model_that_returns_no_scores_is_told_what_it_returned(train_with, returned, words):
    with pytest.raises(InputError, match=rf"^The model mine returned {words}"):
        train_with("models", model(returned))


def test_scores_may_be_one_array_with_a_row_a_repeat(train_with):
    code = "np.array([1 / (1 + self.amount[test] ** 2) for test in tested])"
    listed = train_with("models", model(code.replace("np.array", "list")))
    pd.testing.assert_frame_equal(train_with("models", model(code)), listed)


def test_the_ends_of_the_probabilities_are_scores(train_with):
    scored = train_with(
        "models", model("[(self.amount[test] > 3).astype(float) for test in tested]")
    )
    assert set(scored["score"]) == {0.0, 1.0}
    assert_array_equal(scored["prediction"], scored["score"])
    rounded = "[np.where(self.amount[test] > 3, np.nextafter(1, 2), -1e-17) for test in tested]"
    pd.testing.assert_frame_equal(train_with("models", model(rounded)), scored)


def test_what_a_function_builds_has_the_method_too(train_with):
    with pytest.raises(
        InputError, match=r"^The model mine gives a dict, which has no method `fit_re"
    ):
        train_with("models", "def mine(features, kinds):\n    return {}\n\n\nMODEL = mine")


FOLDS = {"model": "logistic_regression", "treatment": "reweighing", "seed": 11}


def test_every_item_is_scored_once_by_a_model_of_the_other_folds(small_dataset):
    predictions = train_folds(small_dataset, folds=4, **FOLDS)
    assert set(predictions["repeat"]) == {0, 1, 2, 3}
    assert sorted(predictions["item"]) == sorted(small_dataset.frame["item"])
    fold = predictions[predictions["repeat"] == 2]
    tested = small_dataset.frame["item"].isin(fold["item"]).to_numpy()
    split = PreparedDataset(
        "small", small_dataset.frame.assign(test=tested), small_dataset.kinds, ("sex", "race")
    )
    (expected,) = (part for _, part in train(split, "reweighing", [0]).groupby("repeat"))
    assert_array_equal(fold["item"], expected["item"])
    assert_allclose(fold["score"], expected["score"])


def test_more_folds_than_items_are_refused(small_dataset):
    with pytest.raises(InputError, match=r"small has 500 items, fewer than 501 folds"):
        train_folds(small_dataset, folds=501, **FOLDS)
