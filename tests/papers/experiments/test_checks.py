from pathlib import Path

import pytest
import yaml

from fairpairs import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.experiments.arms import arms
from fairpairs.papers.experiments.checks import check_encoder, check_experiment
from fairpairs.papers.experiments.part_checks import check_parts

MADE = yaml.safe_load(Path(__file__).with_name("cards.yaml").read_text("utf-8"))
CARDS, ENCODERS, FINE = (MADE[name] for name in ("cards", "encoders", "fine"))


def test_a_real_label_is_refused_where_one_of_0_and_1_is_needed():
    check_experiment("e", FINE, CARDS)
    check_experiment(
        "e", {**FINE, "datasets": ["loans"], "model": "rankboost", "tests": ["xauc"]}, CARDS
    )
    for change, words in (
        ({"tests": ["accuracy", "xauc"]}, "the test xauc needs"),
        ({"model": "rankboost"}, "the model rankboost needs"),
        ({"curves": True}, "`curves` needs"),
        ({"model": "linear_mae"}, "the model linear_mae needs a label that is a number,"),
    ):
        dataset = "loans" if "linear" in words else "points"
        with pytest.raises(InputError, match=f"experiments.e: {words} .* data set {dataset}"):
            check_experiment("e", {**FINE, **change}, CARDS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "rankbost"}, r"model `rankbost` \(did you mean `rankboost`\?\): name one of"),
        ({"tests": ["xacu"]}, r"test `xacu` \(did you mean `xauc`\?\): name one of accuracy,"),
        ({"treatments": ["magic"]}, "treatment `magic`: name one of fair_reweighing, fair_smote, "),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(change, words):
    with pytest.raises(InputError, match=f"^config: experiments.e: there is no {words}"):
        check_experiment("e", {**FINE, **change}, CARDS)


def test_what_a_user_adds_is_taken_and_says_what_label_it_needs(tmp_path):
    write_text(tmp_path / "models/mine.py", "MODEL = object\nBINARY_LABEL = True\n")
    mine = {**FINE, "model": "mine"}
    check_experiment("e", {**mine, "datasets": ["loans"]}, CARDS, extensions=[tmp_path])
    with pytest.raises(InputError, match="the model mine needs a label of 0 and 1"):
        check_experiment("e", mine, CARDS, extensions=[tmp_path])


@pytest.mark.parametrize("key", ["curves", "folds"])
def test_curves_and_folds_are_shown_beside_a_ranking_only(key):
    experiment = {**FINE, "datasets": ["loans"], key: 2, "tests": ["ranking", "separation"]}
    with pytest.raises(
        InputError, match=rf"experiments.e: `{key}` .* needs the tests xauc and rank"
    ):
        check_experiment("e", experiment, CARDS)
    check_experiment("e", {**experiment, "tests": ["ranking", "xauc"]}, CARDS)


def test_folds_are_refused_beside_an_encoder():
    experiment = {**FINE, "datasets": ["loans"], "folds": 2, "tests": ["ranking", "xauc"]}
    with pytest.raises(InputError, match=r"experiments.e: `folds` .* `encoder`: drop one"):
        check_experiment("e", {**experiment, "encoder": "words"}, CARDS)


@pytest.mark.parametrize(
    ("dataset", "encoder"),
    [("items", "words"), ("faces", "net"), ("faces", "deep"), ("loans", None), ("loans", "words")],
)
def test_an_encoder_that_fits_the_data_set_is_accepted(dataset, encoder):
    asks = {} if encoder is None else {"encoder": encoder}
    check_encoder("experiments.e", asks, dataset, CARDS[dataset], ENCODERS)


@pytest.mark.parametrize(
    ("dataset", "encoder", "words"),
    [
        ("items", None, "has texts, so experiments.e.encoder must name one of words; it is None."),
        ("items", "net", "has texts, so experiments.e.encoder must name one of words; it is net."),
        ("items", "wrds", "has texts, so .* must name one of words; it is wrds."),
        ("faces", None, "has images, so .* must name one of net, deep; it is None."),
        ("faces", "words", "has images, so .* must name one of net, deep; it is words."),
        # the card has no archive of landmarks
        ("faces", "points", "has images, so .* must name one of net, deep; it is points."),
    ],
)
def test_another_encoder_is_refused_with_those_that_fit(dataset, encoder, words):
    asks = {} if encoder is None else {"encoder": encoder}
    with pytest.raises(InputError, match=rf"^config: the data set {dataset} {words}$"):
        check_experiment("e", {**FINE, "datasets": [dataset], **asks}, CARDS, ENCODERS)


