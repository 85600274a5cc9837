from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep
from statsmodels.stats.proportion import test_proportions_2indep as proportions_test

from fairpairs import InputError, comparative_separation_test
from fairpairs.fairness.comparative import HYPOTHESES, comparative_separation_from_counts
from fairpairs.fairness.pairs import PairCounts, cell_probabilities

CELLS = [(0, 0), (0, 1), (1, 0), (1, 1)]
#: H0c, then H0w: the cells whose TPR is compared, equations (21) and (22)
CONTRASTS = [((1, 0), (0, 1)), ((1, 1), (0, 0))]


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
        y_true, y_score, sensitive_features=group, pairs=pairs, correction="none", alpha=0.1
    )
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
        y_true, y_score, sensitive_features=["old", "new", "old", "new"], pairs=[[0, 1], [2, 1]]
    )
    assert result.groups == ("new", "old")
    assert result.hypotheses == ("TPR(old,new) = TPR(new,old)", "TPR(old,old) = TPR(new,new)")
    assert_array_equal(result.usable, [[0, 1], [1, 0]])
    assert_array_equal(result.right, [[0, 0], [1, 0]])
    pooled = "no variance: the pooled one stands in"
    assert list(result.difference.reason) == [pooled, "empty cell"]
    assert result.violated is False


def test_tables_are_tested_at_once_as_one_by_one():
    rng = np.random.default_rng(0)
    usable = rng.integers(20, 60, size=(5, 2, 2))
    right = rng.integers(1, usable)
    together = comparative_separation_from_counts(PairCounts(right, usable))
    assert together.statistic.shape == (5, len(HYPOTHESES))
    for i in range(5):
        for j, (first, second) in enumerate(CONTRASTS):
            expected = proportions_test(
                right[i][first], usable[i][first], right[i][second], usable[i][second],
                method="wald", compare="diff",
            )  # fmt: skip
            assert_allclose(together.statistic[i, j], expected.statistic, rtol=1e-10)


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
        ({"pairs": 0}, "pairs must be at least 1; it is 0"),
        ({"pairs": -3}, "pairs must be at least 1; it is -3"),
        ({"pairs": 2.5}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": "many"}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": None}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [0, 1, 2]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0, 1, 2]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0.0, 1.0]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[True, False]]}, r"a number of pairs or an integer array of shape \(m, 2\)"),
        ({"pairs": [[0, 4]]}, "pairs holds a position outside 0 to 3"),
        ({"pairs": [[-1, 2]]}, "pairs holds a position outside 0 to 3"),
        ({"variance": "dyadic"}, "variance must be 'binomial'; it is 'dyadic'"),
        ({"y_score": [0.1, 0.9, 0.8]}, "y_true has 4, y_score has 3"),
        ({"y_score": [0.1, np.nan, 0.8, 0.3]}, r"y_score has 1 missing .* position 1"),
        ({"y_score": [0.1, np.inf, 0.8, 0.3]}, "y_score holds an infinite value"),
        ({"y_true": [0, 1, None, 1]}, r"y_true has 1 missing value\(s\), .* position 2"),
        ({"y_true": ["low", "high", "low", "low"]}, "y_true must hold numbers"),
        ({"sensitive_features": list("aaaa")}, r"one group only \(a\)"),
        ({"sensitive_features": list("abcc")}, "has 3 groups"),
        ({"alpha": 1.2}, "alpha must lie between 0 and 1; it is 1.2"),
        ({"y_true": [], "y_score": [], "sensitive_features": []}, "y_true is empty"),
    ],
)
def test_bad_input_is_explained(change, message):
    with pytest.raises(InputError, match=message):
        comparative_separation_test(**{**GOOD, **change})


# Theorem 3.3 and Proposition 3.4, on the probabilities of a population. The rates are hundredths,
# so that a contrast that is not zero is at least 1e-4.


def population(base, tpr, tnr):
    """Probabilities (a, y, c) from those of (a, y) and the rates of both groups."""
    items = np.empty((2, 2, 2))
    for a in (0, 1):
        items[a, 1] = base[a][1] * np.array([1 - tpr[a], tpr[a]])
        items[a, 0] = base[a][0] * np.array([tnr[a], 1 - tnr[a]])
    return items


def separation_holds(items):
    rate = items[..., 1] / items.sum(axis=-1)  # P(C = 1 | a, y)
    return bool(np.abs(rate[0] - rate[1]).max() < 1e-9)


def comparative_tpr(items):
    right, wrong = cell_probabilities(items)
    return right / (right + wrong)


def all_tpr_equal(items):
    return bool(np.ptp(comparative_tpr(items)) < 1e-9)


def both_contrasts_zero(items):
    tpr = comparative_tpr(items)
    return all(abs(tpr[i] - tpr[j]) < 1e-9 for i, j in CONTRASTS)


def rate(low):
    return st.integers(low, 100).map(lambda k: k / 100)


base_rates = st.lists(st.integers(1, 50), min_size=4, max_size=4).map(
    lambda k: np.reshape(k, (2, 2)) / sum(k)
)


def rates_of_two_groups(low):
    return st.one_of(rate(low).map(lambda r: (r, r)), st.tuples(rate(low), rate(low)))


@given(base_rates, rates_of_two_groups(1), rates_of_two_groups(1))
def test_comparative_separation_is_separation_where_no_rate_is_zero(base, tpr, tnr):
    items = population(base, tpr, tnr)
    assert separation_holds(items) == (tpr[0] == tpr[1] and tnr[0] == tnr[1])
    assert all_tpr_equal(items) == separation_holds(items)
    assert both_contrasts_zero(items) == separation_holds(items)


def test_the_equivalence_holds_for_all_combinations_of_a_few_rates():
    base = np.array([[0.1, 0.2], [0.4, 0.3]])
    held = 0
    for t0, t1, n0, n1 in product([0.2, 0.4, 0.8, 1.0], repeat=4):
        items = population(base, (t0, t1), (n0, n1))
        expected = t0 == t1 and n0 == n1
        assert separation_holds(items) is expected
        assert all_tpr_equal(items) is expected
        assert both_contrasts_zero(items) is expected
        held += expected
    assert held == 16


@given(base_rates, rates_of_two_groups(0), rates_of_two_groups(0))
def test_separation_gives_comparative_separation_also_where_a_rate_is_zero(base, tpr, tnr):
    assume(tpr[0] == tpr[1] and tnr[0] == tnr[1])
    items = population(base, tpr, tnr)
    assert all_tpr_equal(items)
    assert both_contrasts_zero(items)


def test_without_true_negatives_comparative_separation_says_nothing_of_separation():
    items = population(np.full((2, 2), 0.25), tpr=(0.3, 0.9), tnr=(0, 0))
    assert all_tpr_equal(items)
    assert both_contrasts_zero(items)
    assert not separation_holds(items)
