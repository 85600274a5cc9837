"""Comparative separation on judgments alone, against the labels they come from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairpairs import InputError, comparative_separation_test
from fairpairs.mathematics.estimates.pairs.given import given_pairs, orient_pairs, verdicts
from fairpairs.mathematics.inference.gap_variances import unpooled_variance
from fairpairs.mathematics.inference.gaps import FEW_BEHIND
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


GAPS = np.array([[0, -1, 1, 0], [-1, 0, 0, 1]])


def example():
    """Judgments of random pairs by needs of yes or no; scores depend on the needs alone."""
    rng = np.random.default_rng(1)
    left, right = rng.integers(60, size=(2, 1, 400))
    group = rng.permuted((np.arange(60) < 30)[None], axis=1).astype(int)
    need = rng.integers(2, size=(1, 60))
    outcome = np.sign(need[:, left[0]] - need[:, right[0]]).astype(float)
    score = rng.normal(size=(1, 60)) + need
    return given_pairs(*orient_pairs(outcome, verdicts(score, left, right), left, right), group, 2)


@pytest.mark.parametrize("contrasts", [np.eye(4), GAPS])
def test_the_own_variance_of_few_items_leans_on_the_pooled_one(contrasts):
    rates = example()
    found, df = unpooled_variance(rates, contrasts)
    theta, n, items = (x.ravel() for x in (rates.tpr, rates.effective, rates.items))
    common = rates.concordant.sum() / rates.comparable.sum()
    spread = np.sqrt(theta * (1 - theta) / (common * (1 - common)))
    pooled = rates.pooled[0] * np.outer(spread, spread)
    for number, row in enumerate(contrasts):
        cells = np.flatnonzero(row)
        apart = (row**2 * theta * (1 - theta) / n).sum()
        mean = (theta * n)[cells].sum() / n[cells].sum()
        alike = (mean * (1 - mean) / n[cells]).sum()
        own = max(row @ rates.covariance[0] @ row, apart) * max(1, alike / apart)
        behind = items[cells].min()
        trust = behind**2 / (behind**2 + 15**2)
        expected = trust * own + (1 - trust) * (row @ pooled @ row)
        assert_allclose(found[0, number], expected, rtol=1e-9)
        assert 1 <= df[0, number] <= behind - 1


def test_judgments_against_few_anchors_say_so():
    rng = np.random.default_rng(2)
    score, group = rng.normal(size=400), rng.integers(2, size=400)
    left, right = rng.integers(4, size=2000), rng.integers(4, 400, size=2000)
    outcome = rng.choice([-1, 1], 2000)
    few = comparative_separation_from_judgments(
        left, right, outcome, score, sensitive_features=group
    )
    assert few.difference.smallest_cell.min() >= 30
    assert few.to_frame()["note"].tolist() == [FEW_BEHIND] * 2
    assert FEW_BEHIND in few.interpretation
    many = comparative_separation_from_judgments(
        rng.integers(400, size=2000), right, outcome, score, sensitive_features=group
    )
    assert many.to_frame()["note"].tolist() == ["", ""]
    width = [(x.rates()["ci_high"] - x.rates()["ci_low"]).max() for x in (few, many)]
    assert width[0] > 2 * width[1]


def test_a_perfect_model_of_judgments_is_not_violated():
    rng = np.random.default_rng(3)
    score, group = np.arange(80.0), np.arange(80) % 2
    left, right = rng.permuted(np.tile(np.arange(80), (300, 1)), axis=1)[:, :2].T
    result = comparative_separation_from_judgments(
        left, right, np.sign(left - right), score, sensitive_features=group
    )
    assert result.violated is False
    assert result.pvalues.tolist() == [1, 1]
    assert result.to_frame()["note"].tolist() == ["no variance"] * 2