def test_a_card_with_landmarks_alone_has_one_encoder():
    card = {**CARDS["faces"], "archives": {"landmarks": {}}}
    check_encoder("bridges.b", {"encoder": "points"}, "faces", card, ENCODERS)
    with pytest.raises(InputError, match=r"bridges\.b\.encoder must name one of points; it is net"):
        check_encoder("bridges.b", {"encoder": "net"}, "faces", card, ENCODERS)


def test_a_config_without_a_fitting_encoder_says_so():
    message = "must name one, and `encoders` has none; it is net"
    with pytest.raises(InputError, match=message):
        check_experiment("e", {**FINE, "datasets": ["faces"], "encoder": "net"}, CARDS)
    with pytest.raises(InputError, match="must name one, and `encoders` has none; it is None"):
        check_encoder("e", {}, "items", CARDS["items"], {"net": {"kind": "mobilenet"}})


LOGISTIC = "sklearn.linear_model.LogisticRegression"
NEIGHBOURS, RIDGE = "sklearn.neighbors.KNeighborsClassifier", "sklearn.linear_model.RidgeClassifier"
THRESHOLDS = {"call": "thresholds_by_group", "held_out": 0.3}
REDUCTIONS = {
    "call": "fairlearn.reductions.ExponentiatedGradient",
    "with": {"constraints": {"call": "fairlearn.reductions.EqualizedOdds"}},
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "sklearn.linear_model"}, "`sklearn.linear_model` is a module: give the path"),
        ({"model": "sklearn.cluster.KMeans"}, "KMeans is of the kind clusterer, and that of"),
        ({"model": "sklearn.preprocessing.StandardScaler"}, "has no `fit` and `predict`"),
        ({"model": "math.sqrt"}, "cannot be built of features, their kinds and its parameters"),
        ({"model": {"call": LOGISTIC, "with": {"C": -1}}}, "cannot be built .InvalidParameterErr"),
        ({"model": REDUCTIONS["call"]}, "cannot be built .TypeError: .* missing 2 required"),
        ({"model": {"call": "ridge", "encode": "none"}}, "encodes the features itself: drop `enc"),
        ({"treatments": [REDUCTIONS["call"]]}, "cannot be called with its parameters .TypeError"),
        ({"treatments": [{"call": "fairway", "as": "weights"}]}, "correct them, or its kind, `as`"),
        ({"model": {"call": "rankboost", "with": {"rounds": 2}}, "treatments": ["massaging"]},
         "needs an estimator of scikit-learn, which rankboost with these parameters is not"),
        ({"model": NEIGHBOURS, "treatments": [REDUCTIONS]}, "takes no weights, which the treatme"),
        ({"model": RIDGE, "treatments": [THRESHOLDS]}, "thresholds_by_group needs scores, and the"),
        ({"model": RIDGE, "measures": ["auc"]}, "measure auc needs scores, .* or drop the measure"),
        ({"treatments": [["fairbalance", LOGISTIC]]}, "gets no weights: drop one of the two"),
        ({"measures": ["sklearn.metrics.fbeta_score"]}, "measures: `fbeta_score` cannot be measur"),
        ({"measures": ["builtins.max"]}, "`builtins.max` is no measure .ValueError: no signature"),
        ({"measures": ["accuracy"], "compare": {}}, "compare: there is nothing to compare: name"),
        ({"measures": ["accuracy", {"call": "accuracy"}]}, "two measures have the name `accuracy`"),
        ({"models": [{"call": LOGISTIC, "grid": {"C.D": [1]}, "with": {"C": 1}}]}, "varies `D` of"),
        ({"models": [{"call": LOGISTIC, "grid": {"C": list(range(1001))}}]}, "has 1,001 points: g"),
        ({"models": ["ridge", {"call": LOGISTIC, "grid": {"C": [[1] * 99]}}]}, "is too long a n"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_when_the_config_is_read(change, words):
    mine = {"datasets": ["loans"], "model": LOGISTIC, "treatments": ["none"], **change}
    with pytest.raises(InputError, match=words) as refused:
        check_parts("mine", mine, [*arms("", mine, {}).values()], CARDS)
    assert "\n" not in str(refused.value)


def test_names_of_the_config_may_stand_for_others_and_not_for_themselves():
    config = {"treatments": {"a": "b", "b": ["fairway", "c"], "c": "fairbalance", "d": "d"}}
    asked = {"model": "m", "treatments": ["a", "d"]}
    steps = {
        name: [step["call"] for step in arm.steps] for name, arm in arms("", asked, config).items()
    }
    assert steps == {"a": ["fairway", "fairbalance"], "d": ["d"]}
    config["treatments"]["c"] = ["a"]
    with pytest.raises(InputError, match="treatments: `a` is a step of itself"):
        arms("", asked, config)
