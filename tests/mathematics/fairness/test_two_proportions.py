import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_effectsize, proportions_ztest

import fairpairs as fp
from fairpairs import InputError
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast
from fairpairs.mathematics.inference.results import COLUMNS

SIDES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def of_counts(k0, n0, k1, n1, **options):
    return fp.two_proportion_test(
        [1] * k0 + [0] * (n0 - k0) + [1] * k1 + [0] * (n1 - k1),
        sensitive_features=["a"] * n0 + ["b"] * n1,
        **options,
    )


@pytest.mark.slow
@given(
    st.integers(1, 400), st.integers(1, 400), st.data(), st.sampled_from(list(SIDES)),
    st.sampled_from([0.001, 0.05, 0.3]),
)  # fmt: skip
def test_two_proportions_are_those_of_their_contrast(n0, n1, data, alternative, alpha):
    k0, k1 = data.draw(st.integers(0, n0)), data.draw(st.integers(0, n1))
    assume(0 < k0 + k1 < n0 + n1)
    result = of_counts(k0, n0, k1, n1, alternative=alternative, alpha=alpha)
    z, _ = proportions_ztest([k1, k0], [n1, n0])
    table = np.array([[k1, n1 - k1], [k0, n0 - k0]])
    few = stats.contingency.expected_freq(table).min() < 10
    assert result.note.startswith("an expected count below 10: exact test") is bool(few)
    assert_allclose(result.statistic, np.nan if few else z, rtol=1e-9, atol=1e-12)
    assert_allclose(result.effect_size, proportion_effectsize(k1 / n1, k0 / n0), rtol=1e-9)
    assert_allclose(result.estimate, k1 / n1 - k0 / n0, rtol=1e-12, atol=1e-15)
    assert (result.n, result.smallest_cell) == (n0 + n1, min(n0, n1))
    contrast = BinomialContrast((k1, k0), (n1, n0))
    p = {
        "two-sided": contrast.pvalue(),
        "greater": contrast.pvalue_above(0.0),
        "less": contrast.pvalue_below(0.0),
    }[alternative]
    assert result.pvalue == p
    low, high = contrast.limits(alpha if alternative == "two-sided" else 2 * alpha)
    low, high = -1 if alternative == "less" else low, 1 if alternative == "greater" else high
    assert_allclose((result.ci_low, result.ci_high), (low, high), atol=2e-3)
    # p and interval agree always
    assert result.violated is bool(p < alpha)
    assert result.violated is (result.ci_low > 0 or result.ci_high < 0)


@pytest.mark.slow
@given(
    st.integers(1, 60), st.integers(1, 400), st.data(), st.sampled_from(list(SIDES)),
)  # fmt: skip
def test_a_method_that_is_asked_for_is_used_at_any_size(n0, n1, data, alternative):
    k0, k1 = data.draw(st.integers(0, n0)), data.draw(st.integers(0, n1))
    assume(0 < k0 + k1 < n0 + n1)
    predicted = [1] * k0 + [0] * (n0 - k0) + [1] * k1 + [0] * (n1 - k1)
    auto, by_z, exact = (
        fp.two_proportion_test(
            predicted, sensitive_features=[0] * n0 + [1] * n1, alternative=alternative, method=how
        )
        for how in ("auto", "z", "fisher")
    )
    table = np.array([[k1, n1 - k1], [k0, n0 - k0]])
    few = stats.contingency.expected_freq(table).min() < 10
    z, p = proportions_ztest([k1, k0], [n1, n0], alternative=SIDES[alternative])
    assert_allclose((by_z.statistic, by_z.pvalue), (z, p), rtol=1e-9, atol=1e-12)
    assert by_z.note.startswith("an expected count below 10") is bool(few)
    assert "Fisher" not in by_z.note + exact.note
    fisher = stats.fisher_exact(table, alternative=alternative).pvalue
    assert np.isnan(exact.statistic)
    assert_allclose(exact.pvalue, fisher, rtol=1e-8, atol=1e-14)
    assert (by_z.ci_low, by_z.ci_high) == (exact.ci_low, exact.ci_high)
    for other in (by_z, exact):
        assert (other.estimate, other.effect_size) == (auto.estimate, auto.effect_size)


