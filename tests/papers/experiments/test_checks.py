import pytest

from fairpairs import InputError
from fairpairs.base.files import write_text
from fairpairs.papers.experiments.checks import (
    check_encoder,
    check_experiment,
)

CARDS = {
    "loans": {
        "features": {"income": "numeric", "purpose": "categorical"},
        "label": {"column": "repaid", "one": [1], "zero": [0]},
    },
    "points": {
        "features": {"size": "numeric"},
        "label": {"column": "points", "numeric": True},
    },
    "items": {
        "features": {"title": "text"},
        "label": {"column": "points", "numeric": True},
        "decisions": {"columns": ["ann", "bob"]},
    },
    "faces": {
        "features": {"file": "image"},
        "archives": {"images": {}},
        "label": {"column": "beauty", "numeric": True},
        "decisions": {"columns": ["ann", "bob", "cid"]},
    },
}
ENCODERS = {
    "words": {"hub": "a/b", "revision": "c", "sha256": "d"},
    "net": {"kind": "mobilenet"},
    "deep": {"kind": "vgg16"},
    "points": {"kind": "landmarks"},
}
FINE = {
    "datasets": ["loans", "points"],
    "treatments": ["none"],
    "model": "linear_mae",
    "tests": ["accuracy"],
}


def test_a_real_label_is_refused_where_one_of_0_and_1_is_needed():
    check_experiment("e", FINE, CARDS)
    check_experiment(
        "e", {**FINE, "datasets": ["loans"], "model": "rankboost", "tests": ["xauc"]}, CARDS
    )
    for change, words in (
        ({"tests": ["accuracy", "xauc"]}, "the test xauc needs"),
        ({"model": "rankboost"}, "the model rankboost needs"),
        ({"curves": True}, "`curves` needs"),
    ):
        with pytest.raises(InputError, match=f"experiments.e: {words} .* data set points"):
            check_experiment("e", {**FINE, **change}, CARDS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"model": "rankbost"},
            r"model `rankbost` \(did you mean `rankboost`\?\): name one of line",
        ),
        (
            {"tests": ["xacu"]},
            r"test `xacu` \(did you mean `xauc`\?\): name one of accuracy, compa",
        ),
        (
            {"treatments": ["magic"]},
            "treatment `magic`: name one of fair_reweighing, fair_smote, ",
        ),
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
