"""Models and treatments by import path, beside loops written from the docs of their libraries."""

import itertools
import multiprocessing
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.preprocessing import CorrelationRemover
from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from fairpairs.base.errors import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.datasets.prepared import PreparedDataset
from fairpairs.papers.experiments.seeds import stream
from fairpairs.papers.experiments.train import train_repeats
from fairpairs.papers.treatments.reweighing import reweighing_weights

FOREST = {"call": "sklearn.ensemble.RandomForestClassifier", "with": {"n_estimators": 8}}
BOOSTING = {
    "call": "sklearn.ensemble.HistGradientBoostingClassifier",
    "with": {"max_iter": 8},
    "encode": "ordinal",
}
ODDS = {"call": "fairlearn.reductions.EqualizedOdds", "with": {"difference_bound": 0.02}}
REDUCTIONS = {
    "call": "fairlearn.reductions.ExponentiatedGradient",
    "with": {"constraints": ODDS, "max_iter": 3},
}
THRESHOLDS = {
    "call": "fairlearn.postprocessing.ThresholdOptimizer",
    "with": {"constraints": "equalized_odds", "predict_method": "predict_proba"},
}
REMOVER = {"call": "fairlearn.preprocessing.CorrelationRemover", "with": {"alpha": 0.7}}
SEED = 5


def train(dataset, model, treatment, repeats=(3,), **other):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return train_repeats(
            dataset, model=model, treatment=treatment, repeats=repeats, seed=SEED,
            test_fraction=0.4, **other,
        )  # fmt: skip


def draw(what, repeat=3):
    return stream(SEED, what, "small", repeat)


def estimator(model):
    seed = int(draw("start").integers(2**31))
    if model is FOREST:
        return RandomForestClassifier(8, random_state=seed)
    return HistGradientBoostingClassifier(max_iter=8, random_state=seed)


def encoder(model):
    numbers = ["amount", "sensitive_sex"]
    if model is FOREST:
        return make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]),
            (StandardScaler(), numbers),
        )
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((codes, ["city"]), ("passthrough", numbers))


def by_hand(model, treatment, train, test):
    """Score or chance of the tested rows, as the docs of scikit-learn and fairlearn do it."""
    X, y = train[["amount", "city", "sensitive_sex"]], train["label"].to_numpy()
    X_test = test[["amount", "city", "sensitive_sex"]]
    groups, groups_test = (
        "sex=" + part["sensitive_sex"].astype(str) + ", race=" + part["sensitive_race"].astype(str)
        for part in (train, test)
    )
    both = ["sensitive_sex", "sensitive_race"]
    if treatment is None or treatment == "reweighing":
        weights = None if treatment is None else reweighing_weights(y, train[both])
        encode = encoder(model)
        fitted = estimator(model).fit(encode.fit_transform(X), y, sample_weight=weights)
        return fitted.predict_proba(encode.transform(X_test))[:, 1]
    if treatment is REMOVER:
        encode = encoder(model)
        remover = CorrelationRemover(sensitive_feature_ids=both, alpha=0.7)
        x = pd.DataFrame(encode.fit_transform(X)).rename(columns=str)
        x_test = pd.DataFrame(encode.transform(X_test)).rename(columns=str)
        x = remover.fit_transform(x.assign(**{name: train[name].to_numpy() for name in both}))
        x_test = remover.transform(x_test.assign(**{n: test[n].to_numpy() for n in both}))
        return estimator(model).fit(x, y).predict_proba(x_test)[:, 1]
    pipe = Pipeline([("encode", encoder(model)), ("model", estimator(model))])
    if treatment is REDUCTIONS:
        method = ExponentiatedGradient(
            pipe,
            EqualizedOdds(difference_bound=0.02),
            max_iter=3,
            sample_weight_name="model__sample_weight",
        )
        return method.fit(X, y, sensitive_features=groups)._pmf_predict(X_test)[:, 1]
    held = np.zeros(len(X), dtype=bool)
    if "held_out" in treatment:
        held = draw("held out").random(len(X)) < treatment["held_out"]
    options = {"constraints": "equalized_odds", "predict_method": "predict_proba"}
    if held.any():
        pipe.fit(X[~held], y[~held])
        method = ThresholdOptimizer(estimator=pipe, prefit=True, **options)
        method.fit(X[held], y[held], sensitive_features=groups[held])
    else:
        method = ThresholdOptimizer(estimator=pipe, **options)
        method.fit(X, y, sensitive_features=groups)
    return method._pmf_predict(X_test, sensitive_features=groups_test)[:, 1]


