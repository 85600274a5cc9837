"""The test of comparative separation: given, drawn and all pairs, two groups or more."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    test_proportions_2indep as proportions_test,
)

from fairpairs import InputError, comparative_separation_test
from fairpairs.fairness.balance import balancing_weights, label_strata
from fairpairs.fairness.gaps import (
    comparative_separation_from_counts,
    comparative_separation_from_rates,
    gap_hypotheses,
)
from fairpairs.fairness.pairs.all_pairs import all_pairs
from fairpairs.fairness.pairs.drawn import PairCounts
from fairpairs.fairness.pairs.given import given_pairs

from .synthetic import CONTRASTS, labelled_by_group


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


@pytest.mark.parametrize("correction", ["holm", "sidak"])
def test_corrected_p_values_are_those_of_multipletests(random_items, correction):
    y_true, _, y_score, group = random_items(0, 50)
    pairs = np.random.default_rng(0).integers(50, size=(400, 2))
    plain, corrected = (
        comparative_separation_test(
            y_true, y_score, sensitive_features=group, pairs=pairs, correction=c
        ).pvalues
        for c in ("none", correction)
    )
    assert_allclose(corrected, multipletests(plain, method=correction)[1], rtol=1e-12)


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


@pytest.mark.parametrize("path", ["binary", "scores"])
def test_both_ways_of_drawing_have_the_expected_counts(random_items, path):
    # The score 2c ranks pairs as the prediction c does, but is drawn pair by pair. 400 draws of 500
    # pairs: the standard error of a mean count is below sqrt(500/4/400) = 0.56.
    y_true, y_pred, _, group = random_items(2, 60)
    all_pairs = list(product(range(60), repeat=2))
    right, usable = plain_counts(y_true, y_pred, group, all_pairs)
    rng = np.random.default_rng(11)
    score = y_pred if path == "binary" else 2 * y_pred
    draws = [
        comparative_separation_test(
            y_true, score, sensitive_features=group, pairs=500, random_state=rng
        )
        for _ in range(400)
    ]
    assert_allclose(np.mean([d.right for d in draws], axis=0), 500 * right / 3600, atol=2.6)
    assert_allclose(np.mean([d.usable for d in draws], axis=0), 500 * usable / 3600, atol=2.6)


@pytest.mark.parametrize("scores", [[0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.8]])
def test_every_item_is_drawn_equally_often(scores):
    # 25 ordered pairs of five items, equally likely: 8,000 draws, standard error at most 45
    y_true, group = [0, 1, 0, 1, 1], [0, 0, 1, 1, 0]
    right, usable = plain_counts(y_true, scores, group, product(range(5), repeat=2))
    assert (usable > 0).all()
    result = comparative_separation_test(
        y_true, scores, sensitive_features=group, pairs=8000, random_state=0
    )
    for drawn, of_25 in ((result.right, right), (result.usable, usable)):
        p = of_25 / 25
        assert (np.abs(drawn - 8000 * p) <= 4.5 * np.sqrt(8000 * p * (1 - p))).all()


def test_the_scale_of_the_scores_does_not_matter(random_items):
    y_true, _, y_score, group = random_items(0, 100)
    one, other = (
        comparative_separation_test(
            y_true, s, sensitive_features=group, pairs=300, random_state=1
        ).right
        for s in (y_score, np.exp(3 * y_score))
    )
    assert_array_equal(one, other)


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
        ({"ties": "right"}, "ties must be one of 'wrong', 'half'; it is 'right'"),
        ({"correction": "bonferroni"}, "correction must be one of 'none', 'holm', 'sidak'"),
        ({"balance_labels": "yes"}, "balance_labels must be True, False or 'auto', not 'yes'"),
        ({"balance_labels": None}, "balance_labels must be True, False or 'auto', not None"),
        ({"balance_labels": 1}, "balance_labels must be True, False or 'auto', not 1"),
        ({"y_true": [1, 1, 1, 1]}, "y_true holds one value only"),
        ({"y_score": [0.1, 0.9, 0.8]}, "y_true has 4, y_score has 3"),
        ({"y_score": [0.1, np.nan, 0.8, 0.3]}, r"y_score has 1 missing .* position 1"),
        ({"y_score": [0.1, np.inf, 0.8, 0.3]}, "y_score holds an infinite value"),
        ({"y_true": [0, 1, None, 1]}, r"y_true has 1 missing value\(s\), .* position 2"),
        ({"y_true": ["low", "high", "low", "low"]}, "y_true must hold numbers"),
        ({"sensitive_features": list("aaaa")}, r"one group only \(a\)"),
        ({"sensitive_features": list("aab")}, "sensitive_features has 3"),
        ({"alpha": 1.2}, "alpha must lie between 0 and 1; it is 1.2"),
        ({"y_true": [], "y_score": [], "sensitive_features": []}, "y_true is empty"),
    ],
)
def test_bad_input_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        comparative_separation_test(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("pairs", "variance"),
    [
        ("all", "dyadic"),
        ("all", "binomial"),
        (10, "ustatistic"),
        ([[0, 1], [2, 3]], "ustatistic"),
    ],
)
def test_a_variance_that_does_not_go_with_the_pairs_is_refused(pairs, variance):
    with pytest.raises(InputError, match=f"variance='{variance}' does not go with pairs="):
        comparative_separation_test(**{**GOOD, "pairs": pairs, "variance": variance})


def test_the_binomial_variance_does_not_go_with_balanced_labels():
    with pytest.raises(
        InputError, match="balance_labels=True does not go with variance='binomial'"
    ):
        comparative_separation_test(**GOOD, variance="binomial", balance_labels=True)


def every_pair(n):
    return np.array(list(product(range(n), repeat=2)))


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
def test_all_pairs_are_the_default(labels, k):
    y, s, group = labelled_by_group(1, 60, k, labels)
    result = comparative_separation_test(y, s, sensitive_features=group)
    assert result.variance == "ustatistic"
    assert result.balanced is (labels != "binary")
    assert result.groups == tuple(range(k))
    raw = comparative_separation_test(y, s, sensitive_features=group, balance_labels=False)
    right, usable = np.zeros((2, k, k))
    for i, j in every_pair(60):
        if y[i] > y[j]:
            usable[group[i], group[j]] += 1
            right[group[i], group[j]] += s[i] > s[j]
    assert_allclose(raw.right, right, rtol=1e-12)
    assert_array_equal(raw.usable, usable)
    assert raw.balanced is False
    assert (result.difference.estimate == raw.difference.estimate).all() == (labels == "binary")


@pytest.mark.parametrize("labels", ["few", "real"])
def test_real_labels_are_balanced_by_the_weights_of_their_strata(labels):
    y, s, group = labelled_by_group(2, 90, 2, labels)
    strata = label_strata(y)
    weights = balancing_weights(group, strata, 2)
    rates = all_pairs(strata.astype(float), s, group, 2, weights=weights, strata=strata)
    for balance in ("auto", True):
        result = comparative_separation_test(y, s, sensitive_features=group, balance_labels=balance)
        assert_array_equal(result.tpr, rates.tpr)
        assert_array_equal(result.tpr_covariance, rates.covariance)
    pairs = np.random.default_rng(0).integers(90, size=(300, 2))
    drawn = comparative_separation_test(y, s, sensitive_features=group, pairs=pairs)
    right, usable = np.zeros((2, 2, 2))
    for i, j in pairs:
        for high, low in ((i, j), (j, i)):
            if strata[high] > strata[low]:  # pairs of one stratum do not count
                cell = group[high], group[low]
                usable[cell] += weights[high] * weights[low]
                right[cell] += weights[high] * weights[low] * (s[high] > s[low])
    assert_allclose(drawn.usable, usable, rtol=1e-12)
    assert_allclose(drawn.right, right, rtol=1e-12)
    assert drawn.balanced is True
    assert drawn.variance == "dyadic"


def test_balancing_has_no_effect_on_binary_labels():
    y, s, group = labelled_by_group(3)
    for pairs in ("all", 200):
        one, other = (
            comparative_separation_test(
                y, s, sensitive_features=group, pairs=pairs, balance_labels=b, random_state=0
            )
            for b in (True, False)
        )
        assert one.balanced is other.balanced is False
        assert_array_equal(one.pvalues, other.pvalues)


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


@pytest.mark.parametrize("pairs", ["all", 600])
def test_three_groups_have_six_hypotheses_in_order(pairs):
    y, s, group = labelled_by_group(9, 150, 3)
    names = np.array(["blue", "green", "red"])[group]
    result = comparative_separation_test(
        y, s, sensitive_features=names, pairs=pairs, random_state=0, correction="none"
    )
    assert result.groups == ("blue", "green", "red")
    assert result.hypotheses == gap_hypotheses(result.groups)
    assert result.hypotheses == (
        "TPR(green,blue) = TPR(blue,green)",
        "TPR(green,green) = TPR(blue,blue)",
        "TPR(red,blue) = TPR(blue,red)",
        "TPR(red,red) = TPR(blue,blue)",
        "TPR(red,green) = TPR(green,red)",
        "TPR(red,red) = TPR(green,green)",
    )
    t = result.tpr
    expected = [
        t[1, 0] - t[0, 1], t[1, 1] - t[0, 0],
        t[2, 0] - t[0, 2], t[2, 2] - t[0, 0],
        t[2, 1] - t[1, 2], t[2, 2] - t[1, 1],
    ]  # fmt: skip
    assert_allclose(result.difference.estimate, expected, rtol=1e-12)
    assert list(result.to_frame()["hypothesis"]) == list(result.hypotheses)
    assert result.tpr_covariance.shape == (9, 9)
    assert result.joint.df == 4
    binomial = comparative_separation_test(
        y, s, sensitive_features=names, pairs=600, random_state=0, variance="binomial"
    )
    right, usable = binomial.right.astype(int), binomial.usable.astype(int)
    of_two = proportions_test(
        right[2, 1], usable[2, 1], right[1, 2], usable[1, 2], method="wald", compare="diff"
    )
    assert_allclose(binomial.statistic[4], of_two.statistic, rtol=1e-10)


def test_two_of_three_groups_have_the_rates_that_they_have_alone():
    y, s, group = labelled_by_group(10, 150, 3)
    three = comparative_separation_test(y, s, sensitive_features=group)
    kept = group != 1
    two = comparative_separation_test(y[kept], s[kept], sensitive_features=group[kept])
    assert_allclose(two.tpr, three.tpr[np.ix_([0, 2], [0, 2])], rtol=1e-12)
    places = [0, 2, 6, 8]
    assert_allclose(two.tpr_covariance, three.tpr_covariance[np.ix_(places, places)], rtol=1e-9)


@pytest.mark.parametrize("labels", ["binary", "real"])
def test_several_attributes_are_as_groups_of_their_combinations(labels):
    y, s, group = labelled_by_group(11, 200, 4, labels)
    sex, race = np.array(["f", "m"])[group // 2], np.array(["a", "b"])[group % 2]
    frame = pd.DataFrame({"sex": sex, "race": race}, index=range(200, 400))
    joined = [f"{x} & {z}" for x, z in zip(sex, race, strict=True)]
    one = comparative_separation_test(y, s, sensitive_features=frame)
    array = comparative_separation_test(y, s, sensitive_features=frame.to_numpy())
    other = comparative_separation_test(y, s, sensitive_features=joined)
    assert one.groups == array.groups == (("f", "a"), ("f", "b"), ("m", "a"), ("m", "b"))
    assert one.hypotheses == array.hypotheses == other.hypotheses
    assert one.hypotheses[0] == "TPR(f & b,f & a) = TPR(f & a,f & b)"
    for field in ("tpr", "tpr_covariance", "pvalues"):
        assert_array_equal(getattr(one, field), getattr(other, field))
    assert_array_equal(one.pvalues, array.pvalues)
    assert list(one.rates()["winner"][:5]) == ["f & a"] * 4 + ["f & b"]


@pytest.mark.parametrize("pairs", ["all", 400])
def test_ties_may_count_half(pairs):
    y, s, group = labelled_by_group(12, 100)
    s = np.round(s)

    def run(scores, ties):
        return comparative_separation_test(
            y, scores, sensitive_features=group, pairs=pairs, random_state=0, ties=ties
        ).right

    # a score less a tie is wrong, so exchanging right and wrong leaves the ties
    not_right = run(-s, "wrong")
    usable = comparative_separation_test(
        y, s, sensitive_features=group, pairs=pairs, random_state=0
    ).usable
    tied = usable - run(s, "wrong") - not_right
    assert (tied > 0).all()
    assert_allclose(run(s, "half"), run(s, "wrong") + tied / 2, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pairs": 300},
        {"pairs": 300, "variance": "binomial"},
        {"ties": "half"},
        {"pairs": 12},
        {"pairs": 12, "variance": "binomial"},
        {"alpha": 0.2},
    ],
)
@pytest.mark.parametrize("labels", ["binary", "real"])
@pytest.mark.parametrize("right", ["some", "all", "none"])
def test_the_intervals_of_the_rates_stay_between_0_and_1(options, labels, right):
    y, s, group = labelled_by_group(13, 80, 3, labels)
    s = {"some": s, "all": y, "none": -y}[right]
    result = comparative_separation_test(y, s, sensitive_features=group, random_state=2, **options)
    frame = result.rates()
    assert list(frame.columns) == ["winner", "loser", "tpr", "ci_low", "ci_high", "pairs"]
    assert list(frame["winner"]) == [str(g) for g in (0, 0, 0, 1, 1, 1, 2, 2, 2)]
    assert list(frame["loser"]) == [str(g) for g in (0, 1, 2) * 3]
    assert_array_equal(frame["tpr"], result.tpr.ravel())
    assert_array_equal(frame["pairs"], result.usable.ravel())
    known = frame[(frame["pairs"] > 0) & frame["ci_low"].notna()]
    assert len(known) == (frame["pairs"] > 0).sum()
    assert (known["ci_low"] >= -1e-12).all()
    assert (known["ci_low"] <= known["tpr"] + 1e-9).all()
    assert (known["tpr"] <= known["ci_high"] + 1e-9).all()
    assert (known["ci_high"] <= 1 + 1e-12).all()
    assert (known["ci_high"] > known["ci_low"]).all()


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


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("options", [{}, {"balance_labels": False}, {"pairs": 2000}])
def test_a_perfect_ranking_is_not_called_unfair(labels, k, options):
    for seed in range(5):
        y, _, group = labelled_by_group(seed, 60, k, labels)
        result = comparative_separation_test(
            y, y, sensitive_features=group, random_state=0, **options
        )
        assert_allclose(result.tpr, 1, rtol=1e-12)
        assert list(result.difference.reason) == ["no variance"] * (k * (k - 1))
        assert (result.joint.statistic, result.joint.pvalue) == (0, 1)
        assert (result.pvalue, result.violated) == (1, False)


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("ties", ["wrong", "half"])
def test_a_model_that_predicts_one_value_is_not_called_unfair(labels, k, ties):
    for seed in range(5):
        y, _, group = labelled_by_group(seed, 60, k, labels)
        result = comparative_separation_test(y, np.ones(60), sensitive_features=group, ties=ties)
        assert_allclose(result.tpr, 0 if ties == "wrong" else 0.5, rtol=1e-12, atol=1e-12)
        assert list(result.difference.reason) == ["no variance"] * (k * (k - 1))
        assert (result.pvalue, result.violated) == (1, False)


@pytest.mark.parametrize("pairs", ["all", 300])
def test_an_empty_cell_is_named_with_all_and_with_drawn_pairs(pairs):
    y, s, group = labelled_by_group(16, 90)
    y[group == 1] = 0
    result = comparative_separation_test(
        y, s, sensitive_features=group, pairs=pairs, random_state=0
    )
    assert list(result.difference.reason) == ["empty cell"] * 2
    assert result.violated is None
    assert np.isnan(result.joint.statistic)
    assert np.isnan(result.rates()["tpr"]).sum() == 2


def test_no_pair_at_all_is_not_called_fair():
    y, s, group = labelled_by_group(17, 20)
    for pairs in (np.zeros((0, 2), dtype=int), [[3, 3]], [[0, 0], [1, 1]]):
        result = comparative_separation_test(y, s, sensitive_features=group, pairs=pairs)
        assert result.violated is None
        assert result.usable.sum() == 0


def test_the_order_of_two_items_of_a_pair_does_not_matter():
    y, s, group = labelled_by_group(18, 50, 2, "few")
    pairs = np.random.default_rng(0).integers(50, size=(200, 2))
    one, other = (
        comparative_separation_test(y, s, sensitive_features=group, pairs=p)
        for p in (pairs, pairs[:, ::-1])
    )
    assert_allclose(one.pvalues, other.pvalues, rtol=1e-12)
    assert_array_equal(one.usable, other.usable)


def test_all_pairs_of_real_labels_hold_their_level_when_balanced_and_not_when_raw():
    # a separated model whose groups differ in labels; 3,000 data sets, Monte Carlo error 0.004.
    # Student's t, the strata and weights that are estimated cost another 0.015.
    rng = np.random.default_rng(19)
    group = rng.integers(2, size=(3000, 200))
    y = rng.binomial(3, 0.35 + 0.3 * group).astype(float)
    s = y + rng.normal(size=y.shape) * np.array([0.3, 0.6, 1.2, 2.4])[y.astype(int)]
    strata = label_strata(y)
    weights = balancing_weights(group, strata, 2)
    balanced = all_pairs(y, s, group, 2, weights=weights, strata=strata)
    difference, joint = comparative_separation_from_rates(balanced)
    levels = [*(difference.pvalue < 0.05).mean(axis=0), (joint.pvalue < 0.05).mean()]
    assert_allclose(levels, 0.05, atol=0.015 + 3.5 * 0.004)
    raw = comparative_separation_from_rates(all_pairs(y, s, group, 2))[1]
    assert (raw.pvalue < 0.05).mean() > 0.3


def test_the_dyadic_test_holds_its_level_where_the_binomial_one_does_not():
    # 2,000 data sets of 60 items with 480 pairs; Monte Carlo error 0.005
    rng = np.random.default_rng(20)
    r, n, m = 2000, 60, 480
    group, y = rng.integers(2, size=(2, r, n))
    s = y + rng.normal(size=(r, n))
    left, right = rng.integers(n, size=(2, r, m))
    row = np.arange(r)[:, None]
    higher = y[row, left] > y[row, right]
    winner, loser = np.where(higher, left, right), np.where(higher, right, left)
    loser = np.where(y[row, left] == y[row, right], winner, loser)
    rates = given_pairs(winner, loser, (s[row, winner] > s[row, loser]).astype(float), group, 2)
    dyadic = comparative_separation_from_rates(rates)[0].pvalue
    counts = PairCounts(rates.concordant.astype(int), rates.comparable.astype(int))
    binomial = comparative_separation_from_counts(counts).pvalue
    assert ((dyadic < 0.05).mean(axis=0) < 0.05 + 0.01 + 3 * 0.005).all()
    assert ((dyadic < 0.05).mean(axis=0) > 0.03).all()
    assert ((binomial < 0.05).mean(axis=0) > 0.1).all()
