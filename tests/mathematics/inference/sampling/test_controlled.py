"""Differences within strata: against regressions, Mantel and Haenszel's test, and simulations."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import binomtest, hypergeom
from statsmodels.stats.contingency_tables import StratifiedTable

from fairpairs.mathematics.arguments.design import SamplingDesign
from fairpairs.mathematics.inference.sampling.controlled import (
    controlled_means,
    heterogeneity,
    informative,
    null_moments,
)
from fairpairs.mathematics.inference.sampling.gaps import Gap
from fairpairs.mathematics.inference.sampling.linear import mean, spread
from tests import promises


def items(seed, n=600, strata=5, effect=0.0):
    """Values, members and strata of items; the group is rare where values are high."""
    rng = np.random.default_rng(seed)
    stratum = rng.integers(0, strata, n)
    member = (rng.random(n) < 0.7 - 0.5 * stratum / strata).astype(np.int8)
    values = (rng.random(n) < 0.2 + 0.5 * stratum / strata + effect * member).astype(float)
    return values, member, stratum


def gap_of(values, member, stratum, design=None):
    design = design or SamplingDesign(len(values))
    null = null_moments(values, member, stratum, design)
    return Gap(*controlled_means(values, member, member, stratum, design), null=null), design


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
    assert gap.contrast(design).pvalue() == pytest.approx(oracle.pvalue, rel=0.15, abs=1e-4)
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


#: Data sets of each design.
SETS = promises.sets(150)
#: Design → strata, items of the group and the reference in each, rates of the strata, cluster size.
DESIGNS = {
    "pairs": (60, 1, 1, (0.1, 0.9), 1),
    "one to three": (40, 1, 3, (0.1, 0.9), 1),
    "few large": (3, 40, 80, (0.2, 0.8), 1),
    "rare": (5, 20, 60, (0.03, 0.03), 1),
    "clusters": (4, 60, 60, (0.2, 0.8), 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", promises.some(DESIGNS, 0, 3, 4))
def test_a_fair_model_is_called_violated_in_the_level(name):
    """In 150 sets, 0.05 with a Monte Carlo error of 0.018; SETS=1000 for the documentation."""
    strata, n1, n0, (low, high), size = DESIGNS[name]
    rng, sets, rejected = np.random.default_rng(6), SETS, 0
    stratum = np.repeat(np.arange(strata), n1 + n0)
    member = np.tile(np.repeat([1, 0], [n1, n0]), strata).astype(np.int8)
    cluster = np.arange(len(stratum)) // size
    design = SamplingDesign(len(stratum), None if size == 1 else cluster)
    rate = np.linspace(low, high, strata)[stratum]
    for _ in range(sets):
        draws = rng.random(len(stratum))
        alike = rng.random(cluster.max() + 1)[cluster]
        draws = np.where(rng.random(len(stratum)) < 0.5 * (size > 1), alike, draws)
        gap, _ = gap_of((draws < rate).astype(float), member, stratum, design)
        rejected += gap.contrast(design).pvalue() < 0.05
    print(f"\n{name}: the interval covers {1 - rejected / sets:.3f}")
    assert binomtest(rejected, sets, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.slow
def test_the_test_of_heterogeneity_keeps_its_level_and_finds_what_differs():
    """In 200 sets, 0.05 with a Monte Carlo error of 0.015."""
    found = {0.0: 0, 0.4: 0}
    for effect in found:
        for seed in range(200):
            values, member, stratum = items(seed, n=800)
            rng = np.random.default_rng([seed, 9])
            values = np.maximum(values, (rng.random(800) < effect * member * (stratum == 0)))
            pvalue = heterogeneity(values, member, stratum, SamplingDesign(800))
            found[effect] += pvalue < 0.05
    assert found[0.0] <= 20
    assert found[0.4] >= 100
    values, member, stratum = items(1, n=20, strata=10)
    assert np.isnan(heterogeneity(values, member, stratum, SamplingDesign(20)))


#: Rows of the group and of the reference in each stratum, and its rate.
UNLIKE = {
    "50 + 100 beside 1,000 + 2,000": ((50, 1000, 0.01), (100, 2000, 1.0)),
    "100 + 200 beside 500 + 500": ((100, 500, 0.02), (200, 500, 1.0)),
    "100 + 100 beside 5,000 + 5,000": ((100, 5000, 0.02), (100, 5000, 1.0)),
    "40 + 80 beside 400 + 800": ((40, 400, 0.1), (80, 800, 1.0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNLIKE)
def test_strata_of_unlike_rates_keep_the_level(kind):
    """`SETS=2000 pytest -s -k strata_of_unlike_rates` prints the levels of calibration.md."""
    rows = [part for group, reference, _ in UNLIKE[kind] for part in (group, reference)]
    member = np.repeat([1, 0, 1, 0], rows).astype(np.int8)
    stratum = np.repeat([0, 0, 1, 1], rows)
    rate = np.repeat([rate for *_, rate in UNLIKE[kind] for _ in range(2)], rows)

    def say(rng):
        values = (rng.random(len(rate)) < rate).astype(float)
        label = rng.integers(0, 2, len(rate))
        gaps = [gap_of(values, np.where(label == of, member, -1), stratum)[0] for of in (1, 0)]
        (rate_gap, design) = gap_of(values, member, stratum)
        named = {"rate": rate_gap, "TPR": gaps[0]}
        return {name: gap.contrast(design).pvalue() for name, gap in named.items()}

    promises.check(kind, say, number=promises.sets(60))


@pytest.mark.parametrize(("rows", "successes"), [((20, 60), 7), ((50, 40), 61)])
def test_the_least_variance_is_that_of_hypergeometric_numbers(rows, successes):
    """Of n items drawn with replacement: without, n − 1 and n − 2 stand for n."""
    n = sum(rows)
    values = (np.arange(n) % n < successes).astype(float)
    member = np.repeat([1, 0], rows).astype(np.int8)
    count = np.arange(successes + 1)
    chance = hypergeom.pmf(count, n, successes, rows[0])
    difference = count / rows[0] - (successes - count) / rows[1]
    variance, third = (chance @ (difference - chance @ difference) ** power for power in (2, 3))
    least = null_moments(values, member, np.zeros(n, dtype=int), SamplingDesign(n))
    exact = variance * (n - 1) / n, third * (n - 1) * (n - 2) / n**2
    assert least == pytest.approx(exact, rel=1e-9)


def test_strata_add_their_least_variances_by_the_squares_of_their_weights():
    values, member, stratum = items(6, strata=2)
    alone = [
        null_moments(values, np.where(stratum == s, member, -1), stratum, SamplingDesign(600))
        for s in (0, 1)
    ]
    n = np.array([[((stratum == s) & (member == g)).sum() for g in (1, 0)] for s in (0, 1)])
    share = n.prod(axis=1) / n.sum(axis=1)
    share = share / share.sum()
    expected = [sum(share[s] ** power * alone[s][power - 2] for s in (0, 1)) for power in (2, 3)]
    assert null_moments(values, member, stratum, SamplingDesign(600)) == pytest.approx(expected)


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
    assert Gap(gap.first, gap.second).contrast(design).pvalue() < 0.01
