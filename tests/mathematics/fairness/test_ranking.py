"""The test of a ranking, against double loops, scikit-learn and DeLong's variance."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import auc, roc_curve
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs import InputError, conditional_xauc, xauc, xroc_curve
from fairpairs.mathematics.fairness.ranking import conditional_shares
from tests.mathematics.synthetic import plain_placements, plain_xauc, ranked_items


def delong_variance(y, score, group, a, b):
    v, w = plain_placements(y, score, group, a, b)
    return v.var(ddof=1) / len(v) + w.var(ddof=1) / len(w)


@pytest.mark.parametrize(("ties", "tie"), [("half", 0.5), ("wrong", 0.0)])
@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("k", [2, 4])
def test_every_rate_is_that_of_a_double_loop(k, levels, ties, tie):
    y, score, group = ranked_items(k, 60, k, levels)
    result = xauc(y, score, sensitive_features=group, ties=ties)
    for a in range(k):
        assert_allclose(result.rates_of_all.tpr[a, -1], plain_xauc(y, score, group, a, None, tie))
        assert_allclose(result.rates_of_all.tpr[-1, a], plain_xauc(y, score, group, None, a, tie))
        assert_allclose(result.auc[a], plain_xauc(y, score, group, a, a, tie))
        for b in range(k):
            assert_allclose(result.xauc[a, b], plain_xauc(y, score, group, a, b, tie))
    assert_allclose(result.overall_auc, plain_xauc(y, score, group, None, None, tie))


@pytest.mark.parametrize("levels", [None, 3])
@pytest.mark.parametrize("k", [2, 3])
def test_the_standard_error_of_every_rate_is_delongs(k, levels):
    y, score, group = ranked_items(k + 10, 150, k, levels)
    rates = xauc(y, score, sensitive_features=group).rates()
    for row in rates.itertuples():
        a, b = (None if name == "all" else int(name) for name in (row.positive, row.negative))
        assert_allclose(row.standard_error**2, delong_variance(y, score, group, a, b))


@pytest.mark.parametrize("ties", ["half", "wrong"])
@pytest.mark.parametrize("lacking", [0, 1])
def test_proposition_1_holds_whatever_a_group_lacks_and_however_ties_count(lacking, ties):
    y, score, group = ranked_items(lacking, 90, 4, levels=1)
    y[group == 3] = 1 - lacking
    result = xauc(y, score, sensitive_features=group, ties=ties)
    assert len(result.decomposition()) == 4
    assert_allclose(list(result.decomposition().values()), result.overall_auc, rtol=1e-13)


def test_scores_as_large_as_floats_go_are_ranked():
    y, score, group = ranked_items(14)
    largest = np.sign(score) * 10 ** (300 + np.abs(score))
    one, other = (xauc(y, s, sensitive_features=group) for s in (score, largest))
    assert_allclose(other.xauc, one.xauc)


def test_hypotheses_are_four_for_each_two_groups_with_holm_over_all():
    y, score, group = ranked_items(6, 300, 3)
    result = xauc(y, score, sensitive_features=group)
    assert result.hypotheses[:4] == (
        "AUC(1) = AUC(0)",
        "xAUC(1,0) = xAUC(0,1)",
        "xAUC_1(1) = xAUC_1(0)",
        "xAUC_0(1) = xAUC_0(0)",
    )
    assert len(result.hypotheses) == 12
    plain = xauc(y, score, sensitive_features=group, correction="none")
    assert_allclose(result.pvalues.min(), min(1, 12 * plain.pvalues.min()))
    assert_allclose(result.difference.estimate[4], result.auc[2] - result.auc[0])


def test_the_sign_is_that_of_the_other_tests():
    """Of the later group less the earlier one, as in separation and comparative separation."""
    y, score, group = ranked_items(9, 300, 3)
    result = xauc(y, score, sensitive_features=group, ties="wrong", correction="none")
    compared = fp.comparative_separation_test(y, score, sensitive_features=group)
    across = result.difference.estimate.reshape(3, 4)[:, [1, 0]]
    assert_allclose(across, compared.difference.estimate.reshape(3, 2))
    for contrast, row in zip(result.contrasts, result.to_frame().itertuples(), strict=True):
        assert_allclose(contrast.estimate, row.estimate)
        low, high = contrast.limits(0.05)
        assert low < row.estimate < high
        for null in (-0.1, 0.0, 0.2):
            if abs(row.estimate - null) > 0.01:
                above, below = contrast.pvalue_above(null), contrast.pvalue_below(null)
                assert (above < below) == (row.estimate > null)


@pytest.mark.parametrize(
    ("lacking", "reason", "tested"),
    [(1, "a group without positive rows", 3), (0, "a group without negative rows", 2)],
)
def test_a_group_without_positives_or_negatives_is_nan_with_a_reason(lacking, reason, tested):
    y, score, group = ranked_items(2, 60)
    y[group == 1] = 1 - lacking
    result = xauc(y, score, sensitive_features=group)
    frame = result.to_frame()
    assert frame["pvalue"].notna().tolist() == [number == tested for number in range(4)]
    assert set(frame["note"].drop(tested)) == {reason}
    assert result.violated is not None


@pytest.mark.parametrize(
    ("label", "kind", "untested"),
    [(1, "positive", [True, True, True, False]), (0, "negative", [True, True, False, True])],
)
def test_what_rests_on_one_item_is_not_tested(label, kind, untested):
    """One placement has no sample variance."""
    y, score, group = ranked_items(17, 120)
    y[group == 1] = 1 - label
    y[np.flatnonzero(group == 1)[0]] = label
    result = xauc(y, score, sensitive_features=group)
    frame, rates = result.to_frame(), result.rates()
    reason = f"a group with one {kind} row"
    assert frame["pvalue"].isna().tolist() == untested
    assert frame["ci_low"].isna().tolist() == untested
    assert frame["estimate"].notna().all()
    assert (frame["note"] == reason).tolist() == untested
    assert_allclose(rates["standard_error"].isna(), rates[f"{kind}s"] == 1)
    assert rates["estimate"].notna().all()


def test_other_groups_are_tested_beside_one_of_a_single_item():
    y, score, group = ranked_items(18, 300)
    alone = xauc(y, score, sensitive_features=group, correction="none")
    together = xauc(
        np.append(y, 1), np.append(score, 0), sensitive_features=np.append(group, 2),
        correction="none",
    )  # fmt: skip
    frame = together.to_frame()
    assert_allclose(frame["pvalue"][:2], alone.pvalues[:2], rtol=1e-12)
    assert frame["pvalue"][:4].notna().all()
    # (a, 2): no negatives within the group and across, one positive among everyone's negatives
    none, one = "a group without negative rows", "a group with one positive row"
    assert frame["note"][4:].tolist() == 2 * [none, none, one, none]


@pytest.mark.parametrize("correction", ["holm", "sidak"])
def test_p_values_are_corrected_for_the_hypotheses_that_could_be_tested(correction):
    y, score, group = ranked_items(19, 90, 3)
    y[group == 2] = 0
    plain, corrected = (
        xauc(y, score, sensitive_features=group, correction=c).pvalues for c in ("none", correction)
    )
    tested = np.isfinite(plain)
    assert tested.sum() == 6
    method = "holm" if correction == "holm" else "sidak"
    assert_allclose(corrected[tested], multipletests(plain[tested], method=method)[1])
    assert np.isnan(corrected[~tested]).all()


def test_a_group_called_all_is_not_everyone():
    y, score, group = ranked_items(0)
    names = np.where(group == 1, "all", "other")
    rates = xauc(y, score, sensitive_features=names).rates()
    assert set(rates["positive"]) == {"all", "other", "all groups"}
    assert not rates[["positive", "negative"]].duplicated().any()


def test_combinations_that_read_alike_are_refused():
    y, score, group = ranked_items(0)
    frame = pd.DataFrame({"a": np.where(group, "p & q", "p"), "b": np.where(group, "r", "q & r")})
    with pytest.raises(InputError, match="two groups that are called p & q & r: rename one"):
        xauc(y, score, sensitive_features=frame)


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
    with pytest.raises(InputError, match="group 1 has no positive row"):
        xroc_curve(y, score, sensitive_features=group, positive=1)
