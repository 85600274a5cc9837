"""The worlds at the margin: their true differences, and what is counted in them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import binom

from fairpairs.mathematics.estimates.pairs.balanced import balanced_pairs
from fairpairs.mathematics.estimates.pairs.binary import all_pairs_from_counts
from fairpairs.mathematics.estimates.ranking_rates import ranking_rates
from fairpairs.mathematics.inference.contrast import StudentContrast
from fairpairs.mathematics.inference.contrasts.binomial import (
    LEAST_EXPECTED,
    BinomialContrast,
    score_statistic,
)
from fairpairs.mathematics.inference.gaps import gap_contrasts
from fairpairs.mathematics.inference.ranking_differences import difference_contrasts
from fairpairs.papers.studies.calibration.levels.margins import decisions, numbers, scores, worlds
from fairpairs.papers.studies.calibration.levels.measure import measure_levels
from fairpairs.papers.studies.calibration.levels.suite import MARGINS


@pytest.mark.slow
def test_rates_are_counted_as_the_test_of_each_data_set_would():
    rng = np.random.default_rng(0)
    trials, sets = (40, 25), 300
    successes = rng.binomial(40, 0.85, sets), rng.binomial(25, 0.8, sets)
    counted = worlds.count_rates(successes, trials, 0.3, 1, 0.05)
    tests = [BinomialContrast((int(k), int(m)), trials) for k, m in zip(*successes, strict=True)]
    near = np.array([test.pvalue_below(0.3) < 0.05 for test in tests])
    shown = np.array([test.within(0.3) < 0.05 for test in tests])
    assert counted.shape == (sets, 2)
    assert counted.sum(axis=0).tolist() == [near.sum(), shown.sum()]
    assert 0 < shown.sum() <= near.sum() < sets


def test_contrasts_are_counted_by_their_intervals():
    tests = [StudentContrast(x, 0.01) for x in (0.0, 0.04, 0.06, -0.2)]
    # 0.04 lies 1 standard error below the margin; −0.2 far beyond the other one
    estimate = np.array([0.0, 0.04, 0.06, -0.2, np.nan])
    counted = worlds.count_contrasts(estimate, tests.__getitem__, 0.05, 1, 0.05)
    assert_array_equal(counted, [[1, 1], [0, 0], [0, 0], [1, 0], [np.nan, np.nan]])
    counted = worlds.count_contrasts(estimate, tests.__getitem__, 0.05, -1, 0.05)
    assert_array_equal(counted, [[1, 1], [1, 0], [1, 0], [0, 0], [np.nan, np.nan]])


@pytest.mark.parametrize("index", [0, 1])
def test_decisions_are_counted_by_the_intervals_of_each_table(index):
    items, chances = ((60, 40), (30, 20)), ((0.2, 0.7), (0.2, 0.75))
    counted = decisions.pairs(index, items, chances, 1, np.random.default_rng(0), 20, 0.3)
    tables, number = decisions._tables(np.random.default_rng(0), 20, items, chances)
    rates = all_pairs_from_counts(tables.astype(float))
    limits = [gap_contrasts(rates.take(i))[index].limits(0.6) for i in range(len(tables))]
    within = [(high < 0.05, low > -0.05 and high < 0.05) for low, high in limits]
    assert_array_equal(counted, np.repeat(within, number, axis=0))
    assert 0 < counted[:, 0].sum() < 20


@pytest.mark.slow
def test_the_share_counted_is_the_size_of_the_test():
    counted = decisions.rates((30, 30), (0.9, 0.95), 1, np.random.default_rng(0), 20_000, 0.05)
    k, m = np.meshgrid(np.arange(31), np.arange(31), indexing="ij")
    chance = binom.pmf(k, 30, 0.95) * binom.pmf(m, 30, 0.9)
    size = sum(
        chance[a, b]
        for a in range(31)
        for b in range(31)
        if BinomialContrast((a, b), (30, 30)).pvalue_below(0.05) < 0.05
    )
    assert counted[:, 0].mean() == pytest.approx(size, abs=4 * np.sqrt(size / 20_000))


def test_many_scores_have_the_rates_of_each():
    rng, group = np.random.default_rng(0), np.repeat([0, 1], [30, 20])
    label, score = np.arange(50) % 2, rng.normal(size=(3, 50))
    many = scores.rates_of_scores(label, score, group)
    for number in range(3):
        one = ranking_rates(label, score[number], group, 2)
        assert many.tpr[number] == pytest.approx(one.tpr)
        for first, second in zip(
            difference_contrasts(many.take(number)), difference_contrasts(one), strict=True
        ):
            assert first is not None and second is not None
            assert first.limits(0.1) == pytest.approx(second.limits(0.1))


@pytest.mark.slow
def test_sizes_by_enumeration():
    # the world of 1,000 / 100 decisions whose simulated size is the largest
    k, m = (x.ravel() for x in np.meshgrid(np.arange(51), np.arange(180, 320), indexing="ij"))
    rejected = worlds.decided(np.stack([k, m]), (50, 500), 0.05, 1, 0.05)
    size = (binom.pmf(k, 50, 0.55) * binom.pmf(m, 500, 0.5))[rejected].sum()
    assert size == pytest.approx(0.0486, abs=1e-4)
    # two rates beyond the exact test
    k, m = np.arange(826)[:, None], np.arange(826)
    statistic, expected = score_statistic(k, m, 825, 825, 0.02)
    assert expected[420, 404] > LEAST_EXPECTED
    chance = binom.pmf(k, 825, 0.51) * binom.pmf(m, 825, 0.49)
    assert chance[statistic > 1.64485].sum() == pytest.approx(0.0520, abs=1e-4)


@pytest.mark.parametrize("place", range(4))
def test_scores_have_the_true_difference(place):
    sizes, world = (3000, 2000), (1.0, 1.5, 0.4)
    rng, group = np.random.default_rng(0), np.repeat([0, 1], sizes)
    label = np.concatenate([np.arange(size) % 2 for size in sizes])
    mean = np.where(group == 1, 0.4 + 1.5 * label, 1.0 * label)
    contrast = difference_contrasts(ranking_rates(label, mean + rng.normal(size=5000), group, 2))[
        place
    ]
    assert contrast is not None
    low, high = contrast.limits(0.001)
    assert low < scores.true_difference(sizes, world, place) < high
    assert high - low < 0.13


@pytest.mark.parametrize(("place", "change"), [(0, 0.3), (1, 0.4)])
def test_numbers_have_the_true_gap(place, change):
    sizes = (2000, 3000)
    shares = np.stack(numbers.SHARES)
    rng, group = np.random.default_rng(0), np.repeat([0, 1], sizes)
    label = np.concatenate(
        [rng.choice(6, size=n, p=p) for n, p in zip(sizes, shares, strict=True)]
    ).astype(float)
    noise = rng.normal(size=5000)
    score = label + (noise + change * group if place == 0 else noise * np.exp(change * group))
    contrast = gap_contrasts(balanced_pairs(label, score, group, 2))[place]
    assert contrast is not None
    low, high = contrast.limits(0.001)
    assert low < numbers.true_gap(sizes, shares, place, change) < high
    assert high - low < 0.1


@pytest.mark.parametrize("part", MARGINS)
def test_every_part_promises_the_level_in_every_world(part):
    names = [world.case for world in MARGINS[part]()]
    few = [name for name in dict.fromkeys(names) if name.startswith(("30 / 30", "50 / 50"))][:2]
    table = measure_levels(part, repeats=3, seed=1, alpha=0.05, only=few)
    assert set(table["case"]) == set(few)
    assert set(table["promise"]) == {"margin"}
    assert (table["promised"] == 0.05).all()
    again = measure_levels(part, repeats=3, seed=1, alpha=0.05, only=few)
    assert table.equals(again)
