"""The test of comparative separation on given and drawn pairs, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    test_proportions_2indep as proportions_test,
)

from fairpairs import InputError, comparative_separation_test
from fairpairs.mathematics.estimates.pairs.rates import PairCounts
from fairpairs.mathematics.inference.gaps import comparative_separation_from_counts
from tests.mathematics.synthetic import CONTRASTS, labelled_by_group


def plain_counts(y_true, y_score, group, pairs):
    right, usable = np.zeros((2, 2), dtype=int), np.zeros((2, 2), dtype=int)
    for i, j in pairs:
        for high, low in ((i, j), (j, i)):
            if y_true[high] > y_true[low]:
                usable[group[high], group[low]] += 1
                right[group[high], group[low]] += y_score[high] > y_score[low]
    return right, usable


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("real_labels", [False, True])
def test_given_pairs_are_tested_as_statsmodels_tests_their_counts(random_items, seed, real_labels):
    y_true, _, y_score, group = random_items(seed, 50)
    if real_labels:
        y_true = np.random.default_rng(seed).integers(6, size=50) / 2
    pairs = np.random.default_rng(seed + 100).integers(50, size=(400, 2))
    right, usable = plain_counts(y_true, y_score, group, pairs)
    result = comparative_separation_test(
        y_true,
        y_score,
        sensitive_features=group,
        pairs=pairs,
        variance="binomial",
        correction="none",
        alpha=0.1,
    )
    assert result.joint is None
    assert result.variance == "binomial"
    assert result.balanced is False
    assert_array_equal(result.right, right)
    assert_array_equal(result.usable, usable)
    assert_allclose(result.tpr, right / usable, rtol=1e-12)
    for i, (first, second) in enumerate(CONTRASTS):
        counts = right[first], usable[first], right[second], usable[second]
        expected = proportions_test(*counts, method="wald", compare="diff")
        assert_allclose(result.difference.estimate[i], expected.diff, rtol=1e-10)
        assert_allclose(result.statistic[i], expected.statistic, rtol=1e-10)
        assert_allclose(result.pvalues[i], expected.pvalue, rtol=1e-10)
        assert_allclose(
            (result.difference.ci_low[i], result.difference.ci_high[i]),
            confint_proportions_2indep(*counts, method="wald", compare="diff", alpha=0.1),
            rtol=1e-9,
        )


def test_pairs_given_as_a_list_and_groups_given_by_name():
    y_true, y_score = [3, 2, 1, 0], [4, 1, 2, 0]
    result = comparative_separation_test(
        y_true,
        y_score,
        sensitive_features=["old", "new", "old", "new"],
        pairs=[[0, 1], [2, 1]],
        variance="binomial",
    )
    assert result.groups == ("new", "old")
    assert result.hypotheses == ("TPR(old,new) = TPR(new,old)", "TPR(old,old) = TPR(new,new)")
    assert_array_equal(result.usable, [[0, 1], [1, 0]])
    assert_array_equal(result.right, [[0, 0], [1, 0]])
    pooled = "no variance: the pooled one stands in"
    assert list(result.difference.reason) == [pooled, "empty cell"]
    assert result.violated is False


def test_an_empty_cell_does_not_hide_the_other_hypothesis():
    counts = PairCounts(np.array([[0, 10], [45, 5]]), np.array([[0, 50], [50, 9]]))
    result = comparative_separation_from_counts(counts)
    assert list(result.reason) == ["", "empty cell"]
    assert_allclose(result.statistic[0], 0.7 / np.sqrt(0.09 / 50 + 0.16 / 50), rtol=1e-12)
    assert np.isnan(result.pvalue[1])


@pytest.mark.parametrize("scores", ["binary", "real"])
def test_a_number_of_pairs_is_drawn_and_the_draw_can_be_repeated(random_items, scores):
    y_true, y_pred, y_score, group = random_items(0, 200)

    def draw(random_state, pairs=400):
        return comparative_separation_test(
            y_true,
            y_pred if scores == "binary" else y_score,
            sensitive_features=group,
            pairs=pairs,
            random_state=random_state,
        )

    one = draw(7)
    # half of the pairs have different labels, give or take sqrt(400/4) = 10; five of these
    assert abs(one.usable.sum() - 200) < 50
    assert_array_equal(one.right, draw(7).right)
    assert_array_equal(one.usable, draw(np.random.default_rng(7)).usable)
    assert (one.usable != draw(8).usable).any()
    assert_array_equal(one.usable, draw(7, pairs=np.int64(400)).usable)
    rng = np.random.default_rng(7)
    assert (draw(rng).usable != draw(rng).usable).any()


GOOD = {
    "y_true": [0, 1, 0, 1],
    "y_score": [0.1, 0.9, 0.8, 0.3],
    "sensitive_features": list("aabb"),
    "pairs": 10,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairs": 0}, "pairs must be a whole number from 1 to 10,000,000; it is 0"),
        ({"pairs": -3}, "pairs must be a whole number from 1 to 10,000,000; it is -3"),
        ({"pairs": 2.5}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": "many"}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": None}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [0, 1, 2]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0, 1, 2]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0.0, 1.0]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[True, False]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0, 4]]}, "pairs holds a position outside 0 to 3"),
        ({"pairs": [[-1, 2]]}, "pairs holds a position outside 0 to 3"),
        ({"variance": "exact"}, "variance must be one of 'auto', .*; it is 'exact'"),
        ({"balance_labels": "yes"}, "balance_labels must be True, False or 'auto', not 'yes'"),
        ({"balance_labels": None}, "balance_labels must be True, False or 'auto', not None"),
        ({"balance_labels": 1}, "balance_labels must be True, False or 'auto', not 1"),
        ({"y_true": [1, 1, 1, 1]}, "y_true has only one value"),
    ],
)
def test_bad_input_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        comparative_separation_test(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("pairs", "variance"),
    [("all", "dyadic"), ("all", "binomial"), (10, "ustatistic"), ([[0, 1], [2, 3]], "ustatistic")],
)
def test_a_variance_that_does_not_go_with_the_pairs_is_refused(pairs, variance):
    with pytest.raises(InputError, match=f"variance='{variance}' does not go with pairs="):
        comparative_separation_test(**{**GOOD, "pairs": pairs, "variance": variance})


def test_the_binomial_variance_does_not_go_with_balanced_labels():
    with pytest.raises(
        InputError, match="balance_labels=True does not go with variance='binomial'"
    ):
        comparative_separation_test(**GOOD, variance="binomial", balance_labels=True)


@pytest.mark.parametrize("labels", ["binary", "real"])
def test_a_seed_draws_the_same_pairs_whatever_the_variance(labels):
    y, s, group = labelled_by_group(4, 100, 2, labels)

    def run(**options):
        return comparative_separation_test(
            y, s, sensitive_features=group, pairs=200, random_state=5, **options
        )

    dyadic = run(balance_labels=False)
    binomial = run(variance="binomial")
    assert (dyadic.variance, binomial.variance) == ("dyadic", "binomial")
    assert_array_equal(dyadic.right, binomial.right)
    assert_array_equal(dyadic.usable, binomial.usable)
    assert_allclose(dyadic.difference.estimate, binomial.difference.estimate, rtol=1e-12)
    assert (dyadic.statistic != binomial.statistic).all()
    assert_array_equal(run(variance="dyadic", balance_labels=False).statistic, dyadic.statistic)


def test_the_intervals_of_the_rates_with_the_binomial_variance_are_wilson_s():
    y, s, group = labelled_by_group(14, 80)
    result = comparative_separation_test(
        y, s, sensitive_features=group, pairs=300, variance="binomial", random_state=0, alpha=0.1
    )
    frame = result.rates()
    low, high = proportion_confint(
        result.right.ravel(), result.usable.ravel(), alpha=0.1, method="wilson"
    )
    assert_allclose(frame["ci_low"], low, rtol=1e-9)
    assert_allclose(frame["ci_high"], high, rtol=1e-9)
