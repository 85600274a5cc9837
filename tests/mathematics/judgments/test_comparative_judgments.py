"""Comparative separation on judgments alone, against the labels they come from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError, comparative_separation_test
from fairpairs.mathematics.judgments.comparative_judgments import (
    comparative_separation_from_judgments,
)
from tests.mathematics.synthetic import labelled_by_group


def judged(seed=0, n=60, m=300, labels="few", k=2):
    y, s, group = labelled_by_group(seed, n, k, labels)
    left, right = np.random.default_rng(seed + 50).integers(n, size=(2, m))
    return left, right, np.sign(y[left] - y[right]).astype(int), y, s, group


@pytest.mark.parametrize("variance", ["auto", "dyadic", "binomial"])
@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_judgments_say_the_same_as_the_labels_they_come_from(variance, ties):
    if variance == "binomial" and ties == "half":
        return  # halves are no counts
    left, right, outcome, y, s, group = judged()
    of_judgments = comparative_separation_from_judgments(
        left, right, outcome, s, sensitive_features=group, variance=variance, ties=ties
    )
    of_labels = comparative_separation_test(
        y,
        s,
        sensitive_features=group,
        pairs=np.column_stack([left, right]),
        variance=variance,
        ties=ties,
        balance_labels=False,
    )
    for field in ("right", "usable", "tpr", "tpr_covariance", "pvalues", "hypotheses", "groups"):
        assert_array_equal(getattr(of_judgments, field), getattr(of_labels, field))
    assert of_judgments.balanced is False
    assert of_judgments.variance == ("binomial" if variance == "binomial" else "dyadic")


def test_ties_and_items_against_themselves_are_no_judgments():
    left, right, outcome, _, s, group = judged(2)
    kept = outcome != 0
    assert not kept.all()
    one = comparative_separation_from_judgments(left, right, outcome, s, sensitive_features=group)
    other = comparative_separation_from_judgments(
        [*left[kept], 3], [*right[kept], 3], [*outcome[kept], 1], s, sensitive_features=group
    )
    assert_array_equal(one.usable, other.usable)
    assert_array_equal(one.pvalues, other.pvalues)
    assert_array_equal(one.tpr_covariance, other.tpr_covariance)


def test_repeated_judgments_that_contradict_each_other_count_on_both_sides():
    left, right = [0, 0, 1, 2, 2], [1, 1, 0, 3, 3]
    outcome, s, group = [1, 1, 1, 1, -1], [2.0, 1.0, 4.0, 3.0], ["a", "b", "a", "b"]
    result = comparative_separation_from_judgments(
        left, right, outcome, s, sensitive_features=group
    )
    assert_array_equal(result.usable, [[0, 3], [2, 0]])
    assert_array_equal(result.right, [[0, 3], [0, 0]])
    assert np.isfinite(result.tpr_covariance[1:3, 1:3]).all()


def test_repeating_all_judgments_does_not_change_the_test():
    left, right, outcome, _, s, group = judged(4, 80, 500)
    once, thrice = (
        comparative_separation_from_judgments(
            *(np.tile(x, times) for x in (left, right, outcome)), s, sensitive_features=group
        )
        for times in (1, 3)
    )
    assert_array_equal(thrice.usable, 3 * once.usable)
    assert_allclose(thrice.tpr_covariance, once.tpr_covariance, rtol=1e-9, atol=1e-15)
    # the degrees of freedom may be those of the pairs, of which there are more
    assert_allclose(thrice.difference.ci_low, once.difference.ci_low, rtol=0.005)


JUDGED = {
    "left": [0, 1, 2],
    "right": [1, 2, 3],
    "outcome": [1, -1, 0],
    "y_score": [0.1, 0.9, 0.8, 0.3],
    "sensitive_features": list("aabb"),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": [1, 2, 0]}, "outcome must be 1 .* it holds 2"),
        ({"outcome": [1, 0.5, 0]}, "outcome must be 1 .* it holds 0.5"),
        ({"outcome": [0, 0, 0]}, "outcome holds ties only"),
        ({"left": [0, 1, 4]}, "left and right holds a position outside 0 to 3"),
        ({"right": [0, -1, 2]}, "left and right holds a position outside 0 to 3"),
        ({"left": [0.0, 1.0, 2.0]}, "left and right must hold whole numbers"),
        ({"left": ["0", "1", "2"]}, "left and right must hold whole numbers"),
        ({"left": [0, 1, 2], "right": [0, 1, 2]}, "at least one judgment of two items"),
        ({"variance": "ustatistic"}, "variance must be one of 'auto', 'dyadic', 'binomial'"),
        ({"y_score": None}, "either y_score or predicted"),
        ({"predicted": [1, 1, 0]}, "either y_score or predicted"),
        ({"y_score": None, "predicted": [1, 2, 0]}, "predicted must be 1 .* it holds 2"),
        ({"judges": ["x", "x", "y"]}, "judges holds one value for all judgments that count"),
        ({"clusters": [1, 1, 1]}, "clusters holds one value for all judgments that count"),
        ({"item_clusters": [1, 1, 1, 1]}, "item_clusters holds one value for all items"),
        ({"ties_in_outcome": "wrong"}, "ties_in_outcome must be one of 'drop', 'half'"),
        ({"ties_in_outcome": "half", "variance": "binomial"}, "'half' does not go with variance"),
        ({"judges": [1, 2, 3], "variance": "binomial"}, "judges does not go with variance"),
    ],
)
def test_bad_judgments_are_explained(change, message):
    with pytest.raises(InputError, match=message):
        comparative_separation_from_judgments(**{**JUDGED, **change})


def test_verdicts_on_pairs_may_take_the_place_of_scores():
    left, right, outcome, _, s, group = judged(6)
    s = np.round(s, 1)
    predicted = np.sign(s[left] - s[right])
    for ties in ("wrong", "half"):
        options = {"sensitive_features": group, "ties": ties}
        by_scores = comparative_separation_from_judgments(left, right, outcome, s, **options)
        by_verdicts = comparative_separation_from_judgments(
            left, right, outcome, predicted=predicted, **options
        )
        for field in ("right", "usable", "tpr_covariance", "pvalues"):
            assert_array_equal(getattr(by_scores, field), getattr(by_verdicts, field))


def test_a_tie_in_the_outcome_may_be_half_a_judgment_each_way():
    left, right, outcome, _, s, group = judged(7)
    halves = comparative_separation_from_judgments(
        left, right, outcome, s, sensitive_features=group, ties_in_outcome="half"
    )
    usable, right_ones = np.zeros((2, 2)), np.zeros((2, 2))
    for one, two, sign in zip(left, right, outcome, strict=True):
        ways = {1: [(one, two, 1)], -1: [(two, one, 1)], 0: [(one, two, 0.5), (two, one, 0.5)]}
        for winner, loser, weight in ways[sign] if one != two else []:
            usable[group[winner], group[loser]] += weight
            right_ones[group[winner], group[loser]] += weight * (s[winner] > s[loser])
    assert_allclose(halves.usable, usable)
    assert_allclose(halves.right, right_ones)
    none = outcome != 0
    options = {"sensitive_features": group}
    one, other = (
        comparative_separation_from_judgments(
            left[none], right[none], outcome[none], s, ties_in_outcome=ties, **options
        )
        for ties in ("drop", "half")
    )
    assert_array_equal(one.pvalues, other.pvalues)
