import pytest

from fairpairs import InputError
from fairpairs.experiments.checks import (
    BINARY_MODELS,
    BINARY_TESTS,
    check_bridge_study,
    check_experiment,
)
from fairpairs.experiments.fairness_tests import TESTS
from fairpairs.models import MODELS

CARDS = {
    "loans": {
        "label": {"column": "repaid", "one": [1], "zero": [0]},
        "features": {"income": "numeric"},
    },
    "points": {
        "label": {"column": "points", "numeric": True},
        "features": {"size": "numeric"},
    },
}
FINE = {"datasets": ["loans", "points"], "model": "linear_mae", "tests": ["accuracy"]}


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


def test_what_needs_such_a_label_is_known():
    assert set(BINARY_TESTS) <= set(TESTS)
    assert set(BINARY_MODELS) <= set(MODELS)


def test_curves_are_shown_beside_a_ranking_only():
    experiment = {**FINE, "datasets": ["loans"], "curves": True, "tests": ["ranking", "separation"]}
    with pytest.raises(
        InputError, match=r"experiments.e: `curves` .* needs the tests xauc and rank"
    ):
        check_experiment("e", experiment, CARDS)
    check_experiment("e", {**experiment, "tests": ["ranking", "xauc"]}, CARDS)


STUDY = {"dataset": "faces", "decisions": ["Ann", "Bob"], "model": "ridge"}
FACES = {
    "features": {"name": "image"},
    "archives": {"images": {}},
    "decisions": {"columns": ["Ann", "Bob", "Mean"]},
}
ENCODERS = {
    "small": {"kind": "mobilenet"},
    "large": {"kind": "vgg16"},
    "points": {"kind": "landmarks"},
    "words": {"hub": "x"},
}


def test_a_study_of_bridges_goes_with_its_data_set_and_its_encoder():
    for encoder, model in (("small", "ridge"), ("large", "dense"), ("large", "fine_tuned")):
        study = {**STUDY, "encoder": encoder, "model": model}
        check_bridge_study("s", study, FACES, ENCODERS)
    table = {**FACES, "features": {"age": "numeric"}}
    check_bridge_study("s", STUDY, table, {})  # numbers need no encoder


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"decisions": ["Ann", "Dora"]},
            "the data set faces has no decisions of `Dora`: name one of Ann, Bob, Mean.",
        ),
        (
            {"encoder": "small", "model": "fine_tuned"},
            "the model fine_tuned starts from the weights of an encoder of the kind vgg16, and "
            "small is none: name another.",
        ),
    ],
)
def test_a_study_of_what_is_not_there_is_refused(change, words):
    with pytest.raises(InputError) as error:
        check_bridge_study("s", {**STUDY, "encoder": "small", **change}, FACES, ENCODERS)
    assert str(error.value) == f"config: bridges.s: {words}"


@pytest.mark.parametrize("encoder", ["points", "words", "other", None])
def test_images_need_an_encoder_that_reads_what_the_card_has(encoder):
    study = {**STUDY, "encoder": encoder}
    with pytest.raises(InputError) as error:
        check_bridge_study("s", study, FACES, ENCODERS)
    assert str(error.value) == (
        "config: the data set faces has images, so bridges.s.encoder must name one of small, "
        f"large; it is {encoder}."
    )


def test_a_data_set_without_decisions_has_no_bridges():
    card = {"features": {"age": "numeric"}}
    with pytest.raises(InputError, match="no decisions of `Ann`: name another data set, it has"):
        check_bridge_study("s", STUDY, card, {})