@pytest.mark.slow
@pytest.mark.parametrize("model", [FOREST, BOOSTING], ids=["forest", "boosting"])
@pytest.mark.parametrize(
    "treatment",
    [None, "reweighing", REMOVER, REDUCTIONS, THRESHOLDS, {**THRESHOLDS, "held_out": 0.4}],
    ids=["none", "weights", "transformer", "reductions", "thresholds", "held out"],
)
def test_it_is_what_a_loop_by_hand_gives(small_dataset, model, treatment):
    predictions = train(small_dataset, model, treatment or "none")
    frame = small_dataset.frame
    tested = frame["item"].isin(predictions["item"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = by_hand(
            model, treatment,
            frame[~tested].reset_index(drop=True), frame[tested].reset_index(drop=True),
        )  # fmt: skip
    if "chance" in predictions:
        assert predictions["score"].isna().all()
        assert_allclose(predictions["chance"], expected, atol=1e-12)
        drawn = expected > draw("decision").random(len(expected))
        assert_array_equal(predictions["prediction"], drawn)
    else:
        assert_allclose(predictions["score"], expected, atol=1e-12)
        assert_array_equal(predictions["prediction"], expected > 0.5)


#: One of each kind and of each way to be built: weights, rows that draw and rows that drop, a
#: transformer, methods around the model, an estimator in its place, decisions, steps, a search.
EVERY_KIND = [
    "none",
    "fairbalance",
    "fair_reweighing",
    "label_bias",
    "fair_smote",
    ["fairway", "reweighing"],
    [REMOVER, "fairbalance_variant"],
    {**REDUCTIONS, "with": {"constraints": ODDS, "max_iter": 2}},
    THRESHOLDS,
    {**THRESHOLDS, "held_out": 0.4},
    {"call": "thresholds_by_group", "held_out": 0.4},
    {"call": "sklearn.tree.ExtraTreeClassifier"},
    {"call": "label_bias", "grid": {"share": [0.1, 0.5]}, "search": {"best": "accuracy"}},
]
EVERY_MODEL = [
    "logistic_regression",
    {**FOREST, "with": {"n_estimators": 3}},
    {**BOOSTING, "with": {"max_iter": 3}},
]
OF_NUMBERS = ["ridge", "linear_mae", "sklearn.linear_model.SGDRegressor"]


def numbers_of(dataset):
    """The data set with the amount as its label."""
    frame = dataset.frame.rename(columns={"amount": "label", "label": "amount"})
    kinds = {"amount": "numeric", "sensitive_sex": "numeric"}
    return replace(dataset, frame=frame.iloc[:120], kinds=kinds)


def every_arm():
    """The models with the treatments that go with them."""
    yield from itertools.product(EVERY_MODEL, EVERY_KIND)
    yield from itertools.product(OF_NUMBERS, ["none", "fair_reweighing"])
    yield {"call": "rankboost", "with": {"rounds": 5}}, "fairbalance"
    yield "rankboost", "fairway"


def trained(arms, dataset, repeats):
    frames = []
    for model, treatment in arms:
        data = numbers_of(dataset) if model in OF_NUMBERS else dataset
        frames.append(train(data, model, treatment, repeats))
    return frames


@pytest.mark.slow
def test_one_core_and_one_chunk_give_the_bytes_of_two_cores_and_many(small_dataset):
    """For every kind of model and treatment, in any order of the chunks."""
    dataset = replace(small_dataset, frame=small_dataset.frame.iloc[:250])
    arms = list(every_arm())
    whole = trained(arms, dataset, [0, 1])
    two = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=two) as cores:
        chunks = [cores.submit(trained, arms[::-1], dataset, part) for part in ([1], [0])]
        parts = zip(*(chunk.result()[::-1] for chunk in chunks), strict=True)
    for arm, one, chunk in zip(arms, whole, parts, strict=True):
        many = pd.concat(chunk).sort_values(["repeat", "item"], ignore_index=True)
        pd.testing.assert_frame_equal(one, many, check_exact=True, obj=str(arm))
        assert len(set(one["prediction"])) > 1, arm


@pytest.mark.slow
def test_what_stands_for_a_model_of_ours_is_that_model(small_dataset):
    """A step that keeps all rows makes a model of ours an estimator of scikit-learn."""
    for model, close in (("logistic_regression", 1e-6), ("rankboost", 1e-9)):
        ours = train(small_dataset, model, "reweighing")
        assert set(ours) == {"repeat", "item", "score", "prediction"}
        stands_in = train(small_dataset, model, [{**REMOVER, "with": {"alpha": 0.0}}, "reweighing"])
        if model == "logistic_regression":
            assert_allclose(stands_in["score"], ours["score"], atol=close)
        assert_array_equal(stands_in["item"], ours["item"])


@pytest.fixture
def rows(tmp_path):
    """A function that writes a treatment of rows, and returns the list of its file."""

    def write(returned, takes="X, y, sensitive_features, rng"):
        file = tmp_path / "treatments/mine.py"
        code = f"import numpy as np\n\n\ndef mine({takes}):\n    {returned}\n\n\nTREATMENT = mine\n"
        write_text(file, code)
        return [file]

    return write


def test_rows_may_be_dropped_and_relabelled(small_dataset, rows):
    files = rows(
        "keep = rng.random(len(y)) < 0.5\n    return X[keep], 1 - y[keep], sensitive_features[keep]"
    )
    halved = train(small_dataset, FOREST, "mine", extensions=files)
    plain = train(small_dataset, FOREST, "none")
    assert_array_equal(halved["item"], plain["item"])
    assert np.corrcoef(halved["score"], plain["score"])[0, 1] < 0
    weighted = train(small_dataset, FOREST, ["mine", "reweighing"], extensions=files)
    assert (weighted["score"] != halved["score"]).any()


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (
            "return X[[0, 1]]",
            r"mine failed on \d+ training rows .KeyError: .*X and sensitive_features a",
        ),
        ("return X", "returned a DataFrame: return X, y and sensitive_features"),
        ("return X, y[:-1], sensitive_features", r"returned X, y and .* of \d+, \d+ and \d+ rows"),
        ("return X[['city']], y, sensitive_features", "returned other columns: keep those of X"),
        ("return X, y * 0, sensitive_features", "has only the label 0"),
        ("return X, y * 2, sensitive_features", "mine returned the label 2: return 0 or 1"),
        ("return X, y / y, sensitive_features", "mine returned the label nan: return 0 or 1"),
        ("return X[:0], y[:0], sensitive_features[:0]", "has only the label of no row"),
    ],
)
def test_a_treatment_that_returns_no_rows_is_told_so(small_dataset, rows, returned, words):
    with pytest.raises(InputError, match=words):
        train(small_dataset, FOREST, "mine", extensions=rows(returned))


