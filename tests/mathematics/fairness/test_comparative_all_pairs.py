"""The test of comparative separation on all pairs, of two groups or more."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.proportion import test_proportions_2indep as proportions_test

from fairpairs import comparative_separation_test
from fairpairs.mathematics.estimates.balance import balancing_weights, label_strata
from fairpairs.mathematics.estimates.pairs.all_pairs import all_pairs
from fairpairs.mathematics.inference.gaps import gap_hypotheses
from tests.mathematics.synthetic import labelled_by_group


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
    "options", [{}, {"pairs": 300, "variance": "binomial"}, {"ties": "half"}, {"pairs": 12}]
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


@pytest.mark.parametrize("labels", ["binary", "few", "real"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "options", [{}, {"balance_labels": False}, {"pairs": 2000}, {"ties": "half"}]
)
def test_a_perfect_ranking_and_a_model_of_one_value_are_not_called_unfair(labels, k, options):
    y, _, group = labelled_by_group(0, 60, k, labels)
    for score, rate in ((y, 1.0), (np.ones(60), 0.5 if "ties" in options else 0.0)):
        result = comparative_separation_test(
            y, score, sensitive_features=group, random_state=0, **options
        )
        assert_allclose(result.tpr, rate, rtol=1e-12, atol=1e-12)
        assert list(result.difference.reason) == ["no variance"] * (k * (k - 1))
        assert (result.joint.statistic, result.joint.pvalue) == (0, 1)
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