def test_the_reference_takes_group_0_minus_group_1():
    # its documentation's example: A is the group 0 in its code, and 8 of 10 are positive there
    predicted, sensitive = [1] * 8 + [0] * 12, np.repeat([0, 1], 10)
    z, p = proportions_ztest([8, 0], [10, 10])
    assert_allclose((z, p), (3.6515, 0.00026073), rtol=1e-4)
    one_sided = {}
    for side in ("greater", "less"):
        ours = fp.two_proportion_test(
            predicted, sensitive_features=sensitive, alternative=side, method="z"
        )
        assert_allclose(ours.statistic, -z)
        one_sided[side] = ours.pvalue
    # "greater" of the reference, p_A > p_B, is "less" here
    assert_allclose(one_sided["less"], stats.norm.sf(z))
    assert_allclose(one_sided["greater"], stats.norm.cdf(z))
    assert_allclose(fp.cohens_h(0.8, 0), -ours.effect_size)


def test_a_method_is_not_for_clusters_or_weights():
    predicted, groups = [0, 1] * 20, ["a", "b"] * 20
    for sampling in ({"clusters": list(range(10)) * 4}, {"sample_weight": np.arange(1, 41)}):
        for method in ("z", "fisher"):
            with pytest.raises(InputError, match=f"method='{method}' takes rows to be independ"):
                fp.two_proportion_test(
                    predicted, sensitive_features=groups, method=method, **sampling
                )
    weighted = fp.two_proportion_test(
        predicted, sensitive_features=groups, method="z", sample_weight=[2] * 40,
        weight_kind="frequency",
    )  # fmt: skip
    assert weighted.n == 80


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("prediction", [0, 1])
def test_equal_predictions_have_p_1(alternative, prediction):
    result = fp.two_proportion_test(
        [prediction] * 80, sensitive_features=["a", "b"] * 40, alternative=alternative
    )
    assert np.isnan(result.statistic)
    assert result.ci_low <= 0 <= result.ci_high
    assert (result.pvalue, result.violated, result.effect_size) == (1, False, 0)
    assert result.note == "no variance"
    assert result.interpretation.endswith(
        "(Cohen's h 0.00, p = 1.000): the groups are equal and do not vary, so nothing "
        "can be found."
    )


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ([(21, 10), (21, 10)], ""),
        ([(20, 10), (20, 10)], ""),
        ([(19, 10), (19, 10)], "a cell below 30"),
        ([(20, 11), (19, 10)], "a cell below 30"),
        ([(22, 9), (21, 10)], "an expected count below 10: exact test"),
        ([(25, 6), (5, 26)], ""),
        ([(24, 5), (25, 6)], "an expected count below 10: exact test; a cell below 30"),
    ],
)  # fmt: skip
def test_few_items_are_warned_of(table, note):
    predicted = np.repeat([0, 1, 0, 1], np.ravel(table))
    result = fp.two_proportion_test(
        predicted, sensitive_features=np.repeat(["a", "b"], np.sum(table, axis=1))
    )
    assert result.note == note
    assert result.to_frame()["note"][0] == note
    assert result.interpretation.endswith(f"; beware: {note}." if note else ").")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("correction", ["holm", "sidak", "none"])