@pytest.mark.parametrize(
    ("model", "treatment", "words"),
    [
        ("sklearn.ensemble.RandomForest", "none", "has no `RandomForest` .did you mean `Random"),
        ("sklearn.forest.Forest", "none", "cannot be imported .ModuleNotFoundError: No module"),
        ("sklearn.neighbors.KNeighborsClassifier", "reweighing", "KNeighborsClassifier takes no w"),
        ("linear_mae", REMOVER, "needs an estimator of scikit-learn, which linear_mae is not"),
        (FOREST, {**REMOVER, "held_out": 0.3}, "takes no rows that are held out: drop `held_out`"),
        (FOREST, [REDUCTIONS, "reweighing"], "must be the last of its steps"),
        (FOREST, ["reweighing", REDUCTIONS], "gives the model weights of its own"),
        (FOREST, ["massaging", "reweighing", "massaging"], "changes rows that have been weighted"),
        (FOREST, ["reweighing", "fairbalance"], "Only one step of a treatment may give weights"),
        (FOREST, [REMOVER, THRESHOLDS], "No transformer goes before"),
        (FOREST, "collections.OrderedDict", "is neither a class with `fit` nor a function"),
        (FOREST, "fairlearn.metrics.MetricFrame", "is neither a class with `fit` nor a function"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(small_dataset, model, treatment, words):
    with pytest.raises(InputError, match=words):
        train(small_dataset, model, treatment)


def test_a_group_that_training_has_not_seen_is_refused():
    frame = pd.DataFrame({"item": np.arange(60), "x": np.tile([0.0, 1, 2], 20)})
    frame["label"] = np.tile([0, 1, 1, 0, 0, 1], 10)
    frame["sensitive_a"] = np.arange(60) == 7
    frame["test"] = np.arange(60) < 20
    frame = frame.astype({"sensitive_a": np.int8, "label": np.int8})
    dataset = PreparedDataset("small", frame, {"x": "numeric"}, ("a",))
    for treatment in (THRESHOLDS, {"call": "thresholds_by_group", "held_out": 0.3}):
        with pytest.raises(InputError, match=r"has not seen the group a=1 in training: leave the "):
            train(dataset, FOREST, treatment)
