"""Brier scores by group, against scikit-learn's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.metrics import brier_score_loss

import fairpairs as fp
from fairpairs import InputError
from tests.mathematics.synthetic import ranked_items


def test_brier_scores_are_those_of_scikit_learn():
    y, score, group = ranked_items(3, 200)
    probability = norm.cdf(score)
    frame = fp.brier_scores(y, probability, sensitive_features=group).set_index("group")
    assert_allclose(frame.loc["all", "brier"], brier_score_loss(y, probability))
    own = group == 1
    assert_allclose(frame.loc["1", "brier"], brier_score_loss(y[own], probability[own]))
    loss = (probability[own] - y[own]) ** 2
    assert_allclose(frame.loc["1", "standard_error"], loss.std(ddof=1) / np.sqrt(own.sum()))
    assert frame["n"].tolist() == [200 - own.sum(), own.sum(), 200]


def test_brier_scores_need_probabilities():
    y, score, group = ranked_items(0)
    with pytest.raises(InputError, match="y_score must lie between 0 and 1"):
        fp.brier_scores(y, score, sensitive_features=group)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"p": [-0.1, 0.5, 0.2, 1]}, "y_score must lie between 0 and 1"),
        ({"p": [0.1, np.nan, 0.2, 1]}, "y_score has 1 missing value"),
        ({"p": [0.1, 0.2]}, "y_true has 4, y_score has 2"),
        ({"y": [0, 1, 3, 1]}, "y_true must hold 0 and 1 only; it holds 3"),
        ({"y": [0, 0, 0, 0]}, "y_true holds 0 only"),
    ],
)
def test_brier_scores_name_bad_input(change, words):
    given = {"y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.2, 1], **change}
    with pytest.raises(InputError, match=words):
        fp.brier_scores(given["y"], given["p"], sensitive_features=list("aabb"))


def test_the_brier_score_of_one_item_has_no_standard_error():
    frame = fp.brier_scores([1, 0, 0], [0.5, 0.25, 0], sensitive_features=list("abb"))
    assert frame["brier"].tolist() == [0.25, 0.03125, 0.3125 / 3]
    assert frame["standard_error"].isna().tolist() == [True, False, False]
