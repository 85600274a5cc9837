"""Differences within strata: against regressions, Mantel and Haenszel's test."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.stats import chi2, hypergeom
from statsmodels.stats.contingency_tables import StratifiedTable

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.controlled import (
    controlled_means,
    heterogeneity,
    informative,
)
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean, spread


def items(seed, n=600, strata=5, effect=0.0):
    """Values, members and strata of items; the group is rare where values are high."""
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, strata, n)
    member = (rng.random(n) < 0.7 - 0.5 * stratum / strata).astype(np.int8)
    values = (rng.random(n) < 0.2 + 0.5 * stratum / strata + effect * member).astype(float)
    return values, member, stratum


def gap_of(values, member, stratum, design=None):
    design = design or SamplingDesign(len(values))
    first, second, strata = controlled_means(values, member, member, stratum, design)
    return Gap(first, second, means=False, strata=strata), design


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_difference_is_that_of_a_regression_on_group_and_strata(weighted, clustered):
    values, member, stratum = items(1)
    n, rng = len(values), np.random.default_rng(2)
    weight = rng.lognormal(0, 0.5, n) if weighted else np.ones(n)
    cluster = np.arange(n) // 4 if clustered else np.arange(n)
    design = SamplingDesign(
        n, cluster if clustered else None, weight if weighted else None, "importance"
    )
    gap, design = gap_of(values, member, stratum, design)
    columns = np.column_stack([member, stratum[:, None] == np.arange(5)]).astype(float)
    fit = sm.WLS(values, columns, weights=weight).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )
    assert gap.difference.estimate == pytest.approx(fit.params[0], abs=1e-12)
    error = np.sqrt(spread([gap.difference], design).covariance[0, 0])
    assert error == pytest.approx(fit.bse[0], rel=0.02)
    assert gap.difference.influence.sum() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("effect", [0.0, 0.08, 0.15])
def test_the_p_value_is_near_that_of_mantel_and_haenszel(effect):
    values, member, stratum = items(3, effect=effect)
    gap, design = gap_of(values, member, stratum)
    tables = [
        np.array([[((values == v) & (member == g) & (stratum == s)).sum() for v in (1, 0)]
                  for g in (1, 0)])
        for s in range(5)
    ]  # fmt: skip
    oracle = StratifiedTable(tables).test_null_odds(correction=False)
    assert gap.contrast(design).pvalue() == pytest.approx(oracle.pvalue, rel=0.05, abs=1e-4)
    weights = [t.sum(axis=1).prod() / t.sum() for t in tables]
    apart = [np.subtract(*(t[:, 0] / t.sum(axis=1))) for t in tables]
    assert gap.difference.estimate == pytest.approx(np.average(apart, weights=weights))


def test_one_stratum_changes_next_to_nothing():
    values, member, stratum = items(4)
    gap, design = gap_of(values, member, np.zeros_like(stratum))
    plain = Gap(*(mean(values, member == code, member, design) for code in (1, 0)))
    for one, other in ((gap.first, plain.first), (gap.second, plain.second)):
        assert one.estimate == pytest.approx(other.estimate)
        assert one.influence == pytest.approx(other.influence, rel=1e-2, abs=1e-12)
    both = [x.contrast(design).limits(0.05) for x in (gap, plain)]
    assert both[0] == pytest.approx(both[1], abs=1e-3)


def test_strata_with_one_group_add_nothing():
    values, member, stratum = items(5)
    more = np.ones(50)
    joined = [np.concatenate(x) for x in ((values, more), (member, 0 * more), (stratum, 5 + more))]
    gap, _ = gap_of(joined[0], joined[1].astype(np.int8), joined[2].astype(int))
    expected, _ = gap_of(values, member, stratum)
    assert gap.difference.estimate == expected.difference.estimate
    assert (gap.difference.classes[-50:] == -1).all()
    assert not gap.difference.influence[-50:].any()
    assert (
        informative(joined[1].astype(int), joined[2].astype(int)).tolist()
        == [True] * 5 + [False] * 2
    )
    alone, _ = gap_of(more, np.zeros(50, dtype=np.int8), np.zeros(50, dtype=int))
    assert np.isnan(alone.difference.estimate)


def test_heterogeneity_is_cochrans_q_of_the_differences_of_the_strata():
    values, member, stratum = items(1, n=800)
    values = np.maximum(values, member * (stratum == 0))
    cells = [[values[(stratum == s) & (member == g)] for g in (1, 0)] for s in range(5)]
    difference = np.array([one.mean() - other.mean() for one, other in cells])
    weight = 1 / np.array([sum(x.var(ddof=1) / len(x) for x in pair) for pair in cells[1:]])
    center = np.average(difference[1:], weights=weight)
    expected = chi2.sf(weight @ (difference[1:] - center) ** 2, 3)
    later = stratum > 0
    given = values[later], member[later], stratum[later] - 1
    assert heterogeneity(*given, SamplingDesign(later.sum())) == pytest.approx(expected)
    # of a rate of 1 the variance is that of one more success and one more failure
    assert heterogeneity(values, member, stratum, SamplingDesign(800)) < 1e-6
    values, member, stratum = items(1, n=20, strata=10)
    assert np.isnan(heterogeneity(values, member, stratum, SamplingDesign(20)))


def test_counted_items_are_repeated_ones_and_clusters_of_one_are_items():
    *data, plain = *items(7, n=300, strata=3, effect=0.2), SamplingDesign(300)
    kinds, count = np.unique(np.column_stack(data), axis=0, return_counts=True)
    counted = kinds[:, 0], kinds[:, 1].astype(np.int8), kinds[:, 2].astype(int)
    frequencies = SamplingDesign(len(kinds), None, count.astype(float), "frequency")
    clusters = SamplingDesign(300, np.arange(300)[::-1].copy())
    expected = heterogeneity(*data, plain)
    assert heterogeneity(*data, clusters) == pytest.approx(expected, rel=1e-12)
    assert heterogeneity(*counted, frequencies) == pytest.approx(expected, rel=1e-12)
    equal = SamplingDesign(300, None, np.ones(300), "importance")
    one = gap_of(*data, plain)[0].contrast(plain)
    for more, design in ((counted, frequencies), (data, equal)):
        other = gap_of(*more, design)[0].contrast(design)
        assert other.pvalue() == pytest.approx(one.pvalue(), rel=1e-12)
        assert other.tail(0.1, -1) == pytest.approx(one.tail(0.1, -1), rel=1e-12)
        assert other.limits(0.05) == pytest.approx(one.limits(0.05), abs=1e-12)


def counted(rows, successes):
    """The difference within strata, by rows and successes of the group and of the reference."""
    rows, successes = np.array(rows), np.array(successes)
    counts = np.stack([successes, rows - successes], axis=-1).ravel()
    strata = len(rows)
    values, member = (
        np.repeat(np.tile(x, strata), counts) for x in ([1.0, 0.0, 1.0, 0.0], [1, 1, 0, 0])
    )
    stratum = np.repeat(np.arange(strata), rows.sum(axis=1))
    return gap_of(values, member.astype(np.int8), stratum)


@pytest.mark.parametrize(
    ("rows", "successes"),
    [([(20, 60)], [7]), ([(50, 40)], [61]), ([(20, 60), (5, 2), (90, 100)], [7, 3, 188])],
)
def test_without_a_difference_the_variance_is_that_of_hypergeometric_numbers(rows, successes):
    moments, share = [], np.array([n * m / (n + m) for n, m in rows])
    for (n, m), together in zip(rows, successes, strict=True):
        count = np.arange(max(0, together - m), min(n, together) + 1)
        chance = hypergeom.pmf(count, n + m, together, n)
        difference = count / n - (together - count) / m
        moments.append(chance @ difference**2)
    exact = (share / share.sum()) ** 2 @ moments
    own = [min(n, together) for (n, _), together in zip(rows, successes, strict=True)]
    split = [(x, together - x) for x, together in zip(own, successes, strict=True)]
    strata = counted(rows, split)[0].strata
    assert strata.variance == pytest.approx(exact, rel=1e-9)
    assert strata.estimate == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("null", [-0.12, 0.03, 0.2])
def test_a_difference_has_the_likeliest_rates_beside_those_of_no_difference(null):
    """By a search among all rates."""
    gap, design = counted([(20, 60), (9, 30), (40, 50)], [(3, 6), (1, 0), (30, 45)])
    contrast = gap.contrast(design)
    seen, trials, factors = contrast.rates, contrast.trials, contrast.factors

    def unlikely(rates):
        return -trials @ (seen * np.log(rates) + (1 - seen) * np.log(1 - rates))

    sums = {"type": "eq", "fun": lambda rates: 1e2 * (factors @ rates - null)}
    found = minimize(unlikely, seen, bounds=[(1e-9, 1 - 1e-9)] * 6, constraints=sums, tol=1e-14)
    assert contrast.likeliest(null) == pytest.approx(found.x, abs=2e-5)


@pytest.mark.parametrize(
    ("rows", "successes"),
    [
        ([(20, 60), (9, 30)], [(3, 6), (1, 0)]),
        ([(50, 1000), (100, 2000)], [(0, 10), (100, 2000)]),
        ([(5, 9), (4, 3)], [(5, 9), (0, 0)]),
        ([(5, 9), (4, 3)], [(0, 0), (0, 0)]),
    ],
)
def test_the_interval_holds_what_is_not_rejected(rows, successes):
    gap, design = counted(rows, successes)
    contrast = gap.contrast(design)
    low, high = contrast.limits(0.1)
    assert low <= gap.difference.estimate <= high
    assert contrast.tail(low, 1) == pytest.approx(0.05, rel=1e-6)
    assert contrast.tail(high, -1) == pytest.approx(0.05, rel=1e-6)
    assert (contrast.pvalue() < 0.1) == (low * high > 0)


def test_a_group_without_an_event_in_a_stratum_varies_there():
    member = np.repeat([1, 0, 1, 0], (50, 1000, 100, 2000)).astype(np.int8)
    stratum = np.repeat([0, 0, 1, 1], (50, 1000, 100, 2000))
    values = np.where(stratum == 1, 1.0, 0.0)
    values[60:80] = 1.0  # 20 of the 1,000
    gap, design = gap_of(values, member, stratum)
    contrast = gap.contrast(design)
    low, high = contrast.limits(0.05)
    assert contrast.pvalue() > 0.2
    assert low < 0 < high
    _, low, high = contrast.ratio(0.05)
    assert low < 1 < high
    assert Gap(gap.first, gap.second).contrast(design).pvalue() < 0.01  # as if of one stratum
