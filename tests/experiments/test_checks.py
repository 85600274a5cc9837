import pytest

from fairpairs import InputError
from fairpairs.experiments.checks import BINARY_MODELS, BINARY_TESTS, check_experiment
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
