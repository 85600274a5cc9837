"""The difference of two means against any value: Welch's t, shuffles of shifted values, counts."""

from math import comb

import numpy as np
import pytest
from scipy.stats import kstat, t, ttest_ind

import fairpairs as fp
from fairpairs.mathematics.inference.contrasts.binomial import BinomialContrast
from fairpairs.mathematics.inference.contrasts.means import ScaledContrast, WelchContrast
from fairpairs.mathematics.inference.shuffled_means import shuffled_welch


def two_groups(sizes: tuple[int, int], shape: str) -> tuple[np.ndarray, np.ndarray]:
    rng, member = np.random.default_rng(1), np.repeat([0, 1], sizes)
    values = rng.normal(size=len(member))
    return (np.exp(values) if shape == "skewed" else values), member


def test_of_many_items_it_is_welchs_t() -> None:
    values, member = two_groups((4000, 3000), "normal")
    contrast = WelchContrast.of(values, member)
    for null in (-0.05, 0.0, 0.1):
        for side, pvalue in (("greater", contrast.pvalue_above), ("less", contrast.pvalue_below)):
            expected = ttest_ind(
                values[member == 1] - null, values[member == 0], equal_var=False, alternative=side
            )
            assert pvalue(null) == pytest.approx(expected.pvalue)
    expected = ttest_ind(values[member == 1], values[member == 0], equal_var=False)
    assert contrast.limits(0.1) == pytest.approx(tuple(expected.confidence_interval(0.9)))


@pytest.mark.parametrize("sizes", [(6, 5), (300, 20), (20, 300), (400, 150)])
def test_of_skewed_items_it_is_the_larger_p_of_the_shuffles_of_shifted_values(
    sizes: tuple[int, int],
) -> None:
    values, member = two_groups(sizes, "skewed")
    contrast = WelchContrast.of(values, member)
    for null in (-0.8, 0.3):
        shuffled = shuffled_welch(values - null * member, member, np.random.default_rng(2))
        welch = ttest_ind(
            values[member == 1] - null, values[member == 0], equal_var=False, alternative="greater"
        ).pvalue
        share = (shuffled.shuffled >= shuffled.t * (1 - 1e-9)).mean()
        tolerance = 1e-9 if shuffled.exact else 0.03
        assert contrast.pvalue_above(null) == pytest.approx(max(share, welch), abs=tolerance)


@pytest.mark.parametrize("null", [-0.8, -0.3, 0.4])
def test_groups_of_other_shapes_have_halls_transformation(null: float) -> None:
    rng, member = np.random.default_rng(3), np.repeat([0, 1], (500, 50))
    values = np.concatenate([rng.normal(size=500), rng.lognormal(size=50)])
    one, other = values[member == 1], values[member == 0]
    welch = ttest_ind(one - null, other, equal_var=False)
    variance = one.var(ddof=1) / 50 + other.var(ddof=1) / 500
    skewness = (kstat(one, 3) / 50**2 - kstat(other, 3) / 500**2) / variance**1.5
    statistic = welch.statistic
    transformed = ((1 + skewness * statistic / 3) ** 3 - 1) / skewness + skewness / 6
    sides = t.sf(transformed, welch.df), t.cdf(transformed, welch.df)
    welchs = t.sf(statistic, welch.df), t.cdf(statistic, welch.df)
    contrast = WelchContrast.of(values, member)
    found = contrast.pvalue_above(null), contrast.pvalue_below(null)
    for pvalue, side, usual in zip(found, sides, welchs, strict=True):
        assert pvalue >= max(side, usual) * (1 - 1e-9)
    # here the shuffles, of mostly normal values, reject more
    assert contrast.pvalue_below(null) == pytest.approx(max(sides[1], welchs[1]), abs=0.03)
    low, high = contrast.limits(0.1)
    assert contrast.pvalue_above(low - 1e-3) < 0.05 < contrast.pvalue_above(low + 1e-3)
    assert contrast.pvalue_below(high + 1e-3) < 0.05 < contrast.pvalue_below(high - 1e-3)


def test_an_interval_leaves_out_what_a_side_rejects() -> None:
    values, member = two_groups((300, 20), "skewed")
    contrast = WelchContrast.of(values, member)
    low, high = contrast.limits(0.1)
    assert low < contrast.estimate < high
    assert contrast.pvalue_above(low - 0.01) < 0.05 < contrast.pvalue_above(low + 0.01)
    assert contrast.pvalue_below(high + 0.01) < 0.05 < contrast.pvalue_below(high - 0.01)


def test_against_a_value_far_from_all_others_it_is_the_p_of_one_shuffle_or_1() -> None:
    contrast = WelchContrast.of(*two_groups((6, 5), "skewed"))
    assert contrast.pvalue_above(-1e9) == pytest.approx(1 / comb(11, 5))
    assert contrast.pvalue_above(1e9) == 1


def test_groups_swap_with_the_sign() -> None:
    values, member = two_groups((300, 20), "skewed")
    one, other = WelchContrast.of(values, member), WelchContrast.of(values, 1 - member)
    assert one.pvalue_above(0.1) == pytest.approx(other.pvalue_below(-0.1))


def test_two_values_are_counts() -> None:
    reference, group = np.zeros(60), np.repeat([0, 1], 30)
    decisions = np.zeros(60)
    decisions[:2] = decisions[30:37] = 2.0
    result = fp.differential_parity_test(decisions, reference, sensitive_features=group)
    (contrast,) = result.contrasts
    assert isinstance(contrast, ScaledContrast)
    counts = BinomialContrast((7, 2), (30, 30))
    assert contrast.estimate == pytest.approx(result.difference.estimate[0])
    assert contrast.pvalue_below(0.8) == counts.pvalue_below(0.4)
    assert contrast.pvalue_above(-0.8) == counts.pvalue_above(-0.4)
    assert contrast.limits(0.1) == tuple(2 * x for x in counts.limits(0.1))


def test_values_that_hardly_vary_show_nothing() -> None:
    reference, group = np.zeros(60), np.repeat([0, 1], 30)
    decisions = np.zeros(60)
    decisions[[1, 40, 41]] = 1.0, 2.0, -1.0
    result = fp.differential_parity_test(decisions, reference, sensitive_features=group)
    assert result.contrasts == (None,)


def test_of_several_groups_each_two_have_one() -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=3000)
    result = fp.differential_parity_test(
        rng.normal(size=3000), np.zeros(3000), sensitive_features=group
    )
    within = result.within(0.3)
    assert within.all_within is True
    assert within.estimate == pytest.approx([c.estimate for c in result.contrasts if c])
