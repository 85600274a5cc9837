"""The test of a ranking, against double loops, scikit-learn and DeLong's variance."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.multitest import multipletests

import fairpairs as fp
from fairpairs import InputError, xauc
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
    [(1, "a group without positive items", 3), (0, "a group without negative items", 2)],
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
    reason = f"a group with one {kind} item"
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
    none, one = "a group without negative items", "a group with one positive item"
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
