"""Treatments, models and tests of a user: what they get, and what they must return."""

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.experiments.fairness_tests import run_test
from fairpairs.experiments.repeated_predictions import Settings
from fairpairs.experiments.train import train_repeats
from fairpairs.files import write_text

SETTINGS = Settings(seed=1, alpha=0.05, pairs_per_item=1.0)


@pytest.fixture
def train(small_dataset, tmp_path):
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


def test_a_treatment_and_a_model_are_used(train, small_dataset):
    plain = train("treatments", treatment("np.ones(len(y))"))
    known = train_repeats(
        small_dataset, model="logistic_regression", treatment="none", repeats=[0, 1], seed=3,
        test_fraction=0.5,
    )  # fmt: skip
    pd.testing.assert_frame_equal(plain, known)
    scored = train("models", model("[self.amount[test] for test in tested]"))
    assert_array_equal(scored["score"], small_dataset.frame["amount"][scored["item"]])
    assert_array_equal(scored["item"], known["item"])


@pytest.mark.parametrize(
    "returned",
    ["np.ones(3)", "None", "-np.ones(len(y))", "np.zeros(len(y))", "np.full(len(y), np.nan)",
     "np.ones((len(y), 1))", "['much'] * len(y)"],
)  # fmt: skip
def test_a_treatment_that_returns_no_weights_is_named(train, returned):
    message = (
        r"^The treatment mine returned no weights of its \d+ training items: return one number for "
        r"each, of shape \(n,\), none below 0 and not all 0\.$"
    )
    with pytest.raises(InputError, match=message):
        train("treatments", treatment(returned))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("[self.amount for _ in tested]", "no score of each tested item: return one array for eac"),
        ("[self.amount[tested[0]]]", "no score of each tested item: return one array for "),
        ("None", "no score of each tested item: return one array for each repeat, here"),
        ("[np.full(test.sum(), np.nan) for test in tested]", "a score that is no finite number"),
    ],
)
def test_a_model_that_returns_no_scores_is_named(train, returned, words):
    with pytest.raises(InputError, match=rf"^The model mine returned {words}"):
        train("models", model(returned))


#: A test that returns rows of its own, and how these are made wrong.
ROWS = """
import numpy as np
import pandas as pd

from fairpairs.experiments.repeated_predictions import estimate_rows, hypothesis_rows


def mine(predictions, settings):
    rows = estimate_rows(("gap", "low"), predictions, np.ones((len(predictions.repeats), 2)))
    return {returned}


TEST = mine
"""


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("{}", "The test mine returned a dict: return the data frame of hypothesis_rows or estim"),
        ("rows[['repeat', 'n']]", "The test mine returned rows without draw, hypothesis, estimate"),
        ("rows.assign(estimate='x')", "The test mine returned estimate that are no numbers: ret"),
        ("rows.assign(rejected='no')", "The test mine returned `rejected` that is neither True no"),
        ("rows.iloc[:2]", "The test mine returned rows of other repeats than it was given: retur"),
        ("rows.assign(repeat=7)", "The test mine returned rows of other repeats than it was given"),
        ("rows.assign(hypothesis='gap')", "The test mine returned two rows of 'gap' in one repeat"),
        ("estimate_rows(('gap',), predictions, np.ones((2, 3)))",
         r"The values of 1 names in 2 repeats have the shape \(2, 3\): give \(2, 1\)\.$"),
    ],
)  # fmt: skip
def test_a_test_that_returns_other_rows_is_named(small_dataset, tmp_path, returned, words):
    predictions = train_repeats(
        small_dataset, model="logistic_regression", treatment="none", repeats=[0, 1], seed=3,
        test_fraction=0.5,
    )  # fmt: skip
    file = tmp_path / "tests/mine.py"
    write_text(file, ROWS.replace("{returned}", returned))
    with pytest.raises(InputError, match=f"^{words}"):
        run_test(
            "mine", predictions, small_dataset, treatment="none", settings=SETTINGS,
            extensions=[file],
        )  # fmt: skip


def test_nothing_is_loaded_by_a_name_that_there_is_not(small_dataset):
    for named in ({"model": "forest"}, {"treatment": "magic"}):
        ((kind, name),) = named.items()
        with pytest.raises(InputError, match=f"^There is no {kind} `{name}`: name one of "):
            train_repeats(
                small_dataset, **{"model": "ridge", "treatment": "none", **named}, repeats=[0],
                seed=3, test_fraction=0.5,
            )  # fmt: skip