def test_proportions_of_every_two_groups_are_those_of_statsmodels(alternative, correction):
    rng = np.random.default_rng(3)
    race = rng.choice(["w", "x", "y", "z"], 500, p=[0.4, 0.3, 0.2, 0.1])
    predicted = (rng.random(500) < np.where(race == "y", 0.6, 0.4)).astype(int)
    result = fp.two_proportion_test(
        predicted, sensitive_features=race, alternative=alternative, correction=correction
    )
    count = {g: int(predicted[race == g].sum()) for g in "wxyz"}
    size = {g: int((race == g).sum()) for g in "wxyz"}
    pairs = [(a, b) for i, a in enumerate("wxyz") for b in "wxyz"[i + 1 :]]
    side = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    statistics = [
        proportions_ztest([count[b], count[a]], [size[b], size[a]], alternative=side)[0]
        for a, b in pairs
    ]
    contrasts = [BinomialContrast((count[b], count[a]), (size[b], size[a])) for a, b in pairs]
    pvalues = np.array(
        [
            {
                "two-sided": contrast.pvalue,
                "greater": contrast.pvalue_above,
                "less": contrast.pvalue_below,
            }[alternative](0.0)
            for contrast in contrasts
        ]
    )
    if correction != "none":
        pvalues = multipletests(pvalues, method=correction)[1]
    frame = result.to_frame()
    assert_allclose(frame["statistic"], statistics)
    assert_allclose(frame["pvalue"], pvalues)
    assert [test.groups for test in result.by_pair] == pairs
    least = int(np.argmin(pvalues))
    assert (result.pvalue, result.hypothesis) == tuple(frame.loc[least, ["pvalue", "hypothesis"]])
    assert result.violated == (pvalues < 0.05).any()
    assert (result.groups, result.n, result.smallest_cell) == (("w", "x", "y", "z"), 500, size["z"])
    assert_allclose(result.rates, [count[g] / size[g] for g in "wxyz"])
    assert result.interpretation.count("There is") == 6
    assert result.interpretation.count("'s correction)") == (0 if correction == "none" else 6)


def test_groups_that_cannot_be_compared_do_not_hide_the_others():
    predicted, race = [1] * 40 + [1, 0] * 40, ["x", "y"] * 20 + ["z"] * 80
    result = fp.two_proportion_test(predicted, sensitive_features=race)
    small = "a cell below 30"
    assert result.to_frame()["note"].iloc[0] == f"no variance; {small}"
    assert result.violated is True
    pvalues = result.to_frame()["pvalue"]
    assert pvalues[0] == 1
    two = [predicted[:20] + predicted[40:], ["x"] * 20 + ["z"] * 80]
    alone = fp.two_proportion_test(two[0], sensitive_features=two[1]).pvalue
    assert_allclose(pvalues[1:], 2 * alone)  # Holm's number is two, not three
    none = fp.two_proportion_test([1] * 9, sensitive_features=list("xyz") * 3)
    assert (none.pvalue, none.violated) == (1, False)


def test_what_two_proportions_say():
    predicted, sex = [1] * 40 + [0] * 60 + [1] * 20 + [0] * 80, ["m"] * 100 + ["f"] * 100
    result = fp.two_proportion_test(predicted, sensitive_features=sex)
    assert result.interpretation == (
        "There is evidence at the level 0.05 that the share of positive predictions in m (0.4) is "
        "not the same as that in f (0.2) (z = 3.09, Cohen's h 0.44, p = 0.002)."
    )
    assert result.groups == ("f", "m")
    assert_allclose(result.rates, [0.2, 0.4])
    assert_array_equal(result.counts, [[80, 20], [60, 40]])
    less = fp.two_proportion_test(predicted, sensitive_features=sex, alternative="less")
    assert less.interpretation.startswith(
        "There is not enough evidence at the level 0.05 that the "
    )
    assert "(0.4) is less than that in f (0.2)" in less.interpretation
    assert less.hypothesis == "Pr[C=1 | A=m] ≥ Pr[C=1 | A=f]"
    more = fp.two_proportion_test(
        predicted, sensitive_features=sex, alternative="greater", alpha=1e-3
    )
    assert more.violated is False
    assert "at the level 0.001 that" in more.interpretation
    frame = result.to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert frame["pvalue"][0] == result.pvalue
