"""xROC curves and conditional xAUCs, against plain shares."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import auc, roc_curve

from fairpairs import InputError, conditional_xauc, xauc, xroc_curve
from fairpairs.mathematics.fairness.ranking import conditional_shares
from tests.mathematics.synthetic import plain_placements, plain_xauc, ranked_items


@pytest.mark.parametrize("levels", [None, 2])
def test_the_area_under_a_curve_is_the_xauc(levels):
    y, score, group = ranked_items(7, 150, 3, levels)
    for a, b in product((None, 0, 1, 2), repeat=2):
        fpr, tpr, _ = xroc_curve(y, score, sensitive_features=group, positive=a, negative=b)
        assert_allclose(auc(fpr, tpr), plain_xauc(y, score, group, a, b))


@pytest.mark.parametrize("levels", [None, 2])
def test_conditional_xauc_is_a_plain_share_and_its_mean_the_xauc(levels):
    y, score, group = ranked_items(9, 70, 3, levels)
    frame = conditional_xauc(y, score, sensitive_features=group)
    assert list(frame["label"]) == list(y)
    for i in range(70):
        for g in range(3):
            others = score[(y != y[i]) & (group == g)]
            ahead = np.sign(score[i] - others) if y[i] else np.sign(others - score[i])
            assert_allclose(frame[f"against {g}"][i], ((ahead + 1) / 2).mean())
    result = xauc(y, score, sensitive_features=group)
    for a, b in product(range(3), repeat=2):
        negatives = frame[(frame["group"] == str(b)) & (frame["label"] == 0)]
        positives = frame[(frame["group"] == str(a)) & (frame["label"] == 1)]
        assert_allclose(negatives[f"against {a}"].mean(), result.xauc[a, b])
        assert_allclose(positives[f"against {b}"].mean(), result.xauc[a, b])


@pytest.mark.parametrize(("ties", "tie"), [("half", 0.5), ("wrong", 0.0)])
def test_shares_of_many_data_sets_at_once_are_plain_placements(ties, tie):
    data = [ranked_items(seed, 50, 3, levels=2) for seed in range(4)]
    y, score, group = map(np.stack, zip(*data, strict=True))
    shares = conditional_shares(y, score, group, 3, ties=ties)
    assert shares.shape == (4, 50, 3)
    for (own_y, own_score, own_group), own in zip(data, shares, strict=True):
        for a, b in product(range(3), repeat=2):
            v, w = plain_placements(own_y, own_score, own_group, a, b, tie)
            assert_allclose(own[(own_y == 1) & (own_group == a), b], v)
            assert_allclose(own[(own_y == 0) & (own_group == b), a], w)


def test_an_item_has_no_share_against_a_group_without_the_other_label():
    y, score, group = ranked_items(15, 60)
    y[group == 1] = 0
    frame = conditional_xauc(y, score, sensitive_features=group)
    assert frame["against 0"].notna().all()
    assert_allclose(frame["against 1"].isna(), y == 0)


@pytest.mark.parametrize("levels", [None, 2])
def test_a_curve_is_the_tpr_of_one_group_against_the_fpr_of_another(levels):
    y, score, group = ranked_items(16, 120, 2, levels)
    words = np.where(group == 0, "a", "b")
    fpr, tpr, thresholds = xroc_curve(
        y, score, sensitive_features=words, positive="a", negative="b"
    )
    own, others = score[(y == 1) & (group == 0)], score[(y == 0) & (group == 1)]
    assert_allclose(tpr, [(own >= threshold).mean() for threshold in thresholds])
    assert_allclose(fpr, [(others >= threshold).mean() for threshold in thresholds])
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)


@pytest.mark.parametrize("levels", [None, 2])
def test_the_curve_of_all_items_is_that_of_scikit_learn(levels):
    y, score, group = ranked_items(17, 120, 2, levels)
    expected = roc_curve(y, score, drop_intermediate=False)
    for one, other in zip(xroc_curve(y, score, sensitive_features=group), expected, strict=True):
        assert_array_equal(one, other)


def test_a_curve_needs_a_known_group_with_such_items():
    y, score, group = ranked_items(0)
    with pytest.raises(InputError, match="no group 7 for `negative`: name one of 0, 1"):
        xroc_curve(y, score, sensitive_features=group, negative=7)
    y[group == 1] = 0
    with pytest.raises(InputError, match="group 1 has no positive item"):
        xroc_curve(y, score, sensitive_features=group, positive=1)
