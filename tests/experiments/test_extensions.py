"""Treatments, models and tests of a user: what they get, and what they must return."""

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.experiments.predictions import Settings
from fairpairs.experiments.testing import run_test
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
    scored = train("models", model("[1 / (1 + self.amount[test] ** 2) for test in tested]"))
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
        (
            "np.r_[1, 1, np.nan, np.ones(len(y) - 3)]",
            r"the weight nan at index 2 \(1 of \d+ are w",
        ),
        ("np.r_[np.ones(len(y) - 1), -0.5]", r"the weight -0\.5 at index \d+ \(1 of"),
        ("np.zeros(len(y))", "weights that are all 0"),
        ("['much'] * len(y)", "a list that is no array of numbers"),
        ("{1: 2}", "a dict that is no array of numbers"),
    ],
)
def test_a_treatment_that_returns_no_weights_is_told_what_it_returned(train, returned, came):
    message = (
        rf"^The treatment mine returned {came}.*: return one weight for each of its (?P<n>\d+) "
        r"training items, of shape \((?P=n),\), none below 0 and not all 0\.$"
    )
    with pytest.raises(InputError, match=message):
        train("treatments", treatment(returned))


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (
            "[self.amount for _ in tested]",
            r"scores of shape \(\d+,\) for the \d+ tested items of a ",
        ),
        (
            "[self.amount[tested[0]]]",
            r"1 array\(s\) for 2 repeat\(s\): return one array for each rep",
        ),
        ("None", "None: return one array for each repeat, here 2, with one number for each tested"),
        ("(self.amount[test] for test in tested)", "a generator: return one array for each"),
        ("[[[1], [2, 3]], 1]", "lists of several lengths: return one array for each repeat"),
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
def test_a_model_that_returns_no_scores_is_told_what_it_returned(train, returned, words):
    with pytest.raises(InputError, match=rf"^The model mine returned {words}"):
        train("models", model(returned))


def test_scores_may_be_one_array_with_a_row_a_repeat(train):
    code = "np.array([1 / (1 + self.amount[test] ** 2) for test in tested])"
    listed = train("models", model(code.replace("np.array", "list")))
    pd.testing.assert_frame_equal(train("models", model(code)), listed)


def test_the_ends_of_the_probabilities_are_scores(train):
    scored = train("models", model("[(self.amount[test] > 3).astype(float) for test in tested]"))
    assert set(scored["score"]) == {0.0, 1.0}
    assert_array_equal(scored["prediction"], scored["score"])
    rounded = "[np.where(self.amount[test] > 3, np.nextafter(1, 2), -1e-17) for test in tested]"
    pd.testing.assert_frame_equal(train("models", model(rounded)), scored)


def test_what_a_function_builds_has_the_method_too(train):
    with pytest.raises(
        InputError, match=r"^The model mine gives a dict, which has no method `fit_re"
    ):
        train("models", "def mine(features, kinds):\n    return {}\n\n\nMODEL = mine")


#: A test that returns rows of its own, and how these are made wrong.
ROWS = """
import numpy as np
import pandas as pd

from fairpairs.experiments.predictions import estimate_rows, hypothesis_rows


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
        ("rows.assign(estimate='x')", "The test mine returned estimate that are not numeric: ret"),
        ("rows.assign(rejected='no')", "The test mine returned `rejected` that is neither True no"),
        ("rows.iloc[:2]", "The test mine returned rows of wrong repeats: return rows of every"),
        ("rows.assign(repeat=7)", "The test mine returned rows of wrong repeats: return rows of"),
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
